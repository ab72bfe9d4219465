//! Whether a walk through a graph moves like its captures: speed and acceleration of the hips beside those of
//! the captures.

use bone_import::PlanarMotion;

use super::MotionGraph;

/// The hips of a walk beside those of its captures, both smoothed over a tenth of a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkQuality {
    /// The highest speed along the ground, as a multiple of the highest in the captures.
    pub speed: f64,
    /// The largest acceleration along the ground, as a multiple of the largest in the captures.
    pub acceleration: f64,
}

impl WalkQuality {
    /// Whether the hips leap: they are clearly faster than in any capture.
    pub fn leaps(self) -> bool {
        self.speed > 1.6 || self.acceleration > 4.0
    }
}

impl MotionGraph {
    /// Compares the motion of a walk, `height` units tall, with the captures of the graph.
    pub fn quality(&self, motion: &PlanarMotion, height: f64) -> WalkQuality {
        let sources = self.clips.iter().map(|clip| peaks(&clip.motion, 1.0));
        let most = sources.fold((1e-9_f64, 1e-9_f64), |most, here| (most.0.max(here.0), most.1.max(here.1)));
        let here = peaks(motion, height);
        WalkQuality { speed: here.0 / most.0, acceleration: here.1 / most.1 }
    }
}

/// The highest speed and the largest acceleration of the hips along the ground, in heights and seconds.
fn peaks(motion: &PlanarMotion, height: f64) -> (f64, f64) {
    let (base, rate) = (motion.base(), motion.rate());
    let reach = ((0.05 * rate).round() as usize).max(1);
    let frames = motion.frames();
    let x = |frame: usize| motion.position(frame, base).x / height;
    let step = reach as f64 / rate;
    let (mut speed, mut acceleration) = (0.0_f64, 0.0_f64);
    for frame in reach..frames.saturating_sub(reach) {
        let (before, here, after) = (x(frame - reach), x(frame), x(frame + reach));
        speed = speed.max((after - before).abs() / (2.0 * step));
        acceleration = acceleration.max((after - 2.0 * here + before).abs() / (step * step));
    }
    (speed, acceleration)
}
