//! Captures by their formats, and `import --look`.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, load, no_fonts};
use bone_rig::FrameState;
use serde_json::{Value, json};

use crate::command::{below, expect, names, repository};

/// A glTF file of three joints in a row, with its buffer in a file of this name.
fn chain(uri: &str) -> (String, Vec<u8>) {
    let half = 0.5_f32.sqrt();
    let mut bytes: Vec<u8> = [0.0_f32, 0.5, 1.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    let rows: [[f32; 4]; 3] = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, half, half], [0.0, 0.0, 0.0, 1.0]];
    bytes.extend(rows.iter().flatten().flat_map(|n| n.to_le_bytes()));
    let json = json!({
        "asset": {"version": "2.0"},
        "nodes": [
            {"name": "a", "children": [1], "translation": [0, 1, 0]},
            {"name": "b", "children": [2], "translation": [1, 0, 0]},
            {"name": "c", "translation": [0, 1, 0]},
        ],
        "buffers": [{"uri": uri, "byteLength": bytes.len()}],
        "bufferViews": [{"buffer": 0, "byteLength": 12}, {"buffer": 0, "byteOffset": 12, "byteLength": 48}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR"},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC4"},
        ],
        "animations": [{
            "name": "Wave",
            "samplers": [{"input": 0, "output": 1}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
        }],
    });
    (json.to_string(), bytes)
}

/// Buffers are read from the folder of the recording and below, and from nowhere else.
#[test]
fn buffers_of_gltf_stay_in_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join("home");
    std::fs::create_dir_all(home.join("parts")).expect("a folder");
    let bytes = chain("").1;
    for name in ["outside.bin", "home/my move.bin", "home/parts/move.bin"] {
        std::fs::write(folder.path().join(name), &bytes).expect("written");
    }
    let file = home.join("wave.gltf").display().to_string();
    let rig = home.join("wave.ron").display().to_string();
    let import = |code: i32, uri: &str| {
        std::fs::write(&file, chain(uri).0).expect("written");
        expect(code, &["import", &file, "-o", &rig, "--existing", "overwrite"]).err
    };
    for uri in ["my%20move.bin", "parts/move.bin", "./parts/move.bin"] {
        assert!(import(0, uri).contains("keys a second"), "{uri}");
    }
    let absolute = folder.path().join("outside.bin").display().to_string();
    for uri in ["../outside.bin", "parts/../../outside.bin", "%2e%2e/outside.bin", absolute.as_str()] {
        let err = import(3, uri);
        assert!(err.contains("it is not in the folder of the recording"), "{uri}: {err}");
    }
    assert!(import(3, "https://example.com/move.bin").contains("nothing is loaded from the network"));
    assert!(import(3, "none.bin").contains("\"none.bin\" is not read"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path().join("outside.bin"), home.join("link.bin")).expect("a link");
        assert!(import(3, "link.bin").contains("it is not in the folder of the recording"));
    }
}

