//! Which point is which joint in each layout. A layout is identified by the number of its points, or by its name
//! where two have as many.

use super::person::{Detection, KEYPOINTS, Keypoint, PersonPose};
use crate::parts::words;

/// An order of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum KeypointLayout {
    /// 17 points of COCO, as most detectors write them.
    Coco17,
    /// 18 points: OpenPose's COCO model.
    OpenPose18,
    /// 25 points: OpenPose's BODY_25.
    Body25,
    /// 33 landmarks of MediaPipe, also called BlazePose.
    MediaPipe33,
    /// 26 points of Halpe: COCO's with head, neck, hips and feet.
    Halpe26,
    /// 133 points of COCO-WholeBody: COCO's with feet, face and hands.
    WholeBody133,
    /// 17 points of an animal: AP-10K, and APT-36K.
    Ap10k,
    /// 20 points of an animal: AnimalPose.
    AnimalPose20,
    /// 25 points of an animal: Apple's Vision.
    AppleAnimal25,
    /// Points with names, as tables have them.
    Named,
}

/// The name of a point, in which sides and ends of animals are letters: `left_front_paw` is `lfpaw`.
fn short(name: &str) -> String {
    let letter = |word: String| match word.as_str() {
        "left" | "right" | "front" | "back" => word[..1].to_owned(),
        _ => word,
    };
    words(name).into_iter().map(letter).collect()
}

/// What a layout has.
struct LayoutTable {
    /// The number of points.
    points: usize,
    /// Its usual name.
    name: &'static str,
    /// Its name in arguments, and those in files of MMPose.
    words: &'static [&'static str],
    /// The names of its points, with blanks between; empty if no file has them.
    names: &'static str,
    /// The points of the left and the right ear.
    ears: [usize; 2],
    /// Joints in the order of their points, each run with its first point. Eyes, mouths, fingers and small toes
    /// are left out. Animals have none: their names are used.
    joints: &'static [(usize, &'static [Keypoint])],
}

impl KeypointLayout {
    /// All layouts with a number of points; of two with as many the usual one is first.
    pub const ALL: [Self; 9] = [
        Self::Coco17,
        Self::OpenPose18,
        Self::Body25,
        Self::MediaPipe33,
        Self::Halpe26,
        Self::WholeBody133,
        Self::Ap10k,
        Self::AnimalPose20,
        Self::AppleAnimal25,
    ];

