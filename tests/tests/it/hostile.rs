//! Arbitrary bytes as rigs and drawings, from loading to a drawn frame: no panic, no hang, and an error if
//! there is no rig. `tests/hostile` has earlier failures; `CASES=20000` runs more cases.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bone_authoring::{FileNames, scaffold};
use bone_format::{Files, load, system_fonts};
use bone_layer_tests::files::{below, good_rigs, root, shown};
use bone_render::{FrameOptions, FrameSize, Pixmap, Raster};
use bone_rig::FrameState;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};

/// The most time for one case, on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// A rig, and one drawing under whatever name the rig gives it.
struct Two {
    rig: Vec<u8>,
    svg: Vec<u8>,
}

impl Files for Two {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        Ok(if path == Path::new("rig.ron") { self.rig.clone() } else { self.svg.clone() })
    }
}

/// How far a rig and its drawing got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reached {
    rigs: usize,
    frames: usize,
}

/// Loads, poses, writes and draws.
fn whole_way(rig: &[u8], svg: &[u8]) -> Result<Reached, String> {
    let started = Instant::now();
    let loaded =
        load(Path::new("rig.ron"), Arc::new(Two { rig: rig.to_owned(), svg: svg.to_owned() }), &system_fonts);
    if loaded.rig.is_some() == loaded.diagnostics.has_errors() {
        return Err(format!("a rig if and only if there is no error: {:?}", loaded.diagnostics));
    }
    for diagnostic in loaded.diagnostics.iter() {
        for place in diagnostic.place.iter().chain(diagnostic.related.iter().map(|(place, _)| place)) {
            let text = loaded.sources.text(place.source);
            let range = place.span.range();
            if text.get(range.clone()).is_none() {
                return Err(format!("{range:?} is no part of the text: {}", diagnostic.message));
            }
        }
    }
    let mut reached = Reached::default();
    if let Some(scene) = &loaded.rig {
        reached.rigs = 1;
        let mut state = FrameState::new(scene);
        let clips = scene.clips().iter().take(3).map(Some).chain([None]);
        for (clip, time) in clips.flat_map(|clip| [0.0, 0.37, 1e9, -3.3, f64::NAN].map(|time| (clip, time))) {
            // A clip may be unusable at a time; then it is an error.
            let _ = scene.pose(clip, time, &mut state).map_err(|error| error.to_string());
            scene.write_svg(&mut state);
            let fine = state.svg().len() < 100 * (svg.len() + 10_000);
            if !fine {
                return Err(format!("{} bytes became {}", svg.len(), state.svg().len()));
            }
            if time == 0.37 {
                reached.frames += usize::from(draws(state.svg())?);
            }
        }
    }
    let took = started.elapsed();
    if took > TIME_LIMIT { Err(format!("it took {took:?}")) } else { Ok(reached) }
}

fn draws(svg: &str) -> Result<bool, String> {
    let size = FrameSize::new(24, 24).map_err(|error| error.to_string())?;
    let mut pixmap = Pixmap::new(24, 24).ok_or("no memory")?;
    // A drawing that cannot be drawn is an error, and so is a panic in a library: it costs only the frame.
    Ok(Raster::default().draw(svg, &FrameOptions { size, background: None }, &mut pixmap).is_ok())
}

/// The rigs of the repository with their drawings.
fn good() -> Vec<(Vec<u8>, Vec<u8>)> {
    let pair = |path: std::path::PathBuf| {
        let rig = std::fs::read_to_string(&path).expect("a rig");
        let name =
            rig.split("drawing: \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a drawing");
        let svg = std::fs::read(path.with_file_name(name)).expect("its drawing");
        (rig.into_bytes(), svg)
    };
    good_rigs().into_iter().map(pair).collect()
}

/// One way to damage a text. Places are shares of its length.
#[derive(Clone, Debug)]
enum Damage {
    Flip(f64, u8),
    CutOff(f64),
    Cut(f64, f64),
    Repeat(f64, f64),
    SwapLines(f64, f64),
    Number(f64, usize),
    Insert(f64, usize),
}

const NUMBERS: [&str; 16] = [
    "NaN",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e39",
    "-0",
    "0",
    "1e-320",
    "1e-7",
    "99999999999",
    "-1",
    "1e400",
    "0.5",
    "4294967296",
    "18446744073709551616",
];
const WORDS: [&str; 16] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    "/*",
    "<g>",
    "</g>",
    "<use href=\"#flower\"/>",
    "transform=\"scale(0)\" ",
    "\u{0}",
    "é\u{301}\u{202e}",
    "&amp;",
];

