//! Shapes with their paint. A gradient that is round in its own space and an ellipse on the canvas gets a group
//! whose transform makes it round.

use bone_drawing::{
    Fill, FillRule, Gradient, GradientKind, GradientLook, LineCap, LineJoin, NodeId, Paint, PaintLook, Shape,
    ShapeLook, Smoothness, Stroke, StrokeLook, Trim,
};
use kurbo::{Affine, Point, Rect, Vec2};

use super::json::{LottieJson, object};
use super::stops::{Circle, FlatStop, divided, extent, flat_stops, reach, stop_numbers, turns, unrolled};
use super::{CarrierLayer, LottieWriter, SampleRanges, inside_of, keys, plain_group};
use crate::vector::affine::{AffineTrack, MatrixForm, corners, stretch, stretches};
use crate::vector::outline::{self, PathVerb};
use crate::vector::thin::SampledOutlines;
use crate::vector::track::{Fit, KeyTrack};

/// The fields of an object.
type JsonFields = Vec<(&'static str, LottieJson)>;

/// The outline of a shape in its layer, and where its paint is.
struct Painted<'t> {
    node: NodeId,
    verbs: &'t [PathVerb],
    /// In the space of the layer.
    points: &'t KeyTrack,
    /// The same at each sample, as it should be; one if it does not change.
    truth: &'t [Vec<f64>],
    /// From the space of the shape to that of the layer, at each sample; one if it does not change.
    maps: &'t [Affine],
    /// Pixels for a unit of the layer.
    scale: f64,
    /// Digits after the point of its points.
    digits: u8,
    /// The part of the outline that is stroked at each sample; none if the outline is that part.
    trims: Option<Vec<Trim>>,
}

