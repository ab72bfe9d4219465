//! Regions of filters and masks around what moves within them: each side keeps its distance from what is inside.
//! Refuses to know what moves it.

use std::ops::Range;

use kurbo::{Affine, BezPath, Rect, Shape};

use crate::number;

/// Differences below this share of the content's size are rounding, and the region keeps its text.
const STILL: f64 = 1e-6;

/// What an element with a filter or mask covers in its own space.
#[derive(Debug)]
pub(crate) struct Extent {
    /// The nearest rigid element around it or itself.
    pub(crate) inside: Option<usize>,
    /// From canvas space back to its own, at rest.
    pub(crate) to_local: Affine,
    /// What stays in its own space.
    pub(crate) still: Option<Rect>,
    /// Outlines that are posed, each with what it covers at rest in the own space.
    pub(crate) posed: Vec<(usize, Rect)>,
    /// What rides along within it, each with what it covers at rest on the canvas.
    pub(crate) rigid: Vec<(usize, Rect)>,
}

impl Extent {
    /// Nothing yet, in a space.
    pub(crate) fn new(inside: Option<usize>, to_canvas: Affine) -> Option<Self> {
        let to_local = crate::template::invert(to_canvas)?;
        Some(Self { inside, to_local, still: None, posed: Vec::new(), rigid: Vec::new() })
    }

    /// Adds what stays in its own space.
    pub(crate) fn add_still(&mut self, rect: Rect) {
        self.still = Some(self.still.map_or(rect, |still| still.union(rect)));
    }

    /// Whether its shape can change.
    pub(crate) fn moves(&self) -> bool {
        !self.posed.is_empty() || !self.rigid.is_empty()
    }

    fn at_rest(&self) -> Option<Rect> {
        let rigid = self.rigid.iter().map(|(_, rect)| self.to_local.transform_rect_bbox(*rect));
        union(self.still.into_iter().chain(self.posed.iter().map(|(_, rect)| *rect)).chain(rigid))
    }

    /// What it covers in a frame, in its own space.
    fn posed(&self, outlines: &[BezPath], moved: impl Fn(usize) -> Option<Affine>) -> Option<Rect> {
        let around = self.inside.map_or(Some(Affine::IDENTITY), &moved)?;
        let to_local = self.to_local * crate::template::invert(around)?;
        let posed = self.posed.iter().map(|(k, rest)| {
            let path = outlines.get(*k).filter(|path| number::is_path_writable(path, to_local));
            path.map_or(Some(*rest), |path| union(path.segments().map(|s| (to_local * s).bounding_box())))
        });
        let rigid = self.rigid.iter().map(|(k, rect)| {
            let moved = moved(*k).unwrap_or(Affine::IDENTITY);
            Some((to_local * moved).transform_rect_bbox(*rect))
        });
        union(self.still.into_iter().chain(posed.chain(rigid).flatten()))
    }
}

fn union(rects: impl Iterator<Item = Rect>) -> Option<Rect> {
    rects.reduce(|a, b| a.union(b)).filter(Rect::is_finite)
}

/// The region of a mask, of a filter or of one of its steps.
#[derive(Debug)]
pub(crate) struct Region {
    /// Whose, in the list of extents.
    pub(crate) extent: usize,
    pub(crate) rect: Rect,
    /// The attributes that say it, with the space before.
    pub(crate) at_rest: Range<usize>,
    /// The made-up id of the mask or filter, by its place in the list.
    pub(crate) made: usize,
}

impl Region {
    /// Its `x`, `y`, `width` and `height`. None if what the text has at rest is to stand.
    pub(crate) fn at(
        &self,
        extent: &Extent,
        outlines: &[BezPath],
        moved: impl Fn(usize) -> Option<Affine>,
    ) -> Option<[f64; 4]> {
        let (rest, now) = extent.at_rest().zip(extent.posed(outlines, moved))?;
        let differences = [now.x0 - rest.x0, now.y0 - rest.y0, now.x1 - rest.x1, now.y1 - rest.y1];
        let size = rest.width().max(rest.height());
        if differences.iter().all(|d| d.abs() <= STILL * size) {
            return None;
        }
        let [left, top, right, bottom] = differences;
        let Rect { x0, y0, x1, y1 } = self.rect;
        let numbers = [x0 + left, y0 + top, x1 + right - x0 - left, y1 + bottom - y0 - top];
        // Content that lies flat has no region that SVG knows.
        let usable = numbers[2] > 0.0 && numbers[3] > 0.0 && numbers.iter().all(|n| number::in_range(*n));
        usable.then_some(numbers)
    }
}

/// Writes `x`, `y`, `width` and `height`.
pub(crate) fn write_region(numbers: [f64; 4], out: &mut String) {
    for (name, value) in ["x", "y", "width", "height"].into_iter().zip(numbers) {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        number::write_rounded(value, out);
        out.push('"');
    }
}
