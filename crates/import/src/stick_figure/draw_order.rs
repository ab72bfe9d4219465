//! The draw order of limbs, by their depth, with hysteresis: a limb changes its order only when it is clearly
//! nearer or farther and has kept its order for a minimal time.

use bone_core::Side;

use crate::parts::BodyPart;
use crate::{Body, PlanarMotion};

/// The difference in depth at which an arm passes the chest, in heights.
const PAST_THE_CHEST: f64 = 0.07;
/// The difference in depth at which one limb is nearer than the other, in heights.
const NEARER: f64 = 0.03;

/// The side that is nearer to the viewer on average; `None` if there is no clear difference.
pub(super) fn near_side(motion: &PlanarMotion) -> Option<Side> {
    let body = motion.body();
    let (legs, arms) = (body.pair(BodyPart::Thigh)?, body.pair(BodyPart::UpperArm));
    let mut nearer = 0.0;
    for frame in 0..motion.frames() {
        for (left, right) in [Some(legs), arms].into_iter().flatten() {
            nearer += motion.depth(frame, left)? - motion.depth(frame, right)?;
        }
    }
    let nearer = nearer / motion.frames() as f64;
    let size = crate::figure::height(motion, &body);
    (nearer.abs() > 0.05 * size).then_some(if nearer > 0.0 { Side::Left } else { Side::Right })
}

/// A state with hysteresis: it changes only on a clear signal, and only after a minimal time.
struct Hysteresis {
    now: bool,
    since: usize,
    hold: usize,
}

impl Hysteresis {
    /// The state in a frame; `clear` is the new state if the signal is clear.
    fn at(&mut self, frame: usize, clear: Option<bool>) -> bool {
        if let Some(then) = clear.filter(|then| *then != self.now)
            && (frame == 0 || frame >= self.since + self.hold)
        {
            (self.now, self.since) = (then, frame);
        }
        self.now
    }
}

/// Whether a value is clearly above or clearly below; `None` between the two thresholds.
fn clear(value: f64, above: f64, below: f64) -> Option<bool> {
    if value > above {
        Some(true)
    } else if value < below {
        Some(false)
    } else {
        None
    }
}

/// The joints of a limb whose depth counts: those that move.
fn joints(body: &Body, arm: bool, side: Side) -> Vec<usize> {
    let parts = match arm {
        true => [BodyPart::ForeArm(side), BodyPart::Hand(side)],
        false => [BodyPart::Shin(side), BodyPart::Foot(side)],
    };
    parts.into_iter().filter_map(|part| body.start(part)).collect()
}

/// The draw order of limbs (arm or leg, and the side) relative to the body, which has 0: in front of it legs
/// have 1 and 2 and arms 3 and 4, behind it the negative numbers. Empty if no limb changes its order, or if
/// depths are not known.
pub(super) fn orders(
    motion: &PlanarMotion,
    near: Option<Side>,
    limbs: &[(bool, Side)],
) -> Vec<Vec<(usize, i8)>> {
    let body = motion.body();
    let size = crate::figure::height(motion, &body);
    // The minimal time between two changes of order, seconds.
    let hold = (motion.rate() * 0.15).ceil() as usize;
    let mean = |frame: usize, joints: &[usize]| -> Option<f64> {
        let depths = joints.iter().map(|joint| motion.depth(frame, *joint));
        let sum = depths.sum::<Option<f64>>()?;
        (!joints.is_empty()).then(|| sum / (joints.len() as f64 * size))
    };
    let steady = |now: bool| Hysteresis { now, since: 0, hold };
    // For each limb whether it is in front of the body; for arms and for legs whether the left one is nearer.
    let mut before: Vec<Hysteresis> =
        limbs.iter().map(|&(arm, side)| steady(near.map_or(arm, |near| near == side))).collect();
    // If neither side is near, the right limb is painted later.
    let mut left = [true, false].map(|_| steady(near == Some(Side::Left)));
    let legs = |side| {
        let root = body.start(BodyPart::Thigh(side));
        root.into_iter().chain(joints(&body, false, side)).collect::<Vec<_>>()
    };
    let chest: Vec<usize> =
        [BodyPart::Chest, BodyPart::Neck].into_iter().filter_map(|part| body.start(part)).collect();
    let hips: Vec<usize> =
        [Side::Left, Side::Right].into_iter().filter_map(|side| body.start(BodyPart::Thigh(side))).collect();
    let mut orders: Vec<Vec<(usize, i8)>> = vec![Vec::new(); limbs.len()];
    for frame in 0..motion.frames() {
        let difference = |arm: bool| {
            let of = |side| mean(frame, &if arm { joints(&body, true, side) } else { legs(side) });
            Some(of(Side::Left)? - of(Side::Right)?)
        };
        let lefts = [true, false].map(|arm| {
            let nearer = difference(arm).and_then(|way| clear(way, NEARER, -NEARER));
            left[usize::from(!arm)].at(frame, nearer)
        });
        for ((&(arm, side), before), orders) in limbs.iter().zip(&mut before).zip(&mut orders) {
            let nearer = lefts[usize::from(!arm)] == (side == Side::Left);
            let ahead = |of: &[usize]| Some(mean(frame, &joints(&body, arm, side))? - mean(frame, of)?);
            let front = match (arm, near) {
                (true, _) => ahead(&chest).and_then(|way| clear(way, PAST_THE_CHEST, -PAST_THE_CHEST)),
                // In a side view one leg is in front of the hips, the other behind them.
                (false, Some(_)) => Some(nearer),
                // The differences in depth at which a leg moves in front of the hips and back, in heights.
                (false, None) => ahead(&hips).and_then(|way| clear(way, 0.14, 0.08)),
            };
            let rank = if arm { 3 } else { 1 };
            let order = match before.at(frame, front) {
                true => rank + i8::from(nearer),
                false => -rank - i8::from(!nearer),
            };
            if orders.last().is_none_or(|last| last.1 != order) {
                orders.push((frame, order));
            }
        }
    }
    let as_drawn = |&(arm, side): &(bool, Side)| {
        let rank = if arm { 3 } else { 1 };
        match near {
            Some(near) if near == side => rank + 1,
            Some(_) => -rank - 1,
            None if arm => rank + i8::from(side == Side::Right),
            None => -rank - i8::from(side == Side::Left),
        }
    };
    let still = orders.iter().zip(limbs).all(|(orders, limb)| orders[..] == [(0, as_drawn(limb))]);
    if still { Vec::new() } else { orders }
}

