//! Input that a program can hand over by mistake: recordings without joints, frames or sense, numbers, names, texts
//! and maps of any kind, and sessions of other rigs. Each is written or an error, and none panics or runs on.

use std::path::Path;
use std::sync::Arc;

use bone_authoring::{
    BoneStyle, ClipOptions, FileNames, MapFile, Recorded, ShortNumber, TransitionOptions, entry_edits,
    new_figure, onto, scaffold, scaffold_with, shown_guides, transition, update_bones,
};
use bone_format::session::{DocValue, Session};
use bone_format::{Files, InMemory, no_fonts};
use bone_import::figure::Foreshortening;
use bone_import::{PlanarJoint, PlanarMotion};
use kurbo::Point;
use proptest::prelude::*;

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 80 120'>\
    <g id='bones'><path id='hips' d='M40 8V10'/><path id='thigh' d='M40 10V55'/></g><path id='leg' d='M35 10H45V110H35Z'/></svg>";

/// A rig with all bones of a body, one with few, one without, and one with mistakes.
const RIGS: [&str; 4] = [
    r#"Rig(version: 1, drawing: "a.svg", bones: {
        "hips": (from: (40, 8), to: (40, 10)),
        "thigh_l": (parent: "hips", to: (40, 55)), "shin_l": (parent: "thigh_l", to: (40, 100)),
        "foot_l": (parent: "shin_l", to: (50, 108)),
        "thigh_r": (parent: "hips", from: (40, 10), to: (40, 55)), "shin_r": (parent: "thigh_r", to: (40, 100)),
        "foot_r": (parent: "shin_r", to: (50, 108)),
    }, skin: [Smooth(art: "leg", bones: ["thigh_l", "shin_l"])], constraints: [Pin(name: "stand", bone: "foot_l")],
    clips: {"a": (length: 1, loop: true, bones: {"hips": (rotate: [(0, 0), (0.5, 9), (1, 0)])}), "b": (length: 1e-300, loop: true),
        "c": (length: 3, bones: {"thigh_l": (rotate: [(0, 0), (3, 90)])})}, shots: {"d": (play: ["a"])})"#,
    r#"Rig(version: 1, drawing: "a.svg", bones: {"x": (from: (40, 8), to: (40, 9))}, clips: {"a": (length: 1)})"#,
    r#"Rig(version: 1, drawing: "a.svg", clips: {"a": (length: 1, loop: true), "b": (length: 0.001)})"#,
    r#"Rig(version: 1, drawing: "no.svg", bones: {"x": (parent: "y")"#,
];

fn files(rig: &str) -> Arc<dyn Files> {
    Arc::new(InMemory::new().with("a.ron", rig).with("a.svg", SVG))
}

fn session(rig: &str) -> Session {
    Session::open("a.ron", files(rig), no_fonts)
}

fn number() -> impl Strategy<Value = f64> {
    let ends = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e9, 1e300, f64::MAX, f64::MIN];
    let ends = prop::sample::select([&ends[..], &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]].concat());
    prop_oneof![ends, -300.0..300.0_f64, -2.0..2.0_f64]
}

/// A figure of a person, of joints without names, or of few joints.
fn motion(kind: u8, rate: f64, positions: &[f64], frames: usize) -> Option<PlanarMotion> {
    let names =
        ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot", "Spine", "Head"];
    let parents = [None, Some(0), Some(1), Some(2), Some(0), Some(4), Some(5), Some(0), Some(7)];
    let count = [9, 9, 1, 0][usize::from(kind % 4)];
    let name =
        |at: usize| if kind == 0 { names[at].to_owned() } else { ["", "\"\n", "Hips"][at % 3].to_owned() };
    let joint = |at: usize| PlanarJoint { name: name(at), parent: parents[at] };
    let at = |k: usize| Point::new(positions[k % positions.len()], positions[(k * 7 + 3) % positions.len()]);
    PlanarMotion::new((0..count).map(joint).collect(), rate, (0..count * frames).map(at).collect()).ok()
}

