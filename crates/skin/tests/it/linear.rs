//! The deformation against its formula: `sum w_j (M_j p)`, point by point, in another order of operations.

use bone_core::clip::{Curve, Extend, Key};
use bone_core::{Angle, BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_skin::{
    BLine, BindError, BindOptions, BoneWeights, OffsetSpace, Offsets, PathId, PosedDrawing, Skin, SkinBlend,
    SkinMatrices, VertexPoint, VertexWeights, Weights, deform,
};
use kurbo::{BezPath, PathEl, Point, Vec2};
use proptest::prelude::*;

const BONES: u32 = 5;

/// Control points, blended linearly.
fn control_points() -> BindOptions<'static> {
    BindOptions { blend: SkinBlend::Linear, ..BindOptions::default() }
}

fn skeleton() -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for i in 0..BONES {
        let bone =
            BoneSpec::new(i.to_string(), 30.0).origin(if i == 0 { 0.0 } else { 30.0 }, 1.0).degrees(7.0);
        builder.push(if i == 0 { bone } else { bone.parent((i - 1).to_string()) });
    }
    builder.build().expect("a chain")
}

fn posed_matrices(skeleton: &Skeleton, turns: &[f64], scale: f64) -> SkinMatrices {
    let mut pose = Pose::new(skeleton);
    for (bone, turn) in pose.bones.iter_mut().zip(turns) {
        bone.angle += Angle::from_degrees(*turn);
        bone.scale = Vec2::new(scale, 1.0 / scale);
        bone.stretch = 1.0 + 0.1 * scale;
    }
    let mut world = WorldPose::new(skeleton);
    world.forward(skeleton, &pose).expect("no loop");
    let mut matrices = SkinMatrices::new(skeleton);
    matrices.update(skeleton, &pose, &world);
    matrices
}

fn point() -> impl Strategy<Value = Point> {
    (-200.0..200.0_f64, -200.0..200.0_f64).prop_map(Point::from)
}

fn path() -> impl Strategy<Value = BezPath> {
    let element = prop_oneof![
        1 => point().prop_map(PathEl::MoveTo),
        3 => point().prop_map(PathEl::LineTo),
        2 => (point(), point()).prop_map(|(q, p)| PathEl::QuadTo(q, p)),
        4 => (point(), point(), point()).prop_map(|(a, b, p)| PathEl::CurveTo(a, b, p)),
        1 => Just(PathEl::ClosePath),
    ];
    (point(), prop::collection::vec(element, 0..14)).prop_map(|(start, rest)| {
        let mut elements = vec![PathEl::MoveTo(start)];
        elements.extend(rest);
        BezPath::from_vec(elements)
    })
}

fn row() -> impl Strategy<Value = BoneWeights> {
    prop::collection::vec((0..BONES, 0.01..1.0_f64), 1..4)
        .prop_map(|row| BoneWeights::new(row.into_iter().map(|(b, w)| (BoneId::new(b), w))).expect("weights"))
}

/// A list of weights, repeated: enough for any path of the tests.
fn explicit(lines: &[BLine], rows: &[BoneWeights]) -> Vec<VertexWeights> {
    let count: usize = lines.iter().map(|l| l.vertices().len()).sum();
    (0..count)
        .map(|i| VertexWeights {
            anchor: rows[i % rows.len()].clone(),
            tangent_in: (i % 3 == 0).then(|| rows[(i + 1) % rows.len()].clone()),
            tangent_out: (i % 4 == 0).then(|| rows[(i + 2) % rows.len()].clone()),
        })
        .collect()
}

fn blended(matrices: &SkinMatrices, row: &BoneWeights, point: Point) -> Point {
    row.influences()
        .iter()
        .fold(Vec2::ZERO, |sum, (bone, w)| sum + (matrices.of(*bone) * point).to_vec2() * *w)
        .to_point()
}

