//! Blends two poses: by a share, or one added to the other. Values in the parents' frames are blended;
//! [`sequence`](super::sequence) makes sure that both poses have the same parents.

use bone_archive::archive;
use kurbo::Vec2;

use crate::{Angle, BoneId, BonePose, Pose, Skeleton};

/// Whole turns that angles of a pose skip, so that they take the shorter way from another pose.
///
/// They are computed once for a fade, and stay. If each frame took its own shorter way, an angle would jump
/// where both ways are equally long; if they were dropped where the fade ends, its number would jump there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SkippedTurns {
    /// Degrees, sorted by bone; bones that skip no turn are not listed.
    turns: Vec<(BoneId, f64)>,
}

impl SkippedTurns {
    /// The turns to skip so that each angle takes the shorter way.
    pub(super) fn shortest(from: &Pose, to: &Pose) -> Self {
        let degrees = |pose: &BonePose| pose.angle.degrees();
        let pairs = from.bones.iter().zip(&to.bones).enumerate();
        let turns = pairs.filter_map(|(i, (a, b))| {
            let turns = 360.0 * ((degrees(b) - degrees(a)) / 360.0).round();
            (turns != 0.0 && turns.is_finite()).then_some((BoneId::from_index(i), turns))
        });
        Self { turns: turns.collect() }
    }

    /// Only the turns of bones whose angles are keyed.
    pub(super) fn of_keyed(mut self, keyed: &[KeyedChannels]) -> Self {
        self.turns.retain(|(bone, _)| keyed.iter().any(|keyed| keyed.bone == *bone && keyed.angle));
        self
    }

    /// These turns and others.
    pub(super) fn and(&self, other: &Self) -> Self {
        let mut turns = self.turns.clone();
        for &(bone, by) in &other.turns {
            match turns.binary_search_by_key(&bone, |turn| turn.0) {
                Ok(at) => turns[at].1 += by,
                Err(at) => turns.insert(at, (bone, by)),
            }
        }
        turns.retain(|(_, by)| *by != 0.0);
        Self { turns }
    }

    /// Skips them in a pose.
    pub(super) fn skip(&self, pose: &mut Pose) {
        for (bone, turns) in &self.turns {
            if let Some(bone) = pose.bones.get_mut(bone.index()) {
                bone.angle += Angle::from_degrees(-turns);
            }
        }
    }

    /// Adds them to a pose.
    pub(super) fn add(&self, pose: &mut Pose) {
        for (bone, turns) in &self.turns {
            if let Some(bone) = pose.bones.get_mut(bone.index()) {
                bone.angle += Angle::from_degrees(*turns);
            }
        }
    }
}

/// The channels of a bone that a clip keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KeyedChannels {
    pub(super) bone: BoneId,
    /// Its x and its y.
    pub(super) origin: [bool; 2],
    pub(super) angle: bool,
    /// Along the bone and across it.
    pub(super) scale: [bool; 2],
    pub(super) stretch: bool,
    pub(super) setup: bool,
    pub(super) parent: bool,
}

impl KeyedChannels {
    pub(super) fn none(bone: BoneId) -> Self {
        let (angle, stretch, setup, parent) = (false, false, false, false);
        Self { bone, origin: [false; 2], angle, scale: [false; 2], stretch, setup, parent }
    }
}

fn between(a: f64, b: f64, share: f64) -> f64 {
    a + (b - a) * share
}

fn between_vec(a: Vec2, b: Vec2, share: f64) -> Vec2 {
    a + (b - a) * share
}

/// A vector whose keyed parts are new.
fn only([x, y]: [bool; 2], new: Vec2, old: Vec2) -> Vec2 {
    Vec2::new(if x { new.x } else { old.x }, if y { new.y } else { old.y })
}

fn between_angles(a: Angle, b: Angle, share: f64) -> Angle {
    Angle::from_degrees(between(a.degrees(), b.degrees(), share))
}

