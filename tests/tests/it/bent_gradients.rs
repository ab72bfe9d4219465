//! Gradients of art that bends bend with it. Judged by a warp of the undeformed picture: dense points of the
//! shape at rest, coloured by the formula of the gradient, moved by the weights at each.
//!
//! With `SHEET=folder` the pictures that were judged are written there.

use std::path::Path;
use std::sync::Arc;

use bone_core::Angle;
use bone_format::InMemory;
use bone_layer_tests::picture::difference;
use bone_layer_tests::player::Player;
use bone_render::Pixmap;
use bone_rig::FrameState;
use bone_skin::{
    BoneSegment, CoveredShape, FieldOptions, Method, SkinBlend, SolvedField, WindingRule, solve_weights,
};
use kurbo::{Affine, BezPath, ParamCurve as _, ParamCurveNearest as _, Point, Shape as _, Vec2};

/// How far dense points of a shape are from each other.
const STEP: f64 = 0.25;
const BENDS: [f64; 4] = [0.0, 45.0, 90.0, 135.0];

/// A stop: its offset, red, green, blue, and opacity.
type Stop = (f64, [f64; 4]);

#[derive(Clone, Copy)]
enum Kind {
    Linear(Point, Point),
    Radial(Point, f64),
}

/// A limb with a gradient.
struct Limb {
    name: &'static str,
    path: String,
    kind: Kind,
    stops: &'static [Stop],
    /// The width of its stroke; 0 if it is filled.
    stroke: f64,
    blend: SkinBlend,
}

const WARM: &[Stop] = &[(0.0, [250.0, 220.0, 60.0, 1.0]), (1.0, [120.0, 10.0, 90.0, 1.0])];
const THREE: &[Stop] =
    &[(0.0, [20.0, 30.0, 120.0, 1.0]), (0.5, [240.0, 240.0, 250.0, 1.0]), (1.0, [20.0, 90.0, 60.0, 1.0])];
const GLASS: &[Stop] = &[(0.0, [200.0, 40.0, 40.0, 0.9]), (1.0, [30.0, 60.0, 220.0, 0.2])];

const BAR: &str = "M75 170H325C345 170 345 230 325 230H75C55 230 55 170 75 170Z";
const LEAF: &str = "M60 200C110 130 290 150 345 200C290 240 110 260 60 200Z";
const LINE: &str = "M70 200C140 196 260 196 330 200";

fn limbs() -> Vec<Limb> {
    let linear = |x0, y0, x1, y1| Kind::Linear(Point::new(x0, y0), Point::new(x1, y1));
    let limb = |name, path: &str, kind, stops, stroke| Limb {
        name,
        path: path.to_owned(),
        kind,
        stops,
        stroke,
        blend: SkinBlend::AreaPreserving,
    };
    let turned = |limb| Limb { blend: SkinBlend::RotationCenters, ..limb };
    vec![
        limb("across", BAR, linear(200.0, 170.0, 200.0, 230.0), WARM, 0.0),
        limb("along", BAR, linear(60.0, 200.0, 340.0, 200.0), THREE, 0.0),
        limb("slanted", LEAF, linear(120.0, 130.0, 260.0, 260.0), THREE, 0.0),
        limb("radial", LEAF, Kind::Radial(Point::new(190.0, 190.0), 120.0), WARM, 0.0),
        limb("glass", BAR, linear(200.0, 170.0, 200.0, 230.0), GLASS, 0.0),
        limb("stroke-across", LINE, linear(200.0, 175.0, 200.0, 221.0), WARM, 44.0),
        limb("stroke-along", LINE, linear(60.0, 200.0, 340.0, 200.0), THREE, 30.0),
        turned(limb("turned-across", BAR, linear(200.0, 170.0, 200.0, 230.0), WARM, 0.0)),
        turned(limb("turned-slanted", LEAF, linear(120.0, 130.0, 260.0, 260.0), THREE, 0.0)),
        turned(limb("turned-stroke", LINE, linear(200.0, 175.0, 200.0, 221.0), WARM, 44.0)),
    ]
}

