//! Reading against an independent reader of RON, against any bytes, and against files made to be slow.

use std::time::{Duration, Instant};

use bone_format::diagnostic::Diagnostics;
use bone_format::doc::{BindingDoc, RigDoc};
use bone_format::span::{SourceId, Sources};
use bone_format::text::{Node, NodeKind};
use proptest::prelude::*;

fn read(text: &str) -> (Option<RigDoc>, Vec<String>) {
    let mut diagnostics = Diagnostics::new();
    let doc = bone_format::read(SourceId::default(), text, &mut diagnostics);
    if let Some(doc) = &doc {
        bone_format::check(doc, &mut diagnostics);
    }
    (doc, diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect())
}

/// Whether both readers see the same.
fn same(node: &Node, value: &ron::Value) -> bool {
    use ron::Value;
    let all = |nodes: Vec<&Node>, values: &[Value]| {
        nodes.len() == values.len() && nodes.iter().zip(values).all(|(node, value)| same(node, value))
    };
    match (&node.kind, value) {
        (NodeKind::Bool(a), Value::Bool(b)) => a == b,
        (NodeKind::Number(a), Value::Number(ron::Number::F32(b))) => (*a as f32) == b.get(),
        (NodeKind::Number(a), Value::Number(b)) => *a == b.into_f64(),
        (NodeKind::Text(a), Value::String(b)) => a == b,
        (NodeKind::None, Value::Option(None)) | (NodeKind::Word(_), Value::Unit) => true,
        (NodeKind::Some(a), Value::Option(Some(b))) => same(a, b),
        (NodeKind::Tuple(_, a), Value::Unit) => a.is_empty(),
        // `Out(Back)` is a word in a sequence of one.
        (NodeKind::Tuple(Some(_), a), Value::Seq(b)) if a.len() == 1 && b.len() == 1 => same(&a[0], &b[0]),
        (NodeKind::Tuple(Some(_), a), b) if a.len() == 1 => same(&a[0], b),
        (NodeKind::List(a) | NodeKind::Tuple(_, a), Value::Seq(b)) => all(a.iter().collect(), b),
        (NodeKind::Struct(_, a), Value::Map(b)) => {
            a.len() == b.len()
                && a.iter().all(|field| {
                    let key = Value::String(field.name.value.clone());
                    b.iter().any(|(name, value)| *name == key && same(&field.value, value))
                })
        }
        (NodeKind::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && a.iter().all(|e| b.iter().any(|(key, value)| same(&e.key, key) && same(&e.value, value)))
        }
        _ => false,
    }
}

/// Both readers take the text, and see the same in it.
fn agree(text: &str) {
    let mut diagnostics = Diagnostics::new();
    let root = bone_format::text::parse(SourceId::default(), text, &mut diagnostics).root.expect("a value");
    assert!(diagnostics.is_empty(), "{:?}\n{text}", diagnostics.iter().next());
    let value: ron::Value = ron::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(same(&root, &value), "{root:?}\n{value:?}");
}

#[test]
fn every_example_of_the_reference_is_without_errors() {
    let reference = include_str!("../../FORMAT.md");
    let mut examples = 0;
    for rest in reference.split("```ron\n").skip(1) {
        let text = rest.split("```").next().unwrap();
        agree(text);
        // Files of a rig of several, which begin with their names, are read together by the tests of the documents.
        if !text.starts_with("// ") {
            let (_, messages) = read(text);
            assert!(messages.is_empty(), "{messages:?}\n{text}");
        }
        examples += 1;
    }
    assert!(examples >= 3);
}

#[test]
fn what_people_may_write_is_read_as_other_readers_do() {
    for text in [
        "(a: .4, b: 1e3, c: +1, d: 1_000, e: 0xff, f: -0.5, g: 1., h: 0b11, i: 0o17, j: -2e-3)",
        "[true, false, None, Some(3), Hold, \"a\\\"b\\\\c\\n\\u{e9}\\x41\", r\"C:\\x\", r#\"a\"b\"#]",
        "{0: 1, \"3.in\": {\"hip\": 1,},}",
        "// a\n/* b /* c */ */ Rig(a: (1, 2), b: Bezier(0.1, 0, 1, 1), c: (), d: [],)  // e",
        "#![enable(implicit_some)]\r\n(\r\n\ta: 1,\r\n)\r\n",
    ] {
        agree(text);
    }
}

#[test]
fn a_byte_order_mark_moves_nothing() {
    let text = "\u{feff}Rig(version: 1, drawing: 3)";
    let mut diagnostics = Diagnostics::new();
    bone_format::read_bytes(SourceId::default(), text.as_bytes(), &mut diagnostics);
    let mut sources = Sources::new();
    let id = sources.add("a", text);
    let place = diagnostics.iter().next().unwrap().place.unwrap();
    assert_eq!(&text[place.span.range()], "3");
    assert_eq!(sources.locate(id, place.span.start).column, 26);
}

