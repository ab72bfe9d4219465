//! Colours, gradients and pictures as vello_cpu takes them, laid out as tiny-skia lays them.
//! Refuses pictures that are larger than is worth a copy.

use std::sync::Arc;

use kurbo::Affine;
use tiny_skia::{FilterQuality, Pixmap, Shader, SpreadMode, Transform};
use vello_cpu::color::{AlphaColor, DynamicColor, Srgb};
use vello_cpu::peniko::{ColorStop, Extend, Gradient, ImageQuality, ImageSampler, InterpolationAlphaSpace};
use vello_cpu::{Image, ImageSource, PaintType};

use super::super::skia::{linear, radial};
use super::super::{Dye, Stop};

/// Most pixels of a picture that is handed over: each time it is used it is copied.
const MAX_PIXELS: usize = 4 << 20;

/// What is handed over, and the transform that lays it out.
pub(super) type Laid = (PaintType, Affine);

/// A dye that cannot be handed over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refused;

/// What a shape's dye is to vello_cpu; nothing if there is nothing to paint.
pub(super) fn mix(dye: &Dye<'_>, ts: Transform) -> Result<Option<Laid>, Refused> {
    match *dye {
        Dye::Color(color) => Ok(Some(solid(color))),
        Dye::Linear { ends, stops, spread, transform } => {
            // tiny-skia knows which gradients are but a colour, and which are nothing.
            let [x1, y1, x2, y2] = ends.map(f64::from);
            let gradient = || Gradient::new_linear((x1, y1), (x2, y2));
            Ok(laid(
                linear(ends, stops, spread, transform),
                gradient,
                stops,
                spread,
                ts.pre_concat(transform),
            ))
        }
        Dye::Radial { numbers, stops, spread, transform } => {
            let [fx, fy, _, cx, cy, _] = numbers.map(f64::from);
            let (inner, outer) = (numbers[2], numbers[5]);
            let gradient = || Gradient::new_two_point_radial((fx, fy), inner, (cx, cy), outer);
            Ok(laid(
                radial(numbers, stops, spread, transform),
                gradient,
                stops,
                spread,
                ts.pre_concat(transform),
            ))
        }
        Dye::Tile { pixmap, opacity, transform } => {
            picture(pixmap, Extend::Repeat, FilterQuality::Bicubic, opacity, ts.pre_concat(transform))
                .map(Some)
                .ok_or(Refused)
        }
    }
}

fn laid(
    shader: Option<Shader<'_>>,
    gradient: impl FnOnce() -> Gradient,
    stops: &[Stop],
    spread: SpreadMode,
    ts: Transform,
) -> Option<Laid> {
    match shader {
        None => None,
        Some(Shader::SolidColor(color)) => Some(solid(color)),
        Some(_) => {
            let stops: Vec<ColorStop> = stops
                .iter()
                .map(|stop| ColorStop {
                    offset: stop.at,
                    color: DynamicColor::from_alpha_color(alpha(stop.color)),
                })
                .collect();
            let extend = match spread {
                SpreadMode::Pad => Extend::Pad,
                SpreadMode::Reflect => Extend::Reflect,
                SpreadMode::Repeat => Extend::Repeat,
            };
            // As SVG has it: colours turn into each other whatever their alpha.
            let gradient = gradient()
                .with_extend(extend)
                .with_interpolation_alpha_space(InterpolationAlphaSpace::Unpremultiplied)
                .with_stops(stops.as_slice());
            Some((PaintType::Gradient(gradient), affine(ts)))
        }
    }
}

/// A picture, if it is small enough.
pub(super) fn picture(
    pixmap: &Pixmap,
    extend: Extend,
    quality: FilterQuality,
    opacity: f32,
    ts: Transform,
) -> Option<Laid> {
    let (width, height) = (u16::try_from(pixmap.width()).ok()?, u16::try_from(pixmap.height()).ok()?);
    if pixmap.pixels().len() > MAX_PIXELS {
        return None;
    }
    let mut copy = vello_cpu::Pixmap::new(width, height);
    copy.data_as_u8_slice_mut().copy_from_slice(pixmap.data());
    let quality = match quality {
        // As tiny-skia does.
        _ if ts.is_translate() || ts.is_identity() => ImageQuality::Low,
        FilterQuality::Nearest => ImageQuality::Low,
        FilterQuality::Bilinear => ImageQuality::Medium,
        FilterQuality::Bicubic => ImageQuality::High,
    };
    let sampler = ImageSampler { x_extend: extend, y_extend: extend, quality, alpha: opacity };
    Some((PaintType::Image(Image { image: ImageSource::Pixmap(Arc::new(copy)), sampler }), affine(ts)))
}

fn solid(color: tiny_skia::Color) -> Laid {
    (PaintType::Solid(alpha(color)), Affine::IDENTITY)
}

pub(super) fn alpha(color: tiny_skia::Color) -> AlphaColor<Srgb> {
    AlphaColor::new([color.red(), color.green(), color.blue(), color.alpha()])
}

fn affine(ts: Transform) -> Affine {
    Affine::new([ts.sx, ts.ky, ts.kx, ts.sy, ts.tx, ts.ty].map(f64::from))
}
