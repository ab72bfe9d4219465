//! Images, and the groups that resvg draws.
//! Each step is that of resvg 0.49, so that no pixel differs; an image is unpacked once.

use std::borrow::Cow;

use tiny_skia::{FilterQuality, IntRect, Pixmap, PixmapMut, PixmapPaint, Rect, Transform};

use super::blend::over;
use super::foreign;
use super::painter::Painter;
use super::pen::{Context, Pen};
use super::plan::Picture;
use super::values::Whole;

impl Picture {
    /// The pixels of an image, as resvg unpacks it.
    fn pixels(&self) -> Option<Cow<'_, Pixmap>> {
        match self.keeps {
            true => self.pixels.get_or_init(|| self.unpack()).as_ref().map(Cow::Borrowed),
            false => self.unpack().map(Cow::Owned),
        }
    }

    /// Drawn by resvg in its own size, pixel on pixel.
    fn unpack(&self) -> Option<Pixmap> {
        let size = self.image.size().to_int_size();
        let mut pixmap = Pixmap::new(size.width(), size.height())?;
        let node = usvg::Node::Image(self.image.clone());
        // resvg draws a single node from where it begins.
        let begin = node.abs_layer_bounding_box()?;
        let there = Transform::from_translate(begin.x(), begin.y());
        resvg::render_node(&node, there, &mut pixmap.as_mut())?;
        Some(pixmap)
    }
}

impl Pen<'_> {
    pub(crate) fn picture(
        &mut self,
        k: usize,
        ts: Transform,
        painter: &mut dyn Painter,
    ) -> Result<(), Whole> {
        let plan = self.plan;
        let picture = &plan.pictures[k];
        if !picture.image.is_visible() {
            return Ok(());
        }
        if let usvg::ImageKind::SVG(tree) = picture.image.kind() {
            let (width, height) = painter.size();
            let mut own = self.memory.pixmap(width, height).ok_or(Whole)?;
            resvg::render(tree, ts, &mut own.as_mut());
            let paint = PixmapPaint::default();
            painter.pixels().draw_pixmap(0, 0, own.as_ref(), &paint, Transform::default(), None);
            self.memory.give(own);
            return Ok(());
        }
        let Some(pixels) = picture.pixels() else { return Ok(()) };
        let quality = match picture.image.rendering_mode() {
            usvg::ImageRendering::OptimizeQuality | usvg::ImageRendering::HighQuality => {
                FilterQuality::Bicubic
            }
            usvg::ImageRendering::Smooth => FilterQuality::Bilinear,
            usvg::ImageRendering::OptimizeSpeed
            | usvg::ImageRendering::CrispEdges
            | usvg::ImageRendering::Pixelated => FilterQuality::Nearest,
        };
        painter.image(&pixels, quality, ts);
        Ok(())
    }

    /// A group that resvg draws. It bounds what is filtered by the size of the picture that it draws into, where the frame's
    /// size is meant.
    pub(crate) fn foreign(
        &mut self,
        k: usize,
        context: Context,
        ts: Transform,
        painter: &mut dyn Painter,
    ) -> Result<(), Whole> {
        self.memory.by_resvg += 1;
        let size = painter.size();
        let pixmap = &mut painter.pixels().as_mut();
        let Some(tree) = self.memory.foreign[k].tree() else { return Ok(()) };
        let covers = self.memory.foreign[k].covers.and_then(|covers| covers.transform(ts));
        let is_bounded_by = |bounds: Option<IntRect>| {
            covers.zip(bounds).is_some_and(|(covers, bounds)| is_well_within(covers, bounds))
        };
        let anyhow = is_bounded_by(Some(context.bounds));
        if size == context.frame && self.memory.may_keep(k) && self.memory.foreign[k].lies_flat(ts) {
            return self.kept(k, ts, pixmap);
        }
        if size == context.frame || anyhow && is_bounded_by(super::bounds(size)) {
            resvg::render(tree, ts, pixmap);
            return Ok(());
        }
        let large = (size.0.max(context.frame.0), size.1.max(context.frame.1));
        if !anyhow && large != context.frame {
            return Err(Whole);
        }
        let mut own = self.memory.pixmap(large.0, large.1).ok_or(Whole)?;
        copy(&pixmap.as_ref(), &mut own.as_mut());
        if let Some(tree) = self.memory.foreign[k].tree() {
            resvg::render(tree, ts, &mut own.as_mut());
        }
        copy(&own.as_ref(), pixmap);
        self.memory.give(own);
        Ok(())
    }
}

