//! Input that a program can hand over by mistake: no effect, a status or an error, and never a panic but for
//! those that docs/security.md lists.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bone_core::clip::{
    Channels, Clip, ClipBuilder, ClipTime, Curve, Drive, Driver, Ease, Extend, Fades, KeepTransform, Key,
    Layer, LayerBlend, ParentKey, PoseBlend, PoseMixer, Scalar, SequenceBuilder, SequencePart, Step, Tracks,
    Vector, smoothstep,
};
use bone_core::constraint::{
    Aim, AttachmentPoint, Bend, Constraint, ConstraintRule, ConstraintScratch, ConstraintStatus,
    ConstraintTrack, CopyBone, CopySpace, Distance, DistanceMode, Effector, EndAngle, Hold, IgnoredReason,
    Ik, Limit, MeasuredPath, Path, PathTurn, Target, apply, attachment_on_canvas,
};
use bone_core::spring::{BakeError, Spring, SpringState, Springs, Stop, StopShape, Wind};
use bone_core::{
    Angle, BoneId, BonePose, BoneSpec, ClipError, InfluenceRegion, Inherit, Joint, Pose, PoseError, Rebase,
    Reparent, RigidMotion, Sides, Skeleton, SkeletonBuilder, WorldPose, in_few_digits_beside, pose_from_user,
    rigid_into, user_from_increment, user_from_world, user_transform,
};
use kurbo::{Affine, BezPath, Line, Point, Shape, Vec2};
use proptest::prelude::*;

fn skeleton(bones: usize) -> Skeleton {
    let bones = (0..bones).map(|i| BoneSpec::new(format!("bone {i}"), 10.0));
    bones.fold(SkeletonBuilder::new(), SkeletonBuilder::bone).build().expect("bones")
}

fn rising() -> Curve<f64> {
    Curve::new(vec![Key::new(0.0, 1.0), Key::new(1.0, 2.0)], Extend::Linear).expect("two keys")
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::sample::select(vec![
            0.0,
            -0.0,
            1.0,
            -1.0,
            1e-300,
            1e18,
            1e300,
            -1e300,
            f64::MAX,
            f64::MIN,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ]),
        -1e3..1e3_f64,
    ]
}

fn target() -> Target {
    Target::Canvas(Point::new(3.0, 4.0))
}

fn statuses(rule: ConstraintRule, of: &Skeleton, other: &Skeleton) -> Vec<ConstraintStatus> {
    let (mut pose, mut world) = (Pose::new(other), WorldPose::new(other));
    let mut scratch = ConstraintScratch::new();
    apply(&[Constraint::new(rule)], &[], of, &mut pose, &mut world, &mut scratch);
    scratch.statuses().to_vec()
}

#[test]
fn chains_without_ends_and_with_any_length() {
    let small = skeleton(2);
    let mut ik = Ik::new(Effector::new(BoneId::new(1), target(), usize::MAX));
    assert_eq!(ConstraintRule::Ik(ik.clone()).bones_written(&small), [BoneId::new(1)]);
    ik.ends.clear();
    let ignored = [ConstraintStatus::Ignored(IgnoredReason::NoChain)];
    assert_eq!(statuses(ConstraintRule::Ik(ik), &small, &small), ignored);
}

#[test]
fn constraints_on_poses_of_another_skeleton_are_ignored() {
    let ik = ConstraintRule::Ik(Ik::new(Effector::new(BoneId::new(1), target(), 2)));
    let ignored = [ConstraintStatus::Ignored(IgnoredReason::UnknownBone)];
    assert_eq!(statuses(ik.clone(), &skeleton(8), &skeleton(2)), ignored);
    assert_eq!(statuses(ik, &skeleton(2), &skeleton(8)), ignored);
}

