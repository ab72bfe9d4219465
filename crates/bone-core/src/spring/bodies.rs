//! The rods and their motion: one step of the implicit midpoint rule, accelerations by the articulated body
//! method (Featherstone, "Rigid Body Dynamics Algorithms", chapter 7) in the plane, in time linear in the
//! number of rods.
//!
//! The unknown is `d`, each hinge's rotation from the animated pose. With `D` the sum of the rotations that a
//! rod inherits, its hinge is at `x_p + R(D_p) r` and its centre at `x + R(D) q`, where `r` and `q` are the
//! animated vectors on the canvas. The midpoint rule is symplectic: it keeps the energy of an oscillation.
//! Hinges are linearly implicit, so any stiffness is stable. The animation may jump: a jump carries the
//! rods along, and moves them no more than a fast motion does.

use kurbo::Vec2;

use super::{Rod, Spring};
use crate::angle::SinCosBlock;
use crate::{Angle, BoneId, BonePose, Inherit, Joint, Pose, Skeleton, WorldPose};

/// Greatest speed, radians per second: a faster motion is not visible, and a step cannot resolve it.
const FASTEST: f64 = 200.0;

/// Greatest speed with which a stop carries a rod along, radians per second; more is a jump, which has no speed.
const FASTEST_STOP: f64 = 20.0;

/// A motion of one step is a jump if it is longer than those of the steps around it by this factor, and by
/// this share of a rod's reach: a key that holds, a new parent, another branch of inverse kinematics.
const ALONE: f64 = 4.0;
const LEAST_JUMP: f64 = 1e-3;

/// The greatest motion of a rod in one step, as a share of its reach; more is a jump, too.
const JUMP: f64 = 0.4;

/// Rods react to a jump as to the same change over this time, one frame of 24 a second, and to one by more
/// than this share of the reach as to one by so much.
const FRAME: f64 = 1.0 / 24.0;
const MOST_JUMP: f64 = 0.25;

/// Fixed-point iterations for the midpoint; each gains two digits or more. They end where none has turned a rod
/// by more than this, radians: what is left is a hundredth of it. Most steps are predicted so well that one
/// iteration is enough.
const ROUNDS: usize = 4;
const CONVERGED: f64 = 1e-10;
const PREDICTED: f64 = 4e-9;

/// To which states are rounded, radians and radians per second: 1.5e-11.
const GRID: f64 = 1.0 / (1_u64 << 36) as f64;

/// An animated vector around one step: its values at both ends, and its speeds before, in and after the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Motion {
    ends: [Vec2; 2],
    /// The values one and two steps later.
    ahead: [Vec2; 2],
    speeds: [Vec2; 3],
    /// Without the speed of jumps, the last speed.
    own: Vec2,
    /// The speed of a jump, and how many steps it still acts.
    jump: Vec2,
    left: u32,
    /// The value in the middle of the step, and the change of speed across it: summed over all steps that is
    /// the total change of speed.
    middle: Vec2,
    acceleration: Vec2,
}

impl Motion {
    fn still(at: Vec2) -> Self {
        Self { ends: [at; 2], ahead: [at; 2], middle: at, ..Self::default() }
    }

    /// Adds a value. What the vector does in one step alone is a jump: it is carried along, and acts as a
    /// change over one frame of 24 does, but at most as one by some share of `reach`.
    #[inline]
    fn push(&mut self, next: Vec2, step: f64, rate: f64, reach: f64) {
        let way = self.ahead[1] - self.ahead[0];
        if self.left > 0 {
            self.left -= 1;
            if self.left == 0 {
                self.jump = Vec2::ZERO;
            }
        }
        // Most motions are short: they are no jumps, whatever is around them.
        let least = LEAST_JUMP * reach;
        let jumps = way.hypot2() > least * least && {
            let around = (self.ahead[0] - self.ends[1]).hypot2().max((next - self.ahead[1]).hypot2()).sqrt();
            let length = way.hypot();
            length > ALONE * around + least || length > JUMP * reach
        };
        if jumps {
            self.feel(way, step, reach);
        } else {
            self.own = way * rate;
        }
        let speed = if self.left > 0 { self.own + self.jump } else { self.own };
        self.speeds = [self.speeds[1], self.speeds[2], speed];
        self.ends = [self.ends[1], self.ahead[0]];
        self.ahead = [self.ahead[1], next];
        self.middle = (self.ends[0] + self.ends[1]) * 0.5;
        self.acceleration = (self.speeds[2] - self.speeds[0]) * (0.5 * rate);
    }