impl Pen<'_> {
    /// A group that resvg draws, and that did not change since the last frame: drawn on its own once.
    fn kept(&mut self, k: usize, ts: Transform, pixmap: &mut PixmapMut<'_>) -> Result<(), Whole> {
        let frame = (pixmap.width(), pixmap.height());
        let fits = |kept: &foreign::Picture| kept.transform == ts && kept.frame == frame;
        if !self.memory.foreign[k].picture.as_ref().is_some_and(fits) {
            let mut own = self.memory.pixmap(frame.0, frame.1).ok_or(Whole)?;
            if let Some(tree) = self.memory.foreign[k].tree() {
                resvg::render(tree, ts, &mut own.as_mut());
            }
            let picture = inked(&own).and_then(|at| {
                let pixmap = own.as_ref().clone_rect(at)?;
                Some(foreign::Picture { transform: ts, frame, at, pixmap })
            });
            self.memory.give(own);
            self.memory.pictures += picture.as_ref().map_or(0, |kept| kept.pixmap.data().len());
            self.memory.foreign[k].picture = picture;
        }
        if let Some(kept) = &self.memory.foreign[k].picture {
            over(&kept.pixmap, kept.at, 1.0, pixmap);
        }
        Ok(())
    }
}

/// The smallest rectangle around all that is not clear.
fn inked(pixmap: &Pixmap) -> Option<IntRect> {
    let width = pixmap.width() as usize;
    let (mut left, mut right, mut top, mut bottom) = (width, 0, None, 0);
    for (y, row) in pixmap.data().chunks_exact(width * 4).enumerate() {
        let mut pixels = row.chunks_exact(4);
        let Some(first) = pixels.position(|pixel| pixel != [0; 4]) else { continue };
        let last = row.chunks_exact(4).rposition(|pixel| pixel != [0; 4]).unwrap_or(first);
        (left, right, bottom) = (left.min(first), right.max(last), y);
        top.get_or_insert(y);
    }
    let int = |n: usize| i32::try_from(n).ok();
    IntRect::from_ltrb(int(left)?, int(top?)?, int(right + 1)?, int(bottom + 1)?)
}

/// Whether something is so far from the ends of the bounds that they do not matter.
#[allow(clippy::cast_precision_loss, reason = "what is near the ends is not within")]
fn is_well_within(rect: Rect, bounds: IntRect) -> bool {
    const MARGIN: f32 = 8.0;
    let [left, top] = [bounds.left() as f32 + MARGIN, bounds.top() as f32 + MARGIN];
    let [right, bottom] = [bounds.right() as f32 - MARGIN, bounds.bottom() as f32 - MARGIN];
    rect.left() > left && rect.top() > top && rect.right() < right && rect.bottom() < bottom
}

/// Copies the upper left part that two pictures have in common.
fn copy(from: &tiny_skia::PixmapRef<'_>, to: &mut PixmapMut<'_>) {
    let (across, down) = (from.width() as usize, to.width() as usize);
    let shared = across.min(down);
    let rows = from.pixels().chunks_exact(across).zip(to.pixels_mut().chunks_exact_mut(down));
    for (from, to) in rows {
        to[..shared].copy_from_slice(&from[..shared]);
    }
}
