//! The values of a document over time: those of frame 0 in the attributes, curves as elements inside.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;

use bone_drawing::{
    ColorMap, FilterId, FilterProperty, Frame, Gradient, GradientId, GradientKind, Group, NodeId, Paint,
    PaintLook, Shape, ShapeLook, StepValues, Stop, Trim, Visibility,
};
use bone_render::{
    SvgDefinition, SvgGradient, SvgGroup, SvgItem, SvgLook, SvgOutline, SvgRegion, SvgTint, SvgValues,
    color_matrix, escape_xml, is_id_taken,
};
use kurbo::{Affine, Rect, Shape as _};

use super::smil::{Animated, Timing};
use super::solver::{Space, SvgSolver};
use crate::vector::affine::{AffineTrack, stretch};
use crate::vector::order::{DrawPlacement, arrange, fades, is_isolated};
use crate::vector::outline::{OutlineTrack, PathVerb};
use crate::vector::text;

/// Where a definition is used, and the matrix of a gradient or pattern there.
#[derive(Clone)]
pub(super) struct Use {
    space: Rc<Space>,
    track: AffineTrack,
}

/// The values of a clip.
pub(super) struct ClipValues<'a> {
    pub(super) solver: SvgSolver<'a>,
    /// None: the clip has one frame.
    timing: Option<Timing>,
    /// Ids that are not those of the drawing.
    names: BTreeSet<String>,
    /// The ids of nodes that are written in several places.
    placed: BTreeMap<NodeId, String>,
}

impl<'a> ClipValues<'a> {
    pub(super) fn new(solver: SvgSolver<'a>) -> Self {
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
        Self { solver, timing, names: BTreeSet::new(), placed: BTreeMap::new() }
    }

    /// An id that nothing else in the file has.
    fn unique(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while self.names.contains(&name) || is_id_taken(&self.solver.clip.drawing, &name) {
            name.push('_');
        }
        self.names.insert(name.clone());
        name
    }

    /// A node in one of its places: later ones show what the first one has.
    fn item(&mut self, DrawPlacement { node, shown }: DrawPlacement) -> SvgItem {
        let Some(ranges) = shown else {
            return SvgItem { node, before: String::new(), is_copy: false, after: "" };
        };
        let mut values: Vec<(usize, &str)> = Vec::new();
        if ranges[0].0 > 0 {
            values.push((0, "none"));
        }
        for (start, end) in ranges {
            values.push((start, "inline"));
            if end < self.solver.clip.len() {
                values.push((end, "none"));
            }
        }
        let hidden = if values[0].1 == "none" { " display=\"none\"" } else { "" };
        let mut before = format!("<g{hidden}>\n");
        if let Some(timing) = &self.timing {
            timing.switch("display", &values, &mut before);
        }
        let known = self.placed.get(&node).cloned();
        let is_copy = known.is_some();
        let name = known.unwrap_or_else(|| self.unique(&format!("part-{}", node.index())));
        if is_copy {
            before.push_str("<use href=\"#");
            escape_xml(&name, &mut before);
            before.push_str("\"/>\n");
        } else {
            let _ = writeln!(before, "<g id=\"{name}\">");
            self.placed.insert(node, name);
        }
        SvgItem { node, before, is_copy, after: if is_copy { "</g>\n" } else { "</g>\n</g>\n" } }
    }

    /// The values of an outline whose place in the first frame is `start`.
    fn written(
        &self,
        (outline, verbs): (OutlineTrack, Vec<PathVerb>),
        start: Affine,
        (digits, matrix_digits): (u8, u8),
    ) -> SvgOutline<AffineTrack> {
        let OutlineTrack { carrier, points } = outline;
        let write = |numbers: &[f64], out: &mut String| text::path(&verbs, numbers, digits, out);
        let (mut data, mut curves) = (String::new(), String::new());
        write(&points.at(0), &mut data);
        if let Some(timing) = &self.timing {
            if !points.is_still() {
                timing.animate(Animated::Attribute("d"), &points, &write, &mut curves);
            }
            if carrier.keys() > 0 {
                timing.transform("transform", &carrier, digits, &mut curves);
            }
        }
        SvgOutline { transform: (start * carrier.at(0), matrix_digits), carrier, data, curves }
    }

