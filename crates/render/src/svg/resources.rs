//! Fonts and linked images, which are outside the text, and the usvg options that use them. The caller's
//! closure returns the bytes of an image; no file is opened here.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use roxmltree::Document;
use usvg::{ImageHrefResolver, ImageKind};

use crate::fontdb::Database;

use super::limits::check_text;
use super::missing::{MissingResources, push};

/// Returns the bytes of a linked image by its `href`, or nothing if it is not available.
pub type ImageSource = dyn Fn(&str) -> Option<Vec<u8>> + Send + Sync;

/// The fonts and linked images that drawings may use.
#[derive(Clone)]
pub struct Resources {
    /// Fonts for text. Without any, text is not drawn, and a note reports it.
    pub fonts: Arc<Database>,
    /// Where linked images come from. Images within the drawing (data URLs) need none.
    pub images: Arc<ImageSource>,
}

impl Resources {
    /// No fonts and no linked images.
    pub fn none() -> Self {
        Self { fonts: Arc::new(Database::new()), images: Arc::new(|_| None) }
    }
}

impl Default for Resources {
    fn default() -> Self {
        Self::none()
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resources").field("fonts", &self.fonts.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
thread_local! {
    static PARSES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// How many texts usvg has parsed on this thread.
#[cfg(test)]
pub(crate) fn parses() -> usize {
    PARSES.get()
}

/// An SVG for usvg.
pub(crate) enum SvgInput<'a> {
    /// Parsed XML.
    Parsed(&'a Document<'a>),
    /// Not parsed.
    Unparsed(&'a str),
}

/// Reads an SVG with usvg. A panic within it becomes an error: what it cannot read must not end the program.
pub(crate) fn parse(
    svg: SvgInput<'_>,
    resources: &Resources,
    missing: &MissingResources,
) -> Result<usvg::Tree, ParseError> {
    #[cfg(test)]
    PARSES.set(PARSES.get() + 1);
    let options = options(resources, missing);
    let read = || match svg {
        SvgInput::Parsed(doc) => usvg::Tree::from_xmltree(doc, &options),
        SvgInput::Unparsed(text) => usvg::Tree::from_str(text, &options),
    };
    catch_unwind(AssertUnwindSafe(read)).map_err(|_| ParseError::Panic)?.map_err(ParseError::Usvg)
}

/// The reason why usvg gave no tree.
#[derive(Debug)]
pub(crate) enum ParseError {
    Usvg(usvg::Error),
    Panic,
}

fn options<'a>(resources: &'a Resources, missing: &'a MissingResources) -> usvg::Options<'a> {
    let image_href_resolver = ImageHrefResolver {
        resolve_data: Box::new(|mime, data, options| {
            let image = if missing.without_images { None } else { read_image(mime, data, options, missing) };
            if image.is_none() {
                push(&missing.images, format!("data:{mime}"));
            }
            image
        }),
        resolve_string: Box::new(|href, options| {
            let image = (resources.images)(href)
                .and_then(|bytes| read_image("text/plain", Arc::new(bytes), options, missing));
            if image.is_none() {
                push(&missing.images, href.chars().take(200).collect());
            }
            image
        }),
    };
    usvg::Options {
        resources_dir: None,
        image_href_resolver,
        #[cfg(feature = "text")]
        font_resolver: super::fonts::resolver(missing),
        // Of texts without a family.
        font_family: "serif".to_owned(),
        #[cfg(feature = "text")]
        fontdb: Arc::clone(&resources.fonts),
        ..usvg::Options::default()
    }
}

/// An image by its type, or by its first bytes for `text/plain`. A drawing within the drawing passes the same
/// limits, also if it is compressed.
fn read_image(
    mime: &str,
    data: Arc<Vec<u8>>,
    options: &usvg::Options<'_>,
    missing: &MissingResources,
) -> Option<ImageKind> {
    let mut data = if data.starts_with(&GZIP) { Arc::new(unpacked(&data, missing)?) } else { data };
    if let Ok(text) = std::str::from_utf8(&data) {
        check_text(text).ok()?;
        if let Some(without_loops) = super::checked::check_references(text).ok()? {
            data = Arc::new(without_loops.into_bytes());
        }
    }
    ImageHrefResolver::default_data_resolver()(mime, data, options)
}

/// The first bytes of what gzip has compressed.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// The content of a gzip file, if it is no longer than a drawing may be.
#[cfg(feature = "images")]
fn unpacked(data: &[u8], missing: &MissingResources) -> Option<Vec<u8>> {
    use std::sync::atomic::Ordering;

    use super::limits::{MAX_TEXT, MAX_UNPACKED};
    use zlib_rs::{InflateConfig, ReturnCode, decompress_slice};
    // The last four bytes are the length of the content (RFC 1952), which may be a lie: then there is too
    // little room, and it is an error.
    let length = u32::from_le_bytes(*data.last_chunk()?) as usize;
    if length > MAX_TEXT || missing.unpacked.fetch_add(length, Ordering::Relaxed) + length > MAX_UNPACKED {
        return None;
    }
    let mut content = vec![0; length];
    // 15 bits of window, and 16 more for the header of gzip instead of zlib's.
    let config = InflateConfig { window_bits: 15 + 16 };
    let (written, code) = decompress_slice(&mut content, data, config);
    let whole = code == ReturnCode::Ok && written.len() == length;
    whole.then_some(content)
}

#[cfg(not(feature = "images"))]
fn unpacked(_: &[u8], _: &MissingResources) -> Option<Vec<u8>> {
    None
}
