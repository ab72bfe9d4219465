//! Bends the word by hand: one angle for every bone. Prints how much longer the hem gets outside than inside.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_core::{Angle, BonePose};
use bone_format::{Disk, load, no_fonts};
use bone_rig::{BoneOverride, FrameState, Overrides};
use kurbo::{BezPath, PathEl, Shape};

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("lettering/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let skeleton = rig.skeleton();
    let hem = rig.art().find("hem").map_err(|_| "no hem")?;
    let place = rig.posed_elements().iter().position(|element| *element == hem).ok_or("it is not bound")?;

    let (mut state, mut overrides) = (FrameState::new(&rig), Overrides::new());
    for degrees in [0.0, 6.0, 12.0, 18.0] {
        for (side, sign) in [("left", -1.0), ("right", 1.0)] {
            for number in 1..=4 {
                let bone = skeleton.find(&format!("{side}_{number}")).ok_or("no such bone")?;
                let turn = BonePose { angle: Angle::from_degrees(sign * degrees), ..BonePose::REST };
                overrides.bones.set(bone, BoneOverride::Add(turn));
            }
        }
        rig.pose_with(None, 0.0, &overrides, &mut state)?;
        // The hem is two lines, one above the word and one below.
        let mut lines: Vec<BezPath> = Vec::new();
        for element in state.posed().paths()[place].elements() {
            match (element, lines.last_mut()) {
                (PathEl::MoveTo(_), _) | (_, None) => lines.push(BezPath::from_vec(vec![*element])),
                (_, Some(line)) => line.push(*element),
            }
        }
        let lengths: Vec<f64> = lines.iter().map(|line| line.perimeter(1e-3)).collect();
        println!(
            "{degrees:>2} degrees a bone: above and below {lengths:.1?}, in all {:.1}",
            lengths.iter().sum::<f64>()
        );
    }
    Ok(())
}