    /// From the documentation of each estimator.
    const fn table(self) -> LayoutTable {
        use Keypoint::*;
        match self {
            Self::Coco17 => LayoutTable {
                points: 17,
                name: "COCO (17 points)",
                words: &["coco"],
                names: "nose left_eye right_eye left_ear right_ear left_shoulder right_shoulder left_elbow right_elbow \
                    left_wrist right_wrist left_hip right_hip left_knee right_knee left_ankle right_ankle",
                ears: [3, 4],
                joints: &[
                    (0, &[Head]),
                    (5, &[ShoulderL, ShoulderR, ElbowL, ElbowR, WristL, WristR]),
                    (11, &[HipL, HipR, KneeL, KneeR, AnkleL, AnkleR]),
                ],
            },
            Self::OpenPose18 => LayoutTable {
                points: 18,
                name: "OpenPose COCO (18 points)",
                words: &["openpose-18"],
                names: "",
                ears: [17, 16],
                joints: &[
                    (0, &[Head, Neck, ShoulderR, ElbowR, WristR, ShoulderL, ElbowL, WristL]),
                    (8, &[HipR, KneeR, AnkleR, HipL, KneeL, AnkleL]),
                ],
            },
            Self::Body25 => LayoutTable {
                points: 25,
                name: "OpenPose BODY_25 (25 points)",
                words: &["body-25"],
                names: "",
                ears: [18, 17],
                joints: &[
                    (0, &[Head, Neck, ShoulderR, ElbowR, WristR, ShoulderL, ElbowL, WristL]),
                    (8, &[Pelvis, HipR, KneeR, AnkleR, HipL, KneeL, AnkleL]),
                    (19, &[ToeL]),
                    (21, &[HeelL, ToeR]),
                    (24, &[HeelR]),
                ],
            },
            Self::MediaPipe33 => LayoutTable {
                points: 33,
                name: "MediaPipe (33 points)",
                words: &["mediapipe"],
                names: "nose left_eye_inner left_eye left_eye_outer right_eye_inner right_eye right_eye_outer left_ear \
                    right_ear mouth_left mouth_right left_shoulder right_shoulder left_elbow right_elbow left_wrist \
                    right_wrist left_pinky right_pinky left_index right_index left_thumb right_thumb left_hip right_hip \
                    left_knee right_knee left_ankle right_ankle left_heel right_heel left_foot_index right_foot_index",
                ears: [7, 8],
                joints: &[
                    (0, &[Head]),
                    (11, &[ShoulderL, ShoulderR, ElbowL, ElbowR, WristL, WristR]),
                    (23, &[HipL, HipR, KneeL, KneeR, AnkleL, AnkleR, HeelL, HeelR, ToeL, ToeR]),
                ],
            },
            Self::Halpe26 => LayoutTable {
                points: 26,
                name: "Halpe (26 points)",
                words: &["halpe-26", "halpe26"],
                names: "",
                ears: [3, 4],
                joints: &[
                    (0, &[Head]),
                    (5, &[ShoulderL, ShoulderR, ElbowL, ElbowR, WristL, WristR]),
                    (11, &[HipL, HipR, KneeL, KneeR, AnkleL, AnkleR]),
                    (18, &[Neck, Pelvis, ToeL, ToeR]),
                    (24, &[HeelL, HeelR]),
                ],
            },
            Self::WholeBody133 => LayoutTable {
                points: 133,
                name: "COCO-WholeBody (133 points)",
                words: &["wholebody", "coco_wholebody", "cocowholebody"],
                names: "",
                ears: [3, 4],
                joints: &[
                    (0, &[Head]),
                    (5, &[ShoulderL, ShoulderR, ElbowL, ElbowR, WristL, WristR]),
                    (11, &[HipL, HipR, KneeL, KneeR, AnkleL, AnkleR, ToeL]),
                    (19, &[HeelL, ToeR]),
                    (22, &[HeelR]),
                ],
            },
            Self::Ap10k | Self::AnimalPose20 | Self::AppleAnimal25 | Self::Named => self.animal_table(),
        }
    }

    /// The same for animals, and for points with names of their own.
    const fn animal_table(self) -> LayoutTable {
        match self {
            Self::Ap10k => LayoutTable {
                points: 17,
                name: "AP-10K (17 points)",
                words: &["ap-10k", "ap10k"],
                names: "L_Eye R_Eye Nose Neck Root_of_tail L_Shoulder L_Elbow L_F_Paw R_Shoulder R_Elbow R_F_Paw \
                    L_Hip L_Knee L_B_Paw R_Hip R_Knee R_B_Paw",
                ears: [usize::MAX; 2],
                joints: &[],
            },
            Self::AnimalPose20 => LayoutTable {
                points: 20,
                name: "AnimalPose (20 points)",
                words: &["animalpose"],
                names: "L_Eye R_Eye L_EarBase R_EarBase Nose Throat TailBase Withers L_F_Elbow R_F_Elbow L_B_Elbow \
                    R_B_Elbow L_F_Knee R_F_Knee L_B_Knee R_B_Knee L_F_Paw R_F_Paw L_B_Paw R_B_Paw",
                ears: [usize::MAX; 2],
                joints: &[],
            },
            Self::AppleAnimal25 => LayoutTable {
                points: 25,
                name: "Apple Vision (25 points)",
                words: &["apple-animal"],
                names: "leftEarTop leftEarMiddle leftEarBottom rightEarTop rightEarMiddle rightEarBottom leftEye rightEye \
                    nose neck leftFrontElbow leftFrontKnee leftFrontPaw rightFrontElbow rightFrontKnee rightFrontPaw \
                    leftBackElbow leftBackKnee leftBackPaw rightBackElbow rightBackKnee rightBackPaw tailTop tailMiddle \
                    tailBottom",
                ears: [usize::MAX; 2],
                joints: &[],
            },
            _ => LayoutTable {
                points: 0,
                name: "named points",
                words: &[],
                names: "",
                ears: [usize::MAX; 2],
                joints: &[],
            },
        }
    }

    /// The number of points; 0 if it differs from file to file.
    pub const fn points(self) -> usize {
        self.table().points
    }