impl Limb {
    fn svg(&self) -> String {
        let stop = |(at, [r, g, b, a]): &Stop| {
            format!("<stop offset=\"{at}\" stop-color=\"rgb({r},{g},{b})\" stop-opacity=\"{a}\"/>")
        };
        let stops: String = self.stops.iter().map(stop).collect();
        let gradient = match self.kind {
            Kind::Linear(a, b) => format!(
                "<linearGradient id=\"g\" gradientUnits=\"userSpaceOnUse\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\">{stops}</linearGradient>",
                a.x, a.y, b.x, b.y
            ),
            Kind::Radial(c, r) => format!(
                "<radialGradient id=\"g\" gradientUnits=\"userSpaceOnUse\" cx=\"{}\" cy=\"{}\" r=\"{r}\">{stops}</radialGradient>",
                c.x, c.y
            ),
        };
        let paint = match self.stroke {
            0.0 => "fill=\"url(#g)\"".to_owned(),
            width => format!("fill=\"none\" stroke=\"url(#g)\" stroke-width=\"{width}\""),
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 400\">{gradient}<path id=\"limb\" d=\"{}\" {paint}/></svg>",
            self.path
        )
    }

    fn files(&self) -> InMemory {
        self.files_with(&format!("Smooth(art: \"limb\", blend: {:?})", self.blend), "")
    }

    /// With this binding, and what else the clip keys.
    fn files_with(&self, binding: &str, keyed: &str) -> InMemory {
        let keys = BENDS.iter().enumerate().map(|(at, bend)| format!("({at}, {bend}), "));
        let rig = format!(
            "Rig(version: 1, drawing: \"limb.svg\", fps: 1, bones: {{ \"upper\": (from: (60, 200), to: (200, 200)), \
             \"fore\": (parent: \"upper\", from: (200, 200), to: (340, 200)) }}, skin: [{binding}], \
             clips: {{ \"bend\": (length: 4, bones: {{ \"fore\": (rotate: [{}]) }}, {keyed}) }})",
            keys.collect::<String>()
        );
        InMemory::new().with("rig.ron", rig).with("limb.svg", self.svg())
    }

    /// The colour at a point at rest, on white.
    fn colour(&self, at: Point) -> [f64; 3] {
        let t = match self.kind {
            Kind::Linear(a, b) => (at - a).dot(b - a) / (b - a).hypot2(),
            Kind::Radial(c, r) => (at - c).hypot() / r,
        }
        .clamp(0.0, 1.0);
        let pair = self.stops.windows(2).find(|pair| t <= pair[1].0).expect("the last stop is at 1");
        let share = (t - pair[0].0) / (pair[1].0 - pair[0].0);
        let [r, g, b, a] = [0, 1, 2, 3].map(|k| pair[0].1[k] + (pair[1].1[k] - pair[0].1[k]) * share);
        [r, g, b].map(|level| level * a + 255.0 * (1.0 - a))
    }

    /// Whether a point is in the shape at rest, and whether it is so by more than two units, three for a stroke, whose edge is not
    /// warped but drawn anew.
    fn is_inside(&self, path: &BezPath, at: Point) -> (bool, bool) {
        let distance =
            path.segments().map(|it| it.nearest(at, 1e-3).distance_sq).fold(f64::INFINITY, f64::min);
        let distance = distance.sqrt();
        match self.stroke {
            0.0 => (path.contains(at), path.contains(at) && distance > 2.0),
            width => {
                let is_well = distance < 0.5 * width - 3.0 && at.x > 74.0 && at.x < 326.0;
                (distance < 0.5 * width, is_well)
            }
        }
    }

    /// Dense points of the shape at rest with the weights of both bones, and the centres of rotation.
    fn points(&self, player: &Player) -> (Vec<RestPoint>, Centres) {
        let path = BezPath::from_svg(&self.path).expect("path data");
        let field = self.field(player);
        let weighted = |at: Point| {
            let mut weights = [0.0; 2];
            field.weights_at(at, &mut weights);
            (at, weights)
        };
        let along = path.segments().flat_map(|side| (0..64).map(move |k| side.eval(f64::from(k) / 64.0)));
        let centres = Centres::new(along.map(|at| (at, weighted(at).1[1])));
        let rest_point = |(at, is_well)| RestPoint { at, weights: weighted(at).1, is_well };
        (self.dense().map(rest_point).collect(), centres)
    }

