//! Composes the picture of the front page: eight frames of the walk side by side on one road. Shows that
//! posed drawings are ordinary SVGs, and that a rig can be loaded from memory with a changed drawing.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_format::{InMemory, load, no_fonts};
use bone_render::{
    FrameContent, FrameName, FrameOptions, FrameSink, FrameSize, NumberedFiles, Pixmap, Raster,
};
use bone_rig::{FrameState, Rig};

const SIZE: (u32, u32) = (1600, 440);
/// The part of the drawing's height that the strip shows, in drawing units.
const TOP: f64 = 45.0;
const HEIGHT: f64 = 740.0;
/// The distance of the figures; the scenery repeats after twice this distance.
const STEP: f64 = 330.0;

const SCENERY: [&str; 6] = ["sky", "sun", "hills", "trees", "ground", "road"];
const FIGURE: [&str; 11] = [
    "shadow",
    "far_arm",
    "far_leg",
    "near_leg",
    "tails",
    "torso",
    "scarf_back",
    "neck",
    "head",
    "scarf",
    "near_arm",
];

fn main() -> Result<(), Box<dyn Error>> {
    let file =
        std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("walk.png"), PathBuf::from);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("walk");
    let rig = std::fs::read_to_string(folder.join("rig.ron"))?;
    let drawing = std::fs::read_to_string(folder.join("drawing.svg"))?;
    let posed = |shown: &[&str], frame: f64| -> Result<String, Box<dyn Error>> {
        let scene = only(shown, &rig, &drawing)?;
        let mut state = FrameState::new(&scene);
        let clip = scene.clip("walk").filter(|_| frame >= 0.0);
        scene.pose(clip, frame / scene.fps(), &mut state)?;
        scene.write_svg(&mut state);
        Ok(state.svg().replacen("<svg ", "<svg overflow=\"visible\" ", 1))
    };

    let width = HEIGHT * f64::from(SIZE.0) / f64::from(SIZE.1);
    let mut strip =
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 {TOP} {width} {HEIGHT}\">");
    for part in SCENERY {
        let resting = posed(&[part], -1.0)?;
        match part {
            "sky" | "ground" => write!(strip, "<g transform=\"scale({} 1)\">{resting}</g>", width / 640.0)?,
            "sun" => write!(strip, "<g transform=\"translate({} 0)\">{resting}</g>", width / 2.0 - STEP)?,
            _ => {
                for k in -1..5 {
                    write!(
                        strip,
                        "<g transform=\"translate({} 0)\">{resting}</g>",
                        f64::from(k) * 2.0 * STEP
                    )?;
                }
            }
        }
    }
    for k in 0..8 {
        let figure = posed(&FIGURE, f64::from(k) * 3.0)?;
        write!(strip, "<g transform=\"translate({} 0)\">{figure}</g>", f64::from(k) * STEP - 130.0)?;
    }
    strip.push_str("</svg>");

    let size = FrameSize::new(SIZE.0, SIZE.1)?;
    let mut pixmap = Pixmap::new(SIZE.0, SIZE.1).ok_or("no memory")?;
    Raster::default().draw(&strip, &FrameOptions { size, background: None }, &mut pixmap)?;
    let name = file.clone();
    NumberedFiles::with(move |_| name.clone())
        .write(FrameName { number: 0 }, FrameContent::Pixels(&pixmap))?;
    println!("{}", file.display());
    Ok(())
}

/// The rig with all but a few groups of the drawing made invisible.
fn only(shown: &[&str], rig: &str, drawing: &str) -> Result<Rig, Box<dyn Error>> {
    let mut drawing = drawing.to_owned();
    for id in SCENERY.iter().chain(&FIGURE).filter(|id| !shown.contains(id)) {
        drawing = drawing.replacen(&format!(" id=\"{id}\""), &format!(" id=\"{id}\" opacity=\"0\""), 1);
    }
    let files = InMemory::new().with("rig.ron", rig).with("drawing.svg", drawing);
    let loaded = load("rig.ron".as_ref(), Arc::new(files), &no_fonts);
    loaded.rig.ok_or_else(|| "the rig has mistakes".into())
}
