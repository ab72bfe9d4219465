//! Cached coverage of all shapes: the pixels of a shape that did not change since the last frame are filled
//! again without a scan, wherever the shape is in the stack. A colour with a given coverage changes a pixel
//! in the same way whatever is below it, so no pixel differs.

use bone_raster::CachedCoverage;

/// Most bytes of kept runs, eight bytes each.
const MAX_KEPT: usize = 32 << 20;

/// The fill or the stroke of a shape.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ShapePart {
    Fill,
    Stroke,
}

#[derive(Debug, Default)]
pub(crate) struct CoverageCache {
    all: Vec<[CachedCoverage; 2]>,
    kept: usize,
}

impl CoverageCache {
    /// Empty caches for a number of shapes.
    pub(crate) fn new(shapes: usize) -> Self {
        Self { all: std::iter::repeat_with(Default::default).take(shapes).collect(), kept: 0 }
    }

    /// How many bytes are kept.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.kept
    }

    /// Takes the cached coverage of a part of a shape out of the list.
    pub(crate) fn take(&mut self, at: usize, part: ShapePart) -> CachedCoverage {
        let cached = std::mem::take(&mut self.all[at][part as usize]);
        self.kept -= cached.bytes();
        cached.caching(self.kept < MAX_KEPT)
    }

    /// Puts it back.
    pub(crate) fn put(&mut self, at: usize, part: ShapePart, cached: CachedCoverage) {
        self.kept += cached.bytes();
        self.all[at][part as usize] = cached;
    }

    /// Drops the coverage of a shape that changed.
    pub(crate) fn forget(&mut self, at: usize) {
        for cached in &mut self.all[at] {
            self.kept -= std::mem::take(cached).bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bone_drawing::{CanvasPose, Frame, Moving, Posable};
    use kurbo::Affine;
    use tiny_skia::Pixmap;

    use crate::{FrameOptions, FrameSize, Renderer, Resources, read_svg};

    /// Shapes that do not move, above and in groups that do.
    const DRAWING: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='80'>\
        <clipPath id='c'><circle cx='60' cy='50' r='18'/></clipPath>\
        <rect width='90' height='80' fill='#eef'/>\
        <g id='moves'><path d='M5 9h30v40h-30z' fill='#c33'/></g>\
        <path d='M20 20C70 10 70 60 30 70S1 40 20 20z' fill='#3a6' fill-opacity='.4' stroke='#222' stroke-width='3'/>\
        <g clip-path='url(#c)'><path d='M40 30h40v40h-40z' fill='#37c'/><g id='within'><path d='M50 40h9v30h-9z'/></g></g>\
        <path d='M70 5q20 30 -3 60' fill='none' stroke='#fc3' stroke-width='4' stroke-dasharray='7 3'/></svg>";

    #[test]
    fn shapes_that_stay_above_moving_ones_are_kept_to_the_pixel() {
        let source = read_svg(DRAWING, &Resources::none()).unwrap().0;
        let ids = ["moves", "within"].map(|name| source.find(name).unwrap());
        let posable = Posable::new(&source, &Moving { rigid: &ids, ..Moving::default() }).unwrap();
        let drawing = Arc::clone(posable.drawing());
        let mut kept = Renderer::new();
        let (mut frame, mut most) = (Frame::default(), 0);
        for number in 0..12_u8 {
            // One larger frame in between, and one that equals the last.
            let scale = if number == 7 { 3.0 } else { 2.0 };
            let size = FrameSize::from_scale(source.size(), scale).unwrap();
            let options = FrameOptions { size, background: None };
            let rigid = [1.3, 0.7].map(|step| Affine::translate((step * f64::from(number.min(10)), 2.0)));
            posable.frame(&CanvasPose { rigid: &rigid, ..CanvasPose::default() }, &mut frame);
            let draw = |renderer: &mut Renderer| {
                let mut pixmap = Pixmap::new(1, 1).unwrap();
                assert!(!renderer.draw(&drawing, &frame, &options, &mut pixmap).unwrap().fell_back);
                pixmap
            };
            let (found, want) = (draw(&mut kept), draw(&mut Renderer::new()));
            assert!(found == want, "frame {number}");
            most = most.max(kept.cache.coverage.kept());
        }
        // Two parts of a shape, a stroke, and the two shapes of a layer that is drawn in each frame.
        assert!(most > 5 * 8 * 40, "{most} bytes");
    }
}
