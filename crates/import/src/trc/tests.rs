//! Files of markers, made here, of bodies whose joints are known.

use super::*;
use crate::parts::BodyPart;
use crate::space::{Vec3, length, sub};
use bone_core::{Angle, Side};

/// A person who walks along x, y up, in metres: joints by name.
const JOINTS: [(&str, [f64; 3]); 15] = [
    ("Hip", [0.0, 1.0, 0.0]),
    ("RHip", [0.0, 0.95, 0.1]),
    ("RKnee", [0.05, 0.5, 0.1]),
    ("RAnkle", [0.0, 0.08, 0.1]),
    ("RBigToe", [0.15, 0.02, 0.1]),
    ("LHip", [0.0, 0.95, -0.1]),
    ("LKnee", [0.05, 0.5, -0.1]),
    ("LAnkle", [0.0, 0.08, -0.1]),
    ("LBigToe", [0.15, 0.02, -0.1]),
    ("Neck", [0.0, 1.5, 0.0]),
    ("Head", [0.02, 1.72, 0.0]),
    ("RShoulder", [0.0, 1.45, 0.2]),
    ("RElbow", [0.0, 1.17, 0.22]),
    ("RWrist", [0.1, 0.93, 0.22]),
    ("LShoulder", [0.0, 1.45, -0.2]),
];

fn written(markers: &[(&str, Vec3)], frames: usize) -> String {
    let mut out = "PathFileType\t4\t(X/Y/Z)\twalk.trc\n".to_owned();
    out += "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n";
    out += &format!("60.00\t60.00\t{frames}\t{}\tm\t60.00\t1\t{frames}\nFrame#\tTime", markers.len());
    for (name, _) in markers {
        out += &format!("\t{name}\t\t");
    }
    out += "\n\t";
    for at in 1..=markers.len() {
        out += &format!("\tX{at}\tY{at}\tZ{at}");
    }
    out += "\n\n";
    for frame in 0..frames {
        out += &format!("{}\t{:.4}", frame + 1, frame as f64 / 60.0);
        for (_, [x, y, z]) in markers {
            out += &format!("\t{:.5}\t{y:.5}\t{z:.5}", x + 0.02 * frame as f64);
        }
        out += "\n";
    }
    out
}

#[test]
fn joints_by_name_are_a_body() {
    let motion = read(&written(&JOINTS, 4), None).expect("a motion");
    assert_eq!((motion.rate, motion.frames()), (60.0, 4));
    let body = motion.body();
    for (part, name) in [
        (BodyPart::Thigh(Side::Right), "RHip"),
        (BodyPart::Shin(Side::Left), "LKnee"),
        (BodyPart::Hand(Side::Right), "RWrist"),
        (BodyPart::Head, "Head"),
    ] {
        let joint = body.start(part).expect(name);
        let wanted = JOINTS.iter().find(|(other, _)| *other == name).expect(name).1;
        let found = motion.positions[motion.names.len() * 2 + joint];
        assert!(length(sub(found, [wanted[0] + 0.04, wanted[1], wanted[2]])) < 1e-4, "{name}: {found:?}");
    }
}

