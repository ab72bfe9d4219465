//! Projections compared with an independent implementation.

use std::path::{Path, PathBuf};

use bone_core::Angle;
use bone_import::{PlanarMotion, ViewDirection, bvh, project};

fn motion(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/motion").join(name)
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn angles_lengths_and_depths_are_those_of_another_implementation() {
    let mut worst = [0.0_f64; 4];
    let mut seen = 0;
    for name in ["pybvh_cmu_12_01_walk", "ad_fair1_jumping", "dme_example"] {
        let oracle: serde_json::Value =
            serde_json::from_str(&text(&motion(&format!("oracle/{name}.proj2d.json")))).expect("JSON");
        let bvh = bvh::read(&text(&motion(&format!("{name}.bvh")))).expect("a recording");
        let dropped = oracle["frames_dropped_at_start"].as_u64().expect("count") as usize;
        for (word, view) in [("side", ViewDirection::SIDE), ("front", ViewDirection::FRONT)] {
            let projected = project(&bvh, view, None).expect("projected");
            let motion = &projected.motion;
            assert_eq!(projected.up.name(), oracle["up"].as_str().expect("axis"), "{name}");
            assert_eq!(motion.frames(), bvh.frames() - dropped, "{name}");
            let frames: Vec<usize> = oracle["frame_indices"]
                .as_array()
                .expect("frames")
                .iter()
                .map(|frame| frame.as_u64().expect("number") as usize - dropped)
                .collect();
            let height =
                1.7_f64.max(oracle["views"][word]["bones"]["spine"]["len3d"].as_f64().expect("length") * 3.0);
            for (at, &frame) in frames.iter().enumerate() {
                let root = &oracle["views"][word]["root"][at];
                let number = |axis: usize| root[axis].as_f64().expect("number");
                let place = motion.position(frame, 0);
                let off = (place.x - number(0)).abs().max((-place.y - number(1)).abs());
                let depth = motion.depth(frame, 0).expect("known");
                worst[0] = worst[0].max(off.max((depth - number(2)).abs()) / height);
            }
            for expected in oracle["views"][word]["bones"].as_object().expect("bones").values() {
                let joint = |at: usize| {
                    let joint = expected["from_to"][at].as_str().expect("name");
                    motion.find(joint).unwrap_or_else(|| panic!("{name}: {joint}"))
                };
                let (from, to) = (joint(0), joint(1));
                let directions = directions(motion, from, to);
                for (at, &frame) in frames.iter().enumerate() {
                    let number = |what: &str| expected[what][at].as_f64().expect("number");
                    // The reference turns counter-clockwise with y up; the two may differ by a whole turn.
                    let angle = -directions[frame].radians();
                    let first =
                        -directions[frames[0]].radians() - expected["angle"][0].as_f64().expect("number");
                    let turns = (first / std::f64::consts::TAU).round() * std::f64::consts::TAU;
                    worst[1] = worst[1].max((angle - turns - number("angle")).abs());
                    // A back of several joints has no fixed length: the planar length is compared with that
                    // in space, both of the same frame.
                    let way = motion.offset(frame, from, to);
                    let deep =
                        motion.depth(frame, to).expect("known") - motion.depth(frame, from).expect("known");
                    let scale = way.hypot() / (way.hypot2() + deep * deep).sqrt();
                    worst[2] = worst[2].max((scale - number("scale")).abs());
                    let depth = (motion.depth(frame, from).expect("known")
                        + motion.depth(frame, to).expect("known"))
                        / 2.0;
                    worst[3] = worst[3].max((depth - number("depth")).abs() / height);
                    seen += 1;
                }
            }
        }
    }
    println!(
        "{seen} bones, worst root {:.1e}, angle {:.1e}, length {:.1e}, depth {:.1e}",
        worst[0], worst[1], worst[2], worst[3]
    );
    assert!(seen > 600 && worst.iter().all(|worst| *worst < 1e-5), "{seen} {worst:?}");
}

/// The direction from one joint to another in each frame, without leaps by a whole turn.
pub(crate) fn directions(motion: &PlanarMotion, from: usize, to: usize) -> Vec<Angle> {
    let mut last = Angle::ZERO;
    let unwrapped = (0..motion.frames()).map(|frame| {
        let angle = Angle::of(motion.offset(frame, from, to));
        last = if frame == 0 { angle } else { angle.nearest_to(last) };
        last
    });
    unwrapped.collect()
}
