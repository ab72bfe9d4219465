//! Any numbers, ids and lists: each has no effect, a defined value or an error, and none panics. What is of
//! another rig is in `other_rig`.

use std::sync::Arc;

use bone_core::clip::{
    ClipBuilder, ClipTime, Curve, Driver, Extend, Key, LayerBlend, Scalar, SequenceBuilder, SequencePart,
    Step, Tracks,
};
use bone_core::constraint::Bend;
use bone_core::spring::{Spring, Springs};
use bone_core::{Angle, BoneId, BonePose, BoneSpec, Skeleton, SkeletonBuilder};
use bone_drawing::{
    ArtProperty, Drawing, DrawingBuilder, ElementId, FlatFrame, Frame, Moving, Posable, PosedArt, Shape,
};
use bone_render::{FrameSize, Viewport};
use bone_rig::parts::{
    ArtTracks, ClipData, ConstraintState, ConstraintTracks, Constraints, Lane, PaintMotionSource, PaintRule,
    RigParts,
};
use bone_rig::{
    ArtPose, BoneOverride, CameraProperty, Choice, ClipEvents, ConstraintOverride, DrawOrder, EventId,
    EventPayload, FrameState, LayerOptions, Mixer, Outfit, Overrides, Rig, RigClip, RigConstraint, RigDriver,
    RigEvent, RowProperty, Slider, Switch, Turn, VertexOffset,
};
use bone_skin::{
    AffineBinding, BLine, BindOptions, OffsetSpace, Offsets, PathId, Setups, Skin, SkinBlend, VertexPoint,
    WeightField, WeightTracks, Weights,
};
use kurbo::{Affine, BezPath, Point, Rect, Vec2};
use proptest::prelude::*;

use crate::other_rig::{handles, rig};

fn number() -> impl Strategy<Value = f64> {
    let ends = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e9, 1e300, f64::MAX, f64::MIN];
    let ends = prop::sample::select([&ends[..], &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]].concat());
    prop_oneof![ends, -300.0..300.0_f64, -2.0..2.0_f64]
}

/// Overrides of everything, each with its own numbers. Some of them are not in the rig.
fn overrides(rig: &Rig, n: [f64; 12], far: bool) -> Overrides {
    let mut overrides = Overrides::new();
    let pose = BonePose {
        origin: Vec2::new(n[0], n[1]),
        angle: Angle::from_degrees(n[2]),
        scale: Vec2::new(n[3], n[4]),
        stretch: n[5],
    };
    overrides.bones.set(BoneId::new(1), BoneOverride::Set(pose));
    overrides.bones.set(BoneId::new(0), BoneOverride::Add(pose).plus(&pose));
    let mark = rig.draw_order().elements[0];
    overrides.art.set((mark, ArtProperty::Opacity), n[6]);
    overrides.art.set((mark, ArtProperty::Order), n[7]);
    let path = rig.skin().paths().next().expect("a path");
    let by = Vec2::new(n[8], n[9]);
    overrides.offsets.set((path, 1, VertexPoint::Anchor), VertexOffset { space: OffsetSpace::Vertex, by });
    let place = Some(Point::new(n[10], n[11]));
    let bend = Some(Bend::Keep);
    let it = ConstraintOverride { mix: Some(n[6]), place, bend, softness: Some(n[8]), amount: Some(n[9]) };
    overrides.constraints.set(if far { usize::MAX } else { 0 }, it);
    if far {
        overrides.art.set((mark, ArtProperty::Switch), Choice::Child(usize::MAX).value());
        overrides.bones.set(BoneId::new(u32::MAX), BoneOverride::Add(pose));
    }
    overrides
}

