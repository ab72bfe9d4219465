//! A body on four legs: which named points are which of its joints, and the bones of its figure. Known are the
//! names of DeepLabCut's SuperAnimal, its birds, AP-10K, AnimalPose and Apple's Vision, and plain ones such as
//! `paw_front_left` or `LHindPaw`.

use bone_core::Side;

pub use crate::animal_parts::{AnimalLeg, AnimalPart};
use crate::figure::FigureBone;
use crate::parts::words;

/// A point of an animal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AnimalPoint {
    Nose,
    Ear(Side),
    /// The end of the neck at the head, and that at the trunk.
    Neck(usize),
    Withers,
    Rump,
    Tail(usize),
    /// A leg, and its point from 0 (shoulder or hip) to 3 (paw).
    Leg(AnimalLeg, usize),
    /// A wing, and its point from 0 (shoulder) to 3 (tip).
    Wing(Side, usize),
}

impl AnimalPoint {
    /// The name of its joint.
    pub(crate) fn name(self) -> String {
        let side = |side| if side == Side::Left { "l" } else { "r" };
        match self {
            Self::Nose => "nose".to_owned(),
            Self::Ear(of) => format!("ear_{}", side(of)),
            Self::Neck(at) => ["neck_top", "neck_base"][at.min(1)].to_owned(),
            Self::Withers => "withers".to_owned(),
            Self::Rump => "tail_base".to_owned(),
            Self::Tail(at) => format!("tail_{at}"),
            Self::Leg(leg, at) => format!("{}_{}", ["top", "knee", "ankle", "paw"][at.min(3)], leg.name()),
            Self::Wing(of, at) => {
                format!("wing_{}_{}", ["top", "elbow", "wrist", "tip"][at.min(3)], side(of))
            }
        }
    }

    /// The points that names stand for. What a name stands for can depend on the others: where a leg has an elbow
    /// and a knee, the knee is its second joint; where there are wings, legs are hind legs.
    pub(crate) fn all(names: &[&str]) -> Vec<Option<Self>> {
        let is_bird = names.iter().any(|name| words(name).iter().any(|word| word == "wing"));
        let mut found: Vec<Option<Self>> = names.iter().map(|name| Self::of(name, is_bird)).collect();
        for leg in AnimalLeg::ALL {
            let knee = Self::Leg(leg, 1);
            let ankle = Self::Leg(leg, 2);
            let both: Vec<usize> = (0..names.len()).filter(|&at| found[at] == Some(knee)).collect();
            if both.len() > 1 && !found.contains(&Some(ankle)) {
                for at in both.into_iter().filter(|&at| names[at].to_lowercase().contains("knee")) {
                    found[at] = Some(ankle);
                }
            }
        }
        // A throat is where the neck begins, if nothing else is.
        let neck = |point: &Option<Self>| matches!(point, Some(Self::Neck(_)));
        let throat = names.iter().position(|name| name.eq_ignore_ascii_case("throat"));
        if let (Some(throat), false) = (throat, found.iter().any(neck)) {
            found[throat] = Some(Self::Neck(1));
        }
        found
    }

    /// The point that a name stands for, alone.
    fn of(name: &str, is_bird: bool) -> Option<Self> {
        // `nearfronthoof` and the like have no separators.
        let mut all: Vec<String> = Vec::new();
        for word in words(name) {
            split(&word, &mut all);
        }
        let has = |some: &[&str]| all.iter().any(|word| some.contains(&word.as_str()));
        // The near side of a horse is its left one.
        let side = match (has(&["l", "left", "near"]), has(&["r", "right", "off"])) {
            (true, false) => Some(Side::Left),
            (false, true) => Some(Side::Right),
            _ => None,
        };
        let number = all.iter().find_map(|word| word.parse::<usize>().ok());
        if has(&["tail"]) {
            return Some(match number {
                _ if has(&["base", "root", "start", "set"]) => Self::Rump,
                _ if has(&["top"]) => Self::Tail(0),
                _ if has(&["end", "tip", "bottom"]) => Self::Tail(9),
                _ if has(&["mid", "middle", "center", "centre"]) => Self::Tail(4),
                Some(number) => Self::Tail(number.min(8)),
                None => Self::Tail(9),
            });
        }
        if has(&["nose", "snout", "muzzle"]) || (is_bird && has(&["bill", "beak"])) {
            return Some(Self::Nose);
        }
        if has(&["ear", "earbase"]) && !has(&["end", "tip", "earend", "eartip", "top", "middle"]) {
            return side.map(Self::Ear);
        }
        let front = has(&["front", "fore", "f", "lf", "rf"]);
        let hind = has(&["hind", "back", "rear", "b", "h", "lh", "rh", "lb", "rb"]);
        let row = |shoulder_or_hip: bool| -> Option<usize> {
            Some(if shoulder_or_hip || has(&["thai", "thigh"]) {
                0
            } else if has(&["elbow", "stifle", "knee"]) {
                1
            } else if has(&["wrist", "carpus", "hock", "ankle", "fetlock", "heel"]) {
                2
            } else if has(&["paw", "foot", "hoof", "hand", "toe", "toes"]) {
                3
            } else {
                return None;
            })
        };
        if let Some(side) = side.filter(|_| is_bird) {
            let rows = [("shoulder", 0), ("elbow", 1), ("wrist", 2), ("tip", 3)];
            let wing = rows.into_iter().find(|(word, _)| has(&[word]));
            let rows = [("hip", 0), ("tibia", 1), ("knee", 1), ("leg", 2), ("ankle", 2), ("foot", 3)];
            let leg = rows.into_iter().find(|(word, _)| has(&[word]));
            let leg = leg.map(|(_, at)| Self::Leg(AnimalLeg { front: false, side }, at));
            return wing.map(|(_, at)| Self::Wing(side, at)).or(leg);
        }
        if let Some(side) = side {
            let shoulder = has(&["shoulder"]);
            let front = front || (!hind && (shoulder || has(&["elbow", "wrist", "carpus"])));
            let hind = (hind && !front) || has(&["hip", "stifle", "hock", "heel"]);
            let knee = !front && has(&["knee"]);
            if front || hind || knee {
                let at = row(shoulder || has(&["hip"]))?;
                return Some(Self::Leg(
                    AnimalLeg { front: front && !has(&["hip", "stifle", "hock"]), side },
                    at,
                ));
            }
            return None;
        }
        match () {
            () if is_bird && has(&["spine", "back"]) => {
                let low = if has(&["lower"]) { Some(Self::Rump) } else { None };
                low.or_else(|| has(&["upper"]).then_some(Self::Withers))
            }
            () if is_bird && has(&["nape"]) => Some(Self::Neck(1)),
            () if has(&["neck"]) => Some(Self::Neck(usize::from(has(&["end"])))),
            () if has(&["wither", "withers"]) || (has(&["back"]) && has(&["base"])) => Some(Self::Withers),
            () if has(&["back"]) && has(&["end"]) => Some(Self::Rump),
            () if has(&["rump", "croup", "sacrum"]) => Some(Self::Rump),
            () => None,
        }
    }
}

