//! Plays the braid live, in a wind that a program makes stronger and stronger: how near its bones come to the
//! shoulder that stops them, and how far its tip is lifted.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_core::spring::{Spring, SpringState, Springs, StopShape, Wind};
use bone_core::{BoneId, Pose, WorldPose};
use bone_format::{Disk, load, no_fonts};
use kurbo::{Line, ParamCurveNearest, Vec2};

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scarf/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let skeleton = rig.skeleton();
    let braid: Vec<BoneId> = (1..=7).filter_map(|k| skeleton.find(&format!("braid_{k}"))).collect();
    let tip = *braid.last().ok_or("no braid")?;
    for strength in [0.0, 400.0, 900.0, 1800.0, 3600.0] {
        let wind = Wind { turbulence: 0.5, ..Wind::steady(Vec2::new(strength, 0.0)) };
        let springs = rig.springs().springs().filter(|spring| braid.contains(&spring.bone));
        let springs: Vec<Spring> = springs.map(|spring| Spring { wind: Some(wind), ..spring }).collect();
        let stop = springs.iter().find_map(|spring| spring.stop).ok_or("no stop")?;
        let StopShape::Circle { centre, radius } = stop.shape else { return Err("no circle".into()) };
        let springs = Springs::new(skeleton, springs)?;

        // She stands still: the pose at rest.
        let (pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
        world.forward(skeleton, &pose)?;
        let mut state = SpringState::new(&springs, skeleton, &pose, &world);
        let (mut swung, mut placed) = (pose.clone(), world.clone());
        let (mut nearest, mut least, mut most) = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY);
        for _ in 0..600 {
            state.step(&springs, skeleton, &pose, &world, 1.0 / 60.0);
            swung.copy_from(&pose);
            state.apply(&springs, skeleton, &mut swung);
            placed.forward(skeleton, &swung)?;
            for bone in &braid {
                let line = Line::new(placed.origin(*bone), placed.tip(skeleton, &swung, *bone));
                nearest = nearest.min(line.nearest(centre, 1e-9).distance_sq.sqrt() - radius);
            }
            let height = skeleton.setup_tip(tip).y - placed.tip(skeleton, &swung, tip).y;
            (least, most) = (least.min(height), most.max(height));
        }
        println!(
            "wind of {strength}: {:.2} units from the shoulder at least, the tip lifted by {least:.0} to {most:.0}",
            (100.0 * nearest).round() / 100.0 + 0.0
        );
    }
    Ok(())
}
