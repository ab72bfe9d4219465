//! Draws a frame of a render tree: nodes, shapes, and groups that are pictures of their own.
//! Each step is that of resvg 0.49, so that no pixel differs. Depth is bounded when the tree is built.

use tiny_skia::{BlendMode, IntRect, Pixmap, PixmapMut, Transform};

use super::boxes::Measure;
use super::cache::{Cache, KeptLayer};
use super::coverage::ShapePart;
use super::painter::{Backdrop, Paint, Painter, has_area};
use super::tree::{Boxes, Layer, RenderKind, RenderTree, Shape, ShapePaint};
use super::values::{Unsupported, Values};

/// What is the same for all that is drawn into a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Beyond this nothing is drawn, in the picture's pixels.
    pub(crate) bounds: IntRect,
    /// The size of the frame.
    pub(crate) frame: (u32, u32),
}

/// Draws one frame.
pub(crate) struct FrameRenderer<'a> {
    pub(crate) tree: &'a RenderTree,
    pub(crate) values: &'a Values,
    pub(crate) cache: &'a mut Cache,
}

/// Something that is drawn in one go, in the order of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenderItem {
    pub(crate) node: usize,
    pub(crate) ts: Transform,
    /// Whether it or anything around it is another one than in the last frame.
    pub(crate) changed: bool,
    /// Whether that can be.
    pub(crate) moves: bool,
    order: f64,
}

/// What is known of the groups around a node.
#[derive(Clone, Copy, Debug)]
struct Inherited {
    ts: Transform,
    changed: bool,
    moves: bool,
    order: f64,
}

