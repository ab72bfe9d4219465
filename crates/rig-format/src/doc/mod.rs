//! The document: what the artist wrote, in the order of the file, with the place of everything.
//! Names stay names, angles degrees, times seconds; defaults are not filled in and nothing is looked up.
//!
//! A program can make a document without places. Its values are checked as those of a text are, and findings
//! about it have no place:
//!
//! ```
//! use kurbo::Point;
//! use rig_format::doc::{BoneDoc, Channel, ClipDoc, BoneChannelsDoc, Key, RigDoc};
//! use rig_format::{Diagnostics, check};
//!
//! let bone = |name: &str| BoneDoc { name: name.to_owned().into(), ..BoneDoc::default() };
//! let rotate = Channel::from_keys([Key::new(0.0, 0.0), Key::new(1.0, 30.0)]);
//! let mut rig = RigDoc {
//!     version: Some(1.into()),
//!     drawing: Some("cat.svg".to_owned().into()),
//!     bones: vec![
//!         BoneDoc { from: Some(Point::new(9.0, 9.0).into()), length: Some(30.0.into()), ..bone("body") },
//!         BoneDoc { parent: Some("boddy".to_owned().into()), length: Some(0.0.into()), ..bone("tail") },
//!     ],
//!     clips: vec![ClipDoc {
//!         name: "wag".to_owned().into(),
//!         bones: vec![BoneChannelsDoc { rotate: Some(rotate), bone: "tail".to_owned().into(), ..Default::default() }],
//!         ..ClipDoc::default()
//!     }],
//!     ..RigDoc::default()
//! };
//! let mut found = Diagnostics::new();
//! check(&rig, &mut found);
//! let messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
//! assert_eq!(messages, [
//!     "`length` of bone \"tail\" must not be 0",
//!     "the parent of bone \"tail\" is \"boddy\", and there is no such bone",
//! ]);
//! assert!(found.iter().all(|finding| finding.place.is_none()));
//!
//! rig.bones[1].parent = Some("body".to_owned().into());
//! rig.bones[1].length = Some(20.0.into());
//! let mut found = Diagnostics::new();
//! check(&rig, &mut found);
//! assert!(found.is_empty());
//! ```

mod art;
mod constraint;
mod motion;
mod sequences;
mod springs;

use kurbo::Point;

pub use art::{ArtDoc, ArtNames};
pub use bone_core::clip::Ease;
pub(crate) use constraint::IK_ENDS;
pub use constraint::{
    AimDoc, AttachmentPointDoc, Bend, BendChannel, ConstraintChannelsDoc, ConstraintDoc, ConstraintKind,
    CopyDoc, DistanceDoc, EndAngle, EndDoc, HoldDoc, IkDoc, KeepDistance, LimitDoc, PathDoc, PathTurn, Space,
    TargetDoc,
};
pub use motion::{
    ArtOffsetsDoc, ArtSetupDoc, ArtWeightsDoc, BoneChannelsDoc, Channel, ClipDoc, Drive, DriverDoc, Extend,
    Keep, Key, OffsetDoc, ParentChannel, ParentKey,
};
pub(crate) use motion::{KEYS, OFFSET};

pub use sequences::{Fade, LayerDoc, Mode, Piece, PlayDoc, SequenceDoc};
pub use springs::{SpringDoc, StopDoc, WindDoc};

use crate::diagnostic::Place;
use crate::schema::types::{
    ART, ARTS, BONE, BONE_LENGTH, BONES, DEGREES, HEAT, LIMITS, ONE_ART, PATH, POWER, RATE, REGION, SOFTNESS,
    TOLERANCE, VERTEX_WEIGHTS, WEIGHTS, WELD, XY,
};
use crate::schema::{self, Change, Field, Text, Title, Type, Word, entry, record, variants, words};
use crate::span::{SourceId, Span, Spanned};

