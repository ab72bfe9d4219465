//! What editors show beside the values of a text: frames of times, lengths of bones, colours. The values are found by
//! the tables of the format; what is unreadable has none.

use crate::diagnostic::Diagnostics;
use crate::doc::Rgb;
use crate::expected::{RIG, Spot};
use crate::read::root;
use crate::schema::Type;
use crate::schema::types::COLOR;
use crate::span::{SourceId, Span};
use crate::text::{Node, NodeKind, TextStep, parse};

/// A value of a text of which an editor shows more than its letters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ValueMark {
    /// What it is.
    pub kind: MarkKind,
    /// Where it is written, quotes and brackets included.
    pub span: Span,
}

/// What a marked value is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MarkKind {
    /// A time in a clip or a shot, in seconds.
    Time(f64),
    /// A key of a clip: the name of the clip and the time in seconds.
    Key(String, f64),
    /// The end of a bone with this name.
    Tip(String),
    /// A colour.
    Color(Rgb),
}

/// The marked values of a text in the order in which they begin; of keys the whole before their times.
///
/// ```
/// use bone_format::{MarkKind, marks_in};
///
/// let text = r##"Rig(clips: {"on": (length: 2, art: {"lamp": (fill: [(0.5, "#ff0")])})})"##;
/// let marks: Vec<_> = marks_in(text).into_iter().map(|mark| (&text[mark.span.range()], mark.kind)).collect();
/// let (key, yellow) = (MarkKind::Key("on".into(), 0.5), MarkKind::Color("#ff0".parse()?));
/// assert_eq!(marks[..2], [("2", MarkKind::Time(2.0)), (r##"(0.5, "#ff0")"##, key)]);
/// assert_eq!(marks[2..], [("0.5", MarkKind::Time(0.5)), (r##""#ff0""##, yellow)]);
/// # Ok::<(), ()>(())
/// ```
pub fn marks_in(text: &str) -> Vec<ValueMark> {
    let parsed = parse(SourceId::default(), text, &mut Diagnostics::new());
    let Some(root) = parsed.root.map(|node| root(node, parsed.syntax)) else { return Vec::new() };
    let mut marks = Vec::new();
    let mut waiting = vec![(&root, vec![Spot::Of(&RIG)], Vec::<TextStep>::new())];
    while let Some((node, spots, way)) = waiting.pop() {
        let spots: Vec<Spot> = spots.into_iter().flat_map(Spot::each).collect();
        mark(node, &spots, &way, &mut marks);
        for (step, value) in steps(node) {
            let next: Vec<Spot> = spots.iter().filter_map(|spot| spot.clone().inner(&step)).collect();
            // What the format does not have is not looked into.
            if !next.is_empty() || way.is_empty() {
                // Of the way only the section and what is in it matter.
                let way = if way.len() < 3 { [&way[..], &[step]].concat() } else { way.clone() };
                waiting.push((value, next, way));
            }
        }
        if let (NodeKind::Tuple(_, items) | NodeKind::List(items), [TextStep::Field(_, section), ..]) =
            (&node.kind, &way[..])
            && spots.iter().any(|spot| matches!(spot, Spot::Key(..)))
            && let Some(Node { kind: NodeKind::Number(time), span }) = items.first()
            && let (true, Some(TextStep::Entry(clip))) = (section == "clips", way.get(1))
        {
            marks.push(ValueMark { kind: MarkKind::Key(clip.clone(), *time), span: node.span });
            marks.push(ValueMark { kind: MarkKind::Time(*time), span: *span });
        }
    }
    marks.sort_by_key(|mark| (mark.span.start, std::cmp::Reverse(mark.span.end)));
    marks
}

