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

use super::rod::{Rod, Spring};
use crate::angle::SinCosBlock;
use crate::{Angle, BoneId, Inherit, Joint, Pose, Skeleton, WorldPose};

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

/// An animated vector around one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Motion {
    /// The values at the end of the step, and one and two steps later.
    pub(super) end: Vec2,
    ahead: [Vec2; 2],
    /// The speeds in the step and after it.
    speed: Vec2,
    next_speed: Vec2,
    /// The value in the middle of the step, and the change of speed across it: summed over all steps that is
    /// the total change of speed.
    middle: Vec2,
    acceleration: Vec2,
    /// How many steps the speed of a jump still acts.
    left: u32,
}

/// The last speed of an animated vector without that of a jump, and the speed of the jump: only of use while it
/// acts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct JumpSpeed {
    own: Vec2,
    jump: Vec2,
}

impl Motion {
    fn still(at: Vec2) -> Self {
        Self { end: at, ahead: [at; 2], middle: at, ..Self::default() }
    }

    /// Adds a value. What the vector does in one step alone is a jump: it is carried along, and acts as a
    /// change over one frame of 24 does, but at most as one by some share of `reach`.
    #[inline(always)]
    fn push(&mut self, speeds: &mut JumpSpeed, next: Vec2, step: f64, rate: f64, reach: f64) {
        let way = self.ahead[1] - self.ahead[0];
        // Most motions are short: they are no jumps, whatever is around them.
        let least = LEAST_JUMP * reach;
        let jumps = way.hypot2() > least * least && {
            let around = (self.ahead[0] - self.end).hypot2().max((next - self.ahead[1]).hypot2()).sqrt();
            let length = way.hypot();
            length > ALONE * around + least || length > JUMP * reach
        };
        let speed =
            if jumps || self.left > 0 { self.jumping(speeds, jumps, step, rate, reach) } else { way * rate };
        self.acceleration = (speed - self.speed) * (0.5 * rate);
        (self.speed, self.next_speed) = (self.next_speed, speed);
        self.middle = (self.end + self.ahead[0]) * 0.5;
        self.end = self.ahead[0];
        self.ahead = [self.ahead[1], next];
    }

    /// The next speed at a jump and in the time in which one acts.
    #[cold]
    fn jumping(&mut self, speeds: &mut JumpSpeed, jumps: bool, step: f64, rate: f64, reach: f64) -> Vec2 {
        let way = self.ahead[1] - self.ahead[0];
        let mut own = if self.left > 0 { speeds.own } else { self.next_speed };
        self.left = self.left.saturating_sub(1);
        let steps = (FRAME / step).round().max(1.0);
        let mut jump = speeds.jump;
        if jumps {
            // Added to the rest of one before it.
            jump = if self.left > 0 { jump * (f64::from(self.left) / steps) } else { Vec2::ZERO };
            let most = MOST_JUMP * reach;
            let felt = if way.hypot() > most { way * (most / way.hypot()) } else { way };
            jump += felt / (steps * step);
            self.left = steps as u32;
        } else {
            own = way * rate;
        }
        if self.left == 0 {
            *speeds = JumpSpeed::default();
            return own;
        }
        *speeds = JumpSpeed { own, jump };
        own + jump
    }

    /// As if it had always moved with the speed of the next step.
    fn roll(&mut self, speeds: &mut JumpSpeed) {
        let own = if self.left > 0 { speeds.own } else { self.next_speed };
        (self.speed, self.next_speed) = (own, own);
        self.left = 0;
        *speeds = JumpSpeed::default();
        self.acceleration = Vec2::ZERO;
    }
}

/// The animated motion of one rod.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct AnimatedRod {
    /// From the parent rod's hinge to this one; for a first rod from the canvas' origin.
    pub(super) hinge: Motion,
    /// From the hinge to the rod's centre.
    pub(super) centre: Motion,
    /// 1, or -1 where a mirrored parent makes positive rotations anticlockwise.
    pub(super) sense: f64,
    /// Rotations from the animated pose that the joint allows, radians.
    pub(super) range: (f64, f64),
    /// The parent rod; a bone with a changed parent moves independently.
    pub(super) parent: Option<usize>,
}

