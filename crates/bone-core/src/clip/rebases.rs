//! The rebase of each bone that keeps its transform when its parent changes.

use kurbo::Affine;

use super::reparent::{KeepTransform, ParentTrack};
use crate::frame::Frame;
use crate::user::inverse;
use crate::{BoneId, ClipError, Pose, PoseError, Rebase, Skeleton, WorldPose};

/// Computes, time by time, the old parent's frame relative to the new parent's.
pub(super) fn resolve(
    skeleton: &Skeleton,
    sample: impl Fn(f64, &mut Pose),
    mut tracks: Vec<ParentTrack>,
) -> Result<Vec<ParentTrack>, ClipError> {
    let mut moments: Vec<f64> = tracks.iter().flat_map(|t| t.keys.iter().map(|k| k.time)).collect();
    moments.sort_by(f64::total_cmp);
    moments.dedup();
    let mut pose = Pose::new(skeleton);
    let mut placed = WorldPose::new(skeleton);
    for time in moments {
        // The moment just before the change: bones of now, parents of before.
        sample(time, &mut pose);
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
