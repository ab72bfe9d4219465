//! One keyed value over time: keys in columns, slopes worked out once, any time asked in any order.

use super::ease::bezier;
use super::{Ease, Extend, Value};

/// A key: from this time on the value travels to the next key by `ease`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key<T> {
    /// Seconds from the start of the clip.
    pub time: f64,
    /// The value at that time.
    pub value: T,
    /// The way to the next key.
    pub ease: Ease,
}

impl<T> Key<T> {
    /// A key with the default way on, [`Ease::Smooth`].
    pub fn new(time: f64, value: T) -> Self {
        Self { time, value, ease: Ease::default() }
    }

    /// The same key with another way on.
    pub fn ease(mut self, ease: Ease) -> Self {
        self.ease = ease;
        self
    }
}

/// A value over time.
///
/// ```
/// use bone_core::clip::{Curve, Ease, Extend, Key};
///
/// let swing = Curve::new(vec![Key::new(0.0, -10.0), Key::new(0.5, 10.0), Key::new(1.0, -10.0)], Extend::Loop)?;
/// assert_eq!(swing.at(0.5), 10.0);
/// assert_eq!(swing.at(7.25), swing.at(0.25));
/// # Ok::<(), bone_core::clip::CurveError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<T> {
    times: Vec<f64>,
    values: Vec<T>,
    eases: Vec<Ease>,
    /// Speed of the smooth stretches at each key, value per second.
    slopes: Vec<T>,
    extend: Extend,
}

/// Keys that make no curve.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CurveError {
    /// No key at all.
    Empty,
    /// A key that does not come after the one before it.
    Order {
        /// Its place in the list, from 0.
        key: usize,
    },
    /// A time, value or handle that is not a number, or a handle's time outside [0, 1].
    Number {
        /// Its place in the list, from 0.
        key: usize,
    },
}

impl std::fmt::Display for CurveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => write!(f, "a curve without keys"),
            Self::Order { key } => write!(f, "key {key} does not come after the one before it"),
            Self::Number { key } => write!(f, "key {key} holds something that is not a usable number"),
        }
    }
}

impl std::error::Error for CurveError {}

impl<T: Value> Curve<T> {
    /// A curve through keys in order of time.
    ///
    /// # Errors
    /// If there is no key, a time does not rise, or a number is unusable.
    pub fn new(keys: Vec<Key<T>>, extend: Extend) -> Result<Self, CurveError> {
        if keys.is_empty() {
            return Err(CurveError::Empty);
        }
        for (i, key) in keys.iter().enumerate() {
            let handles = match key.ease {
                Ease::Bezier { x1, y1, x2, y2 } => {
                    (0.0..=1.0).contains(&x1) && (0.0..=1.0).contains(&x2) && y1.is_finite() && y2.is_finite()
                }
                _ => true,
            };
            if !(key.time.is_finite() && key.value.is_finite() && handles) {
                return Err(CurveError::Number { key: i });
            }
            if i > 0 && key.time <= keys[i - 1].time {
                return Err(CurveError::Order { key: i });
            }
        }
        let mut curve = Self {
            times: keys.iter().map(|k| k.time).collect(),
            values: keys.iter().map(|k| k.value).collect(),
            eases: keys.iter().map(|k| k.ease).collect(),
            slopes: Vec::new(),
            extend,
        };
        curve.slopes = curve.smooth_slopes(matches!(extend, Extend::Loop | Extend::LoopOffset));
        Ok(curve)
    }

    /// When the first and last key are.
    pub fn span(&self) -> (f64, f64) {
        (self.times[0], self.times[self.times.len() - 1])
    }

