//! A [`PaintSink`] that draws at once, for callers that paint layers of their own or art that is in no
//! drawing. It has neither the last frame nor the next call, so each layer is as large as the picture and
//! nothing is reused from frame to frame. Edges in layers can differ from those of a
//! [`Renderer`](super::Renderer).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use drawing::{
    Brush, Content, FillCall, Image, ImageCall, ImageFormat, LayerCall, PaintSink, PosedClip, PosedMask,
    StrokeCall,
};
use kurbo::{Affine, Rect};
use tiny_skia::{BlendMode, Color, FillRule, Mask, Path, Pixmap, PixmapMut, PixmapPaint, Transform};

use super::blend::clip_out;
use super::build;
use super::cache::Cache;
use super::draw::region;
use super::images::render_in;
use super::paint::{Paint, Shader};
use super::painter::{Backdrop, Painter, has_area};
use super::shaders::{TileScale, gradient_source, laid_out, shader};
use super::tree::{PaintSource, PaintTransform, RenderImage};
use super::values::{Unsupported, pairs_of_dashes, read};
use crate::fill::CachedCoverage;
use crate::frame::FrameSize;
use crate::number::narrow;
use crate::number::{as_read, matrix_as_read};
use crate::range;
use crate::raster::RasterError;
use crate::svg::limits::MAX_DEPTH;
use crate::svg::write::write_node;
use crate::svg::{MissingResources, Resources, SvgInput, parse};

/// Paints onto the caller's memory, over its content: four bytes a pixel, red, green, blue and alpha, colours
/// multiplied by alpha.
///
/// ```
/// use drawing::{DrawingBuilder, Brush, BlendMode, FillCall, FillRule, Frame, NodeId, PaintSink, Shape};
/// use kurbo::{Affine, BezPath, Rect, Shape as _};
/// use render::{FrameSize, PixelSinkCache, PixelSink};
///
/// let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 4.0, 4.0));
/// builder.shape("square", Shape::filled(Rect::new(0.0, 0.0, 2.0, 4.0).to_path(0.1), [255, 0, 0]));
/// let drawing = builder.finish();
///
/// let (mut pixels, mut memory) = (vec![0; 4 * 4 * 4], PixelSinkCache::default());
/// let mut sink = PixelSink::new(&mut pixels, FrameSize::new(4, 4)?, &mut memory)?;
/// drawing.paint(&Frame::default(), Affine::IDENTITY, &mut sink);
/// // A shadow over it at half opacity, which is in no drawing.
/// let shadow: BezPath = Rect::new(1.0, 0.0, 4.0, 4.0).to_path(0.1);
/// sink.open_layer(0.5, BlendMode::Normal);
/// sink.fill(&FillCall {
///     node: NodeId::from_index(0),
///     outline: &shadow,
///     rule: FillRule::NonZero,
///     brush: Brush::Color([0, 0, 0]),
///     opacity: 1.0,
///     smooth: true,
///     transform: Affine::IDENTITY,
/// });
/// sink.pop_layer();
/// assert_eq!(sink.left_out(), 0);
/// let pixel = |x: usize| pixels[x * 4..][..4].to_vec();
/// assert_eq!((pixel(0), pixel(1), pixel(3)), (vec![255, 0, 0, 255], vec![128, 0, 0, 255], vec![0, 0, 0, 128]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The pixels are those of a [`Renderer`](super::Renderer), with two exceptions. A renderer multiplies the
/// transforms of groups within each other in single precision, as readers of SVG do; a sink gets their
/// product, whose last bits differ. And a renderer clips a layer to its bounds, as resvg does; where
/// curves are clipped, a few pixels of their edges differ.
#[derive(Debug)]
pub struct PixelSink<'p> {
    pixels: PixmapMut<'p>,
    memory: &'p mut PixelSinkCache,
    /// Open layers, the innermost last.
    layers: Vec<OpenLayer>,
    /// How much deeper clip paths, masks and patterns may be within each other.
    depth: u32,
    left_out: usize,
}

/// What one [`PixelSink`] keeps for the next: buffers and decoded images.
#[derive(Debug, Default)]
pub struct PixelSinkCache {
    cache: Cache,
    pictures: Vec<RenderImage>,
    text: String,
}