    /// Adds the speed of a jump to the rest of one before it.
    #[cold]
    fn feel(&mut self, way: Vec2, step: f64, reach: f64) {
        let most = MOST_JUMP * reach;
        let felt = if way.hypot() > most { way * (most / way.hypot()) } else { way };
        let steps = (FRAME / step).round().max(1.0);
        self.jump = if self.left > 0 { self.jump * (f64::from(self.left) / steps) } else { Vec2::ZERO };
        self.jump += felt / (steps * step);
        self.left = steps as u32;
    }

    /// As if it had always moved with the speed of the next step.
    fn roll(&mut self) {
        self.speeds = [self.own; 3];
        self.left = 0;
        self.acceleration = Vec2::ZERO;
    }

    fn speed(&self) -> Vec2 {
        self.speeds[1]
    }
}

/// The animated motion of one rod.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct AnimatedRod {
    /// From the parent rod's hinge to this one; for a first rod from the canvas' origin.
    hinge: Motion,
    /// From the hinge to the rod's centre.
    centre: Motion,
    /// 1, or -1 where a mirrored parent makes positive rotations anticlockwise.
    sense: f64,
    /// Rotations from the animated pose that the joint allows, radians.
    range: (f64, f64),
    /// Hinge and centre in the last two poses that were read.
    from: (Vec2, Vec2),
    to: (Vec2, Vec2),
    begins: bool,
    /// The stop in the last two poses that were read, and at the ends of this step and of the next two.
    from_stop: [Vec2; 2],
    to_stop: [Vec2; 2],
    stops: [[Vec2; 2]; 3],
    /// The parent rod; a bone with a changed parent moves independently.
    parent: Option<usize>,
}

/// What is read of an animated pose for one rod.
#[derive(Clone, Copy, Debug)]
pub(super) struct RodSample {
    hinge: Vec2,
    centre: Vec2,
    sense: f64,
    range: (f64, f64),
    stop: [Vec2; 2],
    parent: Option<usize>,
    finite: bool,
}

impl RodSample {
    #[inline]
    pub(super) fn of(rods: &[Rod], k: usize, skeleton: &Skeleton, pose: &Pose, world: &WorldPose) -> Self {
        let bone = rods[k].spring.bone;
        let start = world.origin(bone).to_vec2();
        let centre = (world.tip(skeleton, pose, bone).to_vec2() - start) * 0.5;
        let parent = parent_rod(rods, pose, k);
        let above = parent.map_or(Vec2::ZERO, |p| world.origin(rods[p].spring.bone).to_vec2());
        let finite = |v: Vec2| if v.is_finite() { v } else { Vec2::ZERO };
        Self {
            hinge: finite(start - above),
            centre: finite(centre),
            sense: sense(skeleton, pose, world, bone),
            range: range(skeleton.joint(bone), &pose.setup(skeleton, bone), &pose.bones[bone.index()]),
            stop: rods[k].spring.stop.map_or([Vec2::ZERO; 2], |stop| stop.sample(skeleton, world)),
            parent,
            finite: start.is_finite() && centre.is_finite(),
        }
    }
}

impl AnimatedRod {
    /// Takes a sample as the end of the next steps.
    #[inline]
    fn take(&mut self, sample: RodSample, seen: bool) {
        self.from = self.to;
        // What is not a number begins anew.
        self.begins = !seen || !sample.finite;
        self.to = (sample.hinge, sample.centre);
        (self.from_stop, self.to_stop) = (self.to_stop, sample.stop);
        (self.sense, self.range, self.parent) = (sample.sense, sample.range, sample.parent);
    }
}

/// The state of one hinge, in radians and radians per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Hinge {
    pub(super) turn: f64,
    pub(super) speed: f64,
    /// From the last step, and from the two before it: they predict that of the next one.
    acceleration: f64,
    before: [f64; 2],
}

impl Hinge {
    /// Rotation and speed in the middle of a step.
    #[inline]
    fn middle(&self, step: f64, acceleration: f64) -> (f64, f64) {
        let speed = self.speed + 0.5 * step * acceleration;
        (self.turn + 0.5 * step * speed, speed)
    }
}

