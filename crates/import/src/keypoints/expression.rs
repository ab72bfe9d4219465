//! Hands and face of one person in one frame: their points as OpenPose and MediaPipe number them, and what is
//! measured of them. All measures are ratios of lengths in the picture, so the size of a person does not
//! matter.

use bone_core::{Angle, Side};
use kurbo::{Point, Size, Vec2};

use super::layout::KeypointLayout;
use super::person::PersonPose;
use super::smooth::smooth_with_corners;
use crate::controls::{CONTROLS, Control, ControlTrack};
use crate::statistics::{bridged, median, quantile};

/// The points of a hand in both layouts: the wrist, and four points of each finger from the root to the tip.
pub(super) const HAND: usize = 21;
/// The points of a face: iBUG's 68 with and without pupils (OpenPose), and MediaPipe's mesh with and without
/// irises.
pub(super) const FACES: [usize; 4] = [70, 68, 478, 468];

/// Points in the order of the file: x, y and confidence.
pub(super) type Points = Vec<Option<[f64; 3]>>;

/// The points and blend shapes of a person beside those of the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ExpressionPoints {
    /// Left and right.
    pub(super) hands: [Option<Points>; 2],
    pub(super) face: Option<Points>,
    /// Names and scores, which are shares.
    pub(super) shapes: Vec<(String, f64)>,
}

/// What is measured for one control in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FaceMeasure {
    /// A share.
    Share(f64),
    /// A length that is compared with its usual length: the opening of an eye, the height of a brow.
    Length(f64),
}

/// The measures of a person in one frame, in the order of [`Control::ALL`].
pub(super) type Expression = [Option<FaceMeasure>; CONTROLS];

/// The distance of the tip of a finger from the wrist, as a multiple of the distance of its root: of a straight
/// finger, and of one whose joints are bent by 90, 100 and 60 degrees. From the mean lengths of the bones of a
/// middle finger (Buryanov and Kotiuk 2010) and the carpus, a little nearer to each other because hands differ.
const STRAIGHT: f64 = 1.97;
const BENT: f64 = 0.7;
/// The opening of an eye, as a share of its width (Soukupova and Cech 2016), that a usual one lies between.
const EYE_OPEN: (f64, f64) = (0.2, 0.45);

/// Where the points of a face layout are.
struct FaceLayout {
    /// Between the eyes, and under the nose.
    nose: (usize, usize),
    /// Inner points of the upper and the lower lip.
    lips: [(usize, usize); 3],
    /// The five points of a brow, left and right.
    brows: [[usize; 5]; 2],
    /// Of each eye, left and right: a corner, two upper points, the other corner, two lower points.
    eyes: [[usize; 6]; 2],
}

/// The 68 points of iBUG: the right side of the person has the lower numbers.
const IBUG: FaceLayout = FaceLayout {
    nose: (27, 33),
    lips: [(61, 67), (62, 66), (63, 65)],
    brows: [[22, 23, 24, 25, 26], [17, 18, 19, 20, 21]],
    eyes: [[42, 43, 44, 45, 46, 47], [36, 37, 38, 39, 40, 41]],
};
/// The canonical mesh of MediaPipe.
const MESH: FaceLayout = FaceLayout {
    nose: (168, 2),
    lips: [(82, 87), (13, 14), (312, 317)],
    brows: [[336, 296, 334, 293, 300], [107, 66, 105, 63, 70]],
    eyes: [[362, 385, 387, 263, 373, 380], [33, 160, 158, 133, 153, 144]],
};

impl ExpressionPoints {
    /// Face and hands among the 133 points of COCO-WholeBody.
    pub(super) fn of_whole_body(layout: KeypointLayout, points: &[Option<[f64; 3]>]) -> Option<Box<Self>> {
        let hand = |first: usize| points.get(first..first + HAND).map(<[_]>::to_vec);
        (layout == KeypointLayout::WholeBody133).then(|| {
            let (hands, face) = ([hand(91), hand(112)], points.get(23..91).map(<[_]>::to_vec));
            Box::new(Self { hands, face, shapes: Vec::new() })
        })
    }

    /// Whether there is anything to measure.
    pub(super) fn is_empty(&self) -> bool {
        self.hands.iter().all(Option::is_none) && self.face.is_none() && self.shapes.is_empty()
    }