/// An open layer.
#[derive(Debug)]
struct OpenLayer {
    pixmap: Pixmap,
    opacity: f32,
    blend: BlendMode,
    /// What clip paths exclude, in the order in which they are applied.
    around: Vec<Pixmap>,
    /// The masks, in the order in which they are applied.
    masks: Vec<Mask>,
}

impl<'p> PixelSink<'p> {
    /// A sink that paints over the pixels.
    ///
    /// # Errors
    /// If `pixels` has not this size.
    pub fn new(
        pixels: &'p mut [u8],
        size: FrameSize,
        memory: &'p mut PixelSinkCache,
    ) -> Result<Self, RasterError> {
        let bytes = pixels.len();
        let wrong = || RasterError::WrongSize { bytes, size };
        let pixels = PixmapMut::from_bytes(pixels, size.width(), size.height()).ok_or_else(wrong)?;
        Ok(Self { pixels, memory, layers: Vec::new(), depth: MAX_DEPTH, left_out: 0 })
    }

    /// How many calls could not be painted: no memory, a tile too large, numbers out of range, or a panic in
    /// a library.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Opens a layer that belongs to no drawing. [`pop_layer`](PaintSink::pop_layer) closes it.
    pub fn open_layer(&mut self, opacity: f64, blend: drawing::BlendMode) {
        let (width, height) = self.size();
        match self.memory.cache.pixmap(width, height) {
            Some(pixmap) => self.layers.push(OpenLayer::new(pixmap, opacity, blend)),
            None => self.left_out += 1,
        }
    }

    fn size(&self) -> (u32, u32) {
        let top = self.layers.last().map(|layer| (layer.pixmap.width(), layer.pixmap.height()));
        top.unwrap_or((self.pixels.width(), self.pixels.height()))
    }

