//! Drawings that are held: animation "on twos" shows each drawing for two frames.

use bone_archive::archive;

/// How long each drawing is held.
///
/// ```
/// use bone_core::clip::Step;
///
/// let on_twos = Step { frames: 2, fps: 24.0 };
/// // Frame 7 shows the drawing of frame 6, to the bit.
/// assert_eq!(on_twos.held(7.0 / 24.0), 6.0 / 24.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Number of frames; with 0 and 1 nothing is held.
    pub frames: u32,
    /// Frames per second.
    pub fps: f64,
}

impl Step {
    /// The time of the drawing that is shown at a time.
    pub fn held(self, time: f64) -> f64 {
        /// Tolerance as a share of a drawing: the time of its first frame may be off by its last bit.
        const SLACK: f64 = 1e-6;
        if self.frames <= 1 {
            return time;
        }
        let frames = f64::from(self.frames);
        let drawing = (time * self.fps / frames + SLACK).floor();
        let held = drawing * frames / self.fps;
        if held.is_finite() { held } else { time }
    }

    /// Seconds that a drawing is held.
    pub fn seconds(self) -> f64 {
        f64::from(self.frames.max(1)) / self.fps
    }
}

archive!(struct Step { frames, fps });
