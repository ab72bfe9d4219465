//! A drag, and what its pointer holds.

use bone_core::Angle;
use bone_core::constraint::AttachmentPoint;
use bone_rig::BoneMotion;
use kurbo::{Point, Vec2};

use super::placing::Placing;
use crate::message::Reason;
use crate::server::overtaken::Since;
use crate::server::pose::PoseValues;

/// What a pointer holds.
#[derive(Clone, Debug)]
pub(super) enum Grab {
    /// Bones that turn by one angle, and the one of them that is held.
    Turn {
        bone: String,
        grip: Point,
        bones: Vec<String>,
        by: Angle,
    },
    Bone {
        bone: String,
        grip: Point,
        motion: BoneMotion,
    },
    Tip {
        bone: String,
        point: AttachmentPoint,
        by: Vec2,
        /// Where the tip and the targets of constraints were.
        place: Point,
        goals: Vec<(String, Point)>,
    },
    Goal {
        name: String,
        by: Vec2,
    },
    Place(Placing),
    Limit {
        bone: String,
        end: usize,
    },
    Region {
        bone: String,
        end: usize,
    },
}

/// A drag from press to release.
pub(super) struct Gesture {
    pub(super) name: String,
    pub(super) clip: Option<String>,
    pub(super) time: f64,
    pub(super) grab: Grab,
    /// What the texts were when it began.
    pub(super) seen: Since,
    /// What was set when it began.
    pub(super) start: PoseValues,
    pub(super) values: PoseValues,
    /// The place of the pointer.
    pub(super) to: Option<Point>,
    /// A value in the setup: an angle or a radius.
    pub(super) setup: Option<f64>,
    /// Why nothing is moved, and nothing will be written.
    pub(super) refused: Option<Reason>,
    /// Why nothing is moved to where the pointer is now.
    pub(super) unmoved: Option<Reason>,
}
