//! Thousands of drawings at random: lines, quadratics, cubics, on grids and off them, tiny and large.

use proptest::prelude::*;
use tiny_skia::{
    BlendMode, Color, FillRule, LineCap, LineJoin, Path, PathBuilder, Point, SpreadMode, Stroke, StrokeDash,
    Transform,
};

use super::{Case, Gradient, Kind, compare};
use crate::fill::Filler;

/// Where points lie: a part of the picture, and the grid that they snap to.
#[derive(Clone, Copy, Debug)]
struct Place {
    x: (f32, f32),
    y: (f32, f32),
    grid: f32,
}

impl Place {
    fn at(self, (x, y): (f32, f32)) -> Point {
        let snap = |n: f32| if self.grid > 0.0 { (n / self.grid).round() * self.grid } else { n };
        let along = |(from, to): (f32, f32), t: f32| snap(from + (to - from) * t);
        Point::from_xy(along(self.x, x), along(self.y, y))
    }
}

type Unit = (f32, f32);

#[derive(Clone, Debug)]
enum Piece {
    Line(Unit),
    Quad(Unit, Unit),
    Cubic(Unit, Unit, Unit),
}

type Figure = (Unit, Vec<Piece>, bool);

fn unit() -> impl Strategy<Value = Unit> {
    let number = || prop_oneof![6 => 0.0_f32..=1.0, 1 => Just(0.0), 1 => Just(1.0), 1 => Just(0.5)];
    (number(), number())
}

fn figure() -> impl Strategy<Value = Figure> {
    let piece = prop_oneof![
        unit().prop_map(Piece::Line),
        (unit(), unit()).prop_map(|(a, b)| Piece::Quad(a, b)),
        (unit(), unit(), unit()).prop_map(|(a, b, c)| Piece::Cubic(a, b, c)),
    ];
    (unit(), prop::collection::vec(piece, 1..9), any::<bool>())
}

fn drawn(figures: &[Figure], place: Place, back: Transform) -> Option<Path> {
    let at = |unit: &Unit| {
        let mut point = place.at(*unit);
        back.map_point(&mut point);
        (point.x, point.y)
    };
    let mut builder = PathBuilder::new();
    for (start, pieces, closed) in figures {
        let (x, y) = at(start);
        builder.move_to(x, y);
        for piece in pieces {
            match piece {
                Piece::Line(a) => builder.line_to(at(a).0, at(a).1),
                Piece::Quad(a, b) => builder.quad_to(at(a).0, at(a).1, at(b).0, at(b).1),
                Piece::Cubic(a, b, c) => {
                    let ((x1, y1), (x2, y2), (x, y)) = (at(a), at(b), at(c));
                    builder.cubic_to(x1, y1, x2, y2, x, y);
                }
            }
        }
        if *closed {
            builder.close();
        }
    }
    builder.finish()
}

/// The size of a picture, and a place within it or about it.
fn place() -> impl Strategy<Value = ((u32, u32), Place)> {
    let size = prop_oneof![
        4 => (1_u32..90, 1_u32..90),
        1 => (Just(1_u32), 1_u32..70),
        1 => (1_u32..300, Just(1_u32)),
        1 => (150_u32..700, 20_u32..200),
    ];
    let span = || {
        prop_oneof![
            4 => Just((0.0_f32, 1.0_f32)),
            4 => (0.0_f32..1.0, 0.0_f32..1.0),
            2 => (0.0_f32..1.0).prop_map(|from| (from, from + 0.01)),
            1 => (-0.2_f32..1.2, -0.2_f32..1.2),
            1 => (-40.0_f32..40.0, -40.0_f32..40.0),
        ]
    };
    let grid = prop_oneof![5 => Just(0.0_f32), 1 => Just(1.0), 1 => Just(0.25), 1 => Just(0.125), 1 => Just(1.0 / 64.0)];
    (size, span(), span(), grid).prop_map(|((width, height), x, y, grid)| {
        let scaled = |(from, to): (f32, f32), side: u32| (from * side as f32, to * side as f32);
        ((width, height), Place { x: scaled(x, width), y: scaled(y, height), grid })
    })
}

fn transform() -> impl Strategy<Value = Transform> {
    let n = || -3.0_f32..3.0;
    prop_oneof![
        3 => Just(Transform::identity()),
        1 => (n(), n()).prop_map(|(x, y)| Transform::from_translate(x, y)),
        1 => (n(), n(), n(), n()).prop_map(|(a, b, x, y)| Transform::from_row(a, 0.0, 0.0, b, x, y)),
        2 => (n(), n(), n(), n(), n(), n()).prop_map(|(a, b, c, d, x, y)| Transform::from_row(a, b, c, d, x, y)),
    ]
}

fn color() -> impl Strategy<Value = Color> {
    let alpha = prop_oneof![2 => Just(255_u8), 3 => any::<u8>()];
    (any::<[u8; 3]>(), alpha).prop_map(|([r, g, b], a)| Color::from_rgba8(r, g, b, a))
}

fn mode() -> impl Strategy<Value = BlendMode> {
    prop_oneof![
        4 => Just(BlendMode::SourceOver),
        1 => Just(BlendMode::Source),
        1 => Just(BlendMode::Clear)
    ]
}

fn rule() -> impl Strategy<Value = FillRule> {
    prop_oneof![Just(FillRule::Winding), Just(FillRule::EvenOdd)]
}

