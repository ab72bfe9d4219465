//! Least change: the joint values nearest to the animated pose that put every end on its target, within
//! limits. The search starts from that pose alone, so a frame never depends on another one. It does not
//! allocate after its first call.
//!
//! With `d` the change of the joints, `W` their compliance and `p(d)` the ends: minimise `1/2 d^T W^-1 d`
//! subject to `p(d) = t` and `least <= d <= most`. This module has the search: its start, the intermediate
//! targets, the step lengths, and the restarts. The steps themselves are those of `newton` for one chain and
//! of `plain` for all else.

use kurbo::Vec2;

use super::linkage::Motion;
use super::search::{BEND_HINT, BendHint, CLOSE, Found, PERTURBATION, PolarPath, SETTLED, Solver};
use crate::Angle;
use crate::constraint::range::within;

/// Ends this close count as reached after the last step.
const REACHED: f64 = 1e-8;
/// After a full step shorter than this, whose square is negligible, no other step is taken.
const SHORT: f64 = 1e-4;
/// No joint rotates further in one step: beyond, the linearisation is not valid.
const LONGEST_STEP: f64 = 0.6;
/// Steps at an intermediate target, at the last one, and from another start. A dozen is usual; a pose near a
/// saddle point takes a hundred. If it were given up, one frame would show the pose from another start.
const STEPS_ON_THE_WAY: usize = 2;
const STEPS: usize = 150;
const STEPS_AGAIN: usize = 60;
/// Restarts, if the first search fails although the target is in reach.
const RESTARTS: usize = 24;
/// A step is halved at most this many times, then taken in any case.
const HALVINGS: usize = 6;
/// Links within this share of the reach from a line are on it.
const FLAT: f64 = 1e-3;

impl Solver {
    /// Solves for `linkage.values`.
    pub(super) fn solve(&mut self, hint: BendHint) -> Found {
        self.begin();
        if self.is_tree() {
            return self.solve_tree();
        }
        let out_of_reach = self.limit_to_reach();
        if out_of_reach && self.straighten() {
            self.linkage.place();
            return Found { reached: false, ..self.measure() };
        }
        if out_of_reach && self.is_far_from_limits() {
            return Found { reached: false, ..self.measure() };
        }
        self.travel(0.0, if hint == BendHint::Either { BendHint::None } else { hint });
        let mut found = self.measure();
        if !out_of_reach && self.is_flat() {
            self.unfold(hint, found.reached);
            found = self.measure();
        }
        self.best.clone_from(&self.linkage.values);
        if found.reached {
            if hint == BendHint::Either {
                self.search_other_branches();
            }
            return Found { reached: !out_of_reach, ..self.measure() };
        }
        if !out_of_reach {
            if self.is_far_from_limits() {
                return Found { reached: false, ..self.measure() };
            }
            for attempt in 0..RESTARTS {
                self.restart(attempt, hint);
                let found = self.measure();
                if found.reached {
                    return found;
                }
            }
        }
        // The result of the first search is kept, not the best of all restarts: neighbouring targets get
        // neighbouring poses.
        self.linkage.values.clone_from(&self.best);
        self.linkage.place();
        for (end, asked) in self.linkage.ends.iter_mut().zip(&self.asked) {
            end.target = *asked;
        }
        self.nearest();
        Found { reached: false, ..self.measure() }
    }

    /// Moves one chain as near to its target as limits allow, if that is beyond them and no other pose can be
    /// nearer.
    pub(super) fn is_far_from_limits(&mut self) -> bool {
        let moved = std::mem::replace(&mut self.linkage.ends[0].target, self.asked[0]);
        let found = self.is_beyond_limits() && self.approach_from_farthest();
        if !found {
            self.linkage.ends[0].target = moved;
            self.rest();
        }
        found
    }

    /// Turns the first joint of one chain by an angle in radians. True if this brings the end to its target
    /// within the limits.
    pub(super) fn turn_first(&mut self, turn: f64) -> bool {
        self.begin();
        let node = &self.linkage.nodes[0];
        let turns = node.motion == Motion::Turn && turn >= node.least && turn <= node.most;
        if !turns || self.linkage.values.iter().any(|value| *value != 0.0) {
            return false;
        }
        self.linkage.values[0] = turn;
        self.linkage.place();
        self.measure().reached
    }

