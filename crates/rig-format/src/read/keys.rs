//! Channels: lists of keys, eases, and what may stand around a list.

use bone_core::clip::{EaseParameter, EaseRow, EaseShape};
use bone_core::in_few_digits_beside;

use super::values::split_number;
use crate::diagnostic::Diagnostic;
use crate::doc::{
    Bend, BendChannel, Channel, Ease, Extend, KeepTransform, Key, LayerBlend, OffsetDoc, ParentChannel,
    ParentKey, Shift, WeightDoc,
};
use crate::schema::record::{Reader, Slot, Value};
use crate::schema::types::{BONE, NAME, NUMBER, SECONDS};
use crate::schema::{Range, Table, Type, WordType};
use crate::span::Spanned;
use crate::text::{Node, NodeKind, shortened};
use crate::write::{FieldWriter, NumberHand};

/// Eases of CSS and other programs, without capitals and hyphens, and what to write for them.
const FOREIGN_EASES: [(&str, &str); 10] = [
    ("ease", "Bezier(0.25, 0.1, 0.25, 1)"),
    ("easein", "EaseIn"),
    ("easeout", "EaseOut"),
    ("easeinout", "EaseInOut"),
    ("linear", "Linear"),
    ("stepstart", "Steps(1, Start)"),
    ("stepend", "Hold"),
    ("step", "Hold"),
    ("stepped", "Hold"),
    ("constant", "Hold"),
];

/// What to write for an ease of another program.
fn known_ease(word: &str, items: &[Node]) -> Option<String> {
    let plain: String = word.to_lowercase().chars().filter(|c| !matches!(c, '-' | '_' | ' ')).collect();
    // `easeOutBack`, `easeInOutCubic`.
    for side in ["InOut", "In", "Out"] {
        let shape = plain.strip_prefix("ease").and_then(|rest| rest.strip_prefix(&side.to_lowercase()));
        let known = EaseShape::NAMES.iter().find(|known| Some(known.to_lowercase().as_str()) == shape);
        if let Some(shape) = known {
            return Some(format!("{side}({shape})"));
        }
    }
    if plain == "cubicbezier" {
        let number = |item: &Node| {
            if let NodeKind::Number(number) = item.kind { number.to_string() } else { String::new() }
        };
        let numbers: Vec<String> = items.iter().map(number).collect();
        let all = if numbers.len() == 4 { numbers.join(", ") } else { "x1, y1, x2, y2".to_owned() };
        return Some(format!("Bezier({all})"));
    }
    FOREIGN_EASES.iter().find(|(foreign, _)| *foreign == plain).map(|(_, right)| (*right).to_owned())
}

/// All of them, for messages.
fn eases() -> String {
    let shown = |row: &EaseRow| {
        let parameters: Vec<&str> = row.parameters.iter().map(|parameter| parameter.name).collect();
        if parameters.is_empty() {
            format!("`{}`", row.name)
        } else {
            format!("`{}({})`", row.name, parameters.join(", "))
        }
    };
    Ease::TABLE.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// An ease as it could be written.
fn example(row: &EaseRow) -> String {
    let part =
        |(number, of): (&f64, &EaseParameter)| of.word_of(*number).map_or(number.to_string(), str::to_owned);
    let parts: Vec<String> = row.example.iter().zip(row.parameters).map(part).collect();
    format!("{}({})", row.name, parts.join(", "))
}

/// So many parts, in words.
fn count(row: &EaseRow) -> String {
    let word = |count: usize| ["no", "one", "two", "three", "four"].get(count).copied().unwrap_or("several");
    let (least, most) = (row.least(), row.parameters.len());
    let what = match (row.parameters.iter().any(|of| !of.words.is_empty()), most) {
        (true, 1) => "part",
        (true, _) => "parts",
        (false, 1) => "number",
        (false, _) => "numbers",
    };
    if least == most {
        format!("{} {what}", word(most))
    } else {
        format!("{} or {} {what}", word(least), word(most))
    }
}

/// How the keys of a channel are read.
struct KeyType<'a> {
    what: &'a dyn std::fmt::Display,
    of: &'static Type,
    /// A value, and a whole key.
    value: &'static str,
    example: String,
    long: Option<&'static Table>,
}

