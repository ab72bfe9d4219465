//! The pieces that deforming segments are cut into: the tolerance holds where joints bend, shift and scale,
//! and there are hardly more of them than a single pose needs.

use bone_core::{Angle, BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_skin::{
    BLine, BindOptions, Follow, PosedDrawing, Skin, SkinBlend, SkinMatrices, WeightField, Weights, deform,
};
use kurbo::{BezPath, CubicBez, ParamCurve, ParamCurveDeriv, ParamCurveNearest, PathSeg, Point, Vec2};

/// Three bones in a row along x, with smooth steps at 100 and 200.
struct Steps {
    bones: [BoneId; 3],
    half: f64,
}

impl WeightField for Steps {
    fn bones(&self) -> &[BoneId] {
        &self.bones
    }

    fn weights_at(&self, point: Point, weights: &mut [f64]) {
        let step = |at: f64| {
            let u = ((point.x - at + self.half) / (2.0 * self.half)).clamp(0.0, 1.0);
            u * u * u * (u * (6.0 * u - 15.0) + 10.0)
        };
        let (first, second) = (step(100.0), step(200.0));
        weights.copy_from_slice(&[1.0 - first, first - second, second]);
    }
}

fn skeleton() -> Skeleton {
    SkeletonBuilder::new()
        .bone(BoneSpec::new("a", 100.0))
        .bone(BoneSpec::new("b", 100.0).parent("a").origin(100.0, 0.0))
        .bone(BoneSpec::new("c", 100.0).parent("b").origin(100.0, 0.0))
        .build()
        .expect("three bones")
}

struct Chance(u64);

impl Chance {
    fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 40) as f64 / (1_u64 << 24) as f64)
    }
}

/// An outline from left to right and back, with handles of any length.
fn outline(chance: &mut Chance) -> BezPath {
    let mut points = Vec::new();
    let count = 3 + chance.within(0.0, 4.0) as usize;
    for (way, y) in [(1.0, -20.0), (-1.0, 20.0)] {
        for i in 0..count {
            let share = (i as f64 + 0.5) / count as f64 * 320.0 - 10.0;
            let x = if way > 0.0 { share } else { 300.0 - share };
            points.push((Point::new(x + chance.within(-9.0, 9.0), y + chance.within(-9.0, 9.0)), way));
        }
    }
    let mut path = BezPath::new();
    path.move_to(points[0].0);
    let next = points.iter().cycle().skip(1);
    let handle =
        |chance: &mut Chance, way: f64| Vec2::new(way * chance.within(5.0, 45.0), chance.within(-14.0, 14.0));
    for ((a, from), (b, to)) in points.iter().zip(next).take(points.len()) {
        let (out, arrive) = (handle(chance, *from), handle(chance, *to));
        path.curve_to(*a + out, *b - arrive, *b);
    }
    path.close_path();
    path
}

fn posed_at(pose: impl Fn(&mut Pose), skeleton: &Skeleton) -> SkinMatrices {
    let mut at = Pose::new(skeleton);
    pose(&mut at);
    let mut world = WorldPose::new(skeleton);
    world.forward(skeleton, &at).expect("no loop");
    let mut matrices = SkinMatrices::new(skeleton);
    matrices.update(skeleton, &at, &world);
    matrices
}

/// A joint is shifted and scaled.
fn shifted(joint: usize, (x, y, scale): (f64, f64, f64), skeleton: &Skeleton) -> SkinMatrices {
    let pose = |pose: &mut Pose| {
        let at = pose.bones[joint].origin;
        pose.bones[joint].origin = (at.x + x, at.y + y).into();
        pose.bones[joint].scale = (scale, scale).into();
    };
    posed_at(pose, skeleton)
}

fn bent(joint: usize, degrees: f64, skeleton: &Skeleton) -> SkinMatrices {
    posed_at(|pose| pose.bones[joint].angle = Angle::from_degrees(degrees), skeleton)
}

