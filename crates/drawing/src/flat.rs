//! A frame as flat buffers: path verbs, coordinates, and tables of paints and strokes. Another language, such
//! as the JavaScript of a page that draws with `Path2D`, reads them without a call for each curve.

use std::ops::Range;

use kurbo::{Affine, BezPath, Cap, Join, PathEl, Point};

use crate::color_map::ColorMap;
use crate::node::BlendMode;
use crate::node_id::NodeId;
use crate::paint::{FillRule, GradientKind, Spread};
use crate::sink::{Brush, ClipStack, FillCall, ImageCall, LayerCall, PaintSink, StrokeCall};

/// The meaning of a number in [`FlatFrame::verbs`], and how many coordinates it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Verb {
    /// Two coordinates: a new figure starts.
    Move = 0,
    /// Two coordinates: a straight line.
    Line = 1,
    /// Four coordinates: a quadratic curve.
    Quad = 2,
    /// Six coordinates: a cubic curve.
    Cubic = 3,
    /// None: the figure is closed.
    Close = 4,
}

/// A drawing command. Its numbers are indices of the tables of a [`FlatFrame`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are the tables' names")]
pub enum FlatCommand {
    /// Fills an outline.
    Fill { node: NodeId, outline: FlatOutline, paint: usize, even_odd: bool, opacity: f64, transform: usize },
    /// Strokes an outline.
    Stroke { node: NodeId, outline: FlatOutline, paint: usize, style: usize, opacity: f64, transform: usize },
    /// Paints an image of the drawing.
    Image { node: NodeId, tint: ColorMap, transform: usize },
    /// Opens a layer.
    Push { layer: usize },
    /// Closes the layer that was opened last.
    Pop,
}

/// An outline in the buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatOutline {
    /// Its first verb.
    pub verb: usize,
    /// How many verbs it has.
    pub verbs: usize,
    /// Its first coordinate.
    pub coordinate: usize,
    /// How many coordinates it has.
    pub coordinates: usize,
}

/// A paint.
#[derive(Clone, Debug, PartialEq)]
pub enum FlatPaint {
    /// Red, green and blue.
    Color([u8; 3]),
    /// A gradient: geometry and stops as the drawing has them, with its transform.
    Gradient {
        /// Linear or radial.
        kind: GradientKind,
        /// Its range in [`FlatFrame::stops`].
        stops: Range<usize>,
        /// How it continues beyond its ends.
        spread: Spread,
        /// From its own space to that of the outline.
        transform: Affine,
    },
    /// A pattern. It has no flat form; the drawing itself is needed to draw it.
    Pattern,
}

/// How lines are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatStroke {
    /// In the space of the outline.
    pub width: f64,
    /// The ends of lines.
    pub cap: Cap,
    /// Their corners.
    pub join: Join,
    /// At least 1.
    pub miter_limit: f64,
    /// Dashes and gaps, a range in [`FlatFrame::dashes`]; empty for a solid line.
    pub dashes: Range<usize>,
    /// Where along the dashes the line begins.
    pub dash_offset: f64,
}

/// A layer.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatLayer {
    /// The group.
    pub node: NodeId,
    /// From 0 to 1.
    pub opacity: f64,
    /// How it is blended with its backdrop.
    pub blend: BlendMode,
    /// Clip paths, all of which clip it: a range in [`FlatFrame::clips`].
    pub clips: Range<usize>,
    /// Whether it has a mask or filters, which have no flat form.
    pub partial: bool,
}

/// An outline of a clip path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlatClipOutline {
    /// Its curves.
    pub outline: FlatOutline,
    /// Its transform, an index of [`FlatFrame::transforms`].
    pub transform: usize,
    /// Its fill rule.
    pub even_odd: bool,
}

/// Outlines as flat buffers, in double precision: posed outlines for readers in other languages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlatOutlines {
    verbs: Vec<u8>,
    coordinates: Vec<f64>,
    outlines: Vec<FlatOutline>,
}

impl FlatOutlines {
    /// Replaces the outlines. Allocates nothing where the buffers had as many before.
    pub fn fill<'p>(&mut self, paths: impl IntoIterator<Item = &'p BezPath>) {
        self.verbs.clear();
        self.coordinates.clear();
        self.outlines.clear();
        for path in paths {
            let outline = append(path, &mut self.verbs, &mut self.coordinates, |coordinate| coordinate);
            self.outlines.push(outline);
        }
    }

    /// The verbs of all outlines, each a [`Verb`] as a number.
    pub fn verbs(&self) -> &[u8] {
        &self.verbs
    }

    /// The coordinates of all outlines, x and y in turn.
    pub fn coordinates(&self) -> &[f64] {
        &self.coordinates
    }

    /// The ranges of each outline, in the order of the paths.
    pub fn outlines(&self) -> &[FlatOutline] {
        &self.outlines
    }
}

