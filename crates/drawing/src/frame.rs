//! A frame: the values of one moment as plain data, one value for each slot.

use std::sync::Arc;

use kurbo::{Affine, BezPath, Rect};

use crate::color_map::ColorMap;
use crate::definition::{FilterId, MaskId, StepValues};
use crate::drawing::Drawing;
use crate::gradient_look::GradientLook;
use crate::look::{PaintLook, ShapeLook};
use crate::node::{ImageData, Node, NodeKind};
use crate::node_id::NodeId;
use crate::paint::{Gradient, GradientId, Paint, PatternId};
use crate::repaints::{PaintPart, Repaint, Repaints};
use crate::trim::Trim;

/// The values of one moment: one for each of the drawing's [`Slots`](crate::Slots), in their order.
///
/// Numbers are in the space of their node or definition, as in the drawing. A frame without values leaves
/// everything at rest, and lists that are too short leave the others at rest, so `Frame::default()` is the
/// drawing itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Transforms of groups, in place of their own.
    pub transforms: Vec<Affine>,
    /// Outlines of shapes, in place of their own.
    pub outlines: Vec<BezPath>,
    /// How shapes are painted, in place of their own paint and lengths.
    pub looks: Vec<ShapeLook>,
    /// The parts of paths that are stroked, which their outlines are already.
    pub trims: Vec<Trim>,
    /// Visibility, opacity and draw order of groups.
    pub visibilities: Vec<Visibility>,
    /// What is made of the colours of images.
    pub tints: Vec<ColorMap>,
    /// Gradients with other ends and stops than in the drawing.
    pub gradient_looks: Vec<GradientLook>,
    /// Transforms of gradients, in place of their own.
    pub gradients: Vec<Affine>,
    /// Transforms of patterns, in place of their own.
    pub patterns: Vec<Affine>,
    /// Regions of masks, in place of their own.
    pub masks: Vec<Rect>,
    /// Regions of filters, in place of their own.
    pub filters: Vec<Rect>,
    /// Regions of the steps of those filters, one filter after the other; none for one that follows its
    /// filter.
    pub steps: Vec<Option<Rect>>,
    /// The numbers of the steps of filters; none of a step that is as in the drawing.
    pub filter_looks: Vec<Vec<Option<StepValues>>>,
    /// What a program sets of single nodes.
    pub repaints: Option<Arc<Repaints>>,
}

/// The visibility, opacity and draw order of a group in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visibility {
    /// Whether it is drawn at all.
    pub visible: bool,
    /// Multiplies its own opacity, from 0 to 1: as one picture, not each of its shapes by itself.
    pub opacity: f64,
    /// Its draw order: what has a higher one is drawn later, in front. The default is 0. Orders
    /// of nested groups add up, and equal orders keep the order of the drawing.
    ///
    /// It sorts everything within the same isolated group. A group with a clip path, a mask, an opacity, a
    /// blend mode or a filter is isolated.
    pub order: f64,
}

impl Visibility {
    /// In its own place, as it was drawn.
    pub const SHOWN: Self = Self { visible: true, opacity: 1.0, order: 0.0 };
    /// Not drawn.
    pub const HIDDEN: Self = Self { visible: false, ..Self::SHOWN };

    /// Whether it can be visible. An opacity of 0 is not; NaN counts as 1.
    pub fn is_seen(self) -> bool {
        self.visible && (self.opacity > 0.0 || self.opacity.is_nan())
    }

    /// Its opacity if that is less than 1.
    pub fn fading(self) -> Option<f64> {
        (self.opacity < 1.0).then_some(self.opacity)
    }

    /// Its draw order as a number that can be added: NaN counts as 0, and -0 is 0.
    pub fn place(self) -> f64 {
        if self.order.is_nan() { 0.0 } else { self.order + 0.0 }
    }
}

impl Default for Visibility {
    fn default() -> Self {
        Self::SHOWN
    }
}

impl Frame {
    /// The transform of a group; of anything else it is the identity.
    pub fn transform(&self, drawing: &Drawing, node: NodeId) -> Affine {
        let posed = drawing.slots.transforms.slot(node).and_then(|slot| self.transforms.get(slot));
        posed.copied().unwrap_or_else(|| drawing.node(node).map_or(Affine::IDENTITY, Node::transform))
    }

    /// The outline of a shape.
    pub fn outline<'a>(&'a self, drawing: &'a Drawing, node: NodeId) -> Option<&'a BezPath> {
        let posed = drawing.slots.outlines.slot(node).and_then(|slot| self.outlines.get(slot));
        posed.or_else(|| Some(&*drawing.node(node)?.shape()?.outline))
    }

    /// How a shape is painted; of anything else all is 0.
    pub fn look(&self, drawing: &Drawing, node: NodeId) -> ShapeLook {
        let posed = drawing.slots.looks.slot(node).and_then(|slot| self.looks.get(slot)).copied();
        posed.or_else(|| drawing.node(node)?.shape().map(ShapeLook::of)).unwrap_or_default()
    }

