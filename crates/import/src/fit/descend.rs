//! Block coordinate descent: each value in turn is fitted to the errors of the joints that it moves, while
//! all other values stay as they are. Errors of values along one limb compensate each other, so fewer knots
//! are needed.

use bone_core::Skeleton;

use super::Fitter;

/// The number of frames around one with an error in which values follow their samples again.
const RECALLED: usize = 3;

impl Fitter<'_> {
    /// Removes knots while coordinate descent keeps the errors within the tolerance.
    pub(super) fn descend(&mut self, skeleton: &Skeleton) {
        let mut best = (self.knots(), self.values.clone(), self.translations.clone(), self.errors.clone());
        // The largest number of rounds; the first rounds gain most.
        for _ in 0..8 {
            for at in 0..self.values.len() {
                self.fit_to_joints(at);
            }
            self.replay(skeleton);
            self.insert_knots();
            self.remove_knots();
            self.remove_knots();
            // One round may add knots that the next round removes.
            if self.knots() < best.0 {
                best = (self.knots(), self.values.clone(), self.translations.clone(), self.errors.clone());
            }
        }
        (_, self.values, self.translations, self.errors) = best;
    }

    /// The number of knots of all values.
    fn knots(&self) -> usize {
        let curves = self.values.iter().filter_map(|value| value.curve.as_ref());
        curves.map(|curve| curve.knots.len()).sum::<usize>()
            + self.translations.iter().map(|translation| translation.keys().len()).sum::<usize>()
    }

    /// Fits values to their recorded samples again around the frames in which a joint that they move is off:
    /// what was asked of them to make up for others may be out of reach. Returns whether any value changed.
    pub(super) fn recall_samples(&mut self) -> bool {
        let off: Vec<Vec<usize>> = (0..self.errors.len())
            .map(|tip| (0..self.sensitivity.frames).filter(|&frame| self.is_off(tip, frame)).collect())
            .collect();
        let mut changed = false;
        for at in 0..self.values.len() {
            let value = &mut self.values[at];
            let Some(curve) = &mut value.curve else { continue };
            let mut samples = curve.samples().to_vec();
            for &(tip, _) in &self.sensitivity.moved[value.track] {
                for &frame in &off[tip] {
                    let around = frame.saturating_sub(RECALLED)..(frame + RECALLED + 1).min(samples.len());
                    samples[around.clone()].copy_from_slice(&value.samples[around]);
                }
            }
            if samples == curve.samples() {
                continue;
            }
            changed = true;
            curve.fit_to(samples);
            let pieces: Vec<usize> = (0..curve.pieces()).collect();
            self.update_errors(at, &pieces);
        }
        changed
    }

    /// Fits a value to the errors of the joints that it moves.
    fn fit_to_joints(&mut self, at: usize) {
        let value = &mut self.values[at];
        let Some(curve) = &mut value.curve else { return };
        let mut candidates: Vec<f64> = (0..self.sensitivity.frames)
            .map(|frame| {
                let (mut asked, mut levers) = (0.0, 0.0);
                for &moved in &self.sensitivity.moved[value.track] {
                    let lever = self.sensitivity.lever(value.track, moved, frame);
                    asked += lever.dot(self.errors[moved.0][frame]);
                    levers += lever.hypot2();
                }
                let more = if levers > 0.0 { asked / levers } else { 0.0 };
                value.samples[frame] + value.residuals[frame] - more
            })
            .collect();
        if self.take.looped {
            let last = candidates.len() - 1;
            candidates[last] = candidates[0] + value.samples[last] - value.samples[0];
        }
        curve.fit_to(candidates);
        curve.shift_knots();
        let pieces: Vec<usize> = (0..curve.pieces()).collect();
        self.update_errors(at, &pieces);
    }
}
