//! Tables and lists of points as programs write them, against the places that the points have.

use kurbo::{Point, Size};

use super::super::*;
use super::tables::{POINTS, options, place};
use super::{body_25, walk};

fn read(text: &str) -> Result<KeypointCapture, ImportError> {
    let mut reader = KeypointReader::new();
    reader.add_file(text.as_bytes())?;
    reader.finish(&options())
}

fn near(capture: &KeypointCapture, frame: usize, joint: &str, wanted: Point) {
    let at = capture.motion.position(frame, capture.motion.find(joint).expect(joint));
    assert!(at.distance(wanted) < 1e-2, "{joint} in {frame}: {at:?}, not {wanted:?}");
}

/// A table with one line of names: a line for each frame and dog that `row` has a first part for.
fn table(head: &str, point: &dyn Fn(&str) -> String, rows: &[(String, usize, f64)], score: &str) -> String {
    let mut out = format!("{head}{}\n", POINTS.map(point).join(","));
    for (first, frame, down) in rows {
        out += first;
        for at in 0..POINTS.len() {
            let Point { x, y } = place(*frame, at);
            out += &format!(",{:.3},{:.3}{score}", x, y + down);
        }
        out.push('\n');
    }
    out
}

#[test]
fn each_animal_has_a_line_of_its_own() {
    // As SLEAP writes it: the second animal is not in all frames, scores may be empty.
    let mut rows = Vec::new();
    for frame in 0..30 {
        rows.push((format!("track_0,{frame},0.9"), frame, 0.0));
        if frame % 7 != 3 {
            rows.push((format!("track_1,{frame},0.8"), frame, 500.0));
        }
    }
    let columns = |name: &str| format!("{name}.x,{name}.y,{name}.score");
    let text = table("track,frame_idx,instance.score,", &columns, &rows, ",");
    let mut reader = KeypointReader::new();
    reader.add_file(text.as_bytes()).expect("a table");
    let second = reader.finish(&KeypointOptions { person: 2, ..options() }).expect("the second");
    assert_eq!((second.people.len(), second.motion.frames()), (2, 30));
    for frame in [0, 9, 29] {
        near(&second, frame, "nose", place(frame, 0) + kurbo::Vec2::new(0.0, 500.0));
        near(&second, frame, "paw_hind_r", place(frame, 9) + kurbo::Vec2::new(0.0, 500.0));
    }
    // Lines without tracks are those of one animal.
    let lines = |keep: &dyn Fn(&str) -> bool| -> String {
        let kept = text.lines().filter(|line| keep(line));
        kept.map(|line| line.replace("track_0", "").replace("track_1", "") + "\n").collect()
    };
    let error = read(&lines(&|_| true)).expect_err("two animals");
    assert_eq!(error.message, "a second line of frame 0");
    assert!(error.help.expect("help").contains("track them first"));
    near(&read(&lines(&|line| !line.contains("track_1"))).expect("one animal"), 9, "nose", place(9, 0));
}

#[test]
fn columns_have_many_names() {
    let rows: Vec<(String, usize, f64)> = (0..20).map(|frame| (frame.to_string(), frame, 0.0)).collect();
    let upper = |name: &str| format!("{0}_X,{0}_Y", name.to_uppercase());
    let plain = |name: &str| format!("{name}x,{name}y");
    let spaced = |name: &str| format!("{name} x,{name} y,{name} likelihood");
    let (upper, plain) = (table("Frame,", &upper, &rows, ""), table(",", &plain, &rows, ""));
    let swapped = table("time,", &|name| format!("{name}_y,{name}_x"), &rows, "");
    for text in [
        upper.clone(),
        format!("\u{feff}{upper}"),
        plain.clone(),
        plain.replace(',', ";"),
        plain.replace(',', "\t"),
        table("frame,", &spaced, &rows, ",0.4"),
    ] {
        let found = read(&text).expect("a table");
        near(&found, 7, "withers", place(7, 3));
        near(&found, 19, "tail_9", place(19, 5));
    }
    let found = read(&swapped).expect("a table");
    let Point { x, y } = place(7, 3);
    near(&found, 7, "withers", Point::new(y, x));
    let cases = [
        (
            "frame,time\n1,2\n".to_owned(),
            "there are no points in this table: its columns are \"frame\", \"time\"",
        ),
        (upper.replacen("LEFT_EAR_X", "NOSE_X", 1), "a second NOSE_X of \"NOSE\""),
        (upper.replacen("0,260.000", "0,wide", 1), "\"wide\" where a number should be"),
        (upper.replacen("\n3,", "\n3,1,", 1), "this line has 22 columns, and the line of names 21"),
        (upper.replacen("\n3,", "\n2,", 1), "a second line of frame 2"),
        (upper.replacen("\n3,", "\nthree,", 1), "\"three\" where the number of a frame"),
    ];
    for (text, message) in cases {
        let error = read(&text).expect_err(message);
        assert!(error.message.starts_with(message), "{error} for {message}");
        assert!(error.span.is_none_or(|span| text.get(span).is_some()), "{message}");
    }
}

