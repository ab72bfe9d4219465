//! Straight alpha for PNG: colours are divided by alpha.

use tiny_skia::PremultipliedColorU8;

/// Writes straight RGBA, as `tiny_skia` divides it. True if no pixel is transparent.
///
/// Most pixels of a drawing are opaque or empty: whole groups of them are copied.
pub(crate) fn straighten(pixels: &[PremultipliedColorU8], out: &mut Vec<u8>) -> bool {
    const GROUP: usize = 8;
    out.resize(pixels.len() * 4, 0);
    let mut opaque = true;
    for (group, to) in pixels.chunks(GROUP).zip(out.chunks_mut(GROUP * 4)) {
        let (all, any) =
            group.iter().fold((255, 0), |(all, any), pixel| (all & pixel.alpha(), any | pixel.alpha()));
        opaque &= all == 255;
        let to = to.as_chunks_mut().0.iter_mut().zip(group);
        if all == 255 || any == 0 {
            to.for_each(|(to, pixel)| *to = [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]);
        } else {
            to.for_each(|(to, pixel)| *to = straight(*pixel));
        }
    }
    opaque
}

/// One pixel.
#[inline]
pub(super) fn straight(pixel: PremultipliedColorU8) -> [u8; 4] {
    let divided = &DIVIDED[usize::from(pixel.alpha())];
    let [red, green, blue] =
        [pixel.red(), pixel.green(), pixel.blue()].map(|color| divided[usize::from(color)]);
    [red, green, blue, pixel.alpha()]
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
