//! The distance between poses: the joints of two stretches of motion, compared after the best shift along the
//! ground (after Kovar, Gleicher and Pighin, "Motion Graphs", 2002; there the ground is a plane, here it is a
//! line).
//!
//! All pairs of frames are compared diagonal by diagonal, so a window costs no more than a single frame, and
//! memory grows with the length of the motion, not with its square.

use std::ops::Range;

use bone_core::Side;
use kurbo::Point;

use crate::figure::height;
use crate::parts::BodyPart;
use crate::{ImportError, PlanarMotion};

/// The number of joints that are compared.
pub const JOINTS: usize = 13;
const WIDTH: usize = 2 * JOINTS;

/// The poses of a motion, prepared for comparison. Units are heights of the body; y is measured from the
/// ground.
#[derive(Clone, Debug)]
pub struct PoseTable {
    /// For each frame the joints, x relative to their mean, scaled by the square root of the weight.
    rows: Vec<[f64; WIDTH]>,
    /// The squared length of each row.
    squares: Vec<f64>,
    /// The mean x of the joints along the ground.
    middles: Vec<f64>,
}

impl PoseTable {
    /// The poses of a planar motion: the joints of [`compared_joints`] above its ground.
    ///
    /// # Errors
    /// If the figure has no height.
    pub fn of(motion: &PlanarMotion) -> Result<Self, ImportError> {
        let body = motion.body();
        let tall = height(motion, &body);
        fail_if!(!(tall.is_finite() && tall > 1e-6), "the figure has no height");
        let joints = compared_joints(|part| body.start(part), motion.joints().len());
        let ground = ground_height(motion);
        let position = |frame: usize, joint: usize| {
            let at = motion.position(frame, joint);
            Point::new(at.x / tall, (at.y - ground) / tall)
        };
        let frames =
            (0..motion.frames()).map(|frame| joints.map(|(joint, weight)| (position(frame, joint), weight)));
        Ok(Self::from_positions(frames))
    }

    /// Poses from positions and weights.
    pub fn from_positions(frames: impl Iterator<Item = [(Point, f64); JOINTS]>) -> Self {
        let mut poses = Self { rows: Vec::new(), squares: Vec::new(), middles: Vec::new() };
        for frame in frames {
            let total: f64 = frame.iter().map(|(_, weight)| weight).sum();
            let middle = frame.iter().map(|(at, weight)| at.x * weight).sum::<f64>() / total;
            let mut row = [0.0; WIDTH];
            for (pair, (at, weight)) in row.chunks_exact_mut(2).zip(frame) {
                let root = (weight / total).sqrt();
                pair.copy_from_slice(&[(at.x - middle) * root, at.y * root]);
            }
            poses.squares.push(dot(&row, &row));
            poses.rows.push(row);
            poses.middles.push(middle);
        }
        poses
    }

    /// Every `step`th frame; all of them for 0.
    #[must_use]
    pub fn every(&self, step: usize) -> Self {
        let step = step.max(1);
        Self {
            rows: self.rows.iter().step_by(step).copied().collect(),
            squares: self.squares.iter().step_by(step).copied().collect(),
            middles: self.middles.iter().step_by(step).copied().collect(),
        }
    }

    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.rows.len()
    }

    /// The mean x of the joints in a frame, in heights of the body.
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn middle(&self, frame: usize) -> f64 {
        self.middles[frame]
    }
}

/// The joints that are compared, and their weights: shoulders, elbows, hands, hips, knees, ankles and head of
/// a body; `start` finds them among `count` joints. The legs, hips and shoulders count most, hands and head
/// least. Where parts are missing, joints are spread over the list, which begins at the root.
pub fn compared_joints(start: impl Fn(BodyPart) -> Option<usize>, count: usize) -> [(usize, f64); JOINTS] {
    let both = |part: fn(Side) -> BodyPart| [part(Side::Left), part(Side::Right)];
    let limbs = [
        (both(BodyPart::Thigh), 1.0),
        (both(BodyPart::Shin), 1.0),
        (both(BodyPart::Foot), 1.0),
        (both(BodyPart::UpperArm), 1.0),
        (both(BodyPart::ForeArm), 0.7),
        (both(BodyPart::Hand), 0.4),
    ];
    let parts = limbs.iter().flat_map(|(parts, weight)| parts.map(|part| (start(part), *weight)));
    let head = start(BodyPart::Head).or_else(|| start(BodyPart::Neck));
    let known = parts.chain([(head, 0.4)]).filter_map(|(joint, weight)| Some((joint?, weight)));
    let mut chosen: Vec<(usize, f64)> = known.collect();
    // Fewer than five known parts are taken for a coincidence.
    if chosen.len() < 5 {
        chosen.clear();
    }
    std::array::from_fn(|at| chosen.get(at).copied().unwrap_or((at * count / JOINTS, 1.0)))
}

