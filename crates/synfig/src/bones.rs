//! Bones of Synfig, and values that are linked to them. A bone is a frame in which others stand: its own scale along
//! itself (`scalelx`) moves the origins of its children and is not inherited, the other one (`scalex`) is.

use bone_core::Angle;
use kurbo::{Affine, Vec2};

use crate::value::NodeValue;

/// The frame of the canvas.
pub(crate) fn root() -> NodeValue {
    stored(Affine::IDENTITY, 1.0)
}

/// The frame of a bone in that of its parent.
pub(crate) fn bone(parent: &NodeValue, origin: Vec2, angle: Angle, [own, inherited]: [f64; 2]) -> NodeValue {
    let (frame, along) = frame(parent);
    let at = Vec2::new(origin.x * along, origin.y);
    let frame = frame * Affine::translate(at) * turned(angle) * Affine::scale_non_uniform(inherited, 1.0);
    stored(frame, own)
}

/// What of the motion of a bone a link takes along.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkParts {
    pub(crate) translate: bool,
    pub(crate) rotate: bool,
    pub(crate) skew: bool,
    pub(crate) scale: [bool; 2],
}

/// A value in the frame of a bone, on the canvas: of a vector the point moves, of a point of a spline its tangents turn, too.
pub(crate) fn linked(bone: &NodeValue, parts: LinkParts, of: &str, value: &NodeValue) -> NodeValue {
    let (frame, along) = frame(bone);
    let mut pose = SynfigTransformation::of(frame * Affine::scale_non_uniform(along, 1.0));
    if !parts.translate {
        pose.offset = Vec2::ZERO;
    }
    if !parts.rotate {
        pose.angle = Angle::ZERO;
    }
    if !parts.skew {
        pose.skew = Angle::ZERO;
    }
    for (scale, kept) in [(&mut pose.scale.x, parts.scale[0]), (&mut pose.scale.y, parts.scale[1])] {
        *scale = if kept { *scale } else { 1.0 };
    }
    carried(pose.matrix(), of, value)
}

fn carried(by: Affine, of: &str, value: &NodeValue) -> NodeValue {
    let point = |at: Vec2| (by * at.to_point()).to_vec2();
    let way = |along: Vec2| point(along) - point(Vec2::ZERO);
    match (of, value) {
        ("transformation", NodeValue::Record(_)) => {
            SynfigTransformation::of(by * SynfigTransformation::read(value).matrix()).stored()
        }
        ("vector", NodeValue::Pair(at)) => NodeValue::Pair(point(*at)),
        ("bline_point", NodeValue::Record(all)) => {
            let part = |(at, part): (usize, &NodeValue)| match (at, part) {
                (0, NodeValue::Pair(at)) => NodeValue::Pair(point(*at)),
                (4 | 5, NodeValue::Pair(along)) => NodeValue::Pair(way(*along)),
                (_, part) => part.clone(),
            };
            NodeValue::Record(all.iter().enumerate().map(part).collect())
        }
        (_, NodeValue::List(all, closed)) => {
            let inner = |value: &NodeValue| match value {
                NodeValue::Pair(_) => carried(by, "vector", value),
                _ => carried(by, "bline_point", value),
            };
            NodeValue::List(all.iter().map(inner).collect(), *closed)
        }
        (_, value) => value.clone(),
    }
}

fn turned(angle: Angle) -> Affine {
    let Vec2 { x, y } = angle.direction();
    Affine::new([x, y, -y, x, 0.0, 0.0])
}

/// A frame and the scale along a bone as a value.
fn stored(frame: Affine, along: f64) -> NodeValue {
    NodeValue::Record(frame.as_coeffs().into_iter().chain([along]).map(NodeValue::from).collect())
}

/// The frame of a bone and its scale along itself; that of the canvas of what is none.
fn frame(bone: &NodeValue) -> (Affine, f64) {
    match bone {
        NodeValue::Record(parts) if parts.len() == 7 => {
            let number = |at: usize| parts[at].number();
            (Affine::new([0, 1, 2, 3, 4, 5].map(number)), number(6))
        }
        _ => (Affine::IDENTITY, 1.0),
    }
}

/// A transformation in its parts: scaled, then skewed, turned and moved.
struct SynfigTransformation {
    offset: Vec2,
    angle: Angle,
    skew: Angle,
    scale: Vec2,
}

/// From the first axis to the second one.
const UPRIGHT: f64 = 90.0;

impl SynfigTransformation {
    fn of(matrix: Affine) -> Self {
        let [a, b, c, d, e, f] = matrix.as_coeffs();
        let (x, y) = (Vec2::new(a, b), Vec2::new(c, d));
        let angle = Angle::of(x);
        let skew = Angle::of(y) - angle - Angle::from_degrees(UPRIGHT);
        Self { offset: Vec2::new(e, f), angle, skew, scale: Vec2::new(x.hypot(), y.hypot()) }
    }

    fn read(value: &NodeValue) -> Self {
        let angle = |at: usize| Angle::from_degrees(value.part(at).number());
        Self { offset: value.part(0).pair(), angle: angle(1), skew: angle(2), scale: value.part(3).pair() }
    }

    fn matrix(&self) -> Affine {
        let x = self.angle.direction() * self.scale.x;
        let y = (self.angle + self.skew + Angle::from_degrees(UPRIGHT)).direction() * self.scale.y;
        Affine::new([x.x, x.y, y.x, y.y, self.offset.x, self.offset.y])
    }

    fn stored(&self) -> NodeValue {
        let [angle, skew] = [self.angle, self.skew].map(|angle| NodeValue::from(angle.degrees()));
        NodeValue::Record([NodeValue::Pair(self.offset), angle, skew, NodeValue::Pair(self.scale)].into())
    }
}
