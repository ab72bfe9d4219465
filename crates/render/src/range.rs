//! Whether what usvg has read is within the range of numbers that tiny-skia draws.

use bone_raster::{can_fill, can_stroke};
use tiny_skia::{PixmapMut, Transform};

/// Whether everything in a tree of usvg can be drawn under a transform.
pub(crate) fn can_draw(group: &usvg::Group, ts: Transform) -> bool {
    group.children().iter().all(|node| {
        let own = match node {
            usvg::Node::Group(group) => can_draw(group, ts),
            usvg::Node::Path(path) => {
                let to_pixels = ts.pre_concat(path.abs_transform());
                can_fill_path(path, to_pixels) && can_stroke_path(path, to_pixels)
            }
            usvg::Node::Text(text) => can_draw(text.flattened(), ts),
            usvg::Node::Image(_) => true,
        };
        let mut drawable = own;
        // What definitions show is scaled by what uses them; their own numbers are the ones to check.
        node.subroots(|root| drawable = drawable && can_draw(root, ts));
        drawable
    })
}

pub(crate) fn can_fill_path(path: &usvg::Path, ts: Transform) -> bool {
    path.fill().is_none() || can_fill(path.data().bounds(), ts)
}

pub(crate) fn can_stroke_path(path: &usvg::Path, ts: Transform) -> bool {
    path.stroke().is_none_or(|stroke| can_stroke(path.data(), &stroke.to_tiny_skia(), ts))
}

/// Draws a tree with resvg. False if it has numbers that cannot be drawn; then nothing is drawn.
pub(crate) fn draw(tree: &usvg::Tree, ts: Transform, pixmap: &mut PixmapMut<'_>) -> bool {
    let drawable = can_draw(tree.root(), ts);
    if drawable {
        resvg::render(tree, ts, pixmap);
    }
    drawable
}
