//! Targets out of reach: finds the pose whose ends are nearest, within the limits: in closed form for a free
//! chain, else by the sum of `many` with a penalty so great that the change of the joints is almost nothing
//! beside it.

use kurbo::Vec2;

use super::linkage::{Linkage, Motion};
use super::solver::Solver;
use crate::Angle;

/// Shares of the joints' ranges from which other searches start: of the joints up to a share of the chain,
/// and of those beyond.
const STARTS: [(f64, f64, f64); 13] = [
    (1.0, 0.0, 0.0),
    (1.0, 1.0, 0.0),
    (1.0, 0.5, 0.0),
    (1.0, 0.25, 0.0),
    (1.0, 0.75, 0.0),
    (0.5, 0.0, 1.0),
    (0.5, 1.0, 0.0),
    (0.25, 0.0, 1.0),
    (0.25, 1.0, 0.0),
    (0.75, 0.0, 1.0),
    (0.75, 1.0, 0.0),
    (0.4, 0.2, 0.7),
    (0.6, 0.8, 0.3),
];
/// Another solution counts as nearer from this share of the chain's length on.
const CLEARLY: f64 = 2e-4;

impl Solver {
    /// Straightens one free chain towards a target on the border of its reach, or folds it back. False if it
    /// is not such a chain or limits do not allow it.
    pub(super) fn straighten(&mut self) -> bool {
        let linkage = &mut self.linkage;
        let [end] = linkage.ends[..] else { return false };
        let Some((most, least)) = linkage.reach(0) else { return false };
        if !(linkage.is_chain() && linkage.nodes.iter().all(|node| node.motion == Motion::Turn)) {
            return false;
        }
        let target = end.target - linkage.base(0);
        let outwards = target.hypot() > 0.5 * (most + least);
        // Folded, the longest link points outwards and all others back.
        let mut longest = (0, 0.0);
        let mut scale = 1.0;
        for i in 0..linkage.nodes.len() {
            scale *= linkage.nodes[i].scale.x;
            let length = link(linkage, i).hypot() * scale;
            if length > longest.1 {
                longest = (i, length);
            }
        }
        let mut above = Angle::ZERO;
        for i in 0..linkage.nodes.len() {
            let forward = outwards || i == longest.0;
            let link = link(linkage, i);
            let node = &linkage.nodes[i];
            let direction = Angle::of(if forward { target } else { -target });
            // A link of length 0 has no direction: its joint stays.
            let angle = if link == Vec2::ZERO {
                Angle::from_degrees(node.degrees)
            } else {
                direction - above - Angle::of(link)
            };
            let turn = angle.nearest_to(Angle::from_degrees(node.degrees)).degrees() - node.degrees;
            let turn = Angle::from_degrees(turn).radians();
            if turn < node.least || turn > node.most {
                return false;
            }
            linkage.values[i] = turn;
            above += Angle::from_degrees(node.degrees) + Angle::from_radians(turn);
        }
        true
    }

    /// Moves the ends as near to their targets as limits allow, from the current values and from several
    /// shares of the joints' ranges. A result that is clearly nearer is taken, in a fixed order.
    pub(super) fn nearest(&mut self) {
        if !self.linkage.similar {
            return;
        }
        self.begin_tree();
        for (goal, end) in self.goals.iter_mut().zip(&self.linkage.ends) {
            *goal = end.target;
        }
        self.approach();
        let mut miss = self.measure().miss;
        self.best.clone_from(&self.linkage.values);
        for (upto, first, second) in STARTS {
            let upto = upto * self.linkage.nodes.len() as f64;
            self.spread(|joint| if (joint as f64) < upto { first } else { second });
            self.approach();
            let now = self.measure().miss;
            if now < miss - CLEARLY * self.size {
                miss = now;
                self.best.clone_from(&self.linkage.values);
            }
        }
        self.linkage.values.clone_from(&self.best);
        self.linkage.place();
    }
}

/// From joint `i` of a chain to the next, or to the end, in the joint's frame.
fn link(linkage: &Linkage, i: usize) -> Vec2 {
    linkage.nodes.get(i + 1).map_or_else(|| linkage.ends[0].local_in(linkage), |next| next.offset)
}
