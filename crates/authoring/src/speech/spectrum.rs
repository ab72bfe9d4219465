//! Spectra of speech: bands as wide as those of the ear, a hundred times a second.

use bone_core::{Angle, exp, ln};
use kurbo::Vec2;

/// Samples a second.
pub const SPEECH_RATE: u32 = 16_000;
/// Samples from one spectrum to the next: 10 ms.
pub(super) const STEP: usize = 160;
/// Samples of a spectrum: 25 ms.
const WINDOW: usize = 400;
/// Points of its transform, a power of two.
const POINTS: usize = 512;
const BINS: usize = POINTS / 2 + 1;
const BANDS: usize = 26;
/// The edges of all bands, in Hz.
const RANGE: (f64, f64) = (80.0, 7000.0);
/// What is left of a sample in the next one: highs, in which speech has little power, count as much as lows.
const BEFORE: f64 = 0.97;

/// The power of each frequency.
pub(super) type Spectrum = [f64; BINS];
/// The power of each band.
pub(super) type BandPowers = [f64; BANDS];

/// The spectra of a sound, one for each step; samples outside of it are silence.
pub(super) fn spectra(sound: &[f64]) -> Vec<Spectrum> {
    #[allow(clippy::cast_precision_loss, reason = "a transform is short")]
    let turn = |part: usize, of: usize| Angle::from_degrees(360.0 * part as f64 / of as f64).direction();
    let turns: Vec<Vec2> = (0..POINTS / 2).map(|at| turn(at, POINTS)).collect();
    let hamming: Vec<f64> = (0..WINDOW).map(|at| 0.54 - 0.46 * turn(at, WINDOW - 1).x).collect();
    let sample = |at: Option<usize>| at.and_then(|at| sound.get(at)).copied().unwrap_or(0.0);
    let spectrum = |step: usize| {
        let (mut re, mut im) = ([0.0; POINTS], [0.0; POINTS]);
        for (at, weight) in hamming.iter().enumerate() {
            let place = (step * STEP + STEP / 2 + at).checked_sub(WINDOW / 2);
            let last = place.and_then(|place| place.checked_sub(1));
            re[at] = weight * (sample(place) - BEFORE * sample(last));
        }
        transform(&mut re, &mut im, &turns);
        std::array::from_fn(|bin| re[bin] * re[bin] + im[bin] * im[bin])
    };
    (0..sound.len() / STEP).map(spectrum).collect()
}

/// The discrete Fourier transform in place (Cooley and Tukey 1965). `turns` are the directions of each part of a turn.
fn transform(re: &mut [f64; POINTS], im: &mut [f64; POINTS], turns: &[Vec2]) {
    for at in 0..POINTS {
        let other = at.reverse_bits() >> (usize::BITS - POINTS.trailing_zeros());
        if at < other {
            re.swap(at, other);
            im.swap(at, other);
        }
    }
    let mut half = 1;
    while half < POINTS {
        for start in (0..POINTS).step_by(2 * half) {
            for at in start..start + half {
                let Vec2 { x: cos, y: sin } = turns[(at - start) * (POINTS / 2 / half)];
                let (x, y) = (re[at + half], im[at + half]);
                let (x, y) = (x * cos + y * sin, y * cos - x * sin);
                (re[at + half], im[at + half]) = (re[at] - x, im[at] - y);
                (re[at], im[at]) = (re[at] + x, im[at] + y);
            }
        }
        half *= 2;
    }
}

/// The weights of frequencies in bands.
pub(super) struct Ear(Vec<(usize, Vec<f64>)>);