fn stroke() -> impl Strategy<Value = Stroke> {
    let width = prop_oneof![3 => 0.5_f32..12.0, 1 => 0.0_f32..80.0];
    let cap = prop_oneof![Just(LineCap::Butt), Just(LineCap::Round), Just(LineCap::Square)];
    let join = prop_oneof![
        Just(LineJoin::Miter),
        Just(LineJoin::Round),
        Just(LineJoin::Bevel),
        Just(LineJoin::MiterClip)
    ];
    let dash = prop::option::weighted(0.2, (2.0_f32..9.0, 1.0_f32..9.0, 0.0_f32..20.0));
    (width, cap, join, 0.5_f32..8.0, dash).prop_map(|(width, line_cap, line_join, miter_limit, dash)| {
        let dash = dash.and_then(|(on, off, from)| StrokeDash::new(vec![on, off], from));
        Stroke { width, miter_limit, line_cap, line_join, dash }
    })
}

fn case(stroke: impl Strategy<Value = Option<Stroke>>) -> impl Strategy<Value = Option<Case>> {
    let figures = prop::collection::vec(figure(), 1..4);
    (figures, place(), transform(), color(), mode(), rule(), stroke).prop_map(
        |(figures, (size, place), ts, color, mode, rule, stroke)| {
            // The points are placed in the picture, as the transform leaves them.
            let path = drawn(&figures, place, ts.invert()?)?;
            Some(Case { path, stroke, rule, color, mode, gradient: None, ts, size })
        },
    )
}

fn gradient() -> impl Strategy<Value = Gradient> {
    let n = || prop_oneof![4 => -1.5_f32..1.5, 1 => Just(0.0_f32), 1 => Just(1.0)];
    let circle = (n(), n(), 0.01_f32..2.0).prop_map(|(x, y, r)| Kind::Radial([x, y, 0.0, x, y, r]));
    let kind = prop_oneof![
        4 => [n(), n(), n(), n()].prop_map(Kind::Linear),
        4 => circle,
        1 => (n(), n(), 0.0_f32..0.4, n(), n(), 0.0_f32..1.5)
            .prop_map(|(fx, fy, fr, cx, cy, r)| Kind::Radial([fx, fy, fr, cx, cy, r])),
    ];
    let offset = || prop_oneof![3 => 0.0_f32..=1.0, 1 => Just(0.0_f32), 1 => Just(1.0), 1 => Just(0.5)];
    let stop = || (offset(), color());
    let even = (2_usize..6, prop::collection::vec(color(), 6)).prop_map(|(count, colors)| {
        let last = (count - 1) as f32;
        colors.into_iter().take(count).enumerate().map(|(at, color)| (at as f32 / last, color)).collect()
    });
    let stops = prop_oneof![
        2 => (color(), color()).prop_map(|(a, b)| vec![(0.0, a), (1.0, b)]),
        2 => prop::collection::vec(stop(), 1..6).prop_map(|mut stops: Vec<(f32, Color)>| {
            stops.sort_by(|a, b| a.0.total_cmp(&b.0));
            stops
        }),
        1 => prop::collection::vec(stop(), 2..6),
        2 => even,
    ];
    let spread = prop_oneof![2 => Just(SpreadMode::Pad), 1 => Just(SpreadMode::Reflect), 1 => Just(SpreadMode::Repeat)];
    let size = prop_oneof![5 => 5.0_f32..120.0, 1 => 0.01_f32..5.0, 1 => 200.0_f32..9000.0];
    (kind, stops, spread, transform(), size).prop_map(|(kind, stops, spread, ts, size)| {
        let ts = ts.pre_scale(size, size);
        Gradient { kind, stops, spread, ts }
    })
}

fn with_gradient(case: impl Strategy<Value = Option<Case>>) -> impl Strategy<Value = Option<Case>> {
    (case, gradient()).prop_map(|(case, gradient)| {
        let back = case.as_ref()?.ts.invert()?;
        // It is as large as `gradient` has it on the picture.
        let gradient = Some(Gradient { ts: gradient.ts.post_concat(back), ..gradient });
        Some(Case { gradient, mode: BlendMode::SourceOver, ..case? })
    })
}

/// Runs all cases with one filler, so that state left by one case would show in the next.
fn run(cases: u32, strategy: impl Strategy<Value = Option<Case>>, least: f64) {
    let seed = std::env::var("FILL_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(7);
    let cases = std::env::var("FILL_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(cases);
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(seed),
        ..ProptestConfig::default()
    };
    let filler = std::cell::RefCell::new(Filler::default());
    let taken = std::cell::Cell::new(0_u32);
    proptest::test_runner::TestRunner::new(config)
        .run(&strategy, |case| {
            let Some(case) = case else { return Ok(()) };
            let ours = compare(&mut filler.borrow_mut(), &case).map_err(TestCaseError::fail)?;
            taken.set(taken.get() + u32::from(ours));
            Ok(())
        })
        .unwrap_or_else(|wrong| panic!("{wrong}"));
    println!("{} of {cases} were ours", taken.get());
    assert!(f64::from(taken.get()) >= least * f64::from(cases), "{} of {cases}", taken.get());
}

#[test]
fn fills_at_random_are_those_of_tiny_skia() {
    run(6_000, case(Just(None)), 0.5);
}

#[test]
fn strokes_at_random_are_those_of_tiny_skia() {
    run(3_000, case(stroke().prop_map(Some)), 0.4);
}

#[test]
fn gradients_at_random_are_those_of_tiny_skia() {
    run(6_000, with_gradient(case(prop_oneof![3 => Just(None), 1 => stroke().prop_map(Some)])), 0.4);
}
