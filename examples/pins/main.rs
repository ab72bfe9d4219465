//! Weights that pins have at points of a drawing, found in two ways: within the outline, and by distances alone.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;

use bone_core::BoneId;
use bone_format::{Disk, load, no_fonts};
use bone_skin::{BoneSegment, CoveredShape, FieldOptions, Method, WindingRule, solve_weights};
use kurbo::Point;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pins/rig.ron");
    let rig = load(&path, std::sync::Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let (skeleton, art) = (rig.skeleton(), rig.art());
    let dough = art.outline(art.find("dough")?).ok_or("the dough is a path")?;
    let shapes = [CoveredShape { path: &dough.path, fill: Some(WindingRule::NonZero), stroke_width: 0.0 }];
    let pin = |bone: BoneId| {
        let at = skeleton.setup_origin(bone);
        // A bone whose tip is its origin is a point.
        BoneSegment { bone, origin: at, tip: at, region: None }
    };
    let pins: Vec<BoneSegment> = skeleton.bones().map(pin).collect();
    for method in [Method::Biharmonic, Method::InverseDistance(2.0)] {
        println!("{method:?}");
        let (field, _) = solve_weights(&shapes, &pins, method, FieldOptions::default())?;
        let mut weights = vec![0.0; pins.len()];
        for (x, y) in [(240.0, 200.0), (330.0, 216.0), (288.0, 368.0), (332.0, 480.0)] {
            field.weights_at(Point::new(x, y), &mut weights);
            let named = skeleton.bones().zip(&weights).filter(|(_, weight)| **weight > 0.005);
            let shown: Vec<String> = named
                .map(|(bone, weight)| format!("{} {:.0} %", skeleton.name(bone), 100.0 * weight))
                .collect();
            println!("at ({x}, {y}): {}", shown.join(", "));
        }
    }
    Ok(())
}
