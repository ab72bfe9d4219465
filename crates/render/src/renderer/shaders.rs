//! Colours, gradients and patterns as they are painted with.
//! Each step is that of resvg 0.49, so that no pixel differs.

use tiny_skia::{IntSize, Pixmap, Transform};

use super::draw::{Context, Draw};
use super::painter::{Behind, Shader};
use super::tree::{ShapePaint, Source, Tile};
use super::values::Unsupported;

/// Most pixels of a tile that are drawn here. Beyond, the way by text says what is wrong with it.
const MAX_TILE_PIXELS: f32 = 64e6;

impl Draw<'_> {
    /// The tile of a pattern, if it is one, with the transform that lays it out.
    pub(crate) fn tile(
        &mut self,
        paint: &ShapePaint,
        context: Context,
        ts: Transform,
    ) -> Result<Option<(f32, f32, Pixmap, Transform)>, Unsupported> {
        let Source::Tile(k) = paint.source else { return Ok(None) };
        let tree = self.tree;
        let Tile { rect, place, children } = &tree.tiles[k];
        let own = self.values.server(*place);
        let (sx, sy) = ts.pre_concat(own).get_scale();
        let (width, height) = (rect.width() * sx, rect.height() * sy);
        if (width * height).is_nan() || width * height > MAX_TILE_PIXELS {
            return Err(Unsupported);
        }
        let kept = self.cache.tiles[k].take();
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
                self.on(&mut pixmap, Behind::Clear, |draw, painter| {
                    draw.children(children, context, Transform::from_scale(sx, sy), painter)
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
    pub(crate) fn keep_tile(&mut self, paint: &ShapePaint, tile: Option<(f32, f32, Pixmap, Transform)>) {
        if let (Source::Tile(k), Some((sx, sy, pixmap, _))) = (&paint.source, tile) {
            self.cache.tiles[*k] = Some((sx, sy, pixmap));
        }
    }

    /// The shader of a paint. None if it leaves nothing to paint.
    pub(crate) fn shader<'s>(
        &self,
        paint: &'s ShapePaint,
        tile: Option<&'s (f32, f32, Pixmap, Transform)>,
    ) -> Option<Shader<'s>> {
        Some(match &paint.source {
            Source::Color([red, green, blue]) => {
                Shader::Color(tiny_skia::Color::from_rgba8(*red, *green, *blue, paint.opacity.to_u8()))
            }
            Source::Linear { ends, stops, spread, place } => {
                let transform = self.values.server(*place);
                Shader::Linear { ends: *ends, stops, spread: *spread, transform }
            }
            Source::Radial { numbers, stops, spread, place } => {
                let transform = self.values.server(*place);
                Shader::Radial { numbers: *numbers, stops, spread: *spread, transform }
            }
            Source::Tile(_) => {
                let (_, _, pixmap, laid) = tile?;
                Shader::Tile { pixmap, opacity: paint.opacity.get(), transform: *laid }
            }
        })
    }
}
