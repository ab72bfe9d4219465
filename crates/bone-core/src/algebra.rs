//! Motions of nalgebra, in and out.

use ::nalgebra::{Isometry2, Translation2, UnitComplex};
use kurbo::Vec2;

use crate::{Angle, RigidMotion};

/// With sine and cosine of [`Angle`], which have the same bits on every machine.
impl From<RigidMotion> for Isometry2<f64> {
    fn from(motion: RigidMotion) -> Self {
        let (sin, cos) = motion.turn.sin_cos();
        let turn = UnitComplex::from_cos_sin_unchecked(cos, sin);
        Self::from_parts(Translation2::new(motion.shift.x, motion.shift.y), turn)
    }
}

/// The turn is between -180 and 180 degrees: an isometry does not count whole turns.
impl From<Isometry2<f64>> for RigidMotion {
    fn from(motion: Isometry2<f64>) -> Self {
        let shift = Vec2::new(motion.translation.x, motion.translation.y);
        Self { turn: Angle::of(Vec2::new(motion.rotation.re, motion.rotation.im)), shift }
    }
}

#[cfg(test)]
mod tests {
    use ::nalgebra::Point2;
    use kurbo::Point;

    use super::*;

    #[test]
    fn both_sides_map_points_alike() {
        let motion = RigidMotion { turn: Angle::from_degrees(130.0), shift: Vec2::new(3.0, -4.0) };
        let isometry = Isometry2::from(motion);
        let ours = motion.matrix() * Point::new(7.0, 2.0);
        let theirs = isometry * Point2::new(7.0, 2.0);
        assert!(ours.distance(Point::new(theirs.x, theirs.y)) < 1e-12);
        let back = RigidMotion::from(isometry);
        assert!((back.turn - motion.turn).degrees().abs() < 1e-12 && back.shift == motion.shift);
    }
}
