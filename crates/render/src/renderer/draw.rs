//! Draws a frame of a render tree: nodes, shapes, layers, clip paths, masks, and groups with filters. Each
//! step equals that of resvg 0.49, so no pixel differs. The depth of the tree is bounded when it is built.

use bone_drawing::ColorMap;
use bone_raster::{Backdrop, Paint, Painter, Shader, clip_out, composite_over, has_area, inked, mask_by};
use tiny_skia::{
    BlendMode, Color, FillRule, IntRect, Mask, NonZeroRect, PathBuilder, Pixmap, PixmapMut, PixmapPaint,
    Rect, Transform,
};

use super::boxes::Measure;
use super::cache::{Cache, KeptLayer};
use super::coverage::ShapePart;
use super::filter;
use super::filtered::CachedPicture;
use super::images::render_in;
use super::shaders::{TileScale, laid_out, repainted, shader};
use super::tree::{
    Boxes, Clip, GroupTransform, Layer, PaintSource, PaintTransform, RenderKind, RenderTree, Shape,
    ShapePaint, Tile,
};
use super::values::{Unsupported, Values};
use crate::range;

/// The constants of one picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawContext {
    /// Nothing is drawn outside of these bounds, in the picture's pixels.
    pub(crate) bounds: IntRect,
    /// The size of the frame.
    pub(crate) frame: (u32, u32),
}

/// Draws one frame.
pub(crate) struct FrameRenderer<'a> {
    pub(crate) tree: &'a RenderTree,
    pub(crate) values: &'a Values,
    pub(crate) cache: &'a mut Cache,
    /// Whether gradients are dithered.
    pub(crate) dither: bool,
}

/// One item of the draw order: a shape, an image or a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenderItem {
    pub(crate) node: usize,
    pub(crate) ts: Transform,
    /// Whether it or a group around it changed since the last frame.
    pub(crate) changed: bool,
    /// Whether it or anything around it can change.
    pub(crate) moves: bool,
    order: f64,
}

