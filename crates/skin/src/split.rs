//! Splits a deforming segment so that one cubic for each piece follows the deformation, for bends of up to
//! 150 degrees, shifts by half a bone and scales from 0.5 to 1.5 at every joint between its bones. It is computed
//! once, and depends on the segment alone, not on its direction.

use std::collections::BTreeSet;
use std::ops::Range;

use bone_core::{BoneId, Skeleton};
use kurbo::{Affine, CubicBez, ParamCurve, ParamCurveDeriv, Point, QuadBez, Vec2};

use crate::blend::{Influence, Motion, SkinBlend, blend, blend_derivative};
use crate::centres::CentreCurve;
use crate::refit::{Ends, SAMPLES, refit};
use crate::trial_motions::{BENDS, MADE, TrialJoint, trial_joints};
use crate::weight_curve::WeightCurve;

/// Where the outline is compressed to less than this share, a crossing is looked for.
pub(crate) const COMPRESSED: f64 = 0.5;

/// A curve sample: a point on a segment at rest, with everything that its deformation needs.
#[derive(Clone, Debug)]
pub(crate) struct CurveSample {
    pub(crate) point: Point,
    /// C'(t); where the outline has no handle, only its direction.
    pub(crate) tangent: Vec2,
    pub(crate) row: Vec<Influence>,
    /// Weight gradient per unit of t; empty if it is 0.
    pub(crate) slopes: Vec<Influence>,
    pub(crate) centre: Point,
    pub(crate) drift: Vec2,
}

/// A cubic at rest and its weights, in its canonical direction.
#[derive(Clone)]
pub(crate) struct WeightedSegment {
    pub(crate) curve: CubicBez,
    pub(crate) along: WeightCurve,
    pub(crate) blend: SkinBlend,
    /// For modes with centres of rotation.
    pub(crate) centres: Option<CentreCurve>,
}

impl WeightedSegment {
    pub(crate) fn curve_sample(&self, t: f64) -> CurveSample {
        let (row, slopes) = self.along.at(t);
        let moves = slopes.iter().any(|(_, slope)| *slope != 0.0);
        let (centre, drift) = self.centre(t);
        let row = row.into_iter().filter(|(_, weight)| *weight > 0.0).collect();
        let slopes = if moves { slopes } else { Vec::new() };
        CurveSample {
            point: self.curve.eval(t),
            tangent: direction_at(&self.curve, &self.curve.deriv(), t),
            row,
            slopes,
            centre,
            drift,
        }
    }

    /// The centre of rotation, and its derivative.
    fn centre(&self, t: f64) -> (Point, Vec2) {
        self.centres.as_ref().map_or_else(Default::default, |centres| centres.at(t))
    }
}

/// The derivative of a curve, which is given, or at an end without a handle the direction of the outline.
pub(crate) fn direction_at(curve: &CubicBez, derivative: &QuadBez, t: f64) -> Vec2 {
    let derivative = derivative.eval(t).to_vec2();
    if derivative.hypot2() > 0.0 {
        return derivative;
    }
    let CubicBez { p0, p1, p2, p3 } = *curve;
    let along = if t < 0.5 { [p2 - p0, p3 - p0] } else { [p3 - p1, p3 - p0] };
    along.into_iter().find(|v| v.hypot2() > 0.0).unwrap_or_default()
}

/// The handle of a curve at an end, as a share of the derivative there: none only where no shape of it has one.
pub(crate) fn handle_share<'c>(mut shapes: impl Iterator<Item = &'c CubicBez>, start: bool) -> f64 {
    let has_handle = |curve: &CubicBez| {
        let handle = if start { curve.p1 - curve.p0 } else { curve.p3 - curve.p2 };
        handle.hypot2() > 0.0
    };
    if shapes.any(has_handle) { 1.0 / 3.0 } else { 0.0 }
}

/// A fold whose derivative turns back by less than this many tolerances over a segment is not visible.
const VISIBLE_FOLD: f64 = 16.0;

/// Splits are on a grid of this many cells; each cell is sampled in quarters.
pub(crate) const CELLS: usize = 64;
const QUARTERS: usize = 4 * CELLS;
/// Intervals in which the whole segment is looked at.
const WHOLE: usize = 16;
/// A joint that moves parts of a segment against each other by less than this share of the tolerance is not
/// tested, and by less than this it is not checked between the trials.
const UNFELT: f64 = 0.1;
const UNFELT_IN_CHECKS: f64 = 1.0;

/// The parameters at which to split, ends excluded.
pub(crate) fn split(
    segment: &WeightedSegment,
    skeleton: &Skeleton,
    tolerance: f64,
    scratch: &mut TrialScratch,
) -> Vec<f64> {
    let cuts = Trials::new(segment, skeleton, tolerance, scratch).even(tolerance);
    cuts.into_iter().map(|cell| cell as f64 / CELLS as f64).collect()
}