    /// The field of its weights.
    fn field(&self, player: &Player) -> SolvedField {
        let path = BezPath::from_svg(&self.path).expect("path data");
        let skeleton = player.rig.skeleton();
        let bones: Vec<BoneSegment> = skeleton
            .bones()
            .map(|bone| BoneSegment {
                bone,
                origin: skeleton.setup_origin(bone),
                tip: skeleton.setup_tip(bone),
                region: None,
            })
            .collect();
        let fill = (self.stroke == 0.0).then_some(WindingRule::NonZero);
        let shape = CoveredShape { path: &path, fill, stroke_width: self.stroke };
        solve_weights(&[shape], &bones, Method::Heat, FieldOptions::default()).expect("weights").0
    }

    /// Dense points of the shape at rest, and whether each is well inside.
    fn dense(&self) -> impl Iterator<Item = (Point, bool)> + '_ {
        let path = BezPath::from_svg(&self.path).expect("path data");
        let steps =
            |from: f64, to: f64| (0..((to - from) / STEP) as usize).map(move |k| from + k as f64 * STEP);
        let all = steps(130.0, 270.0).flat_map(move |y| steps(50.0, 350.0).map(move |x| Point::new(x, y)));
        all.filter_map(move |at| {
            let (is_inside, is_well) = self.is_inside(&path, at);
            is_inside.then_some((at, is_well))
        })
    }

    /// The colour that each pixel must have where only one point of the shape comes to lie in it, three pixels
    /// and more away from folds: patches reach a little over the edge of the shape.
    fn warp(
        &self,
        (points, centres): (&[RestPoint], &Centres),
        (player, state, bend): (&Player, &FrameState, f64),
    ) -> Vec<Option<[f64; 3]>> {
        /// How near one must come to the centre of its pixel.
        const NEAR: f64 = 0.15;
        // Per pixel: the distance of the nearest point, its place at rest, and whether there is another.
        let mut pixels: Vec<Option<(f64, Point, bool)>> = vec![None; 400 * 400];
        // Where the points come to lie, by their places at rest.
        const COLUMNS: usize = 1200;
        let mut all: Vec<Option<Point>> = vec![None; COLUMNS * 600];
        let cell = |rest: Point| {
            let [x, y] = [rest.x - 50.0, rest.y - 130.0].map(|v| (v / STEP).round() as usize);
            y * COLUMNS + x
        };
        let bones: Vec<_> = player.rig.skeleton().bones().collect();
        for RestPoint { at: rest, weights, is_well } in points {
            let rest = *rest;
            let row: Vec<_> = bones.iter().copied().zip(*weights).collect();
            let posed = match self.blend {
                SkinBlend::RotationCenters => centres.pose(rest, weights[1], bend),
                blend => state.matrices().blended(blend, &row, rest),
            };
            all[cell(rest)] = Some(posed);
            let (column, line) = (posed.x.floor(), posed.y.floor());
            if !(0.0..400.0).contains(&column) || !(0.0..400.0).contains(&line) {
                continue;
            }
            // Near the edge a point only shows where the shape is folded.
            let off = (posed - Point::new(column + 0.5, line + 0.5)).hypot();
            let off = if *is_well { off } else { f64::INFINITY };
            let pixel = &mut pixels[line as usize * 400 + column as usize];
            *pixel = Some(match *pixel {
                None => (off, rest, false),
                Some((best, at, twice)) => {
                    let twice = twice || (at - rest).hypot() > 4.0;
                    if off < best { (off, rest, twice) } else { (best, at, twice) }
                }
            });
        }
        let is_folded = |at: usize| {
            let beside = (0..7).flat_map(|dy| (0..7).map(move |dx| (at + 400 * dy + dx).wrapping_sub(1203)));
            beside.filter_map(|at| pixels.get(at).copied().flatten()).any(|(_, _, twice)| twice)
        };
        let single = |at: usize| {
            let single = pixels[at].filter(|(off, ..)| *off < NEAR && !is_folded(at));
            single.map(|(_, rest, _)| {
                // The centre of the pixel at rest, by the points beside the nearest one.
                let posed = |at: usize| all[at].expect("not at the edge");
                let (own, place) = (posed(cell(rest)), cell(rest));
                let [x, y] = [posed(place + 1) - own, posed(place + COLUMNS) - own].map(|side| side / STEP);
                let to_posed = Affine::new([x.x, x.y, y.x, y.y, own.x, own.y]);
                let centre = Point::new((at % 400) as f64 + 0.5, (at / 400) as f64 + 0.5);
                self.colour(rest + (to_posed.inverse() * centre).to_vec2())
            })
        };
        (0..pixels.len()).map(single).collect()
    }
}

