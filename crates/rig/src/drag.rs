//! Bones, chains and vertices moved by a pointer: each drag changes overrides, and poses the rig with them.

use std::error::Error;
use std::fmt;

use bone_core::constraint::{
    AttachmentPoint, Constraint, ConstraintParameters, ConstraintRule, ConstraintScratch, ConstraintStatus,
    Effector, IgnoredReason, Ik, Target, attachment_on_canvas,
};
use bone_core::{Angle, BoneId, BonePose, user_from_world};
use bone_skin::{OffsetSpace, PathId, VertexPoint};
use kurbo::{Affine, Point, Vec2};

use crate::clip::RigClip;
use crate::overrides::{ConstraintOverride, OverrideError, Overrides, VertexOffset};
use crate::rig::Rig;
use crate::state::FrameState;

/// What a pointer holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Handle {
    /// A point of a bone that a chain of bones brings to the pointer. If inverse kinematics of the rig move
    /// the bone at this time, they act in full, and their target on the canvas is overridden, or the
    /// bone moves that is their target. Otherwise the chain is solved in the same way, and its bones are overridden.
    Tip {
        /// The bone.
        bone: BoneId,
        /// The point of the bone.
        point: AttachmentPoint,
        /// How many bones may move where no constraint does it, counted upwards from the bone, or from its
        /// parent if the point is its origin.
        chain: usize,
    },
    /// One bone.
    Bone {
        /// The bone.
        bone: BoneId,
        /// The place on the bone that the pointer holds, as [`Rig::grip`] gives it when the drag begins.
        grip: Point,
        /// What the bone does.
        motion: BoneMotion,
    },
    /// A point of an outline, by its offset.
    Vertex {
        /// The path.
        path: PathId,
        /// The vertex.
        vertex: usize,
        /// The point of the vertex.
        part: VertexPoint,
        /// The axes of an offset that is new. With [`OffsetSpace::Vertex`] it rotates and scales as the
        /// outline does there.
        space: OffsetSpace,
    },
}

/// What a bone does that is dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoneMotion {
    /// It rotates about its origin until the grip lies in the direction of the pointer.
    Rotate,
    /// It moves until the grip is at the pointer.
    Translate,
    /// It is scaled along both of its axes until the grip is at the pointer. An axis on which the grip lies
    /// keeps the scale across it.
    Scale,
}

/// A drag that did not happen. Neither the overrides nor the state have changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DragError {
    /// The overrides, the clip, the state or the handle have what the rig does not have.
    Override(OverrideError),
    /// The pointer or the grip is not finite.
    NotFinite,
    /// The bone or vertex is scaled to nothing: no change moves it to the pointer.
    Flat,
    /// The pointer or the grip is at the origin of the bone, which gives no direction and no scale.
    AtOrigin,
    /// The constraint holds the point where nothing can be dragged: it has several targets on the canvas, or
    /// keeps the point where the clip has it.
    Held {
        /// The index of the constraint.
        constraint: usize,
    },
    /// The chain cannot be solved.
    Ignored(IgnoredReason),
}

impl fmt::Display for DragError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Override(error) => error.fmt(f),
            Self::NotFinite => f.write_str("the pointer or the grip is not finite"),
            Self::Flat => f.write_str("what is dragged is scaled to nothing"),
            Self::AtOrigin => f.write_str("the pointer or the grip is at the origin of the bone"),
            Self::Held { constraint } => write!(f, "constraint {constraint} holds the point in place"),
            Self::Ignored(reason) => write!(f, "the chain cannot move: {reason:?}"),
        }
    }
}

impl Error for DragError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        if let Self::Override(error) = self { Some(error) } else { None }
    }
}

impl<E: Into<OverrideError>> From<E> for DragError {
    fn from(error: E) -> Self {
        Self::Override(error.into())
    }
}

/// A moment of a clip that is dragged at.
#[derive(Clone, Copy)]
struct DragMoment<'a> {
    rig: &'a Rig,
    clip: Option<&'a RigClip>,
    time: f64,
}

