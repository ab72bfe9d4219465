//! The size of a frame and its background colour. Sizes beyond the limits of image files and memory are
//! errors.

use std::fmt;
use std::str::FromStr;

use kurbo::{Affine, Size};
use tiny_skia::PixmapMut;

/// Longest side of a frame in pixels. PNG readers and resvg fail above it.
pub(crate) const MAX_FRAME_SIDE: u32 = 32_768;
/// Most pixels of a frame: 1.6 GB of memory.
pub(crate) const MAX_FRAME_PIXELS: u64 = 400_000_000;

/// Size of a frame in pixels, at least 1 x 1 and within the limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameSize {
    width: u32,
    height: u32,
    /// The scale of the drawing, where a side of it was rounded up to whole pixels.
    scale: Option<f64>,
}

/// A scale is never NaN.
impl Eq for FrameSize {}

/// The reason why a frame cannot have a size.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FrameSizeError {
    /// A side is less than a pixel or not a number.
    Nothing,
    /// It is larger than frames may be.
    TooLarge {
        /// Width in pixels.
        width: f64,
        /// Height in pixels.
        height: f64,
    },
}

impl fmt::Display for FrameSizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("a frame must be at least 1 pixel wide and high"),
            Self::TooLarge { width, height } => write!(
                f,
                "a frame of {width:.0} x {height:.0} pixels is too large: {MAX_FRAME_SIDE} a side and {} million in all are the most",
                MAX_FRAME_PIXELS / 1_000_000
            ),
        }
    }
}

impl std::error::Error for FrameSizeError {}

impl FrameSize {
    /// A frame with a width and a height in pixels.
    ///
    /// # Errors
    /// If a side is 0 or the limits are passed.
    pub fn new(width: u32, height: u32) -> Result<Self, FrameSizeError> {
        if width == 0 || height == 0 {
            Err(FrameSizeError::Nothing)
        } else if width.max(height) > MAX_FRAME_SIDE
            || u64::from(width) * u64::from(height) > MAX_FRAME_PIXELS
        {
            Err(FrameSizeError::TooLarge { width: width.into(), height: height.into() })
        } else {
            Ok(Self { width, height, scale: None })
        }
    }

    /// The frame that holds a drawing of this size at this scale. Sides are rounded up to whole pixels, as by
    /// resvg, and the drawing keeps its scale in it: what lies on borders of pixels stays there.
    ///
    /// # Errors
    /// If the scale is not positive or the limits are passed.
    pub fn from_scale(drawing: Size, scale: f64) -> Result<Self, FrameSizeError> {
        let (width, height) = (drawing.width * scale, drawing.height * scale);
        // Written so that NaN fails.
        if !(width > 0.0 && height > 0.0) {
            return Err(FrameSizeError::Nothing);
        }
        if width.max(height) > f64::from(MAX_FRAME_SIDE) {
            return Err(FrameSizeError::TooLarge { width, height });
        }
        // 110 x 1.1 is 121.00000000000001.
        let rounding = |n: f64| n * 8.0 * f64::EPSILON;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just above")]
        let whole = |n: f64| (n - rounding(n)).ceil().max(1.0) as u32;
        let size = Self::new(whole(width), whole(height))?;
        let is_whole = |n: f64, pixels: u32| (n - f64::from(pixels)).abs() <= rounding(n);
        let filled = is_whole(width, size.width) && is_whole(height, size.height);
        Ok(Self { scale: (!filled).then_some(scale), ..size })
    }

    /// The scale of the drawing, if the frame was made for a scale at which a side is not whole pixels.
    pub fn scale(self) -> Option<f64> {
        self.scale
    }

