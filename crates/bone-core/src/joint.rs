//! How a bone may move relative to its parent. These are data for solvers and tools: poses are not clamped
//! automatically.

use crate::{Angle, BonePose};
use bone_archive::archive;

archive! {
    /// The degrees of freedom of a joint, and its limits.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum Joint {
        /// Rotates and moves without limits.
        Free = 0,
        /// Rotates about its origin, within limits relative to the setup pose if there are any.
        Pin {
            /// Least and greatest rotation from the setup angle.
            limits: Option<(Angle, Angle)>,
        } = 1,
        /// Moves along an axis through its setup origin (the prismatic joint of robotics).
        Slide {
            /// Direction of the axis in the parent's frame.
            axis: Angle,
            /// Least and greatest shift from the setup origin, in drawing units.
            limits: Option<(f64, f64)>,
        } = 2,
        /// Does not move relative to its parent.
        Fixed = 3,
    }
}

impl Default for Joint {
    /// A pin without limits.
    fn default() -> Self {
        Self::Pin { limits: None }
    }
}

impl Joint {
    /// The pose nearest to `pose` that this joint allows, for a bone with this setup pose.
    ///
    /// Scale and stretch are not limited.
    pub fn clamp(&self, setup: &BonePose, pose: &BonePose) -> BonePose {
        let mut allowed = *pose;
        match *self {
            Self::Free => {}
            Self::Pin { limits: None } => allowed.origin = setup.origin,
            Self::Pin { limits: Some((least, most)) } => {
                allowed.origin = setup.origin;
                let turn = (pose.angle - setup.angle).degrees();
                let turn = turn.max(least.degrees()).min(most.degrees());
                allowed.angle = setup.angle + Angle::from_degrees(turn);
            }
            Self::Slide { axis, limits } => {
                allowed.angle = setup.angle;
                let axis = axis.direction();
                let shift = (pose.origin - setup.origin).dot(axis);
                let shift = limits.map_or(shift, |(least, most)| shift.max(least).min(most));
                allowed.origin = setup.origin + axis * shift;
            }
            Self::Fixed => {
                allowed.origin = setup.origin;
                allowed.angle = setup.angle;
            }
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurbo::Vec2;

    fn posed(x: f64, y: f64, degrees: f64) -> BonePose {
        BonePose { origin: Vec2::new(x, y), angle: Angle::from_degrees(degrees), ..BonePose::REST }
    }

    #[test]
    fn each_kind_keeps_what_it_allows() {
        let setup = posed(10.0, 0.0, 30.0);
        let pose = posed(14.0, 3.0, 200.0);
        let limits = Some((Angle::from_degrees(-20.0), Angle::from_degrees(90.0)));
        let slide = Joint::Slide { axis: Angle::ZERO, limits: Some((-1.0, 2.0)) };
        assert_eq!(Joint::Free.clamp(&setup, &pose), pose);
        assert_eq!(Joint::Fixed.clamp(&setup, &pose), setup);
        assert_eq!(Joint::default().clamp(&setup, &pose), posed(10.0, 0.0, 200.0));
        assert_eq!(Joint::Pin { limits }.clamp(&setup, &pose), posed(10.0, 0.0, 120.0));
        assert_eq!(slide.clamp(&setup, &pose), posed(12.0, 0.0, 30.0));
    }
}
