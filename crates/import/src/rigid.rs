//! Rigid motions of clusters of points, and the point that two moving bodies share.

use bone_core::Angle;
use nalgebra::{
    Isometry3, Matrix3, Matrix4, Matrix6, Point3, Quaternion, Translation3, UnitQuaternion, Vector3, Vector6,
};

use crate::space::Vec3;

/// How a body lies in a frame.
pub(crate) type RigidPose = Isometry3<f64>;

/// Where a pose takes a point of the body.
pub(crate) fn placed(pose: &RigidPose, at: Vec3) -> Vec3 {
    pose.transform_point(&Point3::from(at)).into()
}

/// The pose that takes the first point of each pair nearest to the second one, in least squares: B. K. P. Horn
/// (1987), whose quaternions never reflect. `None` of fewer than three points, and of points on a line.
pub(crate) fn rigid_fit(pairs: &[(Vec3, Vec3)]) -> Option<RigidPose> {
    if pairs.len() < 3 {
        return None;
    }
    let share = 1.0 / pairs.len() as f64;
    let mean = |of: fn(&(Vec3, Vec3)) -> Vec3| {
        pairs.iter().fold(Vector3::zeros(), |sum, pair| sum + Vector3::from(of(pair)) * share)
    };
    let (from, to) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let mut spread = Matrix3::zeros();
    let mut m = Matrix3::zeros();
    for (a, b) in pairs {
        let (a, b) = (Vector3::from(*a) - from, Vector3::from(*b) - to);
        spread += a * a.transpose();
        m += a * b.transpose();
    }
    // The products of the squared widths, two by two; of points on a line they are 0.
    let widths = 0.5 * (spread.trace() * spread.trace() - (spread * spread).trace());
    let has_width = widths > 1e-3 * spread.trace() * spread.trace();
    if !has_width {
        return None;
    }
    let (skew_x, skew_y, skew_z) = (m[(1, 2)] - m[(2, 1)], m[(2, 0)] - m[(0, 2)], m[(0, 1)] - m[(1, 0)]);
    let sum = |a: usize, b: usize| m[(a, b)] + m[(b, a)];
    #[rustfmt::skip]
    let n = Matrix4::new(
        m.trace(), skew_x, skew_y, skew_z,
        skew_x, m[(0, 0)] - m[(1, 1)] - m[(2, 2)], sum(0, 1), sum(2, 0),
        skew_y, sum(0, 1), m[(1, 1)] - m[(0, 0)] - m[(2, 2)], sum(1, 2),
        skew_z, sum(2, 0), sum(1, 2), m[(2, 2)] - m[(0, 0)] - m[(1, 1)],
    );
    let eigen = n.try_symmetric_eigen(f64::EPSILON, 200)?;
    let q = eigen.eigenvectors.column(eigen.eigenvalues.imax());
    let turn = UnitQuaternion::try_new(Quaternion::new(q[0], q[1], q[2], q[3]), 0.5)?;
    Some(Isometry3::from_parts(Translation3::from(to - turn * from), turn))
}