/// The same for one segment with several weights or shapes: the cuts of the first, and those of each for which the cuts
/// so far do not hold.
pub(crate) fn split_for_all(
    segments: &[WeightedSegment],
    skeleton: &Skeleton,
    tolerance: f64,
    scratch: &mut TrialScratch,
) -> Vec<f64> {
    let mut cuts = Vec::new();
    for segment in segments {
        let mut trials = Trials::new(segment, skeleton, tolerance, scratch);
        if !trials.hold(&cuts, tolerance) {
            cuts.extend(trials.even(tolerance));
            cuts.sort_unstable();
            cuts.dedup();
        }
    }
    cuts.into_iter().map(|cell| cell as f64 / CELLS as f64).collect()
}

/// The same for several shapes with the same weights; their order has no effect.
pub(crate) fn split_for_shapes(
    mut segments: Vec<WeightedSegment>,
    skeleton: &Skeleton,
    tolerance: f64,
    scratch: &mut TrialScratch,
) -> Vec<f64> {
    segments.sort_by_cached_key(|segment| {
        let cuts = Trials::new(segment, skeleton, tolerance, scratch).even(tolerance);
        (std::cmp::Reverse(cuts.len()), cuts)
    });
    split_for_all(&segments, skeleton, tolerance, scratch)
}

/// Memory of the trials of one segment after the other, and what segments with the same bones have in common.
#[derive(Default)]
pub(crate) struct TrialScratch {
    /// The bones of the last segment, and the joints between them.
    joints: (Vec<BoneId>, Vec<TrialJoint>),
    /// The trials of the segment: joint and motion, those with the greatest effect first. At `checks` those begin
    /// with which the pieces are checked.
    trials: Vec<(usize, usize)>,
    checks: usize,
    /// The number of the segment to which they were added.
    is_checked: u32,
    /// The checks in which a piece was off: they are trials of all pieces from then on.
    failed: Vec<usize>,
    /// The number of the segment. What has another one is of a segment before.
    segment: u32,
    /// The samples at the quarters of the cells that were needed so far, by their index.
    samples: Vec<LocalSample>,
    sampled: Vec<Known<u32>>,
    /// The share of each joint in the samples, with its derivative.
    shares: Vec<(f64, f64)>,
    /// Of the whole segment, which most segments stay: by trial, points at its sixteenths and derivatives at
    /// its ends.
    whole_points: Vec<Known<Point>>,
    whole_tangents: Vec<Known<Vec2>>,
    whole_error: Known<PieceError>,
    /// By trial: points at the quarters of the cells, and derivatives at the cells, that were needed so far.
    points: Vec<Known<Point>>,
    tangents: Vec<Known<Vec2>>,
    /// By start and end of a piece.
    errors: Vec<Known<PieceError>>,
    weights: Vec<f64>,
    slopes: Vec<f64>,
}

/// A value of the segment with this number.
#[derive(Clone, Copy, Default)]
struct Known<T> {
    segment: u32,
    value: T,
}

fn fit<T: Clone + Default>(list: &mut Vec<Known<T>>, count: usize) {
    if list.len() < count {
        list.resize(count, Known { segment: 0, value: T::default() });
    }
}

/// What is known of the error of a piece.
#[derive(Clone, Copy, Default)]
struct PieceError {
    /// The greatest error over the first trials, or more.
    worst: f64,
    /// How many trials those are.
    trials: usize,
}

/// A curve sample without its weights.
#[derive(Clone, Copy)]
struct LocalSample {
    point: Point,
    tangent: Vec2,
    /// Where its joint shares start.
    shares: u32,
    /// Whether its weights change.
    moves: bool,
    centre: Point,
    drift: Vec2,
}

/// The deformed segment in each of the trials. Everything is computed where it is first needed: most segments
/// need no cut, and few places decide that.
struct Trials<'a> {
    segment: &'a WeightedSegment,
    scratch: &'a mut TrialScratch,
    shares: [f64; 2],
    derivative: QuadBez,
}

impl<'a> Trials<'a> {
    fn new(
        segment: &'a WeightedSegment,
        skeleton: &Skeleton,
        tolerance: f64,
        scratch: &'a mut TrialScratch,
    ) -> Self {
        let bones = &segment.along.bones;
        if scratch.joints.0 != *bones {
            scratch.joints = (bones.clone(), trial_joints(bones, skeleton));
        }
        if scratch.segment == u32::MAX {
            *scratch =
                TrialScratch { joints: std::mem::take(&mut scratch.joints), ..TrialScratch::default() };
        }
        scratch.segment += 1;
        scratch.samples.clear();
        scratch.shares.clear();
        scratch.failed.clear();
        scratch.trials.clear();
        fit(&mut scratch.sampled, QUARTERS + 1);
        let derivative = segment.curve.deriv();
        let mut trials = Self {
            segment,
            scratch,
            shares: [true, false].map(|start| handle_share(std::iter::once(&segment.curve), start)),
            derivative,
        };
        trials.add(0..MADE, UNFELT * tolerance);
        trials.scratch.checks = trials.scratch.trials.len();
        trials
    }

