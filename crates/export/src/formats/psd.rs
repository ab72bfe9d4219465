//! Photoshop files (Adobe Photoshop File Formats Specification, 2019), version 1: layers of straight RGBA in groups,
//! and the flat picture.

use bone_drawing::{BlendMode, LayerLook};

use super::FormatKind;
use crate::error::{ExportError, check_frame, check_size};
use crate::flatten::flatten;
use crate::layered::{LayerPixels, LayerWriter};
use crate::raster::{PixelSize, Rgba};

pub(super) const LAYERS: FormatKind = FormatKind::Layers {
    writer: |size| {
        check_size("PSD", size, LONGEST_SIDE)?;
        Ok(Box::new(Photoshop { size, count: 0, records: Vec::new(), pixels: Vec::new(), open: Vec::new() }))
    },
    has: |mode| key(mode).is_some(),
};

/// The longest side of a picture.
const LONGEST_SIDE: u32 = 30_000;
/// Rows are packed by PackBits.
const PACKED: [u8; 2] = [0, 1];
/// Units of UTF-16 of a name.
const LONGEST_NAME: usize = 255;
/// In the order of a layer's channels: alpha is number -1.
const CHANNELS: [(i16, usize); 4] = [(-1, 3), (0, 0), (1, 1), (2, 2)];

/// What a record of the list of layers is: the numbers of `lsct`.
#[derive(Clone, Copy, PartialEq)]
enum RecordKind {
    Layer = 0,
    /// The upper end of a group, which has its name.
    Group = 1,
    /// Its lower end.
    GroupEnd = 3,
}

/// A file that is being written.
struct Photoshop {
    size: PixelSize,
    /// How many records there are: the layers and both ends of groups.
    count: i16,
    records: Vec<u8>,
    pixels: Vec<u8>,
    /// The groups that are open, the outermost first.
    open: Vec<LayerLook>,
}

impl LayerWriter for Photoshop {
    fn open(&mut self, look: &LayerLook) -> Result<(), ExportError> {
        let end = LayerLook { name: "</Layer group>".to_owned(), opacity: 1.0, blend: BlendMode::Normal };
        self.record(&end, RecordKind::GroupEnd, &LayerPixels::default())?;
        self.open.push(look.clone());
        Ok(())
    }

    fn layer(&mut self, look: &LayerLook, frame: &[u8]) -> Result<(), ExportError> {
        self.record(look, RecordKind::Layer, &LayerPixels::new(self.size, frame)?)
    }

    fn close(&mut self) -> Result<(), ExportError> {
        match self.open.pop() {
            Some(look) => self.record(&look, RecordKind::Group, &LayerPixels::default()),
            None => Ok(()),
        }
    }

    fn finish(&mut self, flat: &[u8]) -> Result<Vec<u8>, ExportError> {
        check_frame(flat, self.size)?;
        while !self.open.is_empty() {
            self.close()?;
        }
        let flat = flat.as_chunks::<4>().0;
        let opaque = flat.iter().all(|pixel| pixel[3] == 255);
        let channels: u8 = if opaque { 3 } else { 4 };
        let mut out = b"8BPS\0\x01\0\0\0\0\0\0\0".to_vec();
        out.push(channels);
        out.extend(self.size.height.to_be_bytes());
        out.extend(self.size.width.to_be_bytes());
        // 8 bits a channel, RGB; neither colour table nor resources.
        out.extend([0, 8, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0]);
        if (self.records.len() + self.pixels.len()) % 2 == 1 {
            self.pixels.push(0);
        }
        let layers = 2 + self.records.len() + self.pixels.len();
        // With the length of the layers and that of the mask of all.
        out.extend(length(layers + 8)?);
        out.extend(length(layers)?);
        // Negative where the flat picture has alpha.
        out.extend(if opaque { self.count } else { -self.count }.to_be_bytes());
        out.append(&mut self.records);
        out.append(&mut self.pixels);
        out.extend([0; 4]);
        // Colours of the flat picture are over white, which readers take out again.
        out.extend(PACKED);
        let (mut counts, mut rows) = (Vec::new(), Vec::new());
        for channel in 0..usize::from(channels) {
            let value =
                |pixel: &Rgba| if channel < 3 { flatten(*pixel, [255; 3])[channel] } else { pixel[3] };
            pack(flat, self.size.width, value, &mut counts, &mut rows);
        }
        out.extend(counts);
        out.extend(rows);
        Ok(out)
    }
}

