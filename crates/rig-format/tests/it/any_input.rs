//! Input that a program can hand over by mistake: texts, documents, edits, paths and numbers of any kind. Each has
//! a diagnostic, an error or no effect, and none panics.

use std::path::Path;
use std::sync::Arc;

use bone_format::edit::{MirrorFrom, Prune, Smooth, WeightEditor, edit_weights};
use bone_format::session::text::{self, Style, TextEdit};
use bone_format::session::{DocPath, DocValue, Edit, Named, Session, names_in};
use bone_format::span::Sources;
use bone_format::text::{Syntax, cursor};
use bone_format::{
    Compiler, Diagnostics, InMemory, check, convert, diagnostic, expected, fontdb, load, no_fonts, read,
    read_bytes,
};
use kurbo::Point;
use proptest::prelude::*;

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='40'>\
    <path id='arm' d='M0 10C30 5 60 15 90 10V20H0Z' fill='teal'/><path id='dot' d='M3 30h4v4z'/></svg>";

/// A rig with each kind of number, each behind a `@`.
const RIG: &str = r#"Rig(version: 1, fps: @24, drawing: "a.svg",
    bones: {"a": (from: (@0, @15), to: (@30, @15)), "b": (parent: "a", length: @30, limits: (@0, @90)), "c": (parent: "b", length: @30)},
    skin: [Smooth(art: "arm", tolerance: @0.5), Rigid(art: "dot", bone: "c")],
    drivers: [(bone: "a", value: Rotate, bones: {"b": (rotate: [(@0, @0), (@90, @20)])}, art: {"dot": (opacity: [(@0, @1)])})],
    constraints: [Aim(name: "look", bone: "c", target: (@90, @10), mix: @1),
        Ik(name: "reach", tip: "b", target: (@50, @20), chain: 2, softness: @0.1)],
    springs: [(chain: "c", stiffness: @2, damping: @0.2, mass: @1, gravity: (@0, @100),
        wind: (force: (@900, @60), turbulence: @0.9, eddies: @130, speed: @300))],
    clips: {"bend": (length: @1, loop: true, step: 2, bones: {"a": (rotate: [(@0, @0), (@0.5, @9), (@1, @0)], move: [(@0, (@0, @1))])},
        offsets: {"arm": {1: [(@0, (@0, @5))]}}, constraints: {"look": (mix: [(@0, @0.5)])})},
    shots: {"both": (play: [(clip: "bend", from: @0, speed: @1, length: @1), "bend"], layers: [(clip: "bend", start: @0, weight: @0.5)])})"#;

fn number() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "0", "-0", "1", "2.5", "30", "-1", "1e-320", "1e18", "1e308", "-1e308", "1e999", "inf", "-inf",
        "NaN", "0x10",
    ])
}

/// The rig with ordinary numbers but for some.
fn rig_text(numbers: &[(usize, &str)]) -> String {
    let part = |(at, part): (usize, &str)| {
        let changed = numbers.iter().find(|(own, _)| *own == at && at > 0);
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        changed.map_or_else(|| part.to_owned(), |(_, number)| format!("{number}{rest}"))
    };
    RIG.split('@').enumerate().map(part).collect()
}

fn session(text: &str) -> Session {
    let files = InMemory::new().with("a.ron", text).with("a.svg", SVG);
    Session::open("a.ron", Arc::new(files), no_fonts)
}

/// A path, also to what a rig does not have.
fn path(kind: u8, index: usize, time: f64) -> DocPath {
    match kind {
        0 => DocPath::new(),
        1 => DocPath::bone("a").name("length"),
        2 => DocPath::bone("far").name("length").index(index),
        3 => DocPath::clip("bend").name("length"),
        4 => DocPath::channel("bend", "a", "rotate").time(time),
        5 => DocPath::channel("bend", "far", "far").index(index).time(time),
        6 => DocPath::from(["constraints"]).index(index).name("mix"),
        7 => DocPath::from(["skin"]).index(index),
        _ => DocPath::from(["", "\u{0}", "\""]).time(time).time(time),
    }
}