    /// Adds those of the motions of each joint that move parts of the segment against each other by more than
    /// `unfelt`, those with the greatest effect first.
    fn add(&mut self, motions: Range<usize>, unfelt: f64) {
        let Self { segment, scratch, .. } = self;
        let mut added: Vec<(f64, usize, usize)> = Vec::new();
        for (at, joint) in scratch.joints.1.iter().enumerate() {
            // A cubic between nodes may leave their range a little.
            let range = 1.5 * segment.along.range(&joint.moves);
            for (k, motion) in motions.clone().zip(&joint.motions[motions.clone()]) {
                let felt = range * motion.reach(&segment.curve);
                if felt > unfelt {
                    added.push((felt, at, k));
                }
            }
        }
        added.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        scratch.trials.extend(added.into_iter().map(|(_, joint, motion)| (joint, motion)));
        let count = scratch.trials.len();
        fit(&mut scratch.whole_points, count * (WHOLE + 1));
        fit(&mut scratch.whole_tangents, count * 2);
    }

    /// Adds the checks, which few segments need.
    fn add_checks(&mut self, tolerance: f64) {
        if self.scratch.is_checked == self.scratch.segment {
            return;
        }
        self.scratch.is_checked = self.scratch.segment;
        for joint in &mut self.scratch.joints.1 {
            joint.add_checks();
        }
        let all = self.scratch.joints.1.first().map_or(MADE, |joint| joint.motions.len());
        self.add(MADE..all, UNFELT_IN_CHECKS * tolerance);
    }

    /// The cuts: as few as the tolerance allows in trials and checks, with evenly distributed errors.
    fn even(&mut self, tolerance: f64) -> Vec<usize> {
        if self.is_plain(tolerance) {
            return Vec::new();
        }
        /// How often checks that failed become trials.
        const ROUNDS: usize = 6;
        for _ in 0..ROUNDS {
            let cuts = self.evenly_cut(tolerance);
            let failed = self.failed_checks(&cuts, tolerance);
            if failed.is_empty() {
                return cuts;
            }
            self.scratch.failed.extend(failed);
        }
        let cuts = self.evenly_cut(tolerance);
        self.halved(&cuts, tolerance)
    }

    /// The fewest pieces for the trials, with evenly distributed errors.
    fn evenly_cut(&mut self, tolerance: f64) -> Vec<usize> {
        /// Most segments with two pieces can be cut here, where they share their weights with others.
        const MIDDLE: [usize; 1] = [CELLS / 2];
        let (mut low, mut high) = (0.0, tolerance);
        let mut cuts = self.greedy(high);
        if cuts.len() == 1 && self.keeps(0, MIDDLE[0], tolerance) && self.keeps(MIDDLE[0], CELLS, tolerance) {
            return MIDDLE.to_vec();
        }
        let steps = if cuts.is_empty() { 0 } else { 3 };
        for _ in 0..steps {
            let level = 0.5 * (low + high);
            let finer = self.greedy(level);
            if finer.len() <= cuts.len() {
                (high, cuts) = (level, finer);
            } else {
                low = level;
            }
        }
        cuts
    }

    /// For each of the pieces the first check in which it does not hold.
    fn failed_checks(&mut self, cuts: &[usize], tolerance: f64) -> BTreeSet<usize> {
        let pieces = std::iter::once(0).chain(cuts.iter().copied()).zip(cuts.iter().copied().chain([CELLS]));
        pieces.filter_map(|(from, to)| self.failed_check(from, to, tolerance)).collect()
    }

    /// The same cuts, and where a piece does not hold in a check, one in its middle.
    fn halved(&mut self, cuts: &[usize], tolerance: f64) -> Vec<usize> {
        let mut ends: Vec<usize> = std::iter::once(CELLS).chain(cuts.iter().rev().copied()).collect();
        let (mut halved, mut from) = (Vec::new(), 0);
        while let Some(to) = ends.pop() {
            // One cell is always allowed.
            if to - from > 1 && !self.holds(from, to, tolerance) {
                ends.extend([to, (from + to) / 2]);
                continue;
            }
            halved.extend((to < CELLS).then_some(to));
            from = to;
        }
        halved
    }

    /// Whether a piece keeps the tolerance in all trials and checks.
    fn holds(&mut self, from: usize, to: usize, tolerance: f64) -> bool {
        self.keeps(from, to, tolerance) && self.failed_check(from, to, tolerance).is_none()
    }

    /// The first check in which a piece does not keep the tolerance, if it keeps it in the trials.
    fn failed_check(&mut self, from: usize, to: usize, tolerance: f64) -> Option<usize> {
        /// A piece that is as good as this, as a share of the tolerance, needs no check.
        const SURE: f64 = 0.1;
        if to - from == 1 {
            return None;
        }
        if self.known_error(from, to).value.worst <= SURE * tolerance {
            return None;
        }
        self.add_checks(tolerance);
        let mut checks = self.scratch.checks..self.scratch.trials.len();
        checks.find(|trial| self.error(*trial, (from, to), tolerance) > tolerance)
    }

