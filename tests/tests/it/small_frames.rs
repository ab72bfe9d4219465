//! Frames of 1 to 64 pixels and odd scales, drawn from the render tree and drawn by resvg from the text: no
//! pixel differs. Small frames cut layers to a few pixels around the frame, and shapes leave their layers.
//! `CASES=20000` compares more random drawings.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use bone_drawing::{Drawing, Frame};
use bone_layer_tests::files::{below, shown};
use bone_layer_tests::poses::poses;
use bone_render::{
    FrameOptions, FrameSize, Pixmap, Precision, Raster, Renderer, Resources, read_svg, write_svg,
};

/// Draws both ways and counts the pixels that differ, and the largest difference of a channel.
fn differing(
    drawing: &Arc<Drawing>,
    frame: &Frame,
    (width, height): (u32, u32),
    renderer: &mut Renderer,
) -> (usize, u8) {
    let size = FrameSize::new(width, height).expect("a usable size");
    let options = FrameOptions { size, background: None };
    let [mut drawn, mut by_text] = [(); 2].map(|()| Pixmap::new(1, 1).expect("memory"));
    let mut text = String::new();
    write_svg(drawing, frame, Precision::Exact, &mut text);
    let reference = Raster::default().draw(&text, &options, &mut by_text);
    let report = renderer.draw(drawing, frame, &options, &mut drawn);
    // resvg fails on some hostile numbers that the renderer takes.
    if reference.is_err() {
        return (0, 0);
    }
    assert!(report.is_ok(), "{report:?}");
    let pairs = drawn.data().chunks_exact(4).zip(by_text.data().chunks_exact(4));
    let pixels = pairs.filter(|(a, b)| a != b);
    pixels.fold((0, 0), |(count, largest), (a, b)| {
        let most = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
        (count + 1, largest.max(most))
    })
}

/// A sequence of numbers without a crate (Marsaglia's xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, count: u64) -> u64 {
        (self.next() >> 33) % count
    }

    /// Between two numbers, in steps of a half or without steps.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let n = low + (high - low) * share;
        if self.below(3) == 0 { (n * 2.0).round() / 2.0 } else { (n * 1e4).round() / 1e4 }
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// Random drawings of 64 units: shapes, clips, clips of clips, masks and layers, partly beside the page.
struct Sketch {
    random: Random,
    definitions: usize,
    defs: String,
    body: String,
}

impl Sketch {
    fn text(seed: u64) -> String {
        let random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut sketch = Self { random, definitions: 0, defs: String::new(), body: String::new() };
        for _ in 0..=sketch.random.below(3) {
            let node = sketch.node(2);
            sketch.body.push_str(&node);
        }
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 64 64'><defs>{}</defs>{}</svg>",
            sketch.defs, sketch.body
        )
    }

    fn point(&mut self) -> String {
        let (low, high) = if self.random.below(4) == 0 { (-150.0, 220.0) } else { (-6.0, 70.0) };
        format!("{} {}", self.random.between(low, high), self.random.between(low, high))
    }

    fn outline(&mut self) -> String {
        let mut data = format!("M{}", self.point());
        for _ in 0..self.random.below(5) + 2 {
            let points: Vec<String> = (0..3).map(|_| self.point()).collect();
            let _ = match self.random.below(4) {
                0 => write!(data, "C{}", points.join(" ")),
                1 => write!(data, "Q{}", points[..2].join(" ")),
                _ => write!(data, "L{}", points[0]),
            };
        }
        if self.random.below(3) > 0 { data + "Z" } else { data }
    }

    fn shape(&mut self, paint: &str) -> String {
        let n = |random: &mut Random, low, high| random.between(low, high);
        let r = &mut self.random;
        match r.below(5) {
            0 => {
                let (x, y, w, h) = (n(r, -9.0, 60.0), n(r, -9.0, 60.0), n(r, 0.0, 80.0), n(r, 0.0, 80.0));
                format!("<rect x='{x}' y='{y}' width='{w}' height='{h}' {paint}/>")
            }
            1 => {
                let (x, y, a, b) = (n(r, -9.0, 70.0), n(r, -9.0, 70.0), n(r, 0.5, 50.0), n(r, 0.5, 50.0));
                format!("<ellipse cx='{x}' cy='{y}' rx='{a}' ry='{b}' {paint}/>")
            }
            2 => {
                let (a, b, c) = (self.point(), self.point(), self.point());
                format!("<path d='M{a}L{b}L{c}Z' {paint}/>")
            }
            _ => format!("<path d='{}' {paint}/>", self.outline()),
        }
    }

    fn paint(&mut self) -> String {
        let r = &mut self.random;
        let color = r.one(&["#c33", "#3a6", "#37c", "black", "white", "#fc3"]);
        let rule = r.one(&["", "fill-rule='evenodd' "]);
        let opacity = r.one(&["", "fill-opacity='.4' ", "opacity='.6' "]);
        let stroke = match r.below(4) {
            0 => format!("stroke='#222' stroke-width='{}' ", r.between(0.2, 12.0)),
            1 => format!("stroke='#933' stroke-width='{}' stroke-dasharray='7 3' ", r.between(0.2, 6.0)),
            _ => String::new(),
        };
        format!("fill='{color}' {rule}{opacity}{stroke}")
    }

    fn clip(&mut self, depth: usize) -> String {
        let name = format!("d{}", self.definitions);
        self.definitions += 1;
        let of_clip = if depth > 0 && self.random.below(3) == 0 {
            format!("clip-path='url(#{})'", self.clip(depth - 1))
        } else {
            String::new()
        };
        let mut shapes = String::new();
        for _ in 0..=self.random.below(3) {
            let rule = self.random.one(&["", "clip-rule='evenodd'"]).to_owned();
            let of_shape = if depth > 0 && self.random.below(4) == 0 {
                format!("clip-path='url(#{})' ", self.clip(depth - 1))
            } else {
                String::new()
            };
            shapes.push_str(&self.shape(&(of_shape + &rule)));
        }
        let moved = self.transform();
        let _ = write!(self.defs, "<clipPath id='{name}' {of_clip} {moved}>{shapes}</clipPath>");
        name
    }

    fn mask(&mut self, depth: usize) -> String {
        let name = format!("d{}", self.definitions);
        self.definitions += 1;
        let region = self.random.one(&["", "x='0' y='.1' width='.7' height='1.5'", "mask-type='alpha'"]);
        let content: String = (0..=self.random.below(2)).map(|_| self.node(depth)).collect();
        let _ = write!(self.defs, "<mask id='{name}' {region}>{content}</mask>");
        name
    }

    fn transform(&mut self) -> String {
        let r = &mut self.random;
        match r.below(4) {
            0 => format!("transform='rotate({} 30 30)'", r.between(-90.0, 90.0)),
            1 => format!("transform='translate({} {})'", r.between(-20.0, 20.0), r.between(-20.0, 20.0)),
            2 => format!("transform='scale({} {})'", r.between(0.2, 1.8), r.between(-1.0, 1.8)),
            _ => String::new(),
        }
    }

    fn node(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(4) == 0 {
            let paint = self.paint();
            return self.shape(&paint);
        }
        let isolates = match self.random.below(4) {
            0 | 1 => format!("clip-path='url(#{})'", self.clip(depth - 1)),
            2 => format!("mask='url(#{})'", self.mask(depth - 1)),
            _ => "opacity='.5'".to_owned(),
        };
        let moved = self.transform();
        let content: String = (0..=self.random.below(2)).map(|_| self.node(depth - 1)).collect();
        format!("<g {isolates} {moved}>{content}</g>")
    }
}

