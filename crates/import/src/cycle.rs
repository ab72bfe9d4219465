//! The best cycle of a recording: from which frame to which the figure comes back to the pose that it had, and moves on alike. A pose is
//! compared over a window of frames, and may have got along the ground meanwhile. What is left of the difference is spread over
//! the cycle, so that its end is its start.
//!
//! Distances are found along diagonals of the matrix of all pairs, with running sums, and none of the matrix is kept.

use kurbo::{Point, Vec2};

use crate::figure::height;
use crate::{Flat, FlatError};

/// A part of a recording that loops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// Its first frame.
    pub start: usize,
    /// Frames until it starts again.
    pub period: usize,
    /// How far joints are from where they should be when it does: the root of the mean square over joints and window, in
    /// heights of the figure.
    pub distance: f64,
}

/// Half the window in which poses are compared, seconds.
const WINDOW: f64 = 0.1;
/// The shortest and the longest cycle, seconds.
const SHORTEST: f64 = 0.35;
const LONGEST: f64 = 12.0;
/// More frames a second are not needed to find where a cycle is.
const COARSE: f64 = 30.0;

/// Joints of all frames as rows of numbers, in heights of the figure.
#[derive(Debug)]
pub struct Poses {
    rows: Vec<f64>,
    joints: usize,
}

impl Poses {
    /// The joints of a body, or all where none is known; every `step`th frame.
    pub fn new(flat: &Flat, step: usize) -> Self {
        let body = flat.body();
        let mut joints: Vec<usize> =
            crate::parts::Part::ALL.iter().filter_map(|part| body.start(*part)).collect();
        if joints.len() < 5 {
            joints = (0..flat.joints().len()).collect();
        }
        joints.sort_unstable();
        joints.dedup();
        let size = height(flat, &body);
        let mut rows = Vec::with_capacity(flat.frames().div_ceil(step) * joints.len() * 2);
        for frame in (0..flat.frames()).step_by(step) {
            let place = |joint: &usize| flat.place(frame, *joint);
            // All x, then all y: the sums below run straight through.
            rows.extend(joints.iter().map(|joint| place(joint).x / size));
            rows.extend(joints.iter().map(|joint| place(joint).y / size));
        }
        Self { rows, joints: joints.len() }
    }

    /// Poses from rows: the x of all joints, then the y of all joints, a frame.
    pub fn from_rows(rows: Vec<f64>, joints: usize) -> Self {
        Self { rows, joints }
    }

    /// How many frames there are.
    pub fn frames(&self) -> usize {
        self.rows.len() / (2 * self.joints).max(1)
    }

    fn row(&self, frame: usize) -> &[f64] {
        &self.rows[frame * 2 * self.joints..(frame + 1) * 2 * self.joints]
    }

    /// The sum of squares of what two poses differ by, and the sum of what their x differ by.
    fn difference(&self, a: usize, other: &Self, b: usize) -> (f64, f64) {
        let (a, b) = (self.row(a).split_at(self.joints), other.row(b).split_at(self.joints));
        let (x, along) = sums(a.0, b.0);
        let (y, _) = sums(a.1, b.1);
        (x + y, along)
    }

    /// For all frames that lie `period` apart, the mean square by which joints differ around them, with the shift along the ground that
    /// suits best taken out. `half` frames before and after count. Calls back with the earlier frame and the mean.
    pub fn along_diagonal(&self, period: usize, half: usize, mut found: impl FnMut(usize, f64)) {
        self.along_diagonal_with(self, 0, period, half, |at, _, mean| found(at, mean));
    }

    /// The same for two movements of the same joints, from a frame of each on. Calls back with the frames of both and the mean.
    pub fn along_diagonal_with(
        &self,
        other: &Self,
        from: usize,
        to: usize,
        half: usize,
        mut found: impl FnMut(usize, usize, f64),
    ) {
        let window = 2 * half + 1;
        let steps = self.frames().saturating_sub(from).min(other.frames().saturating_sub(to));
        let mut recent: Vec<(f64, f64)> = vec![(0.0, 0.0); window];
        let (mut squares, mut along) = (0.0, 0.0);
        let count = (window * self.joints) as f64;
        for step in 0..steps {
            let new = self.difference(from + step, other, to + step);
            let old = std::mem::replace(&mut recent[step % window], new);
            squares += new.0 - old.0;
            along += new.1 - old.1;
            if step + 1 >= window {
                let mean = ((squares - along * along / count) / count).max(0.0);
                found(from + step - half, to + step - half, mean);
            }
        }
    }
}

