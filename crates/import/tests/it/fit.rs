//! Few keys within the tolerance, and cycles at the places where a person would cut.

use std::path::{Path, PathBuf};

use bone_core::{Pose, WorldPose};
use bone_import::figure::{FigureOptions, build_figure};
use bone_import::fit::{ChannelKeys, fit};
use bone_import::{ViewDirection, bvh, cycle, project};

fn motion(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/motion").join(name)
}

fn text(name: &str) -> String {
    let path = motion(&format!("{name}.bvh"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

const OPTIONS: FigureOptions = FigureOptions::new(300.0);

#[test]
fn captures_get_few_keys_within_the_tolerance() {
    // The name, and the largest number of keys a second and channel. The run takes two seconds, so its ends
    // alone are one key a second.
    let captures = [
        ("pybvh_cmu_12_01_walk", 4.0),
        ("ad_fair1_jumping", 4.0),
        ("bvhpy_test_mocapbank", 4.0),
        ("bvhpy_test_freebvh", 4.0),
        ("pybvh_bvh_test1", 4.0),
        ("ad_cmu1_jumping_jacks", 4.0),
        ("dme_example", 4.5),
    ];
    for (name, most) in captures {
        let recording = bvh::read(&text(name)).expect("a recording");
        for view in [ViewDirection::SIDE, ViewDirection::FRONT] {
            let motion = project(&recording, view, None).expect("projected").motion;
            let figure = build_figure(&motion, &OPTIONS).expect("a figure");
            let tolerance = 0.01 * figure.height;
            let fitted = fit(&figure.skeleton, &figure.take, tolerance).expect("fits");
            println!(
                "{name}: {:.2} keys, worst {:.2} %",
                fitted.density(),
                fitted.max_error / figure.height * 100.0
            );
            assert!(fitted.density() <= most, "{name}: {}", fitted.density());
            assert!(fitted.max_error <= tolerance, "{name}: {}", fitted.max_error);

            // Measured a second time, from the joints of the recording.
            let clip = fitted.clip.clip(&figure.skeleton).expect("a clip");
            let (mut pose, mut world) = (Pose::new(&figure.skeleton), WorldPose::new(&figure.skeleton));
            let mut worst = 0.0_f64;
            for frame in 0..figure.take.frames() {
                clip.sample(&figure.skeleton, frame as f64 / figure.take.rate, &mut pose);
                world.forward(&figure.skeleton, &pose).expect("placed");
                let tips = |bone: &bone_import::figure::FigureBone, pose: &Pose| {
                    let id = figure.skeleton.find(&bone.name).expect("a bone");
                    world.tip(&figure.skeleton, pose, id)
                };
                // Relative to the first bone: canvas and recording have different origins.
                let scale = figure.height / bone_import::figure::height(&motion, &motion.body());
                let first = &figure.bones[0];
                for bone in &figure.bones {
                    let found = tips(bone, &pose) - tips(first, &pose);
                    let wanted = (motion.position(frame, bone.to) - motion.position(frame, first.to)) * scale;
                    // A bone that points at the viewer keeps its direction and its foreshortened length.
                    let seen = motion.offset(frame, bone.from, bone.to).hypot() * scale;
                    if seen > 0.08 * figure.height {
                        worst = worst.max((found - wanted).hypot());
                    }
                }
            }
            assert!(worst <= 5.0 * tolerance, "{name}: {worst}");
        }
    }
}

#[test]
fn keys_are_rounded_and_in_order() {
    let recording = bvh::read(&text("pybvh_cmu_12_01_walk")).expect("a recording");
    let motion = project(&recording, ViewDirection::SIDE, None).expect("projected").motion;
    let figure = build_figure(&motion, &OPTIONS).expect("a figure");
    let fitted = fit(&figure.skeleton, &figure.take, 3.0).expect("fits");
    let short = |value: f64| (value * 1000.0 - (value * 1000.0).round()).abs() < 1e-6;
    for track in &fitted.clip.tracks {
        let times: Vec<f64> = match &track.keys {
            ChannelKeys::Rotate(keys) | ChannelKeys::Stretch(keys) => {
                assert!(keys.iter().all(|key| short(key.value)));
                keys.iter().map(|key| key.time).collect()
            }
            ChannelKeys::Move(keys) => {
                assert!(keys.iter().all(|key| short(key.value.x) && short(key.value.y)));
                keys.iter().map(|key| key.time).collect()
            }
        };
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]) && times.iter().all(|time| short(*time)));
    }
}

