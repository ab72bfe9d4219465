//! Plays a state machine as a game does: inputs at some moments, a step for each frame, and what happens in it.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;

use bone_format::{Disk, load, no_fonts};
use bone_rig::{FrameState, Mixer, MixerEvent};

/// Which input is set to what, at which frame.
const PLAY: [(u32, &str, f64); 8] = [
    (20, "speed", 1.0),
    (90, "speed", 2.4),
    (130, "jump", 1.0),
    (200, "left", 1.0),
    (240, "speed", 0.0),
    (260, "peck", 1.0),
    (300, "jump", 1.0),
    (330, "left", 0.0),
];

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("chick/rig.ron");
    let rig = load(&path, std::sync::Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let machine = rig.machines().first().ok_or("the rig has no machine")?;
    let (mut mixer, mut state) = (Mixer::new(&rig), FrameState::new(&rig));
    mixer.start(&rig, 0, 0.0)?;
    let mut steps = 0;
    for frame in 0..360 {
        for (_, name, value) in PLAY.iter().filter(|(at, ..)| *at == frame) {
            let input =
                machine.inputs.iter().position(|input| input.name == *name).ok_or("an unknown input")?;
            mixer.set_machine_input(&rig, input, *value)?;
        }
        mixer.step(&rig, 1.0 / 60.0, &mut state)?;
        for event in mixer.events() {
            let time = f64::from(frame + 1) / 60.0;
            match event {
                MixerEvent::State { layer, state } => {
                    println!(
                        "{time:.2} s: layer {layer} enters \"{}\"",
                        machine.layers[*layer].states[*state].name
                    );
                }
                MixerEvent::Key { event, weight, .. } if *weight >= 0.5 => {
                    match &*rig.events()[event.index()].name {
                        "step.L" | "step.R" => steps += 1,
                        name => println!("{time:.2} s: it {name}"),
                    }
                }
                _ => {}
            }
        }
    }
    println!("{steps} steps of its feet");
    Ok(())
}
