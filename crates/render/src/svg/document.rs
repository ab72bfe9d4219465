//! The tags of an SVG document: the tree of a drawing with its ids, groups and definitions. [`SvgValues`] gives
//! the values: those of a frame, or those of the first frame with curves over time.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use bone_drawing::{
    ClipId, ColorMap, Drawing, FillRule, FilterId, Gradient, GradientId, GradientKind, Group, Image, MaskId,
    MaskKind, Node, NodeId, NodeKind, Paint, PatternId, Shape, ShapeLook, StepAttribute, StepValues, Stroke,
};
use kurbo::{Affine, Rect};

use super::attributes;
use super::escape::escape;
use super::view::SvgView;
use crate::compose::data_url_of;
use crate::number::is_near;

/// A definition of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvgDefinition {
    /// A gradient.
    Gradient(GradientId),
    /// A pattern.
    Pattern(PatternId),
    /// A clip path.
    Clip(ClipId),
    /// A mask.
    Mask(MaskId),
    /// A filter.
    Filter(FilterId),
}

/// A region that can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvgRegion {
    /// That of a mask.
    Mask(MaskId),
    /// That of a filter.
    Filter(FilterId),
    /// That of a step of a filter, if it has one.
    Step(FilterId, usize),
}

/// A draw item in the order of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SvgItem {
    /// A shape, an image, or a group that is a picture of its own.
    pub node: NodeId,
    /// Text before it.
    pub before: String,
    /// Whether the text before it shows it, so that it is not written.
    pub is_copy: bool,
    /// End tags behind it.
    pub after: &'static str,
}

/// The values of a group.
#[derive(Clone, Debug)]
pub struct SvgGroup<V: SvgValues + ?Sized> {
    /// Its transform, and digits after the point.
    pub transform: (Affine, u8),
    /// Its opacity, if it is written.
    pub opacity: Option<f64>,
    /// Whether it is hidden.
    pub is_hidden: bool,
    /// Elements inside of it that move it.
    pub curves: String,
    /// The space of what is in it.
    pub inside: V::Space,
    /// The space of its clip path, its mask and its filters.
    pub used: V::Use,
}

/// How a shape is painted.
#[derive(Clone, Debug)]
pub struct SvgLook {
    /// Its values.
    pub look: ShapeLook,
    /// Digits after the point of lengths.
    pub digits: u8,
    /// A dash, a gap and where they begin, as shares of the length of the path, in place of its own dashes.
    pub dash: Option<[f64; 3]>,
    /// Elements inside of the shape that change them.
    pub curves: String,
}

/// The colours and the geometry of a gradient.
#[derive(Clone, Debug)]
pub struct SvgGradient {
    /// Its values.
    pub gradient: Gradient,
    /// Elements inside of it that move its ends.
    pub curves: String,
    /// Elements inside of each of its stops that change it.
    pub stops: Vec<String>,
}

/// What is made of the colours of an image.
#[derive(Clone, Debug)]
pub struct SvgTint {
    /// The id of the filter that does it.
    pub name: String,
    /// The map.
    pub map: ColorMap,
    /// Elements inside of the matrix that change it.
    pub curves: String,
}

/// The values of an outline.
#[derive(Clone, Debug)]
pub struct SvgOutline<C> {
    /// What moves it besides its groups.
    pub carrier: C,
    /// The transform of the shape, and digits after the point.
    pub transform: (Affine, u8),
    /// Path data.
    pub data: String,
    /// Elements inside of the shape that move it.
    pub curves: String,
}

/// The values of a document. All numbers have at most so many digits after the point as the tag asks for, unless the
/// document is exact.
pub trait SvgValues {
    /// Where a node is drawn.
    type Space: Clone;
    /// What moves a shape besides its groups.
    type Carrier;
    /// Where a definition is used.
    type Use: Clone;
    /// The transforms of groups in a clip path.
    type Around: Clone;

    /// Whether a reader gets the numbers of the drawing. Otherwise numbers that are as by default are left out.
    const IS_EXACT: bool;

