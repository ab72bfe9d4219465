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

    /// Places the knee between hip and ankle, on the side to which it was bent before.
    ///
    /// # Panics
    /// If the leg has a joint that has no position.
    pub fn bend(&self, positions: &mut [Point], before: &[Point]) {
        let (hip, knee, ankle) = (before[self.hip], before[self.knee], before[self.ankle]);
        let (thigh, shin) = ((knee - hip).hypot(), (ankle - knee).hypot());
        let (hip_now, ankle_now) = (positions[self.hip], positions[self.ankle]);
        let path = ankle_now - hip_now;
        let far = path.hypot();
        if far < 1e-9 || thigh < 1e-9 || shin < 1e-9 {
            return;
        }
        let far = far.clamp((thigh - shin).abs(), thigh + shin);
        let along = (thigh * thigh - shin * shin + far * far) / (2.0 * far);
        let across = (thigh * thigh - along * along).max(0.0).sqrt();
        let before = (ankle - hip).cross(knee - hip) / (ankle - hip).hypot().max(1e-9);
        // A leg that was straight bends towards the toes.
        let forward = self.toes.last().map_or(before, |&toe| positions[self.ankle].x - positions[toe].x);
        let side = if before.abs() < 0.01 * (thigh + shin) { forward } else { before };
        let across = if side < 0.0 { -across } else { across };
        let unit = path * (1.0 / path.hypot());
        positions[self.knee] = hip_now + unit * along + Vec2::new(-unit.y, unit.x) * across;
    }
}
