//! Outlines against unions of discs, found by brute force.

use super::*;

use kurbo::ParamCurveArclen as _;

use crate::ink::InkPlace;

const TOLERANCE: f64 = 0.05;

fn profile(places: &[(f64, f64)]) -> InkProfile {
    let places = places.iter().map(|(at, width)| InkPlace { at: *at, sides: [0.5 * width; 2] });
    InkProfile {
        places: places.collect(),
        caps: [LineCap::Round; 2],
        join: LineJoin::Round,
        miter_limit: 4.0,
    }
}

fn path(data: &str) -> BezPath {
    BezPath::from_svg(data).expect("path data")
}

fn inked(rest: &BezPath, profile: &InkProfile) -> InkedPath {
    let widest = profile.values();
    let bounds = InkBounds { tolerance: 0.5 * TOLERANCE, bends: true, widest: &widest };
    InkedPath::new(rest.clone(), profile.clone(), &bounds)
}

fn outline(ink: &InkedPath, posed: &BezPath) -> BezPath {
    let mut out = BezPath::new();
    ink.write(ink.rest(), Some((posed, Affine::IDENTITY)), 1.0, &mut out);
    out
}

/// Steffen's interpolation, once more: slopes by his formula 11, ends by 27.
fn radius_at(places: &[(f64, f64)], share: f64) -> f64 {
    let n = places.len();
    let chord = |k: usize| (places[k + 1].1 - places[k].1) / (places[k + 1].0 - places[k].0);
    let run = |k: usize| places[k + 1].0 - places[k].0;
    let slope = |k: usize| {
        if n == 1 {
            return 0.0;
        }
        if n == 2 {
            return chord(0);
        }
        let end = |a: f64, b: f64, share: f64| {
            let p = a * (1.0 + share) - b * share;
            if p * a <= 0.0 {
                0.0
            } else if p.abs() > 2.0 * a.abs() {
                2.0 * a
            } else {
                p
            }
        };
        if k == 0 {
            return end(chord(0), chord(1), run(0) / (run(0) + run(1)));
        }
        if k == n - 1 {
            return end(chord(n - 2), chord(n - 3), run(n - 2) / (run(n - 2) + run(n - 3)));
        }
        let (a, b) = (chord(k - 1), chord(k));
        let p = (a * run(k) + b * run(k - 1)) / (run(k) + run(k - 1));
        (a.signum() + b.signum()) * a.abs().min(b.abs()).min(0.5 * p.abs())
    };
    let k = places.iter().rposition(|place| place.0 <= share).unwrap_or(0).min(n.saturating_sub(2));
    if n == 1 {
        return 0.5 * places[0].1;
    }
    let (h, s) = (run(k), share - places[k].0);
    let a = (slope(k) + slope(k + 1) - 2.0 * chord(k)) / (h * h);
    let b = (3.0 * chord(k) - 2.0 * slope(k) - slope(k + 1)) / h;
    0.5 * (a * s * s * s + b * s * s + slope(k) * s + places[k].1).max(0.0)
}

/// Discs along each subpath of a posed path, with radii by shares of the path at rest.
fn discs(rest: &BezPath, posed: &BezPath, places: &[(f64, f64)], all: usize) -> Vec<(Point, f64)> {
    let segments = |path: &BezPath| path.segments().map(|segment| segment.to_cubic()).collect::<Vec<_>>();
    let (rest, posed) = (segments(rest), segments(posed));
    let whole: f64 = rest.iter().map(|piece| piece.arclen(1e-9)).sum();
    let count = all / rest.len();
    let mut before = 0.0;
    let mut discs = Vec::new();
    for (piece, posed) in rest.iter().zip(&posed) {
        for step in 0..=count {
            let at = step as f64 / count as f64;
            let share = (before + piece.subsegment(0.0..at).arclen(1e-9)) / whole;
            discs.push((posed.eval(at), radius_at(places, share)));
        }
        before += piece.arclen(1e-9);
    }
    discs
}

/// How far a point is from the union, negative within.
fn beyond(discs: &[(Point, f64)], point: Point) -> f64 {
    discs.iter().map(|(center, radius)| (point - *center).hypot() - radius).fold(f64::INFINITY, f64::min)
}

struct Flat {
    chords: Vec<(Point, Point)>,
}

impl Flat {
    fn of(outline: &BezPath) -> Self {
        let mut chords = Vec::new();
        for segment in outline.segments() {
            let steps = 24;
            let point = |step: usize| segment.eval(step as f64 / steps as f64);
            chords.extend((0..steps).map(|step| (point(step), point(step + 1))));
        }
        Self { chords }
    }

    fn winding(&self, p: Point) -> i32 {
        let crossing = |(a, b): &(Point, Point)| {
            if (a.y <= p.y) == (b.y <= p.y) {
                return 0;
            }
            let x = a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x);
            if x <= p.x {
                0
            } else if b.y > a.y {
                1
            } else {
                -1
            }
        };
        self.chords.iter().map(crossing).sum()
    }

    fn distance(&self, p: Point) -> f64 {
        let to = |(a, b): &(Point, Point)| {
            let way = *b - *a;
            let at =
                if way.hypot2() > 0.0 { ((p - *a).dot(way) / way.hypot2()).clamp(0.0, 1.0) } else { 0.0 };
            (p - (*a + at * way)).hypot()
        };
        self.chords.iter().map(to).fold(f64::INFINITY, f64::min)
    }
}