/// All that can be asked of a posed state.
fn ask(rig: &Rig, state: &mut FrameState, n: [f64; 12]) {
    let at = Point::new(n[0], n[1]);
    for reach in [0.0, n[2]] {
        let _ = (rig.hit_test(state, at, reach), rig.hit_test(state, Point::new(50.0, 30.0), reach));
    }
    let _ = (rig.painted_box(state), rig.bent_paints(state).count(), rig.carried(state).count());
    rig.paint(state, Affine::scale(n[3]), &mut FlatFrame::default());
    rig.frame_in_pieces(state, &mut Frame::default());
    rig.write_svg(state);
    let size = FrameSize::new(9, 5).expect("a size");
    let view = Viewport::new(size, Affine::new([n[0], n[1], n[2], n[3], n[4], n[5]]));
    rig.write_svg_view(state, &view);
    let _ = rig.draw_into(state, &view, &mut [0; 9 * 5 * 4]);
    assert!(rig.draw_into(state, &view, &mut [0; 3]).is_err());
    for bone in [0, 2, 7, u32::MAX].map(BoneId::new) {
        let _ = (rig.grip(state, bone, at), rig.missed(state, bone, at, Point::new(n[2], n[3])));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn poses_and_drags_of_any_numbers(n in prop::array::uniform12(number()), time in number(), far in any::<bool>()) {
        let mut own = rig(3);
        own.set_step(n[0].abs() as u32);
        let mut state = FrameState::new(&own);
        let all = overrides(&own, n, far);
        for clip in own.clips().iter().map(Some).chain([None]) {
            own.pose(clip, time, &mut state).expect("its own clip");
            ask(&own, &mut state, n);
            if own.pose_with(clip, time, &all, &mut state).is_ok() {
                ask(&own, &mut state, n);
            }
            if let Some(clip) = clip {
                own.prepare(clip);
                let _ = (clip.frame_count(n[1]), own.spring_seam(clip));
            }
            for handle in handles(&own, BoneId::new(2)) {
                let _ = own.drag(clip, time, &mut all.clone(), handle, Point::new(n[4], n[5]), &mut state);
                let _ = own.drag(clip, 0.5, &mut Overrides::new(), handle, Point::new(n[4], n[5]), &mut state);
            }
            for held in [0, 2, 9].map(BoneId::new) {
                let bones = [BoneId::new(1), held, held];
                let turn = Turn { bones: &bones, held, grip: Point::new(n[6], n[7]), from: Angle::from_degrees(n[8]) };
                let _ = own.turn(clip, time, &mut Overrides::new(), turn, Point::new(n[4], n[5]), &mut state);
            }
        }
    }

    #[test]
    fn mixers_of_any_numbers(n in prop::array::uniform12(number()), foreign in any::<bool>()) {
        let (own, other) = (rig(3), rig(7));
        let mut state = FrameState::new(&own);
        let mut mixer = Mixer::new(&own);
        mixer.reserve(&own, usize::MAX);
        mixer.reserve(&other, 3);
        let from = if foreign { &other } else { &own };
        for clip in from.clips() {
            let bones = [BoneId::new(1), BoneId::new(6)];
            let plain = LayerOptions { weight: n[0], fade: n[1].abs(), ..LayerOptions::default() };
            let listed = LayerOptions { blend: LayerBlend::Add, bones: Some(&bones[..1]), weight: n[2], fade: n[3] };
            let played = [
                mixer.play(&own, clip, n[4].abs()), mixer.layer(&own, clip, plain), mixer.layer(&own, clip, listed),
                mixer.layer(&own, clip, LayerOptions { bones: Some(&bones), ..listed }), mixer.rest(&own, n[5].abs()),
            ];
            let _ = (mixer.cue(&own, clip, n[6]), mixer.cue(&own, clip, 0.5));
            for of in played.into_iter().flatten() {
                let _ = (mixer.set_speed(of, n[7]), mixer.set_weight(of, n[8]), mixer.set_time(of, n[9]));
                let _ = (mixer.stop(&own, of, n[10]), mixer.time(of), mixer.share(of));
            }
            for seconds in [0.0, n[11], n[11].abs(), 0.1, 1e9] {
                let _ = mixer.step(&own, seconds, &mut state);
                let _ = (mixer.step_with(&own, 0.1, &overrides(&own, n, foreign), &mut state), mixer.events().len());
                mixer.rest_springs();
            }
        }
        prop_assert!(mixer.step(&other, 0.1, &mut state).is_err());
        own.pose(None, 0.0, &mut state).expect("a state of this rig");
        ask(&own, &mut state, n);
    }

    #[test]
    fn packed_rigs_of_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        prop_assert!(Rig::load(&bytes).is_err());
        prop_assert!(Rig::load(&bone_archive::pack(1, &bytes)).is_err());
    }

    #[test]
    fn art_of_any_numbers(n in prop::array::uniform12(number()), far in 0_usize..4) {
        let curve = |value: f64| Curve::new(vec![Key::new(0.0, value)], Extend::Hold);
        let lane = |(property, target): (RowProperty, usize), value: f64| {
            curve(value).map(|curve| Lane { property, target, part: target, curve })
        };
        let targets = [
            (ArtProperty::Visible.into(), far), (ArtProperty::Opacity.into(), far),
            (ArtProperty::Order.into(), usize::MAX), (ArtProperty::Switch.into(), far),
            (ArtProperty::TrimEnd.into(), 0), (ArtProperty::Tint.into(), 0), (ArtProperty::Shade.into(), far), (RowProperty::Slider, far),
            (RowProperty::Camera(CameraProperty::Center), far), (RowProperty::Camera(CameraProperty::Zoom), 0),
        ];
        let tracks = ArtTracks { lanes: targets.into_iter().zip(n).filter_map(|(of, n)| lane(of, n).ok()).collect() };
        let order = DrawOrder {
            elements: vec![ElementId::from_index(far); far],
            drawn: vec![true; 1],
            switches: vec![Switch { group: ElementId::from_index(9), children: vec![far, usize::MAX] }],
            member: Vec::new(),
            looks: vec![(ElementId::from_index(far), [n[5]; 10])],
            trims: vec![ElementId::from_index(far)],
            tints: vec![ElementId::from_index(far)],
            shapes: Vec::new(),
            sliders: vec![Slider { name: String::new(), range: (n[6], n[7]), rest: n[8] }],
            camera: Some(Point::new(n[9], n[10])),
            gradients: vec![vec![n[0]; 10]],
            filter_steps: vec![[n[0]; 9]],
            inks: vec![(ElementId::from_index(far), vec![n[1]; 4])],
        };
        let mut pose = ArtPose::new(&order);
        tracks.drive(&order, n[4], &mut pose);
        tracks.drive(&order, n[4], &mut ArtPose::default());
        let at = (pose.visible(&order, usize::MAX), pose.choice(&order, usize::MAX));
        let _ = (at, pose.get(&order, ArtProperty::Order, ElementId::from_index(far)));
        let _ = (order.index(ElementId::from_index(far)), order.switch(ElementId::from_index(far)));
        let _ = (pose.slider(&order, 0), pose.slider(&order, far));
        if let Some(camera) = pose.camera(&order) {
            let _ = camera.view(kurbo::Rect::new(n[0], n[1], n[2], n[3]));
        }
        for choice in [Choice::AsDrawn, Choice::Nothing, Choice::Child(far)] {
            let _ = (order.is_as_drawn(0, choice), order.is_as_drawn(usize::MAX, choice));
        }
    }
}

