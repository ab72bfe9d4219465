//! What is heard when in a film: the sounds of its shots and of the clips that its actors play.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, load, no_fonts};
use bone_rig::EventPayload;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pond/scene.ron");
    let film = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the scene has mistakes")?;
    let clip = film.clips().iter().find(|clip| clip.name() == "film").ok_or("there is no film")?;
    println!("{:.1} s, {} bones", clip.time().length, film.skeleton().len());
    let (events, _) = clip.frame_events(film.fps(), 0..clip.frame_count(film.fps()), 1000);
    for found in events {
        let event = film.events().get(found.event.index()).ok_or("no such event")?;
        if let EventPayload::Sound(sound) = event.payload {
            println!("{:>5.2} s  {} at {:+} dB, from {} s", found.time, event.name, sound.gain, sound.from);
        }
    }
    Ok(())
}
