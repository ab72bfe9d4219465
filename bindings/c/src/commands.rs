//! Drawing commands as words of 32 bits: numbers, or the bits of floats. `include/bone_layer.h` describes them.
//!
//! A [`FlatFrame`] has the buffers. What it has no form for follows from the calls themselves: masks and tiles are
//! pictures among the commands, filters are numbers.

use bone_drawing::{
    Brush, Drawing, FillCall, FilterId, FlatCommand, FlatFrame, FlatOutline, Frame, GradientKind, ImageCall,
    LayerCall, LineJoin, MaskKind, NodeId, PaintSink, StrokeCall,
};
use kurbo::{Affine, Cap, Join};

const FILL: u32 = 0;
const STROKE: u32 = 1;
const IMAGE: u32 = 2;
const PUSH: u32 = 3;
const POP: u32 = 4;
const MASK: u32 = 5;
const TILE: u32 = 6;

/// Flags of fills and strokes.
const EVEN_ODD: u32 = 1;
const CRISP: u32 = 2;
const MITER_CLIP: u32 = 4;

/// Flags of layers: what has no form here.
const OTHER_FILTER: u32 = 1;
const CLIPPED_CLIP: u32 = 2;
const DEEP_MASK: u32 = 4;

/// How deep masks and tiles are in each other at most. Drawings rarely have more than one.
const MOST_NESTED: usize = 8;

/// Receives a frame and writes its commands.
pub(crate) struct CommandWriter<'a> {
    pub(crate) drawing: &'a Drawing,
    pub(crate) flat: &'a mut FlatFrame,
    pub(crate) words: &'a mut Vec<u32>,
    /// How many masks and tiles are open.
    pub(crate) nested: usize,
}

impl PaintSink for CommandWriter<'_> {
    fn fill(&mut self, call: &FillCall<'_>) {
        let tile = self.tile(&call.brush);
        self.flat.fill(call);
        let Some(FlatCommand::Fill { outline, even_odd, transform, .. }) = self.last() else { return };
        let start = self.begin(FILL, call.node);
        self.number(transform);
        self.outline(&outline);
        self.words.push(flag(even_odd, EVEN_ODD) | flag(!call.smooth, CRISP));
        self.float(call.opacity);
        self.paint(&call.brush, tile);
        self.end(start);
    }

    fn stroke(&mut self, call: &StrokeCall<'_>) {
        let tile = self.tile(&call.brush);
        self.flat.stroke(call);
        let Some(FlatCommand::Stroke { outline, transform, .. }) = self.last() else { return };
        let start = self.begin(STROKE, call.node);
        let style = &call.style;
        self.number(transform);
        self.outline(&outline);
        self.words.push(flag(!call.smooth, CRISP) | flag(call.join == LineJoin::MiterClip, MITER_CLIP));
        self.float(call.opacity);
        self.float(style.width);
        self.words.push(match style.start_cap {
            Cap::Butt => 0,
            Cap::Round => 1,
            Cap::Square => 2,
        });
        self.words.push(match style.join {
            Join::Miter => 0,
            Join::Round => 1,
            Join::Bevel => 2,
        });
        self.float(style.miter_limit);
        self.float(style.dash_offset);
        self.number(style.dash_pattern.len());
        style.dash_pattern.iter().for_each(|dash| self.float(*dash));
        self.paint(&call.brush, tile);
        self.end(start);
    }

    fn image(&mut self, call: &ImageCall<'_>) {
        self.flat.image(call);
        let Some(FlatCommand::Image { transform, .. }) = self.last() else { return };
        let start = self.begin(IMAGE, call.node);
        self.number(transform);
        self.float(call.image.size.width);
        self.float(call.image.size.height);
        self.words.push(call.image.sampling as u32);
        self.words.push(u32::from(!call.tint.is_identity()));
        call.tint.multiply.into_iter().chain(call.tint.add).for_each(|number| self.float(number));
        self.end(start);
    }

    fn push_layer(&mut self, call: &LayerCall<'_>) -> bool {
        self.flat.push_layer(call);
        let Some(FlatCommand::Push { layer }) = self.last() else { return false };
        let start = self.begin(PUSH, call.node);
        let clips = self.flat.layers().get(layer).map_or(0..0, |layer| layer.clips.clone());
        let masks = || std::iter::successors(call.mask, |mask| mask.mask());
        let is_deep = self.nested >= MOST_NESTED && call.mask.is_some();
        let has_clipped = std::iter::successors(call.clip, |clip| clip.clip())
            .any(|clip| clip.outlines().iter().any(|outline| outline.clip.is_some()));
        self.float(call.opacity);
        self.words.push(call.blend as u32);
        let partial = self.words.len();
        self.words.push(flag(has_clipped, CLIPPED_CLIP) | flag(is_deep, DEEP_MASK));
        self.number(clips.len());
        for clip in clips {
            let outlines = self.flat.clips()[clip].clone();
            self.number(outlines.len());
            for at in outlines {
                let found = self.flat.clip_outlines()[at];
                self.number(found.transform);
                self.outline(&found.outline);
                self.words.push(flag(found.even_odd, EVEN_ODD));
            }
        }
        self.affine(call.transform);
        self.number(call.filters.len());
        for filter in call.filters {
            let drawn = self.filter(call.frame, *filter);
            self.words[partial] |= flag(!drawn, OTHER_FILTER);
        }
        self.number(if is_deep { 0 } else { masks().count() });
        self.end(start);
        for mask in masks().filter(|_| !is_deep) {
            let start = self.words.len();
            self.words.extend([MASK, 0, u32::from(mask.kind() == MaskKind::Alpha)]);
            let rect = mask.rect();
            [rect.x0, rect.y0, rect.width(), rect.height()].into_iter().for_each(|number| self.float(number));
            self.affine(call.transform);
            self.end(start);
            self.nested += 1;
            mask.content().paint(call.transform, self);
            self.nested -= 1;
            self.words.extend([POP, 2]);
        }
        true
    }

    fn pop_layer(&mut self) {
        self.flat.pop_layer();
        self.words.extend([POP, 2]);
    }
}

