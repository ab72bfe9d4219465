//! Which moments of a clip a step of its time passes: the one rule for events and cues.

use super::time::ClipTime;

/// A step of playback time, from one moment to another. Forwards from a to b it passes a < e <= b, backwards
/// b <= e < a; where it begins anew, a itself, too.
///
/// ```
/// use bone_core::clip::ClipTime;
///
/// let walk = ClipTime::new(1.0, true);
/// let times = |from, to| walk.passage(from, to, false).of(0.25).collect::<Vec<f64>>();
/// assert_eq!(times(0.25, 3.0), [1.25, 2.25]);
/// assert_eq!(times(3.0, 0.25), [2.25, 1.25, 0.25]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    /// Round and time within it.
    from: (f64, f64),
    to: (f64, f64),
    with_from: bool,
    backwards: bool,
    /// Seconds of a round; none for a clip that does not loop.
    round: Option<f64>,
}

/// A part of a [`Passage`] in which the times of the keys run in one direction, each once.
#[derive(Clone, Copy, Debug)]
pub struct PassedStretch {
    least: f64,
    most: f64,
    with_least: bool,
    with_most: bool,
    backwards: bool,
    /// Playback time at the key time 0.
    begins: f64,
    is_whole: bool,
}

/// The parts of a [`Passage`], in the order in which they are passed.
#[derive(Clone, Debug)]
pub struct Stretches {
    passage: Passage,
    next: u64,
    /// How many rounds are left behind.
    rounds: u64,
    is_over: bool,
}

impl ClipTime {
    /// The round of a playback time, and the time within it: at least 0 and less than the length. A clip that
    /// does not loop has round 0 alone.
    pub fn round(&self, time: f64) -> (f64, f64) {
        if !self.looped {
            return (0.0, time);
        }
        let local = time.rem_euclid(self.length);
        let round = ((time - local) / self.length).round();
        // The remainder of a time just below 0 can be rounded to the length.
        if local < self.length { (round, local) } else { (round + 1.0, 0.0) }
    }

    /// Whether its end is another moment than its start.
    pub fn has_end(&self) -> bool {
        !self.looped
    }

    /// The moment that a key at a time is passed; none outside of the clip. In a loop a key at its end is the
    /// key at 0.
    pub fn moment(&self, key: f64) -> Option<f64> {
        let is_inside = key >= 0.0 && key <= self.length;
        is_inside.then(|| if key < self.length { key } else { self.round(key).1 })
    }

    /// A step of playback time; `with_from` if it begins anew, so that its first moment is passed, too.
    pub fn passage(&self, from: f64, to: f64, with_from: bool) -> Passage {
        Passage {
            from: self.round(from),
            to: self.round(to),
            with_from,
            backwards: to < from,
            round: self.looped.then_some(self.length),
        }
    }
}

impl Passage {
    /// Its parts, in the order in which they are passed.
    pub fn stretches(self) -> Stretches {
        // The conversion saturates, and makes 0 of what is no number.
        let rounds = (self.to.0 - self.from.0).abs() as u64;
        Stretches { passage: self, next: 0, rounds, is_over: false }
    }

    /// The playback times at which it passes a key, in the order in which it does.
    pub fn of(self, key: f64) -> impl Iterator<Item = f64> {
        let key = self.round.map_or(key, |length| key.rem_euclid(length));
        // A round that does not have the key is followed by others that do not.
        let ends = self.round.is_none_or(|length| key >= 0.0 && key < length);
        let stretches = self.stretches().take(if ends { usize::MAX } else { 0 });
        stretches.filter(move |stretch| stretch.holds(key)).map(move |stretch| stretch.at(key))
    }
}

impl Stretches {
    /// Leaves out the whole rounds that follow. They hold the same keys as the one before.
    pub fn skip_whole(&mut self) {
        self.next = self.next.max(self.rounds);
    }
}

impl Iterator for Stretches {
    type Item = PassedStretch;

    fn next(&mut self) -> Option<PassedStretch> {
        if self.is_over || self.next > self.rounds {
            return None;
        }
        let Passage { from, to, with_from, backwards, round } = self.passage;
        let (is_first, is_last) = (self.next == 0, self.next == self.rounds);
        let by = self.next as f64 * if backwards { -1.0 } else { 1.0 };
        let begins = round.map_or(0.0, |length| if is_last { to.0 } else { from.0 + by } * length);
        (self.is_over, self.next) = (is_last, self.next.saturating_add(1));
        let end = round.unwrap_or(f64::INFINITY);
        let (least, most) = match (backwards, is_first, is_last) {
            (false, ..) => (if is_first { from.1 } else { 0.0 }, if is_last { to.1 } else { end }),
            (true, ..) => (if is_last { to.1 } else { 0.0 }, if is_first { from.1 } else { end }),
        };
        let (with_least, with_most) = match backwards {
            false => (with_from || !is_first, is_last),
            true => (true, with_from && is_first),
        };
        let is_whole = !is_first && !is_last;
        Some(PassedStretch { least, most, with_least, with_most, backwards, begins, is_whole })
    }
}

