//! Values made of others: lists, maps, records, and what may be written in several ways.

use bone_core::clip::Repeat;
use bone_core::constraint::AttachmentPoint;
use kurbo::Point;

use crate::diagnostic::Diagnostic;
use crate::doc::{ActorDoc, FormDoc, FormsDoc, RoleDoc, SceneShotDoc, WarpDoc};
use crate::doc::{
    ArtDoc, ArtNames, ArtOffsetsDoc, ArtSetupDoc, ArtWeightsDoc, BindingDoc, BlendPointDoc, BoneChannelsDoc,
    BoneDoc, CameraDoc, ClipDoc, ConstraintChannelsDoc, ConstraintDoc, ConstraintKind, DriverDoc, EndDoc,
    FilterKeysDoc, GradientKeysDoc, HoldDoc, IK_ENDS, InkDoc, InkKeysDoc, LayerDoc, MachineDoc,
    MachineLayerDoc, MaskDoc, Method, OutfitDoc, PaintDoc, PlayDoc, PoseDoc, PoseWeightDoc, PosedArtDoc,
    PosedBoneDoc, SequenceDoc, ShapeDoc, SliderDoc, SoundDoc, SpringDoc, StateDoc, StopDoc, StrokeDoc,
    TargetDoc, TransitionDoc, VertexAddress, VertexWeightsDoc, WeightsDoc, WindDoc,
};
use crate::schema::record::{Given, Item, Key, OneOf, Reader, Record, Slot, Value};
use bone_rig::MachineInputKind;

use crate::schema::types::{ART, BONE, NUMBER, POWER, ROUNDS, SHAPE_WEIGHTS, WEIGHTS, XY};
use crate::schema::{self, Table, Type, Variants};
use crate::span::{Span, Spanned};
use crate::text::{EntryNode, Node, NodeKind, shortened};
use crate::write::{FieldWriter, NumberHand};

/// Records in brackets of their own.
macro_rules! records {
    ($($Doc:ty),*) => {
        $(
            impl Value for $Doc {
                fn read(reader: &mut Reader<'_>, node: &Node, _: &Slot<'_>) -> Option<Self> {
                    let (record, whole) = reader.record(node, Self::default());
                    whole.then_some(record)
                }

                fn write(&self, hand: NumberHand, _: &Type) -> Node {
                    FieldWriter::record(self, hand)
                }
            }
        )*
    };
}

/// The types of items: `()` of a list, `name` of a map of records, `key: value` of a map of other values. A
/// record keeps its name even if nothing else is readable.
macro_rules! items {
    ($($Doc:ty { $($key:tt)* };)*) => {
        $(
            impl Item for $Doc {
                items!(@ $($key)*);
            }
        )*
    };
    (@ ()) => {
        type Key = ();

        fn read_item(reader: &mut Reader<'_>, _: Spanned<()>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
            Self::read(reader, node, slot)
        }

        fn key(&self) -> &Spanned<()> {
            const { &Spanned::new((), Span::at(0)) }
        }

        fn write_item(&self, hand: NumberHand, of: &Type) -> Node {
            self.write(hand, of)
        }
    };
    (@ $key:ident) => {
        type Key = String;

        fn read_item(reader: &mut Reader<'_>, $key: Spanned<String>, node: &Node, _: &Slot<'_>) -> Option<Self> {
            Some(reader.record(node, Self { $key, ..Self::default() }).0)
        }

        fn key(&self) -> &Spanned<String> {
            &self.$key
        }

        fn write_item(&self, hand: NumberHand, _: &Type) -> Node {
            FieldWriter::record(self, hand)
        }
    };
    (@ $key:tt: $Key:ty, $value:tt) => {
        type Key = $Key;

        fn read_item(reader: &mut Reader<'_>, key: Spanned<$Key>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
            Some(Self { $key: key, $value: Value::read(reader, node, slot)? })
        }

        fn key(&self) -> &Spanned<$Key> {
            &self.$key
        }

        fn write_item(&self, hand: NumberHand, of: &Type) -> Node {
            self.$value.write(hand, of)
        }
    };
}

