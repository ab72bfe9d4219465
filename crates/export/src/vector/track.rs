//! Few keys for many samples. A track has numbers at keys, and one easing between two of them for all
//! numbers; its error is measured at every sample, in pixels.

use super::ease::{self, EaseRange, KeyEase};

/// How many times the tolerance keys on samples may miss before their values are moved.
const LOOSE: [f64; 5] = [2.6, 2.1, 1.7, 1.4, 1.2];
/// How often values and easings are improved in turn.
const ROUNDS: usize = 12;

/// Keys at some of the samples.
#[derive(Clone, Debug)]
pub(crate) struct KeyTrack {
    /// Ascending by sample; at least one.
    pub(crate) keys: Vec<TrackKey>,
}

/// A key.
#[derive(Clone, Debug)]
pub(crate) struct TrackKey {
    /// Its sample.
    pub(crate) at: usize,
    pub(crate) value: Vec<f64>,
    /// From here to the next key.
    pub(crate) ease: KeyEase,
}

/// What is fitted, and how well.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit<'a> {
    /// The numbers of each sample: all of one length.
    pub(crate) samples: &'a [Vec<f64>],
    /// How many numbers make one point, whose distance is the error: 1 or 2.
    pub(crate) group: usize,
    /// Pixels for a unit, at each sample.
    pub(crate) weights: &'a [f64],
    /// The largest error in pixels.
    pub(crate) tolerance: f64,
    /// Keys are rounded to so many parts of a unit.
    pub(crate) parts: f64,
    /// Whether the handles of easings stay in 0..1.
    pub(crate) monotone: bool,
    /// Samples at which another clip begins.
    pub(crate) breaks: &'a [usize],
}

impl KeyTrack {
    /// A value that does not change.
    pub(crate) fn still(value: Vec<f64>) -> Self {
        Self { keys: vec![TrackKey { at: 0, value, ease: KeyEase::Hold }] }
    }

    /// Whether it has one value.
    pub(crate) fn is_still(&self) -> bool {
        self.keys.len() == 1
    }

    /// The numbers at a sample.
    pub(crate) fn at(&self, sample: usize) -> Vec<f64> {
        let (key, e) = self.share(sample);
        let from = &self.keys[key].value;
        if e == 0.0 {
            return from.clone();
        }
        from.iter().zip(&self.keys[key + 1].value).map(|(a, b)| a + e * (b - a)).collect()
    }

    /// The key at or before a sample, and the share of the way to the next key. It is 0 before the first key and
    /// behind the last one.
    fn share(&self, sample: usize) -> (usize, f64) {
        let after = self.keys.partition_point(|key| key.at <= sample);
        let Some(key) = after.checked_sub(1) else { return (0, 0.0) };
        let (from, Some(to)) = (&self.keys[key], self.keys.get(after)) else { return (key, 0.0) };
        (key, from.ease.at((sample - from.at) as f64 / (to.at - from.at) as f64))
    }
}

