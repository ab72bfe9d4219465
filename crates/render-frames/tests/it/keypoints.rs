//! `import` of keypoints: a figure that renders, and a message with its place for each mistake.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_format::{Disk, load, no_fonts};
use bone_rig::FrameState;

use crate::command::{below, expect, files, repository};

/// The synthetic walk in a temporary folder.
fn walk() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let walk = folder.path().join("walk");
    fs::create_dir(&walk).expect("a folder");
    for (name, bytes) in files(Path::new(&repository("tests/motion/openpose/synthetic_walk"))) {
        fs::write(walk.join(name), bytes).expect("a file");
    }
    (folder, walk)
}

fn frame(walk: &Path, number: u32) -> PathBuf {
    walk.join(format!("walk_{number:012}_keypoints.json"))
}

/// Changes the text of a frame.
fn change(walk: &Path, number: u32, how: impl Fn(String) -> String) {
    let text = fs::read_to_string(frame(walk, number)).expect("a frame");
    fs::write(frame(walk, number), how(text)).expect("a frame");
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path").to_owned()
}

/// The message for a walk that cannot be used; nothing is written.
fn refused(folder: &tempfile::TempDir, walk: &Path, words: &[&str]) -> String {
    let output = below(folder, "out.ron");
    let ran = expect(3, &[&["import", &text(walk), "-o", &output], words].concat());
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "{}", ran.err);
    ran.err
}

#[test]
fn a_folder_becomes_a_figure_that_renders() {
    let (folder, walk) = walk();
    let rig = below(&folder, "me.ron");
    let ran = expect(0, &["import", &text(&walk), "-o", &rig, "--video-fps", "30"]);
    for said in [
        "left and right legs were swapped in frame 40",
        "the left ankle was an outlier in frames 55-57",
        "person 2: frames 30-35",
        "the camera is assumed to stand still",
        "left out, because their names have no frame number: truth.json",
    ] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    let checked = expect(0, &["check", &rig]);
    assert!(checked.out.contains("no mistakes"), "{}{}", checked.out, checked.err);
    let written = fs::read_to_string(&rig).expect("a rig");
    assert!(written.starts_with("// Made from walk: keypoints, OpenPose BODY_25"), "{written}");
    assert!(written.contains("// Options: --video-fps 30 --person 1 --smooth 6 --tolerance 1."), "{written}");
    expect(0, &["render", &rig, "-o", &below(&folder, "f_#.png"), "--frames", "0", "--scale", "0.2", "-q"]);
    fs::create_dir(below(&folder, "again")).expect("a folder");
    // The same arguments make the same bytes.
    expect(0, &["import", &text(&walk), "-o", &below(&folder, "again/me.ron"), "--video-fps", "30", "-q"]);
    assert!(fs::read_to_string(below(&folder, "again/me.ron")).expect("a rig") == written);
}

#[test]
fn a_missing_frame_is_told_by_its_name_or_bridged() {
    let (folder, walk) = walk();
    fs::remove_file(frame(&walk, 12)).expect("a frame");
    let said = refused(&folder, &walk, &[]);
    assert!(said.contains("\"walk_000000000012_keypoints.json\" is missing"), "{said}");
    assert!(said.contains("--allow-missing"), "{said}");
    let rig = below(&folder, "out.ron");
    let ran = expect(0, &["import", &text(&walk), "-o", &rig, "--allow-missing"]);
    assert!(ran.err.contains("1 frame has no file and is bridged"), "{}", ran.err);
}

#[test]
fn mistakes_have_file_line_and_column() {
    let (folder, walk) = walk();
    let at =
        |number: u32, line: u32, column: u32| format!("{}:{line}:{column}", frame(&walk, number).display());
    change(&walk, 80, |text| text.replacen("0.0, 0.0", "NaN, 0.0", 1));
    let said = refused(&folder, &walk, &[]);
    assert!(
        said.contains("NaN is not a number in JSON")
            && said.contains(&at(80, 1, 1)[..at(80, 1, 1).len() - 1]),
        "{said}"
    );
    change(&walk, 70, |_| "{\n  \"people\": [\n    {\"pose_keypoints_2d\": [1, 2, 3]}\n  ]\n}".to_owned());
    let said = refused(&folder, &walk, &[]);
    assert!(
        said.contains("3 numbers are not a person of a known layout") && said.contains(&at(70, 3, 27)),
        "{said}"
    );
    change(&walk, 60, |text| text[..text.len() / 2].to_owned());
    let said = refused(&folder, &walk, &[]);
    assert!(
        said.contains("the file ends in the middle of its JSON") && said.contains("000060_keypoints.json:1:"),
        "{said}"
    );
    fs::write(frame(&walk, 50), b"\x89PNG\r\n\x1a\n\xff\0\0\0").expect("a frame");
    assert!(refused(&folder, &walk, &[]).contains("the file is not text"));
    let coco = format!("{{\"people\": [{{\"keypoints\": [{}]}}]}}", ["7.0"; 51].join(", "));
    fs::write(frame(&walk, 40), coco).expect("a frame");
    let said = refused(&folder, &walk, &[]);
    assert!(
        said.contains("this person has the layout COCO (17 points), those before have OpenPose BODY_25"),
        "{said}"
    );
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    fs::write(frame(&walk, 30), deep).expect("a frame");
    assert!(refused(&folder, &walk, &[]).contains("000030_keypoints.json:1:"));
}