/// Appends the verbs and coordinates of a path.
fn append<T>(
    path: &BezPath,
    verbs: &mut Vec<u8>,
    coordinates: &mut Vec<T>,
    convert: impl Fn(f64) -> T,
) -> FlatOutline {
    let (verb, coordinate) = (verbs.len(), coordinates.len());
    for element in path.elements() {
        let (kind, points): (Verb, &[Point]) = match element {
            PathEl::MoveTo(p) => (Verb::Move, &[*p]),
            PathEl::LineTo(p) => (Verb::Line, &[*p]),
            PathEl::QuadTo(a, p) => (Verb::Quad, &[*a, *p]),
            PathEl::CurveTo(a, b, p) => (Verb::Cubic, &[*a, *b, *p]),
            PathEl::ClosePath => (Verb::Close, &[]),
        };
        verbs.push(kind as u8);
        coordinates.extend(points.iter().flat_map(|p| [convert(p.x), convert(p.y)]));
    }
    let (verbs, coordinates) = (verbs.len() - verb, coordinates.len() - coordinate);
    FlatOutline { verb, verbs, coordinate, coordinates }
}

/// A frame as flat buffers, filled by [`Drawing::paint`](crate::Drawing::paint).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlatFrame {
    verbs: Vec<u8>,
    coordinates: Vec<f32>,
    transforms: Vec<[f64; 6]>,
    paints: Vec<FlatPaint>,
    strokes: Vec<FlatStroke>,
    stops: Vec<(f64, [f64; 4])>,
    dashes: Vec<f64>,
    layers: Vec<FlatLayer>,
    clips: Vec<Range<usize>>,
    clip_outlines: Vec<FlatClipOutline>,
    commands: Vec<FlatCommand>,
    stack: ClipStack,
}

impl FlatFrame {
    /// Empties the buffers and keeps their memory.
    pub fn clear(&mut self) {
        self.verbs.clear();
        self.coordinates.clear();
        self.transforms.clear();
        self.paints.clear();
        self.strokes.clear();
        self.stops.clear();
        self.dashes.clear();
        self.layers.clear();
        self.clips.clear();
        self.clip_outlines.clear();
        self.commands.clear();
    }

    /// The verbs of all outlines, each a [`Verb`] as a number.
    pub fn verbs(&self) -> &[u8] {
        &self.verbs
    }

    /// The coordinates of all outlines, x and y in turn, in their own spaces.
    pub fn coordinates(&self) -> &[f32] {
        &self.coordinates
    }

    /// The curves of an outline, for readers in Rust. Empty for an outline that is not in these buffers.
    pub fn path(&self, outline: &FlatOutline) -> BezPath {
        let range = |start: usize, count: usize| start..start.saturating_add(count);
        let coordinates = self.coordinates.get(range(outline.coordinate, outline.coordinates));
        let verbs = self.verbs.get(range(outline.verb, outline.verbs)).unwrap_or_default();
        let (points, _) = coordinates.unwrap_or_default().as_chunks::<2>();
        let mut points = points.iter().map(|[x, y]| Point::new(f64::from(*x), f64::from(*y)));
        let mut point = || points.next().unwrap_or_default();
        let element = |verb: &u8| match *verb {
            verb if verb == Verb::Move as u8 => PathEl::MoveTo(point()),
            verb if verb == Verb::Line as u8 => PathEl::LineTo(point()),
            verb if verb == Verb::Quad as u8 => PathEl::QuadTo(point(), point()),
            verb if verb == Verb::Cubic as u8 => PathEl::CurveTo(point(), point(), point()),
            _ => PathEl::ClosePath,
        };
        verbs.iter().map(element).collect()
    }

    /// Transforms from the spaces of outlines to that of the view: a, b, c, d, e and f as SVG writes them.
    pub fn transforms(&self) -> &[[f64; 6]] {
        &self.transforms
    }

    /// The paints.
    pub fn paints(&self) -> &[FlatPaint] {
        &self.paints
    }

    /// How lines are drawn.
    pub fn strokes(&self) -> &[FlatStroke] {
        &self.strokes
    }

    /// The stops of gradients: offset, and red, green, blue and alpha from 0 to 1.
    pub fn stops(&self) -> &[(f64, [f64; 4])] {
        &self.stops
    }

    /// The dashes and gaps of strokes.
    pub fn dashes(&self) -> &[f64] {
        &self.dashes
    }

    /// The clip paths of layers, each a range in [`clip_outlines`](Self::clip_outlines). The union of its outlines
    /// is visible.
    pub fn clips(&self) -> &[Range<usize>] {
        &self.clips
    }

