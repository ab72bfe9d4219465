//! The goals of the ends, computed before anything moves.

use kurbo::{Point, Vec2};

use super::types::{Effector, EndAngle};
use crate::Angle;
use crate::constraint::context::Context;
use crate::constraint::types::{ConstraintParameters, IgnoredReason, Target};

/// The goal of one end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// The target position of the point, on the canvas.
    place: Point,
    /// The target angle of the bone on the canvas.
    pub(super) angle: Option<Angle>,
    /// From the bone's origin to the point, at the target angle; zero where the bone is part of the chain.
    pub(super) arm: Vec2,
}

impl Goal {
    pub(super) fn of(
        end: &Effector,
        context: &Context<'_>,
        parameters: &ConstraintParameters,
    ) -> Result<Self, IgnoredReason> {
        let place = context.place(end.target, parameters, end.bone, end.point)?;
        let mut goal = Self { place, angle: None, arm: Vec2::ZERO };
        let now = context.world.angle(end.bone);
        let turn = match (end.angle, end.target) {
            (EndAngle::Target, Target::Bone(bone, _)) => {
                let rest = |b| context.world.setup_angle(context.skeleton, b);
                let asked = context.world.angle(bone) + (rest(end.bone) - rest(bone));
                asked.nearest_to(now) - now
            }
            _ => Angle::ZERO,
        };
        if end.angle != EndAngle::Free {
            goal.angle = Some(now + turn);
            goal.arm = turned(turn, goal.arm(context, end));
        }
        Ok(goal)
    }

    /// From the origin of the end's bone to its point, in the current pose.
    pub(super) fn arm(&self, context: &Context<'_>, end: &Effector) -> Vec2 {
        context.attachment(end.bone, end.point) - context.world.origin(end.bone)
    }

    /// The position to which the chain has to bring the bone's origin.
    pub(super) fn target(&self) -> Point {
        self.place - self.arm
    }
}

fn turned(angle: Angle, v: Vec2) -> Vec2 {
    let (sin, cos) = angle.sin_cos();
    Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
}
