//! Curves and clips: no overshoot, continuous loops, samples at any time in any order, and bones whose parent
//! changes without a jump.

use bone_core::clip::{
    ClipBuilder, Curve, CurveError, Ease, Extend, KeepTransform, Key, ParentKey, Scalar, Step, Vector,
};
use bone_core::{Angle, BoneId, BoneSpec, ClipError, Inherit, Pose, Skeleton, SkeletonBuilder, WorldPose};
use kurbo::{Affine, CubicBez, ParamCurve, Point, Vec2};
use proptest::prelude::*;

fn keys() -> impl Strategy<Value = Vec<Key<f64>>> {
    prop::collection::vec((0.01..2.0_f64, -100.0..100.0_f64), 1..9).prop_map(|steps| {
        let mut time = -1.0;
        let key = |(step, value)| {
            time += step;
            Key::new(time, value)
        };
        steps.into_iter().map(key).collect()
    })
}

fn extend() -> impl Strategy<Value = Extend> {
    prop_oneof![
        Just(Extend::Hold),
        Just(Extend::Linear),
        Just(Extend::Loop),
        Just(Extend::LoopOffset),
        Just(Extend::PingPong)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn smooth_stays_between_its_keys_and_passes_through_them(keys in keys(), extend in extend()) {
        let curve = Curve::new(keys.clone(), extend).expect("sound keys");
        for pair in keys.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            prop_assert_eq!(curve.at(from.time), from.value);
            let (low, high) = (from.value.min(to.value), from.value.max(to.value));
            let mut before = from.value;
            for i in 1..=40 {
                let t = from.time + (to.time - from.time) * f64::from(i) / 40.0;
                let value = curve.at(t.min(to.time));
                prop_assert!(value >= low - 1e-9 && value <= high + 1e-9);
                // Monotone between two keys.
                let forward = (value - before) * (to.value - from.value).signum();
                prop_assert!(forward >= -1e-9);
                before = value;
            }
        }
    }

    #[test]
    fn smooth_has_no_kink_at_a_key(keys in keys()) {
        let curve = Curve::new(keys.clone(), Extend::Hold).expect("sound keys");
        for key in &keys {
            let h = 1e-6;
            let left = (curve.at(key.time) - curve.at(key.time - h)) / h;
            let right = (curve.at(key.time + h) - curve.at(key.time)) / h;
            // A speed of 100 units in 0.01 s changes by 4e6 a second and more within one segment.
            prop_assert!((left - right).abs() < 40.0, "{left} {right}");
        }
    }

    #[test]
    fn extensions_repeat(keys in keys(), time in -20.0..20.0_f64) {
        let (first, last) = (keys[0].time, keys[keys.len() - 1].time);
        let (start, end) = (keys[0].value, keys[keys.len() - 1].value);
        let run = last - first;
        prop_assume!(run > 0.0);
        let at = |extend| Curve::new(keys.clone(), extend).expect("sound keys");
        // Very near to the seam, rounding may put the two sides on different sides of it.
        let phase = (time - first).rem_euclid(run);
        prop_assume!(phase > 1e-6 && phase < run - 1e-6);
        let looped = at(Extend::Loop);
        prop_assert!((looped.at(time) - looped.at(time + run)).abs() < 1e-4);
        let on = at(Extend::LoopOffset);
        prop_assert!((on.at(time) + (end - start) - on.at(time + run)).abs() < 1e-4);
        let back = at(Extend::PingPong);
        prop_assert!((back.at(time) - back.at(time + 2.0 * run)).abs() < 1e-4);
        prop_assert!((back.at(first - 0.3 * run) - back.at(first + 0.3 * run)).abs() < 1e-9);
        prop_assert_eq!(at(Extend::Hold).at(last + 5.0), end);
        prop_assert_eq!(at(Extend::Hold).at(first - 5.0), start);
        // Linear extension: equal steps.
        let straight = at(Extend::Linear);
        let (a, b, c) = (straight.at(last + 1.0), straight.at(last + 2.0), straight.at(last + 3.0));
        prop_assert!((a - 2.0 * b + c).abs() < 1e-6 * (1.0 + c.abs()));
    }

    /// The ease against kurbo's curve, found by brute force.
    #[test]
    fn bezier_is_css(x1 in 0.0..=1.0_f64, y1 in -1.0..2.0_f64, x2 in 0.0..=1.0_f64, y2 in -1.0..2.0_f64, share in 0.0..1.0_f64) {
        let curve = Curve::new(
            vec![Key::new(0.0, 0.0).ease(Ease::Bezier { x1, y1, x2, y2 }), Key::new(1.0, 1.0)],
            Extend::Hold,
        ).expect("sound keys");
        let css = CubicBez::new((0.0, 0.0), (x1, y1), (x2, y2), (1.0, 1.0));
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if css.eval(middle).x < share { low = middle } else { high = middle }
        }
        let found = css.eval(0.5 * (low + high)).y;
        // Where time stands still the value may change quickly: the tolerance is larger there.
        let steep = (css.eval(high + 1e-7).x - css.eval(low - 1e-7).x).abs() < 1e-9;
        prop_assert!(steep || (curve.at(share) - found).abs() < 1e-6, "{} {}", curve.at(share), found);
    }
}