    /// Width in pixels.
    pub fn width(self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(self) -> u32 {
        self.height
    }

    /// From a drawing's own pixels to this frame: one scale in both directions, the drawing as large as fits,
    /// in the middle. A frame [from a scale](Self::from_scale) has the drawing at this scale from its upper
    /// left corner.
    pub fn fit(self, drawing: Size) -> Affine {
        if let Some(scale) = self.scale {
            return Affine::scale(scale);
        }
        let (width, height) = (f64::from(self.width), f64::from(self.height));
        // The scales at which a side of the drawing is rounded to that of the frame, which is never less than
        // one pixel.
        let scales = |pixels: f64, side: f64| {
            (if pixels == 1.0 { 0.0 } else { (pixels - 0.5) / side }, (pixels + 0.5) / side)
        };
        let (across, down) = (scales(width, drawing.width), scales(height, drawing.height));
        // A frame that is the drawing at some scale, but for rounding, is filled: margins would be a soft
        // edge.
        if across.0.max(down.0) <= across.1.min(down.1) {
            return Affine::scale_non_uniform(width / drawing.width, height / drawing.height);
        }
        let scale = (width / drawing.width).min(height / drawing.height);
        let margin = ((width - drawing.width * scale) / 2.0, (height - drawing.height * scale) / 2.0);
        Affine::translate(margin) * Affine::scale(scale)
    }
}

/// A colour behind the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Background {
    /// Red, green, blue and alpha, not multiplied.
    pub rgba: [u8; 4],
}

/// A colour that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundError {
    /// The text.
    pub text: String,
}

impl fmt::Display for BackgroundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "“{}” is not a colour; write one like “#fff”, “#ffcc00”, “#ffcc0080”, “white” or “none”",
            self.text
        )
    }
}

impl std::error::Error for BackgroundError {}

impl Background {
    /// Reads a colour as SVG and CSS write it; `none` and `transparent` are no background.
    ///
    /// # Errors
    /// If it is not a colour.
    pub fn parse(text: &str) -> Result<Option<Self>, BackgroundError> {
        let text = text.trim();
        if matches!(text, "none" | "transparent") {
            return Ok(None);
        }
        let color = svgtypes::Color::from_str(text).map_err(|_| BackgroundError { text: text.to_owned() })?;
        Ok(Some(Self { rgba: [color.red, color.green, color.blue, color.alpha] }))
    }
}

/// Gives the pixels outside of a rectangle the background only. The rectangle is in whole pixels.
pub(crate) fn clear_outside(
    pixmap: &mut tiny_skia::PixmapMut<'_>,
    inside: kurbo::Rect,
    background: Option<Background>,
) {
    let [red, green, blue, alpha] = background.map_or([0; 4], |background| background.rgba);
    let behind = tiny_skia::ColorU8::from_rgba(red, green, blue, alpha).premultiply();
    let (width, height) = (pixmap.width() as usize, pixmap.height() as usize);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the picture")]
    let whole = |side: f64, most: usize| side.round().clamp(0.0, most as f64) as usize;
    let (left, right) = (whole(inside.x0, width), whole(inside.x1, width));
    let (top, bottom) = (whole(inside.y0, height), whole(inside.y1, height));
    for (y, row) in pixmap.pixels_mut().chunks_exact_mut(width).enumerate() {
        if y < top || y >= bottom {
            row.fill(behind);
        } else {
            row[..left].fill(behind);
            row[right.max(left)..].fill(behind);
        }
    }
}

/// How a frame is drawn.
#[derive(Clone, Copy, Debug)]
pub struct FrameOptions {
    /// Its size in pixels. The drawing is scaled to fit, in the middle.
    pub size: FrameSize,
    /// Its background colour. None: the frame is transparent.
    pub background: Option<Background>,
}

