//! SVG text -> pixels, with usvg and resvg. Every frame is read and drawn completely, with no cache: it is
//! the reference for the renderer.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kurbo::{Affine, Size};
use tiny_skia::{Pixmap, PixmapMut};

use crate::frame::{FrameOptions, FrameSize, fill};
use crate::number::narrow;
use crate::range;
use crate::svg::{MissingResources, ParseError, Resources, SvgError, SvgInput, parse, read_posed};
use crate::viewport::Viewport;

/// Most pixels of a pattern's tile: 256 MB. resvg draws the whole tile, even if little of it is visible, and
/// running out of memory ends the program.
const MAX_TILE_PIXELS: f32 = 64e6;

/// Draws SVG texts.
#[derive(Clone, Debug, Default)]
pub struct Raster {
    resources: Resources,
}

/// The reason why a frame was not drawn.
#[derive(Debug)]
#[non_exhaustive]
pub enum RasterError {
    /// The text is not an SVG that can be read.
    Parse(usvg::Error),
    /// The text is nested deeper, or its links multiply it further, than can be drawn.
    LimitExceeded(SvgError),
    /// There is no memory for the pixels.
    NoMemory {
        /// The requested size.
        size: FrameSize,
    },
    /// The memory to draw into has another size than the picture.
    WrongSize {
        /// How many bytes it has.
        bytes: usize,
        /// The requested size.
        size: FrameSize,
    },
    /// A pattern's tile is too large to draw.
    TileTooLarge {
        /// Width in pixels of the frame.
        width: f32,
        /// Height in pixels of the frame.
        height: f32,
    },
    /// A shape reaches too far to be drawn.
    OutOfRange,
    /// A library panicked. The frame is lost, the program continues.
    Panic,
}

impl fmt::Display for RasterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse(_) | Self::LimitExceeded(_) => {
                f.write_str("the SVG text of the frame cannot be read")
            }
            Self::NoMemory { size } => {
                write!(f, "there is no memory for a frame of {} x {} pixels", size.width(), size.height())
            }
            Self::WrongSize { bytes, size } => {
                let (width, height) = (size.width(), size.height());
                write!(
                    f,
                    "a picture of {width} x {height} pixels takes 4 bytes a pixel, and there are {bytes}"
                )
            }
            Self::TileTooLarge { width, height } => {
                write!(f, "a pattern's tile is {width} x {height} pixels large, more than can be drawn")
            }
            Self::OutOfRange => f.write_str("a shape or a stroke of the frame is too large to be drawn"),
            Self::Panic => f.write_str("the drawing library failed on this frame"),
        }
    }
}

impl std::error::Error for RasterError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Parse(error) => Some(error),
            Self::LimitExceeded(error) => Some(error),
            _ => None,
        }
    }
}

impl Raster {
    /// A raster with these fonts and images. Posed drawings bring their own; other SVG texts may need them.
    pub fn new(resources: Resources) -> Self {
        Self { resources }
    }

    /// Draws an SVG text. The pixmap is given the frame's size, keeping its memory if it has it already.
    ///
    /// # Errors
    /// If the text cannot be read, or there is no memory for the frame.
    pub fn draw(&self, svg: &str, options: &FrameOptions, pixmap: &mut Pixmap) -> Result<(), RasterError> {
        let tree = read(svg, &self.resources)?;
        let size = options.size;
        if (pixmap.width(), pixmap.height()) != (size.width(), size.height()) {
            *pixmap = Pixmap::new(size.width(), size.height()).ok_or(RasterError::NoMemory { size })?;
        }
        fill(options.background, &mut pixmap.as_mut());
        paint(&tree, fit(&tree, size), &mut pixmap.as_mut())
    }

    /// Draws an SVG text over what a pixmap holds, as large as fits, in the middle.
    ///
    /// # Errors
    /// If the text cannot be read.
    pub fn draw_over(&self, svg: &str, pixmap: &mut Pixmap) -> Result<(), RasterError> {
        let tree = read(svg, &self.resources)?;
        // A pixmap that is too large for a frame was not made by this crate.
        let size = FrameSize::new(pixmap.width(), pixmap.height()).map_err(|_| RasterError::Panic)?;
        paint(&tree, fit(&tree, size), &mut pixmap.as_mut())
    }
}

/// Draws a view of an SVG text that this crate wrote.
pub(crate) fn draw_text(svg: &str, view: &Viewport, pixmap: &mut PixmapMut<'_>) -> Result<(), RasterError> {
    let tree = read(svg, &Resources::none())?;
    fill(view.background, pixmap);
    paint(&tree, view.transform, pixmap)
}

/// Reads an SVG text that is drawn as it is.
pub(crate) fn read(svg: &str, resources: &Resources) -> Result<usvg::Tree, RasterError> {
    let doc = read_posed(svg).map_err(RasterError::LimitExceeded)?;
    let input = doc.as_ref().map_or(SvgInput::Unparsed(svg), SvgInput::Parsed);
    parse(input, resources, &MissingResources::default()).map_err(|error| match error {
        ParseError::Usvg(error) => RasterError::Parse(error),
        ParseError::Panic => RasterError::Panic,
    })
}

/// From a drawing to a picture: as large as fits, in the middle.
fn fit(tree: &usvg::Tree, size: FrameSize) -> Affine {
    size.fit(Size::new(tree.size().width().into(), tree.size().height().into()))
}

fn paint(tree: &usvg::Tree, transform: Affine, pixmap: &mut PixmapMut<'_>) -> Result<(), RasterError> {
    let [a, b, c, d, e, f] = transform.as_coeffs().map(narrow);
    let transform = tiny_skia::Transform::from_row(a, b, c, d, e, f);
    check_tiles(tree.root(), transform)?;
    let drawn = catch_unwind(AssertUnwindSafe(|| range::draw(tree, transform, pixmap)));
    if drawn.map_err(|_| RasterError::Panic)? { Ok(()) } else { Err(RasterError::OutOfRange) }
}

/// Fails for patterns whose tile, scaled as resvg scales it, has too many pixels.
fn check_tiles(group: &usvg::Group, transform: tiny_skia::Transform) -> Result<(), RasterError> {
    for node in group.children() {
        match node {
            usvg::Node::Group(group) => check_tiles(group, transform)?,
            usvg::Node::Path(path) => {
                let paints = path.fill().map(usvg::Fill::paint).into_iter();
                for paint in paints.chain(path.stroke().map(usvg::Stroke::paint)) {
                    if let usvg::Paint::Pattern(pattern) = paint {
                        let all = transform.pre_concat(path.abs_transform()).pre_concat(pattern.transform());
                        let (across, down) = all.get_scale();
                        let (width, height) =
                            (pattern.rect().width() * across, pattern.rect().height() * down);
                        if (width * height).is_nan() || width * height > MAX_TILE_PIXELS {
                            return Err(RasterError::TileTooLarge { width, height });
                        }
                    }
                }
            }
            usvg::Node::Image(_) | usvg::Node::Text(_) => {}
        }
        let mut inside = Ok(());
        node.subroots(|root| {
            if inside.is_ok() {
                inside = check_tiles(root, transform);
            }
        });
        inside?;
    }
    Ok(())
}