/// Sines and cosines are computed for this many rods at a time.
const BLOCK: usize = 8;

/// The articulated inertia of a rod and its descendants: wrench = inertia * acceleration + bias. Components
/// are (turn, x, y); the inertia is symmetric.
#[derive(Clone, Copy, Debug, Default)]
struct ArticulatedInertia {
    turn: f64,
    /// Coupling of rotation and shift.
    mixed: Vec2,
    xx: f64,
    xy: f64,
    yy: f64,
    bias_turn: f64,
    bias: Vec2,
}

/// The state of one rod at the middle of a step.
#[derive(Clone, Copy, Debug, Default)]
struct Midpoint {
    /// The total rotation from the animated pose, and its speed.
    rotation: (f64, f64),
    spin: f64,
    /// The rotated vectors, and the part of their accelerations that does not depend on unknowns.
    hinge: Vec2,
    hinge_bias: Vec2,
    articulated: ArticulatedInertia,
    /// D, u and U of the hinge in Featherstone's table 7.1.
    inertia: f64,
    push: f64,
    lever: (f64, Vec2),
    /// Accelerations: rotation, and shift of the hinge.
    found: (f64, Vec2),
}

/// The state of all rods.
#[derive(Clone, Debug)]
pub(super) struct Bodies {
    animated: Vec<AnimatedRod>,
    pub(super) hinges: Vec<Hinge>,
    midpoints: Vec<Midpoint>,
    /// The accelerations of gravity and wind in this step.
    pulls: Vec<Vec2>,
    /// Animated hinges on the canvas in the middle of this step.
    places: Vec<Vec2>,
    windy: bool,
    /// The rotations and the hinges on the canvas at the end of a step; empty without stops.
    ends: Vec<((f64, f64), Vec2)>,
    /// The turns at the start of a step.
    turns: Vec<f64>,
    /// The direction in which a stop has turned a rod out at the end of the last step: 1 or -1, else 0.
    stopped: Vec<f64>,
    /// Whether a stop holds a rod in this step: it would turn further into it.
    held: Vec<bool>,
    /// The accelerations of hinges as other rods feel them.
    felt: Vec<f64>,
    /// Whether a pose was read.
    seen: bool,
    /// Whether the first iteration has ended the last step. The extrapolation of higher order multiplies errors
    /// of the last steps, so it is used only while there are none.
    steady: bool,
}

impl Bodies {
    pub(super) fn new(rods: &[Rod]) -> Self {
        Self {
            animated: vec![AnimatedRod::default(); rods.len()],
            hinges: vec![Hinge::default(); rods.len()],
            midpoints: vec![Midpoint::default(); rods.len()],
            pulls: rods.iter().map(|rod| rod.spring.gravity).collect(),
            places: vec![Vec2::ZERO; rods.len()],
            ends: if rods.iter().any(|rod| rod.spring.stop.is_some()) {
                vec![(UNTURNED.0, Vec2::ZERO); rods.len()]
            } else {
                Vec::new()
            },
            turns: vec![0.0; rods.len()],
            stopped: vec![0.0; rods.len()],
            held: vec![false; rods.len()],
            felt: vec![0.0; rods.len()],
            windy: rods.iter().any(|rod| rod.spring.wind.is_some()),
            seen: false,
            steady: false,
        }
    }

    /// Clears the animated motion: the next sample counts as if it had lasted for ever.
    pub(super) fn forget(&mut self) {
        self.seen = false;
    }

    /// Rounds the state of the hinges, so that motions that differ by less become equal.
    pub(super) fn round(&mut self) {
        self.steady = false;
        for hinge in &mut self.hinges {
            let rounded = |value: f64| (value / GRID).round() * GRID;
            *hinge = Hinge { turn: rounded(hinge.turn), speed: rounded(hinge.speed), ..Hinge::default() };
        }
    }

    /// Whether all further steps are equal, if the animation is.
    pub(super) fn continue_as(&self, other: &Self) -> bool {
        // What is of the middle of a step is computed anew in each.
        (&self.animated, &self.hinges, &self.stopped, self.seen, self.steady)
            == (&other.animated, &other.hinges, &other.stopped, other.seen, other.steady)
    }

