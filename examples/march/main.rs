//! Plays the walk as a game does, and reports each step of a foot at the moment at which it is on the ground.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, load, no_fonts};
use bone_rig::{FrameState, Mixer, MixerEvent};

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("march/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let (mut mixer, mut state) = (Mixer::new(&rig), FrameState::new(&rig));
    let walk = mixer.play(&rig, rig.clip("march").ok_or("no clip")?, 0.0)?;
    // Frames come when they come.
    let mut time = 0.0;
    for seconds in [0.0, 0.016, 0.41, 0.2, 0.033, 0.5, 0.25, 0.7, 0.016] {
        mixer.set_speed(walk, 1.2)?;
        mixer.step(&rig, seconds, &mut state)?;
        time += seconds;
        for event in mixer.events() {
            if let MixerEvent::Key { event, .. } = event {
                let name = &rig.events()[event.index()].name;
                println!("by {time:.3} s: {name}");
            }
        }
    }
    Ok(())
}
