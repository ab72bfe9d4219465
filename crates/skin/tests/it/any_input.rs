//! Input that a program can hand over by mistake: skins, matrices, offsets and posed drawings of another skin or
//! skeleton, and any numbers. Each has no effect, a defined value or an error, and none panics but for the two
//! functions that docs/security.md lists.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bone_core::clip::{ClipTime, Curve, Extend, Key};
use bone_core::{
    Angle, BoneId, BoneSpec, InfluenceRegion, Pose, Sides, Skeleton, SkeletonBuilder, WorldPose,
};
use bone_skin::edit::{
    Locks, Mirror, MirrorDirection, Prune, Smooth, mirror, outline_change, prune, set_weight, smooth,
    vertex_weights_at_anchors, vertex_weights_of_field,
};
use bone_skin::{
    AffineBinding, BLine, BindOptions, BoneSegment, BoneWeights, ClipRegion, CoveredShape, FieldOptions,
    FixedOffset, FoldRule, Follow, InnerWeights, Method, MirroredParts, OffsetSpace, Offsets, PaintFit,
    PaintPatches, PathId, PathWeightTracks, PosedDrawing, PosedPatches, Setups, Skin, SkinBlend,
    SkinMatrices, VertexPoint, VertexWeights, WeightField, WeightTracks, Weights, WindingRule, deform,
    deform_from, solve_weights, solve_weights_unless, take_out_folds,
};
use kurbo::{Affine, BezPath, PathEl, Point, Vec2};
use proptest::prelude::*;

type Numbers = [f64; 8];

fn number() -> impl Strategy<Value = f64> {
    let ends = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e9, 1e150, 1e300, f64::MAX, f64::MIN];
    let ends = prop::sample::select([&ends[..], &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]].concat());
    prop_oneof![ends, -300.0..300.0_f64, -2.0..2.0_f64]
}

fn numbers() -> impl Strategy<Value = Numbers> {
    prop::array::uniform8(number())
}

/// A chain along x.
fn skeleton(bones: usize) -> Skeleton {
    let bone = |i: usize| match i {
        0 => BoneSpec::new("bone 0.L", 60.0),
        1 => BoneSpec::new("bone 0.R", 60.0).parent("bone 0.L").origin(60.0, 0.0),
        i => BoneSpec::new(format!("bone {i}"), 60.0).parent("bone 0.R").origin(60.0, 0.0),
    };
    (0..bones).map(bone).fold(SkeletonBuilder::new(), SkeletonBuilder::bone).build().expect("a chain")
}

/// All but the first bone turned.
fn bent(skeleton: &Skeleton, degrees: f64) -> SkinMatrices {
    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    pose.bones.iter_mut().skip(1).for_each(|bone| bone.angle = Angle::from_degrees(degrees));
    world.forward(skeleton, &pose).expect("a pose of this skeleton");
    let mut matrices = SkinMatrices::new(skeleton);
    matrices.update(skeleton, &pose, &world);
    matrices
}

fn limb() -> BezPath {
    BezPath::from_svg("M0 -9C40 -9 80 -9 120 -9L120 9C80 9 40 9 0 9Z M50 -2h9v4z").expect("a path")
}

/// Weights for each vertex of the limb, of the first and the last bone.
fn rows(lines: &[BLine], bones: u32) -> Vec<VertexWeights> {
    let vertices = lines.iter().flat_map(|line| line.vertices());
    let row = |x: f64| BoneWeights::new([(BoneId::new(0), 120.0 - x), (BoneId::new(bones - 1), x)]);
    let or_one = |x: f64| row(x).unwrap_or_else(|_| BoneWeights::one(BoneId::new(bones - 1)));
    vertices.map(|vertex| VertexWeights::new(or_one(vertex.anchor.x))).collect()
}

/// Whatever numbers there are, for three bones of a large skeleton.
struct Wild([f64; 3], [BoneId; 3]);

fn wild(n: Numbers) -> Wild {
    Wild([n[0], n[1], n[2]], [0, 1, 7].map(BoneId::new))
}

impl WeightField for Wild {
    fn bones(&self) -> &[BoneId] {
        &self.1
    }

