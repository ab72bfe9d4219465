//! Wind: a force with eddies that are a function of place and time alone. Eddies are noise on a lattice whose
//! values are an integer hash of its points, so the same on every machine; they travel with the wind (Taylor,
//! "The spectrum of turbulence", 1938) and change on the way.

use bone_archive::archive;
use kurbo::Vec2;

use crate::clip::ClipTime;

/// Wind on the canvas, for the bones of a spring.
///
/// ```
/// use bone_core::spring::Wind;
/// use kurbo::Vec2;
///
/// let wind = Wind { turbulence: 0.5, ..Wind::steady(Vec2::new(600.0, 0.0)) };
/// let force = wind.at(Vec2::new(120.0, 40.0), 2.5, None);
/// assert!((force - wind.force).hypot() <= 0.75 * 600.0);
/// assert_eq!(force, wind.at(Vec2::new(120.0, 40.0), 2.5, None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// The mean force on a bone: the acceleration of a mass of 1, drawing units per second squared.
    pub force: Vec2,
    /// By which share of its strength the force varies along the wind, and as much across it; 0 is steady.
    pub turbulence: f64,
    /// The size of eddies, drawing units.
    pub eddies: f64,
    /// How far eddies travel along the wind in a second, drawing units.
    pub speed: f64,
}

impl Wind {
    /// A wind without eddies.
    pub const fn steady(force: Vec2) -> Self {
        Self { force, turbulence: 0.0, eddies: 200.0, speed: 400.0 }
    }

    /// The force at a place on the canvas, `time` seconds after the start. In a loop of some seconds a whole
    /// number of eddies passes, at least one, so that the wind ends as it begins.
    pub fn at(&self, place: Vec2, time: f64, looped: Option<f64>) -> Vec2 {
        let strength = self.force.hypot();
        if self.turbulence == 0.0 || strength == 0.0 {
            return self.force;
        }
        let along = self.force / strength;
        let (x, y) = (place.dot(along) / self.eddies, along.cross(place) / self.eddies);
        let (travelled, turned, periods) = match looped.filter(|length| self.speed > 0.0 && *length > 0.0) {
            Some(length) => {
                let eddies = (self.speed * length / self.eddies).round().clamp(1.0, MOST_EDDIES);
                let turns = (eddies * CHANGE).round().max(1.0);
                let share = time / length;
                // A speed and a size that are both infinite have no number of eddies.
                (eddies * share, turns * share, [(eddies as i64).max(1), (turns as i64).max(1)])
            }
            None => {
                let travelled = self.speed * time / self.eddies;
                (travelled, travelled * CHANGE, [i64::MAX; 2])
            }
        };
        let eddy = noise([x - travelled, y, turned], periods);
        self.force + (along * eddy.x + Vec2::new(-along.y, along.x) * eddy.y) * (self.turbulence * strength)
    }

    /// Whether all is in range.
    pub(super) fn is_usable(&self) -> bool {
        let least = |value: f64, least: f64| value.is_finite() && value >= least && value <= 1e9;
        self.force.is_finite()
            && self.force.hypot() <= 1e9
            && least(self.turbulence, 0.0)
            && least(self.eddies, 1e-3)
            && least(self.speed, 0.0)
    }

    /// The seconds after which the wind of a clip begins again.
    pub(super) fn period(time: ClipTime) -> Option<f64> {
        time.looped.then_some(time.length)
    }
}

/// How much of an eddy is another one when it has travelled its own size.
const CHANGE: f64 = 0.5;

/// Of a loop.
const MOST_EDDIES: f64 = 1e9;

/// Two values in -1 to 1 that are smooth functions of three numbers, with periods in the first and the third.
fn noise(at: [f64; 3], [period, third_period]: [i64; 2]) -> Vec2 {
    let floor = at.map(f64::floor);
    // The conversion from float to integer saturates.
    let cell = floor.map(|value| value as i64);
    let shares = [0, 1, 2].map(|k| smooth((at[k] - floor[k]).clamp(0.0, 1.0)));
    let mut sum = Vec2::ZERO;
    for corner in 0..8_u8 {
        let steps = [corner & 1, corner >> 1 & 1, corner >> 2];
        let point = |k: usize| cell[k].wrapping_add(i64::from(steps[k]));
        let weight = |k: usize| if steps[k] == 1 { shares[k] } else { 1.0 - shares[k] };
        let lattice = [point(0).rem_euclid(period), point(1), point(2).rem_euclid(third_period)];
        sum += value(lattice) * (weight(0) * weight(1) * weight(2));
    }
    sum
}

/// A share whose first and second derivatives are 0 at both ends (Perlin, "Improving noise", 2002).
fn smooth(u: f64) -> f64 {
    u * u * u * (10.0 + u * (6.0 * u - 15.0))
}

/// The two values of a point of the lattice, in -1 to 1.
fn value(lattice: [i64; 3]) -> Vec2 {
    let hash = lattice.iter().fold(0_u64, |hash, part| mixed(hash ^ part.cast_unsigned()));
    let part = |bits: u64| (bits & 0xffff_ffff) as f64 * (2.0 / 4_294_967_295.0) - 1.0;
    Vec2::new(part(hash), part(hash >> 32))
}

/// A step of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
fn mixed(value: u64) -> u64 {
    let z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

archive!(struct Wind { force, turbulence, eddies, speed });
