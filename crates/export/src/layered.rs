//! Pictures in layers, for programs that paint and composite.

use bone_drawing::LayerLook;

use crate::error::{ExportError, check_frame};
use crate::raster::{PixelRect, PixelSize, Rgba, bounds, visible};

/// Makes a file of a picture in layers, back to front.
pub trait LayerWriter: Send {
    /// Begins a stack: the layers up to its [end](Self::close) are in it.
    ///
    /// # Errors
    /// If there are too many layers.
    fn open(&mut self, look: &LayerLook) -> Result<(), ExportError>;

    /// Adds a layer: straight RGBA of the size of the picture, row by row.
    ///
    /// # Errors
    /// If the frame has another size, or there are too many layers.
    fn layer(&mut self, look: &LayerLook, frame: &[u8]) -> Result<(), ExportError>;

    /// Ends the innermost stack.
    ///
    /// # Errors
    /// If there are too many layers.
    fn close(&mut self) -> Result<(), ExportError>;

    /// The bytes of the file. `flat` is all layers over each other.
    ///
    /// # Errors
    /// If the frame has another size, or the file would be too large.
    fn finish(&mut self, flat: &[u8]) -> Result<Vec<u8>, ExportError>;
}

/// The part of a layer that is not transparent. Without one it has no pixels.
pub(crate) struct LayerPixels {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) size: PixelSize,
    pub(crate) pixels: Vec<Rgba>,
}

impl Default for LayerPixels {
    fn default() -> Self {
        Self { x: 0, y: 0, size: PixelSize { width: 0, height: 0 }, pixels: Vec::new() }
    }
}

impl LayerPixels {
    pub(crate) fn new(size: PixelSize, frame: &[u8]) -> Result<Self, ExportError> {
        check_frame(frame, size)?;
        let mut whole = Vec::new();
        visible(frame, &mut whole);
        let Some(rect) = bounds(size, |at| whole[at][3] > 0) else { return Ok(Self::default()) };
        let PixelRect { x, y, width, height } = rect;
        let pixels = rect.rows(size.width).flat_map(|row| &whole[row]).copied().collect();
        Ok(Self { x, y, size: PixelSize { width, height }, pixels })
    }
}
