//! The part of a drawing that a picture shows.

use bone_drawing::Drawing;
use kurbo::{Affine, Rect};

use crate::frame::{Background, FrameOptions, FrameSize};

/// The part of a drawing that is drawn, and its scale.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Viewport {
    /// The size of the picture in pixels.
    pub size: FrameSize,
    /// Its background colour. None: the picture is transparent.
    pub background: Option<Background>,
    /// From the drawing's pixels at scale 1 to those of the picture: zoom and pan.
    pub transform: Affine,
    /// Whether gradients are dithered, so that no bands are seen: a pixel's colour is rounded up or down by a
    /// fixed pattern. Groups with filters that are left to resvg, and frames that fall back to it, are not.
    pub dither: bool,
    /// A part of the picture, from pixel to pixel: outside of it is the background only. None: what is painted
    /// is seen everywhere.
    pub cut: Option<Rect>,
}

impl Viewport {
    /// A view without a background. `transform` maps the drawing's pixels at scale 1 to those of the picture.
    pub fn new(size: FrameSize, transform: Affine) -> Self {
        Self { size, background: None, transform, dither: false, cut: None }
    }

    /// The whole drawing, as large as fits, in the middle.
    pub fn fit(drawing: &Drawing, options: &FrameOptions) -> Self {
        let FrameOptions { size, background } = *options;
        Self { background, ..Self::new(size, size.fit(drawing.size())) }
    }

    /// The whole picture, in its pixels.
    pub fn picture(&self) -> Rect {
        Rect::new(0.0, 0.0, self.size.width().into(), self.size.height().into())
    }

    /// The part of the picture in which what is painted is seen.
    pub fn seen(&self) -> Rect {
        self.cut.map_or(self.picture(), |cut| self.picture().intersect(cut))
    }
}
