//! Rigs whose legs follow goals: a bone that says where a foot is, and inverse kinematics that brings it there. Then the goal is keyed and
//! the leg is not.

use bone_core::{Angle, BoneId, Pose, Skeleton, WorldPose};
use kurbo::Vec2;

use super::{RigMap, in_parents_frame};
use crate::fit::{ChannelSamples, RecordedTrack, Take};
use crate::parts::BodyPart;

/// A bone that a foot follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FootGoal {
    /// The foot.
    pub foot: BoneId,
    /// The bone that it follows.
    pub goal: BoneId,
    /// Whether its tip follows, or where it begins.
    pub tip: bool,
    /// Whether it takes the turn of the goal, too.
    pub turns: bool,
}

/// ChannelKeys goals in place of the legs that follow them. Goals do not hang on what is keyed.
pub fn key_goals(take: &mut Take, skeleton: &Skeleton, map: &RigMap, goals: &[FootGoal]) {
    for goal in goals {
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
