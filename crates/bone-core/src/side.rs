//! Left and right in the names of bones: `arm.L` and `arm.R` are a pair. Only names are compared; positions
//! are used only for the axis between pairs.
//!
//! The rules are Blender's, so that its rigs need no other names.

use std::collections::BTreeMap;

use crate::{BoneId, Skeleton};

/// A side of the character, as named: the character's own left, which is on the right of a drawing seen from
/// the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// `.L`, `_l`, `Left` and similar.
    Left,
    /// `.R`, `_r`, `Right` and similar.
    Right,
}

const SEPARATORS: [char; 4] = ['.', '_', '-', ' '];

/// The side in a name, and the same name for the other side.
///
/// A side is an `L` or `R`, in either case, at the start or the end, parted by a dot, a line or a space
/// (`arm.L`, `r_hand`), or the word `left` or `right` at the start or the end (`LeftArm`, `hand_right`). A
/// number behind a dot is kept (`arm.L.001`). In a scene the name of the actor comes first (`hero/arm.L`).
///
/// ```
/// use bone_core::{Side, mirrored_name};
///
/// assert_eq!(mirrored_name("arm.L"), Some((Side::Left, "arm.R".to_owned())));
/// assert_eq!(mirrored_name("LeftArm"), Some((Side::Left, "RightArm".to_owned())));
/// assert_eq!(mirrored_name("hero/l_arm"), Some((Side::Left, "hero/r_arm".to_owned())));
/// assert_eq!(mirrored_name("spine"), None);
/// ```
pub fn mirrored_name(name: &str) -> Option<(Side, String)> {
    let of_actor = || {
        let (actor, rest) = name.split_once('/')?;
        mirrored(rest).map(|(side, other)| (side, format!("{actor}/{other}")))
    };
    mirrored(name).or_else(of_actor)
}

fn mirrored(name: &str) -> Option<(Side, String)> {
    let (stem, number) = match name.rsplit_once('.') {
        Some((stem, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            name.split_at(stem.len())
        }
        _ => (name, ""),
    };
    let (side, mirrored) = by_letter(stem).or_else(|| by_word(stem))?;
    Some((side, mirrored + number))
}

fn by_letter(stem: &str) -> Option<(Side, String)> {
    let letter = |c: char| match c {
        'l' => Some((Side::Left, 'r')),
        'L' => Some((Side::Left, 'R')),
        'r' => Some((Side::Right, 'l')),
        'R' => Some((Side::Right, 'L')),
        _ => None,
    };
    // The rest of the name must not be empty: `.L` alone has no side.
    stem.chars().nth(2)?;
    let mut back = stem.chars().rev();
    if let Some((side, other)) = back.next().and_then(letter)
        && back.next().is_some_and(|c| SEPARATORS.contains(&c))
    {
        return Some((side, format!("{}{other}", &stem[..stem.len() - 1])));
    }
    let mut front = stem.chars();
    if let Some((side, other)) = front.next().and_then(letter)
        && front.next().is_some_and(|c| SEPARATORS.contains(&c))
    {
        return Some((side, format!("{other}{}", &stem[1..])));
    }
    None
}

fn by_word(stem: &str) -> Option<(Side, String)> {
    for (side, word, other) in [(Side::Right, "right", "left"), (Side::Left, "left", "right")] {
        if let Some((head, tail)) = stem.split_at_checked(word.len())
            && head.eq_ignore_ascii_case(word)
        {
            return Some((side, format!("{}{tail}", in_case_of(head, other))));
        }
        if let Some(start) = stem.len().checked_sub(word.len())
            && let Some((head, tail)) = stem.split_at_checked(start)
            && tail.eq_ignore_ascii_case(word)
        {
            return Some((side, format!("{head}{}", in_case_of(tail, other))));
        }
    }
    None
}

fn in_case_of(model: &str, word: &str) -> String {
    let upper = |at: usize| model.as_bytes().get(at).is_some_and(u8::is_ascii_uppercase);
    match (upper(0), upper(1)) {
        (true, true) => word.to_ascii_uppercase(),
        (true, false) => format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..]),
        _ => word.to_owned(),
    }
}

/// Which bones of a skeleton are each other's mirror images, by their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// For each bone its side, and the bone on the other side if there is one.
    bones: Vec<Option<(Side, Option<BoneId>)>>,
}

impl Sides {
    /// Pairs the bones of a skeleton.
    pub fn new(skeleton: &Skeleton) -> Self {
        let named: BTreeMap<&str, BoneId> =
            skeleton.bones().map(|bone| (skeleton.name(bone), bone)).collect();
        let other = |bone: BoneId| {
            let (side, name) = mirrored_name(skeleton.name(bone))?;
            let partner = named.get(name.as_str()).copied();
            // `left_right` leads to `left_left`, which leads to another name: no pair.
            let back = mirrored_name(&name).is_some_and(|(_, back)| back == skeleton.name(bone));
            Some((side, partner.filter(|_| back)))
        };
        Self { bones: skeleton.bones().map(other).collect() }
    }