/// The centre of a hip by Bell and others (1990): 36 % of the distance of both front points of the pelvis
/// to the side of their middle, 19 % behind and 30 % below it.
#[test]
fn joints_of_anatomical_markers() {
    let markers: Vec<(&str, Vec3)> = vec![
        ("R.ASIS", [0.1, 1.0, 0.125]),
        ("L.ASIS", [0.1, 1.0, -0.125]),
        ("V.Sacral", [-0.08, 1.0, 0.0]),
        ("R.Knee.Lat", [0.0, 0.5, 0.15]),
        ("R.Knee.Med", [0.0, 0.5, 0.05]),
        ("L.Knee.Lat", [0.0, 0.5, -0.15]),
        ("L.Knee.Med", [0.0, 0.5, -0.05]),
        ("R.Ankle.Lat", [0.0, 0.1, 0.13]),
        ("L.Ankle.Lat", [0.0, 0.1, -0.13]),
        ("R.Toe.Tip", [0.2, 0.05, 0.1]),
        ("L.Toe.Tip", [0.2, 0.05, -0.1]),
        ("R.Acromium", [0.0, 1.45, 0.2]),
        ("L.Acromium", [0.0, 1.45, -0.2]),
        ("Top.Head", [0.0, 1.8, 0.0]),
    ];
    let motion = read(&written(&markers, 3), None).expect("a motion");
    let at = |name: &str| motion.positions[motion.names.iter().position(|n| n == name).expect(name)];
    let near = |found: Vec3, wanted: Vec3| assert!(length(sub(found, wanted)) < 1e-4, "{found:?} {wanted:?}");
    near(at("RightUpLeg"), [0.1 - 0.19 * 0.25, 1.0 - 0.3 * 0.25, 0.36 * 0.25]);
    near(at("LeftUpLeg"), [0.1 - 0.19 * 0.25, 1.0 - 0.3 * 0.25, -0.36 * 0.25]);
    near(at("RightLeg"), [0.0, 0.5, 0.1]);
    near(at("LeftToeBase"), [0.2, 0.05, -0.1]);
    near(at("Neck"), [0.0, 1.45, 0.0]);
    assert!(motion.body().is_whole());
}

#[test]
fn hidden_markers_are_bridged() {
    let text = written(&JOINTS, 5);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // The right ankle in frames 2 to 4.
    for line in &mut lines[7..10] {
        let mut cells: Vec<&str> = line.split('\t').collect();
        cells[11..14].fill("");
        *line = cells.join("\t");
    }
    let motion = read(&lines.join("\n"), None).expect("a motion");
    let ankle = motion.body().start(BodyPart::Foot(Side::Right)).expect("an ankle");
    let found = motion.positions[motion.names.len() * 2 + ankle];
    assert!(length(sub(found, [0.04, 0.08, 0.1])) < 1e-4, "{found:?}");
    assert!(motion.notes.iter().any(|note| note.contains("3 positions of markers")));
}

#[test]
fn damaged_files_have_messages() {
    let valid = written(&JOINTS, 3);
    let change = |from: &str, to: &str| valid.replacen(from, to, 1);
    let cases = [
        (String::new(), "the file ends before its line of the type"),
        (change("PathFileType", "HIERARCHY"), "this is not a TRC file"),
        (change("DataRate", "Rate"), "this line has no DataRate"),
        (change("60.00", "fast"), "\"fast\" where DataRate should be"),
        (change("60.00", "0"), "0 frames a second"),
        (change("\t15\t", "\t14\t"), "NumMarkers is 14, and the line of the markers has 15"),
        (change("Frame#", "Marker"), "the line of the markers begins with Frame#"),
        (change("RKnee", ""), "NumMarkers is 15, and the line of the markers has 14"),
        (change("0.95000", "high"), "\"high\" where a position should be"),
        (change("0.95000", "inf"), "\"inf\" where a position should be"),
        (change("\n2\t", "\ntwo\t"), "\"two\" where the number of a frame"),
        (change("\n2\t", "\n2\tx"), "\"x0.0167\" where the time"),
        (change("\t0.95000\n", "\t0.95000\n"), ""),
        (valid[..valid.len() - 9].to_owned(), "\"LShoulder\" has 2 numbers"),
        (valid.lines().take(5).collect::<Vec<_>>().join("\n"), "there are no frames"),
        (
            valid.lines().take(3).collect::<Vec<_>>().join("\n"),
            "the file ends before its line of the markers",
        ),
        (valid.replace("Knee", "Thing"), "the markers are not those of a body"),
    ];
    for (text, message) in cases {
        match read(&text, None) {
            Ok(_) => assert_eq!(message, "", "{text}"),
            Err(error) => {
                assert!(!message.is_empty() && error.message.starts_with(message), "{error} for {message}");
                assert!(error.span.is_none_or(|span| text.get(span).is_some()));
            }
        }
    }
    for at in 0..valid.len() {
        let _ = read(&valid[..at], None);
    }
}

