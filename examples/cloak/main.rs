//! Writes one frame as an SVG with the ids and groups of the drawing, for use in other programs.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, load, no_fonts};
use bone_render::{Encoding, FrameContent, FrameName, FrameSink, NumberedFiles};
use bone_rig::FrameState;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cloak/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let clip = rig.clips().first().ok_or("no clip")?;

    let mut state = FrameState::new(&rig);
    rig.pose(Some(clip), 0.25 * clip.time().length, &mut state)?;
    // Counts the parts whose numbers cannot be written in an SVG; they stay at rest.
    let skipped = rig.write_svg(&mut state);

    let file = std::env::temp_dir().join("cloak.svg");
    let name = file.clone();
    let bytes = NumberedFiles::with(move |_| name.clone())
        .encoded(Encoding::Svg)
        .write(FrameName { number: 0 }, FrameContent::Svg(state.svg()))?;
    println!("{} ({bytes} bytes, {} paths posed, {skipped:?})", file.display(), state.posed().paths().len());
    Ok(())
}