records!(
    BlendPointDoc,
    MachineLayerDoc,
    TransitionDoc,
    CameraDoc,
    DriverDoc,
    EndDoc,
    HoldDoc,
    SoundDoc,
    SpringDoc,
    StopDoc,
    StrokeDoc,
    WindDoc,
    FormDoc,
    FormsDoc,
    MaskDoc
);
items! {
    BindingDoc { () };
    ConstraintDoc { () };
    DriverDoc { () };
    FormsDoc { () };
    MaskDoc { () };
    EndDoc { () };
    HoldDoc { () };
    LayerDoc { () };
    PlayDoc { () };
    SoundDoc { () };
    SpringDoc { () };
    StrokeDoc { () };
    Spanned<String> { () };
    Spanned<Point> { () };
    ArtDoc { art };
    BoneChannelsDoc { bone };
    BoneDoc { name };
    ClipDoc { name };
    PoseDoc { name };
    OutfitDoc { name };
    PosedBoneDoc { bone };
    PosedArtDoc { art };
    PoseWeightDoc { pose: String, weight };
    ConstraintChannelsDoc { name };
    SequenceDoc { name };
    ActorDoc { name };
    SceneShotDoc { name };
    RoleDoc { name };
    SliderDoc { name };
    MachineDoc { name };
    StateDoc { name };
    BlendPointDoc { () };
    MachineLayerDoc { () };
    TransitionDoc { () };
    WarpDoc { name };
    GradientKeysDoc { gradient };
    FilterKeysDoc { filter };
    InkDoc { art };
    InkKeysDoc { art: String, places };
    ArtOffsetsDoc { art: String, vertices };
    ArtSetupDoc { art: String, vertices };
    ArtWeightsDoc { art: String, vertices };
    VertexWeightsDoc { vertex: VertexAddress, weights };
}

impl<K: Key, V: Value> Item for (Spanned<K>, V) {
    type Key = K;

    fn read_item(reader: &mut Reader<'_>, key: Spanned<K>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        Some((key, V::read(reader, node, slot)?))
    }

    fn key(&self) -> &Spanned<K> {
        &self.0
    }

    fn write_item(&self, hand: NumberHand, of: &Type) -> Node {
        self.1.write(hand, of)
    }
}

impl<T: Item> Value for Vec<T> {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        reader.items(node, slot).map(|(items, _)| items)
    }

    fn write(&self, hand: NumberHand, of: &Type) -> Node {
        match of {
            Type::List { of, .. } => Node::list(self.iter().map(|item| item.write_item(hand, of)).collect()),
            Type::Map { of, .. } => Node::map(
                self.iter().map(|item| (item.key().value.write(), item.write_item(hand, of))).collect(),
            ),
            _ => Node::new(NodeKind::None),
        }
    }
}

/// The slot of what is in a list or a map, and what its keys name.
pub(super) fn item_slot<'a>(slot: &Slot<'a>) -> Option<(Slot<'a>, &'static str)> {
    match slot.of {
        Type::List { of, each } => {
            Some((Slot { what: each, of, example: item_example(of, slot.example) }, ""))
        }
        Type::Map { key, of, each } => {
            let named = if let schema::Key::Name { of, .. } = key { of } else { "" };
            Some((Slot { what: each, of, example: value_example(of, slot.example) }, named))
        }
        _ => None,
    }
}

/// An example of what is in a list: texts have their own, records that of their table.
fn item_example<'a>(of: &'static Type, list: &'a str) -> &'a str {
    match of {
        Type::Text(text) => text.example,
        Type::Record(table) => table.example,
        Type::Variants(variants) => variants.example,
        Type::Pair(_) => "(214, 196)",
        _ => list.trim_matches(['[', ']']),
    }
}

