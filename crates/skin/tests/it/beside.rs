//! Pieces that no bone enters, beside pieces with bones.
#![allow(clippy::print_stdout, reason = "the figures are part of what the tests show")]

use bone_core::BoneId;
use bone_skin::{
    BLine, BindOptions, BoneSegment, CoveredShape, FieldOptions, Follow, Method, PosedDrawing, Skin,
    SolvedField, Weights, WindingRule, deform, solve_weights,
};
use kurbo::{BezPath, ParamCurve, ParamCurveNearest, Point, Shape};

use crate::limb;

/// A leg of two bones that meet at (150, 0), half as deep as this.
const DEPTH: f64 = 24.0;
const LEG: &str = "M0 -24H300V24H0Z";
/// A trim 7 units outside, 9 wide.
const TRIM: (f64, f64) = (7.0, 9.0);

fn path(svg: &str) -> BezPath {
    BezPath::from_svg(svg).expect("a path")
}

fn trim() -> BezPath {
    let (near, far) = (DEPTH + TRIM.0, DEPTH + TRIM.0 + TRIM.1);
    path(&format!("M70 -{far}H230V-{near}H70Z"))
}

fn field(paths: &[BezPath], method: Method) -> SolvedField {
    let covered = |path| CoveredShape { path, fill: Some(WindingRule::NonZero), stroke_width: 0.0 };
    let shapes: Vec<CoveredShape<'_>> = paths.iter().map(covered).collect();
    let bone = |i, x: f64| BoneSegment {
        bone: BoneId::new(i),
        origin: Point::new(x, 0.0),
        tip: Point::new(x + 150.0, 0.0),
        region: None,
    };
    let bones = [bone(0, 0.0), bone(1, 150.0)];
    solve_weights(&shapes, &bones, method, FieldOptions::default()).expect("solvable").0
}

fn shin(field: &SolvedField, x: f64, y: f64) -> f64 {
    let mut row = [0.0; 2];
    field.weights_at(Point::new(x, y), &mut row);
    row[1]
}

/// The outlines with the shin turned by an angle.
fn bent(paths: &[BezPath], degrees: f64) -> Vec<BezPath> {
    let skeleton = limb::limb(150.0);
    let field = field(paths, Method::Heat);
    let mut skin = Skin::new();
    let follow = Follow::Curves { skeleton: &skeleton, tolerance: 0.05 };
    for path in paths {
        let lines = BLine::from_path(path);
        let options = BindOptions { follow, ..BindOptions::default() };
        skin.bind(&lines, &Weights::Field(&field), &options).expect("bound");
    }
    let matrices = limb::bent(&skeleton, degrees);
    let mut posed = PosedDrawing::new(&skin);
    deform(&skin, &matrices, None, &mut posed);
    posed.paths().to_vec()
}

fn distance(path: &BezPath, at: Point) -> f64 {
    path.segments().map(|s| s.nearest(at, 1e-6).distance_sq).fold(f64::INFINITY, f64::min).sqrt()
}

/// Points all along an outline.
fn along(path: &BezPath) -> Vec<Point> {
    path.segments().flat_map(|s| (0..64).map(move |i| s.eval(f64::from(i) / 64.0))).collect()
}

/// Area over the outline's winding: what a nonzero fill paints, counted on a grid of half units.
fn painted(path: &BezPath) -> f64 {
    let bounds = path.bounding_box();
    let (columns, rows) = ((bounds.width() * 2.0) as i32 + 1, (bounds.height() * 2.0) as i32 + 1);
    let at = |i: i32, j: i32| {
        Point::new(bounds.x0 + 0.25 + 0.5 * f64::from(i), bounds.y0 + 0.25 + 0.5 * f64::from(j))
    };
    let inside =
        (0..columns).flat_map(|i| (0..rows).map(move |j| at(i, j))).filter(|p| path.winding(*p) != 0);
    inside.count() as f64 * 0.25
}

