//! Tables of DeepLabCut, made here.

use bone_core::Angle;
use kurbo::Point;

use super::super::*;
use crate::tests::{Random, cases};

pub(super) const POINTS: [&str; 10] = [
    "nose",
    "left_ear",
    "right_ear",
    "withers",
    "tail_base",
    "tail_end",
    "front_left_paw",
    "front_right_paw",
    "hind_left_paw",
    "hind_right_paw",
];

fn sin(turns: f64) -> f64 {
    Angle::from_degrees(360.0 * turns).sin_cos().0
}

/// Where a point of a trotting dog is.
pub(super) fn place(frame: usize, point: usize) -> Point {
    let t = frame as f64 / 20.0;
    let x = 100.0 + 40.0 * t;
    let paw = |from: f64, late: f64| {
        Point::new(x + from + 40.0 * sin(t + late), 370.0 - (30.0 * sin(t + late + 0.25)).max(0.0))
    };
    match POINTS[point] {
        "nose" => Point::new(x + 260.0, 180.0),
        "left_ear" => Point::new(x + 200.0, 140.0),
        "right_ear" => Point::new(x + 204.0, 144.0),
        "withers" => Point::new(x + 150.0, 220.0),
        "tail_base" => Point::new(x, 226.0),
        "tail_end" => Point::new(x - 60.0, 180.0 + 10.0 * sin(t)),
        "front_left_paw" => paw(150.0, 0.0),
        "front_right_paw" => paw(150.0, 0.5),
        "hind_left_paw" => paw(0.0, 0.5),
        _ => paw(0.0, 0.0),
    }
}

fn table(frames: usize, names: &[&str], place: impl Fn(usize, usize) -> Point) -> String {
    let row = |first: &str, cell: &dyn Fn(usize, usize) -> String| {
        let cells: Vec<String> = (0..names.len())
            .flat_map(|point| (0..3).map(move |n| (point, n)))
            .map(|(p, n)| cell(p, n))
            .collect();
        format!("{first},{}\n", cells.join(","))
    };
    let mut out = row("scorer", &|_, _| "net".to_owned());
    out += &row("bodyparts", &|point, _| names[point].to_owned());
    out += &row("coords", &|_, n| ["x", "y", "likelihood"][n].to_owned());
    for frame in 0..frames {
        out += &row(&frame.to_string(), &|point, n| {
            let at = place(frame, point);
            [format!("{:.4}", at.x), format!("{:.4}", at.y), "0.98".to_owned()][n].clone()
        });
    }
    out
}

pub(super) fn options() -> KeypointOptions {
    KeypointOptions { cutoff: None, ..KeypointOptions::default() }
}

fn read(text: &str) -> Result<KeypointCapture, ImportError> {
    let mut reader = KeypointReader::new();
    reader.add_file(text.as_bytes())?;
    reader.finish(&options())
}

#[test]
fn an_animal_has_four_legs() {
    let found = read(&table(40, &POINTS, place)).expect("a motion");
    let motion = &found.motion;
    assert_eq!((motion.frames(), motion.rate()), (40, 30.0));
    for frame in [0, 7, 39] {
        for (joint, point) in [
            ("nose", 0),
            ("withers", 3),
            ("tail_base", 4),
            ("tail_9", 5),
            ("paw_front_l", 6),
            ("paw_front_r", 7),
            ("paw_hind_l", 8),
            ("paw_hind_r", 9),
        ] {
            let at = motion.position(frame, motion.find(joint).expect(joint));
            assert!(at.distance(place(frame, point)) < 1e-3, "{joint} in {frame}: {at:?}");
        }
        // The head begins between the ears.
        let skull = motion.position(frame, motion.find("neck_top").expect("a skull"));
        assert!(skull.distance(place(frame, 1).midpoint(place(frame, 2))) < 1e-3);
    }
    let names: Vec<&str> = motion.bones().iter().map(|bone| bone.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "body",
            "neck",
            "head",
            "tail",
            "front_l",
            "front_l_2",
            "front_r",
            "front_r_2",
            "hind_l",
            "hind_l_2",
            "hind_r",
            "hind_r_2"
        ]
    );
    // Wrists bend forwards, hocks backwards, and both halves of a leg are as long.
    let at = |joint: &str| motion.position(7, motion.find(joint).expect(joint));
    for (top, middle, paw, ahead) in
        [("withers", "ankle_front_l", "paw_front_l", 1.0), ("tail_base", "ankle_hind_l", "paw_hind_l", -1.0)]
    {
        let (top, middle, paw) = (at(top), at(middle), at(paw));
        assert!((top.distance(middle) - middle.distance(paw)).abs() < 1e-9);
        assert!((middle.x - top.midpoint(paw).x) * ahead > 0.0);
    }
}

