//! Images, decoded once, and resvg's drawing through a larger picture. Each step equals that of resvg 0.49,
//! so no pixel differs.

use std::borrow::Cow;
use std::sync::OnceLock;

use bone_drawing::{ColorMap, ImageFormat, PaintLook, Sampling};
use bone_raster::Painter;
use tiny_skia::{FilterQuality, Pixmap, PixmapMut, PixmapPaint, Rect, Transform};

use super::cache::Cache;
use super::tree::RenderImage;
use super::values::Unsupported;
use crate::compose::data_url_of;
use crate::number::as_read;
use crate::range;
use crate::svg::attributes::image_rendering;
use crate::svg::limits::MAX_IMAGE_PIXELS;
use crate::svg::{MissingResources, Resources, SvgInput, parse};

impl RenderImage {
    /// An image. With `keeps` its decoded pixels are kept. None if it has no size.
    pub(crate) fn new(image: &bone_drawing::Image, keeps: bool) -> Option<Self> {
        let covers = Rect::from_xywh(0.0, 0.0, as_read(image.size.width), as_read(image.size.height))?;
        let (pixels, vector) = (OnceLock::new(), OnceLock::new());
        Some(Self { image: image.clone(), covers, keeps, pixels, vector })
    }

    /// The pixels of an image, decoded by resvg.
    fn pixels(&self) -> Option<Cow<'_, Pixmap>> {
        match self.keeps {
            true => self.pixels.get_or_init(|| self.unpack()).as_ref().map(Cow::Borrowed),
            false => self.unpack().map(Cow::Owned),
        }
    }

    /// Drawn by resvg in its own size, pixel on pixel. None if that is more than a reader of drawings takes.
    fn unpack(&self) -> Option<Pixmap> {
        let tree = self.tree(Sampling::Quality)?;
        let size = tree.size().to_int_size();
        if u64::from(size.width()) * u64::from(size.height()) > MAX_IMAGE_PIXELS {
            return None;
        }
        let mut pixmap = Pixmap::new(size.width(), size.height())?;
        let node = image_in(tree.root())?;
        // resvg draws a single node from the corner of its box.
        let begin = node.abs_layer_bounding_box()?;
        let there = Transform::from_translate(begin.x(), begin.y());
        resvg::render_node(node, there, &mut pixmap.as_mut())?;
        Some(pixmap)
    }

    /// Draws the image.
    pub(crate) fn draw(
        &self,
        tint: &ColorMap,
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
            if !range::draw(tree, ts, &mut own.as_mut()) {
                return Err(Unsupported);
            }
            recolor(&mut own, tint);
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
        if tint.is_identity() {
            painter.image(&pixels, quality, ts);
            return Ok(());
        }
        let mut own = cache.pixmap(pixels.width(), pixels.height()).ok_or(Unsupported)?;
        own.data_mut().copy_from_slice(pixels.data());
        recolor(&mut own, tint);
        painter.image(&own, quality, ts);
        cache.give(own);
        Ok(())
    }

    /// The drawing of an SVG image.
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

/// Gives all pixels the colours that a map makes of theirs.
fn recolor(pixmap: &mut Pixmap, tint: &ColorMap) {
    if tint.is_identity() {
        return;
    }
    for pixel in pixmap.pixels_mut().iter_mut().filter(|pixel| pixel.alpha() > 0) {
        let own = pixel.demultiply();
        let color = tint.apply([own.red(), own.green(), own.blue()].map(f64::from));
        let [red, green, blue] = PaintLook { color, opacity: 1.0 }.rgb();
        *pixel = tiny_skia::ColorU8::from_rgba(red, green, blue, own.alpha()).premultiply();
    }
}

/// The image in a drawing with nothing else.
fn image_in(group: &usvg::Group) -> Option<&usvg::Node> {
    group.children().iter().find_map(|node| match node {
        usvg::Node::Image(_) => Some(node),
        usvg::Node::Group(group) => image_in(group),
        usvg::Node::Path(_) | usvg::Node::Text(_) => None,
    })
}

/// Draws with resvg onto a picture through a larger one, whose size bounds filters. False if it has numbers that
/// cannot be drawn.
pub(crate) fn render_in(
    tree: &usvg::Tree,
    ts: Transform,
    large: &mut Pixmap,
    pixmap: &mut PixmapMut<'_>,
) -> bool {
    copy(&pixmap.as_ref(), &mut large.as_mut());
    let drawn = range::draw(tree, ts, &mut large.as_mut());
    copy(&large.as_ref(), pixmap);
    drawn
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
