//! Joint positions compared with an independent implementation.

use std::path::{Path, PathBuf};

use bone_import::bvh;

fn motion(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/motion").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(motion(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn world_positions_are_those_of_another_implementation() {
    let mut seen = 0;
    let mut worst = 0.0_f64;
    let mut names: Vec<PathBuf> = std::fs::read_dir(motion("oracle"))
        .expect("folder")
        .map(|entry| entry.expect("entry").path())
        .collect();
    names.sort();
    for path in names.iter().filter(|path| path.to_string_lossy().ends_with(".world.json")) {
        let oracle: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).expect("text")).expect("JSON");
        let file = oracle["file"].as_str().expect("a name").trim_start_matches("bvh/");
        let bvh = bvh::read(&text(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(bvh.frames() as u64, oracle["frames_total"].as_u64().expect("count"), "{file}");
        let names: Vec<&str> = oracle["joints"]
            .as_array()
            .expect("joints")
            .iter()
            .map(|j| j["name"].as_str().expect("name"))
            .collect();
        assert_eq!(names, (0..bvh.joint_count()).map(|j| bvh.joint_name(j)).collect::<Vec<_>>(), "{file}");
        for frame in oracle["frames"].as_array().expect("frames") {
            let index = frame["index"].as_u64().expect("index") as usize;
            let expected: Vec<[f64; 3]> = frame["world"]
                .as_array()
                .expect("world")
                .iter()
                .map(|p| [0, 1, 2].map(|axis| p[axis].as_f64().expect("number")))
                .collect();
            let found = bvh.joint_positions(index);
            let extent = (0..3)
                .map(|axis| {
                    let values = || expected.iter().map(|p| p[axis]);
                    values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
                })
                .fold(0.0, f64::max);
            for (a, b) in found.iter().zip(&expected) {
                worst = worst.max(distance(*a, *b) / extent);
            }
            seen += 1;
        }
    }
    println!("{seen} frames, worst {worst:e}");
    assert!(seen >= 27 && worst < 1e-5, "{seen} frames, worst {worst:e}");
}