/// The last two poses that were read for one rod, where a step may end between them.
#[derive(Clone, Copy, Debug, Default)]
struct ReadPoses {
    /// Hinge and centre.
    from: (Vec2, Vec2),
    to: (Vec2, Vec2),
    from_stop: [Vec2; 2],
    to_stop: [Vec2; 2],
    begins: bool,
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
    #[inline(always)]
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
            range: range(skeleton, pose, bone),
            stop: rods[k].spring.stop.map_or([Vec2::ZERO; 2], |stop| stop.sample(skeleton, world)),
            parent,
            finite: start.is_finite() && centre.is_finite(),
        }
    }
}

impl AnimatedRod {
    /// Takes what holds for all steps to a pose.
    #[inline(always)]
    fn take(&mut self, sample: &RodSample) {
        (self.sense, self.range, self.parent) = (sample.sense, sample.range, sample.parent);
    }

    fn begin(&mut self, speeds: &mut [JumpSpeed; 2], (hinge, centre): (Vec2, Vec2)) {
        (self.hinge, self.centre) = (Motion::still(hinge), Motion::still(centre));
        *speeds = Default::default();
    }

    /// Advances hinge and centre by one step.
    #[inline(always)]
    fn push(
        &mut self,
        speeds: &mut [JumpSpeed; 2],
        (hinge, centre): (Vec2, Vec2),
        step: f64,
        rate: f64,
        reach: f64,
    ) {
        self.hinge.push(&mut speeds[0], hinge, step, rate, reach);
        self.centre.push(&mut speeds[1], centre, step, rate, reach);
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
    pub(super) animated: Vec<AnimatedRod>,
    /// Of hinge and centre of each rod.
    jumps: Vec<[JumpSpeed; 2]>,
    /// The stop of each rod at the ends of this step and of the next two; empty without stops.
    pub(super) stops: Vec<[[Vec2; 2]; 3]>,
    /// Empty until a pose is read for several steps.
    poses: Vec<ReadPoses>,
    pub(super) hinges: Vec<Hinge>,
    midpoints: Vec<Midpoint>,
    /// The accelerations of gravity and wind in this step.
    pub(super) pulls: Vec<Vec2>,
    /// Animated hinges on the canvas in the middle of this step.
    places: Vec<Vec2>,
    windy: bool,
    /// The rotations and the hinges on the canvas at the end of a step; empty without stops.
    ends: Vec<((f64, f64), Vec2)>,
    /// The turns at the start of a step; this and the rest without stops is not used.
    pub(super) turns: Vec<f64>,
    /// The direction in which a stop has turned a rod out at the end of the last step: 1 or -1, else 0.
    pub(super) stopped: Vec<f64>,
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
        let stops = rods.iter().any(|rod| rod.spring.stop.is_some());
        Self {
            animated: vec![AnimatedRod::default(); rods.len()],
            jumps: vec![Default::default(); rods.len()],
            stops: vec![Default::default(); if stops { rods.len() } else { 0 }],
            poses: Vec::new(),
            hinges: vec![Hinge::default(); rods.len()],
            midpoints: vec![Midpoint::default(); rods.len()],
            pulls: rods.iter().map(|rod| rod.spring.gravity).collect(),
            places: vec![Vec2::ZERO; rods.len()],
            ends: vec![(UNTURNED.0, Vec2::ZERO); if stops { rods.len() } else { 0 }],
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
        (&self.animated, &self.jumps, &self.stops, self.seen)
            == (&other.animated, &other.jumps, &other.stops, other.seen)
            && (&self.hinges, &self.stopped, self.steady) == (&other.hinges, &other.stopped, other.steady)
    }

    /// Advances the animated motion by one step, to an animated pose.
    pub(super) fn push(
        &mut self,
        rods: &[Rod],
        skeleton: &Skeleton,
        pose: &Pose,
        world: &WorldPose,
        step: f64,
    ) {
        self.push_samples(rods, |k| RodSample::of(rods, k, skeleton, pose, world), step);
    }

    /// Advances the animated motion by one step, to a pose that was read before.
    pub(super) fn enter(&mut self, rods: &[Rod], samples: &[RodSample], step: f64) {
        self.push_samples(rods, |k| samples[k], step);
    }

    #[inline(always)]
    fn push_samples(&mut self, rods: &[Rod], sample: impl Fn(usize) -> RodSample, step: f64) {
        let rate = step.recip();
        for (k, (rod, animated)) in rods.iter().zip(&mut self.animated).enumerate() {
            let sample = sample(k);
            animated.take(&sample);
            // What is not a number begins anew.
            let begins = !self.seen || !sample.finite;
            if begins {
                animated.begin(&mut self.jumps[k], (sample.hinge, sample.centre));
            } else {
                animated.push(&mut self.jumps[k], (sample.hinge, sample.centre), step, rate, rod.reach);
            }
            if let Some(stops) = self.stops.get_mut(k) {
                *stops = if begins { [sample.stop; 3] } else { [stops[1], stops[2], sample.stop] };
            }
        }
        self.seen = true;
    }

    /// Reads the animated pose at the end of one or several steps.
    pub(super) fn read(&mut self, rods: &[Rod], skeleton: &Skeleton, pose: &Pose, world: &WorldPose) {
        self.poses.resize(rods.len(), ReadPoses::default());
        for (k, poses) in self.poses.iter_mut().enumerate() {
            let sample = RodSample::of(rods, k, skeleton, pose, world);
            self.animated[k].take(&sample);
            poses.begins = !self.seen || !sample.finite;
            (poses.from, poses.to) = (poses.to, (sample.hinge, sample.centre));
            (poses.from_stop, poses.to_stop) = (poses.to_stop, sample.stop);
        }
        self.seen = true;
    }

    /// Advances the animated motion by one step, to a share of the way to the pose that was read.
    pub(super) fn advance(&mut self, rods: &[Rod], share: f64, step: f64) {
        let rate = step.recip();
        let part = |from: Vec2, to: Vec2| if share >= 1.0 { to } else { from + (to - from) * share };
        for (k, (poses, animated)) in self.poses.iter().zip(&mut self.animated).enumerate() {
            if poses.begins {
                animated.begin(&mut self.jumps[k], poses.to);
            } else {
                let to = (part(poses.from.0, poses.to.0), part(poses.from.1, poses.to.1));
                animated.push(&mut self.jumps[k], to, step, rate, rods[k].reach);
            }
            if let Some(stops) = self.stops.get_mut(k) {
                let stop = [0, 1].map(|end| part(poses.from_stop[end], poses.to_stop[end]));
                *stops = if poses.begins { [poses.to_stop; 3] } else { [stops[1], stops[2], stop] };
            }
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

    /// Simulates the pose that was read until all rods are at rest. Returns how many steps that takes.
    pub(super) fn settle(&mut self, rods: &[Rod], step: f64, steps: usize, still: f64) -> usize {
        let (mut before, mut taken) = (self.hinges.clone(), 0);
        while taken < steps {
            taken += 1;
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
        taken
    }

    /// Sets all speeds to 0.
    pub(super) fn rest(&mut self) {
        for hinge in &mut self.hinges {
            *hinge = Hinge { turn: hinge.turn, ..Hinge::default() };
        }
    }

    /// As if the animation had always moved as at its start.
    pub(super) fn roll(&mut self) {
        for (animated, [hinge, centre]) in self.animated.iter_mut().zip(&mut self.jumps) {
            animated.hinge.roll(hinge);
            animated.centre.roll(centre);
        }
    }

    /// One step of the animation. `least_damping` is the least damping, as a share of the critical one.
    pub(super) fn step(&mut self, rods: &[Rod], step: f64, least_damping: f64) {
        if self.stops.is_empty() {
            self.step_with::<false>(rods, step, least_damping);
        } else {
            self.step_with::<true>(rods, step, least_damping);
            self.stop(rods, step);
        }
    }

    fn step_with<const STOPS: bool>(&mut self, rods: &[Rod], step: f64, least_damping: f64) {
        for hinge in &mut self.hinges {
            let (now, [first, second]) = (hinge.acceleration, hinge.before);
            let curved = if self.steady { now - 2.0 * first + second } else { 0.0 };
            hinge.acceleration = 2.0 * now - first + curved;
            hinge.before = [now, first];
        }
        if STOPS {
            for (k, hinge) in self.hinges.iter().enumerate() {
                self.turns[k] = hinge.turn;
                self.held[k] = self.stopped[k] != 0.0;
                self.felt[k] = if self.held[k] { 0.0 } else { hinge.acceleration };
            }
        }
        self.steady = false;
        for round in 0..ROUNDS {
            let change = self.accelerate::<STOPS>(rods, step, least_damping) * step * step;
            self.steady = round == 0 && change <= PREDICTED;
            if self.steady || change <= CONVERGED {
                break;
            }
        }
        for ((hinge, middle), animated) in self.hinges.iter_mut().zip(&self.midpoints).zip(&self.animated) {
            let acceleration = hinge.acceleration;
            let before = *hinge;
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
    }

    /// Turns rods out of their stops at the end of a step. What rests at a stop moves along with it.
    pub(super) fn stop(&mut self, rods: &[Rod], step: f64) {
        for (k, rod) in rods.iter().enumerate() {
            let animated = &self.animated[k];
            let above = animated.parent.map_or((UNTURNED.0, Vec2::ZERO), |parent| self.ends[parent]);
            let place = above.1 + turned(above.0, animated.hinge.end);
            let carried = if rod.turns_along { above.0 } else { UNTURNED.0 };
            let rotation = |turn: f64| {
                let angle = Angle::from_radians(animated.sense * turn);
                let (sin, cos) = angle.sin_cos();
                (carried.0 * cos + carried.1 * sin, carried.1 * cos - carried.0 * sin)
            };
            let hinge = &mut self.hinges[k];
            self.stopped[k] = 0.0;
            if let Some(stop) = rod.spring.stop {
                let way = turned(rotation(hinge.turn), animated.centre.end) * 2.0;
                if let Some(by) = stop.turn_out(self.stops[k][0], place, way) {
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
    fn accelerate<const STOPS: bool>(&mut self, rods: &[Rod], step: f64, least_damping: f64) -> f64 {
        // Slices of one length: no index but those of parents needs a check.
        let count = rods.len();
        let (animated, pulls) = (&self.animated[..count], &self.pulls[..count]);
        let (hinges, midpoints) = (&mut self.hinges[..count], &mut self.midpoints[..count]);
        let (felt, held, stopped) =
            (&mut self.felt[..count], &mut self.held[..count], &self.stopped[..count]);
        let mut trig = SinCosBlock::<BLOCK>::new();
        for (k, (rod, now)) in rods.iter().zip(animated).enumerate() {
            if k.is_multiple_of(BLOCK) {
                let block = hinges[k..].iter().zip(&animated[k..]).zip(&felt[k..]);
                trig.fill(block.map(|((hinge, now), felt)| {
                    let felt = if STOPS { *felt } else { hinge.acceleration };
                    Angle::from_radians(now.sense * hinge.middle(step, felt).0)
                }));
            }
            let speed = hinges[k].middle(step, if STOPS { felt[k] } else { hinges[k].acceleration }).1;
            let (carry, carry_spin) =
                now.parent.map_or(UNTURNED, |p| (midpoints[p].rotation, midpoints[p].spin));
            let (sin, cos) = (trig.sin[k % BLOCK], trig.cos[k % BLOCK]);
            let ((s, c), carried_spin) = if rod.turns_along { (carry, carry_spin) } else { UNTURNED };
            let rotation = (s * cos + c * sin, c * cos - s * sin);
            let spin = carried_spin + now.sense * speed;
            let (hinge, centre) = (turned(carry, now.hinge.middle), turned(rotation, now.centre.middle));
            let centre_drift = drift(rotation, spin, &now.centre, centre);
            let middle = &mut midpoints[k];
            (middle.rotation, middle.spin, middle.hinge) = (rotation, spin, hinge);
            middle.hinge_bias = drift(carry, carry_spin, &now.hinge, hinge);
            middle.articulated = rod_inertia(rod, pulls[k], centre, centre_drift, &now.centre);
        }
        for k in (0..count).rev() {
            let held = (STOPS && held[k]).then(|| felt[k]);
            let motion = RodMotion { rod: &rods[k], hinge: &hinges[k], animated: &animated[k], held };
            motion.fold(midpoints, k, step, least_damping);
        }
        let mut change = 0.0_f64;
        for (k, (rod, now)) in rods.iter().zip(animated).enumerate() {
            let middle = &midpoints[k];
            let above = now.parent.map_or((0.0, Vec2::ZERO), |p| midpoints[p].found);
            let shift = above.1 + quarter(middle.hinge) * above.0 + middle.hinge_bias;
            let carried = if rod.turns_along { above.0 } else { 0.0 };
            let (lever_turn, lever) = middle.lever;
            let own = (middle.push - lever_turn * carried - lever.dot(shift)) / middle.inertia;
            let free = carried + now.sense * own;
            let by = if STOPS {
                let into = stopped[k] * free < 0.0;
                let (turning, feels) = if into { (0.0, -now.sense * carried) } else { (free, own) };
                midpoints[k].found = (turning, shift);
                let by = if into == held[k] { (felt[k] - feels).abs() } else { f64::INFINITY };
                (held[k], felt[k]) = (into, feels);
                by
            } else {
                midpoints[k].found = (free, shift);
                (hinges[k].acceleration - own).abs()
            };
            // A change that is not a number does not end the iteration either.
            change = if by <= change { change } else { by };
            hinges[k].acceleration = own;
        }
        change
    }
}

/// One rod in a step. `held` is the acceleration that others feel where a stop holds it.
struct RodMotion<'r> {
    rod: &'r Rod,
    hinge: &'r Hinge,
    animated: &'r AnimatedRod,
    held: Option<f64>,
}

impl RodMotion<'_> {
    /// Adds the articulated inertia of the rod and its descendants to its parent rod.
    #[inline(always)]
    fn fold(&self, midpoints: &mut [Midpoint], k: usize, step: f64, least_damping: f64) {
        let (rod, hinge, sense) = (self.rod, self.hinge, self.animated.sense);
        let middle = &mut midpoints[k];
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
        let Some(parent) = self.animated.parent else { return };
        if let Some(felt) = self.held {
            // The stop bears all torque but that of the spring, and the rod does not turn.
            let (turn, speed) = hinge.middle(step, felt);
            let torque = -rod.stiffness * turn - damping * speed;
            let folded =
                ArticulatedInertia { turn: 0.0, mixed: Vec2::ZERO, bias_turn: sense * torque, ..articulated };
            midpoints[parent].articulated.add(&folded, arm, bias, rod.turns_along);
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
        midpoints[parent].articulated.add(&folded, arm, bias, rod.turns_along);
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
    #[inline(always)]
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
#[inline(always)]
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
#[inline(always)]
fn drift(rotation: (f64, f64), spin: f64, vector: &Motion, now: Vec2) -> Vec2 {
    turned(rotation, vector.acceleration) + quarter(turned(rotation, vector.speed)) * (2.0 * spin)
        - now * (spin * spin)
}

/// The rotation and the spin of what has no rod above it.
pub(super) const UNTURNED: ((f64, f64), f64) = ((0.0, 1.0), 0.0);

/// A vector rotated by (sine, cosine).
#[inline(always)]
pub(super) fn turned((sin, cos): (f64, f64), v: Vec2) -> Vec2 {
    Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
}

/// A vector rotated by a quarter turn: the derivative of a rotating vector.
#[inline(always)]
pub(super) fn quarter(v: Vec2) -> Vec2 {
    Vec2::new(-v.y, v.x)
}

/// The direction of a positive rotation of the bone on the canvas.
#[inline(always)]
fn sense(skeleton: &Skeleton, pose: &Pose, world: &WorldPose, bone: BoneId) -> f64 {
    let determinant = match skeleton.parent(bone) {
        // The frame of the parent without anything between the two.
        Some(parent) if pose.reparents.is_empty() && skeleton.inherit(bone) == Inherit::All => {
            world.matrix(parent).determinant()
        }
        _ => inherited_determinant(skeleton, pose, world, bone),
    };
    if determinant < 0.0 { -1.0 } else { 1.0 }
}

#[inline(never)]
fn inherited_determinant(skeleton: &Skeleton, pose: &Pose, world: &WorldPose, bone: BoneId) -> f64 {
    world.parent_frame(skeleton, pose, bone).inherited(skeleton.inherit(bone)).0.determinant()
}

/// The rotations from an animated pose that stay within the limits of a joint. A pose beyond its limits stays
/// possible.
#[inline(always)]
pub(super) fn range(skeleton: &Skeleton, pose: &Pose, bone: BoneId) -> (f64, f64) {
    match skeleton.joint(bone) {
        Joint::Pin { limits: Some(limits) } => limited_range(skeleton, pose, bone, limits),
        Joint::Pin { limits: None } | Joint::Free => (f64::NEG_INFINITY, f64::INFINITY),
        Joint::Slide { .. } | Joint::Fixed => (0.0, 0.0),
    }
}

#[inline(never)]
fn limited_range(
    skeleton: &Skeleton,
    pose: &Pose,
    bone: BoneId,
    (least, most): (Angle, Angle),
) -> (f64, f64) {
    let turn = pose.bones[bone.index()].angle - pose.setup(skeleton, bone).angle;
    ((least - turn).radians().min(0.0), (most - turn).radians().max(0.0))
}