impl<'a> KeyType<'a> {
    fn of(slot: &Slot<'a>) -> Option<Self> {
        // A plain value may stand in place of the keys.
        let keys = match slot.of {
            Type::Either(types) => types.iter().find(|of| matches!(of, Type::Keys { .. }))?,
            of => of,
        };
        let Type::Keys { of, example: value, long, .. } = keys else { return None };
        Some(Self { what: slot.what, of, value, example: format!("(0, {value})"), long: *long })
    }

    fn slot(&self) -> Slot<'_> {
        Slot { what: self.what, of: self.of, example: self.value }
    }
}

impl<T: Value> Value for Channel<T> {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        if let (Type::Either([of, ..]), NodeKind::Number(_)) = (slot.of, &node.kind) {
            return Spanned::read(reader, node, &Slot { of, ..*slot }).map(Self::constant);
        }
        let Some(of) = KeyType::of(slot) else {
            return Spanned::read(reader, node, slot).map(Self::constant);
        };
        Some(reader.channel(node, &of)?.0)
    }

    fn write(&self, hand: NumberHand, of: &Type) -> Node {
        let is_single = !matches!(of, Type::Keys { .. } | Type::Either([_, Type::Keys { .. }, ..]));
        match self.keys.first().filter(|_| is_single) {
            Some(key) => key.value.write(hand, of),
            None => written(self, None, hand, of),
        }
    }
}

impl Value for OffsetDoc {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let (channel, LongForm { bone, .. }) = reader.channel(node, &KeyType::of(slot)?)?;
        Some(Self { bone, channel })
    }

    fn write(&self, hand: NumberHand, of: &Type) -> Node {
        let bone = self.bone.as_ref().map(|bone| ("bone", bone.write(hand, &BONE)));
        written(&self.channel, bone, hand, of)
    }
}

impl Value for WeightDoc {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let (channel, LongForm { mode, .. }) = reader.channel(node, &KeyType::of(slot)?)?;
        Some(Self { channel, mode })
    }

    fn write(&self, hand: NumberHand, of: &Type) -> Node {
        let mode = self.mode.map(|mode| ("mode", mode.write(hand, &LayerBlend::TYPE)));
        written(&self.channel, mode, hand, of)
    }
}

/// What the long form of a channel has besides what all have.
#[derive(Default)]
struct LongForm {
    /// Of an offset.
    bone: Option<Spanned<String>>,
    /// Of the weight of a pose.
    mode: Option<Spanned<LayerBlend>>,
}

/// `[key, key]`, or with `keys`, `ease` and `extend` if there is more to write.
fn written<T: Value>(channel: &Channel<T>, more: Option<(&str, Node)>, hand: NumberHand, of: &Type) -> Node {
    let of = match of {
        Type::Keys { of, .. } => of,
        Type::Either([of, ..]) => of,
        other => other,
    };
    let key = |key: &Key<T>| {
        let mut parts = vec![Node::number(hand.time(key.time.value)), key.value.write(hand, of)];
        parts.extend(key.ease.map(|ease| ease.write(hand, &Type::Ease)));
        Node::tuple(parts)
    };
    let keys = Node::list(channel.keys.iter().map(key).collect());
    if channel.ease.is_none() && channel.extend.is_none() && more.is_none() && channel.shift.is_none() {
        return keys;
    }
    let mut fields = FieldWriter::new(hand, Default::default());
    let (first, last) = more.into_iter().partition::<Vec<_>, _>(|(name, _)| *name == "bone");
    first.into_iter().for_each(|(name, node)| fields.node(name, Some(node)));
    fields.node("keys", Some(keys).filter(|_| channel.shift.follow.is_none() || !channel.keys.is_empty()));
    fields.node("ease", channel.ease.map(|ease| ease.write(hand, &Type::Ease)));
    fields.node("extend", channel.extend.map(|extend| extend.write(hand, &Extend::TYPE)));
    let Shift { delay, amount, plus, follow, channel: of } = &channel.shift;
    fields.node("follow", follow.as_ref().map(|follow| follow.write(hand, &BONE)));
    fields.node("channel", of.as_ref().map(|of| of.write(hand, &NAME)));
    for (name, number, of) in
        [("delay", delay, &SECONDS), ("amount", amount, &NUMBER), ("plus", plus, &NUMBER)]
    {
        fields.node(name, number.map(|number| number.write(hand, of)));
    }
    last.into_iter().for_each(|(name, node)| fields.node(name, Some(node)));
    fields.finish(None)
}