/// The state that a node inherits from the groups around it.
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

    /// Draws on pixels.
    pub(crate) fn on(
        &mut self,
        pixmap: &mut Pixmap,
        behind: Backdrop,
        draw: impl FnOnce(&mut Self, &mut Painter<'_>) -> Result<(), Unsupported>,
    ) -> Result<(), Unsupported> {
        self.over(pixmap.as_mut(), behind, draw)
    }

    /// Draws on pixels.
    pub(crate) fn over(
        &mut self,
        pixmap: PixmapMut<'_>,
        behind: Backdrop,
        draw: impl FnOnce(&mut Self, &mut Painter<'_>) -> Result<(), Unsupported>,
    ) -> Result<(), Unsupported> {
        // Each depth of layers reuses the filler that it used before.
        let filler = self.cache.fillers.pop().unwrap_or_default();
        let mut painter = Painter::on(pixmap, behind, filler);
        painter.dither = self.dither;
        let drawn = draw(self, &mut painter);
        self.cache.fillers.push(painter.finish());
        drawn
    }

    /// Lists the draw items of a group, back to front: groups that are not isolated are
    /// expanded.
    pub(crate) fn list(&self, children: &[usize], ts: Transform, items: &mut Vec<RenderItem>) {
        let around = Inherited { ts, changed: false, moves: false, order: 0.0 };
        self.list_in(children, around, items);
        let sorted = items.windows(2).all(|pair| pair[0].order <= pair[1].order);
        if !sorted {
            // Stable: equal orders keep the order of the drawing.
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
                            moves: around.moves || matches!(group.transform, GroupTransform::Posed(_)),
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
        context: DrawContext,
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
        context: DrawContext,
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
                // An opacity that rounds to 1 in single precision.
                Some(None | Some(1.0)) => self.children(children, context, ts, painter),
                Some(Some(opacity)) => {
                    let blend = BlendMode::SourceOver;
                    let layer = Layer { opacity, blend, clip: None, mask: None, filters: None };
                    let boxes = self.measure().fading(children)?;
                    self.layer(Some(at), children, layer, boxes, context, ts, painter)
                }
            },
            RenderKind::Shape(shape) => self.shape(shape, context, ts, painter),
            RenderKind::Picture(k, tint) => {
                let tint = tint.and_then(|slot| self.values.tints.now.get(slot).copied());
                self.picture(*k, tint.unwrap_or_default(), ts, painter)
            }
            RenderKind::Filtered(k) => self.filtered(*k, context, ts, painter),
        }
    }

    fn shape(
        &mut self,
        shape: &Shape,
        context: DrawContext,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        if !shape.visible {
            return Ok(());
        }
        let over = BlendMode::SourceOver;
        if shape.stroke_first {
            self.stroke(shape, context, ts, painter)?;
            self.fill(shape, over, context, ts, painter)
        } else {
            self.fill(shape, over, context, ts, painter)?;
            self.stroke(shape, context, ts, painter)
        }
    }

    pub(crate) fn fill(
        &mut self,
        shape: &Shape,
        blend: BlendMode,
        context: DrawContext,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        let Some((paint, rule)) = &shape.fill else { return Ok(()) };
        let values = self.values;
        let path = values.outline_of(&shape.outline).filter(|path| has_area(path));
        let Some(path) = path else { return Ok(()) };
        let mut cached = self.cache.coverage.take(shape.index, ShapePart::Fill);
        let draw = |paint: &Paint<'_>| painter.fill(path, *rule, paint, ts, &mut cached);
        let look = repainted(paint, values.paints(shape).map(|[fill, _]| fill), values);
        let paint = look.as_ref().unwrap_or(paint);
        let painted = self.painted(paint, shape, blend, context, ts, draw);
        self.cache.coverage.put(shape.index, ShapePart::Fill, cached);
        painted
    }

    fn stroke(
        &mut self,
        shape: &Shape,
        context: DrawContext,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        let Some((paint, line)) = shape.stroke.as_deref() else { return Ok(()) };
        let values = self.values;
        let Some(path) = values.outline_of(&shape.outline) else { return Ok(()) };
        let Some(stroke) = values.stroke(line) else { return Ok(()) };
        let mut cached = self.cache.coverage.take(shape.index, ShapePart::Stroke);
        let draw = |paint: &Paint<'_>| painter.stroke(path, &stroke, paint, ts, &mut cached);
        let look = repainted(paint, values.paints(shape).map(|[_, stroke]| stroke), values);
        let paint = look.as_ref().unwrap_or(paint);
        let painted = self.painted(paint, shape, BlendMode::SourceOver, context, ts, draw);
        self.cache.coverage.put(shape.index, ShapePart::Stroke, cached);
        painted
    }

    fn painted(
        &mut self,
        paint: &ShapePaint,
        shape: &Shape,
        blend: BlendMode,
        context: DrawContext,
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

    /// Draws an isolated group: a layer that is then composited.
    #[allow(clippy::too_many_arguments, reason = "a layer is all of this")]
    fn layer(
        &mut self,
        at: Option<usize>,
        children: &[usize],
        layer: Layer,
        boxes: Boxes,
        context: DrawContext,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        let (turn, placed) = match layer.filters {
            None => (Transform::identity(), layer_place(boxes, context, ts)),
            Some(_) => {
                let Some(turn) = turn(ts) else { return Ok(()) };
                (turn, filter_place(boxes, context, ts, turn))
            }
        };
        let Some(Placed { place, cover, context: inner, ts: straight }) = placed else { return Ok(()) };
        let kept = at.and_then(|at| self.cache.take_layer(at, ts, context.bounds));
        let drawn = match kept {
            Some(kept) => kept,
            None => {
                let Some(mut own) = self.cache.pixmap(place.width(), place.height()) else {
                    return Ok(());
                };
                let inside = shifted(place, cover, straight);
                self.on(&mut own, Backdrop::Clear, |draw, painter| {
                    draw.children(children, inner, inside, painter)
                })?;
                if let Some(filters) = layer.filters {
                    for filter in &self.tree.filters[filters].filters {
                        filter::apply(filter, self.values, inside, &mut own);
                    }
                }
                if let Some(clip) = layer.clip {
                    self.clip(clip, inner, inside, &mut own)?;
                }
                if let Some(mask) = layer.mask {
                    self.mask(mask, inner, inside, &mut own)?;
                }
                Box::new(KeptLayer { transform: ts, bounds: context.bounds, at: place, pixmap: own })
            }
        };
        if turn.is_identity() {
            painter.layer(&drawn.pixmap, drawn.at, layer.opacity, layer.blend);
        } else {
            painter.turned_layer(&drawn.pixmap, drawn.at, layer.opacity, layer.blend, turn);
        }
        self.cache.put_layer(at, drawn);
        Ok(())
    }

    /// The tile of a pattern, if it is one, with the transform that lays it out.
    pub(crate) fn tile(
        &mut self,
        paint: &ShapePaint,
        context: DrawContext,
        ts: Transform,
    ) -> Result<Option<(f32, f32, Pixmap, Transform)>, Unsupported> {
        let PaintSource::Tile(k) = paint.source else { return Ok(None) };
        let tree = self.tree;
        let Tile { rect, place, children } = &tree.tiles[k];
        let own = self.values.paint_transform(*place);
        let TileScale { sx, sy, size } = TileScale::new(*rect, own, ts)?;
        let kept = self.cache.tiles[k].take();
        let same =
            |(x, y, _): &(f32, f32, Pixmap)| x.to_bits() == sx.to_bits() && y.to_bits() == sy.to_bits();
        let is_still = !children.iter().any(|at| self.cache.dirty[*at]);
        let pixmap = match kept.filter(|kept| is_still && same(kept)) {
            Some((_, _, pixmap)) => pixmap,
            None => {
                let Some(mut pixmap) = size.and_then(|size| Pixmap::new(size.width(), size.height())) else {
                    return Ok(None);
                };
                self.on(&mut pixmap, Backdrop::Clear, |draw, painter| {
                    draw.children(children, context, Transform::from_scale(sx, sy), painter)
                })?;
                pixmap
            }
        };
        Ok(Some((sx, sy, pixmap, laid_out(*rect, own, (sx, sy)))))
    }

    /// Keeps a tile for the next time.
    pub(crate) fn keep_tile(&mut self, paint: &ShapePaint, tile: Option<(f32, f32, Pixmap, Transform)>) {
        if let (PaintSource::Tile(k), Some((sx, sy, pixmap, _))) = (&paint.source, tile) {
            self.cache.tiles[*k] = Some((sx, sy, pixmap));
        }
    }

    /// The shader of a paint. None if it paints nothing.
    pub(crate) fn shader<'s>(
        &self,
        paint: &'s ShapePaint,
        tile: Option<&'s (f32, f32, Pixmap, Transform)>,
    ) -> Option<Shader<'s>> {
        let place = |place: PaintTransform| self.values.paint_transform(place);
        shader(&paint.source, paint.opacity, place, tile.map(|(_, _, pixmap, laid)| (pixmap, *laid)))
    }

    /// Clips a layer to a clip path.
    pub(crate) fn clip(
        &mut self,
        clip: usize,
        context: DrawContext,
        ts: Transform,
        pixmap: &mut Pixmap,
    ) -> Result<(), Unsupported> {
        let tree = self.tree;
        let Clip { transform, clip, children, .. } = &tree.clips[clip];
        let mut around = self.cache.pixmap(pixmap.width(), pixmap.height()).ok_or(Unsupported)?;
        let inside = ts.pre_concat(*transform);
        self.on(&mut around, Backdrop::Color(Color::BLACK), |draw, painter| {
            draw.clip_children(children, BlendMode::Clear, context, inside, painter)
        })?;
        if let Some(clip) = clip {
            self.clip(*clip, context, ts, pixmap)?;
        }
        clip_out(pixmap, &around);
        self.cache.give(around);
        Ok(())
    }

    fn clip_children(
        &mut self,
        children: &[usize],
        mode: BlendMode,
        context: DrawContext,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        let tree = self.tree;
        for at in children {
            match &tree.nodes[*at].kind {
                RenderKind::Shape(shape) if shape.visible => self.fill(shape, mode, context, ts, painter)?,
                RenderKind::Group(group) => {
                    let Some(own) = self.values.group_transform(group.transform) else { continue };
                    let ts = ts.pre_concat(own);
                    match group.layer.and_then(|layer| layer.clip) {
                        Some(clip) => self.clip_group(&group.children, clip, context, ts, painter)?,
                        None => self.clip_children(&group.children, mode, context, ts, painter)?,
                    }
                }
                RenderKind::Shape(_) | RenderKind::Picture(..) => {}
                // A clip path has no filters, and no slot of a visibility.
                RenderKind::Visible { .. } | RenderKind::Filtered(_) => return Err(Unsupported),
            }
        }
        Ok(())
    }

    /// A clipped group within a clip path is drawn as a layer first.
    fn clip_group(
        &mut self,
        children: &[usize],
        clip: usize,
        context: DrawContext,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        let (width, height) = painter.size();
        let mut own = self.cache.pixmap(width, height).ok_or(Unsupported)?;
        self.on(&mut own, Backdrop::Clear, |draw, painter| {
            draw.clip_children(children, BlendMode::SourceOver, context, ts, painter)
        })?;
        self.clip(clip, context, ts, &mut own)?;
        let paint = PixmapPaint { blend_mode: BlendMode::Xor, ..PixmapPaint::default() };
        painter.pixels().draw_pixmap(0, 0, own.as_ref(), &paint, Transform::identity(), None);
        self.cache.give(own);
        Ok(())
    }

    /// Applies a mask to a layer.
    pub(crate) fn mask(
        &mut self,
        mask: usize,
        context: DrawContext,
        ts: Transform,
        pixmap: &mut Pixmap,
    ) -> Result<(), Unsupported> {
        let tree = self.tree;
        let mask = &tree.masks[mask];
        if mask.children.is_empty() {
            pixmap.fill(Color::TRANSPARENT);
            return Ok(());
        }
        let rect = mask.slot.and_then(|k| self.values.masks.now[k]).unwrap_or(mask.rect);
        let mut shown = self.cache.pixmap(pixmap.width(), pixmap.height()).ok_or(Unsupported)?;
        self.on(&mut shown, Backdrop::Clear, |draw, painter| {
            draw.children(&mask.children, context, ts, painter)
        })?;
        let size = (pixmap.width(), pixmap.height());
        if !covers(rect, ts, size) {
            let region = region(size, rect, ts)?;
            shown.apply_mask(&region);
            self.cache.give_mask(region);
        }
        if let Some(mask) = mask.mask {
            self.mask(mask, context, ts, pixmap)?;
        }
        mask_by(pixmap, &shown, mask.kind);
        self.cache.give(shown);
        Ok(())
    }

    pub(crate) fn picture(
        &mut self,
        k: usize,
        tint: ColorMap,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        let tree = self.tree;
        tree.pictures[k].draw(&tint, ts, painter, self.cache)
    }

    /// A group that resvg draws. It bounds filters by the size of the picture that it draws into, but the
    /// frame's size is needed.
    pub(crate) fn filtered(
        &mut self,
        k: usize,
        context: DrawContext,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        self.cache.by_resvg += 1;
        let size = painter.size();
        let pixmap = painter.pixels();
        let Some(tree) = self.cache.filtered[k].tree() else { return Ok(()) };
        let covers = self.cache.filtered[k].covers.and_then(|covers| covers.transform(ts));
        let is_bounded_by = |bounds: Option<IntRect>| {
            covers.zip(bounds).is_some_and(|(covers, bounds)| is_well_within(covers, bounds))
        };
        let anyhow = is_bounded_by(Some(context.bounds));
        if size == context.frame && self.cache.may_keep(k) && self.cache.filtered[k].lies_flat(ts) {
            return self.kept(k, ts, pixmap);
        }
        if size == context.frame || anyhow && is_bounded_by(bounds(size)) {
            return if range::draw(tree, ts, pixmap) { Ok(()) } else { Err(Unsupported) };
        }
        let large = (size.0.max(context.frame.0), size.1.max(context.frame.1));
        if !anyhow && large != context.frame {
            return Err(Unsupported);
        }
        let mut own = self.cache.pixmap(large.0, large.1).ok_or(Unsupported)?;
        if let Some(tree) = self.cache.filtered[k].tree()
            && !render_in(tree, ts, &mut own, pixmap)
        {
            return Err(Unsupported);
        }
        self.cache.give(own);
        Ok(())
    }

    /// A group that resvg draws, and that did not change since the last frame: its picture is drawn once.
    fn kept(&mut self, k: usize, ts: Transform, pixmap: &mut PixmapMut<'_>) -> Result<(), Unsupported> {
        let frame = (pixmap.width(), pixmap.height());
        let fits = |kept: &CachedPicture| kept.transform == ts && kept.frame == frame;
        if !self.cache.filtered[k].picture.as_ref().is_some_and(fits) {
            let mut own = self.cache.pixmap(frame.0, frame.1).ok_or(Unsupported)?;
            if let Some(tree) = self.cache.filtered[k].tree()
                && !range::draw(tree, ts, &mut own.as_mut())
            {
                return Err(Unsupported);
            }
            let picture = inked(&own).and_then(|at| {
                let pixmap = own.as_ref().clone_rect(at)?;
                Some(CachedPicture { transform: ts, frame, at, pixmap })
            });
            self.cache.give(own);
            self.cache.pictures += picture.as_ref().map_or(0, |kept| kept.pixmap.data().len());
            self.cache.filtered[k].picture = picture;
        }
        if let Some(kept) = &self.cache.filtered[k].picture {
            composite_over(&kept.pixmap, kept.at, 1.0, pixmap);
        }
        Ok(())
    }
}

