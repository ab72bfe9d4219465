//! Matrices over time as curves of a few numbers, because neither SMIL nor Lottie can key a matrix. The
//! error is measured on points, in pixels.

use bone_core::Angle;
use kurbo::{Affine, Point, Rect, Vec2};

use super::track::{Fit, KeyTrack};

/// Which numbers a matrix is made of. Each is a product, applied from right to left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatrixForm {
    /// Translation, rotation, skew along x, scale: what SMIL has.
    Skew,
    /// Translation, rotation, scale, rotation: two nested layers of Lottie.
    TwoRotations,
}

/// A matrix over time.
#[derive(Clone, Debug)]
pub(crate) enum AffineTrack {
    Still(Affine),
    Moving(Box<MatrixMotion>),
}

/// Where a pivot is over time: one easing for both coordinates, which is short where it moves along a line, or
/// one for each.
#[derive(Clone, Debug)]
pub(crate) enum PivotPlace {
    Both(KeyTrack),
    Split(KeyTrack, KeyTrack),
}

impl PivotPlace {
    pub(crate) fn at(&self, sample: usize) -> [f64; 2] {
        match self {
            Self::Both(track) => {
                let p = track.at(sample);
                [p[0], p[1]]
            }
            Self::Split(x, y) => [x.at(sample)[0], y.at(sample)[0]],
        }
    }

    pub(crate) fn tracks(&self) -> impl Iterator<Item = &KeyTrack> {
        let (one, two) = match self {
            Self::Both(track) => (track, None),
            Self::Split(x, y) => (x, Some(y)),
        };
        std::iter::once(one).chain(two)
    }
}

/// The numbers of a matrix that moves.
#[derive(Clone, Debug)]
pub(crate) struct MatrixMotion {
    pub(crate) form: MatrixForm,
    /// The point that the rotation turns about and the translation places.
    pub(crate) pivot: Point,
    /// Where the pivot is.
    pub(crate) place: PivotPlace,
    /// In degrees.
    pub(crate) rotation: KeyTrack,
    /// The skew along x or the inner rotation, in degrees.
    pub(crate) shear: KeyTrack,
    /// Factors.
    pub(crate) scale: KeyTrack,
}

/// What is fitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AffineFit<'a> {
    pub(crate) samples: &'a [Affine],
    /// The points whose error counts.
    pub(crate) points: &'a [Point],
    /// Pixels for a unit around the matrix, at each sample.
    pub(crate) weights: &'a [f64],
    pub(crate) tolerance: f64,
    pub(crate) form: MatrixForm,
    /// Digits of translations, after the point.
    pub(crate) digits: u8,
    pub(crate) monotone: bool,
    /// Whether both coordinates of a place may have keys of their own.
    pub(crate) splits: bool,
    /// Samples at which another clip begins.
    pub(crate) breaks: &'a [usize],
}

impl AffineTrack {
    /// The matrix at a sample.
    pub(crate) fn at(&self, sample: usize) -> Affine {
        match self {
            Self::Still(affine) => *affine,
            Self::Moving(motion) => motion.at(sample),
        }
    }

    /// About how many bytes its keys take.
    pub(crate) fn cost(&self) -> usize {
        match self {
            Self::Still(_) => 0,
            Self::Moving(motion) => motion.cost(),
        }
    }

    /// How many keys it has.
    pub(crate) fn keys(&self) -> usize {
        match self {
            Self::Still(_) => 0,
            Self::Moving(motion) => motion.keys(),
        }
    }
}

impl MatrixMotion {
    fn tracks(&self) -> impl Iterator<Item = &KeyTrack> {
        self.place.tracks().chain([&self.rotation, &self.shear, &self.scale])
    }

    pub(crate) fn keys(&self) -> usize {
        self.tracks().filter(|track| !track.is_still()).map(|track| track.keys.len()).sum()
    }

    pub(crate) fn at(&self, sample: usize) -> Affine {
        let [rotation, shear, scale] =
            [&self.rotation, &self.shear, &self.scale].map(|track| track.at(sample));
        compose(self.form, self.pivot, self.place.at(sample), rotation[0], shear[0], &scale)
    }