    fn weights_at(&self, point: Point, weights: &mut [f64]) {
        weights.copy_from_slice(&self.0);
        weights[0] *= point.x;
    }

    fn grain(&self) -> f64 {
        self.0[1]
    }

    /// Seldom: a steep field takes a second.
    fn is_steep(&self) -> bool {
        self.0[2] == 1.0
    }
}

/// A field without bones.
struct Nothing;

impl WeightField for Nothing {
    fn bones(&self) -> &[BoneId] {
        &[]
    }

    fn weights_at(&self, _: Point, _: &mut [f64]) {}
}

const PARTS: [VertexPoint; 3] = [VertexPoint::Anchor, VertexPoint::In, VertexPoint::Out];

/// A skin of several paths, with all that is made for its paths and may be used with another skin.
struct Made {
    skin: Skin,
    keys: WeightTracks,
    offsets: Offsets,
    setups: Setups,
    patches: PaintPatches,
    binding: AffineBinding,
    fits: Vec<PaintFit>,
    parts: Option<MirroredParts>,
}

fn curve() -> Curve<Vec2> {
    let key = |time: f64| Key::new(time, Vec2::new(3.0 * time, 4.0));
    Curve::new(vec![key(0.0), key(1.0)], Extend::Linear).expect("two keys")
}

fn made(bones: u32, paths: usize, blend: SkinBlend) -> Made {
    let (skeleton, path) = (skeleton(bones as usize), limb());
    let lines = BLine::from_path(&path);
    let rest = rows(&lines, bones);
    let mut tracks = PathWeightTracks::new();
    let key = |time: f64, bone: u32| Key::new(time, BoneWeights::one(BoneId::new(bone)));
    for part in PARTS {
        let keys = [key(0.0, 0), key(1.0, bones - 1)];
        tracks.add(2, part, &keys, Extend::Hold, None).expect("two keys");
    }
    let keyed = [tracks];
    let options = BindOptions {
        blend,
        follow: Follow::Curves { skeleton: &skeleton, tolerance: 0.5 },
        fill: Some(WindingRule::NonZero),
        folds: FoldRule::Hide,
        ..BindOptions::default()
    };
    let (mut skin, mut own) = (Skin::new(), None);
    for at in 0..paths {
        let keyed = Weights::Keyed { rest: &rest, tracks: &keyed };
        let weights = if blend == SkinBlend::RotationCenters { Weights::Explicit(&rest) } else { keyed };
        let weights = if at % 2 == 0 { weights } else { Weights::Rigid(BoneId::new(bones - 1)) };
        let one = Skin::of_path(&lines, &weights, &options).expect("weights that fit");
        skin.append(&one).expect("few points");
        own.get_or_insert(one);
    }
    let (mut keys, mut offsets, mut setups) = (WeightTracks::new(), Offsets::new(), Setups::new());
    for path in skin.paths() {
        keys.add(&skin, path, &keyed[0]);
        for target in PARTS.map(|part| (path, 2, part)) {
            for space in [OffsetSpace::Canvas, OffsetSpace::Vertex, OffsetSpace::Bone(BoneId::new(bones - 1))]
            {
                offsets.add(&skin, target, space, curve());
            }
            setups.add(&skin, target, curve());
        }
    }
    let shape = CoveredShape { path: &path, fill: Some(WindingRule::NonZero), stroke_width: 0.0 };
    let inner = InnerWeights::Outline(own.as_ref().expect("a path"), &keyed);
    let patches = PaintPatches::cut(&shape, inner, (blend, &skeleton), 0.5).unwrap_or_default();
    let places = [Point::ZERO, Point::new(60.0, 3.0), Point::new(120.0, -3.0)];
    let binding = AffineBinding::new(&places, &wild([1.0; 8]), blend).at_vertex(PathId::new(0), 2);
    let groups: Vec<u32> = (0..bones).collect();
    let fits = skin.paths().chain([PathId::new(99)]).map(|path| skin.paint_fit(path)).collect();
    let parts = skin.mirrored_parts(PathId::new(0), &groups);
    Made { skin, keys, offsets, setups, patches, binding, fits, parts }
}

