//! Addresses of art: each leads to exactly one element, numbers are those of the XML, and an unknown address
//! is an error with the existing ones.

use std::collections::BTreeSet;

use bone_drawing::{Drawing, ElementId, FindError};
use bone_layer_tests::files::{drawings, shown};
use bone_render::{Resources, read_svg};
use proptest::prelude::*;
use usvg::roxmltree::{Document, Node, ParsingOptions};

fn read(svg: &str) -> Drawing {
    read_svg(svg, &Resources::default()).expect("a drawing").0
}

/// The element that a name means, drawn or not.
fn meant(art: &Drawing, name: &str) -> Option<ElementId> {
    match art.find(name) {
        Ok(id) | Err(FindError::NotDrawn { element: id, .. }) => Some(id),
        Err(_) => None,
    }
}

/// Every address leads to its element, and no two are the same.
fn check(art: &Drawing, what: &str) {
    let mut taken = BTreeSet::new();
    for id in art.ids() {
        let address = art.address(id);
        assert_eq!(meant(art, &address), Some(id), "{what}: {address} of {:?}", art.element(id));
        assert!(!address.trim().is_empty() && taken.insert(address.clone()), "{what}: {address} twice");
    }
}

#[test]
fn every_element_of_every_drawing_has_an_address() {
    let mut unnamed = 0;
    for path in drawings() {
        let text = std::fs::read(&path).expect("a drawing");
        let Ok(text) = bone_render::decode_svg(text) else { continue };
        let Ok((art, _)) = read_svg(&text, &Resources::default()) else { continue };
        check(&art, &shown(&path));
        unnamed += art.elements().iter().filter(|e| e.id.is_none() && e.label.is_none()).count();
    }
    assert!(unnamed > 500, "{unnamed}");
}

const ART: [&str; 15] = [
    "g", "a", "switch", "svg", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "image",
    "text", "use", "-",
];

fn is_art(node: Node<'_, '_>) -> bool {
    ART.contains(&node.tag_name().name())
}

/// The numbers from the root to a node of the XML.
fn numbers(node: Node<'_, '_>) -> String {
    let step = |at: Node<'_, '_>| {
        let tag = at.tag_name().name();
        let same = |other: &Node<'_, '_>| match is_art(at) {
            true => is_art(*other),
            false => other.tag_name().name() == tag,
        };
        let n = 1 + at.prev_siblings().skip(1).filter(Node::is_element).filter(same).count();
        if is_art(at) { format!("#{n}") } else { format!("{tag}#{n}") }
    };
    let up = node.ancestors().take_while(|at| at.parent_element().is_some());
    let mut steps: Vec<String> = up.map(step).collect();
    steps.reverse();
    steps.join("/")
}