impl Reader<'_> {
    /// The items of a list, or the entries of a map, each key once; and whether all of them were readable.
    fn items<T: Item>(&mut self, node: &Node, slot: &Slot<'_>) -> Option<(Vec<T>, bool)> {
        let mut items = Vec::new();
        let mut complete = true;
        let (item, named) = item_slot(slot)?;
        match slot.of {
            Type::List { of, .. } => {
                let nodes = match (&node.kind, of) {
                    // One file needs no list.
                    (NodeKind::Text(_), Type::Text(text)) if text.shown == "path" => {
                        std::slice::from_ref(node)
                    }
                    _ => self.list(node, slot.what, slot.example)?,
                };
                items.reserve_exact(nodes.len());
                for node in nodes {
                    let key = T::Key::read(self, node, "");
                    items.extend(key.and_then(|key| T::read_item(self, key, node, &item)));
                }
                complete = items.len() == nodes.len();
            }
            Type::Map { of, .. } => {
                let entries = self.map(node, slot.what, slot.example)?;
                items.reserve_exact(entries.len());
                for EntryNode { key, value } in entries {
                    let key = T::Key::read(self, key, named);
                    let read = key.and_then(|key| T::read_item(self, key, value, &item));
                    complete &= read.is_some();
                    items.extend(read);
                }
                let weighs = if item.what.to_string().ends_with("weight") && matches!(of, Type::Number(_)) {
                    "the weight of "
                } else {
                    ""
                };
                items = self.once(items, T::key, |key| format!("{weighs}{}", key.show(named)));
            }
            _ => return None,
        }
        Some((items, complete))
    }

    /// A record with a name before its brackets, and its fields.
    fn variant<T: OneOf>(
        &mut self,
        node: &Node,
        variants: &'static Variants,
        read_common: impl FnOnce(&mut Self, &mut Given<'_>),
    ) -> Option<(T, bool)> {
        let title = format!("this {}", variants.title);
        let name = match &node.kind {
            NodeKind::Struct(name, _) | NodeKind::Tuple(name, _) => name.as_deref(),
            NodeKind::Broken => return None,
            _ => {
                let all: Vec<String> =
                    variants.all.iter().map(|variant| format!("`{}(…)`", variant.name)).collect();
                self.wrong(node, &title, &format!("one of {}", all.join(", ")), variants.example);
                return None;
            }
        };
        let all: Vec<String> = variants.all.iter().map(|variant| format!("`{}`", variant.name)).collect();
        let help = format!("write one of {}", all.join(", "));
        let Some(name) = name else {
            self.report(
                node.opening(),
                Diagnostic::error("missing-kind", format!("{title} has no kind")).help(help),
            );
            return None;
        };
        let Some(variant) = variants.get(&name.value) else {
            let message = format!("there is no {} `{}`", variants.title, shortened(&name.value));
            let mut diagnostic = Diagnostic::error("unknown-word", message);
            if let Some((_, right)) = variants.foreign.iter().find(|(foreign, _)| *foreign == name.value) {
                diagnostic = diagnostic.help(*right);
            } else {
                let names = variants.all.iter().map(|variant| variant.name);
                diagnostic = diagnostic.suggest_word(&name.value, names).help(help);
            }
            self.report(name.span, diagnostic);
            return None;
        };
        let errors = self.diagnostics.error_count();
        let mut given = self.given(node, title, variant.table.example, variants.fields(variant))?;
        read_common(self, &mut given);
        let read = T::read_variant(variant.name, self, &mut given, node.span);
        let complete = given.complete && errors == self.diagnostics.error_count();
        read.map(|read| (read, complete))
    }
}

/// The first value of the example of a map.
fn value_example<'a>(of: &Type, map: &'a str) -> &'a str {
    match of {
        Type::Number(_) => "0.5",
        _ => map.split_once(": ").and_then(|(_, value)| value.strip_suffix('}')).unwrap_or(map),
    }
}

