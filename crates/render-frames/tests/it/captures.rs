//! Captures by their formats, and `import --look`.

use std::fmt::Write as _;
use std::path::Path;

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
}

/// A dog that stands, as a table of points.
fn dog(path: &Path) {
    let points = [
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
    let mut text = format!("scorer{}\nbodyparts", ",net".repeat(3 * points.len()));
    points.iter().for_each(|(name, ..)| write!(text, ",{name},{name},{name}").expect("text"));
    text += &format!("\ncoords{}\n", ",x,y,likelihood".repeat(points.len()));
    for frame in 0..20 {
        write!(text, "{frame}").expect("text");
        points.iter().for_each(|(_, x, y)| write!(text, ",{},{y},0.9", x + frame).expect("text"));
        text.push('\n');
    }
    std::fs::write(path, text).expect("written");
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
    let picture = render::Pixmap::load_png(&sheet).expect("a picture");
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
