//! Poses a rig with constraints at times in any order: each frame is the same, whatever was posed before.
//! Prints the status of each constraint.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, load, no_fonts};
use bone_rig::FrameState;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("reach/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let skeleton = rig.skeleton();
    let brush = skeleton.find("brush").ok_or("no such bone")?;
    let mut state = FrameState::new(&rig);

    let mut first = Vec::new();
    for k in (0..8).chain((0..8).rev()) {
        let time = f64::from(k) * 0.5;
        rig.pose(rig.clip("paint"), time, &mut state)?;
        // `state.pose` is what the clip has set; `driven` is what came of it.
        let angles: Vec<f64> = state.driven().bones.iter().take(4).map(|bone| bone.angle.degrees()).collect();
        if first.len() < 8 {
            let tip = state.world().tip(skeleton, state.driven(), brush);
            println!("{time:.1} s: brush at {tip:.1?}, joints at {angles:.1?}, {:?}", state.statuses());
            first.push(angles);
        } else if first[k as usize] != angles {
            return Err(format!("{time} s came out differently on the way back").into());
        }
    }
    println!("and backwards the same, to the last bit");
    Ok(())
}
