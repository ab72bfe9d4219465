//! Colours, gradients and patterns as shaders. Each step equals that of resvg 0.49, so no pixel differs.

use std::sync::Arc;

use bone_drawing::{Gradient, GradientKind, PaintLook, Spread};
use bone_raster::{Shader, Stop};
use tiny_skia::{IntSize, NonZeroRect, Pixmap, SpreadMode, Transform};

use super::tree::{PaintSource, PaintTransform, ShapePaint, Stops};
use super::values::{Unsupported, Values};
use crate::number::{as_read, is_near};

/// Limit of a tile's pixels here. Above it the fallback reports the error.
const MAX_TILE_PIXELS: f32 = 64e6;

/// The shader of a source, with the transforms that a frame gives, or with a tile and how it is laid out.
pub(crate) fn shader<'s>(
    source: &'s PaintSource,
    opacity: usvg::Opacity,
    server: impl Fn(PaintTransform) -> Transform,
    tile: Option<(&'s Pixmap, Transform)>,
) -> Option<Shader<'s>> {
    Some(match source {
        PaintSource::Color([red, green, blue]) => {
            Shader::Color(tiny_skia::Color::from_rgba8(*red, *green, *blue, opacity.to_u8()))
        }
        PaintSource::Linear { ends, stops, spread, place } => {
            let stops = &stops.painted;
            Shader::Linear { ends: *ends, stops, spread: *spread, transform: server(*place) }
        }
        PaintSource::Radial { numbers, stops, spread, place } => {
            let stops = &stops.painted;
            Shader::Radial { numbers: *numbers, stops, spread: *spread, transform: server(*place) }
        }
        PaintSource::Tile(_) => {
            let (pixmap, transform) = tile?;
            Shader::Tile { pixmap, opacity: opacity.get(), transform }
        }
    })
}

/// A gradient whose stops are multiplied by an opacity.
pub(crate) fn gradient_source(
    gradient: &Gradient,
    place: PaintTransform,
    slot: Option<usize>,
    opacity: usvg::Opacity,
) -> PaintSource {
    let spread = match gradient.spread {
        Spread::Pad => SpreadMode::Pad,
        Spread::Reflect => SpreadMode::Reflect,
        Spread::Repeat => SpreadMode::Repeat,
    };
    let own = Arc::clone(&gradient.stops);
    let stops = Stops { kind: gradient.kind, painted: painted(&own, opacity), own, slot };
    with_stops(gradient.kind, stops, spread, place)
}

/// A gradient of these colours.
fn with_stops(kind: GradientKind, stops: Stops, spread: SpreadMode, place: PaintTransform) -> PaintSource {
    match kind {
        GradientKind::Linear { start, end } => {
            let ends = [start.x, start.y, end.x, end.y].map(as_read);
            PaintSource::Linear { ends, stops, spread, place }
        }
        GradientKind::Radial { center, radius, focus, focus_radius } => {
            let numbers = [focus.x, focus.y, focus_radius, center.x, center.y, radius].map(as_read);
            PaintSource::Radial { numbers, stops, spread, place }
        }
    }
}

/// Stops that are multiplied by an opacity, as resvg converts them.
fn painted(stops: &[bone_drawing::Stop], opacity: usvg::Opacity) -> Vec<Stop> {
    let stop = |stop: &bone_drawing::Stop| {
        let alpha = usvg::Opacity::new_clamped(as_read(stop.opacity)) * opacity;
        let [red, green, blue] = stop.color;
        let color = tiny_skia::Color::from_rgba8(red, green, blue, alpha.to_u8());
        Stop { at: as_read(stop.offset), color }
    };
    stops.iter().map(stop).collect()
}

/// Stops of a frame as usvg reads them: the first of two that lie in one place lies a little before it.
fn apart(mut stops: Vec<Stop>) -> Vec<Stop> {
    for at in 1..stops.len() {
        let next = stops[at].at;
        if is_near(stops[at - 1].at.into(), next.into()) {
            stops[at - 1].at = next - f32::EPSILON;
        }
    }
    stops
}

/// A paint with the colours and the opacity of a frame; none if it has these.
pub(crate) fn repainted(paint: &ShapePaint, look: Option<PaintLook>, values: &Values) -> Option<ShapePaint> {
    let opacity = look.map_or(paint.opacity, |look| usvg::Opacity::new_clamped(as_read(look.opacity)));
    if let PaintSource::Linear { stops, spread, place, .. } | PaintSource::Radial { stops, spread, place, .. } =
        &paint.source
        && let Some((kind, now)) = stops.slot.and_then(|slot| values.stops.now.get(slot))
    {
        if *kind == stops.kind && **now == *stops.own && opacity == paint.opacity {
            return None;
        }
        let stops = Stops { painted: apart(painted(now, opacity)), own: Arc::clone(&stops.own), ..*stops };
        return Some(ShapePaint { source: with_stops(*kind, stops, *spread, *place), opacity });
    }
    let look = look?;
    let is_other = matches!(paint.source, PaintSource::Color(color) if color != look.rgb());
    if opacity == paint.opacity && !is_other {
        return None;
    }
    let mut source = paint.source.clone();
    match &mut source {
        PaintSource::Color(color) => *color = look.rgb(),
        PaintSource::Linear { stops, .. } | PaintSource::Radial { stops, .. } => {
            stops.painted = painted(&stops.own, opacity);
        }
        PaintSource::Tile(_) => {}
    }
    Some(ShapePaint { source, opacity })
}

/// How large the picture of a tile is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileScale {
    /// Pixels a unit of the tile, across and down.
    pub(crate) sx: f32,
    pub(crate) sy: f32,
    /// None if nothing of it is left.
    pub(crate) size: Option<IntSize>,
}

impl TileScale {
    /// The scale of a tile with a transform `own` under the transform `ts` to pixels. An error if it is too
    /// large.
    pub(crate) fn new(rect: NonZeroRect, own: Transform, ts: Transform) -> Result<Self, Unsupported> {
        let (sx, sy) = ts.pre_concat(own).get_scale();
        let (width, height) = (rect.width() * sx, rect.height() * sy);
        if (width * height).is_nan() || width * height > MAX_TILE_PIXELS {
            return Err(Unsupported);
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as resvg does")]
        let size = IntSize::from_wh(width.round() as u32, height.round() as u32);
        Ok(Self { sx, sy, size })
    }
}

/// From the pixels of a tile to the space of the shape.
pub(crate) fn laid_out(rect: NonZeroRect, own: Transform, (sx, sy): (f32, f32)) -> Transform {
    let laid = Transform::default().pre_concat(own);
    laid.pre_translate(rect.x(), rect.y()).pre_scale(1.0 / sx, 1.0 / sy)
}
