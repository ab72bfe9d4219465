//! Events: moments of clips that have a name, and what they carry. Which of them a step passes is in `passed`.

use bone_archive::archive;
use bone_core::clip::ClipTime;

/// What happens at a moment of a clip. Events with the same name and payload are one.
#[derive(Clone, Debug, PartialEq)]
pub struct RigEvent {
    /// Its name; of a sound its file, relative to the rig.
    pub name: String,
    /// What it carries.
    pub payload: EventPayload,
}

archive! {
    /// What an event carries.
    #[derive(Clone, Debug, PartialEq, Default)]
    pub enum EventPayload {
        /// Nothing.
        #[default]
        None = 0,
        /// A text.
        Text(String) = 1,
        /// A number.
        Number(f64) = 2,
        /// Values with names, in the order of the file.
        Values(Vec<(String, EventValue)>) = 3,
        /// A sound begins.
        Sound(RigSound) = 4,
    }
}

/// How a sound is played.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct RigSound {
    /// Seconds of the file that are left out before it.
    pub from: f64,
    /// Decibels by which it is louder.
    pub gain: f64,
    /// Seconds in which it comes and goes.
    pub fade: (f64, f64),
}

archive!(struct RigSound { from, gain, fade });

archive! {
    /// A value with a name in the payload of an event.
    #[derive(Clone, Debug, PartialEq)]
    pub enum EventValue {
        /// A number.
        Number(f64) = 0,
        /// A text.
        Text(String) = 1,
        /// A truth value.
        Flag(bool) = 2,
    }
}

archive!(struct RigEvent { name, payload });

/// An event of a rig: its place in [`Rig::events`](crate::Rig::events).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(u32);

impl EventId {
    /// The event at a place.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Its place.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The events of a clip, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipEvents {
    times: Vec<f64>,
    events: Vec<u32>,
}

archive!(struct ClipEvents { times, events }
    if |it| it.times.len() == it.events.len() && it.times.is_sorted(), "events of a clip");

impl ClipEvents {
    /// Events at times of the keys of a clip. Those outside of it never happen.
    pub fn new(time: ClipTime, keys: impl IntoIterator<Item = (f64, EventId)>) -> Self {
        let mut keys: Vec<(f64, u32)> =
            keys.into_iter().filter_map(|(at, event)| Some((time.moment(at)?, event.0))).collect();
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (times, events) = keys.into_iter().unzip();
        Self { times, events }
    }

    /// Time and event of each.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (f64, EventId)> {
        self.times.iter().zip(&self.events).map(|(time, event)| (*time, EventId(*event)))
    }

    /// Their times in the clip.
    pub(crate) fn times(&self) -> &[f64] {
        &self.times
    }

    /// The event at a place of the list.
    pub(crate) fn event(&self, index: usize) -> Option<EventId> {
        self.events.get(index).copied().map(EventId)
    }

    /// Whether there are no others than the first `count` events of a rig.
    pub(crate) fn fit(&self, count: usize) -> bool {
        self.events.iter().all(|event| (*event as usize) < count)
    }
}
