//! The document: what the artist wrote, in the order of the file, with the place of everything.
//! Names stay names, angles degrees, times seconds; defaults are not filled in and nothing is looked up.

mod art;
mod constraint;
mod motion;
mod sequences;
mod springs;

use kurbo::Point;

pub use art::{ArtDoc, ArtNames};
pub use constraint::{
    AimDoc, AttachmentPointDoc, Bend, BendChannel, ConstraintChannelsDoc, ConstraintDoc, ConstraintKind,
    CopyDoc, DistanceDoc, EndAngle, EndDoc, HoldDoc, IkDoc, KeepDistance, LimitDoc, PathDoc, PathTurn, Space,
    TargetDoc,
};
pub use motion::{
    ArtOffsetsDoc, ArtSetupDoc, ArtWeightsDoc, BoneChannelsDoc, Channel, ClipDoc, Drive, DriverDoc, Ease,
    Extend, Keep, Key, OffsetDoc, ParentChannel, ParentKey,
};

pub use sequences::{Fade, LayerDoc, Mode, Piece, PlayDoc, SequenceDoc};
pub use springs::SpringDoc;

use crate::diagnostic::Place;
use crate::span::{SourceId, Span, Spanned};

/// A rig file. A part that could not be read is left out, and `complete` is then false.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RigDoc {
    /// The text it was read from.
    pub source: SourceId,
    /// The whole of `Rig( … )`.
    pub span: Span,
    /// The version of the format.
    pub version: Option<Spanned<u32>>,
    /// The SVG file, relative to the rig.
    pub drawing: Option<Spanned<String>>,
    /// Frames per second, unless the command line gives another rate.
    pub fps: Option<Spanned<f64>>,
    /// How art that bends follows its bones, unless a binding has its own options.
    pub follow: FollowDoc,
    /// The bones, each name once.
    pub bones: Vec<BoneDoc>,
    /// Which art follows which bones.
    pub skin: Vec<BindingDoc>,
    /// What bone values drive, in the order in which they do.
    pub drivers: Vec<DriverDoc>,
    /// What bones must do besides, in the order in which they do.
    pub constraints: Vec<ConstraintDoc>,
    /// Secondary motion of bones in every clip.
    pub springs: Vec<SpringDoc>,
    /// The movements, each name once.
    pub clips: Vec<ClipDoc>,
    /// What is put together of them, each name once.
    pub shots: Vec<SequenceDoc>,
    /// The files that it includes, relative to it.
    pub include: Vec<Spanned<String>>,
    /// Where the included files are in its spans, in their order. Without any all spans are in its own text.
    pub parts: Vec<PartDoc>,
    /// Whether every bone and clip name of its own text is here.
    pub own_names: bool,
    /// Whether every bone and clip name is here, those of what it includes, too. If not, a name that is
    /// missing may still exist.
    pub complete: bool,
}

/// An included file in the spans of a whole document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartDoc {
    /// The place of its first byte.
    pub base: u32,
    /// Its text.
    pub source: SourceId,
}

impl RigDoc {
    /// Which bytes of which file a span of this document means.
    pub fn place(&self, span: Span) -> Place {
        let part = self.parts.iter().rev().find(|part| part.base <= span.start);
        part.map_or(Place::new(self.source, span), |part| Place::new(part.source, span.back(part.base)))
    }

    /// The default of `tolerance`.
    pub const TOLERANCE: f64 = 0.25;

    /// The default of `fps`.
    pub const FPS: f64 = 24.0;

    /// The bone of this name. Looks through all of them.
    pub fn bone(&self, name: &str) -> Option<&BoneDoc> {
        self.bones.iter().find(|bone| bone.name.value == name)
    }

    /// The clip of this name. Looks through all of them.
    pub fn clip(&self, name: &str) -> Option<&ClipDoc> {
        self.clips.iter().find(|clip| clip.name.value == name)
    }
}

