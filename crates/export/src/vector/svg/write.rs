//! The document: nodes in the order of the drawing, with their curves.

use std::fmt::Write as _;
use std::rc::Rc;

use bone_drawing::{
    ClipId, FillRule, FilterId, GradientId, GradientKind, Image, MaskId, MaskKind, NodeId, NodeKind, Paint,
    PatternId, Shape, Stroke, StrokeLook,
};
use bone_render::{SvgView, attributes, data_url_of, escape_xml, is_id_taken};
use kurbo::{Affine, Rect};

use super::smil::{Animated, Timing, attribute};
use super::solver::{Solver, Space};
use crate::vector::VectorReport;
use crate::vector::affine::AffineTrack;
use crate::vector::order::{Placement, arrange, fades, is_isolated};
use crate::vector::text::{self, number};

/// What is still to be written, the next one last.
enum Job {
    Node(NodeId, Rc<Space>),
    /// A node in one of several places of the draw order: the samples at which it is there, and whether it
    /// was written before.
    Placed {
        placement: Placement,
        space: Rc<Space>,
        copy: bool,
    },
    /// The start tag of a group; its id is written the first time only.
    Open(NodeId, Rc<Space>, bool),
    Close,
}

/// A definition that is used, by its id in the file.
#[derive(Clone)]
enum Definition {
    Gradient { id: GradientId, name: String, track: AffineTrack },
    Pattern { id: PatternId, name: String, track: AffineTrack, space: Rc<Space> },
    Clip(ClipId, Rc<Space>),
    Mask(MaskId, Rc<Space>),
    Filter(FilterId, Rc<Space>),
}

impl Definition {
    fn name(&self, drawing: &bone_drawing::Drawing) -> String {
        match self {
            Self::Gradient { name, .. } | Self::Pattern { name, .. } => name.clone(),
            Self::Clip(id, _) => drawing.clip(*id).map(|it| it.id.clone()).unwrap_or_default(),
            Self::Mask(id, _) => drawing.mask(*id).map(|it| it.id.clone()).unwrap_or_default(),
            Self::Filter(id, _) => drawing.filter(*id).map(|it| it.id.clone()).unwrap_or_default(),
        }
    }
}

