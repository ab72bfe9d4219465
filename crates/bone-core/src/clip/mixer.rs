//! Blends the poses of a running program, whose clips begin and end when it likes. A sequence chooses the
//! shorter direction of each angle when it is built; here it is chosen when a clip begins to count, and kept.

use super::mix::{self, KeyedChannels};
use super::{Clip, LayerBlend};
use crate::{Angle, BoneId, Pose, Skeleton};

/// The greatest number of slots for which memory is reserved.
const MOST_RESERVED: usize = 1000;

/// The channels of bones that clips key.
#[derive(Clone, Debug, Default)]
pub struct Channels {
    keyed: Vec<KeyedChannels>,
}

impl Channels {
    /// The channels that at least one of these clips keys.
    pub fn of<'c>(clips: impl IntoIterator<Item = &'c Clip>) -> Self {
        let mut keyed: Vec<KeyedChannels> = clips.into_iter().flat_map(|clip| clip.keyed(|_| true)).collect();
        keyed.sort_by_key(|channels| channels.bone);
        keyed.dedup_by(|more, kept| {
            let same = more.bone == kept.bone;
            if same {
                kept.angle |= more.angle;
                kept.stretch |= more.stretch;
                kept.setup |= more.setup;
                kept.parent |= more.parent;
                for part in 0..2 {
                    kept.origin[part] |= more.origin[part];
                    kept.scale[part] |= more.scale[part];
                }
            }
            same
        });
        Self { keyed }
    }
}

/// How a pose is blended into those before it.
#[derive(Clone, Copy, Debug)]
pub enum PoseBlend<'a> {
    /// The whole pose is moved towards it.
    Whole,
    /// Only channels that it keys.
    Layer {
        /// The keyed channels.
        channels: &'a Channels,
        /// Whether each bone of the skeleton is moved.
        bones: &'a [bool],
        /// How they are combined with the pose below.
        blend: LayerBlend,
    },
}

/// Blends any number of poses, one above the other, moment after moment.
///
/// Each pose has a slot, which keeps the whole turns that its angles skip: they are chosen when its weight
/// leaves 0, so that each angle takes the shorter way, and they stay. No number of the blend jumps by a
/// turn.
///
/// A bone with other parents in two poses has the parent and the values of the pose with more weight.
///
/// ```
/// use bone_core::clip::{PoseBlend, PoseMixer};
/// use bone_core::{Angle, BoneSpec, Pose, SkeletonBuilder};
///
/// let flag = SkeletonBuilder::new().bone(BoneSpec::new("pole", 80.0)).build()?;
/// let mut mixer = PoseMixer::new(&flag, []);
/// mixer.insert(&flag, 0);
/// let (mut pose, mut by) = (Pose::new(&flag), Pose::new(&flag));
/// // A pole that stands at 350 degrees fades in: 10 degrees anticlockwise.
/// for (weight, degrees) in [(0.5, -5.0), (1.0, -10.0)] {
///     by.bones[0].angle = Angle::from_degrees(350.0);
///     mixer.begin(&flag, &mut pose);
///     mixer.blend(&flag, 0, &mut pose, &mut by, weight, PoseBlend::Whole);
///     assert_eq!(pose.bones[0].angle.degrees(), degrees);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PoseMixer {
    /// From the lowest to the highest.
    slots: Vec<MixSlot>,
    /// Slots that are not used, for their memory.
    spare: Vec<MixSlot>,
    /// The turns of the setup pose, below all slots.
    setup: Turns,
    /// The most changed parents and setups of a pose.
    most: (usize, usize),
}

#[derive(Clone, Debug)]
struct MixSlot {
    turns: Turns,
    /// The weight of the last blend.
    weight: f64,
}

/// Whole turns that are added to the angle of each bone, degrees.
#[derive(Clone, Debug)]
struct Turns {
    degrees: Vec<f64>,
    /// Whether any of them is not 0.
    any: bool,
}

impl Turns {
    fn none(skeleton: &Skeleton) -> Self {
        Self { degrees: vec![0.0; skeleton.len()], any: false }
    }

    fn clear(&mut self) {
        self.degrees.fill(0.0);
        self.any = false;
    }

    fn turn(&mut self, bone: usize, degrees: f64) {
        if let Some(turned) = self.degrees.get_mut(bone) {
            *turned += degrees;
            self.any = true;
        }
    }

    fn apply(&self, pose: &mut Pose) {
        if self.any {
            for (bone, degrees) in pose.bones.iter_mut().zip(&self.degrees).filter(|(_, by)| **by != 0.0) {
                bone.angle += Angle::from_degrees(*degrees);
            }
        }
    }
}

