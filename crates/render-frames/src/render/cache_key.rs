//! The cache key of a frame: a hash of the drawing, of its posed values and of the options. Frames with the
//! same key have the same bytes. A change of the rig that does not move anything in a frame keeps its key.

use std::fs::File;
use std::hash::Hasher as _;
use std::io::{self, Read};

use bone_drawing::{ColorMap, Frame, GradientLook, ShapeLook, Visibility};
use bone_render::{Background, Compress, Encoding, svg_text};
use bone_rig::FrameState;
use kurbo::{BezPath, PathEl, Point, Rect};
use siphasher::sip128::{Hasher128 as _, SipHasher13};

use super::plan::RenderPlan;
use crate::args::RenderArgs;

/// The hash of some bytes, for example those of a frame's file.
pub(crate) fn of_bytes(bytes: &[u8]) -> u128 {
    SipHasher13::new().hash(bytes).as_u128()
}

/// A hasher for a sequence of values with unambiguous borders.
struct KeyHasher(SipHasher13);

impl KeyHasher {
    fn new() -> Self {
        Self(SipHasher13::new())
    }

    fn number(&mut self, number: u64) -> &mut Self {
        // The same bytes on every machine.
        self.0.write(&number.to_le_bytes());
        self
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64).0.write(bytes);
        self
    }

    fn numbers(&mut self, numbers: &[f64]) -> &mut Self {
        numbers.iter().fold(self, |hasher, number| hasher.number(number.to_bits()))
    }

    /// The number of values, and then each.
    fn all<T>(&mut self, values: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.number(values.len() as u64);
        for value in values {
            each(self, value);
        }
    }

    fn finish(&self) -> u128 {
        self.0.finish128().as_u128()
    }
}

/// The cache key of everything that all frames of a run depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CacheKey(u128);

impl CacheKey {
    /// `None` if the program's own file cannot be read, because another build may draw other pixels.
    pub(super) fn of_run(args: &RenderArgs, plan: &RenderPlan<'_>) -> Option<Self> {
        // A new option must be listed here, with its effect or the reason why it changes no frame.
        let RenderArgs {
            // What is read of them is in the drawing and in the posed values.
            rig: _,
            files: _,
            // Where a frame is written does not change it.
            output: _,
            start_number: _,
            existing: _,
            force: _,
            // These choose the clip and the time of a frame, which are in its posed values.
            clip: _,
            machine: _,
            inputs: _,
            frames: _,
            fps: _,
            step: _,
            // These are in the plan's options and encoding.
            size: _,
            scale: _,
            background: _,
            format: _,
            compress: _,
            samples,
            overlay,
            // These do not change the pixels.
            jobs: _,
            progress: _,
            quiet: _,
            verbose: _,
            // Files of all frames are not looked up; dithering is in the plan's view.
            animation: _,
            target: _,
            // Nor are frames in layers.
            layers: _,
            // These are in the plan's view.
            view: _,
        } = args;
        let mut hasher = KeyHasher::new();
        hasher.bytes(&engine()?.to_le_bytes());
        // Texts are outlines in it, and images are embedded.
        hasher.bytes(svg_text(plan.scene.art()).as_bytes());
        hasher.number(u64::from(*samples));
        hasher.bytes(overlay.as_ref().map(|layers| format!("{layers:?}")).unwrap_or_default().as_bytes());
        options(&mut hasher, plan);
        Some(Self(hasher.finish()))
    }

    /// The cache key of a frame that is posed.
    pub(super) fn of_frame(self, plan: &RenderPlan<'_>, state: &FrameState) -> u128 {
        let mut hasher = KeyHasher::new();
        hasher.bytes(&self.0.to_le_bytes());
        posed(&mut hasher, state.frame());
        if let Some(overlay) = &plan.overlay {
            hasher.bytes(overlay.svg(plan.scene, state, &plan.view).as_bytes());
        }
        hasher.finish()
    }
}