#[test]
fn folders_that_are_no_walk_are_refused() {
    let (folder, walk) = walk();
    fs::write(walk.join("other_1.json"), "{}").expect("a file");
    fs::write(walk.join("other_2.json"), "{}").expect("a file");
    assert!(refused(&folder, &walk, &[]).contains("are frames of two videos in one folder"));
    fs::remove_dir_all(&walk).expect("a folder");
    fs::create_dir(&walk).expect("a folder");
    assert!(refused(&folder, &walk, &[]).contains("the folder is empty"));
}

#[test]
fn words_that_do_not_fit_are_told() {
    let (folder, walk) = walk();
    assert!(
        refused(&folder, &walk, &["--person", "3"]).contains("there is no person 3: 2 are in the frames")
    );
    let ran = expect(2, &["import", &text(&walk), "-o", &below(&folder, "out.ron"), "--view", "front"]);
    assert!(ran.err.contains("--view and --up are for captures in space"), "{}", ran.err);
    let shares = |_: String| {
        let numbers: Vec<String> = (0..75).map(|n| format!("0.{}", n + 10)).collect();
        format!("{{\"people\": [{{\"pose_keypoints_2d\": [{}]}}]}}", numbers.join(", "))
    };
    (0..90).for_each(|number| change(&walk, number, shares));
    assert!(refused(&folder, &walk, &[]).contains("--picture 1920x1080"));
}

/// How far the mouth of the walking figure is open in a frame: twice in the recording, for ten frames.
fn mouth(frame: u32) -> f64 {
    if frame % 40 >= 20 && frame % 40 < 30 { 0.5 } else { 0.0 }
}

/// Hands and face are values of bones, and drivers read them.
#[test]
fn hands_and_face_move_the_bones_of_drivers() {
    let (folder, walk) = walk();
    for number in 0..90 {
        let mut face = vec![0.0; 210];
        // Between the eyes, under the nose, and three pairs of points of the lips.
        let lips = 0.8 * 50.0 * mouth(number);
        let points = [(27, 0.0), (33, 50.0), (61, 70.0), (62, 70.0), (63, 70.0)];
        for (point, y) in points.into_iter().chain([67, 66, 65].map(|point| (point, 70.0 + lips))) {
            face[3 * point..3 * point + 3].copy_from_slice(&[900.0, 300.0 + y, 0.8]);
        }
        // Straight fingers.
        let mut hand = vec![[800.0, 400.0, 0.9]];
        hand.extend(
            (0..20).map(|at| [800.0 + 12.0 * f64::from(at / 4), 390.0 - 10.0 * f64::from(at % 4), 0.9]),
        );
        let hand: Vec<f64> = hand.concat();
        change(&walk, number, |text| {
            let text = text.replace("\"face_keypoints_2d\": []", &format!("\"face_keypoints_2d\": {face:?}"));
            text.replace("\"hand_left_keypoints_2d\": []", &format!("\"hand_left_keypoints_2d\": {hand:?}"))
        });
    }
    let rig = below(&folder, "rig.ron");
    let old = fs::read_to_string(repository("examples/walk/rig.ron")).expect("a rig");
    let controls = r#"bones: {
        "mouth": (from: (10, 10), to: (20, 10)),
        "fist.L": (from: (10, 30), to: (20, 30)),
        "lips": (from: (10, 20), to: (20, 20)),"#;
    let drivers = r#"drivers: [(bone: "mouth", value: MoveX, bones: {"lips": (move: [(0, (0, 0)), (30, (0, 8))])})],
    skin: ["#;
    let with = old.replacen("bones: {", controls, 1).replacen("skin: [", drivers, 1);
    fs::write(&rig, with).expect("a rig");
    fs::copy(repository("examples/walk/drawing.svg"), below(&folder, "drawing.svg")).expect("copied");
    let out = below(&folder, "out.ron");
    let ran = expect(
        0,
        &["import", &text(&walk), "--rig", &rig, "-o", &out, "--clip", "talk", "--video-fps", "30"],
    );
    for printed in ["hands and face move \"mouth\"", "no driver reads how far bone \"fist.L\" turns or moves"]
    {
        assert!(ran.err.contains(printed), "{printed}: {}", ran.err);
    }
    let loaded = load(Path::new(&out), Arc::new(Disk), &no_fonts);
    let scene = loaded.rig.expect("a rig");
    let (clip, skeleton) = (scene.clip("talk").expect("the clip"), scene.skeleton());
    let lips = skeleton.find("lips").expect("a bone");
    let mut state = FrameState::new(&scene);
    for frame in 0..90_u32 {
        scene.pose(Some(clip), f64::from(frame) / 30.0, &mut state).expect("posed");
        let down = state.world().tip(skeleton, state.driven(), lips).y - skeleton.setup_tip(lips).y;
        // Nearer than four frames to a change the curve is smoothed.
        if (frame.saturating_sub(4)..frame + 4).all(|near| mouth(near) == mouth(frame)) {
            assert!((down / 8.0 - mouth(frame)).abs() < 0.07, "{frame}: {down}");
        }
    }
    expect(0, &["check", &out]);
    // A map may name the bone.
    let map = below(&folder, "map.ron");
    fs::write(&map, "(bones: {\"mouth\": \"Mund\"})").expect("a map");
    fs::write(&rig, fs::read_to_string(&rig).expect("a rig").replace("\"mouth\"", "\"Mund\""))
        .expect("a rig");
    let words =
        ["import", &text(&walk), "--rig", &rig, "-o", &below(&folder, "mapped.ron"), "--clip", "talk"];
    assert!(expect(0, &words).err.contains("the rig has no bones for these values of hands and face: mouth"));
    let ran = expect(0, &[&words[..], &["--map", &map, "--existing", "overwrite"]].concat());
    assert!(ran.err.contains("hands and face move \"Mund\""), "{}", ran.err);
}
