//! The part of a body that a joint or a bone belongs to, by its name. Known are the names of the common
//! skeletons: CMU, Mixamo, Blender, Bandai, Rokoko, OpenPose and COCO. A bone is named after the joint where
//! it begins, so the same names are used for rigs.

use bone_core::{Side, mirrored_name};

/// A part of a body: a joint, and the bone that begins there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say all there is")]
pub enum BodyPart {
    Hips,
    Spine,
    Chest,
    Neck,
    Head,
    UpperArm(Side),
    ForeArm(Side),
    Hand(Side),
    Thigh(Side),
    Shin(Side),
    Foot(Side),
    Toe(Side),
}

impl BodyPart {
    /// All parts, from the hips outwards, left before right.
    pub const ALL: [Self; 19] = [
        Self::Hips,
        Self::Spine,
        Self::Chest,
        Self::Neck,
        Self::Head,
        Self::UpperArm(Side::Left),
        Self::ForeArm(Side::Left),
        Self::Hand(Side::Left),
        Self::Thigh(Side::Left),
        Self::Shin(Side::Left),
        Self::Foot(Side::Left),
        Self::Toe(Side::Left),
        Self::UpperArm(Side::Right),
        Self::ForeArm(Side::Right),
        Self::Hand(Side::Right),
        Self::Thigh(Side::Right),
        Self::Shin(Side::Right),
        Self::Foot(Side::Right),
        Self::Toe(Side::Right),
    ];

    /// The name of the part in generated rigs and in maps: `thigh_l`.
    pub const fn name(self) -> &'static str {
        use Side::{Left, Right};
        match self {
            Self::Hips => "hip",
            Self::Spine => "spine",
            Self::Chest => "chest",
            Self::Neck => "neck",
            Self::Head => "head",
            Self::UpperArm(Left) => "upper_arm_l",
            Self::UpperArm(Right) => "upper_arm_r",
            Self::ForeArm(Left) => "fore_arm_l",
            Self::ForeArm(Right) => "fore_arm_r",
            Self::Hand(Left) => "hand_l",
            Self::Hand(Right) => "hand_r",
            Self::Thigh(Left) => "thigh_l",
            Self::Thigh(Right) => "thigh_r",
            Self::Shin(Left) => "shin_l",
            Self::Shin(Right) => "shin_r",
            Self::Foot(Left) => "foot_l",
            Self::Foot(Right) => "foot_r",
            Self::Toe(Left) => "toe_l",
            Self::Toe(Right) => "toe_r",
        }
    }

    /// The side of the body; `None` for parts in the middle.
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::Hips | Self::Spine | Self::Chest | Self::Neck | Self::Head => None,
            Self::UpperArm(side)
            | Self::ForeArm(side)
            | Self::Hand(side)
            | Self::Thigh(side)
            | Self::Shin(side)
            | Self::Foot(side)
            | Self::Toe(side) => Some(side),
        }
    }

    /// The names of the part without side, prefix and separators, the most reliable first: a `LeftShoulder`
    /// is the collar bone where a `LeftArm` exists, and the arm where none does.
    const fn stems(self) -> &'static [&'static str] {
        match self {
            Self::Hips => &["hips", "hip", "pelvis", "midhip", "root"],
            Self::Spine => &["spine", "waist", "belly", "abdomen", "lowerback"],
            Self::Chest => &["chest", "torso", "upperbody", "spine1", "spine2", "body"],
            Self::Neck => &["neck", "neck1", "lowerneck"],
            Self::Head => &["head", "nose"],
            Self::UpperArm(_) => &["upperarm", "uparm", "arm", "humerus", "shoulder"],
            Self::ForeArm(_) => &["forearm", "lowerarm", "lowarm", "elbow", "radius"],
            Self::Hand(_) => &["hand", "wrist"],
            Self::Thigh(_) => &["upleg", "thigh", "upperleg", "femur", "hip"],
            Self::Shin(_) => &["shin", "lowerleg", "lowleg", "calf", "tibia", "knee", "leg"],
            Self::Foot(_) => &["foot", "ankle"],
            Self::Toe(_) => &["toebase", "toe", "toes", "bigtoe", "ball"],
        }
    }
}

/// A name without prefix, separators and side, in lower case.
fn plain(name: &str) -> (Option<Side>, String) {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    let (side, rest) = match mirrored_name(name) {
        Some((side, _)) => (Some(side), without_side(name)),
        None => letter_in_front(name),
    };
    (side, rest.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect())
}

/// The rest of a name in which [`mirrored_name`] has found a side.
fn without_side(name: &str) -> &str {
    for word in ["left", "right"] {
        if name.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word)) {
            return &name[word.len()..];
        }
        let start = name.len().saturating_sub(word.len());
        if name.get(start..).is_some_and(|tail| tail.eq_ignore_ascii_case(word)) {
            return &name[..start];
        }
    }
    let separator = |at: usize| name.as_bytes().get(at).is_some_and(|b| b".-_ ".contains(b));
    if separator(1) {
        return &name[2..];
    }
    // `arm.L.001` has its number after the side.
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('.');
    stem.get(..stem.len().saturating_sub(2)).unwrap_or(stem)
}

