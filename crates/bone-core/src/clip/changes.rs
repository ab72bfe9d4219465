//! Intervals of time in which two motions differ: in order, with unchanged times in between. At the ends of an
//! interval the motions are equal.

/// All times.
pub(super) const ALL: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// Sorts intervals and joins those that meet.
pub(super) fn join(mut intervals: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut joined: Vec<(f64, f64)> = Vec::with_capacity(intervals.len());
    for (from, to) in intervals {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}
