//! The engine's matrices against an independent implementation: plain 3x3 products in nalgebra, libm
//! trigonometry, recursion over names, and the other forms of the same mathematics (row vectors, rigid
//! motions, user transforms).

use bone_core::{
    Angle, BoneId, BonePose, BoneSpec, Inherit, Pose, RigidMotion, Skeleton, SkeletonBuilder, WorldPose,
    pose_from_user, rigid_into, user_from_increment, user_from_world, user_transform,
};
use kurbo::{Affine, Point, Vec2};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

/// One bone of a random tree: its parent is `parent_pick` modulo the bones before it, or none.
#[derive(Clone, Debug)]
struct Sample {
    parent_pick: Option<usize>,
    origin: (f64, f64),
    degrees: f64,
    length: f64,
    inherit: Inherit,
    turn: f64,
    shift: (f64, f64),
    scale: (f64, f64),
    stretch: f64,
    volume: f64,
}

fn sample() -> impl Strategy<Value = Sample> {
    let inherit = prop_oneof![
        3 => Just(Inherit::All), 1 => Just(Inherit::NoScale),
        1 => Just(Inherit::NoRotation), 1 => Just(Inherit::TranslationOnly)
    ];
    let scale = prop_oneof![0.3..2.0_f64, -2.0..-0.3_f64];
    (
        prop::option::weighted(0.9, 0_usize..1000),
        (-100.0..100.0_f64, -100.0..100.0_f64),
        -400.0..400.0_f64,
        1.0..100.0_f64,
        inherit,
        -720.0..720.0_f64,
        (-30.0..30.0_f64, -30.0..30.0_f64),
        (scale.clone(), scale),
        (0.01..2.0_f64, prop_oneof![Just(0.0), Just(1.0), 0.0..2.0_f64]),
    )
        .prop_map(
            |(parent_pick, origin, degrees, length, inherit, turn, shift, scale, (stretch, volume))| Sample {
                parent_pick,
                origin,
                degrees,
                length,
                inherit,
                turn,
                shift,
                scale,
                stretch,
                volume,
            },
        )
}

fn tree() -> impl Strategy<Value = Vec<Sample>> {
    prop::collection::vec(sample(), 1..24)
}

fn parent_of(samples: &[Sample], i: usize) -> Option<usize> {
    samples[i].parent_pick.filter(|_| i > 0).map(|pick| pick % i)
}

fn build(samples: &[Sample]) -> (Skeleton, Vec<BoneId>) {
    let mut builder = SkeletonBuilder::new();
    // Children are added before their parents.
    for (i, s) in samples.iter().enumerate().rev() {
        let mut bone = BoneSpec::new(i.to_string(), s.length)
            .origin(s.origin.0, s.origin.1)
            .degrees(s.degrees)
            .inherit(s.inherit);
        bone.volume = s.volume;
        bone.parent = parent_of(samples, i).map(|p| p.to_string());
        builder.push(bone);
    }
    let skeleton = builder.build().expect("a sound tree");
    let ids = (0..samples.len()).map(|i| skeleton.find(&i.to_string()).expect("it was added")).collect();
    (skeleton, ids)
}

fn posed(samples: &[Sample], skeleton: &Skeleton, ids: &[BoneId]) -> (Pose, WorldPose) {
    let mut pose = Pose::new(skeleton);
    for (s, id) in samples.iter().zip(ids) {
        let bone = &mut pose.bones[id.index()];
        bone.origin += Vec2::from(s.shift);
        bone.angle += Angle::from_degrees(s.turn);
        bone.scale = Vec2::from(s.scale);
        bone.stretch = s.stretch;
    }
    let mut world = WorldPose::new(skeleton);
    world.forward(skeleton, &pose).expect("no loop");
    (pose, world)
}

fn rotation(radians: f64) -> Matrix3<f64> {
    let (s, c) = (libm::sin(radians), libm::cos(radians));
    Matrix3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
}

fn translation(x: f64, y: f64) -> Matrix3<f64> {
    Matrix3::new(1.0, 0.0, x, 0.0, 1.0, y, 0.0, 0.0, 1.0)
}

