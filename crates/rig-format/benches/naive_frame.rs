//! A frame of 1920x1080 the naive way and ours, step by step, on one thread. Naive: pose, rewrite the SVG, parse it, draw it with
//! resvg, take the alpha out of the colours, PNG as `png` has it by default. Ours: pose, draw, encode. Prints; judges nothing.

mod clock;
mod drawings;

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bone_format::{Disk, load, no_fonts};
use bone_render::{Compress, FrameOptions, FrameSize, Pixmap, PngEncoder, Raster};
use bone_rig::{FrameState, Rig};
use clock::clock;

const EXAMPLES: [&str; 3] = ["first-bone", "arm", "walk"];
const DRAWINGS: [&str; 5] = ["cartoon", "strokes", "one feather", "scene", "walk"];
const SIZE: (u32, u32) = (1920, 1080);
const FRAMES: u32 = 24;

fn main() {
    divan::main();
    summary();
}

fn scene(name: &str) -> Rig {
    if !EXAMPLES.contains(&name) {
        return drawings::scene(name);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).join("rig.ron");
    load(&path, Arc::new(Disk), &no_fonts).rig.expect("the examples are sound")
}

fn options() -> FrameOptions {
    FrameOptions { size: FrameSize::new(SIZE.0, SIZE.1).expect("a usable size"), background: None }
}

#[divan::bench(args = EXAMPLES)]
fn pose(bencher: divan::Bencher<'_, '_>, example: &str) {
    let scene = scene(example);
    let clip = scene.clips().first();
    let mut state = FrameState::new(&scene);
    bencher.bench_local(|| scene.pose(black_box(clip), black_box(0.37), &mut state));
}

/// Times of steps, one list a step.
struct Steps<const N: usize> {
    times: [Vec<f64>; N],
    started: Instant,
    last: Duration,
}

impl<const N: usize> Steps<N> {
    fn new() -> Self {
        let started = Instant::now();
        Self { times: std::array::from_fn(|_| Vec::new()), started, last: clock(started) }
    }

    fn begin(&mut self) {
        self.last = clock(self.started);
    }

    fn end(&mut self, step: usize) -> f64 {
        let took = clock(self.started).saturating_sub(self.last).as_secs_f64() * 1e3;
        self.times[step].push(took);
        self.begin();
        took
    }

    fn medians(mut self) -> [f64; N] {
        self.times.each_mut().map(|times| {
            times.sort_by(f64::total_cmp);
            times.get(times.len() / 2).copied().unwrap_or(0.0)
        })
    }
}

/// Pose, rewrite, parse, draw, demultiply and PNG; and the bytes of a frame.
fn naive(scene: &Rig) -> ([f64; 6], usize) {
    let clip = scene.clips().first();
    let (mut state, mut pixmap) = (FrameState::new(scene), Pixmap::new(SIZE.0, SIZE.1).expect("memory"));
    let (raster, options, mut bytes) = (Raster::default(), options(), 0);
    let mut steps = Steps::<6>::new();
    for frame in 0..FRAMES {
        steps.begin();
        let _ = scene.pose(clip, f64::from(frame) / f64::from(FRAMES), &mut state);
        steps.end(0);
        scene.write_svg(&mut state);
        steps.end(1);
        // Parsed once more than a frame needs, to know its share of `draw`, which parses too.
        black_box(usvg::Tree::from_str(state.svg(), &usvg::Options::default()).is_ok());
        let parse = steps.end(2);
        let _ = raster.draw(state.svg(), &options, &mut pixmap);
        let drawn = steps.end(3);
        steps.times[3].pop();
        steps.times[3].push((drawn - parse).max(0.0));
        black_box(pixmap.clone().take_demultiplied());
        let straight = steps.end(4);
        bytes += pixmap.encode_png().map_or(0, |png| png.len());
        let encoded = steps.end(5);
        steps.times[5].pop();
        steps.times[5].push((encoded - straight).max(0.0));
    }
    (steps.medians(), bytes / FRAMES as usize)
}

/// Pose, draw and encode; and the bytes of a frame.
fn ours(scene: &Rig, compress: Compress) -> ([f64; 3], usize) {
    let clip = scene.clips().first();
    let (mut state, mut pixmap) = (FrameState::new(scene), Pixmap::new(SIZE.0, SIZE.1).expect("memory"));
    let (mut encoder, mut png, options, mut bytes) = (PngEncoder::new(), Vec::new(), options(), 0);
    let mut steps = Steps::<3>::new();
    for frame in 0..FRAMES {
        steps.begin();
        let _ = scene.pose(clip, f64::from(frame) / f64::from(FRAMES), &mut state);
        steps.end(0);
        let drawn = scene.draw(&mut state, &options, &mut pixmap);
        assert!(drawn.is_ok_and(|drawn| !drawn.fell_back), "a frame that takes the way by text");
        steps.end(1);
        let _ = encoder.encode(&pixmap, compress, &mut png);
        steps.end(2);
        bytes += png.len();
    }
    (steps.medians(), bytes / FRAMES as usize)
}

#[allow(clippy::print_stdout, reason = "a bench prints its figures")]
fn summary() {
    println!("\na frame of {}x{}, one thread, CPU ms (median of {FRAMES} frames) and kB:", SIZE.0, SIZE.1);
    let head = ["pose", "rewrite", "parse", "draw", "straight", "png", "all", "kB"];
    println!("{:>18}{}", "", head.map(|word| format!("{word:>9}")).concat());
    let row = |name: &str, steps: &[Option<f64>], bytes: usize, ratio: String| {
        let all: f64 = steps.iter().flatten().sum();
        let cells: String = steps
            .iter()
            .chain([&Some(all)])
            .map(|ms| ms.map_or_else(|| " ".repeat(9), |ms| format!("{ms:>9.2}")))
            .collect();
        println!("{name:>18}{cells}{:>9}{ratio}", bytes / 1000);
        all
    };
    for drawing in DRAWINGS {
        let scene = scene(drawing);
        let (steps, naive_bytes) = naive(&scene);
        let naive_all = row(&format!("{drawing} naive"), &steps.map(Some), naive_bytes, String::new());
        let ways = [("fast", Compress::Fast), ("balanced", Compress::Balanced)];
        for (name, compress) in ways {
            let ([pose, walk, encode], bytes) = ours(&scene, compress);
            let steps = [Some(pose), None, None, Some(walk), None, Some(encode)];
            let all: f64 = steps.iter().flatten().sum();
            #[allow(clippy::cast_precision_loss, reason = "a ratio of a few digits")]
            let size = bytes as f64 / naive_bytes as f64;
            row(
                name,
                &steps,
                bytes,
                format!("   {:.1} times as fast, {size:.2} of the bytes", naive_all / all),
            );
        }
    }
}
