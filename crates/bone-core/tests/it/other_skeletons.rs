//! Ids and poses of another skeleton: an error or a status, never a panic.

use std::sync::Arc;

use bone_core::clip::{
    ClipBuilder, Curve, Extend, KeepTransform, Key, Layer, ParentKey, Scalar, SequenceBuilder, SequenceError,
    SequencePart,
};
use bone_core::constraint::{
    Aim, Constraint, ConstraintRule, ConstraintScratch, ConstraintStatus, IgnoredReason, Target, apply,
};
use bone_core::spring::{Spring, SpringError, Springs};
use bone_core::{
    Angle, BoneId, BoneSpec, ClipError, Pose, PoseError, Rebase, Reparent, Skeleton, SkeletonBuilder,
    WorldPose,
};
use kurbo::{Point, Vec2};

const UNKNOWN: BoneId = BoneId::new(7);

fn skeleton(bones: usize) -> Skeleton {
    let bones = (0..bones).map(|i| BoneSpec::new(format!("bone {i}"), 10.0));
    bones.fold(SkeletonBuilder::new(), SkeletonBuilder::bone).build().expect("bones")
}

fn still() -> Curve<f64> {
    Curve::new(vec![Key::new(0.0, 1.0)], Extend::Hold).expect("a key")
}

#[test]
fn builders_report_unknown_bones() {
    let (small, large) = (skeleton(2), skeleton(8));
    let of = |bone: BoneId| ClipBuilder::new(1.0).scalar(bone, Scalar::Rotate, still());
    let unknown = Err(ClipError::UnknownBone { bone: UNKNOWN });
    assert_eq!(of(UNKNOWN).build(&small).map(drop), unknown);
    let key = ParentKey { time: 0.5, parent: Some(UNKNOWN), keep: KeepTransform::World };
    assert_eq!(ClipBuilder::new(1.0).parent(BoneId::new(0), vec![key]).build(&small).map(drop), unknown);

    let foreign = Arc::new(of(UNKNOWN).build(&large).expect("a clip"));
    let own = Arc::new(of(BoneId::new(1)).build(&small).expect("a clip"));
    let part = |clip: &Arc<_>| SequenceBuilder::new().part(SequencePart::whole(Arc::clone(clip)));
    let unknown = |clip: usize| Err(SequenceError::UnknownBone { clip, bone: UNKNOWN });
    assert_eq!(part(&foreign).build(&small).map(drop), unknown(0));
    let layer =
        Layer { bones: Some(vec![UNKNOWN]), ..Layer::new(SequencePart::whole(Arc::clone(&own)), 0.0) };
    assert_eq!(part(&own).layer(layer).build(&small).map(drop), unknown(1));

    let springs = Springs::new(&small, vec![Spring::new(BoneId::new(0)), Spring::new(UNKNOWN)]);
    assert_eq!(springs.map(drop), Err(SpringError::UnknownBone { bone: UNKNOWN }));
}

#[test]
fn the_forward_pass_reports_other_poses() {
    let (small, large) = (skeleton(2), skeleton(8));
    let mut world = WorldPose::new(&small);
    let count = Err(PoseError::BoneCount { pose: 8, skeleton: 2 });
    assert_eq!(world.forward(&small, &Pose::new(&large)), count);
    let unknown = Err(PoseError::UnknownBone { bone: UNKNOWN });
    for (bone, parent) in [(UNKNOWN, None), (BoneId::new(0), Some(UNKNOWN))] {
        let mut pose = Pose::new(&small);
        pose.set_parent(Reparent { bone, parent, rebase: Rebase::NONE });
        assert_eq!(world.forward(&small, &pose), unknown);
    }
    let mut pose = Pose::new(&small);
    pose.set_setup(UNKNOWN, Vec2::ZERO, Angle::ZERO);
    assert_eq!(world.forward(&small, &pose), unknown);
}

#[test]
fn constraints_of_unknown_bones_are_ignored() {
    let small = skeleton(2);
    let (mut pose, mut world) = (Pose::new(&small), WorldPose::new(&small));
    let target = Target::Canvas(Point::new(3.0, 4.0));
    let aim = Aim { bone: UNKNOWN, target, offset: Angle::ZERO, softness: 0.0 };
    let constraints = [Constraint::new(ConstraintRule::Aim(aim))];
    let parameters = constraints.each_ref().map(Constraint::parameters);
    let mut scratch = ConstraintScratch::new();
    apply(&constraints, &parameters, &small, &mut pose, &mut world, &mut scratch);
    assert_eq!(scratch.statuses(), [ConstraintStatus::Ignored(IgnoredReason::UnknownBone)]);
    assert_eq!(pose, Pose::new(&small));
}
