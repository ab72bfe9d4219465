//! What moves: clips, drivers, and the channels and keys of both, as they were written.

use bone_core::clip::Ease;
use kurbo::{Point, Vec2};

use super::{ArtDoc, ConstraintChannelsDoc, VertexAddress, WeightsDoc};
use crate::schema::types::{
    ART_OFFSETS, ART_SETUP, ART_WEIGHTS, BONE, DEGREE_KEYS, DURATION, OF_ART, OF_BONES, SIZE_KEYS, STEP,
    STRETCH_KEYS, XY_KEYS,
};
use crate::schema::{Entry, Field, Key as MapKey, Table, Title, Type, entry, record, words};
use crate::span::{Span, Spanned};

entry! {
    /// A movement.
    pub struct ClipDoc = "Clip", Title::Named("clip"), "(length: 2, bones: {\"hip\": (rotate: [(0, 0), (1, 30)])})";
    fields {
        /// How long it is.
        opt length: Spanned<f64> = (DURATION, "the time of the last key", "2") also ["duration"];
        /// Starts again after `length`.
        opt looped as "loop": Spanned<bool> = (Type::Bool, "false", "true")
            also ["looping", "looped", "repeat"];
        /// Each drawing is held for so many frames of the rig's `fps`: 2 is "on twos".
        opt step: Spanned<f64> = (STEP, "1", "2");
        /// How bones move.
        def bones: Vec<BoneChannelsDoc> = (MOVED_BONES, "none", "{\"hip\": (rotate: [(0, 0), (1, 30)])}");
        /// Free offsets, canvas units; the tangents move with their vertex, `"3.in"` moves only that tangent.
        def offsets: Vec<ArtOffsetsDoc> = (ART_OFFSETS, "none", "{\"cape\": {3: [(0, (0, 0)), (1, (4, 9))]}}");
        /// Setup positions: where vertices are in the drawing.
        def setup: Vec<ArtSetupDoc> = (ART_SETUP, "none", "{\"cape\": {3: [(0, (240, 205)), (1, (243, 201))]}}");
        /// Weights of art that is bound `Explicit`.
        def weights: Vec<ArtWeightsDoc> = (ART_WEIGHTS, "none", "{\"cape\": {3: [(0, {\"chest\": 1}), (1, {\"hip\": 1})]}}");
        /// Visibility, opacity, order, switches: see [Art that comes and goes](#art-that-comes-and-goes).
        def art: Vec<ArtDoc> = (SHOWN_ART, "none", "{\"mouth\": (visible: [(0, false), (0.5, true)])}");
        /// Values of constraints that have a name.
        def constraints: Vec<ConstraintChannelsDoc> = (RULES, "none", "{\"look\": (mix: [(0, 0), (1, 1)])}");
    }
}

const MOVED_BONES: Type =
    Type::Map { key: OF_BONES, of: &Type::Record(BoneChannelsDoc::TABLE), each: "this bone" };
const SHOWN_ART: Type = Type::Map { key: OF_ART, of: &Type::Record(ArtDoc::TABLE), each: "this art" };
const RULES: Type = Type::Map {
    key: MapKey::Name { shown: "constraint name", of: "constraint" },
    of: &Type::Record(ConstraintChannelsDoc::TABLE),
    each: "this constraint",
};

record! {
    /// A bone's value that drives bones and vertices.
    pub struct DriverDoc = "Driver", Title::This("this driver"), "(bone: \"fore.L\", offsets: {\"arm\": {1: [(0, (0, 0)), (90, (4, 9))]}})" {
        /// Its brackets.
        span: Span,
        /// Whether every part was readable.
        complete: bool = true,
    }
    seen |doc, span, complete| (doc.span, doc.complete) = (span, complete);
    fields {
        /// The bone that drives.
        req bone: Spanned<String> = (BONE, "\"fore.L\"");
        /// Its value that drives.
        opt value: Spanned<Drive> = (Drive::TYPE, "`Rotate`", "MoveX");
        /// `rotate`, `move`, `scale` and `stretch`.
        def bones: Vec<BoneChannelsDoc> = (MOVED_BONES, "none", "{\"chest\": (rotate: [(0, 0), (90, 5)])}");
        /// Free offsets.
        def offsets: Vec<ArtOffsetsDoc> = (ART_OFFSETS, "none", "{\"cape\": {3: [(0, (0, 0)), (90, (4, 9))]}}");
        /// Visibility, opacity, order, switches.
        def art: Vec<ArtDoc> = (SHOWN_ART, "none", "{\"wrinkle\": (opacity: [(0, 1), (90, 0.2)])}");
    }
}

impl DriverDoc {
    /// What of the bone drives, as written or by default.
    pub fn drive(&self) -> Drive {
        self.value.map(|value| value.value).unwrap_or_default()
    }
}

words! {
    /// A value of a bone that can drive.
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
}

