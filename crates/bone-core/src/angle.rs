//! Trigonometry: [`Angle`] and its sine, cosine and arc tangent, with the same bits on every machine. Angles
//! are never wrapped: 720 degrees are two turns and stay two turns.
//!
//! Angles are kept in *degrees*, as artists type them, because the reduction of degrees by quarter turns is
//! exact in binary floating point: `r = d - 90 q` has no rounding error. So 90 degrees are exactly a quarter
//! turn, and ten thousand turns give the same sine and cosine as none. Radians are for solvers.

use bone_archive::archive;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use kurbo::{Affine, Vec2};

/// A signed angle of any size; positive turns clockwise on screen, since y points down.
///
/// ```
/// use bone_core::Angle;
///
/// let two_turns_and_a_quarter = Angle::from_degrees(2.0 * 360.0 + 90.0);
/// assert_eq!(two_turns_and_a_quarter.sin_cos(), (1.0, 0.0));
/// assert_eq!(two_turns_and_a_quarter.degrees(), 810.0);
/// ```
#[derive(Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Angle {
    degrees: f64,
}

impl Angle {
    /// No turn.
    pub const ZERO: Self = Self::from_degrees(0.0);

    /// An angle of so many degrees.
    #[inline]
    pub const fn from_degrees(degrees: f64) -> Self {
        Self { degrees }
    }

    /// An angle of so many radians.
    #[inline]
    pub const fn from_radians(radians: f64) -> Self {
        Self { degrees: radians * (180.0 / std::f64::consts::PI) }
    }

    /// The direction of a vector, in (-180, 180] degrees; zero for the zero vector.
    #[inline]
    pub fn of(direction: Vec2) -> Self {
        Self::from_radians(libm::atan2(direction.y, direction.x))
    }

    /// Degrees, not wrapped.
    #[inline]
    pub const fn degrees(self) -> f64 {
        self.degrees
    }

    /// Radians, not wrapped.
    #[inline]
    pub const fn radians(self) -> f64 {
        self.degrees * (std::f64::consts::PI / 180.0)
    }

    /// Whether the angle is a number (neither NaN nor infinite).
    #[inline]
    pub const fn is_finite(self) -> bool {
        self.degrees.is_finite()
    }

    /// Sine and cosine, to 2 units in the last place; NaN for what is not finite.
    #[inline]
    pub fn sin_cos(self) -> (f64, f64) {
        sin_cos_reduced(reducible(self.degrees))
    }

    /// The unit vector that the x axis becomes when turned by this angle.
    #[inline]
    pub fn direction(self) -> Vec2 {
        let (sin, cos) = self.sin_cos();
        Vec2::new(cos, sin)
    }

    /// The turn about the origin as a matrix.
    #[inline]
    pub fn rotation(self) -> Affine {
        let (sin, cos) = self.sin_cos();
        Affine::new([cos, sin, -sin, cos, 0.0, 0.0])
    }

    /// The angle that points the same way as `self` and lies within half a turn of `near`.
    ///
    /// This restores the whole turns of an angle that was read from a matrix.
    #[inline]
    pub fn nearest_to(self, near: Self) -> Self {
        let way = near.degrees - self.degrees;
        // The result of the rounding in most cases.
        let turns = if way.abs() < 180.0 {
            return self;
        } else if way.abs() < 540.0 {
            1.0_f64.copysign(way)
        } else {
            (way / 360.0).round()
        };
        Self::from_degrees(self.degrees + 360.0 * turns)
    }
}

/// Sines and cosines that are computed together, in a form that compilers vectorise; the same bits as
/// [`Angle::sin_cos`] one by one.
pub(crate) struct SinCosBlock<const N: usize> {
    degrees: [f64; N],
    pub(crate) sin: [f64; N],
    pub(crate) cos: [f64; N],
}

impl<const N: usize> SinCosBlock<N> {
    pub(crate) fn new() -> Self {
        Self { degrees: [0.0; N], sin: [0.0; N], cos: [1.0; N] }
    }

    /// Of the first angles; the others keep what they were.
    #[inline(always)]
    pub(crate) fn fill(&mut self, angles: impl Iterator<Item = Angle>) {
        let Self { degrees, sin, cos } = self;
        for (degrees, angle) in degrees.iter_mut().zip(angles) {
            *degrees = angle.degrees;
        }
        let tame = degrees.iter().fold(true, |tame, d| tame & (d.abs() <= LARGEST_QUICK));
        if tame {
            for i in 0..N {
                (sin[i], cos[i]) = sin_cos_reduced(degrees[i]);
            }
        } else {
            for i in 0..N {
                (sin[i], cos[i]) = sin_cos_reduced(reducible(degrees[i]));
            }
        }
    }
}

