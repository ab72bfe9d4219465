//! Two sounds of the same words laid onto each other by dynamic time warping (Sakoe and Chiba 1978).

use bone_core::{Angle, ln};

use super::spectrum::BandPowers;

/// The coefficients that are compared.
const CEPSTRA: usize = 12;
/// They and their slopes.
const FEATURES: usize = 2 * CEPSTRA;
/// How much a difference of loudness counts beside one of spectra.
const LOUDNESS: f64 = 8.0;
/// What it costs that a moment of speech lasts for another step: silence is what lasts.
const STAY: f64 = 1.0;
/// The power in a band that is heard, as a part of what is loud.
const HEARD: f64 = 1e-3;
/// Decibels below what is loud at which silence begins: at the least, and at the most.
const SILENCE: (f64, f64) = (20.0, 45.0);

/// A sound in steps of 10 ms: what it is like, and how loud it is, from 0 to 1.
pub(super) struct HeardSound {
    features: Vec<[f64; FEATURES]>,
    loudness: Vec<f64>,
}

impl HeardSound {
    /// Two sounds, with one threshold of silence.
    pub(super) fn pair(a: &[BandPowers], b: &[BandPowers]) -> (Self, Self) {
        let levels = [levels(a), levels(b)];
        let quiet = |levels: &Vec<f64>| part(levels, 0.1) + 3.0;
        let silence = levels.iter().map(quiet).fold(f64::MIN, f64::max).clamp(-SILENCE.1, -SILENCE.0);
        let [of_a, of_b] = levels.map(|levels| {
            levels.into_iter().map(|level| ((level - silence) / -silence).clamp(0.0, 1.0)).collect()
        });
        (Self::new(a, of_a), Self::new(b, of_b))
    }

    fn new(heard: &[BandPowers], loudness: Vec<f64>) -> Self {
        let loud = heard.iter().zip(&loudness).filter(|(_, loud)| **loud > 0.7);
        let (sum, count) = loud.fold((0.0, 0.0), |(sum, count), (bands, _)| (sum + mean(bands), count + 1.0));
        let unit = (sum / f64::max(count, 1.0)).max(f64::MIN_POSITIVE);
        let bands = heard.first().map_or(1, |bands| bands.len());
        #[allow(clippy::cast_precision_loss, reason = "there are few bands")]
        let cosine = |at: usize, band: usize| {
            let degrees = 180.0 * (at + 1) as f64 * (band as f64 + 0.5) / bands as f64;
            Angle::from_degrees(degrees).direction().x
        };
        let cosines: Vec<Vec<f64>> =
            (0..CEPSTRA).map(|at| (0..bands).map(|band| cosine(at, band)).collect()).collect();
        let cepstrum = |bands: &BandPowers| -> [f64; CEPSTRA] {
            let logs = bands.map(|power| ln(power / unit + HEARD));
            std::array::from_fn(|at| cosines[at].iter().zip(logs).map(|(cosine, log)| cosine * log).sum())
        };
        let cepstra: Vec<[f64; CEPSTRA]> = heard.iter().map(cepstrum).collect();
        let near = |at: usize, by: isize| &cepstra[at.saturating_add_signed(by).min(cepstra.len() - 1)];
        let slope = |at: usize, of: usize| {
            let over = |by: isize| near(at, by)[of] - near(at, -by)[of];
            (2.0 * over(2) + over(1)) / 10.0
        };
        let all = |at: usize, of: usize| match of.checked_sub(CEPSTRA) {
            None => cepstra[at][of],
            Some(of) => slope(at, of),
        };
        let mut features: Vec<[f64; FEATURES]> =
            (0..cepstra.len()).map(|at| std::array::from_fn(|of| all(at, of))).collect();
        // Voices and microphones differ by what is the same at all times.
        for of in 0..FEATURES {
            let heard =
                || features.iter().zip(&loudness).filter(|(_, loud)| **loud > 0.3).map(|(all, _)| all[of]);
            let count = heard().fold(0.0, |count, _| count + 1.0_f64).max(1.0);
            let mean = heard().sum::<f64>() / count;
            let spread = (heard().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count).sqrt();
            features.iter_mut().for_each(|all| all[of] = (all[of] - mean) / (spread + 1e-9));
        }
        Self { features, loudness }
    }

    pub(super) fn len(&self) -> usize {
        self.features.len()
    }

    /// How different two moments are. Where one of them is silent, spectra say nothing.
    fn distance(&self, at: usize, other: &Self, to: usize) -> f64 {
        let mut sums = [0.0; 4];
        let (a, b) = (self.features[at].as_chunks::<4>().0, other.features[to].as_chunks::<4>().0);
        for (a, b) in a.iter().zip(b) {
            for lane in 0..4 {
                sums[lane] += (a[lane] - b[lane]) * (a[lane] - b[lane]);
            }
        }
        let (a, b) = (self.loudness[at], other.loudness[to]);
        let loudness = LOUDNESS * (a - b);
        (a.min(b) * ((sums[0] + sums[1]) + (sums[2] + sums[3])) + loudness * loudness).sqrt()
    }
}

/// Decibels of each moment, from what is loud: of all that is at most 25 dB below the loudest, what three tenths exceed.
fn levels(heard: &[BandPowers]) -> Vec<f64> {
    let levels: Vec<f64> =
        heard.iter().map(|bands| 10.0 / std::f64::consts::LN_10 * ln(mean(bands) + 1e-3)).collect();
    let top = levels.iter().copied().fold(f64::MIN, f64::max);
    let loud = part(&levels.iter().copied().filter(|level| *level > top - 25.0).collect::<Vec<_>>(), 0.7);
    levels.into_iter().map(|level| level - loud).collect()
}