/// Poses a skin with what was made for another.
fn mix(own: &Made, other: &Made, matrices: &SkinMatrices, posed: &mut PosedDrawing, n: Numbers) {
    let skin = &own.skin;
    deform(skin, matrices, [own.offsets.at(n[0]), other.offsets.at(0.5)], posed);
    take_out_folds(skin, posed);
    let by = Vec2::new(n[1], n[2]);
    let spaces = [OffsetSpace::Canvas, OffsetSpace::Vertex, OffsetSpace::Bone(BoneId::new(7))];
    let targets = [(PathId::new(0), 2), (PathId::new(0), usize::MAX), (PathId::new(u32::MAX), 0)];
    let targets: Vec<_> =
        targets.iter().flat_map(|(path, at)| PARTS.map(|part| (*path, *at, part))).collect();
    let fixed = targets.iter().zip(spaces.into_iter().cycle());
    let fixed: Vec<_> = fixed.map(|(target, space)| FixedOffset { target: *target, space, by }).collect();
    for share in [1.0, n[3]] {
        let mut offsets = other.offsets.at(n[4]);
        let mut setups = [own.setups.at(n[4]), other.setups.at(0.5)];
        let mut keys = [own.keys.at(n[4]), other.keys.at(0.5)];
        offsets.weight = share;
        setups.iter_mut().for_each(|played| played.weight = share);
        keys.iter_mut().for_each(|played| played.weight = share);
        deform_from(
            skin,
            (matrices, None),
            (setups.into_iter(), keys.into_iter()),
            ([offsets], fixed.iter().copied()),
            posed,
        );
        take_out_folds(skin, posed);
        assert_eq!((posed.paths().len(), posed.at_rest().len()), (skin.paths().len(), skin.paths().len()));
    }
    for (target, space) in targets.iter().flat_map(|target| spaces.map(|space| (*target, space))) {
        let (path, vertex, part) = target;
        for posed in [&*posed, &PosedDrawing::default(), &PosedDrawing::new(&other.skin)] {
            let _ = (skin.posed_part((matrices, posed), path, vertex, part), posed.path(path));
            let _ = skin.offset_by((matrices, posed), target, space, by);
        }
        let _ = (skin.deformed(matrices, path, vertex, part), skin.has(path, vertex, part));
        let _ = skin.offset_to(matrices, path, vertex, part, by.to_point());
    }
    let mut patches = PosedPatches::new(skin, [(&other.patches, PathId::new(0))].into_iter());
    for made in [own, other] {
        for posed in [&mut *posed, &mut PosedDrawing::default()] {
            let _ = made.binding.affine(skin, matrices, posed);
            for fit in &made.fits {
                let _ = (fit.affine(posed), fit.scale(skin, posed), fit.fits(skin));
            }
            for path in [PathId::new(0), PathId::new(9)] {
                let keys = [own.keys.at(n[5]), other.keys.at(0.3)].into_iter();
                let whole = (Affine::scale(n[6]), &mut *posed);
                made.patches.pose((skin, path), (matrices, keys), whole, &mut patches);
                let _ = made.patches.fit(skin, path);
            }
        }
        if let Some(parts) = &made.parts {
            let mut out = BezPath::new();
            for path in posed.paths().iter().chain([&BezPath::new()]) {
                parts.pose(matrices, path, &mut out);
            }
            let _ = (parts.fit(skin, PathId::new(9)), parts.bones().count(), parts.subpaths().count());
        }
        let _ = (made.offsets.fit(skin), made.setups.fit(skin), made.keys.fit(skin));
    }
    let _ = (patches.outlines().len(), patches.maps().len(), skin.influence_count(), skin.piece_count());
    for bone in [0, 1, 7].map(BoneId::new) {
        let row = [(bone, n[7]), (BoneId::new(1), 0.5)];
        for mode in MODES {
            let _ = matrices.blended(mode, &row, Point::new(n[1], n[2]));
        }
    }
}

const MODES: [SkinBlend; 3] = [SkinBlend::Linear, SkinBlend::AreaPreserving, SkinBlend::RotationCenters];