/// Splits a word at the words that are written without separators.
fn split(word: &str, into: &mut Vec<String>) {
    const KNOWN: [&str; 27] = [
        "tail", "near", "off", "front", "fore", "hind", "back", "rear", "left", "right", "paw", "hoof",
        "foot", "base", "tip", "end", "root", "mid", "knee", "hock", "fetlock", "elbow", "shoulder", "wrist",
        "ear", "neck", "hip",
    ];
    let mut rest = word;
    while !rest.is_empty() {
        match KNOWN.iter().find(|known| rest.starts_with(**known)) {
            Some(known) => {
                into.push((*known).to_owned());
                rest = &rest[known.len()..];
            }
            None => {
                into.push(rest.to_owned());
                return;
            }
        }
    }
}

/// The joints of an animal: positions of named points are those that are given, parents first.
pub(crate) struct AnimalJoints {
    /// The point of each joint, and its parent.
    pub(crate) joints: Vec<(AnimalPoint, Option<usize>)>,
}

impl AnimalJoints {
    /// The tree of these points; rump, withers and nose have to be there.
    pub(crate) fn new(points: &[AnimalPoint]) -> Self {
        let mut joints: Vec<(AnimalPoint, Option<usize>)> =
            vec![(AnimalPoint::Rump, None), (AnimalPoint::Withers, Some(0))];
        let add = |joints: &mut Vec<(AnimalPoint, Option<usize>)>, point: AnimalPoint, parent: usize| {
            if points.contains(&point) {
                joints.push((point, Some(parent)));
                joints.len() - 1
            } else {
                parent
            }
        };
        let low = add(&mut joints, AnimalPoint::Neck(1), 1);
        let skull = add(&mut joints, AnimalPoint::Neck(0), low);
        add(&mut joints, AnimalPoint::Nose, skull);
        let mut end = 0;
        for at in 0..=9 {
            end = add(&mut joints, AnimalPoint::Tail(at), end);
        }
        for leg in AnimalLeg::ALL {
            let mut end = usize::from(leg.front);
            for at in 0..4 {
                end = add(&mut joints, AnimalPoint::Leg(leg, at), end);
            }
        }
        for side in [Side::Left, Side::Right] {
            let mut end = 1;
            for at in 0..4 {
                end = add(&mut joints, AnimalPoint::Wing(side, at), end);
            }
        }
        Self { joints }
    }

    fn at(&self, point: AnimalPoint) -> Option<usize> {
        self.joints.iter().position(|joint| joint.0 == point)
    }

