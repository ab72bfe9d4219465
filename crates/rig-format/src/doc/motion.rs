//! What moves: clips, drivers, and the channels and keys of both, as they were written.

use kurbo::{Point, Vec2};

use super::{ArtDoc, ConstraintChannelsDoc, VertexAddress, WeightsDoc};
use crate::span::{Span, Spanned};

/// A movement.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClipDoc {
    /// Its name.
    pub name: Spanned<String>,
    /// Its brackets.
    pub span: Span,
    /// Seconds.
    pub length: Option<Spanned<f64>>,
    /// Whether it starts again after its end.
    pub looped: Option<Spanned<bool>>,
    /// How many frames of the rig each drawing is held for.
    pub step: Option<Spanned<f64>>,
    /// What the bones do, each bone once.
    pub bones: Vec<BoneChannelsDoc>,
    /// What single vertices do besides, each art once.
    pub offsets: Vec<ArtOffsetsDoc>,
    /// What constraints do, each name once.
    pub constraints: Vec<ConstraintChannelsDoc>,
    /// How art comes and goes, each art once.
    pub art: Vec<ArtDoc>,
    /// Where single vertices are in the drawing, each art once.
    pub setup: Vec<ArtSetupDoc>,
    /// Weights of single vertices over time, each art once.
    pub weights: Vec<ArtWeightsDoc>,
    /// Whether every part was readable.
    pub complete: bool,
}

/// A bone's value that drives bones and vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct DriverDoc {
    /// Its brackets.
    pub span: Span,
    /// The bone that drives.
    pub bone: Spanned<String>,
    /// What of it drives.
    pub value: Option<Spanned<Drive>>,
    /// What the driven bones do, each bone once. The times of the keys are driving values.
    pub bones: Vec<BoneChannelsDoc>,
    /// What single vertices do besides, each art once.
    pub offsets: Vec<ArtOffsetsDoc>,
    /// How art comes and goes, each art once.
    pub art: Vec<ArtDoc>,
    /// Whether every part was readable.
    pub complete: bool,
}

impl DriverDoc {
    /// What of the bone drives, as written or by default.
    pub fn drive(&self) -> Drive {
        self.value.map(|value| value.value).unwrap_or_default()
    }
}

/// A value of a bone that can drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Drive {
    /// Degrees from the setup pose.
    #[default]
    Rotate,
    /// The shift from the setup origin along x of the parent's frame.
    MoveX,
    /// The shift from the setup origin along y of the parent's frame.
    MoveY,
    /// Size along the bone.
    ScaleX,
    /// Size across the bone.
    ScaleY,
    /// Length of the bone's own skin.
    Stretch,
}

/// What one bone does in a clip or a driver.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoneChannelsDoc {
    /// Which bone.
    pub bone: Spanned<String>,
    /// Degrees, relative to the setup pose.
    pub rotate: Option<Channel<f64>>,
    /// Degrees against the parent.
    pub angle: Option<Channel<f64>>,
    /// A shift of the setup origin, in the parent's frame.
    pub shift: Option<Channel<Vec2>>,
    /// The origin in the parent's frame.
    pub origin: Option<Channel<Point>>,
    /// Size along and across the bone.
    pub scale: Option<Channel<Vec2>>,
    /// Length of the bone's own skin.
    pub stretch: Option<Channel<f64>>,
    /// The parent bone.
    pub parent: Option<ParentChannel>,
    /// The setup origin in the parent's frame.
    pub setup_origin: Option<Channel<Point>>,
    /// Degrees of the setup pose.
    pub setup_angle: Option<Channel<f64>>,
}

/// The free offsets of one path.
#[derive(Debug, Clone, PartialEq)]
pub struct ArtOffsetsDoc {
    /// Which art.
    pub art: Spanned<String>,
    /// Vertex and offset, each address once.
    pub vertices: Vec<(Spanned<VertexAddress>, OffsetDoc)>,
}

/// The setup positions of one path.
#[derive(Debug, Clone, PartialEq)]
pub struct ArtSetupDoc {
    /// Which art.
    pub art: Spanned<String>,
    /// Vertex and canvas position, each address once.
    pub vertices: Vec<(Spanned<VertexAddress>, Channel<Point>)>,
}

