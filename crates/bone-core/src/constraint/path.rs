//! Path: places bones along a drawn path by arc length: a train on its track, a snake, a tail along a stroke.

use bone_archive::{Archive, ArchiveError, Reader, Writer, archive, words};
use kurbo::{BezPath, CubicBez, ParamCurve, ParamCurveArclen, ParamCurveDeriv, Point, Vec2};

use super::context::{Context, SavedBones};
use super::types::{ConstraintParameters, ConstraintStatus, IgnoredReason};
use crate::user::inverse;
use crate::{Angle, BoneId};

/// A path measured by arc length. Only its first subpath is used.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredPath {
    segments: Vec<CubicBez>,
    /// The arc length at the end of each segment.
    ends: Vec<f64>,
    closed: bool,
}

/// Accuracy of lengths, as a share of a segment's length.
const ACCURACY: f64 = 1e-7;

impl MeasuredPath {
    /// Measures a path. `None` if it has no length or is not finite.
    pub fn new(path: &BezPath) -> Option<Self> {
        let mut segments = Vec::new();
        let mut ends = Vec::new();
        let mut length = 0.0;
        let mut last: Option<Point> = None;
        for segment in path.segments() {
            if last.is_some_and(|last| last != segment.start()) {
                break;
            }
            last = Some(segment.end());
            let cubic = segment.to_cubic();
            let own = measure(&cubic);
            if own > 0.0 {
                length += own;
                segments.push(cubic);
                ends.push(length);
            }
        }
        let first = segments.first()?.p0;
        let closed = last == Some(first);
        length.is_finite().then_some(Self { segments, ends, closed })
    }

    /// The total length.
    pub fn length(&self) -> f64 {
        self.ends[self.ends.len() - 1]
    }

    /// Whether it ends where it starts; then positions wrap around.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The position at a distance from the start, and the direction there. Beyond an open end the path
    /// continues straight.
    pub fn at(&self, distance: f64) -> (Point, Vec2) {
        let length = self.length();
        let on = if self.closed { distance.rem_euclid(length) } else { distance.clamp(0.0, length) };
        let i = self.ends.partition_point(|end| *end < on).min(self.segments.len() - 1);
        let start = if i == 0 { 0.0 } else { self.ends[i - 1] };
        let (segment, own) = (&self.segments[i], self.ends[i] - start);
        let rest = (on - start).clamp(0.0, own);
        let t = if rest <= 0.0 {
            0.0
        } else if rest >= own {
            1.0
        } else {
            segment.inv_arclen(rest, ACCURACY * own)
        };
        let direction = direction(segment, t);
        let beyond = if self.closed { 0.0 } else { distance - on };
        (segment.eval(t) + direction * beyond, direction)
    }
}

/// The unit tangent; where handles lie on their anchors, the direction towards the rest of the curve.
fn direction(segment: &CubicBez, t: f64) -> Vec2 {
    let mut tangent = segment.deriv().eval(t).to_vec2();
    if tangent.hypot() <= 1e-9 * (segment.p3 - segment.p0).hypot() {
        let near = if t < 0.5 { t + 1e-3 } else { t - 1e-3 };
        tangent = (segment.eval(near) - segment.eval(t)) * if t < 0.5 { 1.0 } else { -1.0 };
    }
    let length = tangent.hypot();
    if length > 0.0 { tangent / length } else { Vec2::new(1.0, 0.0) }
}

words! {
    /// How bones on a path are rotated.
    #[non_exhaustive]
    pub enum PathTurn {
        /// Each points at the start of the next one: no gaps.
        #[default]
        Chain = 0,
        /// Each along the tangent of the path.
        Tangent = 1,
        /// Not at all.
        Keep = 2,
    }
}

/// Places bones along a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The bones in their order along it; a parent comes before its children.
    pub bones: Vec<BoneId>,
    /// The path on the canvas.
    pub path: MeasuredPath,
    /// The start of the first bone, as a share of the path's length.
    pub position: f64,
    /// The distance between the starts of two bones, in units of the canvas; each bone's own length if none.
    pub spacing: Option<f64>,
    /// How the bones are rotated.
    pub turn: PathTurn,
}

impl Path {
    pub(super) fn apply(
        &self,
        context: &mut Context<'_>,
        parameters: &ConstraintParameters,
        saved: &mut SavedBones,
    ) -> Result<ConstraintStatus, IgnoredReason> {
        let mut distance = parameters.amount.unwrap_or(self.position) * self.path.length();
        if !distance.is_finite() {
            return Err(IgnoredReason::NotFinite);
        }
        for &bone in &self.bones {
            saved.keep(context, bone);
        }
        for &bone in &self.bones {
            let (skeleton, pose) = (context.skeleton, &mut *context.pose);
            let frame = context.world.parent_frame(skeleton, pose, bone);
            let own = pose.bones[bone.index()];
            let (axes, _) = frame.inherited(skeleton.inherit(bone));
            let (back, turned) =
                (inverse(frame.place).ok_or(IgnoredReason::Flat)?, inverse(axes).ok_or(IgnoredReason::Flat)?);
            let carried = |(place, along): (Point, Vec2)| {
                let place = context.carried * place;
                (place, (context.carried * along.to_point() - context.carried * Point::ORIGIN))
            };
            let (place, tangent) = carried(self.path.at(distance));
            let length =
                skeleton.length(bone) * own.stretch * (own.scale.x * axes.determinant().abs().sqrt()).abs();
            let step = self.spacing.unwrap_or(length);
            let along = match self.turn {
                PathTurn::Chain => carried(self.path.at(distance + length)).0 - place,
                PathTurn::Tangent => tangent,
                PathTurn::Keep => Vec2::ZERO,
            };
            let local = (turned * along.to_point()).to_vec2();
            let bone_pose = &mut pose.bones[bone.index()];
            bone_pose.origin = (back * place).to_vec2();
            if local.hypot() > 0.0 {
                bone_pose.angle = Angle::of(local).nearest_to(own.angle);
            }
            context.world.place_again(skeleton, pose, bone);
            distance += step;
        }
        saved.finish(context, parameters.mix);
        Ok(ConstraintStatus::Met)
    }
}
archive!(struct Path { bones, path, position, spacing, turn });

/// The segments; they are measured again.
impl Archive for MeasuredPath {
    fn write(&self, to: &mut Writer) {
        self.closed.write(to);
        self.segments.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let closed = bool::read(from)?;
        let segments: Vec<CubicBez> = from.list()?;
        let mut length = 0.0;
        let mut ends = Vec::with_capacity(segments.len());
        for cubic in &segments {
            let own = measure(cubic);
            from.check(own > 0.0, "path")?;
            length += own;
            ends.push(length);
        }
        from.check(!segments.is_empty() && f64::is_finite(length), "path")?;
        Ok(Self { segments, ends, closed })
    }
}

/// The length of a segment; infinite for one that is not a number or too long to be measured.
fn measure(cubic: &CubicBez) -> f64 {
    /// The adaptive subdivision halves what overflows a million times.
    const LONGEST: f64 = 1e100;
    let size = [cubic.p1, cubic.p2, cubic.p3].map(|p| cubic.p0.distance(p)).into_iter().sum::<f64>();
    if size.is_nan() || size > LONGEST {
        return f64::INFINITY;
    }
    cubic.arclen(ACCURACY * (cubic.p0.distance(cubic.p3) + 1e-3))
}
