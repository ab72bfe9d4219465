//! One step for ends on any tree of any links, from their linearisation alone. Without the curvature it may
//! converge slowly.
//!
//! It is the damped least squares of Nakamura and Hanafusa (1986) taken from the animated pose instead of the
//! last one: `x = W J^T (J W J^T)^-1 (e + J d)`. With limits it is a small quadratic program whose dual has
//! two unknowns for each end: `x(u) = clamp(c + W J^T u)` with `J x(u) = e + J d`, solved by Newton's method
//! over the active set.

use super::linkage::Motion;
use super::search::Solver;
use crate::constraint::range::within;
use crate::dense;

/// Newton steps over the active set; a few are enough, a cycle must end.
const ACTIVE_SETS: usize = 12;
/// Damping of the system, relative to its trace: enough to divide by, too little to have a visible effect.
const DAMPING: f64 = 1e-12;

impl Solver {
    /// The length of the step along the level set, after Barzilai and Borwein (1988): the inverse of the
    /// curvature of the Lagrangian along the last step, `1 - s^T (J - J') u / s^T W^-1 s`.
    pub(super) fn share(&self) -> f64 {
        let n = self.next.len();
        let (mut length, mut bent) = (0.0, 0.0);
        for i in 0..n {
            let s = self.linkage.values[i] - self.before[i];
            length += s * s / self.linkage.nodes[i].compliance;
            for e in 0..self.goals.len() {
                let change = self.linkage.columns[e * n + i] - self.columns_before[e * n + i];
                bent += s * (change.x * self.multiplier[2 * e] + change.y * self.multiplier[2 * e + 1]);
            }
        }
        let curvature = 1.0 - bent / length;
        // Also for NaN (no step): a full step.
        if curvature > 0.25 {
            (1.0 / curvature).max(0.05)
        } else if curvature <= 0.25 {
            4.0
        } else {
            1.0
        }
    }

    /// The quadratic program of one step, into `next`, for the plain least squares of several ends.
    pub(super) fn aim_many(&mut self, share: f64) {
        let nodes = &self.linkage.nodes;
        let (n, m) = (nodes.len(), self.goals.len());
        for ((centre, value), node) in self.centre.iter_mut().zip(&self.linkage.values).zip(nodes) {
            *centre = if matches!(node.motion, Motion::Still) { 0.0 } else { (1.0 - share) * value };
        }
        let rows = 2 * m;
        self.multiplier.fill(0.0);
        for round in 0..=ACTIVE_SETS {
            self.bracket.fill(0.0);
            for e in 0..m {
                let off = self.goals[e] - self.linkage.tips[e];
                (self.residual[2 * e], self.residual[2 * e + 1]) = (off.x, off.y);
            }
            for (i, node) in nodes.iter().enumerate() {
                let mut x = self.centre[i];
                for e in 0..m {
                    let g = self.linkage.columns[e * n + i];
                    x += node.compliance * (g.x * self.multiplier[2 * e] + g.y * self.multiplier[2 * e + 1]);
                }
                let inside = x >= node.least && x <= node.most;
                self.next[i] = within(x, node.least, node.most);
                let by = self.linkage.values[i] - self.next[i];
                for e in 0..m {
                    let g = self.linkage.columns[e * n + i];
                    self.residual[2 * e] += g.x * by;
                    self.residual[2 * e + 1] += g.y * by;
                    if !inside {
                        continue;
                    }
                    for f in 0..=e {
                        let h = self.linkage.columns[f * n + i] * node.compliance;
                        self.bracket[2 * e * rows + 2 * f] += g.x * h.x;
                        self.bracket[2 * e * rows + 2 * f + 1] += g.x * h.y;
                        self.bracket[(2 * e + 1) * rows + 2 * f] += g.y * h.x;
                        self.bracket[(2 * e + 1) * rows + 2 * f + 1] += g.y * h.y;
                    }
                }
            }
            let off = self.residual.iter().fold(0.0_f64, |most, r| most.max(r.abs()));
            if round == ACTIVE_SETS || off <= 1e-14 * self.size {
                return;
            }
            let trace: f64 = (0..rows).map(|r| self.bracket[r * rows + r]).sum();
            let damping = DAMPING * trace + f64::MIN_POSITIVE;
            for r in 0..rows {
                self.bracket[r * rows + r] += damping;
            }
            dense::solve(&mut self.bracket, &mut self.residual, damping);
            for (u, by) in self.multiplier.iter_mut().zip(&self.residual) {
                *u += by;
            }
        }
    }
}
