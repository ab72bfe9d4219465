//! Hands and faces of a known shape, in the layouts of OpenPose and MediaPipe.

use super::*;
use crate::controls::Control;
use bone_core::Side;
use kurbo::{Point, Size};

/// A hand in space, from wrist to tips: the palm is in the plane of x and y, and fingers bend towards z. Lengths
/// in millimetres from the wrist, and of the three bones: thumb to little finger.
const FINGERS: [([f64; 2], [f64; 3]); 5] = [
    ([-30.0, 45.0], [40.0, 30.0, 26.0]),
    ([-24.0, 90.0], [41.0, 24.0, 21.0]),
    ([0.0, 92.0], [45.0, 27.0, 22.0]),
    ([22.0, 86.0], [42.0, 26.0, 22.0]),
    ([40.0, 76.0], [33.0, 19.0, 20.0]),
];

/// The 21 points of a hand whose fingers are bent by a share, seen from `yaw` about its long axis and rolled in
/// the picture.
fn hand(share: f64, yaw: f64, roll: f64, size: f64, at: Point) -> Vec<[f64; 2]> {
    let turned = |v: [f64; 3]| {
        let (sin, cos) = Angle::from_degrees(yaw).sin_cos();
        let (x, y) = (v[0] * cos + v[2] * sin, v[1]);
        let (sin, cos) = Angle::from_degrees(roll).sin_cos();
        let point = at + size * Vec2::new(x * cos - y * sin, x * sin + y * cos);
        [point.x, point.y]
    };
    let mut points = vec![turned([0.0; 3])];
    for ([x, y], bones) in FINGERS {
        let mut place = [x, y, 0.0];
        points.push(turned(place));
        let mut bent = 0.0;
        for (bone, bend) in bones.into_iter().zip([90.0, 100.0, 60.0]) {
            bent += share * bend;
            let (sin, cos) = Angle::from_degrees(bent).sin_cos();
            place = [place[0], place[1] + bone * cos, place[2] + bone * sin];
            points.push(turned(place));
        }
    }
    points
}

/// A face with its parts opened by shares: the 68 points of iBUG that are used, by the definitions of
/// Soukupova and Cech for eyes. Lengths in millimetres, y down, the person's right on the left.
struct Face {
    mouth: f64,
    brows: [f64; 2],
    eyes: [f64; 2],
}

/// What the layouts number: the points between the eyes and under the nose, three pairs of points of the lips,
/// and the points of brows and eyes of the left and the right side.
struct FacePoints {
    nose: [[f64; 2]; 2],
    lips: [[[f64; 2]; 2]; 3],
    brows: [Vec<[f64; 2]>; 2],
    eyes: [Vec<[f64; 2]>; 2],
}

/// The length of the nose, and the width and the opening of an eye.
const NOSE: f64 = 50.0;
const EYE: (f64, f64) = (30.0, 9.0);

impl Face {
    fn points(&self) -> FacePoints {
        let gap = self.mouth * 0.8 * NOSE;
        let lips = [-8.0, 0.0, 8.0].map(|x| [[x, 70.0], [x, 70.0 + gap]]);
        let side = |at: usize| if at == 0 { 1.0 } else { -1.0 };
        let brow = |at: usize| {
            let raised = self.brows[at] * NOSE * if self.brows[at] > 0.0 { 0.2 } else { 0.1 };
            (0..5).map(|n| [side(at) * (12.0 + 9.0 * f64::from(n)), -18.0 - raised]).collect()
        };
        let eye = |at: usize| {
            // A closed eye keeps a third of the opening, nearly.
            let open = EYE.1 * (1.0 - 0.7 * self.eyes[at]) / 2.0;
            let x = |share: f64| side(at) * (16.0 + EYE.0 * share);
            let y = 0.0;
            vec![
                [x(0.0), y],
                [x(0.33), y - open],
                [x(0.67), y - open],
                [x(1.0), y],
                [x(0.67), y + open],
                [x(0.33), y + open],
            ]
        };
        FacePoints {
            nose: [[0.0, 0.0], [0.0, NOSE]],
            lips,
            brows: [brow(0), brow(1)],
            eyes: [eye(0), eye(1)],
        }
    }