#[test]
fn clips_and_drivers_of_another_skeleton_leave_its_bones_out() {
    let (small, large) = (skeleton(2), skeleton(8));
    let (own, unknown) = (BoneId::new(1), BoneId::new(7));
    let shift = Curve::new(vec![Key::new(0.0, Vec2::new(1.0, 2.0))], Extend::Hold).expect("a key");
    let clip = [own, unknown].into_iter().fold(ClipBuilder::new(1.0), |clip, bone| {
        let clip = clip.scalar(bone, Scalar::Rotate, rising()).scalar(bone, Scalar::SetupAngle, rising());
        clip.vector(bone, Vector::Move, shift.clone()).vector(bone, Vector::SetupOrigin, shift.clone())
    });
    let clip = Arc::new(clip.build(&large).expect("a clip"));
    let mut pose = Pose::new(&large);
    clip.sample(&small, 0.5, &mut pose);
    assert_eq!(pose.bones.len(), 2);
    assert_eq!(pose.bones[1].angle.degrees(), 3.0);
    assert!(WorldPose::new(&small).forward(&small, &pose).is_ok());

    let sequence = SequenceBuilder::new().part(SequencePart::whole(clip)).build(&large).expect("a sequence");
    sequence.sample(&small, 0.5, &mut Pose::new(&large), &mut pose);
    assert_eq!(pose.bones.len(), 2);

    for (from, to) in [(own, unknown), (unknown, own)] {
        let tracks = Tracks::new().scalar(to, Scalar::Rotate, rising());
        let driver = Driver::new(from, Drive::ScaleX, tracks).expect("a relative curve");
        assert_eq!(driver.apply(&small, &mut pose), 1.0);
    }
}

/// A far round plus 1 is the same number: this ended only when there was no memory left.
#[test]
fn far_rounds_of_a_sequence_are_compared() {
    let own = skeleton(2);
    let clip = |value: f64| {
        let curve =
            Curve::new(vec![Key::new(0.0, value), Key::new(1.0, 0.0)], Extend::Hold).expect("two keys");
        let clip = ClipBuilder::new(1.0).looped(true).scalar(BoneId::new(1), Scalar::Rotate, curve);
        Arc::new(clip.build(&own).expect("a clip"))
    };
    let sequence = |value: f64| {
        let part = SequencePart { from: 1e300, ..SequencePart::whole(clip(value)) };
        SequenceBuilder::new().part(part).build(&own).expect("a sequence")
    };
    let _ = sequence(1.0).changed_since(&sequence(2.0));
}

/// Each function whose documentation has `# Panics`: it panics for a bone of a larger skeleton as a slice does.
#[test]
fn accessors_panic_as_slices_do() {
    let (small, far) = (&skeleton(2), BoneId::new(7));
    let (pose, world) = (&Pose::new(small), &WorldPose::new(small));
    let tip = AttachmentPoint::Tip;
    let calls: [(&str, &dyn Fn()); 26] = [
        ("Skeleton::name", &|| _ = small.name(far)),
        ("Skeleton::parent", &|| _ = small.parent(far)),
        ("Skeleton::subtree", &|| _ = small.subtree(far)),
        ("Skeleton::setup", &|| _ = small.setup(far)),
        ("Skeleton::setup_world", &|| _ = small.setup_world(far)),
        ("Skeleton::setup_origin", &|| _ = small.setup_origin(far)),
        ("Skeleton::setup_tip", &|| _ = small.setup_tip(far)),
        ("Skeleton::setup_angle", &|| _ = small.setup_angle(far)),
        ("Skeleton::length", &|| _ = small.length(far)),
        ("Skeleton::inherit", &|| _ = small.inherit(far)),
        ("Skeleton::joint", &|| _ = small.joint(far)),
        ("Skeleton::region", &|| _ = small.region(far)),
        ("Pose::parent", &|| _ = pose.parent(small, far)),
        ("Pose::setup", &|| _ = pose.setup(small, far)),
        ("Pose::length", &|| _ = pose.length(small, far)),
        ("WorldPose::matrix", &|| _ = world.matrix(far)),
        ("WorldPose::origin", &|| _ = world.origin(far)),
        ("WorldPose::angle", &|| _ = world.angle(far)),
        ("WorldPose::tip", &|| _ = world.tip(small, pose, far)),
        ("WorldPose::setup_angle", &|| _ = world.setup_angle(small, far)),
        ("WorldPose::skin_matrix", &|| _ = world.skin_matrix(small, pose, far)),
        ("attachment_on_canvas", &|| _ = attachment_on_canvas(small, pose, world, far, tip)),
        ("user_transform", &|| _ = user_transform(small, pose, far)),
        ("user_from_world", &|| _ = user_from_world(small, pose, world, far, Affine::IDENTITY)),
        ("user_from_increment", &|| _ = user_from_increment(small, pose, world, far, Affine::IDENTITY)),
        ("pose_from_user", &|| _ = pose_from_user(small, pose, far, Affine::IDENTITY, &BonePose::REST)),
    ];
    for (name, call) in calls {
        let panic = catch_unwind(AssertUnwindSafe(call)).expect_err(name);
        let message = panic.downcast_ref::<String>().map_or("", String::as_str);
        assert_eq!(message, "index out of bounds: the len is 2 but the index is 7", "{name}");
    }
    // As `copy_from_slice` does.
    let motions = catch_unwind(|| rigid_into(small, &[Angle::ZERO; 2], &mut [RigidMotion::default(); 1]));
    assert!(motions.is_err());
    let sides = Sides::new(small);
    assert_eq!((sides.side(far), sides.partner(far)), (None, None));
    assert_eq!(Drive::ScaleX.of(small, pose, far), 1.0);
}

