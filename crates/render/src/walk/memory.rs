//! What a walker keeps from frame to frame: memory, and pictures of what did not change.
//! Refuses to decide what a frame looks like: with or without it the pixels are the same.

use tiny_skia::{IntRect, IntSize, Mask, Pixmap, Rect, Transform};

use super::boxes::Boxes;
use super::foreign::Held;
use super::plan::{Kind, Plan};
use super::records::Records;
use super::values::Values;
use crate::fill::Filler;

/// Most bytes of kept layers, so that a drawing of a thousand groups does not keep a thousand pictures.
const MAX_KEPT: usize = 128 << 20;

/// Most bytes of layers that wait to be used again.
const MAX_SPARE: usize = 64 << 20;

#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Whether a node, what is in it or what cuts it changed.
    pub(crate) dirty: Vec<bool>,
    /// The boxes of groups, until they change.
    pub(crate) boxes: Vec<Option<Boxes>>,
    /// What shapes cover, without and with strokes; None within is a shape that usvg leaves out.
    pub(crate) shapes: Vec<Option<Option<(Rect, Rect)>>>,
    /// Tiles of patterns with their scale.
    pub(crate) tiles: Vec<Option<(f32, f32, Pixmap)>>,
    /// The size of the frames that they are for.
    frame: (u32, u32),
    pub(crate) foreign: Vec<Held>,
    layers: Vec<Option<KeptLayer>>,
    kept: usize,
    spare: Vec<Vec<u8>>,
    /// What fills shapes, one for each depth of layers.
    pub(crate) fillers: Vec<Filler>,
    /// What shapes cover that do not change.
    pub(crate) records: Records,
    /// Bytes of the kept pictures of groups that resvg draws.
    pub(crate) pictures: usize,
    /// How many groups were drawn by resvg in this frame.
    pub(crate) by_resvg: usize,
    /// How often tiny-skia helped the chosen painter in this frame.
    pub(crate) helped: usize,
    /// What painters that wait note shapes in.
    #[cfg(feature = "vello")]
    pub(crate) scenes: Vec<super::painter::Scene>,
}

/// The picture of a group, and what it was drawn for.
#[derive(Debug)]
pub(crate) struct KeptLayer {
    pub(crate) transform: Transform,
    pub(crate) bounds: IntRect,
    pub(crate) at: IntRect,
    pub(crate) pixmap: Pixmap,
}

impl Memory {
    pub(crate) fn new(plan: &Plan) -> Self {
        let nodes = plan.nodes.len();
        Self {
            dirty: vec![true; nodes],
            boxes: vec![None; nodes],
            shapes: vec![None; nodes],
            tiles: plan.tiles.iter().map(|_| None).collect(),
            records: Records::new(nodes),
            foreign: plan.foreign.iter().map(|_| Held::default()).collect(),
            layers: plan.nodes.iter().map(|_| None).collect(),
            ..Self::default()
        }
    }

    /// Finds out what changed, and forgets what was kept of it.
    pub(crate) fn refresh(&mut self, plan: &Plan, values: &Values, frame: (u32, u32), is_first: bool) {
        if self.frame != frame {
            // What lies far beyond the frame is left out of a tile, too.
            self.tiles.iter_mut().for_each(|tile| *tile = None);
            self.frame = frame;
        }
        let pictures = self.foreign.iter().filter_map(|held| held.picture.as_ref());
        self.pictures = pictures.map(|kept| kept.pixmap.data().len()).sum();
        for (at, node) in plan.nodes.iter().enumerate() {
            let dirty = is_first || node.moves && self.changed(plan, values, &node.kind);
            self.dirty[at] = dirty;
            if dirty {
                self.boxes[at] = None;
                self.shapes[at] = None;
                self.records.forget(at);
                if let Some(layer) = self.layers[at].take() {
                    self.kept -= layer.pixmap.data().len();
                    self.give(layer.pixmap);
                }
            }
        }
    }

