//! A spring bone, and the hinged rod that it becomes.

use bone_archive::archive;
use kurbo::Vec2;

use super::stop::Stop;
use super::wind::Wind;
use crate::BoneId;

/// The parameters of a spring bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The bone.
    pub bone: BoneId,
    /// Relative to the other spring bones; the default is 1.
    pub mass: f64,
    /// Oscillations per second of the bone with its descendants, by the spring alone. 0 is a free hinge.
    pub stiffness: f64,
    /// Damping: 0 oscillates forever, 1 returns without overshooting.
    pub damping: f64,
    /// Acceleration on the canvas, drawing units per second squared.
    pub gravity: Vec2,
    /// What blows at the bone where the animation has it; heavy bones are blown less.
    pub wind: Option<Wind>,
    /// What the bone does not pass.
    pub stop: Option<Stop>,
    /// How much of the motion is applied, 0 to 1.
    pub mix: f64,
}

impl Spring {
    /// A soft spring: two oscillations per second that fade after three or four.
    pub const fn new(bone: BoneId) -> Self {
        Self {
            bone,
            mass: 1.0,
            stiffness: 2.0,
            damping: 0.15,
            gravity: Vec2::ZERO,
            wind: None,
            stop: None,
            mix: 1.0,
        }
    }
}

archive!(struct Spring { bone, mass, stiffness, damping, gravity, wind, stop, mix });

/// One hinged rod.
#[derive(Clone, Debug)]
pub(super) struct Rod {
    pub(super) spring: Spring,
    /// The nearest spring bone above, by its index in the list.
    pub(super) parent: Option<usize>,
    /// Whether a rotation of `parent` rotates this bone, too. Its origin follows in any case.
    pub(super) turns_along: bool,
    /// Torque per radian, and per radian per second.
    pub(super) stiffness: f64,
    pub(super) damping: f64,
    /// Length at rest of this rod and its descendants: the unit for jumps.
    pub(super) reach: f64,
}
