//! A piecewise cubic curve near many samples, with a continuous slope. The values and slopes at its knots are
//! found by least squares, a few knots at a time, because a knot hardly affects the curve beyond its
//! neighbours.

use std::borrow::Cow;

use super::equations::{MOST_FREE, NormalEquations, PieceEquations};

/// A knot of the curve. Times are frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Knot {
    pub(super) frame: usize,
    pub(super) value: f64,
    /// The change of the value per frame.
    pub(super) slope: f64,
}

/// The number of frames between the first knots.
const STARTS: usize = 240;

/// The samples of one value, and the curve near them.
#[derive(Clone, Debug)]
pub(super) struct KnotCurve<'a> {
    samples: Cow<'a, [f64]>,
    /// The weight of each sample.
    weights: Vec<f64>,
    looped: bool,
    /// Both ends are knots; the last knot of a loop equals the first one and is not stored.
    pub(super) knots: Vec<Knot>,
    /// The normal equations of the piece after each knot, computed when they are first needed: they depend on
    /// the frames of the knots, not on their values. Boxed, because knots are inserted and removed often.
    equations: Vec<Option<Box<PieceEquations>>>,
}

/// The state that is needed to undo the removal of a knot.
pub(super) struct RemovedKnot {
    /// The knots around it, the removed one in the middle.
    knots: [Knot; 5],
    /// The equations of the pieces before and after it.
    equations: [Option<Box<PieceEquations>>; 2],
}

/// The four Hermite polynomials for values and slopes, the slopes per piece.
fn basis(u: f64) -> [f64; 4] {
    let (u2, u3) = (u * u, u * u * u);
    [2.0 * u3 - 3.0 * u2 + 1.0, u3 - 2.0 * u2 + u, 3.0 * u2 - 2.0 * u3, u3 - u2]
}

/// The value at a frame of the piece between two knots.
pub(super) fn between(a: Knot, b: Knot, frame: f64) -> f64 {
    let run = (b.frame - a.frame) as f64;
    let [v0, s0, v1, s1] = basis((frame - a.frame as f64) / run);
    v0 * a.value + s0 * a.slope * run + v1 * b.value + s1 * b.slope * run
}

/// The values of the piece at all of its frames, the last one included.
pub(super) fn along(a: Knot, b: Knot) -> impl Iterator<Item = f64> {
    let length = (b.frame - a.frame) as u32;
    let run = f64::from(length);
    (0..=length).map(move |at| {
        let [v0, s0, v1, s1] = basis(f64::from(at) / run);
        v0 * a.value + s0 * a.slope * run + v1 * b.value + s1 * b.slope * run
    })
}

impl<'a> KnotCurve<'a> {
    /// A curve with a knot at each end, and some between them.
    pub(super) fn new(samples: &'a [f64], weights: Vec<f64>, looped: bool) -> Self {
        let last = samples.len() - 1;
        let slope = (samples[last] - samples[0]) / last as f64;
        let knot = |frame: usize| Knot { frame, value: samples[frame], slope };
        let mut curve = Self {
            samples: Cow::Borrowed(samples),
            weights,
            looped,
            knots: vec![knot(0)],
            equations: Vec::new(),
        };
        if !looped {
            // Starting with two knots would need many rounds of insertion for a long recording.
            curve.knots.extend((STARTS..last - last.min(STARTS / 2)).step_by(STARTS).map(knot));
            curve.knots.push(knot(last));
        }
        if looped {
            // A loop of one piece would be constant.
            let third = (last / 3).max(1);
            curve.knots.extend([third, 2 * third].into_iter().filter(|frame| *frame < last).map(knot));
            curve.knots.dedup_by_key(|knot| knot.frame);
        }
        curve.equations.resize(curve.knots.len(), None);
        curve.refit_all();
        curve
    }

    /// The samples that it is fitted to.
    pub(super) fn samples(&self) -> &[f64] {
        &self.samples
    }

    /// Fits other samples with the same knots.
    pub(super) fn fit_to(&mut self, samples: Vec<f64>) {
        self.samples = Cow::Owned(samples);
        self.equations.fill(None);
        self.refit_all();
    }

    /// The number of frames from start to end.
    fn run(&self) -> usize {
        self.samples.len() - 1
    }

    /// The amount that a loop adds in each round.
    fn gain(&self) -> f64 {
        self.samples[self.run()] - self.samples[0]
    }

    pub(super) fn pieces(&self) -> usize {
        if self.looped { self.knots.len() } else { self.knots.len() - 1 }
    }

    /// A knot by its index; indices beyond the last knot of a loop continue in the next round.
    pub(super) fn knot(&self, at: usize) -> Knot {
        let count = self.knots.len();
        let rounds = at / count;
        let knot = self.knots[at % count];
        Knot {
            frame: knot.frame + rounds * self.run(),
            value: knot.value + rounds as f64 * self.gain(),
            ..knot
        }
    }

    /// The two knots of a piece.
    pub(super) fn piece(&self, at: usize) -> (Knot, Knot) {
        (self.knot(at), self.knot(at + 1))
    }