    /// Advances the animated motion by one step.
    pub(super) fn push(
        &mut self,
        rods: &[Rod],
        skeleton: &Skeleton,
        pose: &Pose,
        world: &WorldPose,
        step: f64,
    ) {
        self.read(rods, skeleton, pose, world);
        self.advance(rods, 1.0, step);
    }

    /// Reads the animated pose at the end of one or several steps.
    pub(super) fn read(&mut self, rods: &[Rod], skeleton: &Skeleton, pose: &Pose, world: &WorldPose) {
        for k in 0..rods.len() {
            self.animated[k].take(RodSample::of(rods, k, skeleton, pose, world), self.seen);
        }
        self.seen = true;
    }

    /// Advances the animated motion by one step, to a pose that was read before.
    pub(super) fn enter(&mut self, rods: &[Rod], samples: &[RodSample], step: f64) {
        for (animated, sample) in self.animated.iter_mut().zip(samples) {
            animated.take(*sample, self.seen);
        }
        self.seen = true;
        self.advance(rods, 1.0, step);
    }

    /// Advances the animated motion by one step, to a share of the way to the pose that was read.
    pub(super) fn advance(&mut self, rods: &[Rod], share: f64, step: f64) {
        let rate = step.recip();
        for (rod, animated) in rods.iter().zip(&mut self.animated) {
            let (from, to) = (animated.from, animated.to);
            if animated.begins {
                (animated.hinge, animated.centre) = (Motion::still(to.0), Motion::still(to.1));
                animated.stops = [animated.to_stop; 3];
                continue;
            }
            let part = |from: Vec2, to: Vec2| if share >= 1.0 { to } else { from + (to - from) * share };
            if rod.spring.stop.is_some() {
                let stop = [0, 1].map(|end| part(animated.from_stop[end], animated.to_stop[end]));
                animated.stops = [animated.stops[1], animated.stops[2], stop];
            }
            animated.hinge.push(part(from.0, to.0), step, rate, rod.reach);
            animated.centre.push(part(from.1, to.1), step, rate, rod.reach);
        }
    }

    /// The wind at a time, in a loop of some seconds or not: in the middle of the next step.
    pub(super) fn blow(&mut self, rods: &[Rod], time: f64, looped: Option<f64>) {
        if !self.windy {
            return;
        }
        for (k, rod) in rods.iter().enumerate() {
            let animated = &self.animated[k];
            let above = animated.parent.map_or(Vec2::ZERO, |parent| self.places[parent]);
            self.places[k] = above + animated.hinge.middle;
            let Spring { wind: Some(wind), mass, gravity, .. } = rod.spring else { continue };
            let force = wind.at(self.places[k] + animated.centre.middle, time, looped);
            self.pulls[k] = gravity + force / mass;
        }
    }

    /// Simulates the pose that was read until all rods are at rest.
    pub(super) fn settle(&mut self, rods: &[Rod], step: f64, steps: usize, still: f64) {
        let mut before = self.hinges.clone();
        for _ in 0..steps {
            self.step(rods, step, 1.0);
            let rests = |(now, before): (&Hinge, &Hinge)| {
                now.speed.abs() <= still && (now.turn - before.turn).abs() <= still
            };
            if self.hinges.iter().zip(&before).all(rests) {
                break;
            }
            before.clone_from(&self.hinges);
        }
        self.rest();
    }

    /// Sets all speeds to 0.
    fn rest(&mut self) {
        for hinge in &mut self.hinges {
            *hinge = Hinge { turn: hinge.turn, ..Hinge::default() };
        }
    }

    /// As if the animation had always moved as at its start.
    pub(super) fn roll(&mut self) {
        for animated in &mut self.animated {
            animated.hinge.roll();
            animated.centre.roll();
        }
    }

