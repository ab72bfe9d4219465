//! Blending of the motions of several bones: three methods, each an affine map for fixed weights. Angles are
//! blended unwrapped: rotations in the plane commute, so no shorter way has to be chosen.

use bone_archive::words;
use bone_core::{Angle, BoneId};
use kurbo::{Affine, CubicBez, Point, Vec2};

words! {
    /// The method by which bones that share a point are blended.
    #[non_exhaustive]
    pub enum SkinBlend {
        /// `v' = sum w_j M_j v`: linear blend skinning, as in Synfig and Rive. An elbow's width shrinks to
        /// cos(bend / 2).
        Linear = 0,
        /// Dual complex numbers, the planar form of dual quaternions (Kavan et al. 2008): keeps signed area where
        /// weights vary only along the bone.
        #[default]
        AreaPreserving = 1,
        /// Optimised centres of rotation (Le and Hodgins 2016): each set of weights has its own centre.
        RotationCenters = 2,
    }
}

impl SkinBlend {
    /// Whether each row of weights has a centre of rotation. It is found once, so such weights cannot be keyed.
    pub const fn has_centres(self) -> bool {
        matches!(self, Self::RotationCenters)
    }

    /// The mode for rows whose centres are not known.
    pub(crate) const fn without_centres(self) -> Self {
        if self.has_centres() { Self::AreaPreserving } else { self }
    }
}

/// The motion of one bone's skin, in the parts that blending needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// M: canvas to canvas.
    matrix: [f64; 6],
    /// `p0 = e^(i theta / 2)` of the unwrapped turn theta.
    half: Complex,
    /// `conj(p0) / 2 (M - R)`: the dual part, linear in the point. The translation of a point by M is taken
    /// at the point itself, so scale and shear need no origin and one bone alone is exact.
    dual: [f64; 6],
    /// theta, not wrapped.
    turn: Angle,
    /// S of the split `M = R(theta) S`, by columns.
    scale: [f64; 4],
}

impl Motion {
    pub(crate) const REST: Self = Self {
        matrix: [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        half: Complex { re: 1.0, im: 0.0 },
        dual: [0.0; 6],
        turn: Angle::ZERO,
        scale: [1.0, 0.0, 0.0, 1.0],
    };

    /// The motion of a skin matrix with its unwrapped rotation.
    pub(crate) fn new(matrix: Affine, turn: Angle) -> Self {
        let (sin, cos) = (turn / 2.0).sin_cos();
        let half = Complex { re: cos, im: sin };
        let turned = half * half;
        let m = matrix.as_coeffs();
        let back = |x: f64, y: f64| turned.conj() * Complex { re: x, im: y };
        let (sx, sy) = (back(m[0], m[1]), back(m[2], m[3]));
        let part = |x: f64, y: f64| half.conj() * Complex { re: 0.5 * x, im: 0.5 * y };
        let columns = [
            part(m[0] - turned.re, m[1] - turned.im),
            part(m[2] + turned.im, m[3] - turned.re),
            part(m[4], m[5]),
        ];
        Self {
            matrix: m,
            half,
            dual: [columns[0].re, columns[0].im, columns[1].re, columns[1].im, columns[2].re, columns[2].im],
            turn,
            scale: [sx.re, sx.im, sy.re, sy.im],
        }
    }
}

impl Motion {
    pub(crate) fn affine(&self) -> Affine {
        Affine::new(self.matrix)
    }

    pub(crate) fn turn(&self) -> Angle {
        self.turn
    }

    /// The greatest distance by which a control point of a curve is moved.
    pub(crate) fn reach(&self, curve: &CubicBez) -> f64 {
        let moved = |p: Point| (apply(self.matrix, p) - p.to_vec2()).hypot();
        [curve.p0, curve.p1, curve.p2, curve.p3].map(moved).into_iter().fold(0.0, f64::max)
    }
}

/// A bone with its weight, or with the derivative of its weight along the outline.
pub(crate) type Influence = (BoneId, f64);

/// The motion of a bone; a bone of a larger skeleton is at rest.
#[inline(always)]
fn motion_of(motions: &[Motion], bone: BoneId) -> &Motion {
    // A branch that is never taken, as that of an index: not a choice between two addresses.
    match motions.get(bone.index()) {
        Some(motion) => motion,
        None => at_rest(),
    }
}

#[cold]
#[inline(never)]
const fn at_rest() -> &'static Motion {
    const REST: &Motion = &Motion::REST;
    REST
}