    /// About how many bytes its keys take.
    pub(crate) fn cost(&self) -> usize {
        self.tracks().map(|track| cost(self.form, track)).sum()
    }
}

/// About how many bytes the keys of a track take: times and handles of easings are longer in Lottie.
pub(crate) fn cost(form: MatrixForm, track: &KeyTrack) -> usize {
    let (start, key) = match form {
        MatrixForm::Skew => (130, 28),
        MatrixForm::TwoRotations => (20, 60),
    };
    let numbers = track.keys[0].value.len();
    if track.is_still() { 0 } else { start + track.keys.len() * (key + 7 * numbers) }
}

fn compose(
    form: MatrixForm,
    pivot: Point,
    place: [f64; 2],
    rotation: f64,
    shear: f64,
    scale: &[f64],
) -> Affine {
    let rotate = Angle::from_degrees(rotation).rotation();
    let scale = Affine::scale_non_uniform(scale[0], scale[1]);
    let linear = match form {
        MatrixForm::Skew => {
            let [cos, sin, ..] = Angle::from_degrees(shear).rotation().as_coeffs();
            rotate * Affine::new([1.0, 0.0, sin / cos, 1.0, 0.0, 0.0]) * scale
        }
        MatrixForm::TwoRotations => rotate * scale * Angle::from_degrees(shear).rotation(),
    };
    Affine::translate((place[0], place[1])) * linear * Affine::translate(-pivot.to_vec2())
}

/// The numbers of the linear part of a matrix: rotation, shear, scale.
type LinearPart = [f64; 4];

/// The angle of a direction that is nearest to another one, in degrees.
fn near(direction: Vec2, last: f64) -> f64 {
    Angle::of(direction).nearest_to(Angle::from_degrees(last)).degrees()
}

/// The largest distance between points by two matrices.
pub(crate) fn miss(one: Affine, other: Affine, points: &[Point]) -> f64 {
    points.iter().map(|p| (one * *p - other * *p).hypot()).fold(0.0, f64::max)
}

pub(crate) fn corners(rect: Rect) -> [Point; 4] {
    [rect.origin(), Point::new(rect.x1, rect.y0), Point::new(rect.x1, rect.y1), Point::new(rect.x0, rect.y1)]
}

/// How many times as long as before a matrix makes a line, at most and at least; the latter is negative if it
/// mirrors.
pub(crate) fn stretches(affine: Affine) -> (f64, f64) {
    let [a, b, c, d, ..] = affine.as_coeffs();
    let (even, odd) = (Vec2::new(a + d, b - c).hypot(), Vec2::new(a - d, b + c).hypot());
    (0.5 * (even + odd), 0.5 * (even - odd))
}

/// How many times as long as before a matrix makes a line at most.
pub(crate) fn stretch(affine: Affine) -> f64 {
    stretches(affine).0
}

/// Translation, rotation, skew, scale: QR. A scale that goes through 0 changes its sign instead of turning
/// by half a turn.
fn with_skew(affine: Affine, last: Option<LinearPart>) -> LinearPart {
    let [a, b, c, d, ..] = affine.as_coeffs();
    let before = last.unwrap_or([0.0, 0.0, 1.0, 1.0]);
    let length = Vec2::new(a, b).hypot();
    if length < 1e-9 {
        let along = Vec2::new(c, d).hypot();
        let angle = if along < 1e-9 { before[0] } else { near(Vec2::new(d, -c), before[0]) };
        return [angle, before[1], 0.0, along];
    }
    let mut sx = length;
    let mut angle = near(Vec2::new(a, b), before[0]);
    if (angle - before[0]).abs() > 90.0 && last.is_some() {
        angle = near(Vec2::new(-a, -b), before[0]);
        sx = -sx;
    }
    let (ux, uy) = (a / sx, b / sx);
    let sy = ux * d - uy * c;
    let along = ux * c + uy * d;
    let skew = if sy.abs() < 1e-9 { before[1] } else { Angle::of(Vec2::new(1.0, along / sy)).degrees() };
    [angle, skew, sx, sy]
}

