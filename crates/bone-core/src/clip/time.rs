//! From playback time to the time of keys.

use bone_archive::archive;

use super::curve::Curve;
use super::step::Step;
use super::value::Value;

/// The length of a clip and whether it loops: it maps playback time to the time of the keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipTime {
    /// Seconds.
    pub length: f64,
    /// Whether it loops.
    pub looped: bool,
    /// How long each drawing is held; none if each moment has its own.
    pub step: Option<Step>,
}

impl ClipTime {
    /// The time on the axis of the keys. Before and after a clip that does not loop, its curves are extended.
    pub fn local(&self, time: f64) -> f64 {
        let time = if self.looped { time.rem_euclid(self.length) } else { time };
        self.step.map_or(time, |step| step.held(time))
    }

    /// Lets a curve that fills this clip exactly loop with continuous speed.
    pub fn fit<T: Value>(&self, curve: &mut Curve<T>) {
        if self.looped {
            curve.close_over(self.length);
        }
    }
}

archive!(struct ClipTime { length, looped, step }
    if |time| time.length > 0.0 && time.step.is_none_or(|step| step.fps > 0.0), "length of a clip");