    /// The bones of a figure, parents first.
    pub(crate) fn bones(&self) -> Vec<FigureBone> {
        let mut bones: Vec<FigureBone> = Vec::new();
        let mut push = |part: AnimalPart, from: usize, to: usize, parent: Option<usize>| {
            let name = part.name();
            bones.push(FigureBone { name, part: None, animal: Some(part), from, to, parent });
            Some(bones.len() - 1)
        };
        let body = push(AnimalPart::Body, 0, 1, None);
        let nose = self.at(AnimalPoint::Nose);
        let skull = self.at(AnimalPoint::Neck(0));
        let neck = skull.and_then(|skull| push(AnimalPart::Neck, 1, skull, body)).or(body);
        nose.and_then(|nose| push(AnimalPart::Head, skull.unwrap_or(1), nose, neck));
        let (mut from, mut parent) = (0, body);
        for (at, joint) in (0..=9).filter_map(|at| self.at(AnimalPoint::Tail(at))).enumerate() {
            parent = push(AnimalPart::Tail(at), from, joint, parent);
            from = joint;
        }
        let mut limb =
            |point: &dyn Fn(usize) -> AnimalPoint, part: &dyn Fn(usize) -> AnimalPart, trunk: usize| {
                let points: Vec<usize> = (0..4).filter_map(|at| self.at(point(at))).collect();
                let mut parent = body;
                // A limb without a shoulder or a hip begins at the trunk.
                let top = self.at(point(0)).unwrap_or(trunk);
                let mut from = top;
                for (at, to) in points.into_iter().filter(|&to| to != top).enumerate() {
                    parent = push(part(at), from, to, parent);
                    from = to;
                }
            };
        for leg in AnimalLeg::ALL {
            limb(&|at| AnimalPoint::Leg(leg, at), &|at| AnimalPart::Leg(leg, at), usize::from(leg.front));
        }
        for side in [Side::Left, Side::Right] {
            limb(&|at| AnimalPoint::Wing(side, at), &|at| AnimalPart::Wing(side, at), 1);
        }
        bones
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_common_data_sets_are_known() {
        use AnimalPoint::*;
        let leg = |front, side, at| Leg(AnimalLeg { front, side }, at);
        let (left, right) = (Side::Left, Side::Right);
        for (name, point) in [
            ("nose", Nose),
            ("left_earbase", Ear(left)),
            ("R_Ear", Ear(right)),
            ("rightear", Ear(right)),
            ("neck_end", Neck(1)),
            ("back_base", Withers),
            ("back_end", Rump),
            ("Wither", Withers),
            ("tail_base", Rump),
            ("tailbase", Rump),
            ("Root of tail", Rump),
            ("tail_end", Tail(9)),
            ("TailTip", Tail(9)),
            ("tail1", Tail(1)),
            ("front_left_thai", leg(true, left, 0)),
            ("front_left_knee", leg(true, left, 1)),
            ("front_right_paw", leg(true, right, 3)),
            ("back_left_paw", leg(false, left, 3)),
            ("back_right_knee", leg(false, right, 1)),
            ("L_F_Paw", leg(true, left, 3)),
            ("R_B_Paw", leg(false, right, 3)),
            ("L_Shoulder", leg(true, left, 0)),
            ("R_Elbow", leg(true, right, 1)),
            ("L_Hip", leg(false, left, 0)),
            ("L_Knee", leg(false, left, 1)),
            ("Nearfrontfetlock", leg(true, left, 2)),
            ("Offhindhoof", leg(false, right, 3)),
            ("leftHindPaw", leg(false, left, 3)),
        ] {
            assert_eq!(AnimalPoint::all(&[name]), [Some(point)], "{name}");
        }
        for name in ["left_eye", "belly_bottom", "object", "left_earend"] {
            assert_eq!(AnimalPoint::all(&[name]), [None], "{name}");
        }
    }

    /// A leg of AnimalPose has an elbow and a knee; its names mean other joints where only one of them is there.
    #[test]
    fn an_elbow_and_a_knee_are_two_joints() {
        let leg = |front, at| Some(AnimalPoint::Leg(AnimalLeg { front, side: Side::Left }, at));
        let found = AnimalPoint::all(&[
            "L_F_Elbow",
            "L_B_Elbow",
            "L_F_Knee",
            "L_B_Knee",
            "L_F_Paw",
            "L_B_Paw",
            "Throat",
        ]);
        let hind = leg(false, 1);
        let wanted = [leg(true, 1), hind, leg(true, 2), leg(false, 2), leg(true, 3), leg(false, 3)];
        assert_eq!(found[..6], wanted);
        assert_eq!(found[6], Some(AnimalPoint::Neck(1)));
        assert_eq!(AnimalPoint::all(&["L_Knee", "L_B_Paw"]), [leg(false, 1), leg(false, 3)]);
        assert_eq!(AnimalPoint::all(&["neck_base", "throat"]), [Some(AnimalPoint::Neck(0)), None]);
    }

    #[test]
    fn a_bird_has_wings() {
        let found =
            AnimalPoint::all(&["bill", "left_wing_tip", "left_wrist", "left_leg", "lower_spine", "tail_tip"]);
        let leg = AnimalLeg { front: false, side: Side::Left };
        let wing = |at| Some(AnimalPoint::Wing(Side::Left, at));
        let points = [Some(AnimalPoint::Nose), wing(3), wing(2), Some(AnimalPoint::Leg(leg, 2))];
        assert_eq!(found[..4], points);
        assert_eq!(found[4..], [Some(AnimalPoint::Rump), Some(AnimalPoint::Tail(9))]);
        assert_eq!(AnimalPoint::all(&["left_leg", "bill"]), [None, None]);
    }
}
