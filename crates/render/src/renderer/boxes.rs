//! Bounding boxes as usvg 0.49 computes them, step by step: layers are cut to them, so every rounding
//! matters.

use tiny_skia::{NonZeroRect, Path, Rect, Stroke, Transform};

use super::cache::Cache;
use super::tree::{Boxes, Group, RenderKind, RenderTree};
use super::values::{Unsupported, Values};

/// The union of rectangles.
#[derive(Clone, Copy, Debug)]
struct BoundsUnion {
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

impl BoundsUnion {
    const NOTHING: Self = Self { left: f32::MAX, top: f32::MAX, right: f32::MIN, bottom: f32::MIN };

    fn add(&mut self, rect: Rect) {
        self.left = self.left.min(rect.left());
        self.top = self.top.min(rect.top());
        self.right = self.right.max(rect.right());
        self.bottom = self.bottom.max(rect.bottom());
    }

    #[allow(clippy::float_cmp, reason = "the question is whether anything was added")]
    fn is_nothing(&self) -> bool {
        self.left == f32::MAX && self.top == f32::MAX && self.right == f32::MIN && self.bottom == f32::MIN
    }

    fn rect(&self) -> Option<Rect> {
        if self.is_nothing() {
            return None;
        }
        Rect::from_ltrb(self.left, self.top, self.right, self.bottom)
    }

    fn non_zero(&self) -> Option<NonZeroRect> {
        if self.is_nothing() {
            return None;
        }
        NonZeroRect::from_ltrb(self.left, self.top, self.right, self.bottom)
    }
}

/// The unions of the boxes of a group's children.
#[derive(Debug)]
struct Sum {
    object: BoundsUnion,
    stroke: BoundsUnion,
    layer: BoundsUnion,
}

/// The boxes of an outline without and with its stroke. None if usvg would leave it out.
pub(crate) fn of_path(path: &Path, stroke: Option<&Stroke>) -> Option<(Rect, Rect)> {
    let object = path.compute_tight_bounds()?;
    // Dashes do not count: this strokes an outline without them.
    let stroked = stroke.and_then(|stroke| path.stroke(stroke, 1.0)?.compute_tight_bounds());
    Some((object, stroked.unwrap_or(object)))
}

/// Computes boxes and caches those that did not change.
pub(crate) struct Measure<'a> {
    pub(crate) tree: &'a RenderTree,
    pub(crate) values: &'a Values,
    pub(crate) cache: &'a mut Cache,
}