fn scaling(x: f64, y: f64) -> Matrix3<f64> {
    Matrix3::new(x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, 1.0)
}

fn radians(degrees: f64) -> f64 {
    degrees * std::f64::consts::PI / 180.0
}

fn linear(m: &Matrix3<f64>) -> Matrix3<f64> {
    let mut m = *m;
    (m[(0, 2)], m[(1, 2)]) = (0.0, 0.0);
    m
}

/// The design's formulas, recursively: matrix, and the sum of inherited angles in degrees.
fn naive(samples: &[Sample], i: usize, animated: bool) -> (Matrix3<f64>, f64) {
    let s = &samples[i];
    let (turn, scale, shift) =
        if animated { (s.turn, s.scale, s.shift) } else { (0.0, (1.0, 1.0), (0.0, 0.0)) };
    let (x, y) = (s.origin.0 + shift.0, s.origin.1 + shift.1);
    let angle = s.degrees + turn;
    let own = rotation(radians(angle)) * scaling(scale.0, scale.1);
    let Some(p) = parent_of(samples, i) else { return (translation(x, y) * own, angle) };
    let (parent, beta) = naive(samples, p, animated);
    let stretch = if animated { samples[p].stretch } else { 1.0 };
    let at = parent * Vector3::new(stretch * x, y, 1.0);
    let (axes, beta) = match s.inherit {
        Inherit::All => (linear(&parent), beta),
        Inherit::NoScale => (rotation(radians(beta)), beta),
        Inherit::NoRotation => (rotation(radians(-beta)) * linear(&parent), 0.0),
        _ => (Matrix3::identity(), 0.0),
    };
    (translation(at.x, at.y) * axes * own, beta + angle)
}

fn close(a: Affine, b: &Matrix3<f64>, size: f64) -> bool {
    let c = a.as_coeffs();
    let b = [b[(0, 0)], b[(1, 0)], b[(0, 1)], b[(1, 1)], b[(0, 2)], b[(1, 2)]];
    c.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-11 * size)
}

/// The size of the numbers in a tree, as the unit of errors.
fn size(samples: &[Sample]) -> f64 {
    (0..samples.len()).map(|i| naive(samples, i, true).0.abs().max()).fold(1e3, f64::max)
}