#[test]
fn placing_again_does_nothing_for_other_poses() {
    let (small, large) = (skeleton(2), skeleton(8));
    let mut world = WorldPose::new(&small);
    let placed = world.clone();
    let (first, second, far) = (BoneId::new(0), BoneId::new(1), BoneId::new(7));
    let mut looped = Pose::new(&small);
    for (bone, parent) in [(first, second), (second, first)] {
        looped.set_parent(Reparent { bone, parent: Some(parent), rebase: Rebase::NONE });
    }
    let mut unknown = Pose::new(&small);
    unknown.set_parent(Reparent { bone: first, parent: Some(far), rebase: Rebase::NONE });
    for pose in [&looped, &unknown, &Pose::new(&large)] {
        assert_eq!(world.refresh(&small, pose, first), 0);
        let aim = Aim { bone: first, target: target(), offset: Angle::ZERO, softness: 0.0 };
        let aim = [Constraint::new(ConstraintRule::Aim(aim))];
        let mut scratch = ConstraintScratch::new();
        apply(&aim, &[], &small, &mut pose.clone(), &mut world, &mut scratch);
        assert_eq!(scratch.statuses(), [ConstraintStatus::Ignored(IgnoredReason::UnknownBone)]);
    }
    assert_eq!(world.refresh(&small, &Pose::new(&small), far), 0);
    assert_eq!(world.refresh(&large, &Pose::new(&large), first), 0);
    assert_eq!(world.matrices(), placed.matrices());
}

/// Springs of the bones of a large skeleton, and of a stop that another bone carries.
fn springs(of: &Skeleton) -> Springs {
    let last = BoneId::new(of.len() as u32 - 1);
    let shape = StopShape::Circle { centre: Point::new(3.0, 4.0), radius: 1.0 };
    let stop = Some(Stop { shape, carrier: Some(last) });
    Springs::new(of, vec![Spring { stop, ..Spring::new(BoneId::new(0)) }, Spring::new(last)])
        .expect("springs")
}