/// Weight 1 for one bone.
struct All([BoneId; 1]);

impl WeightField for All {
    fn bones(&self) -> &[BoneId] {
        &self.0
    }

    fn weights_at(&self, _: Point, weights: &mut [f64]) {
        weights.fill(1.0);
    }
}

fn skeleton(bones: usize) -> Skeleton {
    let bones = (0..bones).map(|i| BoneSpec::new(format!("bone {i}"), 10.0));
    bones.fold(SkeletonBuilder::new(), SkeletonBuilder::bone).build().expect("bones")
}

/// A drawing of two shapes.
fn drawing() -> Arc<Drawing> {
    let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 9.0, 9.0));
    for name in ["a", "b"] {
        builder.shape(name, Shape::filled(outline(), [0; 3]));
    }
    Arc::new(builder.finish().expect("a drawing"))
}

fn outline() -> BezPath {
    BezPath::from_svg("M0 0C3 0 3 3 5 5L0 5Z").expect("a path")
}

/// The parts of a rig with this many bones.
fn parts(bones: u32) -> RigParts {
    let (drawing, skeleton) = (drawing(), skeleton(bones as usize));
    let [a, b] = [0, 1].map(ElementId::from_index);
    let last = BoneId::new(bones - 1);
    let moving = Moving { rigid: &[b], posed: &[PosedArt::Path(a)], visible: &[b], ..Moving::default() };
    let posable = Posable::new(&drawing, &moving).expect("they are drawn");
    let mut skin = Skin::new();
    let path = skin.bind(&BLine::from_path(&outline()), &Weights::Rigid(last), &BindOptions::default());
    let fit = skin.paint_fit(path.expect("a path"));
    let curve = Curve::new(vec![Key::new(0.0, 1.0)], Extend::Hold).expect("a key");
    let clip =
        ClipBuilder::new(1.0).scalar(last, Scalar::Rotate, curve.clone()).build(&skeleton).expect("a clip");
    let motion = Driver::new(
        last,
        bone_core::clip::Drive::Rotate,
        Tracks::new().scalar(last, Scalar::Rotate, curve.clone()),
    );
    let lane = |target| Lane { property: ArtProperty::Visible.into(), target, part: 0, curve: curve.clone() };
    let data = Arc::new(ClipData {
        motion: Arc::new(clip),
        offsets: Offsets::new(),
        setups: Setups::new(),
        weights: WeightTracks::new(),
        art: ArtTracks { lanes: [usize::MAX, 0].map(lane).to_vec() },
        constraints: ConstraintTracks(vec![(usize::MAX, Default::default()), (0, Default::default())]),
        events: ClipEvents::new(ClipTime::new(1.0, false), [(0.5, EventId::from_index(0))]),
    });
    let sequence =
        SequenceBuilder::new().part(SequencePart::whole(Arc::clone(&data.motion))).build(&skeleton);
    let outfit = Outfit { springs: vec![last], hidden: vec![0], ..Outfit::default() };
    RigParts {
        posable,
        points: vec![last],
        skin: Arc::new(skin),
        puppets: Vec::new(),
        rigid: vec![b],
        rigid_bones: vec![last],
        carried: Vec::new(),
        posed: vec![a],
        paints: vec![PaintRule { paint: PaintMotionSource::Bone(last), stroke: Some(fit) }],
        patches: Vec::new(),
        mirrored: Vec::new(),
        draw_order: DrawOrder {
            elements: vec![b],
            drawn: vec![true],
            switches: Vec::new(),
            member: vec![None],
            looks: Vec::new(),
            trims: Vec::new(),
            tints: Vec::new(),
            shapes: Vec::new(),
            sliders: Vec::new(),
            camera: None,
            gradients: Vec::new(),
            filter_steps: Vec::new(),
            inks: Vec::new(),
        },
        shapes: Vec::new(),
        drivers: vec![RigDriver {
            motion: motion.expect("a relative curve"),
            slider: None,
            offsets: Offsets::new(),
            art: ArtTracks::default(),
            after_constraints: true,
        }],
        constraints: Constraints::default(),
        springs: Springs::new(&skeleton, vec![Spring::new(last)]).expect("springs"),
        machines: Vec::new(),
        outfits: vec![outfit],
        worn: vec![0],
        warps: Arc::default(),
        clips: vec![
            RigClip::from_clip("clip".to_owned(), Arc::clone(&data)),
            // Without the data of its clips.
            RigClip::from_sequence("sequence".to_owned(), sequence.expect("a sequence"), Vec::new()),
        ],
        poses: vec!["fist.L".to_owned()],
        events: vec![RigEvent { name: "step".to_owned(), payload: EventPayload::None }],
        fps: f64::NAN,
        drawing,
        skeleton,
    }
}