/// One joint bends, shifts or scales.
fn poses(skeleton: &Skeleton) -> Vec<SkinMatrices> {
    let of_joint = |joint: usize| {
        let bends = [40.0, 90.0, 150.0, -120.0].map(|degrees| bent(joint, degrees, skeleton));
        let shifts = [(45.0, 0.0, 1.0), (0.0, -45.0, 1.0), (30.0, 30.0, 1.4), (-20.0, 30.0, 0.6)];
        bends.into_iter().chain(shifts.map(|shift| shifted(joint, shift, skeleton)))
    };
    [1, 2].into_iter().flat_map(of_joint).collect()
}

/// The same by chance.
fn other_poses(chance: &mut Chance, skeleton: &Skeleton) -> Vec<SkinMatrices> {
    let of_joint = |joint: usize| {
        [(); 3].map(|()| {
            let shift = (chance.within(-50.0, 50.0), chance.within(-50.0, 50.0), chance.within(0.5, 1.5));
            let degrees = chance.within(-150.0, 150.0);
            [bent(joint, degrees, skeleton), shifted(joint, shift, skeleton)]
        })
    };
    [1, 2].map(of_joint).concat().concat()
}

/// The deformed outline of each segment, point by point.
fn truth(path: &BezPath, steps: &Steps, blend: SkinBlend, matrices: &SkinMatrices) -> Vec<Vec<Point>> {
    let options = BindOptions { blend, follow: Follow::ControlPoints, ..BindOptions::default() };
    let segment = |segment: PathSeg| {
        let mut polygon = BezPath::new();
        polygon.move_to(segment.start());
        (1..=DENSE).for_each(|i| polygon.line_to(segment.eval(i as f64 / DENSE as f64)));
        let mut skin = Skin::new();
        let id = skin.bind(&BLine::from_path(&polygon), &Weights::Field(steps), &options).expect("it fits");
        let mut posed = PosedDrawing::new(&skin);
        deform(&skin, matrices, None, &mut posed);
        let path = posed.path(id).expect("a bound path");
        path.elements().iter().filter_map(kurbo::PathEl::end_point).collect()
    };
    path.segments().map(segment).collect()
}

const DENSE: usize = 256;

/// The pieces that bisection needs for one pose: cubics with the directions of the ends, their handles by
/// least squares, each divided in the middle until it is within the tolerance.
fn bisected(points: &[Point], tolerance: f64) -> usize {
    let last = points.len() - 1;
    let direction = |a: usize, b: usize| (points[b] - points[a]).normalize();
    let (leave, arrive) = (direction(0, 1), direction(last - 1, last));
    let (mut n, mut r) = ([0.0; 3], [0.0; 2]);
    for (i, point) in points.iter().enumerate() {
        let t = i as f64 / last as f64;
        let s = 1.0 - t;
        let b = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
        let rest = *point
            - (points[0].to_vec2() * (b[0] + b[1]) + points[last].to_vec2() * (b[2] + b[3])).to_point();
        let (u, v) = (leave * b[1], -arrive * b[2]);
        n = [n[0] + u.hypot2(), n[1] + u.dot(v), n[2] + v.hypot2()];
        r = [r[0] + u.dot(rest), r[1] + v.dot(rest)];
    }
    let determinant = n[0] * n[2] - n[1] * n[1];
    let (a, b) = ((r[0] * n[2] - r[1] * n[1]) / determinant, (r[1] * n[0] - r[0] * n[1]) / determinant);
    let fitted = CubicBez::new(points[0], points[0] + leave * a, points[last] - arrive * b, points[last]);
    let off = |(i, point): (usize, &Point)| {
        let t = i as f64 / last as f64;
        let along = fitted.deriv().eval(t).to_vec2();
        ((*point - fitted.eval(t)).cross(along) / along.hypot()).abs()
    };
    let worst = points.iter().enumerate().map(off).fold(0.0, f64::max);
    if worst <= tolerance || last < 8 {
        return 1;
    }
    bisected(&points[..=last / 2], tolerance) + bisected(&points[last / 2..], tolerance)
}

fn farthest(points: &[Point], path: &BezPath) -> f64 {
    let segments: Vec<PathSeg> = path.segments().collect();
    let off = |p: &Point| {
        let near = segments.iter().map(|s| s.nearest(*p, 1e-6).distance_sq);
        near.fold(f64::INFINITY, f64::min).sqrt()
    };
    points.iter().map(off).fold(0.0, f64::max)
}

