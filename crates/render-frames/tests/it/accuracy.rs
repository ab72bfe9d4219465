//! The distances that `import` prints, measured on the recording: by playing the written rig and finding
//! scale and place of its figure anew.

use std::path::Path;
use std::sync::Arc;

use bone_core::Side;
use bone_format::{Disk, load, no_fonts};
use bone_import::parts::BodyPart;
use bone_import::{PlanarMotion, ViewDirection, bvh, project};
use bone_rig::FrameState;
use kurbo::{Point, Vec2};

use crate::command::{below, expect, repository};
use crate::recorded::printed;

/// The starts and ends of all bones of a played rig in all frames of a recording, and its height by the
/// formula that is documented: 1.2 times legs, back and neck. Also the length of the left thigh.
fn played(rig: &Path, clip: &str, motion: &PlanarMotion) -> (Vec<Vec<Point>>, f64, f64) {
    let loaded = load(rig, Arc::new(Disk), &no_fonts);
    let scene = loaded.rig.expect("a rig");
    let (clip, skeleton) = (scene.clip(clip).expect("the clip"), scene.skeleton());
    let mut state = FrameState::new(&scene);
    let mut pose = |frame: usize| {
        scene.pose(Some(clip), frame as f64 / motion.rate(), &mut state).expect("posed");
        let both = |bone| [state.world().origin(bone), state.world().tip(skeleton, state.driven(), bone)];
        skeleton.bones().flat_map(both).collect()
    };
    let ends = (0..motion.frames()).map(&mut pose).collect();
    let length = |name: &str| skeleton.find(name).map_or(0.0, |bone| skeleton.length(bone));
    let height = 1.2 * ["thigh_l", "shin_l", "hip", "chest", "neck"].map(length).iter().sum::<f64>();
    (ends, height, length("thigh_l"))
}

/// Scale and shift from a recording to drawn ends by least squares, over the half of the pairs that is
/// nearer: feet that were moved so that they stand would shift all.
fn fitted(
    motion: &PlanarMotion,
    ends: &[Vec<Point>],
    joints: &[usize],
    (mut scale, mut shift): (f64, Point),
) -> (f64, Point) {
    let all = || (0..ends.len()).flat_map(|frame| (0..joints.len()).map(move |at| (frame, at)));
    let recorded = |(frame, at): (usize, usize)| motion.position(frame, joints[at]).to_vec2();
    let drawn = |(frame, at): (usize, usize)| ends[frame][at].to_vec2();
    let mut near: Vec<(usize, usize)> = all().collect();
    for _ in 0..4 {
        let mean = |of: &dyn Fn((usize, usize)) -> Vec2| {
            near.iter().fold(Vec2::ZERO, |sum, pair| sum + of(*pair)) / near.len() as f64
        };
        let (a, b) = (mean(&recorded), mean(&drawn));
        let (mut up, mut down) = (0.0, 0.0);
        for &pair in &near {
            up += (recorded(pair) - a).dot(drawn(pair) - b);
            down += (recorded(pair) - a).hypot2();
        }
        scale = up / down;
        shift = (b - a * scale).to_point();
        let off = |pair: &(usize, usize)| (shift.to_vec2() + recorded(*pair) * scale - drawn(*pair)).hypot();
        near = all().collect();
        near.sort_by(|a, b| off(a).total_cmp(&off(b)));
        near.truncate(near.len() / 2);
    }
    (scale, shift)
}

/// Every start and end of a bone in every frame against the joint of the recording that is nearest to it: the
/// largest distance, the median, and the largest of a knee, in percent of the height.
fn against_recording(rig: &Path, clip: &str, motion: &PlanarMotion) -> [f64; 3] {
    let (ends, height, thigh) = played(rig, clip, motion);
    let body = motion.body();
    let part = |part: BodyPart| body.start(part).expect("a part");
    let knees = [Side::Left, Side::Right].map(|side| part(BodyPart::Shin(side)));
    let long = |frame: usize| motion.offset(frame, part(BodyPart::Thigh(Side::Left)), knees[0]).hypot();
    let scale = thigh / (0..motion.frames()).map(long).fold(0.0, f64::max);
    let mut placed = (scale, ends[0][0] - motion.position(0, part(BodyPart::Hips)).to_vec2() * scale);
    let mut joints: Vec<usize> = Vec::new();
    let far = |(scale, shift): (f64, Point), frame: usize, end: usize, joint: usize| {
        ends[frame][end].distance(shift + motion.position(frame, joint).to_vec2() * scale)
    };
    for _ in 0..8 {
        let farthest =
            |end, joint| (0..ends.len()).map(|frame| far(placed, frame, end, joint)).fold(0.0, f64::max);
        let nearest = |end: usize| {
            let all = (0..motion.joints().len()).map(|joint| (farthest(end, joint), joint));
            all.min_by(|a, b| a.0.total_cmp(&b.0)).expect("joints").1
        };
        joints = (0..ends[0].len()).map(nearest).collect();
        placed = fitted(motion, &ends, &joints, placed);
    }
    let (mut all, mut of_knees) = (Vec::new(), Vec::new());
    for frame in 0..ends.len() {
        for (end, joint) in joints.iter().enumerate() {
            all.push(far(placed, frame, end, *joint));
            of_knees.extend(knees.contains(joint).then(|| far(placed, frame, end, *joint)));
        }
    }
    assert!(of_knees.len() >= 4 * ends.len(), "both knees are found");
    all.sort_by(f64::total_cmp);
    let greatest = |all: &[f64]| all.iter().copied().fold(0.0, f64::max);
    [greatest(&all), all[all.len() / 2], greatest(&of_knees)].map(|far| 100.0 * far / height)
}

/// What is printed is measured on the recording, not on one whose feet were moved before: knees are where
/// they were.
#[test]
fn the_printed_accuracy_is_that_of_the_recording() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, view, direction) in [
        ("pybvh_cmu_12_01_walk", "side", ViewDirection::SIDE),
        ("pybvh_cmu_12_01_walk", "front", ViewDirection::FRONT),
        ("ad_cmu1_jumping_jacks", "side", ViewDirection::SIDE),
    ] {
        let recording = repository(&format!("tests/motion/{name}.bvh"));
        let rig = below(&folder, &format!("{name}_{view}.ron"));
        let message = expect(0, &["import", &recording, "-o", &rig, "--view", view, "--clip", "c"]).err;
        let text = std::fs::read_to_string(&recording).expect("read");
        let motion = project(&bvh::read(&text).expect("read"), direction, None).expect("projected").motion;
        let [worst, median, knees] = against_recording(rig.as_ref(), "c", &motion);
        let claimed = printed(&message);
        println!(
            "{name} {view}: {claimed} % is printed, {worst:.2} % is measured, {median:.2} % median, knees {knees:.2} %"
        );
        // Scale and shift are fitted here, which takes a part of what moves the whole body away.
        let more = claimed - worst;
        assert!((-0.25..=0.5).contains(&more), "{name} {view}: {claimed} % is printed, {worst} % is true");
        assert!(median <= 1.0 && knees <= 2.0, "{name} {view}: {median} % median, knees {knees} %");
    }
}
