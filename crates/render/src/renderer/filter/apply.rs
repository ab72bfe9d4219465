//! Applies a filter to a layer.

use std::rc::Rc;

use bone_raster::{Blur, composite_over};
use tiny_skia::{BlendMode, IntRect, NonZeroRect, Pixmap, PixmapPaint, Transform};

use super::chain::{Input, RenderFilter, StepKind};
use super::{colors, morphology, transfer};
use crate::renderer::values::Values;

/// A result of a step. It is as large as the region of the filter.
#[derive(Clone)]
struct FilterPicture {
    pixmap: Rc<Pixmap>,
    linear: bool,
}

/// Applies a filter. The transform is from the group to the layer. A filter whose region is not usable leaves
/// nothing.
pub(crate) fn apply(filter: &RenderFilter, values: &Values, ts: Transform, layer: &mut Pixmap) {
    let result = run(filter, values, ts, layer);
    layer.data_mut().fill(0);
    if let Some((picture, region)) = result {
        copy(&picture.pixmap, region.x(), region.y(), layer);
    }
}

#[allow(clippy::cast_precision_loss, reason = "as resvg does")]
fn run(
    filter: &RenderFilter,
    values: &Values,
    ts: Transform,
    layer: &Pixmap,
) -> Option<(FilterPicture, IntRect)> {
    let whole = IntRect::from_xywh(0, 0, layer.width(), layer.height())?;
    let place = filter.region(values).transform(ts)?.to_int_rect();
    let place = fit_to(place, whole)?;
    let source = Rc::new(if place == whole { layer.clone() } else { layer.clone_rect(place)? });
    let ts = ts.post_translate(-(place.x() as f32), -(place.y() as f32));
    let region = IntRect::from_xywh(0, 0, place.width(), place.height())?;
    let mut results: Vec<FilterPicture> = Vec::with_capacity(filter.steps.len());
    let look = filter.look.and_then(|slot| values.filter_looks.now.get(slot));
    for (at, step) in filter.steps.iter().enumerate() {
        let numbers = look.and_then(|look| look.get(at)?.as_ref());
        let posed = numbers.and_then(|numbers| step.kind.posed(numbers));
        let kind = posed.as_ref().unwrap_or(&step.kind);
        let part = part(step.region(filter, values), ts)?;
        let mut run = FilterRun { source: &source, results: &results, region, ts };
        let mut picture = run.step(kind, step.linear)?;
        // A shifted picture is not cut.
        if part != region && !matches!(step.kind, StepKind::Offset { .. }) {
            clear_outside(Rc::make_mut(&mut picture.pixmap), part);
        }
        results.push(picture);
    }
    let last = results.pop()?;
    drop(results);
    Some((converted(last, false), place))
}

fn part(rect: NonZeroRect, ts: Transform) -> Option<IntRect> {
    rect.transform(ts).map(|rect| rect.to_int_rect())
}

/// A rectangle within bounds.
pub(crate) fn fit_to(rect: IntRect, bounds: IntRect) -> Option<IntRect> {
    IntRect::from_ltrb(
        rect.left().max(bounds.left()),
        rect.top().max(bounds.top()),
        rect.right().min(bounds.right()),
        rect.bottom().min(bounds.bottom()),
    )
}

/// What the steps of a filter share.
struct FilterRun<'a> {
    source: &'a Rc<Pixmap>,
    results: &'a [FilterPicture],
    region: IntRect,
    ts: Transform,
}

