//! Targets out of reach: see [`nearest`](super::nearest).

use kurbo::Vec2;

use super::linkage::Motion;
use super::nearest::link;
use super::search::Solver;
use crate::Angle;
use crate::constraint::range::within;

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
/// The number of directions in which the chain is extended as the start of other searches.
const DIRECTIONS: usize = 12;
/// Another solution counts as nearer from this share of the chain's length on.
const CLEARLY: f64 = 2e-4;
/// A target this share of the length beyond the farthest point in its direction is out of reach. The farthest
/// point is known up to the spacing of the grid.
const BEYOND: f64 = 2e-3;

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

    /// Whether the target of one chain is beyond its limits, by how far it reaches in the direction of the
    /// target.
    pub(super) fn is_beyond_limits(&mut self) -> bool {
        let joints = &self.linkage.nodes;
        if !(self.chain && joints.iter().all(|node| !matches!(node.motion, Motion::Slide(_)))) {
            return false;
        }
        self.extents.measure(&self.linkage);
        let way = self.linkage.ends[0].target - self.linkage.base(0);
        let (_, farthest) = self.extents.farthest(0, -Angle::of(way).degrees());
        way.hypot() > farthest + BEYOND * self.size
    }

    /// Moves the end of a chain as near to its target as limits allow, from the pose that reaches farthest.
    /// True if no other pose can be clearly nearer: the chain does not reach farther in the direction from
    /// its end to the target.
    pub(super) fn approach_from_farthest(&mut self) -> bool {
        self.begin_tree();
        self.goals[0] = self.linkage.ends[0].target;
        self.extend(Angle::ZERO);
        self.approach();
        let (base, tip) = (self.linkage.base(0), self.linkage.tips[0]);
        let way = self.goals[0] - tip;
        let (_, farthest) = self.extents.farthest(0, -Angle::of(way).degrees());
        farthest - way.dot(tip - base) / way.hypot() <= CLEARLY * self.size
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
        let chain = self.linkage.is_chain();
        let directions = if chain { DIRECTIONS } else { 0 };
        if chain {
            self.extents.measure(&self.linkage);
        }
        for start in 0..STARTS.len() + directions {
            if let Some((upto, first, second)) = STARTS.get(start) {
                let upto = upto * self.linkage.nodes.len() as f64;
                self.spread(|joint| if (joint as f64) < upto { *first } else { *second });
            } else {
                let turn = Angle::from_degrees(360.0 * (start - STARTS.len()) as f64 / DIRECTIONS as f64);
                self.extend(turn);
            }
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

impl Solver {
    /// Sets a chain to the pose that reaches farthest in a direction within its limits, up to the spacing of
    /// the grid. `turn` is the direction from that to the target.
    fn extend(&mut self, turn: Angle) {
        let linkage = &mut self.linkage;
        let towards = Angle::of(linkage.ends[0].target - linkage.base(0)) + turn;
        let mut above = -towards.degrees();
        for (i, (value, node)) in linkage.values.iter_mut().zip(&linkage.nodes).enumerate() {
            let (by, _) = self.extents.farthest(i, above);
            above += by;
            *value = within(Angle::from_degrees(by - node.degrees).radians(), node.least, node.most);
        }
        linkage.place();
    }
}
