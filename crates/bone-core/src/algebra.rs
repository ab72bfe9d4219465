//! Matrices and motions of nalgebra, in and out.

use ::nalgebra::{Isometry2, Matrix3, Translation2, UnitComplex};
use kurbo::{Affine, Vec2};

use crate::{Angle, RigidMotion};

/// A map of the plane as a matrix on column vectors (x, y, 1).
pub fn matrix3(map: Affine) -> Matrix3<f64> {
    let [a, b, c, d, e, f] = map.as_coeffs();
    Matrix3::new(a, c, e, b, d, f, 0.0, 0.0, 1.0)
}

/// The map of the plane that a matrix is; none if its last row is not 0, 0, 1: a projective matrix is no such map.
pub fn affine(matrix: &Matrix3<f64>) -> Option<Affine> {
    let m = |row: usize, column: usize| matrix[(row, column)];
    let is_affine = m(2, 0) == 0.0 && m(2, 1) == 0.0 && m(2, 2) == 1.0;
    is_affine.then(|| Affine::new([m(0, 0), m(1, 0), m(0, 1), m(1, 1), m(0, 2), m(1, 2)]))
}

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
        let by_matrix = matrix3(motion.matrix()).transform_point(&Point2::new(7.0, 2.0));
        assert!(ours.distance(Point::new(by_matrix.x, by_matrix.y)) < 1e-12);
        let back = RigidMotion::from(isometry);
        assert!((back.turn - motion.turn).degrees().abs() < 1e-12 && back.shift == motion.shift);
    }

    #[test]
    fn matrices_come_back_and_projective_ones_do_not() {
        let map = Affine::new([2.0, 0.5, -1.0, 3.0, 10.0, 20.0]);
        assert_eq!(affine(&matrix3(map)), Some(map));
        let mut projective = matrix3(map);
        projective[(2, 0)] = 1e-3;
        assert_eq!(affine(&projective), None);
    }
}
