//! The facing of a person who is seen from the side. It determines which side of the body is near, and where
//! the head is if only the nose was detected. A picture has no depths; these are the only ones that are
//! derived.

use kurbo::Point;

use super::gaps::JointTrack;
use super::person::Keypoint;
use crate::statistics::median;

fn find(joints: &[JointTrack], part: Keypoint) -> Option<&JointTrack> {
    joints.iter().find(|joint| joint.part == part)
}

/// For each frame 1 if the person faces right, -1 if left; `None` for a front or back view.
pub(super) fn facing(joints: &[JointTrack], rate: f64) -> Option<Vec<f64>> {
    let way = |from: &JointTrack, to: &JointTrack, frame: usize| to.positions[frame] - from.positions[frame];
    let middle = |from: &JointTrack, to: &JointTrack| {
        median((0..from.positions.len()).map(|frame| way(from, to, frame).hypot()))
    };
    let pair = |left, right| Some(middle(find(joints, left)?, find(joints, right)?));
    let trunk = pair(Keypoint::Pelvis, Keypoint::Neck)?;
    let width = pair(Keypoint::ShoulderL, Keypoint::ShoulderR)?.max(pair(Keypoint::HipL, Keypoint::HipR)?);
    // In a side view shoulders and hips are narrower than this share of the trunk.
    if width > 0.5 * trunk {
        return None;
    }
    // Toes are most reliable; the nose is used as well.
    let pairs = [
        (Keypoint::AnkleL, Keypoint::ToeL),
        (Keypoint::AnkleR, Keypoint::ToeR),
        (Keypoint::Neck, Keypoint::Head),
    ];
    let pairs: Vec<(&JointTrack, &JointTrack)> =
        pairs.iter().filter_map(|&(from, to)| Some((find(joints, from)?, find(joints, to)?))).collect();
    let frames = joints.first()?.positions.len();
    let toward: Vec<f64> =
        (0..frames).map(|frame| pairs.iter().map(|(from, to)| way(from, to, frame).x).sum()).collect();
    // The facing is averaged over this time in both directions, seconds: turns are not faster.
    let reach = (0.25 * rate).ceil() as usize;
    let mut sums = vec![0.0];
    for at in &toward {
        sums.push(sums[sums.len() - 1] + at);
    }
    let around = |frame: usize| sums[(frame + reach + 1).min(frames)] - sums[frame.saturating_sub(reach)];
    Some((0..frames).map(|frame| if around(frame) < 0.0 { -1.0 } else { 1.0 }).collect())
}

/// The depth of each joint: a person who faces right shows the right side.
pub(super) fn depths(joints: &[JointTrack], facing: &[f64]) -> Option<Vec<f64>> {
    let (pelvis, neck) = (find(joints, Keypoint::Pelvis)?, find(joints, Keypoint::Neck)?);
    let trunks = pelvis.positions.iter().zip(&neck.positions).map(|(a, b)| (*b - *a).hypot());
    // Half the width of a body, as a share of the trunk.
    let half = 0.35 * median(trunks);
    let side = |part: Keypoint| part.right() * half;
    Some(facing.iter().flat_map(|facing| joints.iter().map(move |joint| facing * side(joint.part))).collect())
}

/// Moves a head that was found by its nose to the centre of the head.
pub(super) fn behind_nose(joints: &mut [JointTrack], facing: &[f64]) {
    let Some(neck) = find(joints, Keypoint::Neck).map(|neck| neck.positions.clone()) else { return };
    let Some(head) = joints.iter_mut().find(|joint| joint.part == Keypoint::Head) else { return };
    for ((position, neck), facing) in head.positions.iter_mut().zip(neck).zip(facing) {
        // How far the centre of a head lies behind the nose, as a share of the distance from neck to nose.
        position.x -= facing * 0.35 * (*position - neck).hypot();
    }
}

/// The top of a head from its neck and its centre.
pub(super) fn top(neck: Point, head: Point) -> Point {
    // How far the top of a head lies above its centre, as a share of the distance from neck to nose.
    head + (head - neck) * 0.65
}
