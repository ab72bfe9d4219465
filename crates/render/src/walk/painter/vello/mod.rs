//! The painter that waits: shapes are noted in order and drawn all at once by vello_cpu, on one thread, in whole numbers.
//! Pixels are near those of tiny-skia, edges finer. What it cannot do, tiny-skia does, and that is counted.

mod dyes;
mod lines;
#[cfg(test)]
mod tests;

use std::fmt;

use tiny_skia::{
    BlendMode, FillRule, FilterQuality, IntRect, Path, PathBuilder, PathStroker, Pixmap, Rect, Stroke,
    Transform,
};
use vello_cpu::color::AlphaColor;
use vello_cpu::peniko::{Extend, Fill};
use vello_cpu::{RasterizerSettings, RenderContext, RenderMode, RenderSettings, Resources, TargetInit};

use super::{Behind, Coat, Cut, Painter, Skia};
use dyes::{Laid, Refused, alpha, mix, picture};
use lines::{Lines, TOLERANCE};

/// How far the sides of a stroke may be from where they belong, in pixels. Finer ones cost a tenth of a frame with many strokes and bring
/// it no nearer to its samples.
const SIDES: f64 = 0.0625;

/// How much finer than tiny-skia dashes and strokes lines: it keeps to a quarter of a pixel. Dashes add up along a line.
#[allow(clippy::cast_possible_truncation, reason = "small numbers")]
const FINER: (f32, f32) = ((0.25 / TOLERANCE) as f32, (0.25 / SIDES) as f32);

/// Of the coverage of a pixel, in 255 parts: what is more counts as the whole, where edges are not to be smooth.
const HALF: u8 = 127;

/// What is noted, and the memory for it. It serves one picture after the other.
pub(crate) struct Scene {
    context: RenderContext,
    resources: Resources,
    lines: Lines,
    stroker: PathStroker,
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene").finish_non_exhaustive()
    }
}

impl Scene {
    /// An empty scene for a picture, in memory that was used before. None if the picture is too large for it.
    pub(crate) fn new(kept: Option<Self>, pixmap: &Pixmap) -> Option<Self> {
        let width = u16::try_from(pixmap.width()).ok()?;
        let height = u16::try_from(pixmap.height()).ok()?;
        if let Some(mut scene) = kept {
            if (scene.context.width(), scene.context.height()) != (width, height) {
                scene.context.reset_and_resize(width, height);
            }
            return Some(scene);
        }
        // One thread: frames are what is drawn in parallel.
        let settings = RenderSettings { num_threads: 0, ..RenderSettings::default() };
        Some(Self {
            context: RenderContext::new_with(width, height, settings),
            resources: Resources::new(),
            lines: Lines::default(),
            stroker: PathStroker::new(),
        })
    }
}

pub(crate) struct Vello<'p> {
    pixmap: &'p mut Pixmap,
    scene: Scene,
    /// The groups that were begun: of how many layers each consists.
    open: Vec<usize>,
    /// Whether anything is noted that is not drawn.
    waits: bool,
    /// What the picture holds until then.
    behind: Behind,
    /// How often tiny-skia had to help.
    helped: usize,
}

impl<'p> Vello<'p> {
    /// A painter for the picture that the scene is for.
    pub(crate) fn new(pixmap: &'p mut Pixmap, scene: Scene, behind: Behind) -> Self {
        let waits = matches!(behind, Behind::Color(_));
        Self { pixmap, scene, open: Vec::new(), waits, behind, helped: 0 }
    }

    /// Draws what waits, and gives the scene back with how often tiny-skia helped.
    pub(crate) fn finish(mut self) -> (Scene, usize) {
        while !self.open.is_empty() {
            self.end();
        }
        self.flush();
        (self.scene, self.helped)
    }

    fn flush(&mut self) {
        // From here on others may have drawn on it.
        let behind = std::mem::replace(&mut self.behind, Behind::Pixels);
        if !std::mem::take(&mut self.waits) {
            return;
        }
        let Scene { context, resources, .. } = &mut self.scene;
        context.flush();
        let settings = RasterizerSettings {
            render_mode: RenderMode::OptimizeSpeed,
            target_init: match behind {
                Behind::Clear => TargetInit::Clear(AlphaColor::TRANSPARENT),
                Behind::Color(color) => TargetInit::Clear(alpha(color)),
                Behind::Pixels => TargetInit::SrcOver,
            },
            ..RasterizerSettings::default()
        };
        let (width, height) = (context.width(), context.height());
        if let Some(target) = vello_cpu::PixmapMut::new(width, height, self.pixmap.data_mut()) {
            context.render_with(target, resources, settings);
        }
        context.reset();
    }

    fn note(&mut self, path: &Path, rule: FillRule, smooth: bool, ts: Transform, (paint, place): Laid) {
        let size = (self.pixmap.width(), self.pixmap.height());
        let Scene { context, lines, .. } = &mut self.scene;
        let Some(lines) = lines.trace(path, ts, size) else { return };
        context.set_paint(paint);
        context.set_paint_transform(place);
        context.set_fill_rule(fill_rule(rule));
        context.set_aliasing_threshold((!smooth).then_some(HALF));
        context.fill_path(lines);
        self.waits = true;
    }

    fn paint(&mut self, path: &Path, rule: FillRule, coat: &Coat<'_>, ts: Transform) {
        match mix(&coat.dye, ts) {
            Ok(Some(laid)) => self.note(path, rule, coat.anti_alias, ts, laid),
            Ok(None) => {}
            Err(Refused) => self.help(|skia| skia.fill(path, rule, coat, ts)),
        }
    }