impl Value for BindingDoc {
    fn read(reader: &mut Reader<'_>, node: &Node, _: &Slot<'_>) -> Option<Self> {
        reader.variant(node, Self::VARIANTS, |_, _| ()).map(|(binding, _)| binding)
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        FieldWriter::variant(self, Self::VARIANTS, hand).finish(Some(self.variant()))
    }
}

impl Value for ConstraintDoc {
    fn read(reader: &mut Reader<'_>, node: &Node, _: &Slot<'_>) -> Option<Self> {
        let mut doc = Self { span: node.span, ..Self::default() };
        let common = |reader: &mut Reader<'_>, given: &mut Given<'_>| {
            doc.read_fields(reader, given);
        };
        let (kind, complete) = reader.variant(node, ConstraintKind::VARIANTS, common)?;
        (doc.kind, doc.complete) = (kind, complete);
        Some(doc)
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        let mut out = FieldWriter::new(hand, ConstraintKind::VARIANTS.fields_of(self.kind.variant()));
        out.field_of("name", self.name.as_ref());
        self.kind.write_variant(&mut out);
        out.field_of("mix", self.mix.as_ref());
        out.field_of("on", self.on.as_ref());
        out.finish(Some(self.kind.variant()))
    }
}

/// The ends of an `Ik`: one whose fields are those of the constraint, and a list.
impl Record for Vec<EndDoc> {
    const TABLE: &'static Table = IK_ENDS;

    fn read_fields(&mut self, reader: &mut Reader<'_>, given: &mut Given<'_>) -> bool {
        let mut first = EndDoc::default();
        let whole = first.read_fields(reader, given);
        self.push(first);
        self.extend(given.value::<Self>(reader, "also").unwrap_or_default());
        whole
    }

    fn write_fields(&self, out: &mut FieldWriter) {
        if let Some((first, also)) = self.split_first() {
            first.write_fields(out);
            out.field_of("also", (!also.is_empty()).then(|| also.to_vec()).as_ref());
        }
    }
}

/// A clip in quotes is all of it.
macro_rules! clip_or_record {
    ($($Doc:ty: |$play:ident| $make:expr, |$doc:ident| $own:expr;)*) => {
        $(
            impl Value for $Doc {
                fn read(reader: &mut Reader<'_>, node: &Node, _: &Slot<'_>) -> Option<Self> {
                    if matches!(node.kind, NodeKind::Text(_) | NodeKind::Word(_)) {
                        let clip = Spanned::new(reader.text(node, &"the name of this clip", "\"walk\"")?, node.span);
                        let $play = PlayDoc { span: node.span, clip, ..PlayDoc::default() };
                        return Some($make);
                    }
                    let (record, whole) = reader.record(node, Self::default());
                    whole.then_some(record)
                }

                /// A part that is played whole is its name.
                fn write(&self, hand: NumberHand, _: &Type) -> Node {
                    let node = FieldWriter::record(self, hand);
                    let $doc = self;
                    match &node.kind {
                        NodeKind::Struct(None, fields) if fields.len() == 1 => Node::new(NodeKind::Text($own)),
                        _ => node,
                    }
                }
            }
        )*
    };
}

clip_or_record! {
    PlayDoc: |play| play, |doc| doc.clip.value.clone();
    LayerDoc: |play| Self { play, ..Self::default() }, |doc| doc.play.clip.value.clone();
}

/// One name, or a list of names.
impl Value for ArtNames {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let NodeKind::List(items) = &node.kind else {
            return reader
                .text(node, slot.what, ART.example())
                .map(|name| Spanned::new(name, node.span).into());
        };
        let names: Vec<_> = items
            .iter()
            .filter_map(|item| {
                let name = reader.text(item, &format!("a name in {}", slot.what), ART.example())?;
                Some(Spanned::new(name, item.span))
            })
            .collect();
        // A list of which nothing could be read was reported, name by name.
        (names.is_empty() == items.is_empty()).then_some(Self { span: node.span, names })
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        match self.names.as_slice() {
            [one] => one.write(hand, &ART),
            several => Node::list(several.iter().map(|name| name.write(hand, &ART)).collect()),
        }
    }
}

