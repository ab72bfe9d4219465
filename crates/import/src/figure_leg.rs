//! The joints of a leg in a planar motion, and how its knee follows its foot.

use bone_core::Side;
use kurbo::{Point, Vec2};

use crate::body::Body;
use crate::parts::BodyPart;

/// The joints of a leg; of a leg of one bone the knee is the hip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigureLeg {
    /// Where the thigh begins.
    pub hip: usize,
    /// Where the shin begins.
    pub knee: usize,
    /// Where the foot begins.
    pub ankle: usize,
    /// The joints below the ankle.
    pub toes: Vec<usize>,
}

impl FigureLeg {
    /// The leg of a body on one side, if all its joints are known.
    pub fn find(body: &Body, side: Side) -> Option<Self> {
        let toes = [body.start(BodyPart::Toe(side)), body.end(BodyPart::Toe(side))];
        Some(Self {
            hip: body.start(BodyPart::Thigh(side))?,
            knee: body.start(BodyPart::Shin(side))?,
            ankle: body.start(BodyPart::Foot(side))?,
            toes: toes.into_iter().flatten().collect(),
        })
    }

    /// The joint that stands: the ball of the foot, or the ankle.
    pub fn ball(&self) -> usize {
        self.toes.first().copied().unwrap_or(self.ankle)
    }

    /// The knee between a hip and an ankle, on the side to which it was bent before; `None` if they are at one
    /// position, or at none. Thigh and shin get longer or shorter by the share `give`: within it the knee keeps its angle.
    ///
    /// # Panics
    /// If the leg has a joint that has no position.
    pub fn bent(&self, before: &[Point], hip: Point, ankle: Point, give: f64) -> Option<Point> {
        let give = if give > 0.0 { give.min(1.0) } else { 0.0 };
        let [old_hip, old_knee, old_ankle] = [self.hip, self.knee, self.ankle].map(|joint| before[joint]);
        let (way, old_way) = (ankle - hip, old_ankle - old_hip);
        let (far, old_far) = (way.hypot(), old_way.hypot());
        let longer = (far / old_far.max(1e-9)).clamp(1.0 - give, 1.0 + give);
        let (thigh, shin) = (longer * (old_knee - old_hip).hypot(), longer * (old_ankle - old_knee).hypot());
        // Positions that are no numbers have no knee between them.
        if ![far, thigh, shin].iter().all(|length| length.is_finite() && *length >= 1e-9) {
            return None;
        }
        if give > 0.0 && (far - longer * old_far).abs() < 1e-9 * far {
            let turn = Vec2::new(old_way.dot(way), old_way.cross(way)) * (1.0 / (old_far * old_far));
            return Some(hip + (old_knee - old_hip).rotate_scale(turn));
        }
        let far = far.clamp((thigh - shin).abs(), thigh + shin);
        let along = (thigh * thigh - shin * shin + far * far) / (2.0 * far);
        let across = (thigh * thigh - along * along).max(0.0).sqrt();
        let over = old_way.cross(old_knee - old_hip) / old_far.max(1e-9);
        // A leg that was straight bends towards the toes.
        let forward = self.toes.last().map_or(over, |&toe| old_ankle.x - before[toe].x);
        let side = if over.abs() < 0.01 * (thigh + shin) { forward } else { over };
        let across = if side < 0.0 { -across } else { across };
        let unit = way * (1.0 / way.hypot());
        Some(hip + unit * along + Vec2::new(-unit.y, unit.x) * across)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bone_core::Angle;

    /// Within the give the knee keeps its angle to the bit of a test, beyond it bones keep the given length.
    #[test]
    fn a_knee_keeps_its_angle_while_its_bones_give() {
        let leg = FigureLeg { hip: 0, knee: 1, ankle: 2, toes: Vec::new() };
        let before = [Point::new(3.0, 4.0), Point::new(10.0, 50.0), Point::new(2.0, 92.0)];
        let bend =
            |[hip, knee, ankle]: [Point; 3]| (Angle::of(ankle - knee) - Angle::of(knee - hip)).degrees();
        let placed = |by: f64, turn: f64| {
            let way = (before[2] - before[0]).rotate_scale(Angle::from_degrees(turn).direction() * by);
            let (hip, ankle) = (Point::new(-7.0, 1.0), Point::new(-7.0, 1.0) + way);
            [hip, leg.bent(&before, hip, ankle, 0.01).expect("a knee"), ankle]
        };
        for (by, turn) in [(1.0, 0.0), (0.995, 20.0), (1.0099, -150.0)] {
            assert!((bend(placed(by, turn)) - bend(before)).abs() < 1e-9, "{by} {turn}");
        }
        for (by, give) in [(0.97, 0.99), (1.012, 1.01)] {
            let now = placed(by, 35.0);
            for at in 0..2 {
                let long = now[at].distance(now[at + 1]) / before[at].distance(before[at + 1]);
                assert!((long - give).abs() < 1e-9, "{by}: {long}");
            }
        }
        assert_eq!(leg.bent(&before, before[0], before[0], 0.01), None);
    }
}