/// A point of a shape at rest with the weights of both bones.
struct RestPoint {
    at: Point,
    weights: [f64; 2],
    /// Whether it is not at the edge.
    is_well: bool,
}

/// The centres of rotation of Le and Hodgins 2016 for two bones, by the weight of the second.
struct Centres(Vec<Point>);

impl Centres {
    const STEPS: usize = 400;

    /// From points of the outline, each with the weight of the second bone.
    fn new(outline: impl Iterator<Item = (Point, f64)>) -> Self {
        let outline: Vec<(Point, f64)> = outline.collect();
        let centre = |step: usize| {
            let own = step as f64 / Self::STEPS as f64;
            let (mut sum, mut total) = (Vec2::ZERO, 0.0);
            for (at, other) in &outline {
                let off = ((1.0 - own) * other - own * (1.0 - other)) / 0.1;
                let alike = own * (1.0 - own) * other * (1.0 - other) * libm::exp(-off * off);
                sum += at.to_vec2() * alike;
                total += alike;
            }
            if total > 0.0 { (sum / total).to_point() } else { Point::ZERO }
        };
        Self((0..=Self::STEPS).map(centre).collect())
    }

    /// Where a point comes to lie when the second bone is bent at (200, 200).
    fn pose(&self, rest: Point, weight: f64, degrees: f64) -> Point {
        let place = weight.clamp(0.0, 1.0) * Self::STEPS as f64;
        let before = (place as usize).clamp(1, Self::STEPS - 2);
        let centre = self.0[before].lerp(self.0[before + 1], (place - before as f64).clamp(0.0, 1.0));
        let turn = |p: Point, (cos, sin): (f64, f64), about: Point| {
            let v = p - about;
            about + Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
        };
        let of = |degrees: f64| {
            let [cos, sin, ..] = Angle::from_degrees(degrees).rotation().as_coeffs();
            (cos, sin)
        };
        // Quaternions of the plane have half the angle.
        let (cos, sin) = of(0.5 * degrees);
        let half = Vec2::new(1.0 - weight + weight * cos, weight * sin).normalize();
        let whole = (half.x * half.x - half.y * half.y, 2.0 * half.x * half.y);
        let moved = centre.lerp(turn(centre, of(degrees), Point::new(200.0, 200.0)), weight);
        turn(rest, whole, centre) + (moved - centre)
    }
}

/// The greatest difference in levels, the pixels beyond three levels, and all that were compared.
fn compare(picture: &Pixmap, expected: &[Option<[f64; 3]>]) -> (f64, usize, usize) {
    let mut found = (0.0_f64, 0, 0);
    for (at, (pixel, expected)) in picture.pixels().iter().zip(expected).enumerate() {
        let Some(expected) = expected else { continue };
        let colour = [pixel.red(), pixel.green(), pixel.blue()].map(f64::from);
        let off = colour.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if off > 3.0 && std::env::var("SHEET").is_ok() {
            println!("    {off:.1} at {}, {}", at % 400, at / 400);
        }
        found = (found.0.max(off), found.1 + usize::from(off > 3.0), found.2 + 1);
    }
    found
}

