//! From playback time to the time of keys.

use bone_archive::archive;

use super::curve::Curve;
use super::step::Step;
use super::value::Value;

/// How often the keys of a clip are played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// Once; then the curves are extended.
    #[default]
    Once,
    /// Again and again.
    Loop,
    /// Again and again, every second time backwards. Each end is passed once.
    PingPong,
    /// So often; then the clip rests at its end.
    Times(u32),
}

/// How the keys of a clip are played within its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounds {
    /// Seconds of the keys.
    pub keys: f64,
    /// Whether every second round is played backwards.
    pub back: bool,
    /// The time of the keys at which the clip begins, seconds.
    pub start: f64,
}

/// The length of a clip and whether it loops: it maps playback time to the time of the keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipTime {
    /// Seconds of playback, until it starts again or ends.
    pub length: f64,
    /// Whether it starts again after its length.
    pub looped: bool,
    /// How long each drawing is held; none if each moment has its own.
    pub step: Option<Step>,
    /// How the keys are played; none if they are played as they are, from 0 to the length.
    pub rounds: Option<Rounds>,
}

impl ClipTime {
    /// Keys that are as long as the clip.
    pub const fn new(length: f64, looped: bool) -> Self {
        Self { length, looped, step: None, rounds: None }
    }

    /// Keys of so many seconds that are played so often. The first round begins at a share of them, of which whole
    /// rounds are left out; keys that are played once begin at 0.
    pub fn repeated(keys: f64, repeat: Repeat, phase: f64) -> Self {
        let phase = phase.rem_euclid(1.0);
        let rounds = |back| Some(Rounds { keys, back, start: phase * keys });
        match repeat {
            Repeat::Once => Self::new(keys, false),
            Repeat::Loop => Self { rounds: rounds(false).filter(|_| phase != 0.0), ..Self::new(keys, true) },
            Repeat::PingPong => Self { rounds: rounds(true), ..Self::new(2.0 * keys, true) },
            Repeat::Times(count) => {
                let length = (f64::from(count.max(1)) - phase) * keys;
                Self { rounds: rounds(false), ..Self::new(length, false) }
            }
        }
    }

    /// The same without holding drawings.
    pub const fn moving(self) -> Self {
        Self { step: None, ..self }
    }

    /// The playback time within the clip. That before and after a clip that does not loop stays.
    pub fn local(&self, time: f64) -> f64 {
        let time = if self.looped { time.rem_euclid(self.length) } else { time };
        self.step.map_or(time, |step| step.held(time))
    }

    /// The time on the axis of the keys. Before and after keys that are played once, curves are extended.
    pub fn keyed(&self, time: f64) -> f64 {
        let time = self.local(time);
        let Some(Rounds { keys, back, start }) = self.rounds else { return time };
        if !self.looped && time >= self.length {
            return keys;
        }
        let at = time + start;
        if !self.looped && at < 0.0 {
            return at;
        }
        let round = at.rem_euclid(if back { 2.0 * keys } else { keys });
        if round > keys { 2.0 * keys - round } else { round }
    }

    /// How often its keys are played.
    pub fn repeat(&self) -> Repeat {
        match self.rounds {
            None if self.looped => Repeat::Loop,
            None => Repeat::Once,
            Some(rounds) if rounds.back => Repeat::PingPong,
            Some(_) if self.looped => Repeat::Loop,
            // The conversion saturates.
            Some(rounds) => Repeat::Times(((self.length + rounds.start) / rounds.keys).round() as u32),
        }
    }

    /// Seconds of the keys.
    pub fn key_length(&self) -> f64 {
        self.rounds.map_or(self.length, |rounds| rounds.keys)
    }

    /// Seconds after which the keys are played again from their start; none if they are played once or turn
    /// back.
    pub fn key_loop(&self) -> Option<f64> {
        let forwards = self.rounds.map_or(self.looped, |rounds| !rounds.back);
        forwards.then_some(self.key_length())
    }

