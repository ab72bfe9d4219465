//! Drawing -> render tree. Nesting deeper than SVG readers allow is not supported, so recursion over the tree
//! is bounded.

use std::collections::HashMap;

use bone_drawing::{
    BlendMode, ClipId, Drawing, FillRule, GradientId, ImageFormat, LineCap, LineJoin, MaskId, MaskKind,
    NodeId, NodeKind, Paint, PatternId, Smoothness, StrokeLook,
};
use kurbo::{BezPath, PathEl, Rect};
use tiny_skia::{NonZeroRect, PathBuilder};

use super::filter;
use super::shaders::gradient_source;
use super::tree::{
    Clip, Filtered, Group, GroupTransform, Layer, Line, Mask, Node, Outline, PaintSource, PaintTransform,
    RenderImage, RenderKind, RenderTree, Shape, ShapePaint, Tile,
};
use super::values::read;
use crate::number::{as_read, matrix_as_read};
use crate::svg::limits::{MAX_IMAGE_PIXELS, MAX_POSED_DEPTH};

/// Builds the tree of a drawing. None if it is not supported.
pub(crate) fn build(drawing: &Drawing) -> Option<RenderTree> {
    let tree = RenderTree {
        nodes: Vec::with_capacity(drawing.nodes().len()),
        shapes: 0,
        roots: Vec::new(),
        clips: Vec::new(),
        masks: Vec::new(),
        tiles: Vec::new(),
        pictures: Vec::new(),
        filtered: Vec::new(),
        filters: Vec::new(),
    };
    let mut builder = TreeBuilder {
        drawing,
        tree,
        clips: HashMap::new(),
        masks: HashMap::new(),
        tiles: HashMap::new(),
        kept_pixels: 0,
        depth: MAX_POSED_DEPTH,
    };
    builder.tree.roots = builder.children(drawing.roots())?;
    Some(builder.tree)
}

struct TreeBuilder<'a> {
    drawing: &'a Drawing,
    tree: RenderTree,
    clips: HashMap<ClipId, usize>,
    masks: HashMap<MaskId, usize>,
    tiles: HashMap<PatternId, usize>,
    /// Pixels of all images that are kept decoded. The limit is that of one image.
    kept_pixels: u64,
    /// How much deeper nodes may be nested.
    depth: u32,
}

