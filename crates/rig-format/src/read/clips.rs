//! Clips and drivers: channels and keys.
//! Whether keys are in order and bones exist is for `check`.

use kurbo::{Point, Vec2};

use crate::diagnostic::{Diagnostic, nearest};
use crate::doc::{
    ArtOffsetsDoc, BoneChannelsDoc, Channel, ClipDoc, Drive, DriverDoc, Ease, Extend, Keep, Key, OffsetDoc,
    ParentChannel, ParentKey,
};
use crate::read::Reader;
use crate::read::fields::Fields;
use crate::span::Spanned;
use crate::text::{EntryNode, Node, NodeKind, shortened};

const CHANNELS: [&str; 9] =
    ["rotate", "angle", "move", "origin", "scale", "stretch", "parent", "setup_origin", "setup_angle"];

/// Drivers as they are written.
pub(super) const DRIVER_LIST: &str =
    "[(bone: \"fore.L\", offsets: {\"arm\": {1: [(0, (0, 0)), (90, (4, 9))]}})]";

const DRIVE: [(&str, Drive); 6] = [
    ("Rotate", Drive::Rotate),
    ("MoveX", Drive::MoveX),
    ("MoveY", Drive::MoveY),
    ("ScaleX", Drive::ScaleX),
    ("ScaleY", Drive::ScaleY),
    ("Stretch", Drive::Stretch),
];

const EXTEND: [(&str, Extend); 5] = [
    ("Hold", Extend::Hold),
    ("Linear", Extend::Linear),
    ("Loop", Extend::Loop),
    ("LoopOffset", Extend::LoopOffset),
    ("PingPong", Extend::PingPong),
];

/// Those with numbers are only for the list in messages: no word equals them.
const EASE: [(&str, Ease); 6] = [
    ("Hold", Ease::Hold),
    ("Linear", Ease::Linear),
    ("Smooth", Ease::Smooth),
    ("Ease(in, out)", Ease::Smooth),
    ("Bezier(x1, y1, x2, y2)", Ease::Smooth),
    ("Tcb(tension, continuity, bias)", Ease::Smooth),
];

/// Eases with numbers: their count, the count as text, and an example.
const EASE_OF_NUMBERS: [(&str, usize, &str, &str); 3] = [
    ("Ease", 2, "two", "Ease(0.4, 0.4)"),
    ("Bezier", 4, "four", "Bezier(0.4, 0, 0.6, 1)"),
    ("Tcb", 3, "three", "Tcb(0, 0, 0)"),
];

const KEEP: [(&str, Keep); 2] = [("World", Keep::World), ("Local", Keep::Local)];

/// The time of a key, its value and its third part, the last two unread.
pub(super) type KeyParts<'t> = (Option<Spanned<f64>>, &'t Node, Option<&'t Node>);

/// Reads the value of a key.
pub(super) type ReadValue<'d, T> = fn(&mut Reader<'d>, &Node, &str) -> Option<Spanned<T>>;

/// Takes fields that only some channels have.
type TakeRest<'r, 'd> = &'r mut dyn FnMut(&mut Reader<'d>, &mut Fields<'_>);

impl<'d> Reader<'d> {
    /// A clip; an unreadable one keeps its name.
    pub(super) fn clip(&mut self, name: Spanned<String>, node: &Node) -> ClipDoc {
        let owner = format!("clip \"{}\"", shortened(&name.value));
        let mut clip = ClipDoc { name, span: node.span, ..ClipDoc::default() };
        let known = &["length", "loop", "step", "bones", "offsets", "art", "setup", "weights", "constraints"];
        let example = "(length: 2, bones: {\"hip\": (rotate: [(0, 0), (1, 30)])})";
        let Some(mut fields) = self.fields(node, &owner, example, known) else { return clip };
        let errors = self.diagnostics.error_count();
        let length = fields.take("length");
        clip.length = length.and_then(|node| self.number(node, &format!("`length` of {owner}"), "2"));
        clip.looped = fields.take("loop").and_then(|node| self.boolean(node, &format!("`loop` of {owner}")));
        clip.step =
            fields.take("step").and_then(|node| self.number(node, &format!("`step` of {owner}"), "2"));
        (clip.bones, clip.offsets) = self.moved(&mut fields);
        clip.art = self.art(&mut fields);
        clip.setup = self.setup(&mut fields);
        clip.weights = self.keyed_weights(&mut fields);
        clip.constraints = self.constraint_channels(&mut fields);
        clip.complete = fields.complete && errors == self.diagnostics.error_count();
        clip
    }