    /// Its usual name.
    pub const fn name(self) -> &'static str {
        self.table().name
    }

    /// Its name in arguments.
    pub fn word(self) -> &'static str {
        self.table().words.first().copied().unwrap_or_default()
    }

    /// The names of its points in their order; none if no file has them.
    pub(super) fn point_names(self) -> Vec<&'static str> {
        self.table().names.split_whitespace().collect()
    }

    /// Whether its points are those of an animal.
    pub(super) fn is_animal(self) -> bool {
        self.table().joints.is_empty()
    }

    /// For each of its points the number of the one with its name; `None` if one is missing.
    pub(super) fn order_of(self, names: &[&str]) -> Option<Vec<usize>> {
        let names: Vec<String> = names.iter().map(|name| short(name)).collect();
        let wanted = self.point_names();
        let order = wanted.iter().map(|point| names.iter().position(|name| *name == short(point)));
        order.collect::<Option<Vec<usize>>>().filter(|order| !order.is_empty())
    }

    /// The layout whose points have these names in this order.
    pub(super) fn named(names: &[&str]) -> Option<Self> {
        let in_order = |layout: &Self| {
            layout.order_of(names).is_some_and(|order| order.iter().copied().eq(0..names.len()))
        };
        Self::ALL.into_iter().find(in_order)
    }

    /// The usual layout with this number of points.
    pub fn of(points: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.points() == points)
    }

    /// The layout with this name in arguments, or in the files of MMPose.
    pub fn by_word(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|layout| layout.table().words.iter().any(|known| known.eq_ignore_ascii_case(word)))
    }

    /// The joints of a person from its points. A missing neck is placed between the shoulders, a missing
    /// pelvis between the hips.
    pub(super) fn body(self, points: &[Option<Detection>]) -> PersonPose {
        let mut body: PersonPose = [None; KEYPOINTS];
        let LayoutTable { joints, ears, .. } = self.table();
        let seen = |at: usize| points.get(at).copied().flatten();
        for (first, parts) in joints {
            for (at, part) in parts.iter().enumerate() {
                body[part.at()] = seen(first + at);
            }
        }
        let [left, right] = ears.map(seen);
        let ears = Detection::middle(left, right).or(left).or(right);
        body[Keypoint::Ears.at()] = ears;
        Self::middles(&mut body);
        body
    }

    /// Places a missing neck between the shoulders and a missing pelvis between the hips.
    pub(super) fn middles(body: &mut PersonPose) {
        let middle = |a: Keypoint, b: Keypoint| Detection::middle(body[a.at()], body[b.at()]);
        let neck = body[Keypoint::Neck.at()].or_else(|| middle(Keypoint::ShoulderL, Keypoint::ShoulderR));
        let pelvis = body[Keypoint::Pelvis.at()].or_else(|| middle(Keypoint::HipL, Keypoint::HipR));
        body[Keypoint::Neck.at()] = neck;
        body[Keypoint::Pelvis.at()] = pelvis;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurbo::Point;

    #[test]
    fn a_layout_is_identified_by_its_number_of_points() {
        for layout in KeypointLayout::ALL {
            let usual = KeypointLayout::of(layout.points());
            assert!(usual == Some(layout) || layout.is_animal(), "{layout:?}");
            assert_eq!(KeypointLayout::by_word(layout.word()), Some(layout));
            let names = layout.point_names();
            assert!(names.is_empty() || names.len() == layout.points(), "{layout:?}");
            assert!(names.is_empty() || KeypointLayout::named(&names) == Some(layout), "{layout:?}");
            let inside = |(first, parts): &(usize, &[Keypoint])| first + parts.len() <= layout.points();
            assert!(layout.table().joints.iter().all(inside), "{layout:?}");
        }
        assert_eq!(KeypointLayout::of(24), None);
    }

    #[test]
    fn missing_middles_are_filled_in() {
        let at = |x: f64| Some(Detection { at: Point::new(x, 0.0), confidence: x / 100.0 });
        let points: Vec<Option<Detection>> = (0..17).map(|n| at(f64::from(n))).collect();
        let body = KeypointLayout::Coco17.body(&points);
        assert_eq!(body[Keypoint::Neck.at()], Some(Detection { at: Point::new(5.5, 0.0), confidence: 0.05 }));
        assert_eq!(
            body[Keypoint::Pelvis.at()],
            Some(Detection { at: Point::new(11.5, 0.0), confidence: 0.11 })
        );
        assert_eq!(body[Keypoint::ToeL.at()], None);
    }
}
