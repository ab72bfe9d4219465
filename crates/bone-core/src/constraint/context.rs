//! What a constraint acts on, a pose and its places on the canvas, and the bones as they were before it.

use kurbo::{Point, Vec2};

use super::types::{Outcome, Setting, Spot, Target, Why};
use crate::{BoneId, BonePose, Pose, Skeleton, WorldPose};

/// What constraints act on: a pose and its places on the canvas, which agree before and after each.
pub(super) struct Context<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) pose: &'a mut Pose,
    pub(super) world: &'a mut WorldPose,
}

impl Context<'_> {
    /// A point of a bone on the canvas.
    pub(super) fn spot(&self, bone: BoneId, spot: Spot) -> Point {
        spot_on_canvas(self.skeleton, self.pose, self.world, bone, spot)
    }

    /// Where a target is now; `bone` and `spot` are what is to be there.
    pub(super) fn place(
        &self,
        target: Target,
        setting: &Setting,
        bone: BoneId,
        spot: Spot,
    ) -> Result<Point, Why> {
        let place = match target {
            Target::Canvas(place) => setting.place.unwrap_or(place),
            Target::Bone(other, at) => self.spot(other, at),
            Target::Here => self.spot(bone, spot),
        };
        if place.is_finite() { Ok(place) } else { Err(Why::NotFinite) }
    }

    /// Whether a bone is another or hangs below it, in this pose.
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

/// Where a point of a bone is on the canvas, in a pose that `world` has placed.
pub fn spot_on_canvas(
    skeleton: &Skeleton,
    pose: &Pose,
    world: &WorldPose,
    bone: BoneId,
    spot: Spot,
) -> Point {
    world.matrix(bone) * local_of(skeleton, pose, bone, spot).to_point()
}

/// A spot in its bone's frame, the bone's stretch applied.
pub(super) fn local_of(skeleton: &Skeleton, pose: &Pose, bone: BoneId, spot: Spot) -> Vec2 {
    let stretch = pose.bones[bone.index()].stretch;
    let at = match spot {
        Spot::Origin => Point::ZERO,
        Spot::Tip => Point::new(skeleton.length(bone), 0.0),
        Spot::At(at) => at,
    };
    Vec2::new(at.x * stretch, at.y)
}

/// Bones as they were before the constraint in hand.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept(Vec<Saved>);

/// A bone as it was. In this order it is copied in whole words.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Saved {
    pose: BonePose,
    bone: BoneId,
}

impl Kept {
    /// Forgets the bones of the constraint before.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Memory for so many bones.
    pub(super) fn reserve(&mut self, bones: usize) {
        self.0.reserve(bones);
    }

    /// Keeps bones that will change, unless that has been done.
    pub(super) fn save(&mut self, context: &Context<'_>, bones: impl Iterator<Item = BoneId>) {
        if self.0.is_empty() {
            self.0.extend(bones.map(|bone| Saved { pose: context.pose.bones[bone.index()], bone }));
            self.0.sort_unstable_by_key(|saved| saved.bone);
        }
    }

    /// Keeps bones that will change, parents first, unless that has been done.
    pub(super) fn keep_all(&mut self, context: &Context<'_>, bones: &[BoneId]) {
        if self.0.is_empty() {
            for &bone in bones {
                self.keep(context, bone);
            }
        }
    }

    /// Keeps one bone as it is, before it changes.
    pub(super) fn keep(&mut self, context: &Context<'_>, bone: BoneId) {
        self.0.push(Saved { pose: context.pose.bones[bone.index()], bone });
    }

    /// Places the kept bones after they have changed, and goes back to the share that counts.
    pub(super) fn finish(&mut self, context: &mut Context<'_>, mix: f64) {
        self.0.sort_unstable_by_key(|saved| saved.bone);
        if mix >= 1.0 {
            self.refresh(context);
        } else {
            self.mix(context, mix);
        }
    }

    /// Puts back what [`Self::save`] kept.
    pub(super) fn restore(&self, context: &mut Context<'_>) {
        for Saved { pose, bone } in &self.0 {
            context.pose.bones[bone.index()] = *pose;
        }
        self.refresh(context);
    }

    /// Takes back what came out as something that is not a number: targets at the end of the world.
    pub(super) fn sound(&self, context: &mut Context<'_>, outcome: Outcome) -> Result<Outcome, Why> {
        let sound = |saved: &Saved| {
            context.pose.bones[saved.bone.index()].is_finite() && context.world.matrix(saved.bone).is_finite()
        };
        if self.0.iter().all(sound) {
            return Ok(outcome);
        }
        self.restore(context);
        Err(Why::NotFinite)
    }

    /// Goes back from the full effect to the share that counts.
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

    /// The canvas after the saved bones have changed.
    pub(super) fn refresh(&self, context: &mut Context<'_>) {
        // Bones stand parents first, so one pass over the first of each subtree places everything below.
        let mut end = 0;
        for Saved { bone, .. } in &self.0 {
            if bone.index() >= end {
                end = context.world.refresh(context.skeleton, context.pose, *bone);
            }
        }
    }
}

/// Between two poses of a bone, number by number.
fn blend(from: &BonePose, to: &BonePose, share: f64) -> BonePose {
    BonePose {
        origin: from.origin + (to.origin - from.origin) * share,
        angle: from.angle + (to.angle - from.angle) * share,
        scale: from.scale + (to.scale - from.scale) * share,
        stretch: from.stretch + (to.stretch - from.stretch) * share,
    }
}
