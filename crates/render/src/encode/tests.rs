//! An independent decoder reads back what is written, pixel by pixel.

use proptest::prelude::*;
use tiny_skia::{Color, FillRule, Paint, PathBuilder, Pixmap, PremultipliedColorU8, Rect, Transform};

use super::bitmap::Bitmap;
use super::file::difference;
use super::{Compress, PngEncoder, straighten};

/// The pictures of the fuzzer.
#[path = "../../../../fuzz/src/picture.rs"]
#[allow(unreachable_pub, reason = "it is public where the fuzzer has it")]
mod picture;

/// What the file holds, as straight RGBA.
fn read(png: &[u8]) -> (u32, u32, png::ColorType, Vec<u8>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_ignore_text_chunk(true);
    // By default it does not check the sum of the stream.
    decoder.ignore_checksums(false);
    // Palettes as their colours.
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().expect("a header");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a whole frame");
    pixels.truncate(info.buffer_size());
    reader.finish().expect("nothing behind it");
    let pixels = match info.color_type {
        png::ColorType::Rgba => pixels,
        png::ColorType::Rgb => pixels.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect(),
        png::ColorType::Grayscale => pixels.iter().flat_map(|p| [*p, *p, *p, 255]).collect(),
        png::ColorType::GrayscaleAlpha => {
            pixels.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect()
        }
        other => panic!("{other:?}"),
    };
    (info.width, info.height, info.color_type, pixels)
}

/// Encodes in every way and reads back; gives the sizes.
fn round_trip(pixmap: &Pixmap) -> [usize; 2] {
    let want: Vec<u8> = pixmap
        .pixels()
        .iter()
        .map(|p| p.demultiply())
        .flat_map(|c| [c.red(), c.green(), c.blue(), c.alpha()])
        .collect();
    let opaque = want.chunks_exact(4).all(|p| p[3] == 255);
    let mut encoder = PngEncoder::new();
    let mut png = vec![7; 100];
    [Compress::Fast, Compress::Balanced].map(|compress| {
        // The second one uses the buffers of the first.
        encoder.encode(pixmap, compress, &mut png).unwrap();
        encoder.encode(pixmap, compress, &mut png).unwrap();
        let (width, height, color, found) = read(&png);
        assert_eq!((width, height), (pixmap.width(), pixmap.height()));
        let has_alpha = matches!(color, png::ColorType::Rgba | png::ColorType::GrayscaleAlpha);
        assert_ne!(has_alpha, opaque, "{compress:?}");
        assert!(found == want, "{compress:?} of {width} x {height}");
        png.len()
    })
}

