//! What `import` prints about a recording is true, judged by playing the written rig.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use bone_core::Angle;
use bone_format::{Disk, load, no_fonts};
use bone_import::{ViewDirection, bvh, project};
use bone_rig::FrameState;
use kurbo::{Point, Vec2};

use crate::command::{below, expect, repository};

/// A figure in metres, under a reference joint that stays at the origin: joint, parent, offset.
const JOINTS: [(&str, Option<usize>, [f64; 3]); 17] = [
    ("Reference", None, [0.0, 0.0, 0.0]),
    ("Hips", Some(0), [0.0, 1.0, 0.0]),
    ("Spine", Some(1), [0.0, 0.2, 0.0]),
    ("Neck", Some(2), [0.0, 0.3, 0.0]),
    ("Head", Some(3), [0.0, 0.1, 0.0]),
    ("LeftArm", Some(2), [0.2, 0.25, 0.0]),
    ("LeftForeArm", Some(5), [0.28, 0.0, 0.0]),
    ("LeftHand", Some(6), [0.25, 0.0, 0.0]),
    ("RightArm", Some(2), [-0.2, 0.25, 0.0]),
    ("RightForeArm", Some(8), [-0.28, 0.0, 0.0]),
    ("RightHand", Some(9), [-0.25, 0.0, 0.0]),
    ("LeftUpLeg", Some(1), [0.1, -0.05, 0.0]),
    ("LeftLeg", Some(11), [0.0, -0.43, 0.0]),
    ("LeftFoot", Some(12), [0.0, -0.44, 0.0]),
    ("RightUpLeg", Some(1), [-0.1, -0.05, 0.0]),
    ("RightLeg", Some(14), [0.0, -0.43, 0.0]),
    ("RightFoot", Some(15), [0.0, -0.44, 0.0]),
];

/// A BVH text: `turn` returns the rotations about z, x and y of a joint in a frame, `hips` their position.
fn figure(frames: usize, hips: impl Fn(usize) -> [f64; 3], turn: impl Fn(usize, &str) -> [f64; 3]) -> String {
    let mut out = "HIERARCHY\n".to_owned();
    let mut open: Vec<usize> = Vec::new();
    for (at, (name, parent, [x, y, z])) in JOINTS.iter().enumerate() {
        while open.last().is_some_and(|last| Some(*last) != *parent) {
            open.pop();
            out.push_str("}\n");
        }
        let word = if parent.is_some() { "JOINT" } else { "ROOT" };
        let channels = match *name {
            "Hips" => "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation",
            _ => "3 Zrotation Xrotation Yrotation",
        };
        let _ = writeln!(out, "{word} {name}\n{{\nOFFSET {x} {y} {z}\nCHANNELS {channels}");
        let leaf = !JOINTS.iter().any(|(_, parent, _)| *parent == Some(at));
        if leaf {
            let end = match *name {
                "Head" => "0 0.2 0",
                "LeftHand" => "0.1 0 0",
                "RightHand" => "-0.1 0 0",
                _ => "0 -0.05 0.15",
            };
            let _ = writeln!(out, "End Site\n{{\nOFFSET {end}\n}}");
        }
        open.push(at);
    }
    out.push_str(&"}\n".repeat(open.len()));
    let _ = writeln!(out, "MOTION\nFrames: {frames}\nFrame Time: 0.0333333333");
    for frame in 0..frames {
        for (name, ..) in JOINTS {
            if name == "Hips" {
                let [x, y, z] = hips(frame);
                let _ = write!(out, "{x:.6} {y:.6} {z:.6} ");
            }
            let [a, b, c] = turn(frame, name);
            let _ = write!(out, "{a:.6} {b:.6} {c:.6} ");
        }
        out.push('\n');
    }
    out
}

fn sin(degrees: f64) -> f64 {
    Angle::from_degrees(degrees).sin_cos().0
}

