//! Regions of filters and masks around content that moves: each side keeps its distance from the bounds of
//! the content.

use kurbo::{Affine, BezPath, Rect, Shape};

use crate::drawing::invert;
use crate::limits;

/// Differences below this share of the content's size are rounding, and the region stays as it is.
const STILL: f64 = 1e-6;

/// The extent of a group with a filter or mask in its own space.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    /// The nearest rigid part around it or itself.
    pub(crate) inside: Option<usize>,
    /// From canvas space back to its own, at rest.
    pub(crate) to_local: Affine,
    /// The bounds of the content that does not move in it.
    pub(crate) still: Option<Rect>,
    /// Posed outlines, each with its bounds at rest in the group's space.
    pub(crate) posed: Vec<(usize, Rect)>,
    /// Rigid parts in it, each with its bounds at rest on the canvas.
    pub(crate) rigid: Vec<(usize, Rect)>,
}

impl Extent {
    /// An empty extent in a space.
    pub(crate) fn new(inside: Option<usize>, to_canvas: Affine) -> Option<Self> {
        let to_local = invert(to_canvas)?;
        Some(Self { inside, to_local, still: None, posed: Vec::new(), rigid: Vec::new() })
    }

    /// Adds content that does not move in it.
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

    /// Its bounds in a frame, in its own space.
    fn posed(&self, outlines: &[BezPath], moved: impl Fn(usize) -> Option<Affine>) -> Option<Rect> {
        let around = self.inside.map_or(Some(Affine::IDENTITY), &moved)?;
        let to_local = self.to_local * invert(around)?;
        let posed = self.posed.iter().map(|(k, rest)| {
            let path = outlines.get(*k).filter(|path| limits::is_path_usable(path, to_local));
            path.map_or(Some(*rest), |path| union(path.segments().map(|s| (to_local * s).bounding_box())))
        });
        let rigid = self.rigid.iter().map(|(k, rect)| {
            let moved = moved(*k).unwrap_or(Affine::IDENTITY);
            Some((to_local * moved).transform_rect_bbox(*rect))
        });
        union(self.still.into_iter().chain(posed.chain(rigid).flatten()))
    }

    /// How far each side of a region around it moves; none if it stays.
    pub(crate) fn shift(
        &self,
        outlines: &[BezPath],
        moved: impl Fn(usize) -> Option<Affine>,
    ) -> Option<[f64; 4]> {
        let (rest, now) = self.at_rest().zip(self.posed(outlines, moved))?;
        let sides = [now.x0 - rest.x0, now.y0 - rest.y0, now.x1 - rest.x1, now.y1 - rest.y1];
        let size = rest.width().max(rest.height());
        (!sides.iter().all(|d| d.abs() <= STILL * size)).then_some(sides)
    }
}

/// A region whose sides move so far; unchanged if the result is empty, which SVG does not allow.
pub(crate) fn shifted(rect: Rect, sides: Option<[f64; 4]>) -> Rect {
    let Some([left, top, right, bottom]) = sides else { return rect };
    let moved = Rect::new(rect.x0 + left, rect.y0 + top, rect.x1 + right, rect.y1 + bottom);
    let (width, height) = (moved.width(), moved.height());
    let numbers = [moved.x0, moved.y0, width, height];
    let usable = width > 0.0 && height > 0.0 && numbers.iter().all(|n| limits::in_range(*n));
    if usable { moved } else { rect }
}

fn union(rects: impl Iterator<Item = Rect>) -> Option<Rect> {
    rects.reduce(|a, b| a.union(b)).filter(Rect::is_finite)
}
