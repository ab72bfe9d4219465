//! The pixel operations that nearly all layers need: composite over the backdrop, remove what a clip path
//! excludes, multiply by a mask. Most pixels of a layer are transparent or opaque and need no arithmetic. Each pixel equals
//! the result of tiny-skia's pipelines, to the bit; the tests compare all values.

use tiny_skia::{IntRect, MaskType, Pixmap, PixmapMut};

/// Factor from a byte to 0..1, as in tiny-skia.
const SHARE: f32 = 1.0 / 255.0;

/// Composites a layer. Its place is in the pixels of the picture.
pub(crate) fn composite_over(layer: &Pixmap, place: IntRect, opacity: f32, pixmap: &mut PixmapMut<'_>) {
    let (width, height) = (i64::from(pixmap.width()), i64::from(pixmap.height()));
    let (x, y) = (i64::from(place.x()), i64::from(place.y()));
    // The columns and rows of the layer that lie in the picture.
    let columns = (-x).max(0)..i64::from(layer.width()).min(width - x);
    let rows = (-y).max(0)..i64::from(layer.height()).min(height - y);
    if columns.is_empty() {
        return;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies in the picture")]
    let at = |x: i64, y: i64, width: i64| (y * width + x) as usize * 4;
    let stride = i64::from(layer.width());
    let (from, to) = (layer.data(), pixmap.data_mut());
    for row in rows {
        let from = &from[at(columns.start, row, stride)..at(columns.end, row, stride)];
        let to = &mut to[at(columns.start + x, row + y, width)..at(columns.end + x, row + y, width)];
        if opacity == 1.0 { over_row(from, to) } else { clear_over_row(from, to, opacity) }
    }
}

fn over_row(from: &[u8], to: &mut [u8]) {
    for (from, to) in from.chunks_exact(4).zip(to.chunks_exact_mut(4)) {
        // Interpolated pixels can have colour and no alpha.
        match from {
            [0, 0, 0, 0] => {}
            [.., 255] => to.copy_from_slice(from),
            [.., alpha] => {
                let behind = 1.0 - f32::from(*alpha) * SHARE;
                for (from, to) in from.iter().zip(to) {
                    *to = level(f32::from(*to) * SHARE * behind + f32::from(*from) * SHARE);
                }
            }
            [] => {}
        }
    }
}

fn clear_over_row(from: &[u8], to: &mut [u8], opacity: f32) {
    for (from, to) in from.chunks_exact(4).zip(to.chunks_exact_mut(4)) {
        if from == [0; 4] {
            continue;
        }
        let behind = 1.0 - f32::from(from[3]) * SHARE * opacity;
        for (from, to) in from.iter().zip(to) {
            *to = level(f32::from(*to) * SHARE * behind + f32::from(*from) * SHARE * opacity);
        }
    }
}

/// The byte nearest to a value of 0..1, ties to even.
fn level(share: f32) -> u8 {
    // Adding this constant rounds to a whole number.
    const WHOLE: f32 = 12_582_912.0;
    let levels = share.clamp(0.0, 1.0) * 255.0 + WHOLE;
    levels.to_bits().to_le_bytes()[0]
}

/// Removes from a layer what `around` covers. Both have the same size.
pub(crate) fn clip_out(pixmap: &mut Pixmap, around: &Pixmap) {
    let pixels = pixmap.data_mut().chunks_exact_mut(4).zip(around.data().chunks_exact(4));
    for (to, around) in pixels {
        match around[3] {
            0 => {}
            255 => to.fill(0),
            alpha => {
                let within = u16::from(255 - alpha);
                // As tiny-skia divides by 255.
                to.iter_mut().for_each(|n| *n = ((u16::from(*n) * within + 255) >> 8).to_le_bytes()[0]);
            }
        }
    }
}

/// Multiplies a layer by the luminance or the alpha of a mask's picture. Both have the same size. Where the
/// layer is transparent, the mask is not looked at.
pub(crate) fn mask_by(pixmap: &mut Pixmap, shown: &Pixmap, kind: MaskType) {
    let (pixels, _) = pixmap.data_mut().as_chunks_mut::<4>();
    let (shown, _) = shown.data().as_chunks::<4>();
    // Pixels in a row are often equal.
    let mut last = ([0; 4], 0);
    for (to, shown) in pixels.iter_mut().zip(shown) {
        if *to == [0; 4] {
            continue;
        }
        if last.0 != *shown {
            let within = match kind {
                MaskType::Alpha => shown[3],
                MaskType::Luminance => luminance(*shown),
            };
            last = (*shown, within);
        }
        match last.1 {
            255 => {}
            0 => *to = [0; 4],
            within => {
                let within = u16::from(within);
                *to = to.map(|n| ((u16::from(n) * within + 255) >> 8).to_le_bytes()[0]);
            }
        }
    }
}

/// The luminance of a pixel times its alpha, as tiny-skia rounds it.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn luminance([red, green, blue, alpha]: [u8; 4]) -> u8 {
    let [mut red, mut green, mut blue, alpha] = [red, green, blue, alpha].map(|n| f32::from(n) / 255.0);
    if alpha != 0.0 && alpha != 1.0 {
        (red, green, blue) = (red / alpha, green / alpha, blue / alpha);
    }
    let luminance = red * 0.2126 + green * 0.7152 + blue * 0.0722;
    (luminance * alpha * 255.0).clamp(0.0, 255.0).ceil() as u8
}

