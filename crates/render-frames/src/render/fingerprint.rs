//! What a frame depends on, as one number: if it is the same, so are the frame's bytes.
//! Refuses to guess: what cannot be read gives no fingerprint, and without one no frame is trusted.

use std::collections::BTreeSet;
use std::fs::File;
use std::hash::Hasher as _;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ::render::{Background, Compress, Encoding, FrameOptions};
use rig::{Disk, Files};
use siphasher::sip128::{Hasher128 as _, SipHasher13};

use super::plan::{Piece, Plan};
use crate::args::Render;

/// The number of some bytes: those of a frame's file, for example.
pub(super) fn of_bytes(bytes: &[u8]) -> u128 {
    SipHasher13::new().hash(bytes).as_u128()
}

/// Values that follow each other, each told from the next.
struct Mix(SipHasher13);

impl Mix {
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

/// The disk, and what was read from it: rig, drawing, linked images.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// Each file with the number of its bytes, or that there was none.
    seen: Mutex<BTreeSet<(PathBuf, Option<u128>)>>,
}

impl Files for Watched {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = Disk.read(path);
        let number = bytes.as_deref().ok().map(of_bytes);
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert((path.to_owned(), number));
        bytes
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        Disk.beside(path)
    }
}

/// What all frames of a run depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint(u128);

impl Fingerprint {
    /// Nothing if this program cannot be read: there is no telling, then, whether another one draws the same.
    pub(super) fn of_run(args: &Render, plan: &Plan<'_>, files: &Watched) -> Option<Self> {
        // A new option is listed here, with what it changes or why it changes no frame.
        let Render {
            rig,
            // What is in a frame, not where it goes.
            output: _,
            start_number: _,
            existing: _,
            // Of a frame's own number: its clip and its time.
            clip: _,
            frames: _,
            fps: _,
            // In the plan's options and encoding.
            size: _,
            scale: _,
            background: _,
            format: _,
            compress: _,
            step,
            // How, not what.
            jobs: _,
            progress: _,
            quiet: _,
            help: _,
        } = args;
        let mut mix = Mix::new();
        mix.bytes(&engine()?.to_le_bytes());
        for (path, number) in files.seen.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // As the rig sees it: the whole folder may be elsewhere the next time.
            let path = rig.parent().and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path);
            mix.bytes(path.as_os_str().as_encoded_bytes());
            mix.bytes(number.map(u128::to_le_bytes).as_ref().map_or(&[], |bytes| bytes));
        }
        // Texts are outlines by now: of all fonts, those that were used count.
        mix.bytes(plan.scene.art().svg().as_bytes());
        mix.number(step.map_or(0, u64::from));
        options(&mut mix, plan.options, plan.encoding);
        Some(Self(mix.finish()))
    }

    /// The number of one frame. Its rate and its number do not matter, nor does its file: it is what is played, and when.
    pub(super) fn of_frame(self, piece: Piece<'_>) -> u128 {
        let mut mix = Mix::new();
        mix.bytes(&self.0.to_le_bytes());
        mix.number(u64::from(piece.shot.clip.is_some())).bytes(piece.shot.name().as_bytes());
        mix.number(piece.time.to_bits()).finish()
    }
}

fn options(mix: &mut Mix, options: FrameOptions, encoding: Encoding) {
    let FrameOptions { size, background } = options;
    mix.number(size.width().into()).number(size.height().into());
    mix.bytes(background.as_ref().map_or(&[], |Background { rgba }| rgba));
    mix.number(match encoding {
        Encoding::Png(Compress::Fast) => 0,
        Encoding::Png(Compress::Balanced) => 1,
        Encoding::Png(Compress::Small) => 2,
        Encoding::Rgba => 3,
        Encoding::Y4m => 4,
        Encoding::Svg => 5,
    });
}

/// The number of this very program: pixels are for one build.
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
