//! Trees of good and bad texts, and the places of their parts.

use super::parser::NESTING_LIMIT;
use crate::diagnostic::Diagnostics;
use crate::span::SourceId;
use crate::text::{Node, NodeKind, decode, parse};

/// The root, what was reported, and whether the tree is whole.
fn read(text: &str) -> (Option<Node>, Vec<String>, bool) {
    let mut diagnostics = Diagnostics::new();
    let parsed = parse(SourceId::default(), text, &mut diagnostics);
    (parsed.root, diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect(), parsed.whole)
}

fn kind(text: &str) -> NodeKind {
    let (root, messages, whole) = read(text);
    assert!(messages.is_empty() && whole, "{text}: {messages:?}");
    root.unwrap().kind
}

/// The numbers in a list or tuple; a broken item is -1.
fn numbers(text: &str) -> Vec<f64> {
    let (NodeKind::List(items) | NodeKind::Tuple(_, items)) = read(text).0.unwrap().kind else {
        panic!("{text}")
    };
    items.iter().map(|item| if let NodeKind::Number(value) = item.kind { value } else { -1.0 }).collect()
}

#[test]
fn values_are_what_was_written() {
    assert_eq!(kind("0x1F"), NodeKind::Number(31.0));
    assert_eq!(kind("-1_000"), NodeKind::Number(-1000.0));
    assert_eq!(kind("+.5"), NodeKind::Number(0.5));
    assert_eq!(kind("\"a\\u{e9}\\x41\\\\\""), NodeKind::Text("aéA\\".into()));
    assert_eq!(kind("r#\"C:\\new \"x\"\"#"), NodeKind::Text("C:\\new \"x\"".into()));
    assert_eq!(kind("Hold"), NodeKind::Word("Hold".into()));
    assert_eq!(kind("/* a /* b */ */ true // c"), NodeKind::Bool(true));
    assert!(
        matches!(kind("Some((a: 1,))"), NodeKind::Some(inner) if matches!(inner.kind, NodeKind::Struct(None, _)))
    );
    assert!(
        matches!(kind("Bezier(1, 2)"), NodeKind::Tuple(Some(name), items) if name.value == "Bezier" && items.len() == 2)
    );
}

#[test]
fn spans_cover_what_was_written_with_its_brackets() {
    let text = "\u{feff} Rig(\r\n a: \"é\", b : [1] )";
    let root = read(text).0.unwrap();
    assert_eq!(&text[root.span.range()], "Rig(\r\n a: \"é\", b : [1] )");
    let NodeKind::Struct(_, fields) = &root.kind else { panic!() };
    assert_eq!(&text[fields[0].value.span.range()], "\"é\"");
    assert_eq!(&text[fields[1].name.span.range()], "b");
    assert_eq!(&text[fields[1].value.span.range()], "[1]");
}

#[test]
fn reading_continues_after_an_error() {
    for (text, values) in [
        ("[1 2, 3]", vec![1.0, 2.0, 3.0]),
        ("[1, , 2]", vec![1.0, 2.0]),
        ("[1; 2]", vec![1.0, 2.0]),
        ("[1, 2px, 3]", vec![1.0, 2.0, 3.0]),
        ("[1, ?? 2]", vec![1.0, 2.0]),
        ("[1, 2", vec![1.0, 2.0]),
        ("[1, 2)", vec![1.0, 2.0]),
        ("[1, \"a, 2\n, 3]", vec![1.0, -1.0, 2.0, 3.0]),
        ("[1, −2]", vec![1.0, -2.0]),
        ("[1, # two\n2]", vec![1.0, 2.0]),
    ] {
        assert_eq!(read(text).1.len(), 1, "{text}: {:?}", read(text).1);
        assert_eq!(numbers(text), values, "{text}");
    }
}

#[test]
fn a_missing_bracket_keeps_what_follows_at_its_place() {
    let (root, messages, whole) = read("(a: {\n \"x\": (p: 1,\n \"y\": (p: 2),\n}, b: [1, 2,\n c: 3)");
    assert_eq!(messages, ["`)` is missing here", "`]` is missing here"]);
    assert!(!whole);
    let Some(Node { kind: NodeKind::Struct(_, fields), .. }) = root else { panic!() };
    let names: Vec<&str> = fields.iter().map(|field| field.name.value.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(matches!(&fields[0].value.kind, NodeKind::Map(entries) if entries.len() == 2));
}

#[test]
fn brackets_nest_up_to_the_limit() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&nested(NESTING_LIMIT)).1.is_empty());
    assert_eq!(read(&nested(NESTING_LIMIT + 1)).1.len(), 1);
}

#[test]
fn reading_stops_after_many_errors() {
    let (_, messages, whole) = read(&format!("[{}", "? 1 ".repeat(1000)));
    assert!(messages.len() < 110 && !whole);
    assert!(messages.iter().any(|message| message.contains("the rest of the file was not read")));
}

#[test]
fn unknown_extensions_are_reported() {
    assert!(read("#![enable(implicit_some)] 1").1.is_empty());
    assert_eq!(read("#![enable(everything)] 1").1.len(), 1);
}

#[test]
fn utf16_is_reported_and_read() {
    let bytes: Vec<u8> = "\u{feff}Rig()".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let mut diagnostics = Diagnostics::new();
    assert_eq!(decode(SourceId::default(), &bytes, &mut diagnostics), "Rig()");
    assert_eq!(diagnostics.error_count(), 1);
}

#[test]
fn the_first_wrong_byte_has_its_place_in_the_text() {
    let mut diagnostics = Diagnostics::new();
    let text = decode(SourceId::default(), b"\"\xc3\xa9\xe9\"", &mut diagnostics);
    let place = diagnostics.iter().next().unwrap().place.unwrap();
    assert_eq!(&text[place.span.range()], "\u{fffd}");
    assert_eq!(place.span.start, 3);
}
