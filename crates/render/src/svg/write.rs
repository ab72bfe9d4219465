//! Drawing and frame -> SVG text, with ids, groups and labels. Numbers are written so that a reader in single
//! precision gets those that pixels are drawn with.

use std::fmt::Write as _;

use bone_drawing::{
    ClipId, DrawItem, DrawItemScratch, Drawing, FillRule, FilterId, Frame, Gradient, GradientId, Image,
    MaskId, MaskKind, NodeId, NodeKind, Paint, PatternId, Shape, Stroke,
};
use kurbo::{Affine, Rect};

use crate::compose::data_url_of;
use crate::frame::FrameSize;
use crate::number::{write_matrix, write_number, write_path};
use crate::viewport::Viewport;

use super::attributes;
use super::escape::escape;
use super::view::SvgView;

pub use crate::number::Precision;

/// A drawing at rest as SVG text.
pub fn svg_text(drawing: &Drawing) -> String {
    let mut out = String::new();
    write_svg(drawing, &Frame::default(), Precision::Exact, &mut out);
    out
}

/// Writes a frame of a drawing as one SVG document. `out` is emptied first.
pub fn write_svg(drawing: &Drawing, frame: &Frame, precision: Precision, out: &mut String) {
    out.clear();
    let labels = drawing.elements().iter().any(|element| element.label.is_some());
    let mut writer = Writer::new(drawing, frame, precision, labels, out);
    writer.start();
    writer.context(drawing.roots());
    writer.run();
    writer.definitions();
    out.push_str("</svg>");
}

/// Writes a view of a frame as one SVG document with the size of the picture. `out` is emptied first. The whole
/// drawing at scale 1 is written as [`write_svg`] does, without rounding its size up to whole pixels. A view
/// without an inverse shows nothing.
pub fn write_svg_view(
    drawing: &Drawing,
    frame: &Frame,
    view: &Viewport,
    precision: Precision,
    out: &mut String,
) {
    let page = FrameSize::from_scale(drawing.size(), 1.0);
    let is_page = page.is_ok_and(|size| view.size == size && view.transform == size.fit(drawing.size()));
    if is_page && view.background.is_none() && view.cut.is_none() {
        return write_svg(drawing, frame, precision, out);
    }
    out.clear();
    let labels = drawing.elements().iter().any(|element| element.label.is_some());
    let mut writer = Writer::new(drawing, frame, precision, labels, out);
    writer.root();
    match SvgView::new(view, |id| is_id_taken(drawing, id)) {
        Some(view) => {
            writer.out.push_str(&view.attributes);
            writer.out.push_str(">\n");
            writer.out.push_str(&view.open);
            writer.context(drawing.roots());
            writer.run();
            writer.out.push_str(&view.close);
            writer.definitions();
        }
        None => {
            writer.number("width", view.size.width().into());
            writer.number("height", view.size.height().into());
            writer.out.push('>');
        }
    }
    out.push_str("</svg>");
}

/// Whether an element or a definition of a drawing has an id.
pub fn is_id_taken(drawing: &Drawing, id: &str) -> bool {
    drawing.elements().iter().any(|element| *element.key == *id)
        || drawing.gradients().iter().any(|it| it.id == id)
        || drawing.patterns().iter().any(|it| it.id == id)
        || drawing.clips().iter().any(|it| it.id == id)
        || drawing.masks().iter().any(|it| it.id == id)
        || drawing.filters().iter().any(|it| it.id == id)
}

/// Writes one node with what is in it and the definitions that it uses, as a document of its own.
pub fn write_node(drawing: &Drawing, frame: &Frame, node: NodeId, out: &mut String) {
    out.clear();
    let mut writer = Writer::new(drawing, frame, Precision::Exact, false, out);
    writer.start();
    writer.jobs.push(Job::Node(node));
    writer.run();
    writer.definitions();
    out.push_str("</svg>");
}

