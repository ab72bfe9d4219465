//! The rods and their motion: one step of the implicit midpoint rule, accelerations by the articulated body method
//! (Featherstone, "Rigid Body Dynamics Algorithms", chapter 7) in the plane, in time linear in the number of rods.
//!
//! Unknown is `d`, each hinge's turn away from the animated pose, so with `D` the sum of the turns that a rod inherits,
//! its hinge stands at `x_p + R(D_p) r` and its centre at `x + R(D) q`, where `r` and `q` are the animated vectors
//! on the canvas. Midpoints keep the energy of a swing (the rule is symplectic); hinges are linearly implicit, so no
//! stiffness is too stiff. What is animated may jump: a jump carries the rods along without a blow.

use kurbo::Vec2;

use super::Rod;
use crate::{Angle, BoneId, BonePose, Joint, Pose, Skeleton, WorldPose};

/// Radians a second that no film can show and no step can follow: speeds end here.
const FASTEST: f64 = 200.0;

/// Part of a rod's reach that it may be carried in one step; what is further is a jump.
const JUMP: f64 = 0.4;

/// The midpoint is found by repetition; each round gains two digits or more.
const ROUNDS: usize = 4;

/// An animated vector around one step: its ends and its speeds before, in and after the step.
#[derive(Clone, Copy, Debug, Default)]
struct Motion {
    ends: [Vec2; 2],
    ahead: Vec2,
    speeds: [Vec2; 3],
}

impl Motion {
    fn still(at: Vec2) -> Self {
        Self { ends: [at; 2], ahead: at, speeds: [Vec2::ZERO; 3] }
    }

    fn push(&mut self, next: Vec2, step: f64, jump: f64) {
        let way = next - self.ahead;
        // A jump goes on at the speed of before.
        let speed = if way.hypot2() > jump * jump { self.speeds[2] } else { way / step };
        self.speeds = [self.speeds[1], self.speeds[2], speed];
        self.ends = [self.ends[1], self.ahead];
        self.ahead = next;
    }

    /// As though it had always moved as it does in the step ahead.
    fn roll(&mut self) {
        self.speeds = [self.speeds[2]; 3];
    }

    fn middle(&self) -> Vec2 {
        (self.ends[0] + self.ends[1]) * 0.5
    }

    fn speed(&self) -> Vec2 {
        self.speeds[1]
    }

    /// The change of speed across the step: over all steps it adds up to the change of speed.
    fn acceleration(&self, step: f64) -> Vec2 {
        (self.speeds[2] - self.speeds[0]) / (2.0 * step)
    }
}

/// What the animation does to one rod.
#[derive(Clone, Copy, Debug, Default)]
struct Drawn {
    /// From the hinge above to this one; of a first rod from the canvas' origin.
    hinge: Motion,
    /// From the hinge to the rod's centre.
    centre: Motion,
    /// 1, or -1 where a mirrored parent makes positive turns go anticlockwise.
    sense: f64,
    /// Turns away from the animated pose that the joint allows, radians.
    range: (f64, f64),
}

/// The state of one hinge, radians and radians a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Hinge {
    pub(super) turn: f64,
    pub(super) speed: f64,
    /// Of the last step: where the next one begins to look.
    acceleration: f64,
}

/// What the rod and all that hangs on it answer to a motion of their hinge: wrench = inertia * acceleration + bias.
/// Parts are (turn, x, y); the inertia is symmetric.
#[derive(Clone, Copy, Debug, Default)]
struct Answer {
    turn: f64,
    /// Mixed turn and shift.
    mixed: Vec2,
    xx: f64,
    xy: f64,
    yy: f64,
    bias_turn: f64,
    bias: Vec2,
}

/// What the middle of a step gives for one rod.
#[derive(Clone, Copy, Debug, Default)]
struct Middle {
    /// The whole turn away from the animated pose, as a rotation, and its speed.
    rotation: (f64, f64),
    spin: f64,
    /// The turned vectors, and what of their accelerations no unknown has a part in.
    hinge: Vec2,
    hinge_bias: Vec2,
    answer: Answer,
    /// The hinge's share: D, u and U of Featherstone's table 7.1.
    inertia: f64,
    push: f64,
    lever: (f64, Vec2),
    /// Accelerations, turn and shift of the hinge.
    found: (f64, Vec2),
}

/// All rods in motion.
#[derive(Clone, Debug)]
pub(super) struct Bodies<'a> {
    rods: &'a [Rod],
    drawn: Vec<Drawn>,
    pub(super) hinges: Vec<Hinge>,
    middles: Vec<Middle>,
    /// Samples seen so far, up to what fills a step.
    seen: usize,
}

impl<'a> Bodies<'a> {
    pub(super) fn new(rods: &'a [Rod]) -> Self {
        Self {
            rods,
            drawn: vec![Drawn::default(); rods.len()],
            hinges: vec![Hinge::default(); rods.len()],
            middles: vec![Middle::default(); rods.len()],
            seen: 0,
        }
    }

