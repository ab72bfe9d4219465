//! Recorded motion on a rig, played like any clip, with drivers and pins, also between the frames: locked
//! feet do not slide, knees bend to one side, and few keys replace all frames.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_core::{Pose, WorldPose};
use bone_format::{Disk, load, no_fonts};
use bone_import::fit::fit;
use bone_import::retarget::{RetargetOptions, RigMap, retarget};
use bone_import::{ViewDirection, bvh, cycle, project};
use bone_rig::FrameState;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(name: &str) -> String {
    let path = root().join("tests/motion").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs the program.
fn import(words: &[&str]) {
    let program = env!("CARGO_BIN_EXE_render-frames");
    let output = std::process::Command::new(program).arg("import").args(words).current_dir(root()).output();
    let output = output.expect("the program runs");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{words}");
}

#[test]
fn a_recorded_walk_stands_on_its_feet() {
    let folder = tempfile::tempdir().expect("a folder");
    for options in [&["--loop", "--on-the-spot"][..], &["--loop"], &["--on-the-spot"], &[]] {
        let rig = folder.path().join(format!("walk{}.ron", options.concat()));
        let mut words = vec![
            "tests/motion/pybvh_cmu_12_01_walk.bvh",
            "--rig",
            "examples/walk/rig.ron",
            "--clip",
            "recorded",
            "-o",
        ];
        words.push(rig.to_str().expect("a name"));
        words.extend(options);
        import(&words);
        judge(&rig, options.contains(&"--loop"), options.contains(&"--on-the-spot"));
    }
}

fn judge(rig: &Path, looped: bool, on_the_spot: bool) {
    let loaded = load(rig, Arc::new(Disk), &no_fonts);
    assert_eq!(loaded.diagnostics.iter().count(), 0, "{:?}", loaded.diagnostics);
    let scene = loaded.rig.expect("a scene");
    let doc = loaded.doc.expect("a document");
    let clip = scene.clip("recorded").expect("the clip");
    let skeleton = scene.skeleton();
    let find = |name: &str| skeleton.find(name).expect("a bone");

    // Every frame of the recording.
    let recording = bvh::read(&text("pybvh_cmu_12_01_walk.bvh")).expect("a recording");
    let mut motion = project(&recording, ViewDirection::SIDE, None).expect("a planar motion").motion;
    if looped {
        let found = cycle::find(&motion).expect("a cycle");
        motion = cycle::closed(&motion, &found).expect("closed");
    }
    let whole = retarget(
        &motion,
        &motion.body(),
        skeleton,
        &RigMap::by_names(skeleton),
        RetargetOptions { on_the_spot, looped, ..RetargetOptions::default() },
    )
    .expect("on the rig");
    let fitted = fit(skeleton, &whole.take, 0.01 * whole.height).expect("few keys");

    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    let mut state = FrameState::new(&scene);
    let mut toes = 0.0_f64;
    for frame in 0..whole.take.frames() - usize::from(looped) {
        whole.take.pose(skeleton, frame, &mut pose);
        world.forward(skeleton, &pose).expect("placed");
        scene.pose(Some(clip), frame as f64 / whole.take.rate, &mut state).expect("posed");
        for toe in ["toe_l", "toe_r"].map(find) {
            let wanted = world.tip(skeleton, &pose, toe);
            let found = state.world().tip(skeleton, state.driven(), toe);
            toes = toes.max(wanted.distance(found));
        }
    }

    let ground = whole.drift;
    let mut slide = 0.0_f64;
    let mut stood = 0.0;
    let doc_clip = doc.clip("recorded").expect("the clip");
    for channels in &doc_clip.constraints {
        let foot = find(&channels.name.value.replace("plant", "foot"));
        for hold in &channels.holds {
            let (from, mut until) = (hold.from.value, hold.until.value);
            if looped && !on_the_spot {
                // The clip ends with its first pose.
                until -= 1e-6;
            }
            let steps = 60;
            let place = |step: i32, state: &mut FrameState| {
                let time = from + (until - from) * f64::from(step) / f64::from(steps);
                scene.pose(Some(clip), time, state).expect("posed");
                state.world().tip(skeleton, state.driven(), foot)
                    - kurbo::Vec2::new(ground * (time - from), 0.0)
            };
            let first = place(0, &mut state);
            for step in 1..=steps {
                slide = slide.max(place(step, &mut state).distance(first));
            }
            stood += until - from;
        }
    }

    let mut knees = (f64::INFINITY, f64::NEG_INFINITY);
    let moments = (clip.frame_count(480.0)) as usize;
    let mut over = 0.0_f64;
    for moment in 0..moments {
        scene.pose(Some(clip), moment as f64 / 480.0, &mut state).expect("posed");
        for name in [
            "thigh_l",
            "shin_l",
            "thigh_r",
            "shin_r",
            "upper_arm_l",
            "fore_arm_l",
            "upper_arm_r",
            "fore_arm_r",
        ] {
            let bone = find(name);
            let turn = (state.driven().bones[bone.index()].angle - skeleton.setup(bone).angle).degrees();
            if name.starts_with("shin") {
                knees = (knees.0.min(turn), knees.1.max(turn));
            }
            if let bone_core::Joint::Pin { limits: Some((least, most)) } = skeleton.joint(bone) {
                over = over.max(least.degrees() - turn).max(turn - most.degrees());
            }
        }
    }
    let figures = format!(
        "toes {:.2} % of the height, slide {:.3} % of the leg over {stood:.1} s, knees {:.1} to {:.1}, {over:.3} over limits, drop {:.1}",
        100.0 * toes / whole.height,
        100.0 * slide / whole.leg_length,
        knees.0,
        knees.1,
        whole.hip_drop
    );
    assert!(fitted.density() <= 4.0, "{} keys", fitted.density());
    assert!(toes <= 0.01 * whole.height, "{figures}");
    assert!(slide <= 0.003 * whole.leg_length && stood > 0.8, "{figures}");
    assert!(knees.0 >= -1e-9 && knees.1 <= 140.0 && over <= 1e-9, "{figures}");
}
