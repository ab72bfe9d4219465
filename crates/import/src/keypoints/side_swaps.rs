//! Finds frames in which the estimator swapped left and right, over the whole recording at once. Arms and
//! legs are treated separately, because they are swapped separately.

use kurbo::Point;

use super::person::{Detection, Keypoint};

/// The joints of one person: one column for each joint, one entry for each frame.
pub(super) type JointColumns = Vec<Vec<Option<Detection>>>;

/// After this many frames without a detection the speed of a joint is unknown.
const MEMORY: usize = 6;

/// The frames in which the sides of these pairs are swapped, by dynamic programming over the labellings: the
/// cost is the distance of the joints from the positions that their motion predicts.
pub(super) fn find(columns: &JointColumns, pairs: &[(Keypoint, Keypoint)], size: f64) -> Vec<bool> {
    let frames = columns.first().map_or(0, Vec::len);
    // The best labelling for each combination of the last two decisions. Each labelling stores the motion of
    // its joints.
    let mut labellings: Vec<Option<Labelling>> = vec![Some(Labelling::new(pairs.len())), None, None, None];
    let mut back: Vec<[u8; 4]> = Vec::with_capacity(frames);
    let row = |frame: usize| -> Vec<[Option<Detection>; 2]> {
        pairs.iter().map(|(left, right)| [columns[left.at()][frame], columns[right.at()][frame]]).collect()
    };
    for (frame, seen) in (0..frames).map(row).enumerate() {
        let mut next: Vec<Option<Labelling>> = vec![None; 4];
        let mut from = [0_u8; 4];
        if seen.iter().flatten().flatten().next().is_none() {
            // No joint was detected: each labelling continues unchanged.
            back.push([0, 1, 2, 3]);
            continue;
        }
        for (state, labelling) in labellings.iter().enumerate() {
            let Some(labelling) = labelling else { continue };
            for changed in [false, true] {
                let was = state & 1 == 1;
                // A change between swapped and not swapped costs a tenth of the person's size, and each swapped
                // frame a little. Labels are mostly right, so a few pixels of noise must not cause a change.
                let cost = labelling.cost
                    + labelling.prediction_error(&seen, changed, frame, size)
                    + if changed == was { 0.0 } else { 0.1 }
                    + if changed { 0.004 } else { 0.0 };
                let to = (state & 1) << 1 | usize::from(changed);
                if next[to].as_ref().is_none_or(|best| cost < best.cost) {
                    next[to] = Some(labelling.extended(&seen, changed, frame, cost));
                    from[to] = state as u8;
                }
            }
        }
        labellings = next;
        back.push(from);
    }
    let ends = (0..4).filter_map(|state| Some((state, labellings[state].as_ref()?.cost)));
    let mut state = ends.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(state, _)| state);
    let mut answer = vec![false; frames];
    for frame in (0..frames).rev() {
        answer[frame] = state & 1 == 1;
        state = usize::from(back[frame][state]);
    }
    answer
}

/// Swaps the sides back in these frames.
pub(super) fn repair(columns: &mut JointColumns, pairs: &[(Keypoint, Keypoint)], changed: &[bool]) {
    for &(left, right) in pairs {
        for (frame, _) in changed.iter().enumerate().filter(|(_, changed)| **changed) {
            let kept = columns[left.at()][frame];
            columns[left.at()][frame] = columns[right.at()][frame];
            columns[right.at()][frame] = kept;
        }
    }
}

/// The last two detections of a joint.
#[derive(Clone, Copy, Default)]
struct Trace {
    last: Option<(usize, Point)>,
    before: Option<(usize, Point)>,
}

impl Trace {
    /// The predicted position at constant speed.
    fn predicted(&self, frame: usize) -> Option<Point> {
        let (then, at) = self.last?;
        let gap = frame - then;
        Some(match self.before {
            Some((earlier, from)) if gap <= MEMORY && then - earlier <= MEMORY => {
                at + (at - from) * (gap as f64 / (then - earlier) as f64)
            }
            _ => at,
        })
    }

    fn record(&mut self, frame: usize, at: Point) {
        self.before = self.last;
        self.last = Some((frame, at));
    }
}

/// A labelling of the sides up to a frame, its cost, and the motion of each joint under it.
#[derive(Clone)]
struct Labelling {
    cost: f64,
    traces: Vec<[Trace; 2]>,
}

impl Labelling {
    fn new(pairs: usize) -> Self {
        Self { cost: 0.0, traces: vec![[Trace::default(); 2]; pairs] }
    }

    /// The distance of the joints of a frame from their predictions under this labelling.
    fn prediction_error(
        &self,
        seen: &[[Option<Detection>; 2]],
        changed: bool,
        frame: usize,
        size: f64,
    ) -> f64 {
        let mut sum = 0.0;
        for (pair, traces) in seen.iter().zip(&self.traces) {
            for (side, seen) in pair.iter().enumerate() {
                let trace = &traces[if changed { 1 - side } else { side }];
                if let (Some(seen), Some(should)) = (seen, trace.predicted(frame)) {
                    // The error of a joint is limited to this: larger ones are outliers and contain no
                    // information about sides.
                    sum += seen.confidence * ((seen.at - should).hypot() / size).min(0.15);
                }
            }
        }
        sum
    }

    fn extended(&self, seen: &[[Option<Detection>; 2]], changed: bool, frame: usize, cost: f64) -> Self {
        let mut after = Self { cost, traces: self.traces.clone() };
        for (pair, traces) in seen.iter().zip(&mut after.traces) {
            for (side, seen) in pair.iter().enumerate() {
                if let Some(seen) = seen {
                    traces[if changed { 1 - side } else { side }].record(frame, seen.at);
                }
            }
        }
        after
    }
}
