//! Rest without a simulation: the rotations at which springs, gravity, wind and stops balance, by Newton steps on
//! the energy of the rods. In total rotations the energy of each vector is a cosine and springs couple parent and
//! child alone, so a step is one elimination along the tree, in time linear in the number of rods.
//!
//! Where a cosine is not convex, its greatest curvature takes the place of its own (majorise and minimise; Lange,
//! "MM optimization algorithms", 2016), so that the energy falls from step to step and the rods come to the rest
//! that is near. The simulation remains the definition of rest: it begins where this ends.

use kurbo::Vec2;

use super::bodies::{Bodies, UNTURNED, quarter, turned};
use super::rod::Rod;
use crate::Angle;

/// Steps at most; rods on stops need the most.
const MOST_STEPS: usize = 150;

/// The greatest rotation of one step, radians: a rod must not pass through a stop, nor leave its side.
const LONGEST: f64 = 0.2;

/// Below this rotation a step takes the own curvature where it is convex, radians.
const NEAR: f64 = 0.05;

/// A step that turns no rod by more is the last one, radians.
const AT_REST: f64 = 1e-12;

/// One rod in a step: the quadratic model of the energy in its rotation.
#[derive(Clone, Copy, Default)]
struct RodBalance {
    /// Sine and cosine of the total rotation, and the rotated vectors to the hinge and to the centre.
    rotation: (f64, f64),
    hinge: Vec2,
    centre: Vec2,
    /// The force on the rod and its descendants.
    force: Vec2,
    /// Along and across that force, the sums over all vectors that turn with the rod.
    along: f64,
    across: f64,
    /// Of the model, descendants included: curvature and slope, without the own spring.
    curvature: f64,
    push: f64,
    /// The sum of the torques of gravity and wind on the rod and what turns along.
    torque: f64,
    hold: RodHold,
    /// The rotation of this step.
    turn: f64,
}

/// What keeps a rod from turning.
#[derive(Clone, Copy, Default, PartialEq)]
enum RodHold {
    #[default]
    Nothing,
    /// A limit of its joint: it turns as its parent does.
    Joint,
    /// A stop: its direction on the canvas stays.
    Stop,
}

impl Bodies {
    /// Turns the rods to the rest that is near, in the animated pose and the wind of the moment. Speeds become 0.
    pub(super) fn relax(&mut self, rods: &[Rod]) {
        let before = self.hinges.clone();
        let mut balances = vec![RodBalance::default(); rods.len()];
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            self.balance(rods, &mut balances, last < NEAR);
            last = self.turn(rods, &balances);
            if last <= AT_REST {
                break;
            }
        }
        if !self.hinges.iter().all(|hinge| hinge.turn.is_finite()) {
            self.hinges = before;
        }
        self.rest();
    }

    /// The rotations of a step.
    fn balance(&self, rods: &[Rod], balances: &mut [RodBalance], near: bool) {
        for (k, rod) in rods.iter().enumerate() {
            let animated = &self.animated[k];
            let above = animated.parent.map_or(UNTURNED.0, |parent| balances[parent].rotation);
            let carried = if rod.turns_along { above } else { UNTURNED.0 };
            let rotation = self.rotation(k, carried);
            balances[k] = RodBalance {
                rotation,
                hinge: turned(above, animated.hinge.end),
                centre: turned(rotation, animated.centre.end),
                force: self.pulls[k] * rod.spring.mass,
                ..RodBalance::default()
            };
        }
        for k in (0..rods.len()).rev() {
            let (animated, rod) = (&self.animated[k], &rods[k]);
            let RodBalance { centre, hinge, force, .. } = balances[k];
            let own = self.pulls[k] * rod.spring.mass;
            let balance = &mut balances[k];
            balance.along += own.dot(centre);
            balance.across += own.dot(quarter(centre));
            let most = Vec2::new(balance.along, balance.across).hypot();
            let convex = near && balance.along > 0.1 * most;
            balance.curvature += if convex { balance.along } else { most };
            balance.push += balance.across;
            balance.torque += balance.across;
            let turn = self.hinges[k].turn;
            let spring = rod.stiffness * animated.sense * turn;
            let total = balance.push - spring;
            let (least, most) = animated.range;
            let on_joint = animated.sense * balance.torque - rod.stiffness * turn;
            balance.hold = match () {
                () if self.stopped[k] * total < 0.0 => RodHold::Stop,
                () if turn >= most && on_joint >= 0.0 || turn <= least && on_joint <= 0.0 => RodHold::Joint,
                () => RodHold::Nothing,
            };
            let RodBalance { curvature, push, torque, hold, .. } = *balance;
            let Some(parent) = animated.parent else { continue };
            let above = &mut balances[parent];
            above.force += force;
            above.along += force.dot(hinge);
            above.across += force.dot(quarter(hinge));
            if rod.turns_along {
                let (added, pushed) = match hold {
                    RodHold::Nothing => {
                        let share = rod.stiffness / (curvature + rod.stiffness).max(f64::MIN_POSITIVE);
                        (rod.stiffness * (1.0 - share), spring + share * (push - spring))
                    }
                    RodHold::Joint => (curvature, push),
                    RodHold::Stop => (rod.stiffness, spring),
                };
                above.curvature += added;
                above.push += pushed;
                above.torque += torque;
            }
        }
        for (k, rod) in rods.iter().enumerate() {
            let animated = &self.animated[k];
            let above = animated.parent.filter(|_| rod.turns_along).map_or(0.0, |p| balances[p].turn);
            let balance = &mut balances[k];
            let spring = rod.stiffness * animated.sense * self.hinges[k].turn;
            balance.turn = match balance.hold {
                RodHold::Nothing => {
                    let whole = (balance.curvature + rod.stiffness).max(f64::MIN_POSITIVE);
                    (balance.push - spring + rod.stiffness * above) / whole
                }
                RodHold::Joint => above,
                RodHold::Stop => 0.0,
            };
        }
    }

    /// Takes a step, within joints and out of stops. Returns the greatest rotation of a hinge.
    fn turn(&mut self, rods: &[Rod], balances: &[RodBalance]) -> f64 {
        let longest = balances.iter().fold(0.0_f64, |longest, balance| longest.max(balance.turn.abs()));
        let share = if longest > LONGEST { LONGEST / longest } else { 1.0 };
        for (k, rod) in rods.iter().enumerate() {
            let animated = &self.animated[k];
            let above = animated.parent.filter(|_| rod.turns_along).map_or(0.0, |p| balances[p].turn);
            let hinge = &mut self.hinges[k];
            self.turns[k] = hinge.turn;
            let (least, most) = animated.range;
            let turn = hinge.turn + share * animated.sense * (balances[k].turn - above);
            hinge.turn = turn.max(least).min(most);
        }
        if !self.stops.is_empty() {
            self.stop(rods, 1.0);
        }
        let turns = self.hinges.iter().zip(&self.turns).map(|(now, before)| (now.turn - before).abs());
        turns.fold(0.0, f64::max)
    }

    /// Sine and cosine of the total rotation of a rod that inherits another.
    fn rotation(&self, k: usize, carried: (f64, f64)) -> (f64, f64) {
        let Vec2 { x: cos, y: sin } =
            Angle::from_radians(self.animated[k].sense * self.hinges[k].turn).direction();
        (carried.0 * cos + carried.1 * sin, carried.1 * cos - carried.0 * sin)
    }
}