    /// Whether one cubic is certain to be enough, by a bound for the error in all trials. Most segments of
    /// detailed art are so short that nothing else needs to be computed.
    ///
    /// A bend blends to the rotation `c(s) = (1 + s z) / |1 + s z|` with `z = e^(i bend) - 1`, whose derivatives by
    /// the share `s` are at most `k! r^k` with `r = |z| / |1 + s z|`. So `c` is a power series in `s - s0`, and
    /// of each of its first powers the error of the cubic with the same ends and derivatives is known.
    fn is_plain(&mut self, tolerance: f64) -> bool {
        const EIGHTHS: usize = 8;
        /// Chord of the greatest bend: twice the sine of its half.
        const CHORD: f64 = 1.931_851_652_578_136_6;
        /// For the shifts, which scale by half of the length at most.
        const SHIFT: f64 = 1.2;
        /// The share of the tolerance that the bound must keep: least squares may err in one place more than the
        /// cubic with the derivatives of the outline.
        const SURE: f64 = 0.25;
        /// Cosine of the greatest angle of a handle with the chord.
        const STEEPEST: f64 = 0.2;
        if self.segment.blend.has_centres() || self.shares != [1.0 / 3.0; 2] {
            return false;
        }
        // Handles are fitted across the chord. Where the outline nearly turns back, that is not across the
        // outline.
        let CubicBez { p0, p1, p2, p3 } = self.segment.curve;
        let along = STEEPEST * (p3 - p0).hypot();
        if [p1 - p0, p2 - p1, p3 - p2].iter().any(|leg| leg.dot(p3 - p0) < along * leg.hypot()) {
            return false;
        }
        let samples: [LocalSample; EIGHTHS + 1] =
            std::array::from_fn(|i| self.sample(i * QUARTERS / EIGHTHS));
        let start = samples[0].point;
        let mut may_turn_back = false;
        for (at, joint) in self.scratch.joints.1.iter().enumerate() {
            if !self.scratch.trials.iter().any(|(tried, _)| *tried == at) {
                continue;
            }
            let shares = samples.map(|sample| self.scratch.shares[sample.shares as usize + at]);
            let least = shares.iter().map(|share| share.0).fold(f64::INFINITY, f64::min);
            let most = shares.iter().map(|share| share.0).fold(f64::NEG_INFINITY, f64::max);
            let (middle, half) = (0.5 * (least + most), 0.5 * (most - least));
            let nearest_half = 0.5_f64.clamp(least, most);
            let shortest = 1.0 - CHORD * CHORD * nearest_half * (1.0 - nearest_half);
            let rate = CHORD / shortest.max(1e-9).sqrt();
            if rate * half > 0.4 {
                return false;
            }
            // The errors of `u^k` and `u^k (p - p0)` with `u = s - s0`.
            let mut errors = [(0.0_f64, 0.0_f64); 3];
            for (k, (of_power, of_product)) in (0..).zip(&mut errors) {
                let power = |i: usize| {
                    let (share, slope) = shares[i];
                    let u = share - middle;
                    let below = u.powi(k);
                    (below * u, f64::from(k + 1) * below * slope)
                };
                let product = |i: usize| {
                    let ((value, slope), q) = (power(i), samples[i].point - start);
                    (q * value, q * slope + samples[i].tangent * value)
                };
                let (ends, products) = ([power(0), power(EIGHTHS)], [product(0), product(EIGHTHS)]);
                for i in 1..EIGHTHS {
                    let t = i as f64 / EIGHTHS as f64;
                    let error = |value: f64, [a, b]: [(f64, f64); 2]| {
                        value - WeightCurve::hermite((a.0, b.0), (a.1, b.1), t).0
                    };
                    *of_power = of_power.max(error(power(i).0, ends).abs());
                    let value = product(i).0;
                    let x = error(value.x, products.map(|(value, slope)| (value.x, slope.x)));
                    let y = error(value.y, products.map(|(value, slope)| (value.y, slope.y)));
                    *of_product = of_product.max((x * x + y * y).sqrt());
                }
            }
            let series = |rate: f64, reach: f64| {
                let powers = [rate, rate * rate, rate * rate * rate].into_iter().zip(&errors);
                let known: f64 = powers.map(|(power, (own, product))| power * (reach * own + product)).sum();
                known + 2.0 * reach * (rate * half).powi(4)
            };
            let curve = &self.segment.curve;
            let arm = [curve.p0, curve.p1, curve.p2, curve.p3];
            let arm = arm.iter().map(|p| (*p - joint.about).hypot()).fold(0.0, f64::max);
            let shifted = joint.motions[BENDS.len()..MADE].iter().map(|motion| motion.reach(curve));
            let shifted = shifted.fold(0.0, f64::max);
            if series(rate, arm).max(series(SHIFT, shifted)) > SURE * tolerance {
                return false;
            }
            // It turns back at most where the blend moves a point faster against the outline than the bones
            // carry it along.
            let fastest = (rate * arm).max(SHIFT * shifted);
            let least_carried = shortest.sqrt().min(0.5);
            may_turn_back |= (1..4).any(|quarter| {
                let i = quarter * EIGHTHS / 4;
                let carried = least_carried * samples[i].tangent.hypot();
                shares[i].1.abs() * fastest > carried + VISIBLE_FOLD * tolerance
            });
        }
        !may_turn_back || (0..self.scratch.checks).all(|trial| !self.turns_back(trial, (0, CELLS), tolerance))
    }