/// Translation, rotation, scale, rotation: the singular values, kept continuous. With
/// m = R(p) diag(s, t) R(q), p + q and p - q are the angles of the rotating and the mirroring half of m.
fn with_two_rotations(affine: Affine, last: Option<LinearPart>) -> LinearPart {
    let [a, b, c, d, ..] = affine.as_coeffs();
    let (turn, mirror) = (Vec2::new(a + d, b - c) * 0.5, Vec2::new(a - d, b + c) * 0.5);
    let before = last.unwrap_or([0.0, 0.0, 1.0, 1.0]);
    let (sum, difference) = (before[0] + before[1], before[0] - before[1]);
    let size = turn.hypot().max(mirror.hypot()).max(1e-12);
    let signed = |half: Vec2, angle: f64| {
        if half.hypot() < 5e-5 * size {
            return (angle, 0.0);
        }
        let found = near(half, angle);
        if (found - angle).abs() > 90.0 && last.is_some() {
            return (near(-half, angle), -half.hypot());
        }
        (found, half.hypot())
    };
    let (plus, turning) = signed(turn, sum);
    let (minus, mirroring) = signed(mirror, difference);
    [0.5 * (plus + minus), 0.5 * (plus - minus), turning + mirroring, turning - mirroring]
}

/// The parts of a matrix that does not change: two rotations with a scale between them.
pub(crate) fn still(affine: Affine) -> MatrixMotion {
    let [rotation, shear, sx, sy] = with_two_rotations(affine, None);
    let uniform = (sx - sy).abs() < 1e-6 * sx.abs().max(1e-9);
    let (rotation, shear) = if uniform { (rotation + shear, 0.0) } else { (rotation, shear) };
    let place = affine.translation();
    MatrixMotion {
        form: MatrixForm::TwoRotations,
        pivot: Point::ZERO,
        place: PivotPlace::Both(KeyTrack::still(vec![place.x, place.y])),
        rotation: KeyTrack::still(vec![rotation]),
        shear: KeyTrack::still(vec![shear]),
        scale: KeyTrack::still(vec![sx, sy]),
    }
}