    /// The piece that contains a frame.
    pub(super) fn piece_at(&self, frame: usize) -> usize {
        self.knots.partition_point(|knot| knot.frame <= frame).saturating_sub(1).min(self.pieces() - 1)
    }

    /// Writes the difference of curve and samples for the frames of some pieces.
    pub(super) fn misses_into(&self, pieces: std::ops::Range<usize>, residuals: &mut [f64]) {
        for piece in pieces {
            let (a, b) = self.piece(piece);
            let samples = &self.samples[a.frame..];
            for ((residual, sample), value) in residuals[a.frame..].iter_mut().zip(samples).zip(along(a, b)) {
                *residual = value - sample;
            }
        }
    }

    /// Inserts a knot at a frame and refits the knots around it.
    pub(super) fn insert(&mut self, frame: usize) {
        let at = self.knots.partition_point(|knot| knot.frame < frame);
        if self.knots.get(at).is_some_and(|knot| knot.frame == frame) || frame >= self.run() || at == 0 {
            return;
        }
        let (a, b) = self.piece(at - 1);
        let middle = between(a, b, frame as f64);
        self.knots.insert(at, Knot { frame, value: middle, slope: 0.0 });
        self.equations[at - 1] = None;
        self.equations.insert(at, None);
        self.refit_around(at, 5);
    }

    /// Inserts knots at frames in ascending order. Returns the ranges of pieces that have changed.
    pub(super) fn insert_all(&mut self, frames: &[usize]) -> Vec<(usize, usize)> {
        frames.iter().for_each(|frame| self.insert(*frame));
        if self.looped {
            return vec![(0, self.pieces())];
        }
        let mut changed: Vec<(usize, usize)> = Vec::new();
        for frame in frames {
            let at = self.knots.partition_point(|knot| knot.frame < *frame);
            // The pieces that begin or end at one of the five refitted knots.
            let (from, until) = (at.saturating_sub(3), (at + 3).min(self.pieces()));
            match changed.last_mut() {
                Some(last) if last.1 >= from => last.1 = until,
                _ => changed.push((from, until)),
            }
        }
        changed
    }

    /// Removes a knot and refits the knots around it. The first knot cannot be removed.
    pub(super) fn remove(&mut self, at: usize) -> RemovedKnot {
        let count = self.knots.len();
        let knots = std::array::from_fn(|k| self.knots[(at + count + k - 2) % count]);
        self.knots.remove(at);
        let equations = [self.equations[at - 1].take(), self.equations.remove(at)];
        self.refit_around(at, 4);
        RemovedKnot { knots, equations }
    }

    /// Refits `count` knots, beginning two before `at`.
    fn refit_around(&mut self, at: usize, count: usize) {
        if self.looped {
            self.refit((at + self.knots.len() - 2) % self.knots.len(), count);
        } else {
            self.refit(at.saturating_sub(2), count - 2_usize.saturating_sub(at));
        }
    }

    /// Undoes the removal of a knot.
    pub(super) fn restore(&mut self, at: usize, removed: RemovedKnot) {
        let [before, behind] = removed.equations;
        self.equations[at - 1] = before;
        self.equations.insert(at, behind);
        self.knots.insert(at, removed.knots[2]);
        let count = self.knots.len();
        for (k, knot) in removed.knots.iter().enumerate() {
            let place = (at + count + k - 2) % count;
            if self.knots[place].frame == knot.frame {
                self.knots[place] = *knot;
            }
        }
    }

    /// Moves knots to nearby frames where the curve is nearer to its samples, neighbours refitted.
    pub(super) fn shift_knots(&mut self) {
        for at in 1..self.knots.len() {
            if !self.can_remove(at) {
                continue;
            }
            // A knot moves by this part of the distance between its neighbours first.
            let long = (self.knot(at + 1).frame - self.knot(at - 1).frame) / 12;
            let mut steps = vec![long.max(1)];
            steps.extend((long > 1).then_some(1));
            let mut least = self.misfit(at);
            for step in steps {
                for back in [false, true] {
                    while let Some(misfit) = self.shift(at, step, back, least) {
                        least = misfit;
                    }
                }
            }
        }
    }

    /// Moves a knot some frames later or earlier, if it stays between its neighbours and the misfit gets less than
    /// `least`. Returns that misfit.
    fn shift(&mut self, at: usize, step: usize, back: bool, least: f64) -> Option<f64> {
        let old = self.knots[at].frame;
        let frame = if back { old.checked_sub(step)? } else { old + step };
        let (before, after) = (self.knot(at - 1), self.knot(at + 1));
        if frame <= before.frame || frame >= after.frame {
            return None;
        }
        let knots = self.knots.clone();
        let equations = [self.equations[at - 1].take(), self.equations[at].take()];
        let (from, to) = if back { (before, self.knots[at]) } else { (self.knots[at], after) };
        self.knots[at] = Knot { frame, value: between(from, to, frame as f64), ..knots[at] };
        self.refit_around(at, 5);
        let misfit = self.misfit(at);
        if misfit < least {
            return Some(misfit);
        }
        self.knots = knots;
        [self.equations[at - 1], self.equations[at]] = equations;
        None
    }

