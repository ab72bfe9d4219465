//! Animated parameters of constraints: curves over the time of a clip, and times at which a point is held in
//! place.

use bone_archive::{ValueKind, archive, properties};
use kurbo::{Point, Vec2};

use super::rule::Constraint;
use super::types::{Bend, ConstraintParameters};
use crate::clip::{Curve, SAME_TIME};

properties! {
    /// A value of a constraint that a clip can key with eases.
    pub enum ConstraintProperty {
        /// Its strength.
        Mix = 0, "mix" {
            kind: ValueKind::Share, value: "1", keys: "[(0, 0), (1, 1)]", unkeyed: "the rig's",
        }
        /// A point of the canvas, for a constraint whose target is one.
        Target = 1, "target" {
            kind: ValueKind::Place, value: "(10, 20)", keys: "[(0, (320, 90)), (2, (420, 200))]", unkeyed: "the rig's",
        }
        /// Of an `Ik` or an `Aim`.
        Softness = 2, "softness" {
            kind: ValueKind::Share, value: "1", keys: "[(0, 0.1)]", unkeyed: "the rig's",
        }
        /// Of a `Path`.
        Position = 3, "position" {
            kind: ValueKind::Rounds, value: "0.25", keys: "[(0, 0), (1, 1)]", unkeyed: "the rig's",
        }
        /// Of a `Distance`.
        Distance = 4, "distance" {
            kind: ValueKind::Length, value: "80", keys: "[(0, 80), (1, 120)]", unkeyed: "the rig's",
        }
    }
}

/// A point held in place between two times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Seconds of the clip; in a looping clip a hold may run over its end.
    pub from: f64,
    /// Seconds of the clip, after `from`.
    pub until: f64,
    /// Seconds of the transition before `from`, and of that after `until`.
    pub ease: (f64, f64),
    /// The position on the canvas.
    pub place: Point,
    /// The velocity of that position, units per second: a walk on the spot has a moving floor.
    pub drift: Vec2,
}

/// The animated parameters of one constraint in a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstraintTrack {
    /// The strength.
    pub mix: Option<Curve<f64>>,
    /// The target on the canvas.
    pub target: Option<Curve<Vec2>>,
    /// The bend side from each time on, in order.
    pub bend: Vec<(f64, Bend)>,
    /// The softness.
    pub softness: Option<Curve<f64>>,
    /// The position on a path, or the distance.
    pub amount: Option<Curve<f64>>,
    /// The times at which a point is held. If there are any, the constraint is off outside of them.
    pub holds: Vec<Hold>,
}

impl Hold {
    /// The strength of the hold at a time, and the seconds since its start. `length` is that of a looping
    /// clip.
    fn at(&self, time: f64, length: Option<f64>) -> (f64, f64) {
        let mut best = (0.0_f64, 0.0);
        let rounds = if length.is_some() { -1..=1 } else { 0..=0 };
        for round in rounds {
            let time = time + f64::from(round) * length.unwrap_or(0.0);
            let firm = if time < self.from {
                1.0 - (self.from - time) / self.ease.0
            } else if time <= self.until {
                1.0
            } else {
                1.0 - (time - self.until) / self.ease.1
            };
            // Also false for 0/0, a hold without transitions.
            if firm > best.0 {
                best = (firm.min(1.0), time - self.from);
            }
        }
        // Smoothstep: the speed is continuous.
        (best.0 * best.0 * (3.0 - 2.0 * best.0), best.1)
    }
}

impl ConstraintTrack {
    /// Keys a property of one component; false for others. A constraint has a position or a distance, not both.
    pub fn set_number(&mut self, property: ConstraintProperty, curve: Curve<f64>) -> bool {
        let slot = match property {
            ConstraintProperty::Mix => &mut self.mix,
            ConstraintProperty::Softness => &mut self.softness,
            ConstraintProperty::Position | ConstraintProperty::Distance => &mut self.amount,
            ConstraintProperty::Target => return false,
        };
        *slot = Some(curve);
        true
    }

    /// The parameters at a time on the axis of the keys; `length` is that of a looping clip.
    pub fn parameters(
        &self,
        constraint: &Constraint,
        time: f64,
        length: Option<f64>,
    ) -> ConstraintParameters {
        let mut parameters = constraint.parameters();
        if let Some(mix) = &self.mix {
            parameters.mix = mix.at(time);
        }
        if let Some(target) = &self.target {
            parameters.place = Some(target.at(time).to_point());
        }
        let since = self.bend.partition_point(|(from, _)| *from <= time + SAME_TIME);
        if let Some((_, bend)) = since.checked_sub(1).and_then(|i| self.bend.get(i)) {
            parameters.bend = Some(*bend);
        }
        parameters.softness = self.softness.as_ref().map(|curve| curve.at(time));
        parameters.amount = self.amount.as_ref().map(|curve| curve.at(time));
        if !self.holds.is_empty() {
            self.hold(&mut parameters, time, length);
        }
        parameters
    }

    fn hold(&self, parameters: &mut ConstraintParameters, time: f64, length: Option<f64>) {
        let (mut firmest, mut since) = (0.0, f64::INFINITY);
        for hold in &self.holds {
            let (firm, held) = hold.at(time, length);
            // Where one hold ends as the next one begins, also at the end of a loop, the next one is taken.
            if firm > firmest || (firm == firmest && firm > 0.0 && held < since) {
                (firmest, since) = (firm, held);
                parameters.place = Some(hold.place + hold.drift * held);
            }
        }
        parameters.mix *= firmest;
    }
}

archive!(struct Hold { from, until, ease, place, drift });
archive!(struct ConstraintTrack { mix, target, bend, softness, amount, holds });
