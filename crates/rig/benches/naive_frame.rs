//! The naive frame at 1920x1080, step by step: pose, rewrite the SVG, parse it, draw it, encode it. Prints; judges nothing.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use render::{FrameOptions, FrameSize, Pixmap, Raster};
use rig::{Disk, FrameState, Scene, load, no_fonts};

fn main() {
    divan::main();
    summary();
}

fn scene(example: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example).join("rig.ron");
    load(&path, Arc::new(Disk), &no_fonts).scene.expect("the examples are sound")
}

const SIZE: (u32, u32) = (1920, 1080);

fn options() -> FrameOptions {
    FrameOptions { size: FrameSize::new(SIZE.0, SIZE.1).expect("a usable size"), background: None }
}

#[divan::bench(args = ["first-bone", "arm", "walk"])]
fn pose(bencher: divan::Bencher<'_, '_>, example: &str) {
    let scene = scene(example);
    let clip = scene.clips().first();
    let mut state = FrameState::new(&scene);
    bencher.bench_local(|| scene.pose(black_box(clip), black_box(0.37), &mut state));
}

#[allow(clippy::print_stdout, reason = "a bench prints its figures")]
fn summary() {
    println!("\nthe naive frame at {}x{}, one thread, ms a frame (median of 24 frames):", SIZE.0, SIZE.1);
    println!(
        "{:>12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "", "pose", "rewrite", "parse", "draw", "encode", "all", "kB"
    );
    for example in ["first-bone", "arm", "walk"] {
        let scene = scene(example);
        let clip = scene.clips().first();
        let mut state = FrameState::new(&scene);
        let mut pixmap = Pixmap::new(SIZE.0, SIZE.1).expect("memory");
        let (raster, options) = (Raster::default(), options());
        let mut steps: [Vec<f64>; 6] = Default::default();
        let mut bytes = 0;
        for frame in 0..24 {
            let mut clock = Instant::now();
            let mut lap = || {
                let now = Instant::now();
                let took = (now - clock).as_secs_f64() * 1e3;
                clock = now;
                took
            };
            let _ = scene.pose(clip, f64::from(frame) / 24.0, &mut state);
            steps[0].push(lap());
            scene.write_svg(&mut state);
            steps[1].push(lap());
            // Parsed once more than a frame needs, to know its share of `draw`, which parses too.
            black_box(usvg::Tree::from_str(state.svg(), &usvg::Options::default()).is_ok());
            let parse = lap();
            steps[2].push(parse);
            let _ = raster.draw(state.svg(), &options, &mut pixmap);
            steps[3].push((lap() - parse).max(0.0));
            bytes = pixmap.encode_png().map_or(0, |png| png.len());
            steps[4].push(lap());
            let all = steps[..5].iter().filter_map(|step| step.last()).sum();
            steps[5].push(all);
        }
        let medians = steps.map(|mut step| {
            step.sort_by(f64::total_cmp);
            step[step.len() / 2]
        });
        print!("{example:>12}");
        medians.iter().for_each(|ms| print!(" {ms:>9.3}"));
        println!(" {:>9}", bytes / 1000);
    }
}
