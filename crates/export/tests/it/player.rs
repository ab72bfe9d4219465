//! Players: decoders of others, and a canvas on which frames are composed as the specifications say.

use std::io::Cursor;

/// A shown picture and how long, in units of the format.
pub(crate) type Shown = (Vec<u8>, u64);

/// A canvas of straight RGBA.
struct Canvas {
    width: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn rows(
        &self,
        (x, y, width, height): (usize, usize, usize, usize),
    ) -> impl Iterator<Item = usize> + use<> {
        let columns = self.width;
        (y..y + height).flat_map(move |row| (x..x + width).map(move |column| (row * columns + column) * 4))
    }
}

/// The frames of a GIF.
pub(crate) fn gif(bytes: &[u8]) -> (Vec<Shown>, gif::Repeat) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::Indexed);
    let mut decoder = options.read_info(Cursor::new(bytes)).expect("a GIF");
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut canvas = Canvas { width, pixels: vec![0; width * height * 4] };
    let palette = decoder.global_palette().expect("a palette").to_vec();
    let mut shown = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        let [x, y, w, h] = [frame.left, frame.top, frame.width, frame.height].map(usize::from);
        assert!(x + w <= width && y + h <= height);
        for (at, index) in canvas.rows((x, y, w, h)).zip(&*frame.buffer) {
            if Some(*index) != frame.transparent {
                canvas.pixels[at..at + 3].copy_from_slice(&palette[usize::from(*index) * 3..][..3]);
                canvas.pixels[at + 3] = 255;
            }
        }
        shown.push((canvas.pixels.clone(), u64::from(frame.delay)));
        match frame.dispose {
            gif::DisposalMethod::Background => {
                for at in canvas.rows((x, y, w, h)) {
                    canvas.pixels[at..at + 4].fill(0);
                }
            }
            other => assert_eq!(other, gif::DisposalMethod::Keep),
        }
    }
    (shown, decoder.repeat())
}

/// The frames of an animated PNG, with the duration as a ratio, and how often it is played.
pub(crate) fn apng(bytes: &[u8]) -> (Vec<(Vec<u8>, (u16, u16))>, u32) {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().expect("a PNG");
    let info = reader.info().clone();
    let animation = info.animation_control.expect("an animation");
    let (width, height) = (info.width as usize, info.height as usize);
    let mut canvas = Canvas { width, pixels: vec![0; width * height * 4] };
    let mut shown = Vec::new();
    for number in 0..animation.num_frames {
        let mut buffer = vec![0; reader.output_buffer_size().expect("small")];
        reader.next_frame(&mut buffer).expect("a frame");
        let control = *reader.info().frame_control().expect("a frame control");
        let [x, y, w, h] =
            [control.x_offset, control.y_offset, control.width, control.height].map(|n| n as usize);
        let before = canvas.pixels.clone();
        for (at, pixel) in canvas.rows((x, y, w, h)).zip(buffer.as_chunks::<4>().0) {
            let old = canvas.pixels[at + 3];
            match (control.blend_op, pixel[3]) {
                (png::BlendOp::Over, 0) => (),
                // Nothing that readers would round.
                (png::BlendOp::Over, alpha) => {
                    assert!(alpha == 255, "frame {number}: {alpha} over {old}");
                    canvas.pixels[at..at + 4].copy_from_slice(pixel);
                }
                (png::BlendOp::Source, _) => canvas.pixels[at..at + 4].copy_from_slice(pixel),
            }
        }
        shown.push((canvas.pixels.clone(), (control.delay_num, control.delay_den)));
        match control.dispose_op {
            png::DisposeOp::None => (),
            png::DisposeOp::Background => {
                for at in canvas.rows((x, y, w, h)) {
                    canvas.pixels[at..at + 4].fill(0);
                }
            }
            png::DisposeOp::Previous => {
                assert!(number > 0);
                canvas.pixels = before;
            }
        }
    }
    (shown, animation.num_plays)
}

/// The frames of an animated WebP: streams by the decoder, on a canvas of ours, because its own canvas rounds
/// opaque pixels that are blended.
pub(crate) fn webp(bytes: &[u8]) -> Vec<Shown> {
    let decoder = image_webp::WebPDecoder::new(Cursor::new(bytes)).expect("a WebP");
    assert!(decoder.is_animated());
    let (width, height) = decoder.dimensions();
    let (width, height) = (width as usize, height as usize);
    let mut canvas = Canvas { width, pixels: vec![0; width * height * 4] };
    assert_eq!(u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize, bytes.len() - 8);
    let (mut at, mut shown) = (12, Vec::new());
    while at < bytes.len() {
        let length = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        let (name, content) = (&bytes[at..at + 4], &bytes[at + 8..at + 8 + length]);
        at += 8 + length.next_multiple_of(2);
        if name != b"ANMF" {
            continue;
        }
        let number =
            |at: usize| u32::from_le_bytes([content[at], content[at + 1], content[at + 2], 0]) as usize;
        let (x, y, w, h) = (2 * number(0), 2 * number(3), number(6) + 1, number(9) + 1);
        assert!(x + w <= width && y + h <= height);
        let (replaces, clears) = (content[15] & 2 > 0, content[15] & 1 > 0);
        let pixels = still(&content[16..]);
        for (at, pixel) in canvas.rows((x, y, w, h)).zip(pixels.as_chunks::<4>().0) {
            // Nothing that readers would round.
            assert!(replaces || pixel[3] == 0 || pixel[3] == 255);
            if replaces || pixel[3] == 255 {
                canvas.pixels[at..at + 4].copy_from_slice(pixel);
            }
        }
        shown.push((canvas.pixels.clone(), number(12) as u64));
        if clears {
            for at in canvas.rows((x, y, w, h)) {
                canvas.pixels[at..at + 4].fill(0);
            }
        }
    }
    assert_eq!(shown.len(), decoder.num_frames() as usize);
    shown
}

/// The pixels of a stream with its chunk header, as a file of its own.
fn still(chunk: &[u8]) -> Vec<u8> {
    let mut file = b"RIFF\0\0\0\0WEBP".to_vec();
    file[4..8].copy_from_slice(&(chunk.len() as u32 + 4).to_le_bytes());
    file.extend_from_slice(chunk);
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(file)).expect("a picture");
    let mut pixels = vec![0; decoder.output_buffer_size().expect("small")];
    decoder.read_image(&mut pixels).expect("pixels");
    if decoder.has_alpha() {
        return pixels;
    }
    pixels.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect()
}