impl Value for ParentChannel {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let of = KeyType::of(slot)?;
        let mut keys = Vec::new();
        for item in reader.keys(node, &of)? {
            let Some((time, value, third)) = reader.key(item, &of) else { continue };
            let what = &"the new parent";
            let parent = Spanned::read(reader, value, &Slot { what, of: of.of, example: of.value });
            let keep = third.and_then(|node| {
                Spanned::read(
                    reader,
                    node,
                    &Slot { what: &"`keep` of a parent key", of: &KeepTransform::TYPE, example: "Local" },
                )
            });
            let Some((time, parent)) = time.zip(parent) else { continue };
            keys.push(ParentKey { span: item.span, time, parent, keep });
        }
        Some(Self { span: node.span, keys })
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        let key = |key: &ParentKey| {
            let parent = key.parent.write(hand, &BONE);
            let mut parts = vec![Node::number(hand.time(key.time.value)), parent];
            parts.extend(key.keep.map(|keep| keep.write(hand, &KeepTransform::TYPE)));
            Node::tuple(parts)
        };
        Node::list(self.keys.iter().map(key).collect())
    }
}

impl Value for BendChannel {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let of = KeyType::of(slot)?;
        let mut keys = Vec::new();
        for item in reader.keys(node, &of)? {
            let Some((time, value, third)) = reader.key(item, &of) else { continue };
            let what = format!("a key of {}", slot.what);
            let bend = Spanned::read(reader, value, &Slot { what: &what, of: of.of, example: of.value });
            if let Some(third) = third {
                let message = format!("{what} cannot have an ease: it changes at its time");
                reader.report(third.span, Diagnostic::error("not-possible-here", message));
            }
            keys.extend(time.zip(bend));
        }
        Some(Self { span: node.span, keys })
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        let key = |(time, bend): &(Spanned<f64>, Spanned<Bend>)| {
            Node::tuple(vec![Node::number(hand.time(time.value)), bend.write(hand, &Bend::TYPE)])
        };
        Node::list(self.keys.iter().map(key).collect())
    }
}

