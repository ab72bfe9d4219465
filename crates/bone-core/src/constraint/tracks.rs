//! What of constraints is animated: curves over the time of a clip, and the times at which a point is held fast.

use kurbo::{Point, Vec2};

use super::run::Constraint;
use super::types::{Bend, Setting};
use crate::clip::Curve;

/// A point held at a place between two times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Seconds of the clip; in a looping clip a hold may run over its end.
    pub from: f64,
    /// Seconds of the clip, after `from`.
    pub until: f64,
    /// Seconds to take hold before `from`, and to let go after `until`.
    pub ease: (f64, f64),
    /// Where, on the canvas.
    pub place: Point,
    /// How fast that place moves, units a second: a walk on the spot has a moving floor.
    pub drift: Vec2,
}

/// What a clip says of one constraint.
#[derive(Clone, Debug, Default)]
pub struct ConstraintTrack {
    /// How much of it counts.
    pub mix: Option<Curve<f64>>,
    /// The point of the canvas that is aimed at.
    pub target: Option<Curve<Vec2>>,
    /// The side to bend to, from each time on; in order.
    pub bend: Vec<(f64, Bend)>,
    /// The softness.
    pub softness: Option<Curve<f64>>,
    /// The position on a path, or the distance.
    pub amount: Option<Curve<f64>>,
    /// When a point is held. Outside all of them the constraint is off.
    pub holds: Vec<Hold>,
}

impl Hold {
    /// How firmly it holds at a time, and how long it has held. `length` is that of a looping clip.
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
            // Also false for 0/0, a hold without easing.
            if firm > best.0 {
                best = (firm.min(1.0), time - self.from);
            }
        }
        // Smoothly in and out, without a kink in speed.
        (best.0 * best.0 * (3.0 - 2.0 * best.0), best.1)
    }
}

impl ConstraintTrack {
    /// The settings at a time of the keys' own axis; `length` is that of a clip that loops.
    pub fn setting(&self, constraint: &Constraint, time: f64, length: Option<f64>) -> Setting {
        let mut setting = constraint.setting();
        if let Some(mix) = &self.mix {
            setting.mix = mix.at(time);
        }
        if let Some(target) = &self.target {
            setting.place = Some(target.at(time).to_point());
        }
        let since = self.bend.partition_point(|(from, _)| *from <= time);
        if let Some((_, bend)) = since.checked_sub(1).and_then(|i| self.bend.get(i)) {
            setting.bend = Some(*bend);
        }
        setting.softness = self.softness.as_ref().map(|curve| curve.at(time));
        setting.amount = self.amount.as_ref().map(|curve| curve.at(time));
        if !self.holds.is_empty() {
            self.hold(&mut setting, time, length);
        }
        setting
    }

    fn hold(&self, setting: &mut Setting, time: f64, length: Option<f64>) {
        let (mut firmest, mut since) = (0.0, f64::INFINITY);
        for hold in &self.holds {
            let (firm, held) = hold.at(time, length);
            // Where one ends as the next one begins, at the end of a loop as well, the next one holds.
            if firm > firmest || (firm == firmest && firm > 0.0 && held < since) {
                (firmest, since) = (firm, held);
                setting.place = Some(hold.place + hold.drift * held);
            }
        }
        setting.mix *= firmest;
    }
}
