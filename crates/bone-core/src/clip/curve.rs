//! One keyed value over time: keys with slopes that are computed once. It can be sampled at any time in
//! any order.

use super::slopes::{SlopedKey, SlopedKeys, hermite, hermite_slope};
use super::{Ease, Extend, Key, SAME_TIME, Value, changes};
use bone_archive::{Archive, ArchiveError, Reader, Writer};

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
    /// One list, because a frame of many curves waits for memory.
    keys: Vec<SlopedKey<T>>,
    extend: Extend,
    /// How much later all of this is; none if it is at its times.
    delay: Option<Delay>,
    /// The values towards which it moves, one after the other; a delay does not move them.
    poses: Vec<PosedValue<T>>,
}

/// A value towards which a curve moves, by a weight over time.
#[derive(Clone, Debug, PartialEq)]
pub struct PosedValue<T> {
    weight: Curve<f64>,
    value: T,
    how: ValueBlend<T>,
}

/// How a curve moves towards a value p by a weight w.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ValueBlend<T> {
    /// v + w (p - v); by 1 it is the value, to the bit.
    Replace,
    /// v + w (p - rest), with the value at rest.
    Add(T),
    /// The value is taken over from a half on.
    Step,
}

impl<T: Value> PosedValue<T> {
    /// A value that a curve has by a weight. The poses of the weight itself are left out.
    pub fn new(mut weight: Curve<f64>, value: T, how: ValueBlend<T>) -> Self {
        weight.poses.clear();
        Self { weight, value, how }
    }

    /// What it makes of a value at a time.
    fn on(&self, value: T, time: f64) -> T {
        let weight = self.weight.at(time);
        match self.how {
            ValueBlend::Replace if weight == 1.0 => self.value,
            ValueBlend::Step if weight >= 0.5 => self.value,
            ValueBlend::Step => value,
            ValueBlend::Replace => value + (self.value - value) * weight,
            ValueBlend::Add(rest) => value + (self.value - rest) * weight,
        }
    }

    /// The speed that it makes of a value and its speed at a time.
    fn speed_on(&self, value: T, speed: T, time: f64) -> T {
        let (weight, change) = (self.weight.at(time), self.weight.slope_at(time));
        match self.how {
            ValueBlend::Replace => speed * (1.0 - weight) + (self.value - value) * change,
            ValueBlend::Add(rest) => speed + (self.value - rest) * change,
            ValueBlend::Step if weight >= 0.5 => T::ZERO,
            ValueBlend::Step => speed,
        }
    }
}

/// Seconds by which a curve is later.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Delay {
    seconds: f64,
    /// Seconds after which the curve comes round; none if it is held before 0.
    round: Option<f64>,
}

impl Delay {
    /// The time on the axis of the keys.
    fn before(self, time: f64) -> f64 {
        let time = time - self.seconds;
        self.round.map_or(time.max(0.0), |round| time.rem_euclid(round))
    }
}