/// `{"hip": 0.6, "chest": 0.4}`.
impl Value for WeightsDoc {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let example = "{\"hip\": 0.6, \"chest\": 0.4}";
        let (list, complete) = reader.items(node, &Slot { what: slot.what, of: &WEIGHTS, example })?;
        Some(Self { span: node.span, list, complete })
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        self.list.write(hand, &WEIGHTS)
    }
}

/// `"mouth_smile"` or `{"mouth_smile": 0.5}`.
impl Value for ShapeDoc {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        if matches!(node.kind, NodeKind::Map(_)) {
            let what = &format!("a weight in {}", slot.what);
            let slot = Slot { what, of: &SHAPE_WEIGHTS, example: "{\"mouth_smile\": 0.5}" };
            return Some(Self::Mix(reader.items(node, &slot)?.0));
        }
        let what = &format!("{}, art or weights of art,", slot.what);
        reader.text(node, what, slot.example).map(Self::Of)
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        match self {
            Self::Of(name) => Value::write(name, hand, &ART),
            Self::Mix(weights) => weights.write(hand, &SHAPE_WEIGHTS),
        }
    }
}

/// `"goal"` or `(120, 80)`.
impl Value for TargetDoc {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        match (&node.kind, slot.of) {
            (NodeKind::Text(_) | NodeKind::Word(_), Type::Either(_)) => {
                Spanned::read(reader, node, &Slot { of: &BONE, example: "\"goal\"", ..*slot }).map(Self::Bone)
            }
            (_, Type::Either(_)) => {
                let what = &format!("{}, a bone or a point of the canvas,", slot.what);
                Spanned::read(reader, node, &Slot { what, of: &XY, example: "(120, 80)" }).map(Self::Place)
            }
            _ => Spanned::read(reader, node, slot).map(Self::Place),
        }
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        match self {
            Self::Bone(bone) => bone.write(hand, &BONE),
            Self::Place(at) => at.write(hand, &XY),
        }
    }
}

/// `Origin`, `Tip` or `(12, 5)`.
impl Value for AttachmentPoint {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        match node.kind {
            NodeKind::Word(_) | NodeKind::Text(_) => {
                reader.word(node, slot.what, &[("Origin", Self::Origin), ("Tip", Self::Tip)])
            }
            _ => Value::read(reader, node, &Slot { of: &XY, example: "(10, 20)", ..*slot }).map(Self::At),
        }
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        match self {
            Self::Origin => Node::word("Origin"),
            Self::Tip => Node::word("Tip"),
            Self::At(at) => at.to_vec2().write(hand, &XY),
        }
    }
}

/// Whether it is meant to be `true` or `false`.
fn is_truth(node: &Node) -> bool {
    let (NodeKind::Word(word) | NodeKind::Text(word)) = &node.kind else { return false };
    ["true", "false", "yes", "no", "on", "off"].contains(&word.to_lowercase().as_str())
}

/// `true`, `false`, `PingPong` or `3`.
impl Value for Repeat {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        match node.kind {
            NodeKind::Number(_) => {
                let count = f64::read(reader, node, &Slot { of: &ROUNDS, example: "3", ..*slot })?;
                // A float to integer conversion saturates.
                Some(Self::Times(count as u32))
            }
            NodeKind::Word(_) | NodeKind::Text(_) if !is_truth(node) => {
                let all = "`true`, `false`, `PingPong` or a number of rounds";
                reader.word_of(node, slot.what, &[("PingPong", Self::PingPong)], all)
            }
            _ => bool::read(reader, node, slot).map(|loops| if loops { Self::Loop } else { Self::Once }),
        }
    }

    fn write(&self, _: NumberHand, _: &Type) -> Node {
        match self {
            Self::Once => Node::new(NodeKind::Bool(false)),
            Self::Loop => Node::new(NodeKind::Bool(true)),
            Self::PingPong => Node::word("PingPong"),
            Self::Times(count) => Node::number(f64::from(*count)),
        }
    }
}

