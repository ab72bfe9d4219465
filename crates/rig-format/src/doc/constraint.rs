//! What bones must do besides their keys, as it was written.

use kurbo::{Point, Vec2};

use super::channels::Channels;
use crate::schema::types::{
    ART, BONE, BONES, CHAIN, COMPRESS, DEGREES, DISTANCE, DRIFT, FADES, LENGTH, LIMITS, NAME, NUMBER,
    OF_BONES, SECONDS, SHARE, SIZE_LIMITS, SIZE_OFFSET, STIFFNESS, STRETCH, TARGET, TURN_LIMITS, XY,
};
use crate::schema::{Change, Entry, Field, Table, Title, Type, Word, WordType, record, variants};
use crate::span::{Span, Spanned};
use bone_core::constraint::{
    AttachmentPoint, Bend, ConstraintProperty, CopySpace, DistanceMode, EndAngle, PathTurn,
};

record! {
    /// One rule.
    pub struct ConstraintDoc = "Constraint", Title::This("this constraint"), "Aim(bone: \"eye\", target: \"ball\")" {
        /// The whole of it.
        span: Span,
        /// What it does.
        kind: ConstraintKind,
        /// Whether every field was readable.
        complete: bool = true,
    }
    fields {
        /// Its name in clips.
        opt name: Spanned<String> = (NAME, "none", "\"hand\"");
        /// Its strength.
        opt mix: Spanned<f64> = (SHARE, "1", "0.5") also ["weight", "strength", "influence"];
        /// The bone that carries its places of the canvas: targets that are no bones, held points, the path.
        opt on: Spanned<String> = (BONE, "none, they stay on the canvas", "\"hip\"") also ["carried_by"];
    }
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

impl Default for ConstraintKind {
    fn default() -> Self {
        Self::Ik(IkDoc::default())
    }
}

variants! {
    ConstraintKind = "constraint", "Ik(name: \"hand\", tip: \"fore.L\", target: \"goal\", chain: 2)",
        Some(ConstraintDoc::TABLE), &[];
    Ik(IkDoc),
    Pin(IkDoc) = PINNED,
    Aim(AimDoc),
    Copy(CopyDoc),
    Limit(LimitDoc),
    Path(PathDoc),
    Distance(DistanceDoc),
}

/// A point of a bone: where it starts, where it ends, or a point of its frame.
const ATTACHMENT: Type =
    Type::Either(&[Type::Words(&[Word { name: "Origin", of: None }, Word { name: "Tip", of: None }]), XY]);

/// Where something is to be.
#[derive(Debug, Clone, PartialEq)]
pub enum TargetDoc {
    /// A bone.
    Bone(Spanned<String>),
    /// A point of the canvas.
    Place(Spanned<Point>),
}

impl Default for TargetDoc {
    fn default() -> Self {
        Self::Place(Point::ORIGIN.into())
    }
}

record! {
    /// One end of inverse kinematics.
    pub struct EndDoc = "End", Title::This("this end"), "(tip: \"fore.R\", chain: 3)" {}
    fields {
        /// The bone that is brought to the target.
        req tip: Spanned<String> = (BONE, "\"fore.L\"") also ["bone", "end", "effector"];
        /// Its point.
        opt point: Spanned<AttachmentPoint> = (ATTACHMENT, "`Tip`", "(5, 0)");
        /// The target of that point; without one the point is held while other effectors move the chain.
        opt target: TargetDoc = (TARGET, "where the clip has it", "\"door\"") also ["goal"];
        /// The point of the target bone.
        opt target_point: Spanned<AttachmentPoint> = (ATTACHMENT, "`Origin`", "(50, 0)");
        /// How many bones may move, counted upwards from `tip`; from its parent if `tip` itself does not rotate for
        /// the target (`point: Origin`, or an `angle`).
        opt chain: Spanned<f64> = (CHAIN, "2", "2") also ["length", "bones"];
        /// Whether `tip` rotates with the chain, keeps its angle on the canvas, or takes that of the target bone.
        opt angle: Spanned<EndAngle> = (EndAngle::TYPE, "`Free`", "Keep");
    }
}

impl EndDoc {
    /// The default of `chain`.
    pub const CHAIN: f64 = 2.0;
}

record! {
    /// `Ik(…)`, and `Pin(…)` with its own names for the same fields.
    pub struct IkDoc = "Ik", Title::This("this constraint"), "Ik(name: \"hand\", tip: \"fore.L\", target: \"goal\", chain: 2)" {}
    fields {
        /// The end; further ones after it.
        flat ends: Vec<EndDoc> = ();
        /// The bend hint, seen from the root towards the target: `Auto` keeps the side of the clip, `Either` takes
        /// the nearer, `Keep` stretches or shrinks the chain as it is bent in the clip.
        opt bend: Spanned<Bend> = (Bend::TYPE, "`Auto`", "Left");
        /// The share of its reach over which the chain slows down before it is straight.
        opt softness: Spanned<f64> = (SHARE, "0", "0.1");
        /// The largest factor by which the chain may stretch (`stretch` of its bones) to reach.
        opt stretch: Spanned<f64> = (STRETCH, "1", "1.3");
        /// The smallest factor by which it may shrink for a target that is too near.
        opt compress: Spanned<f64> = (COMPRESS, "1", "0.7");
        /// 3 weighs the change of a bone three times as much.
        def stiffness: Vec<(Spanned<String>, Spanned<f64>)> = (
            Type::Map { key: OF_BONES, of: &STIFFNESS, each: "the stiffness of a bone" }, "1 each", "{\"upper.L\": 3}"
        );
    }
}

/// The ends of an `Ik`: the first has its fields in the brackets of the constraint.
pub(crate) const IK_ENDS: &Table = &Table {
    name: "Ik",
    title: Title::This("this constraint"),
    example: EndDoc::TABLE.example,
    entries: &[
        Entry::Flat(EndDoc::TABLE, &[]),
        Entry::Field(Field {
            name: "also",
            of: &ENDS,
            default: Some("none"),
            example: "[(tip: \"shin\", chain: 2)]",
            doc: "Further effectors on the same bones.",
            synonyms: &[],
        }),
    ],
};

/// The fields of `Pin` where they differ from those of `Ik`.
const PINNED: &[(&str, Change)] = &[
    (
        "tip",
        Change::As(Field {
            name: "bone",
            of: &BONE,
            default: None,
            example: "\"foot\"",
            doc: "The bone that is held.",
            synonyms: &["tip"],
        }),
    ),
    (
        "target",
        Change::As(Field {
            name: "at",
            of: &XY,
            default: Some("by `holds` of a clip"),
            example: "(230, 450)",
            doc: "The position on the canvas.",
            synonyms: &["target"],
        }),
    ),
    ("target_point", Change::Without),
    (
        "angle",
        Change::As(Field {
            name: "angle",
            of: &Type::Words(&[Word { name: "Free", of: None }, Word { name: "Keep", of: None }]),
            default: Some("`Free`"),
            example: "Keep",
            doc: "Whether `bone` rotates with the chain, or keeps its angle on the canvas.",
            synonyms: &[],
        }),
    ),
    ("also", Change::Without),
];

record! {
    /// `Aim(bone, target)`.
    pub struct AimDoc = "Aim", Title::This("this constraint"), "Aim(bone: \"eye\", target: \"ball\")" {}
    fields {
        /// The bone that rotates.
        req bone: Spanned<String> = (BONE, "\"head\"");
        /// What it points at.
        req target: TargetDoc = (TARGET, "(320, 90)");
        /// The point of the target bone.
        opt target_point: Spanned<AttachmentPoint> = (ATTACHMENT, "`Origin`", "Tip");
        /// The angle in its own frame that points at the target.
        opt offset: Spanned<f64> = (DEGREES, "0", "90");
        /// The share of the range to either side over which the bone slows down before a limit.
        opt softness: Spanned<f64> = (SHARE, "0", "0.3");
    }
}

record! {
    /// `Copy(bone, from, …)`: factors and what comes on top.
    pub struct CopyDoc = "Copy", Title::This("this constraint"), "Copy(bone: \"wheel.B\", from: \"wheel.A\", rotate: 1)" {}
    fields {
        /// The bone that follows.
        req bone: Spanned<String> = (BONE, "\"head\"");
        /// The bone that is copied.
        req from: Spanned<String> = (BONE, "\"hip\"");
        /// The share of the rotation.
        opt rotate: Spanned<f64> = (NUMBER, "left alone", "0.5");
        /// The share of the translation.
        opt shift as "move": Spanned<f64> = (NUMBER, "left alone", "1");
        /// The share of the scale's difference from 1.
        opt scale: Spanned<f64> = (NUMBER, "left alone", "1");
        /// Is added.
        opt rotate_offset: Spanned<f64> = (DEGREES, "0", "10");
        /// Is added.
        opt shift_offset as "move_offset": Spanned<Vec2> = (XY, "(0, 0)", "(4, 0)");
        /// Is added.
        opt scale_offset: Spanned<Vec2> = (SIZE_OFFSET, "(0, 0)", "(0.1, 0)");
        /// Whether rotation and translation are relative to the parent, or on the canvas.
        opt space: Spanned<CopySpace> = (CopySpace::TYPE, "`Local`", "Canvas");
    }
}

record! {
    /// `Limit(bone, …)`: ranges since the setup pose.
    pub struct LimitDoc = "Limit", Title::This("this constraint"), "Limit(bone: \"head\", rotate: (-40, 40))" {}
    fields {
        /// The bone.
        req bone: Spanned<String> = (BONE, "\"head\"");
        /// Degrees.
        opt rotate: Spanned<(f64, f64)> = (TURN_LIMITS, "none", "(-40, 40)");
        /// Units of the parent's frame.
        opt move_x: Spanned<(f64, f64)> = (LIMITS, "none", "(0, 20)");
        /// Units of the parent's frame.
        opt move_y: Spanned<(f64, f64)> = (LIMITS, "none", "(-10, 0)");
        /// Scale along the bone.
        opt scale_x: Spanned<(f64, f64)> = (SIZE_LIMITS, "none", "(0.5, 2)");
        /// Scale across it.
        opt scale_y: Spanned<(f64, f64)> = (SIZE_LIMITS, "none", "(0.5, 2)");
    }
}

record! {
    /// `Path(bones, art, …)`.
    pub struct PathDoc = "Path", Title::This("this constraint"), "Path(bones: [\"car.1\", \"car.2\"], art: \"track\")" {}
    fields {
        /// The bones in their order along the path.
        req bones: Vec<Spanned<String>> = (BONES, "[\"door\", \"dog\"]");
        /// The path.
        req art: Spanned<String> = (ART, "\"track\"");
        /// The start of the first bone, as a share of the path's length.
        opt position: Spanned<f64> = (NUMBER, "0", "0.25");
        /// Units from the start of one bone to the next.
        opt spacing: Spanned<f64> = (LENGTH, "the bone's length", "40");
        /// `Chain`: each points at its end on the path; `Tangent`: along the path; `Keep`: not rotated.
        opt turn: Spanned<PathTurn> = (PathTurn::TYPE, "`Chain`", "Tangent");
    }
}

record! {
    /// `Distance(bone, target, …)`.
    pub struct DistanceDoc = "Distance", Title::This("this constraint"), "Distance(bone: \"dog\", target: \"hand\", distance: 80, keep: Under)" {}
    fields {
        /// The bone.
        req bone: Spanned<String> = (BONE, "\"head\"");
        /// Its point.
        opt point: Spanned<AttachmentPoint> = (ATTACHMENT, "`Origin`", "Tip");
        /// The target.
        req target: TargetDoc = (TARGET, "\"fore.L\"");
        /// The point of the target bone.
        opt target_point: Spanned<AttachmentPoint> = (ATTACHMENT, "`Origin`", "Tip");
        /// Units of the canvas.
        req distance: Spanned<f64> = (DISTANCE, "150");
        /// Exactly, at most or at least.
        opt keep: Spanned<DistanceMode> = (DistanceMode::TYPE, "`At`", "Under");
    }
}

record! {
    /// What a clip does with one constraint.
    pub struct ConstraintChannelsDoc = "Rules", Title::EntryFor("constraint"), "(mix: [(0, 0), (1, 1)])" {
        /// Which.
        name: Spanned<String>,
    }
    named name;
    fields {
        /// Its numbers.
        flat values: Channels<ConstraintProperty> = ();
        /// The bend hint; its keys have no ease.
        opt bend: BendChannel = (
            Type::Keys { of: &Bend::TYPE, example: "Left", third: None, long: None }, "the rig's", "[(0, Left), (1.5, Right)]"
        );
        /// Of a `Pin`: its contacts.
        def holds: Vec<HoldDoc> = (
            Type::List { of: &Type::Record(HoldDoc::TABLE), each: "this hold" }, "none", "[(from: 0.2, until: 1.4)]"
        );
    }
}

/// Sides from times on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BendChannel {
    /// The whole list.
    pub span: Span,
    /// As written.
    pub keys: Vec<(Spanned<f64>, Spanned<Bend>)>,
}

record! {
    /// A point held between two times.
    #[derive(Copy)]
    pub struct HoldDoc = "Hold", Title::This("this hold"), "(from: 0.2, until: 0.6)" {
        /// The whole of it.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// Start of the contact.
        req from: Spanned<f64> = (SECONDS, "0.2");
        /// End of the contact; in a looping clip it may be beyond the end of the clip.
        req until: Spanned<f64> = (SECONDS, "1.4");
        /// The position on the canvas.
        opt at: Spanned<Point> = (XY, "where the clip has it at `from`", "(230, 450)");
        /// Fade in before `from`, and fade out after `until`.
        opt ease: Spanned<(f64, f64)> = (FADES, "0", "(0.1, 0.1)");
        /// The velocity of the position: that of the road in a walk on the spot.
        opt drift: Spanned<Vec2> = (DRIFT, "(0, 0)", "(-120, 0)");
    }
}

const ENDS: Type = Type::List { of: &Type::Record(EndDoc::TABLE), each: "this end" };
