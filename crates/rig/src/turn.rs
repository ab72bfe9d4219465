//! Bones that turn together, by one angle.

use bone_core::{Angle, BoneId, BonePose};
use kurbo::{Point, Vec2};

use crate::clip::RigClip;
use crate::drag::DragError;
use crate::overrides::{OverrideError, Overrides};
use crate::rig::Rig;
use crate::state::FrameState;

/// The grip is in the direction of the pointer if it misses it by less, in degrees.
const NEAR: f64 = 1e-9;
/// How often an angle is tried.
const MOST_TURNS: usize = 16;

/// Bones that a pointer turns.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// All bones that turn.
    pub bones: &'a [BoneId],
    /// The one that is held, of these.
    pub held: BoneId,
    /// The place on it, as [`Rig::grip`] gives it.
    pub grip: Point,
    /// The angle at which the search begins: that of the drag before, so that whole turns add up.
    pub from: Angle,
}

impl Rig {
    /// Turns each of some bones about its origin by the same angle, so that the grip on one of them lies in
    /// the direction of the pointer from that bone's origin. Its ancestors may be among the bones: then its
    /// origin moves, and the angle is found by the secant method. The overrides are those without the turn. Where
    /// constraints move the held bone, the grip can miss the direction: see [`Rig::missed`].
    ///
    /// Returns the angle.
    ///
    /// # Errors
    /// As [`Rig::drag`]. Then the overrides do not change.
    pub fn turn(
        &self,
        clip: Option<&RigClip>,
        time: f64,
        overrides: &mut Overrides,
        turn: Turn<'_>,
        at: Point,
        state: &mut FrameState,
    ) -> Result<Angle, DragError> {
        self.owns(clip, state)?;
        overrides.check(self.parts())?;
        if !at.is_finite() || !turn.grip.is_finite() {
            return Err(DragError::NotFinite);
        }
        let skeleton = self.skeleton();
        if let Some(bone) =
            turn.bones.iter().copied().chain([turn.held]).find(|bone| !skeleton.contains(*bone))
        {
            return Err(OverrideError::UnknownBone { bone }.into());
        }
        let before = overrides.clone();
        self.pose_bones(clip, time, &before, state)?;
        let own = state.pose.clone();
        let mut miss = |degrees: f64, state: &mut FrameState| {
            overrides.restore_bones(&before);
            let by = BonePose { angle: Angle::from_degrees(degrees), ..BonePose::REST };
            turn.bones.iter().for_each(|bone| overrides.move_bone(*bone, &own, &by));
            self.pose_bones(clip, time, overrides, state)?;
            self.missed(state, turn.held, turn.grip, at).ok_or(DragError::AtOrigin)
        };
        let found = search(turn.from.degrees(), self.turning_above(&turn), |degrees| miss(degrees, state));
        if found.is_err() {
            *overrides = before;
            self.pose_bones(clip, time, overrides, state)?;
        }
        self.deform(clip, overrides, state);
        found.map(Angle::from_degrees)
    }

    /// By how many degrees, from -180 to 180, a grip misses the direction of a place, seen from the origin of
    /// its bone. `None` if one of them is at the origin, or for a foreign bone or state.
    pub fn missed(&self, state: &FrameState, bone: BoneId, grip: Point, at: Point) -> Option<f64> {
        if !self.owns_state(state) || !self.skeleton().contains(bone) {
            return None;
        }
        let origin = state.world.origin(bone);
        let (arm, wanted) = (state.world.matrix(bone) * grip - origin, at - origin);
        if arm == Vec2::ZERO || wanted == Vec2::ZERO {
            return None;
        }
        Some((Angle::of(wanted) - Angle::of(arm)).nearest_to(Angle::ZERO).degrees())
    }

    /// How many of the bones turn the held one.
    fn turning_above(&self, turn: &Turn<'_>) -> usize {
        let mut count = 0;
        let mut bone = Some(turn.held);
        while let Some(id) = bone {
            count += usize::from(turn.bones.contains(&id));
            bone = self.skeleton().parent(id);
        }
        count
    }
}

/// The angle near `from` where nothing is missed, or the best that was tried, which is tried last. A turn
/// takes off about `count` times its angle of what is missed.
fn search(
    from: f64,
    count: usize,
    mut miss: impl FnMut(f64) -> Result<f64, DragError>,
) -> Result<f64, DragError> {
    let (mut turn, mut missed) = (from, miss(from)?);
    let mut slope = -(count.max(1) as f64);
    let (mut best, mut least) = (turn, missed);
    for _ in 0..MOST_TURNS {
        if least.abs() <= NEAR {
            break;
        }
        let step = (-missed / slope).clamp(-180.0, 180.0);
        turn += step;
        let next = miss(turn)?;
        let change = Angle::from_degrees(next - missed).nearest_to(Angle::ZERO).degrees();
        missed = next;
        if missed.abs() < least.abs() {
            (best, least) = (turn, missed);
        }
        // A bone that something else holds does not turn.
        if change.abs() <= NEAR || step == 0.0 {
            break;
        }
        slope = change / step;
    }
    if best != turn {
        miss(best)?;
    }
    Ok(best)
}