impl Value for Ease {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let what = slot.what;
        let (word, parts): (&str, &[Node]) = match &node.kind {
            NodeKind::Word(word) | NodeKind::Text(word) => (word, &[]),
            NodeKind::Tuple(Some(name), items) => (&name.value, items),
            _ => ("", &[]),
        };
        if let Some(right) = known_ease(word, parts).filter(|_| Self::row_of(word).is_none()) {
            let error = Diagnostic::error("unknown-word", format!("{what} cannot be `{}`", shortened(word)));
            reader.report(node.span, error.help(format!("write {right}")));
            return None;
        }
        let numbered = |row: &&EaseRow| !row.parameters.is_empty();
        let (name, items) = match &node.kind {
            NodeKind::Tuple(Some(name), items) => (name, items),
            NodeKind::Word(word) if Self::row_of(word).is_some_and(|row| numbered(&row)) => {
                let row = Self::row_of(word)?;
                let message = format!("`{}` needs {}", row.name, count(row));
                let error = Diagnostic::error("wrong-count", message);
                reader.report(node.span, error.help(format!("write for example {}", example(row))));
                return None;
            }
            NodeKind::Number(_) => {
                let help =
                    "write a key as (time, value, ease), and a pair as value in brackets: (0, (10, 20))";
                let diagnostic = Diagnostic::error("wrong-type", format!("{what} is a word, not a number"));
                reader.report(node.span, diagnostic.help(help));
                return None;
            }
            _ => {
                let words = Self::TABLE.iter().filter(|row| !numbered(row));
                let words: Vec<(&str, Self)> =
                    words.filter_map(|row| Some((row.name, row.ease(&[])?))).collect();
                return reader.word_of(node, what, &words, &eases());
            }
        };
        let Some(row) = Self::row_of(&name.value).filter(numbered) else {
            let message = format!("{what} cannot be `{}(…)`", shortened(&name.value));
            let diagnostic = Diagnostic::error("unknown-word", message)
                .suggest_word(&name.value, Self::TABLE.iter().filter(numbered).map(|row| row.name));
            reader.report(name.span, diagnostic.help(format!("write one of {}", eases())));
            return None;
        };
        let mut numbers = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let part = format!("this part of `{}`", row.name);
            numbers.push(match row.parameters.get(at) {
                // The word `None` is a value of its own elsewhere.
                Some(of) if matches!(item.kind, NodeKind::None) && of.words.contains(&"None") => {
                    of.words.iter().position(|word| *word == "None").unwrap_or_default() as f64
                }
                Some(of) if !of.words.is_empty() => {
                    let words: Vec<(&str, f64)> =
                        of.words.iter().copied().zip((0..).map(f64::from)).collect();
                    let names: Vec<String> = of.words.iter().map(|word| format!("`{word}`")).collect();
                    reader.word_of(item, &part, &words, &names.join(", "))?
                }
                _ => reader.number(item, &part, "0.4")?,
            });
        }
        let wrong = row.out_of_range(&numbers);
        if let Some((of, wrong)) = wrong {
            let range = Range::Between(of.low, of.high);
            let wrong = in_few_digits_beside(wrong, &range.ends());
            let whole = if of.whole { "be a whole number and " } else { "" };
            let message =
                format!("`{}` of `{}` must {whole}{}, and it is {wrong}", of.name, row.name, range.rule(""));
            reader.report(node.span, Diagnostic::error("out-of-range", message).help(row.help));
        }
        let ease = row.ease(&numbers);
        if ease.is_none() {
            let message = format!("`{}` needs {}, and here are {}", row.name, count(row), numbers.len());
            let help = format!("write for example {}", example(row));
            reader.report(node.span, Diagnostic::error("wrong-count", message).help(help));
        } else if wrong.is_none() && ease.is_some_and(|ease| !ease.is_sound()) {
            let message = "one step without a jump at either end holds both values";
            reader.report(node.span, Diagnostic::error("out-of-range", message).help("write Steps(2, None)"));
        }
        ease
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        let part =
            |part: Result<f64, &str>| part.map_or_else(Node::word, |value| Node::number(hand.share(value)));
        let parts: Vec<Node> = self.written().map(part).collect();
        if parts.is_empty() { Node::word(self.named().0) } else { Node::call(self.named().0, parts) }
    }
}

/// The time of a key, its value and its third part, the last two unread.
type KeyParts<'t> = (Option<Spanned<f64>>, &'t Node, Option<&'t Node>);

