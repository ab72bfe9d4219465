//! Bytes as a picture, encoded in every way and read back by an independent decoder: the same pixels.

use bone_render::{Compress, Pixmap, PngEncoder};

use super::picture::picture;

/// Bytes as `picture` has them.
pub fn encode(data: &[u8]) {
    let picture = picture(data);
    let want: Vec<u8> = picture
        .pixels()
        .iter()
        .map(|pixel| pixel.demultiply())
        .flat_map(|color| [color.red(), color.green(), color.blue(), color.alpha()])
        .collect();
    let (mut encoder, mut png) = (PngEncoder::new(), Vec::new());
    // The fast way once more at the end, through memory that was used.
    for compress in [Compress::Fast, Compress::Balanced, Compress::Fast] {
        encoder.encode(&picture, compress, &mut png).expect("pixels are encoded");
        assert!(read(&png, &picture) == want, "{compress:?} of {} x {}", picture.width(), picture.height());
    }
}

fn read(png: &[u8], picture: &Pixmap) -> Vec<u8> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.ignore_checksums(false);
    // Palettes as their colours.
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().expect("a header");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a whole frame");
    reader.finish().expect("nothing behind it");
    assert_eq!((info.width, info.height), (picture.width(), picture.height()));
    pixels.truncate(info.buffer_size());
    match info.color_type {
        png::ColorType::Rgba => pixels,
        png::ColorType::Rgb => pixels.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect(),
        png::ColorType::Grayscale => pixels.iter().flat_map(|p| [*p, *p, *p, 255]).collect(),
        png::ColorType::GrayscaleAlpha => pixels.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        other => panic!("{other:?}"),
    }
}