/// The sum of squares of differences and their sum, in four columns that do not wait for each other.
fn sums(a: &[f64], b: &[f64]) -> (f64, f64) {
    let (mut squares, mut plain) = ([0.0; 4], [0.0; 4]);
    let ((a4, a1), (b4, b1)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (a, b) in a4.iter().zip(b4) {
        for i in 0..4 {
            let d = b[i] - a[i];
            squares[i] += d * d;
            plain[i] += d;
        }
    }
    for (i, (a, b)) in a1.iter().zip(b1).enumerate() {
        let d = b - a;
        squares[i] += d * d;
        plain[i] += d;
    }
    let all = |parts: [f64; 4]| (parts[0] + parts[1]) + (parts[2] + parts[3]);
    (all(squares), all(plain))
}

/// Finds the best cycle. None if nothing comes back.
pub fn find(flat: &Flat) -> Option<Cycle> {
    let step = (flat.rate() / COARSE).round().max(1.0) as usize;
    let poses = Poses::new(flat, step);
    let rate = flat.rate() / step as f64;
    let frames = poses.frames();
    let half = (WINDOW * rate).round().max(1.0) as usize;
    let shortest = (SHORTEST * rate).ceil().max(2.0) as usize;
    let longest = ((LONGEST * rate) as usize).min(frames.saturating_sub(2 * half + 1));
    // Of each period the best start.
    let mut best: Vec<(f64, usize)> = Vec::new();
    for period in shortest..=longest {
        let mut least = (f64::INFINITY, 0);
        poses.along_diagonal(period, half, |start, distance| {
            if distance < least.0 {
                least = (distance, start);
            }
        });
        best.push(least);
    }
    let moving = |at: usize| {
        let (distance, start) = best[at];
        // Where the figure stands still everything is a cycle.
        let furthest = (start..start + shortest + at)
            .map(|frame| {
                let (squares, along) = poses.difference(start, &poses, frame);
                (squares - along * along / poses.joints as f64) / poses.joints as f64
            })
            .fold(0.0, f64::max);
        furthest > 1e-4 && distance < furthest / 4.0
    };
    let valley = |at: usize| {
        let here = best[at].0;
        (at == 0 || best[at - 1].0 >= here) && best.get(at + 1).is_none_or(|next| next.0 >= here)
    };
    let valleys: Vec<usize> = (0..best.len()).filter(|&at| valley(at) && moving(at)).collect();
    let least = valleys.iter().map(|&at| best[at].0).fold(f64::INFINITY, f64::min);
    // Twice round is as good as once: the first that is about as good as the best.
    let good = (least.sqrt() * 1.6 + 0.004).powi(2);
    let first = *valleys.iter().find(|&&at| best[at].0 <= good)?;
    let (period, start) = (shortest + first, best[first].1);
    Some(refined(flat, step, start * step, period * step))
}

/// The same to the frame.
fn refined(flat: &Flat, step: usize, start: usize, period: usize) -> Cycle {
    let poses = Poses::new(flat, 1);
    let half = (WINDOW * flat.rate()).round().max(1.0) as usize;
    let mut best = Cycle { start, period: period.max(1), distance: f64::INFINITY };
    let around = |middle: usize| middle.saturating_sub(step).max(1)..=middle + step;
    for period in around(period) {
        poses.along_diagonal(period, half, |at, distance| {
            if at.abs_diff(start) <= step && distance < best.distance {
                best = Cycle { start: at, period, distance };
            }
        });
    }
    if !best.distance.is_finite() {
        best.period = best.period.min(flat.frames().saturating_sub(best.start + 1)).max(1);
        best.distance = 0.0;
    }
    Cycle { distance: best.distance.sqrt(), ..best }
}

/// The cycle alone, closed: its last frame is its first one, but for how far it has got along the ground.
///
/// # Errors
/// If it lies outside the recording.
pub fn closed(flat: &Flat, cycle: &Cycle) -> Result<Flat, FlatError> {
    let cut = flat.cut(cycle.start, cycle.start + cycle.period + 1)?;
    let last = cut.frames() - 1;
    if last == 0 {
        return Err(FlatError::Empty);
    }
    let count = cut.joints().len();
    let gained = |joint: usize| cut.place(last, joint) - cut.place(0, joint);
    let gain = (0..count).map(|joint| gained(joint).x).sum::<f64>() / count as f64;
    let rest: Vec<Vec2> = (0..count).map(|joint| gained(joint) - Vec2::new(gain, 0.0)).collect();
    let deep = |joint: usize| Some(cut.depth(last, joint)? - cut.depth(0, joint)?);
    let mut places = Vec::with_capacity(cut.frames() * count);
    let mut depths = Vec::new();
    for frame in 0..=last {
        let share = frame as f64 / last as f64 - 0.5;
        for (joint, rest) in rest.iter().enumerate() {
            places.push(cut.place(frame, joint) - *rest * share);
            if let (Some(depth), Some(deep)) = (cut.depth(frame, joint), deep(joint)) {
                depths.push(depth - deep * share);
            }
        }
    }
    // To the bit, so that what is keyed closes, too.
    for joint in 0..count {
        let first: Point = places[joint];
        places[last * count + joint] = Point::new(first.x + gain, first.y);
    }
    cut.with_places(places, depths)
}