/// A trim has, at every place, the weights of the nearest place of the leg.
#[test]
fn a_trim_has_the_weights_of_what_it_lies_beside() {
    for method in [Method::Heat, Method::Biharmonic] {
        let field = field(&[path(LEG), trim()], method);
        for x in (75..230).step_by(5).map(f64::from) {
            let leg = shin(&field, x, -DEPTH);
            for y in [TRIM.0, TRIM.0 + 0.5 * TRIM.1, TRIM.0 + TRIM.1] {
                let there = shin(&field, x, -DEPTH - y);
                assert!((there - leg).abs() < 0.03, "{method:?} {x}: {there} beside {leg}");
            }
        }
    }
}

/// On the outer side of a bend of 90 degrees the gap stays, and the trim is as long as a round band at its
/// distance from the joint: `l + r pi / 2`.
#[test]
fn a_trim_keeps_its_gap_outside_of_a_bend() {
    let posed = bent(&[path(LEG), trim()], 90.0);
    let gaps: Vec<f64> = along(&posed[1]).into_iter().map(|at| distance(&posed[0], at)).collect();
    let gap = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    // The leg ends nowhere near, so that the far side of the trim has one distance, too.
    let far = gaps.iter().copied().fold(0.0, f64::max);
    let middle = DEPTH + TRIM.0 + 0.5 * TRIM.1;
    let round = (160.0 + middle * std::f64::consts::FRAC_PI_2) * TRIM.1;
    let area = painted(&posed[1]);
    println!("gap {gap:.2}, far side {far:.2}, area {area:.0} beside {round:.0}");
    assert!((gap - TRIM.0).abs() < 1.0 && (far - TRIM.0 - TRIM.1).abs() < 1.5, "{gap} {far}");
    assert!((area / round - 1.0).abs() < 0.1, "{area} beside {round}");
}

/// On the inner side it does not lie on the leg up to 60 degrees.
#[test]
fn a_trim_does_not_enter_the_leg_inside_of_a_bend() {
    for degrees in [-20.0, -40.0, -60.0] {
        let posed = bent(&[path(LEG), trim()], degrees);
        let over = along(&posed[1]).into_iter().filter(|at| posed[0].winding(*at) != 0).count();
        assert_eq!(over, 0, "at {degrees} degrees");
    }
}

/// Buttons beside a joint keep their shape; a trim does not.
#[test]
fn what_is_small_moves_as_a_whole() {
    let button = path("M152 -38a5 5 0 1 1 -10 0a5 5 0 1 1 10 0Z");
    let field = field(&[path(LEG), button.clone(), path("M70 31H230V40H70Z")], Method::Heat);
    let rows: Vec<f64> = along(&button).iter().map(|at| shin(&field, at.x, at.y)).collect();
    let (least, most) = rows.iter().fold((1.0_f64, 0.0_f64), |(a, b), w| (a.min(*w), b.max(*w)));
    let leg = shin(&field, 147.0, -DEPTH);
    assert!(most - least < 1e-9, "{least} to {most}");
    assert!((least - leg).abs() < 0.03, "{least} beside {leg}");
    assert!(shin(&field, 80.0, 35.0) < 0.1 && shin(&field, 220.0, 35.0) > 0.9);
}

/// A piece that lies near with one end alone is between the leg and what is beyond: it moves by distance as a
/// whole, without a leap.
#[test]
fn what_is_mostly_far_moves_by_distance() {
    let beam = path("M160 -28L175 -28L175 -110L160 -110Z");
    let field = field(&[path(LEG), beam], Method::Heat);
    let up: Vec<f64> = (0..=160).map(|i| shin(&field, 167.0, -28.5 - 0.5 * f64::from(i))).collect();
    let leap = up.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
    assert!(leap < 0.05, "{leap}: {up:?}");
    let leg = shin(&field, 167.0, -DEPTH);
    assert!((up[0] - leg).abs() > 0.1, "{} beside {leg}", up[0]);
}