#[test]
fn invalid_numbers_are_reported() {
    for number in ["NaN", "inf", "-inf", "+NaN", "1e999", "1__e", "0x", "0xg", "1.2.3", "--1"] {
        let (_, messages) = read(&format!("Rig(version: 1, drawing: \"a\", fps: {number})"));
        assert_eq!(messages.len(), 1, "{number}: {messages:?}");
    }
}

/// A rig of about `size` bytes.
fn large(size: usize) -> String {
    let mut text =
        String::from("Rig(version: 1, drawing: \"hero.svg\", bones: {\"hip\": (from: (0, 0), length: 9),");
    for bone in 0..size / 200 {
        text.push_str(&format!(
            "\"b{bone}\": (parent: \"hip\", length: 60, angle: -0.25, region: (18, 12)), "
        ));
    }
    text.push_str("}, clips: {\"wave\": (loop: true, bones: {");
    for bone in 0..size / 200 {
        text.push_str(&format!(
            "\"b{bone}\": (rotate: [(0, 0), (0.5, 60, Linear), (1, 0, Hold)], parent: [(0, \"hip\")]), "
        ));
    }
    text.push_str("})})");
    text
}

#[test]
fn time_grows_with_the_text_and_not_faster() {
    let rig = large(10_000_000);
    let started = Instant::now();
    let (doc, messages) = read(&rig);
    assert!(messages.is_empty(), "{messages:?}");
    assert_eq!(doc.unwrap().bones.len(), 50_001);
    // What takes the square of the size would take hours.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());

    for part in [
        "(", "[", "{", ")", "\"", "/*", "'", "`", "„", "“", "#", "r#", "r#\"", "r\"\\\n", "r#\"a, ", "\"a,",
        "\"\\\"a,", ",", ":", "a:", "a(", "[(", "(0,", "0", "-", "−", "+", "\\", "=", "?", "#!", "#![", "[]",
        "()", "{}", "\"a\":", "\n", "a", "\"\n", "[0],", "{a:0},", "Some(", "]}", "(]", "0,5", "\u{a0}",
    ] {
        let size = if ["(", "[", "\"", "/*"].contains(&part) { 10_000_000 } else { 3_000_000 };
        let text = part.repeat(size / part.len());
        let started = Instant::now();
        for text in [text.clone(), format!("Rig(bones: {{{text}"), format!("Rig(skin: [{text}")] {
            let _ = read(&text);
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{part:?}: {:?}", started.elapsed());
    }
}

#[test]
fn many_unknown_names_cost_little() {
    let mut text = String::from("Rig(version: 1, drawing: \"a\", bones: {");
    for bone in 0..20_000 {
        text.push_str(&format!("\"bone{bone}\": (parent: \"bonr{bone}\", length: 1),"));
    }
    text.push_str("})");
    let started = Instant::now();
    assert_eq!(read(&text).1.len(), Diagnostics::KEPT);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn a_file_above_the_size_limit_is_reported() {
    let text = " ".repeat(bone_format::text::LARGEST_FILE + 1);
    assert_eq!(read(&text).1.len(), 1);
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        (-1000..1000i32).prop_map(|n| n.to_string()),
        (-1e4..1e4f64).prop_map(|n| format!("{n:.3}")),
        Just(".5".to_owned()),
        Just("+1e2".to_owned()),
        Just("1_0".to_owned()),
    ]
}

fn blank() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just(""), Just(" "), Just("\n\t"), Just(" // , ) \"\r\n"), Just("/* ( /* */ */")]
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        number(),
        "[a-z.ÄÖ ]{0,6}".prop_map(|text| format!("\"{text}\"")),
        "[a-z\"\\\\\n\té]{0,6}".prop_map(|text| format!("{text:?}")),
        Just("true".to_owned()),
        Just("Hold".to_owned()),
        Just("None".to_owned()),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let items = prop::collection::vec((blank(), inner.clone(), blank()), 0..4);
        let joined = items
            .prop_map(|items| {
                items.iter().map(|(before, item, after)| format!("{before}{item}{after}")).collect::<Vec<_>>()
            })
            .boxed();
        prop_oneof![
            joined.clone().prop_map(|items| format!("[{}]", items.join(","))),
            joined
                .clone()
                .prop_filter("two at least", |items| items.len() > 1)
                .prop_map(|i| format!("({},)", i.join(","))),
            joined.clone().prop_map(|items| {
                let fields: Vec<_> =
                    items.iter().enumerate().map(|(n, item)| format!("f{n}: {item}")).collect();
                format!("Name( {} )", fields.join(", "))
            }),
            joined.prop_map(|items| {
                let entries: Vec<_> =
                    items.iter().enumerate().map(|(n, item)| format!("\"k{n}\":{item}")).collect();
                format!("{{{}}}", entries.join(","))
            }),
            inner.prop_map(|item| format!("Some({item})")),
        ]
    })
}