    /// Takes what a program sets of nodes, in place of what clips have of them.
    pub fn set_repaints(&mut self, drawing: &Drawing, repaints: Option<Arc<Repaints>>) {
        self.repaints = repaints;
        let Some(repaints) = &self.repaints else { return };
        for (node, look) in drawing.slots.looks.keys().iter().zip(&mut self.looks) {
            for (part, look) in [(PaintPart::Fill, &mut look.fill), (PaintPart::Stroke, &mut look.stroke)] {
                if let Some((color, opacity)) = repaints.color(*node, part) {
                    *look = PaintLook::of(Paint::Color(color), opacity);
                }
            }
        }
    }

    /// The drawing in which everything is drawn as a program sets it: for renderers and writers of text.
    pub fn repainted<'a>(&'a self, drawing: &'a Arc<Drawing>) -> &'a Arc<Drawing> {
        self.repaints.as_ref().map_or(drawing, |repaints| repaints.repainted(drawing))
    }

    /// The colour that a program has set of a part of a shape.
    pub(crate) fn repaint(&self, node: NodeId, part: PaintPart) -> Option<Repaint> {
        self.repaints.as_ref()?.color(node, part)
    }

    /// Whether a program leaves a shape or an image out.
    pub(crate) fn hides(&self, node: NodeId) -> bool {
        self.repaints.as_ref().is_some_and(|repaints| repaints.hides(node))
    }

    /// The file of an image.
    pub fn image<'a>(&'a self, drawing: &'a Drawing, node: NodeId) -> Option<&'a ImageData> {
        let set = self.repaints.as_ref().and_then(|repaints| repaints.image(node));
        set.or_else(|| match &drawing.node(node)?.kind {
            NodeKind::Image(image) => Some(&image.data),
            _ => None,
        })
    }

    /// What is made of the colours of an image, if they can change.
    pub fn tint(&self, drawing: &Drawing, node: NodeId) -> Option<ColorMap> {
        let slot = drawing.slots.tints.slot(node)?;
        Some(self.tints.get(slot).copied().unwrap_or_default())
    }

    /// A gradient, with the ends and stops that it has at the moment. Its transform is [`gradient`](Self::gradient).
    pub fn stops<'a>(&'a self, drawing: &'a Drawing, id: GradientId) -> Option<&'a Gradient> {
        let posed = drawing.slots.gradient_looks.slot(id).and_then(|slot| self.gradient_looks.get(slot));
        posed.map(|look| &look.gradient).or_else(|| drawing.gradient(id))
    }

    /// The part of its path that a shape strokes, if it can be another one than the whole.
    pub fn trim(&self, drawing: &Drawing, node: NodeId) -> Option<Trim> {
        let slot = drawing.slots.trims.slot(node)?;
        Some(self.trims.get(slot).copied().unwrap_or_default())
    }

    /// The visibility of a group.
    pub fn visibility(&self, drawing: &Drawing, node: NodeId) -> Visibility {
        let slot = drawing.slots.visibilities.slot(node);
        slot.and_then(|slot| self.visibilities.get(slot)).copied().unwrap_or_default()
    }

    /// The transform of a gradient.
    pub fn gradient(&self, drawing: &Drawing, id: GradientId) -> Affine {
        let posed = drawing.slots.gradients.slot(id).and_then(|slot| self.gradients.get(slot));
        posed.copied().unwrap_or_else(|| drawing.gradient(id).map_or(Affine::IDENTITY, |it| it.transform))
    }

    /// The transform of a pattern.
    pub fn pattern(&self, drawing: &Drawing, id: PatternId) -> Affine {
        let posed = drawing.slots.patterns.slot(id).and_then(|slot| self.patterns.get(slot));
        posed.copied().unwrap_or_else(|| drawing.pattern(id).map_or(Affine::IDENTITY, |it| it.transform))
    }

    /// The region of a mask.
    pub fn mask(&self, drawing: &Drawing, id: MaskId) -> Rect {
        let posed = drawing.slots.masks.slot(id).and_then(|slot| self.masks.get(slot));
        posed.copied().unwrap_or_else(|| drawing.mask(id).map_or(Rect::ZERO, |mask| mask.rect))
    }

    /// The region of a filter.
    pub fn filter(&self, drawing: &Drawing, id: FilterId) -> Rect {
        let posed = drawing.slots.filters.slot(id).and_then(|slot| self.filters.get(slot));
        posed.copied().unwrap_or_else(|| drawing.filter(id).map_or(Rect::ZERO, |filter| filter.rect))
    }

    /// The numbers of a step of a filter, if they can change.
    pub fn step_values(&self, drawing: &Drawing, id: FilterId, step: usize) -> Option<&StepValues> {
        let slot = drawing.slots.filter_looks.slot(id)?;
        self.filter_looks.get(slot)?.get(step)?.as_ref()
    }

    /// The region of a step of a filter; none if it follows its filter.
    pub fn step(&self, drawing: &Drawing, id: FilterId, step: usize) -> Option<Rect> {
        match drawing.slots.step(id, step).and_then(|slot| self.steps.get(slot)) {
            Some(rect) => *rect,
            None => drawing.filter(id)?.steps.get(step)?.rect,
        }
    }
}
