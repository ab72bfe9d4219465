//! Joints that no marker shows, from the clusters of markers of their bones: by a trial that has these joints, or
//! by the motion of two bones against each other.

use crate::marker_tracks::{MarkerTrack, Markers};
use crate::parts::BodyPart;
use crate::rigid::{RigidPose, placed, rigid_fit, shared_point};
use crate::space::{Vec3, add, length, scaled, sub};
use crate::statistics::median;

/// Markers of a bone and their places in its space.
type BoneMarkers = Vec<(usize, Vec3)>;

/// The names of the markers on a bone, without side, and those on its middle.
fn cluster_names(bone: BodyPart) -> (&'static [&'static str], &'static [&'static str]) {
    match bone {
        BodyPart::Hips => (
            &["asi", "asis", "fwt", "psi", "psis", "bwt"],
            &["vsacral", "vsacrum", "sacr", "sacrum", "sacral", "s2"],
        ),
        BodyPart::Thigh(_) => {
            (&["thighupper", "thighfront", "thighrear", "th1", "th2", "th3", "th4", "thi"], &[])
        }
        BodyPart::Shin(_) => (
            &[
                "shankupper",
                "shankfront",
                "shankrear",
                "tb1",
                "tb2",
                "tb3",
                "tb4",
                "sh1",
                "sh2",
                "sh3",
                "sh4",
                "tib",
            ],
            &[],
        ),
        BodyPart::Foot(_) => (
            &[
                "heel",
                "midfootsup",
                "midfootlat",
                "toetip",
                "toelat",
                "toemed",
                "cal",
                "toe",
                "mt1",
                "mt2",
                "mt5",
            ],
            &[],
        ),
        _ => (&[], &[]),
    }
}

/// The bones that a joint belongs to: those whose clusters show its place.
fn bones_of(joint: BodyPart) -> Vec<BodyPart> {
    match joint {
        // The skin of a thigh moves most near the hip.
        BodyPart::Thigh(_) => vec![BodyPart::Hips],
        BodyPart::Shin(side) => vec![BodyPart::Thigh(side), BodyPart::Shin(side)],
        BodyPart::Foot(side) => vec![BodyPart::Shin(side), BodyPart::Foot(side)],
        _ => Vec::new(),
    }
}

/// The markers on a bone.
fn on_bone(markers: &Markers, bone: BodyPart) -> Vec<usize> {
    let (sided, middle) = cluster_names(bone);
    markers.named(|name| {
        let mut letters = name.chars();
        let side = match letters.next() {
            Some('l') => Some(bone_core::Side::Left),
            Some('r') => Some(bone_core::Side::Right),
            _ => None,
        };
        let is_of_side = side.is_some() && bone.side().is_none_or(|of| Some(of) == side);
        (is_of_side && sided.contains(&letters.as_str())) || middle.contains(&name)
    })
}

/// The cluster of a bone in the space of a frame with most of its markers, around their middle.
fn own_cluster(markers: &Markers, bone: BodyPart) -> BoneMarkers {
    let all = on_bone(markers, bone);
    let seen = |frame: usize| -> BoneMarkers {
        all.iter().filter_map(|&marker| Some((marker, markers.at(frame, marker)?))).collect()
    };
    let most =
        (0..markers.frames).map(seen).reduce(|best, here| if here.len() > best.len() { here } else { best });
    let mut cluster = most.unwrap_or_default();
    let share = 1.0 / cluster.len().max(1) as f64;
    let middle = cluster.iter().fold([0.0; 3], |sum, (_, at)| add(sum, scaled(*at, share)));
    cluster.iter_mut().for_each(|(_, at)| *at = sub(*at, middle));
    cluster
}

