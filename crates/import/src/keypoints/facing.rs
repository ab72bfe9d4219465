//! To which side a person looks, where that can be seen: it tells which side of the body is the near one, and where the head is when
//! only the nose was found. A picture has no depths; these are the only ones that follow from it.

use kurbo::Point;

use super::gaps::JointTrack;
use super::person::{Keypoint, median};

/// Who is seen from the side has shoulders and hips this narrow, as a share of the trunk.
const NARROW: f64 = 0.5;
/// Half as wide as a body is, as a share of the trunk.
const HALF_WIDTH: f64 = 0.35;
/// Nobody turns round faster than in so many seconds.
const TURN: f64 = 0.25;
/// How far the middle of a head lies behind the nose, and the top above that middle, as shares of the way from neck to nose.
const BEHIND_NOSE: f64 = 0.35;
const ABOVE: f64 = 0.65;

fn find(joints: &[JointTrack], part: Keypoint) -> Option<&JointTrack> {
    joints.iter().find(|joint| joint.part == part)
}

/// In each frame 1 for who looks to the right, -1 for the left; nothing for who is seen from the front or the back.
pub(super) fn facing(joints: &[JointTrack], rate: f64) -> Option<Vec<f64>> {
    let way = |from: &JointTrack, to: &JointTrack, frame: usize| to.positions[frame] - from.positions[frame];
    let middle = |from: &JointTrack, to: &JointTrack| {
        median(&mut (0..from.positions.len()).map(|frame| way(from, to, frame).hypot()).collect::<Vec<_>>())
    };
    let pair = |left, right| Some(middle(find(joints, left)?, find(joints, right)?));
    let trunk = pair(Keypoint::Pelvis, Keypoint::Neck)?;
    let width = pair(Keypoint::ShoulderL, Keypoint::ShoulderR)?.max(pair(Keypoint::HipL, Keypoint::HipR)?);
    if width > NARROW * trunk {
        return None;
    }
    // Toes tell best; where there are none, the nose.
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
    let reach = (TURN * rate).ceil() as usize;
    let mut sums = vec![0.0];
    for at in &toward {
        sums.push(sums[sums.len() - 1] + at);
    }
    let around = |frame: usize| sums[(frame + reach + 1).min(frames)] - sums[frame.saturating_sub(reach)];
    Some((0..frames).map(|frame| if around(frame) < 0.0 { -1.0 } else { 1.0 }).collect())
}

/// How near each joint is to the viewer: who looks to the right shows the right side.
pub(super) fn depths(joints: &[JointTrack], facing: &[f64]) -> Option<Vec<f64>> {
    let (pelvis, neck) = (find(joints, Keypoint::Pelvis)?, find(joints, Keypoint::Neck)?);
    let trunks = pelvis.positions.iter().zip(&neck.positions).map(|(a, b)| (*b - *a).hypot());
    let half = HALF_WIDTH * median(&mut trunks.collect::<Vec<_>>());
    let side = |part: Keypoint| part.right() * half;
    Some(facing.iter().flat_map(|facing| joints.iter().map(move |joint| facing * side(joint.part))).collect())
}

/// Moves a head that was found by its nose to where its middle is.
pub(super) fn behind_nose(joints: &mut [JointTrack], facing: &[f64]) {
    let Some(neck) = find(joints, Keypoint::Neck).map(|neck| neck.positions.clone()) else { return };
    let Some(head) = joints.iter_mut().find(|joint| joint.part == Keypoint::Head) else { return };
    for ((position, neck), facing) in head.positions.iter_mut().zip(neck).zip(facing) {
        position.x -= facing * BEHIND_NOSE * (*position - neck).hypot();
    }
}

/// Where a head ends that has this neck and this middle.
pub(super) fn top(neck: Point, head: Point) -> Point {
    head + (head - neck) * ABOVE
}
