//! Input that a program can hand over by mistake: motions, bodies, takes and maps of another figure, and any
//! numbers, counts and bytes. Each has a defined value or an error, and none panics but for the accessors that
//! docs/security.md lists.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bone_core::{BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder};
use bone_import::cycle::{self, Cycle};
use bone_import::distance::{JOINTS, PoseTable, each_diagonal, ground_height};
use bone_import::facing::{facing_away, mirrored_where};
use bone_import::figure::{FigureOptions, build_figure, height};
use bone_import::fit::{ChannelSamples, RecordedTrack, Take, fit};
use bone_import::keypoints::{KeypointOptions, KeypointReader};
use bone_import::parts::{BodyPart, part_by_name};
use bone_import::planted::plant_feet;
use bone_import::retarget::{Contact, FootGoal, RetargetOptions, RigMap, find_contacts, key_goals, retarget};
use bone_import::stick_figure::draw_stick_figure;
use bone_import::transitions::transitions;
use bone_import::{Body, PlanarJoint, PlanarMotion};
use kurbo::{Point, Vec2};
use proptest::prelude::*;

fn number() -> impl Strategy<Value = f64> {
    let ends = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e9, 1e300, f64::MAX, f64::MIN];
    let ends = prop::sample::select([&ends[..], &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]].concat());
    prop_oneof![ends, -300.0..300.0_f64, -2.0..2.0_f64]
}

/// A figure of a person, or one of joints without names.
fn motion(named: bool, rate: f64, positions: &[f64], frames: usize) -> Option<PlanarMotion> {
    let names =
        ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot", "Spine", "Head"];
    let parents = [None, Some(0), Some(1), Some(2), Some(0), Some(4), Some(5), Some(0), Some(7)];
    let joint = |at: usize| PlanarJoint {
        name: if named { names[at].to_owned() } else { format!("j{at}") },
        parent: parents[at],
    };
    let at = |k: usize| Point::new(positions[k % positions.len()], positions[(k * 7 + 3) % positions.len()]);
    PlanarMotion::new((0..9).map(joint).collect(), rate, (0..9 * frames).map(at).collect()).ok()
}

fn skeleton(bones: usize) -> Skeleton {
    let names = ["hips", "thigh_l", "shin_l", "foot_l", "thigh_r", "shin_r", "foot_r", "spine", "head"];
    let parents = ["", "hips", "thigh_l", "shin_l", "hips", "thigh_r", "shin_r", "hips", "spine"];
    let bone = |at: usize| {
        let bone = BoneSpec::new(names[at], 10.0).origin(10.0, 0.0);
        if at == 0 { bone } else { bone.parent(parents[at]) }
    };
    (0..bones).map(bone).fold(SkeletonBuilder::new(), SkeletonBuilder::bone).build().expect("bones")
}

/// A body with joints that no motion has.
fn far_body() -> Body {
    let mut body = motion(true, 30.0, &[0.0, 1.0, 3.0], 1).expect("a motion").body();
    BodyPart::ALL.iter().for_each(|part| body.set(*part, usize::MAX));
    body
}