#[test]
fn gradients_bend_with_fills_and_strokes() {
    let folder = std::env::var("SHEET").ok();
    let mut wrong = Vec::new();
    for limb in limbs() {
        let player = Player::load(Path::new("rig.ron"), Arc::new(limb.files()));
        let clip = player.clip(Some("bend"));
        let mut state = FrameState::new(&player.rig);
        let (points, centres) = limb.points(&player);
        for (frame, bend) in BENDS.iter().enumerate() {
            let picture = player.draw(clip, frame as u64, 1.0, &mut state);
            if let Some(folder) = &folder {
                let file = Path::new(folder).join(format!("{}_{bend}.png", limb.name));
                picture.save_png(file).expect("a writable folder");
            }
            let (most, beyond, all) =
                compare(&picture, &limb.warp((&points, &centres), (&player, &state, *bend)));
            println!("{} at {bend}: {most:.1} levels, {beyond} of {all} pixels beyond 3", limb.name);
            assert!(all > 2000, "{} at {bend}: only {all} pixels were compared", limb.name);
            if *bend <= 90.0 && beyond > 0 {
                wrong.push(format!("{} at {bend}: {most:.1} levels, {beyond} of {all} pixels", limb.name));
            }
            let text = player.draw_by_text(clip, frame as u64, 1.0, &mut state);
            let apart = difference(&picture, &text);
            println!("    by text: {apart:?}");
            if apart.largest > 3 {
                wrong.push(format!("{} at {bend}: its SVG is {} levels off", limb.name, apart.largest));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The frame that is interpolated between two others has the gradients by one affine map, and so have pictures
/// of art that only moves.
#[test]
fn art_that_does_not_bend_is_drawn_as_before() {
    let limb = &limbs()[0];
    let player = Player::load(Path::new("rig.ron"), Arc::new(limb.files()));
    let mut state = FrameState::new(&player.rig);
    player.pose(player.clip(Some("bend")), 0, &mut state);
    player.rig.write_svg(&mut state);
    assert!(!state.svg().contains("clip-path"), "{}", state.svg());
    player.pose(player.clip(Some("bend")), 2, &mut state);
    player.rig.write_svg(&mut state);
    assert!(state.svg().contains("clip-path"), "{}", state.svg());
    let mut frame = bone_drawing::Frame::default();
    player.rig.frame_in_pieces(&state, &mut frame);
    let mut text = String::new();
    bone_render::write_svg(player.rig.posable().drawing(), &frame, bone_render::Precision::Exact, &mut text);
    assert!(!text.contains("clip-path"), "{text}");
}

/// Where vertices with typed weights are, along a limb.
const STATIONS: usize = 29;
const APART: f64 = 10.0;

/// Weights of the second bone along a limb: at the vertices, and between them by a cubic through its neighbours.
struct Along(Vec<f64>);

impl Along {
    fn new(weight: impl Fn(f64) -> f64) -> Self {
        Self((0..STATIONS).map(|k| weight(60.0 + APART * k as f64)).collect())
    }

    /// From 0 to 1 between two places.
    fn eased(from: f64, to: f64) -> Self {
        Self::new(|x| {
            let s = ((x - from) / (to - from)).clamp(0.0, 1.0);
            s * s * (3.0 - 2.0 * s)
        })
    }

    /// A part of the way to another.
    fn toward(&self, other: &Self, share: f64) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a + (b - a) * share).collect())
    }

    /// The curve of the format: at a vertex the slope of the parabola through it and its neighbours, 0 at an extremum, and at most three
    /// times the slope to a neighbour (Fritsch and Carlson).
    fn at(&self, x: f64) -> f64 {
        let place = ((x - 60.0) / APART).clamp(0.0, STATIONS as f64 - 1.000_001);
        let (k, t) = (place as usize, place.fract());
        let v = |k: usize| self.0[k.min(STATIONS - 1)];
        let [a, b, c, d] = [v(k.saturating_sub(1)), v(k), v(k + 1), v(k + 2)];
        let slope = |before: f64, behind: f64| {
            let most = if before * behind > 0.0 { 3.0 * before.abs().min(behind.abs()) } else { 0.0 };
            (0.5 * (before + behind)).clamp(-most, most)
        };
        let (from, to) = (slope(b - a, c - b), slope(c - b, d - c));
        let r = 1.0 - t;
        b * r * r * (1.0 + 2.0 * t) + c * t * t * (3.0 - 2.0 * t) + from * t * r * r - to * t * t * r
    }
}

/// Weights inside of the bar from (60, 170) to (340, 230): harmonic, those of its long sides given, by
/// relaxation on a fine grid.
struct Harmonic(Vec<f64>);

impl Harmonic {
    const STEP: f64 = 2.0;
    const SIZE: (usize, usize) = (141, 31);

    fn new([top, low]: [&Along; 2]) -> Self {
        let (width, height) = Self::SIZE;
        let mut grid = vec![0.0; width * height];
        for y in 0..height {
            for x in 0..width {
                let (place, share) = (60.0 + Self::STEP * x as f64, y as f64 / (height - 1) as f64);
                grid[y * width + x] = top.at(place) * (1.0 - share) + low.at(place) * share;
            }
        }
        for _ in 0..1000 {
            for y in 1..height - 1 {
                for x in 1..width - 1 {
                    let at = y * width + x;
                    let mean = 0.25 * (grid[at - 1] + grid[at + 1] + grid[at - width] + grid[at + width]);
                    grid[at] += 1.7 * (mean - grid[at]);
                }
            }
        }
        Self(grid)
    }

    fn at(&self, p: Point) -> f64 {
        let (width, height) = Self::SIZE;
        let x = ((p.x - 60.0) / Self::STEP).clamp(0.0, width as f64 - 1.001);
        let y = ((p.y - 170.0) / Self::STEP).clamp(0.0, height as f64 - 1.001);
        let at = y as usize * width + x as usize;
        let mix = |at: usize| self.0[at] * (1.0 - x.fract()) + self.0[at + 1] * x.fract();
        mix(at) * (1.0 - y.fract()) + mix(at + width) * y.fract()
    }
}

/// Weights of the second bone on a limb.
struct OnLimb {
    inner: Harmonic,
    line: Along,
}

impl OnLimb {
    /// With the same weights along both sides.
    fn even(line: Along) -> Self {
        Self { inner: Harmonic::new([&line, &line]), line }
    }

    /// Across a stroke they are those of its line.
    fn at(&self, limb: &Limb, at: Point) -> f64 {
        if limb.stroke == 0.0 { self.inner.at(at) } else { self.line.at(at.x) }
    }
}

/// Rows of weights, vertex by vertex: along the upper side, and back along the lower one.
fn rows(along: &Along, stroke: f64) -> impl Iterator<Item = String> + '_ {
    let back = along.0.iter().rev().take(if stroke == 0.0 { STATIONS } else { 0 });
    along.0.iter().chain(back).map(|w| format!("{{\"upper\": {}, \"fore\": {w}}}", 1.0 - w))
}

