//! One clip in a sequence: which piece of it, how fast, how often; and the map from the sequence's time to
//! the clip's.

use bone_archive::archive;
use std::sync::Arc;

use super::smoothstep::smoothstep;
use crate::clip::Clip;
use crate::clip::mix::SkippedTurns;
use crate::{BoneId, Reparent};

/// Tolerance for the start of a part, in seconds: starts are sums of lengths.
pub(super) const SLACK: f64 = 1e-9;

/// By how much the edges of a changed interval may be off, in seconds.
const ROUNDING: f64 = 1e-6;

/// A clip in a sequence.
#[derive(Clone, Debug)]
pub struct SequencePart {
    /// The clip.
    pub clip: Arc<Clip>,
    /// The start of the played piece, in seconds of the clip.
    pub from: f64,
    /// Seconds of the clip per second; below 0 the piece is played backwards.
    pub speed: f64,
    /// Seconds that it plays.
    pub length: f64,
    /// How many times a clip that does not loop is repeated; after that its curves are extended.
    pub rounds: f64,
    /// Seconds of the cross-fade from the part before it. The first part of a looping sequence fades in from
    /// the last.
    pub fade: f64,
    /// Whether angles make all whole turns during the fade, instead of the shorter way.
    pub spin: bool,
}

impl SequencePart {
    /// The whole clip, once.
    pub fn whole(clip: Arc<Clip>) -> Self {
        let length = clip.time().length;
        Self { clip, from: 0.0, speed: 1.0, length, rounds: 1.0, fade: 0.0, spin: false }
    }

    /// Whether its numbers are usable.
    pub(super) fn is_sound(&self) -> bool {
        let above = |n: f64| n.is_finite() && n > 0.0;
        above(self.length)
            && above(self.speed.abs())
            && above(self.rounds)
            && self.from.is_finite()
            && self.fade.is_finite()
            && self.fade >= 0.0
    }

    /// The clip's time at this many seconds after the part's start.
    pub(super) fn clip_time(&self, since: f64) -> f64 {
        self.in_round(self.unfolded(since)).0
    }

    /// The clip's time with all repetitions one after the other.
    pub(super) fn unfolded(&self, since: f64) -> f64 {
        let start = if self.speed < 0.0 { self.from - self.speed * self.length } else { self.from };
        start + since * self.speed
    }

    /// The time within a repetition, and the index of the repetition. A looping clip wraps by itself.
    pub(super) fn in_round(&self, time: f64) -> (f64, f64) {
        let clip = self.clip.time();
        if clip.looped {
            return (time, (time / clip.length).floor());
        }
        let last = (self.rounds - SLACK).ceil().max(1.0) - 1.0;
        let round = (time / clip.length + SLACK).floor();
        let round = if round > 0.0 { round.min(last) } else { 0.0 };
        (time - round * clip.length, round)
    }

    /// Whether another part plays a clip of the same length in the same way.
    pub(super) fn plays_as(&self, other: &Self) -> bool {
        let numbers = |part: &Self| [part.from, part.speed, part.length, part.rounds, part.fade];
        self.clip.time() == other.clip.time() && numbers(self) == numbers(other) && self.spin == other.spin
    }

    /// Adds the intervals, in seconds of the sequence, in which the part differs from another one with another
    /// clip, as far as it is seen: from the first of some seconds since its start to the second. It begins at
    /// `begins`.
    pub(super) fn changed_since(
        &self,
        last: &Self,
        begins: f64,
        seen: (f64, f64),
        changed: &mut Vec<(f64, f64)>,
    ) {
        /// Repetitions that are listed one by one.
        const MOST_ROUNDS: f64 = 10_000.0;
        if Arc::ptr_eq(&self.clip, &last.clip) || seen.0 >= seen.1 {
            return;
        }
        let time = self.clip.time();
        let (start, end) = (self.unfolded(seen.0 - ROUNDING), self.unfolded(seen.1 + ROUNDING));
        let (start, end) = (start.min(end), start.max(end));
        let count = (self.rounds - SLACK).ceil().max(1.0) - 1.0;
        let round = |at: f64| (at / time.length).floor();
        let (first, most) = if time.looped {
            (round(start), round(end))
        } else {
            (round(start).max(0.0).min(count), round(end).max(0.0).min(count))
        };
        // A drawing that is held shows an earlier time.
        let held = time.step.map_or(0.0, |step| step.seconds());
        for (from, to) in self.clip.changed_since(&last.clip) {
            if (most - first).is_nan() || most - first > MOST_ROUNDS {
                changed.push((begins + seen.0, begins + seen.1));
                return;
            }
            // Counted, because a far round plus 1 may be the same number.
            for k in 0..=(most - first) as u32 {
                let round = first + f64::from(k);
                let shift = round * time.length;
                // Before the first repetition and after the last the curves are extended.
                let least = if round == first { start } else { shift };
                let last = if round == most { end } else { shift + time.length };
                let (from, to) = ((from + shift).max(least), (to + held + shift).min(last));
                // Also a moment alone: the start of a round may be all that is seen of it.
                if from <= to {
                    let since = |at: f64| (at - self.unfolded(0.0)) / self.speed;
                    let (a, b) = (since(from), since(to));
                    changed.push((begins + a.min(b) - ROUNDING, begins + a.max(b) + ROUNDING));
                }
            }
        }
    }

    /// The parent of a bone between two times since the part's start, if it does not change: `Some(None)` for
    /// the parent at rest, `None` if it may change.
    pub(super) fn parent_throughout(&self, bone: BoneId, from: f64, to: f64) -> Option<Option<Reparent>> {
        let Some(track) = self.clip.parents.iter().find(|track| track.bone() == bone) else {
            return Some(None);
        };
        let (a, b) = (self.unfolded(from), self.unfolded(to));
        let ((first, one), (last, other)) = (self.in_round(a.min(b)), self.in_round(a.max(b)));
        if !self.clip.plays_straight() {
            return track.throughout(f64::NEG_INFINITY, f64::INFINITY);
        }
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

/// A part with its start in the sequence.
#[derive(Clone, Debug)]
pub(super) struct PlacedPart {
    pub(super) part: SequencePart,
    /// Seconds of the sequence.
    pub(super) begins: f64,
    /// The turns that its angles skip, from its fade to its end. For the first part, which fades in from the
    /// end of a loop, those that the parts of that end add.
    pub(super) skipped: SkippedTurns,
}

impl PlacedPart {
    /// Whether another part differs in nothing but the keys of its clip.
    pub(super) fn plays_as(&self, other: &Self) -> bool {
        self.begins == other.begins && self.skipped == other.skipped && self.part.plays_as(&other.part)
    }

    /// The share that it has of its fade, some seconds after its start.
    pub(super) fn share(&self, since: f64) -> f64 {
        if since < self.part.fade { smoothstep(since / self.part.fade) } else { 1.0 }
    }
}

archive!(struct PlacedPart { part, begins, skipped });

archive!(struct SequencePart { clip, from, speed, length, rounds, fade, spin } if |part| part.is_sound(), "part of a sequence");