/// Keys that are not a valid curve.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CurveError {
    /// No key at all.
    Empty,
    /// A key that does not come after the one before it.
    Order {
        /// Its index in the list.
        key: usize,
    },
    /// A time or value that is not finite, or an ease whose parameters are out of range.
    Number {
        /// Its index in the list.
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
    /// If there is no key, a time does not increase, or a number is not usable.
    pub fn new(keys: Vec<Key<T>>, extend: Extend) -> Result<Self, CurveError> {
        if keys.is_empty() {
            return Err(CurveError::Empty);
        }
        for (i, key) in keys.iter().enumerate() {
            if !(key.time.is_finite() && key.value.is_finite() && key.ease.is_sound()) {
                return Err(CurveError::Number { key: i });
            }
            if i > 0 && key.time <= keys[i - 1].time {
                return Err(CurveError::Order { key: i });
            }
        }
        let keys = keys.into_iter().map(SlopedKey::new).collect();
        let mut curve = Self { keys, extend, delay: None, poses: Vec::new() };
        curve.set_slopes();
        Ok(curve)
    }

    /// A value that stays; 0 in place of one that is no number.
    pub fn constant(value: T) -> Self {
        let value = if value.is_finite() { value } else { T::ZERO };
        Self {
            keys: vec![SlopedKey::new(Key::new(0.0, value))],
            extend: Extend::Hold,
            delay: None,
            poses: Vec::new(),
        }
    }

    /// The same curve some seconds later. In a loop of `round` seconds what leaves at its end comes in at its start;
    /// without one, the value at 0 is held until then.
    #[must_use]
    pub fn delayed(mut self, seconds: f64, round: Option<f64>) -> Self {
        self.delay = (seconds != 0.0 && seconds.is_finite()).then_some(Delay { seconds, round });
        self
    }

    /// Moves the curve towards a value, after those that it moves towards already.
    pub fn add_pose(&mut self, pose: PosedValue<T>) {
        self.poses.push(pose);
    }

    /// The weights of its poses.
    pub fn pose_weights(&self) -> impl Iterator<Item = &Curve<f64>> {
        self.poses.iter().map(|pose| &pose.weight)
    }

    /// The times of the first and the last key.
    pub fn span(&self) -> (f64, f64) {
        (self.keys[0].key.time, self.keys[self.end()].key.time)
    }

    /// The keys, as given; a delay does not move them.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = Key<T>> {
        self.keys.iter().map(|key| key.key)
    }

    /// The index of the last key.
    fn end(&self) -> usize {
        self.keys.len() - 1
    }

    /// The value of a key.
    fn value(&self, key: usize) -> T {
        self.keys[key].key.value
    }

    fn set_slopes(&mut self) {
        let slopes = self.sloped_keys().slopes();
        self.keys.iter_mut().zip(slopes).for_each(|(key, slopes)| key.slopes = slopes);
    }

    /// How the curve continues outside its keys.
    pub fn extend(&self) -> Extend {
        self.extend
    }

    /// Lets a curve that fills a looping clip exactly loop itself, so that its speed is continuous at the
    /// seam.
    pub(super) fn close_over(&mut self, length: f64) {
        let (first, last) = self.span();
        let closed = self.value(0) == self.value(self.end());
        if self.extend == Extend::Hold && first == 0.0 && last == length && closed {
            self.extend = Extend::Loop;
            self.set_slopes();
        }
        self.poses.iter_mut().for_each(|pose| pose.weight.close_over(length));
    }

    /// Adds the intervals of time outside of which another curve has the same values, to the bit.
    pub(super) fn changed_since(&self, last: &Self, changed: &mut Vec<(f64, f64)>) {
        let is_plain = |curve: &Self| curve.delay.is_none() && curve.poses.is_empty();
        if self.extend != last.extend || !(is_plain(self) && is_plain(last)) && self != last {
            changed.push(changes::ALL);
            return;
        }
        let time = |key: usize| self.keys[key].key.time;
        let place = |a: usize, b: usize| {
            let (a, b) = (&self.keys[a].key, &last.keys[b].key);
            a.time == b.time && a.value == b.value
        };
        let same = |a: usize, b: usize| self.keys[a] == last.keys[b];
        let (end, end_then, before) = (self.end(), last.end(), changed.len());
        let mut then = 0;
        for key in 0..end {
            then += last.keys[then..].partition_point(|then| then.key.time < time(key));
            if !(then < end_then && same(key, then) && same(key + 1, then + 1)) {
                changed.push((time(key), time(key + 1)));
            }
        }
        // Other extensions depend on all keys.
        let alone = self.extend == Extend::Hold || (changed.len() == before && end == end_then);
        if !(alone && place(0, 0)) {
            changed.push((changes::ALL.0, time(0)));
        }
        if !(alone && place(end, end_then)) {
            changed.push((time(end), changes::ALL.1));
        }
    }

    /// The value at any time.
    pub fn at(&self, time: f64) -> T {
        self.poses.iter().fold(self.keyed_at(time), |value, pose| pose.on(value, time))
    }

    /// The value of the keys alone.
    fn keyed_at(&self, time: f64) -> T {
        let time = self.delay.map_or(time, |delay| delay.before(time));
        let (first, last) = self.span();
        let end = self.end();
        let run = last - first;
        if time >= first && time <= last {
            return self.within(time);
        }
        // A single key has no interval to repeat; NaN gives the first value.
        if run == 0.0 || time.is_nan() {
            return self.value(if time > last { end } else { 0 });
        }
        match self.extend {
            Extend::Hold => self.value(if time < first { 0 } else { end }),
            Extend::Linear => {
                let key = if time < first { 0 } else { end };
                self.value(key) + self.speed_at_end(key) * (time - self.keys[key].key.time)
            }
            Extend::Loop => self.within(first + (time - first).rem_euclid(run)),
            Extend::LoopOffset => {
                let rounds = ((time - first) / run).floor();
                let gain = self.value(end) - self.value(0);
                self.within(first + (time - first).rem_euclid(run)) + gain * rounds
            }
            Extend::PingPong => {
                let phase = (time - first).rem_euclid(2.0 * run);
                self.within(first + if phase > run { 2.0 * run - phase } else { phase })
            }
        }
    }

    /// The speed at any time, value per second; at a key that of the segment which begins there. It is 0
    /// where the curve holds and at a jump, and infinite where an ease is vertical.
    pub fn slope_at(&self, time: f64) -> T {
        let keyed = (self.keyed_at(time), self.keyed_slope_at(time));
        let posed = self
            .poses
            .iter()
            .fold(keyed, |(value, speed), pose| (pose.on(value, time), pose.speed_on(value, speed, time)));
        posed.1
    }

    /// The speed of the keys alone.
    fn keyed_slope_at(&self, time: f64) -> T {
        let time = self.delay.map_or(time, |delay| delay.before(time));
        let (first, last) = self.span();
        let run = last - first;
        if time >= first && time < last {
            return self.slope_within(time);
        }
        if run == 0.0 || time.is_nan() {
            return T::ZERO;
        }
        match self.extend {
            // At the end the value still has the speed with which it arrived.
            Extend::Hold if time == last => self.slope_within(last),
            Extend::Hold => T::ZERO,
            Extend::Linear => self.speed_at_end(if time < first { 0 } else { self.end() }),
            Extend::Loop | Extend::LoopOffset => self.slope_within(first + (time - first).rem_euclid(run)),
            Extend::PingPong => {
                let phase = (time - first).rem_euclid(2.0 * run);
                if phase >= run {
                    self.slope_within(first + 2.0 * run - phase) * -1.0
                } else {
                    self.slope_within(first + phase)
                }
            }
        }
    }

    /// The segment at a time between the first and the last key: its ends, its duration, and the elapsed
    /// share. None at the last key.
    fn stretch(&self, time: f64) -> Option<(&SlopedKey<T>, &SlopedKey<T>, f64, f64)> {
        // Most curves have few keys, for which a search costs more than a walk.
        let next = match self.keys.len() {
            ..=8 => self.keys.iter().take_while(|key| key.key.time <= time).count(),
            _ => self.keys.partition_point(|key| key.key.time <= time),
        };
        let [from, to] = self.keys.get(next.saturating_sub(1)..)?.first_chunk()?;
        let run = to.key.time - from.key.time;
        Some((from, to, run, ((time - from.key.time) / run).max(0.0)))
    }

    /// The value at a time between the first and the last key.
    fn within(&self, time: f64) -> T {
        let Some((from, to, run, share)) = self.stretch(time) else { return self.value(self.end()) };
        match from.key.ease {
            Ease::Hold if to.key.time - time <= SAME_TIME => to.key.value,
            Ease::Hold => from.key.value,
            ease if ease.is_spline() => {
                let (leave, arrive) = (from.slopes.leave, to.slopes.arrive);
                hermite(from.key.value, leave * run, to.key.value, arrive * run, share)
            }
            ease => from.key.value + (to.key.value - from.key.value) * ease.progress(share),
        }
    }

    /// The speed at a time between the first and the last key; at the last one, that of the segment which
    /// ends there.
    fn slope_within(&self, time: f64) -> T {
        let (from, to, run, share) = self.stretch(time).unwrap_or_else(|| {
            let (from, to) = (&self.keys[self.end() - 1], &self.keys[self.end()]);
            (from, to, to.key.time - from.key.time, 1.0)
        });
        let secant = from.secant(to);
        match from.key.ease {
            Ease::Hold | Ease::Linear => secant,
            ease if ease.is_spline() => {
                let (leave, arrive) = (from.slopes.leave, to.slopes.arrive);
                hermite_slope(from.key.value, leave * run, to.key.value, arrive * run, share) * (1.0 / run)
            }
            ease => {
                let speed = ease.way(share).1;
                // Without a change of the value the speed is 0, however steep the ease.
                secant.zip(T::ZERO, |part, _| if part == 0.0 { 0.0 } else { part * speed })
            }
        }
    }

    /// Speed with which a linear extension leaves the first or the last key.
    fn speed_at_end(&self, key: usize) -> T {
        let stretch = key.saturating_sub(1);
        match self.keys[stretch].key.ease {
            Ease::Hold => T::ZERO,
            ease if ease.is_spline() && key == 0 => self.keys[key].slopes.leave,
            ease if ease.is_spline() => self.keys[key].slopes.arrive,
            _ => self.sloped_keys().secant(stretch),
        }
    }

    fn sloped_keys(&self) -> SlopedKeys<'_, T> {
        SlopedKeys { keys: &self.keys, extend: self.extend }
    }
}

