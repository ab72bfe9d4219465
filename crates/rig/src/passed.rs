//! What a step of a clip passes. Steps of a [`Mixer`](crate::Mixer) and frames of a render report events by the
//! same rule, [`Passage`].

use std::ops::Range;

use bone_core::clip::{Passage, PassedStretch, SequenceKey, same_frame};

use crate::clip::RigClip;
use crate::events::{ClipEvents, EventId};

/// The greatest number of events and cues that one step reports.
pub(crate) const MOST_PASSED: usize = 1000;

/// An event in the frames of a render.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameEvent {
    /// The frame that owns it.
    pub frame: u64,
    /// Seconds since the start of the clip.
    pub time: f64,
    /// The event.
    pub event: EventId,
    /// The weight of its clip in a sequence; 1 in a clip.
    pub weight: f64,
}

/// What a step passes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Passed {
    Event(EventId, f64),
    Cue(usize),
}

/// Memory for what a stretch of a clip passes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passings {
    found: Vec<Passing>,
    count: usize,
}

#[derive(Clone, Copy, Debug)]
struct Passing {
    time: f64,
    /// For what is passed at the same time.
    order: usize,
    what: Passed,
}

/// How much of a stretch is kept before what comes later is dropped.
const MOST_KEPT: usize = 3 * (MOST_PASSED + 1);

impl Passings {
    /// Memory for the clips of a rig and a number of cues.
    pub(crate) fn reserve(&mut self, clips: &[RigClip], cues: usize) {
        let most = clips.iter().map(RigClip::most_events).max().unwrap_or(0).saturating_add(cues);
        self.found.clear();
        self.found.reserve(most.min(MOST_KEPT + 1));
    }

    /// Reports the events, if they are asked for, and the cues, by their moments in the clip, that a step passes, in the order in which
    /// it does: the first `most` of them. Returns whether there are more.
    pub(crate) fn report(
        &mut self,
        clip: &RigClip,
        cues: impl Iterator<Item = (usize, f64)> + Clone,
        with_events: bool,
        (passage, most): (Passage, usize),
        mut report: impl FnMut(f64, Passed),
    ) -> bool {
        let mut left = most;
        let mut stretches = passage.stretches();
        while let Some(stretch) = stretches.next() {
            self.found.clear();
            if with_events {
                clip.events_in(&stretch, left, |time, event, weight| {
                    self.keep(&stretch, left, time, Passed::Event(event, weight));
                });
            }
            for (cue, time) in cues.clone().filter(|(_, time)| stretch.holds(*time)) {
                self.keep(&stretch, left, time, Passed::Cue(cue));
            }
            if self.found.is_empty() && stretch.is_whole() {
                stretches.skip_whole();
            }
            self.sort(&stretch);
            for passing in &self.found {
                let Some(less) = left.checked_sub(1) else { return true };
                left = less;
                report(stretch.at(passing.time), passing.what);
            }
        }
        false
    }

    fn keep(&mut self, stretch: &PassedStretch, most: usize, time: f64, what: Passed) {
        if self.found.len() >= MOST_KEPT {
            self.sort(stretch);
            self.found.truncate(most + 1);
        }
        self.count += 1;
        self.found.push(Passing { time, order: self.count, what });
    }

    fn sort(&mut self, stretch: &PassedStretch) {
        let times = |a: &Passing, b: &Passing| {
            if stretch.is_backwards() { b.time.total_cmp(&a.time) } else { a.time.total_cmp(&b.time) }
        };
        self.found.sort_unstable_by(|a, b| times(a, b).then(a.order.cmp(&b.order)));
    }
}

impl RigClip {
    /// The events of one of its clips.
    fn events_of(&self, clip: usize) -> Option<&ClipEvents> {
        self.sources().get(clip).map(|data| &data.events)
    }

    /// Whether one of its clips has events.
    pub(crate) fn has_events(&self) -> bool {
        self.sources().iter().any(|data| !data.events.times().is_empty())
    }

    /// How many events a stretch of its time can hold at most.
    fn most_events(&self) -> usize {
        match self.data() {
            Some(data) => data.events.times().len(),
            None if self.has_events() => usize::MAX,
            None => 0,
        }
    }

    /// The events in a stretch of its time, with their weights: more than `most` of each of its clips if there
    /// are more.
    fn events_in(&self, stretch: &PassedStretch, most: usize, mut see: impl FnMut(f64, EventId, f64)) {
        let Some(sequence) = self.sequence() else {
            let Some(events) = self.events_of(0) else { return };
            let times = events.times();
            let (from, to) = stretch.range_of(times);
            let order = (0..to - from).map(|i| if stretch.is_backwards() { to - 1 - i } else { from + i });
            let held = order.filter(|i| stretch.holds(times[*i])).take(most.saturating_add(1));
            for i in held {
                events.event(i).into_iter().for_each(|event| see(times[i], event, 1.0));
            }
            return;
        };
        let moments = |clip: usize| self.events_of(clip).map_or(&[][..], |events| events.times());
        let (mut seen, mut of) = (0, 0);
        let parts = sequence.part_count();
        sequence.keys_in(moments, stretch, &mut |key: SequenceKey| {
            // All parts are one list, each layer is another one.
            if key.clip >= parts && key.clip != of {
                (seen, of) = (0, key.clip);
            }
            seen += 1;
            let event = self.events_of(key.clip).and_then(|events| events.event(key.key));
            event.into_iter().for_each(|event| see(key.time, event, key.weight));
            seen <= most
        });
    }

    /// The events that frames of a render own: frame n those after the time of frame n - 1, up to its own
    /// time. Frame 0 also has those at 0, and the last frame of a whole loop those until it repeats. At most
    /// `most` of them, and whether there are more.
    pub fn frame_events(&self, fps: f64, frames: Range<u64>, most: usize) -> (Vec<FrameEvent>, bool) {
        let slack = same_frame(fps);
        let mut events = Vec::new();
        let Some(last) = frames.end.checked_sub(1).filter(|last| frames.start <= *last) else {
            return (events, false);
        };
        let until = |frame: u64| (frame as f64 + slack) / fps;
        let (from, with_from) =
            frames.start.checked_sub(1).map_or((0.0, true), |before| (until(before), false));
        let time = self.time();
        let is_loop = !time.has_end() && frames.end == self.frame_count(fps);
        let to = if is_loop { time.length.next_down() } else { until(last) };
        let passage = time.passage(from, to.max(from), with_from);
        let more =
            Passings::default().report(self, std::iter::empty(), true, (passage, most), |time, passed| {
                if let Passed::Event(event, weight) = passed {
                    let frame = (time * fps - slack).ceil().max(0.0) as u64;
                    events.push(FrameEvent { frame: frame.clamp(frames.start, last), time, event, weight });
                }
            });
        (events, more)
    }
}
