//! Parents that change at a time. The rebase that a bone needs to stay in place is computed once, when the
//! clip is built, so that a frame stays a function of its time alone.

use bone_archive::{archive, words};

use super::SAME_TIME;
use crate::{BoneId, Pose, Rebase, Reparent};

words! {
    /// What a bone keeps when its parent changes.
    pub enum KeepTransform {
        /// Its transform on the canvas: it does not jump, and follows the new parent from then on. Its channels
        /// stay in its old frame, which moves with the new parent.
        #[default]
        World = 0,
        /// Its local values: origin and angle are read in the new parent's frame, so it jumps there.
        Local = 1,
    }
}

/// From this time on a bone has another parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParentKey {
    /// Seconds from the start of the clip.
    pub time: f64,
    /// The new parent; none for the canvas.
    pub parent: Option<BoneId>,
    /// What it keeps.
    pub keep: KeepTransform,
}

/// The parents of one bone over time. Before the first key it has its parent at rest.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ParentTrack {
    pub(super) bone: BoneId,
    pub(super) keys: Vec<ParentKey>,
    /// One for each key, once resolved.
    pub(super) rebases: Vec<Rebase>,
}

impl ParentTrack {
    pub(super) fn new(bone: BoneId, mut keys: Vec<ParentKey>) -> Self {
        keys.sort_by(|a, b| a.time.total_cmp(&b.time));
        let rebases = vec![Rebase::NONE; keys.len()];
        Self { bone, keys, rebases }
    }

    pub(super) fn bone(&self) -> BoneId {
        self.bone
    }

    /// Whether the times of all keys are finite.
    pub(super) fn is_finite(&self) -> bool {
        self.keys.iter().all(|key| key.time.is_finite())
    }

    /// The bones of the track: its own, and the new parents.
    pub(super) fn bones(&self) -> impl Iterator<Item = BoneId> {
        self.keys.iter().filter_map(|key| key.parent).chain([self.bone])
    }

    /// The parent between two times if it does not change: `Some(None)` for the parent at rest, `None` if it
    /// changes.
    pub(super) fn throughout(&self, from: f64, to: f64) -> Option<Option<Reparent>> {
        let (first, last) = (self.before(from + SAME_TIME), self.before(to + SAME_TIME));
        (first == last).then(|| first.checked_sub(1).map(|i| self.change(i)))
    }

    /// How many keys have been reached.
    fn before(&self, time: f64) -> usize {
        self.keys.partition_point(|key| key.time <= time)
    }

    fn change(&self, key: usize) -> Reparent {
        Reparent { bone: self.bone, parent: self.keys[key].parent, rebase: self.rebases[key] }
    }

    /// Puts the parent of this time into the pose.
    pub(super) fn apply(&self, time: f64, pose: &mut Pose) {
        if let Some(i) = self.before(time).checked_sub(1) {
            pose.set_parent(self.change(i));
        }
    }
}
archive!(struct ParentKey { time, parent, keep });

archive!(struct ParentTrack { bone, keys, rebases }
    if |it| it.keys.is_sorted_by(|a, b| a.time <= b.time) && it.keys.len() == it.rebases.len(), "track of parents");
