//! PNG of frames of 1920 x 1080, every way compared with tiny-skia's and with the fast one of the crate `png`:
//! speed and bytes. A cartoon with and
//! without background, many small shapes with outlines, and gradients.
#![allow(clippy::print_stdout, reason = "a bench prints")]

use std::time::{Duration, Instant};

use bone_render::{Compress, Pixmap, PngEncoder};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use tiny_skia::{
    Color, FillRule, GradientStop, LinearGradient, Paint, PathBuilder, Point, SpreadMode, Stroke, Transform,
};

fn main() {
    println!("of 1920x1080, the best of {TRIES}: ms, times as fast as naive, kB, bytes to those of naive");
    for name in FRAMES {
        let pixmap = frame(name);
        let naive = best(|| pixmap.encode_png().expect("a frame").len());
        println!("{name:>10} {:>9} {:8.2} {:>6} {:6}", "naive", millis(naive.0), "", naive.1 / 1000);
        let rival = best(|| fast_of_png(&pixmap).len());
        report("", "png fast", rival, naive);
        for (way, compress) in [("fast", Compress::Fast), ("balanced", Compress::Balanced)] {
            let (mut encoder, mut png) = (PngEncoder::new(), Vec::new());
            let ours = best(|| {
                encoder.encode(&pixmap, compress, &mut png).expect("a frame");
                png.len()
            });
            report("", way, ours, naive);
        }
    }
    divan::main();
}

/// A line of the table.
fn report(name: &str, way: &str, found: (Duration, usize), naive: (Duration, usize)) {
    let faster = millis(naive.0) / millis(found.0);
    #[allow(clippy::cast_precision_loss, reason = "a ratio of a few digits")]
    let size = found.1 as f64 / naive.1 as f64;
    println!("{name:>10} {way:>9} {:8.2} {faster:6.1} {:6} {size:6.2}", millis(found.0), found.1 / 1000);
}

/// What a program with the crate `png` at its fastest does.
fn fast_of_png(pixmap: &Pixmap) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let straight: Vec<u8> = pixmap
        .pixels()
        .iter()
        .map(|pixel| pixel.demultiply())
        .flat_map(|color| [color.red(), color.green(), color.blue(), color.alpha()])
        .collect();
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&straight).expect("the pixels");
    writer.finish().expect("the end");
    bytes
}

const TRIES: usize = 7;
const FRAMES: [&str; 4] = ["cartoon", "empty", "outlines", "gradients"];