impl TreeBuilder<'_> {
    fn push(&mut self, kind: RenderKind, moves: bool) -> usize {
        self.tree.nodes.push(Node { kind, moves });
        self.tree.nodes.len() - 1
    }

    fn any_moves(&self, children: &[usize]) -> bool {
        children.iter().any(|at| self.tree.nodes[*at].moves)
    }

    fn children(&mut self, nodes: &[NodeId]) -> Option<Vec<usize>> {
        self.depth = self.depth.checked_sub(1)?;
        let children = nodes.iter().map(|node| self.node(*node)).collect();
        self.depth += 1;
        children
    }

    fn node(&mut self, id: NodeId) -> Option<usize> {
        let drawing = self.drawing;
        let slots = drawing.slots();
        match &drawing.node(id)?.kind {
            NodeKind::Group(group) => {
                if let Some(slot) = slots.visibilities.slot(id) {
                    let children = self.children(&group.children)?;
                    return Some(self.push(RenderKind::Visible { slot, children }, true));
                }
                let filters = match filter::read(drawing, &group.filters) {
                    _ if group.filters.is_empty() => None,
                    Some(chain) => {
                        self.tree.filters.push(chain);
                        Some(self.tree.filters.len() - 1)
                    }
                    None => return Some(self.filtered(id)),
                };
                let transform = match slots.transforms.slot(id) {
                    Some(slot) => GroupTransform::Posed(slot),
                    None => GroupTransform::Fixed(matrix_as_read(group.transform)),
                };
                let children = self.children(&group.children)?;
                let layer = match group.is_isolated() {
                    true => Some(Layer {
                        opacity: usvg::Opacity::new_clamped(as_read(group.opacity)).get(),
                        blend: blend(group.blend),
                        clip: group.clip.map(|clip| self.clip(clip)).map_or(Some(None), |at| at.map(Some))?,
                        mask: group.mask.map(|mask| self.mask(mask)).map_or(Some(None), |at| at.map(Some))?,
                        filters,
                    }),
                    false => None,
                };
                let moves = self.any_moves(&children)
                    || matches!(transform, GroupTransform::Posed(_))
                    || layer.is_some_and(|layer| {
                        layer.clip.is_some_and(|clip| self.tree.clips[clip].moves)
                            || layer.mask.is_some_and(|mask| self.tree.masks[mask].moves)
                            || layer.filters.is_some_and(|at| self.tree.filters[at].moves())
                    });
                Some(self.push(RenderKind::Group(Group { transform, layer, children }), moves))
            }
            NodeKind::Shape(shape) => {
                let (shape, moves) = self.shape(id, shape)?;
                Some(self.push(RenderKind::Shape(Box::new(shape)), moves))
            }
            // Of an animated image the first frame is shown, which can be smaller than the image.
            NodeKind::Image(image) if image.data.format == ImageFormat::Gif => Some(self.filtered(id)),
            NodeKind::Image(image) => {
                let picture = self.picture(image)?;
                self.tree.pictures.push(picture);
                let tint = slots.tints.slot(id);
                let kind = RenderKind::Picture(self.tree.pictures.len() - 1, tint);
                Some(self.push(kind, tint.is_some()))
            }
        }
    }

    fn filtered(&mut self, node: NodeId) -> usize {
        let moves = moves(self.drawing, node);
        self.tree.filtered.push(Filtered { node, moves });
        self.push(RenderKind::Filtered(self.tree.filtered.len() - 1), moves)
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "images have whole sizes")]
    fn picture(&mut self, image: &bone_drawing::Image) -> Option<RenderImage> {
        let pixels = image.size.width.ceil() as u64 * image.size.height.ceil() as u64;
        let keeps = self.kept_pixels + pixels <= MAX_IMAGE_PIXELS;
        self.kept_pixels += if keeps { pixels } else { 0 };
        RenderImage::new(image, keeps)
    }

    fn clip(&mut self, id: ClipId) -> Option<usize> {
        if let Some(at) = self.clips.get(&id) {
            return Some(*at);
        }
        let clip = self.drawing.clip(id)?;
        let linked = clip.clip.map(|linked| self.clip(linked)).map_or(Some(None), |at| at.map(Some))?;
        let children = self.children(&clip.children)?;
        let moves = self.any_moves(&children) || linked.is_some_and(|at| self.tree.clips[at].moves);
        let transform = matrix_as_read(clip.transform);
        self.tree.clips.push(Clip { transform, clip: linked, children, moves });
        self.clips.insert(id, self.tree.clips.len() - 1);
        Some(self.tree.clips.len() - 1)
    }

    fn mask(&mut self, id: MaskId) -> Option<usize> {
        if let Some(at) = self.masks.get(&id) {
            return Some(*at);
        }
        let mask = self.drawing.mask(id)?;
        let linked = mask.mask.map(|linked| self.mask(linked)).map_or(Some(None), |at| at.map(Some))?;
        let children = self.children(&mask.children)?;
        let slot = self.drawing.slots().masks.slot(id);
        let moves =
            slot.is_some() || self.any_moves(&children) || linked.is_some_and(|at| self.tree.masks[at].moves);
        let kind = mask_type(mask.kind);
        self.tree.masks.push(Mask { rect: rect(mask.rect)?, slot, kind, mask: linked, children, moves });
        self.masks.insert(id, self.tree.masks.len() - 1);
        Some(self.tree.masks.len() - 1)
    }

    fn shape(&mut self, id: NodeId, shape: &bone_drawing::Shape) -> Option<(Shape, bool)> {
        let slots = self.drawing.slots();
        let fill = match shape.fill {
            Some(fill) => Some((self.paint(fill.paint, fill.opacity)?, fill_rule(fill.rule))),
            None => None,
        };
        let stroke = match &shape.stroke {
            Some(stroke) => {
                let line = Line {
                    stroke: to_skia(stroke),
                    slot: slots.looks.slot(id),
                    look: StrokeLook::of(stroke),
                    dashes: stroke.dashes.clone(),
                };
                Some(Box::new((self.paint(stroke.paint, stroke.opacity)?, line)))
            }
            None => None,
        };
        let paints = fill.iter().map(|(paint, _)| paint).chain(stroke.iter().map(|stroke| &stroke.0));
        let servers = paints.into_iter().any(|paint| self.is_posed(paint));
        let posed = slots.outlines.slot(id);
        let look = slots.looks.slot(id);
        let moves = posed.is_some() || look.is_some() || servers;
        let index = self.tree.shapes;
        self.tree.shapes += 1;
        let shape = Shape {
            index,
            visible: shape.is_visible(),
            look,
            outline: match posed {
                Some(slot) => Outline::Posed(slot),
                None => Outline::Fixed(read(&shape.outline, path_builder(&shape.outline))),
            },
            fill,
            stroke,
            stroke_first: shape.stroke_first,
            anti_alias: shape.anti_alias == Smoothness::Smooth,
        };
        Some((shape, moves))
    }

    fn is_posed(&self, paint: &ShapePaint) -> bool {
        let place = match &paint.source {
            PaintSource::Color(_) => return false,
            PaintSource::Linear { place, stops, .. } | PaintSource::Radial { place, stops, .. } => {
                if stops.slot.is_some() {
                    return true;
                }
                place
            }
            PaintSource::Tile(tile) if self.any_moves(&self.tree.tiles[*tile].children) => return true,
            PaintSource::Tile(tile) => &self.tree.tiles[*tile].place,
        };
        !matches!(place, PaintTransform::Fixed(_))
    }

    fn paint(&mut self, paint: Paint, opacity: f64) -> Option<ShapePaint> {
        let opacity = usvg::Opacity::new_clamped(as_read(opacity));
        let source = match paint {
            Paint::Color(color) => PaintSource::Color(color),
            Paint::Gradient(id) => self.gradient(id, opacity)?,
            Paint::Pattern(id) => PaintSource::Tile(self.tile(id)?),
        };
        Some(ShapePaint { source, opacity })
    }

    fn gradient(&self, id: GradientId, opacity: usvg::Opacity) -> Option<PaintSource> {
        let gradient = self.drawing.gradient(id)?;
        let place = match self.drawing.slots().gradients.slot(id) {
            Some(slot) => PaintTransform::Gradient(slot),
            None => PaintTransform::Fixed(matrix_as_read(gradient.transform)),
        };
        Some(gradient_source(gradient, place, self.drawing.slots().gradient_looks.slot(id), opacity))
    }

    fn tile(&mut self, id: PatternId) -> Option<usize> {
        if let Some(at) = self.tiles.get(&id) {
            return Some(*at);
        }
        let pattern = self.drawing.pattern(id)?;
        let children = self.children(&pattern.children)?;
        let place = match self.drawing.slots().patterns.slot(id) {
            Some(slot) => PaintTransform::Pattern(slot),
            None => PaintTransform::Fixed(matrix_as_read(pattern.transform)),
        };
        self.tree.tiles.push(Tile { rect: rect(pattern.rect)?, place, children });
        self.tiles.insert(id, self.tree.tiles.len() - 1);
        Some(self.tree.tiles.len() - 1)
    }
}