fn cases(usual: u64) -> u64 {
    std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn random_clips_masks_and_shapes() {
    let (mut wrong, mut count) = (Vec::new(), 0_usize);
    for seed in 0..cases(300) {
        let text = Sketch::text(seed);
        let Ok((drawing, _)) = read_svg(&text, &Resources::none()) else { panic!("{text}") };
        let (drawing, mut renderer) = (Arc::new(drawing), Renderer::new());
        let side = u32::try_from(seed % 64 + 1).expect("at most 64");
        for size in [(side, side), (side, (side * 7) % 64 + 1)] {
            let (pixels, levels) = differing(&drawing, &Frame::default(), size, &mut renderer);
            if pixels > 0 {
                wrong.push(format!("{seed} at {size:?}: {pixels} pixels by up to {levels}\n{text}"));
            }
            count += 1;
        }
    }
    println!("{count} frames");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

/// Triangles with vertices on quarters of pixels, whose edges meet samples, under a clip that begins anywhere: the
/// last digit of the layer's corner decides on which side such a sample lies.
#[test]
fn triangles_on_a_grid_under_clips() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let mut wrong = Vec::new();
    for _ in 0..cases(10_000) {
        let mut on_grid = || random.below(96) as f64 / 4.0 - 2.0;
        let corners: Vec<String> = (0..3).map(|_| format!("{} {}", on_grid(), on_grid())).collect();
        let [x, y] = [(); 2].map(|()| random.between(-3.0, 12.0));
        let [width, height] = [(); 2].map(|()| random.between(1.0, 24.0));
        let text = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><clipPath id='c'>\
             <rect x='{x}' y='{y}' width='{width}' height='{height}'/></clipPath>\
             <path clip-path='url(#c)' d='M{}Z' fill='#c33'/></svg>",
            corners.join("L")
        );
        let (drawing, _) = read_svg(&text, &Resources::none()).expect("a drawing");
        let (pixels, levels) =
            differing(&Arc::new(drawing), &Frame::default(), (24, 24), &mut Renderer::new());
        if pixels > 0 {
            wrong.push(format!("{pixels} pixels by up to {levels}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

fn read_or_refused(path: &Path) -> Option<Drawing> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", shown(path)));
    read_svg(&text, &Resources::none()).ok().map(|(drawing, _)| drawing)
}

/// Every drawing at rest and in two poses, each at sizes that differ from drawing to drawing; `CASES=64`
/// takes all sizes.
#[test]
fn drawings_of_every_feature() {
    let sizes = u32::try_from(cases(2)).expect("at most 64").clamp(1, 64);
    let mut drawings = below("tests/svg", "svg");
    drawings.extend(below("tests/hostile", "svg"));
    drawings.sort();
    let (mut wrong, mut count) = (Vec::new(), 0_usize);
    for (at, path) in (0_u32..).zip(&drawings) {
        // Some of the hostile ones are refused.
        let Some(art) = read_or_refused(path) else { continue };
        let mut renderer = Renderer::new();
        for (number, pose) in (0_u32..).zip(poses(&art)).filter(|(number, _)| matches!(number, 0 | 3 | 4)) {
            let posable = pose.posable(&art);
            let mut frame = Frame::default();
            pose.moved(1).frame(&posable, &mut frame);
            for k in 0..sizes {
                let side = (at * 13 + number * 29 + k * (64 / sizes)) % 64 + 1;
                let size = if k % 2 == 0 { (side, side) } else { (side, (side * 5) % 64 + 1) };
                let (pixels, levels) = differing(posable.drawing(), &frame, size, &mut renderer);
                if pixels > 0 {
                    let name = shown(path);
                    wrong.push(format!("{name}: {} at {size:?}: {pixels} by up to {levels}", pose.name));
                }
                count += 1;
            }
        }
    }
    println!("{} drawings, {count} frames", drawings.len());
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