/// Arms that point at the viewer again and again, and a body that sways.
fn pointing(frame: usize, joint: &str) -> [f64; 3] {
    let t = frame as f64;
    match joint {
        "LeftArm" => [10.0 * sin(5.0 * t), 0.0, -85.0 - 60.0 * sin(7.0 * t)],
        "RightArm" => [20.0 * sin(4.0 * t), 0.0, 80.0 + 70.0 * sin(6.0 * t + 30.0)],
        "LeftForeArm" => [0.0, 0.0, 20.0 * sin(9.0 * t)],
        "LeftUpLeg" => [0.0, -50.0 - 45.0 * sin(5.0 * t), 0.0],
        "RightUpLeg" => [0.0, 10.0 * sin(8.0 * t), 0.0],
        "LeftLeg" => [0.0, 40.0 + 30.0 * sin(5.0 * t), 0.0],
        "Spine" => [8.0 * sin(3.0 * t), 0.0, 10.0 * sin(2.0 * t)],
        _ => [0.0; 3],
    }
}

/// The number before `% of the height` in a message.
pub(crate) fn printed(message: &str) -> f64 {
    let (_, rest) = message.split_once("joints are within ").expect(message);
    rest.split(' ').next().and_then(|word| word.parse().ok()).expect(message)
}

/// The largest difference between distances of joints in the played rig and in the recording, in percent of
/// the height of the figure.
fn judged(rig: &Path, clip: &str, text: &str, view: ViewDirection, pairs: &[(&str, &str)]) -> f64 {
    let loaded = load(rig, Arc::new(Disk), &no_fonts);
    let scene = loaded.rig.expect("a rig");
    let clip = scene.clip(clip).expect("the clip");
    let motion = project(&bvh::read(text).expect("read"), view, None).expect("projected").motion;
    let skeleton = scene.skeleton();
    let mut state = FrameState::new(&scene);
    // The tip of a bone, and the joint that should be there.
    let mut tips: Vec<Vec<Point>> = Vec::new();
    let mut joints: Vec<Vec<Point>> = Vec::new();
    for frame in 0..motion.frames() {
        scene.pose(Some(clip), frame as f64 / motion.rate(), &mut state).expect("posed");
        let tip =
            |name: &str| state.world().tip(skeleton, state.driven(), skeleton.find(name).expect("a bone"));
        tips.push(pairs.iter().map(|(bone, _)| tip(bone)).collect());
        let joint = |name: &str| motion.position(frame, motion.find(name).expect("a joint"));
        joints.push(pairs.iter().map(|(_, name)| joint(name)).collect());
    }
    let ways = |places: &[Vec<Point>]| -> Vec<Vec2> {
        places.iter().flat_map(|row| row.iter().map(|at| *at - row[0]).collect::<Vec<_>>()).collect()
    };
    let (drawn, recorded) = (ways(&tips), ways(&joints));
    // The scale between both by least squares.
    let along: f64 = drawn.iter().zip(&recorded).map(|(a, b)| a.dot(*b)).sum();
    let scale = along / recorded.iter().map(|way| way.hypot2()).sum::<f64>();
    let height = 1.8 * scale;
    let off = drawn.iter().zip(&recorded).map(|(a, b)| (*a - *b * scale).hypot());
    100.0 * off.fold(0.0, f64::max) / height
}

const PAIRS: [(&str, &str); 8] = [
    ("chest", "Neck"),
    ("fore_arm_l", "LeftHand"),
    ("fore_arm_r", "RightHand"),
    ("upper_arm_l", "LeftForeArm"),
    ("thigh_l", "LeftLeg"),
    ("shin_l", "LeftFoot"),
    ("shin_r", "RightFoot"),
    ("neck", "Head"),
];

