//! usvg's tree -> a [`Drawing`](bone_drawing::Drawing), in one pass. usvg has resolved all features of SVG; here
//! they become plain data. Depth is bounded by `limits::MAX_DEPTH`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bone_drawing::{
    BlendMode, ClipId, ClipPath, DrawingBuilder, ElementId, ElementKind, Fill, FillRule, Filter, FilterId,
    FilterStep, Gradient, GradientId, GradientKind, Group, Image, ImageData, ImageFormat, InkProfile,
    LineCap, LineJoin, Mask, MaskId, MaskKind, Paint, Pattern, PatternId, Sampling, Shape, Smoothness,
    Spread, Stop, Stroke,
};
use kurbo::{Affine, BezPath, Point, Rect, Size};

use super::filter_steps::step;
use super::inks::WrittenInk;
use super::place::SvgNote;
use crate::number::widen;
use crate::{number, range};

/// Adds usvg's tree to a drawing whose elements are known.
pub(super) struct TreeConverter {
    builder: DrawingBuilder,
    /// Elements by the ids that usvg saw.
    by_key: HashMap<Arc<str>, ElementId>,
    /// Elements that are hidden at rest, sorted: clones have none of them.
    hidden: Vec<ElementId>,
    /// Definitions by their address in memory: usvg shares them between users.
    clips: HashMap<usize, ClipId>,
    masks: HashMap<usize, MaskId>,
    filters: HashMap<usize, FilterId>,
    gradients: HashMap<usize, GradientId>,
    patterns: HashMap<usize, PatternId>,
    /// Whether what is added is in a definition.
    defining: bool,
    /// The ink of paths, as it is written.
    inks: BTreeMap<ElementId, WrittenInk>,
    /// That of the paths so far, with the ends and corners of their strokes.
    found_inks: Vec<(ElementId, InkProfile)>,
    pub(super) ink_notes: Vec<SvgNote>,
    /// Elements with a fill or a stroke that cannot be drawn.
    left_out: Vec<(Option<ElementId>, &'static str)>,
}

fn place<T>(of: &T) -> usize {
    std::ptr::from_ref(of) as usize
}

impl TreeConverter {
    /// `by_key` holds the elements by the ids that usvg saw.
    pub(super) fn new(
        builder: DrawingBuilder,
        by_key: HashMap<Arc<str>, ElementId>,
        mut hidden: Vec<ElementId>,
        inks: BTreeMap<ElementId, WrittenInk>,
    ) -> Self {
        hidden.sort_unstable();
        let (clips, masks, filters, gradients, patterns) = Default::default();
        let (defining, left_out) = (false, Vec::new());
        let (found_inks, ink_notes) = (Vec::new(), Vec::new());
        Self {
            builder,
            by_key,
            hidden,
            clips,
            masks,
            filters,
            gradients,
            patterns,
            defining,
            inks,
            found_inks,
            ink_notes,
            left_out,
        }
    }

    pub(super) fn finish(mut self) -> DrawingBuilder {
        self.found_inks.sort_by_key(|(element, _)| *element);
        self.builder.set_inks(self.found_inks);
        self.builder
    }

    /// Adds everything.
    pub(super) fn tree(&mut self, tree: &usvg::Tree, has_canvas_group: bool) {
        for clip in tree.clip_paths() {
            self.clip(clip);
        }
        for mask in tree.masks() {
            self.mask(mask);
        }
        for filter in tree.filters() {
            self.filter(filter);
        }
        self.define(tree.root());
        for node in tree.root().children() {
            match node {
                usvg::Node::Group(group) if has_canvas_group => {
                    self.builder.open_canvas(self.header(group));
                    self.children(group, false);
                    self.builder.close();
                }
                node => self.node(node, false),
            }
        }
    }