    /// A driver; none without `bone`.
    pub(super) fn driver(&mut self, node: &Node) -> Option<DriverDoc> {
        let known = &["bone", "value", "bones", "offsets", "art"];
        let example = DRIVER_LIST.trim_matches(['[', ']']);
        let mut fields = self.fields(node, "this driver", example, known)?;
        let errors = self.diagnostics.error_count();
        let bone = self.required(&mut fields, "bone", "bone: \"fore.L\"");
        let bone = bone.and_then(|node| self.text(node, "`bone`", "\"fore.L\""));
        let value = fields.take("value").and_then(|node| self.word(node, "`value`", &DRIVE));
        let (bones, offsets) = self.moved(&mut fields);
        let art = self.art(&mut fields);
        let complete = fields.complete && errors == self.diagnostics.error_count();
        Some(DriverDoc { span: node.span, bone: bone?, value, bones, offsets, art, complete })
    }

    /// What a clip or a driver moves: `bones` and `offsets`.
    fn moved(&mut self, fields: &mut Fields<'_>) -> (Vec<BoneChannelsDoc>, Vec<ArtOffsetsDoc>) {
        let (mut bones, mut offsets) = (Vec::new(), Vec::new());
        if let Some(node) = fields.take("bones") {
            let (entries, _) =
                self.named_entries(node, "`bones`", "bone", "{\"hip\": (rotate: [(0, 0), (1, 30)])}");
            bones = entries.into_iter().map(|(bone, value)| self.channels(bone, value)).collect();
        }
        if let Some(node) = fields.take("offsets") {
            let (entries, _) =
                self.named_entries(node, "`offsets`", "art", "{\"cape\": {3: [(0, (0, 0)), (1, (4, 9))]}}");
            offsets = entries.into_iter().filter_map(|(art, value)| self.offsets(art, value)).collect();
        }
        (bones, offsets)
    }

