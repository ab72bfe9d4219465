//! The search for several ends: see [`many`](super::many).

use super::linkage::{Motion, ROOT};
use super::many::PENALTY;
use super::search::{BEND_HINT, CLOSE, Found, PERTURBATION, PolarPath, SETTLED, Solver};
use super::tree::TreeRequest;
use crate::Angle;
use crate::constraint::range::within;

const MOST_PENALTY: f64 = 1e10;
/// The factor of the first penalty where only the miss matters.
const NEAREST: f64 = 1e4;
/// A penalty that does not reduce the miss to this share grows by this factor.
const REDUCED: f64 = 0.3;
const HARDER: f64 = 10.0;
/// No joint rotates further in one step, radians.
const LONGEST_STEP: f64 = 0.6;
/// Joints that would move by less than this (radians) are near the least of the current sum.
const NEAR: f64 = 1e-3;
/// Steps at an intermediate target, at the last one, and from another start.
const STEPS_ON_THE_WAY: usize = 2;
const STEPS: usize = 120;
/// Rotation of the joints of a straight limb that is tried again.
const KINK: f64 = 0.5;
/// A second try counts from this share of the reach on.
const NEARER: f64 = 1e-6;
/// Ends this close, as a share of the reach, are about to meet their goals.
const NEARLY: f64 = 1e-5;
/// Rounds of a step over the limits that it meets.
const ROUNDS: usize = 4;
/// A step that makes the sum larger is shortened to this share, at most so many times.
const SHORTER: f64 = 0.4;
const SHORTENED: usize = 12;
/// Where another search begins: a share of each joint's range.
const STARTS: [f64; 3] = [0.5, 0.2, 0.8];

impl Solver {
    /// Whether there are several ends, on similar links.
    pub(super) fn is_tree(&self) -> bool {
        self.linkage.ends.len() > 1 && self.linkage.similar
    }

    /// Solves for `linkage.values`, from the animated pose.
    pub(super) fn solve_tree(&mut self) -> Found {
        self.begin_tree();
        self.follow_paths();
        let found = self.measure();
        if found.reached {
            return found;
        }
        self.best.clone_from(&self.linkage.values);
        // A limb that is straight at a limit has no direction in which it gets shorter.
        self.bend_limbs(KINK);
        self.many.restart(self.size);
        self.minimise(STEPS);
        let now = self.measure();
        if now.reached {
            return now;
        }
        if now.miss < found.miss - NEARER * self.size {
            self.best.clone_from(&self.linkage.values);
        }
        for share in STARTS {
            self.spread(|_| share);
            self.many.restart(self.size);
            self.minimise(STEPS);
            let found = self.measure();
            if found.reached {
                return found;
            }
        }
        self.linkage.values.clone_from(&self.best);
        self.linkage.place();
        self.measure()
    }

    /// Prepares the memory for the linkage.
    pub(super) fn begin_tree(&mut self) {
        self.many.begin(&self.linkage);
        self.many.restart(self.size);
    }

    /// Moves the ends as near to the goals as possible, from the current values.
    pub(super) fn approach(&mut self) {
        self.many.restart(self.size);
        self.many.penalty *= NEAREST;
        self.minimise(STEPS);
    }

    /// All goals go along polar paths, each about the joint above which other ends are carried, too, and
    /// through the directions that the limits of the limb allow.
    fn follow_paths(&mut self) {
        let mut stages = 1;
        self.middle_of_limbs();
        for e in 0..self.goals.len() {
            let base = self.linkage.origins[self.limb(e)];
            self.goals[e] = self.linkage.tips[e] - base;
        }
        self.rest();
        for e in 0..self.goals.len() {
            let limb = self.limb(e);
            let base = self.linkage.origins[limb];
            let mut way = PolarPath::between(base, self.linkage.tips[e], self.linkage.ends[e].target);
            let node = &self.linkage.nodes[limb];
            if node.least.is_finite() && node.most.is_finite() {
                way.turn_through(Angle::of(self.goals[e]));
            }
            stages = stages.max(way.stages(self.size));
            self.paths[e] = way;
        }
        self.bend_limbs(PERTURBATION);
        for stage in 1..stages {
            for (goal, path) in self.goals.iter_mut().zip(&self.paths) {
                *goal = path.at(stage as f64 / stages as f64);
            }
            self.minimise(STEPS_ON_THE_WAY);
        }
        for (goal, end) in self.goals.iter_mut().zip(&self.linkage.ends) {
            *goal = end.target;
        }
        self.many.restart(self.size);
        self.minimise(STEPS);
    }

