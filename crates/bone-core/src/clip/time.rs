//! From playback time to the time of keys.

use bone_archive::{Archive, ArchiveError, Reader, Writer};

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

impl Archive for ClipTime {
    fn write(&self, to: &mut Writer) {
        (self.length, self.looped, self.step).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (length, looped, step) = Archive::read(from)?;
        let time = Self { length, looped, step };
        let step_is_sound = time.step.is_none_or(|step| step.fps > 0.0);
        from.check(time.length > 0.0 && step_is_sound, "length of a clip")?;
        Ok(time)
    }
}
