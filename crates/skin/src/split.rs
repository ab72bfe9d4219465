//! Splits a deforming segment so that one cubic for each piece follows the deformation, for bends of up to
//! 150 degrees at every joint between its bones. It is computed once, and depends on the segment alone, not
//! on its direction.

use bone_core::{Angle, BoneId, Skeleton};
use kurbo::{Affine, CubicBez, ParamCurve, ParamCurveDeriv, Point, QuadBez, Vec2};

use crate::blend::{Influence, Motion, SkinBlend, blend, blend_derivative};
use crate::centres::CentreCurve;
use crate::refit::{Ends, SAMPLES, refit};
use crate::weight_curve::WeightCurve;

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
            tangent: self.tangent(&self.curve.deriv(), t),
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

    /// The derivative, which is given, or at an end without a handle the direction of the outline.
    fn tangent(&self, derivative: &QuadBez, t: f64) -> Vec2 {
        let derivative = derivative.eval(t).to_vec2();
        if derivative.hypot2() > 0.0 {
            return derivative;
        }
        let CubicBez { p0, p1, p2, p3 } = self.curve;
        let along = if t < 0.5 { [p2 - p0, p3 - p0] } else { [p3 - p1, p3 - p0] };
        along.into_iter().find(|v| v.hypot2() > 0.0).unwrap_or_default()
    }

    /// The handle of the curve at an end, as a share of the derivative there.
    pub(crate) fn share(&self, start: bool) -> f64 {
        let CubicBez { p0, p1, p2, p3 } = self.curve;
        let handle = if start { p1 - p0 } else { p3 - p2 };
        if handle.hypot2() > 0.0 { 1.0 / 3.0 } else { 0.0 }
    }
}

/// Splits are on a grid of this many cells; each cell is sampled in quarters.
const CELLS: usize = 64;
const QUARTERS: usize = 4 * CELLS;
/// The bends, in degrees, for which the tolerance holds.
const BENDS: [f64; 4] = [150.0, -150.0, 75.0, -75.0];
/// Greatest number of joints that are tested for one segment; those nearest to its bones are taken.
const MOST_JOINTS: usize = 8;

/// The parameters at which to split, ends excluded.
pub(crate) fn split(
    segment: &WeightedSegment,
    skeleton: &Skeleton,
    tolerance: f64,
    scratch: &mut TrialScratch,
) -> Vec<f64> {
    let cuts = Trials::new(segment, skeleton, scratch).even(tolerance);
    cuts.into_iter().map(|cell| cell as f64 / CELLS as f64).collect()
}

/// The same for one segment with several weights: the cuts of the first, and those of each for which the cuts
/// so far do not hold.
pub(crate) fn split_for_all(
    segments: &[WeightedSegment],
    skeleton: &Skeleton,
    tolerance: f64,
    scratch: &mut TrialScratch,
) -> Vec<f64> {
    let mut cuts = Vec::new();
    for segment in segments {
        let mut trials = Trials::new(segment, skeleton, scratch);
        if !trials.hold(&cuts, tolerance) {
            cuts.extend(trials.even(tolerance));
            cuts.sort_unstable();
            cuts.dedup();
        }
    }
    cuts.into_iter().map(|cell| cell as f64 / CELLS as f64).collect()
}

/// Memory of the trials of one segment after the other, and what segments with the same bones have in common.
#[derive(Default)]
pub(crate) struct TrialScratch {
    /// The bones of the last segment, and their motions in each trial bend.
    motions: (Vec<BoneId>, Vec<Vec<Motion>>),
    /// The number of the segment. What has another one is of a segment before.
    segment: u32,
    /// The samples at the quarters of the cells that were needed so far, by their index.
    samples: Vec<LocalSample>,
    sampled: Vec<Known<u32>>,
    /// The weights and gradients of the samples.
    influences: Vec<Influence>,
    /// By bend: points at the quarters of the cells, and derivatives at the cells, that were needed so far.
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

/// What is known of the error of a piece.
#[derive(Clone, Copy, Default)]
struct PieceError {
    /// The greatest error over the first bends, or more.
    worst: f64,
    /// How many bends those are.
    bends: usize,
}

/// A curve sample with its bones numbered as the trial motions are. The ranges are those of its influences.
#[derive(Clone, Copy)]
struct LocalSample {
    point: Point,
    tangent: Vec2,
    row: (u32, u32),
    slopes: (u32, u32),
    centre: Point,
    drift: Vec2,
}

/// The deformed segment in each of the trial bends. Everything is computed where it is first needed: most
/// segments need no cut, and few places decide that.
struct Trials<'a> {
    segment: &'a WeightedSegment,
    scratch: &'a mut TrialScratch,
    shares: [f64; 2],
    derivative: QuadBez,
}

