//! Animals are found by their shape, whatever the names of their joints; people stay people.

use std::fmt::Write as _;

use bone_core::Angle;
use bone_import::figure::{FigureOptions, build_figure};
use bone_import::{FigureKind, ProjectedMotion, ViewDirection, bvh, project};

/// A joint at rest: its name, the number of its parent, and its place: ahead, up, to the right.
type Joint = (&'static str, Option<usize>, [f64; 3]);

const DOG: [Joint; 25] = [
    ("Hips", None, [0.0, 0.5, 0.0]),
    ("Spine", Some(0), [0.2, 0.52, 0.0]),
    ("Spine1", Some(1), [0.4, 0.53, 0.0]),
    ("Neck", Some(2), [0.6, 0.6, 0.0]),
    ("Head", Some(3), [0.75, 0.72, 0.0]),
    ("HeadSite", Some(4), [0.92, 0.68, 0.0]),
    ("LeftArm", Some(2), [0.6, 0.42, -0.08]),
    ("LeftForeArm", Some(6), [0.55, 0.25, -0.08]),
    ("LeftHand", Some(7), [0.58, 0.06, -0.08]),
    ("LeftHandSite", Some(8), [0.65, 0.02, -0.08]),
    ("RightArm", Some(2), [0.6, 0.42, 0.08]),
    ("RightForeArm", Some(10), [0.55, 0.25, 0.08]),
    ("RightHand", Some(11), [0.58, 0.06, 0.08]),
    ("RightHandSite", Some(12), [0.65, 0.02, 0.08]),
    ("LeftUpLeg", Some(0), [-0.02, 0.46, -0.08]),
    ("LeftLeg", Some(14), [0.05, 0.28, -0.08]),
    ("LeftFoot", Some(15), [-0.06, 0.12, -0.08]),
    ("LeftFootSite", Some(16), [0.02, 0.02, -0.08]),
    ("RightUpLeg", Some(0), [-0.02, 0.46, 0.08]),
    ("RightLeg", Some(18), [0.05, 0.28, 0.08]),
    ("RightFoot", Some(19), [-0.06, 0.12, 0.08]),
    ("RightFootSite", Some(20), [0.02, 0.02, 0.08]),
    ("Tail", Some(0), [-0.1, 0.52, 0.0]),
    ("Tail1", Some(22), [-0.25, 0.45, 0.0]),
    ("Tail1Site", Some(23), [-0.4, 0.4, 0.0]),
];

/// The chain of its back begins at the tip of its tail.
const WOLF: [Joint; 24] = [
    ("spine", None, [-0.5, 0.3, 0.0]),
    ("spine.001", Some(0), [-0.35, 0.38, 0.0]),
    ("spine.002", Some(1), [-0.2, 0.46, 0.0]),
    ("spine.003", Some(2), [-0.08, 0.5, 0.0]),
    ("spine.004", Some(3), [0.0, 0.52, 0.0]),
    ("spine.005", Some(4), [0.2, 0.54, 0.0]),
    ("spine.006", Some(5), [0.4, 0.54, 0.0]),
    ("spine.007", Some(6), [0.55, 0.6, 0.0]),
    ("spine.008", Some(7), [0.7, 0.7, 0.0]),
    ("spine.009", Some(8), [0.9, 0.66, 0.0]),
    ("front_thigh.L", Some(6), [0.5, 0.42, -0.08]),
    ("front_shin.L", Some(10), [0.46, 0.25, -0.08]),
    ("front_foot.L", Some(11), [0.5, 0.08, -0.08]),
    ("front_toe.L", Some(12), [0.56, 0.02, -0.08]),
    ("front_thigh.R", Some(6), [0.5, 0.42, 0.08]),
    ("front_shin.R", Some(14), [0.46, 0.25, 0.08]),
    ("front_foot.R", Some(15), [0.5, 0.08, 0.08]),
    ("front_toe.R", Some(16), [0.56, 0.02, 0.08]),
    ("thigh.L", Some(4), [-0.02, 0.46, -0.08]),
    ("shin.L", Some(18), [0.05, 0.28, -0.08]),
    ("foot.L", Some(19), [-0.06, 0.12, -0.08]),
    ("thigh.R", Some(4), [-0.02, 0.46, 0.08]),
    ("shin.R", Some(21), [0.05, 0.28, 0.08]),
    ("foot.R", Some(22), [-0.06, 0.12, 0.08]),
];

const PERSON: [Joint; 22] = [
    ("Hips", None, [0.0, 0.95, 0.0]),
    ("Spine", Some(0), [0.0, 1.15, 0.0]),
    ("Neck", Some(1), [0.0, 1.45, 0.0]),
    ("Head", Some(2), [0.0, 1.55, 0.0]),
    ("HeadEnd", Some(3), [0.0, 1.75, 0.0]),
    ("LeftArm", Some(1), [0.0, 1.4, -0.18]),
    ("LeftForeArm", Some(5), [0.0, 1.4, -0.46]),
    ("LeftHand", Some(6), [0.0, 1.4, -0.7]),
    ("RightArm", Some(1), [0.0, 1.4, 0.18]),
    ("RightForeArm", Some(8), [0.0, 1.4, 0.46]),
    ("RightHand", Some(9), [0.0, 1.4, 0.7]),
    ("LeftUpLeg", Some(0), [0.0, 0.9, -0.1]),
    ("LeftLeg", Some(11), [0.0, 0.48, -0.1]),
    ("LeftFoot", Some(12), [0.0, 0.06, -0.1]),
    ("LeftToe", Some(13), [0.15, 0.0, -0.1]),
    ("RightUpLeg", Some(0), [0.0, 0.9, 0.1]),
    ("RightLeg", Some(15), [0.0, 0.48, 0.1]),
    ("RightFoot", Some(16), [0.0, 0.06, 0.1]),
    ("RightToe", Some(17), [0.15, 0.0, 0.1]),
    ("Costume", Some(0), [-0.12, 0.9, 0.0]),
    ("Costume1", Some(19), [-0.4, 0.7, 0.0]),
    ("Costume2", Some(20), [-0.6, 0.5, 0.0]),
];

/// The turn of a joint in a frame, in degrees about the axis to the right: forward and down is negative.
type Turns = fn(usize, &str) -> f64;

fn rotated([x, y, z]: [f64; 3], degrees: f64) -> [f64; 3] {
    let (sin, cos) = Angle::from_degrees(degrees).sin_cos();
    [x * cos - y * sin, x * sin + y * cos, z]
}

/// A BVH text. With `straight` the file has no rest pose: every bone lies along x, and the frames turn it.
fn text(joints: &[Joint], straight: bool, turn: Turns) -> String {
    let way = |joint: usize| {
        let from = joints[joint].1.map_or([0.0; 3], |parent| joints[parent].2);
        let to = joints[joint].2;
        [to[0] - from[0], to[1] - from[1], to[2] - from[2]]
    };
    let first_child = |joint: usize| (0..joints.len()).find(|&child| joints[child].1 == Some(joint));
    // The direction of the bone of each joint at rest.
    let along = |joint: usize| match first_child(joint) {
        Some(child) if straight => Angle::of(kurbo::Vec2::new(way(child)[0], way(child)[1])).degrees(),
        _ => 0.0,
    };
    let mut out = "HIERARCHY\n".to_owned();
    let mut open: Vec<usize> = Vec::new();
    for (at, (name, parent, _)) in joints.iter().enumerate() {
        while open.last().is_some_and(|last| Some(*last) != *parent) {
            open.pop();
            out.push_str("}\n");
        }
        let word = if parent.is_some() { "JOINT" } else { "ROOT" };
        let [x, y, z] = rotated(way(at), parent.map_or(0.0, |parent| -along(parent)));
        let channels = if parent.is_some() { "1" } else { "4 Xposition Yposition Zposition" };
        let _ =
            writeln!(out, "{word} {name}\n{{\nOFFSET {x:.6} {y:.6} {z:.6}\nCHANNELS {channels} Zrotation");
        open.push(at);
    }
    out.push_str(&"}\n".repeat(open.len()));
    out.push_str("MOTION\nFrames: 60\nFrame Time: 0.0333333\n");
    for frame in 0..60 {
        let [x, y, z] = joints[0].2;
        let _ = write!(out, "{:.4} {y} {z} ", x + 0.01 * frame as f64);
        for (at, (name, parent, _)) in joints.iter().enumerate() {
            let rest = along(at) - parent.map_or(0.0, along);
            let _ = write!(out, "{:.4} ", rest + turn(frame, name));
        }
        out.push('\n');
    }
    out
}

fn swing(frame: usize, joint: &str) -> f64 {
    let phase = if joint.contains("Left") || joint.ends_with('L') { 0.0 } else { 180.0 };
    let sin = Angle::from_degrees(12.0 * frame as f64 + phase).sin_cos().0;
    if ["LeftUpLeg", "RightUpLeg", "LeftArm", "RightArm"].contains(&joint) || joint.contains("thigh.") {
        10.0 * sin
    } else {
        0.0
    }
}

/// Legs and trunk of a person that bends until its trunk is level; its arms, which are stretched out to the
/// sides at rest, stay there.
fn bent(_: usize, joint: &str) -> f64 {
    match joint {
        "Hips" => -85.0,
        "LeftUpLeg" | "RightUpLeg" => 85.0,
        _ => 0.0,
    }
}

/// On hands and knees; `PERSON` has its arms along its sides for this.
fn on_all_fours(frame: usize, joint: &str) -> f64 {
    if frame < 40 {
        return 0.0;
    }
    match joint {
        "Hips" => -90.0,
        "LeftUpLeg" | "RightUpLeg" => 90.0,
        "LeftLeg" | "RightLeg" => -90.0,
        _ => 0.0,
    }
}

fn seen(text: &str, kind: Option<FigureKind>) -> ProjectedMotion {
    let motion = bvh::read(text).expect("read").of_kind(kind);
    project(&motion, ViewDirection::SIDE, None).expect("projected")
}

/// The reason why the figure is an animal, if it is one.
fn animal(seen: &ProjectedMotion) -> Option<String> {
    let notes = seen.notes.iter().cloned();
    notes.into_iter().find(|note| note.contains("this is an animal"))
}

fn names(seen: &ProjectedMotion) -> Vec<String> {
    let figure = build_figure(&seen.motion, &FigureOptions::new(300.0)).expect("a figure");
    figure.bones.into_iter().map(|bone| bone.name).collect()
}

#[test]
fn animals_keep_their_joints_and_names() {
    for (name, joints, tail) in [("dog", &DOG[..], "Tail"), ("wolf", &WOLF[..], "spine.001")] {
        for straight in [false, true] {
            let seen = seen(&text(joints, straight, swing), None);
            assert!(animal(&seen).is_some(), "{name}, straight {straight}: {:?}", seen.notes);
            assert!(!seen.motion.body().is_whole(), "{name}");
            assert_eq!(seen.up.name(), "+y", "{name}, straight {straight}");
            let found = names(&seen);
            let all: Vec<&str> = joints.iter().map(|joint| joint.0).collect();
            assert!(found.iter().all(|bone| all.contains(&bone.as_str())), "{name}: {found:?}");
            assert!(found.iter().any(|bone| bone == tail), "{name}: {found:?}");
            // A joint with children has a bone.
            let parents = |at: usize| joints.iter().any(|joint| joint.1 == Some(at));
            let count = (0..joints.len()).filter(|&at| parents(at)).count();
            assert!(found.len() >= count, "{name}: {found:?}");
        }
    }
}

#[test]
fn a_person_is_made_of_an_animal_only_on_demand() {
    let seen = seen(&text(&DOG, false, swing), Some(FigureKind::Person));
    assert_eq!(animal(&seen), None);
    assert!(names(&seen).contains(&"thigh_l".to_owned()));
}

#[test]
fn an_animal_without_a_tail_is_found_by_its_stance() {
    let joints: Vec<Joint> = DOG.iter().copied().filter(|joint| !joint.0.starts_with("Tail")).collect();
    for straight in [false, true] {
        let reason = animal(&seen(&text(&joints, straight, swing), None)).expect("an animal");
        assert!(reason.contains("four legs"), "{reason}");
    }
}

/// A dog that sits all the time: in a file without a rest pose its tail tells.
#[test]
fn a_tail_tells_where_the_stance_does_not() {
    let sits: Turns = |_, joint| match joint {
        "Hips" => 45.0,
        "LeftUpLeg" | "RightUpLeg" => 25.0,
        "LeftArm" | "RightArm" => -45.0,
        _ => 0.0,
    };
    let reason = animal(&seen(&text(&DOG, true, sits), None)).expect("an animal");
    assert!(reason.contains("\"Tail\""), "{reason}");
}

#[test]
fn people_stay_people() {
    let plain: Vec<Joint> = PERSON.iter().copied().filter(|joint| !joint.0.starts_with("Costume")).collect();
    // The same with arms that hang ahead of the trunk, where they reach the ground on hands and knees.
    let mut kneeling = plain.clone();
    for joint in &mut kneeling {
        if joint.0.contains("ForeArm") || joint.0.contains("Hand") {
            joint.2 = [1.4 - joint.2[2].abs() - 0.9, 1.4, 0.18 * joint.2[2].signum()];
            joint.2[0] = if joint.0.contains("Hand") { 0.5 } else { 0.26 };
        }
    }
    let cases: [(&str, &[Joint], Turns); 5] = [
        ("stands", &plain, |_, _| 0.0),
        ("bends level", &plain, bent),
        ("is on all fours for a while", &kneeling, on_all_fours),
        ("wears a tail", &PERSON, swing),
        ("crawls in a costume", &PERSON, on_all_fours),
    ];
    for (what, joints, turn) in cases {
        let seen = seen(&text(joints, false, turn), None);
        assert_eq!(animal(&seen), None, "a person who {what}");
        assert!(seen.motion.body().is_whole(), "a person who {what}");
    }
    // Also in files without a rest pose, where the frames decide.
    for (what, joints, turn) in &cases[..3] {
        let seen = seen(&text(joints, true, *turn), None);
        assert_eq!(animal(&seen), None, "a person who {what}, by the frames");
    }
}
