//! States, clips, poses and ids of another rig: each function returns an error, nothing or the drawing at
//! rest, and none panics.

use std::path::Path;
use std::sync::Arc;

use bone_core::constraint::AttachmentPoint;
use bone_core::{BoneId, BonePose, Pose, PoseError};
use bone_drawing::ArtProperty;
use bone_drawing::{ElementId, FillCall, ImageCall, LayerCall, PaintSink, StrokeCall};
use bone_format::{InMemory, load, no_fonts};
use bone_render::{FrameOptions, FrameSize, Pixmap};
use bone_rig::{
    BoneMotion, BoneOverride, Choice, ConstraintOverride, DragError, FrameState, Handle, OverrideError,
    Overrides, Rig, VertexOffset,
};
use bone_skin::{OffsetSpace, VertexPoint};
use kurbo::{Affine, Point, Vec2};

const IMAGE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==";

/// A chain of bones with a limb, an image that follows it, a rigid mark, drivers, constraints, springs and
/// clips.
pub(crate) fn rig(bones: usize) -> Rig {
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
        let before = state.pose().clone();
        for clip in other.clips() {
            assert_eq!(own.pose(Some(clip), 0.5, &mut state), Err(PoseError::OtherRig));
            let (mut scratch, mut pose) = (before.clone(), before.clone());
            assert_eq!(own.sample(clip, 0.5, &mut scratch, &mut pose), Err(PoseError::OtherRig));
            assert!(!own.owns_clip(clip) && other.owns_clip(clip));
        }
        assert_eq!(*state.pose(), before);
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
    let loose = bone_rig::RigClip::from_clip("loose".to_owned(), (**data).clone());
    assert_eq!(own.pose(Some(&loose), 0.0, &mut FrameState::new(&own)), Err(PoseError::OtherRig));
}

#[test]
fn states_of_another_rig_are_an_error() {
    for (own, other) in pairs() {
        let mut state = FrameState::new(&other);
        other.pose(other.clip("bend"), 0.7, &mut state).expect("its own clip");
        assert_eq!(own.pose(own.clip("bend"), 0.7, &mut state), Err(PoseError::OtherRig));
        assert_eq!(own.pose(None, 0.0, &mut state), Err(PoseError::OtherRig));
        let wrong = Err(OverrideError::Pose(PoseError::OtherRig));
        let mut overrides = Overrides::new();
        assert_eq!(own.pose_with(None, 0.0, &overrides, &mut state), wrong);
        assert!(!own.owns_state(&state) && other.owns_state(&state));
        assert_eq!(own.carried(&state).len(), 0);
        assert_eq!(other.carried(&state).len(), 1);
        assert_eq!(own.hit_test(&state, Point::new(50.0, 30.0), 50.0), None);
        for bone in [0, 2, 6, u32::MAX].map(BoneId::new) {
            for handle in handles(&own, bone) {
                let dragged = own.drag(None, 0.0, &mut overrides, handle, Point::new(9.0, 9.0), &mut state);
                assert_eq!(dragged, Err(DragError::Override(PoseError::OtherRig.into())));
            }
            assert_eq!(own.grip(&state, bone, Point::new(9.0, 9.0)), None);
        }
        assert!(overrides.is_empty());
    }
}