#[test]
fn messages_of_captures() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = below(&folder, "wave.gltf");
    let (text, bytes) = chain("wave.bin");
    std::fs::write(below(&folder, "wave.bin"), bytes).expect("written");
    std::fs::write(&file, &text).expect("written");
    let err = expect(3, &["import", &file, "--animation", "Run"]).err;
    assert!(err.contains("there is no animation \"Run\"") && err.contains("there are \"Wave\""), "{err}");
    // A place in the text.
    let mut wrong: Value = serde_json::from_str(&text).expect("JSON");
    wrong["accessors"][1]["type"] = json!("MAT4");
    std::fs::write(&file, format!("{wrong:#}")).expect("written");
    let err = expect(3, &["import", &file]).err;
    assert!(err.contains("wave.gltf:") && err.contains("MAT4"), "{err}");
    let c3d = below(&folder, "walk.c3d");
    std::fs::write(&c3d, [2, 80, 0, 0]).expect("written");
    let err = expect(3, &["import", &c3d]).err;
    assert!(err.contains("C3D files are not read") && err.contains(".trc"), "{err}");
    let bvh = repository("tests/motion/pybvh_cmu_12_01_walk.bvh");
    let err = expect(2, &["import", &bvh, "--animation", "Run", "-o", &below(&folder, "walk.ron")]).err;
    assert!(err.contains("--animation is for glTF files"), "{err}");
    let err = expect(2, &["import", &bvh, "--static", &bvh, "-o", &below(&folder, "walk.ron")]).err;
    assert!(err.contains("--static is for markers"), "{err}");
    // A mistake in a static trial is shown in it, with its line.
    let header = "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tNumMarkers\n60\t2\nFrame#\tTime\tR.ASIS\t\t\tL.ASIS\n\tX1\n";
    let (moving, trial) = (below(&folder, "walk.trc"), below(&folder, "static.trc"));
    std::fs::write(&moving, format!("{header}1\t0\t1\t2\t3\t4\t5\t6\n")).expect("written");
    std::fs::write(&trial, format!("{header}1\t0\t1\t2\t3\t4\tup\t6\n")).expect("written");
    let err = expect(3, &["import", &moving, "--static", &trial]).err;
    assert!(err.contains("static.trc:6:13") && err.contains("\"up\" where a position should be"), "{err}");
    let err = expect(3, &["import", &moving]).err;
    assert!(err.contains("walk.trc") && err.contains("here are R.ASIS, L.ASIS"), "{err}");
}

#[test]
fn messages_of_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, bytes: &[u8]| {
        let path = below(&folder, name);
        std::fs::write(&path, bytes).expect("written");
        path
    };
    let err = expect(3, &["import", &file("fly.h5", b"\x89HDF\r\n\x1a\n")]).err;
    assert!(err.contains("HDF5 files are not read") && err.contains("sleap-convert"), "{err}");
    let err = expect(3, &["import", &file("a.csv", b"frame,nose.x,nose.y\n0,1,2\n1,one,2\n")]).err;
    assert!(err.contains("a.csv:3:3") && err.contains("\"one\" where a number should be"), "{err}");
    let err = expect(2, &["import", "a.csv", "--points", "dog"]).err;
    assert!(err.contains("one of coco,") && err.contains("ap-10k"), "{err}");
    let named = file("b.csv", b"frame,nose.x,nose.y\n0,1,2\n1,3,2\n");
    let err = expect(3, &["import", &named, "--points", "coco"]).err;
    assert!(err.contains("b.csv") && err.contains("--points is for points without"), "{err}");
}

/// The names of the points of a dog, and where they are when it stands.
const DOG: [(&str, i32, i32); 9] = [
    ("nose", 380, 150),
    ("left_ear", 330, 110),
    ("withers", 280, 200),
    ("tail_base", 130, 205),
    ("tail_end", 80, 150),
    ("front_left_paw", 285, 350),
    ("front_right_paw", 270, 350),
    ("hind_left_paw", 135, 350),
    ("hind_right_paw", 120, 350),
];

/// A table of its points in some frames.
fn dog_table(path: &Path, frames: usize, place: impl Fn(usize, usize) -> (f64, f64)) {
    let mut text = format!("scorer{}\nbodyparts", ",net".repeat(3 * DOG.len()));
    DOG.iter().for_each(|(name, ..)| write!(text, ",{name},{name},{name}").expect("text"));
    text += &format!("\ncoords{}\n", ",x,y,likelihood".repeat(DOG.len()));
    for frame in 0..frames {
        write!(text, "{frame}").expect("text");
        for point in 0..DOG.len() {
            let (x, y) = place(frame, point);
            write!(text, ",{x:.3},{y:.3},0.9").expect("text");
        }
        text.push('\n');
    }
    std::fs::write(path, text).expect("written");
}