#[test]
fn the_printed_accuracy_is_that_of_the_played_rig() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = below(&folder, "pointing.bvh");
    let hips = |frame: usize| [0.01 * frame as f64, 1.0, 0.0];
    let text = figure(150, hips, pointing);
    std::fs::write(&recording, &text).expect("written");
    for (view, direction) in [("front", ViewDirection::FRONT), ("side", ViewDirection::SIDE)] {
        let rig = below(&folder, &format!("{view}.ron"));
        let output = expect(0, &["import", &recording, "-o", &rig, "--view", view]);
        let claimed = printed(&output.err);
        let found = judged(rig.as_ref(), "pointing", &text, direction, &PAIRS);
        println!("{view}: {claimed} % is printed, {found:.2} % is measured");
        // Two joints may be off in opposite directions, and the heights differ a little.
        assert!(found <= 2.2 * claimed, "{view}: {claimed} % is printed, {found} % is true");
        assert!(claimed < 2.1, "{view}: {claimed}");
    }
}

/// A foot that slides while it is on the ground is not held there: the message names it and when.
#[test]
fn a_foot_that_slides_is_not_held() {
    let folder = tempfile::tempdir().expect("a folder");
    let (recording, rig) = (below(&folder, "slide.bvh"), below(&folder, "slide.ron"));
    // 6 % of the height a second, for two seconds.
    let text = figure(61, |frame| [0.0, 1.0, 0.0036 * frame as f64], |_, _| [0.0; 3]);
    std::fs::write(&recording, &text).expect("written");
    let message = expect(0, &["import", &recording, "-o", &rig]).err;
    let named = "not those that move by more on the ground: \"LeftFoot_End\" 0 to 2 s, ";
    assert!(message.contains(named), "{message}");
    assert!(printed(&message) <= 1.0, "{message}");
    let loaded = load(rig.as_ref(), Arc::new(Disk), &no_fonts);
    let holds =
        loaded.doc.expect("a document").clips[0].constraints.iter().map(|one| one.holds.len()).sum::<usize>();
    assert_eq!(holds, 0);
}

/// The feet of a new figure stand as still as those of a rig: within 0.3 % of the leg.
#[test]
fn the_feet_of_a_new_figure_stand() {
    let folder = tempfile::tempdir().expect("a folder");
    let walk = repository("tests/motion/pybvh_cmu_12_01_walk.bvh");
    for (view, more) in
        [("side", &[][..]), ("side", &["--loop", "--on-the-spot"]), ("side", &["--loop"]), ("front", &[])]
    {
        let rig = below(&folder, &format!("{view}{}.ron", more.concat()));
        let words = [&["import", &*walk, "-o", &*rig, "--view", view, "--clip", "walk"][..], more].concat();
        expect(0, &words);
        let loaded = load(rig.as_ref(), Arc::new(Disk), &no_fonts);
        assert_eq!(loaded.diagnostics.iter().count(), 0, "{:?}", loaded.diagnostics);
        let (scene, doc) = (loaded.rig.expect("a rig"), loaded.doc.expect("a document"));
        let (clip, skeleton) = (scene.clip("walk").expect("the clip"), scene.skeleton());
        let find = |name: &str| skeleton.find(name).expect("a bone");
        let leg = skeleton.length(find("thigh_l")) + skeleton.length(find("shin_l"));
        let mut state = FrameState::new(&scene);
        let (mut slide, mut stood) = (0.0_f64, 0.0);
        for channels in &doc.clip("walk").expect("the clip").constraints {
            let foot = find(&channels.name.value.replace("plant", "foot"));
            for hold in &channels.holds {
                // A clip that loops ends with its first pose.
                let (from, until) = (hold.from.value, hold.until.value - 1e-6);
                let drift = hold.drift.map_or(Vec2::ZERO, |drift| drift.value);
                let mut place = |step: i32| {
                    let time = from + (until - from) * f64::from(step) / 60.0;
                    scene.pose(Some(clip), time, &mut state).expect("posed");
                    state.world().tip(skeleton, state.driven(), foot) - drift * (time - from)
                };
                let first = place(0);
                slide = (1..=60).map(|step| place(step).distance(first)).fold(slide, f64::max);
                stood += until - from;
            }
        }
        println!("{view} {more:?}: {:.3} % of the leg over {stood:.1} s", 100.0 * slide / leg);
        assert!(stood > 0.8 && slide <= 0.003 * leg, "{view} {more:?}: {} % of the leg", 100.0 * slide / leg);
    }
}