impl Reader<'_> {
    /// `[key, key]` or `(keys: [key, key], ease: Linear, extend: Loop)`, and the bone of an offset.
    fn channel<T: Value>(&mut self, node: &Node, of: &KeyType<'_>) -> Option<(Channel<T>, LongForm)> {
        let (mut ease, mut extend, mut more, mut shift) = (None, None, LongForm::default(), Shift::default());
        let mut list = Some(node);
        if let (NodeKind::Struct(..), Some(table)) = (&node.kind, of.long) {
            let whole = format!("(keys: [{}], extend: Loop)", of.example);
            let mut given = self.given(node, of.what.to_string(), &whole, table.fields())?;
            more = LongForm { bone: given.value(self, "bone"), mode: given.value(self, "mode") };
            list = given.take("keys");
            shift = Shift {
                follow: given.value(self, "follow"),
                channel: given.value(self, "channel"),
                delay: given.value(self, "delay"),
                amount: given.value(self, "amount"),
                plus: given.value(self, "plus"),
            };
            if list.is_none() && shift.follow.is_none() {
                given.missing(self, "keys", &format!("[{}]", of.example));
            }
            ease = given.value(self, "ease");
            extend = given.value(self, "extend");
        }
        let items = match list {
            None if shift.follow.is_some() => &[],
            list => self.keys(list?, of)?,
        };
        let mut keys = Vec::with_capacity(items.len());
        for item in items {
            let Some((time, value, third)) = self.key(item, of) else { continue };
            let value = Spanned::read(self, value, &of.slot());
            let what = &"the ease of a key";
            let ease = third.and_then(|node| {
                Spanned::read(self, node, &Slot { what, of: &Type::Ease, example: "Linear" })
            });
            let Some((time, value)) = time.zip(value) else { continue };
            keys.push(Key { span: item.span, time, value, ease });
        }
        Some((Channel { span: node.span, keys, ease, extend, shift }, more))
    }

    fn keys<'t>(&mut self, node: &'t Node, of: &KeyType<'_>) -> Option<&'t [Node]> {
        let (what, example) = (of.what, &of.example);
        let value = match &node.kind {
            NodeKind::Number(number) if matches!(of.of, Type::Number(_)) => Some(number.to_string()),
            NodeKind::Bool(value) if matches!(of.of, Type::Bool) => Some(value.to_string()),
            _ => None,
        };
        let is_plain = matches!(node.kind, NodeKind::Number(_) | NodeKind::Tuple(None, _));
        if value.is_some() || is_plain {
            let message = format!("{what} must be a list of keys, and it is {}", node.describe());
            let key = value.map_or_else(|| example.clone(), |value| format!("(0, {value})"));
            let help = format!("write keys in square brackets: [{key}]");
            self.report(node.span, Diagnostic::error("wrong-type", message).help(help));
            return None;
        }
        let items = self.list(node, what, &format!("[{example}]"))?;
        if items.is_empty() {
            let help = format!("write at least one key, [{example}], or remove the channel");
            self.report(node.span, Diagnostic::error("empty", format!("{what} has no keys")).help(help));
        } else if items.iter().all(|item| matches!(item.kind, NodeKind::Number(_))) {
            let message = format!("{what} must be a list of keys, and it is a list of numbers");
            let help = format!("write keys as pairs of time and value: [{example}]");
            self.report(node.span, Diagnostic::error("wrong-type", message).help(help));
            return None;
        }
        Some(items)
    }

    /// `(time, value)` or `(time, value, third)`: the time, the rest unread.
    fn key<'t>(&mut self, node: &'t Node, of: &KeyType<'_>) -> Option<KeyParts<'t>> {
        let (what, example) = (of.what, &of.example);
        let items = match &node.kind {
            NodeKind::Tuple(None, items) => items.as_slice(),
            NodeKind::List(items) if items.len() == 2 || items.len() == 3 => {
                let diagnostic =
                    Diagnostic::error("wrong-type", format!("this key of {what} is in square brackets"));
                self.report(node.span, diagnostic.help(format!("write keys in round brackets: {example}")));
                return None;
            }
            _ => {
                self.wrong(node, &format!("this key of {what}"), "a pair of time and value", example);
                return None;
            }
        };
        if items.len() > 2
            && let Some((comma, help)) = split_number(items)
        {
            self.report(comma, Diagnostic::error("number", "this comma splits a number").help(help));
            return None;
        }
        let (time, value, third) = match items {
            [time, value] => (time, value, None),
            [time, value, third] => (time, value, Some(third)),
            items if items.iter().any(|item| matches!(item.kind, NodeKind::Broken)) => return None,
            items => {
                let count = items.len();
                let message =
                    format!("a key is a time, a value and an optional ease, and here are {count} parts");
                self.report(
                    node.span,
                    Diagnostic::error("wrong-count", message).help(format!("write for example {example}")),
                );
                return None;
            }
        };
        let seconds = self.number(time, &"the time of this key", "0.5");
        Some((seconds.map(|seconds| Spanned::new(seconds, time.span)), value, third))
    }
}