/// The keys, how they extend and are delayed, and the poses; slopes are computed again.
impl<T: Value + Archive> Archive for Curve<T> {
    fn write(&self, to: &mut Writer) {
        self.write_keys(to);
        self.poses.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let keys = Self::read_keys(from)?;
        Ok(Self { poses: from.list()?, ..keys })
    }
}

/// Weights have no poses of their own: the depth does not follow the input.
impl<T: Value + Archive> Archive for PosedValue<T> {
    fn write(&self, to: &mut Writer) {
        self.weight.write_keys(to);
        let (how, rest) = match self.how {
            ValueBlend::Replace => (0_u32, None),
            ValueBlend::Add(rest) => (1, Some(rest)),
            ValueBlend::Step => (2, None),
        };
        (self.value, how, rest).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let weight = Curve::read_keys(from)?;
        let (value, how, rest): (T, u32, Option<T>) = Archive::read(from)?;
        let how = match (how, rest) {
            (0, None) => ValueBlend::Replace,
            (1, Some(rest)) => ValueBlend::Add(rest),
            (2, None) => ValueBlend::Step,
            _ => return Err(from.invalid("pose of a curve")),
        };
        from.check(value.is_finite() && rest.is_none_or(Value::is_finite), "pose of a curve")?;
        Ok(Self { weight, value, how })
    }
}

impl<T: Value + Archive> Curve<T> {
    fn write_keys(&self, to: &mut Writer) {
        self.extend.write(to);
        self.delay.map(|delay| (delay.seconds, delay.round)).write(to);
        to.number(self.keys.len() as u64);
        for key in self.keys() {
            (key.time, key.value, key.ease).write(to);
        }
    }

    fn read_keys(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let extend = Extend::read(from)?;
        let delay: Option<(f64, Option<f64>)> = Archive::read(from)?;
        let is_sound = |round: f64| round > 0.0 && round.is_finite();
        if delay.is_some_and(|(_, round)| round.is_some_and(|round| !is_sound(round))) {
            return Err(from.invalid("delay of a curve"));
        }
        let keys: Vec<(f64, T, Ease)> = from.list()?;
        let keys = keys.into_iter().map(|(time, value, ease)| Key { time, value, ease }).collect();
        let curve = Self::new(keys, extend).map_err(|_| from.invalid("curve"))?;
        Ok(match delay {
            Some((seconds, round)) => curve.delayed(seconds, round),
            None => curve,
        })
    }
}