    /// Whether pieces between these cuts keep the tolerance.
    fn hold(&mut self, cuts: &[usize], tolerance: f64) -> bool {
        let starts = [0].iter().chain(cuts);
        let ends = cuts.iter().chain(&[CELLS]);
        starts.zip(ends).all(|(&from, &to)| self.holds(from, to, tolerance))
    }

    /// Pieces as long as the error allows, from the start; one cell is always allowed.
    fn greedy(&mut self, tolerance: f64) -> Vec<usize> {
        let mut cuts = Vec::new();
        let mut from = 0;
        while from < CELLS {
            // Bisection for the longest piece.
            let (mut good, mut bad) = (from + 1, CELLS + 1);
            let mut reach = CELLS;
            while bad - good > 1 {
                if self.keeps(from, reach, tolerance) {
                    good = reach;
                } else {
                    bad = reach;
                }
                reach = (good + bad) / 2;
            }
            from = good;
            if from < CELLS {
                cuts.push(from);
            }
        }
        cuts
    }

    /// Whether the greatest error of the fitted piece against the deformed outline, over all trials, is
    /// within a tolerance. The trials end at the first place that is not.
    fn keeps(&mut self, from: usize, to: usize, tolerance: f64) -> bool {
        let segment = self.scratch.segment;
        let known = *self.known_error(from, to);
        let PieceError { mut worst, mut trials } =
            if known.segment == segment { known.value } else { PieceError::default() };
        let count = self.scratch.checks + self.scratch.failed.len();
        while worst <= tolerance && trials < count {
            let failed = trials.checked_sub(self.scratch.checks).and_then(|at| self.scratch.failed.get(at));
            let trial = failed.copied().unwrap_or(trials);
            worst = worst.max(self.error(trial, (from, to), tolerance));
            // Beyond the tolerance the trial may be worse still.
            trials += usize::from(worst <= tolerance);
        }
        *self.known_error(from, to) = Known { segment, value: PieceError { worst, trials } };
        worst <= tolerance
    }

    fn known_error(&mut self, from: usize, to: usize) -> &mut Known<PieceError> {
        if (from, to) == (0, CELLS) {
            return &mut self.scratch.whole_error;
        }
        fit(&mut self.scratch.errors, CELLS * CELLS);
        &mut self.scratch.errors[from * CELLS + to - 1]
    }

    fn known_point(&mut self, trial: usize, quarter: usize) -> &mut Known<Point> {
        if quarter.is_multiple_of(QUARTERS / WHOLE) {
            return &mut self.scratch.whole_points[trial * (WHOLE + 1) + quarter / (QUARTERS / WHOLE)];
        }
        fit(&mut self.scratch.points, self.scratch.trials.len() * (QUARTERS + 1));
        &mut self.scratch.points[trial * (QUARTERS + 1) + quarter]
    }

    fn known_tangent(&mut self, trial: usize, cell: usize) -> &mut Known<Vec2> {
        if cell.is_multiple_of(CELLS) {
            return &mut self.scratch.whole_tangents[trial * 2 + cell / CELLS];
        }
        fit(&mut self.scratch.tangents, self.scratch.trials.len() * (CELLS + 1));
        &mut self.scratch.tangents[trial * (CELLS + 1) + cell]
    }

    /// The cubic that is fitted to a piece in one of the trials, and what it is fitted to.
    fn fitted(
        &mut self,
        trial: usize,
        (from, to): (usize, usize),
    ) -> (CubicBez, Ends, [Point; SAMPLES.len()]) {
        let run = (to - from) as f64 / CELLS as f64;
        let samples = SAMPLES.map(|share| {
            let place = 4.0 * (from as f64 + share * (to - from) as f64);
            self.point(trial, place as usize)
        });
        let ends = Ends {
            from: self.point(trial, 4 * from),
            to: self.point(trial, 4 * to),
            leave: self.tangent(trial, from) * run,
            arrive: self.tangent(trial, to) * run,
            shares: [
                if from == 0 { self.shares[0] } else { 1.0 / 3.0 },
                if to == CELLS { self.shares[1] } else { 1.0 / 3.0 },
            ],
        };
        let (a, b) = refit(&ends, &samples);
        (CubicBez::new(ends.from, a, b, ends.to), ends, samples)
    }

    /// The error of the fitted piece against the deformed outline in one of the trials, or a part of it that is
    /// beyond the tolerance.
    fn error(&mut self, trial: usize, (from, to): (usize, usize), tolerance: f64) -> f64 {
        let (fitted, ends, samples) = self.fitted(trial, (from, to));
        let distance = self.distance(trial, &fitted, (from, to), tolerance);
        let may_fold = trial < self.scratch.checks && !self.segment.blend.has_centres();
        if may_fold
            && distance <= tolerance
            && self.hides_a_fold(trial, &ends, &samples, (from, to), tolerance)
        {
            return f64::INFINITY;
        }
        distance
    }