    /// Sets the joints that carry one end alone to the middle of their limits.
    fn middle_of_limbs(&mut self) {
        for e in 0..self.linkage.ends.len() {
            let first = self.limb(e);
            let mut at = self.linkage.ends[e].node;
            loop {
                let node = &self.linkage.nodes[at];
                if node.least.is_finite() && node.most.is_finite() {
                    self.linkage.values[at] = 0.5 * (node.least + node.most);
                }
                if at == first {
                    break;
                }
                at = node.parent;
            }
        }
        self.linkage.place();
    }

    /// The first joint that carries only this end; without one the end's own.
    fn limb(&self, e: usize) -> usize {
        let nodes = &self.linkage.nodes;
        let alone = |at: usize| {
            (0..self.linkage.ends.len())
                .all(|other| other == e || !self.linkage.carries(at, self.linkage.ends[other].node))
        };
        let mut at = self.linkage.ends[e].node;
        while nodes[at].parent != ROOT && alone(nodes[at].parent) {
            at = nodes[at].parent;
        }
        at
    }

    /// Bends each limb that is nearly straight to its own side, or to that with more room: straight, it has
    /// no direction in which it gets shorter.
    fn bend_limbs(&mut self, by: f64) {
        for e in 0..self.linkage.ends.len() {
            let first = self.limb(e);
            let (base, tip) = (self.linkage.origins[first], self.linkage.tips[e]);
            let (mut over, mut room) = (0.0, 0.0);
            let mut far = tip;
            let mut at = self.linkage.ends[e].node;
            while at != first {
                let near = self.linkage.origins[at];
                over += (near - base).cross(far - base);
                far = near;
                let node = &self.linkage.nodes[at];
                room += within(node.most + node.least - 2.0 * self.linkage.values[at], -1.0, 1.0);
                at = node.parent;
            }
            let long = (tip - base).hypot2();
            if over.abs() > BEND_HINT * long {
                continue;
            }
            let straight = over.abs() <= 1e-3 * long;
            let positive = if straight { room >= 0.0 } else { over > 0.0 };
            let by = if positive { by } else { -by };
            let mut at = self.linkage.ends[e].node;
            while at != first {
                let node = &self.linkage.nodes[at];
                if node.motion == Motion::Turn {
                    let value = &mut self.linkage.values[at];
                    *value = within(*value + by, node.least, node.most);
                }
                at = node.parent;
            }
        }
        self.linkage.place();
    }

    /// Sets each joint to a share of its range; joints without limits stay as animated.
    pub(super) fn spread(&mut self, share: impl Fn(usize) -> f64) {
        for (i, (value, node)) in self.linkage.values.iter_mut().zip(&self.linkage.nodes).enumerate() {
            let limited = node.least.is_finite() && node.most.is_finite();
            let to = if limited { node.least + (node.most - node.least) * share(i) } else { 0.0 };
            *value = within(to, node.least, node.most);
        }
        self.linkage.place();
    }

