//! The sizes of the images of a drawing, from their headers, before any is decoded; then which of them show
//! nothing.

#[cfg(feature = "images")]
use std::collections::HashMap;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use bone_drawing::Element;

use super::limits::{MAX_ALL_PIXELS, MAX_IMAGE_PIXELS};
#[cfg(feature = "images")]
use super::place::SvgNote;
use super::place::{LineIndex, SvgError};

/// Fails for an image with more pixels than allowed, and for images that have more together.
pub(crate) fn check(tree: &usvg::Tree, elements: &[Element], lines: &LineIndex<'_>) -> Result<(), SvgError> {
    let Some((key, excess)) = ImagePixels::default().exceeded_in(tree.root(), "") else { return Ok(()) };
    let element = elements.iter().find(|element| *element.key == *key);
    let name = element.map_or_else(String::new, |element| format!(" “{}”", element.name()));
    let what = match excess {
        Excess::Image(width, height) => format!(
            "its image{name} has {width} x {height} pixels; {} million are the most",
            MAX_IMAGE_PIXELS / 1_000_000
        ),
        Excess::Sum => format!(
            "with the image{name} its images have more than {} million pixels together",
            MAX_ALL_PIXELS / 1_000_000
        ),
    };
    Err(SvgError::LimitExceeded { what, place: element.map(|element| lines.place(element.source.clone())) })
}

/// What has more pixels than allowed.
enum Excess {
    Image(u32, u32),
    Sum,
}

/// The pixels of the images so far.
#[derive(Default)]
struct ImagePixels {
    /// Contents by their hashes: equal ones are unpacked once.
    seen: HashSet<u64>,
    sum: u64,
}

impl ImagePixels {
    /// The id of the element with which a limit is exceeded. Groups are nested no deeper than a drawing may be.
    fn exceeded_in(&mut self, group: &usvg::Group, key: &str) -> Option<(String, Excess)> {
        use usvg::ImageKind::{GIF, JPEG, PNG, WEBP};
        for node in group.children() {
            let key = if node.id().is_empty() { key } else { node.id() };
            let mut found = match node {
                usvg::Node::Image(image) => match image.kind() {
                    PNG(data) | JPEG(data) | GIF(data) | WEBP(data) => {
                        self.add(image, data).map(|excess| (key.to_owned(), excess))
                    }
                    usvg::ImageKind::SVG(_) => None,
                },
                usvg::Node::Group(group) => self.exceeded_in(group, key),
                usvg::Node::Path(_) | usvg::Node::Text(_) => None,
            };
            node.subroots(|root| {
                if found.is_none() {
                    found = self.exceeded_in(root, key);
                }
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn add(&mut self, image: &usvg::Image, data: &[u8]) -> Option<Excess> {
        let size = image.size().to_int_size();
        let pixels = u64::from(size.width()) * u64::from(size.height());
        if pixels > MAX_IMAGE_PIXELS {
            return Some(Excess::Image(size.width(), size.height()));
        }
        if self.seen.insert(content(data)) {
            self.sum += pixels;
        }
        (self.sum > MAX_ALL_PIXELS).then_some(Excess::Sum)
    }
}

/// A hash of the bytes of an image, the same in every run.
fn content(data: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    hasher.finish()
}

/// A note for each image of which nothing is visible: its data are cut or damaged, and resvg leaves it out.
#[cfg(feature = "images")]
pub(crate) fn blank(tree: &usvg::Tree, elements: &[Element], lines: &LineIndex<'_>) -> Vec<SvgNote> {
    let mut found = BlankImages::default();
    found.look_in(tree.root(), "");
    let note = |key: &String| {
        let element = elements.iter().find(|element| *element.key == **key);
        let name = element.map_or_else(String::new, |element| format!(" “{}”", element.name()));
        SvgNote::warning(
            format!(
                "nothing of the image{name} is visible: its data are damaged or cut off, or all of its pixels are transparent"
            ),
            element.map(|element| lines.place(element.source.clone())),
        )
    };
    found.keys.iter().map(note).collect()
}

#[cfg(feature = "images")]
#[derive(Default)]
struct BlankImages {
    /// The hashes of the data that were looked at, and whether nothing of them is visible.
    seen: HashMap<u64, bool>,
    /// The ids of the elements that they are or are in.
    keys: Vec<String>,
}

#[cfg(feature = "images")]
impl BlankImages {
    /// Groups are nested no deeper than a drawing may be.
    fn look_in(&mut self, group: &usvg::Group, key: &str) {
        use usvg::ImageKind::{GIF, JPEG, PNG, WEBP};
        for node in group.children() {
            let key = if node.id().is_empty() { key } else { node.id() };
            match node {
                usvg::Node::Image(image) => {
                    if let PNG(data) | JPEG(data) | GIF(data) | WEBP(data) = image.kind()
                        && self.is_blank(node, image, data)
                        && !self.keys.iter().any(|known| known == key)
                    {
                        self.keys.push(key.to_owned());
                    }
                }
                usvg::Node::Group(group) => self.look_in(group, key),
                usvg::Node::Path(_) | usvg::Node::Text(_) => {}
            }
            node.subroots(|root| self.look_in(root, key));
        }
    }

    fn is_blank(&mut self, node: &usvg::Node, image: &usvg::Image, data: &[u8]) -> bool {
        let is_blank =
            || pixels(node, image).is_none_or(|it| it.pixels().iter().all(|pixel| pixel.alpha() == 0));
        *self.seen.entry(content(data)).or_insert_with(is_blank)
    }
}

/// An image in its own size, pixel on pixel. None if resvg fails on it.
#[cfg(feature = "images")]
fn pixels(node: &usvg::Node, image: &usvg::Image) -> Option<tiny_skia::Pixmap> {
    let size = image.size().to_int_size();
    let mut pixmap = tiny_skia::Pixmap::new(size.width(), size.height())?;
    // resvg draws a single node from the corner of its box.
    let begin = node.abs_layer_bounding_box()?;
    let there = tiny_skia::Transform::from_translate(begin.x(), begin.y());
    let drawn = std::panic::AssertUnwindSafe(|| resvg::render_node(node, there, &mut pixmap.as_mut()));
    std::panic::catch_unwind(drawn).ok()??;
    Some(pixmap)
}