    /// Whether all links of one chain are on a line, straight or folded.
    pub(super) fn is_flat(&self) -> bool {
        if !self.chain || self.linkage.nodes.len() < 3 {
            return false;
        }
        let along = self.linkage.tips[0] - self.linkage.base(0);
        let off =
            |at: &Vec2| (*at - self.linkage.base(0)).cross(along).abs() <= FLAT * self.size * along.hypot();
        along != Vec2::ZERO && self.linkage.origins.iter().all(off)
    }

    /// Searches for a smaller change of a chain that is folded flat, from poses that are bent farther to one
    /// side: flat, no step leads to a side, so it can meet its target far from the least change.
    pub(super) fn unfold(&mut self, hint: BendHint, reached: bool) {
        self.best.clone_from(&self.linkage.values);
        let mut least = if reached { self.change() } else { f64::INFINITY };
        let turned = self.paths[0].to.1 - self.paths[0].from.1;
        let round = if turned.degrees() > 0.0 { -360.0 } else { 360.0 };
        let sides = match hint {
            BendHint::None | BendHint::Either => [(0.0, BendHint::Positive), (0.0, BendHint::Negative)],
            side => [(0.0, side), (round, side)],
        };
        for (round, side) in sides {
            self.rest();
            self.travel(round, side);
            // Both sides of a straight chain change as much: the first one stays.
            if self.measure().reached && self.change() < least * (1.0 - 1e-6) {
                least = self.change();
                self.best.clone_from(&self.linkage.values);
            }
        }
        self.linkage.values.clone_from(&self.best);
        self.linkage.place();
    }

    /// Searches for a smaller change than the one found: perturbed to either side, and the other way round
    /// the base.
    pub(super) fn search_other_branches(&mut self) {
        let mut least = self.change();
        let turned = self.paths[0].to.1 - self.paths[0].from.1;
        let round = if turned.degrees() > 0.0 { -360.0 } else { 360.0 };
        for (round, hint) in [(0.0, BendHint::Positive), (0.0, BendHint::Negative), (round, BendHint::None)] {
            self.rest();
            self.travel(round, hint);
            if self.measure().reached && self.change() < least {
                least = self.change();
                self.best.clone_from(&self.linkage.values);
            }
        }
        self.linkage.values.clone_from(&self.best);
        self.linkage.place();
    }

    /// Sets the joints to the animated pose, clamped to their limits.
    pub(super) fn rest(&mut self) {
        for (value, node) in self.linkage.values.iter_mut().zip(&self.linkage.nodes) {
            *value = within(0.0, node.least, node.most);
        }
        self.linkage.place();
    }

    /// Reserves memory for this many joints and ends.
    pub(super) fn reserve(&mut self, joints: usize, ends: usize) {
        self.linkage.reserve(joints, ends);
        self.newton.reserve(joints);
        self.many.reserve(joints, ends);
        self.extents.reserve(joints);
        for column in [&mut self.centre, &mut self.next, &mut self.before, &mut self.best] {
            column.reserve(joints);
        }
        self.columns_before.reserve(joints * ends);
        self.asked.reserve(ends);
        self.goals.reserve(ends);
        self.paths.reserve(ends);
        self.multiplier.reserve(2 * ends);
        self.residual.reserve(2 * ends);
        self.bracket.reserve(4 * ends * ends);
    }

    pub(super) fn begin(&mut self) {
        let (n, m) = (self.linkage.nodes.len(), self.linkage.ends.len());
        for column in [&mut self.centre, &mut self.next, &mut self.before, &mut self.best] {
            column.resize(n, 0.0);
        }
        self.columns_before.resize(n * m, Vec2::ZERO);
        self.goals.resize(m, Vec2::ZERO);
        self.paths.resize(m, PolarPath::default());
        self.multiplier.resize(2 * m, 0.0);
        self.residual.resize(2 * m, 0.0);
        self.bracket.resize(4 * m * m, 0.0);
        self.steps = 0;
        self.linkage.make_room();
        self.rest();
        self.chain = self.linkage.is_chain();
        self.size = 0.0;
        for e in 0..m {
            let base = self.linkage.base(e);
            let (tip, target) = (self.linkage.tips[e], self.linkage.ends[e].target);
            let long =
                self.linkage.reach(e).map_or((tip - base).hypot().max((target - base).hypot()), |r| r.0);
            self.size = self.size.max(long);
        }
    }