    /// One step of the animation. `least_damping` is the least damping, as a share of the critical one.
    pub(super) fn step(&mut self, rods: &[Rod], step: f64, least_damping: f64) {
        for hinge in &mut self.hinges {
            let (now, [first, second]) = (hinge.acceleration, hinge.before);
            let curved = if self.steady { now - 2.0 * first + second } else { 0.0 };
            hinge.acceleration = 2.0 * now - first + curved;
            hinge.before = [now, first];
        }
        for (k, hinge) in self.hinges.iter().enumerate() {
            self.held[k] = self.stopped[k] != 0.0;
            self.felt[k] = if self.held[k] { 0.0 } else { hinge.acceleration };
        }
        self.steady = false;
        for round in 0..ROUNDS {
            let change = self.accelerate(rods, step, least_damping) * step * step;
            self.steady = round == 0 && change <= PREDICTED;
            if self.steady || change <= CONVERGED {
                break;
            }
        }
        let rods_now = self.hinges.iter_mut().zip(&mut self.turns);
        for (((hinge, from), middle), animated) in rods_now.zip(&self.midpoints).zip(&self.animated) {
            let acceleration = hinge.acceleration;
            let before = *hinge;
            *from = before.turn;
            hinge.speed = (before.speed + step * acceleration).clamp(-FASTEST, FASTEST);
            hinge.turn = before.turn + step * 0.5 * (before.speed + hinge.speed);
            if !(hinge.turn.is_finite() && middle.spin.is_finite()) {
                *hinge = Hinge::default();
            }
            let (least, most) = animated.range;
            // A limit stops the motion.
            if hinge.turn < least || hinge.turn > most {
                *hinge = Hinge { turn: hinge.turn.clamp(least, most), ..Hinge::default() };
            }
        }
        self.stop(rods, step);
    }

    /// Turns rods out of their stops at the end of a step. What rests at a stop moves along with it.
    fn stop(&mut self, rods: &[Rod], step: f64) {
        if self.ends.is_empty() {
            return;
        }
        for (k, rod) in rods.iter().enumerate() {
            let animated = &self.animated[k];
            let above = animated.parent.map_or((UNTURNED.0, Vec2::ZERO), |parent| self.ends[parent]);
            let place = above.1 + turned(above.0, animated.hinge.ends[1]);
            let carried = if rod.turns_along { above.0 } else { UNTURNED.0 };
            let rotation = |turn: f64| {
                let angle = Angle::from_radians(animated.sense * turn);
                let (sin, cos) = angle.sin_cos();
                (carried.0 * cos + carried.1 * sin, carried.1 * cos - carried.0 * sin)
            };
            let hinge = &mut self.hinges[k];
            self.stopped[k] = 0.0;
            if let Some(stop) = rod.spring.stop {
                let way = turned(rotation(hinge.turn), animated.centre.ends[1]) * 2.0;
                if let Some(by) = stop.turn_out(animated.stops[0], place, way) {
                    let (least, most) = animated.range;
                    let turn = (hinge.turn + animated.sense * by).max(least).min(most);
                    let speed = (turn - self.turns[k]) / step;
                    let speed = if speed.abs() <= FASTEST_STOP { speed } else { 0.0 };
                    let acceleration = hinge.acceleration;
                    *hinge = Hinge { turn, speed, acceleration, before: [acceleration; 2] };
                    self.stopped[k] = by.signum();
                }
            }
            self.ends[k] = (rotation(hinge.turn), place);
        }
    }

