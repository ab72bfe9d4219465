//! Drawing commands as words of 32 bits: numbers, or the bits of floats. `include/bone_layer.h` describes them.

use bone_drawing::{Drawing, FlatCommand, FlatFrame, FlatOutline, FlatPaint, GradientKind, NodeId, NodeKind};
use kurbo::{Affine, Cap, Join};

const FILL: u32 = 0;
const STROKE: u32 = 1;
const IMAGE: u32 = 2;
const PUSH: u32 = 3;
const POP: u32 = 4;

/// Writes all commands of a frame.
pub(crate) fn write(drawing: &Drawing, flat: &FlatFrame, words: &mut Vec<u32>) {
    words.clear();
    let mut out = Words { drawing, flat, words };
    for command in flat.commands() {
        match *command {
            FlatCommand::Fill { node, outline, paint, even_odd, opacity, transform } => {
                let start = out.begin(FILL, node);
                out.number(transform);
                out.outline(&outline);
                out.words.push(u32::from(even_odd));
                out.float(opacity);
                out.paint(paint);
                out.end(start);
            }
            FlatCommand::Stroke { node, outline, paint, style, opacity, transform } => {
                let start = out.begin(STROKE, node);
                let stroke = &flat.strokes()[style];
                out.number(transform);
                out.outline(&outline);
                out.float(opacity);
                out.float(stroke.width);
                out.words.push(match stroke.cap {
                    Cap::Butt => 0,
                    Cap::Round => 1,
                    Cap::Square => 2,
                });
                out.words.push(match stroke.join {
                    Join::Miter => 0,
                    Join::Round => 1,
                    Join::Bevel => 2,
                });
                out.float(stroke.miter_limit);
                out.float(stroke.dash_offset);
                let dashes = &flat.dashes()[stroke.dashes.clone()];
                out.number(dashes.len());
                dashes.iter().for_each(|dash| out.float(*dash));
                out.paint(paint);
                out.end(start);
            }
            FlatCommand::Image { node, tint, transform } => {
                let start = out.begin(IMAGE, node);
                out.number(transform);
                let size = drawing.node(node).and_then(|node| match &node.kind {
                    NodeKind::Image(image) => Some(image.size),
                    _ => None,
                });
                let size = size.unwrap_or_default();
                out.float(size.width);
                out.float(size.height);
                out.words.push(u32::from(!tint.is_identity()));
                out.end(start);
            }
            FlatCommand::Push { layer } => {
                let layer = &flat.layers()[layer];
                let start = out.begin(PUSH, layer.node);
                out.float(layer.opacity);
                out.words.push(layer.blend as u32);
                out.words.push(u32::from(layer.partial));
                let clips = &flat.clips()[layer.clips.clone()];
                out.number(clips.len());
                for clip in clips {
                    let outlines = &flat.clip_outlines()[clip.clone()];
                    out.number(outlines.len());
                    for found in outlines {
                        out.number(found.transform);
                        out.outline(&found.outline);
                        out.words.push(u32::from(found.even_odd));
                    }
                }
                out.end(start);
            }
            FlatCommand::Pop => {
                out.words.extend([POP, 2]);
            }
        }
    }
}

struct Words<'a> {
    drawing: &'a Drawing,
    flat: &'a FlatFrame,
    words: &'a mut Vec<u32>,
}

impl Words<'_> {
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

    fn paint(&mut self, paint: usize) {
        match &self.flat.paints()[paint] {
            FlatPaint::Color([red, green, blue]) => {
                self.words.extend([0, u32::from_be_bytes([0, *red, *green, *blue])]);
            }
            FlatPaint::Gradient { kind, stops, spread, transform } => {
                let (number, places) = match *kind {
                    GradientKind::Linear { start, end } => (1, [start.x, start.y, 0.0, end.x, end.y, 0.0]),
                    GradientKind::Radial { center, radius, focus, focus_radius } => {
                        (2, [focus.x, focus.y, focus_radius, center.x, center.y, radius])
                    }
                };
                self.words.push(number);
                self.words.push(*spread as u32);
                places.into_iter().for_each(|number| self.float(number));
                self.affine(*transform);
                let stops = &self.flat.stops()[stops.clone()];
                self.number(stops.len());
                for (offset, color) in stops {
                    self.float(*offset);
                    color.iter().for_each(|level| self.float(*level));
                }
            }
            FlatPaint::Pattern => self.words.push(3),
        }
    }
}
