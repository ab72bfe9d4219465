//! What a drawing is to the walker: usvg's tree, kept, with the holes of a template in their places.
//! It never changes and is shared between threads.

use std::sync::OnceLock;

use kurbo::Size;
use tiny_skia::{NonZeroRect, Path, Pixmap, Rect, SpreadMode, Stroke, Transform};

use super::boxes::Boxes;
use super::painter::Stop;
use crate::holes::Part;
use crate::presence::Stage;

/// A template's drawing, ready to be walked.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Children come before what is around them.
    pub(crate) nodes: Vec<Node>,
    pub(crate) roots: Vec<usize>,
    pub(crate) clips: Vec<Clip>,
    pub(crate) masks: Vec<Mask>,
    pub(crate) tiles: Vec<Tile>,
    pub(crate) pictures: Vec<Picture>,
    pub(crate) foreign: Vec<Foreign>,
    /// The outlines of posed paths at rest.
    pub(crate) at_rest: Vec<Option<Path>>,
    /// In pixels at scale 1.
    pub(crate) size: Size,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// Whether anything about it can change from frame to frame.
    pub(crate) moves: bool,
    /// Whether it and all in it can be drawn without the pixels behind it.
    pub(crate) plain: bool,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Group(Group),
    /// An element whose presence changes.
    Actor {
        actor: usize,
        children: Vec<usize>,
    },
    /// Children that may change places.
    Siblings {
        group: usize,
        items: Vec<Vec<usize>>,
    },
    Shape(Box<Shape>),
    Picture(usize),
    Foreign(usize),
}

#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) place: Place,
    pub(crate) layer: Option<Layer>,
    pub(crate) children: Vec<usize>,
    /// What it covers, if nothing in it moves.
    pub(crate) boxes: Option<Boxes>,
}

/// The transform of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Fixed(Transform),
    /// That of a rigid element.
    Rigid(usize),
}

/// How a group that is drawn on its own comes onto what is behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer {
    pub(crate) opacity: f32,
    pub(crate) blend: tiny_skia::BlendMode,
    pub(crate) clip: Option<usize>,
    pub(crate) mask: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) visible: bool,
    pub(crate) outline: Outline,
    pub(crate) fill: Option<(Ink, tiny_skia::FillRule)>,
    pub(crate) stroke: Option<(Ink, Line)>,
    pub(crate) stroke_first: bool,
    pub(crate) anti_alias: bool,
}

#[derive(Debug)]
pub(crate) enum Outline {
    Fixed(Path),
    Posed(usize),
}

/// A stroke at rest, and what changes about it.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) stroke: Stroke,
    pub(crate) width: Option<usize>,
    pub(crate) dashes: Option<usize>,
    pub(crate) offset: Option<usize>,
    /// Dashes and their offset at rest as the drawing has them.
    pub(crate) dashes_at_rest: Option<(Vec<f32>, f32)>,
}

#[derive(Debug)]
pub(crate) struct Ink {
    pub(crate) source: Source,
    pub(crate) opacity: usvg::Opacity,
    /// The template's gradient or pattern that this is.
    pub(crate) server: Option<usize>,
}

#[derive(Debug)]
pub(crate) enum Source {
    Color([u8; 3]),
    Linear { ends: [f32; 4], stops: Vec<Stop>, spread: SpreadMode, transform: Transform },
    Radial { numbers: [f32; 6], stops: Vec<Stop>, spread: SpreadMode, transform: Transform },
    Tile(usize),
}

#[derive(Debug)]
pub(crate) struct Tile {
    pub(crate) rect: NonZeroRect,
    pub(crate) transform: Transform,
    pub(crate) children: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct Clip {
    pub(crate) transform: Transform,
    pub(crate) clip: Option<usize>,
    pub(crate) children: Vec<usize>,
    pub(crate) moves: bool,
    /// What it covers with strokes, at rest.
    pub(crate) covers: Rect,
}

#[derive(Debug)]
pub(crate) struct Mask {
    pub(crate) rect: NonZeroRect,
    /// The template's region that this is.
    pub(crate) region: Option<usize>,
    pub(crate) kind: tiny_skia::MaskType,
    pub(crate) mask: Option<usize>,
    pub(crate) children: Vec<usize>,
    pub(crate) moves: bool,
}

/// An image.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(crate) image: Box<usvg::Image>,
    pub(crate) covers: Rect,
    /// Whether its pixels are kept once it was unpacked.
    pub(crate) keeps: bool,
    pub(crate) pixels: OnceLock<Option<Pixmap>>,
}

/// A group that resvg draws: its text, and that of the definitions that it uses.
#[derive(Debug)]
pub(crate) struct Foreign {
    pub(crate) parts: Vec<Part>,
    pub(crate) stage: Stage,
    /// Whether its text has holes.
    pub(crate) moves: bool,
}