/// Where a layer lies.
struct Placed {
    place: IntRect,
    /// The box that it is made for.
    cover: NonZeroRect,
    /// The bounds of what is in it.
    context: DrawContext,
    /// From the group to the picture, before it is moved to its place and turned.
    ts: Transform,
}

/// The turn of a transform without its scale: layers with filters are drawn straight, and turned afterwards.
#[allow(clippy::disallowed_methods, reason = "as resvg does")]
fn turn(ts: Transform) -> Option<Transform> {
    let (across, down) = (ts.sx.hypot(ts.ky), ts.kx.hypot(ts.sy));
    let turn = Transform::from_row(ts.sx / across, ts.ky / across, ts.kx / down, ts.sy / down, 0.0, 0.0);
    turn.is_valid().then_some(turn)
}

/// Where the layer of a group with filters lies: on the region of the filters.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as resvg does")]
fn filter_place(boxes: Boxes, context: DrawContext, ts: Transform, turn: Transform) -> Option<Placed> {
    let back = turn.invert()?;
    let bounds = context.bounds.to_rect().transform(back)?.round_out()?;
    let ts = back.pre_concat(ts);
    let cover = boxes.layer.transform(ts)?;
    let place = IntRect::from_xywh(
        cover.x().floor() as i32,
        cover.y().floor() as i32,
        cover.width().ceil().max(1.0) as u32,
        cover.height().ceil().max(1.0) as u32,
    )?;
    Some(Placed {
        place: filter::fit_to(place, bounds)?,
        cover,
        context: DrawContext { bounds, ..context },
        ts,
    })
}

