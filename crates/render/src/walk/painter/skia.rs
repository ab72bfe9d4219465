//! The painter that draws at once, with tiny-skia. It is the default.
//! Each step is that of resvg 0.49, so that no pixel differs.

use tiny_skia::{
    BlendMode, FillRule, FilterQuality, GradientStop, IntRect, LinearGradient, Paint, Path, PathBuilder,
    Pattern, Pixmap, RadialGradient, Shader, Size, SpreadMode, Stroke, Transform,
};

use super::{Behind, Coat, Dye, Painter, Stop};
use crate::fill::{Filler, Ink, Record};
use crate::walk::blend::over;

pub(crate) struct Skia<'p> {
    pixmap: &'p mut Pixmap,
    /// Does what shapes of one colour need, in less time.
    filler: Filler,
}

impl<'p> Skia<'p> {
    /// A painter for a picture that is there.
    #[cfg(feature = "vello")]
    pub(crate) fn new(pixmap: &'p mut Pixmap) -> Self {
        Self { pixmap, filler: Filler::default() }
    }

    /// A painter for a picture that holds this, with a filler that has its memory.
    pub(crate) fn on(pixmap: &'p mut Pixmap, behind: Behind, filler: Filler) -> Self {
        if let Behind::Color(color) = behind {
            pixmap.fill(color);
        }
        Self { pixmap, filler }
    }

    /// Gives back what it was lent.
    pub(crate) fn finish(self) -> Filler {
        self.filler
    }
}

impl Painter for Skia<'_> {
    fn size(&self) -> (u32, u32) {
        (self.pixmap.width(), self.pixmap.height())
    }

    fn fill(&mut self, path: &Path, rule: FillRule, coat: &Coat<'_>, ts: Transform) {
        self.fill_again(path, rule, coat, ts, &mut Record::default());
    }

    fn stroke(&mut self, path: &Path, line: &Stroke, coat: &Coat<'_>, ts: Transform) {
        self.stroke_again(path, line, coat, ts, &mut Record::default());
    }

    fn fill_again(
        &mut self,
        path: &Path,
        rule: FillRule,
        coat: &Coat<'_>,
        ts: Transform,
        record: &mut Record,
    ) {
        let mut pixmap = self.pixmap.as_mut();
        if ink(coat).is_some_and(|ink| self.filler.fill(path, rule, ink, ts, &mut pixmap, record)) {
            return;
        }
        if let Some(paint) = paint(coat) {
            self.pixmap.fill_path(path, &paint, rule, ts, None);
        }
    }

    fn stroke_again(
        &mut self,
        path: &Path,
        line: &Stroke,
        coat: &Coat<'_>,
        ts: Transform,
        record: &mut Record,
    ) {
        let mut pixmap = self.pixmap.as_mut();
        if ink(coat).is_some_and(|ink| self.filler.stroke(path, line, ink, ts, &mut pixmap, record)) {
            return;
        }
        if let Some(paint) = paint(coat) {
            self.pixmap.stroke_path(path, &paint, line, ts, None);
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "as resvg does")]
    fn image(&mut self, pixels: &Pixmap, quality: FilterQuality, ts: Transform) {
        let size = Size::from_wh(pixels.width() as f32, pixels.height() as f32);
        let Some(rect) = size.and_then(|size| size.to_rect(0.0, 0.0)) else { return };
        let shader = Pattern::new(pixels.as_ref(), SpreadMode::Pad, quality, 1.0, Transform::default());
        self.pixmap.fill_rect(rect, &Paint { shader, ..Paint::default() }, ts, None);
    }

    #[allow(clippy::cast_precision_loss, reason = "as resvg does")]
    fn layer(&mut self, layer: &Pixmap, place: IntRect, opacity: f32, blend_mode: BlendMode) {
        if blend_mode == BlendMode::SourceOver {
            return over(layer, place, opacity, &mut self.pixmap.as_mut());
        }
        let there = Transform::from_translate(place.x() as f32, place.y() as f32);
        let shader = Pattern::new(layer.as_ref(), SpreadMode::Pad, FilterQuality::Bilinear, opacity, there);
        let paint = Paint { shader, blend_mode, anti_alias: true, ..Paint::default() };
        let path = PathBuilder::from_rect(place.to_rect());
        self.pixmap.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
    }

    fn pixels(&mut self) -> &mut Pixmap {
        self.pixmap
    }
}

/// What a coat is to the filler, if it is of its kind.
fn ink(coat: &Coat<'_>) -> Option<Ink> {
    match coat.dye {
        Dye::Color(color) if coat.anti_alias => Ink::new(color, coat.blend),
        _ => None,
    }
}

/// What a coat is to tiny-skia. None if it leaves nothing to paint.
fn paint<'a>(coat: &Coat<'a>) -> Option<Paint<'a>> {
    let shader = match coat.dye {
        Dye::Color(color) => Shader::SolidColor(color),
        Dye::Linear { ends, stops, spread, transform } => linear(ends, stops, spread, transform)?,
        Dye::Radial { numbers, stops, spread, transform } => radial(numbers, stops, spread, transform)?,
        Dye::Tile { pixmap, opacity, transform } => {
            Pattern::new(pixmap.as_ref(), SpreadMode::Repeat, FilterQuality::Bicubic, opacity, transform)
        }
    };
    Some(Paint { shader, blend_mode: coat.blend, anti_alias: coat.anti_alias, ..Paint::default() })
}

/// A gradient. It may be but a colour; None if it leaves nothing to paint.
pub(super) fn linear(
    [x1, y1, x2, y2]: [f32; 4],
    stops: &[Stop],
    spread: SpreadMode,
    transform: Transform,
) -> Option<Shader<'static>> {
    LinearGradient::new((x1, y1).into(), (x2, y2).into(), colors(stops), spread, transform)
}

/// As [`linear`].
pub(super) fn radial(
    [fx, fy, fr, cx, cy, r]: [f32; 6],
    stops: &[Stop],
    spread: SpreadMode,
    transform: Transform,
) -> Option<Shader<'static>> {
    RadialGradient::new((fx, fy).into(), fr, (cx, cy).into(), r, colors(stops), spread, transform)
}

fn colors(stops: &[Stop]) -> Vec<GradientStop> {
    stops.iter().map(|stop| GradientStop::new(stop.at, stop.color)).collect()
}
