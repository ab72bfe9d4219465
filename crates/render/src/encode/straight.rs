//! Straight alpha for PNG: colours are divided by alpha.

use tiny_skia::PremultipliedColorU8;

use super::file::WIDE;

/// Pixels that are copied at once where all are opaque, or all empty: most of a drawing.
const PART: usize = 64 * WIDE;

/// Writes straight RGBA, as `tiny_skia` divides it, from the bytes of a picture.
pub(crate) fn straighten(bytes: &[u8], out: &mut [u8]) {
    for (part, to) in bytes.chunks(PART).zip(out.chunks_mut(PART)) {
        let (mut all, mut any) = (u32::MAX, 0);
        for pixel in part.as_chunks::<WIDE>().0 {
            let pixel = u32::from_le_bytes(*pixel);
            all &= pixel;
            any |= pixel;
        }
        if all >> 24 == 255 || any >> 24 == 0 {
            to.copy_from_slice(part);
        } else {
            let both = to.as_chunks_mut::<WIDE>().0.iter_mut().zip(part.as_chunks::<WIDE>().0);
            both.for_each(|(to, pixel)| *to = straight(*pixel));
        }
    }
}

/// One pixel.
#[inline]
pub(super) fn straight([red, green, blue, alpha]: [u8; WIDE]) -> [u8; WIDE] {
    let divided = &DIVIDED[usize::from(alpha)];
    let [red, green, blue] = [red, green, blue].map(|color| divided[usize::from(color)]);
    [red, green, blue, alpha]
}

/// As bytes: red, green, blue, alpha.
#[inline]
pub(super) fn rgba(pixel: PremultipliedColorU8) -> [u8; WIDE] {
    [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]
}
/// For each alpha, what each colour was before it was multiplied: as `tiny_skia` divides, to the last bit.
static DIVIDED: [[u8; 256]; 256] = divided();

const fn divided() -> [[u8; 256]; 256] {
    let mut table = [[0; 256]; 256];
    let (mut alpha, mut color) = (0, 0);
    while alpha < 256 {
        // At alpha 0 and 255 the colour is unchanged.
        table[alpha][color] = match alpha {
            0 | 255 => color as u8,
            _ => (color as f64 / (alpha as f64 / 255.0) + 0.5) as u8,
        };
        color = (color + 1) % 256;
        alpha += (color == 0) as usize;
    }
    table
}