/// Whether a node, a node in it or a definition that it links to has a slot.
fn moves(drawing: &Drawing, node: NodeId) -> bool {
    let slots = drawing.slots();
    let mut next = vec![node];
    let mut seen = std::collections::BTreeSet::new();
    while let Some(at) = next.pop() {
        let Some(node) = drawing.node(at).filter(|_| seen.insert(at)) else { continue };
        let own = slots
            .transforms
            .slot(at)
            .or(slots.outlines.slot(at))
            .or(slots.looks.slot(at))
            .or(slots.visibilities.slot(at))
            .or(slots.tints.slot(at));
        if own.is_some() {
            return true;
        }
        match &node.kind {
            NodeKind::Group(group) => {
                next.extend(&group.children);
                let moves = |filter| slots.filters.slot(filter).or(slots.filter_looks.slot(filter)).is_some();
                if group.filters.iter().copied().any(moves) {
                    return true;
                }
                let mut clip = group.clip.and_then(|id| drawing.clip(id));
                while let Some(here) = clip {
                    next.extend(&here.children);
                    clip = here.clip.and_then(|id| drawing.clip(id));
                }
                let mut mask = group.mask;
                while let Some(id) = mask {
                    if slots.masks.slot(id).is_some() {
                        return true;
                    }
                    let here = drawing.mask(id);
                    next.extend(here.iter().flat_map(|mask| &mask.children));
                    mask = here.and_then(|mask| mask.mask);
                }
            }
            NodeKind::Shape(shape) => {
                let paints = shape.fill.map(|fill| fill.paint).into_iter();
                for paint in paints.chain(shape.stroke.as_ref().map(|stroke| stroke.paint)) {
                    let posed = match paint {
                        Paint::Color(_) => None,
                        Paint::Gradient(id) => slots.gradients.slot(id).or(slots.gradient_looks.slot(id)),
                        Paint::Pattern(id) => {
                            next.extend(drawing.pattern(id).iter().flat_map(|pattern| &pattern.children));
                            slots.patterns.slot(id)
                        }
                    };
                    if posed.is_some() {
                        return true;
                    }
                }
            }
            NodeKind::Image(_) => {}
        }
    }
    false
}