#[cfg(test)]
mod tests {
    use kurbo::Point;

    use super::*;
    use crate::PlanarJoint;

    /// A body whose shins have these depths in each frame: left, right.
    fn body(depths: &[(f64, f64)]) -> PlanarMotion {
        let names = [
            ("Hips", None, (0.0, 0.0)),
            ("Neck", Some(0), (0.0, -60.0)),
            ("Head", Some(1), (0.0, -75.0)),
            ("LeftHip", Some(0), (0.0, 0.0)),
            ("LeftKnee", Some(3), (0.0, 45.0)),
            ("LeftAnkle", Some(4), (0.0, 85.0)),
            ("RightHip", Some(0), (0.0, 0.0)),
            ("RightKnee", Some(6), (0.0, 45.0)),
            ("RightAnkle", Some(7), (0.0, 85.0)),
        ];
        let joint = |(name, parent, _): &(&str, Option<usize>, _)| PlanarJoint {
            name: (*name).to_owned(),
            parent: *parent,
        };
        let joints = names.iter().map(joint).collect();
        let positions = depths.iter().flat_map(|_| names.map(|(.., (x, y))| Point::new(x, y))).collect();
        let deep = depths.iter().flat_map(|&(l, r)| [0.0, 0.0, 0.0, l, l, l, r, r, r]).collect();
        PlanarMotion::new(joints, 30.0, positions)
            .and_then(|motion| motion.with_depths(deep))
            .expect("a figure")
    }

    const LEGS: [(bool, Side); 2] = [(false, Side::Left), (false, Side::Right)];

    #[test]
    fn the_nearer_leg_is_drawn_in_front() {
        let depths: Vec<(f64, f64)> =
            (0..60).map(|frame| if frame < 30 { (12.0, -12.0) } else { (-12.0, 12.0) }).collect();
        let found = orders(&body(&depths), Some(Side::Left), &LEGS);
        assert_eq!(found, [vec![(0, 2), (30, -2)], vec![(0, -2), (30, 2)]]);
        assert!(orders(&body(&depths[..30]), Some(Side::Left), &LEGS).is_empty());
        // In a front view both are behind the body, one in front of the other.
        let found = orders(&body(&depths), None, &LEGS);
        assert_eq!(found, [vec![(0, -1), (30, -2)], vec![(0, -2), (30, -1)]]);
    }

    #[test]
    fn changes_have_a_minimal_distance() {
        // Small differences: the order does not change. Large ones in every frame: it changes only after the
        // minimal time.
        let little: Vec<(f64, f64)> =
            (0..60).map(|frame| (if frame % 2 == 0 { 2.0 } else { -2.0 }, 0.0)).collect();
        assert!(orders(&body(&little), Some(Side::Left), &LEGS).is_empty());
        let wild: Vec<(f64, f64)> =
            (0..60).map(|frame| (if frame % 2 == 0 { 30.0 } else { -30.0 }, 0.0)).collect();
        let found = orders(&body(&wild), Some(Side::Left), &LEGS);
        assert!(found[0].windows(2).all(|pair| pair[1].0 - pair[0].0 >= 5), "{found:?}");
    }
}