#[test]
fn unusable_keys_are_errors() {
    let key = |time, value| Key::new(time, value);
    assert_eq!(Curve::<f64>::new(vec![], Extend::Hold), Err(CurveError::Empty));
    let twice = Curve::new(vec![key(0.0, 1.0), key(0.0, 2.0)], Extend::Hold);
    assert_eq!(twice, Err(CurveError::Order { key: 1 }));
    assert_eq!(Curve::new(vec![key(f64::NAN, 1.0)], Extend::Hold), Err(CurveError::Number { key: 0 }));
    let outside = Ease::Bezier { x1: 1.5, y1: 0.0, x2: 0.0, y2: 0.0 };
    assert_eq!(
        Curve::new(vec![key(0.0, 1.0).ease(outside)], Extend::Hold),
        Err(CurveError::Number { key: 0 })
    );
}

#[test]
fn hold_jumps_at_the_next_key_and_linear_is_straight() {
    let keys =
        vec![Key::new(0.0, 1.0).ease(Ease::Hold), Key::new(1.0, 5.0).ease(Ease::Linear), Key::new(3.0, 9.0)];
    let curve = Curve::new(keys, Extend::Hold).expect("sound keys");
    assert_eq!([curve.at(0.0), curve.at(0.999), curve.at(1.0), curve.at(1.5)], [1.0, 1.0, 5.0, 6.0]);
    assert_eq!(curve.at(f64::NAN), 1.0);
}

/// A hand on a rotating, stretching arm; a cup on the table; a crate with another inherit mode.
fn scene(inherit: Inherit) -> (Skeleton, BoneId, BoneId, BoneId) {
    let skeleton = SkeletonBuilder::new()
        .bone(BoneSpec::new("arm", 50.0).origin(10.0, 20.0).degrees(15.0))
        .bone(BoneSpec::new("hand", 20.0).parent("arm").origin(50.0, 0.0).degrees(-30.0))
        .bone(BoneSpec::new("table", 40.0).origin(120.0, 90.0).degrees(5.0))
        .bone(BoneSpec::new("cup", 10.0).parent("table").origin(5.0, -12.0).degrees(-90.0).inherit(inherit))
        .build()
        .expect("sound bones");
    let id = |name: &str| skeleton.find(name).expect("it was added");
    let (hand, table, cup) = (id("hand"), id("table"), id("cup"));
    (skeleton, hand, table, cup)
}

fn swing(from: f64, to: f64) -> Curve<f64> {
    Curve::new(vec![Key::new(0.0, from), Key::new(4.0, to)], Extend::Hold).expect("sound keys")
}

