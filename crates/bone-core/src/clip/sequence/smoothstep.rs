//! The course of fades.

/// The share of a fade, smoothly: the speed is 0 at both ends. Shares outside of [0, 1] count as its ends.
pub fn smoothstep(share: f64) -> f64 {
    let s = share.clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}