    /// Writes a number.
    fn number(&self, n: f64, digits: u8, out: &mut String);
    /// Writes the value of a transform.
    fn matrix(&self, affine: Affine, digits: u8, out: &mut String);
    /// Whether a group is ever seen.
    fn is_seen(&self, node: NodeId) -> bool;
    /// Whether a group is a picture of its own.
    fn is_isolated(&self, node: NodeId, group: &Group) -> bool;
    /// Whether a group without a name moves, or is more or less visible, so that it needs a tag.
    fn has_tag(&self, node: NodeId) -> bool;
    /// The order of some nodes, if it is another one than that of the drawing.
    fn items(&mut self, nodes: &[NodeId]) -> Option<Vec<SvgItem>>;
    /// The space inside of a group.
    fn inside(&mut self, node: NodeId, space: &Self::Space) -> Self::Space;
    /// The values of a group.
    fn group(&mut self, node: NodeId, group: &Group, space: &Self::Space) -> SvgGroup<Self>;
    /// The values of a shape.
    fn outline(&mut self, node: NodeId, space: &Self::Space) -> Option<SvgOutline<Self::Carrier>>;
    /// How a shape is painted, and the elements that change it.
    fn look(&mut self, node: NodeId, shape: &Shape, space: &Self::Space) -> SvgLook;
    /// What is made of the colours of an image, if they are not its own.
    fn tint(&mut self, image: NodeId) -> Option<SvgTint>;
    /// The values of a gradient.
    fn gradient(&mut self, id: GradientId, used: &Self::Use) -> Option<SvgGradient>;
    /// The id of a gradient or pattern of a shape, and where it is used.
    fn paint(
        &mut self,
        paint: (SvgDefinition, &str),
        shape: NodeId,
        carrier: &Self::Carrier,
        space: &Self::Space,
    ) -> (String, Self::Use);
    /// The transform of a gradient or pattern. Elements that move it are appended to `curves`.
    fn paint_transform(
        &self,
        paint: SvgDefinition,
        attribute: &str,
        used: &Self::Use,
        curves: &mut String,
    ) -> Affine;
    /// The space of what is in a definition.
    fn space(used: &Self::Use) -> Self::Space;
    /// A region. Elements that move it are appended to `curves`.
    fn region(&mut self, region: SvgRegion, used: &Self::Use, curves: &mut String) -> Option<Rect>;
    /// The transforms of groups around a node of a clip path; without one, those of none.
    fn around(&self, outside: Option<(&Self::Around, NodeId)>) -> Self::Around;
    /// The values of a shape of a clip path.
    fn clip_outline(
        &mut self,
        node: NodeId,
        around: &Self::Around,
        used: &Self::Use,
    ) -> Option<SvgOutline<Self::Carrier>>;
    /// The numbers of a step of a filter, if they can change. Elements that do are appended to `curves`.
    fn step(
        &mut self,
        filter: FilterId,
        step: usize,
        used: &Self::Use,
        curves: &mut String,
    ) -> Option<StepValues>;
    /// The id of what a step of a filter shows, and whether a group is written that has it.
    fn filter_image(&mut self, filter: &str, step: usize, node: NodeId) -> (String, bool);
}

/// What is still to be written, the next one last.
enum Job<S> {
    /// A node with all in it.
    Node(NodeId, S),
    /// The start tag of a group; its id is written the first time only.
    Open(NodeId, S, bool),
    Text(Cow<'static, str>),
}

impl<S> Job<S> {
    fn close() -> Self {
        Self::Text(Cow::Borrowed("</g>\n"))
    }
}

/// Writes a document.
pub struct SvgWriter<'d, V: SvgValues> {
    drawing: &'d Drawing,
    /// The values.
    pub values: V,
    /// The text.
    pub out: String,
    labels: bool,
    jobs: Vec<Job<V::Space>>,
    /// Definitions in the order in which they were met, with their ids, and the ids that have been met.
    used: Vec<(SvgDefinition, String, V::Use)>,
    met: BTreeSet<String>,
    /// The elements whose ids have been written.
    named: Vec<bool>,
}

impl<'d, V: SvgValues> SvgWriter<'d, V> {
    /// A document without text; `labels`: with the labels of elements.
    pub fn new(drawing: &'d Drawing, values: V, labels: bool) -> Self {
        Self {
            drawing,
            values,
            out: String::new(),
            labels,
            jobs: Vec::new(),
            used: Vec::new(),
            met: BTreeSet::new(),
            named: vec![false; drawing.elements().len()],
        }
    }

