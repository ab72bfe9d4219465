//! Every fill and stroke is compared with tiny-skia's own, byte by byte.

mod fixed_cases;
mod random;

use tiny_skia::{
    BlendMode, Color, FillRule, GradientStop, LinearGradient, Paint, Path, PathBuilder, Pixmap, PixmapMut,
    PremultipliedColorU8, RadialGradient, Shader, SpreadMode, Stroke, Transform,
};

use super::{CachedCoverage, Filler, GradientColor, Ink, SolidColor, Stop};

/// What is drawn, and how.
#[derive(Clone, Debug)]
struct Case {
    path: Path,
    stroke: Option<Stroke>,
    rule: FillRule,
    color: Color,
    mode: BlendMode,
    gradient: Option<Gradient>,
    ts: Transform,
    size: (u32, u32),
}

/// A gradient instead of the colour.
#[derive(Clone, Debug)]
struct Gradient {
    kind: Kind,
    stops: Vec<(f32, Color)>,
    spread: SpreadMode,
    ts: Transform,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Linear([f32; 4]),
    Radial([f32; 6]),
}

impl Gradient {
    /// None if it paints nothing.
    fn shader(&self) -> Option<Shader<'static>> {
        let stops = self.stops.iter().map(|(at, color)| GradientStop::new(*at, *color)).collect();
        match self.kind {
            Kind::Linear([a, b, c, d]) => {
                LinearGradient::new((a, b).into(), (c, d).into(), stops, self.spread, self.ts)
            }
            Kind::Radial([fx, fy, fr, cx, cy, r]) => {
                RadialGradient::new((fx, fy).into(), fr, (cx, cy).into(), r, stops, self.spread, self.ts)
            }
        }
    }

    fn ink(&self, ts: Transform) -> Option<Ink> {
        let stops: Vec<Stop> = self.stops.iter().map(|&(at, color)| Stop { at, color }).collect();
        let ts = self.ts.post_concat(ts);
        let gradient = match self.kind {
            Kind::Linear(ends) => GradientColor::linear(ends, &stops, self.spread, ts),
            Kind::Radial(numbers) => GradientColor::radial(numbers, &stops, self.spread, ts),
        };
        gradient.map(Ink::Gradient)
    }
}

impl Case {
    fn new(path: Path, size: (u32, u32)) -> Self {
        Self {
            path,
            stroke: None,
            rule: FillRule::Winding,
            color: Color::from_rgba8(200, 100, 30, 255),
            mode: BlendMode::SourceOver,
            gradient: None,
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
    let Case { path, stroke, rule, color, mode, gradient, ts, size } = case;
    let (shader, ink) = match gradient {
        Some(gradient) => {
            let (Some(shader), Some(ink)) = (gradient.shader(), gradient.ink(*ts)) else { return Ok(false) };
            (shader, ink)
        }
        None => {
            let ink = Ink::Solid(SolidColor::new(*color, *mode).expect("a mode of ours"));
            (Shader::SolidColor(*color), ink)
        }
    };
    let paint = Paint { shader, blend_mode: *mode, anti_alias: true, ..Paint::default() };
    let before = backdrop(*size);
    let (mut want, mut found) = (before.clone(), before.clone());
    let mut cached = CachedCoverage::default().caching(true);
    let ours = match stroke {
        Some(stroke) => {
            want.stroke_path(path, &paint, stroke, *ts, None);
            fill_or_reuse(&mut found, |pixmap| filler.stroke(path, stroke, &ink, *ts, pixmap, &mut cached))
        }
        None => {
            want.fill_path(path, &paint, *rule, *ts, None);
            fill_or_reuse(&mut found, |pixmap| filler.fill(path, *rule, &ink, *ts, pixmap, &mut cached))
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
