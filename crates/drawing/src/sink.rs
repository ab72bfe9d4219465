//! Painting: a drawing and a frame become calls of a sink, back to front. A sink can make pixels, text, calls
//! of another library, or statistics.

use kurbo::{Affine, BezPath, Cap, Join, Rect};

use crate::color_map::ColorMap;
use crate::definition::{ClipId, FilterId, MaskId, MaskKind};
use crate::draw_items::{DrawItem, DrawItemScratch};
use crate::drawing::Drawing;
use crate::frame::Frame;
use crate::look::StrokeLook;
use crate::node::{BlendMode, Image, ImageData, NodeKind, Shape, Smoothness};
use crate::node_id::NodeId;
use crate::paint::{FillRule, Gradient, LineCap, LineJoin, Paint, Stroke};
use crate::repaints::{PaintPart, Repaint};

/// Receives the calls of [`Drawing::paint`] in paint order. Layers are closed in the reverse order of
/// opening.
pub trait PaintSink {
    /// Fills an outline.
    fn fill(&mut self, fill: &FillCall<'_>);

    /// Strokes an outline.
    fn stroke(&mut self, stroke: &StrokeCall<'_>);

    /// Paints an image.
    fn image(&mut self, image: &ImageCall<'_>);

    /// Opens a layer: what follows is painted onto it, up to [`pop_layer`](Self::pop_layer). A sink that
    /// returns false paints it in its own way or not at all: its content is skipped, and it is not closed.
    fn push_layer(&mut self, layer: &LayerCall<'_>) -> bool;

    /// Closes the layer that was opened last, and composites it.
    fn pop_layer(&mut self);
}

/// An outline to fill.
#[derive(Clone, Copy, Debug)]
pub struct FillCall<'a> {
    /// The shape.
    pub node: NodeId,
    /// Its curves in its own space.
    pub outline: &'a BezPath,
    /// Its fill rule.
    pub rule: FillRule,
    /// Its colour source.
    pub brush: Brush<'a>,
    /// From 0 to 1.
    pub opacity: f64,
    /// Whether its edges are smooth.
    pub smooth: bool,
    /// From its own space to that of the sink.
    pub transform: Affine,
}

/// An outline to stroke.
#[derive(Clone, Debug)]
pub struct StrokeCall<'a> {
    /// The shape.
    pub node: NodeId,
    /// Its curves in its own space.
    pub outline: &'a BezPath,
    /// Width, dashes, caps and joins, in its own space.
    pub style: kurbo::Stroke,
    /// The joins as SVG has them: kurbo has no miter that is clipped at its limit.
    pub join: LineJoin,
    /// Its colour source.
    pub brush: Brush<'a>,
    /// From 0 to 1.
    pub opacity: f64,
    /// Whether its edges are smooth.
    pub smooth: bool,
    /// From its own space to that of the sink.
    pub transform: Affine,
}

/// An image to paint.
#[derive(Clone, Copy, Debug)]
pub struct ImageCall<'a> {
    /// Its node.
    pub node: NodeId,
    /// Its size and sampling, and its file in the drawing.
    pub image: &'a Image,
    /// Its file, which a program may have set. It fills the size.
    pub data: &'a ImageData,
    /// What is made of the colours of its pixels.
    pub tint: ColorMap,
    /// From its own space, a unit a pixel of it, to that of the sink.
    pub transform: Affine,
}

/// The colour source of a fill or a stroke, in the space of the outline.
#[derive(Clone, Copy, Debug)]
pub enum Brush<'a> {
    /// One colour: red, green and blue in sRGB.
    Color([u8; 3]),
    /// A gradient.
    Gradient {
        /// Its geometry and colours.
        gradient: &'a Gradient,
        /// From its own space to that of the outline.
        transform: Affine,
    },
    /// A tile that repeats.
    Pattern {
        /// The tile in its own space.
        rect: Rect,
        /// From its own space to that of the outline.
        transform: Affine,
        /// What the tile shows, in a space whose origin is the corner of the tile.
        content: Content<'a>,
    },
}