#[test]
fn the_rigs_are_what_they_should_be() {
    for (at, rig) in RIGS.into_iter().enumerate() {
        let session = session(rig);
        assert_eq!(session.rig().is_some(), at < 3, "{:?}", session.diagnostics());
    }
}

/// A figure that stands and swings its left leg, with some noise.
fn swinging(noise: &[f64]) -> Option<PlanarMotion> {
    let rest =
        [0.0, 0.0, 2.0, 0.0, 2.0, 45.0, 3.0, 90.0, -2.0, 0.0, -2.0, 45.0, -1.0, 90.0, 0.0, -20.0, 0.0, -50.0];
    let frames = 12;
    let at = |k: usize| {
        let (frame, joint) = (k / 9, k % 9);
        let swing = if (1..4).contains(&joint) { frame as f64 * joint as f64 } else { 0.0 };
        rest[2 * joint] + swing + noise[k % noise.len()]
    };
    let mut numbers: Vec<f64> = Vec::new();
    for k in 0..9 * frames {
        numbers.extend([at(k), rest[2 * (k % 9) + 1]]);
    }
    let motion = motion(0, 24.0, &[0.0], frames)?;
    let points = numbers.chunks(2).map(|at| Point::new(at[0], at[1])).collect();
    PlanarMotion::new(motion.joints().to_vec(), 24.0, points).ok()
}

fn options(name: &str, n: f64, flags: u8) -> ClipOptions {
    let mut options = ClipOptions::new(name);
    options.looped = flags & 1 > 0;
    options.on_the_spot = flags & 2 > 0;
    options.keep_in_view = flags & 4 > 0;
    options.foreshortening =
        [None, Some(Foreshortening::Clamp), Some(Foreshortening::Keep), Some(Foreshortening::Ignore)]
            [usize::from(flags >> 3) % 4];
    options.tolerance = n;
    options
}

/// Maps that name nothing, what there is not, and what is not of this form.
fn maps(text: &str) -> Vec<Option<MapFile>> {
    let map = |text: &str| Some(MapFile { name: text.to_owned(), bytes: text.as_bytes().to_vec() });
    let texts = [
        "",
        "()",
        "(bones: {}, joints: {})",
        "(bones: {\"hips\": \"far\"}, joints: {\"hips\": \"\"})",
        "(a: {1: 2})",
        "(bones: {\"hips\": \"foot_l\", \"thigh_l\": \"foot_l\"}, joints: {\"thigh_l\": \"Head\", \"head\": \"Hips\"})",
        "(bones: {\"mouth\": \"hips\"})",
        text,
    ];
    let broken = Some(MapFile { name: String::new(), bytes: vec![0xff, 0xfe, 0, 0xd8] });
    texts.into_iter().map(map).chain([None, broken]).collect()
}