/// The blend of weights. One bone is that bone's matrix, to the bit.
#[inline(always)]
pub(crate) fn blend(mode: SkinBlend, row: &[Influence], centre: Point, motions: &[Motion]) -> [f64; 6] {
    match row {
        [] => Motion::REST.matrix,
        [(bone, _)] => motion_of(motions, *bone).matrix,
        _ => match mode {
            SkinBlend::Linear => sum(row, motions, |motion| motion.matrix),
            SkinBlend::AreaPreserving => Dual::of(row, motions).matrix(row, motions),
            SkinBlend::RotationCenters => Turned::of(row, motions).matrix(centre),
        },
    }
}

/// The derivative of a blend along the outline, where its weights change by `slopes` (same bones, sum 0) and
/// its centre by `drift`.
pub(crate) fn blend_derivative(
    mode: SkinBlend,
    (row, slopes): (&[Influence], &[Influence]),
    (centre, drift): (Point, Vec2),
    motions: &[Motion],
) -> [f64; 6] {
    match mode {
        SkinBlend::Linear => sum(slopes, motions, |motion| motion.matrix),
        SkinBlend::AreaPreserving => {
            Dual::of(row, motions).slope(&Dual::of(slopes, motions), row, slopes, motions)
        }
        SkinBlend::RotationCenters => {
            Turned::of(row, motions).slope(&Turned::of(slopes, motions), centre, drift)
        }
    }
}

#[inline(always)]
fn sum<const N: usize>(
    row: &[Influence],
    motions: &[Motion],
    part: impl Fn(&Motion) -> [f64; N],
) -> [f64; N] {
    let mut sum = [0.0; N];
    for (bone, weight) in row {
        let values = part(motion_of(motions, *bone));
        for (sum, value) in sum.iter_mut().zip(values) {
            *sum += weight * value;
        }
    }
    sum
}

/// The sums of a dual complex blend: `P0 = sum w p0` and `E = sum w conj(p0) / 2 (M - R)`.
struct Dual {
    half: Complex,
    dual: [f64; 6],
}

/// Below this the halves cancel (bones a full turn apart at equal weights) and the linear blend is used.
const CANCELLED: f64 = 1e-12;

impl Dual {
    #[inline(always)]
    fn of(row: &[Influence], motions: &[Motion]) -> Self {
        let [re, im, a, b, c, d, e, f] = sum(row, motions, |motion| {
            let [a, b, c, d, e, f] = motion.dual;
            [motion.half.re, motion.half.im, a, b, c, d, e, f]
        });
        Self { half: Complex { re, im }, dual: [a, b, c, d, e, f] }
    }

    /// `v' = (P0 / n)^2 v + 2 P0 (E v) / n^2`, with n = |P0|.
    #[inline(always)]
    fn matrix(&self, row: &[Influence], motions: &[Motion]) -> [f64; 6] {
        let norm = self.half.norm();
        if norm < CANCELLED {
            return sum(row, motions, |motion| motion.matrix);
        }
        let turn = self.half * self.half;
        let unscaled = add(rotation(turn), times(self.half, self.dual, 2.0));
        unscaled.map(|value| value / norm)
    }

    /// The derivative of [`Self::matrix`] where the sums change by `by`.
    fn slope(&self, by: &Self, row: &[Influence], slopes: &[Influence], motions: &[Motion]) -> [f64; 6] {
        let norm = self.half.norm();
        if norm < CANCELLED {
            return sum(slopes, motions, |motion| motion.matrix);
        }
        let turn_slope = self.half * by.half;
        let turn_slope = Complex { re: 2.0 * turn_slope.re, im: 2.0 * turn_slope.im };
        let product = add(times(by.half, self.dual, 2.0), times(self.half, by.dual, 2.0));
        let unscaled = add(rotation(turn_slope), product);
        let norm_slope = 2.0 * (self.half.re * by.half.re + self.half.im * by.half.im);
        let matrix = self.matrix(row, motions);
        std::array::from_fn(|i| (unscaled[i] - matrix[i] * norm_slope) / norm)
    }
}

/// The sums of a blend about a centre: the mean rotation, the mean scale and the linear blend that moves the
/// centre.
struct Turned {
    turn: Angle,
    scale: [f64; 4],
    linear: [f64; 6],
}