    /// Writes the start of the root element.
    pub fn root(&mut self) {
        self.out.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\"");
        if self.labels {
            self.out.push_str(" xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\"");
        }
    }

    /// Writes the whole drawing in a view, from the attributes of the root element on.
    pub fn view(&mut self, view: &SvgView, space: &V::Space) {
        self.out.push_str(&view.attributes);
        self.out.push_str(">\n");
        self.out.push_str(&view.open);
        self.nodes(self.drawing.roots(), space);
        self.out.push_str(&view.close);
    }

    /// Writes a node with all in it.
    pub fn node(&mut self, node: NodeId, space: &V::Space) {
        self.jobs.push(Job::Node(node, space.clone()));
        self.run();
    }

    fn run(&mut self) {
        while let Some(job) = self.jobs.pop() {
            match job {
                Job::Text(text) => self.out.push_str(&text),
                Job::Open(node, space, first) => _ = self.open(node, &space, first),
                Job::Node(node, space) => self.next(node, &space),
            }
        }
    }

    /// Writes nodes that are a picture, in their order.
    pub(super) fn nodes(&mut self, nodes: &[NodeId], space: &V::Space) {
        self.context(nodes, space);
        self.run();
    }

    /// Lists the nodes of a group that is a picture of its own, or of the drawing: in their order, each in its
    /// groups.
    fn context(&mut self, nodes: &[NodeId], space: &V::Space) {
        let Some(items) = self.values.items(nodes) else { return self.children(nodes, space) };
        let around = nodes.first().and_then(|node| self.drawing.node(*node)).and_then(|node| node.parent);
        let mut jobs = Vec::new();
        let mut open: Vec<(NodeId, V::Space)> = Vec::new();
        let mut opened: BTreeSet<NodeId> = BTreeSet::new();
        for SvgItem { node, before, is_copy, after } in items {
            let mut way: Vec<NodeId> = self.drawing.ancestors(node).skip(1).collect();
            if let Some(end) = way.iter().position(|at| Some(*at) == around) {
                way.truncate(end);
            }
            way.reverse();
            let shared = open.iter().zip(&way).take_while(|((a, _), b)| a == *b).count();
            jobs.extend(open.drain(shared..).map(|_| Job::close()));
            for group in &way[shared..] {
                let outside = open.last().map_or(space, |(_, inside)| inside).clone();
                let inside = self.values.inside(*group, &outside);
                jobs.push(Job::Open(*group, outside, opened.insert(*group)));
                open.push((*group, inside));
            }
            jobs.push(Job::Text(before.into()));
            if !is_copy {
                jobs.push(Job::Node(node, open.last().map_or(space, |(_, inside)| inside).clone()));
            }
            jobs.push(Job::Text(after.into()));
        }
        jobs.extend(open.iter().map(|_| Job::close()));
        self.jobs.extend(jobs.into_iter().rev());
    }

    fn children(&mut self, nodes: &[NodeId], space: &V::Space) {
        self.jobs.extend(nodes.iter().rev().map(|node| Job::Node(*node, space.clone())));
    }

    fn next(&mut self, node: NodeId, space: &V::Space) {
        let Some(here) = self.drawing.node(node) else { return };
        match &here.kind {
            NodeKind::Shape(shape) => self.shape(node, shape, space),
            NodeKind::Image(image) => self.image(node, image),
            NodeKind::Group(group) if self.values.is_seen(node) => {
                let isolated = self.values.is_isolated(node, group);
                // Without a tag, the children are written alone.
                let inside = if here.element.is_some() || isolated || self.values.has_tag(node) {
                    self.jobs.push(Job::close());
                    self.open(node, space, true)
                } else {
                    space.clone()
                };
                match isolated {
                    true => self.context(&group.children, &inside),
                    false => self.children(&group.children, &inside),
                }
            }
            NodeKind::Group(_) => {}
        }
    }

    /// Writes the start tag of a group with its curves. The space inside.
    fn open(&mut self, node: NodeId, space: &V::Space, first: bool) -> V::Space {
        let Some(group) = self.drawing.node(node).and_then(Node::group) else { return space.clone() };
        let SvgGroup { transform, opacity, is_hidden, curves, inside, used } =
            self.values.group(node, group, space);
        self.out.push_str("<g");
        if first {
            self.names(node);
        }
        if let Some(clip) = group.clip {
            self.link("clip-path", SvgDefinition::Clip(clip), &used);
        }
        if let Some(mask) = group.mask {
            self.link("mask", SvgDefinition::Mask(mask), &used);
        }
        if !group.filters.is_empty() {
            self.out.push_str(" filter=\"");
            for (at, filter) in group.filters.iter().enumerate() {
                self.out.push_str(if at > 0 { " " } else { "" });
                self.url(SvgDefinition::Filter(*filter), None, &used);
            }
            self.out.push('"');
        }
        if let Some(opacity) = opacity {
            self.number("opacity", opacity, 4);
        }
        self.transform("transform", transform);
        attributes::compositing(group, &mut self.out);
        self.words([if is_hidden { " display=\"none\"" } else { "" }, ">\n"]);
        self.out.push_str(&curves);
        inside
    }

    /// The id of the element that a node shows, and its label.
    fn names(&mut self, node: NodeId) {
        let Some(here) = self.drawing.node(node) else { return };
        let Some((id, element)) = here.element.and_then(|id| Some((id, self.drawing.element(id)?))) else {
            return;
        };
        // Nodes of copied definitions occur several times; the id is written once.
        if std::mem::replace(&mut self.named[id.index()], true) {
            return;
        }
        self.text("id", &element.key);
        if let Some(label) = element.label.as_ref().filter(|_| self.labels && here.own) {
            self.text("inkscape:label", label);
        }
    }

    fn shape(&mut self, node: NodeId, shape: &Shape, space: &V::Space) {
        let Some(outline) = self.values.outline(node, space) else { return };
        let SvgOutline { carrier, transform, data, curves } = outline;
        self.out.push_str("<path");
        self.names(node);
        let SvgLook { look, digits, dash, curves: mut contents } = self.values.look(node, shape, space);
        match shape.fill {
            Some(fill) => {
                self.paint("fill", look.fill.paint(fill.paint), node, &carrier, space);
                if look.fill.opacity != 1.0 {
                    self.number("fill-opacity", look.fill.opacity, 4);
                }
                if fill.rule == FillRule::EvenOdd {
                    self.out.push_str(" fill-rule=\"evenodd\"");
                }
            }
            None => self.out.push_str(" fill=\"none\""),
        }
        if let Some(stroke) = &shape.stroke {
            self.paint("stroke", look.stroke.paint(stroke.paint), node, &carrier, space);
            self.stroke(stroke, &look, digits);
            if let Some([dash, gap, offset]) = dash {
                self.out.push_str(" pathLength=\"1\" stroke-dasharray=\"");
                self.values.number(dash, 5, &mut self.out);
                self.out.push(' ');
                self.values.number(gap, 5, &mut self.out);
                self.out.push('"');
                self.number("stroke-dashoffset", offset, 5);
            }
        }
        self.words(attributes::shape_rendering(shape));
        if shape.stroke_first {
            self.out.push_str(" paint-order=\"stroke\"");
        }
        self.transform("transform", transform);
        let _ = write!(self.out, " d=\"{data}\"");
        contents.push_str(&curves);
        self.close_tag("path", &contents, "");
    }

    /// Ends an element with elements that move it, and its content.
    fn close_tag(&mut self, tag: &str, curves: &str, content: &str) {
        let line = if curves.is_empty() { "" } else { "\n" };
        let _ = match curves.is_empty() && content.is_empty() {
            true => writeln!(self.out, "/>"),
            false => writeln!(self.out, ">{line}{curves}{content}</{tag}>"),
        };
    }

    /// The attributes of a stroke besides its paint.
    fn stroke(&mut self, stroke: &Stroke, look: &ShapeLook, digits: u8) {
        if look.stroke.opacity != 1.0 {
            self.number("stroke-opacity", look.stroke.opacity, 4);
        }
        let look = look.lengths;
        self.number("stroke-width", look.width, digits);
        self.words(attributes::stroke_shape(stroke));
        if stroke.miter_limit != 4.0 {
            self.number("stroke-miterlimit", stroke.miter_limit, 3);
        }
        if !stroke.dashes.is_empty() {
            self.out.push_str(" stroke-dasharray=\"");
            for (at, dash) in stroke.dashes.iter().enumerate() {
                self.out.push_str(if at > 0 { " " } else { "" });
                self.values.number(dash * look.dash_scale, digits, &mut self.out);
            }
            self.out.push('"');
        }
        if stroke.dash_offset != 0.0 || look.dash_offset != 0.0 {
            self.number("stroke-dashoffset", look.dash_offset, digits);
        }
    }

    fn paint(&mut self, name: &str, paint: Paint, shape: NodeId, carrier: &V::Carrier, space: &V::Space) {
        let definition = match paint {
            Paint::Color(colour) => return attributes::colour(name, colour, &mut self.out),
            Paint::Gradient(id) => SvgDefinition::Gradient(id),
            Paint::Pattern(id) => SvgDefinition::Pattern(id),
        };
        let Some(id) = self.id_of(definition) else { return };
        let (id, used) = self.values.paint((definition, id), shape, carrier, space);
        let _ = write!(self.out, " {name}=\"");
        self.url(definition, Some(id), &used);
        self.out.push('"');
    }

    fn image(&mut self, node: NodeId, image: &Image) {
        let tint = self.values.tint(node);
        if let Some(SvgTint { name, map, curves }) = &tint {
            self.out.push_str("<filter");
            self.text("id", name);
            self.out.push_str(" color-interpolation-filters=\"sRGB\">\n<feColorMatrix values=\"");
            let matrix = color_matrix(map, |n, out| self.values.number(n, 5, out));
            self.out.push_str(&matrix);
            self.out.push('"');
            self.close_tag("feColorMatrix", curves, "");
            self.out.push_str("</filter>\n");
        }
        self.out.push_str("<image");
        self.names(node);
        self.number("width", image.size.width, 3);
        self.number("height", image.size.height, 3);
        self.words([attributes::visibility(image.visible), attributes::image_rendering(image.sampling)]);
        if let Some(SvgTint { name, .. }) = tint {
            self.out.push_str(" filter=\"url(#");
            escape(&name, &mut self.out);
            self.out.push_str(")\"");
        }
        self.out.push_str(" href=\"");
        data_url_of(image.data.format.media_type(), &image.data.bytes, &mut self.out);
        self.out.push_str("\"/>\n");
    }

    fn words(&mut self, words: [&str; 2]) {
        words.into_iter().for_each(|word| self.out.push_str(word));
    }

    fn text(&mut self, name: &str, value: &str) {
        let _ = write!(self.out, " {name}=\"");
        escape(value, &mut self.out);
        self.out.push('"');
    }

    pub(super) fn number(&mut self, name: &str, value: f64, digits: u8) {
        let _ = write!(self.out, " {name}=\"");
        self.values.number(value, digits, &mut self.out);
        self.out.push('"');
    }

    fn rect(&mut self, rect: Rect, digits: u8) {
        self.number("x", rect.x0, digits);
        self.number("y", rect.y0, digits);
        self.number("width", rect.width(), digits);
        self.number("height", rect.height(), digits);
    }

    fn transform(&mut self, name: &str, (transform, digits): (Affine, u8)) {
        if transform != Affine::IDENTITY {
            let _ = write!(self.out, " {name}=\"");
            self.values.matrix(transform, digits, &mut self.out);
            self.out.push('"');
        }
    }

    fn link(&mut self, name: &str, to: SvgDefinition, used: &V::Use) {
        let _ = write!(self.out, " {name}=\"");
        self.url(to, None, used);
        self.out.push('"');
    }

    fn id_of(&self, definition: SvgDefinition) -> Option<&'d str> {
        let drawing = self.drawing;
        Some(match definition {
            SvgDefinition::Gradient(id) => &drawing.gradient(id)?.id,
            SvgDefinition::Pattern(id) => &drawing.pattern(id)?.id,
            SvgDefinition::Clip(id) => &drawing.clip(id)?.id,
            SvgDefinition::Mask(id) => &drawing.mask(id)?.id,
            SvgDefinition::Filter(id) => &drawing.filter(id)?.id,
        })
    }

    /// Writes a link to a definition, which has another id if one is given, and lists it as used.
    fn url(&mut self, to: SvgDefinition, id: Option<String>, used: &V::Use) {
        let Some(id) = id.or_else(|| self.id_of(to).map(str::to_owned)) else { return };
        self.out.push_str("url(#");
        escape(&id, &mut self.out);
        self.out.push(')');
        if self.met.insert(id.clone()) {
            self.used.push((to, id, used.clone()));
        }
    }

    /// Writes all definitions that are used, those that they use themselves among them.
    pub fn definitions(&mut self) {
        let mut next = 0;
        while let Some((definition, name, used)) = self.used.get(next).cloned() {
            self.out.push_str(if next == 0 { "<defs>\n" } else { "" });
            next += 1;
            match definition {
                SvgDefinition::Gradient(id) => self.gradient(id, &name, &used),
                SvgDefinition::Pattern(id) => self.pattern(id, &name, &used),
                SvgDefinition::Clip(id) => self.clip(id, &used),
                SvgDefinition::Mask(id) => self.mask(id, &used),
                SvgDefinition::Filter(id) => self.filter(id, &used),
            }
        }
        self.out.push_str(if next > 0 { "</defs>\n" } else { "" });
    }

    fn gradient(&mut self, id: GradientId, name: &str, used: &V::Use) {
        let Some(values) = self.values.gradient(id, used) else { return };
        let SvgGradient { gradient, curves: ends, stops } = values;
        let (tag, mut numbers) = attributes::gradient_geometry(&gradient.kind);
        // By default the focus is the centre.
        let is_centred =
            matches!(gradient.kind, GradientKind::Radial { center, focus, .. } if center == focus);
        if is_centred && !V::IS_EXACT {
            numbers.retain(|(name, _)| !["fx", "fy"].contains(name));
        }
        let _ = write!(self.out, "<{tag}");
        self.text("id", name);
        for (name, n) in numbers {
            self.number(name, n, 4);
        }
        self.out.push_str(" gradientUnits=\"userSpaceOnUse\"");
        let curves = self.paint_transform(SvgDefinition::Gradient(id), "gradientTransform", used);
        self.words([attributes::spread_method(gradient.spread), ">\n"]);
        self.words([&ends, &curves]);
        for (at, stop) in gradient.stops.iter().enumerate() {
            self.out.push_str("<stop");
            // usvg shifts the first of two equal stops a little; parsed again, it would be shifted once more.
            let next = gradient.stops.get(at + 1).map(|next| next.offset);
            let offset = next.filter(|next| is_near(stop.offset, *next)).unwrap_or(stop.offset);
            self.number("offset", offset, 5);
            attributes::colour("stop-color", stop.color, &mut self.out);
            if stop.opacity != 1.0 {
                self.number("stop-opacity", stop.opacity, 4);
            }
            self.close_tag("stop", stops.get(at).map_or("", String::as_str), "");
        }
        let _ = writeln!(self.out, "</{tag}>");
    }

    /// The transform of a gradient or pattern. The elements that move it.
    fn paint_transform(&mut self, paint: SvgDefinition, attribute: &str, used: &V::Use) -> String {
        let mut curves = String::new();
        let transform = self.values.paint_transform(paint, attribute, used, &mut curves);
        self.transform(attribute, (transform, 3));
        curves
    }

    fn pattern(&mut self, id: PatternId, name: &str, used: &V::Use) {
        let Some(pattern) = self.drawing.pattern(id) else { return };
        self.out.push_str("<pattern");
        self.text("id", name);
        self.rect(pattern.rect, 5);
        self.out.push_str(" patternUnits=\"userSpaceOnUse\"");
        let curves = self.paint_transform(SvgDefinition::Pattern(id), "patternTransform", used);
        self.words([">\n", &curves]);
        self.nodes(&pattern.children, &V::space(used));
        self.out.push_str("</pattern>\n");
    }

    /// The attributes of a region. The elements that move it.
    fn region(&mut self, region: SvgRegion, used: &V::Use) -> String {
        let mut curves = String::new();
        if let Some(rect) = self.values.region(region, used, &mut curves) {
            self.rect(rect, 3);
        }
        curves
    }

    fn mask(&mut self, id: MaskId, used: &V::Use) {
        let Some(mask) = self.drawing.mask(id) else { return };
        self.out.push_str("<mask");
        self.text("id", &mask.id);
        if mask.kind == MaskKind::Alpha {
            self.out.push_str(" mask-type=\"alpha\"");
        }
        self.out.push_str(" maskUnits=\"userSpaceOnUse\"");
        let curves = self.region(SvgRegion::Mask(id), used);
        if let Some(linked) = mask.mask {
            self.link("mask", SvgDefinition::Mask(linked), used);
        }
        self.words([">\n", &curves]);
        self.nodes(&mask.children, &V::space(used));
        self.out.push_str("</mask>\n");
    }

    /// A clip path may hold shapes alone: each gets the transforms and the clip path of the groups around it.
    fn clip(&mut self, id: ClipId, used: &V::Use) {
        let Some(clip) = self.drawing.clip(id) else { return };
        self.out.push_str("<clipPath");
        self.text("id", &clip.id);
        self.transform("transform", (clip.transform, 4));
        if let Some(linked) = clip.clip {
            self.link("clip-path", SvgDefinition::Clip(linked), used);
        }
        self.out.push_str(">\n");
        let none = self.values.around(None);
        let mut next: Vec<(NodeId, V::Around, Option<ClipId>)> =
            clip.children.iter().rev().map(|node| (*node, none.clone(), None)).collect();
        while let Some((node, around, clip)) = next.pop() {
            match self.drawing.node(node).map(|here| &here.kind) {
                Some(NodeKind::Group(group)) => {
                    let inside = self.values.around(Some((&around, node)));
                    let clip = group.clip.or(clip);
                    next.extend(group.children.iter().rev().map(|child| (*child, inside.clone(), clip)));
                }
                Some(NodeKind::Shape(shape)) => self.clip_shape(node, shape, &around, clip, used),
                Some(NodeKind::Image(_)) | None => {}
            }
        }
        self.out.push_str("</clipPath>\n");
    }

    fn clip_shape(
        &mut self,
        node: NodeId,
        shape: &Shape,
        around: &V::Around,
        clip: Option<ClipId>,
        used: &V::Use,
    ) {
        let Some(outline) = self.values.clip_outline(node, around, used) else { return };
        self.out.push_str("<path");
        self.names(node);
        if shape.fill.is_some_and(|fill| fill.rule == FillRule::EvenOdd) {
            self.out.push_str(" clip-rule=\"evenodd\"");
        }
        self.words(attributes::shape_rendering(shape));
        if let Some(clip) = clip {
            self.link("clip-path", SvgDefinition::Clip(clip), used);
        }
        self.transform("transform", outline.transform);
        let _ = write!(self.out, " d=\"{}\"", outline.data);
        self.close_tag("path", &outline.curves, "");
    }

    fn filter(&mut self, id: FilterId, used: &V::Use) {
        let Some(filter) = self.drawing.filter(id) else { return };
        let mut images: Vec<Option<String>> = Vec::with_capacity(filter.steps.len());
        // What a step shows is written before the filter.
        for (at, step) in filter.steps.iter().enumerate() {
            let image = step.image.map(|node| {
                let (name, in_group) = self.values.filter_image(&filter.id, at, node);
                if in_group {
                    self.out.push_str("<g");
                    self.text("id", &name);
                    self.out.push_str(">\n");
                }
                self.node(node, &V::space(used));
                self.out.push_str(if in_group { "</g>\n" } else { "" });
                name
            });
            images.push(image);
        }
        self.out.push_str("<filter");
        self.text("id", &filter.id);
        self.out.push_str(" filterUnits=\"userSpaceOnUse\"");
        let curves = self.region(SvgRegion::Filter(id), used);
        self.words([">\n", &curves]);
        for (at, (step, image)) in filter.steps.iter().zip(images).enumerate() {
            let _ = write!(self.out, "<{}", step.tag);
            let mut curves = self.region(SvgRegion::Step(id, at), used);
            let values = self.values.step(id, at, used, &mut curves);
            for (name, value) in &step.attributes {
                match values.and_then(|values| step.posed(name, &values)) {
                    Some(StepAttribute::Number(number)) => self.number(name, number, 4),
                    Some(StepAttribute::Pair([x, y])) => {
                        let _ = write!(self.out, " {name}=\"");
                        self.values.number(x, 4, &mut self.out);
                        self.out.push(' ');
                        self.values.number(y, 4, &mut self.out);
                        self.out.push('"');
                    }
                    Some(StepAttribute::Color(rgb)) => attributes::colour(name, rgb, &mut self.out),
                    None => self.text(name, value),
                }
            }
            if let Some(name) = image {
                self.text("href", &format!("#{name}"));
            }
            self.close_tag(&step.tag, &curves, &step.content);
        }
        self.out.push_str("</filter>\n");
    }
}

/// The value of `feColorMatrix` for a map of colours.
pub fn color_matrix(map: &ColorMap, number: impl Fn(f64, &mut String)) -> String {
    let mut out = String::new();
    for row in 0..3 {
        for column in 0..4 {
            number(if row == column { map.multiply[row] } else { 0.0 }, &mut out);
            out.push(' ');
        }
        number(map.add[row] / 255.0, &mut out);
        out.push(' ');
    }
    out.push_str("0 0 0 1 0");
    out
}