    /// Adds the definitions that are linked to in a group; those that they link to come first.
    fn define(&mut self, group: &usvg::Group) {
        for node in group.children() {
            match node {
                usvg::Node::Group(group) => {
                    group.clip_path().map(|clip| self.clip(clip));
                    group.mask().map(|mask| self.mask(mask));
                    for filter in group.filters() {
                        self.filter(filter);
                    }
                    self.define(group);
                }
                usvg::Node::Text(text) => self.define(text.flattened()),
                usvg::Node::Path(path) => {
                    let paints = path.fill().map(usvg::Fill::paint).into_iter();
                    for paint in paints.chain(path.stroke().map(usvg::Stroke::paint)) {
                        if let usvg::Paint::Pattern(pattern) = paint {
                            self.pattern(pattern);
                        }
                    }
                }
                usvg::Node::Image(_) => {}
            }
        }
    }

    /// Adds the content of a definition, and closes it.
    fn inside(&mut self, root: &usvg::Group, cloned: bool) {
        let around = std::mem::replace(&mut self.defining, true);
        self.children(root, cloned);
        self.defining = around;
        self.builder.close();
    }

    fn children(&mut self, group: &usvg::Group, cloned: bool) {
        for node in group.children() {
            self.node(node, cloned);
        }
    }

    /// The element that a node comes from. A group that stands for an element that usvg does not keep
    /// has a generated id; the element's own id is then not used here.
    fn element(&self, node: &usvg::Node) -> Option<ElementId> {
        let id = node.id();
        let found = if id.is_empty() { None } else { self.by_key.get(id) };
        found.copied().filter(|at| *self.builder.elements()[at.index()].key == *id)
    }

    fn node(&mut self, node: &usvg::Node, cloned: bool) {
        let id = self.element(node);
        if cloned && id.is_some_and(|id| self.hidden.binary_search(&id).is_ok()) {
            return;
        }
        let element = id.map(|id| (id, !cloned));
        let is_clone = id.is_some_and(|id| self.builder.elements()[id.index()].kind == ElementKind::Use);
        match node {
            usvg::Node::Group(group) => {
                let header = self.header(group);
                self.builder.open_for(element, header);
                self.children(group, cloned || is_clone);
                self.builder.close();
            }
            usvg::Node::Text(text) => {
                let header = self.header(text.flattened());
                self.builder.open_for(element, header);
                self.children(text.flattened(), cloned);
                self.builder.close();
            }
            usvg::Node::Path(path) => {
                let mut shape = self.shape(path);
                self.leave_out(path, &mut shape, id);
                if let Some((id, ink)) =
                    id.filter(|_| !cloned).and_then(|id| Some((id, self.inks.remove(&id)?)))
                {
                    match ink.apply(&mut shape) {
                        Ok(profile) => self.found_inks.push((id, profile)),
                        Err(note) => self.ink_notes.push(note),
                    }
                }
                self.builder.shape_for(element, shape);
            }
            // An image within which something cannot be drawn.
            usvg::Node::Image(image) if matches!(image.kind(), usvg::ImageKind::SVG(tree) if !range::can_draw(tree.root(), node.abs_transform())) =>
                {}
            usvg::Node::Image(image) => {
                self.builder.image_for(element, self::image(image));
            }
        }
    }

    /// Leaves out a fill or a stroke whose numbers cannot be drawn.
    fn leave_out(&mut self, path: &usvg::Path, shape: &mut Shape, element: Option<ElementId>) {
        let ts = path.abs_transform();
        if shape.fill.is_some() && !range::can_fill_path(path, ts) {
            shape.fill = None;
            self.left_out.push((element, "fill"));
        }
        if shape.stroke.is_some() && !range::can_stroke_path(path, ts) {
            shape.stroke = None;
            self.left_out.push((element, "stroke"));
        }
    }

    /// The elements with a fill or a stroke that is left out.
    pub(super) fn left_out(&mut self) -> Vec<(Option<ElementId>, &'static str)> {
        std::mem::take(&mut self.left_out)
    }

