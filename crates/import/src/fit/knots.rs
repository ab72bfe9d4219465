//! A curve through few nodes near many samples: cubic pieces that meet with one value and one speed. Values and speeds are found by
//! least squares, a few nodes at a time: what a node does is felt over its neighbours and hardly further.

use std::borrow::Cow;

use super::equations::{MOST_FREE, NormalEquations, PieceEquations};

/// A place that the curve is made of. Times are frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Knot {
    pub(super) frame: usize,
    pub(super) value: f64,
    /// Change of the value a frame.
    pub(super) slope: f64,
}

/// Frames between the nodes that a curve starts with.
const STARTS: usize = 240;

/// The samples of one value, and the curve near them.
#[derive(Clone, Debug)]
pub(super) struct KnotCurve<'a> {
    samples: Cow<'a, [f64]>,
    /// How much each sample counts.
    weights: Vec<f64>,
    looped: bool,
    /// Both ends are nodes; of a loop the last one is the first one again and is not kept.
    pub(super) knots: Vec<Knot>,
    /// Of the piece behind each node what its samples say, as soon as it has been asked for: it depends on where the nodes are,
    /// not on their values. Boxed, for nodes come and go.
    equations: Vec<Option<Box<PieceEquations>>>,
}

/// What taking a node out changes.
pub(super) struct RemovedKnot {
    /// The nodes around it, itself in the middle.
    knots: [Knot; 5],
    /// Of the pieces before and behind it.
    equations: [Option<Box<PieceEquations>>; 2],
}

/// Hermite's four polynomials for values and slopes, slopes a piece.
fn basis(u: f64) -> [f64; 4] {
    let (u2, u3) = (u * u, u * u * u);
    [2.0 * u3 - 3.0 * u2 + 1.0, u3 - 2.0 * u2 + u, 3.0 * u2 - 2.0 * u3, u3 - u2]
}

/// The value of the piece between two nodes at a frame.
pub(super) fn between(a: Knot, b: Knot, frame: f64) -> f64 {
    let run = (b.frame - a.frame) as f64;
    let [v0, s0, v1, s1] = basis((frame - a.frame as f64) / run);
    v0 * a.value + s0 * a.slope * run + v1 * b.value + s1 * b.slope * run
}

/// The same in each of its frames, the last one included.
pub(super) fn along(a: Knot, b: Knot) -> impl Iterator<Item = f64> {
    let length = (b.frame - a.frame) as u32;
    let run = f64::from(length);
    (0..=length).map(move |at| {
        let [v0, s0, v1, s1] = basis(f64::from(at) / run);
        v0 * a.value + s0 * a.slope * run + v1 * b.value + s1 * b.slope * run
    })
}

