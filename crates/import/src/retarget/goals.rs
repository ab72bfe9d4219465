//! Rigs whose legs follow goals: a goal bone is the target of inverse kinematics for a foot. For these legs
//! the goal is keyed in place of the leg.

use bone_core::{Angle, BoneId, Pose, Skeleton, WorldPose};
use kurbo::Vec2;

use super::poser::in_parents_frame;
use super::rig_map::RigMap;
use crate::fit::{ChannelSamples, RecordedTrack, Take};
use crate::parts::BodyPart;

/// A foot and the goal bone that it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FootGoal {
    /// The foot.
    pub foot: BoneId,
    /// The goal bone.
    pub goal: BoneId,
    /// Whether the tip of the foot follows the goal; otherwise its origin does.
    pub tip: bool,
    /// Whether the foot takes the angle of the goal, too.
    pub turns: bool,
}

/// Keys the goals in place of the legs that follow them. No goal has a keyed bone as its parent. Goals of another
/// skeleton are left out.
pub fn key_goals(take: &mut Take, skeleton: &Skeleton, map: &RigMap, goals: &[FootGoal]) {
    let known = |goal: &&FootGoal| skeleton.contains(goal.foot) && skeleton.contains(goal.goal);
    for goal in goals.iter().filter(known) {
        let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
        let rest = if goal.tip { skeleton.setup_tip(goal.foot) } else { skeleton.setup_origin(goal.foot) };
        let (mut shifts, mut turns) = (Vec::new(), Vec::new());
        for frame in 0..take.frames() {
            take.pose(skeleton, frame, &mut pose);
            let _ = world.forward(skeleton, &pose);
            let tip = world.tip(skeleton, &pose, goal.foot);
            let position = if goal.tip { tip } else { world.origin(goal.foot) };
            shifts.push(position - rest);
            turns.push((world.angle(goal.foot) - skeleton.setup_angle(goal.foot)).degrees());
        }
        let shifts: Vec<Vec2> = in_parents_frame(skeleton, goal.goal, shifts);
        let mut follows = vec![];
        let side = map.iter().find(|(_, bone)| *bone == goal.foot).and_then(|(part, _)| part.side());
        if let Some(side) = side {
            follows.extend(
                [BodyPart::Thigh(side), BodyPart::Shin(side)].into_iter().filter_map(|part| map.bone(part)),
            );
        }
        if goal.turns {
            follows.push(goal.foot);
        }
        take.tracks.retain(|track| !follows.contains(&track.bone) && track.bone != goal.goal);
        take.tracks.push(RecordedTrack {
            bone: goal.goal,
            samples: ChannelSamples::Move(shifts),
            limits: None,
        });
        if goal.turns {
            let first = turns.first().copied().unwrap_or_default();
            let whole = Angle::from_degrees(first).nearest_to(Angle::ZERO).degrees() - first;
            let turns = turns.into_iter().map(|turn| turn + whole).collect();
            take.tracks.push(RecordedTrack {
                bone: goal.goal,
                samples: ChannelSamples::Rotate(turns),
                limits: None,
            });
        }
    }
}