    /// Whether the outline turns back within a piece, and not at one of its ends. There folds are looked for, so
    /// this one would stay. Blends with centres of rotation compress an outline less.
    fn hides_a_fold(
        &mut self,
        trial: usize,
        ends: &Ends,
        samples: &[Point; SAMPLES.len()],
        (from, to): (usize, usize),
        tolerance: f64,
    ) -> bool {
        /// Cosine of an angle: a piece that turns by less has no fold.
        const TURNS: f64 = 0.7;
        let turns = |a: Vec2, b: Vec2| a.dot(b) < TURNS * (a.hypot2() * b.hypot2()).sqrt();
        let [first, middle, last] = *samples;
        let parts = [middle - first, last - middle];
        if !parts.iter().any(|part| turns(*part, ends.leave) || turns(*part, ends.arrive)) {
            return false;
        }
        let is_compressed = |trials: &mut Self, end: usize| {
            let carried = trials.carried(trial, end);
            trials.tangent(trial, end).dot(carried) < COMPRESSED * carried.hypot2()
        };
        if is_compressed(self, from) || is_compressed(self, to) {
            return false;
        }
        self.turns_back(trial, (from, to), tolerance)
    }

    /// Whether the outline runs visibly against the direction in which the bones carry it, at a quarter of a
    /// piece.
    fn turns_back(&mut self, trial: usize, (from, to): (usize, usize), tolerance: f64) -> bool {
        let visible = VISIBLE_FOLD * CELLS as f64 / (to - from) as f64 * tolerance;
        [1, 2, 3].iter().any(|part| {
            let cell = from + part * (to - from) / 4;
            let carried = self.carried(trial, cell);
            self.tangent(trial, cell).dot(carried) < -visible * carried.hypot()
        })
    }

    /// The derivative at a cell as the bones alone turn it.
    fn carried(&mut self, trial: usize, cell: usize) -> Vec2 {
        let LocalSample { tangent, shares, centre, .. } = self.sample(4 * cell);
        let (joint, motion) = self.scratch.trials[trial];
        let (share, _) = self.scratch.shares[shares as usize + joint];
        let motions = [Motion::REST, self.scratch.joints.1[joint].motions[motion]];
        let [a, b, c, d, ..] = blend(self.segment.blend, &two(share), centre, &motions);
        Vec2::new(a * tangent.x + c * tangent.y, b * tangent.x + d * tangent.y)
    }

    /// The distance to the fitted curve, measured across it: a displacement along it is not visible. It ends at
    /// the first place beyond the tolerance.
    fn distance(
        &mut self,
        trial: usize,
        fitted: &CubicBez,
        (from, to): (usize, usize),
        tolerance: f64,
    ) -> f64 {
        /// Between the samples of the fit, where its error is greatest, and the other sixteenths.
        const FIRST: [usize; 4] = [2, 6, 10, 14];
        const OTHERS: [usize; 11] = [1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15];
        let quarters = 4 * (to - from);
        let derivative = fitted.deriv();
        let mut worst = 0.0_f64;
        let look = |trials: &mut Self, i: usize, worst: &mut f64| {
            let s = i as f64 / quarters as f64;
            let at = trials.point(trial, 4 * from + i);
            let (off, along) = (at - fitted.eval(s), derivative.eval(s).to_vec2());
            let (speed, distance) = (along.hypot2(), off.hypot());
            // A displacement along the curve counts unless it is short against the piece.
            let across = if speed > 16.0 * distance * distance {
                let nearest = (s + off.dot(along) / speed).clamp(0.0, 1.0);
                (at - fitted.eval(nearest)).hypot()
            } else {
                distance
            };
            *worst = worst.max(across);
            *worst > tolerance
        };
        if quarters < 16 {
            let _ = (1..quarters).any(|i| look(self, i, &mut worst));
            return worst;
        }
        let at = |i: usize| i * quarters / 16;
        if FIRST.into_iter().any(|i| look(self, at(i), &mut worst)) || worst < 0.25 * tolerance {
            return worst;
        }
        let _ = OTHERS.into_iter().any(|i| look(self, at(i), &mut worst));
        worst
    }

    /// The deformed point at a quarter of a cell.
    fn point(&mut self, trial: usize, quarter: usize) -> Point {
        let (known, segment) = (*self.known_point(trial, quarter), self.scratch.segment);
        if known.segment == segment {
            return known.value;
        }
        let sample = self.sample(quarter);
        let (joint, motion) = self.scratch.trials[trial];
        let (share, _) = self.scratch.shares[sample.shares as usize + joint];
        let motions = [Motion::REST, self.scratch.joints.1[joint].motions[motion]];
        let blended = blend(self.segment.blend, &two(share), sample.centre, &motions);
        let value = Affine::new(blended) * sample.point;
        *self.known_point(trial, quarter) = Known { segment, value };
        value
    }

