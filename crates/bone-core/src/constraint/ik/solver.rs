//! Least change: the joint values nearest to the animated pose that put every end on its target, within limits.
//! It starts from that pose alone, so a frame never depends on another one; it allocates nothing once it has run.
//!
//! With `d` the change of the joints, `W` their willingness and `p(d)` the ends: minimise `1/2 d^T W^-1 d` subject to
//! `p(d) = t` and `least <= d <= most`. This is the search: where it starts, how it is led to the targets, how far a step is
//! followed, and what is tried where it fails. The steps themselves are those of `newton` for one chain and of `plain` for the rest.

use kurbo::Vec2;

use super::linkage::{Linkage, Motion};
use super::newton::Newton;
use crate::Angle;
use crate::constraint::range::within;

/// Ends closer to their targets than this share of the reach are there.
const CLOSE: f64 = 1e-10;
/// Ends this close count as there, when the last step is done.
const REACHED: f64 = 1e-8;
/// Joints that would still move by less than this (radians) have settled.
const SETTLED: f64 = 1e-7;
/// After a whole step shorter than this, whose square is nothing, nobody looks for another one.
const SHORT: f64 = 1e-4;
/// No joint turns further in one step: beyond, the linearisation means nothing.
const LONGEST_STEP: f64 = 0.6;
/// Targets travel this far between stages: radians about the base, and shares of the reach towards or away from it.
const STAGE_TURN: f64 = 0.7;
const STAGE_WAY: f64 = 0.25;
/// Steps at a stage on the way, at the last, and from another start. A dozen is usual; a pose that leaves a saddle takes
/// a hundred, and must not be given up for one from another start, which would show for that one frame.
const STEPS_ON_THE_WAY: usize = 2;
const STEPS: usize = 150;
const STEPS_AGAIN: usize = 60;
/// Other starts, where the first found no solution although the target is near enough.
const RESTARTS: usize = 24;
/// A step is halved so often before it is taken in any case.
const HALVINGS: usize = 6;
/// How far each joint is bent to the chain's own side before it is solved: what is nearly straight hardly knows its side.
const KICK: f64 = 0.08;
/// How far a joint is bent to a side that was asked for.
const LEAN: f64 = 0.4;

/// How a chain is bent before it is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lean {
    /// As the animated pose has it.
    None,
    /// So that angles grow: joints in between go to the left of the way to the tip.
    Positive,
    /// The other way.
    Negative,
    /// Whichever way ends in the smaller change.
    Either,
}

/// A solver's memory, one a thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Solver {
    pub(super) linkage: Linkage,
    /// Where the ends were asked to be, before targets out of reach were drawn nearer.
    asked: Vec<Vec2>,
    /// Where the ends are asked to be at this context.
    pub(super) goals: Vec<Vec2>,
    /// The polar way of each end about its base.
    ways: Vec<Way>,
    pub(super) centre: Vec<f64>,
    pub(super) next: Vec<f64>,
    pub(super) before: Vec<f64>,
    pub(super) columns_before: Vec<Vec2>,
    pub(super) best: Vec<f64>,
    pub(super) multiplier: Vec<f64>,
    pub(super) residual: Vec<f64>,
    pub(super) bracket: Vec<f64>,
    newton: Newton,
    /// Whether there is one end on one chain of similar links.
    chain: bool,
    /// The length that distances are measured by.
    pub(super) size: f64,
    /// Steps taken in all: a figure for benches.
    pub(super) steps: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Way {
    base: Vec2,
    from: (f64, Angle),
    to: (f64, Angle),
}

impl Way {
    fn between(base: Vec2, tip: Vec2, target: Vec2) -> Self {
        let (from, to) = (tip - base, target - base);
        let turn = Angle::of(from);
        Self { base, from: (from.hypot(), turn), to: (to.hypot(), Angle::of(to).nearest_to(turn)) }
    }

    /// How many stages the way needs.
    fn stages(&self, size: f64) -> usize {
        let turn = (self.to.1 - self.from.1).radians().abs() / STAGE_TURN;
        let way = (self.to.0 - self.from.0).abs() / (STAGE_WAY * size);
        turn.max(way).ceil().clamp(1.0, 64.0) as usize
    }

