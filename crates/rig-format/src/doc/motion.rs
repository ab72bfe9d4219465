//! What moves: clips, drivers, and the channels and keys of both, as they were written.

use kurbo::{Point, Vec2};

use super::art::ArtDoc;
use super::channels::{AnyChannel, Channels};
use super::constraint::ConstraintChannelsDoc;
use super::controls::CameraDoc;
use super::events::{EVENTS, EventsDoc, SOUNDS, SoundDoc};
use super::filters::FilterKeysDoc;
use super::gradients::GradientKeysDoc;
use super::ink::{InkKeysDoc, KEYED_INK};
use super::keys::{ART_OFFSETS, ART_SETUP, ART_WEIGHTS, Channel, NUMBER_KEYS, TIME_KEYS};
use super::poses::{POSE_WEIGHTS, POSES_AT, PoseWeightDoc};
use super::vertex::{VertexAddress, WeightsDoc};
use crate::schema::types::{
    BONE, DURATION, OF_ART, OF_BONES, OF_FILTERS, OF_GRADIENTS, OF_SLIDERS, PHASE, REPEATED, SLIDER, STEP,
};
use crate::schema::{Key as MapKey, Title, Type, WordType, entry, record, words};
use crate::span::{Span, Spanned};
use bone_core::clip::{BoneProperty, Drive, KeepTransform, Repeat};

entry! {
    /// A movement.
    pub struct ClipDoc = "Clip", Title::Named("clip"), "(length: 2, bones: {\"hip\": (rotate: [(0, 0), (1, 30)])})";
    fields {
        /// How long it is.
        opt length: Spanned<f64> = (DURATION, "the time of the last key", "2") also ["duration"];
        /// Starts again after `length`; `PingPong` plays every second round backwards, and after a number of rounds
        /// it rests at its end.
        opt looped as "loop": Spanned<Repeat> = (REPEATED, "false", "true")
            also ["looping", "looped", "repeat"];
        /// Where a loop starts, as a share of `length`.
        opt phase: Spanned<f64> = (PHASE, "0", "0.25");
        /// The keys are half a cycle: it plays twice as long, the second time with the keys of `.L` for `.R` and the
        /// reverse. `Mirror` turns their signs, too: `Swap` is for a figure from the side, `Mirror` from the front.
        opt half: Spanned<Half> = (Half::TYPE, "a whole one", "Swap");
        /// Plays the keys at other times: keys of clip seconds and key seconds. Springs keep the time of the clip.
        opt retime: Channel<f64> = (TIME_KEYS, "as they are", "[(0, 0), (1, 0.3, Out(Quad)), (2, 2)]") also ["time_remap"];
        /// Each drawing is held for so many frames of the rig's `fps`: 2 is "on twos".
        opt step: Spanned<f64> = (STEP, "1", "2");
        /// The keys of a pose, at times: one for each of its values.
        opt pose: Channel<String> = (POSES_AT, "none", "[(0, \"contact\"), (0.25, \"passing\", EaseOut)]");
        /// How far the clip is moved towards poses, after its keys.
        def poses: Vec<PoseWeightDoc> = (POSE_WEIGHTS, "none", "{\"fist.L\": [(0, 0), (0.3, 1, EaseOut)]}");
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
        /// Ends and stops of gradients: see [Gradients](#gradients).
        def paints: Vec<GradientKeysDoc> = (KEYED_GRADIENTS, "none", "{\"sky\": (colors: {0: [(0, \"#08f\"), (1, \"#013\")]})}") also ["gradients"];
        /// Numbers of filters: see [Filters](#filters).
        def filters: Vec<FilterKeysDoc> = (KEYED_FILTERS, "none", "{\"glow\": (blur: [(0, 0), (1, 6)])}") also ["effects"];
        /// Widths of ink, by the number of a place: see [Ink](#ink).
        def ink: Vec<InkKeysDoc> = (KEYED_INK, "none", "{\"brow.L\": {1: [(0, 6), (1, 9)]}}") also ["inks", "widths"];
        /// Values of constraints that have a name.
        def constraints: Vec<ConstraintChannelsDoc> = (RULES, "none", "{\"look\": (mix: [(0, 0), (1, 1)])}");
        /// Values of the rig's sliders.
        def sliders: Vec<(Spanned<String>, Channel<f64>)> = (SLIDER_KEYS, "none", "{\"smile\": [(0, 0), (0.5, 1)]}");
        /// Where the camera looks: see [Camera](#camera).
        opt camera: CameraDoc = (Type::Record(CameraDoc::TABLE), "the whole drawing", "(zoom: [(0, 1), (1, 2.5)])");
        /// Moments with a name, which players report: see [Events](#events).
        def events: EventsDoc = (EVENTS, "none", "[(0, \"step.L\"), (0.8, \"say\", \"Hello\")]") also ["markers", "triggers"];
        /// Sounds that begin in it: see [Sounds](#sounds).
        def sounds: Vec<SoundDoc> = (SOUNDS, "none", "[(file: \"hello.ogg\", at: 0.2)]") also ["sound", "audio"];
    }
}