/// A bone as written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoneDoc {
    /// Its name.
    pub name: Spanned<String>,
    /// Its brackets.
    pub span: Span,
    /// The parent bone; none for a root.
    pub parent: Option<Spanned<String>>,
    /// Where it starts, in canvas coordinates.
    pub from: Option<Spanned<Point>>,
    /// Where it starts, in the parent's frame.
    pub origin: Option<Spanned<Point>>,
    /// Where it ends, in canvas coordinates.
    pub to: Option<Spanned<Point>>,
    /// Its length.
    pub length: Option<Spanned<f64>>,
    /// Degrees against the parent.
    pub angle: Option<Spanned<f64>>,
    /// An open path of the drawing that gives it both ends.
    pub line: Option<Spanned<String>>,
    /// What it takes over from its parent.
    pub inherit: Option<Spanned<Inherit>>,
    /// How it moves.
    pub joint: Option<Spanned<Joint>>,
    /// How far it moves.
    pub limits: Option<Spanned<Limits>>,
    /// What it influences.
    pub region: Option<Spanned<Region>>,
    /// Whether every field was readable.
    pub complete: bool,
}

/// What a bone takes over from its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inherit {
    /// Place, turn and size.
    #[default]
    All,
    /// Place and turn.
    NoScale,
    /// Place and size.
    NoRotation,
    /// The place alone.
    TranslationOnly,
}

/// How a bone moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Joint {
    /// In any way.
    Free,
    /// It turns.
    #[default]
    Pin,
    /// It moves along its own axis.
    Slide,
    /// Not at all.
    Fixed,
}

/// How far a joint moves from the setup pose.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Degrees or units.
    pub least: f64,
    /// Degrees or units.
    pub most: f64,
}

/// A region of influence around a bone.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Region {
    /// The radius where the bone starts.
    pub start: f64,
    /// The radius at its tip.
    pub tip: f64,
}

/// Which bones some art follows.
#[derive(Debug, Clone, PartialEq)]
pub enum BindingDoc {
    /// One bone carries it.
    Rigid(RigidDoc),
    /// Several bones pull at its vertices.
    Explicit(ExplicitDoc),
    /// Weights are found for the art.
    Smooth(SmoothDoc),
}

impl BindingDoc {
    /// The names of the art that is bound.
    pub fn names(&self) -> &[Spanned<String>] {
        match self {
            Self::Rigid(rigid) => &rigid.art.names,
            Self::Explicit(explicit) => std::slice::from_ref(&explicit.art),
            Self::Smooth(smooth) => &smooth.art.names,
        }
    }

    /// Whether a name is among those of the art that is bound.
    pub fn is_of(&self, name: &str) -> bool {
        self.names().iter().any(|bound| bound.value == name)
    }

    /// The names as they are between quotes in a message: `a", "b`.
    pub fn title(&self) -> String {
        art::title(self.names())
    }

    /// Where the art is named.
    pub(crate) const fn art_span(&self) -> Span {
        match self {
            Self::Rigid(rigid) => rigid.art.span,
            Self::Explicit(explicit) => explicit.art.span,
            Self::Smooth(smooth) => smooth.art.span,
        }
    }

    /// The whole of it.
    pub const fn span(&self) -> Span {
        match self {
            Self::Rigid(rigid) => rigid.span,
            Self::Explicit(explicit) => explicit.span,
            Self::Smooth(smooth) => smooth.span,
        }
    }
}

/// `Rigid(art, bone)`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RigidDoc {
    /// The whole binding.
    pub span: Span,
    /// The art.
    pub art: ArtNames,
    /// The bone that carries it.
    pub bone: Spanned<String>,
}

