//! Which point is which joint in each layout. A layout is identified by the number of its points.

use super::person::{Detection, KEYPOINTS, Keypoint, PersonPose};

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
    /// Points with names, as DeepLabCut's tables have them.
    Named,
}

/// What a layout has.
struct LayoutTable {
    /// The number of points.
    points: usize,
    /// Its usual name.
    name: &'static str,
    /// The points of the left and the right ear.
    ears: [usize; 2],
    /// Joints in the order of their points, each run with its first point. Eyes, mouths, fingers and small toes
    /// are left out.
    joints: &'static [(usize, &'static [Keypoint])],
}

impl KeypointLayout {
    /// All layouts with a number of points.
    pub const ALL: [Self; 4] = [Self::Coco17, Self::OpenPose18, Self::Body25, Self::MediaPipe33];

    /// From the documentation of each estimator.
    const fn table(self) -> LayoutTable {
        use Keypoint::*;
        match self {
            Self::Coco17 => LayoutTable {
                points: 17,
                name: "COCO (17 points)",
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
                ears: [17, 16],
                joints: &[
                    (0, &[Head, Neck, ShoulderR, ElbowR, WristR, ShoulderL, ElbowL, WristL]),
                    (8, &[HipR, KneeR, AnkleR, HipL, KneeL, AnkleL]),
                ],
            },
            Self::Body25 => LayoutTable {
                points: 25,
                name: "OpenPose BODY_25 (25 points)",
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
                ears: [7, 8],
                joints: &[
                    (0, &[Head]),
                    (11, &[ShoulderL, ShoulderR, ElbowL, ElbowR, WristL, WristR]),
                    (23, &[HipL, HipR, KneeL, KneeR, AnkleL, AnkleR, HeelL, HeelR, ToeL, ToeR]),
                ],
            },
            Self::Named => LayoutTable {
                points: 0,
                name: "DeepLabCut (named points)",
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

    /// The layout with this number of points.
    pub fn of(points: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.points() == points)
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
            assert_eq!(KeypointLayout::of(layout.points()), Some(layout));
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
