//! The data that a constraint reads and writes, and the saved bones with which its effect is mixed or undone.

use kurbo::{Affine, Point, Vec2};

use super::types::{AttachmentPoint, ConstraintParameters, ConstraintStatus, IgnoredReason, Target};
use crate::{BoneId, BonePose, Pose, Skeleton, WorldPose};

/// A pose and its placement on the canvas, which agree before and after each constraint.
pub(super) struct Context<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) pose: &'a mut Pose,
    pub(super) world: &'a mut WorldPose,
    /// From the canvas at rest to where the places of the constraint are carried.
    pub(super) carried: Affine,
}

impl Context<'_> {
    /// A point of a bone on the canvas.
    pub(super) fn attachment(&self, bone: BoneId, point: AttachmentPoint) -> Point {
        attachment_on_canvas(self.skeleton, self.pose, self.world, bone, point)
    }

    /// The current position of a target. `bone` and `point` are what shall be there.
    pub(super) fn place(
        &self,
        target: Target,
        parameters: &ConstraintParameters,
        bone: BoneId,
        point: AttachmentPoint,
    ) -> Result<Point, IgnoredReason> {
        let place = match (target, parameters.place) {
            (Target::Here, _) => self.attachment(bone, point),
            (_, Some(place)) | (Target::Canvas(place), None) => self.carried * place,
            (Target::Bone(other, at), None) => self.attachment(other, at),
        };
        if place.is_finite() { Ok(place) } else { Err(IgnoredReason::NotFinite) }
    }

    /// Whether a bone is `above` or a descendant of it, in this pose.
    pub(super) fn descends_from(&self, bone: BoneId, above: BoneId) -> bool {
        let mut at = Some(bone);
        while let Some(b) = at {
            if b == above {
                return true;
            }
            at = self.pose.parent(self.skeleton, b);
        }
        false
    }
}

/// The position of an attachment point on the canvas, in a pose that `world` has placed.
///
/// # Panics
/// If it is a bone of a larger skeleton than one of these.
pub fn attachment_on_canvas(
    skeleton: &Skeleton,
    pose: &Pose,
    world: &WorldPose,
    bone: BoneId,
    point: AttachmentPoint,
) -> Point {
    world.matrix(bone) * attachment_in_bone(skeleton, pose, bone, point).to_point()
}

/// An attachment point in its bone's frame, the bone's stretch applied.
pub(super) fn attachment_in_bone(
    skeleton: &Skeleton,
    pose: &Pose,
    bone: BoneId,
    point: AttachmentPoint,
) -> Vec2 {
    let stretch = pose.bones[bone.index()].stretch;
    let at = match point {
        AttachmentPoint::Origin => Point::ZERO,
        AttachmentPoint::Tip => Point::new(skeleton.length(bone), 0.0),
        AttachmentPoint::At(at) => at,
    };
    Vec2::new(at.x * stretch, at.y)
}

/// The bones that a constraint changes, as they were before it.
#[derive(Clone, Debug, Default)]
pub(super) struct SavedBones(Vec<Saved>);

/// A bone as it was. With this order of fields it is copied in whole machine words.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Saved {
    pose: BonePose,
    bone: BoneId,
}

impl SavedBones {
    /// Removes the bones of the constraint before.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Reserves memory for this many bones.
    pub(super) fn reserve(&mut self, bones: usize) {
        self.0.reserve(bones);
    }

    /// Saves bones before they change, unless some are saved already.
    pub(super) fn save(&mut self, context: &Context<'_>, bones: impl Iterator<Item = BoneId>) {
        if self.0.is_empty() {
            self.0.extend(bones.map(|bone| Saved { pose: context.pose.bones[bone.index()], bone }));
            self.0.sort_unstable_by_key(|saved| saved.bone);
        }
    }

    /// Saves bones before they change, parents first, unless some are saved already.
    pub(super) fn keep_all(&mut self, context: &Context<'_>, bones: &[BoneId]) {
        if self.0.is_empty() {
            for &bone in bones {
                self.keep(context, bone);
            }
        }
    }

    /// Saves one bone before it changes.
    pub(super) fn keep(&mut self, context: &Context<'_>, bone: BoneId) {
        self.0.push(Saved { pose: context.pose.bones[bone.index()], bone });
    }

    /// Places the saved bones after they have changed, and reduces the effect to the share `mix`.
    pub(super) fn finish(&mut self, context: &mut Context<'_>, mix: f64) {
        self.0.sort_unstable_by_key(|saved| saved.bone);
        if mix >= 1.0 {
            self.refresh(context);
        } else {
            self.mix(context, mix);
        }
    }

    /// Restores the saved bones.
    pub(super) fn restore(&self, context: &mut Context<'_>) {
        for Saved { pose, bone } in &self.0 {
            context.pose.bones[bone.index()] = *pose;
        }
        self.refresh(context);
    }

    /// Restores the saved bones if a result is not finite, as with targets very far away.
    pub(super) fn sound(
        &self,
        context: &mut Context<'_>,
        status: ConstraintStatus,
    ) -> Result<ConstraintStatus, IgnoredReason> {
        let sound = |saved: &Saved| {
            context.pose.bones[saved.bone.index()].is_finite() && context.world.matrix(saved.bone).is_finite()
        };
        if self.0.iter().all(sound) {
            return Ok(status);
        }
        self.restore(context);
        Err(IgnoredReason::NotFinite)
    }

    /// Reduces the full effect to the share `mix`.
    pub(super) fn mix(&self, context: &mut Context<'_>, mix: f64) {
        if mix >= 1.0 {
            return;
        }
        for Saved { pose: from, bone } in &self.0 {
            let pose = &mut context.pose.bones[bone.index()];
            *pose = blend(from, pose, mix);
        }
        self.refresh(context);
    }

    /// Places the subtrees of the saved bones after these have changed.
    pub(super) fn refresh(&self, context: &mut Context<'_>) {
        // Bones are sorted parents first, so one pass over the first of each subtree places everything below.
        let mut end = 0;
        for Saved { bone, .. } in &self.0 {
            if bone.index() >= end {
                end = context.world.place_again(context.skeleton, context.pose, *bone);
            }
        }
    }
}

/// Linear interpolation between two poses of a bone.
fn blend(from: &BonePose, to: &BonePose, share: f64) -> BonePose {
    BonePose {
        origin: from.origin + (to.origin - from.origin) * share,
        angle: from.angle + (to.angle - from.angle) * share,
        scale: from.scale + (to.scale - from.scale) * share,
        stretch: from.stretch + (to.stretch - from.stretch) * share,
    }
}