/// Gives all pixels a background, or none.
pub(crate) fn fill(background: Option<Background>, pixmap: &mut PixmapMut<'_>) {
    pixmap.fill(background.map_or(tiny_skia::Color::TRANSPARENT, |background| {
        let [red, green, blue, alpha] = background.rgba;
        tiny_skia::Color::from_rgba8(red, green, blue, alpha)
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_limits() {
        assert_eq!(FrameSize::new(0, 5), Err(FrameSizeError::Nothing));
        assert!(FrameSize::new(MAX_FRAME_SIDE, 1).is_ok());
        assert!(FrameSize::new(MAX_FRAME_SIDE + 1, 1).is_err());
        assert!(FrameSize::new(30_000, 30_000).is_err());
        let size = FrameSize::from_scale(Size::new(100.4, 0.2), 1.0).unwrap();
        assert_eq!((size.width(), size.height()), (101, 1));
        assert_eq!(FrameSize::from_scale(Size::new(110.0, 30.0), 1.1), FrameSize::new(121, 33));
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert!(FrameSize::from_scale(Size::new(10.0, 10.0), scale).is_err());
        }
    }

    #[test]
    fn drawings_are_centred_in_frames_of_another_shape() {
        let frame = FrameSize::new(200, 100).unwrap();
        assert_eq!(frame.fit(Size::new(50.0, 50.0)), Affine::new([2.0, 0.0, 0.0, 2.0, 50.0, 0.0]));
        assert_eq!(frame.fit(Size::new(100.0, 50.0)), Affine::scale(2.0));
    }

    /// A side is never less than a pixel, so a flat drawing fills a frame one pixel high.
    #[test]
    fn drawings_thinner_than_a_pixel_fill_it() {
        let fit = |width, height, drawing: (f64, f64)| {
            FrameSize::new(width, height).unwrap().fit(Size::new(drawing.0, drawing.1))
        };
        assert_eq!(fit(100, 1, (100.0, 0.2)), Affine::scale_non_uniform(1.0, 5.0));
        assert_eq!(fit(1, 50, (0.25, 100.0)), Affine::scale_non_uniform(4.0, 0.5));
        // Two pixels are not the rounding of a fifth of one.
        assert_eq!(fit(100, 2, (100.0, 0.2)), Affine::translate((0.0, 0.9)));
    }

    #[test]
    fn pages_of_fractional_size_keep_their_scale() {
        // 60 x 40 mm: no scale gives whole pixels.
        let drawing = Size::new(226.771_65, 151.181_1);
        for step in 1..400 {
            let scale = f64::from(step) * 0.017;
            let frame = FrameSize::from_scale(drawing, scale).unwrap();
            assert_eq!(frame.fit(drawing), Affine::scale(scale));
            let beyond = (
                f64::from(frame.width) - drawing.width * scale,
                f64::from(frame.height) - drawing.height * scale,
            );
            assert!((0.0..1.0).contains(&beyond.0) && (0.0..1.0).contains(&beyond.1), "{frame:?}");
        }
        // A size that is asked for is filled.
        let [a, _, _, d, e, f] = FrameSize::new(227, 151).unwrap().fit(drawing).as_coeffs();
        assert!((a * drawing.width - 227.0).abs() < 1e-9 && (d * drawing.height - 151.0).abs() < 1e-9);
        assert_eq!((e, f), (0.0, 0.0));
    }

    #[test]
    fn what_is_outside_has_the_background() {
        let mut pixmap = tiny_skia::Pixmap::new(6, 4).unwrap();
        pixmap.fill(tiny_skia::Color::WHITE);
        let background = Background { rgba: [255, 0, 0, 128] };
        clear_outside(&mut pixmap.as_mut(), kurbo::Rect::new(1.0, -3.0, 4.0, 2.0), Some(background));
        for (at, pixel) in pixmap.pixels().iter().enumerate() {
            let (x, y) = (at % 6, at / 6);
            let inside = (1..4).contains(&x) && y < 2;
            assert_eq!((pixel.red(), pixel.green()), if inside { (255, 255) } else { (128, 0) }, "{x} {y}");
        }
        clear_outside(&mut pixmap.as_mut(), kurbo::Rect::new(9.0, 9.0, 12.0, 12.0), None);
        assert!(pixmap.data().iter().all(|byte| *byte == 0));
    }

    #[test]
    fn colours_are_read_as_css_writes_them() {
        let rgba = |text: &str| Background::parse(text).unwrap().map(|b| b.rgba);
        assert_eq!(rgba("#fff"), Some([255; 4]));
        assert_eq!(rgba("#f008"), Some([255, 0, 0, 136]));
        assert_eq!(rgba("#01020304"), Some([1, 2, 3, 4]));
        assert_eq!(rgba(" teal "), Some([0, 128, 128, 255]));
        assert_eq!(rgba("none"), None);
        assert!(Background::parse("#12").unwrap_err().to_string().contains("#12"));
    }
}
