//! The render tree: a drawing with slots, in the single-precision numbers that pixels are drawn with. It
//! never changes and is shared between threads.

use std::sync::{Arc, OnceLock};

use bone_drawing::{GradientKind, NodeId, StrokeLook};
use bone_raster::Stop;
use tiny_skia::{NonZeroRect, Path, Pixmap, Rect, SpreadMode, Stroke, Transform};

use super::filter::FilterChain;

/// A drawing, ready to be drawn.
#[derive(Debug)]
pub(crate) struct RenderTree {
    /// Children come before their group.
    pub(crate) nodes: Vec<Node>,
    /// How many of the nodes are shapes.
    pub(crate) shapes: usize,
    pub(crate) roots: Vec<usize>,
    pub(crate) clips: Vec<Clip>,
    pub(crate) masks: Vec<Mask>,
    pub(crate) tiles: Vec<Tile>,
    pub(crate) pictures: Vec<RenderImage>,
    pub(crate) filtered: Vec<Filtered>,
    pub(crate) filters: Vec<FilterChain>,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: RenderKind,
    /// Whether it can change from frame to frame.
    pub(crate) moves: bool,
}

#[derive(Debug)]
pub(crate) enum RenderKind {
    Group(Group),
    /// A group whose visibility has a slot.
    Visible {
        slot: usize,
        children: Vec<usize>,
    },
    Shape(Box<Shape>),
    /// An image, and the slot of what is made of its colours.
    Picture(usize, Option<usize>),
    /// A group with filters that are left to resvg.
    Filtered(usize),
}

#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) transform: GroupTransform,
    pub(crate) layer: Option<Layer>,
    pub(crate) children: Vec<usize>,
}

/// The transform of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GroupTransform {
    Fixed(Transform),
    /// A slot.
    Posed(usize),
}

/// How the layer of an isolated group is composited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer {
    pub(crate) opacity: f32,
    pub(crate) blend: tiny_skia::BlendMode,
    pub(crate) clip: Option<usize>,
    pub(crate) mask: Option<usize>,
    pub(crate) filters: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Shape {
    /// Its index among the shapes: that of its cached data.
    pub(crate) index: usize,
    pub(crate) visible: bool,
    /// The slot of its look.
    pub(crate) look: Option<usize>,
    pub(crate) outline: Outline,
    pub(crate) fill: Option<(ShapePaint, tiny_skia::FillRule)>,
    /// In memory of its own, since most shapes have none.
    pub(crate) stroke: Option<Box<(ShapePaint, Line)>>,
    pub(crate) stroke_first: bool,
    pub(crate) anti_alias: bool,
}

#[derive(Debug)]
pub(crate) enum Outline {
    /// None if a reader of single precision leaves it out.
    Fixed(Option<Path>),
    /// A slot.
    Posed(usize),
}

/// A stroke at rest.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) stroke: Stroke,
    /// The slot of its scale.
    pub(crate) slot: Option<usize>,
    /// Its lengths at rest.
    pub(crate) look: StrokeLook,
    pub(crate) dashes: Vec<f64>,
}

/// The colour source and opacity of a fill or a stroke.
#[derive(Clone, Debug)]
pub(crate) struct ShapePaint {
    pub(crate) source: PaintSource,
    pub(crate) opacity: usvg::Opacity,
}

/// The geometry and the stops of a gradient: those of the drawing, and what stops are with the opacity of the paint.
#[derive(Clone, Debug)]
pub(crate) struct Stops {
    pub(crate) kind: GradientKind,
    pub(crate) own: Arc<[bone_drawing::Stop]>,
    /// The slot of those of a frame.
    pub(crate) slot: Option<usize>,
    pub(crate) painted: Vec<Stop>,
}

#[derive(Clone, Debug)]
pub(crate) enum PaintSource {
    Color([u8; 3]),
    Linear { ends: [f32; 4], stops: Stops, spread: SpreadMode, place: PaintTransform },
    Radial { numbers: [f32; 6], stops: Stops, spread: SpreadMode, place: PaintTransform },
    Tile(usize),
}

/// The transform of a gradient or pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PaintTransform {
    Fixed(Transform),
    Gradient(usize),
    Pattern(usize),
}

#[derive(Debug)]
pub(crate) struct Tile {
    pub(crate) rect: NonZeroRect,
    pub(crate) place: PaintTransform,
    pub(crate) children: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct Clip {
    pub(crate) transform: Transform,
    pub(crate) clip: Option<usize>,
    pub(crate) children: Vec<usize>,
    pub(crate) moves: bool,
}

#[derive(Debug)]
pub(crate) struct Mask {
    pub(crate) rect: NonZeroRect,
    /// The slot of its region.
    pub(crate) slot: Option<usize>,
    pub(crate) kind: tiny_skia::MaskType,
    pub(crate) mask: Option<usize>,
    pub(crate) children: Vec<usize>,
    pub(crate) moves: bool,
}

/// An image.
#[derive(Debug)]
pub(crate) struct RenderImage {
    pub(crate) image: bone_drawing::Image,
    pub(crate) covers: Rect,
    /// Whether its decoded pixels are kept.
    pub(crate) keeps: bool,
    pub(crate) pixels: OnceLock<Option<Pixmap>>,
    /// usvg's tree of an image that is a drawing itself, or that resvg draws.
    pub(crate) vector: OnceLock<Option<Box<usvg::Tree>>>,
}

/// A node that resvg draws, from a text of its own.
#[derive(Debug)]
pub(crate) struct Filtered {
    pub(crate) node: NodeId,
    /// Whether its text can change from frame to frame.
    pub(crate) moves: bool,
}

/// The boxes of a node in its own space: of its outlines, of those with strokes, and of its layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boxes {
    pub(crate) object: Rect,
    pub(crate) stroke: Rect,
    pub(crate) layer: NonZeroRect,
}

impl Boxes {
    /// Of a group of usvg's tree.
    pub(crate) fn of(group: &usvg::Group) -> Self {
        Self {
            object: group.bounding_box(),
            stroke: group.stroke_bounding_box(),
            layer: group.layer_bounding_box(),
        }
    }

    /// Of an empty group.
    pub(crate) fn empty() -> Option<Self> {
        let zero = Rect::from_xywh(0.0, 0.0, 0.0, 0.0)?;
        Some(Self { object: zero, stroke: zero, layer: NonZeroRect::from_xywh(0.0, 0.0, 1.0, 1.0)? })
    }
}
