//! Fills gaps in the detections. A joint is filled relative to its parent, so that a hidden arm moves along
//! with the shoulder.

use bone_core::Angle;
use kurbo::{Point, Vec2};

use super::person::{Detection, Keypoint};
use super::side_swaps::JointColumns;
use super::smooth::{smooth, stiffness};
use crate::statistics::median;

/// Frames in which a joint was not detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Gap {
    pub(super) part: Keypoint,
    pub(super) from: usize,
    /// The first frame after the gap.
    pub(super) until: usize,
}

/// A joint with a position in each frame, and the weights of these positions.
#[derive(Clone, Debug)]
pub(super) struct JointTrack {
    pub(super) part: Keypoint,
    /// The index of its parent in the list.
    pub(super) parent: Option<usize>,
    pub(super) positions: Vec<Point>,
    pub(super) weights: Vec<f64>,
}

/// Joints that are detected in a smaller share of the frames are left out.
pub(super) const MIN_SEEN_SHARE: f64 = 0.2;

/// The joints that were detected often enough, parents first; `None` if neither hips nor neck were.
pub(super) fn fill(columns: &JointColumns, rate: f64) -> Option<(Vec<JointTrack>, Vec<Gap>)> {
    let frames = columns.first().map_or(0, Vec::len);
    let often = |part: Keypoint| {
        let seen = columns[part.at()].iter().flatten().count();
        seen >= 2.min(frames) && seen as f64 >= MIN_SEEN_SHARE * frames as f64
    };
    let root = [Keypoint::Pelvis, Keypoint::Neck].into_iter().find(|&part| often(part))?;
    let (mut filled, mut gaps): (Vec<JointTrack>, Vec<Gap>) = (Vec::new(), Vec::new());
    for part in std::iter::once(root).chain(Keypoint::ALL.into_iter().filter(|&part| part != root)) {
        if !often(part) {
            continue;
        }
        let parent = (part != root).then(|| {
            let above = std::iter::successors(part.parent(), |part| part.parent());
            above.filter_map(|part| filled.iter().position(|joint| joint.part == part)).next().unwrap_or(0)
        });
        let column = &columns[part.at()];
        let around: Vec<Point> = match parent {
            Some(parent) => filled[parent].positions.clone(),
            None => vec![Point::ZERO; frames],
        };
        let (positions, weights) = fill_one(column, &around, rate);
        let missing = (0..frames).filter(|&frame| column[frame].is_none());
        for frame in missing {
            match gaps.last_mut() {
                Some(gap) if gap.part == part && gap.until == frame => gap.until += 1,
                _ => gaps.push(Gap { part, from: frame, until: frame + 1 }),
            }
        }
        filled.push(JointTrack { part, parent, positions, weights });
    }
    Some((filled, gaps))
}

pub(super) fn fill_one(column: &[Option<Detection>], around: &[Point], rate: f64) -> (Vec<Point>, Vec<f64>) {
    let usual = median(column.iter().flatten().map(|seen| seen.confidence));
    let weights: Vec<f64> = column
        .iter()
        .map(|seen| seen.map_or(0.0, |seen| (seen.confidence / usual).powi(2).clamp(1e-3, 2.0)))
        .collect();
    let ways: Vec<Vec2> = column
        .iter()
        .zip(around)
        .map(|(seen, from)| seen.map_or(Vec2::ZERO, |seen| seen.at - *from))
        .collect();
    let course = |axis: fn(&Vec2) -> f64| {
        // The cutoff frequency of the curve across gaps, per second.
        smooth(&ways.iter().map(axis).collect::<Vec<_>>(), &weights, stiffness(6.0, rate))
    };
    let (x, y) = (course(|way| way.x), course(|way| way.y));
    let position = |frame: usize| -> Point {
        if let Some(seen) = column[frame] {
            return seen.at;
        }
        let before = (0..frame).rev().find(|&at| column[at].is_some());
        let after = (frame + 1..column.len()).find(|&at| column[at].is_some());
        let way = match (before, after) {
            // Gaps up to this many seconds are bridged by a smooth curve; across longer ones the bone is
            // rotated evenly, because a free curve would overshoot.
            (Some(before), Some(after)) if (after - before - 1) as f64 > 0.5 * rate => {
                let share = (frame - before) as f64 / (after - before) as f64;
                turned(ways[before], ways[after], share)
            }
            (Some(_), Some(_)) => Vec2::new(x[frame], y[frame]),
            // Before the first and after the last detection the joint stays fixed relative to its parent.
            (Some(end), None) | (None, Some(end)) => ways[end],
            (None, None) => Vec2::ZERO,
        };
        around[frame] + way
    };
    let positions = (0..column.len()).map(position).collect();
    // The weight of filled positions when the curve is smoothed.
    (positions, weights.into_iter().map(|weight| if weight > 0.0 { weight } else { 0.05 }).collect())
}

/// Interpolates the offset from a joint to the next: the angle by the shorter rotation, the length linearly.
fn turned(from: Vec2, to: Vec2, share: f64) -> Vec2 {
    let first = Angle::of(from);
    let last = Angle::of(to).nearest_to(first);
    let angle = Angle::from_degrees(first.degrees() + (last.degrees() - first.degrees()) * share);
    angle.direction() * (from.hypot() + (to.hypot() - from.hypot()) * share)
}
