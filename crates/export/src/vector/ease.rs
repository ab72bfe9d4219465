//! Easing: how far a value is between two keys, as a function of time. Players of SMIL and Lottie have the
//! same curve: a cubic Bezier from (0, 0) to (1, 1) with two handles.

use std::borrow::Cow;
use std::sync::OnceLock;

/// How a value goes from one key to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum KeyEase {
    /// It changes evenly.
    Linear,
    /// It stays, and jumps at the next key.
    Hold,
    /// The handles x1, y1, x2, y2. The x are in 0..1.
    Cubic([f64; 4]),
}

impl KeyEase {
    /// The share of the way at a share of the time.
    pub(crate) fn at(self, u: f64) -> f64 {
        match self {
            Self::Linear => u,
            Self::Hold => 0.0,
            Self::Cubic([x1, y1, x2, y2]) => {
                let t = parameter(x1, x2, u);
                bezier(y1, y2, t)
            }
        }
    }
}

/// One coordinate of the Bezier curve at its parameter.
fn bezier(a: f64, b: f64, t: f64) -> f64 {
    let s = 1.0 - t;
    3.0 * s * s * t * a + 3.0 * s * t * t * b + t * t * t
}

/// The parameter at which the Bezier curve has an x. With handles in 0..1 the x never falls, so bisection
/// finds it; Newton's steps come first.
fn parameter(x1: f64, x2: f64, u: f64) -> f64 {
    if u <= 0.0 || u >= 1.0 || (x1 == THIRD && x2 == 2.0 * THIRD) {
        return u.clamp(0.0, 1.0);
    }
    let (mut low, mut high, mut t) = (0.0, 1.0, u);
    for _ in 0..64 {
        let miss = bezier(x1, x2, t) - u;
        if miss.abs() < 1e-12 {
            break;
        }
        if miss > 0.0 {
            high = t;
        } else {
            low = t;
        }
        let s = 1.0 - t;
        let slope = 3.0 * s * s * x1 + 6.0 * s * t * (x2 - x1) + 3.0 * t * t * (1.0 - x2);
        let newton = t - miss / slope;
        t = if slope > 1e-9 && newton > low && newton < high { newton } else { 0.5 * (low + high) };
    }
    t
}

const THIRD: f64 = 1.0 / 3.0;

/// The handles of time that are tried, the one whose time is even first.
const HANDLES: [(f64, f64); 13] = [
    (THIRD, 2.0 * THIRD),
    (0.4, 0.6),
    (0.2, 0.8),
    (0.5, 0.5),
    (0.2, 0.5),
    (0.5, 0.8),
    (0.1, 0.9),
    (0.6, 0.7),
    (0.3, 0.4),
    (0.7, 0.9),
    (0.1, 0.3),
    (0.1, 0.6),
    (0.4, 0.9),
];

/// Two digits are enough for short ways.
const PARTS: [f64; 2] = [1e2, 1e3];

fn round(n: f64, parts: f64) -> f64 {
    (n * parts).round() / parts
}

/// What the handles of a curve and its end count at samples, which are evenly spaced.
type Bases = Vec<[f64; 3]>;

/// The bases of a pair of handles of time.
#[derive(Clone, Debug)]
struct Tried {
    exact: Bases,
    /// With handles that are rounded to each number of parts; none where that changes nothing.
    rounded: Option<[Bases; 2]>,
}

/// The bases of the pair of handles at a place of [`HANDLES`] for so many samples: they take longer to find than
/// all else of a fit.
fn tried(pair: usize, samples: usize) -> Cow<'static, Tried> {
    /// Ways with more samples are rare.
    const KEPT: usize = 256;
    static TRIED: [[OnceLock<Tried>; HANDLES.len()]; KEPT] =
        [const { [const { OnceLock::new() }; HANDLES.len()] }; KEPT];
    let find = || {
        let (x1, x2) = HANDLES[pair];
        let bases = |x1, x2| (0..samples).map(|at| basis(x1, x2, share(at, samples))).collect();
        let rounded = PARTS.map(|parts| (round(x1, parts), round(x2, parts)));
        let changes = rounded.iter().any(|rounded| *rounded != (x1, x2));
        Tried { exact: bases(x1, x2), rounded: changes.then(|| rounded.map(|(x1, x2)| bases(x1, x2))) }
    };
    match TRIED.get(samples) {
        Some(kept) => Cow::Borrowed(kept[pair].get_or_init(find)),
        None => Cow::Owned(find()),
    }
}

/// The share of the time at one of so many samples between two keys.
fn share(at: usize, samples: usize) -> f64 {
    (at + 1) as f64 / (samples + 1) as f64
}

/// The range that each sample between two keys leaves to the share of the way.
pub(crate) type EaseRange = (f64, f64);

