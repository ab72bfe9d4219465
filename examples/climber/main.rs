//! One foot of a rig goes round a circle while three others hold: the goals are set by a program, on top of a
//! clip. Prints how far the feet miss, and the greatest rotation of a joint from one frame to the next.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_core::{Angle, BonePose};
use bone_format::{Disk, load, no_fonts};
use bone_rig::{BoneOverride, FrameState, Overrides};

/// The bones whose tips are brought to the holds.
const FEET: [(&str, &str); 4] =
    [("fore.L", "hold.FL"), ("fore.R", "hold.FR"), ("shin.L", "hold.BL"), ("shin.R", "hold.BR")];

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("climber/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let skeleton = rig.skeleton();
    let hand = skeleton.find("hold.FR").ok_or("no such bone")?;
    let (mut state, mut overrides) = (FrameState::new(&rig), Overrides::new());
    let mut before: Option<Vec<f64>> = None;
    for radius in [10.0, 20.0, 30.0] {
        let (mut miss, mut most) = (0.0_f64, 0.0_f64);
        for frame in 0..=400 {
            let round = Angle::from_degrees(0.9 * f64::from(frame));
            // On top of the clip's motion, which is none without a clip.
            let by = BonePose { origin: round.direction() * radius, ..BonePose::REST };
            overrides.bones.set(hand, BoneOverride::Add(by));
            rig.pose_with(None, 0.0, &overrides, &mut state)?;
            for (tip, hold) in FEET {
                let tip = skeleton.find(tip).ok_or("no such bone")?;
                let hold = skeleton.find(hold).ok_or("no such bone")?;
                let (world, driven) = (state.world(), state.driven());
                miss = miss.max((world.tip(skeleton, driven, tip) - world.origin(hold)).hypot());
            }
            let angles: Vec<f64> = state.driven().bones.iter().map(|bone| bone.angle.degrees()).collect();
            if let Some(before) = before.replace(angles.clone()).filter(|_| frame > 0) {
                let turns = angles.iter().zip(&before).map(|(a, b)| (a - b).abs());
                most = turns.fold(most, f64::max);
            }
        }
        println!(
            "a circle of {radius}: feet miss by {miss:.1e} at most, joints turn by {most:.2} degrees a frame"
        );
    }
    Ok(())
}
