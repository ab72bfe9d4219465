//! The influence of bones with regions on points of the canvas, as a tool shows it while an artist edits a
//! radius.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, load, no_fonts};
use kurbo::Point;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("whale/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let skeleton = rig.skeleton();
    for x in [560.0, 470.0, 380.0, 290.0, 200.0, 110.0] {
        let point = Point::new(x, 210.0);
        let holds = skeleton.bones().filter_map(|bone| {
            let (origin, tip) = (skeleton.setup_origin(bone), skeleton.setup_tip(bone));
            let influence = skeleton.region(bone)?.influence(origin, tip, point);
            Some((skeleton.name(bone), influence)).filter(|(_, influence)| *influence > 0.0)
        });
        let holds: Vec<(&str, f64)> = holds.collect();
        // The weights of `Envelope` are the influences over their sum.
        let sum: f64 = holds.iter().map(|(_, influence)| influence).sum();
        let shares: Vec<String> =
            holds.iter().map(|(name, i)| format!("{name} {:.0} %", 100.0 * i / sum)).collect();
        println!("at {x:.0}: {}", shares.join(", "));
    }
    Ok(())
}