/// A dog that moves as a whole.
fn dog(path: &Path) {
    dog_table(path, 20, |frame, point| {
        let (_, x, y) = DOG[point];
        (f64::from(x) + frame as f64, f64::from(y))
    });
}

/// Which share of a step of one second a paw stands, and where the step of a point begins.
const STANCE: f64 = 0.62;
const LATE: [f64; 4] = [0.25, 0.75, 0.0, 0.5];
/// Frames a second, and units a second.
const DOG_RATE: f64 = 30.0;
const DOG_SPEED: f64 = 110.0;

/// A dog that walks, one paw after the other; what is found of its points trembles.
fn walking_dog(path: &Path, frames: usize) {
    dog_table(path, frames, |frame, point| {
        let ((_, x, y), time) = (DOG[point], frame as f64 / DOG_RATE);
        let sin = |turns: f64| bone_core::Angle::from_degrees(360.0 * turns).sin_cos().0;
        let trembles = |by: f64| sin(frame as f64 * by + point as f64 * 0.37);
        let (x, y) = (f64::from(x), f64::from(y) + 0.8 * trembles(0.271));
        let Some(late) = point.checked_sub(5).map(|paw| LATE[paw]) else {
            return (x + DOG_SPEED * time + 0.8 * trembles(0.317), y + 3.0 * sin(2.0 * time));
        };
        let step = (time + late).floor();
        let share = time + late - step;
        let stands = |step: f64| x + DOG_SPEED * (step - late + 0.5 * STANCE);
        let u = ((share - STANCE) / (1.0 - STANCE)).max(0.0);
        let at = stands(step) + DOG_SPEED * u * u * (3.0 - 2.0 * u);
        (at + 0.8 * trembles(0.317), y - 500.0 * u * u * (1.0 - u) * (1.0 - u))
    });
}

/// Paws stand still while they carry the animal, in the rig as it is played.
#[test]
fn paws_of_an_animal_stand() {
    let folder = tempfile::tempdir().expect("a folder");
    walking_dog(&folder.path().join("dog.csv"), 120);
    let rig = below(&folder, "dog.ron");
    expect(0, &["import", &below(&folder, "dog.csv"), "-o", &rig, "--video-fps", "30", "--clip", "walk"]);
    let loaded = load(Path::new(&rig), Arc::new(Disk), &no_fonts);
    assert_eq!(loaded.diagnostics.iter().count(), 0, "{:?}", loaded.diagnostics);
    let (scene, doc) = (loaded.rig.expect("a rig"), loaded.doc.expect("a document"));
    let skeleton = scene.skeleton();
    let mut state = FrameState::new(&scene);
    for leg in ["front_l", "front_r", "hind_l", "hind_r"] {
        let name = format!("plant_{leg}");
        let channels = doc.clip("walk").expect("a clip").constraints.iter();
        let holds = channels.filter(|of| of.name.value == name).flat_map(|of| &of.holds);
        let bones: Vec<_> = skeleton.bones().filter(|bone| skeleton.name(*bone).starts_with(leg)).collect();
        let paw = *bones.last().expect("a leg");
        let length: f64 = bones.iter().map(|bone| skeleton.length(*bone)).sum();
        let (mut slide, mut stood) = (0.0_f64, 0.0);
        for hold in holds {
            let (from, until) = (hold.from.value, hold.until.value);
            let mut place = |step: i32| {
                let time = from + (until - from) * f64::from(step) / 40.0;
                scene.pose(scene.clip("walk"), time, &mut state).expect("posed");
                state.world().tip(skeleton, state.driven(), paw)
            };
            let first = place(0);
            slide = (1..=40).fold(slide, |slide, step| slide.max(place(step).distance(first)));
            stood += until - from;
        }
        println!("{leg}: stands {stood:.2} of 4 s, slides {:.3} % of the leg", 100.0 * slide / length);
        assert!(stood > 4.0 * (STANCE - 0.2) && slide <= 0.003 * length, "{leg}: {stood} {slide}");
    }
}

