//! Turns the dial by hand, as a slider of a tool does: drivers answer at once, springs ask for a clip and its history. Then
//! the same dial in the clip, with how far the flower lags behind.
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_core::Angle;
use rig::FrameState;
use rig_format::{Disk, load, no_fonts};

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("plant/rig.ron");
    let scene = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let skeleton = scene.skeleton();
    let find = |name: &str| skeleton.find(name).ok_or("no such bone");
    let (dial, flower) = (find("thread")?, find("flower")?);

    // By hand: set one angle, place everything, read where the flower is.
    let mut by_hand = FrameState::new(&scene);
    for degrees in [0.0, -20.0, -40.0, -60.0] {
        let turned = skeleton.setup(dial).angle + Angle::from_degrees(degrees);
        by_hand.pose.bones[dial.index()].angle = turned;
        scene.place(&mut by_hand)?;
        let at = by_hand.world().tip(skeleton, by_hand.driven(), flower);
        println!("the dial at {degrees:>5.0} degrees: the flower at {at:.0}");
    }

    // In the clip: the same place from the dial of that moment, and what springs make of it.
    let mut state = FrameState::new(&scene);
    for step in 0..=10 {
        let time = f64::from(step) * 0.5;
        scene.pose(scene.clip("gust"), time, &mut state)?;
        let swung = state.world().tip(skeleton, state.driven(), flower);
        by_hand.pose.bones[dial.index()].angle = state.pose.bones[dial.index()].angle;
        scene.place(&mut by_hand)?;
        let driven = by_hand.world().tip(skeleton, by_hand.driven(), flower);
        println!("{time:.1} s: driven to {driven:.0}, swung to {swung:.0}");
    }
    Ok(())
}