fn flag(is_set: bool, flag: u32) -> u32 {
    if is_set { flag } else { 0 }
}

impl CommandWriter<'_> {
    fn last(&self) -> Option<FlatCommand> {
        self.flat.commands().last().copied()
    }

    /// Writes the tile of a pattern; false if the brush has none.
    fn tile(&mut self, brush: &Brush<'_>) -> bool {
        let Brush::Pattern { rect, transform, content } = brush else { return false };
        if self.nested >= MOST_NESTED {
            return false;
        }
        let start = self.words.len();
        self.words.extend([TILE, 0]);
        [rect.x0, rect.y0, rect.width(), rect.height()].into_iter().for_each(|number| self.float(number));
        self.affine(*transform);
        self.end(start);
        self.nested += 1;
        content.paint(Affine::IDENTITY, self);
        self.nested -= 1;
        self.words.extend([POP, 2]);
        true
    }

    /// Writes a filter: its region and its steps. False if it does more than blurs and shadows, each of what the step
    /// before has made, in sRGB and in the whole region.
    fn filter(&mut self, frame: &Frame, id: FilterId) -> bool {
        let region = frame.filter(self.drawing, id);
        [region.x0, region.y0, region.width(), region.height()]
            .into_iter()
            .for_each(|number| self.float(number));
        let steps = self.drawing.filter(id).map_or(&[][..], |filter| &filter.steps);
        let (count, mut written, mut drawn) = (self.words.len(), 0, true);
        self.words.push(0);
        let mut before: Option<&str> = Some("SourceGraphic");
        for (at, step) in steps.iter().enumerate() {
            let kind = match &*step.tag {
                "feGaussianBlur" => 0,
                "feDropShadow" => 1,
                _ => {
                    drawn = false;
                    continue;
                }
            };
            let input = step.attribute("in");
            drawn &= step.rect.is_none() && (input.is_none() || input == before);
            drawn &= step.attribute("color-interpolation-filters") == Some("sRGB");
            before = step.attribute("result");
            let values = frame.step_values(self.drawing, id, at).unwrap_or(&step.values);
            self.words.push(kind);
            values.iter().take(8).for_each(|value| self.float(*value));
            written += 1;
        }
        self.words[count] = written;
        drawn
    }

    /// Kind, length, node and element. The length is written at the end.
    fn begin(&mut self, kind: u32, node: NodeId) -> usize {
        let start = self.words.len();
        let element = self.drawing.element_around(node).map_or(u32::MAX, |element| element.index() as u32);
        self.words.extend([kind, 0, node.index() as u32, element]);
        start
    }

    fn end(&mut self, start: usize) {
        self.words[start + 1] = (self.words.len() - start) as u32;
    }

    fn number(&mut self, number: usize) {
        self.words.push(u32::try_from(number).unwrap_or(u32::MAX));
    }

    fn float(&mut self, number: f64) {
        self.words.push((number as f32).to_bits());
    }

    fn outline(&mut self, outline: &FlatOutline) {
        [outline.verb, outline.verbs, outline.coordinate, outline.coordinates]
            .into_iter()
            .for_each(|number| self.number(number));
    }

    fn affine(&mut self, affine: Affine) {
        affine.as_coeffs().into_iter().for_each(|number| self.float(number));
    }

    fn paint(&mut self, brush: &Brush<'_>, has_tile: bool) {
        match brush {
            Brush::Color([red, green, blue]) => {
                self.words.extend([0, u32::from_be_bytes([0, *red, *green, *blue])]);
            }
            Brush::Gradient { gradient, transform } => {
                let (number, places) = match gradient.kind {
                    GradientKind::Linear { start, end } => (1, [start.x, start.y, 0.0, end.x, end.y, 0.0]),
                    GradientKind::Radial { center, radius, focus, focus_radius } => {
                        (2, [focus.x, focus.y, focus_radius, center.x, center.y, radius])
                    }
                };
                self.words.extend([number, gradient.spread as u32]);
                places.into_iter().for_each(|number| self.float(number));
                self.affine(*transform);
                self.number(gradient.stops.len());
                for stop in gradient.stops.iter() {
                    self.float(stop.offset);
                    stop.color.iter().for_each(|level| self.float(f64::from(*level) / 255.0));
                    self.float(stop.opacity);
                }
            }
            Brush::Pattern { .. } => self.words.extend([3, u32::from(has_tile)]),
        }
    }
}