    /// The 70 points of OpenPose, with the numbers of its documentation.
    fn openpose(&self) -> Vec<[f64; 2]> {
        let FacePoints { nose, lips, brows, eyes } = self.points();
        let mut all = vec![[0.5, 0.5]; 70];
        (all[27], all[33]) = (nose[0], nose[1]);
        for (at, (upper, lower)) in [(61, 67), (62, 66), (63, 65)].into_iter().enumerate() {
            (all[upper], all[lower]) = (lips[at][0], lips[at][1]);
        }
        for at in 0..5 {
            (all[22 + at], all[21 - at]) = (brows[0][at], brows[1][at]);
        }
        // Corners from left to right in the picture: the person's left eye begins at the nose.
        for (at, number) in [42, 43, 44, 45, 46, 47].into_iter().enumerate() {
            all[number] = eyes[0][at];
        }
        for (at, number) in [39, 38, 37, 36, 41, 40].into_iter().enumerate() {
            all[number] = eyes[1][at];
        }
        all
    }

    /// The 478 points of MediaPipe's mesh.
    fn mesh(&self) -> Vec<[f64; 2]> {
        let FacePoints { nose, lips, brows, eyes } = self.points();
        let mut all = vec![[0.5, 0.5]; 478];
        (all[168], all[2]) = (nose[0], nose[1]);
        for (at, (upper, lower)) in [(82, 87), (13, 14), (312, 317)].into_iter().enumerate() {
            (all[upper], all[lower]) = (lips[at][0], lips[at][1]);
        }
        for (at, (left, right)) in
            [(336, 107), (296, 66), (334, 105), (293, 63), (300, 70)].into_iter().enumerate()
        {
            (all[left], all[right]) = (brows[0][at], brows[1][at]);
        }
        for (at, (left, right)) in
            [(362, 133), (385, 158), (387, 160), (263, 33), (373, 144), (380, 153)].into_iter().enumerate()
        {
            (all[left], all[right]) = (eyes[0][at], eyes[1][at]);
        }
        all
    }
}

/// The points in the picture: the face at a place of a size, rolled.
fn placed(points: &[[f64; 2]], roll: f64, size: f64, at: Point) -> Vec<[f64; 2]> {
    let (sin, cos) = Angle::from_degrees(roll).sin_cos();
    let point = |[x, y]: &[f64; 2]| {
        let place = at + size * Vec2::new(x * cos - y * sin, x * sin + y * cos);
        [place.x, place.y]
    };
    points.iter().map(point).collect()
}

const FRAMES: usize = 90;

/// The share of a frame: it rises from 0 to 1 and falls, and rests in between.
fn share(frame: usize) -> f64 {
    match frame {
        rising @ 10..20 => (rising - 10) as f64 / 10.0,
        20..26 => 1.0,
        falling @ 26..36 => 1.0 - (falling - 26) as f64 / 10.0,
        _ => 0.0,
    }
}

/// The face of a frame.
fn face(frame: usize) -> Face {
    let share = share(frame);
    Face { mouth: share, brows: [share, -share], eyes: [share, 0.0] }
}

fn shares(capture: &KeypointCapture, control: Control) -> &[f64] {
    let found = capture.motion.controls().iter().find(|track| track.control == control);
    &found.unwrap_or_else(|| panic!("{control:?} in {:?}", capture.notes)).shares
}

/// The largest difference of a control from what it should be.
fn off(capture: &KeypointCapture, control: Control, wanted: impl Fn(usize) -> f64) -> f64 {
    let found = shares(capture, control);
    (0..found.len()).map(|frame| (found[frame] - wanted(frame)).abs()).fold(0.0, f64::max)
}

fn exact() -> KeypointOptions {
    KeypointOptions { cutoff: None, ..KeypointOptions::default() }
}

/// A person who sways, and from frame 20 on a smaller one, who comes first in every second frame.
fn bodies() -> Vec<(usize, People)> {
    let standing = walk()[0][0].clone();
    let moved = |by: Vec2, size: f64| -> Vec<[f64; 3]> {
        let point = |[x, y, sure]: &[f64; 3]| match *sure {
            0.0 => [0.0; 3],
            sure => [x * size + by.x, y * size + by.y, sure],
        };
        standing.iter().map(point).collect()
    };
    let frame = |at: usize| {
        let sway = Angle::from_degrees(8.0 * at as f64).sin_cos().0;
        let mut people = vec![moved(Vec2::new(10.0 * sway, 0.0), 1.0)];
        if at >= 20 {
            people.push(moved(Vec2::new(900.0, 200.0), 0.5));
        }
        let first = usize::from(at >= 20 && at.is_multiple_of(2));
        people.rotate_left(first);
        (first, people)
    };
    (0..FRAMES).map(frame).collect()
}

