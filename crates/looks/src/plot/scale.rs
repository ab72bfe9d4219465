//! Axes of plots: the range of values, their pixels, and round numbers for labels.

/// The range of an axis, and its pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    /// The pixels of the lowest and the highest value.
    paper: (f64, f64),
}

impl Scale {
    /// An axis for exactly these values.
    pub(super) fn exact(low: f64, high: f64, paper: (f64, f64)) -> Self {
        Self { low, high, paper }
    }

    /// An axis for values, with a margin. Outliers far beyond nearly all other values are ignored: the speed
    /// of a vertical ease is infinite.
    pub(super) fn around(values: impl Iterator<Item = f64>, zero: bool, paper: (f64, f64)) -> Self {
        /// A value is an outlier beyond this many times the range of 49 of 50 values.
        const OUTSIDE: f64 = 3.0;
        let mut sorted: Vec<f64> = values.filter(|value| value.abs() < 1e300).collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(&least), Some(&most)) = (sorted.first(), sorted.last()) else {
            return Self { low: -1.0, high: 1.0, paper };
        };
        let (mut low, mut high) = (least, most);
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
        let (few, many) = (at(0.02), at(0.98));
        let room = OUTSIDE * (many - few);
        if room > 0.0 {
            (low, high) = (low.max(few - room), high.min(many + room));
        }
        if zero {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        let spread = high - low;
        // A constant value is in the middle.
        let margin =
            if spread > 1e-9 * high.abs().max(low.abs()) { 0.08 * spread } else { 0.5 * high.abs().max(1.0) };
        Self { low: low - margin, high: high + margin, paper }
    }

    /// The pixel of a value, clamped to the axis.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        let (from, to) = self.paper;
        if share.is_nan() { from } else { from + (to - from) * share }
    }

    /// About this many round values, with their labels.
    pub(super) fn ticks(&self, about: u32) -> Vec<(f64, String)> {
        let spread = self.high - self.low;
        if !(spread > 0.0 && spread.is_finite()) {
            return Vec::new();
        }
        let least = spread / f64::from(about);
        let mut decade = 1.0;
        let mut digits = 0_usize;
        while decade * 10.0 <= least {
            decade *= 10.0;
        }
        while decade > least && digits < 12 {
            decade /= 10.0;
            digits += 1;
        }
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * decade).find(|step| *step >= least);
        let step = step.unwrap_or(10.0 * decade);
        let digits = if step >= 10.0 * decade { digits.saturating_sub(1) } else { digits };
        let first = (self.low / step).ceil();
        let name = |value: f64| {
            // No minus before a zero.
            let text = format!("{value:.digits$}");
            if text.trim_start_matches('-').chars().all(|c| "0.".contains(c)) {
                text.replace('-', "")
            } else {
                text
            }
        };
        let values =
            (0..=4 * about).map(|i| (first + f64::from(i)) * step).take_while(|value| *value <= self.high);
        values.map(|value| (value, name(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(low: f64, high: f64) -> Vec<String> {
        Scale::exact(low, high, (0.0, 1.0)).ticks(4).into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(names(0.0, 1.0), ["0.0", "0.5", "1.0"]);
        assert_eq!(names(-30.0, 70.0), ["0", "50"]);
        assert_eq!(names(0.0, 0.003), ["0.000", "0.001", "0.002", "0.003"]);
        assert_eq!(names(-9000.0, 9000.0), ["-5000", "0", "5000"]);
        for exponent in -8..12 {
            let high = 10_f64.powi(exponent) * 3.7;
            assert!((2..=6).contains(&names(-high, high).len()), "{:?}", names(-high, high));
        }
        assert!(names(f64::NAN, 1.0).is_empty() && names(1.0, 1.0).is_empty());
    }

    #[test]
    fn outliers_do_not_flatten_other_values() {
        let values = (0..1000).map(|i| if i == 500 { 1e9 } else { f64::from(i % 10) });
        let scale = Scale::around(values, true, (100.0, 0.0));
        assert!(scale.at(9.0) < 90.0 && scale.at(f64::INFINITY) == 0.0);
        assert_eq!(Scale::around(std::iter::repeat_n(3.0, 9), false, (0.0, 10.0)).at(3.0), 5.0);
        assert_eq!(Scale::around(std::iter::empty(), false, (0.0, 10.0)).at(0.0), 5.0);
    }
}