fn make(recorded: &Recorded, n: &[f64], text: &str, flags: u8) {
    for map in maps(text) {
        for (tolerance, path) in [(n[0], "a.ron"), (1.0, "a.ron"), (9.0, text)] {
            let options = options(if tolerance > 5.0 { text } else { "walk" }, tolerance, flags);
            for fps in [24.0, n[1]] {
                match new_figure(recorded.clone(), map.as_ref(), Path::new(path), fps, &options) {
                    Ok(made) => assert!(!made.svg.is_empty()),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
            for rig in RIGS {
                match onto(&session(rig), recorded.clone(), map.as_ref(), &options) {
                    Ok(made) => assert!(session(rig).apply_all("Import", &made.edits).is_ok()),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn recordings_without_sense(
        n in prop::collection::vec(number(), 9..20), small in prop::collection::vec(-9.0..9.0_f64, 9..20),
        [kind, flags] in any::<[u8; 2]>(), frames in 0_usize..4, text in "\\PC{0,12}",
    ) {
        for (rate, positions) in [(n[0].abs(), &n), (30.0, &n), (n[1].abs(), &small), (30.0, &small)] {
            let Some(motion) = motion(kind, rate, positions, frames) else { continue };
            let mut recorded = Recorded::new(motion, &text);
            recorded.notes = vec![text.clone(), String::new(), "é".to_owned()];
            recorded.ground = vec![Vec::new(), vec![Point::new(n[2], n[3]); 2]];
            let mut closed = recorded.clone();
            let _ = (closed.face_viewer(flags > 9), closed.close(flags > 99));
            for (first, last) in [(0, 0), (1, 2), (2, 1), (0, usize::MAX), (usize::MAX, usize::MAX)] {
                let _ = recorded.clone().cut(first, last);
            }
            make(&closed, &n, &text, flags);
        }
    }

    #[test]
    fn recordings_with_options_of_any_value(
        noise in prop::collection::vec(-0.2..0.2_f64, 5..9), n in prop::collection::vec(number(), 4..5), flags in any::<u8>(), text in "\\PC{0,12}",
    ) {
        let mut recorded = Recorded::new(swinging(&noise).expect("a motion"), "Made.");
        recorded.ground = if flags > 99 { vec![vec![Point::new(n[2], n[3]), Point::new(n[3], n[2])]] } else { Vec::new() };
        make(&recorded, &n, &text, flags);
    }

    #[test]
    fn transitions_of_any_numbers(fade in number(), text in "\\PC{0,12}") {
        let sessions = RIGS.map(session);
        for (own, other) in sessions.iter().flat_map(|own| sessions.iter().map(move |other| (own, other))) {
            let (Some(rig), Some(doc)) = (own.rig(), other.doc()) else { continue };
            for (from, to) in [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b"), ("c", "a"), ("d", &text), ("", "b")] {
                for fade in [fade, 0.0, 0.4, 120.0] {
                    if let Err(error) = transition(rig, doc, TransitionOptions { from, to, fade, shot: &text }) {
                        prop_assert!(!error.is_empty());
                    }
                }
            }
        }
    }

    #[test]
    fn scaffolds_of_any_drawing(text in "\\PC{0,60}", id in "\\PC{0,9}", n in prop::array::uniform6(number())) {
        let data = format!("M{} {}L{} {}C0 0 {} {} 9 9", n[0], n[1], n[2], n[3], n[4], n[5]);
        let around = |inside: &str| format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 80 120'>{inside}</svg>");
        let drawings = [
            text.clone(), String::new(), around(""), SVG.to_owned(),
            around(&format!("<g id='bones'><path id='{id}' d='{data}'/><path d='M0 0'/><path d='M1 1H1'/><path d='M1 1H1'/></g><path id='{id}' d='{data}'/>")),
            around("<g id='bones' display='none'><path d='M3 3L9 9L3 3'/></g><g id='arm_l'><path d='M0 0H9V9Z'/></g>"),
        ];
        for svg in drawings {
            let files: Arc<dyn Files> = Arc::new(InMemory::new().with("a.svg", svg.as_str()).with("a.ron", RIGS[0]));
            let fonts = &no_fonts;
            for (path, drawing) in [("a.svg", "a.svg"), ("no.svg", ""), ("", "\"\n"), (&text, &text)] {
                let called = FileNames { drawing, rig: &text };
                for style in [BoneStyle::Coordinates, BoneStyle::Lines] {
                    let made = scaffold_with((style, Some("head")), Path::new(path), called, &files, fonts);
                    prop_assert!(made.rig.is_some() || made.diagnostics.has_errors());
                }
                let _ = scaffold(Path::new(path), called, &files, fonts);
            }
            for rig in ["a.ron", "no.ron", "", &text] {
                let updated = update_bones(Path::new(rig), &files, no_fonts);
                prop_assert!(updated.report.is_some() || updated.diagnostics.has_errors());
            }
        }
        for rig in RIGS {
            let session = session(rig);
            let _ = session.rig().map(|rig| shown_guides(rig.art()));
            for (section, name) in [("clips", "a"), ("clips", ""), ("", ""), (&text, &id), ("bones", "hips")] {
                let edits = entry_edits(&session, section, name, DocValue::from(n[0]), &text);
                prop_assert_eq!(edits.len(), 2);
                let _ = self::session(rig).apply_all("", &edits);
            }
        }
        for digits in [0, 2, 20, 400, 60_000] {
            let shown = format!("{:.digits$}", ShortNumber(n[0]));
            prop_assert!(!shown.is_empty());
        }
    }
}
