//! Shared by the tests of automatic weights: shapes, bones, and a figure.

use bone_core::BoneId;
use kurbo::{BezPath, Point};
use skin::{
    BoneSegment, CoveredShape, FieldNote, FieldOptions, Method, SolvedField, WindingRule, solve_weights,
};

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

pub(crate) const FIGURE: &str = "M300 20 C345 20 372 55 368 95 C365 125 352 148 335 158 L336 178 C370 182 400 188 420 205 \
    C455 238 490 300 522 352 C536 372 534 392 518 398 C502 404 488 392 478 376 C452 334 428 298 404 270 \
    C400 310 396 345 398 380 C404 440 402 505 398 560 C400 585 418 600 440 606 L352 632 \
    C342 630 340 620 342 606 C340 545 330 470 306 410 L294 410 C270 470 260 545 258 606 L170 632 \
    C154 630 150 616 160 606 C182 600 200 585 202 560 C198 505 196 440 202 380 C204 345 200 310 196 270 \
    C172 298 148 334 122 376 C112 392 98 404 82 398 C66 392 64 372 78 352 C110 300 145 238 180 205 \
    C200 188 230 182 264 178 L265 158 C248 148 235 125 232 95 C228 55 255 20 300 20 Z";

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