    /// Curves of a number for which one unit is so many pixels, if it changes.
    fn curve(&mut self, name: &str, samples: &[Vec<f64>], pixels: f64, digits: u8, curves: &mut String) {
        let track = self.solver.numbers(samples, pixels, digits);
        if let Some(timing) = self.timing.as_ref().filter(|_| !track.is_still()) {
            let write = |n: &[f64], out: &mut String| text::list(n, digits, out);
            timing.animate(Animated::Attribute(name), &track, &write, curves);
        }
    }

    /// The dashes that show the part of a stroke, in shares of the length of its path.
    fn dashes_of_part(&mut self, node: NodeId, weights: &[f64], curves: &mut String) -> Option<[f64; 3]> {
        const DIGITS: u8 = 5;
        let whole = self.solver.dashed(node)?;
        let trims = self.solver.clip.trims(node)?;
        // Dashes that repeat after one length go on at the start of the path.
        let wraps = trims.iter().any(|trim| trim.wraps());
        let dash = |trim: &Trim| {
            let offset = if wraps { -trim.start - trim.offset } else { -trim.from() };
            [trim.length(), if wraps { 1.0 - trim.length() } else { 2.0 }, offset]
        };
        let dashes: Vec<[f64; 3]> = trims.iter().map(dash).collect();
        let pixels = whole.perimeter(1e-3) * weights.iter().copied().fold(1e-9, f64::max);
        let arrays: Vec<Vec<f64>> = dashes.iter().map(|dash| dash[..2].to_vec()).collect();
        let offsets: Vec<Vec<f64>> = dashes.iter().map(|dash| dash[2..].to_vec()).collect();
        self.curve("stroke-dasharray", &arrays, pixels, DIGITS, curves);
        self.curve("stroke-dashoffset", &offsets, pixels, DIGITS, curves);
        let is_cut = trims.iter().any(|trim| !trim.is_whole() || wraps);
        dashes.first().copied().filter(|_| is_cut)
    }

    /// Writes the curve of a colour, to half a level.
    fn colors(&mut self, name: &str, samples: &[Vec<f64>], curves: &mut String) {
        let track = self.solver.numbers(samples, self.solver.options.tolerance, 0);
        if let Some(timing) = self.timing.as_ref().filter(|_| !track.is_still()) {
            let write = |n: &[f64], out: &mut String| {
                let [red, green, blue] = PaintLook { color: [n[0], n[1], n[2]], opacity: 1.0 }.rgb();
                let _ = write!(out, "#{red:02x}{green:02x}{blue:02x}");
            };
            timing.animate(Animated::Attribute(name), &track, &write, curves);
        }
    }
}

