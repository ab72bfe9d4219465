//! Colours, gradients and patterns as tiny-skia takes them.
//! Each step is that of resvg 0.49, so that no pixel differs.

use tiny_skia::{FilterQuality, IntSize, LinearGradient, Pattern, Pixmap, RadialGradient, Shader, Transform};

use super::pen::{Context, Pen};
use super::plan::{Ink, Source, Tile};
use super::values::Whole;

/// Most pixels of a tile that are drawn here. Beyond, the way by text says what is wrong with it.
const MAX_TILE_PIXELS: f32 = 64e6;

impl Pen<'_> {
    /// The tile of a pattern, if it is one, with the transform that lays it out.
    pub(crate) fn tile(
        &mut self,
        ink: &Ink,
        context: Context,
        ts: Transform,
    ) -> Result<Option<(f32, f32, Pixmap, Transform)>, Whole> {
        let Source::Tile(k) = ink.source else { return Ok(None) };
        let plan = self.plan;
        let Tile { rect, transform, children } = &plan.tiles[k];
        let own = ink.server.and_then(|server| self.values.servers.now[server]).unwrap_or(*transform);
        let (sx, sy) = ts.pre_concat(own).get_scale();
        let (width, height) = (rect.width() * sx, rect.height() * sy);
        if (width * height).is_nan() || width * height > MAX_TILE_PIXELS {
            return Err(Whole);
        }
        let kept = self.memory.tiles[k].take();
        let same =
            |(x, y, _): &(f32, f32, Pixmap)| x.to_bits() == sx.to_bits() && y.to_bits() == sy.to_bits();
        let pixmap = match kept.filter(same) {
            Some((_, _, pixmap)) => pixmap,
            None => {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as resvg does")]
                let size = IntSize::from_wh(width.round() as u32, height.round() as u32);
                let Some(mut pixmap) = size.and_then(|size| Pixmap::new(size.width(), size.height())) else {
                    return Ok(None);
                };
                self.children(children, context, Transform::from_scale(sx, sy), &mut pixmap.as_mut())?;
                pixmap
            }
        };
        let mut laid = Transform::default();
        laid = laid.pre_concat(own);
        laid = laid.pre_translate(rect.x(), rect.y());
        laid = laid.pre_scale(1.0 / sx, 1.0 / sy);
        Ok(Some((sx, sy, pixmap, laid)))
    }

    /// Keeps a tile for the next time.
    pub(crate) fn keep_tile(&mut self, ink: &Ink, tile: Option<(f32, f32, Pixmap, Transform)>) {
        if let (Source::Tile(k), Some((sx, sy, pixmap, _))) = (&ink.source, tile) {
            self.memory.tiles[*k] = Some((sx, sy, pixmap));
        }
    }

    /// What an ink is to tiny-skia. None if it leaves nothing to paint.
    pub(crate) fn shader<'s>(
        &self,
        ink: &Ink,
        tile: Option<&'s (f32, f32, Pixmap, Transform)>,
    ) -> Option<Shader<'s>> {
        let moved = ink.server.and_then(|server| self.values.servers.now[server]);
        match &ink.source {
            Source::Color([red, green, blue]) => {
                let color = tiny_skia::Color::from_rgba8(*red, *green, *blue, ink.opacity.to_u8());
                Some(Shader::SolidColor(color))
            }
            Source::Linear { ends: [x1, y1, x2, y2], stops, spread, transform } => LinearGradient::new(
                (*x1, *y1).into(),
                (*x2, *y2).into(),
                stops.clone(),
                *spread,
                moved.unwrap_or(*transform),
            ),
            Source::Radial { numbers: [fx, fy, fr, cx, cy, r], stops, spread, transform } => {
                RadialGradient::new(
                    (*fx, *fy).into(),
                    *fr,
                    (*cx, *cy).into(),
                    *r,
                    stops.clone(),
                    *spread,
                    moved.unwrap_or(*transform),
                )
            }
            Source::Tile(_) => {
                let (_, _, pixmap, laid) = tile?;
                let spread = tiny_skia::SpreadMode::Repeat;
                let opacity = ink.opacity.get();
                Some(Pattern::new(pixmap.as_ref(), spread, FilterQuality::Bicubic, opacity, *laid))
            }
        }
    }
}