fn spans_are_inside(node: &Node, length: usize) -> bool {
    let inside = |node: &Node| spans_are_inside(node, length);
    node.span.start <= node.span.end
        && node.span.end as usize <= length
        && match &node.kind {
            NodeKind::Some(node) => inside(node),
            NodeKind::Struct(_, fields) => fields.iter().all(|field| inside(&field.value)),
            NodeKind::Tuple(_, nodes) | NodeKind::List(nodes) => nodes.iter().all(inside),
            NodeKind::Map(entries) => entries.iter().all(|entry| inside(&entry.key) && inside(&entry.value)),
            _ => true,
        }
}

/// No panic, and every place lies in the text, between characters.
fn survives(bytes: &[u8]) {
    let mut diagnostics = Diagnostics::new();
    let text = bone_format::text::decode(SourceId::default(), bytes, &mut diagnostics);
    if let Some(root) = bone_format::text::parse(SourceId::default(), &text, &mut Diagnostics::new()).root {
        assert!(spans_are_inside(&root, text.len()));
    }
    if let Some(doc) = bone_format::read(SourceId::default(), &text, &mut diagnostics) {
        bone_format::check(&doc, &mut diagnostics);
    }
    for diagnostic in &diagnostics {
        for place in diagnostic.place.iter().chain(diagnostic.related.iter().map(|(place, _)| place)) {
            assert!(text.get(place.span.range()).is_some(), "{diagnostic:?}");
        }
    }
}

const PIECES: [&str; 42] = [
    "Rig(",
    "version",
    ":",
    "1",
    ",",
    "drawing",
    "\"hero.svg\"",
    "bones",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"hip\"",
    "from",
    "to",
    "length",
    "parent",
    "skin",
    "Rigid(",
    "Explicit(",
    "art",
    "weights",
    "clips",
    "rotate",
    "0.5",
    "Hold",
    "Bezier(",
    "None",
    "Some(",
    "\n",
    "//",
    "/*",
    "*/",
    "\"",
    "'",
    "“",
    "30°",
    "=",
    "\\",
    "\u{feff}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_are_read_as_other_readers_do(text in value()) {
        agree(&text);
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survives(&bytes);
    }

    #[test]
    fn any_text_is_survived(text in "\\PC{0,80}") {
        survives(text.as_bytes());
    }

    #[test]
    fn any_pieces_are_survived(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60)) {
        survives(pieces.concat().as_bytes());
        survives(pieces.join(" ").as_bytes());
    }

    #[test]
    fn a_rig_with_one_byte_changed_is_survived(at in 0usize..2000, byte in any::<u8>(), cut in any::<bool>()) {
        let example = include_str!("../../FORMAT.md").split("```ron\n").nth(1).unwrap().split("```").next().unwrap();
        let mut bytes = example.as_bytes().to_vec();
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        survives(&bytes);
    }

    #[test]
    fn generated_rigs_are_read_as_meant(
        bones in prop::collection::vec((number(), number(), 0.5..99.0f64), 1..6),
        weights in prop::collection::vec(0.01..1.0f64, 1..5),
    ) {
        let mut text = "Rig(version: 1, drawing: \"a.svg\", bones: {".to_owned();
        for (index, (x, y, length)) in bones.iter().enumerate() {
            text.push_str(&format!("\"b{index}\": (from: ({x}, {y}), length: {length:?}),"));
        }
        text.push_str("}, skin: [Explicit(art: \"cape\", weights: {");
        for (index, weight) in weights.iter().enumerate() {
            text.push_str(&format!("{index}: {{\"b0\": {weight:?}}},"));
        }
        text.push_str("})])");
        agree(&text);
        let (doc, messages) = read(&text);
        prop_assert!(messages.is_empty(), "{messages:?}");
        let doc = doc.unwrap();
        for (bone, (x, y, length)) in doc.bones.iter().zip(&bones) {
            let from = bone.from.unwrap().value;
            let plain = |number: &str| number.replace('_', "").parse::<f64>().unwrap();
            prop_assert_eq!((from.x, from.y), (plain(x), plain(y)));
            prop_assert_eq!(bone.length.unwrap().value, *length);
        }
        let BindingDoc::Explicit(binding) = &doc.skin[0] else { panic!("an explicit binding") };
        let read: Vec<f64> = binding.weights.iter().map(|row| row.weights.list[0].1.value).collect();
        prop_assert_eq!(read, weights);
    }
}
