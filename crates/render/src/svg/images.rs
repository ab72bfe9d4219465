//! The sizes of the images of a drawing, from their headers, before any is decoded; then which of them show
//! nothing.

use drawing::Element;

use super::limits::MAX_IMAGE_PIXELS;
#[cfg(feature = "images")]
use super::place::SvgNote;
use super::place::{LineIndex, SvgError};

/// Fails for images with more pixels than allowed.
pub(crate) fn check(tree: &usvg::Tree, elements: &[Element], lines: &LineIndex<'_>) -> Result<(), SvgError> {
    let Some(large) = large(tree.root(), "") else { return Ok(()) };
    let element = elements.iter().find(|element| *element.key == *large.key);
    let name = element.map_or_else(String::new, |element| format!(" “{}”", element.name()));
    let (width, height) = (large.width, large.height);
    Err(SvgError::LimitExceeded {
        what: format!(
            "its image{name} has {width} x {height} pixels; {} million are the most",
            MAX_IMAGE_PIXELS / 1_000_000
        ),
        place: element.map(|element| lines.place(element.source.clone())),
    })
}

struct LargeImage {
    /// The id of the element that it is or is in.
    key: String,
    width: u32,
    height: u32,
}

fn large(group: &usvg::Group, key: &str) -> Option<LargeImage> {
    group.children().iter().find_map(|node| {
        let key = if node.id().is_empty() { key } else { node.id() };
        let found = match node {
            usvg::Node::Image(image) => {
                let size = image.size().to_int_size();
                let (width, height) = (size.width(), size.height());
                let vector = matches!(image.kind(), usvg::ImageKind::SVG(_));
                let many = u64::from(width) * u64::from(height) > MAX_IMAGE_PIXELS;
                (many && !vector).then(|| LargeImage { key: key.to_owned(), width, height })
            }
            usvg::Node::Group(group) => large(group, key),
            usvg::Node::Path(_) | usvg::Node::Text(_) => None,
        };
        let mut found = found;
        node.subroots(|root| {
            if found.is_none() {
                found = large(root, key);
            }
        });
        found
    })
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
    /// The data that were looked at, and whether nothing of them is visible.
    seen: Vec<(*const Vec<u8>, bool)>,
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

    fn is_blank(&mut self, node: &usvg::Node, image: &usvg::Image, data: &std::sync::Arc<Vec<u8>>) -> bool {
        let data = std::sync::Arc::as_ptr(data);
        if let Some((_, blank)) = self.seen.iter().find(|(other, _)| *other == data) {
            return *blank;
        }
        let blank = pixels(node, image).is_none_or(|it| it.pixels().iter().all(|pixel| pixel.alpha() == 0));
        self.seen.push((data, blank));
        blank
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
