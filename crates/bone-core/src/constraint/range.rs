//! Clamping to limits.

/// `clamp` for any numbers: if the limits are reversed, the least is taken.
#[inline(always)]
pub(super) fn within(x: f64, least: f64, most: f64) -> f64 {
    let x = if x < most { x } else { most };
    if x > least { x } else { least }
}
