//! The joints that all layouts of keypoints share, and the detections of one person in one frame.

use bone_core::Side;
use kurbo::Point;

use crate::parts::BodyPart;

/// A joint of a person. Parents come before their children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Keypoint {
    Pelvis,
    Neck,
    Head,
    ShoulderL,
    ElbowL,
    WristL,
    ShoulderR,
    ElbowR,
    WristR,
    HipL,
    KneeL,
    AnkleL,
    HeelL,
    ToeL,
    HipR,
    KneeR,
    AnkleR,
    HeelR,
    ToeR,
    /// The midpoint of the ears, or the ear that was detected: it replaces the head if it is detected often.
    Ears,
}

use Keypoint::*;

/// The number of joints.
pub(super) const KEYPOINTS: usize = 20;

impl Keypoint {
    /// All joints, in the order of their indices.
    pub(super) const ALL: [Self; KEYPOINTS] = [
        Pelvis, Neck, Head, ShoulderL, ElbowL, WristL, ShoulderR, ElbowR, WristR, HipL, KneeL, AnkleL, HeelL,
        ToeL, HipR, KneeR, AnkleR, HeelR, ToeR, Ears,
    ];

    /// Its index.
    pub(super) const fn at(self) -> usize {
        self as usize
    }

    /// Its name in a figure, as in OpenPose; the head is a joint, not a nose.
    pub(super) const fn name(self) -> &'static str {
        ROWS[self.at()].0
    }

    /// Its name in a sentence.
    pub(super) const fn display_name(self) -> &'static str {
        ROWS[self.at()].1
    }

    /// Its parent.
    pub(super) const fn parent(self) -> Option<Self> {
        ROWS[self.at()].2
    }

    /// The part of a body that begins there.
    pub(super) const fn part(self) -> Option<BodyPart> {
        ROWS[self.at()].3
    }

    /// 1 for the right side, -1 for the left, 0 for the middle.
    pub(super) fn right(self) -> f64 {
        match self.display_name().split(' ').next() {
            Some("left") => -1.0,
            Some("right") => 1.0,
            _ => 0.0,
        }
    }
}

/// For each joint its name, its name in a sentence, its parent, and the part of a body that begins there.
const ROWS: [(&str, &str, Option<Keypoint>, Option<BodyPart>); KEYPOINTS] = [
    ("MidHip", "hips", None, Some(BodyPart::Hips)),
    ("Neck", "neck", Some(Pelvis), Some(BodyPart::Neck)),
    ("Head", "head", Some(Neck), Some(BodyPart::Head)),
    ("LShoulder", "left shoulder", Some(Neck), Some(BodyPart::UpperArm(Side::Left))),
    ("LElbow", "left elbow", Some(ShoulderL), Some(BodyPart::ForeArm(Side::Left))),
    ("LWrist", "left wrist", Some(ElbowL), Some(BodyPart::Hand(Side::Left))),
    ("RShoulder", "right shoulder", Some(Neck), Some(BodyPart::UpperArm(Side::Right))),
    ("RElbow", "right elbow", Some(ShoulderR), Some(BodyPart::ForeArm(Side::Right))),
    ("RWrist", "right wrist", Some(ElbowR), Some(BodyPart::Hand(Side::Right))),
    ("LHip", "left hip", Some(Pelvis), Some(BodyPart::Thigh(Side::Left))),
    ("LKnee", "left knee", Some(HipL), Some(BodyPart::Shin(Side::Left))),
    ("LAnkle", "left ankle", Some(KneeL), Some(BodyPart::Foot(Side::Left))),
    ("LHeel", "left heel", Some(AnkleL), None),
    ("LBigToe", "left toe", Some(AnkleL), Some(BodyPart::Toe(Side::Left))),
    ("RHip", "right hip", Some(Pelvis), Some(BodyPart::Thigh(Side::Right))),
    ("RKnee", "right knee", Some(HipR), Some(BodyPart::Shin(Side::Right))),
    ("RAnkle", "right ankle", Some(KneeR), Some(BodyPart::Foot(Side::Right))),
    ("RHeel", "right heel", Some(AnkleR), None),
    ("RBigToe", "right toe", Some(AnkleR), Some(BodyPart::Toe(Side::Right))),
    ("Ears", "ears", Some(Neck), None),
];

/// The pairs of joints that are swapped together: legs here, arms below.
pub(super) const LEGS: [(Keypoint, Keypoint); 5] =
    [(HipL, HipR), (KneeL, KneeR), (AnkleL, AnkleR), (HeelL, HeelR), (ToeL, ToeR)];
/// See [`LEGS`].
pub(super) const ARMS: [(Keypoint, Keypoint); 3] =
    [(ShoulderL, ShoulderR), (ElbowL, ElbowR), (WristL, WristR)];

/// A detected joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Detection {
    /// The position in pixels of the picture: x right, y down.
    pub(super) at: Point,
    /// The confidence of the estimator, above 0 and up to 1.
    pub(super) confidence: f64,
}

impl Detection {
    /// The midpoint of two detections, with the lower confidence of both.
    pub(super) fn middle(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        let (a, b) = (a?, b?);
        Some(Self { at: a.at.midpoint(b.at), confidence: a.confidence.min(b.confidence) })
    }
}

/// The detections of one person in one frame.
pub(super) type PersonPose = [Option<Detection>; KEYPOINTS];

/// The number of detected joints.
pub(super) fn seen(body: &PersonPose) -> usize {
    body.iter().flatten().count()
}

/// The diagonal of the bounding box of all joints, in pixels: the size of a person in the picture.
pub(super) fn extent(body: &PersonPose) -> f64 {
    let mut places = body.iter().flatten().map(|seen| seen.at);
    let Some(first) = places.next() else { return 0.0 };
    let (low, high) = places.fold((first, first), |(low, high), at| {
        (Point::new(low.x.min(at.x), low.y.min(at.y)), Point::new(high.x.max(at.x), high.y.max(at.y)))
    });
    (high - low).hypot()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_list_and_parents_come_first() {
        for (at, part) in Keypoint::ALL.into_iter().enumerate() {
            assert_eq!(part.at(), at);
            assert!(part.parent().is_none_or(|parent| parent.at() < at), "{part:?}");
        }
    }
}
