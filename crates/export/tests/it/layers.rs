//! Pictures in layers, read back by short readers of their own: of the specification of Photoshop's files, and of the
//! local headers of a ZIP.

use bone_drawing::{BlendMode, LayerLook};
use bone_export::{ExportError, FileFormat, FormatKind, LayerWriter, PixelSize};
use proptest::prelude::*;

fn writer(ending: &str, width: u32, height: u32) -> Result<Box<dyn LayerWriter>, ExportError> {
    match FileFormat::find(ending).expect("the format").kind {
        FormatKind::Layers { writer, .. } => writer(PixelSize { width, height }),
        other => panic!("{other:?}"),
    }
}

fn look(name: &str, opacity: f64, blend: BlendMode) -> LayerLook {
    LayerLook { name: name.to_owned(), opacity, blend }
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn number(&mut self, bytes: usize) -> usize {
        self.take(bytes).iter().fold(0, |all, byte| (all << 8) | usize::from(*byte))
    }

    /// Rows that are packed by PackBits.
    fn rows(&mut self, width: usize, height: usize) -> Vec<u8> {
        let counts: Vec<usize> = (0..height).map(|_| self.number(2)).collect();
        let mut out = Vec::new();
        for count in counts {
            let mut packed = Bytes(self.take(count));
            let start = out.len();
            while !packed.0.is_empty() {
                match packed.number(1) {
                    own @ 0..128 => out.extend_from_slice(packed.take(own + 1)),
                    128 => {}
                    run => {
                        let byte = packed.take(1)[0];
                        out.resize(out.len() + 257 - run, byte);
                    }
                }
            }
            assert_eq!(out.len() - start, width, "the length of a row");
        }
        out
    }
}

/// A layer of a .psd: its name, blend key, opacity and section, and straight pixels of the whole picture.
#[derive(Debug)]
struct ReadLayer {
    name: String,
    blend: String,
    opacity: usize,
    section: Option<usize>,
    pixels: Vec<u8>,
}

fn read_psd(bytes: &[u8]) -> (Vec<ReadLayer>, Vec<u8>) {
    let mut file = Bytes(bytes);
    assert_eq!(file.take(4), b"8BPS");
    assert_eq!((file.number(2), file.number(6)), (1, 0));
    let (channels, height, width) = (file.number(2), file.number(4), file.number(4));
    assert_eq!((file.number(2), file.number(2), file.number(4), file.number(4)), (8, 3, 0, 0));
    let length = file.number(4);
    let mut section = Bytes(file.take(length));
    let length = section.number(4);
    assert_eq!(length % 2, 0);
    let mut layers = Bytes(section.take(length));
    assert_eq!(section.0, [0; 4]);
    let count = layers.number(2);
    let count = if channels == 4 { (65_536 - count) % 65_536 } else { count };
    let records: Vec<_> = (0..count)
        .map(|_| {
            let sides: [usize; 4] = std::array::from_fn(|_| layers.number(4));
            let channels = layers.number(2);
            let lengths: Vec<_> = (0..channels).map(|_| (layers.number(2), layers.number(4))).collect();
            assert_eq!(layers.take(4), b"8BIM");
            let blend = String::from_utf8(layers.take(4).to_vec()).expect("ASCII");
            let (opacity, _) = (layers.number(1), layers.take(3));
            let length = layers.number(4);
            let mut extra = Bytes(layers.take(length));
            assert_eq!(extra.number(8), 0);
            let length = extra.number(1);
            extra.take((length + 1).next_multiple_of(4) - 1);
            let (mut name, mut kind) = (String::new(), None);
            while !extra.0.is_empty() {
                assert_eq!(extra.take(4), b"8BIM");
                let key = extra.take(4);
                let length = extra.number(4);
                let mut block = Bytes(extra.take(length));
                if key == b"luni" {
                    let units: Vec<u16> = (0..block.number(4))
                        .map(|_| u16::try_from(block.number(2)).expect("16 bits"))
                        .collect();
                    name = String::from_utf16(&units).expect("a name");
                } else {
                    assert_eq!(key, b"lsct");
                    kind = Some(block.number(4));
                }
            }
            (
                sides,
                lengths,
                ReadLayer { name, blend, opacity, section: kind, pixels: vec![0; width * height * 4] },
            )
        })
        .collect();
    let read = |(sides, lengths, mut layer): ([usize; 4], Vec<(usize, usize)>, ReadLayer)| {
        let [top, left, bottom, right] = sides;
        for (id, length) in lengths {
            let mut channel = Bytes(layers.take(length));
            assert_eq!(channel.number(2), 1);
            let values = channel.rows(right - left, bottom - top);
            assert!(channel.0.is_empty());
            let at = if id == 65_535 { 3 } else { id };
            for (k, value) in values.iter().enumerate() {
                let (x, y) = (left + k % (right - left), top + k / (right - left));
                layer.pixels[(y * width + x) * 4 + at] = *value;
            }
        }
        layer
    };
    let read: Vec<_> = records.into_iter().map(read).collect();
    assert!(layers.0.len() < 2);
    assert_eq!(file.number(2), 1);
    // The lengths of all rows come first.
    let flat = file.rows(width, height * channels);
    assert!(file.0.is_empty());
    (read, flat)
}

