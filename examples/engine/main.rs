//! Measures the machine: the position of the crosshead for a turn of the wheel, beside the formula of a crank
//! and its rod.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_core::{Angle, BonePose};
use bone_format::{Disk, load, no_fonts};
use bone_rig::{BoneOverride, FrameState, Overrides};

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let skeleton = rig.skeleton();
    let find = |name: &str| skeleton.find(name).ok_or("no such bone");
    let (wheel, crosshead, rod) = (find("wheel_2")?, find("crosshead")?, find("rod")?);

    let (mut state, mut overrides) = (FrameState::new(&rig), Overrides::new());
    for degrees in (0..=360).step_by(45) {
        let turn = Angle::from_degrees(f64::from(degrees));
        overrides.bones.set(wheel, BoneOverride::Add(BonePose { angle: turn, ..BonePose::REST }));
        rig.pose_with(None, 0.0, &overrides, &mut state)?;
        let slide = state.world().origin(crosshead).x;
        let pin = state.world().tip(skeleton, state.driven(), wheel);
        let apart = (state.world().tip(skeleton, state.driven(), rod) - pin).hypot();

        // The crank of radius 26 at (300, 282), the rod of length 177.
        let (sin, cos) = turn.sin_cos();
        let (across, along) = (26.0 * sin, 26.0 * cos);
        let formula = 300.0 + along + (177.0_f64 * 177.0 - across * across).sqrt();
        println!(
            "{degrees:>3} degrees: crosshead at {slide:.3}, by the formula {formula:.3}; rod and pin {apart:.1e} apart"
        );
    }
    Ok(())
}
