//! How wide the ink of a brow is in moments of a clip, measured on its outline.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;

use bone_format::{Disk, load, no_fonts};
use bone_rig::FrameState;
use kurbo::Shape;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("brush/rig.ron");
    let rig = load(&path, std::sync::Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let drawing = rig.posable().drawing();
    let brow = drawing.shape_node(drawing.find("brow.L")?).ok_or("the brow is a path")?;
    let mut state = FrameState::new(&rig);
    for moment in 0..=12 {
        let time = f64::from(moment) * 0.2;
        rig.pose(rig.clip("angry"), time, &mut state)?;
        let outline = state.frame().outline(drawing, brow).ok_or("the brow has an outline")?;
        // The area over the length of one side.
        let width = 2.0 * outline.area().abs() / outline.perimeter(1e-3);
        println!("{time:.1} s: {width:.1} units wide in the mean");
    }
    Ok(())
}