/// Every kind of handle at a bone.
pub(crate) fn handles(rig: &Rig, bone: BoneId) -> Vec<Handle> {
    let path = rig.skin().paths().next().expect("a path");
    let motions = [BoneMotion::Rotate, BoneMotion::Translate, BoneMotion::Scale];
    let mut handles =
        motions.map(|motion| Handle::Bone { bone, grip: Point::new(3.0, 1.0), motion }).to_vec();
    let points = [AttachmentPoint::Tip, AttachmentPoint::Origin, AttachmentPoint::At(Point::new(3.0, 1.0))];
    handles.extend(points.map(|point| Handle::Tip { bone, point, chain: 2 }));
    let space = OffsetSpace::Bone(bone);
    handles.push(Handle::Vertex { path, vertex: 1, part: VertexPoint::Anchor, space });
    handles
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
fn poses_of_another_rig_are_overwritten() {
    for (own, other) in [(rig(3), rig(7)), (rig(7), rig(3))] {
        let bend = own.clip("bend").expect("a clip");
        let (mut scratch, mut pose) = (Pose::new(other.skeleton()), Pose::new(other.skeleton()));
        own.sample(bend, 0.5, &mut scratch, &mut pose).expect("a clip writes the whole pose");
        assert_eq!(pose.bones.len(), own.skeleton().len());
    }
}

/// Overrides of what the rig does not have, and numbers that are not finite, with their errors.
fn wrong_overrides(rig: &Rig) -> Vec<(Overrides, OverrideError)> {
    let (bone, element) = (BoneId::new(99), ElementId::from_index(999));
    let (path, vertex, part) = (rig.skin().paths().next().expect("a path"), 99, VertexPoint::Anchor);
    let mark = rig.draw_order().elements[0];
    let mut all = Vec::new();
    let mut add = |set: &dyn Fn(&mut Overrides), error: OverrideError| {
        let mut overrides = Overrides::new();
        set(&mut overrides);
        all.push((overrides, error));
    };
    let nan = BonePose { stretch: f64::NAN, ..BonePose::REST };
    add(&|it| it.bones.set(bone, BoneOverride::Set(BonePose::REST)), OverrideError::UnknownBone { bone });
    add(&|it| it.bones.set(BoneId::new(0), BoneOverride::Add(nan)), OverrideError::NotFinite { of: "bone" });
    add(&|it| it.art.set((element, ArtProperty::Visible), 1.0), OverrideError::UnknownArt { element });
    add(
        &|it| it.art.set((mark, ArtProperty::Opacity), f64::INFINITY),
        OverrideError::NotFinite { of: "art" },
    );
    add(
        &|it| it.art.set((mark, ArtProperty::Switch), Choice::Nothing.value()),
        OverrideError::UnknownSwitch { element: mark },
    );
    add(
        &|it| it.offsets.set((path, vertex, part), VertexOffset::default()),
        OverrideError::UnknownVertex { path, vertex, part },
    );
    let space = OffsetSpace::Bone(bone);
    let target = (path, 1, part);
    add(
        &|it| it.offsets.set(target, VertexOffset { space, by: Vec2::ZERO }),
        OverrideError::UnknownBone { bone },
    );
    let by = Vec2::new(0.0, f64::NAN);
    add(
        &|it| it.offsets.set(target, VertexOffset { by, ..VertexOffset::default() }),
        OverrideError::NotFinite { of: "offset" },
    );
    add(
        &|it| it.constraints.set(1, ConstraintOverride::default()),
        OverrideError::UnknownConstraint { constraint: 1 },
    );
    let mix = Some(f64::NAN);
    add(
        &|it| it.constraints.set(0, ConstraintOverride { mix, ..ConstraintOverride::default() }),
        OverrideError::NotFinite { of: "constraint" },
    );
    all
}

#[test]
fn overrides_of_another_rig_are_an_error_and_change_nothing() {
    let own = rig(3);
    let mut state = FrameState::new(&own);
    own.pose(own.clip("bend"), 0.5, &mut state).expect("its own clip");
    let before = state.frame().clone();
    for (overrides, error) in wrong_overrides(&own) {
        let posed = own.pose_with(own.clip("bend"), 0.1, &overrides, &mut state);
        assert_eq!(posed, Err(error.clone()));
        assert!(!error.to_string().is_empty());
        assert_eq!(*state.frame(), before);
        for handle in handles(&own, BoneId::new(1)) {
            let mut dragged = overrides.clone();
            let at = Point::new(30.0, 30.0);
            let result = own.drag(own.clip("bend"), 0.1, &mut dragged, handle, at, &mut state);
            assert_eq!(result, Err(DragError::Override(error.clone())));
            assert_eq!(*state.frame(), before);
        }
    }
}

#[test]
fn handles_that_cannot_move_are_an_error_and_change_nothing() {
    let own = rig(3);
    let clip = own.clip("bend");
    let mut state = FrameState::new(&own);
    own.pose(clip, 0.3, &mut state).expect("its own clip");
    let before = state.frame().clone();
    let bone = BoneId::new(99);
    let mut overrides = Overrides::new();
    let mut failed = |handle: Handle, at: Point| {
        let error = own.drag(clip, 0.3, &mut overrides, handle, at, &mut state).expect_err("a wrong handle");
        assert!(overrides.is_empty());
        assert_eq!(*state.frame(), before, "{error}");
        error
    };
    for handle in handles(&own, bone) {
        let unknown = OverrideError::UnknownBone { bone };
        assert_eq!(failed(handle, Point::new(9.0, 9.0)), DragError::Override(unknown));
    }
    for handle in handles(&own, BoneId::new(1)) {
        assert_eq!(failed(handle, Point::new(f64::NAN, 9.0)), DragError::NotFinite);
    }
    for motion in [BoneMotion::Rotate, BoneMotion::Translate, BoneMotion::Scale] {
        let grip = Point::new(f64::INFINITY, 0.0);
        let handle = Handle::Bone { bone: BoneId::new(1), grip, motion };
        assert_eq!(failed(handle, Point::new(9.0, 9.0)), DragError::NotFinite);
    }
    let grip = Point::ZERO;
    for motion in [BoneMotion::Rotate, BoneMotion::Scale] {
        let handle = Handle::Bone { bone: BoneId::new(1), grip, motion };
        assert_eq!(failed(handle, Point::new(9.0, 9.0)), DragError::AtOrigin);
    }
    let path = own.skin().paths().next().expect("a path");
    let handle = Handle::Vertex { path, vertex: 77, part: VertexPoint::In, space: OffsetSpace::Canvas };
    let unknown = OverrideError::UnknownVertex { path, vertex: 77, part: VertexPoint::In };
    assert_eq!(failed(handle, Point::new(9.0, 9.0)), DragError::Override(unknown));
}

#[test]
fn far_pointers_never_panic() {
    let own = rig(3);
    let mut state = FrameState::new(&own);
    for far in [1e6, 1e100, f64::MAX] {
        for handle in handles(&own, BoneId::new(1)) {
            let mut overrides = Overrides::new();
            let dragged =
                own.drag(own.clip("bend"), 0.2, &mut overrides, handle, Point::new(far, -far), &mut state);
            assert!(dragged.is_ok() || overrides.is_empty());
            own.pose_with(own.clip("bend"), 0.2, &overrides, &mut state)
                .expect("what a drag leaves is sound");
        }
    }
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