/// A bar or a line with a vertex at each station.
fn stationed(name: &'static str, kind: Kind, stops: &'static [Stop], stroke: f64) -> Limb {
    let x = |k: usize| 60.0 + APART * k as f64;
    let side = |y: f64, back: bool| -> String {
        let order = (0..STATIONS).map(|k| if back { STATIONS - 1 - k } else { k });
        order.map(|k| format!("L{} {y}", x(k))).collect()
    };
    let path = match stroke {
        0.0 => format!("M{}Z", &(side(170.0, false) + &side(230.0, true))[1..]),
        _ => format!("M{}", &side(200.0, false)[1..]),
    };
    Limb { name, path, kind, stops, stroke, blend: SkinBlend::AreaPreserving }
}

/// Compares each frame with the warp by the weights on the limb. Returns frames in which a pixel is off by more than 3 levels.
fn off_the_warp<'w>(limb: &Limb, player: &Player, weights: impl Fn(usize) -> &'w OnLimb) -> Vec<String> {
    let clip = player.clip(Some("bend"));
    let mut state = FrameState::new(&player.rig);
    let (still, mut wrong) = (Centres(Vec::new()), Vec::new());
    let folder = std::env::var("SHEET").ok();
    for (frame, bend) in BENDS.iter().enumerate() {
        let weighted = |(at, is_well): (Point, bool)| {
            let w = weights(frame).at(limb, at);
            RestPoint { at, weights: [1.0 - w, w], is_well }
        };
        let points: Vec<RestPoint> = limb.dense().map(weighted).collect();
        let picture = player.draw(clip, frame as u64, 1.0, &mut state);
        if let Some(folder) = &folder {
            let file = Path::new(folder).join(format!("{}_{bend}.png", limb.name));
            picture.save_png(file).expect("a writable folder");
        }
        let expected = limb.warp((&points, &still), (player, &state, *bend));
        let (most, beyond, all) = compare(&picture, &expected);
        println!("{} at {bend}: {most:.1} levels, {beyond} of {all} pixels beyond 3", limb.name);
        assert!(all > 2000, "{} at {bend}: only {all} pixels were compared", limb.name);
        if *bend <= 90.0 && beyond > 0 {
            wrong.push(format!("{} at {bend}: {most:.1} levels, {beyond} of {all} pixels", limb.name));
        }
        let apart = difference(&picture, &player.draw_by_text(clip, frame as u64, 1.0, &mut state));
        if apart.largest > 3 {
            wrong.push(format!("{} at {bend}: its SVG is {} levels off", limb.name, apart.largest));
        }
    }
    wrong
}