impl Fit<'_> {
    fn rounded(&self, sample: usize) -> Vec<f64> {
        self.samples[sample].iter().map(|n| (n * self.parts).round() / self.parts + 0.0).collect()
    }

    /// The largest error of a value at a sample.
    fn error(&self, value: &[f64], sample: usize) -> f64 {
        let pairs = value.chunks(self.group).zip(self.samples[sample].chunks(self.group));
        let squares = pairs.map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>());
        squares.fold(0.0, f64::max).sqrt() * self.weights[sample]
    }

    /// The keys. At a sample with a key the error is that of rounding.
    pub(crate) fn run(&self) -> KeyTrack {
        let last = self.samples.len() - 1;
        let mut keys: Vec<TrackKey> = Vec::new();
        let mut start = 0;
        while start <= last {
            let jump = (start + 1..=last).find(|at| self.breaks.contains(at) || self.jumps(*at));
            let end = jump.map_or(last, |at| at - 1);
            let first = keys.len();
            self.smooth(start, end, &mut keys);
            // What stays until the end, or until it jumps, needs no second key.
            while keys.len() > first + 1 && keys[keys.len() - 2].value == keys[keys.len() - 1].value {
                keys.pop();
            }
            if let Some(last) = keys.last_mut() {
                last.ease = KeyEase::Hold;
            }
            start = end + 1;
        }
        // Nor does what stays from the start on.
        while let [a, b, ..] = &keys[..]
            && a.value == b.value
        {
            keys.remove(0);
        }
        KeyTrack { keys }
    }

    /// The keys, whose values need not be those of samples: an outline on its way between two keys is as far on
    /// one side of the samples as it is on the other side at the keys, so there are fewer. The first and the
    /// last value stay, because they meet in a loop.
    pub(crate) fn run_freely(&self) -> KeyTrack {
        let plain = self.run();
        for share in LOOSE {
            let mut track = Fit { tolerance: share * self.tolerance, ..*self }.run();
            if track.keys.len() < plain.keys.len() && self.settle(&mut track) {
                return track;
            }
        }
        plain
    }

    /// Moves values and easings of keys until all samples are within the tolerance; false if they are not at the
    /// end. Values are least squares over the samples, in which those that are far away count more in each round.
    fn settle(&self, track: &mut KeyTrack) -> bool {
        let mut counts: Vec<f64> = self.weights.iter().map(|weight| weight * weight).collect();
        for _ in 0..ROUNDS {
            let errors: Vec<f64> = (0..self.samples.len()).map(|at| self.error(&track.at(at), at)).collect();
            let worst = errors.iter().copied().fold(0.0, f64::max);
            if worst <= self.tolerance {
                return true;
            }
            counts.iter_mut().zip(&errors).for_each(|(count, error)| *count *= 0.2 + error / worst);
            self.move_values(track, &counts);
            for at in 0..track.keys.len() - 1 {
                let ease = self.nearest_ease(&track.keys[at], &track.keys[at + 1]);
                track.keys[at].ease = ease;
            }
        }
        false
    }

    /// The values of keys with the least squares for their easings: each sample is between two keys, so the
    /// equations of a column are tridiagonal.
    fn move_values(&self, track: &mut KeyTrack, counts: &[f64]) {
        let keys = track.keys.len();
        let (mut middle, mut beside) = (vec![0.0; keys], vec![0.0; keys]);
        let shares: Vec<(usize, f64)> = (0..self.samples.len()).map(|sample| track.share(sample)).collect();
        for ((key, e), count) in shares.iter().zip(counts) {
            middle[*key] += count * (1.0 - e) * (1.0 - e);
            if *e != 0.0 {
                middle[key + 1] += count * e * e;
                beside[*key] += count * e * (1.0 - e);
            }
        }
        // The ends stay where they are.
        let fixed = 1e9 * middle.iter().copied().fold(1e-12, f64::max);
        for end in [0, keys - 1] {
            middle[end] += fixed;
        }
        for at in 1..keys {
            let factor = beside[at - 1] / middle[at - 1];
            middle[at] -= factor * beside[at - 1];
        }
        let mut right = vec![0.0; keys];
        for column in 0..track.keys[0].value.len() {
            right.fill(0.0);
            for (((key, e), count), sample) in shares.iter().zip(counts).zip(self.samples) {
                right[*key] += count * (1.0 - e) * sample[column];
                if *e != 0.0 {
                    right[key + 1] += count * e * sample[column];
                }
            }
            for end in [0, keys - 1] {
                right[end] += fixed * track.keys[end].value[column];
            }
            for at in 1..keys {
                right[at] -= beside[at - 1] / middle[at - 1] * right[at - 1];
            }
            let mut next = 0.0;
            for at in (0..keys).rev() {
                next = (right[at] - beside[at] * next) / middle[at];
                track.keys[at].value[column] = (next * self.parts).round() / self.parts + 0.0;
            }
        }
    }

    /// An easing within the tolerance, or else the nearest one with the same handles of time.
    fn nearest_ease(&self, from: &TrackKey, to: &TrackKey) -> KeyEase {
        if from.ease == KeyEase::Hold || to.at == from.at + 1 {
            return from.ease;
        }
        let between = from.at + 1..to.at;
        let ranges: Option<Vec<EaseRange>> =
            between.clone().map(|sample| self.range(&from.value, &to.value, sample)).collect();
        if let Some(ease) = ranges.and_then(|ranges| ease::fit(&ranges, self.monotone)) {
            return ease;
        }
        let share = |sample: usize| {
            let (mut dd, mut rd) = (0.0, 0.0);
            for ((a, b), p) in from.value.iter().zip(&to.value).zip(&self.samples[sample]) {
                dd += (b - a) * (b - a);
                rd += (p - a) * (b - a);
            }
            if dd > 1e-12 { rd / dd } else { (sample - from.at) as f64 / (to.at - from.at) as f64 }
        };
        ease::nearest(&between.map(share).collect::<Vec<_>>(), from.ease, self.monotone)
    }

    /// Whether the value jumps at a sample: a drawing that is held stands still for the half frame before
    /// it.
    fn jumps(&self, at: usize) -> bool {
        at >= 2
            && at.is_multiple_of(2)
            && self.error(&self.samples[at - 2], at - 1) < 1e-7
            && self.error(&self.samples[at - 1], at) > self.tolerance
    }

    /// Keys from a sample to another one without jumps. The last one holds.
    fn smooth(&self, start: usize, end: usize, keys: &mut Vec<TrackKey>) {
        let mut from = start;
        let mut value = self.rounded(from);
        loop {
            if from == end {
                keys.push(TrackKey { at: from, value, ease: KeyEase::Hold });
                return;
            }
            // The longest interval by doubling and halving.
            let mut best = (from + 1, KeyEase::Linear);
            let mut step = 2;
            while from + step <= end {
                match self.interval(from, &value, from + step) {
                    Some(ease) => best = (from + step, ease),
                    None => break,
                }
                step *= 2;
            }
            let (mut low, mut high) = (best.0, (from + step).min(end + 1));
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                match self.interval(from, &value, middle) {
                    Some(ease) => {
                        best = (middle, ease);
                        low = middle;
                    }
                    None => high = middle,
                }
            }
            let next = self.rounded(best.0);
            keys.push(TrackKey { at: from, value, ease: best.1 });
            (from, value) = (best.0, next);
        }
    }

    /// An easing that goes from a key to another sample within the tolerance.
    fn interval(&self, from: usize, value: &[f64], to: usize) -> Option<KeyEase> {
        let end = self.rounded(to);
        let mut ranges: Vec<EaseRange> = Vec::with_capacity(to - from);
        for sample in from + 1..to {
            ranges.push(self.range(value, &end, sample)?);
        }
        ease::fit(&ranges, self.monotone)
    }

    /// Which shares of the way keep every point of a sample within the tolerance.
    fn range(&self, from: &[f64], to: &[f64], sample: usize) -> Option<EaseRange> {
        let most = self.tolerance / self.weights[sample].max(1e-12);
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let here = self.samples[sample].chunks(self.group);
        for ((a, b), p) in from.chunks(self.group).zip(to.chunks(self.group)).zip(here) {
            // |r - e d| <= most, with r = p - a and d = b - a.
            let (mut dd, mut rd, mut rr) = (0.0, 0.0, 0.0);
            for ((a, b), p) in a.iter().zip(b).zip(p) {
                let (d, r) = (b - a, p - a);
                dd += d * d;
                rd += r * d;
                rr += r * r;
            }
            if dd < 1e-18 {
                if rr > most * most {
                    return None;
                }
                continue;
            }
            let root = rd * rd - dd * (rr - most * most);
            if root < 0.0 {
                return None;
            }
            let root = root.sqrt();
            low = low.max((rd - root) / dd);
            high = high.min((rd + root) / dd);
            if low > high {
                return None;
            }
        }
        Some((low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(samples: &[Vec<f64>], tolerance: f64) -> KeyTrack {
        let weights = vec![1.0; samples.len()];
        let fit =
            Fit { samples, group: 1, weights: &weights, tolerance, parts: 1e3, monotone: false, breaks: &[] };
        let track = fit.run();
        for (at, sample) in samples.iter().enumerate() {
            let miss = (track.at(at)[0] - sample[0]).abs();
            assert!(miss <= tolerance + 1e-3, "{miss} at {at}");
        }
        track
    }

    #[test]
    fn a_line_has_two_keys_and_a_still_value_one() {
        let line: Vec<Vec<f64>> = (0..=48).map(|k| vec![f64::from(k)]).collect();
        assert_eq!(fitted(&line, 0.1).keys.len(), 2);
        assert_eq!(fitted(&vec![vec![3.0]; 49], 0.1).keys.len(), 1);
    }

    #[test]
    fn a_wave_has_few_keys_within_the_tolerance() {
        let wave: Vec<Vec<f64>> = (0..=96)
            .map(|k| vec![20.0 * bone_core::Angle::from_degrees(f64::from(k) * 7.5).sin_cos().0])
            .collect();
        let track = fitted(&wave, 0.25);
        assert!(track.keys.len() <= 9, "{}", track.keys.len());
    }

    /// Points on circles of several sizes do not move along lines: each outline between two keys is too small.
    #[test]
    fn values_that_are_free_need_fewer_keys_within_the_same_tolerance() {
        let samples: Vec<Vec<f64>> = (0..=96)
            .map(|k| {
                let at = |radius: f64, speed: f64| {
                    let (sin, cos) = bone_core::Angle::from_degrees(speed * 3.75 * f64::from(k)).sin_cos();
                    [radius * cos, radius * sin]
                };
                [at(10.0, 1.0), at(15.0, 2.0), at(5.0, 3.0)].concat()
            })
            .collect();
        for monotone in [false, true] {
            let weights = vec![1.0; samples.len()];
            let fit = Fit {
                samples: &samples,
                group: 2,
                weights: &weights,
                tolerance: 0.25,
                parts: 100.0,
                monotone,
                breaks: &[],
            };
            let (plain, free) = (fit.run(), fit.run_freely());
            for (at, sample) in samples.iter().enumerate() {
                for (a, b) in free.at(at).chunks(2).zip(sample.chunks(2)) {
                    let miss = kurbo::Vec2::new(a[0] - b[0], a[1] - b[1]).hypot();
                    assert!(miss <= 0.25 + 1e-9, "{miss} at {at}");
                }
            }
            let (plain, free) = (plain.keys.len(), free.keys.len());
            assert!(10 * free <= 8 * plain, "{free} keys, {plain} at samples");
        }
    }

    #[test]
    fn held_drawings_jump() {
        let held: Vec<Vec<f64>> = (0..=32).map(|k| vec![10.0 * f64::from(k / 4)]).collect();
        let track = fitted(&held, 0.1);
        assert!(track.keys.iter().all(|key| key.ease == KeyEase::Hold), "{track:?}");
        assert_eq!(track.keys.len(), 9);
    }
}
