//! Instructions of a frame of 1920x1080, step by step, the naive way and ours, counted by valgrind: on a busy machine they say more than
//! times, and are nearly the same each time. Without valgrind it says so and is done.
//!
//! It runs itself in valgrind for each step and all before it, with one frame and with three: what two frames more cost is counted,
//! not what loading does.
#![allow(clippy::print_stdout, reason = "a bench prints")]

mod drawings;

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use bone_format::{Disk, load, no_fonts};
use bone_render::{Compress, FrameOptions, FrameSize, Pixmap, PngEncoder, Raster};
use bone_rig::{FrameState, Rig};

const DRAWINGS: [&str; 4] = ["cartoon", "strokes", "scene", "walk"];
/// Each step comes after those before it.
const NAIVE: [&str; 5] = ["pose", "rewrite", "parse and draw", "straight", "png"];
const OURS: [&str; 3] = ["pose", "draw", "encode"];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [way, drawing, steps, frames] = &args[..] {
        let number = |word: &str| word.parse().expect("a number");
        run(way, &scene(drawing), number(steps), number(frames));
        return;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("no valgrind here: nothing is counted");
        return;
    }
    println!("millions of instructions of a frame of 1920x1080");
    for drawing in DRAWINGS {
        let [naive, fast, balanced] = [("naive", &NAIVE[..]), ("fast", &OURS[..]), ("balanced", &OURS[..])]
            .map(|(way, steps)| row(way, drawing, steps));
        println!("{:>18} naive / fast {:.1}, naive / balanced {:.1}", "", naive / fast, naive / balanced);
    }
}

fn row(way: &str, drawing: &str, names: &[&str]) -> f64 {
    let mut before = 0.0;
    print!("{:>18}", format!("{drawing} {way}"));
    for (step, name) in (1..).zip(names) {
        let [one, three] = [1, 3].map(|frames| counted(way, drawing, step, frames));
        let all = (three - one) / 2.0;
        print!("  {name} {:.1}", (all - before) / 1e6);
        before = all;
    }
    println!("  all {:.1}", before / 1e6);
    before
}

/// Instructions of a whole process.
fn counted(way: &str, drawing: &str, steps: u32, frames: u32) -> f64 {
    let out = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(std::env::current_exe().expect("this program"))
        .args([way, drawing, &steps.to_string(), &frames.to_string()])
        .output()
        .expect("valgrind runs");
    let told = String::from_utf8_lossy(&out.stderr);
    let count = told.lines().find_map(|line| Some(line.split_once("refs:")?.1.trim().replace(',', "")));
    count.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{told}"))
}

fn scene(name: &str) -> Rig {
    if name != "walk" {
        return drawings::scene(name);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/walk/rig.ron");
    load(&path, Arc::new(Disk), &no_fonts).rig.expect("the examples are sound")
}

fn run(way: &str, scene: &Rig, steps: u32, frames: u32) {
    let options = FrameOptions { size: FrameSize::new(1920, 1080).expect("a usable size"), background: None };
    let clip = scene.clips().first();
    let (mut state, mut pixmap) = (FrameState::new(scene), Pixmap::new(1920, 1080).expect("memory"));
    let (raster, mut encoder, mut png) = (Raster::default(), PngEncoder::new(), Vec::new());
    for frame in 0..frames {
        scene.pose(clip, f64::from(frame) / 24.0, &mut state).expect("a pose");
        if way == "naive" {
            if steps > 1 {
                scene.write_svg(&mut state);
            }
            if steps > 2 {
                raster.draw(state.svg(), &options, &mut pixmap).expect("a frame");
            }
            if steps == 4 {
                black_box(pixmap.clone().take_demultiplied());
            }
            if steps > 4 {
                black_box(pixmap.encode_png().expect("a frame"));
            }
            continue;
        }
        if steps > 1 {
            scene.draw(&mut state, &options, &mut pixmap).expect("a frame");
        }
        if steps > 2 {
            let compress = if way == "fast" { Compress::Fast } else { Compress::Balanced };
            encoder.encode(black_box(&pixmap), compress, &mut png).expect("a frame");
        }
    }
}