fn visible(frame: &[u8]) -> Vec<u8> {
    frame.as_chunks::<4>().0.iter().flat_map(|pixel| if pixel[3] == 0 { [0; 4] } else { *pixel }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_psd_has_its_layers(
        (width, height) in (1_u32..300, 1_u32..4), bytes in prop::collection::vec(prop::sample::select(vec![0_u8, 1, 7, 255]), 1..90),
        repeat in 1_usize..200, name in ".{0,300}", opacity in 0.0..=1.0_f64,
    ) {
        let count = (width * height * 4) as usize;
        let frame: Vec<u8> = bytes.iter().flat_map(|byte| std::iter::repeat_n(*byte, repeat)).cycle().take(count).collect();
        let mut writer = writer("psd", width, height).unwrap();
        writer.open(&look(&name, 1.0, BlendMode::Normal)).unwrap();
        writer.layer(&look("a", opacity, BlendMode::Exclusion), &frame).unwrap();
        writer.close().unwrap();
        writer.layer(&look("empty", 1.0, BlendMode::Normal), &vec![0; count]).unwrap();
        let file = writer.finish(&frame).unwrap();
        let (layers, flat) = read_psd(&file);
        let found: Vec<_> = layers.iter().map(|layer| (layer.section, &*layer.blend)).collect();
        prop_assert_eq!(found, [(Some(3), "norm"), (None, "smud"), (Some(1), "pass"), (None, "norm")]);
        prop_assert_eq!(&layers[1].pixels, &visible(&frame));
        prop_assert_eq!(layers[1].opacity as f64, (opacity * 255.0).round());
        prop_assert!(name.starts_with(&layers[2].name) && layers[2].name.encode_utf16().count() >= name.encode_utf16().count().min(254));
        // Over white.
        let over = |at: usize, channel: usize| {
            let pixel = &frame[at * 4..][..4];
            let alpha = f64::from(pixel[3]) / 255.0;
            if channel == 3 { f64::from(pixel[3]) } else { f64::from(pixel[channel]) * alpha + 255.0 * (1.0 - alpha) }
        };
        let pixels = count / 4;
        for (k, value) in flat.iter().enumerate() {
            prop_assert!((f64::from(*value) - over(k % pixels, k / pixels)).abs() <= 0.5, "{k}");
        }
    }

    /// Calls in any order, with frames of any size.
    #[test]
    fn any_calls_make_a_file_or_an_error(
        (width, height) in (0_u32..5, 0_u32..5), calls in prop::collection::vec(0_u8..5, 0..20), name in any::<String>(),
        opacity in prop::sample::select(vec![f64::NAN, -1.0, 0.0, 0.5, 2.0, f64::INFINITY]),
    ) {
        let count = (width * height * 4) as usize;
        for ending in ["psd", "ora"] {
            let Ok(mut writer) = writer(ending, width, height) else { continue };
            let look = look(&name, opacity, BlendMode::PlusLighter);
            for call in &calls {
                let _ = match call {
                    0 => writer.open(&look),
                    1 => writer.close(),
                    2 => writer.layer(&look, &vec![9; count]),
                    3 => writer.layer(&look, &vec![0; count]),
                    _ => writer.layer(&look, &[1; 3]),
                };
            }
            let file = writer.finish(&vec![200; count]);
            prop_assert!(count == 0 || file.is_ok(), "{file:?}");
            prop_assert!(writer.finish(&[]).is_err() || count == 0);
            if let Ok(file) = file && ending == "psd" {
                read_psd(&file);
            }
        }
    }
}

#[test]
fn sides_and_layers_have_limits() {
    let message =
        |found: Result<Box<dyn LayerWriter>, ExportError>| found.err().map(|error| error.to_string());
    assert!(writer("psd", 30_000, 1).is_ok());
    let found = message(writer("psd", 30_001, 1)).expect("an error");
    assert!(found.contains("30000") && found.contains("PSD"), "{found}");
    assert!(writer("ora", 30_001, 1).is_ok());
    let mut writer = writer("psd", 1, 1).expect("a file");
    let look = look("a", 1.0, BlendMode::Normal);
    let added = (0..40_000).map_while(|_| writer.layer(&look, &[1; 4]).ok()).count();
    assert_eq!(added, 32_767);
    assert_eq!(writer.open(&look).expect_err("an error").to_string(), "a PSD has at most 32767 layers");
    assert_eq!(read_psd(&writer.finish(&[1; 4]).expect("a file")).0.len(), 32_767);
}

#[test]
fn an_open_raster_file_has_its_kind_first_and_the_upper_layer_first() {
    let mut writer = writer("ora", 600, 2).expect("a file");
    let mut frame = vec![0; 600 * 2 * 4];
    frame[(600 + 7) * 4..][..4].copy_from_slice(&[10, 20, 30, 128]);
    writer.layer(&look("low", 1.0, BlendMode::Normal), &frame).expect("a layer");
    writer.open(&look("<&\"\u{7}>", 0.5, BlendMode::Normal)).expect("a stack");
    writer.layer(&look("high", 1.0, BlendMode::Multiply), &frame).expect("a layer");
    // The stack ends with the file.
    let file = writer.finish(&frame).expect("a file");
    let mut bytes = Bytes(&file);
    let mut files = Vec::new();
    while bytes.0.starts_with(b"PK\x03\x04") {
        let header = bytes.take(30);
        let number = |at: usize, count: usize| {
            (0..count).fold(0, |all, k| all | usize::from(header[at + k]) << (8 * k))
        };
        let name = String::from_utf8(bytes.take(number(26, 2)).to_vec()).expect("a name");
        files.push((name, number(8, 2), bytes.take(number(18, 4))));
    }
    let names: Vec<&str> = files.iter().map(|(name, ..)| &**name).collect();
    let expected =
        ["mimetype", "stack.xml", "data/0.png", "data/1.png", "mergedimage.png", "Thumbnails/thumbnail.png"];
    assert_eq!(names, expected);
    assert_eq!((files[0].1, files[0].2), (0, &b"image/openraster"[..]));
    let mut xml = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::DeflateDecoder::new(files[1].2), &mut xml)
        .expect("deflate");
    let xml = String::from_utf8(xml).expect("UTF-8");
    let document = roxmltree::Document::parse(&xml).expect("XML");
    let layers: Vec<_> = document
        .descendants()
        .filter_map(|node| {
            Some((node.attribute("name")?, node.attribute("composite-op")?, node.attribute("x")))
        })
        .collect();
    let expected = [
        ("<&\">", "svg:src-over", None),
        ("high", "svg:multiply", Some("7")),
        ("low", "svg:src-over", Some("7")),
    ];
    assert_eq!(layers, expected);
    let decode = |bytes: &[u8]| {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes.to_vec())).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut pixels).expect("pixels");
        pixels.truncate(info.buffer_size());
        (info.width, info.height, pixels)
    };
    assert_eq!(decode(files[2].2), (1, 1, vec![10, 20, 30, 128]));
    assert_eq!(decode(files[4].2), (600, 2, frame));
    // A third in each direction: one of six pixels.
    let (width, height, pixels) = decode(files[5].2);
    assert_eq!((width, height), (200, 1));
    assert_eq!(pixels[2 * 4..][..4], [10, 20, 30, 21]);
}