/// The greatest distances of the outline beyond the union and of the border of the union from the outline, and the
/// depth of the deepest point of the union that is not filled.
fn misses(outline: &BezPath, discs: &[(Point, f64)], every: usize) -> (f64, f64, f64) {
    let flat = Flat::of(outline);
    let out = flat.chords.iter().step_by(every).map(|(a, _)| beyond(discs, *a)).fold(0.0, f64::max);
    let (mut border, mut hole) = (0.0_f64, 0.0_f64);
    for (center, radius) in discs.iter().step_by(11 * every) {
        let mut way = Vec2::new(1.0, 0.0);
        for _ in 0..40 {
            // By 9 degrees.
            let (cosine, sine) = (0.987_688_340_595_137_7, 0.156_434_465_040_230_87);
            way = Vec2::new(cosine * way.x - sine * way.y, sine * way.x + cosine * way.y);
            let rim = *center + *radius * way;
            if *radius > 0.0 && beyond(discs, rim) > -1e-3 {
                border = border.max(flat.distance(rim));
            }
            for share in [0.02, 0.4, 0.8] {
                let p = *center + share * *radius * way;
                let depth = -beyond(discs, p);
                if depth > hole && flat.winding(p) == 0 {
                    hole = depth;
                }
            }
        }
    }
    (out, border, hole)
}

/// Random numbers from 0 to 1: Knuth's generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn point(&mut self) -> Point {
        Point::new(200.0 * self.next(), 200.0 * self.next())
    }
}

/// Two arcs of 75 degrees each with a radius.
fn bent(radius: f64) -> BezPath {
    let (cosine, sine) = (0.258_819_045_102_520_74, 0.965_925_826_289_068_3);
    let handle = radius * 4.0 / 3.0 * 0.339_454_258_851_8;
    let turned = |way: Vec2| Vec2::new(cosine * way.x - sine * way.y, sine * way.x + cosine * way.y);
    let (center, mut way) = (Point::new(100.0, 100.0), Vec2::new(0.0, -1.0));
    let along = |way: Vec2| handle * Vec2::new(-way.y, way.x);
    let mut path = BezPath::new();
    path.move_to(center + radius * way);
    for _ in 0..2 {
        let next = turned(way);
        let (from, to) = (center + radius * way, center + radius * next);
        path.curve_to(from + along(way), to - along(next), to);
        way = next;
    }
    path
}

#[test]
fn outlines_are_the_unions_of_discs() {
    // The arcs have this length.
    let straight = |radius: f64| {
        let half = radius * 1.308_996_938_995_747;
        path(&format!(
            "M0 0C{} 0 {} 0 {half} 0C{} 0 {} 0 {} 0",
            half / 3.0,
            half / 1.5,
            4.0 * half / 3.0,
            5.0 * half / 3.0,
            2.0 * half
        ))
    };
    let long = 2.0 * 1.308_996_938_995_747;
    for radius in [60.0, 20.0, 8.0] {
        let whole = radius * long;
        let steep = |slope: f64| vec![(0.0, 0.0), (1.0, 2.0 * slope * whole)];
        let all: [Vec<(f64, f64)>; 8] = [
            vec![(0.0, 12.0), (1.0, 12.0)],
            vec![(0.0, 12.0)],
            vec![(0.0, 1.0), (0.4, 12.0), (1.0, 0.0)],
            vec![(0.0, 0.0), (0.5, 18.0), (1.0, 2.0)],
            vec![(0.0, 30.0), (1.0, 30.0)],
            vec![(0.0, 4.0), (0.3, 10.0), (0.6, 3.0), (0.9, 14.0), (1.0, 14.0)],
            steep(0.5),
            steep(0.9),
        ];
        for places in all {
            let rest = straight(radius);
            let ink = inked(&rest, &profile(&places));
            for posed in [rest.clone(), bent(radius)] {
                let discs = discs(&rest, &posed, &places, 2000);
                let outline = outline(&ink, &posed);
                let (out, border, hole) = misses(&outline, &discs, 1);
                println!(
                    "radius {radius}, {places:?}: {} points, out {out:.4}, border {border:.4}, hole {hole:.4}",
                    outline.elements().len()
                );
                // Ends of sides that discs cover are found at splits.
                let slope = |at: i32| {
                    1e3 * (radius_at(&places, f64::from(at + 1) / 1e3)
                        - radius_at(&places, f64::from(at) / 1e3))
                };
                let is_steep = (0..1000).any(|at| slope(at).abs() > 0.91 * whole);
                let most = if is_steep { 2.0 * TOLERANCE } else { TOLERANCE };
                assert!(out <= most && border <= most && hole <= TOLERANCE, "{}", outline.to_svg());
            }
        }
    }
}

#[test]
fn random_strokes_have_no_holes() {
    let mut random = Random(7);
    let mut worst = [0.0_f64; 3];
    for number in 0..1000 {
        let mut rest = BezPath::new();
        rest.move_to(random.point());
        for _ in 0..1 + number % 3 {
            rest.curve_to(random.point(), random.point(), random.point());
        }
        let count = 1 + number % 5;
        let place =
            |at: usize| (if count == 1 { 0.0 } else { at as f64 / (count - 1) as f64 }, 30.0 * random.next());
        let places: Vec<(f64, f64)> = (0..count).map(place).collect();
        let ink = inked(&rest, &profile(&places));
        let outline = outline(&ink, &rest);
        assert!(outline.elements().len() <= ink.capacity());
        let discs = discs(&rest, &rest, &places, 600);
        let (out, border, hole) = misses(&outline, &discs, 4);
        worst = [worst[0].max(out), worst[1].max(border), worst[2].max(hole)];
    }
    println!("{worst:?}");
    // Between so few discs the union itself is off by up to a unit where a stroke is thin.
    assert!(worst[2] <= TOLERANCE && worst[0].max(worst[1]) < 1.5, "{worst:?}");
}