    /// The derivative of the deformed segment at a cell.
    fn tangent(&mut self, trial: usize, cell: usize) -> Vec2 {
        let (known, segment) = (*self.known_tangent(trial, cell), self.scratch.segment);
        if known.segment == segment {
            return known.value;
        }
        let LocalSample { point, tangent, shares, moves, centre, drift } = self.sample(4 * cell);
        let (joint, motion) = self.scratch.trials[trial];
        let (share, slope) = self.scratch.shares[shares as usize + joint];
        let motions = [Motion::REST, self.scratch.joints.1[joint].motions[motion]];
        let slopes = [(BoneId::new(0), -slope), (BoneId::new(1), slope)];
        let slopes = if moves { &slopes[..] } else { &[] };
        let value = deformed_tangent(
            self.segment.blend,
            (point, tangent),
            (&two(share), slopes),
            (centre, drift),
            &motions,
        );
        *self.known_tangent(trial, cell) = Known { segment, value };
        value
    }

    /// The sample at a quarter of a cell: that of [`WeightedSegment::curve_sample`], with the shares of the
    /// joints for its weights.
    fn sample(&mut self, quarter: usize) -> LocalSample {
        let TrialScratch { samples, sampled, shares, weights, slopes, segment, joints, .. } =
            &mut *self.scratch;
        let known = sampled[quarter];
        if known.segment == *segment {
            return samples[known.value as usize];
        }
        let t = quarter as f64 / QUARTERS as f64;
        self.segment.along.values_at(t, weights, slopes);
        let first = shares.len() as u32;
        shares.extend(joints.1.iter().map(|joint| {
            let moved = |values: &[f64]| -> f64 {
                values.iter().zip(&joint.moves).filter(|(_, moves)| **moves).map(|(value, _)| value).sum()
            };
            (moved(weights), moved(slopes))
        }));
        let (centre, drift) = self.segment.centre(t);
        let (point, tangent) =
            (self.segment.curve.eval(t), direction_at(&self.segment.curve, &self.derivative, t));
        let moves = slopes.iter().any(|slope| *slope != 0.0);
        let sample = LocalSample { point, tangent, shares: first, moves, centre, drift };
        sampled[quarter] = Known { segment: *segment, value: samples.len() as u32 };
        samples.push(sample);
        sample
    }
}

/// The weights of what rests and what a joint moves.
fn two(share: f64) -> [Influence; 2] {
    [(BoneId::new(0), 1.0 - share), (BoneId::new(1), share)]
}

