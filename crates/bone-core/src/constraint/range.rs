//! Numbers kept within limits.

/// `clamp` that takes any numbers: the least wins over a most below it.
#[inline(always)]
pub(super) fn within(x: f64, least: f64, most: f64) -> f64 {
    let x = if x < most { x } else { most };
    if x > least { x } else { least }
}