/// The pose of a bone in each frame, by those of its markers that are seen.
fn poses(markers: &Markers, cluster: &BoneMarkers) -> Vec<Option<RigidPose>> {
    let pose = |frame: usize| {
        let pairs = cluster.iter().filter_map(|&(marker, from)| Some((from, markers.at(frame, marker)?)));
        rigid_fit(&pairs.collect::<Vec<_>>())
    };
    (0..markers.frames).map(pose).collect()
}

/// Fills in hidden markers of which three others of their bone are seen; returns their number.
pub(crate) fn fill_in(markers: &mut Markers) -> usize {
    let bones = BodyPart::ALL.into_iter().filter(|bone| !cluster_names(*bone).0.is_empty());
    let mut filled = 0;
    for bone in bones {
        let cluster = own_cluster(markers, bone);
        let is_hidden = |frame: usize, marker: usize| markers.at(frame, marker).is_none();
        if !(0..markers.frames).any(|frame| cluster.iter().any(|&(marker, _)| is_hidden(frame, marker))) {
            continue;
        }
        for (frame, pose) in poses(markers, &cluster).into_iter().enumerate() {
            let Some(pose) = pose else { continue };
            for &(marker, at) in &cluster {
                let slot = frame * markers.names.len() + marker;
                if markers.seen[slot].is_none() {
                    markers.seen[slot] = Some(placed(&pose, at));
                    filled += 1;
                }
            }
        }
    }
    filled
}

/// A joint as one bone or two place it: the mean of both where both are known, and their usual distance.
fn joined(tracks: &[MarkerTrack]) -> Option<(MarkerTrack, f64)> {
    let first = tracks.first()?;
    let place = |frame: usize| {
        let known: Vec<Vec3> = tracks.iter().filter_map(|track| track[frame]).collect();
        let sum = known.iter().fold([0.0; 3], |sum, at| add(sum, *at));
        (!known.is_empty()).then(|| scaled(sum, 1.0 / known.len() as f64))
    };
    let gap = match tracks {
        [a, b] => median(a.iter().zip(b).filter_map(|(a, b)| Some(length(sub((*a)?, (*b)?))))),
        _ => 0.0,
    };
    Some(((0..first.len()).map(place).collect(), gap))
}

/// A joint that has a place in a static trial of one frame, carried along with the clusters of its bones; and the
/// usual distance between both bones' places.
pub(crate) fn carried(
    markers: &Markers,
    trial: &Markers,
    joint: BodyPart,
    at: Vec3,
) -> Option<(MarkerTrack, f64)> {
    let tracks: Vec<MarkerTrack> = bones_of(joint)
        .into_iter()
        .filter_map(|bone| {
            let in_trial = |marker: usize| {
                let there = trial.names.iter().position(|name| *name == markers.names[marker])?;
                Some((marker, trial.at(0, there)?))
            };
            let cluster: BoneMarkers = on_bone(markers, bone).into_iter().filter_map(in_trial).collect();
            let track: MarkerTrack =
                poses(markers, &cluster).iter().map(|pose| Some(placed(pose.as_ref()?, at))).collect();
            track.iter().any(Option::is_some).then_some(track)
        })
        .collect();
    joined(&tracks)
}

/// A joint as the point that both of its bones share in all frames, and the usual distance between its places in
/// both. `None` if the bones have no clusters, or turn too little against each other.
pub(crate) fn shared(markers: &Markers, joint: BodyPart) -> Option<(MarkerTrack, f64)> {
    let bones = bones_of(joint);
    let [one, other] = bones[..] else { return None };
    let both = [one, other].map(|bone| poses(markers, &own_cluster(markers, bone)));
    let known: Vec<(RigidPose, RigidPose)> =
        both[0].iter().zip(&both[1]).filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
    let (a, b) = shared_point(&known)?;
    let track = |poses: &[Option<RigidPose>], at: Vec3| -> MarkerTrack {
        poses.iter().map(|pose| Some(placed(pose.as_ref()?, at))).collect()
    };
    joined(&[track(&both[0], a), track(&both[1], b)])
}
