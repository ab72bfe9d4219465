//! The pose in which a rig is drawn: a T-pose, an A-pose, a figure in mid-stride. What is added to it has to be
//! known, so that the directions on the canvas are those of the recording.

use bone_core::{Angle, BoneId, Side, Skeleton};

use super::poser::level;
use super::rig_map::RigMap;
use crate::parts::BodyPart;

/// The directions of a drawn figure beside those of a standing one.
pub(super) struct DrawnPose {
    /// For each bone the direction of its part on the canvas in the drawing, minus that of a figure that
    /// stands upright with its arms down, in degrees.
    offsets: Vec<(BodyPart, BoneId, f64)>,
    /// The directions from ankle to tip of feet that are flat on the ground: left, right.
    flat: [f64; 2],
    feet: [Option<BoneId>; 2],
    /// Whether the feet are drawn from their side.
    pub(super) turned: bool,
    /// The y of the ground under each foot.
    pub(super) grounds: [f64; 2],
    /// The parts whose offset is large.
    pub(super) apart: Vec<(BodyPart, f64)>,
}

impl DrawnPose {
    /// `forward` is 1 for a rig that faces right.
    pub(super) fn new(skeleton: &Skeleton, map: &RigMap, forward: f64) -> Self {
        let feet = [Side::Left, Side::Right].map(|side| map.bone(BodyPart::Foot(side)));
        // The usual direction of a foot against the ground, degrees.
        let usual = level(forward).degrees() + 25.0 * forward;
        let drawn = feet.map(|foot| {
            foot.map_or(usual, |foot| {
                let way = skeleton.setup_tip(foot) - skeleton.setup_origin(foot);
                Angle::of(way).nearest_to(Angle::from_degrees(usual)).degrees()
            })
        });
        // Feet whose directions differ by less than this are both flat, degrees.
        let both_flat = (drawn[0] - drawn[1]).abs() < 12.0;
        let nearer = usize::from((drawn[1] - usual).abs() < (drawn[0] - usual).abs());
        let flat = if both_flat { drawn } else { [drawn[nearer]; 2] };
        let tips = feet.map(|foot| foot.map_or(0.0, |foot| skeleton.setup_tip(foot).y));
        let lowest = tips[0].max(tips[1]);
        let shin = map.bone(BodyPart::Shin(Side::Left));
        let leg = shin.map_or(0.0, |shin| 2.0 * skeleton.setup(shin).origin.hypot());
        // Feet whose heights differ by less than this share of the leg stand, one in front of the other.
        let stands = |tip: f64| if lowest - tip < 0.05 * leg { tip } else { lowest };
        // Of two feet at different angles the flat one stands.
        let grounds = if both_flat { tips.map(stands) } else { [tips[nearer]; 2] };
        let mut offsets = Vec::new();
        for (part, bone) in map.iter() {
            let direction = Angle::of(way(skeleton, map, part, bone));
            let offset = match part {
                BodyPart::UpperArm(_)
                | BodyPart::ForeArm(_)
                | BodyPart::Hand(_)
                | BodyPart::Thigh(_)
                | BodyPart::Shin(_) => {
                    let down = Angle::from_degrees(90.0);
                    direction.nearest_to(down).degrees() - 90.0
                }
                BodyPart::Foot(side) => {
                    let at = usize::from(side == Side::Right);
                    drawn[at] - flat[at]
                }
                BodyPart::Hips | BodyPart::Spine | BodyPart::Chest => {
                    let up = Angle::from_degrees(-90.0);
                    let leans = direction.nearest_to(up).degrees() + 90.0;
                    // A back that is drawn farther from upright than this is no back.
                    if leans.abs() < 60.0 { leans } else { 0.0 }
                }
                BodyPart::Neck | BodyPart::Head | BodyPart::Toe(_) => 0.0,
            };
            offsets.push((part, bone, offset));
        }
        // Toes are flat where their foot is. Those of a foot that is not flat may stand on the ground.
        let toe = |side| map.bone(BodyPart::Toe(side));
        let toes = [toe(Side::Left), toe(Side::Right)]
            .map(|toe| toe.map(|toe| Angle::of(skeleton.setup_tip(toe) - skeleton.setup_origin(toe))));
        for (part, _, offset) in &mut offsets {
            if let BodyPart::Toe(side) = part {
                let at = usize::from(*side == Side::Right);
                *offset = match (toes[at], toes[nearer]) {
                    (Some(toe), Some(level)) if !both_flat => {
                        toe.nearest_to(level).degrees() - level.degrees()
                    }
                    _ => drawn[at] - flat[at],
                };
            }
        }
        let large =
            // Larger offsets are reported, degrees.
            |&(part, _, offset): &(BodyPart, BoneId, f64)| (offset.abs() >= 15.0).then_some((part, offset));
        let apart = offsets.iter().filter_map(large).collect();
        // The share of its length along the ground from which on a foot is drawn from its side.
        let turned = flat.iter().all(|flat| Angle::from_degrees(*flat).direction().x.abs() > 0.5);
        Self { offsets, flat, feet, turned, grounds, apart }
    }

    /// The rotation of a part in the drawing, which has to be undone.
    pub(super) fn offset(&self, part: BodyPart, bone: BoneId) -> f64 {
        let found = self.offsets.iter().find(|(other, of, _)| *other == part && *of == bone);
        found.map_or(0.0, |(.., offset)| *offset)
    }

    /// The rotation of one part against another one in the drawing, from that of a standing figure.
    pub(super) fn bend(&self, part: (BodyPart, BoneId), on: (BodyPart, BoneId)) -> f64 {
        self.offset(part.0, part.1) - self.offset(on.0, on.1)
    }

    /// The height of the ankle above the tip of a foot that is flat on the ground.
    pub(super) fn ankle_height(&self, skeleton: &Skeleton, side: usize) -> f64 {
        let Some(foot) = self.feet[side] else { return 0.0 };
        let long = (skeleton.setup_tip(foot) - skeleton.setup_origin(foot)).hypot();
        long * Angle::from_degrees(self.flat[side]).direction().y
    }
}

/// From the start of a part to the start of the next one, or to the tip of its bone.
fn way(skeleton: &Skeleton, map: &RigMap, part: BodyPart, bone: BoneId) -> kurbo::Vec2 {
    let next = match part {
        BodyPart::Spine if map.bone(BodyPart::Chest).is_some() => vec![BodyPart::Chest],
        BodyPart::Hips | BodyPart::Spine | BodyPart::Chest => vec![BodyPart::Neck, BodyPart::Head],
        BodyPart::UpperArm(side) => vec![BodyPart::ForeArm(side)],
        BodyPart::ForeArm(side) => vec![BodyPart::Hand(side)],
        BodyPart::Thigh(side) => vec![BodyPart::Shin(side)],
        BodyPart::Shin(side) => vec![BodyPart::Foot(side)],
        _ => vec![],
    };
    let from = skeleton.setup_origin(bone);
    let starts =
        next.iter().filter_map(|part| map.bone(*part)).map(|bone| skeleton.setup_origin(bone) - from);
    starts.into_iter().find(|way| way.hypot() > 0.0).unwrap_or(skeleton.setup_tip(bone) - from)
}