/// `e^x`. It is here because the platform's own function differs between machines, as its sine does.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// The natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Up to here `d / 90` fits the rounding by addition, and `90 q` is exact (it would be to 2^46 quarter
/// turns).
const LARGEST_QUICK: f64 = 1e12;

/// Brings large angles into the range of the fast reduction; `%` is exact.
#[inline]
fn reducible(degrees: f64) -> f64 {
    if degrees.abs() <= LARGEST_QUICK { degrees } else { degrees % 360.0 }
}

/// Sine and cosine of `|degrees| <= LARGEST_QUICK`, without a branch.
///
/// The polynomials are Chebyshev interpolants of `(sin(kr)/r - k)/r^2` and `(cos(kr) - 1)/r^2` in `r^2`, `k =
/// pi/180`, over `|r| <= 45` degrees; their own error is below 2^-56 and 2^-62 of the value.
#[inline(always)]
fn sin_cos_reduced(degrees: f64) -> (f64, f64) {
    // Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const K_HIGH: f64 = 0.017_453_292_519_943_295;
    const K_LOW: f64 = 2.948_652_270_870_168_7e-19;

    let shifted = degrees * (1.0 / 90.0) + ROUND;
    let quarter = shifted.to_bits();
    let r = degrees - 90.0 * (shifted - ROUND);
    let s = r * r;

    let p = 2.219_718_014_247_48e-33;
    let p = -1.146_775_474_063_396_3e-27 + s * p;
    let p = 4.141_266_948_173_564e-22 + s * p;
    let p = -9.788_384_859_392_164e-17 + s * p;
    let p = 1.349_601_623_162_868_8e-11 + s * p;
    let p = -8.860_961_557_012_979e-7 + s * p;
    let sin = K_HIGH * r + r * (K_LOW + s * p);

    let q = -2.766_732_524_213_466_8e-36;
    let q = 1.667_912_805_507_999_7e-30 + s * q;
    let q = -7.227_874_204_324_551e-25 + s * q;
    let q = 2.135_494_302_915_301_2e-19 + s * q;
    let q = -3.925_831_985_740_801_5e-14 + s * q;
    let q = 3.866_323_851_562_99e-9 + s * q;
    let q = -0.000_152_308_709_893_354_3 + s * q;
    let cos = 1.0 + s * q;

    // Quarter turns swap and negate: (s, c), (c, -s), (-s, -c), (-c, s).
    let swap = 0_u64.wrapping_sub(quarter & 1);
    let sin_sign = (quarter & 2) << 62;
    let cos_sign = (quarter.wrapping_add(1) & 2) << 62;
    let (s, c) = (sin.to_bits(), cos.to_bits());
    let turned_sin = f64::from_bits(((s & !swap) | (c & swap)) ^ sin_sign);
    let turned_cos = f64::from_bits(((c & !swap) | (s & swap)) ^ cos_sign);
    // Adding zero turns -0 into 0, so that the sine of a half turn has no minus sign.
    (turned_sin + 0.0, turned_cos + 0.0)
}

impl Add for Angle {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self::from_degrees(self.degrees + other.degrees)
    }
}

impl AddAssign for Angle {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Angle {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self::from_degrees(self.degrees - other.degrees)
    }
}

impl SubAssign for Angle {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Neg for Angle {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self::from_degrees(-self.degrees)
    }
}

impl Mul<f64> for Angle {
    type Output = Self;
    #[inline]
    fn mul(self, factor: f64) -> Self {
        Self::from_degrees(self.degrees * factor)
    }
}

impl Div<f64> for Angle {
    type Output = Self;
    #[inline]
    fn div(self, divisor: f64) -> Self {
        Self::from_degrees(self.degrees / divisor)
    }
}

impl Sum for Angle {
    fn sum<I: Iterator<Item = Self>>(angles: I) -> Self {
        angles.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Debug for Angle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Angle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.degrees.fmt(f)?;
        f.write_str("°")
    }
}

