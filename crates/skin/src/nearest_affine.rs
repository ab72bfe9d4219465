//! The nearest affine map from points at rest to their current positions, by least squares.

use bone_archive::archive;
use kurbo::{Affine, Point, Vec2};

/// A fit whose points at rest are given; their current positions come with each frame.
///
/// With the points `p_i` at rest, their shares `s_i` of sum 1 and their current positions `q_i`, it minimises
/// `sum s_i |A p_i - q_i|^2`:
///
/// ```text
/// A p = m + L (p - c),   c = sum s_i p_i,   m = sum s_i q_i,
/// L = (sum s_i (q_i - m) (p_i - c)^T) C^-1,   C = sum s_i (p_i - c) (p_i - c)^T.
/// ```
///
/// `s_i C^-1 (p_i - c)` is computed once: the coefficient of a point.
#[derive(Clone, Debug, Default)]
pub(crate) struct NearestAffine {
    /// The centroid of the points at rest.
    centre: Point,
    kind: MapFreedom,
}

archive! {
    /// The map that the points at rest determine.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    enum MapFreedom {
        /// They coincide: a translation.
        #[default]
        Move = 0,
        /// They lie nearly on a line: a similarity.
        Similarity = 1,
        /// Any affine map.
        Affine = 2,
    }
}

impl NearestAffine {
    /// The fit for points at rest with their shares, and the coefficient of each.
    pub(crate) fn new(places: impl Iterator<Item = (Point, f64)> + Clone) -> (Self, Vec<Vec2>) {
        let centre =
            places.clone().fold(Vec2::ZERO, |sum, (at, share)| sum + at.to_vec2() * share).to_point();
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for (at, share) in places.clone() {
            let d = at - centre;
            xx += share * d.x * d.x;
            xy += share * d.x * d.y;
            yy += share * d.y * d.y;
        }
        let (trace, determinant) = (xx + yy, xx * yy - xy * xy);
        // Relative to the squared size of the coordinates: below that is rounding.
        let noise = 1e-24 * (1.0 + centre.to_vec2().hypot2());
        // The narrow extent must be above 1/30 of the wide one: thinner shapes do not determine their own
        // width.
        let kind = if trace.is_nan() || trace <= noise {
            MapFreedom::Move
        } else if determinant <= 1e-3 * trace * trace {
            MapFreedom::Similarity
        } else {
            MapFreedom::Affine
        };
        let coefficient = |(at, share): (Point, f64)| {
            let d = at - centre;
            match kind {
                MapFreedom::Move => Vec2::ZERO,
                MapFreedom::Similarity => d * (share / trace),
                MapFreedom::Affine => {
                    Vec2::new(yy * d.x - xy * d.y, xx * d.y - xy * d.x) * (share / determinant)
                }
            }
        };
        let coefficients = places.map(coefficient).collect();
        (Self { centre, kind }, coefficients)
    }

    /// The map for the current positions: each with its share and its coefficient, in the same order. Does
    /// not allocate.
    pub(crate) fn affine(&self, places: impl Iterator<Item = (Point, f64, Vec2)> + Clone) -> Affine {
        let mut mean = Vec2::ZERO;
        for (at, share, _) in places.clone() {
            mean += at.to_vec2() * share;
        }
        let (mut x, mut y) = (Vec2::ZERO, Vec2::ZERO);
        for (at, _, coefficient) in places {
            let to = at.to_vec2() - mean;
            x += to * coefficient.x;
            y += to * coefficient.y;
        }
        let (x, y) = match self.kind {
            MapFreedom::Move => (Vec2::new(1.0, 0.0), Vec2::new(0.0, 1.0)),
            MapFreedom::Similarity => {
                let turn = Vec2::new(x.x + y.y, x.y - y.x);
                (turn, Vec2::new(-turn.y, turn.x))
            }
            MapFreedom::Affine => (x, y),
        };
        let shift = mean - x * self.centre.x - y * self.centre.y;
        Affine::new([x.x, x.y, y.x, y.y, shift.x, shift.y])
    }
}

archive!(struct NearestAffine { centre, kind });
