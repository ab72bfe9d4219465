//! Removes outliers: detections far from the course of their joint, and joints at which bones would be too
//! long. The gaps are filled elsewhere.

use kurbo::Point;

use super::person::{Detection, KEYPOINTS, Keypoint};
use super::side_swaps::JointColumns;
use crate::statistics::{median, quantile};

/// The number of frames on each side for the median: up to three wrong ones in a row are rejected.
const REACH: usize = 4;
/// The distance from the median, as a share of the size, beyond which a joint with low confidence is an outlier.
const UNSURE_OFF: f64 = 0.03;

/// Removes outliers and returns their joints and frames.
pub(super) fn remove_outliers(columns: &mut JointColumns, size: f64) -> Vec<(Keypoint, usize)> {
    let mut wrong = Vec::new();
    for part in Keypoint::ALL {
        // Twice: large outliers hide smaller ones.
        for _ in 0..2 {
            for frame in off_course(&columns[part.at()], size) {
                columns[part.at()][frame] = None;
                wrong.push((part, frame));
            }
        }
    }
    let often: Vec<f64> = Keypoint::ALL.into_iter().map(|part| often(columns, part)).collect();
    for frame in 0..columns.first().map_or(0, Vec::len) {
        while let Some(part) = most_stretched(columns, &often, frame, size) {
            columns[part.at()][frame] = None;
            wrong.push((part, frame));
        }
    }
    wrong.sort_unstable();
    wrong
}

/// The frames in which a joint is far from the median of the frames around.
pub(super) fn off_course(column: &[Option<Detection>], size: f64) -> Vec<usize> {
    let off: Vec<Option<f64>> =
        (0..column.len()).map(|frame| Some((column[frame]?.at - course(column, frame)?).hypot())).collect();
    let usual = median(off.iter().flatten().copied());
    let confidence = median(column.iter().flatten().map(|seen| seen.confidence));
    let wrong = |frame: &usize| {
        let (Some(seen), Some(off)) = (column[*frame], off[*frame]) else { return false };
        // Low confidence is less than half of the median.
        let bound = if seen.confidence < 0.5 * confidence { UNSURE_OFF } else { 0.12 };
        // A distance below this multiple of the median distance is noise.
        off > (bound * size).max(6.0 * usual)
    };
    (0..column.len()).filter(wrong).collect()
}

/// The median position of a joint around a frame; `None` if too few positions are known.
fn course(column: &[Option<Detection>], frame: usize) -> Option<Point> {
    let around = frame.saturating_sub(REACH)..column.len().min(frame + REACH + 1);
    let places: Vec<Point> = column[around].iter().flatten().map(|seen| seen.at).collect();
    if places.len() < 5 {
        return None;
    }
    let x = median(places.iter().map(|at| at.x));
    let y = median(places.iter().map(|at| at.y));
    Some(Point::new(x, y))
}

/// Both ends of the bone that ends in a joint.
fn bone(columns: &JointColumns, part: Keypoint, frame: usize) -> Option<(Detection, Detection)> {
    Some((columns[part.at()][frame]?, columns[part.parent()?.at()][frame]?))
}

/// A frequent length of the bone that ends in a joint: the 80 % quantile.
fn often(columns: &JointColumns, part: Keypoint) -> f64 {
    let frames = 0..columns[part.at()].len();
    let lengths = frames.filter_map(|frame| bone(columns, part, frame)).map(|(a, b)| (a.at - b.at).hypot());
    quantile(lengths, 0.8)
}

/// The joint at which most bones are too long; among equal ones that with the lower confidence, then the
/// outer one.
fn most_stretched(columns: &JointColumns, often: &[f64], frame: usize, size: f64) -> Option<Keypoint> {
    let mut too_long = [0_usize; KEYPOINTS];
    for part in Keypoint::ALL {
        let (Some((outer, inner)), Some(parent)) = (bone(columns, part, frame), part.parent()) else {
            continue;
        };
        let (length, often) = ((outer.at - inner.at).hypot(), often[part.at()]);
        // A bone can appear shorter than it is, but not longer: beyond this multiple of a frequent length one
        // of its ends is wrong.
        if length > 1.5 * often && length - often > UNSURE_OFF * size {
            too_long[part.at()] += 1;
            too_long[parent.at()] += 1;
        }
    }
    let confidence = |part: Keypoint| columns[part.at()][frame].map_or(0.0, |seen| seen.confidence);
    let suspects = Keypoint::ALL.into_iter().filter(|part| too_long[part.at()] > 0);
    suspects.max_by(|a, b| {
        let by_count = too_long[a.at()].cmp(&too_long[b.at()]);
        by_count.then(confidence(*b).total_cmp(&confidence(*a))).then(a.cmp(b))
    })
}