proptest! {
    #[test]
    fn world_and_skin_matrices_are_the_formulas(samples in tree()) {
        let (skeleton, ids) = build(&samples);
        let (pose, world) = posed(&samples, &skeleton, &ids);
        let size = size(&samples);
        for (i, &id) in ids.iter().enumerate() {
            let (b, beta0) = naive(&samples, i, false);
            let (w, beta) = naive(&samples, i, true);
            prop_assert!(close(skeleton.setup_world(id), &b, size));
            prop_assert!(close(world.matrix(id), &w, size), "{:?} {}", world.matrix(id), w);
            prop_assert!((skeleton.setup_angle(id).degrees() - beta0).abs() < 1e-9);
            prop_assert!((world.angle(id).degrees() - beta).abs() < 1e-9);
            let inverse = b.try_inverse().expect("a setup matrix is rigid or mirrored, never flat");
            let width = libm::pow(samples[i].stretch.max(0.0625), -samples[i].volume);
            let m = w * scaling(samples[i].stretch, width) * inverse;
            prop_assert!(close(world.skin_matrix(&skeleton, &pose, id), &m, width * size * size));
            let tip = w * Vector3::new(samples[i].length * samples[i].stretch, 0.0, 1.0);
            let found = world.tip(&skeleton, &pose, id);
            prop_assert!((found - Point::new(tip.x, tip.y)).hypot() < 1e-10 * size);
            prop_assert_eq!(pose.length(&skeleton, id), samples[i].length * samples[i].scale.0);
        }
    }

    #[test]
    fn setup_pose_moves_no_skin(samples in tree()) {
        let (skeleton, _) = build(&samples);
        let pose = Pose::new(&skeleton);
        let mut world = WorldPose::new(&skeleton);
        world.forward(&skeleton, &pose).expect("no loop");
        for bone in skeleton.bones() {
            let point = Point::new(123.0, -45.0);
            prop_assert!((world.skin_matrix(&skeleton, &pose, bone) * point - point).hypot() < 1e-9);
        }
    }

    /// Synfig: row vectors, `P' = P C0_bone .. C0_root C_root .. C_bone`, each factor made of row-vector
    /// pieces.
    #[test]
    fn row_vectors_give_the_same_result(samples in tree()) {
        let samples: Vec<Sample> =
            samples.into_iter().map(|s| Sample { inherit: Inherit::All, stretch: 1.0, ..s }).collect();
        let (skeleton, ids) = build(&samples);
        let (pose, world) = posed(&samples, &skeleton, &ids);
        let row = |m: Matrix3<f64>| m.transpose();
        for (i, &id) in ids.iter().enumerate() {
            let mut chain = vec![i];
            while let Some(p) = parent_of(&samples, chain[chain.len() - 1]) {
                chain.push(p);
            }
            // A bone's own matrix stands innermost: unposing meets the root first, posing meets it last.
            let mut m = Matrix3::identity();
            for &j in chain.iter().rev() {
                let s = &samples[j];
                m = m * row(translation(-s.origin.0, -s.origin.1)) * row(rotation(radians(-s.degrees)));
            }
            for &j in &chain {
                let s = &samples[j];
                m = m * row(scaling(s.scale.0, s.scale.1))
                    * row(rotation(radians(s.degrees + s.turn)))
                    * row(translation(s.origin.0 + s.shift.0, s.origin.1 + s.shift.1));
            }
            prop_assert!(close(world.skin_matrix(&skeleton, &pose, id), &row(m), size(&samples).powi(2)));
        }
    }

    /// Jacobson's rigid form, on whole trees: no scale, no shift.
    #[test]
    fn rigid_form_is_the_skin_matrix(samples in tree()) {
        let samples: Vec<Sample> = samples
            .into_iter()
            .map(|s| Sample {
                inherit: Inherit::All, stretch: 1.0, scale: (1.0, 1.0), shift: (0.0, 0.0), ..s
            })
            .collect();
        let (skeleton, ids) = build(&samples);
        let (pose, world) = posed(&samples, &skeleton, &ids);
        let turns: Vec<Angle> =
            skeleton.bones().map(|b| pose.bones[b.index()].angle - skeleton.setup(b).angle).collect();
        let mut rigid = vec![RigidMotion::default(); skeleton.len()];
        rigid_into(&skeleton, &turns, &mut rigid);
        for bone in skeleton.bones() {
            let m = world.skin_matrix(&skeleton, &pose, bone);
            let point = Point::new(31.0, -17.0);
            prop_assert!((rigid[bone.index()].matrix() * point - m * point).hypot() < 1e-9 * size(&samples));
        }
    }

    #[test]
    fn user_transforms_go_there_and_back(samples in tree(), which in any::<prop::sample::Index>()) {
        let (skeleton, ids) = build(&samples);
        let (mut pose, mut world) = posed(&samples, &skeleton, &ids);
        let bone = ids[which.index(ids.len())];
        let size = size(&samples);

        // From the pose and from the world matrix: the same user transform.
        let ul = user_transform(&skeleton, &pose, bone);
        let from_world = user_from_world(&skeleton, &pose, &world, bone, world.matrix(bone)).expect("not flat");
        for (a, b) in ul.as_coeffs().iter().zip(from_world.as_coeffs()) {
            prop_assert!((a - b).abs() < 1e-7 * size, "{ul:?} {from_world:?}");
        }
        // L Ul = C, and back to the numbers of the pose, turns included.
        let before = pose.bones[bone.index()];
        let (back, shear) = pose_from_user(&skeleton, &pose, bone, ul, &before);
        prop_assert!(shear.abs() < 1e-9);
        prop_assert!(near(&back, &before, 1e-8), "{back:?} {before:?}");

        // A world increment lands where the matrices say, when the frame lets a pose hold it.
        let turn = Angle::from_degrees(30.0).rotation().then_translate(Vec2::new(5.0, -3.0));
        let wanted = turn * world.matrix(bone);
        let ul = user_from_increment(&skeleton, &pose, &world, bone, turn).expect("not flat");
        let (new, shear) = pose_from_user(&skeleton, &pose, bone, ul, &before);
        if shear.abs() < 1e-12 {
            pose.bones[bone.index()] = new;
            world.forward(&skeleton, &pose).expect("no loop");
            for (a, b) in world.matrix(bone).as_coeffs().iter().zip(wanted.as_coeffs()) {
                prop_assert!((a - b).abs() < 1e-7 * size);
            }
        }
    }
}