#[test]
fn unlikely_points_are_filled_in() {
    let text = table(40, &POINTS, place);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for line in &mut lines[13..16] {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        // The left front paw.
        (cells[19], cells[20], cells[21]) = ("3.0".to_owned(), "4.0".to_owned(), "0.01".to_owned());
        *line = cells.join(",");
    }
    // And one that is empty.
    lines[20] = lines[20]
        .split(',')
        .enumerate()
        .map(|(at, cell)| if at > 0 && at < 4 { "" } else { cell })
        .collect::<Vec<_>>()
        .join(",");
    let found = read(&lines.join("\n")).expect("a motion");
    let joint = found.motion.find("paw_front_l").expect("a paw");
    for frame in 10..13 {
        let off = found.motion.position(frame, joint).distance(place(frame, 6));
        assert!(off < 6.0, "{off} in {frame}");
    }
    assert!(
        found.notes.iter().any(|note| note.starts_with("4 positions were not seen")),
        "{:?}",
        found.notes
    );
}

#[test]
fn individuals_are_read_one_by_one() {
    let one = table(20, &POINTS, place);
    let other = table(20, &POINTS, |frame, point| place(frame, point) + kurbo::Vec2::new(0.0, 500.0));
    let mut lines: Vec<String> = Vec::new();
    for (at, (a, b)) in one.lines().zip(other.lines()).enumerate() {
        lines.push(format!("{a},{}", b.split_once(',').expect("cells").1));
        if at == 0 {
            lines.push(format!("individuals{}{}", ",rex".repeat(30), ",bello".repeat(30)));
        }
    }
    let text = lines.join("\n");
    let mut reader = KeypointReader::new();
    reader.add_file(text.as_bytes()).expect("read");
    let second = reader.finish(&KeypointOptions { person: 2, ..options() }).expect("the second");
    assert_eq!(second.people.len(), 2);
    let nose = second.motion.find("nose").expect("a nose");
    assert!((second.motion.position(0, nose).y - 680.0).abs() < 1e-3);
    assert!(second.notes.iter().any(|note| note.contains("1 is \"rex\", 2 is \"bello\"; 2 is read")));
}

#[test]
fn people_and_other_bodies() {
    let person = [
        "head",
        "left_shoulder",
        "right_shoulder",
        "left_elbow",
        "right_elbow",
        "left_wrist",
        "right_wrist",
        "left_hip",
        "right_hip",
        "left_knee",
        "right_knee",
        "left_ankle",
        "right_ankle",
    ];
    let standing = |frame: usize, point: usize| {
        let side = if person[point].starts_with("left") { 1.0 } else { -1.0 };
        let y = match person[point].rsplit('_').next() {
            Some("head") => return Point::new(200.0 + frame as f64, 60.0),
            Some("shoulder") => 110.0,
            Some("elbow") => 160.0,
            Some("wrist") => 205.0,
            Some("hip") => 220.0,
            Some("knee") => 300.0,
            _ => 380.0,
        };
        Point::new(200.0 + frame as f64 + 20.0 * side, y)
    };
    let found = read(&table(30, &person, standing)).expect("a person");
    assert!(found.motion.body().is_whole() && found.motion.find("LKnee").is_some());
    // A worm has no names of a body: neighbours are joined.
    let worm = ["p1", "p3", "p2", "p4"];
    let creeping = |frame: usize, point: usize| {
        Point::new(
            [0.0, 60.0, 30.0, 90.0][point] + frame as f64,
            50.0 + 5.0 * sin(frame as f64 / 9.0 + point as f64 / 4.0),
        )
    };
    let found = read(&table(30, &worm, creeping)).expect("a worm");
    let joints = found.motion.joints();
    let pairs = joints.iter().filter_map(|joint| Some((&*joint.name, &*joints[joint.parent?].name)));
    let mut pairs: Vec<(&str, &str)> = pairs.map(|(a, b)| if a < b { (a, b) } else { (b, a) }).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, [("p1", "p2"), ("p2", "p3"), ("p3", "p4")]);
}

