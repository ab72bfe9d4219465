//! A curve through uncertain values: penalised least squares with the second difference as penalty (Whittaker
//! 1923, with weights as in Eilers 2003), which has no delay and fills gaps. The penalty for a change of
//! speed is limited to the level of the noise, so the sharp corner of a foot that lands is kept.

use crate::statistics::median;
use bone_core::Angle;

/// The stiffness that keeps half of the amplitude at a frequency, in cycles a second.
pub(super) fn stiffness(swings_a_second: f64, rate: f64) -> f64 {
    // The gain of the smoother at w radians a frame is 1 / (1 + stiffness (2 sin(w/2))^4).
    let angle = Angle::from_degrees(180.0 * (swings_a_second / rate).min(0.5));
    let edge = 2.0 * angle.sin_cos().0;
    1.0 / edge.powi(4).max(1e-12)
}

/// The curve through weighted values; the weight 0 marks a gap. At least two values need a weight.
pub(super) fn smooth(values: &[f64], weights: &[f64], stiffness: f64) -> Vec<f64> {
    let bends = vec![stiffness; values.len().saturating_sub(2)];
    solve(values, weights, &bends)
}

/// The same for both coordinates together, with corners kept.
pub(super) fn smooth_with_corners(x: &[f64], y: &[f64], weights: &[f64], stiffness: f64) -> [Vec<f64>; 2] {
    let count = x.len();
    let mut bends = vec![stiffness; count.saturating_sub(2)];
    let mut found = [solve(x, weights, &bends), solve(y, weights, &bends)];
    // The number of times that the penalties are reweighted.
    for _ in 0..4 {
        let second = |values: &[f64], at: usize| values[at] - 2.0 * values[at + 1] + values[at + 2];
        let changes: Vec<f64> = (0..bends.len())
            .map(|at| kurbo::Vec2::new(second(&found[0], at), second(&found[1], at)).hypot())
            .collect();
        // A change of speed beyond this multiple of the median is an event, not noise.
        let usual = 3.0 * median(changes.iter().copied());
        if usual <= 0.0 {
            break;
        }
        for (bend, change) in bends.iter_mut().zip(&changes) {
            *bend = stiffness * (usual / change.max(usual));
        }
        found = [solve(x, weights, &bends), solve(y, weights, &bends)];
    }
    found
}

/// Minimises sum w (v - z)^2 + sum b (z'' )^2: a symmetric system with five diagonals, factored as L D L^T.
fn solve(values: &[f64], weights: &[f64], bends: &[f64]) -> Vec<f64> {
    let count = values.len();
    if count < 3 {
        return values.to_vec();
    }
    // The diagonal and the two above it.
    let mut diagonal = weights.to_vec();
    let (mut first, mut second) = (vec![0.0; count], vec![0.0; count]);
    for (at, &bend) in bends.iter().enumerate() {
        diagonal[at] += bend;
        diagonal[at + 1] += 4.0 * bend;
        diagonal[at + 2] += bend;
        first[at] -= 2.0 * bend;
        first[at + 1] -= 2.0 * bend;
        second[at] += bend;
    }
    let mut found: Vec<f64> = values.iter().zip(weights).map(|(value, weight)| value * weight).collect();
    // `first` and `second` become the columns of L, scaled; `diagonal` becomes D.
    for at in 0..count {
        let pivot = diagonal[at].max(1e-300);
        diagonal[at] = pivot;
        let (one, two) = (first[at] / pivot, second[at] / pivot);
        if at + 1 < count {
            diagonal[at + 1] -= one * first[at];
            first[at + 1] -= one * second[at];
            found[at + 1] -= one * found[at];
        }
        if at + 2 < count {
            diagonal[at + 2] -= two * second[at];
            found[at + 2] -= two * found[at];
        }
        (first[at], second[at]) = (one, two);
    }
    for at in (0..count).rev() {
        let mut value = found[at] / diagonal[at];
        if at + 1 < count {
            value -= first[at] * found[at + 1];
        }
        if at + 2 < count {
            value -= second[at] * found[at + 2];
        }
        found[at] = value;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise from a fixed seed: uniform in -1..1.
    fn noise(count: usize) -> Vec<f64> {
        let mut state = 7_u64;
        let mut one = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        (0..count).map(|_| one()).collect()
    }

    fn rms(a: &[f64], b: impl Fn(usize) -> f64) -> f64 {
        (a.iter().enumerate().map(|(at, a)| (a - b(at)).powi(2)).sum::<f64>() / a.len() as f64).sqrt()
    }

    /// The sum is minimal: no small change of a value decreases it.
    #[test]
    fn the_sum_is_least() {
        let values = noise(12);
        let mut weights: Vec<f64> = noise(12).iter().map(|w| w.abs()).collect();
        weights[4] = 0.0;
        weights[5] = 0.0;
        let sum = |z: &[f64]| {
            let fit: f64 = z.iter().zip(&values).zip(&weights).map(|((z, v), w)| w * (v - z).powi(2)).sum();
            fit + z.windows(3).map(|z| 0.7 * (z[0] - 2.0 * z[1] + z[2]).powi(2)).sum::<f64>()
        };
        let found = smooth(&values, &weights, 0.7);
        let least = sum(&found);
        for at in 0..12 {
            for step in [-1e-4, 1e-4] {
                let mut other = found.clone();
                other[at] += step;
                assert!(sum(&other) > least, "{at} {step}");
            }
        }
    }

    #[test]
    fn gaps_are_filled_by_the_curve_around() {
        let line = |at: usize| 3.0 + 2.0 * at as f64;
        let values: Vec<f64> =
            (0..20).map(|at| if (7..12).contains(&at) { 999.0 } else { line(at) }).collect();
        let weights: Vec<f64> = (0..20).map(|at| f64::from(u8::from(!(7..12).contains(&at)))).collect();
        assert!(rms(&smooth(&values, &weights, 5.0), line) < 1e-9);
    }

    /// The gain at the cutoff frequency is one half.
    #[test]
    fn half_of_the_amplitude_passes_at_the_cutoff() {
        for (swing, rate) in [(6.0, 30.0), (3.0, 30.0), (6.0, 120.0)] {
            let wave = |at: usize| Angle::from_degrees(360.0 * swing / rate * at as f64).sin_cos().0;
            let values: Vec<f64> = (0..2000).map(wave).collect();
            let found = smooth(&values, &vec![1.0; 2000], stiffness(swing, rate));
            let gain = found[500..1500].iter().map(|v| v.abs()).fold(0.0, f64::max)
                / values[500..1500].iter().map(|v| v.abs()).fold(0.0, f64::max);
            assert!((gain - 0.5).abs() < 0.01, "{swing} at {rate}: {gain}");
        }
    }

    #[test]
    fn a_landing_keeps_its_corner() {
        let count = 121;
        let truth = |at: usize| 4.0 * (at as f64 - 60.0).abs();
        let values: Vec<f64> = noise(count).iter().enumerate().map(|(at, n)| truth(at) + n).collect();
        let (weights, zero) = (vec![1.0; count], vec![0.0; count]);
        let stiff = stiffness(3.0, 30.0);
        let plain = smooth(&values, &weights, stiff);
        let [kept, _] = smooth_with_corners(&values, &zero, &weights, stiff);
        let noisy = rms(&values, truth);
        assert!((kept[60] - truth(60)).abs() < 0.5 * (plain[60] - truth(60)).abs());
        assert!(rms(&kept, truth) < 0.75 * noisy, "{} of {noisy}", rms(&kept, truth));
        assert!(rms(&kept, truth) < rms(&plain, truth));
    }
}