#[test]
fn springs_of_another_skeleton_do_nothing() {
    let (small, large) = (skeleton(2), skeleton(8));
    let (pose, world) = (Pose::new(&small), WorldPose::new(&small));
    let (large_pose, large_world) = (Pose::new(&large), WorldPose::new(&large));
    let springs = springs(&large);
    let mut reparented = large_pose.clone();
    let parent = Some(BoneId::new(99));
    reparented.set_parent(Reparent { bone: BoneId::new(0), parent, rebase: Rebase::NONE });
    let wrong = [
        (&small, &pose, &world),
        (&large, &pose, &large_world),
        (&large, &large_pose, &world),
        (&small, &large_pose, &large_world),
        (&large, &reparented, &large_world),
    ];
    for (skeleton, pose, world) in wrong {
        let mut state = SpringState::new(&springs, skeleton, pose, world);
        state.rest(&springs, skeleton, pose, world);
        state.step(&springs, skeleton, pose, world, 0.1);
        state.apply(&springs, &small, &mut pose.clone());
        state.apply(&springs, skeleton, &mut Pose::new(&small));
    }
    let time = ClipTime::new(0.1, false);
    let baked = springs.bake(&large, time, |_, _, _| Ok(())).expect("a table");
    let mut still = pose.clone();
    baked.apply(&small, 0.05, &mut still);
    assert_eq!(still, pose);
    let unknown = PoseError::UnknownBone { bone: BoneId::new(7) };
    assert_eq!(springs.bake(&small, time, |_, _, _| Ok(())).map(drop), Err(BakeError::Pose(unknown)));
    // What poses the bones has another skeleton.
    let count = PoseError::BoneCount { pose: 2, skeleton: 8 };
    let other = springs.bake(&large, time, |_, pose, _| {
        *pose = Pose::new(&small);
        Ok(())
    });
    assert_eq!(other.map(drop), Err(BakeError::Pose(count)));
}

#[test]
fn tables_of_springs_of_any_length() {
    let own = skeleton(2);
    let springs = springs(&own);
    for looped in [false, true] {
        for length in [f64::NAN, -1.0, 0.0, 1e-310] {
            let time = ClipTime::new(length, looped);
            let baked = springs.bake(&own, time, |_, _, _| Ok(()));
            assert!(matches!(baked, Err(BakeError::Length { .. })), "{length}");
            assert!(!baked.expect_err("no table").to_string().is_empty());
        }
        for length in [f64::INFINITY, f64::MAX, 1e9] {
            let time = ClipTime::new(length, looped);
            let baked = springs.bake(&own, time, |_, _, _| Ok(()));
            assert!(matches!(baked, Err(BakeError::TooLong { .. })), "{length}");
        }
        for length in [f64::MIN_POSITIVE, 1e-9, 0.03] {
            let step = Some(Step { frames: 3, fps: f64::NAN });
            let time = ClipTime { step, ..ClipTime::new(length, looped) };
            let baked = springs.bake(&own, time, |_, _, _| Ok(())).expect("a table");
            for time in [f64::NAN, f64::INFINITY, -1e300, 1e300, 0.01] {
                let mut pose = Pose::new(&own);
                baked.apply(&own, time, &mut pose);
                assert!(pose.bones.iter().all(BonePose::is_finite));
            }
            let changed = [(f64::NAN, f64::NAN), (1.0, -1.0), (f64::NEG_INFINITY, 0.01)];
            let again = springs.bake_again(&own, time, |_, _, _| Ok(()), (&baked, &changed));
            let _ = again.expect("a table").seam_at();
        }
    }
}

/// A clip that moves the parent and the setup of the last bone.
fn moving(of: &Skeleton) -> Clip {
    let last = BoneId::new(of.len() as u32 - 1);
    let key = ParentKey { time: 0.5, parent: None, keep: KeepTransform::World };
    let clip = ClipBuilder::new(1.0).scalar(last, Scalar::SetupAngle, rising()).parent(last, vec![key]);
    clip.build(of).expect("a clip")
}