impl FilterRun<'_> {
    fn step(&mut self, kind: &StepKind, linear: bool) -> Option<FilterPicture> {
        let scale = self.ts.get_scale();
        Some(match kind {
            StepKind::Blur { input, deviation } => {
                let input = self.input(*input);
                let Some(blur) = Blur::new(*deviation, scale) else { return Some(input) };
                let mut picture = converted(input, linear);
                blur.apply(Rc::make_mut(&mut picture.pixmap));
                picture
            }
            StepKind::DropShadow { input, deviation, shift, color } => {
                let picture = converted(self.input(*input), linear);
                let shadow = shadow(&picture.pixmap, Blur::new(*deviation, scale), *color, linear)?;
                let mut pixmap = self.pixmap()?;
                let (x, y) = pixels(*shift, scale);
                over(&shadow, x, y, &mut pixmap);
                over(&picture.pixmap, 0, 0, &mut pixmap);
                self.picture(pixmap, linear)
            }
            StepKind::Offset { input, shift } => {
                let input = self.input(*input);
                let shift = (shift.0 * scale.0, shift.1 * scale.1);
                // Four steps of single precision, as resvg compares.
                if [shift.0, shift.1].iter().all(|n| n.abs().to_bits() <= 4) {
                    return Some(input);
                }
                let mut pixmap = self.pixmap()?;
                let (x, y) = pixels(shift, (1.0, 1.0));
                copy(&input.pixmap, x, y, &mut pixmap);
                self.picture(pixmap, input.linear)
            }
            StepKind::Flood { color } => {
                let mut pixmap = self.pixmap()?;
                pixmap.fill(*color);
                self.picture(pixmap, false)
            }
            StepKind::Merge { inputs } => {
                let mut pixmap = self.pixmap()?;
                for input in inputs {
                    over(&converted(self.input(*input), linear).pixmap, 0, 0, &mut pixmap);
                }
                self.picture(pixmap, linear)
            }
            StepKind::Blend { inputs: [first, second], mode } => {
                let [first, second] = [first, second].map(|input| converted(self.input(*input), linear));
                let mut pixmap = Rc::unwrap_or_clone(second.pixmap);
                if *mode == BlendMode::SourceOver {
                    over(&first.pixmap, 0, 0, &mut pixmap);
                } else {
                    let paint = PixmapPaint { blend_mode: *mode, ..PixmapPaint::default() };
                    pixmap.draw_pixmap(0, 0, (*first.pixmap).as_ref(), &paint, Transform::identity(), None);
                }
                self.picture(pixmap, linear)
            }
            StepKind::Matrix { input, values } => {
                let mut pixmap = Rc::unwrap_or_clone(converted(self.input(*input), linear).pixmap);
                matrix(&mut pixmap, values);
                self.picture(pixmap, linear)
            }
            StepKind::Transfer { input, tables } => {
                let mut pixmap = Rc::unwrap_or_clone(converted(self.input(*input), linear).pixmap);
                transfer::apply(&mut pixmap, tables);
                self.picture(pixmap, linear)
            }
            StepKind::Arithmetic { inputs: [first, second], factors } => {
                let [first, second] = [first, second].map(|input| converted(self.input(*input), linear));
                let mut pixmap = Rc::unwrap_or_clone(second.pixmap);
                arithmetic(&first.pixmap, *factors, &mut pixmap);
                self.picture(pixmap, linear)
            }
            StepKind::Morphology { input, dilate, radius } => {
                let mut pixmap = Rc::unwrap_or_clone(converted(self.input(*input), linear).pixmap);
                let radius = (radius.0 * scale.0, radius.1 * scale.1);
                if radius.0 > 0.0 && radius.1 > 0.0 {
                    morphology::apply(&mut pixmap, *dilate, radius);
                } else {
                    pixmap.data_mut().fill(0);
                }
                self.picture(pixmap, linear)
            }
        })
    }

    fn input(&self, input: Input) -> FilterPicture {
        let source = |pixmap: &Rc<Pixmap>| FilterPicture { pixmap: Rc::clone(pixmap), linear: false };
        match input {
            Input::Source => source(self.source),
            Input::SourceAlpha => {
                let mut picture = source(self.source);
                let (pixels, _) = Rc::make_mut(&mut picture.pixmap).data_mut().as_chunks_mut::<4>();
                pixels.iter_mut().for_each(|[red, green, blue, _]| (*red, *green, *blue) = (0, 0, 0));
                picture
            }
            Input::Step(at) => self.results[at].clone(),
        }
    }

    fn pixmap(&self) -> Option<Pixmap> {
        Pixmap::new(self.region.width(), self.region.height())
    }

    fn picture(&self, pixmap: Pixmap, linear: bool) -> FilterPicture {
        FilterPicture { pixmap: Rc::new(pixmap), linear }
    }
}

fn converted(mut picture: FilterPicture, linear: bool) -> FilterPicture {
    if picture.linear != linear {
        let pixmap = Rc::make_mut(&mut picture.pixmap);
        if linear {
            colors::into_linear(pixmap)
        } else {
            colors::into_srgb(pixmap)
        }
        picture.linear = linear;
    }
    picture
}

/// A length in pixels, cut to whole ones as resvg does.
#[allow(clippy::cast_possible_truncation, reason = "as resvg does")]
fn pixels((x, y): (f32, f32), (scale_x, scale_y): (f32, f32)) -> (i32, i32) {
    ((x * scale_x) as i32, (y * scale_y) as i32)
}

fn over(from: &Pixmap, x: i32, y: i32, to: &mut Pixmap) {
    if let Some(place) = IntRect::from_xywh(x, y, from.width(), from.height()) {
        composite_over(from, place, 1.0, &mut to.as_mut());
    }
}

/// Puts a picture at a place of an empty one.
fn copy(from: &Pixmap, x: i32, y: i32, to: &mut Pixmap) {
    over(from, x, y, to);
}

