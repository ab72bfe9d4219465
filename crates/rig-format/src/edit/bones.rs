//! Places and parents of bones in the text of a rig: byte ranges that change, and lines for new bones.
//! Comments and all fields that are not about places stay as they are.

use kurbo::Point;

use super::text::{Style, TextEdit, begins_line, comments};
use crate::span::Span;
use crate::text::{EntryNode, FieldNode, Node, NodeKind};
use crate::write::{number, quoted};

/// What changes about a bone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoneChange {
    /// Its new parent.
    pub parent: Option<String>,
    /// Its new start in canvas units.
    pub from: Option<Point>,
    /// Its new tip in canvas units.
    pub to: Option<Point>,
}

impl BoneChange {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// `(230, 210.5)`.
pub fn point(at: Point, places: usize) -> String {
    format!("({}, {})", number(at.x, places), number(at.y, places))
}

/// The map of bones of a file, if it has one.
pub fn map_of(root: &Node) -> Option<&Node> {
    let NodeKind::Struct(_, fields) = &root.kind else { return None };
    let field = fields.iter().find(|field| field.name.value == "bones")?;
    matches!(field.value.kind, NodeKind::Map(_)).then_some(&field.value)
}

/// The entry of the bone whose name is at a place.
pub fn entry_at(root: &Node, name: Span) -> Option<&EntryNode> {
    let NodeKind::Map(entries) = &map_of(root)?.kind else { return None };
    entries.iter().find(|entry| entry.key.span == name)
}

/// Changes the fields of a bone.
pub fn changed(text: &str, bone: &Node, change: &BoneChange, places: usize) -> Vec<TextEdit> {
    let NodeKind::Struct(_, fields) = &bone.kind else { return Vec::new() };
    let find = |name: &str| fields.iter().find(|field| field.name.value == name);
    let start = fields.first().map_or(bone.span.end as usize - 1, |field| field.name.span.range().start);
    let mut edits = Vec::new();
    let mut inserted = String::new();
    if let Some(parent) = &change.parent {
        match find("parent") {
            Some(field) => edits.push(TextEdit { range: field.value.span.range(), text: quoted(parent) }),
            None => inserted += &format!("parent: {}, ", quoted(parent)),
        }
    }
    if let Some(from) = change.from {
        match (find("from"), find("origin"), find("parent")) {
            (Some(field), _, _) => edits.extend(moved(&field.value, from, places)),
            (None, Some(field), _) => edits.push(instead(field, "from", from, places)),
            (None, None, Some(parent)) => {
                let at = parent.value.span.range().end;
                edits.push(TextEdit { range: at..at, text: format!(", from: {}", point(from, places)) });
            }
            (None, None, None) => inserted += &format!("from: {}, ", point(from, places)),
        }
    }
    if let Some(to) = change.to {
        match (find("to"), find("length")) {
            (Some(field), _) => edits.extend(moved(&field.value, to, places)),
            (None, Some(field)) => {
                edits.push(instead(field, "to", to, places));
                edits.extend(find("angle").map(|angle| without(text, angle)));
            }
            (None, None) => inserted += &format!("to: {}, ", point(to, places)),
        }
    }
    if !inserted.is_empty() {
        // Before a field that is replaced at the same place.
        edits.insert(0, TextEdit { range: start..start, text: inserted });
    }
    edits
}

/// The numbers of a pair that differ.
fn moved(pair: &Node, to: Point, places: usize) -> Vec<TextEdit> {
    let whole = || vec![TextEdit { range: pair.span.range(), text: point(to, places) }];
    let NodeKind::Tuple(_, items) = &pair.kind else { return whole() };
    let [x, y] = items.as_slice() else { return whole() };
    let edit = |(node, value): (&Node, f64)| {
        let text = number(value, places);
        let same = matches!(node.kind, NodeKind::Number(old) if number(old, places) == text);
        (!same).then(|| TextEdit { range: node.span.range(), text })
    };
    [(x, to.x), (y, to.y)].into_iter().filter_map(edit).collect()
}

/// Another field in place of one.
fn instead(field: &FieldNode, name: &str, at: Point, places: usize) -> TextEdit {
    let range = field.name.span.range().start..field.value.span.range().end;
    TextEdit { range, text: format!("{name}: {}", point(at, places)) }
}

/// Takes a field out, with the comma behind it.
fn without(text: &str, field: &FieldNode) -> TextEdit {
    let range = field.name.span.range().start..field.value.span.range().end;
    let rest = text.get(range.end..).unwrap_or_default();
    let behind = rest.trim_start_matches([' ', '\t']);
    let comma = behind.strip_prefix(',').map(|behind| behind.trim_start_matches([' ', '\t']));
    let end = comma.map_or(range.end, |behind| range.end + rest.len() - behind.len());
    TextEdit { range: range.start..end, text: String::new() }
}

/// Bones behind those that a file has, each a name and the text in its brackets.
pub fn added(text: &str, root: &Node, style: &Style, bones: &[(String, String)]) -> Vec<TextEdit> {
    if bones.is_empty() {
        return Vec::new();
    }
    let newline = style.newline;
    let entry = |(name, fields): &(String, String)| format!("{}: ({fields}),", quoted(name));
    let lines = |indent: &str| -> String {
        bones.iter().map(|bone| format!("{newline}{indent}{}", entry(bone))).collect()
    };
    let insert = |at: usize, text: String| TextEdit { range: at..at, text };
    let Some(map) = map_of(root) else {
        let NodeKind::Struct(_, fields) = &root.kind else { return Vec::new() };
        // Before everything that refers to bones.
        let after = fields.iter().rfind(|field| ["version", "drawing"].contains(&field.name.value.as_str()));
        let Some(after) = after else { return Vec::new() };
        let unit = &style.unit;
        let map = format!("bones: {{{}{newline}{unit}}}", lines(&unit.repeat(2)));
        return vec![insert(after.value.span.range().end, format!(",{newline}{unit}{map}"))];
    };
    let close = map.span.range().end - 1;
    let NodeKind::Map(entries) = &map.kind else { return Vec::new() };
    let Some(last) = entries.last() else {
        let indent = Style::indent_at(text, close);
        let inside = format!("{}{newline}{indent}", lines(&format!("{indent}{}", style.unit)));
        return vec![insert(close, inside)];
    };
    let end = last.value.span.range().end;
    let mut edits = Vec::new();
    if !has_comma(text, end, close) {
        edits.push(insert(end, ",".to_owned()));
    }
    if begins_line(text, close) {
        let indent = Style::indent_at(text, last.key.span.range().start);
        let start = text[..close].rfind('\n').map_or(close, |newline| newline + 1);
        let new = bones.iter().map(|bone| format!("{indent}{}{newline}", entry(bone))).collect();
        edits.push(insert(start, new));
    } else {
        edits.push(insert(close, bones.iter().map(|bone| format!(" {}", entry(bone))).collect()));
    }
    edits
}

/// Whether a comma is between two places outside of comments.
fn has_comma(text: &str, from: usize, to: usize) -> bool {
    let noted = comments(text, from..to);
    let in_a_comment = |at: usize| noted.iter().any(|range| range.contains(&at));
    text[from..to].char_indices().any(|(at, c)| c == ',' && !in_a_comment(from + at))
}

#[cfg(test)]
mod tests {
    use super::super::text::apply;
    use super::*;
    use crate::diagnostic::Diagnostics;
    use crate::span::SourceId;
    use crate::text::parse;

