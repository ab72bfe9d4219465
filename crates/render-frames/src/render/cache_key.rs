//! The cache key of a frame: a hash of everything that the frame depends on. Frames with the same key have
//! the same bytes. If something cannot be read there is no key, and the frame is drawn again.

use std::collections::BTreeSet;
use std::fs::File;
use std::hash::Hasher as _;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ::render::{Background, Compress, Encoding, svg_text};
use rig_format::{Files, ReadRules};
use siphasher::sip128::{Hasher128 as _, SipHasher13};

use super::plan::{PlannedFrame, RenderPlan};
use crate::args::RenderArgs;
use crate::files::CommandFiles;

/// The hash of some bytes, for example those of a frame's file.
pub(super) fn of_bytes(bytes: &[u8]) -> u128 {
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

    fn finish(&self) -> u128 {
        self.0.finish128().as_u128()
    }
}

/// Reads files and keeps their hashes: rig, drawing, linked images.
#[derive(Debug, Default)]
pub(crate) struct ReadFiles {
    files: CommandFiles,
    /// Each file with the hash of its bytes, or `None` if it did not exist.
    seen: Mutex<BTreeSet<(PathBuf, Option<u128>)>>,
}

impl ReadFiles {
    pub(super) fn new(files: CommandFiles) -> Self {
        Self { files, seen: Mutex::default() }
    }
}

impl Files for ReadFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = self.files.read(path);
        let number = bytes.as_deref().ok().map(of_bytes);
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert((path.to_owned(), number));
        bytes
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.files.resolve(path)
    }

    fn rules(&self) -> ReadRules {
        self.files.rules()
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        self.files.beside(path)
    }
}

/// The cache key of everything that all frames of a run depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CacheKey(u128);

impl CacheKey {
    /// `None` if the program's own file cannot be read, because another build may draw other pixels.
    pub(super) fn of_run(args: &RenderArgs, plan: &RenderPlan<'_>, files: &ReadFiles) -> Option<Self> {
        // A new option must be listed here, with its effect or the reason why it changes no frame.
        let RenderArgs {
            rig,
            // Where a frame is written does not change it.
            output: _,
            start_number: _,
            existing: _,
            // These choose the clip and the time of a frame, which are in its own key.
            clip: _,
            frames: _,
            fps: _,
            // These are in the plan's options and encoding.
            size: _,
            scale: _,
            background: _,
            format: _,
            compress: _,
            step,
            samples,
            overlay,
            // These do not change the pixels.
            jobs: _,
            progress: _,
            quiet: _,
            verbose: _,
            // Files of all frames are not looked up.
            animation: _,
            // These are in the plan's view.
            view: _,
            // Which files are read is in what was read.
            files: _,
        } = args;
        let mut hasher = KeyHasher::new();
        hasher.bytes(&engine()?.to_le_bytes());
        for (path, number) in files.seen.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // Relative to the rig, because the folder may be moved.
            let path = rig.parent().and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path);
            hasher.bytes(path.as_os_str().as_encoded_bytes());
            hasher.bytes(number.map(u128::to_le_bytes).as_ref().map_or(&[], |bytes| bytes));
        }
        // Text is converted to outlines, so only fonts that were used count.
        hasher.bytes(svg_text(plan.scene.art()).as_bytes());
        hasher.number(step.map_or(0, u64::from)).number(u64::from(*samples));
        hasher.bytes(overlay.as_ref().map(|layers| format!("{layers:?}")).unwrap_or_default().as_bytes());
        options(&mut hasher, plan);
        Some(Self(hasher.finish()))
    }

    /// The cache key of one frame. It depends on the clip and the time, not on the frame rate, the number or
    /// the file.
    pub(super) fn of_frame(self, planned_frame: PlannedFrame<'_>) -> u128 {
        let mut hasher = KeyHasher::new();
        hasher.bytes(&self.0.to_le_bytes());
        hasher
            .number(u64::from(planned_frame.planned.clip.is_some()))
            .bytes(planned_frame.planned.name().as_bytes());
        hasher.number(planned_frame.time.to_bits()).finish()
    }
}

fn options(hasher: &mut KeyHasher, plan: &RenderPlan<'_>) {
    let RenderPlan { view, cut, encoding, .. } = plan;
    hasher.number(view.size.width().into()).number(view.size.height().into());
    hasher.bytes(view.background.as_ref().map_or(&[], |Background { rgba }| rgba));
    for number in view.transform.as_coeffs() {
        hasher.number(number.to_bits());
    }
    hasher.number(u64::from(cut.is_some()));
    for side in cut.map_or([0.0; 4], |cut| [cut.x0, cut.y0, cut.x1, cut.y1]) {
        hasher.number(side.to_bits());
    }
    hasher.number(match *encoding {
        Encoding::Png(Compress::Fast) => 0,
        Encoding::Png(Compress::Balanced) => 1,
        Encoding::Png(Compress::Small) => 2,
        Encoding::Rgba => 3,
        Encoding::Y4m => 4,
        Encoding::Svg => 5,
    });
}

/// The hash of this program's file: pixels are the same only for one build.
fn engine() -> Option<u128> {
    let mut file = File::open(std::env::current_exe().ok()?).ok()?;
    let mut hasher = SipHasher13::new();
    let mut part = vec![0; 1 << 16];
    loop {
        match file.read(&mut part) {
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
    use clap::Parser as _;
    use rig_format::{Loaded, load, no_fonts, system_fonts};
    use std::sync::Arc;

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
    fn of(folder: &Path, fonts: rig_format::Fonts<'_>, message: &[&str]) -> (u128, u128, u128) {
        let rig = folder.join("a.ron").display().to_string();
        let args = Args::parse_from([&["render-frames", "render", rig.as_str()], message].concat());
        let Command::Render(args) = args.command else { panic!("render") };
        let files = Arc::new(ReadFiles::default());
        let Loaded { rig: scene, .. } = load(&args.rig, files.clone(), fonts);
        let scene = scene.expect("no mistakes");
        let plan = RenderPlan::new(&args, &scene, None).expect("a plan");
        let run = CacheKey::of_run(&args, &plan, &files).expect("this program can be read");
        (run.0, run.of_frame(plan.planned_frame(3)), run.of_frame(plan.planned_frame(4)))
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
        let mut new = |fonts: rig_format::Fonts<'_>, message: &[&str], why: &str| {
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
            &["--compress", "small"],
            &["--format", "svg"],
            &["--step", "2"],
            &["--clip", "rest"],
            &["--fps", "25"],
        ] {
            new(&no_fonts, message, &message.join(" "));
        }
        std::fs::write(folder.path().join("a.svg"), SVG.replace("35V", "36V")).expect("the drawing");
        new(&no_fonts, &[], "the drawing");
        std::fs::write(folder.path().join("a.ron"), RIG.replace("30)", "31)")).expect("the rig");
        new(&no_fonts, &[], "the rig");
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