/// The landmarks of MediaPipe by their numbers, and by the names of its enumeration; both are what its JSON is.
#[test]
fn mediapipe_as_columns() {
    const OF_BODY: [(usize, usize); 13] = [
        (0, 0),
        (11, 5),
        (12, 2),
        (13, 6),
        (14, 3),
        (15, 7),
        (16, 4),
        (23, 12),
        (24, 9),
        (25, 13),
        (26, 10),
        (27, 14),
        (28, 11),
    ];
    let names = KeypointLayout::MediaPipe33.point_names();
    let (mut numbered, mut named, mut frames) = (Vec::new(), Vec::new(), Vec::new());
    numbered.push(
        (0..33)
            .flat_map(|at| ["x", "y", "z", "v"].map(|what| format!("{what}{at}")))
            .collect::<Vec<_>>()
            .join(","),
    );
    named.push(
        names
            .iter()
            .map(|name| format!("{0}_x,{0}_y,{0}_z,{0}_visibility", name.to_uppercase()))
            .collect::<Vec<_>>()
            .join(","),
    );
    for people in walk() {
        let mut points = vec![[0.0; 4]; 33];
        for (to, from) in OF_BODY {
            let [x, y, sure] = people.first().map_or([0.0; 3], |person| person[from]);
            points[to] = [x / 1000.0, y / 500.0, 0.1, sure];
        }
        let line = points.concat().iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        numbered.push(line.clone());
        named.push(line);
        frames.push(serde_json::json!({ "landmarks": points }));
    }
    let wanted = KeypointOptions { image_size: Some(Size::new(1000.0, 500.0)), ..KeypointOptions::default() };
    let motion = |text: &str| {
        let mut reader = KeypointReader::new();
        reader.add_file(text.as_bytes()).expect("a file");
        reader.finish(&wanted).expect("a walk").motion
    };
    let json = motion(&serde_json::Value::from(frames).to_string());
    let numbered_motion = motion(&numbered.join("\n"));
    assert!(motion(&named.join("\n")) == numbered_motion, "names and numbers");
    assert_eq!((json.frames(), json.joints()), (numbered_motion.frames(), numbered_motion.joints()));
    for frame in 0..json.frames() {
        let off = |(a, b): (&Point, &Point)| a.distance(*b);
        let pairs = json.frame(frame).iter().zip(numbered_motion.frame(frame));
        assert!(pairs.map(off).fold(0.0, f64::max) < 1e-6, "frame {frame}");
    }
    let mut reader = KeypointReader::new();
    reader.add_file(numbered.join("\n").as_bytes()).expect("a file");
    let error = reader.finish(&KeypointOptions::default()).expect_err("no size");
    assert!(error.message.contains("relative to the picture"), "{error}");
    let error = KeypointReader::new().add_file(b"x0,y0,x1,y1\n1,2,3,4\n").expect_err("two points");
    assert!(
        error.message.starts_with("2 points without names") && error.help.expect("help").contains("ap-10k")
    );
}

/// Where the points of a standing animal are, by what their names in AP-10K and AnimalPose contain.
fn standing(name: &str, frame: usize) -> [f64; 3] {
    let name = name.to_lowercase();
    let has = |some: &str| name.contains(some);
    let front = name.contains("_f_") || has("front") || has("shoulder") || (has("elbow") && !has("_b_"));
    let x = match () {
        () if has("tailtop") || has("root") || has("tailbase") => 100.0,
        () if has("tailmiddle") => 60.0,
        () if has("tailbottom") => 20.0,
        () if has("nose") => 420.0,
        () if has("eye") || has("ear") => 380.0,
        () if has("throat") || has("neck") => 330.0,
        () if front || has("withers") => 300.0,
        () => 120.0,
    };
    let y = match () {
        () if has("tail") || has("withers") => 200.0,
        () if has("eye") || has("ear") || has("nose") => 120.0,
        () if has("neck") || has("throat") => 180.0,
        () if has("shoulder") || has("hip") => 220.0,
        () if has("elbow") => 260.0,
        () if has("knee") => 310.0,
        () => 390.0,
    };
    let side = if name.starts_with('l') { 5.0 } else { -5.0 };
    [x + side + frame as f64, y, 0.9]
}

