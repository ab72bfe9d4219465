//! Typed weights along outlines: no lumps between anchors, and points that move continuously.

use bone_core::{BoneId, BoneSpec, Skeleton, SkeletonBuilder};
use bone_skin::{
    BLine, BindOptions, BoneWeights, Follow, PosedDrawing, Skin, SkinBlend, VertexWeights, Weights, deform,
};
use kurbo::{
    BezPath, CubicBez, ParamCurve, ParamCurveCurvature, ParamCurveDeriv, PathEl, PathSeg, Point, Vec2,
};
use proptest::prelude::*;

use crate::limb::bent;

fn skeleton() -> Skeleton {
    SkeletonBuilder::new()
        .bone(BoneSpec::new("upper", 50.0))
        .bone(BoneSpec::new("fore", 50.0).parent("upper").origin(50.0, 0.0))
        .build()
        .expect("two bones")
}

/// A closed outline through points, with the tangents of a Catmull-Rom spline.
fn spline(points: &[(f64, f64)]) -> BezPath {
    let at = |i: usize| Point::from(points[i % points.len()]);
    let count = points.len();
    let tangent = |i: usize| (at(i + 1) - at(i + count - 1)) / 6.0;
    let mut path = BezPath::new();
    path.move_to(at(0));
    for i in 0..count {
        path.curve_to(at(i) + tangent(i), at(i + 1) - tangent((i + 1) % count), at(i + 1));
    }
    path.close_path();
    path
}

fn two_bones(fore: &[f64]) -> Vec<VertexWeights> {
    let row = |fore: &f64| {
        BoneWeights::new([(BoneId::new(0), 1.0 - fore), (BoneId::new(1), *fore)]).expect("weights")
    };
    fore.iter().map(row).map(VertexWeights::new).collect()
}

fn posed(path: &BezPath, weights: &[VertexWeights], degrees: f64, follow: bool) -> BezPath {
    let skeleton = skeleton();
    let follow =
        if follow { Follow::Curves { skeleton: &skeleton, tolerance: 0.02 } } else { Follow::ControlPoints };
    let mut skin = Skin::new();
    let options = BindOptions { blend: SkinBlend::AreaPreserving, follow, ..BindOptions::default() };
    let id = skin.bind(&BLine::from_path(path), &Weights::Explicit(weights), &options).expect("it fits");
    let mut posed = PosedDrawing::new(&skin);
    deform(&skin, &bent(&skeleton, degrees), None, &mut posed);
    posed.path(id).expect("a bound path").clone()
}

/// How often the outline turns from one side to the other. Where it is straight to within a thousandth of a
/// unit of curvature it has no side.
fn inflections(path: &BezPath) -> usize {
    let cubics = path.segments().filter_map(|segment| match segment {
        PathSeg::Cubic(cubic) => Some(cubic),
        _ => None,
    });
    let curvatures = cubics.flat_map(|cubic: CubicBez| {
        (0..64).map(move |i| (f64::from(i) + 0.5) / 64.0).map(move |t| cubic.curvature(t))
    });
    let sides: Vec<bool> = curvatures.filter(|k| k.abs() > 1e-3).map(|k| k > 0.0).collect();
    let next = sides.iter().cycle().skip(1);
    sides.iter().zip(next).filter(|(a, b)| a != b).count()
}

/// Eight vertices with a waist at the joint.
const LIMB: [(f64, f64); 8] = [
    (0.0, -16.0),
    (38.0, -9.0),
    (62.0, -9.0),
    (100.0, -16.0),
    (100.0, 16.0),
    (62.0, 9.0),
    (38.0, 9.0),
    (0.0, 16.0),
];

#[test]
fn a_limb_has_no_more_inflections_than_its_control_points_give() {
    let (limb, weights) = (spline(&LIMB), two_bones(&[0.0, 0.2, 0.8, 1.0, 1.0, 0.8, 0.2, 0.0]));
    assert_eq!(inflections(&limb), 4);
    for degrees in [30.0, -45.0, 60.0, 90.0] {
        let (curves, points) =
            (posed(&limb, &weights, degrees, true), posed(&limb, &weights, degrees, false));
        let (curves, points) = (inflections(&curves), inflections(&points));
        println!("{degrees} degrees: {curves} inflections, by control points {points}");
        assert!(
            curves <= points.max(4),
            "{degrees} degrees: {curves} inflections, by control points {points}"
        );
    }
}

fn points(path: &BezPath) -> Vec<Point> {
    let all = path.elements().iter().flat_map(|element| match *element {
        PathEl::MoveTo(p) | PathEl::LineTo(p) => vec![p],
        PathEl::QuadTo(a, b) => vec![a, b],
        PathEl::CurveTo(a, b, c) => vec![a, b, c],
        PathEl::ClosePath => vec![],
    });
    all.collect()
}

/// Between poses that differ by next to nothing every control point moves by next to nothing, also where all
/// bones of a segment move as one.
#[test]
fn control_points_move_continuously_through_the_setup_pose() {
    let (limb, weights) = (spline(&LIMB), two_bones(&[0.0, 0.2, 0.8, 1.0, 1.0, 0.8, 0.2, 0.0]));
    let at = |degrees: f64| points(&posed(&limb, &weights, degrees, true));
    let mut before = at(-0.02);
    for degrees in [-0.01, -1e-4, 0.0, 1e-4, 0.01, 0.02] {
        let now = at(degrees);
        assert_eq!(now.len(), before.len());
        let moved = now.iter().zip(&before).map(|(a, b)| (*a - *b).hypot()).fold(0.0, f64::max);
        assert!(moved < 0.05, "{degrees} degrees: a control point moved by {moved}");
        before = now;
    }
    // Cut at the same places, the outline at rest is the drawn one.
    let rest = posed(&limb, &weights, 0.0, true);
    let drawn: Vec<PathSeg> = limb.segments().collect();
    for segment in rest.segments() {
        use kurbo::ParamCurveNearest;
        for t in [0.0, 0.3, 0.7, 1.0] {
            let near = drawn.iter().map(|s| s.nearest(segment.eval(t), 1e-12).distance_sq);
            assert!(near.fold(f64::INFINITY, f64::min).sqrt() < 1e-6);
        }
    }
}

/// The direction of the outline on both sides of each anchor.
fn bends(path: &BezPath) -> Vec<f64> {
    let cubics: Vec<PathSeg> = path.segments().collect();
    let direction = |segment: &PathSeg, t: f64| -> Vec2 {
        match segment {
            PathSeg::Cubic(cubic) => cubic.deriv().eval(t).to_vec2().normalize(),
            other => (other.end() - other.start()).normalize(),
        }
    };
    let next = cubics.iter().cycle().skip(1);
    cubics.iter().zip(next).map(|(a, b)| direction(a, 1.0).cross(direction(b, 0.0)).abs()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn smooth_outlines_stay_smooth_whatever_is_typed(
        fore in prop::collection::vec(0..=10_u8, 8),
        degrees in -120.0..120.0_f64,
    ) {
        let fore: Vec<f64> = fore.iter().map(|w| f64::from(*w) / 10.0).collect();
        let path = posed(&spline(&LIMB), &two_bones(&fore), degrees, true);
        for bend in bends(&path) {
            prop_assert!(bend < 1e-6, "{bend}");
        }
    }
}
