//! 240 strokes and 240 filled shapes, of one colour and with gradients, on a frame of 1920 x 1080: tiny-skia and our filler on the same
//! outlines. `fill once ours strokes` and similar arguments draw one frame only, to count instructions.
#![allow(clippy::print_stdout, reason = "a bench prints")]

mod shapes;

use std::hint::black_box;

use bone_raster::Filler;
use divan::Bencher;
use shapes::Shapes;
use tiny_skia::Pixmap;

const KINDS: [&str; 9] =
    ["strokes", "lines", "shapes", "clear", "linear", "vertical", "linear of 4", "radial", "radial of 4"];

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if let [once, which, kind] = asked.iter().map(String::as_str).collect::<Vec<_>>().as_slice()
        && *once == "once"
    {
        let shapes = Shapes::new(kind);
        let mut pixmap = Pixmap::new(1920, 1080).expect("memory");
        if *which == "ours" {
            shapes.ours(&mut Filler::default(), &mut pixmap);
        } else {
            shapes.theirs(&mut pixmap);
        }
        return;
    }
    for kind in KINDS {
        let shapes = Shapes::new(kind);
        let mut pixmaps =
            [Pixmap::new(1920, 1080).expect("memory"), Pixmap::new(1920, 1080).expect("memory")];
        shapes.theirs(&mut pixmaps[0]);
        let taken = shapes.ours(&mut Filler::default(), &mut pixmaps[1]);
        let same = pixmaps[0] == pixmaps[1];
        println!("{kind}: {taken} of {} shapes are the filler's; equal: {same}", shapes.paths.len());
    }
    divan::main();
}

#[divan::bench(args = KINDS)]
fn skia(bencher: Bencher<'_, '_>, kind: &str) {
    let shapes = Shapes::new(kind);
    let mut pixmap = Pixmap::new(1920, 1080).expect("memory");
    bencher.bench_local(|| shapes.theirs(black_box(&mut pixmap)));
}

#[divan::bench(args = KINDS)]
fn ours(bencher: Bencher<'_, '_>, kind: &str) {
    let shapes = Shapes::new(kind);
    let (mut filler, mut pixmap) = (Filler::default(), Pixmap::new(1920, 1080).expect("memory"));
    bencher.bench_local(|| shapes.ours(&mut filler, black_box(&mut pixmap)));
}

/// As `ours`, of shapes that stay the same.
#[divan::bench(args = KINDS)]
fn kept(bencher: Bencher<'_, '_>, kind: &str) {
    let shapes = Shapes::new(kind);
    let (mut filler, mut pixmap) = (Filler::default(), Pixmap::new(1920, 1080).expect("memory"));
    let mut coverage = shapes.coverage(true);
    for _ in 0..2 {
        shapes.again(&mut filler, &mut pixmap, &mut coverage);
    }
    bencher.bench_local(|| shapes.again(&mut filler, black_box(&mut pixmap), &mut coverage));
}

/// The strokes' outlines alone, which both ways need.
#[divan::bench]
fn outlines(bencher: Bencher<'_, '_>) {
    let shapes = Shapes::new("strokes");
    let stroke = shapes.stroke.clone().expect("strokes");
    bencher.bench_local(|| {
        shapes
            .paths
            .iter()
            .map(|(path, _)| path.stroke(&stroke, 0.8).map_or(0, |path| path.len()))
            .sum::<usize>()
    });
}
