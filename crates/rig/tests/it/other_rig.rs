//! States, clips, poses and ids of another rig: each function returns an error, nothing or the drawing at
//! rest, and none panics.

use std::path::Path;
use std::sync::Arc;

use bone_core::{Angle, BoneId, Pose, PoseError, Reparent};
use drawing::{FillCall, ImageCall, LayerCall, PaintSink, StrokeCall};
use kurbo::{Affine, Point};
use render::{FrameOptions, FrameSize, Pixmap};
use rig::{FrameState, Rig};
use rig_format::{InMemory, load, no_fonts};

const IMAGE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==";

/// A chain of bones with a limb, an image that follows it, a rigid mark, drivers, constraints, springs and
/// clips.
fn rig(bones: usize) -> Rig {
    let paths: String = (0..bones)
        .map(|i| format!("<path id='mark{i}' d='M{x} 60h4v4z' fill='red'/>", x = 10 * i + 3))
        .collect();
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='200' height='80'><g id='limb'>\
         <path id='arm' d='M0 20C40 15 80 25 190 20V40C90 45 50 35 0 40Z' fill='teal'/>\
         <image x='80' y='25' width='9' height='9' href='{IMAGE}'/></g>{paths}</svg>"
    );
    let bone = |i: usize| match i {
        0 => "\"b0\": (from: (0, 30), to: (20, 30)),".to_owned(),
        i => format!("\"b{i}\": (parent: \"b{}\", length: 20),", i - 1),
    };
    let (last, names) = (bones - 1, (0..bones).map(bone).collect::<String>());
    let text = format!(
        r#"Rig(version: 1, drawing: "a.svg", bones: {{{names}}},
        skin: [Smooth(art: "limb"), Rigid(art: "mark{last}", bone: "b{last}")],
        drivers: [(bone: "b0", value: Rotate, art: {{"mark{last}": (opacity: [(0, 1), (90, 0)])}},
            bones: {{"b1": (rotate: [(0, 0), (90, 20)])}})],
        constraints: [Aim(name: "look", bone: "b{last}", target: (190, 10))],
        springs: [(chain: "b1")],
        clips: {{
            "bend": (length: 1, bones: {{"b0": (rotate: [(0, 0), (1, 40)]), "b{last}": (rotate: [(0, 0), (1, 40)])}},
                art: {{"mark{last}": (visible: [(0, true), (0.5, false)])}},
                offsets: {{"arm": {{3: [(0, (0, 0)), (1, (5, 5))]}}}},
                constraints: {{"look": (mix: [(0, 1), (1, 0)])}}),
        }},
        shots: {{"both": (play: ["bend", "bend"])}})"#
    );
    let files = InMemory::new().with("a.ron", text).with("a.svg", svg);
    let loaded = load(Path::new("a.ron"), Arc::new(files), &no_fonts);
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
    loaded.rig.unwrap_or_else(|| panic!("{messages:#?}"))
}

/// Two rigs of different size, and two that are equal, in both orders.
fn pairs() -> [(Rig, Rig); 3] {
    [(rig(3), rig(7)), (rig(7), rig(3)), (rig(3), rig(3))]
}

#[test]
fn clips_of_another_rig_are_an_error() {
    for (own, other) in pairs() {
        let mut state = FrameState::new(&own);
        let before = state.pose.clone();
        for clip in other.clips() {
            assert_eq!(own.pose(Some(clip), 0.5, &mut state), Err(PoseError::OtherRig));
            let (mut scratch, mut pose) = (before.clone(), before.clone());
            assert_eq!(own.sample(clip, 0.5, &mut scratch, &mut pose), Err(PoseError::OtherRig));
            assert!(!own.owns_clip(clip) && other.owns_clip(clip));
        }
        assert_eq!(state.pose, before);
        for clip in own.clips() {
            let clone = clip.clone();
            own.pose(Some(&clone), 0.5, &mut state).expect("a clone plays");
        }
    }
}

#[test]
fn a_clip_that_no_rig_holds_is_an_error() {
    let own = rig(3);
    let data = own.clips()[0].data().expect("a keyed clip");
    let loose = rig::RigClip::from_clip("loose".to_owned(), (**data).clone());
    assert_eq!(own.pose(Some(&loose), 0.0, &mut FrameState::new(&own)), Err(PoseError::OtherRig));
}

#[test]
fn states_of_another_rig_are_an_error() {
    for (own, other) in pairs() {
        let mut state = FrameState::new(&other);
        other.pose(other.clip("bend"), 0.7, &mut state).expect("its own clip");
        assert_eq!(own.pose(own.clip("bend"), 0.7, &mut state), Err(PoseError::OtherRig));
        assert_eq!(own.pose(None, 0.0, &mut state), Err(PoseError::OtherRig));
        assert_eq!(own.place(&mut state), Err(PoseError::OtherRig));
        assert!(!own.owns_state(&state) && other.owns_state(&state));
        assert_eq!(own.carried(&state).len(), 0);
        assert_eq!(other.carried(&state).len(), 1);
        assert_eq!(own.hit_test(&state, Point::new(50.0, 30.0), 50.0), None);
        for bone in [0, 2, 6, u32::MAX].map(BoneId::new) {
            assert!(!own.aim(&mut state, bone, Point::new(9.0, 9.0)));
            assert!(!own.apply_increment(&mut state, bone, Affine::translate((1.0, 2.0))));
        }
    }
}

