//! Draws the title by hand: a program sets how much of each stroke is drawn, as a bar of progress does.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_drawing::ArtProperty;
use bone_format::{Disk, load, no_fonts};
use bone_rig::{FrameState, Overrides};
use kurbo::Shape;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("title/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let (mut state, mut overrides) = (FrameState::new(&rig), Overrides::new());
    let letters = ["b", "o", "n", "e"];
    for percent in [0.0, 30.0, 60.0, 100.0] {
        for (place, name) in letters.iter().enumerate() {
            let letter = rig.art().find(name).map_err(|_| "no such letter")?;
            // One letter after the other.
            let share = (percent / 100.0 * letters.len() as f64 - place as f64).clamp(0.0, 1.0);
            overrides.art.set((letter, ArtProperty::TrimEnd), share);
        }
        rig.pose_with(None, 0.0, &overrides, &mut state)?;
        let drawing = rig.posable().drawing();
        let stroked = |name: &&str| {
            let node = drawing.shape_node(rig.art().find(name).ok()?)?;
            Some(state.frame().outline(drawing, node)?.perimeter(1e-3))
        };
        let lengths: Vec<f64> = letters.iter().filter_map(stroked).collect();
        println!("{percent:>3} %: lengths {lengths:.0?}");
    }
    Ok(())
}
