//! Measures posed outlines: the share of its area that each tube keeps while it bends, for each blend.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, load, no_fonts};
use bone_rig::FrameState;
use kurbo::Shape;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("elbow/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let clip = rig.clips().first().ok_or("no clip")?;
    let mut state = FrameState::new(&rig);
    let name = |at: usize| {
        let element = rig.posed_elements().get(at).and_then(|id| rig.art().element(*id));
        element.map(|e| e.name()).unwrap_or_default()
    };

    // The setup pose is the drawing: what the outlines measure there is what they should keep.
    rig.pose(None, 0.0, &mut state)?;
    let rest: Vec<f64> = state.posed().paths().iter().map(|path| path.area().abs()).collect();
    // Only the tubes: lines have no area to lose.
    let tubes: Vec<usize> = (0..rest.len()).filter(|&i| rest[i] > 1000.0).collect();

    println!("{:>8} {}", "seconds", tubes.iter().map(|&i| format!("{:>16}", name(i))).collect::<String>());
    for step in 0..=6 {
        let time = clip.time().length * f64::from(step) / 12.0;
        rig.pose(Some(clip), time, &mut state)?;
        let kept =
            |&i: &usize| format!("{:>14.1} %", state.posed().paths()[i].area().abs() / rest[i] * 100.0);
        println!("{time:>8.2} {}", tubes.iter().map(kept).collect::<String>());
    }
    Ok(())
}