fn filled(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Pixmap {
    let mut pixmap = Pixmap::new(width, height).unwrap();
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    for ((x, y), to) in places.zip(pixmap.pixels_mut()) {
        let [r, g, b, a] = pixel(x, y);
        *to = PremultipliedColorU8::from_rgba(r.min(a), g.min(a), b.min(a), a).unwrap();
    }
    pixmap
}

/// Numbers without an order that a compressor finds.
fn noise(seed: u32) -> impl Fn(u32, u32) -> u32 {
    move |x, y| {
        let mut n = (x ^ y.rotate_left(16) ^ seed).wrapping_mul(0x9e37_79b1);
        n ^= n >> 15;
        n = n.wrapping_mul(0x85eb_ca77);
        n ^ n >> 13
    }
}

#[test]
fn division_is_that_of_tiny_skia_for_every_pixel() {
    for alpha in 0..=255_u8 {
        // Each colour, also those brighter than their alpha: unchecked bytes can have them.
        let mut pixmap = Pixmap::new(256, 1).unwrap();
        for (color, to) in (0..=255).zip(pixmap.data_mut().chunks_exact_mut(4)) {
            to.copy_from_slice(&[color, 255 - color, color, alpha]);
        }
        let mut found = vec![0; pixmap.data().len()];
        straighten(pixmap.data(), &mut found);
        let colors = pixmap.pixels().iter().map(|pixel| pixel.demultiply());
        let want: Vec<u8> = colors.flat_map(|c| [c.red(), c.green(), c.blue(), c.alpha()]).collect();
        // Division by 0 has no result to compare.
        assert!(alpha == 0 || found == want, "{alpha}");
    }
}

#[test]
fn bytes_of_words_are_subtracted_each_for_itself() {
    for (a, b) in (0..=255_u8).flat_map(|a| (0..=255_u8).map(move |b| (a, b))) {
        let (one, other) = ([a, b, 255 - a, a], [b, a, b, 255 - b]);
        let want: [u8; 4] = std::array::from_fn(|k| one[k].wrapping_sub(other[k]));
        assert_eq!(difference(u32::from_le_bytes(one), u32::from_le_bytes(other)).to_le_bytes(), want);
    }
}

#[test]
fn every_shape_of_frame_comes_back() {
    let random = noise(1);
    for (width, height) in [
        (1, 1),
        (2, 1),
        (1, 2),
        (3, 7),
        (32_768, 1),
        (1, 32_768),
        (9_000, 3),
        (8_191, 4),
        (8_192, 4),
        (10_922, 3),
        (300, 200),
    ] {
        round_trip(&filled(width, height, |_, _| [0; 4]));
        round_trip(&filled(width, height, |_, _| [9, 80, 200, 255]));
        round_trip(&filled(width, height, |x, y| random(x, y).to_le_bytes()));
        round_trip(&filled(width, height, |x, y| {
            let [r, g, b, _] = random(x, y).to_le_bytes();
            [r, g, b, 255]
        }));
        round_trip(&filled(width, height, |x, y| [x as u8, y as u8, (x + y) as u8, 255]));
        round_trip(&filled(width, height, |x, y| [(x / 7) as u8, 0, 0, (y * 3) as u8]));
        // Few colours: pairs come again at all distances.
        round_trip(&filled(width, height, |x, y| {
            [[0, 0, 0, 255], [255; 4], [90, 0, 9, 200]][random(x, y) as usize % 3]
        }));
        // Rows that repeat, some of them costly.
        round_trip(&filled(width, height, |x, y| {
            if y % 5 < 3 { random(x, y / 7).to_le_bytes() } else { [50, 0, 0, 99] }
        }));
    }
}

#[test]
fn codes_reach_their_longest() {
    // Values as rare as Fibonacci's numbers are great: without a limit their codes were longer than 15 bits.
    let mut bounds = vec![1_u32, 2];
    while *bounds.last().unwrap() < 900_000 {
        bounds.push(bounds[bounds.len() - 1] + bounds[bounds.len() - 2]);
    }
    let random = noise(5);
    round_trip(&filled(1000, 1000, |x, y| {
        let n = random(x, y) % 900_000;
        let value = bounds.iter().position(|bound| n < *bound).unwrap() as u8;
        [value, value.wrapping_mul(7), random(y, x) as u8 & 3, 255]
    }));
}

/// Matches are found in parts of a megabyte, and reach back over their borders.
#[test]
fn repeated_patterns_of_a_large_frame_come_back() {
    let random = noise(8);
    round_trip(&filled(640, 480, |x, y| {
        let [r, g, b, _] = random(x / 2 % 53, y / 5 % 3).to_le_bytes();
        [r, g & 15, if random(x, y).is_multiple_of(90) { 1 } else { b & 7 }, 255]
    }));
    round_trip(&filled(640, 480, |x, y| random(x % 31, y % 2).to_le_bytes()));
}

#[test]
fn flat_drawings_are_small() {
    let mut pixmap = Pixmap::new(640, 480).unwrap();
    pixmap.fill(Color::from_rgba8(240, 240, 220, 255));
    for (k, radius) in [150.0, 110.0, 70.0, 30.0].into_iter().enumerate() {
        let mut paint = Paint { anti_alias: true, ..Paint::default() };
        paint.set_color_rgba8(40 * k as u8, 90, 200 - 30 * k as u8, 255);
        let mut path = PathBuilder::new();
        path.push_circle(320.0 + 10.0 * k as f32, 240.0, radius);
        pixmap.fill_path(&path.finish().unwrap(), &paint, FillRule::Winding, Transform::identity(), None);
    }
    pixmap.fill_rect(
        Rect::from_xywh(10.0, 10.0, 500.0, 30.0).unwrap(),
        &Paint::default(),
        Transform::identity(),
        None,
    );
    let [fast, balanced] = round_trip(&pixmap);
    assert!(fast < 2 * balanced && balanced < 640 * 480 / 20);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn anything_comes_back(
        width in 1_u32..80,
        height in 1_u32..40,
        seed: u32,
        colors in 1_u32..300,
        opaque: bool,
        coarse in 0_u32..4,
    ) {
        let random = noise(seed);
        round_trip(&filled(width, height, |x, y| {
            let [r, g, b, a] = noise(seed ^ 77)(random(x >> coarse, y >> coarse) % colors, 3).to_le_bytes();
            [r, g, b, if opaque { 255 } else { a }]
        }));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn runs_and_gaps_are_those_of_the_pixels(like in prop::collection::vec(0_u8..12, 1..300)) {
        // Long runs of both.
        let colors = like.iter().scan(0, |color, turn| { *color ^= u8::from(*turn == 0); Some(*color) });
        let row: Vec<_> = colors.map(|c| PremultipliedColorU8::from_rgba(c, 0, 0, 255).unwrap()).collect();
        let above = vec![PremultipliedColorU8::from_rgba(0, 0, 0, 255).unwrap(); row.len()];
        let mut bitmap = Bitmap::default();
        bitmap.compare(&row, &above);
        for from in 0..=row.len() {
            let run = row[from..].iter().take_while(|pixel| **pixel == above[0]).count();
            let gap = row[from..].iter().take_while(|pixel| **pixel != above[0]).count();
            prop_assert_eq!(bitmap.run(from), run);
            prop_assert_eq!(bitmap.gap(from).min(row.len() - from), gap);
        }
    }

    #[test]
    fn what_the_fuzzer_draws_comes_back(orders in prop::collection::vec(any::<u8>(), 0..400)) {
        round_trip(&picture::picture(&orders));
    }
}