/// The person of a frame with hands and face, as OpenPose writes them.
fn openpose(frame: usize, (first, people): &(usize, People)) -> Value {
    let sure =
        |points: Vec<[f64; 2]>| -> Vec<f64> { points.into_iter().flat_map(|[x, y]| [x, y, 0.9]).collect() };
    let one = |(at, points): (usize, &Vec<[f64; 3]>)| {
        let place = Point::new(points[4][0], points[4][1]);
        let mut person = json!({ "pose_keypoints_2d": points.concat() });
        if at == *first {
            let roll = 4.0 * frame as f64;
            person["hand_right_keypoints_2d"] = sure(hand(share(frame), 30.0, roll, 0.3, place)).into();
            // Not detected in every third frame.
            person["hand_left_keypoints_2d"] = match frame % 3 {
                0 => vec![0.0; 63].into(),
                _ => sure(hand(1.0, 80.0, -roll, 0.5, place)).into(),
            };
            person["face_keypoints_2d"] = sure(placed(&face(frame).openpose(), 20.0, 0.4, place)).into();
        } else {
            person["hand_left_keypoints_2d"] = json!([]);
        }
        person
    };
    json!({ "version": 1.3, "people": people.iter().enumerate().map(one).collect::<Vec<_>>() })
}

#[test]
fn a_share_does_not_depend_on_the_view_of_a_hand() {
    for (yaw, roll, size) in [(0.0, 0.0, 1.0), (90.0, 40.0, 0.2), (45.0, 200.0, 3.0), (-60.0, 90.0, 1.0)] {
        let measured = |share: f64| {
            let points = hand(share, yaw, roll, size, Point::new(300.0, 200.0));
            let mut all = super::super::expression::ExpressionPoints::default();
            all.hands[0] = Some(points.into_iter().map(|[x, y]| Some([x, y, 1.0])).collect());
            match all.measure(Size::new(1.0, 1.0))[Control::Fist(Side::Left).at()] {
                Some(super::super::expression::FaceMeasure::Share(share)) => share,
                other => panic!("{other:?}"),
            }
        };
        assert!(measured(0.0) < 0.1, "{yaw}: {}", measured(0.0));
        assert!(measured(1.0) > 0.9, "{yaw}: {}", measured(1.0));
        let mut before = -1.0;
        for step in 0..=10 {
            let (share, found) = (f64::from(step) / 10.0, measured(f64::from(step) / 10.0));
            assert!((found - share).abs() < 0.16, "{yaw}: {share} is {found}");
            assert!(found >= before, "{yaw}: {share} is {found} after {before}");
            before = found;
        }
    }
}

#[test]
fn hands_and_face_of_openpose() {
    let mut reader = KeypointReader::new();
    for (at, people) in bodies().iter().enumerate() {
        reader.add_frame(at as u64, openpose(at, people).to_string().as_bytes()).expect("a frame");
    }
    let found = reader.finish(&exact()).expect("a capture");
    let last = found.motion.frames();
    assert_eq!(last, found.motion.controls()[0].shares.len());
    assert!(off(&found, Control::Fist(Side::Right), share) < 0.16);
    assert!(off(&found, Control::Fist(Side::Left), |_| 1.0) < 0.1);
    assert!(off(&found, Control::Mouth, share) < 1e-6);
    assert!(off(&found, Control::Brow(Side::Left), share) < 1e-6);
    assert!(off(&found, Control::Brow(Side::Right), |frame| -share(frame)) < 1e-6);
    assert!(off(&found, Control::Eyelid(Side::Left), share) < 1e-6);
    assert!(off(&found, Control::Eyelid(Side::Right), |_| 0.0) < 1e-6);
    let noted = |words: &str| found.notes.iter().any(|note| note.contains(words));
    assert!(noted("hands and face were detected: fist_l, fist_r, mouth"), "{:?}", found.notes);
}

/// A frame of MediaPipe's holistic model: relative to a picture of 1280 x 720.
fn mediapipe(frame: usize, (first, people): &(usize, People), nested: bool) -> Value {
    let person = &people[*first];
    let (width, height) = (1280.0, 720.0);
    let relative = |points: Vec<[f64; 2]>| -> Value {
        let landmark =
            |[x, y]: [f64; 2]| json!({ "x": x / width, "y": y / height, "z": -0.1, "visibility": 0 });
        points.into_iter().map(landmark).collect()
    };
    let mut body = vec![json!({ "x": 0, "y": 0, "z": 0, "visibility": 0 }); 33];
    let table = [(0, 0), (11, 5), (12, 2), (13, 6), (14, 3), (15, 7), (16, 4), (23, 12), (24, 9)];
    let legs = [(25, 13), (26, 10), (27, 14), (28, 11)];
    for (to, from) in table.into_iter().chain(legs) {
        let [x, y, sure] = person[from];
        body[to] = json!({ "x": x / width, "y": y / height, "z": 0.0, "visibility": sure });
    }
    let place = Point::new(person[4][0], person[4][1]);
    let hand = relative(hand(share(frame), 0.0, 10.0, 0.3, place));
    let face = relative(placed(&face(frame).mesh(), -15.0, 0.4, place));
    match nested {
        true => {
            json!({ "poseLandmarks": [body], "leftHandLandmarks": [hand], "rightHandLandmarks": [], "faceLandmarks": [face] })
        }
        false => {
            json!({ "pose_landmarks": body, "left_hand_landmarks": hand, "right_hand_landmarks": null, "face_landmarks": face })
        }
    }
}