impl Photoshop {
    fn record(
        &mut self,
        look: &LayerLook,
        kind: RecordKind,
        LayerPixels { x, y, size: PixelSize { width, height }, pixels }: &LayerPixels,
    ) -> Result<(), ExportError> {
        let too_many = ExportError::TooManyLayers { format: "PSD", most: i16::MAX.unsigned_abs().into() };
        self.count = self.count.checked_add(1).ok_or(too_many)?;
        for side in [*y, *x, y + height, x + width] {
            self.records.extend(side.to_be_bytes());
        }
        self.records.extend([0, 4]);
        for (id, channel) in CHANNELS {
            let (mut counts, mut rows) = (Vec::new(), Vec::new());
            pack(pixels, *width, |pixel| pixel[channel], &mut counts, &mut rows);
            self.records.extend(id.to_be_bytes());
            self.records.extend(length(PACKED.len() + counts.len() + rows.len())?);
            self.pixels.extend(PACKED);
            self.pixels.extend(counts);
            self.pixels.extend(rows);
        }
        let through = kind == RecordKind::Group && look.blend == BlendMode::Normal && look.opacity >= 1.0;
        let blend = if through { *b"pass" } else { key(look.blend).unwrap_or(*b"norm") };
        self.records.extend(b"8BIM");
        self.records.extend(blend);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
        let opacity = (look.opacity.clamp(0.0, 1.0) * 255.0).round() as u8;
        // Not clipped to the layer below; visible, and bit 4, whether there are pixels, counts.
        let flags = if kind == RecordKind::Layer { 0x08 } else { 0x18 };
        self.records.extend([opacity, 0, flags, 0]);
        // Neither mask nor blending ranges.
        let mut extra = vec![0; 8];
        extra.extend(pascal(&look.name));
        let mut units: Vec<u8> = Vec::new();
        let mut count = 0_u32;
        for c in look.name.chars() {
            let mut pair = [0; 2];
            let c = c.encode_utf16(&mut pair);
            if count as usize + c.len() > LONGEST_NAME {
                break;
            }
            units.extend(c.iter().flat_map(|unit| unit.to_be_bytes()));
            count += u32::try_from(c.len()).unwrap_or_default();
        }
        let mut name = count.to_be_bytes().to_vec();
        name.extend(units);
        name.resize(name.len().next_multiple_of(4), 0);
        block(*b"luni", &name, &mut extra)?;
        if kind != RecordKind::Layer {
            let mut section = (kind as u32).to_be_bytes().to_vec();
            if kind == RecordKind::Group {
                section.extend(b"8BIM");
                section.extend(blend);
            }
            block(*b"lsct", &section, &mut extra)?;
        }
        self.records.extend(length(extra.len())?);
        self.records.extend(extra);
        Ok(())
    }
}

fn length(length: usize) -> Result<[u8; 4], ExportError> {
    // Readers take it for a number with a sign.
    let length = i32::try_from(length).map_err(|_| ExportError::FileTooLarge { format: "PSD" })?;
    Ok(length.to_be_bytes())
}

/// A block of additional information about a layer.
fn block(name: [u8; 4], content: &[u8], out: &mut Vec<u8>) -> Result<(), ExportError> {
    out.extend(b"8BIM");
    out.extend(name);
    out.extend(length(content.len())?);
    out.extend(content);
    Ok(())
}

/// A name for readers without Unicode: its length and ASCII, in whole words.
fn pascal(name: &str) -> Vec<u8> {
    let ascii = name.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' });
    let text: String = ascii.take(31).collect();
    let mut out = vec![u8::try_from(text.len()).unwrap_or_default()];
    out.extend(text.bytes());
    out.resize(out.len().next_multiple_of(4), 0);
    out
}

/// Packs the rows of a channel, and adds their lengths.
fn pack(pixels: &[Rgba], width: u32, value: impl Fn(&Rgba) -> u8, counts: &mut Vec<u8>, rows: &mut Vec<u8>) {
    let mut row = Vec::new();
    for line in pixels.chunks_exact(width.max(1) as usize) {
        row.clear();
        row.extend(line.iter().map(&value));
        let start = rows.len();
        pack_bits(&row, rows);
        // A row of 30,000 pixels has at most 30,235 bytes.
        counts.extend(u16::try_from(rows.len() - start).unwrap_or(u16::MAX).to_be_bytes());
    }
}

/// PackBits: a byte n below 128 and n + 1 bytes, or 257 - n and a byte that is there n times.
fn pack_bits(row: &[u8], out: &mut Vec<u8>) {
    /// Shorter runs cost as much as bytes of their own.
    const SHORTEST: usize = 3;
    const LONGEST: usize = 128;
    #[allow(clippy::cast_possible_truncation, reason = "at most 128")]
    let byte = |n: usize| n as u8;
    let mut rest = row;
    let mut own = 0;
    while !rest.is_empty() {
        let here = &rest[own..];
        let run = here.iter().take(LONGEST).take_while(|byte| **byte == here[0]).count();
        if own > 0 && (run >= SHORTEST || own == LONGEST || here.is_empty()) {
            out.push(byte(own - 1));
            out.extend_from_slice(&rest[..own]);
            (rest, own) = (here, 0);
        } else if run >= SHORTEST {
            out.extend([byte(257 - run), here[0]]);
            rest = &here[run..];
        } else {
            own += 1;
        }
    }
}

/// The key of a blend mode. `plus-lighter` adds alpha, too, which no mode of Photoshop does.
fn key(blend: BlendMode) -> Option<[u8; 4]> {
    Some(*match blend {
        BlendMode::Normal => b"norm",
        BlendMode::Multiply => b"mul ",
        BlendMode::Screen => b"scrn",
        BlendMode::Overlay => b"over",
        BlendMode::Darken => b"dark",
        BlendMode::Lighten => b"lite",
        BlendMode::ColorDodge => b"div ",
        BlendMode::ColorBurn => b"idiv",
        BlendMode::HardLight => b"hLit",
        BlendMode::SoftLight => b"sLit",
        BlendMode::Difference => b"diff",
        BlendMode::Exclusion => b"smud",
        BlendMode::Hue => b"hue ",
        BlendMode::Saturation => b"sat ",
        BlendMode::Color => b"colr",
        BlendMode::Luminosity => b"lum ",
        BlendMode::PlusLighter => return None,
    })
}