impl LottieWriter<'_> {
    /// A shape that does not change, mapped into its layer. The front part first.
    pub(super) fn still_shape(&mut self, node: NodeId, map: Affine, scale: f64) -> Vec<LottieJson> {
        let clip = self.clip;
        let Some(shape) = clip.node(node).and_then(|node| node.shape()).filter(|shape| shape.is_visible())
        else {
            return Vec::new();
        };
        let path = outline::with_cubics(&shape.outline);
        let verbs = outline::verbs(&path);
        // A stroke that is scaled unevenly keeps its space, in a group with the matrix.
        let uneven = shape.stroke.is_some() && !is_even(map);
        let (inner, outer) = if uneven { (Affine::IDENTITY, Some(map)) } else { (map, None) };
        let scale = scale * outer.map_or(1.0, stretch);
        let truth = vec![outline::numbers(&path, inner)];
        let parts = 10.0_f64.powi(i32::from(self.options.digits(scale)));
        let rounded = truth[0].iter().map(|n| (n * parts).round() / parts).collect();
        let points = KeyTrack::still(rounded);
        let (maps, trims, digits) = (&[inner], None, self.options.digits(scale));
        let painted =
            Painted { node, verbs: &verbs, points: &points, truth: &truth, maps, scale, digits, trims };
        let mut shapes = self.painted(shape, &painted);
        if let Some(outer) = outer {
            shapes = vec![self.wrapped(shapes, &AffineTrack::Still(outer))];
        }
        shapes
    }

    /// A layer of a shape whose outline, paint or stroke changes by itself. Apart from what walks down nested groups,
    /// which has one of its stack frames for each of them.
    #[inline(never)]
    pub(super) fn bent_shape(
        &mut self,
        node: NodeId,
        here: &[Affine],
        ranges: &SampleRanges,
        carriers: &mut Vec<CarrierLayer>,
    ) -> Option<LottieJson> {
        let clip = self.clip;
        let shape = clip.node(node)?.shape()?;
        let outlines = self.samples(node, here)?;
        let (SampledOutlines { verbs, samples, digits, .. }, track, parent) =
            self.carried(outlines, carriers);
        let found = inside_of(parent, &track.carrier, here.len());
        let maps: Vec<Affine> =
            found.iter().zip(here).map(|(found, truth)| found.inverse() * *truth).collect();
        let truth: Vec<Vec<f64>> =
            samples.iter().zip(&found).map(|(sample, found)| mapped(sample, found.inverse())).collect();
        let is_whole = clip.whole_outline(node).is_some() && is_even_always(here);
        let trims = clip.trims(node).filter(|_| is_whole);
        let (points, scale) = (&track.points, 1.0);
        let painted =
            Painted { node, verbs: &verbs, points, truth: &truth, maps: &maps, scale, digits, trims };
        let shapes = self.painted(shape, &painted);
        let span = (ranges[0].0, ranges[ranges.len() - 1].1);
        let labels = (self.plain_name(node), span, ranges);
        let parent = parent.map(|parent| parent.layer);
        let (layer, alone) = self.carrier_layer(&track.carrier, parent, labels, shapes);
        if alone && matches!(track.carrier, AffineTrack::Moving(_)) {
            carriers.extend(CarrierLayer::new(self.layers, found));
        }
        Some(layer)
    }

    /// A group with a matrix around shapes.
    fn wrapped(&mut self, mut shapes: Vec<LottieJson>, track: &AffineTrack) -> LottieJson {
        let (outer, inner) = keys::transform(track, self.digits().max(3));
        if let Some(inner) = inner {
            shapes.push(inner);
            shapes = vec![object! { "ty": "gr", "it": shapes }];
        }
        let mut end = vec![("ty", LottieJson::from("tr"))];
        end.extend(outer);
        end.push(keys::opaque());
        shapes.push(LottieJson::Object(end));
        object! { "ty": "gr", "it": shapes }
    }

    /// The groups of a shape, the front one first.
    fn painted(&mut self, shape: &Shape, painted: &Painted<'_>) -> Vec<LottieJson> {
        let (name, looks) = (self.plain_name(painted.node), self.clip.looks(painted.node, shape));
        if shape.anti_alias != Smoothness::Smooth {
            let name = self.clip.name_of(painted.node);
            self.report.lose(name, "its hard edges are drawn smooth");
        }
        let mut together: Vec<LottieJson> = Vec::new();
        let mut made: Vec<LottieJson> = Vec::new();
        let order: [bool; 2] = if shape.stroke_first { [true, false] } else { [false, true] };
        // Back to front; paint that can share the outline is collected.
        for is_fill in order.map(|stroke_first| !stroke_first) {
            let part = if is_fill {
                shape.fill.and_then(|fill| self.fill(&fill, &looks, painted))
            } else {
                shape.stroke.as_ref().and_then(|stroke| self.stroke(stroke, &looks, painted))
            };
            match part {
                None => {}
                Some(ShapeItem::Style(style)) => together.insert(0, style),
                Some(ShapeItem::Group(group)) => {
                    if !together.is_empty() {
                        let styles = std::mem::take(&mut together);
                        made.insert(0, self.styled(&name, painted, styles));
                    }
                    made.insert(0, group);
                }
            }
        }
        if !together.is_empty() {
            made.insert(0, self.styled(&name, painted, together));
        }
        made
    }

    fn styled(&mut self, name: &str, painted: &Painted<'_>, styles: Vec<LottieJson>) -> LottieJson {
        let mut items = keys::outlines(painted.verbs, painted.points, painted.digits);
        items.extend(self.trim(painted));
        items.extend(styles);
        items.push(plain_group());
        object! { "ty": "gr", "nm": name, "it": items }
    }

    /// The part of an outline that is stroked.
    fn trim(&mut self, painted: &Painted<'_>) -> Option<LottieJson> {
        let trims = painted.trims.as_ref().filter(|trims| trims.iter().any(|trim| !trim.is_whole()))?;
        let points = painted.truth[0].chunks(2).map(|p| Point::new(p[0], p[1])).collect::<Vec<_>>();
        let length: f64 = points.windows(2).map(|pair| (pair[1] - pair[0]).hypot()).sum();
        let tolerance = 0.5 * self.options.tolerance;
        let mut shares = |of: &dyn Fn(&Trim) -> f64, factor: f64| {
            let samples: Vec<Vec<f64>> = trims.iter().map(|trim| vec![of(trim)]).collect();
            // A share below 0 would be one at the end.
            let track = self.numbers_within(&samples, length * painted.scale, (tolerance, true), 5);
            keys::property(&track, &|n| LottieJson::rounded(factor * n[0], 3))
        };
        let (start, end) = (shares(&|trim| trim.start, 100.0), shares(&|trim| trim.end, 100.0));
        let offset = shares(&|trim| trim.offset, 360.0);
        Some(object! { "ty": "tm", "s": start, "e": end, "o": offset, "m": 1 })
    }

    /// The colour and the opacity of a paint over time.
    fn colors(&mut self, looks: impl Iterator<Item = PaintLook>) -> [LottieJson; 2] {
        let (colors, opacities): (Vec<Vec<f64>>, Vec<Vec<f64>>) = looks
            .map(|look| (look.clamped().map(|level| level / 255.0).to_vec(), vec![look.opacity]))
            .unzip();
        // To half a level.
        let colors = self.numbers(&colors, 255.0, 0.5, 4);
        let opacities = self.numbers(&opacities, 255.0, 0.5, 5);
        let color =
            |n: &[f64]| LottieJson::List(n.iter().map(|part| LottieJson::rounded(*part, 4)).collect());
        let opacity = |n: &[f64]| LottieJson::rounded(100.0 * n[0], 3);
        [keys::property(&colors, &color), keys::property(&opacities, &opacity)]
    }

    fn fill(&mut self, fill: &Fill, looks: &[ShapeLook], painted: &Painted<'_>) -> Option<ShapeItem> {
        let rule = if fill.rule == FillRule::EvenOdd { 2 } else { 1 };
        let [color, opacity] = self.colors(looks.iter().map(|look| look.fill));
        match fill.paint {
            Paint::Color(_) => {
                Some(ShapeItem::Style(object! { "ty": "fl", "c": color, "o": opacity, "r": rule }))
            }
            Paint::Gradient(_) => self.gradient(fill.paint, painted, &|_, fields| {
                let mut all =
                    vec![("ty", LottieJson::from("gf")), ("o", opacity.clone()), ("r", rule.into())];
                all.extend(fields);
                all
            }),
            Paint::Pattern(_) => None,
        }
    }

    fn stroke(&mut self, stroke: &Stroke, looks: &[ShapeLook], painted: &Painted<'_>) -> Option<ShapeItem> {
        let clip = self.clip;
        let [color, opacity] = self.colors(looks.iter().map(|look| look.stroke));
        let looks: Vec<StrokeLook> = looks.iter().map(|look| look.lengths).collect();
        let of_map = |at: usize| painted.maps.get(at).unwrap_or(&painted.maps[0]).determinant().abs().sqrt();
        let scaled = |factor: &dyn Fn(&StrokeLook) -> f64| -> Vec<Vec<f64>> {
            looks.iter().enumerate().map(|(at, look)| vec![factor(look) * of_map(at)]).collect()
        };
        if painted.maps.len() > 1 && painted.maps.iter().any(|map| !is_even(*map)) {
            let name = clip.name_of(painted.node);
            self.report.lose(name, "a stroke under an uneven scale has one width, the mean of its widths");
        }
        if stroke.join == LineJoin::MiterClip {
            let name = clip.name_of(painted.node);
            self.report.lose(name, "its corners are not cut at the miter limit, but bevelled");
        }
        let weight = stroke.width.max(stroke.dashes.iter().copied().fold(0.0, f64::max)) * painted.scale;
        let tolerance = 0.5 * self.options.tolerance;
        let track = self.numbers(&scaled(&|look| look.dash_scale), weight, tolerance, 4);
        let is_keyed = looks.iter().any(|look| look.width != stroke.width * look.dash_scale);
        let widths = match is_keyed {
            true => self.numbers(&scaled(&|look| look.width / stroke.width), weight, tolerance, 4),
            false => track.clone(),
        };
        let cap = match stroke.cap {
            LineCap::Butt => 1,
            LineCap::Round => 2,
            LineCap::Square => 3,
        };
        let join = match stroke.join {
            LineJoin::Miter | LineJoin::MiterClip => 1,
            LineJoin::Round => 2,
            LineJoin::Bevel => 3,
        };
        let length = |n: f64| keys::property(&track, &|scale| LottieJson::rounded(n * scale[0], 3));
        let wide = || keys::property(&widths, &|scale| LottieJson::rounded(stroke.width * scale[0], 3));
        let mut dashes: Vec<LottieJson> = Vec::new();
        for (at, dash) in stroke.dashes.iter().enumerate() {
            let kind = if at % 2 == 0 { "d" } else { "g" };
            dashes.push(object! { "n": kind, "nm": format!("{kind}{at}"), "v": length(*dash) });
        }
        if !dashes.is_empty() {
            let offsets = self.numbers(&scaled(&|look| look.dash_offset), painted.scale, tolerance, 4);
            let offset = keys::property(&offsets, &|offset| LottieJson::rounded(offset[0], 3));
            dashes.push(object! { "n": "o", "nm": "offset", "v": offset });
        }
        let rest = |width: LottieJson| {
            let mut fields =
                vec![("w", width), ("lc", LottieJson::from(cap)), ("lj", LottieJson::from(join))];
            if join == 1 {
                fields.push(("ml", LottieJson::rounded(stroke.miter_limit, 3)));
            }
            if !dashes.is_empty() {
                fields.push(("d", dashes.clone().into()));
            }
            fields
        };
        match stroke.paint {
            Paint::Color(_) => {
                let mut fields = vec![("ty", LottieJson::from("st")), ("c", color), ("o", opacity)];
                fields.extend(rest(wide()));
                Some(ShapeItem::Style(LottieJson::Object(fields)))
            }
            Paint::Gradient(_) => {
                if self.refuses(|clip| clip.name_of(painted.node), "its stroke has a gradient") {
                    return None;
                }
                let made = self.gradient(stroke.paint, painted, &|own, fields| {
                    // In a group of its own the stroke is measured there.
                    let width = match own {
                        Some(scale) => {
                            keys::property(&widths, &|n| LottieJson::rounded(stroke.width * n[0] / scale, 4))
                        }
                        None => wide(),
                    };
                    let mut all = vec![("ty", LottieJson::from("gs")), ("o", opacity.clone())];
                    all.extend(fields);
                    all.extend(rest(width));
                    all
                });
                if matches!(made, Some(ShapeItem::Group(_))) {
                    let name = clip.name_of(painted.node);
                    self.report.lose(name, "a stroke with an elliptic gradient has an uneven width");
                }
                made
            }
            Paint::Pattern(_) => None,
        }
    }

    /// A gradient as a style, or as a group with a space of its own. `style` makes the fields of the style.
    fn gradient(
        &mut self,
        paint: Paint,
        painted: &Painted<'_>,
        style: &dyn Fn(Option<f64>, JsonFields) -> JsonFields,
    ) -> Option<ShapeItem> {
        let Paint::Gradient(id) = paint else { return None };
        let clip = self.clip;
        let gradient = clip.drawing.gradient(id)?;
        let looks = clip.gradient_looks(id);
        let drawn: Vec<&Gradient> = match &looks {
            Some(looks) => looks.iter().map(|look| &look.gradient).collect(),
            None => vec![gradient],
        };
        // Its ends at a sample.
        let kind = |at: usize| drawn.get(at).unwrap_or(&drawn[0]).kind;
        let is_keyed = drawn.iter().any(|gradient| gradient.kind != drawn[0].kind);
        let moving = painted.maps.len() > 1 || clip.drawing.slots().gradients.slot(id).is_some() || is_keyed;
        let count = if moving { clip.len() } else { 1 };
        let map = |at: usize| painted.maps.get(at).copied().unwrap_or(painted.maps[0]);
        // From the space of the gradient to that of the layer.
        let spaces: Vec<Affine> =
            (0..count).map(|at| map(at) * clip.frames[at].gradient(&clip.drawing, id)).collect();
        if spaces.iter().any(|space| space.determinant().abs() < 1e-14) {
            return None;
        }
        let truth = |at: usize| painted.truth.get(at).unwrap_or(&painted.truth[0]);
        let reached = spaces.iter().enumerate().map(|(at, space)| mapped(truth(at), space.inverse()));
        let reach = reach(reached);
        let extents = drawn.iter().map(|gradient| extent(gradient, reach));
        let (from, to) =
            extents.fold((0.0_f64, 1.0_f64), |(low, high), (from, to)| (low.min(from), high.max(to)));
        let (count_of_stops, track) = self.stops(&drawn, looks.as_deref(), (from, to));
        let stops = (count_of_stops, &track);
        let at = |along: f64| from + (to - from) * along;
        match gradient.kind {
            GradientKind::Linear { .. } => {
                let ends = |(sample, space): (usize, &Affine)| {
                    let GradientKind::Linear { start, end } = kind(sample) else { return vec![0.0; 4] };
                    let line = |along: f64| start + (end - start) * along;
                    linear_ends(*space, line(from), line(to))
                };
                let ends: Vec<Vec<f64>> = spaces.iter().enumerate().map(ends).collect();
                let [s, e] = [0, 2].map(|at| {
                    let points: Vec<Vec<f64>> = ends.iter().map(|ends| ends[at..at + 2].to_vec()).collect();
                    self.paint_point(&points, painted.scale)
                });
                let fields = gradient_fields(1, &s, &e, stops, self.options.digits(painted.scale));
                Some(ShapeItem::Style(LottieJson::Object(style(None, fields))))
            }
            GradientKind::Radial { .. } => {
                let count_of_circles = if is_keyed { count } else { 1 };
                let circles: Vec<_> =
                    (0..count_of_circles).map(|sample| Circle::of(kind(sample), at(1.0))).collect();
                let extra = self.focus(&circles, painted.node);
                // The centre and a point of the circle at a sample.
                let ends = |sample: usize| {
                    let circle = circles.get(sample).unwrap_or(&circles[0]);
                    [circle.center, circle.center + Vec2::new(circle.radius, 0.0)]
                };
                if spaces.iter().all(|space| is_even(*space)) {
                    let [s, e] = [0, 1].map(|end| {
                        let placed =
                            spaces.iter().enumerate().map(|(sample, space)| *space * ends(sample)[end]);
                        let points: Vec<Vec<f64>> = placed.map(|p| vec![p.x, p.y]).collect();
                        self.paint_point(&points, painted.scale)
                    });
                    let mut fields = gradient_fields(2, &s, &e, stops, self.options.digits(painted.scale));
                    fields.extend(extra);
                    return Some(ShapeItem::Style(LottieJson::Object(style(None, fields))));
                }
                // A space in which it is round, of the size of the layer's.
                let size = stretch(spaces[0]);
                let round: Vec<Affine> =
                    spaces.iter().map(|space| *space * Affine::scale(1.0 / size)).collect();
                let points =
                    corners(Rect::new(reach.x0 * size, reach.y0 * size, reach.x1 * size, reach.y1 * size));
                let track = if round.len() == 1 {
                    AffineTrack::Still(round[0])
                } else {
                    self.round_space(&round, &points, painted.scale)
                };
                let inside: Vec<Vec<f64>> =
                    (0..count).map(|at| mapped(truth(at), track.at(at).inverse())).collect();
                let weights: Vec<f64> = round.iter().map(|space| stretch(*space) * painted.scale).collect();
                let most = weights.iter().copied().fold(1e-9, f64::max);
                let digits = self.options.digits(most);
                let fit = Fit {
                    samples: &inside,
                    group: 2,
                    weights: &weights,
                    tolerance: self.tolerance(),
                    parts: 10.0_f64.powi(i32::from(digits)),
                    monotone: false,
                    breaks: &clip.breaks,
                };
                let outline = fit.run_freely();
                self.count(&outline);
                let [s, e] = [0, 1].map(|end| {
                    let points: Vec<Vec<f64>> = (0..count_of_circles)
                        .map(|sample| ends(sample)[end])
                        .map(|p| vec![p.x * size, p.y * size])
                        .collect();
                    match points.as_slice() {
                        [point] => KeyTrack::still(point.clone()),
                        points => self.paint_point(points, most),
                    }
                });
                let mut fields = gradient_fields(2, &s, &e, stops, digits);
                fields.extend(extra);
                let scale = stretch(round[0]);
                let mut items = keys::outlines(painted.verbs, &outline, digits);
                items.extend(self.trim(painted));
                items.push(LottieJson::Object(style(Some(scale), fields)));
                Some(ShapeItem::Group(self.wrapped(items, &track)))
            }
        }
    }

    /// The stops of a gradient over time, and how many they are.
    fn stops(
        &mut self,
        drawn: &[&Gradient],
        looks: Option<&[&GradientLook]>,
        extent: (f64, f64),
    ) -> (usize, KeyTrack) {
        let flat: Vec<Vec<FlatStop>> = match looks {
            Some(looks) => looks.iter().map(|look| flat_stops(&look.gradient, Some(&look.colors))).collect(),
            None => drawn.iter().map(|gradient| flat_stops(gradient, None)).collect(),
        };
        let (count, numbers) = stop_numbers(&divided(&unrolled(drawn[0].spread, &flat, extent)));
        let track = match numbers.as_slice() {
            [numbers] => KeyTrack::still(numbers.clone()),
            // Colours to half a level.
            numbers => self.numbers(numbers, 255.0, 0.5, 5),
        };
        (count, track)
    }

    /// The fields of a focus that is not the centre.
    fn focus(&mut self, circles: &[Circle], node: NodeId) -> JsonFields {
        if !circles.iter().any(Circle::is_off) {
            return Vec::new();
        }
        let name = self.clip.name_of(node);
        self.report.lose(name, "the focus of a radial gradient is drawn differently by players");
        let share =
            |circle: &Circle| vec![100.0 * circle.shift.hypot() / circle.radius.max(f64::MIN_POSITIVE)];
        let shares: Vec<Vec<f64>> = circles.iter().map(share).collect();
        let angles = turns(circles.iter().map(|circle| circle.shift));
        let mut fields = Vec::new();
        for (name, samples) in [("h", shares), ("a", angles)] {
            let track = match samples.as_slice() {
                [one] => KeyTrack::still(one.clone()),
                samples => self.numbers(samples, 1.0, 0.5, 3),
            };
            fields.push((name, keys::scalar(&track, 3)));
        }
        fields
    }

    /// A point of a gradient over time. Colours change slowly along a gradient.
    fn paint_point(&mut self, samples: &[Vec<f64>], scale: f64) -> KeyTrack {
        let weights = vec![scale; samples.len()];
        let parts = 10.0_f64.powi(i32::from(self.options.digits(scale)));
        let fit = Fit {
            samples,
            group: 2,
            weights: &weights,
            tolerance: 2.0 * self.options.tolerance,
            parts,
            monotone: false,
            breaks: &self.clip.breaks,
        };
        let track = fit.run();
        self.report.keys += if track.is_still() { 0 } else { track.keys.len() };
        track
    }

    fn round_space(&mut self, samples: &[Affine], points: &[Point], scale: f64) -> AffineTrack {
        let weights = vec![scale; samples.len()];
        let track = crate::vector::affine::AffineFit {
            samples,
            points,
            weights: &weights,
            tolerance: 2.0 * self.options.tolerance,
            form: MatrixForm::TwoRotations,
            digits: self.digits(),
            monotone: false,
            // lottie-web's SVG renderer shows nothing of a group of shapes whose position is split
            // (`ShapeInterface.js`), and says nothing.
            splits: false,
            breaks: &self.clip.breaks,
        }
        .run();
        self.report.keys += track.keys();
        track
    }
}