#[test]
fn skins_and_matrices_of_another_rig() {
    for blend in MODES {
        let all = [made(2, 1, blend), made(8, 3, blend), made(3, 2, blend)];
        let skeletons = [skeleton(2), skeleton(8), SkeletonBuilder::new().build().expect("no bones")];
        let mut posed = PosedDrawing::default();
        for (own, other) in (0..9).map(|at| (&all[at / 3], &all[at % 3])) {
            for matrices in skeletons.iter().flat_map(|of| [bent(of, 0.0), bent(of, 100.0)]) {
                let mut fresh = PosedDrawing::new(&other.skin);
                for posed in [&mut posed, &mut fresh] {
                    mix(own, other, &matrices, posed, [0.5; 8]);
                    take_out_folds(&other.skin, posed);
                }
            }
        }
    }
}

/// A drawing of another skin becomes one of the skin that is posed, as a new one.
#[test]
fn a_posed_drawing_of_another_skin_is_renewed() {
    let (own, other) = (made(2, 1, SkinBlend::Linear), made(8, 3, SkinBlend::Linear));
    let matrices = bent(&skeleton(2), 40.0);
    let (mut posed, mut new) = (PosedDrawing::new(&other.skin), PosedDrawing::new(&own.skin));
    deform(&other.skin, &bent(&skeleton(8), 90.0), None, &mut posed);
    deform(&own.skin, &matrices, None, &mut posed);
    deform(&own.skin, &matrices, None, &mut new);
    assert_eq!((posed.paths(), posed.at_rest()), (new.paths(), new.at_rest()));
}

#[test]
fn matrices_of_poses_of_another_skeleton_are_at_rest() {
    let (small, large) = (skeleton(2), skeleton(8));
    let (mut pose, mut world) = (Pose::new(&large), WorldPose::new(&large));
    pose.bones[0].angle = Angle::from_degrees(40.0);
    world.forward(&large, &pose).expect("its own pose");
    let mut matrices = bent(&large, 30.0);
    for (skeleton, pose, world) in [
        (&small, &pose, &world),
        (&large, &Pose::new(&small), &world),
        (&large, &pose, &WorldPose::new(&small)),
    ] {
        matrices.update(skeleton, pose, world);
        assert_eq!(matrices.as_slice(), vec![Affine::IDENTITY; skeleton.len()]);
    }
}

/// Each function whose documentation has `# Panics`.
#[test]
fn accessors_panic_as_slices_do() {
    let matrices = SkinMatrices::new(&skeleton(2));
    let panic = catch_unwind(AssertUnwindSafe(|| matrices.of(BoneId::new(7)))).expect_err("another skeleton");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert_eq!(message, "index out of bounds: the len is 2 but the index is 7");
    let bone = segment(0, [0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.0, 0.0], None);
    let (field, _) = solve_weights(&[], &[bone], Method::Rigid, FieldOptions::default()).expect("a field");
    let panic = catch_unwind(AssertUnwindSafe(|| field.weights_at(Point::ZERO, &mut []))).expect_err("none");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("one weight a bone"), "{message}");
}

/// What edits weights, with weights of another number of vertices.
#[test]
fn weights_of_another_path() {
    let (skeleton, lines) = (skeleton(2), BLine::from_path(&limb()));
    let (right, wrong) = (rows(&lines, 2), rows(&lines[..1], 8));
    let mut none = wrong.clone();
    assert!(smooth(&lines, &mut none, Smooth::default(), &Locks::new()).is_err());
    let sides = Sides::new(&skeleton);
    let how = Mirror { axis: 60.0, direction: MirrorDirection::Swap, tolerance: 1.0, sides: &sides };
    assert!(mirror(&lines, &mut none, &how, &Locks::new()).is_err());
    let (right, wrong) = (Weights::Explicit(&right), Weights::Explicit(&wrong));
    for (before, after) in [(&right, &wrong), (&wrong, &right), (&wrong, &wrong)] {
        assert_eq!(outline_change(&lines, before, after, SkinBlend::Linear, &skeleton), 0.0);
    }
    let _ = vertex_weights_of_field(&lines, &Nothing, &skeleton);
    assert_eq!(vertex_weights_at_anchors(&lines, &Nothing).len(), right_count(&lines));
    let _ = AffineBinding::new(&[Point::ZERO], &Nothing, SkinBlend::Linear);
    let end =
        smooth(&lines, &mut rows(&lines, 2), Smooth { strength: 0.9, iterations: usize::MAX }, &Locks::new());
    assert_eq!(end, Ok(()));
}

