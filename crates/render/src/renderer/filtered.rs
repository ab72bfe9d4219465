//! Groups with filters, which resvg draws: the SVG text of the group alone is written and parsed, and kept
//! while it does not change.

use bone_drawing::{Drawing, Frame};
use tiny_skia::{IntRect, Pixmap, Rect, Transform};

use super::tree::RenderTree;
use super::values::Unsupported;
use crate::raster::read;
use crate::svg::Resources;
use crate::svg::write::write_node;

/// The text, tree and picture of a group, kept from frame to frame.
#[derive(Debug, Default)]
pub(crate) struct FilteredGroup {
    text: String,
    before: String,
    tree: Option<usvg::Tree>,
    /// The bounds of its layers, in the space around the group. None if they are not finite.
    pub(crate) covers: Option<Rect>,
    /// Whether it changed since the last frame.
    pub(crate) changed: bool,
    pub(crate) picture: Option<CachedPicture>,
}

/// A group's picture on a frame.
#[derive(Debug)]
pub(crate) struct CachedPicture {
    pub(crate) transform: Transform,
    pub(crate) frame: (u32, u32),
    pub(crate) at: IntRect,
    pub(crate) pixmap: Pixmap,
}

impl FilteredGroup {
    /// The group; none if usvg leaves it out.
    pub(crate) fn node(&self) -> Option<&usvg::Node> {
        self.tree.as_ref().and_then(|tree| tree.root().children().first())
    }

    /// Whether the group is composited pixel on pixel, so that its picture can be kept. Else resvg rotates
    /// it, or blends it with the backdrop.
    pub(crate) fn lies_flat(&self, ts: Transform) -> bool {
        let Some(usvg::Node::Group(group)) = self.node() else { return false };
        let ts = ts.pre_concat(group.transform());
        let straight = ts.kx == 0.0 && ts.ky == 0.0 && ts.sx > 0.0 && ts.sy > 0.0;
        let plain = group.opacity() == usvg::Opacity::ONE && group.blend_mode() == usvg::BlendMode::Normal;
        straight && plain && !group.filters().is_empty()
    }

    pub(crate) fn tree(&self) -> Option<&usvg::Tree> {
        self.tree.as_ref()
    }
}

/// Writes and reads the groups that changed.
pub(crate) fn refresh(
    tree: &RenderTree,
    drawing: &Drawing,
    frame: &Frame,
    held: &mut [FilteredGroup],
) -> Result<(), Unsupported> {
    for (filtered, held) in tree.filtered.iter().zip(held) {
        held.changed = false;
        if held.tree.is_some() && !filtered.moves {
            continue;
        }
        std::mem::swap(&mut held.text, &mut held.before);
        write_node(drawing, frame, filtered.node, &mut held.text);
        if held.tree.is_some() && held.text == held.before {
            continue;
        }
        held.changed = true;
        held.picture = None;
        let tree = read(&held.text, &Resources::none()).map_err(|_| Unsupported)?;
        if tree.root().children().len() > 1 {
            return Err(Unsupported);
        }
        held.covers = covers(tree.root());
        held.tree = Some(tree);
    }
    Ok(())
}

/// The bounds of the groups in a group: their outlines, and the regions of their filters.
fn covers(group: &usvg::Group) -> Option<Rect> {
    let mut all = group.abs_stroke_bounding_box();
    for node in group.children() {
        if let usvg::Node::Group(group) = node {
            let (inside, layer) = (covers(group)?, group.abs_layer_bounding_box().to_rect());
            all = union(all, union(inside, layer)?)?;
        }
    }
    Some(all)
}

fn union(a: Rect, b: Rect) -> Option<Rect> {
    Rect::from_ltrb(
        a.left().min(b.left()),
        a.top().min(b.top()),
        a.right().max(b.right()),
        a.bottom().max(b.bottom()),
    )
}
