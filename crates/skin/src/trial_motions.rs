//! The motions for which segments are split: bends and shifts of every joint between their bones.

use bone_core::{Angle, BoneId, Skeleton};
use kurbo::{Affine, Point, Vec2};

use crate::blend::Motion;

/// The bends, in degrees, for which pieces are made as long as possible.
pub(crate) const BENDS: [f64; 4] = [150.0, -150.0, 75.0, -75.0];
/// Shifts along and across a joint's bone, in its length, each with a scale: for these they are, too.
const SHIFTS: [(f64, f64, f64); 4] = [(0.5, 0.5, 1.5), (-0.5, 0.5, 1.0), (0.5, -0.5, 1.0), (-0.2, 0.3, 0.5)];
/// The number of those motions of a joint; those of the checks follow them.
pub(crate) const MADE: usize = BENDS.len() + SHIFTS.len();
/// Between those, the error of a piece may be greater: where it turns in a hairpin, or where its outline becomes
/// straight, so that its handles do not move it sideways. So it is checked in bends of so many steps of so many
/// degrees to both sides.
const CHECKED_BENDS: (i32, f64) = (10, 15.0);
/// And in shifts of so many steps of so much to all sides, with these scales in turns.
const CHECKED_SHIFTS: (i32, f64) = (2, 0.25);
const CHECKED_SCALES: [f64; 3] = [1.0, 1.5, 0.5];
/// Greatest number of joints that are tested for one segment; those nearest to its bones are taken.
const MOST_JOINTS: usize = 8;

/// A joint with the trial motions of what it moves.
pub(crate) struct TrialJoint {
    /// Its place at rest, about which it bends, and its bone from there.
    pub(crate) about: Point,
    pub(crate) along: Vec2,
    /// Which of the segment's bones it moves. The others rest, so a trial blends two motions.
    pub(crate) moves: Vec<bool>,
    pub(crate) motions: Vec<Motion>,
}

/// The motions of a segment's bones when one joint between them bends: one list for each joint and bend.
pub(crate) fn trial_motions(bones: &[BoneId], skeleton: &Skeleton) -> Vec<Vec<Motion>> {
    let mut trials = vec![vec![Motion::REST; bones.len()]];
    for joint in trial_joints(bones, skeleton) {
        for motion in &joint.motions[..BENDS.len()] {
            trials
                .push(joint.moves.iter().map(|moves| if *moves { *motion } else { Motion::REST }).collect());
        }
    }
    trials
}

impl TrialJoint {
    fn bend(&self, degrees: f64) -> Motion {
        let (about, turn) = (self.about.to_vec2(), Angle::from_degrees(degrees));
        Motion::new(Affine::translate(about) * turn.rotation() * Affine::translate(-about), turn)
    }

    /// Along and across its bone, with a scale.
    fn shift(&self, (forward, sideways, scale): (f64, f64, f64)) -> Motion {
        let (about, across) = (self.about.to_vec2(), Vec2::new(-self.along.y, self.along.x));
        let to = about + self.along * forward + across * sideways;
        let matrix = Affine::translate(to) * Affine::scale(scale) * Affine::translate(-about);
        Motion::new(matrix, Angle::ZERO)
    }

    /// Adds the motions of the checks.
    pub(crate) fn add_checks(&mut self) {
        if self.motions.len() == MADE {
            let bends: Vec<Motion> = checked_bends().map(|bend| self.bend(bend)).collect();
            self.motions.extend(bends);
            let shifts: Vec<Motion> = checked_shifts().map(|shift| self.shift(shift)).collect();
            self.motions.extend(shifts);
        }
    }
}

fn checked_bends() -> impl Iterator<Item = f64> {
    let (count, step) = CHECKED_BENDS;
    (-count..=count).map(move |k| f64::from(k) * step).filter(|bend| *bend != 0.0 && !BENDS.contains(bend))
}

fn checked_shifts() -> impl Iterator<Item = (f64, f64, f64)> {
    let (count, step) = CHECKED_SHIFTS;
    let row = move |x: i32| {
        (-count..=count).map(move |y| {
            let scale = CHECKED_SCALES[(x + 2 * y).rem_euclid(CHECKED_SCALES.len() as i32) as usize];
            (f64::from(x) * step, f64::from(y) * step, scale)
        })
    };
    (-count..=count).flat_map(row)
}

/// The joints between a segment's bones, with their trial motions: bends first.
pub(crate) fn trial_joints(bones: &[BoneId], skeleton: &Skeleton) -> Vec<TrialJoint> {
    let trial = |joint: BoneId| {
        let about = skeleton.setup_origin(joint);
        let (first, end) = (joint.index(), joint.index() + skeleton.subtree(joint).len());
        let mut trial = TrialJoint {
            about,
            along: skeleton.setup_tip(joint) - about,
            moves: bones.iter().map(|bone| (first..end).contains(&bone.index())).collect(),
            motions: Vec::new(),
        };
        trial.motions = BENDS.map(|bend| trial.bend(bend)).into();
        trial.motions.extend(SHIFTS.map(|shift| trial.shift(shift)));
        trial
    };
    joints(bones, skeleton).into_iter().map(trial).collect()
}

/// The joints that move some of the bones relative to others. Bones of a larger skeleton have none.
fn joints(bones: &[BoneId], skeleton: &Skeleton) -> Vec<BoneId> {
    let mut joints = Vec::new();
    for &bone in bones {
        let mut at = Some(bone).filter(|bone| skeleton.contains(*bone));
        while let Some(joint) = at {
            let first = joint.index();
            let end = first + skeleton.subtree(joint).len();
            // A joint above all of them deforms nothing, nor does any further up.
            if bones.iter().all(|b| (first..end).contains(&b.index())) || joints.contains(&joint) {
                break;
            }
            joints.push(joint);
            at = skeleton.parent(joint);
        }
    }
    joints.truncate(MOST_JOINTS);
    joints
}