/// `CASES=40` tries more outlines.
#[test]
fn the_tolerance_holds_where_joints_bend_shift_and_scale() {
    let skeleton = skeleton();
    let mut chance = Chance(11);
    let tolerance = 0.1;
    let cases: usize = std::env::var("CASES").map_or(12, |cases| cases.parse().expect("a number"));
    let mut figures = Vec::new();
    let poses = poses(&skeleton);
    for blend in [SkinBlend::Linear, SkinBlend::AreaPreserving] {
        let (mut worst, mut own, mut needed) = (0.0_f64, 0, 0);
        for case in 0..cases {
            let half = chance.within(15.0, 45.0);
            let steps = Steps { bones: [0, 1, 2].map(BoneId::new), half };
            let path = outline(&mut chance);
            let mut skin = Skin::new();
            let options = BindOptions {
                blend,
                follow: Follow::Curves { skeleton: &skeleton, tolerance },
                ..BindOptions::default()
            };
            let id = skin.bind(&BLine::from_path(&path), &Weights::Field(&steps), &options).expect("it fits");
            let mut posed = PosedDrawing::new(&skin);
            let mut most = 0;
            let others = other_poses(&mut Chance(case as u64), &skeleton);
            for (number, matrices) in poses.iter().chain(&others).enumerate() {
                deform(&skin, matrices, None, &mut posed);
                let found = posed.path(id).expect("a bound path");
                let truth = truth(&path, &steps, blend, matrices);
                let dense: Vec<Point> = truth.iter().flatten().step_by(4).copied().collect();
                worst = worst.max(farthest(&dense, found));
                if number < poses.len() {
                    most = most.max(truth.iter().map(|points| bisected(points, tolerance)).sum());
                }
            }
            own += posed.path(id).expect("a bound path").segments().count();
            needed += most;
        }
        println!("{blend:?}: at most {worst:.3} off, {own} pieces where one pose needs {needed}");
        figures.push((blend, worst, own, needed));
    }
    for (blend, worst, own, needed) in figures {
        assert!(worst <= tolerance, "{blend:?}: {worst} off at a tolerance of {tolerance}");
        assert!(own as f64 <= 1.15 * needed as f64, "{blend:?}: {own} pieces where one pose needs {needed}");
    }
}

/// Where all bones move as one, a segment of several pieces keeps its shape, to the last digit: its handles are
/// those at rest, moved.
#[test]
fn pieces_of_a_segment_that_moves_as_one_keep_their_shape() {
    let skeleton = skeleton();
    let steps = Steps { bones: [0, 1, 2].map(BoneId::new), half: 30.0 };
    let mut path = BezPath::new();
    path.move_to((0.0, -20.0));
    path.curve_to((100.0, -35.0), (200.0, -5.0), (300.0, -20.0));
    let mut skin = Skin::new();
    let options = BindOptions {
        blend: SkinBlend::AreaPreserving,
        follow: Follow::Curves { skeleton: &skeleton, tolerance: 0.1 },
        ..BindOptions::default()
    };
    let id = skin.bind(&BLine::from_path(&path), &Weights::Field(&steps), &options).expect("it fits");
    let posed_with = |degrees: f64| {
        let mut posed = PosedDrawing::new(&skin);
        let matrices = posed_at(|pose| pose.bones[0].angle = Angle::from_degrees(degrees), &skeleton);
        deform(&skin, &matrices, None, &mut posed);
        (posed.path(id).expect("a bound path").clone(), matrices.of(BoneId::new(0)))
    };
    let (rest, _) = posed_with(0.0);
    let (turned, matrix) = posed_with(37.0);
    let handles = |path: &BezPath| -> Vec<Point> {
        let handles = path.segments().map(|side| side.to_cubic());
        handles.flat_map(|cubic| [cubic.p1, cubic.p2]).collect()
    };
    let (rest, turned) = (handles(&rest), handles(&turned));
    assert!(rest.len() >= 8, "{} handles", rest.len());
    for (rest, turned) in rest.iter().zip(&turned) {
        assert_eq!(*turned, matrix * *rest);
    }
}