fn any_f64() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::sample::select(vec![0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, f64::MIN, 1e300, 1e-300]),
        -50.0..50.0_f64
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rigs_of_any_numbers(changed in prop::collection::vec((1_usize..70, number()), 0..6)) {
        let text = rig_text(&changed);
        let files = InMemory::new().with("a.ron", &*text).with("a.svg", SVG);
        let mut loaded = load(Path::new("a.ron"), Arc::new(files), &no_fonts);
        loaded.check_springs();
        let Some(rig) = &loaded.rig else {
            prop_assert!(!loaded.diagnostics.is_empty());
            return Ok(());
        };
        let mut state = bone_rig::FrameState::new(rig);
        for clip in rig.clips() {
            for time in [0.0, 0.3, 1e18] {
                rig.pose(Some(clip), time, &mut state).expect("its own clip");
            }
        }
    }

    #[test]
    fn texts_of_any_kind(text in "\\PC{0,40}", bytes in prop::collection::vec(any::<u8>(), 0..60), at in any::<[usize; 4]>(), head in any::<bool>()) {
        let text = if head { format!("Rig(version: 1, {text}") } else { text };
        let mut diagnostics = Diagnostics::new();
        let source = Sources::default().add("a.ron", text.clone());
        for doc in [read(source, &text, &mut diagnostics), read_bytes(source, &bytes, &mut diagnostics)].into_iter().flatten() {
            check(&doc, &mut diagnostics);
        }
        for syntax in [Syntax::Ron, Syntax::Json] {
            let _ = convert(source, &text, syntax, &mut diagnostics);
        }
        let places = at.map(|at| if head { at } else { at % (text.len() + 3) });
        let edits = [TextEdit { range: places[0]..places[1], text: "x".to_owned() }, TextEdit { range: places[2]..places[3], text: String::new() }];
        let _ = (text::apply(&text, &edits), Style::of(&text), text::comments(&text, places[0]..places[1]));
        let _ = (Style::indent_at(&text, places[0]), diagnostic::nearest(&text, [&*text, ""]));
        let _ = (cursor(&text, places[0]).map(|cursor| expected(&cursor)), names_in(&text));
    }

    #[test]
    fn edits_of_any_kind(kind in 0_u8..9, index in any::<usize>(), n in prop::collection::vec(any_f64(), 3..4), changed in prop::collection::vec((1_usize..70, number()), 0..2)) {
        let mut session = session(&rig_text(&changed));
        let values = [
            DocValue::from(n[0]), DocValue::from((n[0], n[1])), DocValue::from("far"), DocValue::word("a b"),
            DocValue::list([DocValue::from(n[0])]), DocValue::map([("", DocValue::from(true))]),
            DocValue::tuple(Some(""), [DocValue::from(n[2])]), DocValue::fields(None, [("a", DocValue::text("\u{0}"))]),
        ];
        for index in [index, index % 3] {
            let at = path(kind, index, n[0]);
            let _ = (session.get(&at).is_ok(), session.written(&at).is_ok());
            for value in &values {
                let _ = session.apply(&Edit::set(at.clone(), value.clone()));
                let _ = session.try_edits(&[Edit::key(at.clone(), n[1], value.clone())]).is_ok();
                let _ = session.apply(&Edit::key(at.clone(), n[1], value.clone()));
            }
            let all = [
                Edit::remove(at), Edit::add_bone("a", Some("far"), None, Point::new(n[0], n[1])),
                Edit::add_bone("\u{0}", None, Some(Point::new(n[0], n[1])), Point::new(n[2], n[1])), Edit::add_clip("", n[2]),
            ];
            for edit in &all {
                let _ = session.apply(edit);
            }
            let _ = (session.apply_all("all", &all).is_ok(), session.undo().is_ok(), session.undo().is_ok(), session.redo().is_ok());
            session.begin("open");
            let _ = (session.commit(), session.cancel().is_ok());
        }
        let _ = (session.dependants(Named::Bone, "far").is_ok(), session.bytes(Path::new("far")), session.outside(Path::new("far")));
        let _ = session.reload(Path::new("far"), &[0xff]).is_ok();
        let _ = session.set_drawing(&[0xff]).is_ok();
        let _ = edit_weights(&mut session, &["arm", "far", ""], |editor| {
            editor.smooth(Smooth { strength: n[0], iterations: 3 });
            editor.prune(Prune { most: Some(index), threshold: n[1] });
            editor.mirror(MirrorFrom::Left, Some(n[2]))
        }).is_ok();
    }
}

#[test]
fn compilers_with_any_number_of_threads() {
    let files = InMemory::new().with("a.ron", rig_text(&[])).with("a.svg", SVG);
    let loaded = load(Path::new("a.ron"), Arc::new(files), &no_fonts);
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
    let doc = loaded.doc.as_ref().expect("a document");
    let rig = loaded.rig.as_ref().unwrap_or_else(|| panic!("{messages:#?}"));
    let art = &Arc::new(rig.art().clone());
    for threads in [0, 1, usize::MAX] {
        let mut diagnostics = Diagnostics::new();
        let source = Sources::default().add("a.svg", SVG);
        assert!(Compiler::with_threads(threads).compile(doc, art, source, &mut diagnostics).is_some());
    }
    assert!(WeightEditor::new(&session(&rig_text(&[])), &["far"]).is_err());
    let _: fontdb::Database = no_fonts();
}
