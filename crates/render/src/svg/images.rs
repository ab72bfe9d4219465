//! The sizes of the images of a drawing, from their headers. Images are not decoded; a wrong header is found
//! when the image is drawn.

use drawing::Element;

use super::limits::MAX_IMAGE_PIXELS;
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