record! {
    /// A rig file. A part that could not be read is left out, and `complete` is then false.
    pub struct RigDoc = "Rig", Title::This("the rig"), "Rig(version: 1, drawing: \"hero.svg\", …)" {
        /// The text it was read from.
        source: SourceId,
        /// The whole of `Rig( … )`.
        span: Span,
        /// Where the included files are in its spans, in their order. Without any all spans are in its own text.
        parts: Vec<PartDoc>,
        /// Whether every bone and clip name of its own text is here.
        own_names: bool = true,
        /// Whether every bone and clip name is here, those of what it includes, too. If not, a name that is
        /// missing may still exist.
        complete: bool = true,
    }
    seen |doc, span, complete| (doc.span, doc.own_names) = (span, doc.own_names && complete);
    fields {
        /// The version of this format.
        opt version: Spanned<u32> = (Type::Version, "1");
        /// The SVG file, relative to the rig.
        opt drawing: Spanned<String> = (PATH, "\"hero.svg\"") also ["svg", "image", "file", "art"];
        /// Other files with bones, clips and so on: see [Several files](#several-files).
        def include: Vec<Spanned<String>> = (INCLUDES, "none", "[\"skeleton.ron\"]")
            also ["includes", "import", "imports"];
        /// Frames a second, unless an option gives another rate.
        opt fps: Spanned<f64> = (RATE, "24", "30") also ["framerate", "frame_rate"];
        /// How art that bends follows its bones, unless a binding has its own options.
        flat follow: FollowDoc = (("tolerance", Change::Default("a 4000th of the drawing's longer side, at most 0.25")), ("blend", Change::Default("`AreaPreserving`")), ("folds", Change::Default("`Clean`")));
        /// The skeletons.
        def bones: Vec<BoneDoc> = (
            Type::Map { key: schema::Key::Name { shown: "name", of: "bone" }, of: &Type::Record(BoneDoc::TABLE), each: "this bone" },
            "none", "{\"nose\": (parent: \"hip\", length: 9)}"
        ) also ["skeleton", "joints", "armature"];
        /// Which art follows which bones.
        def skin: Vec<BindingDoc> = (
            Type::List { of: &Type::Variants(BindingDoc::VARIANTS), each: "this binding" },
            "none", "[Rigid(art: \"head\", bone: \"chest\")]"
        ) also ["slots", "bindings", "attachments", "skins"];
        /// Values of bones that drive other bones, vertices and art, in every clip.
        def drivers: Vec<DriverDoc> = (
            Type::List { of: &Type::Record(DriverDoc::TABLE), each: "this driver" },
            "none", "[(bone: \"fore.L\", bones: {\"chest\": (rotate: [(0, 0), (90, 5)])})]"
        );
        /// What holds for bones besides their keys, in every clip.
        def constraints: Vec<ConstraintDoc> = (
            Type::List { of: &Type::Variants(ConstraintKind::VARIANTS), each: "this constraint" },
            "none", "[Aim(bone: \"head\", target: (320, 90))]"
        );
        /// Bones with secondary motion, in every clip.
        def springs: Vec<SpringDoc> = (
            Type::List { of: &Type::Record(SpringDoc::TABLE), each: "this spring" }, "none", "[(chain: \"fore.L\")]"
        ) also ["physics", "dynamics"];
        /// The movements.
        def clips: Vec<ClipDoc> = (
            Type::Map { key: schema::Key::Name { shown: "name", of: "clip" }, of: &Type::Record(ClipDoc::TABLE), each: "this clip" },
            "none", "{\"nod\": (bones: {\"head\": (rotate: [(0, 0), (1, 20)])})}"
        ) also ["animations", "animation", "actions"];
        /// Sequences of clips: one after the other, with fades and layers.
        def shots: Vec<SequenceDoc> = (
            Type::Map { key: schema::Key::Name { shown: "name", of: "shot" }, of: &Type::Record(SequenceDoc::TABLE), each: "this shot" },
            "none", "{\"intro\": (play: [\"walk\", \"walk\"])}"
        ) also ["sequences", "scenes"];
    }
}

const INCLUDES: Type = Type::List { of: &PATH, each: "a file in `include`" };

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

    /// Whether it was read from a text. One that a program made has no places.
    pub fn is_written(&self) -> bool {
        !self.span.is_empty()
    }

    /// The greatest default of `tolerance`.
    pub const TOLERANCE: f64 = 0.25;

    /// The default of `tolerance` as a share of the drawing's longer side: 0.25 of 1000.
    pub const SHARE: f64 = 0.25e-3;

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