/// A recording of the CMU database: skeleton and motion are two files.
#[test]
fn an_amc_file_is_read_with_its_skeleton() {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| {
        let path = below(&folder, name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let mut asf = ":units\n angle deg\n:root\n order TX TY TZ RX RY RZ\n axis XYZ\n position 0 0 0\n orientation 0 0 0\n:bonedata\n".to_owned();
    let bones = [
        ("lhipjoint", "root", "1 -0.5 0", 2.0, ""),
        ("lfemur", "lhipjoint", "0 -1 0", 7.0, "dof rx ry rz\n"),
        ("ltibia", "lfemur", "0 -1 0", 7.0, "dof rx\n"),
        ("lfoot", "ltibia", "0 -0.3 1", 2.0, "dof rx rz\n"),
        ("ltoes", "lfoot", "0 0 1", 1.0, "dof rx\n"),
        ("rhipjoint", "root", "-1 -0.5 0", 2.0, ""),
        ("rfemur", "rhipjoint", "0 -1 0", 7.0, "dof rx ry rz\n"),
        ("rtibia", "rfemur", "0 -1 0", 7.0, "dof rx\n"),
        ("rfoot", "rtibia", "0 -0.3 1", 2.0, "dof rx rz\n"),
        ("rtoes", "rfoot", "0 0 1", 1.0, "dof rx\n"),
        ("lowerback", "root", "0 1 0", 4.0, "dof rx ry rz\n"),
        ("thorax", "lowerback", "0 1 0", 4.0, "dof rx ry rz\n"),
        ("lowerneck", "thorax", "0 1 0", 1.5, "dof rx ry rz\n"),
        ("head", "lowerneck", "0 1 0", 2.5, "dof rx ry rz\n"),
        ("lclavicle", "thorax", "1 0.1 0", 3.0, "dof ry rz\n"),
        ("lhumerus", "lclavicle", "1 0 0", 5.0, "dof rx ry rz\n"),
        ("lradius", "lhumerus", "1 0 0", 3.5, "dof rx\n"),
        ("lwrist", "lradius", "1 0 0", 1.5, "dof ry\n"),
        ("rclavicle", "thorax", "-1 0.1 0", 3.0, "dof ry rz\n"),
        ("rhumerus", "rclavicle", "-1 0 0", 5.0, "dof rx ry rz\n"),
        ("rradius", "rhumerus", "-1 0 0", 3.5, "dof rx\n"),
        ("rwrist", "rradius", "-1 0 0", 1.5, "dof ry\n"),
    ];
    for (name, _, direction, length, dof) in bones {
        let _ = write!(
            asf,
            "begin\n name {name}\n direction {direction}\n length {length}\n axis 0 0 0 XYZ\n {dof}end\n"
        );
    }
    asf.push_str(":hierarchy\nbegin\n");
    for (name, parent, ..) in bones {
        let _ = writeln!(asf, "{parent} {name}");
    }
    asf.push_str("end\n");
    let mut amc = ":FULLY-SPECIFIED\n:DEGREES\n".to_owned();
    for frame in 0..60 {
        let swing = 25.0 * sin(6.0 * f64::from(frame));
        let _ = write!(
            amc,
            "{}\nroot 0 17 {} 0 0 0\nlfemur {} 0 0\nrfemur {} 0 0\nltibia {}\nlhumerus 0 0 -80\nrhumerus 0 0 80\n",
            frame + 1,
            0.1 * f64::from(frame),
            -swing,
            swing,
            20.0 + swing.abs()
        );
    }
    let capture = put("12_01.amc", &amc);
    let rig = below(&folder, "walk.ron");
    let missing = expect(3, &["import", &capture, "-o", &rig]);
    assert!(missing.err.contains("there is no .asf file beside it"), "{}", missing.err);
    put("12.asf", &asf);
    let output = expect(0, &["import", &capture, "-o", &rig]);
    for words in ["the skeleton is that of 12.asf", "120 frames a second are assumed"] {
        assert!(output.err.contains(words), "{}", output.err);
    }
    let loaded = load(rig.as_ref(), Arc::new(Disk), &no_fonts);
    let scene = loaded.rig.expect("a rig");
    for name in ["head", "fore_arm_l", "hand_r", "thigh_l", "shin_r", "foot_l", "toe_r"] {
        assert!(scene.skeleton().find(name).is_some(), "{name}");
    }
    put("12.asf", &asf.replace("name rtibia", "name rtibias"));
    let wrong = expect(3, &["import", &capture, "-o", &rig, "--existing", "overwrite"]);
    assert!(wrong.err.contains("12.asf") && wrong.err.contains("rtibia"), "{}", wrong.err);
}

/// The number before ` keys a second and channel` in a message.
fn density(message: &str) -> f64 {
    let (before, _) = message.split_once(" keys a second and channel").expect(message);
    before.rsplit(' ').next().and_then(|word| word.parse().ok()).expect(message)
}

/// Few keys, and joints within the tolerance of 1 % as the rig is played: the pins of feet act while keys are
/// fitted, so knees of legs that are nearly straight are where they were, too.
#[test]
fn played_joints_are_within_the_tolerance_with_few_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut many = Vec::new();
    for name in ["ad_cmu1_jumping_jacks", "bvhpy_test_freebvh", "pybvh_bvh_test1", "pybvh_cmu_12_01_walk"] {
        let recording = repository(&format!("tests/motion/{name}.bvh"));
        for rig in [None, Some(repository("examples/walk/rig.ron"))] {
            let output = below(&folder, &format!("{name}{}.ron", rig.is_some()));
            let mut words =
                vec!["import", &recording, "--view", "front", "-o", &output, "--clip", "recorded"];
            words.extend(rig.iter().flat_map(|rig| ["--rig", rig]));
            let message = expect(0, &words).err;
            let (within, keys) = (printed(&message), density(&message));
            println!("{name}, {rig:?}: {keys} keys, {within} %");
            // Feet of a new figure were moved by up to 1 % of the height before keys were fitted.
            let most = if rig.is_some() { 1.0 } else { 2.1 };
            assert!(within <= most && keys <= 4.3, "{name}: {within} % with {keys} keys");
            many.extend((keys > 4.0).then_some(name));
        }
    }
    assert!(many.len() <= 1, "more than four keys: {many:?}");
}

/// Hands that wave four times a second need keys at times with more than three digits: the file has them, so the
/// played rig is as near as it was fitted.
#[test]
fn fast_motion_is_as_near_as_it_was_fitted() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = below(&folder, "wave.bvh");
    let wave = |frame: usize, joint: &str| {
        let swing = 55.0 * sin(48.0 * frame as f64 + 20.0 * sin(7.0 * frame as f64));
        match joint {
            "LeftArm" | "RightArm" | "LeftForeArm" | "RightForeArm" => [0.0, 0.0, swing],
            _ => [0.0; 3],
        }
    };
    std::fs::write(&recording, figure(90, |_| [0.0, 1.0, 0.0], wave)).expect("written");
    for tolerance in ["1", "0.4"] {
        for rig in [None, Some(repository("examples/walk/rig.ron"))] {
            let output = below(&folder, &format!("wave{tolerance}{}.ron", rig.is_some()));
            let mut words = vec!["import", &recording, "-o", &output, "--tolerance", tolerance];
            words.extend(rig.iter().flat_map(|rig| ["--rig", rig]));
            let message = expect(0, &words).err;
            assert!(printed(&message) <= tolerance.parse().expect("a number"), "{message}");
        }
    }
}