impl Rig {
    /// Drags a handle to a place on the canvas at a time of a clip: the overrides change so that it is there,
    /// or as near as it comes, and the rig is posed with them. What the clip does besides stays. A bone that
    /// has a [`BoneOverride::Add`](crate::BoneOverride::Add) keeps one, any other gets a
    /// [`BoneOverride::Set`](crate::BoneOverride::Set).
    ///
    /// Returns where the handle is now; for a bone that rotates, where its grip is.
    ///
    /// # Errors
    /// As [`Rig::pose_with`], or if the handle cannot be moved: see [`DragError`]. Then the overrides do not
    /// change.
    pub fn drag(
        &self,
        clip: Option<&RigClip>,
        time: f64,
        overrides: &mut Overrides,
        handle: Handle,
        at: Point,
        state: &mut FrameState,
    ) -> Result<Point, DragError> {
        self.owns(clip, state)?;
        overrides.check(self.parts())?;
        if !at.is_finite() {
            return Err(DragError::NotFinite);
        }
        let moment = DragMoment { rig: self, clip, time };
        let before = overrides.clone();
        let dragged = match handle {
            Handle::Tip { bone, point, chain } => {
                self.check_bone(bone).and_then(|()| moment.tip((bone, point), chain, overrides, at, state))
            }
            Handle::Bone { bone, grip, motion } => {
                self.check_bone(bone).and_then(|()| moment.bone(bone, grip, motion, overrides, at, state))
            }
            Handle::Vertex { path, vertex, part, space } => {
                moment.vertex((path, vertex, part), space, overrides, at, state)
            }
        };
        // What was tried may be what no rig can be posed with, as after an overflow.
        let dragged = dragged.and_then(|place| match overrides.check(self.parts()) {
            Ok(()) => Ok(place),
            Err(_) => Err(DragError::NotFinite),
        });
        if dragged.is_err() {
            *overrides = before;
            self.pose_bones(clip, time, overrides, state)?;
        }
        self.deform(clip, overrides, state);
        dragged
    }

    /// The place on a bone that a pointer holds, in the frame of the bone, where it lies along x: the same
    /// place of the bone in every pose. `None` for a foreign bone or state, and for a bone that is scaled to
    /// nothing.
    pub fn grip(&self, state: &FrameState, bone: BoneId, at: Point) -> Option<Point> {
        if !self.owns_state(state) || !self.skeleton().contains(bone) {
            return None;
        }
        Some(state.world().matrix(bone).inverse() * at).filter(|grip| grip.is_finite())
    }

    fn check_bone(&self, bone: BoneId) -> Result<(), DragError> {
        let known = self.skeleton().contains(bone);
        if known { Ok(()) } else { Err(OverrideError::UnknownBone { bone }.into()) }
    }
}

