//! Draws frames: the values of a frame are put into a render tree that is kept, and what did not change is
//! not drawn again. The reference is the way by SVG text ([`Raster`](crate::Raster)): every pixel is the
//! same. A frame that the tree does not support falls back to resvg, and is counted.

mod background;
mod boxes;
mod build;
mod cache;
mod coverage;
mod draw;
mod filter;
mod filtered;
mod images;
mod shaders;
mod tree;
mod values;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bone_drawing::{Drawing, Frame, Skipped};
use tiny_skia::{Pixmap, PixmapMut};

use crate::frame::{FrameOptions, clear_outside};
use crate::number::narrow;
use crate::raster::{RasterError, draw_text};
use crate::svg::Precision;
use crate::svg::write::write_svg;
use crate::viewport::Viewport;

use background::CachedBackground;
use cache::Cache;
use draw::{DrawContext, FrameRenderer, bounds};
use tree::RenderTree;
use values::{Unsupported, Values};

/// Draws the frames of a drawing, one after the other. It has the caches of one thread.
///
/// A frame's pixels depend on the arguments only, never on the frames before.
///
/// ```
/// use std::sync::Arc;
/// use bone_drawing::{DrawingBuilder, Frame, Shape};
/// use kurbo::{Affine, Rect, Shape as _};
/// use bone_render::{FrameSize, Renderer, Viewport};
///
/// let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 4.0, 4.0));
/// builder.shape("square", Shape::filled(Rect::new(1.0, 1.0, 3.0, 3.0).to_path(0.1), [255, 0, 0]));
/// let drawing = Arc::new(builder.finish()?);
///
/// // Twice as large, a pixel to the right.
/// let size = FrameSize::new(8, 8)?;
/// let view = Viewport::new(size, Affine::translate((1.0, 0.0)) * Affine::scale(2.0));
/// let mut pixels = vec![0; 8 * 8 * 4];
/// Renderer::new().draw_into(&drawing, &Frame::default(), &view, &mut pixels)?;
/// let pixel = |x: usize, y: usize| pixels[(y * 8 + x) * 4..][..4].to_vec();
/// assert_eq!((pixel(2, 2), pixel(3, 2), pixel(6, 5)), (vec![0; 4], vec![255, 0, 0, 255], vec![255, 0, 0, 255]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Renderer {
    drawing: Option<Arc<Drawing>>,
    tree: Option<Arc<RenderTree>>,
    values: Values,
    cache: Cache,
    background: CachedBackground,
    /// Whether what is cached is dithered.
    dither: bool,
    /// For frames that cannot be drawn from the tree.
    text: String,
}

/// How a frame was drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawReport {
    /// The parts that stayed at rest.
    pub skipped: Skipped,
    /// How many fills and strokes were left out, because they reach too far to be drawn.
    pub left_out: usize,
    /// How many groups with filters were drawn by resvg from a text of their own.
    pub groups_by_resvg: usize,
    /// Whether the whole frame fell back to resvg.
    pub fell_back: bool,
}

impl Clone for Renderer {
    /// A renderer without cached data of its own, for another thread. Both share one picture of what never moves.
    fn clone(&self) -> Self {
        Self { background: self.background.sibling(), ..Self::new() }
    }
}

impl Renderer {
    /// A renderer without cached data.
    pub fn new() -> Self {
        Self::default()
    }

    /// Draws a frame, the whole drawing as large as fits. The pixmap is given the frame's size, keeping its
    /// memory if it has it already.
    ///
    /// # Errors
    /// If there is no memory for the frame, or a pattern is too large to draw.
    pub fn draw(
        &mut self,
        drawing: &Arc<Drawing>,
        frame: &Frame,
        options: &FrameOptions,
        pixmap: &mut Pixmap,
    ) -> Result<DrawReport, RasterError> {
        let size = options.size;
        if (pixmap.width(), pixmap.height()) != (size.width(), size.height()) {
            *pixmap = Pixmap::new(size.width(), size.height()).ok_or(RasterError::NoMemory { size })?;
        }
        self.draw_into(drawing, frame, &Viewport::fit(drawing, options), pixmap.data_mut())
    }

    /// Draws a view of a frame into memory of the caller's: four bytes a pixel, red, green, blue and alpha,
    /// colours multiplied by alpha. What is in it is overwritten.
    ///
    /// # Errors
    /// If `pixels` has not the size of the view, or a pattern is too large to draw.
    pub fn draw_into(
        &mut self,
        drawing: &Arc<Drawing>,
        frame: &Frame,
        view: &Viewport,
        pixels: &mut [u8],
    ) -> Result<DrawReport, RasterError> {
        let size = view.size;
        let bytes = pixels.len();
        let wrong = || RasterError::WrongSize { bytes, size };
        let mut pixmap = PixmapMut::from_bytes(pixels, size.width(), size.height()).ok_or_else(wrong)?;
        let drawn = catch_unwind(AssertUnwindSafe(|| self.draw_tree(drawing, frame, view, &mut pixmap)));
        let drawn = match drawn {
            Ok(Ok(drawn)) => drawn,
            _ => {
                self.forget();
                write_svg(drawing, frame, Precision::Exact, &mut self.text);
                draw_text(&self.text, view, &mut pixmap)?;
                DrawReport { fell_back: true, ..DrawReport::default() }
            }
        };
        if let Some(cut) = view.cut {
            clear_outside(&mut pixmap, cut, view.background);
        }
        Ok(drawn)
    }

    fn draw_tree(
        &mut self,
        drawing: &Arc<Drawing>,
        frame: &Frame,
        view: &Viewport,
        pixmap: &mut PixmapMut<'_>,
    ) -> Result<DrawReport, Unsupported> {
        let is_first = !self.drawing.as_ref().is_some_and(|known| Arc::ptr_eq(known, drawing))
            || self.dither != view.dither;
        if is_first {
            self.forget();
            self.dither = view.dither;
            let tree = build::build(drawing).map(Arc::new).ok_or(Unsupported)?;
            self.cache = Cache::new(&tree);
            self.tree = Some(tree);
            self.drawing = Some(Arc::clone(drawing));
        }
        let tree = self.tree.clone().ok_or(Unsupported)?;
        self.values.next(drawing, frame)?;
        filtered::refresh(&tree, drawing, frame, &mut self.cache.filtered)?;
        let size = (pixmap.width(), pixmap.height());
        self.cache.refresh(&tree, &self.values, size, is_first);
        self.cache.by_resvg = 0;
        let [a, b, c, d, e, f] = view.transform.as_coeffs().map(narrow);
        let ts = tiny_skia::Transform::from_row(a, b, c, d, e, f);
        let context = DrawContext { bounds: bounds(size).ok_or(Unsupported)?, frame: size };
        let behind = view.background.map_or([0; 4], |background| background.rgba);
        let mut draw =
            FrameRenderer { tree: &tree, values: &self.values, cache: &mut self.cache, dither: view.dither };
        self.background.draw(drawing, &mut draw, context, ts, behind, pixmap)?;
        let fillers = self.cache.fillers.iter_mut();
        let left_out = fillers.map(|filler| std::mem::take(&mut filler.left_out)).sum();
        Ok(DrawReport { left_out, groups_by_resvg: self.cache.by_resvg, ..DrawReport::default() })
    }

    /// Drops all cached data.
    fn forget(&mut self) {
        self.drawing = None;
        self.tree = None;
        self.values = Values::default();
        self.cache = Cache::default();
        self.background.clear();
    }
}