/// The y of the ground in a recording: the lowest joint in most of the frames; y points down.
pub fn ground_height(motion: &PlanarMotion) -> f64 {
    let lowest = |frame: usize| motion.frame(frame).iter().map(|at| at.y).fold(f64::MIN, f64::max);
    let mut lows: Vec<f64> = (0..motion.frames()).map(lowest).collect();
    lows.sort_by(f64::total_cmp);
    lows[(lows.len() - 1) * 9 / 10]
}

/// Summed in an order that compilers vectorise.
fn dot(a: &[f64; WIDTH], b: &[f64; WIDTH]) -> f64 {
    let mut sums = [0.0; 2];
    for (a, b) in a.chunks_exact(2).zip(b.chunks_exact(2)) {
        sums[0] += a[0] * b[0];
        sums[1] += a[1] * b[1];
    }
    sums[0] + sums[1]
}

/// The mean squared distance of two stretches of `window` frames that begin at `i` and `j`, after the best
/// shift along the ground.
pub(crate) fn distance_squared(a: &PoseTable, b: &PoseTable, i: usize, j: usize, window: usize) -> f64 {
    let (mut sum, mut shift, mut shift_squared) = (0.0, 0.0, 0.0);
    for k in 0..window {
        let (i, j) = (i + k, j + k);
        sum += a.squares[i] + b.squares[j] - 2.0 * dot(&a.rows[i], &b.rows[j]);
        let away = a.middles[i] - b.middles[j];
        shift += away;
        shift_squared += away * away;
    }
    let count = window as f64;
    ((sum + shift_squared - shift * shift / count) / count).max(0.0)
}

/// The number of diagonals that are computed together: each loaded row is used for all of them.
const TOGETHER: usize = 4;

/// Compares all stretches of `window` frames of `a` with all of `b`. For each diagonal `d`, from the lowest,
/// `each` gets `d` and the squared distances of the pairs `(i, i + d)`, beginning with the smallest valid
/// `i`. Only the given diagonals are visited: for a motion compared with itself one side is enough.
pub fn each_diagonal(
    a: &PoseTable,
    b: &PoseTable,
    window: usize,
    diagonals: Range<isize>,
    mut each: impl FnMut(isize, &[f64]),
) {
    let window = window.max(1);
    if a.frames() < window || b.frames() < window {
        return;
    }
    let (rows, columns) = ((a.frames() - window + 1) as isize, (b.frames() - window + 1) as isize);
    let mut raw = vec![[0.0; TOGETHER]; a.frames().min(b.frames())];
    let mut done: Vec<f64> = Vec::with_capacity(raw.len());
    let mut diagonal = diagonals.start.max(1 - rows);
    let end = diagonals.end.min(columns);
    while diagonal < end {
        let together = TOGETHER.min((end - diagonal) as usize);
        // The range of i in which some of the diagonals have a pair of frames.
        let from = (-(diagonal + together as isize - 1)).max(0) as usize;
        let until = a.frames().min((b.frames() as isize - diagonal).max(0) as usize);
        raw.resize(until - from, [0.0; TOGETHER]);
        let mut cells = raw.chunks_exact_mut(2);
        let mut i = from;
        for pair in &mut cells {
            products(a, b, i, i as isize + diagonal, pair);
            i += 2;
        }
        for cell in cells.into_remainder() {
            *cell = some_products(a, b, i, i as isize + diagonal);
        }
        for (step, d) in (diagonal..).take(together).enumerate() {
            let begin = (-d).max(0) as usize;
            let end = rows.min(columns - d) as usize;
            let product = |i: usize| raw[i - from][step];
            windows(a, b, begin..end, d, window, product, &mut done);
            each(d, &done);
        }
        diagonal += together as isize;
    }
}

/// The scalar products of two neighbouring frames of `a`, each with [`TOGETHER`] frames of `b`: those from
/// `j` on, and those from `j + 1` on. Eight independent sums keep the adders busy.
fn products(a: &PoseTable, b: &PoseTable, i: usize, j: isize, pair: &mut [[f64; TOGETHER]]) {
    let others = usize::try_from(j).ok().and_then(|j| b.rows.get(j..)?.first_chunk::<5>());
    let (Some(others), Some([first, second]), [one, other]) = (others, a.rows[i..].first_chunk(), &mut *pair)
    else {
        for (step, cell) in pair.iter_mut().enumerate() {
            *cell = some_products(a, b, i + step, j + step as isize);
        }
        return;
    };
    let [r0, r1, r2, r3, r4] = others;
    let mut sums = [[0.0; 2]; 2 * TOGETHER];
    for at in 0..JOINTS {
        let two = |row: &[f64; WIDTH]| [row[2 * at], row[2 * at + 1]];
        let (p, q) = (two(first), two(second));
        let rows = [two(r0), two(r1), two(r2), two(r3), two(r4)];
        for step in 0..TOGETHER {
            for axis in 0..2 {
                sums[step][axis] += p[axis] * rows[step][axis];
                sums[TOGETHER + step][axis] += q[axis] * rows[step + 1][axis];
            }
        }
    }
    *one = std::array::from_fn(|step| sums[step][0] + sums[step][1]);
    *other = std::array::from_fn(|step| sums[TOGETHER + step][0] + sums[TOGETHER + step][1]);
}