    /// A group without its children. Its definitions were added before.
    fn header(&self, group: &usvg::Group) -> Group {
        Group {
            transform: if self.defining { typed(group.transform()) } else { widen(group.transform()) },
            opacity: group.opacity().get().into(),
            blend: blend(group.blend_mode()),
            isolate: group.isolate(),
            clip: group.clip_path().and_then(|clip| self.clips.get(&place(clip)).copied()),
            mask: group.mask().and_then(|mask| self.masks.get(&place(mask)).copied()),
            filters: group
                .filters()
                .iter()
                .filter_map(|filter| self.filters.get(&place(&**filter)).copied())
                .collect(),
            children: Vec::new(),
        }
    }

    fn clip(&mut self, clip: &usvg::ClipPath) -> ClipId {
        if let Some(known) = self.clips.get(&place(clip)) {
            return *known;
        }
        let linked = clip.clip_path().map(|linked| self.clip(linked));
        self.define(clip.root());
        let element = self.definer(clip.id(), clip.root());
        let id = self.builder.open_clip(ClipPath {
            id: clip.id().to_owned(),
            element,
            transform: typed(clip.transform()),
            clip: linked,
            children: Vec::new(),
        });
        self.inside(clip.root(), false);
        self.clips.insert(place(clip), id);
        id
    }

    fn mask(&mut self, mask: &usvg::Mask) -> MaskId {
        if let Some(known) = self.masks.get(&place(mask)) {
            return *known;
        }
        let linked = mask.mask().map(|linked| self.mask(linked));
        self.define(mask.root());
        let element = self.definer(mask.id(), mask.root());
        let id = self.builder.open_mask(Mask {
            id: mask.id().to_owned(),
            element,
            rect: rect(mask.rect()),
            kind: match mask.kind() {
                usvg::MaskType::Luminance => MaskKind::Luminance,
                usvg::MaskType::Alpha => MaskKind::Alpha,
            },
            mask: linked,
            children: Vec::new(),
        });
        self.inside(mask.root(), false);
        self.masks.insert(place(mask), id);
        id
    }

    /// The `clipPath` or `mask` element behind a definition. One that was made for the size of a second
    /// element has a generated id; its content has the author's ids.
    fn definer(&self, id: &str, root: &usvg::Group) -> Option<ElementId> {
        let elements = self.builder.elements();
        let defines = |at: &&ElementId| matches!(elements[at.index()].tag.as_ref(), "clipPath" | "mask");
        if let Some(named) = self.by_key.get(id).filter(defines) {
            return Some(*named);
        }
        let inner = self.first_element(root)?;
        let mut up = std::iter::successors(Some(inner), |at| elements[at.index()].parent);
        up.find(|at| elements[at.index()].kind == ElementKind::Other)
    }

    fn first_element(&self, group: &usvg::Group) -> Option<ElementId> {
        group.children().iter().find_map(|node| {
            let own = self.element(node);
            own.or_else(|| match node {
                usvg::Node::Group(group) => self.first_element(group),
                usvg::Node::Text(text) => self.first_element(text.flattened()),
                usvg::Node::Path(_) | usvg::Node::Image(_) => None,
            })
        })
    }

    fn filter(&mut self, filter: &Arc<usvg::filter::Filter>) {
        if self.filters.contains_key(&place(&**filter)) {
            return;
        }
        let region = filter.rect();
        let mut steps: Vec<FilterStep> = Vec::with_capacity(filter.primitives().len());
        for primitive in filter.primitives() {
            let mut step = step(primitive);
            step.rect = (primitive.rect() != region).then(|| rect(primitive.rect()));
            if let usvg::filter::Kind::Image(image) = primitive.kind() {
                self.define(image.root());
                if let Some(node) = image.root().children().first() {
                    self.builder.open_filter_image();
                    step.image = Some(self.builder.next_node());
                    self.node(node, true);
                    self.builder.close();
                }
            }
            steps.push(step);
        }
        let id = self.builder.add_filter(Filter { id: filter.id().to_owned(), rect: rect(region), steps });
        self.filters.insert(place(&**filter), id);
    }

