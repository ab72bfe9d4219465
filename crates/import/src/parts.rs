//! The part of a body that a joint or a bone belongs to, by its name. Known are the names of the common
//! skeletons: CMU, Mixamo, Unreal, 3ds Max Biped, VRM, Character Creator, Rigify, MakeHuman, MikuMikuDance,
//! HumanIK, Daz, Poser, Xsens, SMPL, Perception Neuron, Rokoko, Kinect, ARKit, OpenPose, COCO and others. A bone
//! is named after the joint where it begins, so the same names are used for rigs.

use bone_core::Side;

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

    /// Its index in [`BodyPart::ALL`].
    pub(crate) fn index(self) -> usize {
        Self::ALL.iter().position(|part| *part == self).unwrap_or_default()
    }

    /// The name of the part in generated rigs and in maps: `thigh_l`.
    pub fn name(self) -> &'static str {
        let names = "hip spine chest neck head \
            upper_arm_l fore_arm_l hand_l thigh_l shin_l foot_l toe_l \
            upper_arm_r fore_arm_r hand_r thigh_r shin_r foot_r toe_r";
        names.split(' ').nth(self.index()).unwrap_or_default()
    }

    /// The side of the body; `None` for parts in the middle.
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::UpperArm(side) | Self::ForeArm(side) | Self::Hand(side) => Some(side),
            Self::Thigh(side) | Self::Shin(side) | Self::Foot(side) | Self::Toe(side) => Some(side),
            _ => None,
        }
    }

    /// The names of the part without side, prefix, number and separators, the most reliable first: a
    /// `LeftShoulder` is the collar bone where a `LeftArm` exists, and the arm where none does.
    fn stems(self) -> impl Iterator<Item = &'static str> + Clone {
        let stems = match self {
            Self::Hips => "hips hip pelvis midhip hipcenter spinebase center lowerbody cog root",
            Self::Spine => "spine waist belly abdomen abdomenlower lowerback spinemid",
            Self::Chest => "chest torso upperbody chestlower upperchest spine body",
            Self::Neck => "neck lowerneck necklower shouldercenter spineshoulder necktwist",
            Self::Head => "head nose",
            Self::UpperArm(_) => "upperarm uparm arm humerus shldrbend shldr armupper shoulder",
            Self::ForeArm(_) => "forearm lowerarm lowarm elbow radius forearmbend armlower ulna",
            Self::Hand(_) => "hand wrist",
            Self::Thigh(_) => "upleg thigh upperleg femur thighbend legupper hip leg",
            Self::Shin(_) => "shin lowerleg lowleg calf tibia knee legnether leg",
            Self::Foot(_) => "foot ankle",
            Self::Toe(_) => "toebase toe toes bigtoe ball toesbase metatarsals foot",
        };
        stems.split(' ')
    }

    /// Whether the uppermost of the joints with a name of this part is taken: some skeletons have both a
    /// wrist and a hand, or an ankle and a foot.
    const fn is_uppermost(self) -> bool {
        matches!(self, Self::Hand(_) | Self::Foot(_))
    }
}

/// The joint that a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct JointName {
    side: Option<Side>,
    /// Its words without prefix, side and number, in lower case.
    stem: String,
    number: Option<u32>,
    /// Whether it is a twist, a control or an end, and not a joint of the body.
    helper: bool,
}

/// Words in front of the name of a joint.
const PREFIXES: &str = "mixamorig bip biped valve valvebiped cc def org j character skeleton robot avg jnt joint bone bn b bind rig m f sk g";
/// Words of joints that are not joints of the body.
const HELPERS: &str = "twist roll ik fk pole ctrl control \
    helper adj sec tweak end nub site target effector mch goal prop tip dummy share";

/// The names of MikuMikuDance, without their sides, and a common name of each.
const MMD: &str = "足首 ankle, つま先 toe, ひざ knee, 膝 knee, 足 leg, 肩 clavicle, 腕 upperarm, ひじ elbow, \
    肘 elbow, 手首 wrist, 首 neck, 頭 head, 下半身 lowerbody, 上半身 spine, センター center, 腰 waist";

fn parsed(name: &str) -> JointName {
    let name = name.rsplit([':', '|']).next().unwrap_or(name).trim();
    if let Some(found) = japanese(name) {
        return found;
    }
    let mut words = words(name);
    let mut number = None;
    words.retain(|word| match word.parse::<u32>() {
        Ok(found) => {
            number = Some(found);
            false
        }
        Err(_) => true,
    });
    while words.len() > 1 && PREFIXES.split(' ').any(|prefix| prefix == words[0]) {
        let character_creator = words[0] == "cc";
        words.remove(0);
        if character_creator && words.len() > 1 && words[0] == "base" {
            words.remove(0);
        }
    }
    // `c` and `m` are the middle; a joint is a joint, but a hip joint is not the hip.
    if words.len() > 1 && ["joint", "jnt", "bone", "bind"].contains(&words[words.len() - 1].as_str()) {
        let hip_joint = words[words.len() - 2] == "hip";
        if !hip_joint {
            words.pop();
        }
    }
    if words.len() > 1 {
        words.retain(|word| word != "c" && word != "m");
    }
    let mut side = None;
    let sided = |word: &str| match word {
        "l" | "left" | "lf" | "lt" => Some(Side::Left),
        "r" | "right" | "rt" => Some(Side::Right),
        _ => None,
    };
    if words.len() > 1 {
        words.retain(|word| match sided(word) {
            Some(found) if side.is_none() => {
                side = Some(found);
                false
            }
            _ => true,
        });
    }
    let helper = words.iter().any(|word| HELPERS.split(' ').any(|helper| helper == word));
    if helper && words.len() > 1 {
        words.retain(|word| word != "twist" || words_is_neck(name));
    }
    JointName { side, stem: words.concat(), number, helper }
}