impl Measure<'_> {
    /// The boxes of a group's inside.
    pub(crate) fn group(&mut self, at: usize, group: &Group) -> Result<Boxes, Unsupported> {
        if let Some(boxes) = self.cache.boxes[at] {
            return Ok(boxes);
        }
        let sum = self.sum(&group.children)?;
        let clip = group.layer.and_then(|layer| layer.clip);
        let filters = group.layer.and_then(|layer| layer.filters);
        let mut boxes = self.close(&sum, clip)?;
        if let Some(filters) = filters {
            // Filters come before the clip path and need their whole region.
            boxes.layer = self.tree.filters[filters].region(self.values).ok_or(Unsupported)?;
        }
        self.cache.boxes[at] = Some(boxes);
        Ok(boxes)
    }

    /// The boxes of a group that fades.
    pub(crate) fn fading(&mut self, children: &[usize]) -> Result<Boxes, Unsupported> {
        let sum = self.sum(children)?;
        self.close(&sum, None)
    }

    /// The box of a clip path with strokes, in the space of its content.
    fn clip_covers(&mut self, at: usize) -> Result<Rect, Unsupported> {
        let tree = self.tree;
        let clip = &tree.clips[at];
        if let Some(covers) = self.cache.clips[at].filter(|_| !clip.moves) {
            return Ok(covers);
        }
        let sum = self.sum(&clip.children)?;
        let covers = self.close(&sum, None)?.stroke;
        self.cache.clips[at] = Some(covers);
        Ok(covers)
    }

    fn sum(&mut self, children: &[usize]) -> Result<Sum, Unsupported> {
        let mut sum =
            Sum { object: BoundsUnion::NOTHING, stroke: BoundsUnion::NOTHING, layer: BoundsUnion::NOTHING };
        self.add(children, &mut sum)?;
        Ok(sum)
    }

    fn add(&mut self, children: &[usize], sum: &mut Sum) -> Result<(), Unsupported> {
        let tree = self.tree;
        for &at in children {
            match &tree.nodes[at].kind {
                RenderKind::Group(group) => {
                    if let Some(ts) = self.values.group_transform(group.transform) {
                        let boxes = self.group(at, group)?;
                        add_group(boxes, ts, sum);
                    }
                }
                RenderKind::Visible { slot, children } => match self.values.visible.now[*slot] {
                    None => {}
                    Some(None) => self.add(children, sum)?,
                    Some(Some(_)) => {
                        let boxes = self.fading(children)?;
                        add_group(boxes, Transform::identity(), sum);
                    }
                },
                RenderKind::Shape(shape) => {
                    if self.cache.shapes[shape.index].is_none() {
                        let stroke = shape.stroke.as_ref().and_then(|stroke| self.values.stroke(&stroke.1));
                        let path = self.values.outline_of(&shape.outline);
                        let found = path.and_then(|path| of_path(path, stroke.as_deref()));
                        self.cache.shapes[shape.index] = Some(found);
                    }
                    if let Some(Some((object, stroke))) = self.cache.shapes[shape.index] {
                        sum.object.add(object);
                        sum.stroke.add(stroke);
                        sum.layer.add(stroke);
                    }
                }
                RenderKind::Picture(k, _) => {
                    let covers = tree.pictures[*k].covers;
                    sum.object.add(covers);
                    sum.stroke.add(covers);
                    sum.layer.add(covers);
                }
                RenderKind::Filtered(k) => {
                    if let Some(usvg::Node::Group(group)) = self.cache.filtered[*k].node() {
                        add_group(Boxes::of(group), group.transform(), sum);
                    }
                }
            }
        }
        Ok(())
    }

    fn close(&mut self, sum: &Sum, clip: Option<usize>) -> Result<Boxes, Unsupported> {
        let mut boxes = Boxes::empty().ok_or(Unsupported)?;
        if let Some(object) = sum.object.rect() {
            boxes.object = object;
            boxes.stroke = sum.stroke.rect().ok_or(Unsupported)?;
        }
        let Some(mut layer) = sum.layer.non_zero() else { return Ok(boxes) };
        if let Some(clip) = clip {
            let covers = self.clip_covers(clip)?.transform(self.tree.clips[clip].transform);
            let cut = covers.and_then(|covers| layer.to_rect().intersect(&covers)?.to_non_zero_rect());
            let Some(cut) = cut else { return Ok(boxes) };
            layer = cut;
        }
        boxes.layer = layer;
        Ok(boxes)
    }
}

fn add_group(boxes: Boxes, ts: Transform, sum: &mut Sum) {
    sum.object.add(boxes.object.transform(ts).unwrap_or(boxes.object));
    sum.stroke.add(boxes.stroke.transform(ts).unwrap_or(boxes.stroke));
    if let Some(layer) = boxes.layer.transform(ts) {
        sum.layer.add(layer.to_rect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// usvg's own boxes, of strokes with dashes, corners and caps.
    #[test]
    fn boxes_of_paths_are_those_of_usvg() {
        for (data, line) in [
            ("M10 10H60V50", ""),
            ("M10 10H60V50", "stroke-dasharray='9 30' stroke-linecap='square'"),
            ("M10 60C30 -20 50 90 70 20", "stroke-dasharray='2 50' stroke-dashoffset='-20'"),
            ("M10 10L60 20L12 28", "stroke-linejoin='round'"),
            ("M10 10L60 20L12 28", "stroke-miterlimit='12' stroke-dasharray='40'"),
        ] {
            let svg = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='80'><path d='{data}' fill='none' stroke='red' stroke-width='6' {line}/></svg>"
            );
            let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).unwrap();
            let Some(usvg::Node::Path(path)) = tree.root().children().first() else { panic!("{svg}") };
            let stroke = path.stroke().map(usvg::Stroke::to_tiny_skia);
            let found = of_path(path.data(), stroke.as_ref()).unwrap();
            assert_eq!(found, (path.bounding_box(), path.stroke_bounding_box()), "{svg}");
        }
    }
}