    /// Measures all controls; `scale` is the size of a unit of the file in pixels.
    pub(super) fn measure(&self, scale: Size) -> Expression {
        let mut found: Expression = [None; CONTROLS];
        let places = |points: &Points| -> Vec<Option<Point>> {
            let place = |[x, y, sure]: [f64; 3]| {
                // Points of hands with less confidence are not used.
                (sure >= 0.1).then(|| Point::new(x * scale.width, y * scale.height))
            };
            points.iter().map(|point| point.and_then(place)).collect()
        };
        for (side, hand) in [Side::Left, Side::Right].into_iter().zip(&self.hands) {
            let share = hand.as_ref().and_then(|hand| fist(&places(hand)));
            found[Control::Fist(side).at()] = share.map(FaceMeasure::Share);
        }
        if let Some(face) = &self.face {
            let layout = if face.len() > FACES[0] { &MESH } else { &IBUG };
            face_into(&places(face), layout, &mut found);
        }
        shapes_into(&self.shapes, &mut found);
        found
    }
}

/// How far the fingers are bent: by the distance of their tips from the wrist, which does not depend on the
/// side from which a hand is seen.
fn fist(hand: &[Option<Point>]) -> Option<f64> {
    let wrist = hand[0]?;
    let reach = |root: usize| Some((hand[root + 3]?.distance(wrist), hand[root]?.distance(wrist)));
    let reaches: Vec<f64> = [5, 9, 13, 17]
        .into_iter()
        .filter_map(reach)
        .filter(|(_, palm)| *palm > 0.0)
        .map(|(tip, palm)| tip / palm)
        .collect();
    let enough = reaches.len() > 1;
    let reach = median(reaches);
    let straight = ((reach - BENT) / (STRAIGHT - BENT)).clamp(0.0, 1.0);
    // While all joints bend evenly the reach falls nearly as a cosine, seen from the front or from the side.
    let cosine = 2.0 * straight - 1.0;
    let bent = Angle::of(Vec2::new(cosine, (1.0 - cosine * cosine).sqrt())).degrees() / 180.0;
    enough.then_some(bent)
}

fn face_into(face: &[Option<Point>], layout: &FaceLayout, found: &mut Expression) {
    let distance = |(a, b): (usize, usize)| Some(face[a]?.distance(face[b]?));
    let mean =
        |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let nose = face[layout.nose.0].zip(face[layout.nose.1]);
    let nose = nose.map(|(top, tip)| top - tip).filter(|nose| nose.hypot2() > 0.0);
    if let Some(nose) = nose {
        let open = mean(layout.lips.into_iter().filter_map(distance).collect());
        found[Control::Mouth.at()] =
            // The opening of the lips of a mouth that is wide open, in lengths of the nose.
            open.map(|open| FaceMeasure::Share((open / nose.hypot() / 0.8).clamp(0.0, 1.0)));
    }
    for (at, side) in [Side::Left, Side::Right].into_iter().enumerate() {
        let [corner, upper, other_upper, other, other_lower, lower] = layout.eyes[at];
        let corners = face[corner].zip(face[other]);
        if let (Some(nose), Some((a, b))) = (nose, corners) {
            let eye = a.midpoint(b);
            let above = |point: usize| Some((face[point]? - eye).dot(nose) / nose.hypot2());
            let height = mean(layout.brows[at].into_iter().filter_map(above).collect());
            found[Control::Brow(side).at()] = height.map(FaceMeasure::Length);
        }
        let width = distance((corner, other)).filter(|width| *width > 0.0);
        let lids = distance((upper, lower)).zip(distance((other_upper, other_lower)));
        found[Control::Eyelid(side).at()] =
            width.zip(lids).map(|(width, (one, two))| FaceMeasure::Length((one + two) / (2.0 * width)));
    }
}