impl AffineFit<'_> {
    /// The curves: of several pivots the one with the smallest ones.
    pub(crate) fn run(&self) -> AffineTrack {
        let first = self.samples[0];
        let moves = |affine: &Affine, weight: &f64| {
            self.points.iter().any(|p| (*affine * *p - first * *p).hypot() * weight > 0.2 * self.tolerance)
        };
        if !self.samples.iter().zip(self.weights).any(|(affine, weight)| moves(affine, weight)) {
            return AffineTrack::Still(first);
        }
        let linear = self.linear();
        let mut best: Option<MatrixMotion> = None;
        for pivot in self.pivots() {
            let motion = self.about(pivot, &linear);
            if best.as_ref().is_none_or(|best| motion.cost() < best.cost()) {
                best = Some(motion);
            }
        }
        best.map_or(AffineTrack::Still(first), |motion| AffineTrack::Moving(Box::new(motion)))
    }

    fn linear(&self) -> Vec<LinearPart> {
        let mut last = None;
        let mut numbers = Vec::with_capacity(self.samples.len());
        for affine in self.samples {
            let found = match self.form {
                MatrixForm::Skew => with_skew(*affine, last),
                MatrixForm::TwoRotations => with_two_rotations(*affine, last),
            };
            numbers.push(found);
            last = Some(found);
        }
        // A rotation alone is one curve: where both scales are equal in all samples, the inner one does
        // nothing but turn.
        if self.form == MatrixForm::TwoRotations {
            let uniform = numbers.iter().all(|n| (n[2] - n[3]).abs() < 1e-6 * n[2].abs().max(1e-9));
            if uniform {
                numbers.iter_mut().for_each(|n| (n[0], n[1]) = (n[0] + n[1], 0.0));
            }
        }
        numbers
    }

    /// Points that move little: the middle of the part, the one that moves least, and the one that moves most
    /// evenly.
    fn pivots(&self) -> Vec<Point> {
        let count = self.points.len().max(1) as f64;
        let middle = (self.points.iter().fold(Vec2::ZERO, |sum, p| sum + p.to_vec2()) / count).to_point();
        let mean = {
            let sums = self.samples.iter().fold([0.0; 6], |mut sums, affine| {
                sums.iter_mut().zip(affine.as_coeffs()).for_each(|(sum, n)| *sum += n);
                sums
            });
            Affine::new(sums.map(|n| n / self.samples.len() as f64))
        };
        let difference = |a: Affine, b: Affine| {
            let (a, b) = (a.as_coeffs(), b.as_coeffs());
            std::array::from_fn(|at| a[at] - b[at])
        };
        let still: Vec<[f64; 6]> = self.samples.iter().map(|affine| difference(*affine, mean)).collect();
        let steps: Vec<[f64; 6]> = self.samples.windows(2).map(|pair| difference(pair[1], pair[0])).collect();
        let even: Vec<[f64; 6]> =
            steps.windows(2).map(|pair| std::array::from_fn(|at| pair[1][at] - pair[0][at])).collect();
        let reach = self.points.iter().map(|p| (*p - middle).hypot()).fold(1.0, f64::max);
        let candidates = [&still, &even].into_iter().filter_map(|changes| least_motion(changes));
        let usable = candidates.filter(|p| p.is_finite() && (*p - middle).hypot() < 20.0 * reach);
        let short = |p: Point| Point::new((p.x * 100.0).round() / 100.0, (p.y * 100.0).round() / 100.0);
        std::iter::once(middle).chain(usable).map(short).collect()
    }

    /// The curves for one pivot. Each gets the whole tolerance at first; if the sum of their errors is too
    /// large, all of them get less.
    fn about(&self, pivot: Point, linear: &[LinearPart]) -> MatrixMotion {
        let reach = self.points.iter().map(|p| (*p - pivot).hypot()).fold(1e-6, f64::max);
        let place: Vec<Vec<f64>> =
            self.samples.iter().map(|affine| *affine * pivot).map(|p| vec![p.x, p.y]).collect();
        let column = |at: usize| -> Vec<Vec<f64>> { linear.iter().map(|n| vec![n[at]]).collect() };
        let (rotation, shear) = (column(0), column(1));
        let scale: Vec<Vec<f64>> = linear.iter().map(|n| vec![n[2], n[3]]).collect();
        let radians = std::f64::consts::PI / 180.0;
        let arms: Vec<f64> = linear
            .iter()
            .zip(self.weights)
            .map(|(n, weight)| weight * reach * n[2].abs().max(n[3].abs()))
            .collect();
        let turns: Vec<f64> = arms.iter().map(|arm| arm * radians).collect();
        let scales: Vec<f64> = self.weights.iter().map(|weight| weight * reach).collect();
        let most = |weights: &[f64]| weights.iter().copied().fold(1e-9, f64::max);
        // Digits: rounding takes at most a twentieth of the tolerance.
        let parts = |weights: &[f64], share: f64| {
            let least = (most(weights) / (share * self.tolerance)).max(1.0);
            let digits = (0..9).find(|digits| 10.0_f64.powi(*digits) * 2.0 >= least).unwrap_or(9);
            10.0_f64.powi(digits)
        };
        let places = 10.0_f64.powi(i32::from(self.digits));
        let mut share = 0.7;
        loop {
            let tolerance = self.tolerance * share;
            let fit = |samples: &[Vec<f64>], group: usize, weights: &[f64], parts: f64| {
                let Self { monotone, breaks, .. } = *self;
                Fit { samples, group, weights, tolerance, parts, monotone, breaks }.run()
            };
            let both = fit(&place, 2, self.weights, places);
            let [x, y] = [0, 1].map(|at| {
                let samples: Vec<Vec<f64>> = place.iter().map(|p| vec![p[at]]).collect();
                let tolerance = tolerance * std::f64::consts::FRAC_1_SQRT_2;
                let Self { weights, monotone, breaks, .. } = *self;
                Fit { samples: &samples, group: 1, weights, tolerance, parts: places, monotone, breaks }.run()
            });
            let split = cost(self.form, &x) + cost(self.form, &y) + 20;
            let splits = self.splits && split < cost(self.form, &both);
            let place = if splits { PivotPlace::Split(x, y) } else { PivotPlace::Both(both) };
            let motion = MatrixMotion {
                form: self.form,
                pivot,
                place,
                rotation: fit(&rotation, 1, &turns, parts(&turns, 0.05)),
                shear: fit(&shear, 1, &turns, parts(&turns, 0.05)),
                scale: fit(&scale, 2, &scales, parts(&scales, 0.05)),
            };
            if share < 0.05 || self.error(&motion) <= self.tolerance {
                return motion;
            }
            share *= 0.7;
        }
    }

    /// The largest error of a point, in pixels.
    fn error(&self, motion: &MatrixMotion) -> f64 {
        let mut worst = 0.0_f64;
        for (at, (truth, weight)) in self.samples.iter().zip(self.weights).enumerate() {
            let found = motion.at(at);
            for p in self.points {
                worst = worst.max((found * *p - *truth * *p).hypot() * weight);
            }
        }
        worst
    }
}