entry! {
    /// A bone as written.
    pub struct BoneDoc = "Bone", Title::Named("bone"), "(parent: \"hip\", length: 60)";
    fields {
        /// Its parent: the bone that carries it.
        opt parent: Spanned<String> = (BONE, "none: a root", "\"hip\"");
        /// Where it starts, in canvas coordinates.
        opt from: Spanned<Point> = (XY, "the parent's tip", "(230, 210)")
            also ["start", "head", "position"];
        /// Where it starts, in the parent's frame (x along the parent); instead of `from`.
        opt origin: Spanned<Point> = (XY, "the parent's tip", "(0, 12)");
        /// Where it ends, in canvas coordinates; gives length and angle.
        opt to: Spanned<Point> = (XY, "by `length`", "(280, 240)") also ["end", "tail", "tip"];
        /// Its length in units of the canvas; instead of `to`.
        opt length: Spanned<f64> = (BONE_LENGTH, "by `to`", "60");
        /// Its rotation relative to the parent (a root: to the x axis); with `length`.
        opt angle: Spanned<f64> = (DEGREES, "0", "-15") also ["rotation", "rotate"];
        /// A line of the drawing that gives both ends; instead of `from` and `to`, see
        /// [Bones that follow lines](#bones-that-follow-lines).
        opt line: Spanned<String> = (ART, "none", "\"upper\"");
        /// `Segment`: it has a length and a direction; `Point`: a place without a length, a pin that moves, turns
        /// and scales the art around it.
        opt kind: Spanned<BoneKind> = (BoneKind::TYPE, "`Segment`", "Segment");
        /// What it inherits from its parent.
        opt inherit: Spanned<Inherit> = (Inherit::TYPE, "`All`", "NoScale") also ["transform"];
        /// How it moves.
        opt joint: Spanned<Joint> = (Joint::TYPE, "`Pin`; of a point `Free`", "Fixed");
        /// Degrees from the setup pose for `Pin`, units along the bone's axis for `Slide`.
        opt limits: Spanned<Limits> = (LIMITS, "none", "(-100, 80)") also ["limit", "constraints"];
        /// Region of influence, in units of the canvas.
        opt region: Spanned<Region> = (REGION, "none", "(18, 12)");
    }
}

impl BoneDoc {
    /// What it is.
    pub fn kind(&self) -> BoneKind {
        self.kind.map(|kind| kind.value).unwrap_or_default()
    }
}

words! {
    /// What a bone is.
    pub enum BoneKind {
        /// A line from its start to its tip.
        #[default]
        Segment,
        /// A point.
        Point,
    }
}

words! {
    /// What a bone takes over from its parent.
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
}