/// The shadow of a picture: its blurred alpha in a colour.
fn shadow(picture: &Pixmap, blur: Option<Blur>, color: tiny_skia::Color, linear: bool) -> Option<Pixmap> {
    // A pixel for each alpha.
    let mut levels = Pixmap::new(256, 1)?;
    for (alpha, pixel) in (0_u8..=255).zip(levels.pixels_mut()) {
        let mut color = color;
        color.apply_opacity(f32::from(alpha) / 255.0);
        *pixel = color.premultiply().to_color_u8();
    }
    if linear {
        colors::into_linear(&mut levels)
    } else {
        colors::into_srgb(&mut levels)
    }
    let mut pixmap = Pixmap::new(picture.width(), picture.height())?;
    match blur {
        None => {
            for (to, from) in pixmap.pixels_mut().iter_mut().zip(picture.pixels()) {
                *to = levels.pixels()[usize::from(from.alpha())];
            }
        }
        Some(blur) => {
            if levels.pixels()[0].alpha() != 0 {
                pixmap.pixels_mut().fill(levels.pixels()[0]);
            }
            let Some((area, alpha)) = blur.alpha(picture) else { return Some(pixmap) };
            let width = pixmap.width() as usize;
            #[allow(clippy::cast_sign_loss, reason = "it lies in the picture")]
            let (left, top) = (area.x() as usize, area.y() as usize);
            let across = area.width() as usize;
            let rows = pixmap.pixels_mut().chunks_exact_mut(width).skip(top);
            for (row, alpha) in rows.zip(alpha.chunks_exact(across)) {
                for (to, alpha) in row[left..left + across].iter_mut().zip(alpha) {
                    *to = levels.pixels()[usize::from(*alpha)];
                }
            }
        }
    }
    Some(pixmap)
}

/// Makes everything outside of a part transparent.
#[allow(clippy::cast_sign_loss, reason = "numbers below 0 are replaced")]
fn clear_outside(pixmap: &mut Pixmap, part: IntRect) {
    let side = |n: i32| n.max(0) as usize;
    let [left, right] = [part.left(), part.right()].map(|n| side(n).min(pixmap.width() as usize) * 4);
    let (top, bottom) = (side(part.top()), side(part.bottom()));
    let width = pixmap.width() as usize * 4;
    for (y, row) in pixmap.data_mut().chunks_exact_mut(width).enumerate() {
        if y < top || y >= bottom {
            row.fill(0);
        } else {
            row[..left].fill(0);
            row[right..].fill(0);
        }
    }
}

/// Sums of products of two pictures, in the second one.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as resvg does")]
fn arithmetic(first: &Pixmap, [k1, k2, k3, k4]: [f32; 4], second: &mut Pixmap) {
    let (ones, _) = first.data().as_chunks::<4>();
    let (twos, _) = second.data_mut().as_chunks_mut::<4>();
    for (one, two) in ones.iter().zip(twos) {
        let sum = |channel: usize, most: f32| {
            let (a, b) = (f32::from(one[channel]) / 255.0, f32::from(two[channel]) / 255.0);
            (k1 * a * b + k2 * a + k3 * b + k4).max(0.0).min(most)
        };
        let alpha = sum(3, 1.0);
        // Four steps of single precision, as resvg compares.
        *two = if alpha.to_bits() <= 4 {
            [0; 4]
        } else {
            [sum(0, alpha), sum(1, alpha), sum(2, alpha), alpha].map(|share| (share * 255.0) as u8)
        };
    }
}

/// Maps colours, not multiplied by alpha, by a matrix.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as resvg does")]
fn matrix(pixmap: &mut Pixmap, m: &[f32; 20]) {
    let (pixels, _) = pixmap.data_mut().as_chunks_mut::<4>();
    for pixel in pixels {
        let alpha = f32::from(pixel[3]) / 255.0;
        let divided = |n: u8| f32::from((f32::from(n) / alpha + 0.5) as u8) / 255.0;
        let (r, g, b, a) = (divided(pixel[0]), divided(pixel[1]), divided(pixel[2]), alpha);
        let row = |at: usize| {
            let sum = r * m[at] + g * m[at + 1] + b * m[at + 2] + a * m[at + 3] + m[at + 4];
            // Also NaN becomes 0.
            let share = if sum > 1.0 {
                1.0
            } else if sum >= 0.0 {
                sum
            } else {
                0.0
            };
            (share * 255.0) as u8
        };
        let [red, green, blue, alpha] = [row(0), row(5), row(10), row(15)];
        let share = f32::from(alpha) / 255.0;
        let times = |n: u8| (f32::from(n) * share + 0.5) as u8;
        *pixel = [times(red), times(green), times(blue), alpha];
    }
}