/// A rectangle in single precision; none if it has no area.
pub(crate) fn rect(rect: Rect) -> Option<NonZeroRect> {
    NonZeroRect::from_xywh(as_read(rect.x0), as_read(rect.y0), as_read(rect.width()), as_read(rect.height()))
}

/// Memory for exactly this outline.
fn path_builder(outline: &BezPath) -> PathBuilder {
    let points = |element: &PathEl| match element {
        PathEl::MoveTo(_) | PathEl::LineTo(_) => 1,
        PathEl::QuadTo(..) => 2,
        PathEl::CurveTo(..) => 3,
        PathEl::ClosePath => 0,
    };
    let elements = outline.elements();
    PathBuilder::with_capacity(elements.len(), elements.iter().map(points).sum())
}

fn to_skia(stroke: &bone_drawing::Stroke) -> tiny_skia::Stroke {
    let dashes: Vec<f32> = stroke.dashes.iter().copied().map(as_read).collect();
    tiny_skia::Stroke {
        width: as_read(stroke.width),
        miter_limit: as_read(stroke.miter_limit),
        line_cap: match stroke.cap {
            LineCap::Butt => tiny_skia::LineCap::Butt,
            LineCap::Round => tiny_skia::LineCap::Round,
            LineCap::Square => tiny_skia::LineCap::Square,
        },
        line_join: join(stroke.join),
        dash: match dashes.is_empty() {
            true => None,
            false => tiny_skia::StrokeDash::new(dashes, as_read(stroke.dash_offset)),
        },
    }
}

pub(crate) fn join(join: LineJoin) -> tiny_skia::LineJoin {
    match join {
        LineJoin::Miter => tiny_skia::LineJoin::Miter,
        LineJoin::MiterClip => tiny_skia::LineJoin::MiterClip,
        LineJoin::Round => tiny_skia::LineJoin::Round,
        LineJoin::Bevel => tiny_skia::LineJoin::Bevel,
    }
}

pub(crate) fn fill_rule(rule: FillRule) -> tiny_skia::FillRule {
    match rule {
        FillRule::NonZero => tiny_skia::FillRule::Winding,
        FillRule::EvenOdd => tiny_skia::FillRule::EvenOdd,
    }
}

pub(crate) fn mask_type(kind: MaskKind) -> tiny_skia::MaskType {
    match kind {
        MaskKind::Luminance => tiny_skia::MaskType::Luminance,
        MaskKind::Alpha => tiny_skia::MaskType::Alpha,
    }
}

pub(crate) fn blend(mode: BlendMode) -> tiny_skia::BlendMode {
    use tiny_skia::BlendMode as To;
    match mode {
        BlendMode::Normal => To::SourceOver,
        BlendMode::Multiply => To::Multiply,
        BlendMode::Screen => To::Screen,
        BlendMode::Overlay => To::Overlay,
        BlendMode::Darken => To::Darken,
        BlendMode::Lighten => To::Lighten,
        BlendMode::ColorDodge => To::ColorDodge,
        BlendMode::ColorBurn => To::ColorBurn,
        BlendMode::HardLight => To::HardLight,
        BlendMode::SoftLight => To::SoftLight,
        BlendMode::Difference => To::Difference,
        BlendMode::Exclusion => To::Exclusion,
        BlendMode::Hue => To::Hue,
        BlendMode::Saturation => To::Saturation,
        BlendMode::Color => To::Color,
        BlendMode::Luminosity => To::Luminosity,
        BlendMode::PlusLighter => To::Plus,
    }
}
