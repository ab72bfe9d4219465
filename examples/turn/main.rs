//! How far the nose of a turning head goes from its place at rest, at nine turns.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;

use bone_format::{Disk, load, no_fonts};
use bone_rig::{FrameState, Overrides};
use kurbo::Shape;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("turn/rig.ron");
    let rig = load(&path, std::sync::Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let nose = rig.art().find("nose")?;
    let place = rig.posed_elements().iter().position(|element| *element == nose).ok_or("the nose bends")?;
    let slider = |name: &str| rig.sliders().iter().position(|slider| slider.name == name).ok_or("a slider");
    let (yaw, pitch) = (slider("yaw")?, slider("pitch")?);
    let mut state = FrameState::new(&rig);
    let mut middle = |turn: (f64, f64)| {
        let mut overrides = Overrides::new();
        overrides.sliders.set(yaw, turn.0);
        overrides.sliders.set(pitch, turn.1);
        rig.pose_with(None, 0.0, &overrides, &mut state)?;
        Ok::<_, Box<dyn Error>>(state.posed().paths()[place].bounding_box().center())
    };
    let rest = middle((0.0, 0.0))?;
    for up in [30.0, 0.0, -30.0] {
        for side in [-30.0, 0.0, 30.0] {
            let by = middle((side, up))? - rest;
            println!("yaw {side:>3}, pitch {up:>3}: ({:.1}, {:.1})", by.x, by.y);
        }
    }
    Ok(())
}