/// Where the layer of a group without filters lies.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as resvg does")]
fn layer_place(boxes: Boxes, context: DrawContext, ts: Transform) -> Option<Placed> {
    let bounds = context.bounds.to_rect().transform(Transform::identity())?.round_out()?;
    let cover = boxes.layer.transform(ts)?;
    // Two pixels on each side for what is antialiased.
    let place = IntRect::from_xywh(
        (cover.x().floor() as i32).checked_sub(2)?,
        (cover.y().floor() as i32).checked_sub(2)?,
        (cover.width().ceil() as u32).checked_add(4)?,
        (cover.height().ceil() as u32).checked_add(4)?,
    )?;
    Some(Placed {
        place: filter::fit_to(place, bounds)?,
        cover,
        context: DrawContext { bounds, ..context },
        ts,
    })
}

/// The transform within a layer. The corner is computed from the box as resvg does: near the frame's own
/// corner it is a last digit beside the whole number, which decides on samples that lie on an edge.
#[allow(clippy::cast_precision_loss, reason = "as resvg does")]
fn shifted(place: IntRect, cover: NonZeroRect, ts: Transform) -> Transform {
    let corner = |cover: f32, place: i32| cover - (cover - place as f32);
    let (x, y) = (corner(cover.x(), place.x()), corner(cover.y(), place.y()));
    Transform::from_translate(-x, -y).pre_concat(ts)
}