#[test]
fn mixers_with_poses_of_another_skeleton() {
    let (small, large) = (skeleton(2), skeleton(8));
    let clip = moving(&large);
    let channels = Channels::of([&clip]);
    let mut mixer = PoseMixer::new(&small, [&clip]);
    mixer.reserve(&large, usize::MAX);
    mixer.insert(&small, usize::MAX);
    mixer.insert(&large, 0);
    mixer.remove(99);
    let mut foreign = Pose::new(&small);
    foreign.set_setup(BoneId::new(7), Vec2::ZERO, Angle::ZERO);
    let layer = |blend| PoseBlend::Layer { channels: &channels, bones: &[true; 8], blend };
    for how in [PoseBlend::Whole, layer(LayerBlend::Replace), layer(LayerBlend::Add)] {
        for (mut pose, mut by) in [
            (Pose::new(&large), Pose::new(&small)),
            (Pose::new(&small), Pose::new(&large)),
            (Pose::new(&small), Pose::new(&small)),
            (foreign.clone(), Pose::new(&small)),
            (Pose::new(&small), foreign.clone()),
        ] {
            for (slot, weight) in [(0, 0.5), (1, 0.5), (1, 1.0), (0, f64::NAN), (0, 1e300), (usize::MAX, 1.0)]
            {
                mixer.blend(&small, slot, &mut pose, &mut by, weight, how);
            }
        }
    }
    let mut pose = Pose::new(&large);
    mixer.begin(&large, &mut pose);
    assert_eq!(pose, Pose::new(&large));
}

