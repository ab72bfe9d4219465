//! The pixel operations that nearly all layers need: composite over the backdrop, remove what a clip path
//! excludes, multiply by a mask. Most pixels of a layer are transparent or opaque and need no arithmetic. Each pixel equals
//! the result of tiny-skia's pipelines, to the bit; the tests compare all values.

use tiny_skia::{IntRect, MaskType, Pixmap, PixmapMut};

/// Factor from a byte to 0..1, as in tiny-skia.
const SHARE: f32 = 1.0 / 255.0;

/// Composites a layer. Its place is in the pixels of the picture.
pub fn composite_over(layer: &Pixmap, place: IntRect, opacity: f32, pixmap: &mut PixmapMut<'_>) {
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

/// Pixels that are taken at a time, as numbers whose lowest byte is red: in this form compilers vectorise.
const BLOCK: usize = 8;

/// The alpha of all pixels of a block, if they are opaque.
const OPAQUE: u32 = 0xFF00_0000;

/// Two channels of a pixel.
const TWO: u32 = 0x00FF_00FF;

fn over_row(from: &[u8], to: &mut [u8]) {
    blocks(from, to, |from, to| {
        if from.iter().all(|pixel| *pixel >= OPAQUE) {
            *to = *from;
        // Interpolated pixels can have colour and no alpha.
        } else if *from != [0; BLOCK] {
            over(from, to, 1.0);
        }
    });
}

fn clear_over_row(from: &[u8], to: &mut [u8], opacity: f32) {
    blocks(from, to, |from, to| {
        if *from != [0; BLOCK] {
            over(from, to, opacity);
        }
    });
}

#[inline(always)]
fn over(from: &[u32; BLOCK], to: &mut [u32; BLOCK], opacity: f32) {
    for (from, to) in from.iter().zip(to) {
        let behind = 1.0 - channel(*from, 3) * SHARE * opacity;
        let mixed =
            |at| level(channel(*to, at) * SHARE * behind + channel(*from, at) * SHARE * opacity) << (8 * at);
        *to = mixed(0) | mixed(1) | mixed(2) | mixed(3);
    }
}

/// Goes through the pixels of two rows in blocks. What is left at the end is filled up with transparent
/// pixels.
#[inline(always)]
fn blocks(from: &[u8], to: &mut [u8], change: impl Fn(&[u32; BLOCK], &mut [u32; BLOCK])) {
    let one = |from: &[u8; 4 * BLOCK], to: &mut [u8; 4 * BLOCK]| {
        let mut changed = numbers(to);
        change(&numbers(from), &mut changed);
        let (pixels, _) = to.as_chunks_mut();
        pixels.iter_mut().zip(changed).for_each(|(pixel, number)| *pixel = number.to_le_bytes());
    };
    let ((from, from_rest), (to, to_rest)) = (from.as_chunks(), to.as_chunks_mut());
    for (from, to) in from.iter().zip(to) {
        one(from, to);
    }
    let (mut last, mut under) = ([0; 4 * BLOCK], [0; 4 * BLOCK]);
    last[..from_rest.len()].copy_from_slice(from_rest);
    under[..to_rest.len()].copy_from_slice(to_rest);
    one(&last, &mut under);
    to_rest.copy_from_slice(&under[..to_rest.len()]);
}

#[inline(always)]
fn numbers(bytes: &[u8; 4 * BLOCK]) -> [u32; BLOCK] {
    let (pixels, _) = bytes.as_chunks();
    std::array::from_fn(|at| u32::from_le_bytes(pixels[at]))
}

/// A channel of a pixel; by a signed number, which converts in one step.
#[inline(always)]
#[allow(clippy::cast_precision_loss, reason = "a byte")]
const fn channel(pixel: u32, at: u32) -> f32 {
    (pixel >> (8 * at) & 255).cast_signed() as f32
}

/// Added and taken away again, it rounds to a whole number; added, the lowest byte is that number.
const WHOLE: f32 = 12_582_912.0;

/// The byte nearest to a value of 0..1, ties to even.
#[inline(always)]
fn level(share: f32) -> u32 {
    (share.clamp(0.0, 1.0) * 255.0 + WHOLE).to_bits() & 255
}

/// Removes from a layer what `around` covers. Both have the same size.
pub fn clip_out(pixmap: &mut Pixmap, around: &Pixmap) {
    blocks(around.data(), pixmap.data_mut(), |around, to| {
        for (around, to) in around.iter().zip(to) {
            *to = within(*to, 255 - (around >> 24));
        }
    });
}

/// Multiplies a layer by the luminance or the alpha of a mask's picture. Both have the same size. Where the
/// layer is transparent, the mask is not looked at.
pub fn mask_by(pixmap: &mut Pixmap, shown: &Pixmap, kind: MaskType) {
    blocks(shown.data(), pixmap.data_mut(), |shown, to| {
        if *to == [0; BLOCK] {
            return;
        }
        let shares = match kind {
            MaskType::Alpha => shown.map(|pixel| pixel >> 24),
            MaskType::Luminance if shown.iter().all(|pixel| *pixel == opaque_grey(pixel & 255)) => {
                shown.map(|pixel| u32::from(GREYS[(pixel & 255) as usize]))
            }
            MaskType::Luminance => shown.map(luminance),
        };
        for (share, to) in shares.into_iter().zip(to) {
            *to = within(*to, share);
        }
    });
}

/// A pixel times a byte, as tiny-skia divides by 255.
#[inline(always)]
fn within(pixel: u32, share: u32) -> u32 {
    let (even, odd) = (pixel & TWO, pixel >> 8 & TWO);
    (even * share + TWO) >> 8 & TWO | (odd * share + TWO) & !TWO
}

/// The luminances of opaque greys, of which most masks are made.
static GREYS: [u8; 256] = {
    let mut greys = [0; 256];
    let mut level = 0;
    while level < 256 {
        greys[level as usize] = luminance(opaque_grey(level)) as u8;
        level += 1;
    }
    greys
};

#[inline(always)]
const fn opaque_grey(level: u32) -> u32 {
    OPAQUE | (level * 0x0001_0101)
}

/// The luminance of a pixel times its alpha, as tiny-skia rounds it.
#[inline(always)]
const fn luminance(pixel: u32) -> u32 {
    let (red, green) = (channel(pixel, 0) / 255.0, channel(pixel, 1) / 255.0);
    let (blue, alpha) = (channel(pixel, 2) / 255.0, channel(pixel, 3) / 255.0);
    let by = if alpha == 0.0 { 1.0 } else { alpha };
    let luminance = red / by * 0.2126 + green / by * 0.7152 + blue / by * 0.0722;
    let level = (luminance * alpha * 255.0).clamp(0.0, 255.0);
    let nearest = level + WHOLE;
    let is_below = nearest - WHOLE < level;
    (nearest.to_bits() & 255) + is_below as u32
}

#[cfg(test)]
mod tests {
    use tiny_skia::{
        FillRule, FilterQuality, Mask, Paint, PathBuilder, Pattern, PremultipliedColorU8, SpreadMode,
        Transform,
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
        let mut greys = every_level();
        for (at, pixel) in greys.pixels_mut().iter_mut().enumerate() {
            let level = at as u8;
            *pixel = PremultipliedColorU8::from_rgba(level, level, level, 255).unwrap();
        }
        for (at, backdrop) in backdrops().enumerate() {
            for (shown, kind) in [
                (&every_level(), MaskType::Luminance),
                (&every_level(), MaskType::Alpha),
                (&greys, MaskType::Luminance),
            ] {
                let (mut found, mut expected) = (backdrop.clone(), backdrop.clone());
                mask_by(&mut found, shown, kind);
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