/// An isolated group.
#[derive(Clone, Copy, Debug)]
pub struct LayerCall<'a> {
    /// The group.
    pub node: NodeId,
    /// From 0 to 1.
    pub opacity: f64,
    /// How it is blended with its backdrop.
    pub blend: BlendMode,
    /// Its clip path.
    pub clip: Option<PosedClip<'a>>,
    /// Its mask.
    pub mask: Option<PosedMask<'a>>,
    /// Its filters, in order.
    pub filters: &'a [FilterId],
    /// From its inside to the space of the sink.
    pub transform: Affine,
    /// From the space around it to the space of the sink.
    pub around: Affine,
    /// Its drawing.
    pub drawing: &'a Drawing,
    /// The values of the moment.
    pub frame: &'a Frame,
}

/// Some nodes in a frame, to be painted onto any sink.
#[derive(Clone, Copy, Debug)]
pub struct Content<'a> {
    drawing: &'a Drawing,
    frame: &'a Frame,
    nodes: &'a [NodeId],
}

impl Content<'_> {
    /// Paints them.
    pub fn paint(&self, transform: Affine, sink: &mut dyn PaintSink) {
        self.drawing.paint_nodes(self.frame, self.nodes, transform, sink);
    }

    /// Whether there is nothing to paint.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// A clip path in a frame.
#[derive(Clone, Copy, Debug)]
pub struct PosedClip<'a> {
    drawing: &'a Drawing,
    frame: &'a Frame,
    id: ClipId,
}

/// An outline of a clip path.
#[derive(Clone, Copy, Debug)]
pub struct ClipOutline<'a> {
    /// Its curves in its own space.
    pub outline: &'a BezPath,
    /// Its fill rule.
    pub rule: FillRule,
    /// Whether its edges are smooth.
    pub smooth: bool,
    /// From its own space to that of the group.
    pub transform: Affine,
    /// A clip path of this outline alone.
    pub clip: Option<PosedClip<'a>>,
}

/// Memory for [`PosedClip::visit`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClipStack(Vec<(NodeId, Affine, Option<ClipId>)>);

impl<'a> PosedClip<'a> {
    pub(crate) fn new(drawing: &'a Drawing, frame: &'a Frame, id: ClipId) -> Self {
        Self { drawing, frame, id }
    }

    /// Which clip path.
    pub fn id(&self) -> ClipId {
        self.id
    }

    /// A clip path that clips this one, in the space of the group.
    pub fn clip(&self) -> Option<PosedClip<'a>> {
        let id = self.drawing.clip(self.id)?.clip?;
        Some(PosedClip { id, ..*self })
    }

    /// Its outlines. The union of their insides is visible.
    pub fn outlines(&self) -> Vec<ClipOutline<'a>> {
        let mut found = Vec::new();
        self.visit(&mut ClipStack::default(), |outline| found.push(outline));
        found
    }

    /// Calls a function with each of its [`outlines`](Self::outlines). Allocates nothing in a stack that was used
    /// before.
    pub(crate) fn visit(&self, stack: &mut ClipStack, mut each: impl FnMut(ClipOutline<'a>)) {
        let Some(clip) = self.drawing.clip(self.id) else { return };
        let next = &mut stack.0;
        next.clear();
        next.extend(clip.children.iter().rev().map(|node| (*node, clip.transform, None)));
        while let Some((node, around, clip)) = next.pop() {
            match &self.drawing.nodes[node.index()].kind {
                NodeKind::Group(group) => {
                    let inside = around * self.frame.transform(self.drawing, node);
                    let clip = group.clip.or(clip);
                    next.extend(group.children.iter().rev().map(|child| (*child, inside, clip)));
                }
                NodeKind::Shape(shape) => {
                    let fill = shape.fill.filter(|_| shape.visible);
                    let outline = self.frame.outline(self.drawing, node);
                    if let Some((fill, outline)) = fill.zip(outline) {
                        let smooth = shape.anti_alias == Smoothness::Smooth;
                        let (rule, transform) = (fill.rule, around);
                        let clip = clip.map(|id| PosedClip { id, ..*self });
                        each(ClipOutline { outline, rule, smooth, transform, clip });
                    }
                }
                NodeKind::Image(_) => {}
            }
        }
    }
}