impl SvgValues for ClipValues<'_> {
    type Space = Rc<Space>;
    type Carrier = AffineTrack;
    type Use = Use;
    type Around = Vec<Affine>;

    const IS_EXACT: bool = false;

    fn number(&self, n: f64, digits: u8, out: &mut String) {
        text::number(n, digits, out);
    }

    fn matrix(&self, affine: Affine, digits: u8, out: &mut String) {
        text::matrix(affine, digits, out);
    }

    fn is_seen(&self, node: NodeId) -> bool {
        self.solver.clip.is_ever_seen(node)
    }

    fn is_isolated(&self, node: NodeId, _: &Group) -> bool {
        is_isolated(self.solver.clip, node)
    }

    fn has_tag(&self, node: NodeId) -> bool {
        let (clip, slots) = (self.solver.clip, self.solver.clip.drawing.slots());
        slots.transforms.slot(node).is_some()
            || slots.visibilities.slot(node).is_some()
            || clip.node(node).is_some_and(|here| here.transform() != Affine::IDENTITY)
    }

    fn items(&mut self, nodes: &[NodeId]) -> Option<Vec<SvgItem>> {
        let arranged = arrange(self.solver.clip, nodes);
        (!arranged.natural).then(|| arranged.placements.into_iter().map(|it| self.item(it)).collect())
    }

    fn inside(&mut self, node: NodeId, space: &Rc<Space>) -> Rc<Space> {
        // Found again when it is written: the same numbers.
        let keys = self.solver.report.keys;
        let (_, inside) = self.solver.group(node, space);
        self.solver.report.keys = keys;
        inside
    }

    fn group(&mut self, node: NodeId, group: &Group, space: &Rc<Space>) -> SvgGroup<Self> {
        let clip = self.solver.clip;
        let (track, inside) = self.solver.group(node, space);
        let visibilities: Vec<Visibility> =
            clip.frames.iter().map(|frame| frame.visibility(&clip.drawing, node)).collect();
        let opacity =
            |visibility: &Visibility| vec![group.opacity * visibility.fading().unwrap_or(1.0).max(0.0)];
        let opacities: Vec<Vec<f64>> = visibilities.iter().map(opacity).collect();
        let fading = fades(clip, node);
        let digits = self.solver.digits(&space.weights());
        let mut curves = String::new();
        if let Some(timing) = &self.timing {
            timing.transform("transform", &track, digits, &mut curves);
        }
        if fading && self.timing.is_some() {
            // A level of opacity in 255 counts as much as half of the tolerance.
            self.curve("opacity", &opacities, 127.0 * self.solver.options.tolerance, 3, &mut curves);
        }
        let mut shown: Vec<(usize, &str)> = Vec::new();
        for (at, visibility) in visibilities.iter().enumerate() {
            let value = if visibility.visible { "inline" } else { "none" };
            if shown.last().is_none_or(|(_, last)| *last != value) {
                shown.push((at, value));
            }
        }
        if let Some(timing) = self.timing.as_ref().filter(|_| shown.len() > 1) {
            timing.switch("display", &shown, &mut curves);
        }
        SvgGroup {
            transform: (track.at(0), digits),
            opacity: Some(opacities[0][0]).filter(|opacity| *opacity != 1.0 || fading),
            is_hidden: !visibilities[0].visible,
            curves,
            used: Use { space: self.solver.definition(&inside), track: AffineTrack::Still(Affine::IDENTITY) },
            inside,
        }
    }

    fn outline(&mut self, node: NodeId, space: &Rc<Space>) -> Option<SvgOutline<AffineTrack>> {
        let outline = self.solver.outline(node, space, true)?;
        let weights = space.weights();
        let digits = (self.solver.outline_digits(node, &weights), self.solver.digits(&weights));
        Some(self.written(outline, Affine::IDENTITY, digits))
    }

    fn look(&mut self, node: NodeId, shape: &Shape, space: &Rc<Space>) -> SvgLook {
        let looks = self.solver.clip.looks(node, shape);
        let weights = space.weights();
        let digits = self.solver.digits(&weights).saturating_add(1);
        let mut curves = String::new();
        if self.timing.is_some() && looks.iter().any(|look| *look != looks[0]) {
            let samples =
                |of: &dyn Fn(&ShapeLook) -> Vec<f64>| -> Vec<Vec<f64>> { looks.iter().map(of).collect() };
            for (name, paint, of) in [
                (
                    "fill",
                    shape.fill.map(|fill| fill.paint),
                    (|look| look.fill) as fn(&ShapeLook) -> PaintLook,
                ),
                ("stroke", shape.stroke.as_ref().map(|stroke| stroke.paint), |look| look.stroke),
            ] {
                if let Some(Paint::Color(_)) = paint {
                    self.colors(name, &samples(&|look| of(look).clamped().to_vec()), &mut curves);
                }
                if paint.is_some() {
                    let opacities = samples(&|look| vec![of(look).opacity]);
                    let name = format!("{name}-opacity");
                    self.curve(&name, &opacities, 127.0 * self.solver.options.tolerance, 3, &mut curves);
                }
            }
            if let Some(stroke) = &shape.stroke {
                let pixels = weights.iter().copied().fold(1e-9, f64::max);
                let widths = samples(&|look| vec![look.lengths.width]);
                self.curve("stroke-width", &widths, pixels, digits, &mut curves);
                if !stroke.dashes.is_empty() {
                    let dashes = |look: &ShapeLook| {
                        stroke.dashes.iter().map(|dash| dash * look.lengths.dash_scale).collect()
                    };
                    self.curve("stroke-dasharray", &samples(&dashes), pixels, digits, &mut curves);
                }
                if looks.iter().any(|look| look.lengths.dash_offset != 0.0) {
                    let offsets = samples(&|look| vec![look.lengths.dash_offset]);
                    self.curve("stroke-dashoffset", &offsets, pixels, digits, &mut curves);
                }
            }
        }
        let dash = self.dashes_of_part(node, &weights, &mut curves);
        SvgLook { look: looks[0], digits, dash, curves }
    }

    fn tint(&mut self, image: NodeId) -> Option<SvgTint> {
        let maps = self.solver.clip.tints(image)?;
        // In levels, as colours are.
        let levels = |map: &ColorMap| map.multiply.iter().map(|n| 255.0 * n).chain(map.add).collect();
        let samples: Vec<Vec<f64>> = maps.iter().map(levels).collect();
        let track = self.solver.numbers(&samples, self.solver.options.tolerance, 1);
        let mut curves = String::new();
        if let Some(timing) = self.timing.as_ref().filter(|_| !track.is_still()) {
            let write = |n: &[f64], out: &mut String| {
                let [multiply, add] =
                    [0, 3].map(|first| std::array::from_fn(|at| n.get(first + at).copied().unwrap_or(0.0)));
                let map = ColorMap { multiply: multiply.map(|n: f64| n / 255.0), add };
                out.push_str(&color_matrix(&map, |n, out| text::number(n, 4, out)));
            };
            timing.animate(Animated::Attribute("values"), &track, &write, &mut curves);
        }
        let name = self.unique(&format!("tint-{}", image.index()));
        Some(SvgTint { name, map: maps[0], curves })
    }

    fn gradient(&mut self, id: GradientId, used: &Use) -> Option<SvgGradient> {
        let clip = self.solver.clip;
        let Some(looks) = clip.gradient_looks(id) else {
            let gradient = clip.frames[0].stops(&clip.drawing, id)?.clone();
            return Some(SvgGradient { gradient, curves: String::new(), stops: Vec::new() });
        };
        let tolerance = self.solver.options.tolerance;
        let stop = |at: usize| {
            let mut curves = String::new();
            let colors: Vec<Vec<f64>> = looks.iter().map(|look| look.colors[at].to_vec()).collect();
            self.colors("stop-color", &colors, &mut curves);
            let numbers = |of: fn(&Stop) -> f64| -> Vec<Vec<f64>> {
                looks.iter().map(|look| vec![of(&look.gradient.stops[at])]).collect()
            };
            self.curve("stop-opacity", &numbers(|stop| stop.opacity), 127.0 * tolerance, 3, &mut curves);
            self.curve("offset", &numbers(|stop| stop.offset), 127.0 * tolerance, 4, &mut curves);
            curves
        };
        let stops = (0..looks[0].colors.len()).map(stop).collect();
        // A unit of the gradient in pixels.
        let pixels = used.space.weights().into_iter().fold(1e-9, f64::max) * stretch(used.track.at(0));
        let mut curves = String::new();
        let names: &[&str] = match looks[0].gradient.kind {
            GradientKind::Linear { .. } => &["x1", "y1", "x2", "y2"],
            GradientKind::Radial { .. } if looks.iter().all(|look| is_centred(&look.gradient)) => {
                &["cx", "cy", "r"]
            }
            GradientKind::Radial { .. } => &["cx", "cy", "r", "fx", "fy"],
        };
        for (at, name) in names.iter().enumerate() {
            let ends: Vec<Vec<f64>> = looks.iter().map(|look| vec![look.gradient.values()[at]]).collect();
            self.curve(name, &ends, pixels, 4, &mut curves);
        }
        Some(SvgGradient { gradient: looks[0].gradient.clone(), curves, stops })
    }

    fn paint(
        &mut self,
        (paint, id): (SvgDefinition, &str),
        shape: NodeId,
        carrier: &AffineTrack,
        space: &Rc<Space>,
    ) -> (String, Use) {
        let clip = self.solver.clip;
        let (drawing, slots) = (&clip.drawing, clip.drawing.slots());
        let (transforms, has_slot): (Vec<Affine>, bool) = match paint {
            SvgDefinition::Gradient(id) => (
                clip.frames.iter().map(|frame| frame.gradient(drawing, id)).collect(),
                slots.gradients.slot(id).is_some(),
            ),
            SvgDefinition::Pattern(id) => (
                clip.frames.iter().map(|frame| frame.pattern(drawing, id)).collect(),
                slots.patterns.slot(id).is_some(),
            ),
            _ => (vec![Affine::IDENTITY; clip.len()], true),
        };
        let track = self.solver.paint(&transforms, carrier, shape, space);
        // Another shape may use a definition without a slot, from another space.
        let is_own = carrier.keys() > 0 && !has_slot;
        let name = if is_own { format!("{id}-{}", shape.index()) } else { id.to_owned() };
        self.names.insert(name.clone());
        (name, Use { space: self.solver.definition(space), track })
    }

    fn paint_transform(&self, _: SvgDefinition, attribute: &str, used: &Use, curves: &mut String) -> Affine {
        if let Some(timing) = &self.timing {
            timing.transform(attribute, &used.track, 3, curves);
        }
        used.track.at(0)
    }

    fn space(used: &Use) -> Rc<Space> {
        Rc::clone(&used.space)
    }

    fn region(&mut self, region: SvgRegion, used: &Use, curves: &mut String) -> Option<Rect> {
        let clip = self.solver.clip;
        let drawing = &clip.drawing;
        let rects: Vec<Rect> = match region {
            SvgRegion::Mask(id) => clip.frames.iter().map(|frame| frame.mask(drawing, id)).collect(),
            SvgRegion::Filter(id) => clip.frames.iter().map(|frame| frame.filter(drawing, id)).collect(),
            SvgRegion::Step(id, at) => {
                clip.frames.iter().filter_map(|frame| frame.step(drawing, id, at)).collect()
            }
        };
        let first = *rects.first()?;
        if self.timing.is_some() && rects.len() == clip.len() && rects.iter().any(|rect| *rect != first) {
            let pixels = used.space.weights().into_iter().fold(1e-9, f64::max);
            let sides = |rect: &Rect| [rect.x0, rect.y0, rect.width(), rect.height()];
            for (at, name) in ["x", "y", "width", "height"].into_iter().enumerate() {
                let side: Vec<Vec<f64>> = rects.iter().map(|rect| vec![sides(rect)[at]]).collect();
                self.curve(name, &side, pixels, 3, curves);
            }
        }
        Some(first)
    }

    fn step(&mut self, filter: FilterId, step: usize, used: &Use, curves: &mut String) -> Option<StepValues> {
        let clip = self.solver.clip;
        let values = |frame: &Frame| frame.step_values(&clip.drawing, filter, step).copied();
        let all: Vec<StepValues> = clip.frames.iter().filter_map(values).collect();
        let first = *all.first()?;
        let of = clip.drawing.filter(filter)?.steps.get(step)?;
        let has = |property: FilterProperty| property.is_of(of);
        let numbers = |at: usize, count: usize| -> Vec<Vec<f64>> {
            all.iter().map(|values| values[at..at + count].to_vec()).collect()
        };
        let tolerance = self.solver.options.tolerance;
        let pixels = used.space.weights().into_iter().fold(1e-9, f64::max);
        if has(FilterProperty::Blur) {
            self.curve("stdDeviation", &numbers(FilterProperty::Blur.place(), 2), pixels, 4, curves);
        }
        if has(FilterProperty::Offset) {
            let place = FilterProperty::Offset.place();
            self.curve("dx", &numbers(place, 1), pixels, 4, curves);
            self.curve("dy", &numbers(place + 1, 1), pixels, 4, curves);
        }
        if has(FilterProperty::Flood) {
            self.colors("flood-color", &numbers(FilterProperty::Flood.place(), 3), curves);
            let opacities = numbers(FilterProperty::FloodOpacity.place(), 1);
            self.curve("flood-opacity", &opacities, 127.0 * tolerance, 4, curves);
        }
        for (property, levels) in [(FilterProperty::Saturate, 127.0), (FilterProperty::HueRotate, 2.0)] {
            if has(property) {
                self.curve("values", &numbers(property.place(), 1), levels * tolerance, 4, curves);
            }
        }
        Some(first)
    }

    fn around(&self, outside: Option<(&Vec<Affine>, NodeId)>) -> Vec<Affine> {
        let clip = self.solver.clip;
        match outside {
            Some((all, node)) => all.iter().zip(clip.transforms(node)).map(|(all, own)| *all * own).collect(),
            None => vec![Affine::IDENTITY; clip.len()],
        }
    }

    /// Where a group around it moves, the outline does.
    fn clip_outline(
        &mut self,
        node: NodeId,
        around: &Vec<Affine>,
        Use { space, .. }: &Use,
    ) -> Option<SvgOutline<AffineTrack>> {
        let (start, moves) = (around[0], around.iter().any(|affine| *affine != around[0]));
        let inside = if moves { space.around_moving(around) } else { space.inside(start) };
        // Its transform is that of the groups around it, so nothing else carries it.
        let carry = start == Affine::IDENTITY;
        let outline = match moves {
            true => self.solver.moving_outline(node, &inside, carry),
            false => self.solver.outline(node, &inside, carry),
        };
        let digits = self.solver.digits(&inside.weights());
        Some(self.written(outline?, start, (digits, digits.max(3))))
    }

    fn filter_image(&mut self, filter: &str, _: usize, _: NodeId) -> (String, bool) {
        (self.unique(&format!("{filter}-image")), true)
    }
}

/// Whether the focus of a radial gradient is its centre, as it is by default.
fn is_centred(gradient: &Gradient) -> bool {
    matches!(gradient.kind, GradientKind::Radial { center, focus, .. } if center == focus)
}