impl DragMoment<'_> {
    fn pose_bones(self, overrides: &Overrides, state: &mut FrameState) -> Result<(), DragError> {
        Ok(self.rig.pose_bones(self.clip, self.time, overrides, state)?)
    }

    /// Moves one bone; what drivers, constraints and springs add to it stays.
    fn bone(
        self,
        bone: BoneId,
        grip: Point,
        motion: BoneMotion,
        overrides: &mut Overrides,
        at: Point,
        state: &mut FrameState,
    ) -> Result<Point, DragError> {
        if !grip.is_finite() {
            return Err(DragError::NotFinite);
        }
        self.pose_bones(overrides, state)?;
        let held = state.world.matrix(bone) * grip;
        if held.distance(at) <= NEAR {
            return Ok(held);
        }
        let increment = increment(self.rig, state, bone, grip, motion, at)?;
        overrides.move_bone(bone, &state.pose, &increment);
        self.pose_bones(overrides, state)?;
        Ok(state.world.matrix(bone) * grip)
    }

    /// Moves a point of a bone by the constraint that holds it, or by the chain above it.
    fn tip(
        self,
        end: (BoneId, AttachmentPoint),
        chain: usize,
        overrides: &mut Overrides,
        at: Point,
        state: &mut FrameState,
    ) -> Result<Point, DragError> {
        self.pose_bones(overrides, state)?;
        let place = self.place(end, state);
        if place.distance(at) <= NEAR {
            return Ok(place);
        }
        let Some(Holder { constraint, held, target }) = self.holder(end, state)? else {
            return self.free_tip(end, chain, overrides, at, state);
        };
        let goal = self.place(held, state) + (at - place);
        let own = overrides.constraints.get(constraint).unwrap_or_default();
        let own = ConstraintOverride { mix: Some(1.0), ..own };
        match target {
            None => self.seek(end, (at, goal), overrides, state, |goal, overrides, state| {
                let carried = self
                    .rig
                    .constraints()
                    .nth(constraint)
                    .map(|it| it.1.carried(self.rig.skeleton(), &state.pose, &state.world));
                let place = carried.map_or(goal, |carried| carried.inverse() * goal);
                overrides.constraints.set(constraint, ConstraintOverride { place: Some(place), ..own });
                Ok(())
            }),
            Some((bone, point)) => {
                overrides.constraints.set(constraint, own);
                let before = overrides.clone();
                self.seek(end, (at, goal), overrides, state, |goal, overrides, state| {
                    overrides.restore_bones(&before);
                    self.pose_bones(overrides, state)?;
                    let grip = state.world.matrix(bone).inverse() * self.place((bone, point), state);
                    let by = increment(self.rig, state, bone, grip, BoneMotion::Translate, goal)?;
                    overrides.move_bone(bone, &state.pose, &by);
                    Ok(())
                })
            }
        }
    }

    /// Solves a chain that no constraint holds, from where the bones are.
    fn free_tip(
        self,
        (bone, point): (BoneId, AttachmentPoint),
        chain: usize,
        overrides: &mut Overrides,
        at: Point,
        state: &mut FrameState,
    ) -> Result<Point, DragError> {
        let skeleton = self.rig.skeleton();
        let (start, own) = (state.driven.clone(), state.pose.clone());
        let (mut pose, mut world) = (state.driven.clone(), state.world.clone());
        let before = overrides.clone();
        let mut scratch = ConstraintScratch::new();
        self.seek((bone, point), (at, at), overrides, state, |goal, overrides, _| {
            let end = Effector { point, ..Effector::new(bone, Target::Canvas(goal), chain) };
            let ik = Constraint::new(ConstraintRule::Ik(Ik::new(end)));
            pose.copy_from(&start);
            world.forward(skeleton, &pose)?;
            let parameters = [ik.parameters()];
            bone_core::constraint::apply(&[ik], &parameters, skeleton, &mut pose, &mut world, &mut scratch);
            if let Some(ConstraintStatus::Ignored(reason)) = scratch.statuses().first() {
                return Err(DragError::Ignored(*reason));
            }
            overrides.restore_bones(&before);
            for moved in skeleton.bones() {
                let (from, to) = (&start.bones[moved.index()], &pose.bones[moved.index()]);
                if from != to {
                    let (origin, angle) = (to.origin - from.origin, to.angle - from.angle);
                    overrides.move_bone(moved, &own, &BonePose { origin, angle, ..BonePose::REST });
                }
            }
            Ok(())
        })
    }

    /// Where a point of a bone is.
    fn place(self, (bone, point): (BoneId, AttachmentPoint), state: &FrameState) -> Point {
        attachment_on_canvas(self.rig.skeleton(), &state.driven, &state.world, bone, point)
    }

    /// What moves a point of a bone, with the end of the constraint: the last constraint that has the point
    /// as its end and is on, or else the last one that moves the bone.
    fn holder(
        self,
        point: (BoneId, AttachmentPoint),
        state: &FrameState,
    ) -> Result<Option<Holder>, DragError> {
        let constraints = self.rig.constraints().zip(&state.constraints.parameters).enumerate();
        // Whether the point is the end, the index, the parameters, the constraint and the end.
        let mut found: Option<(bool, usize, &ConstraintParameters, &Ik, Effector)> = None;
        for (constraint, ((_, own), parameters)) in constraints {
            let ConstraintRule::Ik(ik) = &own.rule else { continue };
            let exact = ik.ends.iter().find(|end| (end.bone, end.point) == point);
            let only = match &ik.ends[..] {
                [end] if !found.is_some_and(|found| found.0) => Some(end),
                _ => None,
            };
            let moves = || own.rule.bones_written(self.rig.skeleton()).contains(&point.0);
            let Some(end) = exact.or_else(|| only.filter(|_| moves())) else { continue };
            if parameters.mix > 0.0 {
                found = Some((exact.is_some(), constraint, parameters, ik, *end));
            }
        }
        let Some((_, constraint, parameters, ik, end)) = found else { return Ok(None) };
        let targets = ik.ends.iter().filter(|end| !matches!(end.target, Target::Here)).count();
        let target = match end.target {
            // A place in the parameters is the target of all ends.
            Target::Bone(bone, point) if parameters.place.is_none() => {
                self.rig.check_bone(bone)?;
                Some((bone, point))
            }
            Target::Canvas(_) | Target::Bone(..) if targets == 1 => None,
            _ => return Err(DragError::Held { constraint }),
        };
        Ok(Some(Holder { constraint, held: (end.bone, end.point), target }))
    }

    /// Brings a point of a bone to a place. `set` changes the overrides for a goal, at first the given one.
    /// What comes of it differs from the goal where drivers, softness, a mix or springs change the result, so
    /// the goal is moved until the point is at the place. Returns where the point is at last: at the best
    /// that was found.
    fn seek(
        self,
        end: (BoneId, AttachmentPoint),
        (at, first): (Point, Point),
        overrides: &mut Overrides,
        state: &mut FrameState,
        mut set: impl FnMut(Point, &mut Overrides, &mut FrameState) -> Result<(), DragError>,
    ) -> Result<Point, DragError> {
        let mut reach = |goal: Point| {
            set(goal, overrides, state)?;
            self.pose_bones(overrides, state)?;
            Ok::<_, DragError>(self.place(end, state))
        };
        let mut goal = first;
        let mut place = reach(goal)?;
        let (mut best, mut best_place) = (goal, place);
        // The derivative of the place by the goal, as far as it is known (Broyden, 1965).
        let mut slope = [1.0, 0.0, 0.0, 1.0];
        let mut stalled = 0;
        for _ in 0..MOST_GOALS {
            let missed = at - place;
            if best_place.distance(at) <= NEAR || stalled >= 3 {
                break;
            }
            let [a, b, c, d] = slope;
            let determinant = a * d - b * c;
            let step = Vec2::new(d * missed.x - c * missed.y, a * missed.y - b * missed.x) / determinant;
            if !step.is_finite() || step.hypot() > FARTHEST * (1.0 + missed.hypot()) {
                break;
            }
            goal += step;
            let next = reach(goal)?;
            let unexplained = next - place - Vec2::new(a * step.x + c * step.y, b * step.x + d * step.y);
            let by = step / step.hypot2();
            slope = [
                a + unexplained.x * by.x,
                b + unexplained.y * by.x,
                c + unexplained.x * by.y,
                d + unexplained.y * by.y,
            ];
            place = next;
            let better = place.distance(at) < 0.9 * best_place.distance(at);
            stalled = if better { 0 } else { stalled + 1 };
            if place.distance(at) < best_place.distance(at) {
                (best, best_place) = (goal, place);
            }
        }
        if best != goal { reach(best) } else { Ok(place) }
    }

    /// Moves a point of an outline by its offset.
    fn vertex(
        self,
        target: (PathId, usize, VertexPoint),
        space: OffsetSpace,
        overrides: &mut Overrides,
        at: Point,
        state: &mut FrameState,
    ) -> Result<Point, DragError> {
        let (path, vertex, part) = target;
        let skin = self.rig.skin();
        let old = overrides.offsets.get(target).unwrap_or(VertexOffset { space, by: Vec2::ZERO });
        // New axes are checked with all others.
        overrides.offsets.set(target, old);
        overrides.check(self.rig.parts())?;
        self.pose_bones(overrides, state)?;
        self.rig.deform(self.clip, overrides, state);
        let posed = (&state.matrices, &state.posed);
        let unknown = OverrideError::UnknownVertex { path, vertex, part };
        let place = skin.posed_part(posed, path, vertex, part).ok_or(unknown)?;
        let by = skin.offset_by(posed, target, old.space, at - place).ok_or(DragError::Flat)?;
        overrides.offsets.set(target, VertexOffset { by: old.by + by, ..old });
        Ok(at)
    }
}