fn animals(layout: KeypointLayout, meta: Option<serde_json::Value>) -> String {
    let points = |frame: usize| -> Vec<[f64; 3]> {
        layout.point_names().iter().map(|name| standing(name, frame)).collect()
    };
    // A second animal, farther down; it comes first in every other frame.
    let frame = |frame: usize| {
        let one = points(frame);
        let below: Vec<[f64; 3]> = one.iter().map(|at| [at[0], at[1] + 600.0, at[2]]).collect();
        let mut both =
            vec![serde_json::json!({ "keypoints": one }), serde_json::json!({ "keypoints": below })];
        if frame % 2 == 1 {
            both.reverse();
        }
        serde_json::json!({ "frame_id": frame, "instances": both })
    };
    let list: Vec<serde_json::Value> = (0..12).map(frame).collect();
    serde_json::json!({ "meta_info": meta, "instance_info": list }).to_string()
}

fn bones(capture: &KeypointCapture, of: &str) -> usize {
    capture.motion.bones().iter().filter(|bone| bone.name.starts_with(of)).count()
}

#[test]
fn files_of_mmpose_name_the_layout() {
    let named = |name: &str| Some(serde_json::json!({ "dataset_name": name }));
    let ap = read(&animals(KeypointLayout::Ap10k, named("ap10k"))).expect("AP-10K");
    assert_eq!((ap.layout, ap.people.len()), (KeypointLayout::Ap10k, 2));
    assert_eq!((bones(&ap, "hind_l"), bones(&ap, "front_r")), (2, 2));
    for frame in [0, 5, 11] {
        near(&ap, frame, "paw_hind_l", Point::new(125.0 + frame as f64, 390.0));
        near(&ap, frame, "tail_base", Point::new(95.0 + frame as f64, 200.0));
    }
    // An elbow and a knee on each leg.
    let pose = read(&animals(KeypointLayout::AnimalPose20, named("animalpose"))).expect("AnimalPose");
    assert_eq!(bones(&pose, "hind_l"), 3);
    near(&pose, 3, "ankle_hind_l", Point::new(128.0, 310.0));
    near(&pose, 3, "knee_front_r", Point::new(298.0, 260.0));
    assert!(!pose.notes.iter().any(|note| note.contains("nee")), "{:?}", pose.notes);
    let names: serde_json::Map<String, serde_json::Value> = KeypointLayout::AnimalPose20
        .point_names()
        .iter()
        .enumerate()
        .map(|(at, name)| (at.to_string(), (*name).into()))
        .collect();
    let by_names = Some(serde_json::json!({ "keypoint_id2name": names }));
    assert_eq!(read(&animals(KeypointLayout::AnimalPose20, by_names)).expect("names").motion, pose.motion);
    // 20 points are those of one layout.
    assert_eq!(read(&animals(KeypointLayout::AnimalPose20, None)).expect("20 points").motion, pose.motion);
}

#[test]
fn an_order_is_asked_for_where_two_look_alike() {
    let text = animals(KeypointLayout::Ap10k, None);
    let error = read(&text).expect_err("17 points");
    assert!(error.message.contains("have not the shape of a person"), "{error}");
    assert!(error.help.expect("help").contains("--points ap-10k"));
    let of = |layout: KeypointLayout, text: &str| {
        let mut reader = KeypointReader::of_layout(layout);
        reader.add_file(text.as_bytes())?;
        reader.finish(&options())
    };
    assert_eq!(of(KeypointLayout::Ap10k, &text).expect("an animal").motion.bones()[0].name, "body");
    let error = of(KeypointLayout::AppleAnimal25, &text).expect_err("17 points");
    assert!(error.message.starts_with("this has 17 points, and Apple Vision (25 points) has 25"), "{error}");
    // 25 points are BODY_25, unless they are said to be Apple's; its tail has a top and a bottom.
    let apple =
        of(KeypointLayout::AppleAnimal25, &animals(KeypointLayout::AppleAnimal25, None)).expect("an animal");
    assert_eq!((bones(&apple, "hind_r"), bones(&apple, "tail")), (3, 2));
    near(&apple, 0, "tail_base", Point::new(95.0, 200.0));
    near(&apple, 0, "tail_9", Point::new(15.0, 200.0));
}

