//! One table: what takes how long here and elsewhere, in one run and on one thread, so that anyone can check it. resvg, usvg,
//! tiny-skia and `png` are always there. Skia, Blend2D and rlottie are, if the Python packages skia-python, blend2d-py
//! and rlottie-python are installed for the `python3` on the path (or for that of $PYTHON). Prints; judges nothing.
#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

#[path = "../../crates/rig-format/benches/clock/mod.rs"]
mod clock;
#[path = "../../crates/raster/benches/shapes/mod.rs"]
mod shapes;

use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use bone_drawing::Frame;
use bone_format::{Disk, Files as _, load, no_fonts};
use bone_raster::Filler;
use bone_render::{
    Compress, FrameOptions, FrameSize, Pixmap, PngEncoder, Raster, Renderer, Resources, Viewport, read_svg,
};
use bone_rig::{FrameState, Rig};
use clock::clock;
use serde_json::{Value, json};
use shapes::{Gradient, Shapes};
use tiny_skia::PathSegment;

const SIZE: (u32, u32) = (1920, 1080);
/// So small that filling pixels weighs little.
const SMALL: (u32, u32) = (192, 108);
const RUNS: usize = 9;
const FRAMES: u32 = 24;
const EXAMPLES: [&str; 3] = ["walk", "face", "whale"];
const KINDS: [&str; 9] =
    ["shapes", "clear", "strokes", "lines", "linear", "vertical", "linear of 4", "radial", "radial of 4"];

fn main() {
    println!(
        "processor time of one thread in ms, the least of {RUNS} runs; times: how often as long as ours\n"
    );
    println!("240 shapes on {} x {} pixels", SIZE.0, SIZE.1);
    let rivals = foreign(&json!({
        "size": [SIZE.0, SIZE.1], "runs": RUNS,
        "tasks": KINDS.map(|kind| json!({ "name": kind, "shapes": described(&Shapes::new(kind)) })),
        "lottie": lottie().map(|path| json!({ "path": path, "frames": FRAMES })),
    }));
    for kind in KINDS {
        let shapes = Shapes::new(kind);
        let (mut filler, mut pixmap) = (Filler::default(), picture(SIZE));
        let ours = least(|| shapes.ours(&mut filler, black_box(&mut pixmap)));
        let skia = least(|| shapes.theirs(black_box(&mut pixmap)));
        row(kind, ours, &[("tiny-skia".to_owned(), skia)], &rivals);
    }

    println!(
        "\na frame of {} x {}: posed and drawn; by resvg from the posed drawing, parsed and drawn",
        SIZE.0, SIZE.1
    );
    let mut pictures = Vec::new();
    for name in EXAMPLES {
        let (ours, resvg, pixmap) = frames(&rig(name));
        row(name, ours, &[("resvg".to_owned(), resvg)], &rivals);
        pictures.push((name, pixmap));
    }

    println!("\nPNG of the last of these frames, and its size");
    for (name, pixmap) in &pictures {
        let naive = least(|| pixmap.encode_png().expect("a frame").len());
        let bytes = pixmap.encode_png().map_or(0, |png| png.len());
        for (way, compress) in [("fast", Compress::Fast), ("balanced", Compress::Balanced)] {
            let (mut encoder, mut png) = (PngEncoder::new(), Vec::new());
            let ours = least(|| encoder.encode(black_box(pixmap), compress, &mut png).is_ok());
            let label = format!("png, {:.2} of whose bytes", png.len() as f64 / bytes.max(1) as f64);
            row(&format!("{name} {way}"), ours, &[(label, naive)], &[]);
        }
    }

    println!("\nfrom a drawing's text to {} x {} pixels", SMALL.0, SMALL.1);
    for name in EXAMPLES {
        let (ours, usvg, resvg) = first_pixel(&example(name).join("drawing.svg"));
        row(name, ours, &[("usvg's parse alone".to_owned(), usvg), ("resvg".to_owned(), resvg)], &[]);
    }
}

fn row(name: &str, ours: f64, here: &[(String, f64)], rivals: &[(String, String, f64)]) {
    let foreign = rivals.iter().filter(|(_, task, _)| task == name);
    let others = here.iter().map(|(rival, ms)| (rival, ms)).chain(foreign.map(|(rival, _, ms)| (rival, ms)));
    let others: String =
        others.map(|(rival, ms)| format!("  {rival} {ms:.2} ({:.2} times)", ms / ours)).collect();
    println!("{name:>16} {ours:>8.2}{others}");
}

fn least<T>(mut task: impl FnMut() -> T) -> f64 {
    let started = Instant::now();
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let begin = clock(started);
        black_box(task());
        best = best.min(clock(started).saturating_sub(begin).as_secs_f64() * 1e3);
    }
    best
}

fn picture((width, height): (u32, u32)) -> Pixmap {
    Pixmap::new(width, height).expect("memory")
}

fn options((width, height): (u32, u32)) -> FrameOptions {
    FrameOptions { size: FrameSize::new(width, height).expect("a size"), background: None }
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)
}