impl<'a> KnotCurve<'a> {
    /// A curve with a node at either end, and some between.
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
            // Halving a long recording again and again would take many rounds.
            curve.knots.extend((STARTS..last - last.min(STARTS / 2)).step_by(STARTS).map(knot));
            curve.knots.push(knot(last));
        }
        if looped {
            // One piece cannot loop and do anything.
            let third = (last / 3).max(1);
            curve.knots.extend([third, (2 * third).min(last - 1)].map(knot));
            curve.knots.dedup_by_key(|knot| knot.frame);
        }
        curve.equations.resize(curve.knots.len(), None);
        curve.refit_all();
        curve
    }

    /// Fits other samples with the nodes where they are.
    pub(super) fn fit_to(&mut self, samples: Vec<f64>) {
        self.samples = Cow::Owned(samples);
        self.equations.fill(None);
        self.refit_all();
    }

    /// Frames from start to end.
    fn run(&self) -> usize {
        self.samples.len() - 1
    }

    /// What a loop gains each time.
    fn gain(&self) -> f64 {
        self.samples[self.run()] - self.samples[0]
    }

    pub(super) fn pieces(&self) -> usize {
        if self.looped { self.knots.len() } else { self.knots.len() - 1 }
    }

    /// A node; those of a loop go on after its end, later by rounds.
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

    /// The ends of a piece.
    pub(super) fn piece(&self, at: usize) -> (Knot, Knot) {
        (self.knot(at), self.knot(at + 1))
    }

    /// The piece that a frame is in.
    pub(super) fn piece_at(&self, frame: usize) -> usize {
        self.knots.partition_point(|knot| knot.frame <= frame).saturating_sub(1).min(self.pieces() - 1)
    }

    /// How far the curve is from the samples, written for the frames of some pieces.
    pub(super) fn misses_into(&self, pieces: std::ops::Range<usize>, residuals: &mut [f64]) {
        for piece in pieces {
            let (a, b) = self.piece(piece);
            let samples = &self.samples[a.frame..];
            for ((residual, sample), value) in residuals[a.frame..].iter_mut().zip(samples).zip(along(a, b)) {
                *residual = value - sample;
            }
        }
    }

    /// Puts a node at a frame, and finds values and slopes anew around it.
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

    /// Puts nodes at frames, from first to last. Gives the ranges of pieces that are other than before.
    pub(super) fn insert_all(&mut self, frames: &[usize]) -> Vec<(usize, usize)> {
        frames.iter().for_each(|frame| self.insert(*frame));
        if self.looped {
            return vec![(0, self.pieces())];
        }
        let mut changed: Vec<(usize, usize)> = Vec::new();
        for frame in frames {
            let at = self.knots.partition_point(|knot| knot.frame < *frame);
            // Those that begin or end at the five nodes that were found anew.
            let (from, until) = (at.saturating_sub(3), (at + 3).min(self.pieces()));
            match changed.last_mut() {
                Some(last) if last.1 >= from => last.1 = until,
                _ => changed.push((from, until)),
            }
        }
        changed
    }

    /// Takes a node out, and finds values and slopes anew around it. The first one stays.
    pub(super) fn remove(&mut self, at: usize) -> RemovedKnot {
        let count = self.knots.len();
        let knots = std::array::from_fn(|k| self.knots[(at + count + k - 2) % count]);
        self.knots.remove(at);
        let equations = [self.equations[at - 1].take(), self.equations.remove(at)];
        self.refit_around(at, 4);
        RemovedKnot { knots, equations }
    }

    /// Values and slopes of `count` nodes, from the second before `at` on.
    fn refit_around(&mut self, at: usize, count: usize) {
        if self.looped {
            self.refit((at + self.knots.len() - 2) % self.knots.len(), count);
        } else {
            self.refit(at.saturating_sub(2), count - 2_usize.saturating_sub(at));
        }
    }

    /// Undoes taking a node out.
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

    /// Whether a node may go.
    pub(super) fn can_remove(&self, at: usize) -> bool {
        at > 0
            && if self.looped {
                self.knots.len() > 2 && at < self.knots.len()
            } else {
                at + 1 < self.knots.len()
            }
    }

    /// Finds values and slopes of all nodes, some at a time; most are found twice, so that they agree.
    pub(super) fn refit_all(&mut self) {
        let mut at = 0;
        while at < self.knots.len() {
            self.refit(at, MOST_FREE);
            at += MOST_FREE / 2;
        }
    }

    /// What the samples of a piece say.
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

    /// Finds values and slopes of `count` nodes from `first` on; those beside them stay as they are.
    pub(super) fn refit(&mut self, first: usize, count: usize) {
        let total = self.knots.len();
        // A loop has neighbours on both sides everywhere; so look at it from one round later.
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
            // In later rounds everything is higher by what a loop gains; the values' polynomials sum up to 1.
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
    fn a_cubic_is_found_whole() {
        let cubic = |t: f64| 0.002 * t * t * t - 0.1 * t * t + t - 7.0;
        let samples: Vec<f64> = (0..=40).map(|n| cubic(f64::from(n))).collect();
        let weights = vec![1.0; samples.len()];
        let mut curve = KnotCurve::new(&samples, weights, false);
        let mut residuals = vec![0.0; samples.len()];
        // The wish to be straight costs a thousandth.
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
