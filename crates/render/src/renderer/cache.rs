//! What a renderer keeps from frame to frame: buffers, and pictures of groups that did not change. The pixels
//! are the same with and without it.

use bone_raster::Filler;
use tiny_skia::{IntRect, IntSize, Mask, Pixmap, Rect, Transform};

use super::coverage::CoverageCache;
use super::filtered::FilteredGroup;
use super::tree::{
    Boxes, GroupTransform, Outline, PaintSource, PaintTransform, RenderKind, RenderTree, Shape, ShapePaint,
};
use super::values::Values;

/// Most bytes of kept layers, so that a drawing of a thousand groups does not keep a thousand pictures.
const MAX_KEPT: usize = 128 << 20;

/// Most bytes of buffers that are kept for reuse.
const MAX_SPARE: usize = 64 << 20;

#[derive(Debug, Default)]
pub(crate) struct Cache {
    /// Whether a node, its content, its clip path or its mask changed.
    pub(crate) dirty: Vec<bool>,
    /// The boxes of groups, until they change.
    pub(crate) boxes: Vec<Option<Boxes>>,
    /// The boxes of shapes, by their own index, without and with strokes; an inner None is a shape that usvg leaves out.
    pub(crate) shapes: Vec<Option<Option<(Rect, Rect)>>>,
    /// The boxes of clip paths that do not move.
    pub(crate) clips: Vec<Option<Rect>>,
    /// Tiles of patterns with their scale.
    pub(crate) tiles: Vec<Option<(f32, f32, Pixmap)>>,
    /// The frame size for which the tiles were drawn.
    frame: (u32, u32),
    pub(crate) filtered: Vec<FilteredGroup>,
    layers: Vec<Option<Box<KeptLayer>>>,
    kept: usize,
    spare: Vec<Vec<u8>>,
    /// Fillers, one for each depth of layers.
    pub(crate) fillers: Vec<Filler>,
    /// The coverage of shapes that do not change.
    pub(crate) coverage: CoverageCache,
    /// Bytes of the kept pictures of groups that resvg draws.
    pub(crate) pictures: usize,
    /// How many groups were drawn by resvg in this frame.
    pub(crate) by_resvg: usize,
}

/// The picture of a group, with the transform and bounds for which it was drawn.
#[derive(Debug)]
pub(crate) struct KeptLayer {
    pub(crate) transform: Transform,
    pub(crate) bounds: IntRect,
    pub(crate) at: IntRect,
    pub(crate) pixmap: Pixmap,
}

impl Cache {
    pub(crate) fn new(tree: &RenderTree) -> Self {
        let nodes = tree.nodes.len();
        Self {
            dirty: vec![true; nodes],
            boxes: vec![None; nodes],
            shapes: vec![None; tree.shapes],
            clips: vec![None; tree.clips.len()],
            tiles: tree.tiles.iter().map(|_| None).collect(),
            coverage: CoverageCache::new(tree.shapes),
            filtered: tree.filtered.iter().map(|_| FilteredGroup::default()).collect(),
            layers: tree.nodes.iter().map(|_| None).collect(),
            ..Self::default()
        }
    }

    /// Finds what changed since the last frame, and drops the cached data of it.
    pub(crate) fn refresh(&mut self, tree: &RenderTree, values: &Values, frame: (u32, u32), is_first: bool) {
        if self.frame != frame {
            // Tiles leave out what is far outside of the frame.
            self.tiles.iter_mut().for_each(|tile| *tile = None);
            self.frame = frame;
        }
        let pictures = self.filtered.iter().filter_map(|held| held.picture.as_ref());
        self.pictures = pictures.map(|kept| kept.pixmap.data().len()).sum();
        for (at, node) in tree.nodes.iter().enumerate() {
            let dirty = is_first || node.moves && self.changed(tree, values, &node.kind);
            self.dirty[at] = dirty;
            if dirty {
                self.boxes[at] = None;
                if let RenderKind::Shape(shape) = &node.kind
                    && (is_first || form_changed(values, shape))
                {
                    self.shapes[shape.index] = None;
                    self.coverage.forget(shape.index);
                }
                if let Some(layer) = self.layers[at].take() {
                    self.kept -= layer.pixmap.data().len();
                    self.give(layer.pixmap);
                }
            }
        }
    }

    /// Whether a node changed since the last frame. Children come first.
    fn changed(&self, tree: &RenderTree, values: &Values, kind: &RenderKind) -> bool {
        let any = |children: &[usize]| children.iter().any(|at| self.dirty[*at]);
        match kind {
            RenderKind::Group(group) => {
                transform_changed(values, group.transform)
                    || any(&group.children)
                    || group.layer.is_some_and(|layer| {
                        layer.clip.is_some_and(|clip| self.clip_changed(tree, clip))
                            || layer.mask.is_some_and(|mask| self.mask_changed(tree, values, mask))
                            || layer.filters.is_some_and(|at| tree.filters[at].changed(values))
                    })
            }
            RenderKind::Visible { slot, children } => values.visible.changed[*slot] || any(children),
            RenderKind::Shape(shape) => {
                let paints = shape.fill.iter().map(|(paint, _)| paint);
                let mut paints = paints.chain(shape.stroke.iter().map(|stroke| &stroke.0));
                form_changed(values, shape)
                    || shape.look.is_some_and(|k| values.paints.changed[k])
                    || paints.any(|paint| self.paint_changed(tree, values, paint))
            }
            RenderKind::Picture(_, tint) => tint.is_some_and(|slot| values.tints.changed[slot]),
            RenderKind::Filtered(k) => self.filtered[*k].changed,
        }
    }