impl PassedStretch {
    /// Whether it passes a moment of the keys.
    pub fn holds(&self, moment: f64) -> bool {
        let above = if self.with_least { moment >= self.least } else { moment > self.least };
        let below = if self.with_most { moment <= self.most } else { moment < self.most };
        above && below
    }

    /// The least and the greatest time of the keys in it.
    pub fn ends(&self) -> (f64, f64) {
        (self.least, self.most)
    }

    /// Whether the times of the keys fall.
    pub fn is_backwards(&self) -> bool {
        self.backwards
    }

    /// Whether it is a whole round, neither the first part of its step nor the last.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The playback time of a moment of the keys.
    pub fn at(&self, moment: f64) -> f64 {
        self.begins + moment
    }

    /// The places of times that ascend which may be in it: from the first index to before the second.
    pub fn range_of(&self, times: &[f64]) -> (usize, usize) {
        let from = times.partition_point(|time| *time < self.least);
        (from, times.partition_point(|time| *time <= self.most).max(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: ClipTime = ClipTime::new(1.0, true);
    const ONCE: ClipTime = ClipTime { looped: false, ..LOOP };

    fn passed(time: ClipTime, key: f64, (from, to): (f64, f64), with_from: bool) -> Vec<f64> {
        time.passage(from, to, with_from).of(key).collect()
    }

    #[test]
    fn steps_are_half_open() {
        for time in [ONCE, LOOP] {
            assert_eq!(passed(time, 0.5, (0.25, 0.5), false), [0.5]);
            assert_eq!(passed(time, 0.5, (0.5, 0.75), false), [0.0; 0]);
            assert_eq!(passed(time, 0.5, (0.5, 0.75), true), [0.5]);
            assert_eq!(passed(time, 0.5, (0.75, 0.5), false), [0.5]);
            assert_eq!(passed(time, 0.5, (0.5, 0.25), false), [0.0; 0]);
            assert_eq!(passed(time, 0.5, (0.5, 0.25), true), [0.5]);
            assert_eq!(passed(time, 0.5, (0.5, 0.5), true), [0.5]);
            assert_eq!(passed(time, 0.5, (0.5, 0.5), false), [0.0; 0]);
        }
        assert_eq!(passed(ONCE, 1.0, (0.5, 1.0), false), [1.0]);
    }

    #[test]
    fn a_loop_passes_a_key_in_each_round() {
        assert_eq!(passed(LOOP, 0.0, (0.0, 3.0), false), [1.0, 2.0, 3.0]);
        assert_eq!(passed(LOOP, 0.0, (0.0, 3.0), true), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(passed(LOOP, 0.0, (3.0, 0.0), false), [2.0, 1.0, 0.0]);
        assert_eq!(passed(LOOP, 0.5, (0.75, -1.75), false), [0.5, -0.5, -1.5]);
        assert_eq!(passed(LOOP, 1.0, (0.5, 1.5), false), [1.0], "the key at 0");
    }

    #[test]
    fn steps_that_follow_each_other_pass_a_key_once() {
        for (count, by) in [(500, 0.01), (1000, 0.1), (77, 1.3), (500, -0.01), (77, -1.3), (9, 1e-20)] {
            for key in [0.0, 0.3, 0.7] {
                let (mut at, mut passings) = (0.0, 0);
                for _ in 0..count {
                    passings += passed(LOOP, key, (at, at + by), false).len();
                    at = LOOP.round(at + by).1;
                }
                let expected = (f64::from(count) * by).abs();
                assert!((passings as f64 - expected).abs() <= 1.0, "{passings} of {expected}");
            }
        }
    }

    #[test]
    fn numbers_of_any_size_end() {
        let huge = f64::MAX;
        for time in
            [ONCE, LOOP, ClipTime { length: 1e-300, ..LOOP }, ClipTime { length: f64::INFINITY, ..LOOP }]
        {
            for (from, to) in [(0.0, huge), (huge, -huge), (f64::NAN, 1.0), (-1e-320, 0.0), (-0.5, -huge)] {
                for key in [0.0, 0.5, f64::NAN, f64::INFINITY] {
                    let _ = time.passage(from, to, true).of(key).take(1000).count();
                }
                let mut stretches = time.passage(from, to, false).stretches();
                stretches.skip_whole();
                assert!(stretches.take(3).count() <= 2);
            }
        }
    }
}