#[test]
fn a_state_of_another_rig_gives_the_drawing_at_rest() {
    let options = FrameOptions { size: FrameSize::new(200, 80).expect("a size"), background: None };
    for (own, other) in pairs() {
        let (mut rest, mut state) = (FrameState::new(&own), FrameState::new(&other));
        other.pose(other.clip("bend"), 0.7, &mut state).expect("its own clip");
        own.write_svg(&mut rest);
        own.write_svg(&mut state);
        assert_eq!(rest.svg(), state.svg());
        let mut pictures = [Pixmap::new(1, 1).expect("memory"), Pixmap::new(1, 1).expect("memory")];
        own.draw(&mut rest, &options, &mut pictures[0]).expect("a picture");
        own.draw(&mut state, &options, &mut pictures[1]).expect("a picture");
        assert_eq!(pictures[0], pictures[1]);
        let (mut at_rest, mut given) = (Count::default(), Count::default());
        own.paint(&rest, Affine::IDENTITY, &mut at_rest);
        own.paint(&state, Affine::IDENTITY, &mut given);
        assert!(at_rest == given && at_rest.fills > 0);
    }
}

#[test]
fn poses_of_another_rig_are_an_error() {
    for (own, other) in [(rig(3), rig(7)), (rig(7), rig(3))] {
        let (bones, others) = (own.skeleton().len(), other.skeleton().len());
        let mut state = FrameState::new(&own);
        state.pose = Pose::new(other.skeleton());
        let wrong = Err(PoseError::BoneCount { pose: others, skeleton: bones });
        assert_eq!(own.place(&mut state), wrong);
        for bone in [0, 2, 6].map(BoneId::new) {
            assert!(!own.aim(&mut state, bone, Point::new(9.0, 9.0)));
            assert!(!own.apply_increment(&mut state, bone, Affine::translate((1.0, 2.0))));
        }
        own.pose(own.clip("both"), 0.5, &mut state).expect("a clip writes the whole pose");
        let bend = own.clip("bend").expect("a clip");
        let (mut scratch, mut pose) = (Pose::new(other.skeleton()), Pose::new(other.skeleton()));
        own.sample(bend, 0.5, &mut scratch, &mut pose).expect("a clip writes the whole pose");
        assert_eq!(pose.bones.len(), bones);
    }
}

#[test]
fn art_of_another_rig_is_an_error() {
    let own = rig(3);
    let mut state = FrameState::new(&own);
    state.art.opacity.push(0.5);
    assert_eq!(own.place(&mut state), Err(PoseError::OtherRig));
    state.art = rig::ArtPose::default();
    assert_eq!(own.place(&mut state), Err(PoseError::OtherRig));
    own.pose(None, 0.0, &mut state).expect("the setup pose replaces it");
}

#[test]
fn unknown_bones_are_an_error() {
    let own = rig(3);
    let mut state = FrameState::new(&own);
    let unknown = BoneId::new(99);
    for (bone, parent) in [(unknown, None), (BoneId::new(2), Some(unknown))] {
        state.pose = Pose::new(own.skeleton());
        state.pose.set_parent(Reparent { bone, parent, rebase: bone_core::Rebase::NONE });
        assert_eq!(own.place(&mut state), Err(PoseError::UnknownBone { bone: unknown }));
        assert!(!own.aim(&mut state, unknown, Point::new(9.0, 9.0)));
        assert!(parent.is_none() || !own.aim(&mut state, bone, Point::new(9.0, 9.0)));
    }
    state.pose = Pose::new(own.skeleton());
    state.pose.set_setup(unknown, kurbo::Vec2::ZERO, Angle::ZERO);
    assert_eq!(own.place(&mut state), Err(PoseError::UnknownBone { bone: unknown }));
    own.pose(None, 0.0, &mut state).expect("the setup pose replaces it");
}

/// Counts fills and strokes.
#[derive(Default, PartialEq)]
struct Count {
    fills: usize,
    strokes: usize,
}

impl PaintSink for Count {
    fn fill(&mut self, _: &FillCall<'_>) {
        self.fills += 1;
    }

    fn stroke(&mut self, _: &StrokeCall<'_>) {
        self.strokes += 1;
    }

    fn image(&mut self, _: &ImageCall<'_>) {}

    fn push_layer(&mut self, _: &LayerCall<'_>) -> bool {
        true
    }

    fn pop_layer(&mut self) {}
}