/// The walk with the feet, the head and the hands of larger sets of points.
#[test]
fn sets_with_feet_and_hands() {
    const COCO: [(usize, usize); 13] = [
        (0, 0),
        (5, 5),
        (6, 2),
        (7, 6),
        (8, 3),
        (9, 7),
        (10, 4),
        (11, 12),
        (12, 9),
        (13, 13),
        (14, 10),
        (15, 14),
        (16, 11),
    ];
    // Toes and heels, left and right, as BODY_25 has them.
    let body = |feet: [usize; 4], count: usize, hands: bool| -> KeypointCapture {
        let frames: Vec<serde_json::Value> = walk()
            .iter()
            .map(|people| {
                let one = |person: &Vec<[f64; 3]>| {
                    let mut points = vec![[0.0; 3]; count];
                    for (to, from) in COCO.into_iter().chain(feet.into_iter().zip([19, 22, 21, 24])) {
                        points[to] = person[from];
                    }
                    if count == 26 {
                        (points[18], points[19]) = (person[1], person[8]);
                    }
                    for (at, point) in points.iter_mut().enumerate().skip(91).filter(|_| hands) {
                        // A straight hand: joints of each finger are farther and farther from the wrist.
                        let (finger, joint) =
                            (((at - 91) % 21).saturating_sub(1) / 4, ((at - 91) % 21 + 3) % 4);
                        let far = if (at - 91) % 21 == 0 { 0.0 } else { 60.0 + 20.0 * joint as f64 };
                        *point = [200.0 + 3.0 * finger as f64, 200.0 + far, 0.9];
                    }
                    serde_json::json!({ "keypoints": points })
                };
                serde_json::json!({ "instances": people.iter().map(one).collect::<Vec<_>>() })
            })
            .collect();
        let mut reader = KeypointReader::new();
        reader.add_file(serde_json::Value::from(frames).to_string().as_bytes()).expect("frames");
        reader.finish(&options()).expect("a walk")
    };
    let mut reader = KeypointReader::new();
    for (number, people) in walk().iter().enumerate() {
        reader.add_frame(number as u64, &body_25(people)).expect("a frame");
    }
    let wanted = reader.finish(&options()).expect("a walk");
    for found in [body([20, 21, 24, 25], 26, false), body([17, 20, 19, 22], 133, false)] {
        for joint in ["LBigToe", "RHeel", "LKnee", "RWrist"] {
            for frame in [0, 20, 40] {
                let at = wanted.motion.position(frame, wanted.motion.find(joint).expect(joint));
                near(&found, frame, joint, at);
            }
        }
    }
    let hands = body([17, 20, 19, 22], 133, true);
    assert_eq!(hands.layout, KeypointLayout::WholeBody133);
    assert!(!hands.motion.controls().is_empty(), "{:?}", hands.notes);
}

#[test]
fn a_bird_has_two_legs_and_two_wings() {
    let points = [
        ("bill", [300.0, 80.0]),
        ("crown", [280.0, 60.0]),
        ("nape", [260.0, 80.0]),
        ("neck", [240.0, 120.0]),
        ("upper_spine", [220.0, 150.0]),
        ("lower_spine", [120.0, 170.0]),
        ("tail_tip", [40.0, 190.0]),
        ("left_wing_shoulder", [210.0, 155.0]),
        ("left_wing_elbow", [180.0, 190.0]),
        ("left_wrist", [140.0, 180.0]),
        ("left_wing_tip", [60.0, 160.0]),
        ("left_tibia", [140.0, 220.0]),
        ("left_leg", [150.0, 260.0]),
        ("left_foot", [170.0, 300.0]),
        ("right_tibia", [150.0, 220.0]),
        ("right_foot", [180.0, 300.0]),
    ];
    let mut text = format!("frame,{}\n", points.map(|(name, _)| format!("{name}_x,{name}_y")).join(","));
    for frame in 0..8 {
        text += &format!(
            "{frame},{}\n",
            points.map(|(_, [x, y])| format!("{},{y}", x + f64::from(frame))).join(",")
        );
    }
    let found = read(&text).expect("a bird");
    let names: Vec<&str> = found.motion.bones().iter().map(|bone| bone.name.as_str()).collect();
    for bone in
        ["body", "neck", "head", "tail", "wing_l", "wing_l_2", "wing_l_3", "hind_l", "hind_l_3", "hind_r"]
    {
        assert!(names.contains(&bone), "{bone} of {names:?}");
    }
    assert!(!names.iter().any(|name| name.starts_with("front")), "{names:?}");
    near(&found, 3, "wing_tip_l", Point::new(63.0, 160.0));
}

#[test]
fn hdf5_is_answered_with_programs() {
    let error = KeypointReader::new().add_file(b"\x89HDF\r\n\x1a\n\0\0").expect_err("HDF5");
    assert_eq!(error.message, "HDF5 files are not read");
    let help = error.help.expect("help");
    assert!(help.contains("sleap-convert --format analysis.csv") && help.contains("deeplabcut."), "{help}");
}