/// The keyed weights of one path.
#[derive(Debug, Clone, PartialEq)]
pub struct ArtWeightsDoc {
    /// Which art.
    pub art: Spanned<String>,
    /// Vertex and weights, each address once.
    pub vertices: Vec<(Spanned<VertexAddress>, Channel<WeightsDoc>)>,
}

/// The free offset of one vertex, in the drawing's units.
#[derive(Debug, Clone, PartialEq)]
pub struct OffsetDoc {
    /// The bone whose skin carries the axes of the offset; none for those of the canvas.
    pub bone: Option<Spanned<String>>,
    /// The offset over time.
    pub channel: Channel<Vec2>,
}

/// A value over time, or over the value that drives it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Channel<T> {
    /// The whole list.
    pub span: Span,
    /// As written; not necessarily in order.
    pub keys: Vec<Key<T>>,
    /// The ease of keys that have none.
    pub ease: Option<Spanned<Ease>>,
    /// What happens outside the keys.
    pub extend: Option<Spanned<Extend>>,
}

impl<T> Channel<T> {
    /// Whether its keys are played again after the last of them.
    pub fn repeats(&self) -> bool {
        let extend = self.extend.map(|extend| extend.value);
        matches!(extend, Some(Extend::Loop | Extend::LoopOffset | Extend::PingPong))
    }

    /// A value that stays.
    pub fn constant(value: Spanned<T>) -> Self {
        let span = value.span;
        let key = Key { span, time: Spanned::new(0.0, span), value, ease: None };
        Self { span, keys: vec![key], ease: None, extend: None }
    }
}

impl<T: Copy> Channel<T> {
    /// The same with values that hold until the next key.
    pub(crate) fn held(&self) -> Self {
        let hold = |key: &Key<T>| Key { ease: Some(Spanned::new(Ease::Hold, key.span)), ..*key };
        Self { keys: self.keys.iter().map(hold).collect(), ..*self }
    }
}

/// A value at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key<T> {
    /// The whole key.
    pub span: Span,
    /// Seconds; in a driver, the driving value.
    pub time: Spanned<f64>,
    /// The value.
    pub value: Spanned<T>,
    /// How it travels to the next key.
    pub ease: Option<Spanned<Ease>>,
}

/// How a value travels from one key to the next.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Ease {
    /// It waits, then jumps.
    Hold,
    /// Evenly.
    Linear,
    /// Softly, never past a key.
    #[default]
    Smooth,
    /// Softly away from the key and softly to the next one.
    InOut {
        /// How softly it starts, from 0 to 1.
        start: f64,
        /// How softly it ends, from 0 to 1.
        end: f64,
    },
    /// As a spline through the keys.
    Tcb {
        /// How tight it passes this key, from -1 to 1.
        tension: f64,
        /// How sharp, from -1 to 1.
        continuity: f64,
        /// Whether it leans to where it goes or to where it comes from, from -1 to 1.
        bias: f64,
    },
    /// Along a curve of time (x) and progress (y) from (0, 0) to (1, 1).
    Bezier {
        /// The first control point.
        first: Point,
        /// The second control point.
        second: Point,
    },
}

/// What a value does before its first and after its last key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extend {
    /// It stays.
    #[default]
    Hold,
    /// It goes on at its speed.
    Linear,
    /// It starts again.
    Loop,
    /// It starts again from where it has got.
    LoopOffset,
    /// It goes back and forth.
    PingPong,
}

/// The parents of a bone over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParentChannel {
    /// The whole list.
    pub span: Span,
    /// As written; not necessarily in order.
    pub keys: Vec<ParentKey>,
}

/// A bone has this parent from a time on.
#[derive(Debug, Clone, PartialEq)]
pub struct ParentKey {
    /// The whole key.
    pub span: Span,
    /// Seconds.
    pub time: Spanned<f64>,
    /// The bone; none for a root.
    pub parent: Spanned<Option<String>>,
    /// What stays the same.
    pub keep: Option<Spanned<Keep>>,
}

/// What stays the same when a bone changes its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// Its place on the canvas.
    #[default]
    World,
    /// Its numbers.
    Local,
}
