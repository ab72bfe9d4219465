//! Events of clips: `(0.5, "step.L")`, and what they carry.

use bone_rig::{EventPayload, EventValue};

use super::values::split_number;
use crate::diagnostic::Diagnostic;
use crate::doc::{EventDoc, EventsDoc};
use crate::schema::Type;
use crate::schema::record::{Key, Reader, Slot, Value};
use crate::schema::types::{NAME, NUMBER, SECONDS};
use crate::span::Spanned;
use crate::text::{Node, NodeKind, shortened};
use crate::write::NumberHand;

const EXAMPLE: &str = "(0.5, \"step.L\")";
const VALUES: &str = "(length: 0.3, text: \"door\")";

impl Value for EventsDoc {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let items = reader.list(node, slot.what, &format!("[{EXAMPLE}]"))?;
        if items.is_empty() {
            let help = format!("write at least one event, [{EXAMPLE}], or remove the field");
            let error = Diagnostic::error("empty", format!("{} has no events", slot.what));
            reader.report(node.span, error.help(help));
        }
        let keys = items.iter().filter_map(|item| event(reader, item)).collect();
        Some(Self { span: node.span, keys })
    }

    fn write(&self, hand: NumberHand, _: &Type) -> Node {
        let text = |text: &str| Node::new(NodeKind::Text(text.to_owned()));
        let event = |event: &EventDoc| {
            let mut parts = vec![Node::number(hand.time(event.time.value)), text(&event.name.value)];
            parts.extend(match &event.payload {
                EventPayload::None | EventPayload::Sound(_) => None,
                EventPayload::Text(value) => Some(text(value)),
                // Numbers of other programs, whose digits are not known here.
                EventPayload::Number(value) => Some(Node::number(*value)),
                EventPayload::Values(values) => {
                    let value = |value: &EventValue| match value {
                        EventValue::Number(value) => Node::number(*value),
                        EventValue::Text(value) => text(value),
                        EventValue::Flag(value) => Node::new(NodeKind::Bool(*value)),
                    };
                    Some(Node::map(values.iter().map(|(name, of)| (text(name), value(of))).collect()))
                }
            });
            Node::tuple(parts)
        };
        Node::list(self.keys.iter().map(event).collect())
    }
}

/// `(time, name)` or `(time, name, payload)`.
fn event(reader: &mut Reader<'_>, node: &Node) -> Option<EventDoc> {
    let items = match &node.kind {
        NodeKind::Tuple(None, items) => items.as_slice(),
        NodeKind::List(items) if items.len() == 2 || items.len() == 3 => {
            let error = Diagnostic::error("wrong-type", "this event is in square brackets");
            reader.report(node.span, error.help(format!("write events in round brackets: {EXAMPLE}")));
            return None;
        }
        _ => {
            reader.wrong(node, &"this event", "a pair of time and name", EXAMPLE);
            return None;
        }
    };
    if items.len() > 2
        && let Some((comma, help)) = split_number(items)
    {
        reader.report(comma, Diagnostic::error("number", "this comma splits a number").help(help));
        return None;
    }
    let (time, name, payload) = match items {
        [time, name] => (time, name, None),
        [time, name, payload] => (time, name, Some(payload.inner())),
        items if items.iter().any(|item| matches!(item.kind, NodeKind::Broken)) => return None,
        items => {
            let count = items.len();
            let here = if count == 1 { "here is one".to_owned() } else { format!("here are {count}") };
            let message = format!("an event has a time, a name and perhaps what it carries, and {here}");
            let help = format!("write for example {EXAMPLE} or (1.2, \"open\", {VALUES})");
            reader.report(node.span, Diagnostic::error("wrong-count", message).help(help));
            return None;
        }
    };
    let what = &"the time of this event";
    let time = Spanned::read(reader, time, &Slot { what, of: &SECONDS, example: "0.5" });
    let what = &"the name of this event";
    let name = reader.text(name, what, "\"step.L\"").map(|text| Spanned::new(text, name.span));
    let payload = match payload {
        Some(node) => carried(reader, node),
        None => Some(EventPayload::None),
    };
    Some(EventDoc { span: node.span, time: time?, name: name?, payload: payload? })
}

/// What an event carries.
fn carried(reader: &mut Reader<'_>, node: &Node) -> Option<EventPayload> {
    let named: Vec<(Option<Spanned<String>>, &Node)> = match &node.kind {
        NodeKind::Text(text) => return Some(EventPayload::Text(text.clone())),
        NodeKind::None => return Some(EventPayload::None),
        NodeKind::Number(_) => {
            let what = &"the number that this event carries";
            let slot = Slot { what, of: &NUMBER, example: "3.5" };
            return f64::read(reader, node, &slot).map(EventPayload::Number);
        }
        NodeKind::Struct(None, fields) => {
            fields.iter().map(|field| (Some(field.name.clone()), &field.value)).collect()
        }
        NodeKind::Map(entries) => entries
            .iter()
            .map(|entry| (<String as Key>::read(reader, &entry.key, "value"), &entry.value))
            .collect(),
        NodeKind::Tuple(None, items) if items.is_empty() => Vec::new(),
        _ => {
            reader.wrong(node, &"what this event carries", "a text, a number or named values", VALUES);
            return None;
        }
    };
    let mut is_whole = true;
    let mut values = Vec::with_capacity(named.len());
    for (name, node) in named {
        let value = name.as_ref().and_then(|name| carried_value(reader, &name.value, node.inner()));
        is_whole &= value.is_some();
        values.extend(name.zip(value));
    }
    let values = reader.once(values, |(name, _)| name, |name| name.show("value"));
    let values = values.into_iter().map(|(name, value)| (name.value, value)).collect();
    is_whole.then_some(EventPayload::Values(values))
}

fn carried_value(reader: &mut Reader<'_>, name: &str, node: &Node) -> Option<EventValue> {
    let what = &format!("the value \"{}\" of this event", shortened(name));
    match &node.kind {
        NodeKind::Text(text) => Some(EventValue::Text(text.clone())),
        NodeKind::Bool(value) => Some(EventValue::Flag(*value)),
        NodeKind::Number(_) => {
            f64::read(reader, node, &Slot { what, of: &NUMBER, example: "3.5" }).map(EventValue::Number)
        }
        NodeKind::Word(_) => reader.text(node, what, NAME.example()).map(EventValue::Text),
        _ => {
            reader.wrong(node, what, "a text, a number, `true` or `false`", "3.5");
            None
        }
    }
}
