//! Shared by the tests of automatic weights: shapes, bones, and a figure.

mod figure;

pub(crate) use figure::FIGURE;

use bone_core::BoneId;
use bone_skin::{
    BoneSegment, CoveredShape, FieldNote, FieldOptions, Method, SolvedField, WindingRule, solve_weights,
};
use kurbo::{BezPath, Point};

pub(crate) const METHODS: [Method; 4] = [Method::Rigid, Method::Envelope, Method::Heat, Method::Biharmonic];
pub(crate) const MESHED: [Method; 2] = [Method::Heat, Method::Biharmonic];

pub(crate) fn path(svg: &str) -> BezPath {
    BezPath::from_svg(svg).expect("a path")
}

pub(crate) fn filled(path: &BezPath) -> CoveredShape<'_> {
    CoveredShape { path, fill: Some(WindingRule::NonZero), stroke_width: 0.0 }
}

pub(crate) fn bones(lines: &[[f64; 4]]) -> Vec<BoneSegment> {
    let bone = |(i, l): (u32, &[f64; 4])| BoneSegment {
        bone: BoneId::new(i),
        origin: Point::new(l[0], l[1]),
        tip: Point::new(l[2], l[3]),
        region: None,
    };
    (0..).zip(lines).map(bone).collect()
}

pub(crate) fn solve(
    shapes: &[CoveredShape<'_>],
    bones: &[BoneSegment],
    method: Method,
) -> (SolvedField, Vec<FieldNote>) {
    // As in the papers: on a bone its weight is 1.
    let options = FieldOptions { softness: 0.0, ..FieldOptions::default() };
    solve_weights(shapes, bones, method, options).expect("solvable")
}

pub(crate) fn at(field: &SolvedField, x: f64, y: f64) -> Vec<f64> {
    let mut out = vec![f64::NAN; field.bones().len()];
    field.weights_at(Point::new(x, y), &mut out);
    let sum: f64 = out.iter().sum();
    assert!((sum - 1.0).abs() < 1e-12, "sum {sum} at {x} {y}");
    assert!(out.iter().all(|w| (0.0..=1.0).contains(w)), "{out:?} at {x} {y}");
    out
}

/// Points all over a box and a little beyond.
pub(crate) fn scatter(x0: f64, y0: f64, x1: f64, y1: f64) -> impl Iterator<Item = (f64, f64)> {
    (0..900).map(move |i| {
        let (s, t) = (f64::from(i % 30) / 29.0 * 1.2 - 0.1, f64::from(i / 30) / 29.0 * 1.2 - 0.1);
        (x0 + (x1 - x0) * s, y0 + (y1 - y0) * t)
    })
}

pub(crate) fn figure_bones() -> Vec<BoneSegment> {
    bones(&[
        [300.0, 390.0, 300.0, 190.0],
        [300.0, 190.0, 300.0, 40.0],
        [390.0, 215.0, 450.0, 290.0],
        [450.0, 290.0, 515.0, 385.0],
        [345.0, 400.0, 368.0, 510.0],
        [255.0, 400.0, 232.0, 510.0],
    ])
}