/// What a value has in it, each with the step to it.
fn steps(node: &Node) -> Vec<(TextStep, &Node)> {
    match &node.inner().kind {
        NodeKind::Struct(head, fields) => {
            let head = head.as_ref().map(|head| head.value.clone());
            let field = |name: &String| TextStep::Field(head.clone(), name.clone());
            fields.iter().map(|inner| (field(&inner.name.value), &inner.value)).collect()
        }
        NodeKind::Map(entries) => {
            let name = |key: &Node| match &key.kind {
                NodeKind::Text(name) | NodeKind::Word(name) => name.clone(),
                _ => String::new(),
            };
            entries.iter().map(|entry| (TextStep::Entry(name(&entry.key)), &entry.value)).collect()
        }
        NodeKind::List(items) => {
            items.iter().enumerate().map(|(at, item)| (TextStep::Item(at), item)).collect()
        }
        NodeKind::Tuple(head, items) => {
            let head = head.as_ref().map(|head| head.value.clone());
            let part = |at| TextStep::Part(head.clone(), at);
            items.iter().enumerate().map(|(at, item)| (part(at), item)).collect()
        }
        _ => Vec::new(),
    }
}

fn mark(node: &Node, spots: &[Spot], way: &[TextStep], marks: &mut Vec<ValueMark>) {
    let section = |name: &str| matches!(way.first(), Some(TextStep::Field(_, section)) if section == name);
    let of = |fits: &dyn Fn(&Type) -> bool| spots.iter().any(|spot| matches!(spot, Spot::Of(of) if fits(of)));
    let kind = match &node.inner().kind {
        NodeKind::Number(time) if section("clips") || section("shots") => {
            let seconds = of(&|of| matches!(of, Type::Number(number) if number.shown.starts_with("seconds")));
            seconds.then_some(MarkKind::Time(*time))
        }
        NodeKind::Text(text) => {
            let Type::Text(color) = COLOR else { return };
            let is_color = of(&|of| matches!(of, Type::Text(text) if text.shown == color.shown));
            text.parse().ok().filter(|_| is_color).map(MarkKind::Color)
        }
        NodeKind::Tuple(..) | NodeKind::List(_) if section("bones") => match way {
            [_, TextStep::Entry(bone), TextStep::Field(_, end)] if end == "to" => {
                Some(MarkKind::Tip(bone.clone()))
            }
            _ => None,
        },
        _ => None,
    };
    marks.extend(kind.map(|kind| ValueMark { kind, span: node.span }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let shown = |mark: ValueMark| format!("{:?} {}", mark.kind, &text[mark.span.range()]);
        marks_in(text).into_iter().map(shown).collect()
    }

    #[test]
    fn values_are_found_by_the_tables_of_the_format() {
        let ron = r#"Rig(fps: 12, bones: {"hip": (from: (0, 0), to: (3, 4)), "eye": (length: 3)},
            drivers: [(bone: "hip", rotate: true, bones: {"eye": (rotate: [(-60, 1), (0, 2)])})],
            clips: {"nod": (length: 2, paints: {"sky": (colors: {0: [(0, "navy"), (1, "blew")]})}, bones: {"hip": (rotate: (keys: [(0.5, 3, Smooth)], extend: Loop))}, to: (1, 2))}, "#;
        let found = shown(ron);
        assert_eq!(
            found,
            [
                "Tip(\"hip\") (3, 4)",
                "Time(2.0) 2",
                "Key(\"nod\", 0.0) (0, \"navy\")",
                "Time(0.0) 0",
                "Color(Rgb([0, 0, 128])) \"navy\"",
                "Key(\"nod\", 1.0) (1, \"blew\")",
                "Time(1.0) 1",
                "Key(\"nod\", 0.5) (0.5, 3, Smooth)",
                "Time(0.5) 0.5",
            ]
        );
        let json = r##"{"Rig": {"clips": {"on": {"art": {"lamp": {"fill": [[0.5, "#ff0"]]}}}}}}"##;
        assert_eq!(
            shown(json),
            ["Key(\"on\", 0.5) [0.5, \"#ff0\"]", "Time(0.5) 0.5", "Color(Rgb([255, 255, 0])) \"#ff0\""]
        );
        assert_eq!(shown("Rig(clips: {\"a\": 3, [(0, 1"), Vec::<String>::new());
    }
}
