//! One clip in a shot: which piece of it, how fast, how often; and the way from the shot's time to the clip's.

use std::sync::Arc;

use crate::clip::Clip;
use crate::clip::mix::Way;
use crate::{BoneId, Reparent};

/// Seconds that the start of a part may be off: starts are sums of lengths.
pub(super) const SLACK: f64 = 1e-9;

/// A clip in the sequence of a shot.
#[derive(Clone, Debug)]
pub struct Part {
    /// What plays.
    pub clip: Arc<Clip>,
    /// Seconds into the clip at which the piece begins that is played.
    pub from: f64,
    /// Seconds of the clip a second; below 0 the piece is played backwards.
    pub speed: f64,
    /// Seconds that it plays.
    pub length: f64,
    /// How often a clip that does not loop is started over; after that it goes on as its curves do.
    pub rounds: f64,
    /// Seconds in which it takes over from the part before it. The first part of a shot that loops takes over from the last.
    pub fade: f64,
    /// Whether angles turn all the way during the fade, as they are typed, in place of the shorter way.
    pub spin: bool,
}

impl Part {
    /// The whole clip, once.
    pub fn whole(clip: Arc<Clip>) -> Self {
        let length = clip.time().length;
        Self { clip, from: 0.0, speed: 1.0, length, rounds: 1.0, fade: 0.0, spin: false }
    }

    /// Whether its numbers can be used.
    pub(super) fn is_sound(&self) -> bool {
        let above = |n: f64| n.is_finite() && n > 0.0;
        above(self.length)
            && above(self.speed.abs())
            && above(self.rounds)
            && self.from.is_finite()
            && self.fade.is_finite()
            && self.fade >= 0.0
    }

    /// The clip's time so many seconds after the part's start.
    pub(super) fn clip_time(&self, since: f64) -> f64 {
        self.in_round(self.unfolded(since)).0
    }

    /// The clip's time with all rounds one after the other.
    fn unfolded(&self, since: f64) -> f64 {
        let start = if self.speed < 0.0 { self.from - self.speed * self.length } else { self.from };
        start + since * self.speed
    }

    /// The time in its round, and the number of the round. A clip that loops finds its round itself.
    fn in_round(&self, time: f64) -> (f64, f64) {
        let clip = self.clip.time();
        if clip.looped {
            return (time, (time / clip.length).floor());
        }
        let last = (self.rounds - SLACK).ceil().max(1.0) - 1.0;
        let round = (time / clip.length + SLACK).floor();
        let round = if round > 0.0 { round.min(last) } else { 0.0 };
        (time - round * clip.length, round)
    }

    /// The one parent of a bone from one moment to a later one, counted from the part's start: none inside for that at rest,
    /// none at all if it may change.
    pub(super) fn parent_throughout(&self, bone: BoneId, from: f64, to: f64) -> Option<Option<Reparent>> {
        let Some(track) = self.clip.parents.iter().find(|track| track.bone() == bone) else {
            return Some(None);
        };
        let (a, b) = (self.unfolded(from), self.unfolded(to));
        let ((first, one), (last, other)) = (self.in_round(a.min(b)), self.in_round(a.max(b)));
        let time = self.clip.time();
        // A drawing that is held shows an earlier time.
        let held = time.step.map_or(0.0, |step| step.seconds());
        if one != other {
            return track.throughout(-held, time.length);
        }
        let wrapped = |t: f64| if time.looped { t - one * time.length } else { t };
        track.throughout(wrapped(first) - held, wrapped(last))
    }
}

/// A part with its place in the shot.
#[derive(Clone, Debug)]
pub(super) struct PartRun {
    pub(super) part: Part,
    /// Seconds of the shot.
    pub(super) begins: f64,
    /// How angles get from the part before it to this one.
    pub(super) way: Way,
}