/// A body on the move: where the joints of a side are in a frame, x ahead, y up, z to the right.
struct Leg {
    hip: Vec3,
    knee: Vec3,
    ankle: Vec3,
    toe: Vec3,
}

/// A vector in the plane of a leg, turned backwards from straight down.
fn hanging(degrees: f64, long: f64) -> Vec3 {
    let (sin, cos) = Angle::from_degrees(degrees).sin_cos();
    [-long * sin, -long * cos, 0.0]
}

/// A point beside a bone: `along` from its start, `ahead` of it, `out` to the right.
fn beside(from: Vec3, degrees: f64, [along, ahead, out]: Vec3) -> Vec3 {
    let (way, across) = (hanging(degrees, along), hanging(degrees - 90.0, ahead));
    [from[0] + way[0] + across[0], from[1] + way[1] + across[1], from[2] + out]
}

/// The angles of thigh, shin and foot.
fn turns(frame: usize, right: bool, bent: f64) -> [f64; 3] {
    let phase = Angle::from_degrees(9.0 * frame as f64 + if right { 180.0 } else { 0.0 });
    let (sin, cos) = phase.sin_cos();
    let (thigh, knee) = (-5.0 + 25.0 * bent * sin, 5.0 + 30.0 * bent * (1.0 + cos));
    [thigh, thigh + knee, thigh + knee - 20.0 * bent * sin]
}

fn leg(frame: usize, right: bool, bent: f64) -> Leg {
    let [thigh, shin, foot] = turns(frame, right, bent);
    let side = if right { 1.0 } else { -1.0 };
    let hip = [0.02 * frame as f64 + 0.1 - 0.19 * 0.25, 0.95 - 0.3 * 0.25, side * 0.36 * 0.25];
    let knee = beside(hip, thigh, [0.42, 0.0, 0.0]);
    let ankle = beside(knee, shin, [0.4, 0.0, 0.0]);
    Leg { hip, knee, ankle, toe: beside(ankle, foot, [0.05, 0.2, 0.0]) }
}

/// The markers of OpenSim's gait models in a frame; `whole` with those at knees and ankles.
fn marked(frame: usize, whole: bool, bent: f64) -> Vec<(String, Vec3)> {
    let x = 0.02 * frame as f64;
    let mut all: Vec<(String, Vec3)> = vec![
        ("R.ASIS".to_owned(), [x + 0.1, 0.95, 0.125]),
        ("L.ASIS".to_owned(), [x + 0.1, 0.95, -0.125]),
        ("V.Sacral".to_owned(), [x - 0.08, 0.95, 0.0]),
        ("R.Acromium".to_owned(), [x, 1.4, 0.2]),
        ("L.Acromium".to_owned(), [x, 1.4, -0.2]),
        ("Top.Head".to_owned(), [x, 1.75, 0.0]),
    ];
    for (right, letter) in [(true, "R"), (false, "L")] {
        let [thigh, shin, foot] = turns(frame, right, bent);
        let Leg { hip, knee, ankle, toe } = leg(frame, right, bent);
        let out = if right { 1.0 } else { -1.0 };
        let mut add = |name: &str, at: Vec3| all.push((format!("{letter}.{name}"), at));
        for (name, at) in
            [("Upper", [0.12, 0.02, 0.08]), ("Front", [0.25, 0.09, 0.03]), ("Rear", [0.3, -0.05, 0.07])]
        {
            add(&format!("Thigh.{name}"), beside(hip, thigh, [at[0], at[1], out * at[2]]));
        }
        for (name, at) in
            [("Upper", [0.08, 0.05, 0.05]), ("Front", [0.2, 0.06, 0.01]), ("Rear", [0.25, -0.04, 0.06])]
        {
            add(&format!("Shank.{name}"), beside(knee, shin, [at[0], at[1], out * at[2]]));
        }
        add("Heel", beside(ankle, foot, [0.06, -0.06, 0.0]));
        add("Midfoot.Sup", beside(ankle, foot, [0.01, 0.08, 0.0]));
        add("Midfoot.Lat", beside(ankle, foot, [0.05, 0.07, out * 0.05]));
        add("Toe.Tip", toe);
        if whole {
            for (name, at) in [("Knee", knee), ("Ankle", ankle)] {
                add(&format!("{name}.Lat"), [at[0], at[1], at[2] + out * 0.05]);
                add(&format!("{name}.Med"), [at[0], at[1], at[2] - out * 0.05]);
            }
        }
    }
    all
}