fn damage() -> impl Strategy<Value = Damage> {
    let at = || 0.0..1.0_f64;
    prop_oneof![
        2 => (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        1 => at().prop_map(Damage::CutOff),
        1 => (at(), 0.0..0.02_f64).prop_map(|(at, length)| Damage::Cut(at, length)),
        1 => (at(), 0.0..0.05_f64).prop_map(|(at, length)| Damage::Repeat(at, length)),
        2 => (at(), at()).prop_map(|(a, b)| Damage::SwapLines(a, b)),
        6 => (at(), 0..NUMBERS.len()).prop_map(|(at, number)| Damage::Number(at, number)),
        2 => (at(), 0..WORDS.len()).prop_map(|(at, word)| Damage::Insert(at, word)),
    ]
}

fn place(share: f64, length: usize) -> usize {
    ((share * length as f64) as usize).min(length.saturating_sub(1))
}

fn damaged(text: &[u8], how: &Damage) -> Vec<u8> {
    let mut bytes = text.to_vec();
    if bytes.is_empty() {
        return bytes;
    }
    let length = bytes.len();
    let range = |at: f64, share: f64| place(at, length)..place(at + share, length).max(place(at, length));
    match *how {
        Damage::Flip(at, byte) => bytes[place(at, length)] = byte,
        Damage::CutOff(at) => bytes.truncate(place(at, length)),
        Damage::Cut(at, share) => drop(bytes.drain(range(at, share))),
        Damage::Repeat(at, share) => {
            let again = bytes[range(at, share)].to_vec();
            bytes.splice(place(at, length)..place(at, length), again);
        }
        Damage::SwapLines(a, b) => {
            let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
            let (a, b) = (place(a, lines.len()), place(b, lines.len()));
            lines.swap(a, b);
            bytes = lines.concat();
        }
        Damage::Number(at, number) => {
            let is_digit = |at: &usize| text[*at].is_ascii_digit();
            let Some(start) = (place(at, length)..length).find(is_digit) else { return bytes };
            let end = (start..length).find(|at| !b".0123456789e".contains(&text[*at])).unwrap_or(length);
            bytes.splice(start..end, NUMBERS[number].bytes());
        }
        Damage::Insert(at, word) => {
            let at = place(at, length);
            bytes.splice(at..at, WORDS[word].bytes());
        }
    }
    bytes
}

/// Runs this number of cases, or `CASES`, always the same ones.
fn check<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let cases = std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(cases);
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0xb0_e5),
        max_shrink_iters: 2_000,
        ..ProptestConfig::default()
    };
    if let Err(error) = TestRunner::new(config).run(&strategy, test) {
        panic!("{error}");
    }
}

fn must(reached: Result<Reached, String>) -> Result<Reached, TestCaseError> {
    reached.map_err(TestCaseError::fail)
}

#[test]
fn any_bytes_may_be_a_rig() {
    let (_, svg) = good().swap_remove(1);
    check(200, prop::collection::vec(any::<u8>(), 0..400), |bytes| must(whole_way(&bytes, &svg)).map(drop));
}

#[test]
fn any_text_may_be_a_rig() {
    let (_, svg) = good().swap_remove(1);
    check(200, "[Rig(){}\\[\\]\",:0-9.a-f\n/* -]{0,200}", |text| {
        must(whole_way(text.as_bytes(), &svg)).map(drop)
    });
}

#[test]
fn any_bytes_may_be_a_drawing() {
    let (rig, _) = good().swap_remove(1);
    check(200, prop::collection::vec(any::<u8>(), 0..400), |bytes| must(whole_way(&rig, &bytes)).map(drop));
}

#[test]
fn any_elements_may_be_a_drawing() {
    let (rig, _) = good().swap_remove(1);
    check(
        200,
        "<svg( [a-z]{1,9}=\"[#a-z0-9 %,.-]{0,9}\"){0,4}>(<[a-z]{1,4}( [a-z]{1,2}=\"[0-9mlczMLCAZ .-]{0,30}\"){0,4}/>){0,5}</svg>",
        |text| must(whole_way(&rig, text.as_bytes())).map(drop),
    );
}

/// Two tests, so that two processors are used.
#[test]
fn damaged_rigs_and_drawings_do_not_panic() {
    damage_rigs(0);
}

#[test]
fn other_damaged_rigs_and_drawings_do_not_panic() {
    damage_rigs(1);
}