    /// Steps towards the least sum, from the current values.
    fn minimise(&mut self, steps: usize) {
        for _ in 0..steps {
            self.steps += 1;
            self.linkage.differentiate();
            self.many.tree.place(&self.linkage);
            for ((wanted, goal), tip) in self.many.wanted.iter_mut().zip(&self.goals).zip(&self.linkage.tips)
            {
                *wanted = *goal - *tip;
            }
            let sum = self.sum();
            self.slopes();
            let share = self.newton_step();
            let longest = self.longest();
            let error = self.error();
            if longest.is_nan() || (longest < SETTLED && error < CLOSE * self.size) {
                return;
            }
            let full = self.go(sum, if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 });
            let error = self.error();
            std::mem::swap(&mut self.many.multiplier, &mut self.many.next_multiplier);
            if full && share == 1.0 && longest < 1e-5 && error < CLOSE * self.size {
                return;
            }
            if !self.renew(full, longest, error) {
                return;
            }
        }
    }

    /// The sum of change, multipliers and penalty at the current place.
    fn sum(&self) -> f64 {
        let mut sum = self.change();
        for ((held, goal), tip) in self.many.held.iter().zip(&self.goals).zip(&self.linkage.tips) {
            let off = *tip - *goal;
            sum += held.dot(off) + 0.5 * self.many.penalty * off.hypot2();
        }
        sum
    }

    /// The derivative of the sum by each joint, and the joints that are held by their limits.
    fn slopes(&mut self) {
        let n = self.linkage.nodes.len();
        let many = &mut self.many;
        for (i, node) in self.linkage.nodes.iter().enumerate() {
            let value = self.linkage.values[i];
            let mut slope = value / node.compliance;
            for (e, (held, wanted)) in many.held.iter().zip(&many.wanted).enumerate() {
                slope += self.linkage.columns[e * n + i].dot(*held - *wanted * many.penalty);
            }
            many.gradient[i] = slope;
            let at_limit = (value <= node.least && slope >= 0.0) || (value >= node.most && slope <= 0.0);
            many.given[i] = (at_limit || node.motion == Motion::Still).then_some(0.0);
        }
    }

    /// A step of all joints, into `next`: those that it would take beyond a limit end there, and the others
    /// are computed again. Returns the share of the curvature in it.
    fn newton_step(&mut self) -> f64 {
        let many = &mut self.many;
        let mut share = 0.0;
        for round in 0..if many.cautious { 1 } else { ROUNDS } {
            let request = TreeRequest {
                wanted: &many.wanted,
                held: &many.held,
                damping: 1.0 / many.penalty,
                given: &many.given,
            };
            many.step_multiplier.clone_from(&many.multiplier);
            let found = many.tree.step(&self.linkage, &request, &mut many.step_multiplier, &mut many.steps);
            let values = self.linkage.values.iter().zip(&self.linkage.nodes);
            if many.cautious {
                // Only as far as the first limit: that is downhill in any case.
                let mut by = 1.0_f64;
                for ((value, node), step) in values.clone().zip(&many.steps) {
                    let to = within(value + step, node.least, node.most);
                    if to != value + step {
                        by = by.min((to - value) / step);
                    }
                }
                many.steps.iter_mut().for_each(|step| *step *= by);
            }
            let mut met = false;
            let mut downhill = 0.0;
            for (((value, node), (given, step)), slope) in
                values.zip(many.given.iter_mut().zip(&mut many.steps)).zip(&many.gradient)
            {
                let to = within(value + *step, node.least, node.most);
                if given.is_none() && to != value + *step {
                    (*given, met) = (Some(to - value), true);
                }
                *step = to - value;
                downhill += *step * slope;
            }
            if round > 0 && downhill >= 0.0 {
                break;
            }
            share = found;
            many.next_multiplier.clone_from(&many.step_multiplier);
            for ((next, value), step) in self.next.iter_mut().zip(&self.linkage.values).zip(&many.steps) {
                *next = value + step;
            }
            if !met {
                break;
            }
        }
        share
    }

    /// Moves towards `next` while the sum gets smaller (Armijo's rule). True for the whole step.
    fn go(&mut self, sum: f64, mut by: f64) -> bool {
        let full = by >= 1.0;
        self.before.copy_from_slice(&self.linkage.values);
        let steps = self.next.iter().zip(&self.before).zip(&self.many.gradient);
        let slope: f64 = steps.map(|((to, from), slope)| (to - from) * slope).sum();
        let rounding = 1e-14 * (sum.abs() + self.change());
        for shortened in 0..SHORTENED {
            let ways = self.before.iter().zip(&self.next).zip(&self.linkage.nodes);
            for (value, ((from, to), node)) in self.linkage.values.iter_mut().zip(ways) {
                *value = within(from + (to - from) * by, node.least, node.most);
            }
            self.linkage.place();
            if self.sum() <= sum + 1e-4 * by * slope.min(0.0) + rounding {
                self.many.cautious = false;
                return full && shortened == 0;
            }
            by *= SHORTER;
        }
        self.linkage.values.copy_from_slice(&self.before);
        self.linkage.place();
        self.many.cautious = true;
        false
    }

    /// New multipliers where the miss became smaller, and a greater penalty where it did not. False where the
    /// penalty has no more to give: the ends are nearest.
    fn renew(&mut self, full: bool, longest: f64, error: f64) -> bool {
        let size = self.size;
        let many = &mut self.many;
        let unit = 1.0 / (size * size);
        if full && error <= REDUCED * many.renewed_at {
            many.held.clone_from(&many.multiplier);
            many.renewed_at = error;
            let wanted = within(size / error.max(1e-300), PENALTY, 1e8) * unit;
            many.penalty = many.penalty.max(wanted);
        } else if longest < NEAR {
            // Not where the ends stay far from their goals: there the multipliers would grow without bound.
            if full && error < NEARLY * size {
                many.held.clone_from(&many.multiplier);
            }
            if many.penalty >= MOST_PENALTY * unit {
                return longest > SETTLED;
            }
            if error > CLOSE * size {
                many.penalty *= HARDER;
            }
        }
        true
    }
}