    /// The accelerations at the middle of the step, from those of the last iteration. Returns the greatest
    /// change of one.
    fn accelerate(&mut self, rods: &[Rod], step: f64, least_damping: f64) -> f64 {
        let mut trig = SinCosBlock::<BLOCK>::new();
        for (k, rod) in rods.iter().enumerate() {
            if k.is_multiple_of(BLOCK) {
                let rods = self.hinges[k..].iter().zip(&self.felt[k..]).zip(&self.animated[k..]);
                trig.fill(rods.map(|((hinge, felt), rod)| {
                    Angle::from_radians(rod.sense * hinge.middle(step, *felt).0)
                }));
            }
            let animated = &self.animated[k];
            let speed = self.hinges[k].middle(step, self.felt[k]).1;
            let above = animated.parent.map(|p| {
                let above = &self.midpoints[p];
                (above.rotation, above.spin)
            });
            let along = above.filter(|_| rod.turns_along);
            let (sin, cos) = (trig.sin[k % BLOCK], trig.cos[k % BLOCK]);
            let ((s, c), carried_spin) = along.unwrap_or(UNTURNED);
            let rotation = (s * cos + c * sin, c * cos - s * sin);
            let spin = carried_spin + animated.sense * speed;
            let (carry, carry_spin) = above.unwrap_or(UNTURNED);
            let (hinge, centre) =
                (turned(carry, animated.hinge.middle), turned(rotation, animated.centre.middle));
            let middle = &mut self.midpoints[k];
            middle.rotation = rotation;
            middle.spin = spin;
            middle.hinge = hinge;
            middle.hinge_bias = drift(carry, carry_spin, &animated.hinge, hinge);
            let drift = drift(rotation, spin, &animated.centre, centre);
            middle.articulated = rod_inertia(rod, self.pulls[k], centre, drift, &animated.centre);
        }
        for k in (0..rods.len()).rev() {
            self.fold(rods, k, step, least_damping);
        }
        let mut change = 0.0_f64;
        for (k, rod) in rods.iter().enumerate() {
            let above = self.animated[k].parent.map_or((0.0, Vec2::ZERO), |p| self.midpoints[p].found);
            let sense = self.animated[k].sense;
            let middle = &mut self.midpoints[k];
            let shift = above.1 + quarter(middle.hinge) * above.0 + middle.hinge_bias;
            let carried = if rod.turns_along { above.0 } else { 0.0 };
            let (lever_turn, lever) = middle.lever;
            let own = (middle.push - lever_turn * carried - lever.dot(shift)) / middle.inertia;
            let free = carried + sense * own;
            let into = self.stopped[k] * free < 0.0;
            let (turning, felt) = if into { (0.0, -sense * carried) } else { (free, own) };
            middle.found = (turning, shift);
            // A change that is not a number does not end the iteration either.
            let by = if into == self.held[k] { (self.felt[k] - felt).abs() } else { f64::INFINITY };
            self.held[k] = into;
            change = if by <= change { change } else { by };
            self.hinges[k].acceleration = own;
            self.felt[k] = felt;
        }
        change
    }

    /// Adds the articulated inertia of a rod and its descendants to its parent rod.
    fn fold(&mut self, rods: &[Rod], k: usize, step: f64, least_damping: f64) {
        let (rod, hinge, sense) = (&rods[k], self.hinges[k], self.animated[k].sense);
        let middle = &mut self.midpoints[k];
        let articulated = middle.articulated;
        let critical = || 2.0 * (rod.stiffness * articulated.turn.max(0.0)).sqrt();
        let damping =
            if least_damping > 0.0 { rod.damping.max(least_damping * critical()) } else { rod.damping };
        let (half, quarter_square) = (0.5 * step, 0.25 * step * step);
        let torque = -rod.stiffness * (hinge.turn + half * hinge.speed) - damping * hinge.speed;
        // U, D and u: the hinge's axis is (sense, 0, 0).
        let lever = (sense * articulated.turn, articulated.mixed * sense);
        let inertia = articulated.turn + rod.stiffness * quarter_square + damping * half;
        let push = torque - sense * articulated.bias_turn;
        (middle.lever, middle.inertia, middle.push) = (lever, inertia.max(f64::MIN_POSITIVE), push);
        let inertia = middle.inertia;
        let (arm, bias) = (middle.hinge, middle.hinge_bias);
        let Some(parent) = self.animated[k].parent else { return };
        let along = rods[k].turns_along;
        if self.held[k] {
            // The stop bears all torque but that of the spring, and the rod does not turn.
            let (turn, speed) = hinge.middle(step, self.felt[k]);
            let torque = -rod.stiffness * turn - damping * speed;
            let folded =
                ArticulatedInertia { turn: 0.0, mixed: Vec2::ZERO, bias_turn: sense * torque, ..articulated };
            self.midpoints[parent].articulated.add(&folded, arm, bias, along);
            return;
        }
        let (t, l) = lever;
        // One division for all.
        let (t_share, l_share) = (t / inertia, l / inertia);
        let folded = ArticulatedInertia {
            turn: articulated.turn - t * t_share,
            mixed: articulated.mixed - l * t_share,
            xx: articulated.xx - l.x * l_share.x,
            xy: articulated.xy - l.x * l_share.y,
            yy: articulated.yy - l.y * l_share.y,
            bias_turn: articulated.bias_turn + t_share * push,
            bias: articulated.bias + l_share * push,
        };
        self.midpoints[parent].articulated.add(&folded, arm, bias, along);
    }
}

/// The parent rod. A bone with a changed parent moves independently.
fn parent_rod(rods: &[Rod], pose: &Pose, k: usize) -> Option<usize> {
    let rod = &rods[k];
    rod.parent.filter(|_| pose.reparents.is_empty() || pose.reparent(rod.spring.bone).is_none())
}