    /// Runs work that can fail or panic, and counts failures.
    fn try_to<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Unsupported>) -> Option<T> {
        let (layers, depth) = (self.layers.len(), self.depth);
        let done = catch_unwind(AssertUnwindSafe(|| work(self)));
        self.layers.truncate(layers);
        self.depth = depth;
        let done = done.ok().and_then(Result::ok);
        self.left_out += usize::from(done.is_none());
        done
    }

    /// Paints onto the innermost layer.
    fn paint(
        &mut self,
        paint: impl FnOnce(&mut Painter<'_>, &mut Cache) -> Result<(), Unsupported>,
    ) -> Result<(), Unsupported> {
        let (width, height) = self.size();
        let bytes = match self.layers.last_mut() {
            Some(layer) => layer.pixmap.data_mut(),
            None => self.pixels.data_mut(),
        };
        let pixmap = PixmapMut::from_bytes(bytes, width, height).ok_or(Unsupported)?;
        on(pixmap, Backdrop::Pixels, &mut self.memory.cache, paint)
    }

    /// Paints with a brush.
    fn brushed(
        &mut self,
        brush: &Brush<'_>,
        opacity: f64,
        smooth: bool,
        ts: Transform,
        draw: impl FnOnce(&Paint<'_>, &mut Painter<'_>),
    ) -> Result<(), Unsupported> {
        let opacity = usvg::Opacity::new_clamped(as_read(opacity));
        let mut tile = None;
        let source = match brush {
            Brush::Color(color) => PaintSource::Color(*color),
            Brush::Gradient { gradient, transform } => {
                let own = matrix_as_read(*transform);
                gradient_source(gradient, PaintTransform::Fixed(own), opacity)
            }
            Brush::Pattern { rect, transform, content } => {
                tile = self.tile(*rect, matrix_as_read(*transform), *content, ts)?;
                PaintSource::Tile(0)
            }
        };
        let fixed = |place: PaintTransform| match place {
            PaintTransform::Fixed(own) => own,
            PaintTransform::Gradient(_) | PaintTransform::Pattern(_) => Transform::identity(),
        };
        let laid = tile.as_ref().map(|(pixmap, laid)| (pixmap, *laid));
        if let Some(shader) = shader(&source, opacity, fixed, laid) {
            let paint = Paint { shader, blend: BlendMode::SourceOver, anti_alias: smooth };
            self.paint(|painter, _| {
                draw(&paint, painter);
                Ok(())
            })?;
        }
        if let Some((pixmap, _)) = tile {
            self.memory.cache.give(pixmap);
        }
        Ok(())
    }

    /// The tile of a pattern and how it is laid out; none if nothing of it is left.
    fn tile(
        &mut self,
        rect: Rect,
        own: Transform,
        content: Content<'_>,
        ts: Transform,
    ) -> Result<Option<(Pixmap, Transform)>, Unsupported> {
        let rect = build::rect(rect).ok_or(Unsupported)?;
        let TileScale { sx, sy, size } = TileScale::new(rect, own, ts)?;
        let Some(size) = size else { return Ok(None) };
        let transform = Affine::scale_non_uniform(sx.into(), sy.into());
        let pixmap = self.picture((size.width(), size.height()), content, transform)?;
        Ok(Some((pixmap, laid_out(rect, own, (sx, sy)))))
    }

    /// The picture of a mask or a tile.
    fn picture(
        &mut self,
        (width, height): (u32, u32),
        content: Content<'_>,
        transform: Affine,
    ) -> Result<Pixmap, Unsupported> {
        let pixmap = self.memory.cache.pixmap(width, height).ok_or(Unsupported)?;
        self.depth = self.depth.checked_sub(1).ok_or(Unsupported)?;
        self.layers.push(OpenLayer::new(pixmap, 1.0, drawing::BlendMode::Normal));
        content.paint(transform, self);
        self.depth += 1;
        self.layers.pop().map(|layer| layer.pixmap).ok_or(Unsupported)
    }

    /// The pixels that clip paths exclude.
    fn around(&mut self, clip: PosedClip<'_>, transform: Affine) -> Result<Vec<Pixmap>, Unsupported> {
        let (width, height) = self.size();
        self.depth = self.depth.checked_sub(1).ok_or(Unsupported)?;
        let mut all = Vec::new();
        for clip in std::iter::successors(Some(clip), PosedClip::clip) {
            let mut around = self.memory.cache.pixmap(width, height).ok_or(Unsupported)?;
            around.fill(Color::BLACK);
            for outline in clip.outlines() {
                let inside = transform * outline.transform;
                let path = read(outline.outline, tiny_skia::PathBuilder::new()).filter(has_area);
                let Some(path) = path else { continue };
                let rule = build::fill_rule(outline.rule);
                let (ts, cache) = (single(inside), &mut self.memory.cache);
                match outline.clip {
                    None => {
                        fill_black(&mut around, &path, rule, BlendMode::Clear, outline.smooth, ts, cache)?
                    }
                    Some(clip) => {
                        let mut own = cache.pixmap(width, height).ok_or(Unsupported)?;
                        fill_black(&mut own, &path, rule, BlendMode::SourceOver, outline.smooth, ts, cache)?;
                        for cuts in self.around(clip, inside)? {
                            clip_out(&mut own, &cuts);
                            self.memory.cache.give(cuts);
                        }
                        let paint =
                            PixmapPaint { blend_mode: BlendMode::DestinationOut, ..PixmapPaint::default() };
                        around.draw_pixmap(0, 0, own.as_ref(), &paint, Transform::identity(), None);
                        self.memory.cache.give(own);
                    }
                }
            }
            all.push(around);
        }
        self.depth += 1;
        // The clip path of a clip path is applied first.
        all.reverse();
        Ok(all)
    }

    /// The masks of a layer.
    fn masks(&mut self, mask: PosedMask<'_>, transform: Affine) -> Result<Vec<Mask>, Unsupported> {
        let size = self.size();
        let mut all = Vec::new();
        for mask in std::iter::successors(Some(mask), PosedMask::mask) {
            if mask.content().is_empty() {
                // Nothing is visible, whatever the other masks are.
                all.push(Mask::new(size.0, size.1).ok_or(Unsupported)?);
                break;
            }
            let rect = build::rect(mask.rect()).ok_or(Unsupported)?;
            let mut shown = self.picture(size, mask.content(), transform)?;
            let region = region(size, rect, single(transform))?;
            shown.apply_mask(&region);
            self.memory.cache.give_mask(region);
            all.push(Mask::from_pixmap(shown.as_ref(), build::mask_type(mask.kind())));
            self.memory.cache.give(shown);
        }
        all.reverse();
        Ok(all)
    }

    /// A group with filters, which resvg draws.
    fn filtered(&mut self, layer: &LayerCall<'_>) -> Result<(), Unsupported> {
        let mut text = std::mem::take(&mut self.memory.text);
        write_node(layer.drawing, layer.frame, layer.node, &mut text);
        let tree = parse(SvgInput::Unparsed(&text), &Resources::none(), &MissingResources::default());
        self.memory.text = text;
        // The text has the transform of the group.
        self.by_resvg(&tree.map_err(|_| Unsupported)?, single(layer.around))
    }

    /// Draws with resvg. It bounds filters by the size of the picture, but the size of the frame is needed.
    fn by_resvg(&mut self, tree: &usvg::Tree, ts: Transform) -> Result<(), Unsupported> {
        let frame = (self.pixels.width(), self.pixels.height());
        self.paint(|painter, cache| {
            let (width, height) = painter.size();
            if width >= frame.0 && height >= frame.1 {
                return if range::draw(tree, ts, painter.pixels()) { Ok(()) } else { Err(Unsupported) };
            }
            let mut large = cache.pixmap(width.max(frame.0), height.max(frame.1)).ok_or(Unsupported)?;
            let drawn = render_in(tree, ts, &mut large, painter.pixels());
            cache.give(large);
            if drawn { Ok(()) } else { Err(Unsupported) }
        })
    }
}

