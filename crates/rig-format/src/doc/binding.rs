//! Which art follows which bones, and how, as it was written.

use super::art::ArtNames;
use super::brush::StrokeDoc;
use super::vertex::{VertexWeightsDoc, WeightsDoc};
use crate::schema::types::{
    ARTS, BONE, BONES, HEAT, ONE_ART, POWER, SOFTNESS, TOLERANCE, VERTEX_WEIGHTS, WEIGHTS, WELD,
};
use crate::schema::{Change, Field, Text, Title, Type, Word, WordType, record, words};
use crate::span::{Span, Spanned};
use bone_skin::{FoldRule, SkinBlend};

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
        /// Strokes that change the weights that were found, one after the other. They act on places of the
        /// drawing at rest, not on vertices, so that they hold where the art is drawn anew.
        def brush: Vec<StrokeDoc> = (
            Type::List { of: &Type::Record(StrokeDoc::TABLE), each: "this stroke" }, "none",
            "[(bone: \"fore.L\", add: 0.3, width: 14, at: [(214, 196), (230, 226)])]"
        ) also ["strokes"];
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
        opt blend: Spanned<SkinBlend> = (SkinBlend::TYPE, "the rig's", "Linear");
        /// Where it is turned inside out, as at the inner side of an elbow. `Clean`: the loop of the outline there
        /// is taken out; `Keep`: nothing is; `Hide`: as `Clean`, and a filled subpath of which all is turned inside
        /// out, such as a spot in an elbow, is not drawn. Lines without a fill are.
        opt folds: Spanned<FoldRule> = (FoldRule::TYPE, "the rig's", "Keep");
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