    /// Whether a node is another one than in the last frame; those before it were asked already.
    fn changed(&self, plan: &Plan, values: &Values, kind: &Kind) -> bool {
        let any = |children: &[usize]| children.iter().any(|at| self.dirty[*at]);
        match kind {
            Kind::Group(group) => {
                place_changed(values, group.place)
                    || any(&group.children)
                    || group.layer.is_some_and(|layer| {
                        layer.clip.is_some_and(|clip| self.clip_changed(plan, clip))
                            || layer.mask.is_some_and(|mask| self.mask_changed(plan, values, mask))
                    })
            }
            Kind::Actor { actor, children } => values.actors.changed[*actor] || any(children),
            Kind::Siblings { group, items } => {
                values.orders.changed[*group] || items.iter().any(|item| any(item))
            }
            Kind::Shape(shape) => {
                use super::plan::Outline;
                let outline = matches!(shape.outline, Outline::Posed(k) if values.outlines.changed[k]);
                let inks =
                    shape.fill.iter().map(|(ink, _)| ink).chain(shape.stroke.iter().map(|(ink, _)| ink));
                let servers = inks.filter_map(|ink| ink.server).any(|k| values.servers.changed[k]);
                let lengths = shape.stroke.as_ref().is_some_and(|(_, line)| {
                    let holes = [line.width, line.dashes, line.offset];
                    holes.into_iter().flatten().any(|k| values.lengths.changed[k])
                });
                outline || servers || lengths
            }
            Kind::Picture(_) => false,
            Kind::Foreign(k) => self.foreign[*k].changed,
        }
    }

    fn clip_changed(&self, plan: &Plan, clip: usize) -> bool {
        let clip = &plan.clips[clip];
        clip.moves
            && (clip.children.iter().any(|at| self.dirty[*at])
                || clip.clip.is_some_and(|clip| self.clip_changed(plan, clip)))
    }

    fn mask_changed(&self, plan: &Plan, values: &Values, mask: usize) -> bool {
        let mask = &plan.masks[mask];
        mask.moves
            && (mask.children.iter().any(|at| self.dirty[*at])
                || mask.region.is_some_and(|k| values.regions.changed[k])
                || mask.mask.is_some_and(|mask| self.mask_changed(plan, values, mask)))
    }

    /// The kept picture of a group, if it was drawn for this place.
    pub(crate) fn take_layer(
        &mut self,
        at: usize,
        transform: Transform,
        bounds: IntRect,
    ) -> Option<KeptLayer> {
        let kept = self.layers[at].take()?;
        self.kept -= kept.pixmap.data().len();
        if kept.transform == transform && kept.bounds == bounds {
            return Some(kept);
        }
        self.give(kept.pixmap);
        None
    }

    /// Whether the picture of a group that resvg draws is kept, or may be.
    pub(crate) fn may_keep(&self, k: usize) -> bool {
        let held = &self.foreign[k];
        !held.changed && (held.picture.is_some() || self.pictures < MAX_KEPT)
    }

    /// Keeps the picture of a group that did not change since the last frame, or its memory.
    pub(crate) fn put_layer(&mut self, at: Option<usize>, layer: KeptLayer) {
        let bytes = layer.pixmap.data().len();
        match at.filter(|at| !self.dirty[*at] && self.kept + bytes <= MAX_KEPT) {
            Some(at) => {
                self.kept += bytes;
                self.layers[at] = Some(layer);
            }
            None => self.give(layer.pixmap),
        }
    }

    /// A clear picture.
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

    /// Memory that was used for nearly as much before.
    fn buffer(&mut self, length: usize) -> Option<Vec<u8>> {
        let fits = |buffer: &Vec<u8>| buffer.capacity() >= length && buffer.capacity() / 4 <= length;
        let at = self.spare.iter().position(fits)?;
        let mut buffer = self.spare.swap_remove(at);
        buffer.clear();
        Some(buffer)
    }

    /// Takes back the memory of a picture.
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

pub(crate) fn place_changed(values: &Values, place: super::plan::Place) -> bool {
    matches!(place, super::plan::Place::Rigid(k) if values.places.changed[k])
}