impl OpenLayer {
    fn new(pixmap: Pixmap, opacity: f64, blend: drawing::BlendMode) -> Self {
        let opacity = usvg::Opacity::new_clamped(as_read(opacity)).get();
        Self { pixmap, opacity, blend: build::blend(blend), around: Vec::new(), masks: Vec::new() }
    }
}

impl PixelSinkCache {
    /// An image, decoded once.
    fn picture(&mut self, image: &Image) -> Option<usize> {
        let is_same = |known: &RenderImage| {
            let (a, b) = (&known.image, image);
            Arc::ptr_eq(&a.data.bytes, &b.data.bytes)
                && (a.size, a.sampling, a.visible) == (b.size, b.sampling, b.visible)
        };
        self.pictures.iter().position(is_same).or_else(|| {
            self.pictures.push(RenderImage::new(image, true)?);
            Some(self.pictures.len() - 1)
        })
    }
}

impl PaintSink for PixelSink<'_> {
    fn fill(&mut self, fill: &FillCall<'_>) {
        let ts = single(fill.transform);
        let path = read(fill.outline, tiny_skia::PathBuilder::new()).filter(has_area);
        let Some(path) = path else { return };
        let rule = build::fill_rule(fill.rule);
        self.try_to(|sink| {
            sink.brushed(&fill.brush, fill.opacity, fill.smooth, ts, |paint, painter| {
                painter.fill(&path, rule, paint, ts, &mut CachedCoverage::default());
            })
        });
    }

    fn stroke(&mut self, stroke: &StrokeCall<'_>) {
        let ts = single(stroke.transform);
        let path = read(stroke.outline, tiny_skia::PathBuilder::new());
        let Some((path, line)) = path.zip(line(stroke)) else { return };
        self.try_to(|sink| {
            sink.brushed(&stroke.brush, stroke.opacity, stroke.smooth, ts, |paint, painter| {
                painter.stroke(&path, &line, paint, ts, &mut CachedCoverage::default());
            })
        });
    }

    fn image(&mut self, image: &ImageCall<'_>) {
        let ts = single(image.transform);
        self.try_to(|sink| {
            let at = sink.memory.picture(image.image).ok_or(Unsupported)?;
            let pictures = std::mem::take(&mut sink.memory.pictures);
            let picture = &pictures[at];
            let drawn = match picture.image.data.format {
                // Of an animated image the first frame is shown, which can be smaller than the image.
                ImageFormat::Gif => picture.sampled().map_or(Ok(()), |tree| sink.by_resvg(tree, ts)),
                _ => sink.paint(|painter, cache| picture.draw(ts, painter, cache)),
            };
            sink.memory.pictures = pictures;
            drawn
        });
    }

    fn push_layer(&mut self, layer: &LayerCall<'_>) -> bool {
        if !layer.filters.is_empty() {
            self.try_to(|sink| sink.filtered(layer));
            return false;
        }
        let opened = self.try_to(|sink| {
            let (width, height) = sink.size();
            let pixmap = sink.memory.cache.pixmap(width, height).ok_or(Unsupported)?;
            let mut own = OpenLayer::new(pixmap, layer.opacity, layer.blend);
            if let Some(clip) = layer.clip {
                own.around = sink.around(clip, layer.transform)?;
            }
            if let Some(mask) = layer.mask {
                own.masks = sink.masks(mask, layer.transform)?;
            }
            Ok(own)
        });
        let is_open = opened.is_some();
        self.layers.extend(opened);
        is_open
    }

    fn pop_layer(&mut self) {
        let Some(OpenLayer { mut pixmap, opacity, blend, around, masks }) = self.layers.pop() else { return };
        for around in around {
            clip_out(&mut pixmap, &around);
            self.memory.cache.give(around);
        }
        for mask in masks {
            pixmap.apply_mask(&mask);
            self.memory.cache.give_mask(mask);
        }
        self.try_to(|sink| {
            sink.paint(|painter, _| {
                let place = tiny_skia::IntRect::from_xywh(0, 0, pixmap.width(), pixmap.height());
                painter.layer(&pixmap, place.ok_or(Unsupported)?, opacity, blend);
                Ok(())
            })
        });
        self.memory.cache.give(pixmap);
    }
}