/// The same at the borders: 0 where a frame does not exist.
fn some_products(a: &PoseTable, b: &PoseTable, i: usize, j: isize) -> [f64; TOGETHER] {
    std::array::from_fn(|step| {
        let other = usize::try_from(j + step as isize).ok().and_then(|j| b.rows.get(j));
        other.map_or(0.0, |other| dot(&a.rows[i], other))
    })
}

/// Window sums along a diagonal, computed as running sums. They are restarted at intervals, which bounds the
/// rounding errors.
fn windows(
    a: &PoseTable,
    b: &PoseTable,
    range: Range<usize>,
    d: isize,
    window: usize,
    product: impl Fn(usize) -> f64,
    done: &mut Vec<f64>,
) {
    let count = window as f64;
    let cell = |i: usize| {
        let j = (i as isize + d) as usize;
        let away = a.middles[i] - b.middles[j];
        [a.squares[i] + b.squares[j] - 2.0 * product(i) + away * away, away]
    };
    done.clear();
    let mut sums = [0.0; 2];
    for (n, i) in range.enumerate() {
        if n % 256 == 0 {
            sums = (i..i + window).map(cell).fold([0.0; 2], |sum, cell| [sum[0] + cell[0], sum[1] + cell[1]]);
        } else {
            let (new, old) = (cell(i + window - 1), cell(i - 1));
            sums = [sums[0] + new[0] - old[0], sums[1] + new[1] - old[1]];
        }
        done.push(((sums[0] - sums[1] * sums[1] / count) / count).max(0.0));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn random_poses(frames: usize, seed: u64) -> PoseTable {
        let mut state = seed;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let frames: Vec<[(Point, f64); JOINTS]> = (0..frames)
            .map(|frame| {
                std::array::from_fn(|at| {
                    (Point::new(random() + 0.1 * frame as f64, random()), 0.5 + 0.1 * at as f64)
                })
            })
            .collect();
        PoseTable::from_positions(frames.into_iter())
    }

    /// The distance by its definition, for one shift.
    fn by_definition(a: &[[(Point, f64); JOINTS]], b: &[[(Point, f64); JOINTS]], shift: f64) -> f64 {
        let mut sum = 0.0;
        let total: f64 = a[0].iter().map(|(_, weight)| weight).sum();
        for (a, b) in a.iter().zip(b) {
            for ((p, weight), (q, _)) in a.iter().zip(b) {
                let way = *p - *q;
                sum += weight / total * ((way.x - shift).powi(2) + way.y.powi(2));
            }
        }
        sum / a.len() as f64
    }

    #[test]
    fn no_shift_along_the_ground_is_better() {
        let weights: [f64; JOINTS] = std::array::from_fn(|at| 1.0 + at as f64);
        let frame = |at: usize, seed: f64| -> [(Point, f64); JOINTS] {
            std::array::from_fn(|joint| {
                let x = ((at * 7 + joint * 3) as f64 * seed).fract();
                (Point::new(x + 5.0 * seed, (x * 31.0).fract()), weights[joint])
            })
        };
        let a: Vec<_> = (0..6).map(|at| frame(at, 0.731)).collect();
        let b: Vec<_> = (0..6).map(|at| frame(at, 0.417)).collect();
        let found = distance_squared(
            &PoseTable::from_positions(a.iter().copied()),
            &PoseTable::from_positions(b.iter().copied()),
            1,
            2,
            4,
        );
        let tried = (-60_000..60_000).map(|n| by_definition(&a[1..5], &b[2..6], f64::from(n) * 1e-4));
        let least = tried.fold(f64::INFINITY, f64::min);
        assert!((found - least).abs() < 1e-8, "{found} {least}");
    }

    #[test]
    fn diagonals_hold_every_pair_once() {
        for (rows, columns, window) in [(9, 5, 3), (5, 9, 2), (7, 7, 1), (600, 300, 10), (3, 9, 4), (4, 4, 4)]
        {
            let (a, b) = (random_poses(rows, 1), random_poses(columns, 2));
            let mut seen = 0;
            each_diagonal(&a, &b, window, isize::MIN..isize::MAX, |d, distances| {
                let first = (-d).max(0) as usize;
                for (at, found) in distances.iter().enumerate() {
                    let i = first + at;
                    let expected = distance_squared(&a, &b, i, (i as isize + d) as usize, window);
                    assert!((found - expected).abs() < 1e-10, "{i} {d}: {found} {expected}");
                    seen += 1;
                }
            });
            let expected =
                if rows.min(columns) < window { 0 } else { (rows - window + 1) * (columns - window + 1) };
            assert_eq!(seen, expected);
        }
    }
}