/// What is still to be written, the next one last.
#[derive(Clone, Copy, Debug)]
enum Job {
    /// A node with all in it.
    Node(NodeId),
    /// The start tag of a group that is opened for one of its items; its id is written the first time only.
    Open(NodeId, bool),
    /// The end tag of a group.
    Close,
}

/// A definition that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Definition {
    Gradient(GradientId),
    Pattern(PatternId),
    Clip(ClipId),
    Mask(MaskId),
    Filter(FilterId),
}

struct Writer<'a> {
    drawing: &'a Drawing,
    frame: &'a Frame,
    precision: Precision,
    labels: bool,
    out: &'a mut String,
    jobs: Vec<Job>,
    /// Definitions in the order in which they were met, and which of them have been met.
    used: Vec<Definition>,
    met: [Vec<bool>; 5],
    /// The elements whose ids have been written.
    named: Vec<bool>,
    /// Whether anything has an order.
    ordered: bool,
    scratch: DrawItemScratch,
    items: Vec<DrawItem>,
}

impl<'a> Writer<'a> {
    fn new(
        drawing: &'a Drawing,
        frame: &'a Frame,
        precision: Precision,
        labels: bool,
        out: &'a mut String,
    ) -> Self {
        let met = [
            vec![false; drawing.gradients().len()],
            vec![false; drawing.patterns().len()],
            vec![false; drawing.clips().len()],
            vec![false; drawing.masks().len()],
            vec![false; drawing.filters().len()],
        ];
        let ordered = frame.visibilities.iter().any(|visibility| visibility.place() != 0.0);
        Self {
            drawing,
            frame,
            precision,
            labels,
            out,
            jobs: Vec::new(),
            used: Vec::new(),
            met,
            named: vec![false; drawing.elements().len()],
            ordered,
            scratch: DrawItemScratch::default(),
            items: Vec::new(),
        }
    }