#[test]
fn an_animal_becomes_a_figure_on_four_legs() {
    let folder = tempfile::tempdir().expect("a folder");
    dog(&folder.path().join("dog.csv"));
    let rig = below(&folder, "dog.ron");
    expect(0, &["import", &below(&folder, "dog.csv"), "-o", &rig]);
    expect(0, &["check", &rig]);
    let svg = std::fs::read_to_string(below(&folder, "dog.svg")).expect("a drawing");
    for part in ["body_art", "head_art", "tail_art", "front_l_2_art", "hind_r_2_art"] {
        assert!(svg.contains(&format!("id=\"{part}\"")), "{part}");
    }
}

/// The sheet is the only file that is written, though the rig may be there already.
#[test]
fn a_look_writes_a_sheet_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    dog(&folder.path().join("dog.csv"));
    std::fs::write(below(&folder, "dog.ron"), "(mine)").expect("written");
    let before = names(folder.path());
    let csv = below(&folder, "dog.csv");
    let sheet = below(&folder, "look.png");
    let err = expect(0, &["import", &csv, "--look", &sheet]).err;
    assert!(err.contains("nothing else is written"), "{err}");
    assert_eq!(std::fs::read_to_string(below(&folder, "dog.ron")).expect("kept"), "(mine)");
    let mut after = names(folder.path());
    after.retain(|name| name != "look.png");
    assert_eq!(before, after);
    let picture = bone_render::Pixmap::load_png(&sheet).expect("a picture");
    // Lines on the left and a coat on the right of the first moment.
    let has = |x: std::ops::Range<u32>, colour: [u8; 3]| {
        x.clone().any(|x| {
            (0..picture.height()).any(|y| {
                let at = picture.pixel(x, y).expect("inside");
                [at.red(), at.green(), at.blue()] == colour
            })
        })
    };
    let half = picture.width() / 4;
    assert!(has(0..half, [0x4a, 0x4a, 0x52]) && has(half..2 * half, [0xb9, 0x8a, 0x5e]));
    let err = expect(2, &["import", &csv, "--look", &below(&folder, "look.svg")]).err;
    assert!(err.contains("has to end in .png"), "{err}");
}

/// Beside the figure of a rig, too: its art is on the sheet, and the rig stays as it was.
#[test]
fn a_look_at_a_rig_leaves_it_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["rig.ron", "drawing.svg"] {
        std::fs::copy(repository(&format!("examples/walk/{file}")), folder.path().join(file))
            .expect("copied");
    }
    let rig = below(&folder, "rig.ron");
    let (before, old) = (names(folder.path()), std::fs::read_to_string(&rig).expect("a rig"));
    let sheet = below(&folder, "look.png");
    let walk = repository("tests/motion/pybvh_cmu_12_01_walk.bvh");
    let words = ["import", &walk, "--rig", &rig, "--look", &sheet, "--clip", "recorded", "--loop"];
    assert!(expect(0, &words).err.contains("nothing else is written"));
    let mut after = names(folder.path());
    after.retain(|name| name != "look.png");
    assert_eq!((before, old), (after, std::fs::read_to_string(&rig).expect("a rig")));
    let picture = bone_render::Pixmap::load_png(&sheet).expect("a picture");
    let count = |colour: [u8; 3]| {
        let pixels = picture.pixels().iter().map(|pixel| pixel.demultiply());
        pixels.filter(|pixel| [pixel.red(), pixel.green(), pixel.blue()] == colour).count()
    };
    // The lines of both sides of the recording, and colours of the drawing.
    assert!(count([0x2a, 0x6f, 0xbb]) > 20 && count([0xc8, 0x45, 0x2f]) > 20);
    assert!(count([0xff, 0xc8, 0x57]) > 0 || count([0xf4, 0x61, 0x4c]) > 500);
}
