//! A clip that plays in a mixer.

use bone_core::clip::{LayerBlend, Passage, smoothstep};

use crate::clip::RigClip;
use crate::playback::{MixerEvent, Playback};

/// A clip that plays, until it has faded out.
#[derive(Clone, Debug)]
pub(crate) struct Voice {
    pub(crate) id: Playback,
    /// The clip of the rig; none for the setup pose.
    pub(crate) clip: Option<usize>,
    /// On the axis of the clip.
    pub(crate) time: f64,
    /// Seconds of the clip per second.
    pub(crate) speed: f64,
    /// Whether its time was set and no step has followed: a cue at that time is passed, too.
    pub(crate) begins: bool,
    /// Whether it has reported its end.
    pub(crate) ended: bool,
    pub(crate) fade: LayerFade,
    /// How it lies above others; none for what is played below all layers.
    pub(crate) layer: Option<LayerBlend>,
    /// The weight that the program or a machine sets.
    pub(crate) weight: f64,
    /// Whether each bone is moved.
    pub(crate) bones: Vec<bool>,
    /// The share of the whole that it has at the moment.
    pub(crate) share: f64,
    /// The state of a machine that it is a clip of; none for what a program plays.
    pub(crate) state: Option<VoiceState>,
}

/// Which clip of the machine that runs a voice is. Small, because every voice has room for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VoiceState {
    /// The number of the state that plays.
    pub(crate) play: u32,
    pub(crate) layer: u16,
    /// The clip of that state.
    pub(crate) point: u16,
    /// Whether the layer is in that state, and does not fade from it into another one.
    pub(crate) is_current: bool,
}

impl VoiceState {
    pub(crate) fn is_of(self, layer: usize, play: u32) -> bool {
        usize::from(self.layer) == layer && self.play == play
    }
}

/// A level between 0 and 1 that moves smoothly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerFade {
    from: f64,
    pub(crate) to: f64,
    pub(crate) since: f64,
    pub(crate) seconds: f64,
}

impl LayerFade {
    pub(crate) fn new(from: f64, to: f64, seconds: f64) -> Self {
        Self { from, to, since: 0.0, seconds }
    }

    pub(crate) fn level(&self) -> f64 {
        if self.since >= self.seconds {
            return self.to;
        }
        self.from + (self.to - self.from) * smoothstep(self.since / self.seconds)
    }
}

impl Voice {
    pub(crate) fn empty(bones: usize) -> Self {
        Self {
            id: Playback(0),
            clip: None,
            time: 0.0,
            speed: 1.0,
            begins: true,
            ended: false,
            fade: LayerFade::new(0.0, 1.0, 0.0),
            layer: None,
            weight: 1.0,
            bones: vec![true; bones],
            share: 0.0,
            state: None,
        }
    }

    /// How much of what is below it covers.
    pub(crate) fn level(&self) -> f64 {
        self.fade.level() * self.weight
    }

    /// Advances its time. Returns what it passes, and whether it began anew or came to its end.
    pub(crate) fn advance(&mut self, clip: &RigClip, seconds: f64) -> (Passage, Option<MixerEvent>) {
        let of = self.id;
        let (time, by) = (clip.time(), seconds * self.speed);
        let (from, to) = (self.time, self.time + by);
        let begins = self.begins && by != 0.0;
        self.begins &= by == 0.0;
        if !time.has_end() {
            let (times, local) = time.round(to);
            self.time = local;
            // The conversion saturates.
            let looped = (times != 0.0).then(|| MixerEvent::Looped { of, times: times.abs() as u32 });
            return (time.passage(from, to, begins), looped);
        }
        self.time = if by == 0.0 { to } else { to.clamp(0.0, time.length) };
        // From a time outside of the clip it jumps to an end, which may be the other way.
        let to_end = if (self.time - from) * by < 0.0 { from } else { self.time };
        let at_end = (by > 0.0 && to >= time.length) || (by < 0.0 && to <= 0.0);
        // A clip that goes from one end to the other in one step arrives there, too.
        let ended = at_end && (!self.ended || self.time != from);
        self.ended = if by == 0.0 { self.ended } else { at_end };
        (time.passage(from, to_end, begins), ended.then_some(MixerEvent::Ended { of }))
    }
}
