//! The local transform of one bone, in the frame of its parent.

use bone_archive::archive;
use kurbo::{Affine, Vec2};

use crate::Angle;

/// One bone in its parent's frame: `C = T(origin) R(angle) S(scale)`, and the stretch of its own skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BonePose {
    /// Where the bone starts, in the parent's frame.
    pub origin: Vec2,
    /// Its rotation relative to the parent, not wrapped.
    pub angle: Angle,
    /// Inherited by children; the x part changes the bone's length.
    pub scale: Vec2,
    /// Lengthens the bone's own skin and moves the origins of its children along its x axis. Nothing else
    /// changes.
    pub stretch: f64,
}

impl BonePose {
    /// No shift, no turn, size 1.
    pub const REST: Self =
        Self { origin: Vec2::ZERO, angle: Angle::ZERO, scale: Vec2::new(1.0, 1.0), stretch: 1.0 };

    /// C: the bone's frame in its parent's, stretch left out.
    pub fn matrix(&self) -> Affine {
        let (sin, cos) = self.angle.sin_cos();
        let (sx, sy) = (self.scale.x, self.scale.y);
        Affine::new([cos * sx, sin * sx, -sin * sy, cos * sy, self.origin.x, self.origin.y])
    }

    /// Whether every component is finite.
    pub fn is_finite(&self) -> bool {
        self.origin.is_finite()
            && self.angle.is_finite()
            && self.scale.is_finite()
            && self.stretch.is_finite()
    }
}

archive!(struct BonePose { origin, angle, scale, stretch });