#[test]
fn damaged_tables_have_messages() {
    let valid = table(6, &POINTS[..5], place);
    let change = |from: &str, to: &str| valid.replacen(from, to, 1);
    let cases = [
        (change("bodyparts", "parts"), "\"parts\" where the line of bodyparts should begin"),
        (change("coords", "units"), "\"units\" where the line of coords should begin"),
        (change("x,y,likelihood", "x,y,z"), "these points are in space"),
        (change("x,y,likelihood", "x,y,score"), "\"score\" is not x, y or likelihood"),
        (change("x,y,likelihood", "x,x,likelihood"), "a second x of \"nose\""),
        (change("x,y,likelihood", "likelihood,y,x,x"), "this line has 16 columns"),
        (change("\n2,", "\nimg2.png,"), "\"img2.png\" where the number of a frame"),
        (change("\n2,", "\n1,"), "a second line of frame 1"),
        (change("\n2,", "\n-2,"), "\"-2\" where the number of a frame"),
        (change("\n5,", "\n4000000000,"), "the frames run from 0 to 4000000000"),
        (change("0.98", "sure"), "\"sure\" where a number should be"),
        (change("0.98", "1e300"), "\"1e300\" where a number should be"),
        (change("0.98", "0.98,7"), "this line has 17 columns, and the line of coords 16"),
        (valid.replace("0.98", "0.1"), "no point has a likelihood"),
        (valid[..valid.len() - 40].to_owned(), "this line has"),
        (valid.lines().take(3).collect::<Vec<_>>().join("\n"), "there are no frames in this table"),
        (valid.lines().take(4).collect::<Vec<_>>().join("\n"), "there is only one frame"),
        (valid.lines().take(1).collect::<Vec<_>>().join("\n"), "\"\" where the line of bodyparts"),
        ("scorer,a\nbodyparts\ncoords\n0\n".to_owned(), "there are no points in this table"),
        ("scorer,a\nbodyparts,a\ncoords,x\n0,1\n".to_owned(), "the point \"a\" has no x or no y"),
    ];
    for (text, message) in cases {
        let error = read(&text).expect_err(message);
        assert!(error.message.starts_with(message), "{error} for {message}");
        if let Some(span) = error.span {
            assert!(text.get(span).is_some(), "{message}");
        }
    }
    assert!(read("scorer\u{e9}\u{0}").is_err());
}

#[test]
fn changed_tables_never_panic() {
    let whole = table(12, &POINTS, place).into_bytes();
    let (cases, mut random) = (cases(400), Random(9));
    let mut below = |end: usize| random.below(end);
    let mut readable = 0;
    for _ in 0..cases {
        let mut bytes = whole.clone();
        for _ in 0..=below(3) {
            let at = below(bytes.len());
            match below(4) {
                0 => bytes[at] = b"0123456789.,\n-e\"n"[below(17)],
                1 => bytes.truncate(at.max(300)),
                2 => drop(bytes.drain(at..(at + below(20)).min(whole.len()).min(bytes.len()))),
                _ => {
                    let piece = bytes[at..(at + below(20)).min(bytes.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
            if bytes.len() < 2 {
                break;
            }
        }
        let mut reader = KeypointReader::new();
        if reader.add_file(&bytes).is_ok()
            && let Ok(found) = reader.finish(&options())
        {
            readable += 1;
            assert!(
                (0..found.motion.frames()).all(|f| found.motion.frame(f).iter().all(|at| at.is_finite()))
            );
        }
    }
    assert!(readable > cases / 20, "{readable} of {cases}");
}