/// The posed path by its definition; quadratics as cubics, their handles posed like the tangents they stand
/// for.
fn naive(lines: &[BLine], weights: &[VertexWeights], matrices: &SkinMatrices) -> BezPath {
    let mut path = BezPath::new();
    let mut first = 0;
    for line in lines {
        let w = &weights[first..first + line.vertices().len()];
        let anchor = |i: usize| blended(matrices, &w[i].anchor, line.vertices()[i].anchor);
        path.move_to(anchor(0));
        for (kind, from, to) in line.segments() {
            let (a, b) = (&line.vertices()[from], &line.vertices()[to]);
            if line.closing() == bone_skin::Closing::Straight && to == 0 {
                break;
            }
            if kind == bone_skin::Segment::Line {
                path.line_to(anchor(to));
                continue;
            }
            let (mut out, mut arrive) = (a.tangent_out, b.tangent_in);
            if kind == bone_skin::Segment::Quad {
                out = (a.anchor.to_vec2() * (1.0 / 3.0) + out.to_vec2() * (2.0 / 3.0)).to_point();
                arrive = (b.anchor.to_vec2() * (1.0 / 3.0) + arrive.to_vec2() * (2.0 / 3.0)).to_point();
            }
            let leave = w[from].tangent_out.as_ref().unwrap_or(&w[from].anchor);
            let come = w[to].tangent_in.as_ref().unwrap_or(&w[to].anchor);
            path.curve_to(blended(matrices, leave, out), blended(matrices, come, arrive), anchor(to));
        }
        if line.closing() != bone_skin::Closing::Open {
            path.close_path();
        }
        first += line.vertices().len();
    }
    path
}

fn points(path: &BezPath) -> Vec<Point> {
    let of = |element: &PathEl| match *element {
        PathEl::MoveTo(p) | PathEl::LineTo(p) => vec![p],
        PathEl::QuadTo(a, p) => vec![a, p],
        PathEl::CurveTo(a, b, p) => vec![a, b, p],
        PathEl::ClosePath => vec![],
    };
    path.elements().iter().flat_map(of).collect()
}

fn bind(lines: &[BLine], weights: &[VertexWeights]) -> (Skin, PathId) {
    let mut skin = Skin::new();
    let id = skin.bind(lines, &Weights::Explicit(weights), &control_points()).expect("they fit");
    (skin, id)
}