    /// Moves targets that are out of reach to the nearest distance within it. True if there was one.
    pub(super) fn limit_to_reach(&mut self) -> bool {
        let mut any = false;
        self.asked.clear();
        self.asked.extend(self.linkage.ends.iter().map(|end| end.target));
        for e in 0..self.linkage.ends.len() {
            let Some((most, least)) = self.linkage.reach(e) else { continue };
            let base = self.linkage.base(e);
            let way = self.linkage.ends[e].target - base;
            let distance = way.hypot();
            let allowed = within(distance, least * (1.0 + 1e-12), most * (1.0 - 1e-12));
            if allowed != distance {
                any = true;
                let direction = if distance > 0.0 { way / distance } else { self.towards_tip(e, base) };
                self.linkage.ends[e].target = base + direction * allowed;
            }
        }
        any
    }

    pub(super) fn towards_tip(&self, e: usize, base: Vec2) -> Vec2 {
        let way = self.linkage.tips[e] - base;
        let distance = way.hypot();
        if distance > 0.0 { way / distance } else { Vec2::new(1.0, 0.0) }
    }

    /// Follows the polar paths to the targets, with this many degrees more round the base.
    pub(super) fn travel(&mut self, round: f64, hint: BendHint) {
        let mut stages = 1;
        for e in 0..self.goals.len() {
            let base = self.linkage.base(e);
            let mut way = PolarPath::between(base, self.linkage.tips[e], self.linkage.ends[e].target);
            way.to.1 += Angle::from_degrees(round);
            stages = stages.max(way.stages(self.size));
            self.paths[e] = way;
        }
        self.perturb(hint);
        for stage in 1..=stages {
            let last = stage == stages;
            for e in 0..self.goals.len() {
                self.goals[e] = if last {
                    self.linkage.ends[e].target
                } else {
                    self.paths[e].at(stage as f64 / stages as f64)
                };
            }
            self.descend(if last { STEPS } else { STEPS_ON_THE_WAY });
        }
    }

    /// Perturbs a chain to a side: that of the hint, or that of the animated pose, so that the side does not
    /// depend on the path of the target. A straight chain takes the side with more room.
    pub(super) fn perturb(&mut self, hint: BendHint) {
        let nodes = &self.linkage.nodes;
        let Some(first) = nodes.iter().position(|node| matches!(node.motion, Motion::Turn)) else { return };
        let by = match hint {
            BendHint::Positive => BEND_HINT,
            BendHint::Negative => -BEND_HINT,
            BendHint::None | BendHint::Either if self.goals.len() > 1 => return,
            BendHint::None | BendHint::Either => {
                let over = self.lies_over();
                let room: f64 =
                    nodes[first + 1..].iter().map(|node| within(node.most + node.least, -1.0, 1.0)).sum();
                let straight = over.abs() <= 1e-12 * self.size * self.size;
                let positive = if straight { room >= 0.0 } else { over > 0.0 };
                if positive { PERTURBATION } else { -PERTURBATION }
            }
        };
        for (value, node) in self.linkage.values[first + 1..].iter_mut().zip(&nodes[first + 1..]) {
            if matches!(node.motion, Motion::Turn) {
                *value = within(*value + by, node.least, node.most);
            }
        }
        self.linkage.place();
    }

    /// Twice the area between the joints and the line from the base to the end: positive if angles have
    /// grown.
    pub(super) fn lies_over(&self) -> f64 {
        let (base, tip) = (self.linkage.base(0), self.linkage.tips[0]);
        let mut over = 0.0;
        for (at, next) in self.linkage.origins.iter().zip(self.linkage.origins.iter().skip(1).chain([&tip])) {
            over += (*at - base).cross(*next - base);
        }
        over
    }

