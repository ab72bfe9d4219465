//! Values that make up for each other: what one curve misses, those above and below it on the limb can take over. Each value in turn is
//! fitted to what the joints ask of it while the others are as they are (Gauss and Seidel's way of least squares). Joints come nearer by it, so
//! that more nodes can be missed.

use bone_core::Skeleton;

use super::Work;

/// So often at most; most of what can be won is won in the first rounds.
const ROUNDS: usize = 8;

impl Work<'_> {
    /// Takes away nodes as long as values that make up for each other let it.
    pub(super) fn agree(&mut self, skeleton: &Skeleton) {
        let mut best = (self.nodes(), self.values.clone(), self.shifts.clone(), self.off.clone());
        for _ in 0..ROUNDS {
            for at in 0..self.values.len() {
                self.fit_to_joints(at);
            }
            self.refresh(skeleton);
            self.blame();
            self.thin();
            self.thin();
            // A round may cost nodes that the next one saves.
            if self.nodes() < best.0 {
                best = (self.nodes(), self.values.clone(), self.shifts.clone(), self.off.clone());
            }
        }
        (_, self.values, self.shifts, self.off) = best;
    }

    /// How many nodes there are.
    fn nodes(&self) -> usize {
        let curves = self.values.iter().filter_map(|value| value.curve.as_ref());
        curves.map(|curve| curve.nodes.len()).sum::<usize>()
            + self.shifts.iter().map(|shift| shift.keys().len()).sum::<usize>()
    }

    /// Fits a value to what its joints ask of it.
    fn fit_to_joints(&mut self, at: usize) {
        let value = &mut self.values[at];
        let Some(curve) = &mut value.curve else { return };
        let mut wanted: Vec<f64> = (0..self.places.frames)
            .map(|frame| {
                let (mut asked, mut levers) = (0.0, 0.0);
                for &moved in &self.places.moved[value.track] {
                    let lever = self.places.lever(value.track, moved, frame);
                    asked += lever.dot(self.off[moved.0][frame]);
                    levers += lever.hypot2();
                }
                let more = if levers > 0.0 { asked / levers } else { 0.0 };
                value.samples[frame] + value.misses[frame] - more
            })
            .collect();
        if self.take.looped {
            let last = wanted.len() - 1;
            wanted[last] = wanted[0] + value.samples[last] - value.samples[0];
        }
        curve.fit_to(wanted);
        let pieces: Vec<usize> = (0..curve.pieces()).collect();
        self.settle(at, &pieces);
    }
}
