//! Shared by the tests of sequences: a small skeleton, clips that move all of it, and poses as bits.

use std::sync::Arc;

use bone_core::clip::{Clip, ClipBuilder, Curve, Extend, Key, Scalar, Sequence, SequencePart, Vector};
use bone_core::{BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder};
use kurbo::Vec2;

pub(crate) const ARM: usize = 0;
pub(crate) const HAND: usize = 1;
pub(crate) const TABLE: usize = 2;

pub(crate) fn skeleton() -> Skeleton {
    SkeletonBuilder::new()
        .bone(BoneSpec::new("arm", 50.0).origin(10.0, 20.0).degrees(15.0))
        .bone(BoneSpec::new("hand", 20.0).parent("arm").origin(50.0, 0.0).degrees(-30.0))
        .bone(BoneSpec::new("table", 40.0).origin(120.0, 90.0))
        .bone(BoneSpec::new("cup", 10.0).parent("table").origin(5.0, -12.0))
        .build()
        .expect("sound bones")
}

pub(crate) fn id(bone: usize) -> BoneId {
    BoneId::new(bone as u32)
}

pub(crate) fn curve<T: bone_core::clip::Value>(keys: Vec<Key<T>>) -> Curve<T> {
    Curve::new(keys, Extend::Hold).expect("sound keys")
}

/// A clip that moves everything, differently for each number.
pub(crate) fn busy(skeleton: &Skeleton, length: f64, looped: bool, n: f64) -> Arc<Clip> {
    let turn = vec![Key::new(0.0, 10.0 * n), Key::new(0.4 * length, -35.0 * n), Key::new(length, 20.0 + n)];
    let shift = vec![Key::new(0.0, Vec2::new(n, 2.0)), Key::new(length, Vec2::new(-4.0, 3.0 * n))];
    let size = vec![Key::new(0.0, Vec2::new(1.0, 1.0 + 0.1 * n)), Key::new(length, Vec2::new(0.8, 1.2))];
    let clip = ClipBuilder::new(length)
        .looped(looped)
        .scalar(id(ARM), Scalar::Rotate, curve(turn.clone()))
        .scalar(id(HAND), Scalar::Angle, curve(turn.clone()))
        .scalar(id(HAND), Scalar::Stretch, curve(vec![Key::new(0.0, 1.0), Key::new(length, 1.0 + 0.2 * n)]))
        .vector(id(ARM), Vector::Move, curve(shift.clone()))
        .vector(id(HAND), Vector::Scale, curve(size))
        .scalar(id(TABLE), Scalar::SetupAngle, curve(turn))
        .vector(id(TABLE), Vector::SetupOrigin, curve(shift))
        .build(skeleton);
    Arc::new(clip.expect("a sound clip"))
}

pub(crate) fn still(skeleton: &Skeleton, bone: usize, degrees: f64) -> Arc<Clip> {
    let clip = ClipBuilder::new(1.0).scalar(id(bone), Scalar::Rotate, curve(vec![Key::new(0.0, degrees)]));
    Arc::new(clip.build(skeleton).expect("a sound clip"))
}

pub(crate) fn at(skeleton: &Skeleton, sequence: &Sequence, time: f64) -> Pose {
    let (mut pose, mut scratch) = (Pose::new(skeleton), Pose::new(skeleton));
    sequence.sample(skeleton, time, &mut scratch, &mut pose);
    pose
}

pub(crate) fn of(skeleton: &Skeleton, clip: &Clip, time: f64) -> Pose {
    let mut pose = Pose::new(skeleton);
    clip.sample(skeleton, time, &mut pose);
    pose
}

pub(crate) fn faded(clip: Arc<Clip>, fade: f64) -> SequencePart {
    SequencePart { fade, ..SequencePart::whole(clip) }
}

/// Every number as bits, negative zeros included.
pub(crate) fn bits(skeleton: &Skeleton, pose: &Pose) -> Vec<u64> {
    let numbers = |p: &bone_core::BonePose| {
        [p.origin.x, p.origin.y, p.angle.degrees(), p.scale.x, p.scale.y, p.stretch].map(f64::to_bits)
    };
    let setups = skeleton.bones().flat_map(|bone| numbers(&pose.setup(skeleton, bone)));
    let parents = skeleton.bones().map(|bone| pose.parent(skeleton, bone).map_or(99, |p| p.index() as u64));
    pose.bones.iter().flat_map(numbers).chain(setups.collect::<Vec<_>>()).chain(parents).collect()
}
