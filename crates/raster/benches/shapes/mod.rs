//! 240 strokes or filled shapes of one colour or with gradients, for a frame of 1920 x 1080: drawn by tiny-skia and by our filler.

use tiny_skia::{
    BlendMode, Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder,
    Pixmap, RadialGradient, Shader, SpreadMode, Stroke, Transform,
};

use bone_raster::{CachedCoverage, Filler, GradientColor, Ink, SolidColor, Stop};

pub(crate) struct Shapes {
    pub(crate) paths: Vec<(Path, Transform)>,
    pub(crate) stroke: Option<Stroke>,
    alpha: u8,
    pub(crate) gradient: Option<Gradient>,
    has_four_stops: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Gradient {
    Linear([f32; 4]),
    Radial([f32; 6]),
}

impl Shapes {
    pub(crate) fn new(kind: &str) -> Self {
        let mut state = 12_345_u32;
        let mut random = |range: f32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from((state >> 16) as u16) / 65_536.0 * range
        };
        // With its ends one above the other, rows have one colour.
        let turn = if kind == "vertical" { 0.0 } else { 0.1 };
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
                (path.finish().expect("a path"), Transform::from_row(0.8, turn, -turn, 0.8, x, y))
            })
            .collect();
        let stroke = (kind == "strokes" || kind == "lines").then(|| Stroke {
            width: if kind == "lines" { 1.8 } else { 6.0 },
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        });
        let gradient = match kind {
            "linear" | "linear of 4" => Some(Gradient::Linear([-90.0, -40.0, 80.0, 70.0])),
            "vertical" => Some(Gradient::Linear([0.0, -90.0, 0.0, 90.0])),
            "radial" | "radial of 4" => Some(Gradient::Radial([10.0, 5.0, 0.0, 10.0, 5.0, 90.0])),
            _ => None,
        };
        let alpha = if kind == "clear" { 140 } else { 255 };
        Self { paths, stroke, alpha, gradient, has_four_stops: kind.ends_with('4') }
    }

    pub(crate) fn color(&self, k: usize) -> Color {
        Color::from_rgba8((k * 37 % 256) as u8, (k * 91 % 256) as u8, (k * 53 % 256) as u8, self.alpha)
    }

    pub(crate) fn stops(&self, k: usize) -> Vec<(f32, Color)> {
        let offsets: &[(f32, usize)] = if self.has_four_stops {
            &[(0.0, 0), (0.3, 3), (0.6, 5), (1.0, 7)]
        } else {
            &[(0.0, 0), (1.0, 7)]
        };
        offsets.iter().map(|(at, color)| (*at, self.color(k + color))).collect()
    }

    fn shader(&self, k: usize) -> Option<Shader<'static>> {
        let stops = || self.stops(k).into_iter().map(|(at, color)| GradientStop::new(at, color)).collect();
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
        let stops: Vec<Stop> = self.stops(k).into_iter().map(|(at, color)| Stop { at, color }).collect();
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

    pub(crate) fn theirs(&self, pixmap: &mut Pixmap) {
        for (k, (path, ts)) in self.paths.iter().enumerate() {
            let paint = Paint { shader: self.shader(k).expect("a shader"), ..Paint::default() };
            match &self.stroke {
                Some(stroke) => pixmap.stroke_path(path, &paint, stroke, *ts, None),
                None => pixmap.fill_path(path, &paint, FillRule::Winding, *ts, None),
            }
        }
    }

    pub(crate) fn ours(&self, filler: &mut Filler, pixmap: &mut Pixmap) -> usize {
        self.again(filler, pixmap, &mut self.coverage(false))
    }

    /// A cached of each shape.
    pub(crate) fn coverage(&self, wanted: bool) -> Vec<CachedCoverage> {
        self.paths.iter().map(|_| CachedCoverage::default().caching(wanted)).collect()
    }

    pub(crate) fn again(
        &self,
        filler: &mut Filler,
        pixmap: &mut Pixmap,
        coverage: &mut [CachedCoverage],
    ) -> usize {
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