/// Moves a whole pose towards another one by a share within (0, 1). Both have the same parents.
pub(super) fn fade(skeleton: &Skeleton, pose: &mut Pose, to: &Pose, share: f64) {
    for (a, b) in pose.bones.iter_mut().zip(&to.bones) {
        a.origin = between_vec(a.origin, b.origin, share);
        a.angle = between_angles(a.angle, b.angle, share);
        a.scale = between_vec(a.scale, b.scale, share);
        a.stretch = between(a.stretch, b.stretch, share);
    }
    // A setup pose that only one of the two moves is at rest in the other.
    let known = |bone: &BoneId| skeleton.contains(*bone);
    for (bone, setup) in pose.setups.iter_mut().filter(|(bone, _)| known(bone)) {
        if to.setups.binary_search_by_key(bone, |s| s.0).is_err() {
            *setup = setup_between(setup, skeleton.setup(*bone), share);
        }
    }
    for (bone, setup) in to.setups.iter().filter(|(bone, _)| known(bone)) {
        let mixed = setup_between(&pose.setup(skeleton, *bone), setup, share);
        pose.set_setup(*bone, mixed.origin, mixed.angle);
    }
}

fn setup_between(a: &BonePose, b: &BonePose, share: f64) -> BonePose {
    BonePose {
        origin: between_vec(a.origin, b.origin, share),
        angle: between_angles(a.angle, b.angle, share),
        ..BonePose::REST
    }
}

/// Moves some channels towards those of another pose by a share within (0, 1]; by 1 they are equal to the
/// bit.
pub(super) fn replace<'k>(
    skeleton: &Skeleton,
    pose: &mut Pose,
    by: &Pose,
    share: f64,
    values: impl IntoIterator<Item = &'k KeyedChannels>,
) {
    let whole = share >= 1.0;
    for keyed in values {
        let bone = keyed.bone;
        if !skeleton.contains(bone) {
            continue;
        }
        let b = &by.bones[bone.index()];
        let a = &mut pose.bones[bone.index()];
        let moved = if whole { b.origin } else { between_vec(a.origin, b.origin, share) };
        a.origin = only(keyed.origin, moved, a.origin);
        if keyed.angle {
            a.angle = if whole { b.angle } else { between_angles(a.angle, b.angle, share) };
        }
        let scaled = if whole { b.scale } else { between_vec(a.scale, b.scale, share) };
        a.scale = only(keyed.scale, scaled, a.scale);
        if keyed.stretch {
            a.stretch = if whole { b.stretch } else { between(a.stretch, b.stretch, share) };
        }
        if keyed.setup {
            let to = by.setup(skeleton, bone);
            let mixed = if whole { to } else { setup_between(&pose.setup(skeleton, bone), &to, share) };
            pose.set_setup(bone, mixed.origin, mixed.angle);
        }
        if keyed.parent && whole {
            match by.reparent(bone) {
                Some(change) => pose.set_parent(*change),
                None => pose.reset_parent(bone),
            }
        }
    }
}

/// Adds a share of the difference of some channels of another pose from rest: rotations, shifts and stretches
/// are added, scales multiplied. Without a difference no bit changes.
pub(super) fn add<'k>(
    skeleton: &Skeleton,
    pose: &mut Pose,
    what: &Pose,
    share: f64,
    values: impl IntoIterator<Item = &'k KeyedChannels>,
) {
    for keyed in values {
        let bone = keyed.bone;
        if !skeleton.contains(bone) {
            continue;
        }
        let rest = skeleton.setup(bone);
        let b = &what.bones[bone.index()];
        let a = &mut pose.bones[bone.index()];
        let (shift, turn) = (b.origin - rest.origin, b.angle - rest.angle);
        if shift != Vec2::ZERO {
            a.origin += only(keyed.origin, shift * share, Vec2::ZERO);
        }
        if keyed.angle && turn != Angle::ZERO {
            a.angle += turn * share;
        }
        const WHOLE: Vec2 = Vec2::new(1.0, 1.0);
        if b.scale != WHOLE {
            let by = only(keyed.scale, between_vec(WHOLE, b.scale, share), WHOLE);
            a.scale = Vec2::new(a.scale.x * by.x, a.scale.y * by.y);
        }
        if keyed.stretch && b.stretch != 1.0 {
            a.stretch += (b.stretch - 1.0) * share;
        }
        let moved = what.setup(skeleton, bone);
        if keyed.setup && moved != *rest {
            let now = pose.setup(skeleton, bone);
            let origin = now.origin + (moved.origin - rest.origin) * share;
            pose.set_setup(bone, origin, now.angle + (moved.angle - rest.angle) * share);
        }
    }
}

archive!(struct SkippedTurns { turns });
archive!(struct KeyedChannels { bone, origin, angle, scale, stretch, setup, parent });