    /// Whether the transform or the colours of a gradient or a pattern changed since the last frame.
    fn paint_changed(&self, tree: &RenderTree, values: &Values, paint: &ShapePaint) -> bool {
        let place = match &paint.source {
            PaintSource::Color(_) => return false,
            PaintSource::Linear { place, stops, .. } | PaintSource::Radial { place, stops, .. } => {
                if stops.slot.is_some_and(|slot| values.stops.changed[slot]) {
                    return true;
                }
                place
            }
            PaintSource::Tile(tile) => {
                if tree.tiles[*tile].children.iter().any(|at| self.dirty[*at]) {
                    return true;
                }
                &tree.tiles[*tile].place
            }
        };
        match place {
            PaintTransform::Fixed(_) => false,
            PaintTransform::Gradient(k) => values.gradients.changed[*k],
            PaintTransform::Pattern(k) => values.patterns.changed[*k],
        }
    }

    fn clip_changed(&self, tree: &RenderTree, clip: usize) -> bool {
        let clip = &tree.clips[clip];
        clip.moves
            && (clip.children.iter().any(|at| self.dirty[*at])
                || clip.clip.is_some_and(|clip| self.clip_changed(tree, clip)))
    }

    fn mask_changed(&self, tree: &RenderTree, values: &Values, mask: usize) -> bool {
        let mask = &tree.masks[mask];
        mask.moves
            && (mask.children.iter().any(|at| self.dirty[*at])
                || mask.slot.is_some_and(|k| values.masks.changed[k])
                || mask.mask.is_some_and(|mask| self.mask_changed(tree, values, mask)))
    }

    /// The kept picture of a group, if it was drawn for this transform and these bounds.
    pub(crate) fn take_layer(
        &mut self,
        at: usize,
        transform: Transform,
        bounds: IntRect,
    ) -> Option<Box<KeptLayer>> {
        let kept = self.layers[at].take()?;
        self.kept -= kept.pixmap.data().len();
        if kept.transform == transform && kept.bounds == bounds {
            return Some(kept);
        }
        self.give(kept.pixmap);
        None
    }

    /// Whether the picture of a group that resvg draws is or can be kept.
    pub(crate) fn may_keep(&self, k: usize) -> bool {
        let held = &self.filtered[k];
        !held.changed && (held.picture.is_some() || self.pictures < MAX_KEPT)
    }

    /// Keeps the picture of a group that did not change since the last frame, or its memory.
    pub(crate) fn put_layer(&mut self, at: Option<usize>, layer: Box<KeptLayer>) {
        let bytes = layer.pixmap.data().len();
        match at.filter(|at| !self.dirty[*at] && self.kept + bytes <= MAX_KEPT) {
            Some(at) => {
                self.kept += bytes;
                self.layers[at] = Some(layer);
            }
            None => self.give(layer.pixmap),
        }
    }

    /// A transparent picture.
    pub(crate) fn pixmap(&mut self, width: u32, height: u32) -> Option<Pixmap> {
        let size = IntSize::from_wh(width, height)?;
        let length = (width as usize).checked_mul(height as usize)?.checked_mul(4)?;
        match self.buffer(length) {
            Some(mut buffer) => {
                buffer.resize(length, 0);
                Pixmap::from_vec(buffer, size)
            }
            None => Pixmap::new(width, height),
        }
    }

    /// A used buffer of nearly this length.
    fn buffer(&mut self, length: usize) -> Option<Vec<u8>> {
        let fits = |buffer: &Vec<u8>| buffer.capacity() >= length && buffer.capacity() / 4 <= length;
        let at = self.spare.iter().position(fits)?;
        let mut buffer = self.spare.swap_remove(at);
        buffer.clear();
        Some(buffer)
    }

    /// Keeps the buffer of a picture for reuse.
    pub(crate) fn give(&mut self, pixmap: Pixmap) {
        self.give_buffer(pixmap.take());
    }

    pub(crate) fn give_mask(&mut self, mask: Mask) {
        self.give_buffer(mask.take());
    }

    fn give_buffer(&mut self, buffer: Vec<u8>) {
        let waiting: usize = self.spare.iter().map(Vec::capacity).sum();
        if waiting + buffer.capacity() <= MAX_SPARE {
            self.spare.push(buffer);
        }
    }
}

pub(crate) fn transform_changed(values: &Values, place: GroupTransform) -> bool {
    matches!(place, GroupTransform::Posed(k) if values.places.changed[k])
}

/// Whether the outline of a shape or the lengths of its stroke changed since the last frame: what it covers.
fn form_changed(values: &Values, shape: &Shape) -> bool {
    matches!(shape.outline, Outline::Posed(k) if values.outlines.changed[k])
        || shape.stroke.is_some() && shape.look.is_some_and(|k| values.lengths.changed[k])
}
