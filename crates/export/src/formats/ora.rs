//! OpenRaster 0.0.3: a ZIP archive with a PNG for each layer, of Krita, GIMP, MyPaint and others.

use bone_drawing::{BlendMode, LayerLook};
use bone_render::escape_xml;

use super::FormatKind;
use crate::error::{ExportError, check_frame, check_size};
use crate::layered::{LayerPixels, LayerWriter};
use crate::png::{RowFilter, picture};
use crate::raster::{PixelSize, Rgba, visible};
use crate::zip::{ZipEntry, archive};

pub(super) const LAYERS: FormatKind = FormatKind::Layers {
    writer: |size| {
        check_size("OpenRaster file", size, u32::MAX)?;
        Ok(Box::new(OpenRaster { size, layers: Vec::new(), stacks: vec![OpenStack::default()] }))
    },
    has: |mode| operator(mode).is_some(),
};

/// The longest side of the thumbnail.
const THUMBNAIL: u32 = 256;
/// How hard the PNGs are compressed.
const LEVEL: i32 = 6;

/// A file that is being written.
struct OpenRaster {
    size: PixelSize,
    /// The files of layers.
    layers: Vec<ZipEntry>,
    /// The stacks that are open, the outermost first.
    stacks: Vec<OpenStack>,
}

/// A stack that is open.
#[derive(Default)]
struct OpenStack {
    attributes: String,
    /// The texts of what is in it, back to front.
    texts: Vec<String>,
}

impl OpenRaster {
    fn add(&mut self, text: String) {
        if let Some(stack) = self.stacks.last_mut() {
            stack.texts.push(text);
        }
    }
}

impl LayerWriter for OpenRaster {
    fn open(&mut self, look: &LayerLook) -> Result<(), ExportError> {
        self.stacks.push(OpenStack { attributes: attributes(look), texts: Vec::new() });
        Ok(())
    }

    fn layer(&mut self, look: &LayerLook, frame: &[u8]) -> Result<(), ExportError> {
        let LayerPixels { x, y, size, pixels } = LayerPixels::new(self.size, frame)?;
        let source = format!("data/{}.png", self.layers.len());
        // There are no pictures without pixels.
        let bytes = match pixels.is_empty() {
            true => png(PixelSize { width: 1, height: 1 }, &[[0; 4]])?,
            false => png(size, &pixels)?,
        };
        self.add(format!("<layer {} src=\"{source}\" x=\"{x}\" y=\"{y}\"/>", attributes(look)));
        self.layers.push(ZipEntry { name: source, bytes, stored: true });
        Ok(())
    }

    fn close(&mut self) -> Result<(), ExportError> {
        // The outermost one ends with the file.
        if self.stacks.len() > 1
            && let Some(OpenStack { attributes, texts }) = self.stacks.pop()
        {
            self.add(format!("<stack {attributes}>{}</stack>", top_first(&texts)));
        }
        Ok(())
    }

    fn finish(&mut self, flat: &[u8]) -> Result<Vec<u8>, ExportError> {
        check_frame(flat, self.size)?;
        while self.stacks.len() > 1 {
            self.close()?;
        }
        let PixelSize { width, height } = self.size;
        let all = self.stacks.first().map(|stack| top_first(&stack.texts)).unwrap_or_default();
        let xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <image version=\"0.0.3\" w=\"{width}\" h=\"{height}\"><stack>{all}</stack></image>\n"
        );
        let stored = |name: &str, bytes| ZipEntry { name: name.to_owned(), bytes, stored: true };
        // Readers find it at a fixed place.
        let mut files = vec![stored("mimetype", b"image/openraster".to_vec())];
        files.push(ZipEntry { name: "stack.xml".to_owned(), bytes: xml.into_bytes(), stored: false });
        files.append(&mut self.layers);
        let mut pixels = Vec::new();
        visible(flat, &mut pixels);
        files.push(stored("mergedimage.png", png(self.size, &pixels)?));
        let (size, small) = thumbnail(self.size, &pixels);
        files.push(stored("Thumbnails/thumbnail.png", png(size, &small)?));
        archive(&files).map_err(|_| ExportError::FileTooLarge { format: "OpenRaster file" })
    }
}

fn png(size: PixelSize, pixels: &[Rgba]) -> Result<Vec<u8>, ExportError> {
    picture(size, pixels, &[RowFilter::Adaptive], LEVEL)
}

fn top_first(texts: &[String]) -> String {
    texts.iter().rev().map(String::as_str).collect()
}

fn attributes(LayerLook { name, opacity, blend }: &LayerLook) -> String {
    // What XML 1.0 cannot have is left out.
    let name: String =
        name.chars().filter(|c| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')).collect();
    let operator = operator(*blend).unwrap_or("src-over");
    let mut escaped = String::new();
    escape_xml(&name, &mut escaped);
    format!("name=\"{escaped}\" opacity=\"{opacity}\" visibility=\"visible\" composite-op=\"svg:{operator}\"")
}

/// The operator of a blend mode, which has the name of SVG 1.2.
fn operator(blend: BlendMode) -> Option<&'static str> {
    match blend {
        BlendMode::Normal => Some("src-over"),
        BlendMode::PlusLighter => Some("plus"),
        BlendMode::Exclusion => None,
        other => Some(other.name()),
    }
}

/// The picture at a size of at most 256: means of squares of pixels, their colours weighted by alpha.
fn thumbnail(size: PixelSize, pixels: &[Rgba]) -> (PixelSize, Vec<Rgba>) {
    let factor = size.width.max(size.height).div_ceil(THUMBNAIL).max(1);
    let small = PixelSize { width: size.width.div_ceil(factor), height: size.height.div_ceil(factor) };
    let mut sums = vec![([0_u64; 4], 0_u64); small.area()];
    let columns = small.width as usize;
    for (y, row) in pixels.chunks_exact(size.width.max(1) as usize).enumerate() {
        for (x, [red, green, blue, alpha]) in row.iter().enumerate() {
            let (sum, count) = &mut sums[y / factor as usize * columns + x / factor as usize];
            let alpha = u64::from(*alpha);
            for (sum, value) in sum.iter_mut().zip([red, green, blue]) {
                *sum += u64::from(*value) * alpha;
            }
            sum[3] += alpha;
            *count += 1;
        }
    }
    #[allow(clippy::cast_possible_truncation, reason = "means of bytes")]
    let mean = |sum: u64, of: u64| ((sum + of / 2) / of.max(1)) as u8;
    let pixels = sums.iter().map(|([red, green, blue, alpha], count)| {
        [mean(*red, *alpha), mean(*green, *alpha), mean(*blue, *alpha), mean(*alpha, *count)]
    });
    (small, pixels.collect())
}