    fn at(&self, share: f64) -> Vec2 {
        let radius = self.from.0 + (self.to.0 - self.from.0) * share;
        let turn = self.from.1 + (self.to.1 - self.from.1) * share;
        self.base + turn.direction() * radius
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// The largest distance of an end from its target, in the units of the targets.
    pub(super) miss: f64,
    pub(super) reached: bool,
}

impl Solver {
    /// Solves for `linkage.values`.
    pub(super) fn solve(&mut self, lean: Lean) -> Found {
        self.begin();
        let out_of_reach = self.limit_to_reach();
        if out_of_reach && self.straighten() {
            self.linkage.place();
            return Found { reached: false, ..self.measure() };
        }
        self.travel(0.0, if lean == Lean::Either { Lean::None } else { lean });
        let found = self.measure();
        self.best.clone_from(&self.linkage.values);
        if found.reached {
            if lean == Lean::Either {
                self.try_others();
            }
            return Found { reached: !out_of_reach, ..self.measure() };
        }
        if !out_of_reach {
            for attempt in 0..RESTARTS {
                self.restart(attempt, lean);
                let found = self.measure();
                if found.reached {
                    return found;
                }
            }
        }
        // The pose that the way itself led to, not the luckiest of many: neighbouring targets get neighbouring poses.
        self.linkage.values.clone_from(&self.best);
        self.linkage.place();
        for (end, asked) in self.linkage.ends.iter_mut().zip(&self.asked) {
            end.target = *asked;
        }
        self.nearest();
        Found { reached: false, ..self.measure() }
    }

    /// Looks for a smaller change than the one found: bent to either side on the way, and the other way round the base.
    fn try_others(&mut self) {
        let mut least = self.change();
        let turned = self.ways[0].to.1 - self.ways[0].from.1;
        let round = if turned.degrees() > 0.0 { -360.0 } else { 360.0 };
        for (round, lean) in [(0.0, Lean::Positive), (0.0, Lean::Negative), (round, Lean::None)] {
            self.rest();
            self.travel(round, lean);
            if self.measure().reached && self.change() < least {
                least = self.change();
                self.best.clone_from(&self.linkage.values);
            }
        }
        self.linkage.values.clone_from(&self.best);
        self.linkage.place();
    }

    /// Back to the animated pose, or to the nearest that limits allow.
    fn rest(&mut self) {
        for (value, node) in self.linkage.values.iter_mut().zip(&self.linkage.nodes) {
            *value = within(0.0, node.least, node.most);
        }
        self.linkage.place();
    }

    /// Memory for so many joints and ends.
    pub(super) fn reserve(&mut self, joints: usize, ends: usize) {
        self.linkage.reserve(joints, ends);
        self.newton.reserve(joints);
        for column in [&mut self.centre, &mut self.next, &mut self.before, &mut self.best] {
            column.reserve(joints);
        }
        self.columns_before.reserve(joints * ends);
        self.asked.reserve(ends);
        self.goals.reserve(ends);
        self.ways.reserve(ends);
        self.multiplier.reserve(2 * ends);
        self.residual.reserve(2 * ends);
        self.bracket.reserve(4 * ends * ends);
    }

