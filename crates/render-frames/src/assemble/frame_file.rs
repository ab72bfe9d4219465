//! Reads a frame from a PNG file, as straight RGBA with 8 bits: all colour types and depths that PNG has,
//! interlaced or not. Colour profiles are not applied.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use bone_render::FrameSize;
use png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Transformations};

/// The first bytes of a PNG file: signature, length and name of the first chunk, width and height (PNG
/// specification, sections 5.2 and 11.2.1).
const HEAD: usize = 24;
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";
/// The last chunk.
const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";

/// The size of a picture. A file that is not a PNG, or whose end is missing, is an error.
pub(super) fn frame_size(path: &Path) -> Result<FrameSize, String> {
    let mut file = open(path)?;
    let mut head = [0; HEAD];
    match file.read_exact(&mut head) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            let length = file.metadata().map_or(0, |file| file.len());
            return Err(if length == 0 { "it is empty".to_owned() } else { "it is not a PNG".to_owned() });
        }
        other => other.map_err(|error| error.to_string())?,
    }
    if head[..SIGNATURE.len()] != *SIGNATURE {
        return Err("it is not a PNG".to_owned());
    }
    let number = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let size = FrameSize::new(number(16), number(20)).map_err(|error| error.to_string())?;
    let mut end = [0; 12];
    let read = file.seek(SeekFrom::End(-12)).and_then(|_| file.read_exact(&mut end));
    if read.is_err() || end != *END {
        // Some programs append to a PNG: the decoder finds out whether it is whole.
        return read_whole(path).map(|()| size);
    }
    Ok(size)
}

fn read_whole(path: &Path) -> Result<(), String> {
    FrameReader::default().read(path, &mut Vec::new()).map(|_| ())
}

fn open(path: &Path) -> Result<File, String> {
    // A pipe would wait for a writer.
    let about = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err(if about.is_dir() { "it is a folder" } else { "it is not a file" }.to_owned());
    }
    File::open(path).map_err(|error| error.to_string())
}

/// Reads pictures one after the other, and reuses its buffer.
#[derive(Debug, Default)]
pub(super) struct FrameReader {
    decoded: Vec<u8>,
}

impl FrameReader {
    /// Reads a picture into `pixels`: red, green, blue, alpha, row by row.
    pub(super) fn read(&mut self, path: &Path, pixels: &mut Vec<u8>) -> Result<FrameSize, String> {
        let file = BufReader::new(open(path)?);
        self.decode(file, pixels).map_err(|error| match error {
            FrameFileError::Words(message) => message,
            FrameFileError::Decode(error) => readable(&error),
        })
    }

    fn decode(&mut self, file: BufReader<File>, pixels: &mut Vec<u8>) -> Result<FrameSize, FrameFileError> {
        // Enough for two rows of the widest picture; the pixels are bounded by the size.
        let mut decoder = Decoder::new_with_limits(file, Limits { bytes: 64 << 20 });
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        decoder.ignore_checksums(false);
        decoder.set_transformations(Transformations::EXPAND);
        let info = decoder.read_header_info()?;
        let size = FrameSize::new(info.width, info.height);
        let size = size.map_err(|error| FrameFileError::Words(error.to_string()))?;
        let mut reader = decoder.read_info()?;
        if let Some(animation) = reader.info().animation_control().filter(|many| many.num_frames > 1) {
            let message = format!("it is an animation of {} frames", animation.num_frames);
            return Err(FrameFileError::Words(message));
        }
        let length = reader.output_buffer_size();
        let length = length.ok_or_else(|| FrameFileError::Words("it is too large".to_owned()))?;
        self.decoded.clear();
        self.decoded.resize(length, 0);
        reader.next_frame(&mut self.decoded)?;
        let (colour, depth) = reader.output_color_type();
        reader.finish()?;
        pixels.clear();
        pixels.reserve(size.width() as usize * size.height() as usize * 4);
        if depth == BitDepth::Sixteen {
            let halves = self.decoded.as_chunks::<2>().0;
            to_rgba(colour, halves.iter().map(|two| eight_bits(*two)), pixels);
        } else {
            to_rgba(colour, self.decoded.iter().copied(), pixels);
        }
        Ok(size)
    }
}

/// The nearest of 256 levels to one of 65,536.
fn eight_bits(two: [u8; 2]) -> u8 {
    let level = u32::from(u16::from_be_bytes(two));
    ((level * 255 + 32_767) / 65_535) as u8
}

fn to_rgba(colour: ColorType, mut levels: impl Iterator<Item = u8>, pixels: &mut Vec<u8>) {
    let samples = colour.samples();
    let mut pixel = [0; 4];
    while let Some(first) = levels.next() {
        pixel[0] = first;
        for place in &mut pixel[1..samples] {
            // The rows are whole.
            *place = levels.next().unwrap_or(255);
        }
        let [a, b, c, d] = pixel;
        pixels.extend_from_slice(&match samples {
            1 => [a, a, a, 255],
            2 => [a, a, a, b],
            3 => [a, b, c, 255],
            _ => [a, b, c, d],
        });
    }
}

