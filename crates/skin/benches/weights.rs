//! Automatic weights: the cost for a character, alone, in many overlapping paths and with far too many
//! vertices. Prints only; there is no pass or fail.

#[path = "../tests/it/solving/figure.rs"]
mod figure;

use std::hint::black_box;
use std::time::Instant;

use bone_core::BoneId;
use bone_skin::{BoneSegment, CoveredShape, FieldOptions, Method, SolvedField, WindingRule, solve_weights};
use figure::FIGURE;
use kurbo::{BezPath, Point};

const BONES: [[f64; 4]; 9] = [
    [300.0, 390.0, 300.0, 190.0],
    [300.0, 190.0, 300.0, 40.0],
    [390.0, 215.0, 450.0, 290.0],
    [450.0, 290.0, 515.0, 385.0],
    [210.0, 215.0, 150.0, 290.0],
    [150.0, 290.0, 85.0, 385.0],
    [345.0, 400.0, 368.0, 510.0],
    [255.0, 400.0, 232.0, 510.0],
    [232.0, 510.0, 230.0, 610.0],
];

fn main() {
    summary();
}

fn bones() -> Vec<BoneSegment> {
    let bone = |(i, b): (u32, &[f64; 4])| BoneSegment {
        bone: BoneId::new(i),
        origin: Point::new(b[0], b[1]),
        tip: Point::new(b[2], b[3]),
        region: None,
    };
    (0..).zip(&BONES).map(bone).collect()
}

/// Rounded scales all over the figure, overlapping.
fn blobs(count: u32) -> Vec<BezPath> {
    let blob = |i: u32| {
        let (x, y) = (220.0 + f64::from(i % 12) * 15.0, 210.0 + f64::from(i / 12) * 9.0);
        let mut path = BezPath::new();
        path.move_to((x - 10.0, y));
        path.curve_to((x - 10.0, y - 9.0), (x + 10.0, y - 9.0), (x + 10.0, y));
        path.curve_to((x + 10.0, y + 14.0), (x - 10.0, y + 14.0), (x - 10.0, y));
        path.close_path();
        path
    };
    (0..count).map(blob).collect()
}

/// A saw-toothed square about the figure's bones.
fn rough(count: u32) -> BezPath {
    let mut path = BezPath::new();
    for i in 0..count {
        let (side, along) = (i * 4 / count, f64::from(i * 4 % count) / f64::from(count) * 600.0);
        let tooth = f64::from(i % 2) * 7.0;
        let point = match side {
            0 => (along, tooth),
            1 => (600.0 - tooth, along),
            2 => (600.0 - along, 600.0 - tooth),
            _ => (tooth, 600.0 - along),
        };
        if i == 0 { path.move_to(point) } else { path.line_to(point) }
    }
    path.close_path();
    path
}

fn best(runs: usize, mut work: impl FnMut()) -> f64 {
    let mut run = || {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..runs).map(|_| run()).fold(f64::INFINITY, f64::min)
}

#[allow(clippy::print_stdout, reason = "a bench prints its figures")]
fn summary() {
    let figure = BezPath::from_svg(FIGURE).expect("a path");
    let bones = bones();
    let shapes = [CoveredShape { path: &figure, fill: Some(WindingRule::NonZero), stroke_width: 0.0 }];
    let solve = |method| -> SolvedField {
        solve_weights(&shapes, &bones, method, FieldOptions::default()).expect("solvable").0
    };
    println!("A character outline, 9 bones, one core, mesh included:");
    println!("{:>12} {:>10} {:>10}", "method", "triangles", "ms");
    for (method, runs) in [(Method::Rigid, 20), (Method::Heat, 20), (Method::Biharmonic, 5)] {
        let count = solve(method).triangles().len();
        let time = best(runs, || drop(black_box(solve(method))));
        println!("{:>12} {count:>10} {time:>10.2}", format!("{method:?}"));
    }
    let scales = blobs(240);
    let stroked = |path| CoveredShape { path, fill: Some(WindingRule::NonZero), stroke_width: 6.0 };
    let many: Vec<CoveredShape<'_>> = shapes.iter().copied().chain(scales.iter().map(stroked)).collect();
    let rough = rough(100_000);
    let rough = [CoveredShape { path: &rough, ..shapes[0] }];
    println!("\nOther drawings, heat:");
    for (name, shapes) in [("240 stroked paths on it", &many[..]), ("100,000 vertices", &rough[..])] {
        let solve = || solve_weights(shapes, &bones, Method::Heat, FieldOptions::default());
        let count = solve().expect("solvable").0.triangles().len();
        let time = best(5, || drop(black_box(solve())));
        println!("{name:>24} {count:>10} {time:>10.2}");
    }
    let field = solve(Method::Heat);
    let mut out = vec![0.0; bones.len()];
    let points: Vec<Point> =
        (0..10_000).map(|i| Point::new(f64::from(i % 100) * 6.2, f64::from(i / 100) * 6.5)).collect();
    let time = best(5, || points.iter().for_each(|&p| field.weights_at(p, black_box(&mut out))));
    println!("weights at a point: {:.0} ns", time * 1e6 / points.len() as f64);
}
