//! Writes one moment as an SVG, with the ids and groups of the drawing: posed art goes on to any other program.
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use render::{Encoding, FrameContent, FrameName, FrameSink, NumberedFiles};
use rig::FrameState;
use rig_format::{Disk, load, no_fonts};

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cloak/rig.ron");
    let scene = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let clip = scene.clips().first().ok_or("no clip")?;

    let mut state = FrameState::new(&scene);
    scene.pose(Some(clip), 0.25 * clip.time().length, &mut state)?;
    // Parts whose numbers fit no SVG would stay at rest, and be counted here.
    let skipped = scene.write_svg(&mut state);

    let file = std::env::temp_dir().join("cloak.svg");
    let name = file.clone();
    let bytes = NumberedFiles::with(move |_| name.clone())
        .encoded(Encoding::Svg)
        .write(FrameName { number: 0 }, FrameContent::Svg(state.svg()))?;
    println!("{} ({bytes} bytes, {} paths posed, {skipped:?})", file.display(), state.posed().paths().len());
    Ok(())
}