#[test]
fn numbers_in_addresses_are_those_of_the_xml() {
    let mut compared = 0;
    for path in drawings() {
        let bytes = std::fs::read(&path).expect("a drawing");
        let Ok(text) = bone_render::decode_svg(bytes) else { continue };
        // What entities bring has no place of its own in the text.
        let Ok((art, _)) = read_svg(&text, &Resources::default()) else { continue };
        if text.contains("<!ENTITY") {
            continue;
        }
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        let doc = Document::parse_with_options(&text, options).expect("XML");
        // Elements of other programs are counted with nothing.
        let is_svg = |node: &Node<'_, '_>| {
            matches!(node.tag_name().namespace(), None | Some("http://www.w3.org/2000/svg"))
        };
        for (id, element) in art.ids().zip(art.elements()) {
            let node = doc
                .descendants()
                .find(|node| node.is_element() && node.range().start == element.source.start);
            let node = node.expect("an element of the XML");
            if node
                .ancestors()
                .flat_map(|at| at.prev_siblings())
                .filter(Node::is_element)
                .any(|at| !is_svg(&at))
            {
                continue;
            }
            let numbers = numbers(node);
            assert_eq!(meant(&art, &numbers), Some(id), "{}: {numbers}", shown(&path));
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared}");
}

const BODY: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
    width="90" height="90"><title>A body</title>
  <defs><symbol><path d="M0 0h9v9z"/></symbol><clipPath id="cut"><rect width="9" height="9"/></clipPath>
    <symbol><rect width="1" height="1"/><path d="M1 0h9v9z"/></symbol></defs>
  <g inkscape:label="Body"><desc>all of it</desc><path d="M1 1h9v9z"/><g id="arm"><path d="M2 1h9v9z"/></g>
    <path d="M3 1h9v9z"/></g>
  <rect width="4" height="9"/>
  <g inkscape:label="Leg"><path id="one" inkscape:label="shoe" d="M4 1h9v9z"/></g>
  <g inkscape:label="Leg"><path inkscape:label="shoe" d="M5 1h9v9z"/><path d="M6 1h9v9z"/></g></svg>"#;

#[test]
fn an_address_consists_of_names_and_numbers() {
    let art = read(BODY);
    let tag_of = |address: &str| {
        let source = art.element(meant(&art, address).expect(address)).expect("it").source.clone();
        BODY[source].trim_start_matches('<').trim_end_matches("/>").to_owned()
    };
    for (address, tag) in [
        ("Body/#1", "path d=\"M1 1h9v9z\""),
        ("Body/#3", "path d=\"M3 1h9v9z\""),
        ("Body / #03", "path d=\"M3 1h9v9z\""),
        ("#1/#2/#1", "path d=\"M2 1h9v9z\""),
        ("arm/#1", "path d=\"M2 1h9v9z\""),
        ("#2", "rect width=\"4\" height=\"9\""),
        ("#4/#2", "path d=\"M6 1h9v9z\""),
        ("#4/shoe", "path inkscape:label=\"shoe\" d=\"M5 1h9v9z\""),
        ("defs#1/symbol#1/#1", "path d=\"M0 0h9v9z\""),
        ("defs#1/symbol#2/#2", "path d=\"M1 0h9v9z\""),
        ("defs#1/clipPath#1/#1", "rect width=\"9\" height=\"9\""),
    ] {
        assert_eq!(tag_of(address), tag, "{address}");
    }
    let addresses: Vec<String> = art.ids().map(|id| art.address(id)).collect();
    assert_eq!(
        addresses,
        [
            "title#1",
            "defs#1",
            "defs#1/symbol#1",
            "defs#1/symbol#1/#1",
            "cut",
            "cut/#1",
            "defs#1/symbol#2",
            "defs#1/symbol#2/#1",
            "defs#1/symbol#2/#2",
            "Body",
            "Body/desc#1",
            "Body/#1",
            "arm",
            "arm/#1",
            "Body/#3",
            "#2",
            "#3",
            "one",
            "#4",
            "#4/shoe",
            "#4/#2"
        ]
    );
}

#[test]
fn an_unknown_address_is_an_error_with_the_existing_ones() {
    let art = read(BODY);
    let told = |name: &str| match art.find(name) {
        Err(FindError::Missing { numbered: Some(numbered), .. }) => numbered.to_string(),
        Err(FindError::Missing { near, .. }) => near.join(" or "),
        other => format!("{other:?}"),
    };
    for (name, answer) in [
        ("Body/#9", "\"Body\" has 3 pieces of art: \"Body/#1\" to \"Body/#3\""),
        ("Body/#0", "\"Body\" has 3 pieces of art: \"Body/#1\" to \"Body/#3\""),
        ("Body/#x", "\"Body\" has 3 pieces of art: \"Body/#1\" to \"Body/#3\""),
        ("arm/#2", "\"arm\" has 1 piece of art: \"arm/#1\""),
        ("Body/#1/#1", "\"Body/#1\" has no pieces of art"),
        ("#99999999999999999999999", "the drawing has 4 pieces of art: \"#1\" to \"#4\""),
        ("defs#1/symbol#3", "\"defs#1\" has 2 <symbol>: \"defs#1/symbol#1\" to \"defs#1/symbol#2\""),
        ("Bdy/#3", "Body/#3"),
        ("Bdy/#9", "Body"),
        ("Body/arn/#1", "Body/arm/#1"),
        ("Body/Hat/hand", "\"Body\" has 3 pieces of art: \"Body/#1\" to \"Body/#3\""),
        ("Hat/#3", ""),
        ("Hat", ""),
        ("hat#3", ""),
        ("", ""),
        ("/", ""),
    ] {
        assert_eq!(told(name), answer, "{name}");
    }
    let Err(FindError::Ambiguous { addresses, .. }) = art.find("Leg") else { panic!("two are called Leg") };
    assert_eq!(addresses, ["#3", "#4"]);
    let Err(FindError::Ambiguous { addresses, .. }) = art.find("shoe") else { panic!("two are called shoe") };
    assert_eq!(addresses, ["one", "#4/shoe"]);
}

/// An element with what is in it. Names are few and look like addresses.
fn element() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "a", "b", "#1", "#2", "#01", "g#1", "defs#1", "a/#1", "#1/#1", "#2/#1", " a", "a/b", "#", "/", " ",
        "g#", "#0", "//",
    ]);
    let tag = prop::sample::select(vec!["g", "path", "defs", "symbol", "title", "rect", "svg"]);
    let head =
        (tag, prop::option::of(name.clone()), prop::option::weighted(0.2, name), any::<bool>(), 0..5_u8);
    let write = |(tag, id, label, has_label, hidden): (&str, Option<&str>, Option<&str>, bool, u8),
                 inside: String| {
        let id = id.filter(|_| has_label).map_or(String::new(), |id| format!(" id='{id}'"));
        let label = label.map_or(String::new(), |label| format!(" data-name='{label}'"));
        let hidden = if hidden == 0 { " display='none'" } else { "" };
        format!("<{tag}{id}{label}{hidden} d='M0 0h9v9z' width='9' height='9'>{inside}</{tag}>")
    };
    let leaf = head.clone().prop_map(move |head| write(head, String::new()));
    leaf.prop_recursive(4, 30, 5, move |inner| {
        (head.clone(), prop::collection::vec(inner, 0..5))
            .prop_map(move |(head, inside)| write(head, inside.concat()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn every_element_of_any_drawing_has_an_address(elements in prop::collection::vec(element(), 1..6)) {
        let svg = format!("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>{}</svg>", elements.concat());
        check(&read(&svg), &svg);
    }
}

#[test]
fn thousands_of_shapes_with_one_name_are_addressed_fast() {
    let shapes = "<g data-name='Group'><path data-name='Ellipse' d='M0 0h9v9z'/></g>".repeat(3000);
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><g id='all'>{shapes}</g></svg>"
    );
    check(&read(&svg), "many");
}