impl ArticulatedInertia {
    /// Adds the inertia of a child at the end of `arm`. `drift` is the part of its acceleration that does not
    /// depend on unknowns. A child that does not rotate `along` is only shifted.
    fn add(&mut self, child: &Self, arm: Vec2, drift: Vec2, along: bool) {
        let lever = quarter(arm);
        let times = |v: Vec2| Vec2::new(child.xx * v.x + child.xy * v.y, child.xy * v.x + child.yy * v.y);
        let turn = if along { 1.0 } else { 0.0 };
        // Wrench at the child's hinge for a unit rotation of this one, and for none.
        let force_of_turn = child.mixed * turn + times(lever);
        let torque_of_turn = child.turn * turn + child.mixed.dot(lever);
        let force = child.bias + times(drift);
        let torque = child.bias_turn + child.mixed.dot(drift);
        self.turn += turn * torque_of_turn + lever.dot(force_of_turn);
        self.mixed += child.mixed * turn + times(lever);
        self.xx += child.xx;
        self.xy += child.xy;
        self.yy += child.yy;
        self.bias_turn += turn * torque + lever.dot(force);
        self.bias += force;
    }
}

/// The inertia of a rod alone: a thin rod of its length about its centre. `pull` is the acceleration of gravity and
/// wind.
fn rod_inertia(rod: &Rod, pull: Vec2, centre: Vec2, drift: Vec2, animated: &Motion) -> ArticulatedInertia {
    let mass = rod.spring.mass;
    let lever = quarter(centre);
    let square = centre.hypot2();
    // The arm is half the length: m (2 q)^2 / 12. A rod of length 0 must still have an inertia.
    let own = mass * square.max(1e-12) / 3.0;
    let middle = animated.middle;
    let turning = middle.cross(animated.acceleration) / middle.hypot2().max(1e-12);
    let force = (drift - pull) * mass;
    ArticulatedInertia {
        turn: own + mass * square,
        mixed: lever * mass,
        xx: mass,
        xy: 0.0,
        yy: mass,
        bias_turn: own * turning + lever.dot(force),
        bias: force,
    }
}

/// The acceleration of `R(D) v` without the part of `D''`: `R v'' + 2 D' J R v' - D'^2 R v`. `now` is `R v`.
fn drift(rotation: (f64, f64), spin: f64, vector: &Motion, now: Vec2) -> Vec2 {
    turned(rotation, vector.acceleration) + quarter(turned(rotation, vector.speed())) * (2.0 * spin)
        - now * (spin * spin)
}

/// The rotation and the spin of what has no rod above it.
const UNTURNED: ((f64, f64), f64) = ((0.0, 1.0), 0.0);

/// A vector rotated by (sine, cosine).
fn turned((sin, cos): (f64, f64), v: Vec2) -> Vec2 {
    Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
}

/// A vector rotated by a quarter turn: the derivative of a rotating vector.
fn quarter(v: Vec2) -> Vec2 {
    Vec2::new(-v.y, v.x)
}

/// The direction of a positive rotation of the bone on the canvas.
fn sense(skeleton: &Skeleton, pose: &Pose, world: &WorldPose, bone: BoneId) -> f64 {
    let determinant = match skeleton.parent(bone) {
        // The frame of the parent without anything between the two.
        Some(parent) if pose.reparents.is_empty() && skeleton.inherit(bone) == Inherit::All => {
            world.matrix(parent).determinant()
        }
        _ => world.parent_frame(skeleton, pose, bone).inherited(skeleton.inherit(bone)).0.determinant(),
    };
    if determinant < 0.0 { -1.0 } else { 1.0 }
}

/// The rotations from an animated pose that stay within the limits of a joint. A pose beyond its limits stays
/// possible.
pub(super) fn range(joint: Joint, setup: &BonePose, now: &BonePose) -> (f64, f64) {
    match joint {
        Joint::Pin { limits: Some((least, most)) } => {
            let turn = now.angle - setup.angle;
            ((least - turn).radians().min(0.0), (most - turn).radians().max(0.0))
        }
        Joint::Pin { limits: None } | Joint::Free => (f64::NEG_INFINITY, f64::INFINITY),
        Joint::Slide { .. } | Joint::Fixed => (0.0, 0.0),
    }
}
