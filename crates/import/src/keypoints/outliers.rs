//! Joints that are where they cannot be: found by their own course, and by bones that would be too long. They are taken out;
//! what fills the hole is decided elsewhere.

use kurbo::Point;

use super::body::{Part, Seen, median, quantile};
use super::swaps::Columns;

/// How many frames to each side say where a joint should be: up to three wrong ones in a row are outvoted.
const REACH: usize = 4;
/// A joint this far off its course (a share of the size) is wrong if the estimator was not sure of it either, and if it was.
const UNSURE_OFF: f64 = 0.03;
const SURE_OFF: f64 = 0.12;
/// Half as sure as usual is unsure.
const UNSURE: f64 = 0.5;
/// So many times the usual distance from the course is noise still.
const NOISE: f64 = 6.0;
/// A bone can look shorter than it is, but not longer: beyond this share of a length that it often has, one end is wrong.
const LONGER: f64 = 1.5;

/// Takes out what cannot be, and says which joints in which frames.
pub(super) fn take_out(columns: &mut Columns, size: f64) -> Vec<(Part, usize)> {
    let mut wrong = Vec::new();
    for part in Part::ALL {
        for frame in off_course(&columns[part.at()], size) {
            columns[part.at()][frame] = None;
            wrong.push((part, frame));
        }
    }
    for part in Part::ALL {
        let Some(parent) = part.parent() else { continue };
        for (culprit, frame) in too_long(columns, part, parent, size) {
            columns[culprit.at()][frame] = None;
            wrong.push((culprit, frame));
        }
    }
    wrong.sort_unstable();
    wrong.dedup();
    wrong
}

/// The frames in which a joint is far from the median of the frames around.
fn off_course(column: &[Option<Seen>], size: f64) -> Vec<usize> {
    let off: Vec<Option<f64>> =
        (0..column.len()).map(|frame| Some((column[frame]?.at - course(column, frame)?).hypot())).collect();
    let usual = median(&mut off.iter().flatten().copied().collect::<Vec<_>>());
    let sure = median(&mut column.iter().flatten().map(|seen| seen.sure).collect::<Vec<_>>());
    let wrong = |frame: &usize| {
        let (Some(seen), Some(off)) = (column[*frame], off[*frame]) else { return false };
        let bound = if seen.sure < UNSURE * sure { UNSURE_OFF } else { SURE_OFF };
        off > (bound * size).max(NOISE * usual)
    };
    (0..column.len()).filter(wrong).collect()
}

/// The median of the places of a joint around a frame; none where too few are known.
fn course(column: &[Option<Seen>], frame: usize) -> Option<Point> {
    let around = frame.saturating_sub(REACH)..column.len().min(frame + REACH + 1);
    let places: Vec<Point> = column[around].iter().flatten().map(|seen| seen.at).collect();
    if places.len() < 5 {
        return None;
    }
    let x = median(&mut places.iter().map(|at| at.x).collect::<Vec<_>>());
    let y = median(&mut places.iter().map(|at| at.y).collect::<Vec<_>>());
    Some(Point::new(x, y))
}

/// Where a bone is too long, the end that the estimator was less sure of; of equals the outer one.
fn too_long(columns: &Columns, part: Part, parent: Part, size: f64) -> Vec<(Part, usize)> {
    let bone = |frame: usize| Some((columns[part.at()][frame]?, columns[parent.at()][frame]?));
    let frames = columns[part.at()].len();
    let lengths = (0..frames).filter_map(bone).map(|(a, b)| (a.at - b.at).hypot());
    let often = quantile(&mut lengths.collect::<Vec<_>>(), 0.8);
    let wrong = |frame: usize| {
        let (outer, inner) = bone(frame)?;
        let length = (outer.at - inner.at).hypot();
        let culprit = if inner.sure < outer.sure { parent } else { part };
        (length > LONGER * often && length - often > UNSURE_OFF * size).then_some((culprit, frame))
    };
    (0..frames).filter_map(wrong).collect()
}
