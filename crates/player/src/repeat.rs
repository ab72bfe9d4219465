//! How often clips play: what begins anew or ends at the end of a clip.

use bone_rig::Playback;

/// How often a clip plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlayRepeat {
    /// As it is: loops go on, others stay at their end.
    #[default]
    AsClip,
    /// So many times; then it stays at its end, which is its start if it is a loop. 0 counts as 1.
    Times(u32),
    /// On and on.
    Forever,
}

/// What plays, with how often it still does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlayRound {
    pub(crate) of: Playback,
    /// Its time before the step.
    pub(crate) at: f64,
    length: f64,
    pub(crate) speed: f64,
    repeat: PlayRepeat,
}

/// What becomes of a clip that has come to its end, or has begun anew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AtEnd {
    /// What the clip itself does.
    AsItIs,
    /// It begins anew at this time.
    Again(f64),
    /// It stays at its start.
    Stop,
}

impl PlayRound {
    pub(crate) fn new(of: Playback, length: f64, speed: f64, repeat: PlayRepeat) -> Self {
        let repeat = if repeat == PlayRepeat::Times(0) { PlayRepeat::Times(1) } else { repeat };
        Self { of, at: 0.0, length, speed, repeat }
    }

    /// A clip without a loop is at its end. What is left of the step is played of the next round.
    pub(crate) fn ended(&mut self, seconds: f64) -> AtEnd {
        let goes_on = match &mut self.repeat {
            PlayRepeat::AsClip => false,
            PlayRepeat::Forever => true,
            PlayRepeat::Times(left) => {
                *left = left.saturating_sub(1);
                *left > 0
            }
        };
        if !goes_on || self.length <= 0.0 {
            return AtEnd::AsItIs;
        }
        let way = seconds * self.speed.abs();
        let left = if self.speed < 0.0 { self.at } else { self.length - self.at };
        let into = (way - left).max(0.0) % self.length;
        AtEnd::Again(if self.speed < 0.0 { self.length - into } else { into })
    }

    /// A loop has begun anew, so many times.
    pub(crate) fn looped(&mut self, times: u32) -> AtEnd {
        let PlayRepeat::Times(left) = &mut self.repeat else { return AtEnd::AsItIs };
        *left = left.saturating_sub(times);
        if *left > 0 {
            return AtEnd::AsItIs;
        }
        // A loop ends as it begins. It does not count its rounds any more.
        self.repeat = PlayRepeat::AsClip;
        AtEnd::Stop
    }
}