fn posed(hasher: &mut KeyHasher, frame: &Frame) {
    // The outlines of trimmed paths are cut already, and only programs set colours.
    let Frame {
        transforms,
        outlines,
        looks,
        trims: _,
        repaints: _,
        visibilities,
        tints,
        gradient_looks,
        gradients,
        patterns,
        masks,
        filters,
        steps,
        filter_looks,
    } = frame;
    for transforms in [transforms, gradients, patterns] {
        hasher.all(transforms, |hasher, transform| _ = hasher.numbers(&transform.as_coeffs()));
    }
    hasher.all(outlines, outline);
    hasher.all(looks, |hasher, ShapeLook { lengths, fill, stroke }| {
        hasher.numbers(&[lengths.width, lengths.dash_offset, lengths.dash_scale]);
        hasher.numbers(&fill.color).numbers(&stroke.color).numbers(&[fill.opacity, stroke.opacity]);
    });
    hasher.all(tints, |hasher, ColorMap { multiply, add }| _ = hasher.numbers(multiply).numbers(add));
    hasher.all(gradient_looks, |hasher, GradientLook { gradient, colors: _ }| {
        hasher.numbers(&gradient.values());
        hasher.all(&gradient.stops, |hasher, stop| {
            hasher.numbers(&stop.color.map(f64::from)).numbers(&[stop.offset, stop.opacity]);
        });
    });
    hasher.all(visibilities, |hasher, Visibility { visible, opacity, order }| {
        hasher.number(u64::from(*visible)).numbers(&[*opacity, *order]);
    });
    hasher.all(filter_looks, |hasher, steps| {
        hasher.all(steps, |hasher, step| {
            hasher.number(u64::from(step.is_some())).numbers(&step.unwrap_or_default());
        });
    });
    let side = |rect: &Rect| [rect.x0, rect.y0, rect.x1, rect.y1];
    for rects in [masks, filters] {
        hasher.all(rects, |hasher, rect| _ = hasher.numbers(&side(rect)));
    }
    hasher.all(steps, |hasher, rect| {
        hasher.number(u64::from(rect.is_some())).numbers(&rect.as_ref().map_or([0.0; 4], side));
    });
}

fn outline(hasher: &mut KeyHasher, outline: &BezPath) {
    hasher.all(outline.elements(), |hasher, element| {
        let (verb, points): (u64, &[Point]) = match element {
            PathEl::MoveTo(to) => (0, &[*to]),
            PathEl::LineTo(to) => (1, &[*to]),
            PathEl::QuadTo(a, to) => (2, &[*a, *to]),
            PathEl::CurveTo(a, b, to) => (3, &[*a, *b, *to]),
            PathEl::ClosePath => (4, &[]),
        };
        points.iter().fold(hasher.number(verb), |hasher, point| hasher.numbers(&[point.x, point.y]));
    });
}

fn options(hasher: &mut KeyHasher, plan: &RenderPlan<'_>) {
    let RenderPlan { view, encoding, .. } = plan;
    hasher.number(view.size.width().into()).number(view.size.height().into());
    hasher.bytes(view.background.as_ref().map_or(&[], |Background { rgba }| rgba));
    hasher.number(u64::from(view.dither)).numbers(&view.transform.as_coeffs());
    hasher.number(u64::from(view.cut.is_some()));
    hasher.numbers(&view.cut.map_or([0.0; 4], |cut| [cut.x0, cut.y0, cut.x1, cut.y1]));
    hasher.number(match *encoding {
        Encoding::Png(Compress::Fast) => 0,
        Encoding::Png(Compress::Balanced) => 1,
        Encoding::Rgba => 3,
        Encoding::Y4m => 4,
        Encoding::Svg => 5,
    });
}

/// What this program is, by its build id or by the hash of the whole file, which takes longer than a small frame: pixels
/// are the same only for one build.
fn engine() -> Option<u128> {
    let mut program = File::open(std::env::current_exe().ok()?).ok()?;
    let start = first_page(&mut program)?;
    build_id(&start).or_else(|| of_reader(&start, &mut program))
}

/// The build id of this program, if it has one.
pub(crate) fn build() -> Option<u128> {
    build_id(&first_page(&mut File::open(std::env::current_exe().ok()?).ok()?)?)
}

fn first_page(program: &mut impl Read) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    program.take(1 << 12).read_to_end(&mut start).ok()?;
    Some(start)
}