    /// Takes the animated pose one step further.
    pub(super) fn push(&mut self, skeleton: &Skeleton, pose: &Pose, world: &WorldPose, step: f64) {
        for k in 0..self.rods.len() {
            let rod = &self.rods[k];
            let bone = rod.spring.bone;
            let start = world.origin(bone).to_vec2();
            let centre = (world.tip(skeleton, pose, bone).to_vec2() - start) * 0.5;
            let carried = self.carrier(pose, k);
            let above = carried.map_or(Vec2::ZERO, |p| world.origin(self.rods[p].spring.bone).to_vec2());
            let hinge = start - above;
            let drawn = &mut self.drawn[k];
            let jump = JUMP * rod.reach;
            if self.seen == 0 || !(start.is_finite() && centre.is_finite()) {
                drawn.hinge = Motion::still(if hinge.is_finite() { hinge } else { Vec2::ZERO });
                drawn.centre = Motion::still(if centre.is_finite() { centre } else { Vec2::ZERO });
            } else {
                drawn.hinge.push(hinge, step, jump);
                drawn.centre.push(centre, step, jump);
            }
            drawn.sense = sense(skeleton, pose, world, bone);
            drawn.range = range(skeleton.joint(bone), &pose.setup(skeleton, bone), &pose.bones[bone.index()]);
        }
        self.seen += 1;
    }

    /// Takes what speed is left.
    pub(super) fn rest(&mut self) {
        for hinge in &mut self.hinges {
            *hinge = Hinge { turn: hinge.turn, ..Hinge::default() };
        }
    }

    /// As though the animation had always moved as it begins to.
    pub(super) fn roll(&mut self) {
        for drawn in &mut self.drawn {
            drawn.hinge.roll();
            drawn.centre.roll();
        }
    }

    /// The rod that carries another one. A bone that was handed to another parent swings on its own.
    fn carrier(&self, pose: &Pose, k: usize) -> Option<usize> {
        let rod = &self.rods[k];
        rod.parent.filter(|_| pose.reparent(rod.spring.bone).is_none())
    }

    /// One step of the animation as it was pushed. `calm` is the least damping, as a part of the critical one.
    pub(super) fn step(&mut self, pose: &Pose, step: f64, calm: f64) {
        for _ in 0..ROUNDS {
            self.accelerate(pose, step, calm);
        }
        for ((hinge, middle), drawn) in self.hinges.iter_mut().zip(&self.middles).zip(&self.drawn) {
            let acceleration = hinge.acceleration;
            let before = *hinge;
            hinge.speed = (before.speed + step * acceleration).clamp(-FASTEST, FASTEST);
            hinge.turn = before.turn + step * 0.5 * (before.speed + hinge.speed);
            if !(hinge.turn.is_finite() && middle.spin.is_finite()) {
                *hinge = Hinge::default();
            }
            let (least, most) = drawn.range;
            // A stop takes all speed.
            if hinge.turn < least || hinge.turn > most {
                *hinge = Hinge { turn: hinge.turn.clamp(least, most), ..Hinge::default() };
            }
        }
    }

    /// The accelerations at the middle of the step, from those of the last round.
    fn accelerate(&mut self, pose: &Pose, step: f64, calm: f64) {
        for k in 0..self.rods.len() {
            let hinge = self.hinges[k];
            let drawn = &self.drawn[k];
            let speed = hinge.speed + 0.5 * step * hinge.acceleration;
            let turn = hinge.turn + 0.5 * step * speed;
            let carried = self.carrier(pose, k);
            let above = carried.map(|p| self.middles[p]);
            let along = above.filter(|_| self.rods[k].turns_along);
            let angle = Angle::from_radians(drawn.sense * turn);
            let (sin, cos) = angle.sin_cos();
            let (s, c) = along.map_or((0.0, 1.0), |above| above.rotation);
            let rotation = (s * cos + c * sin, c * cos - s * sin);
            let spin = along.map_or(0.0, |above| above.spin) + drawn.sense * speed;
            let (carry, carry_spin) = above.map_or(((0.0, 1.0), 0.0), |above| (above.rotation, above.spin));
            let centre = turned(rotation, drawn.centre.middle());
            let middle = &mut self.middles[k];
            middle.rotation = rotation;
            middle.spin = spin;
            middle.hinge = turned(carry, drawn.hinge.middle());
            middle.hinge_bias = drift(carry, carry_spin, &drawn.hinge, step);
            middle.answer =
                alone(&self.rods[k], centre, drift(rotation, spin, &drawn.centre, step), &drawn.centre, step);
        }
        for k in (0..self.rods.len()).rev() {
            self.fold(pose, k, step, calm);
        }
        for k in 0..self.rods.len() {
            let above = self.carrier(pose, k).map_or((0.0, Vec2::ZERO), |p| self.middles[p].found);
            let sense = self.drawn[k].sense;
            let middle = &mut self.middles[k];
            let shift = above.1 + quarter(middle.hinge) * above.0 + middle.hinge_bias;
            let carried = if self.rods[k].turns_along { above.0 } else { 0.0 };
            let (lever_turn, lever) = middle.lever;
            let own = (middle.push - lever_turn * carried - lever.dot(shift)) / middle.inertia;
            middle.found = (carried + sense * own, shift);
            self.hinges[k].acceleration = own;
        }
    }

