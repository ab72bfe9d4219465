//! Clip paths and masks of layers.
//! Each step is that of resvg 0.49, so that no pixel differs.

use tiny_skia::{BlendMode, Color, FillRule, Mask, NonZeroRect, PathBuilder, Pixmap, PixmapPaint, Transform};

use super::blend::clip_out;
use super::draw::{Context, FrameRenderer};
use super::painter::{Backdrop, Painter};
use super::tree::{Clip, RenderKind};
use super::values::Unsupported;

impl FrameRenderer<'_> {
    /// Leaves of a layer what is within a clip path.
    pub(crate) fn clip(
        &mut self,
        clip: usize,
        context: Context,
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
        context: Context,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        let tree = self.tree;
        for at in children {
            match &tree.nodes[*at].kind {
                RenderKind::Shape(shape) if shape.visible => {
                    self.fill(*at, shape, mode, context, ts, painter)?
                }
                RenderKind::Group(group) => {
                    let Some(own) = self.values.group_transform(group.transform) else { continue };
                    let ts = ts.pre_concat(own);
                    match group.layer.and_then(|layer| layer.clip) {
                        Some(clip) => self.clip_group(&group.children, clip, context, ts, painter)?,
                        None => self.clip_children(&group.children, mode, context, ts, painter)?,
                    }
                }
                RenderKind::Shape(_) | RenderKind::Picture(_) => {}
                // Nothing within a clip path is hidden by a frame or filtered.
                RenderKind::Visible { .. } | RenderKind::Filtered(_) => return Err(Unsupported),
            }
        }
        Ok(())
    }

    /// What is clipped within a clip path is drawn on its own first.
    fn clip_group(
        &mut self,
        children: &[usize],
        clip: usize,
        context: Context,
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

    /// Leaves of a layer what a mask shows.
    pub(crate) fn mask(
        &mut self,
        mask: usize,
        context: Context,
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
        let region = region((pixmap.width(), pixmap.height()), rect, ts)?;
        self.on(&mut shown, Backdrop::Clear, |draw, painter| {
            draw.children(&mask.children, context, ts, painter)
        })?;
        shown.apply_mask(&region);
        self.cache.give_mask(region);
        if let Some(mask) = mask.mask {
            self.mask(mask, context, ts, pixmap)?;
        }
        let seen = Mask::from_pixmap(shown.as_ref(), mask.kind);
        pixmap.apply_mask(&seen);
        self.cache.give(shown);
        self.cache.give_mask(seen);
        Ok(())
    }
}

/// What of a picture is in the region of a mask.
pub(crate) fn region(size: (u32, u32), rect: NonZeroRect, ts: Transform) -> Result<Mask, Unsupported> {
    let mut region = Mask::new(size.0, size.1).ok_or(Unsupported)?;
    region.fill_path(&PathBuilder::from_rect(rect.to_rect()), FillRule::Winding, true, ts);
    Ok(region)
}