impl FrameRenderer<'_> {
    pub(crate) fn measure(&mut self) -> Measure<'_> {
        Measure { tree: self.tree, values: self.values, cache: self.cache }
    }

    /// Draws on a picture of its own, that was clear until now.
    pub(crate) fn on(
        &mut self,
        pixmap: &mut Pixmap,
        behind: Backdrop,
        draw: impl FnOnce(&mut Self, &mut Painter<'_>) -> Result<(), Unsupported>,
    ) -> Result<(), Unsupported> {
        self.over(pixmap.as_mut(), behind, draw)
    }

    /// Draws on a picture.
    pub(crate) fn over(
        &mut self,
        pixmap: PixmapMut<'_>,
        behind: Backdrop,
        draw: impl FnOnce(&mut Self, &mut Painter<'_>) -> Result<(), Unsupported>,
    ) -> Result<(), Unsupported> {
        // Each depth of layers finds the memory that it used before.
        let filler = self.cache.fillers.pop().unwrap_or_default();
        let mut painter = Painter::on(pixmap, behind, filler);
        let drawn = draw(self, &mut painter);
        self.cache.fillers.push(painter.finish());
        drawn
    }

    /// Lists what the nodes of a group come to, back to front: groups that are not pictures of their own are opened.
    pub(crate) fn list(&self, children: &[usize], ts: Transform, items: &mut Vec<RenderItem>) {
        let around = Inherited { ts, changed: false, moves: false, order: 0.0 };
        self.list_in(children, around, items);
        let sorted = items.windows(2).all(|pair| pair[0].order <= pair[1].order);
        if !sorted {
            // Stable: what has the same order keeps that of the drawing.
            items.sort_by(|a, b| a.order.total_cmp(&b.order));
        }
    }

    fn list_in(&self, children: &[usize], around: Inherited, items: &mut Vec<RenderItem>) {
        for &at in children {
            let node = &self.tree.nodes[at];
            let item = |moves: bool| RenderItem {
                node: at,
                ts: around.ts,
                changed: around.changed || self.cache.dirty[at],
                moves: around.moves || moves,
                order: around.order,
            };
            match &node.kind {
                RenderKind::Group(group) if group.layer.is_none() => {
                    if let Some(own) = self.values.group_transform(group.transform) {
                        let inside = Inherited {
                            ts: around.ts.pre_concat(own),
                            changed: around.changed
                                || super::cache::transform_changed(self.values, group.transform),
                            moves: around.moves
                                || matches!(group.transform, super::tree::GroupTransform::Posed(_)),
                            ..around
                        };
                        self.list_in(&group.children, inside, items);
                    }
                }
                RenderKind::Visible { slot, children } => {
                    let order = around.order + self.values.orders[*slot];
                    let changed = around.changed || self.values.visible.changed[*slot];
                    match self.values.visible.now[*slot] {
                        None => {}
                        Some(None) => {
                            self.list_in(
                                children,
                                Inherited { changed, moves: true, order, ..around },
                                items,
                            );
                        }
                        Some(Some(_)) => items.push(RenderItem { order, ..item(true) }),
                    }
                }
                _ => items.push(item(node.moves)),
            }
        }
    }

    pub(crate) fn children(
        &mut self,
        children: &[usize],
        context: Context,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        if !self.values.ordered {
            return children.iter().try_for_each(|at| self.node(*at, context, ts, painter));
        }
        let mut items = Vec::new();
        self.list(children, ts, &mut items);
        items.iter().try_for_each(|item| self.node(item.node, context, item.ts, painter))
    }

    pub(crate) fn node(
        &mut self,
        at: usize,
        context: Context,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        let tree = self.tree;
        match &tree.nodes[at].kind {
            RenderKind::Group(group) => {
                let Some(own) = self.values.group_transform(group.transform) else { return Ok(()) };
                let ts = ts.pre_concat(own);
                match group.layer {
                    None => self.children(&group.children, context, ts, painter),
                    Some(layer) => {
                        let boxes = self.measure().group(at, group)?;
                        self.layer(Some(at), &group.children, layer, boxes, context, ts, painter)
                    }
                }
            }
            RenderKind::Visible { slot, children } => match self.values.visible.now[*slot] {
                None => Ok(()),
                // So near to solid that a number of single precision does not tell.
                Some(None | Some(1.0)) => self.children(children, context, ts, painter),
                Some(Some(opacity)) => {
                    let layer = Layer { opacity, blend: BlendMode::SourceOver, clip: None, mask: None };
                    let boxes = self.measure().fading(children)?;
                    self.layer(Some(at), children, layer, boxes, context, ts, painter)
                }
            },
            RenderKind::Shape(shape) => self.shape(at, shape, context, ts, painter),
            RenderKind::Picture(k) => self.picture(*k, ts, painter),
            RenderKind::Filtered(k) => self.filtered(*k, context, ts, painter),
        }
    }

    fn shape(
        &mut self,
        at: usize,
        shape: &Shape,
        context: Context,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        if !shape.visible {
            return Ok(());
        }
        let over = BlendMode::SourceOver;
        if shape.stroke_first {
            self.stroke(at, shape, context, ts, painter)?;
            self.fill(at, shape, over, context, ts, painter)
        } else {
            self.fill(at, shape, over, context, ts, painter)?;
            self.stroke(at, shape, context, ts, painter)
        }
    }

    pub(crate) fn fill(
        &mut self,
        at: usize,
        shape: &Shape,
        blend: BlendMode,
        context: Context,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        let Some((paint, rule)) = &shape.fill else { return Ok(()) };
        let values = self.values;
        let path = values.outline_of(&shape.outline).filter(|path| has_area(path));
        let Some(path) = path else { return Ok(()) };
        let mut record = self.cache.coverage.take(at, ShapePart::Fill);
        let draw = |paint: &Paint<'_>| painter.fill(path, *rule, paint, ts, &mut record);
        let painted = self.painted(paint, shape, blend, context, ts, draw);
        self.cache.coverage.put(at, ShapePart::Fill, record);
        painted
    }

    fn stroke(
        &mut self,
        at: usize,
        shape: &Shape,
        context: Context,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        let Some((paint, line)) = &shape.stroke else { return Ok(()) };
        let values = self.values;
        let Some(path) = values.outline_of(&shape.outline) else { return Ok(()) };
        let Some(stroke) = values.stroke(line) else { return Ok(()) };
        let mut record = self.cache.coverage.take(at, ShapePart::Stroke);
        let draw = |paint: &Paint<'_>| painter.stroke(path, &stroke, paint, ts, &mut record);
        let painted = self.painted(paint, shape, BlendMode::SourceOver, context, ts, draw);
        self.cache.coverage.put(at, ShapePart::Stroke, record);
        painted
    }

    fn painted(
        &mut self,
        paint: &ShapePaint,
        shape: &Shape,
        blend: BlendMode,
        context: Context,
        ts: Transform,
        draw: impl FnOnce(&Paint<'_>),
    ) -> Result<(), Unsupported> {
        let tile = self.tile(paint, context, ts)?;
        if let Some(shader) = self.shader(paint, tile.as_ref()) {
            draw(&Paint { shader, blend, anti_alias: shape.anti_alias });
        }
        self.keep_tile(paint, tile);
        Ok(())
    }

    /// A group that is drawn on its own before it comes onto what is behind it.
    #[allow(clippy::too_many_arguments, reason = "a layer is all of this")]
    fn layer(
        &mut self,
        at: Option<usize>,
        children: &[usize],
        layer: Layer,
        boxes: Boxes,
        context: Context,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        let Some(place) = layer_place(boxes, context, ts) else { return Ok(()) };
        let kept = at.and_then(|at| self.cache.take_layer(at, ts, context.bounds));
        let drawn = match kept {
            Some(kept) => kept,
            None => {
                let Some(mut own) = self.cache.pixmap(place.width(), place.height()) else {
                    return Ok(());
                };
                let inside = shifted(place, ts);
                self.on(&mut own, Backdrop::Clear, |draw, painter| {
                    draw.children(children, context, inside, painter)
                })?;
                if let Some(clip) = layer.clip {
                    self.clip(clip, context, inside, &mut own)?;
                }
                if let Some(mask) = layer.mask {
                    self.mask(mask, context, inside, &mut own)?;
                }
                KeptLayer { transform: ts, bounds: context.bounds, at: place, pixmap: own }
            }
        };
        painter.layer(&drawn.pixmap, drawn.at, layer.opacity, layer.blend);
        self.cache.put_layer(at, drawn);
        Ok(())
    }
}

/// Where the layer of a group without filters lies.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as resvg does")]
fn layer_place(boxes: Boxes, context: Context, ts: Transform) -> Option<IntRect> {
    let bounds = context.bounds.to_rect().transform(Transform::identity())?.round_out()?;
    let cover = boxes.layer.transform(ts)?;
    // Two pixels on each side for what is antialiased.
    let place = IntRect::from_xywh(
        (cover.x().floor() as i32).checked_sub(2)?,
        (cover.y().floor() as i32).checked_sub(2)?,
        (cover.width().ceil() as u32).checked_add(4)?,
        (cover.height().ceil() as u32).checked_add(4)?,
    )?;
    IntRect::from_ltrb(
        place.left().max(bounds.left()),
        place.top().max(bounds.top()),
        place.right().min(bounds.right()),
        place.bottom().min(bounds.bottom()),
    )
}

/// The transform within a layer.
#[allow(clippy::cast_precision_loss, reason = "as resvg does")]
fn shifted(place: IntRect, ts: Transform) -> Transform {
    Transform::from_translate(-(place.x() as f32), -(place.y() as f32)).pre_concat(ts)
}