words! {
    /// How a bone moves.
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

variants! {
    BindingDoc = "binding", "Rigid(art: \"head\", bone: \"chest\")", None, METHODS;
    Rigid(RigidDoc),
    Smooth(SmoothDoc),
    Explicit(ExplicitDoc),
}

/// Kinds that other tools have: here they are methods of `Smooth`.
const METHODS: &[(&str, &str)] = {
    const SMOOTH: &str = "write Smooth(art: \"arm\", bones: [\"upper\", \"fore\"], method: Heat)";
    &[("Envelope", SMOOTH), ("Heat", SMOOTH), ("Biharmonic", SMOOTH), ("Auto", SMOOTH)]
};

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

record! {
    /// `Rigid(art, bone)`.
    pub struct RigidDoc = "Rigid", Title::This("this binding"), "Rigid(art: \"head\", bone: \"chest\")" {
        /// The whole binding.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// The art.
        req art: ArtNames = (ARTS, "\"head\"") also ["name", "element", "attachment", "slot"];
        /// The bone that is copied.
        req bone: Spanned<String> = (BONE, "\"chest\"") also ["parent", "joint"];
    }
}

record! {
    /// A `Smooth` binding.
    pub struct SmoothDoc = "Smooth", Title::This("this binding"), "Smooth(art: \"arm\", bones: [\"upper\", \"fore\"])" {
        /// The whole of it.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// What bends.
        req art: ArtNames = (ARTS, "[\"shirt\", \"Body/#3\"]")
            also ["name", "element", "attachment", "slot"];
        /// Which bones it follows.
        opt bones: Spanned<Vec<Spanned<String>>> = (BONES, "all bones", "[\"hip\", \"chest\"]")
            also ["joints"];
        /// How weights are found: diffused from the bones like heat; bounded biharmonic, the smoothest; by the
        /// bones' regions; each point by its nearest bone alone; or by inverse distances to the bones, to a power.
        opt method: Spanned<Method> = (Method::TYPE, "`Heat`", "Biharmonic");
        /// `Shared`: one field with all `Smooth` bindings of the same bones, method, blend and numbers, so that
        /// what touches stays together; `Own`: a field of its own; `Vertices`: as `Shared`, found at the
        /// vertices and interpolated along the outline as typed weights are.
        opt weights: Spanned<FoundWeights> = (FoundWeights::TYPE, "`Shared`", "Own");
        /// How sharply weights of `Heat` change from one bone to the next.
        opt heat: Spanned<f64> = (HEAT, "1", "2");
        /// How far weights of `Heat` are softened at joints, as a share of the art's depth there.
        opt softness: Spanned<f64> = (SOFTNESS, "0.25", "0.5");
        /// The greatest gap between different paths that counts as closed, in units of the drawing. Parts of
        /// one path stay apart.
        opt weld: Spanned<f64> = (WELD, "0.2 % of the art's longer side", "0.5");
        /// How it follows.
        flat follow: FollowDoc = ();
        /// How its paint follows.
        flat paint_options: PaintOptionsDoc = ();
    }
}

impl SmoothDoc {
    /// What its weights are found with, and where.
    pub fn found_weights(&self) -> FoundWeights {
        self.weights.map(|weights| weights.value).unwrap_or_default()
    }
}

record! {
    /// `Explicit(art, weights, others)`.
    pub struct ExplicitDoc = "Explicit", Title::This("this binding"), "Explicit(art: \"cape\", weights: {0: {\"chest\": 1}})" {
        /// The whole binding.
        span: Span,
        /// Whether every vertex was readable.
        complete: bool = true,
    }
    seen |doc, span, complete| (doc.span, doc.complete) = (span, complete);
    fields {
        /// Which path.
        req art: Spanned<String> = (ONE_ART, "\"cape\"") also ["name", "element", "attachment", "slot"];
        /// How it follows.
        flat follow: FollowDoc = ();
        /// How its paint follows.
        flat paint_options: PaintOptionsDoc = (("clip", Change::As(CLIP_OF_TYPED)));
        /// How much each vertex follows each bone; normalised.
        req weights: Vec<VertexWeightsDoc> = (VERTEX_WEIGHTS, "{0: {\"chest\": 1}}") also ["vertices"];
        /// The weights of the vertices that are not listed.
        opt others: WeightsDoc = (WEIGHTS, "none: all vertices are listed", "{\"hip\": 1}");
    }
}

const CLIP_OF_TYPED: Field = Field {
    name: "clip",
    of: &ClipFollow::TYPE,
    default: Some("stays, with a warning"),
    example: "Still",
    doc: "`Still` confirms that clip paths and masks of the path stay; `Follow` needs a binding of their own.",
    synonyms: &[],
};

/// Where the weights of a `Smooth` binding come from.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Method {
    /// Heat that spreads from the bones within the art.
    #[default]
    Heat,
    /// The smoothest weights between 0 and 1.
    Biharmonic,
    /// Regions of influence.
    Envelope,
    /// The nearest bone.
    Nearest,
    /// Inverse distances to this power.
    InverseDistance(Spanned<f64>),
}

impl Method {
    const TYPE: Type = Type::Words(&[
        Word { name: "Heat", of: None },
        Word { name: "Biharmonic", of: None },
        Word { name: "Envelope", of: None },
        Word { name: "Nearest", of: None },
        Word { name: "InverseDistance", of: Some(&POWER) },
    ]);

    /// The word in a rig, without a power.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Heat => "Heat",
            Self::Biharmonic => "Biharmonic",
            Self::Envelope => "Envelope",
            Self::Nearest => "Nearest",
            Self::InverseDistance(_) => "InverseDistance",
        }
    }
}

