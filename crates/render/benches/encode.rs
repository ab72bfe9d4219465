//! PNG of a flat frame of 1920 x 1080, every way beside tiny-skia's own, with the bytes of each. A frame of a cartoon is like this
//! one: a plain ground, large shapes, soft edges.
#![allow(clippy::print_stdout, reason = "a bench prints")]

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use render::{Compress, Pixmap, PngEncoder};
use tiny_skia::{Color, FillRule, Paint, PathBuilder, Transform};

fn main() {
    for opaque in WAYS {
        let pixmap = frame(opaque);
        let naive = pixmap.encode_png().expect("a frame").len();
        let bytes =
            [Compress::Fast, Compress::Balanced, Compress::Small].map(|compress| encoded(&pixmap, compress));
        println!("opaque {opaque}: naive {naive} bytes; fast, balanced, small {bytes:?}");
    }
    divan::main();
}

fn encoded(pixmap: &Pixmap, compress: Compress) -> usize {
    let mut png = Vec::new();
    PngEncoder::new().encode(pixmap, compress, &mut png).expect("a frame");
    png.len()
}

/// Fifteen shapes about the middle.
fn frame(opaque: bool) -> Pixmap {
    let mut pixmap = Pixmap::new(1920, 1080).expect("memory");
    if opaque {
        pixmap.fill(Color::from_rgba8(238, 232, 213, 255));
    }
    for k in 0..15_u8 {
        let mut paint = Paint { anti_alias: true, ..Paint::default() };
        paint.set_color_rgba8(16 * k, 90, 220 - 13 * k, if k % 5 == 4 { 150 } else { 255 });
        let (x, y) = (960.0 + 43.0 * f32::from(k % 7) - 130.0, 540.0 + 61.0 * f32::from(k % 4) - 90.0);
        let mut path = PathBuilder::new();
        path.move_to(x, y - 200.0);
        path.cubic_to(x + 220.0, y - 180.0, x + 160.0, y + 190.0, x, y + 160.0);
        path.cubic_to(x - 180.0, y + 150.0, x - 200.0, y - 170.0, x, y - 200.0);
        let size = 1.2 - 0.06 * f32::from(k);
        let place = Transform::from_translate(-x, -y).post_scale(size, size).post_translate(x, y);
        pixmap.fill_path(&path.finish().expect("a shape"), &paint, FillRule::Winding, place, None);
    }
    pixmap
}

const WAYS: [bool; 2] = [true, false];

#[divan::bench(args = WAYS)]
fn naive(bencher: Bencher<'_, '_>, opaque: bool) {
    let pixmap = frame(opaque);
    let bytes = BytesCount::new(pixmap.data().len());
    bencher.counter(bytes).bench_local(|| black_box(&pixmap).encode_png());
}

fn engine(bencher: Bencher<'_, '_>, opaque: bool, compress: Compress) {
    let pixmap = frame(opaque);
    let (mut encoder, mut png) = (PngEncoder::new(), Vec::new());
    let bytes = BytesCount::new(pixmap.data().len());
    bencher.counter(bytes).bench_local(|| encoder.encode(black_box(&pixmap), compress, &mut png));
}

#[divan::bench(args = WAYS)]
fn fast(bencher: Bencher<'_, '_>, opaque: bool) {
    engine(bencher, opaque, Compress::Fast);
}

#[divan::bench(args = WAYS)]
fn balanced(bencher: Bencher<'_, '_>, opaque: bool) {
    engine(bencher, opaque, Compress::Balanced);
}
