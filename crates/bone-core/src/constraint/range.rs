//! Clamping to limits, at once or softly.

use crate::angle::exp;

/// `clamp` for any numbers: if the limits are reversed, the least is taken.
#[inline(always)]
pub(super) fn within(x: f64, least: f64, most: f64) -> f64 {
    let x = if x < most { x } else { most };
    if x > least { x } else { least }
}

/// Soft inverse kinematics (Nicholas, "Soft IK", 2009): beyond `most - zone` the distance approaches `most`
/// exponentially, with a continuous speed.
pub(super) fn softened(distance: f64, most: f64, softness: f64) -> f64 {
    let zone = softness * most;
    let hard = most - zone;
    if zone > 0.0 && distance > hard {
        hard + zone * (1.0 - exp((hard - distance) / zone))
    } else {
        distance.min(most)
    }
}