impl PoseMixer {
    /// Without slots, for poses of these clips.
    pub fn new<'c>(skeleton: &Skeleton, clips: impl IntoIterator<Item = &'c Clip>) -> Self {
        let (mut parents, mut setups) = (0_usize, 0_usize);
        for clip in clips {
            parents = parents.saturating_add(clip.parents.len());
            setups = setups.saturating_add(clip.tracks.setups());
        }
        let most = (parents.min(skeleton.len()), setups.min(skeleton.len()));
        Self { slots: Vec::new(), spare: Vec::new(), setup: Turns::none(skeleton), most }
    }

    /// Reserves memory in a pose for everything that a blend can write.
    pub fn prepare(&self, pose: &mut Pose) {
        pose.reserve(self.most.0, self.most.1);
    }

    /// Reserves memory for this many slots, at most 1,000; those beyond allocate as they are inserted.
    pub fn reserve(&mut self, skeleton: &Skeleton, slots: usize) {
        let slots = slots.min(MOST_RESERVED);
        self.slots.reserve(slots.saturating_sub(self.slots.len()));
        let have = self.slots.len() + self.spare.len();
        self.spare.reserve(slots.saturating_sub(self.spare.len()));
        self.spare.extend((have..slots).map(|_| MixSlot { turns: Turns::none(skeleton), weight: 0.0 }));
    }

    /// Adds a slot above the first `at` ones, or above all if there are fewer. Allocates only if more slots
    /// are used than ever before.
    pub fn insert(&mut self, skeleton: &Skeleton, at: usize) {
        let fresh = || MixSlot { turns: Turns::none(skeleton), weight: 0.0 };
        let mut slot = self.spare.pop().unwrap_or_else(fresh);
        slot.turns.clear();
        slot.weight = 0.0;
        self.slots.insert(at.min(self.slots.len()), slot);
        // Slots that are removed go there.
        self.spare.reserve(self.slots.len());
    }

    /// Removes a slot, and those above it count one less.
    pub fn remove(&mut self, at: usize) {
        if at < self.slots.len() {
            let slot = self.slots.remove(at);
            self.spare.push(slot);
        }
    }

    /// The pose below all slots.
    pub fn begin(&self, skeleton: &Skeleton, pose: &mut Pose) {
        self.prepare(pose);
        pose.reset(skeleton);
        self.setup.apply(pose);
    }

    /// Blends the pose of a slot into the blend of all slots below it, by a weight in [0, 1]. `by` is
    /// overwritten. Does nothing for a slot that is not there, or poses of another skeleton.
    ///
    /// Does not allocate in poses that were [prepared](Self::prepare).
    pub fn blend(
        &mut self,
        skeleton: &Skeleton,
        slot: usize,
        pose: &mut Pose,
        by: &mut Pose,
        weight: f64,
        how: PoseBlend<'_>,
    ) {
        let count = skeleton.len();
        if slot >= self.slots.len() || [pose.bones.len(), by.bones.len()] != [count; 2] {
            return;
        }
        let weight = if weight > 0.0 { weight.min(1.0) } else { 0.0 };
        let before = std::mem::replace(&mut self.slots[slot].weight, weight);
        if weight == 0.0 {
            return;
        }
        self.slots[slot].turns.apply(by);
        match how {
            PoseBlend::Whole => {
                if weight >= 1.0 {
                    return pose.copy_from(by);
                }
                for bone in 0..count {
                    self.keep_near((slot, before), bone, pose, by);
                }
                if !(pose.reparents.is_empty() && by.reparents.is_empty()) {
                    skeleton.bones().for_each(|bone| keep_one(pose, by, bone, weight));
                }
                mix::fade(skeleton, pose, by, weight);
            }
            PoseBlend::Layer { channels, bones, blend } => {
                let moved = |keyed: &&KeyedChannels| {
                    skeleton.contains(keyed.bone) && bones.get(keyed.bone.index()).is_some_and(|moved| *moved)
                };
                let keyed = || channels.keyed.iter().filter(moved);
                if blend == LayerBlend::Add {
                    return mix::add(skeleton, pose, by, weight, keyed());
                }
                for keyed in keyed() {
                    if keyed.angle && weight < 1.0 {
                        self.keep_near((slot, before), keyed.bone.index(), pose, by);
                    }
                    if keyed.parent {
                        keep_one(pose, by, keyed.bone, weight);
                    }
                }
                mix::replace(skeleton, pose, by, weight, keyed());
            }
        }
    }

    /// Brings the angle of a bone and that of the blend below within half a turn of each other, where the one
    /// or the other did not count in the blend before, at the slot's weight of then.
    fn keep_near(&mut self, (slot, before): (usize, f64), bone: usize, pose: &mut Pose, by: &mut Pose) {
        let counted = before > 0.0 && before < 1.0;
        if counted {
            return;
        }
        let off = (pose.bones[bone].angle - by.bones[bone].angle).degrees();
        let turns = 360.0 * (off / 360.0).round();
        if turns == 0.0 || !turns.is_finite() {
            return;
        }
        if before <= 0.0 {
            self.slots[slot].turns.turn(bone, turns);
            by.bones[bone].angle += Angle::from_degrees(turns);
        } else {
            let below = self.slots[..slot].iter_mut().map(|below| &mut below.turns);
            below.chain([&mut self.setup]).for_each(|turned| turned.turn(bone, -turns));
            pose.bones[bone].angle += Angle::from_degrees(-turns);
        }
    }
}

/// Of two poses in which a bone has different parents, gives both the values of the one with more weight.
fn keep_one(pose: &mut Pose, by: &mut Pose, bone: BoneId, weight: f64) {
    let (mine, theirs) = (pose.reparent(bone).copied(), by.reparent(bone).copied());
    if mine == theirs {
        return;
    }
    let (from, to, parent) = if weight < 0.5 { (&*pose, by, mine) } else { (&*by, pose, theirs) };
    to.bones[bone.index()] = from.bones[bone.index()];
    match parent {
        Some(change) => to.set_parent(change),
        None => to.reset_parent(bone),
    }
}
