//! 240 strokes and 240 filled shapes, of one colour and with gradients, on a frame of 1920 x 1080: tiny-skia and our filler on the same
//! outlines. `fill once ours strokes` and similar arguments draw one frame only, to count instructions.
#![allow(clippy::print_stdout, reason = "a bench prints")]

use std::hint::black_box;

use divan::Bencher;
use tiny_skia::{
    BlendMode, Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder,
    Pixmap, RadialGradient, Shader, SpreadMode, Stroke, Transform,
};

use bone_raster::{CachedCoverage, Filler, GradientColor, Ink, SolidColor, Stop};

const KINDS: [&str; 6] = ["strokes", "lines", "shapes", "clear", "linear", "radial"];

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

struct Shapes {
    paths: Vec<(Path, Transform)>,
    stroke: Option<Stroke>,
    alpha: u8,
    gradient: Option<Gradient>,
}

#[derive(Clone, Copy)]
enum Gradient {
    Linear([f32; 4]),
    Radial([f32; 6]),
}

impl Shapes {
    fn new(kind: &str) -> Self {
        let mut state = 12_345_u32;
        let mut random = |range: f32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from((state >> 16) as u16) / 65_536.0 * range
        };
        let paths = (0..240)
            .map(|_| {
                let (x, y, size) = (200.0 + random(1500.0), 200.0 + random(680.0), 40.0 + random(110.0));
                let mut path = PathBuilder::new();
                path.move_to(size, 0.0);
                for (c, s) in [(0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)] {
                    let (a, b) = (random(0.5) + 0.3, random(0.5) + 0.3);
                    path.cubic_to(
                        size * (c + s * a),
                        size * (s + a),
                        size * (c + b),
                        size * (s - c * b),
                        size * c,
                        size * s,
                    );
                }
                (path.finish().expect("a path"), Transform::from_row(0.8, 0.1, -0.1, 0.8, x, y))
            })
            .collect();
        let stroke = (kind == "strokes" || kind == "lines").then(|| Stroke {
            width: if kind == "lines" { 1.8 } else { 6.0 },
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        });
        let gradient = match kind {
            "linear" => Some(Gradient::Linear([-90.0, -40.0, 80.0, 70.0])),
            "radial" => Some(Gradient::Radial([10.0, 5.0, 0.0, 10.0, 5.0, 90.0])),
            _ => None,
        };
        Self { paths, stroke, alpha: if kind == "clear" { 140 } else { 255 }, gradient }
    }

    fn color(&self, k: usize) -> Color {
        Color::from_rgba8((k * 37 % 256) as u8, (k * 91 % 256) as u8, (k * 53 % 256) as u8, self.alpha)
    }

    fn stops(&self, k: usize) -> [(f32, Color); 2] {
        [(0.0, self.color(k)), (1.0, self.color(k + 7))]
    }

    fn shader(&self, k: usize) -> Option<Shader<'static>> {
        let stops = || self.stops(k).map(|(at, color)| GradientStop::new(at, color)).to_vec();
        let (spread, ts) = (SpreadMode::Pad, Transform::identity());
        match self.gradient {
            None => Some(Shader::SolidColor(self.color(k))),
            Some(Gradient::Linear([a, b, c, d])) => {
                LinearGradient::new((a, b).into(), (c, d).into(), stops(), spread, ts)
            }
            Some(Gradient::Radial([fx, fy, fr, cx, cy, r])) => {
                RadialGradient::new((fx, fy).into(), fr, (cx, cy).into(), r, stops(), spread, ts)
            }
        }
    }

    fn ink(&self, k: usize, ts: Transform) -> Option<Ink> {
        let stops = self.stops(k).map(|(at, color)| Stop { at, color });
        match self.gradient {
            None => SolidColor::new(self.color(k), BlendMode::SourceOver).map(Ink::Solid),
            Some(Gradient::Linear(ends)) => {
                GradientColor::linear(ends, &stops, SpreadMode::Pad, ts).map(Ink::Gradient)
            }
            Some(Gradient::Radial(numbers)) => {
                GradientColor::radial(numbers, &stops, SpreadMode::Pad, ts).map(Ink::Gradient)
            }
        }
    }

    fn theirs(&self, pixmap: &mut Pixmap) {
        for (k, (path, ts)) in self.paths.iter().enumerate() {
            let paint = Paint { shader: self.shader(k).expect("a shader"), ..Paint::default() };
            match &self.stroke {
                Some(stroke) => pixmap.stroke_path(path, &paint, stroke, *ts, None),
                None => pixmap.fill_path(path, &paint, FillRule::Winding, *ts, None),
            }
        }
    }

    fn ours(&self, filler: &mut Filler, pixmap: &mut Pixmap) -> usize {
        self.again(filler, pixmap, &mut self.coverage(false))
    }

    /// A cached of each shape.
    fn coverage(&self, wanted: bool) -> Vec<CachedCoverage> {
        self.paths.iter().map(|_| CachedCoverage::default().caching(wanted)).collect()
    }

    fn again(&self, filler: &mut Filler, pixmap: &mut Pixmap, coverage: &mut [CachedCoverage]) -> usize {
        let draw = |((k, (path, ts)), cached): ((usize, &(Path, Transform)), &mut CachedCoverage)| {
            let ink = self.ink(k, *ts).expect("an ink of ours");
            match &self.stroke {
                Some(stroke) => filler.stroke(path, stroke, &ink, *ts, &mut pixmap.as_mut(), cached),
                None => filler.fill(path, FillRule::Winding, &ink, *ts, &mut pixmap.as_mut(), cached),
            }
        };
        self.paths.iter().enumerate().zip(coverage).map(draw).filter(|taken| *taken).count()
    }
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