/// Blend shapes with the names of ARKit, which MediaPipe uses, replace what was measured of points.
fn shapes_into(shapes: &[(String, f64)], found: &mut Expression) {
    let score = |name: &str| shapes.iter().find(|(other, _)| other == name).map(|(_, score)| *score);
    let mut set = |control: Control, share: Option<f64>| {
        let (least, most) = control.range();
        if let Some(share) = share {
            found[control.at()] = Some(FaceMeasure::Share(share.clamp(least, most)));
        }
    };
    set(Control::Mouth, score("jawOpen"));
    for (side, name) in [(Side::Left, "Left"), (Side::Right, "Right")] {
        set(Control::Eyelid(side), score(&format!("eyeBlink{name}")));
        let (inner, outer) = (score("browInnerUp"), score(&format!("browOuterUp{name}")));
        let down = score(&format!("browDown{name}"));
        let up = inner.unwrap_or(0.0).max(outer.unwrap_or(0.0));
        let any = inner.or(outer).or(down);
        set(Control::Brow(side), any.map(|_| up - down.unwrap_or(0.0)));
    }
}

/// The index of the person of a frame that a track took: most of its joints are the same.
pub(super) fn person_in(people: &[PersonPose], taken: &PersonPose) -> Option<usize> {
    let same = |body: &PersonPose| {
        body.iter().zip(taken).filter(|(joint, other)| joint.is_some() && joint == other).count()
    };
    let (index, joints) =
        people.iter().map(same).enumerate().max_by_key(|(at, same)| (*same, usize::MAX - at))?;
    (joints > 0).then_some(index)
}

/// The controls that were detected in at least this share of the frames.
const OFTEN: f64 = 0.2;

/// The shares of all controls that were detected often, with gaps filled and smoothed.
pub(super) fn tracks(frames: &[Expression], stiffness: Option<f64>) -> (Vec<ControlTrack>, Vec<String>) {
    let (mut tracks, mut seldom) = (Vec::new(), Vec::new());
    for control in Control::ALL {
        let measures: Vec<Option<FaceMeasure>> = frames.iter().map(|frame| frame[control.at()]).collect();
        let count = measures.iter().flatten().count();
        if count == 0 {
            continue;
        }
        if (count as f64) < OFTEN * frames.len() as f64 {
            seldom.push(control.name());
            continue;
        }
        let shares = shares(control, &measures);
        let weights: Vec<f64> =
            // The weight of values between detections when the curve is smoothed.
            shares.iter().map(|share| if share.is_some() { 1.0 } else { 0.05 }).collect();
        let between = |one, other, share| one + (other - one) * share;
        let Some(filled) = bridged(shares.iter().copied(), between) else { continue };
        let (least, most) = control.range();
        let smoothed = match stiffness {
            Some(stiffness) => {
                let [smoothed, _] =
                    smooth_with_corners(&filled, &vec![0.0; filled.len()], &weights, stiffness);
                smoothed
            }
            None => filled,
        };
        let shares = smoothed.into_iter().map(|share| share.clamp(least, most)).collect();
        tracks.push(ControlTrack { control, shares });
    }
    let mut notes = Vec::new();
    if !tracks.is_empty() {
        let names: Vec<&str> = tracks.iter().map(|track| track.control.name()).collect();
        notes.push(format!("hands and face were detected: {}", names.join(", ")));
    }
    if !seldom.is_empty() {
        let share = (OFTEN * 100.0) as u32;
        notes.push(format!(
            "hands and face detected in less than {share} % of the frames and left out: {}",
            seldom.join(", ")
        ));
    }
    (tracks, notes)
}

/// Shares from measures. A length is compared with its usual value: eyes are open most of the time, and brows
/// are at rest.
fn shares(control: Control, measures: &[Option<FaceMeasure>]) -> Vec<Option<f64>> {
    let length = |measure: &Option<FaceMeasure>| match measure {
        Some(FaceMeasure::Length(length)) => Some(*length),
        _ => None,
    };
    let lengths = measures.iter().filter_map(length);
    let usual = match control {
        Control::Eyelid(_) => quantile(lengths, 0.75).clamp(EYE_OPEN.0, EYE_OPEN.1),
        _ => median(lengths),
    };
    let (least, most) = control.range();
    let share = |measure: &Option<FaceMeasure>| {
        let share = match (*measure)? {
            FaceMeasure::Share(share) => share,
            FaceMeasure::Length(length) => match control {
                // Detectors leave a closed eye this share of its opening.
                Control::Eyelid(_) => (usual - length) / (usual * (1.0 - 0.3)),
                // How far a brow rises and falls, in lengths of the nose.
                _ if length > usual => (length - usual) / 0.2,
                _ => (length - usual) / 0.1,
            },
        };
        Some(share.clamp(least, most))
    };
    measures.iter().map(share).collect()
}