/// `RShoulder`, `lfemur`: a letter at the start, without a separator.
fn letter_in_front(name: &str) -> (Option<Side>, &str) {
    let side = match name.as_bytes().first() {
        Some(b'L' | b'l') => Side::Left,
        Some(b'R' | b'r') => Side::Right,
        _ => return (None, name),
    };
    let rest = name.get(1..).unwrap_or_default();
    let known = ["femur", "tibia", "humerus", "radius", "foot", "hand", "toes", "wrist"];
    let begins = rest.as_bytes().first().is_some_and(u8::is_ascii_uppercase) || known.contains(&rest);
    if begins { (Some(side), rest) } else { (None, name) }
}

/// Finds the parts among names: for each part of [`BodyPart::ALL`] the index of its name.
pub(crate) fn find_parts<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Option<usize>> {
    let names: Vec<(Option<Side>, String)> = names.into_iter().map(plain).collect();
    let mut taken = vec![false; names.len()];
    let mut found = vec![None; BodyPart::ALL.len()];
    for (slot, part) in found.iter_mut().zip(BodyPart::ALL) {
        let fits = |stem: &&str| {
            names
                .iter()
                .enumerate()
                .position(|(at, (side, name))| !taken[at] && *side == part.side() && name == stem)
        };
        *slot = part.stems().iter().find_map(fits);
        if let Some(at) = *slot {
            taken[at] = true;
        }
    }
    found
}

/// The part with this name, as [`BodyPart::name`] returns it.
pub fn part_by_name(name: &str) -> Option<BodyPart> {
    BodyPart::ALL.into_iter().find(|part| part.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The legs and arms of common skeletons, left side from the top down, as their files have them.
    #[test]
    fn common_skeletons_are_known() {
        let skeletons: [&[&str]; 7] = [
            // CMU, converted for MotionBuilder; `LeftShoulder` is the collar bone.
            &[
                "LHipJoint",
                "LeftUpLeg",
                "LeftLeg",
                "LeftFoot",
                "LeftToeBase",
                "LeftShoulder",
                "LeftArm",
                "LeftForeArm",
                "LeftHand",
            ],
            // CMU, another conversion.
            &[
                "LHipJoint",
                "LeftHip",
                "LeftKnee",
                "LeftAnkle",
                "LeftToe",
                "LeftCollar",
                "LeftShoulder",
                "LeftElbow",
                "LeftWrist",
            ],
            &[
                "mixamorig:LeftUpLeg",
                "mixamorig:LeftLeg",
                "mixamorig:LeftFoot",
                "mixamorig:LeftToeBase",
                "mixamorig:LeftShoulder",
                "mixamorig:LeftArm",
                "mixamorig:LeftForeArm",
                "mixamorig:LeftHand",
            ],
            &["thigh.L", "shin.L", "foot.L", "toe.L", "shoulder.L", "upper_arm.L", "forearm.L", "hand.L"],
            &[
                "UpperLeg_L",
                "LowerLeg_L",
                "Foot_L",
                "Toes_L",
                "Shoulder_L",
                "UpperArm_L",
                "LowerArm_L",
                "Hand_L",
            ],
            &["LHip", "LKnee", "LAnkle", "LBigToe", "LShoulder", "LElbow", "LWrist"],
            &["left_hip", "left_knee", "left_ankle", "left_shoulder", "left_elbow", "left_wrist"],
        ];
        for names in skeletons {
            let found = find_parts(names.iter().copied());
            let at = |part: BodyPart| {
                let slot = BodyPart::ALL.iter().position(|p| *p == part).expect("listed");
                found[slot].map(|at| names[at])
            };
            let left = Side::Left;
            let leg = [BodyPart::Thigh(left), BodyPart::Shin(left), BodyPart::Foot(left)]
                .map(|part| at(part).expect("found"));
            let start = names.iter().position(|name| *name == leg[0]).expect("named");
            assert_eq!(leg[..], names[start..start + 3], "{names:?}");
            let arm = [BodyPart::UpperArm(left), BodyPart::ForeArm(left), BodyPart::Hand(left)]
                .map(|part| at(part).expect("found"));
            assert_eq!(arm[..], names[names.len() - 3..], "{names:?}");
        }
    }

    #[test]
    fn names_of_parts_are_found() {
        let found = find_parts(BodyPart::ALL.map(BodyPart::name));
        assert_eq!(found, (0..BodyPart::ALL.len()).map(Some).collect::<Vec<_>>());
        assert_eq!(part_by_name("toe_r"), Some(BodyPart::Toe(Side::Right)));
    }
}
