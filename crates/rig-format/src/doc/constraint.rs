//! What bones must do besides their keys, as it was written.

use kurbo::{Point, Vec2};

use super::Channel;
use crate::span::{Span, Spanned};

/// One rule.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintDoc {
    /// The whole of it.
    pub span: Span,
    /// The name by which clips refer to it.
    pub name: Option<Spanned<String>>,
    /// How much of it counts.
    pub mix: Option<Spanned<f64>>,
    /// What it does.
    pub kind: ConstraintKind,
    /// Whether every field was readable.
    pub complete: bool,
}

/// What a constraint does.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstraintKind {
    /// Chains reach for targets.
    Ik(IkDoc),
    /// A point is held during the `holds` of a clip, by inverse kinematics.
    Pin(IkDoc),
    /// A bone looks at something.
    Aim(AimDoc),
    /// A bone does what another does.
    Copy(CopyDoc),
    /// A bone stays within ranges.
    Limit(LimitDoc),
    /// Bones lie along a path.
    Path(PathDoc),
    /// A bone stays at a distance.
    Distance(DistanceDoc),
}

/// A point of a bone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AttachmentPointDoc {
    /// Where it starts.
    Origin,
    /// Where it ends.
    Tip,
    /// A point of its frame.
    At(Point),
}

/// Where something is to be.
#[derive(Debug, Clone, PartialEq)]
pub enum TargetDoc {
    /// A bone.
    Bone(Spanned<String>),
    /// A point of the canvas.
    Place(Spanned<Point>),
}

/// One end of inverse kinematics.
#[derive(Debug, Clone, PartialEq)]
pub struct EndDoc {
    /// The bone that is to get somewhere.
    pub tip: Spanned<String>,
    /// Which point of it; its tip by default.
    pub point: Option<Spanned<AttachmentPointDoc>>,
    /// Where it is to be; where the animation has it if there is none.
    pub target: Option<TargetDoc>,
    /// Which point of a target bone; its origin by default.
    pub target_point: Option<Spanned<AttachmentPointDoc>>,
    /// How many bones may move.
    pub chain: Option<Spanned<f64>>,
    /// What its own angle does.
    pub angle: Option<Spanned<EndAngle>>,
}

/// The angle of the bone at an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EndAngle {
    /// It follows the chain.
    #[default]
    Free,
    /// It stays on the canvas.
    Keep,
    /// It is that of the target.
    Target,
}

/// The side to which a chain bends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bend {
    /// As the animation has it.
    #[default]
    Auto,
    /// To the left of the way to the target.
    Left,
    /// To the right.
    Right,
    /// Whichever is the smaller change.
    Either,
}

/// `Ik(…)`, and `Pin(…)` with its own names for the same fields.
#[derive(Debug, Clone, PartialEq)]
pub struct IkDoc {
    /// The end; further ones after it.
    pub ends: Vec<EndDoc>,
    /// The side to bend to.
    pub bend: Option<Spanned<Bend>>,
    /// From which share of the reach it slows down.
    pub softness: Option<Spanned<f64>>,
    /// How many times its length it may stretch.
    pub stretch: Option<Spanned<f64>>,
    /// How many times its length it may shrink to.
    pub compress: Option<Spanned<f64>>,
    /// Bones that resist.
    pub stiffness: Vec<(Spanned<String>, Spanned<f64>)>,
}

/// `Aim(bone, target)`.
#[derive(Debug, Clone, PartialEq)]
pub struct AimDoc {
    /// Who looks.
    pub bone: Spanned<String>,
    /// At what.
    pub target: TargetDoc,
    /// Which point of a target bone.
    pub target_point: Option<Spanned<AttachmentPointDoc>>,
    /// In which direction of its own it looks, degrees.
    pub offset: Option<Spanned<f64>>,
}

