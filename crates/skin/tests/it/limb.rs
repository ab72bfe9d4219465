//! The deformation of curves against independent data: limbs bent at one joint, samples from another program.
#![allow(clippy::print_stdout, reason = "the figures are part of what the tests show")]

use bone_core::{Angle, BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_skin::{
    BLine, BindOptions, Follow, PosedDrawing, Skin, SkinBlend, SkinMatrices, WeightField, Weights, deform,
};
use kurbo::{Affine, BezPath, ParamCurve, ParamCurveNearest, PathSeg, Point, Shape};
use serde_json::Value;

/// The limb's own weights: a quintic step across the joint, along x.
struct Step {
    bones: [BoneId; 2],
    joint: f64,
    half: f64,
}

impl WeightField for Step {
    fn bones(&self) -> &[BoneId] {
        &self.bones
    }

    fn weights_at(&self, point: Point, weights: &mut [f64]) {
        let u = ((point.x - self.joint + self.half) / (2.0 * self.half)).clamp(0.0, 1.0);
        weights[1] = u * u * u * (u * (6.0 * u - 15.0) + 10.0);
        weights[0] = 1.0 - weights[1];
    }
}

struct Case {
    path: BezPath,
    step: Step,
    bend: f64,
    blend: SkinBlend,
    truth: Vec<Point>,
    width: f64,
    rest_area: f64,
    truth_area: f64,
}

fn point(value: &Value) -> Point {
    Point::new(value[0].as_f64().expect("x"), value[1].as_f64().expect("y"))
}

fn cases() -> Vec<Case> {
    let text = include_str!("../data/limb_cases.json");
    let all: Value = serde_json::from_str(text).expect("JSON");
    let all = all.as_array().expect("a list");
    all.iter()
        .map(|case| {
            let number = |key: &str| case[key].as_f64().expect("a number");
            let segments = case["segments"].as_array().expect("segments");
            let mut path = BezPath::new();
            path.move_to(point(&segments[0][0]));
            for s in segments {
                path.curve_to(point(&s[1]), point(&s[2]), point(&s[3]));
            }
            path.close_path();
            let samples = case["truth_samples_17_per_segment"].as_array().expect("samples");
            let truth =
                samples.iter().flat_map(|s| s.as_array().expect("points").iter().map(point)).collect();
            Case {
                path,
                step: Step {
                    bones: [BoneId::new(0), BoneId::new(1)],
                    joint: case["joint"][0].as_f64().expect("x"),
                    half: number("blend_halfwidth"),
                },
                bend: number("bend_deg"),
                blend: if case["method"] == "lbs" { SkinBlend::Linear } else { SkinBlend::AreaPreserving },
                truth,
                width: 2.0 * number("radius"),
                rest_area: number("rest_area"),
                truth_area: number("truth_area"),
            }
        })
        .collect()
}

pub(crate) fn limb(joint: f64) -> Skeleton {
    SkeletonBuilder::new()
        .bone(BoneSpec::new("upper", joint))
        .bone(BoneSpec::new("fore", joint).parent("upper").origin(joint, 0.0))
        .build()
        .expect("two bones")
}

/// The second bone turned.
pub(crate) fn bent(skeleton: &Skeleton, degrees: f64) -> SkinMatrices {
    let mut pose = Pose::new(skeleton);
    pose.bones[1].angle = Angle::from_degrees(degrees);
    let mut world = WorldPose::new(skeleton);
    world.forward(skeleton, &pose).expect("no loop");
    let mut matrices = SkinMatrices::new(skeleton);
    matrices.update(skeleton, &pose, &world);
    matrices
}

fn posed(case: &Case, degrees: f64, blend: SkinBlend, tolerance: f64) -> (BezPath, SkinMatrices) {
    let skeleton = limb(case.step.joint);
    let mut skin = Skin::new();
    let options = BindOptions {
        blend,
        follow: Follow::Curves { skeleton: &skeleton, tolerance },
        ..BindOptions::default()
    };
    let lines = BLine::from_path(&case.path);
    let id = skin.bind(&lines, &Weights::Field(&case.step), &options).expect("it fits");
    let matrices = bent(&skeleton, degrees);
    let mut posed = PosedDrawing::new(&skin);
    deform(&skin, &matrices, None, &mut posed);
    (posed.path(id).expect("a bound path").clone(), matrices)
}

/// From every point to the path.
fn farthest(points: &[Point], path: &BezPath) -> f64 {
    let segments: Vec<PathSeg> = path.segments().collect();
    let off = |p: &Point| {
        let nearest = |s: &PathSeg| s.nearest(*p, 1e-6).distance_sq;
        segments.iter().map(nearest).fold(f64::INFINITY, f64::min).sqrt()
    };
    points.iter().map(off).fold(0.0, f64::max)
}

fn dense(path: &BezPath, per_segment: u32) -> Vec<Point> {
    let ts = || (0..=per_segment).map(move |i| f64::from(i) / f64::from(per_segment));
    path.segments().flat_map(|s| ts().map(move |t| s.eval(t))).collect()
}

/// Half a percent of the width, with at most twenty cubics where the drawing has eight.
#[test]
fn posed_limbs_match_the_reference() {
    for case in cases().iter().filter(|case| case.bend <= 150.0) {
        let (path, _) = posed(case, case.bend, case.blend, 0.24);
        let off = farthest(&case.truth, &path) / case.width * 100.0;
        let cubics = path.segments().count();
        let area = (path.area() / case.truth_area - 1.0) * 100.0;
        println!(
            "{:?}, half width {}, bend {}: {off:.3} % of the width, {cubics} cubics, area {area:+.3} %",
            case.blend, case.step.half, case.bend
        );
        assert!(off <= 0.5 && cubics <= 20 && area.abs() <= 0.5);
    }
}

/// All modes, against points of the outline deformed one by one: no part of either is far from the other.
#[test]
fn every_mode_follows_its_own_dense_truth() {
    let cases = cases();
    for blend in [SkinBlend::Linear, SkinBlend::AreaPreserving, SkinBlend::RotationCenters] {
        for case in [&cases[0], &cases[8], &cases[16], &cases[24]] {
            for bend in [0.0, 30.0, 60.0, 90.0, 120.0, 150.0, -150.0] {
                let (path, matrices) = posed(case, bend, blend, 0.24);
                let (truth, width_there) = dense_truth(case, blend, &matrices, 150);
                let there = farthest(&dense(&truth, 1), &path) / case.width * 100.0;
                let back = farthest(&dense(&path, 12), &truth) / case.width * 100.0;
                let cubics = path.segments().count();
                println!(
                    "{blend:?}, half width {}, bend {bend}: {there:.3} % and {back:.3} % of the width, {cubics} cubics, \
                     {width_there:.1} % of the width left, area {:+.2} %",
                    case.step.half,
                    (truth.area() / case.rest_area - 1.0) * 100.0
                );
                assert!(there <= 0.5 && back <= 0.5 && cubics <= 20);
            }
        }
    }
}

/// The deformed outline as a polygon of many points, each bound by itself; and the width left at the joint.
fn dense_truth(case: &Case, blend: SkinBlend, matrices: &SkinMatrices, per_segment: u32) -> (BezPath, f64) {
    let mut polygon = BezPath::new();
    for (i, point) in dense(&case.path, per_segment).into_iter().enumerate() {
        if i == 0 { polygon.move_to(point) } else { polygon.line_to(point) }
    }
    let mut skin = Skin::new();
    let options = BindOptions { blend, follow: Follow::ControlPoints, ..BindOptions::default() };
    let id = skin.bind(&BLine::from_path(&polygon), &Weights::Field(&case.step), &options).expect("it fits");
    let mut posed = PosedDrawing::new(&skin);
    deform(&skin, matrices, None, &mut posed);
    // At the joint both weights are one half: the positions of its outer and inner point, whatever the
    // outline does there.
    let mut across = BezPath::new();
    across.move_to((case.step.joint, case.width / 2.0));
    across.line_to((case.step.joint, -case.width / 2.0));
    let mut ruler = Skin::new();
    let at = ruler.bind(&BLine::from_path(&across), &Weights::Field(&case.step), &options).expect("it fits");
    let mut measured = PosedDrawing::new(&ruler);
    deform(&ruler, matrices, None, &mut measured);
    let width = measured
        .path(at)
        .expect("a bound path")
        .segments()
        .map(|s| (s.end() - s.start()).hypot())
        .sum::<f64>();
    (posed.path(id).expect("a bound path").clone(), width / case.width * 100.0)
}

/// Dual complex blending keeps signed area when weights vary along the bone only.
#[test]
fn area_is_kept_where_it_can_be() {
    for case in [&cases()[1], &cases()[9]] {
        for bend in [30.0, 90.0, 150.0] {
            let skeleton = limb(case.step.joint);
            let matrices = bent(&skeleton, bend);
            let (truth, _) = dense_truth(case, SkinBlend::AreaPreserving, &matrices, 1500);
            let (rest, _) = dense_truth(case, SkinBlend::AreaPreserving, &bent(&skeleton, 0.0), 1500);
            // The polygon has an error of its own, which decreases with the square of the distance of its
            // points.
            let drift = truth.area() / rest.area() - 1.0;
            println!("bend {bend}: signed area drifts by {drift:.2e}");
            assert!(drift.abs() < 1e-6, "{drift:e}");
        }
    }
}

/// The break of direction at every joint between cubics that is smooth at rest, in degrees.
#[test]
fn smooth_vertices_stay_smooth() {
    for case in cases().iter().step_by(2) {
        for blend in [SkinBlend::Linear, SkinBlend::AreaPreserving, SkinBlend::RotationCenters] {
            for bend in [30.0, 90.0, 150.0] {
                let (path, _) = posed(case, bend, blend, 0.24);
                let segments: Vec<PathSeg> = path.segments().collect();
                for (i, a) in segments.iter().enumerate() {
                    let b = &segments[(i + 1) % segments.len()];
                    let (PathSeg::Cubic(a), PathSeg::Cubic(b)) = (a, b) else { continue };
                    let (arrive, leave) = (a.p3 - a.p2, b.p1 - b.p0);
                    let size = arrive.hypot() * leave.hypot();
                    if size > 1e-9 {
                        let kink = (arrive.cross(leave) / size).abs().min(1.0);
                        let back = arrive.dot(leave) < 0.0;
                        // 0.1 degrees.
                        assert!(kink < 1.745e-3 && !back, "{blend:?} {bend} at {:?}: {kink}", a.p3);
                    }
                }
            }
        }
    }
}

/// An edge that two shapes share, one along it and one against it, is the same edge in every pose.
#[test]
fn shared_edges_stay_shared() {
    let case = &cases()[16];
    let skeleton = limb(case.step.joint);
    let edge = "C60 20 140 -20 180 5";
    let forward = BezPath::from_svg(&format!("M20 0 {edge} L180 60 L20 60 Z")).expect("path data");
    let backward = BezPath::from_svg("M20 -60 L180 -60 L180 5 C140 -20 60 20 20 0 Z").expect("path data");
    for blend in [SkinBlend::Linear, SkinBlend::AreaPreserving, SkinBlend::RotationCenters] {
        let mut skin = Skin::new();
        let options = BindOptions {
            blend,
            follow: Follow::Curves { skeleton: &skeleton, tolerance: 0.1 },
            ..BindOptions::default()
        };
        let ids = [&forward, &backward].map(|path| {
            skin.bind(&BLine::from_path(path), &Weights::Field(&case.step), &options).expect("it fits")
        });
        // Centres of rotation depend on a path's own outline: there edges agree only within the tolerance.
        let exact = blend != SkinBlend::RotationCenters;
        let mut posed = PosedDrawing::new(&skin);
        deform(&skin, &bent(&skeleton, 110.0), None, &mut posed);
        let cubics = |which: usize| -> Vec<[Point; 4]> {
            let of = |s: PathSeg| match s {
                PathSeg::Cubic(c) => Some([c.p0, c.p1, c.p2, c.p3]),
                _ => None,
            };
            posed.path(ids[which]).expect("a bound path").segments().filter_map(of).collect()
        };
        let (a, mut b) = (cubics(0), cubics(1));
        b.iter_mut().for_each(|c| c.reverse());
        if exact {
            let shared = a.iter().filter(|c| b.contains(c)).count();
            assert!(shared >= 2, "{blend:?}: {shared} of the edge's pieces are shared to the bit");
        }
    }
}

/// 200 random blends of rigid motions against results of another program.
#[test]
fn blends_are_those_of_the_reference() {
    let all: Value = serde_json::from_str(include_str!("../data/blend2d.json")).expect("JSON");
    let mut compared = 0;
    for case in all.as_array().expect("a list") {
        let list = |key: &str| -> Vec<f64> {
            case[key].as_array().expect("a list").iter().map(|v| v.as_f64().expect("a number")).collect()
        };
        let (thetas, weights, at) = (list("theta"), list("w"), point(&case["v"]));
        let shifts: Vec<Point> = case["t"].as_array().expect("a list").iter().map(point).collect();
        // Roots that turn about the origin and move: their skin matrices are the motions of the case.
        let mut builder = SkeletonBuilder::new();
        for i in 0..thetas.len() {
            builder.push(BoneSpec::new(i.to_string(), 1.0));
        }
        let skeleton = builder.build().expect("roots");
        let mut pose = Pose::new(&skeleton);
        for (bone, (theta, shift)) in pose.bones.iter_mut().zip(thetas.iter().zip(&shifts)) {
            bone.angle = Angle::from_radians(*theta);
            bone.origin = shift.to_vec2();
        }
        let mut world = WorldPose::new(&skeleton);
        world.forward(&skeleton, &pose).expect("no loop");
        let mut matrices = SkinMatrices::new(&skeleton);
        matrices.update(&skeleton, &pose, &world);
        let field = Constant { bones: skeleton.bones().collect(), weights: weights.clone() };
        for (blend, key) in
            [(SkinBlend::Linear, "lbs"), (SkinBlend::AreaPreserving, "dqs_sign_by_max_weight")]
        {
            // The reference chooses signs of dual quaternions by the largest weight. Unwrapped angles need no
            // choice, and agree where all rotations lie within half a turn of that one.
            let largest =
                (0..weights.len()).fold(0, |best, i| if weights[i] > weights[best] { i } else { best });
            let near = thetas.iter().all(|theta| (theta - thetas[largest]).abs() < std::f64::consts::PI);
            if blend == SkinBlend::AreaPreserving && !near {
                continue;
            }
            let mut skin = Skin::new();
            let mut path = BezPath::new();
            path.move_to(at);
            let options = BindOptions { blend, follow: Follow::ControlPoints, ..BindOptions::default() };
            let id = skin.bind(&BLine::from_path(&path), &Weights::Field(&field), &options).expect("it fits");
            let found = skin.deformed(&matrices, id, 0, bone_skin::VertexPoint::Anchor).expect("it is there");
            let expected = point(&case[key]);
            assert!(
                (found - expected).hypot() < 1e-6 * (1.0 + expected.to_vec2().hypot()),
                "{blend:?} {found:?} {expected:?}"
            );
            compared += 1;
        }
    }
    println!("{compared} blends compared");
    assert!(compared > 300);
}

struct Constant {
    bones: Vec<BoneId>,
    weights: Vec<f64>,
}

impl WeightField for Constant {
    fn bones(&self) -> &[BoneId] {
        &self.bones
    }

    fn weights_at(&self, _: Point, weights: &mut [f64]) {
        weights.copy_from_slice(&self.weights);
    }
}

/// A deforming limb at rest is unchanged, and one whole turn of all bones has no effect.
#[test]
fn rest_and_whole_turns() {
    for case in cases().iter().step_by(5) {
        for blend in [SkinBlend::Linear, SkinBlend::AreaPreserving, SkinBlend::RotationCenters] {
            let (path, _) = posed(case, 0.0, blend, 0.24);
            let off = farthest(&dense(&case.path, 50), &path);
            assert!(off < 1e-6, "{off}");
        }
    }
    // One matrix for all: the outline moves rigidly, tangents included.
    let case = &cases()[0];
    let skeleton = limb(case.step.joint);
    let mut pose = Pose::new(&skeleton);
    pose.bones[0].angle = Angle::from_degrees(77.0);
    pose.bones[0].origin = (30.0, -12.0).into();
    let mut world = WorldPose::new(&skeleton);
    world.forward(&skeleton, &pose).expect("no loop");
    let mut matrices = SkinMatrices::new(&skeleton);
    matrices.update(&skeleton, &pose, &world);
    let motion: Affine = matrices.of(BoneId::new(0));
    for blend in [SkinBlend::Linear, SkinBlend::AreaPreserving, SkinBlend::RotationCenters] {
        let mut skin = Skin::new();
        let options = BindOptions {
            blend,
            follow: Follow::Curves { skeleton: &skeleton, tolerance: 0.24 },
            ..BindOptions::default()
        };
        let id =
            skin.bind(&BLine::from_path(&case.path), &Weights::Field(&case.step), &options).expect("it fits");
        let mut posed = PosedDrawing::new(&skin);
        let expected = motion * &case.path;
        deform(&skin, &matrices, None, &mut posed);
        // Pieces of a segment are cut by de Casteljau's algorithm: each lies on it, end to end.
        let off = farthest(&dense(posed.path(id).expect("a bound path"), 50), &expected);
        let back = farthest(&dense(&expected, 50), posed.path(id).expect("a bound path"));
        assert!(off.max(back) < 1e-6, "{blend:?}: {off} {back}");
    }
}

/// The implicit side of a close deforms as an explicit one: path data with another start is the same shape.
#[test]
fn a_side_that_is_closed_bends_too() {
    let case = &cases()[0];
    let joint = case.step.joint;
    let corners = [(-80.0, -30.0), (-80.0, 30.0), (80.0, 30.0), (80.0, -30.0)].map(|(x, y)| (joint + x, y));
    let closed = |first: usize| {
        let mut path = BezPath::new();
        path.move_to(corners[first]);
        (1..4).for_each(|i| path.line_to(corners[(first + i) % 4]));
        path.close_path();
        path
    };
    for blend in [SkinBlend::Linear, SkinBlend::AreaPreserving, SkinBlend::RotationCenters] {
        let draw = |path: BezPath| {
            let Step { bones, joint, half } = case.step;
            let case = Case { path, step: Step { bones, joint, half }, truth: Vec::new(), ..*case };
            posed(&case, 90.0, blend, 0.1)
        };
        // From the first corner the close draws the side at the top, from the second one that at the end.
        let ((at_the_top, matrices), (at_the_end, _)) = (draw(closed(0)), draw(closed(1)));
        let apart = farthest(&dense(&at_the_top, 50), &at_the_end)
            .max(farthest(&dense(&at_the_end, 50), &at_the_top));
        assert!(apart < 1e-9, "{blend:?}: {apart}");
        if blend == SkinBlend::Linear {
            // The definition of the blend, on points of that side.
            let truth: Vec<Point> = (0..=400)
                .map(|i| Point::new(joint - 80.0 + 0.4 * f64::from(i), -30.0))
                .map(|p| {
                    let mut weights = [0.0; 2];
                    case.step.weights_at(p, &mut weights);
                    let images = case.step.bones.map(|bone| matrices.of(bone) * p);
                    (images[0].to_vec2() * weights[0] + images[1].to_vec2() * weights[1]).to_point()
                })
                .collect();
            let off = farthest(&truth, &at_the_top);
            assert!(off < 0.15, "{off}");
        }
    }
}