fn ask(motion: &PlanarMotion, n: &[f64]) {
    let far = far_body();
    let motion = &motion.clone().with_body(far.clone());
    let body = motion.body();
    let _ = (
        height(motion, &body),
        height(motion, &far),
        ground_height(motion),
        motion.base(),
        motion.mirrored(),
    );
    let _ = (motion.depth(usize::MAX, 0), motion.depths(usize::MAX).len(), motion.length(usize::MAX));
    let _ = (motion.resampled(n[0]), motion.cut(usize::MAX, 0), motion.cut(0, usize::MAX), motion.cut(1, 2));
    let _ = (motion.clone().with_depths(n.to_vec()), motion.find("far"));
    for options in [
        Cycle { start: usize::MAX, period: usize::MAX, distance: n[0] },
        Cycle { start: 0, period: 1, distance: n[0] },
    ] {
        let _ = cycle::closed(motion, &options);
    }
    let _ = (cycle::find(motion), cycle::whole(motion));
    let away = facing_away(motion).unwrap_or_default();
    for away in [&away[..], &[], &vec![true; motion.frames()]] {
        let _ = mirrored_where(motion, away);
    }
    for looped in [false, true] {
        let _ = plant_feet(motion, looped);
    }
    if let Ok(poses) = PoseTable::of(motion) {
        for window in [0, 1, 2, usize::MAX] {
            each_diagonal(&poses, &poses.every(0), window, isize::MIN..isize::MAX, |_, _| {});
            let _ = transitions(&poses, &poses.every(2), window, n[1], Some(usize::MAX));
        }
    }
    for options in [FigureOptions::new(320.0), FigureOptions::new(n[2]).tolerance(n[3]).looped(true)] {
        let Ok(figure) = build_figure(motion, &options) else { continue };
        let _ = (figure.start(), figure.scale(), draw_stick_figure(&figure, motion), figure.foot_locks(&[]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn motions_of_any_numbers(n in prop::collection::vec(number(), 12..13), small in prop::collection::vec(-9.0..9.0_f64, 9..20), frames in 1_usize..5, named in any::<bool>()) {
        for (rate, positions) in [(n[0], &n), (30.0, &small), (n[1].abs(), &small)] {
            let Some(motion) = motion(named, rate, positions, frames) else { continue };
            ask(&motion, &n);
        }
    }

    #[test]
    fn takes_of_any_numbers(n in prop::collection::vec(number(), 6..7), frames in 0_usize..4, bone in prop::sample::select(vec![0, 2, 8, u32::MAX])) {
        let own = skeleton(3);
        let bone = BoneId::new(bone);
        let track = |samples| RecordedTrack { bone, samples, limits: Some((n[0], n[1])) };
        let tracks = vec![
            track(ChannelSamples::Rotate(n[..frames].to_vec())), track(ChannelSamples::Stretch(n[2..].to_vec())),
            track(ChannelSamples::Move(vec![Vec2::new(n[2], n[3]); frames])),
        ];
        for tracks in [tracks.clone(), tracks[..1].to_vec(), tracks[2..].to_vec(), Vec::new()] {
            for rate in [n[4], 30.0] {
                let mut take = Take { rate, tracks: tracks.clone(), looped: true };
                let _ = (take.frames(), take.length());
                for frame in [0, 2, usize::MAX] {
                    take.pose(&own, frame, &mut Pose::new(&own));
                }
                for tolerance in [n[5], 1.0] {
                    let _ = fit(&own, &take, tolerance);
                }
                let goal = FootGoal { foot: bone, goal: BoneId::new(1), tip: true, turns: true };
                key_goals(&mut take, &own, &RigMap::by_names(&own), &[goal]);
            }
        }
    }

    #[test]
    fn retargeted_motions_of_any_numbers(n in prop::collection::vec(number(), 6..7), small in prop::collection::vec(-9.0..9.0_f64, 9..20), far in any::<bool>()) {
        let own = skeleton(9);
        let mut map = RigMap::by_names(&own);
        if far {
            map.set(BodyPart::Head, BoneId::new(99));
        }
        for bones in [9, 2, 0] {
            let Some(motion) = motion(true, 30.0, &small, 3) else { continue };
            let options = RetargetOptions::default().least_stretch(Some(n[0])).keep_between(Some((n[1], n[2])));
            for body in [motion.body(), far_body()] {
                let _ = retarget(&motion, &body, &skeleton(bones), &map, options);
            }
        }
    }

    #[test]
    fn contacts_of_any_numbers(frames in 0_usize..9, n in prop::collection::vec(number(), 4..5)) {
        let found = find_contacts(frames, n[0], n[1], |frame| Point::new(n[2] * frame as f64, n[3]));
        let fits = |contact: &Contact| contact.from <= contact.until && contact.until < frames;
        prop_assert!(found.iter().all(fits));
        let joints = std::array::from_fn(|_| (Point::new(n[0], n[1]), n[2]));
        let poses = PoseTable::from_positions([joints; 3].into_iter());
        let _ = (transitions(&poses, &poses, 1, n[3], None), JOINTS);
    }

    #[test]
    fn recordings_of_any_bytes(text in "\\PC{0,60}", bytes in prop::collection::vec(any::<u8>(), 0..60), number in any::<u64>(), n in number()) {
        let _ = bone_import::bvh::decode(&bytes).map(|text| bone_import::bvh::read(&text).is_ok());
        let _ = (bone_import::bvh::read(&text), bone_import::trc::read(&text), part_by_name(&text));
        if let Ok(skeleton) = bone_import::amc::read_skeleton(&text) {
            let _ = bone_import::amc::read_motion(&skeleton, &text, n);
        }
        let mut reader = KeypointReader::new();
        let _ = (reader.add_frame(number, &bytes), reader.add_frame(number, text.as_bytes()), reader.add_file(&bytes));
        let options = KeypointOptions::default();
        let _ = reader.finish(&options);
    }
}

/// Each function whose documentation has `# Panics`.
#[test]
fn accessors_panic_as_slices_do() {
    let motion = motion(true, 30.0, &[0.0, 1.0, 3.0, 7.0], 2).expect("a motion");
    let poses = PoseTable::of(&motion).expect("a figure");
    let figure = build_figure(&motion, &FigureOptions::new(320.0));
    let bvh = bone_import::bvh::read(include_str!("../../../../examples/mocap/walk.bvh"));
    let calls: [(&str, &dyn Fn()); 6] = [
        ("PlanarMotion::frame", &|| _ = motion.frame(2)),
        ("PlanarMotion::frame", &|| _ = motion.frame(usize::MAX)),
        ("PlanarMotion::position", &|| _ = motion.position(0, 9)),
        ("PlanarMotion::offset", &|| _ = motion.offset(2, 0, 1)),
        ("PlanarMotion::directions", &|| _ = motion.directions(0, 9)),
        ("PoseTable::middle", &|| _ = poses.middle(2)),
    ];
    for (name, call) in calls {
        let panic = catch_unwind(AssertUnwindSafe(call)).expect_err(name);
        let message = panic.downcast_ref::<String>().map_or("", String::as_str);
        assert!(message.contains("out of bounds") || message.contains("out of range"), "{name}: {message}");
    }
    if let Ok(figure) = figure {
        assert!(catch_unwind(AssertUnwindSafe(|| figure.recorded(&motion, 9, 9))).is_err());
    }
    if let Ok(bvh) = bvh {
        assert!(catch_unwind(AssertUnwindSafe(|| bvh.joint_positions(usize::MAX))).is_err());
    }
}
