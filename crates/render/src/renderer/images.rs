//! Images, and the groups with filters, which resvg draws.
//! Each step is that of resvg 0.49, so that no pixel differs; an image is unpacked once.

use std::borrow::Cow;
use std::sync::OnceLock;

use drawing::{ImageFormat, Sampling};
use tiny_skia::{FilterQuality, IntRect, Pixmap, PixmapMut, PixmapPaint, Rect, Transform};

use super::blend::composite_over;
use super::cache::Cache;
use super::draw::{Context, FrameRenderer};
use super::filtered;
use super::painter::Painter;
use super::tree::RenderImage;
use super::values::Unsupported;
use crate::compose::data_url_of;
use crate::number::as_read;
use crate::svg::write::image_rendering;
use crate::svg::{MissingResources, Resources, SvgInput, parse};

impl RenderImage {
    /// An image whose pixels are kept once they are unpacked, or not. None if it has no size.
    pub(crate) fn new(image: &drawing::Image, keeps: bool) -> Option<Self> {
        let covers = Rect::from_xywh(0.0, 0.0, as_read(image.size.width), as_read(image.size.height))?;
        let (pixels, vector) = (OnceLock::new(), OnceLock::new());
        Some(Self { image: image.clone(), covers, keeps, pixels, vector })
    }

    /// The pixels of an image, as resvg unpacks it.
    fn pixels(&self) -> Option<Cow<'_, Pixmap>> {
        match self.keeps {
            true => self.pixels.get_or_init(|| self.unpack()).as_ref().map(Cow::Borrowed),
            false => self.unpack().map(Cow::Owned),
        }
    }

    /// Drawn by resvg in its own size, pixel on pixel.
    fn unpack(&self) -> Option<Pixmap> {
        let tree = self.tree(Sampling::Quality)?;
        let size = tree.size().to_int_size();
        let mut pixmap = Pixmap::new(size.width(), size.height())?;
        let node = image_in(tree.root())?;
        // resvg draws a single node from where it begins.
        let begin = node.abs_layer_bounding_box()?;
        let there = Transform::from_translate(begin.x(), begin.y());
        resvg::render_node(node, there, &mut pixmap.as_mut())?;
        Some(pixmap)
    }

    /// Draws the image.
    pub(crate) fn draw(
        &self,
        ts: Transform,
        painter: &mut Painter<'_>,
        cache: &mut Cache,
    ) -> Result<(), Unsupported> {
        if !self.image.visible {
            return Ok(());
        }
        if self.image.data.format == ImageFormat::Svg {
            let Some(tree) = self.vector() else { return Ok(()) };
            let (width, height) = painter.size();
            let mut own = cache.pixmap(width, height).ok_or(Unsupported)?;
            resvg::render(tree, ts, &mut own.as_mut());
            let paint = PixmapPaint::default();
            painter.pixels().draw_pixmap(0, 0, own.as_ref(), &paint, Transform::default(), None);
            cache.give(own);
            return Ok(());
        }
        let Some(pixels) = self.pixels() else { return Ok(()) };
        let quality = match self.image.sampling {
            Sampling::Quality | Sampling::HighQuality => FilterQuality::Bicubic,
            Sampling::Smooth => FilterQuality::Bilinear,
            Sampling::Speed | Sampling::Crisp | Sampling::Pixelated => FilterQuality::Nearest,
        };
        painter.image(&pixels, quality, ts);
        Ok(())
    }

    /// The drawing that the image is.
    fn vector(&self) -> Option<&usvg::Tree> {
        match image_in(self.sampled()?.root())? {
            usvg::Node::Image(image) => match image.kind() {
                usvg::ImageKind::SVG(vector) => Some(vector),
                _ => None,
            },
            _ => None,
        }
    }

    /// A drawing of the image alone, which is kept.
    pub(crate) fn sampled(&self) -> Option<&usvg::Tree> {
        let tree = self.vector.get_or_init(|| self.tree(self.image.sampling).map(Box::new));
        tree.as_deref()
    }

    /// A drawing of the image alone.
    fn tree(&self, sampling: Sampling) -> Option<usvg::Tree> {
        let (width, height) = (self.image.size.width, self.image.size.height);
        let size = format!("width=\"{width}\" height=\"{height}\"");
        let mut text = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" {size}><image {size}");
        text.push_str(image_rendering(sampling));
        text.push_str(" href=\"");
        data_url_of(self.image.data.format.media_type(), &self.image.data.bytes, &mut text);
        text.push_str("\"/></svg>");
        parse(SvgInput::Unparsed(&text), &Resources::none(), &MissingResources::default()).ok()
    }
}

/// The image in a drawing that holds nothing else.
fn image_in(group: &usvg::Group) -> Option<&usvg::Node> {
    group.children().iter().find_map(|node| match node {
        usvg::Node::Image(_) => Some(node),
        usvg::Node::Group(group) => image_in(group),
        usvg::Node::Path(_) | usvg::Node::Text(_) => None,
    })
}

impl FrameRenderer<'_> {
    pub(crate) fn picture(
        &mut self,
        k: usize,
        ts: Transform,
        painter: &mut Painter<'_>,
    ) -> Result<(), Unsupported> {
        let tree = self.tree;
        tree.pictures[k].draw(ts, painter, self.cache)
    }

    /// A group that resvg draws. It bounds what is filtered by the size of the picture that it draws into, where the frame's
    /// size is meant.
    pub(crate) fn filtered(
        &mut self,
        k: usize,
        context: Context,
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
        if size == context.frame || anyhow && is_bounded_by(super::bounds(size)) {
            resvg::render(tree, ts, pixmap);
            return Ok(());
        }
        let large = (size.0.max(context.frame.0), size.1.max(context.frame.1));
        if !anyhow && large != context.frame {
            return Err(Unsupported);
        }
        let mut own = self.cache.pixmap(large.0, large.1).ok_or(Unsupported)?;
        if let Some(tree) = self.cache.filtered[k].tree() {
            render_in(tree, ts, &mut own, pixmap);
        }
        self.cache.give(own);
        Ok(())
    }
}

impl FrameRenderer<'_> {
    /// A group that resvg draws, and that did not change since the last frame: drawn on its own once.
    fn kept(&mut self, k: usize, ts: Transform, pixmap: &mut PixmapMut<'_>) -> Result<(), Unsupported> {
        let frame = (pixmap.width(), pixmap.height());
        let fits = |kept: &filtered::CachedPicture| kept.transform == ts && kept.frame == frame;
        if !self.cache.filtered[k].picture.as_ref().is_some_and(fits) {
            let mut own = self.cache.pixmap(frame.0, frame.1).ok_or(Unsupported)?;
            if let Some(tree) = self.cache.filtered[k].tree() {
                resvg::render(tree, ts, &mut own.as_mut());
            }
            let picture = inked(&own).and_then(|at| {
                let pixmap = own.as_ref().clone_rect(at)?;
                Some(filtered::CachedPicture { transform: ts, frame, at, pixmap })
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

/// Has resvg draw onto a picture by way of a larger one, whose size bounds what is filtered.
pub(crate) fn render_in(tree: &usvg::Tree, ts: Transform, large: &mut Pixmap, pixmap: &mut PixmapMut<'_>) {
    copy(&pixmap.as_ref(), &mut large.as_mut());
    resvg::render(tree, ts, &mut large.as_mut());
    copy(&large.as_ref(), pixmap);
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