/// Distance on the canvas at which a point is where it shall be.
const NEAR: f64 = 1e-10;
/// How often a goal is moved.
const MOST_GOALS: usize = 24;
/// A step of the goal that is so many times longer than what is missed leads nowhere.
const FARTHEST: f64 = 1e3;

/// The constraint that moves a point of a bone.
struct Holder {
    constraint: usize,
    /// Its end.
    held: (BoneId, AttachmentPoint),
    /// The point of a bone that is its target; none for a place on the canvas.
    target: Option<(BoneId, AttachmentPoint)>,
}

/// The increment of a bone's pose that brings its grip to the pointer. It is measured from where the bone is,
/// after drivers, constraints and springs.
fn increment(
    rig: &Rig,
    state: &FrameState,
    bone: BoneId,
    grip: Point,
    motion: BoneMotion,
    at: Point,
) -> Result<BonePose, DragError> {
    let (skeleton, world) = (rig.skeleton(), &state.world);
    let now = state.driven.bones[bone.index()];
    let held = world.matrix(bone) * grip;
    let origin = match motion {
        BoneMotion::Translate => world.origin(bone) + (at - held),
        BoneMotion::Rotate | BoneMotion::Scale => world.origin(bone),
    };
    // The inverse of the parent's axes, and the origin in the parent's frame.
    let user = user_from_world(skeleton, &state.driven, world, bone, Affine::translate(origin.to_vec2()));
    let local = state.driven.setup(skeleton, bone).matrix() * user.ok_or(DragError::Flat)?;
    let axes = local.with_translation(Vec2::ZERO);
    let wanted = (axes * (at - origin).to_point()).to_vec2();
    let mut by = BonePose::REST;
    match motion {
        BoneMotion::Translate => {
            by.origin = local.translation() - now.origin;
        }
        BoneMotion::Rotate => {
            let arm = Vec2::new(grip.x * now.scale.x, grip.y * now.scale.y);
            if wanted == Vec2::ZERO || arm == Vec2::ZERO {
                return Err(DragError::AtOrigin);
            }
            by.angle = (Angle::of(wanted) - Angle::of(arm)).nearest_to(now.angle) - now.angle;
        }
        BoneMotion::Scale => {
            let wanted = ((-now.angle).rotation() * wanted.to_point()).to_vec2();
            let on_axis = 1e-9 * grip.to_vec2().hypot();
            let factor = |wanted: f64, grip: f64, scale: f64| {
                if grip.abs() <= on_axis { 1.0 } else { wanted / (grip * scale) }
            };
            by.scale =
                Vec2::new(factor(wanted.x, grip.x, now.scale.x), factor(wanted.y, grip.y, now.scale.y));
            if grip == Point::ZERO || by.scale.x == 0.0 || by.scale.y == 0.0 {
                return Err(DragError::AtOrigin);
            }
        }
    }
    if by.is_finite() { Ok(by) } else { Err(DragError::Flat) }
}