#[test]
fn hands_and_face_of_mediapipe() {
    let bodies = bodies();
    for nested in [false, true] {
        let frames: Vec<Value> =
            bodies.iter().enumerate().map(|(at, people)| mediapipe(at, people, nested)).collect();
        let mut reader = KeypointReader::new();
        reader.add_file(Value::from(frames).to_string().as_bytes()).expect("a file");
        let options = KeypointOptions { image_size: Some(Size::new(1280.0, 720.0)), ..exact() };
        let found = reader.finish(&options).expect("a capture");
        assert!(off(&found, Control::Fist(Side::Left), share) < 0.16);
        assert!(found.motion.controls().iter().all(|track| track.control != Control::Fist(Side::Right)));
        assert!(off(&found, Control::Mouth, share) < 1e-6);
        assert!(off(&found, Control::Brow(Side::Left), share) < 1e-6);
        assert!(off(&found, Control::Brow(Side::Right), |frame| -share(frame)) < 1e-6);
        assert!(off(&found, Control::Eyelid(Side::Left), share) < 1e-6);
        assert!(off(&found, Control::Eyelid(Side::Right), |_| 0.0) < 1e-6);
    }
}

#[test]
fn blend_shapes_are_shares() {
    let frames: Vec<Value> = bodies()
        .iter()
        .enumerate()
        .map(|(at, people)| {
            let mut frame = mediapipe(at, people, true);
            let shape = |name: &str, score: f64| json!({ "index": 1, "score": score, "categoryName": name, "displayName": "" });
            let shapes = [
                shape("jawOpen", 0.5 * share(at)),
                shape("eyeBlinkRight", share(at)),
                shape("eyeBlinkLeft", 0.0),
                shape("browInnerUp", 0.0),
                shape("browOuterUpLeft", share(at)),
                shape("browDownLeft", 0.0),
                shape("browDownRight", 0.4),
            ];
            frame["faceBlendshapes"] = json!([{ "categories": shapes, "headIndex": -1, "headName": "" }]);
            frame
        })
        .collect();
    let mut reader = KeypointReader::new();
    reader.add_file(Value::from(frames).to_string().as_bytes()).expect("a file");
    let options = KeypointOptions { image_size: Some(Size::new(1280.0, 720.0)), ..exact() };
    let found = reader.finish(&options).expect("a capture");
    assert!(off(&found, Control::Mouth, |frame| 0.5 * share(frame)) < 1e-9);
    assert!(off(&found, Control::Eyelid(Side::Right), share) < 1e-9);
    assert!(off(&found, Control::Eyelid(Side::Left), |_| 0.0) < 1e-9);
    assert!(off(&found, Control::Brow(Side::Left), share) < 1e-9);
    assert!(off(&found, Control::Brow(Side::Right), |_| -0.4) < 1e-9);
}

/// A cut, a loop and a change of rate keep the shares beside the poses.
#[test]
fn shares_follow_the_frames() {
    let mut reader = KeypointReader::new();
    for (at, people) in bodies().iter().enumerate() {
        reader.add_frame(at as u64, openpose(at, people).to_string().as_bytes()).expect("a frame");
    }
    let motion = reader.finish(&exact()).expect("a capture").motion;
    let mouth = |motion: &crate::PlanarMotion| {
        motion
            .controls()
            .iter()
            .find(|track| track.control == Control::Mouth)
            .expect("a mouth")
            .shares
            .clone()
    };
    assert_eq!(mouth(&motion.cut(12, 30).expect("a cut")), mouth(&motion)[12..30]);
    let twice = mouth(&motion.resampled(60.0).expect("resampled"));
    assert_eq!(twice.len(), 2 * FRAMES - 1);
    assert!((twice[29] - (share(14) + share(15)) / 2.0).abs() < 1e-6);
    let cycle = crate::cycle::Cycle { start: 12, period: 20, distance: 0.0 };
    let closed = mouth(&crate::cycle::closed(&motion, &cycle).expect("closed"));
    assert_eq!((closed.len(), closed[0]), (21, closed[20]));
}
