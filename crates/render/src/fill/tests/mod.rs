//! Every fill and stroke is compared with tiny-skia's own, byte by byte.

mod fixed_cases;
mod random;

use tiny_skia::{
    BlendMode, Color, FillRule, Paint, Path, PathBuilder, Pixmap, PixmapMut, PremultipliedColorU8, Shader,
    Stroke, Transform,
};

use super::{CachedCoverage, Filler, SolidColor};

/// What is drawn, and how.
#[derive(Clone, Debug)]
struct Case {
    path: Path,
    stroke: Option<Stroke>,
    rule: FillRule,
    color: Color,
    mode: BlendMode,
    ts: Transform,
    size: (u32, u32),
}

impl Case {
    fn new(path: Path, size: (u32, u32)) -> Self {
        Self {
            path,
            stroke: None,
            rule: FillRule::Winding,
            color: Color::from_rgba8(200, 100, 30, 255),
            mode: BlendMode::SourceOver,
            ts: Transform::identity(),
            size,
        }
    }
}

/// A picture that holds all kinds of colours.
fn backdrop((width, height): (u32, u32)) -> Pixmap {
    let mut pixmap = Pixmap::new(width, height).expect("a size");
    let mut state = 0x9E37_79B9_u32;
    for pixel in pixmap.pixels_mut() {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let [r, g, b, a] = state.to_le_bytes();
        let a = if state.is_multiple_of(3) { 255 } else { a };
        *pixel = PremultipliedColorU8::from_rgba(r.min(a), g.min(a), b.min(a), a).expect("premultiplied");
    }
    pixmap
}

/// Draws in both ways. Whether the filler supports it; Err has the first pixel that differs.
fn compare(filler: &mut Filler, case: &Case) -> Result<bool, String> {
    let Case { path, stroke, rule, color, mode, ts, size } = case;
    let paint =
        Paint { shader: Shader::SolidColor(*color), blend_mode: *mode, anti_alias: true, ..Paint::default() };
    let before = backdrop(*size);
    let (mut want, mut found) = (before.clone(), before.clone());
    let mut cached = CachedCoverage::default().caching(true);
    let color = SolidColor::new(*color, *mode).expect("a mode of ours");
    let ours = match stroke {
        Some(stroke) => {
            want.stroke_path(path, &paint, stroke, *ts, None);
            fill_or_reuse(&mut found, |pixmap| filler.stroke(path, stroke, color, *ts, pixmap, &mut cached))
        }
        None => {
            want.fill_path(path, &paint, *rule, *ts, None);
            fill_or_reuse(&mut found, |pixmap| filler.fill(path, *rule, color, *ts, pixmap, &mut cached))
        }
    };
    let want = if ours { &want } else { &before };
    match want.pixels().iter().zip(found.pixels()).position(|(a, b)| a != b) {
        None => Ok(ours),
        Some(at) => {
            let (x, y) = (at % size.0 as usize, at / size.0 as usize);
            let [was, want, found] = [&before, want, &found].map(|pixmap| pixmap.pixels()[at]);
            Err(format!("{x}, {y}: on {was:?} {found:?}, not {want:?}; taken: {ours}"))
        }
    }
}

/// Draws twice, so that the coverage is cached, and once more from the cache.
fn fill_or_reuse(pixmap: &mut Pixmap, mut draw: impl FnMut(&mut PixmapMut<'_>) -> bool) -> bool {
    let mut other = pixmap.clone();
    let taken = draw(&mut pixmap.as_mut());
    assert_eq!(draw(&mut other.clone().as_mut()), taken);
    assert_eq!(draw(&mut other.as_mut()), taken);
    assert!(*pixmap == other, "the cached coverage differs");
    taken
}

/// The filler supports the case, and nothing differs.
#[track_caller]
fn same(case: &Case) {
    assert_eq!(compare(&mut Filler::default(), case), Ok(true), "{case:?}");
}

fn path(build: impl FnOnce(&mut PathBuilder)) -> Path {
    let mut builder = PathBuilder::new();
    build(&mut builder);
    builder.finish().expect("a path")
}