impl<'a> Trials<'a> {
    fn new(segment: &'a WeightedSegment, skeleton: &Skeleton, scratch: &'a mut TrialScratch) -> Self {
        fn fit<T: Clone + Default>(list: &mut Vec<Known<T>>, count: usize) {
            if list.len() < count {
                list.resize(count, Known { segment: 0, value: T::default() });
            }
        }
        let bones = &segment.along.bones;
        if scratch.motions.0 != *bones || scratch.motions.1.is_empty() {
            scratch.motions = (bones.clone(), trial_motions(bones, skeleton));
        }
        if scratch.segment == u32::MAX {
            *scratch =
                TrialScratch { motions: std::mem::take(&mut scratch.motions), ..TrialScratch::default() };
        }
        scratch.segment += 1;
        let bends = scratch.motions.1.len();
        scratch.samples.clear();
        scratch.influences.clear();
        fit(&mut scratch.sampled, QUARTERS + 1);
        fit(&mut scratch.points, bends * (QUARTERS + 1));
        fit(&mut scratch.tangents, bends * (CELLS + 1));
        fit(&mut scratch.errors, CELLS * CELLS);
        let derivative = segment.curve.deriv();
        Self { segment, scratch, shares: [segment.share(true), segment.share(false)], derivative }
    }