    /// The weighted sum of squares of the curve's distances from its samples in the pieces that a knot influences.
    fn misfit(&self, at: usize) -> f64 {
        let pieces =
            if self.looped { 0..self.pieces() } else { at.saturating_sub(3)..(at + 3).min(self.pieces()) };
        let mut sum = 0.0;
        for piece in pieces {
            let (a, b) = self.piece(piece);
            for (value, frame) in along(a, b).zip(a.frame..b.frame) {
                sum += self.weights[frame] * (value - self.samples[frame]).powi(2);
            }
        }
        sum
    }

    /// Whether a knot can be removed.
    pub(super) fn can_remove(&self, at: usize) -> bool {
        at > 0
            && if self.looped {
                self.knots.len() > 2 && at < self.knots.len()
            } else {
                at + 1 < self.knots.len()
            }
    }

    /// Refits all knots in overlapping groups; most are found twice, so that neighbouring groups agree.
    pub(super) fn refit_all(&mut self) {
        let mut at = 0;
        while at < self.knots.len() {
            self.refit(at, MOST_FREE);
            at += MOST_FREE / 2;
        }
    }

    /// The normal equations of a piece.
    fn equations_of(&mut self, piece: usize) -> PieceEquations {
        if let Some(equations) = &self.equations[piece] {
            return **equations;
        }
        let (a, b) = self.piece(piece);
        let frames = a.frame..=b.frame;
        let equations = PieceEquations::of(&self.samples[frames.clone()], &self.weights[frames]);
        self.equations[piece] = Some(Box::new(equations));
        equations
    }

    /// Finds the values and slopes of `count` knots from `first` on; their neighbours stay fixed.
    pub(super) fn refit(&mut self, first: usize, count: usize) {
        let total = self.knots.len();
        // In a loop each knot has neighbours on both sides: the indices are taken one round later.
        let (first, count) = if self.looped {
            (first + total, count.min(total - 1))
        } else {
            (first.min(total - 1), count.min(total - first.min(total - 1)))
        };
        let count = count.min(MOST_FREE);
        if count == 0 {
            return;
        }
        let mut system = NormalEquations::new(count);
        let from = if self.looped || first > 0 { first - 1 } else { first };
        let until = if self.looped { first + count } else { (first + count).min(total - 1) };
        for piece in from..until {
            let (a, b) = self.piece(piece);
            let place = |knot: usize| (knot >= first && knot < first + count).then(|| 2 * (knot - first));
            let (pa, pb) = (place(piece), place(piece + 1));
            let run = (b.frame - a.frame) as f64;
            let known = [a.value, a.slope * run, b.value, b.slope * run];
            let unknown = [pa, pa.map(|p| p + 1), pb, pb.map(|p| p + 1)];
            let scales = [1.0, run, 1.0, run];
            let PieceEquations { square, mut right } = self.equations_of(piece % total);
            // In later rounds the curve is higher by the gain of a loop; the value polynomials sum up to 1.
            let higher = (piece / total) as f64 * self.gain();
            for (i, right) in right.iter_mut().enumerate() {
                *right += higher * (square[i][0] + square[i.max(2)][i.min(2)]);
            }
            system.add(&unknown, &scales, &known, &square, &right);
        }
        let Some(found) = system.solve() else { return };
        for k in 0..count {
            let at = (first + k) % total;
            let rounds = (first + k) / total;
            self.knots[at].value = found[2 * k] - rounds as f64 * self.gain();
            self.knots[at].slope = found[2 * k + 1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_reproduced() {
        let cubic = |t: f64| 0.002 * t * t * t - 0.1 * t * t + t - 7.0;
        let samples: Vec<f64> = (0..=40).map(|n| cubic(f64::from(n))).collect();
        let weights = vec![1.0; samples.len()];
        let mut curve = KnotCurve::new(&samples, weights, false);
        let mut residuals = vec![0.0; samples.len()];
        // The weight of straightness changes the result by about a thousandth.
        for _ in 0..3 {
            curve.misses_into(0..curve.pieces(), &mut residuals);
            let worst = residuals.iter().fold(0.0_f64, |worst, residual| worst.max(residual.abs()));
            assert!(worst < 0.35, "{worst}");
            curve.insert(20);
            curve.insert(10);
        }
    }

    #[test]
    fn a_loop_closes_and_gains() {
        let value = |n: usize| (n as f64) * 0.5 + [0.0, 1.0, 0.0, -1.0][n % 4] * 0.0;
        let samples: Vec<f64> = (0..=60).map(value).collect();
        let weights = vec![1.0; samples.len()];
        let mut curve = KnotCurve::new(&samples, weights, true);
        curve.insert(31);
        let mut residuals = vec![0.0; samples.len()];
        curve.misses_into(0..curve.pieces(), &mut residuals);
        assert!(residuals.iter().all(|residual| residual.abs() < 1e-9), "{residuals:?}");
        let count = curve.knots.len();
        assert_eq!(curve.knot(count).frame, 60);
        assert!((curve.knot(count).value - curve.knot(0).value - 30.0).abs() < 1e-9);
    }
}
