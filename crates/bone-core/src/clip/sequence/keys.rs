//! The moments of the clips of a sequence that its time passes. A part has its clip until the next part begins,
//! also while it fades out: of two clips that are blended, one reports.

use super::part::{SLACK, SequencePart};
use super::{PlacedPart, Sequence};
use crate::clip::PassedStretch;

/// A moment of a clip of a sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SequenceKey {
    /// The index of the clip: the parts in their order, then the layers.
    pub clip: usize,
    /// The index of the moment in its clip.
    pub key: usize,
    /// Seconds of the sequence.
    pub time: f64,
    /// The weight of the clip at that time.
    pub weight: f64,
}

/// Rounds of a clip without a moment after which no more are looked at: all are shorter than the tolerance.
const MOST_MISSED: u32 = 1000;

/// When a part or a layer plays.
struct PartWindow {
    begins: f64,
    /// Seconds that it is seen.
    seconds: f64,
    /// Whether its last moment is seen, too.
    with_end: bool,
    /// Whether it goes on after the piece of its clip.
    goes_on: bool,
}

impl Sequence {
    /// Calls a function for the moments of its clips that are in a stretch of its time: for those of the parts
    /// in the order in which they are passed, until it returns false, and for those of each layer. `moments`
    /// gives those of each clip, which ascend.
    pub fn keys_in<'m>(
        &self,
        moments: impl Fn(usize) -> &'m [f64],
        stretch: &PassedStretch,
        see: &mut impl FnMut(SequenceKey) -> bool,
    ) {
        let (least, most) = stretch.ends();
        // The part before one that begins there may end there.
        let from = self.parts.partition_point(|run| run.begins < least - SLACK).saturating_sub(1);
        let to = self.parts.partition_point(|run| run.begins <= most + SLACK).max(from);
        let count = to - from;
        let order = (0..count).map(|i| if stretch.is_backwards() { to - 1 - i } else { from + i });
        let mut goes_on = true;
        for index in order {
            if !goes_on {
                break;
            }
            let PlacedPart { part, begins, .. } = &self.parts[index];
            let next = self.parts.get(index + 1).map(|next| next.begins);
            let ends = next.unwrap_or(self.time.length).min(self.time.length);
            let seconds = ends - begins;
            let with_end = seconds >= part.length - SLACK || (next.is_none() && self.time.has_end());
            let window = PartWindow { begins: *begins, seconds, with_end, goes_on: next.is_none() };
            let at = (|since| self.parts[index].share(since), |time| self.within(time));
            let see = &mut |key| {
                goes_on = see(SequenceKey { clip: index, ..key });
                goes_on
            };
            part.keys_in(moments(index), &window, at, stretch, see);
        }
        for (index, layer) in self.layers.iter().enumerate() {
            let (clip, left) = (self.parts.len() + index, self.time.length - layer.start);
            let with_end = left >= layer.part.length - SLACK || self.time.has_end();
            let seconds = left.min(layer.part.length);
            let window = PartWindow { begins: layer.start, seconds, with_end, goes_on: false };
            let at = (|since| layer.weight_since(since), |time| self.within(time));
            let see = &mut |key| see(SequenceKey { clip, ..key });
            layer.part.keys_in(moments(clip), &window, at, stretch, see);
        }
    }

    /// A time of its own axis. In a loop, what is at the end is passed just before the next round.
    fn within(&self, time: f64) -> f64 {
        let length = self.time.length;
        time.min(if self.time.has_end() { length } else { length.next_down() })
    }
}

impl SequencePart {
    /// The moments of its clip in a stretch of the sequence, in the order in which they are passed, until `see`
    /// returns false. Whichever way it is played, a piece has the moment at its start on the axis of the clip
    /// and not the one at its end, which the next repetition has; but the last of a clip that does not loop.
    fn keys_in(
        &self,
        moments: &[f64],
        window: &PartWindow,
        (weight, within): (impl Fn(f64) -> f64, impl Fn(f64) -> f64),
        stretch: &PassedStretch,
        see: &mut impl FnMut(SequenceKey) -> bool,
    ) {
        let (least, most) = stretch.ends();
        let first = (least - window.begins - SLACK).max(0.0);
        let last = (most - window.begins + SLACK).min(window.seconds);
        if moments.is_empty() || first > last || first.is_nan() || last.is_nan() {
            return;
        }
        let time = self.clip.time();
        let start = self.unfolded(0.0);
        let end = self.unfolded(if window.goes_on { window.seconds.max(self.length) } else { self.length });
        let (low, high) = (start.min(end), start.max(end));
        let slack = SLACK * (1.0 + self.speed.abs());
        let key_at = |key: usize, at: f64| {
            let is_last = moments[key] >= time.length && at <= high + slack;
            let since = ((at - start) / self.speed).max(0.0);
            let is_seen = if window.with_end {
                since <= window.seconds + SLACK
            } else {
                since < window.seconds - SLACK
            };
            let time = within(window.begins + since);
            let is_passed =
                at >= low - slack && (at < high - slack || is_last) && is_seen && stretch.holds(time);
            is_passed.then(|| SequenceKey { clip: 0, key, time, weight: weight(since) })
        };
        // Somewhat more than what is asked for: `key_at` decides.
        let (a, b) = (self.unfolded(first), self.unfolded(last));
        let (a, b) = (a.min(b) - slack, a.max(b) + slack);
        let (from, to) = if (self.speed < 0.0) == stretch.is_backwards() { (a, b) } else { (b, a) };
        let mut missed = 0;
        for round in self.repetitions(from, to) {
            let shift = round * time.length;
            for piece in time.passage(from - shift, to - shift, true).stretches() {
                let (least, most) = piece.range_of(moments);
                let mut found = false;
                for i in 0..most - least {
                    let key = if piece.is_backwards() { most - 1 - i } else { least + i };
                    let Some(key) = key_at(key, piece.at(moments[key]) + shift) else { continue };
                    found = true;
                    if !see(key) {
                        return;
                    }
                }
                missed = if found { 0 } else { missed + 1 };
                if missed > MOST_MISSED {
                    return;
                }
            }
        }
    }

    /// The repetitions of its clip between two of its times, in the order in which they are passed. A looping
    /// clip repeats by itself.
    fn repetitions(&self, from: f64, to: f64) -> impl Iterator<Item = f64> {
        let has_end = self.clip.time().has_end();
        let round = |at: f64| if has_end { self.in_round(at).1 } else { 0.0 };
        // The end of one is the start of the next.
        let before = |at: f64| (round(at) - 1.0).max(0.0);
        let (from, to) = if to < from { (round(from), before(to)) } else { (before(from), round(to)) };
        let by = if to < from { -1.0 } else { 1.0 };
        // The conversion saturates.
        (0..=(to - from).abs() as u64).map(move |count| from + by * count as f64)
    }
}