pub(super) struct Writer<'a> {
    solver: Solver<'a>,
    timing: Option<Timing>,
    out: String,
    jobs: Vec<Job>,
    used: Vec<Definition>,
    names: std::collections::BTreeSet<String>,
    /// The elements whose ids have been written.
    named: Vec<bool>,
    /// Nodes that are written in several places.
    placed: std::collections::BTreeMap<NodeId, String>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(solver: Solver<'a>) -> Self {
        let clip = solver.clip;
        let last = clip.len() - 1;
        let timing = (last > 0).then(|| {
            let seconds = 0.5 * last as f64 / clip.fps;
            let repeat = match (clip.looping, solver.options.plays) {
                (true, None) => " repeatCount=\"indefinite\"".to_owned(),
                (true, Some(count)) if count > 1 => format!(" repeatCount=\"{count}\" fill=\"freeze\""),
                _ => " fill=\"freeze\"".to_owned(),
            };
            Timing { last, attributes: format!(" dur=\"{}s\"{repeat}", text::short(seconds, 6)) }
        });
        let named = vec![false; clip.drawing.elements().len()];
        Self {
            solver,
            timing,
            out: String::new(),
            jobs: Vec::new(),
            used: Vec::new(),
            names: std::collections::BTreeSet::new(),
            named,
            placed: std::collections::BTreeMap::new(),
        }
    }

    pub(super) fn finish(self) -> (String, VectorReport) {
        (self.out, self.solver.report)
    }

    pub(super) fn document(&mut self) {
        let drawing = &self.solver.clip.drawing;
        // A view without one is an error before.
        let view = SvgView::new(&self.solver.options.view, |id| is_id_taken(drawing, id));
        let Some(view) = view else { return };
        let _ = writeln!(self.out, "<svg xmlns=\"http://www.w3.org/2000/svg\"{}>", view.attributes);
        self.out.push_str(&view.open);
        let roots = drawing.roots().to_vec();
        let root = self.solver.root();
        self.context(&roots, &root);
        self.run();
        self.out.push_str(&view.close);
        self.definitions();
        self.out.push_str("</svg>\n");
    }

    fn run(&mut self) {
        while let Some(job) = self.jobs.pop() {
            match job {
                Job::Close => self.out.push_str("</g>\n"),
                Job::Open(node, space, first) => {
                    self.open(node, &space, first);
                }
                Job::Node(node, space) => self.node(node, &space),
                Job::Placed { placement, space, copy } => self.place(&placement, &space, copy),
            }
        }
    }

    /// The nodes of a group that is a picture of its own, or of the drawing, in the order that they have over
    /// time.
    fn context(&mut self, nodes: &[NodeId], space: &Rc<Space>) {
        let clip = self.solver.clip;
        let arranged = arrange(clip, nodes);
        if arranged.natural {
            self.jobs.extend(nodes.iter().rev().map(|node| Job::Node(*node, Rc::clone(space))));
            return;
        }
        let around = nodes.first().and_then(|node| clip.node(*node)).and_then(|node| node.parent);
        let mut jobs: Vec<Job> = Vec::new();
        let mut open: Vec<(NodeId, Rc<Space>)> = Vec::new();
        let mut met: std::collections::BTreeSet<NodeId> = std::collections::BTreeSet::new();
        for placement in arranged.placements {
            let mut way: Vec<NodeId> = clip.drawing.ancestors(placement.node).skip(1).collect();
            if let Some(end) = way.iter().position(|at| Some(*at) == around) {
                way.truncate(end);
            }
            way.reverse();
            let shared = open.iter().zip(&way).take_while(|((a, _), b)| a == *b).count();
            jobs.extend(open.drain(shared..).map(|_| Job::Close));
            for node in &way[shared..] {
                let outside = open.last().map_or_else(|| Rc::clone(space), |(_, inside)| Rc::clone(inside));
                // Found again when it is written: the same numbers.
                let keys = (self.solver.report.keys, self.solver.report.outline_keys);
                let (_, inside) = self.solver.group(*node, &outside);
                (self.solver.report.keys, self.solver.report.outline_keys) = keys;
                jobs.push(Job::Open(*node, outside, met.insert(*node)));
                open.push((*node, inside));
            }
            let inside = open.last().map_or_else(|| Rc::clone(space), |(_, inside)| Rc::clone(inside));
            let copy = !met.insert(placement.node);
            jobs.push(Job::Placed { placement, space: inside, copy });
        }
        jobs.extend(open.iter().map(|_| Job::Close));
        self.jobs.extend(jobs.into_iter().rev());
    }

    /// A node in one of its places.
    fn place(&mut self, placement: &Placement, space: &Rc<Space>, copy: bool) {
        let Some(ranges) = &placement.shown else {
            self.node(placement.node, space);
            return;
        };
        let mut values: Vec<(usize, &str)> = Vec::new();
        if ranges[0].0 > 0 {
            values.push((0, "none"));
        }
        for (start, end) in ranges {
            values.push((*start, "inline"));
            if *end < self.solver.clip.len() {
                values.push((*end, "none"));
            }
        }
        self.out.push_str("<g");
        if values[0].1 == "none" {
            self.out.push_str(" display=\"none\"");
        }
        self.out.push_str(">\n");
        if let Some(timing) = &self.timing {
            timing.switch("display", &values, &mut self.out);
        }
        if copy {
            let name = self.placed.get(&placement.node).cloned().unwrap_or_default();
            self.out.push_str("<use href=\"#");
            escape_xml(&name, &mut self.out);
            self.out.push_str("\"/>\n</g>\n");
            return;
        }
        let name = self.unique(&format!("part-{}", placement.node.index()));
        let _ = writeln!(self.out, "<g id=\"{name}\">");
        self.placed.insert(placement.node, name);
        self.jobs.push(Job::Close);
        self.jobs.push(Job::Close);
        self.node(placement.node, space);
    }

    /// An id that nothing else in the file has.
    fn unique(&mut self, wanted: &str) -> String {
        let drawing = &self.solver.clip.drawing;
        let mut name = wanted.to_owned();
        while self.names.contains(&name) || is_id_taken(drawing, &name) {
            name.push('_');
        }
        self.names.insert(name.clone());
        name
    }

    fn node(&mut self, node: NodeId, space: &Rc<Space>) {
        let clip = self.solver.clip;
        let Some(here) = clip.node(node) else { return };
        match &here.kind {
            NodeKind::Shape(shape) => self.shape(node, shape, space),
            NodeKind::Image(image) => self.image(node, image),
            NodeKind::Group(group) => {
                if !clip.is_ever_seen(node) {
                    return;
                }
                let own = clip.drawing.slots();
                let has_tag = here.element.is_some()
                    || is_isolated(clip, node)
                    || own.transform(node).is_some()
                    || own.visibility(node).is_some()
                    || here.transform() != Affine::IDENTITY;
                let inside = if has_tag {
                    self.jobs.push(Job::Close);
                    self.open(node, space, true)
                } else {
                    Rc::clone(space)
                };
                if is_isolated(clip, node) {
                    self.context(&group.children, &inside);
                } else {
                    self.jobs.extend(
                        group.children.iter().rev().map(|child| Job::Node(*child, Rc::clone(&inside))),
                    );
                }
            }
        }
    }

    /// The start tag of a group with its curves, and the space inside.
    fn open(&mut self, node: NodeId, space: &Rc<Space>, first: bool) -> Rc<Space> {
        let clip = self.solver.clip;
        let drawing = &clip.drawing;
        let Some(group) = clip.node(node).and_then(|node| node.group()) else { return Rc::clone(space) };
        let (track, inside) = self.solver.group(node, space);
        self.out.push_str("<g");
        if first {
            self.names(node);
        }
        let user = self.solver.definition(&inside);
        if let Some(id) = group.clip {
            self.link("clip-path", Definition::Clip(id, Rc::clone(&user)));
        }
        if let Some(id) = group.mask {
            self.link("mask", Definition::Mask(id, Rc::clone(&user)));
        }
        if !group.filters.is_empty() {
            self.out.push_str(" filter=\"");
            for (at, filter) in group.filters.iter().enumerate() {
                self.out.push_str(if at > 0 { " " } else { "" });
                self.url(Definition::Filter(*filter, Rc::clone(&user)));
            }
            self.out.push('"');
        }
        let visibilities: Vec<bone_drawing::Visibility> =
            clip.frames.iter().map(|frame| frame.visibility(drawing, node)).collect();
        let opacity = |visibility: &bone_drawing::Visibility| {
            group.opacity * visibility.fading().unwrap_or(1.0).max(0.0)
        };
        let opacities: Vec<Vec<f64>> = visibilities.iter().map(|v| vec![opacity(v)]).collect();
        let fading = fades(clip, node);
        if opacities[0][0] != 1.0 || fading {
            self.number("opacity", opacities[0][0], 4);
        }
        let digits = self.solver.digits(&space.weights());
        attribute("transform", track.at(0), digits, &mut self.out);
        attributes::compositing(group, &mut self.out);
        if !visibilities[0].visible {
            self.out.push_str(" display=\"none\"");
        }
        self.out.push_str(">\n");
        let Some(timing) = self.timing.clone() else { return inside };
        timing.transform("transform", &track, digits, &mut self.out);
        if fading {
            // A level of opacity in 255 counts as much as half of the tolerance.
            let opacity = self.solver.numbers(&opacities, 127.0 * self.solver.options.tolerance, 3);
            if !opacity.is_still() {
                timing.animate(
                    Animated::Attribute("opacity"),
                    &opacity,
                    &|o, out| number(o[0], 3, out),
                    &mut self.out,
                );
            }
        }
        let mut shown: Vec<(usize, &str)> = Vec::new();
        for (at, visibility) in visibilities.iter().enumerate() {
            let value = if visibility.visible { "inline" } else { "none" };
            if shown.last().is_none_or(|(_, last)| *last != value) {
                shown.push((at, value));
            }
        }
        if shown.len() > 1 {
            timing.switch("display", &shown, &mut self.out);
        }
        inside
    }

    /// The id of the element that a node shows.
    fn names(&mut self, node: NodeId) {
        let drawing = &self.solver.clip.drawing;
        let Some(here) = drawing.node(node) else { return };
        let Some((id, element)) = here.element.and_then(|id| Some((id, drawing.element(id)?))) else {
            return;
        };
        // Nodes of copied definitions occur several times; the id is written once.
        if !std::mem::replace(&mut self.named[id.index()], true) {
            self.text("id", &element.key);
        }
    }

    fn shape(&mut self, node: NodeId, shape: &Shape, space: &Rc<Space>) {
        let Some((outline, verbs)) = self.solver.outline(node, space, true) else { return };
        let digits = self.solver.digits(&space.weights());
        let carried = outline.carrier.keys() > 0;
        self.out.push_str("<path");
        self.names(node);
        let mut contents = String::new();
        match shape.fill {
            Some(fill) => {
                self.paint("fill", fill.paint, node, &outline.carrier, space);
                if fill.opacity != 1.0 {
                    self.number("fill-opacity", fill.opacity, 4);
                }
                if fill.rule == FillRule::EvenOdd {
                    self.out.push_str(" fill-rule=\"evenodd\"");
                }
            }
            None => self.out.push_str(" fill=\"none\""),
        }
        if let Some(stroke) = &shape.stroke {
            self.stroke(node, stroke, &outline.carrier, space, &mut contents);
        }
        self.words(attributes::shape_rendering(shape));
        if shape.stroke_first {
            self.out.push_str(" paint-order=\"stroke\"");
        }
        attribute("transform", outline.carrier.at(0), digits, &mut self.out);
        self.outline_data(&outline.points, &verbs, digits, &mut contents);
        if carried && let Some(timing) = &self.timing {
            timing.transform("transform", &outline.carrier, digits, &mut contents);
        }
        self.close_tag("path", &contents);
    }

    fn close_tag(&mut self, tag: &str, contents: &str) {
        if contents.is_empty() {
            self.out.push_str("/>\n");
        } else {
            let _ = write!(self.out, ">\n{contents}</{tag}>\n");
        }
    }

    /// The attribute `d`, and its curve.
    fn outline_data(
        &mut self,
        points: &crate::vector::track::Track,
        verbs: &[crate::vector::outline::Verb],
        digits: u8,
        contents: &mut String,
    ) {
        self.out.push_str(" d=\"");
        text::path(verbs, &points.at(0), digits, &mut self.out);
        self.out.push('"');
        if let Some(timing) = self.timing.as_ref().filter(|_| !points.is_still()) {
            timing.animate(
                Animated::Attribute("d"),
                points,
                &|numbers, out| text::path(verbs, numbers, digits, out),
                contents,
            );
        }
    }

    fn stroke(
        &mut self,
        node: NodeId,
        stroke: &Stroke,
        carrier: &AffineTrack,
        space: &Rc<Space>,
        contents: &mut String,
    ) {
        let clip = self.solver.clip;
        self.paint("stroke", stroke.paint, node, carrier, space);
        if stroke.opacity != 1.0 {
            self.number("stroke-opacity", stroke.opacity, 4);
        }
        let looks: Vec<StrokeLook> =
            clip.frames.iter().map(|frame| frame.stroke(&clip.drawing, node)).collect();
        let digits = self.solver.digits(&space.weights()).saturating_add(1);
        self.number("stroke-width", looks[0].width, digits);
        self.words(attributes::stroke_shape(stroke));
        if stroke.miter_limit != 4.0 {
            self.number("stroke-miterlimit", stroke.miter_limit, 3);
        }
        let dashes = |look: &StrokeLook| -> Vec<f64> {
            stroke.dashes.iter().map(|dash| dash * look.dash_scale).collect()
        };
        if !stroke.dashes.is_empty() {
            self.out.push_str(" stroke-dasharray=\"");
            text::list(&dashes(&looks[0]), digits, &mut self.out);
            self.out.push('"');
        }
        if stroke.dash_offset != 0.0 {
            self.number("stroke-dashoffset", looks[0].dash_offset, digits);
        }
        let Some(timing) = self.timing.clone().filter(|_| looks.iter().any(|look| *look != looks[0])) else {
            return;
        };
        let pixels = space.weights().into_iter().fold(1e-9, f64::max);
        let mut curve = |name: &str, samples: Vec<Vec<f64>>, contents: &mut String| {
            let track = self.solver.numbers(&samples, pixels, digits);
            if !track.is_still() {
                timing.animate(
                    Animated::Attribute(name),
                    &track,
                    &|n, out| text::list(n, digits, out),
                    contents,
                );
            }
        };
        curve("stroke-width", looks.iter().map(|look| vec![look.width]).collect(), contents);
        if !stroke.dashes.is_empty() {
            curve("stroke-dasharray", looks.iter().map(dashes).collect(), contents);
        }
        if stroke.dash_offset != 0.0 {
            let offsets = looks.iter().map(|look| vec![look.dash_offset]).collect();
            curve("stroke-dashoffset", offsets, contents);
        }
    }

    fn paint(&mut self, name: &str, paint: Paint, shape: NodeId, carrier: &AffineTrack, space: &Rc<Space>) {
        let clip = self.solver.clip;
        let drawing = &clip.drawing;
        let carried = carrier.keys() > 0;
        // Another shape may use a definition without a slot, from another space.
        let own_name = |id: &str, has_slot: bool| {
            if carried && !has_slot { format!("{id}-{}", shape.index()) } else { id.to_owned() }
        };
        match paint {
            Paint::Color(colour) => attributes::colour(name, colour, &mut self.out),
            Paint::Gradient(id) => {
                let Some(gradient) = drawing.gradient(id) else { return };
                let file_name = own_name(&gradient.id, drawing.slots().gradient(id).is_some());
                let transforms: Vec<Affine> =
                    clip.frames.iter().map(|frame| frame.gradient(drawing, id)).collect();
                let track = self.solver.paint(&transforms, carrier, shape, space);
                self.link(name, Definition::Gradient { id, name: file_name, track });
            }
            Paint::Pattern(id) => {
                let Some(pattern) = drawing.pattern(id) else { return };
                let file_name = own_name(&pattern.id, drawing.slots().pattern(id).is_some());
                let transforms: Vec<Affine> =
                    clip.frames.iter().map(|frame| frame.pattern(drawing, id)).collect();
                let track = self.solver.paint(&transforms, carrier, shape, space);
                let space = self.solver.definition(space);
                self.link(name, Definition::Pattern { id, name: file_name, track, space });
            }
        }
    }

    fn image(&mut self, node: NodeId, image: &Image) {
        self.out.push_str("<image");
        self.names(node);
        self.number("width", image.size.width, 3);
        self.number("height", image.size.height, 3);
        self.words([attributes::visibility(image.visible), attributes::image_rendering(image.sampling)]);
        self.out.push_str(" href=\"");
        data_url_of(image.data.format.media_type(), &image.data.bytes, &mut self.out);
        self.out.push_str("\"/>\n");
    }

    fn words(&mut self, words: [&str; 2]) {
        words.into_iter().for_each(|word| self.out.push_str(word));
    }

    fn text(&mut self, name: &str, value: &str) {
        let _ = write!(self.out, " {name}=\"");
        escape_xml(value, &mut self.out);
        self.out.push('"');
    }

    fn number(&mut self, name: &str, value: f64, digits: u8) {
        let _ = write!(self.out, " {name}=\"");
        number(value, digits, &mut self.out);
        self.out.push('"');
    }

    fn rect(&mut self, rect: Rect, digits: u8) {
        self.number("x", rect.x0, digits);
        self.number("y", rect.y0, digits);
        self.number("width", rect.width(), digits);
        self.number("height", rect.height(), digits);
    }

    /// The curves of a region.
    fn moving_rect(&mut self, rects: &[Rect], space: &Rc<Space>, contents: &mut String) {
        let Some(timing) = self.timing.clone().filter(|_| rects.iter().any(|rect| *rect != rects[0])) else {
            return;
        };
        let pixels = space.weights().into_iter().fold(1e-9, f64::max);
        let sides = |rect: &Rect| [rect.x0, rect.y0, rect.width(), rect.height()];
        for (at, name) in ["x", "y", "width", "height"].into_iter().enumerate() {
            let side: Vec<Vec<f64>> = rects.iter().map(|rect| vec![sides(rect)[at]]).collect();
            let track = self.solver.numbers(&side, pixels, 3);
            if !track.is_still() {
                timing.animate(Animated::Attribute(name), &track, &|n, out| number(n[0], 3, out), contents);
            }
        }
    }

    fn link(&mut self, name: &str, to: Definition) {
        let _ = write!(self.out, " {name}=\"");
        self.url(to);
        self.out.push('"');
    }

    /// Writes a link to a definition, and lists it as used.
    fn url(&mut self, to: Definition) {
        let name = to.name(&self.solver.clip.drawing);
        self.out.push_str("url(#");
        escape_xml(&name, &mut self.out);
        self.out.push(')');
        if self.names.insert(name) {
            self.used.push(to);
        }
    }

    fn definitions(&mut self) {
        let mut next = 0;
        while let Some(definition) = self.used.get(next).cloned() {
            self.out.push_str(if next == 0 { "<defs>\n" } else { "" });
            next += 1;
            match definition {
                Definition::Gradient { id, name, track } => self.gradient(id, &name, &track),
                Definition::Pattern { id, name, track, space } => self.pattern(id, &name, &track, &space),
                Definition::Clip(id, space) => self.clip(id, &space),
                Definition::Mask(id, space) => self.mask(id, &space),
                Definition::Filter(id, space) => self.filter(id, &space),
            }
        }
        self.out.push_str(if next > 0 { "</defs>\n" } else { "" });
    }

    fn gradient(&mut self, id: GradientId, name: &str, track: &AffineTrack) {
        let drawing = &self.solver.clip.drawing;
        let Some(gradient) = drawing.gradient(id) else { return };
        let (tag, mut numbers) = attributes::gradient_geometry(&gradient.kind);
        // By default the focus is the centre.
        if matches!(gradient.kind, GradientKind::Radial { center, focus, .. } if center == focus) {
            numbers.retain(|(name, _)| !["fx", "fy"].contains(name));
        }
        let (stops, spread) = (gradient.stops.clone(), gradient.spread);
        let _ = write!(self.out, "<{tag}");
        self.text("id", name);
        for (name, n) in numbers {
            self.number(name, n, 4);
        }
        self.out.push_str(" gradientUnits=\"userSpaceOnUse\"");
        attribute("gradientTransform", track.at(0), 3, &mut self.out);
        self.out.push_str(attributes::spread_method(spread));
        self.out.push_str(">\n");
        if let Some(timing) = &self.timing {
            timing.transform("gradientTransform", track, 3, &mut self.out);
        }
        for stop in stops.iter() {
            self.out.push_str("<stop");
            self.number("offset", stop.offset, 5);
            attributes::colour("stop-color", stop.color, &mut self.out);
            if stop.opacity != 1.0 {
                self.number("stop-opacity", stop.opacity, 4);
            }
            self.out.push_str("/>\n");
        }
        let _ = writeln!(self.out, "</{tag}>");
    }

    fn pattern(&mut self, id: PatternId, name: &str, track: &AffineTrack, space: &Rc<Space>) {
        let clip = self.solver.clip;
        let Some(pattern) = clip.drawing.pattern(id) else { return };
        self.out.push_str("<pattern");
        self.text("id", name);
        self.rect(pattern.rect, 5);
        self.out.push_str(" patternUnits=\"userSpaceOnUse\"");
        attribute("patternTransform", track.at(0), 3, &mut self.out);
        self.out.push_str(">\n");
        if let Some(timing) = &self.timing {
            timing.transform("patternTransform", track, 3, &mut self.out);
        }
        self.context(&pattern.children, space);
        self.run();
        self.out.push_str("</pattern>\n");
    }

    fn mask(&mut self, id: MaskId, space: &Rc<Space>) {
        let clip = self.solver.clip;
        let Some(mask) = clip.drawing.mask(id) else { return };
        let rects: Vec<Rect> = clip.frames.iter().map(|frame| frame.mask(&clip.drawing, id)).collect();
        self.out.push_str("<mask");
        self.text("id", &mask.id);
        if mask.kind == MaskKind::Alpha {
            self.out.push_str(" mask-type=\"alpha\"");
        }
        self.out.push_str(" maskUnits=\"userSpaceOnUse\"");
        self.rect(rects[0], 3);
        if let Some(linked) = mask.mask {
            self.link("mask", Definition::Mask(linked, Rc::clone(space)));
        }
        self.out.push_str(">\n");
        let mut contents = String::new();
        self.moving_rect(&rects, space, &mut contents);
        self.out.push_str(&contents);
        self.context(&mask.children, space);
        self.run();
        self.out.push_str("</mask>\n");
    }

    /// A clip path may hold shapes alone: each gets the transforms and the clip path of the groups around it. Where
    /// one of these moves, the outline does.
    fn clip(&mut self, id: ClipId, space: &Rc<Space>) {
        let sampled = self.solver.clip;
        let Some(clip) = sampled.drawing.clip(id) else { return };
        self.out.push_str("<clipPath");
        self.text("id", &clip.id);
        attribute("transform", clip.transform, 4, &mut self.out);
        if let Some(linked) = clip.clip {
            self.link("clip-path", Definition::Clip(linked, Rc::clone(space)));
        }
        self.out.push_str(">\n");
        let start = clip.children.iter().rev();
        let still = vec![Affine::IDENTITY; sampled.len()];
        let mut next: Vec<(NodeId, Vec<Affine>, Option<ClipId>)> =
            start.map(|node| (*node, still.clone(), None)).collect();
        while let Some((node, around, clip)) = next.pop() {
            let Some(here) = sampled.node(node) else { continue };
            match &here.kind {
                NodeKind::Group(group) => {
                    let own = sampled.transforms(node);
                    let inside: Vec<Affine> = around.iter().zip(own).map(|(all, own)| *all * own).collect();
                    let clip = group.clip.or(clip);
                    next.extend(group.children.iter().rev().map(|child| (*child, inside.clone(), clip)));
                }
                NodeKind::Shape(shape) => self.clip_shape(node, shape, &around, clip, space),
                NodeKind::Image(_) => {}
            }
        }
        self.out.push_str("</clipPath>\n");
    }

    fn clip_shape(
        &mut self,
        node: NodeId,
        shape: &Shape,
        around: &[Affine],
        clip: Option<ClipId>,
        space: &Rc<Space>,
    ) {
        let (start, moves) = (around[0], around.iter().any(|affine| *affine != around[0]));
        let inside = if moves { space.around_moving(around) } else { space.inside(start) };
        // Its transform is that of the groups around it, so nothing else carries it.
        let carry = start == Affine::IDENTITY;
        let outline = if moves {
            self.solver.moving_outline(node, &inside, carry)
        } else {
            self.solver.outline(node, &inside, carry)
        };
        let Some((outline, verbs)) = outline else { return };
        let digits = self.solver.digits(&inside.weights());
        self.out.push_str("<path");
        self.names(node);
        if shape.fill.is_some_and(|fill| fill.rule == FillRule::EvenOdd) {
            self.out.push_str(" clip-rule=\"evenodd\"");
        }
        self.words(attributes::shape_rendering(shape));
        if let Some(clip) = clip {
            self.link("clip-path", Definition::Clip(clip, Rc::clone(space)));
        }
        attribute("transform", start * outline.carrier.at(0), digits.max(3), &mut self.out);
        let mut contents = String::new();
        self.outline_data(&outline.points, &verbs, digits, &mut contents);
        if let Some(timing) = self.timing.as_ref().filter(|_| outline.carrier.keys() > 0) {
            timing.transform("transform", &outline.carrier, digits, &mut contents);
        }
        self.close_tag("path", &contents);
    }

    fn filter(&mut self, id: FilterId, space: &Rc<Space>) {
        let clip = self.solver.clip;
        let Some(filter) = clip.drawing.filter(id) else { return };
        let mut images: Vec<Option<String>> = Vec::new();
        for step in &filter.steps {
            // What an `feImage` shows is written before the filter.
            let Some(node) = step.image else {
                images.push(None);
                continue;
            };
            let name = self.unique(&format!("{}-image", filter.id));
            let _ = writeln!(self.out, "<g id=\"{name}\">");
            self.jobs.push(Job::Node(node, Rc::clone(space)));
            self.run();
            self.out.push_str("</g>\n");
            images.push(Some(name));
        }
        let rects: Vec<Rect> = clip.frames.iter().map(|frame| frame.filter(&clip.drawing, id)).collect();
        self.out.push_str("<filter");
        self.text("id", &filter.id);
        self.out.push_str(" filterUnits=\"userSpaceOnUse\"");
        self.rect(rects[0], 3);
        self.out.push_str(">\n");
        let mut contents = String::new();
        self.moving_rect(&rects, space, &mut contents);
        self.out.push_str(&contents);
        for (at, (step, image)) in filter.steps.iter().zip(images).enumerate() {
            let _ = write!(self.out, "<{}", step.tag);
            let regions: Vec<Option<Rect>> =
                clip.frames.iter().map(|frame| frame.step(&clip.drawing, id, at)).collect();
            let regions: Vec<Rect> = regions.into_iter().flatten().collect();
            if let Some(region) = regions.first() {
                self.rect(*region, 3);
            }
            for (name, value) in &step.attributes {
                self.text(name, value);
            }
            if let Some(name) = image {
                self.out.push_str(" href=\"#");
                escape_xml(&name, &mut self.out);
                self.out.push('"');
            }
            let mut contents = String::new();
            if regions.len() == clip.len() {
                self.moving_rect(&regions, space, &mut contents);
            }
            contents.push_str(&step.content);
            self.close_tag(&step.tag, &contents);
        }
        self.out.push_str("</filter>\n");
    }
}