#[allow(clippy::cast_precision_loss, reason = "there are few bands")]
fn mean(bands: &BandPowers) -> f64 {
    bands.iter().sum::<f64>() / bands.len() as f64
}

/// The value that a part of all are below.
fn part(values: &[f64], part: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index"
    )]
    let at = (values.len() as f64 * part) as usize;
    values.get(at).copied().unwrap_or(0.0)
}

/// Ways into a pair of moments.
const BOTH: u8 = 0;
const HEARD_ALONE: u8 = 1;
const SPOKEN_ALONE: u8 = 2;

/// The way through all pairs of moments with the smallest sum of distances: the first moment that was heard for each
/// that is spoken, and the mean distance. Moments of `pause` may last for any time, or for none. `every` compares some
/// moments alone.
pub(super) fn warp(
    heard: &HeardSound,
    spoken: &HeardSound,
    pause: &[bool],
    every: usize,
) -> (Vec<usize>, f64) {
    let (rows, columns) = (heard.len().div_ceil(every), spoken.len().div_ceil(every));
    let mut ways = vec![0_u8; (rows * columns).div_ceil(4)];
    let mut last = vec![f64::INFINITY; columns];
    for row in 0..rows {
        let mut corner = if row == 0 { 0.0 } else { f64::INFINITY };
        let mut left = f64::INFINITY;
        for column in 0..columns {
            let is_pause = pause[column * every];
            let here = heard.distance(row * every, spoken, column * every);
            let stay = last[column] + here + if is_pause { 0.0 } else { STAY };
            let pass = left + if is_pause { 0.0 } else { here };
            let (mut best, mut way) = (corner + here, BOTH);
            if stay < best {
                (best, way) = (stay, HEARD_ALONE);
            }
            if pass < best {
                (best, way) = (pass, SPOKEN_ALONE);
            }
            corner = std::mem::replace(&mut last[column], best);
            left = best;
            let at = row * columns + column;
            ways[at / 4] |= way << (2 * (at % 4));
        }
    }
    let cost = last.last().copied().unwrap_or(0.0);
    let mut first = vec![0; columns];
    let (mut row, mut column) = (rows.saturating_sub(1), columns.saturating_sub(1));
    while row > 0 || column > 0 {
        first[column] = row * every;
        let at = row * columns + column;
        let way = ways[at / 4] >> (2 * (at % 4)) & 3;
        row -= usize::from(way != SPOKEN_ALONE);
        column -= usize::from(way != HEARD_ALONE);
    }
    if let Some(first) = first.first_mut() {
        *first = 0;
    }
    #[allow(clippy::cast_precision_loss, reason = "a sound is short")]
    (first, cost / (rows + columns).max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sound whose moments have one feature each.
    fn sound(values: &[f64], loudness: f64) -> HeardSound {
        let feature = |value: &f64| std::array::from_fn(|of| if of == 0 { *value } else { 0.0 });
        HeardSound { features: values.iter().map(feature).collect(), loudness: vec![loudness; values.len()] }
    }

    /// The smallest cost of all ways, tried one by one.
    fn tried(a: &HeardSound, b: &HeardSound, pause: &[bool], row: usize, column: usize) -> f64 {
        let here = a.distance(row, b, column);
        let (stay, pass) = if pause[column] { (0.0, 0.0) } else { (STAY, here) };
        let mut best = if row == 0 && column == 0 { here } else { f64::INFINITY };
        if row > 0 && column > 0 {
            best = best.min(tried(a, b, pause, row - 1, column - 1) + here);
        }
        if row > 0 {
            best = best.min(tried(a, b, pause, row - 1, column) + here + stay);
        }
        if column > 0 {
            best = best.min(tried(a, b, pause, row, column - 1) + pass);
        }
        best
    }

    #[test]
    fn no_way_is_shorter() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from((seed >> 40) as u32 % 100) / 10.0
        };
        for round in 0..60 {
            let (a, b): (Vec<f64>, Vec<f64>) = (
                (0..2 + round % 5).map(|_| random()).collect(),
                (0..1 + round % 6).map(|_| random()).collect(),
            );
            let pause: Vec<bool> = b.iter().map(|_| random() < 3.0).collect();
            let (a, b) = (sound(&a, 1.0), sound(&b, 1.0));
            let (first, cost) = warp(&a, &b, &pause, 1);
            let want = tried(&a, &b, &pause, a.len() - 1, b.len() - 1) / (a.len() + b.len()) as f64;
            assert!((cost - want).abs() < 1e-9, "{cost} {want}");
            assert!(first.is_sorted() && first[0] == 0 && first.iter().all(|at| *at < a.len()), "{first:?}");
        }
    }

    #[test]
    fn moments_are_found_where_they_are() {
        let (a, b) = (sound(&[0.0, 0.0, 0.0, 5.0, 5.0, 9.0], 1.0), sound(&[0.0, 5.0, 9.0, 9.0], 1.0));
        assert_eq!(warp(&a, &b, &[false; 4], 1).0, [0, 3, 5, 5]);
        // Silence is as silent as any other.
        let (a, b) = (sound(&[3.0, 8.0], 0.0), sound(&[5.0], 0.0));
        assert_eq!(warp(&a, &b, &[true], 1).1, 0.0);
    }
}
