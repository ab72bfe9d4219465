//! Turns the dial by hand, as a slider of a tool does: drivers act at once, springs need a clip and its
//! history. Then plays the clip with the same dial, and prints the lag of the flower.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_core::{Angle, BonePose};
use bone_format::{Disk, load, no_fonts};
use bone_rig::{BoneOverride, FrameState, Overrides};

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("plant/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let skeleton = rig.skeleton();
    let find = |name: &str| skeleton.find(name).ok_or("no such bone");
    let (dial, flower) = (find("thread")?, find("flower")?);

    // By hand: set one angle, place everything, read where the flower is.
    let (mut by_hand, mut overrides) = (FrameState::new(&rig), Overrides::new());
    for degrees in [0.0, -20.0, -40.0, -60.0] {
        let turn = BonePose { angle: Angle::from_degrees(degrees), ..BonePose::REST };
        overrides.bones.set(dial, BoneOverride::Add(turn));
        rig.pose_with(None, 0.0, &overrides, &mut by_hand)?;
        let at = by_hand.world().tip(skeleton, by_hand.driven(), flower);
        println!("the dial at {degrees:>5.0} degrees: the flower at {at:.0}");
    }

    // In the clip: the same place from the dial of that moment, and what springs make of it.
    let mut state = FrameState::new(&rig);
    for step in 0..=10 {
        let time = f64::from(step) * 0.5;
        rig.pose(rig.clip("gust"), time, &mut state)?;
        let swung = state.world().tip(skeleton, state.driven(), flower);
        overrides.bones.set(dial, BoneOverride::Set(state.pose().bones[dial.index()]));
        rig.pose_with(None, 0.0, &overrides, &mut by_hand)?;
        let driven = by_hand.world().tip(skeleton, by_hand.driven(), flower);
        println!("{time:.1} s: driven to {driven:.0}, swung to {swung:.0}");
    }
    Ok(())
}
