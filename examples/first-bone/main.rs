//! Loads a rig, poses it at one time of a clip and draws the frame into a PNG, in a few lines.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, load, system_fonts};
use bone_render::{FrameContent, FrameName, FrameOptions, FrameSink, FrameSize, NumberedFiles, Pixmap};
use bone_rig::FrameState;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("first-bone/rig.ron");

    // Once: read the rig and its drawing. What is wrong with them is plain data, with places.
    let loaded = load(&path, Arc::new(Disk), &system_fonts);
    let Some(rig) = loaded.rig else {
        let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
        return Err(messages.join("; ").into());
    };

    // A frame: pose, draw. One state a thread; any time, in any order.
    let mut state = FrameState::new(&rig);
    rig.pose(rig.clip("swing"), 0.5, &mut state)?;
    let size = FrameSize::from_scale(rig.art().size(), 1.0)?;
    let mut pixmap = Pixmap::new(size.width(), size.height()).ok_or("no memory")?;
    rig.draw(&mut state, &FrameOptions { size, background: None }, &mut pixmap)?;

    // A sink keeps it.
    let file = std::env::temp_dir().join("first-bone.png");
    let name = file.clone();
    let bytes = NumberedFiles::with(move |_| name.clone())
        .write(FrameName { number: 0 }, FrameContent::Pixels(&pixmap))?;
    println!("{} ({bytes} bytes)", file.display());
    Ok(())
}
