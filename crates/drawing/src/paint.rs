//! Colours, gradients and patterns, and how outlines are filled and stroked. Numbers that a reader had in
//! single precision are stored widened, so narrowing them gives the same numbers.

use bone_archive::archive;
use std::sync::Arc;

use kurbo::{Affine, Point, Rect, Vec2};

use crate::node_id::{NodeId, index};

archive! {
    /// The colour source of a fill or a stroke.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Paint {
        /// One colour: red, green and blue in sRGB.
        Color([u8; 3]) = 0,
        /// A gradient of the drawing.
        Gradient(GradientId) = 1,
        /// A pattern of the drawing.
        Pattern(PatternId) = 2,
    }
}

/// A gradient in [`Drawing::gradients`](crate::Drawing::gradients).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GradientId(pub(crate) u32);

/// A pattern in [`Drawing::patterns`](crate::Drawing::patterns).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatternId(pub(crate) u32);

index!(GradientId, PatternId);

impl GradientId {
    /// The gradient at a place of the list.
    pub(crate) fn at(index: usize) -> Option<Self> {
        u32::try_from(index).ok().map(Self)
    }
}

/// How an outline is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    /// Its colours.
    pub paint: Paint,
    /// From 0 to 1.
    pub opacity: f64,
    /// Its fill rule.
    pub rule: FillRule,
}

archive! {
    /// Which points are inside an outline that crosses itself.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum FillRule {
        /// Points with a winding number other than 0.
        #[default]
        NonZero = 0,
        /// Points with an odd winding number.
        EvenOdd = 1,
    }
}

/// How an outline is stroked. Lengths are in the space of the outline.
#[derive(Clone, Debug, PartialEq)]
pub struct Stroke {
    /// Its colours.
    pub paint: Paint,
    /// From 0 to 1.
    pub opacity: f64,
    /// Greater than 0.
    pub width: f64,
    /// Lengths of dashes and gaps, an even number of them; empty for a solid line.
    pub dashes: Vec<f64>,
    /// Where along the dashes the line begins.
    pub dash_offset: f64,
    /// The ends of open lines.
    pub cap: LineCap,
    /// The corners.
    pub join: LineJoin,
    /// At least 1.
    pub miter_limit: f64,
}

impl Stroke {
    /// A solid line of one colour, with SVG's defaults for the rest.
    pub fn new(color: [u8; 3], width: f64) -> Self {
        Self {
            paint: Paint::Color(color),
            opacity: 1.0,
            width,
            dashes: Vec::new(),
            dash_offset: 0.0,
            cap: LineCap::default(),
            join: LineJoin::default(),
            miter_limit: 4.0,
        }
    }
}

archive! {
    /// The end of an open line.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum LineCap {
        /// It ends where the outline ends.
        #[default]
        Butt = 0,
        /// Half a circle.
        Round = 1,
        /// Half a square.
        Square = 2,
    }
}

archive! {
    /// The corner of a line.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum LineJoin {
        /// Pointed, or cut off if it would be longer than the miter limit.
        #[default]
        Miter = 0,
        /// Pointed, or cut at the miter limit.
        MiterClip = 1,
        /// A part of a circle.
        Round = 2,
        /// Cut off.
        Bevel = 3,
    }
}

/// A gradient. It lies in the space of what it colours, moved by its own transform.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// Its id in SVG texts; unique among the definitions of a drawing.
    pub id: String,
    /// Its geometry.
    pub kind: GradientKind,
    /// Colours along it, offsets never falling.
    pub stops: Arc<[Stop]>,
    /// How it continues beyond its ends.
    pub spread: Spread,
    /// From its own space to that of what it colours.
    pub transform: Affine,
}

impl Gradient {
    /// How much its colour changes at most along a unit of the space to which `to_space` maps that of what it
    /// colours, in levels of 8 bits. Sudden changes count as if they took a twentieth of the gradient. None if
    /// it has one colour or no extent.
    pub fn steepness(&self, to_space: Affine) -> Option<f64> {
        /// The least part of a gradient over which its colour changes.
        const SUDDEN: f64 = 0.05;
        let channels = |stop: &Stop| {
            let [red, green, blue] = stop.color.map(f64::from);
            [red, green, blue, 255.0 * stop.opacity]
        };
        let change = |pair: &[Stop]| {
            let differences =
                channels(&pair[0]).into_iter().zip(channels(&pair[1])).map(|(a, b)| (a - b).abs());
            differences.fold(0.0, f64::max) / (pair[1].offset - pair[0].offset).max(SUDDEN)
        };
        let steepest = self.stops.windows(2).map(change).fold(0.0, f64::max);
        let map = to_space * self.transform;
        let [a, b, c, d, ..] = map.as_coeffs();
        let determinant = map.determinant().abs();
        let span = match self.kind {
            GradientKind::Linear { start, end } => {
                // The lines of one colour are square to the gradient in its own space, not in the other.
                let along = end - start;
                let line = Vec2::new(-along.y, along.x);
                let mapped = Vec2::new(a * line.x + c * line.y, b * line.x + d * line.y);
                determinant * along.hypot2() / mapped.hypot()
            }
            GradientKind::Radial { radius, .. } => {
                // The lesser axis of the ellipse that a circle becomes.
                let squares = a * a + b * b + c * c + d * d;
                let greater = (0.5
                    * (squares + (squares * squares - 4.0 * determinant * determinant).max(0.0).sqrt()))
                .sqrt();
                radius * determinant / greater
            }
        };
        let steepness = steepest / span;
        (steepness > 0.0 && steepness.is_finite()).then_some(steepness)
    }
}

archive! {
    /// The geometry of a gradient.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum GradientKind {
        /// From one point to another.
        Linear {
            /// Where it starts.
            start: Point,
            /// Where it ends.
            end: Point,
        } = 0,
        /// From a focal circle to another circle around it.
        Radial {
            /// The middle of the outer circle.
            center: Point,
            /// Its radius.
            radius: f64,
            /// The middle of the focal circle.
            focus: Point,
            /// Its radius.
            focus_radius: f64,
        } = 1,
    }
}

/// A colour of a gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// From 0 to 1.
    pub offset: f64,
    /// Red, green and blue in sRGB.
    pub color: [u8; 3],
    /// From 0 to 1.
    pub opacity: f64,
}

archive! {
    /// How a gradient continues beyond its ends.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Spread {
        /// The colours of its ends.
        #[default]
        Pad = 0,
        /// The gradient again, back and forth.
        Reflect = 1,
        /// The gradient again.
        Repeat = 2,
    }
}

/// A tile that repeats in both directions. It lies in the space of what it colours, moved by its own
/// transform.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Its id in SVG texts; unique among the definitions of a drawing.
    pub id: String,
    /// The tile in its own space.
    pub rect: Rect,
    /// From its own space to that of what it colours.
    pub transform: Affine,
    /// What the tile shows, in a space whose origin is the corner of the tile.
    pub children: Vec<NodeId>,
}

archive!(struct GradientId of Gradient);
archive!(struct PatternId of Pattern);
archive!(struct Fill { paint, opacity, rule });
archive!(struct Stroke { paint, opacity, width, dashes, dash_offset, cap, join, miter_limit });
archive!(struct Gradient { id, kind, stops, spread, transform });
archive!(struct Stop { offset, color, opacity });
archive!(struct Pattern { id, rect, transform, children });