/// Damages every second rig.
fn damage_rigs(first: usize) {
    let good: Vec<_> = good().into_iter().skip(first).step_by(2).collect();
    let damages = prop::collection::vec((any::<bool>(), damage()), 1..4);
    let reached = std::cell::Cell::new(Reached::default());
    check(200, (0..good.len(), damages), |(which, damages)| {
        let (mut rig, mut svg) = good[which].clone();
        for (of_rig, how) in &damages {
            let text = if *of_rig { &mut rig } else { &mut svg };
            *text = damaged(text, how);
        }
        let one = must(whole_way(&rig, &svg))?;
        let all = reached.get();
        reached.set(Reached { rigs: all.rigs + one.rigs, frames: all.frames + one.frames });
        Ok(())
    });
    println!("{:?}", reached.get());
    assert!(
        reached.get().rigs > 15 && reached.get().frames > 15,
        "the damage is too great to test anything: {reached:?}"
    );
}

/// A damaged drawing gets a scaffold that loads, or an error.
#[test]
fn damaged_drawings_get_a_scaffold_or_an_error() {
    let mut drawings: Vec<Vec<u8>> = good().into_iter().map(|(_, svg)| svg).collect();
    drawings.extend(below("tests/init", "svg").iter().map(|path| std::fs::read(path).expect("a drawing")));
    drawings.extend(below("tests/hostile", "svg").iter().map(|path| std::fs::read(path).expect("a drawing")));
    let made = std::cell::Cell::new(0);
    check(200, (0..drawings.len(), prop::collection::vec(damage(), 0..3)), |(which, damages)| {
        let svg = damages.iter().fold(drawings[which].clone(), |svg, how| damaged(&svg, how));
        let two = |rig: &[u8]| -> Arc<dyn Files> { Arc::new(Two { rig: rig.to_owned(), svg: svg.clone() }) };
        let called = FileNames { drawing: "drawing.svg", rig: "rig.ron" };
        let first = scaffold(Path::new("drawing.svg"), called, &two(b""), &system_fonts);
        prop_assert_eq!(first.rig.is_none(), first.diagnostics.has_errors());
        if let Some(rig) = first.rig {
            let loaded = load(Path::new("rig.ron"), two(rig.text.as_bytes()), &system_fonts);
            prop_assert!(loaded.rig.is_some(), "{:?}\n{}", loaded.diagnostics, rig.text);
            made.set(made.get() + 1);
        }
        Ok(())
    });
    assert!(made.get() > 50, "the damage is too great to test anything: {made:?}");
}

#[test]
fn undamaged_rigs_give_frames() {
    for (rig, svg) in good() {
        let reached = whole_way(&rig, &svg).expect("no mistake");
        assert!(reached.rigs == 1 && reached.frames >= 2, "{reached:?}");
    }
}

/// Each file is a rig or a drawing; the other half is a good one, or the file of the same name.
#[test]
fn earlier_failures_do_not_return() {
    let Ok(entries) = std::fs::read_dir(root().join("tests/hostile")) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let (good_rig, good_svg) = good().swap_remove(1);
    for path in paths {
        let bytes = std::fs::read(&path).expect("a file");
        let reached = match path.extension().and_then(|end| end.to_str()) {
            Some("ron") => {
                whole_way(&bytes, &std::fs::read(path.with_extension("svg")).unwrap_or(good_svg.clone()))
            }
            Some("svg") => {
                whole_way(&std::fs::read(path.with_extension("ron")).unwrap_or(good_rig.clone()), &bytes)
            }
            _ => continue,
        };
        assert!(reached.is_ok(), "{}: {reached:?}", shown(&path));
    }
}

/// Parents may be nested to any depth, and children may be written before their parents.
#[test]
fn a_long_chain_written_backwards_plays() {
    let count = 30_000;
    let bone = |i: usize| match i {
        0 => "\"b0\": (from: (0, 0), length: 0.01),\n".to_owned(),
        i => format!("\"b{i}\": (parent: \"b{}\", length: 0.01),\n", i - 1),
    };
    let bones: String = (0..count).rev().map(bone).collect();
    let rig = format!(
        "Rig(version: 1, drawing: \"a.svg\", bones: {{{bones}}}, skin: [Rigid(art: \"a\", bone: \"b9\")])"
    );
    let svg =
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path id="a" d="M1 1H8V8Z"/></svg>"#;
    let files = bone_format::InMemory::new().with("a.ron", rig).with("a.svg", svg);
    let loaded = bone_format::load("a.ron".as_ref(), std::sync::Arc::new(files), &bone_format::system_fonts);
    let scene = loaded.rig.expect("nothing is wrong with it");
    assert_eq!(scene.skeleton().len(), count);
    let mut state = bone_rig::FrameState::new(&scene);
    scene.pose(None, 0.0, &mut state).expect("no loop");
}