/// An easing that is within the ranges of samples, which are evenly spaced between two keys. `monotone`: the
/// y of the handles are in 0..1, as SMIL demands.
pub(crate) fn fit(ranges: &[EaseRange], monotone: bool) -> Option<KeyEase> {
    let share = |at: usize| share(at, ranges.len());
    if ranges.iter().enumerate().all(|(at, (low, high))| (*low..=*high).contains(&share(at))) {
        return Some(KeyEase::Linear);
    }
    // No range: every sample is free, and linear fitted.
    let middle: Vec<f64> = ranges
        .iter()
        .enumerate()
        .map(|(at, range)| {
            let free = !range.0.is_finite() || !range.1.is_finite();
            if free { share(at) } else { 0.5 * (range.0 + range.1) }
        })
        .collect();
    let pairs = if ranges.len() == 1 { &HANDLES[..1] } else { &HANDLES[..] };
    let mut wanted = middle.clone();
    for (pair, (x1, x2)) in pairs.iter().enumerate() {
        let tried = tried(pair, ranges.len());
        wanted.copy_from_slice(&middle);
        for _ in 0..4 {
            let Some((mut y1, mut y2)) = least_squares(&tried.exact, &wanted) else { break };
            if monotone {
                (y1, y2) = (y1.clamp(0.0, 1.0), y2.clamp(0.0, 1.0));
            }
            for (at, parts) in PARTS.into_iter().enumerate() {
                let bases = tried.rounded.as_ref().map_or(&tried.exact, |rounded| &rounded[at]);
                let [x1, y1, x2, y2] = [*x1, y1, *x2, y2].map(|n| round(n, parts));
                let fits = bases.iter().zip(ranges).all(|([a, b, rest], (low, high))| {
                    let y = a * y1 + b * y2 + rest;
                    *low <= y && y <= *high
                });
                if fits {
                    return Some(KeyEase::Cubic([x1, y1, x2, y2]));
                }
            }
            // Toward a curve inside of all ranges: each sample asks for the point of its range that is
            // nearest to the curve.
            for ((basis, range), wanted) in tried.exact.iter().zip(ranges).zip(&mut wanted) {
                *wanted = (basis[0] * y1 + basis[1] * y2 + basis[2]).clamp(range.0, range.1);
            }
        }
    }
    None
}

/// The easing with the handles of time of another one that is nearest to shares of the way at samples, which are
/// evenly spaced between two keys.
pub(crate) fn nearest(shares: &[f64], like: KeyEase, monotone: bool) -> KeyEase {
    let (x1, x2) = match like {
        KeyEase::Cubic([x1, _, x2, _]) => (x1, x2),
        KeyEase::Linear | KeyEase::Hold => HANDLES[0],
    };
    let bases: Bases = (0..shares.len()).map(|at| basis(x1, x2, share(at, shares.len()))).collect();
    let Some((mut y1, mut y2)) = least_squares(&bases, shares) else { return like };
    if monotone {
        (y1, y2) = (y1.clamp(0.0, 1.0), y2.clamp(0.0, 1.0));
    }
    KeyEase::Cubic([x1, y1, x2, y2].map(|n| round(n, 1e3)))
}

/// What both handles and the end count at a share of the time.
fn basis(x1: f64, x2: f64, u: f64) -> [f64; 3] {
    let t = parameter(x1, x2, u);
    let s = 1.0 - t;
    [3.0 * s * s * t, 3.0 * s * t * t, t * t * t]
}

fn least_squares(bases: &[[f64; 3]], wanted: &[f64]) -> Option<(f64, f64)> {
    let (mut aa, mut ab, mut bb, mut ar, mut br) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for ([a, b, rest], wanted) in bases.iter().zip(wanted) {
        let r = wanted - rest;
        aa += a * a;
        ab += a * b;
        bb += b * b;
        ar += a * r;
        br += b * r;
    }
    if bases.len() == 1 {
        // One sample: both handles at the same height.
        let [a, b, _] = bases[0];
        let y = (ar / a) / (1.0 + b / a);
        return y.is_finite().then_some((y, y));
    }
    let det = aa * bb - ab * ab;
    if det.abs() < 1e-12 {
        return None;
    }
    Some(((ar * bb - br * ab) / det, (aa * br - ab * ar) / det))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_easing_is_the_polynomial_of_its_handles() {
        let ease = KeyEase::Cubic([0.333, 0.0, 0.667, 1.0]);
        for u in [0.1_f64, 0.25, 0.5, 0.9] {
            let smoothstep = u * u * (3.0 - 2.0 * u);
            assert!((ease.at(u) - smoothstep).abs() < 2e-3, "{u}");
        }
    }

    #[test]
    fn css_ease_in_out_is_hit() {
        // The values of cubic-bezier(.42, 0, .58, 1) at quarters, from the CSS specification's curve.
        let ease = KeyEase::Cubic([0.42, 0.0, 0.58, 1.0]);
        assert!((ease.at(0.25) - 0.129_16).abs() < 1e-4);
        assert!((ease.at(0.5) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn samples_of_a_curve_are_fitted() {
        let truth = KeyEase::Cubic([0.2, 0.1, 0.5, 1.3]);
        let ranges: Vec<EaseRange> =
            (1..12).map(|k| truth.at(f64::from(k) / 12.0)).map(|y| (y - 0.01, y + 0.01)).collect();
        let found = fit(&ranges, false).expect("it is a cubic");
        for (k, range) in ranges.iter().enumerate() {
            let y = found.at((k + 1) as f64 / 12.0);
            assert!(range.0 <= y && y <= range.1);
        }
        assert!(
            fit(&ranges, true)
                .is_none_or(|ease| matches!(ease, KeyEase::Cubic([_, a, _, b]) if a <= 1.0 && b <= 1.0))
        );
    }
}
