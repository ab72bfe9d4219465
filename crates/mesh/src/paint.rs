//! What vertices have for their colours: a colour, or a place in a gradient, whose colours are a row of a texture.

use bone_drawing::{Brush, Gradient, GradientKind, Spread, Stop};
use kurbo::{Affine, Point};

/// How many colours a row of the texture of gradients has.
pub const RAMP_WIDTH: usize = 256;

/// What has no triangles, as bits of [`FrameMesh::left_out`](crate::FrameMesh::left_out).
pub mod left_out {
    /// Opacity of groups in which more than one thing is painted.
    pub const GROUP_OPACITY: u32 = 1;
    /// Groups that are blended otherwise than by covering.
    pub const BLENDING: u32 = 2;
    /// Masks.
    pub const MASKS: u32 = 4;
    /// Filters.
    pub const FILTERS: u32 = 8;
    /// Tiles of patterns.
    pub const PATTERNS: u32 = 16;
    /// Gradients that begin at a circle in place of a point, or whose focus is at the rim.
    pub const FOCAL_CIRCLES: u32 = 32;
    /// Colours that are added to those of pictures.
    pub const SHADES: u32 = 64;
    /// Clip paths whose parts are clipped.
    pub const CLIPPED_CLIPS: u32 = 128;
    /// Outlines that could not be cut: too large, or with too many points.
    pub const OUTLINES: u32 = 256;
    /// Corners of lines that are clipped at their limit.
    pub const CLIPPED_MITERS: u32 = 512;
}

/// Kinds of paint in [`MeshVertex::paint`](crate::MeshVertex::paint).
pub(crate) const SOLID: u8 = 0;
const LINEAR: u8 = 1;
const RADIAL: u8 = 2;
pub(crate) const PICTURE: u8 = 3;

/// The paint of a shape: what its vertices share, and where each is in the gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VertexPaint {
    pub(crate) color: [u8; 3],
    pub(crate) opacity: f64,
    pub(crate) paint: [u8; 4],
    /// From the space of the outline to that of the gradient.
    pub(crate) place: Affine,
    /// Whether what it covers is hidden.
    pub(crate) is_opaque: bool,
}

impl VertexPaint {
    /// A single colour.
    pub(crate) fn solid(color: [u8; 3], opacity: f64) -> Self {
        Self { color, opacity, paint: [0, 0, SOLID, 0], place: Affine::IDENTITY, is_opaque: opacity >= 1.0 }
    }

    /// The paint of a brush, with what it has of gradients in `ramps`, and the bits of what is left out.
    pub(crate) fn of(brush: &Brush<'_>, opacity: f64, ramps: &mut Ramps) -> (Self, u32) {
        match brush {
            Brush::Color(color) => (Self::solid(*color, opacity), 0),
            Brush::Gradient { gradient, transform } => Self::gradient(gradient, *transform, opacity, ramps),
            Brush::Pattern { .. } => (Self::solid([128; 3], opacity), left_out::PATTERNS),
        }
    }

    fn gradient(gradient: &Gradient, transform: Affine, opacity: f64, ramps: &mut Ramps) -> (Self, u32) {
        let mut left_out = 0;
        let last = gradient.stops.last().map_or(([0; 3], 0.0), |stop| (stop.color, stop.opacity));
        let (kind, focus, place) = match gradient.kind {
            GradientKind::Linear { start, end } => {
                let along = end - start;
                let by = along / along.hypot2();
                let place = Affine::new([by.x, 0.0, by.y, 0.0, -by.dot(start.to_vec2()), 0.0]);
                (LINEAR, 0, place)
            }
            GradientKind::Radial { center, radius, focus, focus_radius } => {
                let off = (focus - center) / radius;
                let far = off.hypot();
                if focus_radius > 0.0 || far > 0.99 {
                    left_out = left_out::FOCAL_CIRCLES;
                }
                // Turned so that the focus is on the first axis.
                let along = if far > 0.0 { off / far } else { kurbo::Vec2::new(1.0, 0.0) };
                let turn = Affine::new([along.x, -along.y, along.y, along.x, 0.0, 0.0]);
                let unit = Affine::scale(radius.recip()) * Affine::translate(-center.to_vec2());
                let focus = (far.min(0.99) * 255.0).round() as u8;
                (RADIAL, focus, turn * unit)
            }
        };
        let place = place * transform.inverse();
        if !place.is_finite() {
            // A gradient without extent has the colour of its end.
            return (Self::solid(last.0, last.1 * opacity), left_out);
        }
        let row = ramps.row(&gradient.stops);
        let [low, high, ..] = (row as u32).to_le_bytes();
        let spread = match gradient.spread {
            Spread::Pad => 0,
            Spread::Reflect => 1,
            Spread::Repeat => 2,
        };
        let is_opaque = opacity >= 1.0 && gradient.stops.iter().all(|stop| stop.opacity >= 1.0);
        let paint = [low, high, kind + 4 * spread, focus];
        (Self { color: [255; 3], opacity, paint, place, is_opaque }, left_out)
    }

    /// Where a point of the outline is in the gradient.
    pub(crate) fn at(&self, point: Point) -> [f32; 2] {
        if self.paint[2] == SOLID {
            return [0.0; 2];
        }
        let place = self.place * point;
        [place.x as f32, place.y as f32]
    }
}

/// The rows of the texture of gradients.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ramps {
    rows: Vec<Box<[Stop]>>,
    pub(crate) pixels: Vec<u8>,
    used: usize,
    pub(crate) revision: u64,
}

impl Ramps {
    pub(crate) fn begin(&mut self) {
        self.used = 0;
    }

    /// The row of some stops: in the order in which they were first asked for.
    fn row(&mut self, stops: &[Stop]) -> usize {
        if let Some(row) = self.rows[..self.used].iter().position(|row| **row == *stops) {
            return row;
        }
        let row = self.used;
        self.used += 1;
        if self.rows.get(row).is_some_and(|own| **own == *stops) {
            return row;
        }
        self.rows.truncate(row);
        self.pixels.truncate(row * RAMP_WIDTH * 4);
        self.rows.push(stops.into());
        let last = (RAMP_WIDTH - 1) as f64;
        self.pixels.extend((0..RAMP_WIDTH).flat_map(|at| color(stops, at as f64 / last)));
        self.revision += 1;
        row
    }
}

/// The colour of a gradient, multiplied by its opacity.
fn color(stops: &[Stop], at: f64) -> [u8; 4] {
    let after = stops.iter().position(|stop| stop.offset > at).unwrap_or(stops.len());
    let (Some(from), to) = (stops.get(after.saturating_sub(1)), stops.get(after)) else { return [0; 4] };
    let to = to.unwrap_or(from);
    let length = to.offset - from.offset;
    let share = if length > 0.0 { ((at - from.offset) / length).clamp(0.0, 1.0) } else { 0.0 };
    let mix = |from: f64, to: f64| from + (to - from) * share;
    let opacity = mix(from.opacity, to.opacity);
    let level = |channel: usize| {
        let level = mix(f64::from(from.color[channel]), f64::from(to.color[channel]));
        (level * opacity).round() as u8
    };
    [level(0), level(1), level(2), (255.0 * opacity).round() as u8]
}