/// Every part of a rig taken from another one: the rig is refused, or it plays.
#[test]
fn parts_of_another_rig() {
    type Change = fn(&mut RigParts, RigParts);
    let changes: [Change; 21] = [
        |own, _| own.events.clear(),
        |own, other| own.drawing = other.drawing,
        |own, other| own.posable = other.posable,
        |own, other| own.skeleton = other.skeleton,
        |own, other| own.points = other.points,
        |own, other| own.skin = other.skin,
        |own, other| own.rigid_bones = other.rigid_bones,
        |own, other| own.paints = other.paints,
        |own, other| own.drivers = other.drivers,
        |own, other| own.springs = other.springs,
        |own, other| own.clips = other.clips,
        |own, _| own.skin = Arc::new(Skin::new()),
        |own, _| own.rigid = vec![ElementId::from_index(usize::MAX)],
        |own, _| own.posed = vec![ElementId::from_index(usize::MAX)],
        |own, _| own.rigid.clear(),
        |own, _| own.paints.clear(),
        |own, _| own.draw_order.elements = vec![ElementId::from_index(usize::MAX)],
        |own, _| own.draw_order.member = vec![Some((7, usize::MAX))],
        |own, _| {
            own.draw_order.switches = vec![Switch { group: ElementId::from_index(0), children: vec![9] }]
        },
        |own, _| own.constraints.names = vec![RigConstraint { name: None, only_held: false }],
        |own, _| {
            let far = AffineBinding::new(&[Point::ZERO], &All([BoneId::new(9)]), SkinBlend::Linear);
            own.carried = vec![(own.rigid[0], far.at_vertex(PathId::new(9), 9))];
            own.rigid.clear();
            own.rigid_bones.clear();
        },
    ];
    let mut played = 0;
    for (bones, others) in [(2, 8), (8, 2), (3, 3)] {
        for change in changes {
            let mut own = parts(bones);
            change(&mut own, parts(others));
            let Some(mut rig) = Rig::new(own) else { continue };
            played += 1;
            rig.set_step(3);
            let mut state = FrameState::new(&rig);
            let mut mixer = Mixer::new(&rig);
            for clip in rig.clips().iter().map(Some).chain([None]) {
                rig.pose(clip, 0.5, &mut state).expect("its own clip");
                ask(&rig, &mut state, [0.5; 12]);
                let _ = clip.map(|clip| mixer.play(&rig, clip, 0.1));
                mixer.step(&rig, 0.05, &mut state).expect("its own state");
                ask(&rig, &mut state, [0.5; 12]);
            }
            assert!(Rig::load(&rig.save()).is_err() || played > 0);
        }
    }
    assert!(played > 20, "{played}");
}

