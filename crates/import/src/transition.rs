//! Where two movements meet best: a moment of each at which the poses are alike and move on alike, as for a cross-fade. The figure
//! may stand elsewhere along the ground.

use crate::cycle::Poses;

/// A moment of each of two movements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// The frame of the first.
    pub from: usize,
    /// The frame of the second.
    pub to: usize,
    /// How far joints are apart: the root of the mean square over joints and window, in heights of the figure.
    pub distance: f64,
}

/// The best meetings, each better than those around it, best first. Poses are compared over `half` frames before and after; meetings
/// lie so far within both movements.
pub fn meetings(first: &Poses, second: &Poses, half: usize, most: usize) -> Vec<Meeting> {
    let (rows, columns) = (first.frames(), second.frames());
    let mut found: Vec<Meeting> = Vec::new();
    // Those that are near each other, by a window either way, are one.
    let near = |a: &Meeting, b: &Meeting| {
        a.from.abs_diff(b.from) <= half.max(1) && a.to.abs_diff(b.to) <= half.max(1)
    };
    for start in 0..rows + columns {
        // The diagonals from the last row and first column to the first row and last column.
        let (row, column) = if start < rows { (rows - 1 - start, 0) } else { (0, start - rows) };
        first.along_diagonal_with(second, row, column, half, |from, to, mean| {
            let meeting = Meeting { from, to, distance: mean.sqrt() };
            let worst =
                found.len() >= most && found.last().is_some_and(|last| last.distance <= meeting.distance);
            if worst {
                return;
            }
            match found.iter().position(|other| near(other, &meeting)) {
                Some(at) if found[at].distance <= meeting.distance => return,
                Some(at) => found[at] = meeting,
                None => found.push(meeting),
            }
            found.sort_by(|a, b| {
                a.distance.total_cmp(&b.distance).then(a.from.cmp(&b.from)).then(a.to.cmp(&b.to))
            });
            found.truncate(most);
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two joints that swing, from a phase on, while the figure gets along.
    fn swing(frames: usize, phase: f64, along: f64) -> Poses {
        let rows = (0..frames).flat_map(|frame| {
            let turn = bone_core::Angle::from_degrees((frame as f64 + phase) * 6.0);
            let (sin, cos) = turn.sin_cos();
            let x = along * frame as f64;
            [x, x + 0.2 * sin, 0.5, 0.2 * cos]
        });
        Poses::from_rows(rows.collect(), 2)
    }

    #[test]
    fn the_same_phase_is_found() {
        let found = meetings(&swing(50, 0.0, 0.01), &swing(50, 20.0, 0.01), 4, 3);
        let best = found[0];
        assert!(best.distance < 1e-6 && best.from == best.to + 20, "{found:?}");
    }

    #[test]
    fn too_short_movements_do_not_meet() {
        assert!(meetings(&swing(5, 0.0, 0.0), &swing(50, 0.0, 0.0), 4, 3).is_empty());
    }
}