#[test]
fn parents_at_times_that_are_not_finite_are_an_error() {
    let own = skeleton(2);
    let bone = BoneId::new(1);
    for time in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let keys = [0.5, time, 0.5].map(|time| ParentKey { time, parent: None, keep: KeepTransform::World });
        let clip = ClipBuilder::new(1.0).parent(bone, keys.to_vec()).build(&own);
        let error = clip.expect_err("a wrong time");
        assert_eq!(error, ClipError::ParentTime { bone });
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn wind_without_a_number_of_eddies() {
    let wind = Wind {
        speed: f64::INFINITY,
        eddies: f64::INFINITY,
        turbulence: 1.0,
        ..Wind::steady(Vec2::new(1.0, 0.0))
    };
    let _ = wind.at(Vec2::ZERO, 1.0, Some(2.0));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn wind_of_any_numbers(n in prop::array::uniform8(number()), length in prop::option::of(number())) {
        let wind = Wind { force: Vec2::new(n[0], n[1]), turbulence: n[2], eddies: n[3], speed: n[4] };
        let _ = wind.at(Vec2::new(n[5], n[6]), n[7], length);
    }

    #[test]
    fn curves_of_any_numbers(
        keys in prop::collection::vec((number(), number()), 0..5),
        extend in prop::sample::select(vec![Extend::Hold, Extend::Linear, Extend::Loop, Extend::LoopOffset, Extend::PingPong]),
        time in number(),
    ) {
        let keys = keys.into_iter().map(|(time, value)| Key::new(time, value)).collect();
        if let Ok(curve) = Curve::new(keys, extend) {
            let _ = (curve.at(time), curve.slope_at(time));
        }
    }

    #[test]
    fn poses_of_any_numbers(
        n in prop::array::uniform32(number()),
        inherit in prop::sample::select(vec![Inherit::All, Inherit::NoScale, Inherit::NoRotation, Inherit::TranslationOnly]),
        [slides, reparents] in any::<[bool; 2]>(),
    ) {
        let angle = Angle::from_degrees;
        let joint = if slides {
            Joint::Slide { axis: angle(n[0]), limits: Some((n[1], n[2])) }
        } else {
            Joint::Pin { limits: Some((angle(n[0]), angle(n[1]))) }
        };
        let region = Some(InfluenceRegion { origin_radius: n[3], tip_radius: n[4] });
        let mut built = vec![skeleton(2)];
        let root = BoneSpec { joint, region, ..BoneSpec::new("r.L", n[5]).origin(n[6], n[7]).degrees(n[8]) };
        let child = BoneSpec::new("r.R", n[9]).parent("r.L").origin(n[10], n[11]).degrees(n[12]).inherit(inherit);
        built.extend(SkeletonBuilder::new().bone(root).bone(child).build());
        for own in built {
            let (first, bone) = (BoneId::new(0), BoneId::new(1));
            let (mut pose, mut world) = (Pose::new(&own), WorldPose::new(&own));
            pose.bones[0] = BonePose {
                origin: Vec2::new(n[13], n[14]), angle: angle(n[15]), scale: Vec2::new(n[16], n[17]), stretch: n[18],
            };
            let rebase = Rebase { place: Affine::scale(n[19]), axes: Affine::scale(n[20]), turn: angle(n[21]) };
            if reparents {
                pose.set_parent(Reparent { bone, parent: None, rebase });
                pose.set_setup(first, Vec2::new(n[22], n[23]), angle(n[24]));
            }
            world.forward(&own, &pose).expect("a pose of this skeleton");
            world.refresh(&own, &pose, first);
            let place = Point::new(n[25], n[26]);
            let canvas = Affine::new([n[25], n[26], n[27], n[28], n[29], n[30]]);
            for bone in own.bones() {
                let _ = (world.tip(&own, &pose, bone), world.skin_matrix(&own, &pose, bone), pose.length(&own, bone));
                let _ = attachment_on_canvas(&own, &pose, &world, bone, AttachmentPoint::At(place));
                let _ = (user_transform(&own, &pose, bone), user_from_world(&own, &pose, &world, bone, canvas));
                let _ = user_from_increment(&own, &pose, &world, bone, canvas);
                let _ = pose_from_user(&own, &pose, bone, canvas, &pose.bones[0]);
                let clamped = own.joint(bone).clamp(&pose.bones[1], &pose.bones[0]);
                let _ = (clamped.matrix(), clamped.is_finite(), joint.clamp(&clamped, &pose.bones[0]));
                for drive in [Drive::Rotate, Drive::MoveX, Drive::MoveY, Drive::ScaleX, Drive::ScaleY, Drive::Stretch] {
                    let tracks = Tracks::new().scalar(bone, Scalar::Stretch, rising());
                    let driver = Driver::new(bone, drive, tracks).expect("a relative curve");
                    driver.apply(&own, &mut pose.clone());
                }
            }
            let sides = Sides::new(&own);
            let _ = (sides.axis(&own), sides.left_has_greater_x(&own));
            rigid_into(&own, &[angle(n[28]), angle(n[29])], &mut [RigidMotion::default(); 2]);
            let _ = region.map(|region| region.influence(place, Point::new(n[27], n[28]), Point::new(n[29], n[30])));
            let springs = springs(&own);
            let mut state = SpringState::new(&springs, &own, &pose, &world);
            state.step(&springs, &own, &pose, &world, n[31]);
            state.apply(&springs, &own, &mut pose);
        }
        let turned = angle(n[0]).nearest_to(angle(n[1])) * n[2] / n[3] - angle(n[4]);
        let _ = (turned.direction(), turned.rotation(), Angle::of(Vec2::new(n[5], n[6])));
        let _ = (in_few_digits_beside(n[7], &n[8..]), smoothstep(n[9]), Step { frames: 3, fps: n[10] }.seconds());
    }

    #[test]
    fn clips_and_sequences_of_any_numbers(
        n in prop::array::uniform20(number()), ease in prop::array::uniform4(number()), [looped, spin] in any::<[bool; 2]>(),
    ) {
        let own = skeleton(2);
        let (bone, step) = (BoneId::new(1), Some(Step { frames: 2, fps: n[0] }));
        let eases = [
            Ease::Bezier { x1: ease[0], y1: ease[1], x2: ease[2], y2: ease[3] },
            Ease::Tcb { tension: ease[0], continuity: ease[1], bias: ease[2] }, Ease::InOut { start: ease[0], end: ease[1] },
        ];
        for ease in eases {
            if let Ok(curve) = Curve::new(vec![Key::new(0.0, 1.0).ease(ease), Key::new(1.0, 3.0)], Extend::Linear) {
                let _ = (curve.at(n[1]), curve.at(0.3), curve.slope_at(0.3));
            }
        }
        let keys = [n[2], n[3]].map(|time| ParentKey { time, parent: None, keep: KeepTransform::World });
        let clip = |length: f64| {
            let clip = ClipBuilder::new(length).looped(looped).step(step).scalar(bone, Scalar::Angle, rising());
            clip.parent(bone, keys.to_vec()).build(&own)
        };
        for mut clip in [clip(1.0), clip(n[4])].into_iter().flatten() {
            let (mut pose, mut scratch) = (Pose::new(&own), Pose::new(&own));
            clip.sample(&own, n[5], &mut pose);
            clip.sample_moving(&own, n[5], &mut pose);
            clip.set_step(Some(Step { frames: 0, fps: n[6] }));
            let _ = (clip.time().local(n[7]), clip.changed_since(&moving(&own)));
            let time = ClipTime { length: n[8], ..clip.time() };
            time.fit(&mut rising());
            let _ = time.local(n[7]);
            let clip = Arc::new(clip);
            let part = |from, speed, length, rounds, fade| {
                SequencePart { clip: Arc::clone(&clip), from, speed, length, rounds, fade, spin }
            };
            let layer = Layer {
                fades: Fades { start: n[9], end: n[10] },
                ..Layer::new(part(n[11], n[12], 1.0, n[13], 0.0), n[14])
            };
            let sequence = |length| {
                let parts = [part(n[15], 1.0, 1.0, 1.0, 0.0), part(0.0, n[12], n[16], n[17], n[18])];
                let built = parts.into_iter().fold(SequenceBuilder::new(), SequenceBuilder::part);
                built.layer(layer.clone()).looped(looped).length(length).step(step).build(&own)
            };
            for mut sequence in [sequence(None), sequence(Some(n[19]))].into_iter().flatten() {
                sequence.sample(&own, n[5], &mut scratch, &mut pose);
                sequence.sample_moving(&own, n[6], &mut scratch, &mut pose);
                sequence.weighted_clips(n[7], &mut Vec::new());
                let last = sequence.clone();
                sequence.set_step(None);
                let _ = (sequence.changed_since(&last), sequence.most_at_once());
            }
        }
    }

    #[test]
    fn springs_of_any_numbers(n in prop::array::uniform16(number()), line in any::<bool>()) {
        let own = skeleton(2);
        let shape = if line {
            StopShape::Line { from: Point::new(n[0], n[1]), to: Point::new(n[2], n[3]) }
        } else {
            StopShape::Circle { centre: Point::new(n[0], n[1]), radius: n[2] }
        };
        let wind = Some(Wind { force: Vec2::new(n[4], n[5]), turbulence: n[6], eddies: n[7], speed: n[8] });
        let spring = |wind, stop| Spring {
            mass: n[9], stiffness: n[10], damping: n[11], gravity: Vec2::new(n[12], n[13]), wind, stop, mix: n[14],
            ..Spring::new(BoneId::new(1))
        };
        let stop = Some(Stop { shape, carrier: None });
        let plain = Spring { stop, ..Spring::new(BoneId::new(1)) };
        for spring in [spring(wind, None), spring(None, stop), plain, Spring { wind, ..plain }] {
            let Ok(springs) = Springs::new(&own, vec![spring]) else { continue };
            let (mut pose, mut world) = (Pose::new(&own), WorldPose::new(&own));
            let mut state = SpringState::new(&springs, &own, &pose, &world);
            for turn in [n[15], n[0], 10.0] {
                pose.bones[0].angle = Angle::from_degrees(turn);
                world.forward(&own, &pose).expect("a pose of this skeleton");
                state.step(&springs, &own, &pose, &world, 0.01);
            }
            pose.reset(&own);
            state.apply(&springs, &own, &mut pose);
            prop_assert!(pose.bones.iter().all(BonePose::is_finite));
        }
    }
}

// Chains of several ends are solved step by step.
proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn constraints_of_any_numbers(
        n in prop::array::uniform24(number()),
        bends in prop::sample::select(vec![Bend::Auto, Bend::Left, Bend::Right, Bend::Either, Bend::Keep]),
        chain in 0_usize..5,
        angles in prop::sample::select(vec![EndAngle::Free, EndAngle::Keep, EndAngle::Target]),
    ) {
        let own = skeleton(4);
        let (bone, other) = (BoneId::new(2), BoneId::new(3));
        let (canvas, at) = (Target::Canvas(Point::new(n[0], n[1])), AttachmentPoint::At(Point::new(n[2], n[3])));
        let end = Effector { point: at, angle: angles, ..Effector::new(bone, Target::Bone(other, at), chain) };
        let many = vec![end, Effector::new(other, canvas, chain), Effector::new(bone, Target::Here, 1)];
        let ik = |ends| Ik {
            ends, bend: bends, softness: n[4], stretch: n[5], compress: n[6], stiffness: vec![(bone, n[7])],
        };
        let (turn, shift) = (Angle::from_degrees(n[8]), Vec2::new(n[9], n[10]));
        let mut path = BezPath::new();
        path.move_to((n[11], n[12]));
        path.curve_to((n[13], n[14]), (n[15], n[16]), (n[17], n[18]));
        let paths = [MeasuredPath::new(&path), MeasuredPath::new(&Line::new((0.0, 0.0), (9.0, 9.0)).to_path(0.1))];
        let follow = paths.into_iter().flatten().flat_map(|path| {
            let _ = (path.at(n[0]), path.length(), path.is_closed());
            [PathTurn::Keep, PathTurn::Tangent, PathTurn::Chain].map(|turn| {
                let spacing = Some(n[20]);
                ConstraintRule::Path(Path { bones: vec![bone, other], path: path.clone(), position: n[19], spacing, turn })
            })
        });
        let (rotate, pair) = (Some((n[21], turn)), Some((n[22], shift)));
        let copy = |space| ConstraintRule::Copy(CopyBone { bone, from: other, rotate, shift: pair, scale: pair, space });
        let distance = |mode| Distance { bone, point: at, target: canvas, distance: n[23], mode };
        let limits = Some((shift, Vec2::new(n[22], n[23])));
        let rules = [
            ConstraintRule::Ik(ik(vec![end])),
            ConstraintRule::Ik(ik(many[1..2].to_vec())),
            ConstraintRule::Ik(ik(many)),
            ConstraintRule::Aim(Aim { bone, target: canvas, offset: turn, softness: n[4] }),
            copy(CopySpace::Local), copy(CopySpace::Canvas),
            ConstraintRule::Limit(Limit { bone, rotate: Some((turn, -turn)), shift: limits, scale: limits }),
            ConstraintRule::Distance(distance(DistanceMode::At)),
            ConstraintRule::Distance(distance(DistanceMode::Under)),
        ];
        let hold = Hold { from: n[0], until: n[1], ease: (n[2], n[3]), place: Point::new(n[4], n[5]), drift: shift };
        let track = ConstraintTrack {
            mix: Some(rising()), bend: vec![(n[6], bends), (n[7], bends)], softness: Some(rising()),
            amount: Some(rising()), holds: vec![hold, hold], target: None,
        };
        let rules = rules.into_iter().chain(follow);
        let constraints: Vec<Constraint> = rules.map(|rule| Constraint { rule, mix: n[8], on: Some(BoneId::new(1)) }).collect();
        let played: Vec<_> = constraints.iter().map(|it| track.parameters(it, n[9], Some(n[10]))).collect();
        let mut scratch = ConstraintScratch::new();
        scratch.reserve(&own, &constraints);
        for parameters in [&[], &played[..]] {
            let (mut pose, mut world) = (Pose::new(&own), WorldPose::new(&own));
            apply(&constraints, parameters, &own, &mut pose, &mut world, &mut scratch);
            prop_assert_eq!(scratch.statuses().len(), constraints.len());
            prop_assert!(pose.bones.iter().all(BonePose::is_finite));
            // On a pose that is not finite itself.
            pose.bones[1].angle = Angle::from_degrees(n[11]);
            pose.bones[3].scale.x = n[12];
            world.forward(&own, &pose).expect("a pose of this skeleton");
            apply(&constraints, parameters, &own, &mut pose, &mut world, &mut scratch);
        }
    }
}
