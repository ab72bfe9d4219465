//! Values that make up for each other: what one curve misses, those above and below it on the limb can take over. Each value in turn is
//! fitted to what the joints ask of it while the others are as they are (Gauss and Seidel's way of least squares). Joints come nearer by it, so
//! that more nodes can be missed.

use bone_core::Skeleton;

use super::Fitter;

/// So often at most; most of what can be won is won in the first rounds.
const ROUNDS: usize = 8;

impl Fitter<'_> {
    /// Takes away nodes as long as values that make up for each other let it.
    pub(super) fn descend(&mut self, skeleton: &Skeleton) {
        let mut best = (self.knots(), self.values.clone(), self.translations.clone(), self.errors.clone());
        for _ in 0..ROUNDS {
            for at in 0..self.values.len() {
                self.fit_to_joints(at);
            }
            self.replay(skeleton);
            self.insert_knots();
            self.remove_knots();
            self.remove_knots();
            // A round may cost nodes that the next one saves.
            if self.knots() < best.0 {
                best = (self.knots(), self.values.clone(), self.translations.clone(), self.errors.clone());
            }
        }
        (_, self.values, self.translations, self.errors) = best;
    }

    /// How many nodes there are.
    fn knots(&self) -> usize {
        let curves = self.values.iter().filter_map(|value| value.curve.as_ref());
        curves.map(|curve| curve.knots.len()).sum::<usize>()
            + self.translations.iter().map(|translation| translation.keys().len()).sum::<usize>()
    }

    /// Fits a value to what its joints ask of it.
    fn fit_to_joints(&mut self, at: usize) {
        let value = &mut self.values[at];
        let Some(curve) = &mut value.curve else { return };
        let mut wanted: Vec<f64> = (0..self.sensitivity.frames)
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
            let last = wanted.len() - 1;
            wanted[last] = wanted[0] + value.samples[last] - value.samples[0];
        }
        curve.fit_to(wanted);
        let pieces: Vec<usize> = (0..curve.pieces()).collect();
        self.update_errors(at, &pieces);
    }
}