    /// Gives what a rod and all on it answer to the rod that carries it.
    fn fold(&mut self, pose: &Pose, k: usize, step: f64, calm: f64) {
        let (rod, hinge, sense) = (&self.rods[k], self.hinges[k], self.drawn[k].sense);
        let middle = &mut self.middles[k];
        let answer = middle.answer;
        let critical = 2.0 * (rod.stiffness * answer.turn.max(0.0)).sqrt();
        let damping = rod.damping.max(calm * critical);
        let (half, quarter_square) = (0.5 * step, 0.25 * step * step);
        let torque = -rod.stiffness * (hinge.turn + half * hinge.speed) - damping * hinge.speed;
        // U, D and u: the hinge's axis is (sense, 0, 0).
        let lever = (sense * answer.turn, answer.mixed * sense);
        let inertia = answer.turn + rod.stiffness * quarter_square + damping * half;
        let push = torque - sense * answer.bias_turn;
        (middle.lever, middle.inertia, middle.push) = (lever, inertia.max(f64::MIN_POSITIVE), push);
        let inertia = middle.inertia;
        let (arm, bias) = (middle.hinge, middle.hinge_bias);
        let Some(parent) = self.carrier(pose, k) else { return };
        let (t, l) = lever;
        let folded = Answer {
            turn: answer.turn - t * t / inertia,
            mixed: answer.mixed - l * (t / inertia),
            xx: answer.xx - l.x * l.x / inertia,
            xy: answer.xy - l.x * l.y / inertia,
            yy: answer.yy - l.y * l.y / inertia,
            bias_turn: answer.bias_turn + t * push / inertia,
            bias: answer.bias + l * (push / inertia),
        };
        let along = self.rods[k].turns_along;
        self.middles[parent].answer.add(&folded, arm, bias, along);
    }
}

impl Answer {
    /// Adds what hangs at the end of `arm`, of which the accelerations no unknown has a part in are `drift`. What does not
    /// turn `along` is only carried.
    fn add(&mut self, child: &Self, arm: Vec2, drift: Vec2, along: bool) {
        let lever = quarter(arm);
        let times = |v: Vec2| Vec2::new(child.xx * v.x + child.xy * v.y, child.xy * v.x + child.yy * v.y);
        let turn = if along { 1.0 } else { 0.0 };
        // Wrench at the child's hinge for a unit of turn of this one, and for none.
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

/// What a rod without anything on it answers: a thin rod of its length about its centre.
fn alone(rod: &Rod, centre: Vec2, drift: Vec2, drawn: &Motion, step: f64) -> Answer {
    let mass = rod.spring.mass;
    let lever = quarter(centre);
    let square = centre.hypot2();
    // Half the length is the arm: m (2 q)^2 / 12. A rod of no length must still have an inertia.
    let own = mass * square.max(1e-12) / 3.0;
    let middle = drawn.middle();
    let turning = middle.cross(drawn.acceleration(step)) / middle.hypot2().max(1e-12);
    let force = (drift - rod.spring.gravity) * mass;
    Answer {
        turn: own + mass * square,
        mixed: lever * mass,
        xx: mass,
        xy: 0.0,
        yy: mass,
        bias_turn: own * turning + lever.dot(force),
        bias: force,
    }
}

/// The acceleration of `R(D) v` but for the part of D's own: `R v'' + 2 D' J R v' - D'^2 R v`.
fn drift(rotation: (f64, f64), spin: f64, vector: &Motion, step: f64) -> Vec2 {
    turned(rotation, vector.acceleration(step)) + quarter(turned(rotation, vector.speed())) * (2.0 * spin)
        - turned(rotation, vector.middle()) * (spin * spin)
}

/// A vector turned by (sine, cosine).
fn turned((sin, cos): (f64, f64), v: Vec2) -> Vec2 {
    Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
}

/// A vector turned by a quarter: how a turn moves its end.
fn quarter(v: Vec2) -> Vec2 {
    Vec2::new(-v.y, v.x)
}

/// Which way a positive turn of the bone goes on the canvas.
fn sense(skeleton: &Skeleton, pose: &Pose, world: &WorldPose, bone: BoneId) -> f64 {
    let frame = world.parent_frame(skeleton, pose, bone);
    let (axes, _) = frame.inherited(skeleton.inherit(bone));
    if axes.determinant() < 0.0 { -1.0 } else { 1.0 }
}

/// The turns away from an animated pose that keep within the limits of a joint. A pose beyond its limits stays possible.
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
