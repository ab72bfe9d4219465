//! Input that a program can hand over by mistake: motions, bodies, takes and maps of another figure, and any
//! numbers, counts and bytes. Each has a defined value or an error, and none panics but for the accessors that
//! docs/security.md lists.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bone_core::constraint::{Constraint, ConstraintParameters, ConstraintRule, Effector, Ik, Target};
use bone_core::{BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder};
use bone_import::controls::{Control, ControlBone, ControlChannel, fit_controls};
use bone_import::cycle::{self, Cycle};
use bone_import::distance::{JOINTS, PoseTable, each_diagonal, ground_height};
use bone_import::facing::{facing_away, mirrored_where};
use bone_import::figure::{FigureOptions, Foreshortening, build_figure, height};
use bone_import::fit::{ChannelSamples, FitConstraints, RecordedTrack, Take, fit, fit_constrained};
use bone_import::gltf::{self, GltfOptions};
use bone_import::keypoints::{KeypointOptions, KeypointReader};
use bone_import::parts::{BodyPart, part_by_name};
use bone_import::planted::{StandingFoot, plant_feet};
use bone_import::retarget::{Contact, FootGoal, RetargetOptions, RigMap, find_contacts, key_goals, retarget};
use bone_import::stick_figure::draw_stick_figure;
use bone_import::transitions::transitions;
use bone_import::{
    Body, FigureKind, ImportError, PlanarJoint, PlanarMotion, SignedAxis, ViewDirection, project,
};
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
    for options in [
        FigureOptions::new(320.0),
        FigureOptions { tolerance: n[3], looped: true, ..FigureOptions::new(n[2]) },
    ] {
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
            let options = RetargetOptions { least_stretch: Some(n[0]), keep_between: Some((n[1], n[2])), ..RetargetOptions::default() };
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
        let _ = (bone_import::bvh::read(&text), bone_import::trc::read(&text, None), part_by_name(&text));
        if let Ok(skeleton) = bone_import::amc::read_skeleton(&text) {
            let _ = bone_import::amc::read_motion(&skeleton, &text, n);
        }
        let mut reader = KeypointReader::new();
        let _ = (reader.add_frame(number, &bytes), reader.add_frame(number, text.as_bytes()), reader.add_file(&bytes));
        let options = KeypointOptions::default();
        let _ = reader.finish(&options);
    }
}

/// The times, rotations and translations of a glTF file.
fn gltf_numbers() -> Vec<u8> {
    let (times, turns) =
        ([0.0_f32, 0.5, 1.0], [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0]);
    let moves = [0.0_f32, 90.0, 0.0, 5.0, 91.0, 0.0, 9.0, 90.0, 0.0];
    times.iter().chain(&turns).chain(&moves).flat_map(|number| number.to_le_bytes()).collect()
}

/// A glTF file of a leg of four joints whose first one turns and moves, with its numbers in a buffer.
fn gltf(name: &str, uri: Option<&str>) -> Vec<u8> {
    let buffer = gltf_numbers();
    let uri = uri.map_or(String::new(), |uri| format!("\"uri\": \"{uri}\", "));
    let text = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}], "nodes": [
        {{"name": "{name}", "children": [1], "translation": [0, 90, 0]}}, {{"name": "LeftUpLeg", "children": [2], "translation": [9, 0, 0]}},
        {{"name": "LeftLeg", "children": [3], "translation": [0, -40, 0]}}, {{"name": "LeftFoot", "translation": [0, -40, 0]}}],
        "skins": [{{"joints": [0, 1, 2, 3]}}], "buffers": [{{{uri}"byteLength": {}}}],
        "bufferViews": [{{"buffer": 0, "byteOffset": 0, "byteLength": 12}}, {{"buffer": 0, "byteOffset": 12, "byteLength": 48}},
        {{"buffer": 0, "byteOffset": 60, "byteLength": 36}}], "accessors": [
        {{"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR"}}, {{"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC4"}},
        {{"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3"}}], "animations": [{{"name": "walk", "channels": [
        {{"sampler": 0, "target": {{"node": 1, "path": "rotation"}}}}, {{"sampler": 1, "target": {{"node": 0, "path": "translation"}}}}],
        "samplers": [{{"input": 0, "output": 1, "interpolation": "LINEAR"}}, {{"input": 0, "output": 2, "interpolation": "STEP"}}]}}]}}"#,
        buffer.len()
    );
    if !uri.is_empty() {
        return text.into_bytes();
    }
    let mut json = text.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut file = b"glTF\x02\0\0\0".to_vec();
    let chunk =
        |kind: &[u8; 4], bytes: &[u8]| [&(bytes.len() as u32).to_le_bytes()[..], kind, bytes].concat();
    let chunks = [chunk(b"JSON", &json), chunk(b"BIN\0", &buffer)].concat();
    file.extend((12 + chunks.len() as u32).to_le_bytes());
    file.extend(chunks);
    file
}

fn read_gltf(bytes: &[u8], rate: Option<f64>, n: &[f64]) -> Result<(), ImportError> {
    let mut options = GltfOptions::default();
    options.rate = rate;
    let mut external = |name: &str| -> Result<Vec<u8>, ImportError> {
        if name.len() > 3 { Err(ImportError::new("no")) } else { Ok(gltf_numbers()) }
    };
    let read = gltf::read(bytes, &options, &mut external)?;
    for (kind, up) in
        [(None, None), (Some(FigureKind::Person), Some(2)), (Some(FigureKind::Joints), Some(255))]
    {
        let read = read.clone().noted(&["a".to_owned()]).of_kind(kind);
        for view in [ViewDirection::SIDE, ViewDirection::degrees(n[0])] {
            if let Ok(seen) = project(&read, view, up.map(|axis| SignedAxis { axis, negative: axis > 2 })) {
                ask(&seen.motion, n);
            }
        }
    }
    Ok(())
}