    /// The text after edits to the first bone.
    fn after(text: &str, change: &BoneChange) -> String {
        let root = parse(SourceId::default(), text, &mut Diagnostics::new()).root.expect("a rig");
        let NodeKind::Map(entries) = &map_of(&root).expect("bones").kind else { panic!("a map") };
        apply(text, &changed(text, &entries[0].value, change, 2))
    }

    fn with(text: &str) -> String {
        let root = parse(SourceId::default(), text, &mut Diagnostics::new()).root.expect("a rig");
        let bone = ("new".to_owned(), "from: (1, 2), to: (3, 4)".to_owned());
        apply(text, &added(text, &root, &Style::of(text), &[bone]))
    }

    #[test]
    fn only_changed_numbers_are_edited() {
        let to = |x: f64, y: f64| BoneChange { to: Some((x, y).into()), ..BoneChange::default() };
        let text = "Rig(bones: {\"a\": (from: (1, 2), /* so */ to: (3.001, /* y */ 4), limits: (-1, 1))})";
        assert_eq!(after(text, &to(3.0, 5.5)), text.replace("*/ 4)", "*/ 5.5)"));
        let turned = "Rig(bones: {\"a\": (parent: \"b\", length: 60, angle: -15, // x\n limits: (-1, 1))})";
        let expected = "Rig(bones: {\"a\": (parent: \"b\", to: (3, 4), // x\n limits: (-1, 1))})";
        assert_eq!(after(turned, &to(3.0, 4.0)), expected);
        let origin = "Rig(bones: {\"a\": (origin: (0, 2), angle: 5, length: 6)})";
        let change = BoneChange {
            parent: Some("b".to_owned()),
            from: Some((7.0, 8.0).into()),
            to: Some((9.0, 8.0).into()),
        };
        let expected = "Rig(bones: {\"a\": (parent: \"b\", from: (7, 8), to: (9, 8))})";
        assert_eq!(after(origin, &change), expected);
        let tip = "Rig(bones: {\"a\": (parent: \"b\", to: (9, 8))})";
        let expected = "Rig(bones: {\"a\": (parent: \"c\", from: (7, 8), to: (9, 8))})";
        let change = BoneChange { parent: Some("c".to_owned()), to: None, ..change };
        assert_eq!(after(tip, &change), expected);
    }

    #[test]
    fn new_bones_are_added_after_the_others() {
        let new = "\"new\": (from: (1, 2), to: (3, 4)),";
        let lines = "Rig(\r\n  bones: {\r\n    \"a\": (length: 1) // one\r\n  },\r\n)";
        let expected =
            format!("Rig(\r\n  bones: {{\r\n    \"a\": (length: 1), // one\r\n    {new}\r\n  }},\r\n)");
        assert_eq!(with(lines), expected);
        assert_eq!(
            with("Rig(bones: {\"a\": (length: 1)})"),
            format!("Rig(bones: {{\"a\": (length: 1), {new}}})")
        );
        assert_eq!(with("Rig(bones: {})"), format!("Rig(bones: {{\n    {new}\n}})"));
        let none = "Rig(\n    version: 1,\n    drawing: \"a.svg\",\n)";
        let expected = format!(
            "Rig(\n    version: 1,\n    drawing: \"a.svg\",\n    bones: {{\n        {new}\n    }},\n)"
        );
        assert_eq!(with(none), expected);
    }
}