    fn begin(&mut self) {
        let (n, m) = (self.linkage.nodes.len(), self.linkage.ends.len());
        for column in [&mut self.centre, &mut self.next, &mut self.before, &mut self.best] {
            column.resize(n, 0.0);
        }
        self.columns_before.resize(n * m, Vec2::ZERO);
        self.goals.resize(m, Vec2::ZERO);
        self.ways.resize(m, Way::default());
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

    /// Draws targets that no pose reaches to the nearest distance that one might; whether there was one.
    fn limit_to_reach(&mut self) -> bool {
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

    fn towards_tip(&self, e: usize, base: Vec2) -> Vec2 {
        let way = self.linkage.tips[e] - base;
        let distance = way.hypot();
        if distance > 0.0 { way / distance } else { Vec2::new(1.0, 0.0) }
    }

    /// Goes the polar way to the targets, and so many degrees further round the base.
    fn travel(&mut self, round: f64, lean: Lean) {
        let mut stages = 1;
        for e in 0..self.goals.len() {
            let base = self.linkage.base(e);
            let mut way = Way::between(base, self.linkage.tips[e], self.linkage.ends[e].target);
            way.to.1 += Angle::from_degrees(round);
            stages = stages.max(way.stages(self.size));
            self.ways[e] = way;
        }
        self.lean(lean);
        for stage in 1..=stages {
            let last = stage == stages;
            for e in 0..self.goals.len() {
                self.goals[e] = if last {
                    self.linkage.ends[e].target
                } else {
                    self.ways[e].at(stage as f64 / stages as f64)
                };
            }
            self.descend(if last { STEPS } else { STEPS_ON_THE_WAY });
        }
    }

    /// Bends a chain to a side: the asked one, or the one on which the animated pose has it, so that the side is not left to
    /// the way that the target goes. A straight chain takes the side with more room.
    fn lean(&mut self, lean: Lean) {
        let nodes = &self.linkage.nodes;
        let Some(first) = nodes.iter().position(|node| matches!(node.motion, Motion::Turn)) else { return };
        let by = match lean {
            Lean::Positive => LEAN,
            Lean::Negative => -LEAN,
            Lean::None | Lean::Either if self.goals.len() > 1 => return,
            Lean::None | Lean::Either => {
                let over = self.lies_over();
                let room: f64 =
                    nodes[first + 1..].iter().map(|node| within(node.most + node.least, -1.0, 1.0)).sum();
                let straight = over.abs() <= 1e-12 * self.size * self.size;
                let positive = if straight { room >= 0.0 } else { over > 0.0 };
                if positive { KICK } else { -KICK }
            }
        };
        for (value, node) in self.linkage.values[first + 1..].iter_mut().zip(&nodes[first + 1..]) {
            if matches!(node.motion, Motion::Turn) {
                *value = within(*value + by, node.least, node.most);
            }
        }
        self.linkage.place();
    }

    /// Twice the area between the joints and the line from the base to the one end: above 0 if angles have grown on the way.
    fn lies_over(&self) -> f64 {
        let (base, tip) = (self.linkage.base(0), self.linkage.tips[0]);
        let mut over = 0.0;
        for (at, next) in self.linkage.origins.iter().zip(self.linkage.origins.iter().skip(1).chain([&tip])) {
            over += (*at - base).cross(*next - base);
        }
        over
    }

    /// Another start, the same for the same attempt: first the other way round the base, then poses from a fixed sequence.
    fn restart(&mut self, attempt: usize, lean: Lean) {
        self.rest();
        if attempt == 0 {
            let turned = self.ways[0].to.1 - self.ways[0].from.1;
            self.travel(if turned.degrees() > 0.0 { -360.0 } else { 360.0 }, lean);
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

    /// How far the ends are from their targets where they have been placed.
    pub(super) fn measure(&self) -> Found {
        let miss = self.linkage.tips.iter().zip(&self.linkage.ends).map(|(p, e)| (e.target - *p).hypot());
        let miss = miss.fold(0.0, f64::max);
        Found { miss, reached: miss <= REACHED * self.size }
    }

    /// Steps towards the least change with the ends on the goals, from the values that are there and placed.
    fn descend(&mut self, steps: usize) {
        let mut now = (self.change(), self.error());
        for step in 0..steps {
            self.steps += 1;
            let quick = self.aim(step == 0);
            let mut longest = 0.0_f64;
            for ((next, value), node) in self.next.iter().zip(&self.linkage.values).zip(&self.linkage.nodes) {
                let by = (next - value).abs();
                longest = longest.max(if let Motion::Slide(_) = node.motion { by / self.size } else { by });
            }
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

    /// One full step, into `next`: with curvature for one chain of similar links, else by plain least squares. Whether
    /// steps converge by their squares here.
    fn aim(&mut self, first: bool) -> bool {
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

    /// Goes towards `next`, half as far as long as that makes change and error together worse. The error weighs more than
    /// any multiplier, so that a whole step is an improvement to first order (the exact penalty of Han, 1977). Takes change
    /// and error, and gives those that it comes to.
    fn advance(&mut self, (change, error): (f64, f64), mut by: f64) -> (f64, f64) {
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

    /// Half the sum of squares of what the joints have changed.
    fn change(&self) -> f64 {
        self.linkage.values.iter().zip(&self.linkage.nodes).map(|(d, node)| 0.5 * d * d / node.ease).sum()
    }

    fn error(&self) -> f64 {
        self.linkage.tips.iter().zip(&self.goals).map(|(p, t)| (*t - *p).hypot()).fold(0.0, f64::max)
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014) as a share of 1.
fn next_share(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