/// How far the point moves that matrices move least: nearly not at all, if it is a joint.
pub(crate) fn joint_motion(samples: &[Affine]) -> Option<f64> {
    let first = samples[0].as_coeffs();
    let changes: Vec<[f64; 6]> = samples
        .iter()
        .map(|affine| {
            let affine = affine.as_coeffs();
            std::array::from_fn(|at| affine[at] - first[at])
        })
        .collect();
    let joint = least_motion(&changes)?;
    let start = samples[0] * joint;
    Some(samples.iter().map(|affine| (*affine * joint - start).hypot()).fold(0.0, f64::max))
}

/// The point that changes of a matrix move least, in the sense of least squares.
fn least_motion(changes: &[[f64; 6]]) -> Option<Point> {
    // Minimise the sum of |A c + b|^2.
    let (mut m, mut r) = ([0.0; 3], [0.0; 2]);
    for [a, b, c, d, e, f] in changes {
        m[0] += a * a + b * b;
        m[1] += a * c + b * d;
        m[2] += c * c + d * d;
        r[0] -= a * e + b * f;
        r[1] -= c * e + d * f;
    }
    let det = m[0] * m[2] - m[1] * m[1];
    if det <= 1e-9 * (m[0] * m[2]).max(1e-30) {
        return None;
    }
    Some(Point::new((r[0] * m[2] - r[1] * m[1]) / det, (r[1] * m[0] - r[0] * m[1]) / det))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(samples: &[Affine], form: MatrixForm) -> AffineTrack {
        let points = [
            Point::new(-20.0, -10.0),
            Point::new(20.0, -10.0),
            Point::new(20.0, 10.0),
            Point::new(-20.0, 10.0),
        ];
        let weights = vec![1.0; samples.len()];
        let fit = AffineFit {
            samples,
            points: &points,
            weights: &weights,
            tolerance: 0.25,
            form,
            digits: 2,
            monotone: false,
            splits: true,
            breaks: &[],
        };
        let track = fit.run();
        for (at, affine) in samples.iter().enumerate() {
            for p in points {
                let miss = (track.at(at) * p - *affine * p).hypot();
                assert!(miss <= 0.25 + 1e-9, "{miss} at {at}");
            }
        }
        track
    }

    #[test]
    fn a_turn_about_a_joint_is_one_curve() {
        let joint = Affine::translate((70.0, 30.0));
        let samples: Vec<Affine> = (0..=48)
            .map(|k| joint * Angle::from_degrees(f64::from(k) * 15.0).rotation() * joint.inverse())
            .collect();
        for form in [MatrixForm::Skew, MatrixForm::TwoRotations] {
            let AffineTrack::Moving(motion) = fitted(&samples, form) else { panic!("it turns") };
            assert_eq!(motion.rotation.keys.len(), 2);
            assert!(
                motion.place.tracks().all(KeyTrack::is_still)
                    && motion.shear.is_still()
                    && motion.scale.is_still(),
                "{motion:?}"
            );
        }
    }

    #[test]
    fn any_matrix_is_followed_through_mirrors_and_shears() {
        let samples: Vec<Affine> = (0..=60)
            .map(|k| {
                let t = f64::from(k) / 30.0;
                let (sin, cos) = Angle::from_degrees(t * 200.0).sin_cos();
                Affine::new([1.0 + 0.5 * cos, 0.3 * sin, 0.4 * cos, 1.0 - 0.9 * t, 10.0 * t, 5.0 * sin])
            })
            .collect();
        fitted(&samples, MatrixForm::Skew);
        fitted(&samples, MatrixForm::TwoRotations);
    }
}