#[test]
fn a_walk_loops_after_two_steps() {
    let recording = bvh::read(&text("pybvh_cmu_12_01_walk")).expect("a recording");
    for view in [ViewDirection::SIDE, ViewDirection::degrees(60.0)] {
        let motion = project(&recording, view, None).expect("projected").motion;
        let found = cycle::find(&motion).expect("a cycle");
        let period = found.period as f64 / motion.rate() * 30.0;
        println!("{period:.2} frames at 30 Hz, {:.2} % left", found.distance * 100.0);
        assert!((37.0..=40.0).contains(&period), "{period}");
        let closed = cycle::closed(&motion, &found).expect("closed");
        let last = closed.frames() - 1;
        let gain = closed.position(last, 0).x - closed.position(0, 0).x;
        for joint in 0..closed.joints().len() {
            let off = closed.position(last, joint) - closed.position(0, joint);
            assert!((off.x - gain).abs() < 1e-9 && off.y == 0.0, "{joint}: {off}");
        }
    }
}

#[test]
fn a_figure_that_stands_still_has_no_cycle() {
    let recording = bvh::read(&text("pybvh_full_precision_frame_time")).expect("a recording");
    let motion = project(&recording, ViewDirection::SIDE, None).expect("projected").motion;
    assert_eq!(cycle::find(&motion), None);
}

/// Digits follow the tolerance: at the finest one joints are within a ten thousandth of the height.
#[test]
fn joints_are_where_they_were_at_the_finest_tolerance() {
    for name in ["pybvh_cmu_12_01_walk", "bvhpy_test_freebvh", "ad_cmu1_jumping_jacks", "pybvh_bvh_test1"] {
        let recording = bvh::read(&text(name)).expect("a recording");
        let motion = project(&recording, ViewDirection::FRONT, None).expect("projected").motion;
        let motion = motion.cut(0, 90).expect("frames");
        let figure = build_figure(&motion, &FigureOptions { tolerance: 1e-4, ..OPTIONS }).expect("a figure");
        let fitted = fit(&figure.skeleton, &figure.take, 1e-4 * figure.height).expect("fits");
        let clip = fitted.clip.clip(&figure.skeleton).expect("a clip");
        let (mut pose, mut world) = (Pose::new(&figure.skeleton), WorldPose::new(&figure.skeleton));
        let mut worst = (0.0_f64, String::new());
        for frame in 0..motion.frames() {
            clip.sample(&figure.skeleton, frame as f64 / figure.take.rate, &mut pose);
            world.forward(&figure.skeleton, &pose).expect("placed");
            // Toes turn at most 60 degrees against their foot.
            for bone in figure.bones.iter().filter(|bone| !bone.name.starts_with("toe")) {
                let id = figure.skeleton.find(&bone.name).expect("a bone");
                let off = world.tip(&figure.skeleton, &pose, id) - figure.recorded(&motion, frame, bone.to);
                if off.hypot() > worst.0 {
                    worst = (off.hypot(), format!("{} in frame {frame}", bone.name));
                }
            }
        }
        println!("{name}: {:.2e} of the height at {}", worst.0 / figure.height, worst.1);
        assert!(worst.0 <= 1e-4 * figure.height, "{name}: {} at {}", worst.0 / figure.height, worst.1);
    }
}