    /// The side in a bone's name.
    pub fn side(&self, bone: BoneId) -> Option<Side> {
        self.bones.get(bone.index()).copied().flatten().map(|(side, _)| side)
    }

    /// The bone on the other side; none for a bone in the middle, or if no bone has the mirrored name.
    pub fn partner(&self, bone: BoneId) -> Option<BoneId> {
        self.bones.get(bone.index()).copied().flatten().and_then(|(_, partner)| partner)
    }

    /// Pairs as (left, right).
    pub fn pairs(&self) -> impl Iterator<Item = (BoneId, BoneId)> {
        self.bones.iter().enumerate().filter_map(|(i, sided)| match sided {
            Some((Side::Left, Some(partner))) => Some((BoneId::from_index(i), *partner)),
            _ => None,
        })
    }

    /// The x of the vertical axis between left and right at rest: the median of the midpoints of the pairs,
    /// or without pairs, of the bones without a side. None without any such bone.
    pub fn axis(&self, skeleton: &Skeleton) -> Option<f64> {
        let x = |bone: BoneId| 0.5 * (skeleton.setup_origin(bone).x + skeleton.setup_tip(bone).x);
        let mut middles: Vec<f64> = self.pairs().map(|(left, right)| 0.5 * (x(left) + x(right))).collect();
        if middles.is_empty() {
            middles = skeleton.bones().filter(|bone| self.side(*bone).is_none()).map(x).collect();
        }
        middles.sort_by(f64::total_cmp);
        let (low, high) = (middles.get(middles.len().checked_sub(1)? / 2)?, middles.get(middles.len() / 2)?);
        Some(0.5 * (low + high))
    }

    /// Whether the left bones have the greater x, by the mean over all pairs; none if the mean difference is
    /// 0.
    pub fn left_has_greater_x(&self, skeleton: &Skeleton) -> Option<bool> {
        let x = |bone: BoneId| skeleton.setup_origin(bone).x + skeleton.setup_tip(bone).x;
        let apart: f64 = self.pairs().map(|(left, right)| x(left) - x(right)).sum();
        (apart != 0.0).then_some(apart > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoneSpec, SkeletonBuilder};
    use proptest::prelude::*;

    #[test]
    fn names_that_blender_mirrors() {
        for (left, right) in [
            ("arm.L", "arm.R"),
            ("arm_l", "arm_r"),
            ("arm-L", "arm-R"),
            ("arm l", "arm r"),
            ("L_arm", "R_arm"),
            ("l.arm", "r.arm"),
            ("l-arm", "r-arm"),
            ("L arm", "R arm"),
            ("arm.L.001", "arm.R.001"),
            ("LeftArm", "RightArm"),
            ("leftArm", "rightArm"),
            ("LEFT_ARM", "RIGHT_ARM"),
            ("armLeft", "armRight"),
            ("arm_left", "arm_right"),
            ("arm left.12", "arm right.12"),
            ("größe.L", "größe.R"),
            ("left", "right"),
        ] {
            assert_eq!(mirrored_name(left), Some((Side::Left, right.to_owned())), "{left}");
            assert_eq!(mirrored_name(right), Some((Side::Right, left.to_owned())), "{right}");
        }
        for name in
            ["", "L", ".L", "spine", "arm.", "tail_1", "skull", "pillar", "arm.L2", "é.é", "..", ".001"]
        {
            assert_eq!(mirrored_name(name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_name_is_read(name in "\\PC{0,12}") {
            let _ = mirrored_name(&name);
        }

        #[test]
        fn twice_is_the_name_itself(stem in "[a-k]{1,5}", sep in "[-_. ]", side in "[lLrR]", front in any::<bool>()) {
            let name = if front { format!("{side}{sep}{stem}") } else { format!("{stem}{sep}{side}") };
            let (_, other) = mirrored_name(&name).expect("a side");
            prop_assert_eq!(mirrored_name(&other).expect("a side").1, name);
        }
    }

    #[test]
    fn pairs_and_the_axis_between_them() {
        let skeleton = SkeletonBuilder::new()
            .bone(BoneSpec::new("hip", 10.0).origin(99.0, 0.0).degrees(-90.0))
            .bone(BoneSpec::new("leg.L", 10.0).origin(120.0, 0.0).degrees(90.0))
            .bone(BoneSpec::new("leg.R", 10.0).origin(80.0, 0.0).degrees(90.0))
            .bone(BoneSpec::new("hand.L", 10.0).origin(300.0, 0.0))
            .build()
            .expect("a skeleton");
        let sides = Sides::new(&skeleton);
        let bone = |name: &str| skeleton.find(name).expect("a bone");
        assert_eq!(sides.partner(bone("leg.L")), Some(bone("leg.R")));
        assert_eq!(sides.partner(bone("hand.L")), None);
        assert_eq!(sides.side(bone("hand.L")), Some(Side::Left));
        assert_eq!(sides.side(bone("hip")), None);
        assert!((sides.axis(&skeleton).expect("a pair") - 100.0).abs() < 1e-12);
        assert_eq!(sides.left_has_greater_x(&skeleton), Some(true));
    }
}