fn right_count(lines: &[BLine]) -> usize {
    lines.iter().map(|line| line.vertices().len()).sum()
}

fn outline(n: Numbers) -> BezPath {
    let [a, b, c] = [Point::new(n[0], n[1]), Point::new(n[2], n[3]), Point::new(n[4], n[5])];
    let whole = [PathEl::MoveTo(a), PathEl::CurveTo(b, c, a), PathEl::LineTo(b), PathEl::QuadTo(c, a)];
    let close = [PathEl::ClosePath, PathEl::LineTo(c), PathEl::CurveTo(a, b, c), PathEl::ClosePath];
    let mut path: BezPath = whole.into_iter().chain(close).collect();
    if n[6] < 0.0 {
        path.elements_mut()[0] = PathEl::LineTo(a);
    }
    path
}

fn segment(bone: u32, n: Numbers, region: Option<InfluenceRegion>) -> BoneSegment {
    BoneSegment {
        bone: BoneId::new(bone),
        origin: Point::new(n[0], n[1]),
        tip: Point::new(n[2], n[3]),
        region,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn outlines_of_any_numbers(n in numbers(), m in numbers(), bones in 0_usize..3, tolerance in number()) {
        let skeleton = skeleton(bones);
        let path = outline(n);
        let lines: Vec<BLine> = BLine::from_path(&path).into_iter().map(BLine::closed_by_fill).collect();
        let (rest, field) = (rows(&lines, 8), wild(m));
        let mut tracks = PathWeightTracks::new();
        let keys = [Key::new(m[0], BoneWeights::one(BoneId::new(7))), Key::new(m[1], BoneWeights::one(BoneId::new(1)))];
        let time = ClipTime::new(m[2], true);
        let _ = tracks.add(usize::MAX, VertexPoint::In, &keys, Extend::Loop, Some(time));
        let far = std::mem::take(&mut tracks);
        let _ = tracks.add(1, VertexPoint::Anchor, &keys, Extend::Loop, Some(time));
        let weights = [
            Weights::Still, Weights::Rigid(BoneId::new(7)), Weights::Explicit(&rest), Weights::Field(&field),
            Weights::Field(&Nothing), Weights::Keyed { rest: &rest, tracks: std::slice::from_ref(&tracks) },
            Weights::Keyed { rest: &rest, tracks: std::slice::from_ref(&far) },
        ];
        let matrices = bent(&skeleton, m[3]);
        for (weights, blend) in weights.iter().zip(MODES.into_iter().cycle()) {
            for follow in [Follow::ControlPoints, Follow::Curves { skeleton: &skeleton, tolerance }] {
                let fill = (m[4] > 0.0).then_some(WindingRule::EvenOdd);
                let options = BindOptions { blend, follow, fill, folds: FoldRule::Hide, ..BindOptions::default() };
                let Ok(skin) = Skin::of_path(&lines, weights, &options) else { continue };
                let mut posed = PosedDrawing::new(&skin);
                deform(&skin, &matrices, None, &mut posed);
                take_out_folds(&skin, &mut posed);
                let fit = skin.paint_fit(PathId::new(0));
                let _ = (fit.affine(&posed), fit.scale(&skin, &posed));
                if let Some(parts) = skin.mirrored_parts(PathId::new(0), &[0, 1]) {
                    parts.pose(&matrices, &posed.paths()[0], &mut BezPath::new());
                }
            }
            let _ = outline_change(&lines, weights, &Weights::Still, blend, &skeleton);
        }
        let _ = (vertex_weights_of_field(&lines, &field, &skeleton), vertex_weights_at_anchors(&lines, &field));
        let places = [Point::new(n[0], n[1]), Point::new(n[2], n[3])];
        for blend in MODES {
            let binding = AffineBinding::new(&places, &field, blend).at_vertex(PathId::new(9), 9);
            let _ = binding.affine(&Skin::new(), &matrices, &PosedDrawing::default());
            let shape = CoveredShape { path: &path, fill: Some(WindingRule::NonZero), stroke_width: m[0] };
            let _ = PaintPatches::cut(&shape, InnerWeights::Field(&field), (blend, &skeleton), tolerance);
            let _ = PaintPatches::cut(&shape, InnerWeights::Outline(&Skin::new(), &[]), (blend, &skeleton), tolerance);
        }
    }

    #[test]
    fn posed_skins_of_any_numbers(n in numbers(), degrees in number()) {
        let (own, other) = (made(2, 1, SkinBlend::AreaPreserving), made(3, 2, SkinBlend::AreaPreserving));
        mix(&own, &other, &bent(&skeleton(3), degrees), &mut PosedDrawing::default(), n);
    }

    #[test]
    fn edits_of_any_numbers(n in numbers(), most in prop::option::of(0_usize..3), lock in any::<bool>()) {
        let lines = BLine::from_path(&outline(n));
        let mut weights = rows(&BLine::from_path(&limb()), 8);
        weights.truncate(right_count(&lines));
        let locks: Locks = lock.then_some(BoneId::new(7)).into_iter().collect();
        prune(&mut weights, Prune { most, threshold: n[0] }, &locks);
        let _ = smooth(&lines, &mut weights, Smooth { strength: n[1], iterations: 3 }, &locks);
        let sides = Sides::new(&skeleton(2));
        for direction in [MirrorDirection::ToLesser, MirrorDirection::ToGreater, MirrorDirection::Swap] {
            let _ = mirror(&lines, &mut weights, &Mirror { axis: n[2], direction, tolerance: n[3], sides: &sides }, &locks);
        }
        let mut row = BoneWeights::new([(BoneId::new(0), 1.0), (BoneId::new(7), 3.0)]).expect("weights");
        for bone in [0, 3, 7, u32::MAX] {
            set_weight(&mut row, BoneId::new(bone), n[4], &locks);
            let _ = BoneWeights::new([(BoneId::new(bone), n[5]), (BoneId::new(0), n[6])]);
        }
        let sum: f64 = row.influences().iter().map(|(_, weight)| weight).sum();
        prop_assert!((sum - 1.0).abs() < 1e-9);
    }

    #[test]
    fn solved_weights_of_any_numbers(n in numbers(), m in numbers(), triangles in 0_usize..40) {
        let (path, square) = (outline(n), BezPath::from_svg("M0 0H90V20H0Z").expect("a path"));
        let fill = (n[7] > 0.0).then_some(WindingRule::NonZero);
        let shapes = [
            CoveredShape { path: &square, fill: Some(WindingRule::NonZero), stroke_width: 0.0 },
            CoveredShape { path: &path, fill, stroke_width: n[6] },
        ];
        let region = Some(InfluenceRegion { origin_radius: m[6], tip_radius: m[7] });
        let bones = [segment(0, [0.0, 10.0, 90.0, 10.0, 0.0, 0.0, 0.0, 0.0], None), segment(7, m, region)];
        let options = FieldOptions { triangles, heat: m[4], softness: m[5], weld: Some(n[5]) };
        let clip = ClipRegion { shapes: &[0, 1, usize::MAX], outlines: &[(outline(m), WindingRule::EvenOdd)] };
        let never = std::sync::atomic::AtomicBool::new(false);
        for method in [Method::Rigid, Method::Envelope, Method::Heat, Method::Biharmonic, Method::InverseDistance(m[3])] {
            for clips in [&[][..], &[clip]] {
                let solved = solve_weights_unless(&never, (&shapes, clips), &bones, method, options);
                let Ok((field, _)) = solved else { continue };
                for at in [Point::new(n[0], n[1]), Point::new(45.0, 10.0)] {
                    let mut out = [f64::NAN; 2];
                    field.weights_at(at, &mut out);
                    prop_assert!(out.iter().all(|weight| (0.0..=1.0).contains(weight)), "{:?} {:?}", method, out);
                }
                let _ = field.triangles().count();
            }
        }
    }
}