/// The words of a name without prefix, side and number.
pub(crate) fn stem(name: &str) -> String {
    parsed(name).stem
}

/// The side of a name, and its words without prefix, side and number.
pub(crate) fn sided_stem(name: &str) -> (Option<Side>, String) {
    let JointName { side, stem, .. } = parsed(name);
    (side, stem)
}

/// Some skeletons have only twist joints in the neck.
fn words_is_neck(name: &str) -> bool {
    name.to_ascii_lowercase().contains("neck")
}

/// Splits a name at separators, at capitals, between letters and digits, and at the words left and right. A
/// known bone of the CMU database may have its side as a small letter in front.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (at, &c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let next_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let starts = before.is_some_and(|before| {
            (c.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_small)))
                || c.is_ascii_digit() != before.is_ascii_digit()
        });
        if (starts || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    let known = "femur tibia humerus radius foot hand toes wrist fingers thumb \
                 clavicle hipjoint hip knee ankle shoulder elbow thigh shin arm leg";
    let split = |word: String| -> Vec<String> {
        for side in ["left", "right"] {
            if word.len() > side.len() {
                if let Some(rest) = word.strip_prefix(side) {
                    return vec![side.to_owned(), rest.to_owned()];
                }
                if let Some(rest) = word.strip_suffix(side) {
                    return vec![rest.to_owned(), side.to_owned()];
                }
            }
        }
        match word.strip_prefix(['l', 'r']).filter(|rest| known.split(' ').any(|known| known == *rest)) {
            Some(rest) => vec![word[..1].to_owned(), rest.to_owned()],
            None => vec![word],
        }
    };
    words.into_iter().flat_map(split).collect()
}

/// A name of MikuMikuDance.
fn japanese(name: &str) -> Option<JointName> {
    let (side, rest) = match name.chars().next()? {
        '左' => (Some(Side::Left), name.strip_prefix('左')?),
        '右' => (Some(Side::Right), name.strip_prefix('右')?),
        _ => (None, name),
    };
    let digits = rest.trim_start_matches(|c: char| !c.is_ascii_digit() && !('０'..='９').contains(&c));
    let stem = &rest[..rest.len() - digits.len()];
    let mut known = MMD.split(", ").filter_map(|pair| pair.split_once(' '));
    let found = known.find(|(known, _)| *known == stem);
    let is_japanese = name.chars().any(|c| ('\u{3040}'..='\u{9fff}').contains(&c));
    let (stem, helper) = match found {
        Some((_, stem)) => (stem.to_owned(), false),
        None if is_japanese => (stem.to_owned(), true),
        None => return None,
    };
    Some(JointName { side, stem, number: digits.parse().ok(), helper })
}

/// Finds the parts among names: for each part of [`BodyPart::ALL`] the index of its name. `parents` has the
/// parent of each name, which comes before it.
pub(crate) fn find_parts<'a>(
    names: impl IntoIterator<Item = &'a str>,
    parents: &[Option<usize>],
) -> Vec<Option<usize>> {
    let names: Vec<JointName> = names.into_iter().map(parsed).collect();
    let mut depths: Vec<usize> = Vec::with_capacity(names.len());
    for at in 0..names.len() {
        let parent = parents.get(at).copied().flatten().filter(|&parent| parent < at);
        depths.push(parent.map_or(0, |parent| depths[parent] + 1));
    }
    let mut taken = vec![false; names.len()];
    let mut found = vec![None; BodyPart::ALL.len()];
    for (slot, part) in found.iter_mut().zip(BodyPart::ALL) {
        let fits = |at: usize, stem: &str| {
            let JointName { side, stem: name, helper, .. } = &names[at];
            !taken[at] && *side == part.side() && name == stem && (!helper || stem == "necktwist")
        };
        let with_stem = |stem: &str| {
            // Of several with numbers the lowest one.
            (0..names.len()).filter(|&at| fits(at, stem)).min_by_key(|&at| (names[at].number, at))
        };
        *slot = match part.is_uppermost() {
            true => {
                let all = part.stems().filter_map(with_stem);
                all.min_by_key(|&at| depths[at])
            }
            false => part.stems().find_map(with_stem),
        };
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
            let chain: Vec<Option<usize>> = (0..names.len()).map(|at| at.checked_sub(1)).collect();
            let found = find_parts(names.iter().copied(), &chain);
            let at = |part: BodyPart| found[part.index()].map(|at| names[at]);
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
        let found = find_parts(BodyPart::ALL.map(BodyPart::name), &[]);
        assert_eq!(found, (0..BodyPart::ALL.len()).map(Some).collect::<Vec<_>>());
        assert_eq!(part_by_name("toe_r"), Some(BodyPart::Toe(Side::Right)));
    }
}