    /// The start of the root element.
    fn root(&mut self) {
        self.out.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\"");
        if self.labels {
            self.out.push_str(" xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\"");
        }
    }

    fn start(&mut self) {
        let size = self.drawing.size();
        self.root();
        self.number("width", size.width);
        self.number("height", size.height);
        self.out.push_str(">\n");
    }

    fn run(&mut self) {
        while let Some(job) = self.jobs.pop() {
            match job {
                Job::Close => self.out.push_str("</g>\n"),
                Job::Open(node, first) => self.open(node, first),
                Job::Node(node) => self.node(node),
            }
        }
    }

    /// The nodes of a group that is a picture of its own, or of the drawing: in document order, or in that of
    /// the frame.
    fn context(&mut self, nodes: &[NodeId]) {
        if self.ordered && self.sorted(nodes) {
            return;
        }
        self.jobs.extend(nodes.iter().rev().map(|node| Job::Node(*node)));
    }

    /// Lists items in the order of the frame, each in its groups, if that is another one than that of the
    /// document.
    fn sorted(&mut self, nodes: &[NodeId]) -> bool {
        let mut items = std::mem::take(&mut self.items);
        self.drawing.draw_items(self.frame, nodes, Affine::IDENTITY, &mut self.scratch, &mut items);
        let differs = items.iter().any(|item| item.order != 0.0);
        if differs {
            let around = nodes.first().and_then(|node| self.drawing.node(*node)).and_then(|node| node.parent);
            let mut jobs: Vec<Job> = Vec::new();
            let mut open: Vec<NodeId> = Vec::new();
            let mut opened: std::collections::BTreeSet<NodeId> = std::collections::BTreeSet::new();
            for item in &items {
                let mut way: Vec<NodeId> = self.drawing.ancestors(item.node).skip(1).collect();
                if let Some(end) = way.iter().position(|at| Some(*at) == around) {
                    way.truncate(end);
                }
                way.reverse();
                let shared = open.iter().zip(&way).take_while(|(a, b)| a == b).count();
                jobs.extend(open.drain(shared..).map(|_| Job::Close));
                for node in &way[shared..] {
                    jobs.push(Job::Open(*node, opened.insert(*node)));
                    open.push(*node);
                }
                jobs.push(Job::Node(item.node));
            }
            jobs.extend(open.iter().map(|_| Job::Close));
            self.jobs.extend(jobs.into_iter().rev());
        }
        self.items = items;
        differs
    }

    fn node(&mut self, node: NodeId) {
        let Some(here) = self.drawing.node(node) else { return };
        match &here.kind {
            NodeKind::Shape(shape) => self.shape(node, shape),
            NodeKind::Image(image) => self.image(node, image),
            NodeKind::Group(group) => {
                let visibility = self.frame.visibility(self.drawing, node);
                if !visibility.is_seen() {
                    return;
                }
                let isolated = group.is_isolated() || visibility.fading().is_some();
                if self.has_tag(node) {
                    self.open(node, true);
                    self.jobs.push(Job::Close);
                }
                if isolated {
                    self.context(&group.children);
                } else {
                    self.jobs.extend(group.children.iter().rev().map(|node| Job::Node(*node)));
                }
            }
        }
    }

    /// Whether a group needs a tag: else its children are written without one.
    fn has_tag(&self, node: NodeId) -> bool {
        let Some(here) = self.drawing.node(node) else { return false };
        let isolated = here.group().is_some_and(bone_drawing::Group::is_isolated);
        here.element.is_some()
            || isolated
            || self.frame.transform(self.drawing, node) != Affine::IDENTITY
            || self.frame.visibility(self.drawing, node).fading().is_some()
    }

    fn open(&mut self, node: NodeId, first: bool) {
        let (drawing, frame) = (self.drawing, self.frame);
        let Some(group) = drawing.node(node).and_then(|node| node.group()) else { return };
        self.out.push_str("<g");
        if first {
            self.names(node);
        }
        if let Some(clip) = group.clip {
            self.link("clip-path", Definition::Clip(clip));
        }
        if let Some(mask) = group.mask {
            self.link("mask", Definition::Mask(mask));
        }
        if !group.filters.is_empty() {
            self.out.push_str(" filter=\"");
            for (at, filter) in group.filters.iter().enumerate() {
                self.out.push_str(if at > 0 { " " } else { "" });
                self.url(Definition::Filter(*filter));
            }
            self.out.push('"');
        }
        let opacity = match frame.visibility(drawing, node).fading() {
            Some(fading) => group.opacity * fading,
            None => group.opacity,
        };
        if opacity != 1.0 {
            self.number("opacity", opacity);
        }
        self.transform("transform", frame.transform(drawing, node));
        attributes::compositing(group, self.out);
        self.out.push_str(">\n");
    }

    /// The id of the element that a node shows, and its label.
    fn names(&mut self, node: NodeId) {
        let Some(here) = self.drawing.node(node) else { return };
        let Some((id, element)) = here.element.and_then(|id| Some((id, self.drawing.element(id)?))) else {
            return;
        };
        // Nodes of copied definitions occur several times; the id is written once.
        let named = std::mem::replace(&mut self.named[id.index()], true);
        if named {
            return;
        }
        self.text("id", &element.key);
        if let Some(label) = element.label.as_ref().filter(|_| self.labels && here.own) {
            self.text("inkscape:label", label);
        }
    }

    fn shape(&mut self, node: NodeId, shape: &Shape) {
        self.out.push_str("<path");
        self.names(node);
        match shape.fill {
            Some(fill) => {
                self.paint("fill", fill.paint);
                if fill.opacity != 1.0 {
                    self.number("fill-opacity", fill.opacity);
                }
                if fill.rule == FillRule::EvenOdd {
                    self.out.push_str(" fill-rule=\"evenodd\"");
                }
            }
            None => self.out.push_str(" fill=\"none\""),
        }
        if let Some(stroke) = &shape.stroke {
            self.stroke(node, stroke);
        }
        self.words(attributes::shape_rendering(shape));
        if shape.stroke_first {
            self.out.push_str(" paint-order=\"stroke\"");
        }
        self.data(node);
        self.out.push_str("/>\n");
    }

    fn data(&mut self, node: NodeId) {
        self.out.push_str(" d=\"");
        if let Some(outline) = self.frame.outline(self.drawing, node) {
            write_path(outline, self.precision, self.out);
        }
        self.out.push('"');
    }

    fn stroke(&mut self, node: NodeId, stroke: &Stroke) {
        let look = self.frame.stroke(self.drawing, node);
        self.paint("stroke", stroke.paint);
        if stroke.opacity != 1.0 {
            self.number("stroke-opacity", stroke.opacity);
        }
        self.number("stroke-width", look.width);
        self.words(attributes::stroke_shape(stroke));
        if stroke.miter_limit != 4.0 {
            self.number("stroke-miterlimit", stroke.miter_limit);
        }
        if !stroke.dashes.is_empty() {
            self.out.push_str(" stroke-dasharray=\"");
            for (at, dash) in stroke.dashes.iter().enumerate() {
                self.out.push_str(if at > 0 { " " } else { "" });
                write_number(dash * look.dash_scale, self.precision, self.out);
            }
            self.out.push('"');
        }
        if stroke.dash_offset != 0.0 {
            self.number("stroke-dashoffset", look.dash_offset);
        }
    }

    fn paint(&mut self, name: &str, paint: Paint) {
        match paint {
            Paint::Color(colour) => attributes::colour(name, colour, self.out),
            Paint::Gradient(id) => self.link(name, Definition::Gradient(id)),
            Paint::Pattern(id) => self.link(name, Definition::Pattern(id)),
        }
    }

    fn image(&mut self, node: NodeId, image: &Image) {
        self.out.push_str("<image");
        self.names(node);
        self.number("width", image.size.width);
        self.number("height", image.size.height);
        self.words([attributes::visibility(image.visible), attributes::image_rendering(image.sampling)]);
        self.out.push_str(" href=\"");
        data_url_of(image.data.format.media_type(), &image.data.bytes, self.out);
        self.out.push_str("\"/>\n");
    }

    fn words(&mut self, words: [&str; 2]) {
        words.into_iter().for_each(|word| self.out.push_str(word));
    }

    fn text(&mut self, name: &str, value: &str) {
        let _ = write!(self.out, " {name}=\"");
        escape(value, self.out);
        self.out.push('"');
    }

    fn number(&mut self, name: &str, value: f64) {
        let _ = write!(self.out, " {name}=\"");
        write_number(value, self.precision, self.out);
        self.out.push('"');
    }

    fn rect(&mut self, rect: Rect) {
        self.number("x", rect.x0);
        self.number("y", rect.y0);
        self.number("width", rect.width());
        self.number("height", rect.height());
    }

    fn transform(&mut self, name: &str, transform: Affine) {
        if transform != Affine::IDENTITY {
            let _ = write!(self.out, " {name}=\"");
            write_matrix(transform, self.precision, self.out);
            self.out.push('"');
        }
    }

    fn link(&mut self, name: &str, to: Definition) {
        let _ = write!(self.out, " {name}=\"");
        self.url(to);
        self.out.push('"');
    }

    /// Writes a link to a definition, and lists it as used.
    fn url(&mut self, to: Definition) {
        let drawing = self.drawing;
        let (kind, place, id) = match to {
            Definition::Gradient(id) => (0, id.index(), drawing.gradient(id).map(|it| &it.id)),
            Definition::Pattern(id) => (1, id.index(), drawing.pattern(id).map(|it| &it.id)),
            Definition::Clip(id) => (2, id.index(), drawing.clip(id).map(|it| &it.id)),
            Definition::Mask(id) => (3, id.index(), drawing.mask(id).map(|it| &it.id)),
            Definition::Filter(id) => (4, id.index(), drawing.filter(id).map(|it| &it.id)),
        };
        let Some(id) = id else { return };
        self.out.push_str("url(#");
        escape(id, self.out);
        self.out.push(')');
        let met = self.met[kind].get_mut(place);
        if let Some(met) = met.filter(|met| !**met) {
            *met = true;
            self.used.push(to);
        }
    }

    /// All definitions that are used, those that they use themselves among them.
    fn definitions(&mut self) {
        let mut next = 0;
        while let Some(definition) = self.used.get(next).copied() {
            self.out.push_str(if next == 0 { "<defs>\n" } else { "" });
            next += 1;
            match definition {
                Definition::Gradient(id) => self.gradient(id),
                Definition::Pattern(id) => self.pattern(id),
                Definition::Clip(id) => self.clip(id),
                Definition::Mask(id) => self.mask(id),
                Definition::Filter(id) => self.filter(id),
            }
        }
        self.out.push_str(if next > 0 { "</defs>\n" } else { "" });
    }

    fn gradient(&mut self, id: GradientId) {
        let Some(gradient) = self.drawing.gradient(id) else { return };
        let Gradient { kind, stops, spread, .. } = gradient;
        let (tag, numbers) = attributes::gradient_geometry(kind);
        let _ = write!(self.out, "<{tag}");
        self.text("id", &gradient.id);
        for (name, n) in numbers {
            self.number(name, n);
        }
        self.out.push_str(" gradientUnits=\"userSpaceOnUse\"");
        self.transform("gradientTransform", self.frame.gradient(self.drawing, id));
        self.out.push_str(attributes::spread_method(*spread));
        self.out.push_str(">\n");
        for (at, stop) in stops.iter().enumerate() {
            self.out.push_str("<stop");
            // usvg shifts the first of two equal stops a little; parsed again, it would be shifted once more.
            let next = stops.get(at + 1).map(|next| next.offset);
            let offset = next.filter(|next| is_near(stop.offset, *next)).unwrap_or(stop.offset);
            self.number("offset", offset);
            self.paint("stop-color", Paint::Color(stop.color));
            if stop.opacity != 1.0 {
                self.number("stop-opacity", stop.opacity);
            }
            self.out.push_str("/>\n");
        }
        let _ = writeln!(self.out, "</{tag}>");
    }

    fn pattern(&mut self, id: PatternId) {
        let drawing = self.drawing;
        let Some(pattern) = drawing.pattern(id) else { return };
        self.out.push_str("<pattern");
        self.text("id", &pattern.id);
        self.rect(pattern.rect);
        self.out.push_str(" patternUnits=\"userSpaceOnUse\"");
        self.transform("patternTransform", self.frame.pattern(drawing, id));
        self.out.push_str(">\n");
        self.context(&pattern.children);
        self.run();
        self.out.push_str("</pattern>\n");
    }

    fn mask(&mut self, id: MaskId) {
        let drawing = self.drawing;
        let Some(mask) = drawing.mask(id) else { return };
        self.out.push_str("<mask");
        self.text("id", &mask.id);
        if mask.kind == MaskKind::Alpha {
            self.out.push_str(" mask-type=\"alpha\"");
        }
        self.out.push_str(" maskUnits=\"userSpaceOnUse\"");
        self.rect(self.frame.mask(drawing, id));
        if let Some(linked) = mask.mask {
            self.link("mask", Definition::Mask(linked));
        }
        self.out.push_str(">\n");
        self.context(&mask.children);
        self.run();
        self.out.push_str("</mask>\n");
    }

    /// A clip path may hold shapes alone: each gets the transforms and the clip path of the groups around it.
    fn clip(&mut self, id: ClipId) {
        let drawing = self.drawing;
        let Some(clip) = drawing.clip(id) else { return };
        self.out.push_str("<clipPath");
        self.text("id", &clip.id);
        self.transform("transform", clip.transform);
        if let Some(linked) = clip.clip {
            self.link("clip-path", Definition::Clip(linked));
        }
        self.out.push_str(">\n");
        let start = clip.children.iter().rev().map(|node| (*node, tiny_skia::Transform::identity(), None));
        let mut next: Vec<(NodeId, tiny_skia::Transform, Option<ClipId>)> = start.collect();
        while let Some((node, around, clip)) = next.pop() {
            let Some(here) = drawing.node(node) else { continue };
            match &here.kind {
                NodeKind::Group(group) => {
                    // As a reader in single precision multiplies them.
                    let own = crate::number::matrix_as_read(self.frame.transform(drawing, node));
                    let inside = around.pre_concat(own);
                    let clip = group.clip.or(clip);
                    next.extend(group.children.iter().rev().map(|child| (*child, inside, clip)));
                }
                NodeKind::Shape(shape) => {
                    self.out.push_str("<path");
                    self.names(node);
                    if shape.fill.is_some_and(|fill| fill.rule == FillRule::EvenOdd) {
                        self.out.push_str(" clip-rule=\"evenodd\"");
                    }
                    self.words(attributes::shape_rendering(shape));
                    if let Some(clip) = clip {
                        self.link("clip-path", Definition::Clip(clip));
                    }
                    self.transform("transform", crate::number::widen(around));
                    self.data(node);
                    self.out.push_str("/>\n");
                }
                NodeKind::Image(_) => {}
            }
        }
        self.out.push_str("</clipPath>\n");
    }

    fn filter(&mut self, id: FilterId) {
        let drawing = self.drawing;
        let Some(filter) = drawing.filter(id) else { return };
        // The node of an `feImage` step is written before the filter.
        for (at, step) in filter.steps.iter().enumerate() {
            let Some(node) = step.image else { continue };
            // A file that is shown is no element, and nothing else gives it an id.
            let file = drawing.node(node).is_some_and(|node| node.element.is_none());
            if file {
                self.out.push_str("<g");
                self.text("id", &self.id_of_file(&filter.id, at));
                self.out.push_str(">\n");
            }
            self.jobs.push(Job::Node(node));
            self.run();
            if file {
                self.out.push_str("</g>\n");
            }
        }
        self.out.push_str("<filter");
        self.text("id", &filter.id);
        self.out.push_str(" filterUnits=\"userSpaceOnUse\"");
        self.rect(self.frame.filter(drawing, id));
        self.out.push_str(">\n");
        for (at, step) in filter.steps.iter().enumerate() {
            let _ = write!(self.out, "<{}", step.tag);
            if let Some(rect) = self.frame.step(drawing, id, at) {
                self.rect(rect);
            }
            for (name, value) in &step.attributes {
                self.text(name, value);
            }
            if let Some(node) = step.image {
                self.out.push_str(" href=\"#");
                match drawing.node(node).and_then(|node| drawing.element(node.element?)) {
                    Some(element) => escape(&element.key, self.out),
                    None => escape(&self.id_of_file(&filter.id, at), self.out),
                }
                self.out.push('"');
            }
            match step.content.as_str() {
                "" => self.out.push_str("/>\n"),
                content => {
                    let _ = writeln!(self.out, ">{content}</{}>", step.tag);
                }
            }
        }
        self.out.push_str("</filter>\n");
    }

    /// The id of a picture from a file that a step of a filter shows: no element has it.
    fn id_of_file(&self, filter: &str, step: usize) -> String {
        let mut id = format!("{filter}-file{step}");
        while self.drawing.elements().iter().any(|element| *element.key == *id) {
            id.push('_');
        }
        id
    }
}

/// Whether two offsets of stops are one to usvg: no more than four steps of single precision apart.
#[allow(clippy::cast_possible_truncation, reason = "offsets are in single precision")]
fn is_near(a: f64, b: f64) -> bool {
    let (a, b) = (a as f32, b as f32);
    a > 0.0 && a.to_bits().abs_diff(b.to_bits()) <= 4
}