record! {
    /// What one bone does in a clip or a driver.
    pub struct BoneChannelsDoc = "Channels", Title::EntryFor("bone"), "(rotate: [(0, 0), (1, 30)])" {
        /// Which bone.
        bone: Spanned<String>,
    }
    named bone;
    fields {
        /// Rotation relative to the setup pose; never wrapped, 720 is two turns.
        opt rotate: Channel<f64> = (DEGREE_KEYS, "not moved", "[(0, 0), (0.5, 60), (1, 0, Hold)]")
            also ["rotation", "turn"];
        /// Absolute rotation relative to the parent; instead of `rotate`.
        opt angle: Channel<f64> = (DEGREE_KEYS, "not moved", "[(0, 90)]");
        /// Translation relative to the setup origin, in the parent's frame.
        opt shift as "move": Channel<Vec2> = (XY_KEYS, "not moved", "[(0, (0, 0)), (1, (10, 20))]")
            also ["translate", "translation", "position"];
        /// Absolute origin in the parent's frame; instead of `move`.
        opt origin: Channel<Point> = (XY_KEYS, "not moved", "[(0, (10, 20))]");
        /// Size, inherited by children; a single number scales both.
        opt scale: Channel<Vec2> = (SIZE_KEYS, "not moved", "[(0, 1), (1, (1.2, 1))]") also ["size"];
        /// Length of the bone's own skin; moves its children, does not scale them.
        opt stretch: Channel<f64> = (STRETCH_KEYS, "not moved", "[(0, 1), (1, 1.5)]");
        /// Changes the parent: `None` is a root; the third part is `World` (keeps its place on the canvas, default)
        /// or `Local` (keeps its numbers).
        opt parent: ParentChannel = (PARENT_KEYS, "the bone's own", "[(0, \"hip\"), (1.5, \"door\", World), (2, None, Local)]");
        /// Moves the setup origin under resting skin.
        opt setup_origin: Channel<Point> = (XY_KEYS, "not moved", "[(0, (10, 20))]");
        /// Turns the setup pose under resting skin.
        opt setup_angle: Channel<f64> = (DEGREE_KEYS, "not moved", "[(0, 15)]") also ["setup_rotation"];
    }
}

const PARENT_KEYS: Type = Type::Keys {
    of: &Type::Either(&[BONE, Type::None]),
    example: "\"hand\"",
    third: Some(&Keep::TYPE),
    long: None,
};

/// The free offsets of one path.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArtOffsetsDoc {
    /// Which art.
    pub art: Spanned<String>,
    /// Vertex and offset, each address once.
    pub vertices: Vec<(Spanned<VertexAddress>, OffsetDoc)>,
}

/// The setup positions of one path.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArtSetupDoc {
    /// Which art.
    pub art: Spanned<String>,
    /// Vertex and canvas position, each address once.
    pub vertices: Vec<(Spanned<VertexAddress>, Channel<Point>)>,
}

/// The keyed weights of one path.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArtWeightsDoc {
    /// Which art.
    pub art: Spanned<String>,
    /// Vertex and weights, each address once.
    pub vertices: Vec<(Spanned<VertexAddress>, Channel<WeightsDoc>)>,
}

/// The free offset of one vertex, in the drawing's units.
#[derive(Debug, Clone, PartialEq, Default)]
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

/// What may stand in place of a list of keys.
pub(crate) const KEYS: &Table = &Table {
    name: "Keys",
    title: Title::This("these keys"),
    example: "(keys: [(0, 0), (0.5, 20)], extend: Loop)",
    entries: &[
        Entry::Field(Field {
            name: "keys",
            of: &Type::KeyList,
            default: None,
            example: "[(0, 0), (0.5, 20)]",
            doc: "The list.",
            synonyms: &[],
        }),
        Entry::Field(Field {
            name: "ease",
            of: &Type::Ease,
            default: Some("`Smooth`"),
            example: "Bezier(0.4, 0, 0.6, 1)",
            doc: "Of all keys that have none.",
            synonyms: &[],
        }),
        Entry::Field(Field {
            name: "extend",
            of: &Extend::TYPE,
            default: Some("`Hold`"),
            example: "PingPong",
            doc: "The value outside the keys: `Linear` continues at its speed, `LoopOffset` starts again from the \
                  value at the end.",
            synonyms: &[],
        }),
    ],
};

/// The same for an offset.
pub(crate) const OFFSET: &Table = &Table {
    name: "Offset",
    title: Title::This("this offset"),
    example: "(bone: \"fore.L\", keys: [(0, (0, 0)), (1, (4, 9))])",
    entries: &[
        Entry::Flat(KEYS, &[]),
        Entry::Field(Field {
            name: "bone",
            of: &BONE,
            default: Some("none"),
            example: "\"fore.L\"",
            doc: "Its axes are those of the canvas at rest, and move with this bone.",
            synonyms: &[],
        }),
    ],
};

impl<T> Channel<T> {
    /// Whether its keys are played again after the last of them.
    pub fn repeats(&self) -> bool {
        let extend = self.extend.map(|extend| extend.value);
        matches!(extend, Some(Extend::Loop | Extend::LoopOffset | Extend::PingPong))
    }

    /// Keys in order of time, with the default ease.
    pub fn from_keys(keys: impl IntoIterator<Item = Key<T>>) -> Self {
        Self { span: Span::default(), keys: keys.into_iter().collect(), ease: None, extend: None }
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

impl<T> Key<T> {
    /// A value at a time, with the default ease.
    pub fn new(time: f64, value: T) -> Self {
        Self { span: Span::default(), time: time.into(), value: value.into(), ease: None }
    }
}

words! {
    /// What a value does before its first and after its last key.
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

words! {
    /// What stays the same when a bone changes its parent.
    pub enum Keep {
        /// Its place on the canvas.
        #[default]
        World,
        /// Its numbers.
        Local,
    }
}