/// `Explicit(art, weights, others)`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExplicitDoc {
    /// The whole binding.
    pub span: Span,
    /// The art: one path.
    pub art: Spanned<String>,
    /// The weights of the listed vertices, each address once.
    pub weights: Vec<VertexWeightsDoc>,
    /// The weights of all other vertices.
    pub others: Option<WeightsDoc>,
    /// How it follows.
    pub follow: FollowDoc,
    /// How its paint follows.
    pub paint_options: PaintOptionsDoc,
    /// Whether every vertex was readable.
    pub complete: bool,
}

/// A `Smooth` binding.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SmoothDoc {
    /// The whole of it.
    pub span: Span,
    /// Paths, and groups whose paths all follow, under one field of weights.
    pub art: ArtNames,
    /// The bones that it may follow; all if none are named.
    pub bones: Option<Spanned<Vec<Spanned<String>>>>,
    /// Where the weights come from.
    pub method: Option<Spanned<Method>>,
    /// How it follows.
    pub follow: FollowDoc,
    /// How its paint follows.
    pub paint_options: PaintOptionsDoc,
}

/// Where the weights of a `Smooth` binding come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The nearest bone.
    Nearest,
    /// Regions of influence.
    Envelope,
    /// Heat that spreads from the bones within the art.
    #[default]
    Heat,
    /// The smoothest weights between 0 and 1.
    Biharmonic,
}

/// How art that bends follows its bones.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FollowDoc {
    /// How far a posed outline may be from the right one, in pixels at the drawing's own size.
    pub tolerance: Option<Spanned<f64>>,
    /// How bones that share a point agree.
    pub blend: Option<Spanned<Blend>>,
}

/// How the paint of art that bends follows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PaintOptionsDoc {
    /// What moves gradients and patterns.
    pub paint: PaintDoc,
    /// What happens to the width of strokes.
    pub stroke: Option<Spanned<Stroke>>,
    /// Whether clip paths and masks of the art bend with it; with `Smooth` they do by default.
    pub clip: Option<Spanned<ClipFollow>>,
}

/// What the clip paths and masks of art that bends do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClipFollow {
    /// They bend with it.
    #[default]
    Follow,
    /// They stay.
    Still,
}

/// What moves the gradients and patterns of art that bends.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum PaintDoc {
    /// The art itself: as nearly as an affine map can.
    #[default]
    Follow,
    /// Nothing.
    Still,
    /// A bone.
    Bone(Spanned<String>),
}

/// What happens to the width of the strokes of art that bends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stroke {
    /// They keep it.
    #[default]
    Constant,
    /// They get wider as the bones scale the art.
    Uniform,
}

/// How bones that share a point agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Blend {
    /// The mean of what each bone does.
    Linear,
    /// Keeps the area of what bends.
    #[default]
    AreaPreserving,
    /// Turns about a centre found for each set of weights.
    RotationCenters,
}

/// The weights of one vertex or tangent.
#[derive(Debug, Clone, PartialEq)]
pub struct VertexWeightsDoc {
    /// Which.
    pub vertex: Spanned<VertexAddress>,
    /// Its weights.
    pub weights: WeightsDoc,
}

/// Bones and how much each of them pulls.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WeightsDoc {
    /// The map.
    pub span: Span,
    /// Bone and weight, each bone once.
    pub list: Vec<(Spanned<String>, Spanned<f64>)>,
    /// Whether every weight was readable.
    pub complete: bool,
}

/// One point of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VertexAddress {
    /// Its number, from 0 through all subpaths.
    pub vertex: u32,
    /// Which part of it.
    pub part: VertexPart,
}

impl VertexAddress {
    /// As it is written: `3`, `3.in`, `3.out`.
    pub fn show(self) -> String {
        match self.part {
            VertexPart::Anchor => self.vertex.to_string(),
            VertexPart::In => format!("{}.in", self.vertex),
            VertexPart::Out => format!("{}.out", self.vertex),
        }
    }
}

/// The parts of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VertexPart {
    /// The vertex itself.
    Anchor,
    /// The tangent that arrives.
    In,
    /// The tangent that leaves.
    Out,
}
