//! The speeds with which smooth segments of a curve arrive at and leave their keys, computed once for a
//! curve.

use super::{Ease, Extend, Key, Value};

/// The speeds at a key, value per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slopes<T> {
    pub(super) arrive: T,
    pub(super) leave: T,
}

/// A key with the speeds of the smooth segments at it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SlopedKey<T> {
    pub(super) key: Key<T>,
    pub(super) slopes: Slopes<T>,
}

impl<T: Value> SlopedKey<T> {
    /// A key at which smooth segments rest.
    pub(super) fn new(key: Key<T>) -> Self {
        Self { key, slopes: Slopes { arrive: T::ZERO, leave: T::ZERO } }
    }

    /// Mean speed from this key to the next; 0 over a hold, which jumps.
    pub(super) fn secant(&self, next: &Self) -> T {
        if self.key.ease == Ease::Hold {
            return T::ZERO;
        }
        (next.key.value - self.key.value) * (1.0 / (next.key.time - self.key.time))
    }
}

/// The keys of a curve, whose speeds may be unknown.
#[derive(Clone, Copy)]
pub(super) struct SlopedKeys<'k, T> {
    pub(super) keys: &'k [SlopedKey<T>],
    pub(super) extend: Extend,
}

impl<T: Value> SlopedKeys<'_, T> {
    /// The speeds at every key. At its ends a curve has speed 0, unless it is extended linearly or repeats
    /// without a jump.
    pub(super) fn slopes(self) -> Vec<Slopes<T>> {
        let end = self.keys.len() - 1;
        if end == 0 {
            return vec![Slopes { arrive: T::ZERO, leave: T::ZERO }];
        }
        let repeats = matches!(self.extend, Extend::Loop | Extend::LoopOffset);
        let seamless =
            self.extend == Extend::LoopOffset || self.keys[0].key.value == self.keys[end].key.value;
        let at = |key: usize| match key {
            // The last key of a loop is its first one, repeated.
            _ if (key == 0 || key == end) && repeats && seamless => self.between(end - 1, 0, self.ease(0)),
            _ if key > 0 && key < end => self.between(key - 1, key, self.ease(key)),
            _ => {
                let speed = match self.extend {
                    Extend::Linear => self.secant(key.min(end - 1)),
                    _ => T::ZERO,
                };
                Self::given(self.ease(key)).unwrap_or(Slopes { arrive: speed, leave: speed })
            }
        };
        let mut slopes: Vec<Slopes<T>> = (0..=end).map(at).collect();
        // Only a TCB or a Slope segment arrives with the spline's speed; `Smooth` keeps its own speed, or it would
        // overshoot.
        for (before, slopes) in slopes[1..].iter_mut().enumerate() {
            if !self.ease(before).meets_speeds() {
                slopes.arrive = self.smooth_at(before + 1, end, repeats && seamless);
            }
        }
        slopes
    }

    /// The speed of `Smooth` where it arrives at a key.
    fn smooth_at(self, key: usize, end: usize, closed: bool) -> T {
        if key < end {
            self.steffen(key - 1, key)
        } else if closed {
            self.steffen(end - 1, 0)
        } else if self.extend == Extend::Linear {
            self.secant(end - 1)
        } else {
            T::ZERO
        }
    }

    /// The speeds at a key that names them.
    fn given(ease: Ease) -> Option<Slopes<T>> {
        let Ease::Slope { arrive, leave } = ease else { return None };
        let all = |speed: f64| T::ZERO.zip(T::ZERO, |_, _| speed);
        Some(Slopes { arrive: all(arrive), leave: all(leave) })
    }

    /// The speeds at a key of this ease between two segments.
    fn between(self, before: usize, after: usize, ease: Ease) -> Slopes<T> {
        if let Some(given) = Self::given(ease) {
            return given;
        }
        let Some([tension, continuity, bias]) = ease.tension() else {
            let speed = self.steffen(before, after);
            return Slopes { arrive: speed, leave: speed };
        };
        // Kochanek and Bartels (1984), eq. 8 and 9, with the section on uneven spacing: their tangents are
        // values per segment, scaled by 2 N / (N_before + N_after), and a speed is that over N.
        let (h0, h1) = (self.run(before), self.run(after));
        let (d0, d1) = (self.secant(before) * h0, self.secant(after) * h1);
        let (loose, share) = (1.0 - tension, 1.0 / (h0 + h1));
        let speed = |c: f64| {
            (d0 * (loose * (1.0 + c) * (1.0 + bias)) + d1 * (loose * (1.0 - c) * (1.0 - bias))) * share
        };
        Slopes { arrive: speed(-continuity), leave: speed(continuity) }
    }

    /// Steffen (1990, "A simple method for monotonic interpolation in one dimension", eq. 11): monotone
    /// between keys, continuous speed, and each depends on its neighbours alone.
    fn steffen(self, before: usize, after: usize) -> T {
        let (h0, h1) = (self.run(before), self.run(after));
        let (s0, s1) = (self.secant(before), self.secant(after));
        let p = (s0 * h1 + s1 * h0) * (1.0 / (h0 + h1));
        let least = s0.zip(s1, |a, b| if a * b > 0.0 { a.abs().min(b.abs()) * a.signum() } else { 0.0 });
        // (sign + sign) min(|s0|, |s1|, |p|/2): the signs agree or the slope is 0.
        least.zip(p, |m, p| m.signum() * (2.0 * m.abs()).min(p.abs()) * if m == 0.0 { 0.0 } else { 1.0 })
    }

    fn ease(self, key: usize) -> Ease {
        self.keys[key].key.ease
    }

    /// The duration from key `i` to the next.
    fn run(self, i: usize) -> f64 {
        self.keys[i + 1].key.time - self.keys[i].key.time
    }

    /// Mean speed from key `i` to the next; 0 over a hold, which jumps.
    pub(super) fn secant(self, i: usize) -> T {
        self.keys[i].secant(&self.keys[i + 1])
    }
}

/// Cubic Hermite interpolation; slopes are per unit of `share`.
pub(super) fn hermite<T: Value>(from: T, from_slope: T, to: T, to_slope: T, share: f64) -> T {
    let s = share;
    let way = to - from;
    let curve = from_slope * (s * (1.0 - s) * (1.0 - s)) - to_slope * (s * s * (1.0 - s));
    from + way * (s * s * (3.0 - 2.0 * s)) + curve
}

/// Its derivative by `share`.
pub(super) fn hermite_slope<T: Value>(from: T, from_slope: T, to: T, to_slope: T, share: f64) -> T {
    let s = share;
    let ends = from_slope * ((1.0 - s) * (1.0 - 3.0 * s)) - to_slope * (s * (2.0 - 3.0 * s));
    (to - from) * (6.0 * s * (1.0 - s)) + ends
}
