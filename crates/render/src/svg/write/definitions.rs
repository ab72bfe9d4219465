//! Definitions as SVG text: gradients, patterns, masks, clip paths and filters.

use std::fmt::Write as _;

use drawing::{
    ClipId, FillRule, FilterId, Gradient, GradientId, GradientKind, MaskId, MaskKind, NodeId, NodeKind,
    Paint, PatternId, Spread,
};

use super::{Definition, Job, Writer, escape};

/// Whether two offsets of stops are one to usvg: no more than four steps of single precision apart.
#[allow(clippy::cast_possible_truncation, reason = "offsets are in single precision")]
fn is_near(a: f64, b: f64) -> bool {
    let (a, b) = (a as f32, b as f32);
    a > 0.0 && a.to_bits().abs_diff(b.to_bits()) <= 4
}

impl Writer<'_> {
    /// All definitions that are used, those that they use themselves among them.
    pub(super) fn definitions(&mut self) {
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
        let numbers: Vec<(&str, f64)> = match kind {
            GradientKind::Linear { start, end } => {
                self.out.push_str("<linearGradient");
                vec![("x1", start.x), ("y1", start.y), ("x2", end.x), ("y2", end.y)]
            }
            GradientKind::Radial { center, radius, focus, focus_radius } => {
                self.out.push_str("<radialGradient");
                let numbers = [("cx", center.x), ("cy", center.y), ("r", *radius)];
                let focal = [("fx", focus.x), ("fy", focus.y), ("fr", *focus_radius)];
                let focal = focal.into_iter().filter(|(name, n)| *name != "fr" || *n > 0.0);
                numbers.into_iter().chain(focal).collect()
            }
        };
        self.text("id", &gradient.id);
        for (name, n) in numbers {
            self.number(name, n);
        }
        self.out.push_str(" gradientUnits=\"userSpaceOnUse\"");
        self.transform("gradientTransform", self.frame.gradient(self.drawing, id));
        match spread {
            Spread::Pad => {}
            Spread::Reflect => self.out.push_str(" spreadMethod=\"reflect\""),
            Spread::Repeat => self.out.push_str(" spreadMethod=\"repeat\""),
        }
        self.out.push_str(">\n");
        for (at, stop) in stops.iter().enumerate() {
            self.out.push_str("<stop");
            // usvg moves the first of two stops in one place a little; read again, it would be moved once more.
            let next = stops.get(at + 1).map(|next| next.offset);
            let offset = next.filter(|next| is_near(stop.offset, *next)).unwrap_or(stop.offset);
            self.number("offset", offset);
            self.paint("stop-color", Paint::Color(stop.color));
            if stop.opacity != 1.0 {
                self.number("stop-opacity", stop.opacity);
            }
            self.out.push_str("/>\n");
        }
        self.out.push_str(match kind {
            GradientKind::Linear { .. } => "</linearGradient>\n",
            GradientKind::Radial { .. } => "</radialGradient>\n",
        });
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
                    self.look(shape);
                    if let Some(clip) = clip {
                        self.link("clip-path", Definition::Clip(clip));
                    }
                    self.transform("transform", crate::svg::build::widen(around));
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
        // What a step shows stands before the filter.
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

    /// An id for a file that a step of a filter shows, which no element has.
    fn id_of_file(&self, filter: &str, step: usize) -> String {
        let mut id = format!("{filter}-file{step}");
        while self.drawing.elements().iter().any(|element| *element.key == *id) {
            id.push('_');
        }
        id
    }
}
