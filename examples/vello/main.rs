//! Draws a frame of the walk with another library, vello_cpu, through the trait `PaintSink`, and again with
//! the engine's own renderer for comparison.
#![allow(clippy::print_stdout, reason = "an example prints")]
#![allow(
    clippy::cast_possible_truncation,
    reason = "colours and opacities of vello_cpu are in single precision"
)]

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use bone_drawing::{BlendMode, Brush, FillRule, GradientKind};
use bone_drawing::{FillCall, ImageCall, LayerCall, PaintSink, StrokeCall};
use bone_format::{Disk, load, no_fonts};
use bone_render::{Background, FrameContent, FrameOptions, FrameSize, Pixmap};
use bone_render::{FrameName, FrameSink, NumberedFiles};
use bone_rig::FrameState;
use kurbo::{Affine, BezPath};
use vello_cpu::color::{AlphaColor, DynamicColor, Srgb};
use vello_cpu::peniko::{ColorStop, Extend, Fill, Gradient, InterpolationAlphaSpace};
use vello_cpu::{PaintType, RenderContext, Resources};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let rig = concat!(env!("CARGO_MANIFEST_DIR"), "/../walk/rig.ron");
    let scene = load(rig.as_ref(), Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let mut state = FrameState::new(&scene);
    scene.pose(scene.clip("walk"), 0.3, &mut state)?;

    let size = FrameSize::from_scale(scene.art().size(), 1.0)?;
    let context = RenderContext::new(u16::try_from(size.width())?, u16::try_from(size.height())?);
    let mut vello = Vello { context, open: Vec::new(), left_out: 0 };
    vello.context.set_paint(AlphaColor::<Srgb>::WHITE);
    vello.context.fill_rect(&kurbo::Rect::new(0.0, 0.0, size.width().into(), size.height().into()));
    scene.paint(&state, size.fit(scene.art().size()), &mut vello);
    let Vello { mut context, left_out, .. } = vello;
    let mut painted = Pixmap::new(size.width(), size.height()).ok_or("no memory")?;
    context.flush();
    let target = vello_cpu::PixmapMut::new(context.width(), context.height(), painted.data_mut());
    context.render(target.ok_or("no such size")?, &mut Resources::new());

    let mut own = painted.clone();
    let options = FrameOptions { size, background: Some(Background { rgba: [255; 4] }) };
    scene.draw(&mut state, &options, &mut own)?;

    for (name, pixmap) in [("vello.png", &painted), ("own.png", &own)] {
        let file = folder.join(name);
        let sink = NumberedFiles::with(move |_| file.clone());
        sink.write(FrameName { number: 0 }, FrameContent::Pixels(pixmap))?;
    }
    let apart = own.data().chunks_exact(4).zip(painted.data().chunks_exact(4));
    let apart = apart.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0));
    let levels: Vec<u8> = apart.filter(|levels| *levels > 0).collect();
    let (all, more) = (levels.len(), levels.iter().filter(|levels| **levels > 8).count());
    let most = levels.iter().max().unwrap_or(&0);
    println!("{all} pixels differ, {more} by more than 8 levels, at most {most}; {left_out} calls left out");
    Ok(())
}

/// Paints what vello_cpu supports: fills, strokes, gradients, clip paths and opacity.
struct Vello {
    context: RenderContext,
    /// How many layers of vello_cpu each open layer consists of.
    open: Vec<usize>,
    /// The number of calls that are not supported.
    left_out: usize,
}

impl Vello {
    /// Sets a brush. Returns false if vello_cpu does not support it.
    fn brush(&mut self, brush: &Brush<'_>, opacity: f64) -> bool {
        let (paint, transform) = match brush {
            Brush::Color(color) => (PaintType::Solid(with_alpha(*color, opacity)), Affine::IDENTITY),
            Brush::Gradient { gradient, transform } => {
                let shape = match gradient.kind {
                    GradientKind::Linear { start, end } => Gradient::new_linear(start, end),
                    GradientKind::Radial { center, radius, focus, focus_radius } => {
                        Gradient::new_two_point_radial(focus, focus_radius as f32, center, radius as f32)
                    }
                };
                let stop = |stop: &bone_drawing::Stop| {
                    let color = with_alpha(stop.color, stop.opacity * opacity);
                    ColorStop { offset: stop.offset as f32, color: DynamicColor::from_alpha_color(color) }
                };
                let stops: Vec<ColorStop> = gradient.stops.iter().map(stop).collect();
                let extends = [Extend::Pad, Extend::Reflect, Extend::Repeat];
                let shape = shape.with_extend(extends[gradient.spread as usize]).with_stops(stops.as_slice());
                let alpha = InterpolationAlphaSpace::Unpremultiplied;
                (PaintType::Gradient(shape.with_interpolation_alpha_space(alpha)), *transform)
            }
            Brush::Pattern { .. } => return false,
        };
        self.context.set_paint(paint);
        self.context.set_paint_transform(transform);
        true
    }
}

impl PaintSink for Vello {
    fn fill(&mut self, fill: &FillCall<'_>) {
        if !self.brush(&fill.brush, fill.opacity) {
            return self.left_out += 1;
        }
        self.context.set_transform(fill.transform);
        self.context.set_fill_rule(rule(fill.rule));
        self.context.fill_path(fill.outline);
    }

    fn stroke(&mut self, stroke: &StrokeCall<'_>) {
        if !self.brush(&stroke.brush, stroke.opacity) {
            return self.left_out += 1;
        }
        self.context.set_transform(stroke.transform);
        self.context.set_stroke(stroke.style.clone());
        self.context.stroke_path(stroke.outline);
    }

    fn image(&mut self, _: &ImageCall<'_>) {
        self.left_out += 1;
    }

    fn push_layer(&mut self, layer: &LayerCall<'_>) -> bool {
        let plain = layer.filters.is_empty() && layer.mask.is_none() && layer.blend == BlendMode::Normal;
        self.left_out += usize::from(!plain);
        self.context.push_opacity_layer(layer.opacity as f32);
        let clips: Vec<_> = std::iter::successors(layer.clip, |clip| clip.clip()).collect();
        for clip in &clips {
            // An approximation: the outlines of a clip path are united, and here they are one outline with
            // one rule.
            let outlines = clip.outlines();
            let all: BezPath = outlines.iter().flat_map(|it| it.transform * it.outline).collect();
            self.context.set_transform(layer.transform);
            self.context.set_fill_rule(outlines.first().map_or(Fill::NonZero, |it| rule(it.rule)));
            self.context.push_clip_layer(&all);
        }
        self.open.push(1 + clips.len());
        true
    }

    fn pop_layer(&mut self) {
        (0..self.open.pop().unwrap_or(0)).for_each(|_| self.context.pop_layer());
    }
}

fn with_alpha([red, green, blue]: [u8; 3], alpha: f64) -> AlphaColor<Srgb> {
    AlphaColor::from_rgba8(red, green, blue, (alpha * 255.0).round() as u8)
}

fn rule(rule: FillRule) -> Fill {
    if rule == FillRule::EvenOdd { Fill::EvenOdd } else { Fill::NonZero }
}
