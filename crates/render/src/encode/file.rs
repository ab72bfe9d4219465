//! The chunks around the pixels of a PNG file, and helpers that both PNG encoders use.

use tiny_skia::Pixmap;

/// Bytes of a pixel in memory.
pub(super) const WIDE: usize = 4;
/// The filter of each row: differences from the row above, which of the first row is empty.
pub(super) const UP: u8 = 2;

/// Writes a file of colours, with alpha or without, around a zlib stream.
pub(super) fn file(pixmap: &Pixmap, opaque: bool, png: &mut Vec<u8>, stream: impl FnOnce(&mut Vec<u8>)) {
    image_file(pixmap, [8, if opaque { 2 } else { 6 }], &[], png, stream);
}

/// Writes a file around a zlib stream. `kind` is the bits of a sample and the type of its colours; the transparent
/// colours of a palette come first.
pub(super) fn image_file(
    pixmap: &Pixmap,
    kind: [u8; 2],
    palette: &[[u8; 4]],
    png: &mut Vec<u8>,
    stream: impl FnOnce(&mut Vec<u8>),
) {
    png.extend_from_slice(b"\x89PNG\r\n\x1a\n");
    let mut header = [0; 13];
    header[..4].copy_from_slice(&pixmap.width().to_be_bytes());
    header[4..8].copy_from_slice(&pixmap.height().to_be_bytes());
    header[8..10].copy_from_slice(&kind);
    chunk(*b"IHDR", png, |png| png.extend_from_slice(&header));
    if !palette.is_empty() {
        let colors = palette.iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]);
        chunk(*b"PLTE", png, |png| png.extend(colors));
        let see_through = palette.iter().take_while(|color| color[3] < 255).map(|color| color[3]);
        if palette[0][3] < 255 {
            chunk(*b"tRNS", png, |png| png.extend(see_through));
        }
    }
    chunk(*b"IDAT", png, stream);
    chunk(*b"IEND", png, |_| ());
}

/// A chunk with its length before and its checksum behind it.
fn chunk(name: [u8; 4], png: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
    let start = png.len();
    png.extend_from_slice(&[0; 4]);
    png.extend_from_slice(&name);
    content(png);
    #[allow(clippy::cast_possible_truncation, reason = "the largest frame is 1.6 GB of noise")]
    let length = (png.len() - start - 8) as u32;
    png[start..start + 4].copy_from_slice(&length.to_be_bytes());
    let sum = crc32fast::hash(&png[start + 4..]);
    png.extend_from_slice(&sum.to_be_bytes());
}

/// Whether no pixel is transparent.
pub(super) fn is_opaque(data: &[u8]) -> bool {
    let all = |part: &[[u8; WIDE]]| {
        part.iter().fold(!0, |all, pixel| all & u32::from_ne_bytes(*pixel)).to_ne_bytes()
    };
    data.as_chunks().0.chunks(1024).all(|part| all(part)[3] == 255)
}

/// Differences of the bytes of two words, each for itself.
#[inline(always)]
pub(super) fn difference(a: u32, b: u32) -> u32 {
    const HIGH: u32 = 0x8080_8080;
    // A bit that is set in `a` and none in `b` stops what one byte borrows from the next.
    ((a | HIGH) - (b & !HIGH)) ^ ((a ^ !b) & HIGH)
}