words! {
    /// How the second half of a cycle is made of the first.
    pub enum Half {
        /// Left and right change their keys.
        #[default]
        Swap,
        /// They change their keys, and turns and places across are mirrored.
        Mirror,
    }
}

const MOVED_BONES: Type =
    Type::Map { key: OF_BONES, of: &Type::Record(BoneChannelsDoc::TABLE), each: "this bone" };
const SHOWN_ART: Type = Type::Map { key: OF_ART, of: &Type::Record(ArtDoc::TABLE), each: "this art" };
const KEYED_FILTERS: Type =
    Type::Map { key: OF_FILTERS, of: &Type::Record(FilterKeysDoc::TABLE), each: "this filter" };
const KEYED_GRADIENTS: Type =
    Type::Map { key: OF_GRADIENTS, of: &Type::Record(GradientKeysDoc::TABLE), each: "this gradient" };
const SLIDER_KEYS: Type = Type::Map { key: OF_SLIDERS, of: &NUMBER_KEYS, each: "this slider" };
const RULES: Type = Type::Map {
    key: MapKey::Name { shown: "constraint name", of: "constraint" },
    of: &Type::Record(ConstraintChannelsDoc::TABLE),
    each: "this constraint",
};

record! {
    /// A value of a bone, or a slider, that drives bones, vertices and art.
    pub struct DriverDoc = "Driver", Title::This("this driver"), "(bone: \"fore.L\", offsets: {\"arm\": {1: [(0, (0, 0)), (90, (4, 9))]}})" {
        /// Its brackets.
        span: Span,
        /// Whether every part was readable.
        complete: bool = true,
    }
    seen |doc, span, complete| (doc.span, doc.complete) = (span, complete);
    fields {
        /// The bone that drives.
        opt bone: Spanned<String> = (BONE, "a slider drives", "\"fore.L\"");
        /// The slider that drives, in place of a bone.
        opt slider: Spanned<String> = (SLIDER, "a bone drives", "\"smile\"");
        /// The value of the bone that drives.
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
    /// What of the bone drives, as written or by default; none if a slider drives.
    pub fn drive(&self) -> Option<Drive> {
        self.slider.is_none().then(|| self.value.map(|value| value.value).unwrap_or_default())
    }

    /// The name of what drives.
    pub fn source(&self) -> Option<&Spanned<String>> {
        self.bone.as_ref().or(self.slider.as_ref())
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
        /// Its numbers.
        flat values: Channels<BoneProperty> = ();
        /// Changes the parent: `None` is a root; the third part is `World` (keeps its place on the canvas, default)
        /// or `Local` (keeps its numbers).
        opt parent: ParentChannel = (PARENT_KEYS, "the bone's own", "[(0, \"hip\"), (1.5, \"door\", World), (2, None, Local)]");
    }
}

impl BoneChannelsDoc {
    /// A bone that does nothing.
    pub fn new(bone: impl Into<Spanned<String>>) -> Self {
        Self { bone: bone.into(), ..Self::default() }
    }

    /// The same with a further channel.
    #[must_use]
    pub fn with(mut self, property: impl Into<BoneProperty>, channel: impl Into<AnyChannel>) -> Self {
        self.values.set(property, channel);
        self
    }
}

const PARENT_KEYS: Type = Type::Keys {
    of: &Type::Either(&[BONE, Type::None]),
    example: "\"hand\"",
    third: Some(&KeepTransform::TYPE),
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
    pub keep: Option<Spanned<KeepTransform>>,
}