#[test]
fn gltf_files_are_what_they_should_be() {
    for (uri, rate) in [(None, None), (Some("a"), Some(30.0))] {
        let read = read_gltf(&gltf("Hips", uri), rate, &[0.0; 12]);
        assert!(read.is_ok(), "{read:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn gltf_files_with_other_bytes(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6), n in prop::collection::vec(number(), 12..13),
        cut in any::<prop::sample::Index>(), name in "\\PC{0,6}", uri in prop::option::of("[a-z:;,/=+]{0,9}"), swap in any::<bool>(),
    ) {
        let whole = gltf(&name, uri.as_deref());
        let mut changed = whole.clone();
        for (at, byte) in &changes {
            // A digit for a digit, so that more of the file is read.
            let at = at.index(changed.len());
            changed[at] = if swap && changed[at].is_ascii_digit() { b'0' + byte % 10 } else if swap { changed[at] } else { *byte };
        }
        for rate in [None, Some(n[0]), Some(n[1].abs())] {
            let _ = (read_gltf(&whole, rate, &n), read_gltf(&changed, rate, &n));
        }
        let _ = read_gltf(&whole[..cut.index(whole.len())], None, &n);
    }

    #[test]
    fn fits_with_constraints_and_controls_of_any_numbers(
        n in prop::collection::vec(number(), 8..9), small in prop::collection::vec(-9.0..9.0_f64, 9..20), bone in prop::sample::select(vec![1, 2, 8, u32::MAX]),
    ) {
        let (own, far) = (skeleton(3), BoneId::new(bone));
        let (place, target) = (Some(Point::new(n[0], n[1])), Target::Canvas(Point::new(n[2], n[3])));
        let ik = Ik::new(Effector::new(far, target, bone as usize));
        let constraints: Vec<Constraint> = [ConstraintRule::Ik(ik.clone()), ConstraintRule::Ik(ik)]
            .into_iter().map(|rule| Constraint { rule, mix: n[4], on: Some(far) }).collect();
        let parameters = ConstraintParameters { mix: n[5], place, bend: None, softness: Some(n[6]), amount: Some(n[7]) };
        let track = |bone, samples| RecordedTrack { bone, samples: ChannelSamples::Rotate(samples), limits: None };
        for samples in [n[..4].to_vec(), small[..4].to_vec()] {
            let take = Take { rate: 30.0, tracks: vec![track(BoneId::new(0), samples.clone()), track(BoneId::new(1), samples)], looped: false };
            for parameters in [Vec::new(), vec![vec![parameters]; 4], vec![vec![parameters; 2]; 9], vec![vec![parameters; 3], Vec::new()]] {
                for constraints in [&constraints[..], &[]] {
                    let held = FitConstraints { constraints: constraints.to_vec(), parameters: parameters.clone() };
                    for tolerance in [n[6], 0.5] {
                        if let Ok(fitted) = fit_constrained(&own, &take, &held, tolerance) {
                            prop_assert!(!fitted.density().is_nan());
                        }
                    }
                }
            }
        }
        let Some(motion) = motion(true, 30.0, &small, 4) else { return Ok(()) };
        let channels = [ControlChannel::Rotate, ControlChannel::MoveX, ControlChannel::MoveY];
        let controls = Control::ALL.iter().zip(channels.iter().cycle());
        let controls: Vec<ControlBone> =
            controls.map(|(control, channel)| ControlBone { control: *control, bone: far, channel: *channel, ends: (n[0], n[1]) }).collect();
        let _ = (fit_controls(&motion, &controls, true, n[2]), fit_controls(&motion, &[], false, 0.1));
        let mut map = RigMap::by_names(&skeleton(9));
        Control::ALL.iter().for_each(|control| map.set_control(*control, far));
        let borders = Some((n[3], n[4]));
        for (spot, looped) in [(false, true), (true, true), (true, false)] {
            let options = RetargetOptions { on_the_spot: spot, looped, keep_between: borders, least_stretch: Some(n[5]) };
            let _ = retarget(&motion, &motion.body(), &skeleton(9), &map, options);
            for seen in [Foreshortening::Keep, Foreshortening::Clamp, Foreshortening::Ignore] {
                let options = FigureOptions { foreshortening: seen, on_the_spot: spot, looped, tolerance: n[6], ..FigureOptions::new(320.0) };
                let Ok(figure) = build_figure(&motion, &options) else { continue };
                let standing = |joint, from, until| StandingFoot { side: bone_core::Side::Left, joint, from, until, at: Point::new(n[0], n[1]) };
                let all = [standing(usize::MAX, 0, 1), standing(3, 1, 0), standing(3, usize::MAX, usize::MAX), standing(0, 0, 2)];
                let _ = figure.foot_locks(&all);
            }
        }
    }
}

/// Each function whose documentation has `# Panics`.
#[test]
fn accessors_panic_as_slices_do() {
    let motion = motion(true, 30.0, &[0.0, 1.0, 3.0, 7.0], 2).expect("a motion");
    let poses = PoseTable::of(&motion).expect("a figure");
    let figure = build_figure(&motion, &FigureOptions::new(320.0));
    let calls: [(&str, &dyn Fn()); 5] = [
        ("PlanarMotion::frame", &|| _ = motion.frame(2)),
        ("PlanarMotion::frame", &|| _ = motion.frame(usize::MAX)),
        ("PlanarMotion::position", &|| _ = motion.position(0, 9)),
        ("PlanarMotion::offset", &|| _ = motion.offset(2, 0, 1)),
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
}