/// Whether a region covers a layer as a whole.
#[allow(clippy::cast_precision_loss, reason = "layers are far smaller than 2^24 pixels")]
fn covers(rect: NonZeroRect, ts: Transform, (width, height): (u32, u32)) -> bool {
    let straight = ts.kx == 0.0 && ts.ky == 0.0;
    straight
        && rect.transform(ts).is_some_and(|rect| {
            let begins = rect.left() <= 0.0 && rect.top() <= 0.0;
            begins && rect.right() >= width as f32 && rect.bottom() >= height as f32
        })
}

/// The region of a mask as a mask of pixels.
pub(crate) fn region(size: (u32, u32), rect: NonZeroRect, ts: Transform) -> Result<Mask, Unsupported> {
    let mut region = Mask::new(size.0, size.1).ok_or(Unsupported)?;
    region.fill_path(&PathBuilder::from_rect(rect.to_rect()), FillRule::Winding, true, ts);
    Ok(region)
}

/// Whether a rectangle is so far inside of the bounds that they have no effect.
#[allow(clippy::cast_precision_loss, reason = "what is near the ends is not within")]
fn is_well_within(rect: Rect, bounds: IntRect) -> bool {
    const MARGIN: f32 = 8.0;
    let [left, top] = [bounds.left() as f32 + MARGIN, bounds.top() as f32 + MARGIN];
    let [right, bottom] = [bounds.right() as f32 - MARGIN, bounds.bottom() as f32 - MARGIN];
    rect.left() > left && rect.top() > top && rect.right() < right && rect.bottom() < bottom
}

/// The bounds of what is drawn, as in resvg: the frame with twice its size on each side.
pub(crate) fn bounds((width, height): (u32, u32)) -> Option<IntRect> {
    let twice = |n: u32| i32::try_from(n).unwrap_or(i32::MAX).saturating_mul(-2);
    IntRect::from_xywh(twice(width), twice(height), width.saturating_mul(5), height.saturating_mul(5))
        .or_else(|| IntRect::from_ltrb(i32::MIN / 2, i32::MIN / 2, i32::MAX / 2, i32::MAX / 2))
}