/// Paints on a picture with memory that is kept.
fn on(
    pixmap: PixmapMut<'_>,
    behind: Backdrop,
    cache: &mut Cache,
    paint: impl FnOnce(&mut Painter<'_>, &mut Cache) -> Result<(), Unsupported>,
) -> Result<(), Unsupported> {
    let filler = cache.fillers.pop().unwrap_or_default();
    let mut painter = Painter::on(pixmap, behind, filler);
    let painted = paint(&mut painter, cache);
    cache.fillers.push(painter.finish());
    painted
}

/// Fills an outline of a clip path.
fn fill_black(
    pixmap: &mut Pixmap,
    path: &Path,
    rule: FillRule,
    blend: BlendMode,
    anti_alias: bool,
    ts: Transform,
    cache: &mut Cache,
) -> Result<(), Unsupported> {
    let paint = Paint { shader: Shader::Color(Color::BLACK), blend, anti_alias };
    on(pixmap.as_mut(), Backdrop::Pixels, cache, |painter, _| {
        painter.fill(path, rule, &paint, ts, &mut CachedCoverage::default());
        Ok(())
    })
}

fn single(affine: Affine) -> Transform {
    let [a, b, c, d, e, f] = affine.as_coeffs().map(narrow);
    Transform::from_row(a, b, c, d, e, f)
}

/// A stroke in the numbers of a reader in single precision. None if it has no width.
fn line(call: &StrokeCall<'_>) -> Option<tiny_skia::Stroke> {
    let style = &call.style;
    let width = as_read(style.width);
    if !(width > 0.0 && width.is_finite()) {
        return None;
    }
    let dashes: Vec<f32> = style.dash_pattern.iter().copied().map(as_read).collect();
    let dashes = if dashes.is_empty() { None } else { pairs_of_dashes(dashes) };
    Some(tiny_skia::Stroke {
        width,
        miter_limit: as_read(style.miter_limit),
        line_cap: match style.start_cap {
            kurbo::Cap::Butt => tiny_skia::LineCap::Butt,
            kurbo::Cap::Round => tiny_skia::LineCap::Round,
            kurbo::Cap::Square => tiny_skia::LineCap::Square,
        },
        line_join: build::join(call.join),
        dash: dashes.and_then(|dashes| tiny_skia::StrokeDash::new(dashes, as_read(style.dash_offset))),
    })
}