    fn pattern(&mut self, pattern: &usvg::Pattern) -> PatternId {
        if let Some(known) = self.patterns.get(&place(pattern)) {
            return *known;
        }
        self.define(pattern.root());
        let id = self.builder.open_pattern(Pattern {
            id: pattern.id().to_owned(),
            rect: rect(pattern.rect()),
            transform: typed(pattern.transform()),
            children: Vec::new(),
        });
        self.inside(pattern.root(), true);
        self.patterns.insert(place(pattern), id);
        id
    }

    fn shape(&mut self, path: &usvg::Path) -> Shape {
        let fill = path.fill().map(|fill| Fill {
            paint: self.paint(fill.paint()),
            opacity: fill.opacity().get().into(),
            rule: match fill.rule() {
                usvg::FillRule::NonZero => FillRule::NonZero,
                usvg::FillRule::EvenOdd => FillRule::EvenOdd,
            },
        });
        let stroke = path.stroke().map(|stroke| Stroke {
            paint: self.paint(stroke.paint()),
            opacity: stroke.opacity().get().into(),
            width: stroke.width().get().into(),
            dashes: stroke.dasharray().unwrap_or_default().iter().copied().map(f64::from).collect(),
            dash_offset: stroke.dashoffset().into(),
            cap: match stroke.linecap() {
                usvg::LineCap::Butt => LineCap::Butt,
                usvg::LineCap::Round => LineCap::Round,
                usvg::LineCap::Square => LineCap::Square,
            },
            join: match stroke.linejoin() {
                usvg::LineJoin::Miter => LineJoin::Miter,
                usvg::LineJoin::MiterClip => LineJoin::MiterClip,
                usvg::LineJoin::Round => LineJoin::Round,
                usvg::LineJoin::Bevel => LineJoin::Bevel,
            },
            miter_limit: stroke.miterlimit().get().into(),
        });
        Shape {
            outline: Arc::new(outline(path.data())),
            fill,
            stroke,
            stroke_first: path.paint_order() == usvg::PaintOrder::StrokeAndFill,
            anti_alias: match path.rendering_mode() {
                usvg::ShapeRendering::GeometricPrecision => Smoothness::Smooth,
                usvg::ShapeRendering::OptimizeSpeed => Smoothness::Speed,
                usvg::ShapeRendering::CrispEdges => Smoothness::Crisp,
            },
            visible: path.is_visible() || path.fill().is_none() && path.stroke().is_none(),
        }
    }

    fn paint(&mut self, paint: &usvg::Paint) -> Paint {
        match paint {
            usvg::Paint::Color(usvg::Color { red, green, blue }) => Paint::Color([*red, *green, *blue]),
            usvg::Paint::LinearGradient(gradient) => {
                let kind = GradientKind::Linear {
                    start: point(gradient.x1(), gradient.y1()),
                    end: point(gradient.x2(), gradient.y2()),
                };
                Paint::Gradient(self.gradient(place(&**gradient), gradient, kind))
            }
            usvg::Paint::RadialGradient(gradient) => {
                let kind = GradientKind::Radial {
                    center: point(gradient.cx(), gradient.cy()),
                    radius: gradient.r().get().into(),
                    focus: point(gradient.fx(), gradient.fy()),
                    focus_radius: gradient.fr().get().into(),
                };
                Paint::Gradient(self.gradient(place(&**gradient), gradient, kind))
            }
            usvg::Paint::Pattern(pattern) => Paint::Pattern(self.pattern(pattern)),
        }
    }

