//! Makes a motion graph of one captured walk, finds the walk along the path, and prints how well it follows it.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;

use bone_import::{ViewDirection, bvh, project};
use bone_motion_graph::{FollowOptions, GraphOptions, GroundPath, MotionGraph};
use bone_render::{Resources, read_svg};

/// The height of the figure, in units of the drawing of the path.
const HEIGHT: f64 = 120.0;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let capture = bvh::read(&std::fs::read_to_string(folder.join("mocap/walk.bvh"))?)?;
    let motion = project(&capture, ViewDirection::SIDE, None)?.motion;

    // Every pose fades into the poses that are like it; a mirrored copy lets the figure turn round.
    let graph = MotionGraph::new(&[motion], &GraphOptions { threshold: 0.06, ..GraphOptions::default() })?;
    println!("{} nodes, {} edges", graph.node_count(), graph.edge_count());

    let svg = std::fs::read_to_string(folder.join("stroll/path.svg"))?;
    let (drawing, _) = read_svg(&svg, &Resources::none())?;
    let outline = drawing.ids().find_map(|id| drawing.outline(id)).ok_or("the drawing has no path")?;
    let path = GroundPath::new(&outline.path, 0.002 * HEIGHT)?;

    let walk = graph.follow(&path, &FollowOptions::new(HEIGHT))?;
    let motion = graph.motion(&walk, &path, HEIGHT)?;
    println!(
        "{:.1} heights in {:.1} s, with {} fades; the end is missed by {:.1} % of the height",
        path.length() / HEIGHT,
        motion.frames() as f64 / motion.rate(),
        walk.fades,
        100.0 * walk.end_error
    );
    println!("speed of the hips beside the capture: {:.2}", graph.quality(&motion, HEIGHT).speed);
    Ok(())
}