    /// Has tiny-skia draw something.
    fn help(&mut self, draw: impl FnOnce(&mut Skia<'_>)) {
        self.helped += 1;
        if self.open.is_empty() {
            self.flush();
            return draw(&mut Skia::new(self.pixmap));
        }
        // Within a group it comes as a layer of its own.
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        if let (Some(mut own), Some(place)) =
            (Pixmap::new(width, height), IntRect::from_xywh(0, 0, width, height))
        {
            draw(&mut Skia::new(&mut own));
            self.lay(&own, place, 1.0);
        }
    }

    /// Notes a layer as a picture, pixel on pixel.
    #[allow(clippy::cast_precision_loss, reason = "it lies near the picture")]
    fn lay(&mut self, layer: &Pixmap, place: IntRect, opacity: f32) {
        // What is too large to be handed over goes piece by piece.
        const SIDE: u32 = 2048;
        for y in (0..layer.height()).step_by(SIDE as usize) {
            for x in (0..layer.width()).step_by(SIDE as usize) {
                let [width, height] = [SIDE.min(layer.width() - x), SIDE.min(layer.height() - y)];
                let [left, top] =
                    [place.x().saturating_add_unsigned(x), place.y().saturating_add_unsigned(y)];
                let whole = (width, height) == (layer.width(), layer.height());
                let piece = IntRect::from_xywh(x.cast_signed(), y.cast_signed(), width, height)
                    .filter(|_| !whole)
                    .and_then(|rect| layer.as_ref().clone_rect(rect));
                let there = Transform::from_translate(left as f32, top as f32);
                let pixels = piece.as_ref().unwrap_or(layer);
                let laid = picture(pixels, Extend::Pad, FilterQuality::Nearest, opacity, there);
                let rect = Rect::from_xywh(left as f32, top as f32, width as f32, height as f32);
                if let (Some(laid), Some(rect)) = (laid, rect) {
                    let path = PathBuilder::from_rect(rect);
                    self.note(&path, FillRule::Winding, true, Transform::identity(), laid);
                }
            }
        }
    }
}

impl Painter for Vello<'_> {
    fn size(&self) -> (u32, u32) {
        (self.pixmap.width(), self.pixmap.height())
    }

    fn fill(&mut self, path: &Path, rule: FillRule, coat: &Coat<'_>, ts: Transform) {
        if coat.blend != BlendMode::SourceOver {
            return self.help(|skia| skia.fill(path, rule, coat, ts));
        }
        self.paint(path, rule, coat, ts);
    }

    fn stroke(&mut self, path: &Path, line: &Stroke, coat: &Coat<'_>, ts: Transform) {
        if coat.blend != BlendMode::SourceOver {
            return self.help(|skia| skia.stroke(path, line, coat, ts));
        }
        let scale = PathStroker::compute_resolution_scale(&ts);
        let dashed = match &line.dash {
            Some(dash) => match path.dash(dash, scale * FINER.0) {
                Some(dashed) => Some(dashed),
                None => return,
            },
            None => None,
        };
        let around = self.scene.stroker.stroke(dashed.as_ref().unwrap_or(path), line, scale * FINER.1);
        if let Some(around) = around {
            self.paint(&around, FillRule::Winding, coat, ts);
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "small enough to be copied")]
    fn image(&mut self, pixels: &Pixmap, quality: FilterQuality, ts: Transform) {
        match picture(pixels, Extend::Pad, quality, 1.0, ts) {
            Some(laid) => {
                let rect = Rect::from_xywh(0.0, 0.0, pixels.width() as f32, pixels.height() as f32);
                if let Some(rect) = rect {
                    self.note(&PathBuilder::from_rect(rect), FillRule::Winding, true, ts, laid);
                }
            }
            None => self.help(|skia| skia.image(pixels, quality, ts)),
        }
    }

    fn layer(&mut self, layer: &Pixmap, place: IntRect, opacity: f32, blend: BlendMode) {
        if self.open.is_empty() {
            self.flush();
            return Skia::new(self.pixmap).layer(layer, place, opacity, blend);
        }
        // Groups that blend are not begun: nothing but a layer over what is behind it comes within one.
        self.lay(layer, place, opacity);
    }

    fn begin(&mut self, opacity: f32, cuts: &[Cut<'_>]) -> bool {
        let size = self.size();
        let Scene { context, lines, .. } = &mut self.scene;
        let mut opacity = Some(opacity).filter(|opacity| *opacity != 1.0);
        for cut in cuts {
            context.set_fill_rule(fill_rule(cut.rule));
            context.set_aliasing_threshold((!cut.anti_alias).then_some(HALF));
            let lines = lines.trace(cut.path, cut.transform, size);
            // Without a line, nothing is within.
            let opacity = if lines.is_some() { opacity.take() } else { Some(0.0) };
            context.push_layer(lines, None, opacity, None, None);
        }
        let alone = cuts.is_empty().then_some(opacity).flatten();
        if let Some(opacity) = alone {
            context.push_opacity_layer(opacity);
        }
        self.open.push(cuts.len() + usize::from(alone.is_some()));
        self.waits = true;
        true
    }

    fn end(&mut self) {
        for _ in 0..self.open.pop().unwrap_or(0) {
            self.scene.context.pop_layer();
        }
    }

    fn pixels(&mut self) -> &mut Pixmap {
        self.flush();
        self.pixmap
    }
}

fn fill_rule(rule: FillRule) -> Fill {
    match rule {
        FillRule::Winding => Fill::NonZero,
        FillRule::EvenOdd => Fill::EvenOdd,
    }
}
