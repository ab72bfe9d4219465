//! A walk with known angles and the defects of an estimator: noise, gaps, swapped sides, outliers, a
//! bystander, an empty frame. The tests add more defects.

use super::*;

#[test]
fn the_walk_is_that_of_the_truth() {
    let capture = capture(&numbered(walk()), &KeypointOptions::default());
    assert_eq!(capture.motion.frames(), 90);
    for (name, errors) in errors(&capture) {
        let most = errors.iter().map(|e| e.abs()).fold(0.0, f64::max);
        println!("{name:8} rms {:.2} most {most:.2}", rms(&errors));
        assert!(rms(&errors) < 1.5 && most < 5.0, "{name}: {} {most}", rms(&errors));
    }
    assert_eq!(
        notes(&capture),
        [
            "OpenPose BODY_25 (25 points), 90 frames at 30 a second; the camera is assumed to stand still",
            "person 1: frames 0-89, found in 89, about 446 pixels large, selected",
            "person 2: frames 30-35, found in 6, about 434 pixels large",
            "left and right legs were swapped in frame 40: corrected",
            "the left ankle was an outlier in frames 55-57: replaced",
            "22 short gaps of single joints were filled, 34 positions in all",
            "seen from the side, facing right: the right side is near",
        ]
    );
}

/// The bystander is tracked, too.
#[test]
fn another_person_can_be_taken() {
    let second = capture(&numbered(walk()), &KeypointOptions { person: 2, ..KeypointOptions::default() });
    assert_eq!((second.first_frame, second.motion.frames()), (30, 6));
    let hips = second.motion.find("MidHip").expect("hips");
    assert!(second.motion.position(0, hips).x > 700.0);
}

#[test]
fn frames_that_are_missing_are_bridged() {
    let mut frames = numbered(walk());
    frames.retain(|(number, _)| !(60..64).contains(number));
    let capture = capture(&frames, &KeypointOptions::default());
    assert_eq!(capture.motion.frames(), 90);
    println!("{:.2}", worst(&capture));
    assert!(worst(&capture) < 3.0);
}

/// The pairs of points of BODY_25: arms, then legs.
const ARMS: [(usize, usize); 3] = [(2, 5), (3, 6), (4, 7)];
const LEGS: [(usize, usize); 5] = [(9, 12), (10, 13), (11, 14), (22, 19), (24, 21)];

/// Swapped sides of any start and duration: they are corrected, except for a few frames where the legs pass
/// each other.
#[test]
fn swapped_sides_are_corrected() {
    let mut random = Random(3);
    for round in 0..40 {
        let mut frames = numbered(walk());
        let (from, long) = (random.below(80), 1 + random.below(12));
        let pairs = if round % 2 == 0 { &LEGS[..] } else { &ARMS[..] };
        for (_, people) in frames.iter_mut().skip(from).take(long) {
            for person in people.iter_mut() {
                pairs.iter().for_each(|&(left, right)| person.swap(left, right));
            }
        }
        let capture = capture(&frames, &KeypointOptions::default());
        let worst = worst(&capture);
        assert!(worst < 3.0, "{from} for {long}: {worst}\n{}", notes(&capture).join("\n"));
    }
}

/// Outliers with high confidence, several at a time.
#[test]
fn outliers_are_replaced() {
    let mut random = Random(5);
    for _ in 0..20 {
        let mut frames = numbered(walk());
        for _ in 0..8 {
            let frame = 5 + random.below(80);
            let joint = [3, 4, 6, 7, 10, 11, 13, 14][random.below(8)];
            let (x, y) = (random.below(300) as f64 - 150.0, random.below(300) as f64 - 150.0);
            for person in &mut frames[frame].1 {
                if person[joint][2] > 0.0 && x.abs().max(y.abs()) > 70.0 {
                    person[joint][0] += x;
                    person[joint][1] += y;
                }
            }
        }
        let capture = capture(&frames, &KeypointOptions::default());
        let worst = worst(&capture);
        assert!(worst < 3.0, "{worst}\n{}", notes(&capture).join("\n"));
    }
}

/// Without smoothing the detections are returned bit for bit.
#[test]
fn without_smoothing_detections_are_unchanged() {
    let frames = walk();
    let capture =
        capture(&numbered(frames.clone()), &KeypointOptions { cutoff: None, ..KeypointOptions::default() });
    let knee = capture.motion.find("RKnee").expect("a knee");
    let seen = frames[10][0][10];
    assert_eq!(capture.motion.position(10, knee), kurbo::Point::new(seen[0], seen[1]));
}

#[test]
fn bones_are_as_long_as_those_of_the_truth() {
    let capture = capture(&numbered(walk()), &KeypointOptions::default());
    for (joint, length) in
        [("LElbow", 75.0), ("RWrist", 70.0), ("LKnee", 110.0), ("RAnkle", 105.0), ("LBigToe", 45.0)]
    {
        let found = capture.motion.length(capture.motion.find(joint).expect(joint)).expect("known");
        assert!((found - length).abs() < 0.05 * length, "{joint}: {found} for {length}");
    }
}

/// A mirrored walk faces left and has the left side near.
#[test]
fn the_near_side_follows_from_the_facing() {
    let near = |frames: Vec<People>| {
        let motion = capture(&numbered(frames), &KeypointOptions::default()).motion;
        let depth = |name: &str| motion.depth(40, motion.find(name).expect(name)).expect("a depth");
        depth("RKnee") - depth("LKnee")
    };
    let mirrored = walk().into_iter().map(|people| {
        let turned = |p: [f64; 3]| if p[2] > 0.0 { [1280.0 - p[0], p[1], p[2]] } else { p };
        people.into_iter().map(|points| points.into_iter().map(turned).collect()).collect()
    });
    assert!(near(walk()) > 50.0);
    assert!(near(mirrored.collect()) < -50.0);
}

/// Only short gaps are bridged without a note.
#[test]
fn long_gaps_are_reported() {
    let mut frames = numbered(walk());
    for (_, people) in frames.iter_mut().skip(40).take(20) {
        people.iter_mut().for_each(|points| points[4] = [0.0; 3]);
    }
    let capture = capture(&frames, &KeypointOptions::default());
    let note = "the right wrist is not detected in frames 40-59: its motion there is invented";
    assert!(notes(&capture).contains(&note), "{:?}", notes(&capture));
    let (elbow, wrist) =
        (capture.motion.find("RElbow").expect("an elbow"), capture.motion.find("RWrist").expect("a wrist"));
    for frame in 40..60 {
        let length = capture.motion.offset(frame, elbow, wrist).hypot();
        assert!((length - 70.0).abs() < 5.0, "the arm keeps its length: {length} in frame {frame}");
    }
}