/// The linker's own hash of a program, which is in the first page of an ELF file.
fn build_id(start: &[u8]) -> Option<u128> {
    /// The note of an id of 20 bytes: the lengths of its name and of the id, its type, its name.
    const NOTE: &[u8] = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0";
    let id = start.windows(NOTE.len() + 20).find_map(|window| window.strip_prefix(NOTE))?;
    start.starts_with(b"\x7fELF").then(|| of_bytes(id))
}

fn of_reader(start: &[u8], rest: &mut impl Read) -> Option<u128> {
    let mut hasher = SipHasher13::new();
    hasher.write(start);
    let mut part = vec![0; 1 << 16];
    loop {
        match rest.read(&mut part) {
            Ok(0) => return Some(hasher.finish128().as_u128()),
            Ok(read) => hasher.write(&part[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, Command};
    use crate::files::CommandFiles;
    use bone_format::{Loaded, load, no_fonts, system_fonts};
    use clap::Parser as _;
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::sync::Arc;

    #[test]
    fn a_program_is_known_by_its_build_id() {
        let program = |header: &[u8], id: u8, rest: u8| {
            let note = [b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0", [id; 20].as_slice()].concat();
            build_id(&[header, &[0; 700], &note, &[rest; 2000]].concat())
        };
        let elf = b"\x7fELF";
        assert!(program(elf, 1, 1).is_some_and(|id| Some(id) == program(elf, 1, 2)));
        assert_ne!(program(elf, 1, 1), program(elf, 2, 1));
        assert_eq!(program(b"MZ", 1, 1), None);
        let cut = [elf.as_slice(), b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\x00123"].concat();
        assert_eq!(build_id(&cut), None);
        assert_ne!(of_reader(b"a", &mut &b"bc"[..]), of_reader(b"a", &mut &b"bd"[..]));
        // The tests are linked as the program is.
        assert_eq!(build().is_some(), cfg!(target_os = "linux"));
    }

    const RIG: &str = r#"Rig(version: 1, drawing: "a.svg",
        bones: { "pole": (from: (5, 5), to: (35, 5)) },
        skin: [Rigid(art: "flag", bone: "pole")],
        clips: {
            "wave": (length: 2, bones: { "pole": (rotate: [(0, 0), (2, 30)]) }),
            "rest": (length: 2, bones: { "pole": (rotate: [(0, 0)]) }),
        },
    )"#;
    const SVG: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">
        <path id="flag" d="M5 5H35V20H5Z"/><text x="2" y="30" font-size="9">flag</text></svg>"#;

    /// The cache keys of a run in this folder, and of two of its frames.
    fn of(folder: &Path, fonts: bone_format::Fonts<'_>, message: &[&str]) -> (u128, u128, u128) {
        let rig = folder.join("a.ron").display().to_string();
        let args = Args::parse_from([&["render-frames", "render", rig.as_str()], message].concat());
        let Command::Render(args) = args.command else { panic!("render") };
        let Loaded { rig: scene, doc, .. } = load(&args.rig, Arc::new(CommandFiles::default()), fonts);
        let mut scene = scene.expect("no mistakes");
        if let Some(frames) = args.step {
            scene.set_step(frames);
        }
        let plan = RenderPlan::new(&args, &scene, doc.as_ref()).expect("a plan");
        let run = CacheKey::of_run(&args, &plan).expect("this program can be read");
        let mut state = FrameState::new(&scene);
        let mut frame = |at| {
            let planned_frame = plan.planned_frame(at);
            scene.pose(planned_frame.planned.clip, planned_frame.time, &mut state).expect("a pose");
            run.of_frame(&plan, &state)
        };
        (run.0, frame(3), frame(4))
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("a.ron"), RIG).expect("the rig");
        std::fs::write(folder.path().join("a.svg"), SVG).expect("the drawing");
        folder
    }

    #[test]
    fn what_does_not_change_a_frame_does_not_change_its_number() {
        let (one, other) = (folder(), folder());
        let plain = of(one.path(), &no_fonts, &[]);
        assert_ne!(plain.1, plain.2, "two moments");
        assert_eq!(plain, of(other.path(), &no_fonts, &[]), "another place on the disk");
        let message =
            ["-o", "x/", "-j3", "-q", "--existing", "skip", "--start-number", "7", "--progress", "none"];
        assert_eq!(plain, of(one.path(), &no_fonts, &message));
        assert_eq!(plain, of(one.path(), &no_fonts, &["--clip", "wave", "--size", "40x40"]));
        // Frame 6 at twice the rate is frame 3.
        let (_, three, _) = of(one.path(), &no_fonts, &["--fps", "48", "--frames", "0-2,6,7"]);
        assert_eq!(plain.1, three);
    }

    #[test]
    fn what_may_change_a_frame_changes_its_number() {
        let folder = folder();
        let mut seen = BTreeSet::new();
        let mut new = |fonts: bone_format::Fonts<'_>, message: &[&str], why: &str| {
            let (_, three, _) = of(folder.path(), fonts, message);
            assert!(seen.insert(three), "{why}");
        };
        new(&no_fonts, &[], "nothing");
        for message in [
            &["--scale", "2"][..],
            &["--size", "41x40"],
            &["--background", "white"],
            &["--background", "#fffffffe"],
            &["--compress", "fast"],
            &["--format", "svg"],
            &["--dither", "ordered"],
            &["--step", "2"],
            &["--clip", "rest"],
            &["--fps", "25"],
            &["--overlay", "bones"],
            &["--overlay", "names"],
        ] {
            new(&no_fonts, message, &message.join(" "));
        }
        std::fs::write(folder.path().join("a.svg"), SVG.replace("35V", "36V")).expect("the drawing");
        new(&no_fonts, &[], "the drawing");
        std::fs::write(folder.path().join("a.ron"), RIG.replace("30)", "31)")).expect("the rig");
        new(&no_fonts, &[], "the rig");
    }

    #[test]
    fn frames_in_which_nothing_changed_keep_their_key() {
        let folder = folder();
        let keys = || of(folder.path(), &no_fonts, &[]);
        let before = keys();
        for (old, new) in [
            // A remark, another clip, a bone that carries nothing, a key that was there in effect.
            ("Rig(version", "// A flag.\nRig(version"),
            ("(rotate: [(0, 0)])", "(rotate: [(0, 9)])"),
            (
                "\"pole\": (from: (5, 5), to: (35, 5))",
                "\"pole\": (from: (5, 5), to: (35, 5)), \"rope\": (from: (0, 0), to: (1, 1))",
            ),
        ] {
            assert!(RIG.contains(old), "{old}");
            std::fs::write(folder.path().join("a.ron"), RIG.replace(old, new)).expect("the rig");
            assert_eq!(before, keys(), "{new}");
        }
        // Frame 3 is before the key from which on the two differ, frame 4 is behind it.
        let after = |last| {
            let keys = format!("(0, 0, Linear), (0.15, 5), (2, {last})");
            std::fs::write(folder.path().join("a.ron"), RIG.replace("(0, 0), (2, 30)", &keys))
                .expect("the rig");
            of(folder.path(), &no_fonts, &[])
        };
        let (one, other) = (after(30), after(40));
        assert_eq!((one.0, one.1), (other.0, other.1));
        assert_ne!(one.2, other.2);
    }

    #[test]
    fn fonts_that_are_used_count() {
        let folder = folder();
        let family = system_fonts().faces().find_map(|face| Some(face.families.first()?.0.clone()));
        let Some(family) = family else {
            println!("skipped: there are no fonts here");
            return;
        };
        let svg = SVG.replace("<text", &format!("<text font-family=\"{family}\""));
        std::fs::write(folder.path().join("a.svg"), svg).expect("the drawing");
        assert_ne!(of(folder.path(), &no_fonts, &[]).1, of(folder.path(), &system_fonts, &[]).1);
        // Fonts do not count without text.
        let plain = SVG.replace("flag</text>", "</text>");
        std::fs::write(folder.path().join("a.svg"), plain).expect("the drawing");
        assert_eq!(of(folder.path(), &no_fonts, &[]).1, of(folder.path(), &system_fonts, &[]).1);
    }
}