enum FrameFileError {
    Words(String),
    Decode(DecodingError),
}

impl From<DecodingError> for FrameFileError {
    fn from(error: DecodingError) -> Self {
        Self::Decode(error)
    }
}

fn readable(error: &DecodingError) -> String {
    match error {
        DecodingError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            "its end is missing".to_owned()
        }
        DecodingError::IoError(error) => error.to_string(),
        DecodingError::LimitsExceeded => "it needs more memory than frames have".to_owned(),
        DecodingError::Format(_) | DecodingError::Parameter(_) => format!("the PNG is damaged: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three columns and two rows: the samples of a picture as a file has them.
    struct Picture {
        colour: ColorType,
        depth: BitDepth,
        bytes: &'static [u8],
        palette: Option<(&'static [u8], &'static [u8])>,
        pixels: [[u8; 4]; 6],
    }

    fn written(picture: &Picture, folder: &tempfile::TempDir) -> std::path::PathBuf {
        let path = folder.path().join("a.png");
        let mut encoder = png::Encoder::new(File::create(&path).expect("a file"), 3, 2);
        encoder.set_color(picture.colour);
        encoder.set_depth(picture.depth);
        if let Some((palette, alpha)) = picture.palette {
            encoder.set_palette(palette);
            encoder.set_trns(alpha);
        }
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(picture.bytes).expect("pixels");
        writer.finish().expect("the end");
        path
    }

    #[test]
    fn every_kind_of_png_is_read() {
        let grey = |level: u8| [level, level, level, 255];
        let (red, half, clear) = ([255, 0, 0, 255], [1, 2, 3, 128], [9, 8, 7, 0]);
        let pictures = [
            Picture {
                colour: ColorType::Rgba,
                depth: BitDepth::Eight,
                bytes: &[255, 0, 0, 255, 1, 2, 3, 128, 9, 8, 7, 0, 9, 8, 7, 0, 1, 2, 3, 128, 255, 0, 0, 255],
                palette: None,
                pixels: [red, half, clear, clear, half, red],
            },
            Picture {
                colour: ColorType::Rgb,
                depth: BitDepth::Eight,
                bytes: &[255, 0, 0, 7, 7, 7, 0, 0, 0, 0, 0, 0, 7, 7, 7, 255, 0, 0],
                palette: None,
                pixels: [red, grey(7), grey(0), grey(0), grey(7), red],
            },
            Picture {
                colour: ColorType::Grayscale,
                depth: BitDepth::Two,
                // 0 1 2 and 3 2 1, padded to bytes.
                bytes: &[0b0001_1000, 0b1110_0100],
                palette: None,
                pixels: [grey(0), grey(85), grey(170), grey(255), grey(170), grey(85)],
            },
            Picture {
                colour: ColorType::GrayscaleAlpha,
                depth: BitDepth::Eight,
                bytes: &[0, 0, 9, 255, 9, 128, 0, 0, 9, 255, 9, 128],
                palette: None,
                pixels: [[0; 4], grey(9), [9, 9, 9, 128], [0; 4], grey(9), [9, 9, 9, 128]],
            },
            Picture {
                colour: ColorType::Indexed,
                depth: BitDepth::Eight,
                bytes: &[0, 1, 2, 2, 1, 0],
                palette: Some((&[255, 0, 0, 1, 2, 3, 9, 8, 7], &[255, 128, 0])),
                pixels: [red, half, clear, clear, half, red],
            },
            Picture {
                colour: ColorType::Grayscale,
                depth: BitDepth::Sixteen,
                // 128 is the nearest to 0x80ff, 129 to 0x8101.
                bytes: &[0, 0, 0xff, 0xff, 0x80, 0xff, 0x81, 0x01, 0, 128, 0, 129],
                palette: None,
                pixels: [grey(0), grey(255), grey(128), grey(129), grey(0), grey(1)],
            },
        ];
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (mut reader, mut pixels) = (FrameReader::default(), Vec::new());
        for picture in &pictures {
            let path = written(picture, &folder);
            let size = reader.read(&path, &mut pixels).expect("a picture");
            assert_eq!((size.width(), size.height()), (3, 2));
            assert_eq!(frame_size(&path), Ok(size));
            assert_eq!(pixels.as_chunks::<4>().0, picture.pixels, "{:?}", picture.colour);
            // What some programs append does not matter.
            let mut longer = std::fs::read(&path).expect("a file");
            longer.extend_from_slice(b"more");
            std::fs::write(&path, longer).expect("a file");
            assert_eq!(frame_size(&path), Ok(size));
        }
    }

    #[test]
    fn an_animation_is_no_frame() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.png");
        let mut encoder = png::Encoder::new(File::create(&path).expect("a file"), 1, 1);
        encoder.set_animated(2, 0).expect("two frames");
        let mut writer = encoder.write_header().expect("a header");
        for _ in 0..2 {
            writer.write_image_data(&[7]).expect("a pixel");
        }
        writer.finish().expect("the end");
        let error = FrameReader::default().read(&path, &mut Vec::new());
        assert_eq!(error, Err("it is an animation of 2 frames".to_owned()));
    }
}