/// Clips and constraints on their own.
#[test]
fn clips_and_constraints_alone() {
    let own = parts(2);
    let mut clip = own.clips[0].clone().with_springs_of(&own.clips[1]).with_springs_after(&own.clips[1]);
    clip.set_step(Some(Step { frames: u32::MAX, fps: f64::NAN }));
    let _ = (clip.is_baked(), clip.shares_springs(&own.clips[1]), clip.frame_count(f64::INFINITY));
    for fps in [0.0, -1.0, 24.0, 1e-300, f64::NAN, f64::INFINITY] {
        for (start, end) in [(0, 0), (0, 1), (7, 3), (0, u64::MAX), (u64::MAX - 1, u64::MAX)] {
            let frames = start..end;
            let (events, _) = clip.frame_events(fps, frames.clone(), 5);
            assert!(events.len() <= 5 && events.iter().all(|event| frames.contains(&event.frame)));
        }
    }
    let mut state = ConstraintState::new(&own.skeleton, &own.constraints);
    let (mut pose, mut world) =
        (bone_core::Pose::new(&skeleton(8)), bone_core::WorldPose::new(&own.skeleton));
    for count in [0, 1, usize::MAX] {
        own.constraints.apply(count, &own.skeleton, &mut pose, &mut world, &mut state);
    }
}
