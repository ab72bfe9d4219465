//! The area of a puppet's dough in moments of a clip, against that at rest.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;

use bone_format::{Disk, load, no_fonts};
use bone_rig::FrameState;
use kurbo::Shape;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cookie/rig.ron");
    let rig = load(&path, std::sync::Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let dough = rig.art().find("dough")?;
    let place = rig.posed_elements().iter().position(|element| *element == dough).ok_or("the dough bends")?;
    let mut state = FrameState::new(&rig);
    let mut area = |time: f64| {
        rig.pose(rig.clip("squash"), time, &mut state)?;
        Ok::<f64, Box<dyn Error>>(state.posed().paths()[place].area().abs())
    };
    let rest = area(0.0)?;
    for moment in 0..=12 {
        let time = f64::from(moment) * 0.2;
        println!("{time:.1} s: {:.1} %", 100.0 * area(time)? / rest);
    }
    Ok(())
}
