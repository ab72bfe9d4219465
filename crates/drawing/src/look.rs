//! How a shape is painted at a moment, resolved: the values of a frame in place of the shape's own. Whatever paints
//! asks here.

use kurbo::BezPath;

use crate::drawing::Drawing;
use crate::frame::Frame;
use crate::node_id::NodeId;
use crate::paint::Stroke;

/// The lengths of a stroke at a moment, in the shape's own space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StrokeLook {
    /// Its width.
    pub width: f64,
    /// Where its dashes begin.
    pub dash_offset: f64,
    /// How many times as long as in the drawing its dashes are.
    pub dash_scale: f64,
}

impl StrokeLook {
    /// As in the drawing.
    pub fn of(stroke: &Stroke) -> Self {
        Self { width: stroke.width, dash_offset: stroke.dash_offset, dash_scale: 1.0 }
    }
}

impl Frame {
    /// The outline of a shape.
    pub fn outline<'a>(&'a self, drawing: &'a Drawing, node: NodeId) -> Option<&'a BezPath> {
        let posed = drawing.slots.outline(node).and_then(|slot| self.outlines.get(slot));
        posed.or_else(|| Some(&*drawing.node(node)?.shape()?.outline))
    }

    /// The lengths of a shape's stroke; of anything else they are 0.
    pub fn stroke(&self, drawing: &Drawing, node: NodeId) -> StrokeLook {
        let posed = drawing.slots.stroke(node).and_then(|slot| self.strokes.get(slot)).copied();
        let own = || drawing.node(node)?.shape()?.stroke.as_ref().map(StrokeLook::of);
        posed.or_else(own).unwrap_or_default()
    }
}