/// What paints an outline.
enum ShapeItem {
    /// Something that shares the outline with others.
    Style(LottieJson),
    /// Something with an outline of its own.
    Group(LottieJson),
}

pub(super) fn mapped(numbers: &[f64], map: Affine) -> Vec<f64> {
    let point = |p: &[f64]| {
        let p = map * Point::new(p[0], p[1]);
        [p.x, p.y]
    };
    numbers.chunks(2).flat_map(point).collect()
}

/// Whether matrices keep shares of lengths.
pub(super) fn is_even_always(affines: &[Affine]) -> bool {
    affines.iter().all(|affine| is_even(*affine))
}

/// Whether a matrix makes circles of circles.
fn is_even(affine: Affine) -> bool {
    let (larger, smaller) = stretches(affine);
    larger - smaller.abs() < 1e-3 * (larger + smaller.abs())
}

/// Where a linear gradient starts and ends after a matrix: the lines of one colour are mapped, and the line
/// along the gradient is at a right angle to them again.
fn linear_ends(space: Affine, start: Point, end: Point) -> Vec<f64> {
    let s = space * start;
    let along = end - start;
    let length = along.hypot2();
    if length < 1e-18 {
        let e = space * end;
        return vec![s.x, s.y, e.x, e.y];
    }
    let [a, b, c, d, ..] = space.inverse().as_coeffs();
    // The inverse transposed, of the gradient of the offset.
    let v = along / length;
    let w = Vec2::new(a * v.x + b * v.y, c * v.x + d * v.y);
    let e = s + w / w.hypot2();
    vec![s.x, s.y, e.x, e.y]
}

fn gradient_fields(
    kind: i32,
    start: &KeyTrack,
    end: &KeyTrack,
    (count, stops): (usize, &KeyTrack),
    digits: u8,
) -> Vec<(&'static str, LottieJson)> {
    let point = |track: &KeyTrack| keys::property(track, &|p| LottieJson::list(p, digits.max(2)));
    let numbers = |numbers: &[f64]| {
        let is_offset = |at: usize| if at < 4 * count { at.is_multiple_of(4) } else { at.is_multiple_of(2) };
        let digits = |at: usize| if is_offset(at) { 5 } else { 4 };
        LottieJson::List(
            numbers.iter().enumerate().map(|(at, n)| LottieJson::rounded(*n, digits(at))).collect(),
        )
    };
    vec![
        ("t", kind.into()),
        ("s", point(start)),
        ("e", point(end)),
        ("g", object! { "p": count, "k": keys::property(stops, &numbers) }),
    ]
}