/// A file of such markers; `hidden` says where zeros are.
fn file(frames: usize, whole: bool, bent: f64, hidden: impl Fn(usize, &str) -> bool) -> String {
    let names: Vec<String> = marked(0, whole, bent).into_iter().map(|(name, _)| name).collect();
    let mut out = format!(
        "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\n60\t60\t{frames}\t{}\nFrame#\tTime\t{}\n\t\tX1\tY1\tZ1\n\n",
        names.len(),
        names.join("\t\t\t")
    );
    for frame in 0..frames {
        out += &format!("{}\t{:.4}", frame + 1, frame as f64 / 60.0);
        for (name, [x, y, z]) in marked(frame, whole, bent) {
            out += &if hidden(frame, &name) {
                "\t0\t0.0\t0".to_owned()
            } else {
                format!("\t{x:.9}\t{y:.9}\t{z:.9}")
            };
        }
        out.push('\n');
    }
    out
}

fn never(_: usize, _: &str) -> bool {
    false
}

/// The largest distance of the joints from the truth: all of it, and as seen from the side.
fn distance_from_truth(motion: &SpaceMotion, first: usize, bent: f64) -> (f64, f64) {
    let (mut whole, mut seen) = (0.0_f64, 0.0_f64);
    for frame in 0..motion.frames() {
        for (right, word) in [(true, "Right"), (false, "Left")] {
            let leg = leg(first + frame, right, bent);
            for (name, wanted) in
                [("UpLeg", leg.hip), ("Leg", leg.knee), ("Foot", leg.ankle), ("ToeBase", leg.toe)]
            {
                let name = format!("{word}{name}");
                let joint = motion.names.iter().position(|other| *other == name).expect("a joint");
                let off = sub(motion.positions[frame * motion.names.len() + joint], wanted);
                whole = whole.max(length(off));
                seen = seen.max(length([off[0], off[1], 0.0]));
            }
        }
    }
    (whole, seen)
}

#[test]
fn a_static_trial_places_knees_and_ankles() {
    let trial = read_static(&file(5, true, 0.1, never)).expect("a trial");
    let motion = read(&file(60, false, 1.0, never), Some(&trial)).expect("a motion");
    assert!(distance_from_truth(&motion, 0, 1.0).0 < 1e-6, "{:?}", distance_from_truth(&motion, 0, 1.0));
    let note = "placed by the static trial: shin_l, foot_l, shin_r, foot_r";
    assert!(motion.notes.iter().any(|other| other.starts_with(note)), "{:?}", motion.notes);
    // A motion that has all of its markers is not changed by a trial.
    let whole = file(60, true, 1.0, never);
    assert_eq!(
        read(&whole, Some(&trial)).expect("read").positions,
        read(&whole, None).expect("read").positions
    );
}

/// Without a trial: the points that two bones share. Of these hinges the place along the axis is free, and the
/// view from the side does not show it.
#[test]
fn two_bones_share_a_knee() {
    let motion = read(&file(60, false, 1.0, never), None).expect("a motion");
    let (_, seen) = distance_from_truth(&motion, 0, 1.0);
    // 2 % of the height: knees and ankles of a walk differ by .3 to 2.2 % from those of a static trial.
    assert!(seen < 0.035, "{seen}");
    assert!(
        motion.notes.iter().any(|note| note.contains("no marker shows shin_l, foot_l")),
        "{:?}",
        motion.notes
    );
    // Knees that bend by less than 20 degrees are not determined.
    let error = read(&file(60, false, 0.2, never), None).expect_err("straight legs");
    assert!(error.message.contains("shin_l, foot_l, shin_r, foot_r cannot be found"), "{error}");
    assert!(error.help.expect("help").contains("--static"));
}