    fn gradient(&mut self, place: usize, gradient: &usvg::BaseGradient, kind: GradientKind) -> GradientId {
        if let Some(known) = self.gradients.get(&place) {
            return *known;
        }
        let stop = |stop: &usvg::Stop| {
            let usvg::Color { red, green, blue } = stop.color();
            let (offset, opacity) = (stop.offset().get().into(), stop.opacity().get().into());
            Stop { offset, color: [red, green, blue], opacity }
        };
        let id = self.builder.add_gradient(Gradient {
            id: gradient.id().to_owned(),
            kind,
            stops: gradient.stops().iter().map(stop).collect(),
            spread: match gradient.spread_method() {
                usvg::SpreadMethod::Pad => Spread::Pad,
                usvg::SpreadMethod::Reflect => Spread::Reflect,
                usvg::SpreadMethod::Repeat => Spread::Repeat,
            },
            transform: typed(gradient.transform()),
        });
        self.gradients.insert(place, id);
        id
    }
}

/// The image of a node of usvg.
fn image(image: &usvg::Image) -> Image {
    let (format, bytes) = match image.kind() {
        usvg::ImageKind::PNG(bytes) => (ImageFormat::Png, Arc::clone(bytes)),
        usvg::ImageKind::JPEG(bytes) => (ImageFormat::Jpeg, Arc::clone(bytes)),
        usvg::ImageKind::GIF(bytes) => (ImageFormat::Gif, Arc::clone(bytes)),
        usvg::ImageKind::WEBP(bytes) => (ImageFormat::Webp, Arc::clone(bytes)),
        usvg::ImageKind::SVG(tree) => {
            // Its fonts and images are resolved already.
            let text = tree.to_string(&usvg::WriteOptions::default());
            (ImageFormat::Svg, Arc::new(text.into_bytes()))
        }
    };
    Image {
        size: Size::new(image.size().width().into(), image.size().height().into()),
        sampling: match image.rendering_mode() {
            usvg::ImageRendering::OptimizeQuality => Sampling::Quality,
            usvg::ImageRendering::OptimizeSpeed => Sampling::Speed,
            usvg::ImageRendering::Smooth => Sampling::Smooth,
            usvg::ImageRendering::HighQuality => Sampling::HighQuality,
            usvg::ImageRendering::CrispEdges => Sampling::Crisp,
            usvg::ImageRendering::Pixelated => Sampling::Pixelated,
        },
        visible: image.is_visible(),
        data: ImageData { format, bytes },
    }
}

fn outline(path: &tiny_skia::Path) -> BezPath {
    let mut outline = BezPath::with_capacity(path.verbs().len());
    outline.extend(number::elements(path));
    outline
}

fn point(x: f32, y: f32) -> Point {
    Point::new(x.into(), y.into())
}

fn rect(rect: usvg::NonZeroRect) -> Rect {
    let (x, y) = (f64::from(rect.x()), f64::from(rect.y()));
    Rect::new(x, y, x + f64::from(rect.width()), y + f64::from(rect.height()))
}

/// The same with the shortest decimals that single precision reads as these numbers: what an author types in
/// a definition is posed as it was typed.
fn typed(ts: tiny_skia::Transform) -> Affine {
    let decimal = |n: f32| n.to_string().parse().unwrap_or(f64::from(n));
    Affine::new([ts.sx, ts.ky, ts.kx, ts.sy, ts.tx, ts.ty].map(decimal))
}

fn blend(mode: usvg::BlendMode) -> BlendMode {
    match mode {
        usvg::BlendMode::Normal => BlendMode::Normal,
        usvg::BlendMode::Multiply => BlendMode::Multiply,
        usvg::BlendMode::Screen => BlendMode::Screen,
        usvg::BlendMode::Overlay => BlendMode::Overlay,
        usvg::BlendMode::Darken => BlendMode::Darken,
        usvg::BlendMode::Lighten => BlendMode::Lighten,
        usvg::BlendMode::ColorDodge => BlendMode::ColorDodge,
        usvg::BlendMode::ColorBurn => BlendMode::ColorBurn,
        usvg::BlendMode::HardLight => BlendMode::HardLight,
        usvg::BlendMode::SoftLight => BlendMode::SoftLight,
        usvg::BlendMode::Difference => BlendMode::Difference,
        usvg::BlendMode::Exclusion => BlendMode::Exclusion,
        usvg::BlendMode::Hue => BlendMode::Hue,
        usvg::BlendMode::Saturation => BlendMode::Saturation,
        usvg::BlendMode::Color => BlendMode::Color,
        usvg::BlendMode::Luminosity => BlendMode::Luminosity,
        usvg::BlendMode::PlusLighter => BlendMode::PlusLighter,
    }
}
