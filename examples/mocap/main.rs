//! Fits the recording to the rig with growing tolerances, and prints the number of keys and the error of the
//! joints.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, load, no_fonts};
use bone_import::fit::fit;
use bone_import::retarget::{RetargetOptions, RigMap, retarget};
use bone_import::{ViewDirection, bvh, cycle, project};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("mocap");
    let rig = load(&folder.join("rig.ron"), Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let skeleton = rig.skeleton();

    // From joints in space to joints in the plane, and to one cycle that closes.
    let recording = bvh::read(&std::fs::read_to_string(folder.join("walk.bvh"))?)?;
    let motion = project(&recording, ViewDirection::SIDE, None)?.motion;
    let found = cycle::find(&motion).ok_or("nothing comes back")?;
    let motion = cycle::closed(&motion, &found)?;
    println!("a cycle of {} frames from frame {} on", found.period, found.start);

    // Onto the bones of the rig, which are known by their names.
    let map = RigMap::by_names(skeleton);
    let options = RetargetOptions { on_the_spot: true, looped: true, ..RetargetOptions::default() };
    let moved = retarget(&motion, &motion.body(), skeleton, &map, options)?;
    for plant in &moved.foot_locks {
        println!("{} stands from {:.2} to {:.2} s", skeleton.name(plant.bone), plant.from, plant.until);
    }
    println!("the ground goes by at {:.0} units a second", moved.drift);

    println!("\ntolerance  keys  keys a second and channel  a joint is off at most");
    for percent in [0.25, 0.5, 1.0, 2.0, 4.0] {
        let fitted = fit(skeleton, &moved.take, percent / 100.0 * moved.height)?;
        let off = 100.0 * fitted.max_error / moved.height;
        println!("{percent:>7} %  {:>4}  {:>25.1}  {off:>19.2} %", fitted.keys, fitted.density());
    }
    Ok(())
}