words! {
    /// What weights of a `Smooth` binding are found with, and where.
    pub enum FoundWeights {
        /// Together with those of bindings that agree in all that finding them takes.
        #[default]
        Shared,
        /// For this binding alone.
        Own,
        /// Shared, at the vertices.
        Vertices,
    }
}

record! {
    /// How art that bends follows its bones.
    #[derive(Copy)]
    pub struct FollowDoc = "Smooth", Title::This("this binding"), "" {}
    fields {
        /// The largest distance of a posed outline from the exact one, at the drawing's own size.
        opt tolerance: Spanned<f64> = (TOLERANCE, "the rig's", "0.1");
        /// How the motions of bones that share a point are blended.
        opt blend: Spanned<Blend> = (Blend::TYPE, "the rig's", "Linear");
        /// Where it is turned inside out, as at the inner side of an elbow. `Clean`: the loop of the outline there
        /// is taken out; `Keep`: nothing is; `Hide`: as `Clean`, and a filled subpath of which all is turned inside
        /// out, such as a spot in an elbow, is not drawn. Lines without a fill are.
        opt folds: Spanned<Folds> = (Folds::TYPE, "the rig's", "Keep");
    }
}

words! {
    /// What is drawn of art where it is turned inside out.
    pub enum Folds {
        /// Everything but the loops of its outlines.
        #[default]
        Clean,
        /// Everything.
        Keep,
        /// Everything but loops and filled subpaths of which all is turned inside out.
        Hide,
    }
}

record! {
    /// How the paint of art that bends follows.
    pub struct PaintOptionsDoc = "Smooth", Title::This("this binding"), "" {}
    fields {
        /// `Follow`: gradients bend with the art, patterns move with it as nearly as one affine map can;
        /// `Still`: they stay; `Bone`: they move with a bone.
        def paint: PaintDoc = (PaintDoc::TYPE, "`Follow`", "Bone(\"chest\")");
        /// `Constant`: a stroke keeps its width; `Uniform`: width and dashes grow as the bones scale the art (the
        /// mean of `sqrt(abs(det))` along the outline; bending alone changes nothing).
        opt stroke: Spanned<Stroke> = (Stroke::TYPE, "`Constant`", "Uniform");
        /// `Follow`: the clip paths and masks of the art bend with it; `Still`: they stay.
        opt clip: Spanned<ClipFollow> = (ClipFollow::TYPE, "`Follow`", "Still");
    }
}

words! {
    /// What the clip paths and masks of art that bends do.
    pub enum ClipFollow {
        /// They bend with it.
        #[default]
        Follow,
        /// They stay.
        Still,
    }
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

impl PaintDoc {
    const TYPE: Type = Type::Words(&[
        Word { name: "Follow", of: None },
        Word { name: "Still", of: None },
        Word {
            name: "Bone",
            of: Some(&Type::Text(Text { shown: "bone name", example: "\"chest\"", one: "" })),
        },
    ]);
}

words! {
    /// What happens to the width of the strokes of art that bends.
    pub enum Stroke {
        /// They keep it.
        #[default]
        Constant,
        /// They get wider as the bones scale the art.
        Uniform,
    }
}

words! {
    /// How bones that share a point agree.
    pub enum Blend {
        /// The mean of what each bone does.
        Linear,
        /// Keeps the area of what bends.
        #[default]
        AreaPreserving,
        /// Turns about a centre found for each set of weights.
        RotationCenters,
    }
}

/// The weights of one vertex or tangent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VertexWeightsDoc {
    /// Which.
    pub vertex: Spanned<VertexAddress>,
    /// Its weights.
    pub weights: WeightsDoc,
}

/// Bones and how much each of them pulls.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightsDoc {
    /// The map.
    pub span: Span,
    /// Bone and weight, each bone once.
    pub list: Vec<(Spanned<String>, Spanned<f64>)>,
    /// Whether every weight was readable.
    pub complete: bool,
}

impl Default for WeightsDoc {
    fn default() -> Self {
        Self { span: Span::default(), list: Vec::new(), complete: true }
    }
}

/// One point of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum VertexPart {
    /// The vertex itself.
    #[default]
    Anchor,
    /// The tangent that arrives.
    In,
    /// The tangent that leaves.
    Out,
}
