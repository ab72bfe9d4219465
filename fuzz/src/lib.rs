//! What the targets try: bytes as a rig, as a drawing or as both go the whole way to a drawn frame. Nothing may panic or hang, and
//! there is a scene if and only if there is no error.

pub mod encode;
pub mod edits;
pub mod film;
pub mod motion;
pub mod packs;
pub mod picture;
pub mod svg;

use std::path::Path;
use std::sync::Arc;

use bone_render::{FrameOptions, FrameSize, Pixmap, Raster};
use bone_authoring::{FileNames, scaffold};
use bone_rig::FrameState;
use bone_format::{Files, load, no_fonts};

/// A good rig and a good drawing, for the half that is not tried.
pub const RIG: &[u8] = include_bytes!("../../examples/arm/rig.ron");
/// See [`RIG`].
pub const SVG: &[u8] = include_bytes!("../../examples/arm/drawing.svg");
/// Between rig and drawing in the input of `both`.
pub const BETWEEN: &[u8] = b"\n--8<--\n";

struct Two {
    rig: Vec<u8>,
    svg: Vec<u8>,
}

/// A scene, whose actors all play the good rig and whose drawings are the good one.
struct Stage(Vec<u8>);

impl Files for Stage {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        let is = |end: &str| path.as_os_str().to_string_lossy().ends_with(end);
        Ok(if is("scene.ron") { self.0.clone() } else if is(".ron") { RIG.to_owned() } else { SVG.to_owned() })
    }
}

impl Files for Two {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        let is_rig = path.extension().is_some_and(|end| end == "ron");
        Ok(if is_rig { self.rig.clone() } else { self.svg.clone() })
    }
}

/// Loads, poses, writes and draws.
pub fn whole_way(rig: &[u8], svg: &[u8]) {
    drawn(Path::new("rig.ron"), Arc::new(Two { rig: rig.to_owned(), svg: svg.to_owned() }), 0);
}

/// The same with a scene. What reads its text puts the groups of actors in place with fewer digits, so that edges which fall on a
/// sample may differ.
pub fn scene(data: &[u8]) {
    drawn(Path::new("scene.ron"), Arc::new(Stage(data.to_owned())), 20);
}

/// Drawn, and drawn from the text, so many pixels may differ.
fn drawn(path: &Path, files: Arc<dyn Files>, allowed: usize) {
    let loaded = load(path, files, &no_fonts);
    assert_eq!(loaded.rig.is_none(), loaded.diagnostics.has_errors());
    for diagnostic in loaded.diagnostics.iter() {
        for place in diagnostic.place.iter().chain(diagnostic.related.iter().map(|(place, _)| place)) {
            assert!(loaded.sources.text(place.source).get(place.span.range()).is_some(), "{diagnostic:?}");
        }
    }
    let Some(scene) = loaded.rig else { return };
    let mut state = FrameState::new(&scene);
    for clip in scene.clips().iter().take(2).map(Some).chain([None]) {
        for time in [0.0, 0.37, -1e9] {
            if scene.pose(clip, time, &mut state).is_err() {
                continue;
            }
            scene.write_svg(&mut state);
        }
        let (Ok(size), Some(mut pixmap)) = (FrameSize::new(24, 24), Pixmap::new(24, 24)) else { return };
        let options = FrameOptions { size, background: None };
        let Some(mut drawn) = Pixmap::new(24, 24) else { return };
        let by_text = Raster::default().draw(state.svg(), &options, &mut pixmap).is_ok();
        if scene.draw(&mut state, &options, &mut drawn).is_ok() && by_text {
            let pairs = pixmap.data().chunks(4).zip(drawn.data().chunks(4));
            assert!(pairs.filter(|(a, b)| a != b).count() <= allowed, "drawn, and drawn from the text");
        }
    }
}

/// The scaffold of a drawing loads, and goes the whole way.
pub fn first_of(svg: &[u8]) {
    let files: Arc<dyn Files> = Arc::new(Two { rig: Vec::new(), svg: svg.to_owned() });
    let called = FileNames { drawing: "drawing.svg", rig: "rig.ron" };
    let Some(made) = scaffold(Path::new("drawing.svg"), called, &files, &no_fonts).rig else { return };
    let files = Arc::new(Two { rig: made.text.clone().into_bytes(), svg: svg.to_owned() });
    let loaded = load(Path::new("rig.ron"), files, &no_fonts);
    assert!(loaded.rig.is_some(), "{}\n{:?}", made.text, loaded.diagnostics);
    whole_way(made.text.as_bytes(), svg);
}

/// Tries bytes as `both` has them.
pub fn both(data: &[u8]) {
    match data.windows(BETWEEN.len()).position(|window| window == BETWEEN) {
        Some(at) => whole_way(&data[..at], &data[at + BETWEEN.len()..]),
        None => whole_way(data, data),
    }
}

/// The program of a target: the fuzzer's, or one that tries the files that it is given.
#[macro_export]
macro_rules! target {
    ($try:expr) => {
        fn target(data: &[u8]) {
            let target: fn(&[u8]) = $try;
            target(data);
        }

        #[cfg(feature = "libfuzzer")]
        libfuzzer_sys::fuzz_target!(init: $crate::watch_panics(), |data: &[u8]| {
            $crate::or_abort(target, data);
        });

        #[cfg(not(feature = "libfuzzer"))]
        fn main() {
            $crate::try_files(target);
        }
    };
}

/// Panics of the libraries that read and draw SVG are caught and cost a frame, which is no find. Those of the crates here are finds
/// even where they are caught.
pub fn watch_panics() {
    std::panic::set_hook(Box::new(|info| {
        if info.location().is_some_and(|at| at.file().contains("/crates/")) {
            eprintln!("{info}");
            std::process::abort();
        }
    }));
}

/// A panic that is not caught is a find.
pub fn or_abort(target: fn(&[u8]), data: &[u8]) {
    if let Err(panic) = std::panic::catch_unwind(|| target(data)) {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        eprintln!("panicked: {}", words.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?"));
        std::process::abort();
    }
}

/// What stands in for the fuzzer on a stable compiler: tries the files that are given.
#[cfg(not(feature = "libfuzzer"))]
pub fn try_files(target: fn(&[u8])) {
    watch_panics();
    for path in std::env::args_os().skip(1) {
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        or_abort(target, &bytes);
    }
}