/// `Copy(bone, from, …)`: factors and what comes on top.
#[derive(Debug, Clone, PartialEq)]
pub struct CopyDoc {
    /// Who copies.
    pub bone: Spanned<String>,
    /// Whom.
    pub from: Spanned<String>,
    /// How many times the turn.
    pub rotate: Option<Spanned<f64>>,
    /// How many times the shift.
    pub shift: Option<Spanned<f64>>,
    /// How many times the scale beyond 1.
    pub scale: Option<Spanned<f64>>,
    /// Degrees on top.
    pub rotate_offset: Option<Spanned<f64>>,
    /// A shift on top.
    pub shift_offset: Option<Spanned<Vec2>>,
    /// A scale on top.
    pub scale_offset: Option<Spanned<Vec2>>,
    /// On the canvas instead of in the parents' frames.
    pub space: Option<Spanned<Space>>,
}

/// In which numbers a bone is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Space {
    /// Those of the parents' frames.
    #[default]
    Local,
    /// Those of the canvas.
    Canvas,
}

/// `Limit(bone, …)`: ranges since the setup pose.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitDoc {
    /// The bone.
    pub bone: Spanned<String>,
    /// Degrees.
    pub rotate: Option<Spanned<(f64, f64)>>,
    /// Units along x of the parent's frame.
    pub move_x: Option<Spanned<(f64, f64)>>,
    /// Units along y.
    pub move_y: Option<Spanned<(f64, f64)>>,
    /// Size along the bone.
    pub scale_x: Option<Spanned<(f64, f64)>>,
    /// Size across it.
    pub scale_y: Option<Spanned<(f64, f64)>>,
}

/// `Path(bones, art, …)`.
#[derive(Debug, Clone, PartialEq)]
pub struct PathDoc {
    /// In their order along the path.
    pub bones: Vec<Spanned<String>>,
    /// The path, as it is drawn.
    pub art: Spanned<String>,
    /// Where the first bone starts, as a share of the length.
    pub position: Option<Spanned<f64>>,
    /// From one bone to the next.
    pub spacing: Option<Spanned<f64>>,
    /// How the bones turn.
    pub turn: Option<Spanned<PathTurn>>,
}

/// How bones on a path turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PathTurn {
    /// Each points at the next one.
    #[default]
    Chain,
    /// Each along the path.
    Tangent,
    /// Not at all.
    Keep,
}

/// `Distance(bone, target, …)`.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceDoc {
    /// The bone.
    pub bone: Spanned<String>,
    /// Which point of it; its origin by default.
    pub point: Option<Spanned<AttachmentPointDoc>>,
    /// Of what.
    pub target: TargetDoc,
    /// Which point of a target bone.
    pub target_point: Option<Spanned<AttachmentPointDoc>>,
    /// Units of the canvas.
    pub distance: Spanned<f64>,
    /// Which distances are allowed.
    pub keep: Option<Spanned<KeepDistance>>,
}

/// Which distances are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeepDistance {
    /// This one.
    #[default]
    At,
    /// This and less.
    Under,
    /// This and more.
    Over,
}

/// What a clip does with one constraint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConstraintChannelsDoc {
    /// Which.
    pub name: Spanned<String>,
    /// How much of it counts.
    pub mix: Option<Channel<f64>>,
    /// A point of the canvas in place of the target.
    pub target: Option<Channel<Point>>,
    /// The side to bend to, from each time on.
    pub bend: Option<BendChannel>,
    /// Where the chain slows down.
    pub softness: Option<Channel<f64>>,
    /// Where the first bone of a path starts.
    pub position: Option<Channel<f64>>,
    /// The distance.
    pub distance: Option<Channel<f64>>,
    /// When a point is held.
    pub holds: Vec<HoldDoc>,
}

/// Sides from times on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BendChannel {
    /// The whole list.
    pub span: Span,
    /// As written.
    pub keys: Vec<(Spanned<f64>, Spanned<Bend>)>,
}

/// A point held between two times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HoldDoc {
    /// The whole of it.
    pub span: Span,
    /// Seconds.
    pub from: Spanned<f64>,
    /// Seconds.
    pub until: Spanned<f64>,
    /// Where on the canvas; where the animation has it at `from` if there is none.
    pub at: Option<Spanned<Point>>,
    /// Seconds to take hold before `from` and to let go after `until`.
    pub ease: Option<Spanned<(f64, f64)>>,
    /// How the place moves, units a second.
    pub drift: Option<Spanned<Vec2>>,
}

impl EndDoc {
    /// The default of `chain`.
    pub const CHAIN: f64 = 2.0;
}
