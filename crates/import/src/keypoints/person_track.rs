//! One person over time.

use super::person::{PersonPose, extent};
use super::similarity::Similarity;
use crate::statistics::median;

/// One person over time.
#[derive(Clone, Debug)]
pub(super) struct PersonTrack {
    /// The first frame.
    pub(super) first: usize,
    /// From then on an entry for each frame; `None` where the person was not detected. The last entry is a
    /// detection.
    pub(super) bodies: Vec<Option<PersonPose>>,
    /// Where the picture jumps, in ascending order of frames.
    pub(super) jumps: Vec<PictureJump>,
}

/// A jump of the picture: a crop that moved, or a cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PictureJump {
    /// The first frame after the jump.
    pub(super) frame: usize,
    /// From positions before the jump to positions after it.
    pub(super) by: Similarity,
}

impl PersonTrack {
    /// The number of frames with a detection.
    pub(super) fn found(&self) -> usize {
        self.bodies.iter().flatten().count()
    }

    /// The median size in the picture, in pixels.
    pub(super) fn size(&self) -> f64 {
        median(self.bodies.iter().flatten().map(extent))
    }

    /// The last frame.
    pub(super) fn last(&self) -> usize {
        self.first + self.bodies.len().max(1) - 1
    }

    /// Takes the detections of another track for frames without one.
    pub(super) fn fill_from(&mut self, other: &Self) {
        for (at, body) in other.bodies.iter().enumerate().filter(|(_, body)| body.is_some()) {
            let here = (other.first + at).checked_sub(self.first).and_then(|at| self.bodies.get_mut(at));
            if let Some(here) = here {
                *here = here.or(*body);
            }
        }
    }

    /// The detections as if the picture had not jumped: all positions are those of the first part.
    pub(super) fn without_jumps(&self) -> Vec<Option<PersonPose>> {
        let mut bodies = self.bodies.clone();
        for jump in self.jumps.iter().rev() {
            for body in bodies.iter_mut().skip(jump.frame - self.first).flatten() {
                *body = jump.by.inverse().pose(body);
            }
        }
        bodies
    }
}

/// A person who was not detected for this many seconds becomes a new person.
pub(super) const MAX_GAP_SECONDS: f64 = 1.0;
