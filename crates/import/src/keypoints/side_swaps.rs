//! Left and right taken for each other: found over the whole recording at once and put right. Arms and legs are looked at
//! apart, because estimators mistake them apart. Decides nothing about single joints.

use kurbo::Point;

use super::person::{Detection, Keypoint};

/// The joints of one person, each a column with an entry a frame.
pub(super) type JointColumns = Vec<Vec<Option<Detection>>>;

/// What a change of sides costs, and what each frame with changed sides costs: shares of the person's size. Names are mostly
/// right, so a change needs a reason that a few pixels of noise are not.
const CHANGE: f64 = 0.1;
const CHANGED: f64 = 0.004;
/// A joint that is farther away than this is wrong by itself, and says no more about sides.
const FARTHEST: f64 = 0.15;
/// After so many frames without a joint its speed is forgotten.
const MEMORY: usize = 6;

/// The frames in which the sides of these pairs are taken for each other, by dynamic programming over the ways to name them: the
/// cost is how far joints are from where their own motion leads them.
pub(super) fn find(columns: &JointColumns, pairs: &[(Keypoint, Keypoint)], size: f64) -> Vec<bool> {
    let frames = columns.first().map_or(0, Vec::len);
    // One way to have come here for each of the last two answers. What a joint did before belongs to the way.
    let mut ways: Vec<Option<Labelling>> = vec![Some(Labelling::new(pairs.len())), None, None, None];
    let mut back: Vec<[u8; 4]> = Vec::with_capacity(frames);
    let row = |frame: usize| -> Vec<[Option<Detection>; 2]> {
        pairs.iter().map(|(left, right)| [columns[left.at()][frame], columns[right.at()][frame]]).collect()
    };
    for (frame, seen) in (0..frames).map(row).enumerate() {
        let mut next: Vec<Option<Labelling>> = vec![None; 4];
        let mut from = [0_u8; 4];
        if seen.iter().flatten().flatten().next().is_none() {
            // Nobody there: each way goes on as it was.
            back.push([0, 1, 2, 3]);
            continue;
        }
        for (state, way) in ways.iter().enumerate() {
            let Some(way) = way else { continue };
            for changed in [false, true] {
                let was = state & 1 == 1;
                let cost = way.cost
                    + way.surprise(&seen, changed, frame, size)
                    + if changed == was { 0.0 } else { CHANGE }
                    + if changed { CHANGED } else { 0.0 };
                let to = (state & 1) << 1 | usize::from(changed);
                if next[to].as_ref().is_none_or(|best| cost < best.cost) {
                    next[to] = Some(way.went(&seen, changed, frame, cost));
                    from[to] = state as u8;
                }
            }
        }
        ways = next;
        back.push(from);
    }
    let ends = (0..4).filter_map(|state| Some((state, ways[state].as_ref()?.cost)));
    let mut state = ends.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(state, _)| state);
    let mut answer = vec![false; frames];
    for frame in (0..frames).rev() {
        answer[frame] = state & 1 == 1;
        state = usize::from(back[frame][state]);
    }
    answer
}

/// Names the sides anew where they were taken for each other.
pub(super) fn repair(columns: &mut JointColumns, pairs: &[(Keypoint, Keypoint)], changed: &[bool]) {
    for &(left, right) in pairs {
        for (frame, _) in changed.iter().enumerate().filter(|(_, changed)| **changed) {
            let kept = columns[left.at()][frame];
            columns[left.at()][frame] = columns[right.at()][frame];
            columns[right.at()][frame] = kept;
        }
    }
}

/// Where a joint was the last two times that it was seen.
#[derive(Clone, Copy, Default)]
struct Trace {
    last: Option<(usize, Point)>,
    before: Option<(usize, Point)>,
}

impl Trace {
    /// Where it should be now, if it keeps its speed.
    fn now(&self, frame: usize) -> Option<Point> {
        let (then, at) = self.last?;
        let gap = frame - then;
        Some(match self.before {
            Some((earlier, from)) if gap <= MEMORY && then - earlier <= MEMORY => {
                at + (at - from) * (gap as f64 / (then - earlier) as f64)
            }
            _ => at,
        })
    }

    fn saw(&mut self, frame: usize, at: Point) {
        self.before = self.last;
        self.last = Some((frame, at));
    }
}

/// A way to name the sides up to a frame, its cost, and what each joint did by these names.
#[derive(Clone)]
struct Labelling {
    cost: f64,
    traces: Vec<[Trace; 2]>,
}

impl Labelling {
    fn new(pairs: usize) -> Self {
        Self { cost: 0.0, traces: vec![[Trace::default(); 2]; pairs] }
    }

    /// How far the joints of a frame are from where they should be, by these names.
    fn surprise(&self, seen: &[[Option<Detection>; 2]], changed: bool, frame: usize, size: f64) -> f64 {
        let mut sum = 0.0;
        for (pair, traces) in seen.iter().zip(&self.traces) {
            for (side, seen) in pair.iter().enumerate() {
                let trace = &traces[if changed { 1 - side } else { side }];
                if let (Some(seen), Some(should)) = (seen, trace.now(frame)) {
                    sum += seen.confidence * ((seen.at - should).hypot() / size).min(FARTHEST);
                }
            }
        }
        sum
    }

    fn went(&self, seen: &[[Option<Detection>; 2]], changed: bool, frame: usize, cost: f64) -> Self {
        let mut after = Self { cost, traces: self.traces.clone() };
        for (pair, traces) in seen.iter().zip(&mut after.traces) {
            for (side, seen) in pair.iter().enumerate() {
                if let Some(seen) = seen {
                    traces[if changed { 1 - side } else { side }].saw(frame, seen.at);
                }
            }
        }
        after
    }
}
