//! Sets the sliders of the face as a game does, and prints the weights of shapes that a program may set itself.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_drawing::ElementId;
use bone_format::{Disk, load, no_fonts};
use bone_rig::{FrameState, Overrides};
use kurbo::Shape;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("expressions/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let address = |id: &ElementId| rig.art().address(*id);
    let shapes = &rig.draw_order().shapes;
    let find = |art: &str, shape: &str| {
        shapes.iter().position(|(own, other)| address(own) == art && address(other) == shape)
    };
    let smile = rig.sliders().iter().position(|slider| slider.name == "smile").ok_or("no such slider")?;
    let surprise = find("mouth", "mouth_o").ok_or("no such shape")?;
    let (mut state, mut overrides) = (FrameState::new(&rig), Overrides::new());
    let drawing = rig.posable().drawing();
    let mouth = drawing.shape_node(rig.art().find("mouth").map_err(|_| "no mouth")?).ok_or("no path")?;
    for (smiles, wonders) in [(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.5)] {
        overrides.sliders.set(smile, smiles);
        overrides.shapes.set(surprise, wonders);
        rig.pose_with(None, 0.0, &overrides, &mut state)?;
        let area = state.frame().outline(drawing, mouth).map_or(0.0, |outline| outline.area().abs());
        println!("smile {smiles:>4}, \"mouth_o\" {wonders}: the mouth is {area:.0} square units");
    }
    Ok(())
}