const ACROSS: Kind = Kind::Linear(Point::new(200.0, 170.0), Point::new(200.0, 230.0));
const LENGTHWISE: Kind = Kind::Linear(Point::new(60.0, 200.0), Point::new(340.0, 200.0));
const SLANTED: Kind = Kind::Linear(Point::new(120.0, 150.0), Point::new(260.0, 260.0));
const OVER_STROKE: Kind = Kind::Linear(Point::new(200.0, 178.0), Point::new(200.0, 222.0));

/// Limbs with a vertex at each station, for a kind of weights.
fn stationed_limbs(names: [&'static str; 4]) -> [Limb; 4] {
    [
        stationed(names[0], ACROSS, WARM, 0.0),
        stationed(names[1], SLANTED, THREE, 0.0),
        stationed(names[2], OVER_STROKE, WARM, 40.0),
        stationed(names[3], LENGTHWISE, THREE, 30.0),
    ]
}

#[test]
fn gradients_bend_with_typed_weights() {
    let mut wrong = Vec::new();
    let weights = OnLimb::even(Along::eased(130.0, 270.0));
    for limb in stationed_limbs(["typed-across", "typed-slanted", "typed-stroke", "typed-stroke-along"]) {
        let rows = rows(&weights.line, limb.stroke).enumerate().map(|(at, row)| format!("{at}: {row}, "));
        let binding = format!("Explicit(art: \"limb\", weights: {{ {} }})", rows.collect::<String>());
        let player = Player::load(Path::new("rig.ron"), Arc::new(limb.files_with(&binding, "")));
        wrong.extend(off_the_warp(&limb, &player, |_| &weights));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn gradients_bend_with_weights_found_at_vertices() {
    let mut wrong = Vec::new();
    for limb in stationed_limbs(["found-across", "found-slanted", "found-stroke", "found-stroke-along"]) {
        let binding = "Smooth(art: \"limb\", weights: Vertices)";
        let player = Player::load(Path::new("rig.ron"), Arc::new(limb.files_with(binding, "")));
        let field = limb.field(&player);
        let found = |y: f64| {
            Along::new(|x| {
                let mut weights = [0.0; 2];
                field.weights_at(Point::new(x, y), &mut weights);
                weights[1]
            })
        };
        let weights = OnLimb { inner: Harmonic::new([&found(170.0), &found(230.0)]), line: found(200.0) };
        wrong.extend(off_the_warp(&limb, &player, |_| &weights));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The elbow wanders along the limb while it bends.
#[test]
fn gradients_bend_with_keyed_weights() {
    let mut wrong = Vec::new();
    let (rest, other) = (Along::eased(90.0, 230.0), Along::eased(160.0, 300.0));
    let time = |at: usize| OnLimb::even(rest.toward(&other, at as f64 / 3.0));
    let times: Vec<OnLimb> = (0..BENDS.len()).map(time).collect();
    for limb in stationed_limbs(["keyed-across", "keyed-slanted", "keyed-stroke", "keyed-stroke-along"]) {
        let typed = rows(&rest, limb.stroke).enumerate().map(|(at, row)| format!("{at}: {row}, "));
        let binding = format!("Explicit(art: \"limb\", weights: {{ {} }})", typed.collect::<String>());
        let rows: Vec<Vec<String>> =
            times.iter().map(|time| rows(&time.line, limb.stroke).collect()).collect();
        let keys = |vertex: usize| -> String {
            rows.iter().enumerate().map(|(at, rows)| format!("({at}, {}), ", rows[vertex])).collect()
        };
        let keys = (0..rows[0].len()).map(|vertex| format!("{vertex}: [{}], ", keys(vertex)));
        let keyed = format!("weights: {{ \"limb\": {{ {} }} }}", keys.collect::<String>());
        let player = Player::load(Path::new("rig.ron"), Arc::new(limb.files_with(&binding, &keyed)));
        wrong.extend(off_the_warp(&limb, &player, |frame| &times[frame]));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
