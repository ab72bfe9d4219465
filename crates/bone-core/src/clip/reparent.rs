//! Parents that change at a time. The rebase that a bone needs to stay in place is computed once, when the
//! clip is built, so that a frame stays a function of its time alone.

use archive::{Archive, ArchiveError, Reader, Writer, archive};
use kurbo::Affine;

use super::Clip;
use crate::frame::Frame;
use crate::user::inverse;
use crate::{BoneId, ClipError, Pose, PoseError, Rebase, Reparent, Skeleton, WorldPose};

/// What a bone keeps when its parent changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum KeepTransform {
    /// Its transform on the canvas: it does not jump, and follows the new parent from then on. Its channels
    /// stay in its old frame, which moves with the new parent.
    #[default]
    World,
    /// Its local values: origin and angle are read in the new parent's frame, so it jumps there.
    Local,
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
    bone: BoneId,
    keys: Vec<ParentKey>,
    /// One for each key, once resolved.
    rebases: Vec<Rebase>,
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
        let at = |time: f64| self.keys.partition_point(|key| key.time <= time);
        let (first, last) = (at(from), at(to));
        (first == last).then(|| first.checked_sub(1).map(|i| self.change(i)))
    }

    fn change(&self, key: usize) -> Reparent {
        Reparent { bone: self.bone, parent: self.keys[key].parent, rebase: self.rebases[key] }
    }

    /// Puts the parent of this time into the pose.
    pub(super) fn apply(&self, time: f64, pose: &mut Pose) {
        let after = self.keys.partition_point(|key| key.time <= time);
        if let Some(i) = after.checked_sub(1) {
            pose.set_parent(self.change(i));
        }
    }
}

/// Computes, time by time, the old parent's frame relative to the new parent's.
pub(super) fn resolve(
    skeleton: &Skeleton,
    clip: &Clip,
    mut tracks: Vec<ParentTrack>,
) -> Result<Vec<ParentTrack>, ClipError> {
    let mut moments: Vec<f64> = tracks.iter().flat_map(|t| t.keys.iter().map(|k| k.time)).collect();
    moments.sort_by(f64::total_cmp);
    moments.dedup();
    let mut pose = Pose::new(skeleton);
    let mut placed = WorldPose::new(skeleton);
    for time in moments {
        // The moment just before the change: bones of now, parents of before.
        clip.sample_bones(skeleton, time, &mut pose);
        for track in &tracks {
            track.apply(time.next_down(), &mut pose);
        }
        forward(skeleton, &pose, &mut placed, time)?;
        let before: Vec<Option<Frame>> = tracks
            .iter()
            .map(|t| keeps_world(t, time).then(|| placed.parent_frame(skeleton, &pose, t.bone)))
            .collect();

        for track in &tracks {
            track.apply(time, &mut pose);
        }
        forward(skeleton, &pose, &mut placed, time)?;
        for which in ancestors_first(skeleton, &pose, &tracks) {
            let Some(old) = before[which] else { continue };
            let track = &mut tracks[which];
            let Some(at) = track.keys.iter().position(|key| key.time == time) else { continue };
            // The key's rebase is still the identity here, so this is the new parent's own frame.
            let new = placed.parent_frame(skeleton, &pose, track.bone);
            let rebase = rebase_between(&old, &new)
                .ok_or_else(|| ClipError::FlatParent { time, bone: skeleton.name(track.bone).to_owned() })?;
            track.rebases[at] = rebase;
            track.apply(time, &mut pose);
            // A later bone may have this one as its parent: place it again.
            forward(skeleton, &pose, &mut placed, time)?;
        }
    }
    Ok(tracks)
}

fn keeps_world(track: &ParentTrack, time: f64) -> bool {
    track.keys.iter().any(|key| key.time == time && key.keep == KeepTransform::World)
}

fn rebase_between(old: &Frame, new: &Frame) -> Option<Rebase> {
    let between = |new: Affine, old: Affine| inverse(new).map(|new| new * old);
    Some(Rebase {
        place: between(new.place, old.place)?,
        axes: between(new.axes, old.axes)?,
        turn: old.beta - new.beta,
    })
}

/// The tracks in an order in which a bone comes after its ancestors. There is no cycle: the pose was placed.
fn ancestors_first(skeleton: &Skeleton, pose: &Pose, tracks: &[ParentTrack]) -> Vec<usize> {
    let depth = |bone: BoneId| {
        let mut depth = 0_usize;
        let mut at = pose.parent(skeleton, bone);
        while let Some(bone) = at {
            depth += 1;
            at = pose.parent(skeleton, bone);
        }
        depth
    };
    let mut order: Vec<(usize, usize)> = tracks.iter().enumerate().map(|(i, t)| (depth(t.bone), i)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, i)| i).collect()
}

fn forward(skeleton: &Skeleton, pose: &Pose, placed: &mut WorldPose, time: f64) -> Result<(), ClipError> {
    placed.forward(skeleton, pose).map_err(|error| {
        let bones = match error {
            PoseError::ParentLoop { bones } => bones,
            PoseError::UnknownBone { bone } => return ClipError::UnknownBone { bone },
            // The pose was made for this skeleton.
            PoseError::BoneCount { .. } | PoseError::OtherRig => Vec::new(),
        };
        ClipError::ParentLoop {
            time,
            bones: bones.into_iter().map(|b| skeleton.name(b).to_owned()).collect(),
        }
    })
}

archive!(
    enum KeepTransform {
        World = 0,
        Local = 1,
    }
);
archive!(struct ParentKey { time, parent, keep });

impl Archive for ParentTrack {
    fn write(&self, to: &mut Writer) {
        self.bone.write(to);
        self.keys.write(to);
        self.rebases.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let track = Self { bone: Archive::read(from)?, keys: from.list()?, rebases: from.list()? };
        let sorted = track.keys.is_sorted_by(|a, b| a.time <= b.time);
        from.check(sorted && track.keys.len() == track.rebases.len(), "track of parents")?;
        Ok(track)
    }
}