archive!(struct Angle { degrees });

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `degrees` within one turn, in radians as a sum of two doubles: the product with pi/180 in twice the
    /// precision.
    fn radians_in_two_parts(degrees: f64) -> (f64, f64) {
        const HIGH: f64 = std::f64::consts::PI / 180.0;
        const LOW: f64 = 2.948_652_270_870_168_7e-19;
        let high = degrees * HIGH;
        (high, libm::fma(degrees, HIGH, -high) + degrees * LOW)
    }

    /// libm's sine and cosine of a two-part angle, by the first term of Taylor's series in the small part.
    fn reference(degrees: f64) -> (f64, f64) {
        let (high, low) = radians_in_two_parts(degrees);
        let (sin, cos) = (libm::sin(high), libm::cos(high));
        (sin + low * cos, cos - low * sin)
    }

    fn ulps(a: f64, b: f64) -> f64 {
        let unit = (f64::from_bits(b.abs().to_bits() + 1) - b.abs()).max(f64::MIN_POSITIVE);
        (a - b).abs() / unit
    }

    #[test]
    fn within_two_ulps_of_libm() {
        let mut worst = 0.0_f64;
        for i in 0..=4_000_000_u32 {
            // 45 degrees in steps that hit no pattern of the grid.
            let degrees = -45.0 + 90.0 * f64::from(i) / 4_000_000.0;
            let (sin, cos) = Angle::from_degrees(degrees).sin_cos();
            let (sin_reference, cos_reference) = reference(degrees);
            worst = worst.max(ulps(sin, sin_reference)).max(ulps(cos, cos_reference));
        }
        assert!(worst <= 2.0, "{worst} ulp");
    }

    #[test]
    fn quarter_turns_are_exact_however_many() {
        let expected = [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)];
        for quarters in -4_001_i32..4_001 {
            let (sin, cos) = Angle::from_degrees(f64::from(quarters) * 90.0).sin_cos();
            let index = usize::try_from(quarters.rem_euclid(4)).unwrap_or_default();
            assert_eq!((sin, cos), expected[index], "{quarters}");
            assert!(sin.to_bits() != (-0.0_f64).to_bits() && cos.to_bits() != (-0.0_f64).to_bits());
        }
        assert_eq!(Angle::from_degrees(360.0 * 1e15).sin_cos(), (0.0, 1.0));
    }

    #[test]
    fn angles_of_any_size_are_those_of_their_remainder() {
        let mut degrees = 12.345_678_9;
        while degrees < 1e300 {
            // The remainder of two floats is exact.
            let (large, small) = (Angle::from_degrees(degrees), Angle::from_degrees(degrees % 360.0));
            assert_eq!(large.sin_cos(), small.sin_cos(), "{degrees}");
            let (sin, cos) = Angle::from_degrees(-degrees).sin_cos();
            assert_eq!((-sin, cos), small.sin_cos(), "-{degrees}");
            degrees *= 3.7;
        }
    }

    #[test]
    fn not_finite_gives_nan() {
        for degrees in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let (sin, cos) = Angle::from_degrees(degrees).sin_cos();
            assert!(sin.is_nan() && cos.is_nan());
        }
    }

    proptest! {
        #[test]
        fn whole_turns_change_no_bit(degrees in -360.0..360.0_f64, turns in -1000_i32..1000) {
            // Keep to angles whose sum with the turns is exact.
            let degrees = (degrees * 1024.0).round() / 1024.0;
            let turned = degrees + 360.0 * f64::from(turns);
            prop_assert_eq!(Angle::from_degrees(degrees).sin_cos(), Angle::from_degrees(turned).sin_cos());
        }

        #[test]
        fn blocks_equal_singles(values in prop::array::uniform8(prop_oneof![-1e4..1e4_f64, -1e18..1e18_f64])) {
            let mut block = SinCosBlock::<8>::new();
            block.fill(values.into_iter().map(Angle::from_degrees));
            for ((value, sin), cos) in values.into_iter().zip(block.sin).zip(block.cos) {
                prop_assert_eq!((sin, cos), Angle::from_degrees(value).sin_cos());
            }
        }

        #[test]
        fn nearest_angles_are_whole_turns_away_and_within_half_a_turn(
            degrees in -2500.0..2500.0_f64, near in -2500.0..2500.0_f64,
        ) {
            let found = Angle::from_degrees(degrees).nearest_to(Angle::from_degrees(near)).degrees();
            let turns = (found - degrees) / 360.0;
            prop_assert!((turns - turns.round()).abs() < 1e-12);
            prop_assert!((found - near).abs() <= 180.0 + 1e-9, "{}", found);
        }

        #[test]
        fn direction_and_of_are_inverse(degrees in -179.9..179.9_f64) {
            let back = Angle::of(Angle::from_degrees(degrees).direction() * 7.0);
            prop_assert!((back.degrees() - degrees).abs() < 1e-12);
            let near = Angle::from_degrees(degrees + 720.0);
            prop_assert!((back.nearest_to(near).degrees() - near.degrees()).abs() < 1e-9);
        }
    }
}
