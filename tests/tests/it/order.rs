//! Draw order of art in different groups: the picture equals that of the reordered drawing, and art in an
//! isolated group stays in it, with a warning that names the group.

use std::path::Path;
use std::sync::Arc;

use bone_format::{Diagnostic, InMemory, load, no_fonts};
use bone_layer_tests::picture::difference;
use bone_render::{Background, FrameOptions, FrameSize, Pixmap, Raster};
use bone_rig::{FrameState, Rig};

fn svg(body: &str) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='100'><clipPath id='cut'><rect width='90' height='90'/></clipPath>\
         <mask id='m'><rect width='90' height='90' fill='white'/></mask><filter id='f'><feGaussianBlur stdDeviation='2'/></filter>{body}</svg>"
    )
}

fn scene(body: &str, orders: &str) -> (Rig, Vec<Diagnostic>) {
    let rig = format!(
        r#"Rig(version: 1, drawing: "a.svg", bones: {{ "b": (from: (0, 0), to: (10, 0)) }},
        clips: {{ "sort": (length: 1, art: {{ {orders} }}) }})"#
    );
    let files = InMemory::new().with("a.ron", rig).with("a.svg", svg(body));
    let loaded = load(Path::new("a.ron"), Arc::new(files), &no_fonts);
    let about_order = |d: &&Diagnostic| d.message.contains("order");
    let found = loaded.diagnostics.iter().filter(about_order).cloned().collect();
    (loaded.rig.expect("sound"), found)
}

fn draw(text: &str) -> Pixmap {
    let mut pixmap = Pixmap::new(1, 1).expect("memory");
    let size = FrameSize::new(100, 100).expect("a size");
    let options = FrameOptions { size, background: Some(Background { rgba: [255; 4] }) };
    Raster::default().draw(text, &options, &mut pixmap).expect("a frame");
    pixmap
}

/// The text and the picture of a sorted drawing.
fn sorted(scene: &Rig) -> (String, Pixmap) {
    let mut state = FrameState::new(scene);
    scene.pose(scene.clip("sort"), 0.5, &mut state).expect("no loop");
    scene.write_svg(&mut state);
    (state.svg().to_owned(), draw(state.svg()))
}

fn square(id: &str, at: u32, fill: &str) -> String {
    format!("<rect id='{id}' x='{at}' y='{at}' width='40' height='40' fill='{fill}'/>")
}

/// The squares a to d, each over a part of the one before.
fn squares() -> [String; 4] {
    [square("a", 5, "teal"), square("b", 20, "gold"), square("c", 35, "navy"), square("d", 50, "crimson")]
}

fn check(name: &str, body: &str, orders: &str, by_hand: &str) {
    let (scene, messages) = scene(body, orders);
    assert!(messages.is_empty(), "{name}: {messages:?}");
    let (text, found) = sorted(&scene);
    let apart = difference(&found, &draw(&svg(by_hand)));
    assert_eq!(apart.pixels, 0, "{name}: {apart:?}\n{text}");
    assert!(difference(&found, &draw(&svg(body))).pixels > 100, "{name} changes nothing");
    assert_eq!(text, sorted(&scene).0, "{name}");
}

#[test]
fn art_of_two_groups_is_sorted_together() {
    let [a, b, c, d] = squares();
    let groups = format!("<g id='one'>{a}{b}</g><g id='two'>{c}{d}</g>");
    check("behind the other group", &groups, r#""d": (order: [(0, -1)])"#, &format!("{d}{a}{b}{c}"));
    check("before the other group", &groups, r#""a": (order: [(0, 1)])"#, &format!("{b}{c}{d}{a}"));
    let both = r#""b": (order: [(0, 1)]), "c": (order: [(0, -1)])"#;
    check("both ways", &groups, both, &format!("{c}{a}{d}{b}"));
}

#[test]
fn orders_of_nested_groups_add_up() {
    let [a, b, c, d] = squares();
    let nested = format!(
        "<g id='outer'><g id='inner' transform='translate(2 3)'>{a}</g>{b}</g><g id='two'>{c}{d}</g>"
    );
    let moved = format!("<g transform='translate(2 3)'>{a}</g>");
    let orders = r#""outer": (order: [(0, 1)]), "a": (order: [(0, 1)]), "c": (order: [(0, 1)])"#;
    // a: 2, b: 1, c: 1, d: 0.
    check("sums", &nested, orders, &format!("{d}{b}{c}{moved}"));
    // The only child of its group has all the drawing to be sorted in.
    check("alone in its group", &nested, r#""a": (order: [(0, 1)])"#, &format!("{b}{c}{d}{moved}"));
}

#[test]
fn art_in_an_isolated_group_stays_in_it() {
    let [a, b, c, d] = squares();
    let body = format!("<g id='one' opacity='.5'>{a}{b}</g>{c}{d}");
    check("within", &body, r#""a": (order: [(0, 1)])"#, &format!("<g opacity='.5'>{b}{a}</g>{c}{d}"));
}

#[test]
fn a_warning_names_the_isolated_group() {
    let [a, _, c, _] = squares();
    let ways = [
        ("clip-path='url(#cut)'", "its clip path"),
        ("mask='url(#m)'", "its mask"),
        ("opacity='.5'", "its opacity"),
        ("filter='url(#f)'", "its filter"),
        ("style='mix-blend-mode:multiply'", "its blend mode"),
        ("style='isolation:isolate'", "its isolation"),
    ];
    for (way, why) in ways {
        let body = format!("<g id='body'><g id='lone' {way}><g>{a}</g></g></g>{c}");
        let (_, messages) = scene(&body, r#""a": (order: [(0, 1)])"#);
        let [one] = messages.as_slice() else { panic!("{way}: {messages:?}") };
        let expected = format!(
            "`order` has no effect on art \"a\": it is the only art in \"lone\", which is an isolated group because of {why}"
        );
        assert_eq!(one.message, expected);
        assert!(one.place.is_some() && one.help.iter().any(|help| help.contains("\"lone\"")), "{one:?}");
        // The group itself is sorted with the rest.
        assert!(scene(&body, r#""lone": (order: [(0, 1)])"#).1.is_empty(), "{way}");
    }
    let (_, messages) = scene(&a, r#""a": (order: [(0, 1)])"#);
    assert_eq!(messages[0].message, "`order` has no effect on art \"a\": nothing else is drawn");
}