/// The point that two bodies share in all frames, in the space of each, from their poses: R. M. Ehrig and others
/// (2006). The spaces have their origins in the middles of the clusters: a hinge shares a line, and of
/// this the point near to both middles is taken. `None` if the bodies turn by less than 20 degrees against each
/// other: then the point is not determined.
pub(crate) fn shared_point(poses: &[(RigidPose, RigidPose)]) -> Option<(Vec3, Vec3)> {
    let turns: Vec<UnitQuaternion<f64>> =
        poses.iter().map(|(one, other)| one.rotation.inverse() * other.rotation).collect();
    // The cosine of half of the angle between two turns.
    let near = |a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>| a.coords.dot(&b.coords).abs();
    let first = turns.first()?;
    let far = turns.iter().min_by(|a, b| near(a, first).total_cmp(&near(b, first)))?;
    let least = turns.iter().map(|turn| near(turn, far)).fold(1.0, f64::min);
    let angle = Angle::from_degrees(10.0);
    if least > angle.sin_cos().1 {
        return None;
    }
    // Towards the middles: of .03 for each frame the side view of knees is 6 to 11 mm from that of a static trial.
    let mut normal = Matrix6::identity() * (0.03 * 0.03 * poses.len() as f64);
    let mut right = Vector6::zeros();
    for (one, other) in poses {
        let (r, s) = (one.rotation.to_rotation_matrix(), other.rotation.to_rotation_matrix());
        let way = other.translation.vector - one.translation.vector;
        let mixed = r.matrix().transpose() * s.matrix();
        for at in 0..3 {
            (normal[(at, at)], normal[(at + 3, at + 3)]) =
                (normal[(at, at)] + 1.0, normal[(at + 3, at + 3)] + 1.0);
        }
        let (mut upper, mut lower) = (normal.fixed_view_mut::<3, 3>(0, 3), mixed);
        upper -= mixed;
        lower.transpose_mut();
        let mut left = normal.fixed_view_mut::<3, 3>(3, 0);
        left -= lower;
        let mut top = right.fixed_rows_mut::<3>(0);
        top += r.inverse() * way;
        let mut end = right.fixed_rows_mut::<3>(3);
        end -= s.inverse() * way;
    }
    let found = normal.cholesky()?.solve(&right);
    Some(([found[0], found[1], found[2]], [found[3], found[4], found[5]]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{length, sub};

    fn pose(axis: Vec3, degrees: f64, by: Vec3) -> RigidPose {
        // A turn by an angle about an axis, after Euler and Rodrigues.
        let (sin, cos) = Angle::from_degrees(0.5 * degrees).sin_cos();
        let axis = Vector3::from(axis).normalize() * sin;
        let turn = UnitQuaternion::new_normalize(Quaternion::new(cos, axis.x, axis.y, axis.z));
        Isometry3::from_parts(Translation3::from(Vector3::from(by)), turn)
    }

    #[test]
    fn a_fit_is_the_pose_that_moved_the_points() {
        let flat = [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.1, 0.2, 0.0]];
        for (axis, degrees) in [([1.0, 0.0, 0.0], 170.0), ([1.0, 2.0, 3.0], 75.0), ([0.0, 0.0, 1.0], 0.0)] {
            let pose = pose(axis, degrees, [3.0, -2.0, 1.0]);
            let pairs: Vec<(Vec3, Vec3)> = flat.iter().map(|&at| (at, placed(&pose, at))).collect();
            let found = rigid_fit(&pairs).expect("a pose");
            // A point outside of the plane of the others shows a reflection.
            let outside = [0.1, 0.1, 0.4];
            let off = length(sub(placed(&found, outside), placed(&pose, outside)));
            assert!(off < 1e-9, "{axis:?} {degrees}: {off}");
        }
        let line: Vec<(Vec3, Vec3)> =
            (0..4).map(|at| ([f64::from(at), 0.0, 0.0], [0.0, f64::from(at), 0.0])).collect();
        assert!(rigid_fit(&line).is_none() && rigid_fit(&line[..2]).is_none());
        assert!(rigid_fit(&[([1.0; 3], [1.0; 3]); 3]).is_none());
    }

    /// Two bodies with a ball joint at known places of both, and with a hinge about z.
    #[test]
    fn the_shared_point_is_the_joint() {
        let (a, b) = ([0.02, -0.25, 0.05], [-0.01, 0.2, 0.04]);
        let poses = |turn: &dyn Fn(f64) -> (Vec3, f64)| -> Vec<(RigidPose, RigidPose)> {
            let frame = |at: i32| {
                let at = f64::from(at);
                let one = pose([0.2, 1.0, 0.5], 3.0 * at, [0.05 * at, 0.0, 0.0]);
                let (axis, degrees) = turn(at);
                let other = one * pose(axis, degrees, [0.0; 3]);
                let off = sub(placed(&one, a), placed(&other, b));
                (
                    one,
                    Isometry3::from_parts(
                        Translation3::from(Vector3::from(off)) * other.translation,
                        other.rotation,
                    ),
                )
            };
            (0..60).map(frame).collect()
        };
        // The middles draw by .03 squared against the variance of the turns.
        let ball = poses(&|at| ([1.0, 0.1 * at, 2.0 - 0.1 * at], 2.0 * at));
        let (one, other) = shared_point(&ball).expect("a joint");
        assert!(length(sub(one, a)) < 0.01 && length(sub(other, b)) < 0.01, "{one:?} {other:?}");
        // Of a hinge the place along its axis is not known.
        let hinge = poses(&|at| ([0.0, 0.0, 1.0], 2.0 * at));
        let (one, other) = shared_point(&hinge).expect("a joint");
        let off = |found: Vec3, wanted: Vec3| length(sub([found[0], found[1], wanted[2]], wanted));
        assert!(off(one, a) < 0.01 && off(other, b) < 0.01, "{one:?} {other:?}");
        assert!(shared_point(&poses(&|at| ([0.0, 0.0, 1.0], 0.3 * at))).is_none());
    }
}
