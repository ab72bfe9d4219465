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

use KeypointLayout::*;

impl KeypointLayout {
    /// All layouts with a number of points.
    pub const ALL: [Self; 4] = [Coco17, OpenPose18, Body25, MediaPipe33];

    /// The number of points; 0 if it differs from file to file.
    pub const fn points(self) -> usize {
        match self {
            Coco17 => 17,
            OpenPose18 => 18,
            Body25 => 25,
            MediaPipe33 => 33,
            Named => 0,
        }
    }

    /// Its usual name.
    pub const fn name(self) -> &'static str {
        match self {
            Coco17 => "COCO (17 points)",
            OpenPose18 => "OpenPose COCO (18 points)",
            Body25 => "OpenPose BODY_25 (25 points)",
            MediaPipe33 => "MediaPipe (33 points)",
            Named => "DeepLabCut (named points)",
        }
    }

    /// The layout with this number of points.
    pub fn of(points: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.points() == points)
    }

    /// The joints of a person from its points. A missing neck is placed between the shoulders, a missing
    /// pelvis between the hips.
    pub(super) fn body(self, points: &[Option<Detection>]) -> PersonPose {
        let mut body: PersonPose = [None; KEYPOINTS];
        for &(point, part) in self.table() {
            body[part.at()] = points.get(point).copied().flatten();
        }
        let ear = |at: usize| points.get(at).copied().flatten();
        let [left, right] = self.ears().map(ear);
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

    /// The points of the left and the right ear.
    const fn ears(self) -> [usize; 2] {
        match self {
            Coco17 => [3, 4],
            OpenPose18 => [17, 16],
            Body25 => [18, 17],
            MediaPipe33 => [7, 8],
            Named => [usize::MAX; 2],
        }
    }

    /// Which point is which joint, from the documentation of each estimator. Eyes, mouths, fingers and small
    /// toes are left out.
    const fn table(self) -> &'static [(usize, Keypoint)] {
        use Keypoint::*;
        match self {
            Named => &[],
            Coco17 => &[
                (0, Head),
                (5, ShoulderL),
                (6, ShoulderR),
                (7, ElbowL),
                (8, ElbowR),
                (9, WristL),
                (10, WristR),
                (11, HipL),
                (12, HipR),
                (13, KneeL),
                (14, KneeR),
                (15, AnkleL),
                (16, AnkleR),
            ],
            OpenPose18 => &[
                (0, Head),
                (1, Neck),
                (2, ShoulderR),
                (3, ElbowR),
                (4, WristR),
                (5, ShoulderL),
                (6, ElbowL),
                (7, WristL),
                (8, HipR),
                (9, KneeR),
                (10, AnkleR),
                (11, HipL),
                (12, KneeL),
                (13, AnkleL),
            ],
            Body25 => &[
                (0, Head),
                (1, Neck),
                (2, ShoulderR),
                (3, ElbowR),
                (4, WristR),
                (5, ShoulderL),
                (6, ElbowL),
                (7, WristL),
                (8, Pelvis),
                (9, HipR),
                (10, KneeR),
                (11, AnkleR),
                (12, HipL),
                (13, KneeL),
                (14, AnkleL),
                (19, ToeL),
                (21, HeelL),
                (22, ToeR),
                (24, HeelR),
            ],
            MediaPipe33 => &[
                (0, Head),
                (11, ShoulderL),
                (12, ShoulderR),
                (13, ElbowL),
                (14, ElbowR),
                (15, WristL),
                (16, WristR),
                (23, HipL),
                (24, HipR),
                (25, KneeL),
                (26, KneeR),
                (27, AnkleL),
                (28, AnkleR),
                (29, HeelL),
                (30, HeelR),
                (31, ToeL),
                (32, ToeR),
            ],
        }
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
            assert!(layout.table().iter().all(|&(point, _)| point < layout.points()), "{layout:?}");
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