/// Of a long recording on a rig the hips get the keys that they need, too.
#[test]
fn a_long_recording_is_within_the_tolerance() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = below(&folder, "long.bvh");
    let bend = |frame: usize| 40.0 - 25.0 * sin(5.0 * frame as f64 + 60.0 * sin(0.37 * frame as f64));
    // The hips sway faster than the legs bend.
    let hips = |frame: usize| {
        let at = frame as f64;
        let x = 0.2 * sin(1.3 * at) + 0.05 * sin(11.0 * at + 90.0 * sin(0.9 * at));
        [x, 1.0 + 0.05 * sin(14.3 * at), 0.3 * sin(2.1 * at) + 0.05 * sin(8.8 * at)]
    };
    let turn = |frame: usize, joint: &str| {
        let about_x = match joint {
            "LeftUpLeg" | "RightUpLeg" | "LeftFoot" | "RightFoot" => -bend(frame),
            "LeftLeg" | "RightLeg" => 2.0 * bend(frame),
            _ => 0.0,
        };
        [0.0, about_x, 0.0]
    };
    std::fs::write(&recording, figure(4200, hips, turn)).expect("written");
    let output = below(&folder, "long.ron");
    let rig = repository("examples/walk/rig.ron");
    let message = expect(0, &["import", &recording, "-o", &output, "--rig", &rig]).err;
    assert!(printed(&message) <= 1.0, "{message}");
}