#[cfg(test)]
mod tests {
    use tiny_skia::{
        FillRule, FilterQuality, Mask, Paint, PathBuilder, Pattern, PremultipliedColorU8,
        SpreadMode, Transform,
    };

    use super::*;

    /// Every alpha with every colour byte, also those greater than the alpha.
    fn every_level() -> Pixmap {
        let mut pixmap = Pixmap::new(256, 256).unwrap();
        for (at, pixel) in pixmap.data_mut().chunks_exact_mut(4).enumerate() {
            let (level, alpha) = ((at % 256) as u8, (at / 256) as u8);
            pixel.copy_from_slice(&[level, alpha.saturating_sub(level), level / 2, alpha]);
        }
        pixmap
    }

    fn backdrops() -> impl Iterator<Item = Pixmap> {
        (0..=255_u8).map(|level| {
            let mut backdrop = Pixmap::new(256, 256).unwrap();
            let alpha = level.max(255 - level / 3);
            let pixel = PremultipliedColorU8::from_rgba(level, alpha - level.min(alpha), level / 3, alpha);
            backdrop.pixels_mut().fill(pixel.unwrap());
            backdrop
        })
    }

    #[test]
    fn layers_are_composited_as_by_tiny_skia() {
        let layer = every_level();
        for (at, backdrop) in backdrops().enumerate() {
            let opacity = [1.0, 0.5, 0.37, 0.999][at % 4];
            for opacity in [1.0, opacity] {
                let (mut found, mut expected) = (backdrop.clone(), backdrop.clone());
                let place = IntRect::from_xywh(-3, 5, 256, 256).unwrap();
                composite_over(&layer, place, opacity, &mut found.as_mut());
                let there = Transform::from_translate(-3.0, 5.0);
                let (spread, quality) = (SpreadMode::Pad, FilterQuality::Bilinear);
                let shader = Pattern::new(layer.as_ref(), spread, quality, opacity, there);
                let path = PathBuilder::from_rect(place.to_rect());
                let paint = Paint { shader, ..Paint::default() };
                expected.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
                assert!(found == expected, "backdrop {at}, opacity {opacity}");
            }
        }
    }

    #[test]
    fn layers_are_clipped_as_by_tiny_skia() {
        let around = every_level();
        for (at, backdrop) in backdrops().enumerate() {
            let (mut found, mut expected) = (backdrop.clone(), backdrop.clone());
            clip_out(&mut found, &around);
            let mut mask = Mask::from_pixmap(around.as_ref(), MaskType::Alpha);
            mask.invert();
            expected.apply_mask(&mask);
            assert!(found == expected, "backdrop {at}");
        }
    }

    #[test]
    fn layers_are_masked_as_by_tiny_skia() {
        let shown = every_level();
        for (at, backdrop) in backdrops().enumerate() {
            for kind in [MaskType::Luminance, MaskType::Alpha] {
                let (mut found, mut expected) = (backdrop.clone(), backdrop.clone());
                mask_by(&mut found, &shown, kind);
                expected.apply_mask(&Mask::from_pixmap(shown.as_ref(), kind));
                assert!(found == expected, "backdrop {at}");
            }
        }
    }

    #[test]
    fn layers_beside_the_picture_leave_it_alone() {
        let (layer, backdrop) = (every_level(), backdrops().next().unwrap());
        for (x, y) in [(300, 0), (0, 300), (-300, 0), (0, -300), (256, 256), (-256, -256)] {
            let mut pixmap = backdrop.clone();
            composite_over(&layer, IntRect::from_xywh(x, y, 256, 256).unwrap(), 1.0, &mut pixmap.as_mut());
            assert!(pixmap == backdrop);
        }
    }
}
