//! Stops: lines and circles that springs do not pass. A stop forbids a range of directions to a rod whose hinge
//! has a place; a rod that has turned into it is put back to the nearer border, as at a limit of its joint.

use bone_archive::archive;
use kurbo::{Point, Vec2};

use crate::{Angle, BoneId, Skeleton, WorldPose};

/// What a spring bone does not pass, from its origin to its tip.
///
/// A bone that begins behind a stop points away from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// The shape, on the canvas in the setup pose.
    pub shape: StopShape,
    /// The bone that carries the shape, where the animation has it; the canvas without one.
    pub carrier: Option<BoneId>,
}

archive! {
    /// The shape of a [`Stop`].
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum StopShape {
        /// A line without ends. Bones stay on its left, seen from `from` to `to`: above a line to the right.
        Line {
            /// A point of it.
            from: Point,
            /// Another one.
            to: Point,
        } = 0,
        /// A circle. Bones stay outside.
        Circle {
            /// Its centre.
            centre: Point,
            /// Its radius.
            radius: f64,
        } = 1,
    }
}

impl Stop {
    /// Whether all is in range.
    pub(super) fn is_usable(&self, skeleton: &Skeleton) -> bool {
        let within = |point: Point| point.is_finite() && point.to_vec2().hypot() <= 1e9;
        let shape = match self.shape {
            StopShape::Line { from, to } => within(from) && within(to) && from != to,
            StopShape::Circle { centre, radius } => within(centre) && radius > 0.0 && radius <= 1e9,
        };
        shape && self.carrier.is_none_or(|bone| skeleton.contains(bone))
    }

    /// Two vectors that a pose moves: both points of a line; a centre, and the radius as x.
    pub(super) fn sample(&self, skeleton: &Skeleton, world: &WorldPose) -> [Vec2; 2] {
        let moved = self.carrier.and_then(|bone| {
            let setup = skeleton.setup_world(bone);
            (setup.determinant() != 0.0).then(|| world.matrix(bone) * setup.inverse())
        });
        let at = |point: Point| moved.map_or(point, |moved| moved * point).to_vec2();
        let sample = match self.shape {
            StopShape::Line { from, to } => [at(from), at(to)],
            StopShape::Circle { centre, radius } => {
                let scale = moved.map_or(1.0, |moved| moved.determinant().abs().sqrt());
                [at(centre), Vec2::new(radius * scale, 0.0)]
            }
        };
        if sample.iter().all(|v| v.is_finite()) { sample } else { [Vec2::ZERO; 2] }
    }

    /// The smallest turn, in radians, that brings a rod out of the stop. `sample` is the stop's, `hinge` a place on
    /// the canvas, `rod` the way to the tip.
    pub(super) fn turn_out(&self, sample: [Vec2; 2], hinge: Vec2, rod: Vec2) -> Option<f64> {
        let length = rod.hypot();
        let (towards, half) = match self.shape {
            StopShape::Line { .. } => {
                let along = sample[1] - sample[0];
                let size = along.hypot();
                if size == 0.0 {
                    return None;
                }
                let behind = Vec2::new(-along.y, along.x) / size;
                let height = (sample[0] - hinge).dot(behind).max(0.0);
                (behind, (height < length).then(|| arc_cosine(height / length))?)
            }
            StopShape::Circle { .. } => {
                let (towards, radius) = (sample[0] - hinge, sample[1].x);
                let distance = towards.hypot();
                (towards, forbidden_by_circle(distance, radius, length)?)
            }
        };
        if length == 0.0 || towards == Vec2::ZERO {
            return None;
        }
        let off = Angle::of(Vec2::new(towards.dot(rod), towards.cross(rod))).radians();
        (off.abs() < half).then(|| half.copysign(off) - off)
    }
}

/// The angle to the direction of a centre within which a rod meets the circle.
fn forbidden_by_circle(distance: f64, radius: f64, length: f64) -> Option<f64> {
    if distance <= radius {
        return (radius > 0.0).then_some(std::f64::consts::FRAC_PI_2);
    }
    // The tangent, or a tip on the circle for a rod that does not reach so far.
    let tangent = (distance * distance - radius * radius).sqrt();
    if length >= tangent {
        return Some(Angle::of(Vec2::new(tangent, radius)).radians());
    }
    let cosine = (tangent * tangent + length * length) / (2.0 * distance * length);
    (cosine < 1.0).then(|| arc_cosine(cosine))
}

/// In radians, of a number in 0 to 1.
fn arc_cosine(cosine: f64) -> f64 {
    Angle::of(Vec2::new(cosine, (1.0 - cosine * cosine).max(0.0).sqrt())).radians()
}

archive!(struct Stop { shape, carrier });