#[test]
fn a_bone_with_a_new_parent_stays_in_place_and_then_follows_it() {
    for inherit in [Inherit::All, Inherit::NoScale, Inherit::NoRotation, Inherit::TranslationOnly] {
        let (skeleton, hand, table, cup) = scene(inherit);
        let arm = skeleton.find("arm").expect("it was added");
        let sizes = vec![Key::new(0.0, Vec2::new(1.0, 1.0)), Key::new(4.0, Vec2::new(1.7, 0.6))];
        let clip = ClipBuilder::new(4.0)
            .scalar(arm, Scalar::Rotate, swing(0.0, 400.0))
            .scalar(arm, Scalar::Stretch, swing(1.0, 1.8))
            .scalar(hand, Scalar::Stretch, swing(0.7, 1.4))
            .vector(hand, Vector::Scale, Curve::new(sizes, Extend::Hold).expect("sound keys"))
            .scalar(cup, Scalar::Rotate, swing(-20.0, 70.0))
            .parent(
                cup,
                vec![
                    ParentKey { time: 1.0, parent: Some(hand), keep: KeepTransform::World },
                    ParentKey { time: 2.0, parent: None, keep: KeepTransform::World },
                    ParentKey { time: 3.0, parent: Some(table), keep: KeepTransform::Local },
                ],
            )
            .build(&skeleton)
            .expect("a sound clip");
        let (mut pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
        let mut at = |time: f64| {
            clip.sample(&skeleton, time, &mut pose);
            world.forward(&skeleton, &pose).expect("no loop");
            (world.matrix(cup), world.matrix(hand), world.angle(cup), world.matrix(table), pose.clone())
        };
        for moment in [1.0, 2.0] {
            let ((before, _, beta_before, ..), (after, _, beta_after, ..)) =
                (at(f64::next_down(moment)), at(moment));
            for (a, b) in before.as_coeffs().iter().zip(after.as_coeffs()) {
                assert!((a - b).abs() < 1e-9, "{inherit:?} at {moment}: {before:?} {after:?}");
            }
            assert!((beta_before - beta_after).degrees().abs() < 1e-9);
        }
        // Between the keys it follows: its position in the hand changes only by its own channels (it does not
        // move by itself).
        let place_in_hand = |time: f64, at: &mut dyn FnMut(f64) -> (Affine, Affine)| {
            let (cup, hand) = at(time);
            hand.inverse() * cup.translation().to_point()
        };
        let mut both = |time: f64| {
            let (cup, hand, ..) = at(time);
            (cup, hand)
        };
        let (a, b) = (place_in_hand(1.0, &mut both), place_in_hand(1.9, &mut both));
        let stretch = |time: f64| swing(0.7, 1.4).at(time);
        // The hand's stretch moves its children along its x.
        assert!((a.y - b.y).abs() < 1e-9);
        assert!((a.x / stretch(1.0) - b.x / stretch(1.9)).abs() < 1e-9, "{a:?} {b:?}");
        // Local: its values are read in the table's frame, as at rest.
        let (cup_world, _, _, table_world, pose) = at(3.0);
        let expected = table_world * Point::new(5.0, -12.0);
        assert!((cup_world.translation().to_point() - expected).hypot() < 1e-9);
        assert_eq!(pose.parent(&skeleton, cup), Some(table));
    }
}

#[test]
fn frames_do_not_depend_on_their_order() {
    let (skeleton, hand, _, cup) = scene(Inherit::All);
    let clip = ClipBuilder::new(4.0)
        .looped(true)
        .scalar(hand, Scalar::Rotate, swing(0.0, 360.0))
        .parent(cup, vec![ParentKey { time: 1.0, parent: Some(hand), keep: KeepTransform::World }])
        .build(&skeleton)
        .expect("a sound clip");
    let frame = |pose: &mut Pose, world: &mut WorldPose, time: f64| {
        clip.sample(&skeleton, time, pose);
        world.forward(&skeleton, pose).expect("no loop");
        world.matrices().to_vec()
    };
    let (mut pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
    let times: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.37).collect();
    let forwards: Vec<_> = times.iter().map(|&t| frame(&mut pose, &mut world, t)).collect();
    for (i, &time) in times.iter().enumerate().rev() {
        assert_eq!(frame(&mut pose, &mut world, time), forwards[i]);
        assert_eq!(frame(&mut Pose::new(&skeleton), &mut WorldPose::new(&skeleton), time), forwards[i]);
    }
}

#[test]
fn a_loop_of_parents_is_an_error_with_its_time() {
    let (skeleton, hand, table, _) = scene(Inherit::All);
    let error = ClipBuilder::new(4.0)
        .parent(hand, vec![ParentKey { time: 1.0, parent: Some(table), keep: KeepTransform::World }])
        .parent(table, vec![ParentKey { time: 2.5, parent: Some(hand), keep: KeepTransform::World }])
        .build(&skeleton)
        .expect_err("a loop");
    assert_eq!(
        error,
        ClipError::ParentLoop { time: 2.5, bones: vec!["hand".to_owned(), "table".to_owned()] }
    );
    // Two changes one after the other are no cycle: the hand releases the cup first.
    ClipBuilder::new(4.0)
        .parent(
            hand,
            vec![
                ParentKey { time: 1.0, parent: Some(table), keep: KeepTransform::World },
                ParentKey { time: 2.5, parent: None, keep: KeepTransform::World },
            ],
        )
        .parent(table, vec![ParentKey { time: 2.5, parent: Some(hand), keep: KeepTransform::World }])
        .build(&skeleton)
        .expect("no loop");
}

#[test]
fn a_singular_parent_frame_is_an_error() {
    let (skeleton, hand, _, cup) = scene(Inherit::All);
    let flat = Curve::new(vec![Key::new(0.0, Vec2::new(1.0, 0.0))], Extend::Hold).expect("sound keys");
    let error = ClipBuilder::new(4.0)
        .vector(hand, Vector::Scale, flat)
        .parent(cup, vec![ParentKey { time: 1.0, parent: Some(hand), keep: KeepTransform::World }])
        .build(&skeleton)
        .expect_err("flat");
    assert_eq!(error, ClipError::FlatParent { time: 1.0, bone: "cup".to_owned() });
}

#[test]
fn the_setup_pose_moves_under_resting_skin() {
    let (skeleton, hand, _, _) = scene(Inherit::All);
    let arm = skeleton.parent(hand).expect("its parent is the arm");
    let shift = vec![Key::new(0.0, Vec2::new(10.0, 20.0)), Key::new(2.0, Vec2::new(40.0, -5.0))];
    let clip = ClipBuilder::new(4.0)
        .scalar(arm, Scalar::SetupAngle, swing(15.0, 75.0))
        .vector(arm, Vector::SetupOrigin, Curve::new(shift, Extend::Hold).expect("sound keys"))
        .build(&skeleton)
        .expect("a sound clip");
    let (mut pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
    clip.sample(&skeleton, 1.0, &mut pose);
    world.forward(&skeleton, &pose).expect("no loop");
    assert!((world.origin(arm) - skeleton.setup_origin(arm)).hypot() > 5.0, "the bone moves");
    for bone in [arm, hand] {
        let at = Point::new(70.0, 30.0);
        let moved = world.skin_matrix(&skeleton, &pose, bone) * at;
        assert!((moved - at).hypot() < 1e-9, "the skin does not");
    }
    // An absolute angle stays: then the moved setup shows.
    let clip = ClipBuilder::new(4.0)
        .scalar(arm, Scalar::SetupAngle, swing(15.0, 75.0))
        .scalar(arm, Scalar::Angle, swing(15.0, 15.0))
        .build(&skeleton)
        .expect("a sound clip");
    clip.sample(&skeleton, 4.0, &mut pose);
    world.forward(&skeleton, &pose).expect("no loop");
    assert_eq!(pose.bones[arm.index()].angle, Angle::from_degrees(15.0));
    assert_eq!(world.setup_angle(&skeleton, arm), Angle::from_degrees(75.0));
    let turn = Angle::from_degrees(-60.0).rotation();
    let m = world.skin_matrix(&skeleton, &pose, arm);
    assert!((m * Point::new(10.0, 20.0) - Point::new(10.0, 20.0)).hypot() < 1e-9, "about the origin");
    assert!((m.as_coeffs()[1] - turn.as_coeffs()[1]).abs() < 1e-9);
}

#[test]
fn a_loop_that_fills_its_clip_has_no_seam() {
    let skeleton = SkeletonBuilder::new().bone(BoneSpec::new("wheel", 1.0)).build().expect("a bone");
    let wheel = BoneId::new(0);
    let sway = vec![Key::new(0.0, 0.0), Key::new(0.5, 10.0), Key::new(1.5, -10.0), Key::new(2.0, 0.0)];
    let sway = Curve::new(sway, Extend::Hold).expect("sound keys");
    let clip = ClipBuilder::new(2.0)
        .looped(true)
        .scalar(wheel, Scalar::Rotate, sway)
        .build(&skeleton)
        .expect("a sound clip");
    let mut pose = Pose::new(&skeleton);
    let mut angle = |time: f64| {
        clip.sample(&skeleton, time, &mut pose);
        pose.bones[0].angle.degrees()
    };
    let h = 1e-5;
    let (before, after) = ((angle(2.0) - angle(2.0 - h)) / h, (angle(2.0 + h) - angle(2.0)) / h);
    assert!(before > 1.0 && (before - after).abs() < 1e-2, "{before} {after}");
    assert_eq!(angle(-1.5), angle(0.5));
}

/// Steffen (1990, equation 11), with his own form of it: sums of signs.
#[test]
fn slopes_of_uneven_keys_are_steffens() {
    let cases = [
        ([0.0, 1.0, 4.0], [0.0, 1.0, 4.6]),
        ([0.0, 3.0, 4.0], [0.0, 3.0, 4.2]),
        ([0.0, 0.5, 4.0], [2.0, -1.0, -1.2]),
        ([0.0, 2.0, 2.5], [0.0, 1.0, 0.0]),
    ];
    for (times, values) in cases {
        let keys = times.iter().zip(values).map(|(time, value)| Key::new(*time, value)).collect();
        let curve = Curve::new(keys, Extend::Hold).expect("sound keys");
        let (h0, h1) = (times[1] - times[0], times[2] - times[1]);
        let (s0, s1) = ((values[1] - values[0]) / h0, (values[2] - values[1]) / h1);
        let p: f64 = (s0 * h1 + s1 * h0) / (h0 + h1);
        let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
        let expected = (sign(s0) + sign(s1)) * s0.abs().min(s1.abs()).min(0.5 * p.abs());
        let h = 1e-6;
        for (from, to) in [(times[1] - h, times[1]), (times[1], times[1] + h)] {
            let found = (curve.at(to) - curve.at(from)) / h;
            assert!((found - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{found}, not {expected}");
        }
    }
}

#[test]
fn drawings_are_held_but_not_in_what_moves() {
    let skeleton = SkeletonBuilder::new().bone(BoneSpec::new("arm", 1.0)).build().expect("a bone");
    let line = vec![Key::new(0.0, 0.0).ease(Ease::Linear), Key::new(2.0, 20.0)];
    let clip = ClipBuilder::new(2.0)
        .step(Some(Step { frames: 2, fps: 10.0 }))
        .scalar(BoneId::new(0), Scalar::Rotate, Curve::new(line, Extend::Hold).expect("sound keys"))
        .build(&skeleton)
        .expect("a sound clip");
    let mut pose = Pose::new(&skeleton);
    clip.sample(&skeleton, 0.35, &mut pose);
    assert!((pose.bones[0].angle.degrees() - 2.0).abs() < 1e-9);
    clip.sample_moving(&skeleton, 0.35, &mut pose);
    assert!((pose.bones[0].angle.degrees() - 3.5).abs() < 1e-9);
}

/// Before its first key such a curve holds, although its last key is at the end of the loop.
#[test]
fn a_curve_that_begins_late_in_a_loop_holds_until_then() {
    let skeleton = SkeletonBuilder::new().bone(BoneSpec::new("wheel", 1.0)).build().expect("a bone");
    let late = vec![Key::new(0.5, 7.0), Key::new(1.0, 30.0), Key::new(2.0, 7.0)];
    let late = Curve::new(late, Extend::Hold).expect("sound keys");
    let clip = ClipBuilder::new(2.0).looped(true).scalar(BoneId::new(0), Scalar::Rotate, late);
    let clip = clip.build(&skeleton).expect("a sound clip");
    let mut pose = Pose::new(&skeleton);
    for time in [0.0, 0.25, 0.5, 2.0, 2.3] {
        clip.sample(&skeleton, time, &mut pose);
        assert_eq!(pose.bones[0].angle.degrees(), 7.0, "{time}");
    }
}

/// Pairs whose numbers have the keys of two curves, and the same keyed apart.
fn apart(
    whole: bool,
    absolute: bool,
    (x, y): (Curve<f64>, Curve<f64>),
    (setup, looped): (&Skeleton, bool),
) -> bone_core::clip::Clip {
    let bone = setup.find("arm").expect("it was added");
    let both = |x: &Curve<f64>, y: &Curve<f64>| {
        let keys =
            x.keys().zip(y.keys()).map(|(x, y)| Key::new(x.time, Vec2::new(x.value, y.value)).ease(x.ease));
        Curve::new(keys.collect(), Extend::Hold).expect("sound keys")
    };
    let place = if absolute {
        (Vector::Origin, Scalar::OriginX, Scalar::OriginY)
    } else {
        (Vector::Move, Scalar::MoveX, Scalar::MoveY)
    };
    let clip = ClipBuilder::new(2.0).looped(looped);
    let clip = if whole {
        clip.vector(bone, place.0, both(&x, &y)).vector(bone, Vector::Scale, both(&y, &x))
    } else {
        let halves = [(place.1, &x), (place.2, &y), (Scalar::ScaleX, &y), (Scalar::ScaleY, &x)];
        halves.into_iter().fold(clip, |clip, (half, curve)| clip.scalar(bone, half, curve.clone()))
    };
    clip.build(setup).expect("a clip")
}

proptest! {
    /// Linear and eased keys of x and y at the same times are those of the pair. (Smooth speeds of a pair are
    /// those of its numbers, too.)
    #[test]
    fn halves_with_the_keys_of_a_pair_are_the_pair(
        values in prop::collection::vec((-50.0..50.0_f64, -50.0..50.0_f64), 3),
        eases in prop::collection::vec(prop_oneof![Just(Ease::Smooth), Just(Ease::Linear), Just(Ease::InOut { start: 0.3, end: 0.6 })], 3),
        absolute: bool, looped: bool, time in -1.0..4.0_f64,
    ) {
        let skeleton = SkeletonBuilder::new().bone(BoneSpec { origin: Vec2::new(3.0, 5.0), ..BoneSpec::new("arm", 20.0) }).build().expect("a bone");
        let curve = |value: fn(&(f64, f64)) -> f64| {
            let keys = values.iter().zip(&eases).enumerate();
            let keys = keys.map(|(at, (pair, ease))| Key::new(at as f64, value(pair)).ease(*ease));
            Curve::new(keys.collect(), Extend::Hold).expect("sound keys")
        };
        let curves = || (curve(|pair| pair.0), curve(|pair| pair.1));
        let [pair, halves] = [true, false].map(|whole| {
            let mut pose = Pose::new(&skeleton);
            apart(whole, absolute, curves(), (&skeleton, looped)).sample(&skeleton, time, &mut pose);
            pose
        });
        prop_assert_eq!(&pair.bones, &halves.bones);
    }
}

#[test]
fn a_layer_that_keys_x_leaves_y_to_the_clip_below() {
    use bone_core::clip::{Layer, LayerBlend, SequenceBuilder, SequencePart};
    use std::sync::Arc;
    let skeleton = SkeletonBuilder::new().bone(BoneSpec::new("arm", 20.0)).build().expect("a bone");
    let bone = skeleton.find("arm").expect("it was added");
    let still = |value: f64| Curve::new(vec![Key::new(0.0, value)], Extend::Hold).expect("a key");
    let pair = Curve::new(vec![Key::new(0.0, Vec2::new(7.0, 9.0))], Extend::Hold).expect("a key");
    let scale = Curve::new(vec![Key::new(0.0, Vec2::new(2.0, 3.0))], Extend::Hold).expect("a key");
    let below = ClipBuilder::new(1.0).vector(bone, Vector::Move, pair).vector(bone, Vector::Scale, scale);
    let below = Arc::new(below.build(&skeleton).expect("a clip"));
    let above = ClipBuilder::new(1.0).scalar(bone, Scalar::MoveX, still(1.0)).scalar(
        bone,
        Scalar::ScaleY,
        still(5.0),
    );
    let above = Arc::new(above.build(&skeleton).expect("a clip"));
    for (blend, weight, origin, scale) in [
        (LayerBlend::Replace, 1.0, (1.0, 9.0), (2.0, 5.0)),
        (LayerBlend::Replace, 0.5, (4.0, 9.0), (2.0, 4.0)),
        (LayerBlend::Add, 1.0, (8.0, 9.0), (2.0, 15.0)),
        (LayerBlend::Add, 0.5, (7.5, 9.0), (2.0, 9.0)),
    ] {
        let layer = Layer {
            blend,
            weight: still(weight),
            ..Layer::new(SequencePart::whole(Arc::clone(&above)), 0.0)
        };
        let sequence = SequenceBuilder::new().part(SequencePart::whole(Arc::clone(&below))).layer(layer);
        let sequence = sequence.build(&skeleton).expect("a sequence");
        let (mut scratch, mut pose) = (Pose::new(&skeleton), Pose::new(&skeleton));
        sequence.sample(&skeleton, 0.5, &mut scratch, &mut pose);
        assert_eq!(pose.bones[0].origin, Vec2::from(origin), "{blend:?} {weight}");
        assert_eq!(pose.bones[0].scale, Vec2::from(scale), "{blend:?} {weight}");
    }
}

#[test]
fn retimed_moments_are_those_at_which_their_key_is_passed() {
    use bone_core::clip::{ClipTime, Repeat};
    let skeleton = SkeletonBuilder::new().bone(BoneSpec::new("arm", 20.0)).build().expect("a bone");
    let line = |keys: &[(f64, f64)]| {
        let keys = keys.iter().map(|(time, value)| Key::new(*time, *value).ease(Ease::Linear));
        Curve::new(keys.collect(), Extend::Hold).expect("sound keys")
    };
    let clip = |repeat, retime| {
        let clip = ClipBuilder::timed(ClipTime::repeated(2.0, repeat, 0.0)).retime(Some(retime));
        clip.build(&skeleton).expect("a clip")
    };
    // Forwards to 0.8, back to 0.4, a rest, and on.
    let retime = line(&[(0.0, 0.0), (0.5, 0.8), (1.0, 0.4), (1.5, 0.4), (2.0, 1.0)]);
    let near = |found: Vec<f64>, expected: &[f64]| {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        found.iter().zip(expected).for_each(|(one, other)| assert!((one - other).abs() < 1e-9, "{found:?}"));
    };
    let once = clip(Repeat::Once, retime.clone());
    near(once.playback_times(0.6), &[0.375, 0.75, 1.5 + 1.0 / 6.0]);
    near(once.playback_times(0.4), &[0.25, 1.0]);
    near(once.playback_times(1.0), &[2.0]);
    near(once.playback_times(1.1), &[]);
    near(clip(Repeat::Times(2), retime).playback_times(0.8), &[0.5, 1.5 + 1.0 / 3.0, 2.5, 3.5 + 1.0 / 3.0]);
}