fn near(a: &BonePose, b: &BonePose, tolerance: f64) -> bool {
    (a.origin - b.origin).hypot() < tolerance
        && (a.angle - b.angle).degrees().abs() < tolerance
        && (a.scale - b.scale).hypot() < tolerance
        && a.stretch == b.stretch
}

/// A chain of three bends away from the printed formula, whose last term holds for the child of a root only.
#[test]
fn the_printed_rigid_formula_fails_at_the_third_bone() {
    let skeleton = SkeletonBuilder::new()
        .bone(BoneSpec::new("a", 10.0).origin(3.0, 4.0))
        .bone(BoneSpec::new("b", 10.0).parent("a").origin(10.0, 0.0))
        .bone(BoneSpec::new("c", 10.0).parent("b").origin(10.0, 0.0))
        .build()
        .expect("a chain");
    let turns = [30.0, 40.0, 50.0].map(Angle::from_degrees);
    let mut rigid = [RigidMotion::default(); 3];
    rigid_into(&skeleton, &turns, &mut rigid);
    let mut pose = Pose::new(&skeleton);
    for (bone, turn) in pose.bones.iter_mut().zip(turns) {
        bone.angle += turn;
    }
    let mut world = WorldPose::new(&skeleton);
    world.forward(&skeleton, &pose).expect("no loop");
    let printed = |i: usize| {
        let x = skeleton.setup_origin(BoneId::new(i as u32)).to_vec2();
        let xp = skeleton.setup_origin(BoneId::new(i as u32 - 1)).to_vec2();
        let (q, qp) = (rigid[i].turn.rotation(), rigid[i - 1].turn.rotation());
        let turned = |m: Affine, v: Vec2| (m * v.to_point()).to_vec2();
        turned(qp, x) - turned(q, x) - turned(qp, xp) + xp
    };
    assert!((printed(1) - rigid[1].shift).hypot() < 1e-12);
    assert!((printed(2) - rigid[2].shift).hypot() > 1.0);
    let c = BoneId::new(2);
    let m = world.skin_matrix(&skeleton, &pose, c);
    assert!((m.translation() - rigid[2].shift).hypot() < 1e-12);
}

/// A bone without extent along x has the direction of its y axis, whatever its angle was.
#[test]
fn a_bone_of_width_alone_keeps_its_angle() {
    let skeleton = SkeletonBuilder::new()
        .bone(BoneSpec::new("a", 10.0).origin(3.0, 4.0).degrees(25.0))
        .build()
        .expect("a bone");
    let bone = BoneId::new(0);
    for degrees in [-150.0, -20.0, 0.0, 70.0, 100.0, 170.0] {
        let mut pose = Pose::new(&skeleton);
        pose.bones[0].angle = Angle::from_degrees(degrees);
        pose.bones[0].scale = Vec2::new(0.0, 1.5);
        let user = user_transform(&skeleton, &pose, bone);
        let near_by = BonePose { angle: Angle::from_degrees(degrees - 40.0), ..pose.bones[0] };
        let (back, shear) = pose_from_user(&skeleton, &pose, bone, user, &near_by);
        assert!(near(&back, &pose.bones[0], 1e-9) && shear == 0.0, "{degrees}: {back:?}");
    }
}