/// A mask in a frame.
#[derive(Clone, Copy, Debug)]
pub struct PosedMask<'a> {
    drawing: &'a Drawing,
    frame: &'a Frame,
    id: MaskId,
}

impl<'a> PosedMask<'a> {
    /// Which mask.
    pub fn id(&self) -> MaskId {
        self.id
    }

    /// Outside of this rectangle nothing is visible, in the space of the group.
    pub fn rect(&self) -> Rect {
        self.frame.mask(self.drawing, self.id)
    }

    /// Which channel of its picture is used.
    pub fn kind(&self) -> MaskKind {
        self.drawing.mask(self.id).map(|mask| mask.kind).unwrap_or_default()
    }

    /// A second mask of the group.
    pub fn mask(&self) -> Option<PosedMask<'a>> {
        let id = self.drawing.mask(self.id)?.mask?;
        Some(PosedMask { id, ..*self })
    }

    /// Its picture, in the space of the group.
    pub fn content(&self) -> Content<'a> {
        let nodes = self.drawing.mask(self.id).map_or(&[][..], |mask| &mask.children);
        Content { drawing: self.drawing, frame: self.frame, nodes }
    }
}

/// Memory for [`Drawing::paint_with`].
#[derive(Clone, Debug, Default)]
pub struct PaintStack {
    items: DrawItemScratch,
    open: Vec<OpenGroup>,
    spare: Vec<Vec<DrawItem>>,
}

/// A group whose items are being painted.
#[derive(Clone, Debug)]
struct OpenGroup {
    items: Vec<DrawItem>,
    next: usize,
}

impl Drawing {
    /// Paints a frame. `view` maps pixels at scale 1 to the space of the sink: zoom and pan.
    pub fn paint(&self, frame: &Frame, view: Affine, sink: &mut dyn PaintSink) {
        self.paint_with(frame, view, sink, &mut PaintStack::default());
    }

    /// The same with memory that is kept from frame to frame: then the drawing itself allocates nothing. Dashes
    /// do, if there are more than four.
    pub fn paint_with(&self, frame: &Frame, view: Affine, sink: &mut dyn PaintSink, stack: &mut PaintStack) {
        self.paint_list(frame, &self.roots, view, sink, stack);
    }

    /// Paints some nodes of a frame, back to front. `transform` maps their space to that of
    /// the sink.
    pub(crate) fn paint_nodes(
        &self,
        frame: &Frame,
        nodes: &[NodeId],
        transform: Affine,
        sink: &mut dyn PaintSink,
    ) {
        self.paint_list(frame, nodes, transform, sink, &mut PaintStack::default());
    }

    fn paint_list(
        &self,
        frame: &Frame,
        nodes: &[NodeId],
        transform: Affine,
        sink: &mut dyn PaintSink,
        stack: &mut PaintStack,
    ) {
        let PaintStack { items: scratch, open, spare } = stack;
        let mut items = spare.pop().unwrap_or_default();
        self.draw_items(frame, nodes, transform, scratch, &mut items);
        open.push(OpenGroup { items, next: 0 });
        while let Some(top) = open.last_mut() {
            let Some(item) = top.items.get(top.next).copied() else {
                let done = open.pop();
                spare.extend(done.map(|done| done.items));
                if !open.is_empty() {
                    sink.pop_layer();
                }
                continue;
            };
            top.next += 1;
            match &self.nodes[item.node.index()].kind {
                NodeKind::Shape(shape) => self.paint_shape(frame, item.node, shape, item.transform, sink),
                NodeKind::Image(image) if image.visible => {
                    let tint = frame.tint(self, item.node).unwrap_or_default();
                    let data = frame.image(self, item.node).unwrap_or(&image.data);
                    sink.image(&ImageCall { node: item.node, image, data, tint, transform: item.transform });
                }
                NodeKind::Image(_) => {}
                NodeKind::Group(group) => {
                    let layer = self.layer(frame, &item);
                    if layer.is_some_and(|layer| sink.push_layer(&layer)) {
                        let inside = item.transform * frame.transform(self, item.node);
                        let mut items = spare.pop().unwrap_or_default();
                        self.draw_items(frame, &group.children, inside, scratch, &mut items);
                        open.push(OpenGroup { items, next: 0 });
                    }
                }
            }
        }
    }