    fn channels(&mut self, bone: Spanned<String>, node: &Node) -> BoneChannelsDoc {
        let owner = format!("the entry for bone \"{}\"", shortened(&bone.value));
        let mut channels = BoneChannelsDoc { bone, ..BoneChannelsDoc::default() };
        let Some(mut fields) = self.fields(node, &owner, "(rotate: [(0, 0), (1, 30)])", &CHANNELS) else {
            return channels;
        };
        let number: ReadValue<'d, f64> = |reader, node, what| reader.number(node, what, "30");
        let vector: ReadValue<'d, Vec2> = |reader, node, what| reader.vector(node, what);
        let point: ReadValue<'d, Point> =
            |reader, node, what| Some(reader.vector(node, what)?.map(Vec2::to_point));
        let scale: ReadValue<'d, Vec2> = |reader, node, what| match node.kind {
            NodeKind::Number(both) => Some(Spanned::new(Vec2::new(both, both), node.span)),
            _ => reader.vector(node, what),
        };
        channels.rotate = self.channel(fields.take("rotate"), "`rotate`", "(0, 30)", number);
        channels.angle = self.channel(fields.take("angle"), "`angle`", "(0, 30)", number);
        channels.shift = self.channel(fields.take("move"), "`move`", "(0, (10, 20))", vector);
        channels.origin = self.channel(fields.take("origin"), "`origin`", "(0, (10, 20))", point);
        channels.scale = self.channel(fields.take("scale"), "`scale`", "(0, 1.5)", scale);
        channels.stretch = self.channel(fields.take("stretch"), "`stretch`", "(0, 1.5)", number);
        channels.parent = fields.take("parent").and_then(|node| self.parents(node));
        channels.setup_origin =
            self.channel(fields.take("setup_origin"), "`setup_origin`", "(0, (10, 20))", point);
        channels.setup_angle = self.channel(fields.take("setup_angle"), "`setup_angle`", "(0, 30)", number);
        channels
    }

    fn offsets(&mut self, art: Spanned<String>, node: &Node) -> Option<ArtOffsetsDoc> {
        let entries = self.map(node, "the offset of this art", "{3: [(0, (0, 0)), (1, (4, 9))]}")?;
        let mut vertices = Vec::with_capacity(entries.len());
        for EntryNode { key, value } in entries {
            let vertex = self.address(key);
            let read: ReadValue<'d, Vec2> = |reader, node, what| reader.vector(node, what);
            let mut bone = None;
            let take_bone: TakeRest<'_, 'd> = &mut |reader, fields| {
                bone = fields.take("bone").and_then(|node| reader.text(node, "`bone`", "\"fore.L\""));
            };
            let channel =
                self.channel_with(Some(value), "this offset", "(0, (4, 9))", read, &["bone"], take_bone);
            let offset = channel.map(|channel| OffsetDoc { bone, channel });
            vertices.extend(vertex.zip(offset));
        }
        let vertices = self.once(vertices, |address| format!("vertex {}", address.show()));
        Some(ArtOffsetsDoc { art, vertices })
    }

    /// `[key, key]` or `(keys: [key, key], ease: Linear, extend: Loop)`.
    pub(super) fn channel<T>(
        &mut self,
        node: Option<&Node>,
        what: &str,
        example: &str,
        read: ReadValue<'d, T>,
    ) -> Option<Channel<T>> {
        self.channel_with(node, what, example, read, &[], &mut |_, _| ())
    }

    /// The same with fields of its own beside `keys`, `ease` and `extend`, which `rest` takes.
    fn channel_with<T>(
        &mut self,
        node: Option<&Node>,
        what: &str,
        example: &str,
        read: ReadValue<'d, T>,
        own: &[&str],
        rest: TakeRest<'_, 'd>,
    ) -> Option<Channel<T>> {
        let node = node?;
        let (mut extend, mut default) = (None, None);
        let mut keys = Some(node);
        if let NodeKind::Struct(..) = node.kind {
            let whole = format!("(keys: [{example}], extend: Loop)");
            let known = [&["keys", "ease", "extend"], own].concat();
            let mut fields = self.fields(node, what, &whole, &known)?;
            rest(self, &mut fields);
            keys = self.required(&mut fields, "keys", &format!("keys: [{example}]"));
            default = fields.take("ease").and_then(|node| self.ease(node, "`ease`"));
            extend = fields.take("extend").and_then(|node| self.word(node, "`extend`", &EXTEND));
        }
        let items = self.keys(keys?, what, example)?;
        let mut keys = Vec::with_capacity(items.len());
        for item in items {
            let Some((time, value, third)) = self.key(item, what, example) else { continue };
            let value = read(self, value, what);
            let ease = third.and_then(|node| self.ease(node, "the ease of a key"));
            let Some((time, value)) = time.zip(value) else { continue };
            keys.push(Key { span: item.span, time, value, ease });
        }
        Some(Channel { span: node.span, keys, ease: default, extend })
    }

    pub(super) fn keys<'t>(&mut self, node: &'t Node, what: &str, example: &str) -> Option<&'t [Node]> {
        if let NodeKind::Number(_) | NodeKind::Tuple(None, _) = node.kind {
            let diagnostic =
                Diagnostic::error(format!("{what} must be a list of keys, and it is {}", node.describe()));
            self.report(node.span, diagnostic.help(format!("write keys in square brackets: [{example}]")));
            return None;
        }
        let items = self.list(node, what, &format!("[{example}]"))?;
        if items.is_empty() {
            let diagnostic = Diagnostic::error(format!("{what} has no keys"));
            self.report(
                node.span,
                diagnostic.help(format!("write at least one key, [{example}], or remove the channel")),
            );
        }
        if !items.is_empty() && items.iter().all(|item| matches!(item.kind, NodeKind::Number(_))) {
            let diagnostic =
                Diagnostic::error(format!("{what} must be a list of keys, and it is a list of numbers"));
            self.report(
                node.span,
                diagnostic.help(format!("write keys as pairs of time and value: [{example}]")),
            );
            return None;
        }
        Some(items)
    }

    /// `(time, value)` or `(time, value, third)`: the time, the rest unread.
    pub(super) fn key<'t>(&mut self, node: &'t Node, what: &str, example: &str) -> Option<KeyParts<'t>> {
        let items = match &node.kind {
            NodeKind::Tuple(None, items) => items.as_slice(),
            NodeKind::List(items) if items.len() == 2 || items.len() == 3 => {
                let diagnostic = Diagnostic::error(format!("this key of {what} is in square brackets"));
                self.report(node.span, diagnostic.help(format!("write keys in round brackets: {example}")));
                return None;
            }
            _ => {
                self.wrong(node, &format!("this key of {what}"), "a pair of time and value", example);
                return None;
            }
        };
        let (time, value, third) = match items {
            [time, value] => (time, value, None),
            [time, value, third] => (time, value, Some(third)),
            items if items.iter().any(|item| matches!(item.kind, NodeKind::Broken)) => return None,
            items => {
                let message = format!(
                    "a key is a time, a value and an optional ease, and here are {} parts",
                    items.len()
                );
                let pairs =
                    items.len() == 4 && items.iter().all(|item| matches!(item.kind, NodeKind::Number(_)));
                let help = match pairs {
                    true => "if these are decimal commas, write decimal numbers with a point: 0.5".to_owned(),
                    false => format!("write for example {example}"),
                };
                self.report(node.span, Diagnostic::error(message).help(help));
                return None;
            }
        };
        Some((self.number(time, "the time of this key", "0.5"), value, third))
    }

    fn ease(&mut self, node: &Node, what: &str) -> Option<Spanned<Ease>> {
        let NodeKind::Tuple(Some(name), items) = &node.kind else {
            if let NodeKind::Word(word) = &node.kind
                && let Some((name, _, count, example)) = EASE_OF_NUMBERS.iter().find(|ease| ease.0 == word)
            {
                let diagnostic = Diagnostic::error(format!("`{name}` needs {count} numbers"));
                self.report(node.span, diagnostic.help(format!("write for example {example}")));
                return None;
            }
            if matches!(node.kind, NodeKind::Number(_)) {
                let diagnostic = Diagnostic::error(format!("{what} is a word, not a number"));
                let help =
                    "write a key as (time, value, ease), and a pair as value in brackets: (0, (10, 20))";
                self.report(node.span, diagnostic.help(help));
                return None;
            }
            return self.word(node, what, &EASE);
        };
        let Some((known, needed, count, example)) = EASE_OF_NUMBERS.iter().find(|ease| ease.0 == name.value)
        else {
            let message = format!("{what} cannot be `{}(…)`", shortened(&name.value));
            let mut diagnostic = Diagnostic::error(message);
            if let Some(near) = nearest(&name.value, EASE_OF_NUMBERS.iter().map(|ease| ease.0)) {
                diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            }
            let all: Vec<String> = EASE.iter().map(|(name, _)| format!("`{name}`")).collect();
            self.report(name.span, diagnostic.help(format!("write one of {}", all.join(", "))));
            return None;
        };
        let mut numbers = Vec::with_capacity(4);
        for item in items {
            numbers.push(self.number(item, &format!("this part of `{known}`"), "0.4")?.value);
        }
        let ease = match *numbers.as_slice() {
            [start, end] if *needed == 2 => Ease::InOut { start, end },
            [tension, continuity, bias] if *needed == 3 => Ease::Tcb { tension, continuity, bias },
            [x1, y1, x2, y2] if *needed == 4 => {
                Ease::Bezier { first: Point::new(x1, y1), second: Point::new(x2, y2) }
            }
            _ => {
                let message = format!("`{known}` needs {count} numbers, and here are {}", numbers.len());
                self.report(
                    node.span,
                    Diagnostic::error(message).help(format!("write for example {example}")),
                );
                return None;
            }
        };
        Some(Spanned::new(ease, node.span))
    }

    /// `[(0, "hand"), (1.5, None, Local)]`.
    fn parents(&mut self, node: &Node) -> Option<ParentChannel> {
        let example = "(0, \"hand\")";
        let items = self.keys(node, "`parent`", example)?;
        let mut keys = Vec::with_capacity(items.len());
        for item in items {
            let Some((time, mut value, third)) = self.key(item, "`parent`", example) else { continue };
            if let NodeKind::Some(inner) = &value.kind {
                value = inner;
            }
            let parent = match value.kind {
                NodeKind::None => Some(Spanned::new(None, value.span)),
                _ => self
                    .text(value, "the new parent", "\"hand\", or None for a root")
                    .map(|name| name.map(Some)),
            };
            let keep = third.and_then(|node| self.word(node, "`keep` of a parent key", &KEEP));
            let Some((time, parent)) = time.zip(parent) else { continue };
            keys.push(ParentKey { span: item.span, time, parent, keep });
        }
        Some(ParentChannel { span: node.span, keys })
    }
}