    /// The cuts: as few as the tolerance allows, with evenly distributed errors.
    fn even(&mut self, tolerance: f64) -> Vec<usize> {
        let mut cuts = self.greedy(tolerance);
        if cuts.is_empty() {
            return cuts;
        }
        let (mut low, mut high) = (0.0, tolerance);
        for _ in 0..5 {
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

    /// Whether pieces between these cuts keep the tolerance.
    fn hold(&mut self, cuts: &[usize], tolerance: f64) -> bool {
        let starts = [0].iter().chain(cuts);
        let ends = cuts.iter().chain(&[CELLS]);
        starts.zip(ends).all(|(&from, &to)| self.keeps(from, to, tolerance))
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
        let (at, segment) = (from * CELLS + to - 1, self.scratch.segment);
        let known = self.scratch.errors[at];
        let PieceError { mut worst, mut bends } =
            if known.segment == segment { known.value } else { PieceError::default() };
        let count = self.scratch.motions.1.len();
        while worst <= tolerance && bends < count {
            // At rest, which comes first, next to nothing is wrong: that is looked at last.
            worst = worst.max(self.error((bends + 1) % count, (from, to), tolerance));
            // Beyond the tolerance the bend may be worse still.
            bends += usize::from(worst <= tolerance);
        }
        self.scratch.errors[at] = Known { segment, value: PieceError { worst, bends } };
        worst <= tolerance
    }

    /// The error of the fitted piece against the deformed outline in one of the trials, or a part of it that is
    /// beyond the tolerance.
    fn error(&mut self, bend: usize, (from, to): (usize, usize), tolerance: f64) -> f64 {
        let run = (to - from) as f64 / CELLS as f64;
        let samples = SAMPLES.map(|share| {
            let place = 4.0 * (from as f64 + share * (to - from) as f64);
            self.point(bend, place as usize)
        });
        let ends = Ends {
            from: self.point(bend, 4 * from),
            to: self.point(bend, 4 * to),
            leave: self.tangent(bend, from) * run,
            arrive: self.tangent(bend, to) * run,
            shares: [
                if from == 0 { self.shares[0] } else { 1.0 / 3.0 },
                if to == CELLS { self.shares[1] } else { 1.0 / 3.0 },
            ],
        };
        let (a, b) = refit(&ends, &samples);
        self.distance(bend, &CubicBez::new(ends.from, a, b, ends.to), (from, to), tolerance)
    }

    /// The distance to the fitted curve, measured across it: a displacement along it is not visible. It ends at
    /// the first place beyond the tolerance.
    fn distance(
        &mut self,
        bend: usize,
        fitted: &CubicBez,
        (from, to): (usize, usize),
        tolerance: f64,
    ) -> f64 {
        let quarters = 4 * (to - from);
        let step = (quarters / 16).max(1);
        let derivative = fitted.deriv();
        let mut worst = 0.0_f64;
        for i in (step..quarters).step_by(step) {
            let s = i as f64 / quarters as f64;
            let off = self.point(bend, 4 * from + i) - fitted.eval(s);
            let along = derivative.eval(s).to_vec2();
            let (speed, distance) = (along.hypot(), off.hypot());
            // A displacement along the curve counts unless it is short against the piece.
            let across = if speed > 4.0 * distance { (off.cross(along) / speed).abs() } else { distance };
            worst = worst.max(across);
            if worst > tolerance {
                break;
            }
        }
        worst
    }

    /// The deformed point at a quarter of a cell.
    fn point(&mut self, bend: usize, quarter: usize) -> Point {
        let at = bend * (QUARTERS + 1) + quarter;
        let (known, segment) = (self.scratch.points[at], self.scratch.segment);
        if known.segment == segment {
            return known.value;
        }
        let sample = self.sample(quarter);
        let (row, motions) = (self.influences(sample.row), &self.scratch.motions.1[bend]);
        let value = Affine::new(blend(self.segment.blend, row, sample.centre, motions)) * sample.point;
        self.scratch.points[at] = Known { segment, value };
        value
    }

    /// The derivative of the deformed segment at a cell.
    fn tangent(&mut self, bend: usize, cell: usize) -> Vec2 {
        let at = bend * (CELLS + 1) + cell;
        let (known, segment) = (self.scratch.tangents[at], self.scratch.segment);
        if known.segment == segment {
            return known.value;
        }
        let LocalSample { point, tangent, row, slopes, centre, drift } = self.sample(4 * cell);
        let (row, slopes) = (self.influences(row), self.influences(slopes));
        let motions = &self.scratch.motions.1[bend];
        let value =
            deformed_tangent(self.segment.blend, (point, tangent), (row, slopes), (centre, drift), motions);
        self.scratch.tangents[at] = Known { segment, value };
        value
    }

    fn influences(&self, (start, end): (u32, u32)) -> &[Influence] {
        &self.scratch.influences[start as usize..end as usize]
    }

    /// The sample at a quarter of a cell: that of [`WeightedSegment::curve_sample`], to the bit.
    fn sample(&mut self, quarter: usize) -> LocalSample {
        let TrialScratch { samples, sampled, influences, weights, slopes, segment, .. } = &mut *self.scratch;
        let known = sampled[quarter];
        if known.segment == *segment {
            return samples[known.value as usize];
        }
        let t = quarter as f64 / QUARTERS as f64;
        self.segment.along.values_at(t, weights, slopes);
        let mut add = |list: &mut dyn Iterator<Item = (usize, f64)>| {
            let start = influences.len() as u32;
            influences.extend(list.map(|(bone, value)| (BoneId::new(bone as u32), value)));
            (start, influences.len() as u32)
        };
        let row = add(&mut weights.iter().copied().enumerate().filter(|(_, weight)| *weight > 0.0));
        let moves = slopes.iter().any(|slope| *slope != 0.0);
        let slopes = add(&mut slopes.iter().copied().enumerate().filter(|_| moves));
        let (centre, drift) = self.segment.centre(t);
        let (point, tangent) = (self.segment.curve.eval(t), self.segment.tangent(&self.derivative, t));
        let sample = LocalSample { point, tangent, row, slopes, centre, drift };
        sampled[quarter] = Known { segment: *segment, value: samples.len() as u32 };
        samples.push(sample);
        sample
    }
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

/// The motions of a segment's bones when one joint between them bends: one list for each joint and bend.
pub(crate) fn trial_motions(bones: &[BoneId], skeleton: &Skeleton) -> Vec<Vec<Motion>> {
    let mut trials = vec![vec![Motion::REST; bones.len()]];
    for joint in joints(bones, skeleton) {
        let about = skeleton.setup_origin(joint).to_vec2();
        let subtree = skeleton.subtree(joint);
        let (first, end) = (joint.index(), joint.index() + subtree.len());
        for bend in BENDS {
            let turn = Angle::from_degrees(bend);
            let matrix = Affine::translate(about) * turn.rotation() * Affine::translate(-about);
            let motion = |bone: &BoneId| {
                if (first..end).contains(&bone.index()) { Motion::new(matrix, turn) } else { Motion::REST }
            };
            trials.push(bones.iter().map(motion).collect());
        }
    }
    trials
}

/// The joints that move some of the bones relative to others.
fn joints(bones: &[BoneId], skeleton: &Skeleton) -> Vec<BoneId> {
    let mut joints = Vec::new();
    for &bone in bones {
        let mut at = Some(bone);
        while let Some(joint) = at {
            let first = joint.index();
            let end = first + skeleton.subtree(joint).len();
            // A joint above all of them deforms nothing, nor does any further up.
            if bones.iter().all(|b| (first..end).contains(&b.index())) || joints.contains(&joint) {
                break;
            }
            joints.push(joint);
            at = skeleton.parent(joint);
        }
    }
    joints.truncate(MOST_JOINTS);
    joints
}