/// A figure that goes up and down on its knees, and is on its way when the recording ends.
fn squatting(frame: usize) -> ([f64; 3], f64) {
    let bend = 30.0 - 25.0 * sin(9.0 * frame as f64 + 90.0);
    let (along, back) = (Angle::from_degrees(bend).sin_cos().1, sin(bend));
    ([0.0, 0.13 + 0.87 * along, 0.01 * back], bend)
}

/// The time of the last frame is a little after the length of a clip that was rounded down: feet that stand do
/// not let go of the ground there.
#[test]
fn feet_stand_until_the_end_of_a_clip() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = below(&folder, "squat.bvh");
    let turn = |frame: usize, joint: &str| {
        let bend = squatting(frame).1;
        let about_x = match joint {
            "LeftUpLeg" | "RightUpLeg" | "LeftFoot" | "RightFoot" => -bend,
            "LeftLeg" | "RightLeg" => 2.0 * bend,
            _ => 0.0,
        };
        [0.0, about_x, 0.0]
    };
    std::fs::write(&recording, figure(131, |frame| squatting(frame).0, turn)).expect("written");
    for rig in [None, Some(repository("examples/walk/rig.ron"))] {
        let output = below(&folder, &format!("squat{}.ron", rig.is_some()));
        let mut words = vec!["import", &recording, "-o", &output, "--clip", "squat"];
        words.extend(rig.iter().flat_map(|rig| ["--rig", rig]));
        let message = expect(0, &words).err;
        assert!(printed(&message) <= 1.0, "{message}");
        let loaded = load(output.as_ref(), Arc::new(Disk), &no_fonts);
        let scene = loaded.rig.expect("a rig");
        let (clip, skeleton) = (scene.clip("squat").expect("the clip"), scene.skeleton());
        let find = |name: &str| skeleton.find(name).expect("a bone");
        let leg = skeleton.length(find("thigh_l")) + skeleton.length(find("shin_l"));
        let mut state = FrameState::new(&scene);
        let mut place = |frame: f64, foot: &str| {
            scene.pose(Some(clip), frame / 30.0, &mut state).expect("posed");
            state.world().tip(skeleton, state.driven(), find(foot))
        };
        for foot in ["foot_l", "foot_r"] {
            let slide = place(130.0, foot).distance(place(129.0, foot));
            assert!(slide <= 0.003 * leg, "{rig:?}, {foot}: {} % of the leg", 100.0 * slide / leg);
        }
    }
}