/// d/dt D(C(t)): the blend applied to the tangent, and the derivative of the blend applied to the point.
fn deformed_tangent(
    mode: SkinBlend,
    (point, tangent): (Point, Vec2),
    (row, slopes): (&[Influence], &[Influence]),
    (centre, drift): (Point, Vec2),
    motions: &[Motion],
) -> Vec2 {
    let [a, b, c, d, ..] = blend(mode, row, centre, motions);
    let carried = Vec2::new(a * tangent.x + c * tangent.y, b * tangent.x + d * tangent.y);
    if slopes.is_empty() {
        return carried;
    }
    let by = blend_derivative(mode, (row, slopes), (centre, drift), motions);
    carried + (Affine::new(by) * point).to_vec2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bone_core::{Angle, BoneSpec, SkeletonBuilder};
    use proptest::prelude::*;

    /// A chain of bones of 60 along x from (50, 100).
    fn chain() -> Skeleton {
        let mut builder = SkeletonBuilder::new();
        for i in 0..4 {
            let bone = BoneSpec::new(i.to_string(), 60.0);
            builder.push(match i {
                0 => bone.origin(50.0, 100.0),
                _ => bone.parent((i - 1).to_string()).origin(60.0, 0.0),
            });
        }
        builder.build().expect("a chain")
    }

    /// A curve from `at` with these handles and end, and weights of two neighbours in the chain that are
    /// `share` in its middle and change by `change` along it, with other slopes at its ends.
    fn segment(
        (at, [a, b, c]): ((f64, f64), [(f64, f64); 3]),
        (bone, share, change, slopes): (u32, f64, f64, (f64, f64)),
        blend: SkinBlend,
    ) -> WeightedSegment {
        let at = Point::from(at);
        let curve = CubicBez::new(at, at + Vec2::from(a), at + Vec2::from(b), at + Vec2::from(c));
        let ends = [share - 0.5 * change, share + 0.5 * change].map(|w: f64| w.clamp(0.0, 1.0));
        let slopes = [slopes.0, slopes.1].map(|slope| slope * change);
        let along = WeightCurve::between(
            vec![BoneId::new(bone), BoneId::new(bone + 1)],
            ends.map(|w| vec![1.0 - w, w]),
            slopes.map(|slope| vec![-slope, slope]),
        );
        WeightedSegment { curve, along, blend, centres: None }
    }

    /// The greatest distance of a deformed outline to the cubic that is fitted to it, over all trials, by search.
    fn worst(trials: &mut Trials<'_>) -> f64 {
        let mut worst = 0.0_f64;
        for trial in 0..trials.scratch.checks {
            let (fitted, ..) = trials.fitted(trial, (0, CELLS));
            let dense: Vec<Point> = (0..=400).map(|i| fitted.eval(f64::from(i) / 400.0)).collect();
            for quarter in (0..=QUARTERS).step_by(4) {
                let at = trials.point(trial, quarter);
                let nearest = dense.iter().map(|p| p.distance(at)).fold(f64::INFINITY, f64::min);
                worst = worst.max(nearest);
            }
        }
        worst
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// The bound is never below what trying everything finds. About half of the cases are plain.
        #[test]
        fn what_is_plain_needs_no_cut(
            at in (40.0..300.0_f64, 60.0..140.0_f64),
            (doubled, length, degrees) in (0..9_i32, 0.1..0.2_f64, -180.0..180.0_f64),
            handles in ((0.1..0.6_f64, -0.4..0.4_f64), (0.5..0.9_f64, -0.4..0.4_f64)),
            bone in 0..3_u32,
            share in 0.0..1.0_f64,
            (halved, change, falls) in (0..8_i32, 0.15..0.3_f64, any::<bool>()),
            slopes in (0.0..2.0_f64, 0.0..2.0_f64),
            linear in any::<bool>(),
        ) {
            let skeleton = chain();
            let blend = if linear { SkinBlend::Linear } else { SkinBlend::AreaPreserving };
            let length = length * 2.0_f64.powi(doubled);
            let turn = Angle::from_degrees(degrees).rotation();
            let points = [handles.0, handles.1, (1.0, 0.0)].map(|(x, y)| {
                let p = turn * Point::new(length * x, length * y);
                (p.x, p.y)
            });
            let change = if falls { -change } else { change } * 0.5_f64.powi(halved);
            let segment = segment((at, points), (bone, share, change, slopes), blend);
            let mut scratch = TrialScratch::default();
            let mut trials = Trials::new(&segment, &skeleton, 0.25, &mut scratch);
            if trials.is_plain(0.25) {
                let worst = worst(&mut trials);
                // Between the points of the search.
                prop_assert!(worst <= 0.25 + length / 100.0, "{worst}");
                for trial in 0..trials.scratch.checks {
                    prop_assert!(!trials.turns_back(trial, (0, CELLS), 0.25));
                }
            }
        }
    }

    #[test]
    fn short_segments_that_turn_back_are_not_plain() {
        let skeleton = chain();
        let found = [
            (
                (91.445, 136.875),
                [(0.133, 0.244), (-0.245, 0.32), (-0.178, 0.531)],
                (2, 0.0495, 0.0281, (0.0256, 1.795)),
            ),
            (
                (298.77, 77.282),
                [(0.0145, 0.06), (-0.112, 0.1217), (-0.0525, 0.2104)],
                (0, 0.0975, -0.0172, (0.0031, 0.6164)),
            ),
            (
                (272.331, 98.933),
                [(-0.212, -0.1185), (-0.248, -0.463), (-0.441, -0.371)],
                (0, 0.212, 0.032, (0.0526, 1.6635)),
            ),
        ];
        for (at, points, weights) in found {
            let segment = segment((at, points), weights, SkinBlend::Linear);
            let mut scratch = TrialScratch::default();
            let mut trials = Trials::new(&segment, &skeleton, 0.25, &mut scratch);
            assert!(!trials.is_plain(0.25), "{at:?}");
            assert!(
                (0..trials.scratch.checks).any(|trial| trials.turns_back(trial, (0, CELLS), 0.25)),
                "{at:?}"
            );
        }
    }

    #[test]
    fn short_segments_that_are_cut_are_not_plain() {
        let skeleton = chain();
        let found = [
            (
                (179.944, 137.967),
                [(-1.587, -1.138), (-1.386, -10.702), (-6.082, -10.778)],
                (2, 0.2006, 0.0611, (0.437, 1.748)),
            ),
            (
                (283.892, 99.077),
                [(-0.36, 1.3715), (3.3995, 4.119), (1.884, 6.918)],
                (0, 0.0379, 0.0269, (0.47, 0.22)),
            ),
            (
                (235.987, 62.939),
                [(-1.142, 5.603), (9.289, 18.129), (8.939, 27.154)],
                (0, 0.0502, -0.0631, (1.576, 1.256)),
            ),
            (
                (225.169, 132.931),
                [(-4.148, 3.286), (1.381, 6.038), (-2.273, 10.369)],
                (0, 0.5885, -0.0342, (0.976, 1.058)),
            ),
        ];
        for (at, points, weights) in found {
            let segment = segment((at, points), weights, SkinBlend::AreaPreserving);
            let mut scratch = TrialScratch::default();
            let mut trials = Trials::new(&segment, &skeleton, 0.25, &mut scratch);
            assert!(!trials.is_plain(0.25) && !trials.greedy(0.25).is_empty(), "{at:?}");
        }
    }

    #[test]
    fn short_segments_are_plain_and_long_ones_are_not() {
        let skeleton = chain();
        let mut scratch = TrialScratch::default();
        let mut is_plain = |length: f64, change: f64| {
            let points = [(length / 3.0, 0.2), (length / 1.5, 0.2), (length, 0.0)];
            let segment =
                segment(((110.0, 120.0), points), (0, 0.4, change, (1.1, 0.9)), SkinBlend::AreaPreserving);
            Trials::new(&segment, &skeleton, 0.25, &mut scratch).is_plain(0.25)
        };
        assert!(is_plain(1.0, 0.02) && is_plain(3.0, 0.05));
        assert!(!is_plain(60.0, 0.8));
    }
}