    /// The outlines of clip paths.
    pub fn clip_outlines(&self) -> &[FlatClipOutline] {
        &self.clip_outlines
    }

    /// The layers.
    pub fn layers(&self) -> &[FlatLayer] {
        &self.layers
    }

    /// The commands, back to front.
    pub fn commands(&self) -> &[FlatCommand] {
        &self.commands
    }

    #[allow(clippy::cast_possible_truncation, reason = "canvases draw in single precision")]
    fn outline(&mut self, path: &BezPath) -> FlatOutline {
        append(path, &mut self.verbs, &mut self.coordinates, |coordinate| coordinate as f32)
    }

    /// The place of a transform. Shapes of one group follow each other, so the last one is often the same.
    fn transform(&mut self, transform: Affine) -> usize {
        let transform = transform.as_coeffs();
        if self.transforms.last() != Some(&transform) {
            self.transforms.push(transform);
        }
        self.transforms.len() - 1
    }

    fn paint(&mut self, brush: &Brush<'_>) -> usize {
        let paint = match brush {
            Brush::Color(color) => FlatPaint::Color(*color),
            Brush::Gradient { gradient, transform } => {
                let level = |n: u8| f64::from(n) / 255.0;
                let stops = gradient.stops.iter().map(|stop| {
                    let [red, green, blue] = stop.color.map(level);
                    (stop.offset, [red, green, blue, stop.opacity])
                });
                let first = self.stops.len();
                self.stops.extend(stops);
                let (kind, spread, stops) = (gradient.kind, gradient.spread, first..self.stops.len());
                FlatPaint::Gradient { kind, stops, spread, transform: *transform }
            }
            Brush::Pattern { .. } => FlatPaint::Pattern,
        };
        if self.paints.last() != Some(&paint) {
            self.paints.push(paint);
        }
        self.paints.len() - 1
    }

    fn style(&mut self, style: &kurbo::Stroke) -> usize {
        let first = self.dashes.len();
        self.dashes.extend(style.dash_pattern.iter().copied());
        let style = FlatStroke {
            width: style.width,
            cap: style.start_cap,
            join: style.join,
            miter_limit: style.miter_limit,
            // Solid lines are equal wherever they are.
            dashes: if style.dash_pattern.is_empty() { 0..0 } else { first..self.dashes.len() },
            dash_offset: style.dash_offset,
        };
        if self.strokes.last() != Some(&style) {
            self.strokes.push(style);
        }
        self.strokes.len() - 1
    }
}

impl PaintSink for FlatFrame {
    fn fill(&mut self, fill: &FillCall<'_>) {
        let outline = self.outline(fill.outline);
        let (paint, transform) = (self.paint(&fill.brush), self.transform(fill.transform));
        let even_odd = fill.rule == FillRule::EvenOdd;
        let (node, opacity) = (fill.node, fill.opacity);
        self.commands.push(FlatCommand::Fill { node, outline, paint, even_odd, opacity, transform });
    }

    fn stroke(&mut self, stroke: &StrokeCall<'_>) {
        let outline = self.outline(stroke.outline);
        let (paint, transform) = (self.paint(&stroke.brush), self.transform(stroke.transform));
        let style = self.style(&stroke.style);
        let (node, opacity) = (stroke.node, stroke.opacity);
        self.commands.push(FlatCommand::Stroke { node, outline, paint, style, opacity, transform });
    }

    fn image(&mut self, image: &ImageCall<'_>) {
        let transform = self.transform(image.transform);
        self.commands.push(FlatCommand::Image { node: image.node, tint: image.tint, transform });
    }

    fn push_layer(&mut self, layer: &LayerCall<'_>) -> bool {
        let first = self.clips.len();
        let mut partial = layer.mask.is_some() || !layer.filters.is_empty();
        let mut stack = std::mem::take(&mut self.stack);
        let mut next = layer.clip;
        while let Some(clip) = next {
            let outlines = self.clip_outlines.len();
            clip.visit(&mut stack, |found| {
                partial |= found.clip.is_some();
                let outline = self.outline(found.outline);
                let transform = self.transform(layer.transform * found.transform);
                let even_odd = found.rule == FillRule::EvenOdd;
                self.clip_outlines.push(FlatClipOutline { outline, transform, even_odd });
            });
            self.clips.push(outlines..self.clip_outlines.len());
            next = clip.clip();
        }
        self.stack = stack;
        let clips = first..self.clips.len();
        let (node, opacity, blend) = (layer.node, layer.opacity, layer.blend);
        self.layers.push(FlatLayer { node, opacity, blend, clips, partial });
        self.commands.push(FlatCommand::Push { layer: self.layers.len() - 1 });
        true
    }

    fn pop_layer(&mut self) {
        self.commands.push(FlatCommand::Pop);
    }
}
