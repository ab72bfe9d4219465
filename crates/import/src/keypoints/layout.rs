//! Which point is which joint in each layout. A layout is told by the number of its points, which no two share; any other
//! number is refused.

use super::body::{Body, PARTS, Part, Seen};

/// An order of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layout {
    /// 17 points of COCO, as most detectors write them.
    Coco17,
    /// 18 points: OpenPose's COCO model.
    OpenPose18,
    /// 25 points: OpenPose's BODY_25.
    Body25,
    /// 33 landmarks of MediaPipe, also called BlazePose.
    MediaPipe33,
}

use Layout::*;

impl Layout {
    /// All of them.
    pub const ALL: [Self; 4] = [Coco17, OpenPose18, Body25, MediaPipe33];

    /// How many points it has.
    pub const fn points(self) -> usize {
        match self {
            Coco17 => 17,
            OpenPose18 => 18,
            Body25 => 25,
            MediaPipe33 => 33,
        }
    }

    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Coco17 => "COCO (17 points)",
            OpenPose18 => "OpenPose COCO (18 points)",
            Body25 => "OpenPose BODY_25 (25 points)",
            MediaPipe33 => "MediaPipe (33 points)",
        }
    }

    /// The layout with so many points.
    pub fn of(points: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.points() == points)
    }

    /// The joints of a person; `points` has one entry a point. A neck and the middle of the hips are put between shoulders and
    /// hips where they were not seen themselves.
    pub(super) fn body(self, points: &[Option<Seen>]) -> Body {
        let mut body: Body = [None; PARTS];
        for &(point, part) in self.table() {
            body[part.at()] = points.get(point).copied().flatten();
        }
        let middle = |a: Part, b: Part| Seen::middle(body[a.at()], body[b.at()]);
        let ear = |at: usize| points.get(at).copied().flatten();
        let [left, right] = self.ears().map(ear);
        let ears = Seen::middle(left, right).or(left).or(right);
        let neck = body[Part::Neck.at()].or_else(|| middle(Part::ShoulderL, Part::ShoulderR));
        let pelvis = body[Part::Pelvis.at()].or_else(|| middle(Part::HipL, Part::HipR));
        body[Part::Ears.at()] = ears;
        body[Part::Neck.at()] = neck;
        body[Part::Pelvis.at()] = pelvis;
        body
    }

    /// The points of the left and the right ear.
    const fn ears(self) -> [usize; 2] {
        match self {
            Coco17 => [3, 4],
            OpenPose18 => [17, 16],
            Body25 => [18, 17],
            MediaPipe33 => [7, 8],
        }
    }

    /// Which point is which joint: from the documents of each estimator. Eyes, mouths, fingers and small toes are left out.
    const fn table(self) -> &'static [(usize, Part)] {
        use Part::*;
        match self {
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
    fn a_layout_is_told_by_its_number_of_points() {
        for layout in Layout::ALL {
            assert_eq!(Layout::of(layout.points()), Some(layout));
            assert!(layout.table().iter().all(|&(point, _)| point < layout.points()), "{layout:?}");
        }
        assert_eq!(Layout::of(24), None);
    }

    #[test]
    fn what_lies_between_is_put_between() {
        let at = |x: f64| Some(Seen { at: Point::new(x, 0.0), sure: x / 100.0 });
        let points: Vec<Option<Seen>> = (0..17).map(|n| at(f64::from(n))).collect();
        let body = Layout::Coco17.body(&points);
        assert_eq!(body[Part::Neck.at()], Some(Seen { at: Point::new(5.5, 0.0), sure: 0.05 }));
        assert_eq!(body[Part::Pelvis.at()], Some(Seen { at: Point::new(11.5, 0.0), sure: 0.11 }));
        assert_eq!(body[Part::ToeL.at()], None);
    }
}