/// `0.5`, `true` or `Trigger`.
impl Value for MachineInputKind {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        match node.kind {
            NodeKind::Number(_) => f64::read(reader, node, &Slot { of: &NUMBER, ..*slot }).map(Self::Number),
            NodeKind::Word(_) | NodeKind::Text(_) if !is_truth(node) => reader.word_of(
                node,
                slot.what,
                &[("Trigger", Self::Trigger)],
                "a number, `true`, `false` or `Trigger`",
            ),
            _ => bool::read(reader, node, slot).map(Self::Flag),
        }
    }

    fn write(&self, _: NumberHand, _: &Type) -> Node {
        match self {
            Self::Number(number) => Node::number(*number),
            Self::Flag(flag) => Node::new(NodeKind::Bool(*flag)),
            Self::Trigger => Node::word("Trigger"),
        }
    }
}

/// `Follow`, `Still` or `Bone("chest")`.
impl Value for PaintDoc {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let (what, example) = (slot.what, "write for example Bone(\"chest\")");
        match &node.kind {
            NodeKind::Tuple(Some(name), items) if name.value == "Bone" => match items.as_slice() {
                [bone] => {
                    let what = &format!("the bone of {what}");
                    return Spanned::read(reader, bone, &Slot { what, of: &BONE, example: "\"chest\"" })
                        .map(Self::Bone);
                }
                _ => reader.report(
                    node.span,
                    Diagnostic::error("wrong-count", format!("`Bone` of {what} needs one bone"))
                        .help(example),
                ),
            },
            NodeKind::Word(word) | NodeKind::Text(word) if word == "Bone" => {
                reader.report(
                    node.span,
                    Diagnostic::error("wrong-count", format!("`Bone` of {what} has no bone")).help(example),
                );
            }
            _ => {
                let all = "`Follow`, `Still`, `Bone(\"chest\")`";
                let still = reader.word_of(node, what, &[("Follow", false), ("Still", true)], all)?;
                return Some(if still { Self::Still } else { Self::Follow });
            }
        }
        None
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        match self {
            Self::Follow => Node::word("Follow"),
            Self::Still => Node::word("Still"),
            Self::Bone(bone) => Node::call("Bone", vec![bone.write(hand, &BONE)]),
        }
    }
}

/// A word, or `InverseDistance(2)`.
impl Value for Method {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let (what, example) = (slot.what, "write for example InverseDistance(2)");
        match &node.kind {
            NodeKind::Tuple(Some(name), items) if name.value == "InverseDistance" => match items.as_slice() {
                [power] => {
                    let what = &format!("the power of {what}");
                    return Spanned::read(reader, power, &Slot { what, of: &POWER, example: "2" })
                        .map(Self::InverseDistance);
                }
                _ => reader.report(
                    node.span,
                    Diagnostic::error("wrong-count", format!("`InverseDistance` of {what} needs one number"))
                        .help(example),
                ),
            },
            NodeKind::Word(word) | NodeKind::Text(word) if word == "InverseDistance" => {
                reader.report(
                    node.span,
                    Diagnostic::error("wrong-count", format!("`InverseDistance` of {what} has no power"))
                        .help(example),
                );
            }
            _ => {
                let words = [Self::Heat, Self::Biharmonic, Self::Envelope, Self::Nearest];
                let words = words.map(|method| (method.word(), method));
                let all = "`Heat`, `Biharmonic`, `Envelope`, `Nearest`, `InverseDistance(2)`";
                return reader.word_of(node, what, &words, all);
            }
        }
        None
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        match self {
            Self::InverseDistance(power) => Node::call(self.word(), vec![power.write(hand, &POWER)]),
            _ => Node::word(self.word()),
        }
    }
}