proptest! {
    #[test]
    fn posed_points_are_the_weighted_sums(
        path in path(), rows in prop::collection::vec(row(), 1..5),
        turns in prop::collection::vec(-720.0..720.0_f64, BONES as usize), scale in 0.5..2.0_f64,
    ) {
        let lines = BLine::from_path(&path);
        let weights = explicit(&lines, &rows);
        let (skin, id) = bind(&lines, &weights);
        let matrices = posed_matrices(&skeleton(), &turns, scale);
        let mut posed = PosedDrawing::new(&skin);
        deform(&skin, &matrices, None, &mut posed);
        let expected = naive(&lines, &weights, &matrices);
        let (found, expected) = (points(posed.path(id).expect("a bound path")), points(&expected));
        prop_assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(&expected) {
            prop_assert!((*a - *b).hypot() < 1e-10 * (1e3 + b.to_vec2().hypot()), "{a:?} {b:?}");
        }
    }

    #[test]
    fn one_bone_is_its_matrix_to_the_bit(path in path(), turns in prop::collection::vec(-720.0..720.0_f64, BONES as usize), which in 0..BONES) {
        let lines = BLine::from_path(&path);
        let skeleton = skeleton();
        let matrices = posed_matrices(&skeleton, &turns, 1.3);
        let mut skin = Skin::new();
        let id = skin.bind(&lines, &Weights::Rigid(BoneId::new(which)), &control_points()).expect("they fit");
        let mut posed = PosedDrawing::new(&skin);
        let rest = posed.path(id).expect("a bound path").clone();
        deform(&skin, &matrices, None, &mut posed);
        let matrix = matrices.of(BoneId::new(which));
        let expected: Vec<Point> = points(&rest).into_iter().map(|p| matrix * p).collect();
        prop_assert_eq!(points(posed.path(id).expect("a bound path")), expected);
    }

    #[test]
    fn at_rest_nothing_moves(path in path(), rows in prop::collection::vec(row(), 1..5)) {
        let lines = BLine::from_path(&path);
        let (skin, id) = bind(&lines, &explicit(&lines, &rows));
        let skeleton = skeleton();
        let (pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
        world.forward(&skeleton, &pose).expect("no loop");
        let mut matrices = SkinMatrices::new(&skeleton);
        matrices.update(&skeleton, &pose, &world);
        let mut posed = PosedDrawing::new(&skin);
        let rest = points(posed.path(id).expect("a bound path"));
        deform(&skin, &matrices, None, &mut posed);
        for (a, b) in points(posed.path(id).expect("a bound path")).iter().zip(&rest) {
            prop_assert!((*a - *b).hypot() < 1e-9);
        }
        // And the outline at rest is the drawing: the same curve, quadratics raised to cubics.
        let mut spelt = BezPath::new();
        lines.iter().for_each(|line| line.write_to(&mut spelt));
        let rest = BezPath::from_vec(PosedDrawing::new(&skin).path(id).expect("a bound path").elements().to_vec());
        for (a, b) in spelt.segments().zip(rest.segments()) {
            use kurbo::ParamCurve;
            for t in [0.0, 0.2, 0.5, 0.9, 1.0] {
                prop_assert!((a.eval(t) - b.eval(t)).hypot() < 1e-9);
            }
        }
    }

    #[test]
    fn a_dragged_vertex_lands_where_it_was_dropped(
        path in path(), rows in prop::collection::vec(row(), 1..5),
        turns in prop::collection::vec(-720.0..720.0_f64, BONES as usize), target in point(), vertex in 0_usize..12,
    ) {
        let lines = BLine::from_path(&path);
        let (skin, id) = bind(&lines, &explicit(&lines, &rows));
        let matrices = posed_matrices(&skeleton(), &turns, 0.8);
        for part in [VertexPoint::Anchor, VertexPoint::In, VertexPoint::Out] {
            let Some(offset) = skin.offset_to(&matrices, id, vertex, part, target) else {
                prop_assert!(!skin.has(id, vertex, part));
                continue;
            };
            let mut offsets = Offsets::new();
            let held = Curve::new(vec![Key::new(0.0, offset)], Extend::Hold).expect("a key");
            prop_assert!(offsets.add(&skin, (id, vertex, part), OffsetSpace::Canvas, held));
            let (mut with, mut without) = (PosedDrawing::new(&skin), PosedDrawing::new(&skin));
            deform(&skin, &matrices, Some(offsets.at(0.5)), &mut with);
            deform(&skin, &matrices, None, &mut without);
            let (with, without) = (points(with.path(id).expect("a bound path")), points(without.path(id).expect("a bound path")));
            let moved: Vec<usize> = (0..with.len()).filter(|&i| with[i] != without[i]).collect();
            prop_assert!(offset.hypot() < 1e-9 || moved.iter().any(|&i| (with[i] - target).hypot() < 1e-9));
            for &i in &moved {
                prop_assert!((with[i] - without[i] - offset).hypot() < 1e-9);
            }
        }
    }
}

#[test]
fn an_offset_in_a_bones_space_turns_with_it() {
    let skeleton = skeleton();
    let mut pose = Pose::new(&skeleton);
    pose.bones[0].angle += Angle::from_degrees(90.0);
    let mut world = WorldPose::new(&skeleton);
    world.forward(&skeleton, &pose).expect("no loop");
    let mut matrices = SkinMatrices::new(&skeleton);
    matrices.update(&skeleton, &pose, &world);
    let mut skin = Skin::new();
    let lines = BLine::from_path(&BezPath::from_svg("M10 0L50 0").expect("path data"));
    let id = skin.bind(&lines, &Weights::Rigid(BoneId::new(0)), &control_points()).expect("they fit");
    let at = |space: OffsetSpace| {
        let mut offsets = Offsets::new();
        let curve = Curve::new(vec![Key::new(0.0, Vec2::new(5.0, 0.0))], Extend::Hold).expect("a key");
        assert!(offsets.add(&skin, (id, 1, VertexPoint::Anchor), space, curve));
        let mut posed = PosedDrawing::new(&skin);
        deform(&skin, &matrices, Some(offsets.at(0.0)), &mut posed);
        let rest = skin.deformed(&matrices, id, 1, VertexPoint::Anchor).expect("it is there");
        points(posed.path(id).expect("a bound path"))[1] - rest
    };
    assert!((at(OffsetSpace::Canvas) - Vec2::new(5.0, 0.0)).hypot() < 1e-12);
    assert!((at(OffsetSpace::Bone(BoneId::new(0))) - Vec2::new(0.0, 5.0)).hypot() < 1e-12);
}

#[test]
fn weights_that_do_not_fit_are_errors() {
    let lines = BLine::from_path(&BezPath::from_svg("M0 0L5 0L5 5Z").expect("path data"));
    let one = vec![VertexWeights::new(BoneWeights::one(BoneId::new(0)))];
    assert_eq!(
        Skin::new().bind(&lines, &Weights::Explicit(&one), &control_points()),
        Err(BindError::VertexCount { vertices: 3, weights: 1 })
    );
}