    /// Another start, the same for the same attempt: first the other way round the base, then poses from a
    /// fixed sequence.
    pub(super) fn restart(&mut self, attempt: usize, hint: BendHint) {
        self.rest();
        if attempt == 0 {
            let turned = self.paths[0].to.1 - self.paths[0].from.1;
            self.travel(if turned.degrees() > 0.0 { -360.0 } else { 360.0 }, hint);
            return;
        }
        let mut seed = attempt as u64;
        for (value, node) in self.linkage.values.iter_mut().zip(&self.linkage.nodes) {
            let (least, most) = match node.motion {
                Motion::Turn => (node.least.max(-3.0), node.most.min(3.0)),
                _ => (node.least.max(-self.size), node.most.min(self.size)),
            };
            *value = within(least + (most - least) * next_share(&mut seed), node.least, node.most);
        }
        for e in 0..self.goals.len() {
            self.goals[e] = self.linkage.ends[e].target;
        }
        self.linkage.place();
        self.descend(STEPS_AGAIN);
    }

    /// The distance of the placed ends from their targets.
    pub(super) fn measure(&self) -> Found {
        let miss = self.linkage.tips.iter().zip(&self.linkage.ends).map(|(p, e)| (e.target - *p).hypot());
        let miss = miss.fold(0.0, f64::max);
        Found { miss, reached: miss <= REACHED * self.size }
    }

    /// Iterates towards the least change with the ends on the goals, from the current values.
    pub(super) fn descend(&mut self, steps: usize) {
        let mut now = (self.change(), self.error());
        for step in 0..steps {
            self.steps += 1;
            let quick = self.aim(step == 0);
            let longest = self.longest();
            if longest.is_nan() || (longest < SETTLED && now.1 < CLOSE * self.size) {
                return;
            }
            self.before.copy_from_slice(&self.linkage.values);
            now = self.advance(now, if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 });
            if quick && longest < SHORT && now.1 < CLOSE * self.size {
                return;
            }
        }
    }

    /// The longest way of a joint to `next`: radians, or shares of the reach.
    pub(super) fn longest(&self) -> f64 {
        let mut longest = 0.0_f64;
        for ((next, value), node) in self.next.iter().zip(&self.linkage.values).zip(&self.linkage.nodes) {
            let by = (next - value).abs();
            longest = longest.max(if let Motion::Slide(_) = node.motion { by / self.size } else { by });
        }
        longest
    }

    /// One full step, into `next`: with curvature for one chain of similar links, else by plain least
    /// squares. True if steps converge quadratically here.
    pub(super) fn aim(&mut self, first: bool) -> bool {
        if self.chain {
            let mut v = if first { Vec2::ZERO } else { Vec2::new(self.multiplier[0], self.multiplier[1]) };
            let quick = self.newton.aim(&self.linkage, self.goals[0], &mut v, self.size, &mut self.next);
            (self.multiplier[0], self.multiplier[1]) = (v.x, v.y);
            quick
        } else {
            std::mem::swap(&mut self.columns_before, &mut self.linkage.columns);
            self.linkage.columns.resize(self.columns_before.len(), Vec2::ZERO);
            self.linkage.differentiate();
            let share = if first { 1.0 } else { self.share() };
            self.aim_many(share);
            false
        }
    }

    /// Takes a step towards `next`, halved while change and error together get worse. The weight of the error
    /// is larger than any multiplier, so that a full step is an improvement to first order (the exact penalty
    /// of Han, 1977). Takes and returns change and error.
    pub(super) fn advance(&mut self, (change, error): (f64, f64), mut by: f64) -> (f64, f64) {
        let weight = 2.0 * self.multiplier.iter().fold(0.0_f64, |most, u| most.max(u.abs()));
        let most = change + weight * error + 1e-12 * weight * self.size;
        let mut now = (change, error);
        for _ in 0..HALVINGS {
            for ((value, next), from) in self.linkage.values.iter_mut().zip(&self.next).zip(&self.before) {
                *value = from + (next - from) * by;
            }
            self.linkage.place();
            now = (self.change(), self.error());
            if now.0 + weight * now.1 <= most {
                break;
            }
            by *= 0.5;
        }
        now
    }

    /// Half the weighted sum of squares of the joint values.
    pub(super) fn change(&self) -> f64 {
        self.linkage
            .values
            .iter()
            .zip(&self.linkage.nodes)
            .map(|(d, node)| 0.5 * d * d / node.compliance)
            .sum()
    }

    pub(super) fn error(&self) -> f64 {
        self.linkage.tips.iter().zip(&self.goals).map(|(p, t)| (*t - *p).hypot()).fold(0.0, f64::max)
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014), in [0, 1).
fn next_share(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