impl Ear {
    /// Triangles on the scale of mels (Davis and Mermelstein 1980). A voice whose formants are lower by `scale` is heard as if they were
    /// as high: a longer throat lowers all of them by one factor.
    pub(super) fn new(scale: f64) -> Self {
        let mels = |hertz: f64| 1127.0 * ln(1.0 + hertz / 700.0);
        let (low, high) = (mels(RANGE.0), mels(RANGE.1));
        #[allow(clippy::cast_precision_loss, reason = "there are few bands and bins")]
        let edge = |at: usize| {
            let mel = low + (high - low) * at as f64 / (BANDS + 1) as f64;
            700.0 * (exp(mel / 1127.0) - 1.0)
        };
        #[allow(clippy::cast_precision_loss, reason = "there are few bands and bins")]
        let hertz = |bin: usize| scale * bin as f64 * f64::from(SPEECH_RATE) / POINTS as f64;
        let band = |at: usize| {
            let (left, top, right) = (edge(at), edge(at + 1), edge(at + 2));
            let weight = |bin: usize| {
                ((hertz(bin) - left) / (top - left)).min((right - hertz(bin)) / (right - top)).max(0.0)
            };
            let first = (0..BINS).find(|bin| hertz(*bin) > left).unwrap_or(BINS);
            (first, (first..BINS).map(weight).take_while(|weight| *weight > 0.0).collect())
        };
        Self((0..BANDS).map(band).collect())
    }

    pub(super) fn hear(&self, spectrum: &Spectrum) -> BandPowers {
        let of_band = |(first, weights): &(usize, Vec<f64>)| {
            weights.iter().zip(&spectrum[*first..]).map(|(weight, power)| weight * power).sum()
        };
        std::array::from_fn(|band| of_band(&self.0[band]))
    }
}

/// Takes out a noise that does not change: in each band what its quietest moments have, and some more (Boll 1979).
pub(super) fn without_noise(heard: &mut [BandPowers]) {
    for band in 0..BANDS {
        let mut powers: Vec<f64> = heard.iter().map(|bands| bands[band]).collect();
        powers.sort_by(f64::total_cmp);
        let noise = 3.0 * powers.get(powers.len() * 8 / 100).copied().unwrap_or(0.0);
        heard.iter_mut().for_each(|bands| bands[band] = (bands[band] - noise).max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_power_of_a_tone_is_in_its_bin() {
        // Bin 32 of 512 at 16 kHz is 1 kHz. Parseval: by definition, sum by sum.
        let tone: Vec<f64> =
            (0..1600).map(|at| 100.0 * Angle::from_degrees(22.5 * f64::from(at)).sin_cos().0).collect();
        let spectra = spectra(&tone);
        assert_eq!(spectra.len(), 10);
        let spectrum = &spectra[4];
        let top = (0..BINS).max_by(|a, b| spectrum[*a].total_cmp(&spectrum[*b])).unwrap();
        assert_eq!(top, 32);
        for bin in [0, 5, 31, 32, 33, 100, 256] {
            let (mut x, mut y) = (0.0, 0.0);
            for at in 0..WINDOW {
                let place = 4 * STEP + STEP / 2 + at - WINDOW / 2;
                let window =
                    0.54 - 0.46 * Angle::from_degrees(360.0 * at as f64 / (WINDOW - 1) as f64).sin_cos().1;
                let value = window * (tone[place] - BEFORE * tone[place - 1]);
                let (sin, cos) = Angle::from_degrees(-360.0 * (bin * at) as f64 / POINTS as f64).sin_cos();
                (x, y) = (x + value * cos, y + value * sin);
            }
            let want = x * x + y * y;
            assert!((spectrum[bin] - want).abs() < 1e-6 * (1.0 + want), "{bin}: {} {want}", spectrum[bin]);
        }
    }

    #[test]
    fn bands_cover_what_is_heard() {
        let ear = Ear::new(1.0);
        for bin in 10_usize..200 {
            let all: f64 =
                ear.0.iter().filter_map(|(first, weights)| weights.get(bin.checked_sub(*first)?)).sum();
            assert!((all - 1.0).abs() < 1e-9, "{bin}: {all}");
        }
    }
}