#[test]
fn zeros_are_hidden_markers() {
    // The volume of the cameras is left at both ends; one marker of four is hidden for a while.
    let hidden = |frame: usize, name: &str| {
        !(8..50).contains(&frame) && (name.ends_with("Knee.Lat") || name.ends_with("Ankle.Lat"))
            || (20..30).contains(&frame) && name == "L.Toe.Tip"
    };
    let motion = read(&file(60, true, 1.0, hidden), None).expect("a motion");
    assert_eq!(motion.frames(), 42);
    assert!(distance_from_truth(&motion, 8, 1.0).0 < 1e-6, "{:?}", distance_from_truth(&motion, 8, 1.0));
    let has = |text: &str| assert!(motion.notes.iter().any(|note| note.contains(text)), "{:?}", motion.notes);
    has("from line 9 to line 50 of 60");
    has("10 of them by the other markers of their bones");
    let error = read(&file(60, true, 1.0, |frame, name| name == "L.Ankle.Med" && frame != 7), None);
    assert!(error.expect_err("one frame").message.ends_with("together in 1 of 60 frames only"));
}

#[test]
fn centres_of_joints_have_names() {
    let centre = |motion: &SpaceMotion, name: &str| {
        let joint = motion.names.iter().position(|other| other == name).expect("a joint");
        motion.positions[joint]
    };
    let mut markers: Vec<(String, Vec3)> = marked(0, true, 1.0);
    for (name, at) in [
        ("RHJC", [0.0, 0.9, 0.1]),
        ("LHJC", [0.0, 0.9, -0.1]),
        ("R_KJC", [0.0, 0.5, 0.1]),
        ("RAJC", [0.0, 0.1, 0.1]),
    ] {
        markers.push((name.to_owned(), at));
    }
    let borrowed: Vec<(&str, Vec3)> = markers.iter().map(|(name, at)| (&**name, *at)).collect();
    let motion = read(&written(&borrowed, 2), None).expect("a motion");
    assert_eq!(centre(&motion, "RightUpLeg"), [0.0, 0.9, 0.1]);
    assert_eq!(centre(&motion, "RightLeg"), [0.0, 0.5, 0.1]);
    assert_eq!(centre(&motion, "RightFoot"), [0.0, 0.1, 0.1]);
}

/// The habits of programs: blanks in the first line, two tabs between values, names that are a tab off, with two
/// tabs for three.
#[test]
fn shifted_headers_are_read() {
    let plain = file(12, true, 1.0, never);
    let wanted = read(&plain, None).expect("a motion");
    let mut lines: Vec<String> = plain.lines().map(str::to_owned).collect();
    lines[0] = "PathFileType  4\t(X/Y/Z) C:\\captures\\a.trc".to_owned();
    lines[2] = format!("  60.0\t\t  60.0\t\t    12\t\t     {}\t\t mm", marked(0, true, 1.0).len());
    lines[3] = lines[3].replacen("Time\t", "Time\t\t", 1).replace("\t\t\t", "\t\t");
    assert_eq!(read(&lines.join("\r\n"), None).expect("a motion").positions, wanted.positions);
    lines[3] = lines[3].replacen("R.ASIS", "", 1);
    let error = read(&lines.join("\n"), None).expect_err("a name is missing");
    assert!(error.message.starts_with("NumMarkers is"), "{error}");
}

#[test]
fn what_is_no_body_is_named() {
    let arm = [
        ("r_acromion", [0.0, 1.4, 0.2]),
        ("r_humerus_epicondyle", [0.0, 1.1, 0.2]),
        ("r_radius_styloid", [0.1, 0.9, 0.2]),
    ];
    let error = read(&written(&arm, 3), None).expect_err("an arm");
    assert!(error.message.starts_with("the markers are not those of a body"), "{error}");
    assert!(
        error.help.expect("help").ends_with("here are r_acromion, r_humerus_epicondyle, r_radius_styloid")
    );
}