    /// The keys as they were given.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = Key<T>> {
        (0..self.times.len()).map(|i| Key { time: self.times[i], value: self.values[i], ease: self.eases[i] })
    }

    /// What happens outside the keys.
    pub fn extend(&self) -> Extend {
        self.extend
    }

    /// Makes a curve that fills a looping clip exactly loop itself, so that its speed has no seam.
    pub(super) fn close_over(&mut self, length: f64) {
        let (first, last) = self.span();
        let closed = self.values[0] == self.values[self.values.len() - 1];
        if self.extend == Extend::Hold && first == 0.0 && last == length && closed {
            self.extend = Extend::Loop;
            self.slopes = self.smooth_slopes(true);
        }
    }

    /// The value at any time.
    pub fn at(&self, time: f64) -> T {
        let (first, last) = self.span();
        let end = self.values.len() - 1;
        let run = last - first;
        if time >= first && time <= last {
            return self.within(time);
        }
        // A single key has no run to repeat; NaN holds the first value.
        if run == 0.0 || time.is_nan() {
            return if time > last { self.values[end] } else { self.values[0] };
        }
        match self.extend {
            Extend::Hold => self.values[if time < first { 0 } else { end }],
            Extend::Linear => {
                let key = if time < first { 0 } else { end };
                self.values[key] + self.speed_at_end(key) * (time - self.times[key])
            }
            Extend::Loop => self.within(first + (time - first).rem_euclid(run)),
            Extend::LoopOffset => {
                let rounds = ((time - first) / run).floor();
                let gain = self.values[end] - self.values[0];
                self.within(first + (time - first).rem_euclid(run)) + gain * rounds
            }
            Extend::PingPong => {
                let phase = (time - first).rem_euclid(2.0 * run);
                self.within(first + if phase > run { 2.0 * run - phase } else { phase })
            }
        }
    }

    /// The value at a time between the first and the last key.
    fn within(&self, time: f64) -> T {
        let next = self.times.partition_point(|&t| t <= time);
        let Some(i) = next.checked_sub(1) else { return self.values[0] };
        if next == self.times.len() {
            return self.values[i];
        }
        let run = self.times[next] - self.times[i];
        let share = (time - self.times[i]) / run;
        let (from, to) = (self.values[i], self.values[next]);
        match self.eases[i] {
            Ease::Hold => from,
            Ease::Linear => from + (to - from) * share,
            Ease::Smooth => hermite(from, self.slopes[i] * run, to, self.slopes[next] * run, share),
            Ease::Bezier { x1, y1, x2, y2 } => from + (to - from) * bezier(x1, y1, x2, y2, share),
        }
    }

    /// Speed with which a straight extension leaves the first or the last key.
    fn speed_at_end(&self, key: usize) -> T {
        let stretch = key.saturating_sub(1);
        match self.eases[stretch] {
            Ease::Hold => T::ZERO,
            Ease::Smooth => self.slopes[key],
            Ease::Linear | Ease::Bezier { .. } => self.secant(stretch),
        }
    }

    /// Mean speed from key `i` to the next; none over a hold, which jumps.
    fn secant(&self, i: usize) -> T {
        if self.eases[i] == Ease::Hold {
            return T::ZERO;
        }
        (self.values[i + 1] - self.values[i]) * (1.0 / (self.times[i + 1] - self.times[i]))
    }

    /// Slopes after Steffen (1990, "A simple method for monotonic interpolation in one dimension", eq. 11): monotone
    /// between keys, continuous speed, and each depends on its neighbours alone.
    fn smooth_slopes(&self, repeats: bool) -> Vec<T> {
        let count = self.times.len();
        if count == 1 {
            return vec![T::ZERO];
        }
        let run = |i: usize| self.times[i + 1] - self.times[i];
        let inner = |before: usize, after: usize| {
            let (h0, h1) = (run(before), run(after));
            let (s0, s1) = (self.secant(before), self.secant(after));
            let p = (s0 * h1 + s1 * h0) * (1.0 / (h0 + h1));
            let least = s0.zip(s1, |a, b| if a * b > 0.0 { a.abs().min(b.abs()) * a.signum() } else { 0.0 });
            // (sign + sign) min(|s0|, |s1|, |p|/2): the signs agree or the slope is 0.
            least.zip(p, |m, p| m.signum() * (2.0 * m.abs()).min(p.abs()) * if m == 0.0 { 0.0 } else { 1.0 })
        };
        let mut slopes = vec![T::ZERO; count];
        for (before, slope) in slopes[1..count - 1].iter_mut().enumerate() {
            *slope = inner(before, before + 1);
        }
        let last = count - 1;
        let seamless = self.extend == Extend::LoopOffset || self.values[0] == self.values[last];
        if repeats && seamless {
            slopes[0] = inner(last - 1, 0);
            slopes[last] = slopes[0];
        } else if self.extend == Extend::Linear {
            slopes[0] = self.secant(0);
            slopes[last] = self.secant(last - 1);
        }
        // Else flat ends: the movement starts from rest and comes to rest.
        slopes
    }
}

/// Cubic Hermite interpolation; slopes are per unit of `share`.
fn hermite<T: Value>(from: T, from_slope: T, to: T, to_slope: T, share: f64) -> T {
    let s = share;
    let way = to - from;
    let curve = from_slope * (s * (1.0 - s) * (1.0 - s)) - to_slope * (s * s * (1.0 - s));
    from + way * (s * s * (3.0 - 2.0 * s)) + curve
}