    /// The playback times from 0 to the length at which a time of the keys is played, ascending. In a loop its end is
    /// its start. At most a million rounds are counted.
    pub fn playback_times(&self, key: f64) -> Vec<f64> {
        const MOST_ROUNDS: f64 = 1e6;
        let Some(Rounds { keys, back, start }) = self.rounds else { return vec![key] };
        if !(key >= 0.0 && key <= keys) {
            return Vec::new();
        }
        let mut times = match (back, self.looped) {
            (true, _) => {
                let there = (key - start).rem_euclid(2.0 * keys);
                vec![there, (2.0 * keys - key - start).rem_euclid(2.0 * keys)]
            }
            (false, true) => vec![(key - start).rem_euclid(keys)],
            (false, false) => {
                let count = ((self.length + start) / keys).round().min(MOST_ROUNDS) as u32;
                let times = (0..count).map(|round| key - start + f64::from(round) * keys);
                times.filter(|time| *time >= 0.0).collect()
            }
        };
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// Lets a curve that fills keys which loop exactly do so with continuous speed.
    pub fn fit<T: Value>(&self, curve: &mut Curve<T>) {
        if let Some(length) = self.key_loop() {
            curve.close_over(length);
        }
    }
}

archive!(struct Rounds { keys, back, start }
    if |rounds| rounds.keys > 0.0 && rounds.start.is_finite(), "rounds of a clip");
archive!(struct ClipTime { length, looped, step, rounds }
    if |time| time.length > 0.0 && time.step.is_none_or(|step| step.fps > 0.0), "length of a clip");

#[cfg(test)]
mod tests {
    use super::*;

    /// The time of the keys, by walking there in steps of a 64th of a second, which are exact.
    fn walked(repeat: Repeat, phase: f64, keys: f64, time: f64) -> f64 {
        const STEP: f64 = 1.0 / 64.0;
        let (mut at, mut forwards, mut rounds) = (phase * keys, true, 0);
        for _ in 0..(time / STEP) as u32 {
            at += if forwards { STEP } else { -STEP };
            match repeat {
                Repeat::Loop if at >= keys => at = 0.0,
                Repeat::PingPong if at >= keys || at <= 0.0 => forwards = !forwards,
                Repeat::Times(count) if at >= keys => {
                    rounds += 1;
                    if rounds == count {
                        return keys;
                    }
                    at = 0.0;
                }
                _ => {}
            }
        }
        at
    }

    #[test]
    fn rounds_are_those_of_a_walk() {
        for repeat in [Repeat::Loop, Repeat::PingPong, Repeat::Times(1), Repeat::Times(3)] {
            for (phase, keys) in [(0.0, 1.0), (0.25, 1.0), (0.75, 2.0)] {
                let time = ClipTime::repeated(keys, repeat, phase);
                assert_eq!(time.repeat(), repeat);
                for step in 0..640 {
                    let at = f64::from(step) / 64.0;
                    let expected = walked(repeat, phase, keys, at);
                    assert_eq!(time.keyed(at), expected, "{repeat:?} from {phase} of {keys} s at {at} s");
                }
            }
        }
    }

    #[test]
    fn playback_times_are_those_at_which_a_key_is_passed() {
        for repeat in [Repeat::Loop, Repeat::PingPong, Repeat::Times(1), Repeat::Times(3)] {
            for (phase, keys) in [(0.0, 1.0), (0.25, 1.0), (0.75, 2.0)] {
                let time = ClipTime::repeated(keys, repeat, phase);
                for key in [0.0, 0.125, 0.5, 0.875] {
                    let steps = 0..(64.0 * time.length) as u32;
                    let steps = steps.map(|step| f64::from(step) / 64.0).filter(|at| time.keyed(*at) == key);
                    assert_eq!(
                        time.playback_times(key),
                        steps.collect::<Vec<_>>(),
                        "{repeat:?} {phase} {key}"
                    );
                }
            }
        }
        let counted = ClipTime::repeated(1.0, Repeat::Times(3), 0.0);
        assert_eq!(counted.playback_times(1.0), [1.0, 2.0, 3.0]);
        assert_eq!(ClipTime::repeated(1.0, Repeat::PingPong, 0.0).playback_times(1.0), [1.0]);
    }

    #[test]
    fn back_and_forth_passes_its_ends_once() {
        let time = ClipTime::repeated(1.0, Repeat::PingPong, 0.0);
        assert_eq!((time.length, time.looped), (2.0, true));
        let frames: Vec<f64> = (0..48).map(|frame| time.keyed(f64::from(frame) / 24.0)).collect();
        for end in [0.0, 1.0] {
            assert_eq!(frames.iter().filter(|at| **at == end).count(), 1);
        }
        assert!((frames[36] - frames[12]).abs() < 1e-15);
        assert_eq!(time.keyed(-0.25), 0.25);
    }

    #[test]
    fn counted_rounds_rest_at_the_end() {
        let time = ClipTime::repeated(1.0, Repeat::Times(3), 0.25);
        assert_eq!((time.length, time.looped), (2.75, false));
        assert_eq!([0.0, 0.75, 2.74, 2.75, 9.0].map(|at| time.keyed(at)), [0.25, 0.0, 2.99 - 2.0, 1.0, 1.0]);
    }
}
