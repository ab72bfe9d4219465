//! Similar pictures: positions that were scaled and moved, as by a crop or a zoom.

use kurbo::{Point, Vec2};

use super::person::{Detection, PersonPose, extent};

/// A scale about the origin and a translation after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Similarity {
    pub(super) scale: f64,
    pub(super) shift: Vec2,
}

impl Similarity {
    /// The position of a point.
    pub(super) fn point(self, at: Point) -> Point {
        (at.to_vec2() * self.scale + self.shift).to_point()
    }

    /// All joints of a pose.
    pub(super) fn pose(self, body: &PersonPose) -> PersonPose {
        body.map(|joint| joint.map(|joint| Detection { at: self.point(joint.at), ..joint }))
    }

    /// The way back.
    pub(super) fn inverse(self) -> Self {
        Self { scale: 1.0 / self.scale, shift: -self.shift * (1.0 / self.scale) }
    }

    /// The similarity from one pose to another, and the mean distance of the joints that is left, as a share
    /// of the size; `None` if the poses have fewer than four joints in common.
    pub(super) fn between(from: &PersonPose, to: &PersonPose) -> Option<(Self, f64)> {
        let pairs: Vec<(Vec2, Vec2)> = from
            .iter()
            .zip(to)
            .filter_map(|(from, to)| Some(((*from)?.at.to_vec2(), (*to)?.at.to_vec2())))
            .collect();
        if pairs.len() < 4 {
            return None;
        }
        let count = pairs.len() as f64;
        let middle = |of: fn(&(Vec2, Vec2)) -> Vec2| {
            pairs.iter().map(of).fold(Vec2::ZERO, |sum, at| sum + at) * (1.0 / count)
        };
        let (a, b) = (middle(|pair| pair.0), middle(|pair| pair.1));
        let spread = |of: fn(&(Vec2, Vec2)) -> Vec2, middle: Vec2| {
            pairs.iter().map(|pair| (of(pair) - middle).hypot2()).sum::<f64>().sqrt()
        };
        let scale = spread(|pair| pair.1, b) / spread(|pair| pair.0, a).max(1e-9);
        // Scales this close to 1 are noise.
        let scale = if (scale - 1.0).abs() < 0.05 { 1.0 } else { scale };
        if !(scale.is_finite() && scale > 1e-3) {
            return None;
        }
        let by = Self { scale, shift: b - a * scale };
        let left = pairs.iter().map(|(a, b)| (by.point(a.to_point()) - b.to_point()).hypot()).sum::<f64>();
        Some((by, left / count / extent(to).max(1e-9)))
    }
}
