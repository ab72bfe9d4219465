//! Where an end is to be, worked out before anything moves.

use kurbo::{Point, Vec2};

use super::types::{Effector, EndAngle};
use crate::Angle;
use crate::constraint::context::Context;
use crate::constraint::types::{Setting, Target, Why};

/// What one end asks for, worked out before anything moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// Where the spot shall be, on the canvas.
    place: Point,
    /// The angle that the bone shall have on the canvas.
    pub(super) angle: Option<Angle>,
    /// From the bone's origin to the spot, once it has that angle; nothing where the bone is part of the chain.
    pub(super) arm: Vec2,
}

impl Goal {
    pub(super) fn of(end: &Effector, context: &Context<'_>, setting: &Setting) -> Result<Self, Why> {
        let place = context.place(end.target, setting, end.bone, end.spot)?;
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

    /// From the origin of the end's bone to its spot, as the bone stands.
    pub(super) fn arm(&self, context: &Context<'_>, end: &Effector) -> Vec2 {
        context.spot(end.bone, end.spot) - context.world.origin(end.bone)
    }

    /// Where the last joint's chain has to bring the end.
    pub(super) fn target(&self) -> Point {
        self.place - self.arm
    }
}

fn turned(angle: Angle, v: Vec2) -> Vec2 {
    let (sin, cos) = angle.sin_cos();
    Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
}
