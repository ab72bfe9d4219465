//! Colours, gradients and patterns as painters take them.
//! Each step is that of resvg 0.49, so that no pixel differs.

use tiny_skia::{IntSize, Pixmap, Transform};

use super::painter::Dye;
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
                self.on(&mut pixmap, |pen, painter| {
                    pen.children(children, context, Transform::from_scale(sx, sy), painter)
                })?;
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

    /// What an ink paints with. None if it leaves nothing to paint.
    pub(crate) fn dye<'s>(
        &self,
        ink: &'s Ink,
        tile: Option<&'s (f32, f32, Pixmap, Transform)>,
    ) -> Option<Dye<'s>> {
        let moved = ink.server.and_then(|server| self.values.servers.now[server]);
        Some(match &ink.source {
            Source::Color([red, green, blue]) => {
                Dye::Color(tiny_skia::Color::from_rgba8(*red, *green, *blue, ink.opacity.to_u8()))
            }
            Source::Linear { ends, stops, spread, transform } => {
                let transform = moved.unwrap_or(*transform);
                Dye::Linear { ends: *ends, stops, spread: *spread, transform }
            }
            Source::Radial { numbers, stops, spread, transform } => {
                let transform = moved.unwrap_or(*transform);
                Dye::Radial { numbers: *numbers, stops, spread: *spread, transform }
            }
            Source::Tile(_) => {
                let (_, _, pixmap, laid) = tile?;
                Dye::Tile { pixmap, opacity: ink.opacity.get(), transform: *laid }
            }
        })
    }
}
