//! Input that a program can hand over by mistake: no effect, a status or an error, and never a panic.

use std::sync::Arc;

use bone_core::clip::{
    ClipBuilder, Curve, Drive, Driver, Extend, Key, Scalar, SequenceBuilder, SequencePart, Tracks, Vector,
};
use bone_core::constraint::{
    Constraint, ConstraintRule, ConstraintScratch, ConstraintStatus, Effector, IgnoredReason, Ik, Target,
    apply,
};
use bone_core::spring::Wind;
use bone_core::{BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use kurbo::{Point, Vec2};
use proptest::prelude::*;

fn skeleton(bones: usize) -> Skeleton {
    let bones = (0..bones).map(|i| BoneSpec::new(format!("bone {i}"), 10.0));
    bones.fold(SkeletonBuilder::new(), SkeletonBuilder::bone).build().expect("bones")
}

fn rising() -> Curve<f64> {
    Curve::new(vec![Key::new(0.0, 1.0), Key::new(1.0, 2.0)], Extend::Linear).expect("two keys")
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::sample::select(vec![
            0.0,
            -0.0,
            1.0,
            -1.0,
            1e-300,
            1e18,
            1e300,
            -1e300,
            f64::MAX,
            f64::MIN,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ]),
        -1e3..1e3_f64,
    ]
}

fn target() -> Target {
    Target::Canvas(Point::new(3.0, 4.0))
}

fn statuses(rule: ConstraintRule, of: &Skeleton, other: &Skeleton) -> Vec<ConstraintStatus> {
    let (mut pose, mut world) = (Pose::new(other), WorldPose::new(other));
    let mut scratch = ConstraintScratch::new();
    apply(&[Constraint::new(rule)], &[], of, &mut pose, &mut world, &mut scratch);
    scratch.statuses().to_vec()
}

#[test]
fn chains_without_ends_and_with_any_length() {
    let small = skeleton(2);
    let mut ik = Ik::new(Effector::new(BoneId::new(1), target(), usize::MAX));
    assert_eq!(ConstraintRule::Ik(ik.clone()).bones_written(&small), [BoneId::new(1)]);
    ik.ends.clear();
    let ignored = [ConstraintStatus::Ignored(IgnoredReason::NoChain)];
    assert_eq!(statuses(ConstraintRule::Ik(ik), &small, &small), ignored);
}

#[test]
fn constraints_on_poses_of_another_skeleton_are_ignored() {
    let ik = ConstraintRule::Ik(Ik::new(Effector::new(BoneId::new(1), target(), 2)));
    let ignored = [ConstraintStatus::Ignored(IgnoredReason::UnknownBone)];
    assert_eq!(statuses(ik.clone(), &skeleton(8), &skeleton(2)), ignored);
    assert_eq!(statuses(ik, &skeleton(2), &skeleton(8)), ignored);
}

#[test]
fn clips_and_drivers_of_another_skeleton_leave_its_bones_out() {
    let (small, large) = (skeleton(2), skeleton(8));
    let (own, unknown) = (BoneId::new(1), BoneId::new(7));
    let shift = Curve::new(vec![Key::new(0.0, Vec2::new(1.0, 2.0))], Extend::Hold).expect("a key");
    let clip = [own, unknown].into_iter().fold(ClipBuilder::new(1.0), |clip, bone| {
        let clip = clip.scalar(bone, Scalar::Rotate, rising()).scalar(bone, Scalar::SetupAngle, rising());
        clip.vector(bone, Vector::Move, shift.clone()).vector(bone, Vector::SetupOrigin, shift.clone())
    });
    let clip = Arc::new(clip.build(&large).expect("a clip"));
    let mut pose = Pose::new(&large);
    clip.sample(&small, 0.5, &mut pose);
    assert_eq!(pose.bones.len(), 2);
    assert_eq!(pose.bones[1].angle.degrees(), 3.0);
    assert!(WorldPose::new(&small).forward(&small, &pose).is_ok());

    let sequence = SequenceBuilder::new().part(SequencePart::whole(clip)).build(&large).expect("a sequence");
    sequence.sample(&small, 0.5, &mut Pose::new(&large), &mut pose);
    assert_eq!(pose.bones.len(), 2);

    for (from, to) in [(own, unknown), (unknown, own)] {
        let tracks = Tracks::new().scalar(to, Scalar::Rotate, rising());
        let driver = Driver::new(from, Drive::ScaleX, tracks).expect("a relative curve");
        assert_eq!(driver.apply(&small, &mut pose), 1.0);
    }
}

/// A far round plus 1 is the same number: this ended only when there was no memory left.
#[test]
fn far_rounds_of_a_sequence_are_compared() {
    let own = skeleton(2);
    let clip = |value: f64| {
        let curve =
            Curve::new(vec![Key::new(0.0, value), Key::new(1.0, 0.0)], Extend::Hold).expect("two keys");
        let clip = ClipBuilder::new(1.0).looped(true).scalar(BoneId::new(1), Scalar::Rotate, curve);
        Arc::new(clip.build(&own).expect("a clip"))
    };
    let sequence = |value: f64| {
        let part = SequencePart { from: 1e300, ..SequencePart::whole(clip(value)) };
        SequenceBuilder::new().part(part).build(&own).expect("a sequence")
    };
    let _ = sequence(1.0).changed_since(&sequence(2.0));
}

#[test]
fn wind_without_a_number_of_eddies() {
    let wind = Wind {
        speed: f64::INFINITY,
        eddies: f64::INFINITY,
        turbulence: 1.0,
        ..Wind::steady(Vec2::new(1.0, 0.0))
    };
    let _ = wind.at(Vec2::ZERO, 1.0, Some(2.0));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn wind_of_any_numbers(n in prop::array::uniform8(number()), length in prop::option::of(number())) {
        let wind = Wind { force: Vec2::new(n[0], n[1]), turbulence: n[2], eddies: n[3], speed: n[4] };
        let _ = wind.at(Vec2::new(n[5], n[6]), n[7], length);
    }

    #[test]
    fn curves_of_any_numbers(
        keys in prop::collection::vec((number(), number()), 0..5),
        extend in prop::sample::select(vec![Extend::Hold, Extend::Linear, Extend::Loop, Extend::LoopOffset, Extend::PingPong]),
        time in number(),
    ) {
        let keys = keys.into_iter().map(|(time, value)| Key::new(time, value)).collect();
        if let Ok(curve) = Curve::new(keys, extend) {
            let _ = (curve.at(time), curve.slope_at(time));
        }
    }
}