impl Turned {
    #[inline(always)]
    fn of(row: &[Influence], motions: &[Motion]) -> Self {
        let turn = row.iter().fold(Angle::ZERO, |sum, (bone, w)| sum + motion_of(motions, *bone).turn * *w);
        Self {
            turn,
            scale: sum(row, motions, |motion| motion.scale),
            linear: sum(row, motions, |motion| motion.matrix),
        }
    }

    fn axes(&self) -> [f64; 4] {
        let (sin, cos) = self.turn.sin_cos();
        let turn = Complex { re: cos, im: sin };
        let [a, b, c, d] = self.scale;
        let (x, y) = (turn * Complex { re: a, im: b }, turn * Complex { re: c, im: d });
        [x.re, x.im, y.re, y.im]
    }

    /// `v' = (sum w M) p + R(phi) (sum w S) (v - p)`.
    #[inline(always)]
    fn matrix(&self, centre: Point) -> [f64; 6] {
        let [a, b, c, d] = self.axes();
        let at = apply(self.linear, centre);
        [a, b, c, d, at.x - a * centre.x - c * centre.y, at.y - b * centre.x - d * centre.y]
    }

    fn slope(&self, by: &Self, centre: Point, drift: Vec2) -> [f64; 6] {
        let axes = self.axes();
        let (sin, cos) = self.turn.sin_cos();
        let turn = Complex { re: cos, im: sin };
        let speed = by.turn.radians();
        // d/dt R(phi) S = phi' (i R S) + R S'.
        let column = |x: usize| {
            let moved = turn * Complex { re: by.scale[x], im: by.scale[x + 1] };
            [moved.re - speed * axes[x + 1], moved.im + speed * axes[x]]
        };
        let ([a, b], [c, d]) = (column(0), column(2));
        let still = apply(by.linear, centre) + vector(self.linear, drift);
        let turned = Vec2::new(a * centre.x + c * centre.y, b * centre.x + d * centre.y);
        let drifted = Vec2::new(axes[0] * drift.x + axes[2] * drift.y, axes[1] * drift.x + axes[3] * drift.y);
        let shift = still - turned - drifted;
        [a, b, c, d, shift.x, shift.y]
    }
}

fn apply(m: [f64; 6], p: Point) -> Vec2 {
    Vec2::new(m[0] * p.x + m[2] * p.y + m[4], m[1] * p.x + m[3] * p.y + m[5])
}

fn vector(m: [f64; 6], v: Vec2) -> Vec2 {
    Vec2::new(m[0] * v.x + m[2] * v.y, m[1] * v.x + m[3] * v.y)
}

#[inline(always)]
fn add(a: [f64; 6], b: [f64; 6]) -> [f64; 6] {
    std::array::from_fn(|i| a[i] + b[i])
}

/// Multiplication by a complex number as a matrix.
#[inline(always)]
fn rotation(z: Complex) -> [f64; 6] {
    [z.re, z.im, -z.im, z.re, 0.0, 0.0]
}

/// A complex number times each column of a matrix, and a factor.
#[inline(always)]
fn times(z: Complex, m: [f64; 6], factor: f64) -> [f64; 6] {
    let (re, im) = (z.re * factor, z.im * factor);
    [
        re * m[0] - im * m[1],
        re * m[1] + im * m[0],
        re * m[2] - im * m[3],
        re * m[3] + im * m[2],
        re * m[4] - im * m[5],
        re * m[5] + im * m[4],
    ]
}

#[derive(Clone, Copy, Debug)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    #[inline(always)]
    fn conj(self) -> Self {
        Self { re: self.re, im: -self.im }
    }

    #[inline(always)]
    fn norm(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

impl std::ops::Mul for Complex {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two turns about one point, equal shares are half of the turn about it, also where their halves nearly
    /// cancel.
    #[test]
    fn halves_that_nearly_cancel_turn_about_the_same_point() {
        let centre = Vec2::new(30.0, -20.0);
        let about = |turn: Angle| Affine::translate(centre) * turn.rotation() * Affine::translate(-centre);
        for degrees in [350.0, 359.0, -359.9, 359.999] {
            let turn = Angle::from_degrees(degrees);
            let motions = [Motion::REST, Motion::new(about(turn), turn)];
            let row = [(BoneId::new(0), 0.5), (BoneId::new(1), 0.5)];
            let found = blend(SkinBlend::AreaPreserving, &row, Point::ORIGIN, &motions);
            let expected = about(turn / 2.0).as_coeffs();
            let most = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(most < 1e-8, "{degrees}: {found:?} {expected:?}");
        }
    }
}