fn best(mut encode: impl FnMut() -> usize) -> (Duration, usize) {
    let mut found = (Duration::MAX, 0);
    for _ in 0..TRIES {
        let started = Instant::now();
        let bytes = encode();
        found = (found.0.min(started.elapsed()), bytes);
    }
    found
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn frame(name: &str) -> Pixmap {
    let mut pixmap = Pixmap::new(1920, 1080).expect("memory");
    match name {
        "empty" => cartoon(&mut pixmap),
        "outlines" => outlines(&mut pixmap),
        "gradients" => {
            gradients(&mut pixmap);
            cartoon(&mut pixmap);
        }
        _ => {
            pixmap.fill(Color::from_rgba8(238, 232, 213, 255));
            cartoon(&mut pixmap);
        }
    }
    pixmap
}

fn shape(x: f32, y: f32) -> tiny_skia::Path {
    let mut path = PathBuilder::new();
    path.move_to(x, y - 200.0);
    path.cubic_to(x + 220.0, y - 180.0, x + 160.0, y + 190.0, x, y + 160.0);
    path.cubic_to(x - 180.0, y + 150.0, x - 200.0, y - 170.0, x, y - 200.0);
    path.finish().expect("a shape")
}

fn place(x: f32, y: f32, size: f32) -> Transform {
    Transform::from_translate(-x, -y).post_scale(size, size).post_translate(x, y)
}

/// Fifteen shapes about the middle, two of them see-through.
fn cartoon(pixmap: &mut Pixmap) {
    for k in 0..15_u8 {
        let mut paint = Paint { anti_alias: true, ..Paint::default() };
        paint.set_color_rgba8(16 * k, 90, 220 - 13 * k, if k % 5 == 4 { 150 } else { 255 });
        let (x, y) = (960.0 + 43.0 * f32::from(k % 7) - 130.0, 540.0 + 61.0 * f32::from(k % 4) - 90.0);
        let place = place(x, y, 1.2 - 0.06 * f32::from(k));
        pixmap.fill_path(&shape(x, y), &paint, FillRule::Winding, place, None);
    }
}

/// Twelve columns of twenty shapes, each with an outline.
fn outlines(pixmap: &mut Pixmap) {
    let mut line = Paint { anti_alias: true, ..Paint::default() };
    line.set_color_rgba8(34, 34, 34, 255);
    for k in 0..240_u16 {
        let (column, row) = (f32::from(k / 20), f32::from(k % 20));
        let mut paint = Paint { anti_alias: true, ..Paint::default() };
        let [red, green, blue] = [90 + 7 * (k % 20), 60 + (k * 13) % 140, 200 - 9 * (k % 20)];
        paint.set_color_rgba8(red.min(255) as u8, green as u8, blue as u8, 255);
        let (x, y) = (160.0 + 146.0 * column + 22.0 * f32::from(k % 2), 200.0 + 36.0 * row + 3.0 * column);
        let (path, place) = (shape(x, y), place(x, y, 0.22));
        let stroke = Stroke { width: 7.0 + 0.4 * row, ..Stroke::default() };
        pixmap.fill_path(&path, &paint, FillRule::Winding, place, None);
        pixmap.stroke_path(&path, &line, &stroke, place, None);
    }
}

/// A sky, and a field of which the colour changes sideways.
fn gradients(pixmap: &mut Pixmap) {
    let between = |to: Point, first: [u8; 3], second: [u8; 3]| {
        let stop = |at, [r, g, b]: [u8; 3]| GradientStop::new(at, Color::from_rgba8(r, g, b, 255));
        let stops = vec![stop(0.0, first), stop(1.0, second)];
        LinearGradient::new(Point::zero(), to, stops, SpreadMode::Pad, Transform::identity())
            .expect("a gradient")
    };
    let sky = between(Point::from_xy(0.0, 1080.0), [39, 69, 107], [244, 197, 138]);
    let field = between(Point::from_xy(1920.0, 300.0), [53, 95, 59], [138, 168, 79]);
    for (shader, top) in [(sky, 0.0), (field, 620.0)] {
        let paint = Paint { shader, ..Paint::default() };
        let area = tiny_skia::Rect::from_xywh(0.0, top, 1920.0, 1080.0 - top).expect("a rectangle");
        pixmap.fill_rect(area, &paint, Transform::identity(), None);
    }
}

#[divan::bench(args = FRAMES)]
fn naive(bencher: Bencher<'_, '_>, name: &str) {
    let pixmap = frame(name);
    let bytes = BytesCount::new(pixmap.data().len());
    bencher.counter(bytes).bench_local(|| black_box(&pixmap).encode_png());
}

fn engine(bencher: Bencher<'_, '_>, name: &str, compress: Compress) {
    let pixmap = frame(name);
    let (mut encoder, mut png) = (PngEncoder::new(), Vec::new());
    let bytes = BytesCount::new(pixmap.data().len());
    bencher.counter(bytes).bench_local(|| encoder.encode(black_box(&pixmap), compress, &mut png));
}

#[divan::bench(args = FRAMES)]
fn fast(bencher: Bencher<'_, '_>, name: &str) {
    engine(bencher, name, Compress::Fast);
}

#[divan::bench(args = FRAMES)]
fn balanced(bencher: Bencher<'_, '_>, name: &str) {
    engine(bencher, name, Compress::Balanced);
}