    /// The call that opens a group.
    fn layer<'a>(&'a self, frame: &'a Frame, item: &DrawItem) -> Option<LayerCall<'a>> {
        let group = self.nodes[item.node.index()].group()?;
        let fading = frame.visibility(self, item.node).fading().unwrap_or(1.0);
        Some(LayerCall {
            node: item.node,
            opacity: group.opacity * fading.max(0.0),
            blend: group.blend,
            clip: group.clip.map(|id| PosedClip { drawing: self, frame, id }),
            mask: group.mask.map(|id| PosedMask { drawing: self, frame, id }),
            filters: &group.filters,
            transform: item.transform * frame.transform(self, item.node),
            around: item.transform,
            drawing: self,
            frame,
        })
    }

    fn paint_shape(
        &self,
        frame: &Frame,
        node: NodeId,
        shape: &Shape,
        transform: Affine,
        sink: &mut dyn PaintSink,
    ) {
        let Some(outline) = frame.outline(self, node).filter(|_| shape.visible) else { return };
        let smooth = shape.anti_alias == Smoothness::Smooth;
        let look = frame.look(self, node);
        let fill = |sink: &mut dyn PaintSink| {
            let Some(fill) = shape.fill else { return };
            let own = || (self.brush(frame, look.fill.paint(fill.paint)), look.fill.opacity);
            let (brush, opacity) = frame.repaint(node, PaintPart::Fill).map_or_else(own, repainted);
            let rule = fill.rule;
            sink.fill(&FillCall { node, outline, rule, brush, opacity, smooth, transform });
        };
        let stroke = |sink: &mut dyn PaintSink| {
            let Some(stroke) = &shape.stroke else { return };
            let style = style(stroke, look.lengths);
            let own = || (self.brush(frame, look.stroke.paint(stroke.paint)), look.stroke.opacity);
            let (brush, opacity) = frame.repaint(node, PaintPart::Stroke).map_or_else(own, repainted);
            let join = stroke.join;
            if style.width > 0.0 {
                sink.stroke(&StrokeCall { node, outline, style, join, brush, opacity, smooth, transform });
            }
        };
        if shape.stroke_first {
            stroke(sink);
            fill(sink);
        } else {
            fill(sink);
            stroke(sink);
        }
    }

    fn brush<'a>(&'a self, frame: &'a Frame, paint: Paint) -> Brush<'a> {
        match paint {
            Paint::Color(color) => Brush::Color(color),
            Paint::Gradient(id) => {
                let gradient = frame.stops(self, id).unwrap_or(&self.gradients[id.index()]);
                Brush::Gradient { gradient, transform: frame.gradient(self, id) }
            }
            Paint::Pattern(id) => {
                let pattern = &self.patterns[id.index()];
                Brush::Pattern {
                    rect: pattern.rect,
                    transform: frame.pattern(self, id),
                    content: Content { drawing: self, frame, nodes: &pattern.children },
                }
            }
        }
    }
}

fn repainted<'a>((color, opacity): Repaint) -> (Brush<'a>, f64) {
    (Brush::Color(color), opacity)
}

/// A stroke with the lengths of a moment.
pub(crate) fn style(stroke: &Stroke, look: StrokeLook) -> kurbo::Stroke {
    let cap = match stroke.cap {
        LineCap::Butt => Cap::Butt,
        LineCap::Round => Cap::Round,
        LineCap::Square => Cap::Square,
    };
    let join = match stroke.join {
        LineJoin::Miter | LineJoin::MiterClip => Join::Miter,
        LineJoin::Round => Join::Round,
        LineJoin::Bevel => Join::Bevel,
    };
    let style =
        kurbo::Stroke::new(look.width).with_caps(cap).with_join(join).with_miter_limit(stroke.miter_limit);
    match stroke.dashes.as_slice() {
        [] => style,
        dashes => style.with_dashes(look.dash_offset, dashes.iter().map(|dash| dash * look.dash_scale)),
    }
}