fn rig(name: &str) -> Rig {
    load(&example(name).join("rig.ron"), Arc::new(Disk), &no_fonts).rig.expect("the examples are sound")
}

/// The mean frame of a clip, by us and by resvg, and its last frame.
fn frames(rig: &Rig) -> (f64, f64, Pixmap) {
    let clip = rig.clips().first();
    let (mut state, mut pixmap, options) = (FrameState::new(rig), picture(SIZE), options(SIZE));
    let raster = Raster::default();
    let time = |frame: u32| f64::from(frame) / f64::from(FRAMES);
    let resvg = least(|| {
        for frame in (0..FRAMES).step_by(8) {
            rig.pose(clip, time(frame), &mut state).expect("a pose");
            rig.write_svg(&mut state);
            raster.draw(state.svg(), &options, &mut pixmap).expect("a picture");
        }
    });
    let ours = least(|| {
        for frame in 0..FRAMES {
            rig.pose(clip, time(frame), &mut state).expect("a pose");
            rig.draw(&mut state, &options, &mut pixmap).expect("a picture");
        }
    });
    (ours / f64::from(FRAMES), resvg / f64::from(FRAMES.div_ceil(8)), pixmap)
}

fn first_pixel(path: &Path) -> (f64, f64, f64) {
    let text = String::from_utf8(Disk.read(path).expect("a drawing")).expect("UTF-8");
    let options = options(SMALL);
    let mut pixmap = picture(SMALL);
    let usvg = least(|| usvg::Tree::from_str(&text, &usvg::Options::default()).expect("a drawing"));
    let resvg = least(|| Raster::default().draw(&text, &options, &mut pixmap).expect("a picture"));
    let ours = least(|| {
        let drawing = Arc::new(read_svg(&text, &Resources::default()).expect("a drawing").0);
        let view = Viewport::fit(&drawing, &options);
        Renderer::new().draw_into(&drawing, &Frame::default(), &view, pixmap.data_mut()).expect("a picture");
        drawing
    });
    (ours, usvg, resvg)
}

/// Shapes as numbers: their paths, colours and gradients.
fn described(shapes: &Shapes) -> Vec<Value> {
    let color = |color: tiny_skia::Color| {
        let color = color.to_color_u8();
        json!([color.red(), color.green(), color.blue(), color.alpha()])
    };
    let shape = |(k, (path, ts)): (usize, &(tiny_skia::Path, tiny_skia::Transform))| {
        let segments: Vec<Value> = path
            .segments()
            .map(|segment| match segment {
                PathSegment::MoveTo(p) => json!(["M", p.x, p.y]),
                PathSegment::LineTo(p) => json!(["L", p.x, p.y]),
                PathSegment::QuadTo(a, p) => json!(["Q", a.x, a.y, p.x, p.y]),
                PathSegment::CubicTo(a, b, p) => json!(["C", a.x, a.y, b.x, b.y, p.x, p.y]),
                PathSegment::Close => json!(["Z"]),
            })
            .collect();
        let stops: Vec<Value> =
            shapes.stops(k).into_iter().map(|(at, stop)| json!([at, color(stop)])).collect();
        let gradient = shapes.gradient.map(|gradient| match gradient {
            Gradient::Linear(ends) => json!({ "linear": ends, "stops": stops }),
            Gradient::Radial(circles) => json!({ "radial": circles, "stops": stops }),
        });
        json!({
            "path": segments, "transform": [ts.sx, ts.ky, ts.kx, ts.sy, ts.tx, ts.ty],
            "color": color(shapes.color(k)), "gradient": gradient,
            "stroke": shapes.stroke.as_ref().map(|stroke| stroke.width),
        })
    };
    shapes.paths.iter().enumerate().map(shape).collect()
}

/// The walk as Lottie, if the command line is built: `cargo build --release -p render-frames`.
fn lottie() -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/render-frames");
    let path = std::env::temp_dir().join("versus-walk.json");
    let rig = example("walk").join("rig.ron");
    let done =
        Command::new(program).arg(rig).arg("-o").arg(&path).args(["--existing", "overwrite", "-q"]).status();
    done.is_ok_and(|status| status.success()).then_some(path)
}

/// Times of programs of Python: rival, task, ms.
fn foreign(task: &Value) -> Vec<(String, String, f64)> {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/versus.py");
    let child = Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        println!("  python3 was not found: Skia, Blend2D and rlottie are left out");
        return Vec::new();
    };
    let sent = child.stdin.take().map(|mut stdin| stdin.write_all(task.to_string().as_bytes()));
    let output = child.wait_with_output().ok().filter(|_| matches!(sent, Some(Ok(()))));
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let mut times = Vec::new();
    for line in text.lines() {
        match line.split('\t').collect::<Vec<_>>().as_slice() {
            [rival, task, ms] => {
                times.extend(ms.parse().ok().map(|ms| ((*rival).to_owned(), (*task).to_owned(), ms)))
            }
            _ => println!("  {line}"),
        }
    }
    times
}
