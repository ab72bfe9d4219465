//! Sequences: where one clip plays alone the result is that clip's to the bit, fades take the specified way
//! and never jump, and a frame is a function of its time.

use std::sync::Arc;

use bone_core::Pose;
use bone_core::clip::{
    Clip, ClipBuilder, Curve, Ease, Extend, Fades, Key, Layer, LayerBlend, Scalar, SequenceBuilder,
    SequenceError, SequencePart, Step, Vector, WeightedClip,
};
use kurbo::Vec2;
use proptest::prelude::*;

use crate::dice::Dice;
use crate::sequencing::{ARM, HAND, at, bits, busy, curve, faded, id, of, skeleton, still};

/// A curve of random keys; the second is the first after an edit: a key moved, added, removed or eased otherwise.
fn edited_curves(looped: bool, dice: &mut Dice) -> [Curve<f64>; 2] {
    let count = 2 + dice.below(5);
    let eases = [Ease::Smooth, Ease::Linear, Ease::Hold];
    let mut keys: Vec<Key<f64>> = (0..count)
        .map(|k| {
            Key::new(2.0 * k as f64 / (count - 1) as f64, dice.below(90) as f64).ease(eases[dice.below(3)])
        })
        .collect();
    if looped {
        keys[count - 1].value = keys[0].value;
    }
    let extends = [Extend::Hold, Extend::Hold, Extend::Linear, Extend::PingPong, Extend::LoopOffset];
    let extend = extends[dice.below(5)];
    let before = Curve::new(keys.clone(), extend).expect("a curve");
    let key = dice.below(count);
    match dice.below(4) {
        0 if count > 2 => drop(keys.remove(key)),
        1 if key + 1 < count => {
            let time = 0.5 * (keys[key].time + keys[key + 1].time);
            keys.insert(key + 1, Key::new(time, dice.below(90) as f64));
        }
        2 => keys[key].ease = Ease::InOut { start: 0.3, end: 0.6 },
        _ => keys[key].value += 7.0,
    }
    [before, Curve::new(keys, extend).expect("a curve")]
}

/// Outside of the intervals in which two clips or sequences are said to differ their poses are the same to the bit;
/// and they are not all times where few keys were changed.
#[test]
fn poses_differ_within_the_intervals_of_a_change() {
    let (skeleton, mut dice) = (skeleton(), Dice(0x0dd_c0de));
    let (mut listed, mut all, mut changes) = (0.0, 0.0, 0);
    for case in 0..300 {
        let looped = dice.below(2) == 0;
        let [before, after] = edited_curves(looped, &mut dice);
        let clip = |keys: Curve<f64>| {
            let still = curve(vec![Key::new(0.0, 12.0), Key::new(1.0, 20.0)]);
            let clip = ClipBuilder::new(2.0).looped(looped).scalar(id(ARM), Scalar::Rotate, keys);
            Arc::new(clip.scalar(id(HAND), Scalar::Rotate, still).build(&skeleton).expect("a clip"))
        };
        let clips = [clip(before), clip(after)];
        let other = busy(&skeleton, 3.0, true, 1.0);
        let (speed, backwards, rounds) = (0.5 + dice.share(), dice.below(3) == 0, 1 + dice.below(3));
        let (from, loops) = (dice.share(), dice.below(2) == 0);
        // The first part of what does not loop fades in from nothing.
        let fade = if loops { 0.4 * dice.share() } else { 0.0 };
        let [one, two] = clips.clone().map(|clip| {
            let part = SequencePart {
                from,
                speed: if backwards { -speed } else { speed },
                length: 2.0 * rounds as f64 / speed,
                rounds: rounds as f64,
                fade,
                ..SequencePart::whole(clip.clone())
            };
            let layer =
                Layer { fades: Fades { start: 0.2, end: 0.2 }, ..Layer::new(SequencePart::whole(clip), 1.0) };
            let alone = SequenceBuilder::new().looped(loops).part(part).part(faded(other.clone(), 0.3));
            if case % 3 == 0 { alone.layer(layer) } else { alone }.build(&skeleton).expect("a sequence")
        });
        let mut check = |changed: Vec<(f64, f64)>, length: f64, same: &dyn Fn(f64) -> bool| {
            let mut differ = 0;
            for k in 0..400 {
                let time = length * f64::from(k) / 400.0;
                let within = changed.iter().any(|(from, to)| (*from..=*to).contains(&time));
                assert!(within || same(time), "{case}: {time} is not in {changed:?}");
                differ += i32::from(!same(time));
            }
            let within = changed.iter().map(|(from, to)| to.min(length) - from.max(0.0)).sum::<f64>();
            (listed, all) = (listed + within, all + length);
            changes += differ;
        };
        let [a, b] = &clips;
        check(b.changed_since(a), 2.0, &|time| {
            bits(&skeleton, &of(&skeleton, a, time)) == bits(&skeleton, &of(&skeleton, b, time))
        });
        check(two.changed_since(&one), one.time().length, &|time| {
            bits(&skeleton, &at(&skeleton, &one, time)) == bits(&skeleton, &at(&skeleton, &two, time))
        });
        assert!(one.changed_since(&one).is_empty());
    }
    println!("{listed:.0} of {all:.0} s are listed, {changes} poses differ");
    assert!(changes > 10_000 && listed < 0.8 * all);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_sequence_of_one_clip_is_the_clip(time in -5.0..9.0_f64, looped: bool) {
        let skeleton = skeleton();
        let clip = busy(&skeleton, 1.7, looped, 2.0);
        let sequence = SequenceBuilder::new().part(SequencePart::whole(clip.clone())).build(&skeleton).expect("a sequence");
        prop_assert_eq!(sequence.time().length, 1.7);
        prop_assert_eq!(bits(&skeleton, &at(&skeleton, &sequence, time)), bits(&skeleton, &of(&skeleton, &clip, time)));
    }

    #[test]
    fn twice_the_speed_is_twice_the_time(time in 0.0..2.0_f64, looped: bool, speed in prop_oneof![Just(2.0), Just(0.5), Just(4.0)]) {
        let skeleton = skeleton();
        let clip = busy(&skeleton, 1.7, looped, 1.0);
        let fast = SequencePart { speed, ..SequencePart::whole(clip.clone()) };
        let (fast, slow) = (SequenceBuilder::new().part(fast), SequenceBuilder::new().part(SequencePart::whole(clip)));
        let (fast, slow) = (fast.build(&skeleton).expect("a sequence"), slow.build(&skeleton).expect("a sequence"));
        prop_assert_eq!(
            bits(&skeleton, &at(&skeleton, &fast, time)),
            bits(&skeleton, &at(&skeleton, &slow, speed * time))
        );
    }

    #[test]
    fn a_fade_begins_and_ends_with_the_clips_to_the_bit(first: bool, second: bool, after in 0..1024_u32) {
        let skeleton = skeleton();
        // Sums of such times are exact.
        let after = f64::from(after) / 1024.0;
        let (a, b) = (busy(&skeleton, 1.0, first, 1.0), busy(&skeleton, 2.0, second, -3.0));
        let sequence = SequenceBuilder::new().part(SequencePart::whole(a.clone())).part(faded(b.clone(), 0.25));
        let sequence = sequence.build(&skeleton).expect("a sequence");
        let same = |time: f64, clip: &Clip, local: f64| {
            bits(&skeleton, &at(&skeleton, &sequence, time)) == bits(&skeleton, &of(&skeleton, clip, local))
        };
        prop_assert!(same(0.75 * after, &a, 0.75 * after), "alone before it");
        prop_assert!(same(0.75, &a, 0.75), "its first moment");
        prop_assert!(same(1.0, &b, 0.25), "its last moment");
        prop_assert!(same(1.0 + after, &b, 0.25 + after), "alone after it");
    }

    #[test]
    fn a_layer_that_adds_nothing_changes_no_bit(time in 0.0..3.0_f64, weight in 0.0..=1.0_f64, start in 0.0..1.0_f64) {
        let skeleton = skeleton();
        let base = SequenceBuilder::new().part(SequencePart { rounds: 3.0, length: 3.0, ..SequencePart::whole(busy(&skeleton, 1.0, true, 1.0)) });
        let nothing = ClipBuilder::new(2.0)
            .scalar(id(ARM), Scalar::Rotate, curve(vec![Key::new(0.0, 0.0), Key::new(1.0, -0.0)]))
            .vector(id(HAND), Vector::Move, curve(vec![Key::new(0.0, Vec2::ZERO)]))
            .vector(id(HAND), Vector::Scale, curve(vec![Key::new(0.0, Vec2::new(1.0, 1.0))]))
            .scalar(id(HAND), Scalar::Stretch, curve(vec![Key::new(0.0, 1.0)]))
            .build(&skeleton)
            .expect("a sound clip");
        let layer = Layer {
            blend: LayerBlend::Add,
            fades: Fades { start: 0.2, end: 0.3 },
            weight: curve(vec![Key::new(0.0, weight)]),
            ..Layer::new(SequencePart::whole(Arc::new(nothing)), start)
        };
        let with = base.clone().layer(layer).build(&skeleton).expect("a sequence");
        let without = base.build(&skeleton).expect("a sequence");
        prop_assert_eq!(
            bits(&skeleton, &at(&skeleton, &with, time)),
            bits(&skeleton, &at(&skeleton, &without, time))
        );
    }

    /// Angles do not jump during fades, whatever their whole turns, nor do they move more than half a turn
    /// off.
    #[test]
    fn fades_are_continuous_and_short(from in -2000.0..2000.0_f64, to in -2000.0..2000.0_f64, spin: bool) {
        let skeleton = skeleton();
        let part = SequencePart { spin, ..faded(still(&skeleton, ARM, to), 0.5) };
        let sequence = SequenceBuilder::new().part(SequencePart::whole(still(&skeleton, ARM, from))).part(part);
        let sequence = sequence.build(&skeleton).expect("a sequence");
        let angles: Vec<f64> = (1..200)
            .map(|i| at(&skeleton, &sequence, 0.5 + f64::from(i) / 400.0).bones[ARM].angle.degrees() - 15.0)
            .collect();
        let travelled: f64 = angles.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
        let straight = (to - from).abs();
        let expected = if spin { straight } else { (straight % 360.0).min(360.0 - straight % 360.0) };
        prop_assert!((travelled - expected).abs() < 0.01 * (1.0 + expected), "{travelled} {expected}");
        prop_assert!((angles[0] - from).abs() < 0.01 * (1.0 + expected));
        // It ends at the angle of the clip, up to whole turns.
        let apart = (angles[198] - to) / 360.0;
        prop_assert!((apart - apart.round()).abs() < 1e-3 * (1.0 + expected));
    }
}

#[test]
fn a_fade_from_350_to_10_degrees_goes_the_short_way_and_spin_the_long_one() {
    let skeleton = skeleton();
    let middle = |spin| {
        let part = SequencePart { spin, ..faded(still(&skeleton, ARM, 10.0), 0.5) };
        let sequence =
            SequenceBuilder::new().part(SequencePart::whole(still(&skeleton, ARM, 350.0))).part(part);
        let sequence = sequence.build(&skeleton).expect("a sequence");
        at(&skeleton, &sequence, 0.75).bones[ARM].angle.degrees() - 15.0
    };
    assert!((middle(false) - 360.0).abs() < 1e-9);
    assert!((middle(true) - 180.0).abs() < 1e-9);
}

/// Two wheels whose difference passes half a turn during the fade: with a shorter way for each frame the
/// angle would jump there.
#[test]
fn an_angle_keeps_its_way_within_a_fade() {
    let skeleton = skeleton();
    let wheel = |speed: f64| {
        let keys = vec![Key::new(0.0, 0.0).ease(Ease::Linear), Key::new(1.0, speed)];
        let clip = ClipBuilder::new(1.0).scalar(id(ARM), Scalar::Rotate, curve(keys));
        Arc::new(clip.build(&skeleton).expect("a sound clip"))
    };
    let sequence =
        SequenceBuilder::new().part(SequencePart::whole(wheel(300.0))).part(faded(wheel(-900.0), 0.9));
    let sequence = sequence.build(&skeleton).expect("a sequence");
    let mut before = at(&skeleton, &sequence, 0.1).bones[ARM].angle.degrees();
    for i in 1..9000 {
        let now = at(&skeleton, &sequence, 0.1 + f64::from(i) / 1e4).bones[ARM].angle.degrees();
        assert!((now - before).abs() < 0.5, "{before} {now} at {i}");
        before = now;
    }
}

#[test]
fn parts_play_in_order_repeat_and_play_backwards() {
    let skeleton = skeleton();
    let (walk, jump) = (busy(&skeleton, 0.5, true, 1.0), busy(&skeleton, 1.0, false, 2.0));
    let three = SequencePart { rounds: 3.0, length: 1.5, ..SequencePart::whole(walk.clone()) };
    let back = SequencePart { speed: -2.0, length: 0.5, ..SequencePart::whole(jump.clone()) };
    let twice_from =
        SequencePart { from: 0.25, rounds: 2.0, length: 1.75, ..SequencePart::whole(jump.clone()) };
    let sequence =
        SequenceBuilder::new().part(three).part(back).part(twice_from).build(&skeleton).expect("a sequence");
    assert_eq!(sequence.time().length, 3.75);
    for (time, clip, local) in [
        (0.2, &walk, 0.2),
        (1.2, &walk, 0.2),
        (1.5, &jump, 1.0),
        (1.75, &jump, 0.5),
        (2.0, &jump, 0.25),
        (2.5, &jump, 0.75),
        (2.75, &jump, 0.0),
        (3.25, &jump, 0.5),
        (3.75, &jump, 1.0),
        // Beyond the end its curves are extended.
        (9.0, &jump, 1.0),
    ] {
        let (found, expected) = (at(&skeleton, &sequence, time), of(&skeleton, clip, local));
        for (a, b) in found.bones.iter().zip(&expected.bones) {
            assert!(
                (a.angle - b.angle).degrees().abs() < 1e-9 && (a.origin - b.origin).hypot() < 1e-9,
                "{time}"
            );
        }
    }
}

#[test]
fn a_cut_shows_the_new_part_in_its_first_frame_although_sums_are_not_exact() {
    let skeleton = skeleton();
    let (tick, jump) = (busy(&skeleton, 0.1, true, 1.0), still(&skeleton, ARM, 77.0));
    let tenth = SequencePart { rounds: 1.0, ..SequencePart::whole(tick) };
    let mut builder = SequenceBuilder::new();
    for _ in 0..7 {
        builder = builder.part(tenth.clone());
    }
    let sequence = builder.part(SequencePart::whole(jump)).build(&skeleton).expect("a sequence");
    assert_eq!(at(&skeleton, &sequence, 0.7).bones[ARM].angle.degrees(), 92.0);
}

#[test]
fn a_loop_fades_from_its_end_to_its_start() {
    let skeleton = skeleton();
    let (a, b) = (busy(&skeleton, 1.0, false, 1.0), busy(&skeleton, 2.0, false, 3.0));
    let sequence = SequenceBuilder::new().looped(true).part(faded(a, 0.25)).part(faded(b.clone(), 0.5));
    let sequence = sequence.build(&skeleton).expect("a sequence");
    assert_eq!(sequence.time().length, 2.25);
    assert_eq!(at(&skeleton, &sequence, 0.0), of(&skeleton, &b, 1.75));
    for seam in [0.0, 0.25, 0.5, 1.0, 2.25, 4.5, -2.25] {
        let (left, right) = (at(&skeleton, &sequence, seam - 1e-8), at(&skeleton, &sequence, seam + 1e-8));
        for (a, b) in left.bones.iter().zip(&right.bones) {
            assert!(
                (a.angle - b.angle).degrees().abs() < 1e-4 && (a.origin - b.origin).hypot() < 1e-4,
                "{seam}"
            );
        }
    }
    assert_eq!(
        at(&skeleton, &sequence, 0.125),
        at(&skeleton, &sequence, 0.125 + 2.25 * 4.0),
        "every round alike"
    );
}

#[test]
fn layers_move_what_their_clips_key_and_the_mask_allows() {
    let skeleton = skeleton();
    let base = busy(&skeleton, 2.0, false, 1.0);
    let wave = ClipBuilder::new(1.0)
        .scalar(id(ARM), Scalar::Rotate, curve(vec![Key::new(0.0, 90.0)]))
        .scalar(id(HAND), Scalar::Rotate, curve(vec![Key::new(0.0, 45.0)]))
        .build(&skeleton);
    let wave = Arc::new(wave.expect("a sound clip"));
    let sequence = |layer: Layer| {
        let sequence = SequenceBuilder::new().part(SequencePart::whole(base.clone())).layer(layer);
        sequence.build(&skeleton).expect("a sequence")
    };
    let plain = of(&skeleton, &base, 0.75);
    let over = at(&skeleton, &sequence(Layer::new(SequencePart::whole(wave.clone()), 0.5)), 0.75);
    assert_eq!(over.bones[ARM].angle.degrees(), 105.0, "15 at rest and 90");
    assert_eq!(over.bones[HAND].angle.degrees(), 15.0);
    assert_eq!(over.bones[ARM].origin, plain.bones[ARM].origin, "the clip does not key it");
    assert_eq!(over.bones[HAND].stretch, plain.bones[HAND].stretch);
    let masked = Layer { bones: Some(vec![id(HAND)]), ..Layer::new(SequencePart::whole(wave.clone()), 0.5) };
    let masked = at(&skeleton, &sequence(masked), 0.75);
    assert_eq!(masked.bones[ARM], plain.bones[ARM]);
    assert_eq!(masked.bones[HAND].angle.degrees(), 15.0);
    let adding = Layer { blend: LayerBlend::Add, ..Layer::new(SequencePart::whole(wave.clone()), 0.5) };
    let adding = at(&skeleton, &sequence(adding), 0.75);
    assert_eq!(adding.bones[ARM].angle.degrees(), plain.bones[ARM].angle.degrees() + 90.0);
    let faint = Layer {
        blend: LayerBlend::Add,
        weight: curve(vec![Key::new(0.0, 0.25)]),
        ..Layer::new(SequencePart::whole(wave.clone()), 0.5)
    };
    let faint = at(&skeleton, &sequence(faint), 0.75);
    assert_eq!(faint.bones[ARM].angle.degrees(), plain.bones[ARM].angle.degrees() + 22.5);
    // Before its start and after its end it has no effect.
    let layer = sequence(Layer::new(SequencePart::whole(wave), 0.5));
    for time in [0.0, 0.4999, 1.5001, 2.0] {
        assert_eq!(at(&skeleton, &layer, time), of(&skeleton, &base, time));
    }
}

/// A wheel below rotates three times while a layer plays: its fades take the shorter way each time.
#[test]
fn a_layer_comes_and_goes_the_short_way_without_a_jump() {
    let skeleton = skeleton();
    let keys = vec![Key::new(0.0, 0.0).ease(Ease::Linear), Key::new(4.0, 1300.0)];
    let wheel = ClipBuilder::new(4.0).scalar(id(ARM), Scalar::Rotate, curve(keys)).build(&skeleton);
    let layer = Layer {
        fades: Fades { start: 0.5, end: 0.5 },
        ..Layer::new(SequencePart { length: 3.0, ..SequencePart::whole(still(&skeleton, ARM, 40.0)) }, 0.5)
    };
    let sequence =
        SequenceBuilder::new().part(SequencePart::whole(Arc::new(wheel.expect("a clip")))).layer(layer);
    let sequence = sequence.build(&skeleton).expect("a sequence");
    let angle = |time: f64| at(&skeleton, &sequence, time).bones[ARM].angle;
    for i in 0..40_000 {
        let (a, b) = (angle(f64::from(i) * 1e-4), angle(f64::from(i + 1) * 1e-4));
        let turned = (b - a).degrees();
        // No whole turns either: a driver reads these numbers.
        assert!(turned.abs() < 0.3, "{a} {b} at {i}");
    }
    let settled = angle(2.0).degrees();
    assert_eq!(settled, 415.0);
}

#[test]
fn explicit_weights_are_used() {
    let skeleton = skeleton();
    let weight = curve(vec![
        Key::new(0.0, 0.0).ease(Ease::Linear),
        Key::new(1.0, 1.0).ease(Ease::Linear),
        Key::new(2.0, 0.5),
    ]);
    let layer = Layer {
        weight,
        ..Layer::new(SequencePart { length: 2.0, ..SequencePart::whole(still(&skeleton, ARM, 100.0)) }, 1.0)
    };
    let sequence = SequenceBuilder::new()
        .part(SequencePart { length: 4.0, ..SequencePart::whole(still(&skeleton, ARM, 0.0)) })
        .layer(layer);
    let sequence = sequence.build(&skeleton).expect("a sequence");
    let turn = |time: f64| at(&skeleton, &sequence, time).bones[ARM].angle.degrees() - 15.0;
    for (time, degrees) in
        [(0.9, 0.0), (1.0, 0.0), (1.5, 50.0), (2.0, 100.0), (2.5, 75.0), (3.0, 50.0), (3.1, 0.0)]
    {
        assert!((turn(time) - degrees).abs() < 1e-9, "{time}: {}", turn(time));
    }
    let mut weighted_clips: Vec<WeightedClip> = Vec::new();
    sequence.weighted_clips(1.5, &mut weighted_clips);
    assert_eq!(
        weighted_clips,
        [
            part(0, 1.5, (1.0, 1.0)),
            WeightedClip { layer: Some(LayerBlend::Replace), ..part(1, 0.5, (0.5, 0.5)) }
        ]
    );
}

fn part(clip: usize, time: f64, (weight, level): (f64, f64)) -> WeightedClip {
    WeightedClip { clip, time, weight, level, layer: None }
}

#[test]
fn weights_of_clips_in_a_fade_sum_to_one() {
    let skeleton = skeleton();
    let sequence = SequenceBuilder::new()
        .part(SequencePart::whole(still(&skeleton, ARM, 1.0)))
        .part(faded(still(&skeleton, ARM, 2.0), 0.5))
        .build(&skeleton)
        .expect("a sequence");
    let mut weighted_clips: Vec<WeightedClip> = Vec::new();
    sequence.weighted_clips(0.625, &mut weighted_clips);
    let expected = 3.0 / 16.0 - 2.0 / 64.0;
    assert_eq!(weighted_clips, [part(0, 0.625, (1.0 - expected, 1.0)), part(1, 0.125, (expected, expected))]);
    sequence.weighted_clips(0.2, &mut weighted_clips);
    assert_eq!(weighted_clips, [part(0, 0.2, (1.0, 1.0))]);
}

/// Fades that overlap: three clips at once, in order and over the end of a loop.
#[test]
fn fades_may_overlap() {
    let skeleton = skeleton();
    let still = |degrees: f64| still(&skeleton, ARM, degrees);
    let sequence = SequenceBuilder::new()
        .part(SequencePart::whole(still(0.0)))
        .part(faded(still(80.0), 0.8))
        .part(faded(still(40.0), 0.6))
        .build(&skeleton)
        .expect("a sequence");
    // They begin at 0, 0.2 and 0.6.
    assert!((sequence.time().length - 1.6).abs() < 1e-12);
    assert_eq!(sequence.most_at_once(), 3);
    let smooth = |s: f64| s * s * (3.0 - 2.0 * s);
    for time in [0.1_f64, 0.2, 0.4, 0.6, 0.75, 0.9, 1.0, 1.1, 1.2, 1.5] {
        let (second, third) =
            (smooth(((time - 0.2) / 0.8).clamp(0.0, 1.0)), smooth(((time - 0.6) / 0.6_f64).clamp(0.0, 1.0)));
        let expected = 80.0 * second * (1.0 - third) + 40.0 * third;
        let found = at(&skeleton, &sequence, time).bones[ARM].angle.degrees() - 15.0;
        assert!((found - expected).abs() < 1e-9, "{time}: {found}, not {expected}");
        let mut weighted_clips: Vec<WeightedClip> = Vec::new();
        sequence.weighted_clips(time, &mut weighted_clips);
        let weight = |clip: usize| {
            weighted_clips.iter().find(|played| played.clip == clip).map_or(0.0, |played| played.weight)
        };
        let expected = [(1.0 - second) * (1.0 - third), second * (1.0 - third), third];
        assert!(
            (0..3).all(|clip| (weight(clip) - expected[clip]).abs() < 1e-9),
            "{time}: {weighted_clips:?}"
        );
    }
    // Two parts of a loop, each of which fades in over the whole of the other.
    let looped = SequenceBuilder::new()
        .looped(true)
        .part(faded(still(0.0), 0.5))
        .part(faded(still(80.0), 0.5))
        .length(None)
        .build(&skeleton)
        .expect("a loop");
    assert_eq!(looped.time().length, 1.0);
    let angle = |time: f64| at(&skeleton, &looped, time).bones[ARM].angle.degrees() - 15.0;
    assert_eq!([0.0, 0.25, 0.5, 0.75].map(angle), [80.0, 40.0, 0.0, 40.0]);
}

/// Parts whose angles are many turns apart, one fade after the other and into each other: no number jumps in
/// the whole sequence, as a driver would see it.
#[test]
fn numbers_do_not_jump_by_turns_where_fades_end() {
    let skeleton = skeleton();
    let angles = [350.0, 10.0, -700.0, 1234.0, 180.0, 0.0, 100.0, 220.0, 340.0];
    let fade = |k: usize| if k == 0 { 0.0 } else { [0.3, 0.7, 0.9][k % 3] };
    let parts = angles.iter().enumerate().map(|(k, angle)| faded(still(&skeleton, ARM, *angle), fade(k)));
    let sequence =
        parts.fold(SequenceBuilder::new(), SequenceBuilder::part).build(&skeleton).expect("a sequence");
    let angle = |time: f64| at(&skeleton, &sequence, time).bones[ARM].angle.degrees() - 15.0;
    let end = sequence.time().length;
    for k in 0..8000 {
        let (a, b) = (angle(end * f64::from(k) / 8000.0), angle(end * f64::from(k + 1) / 8000.0));
        // Half a turn within 0.3 s at most, half as fast again in the middle, and two fades at once.
        assert!((b - a).abs() < 2.0 * 1.5 * 180.0 / 0.3 * end / 8000.0, "{a} {b}");
    }
    // 10, 20 and 120 degrees on, and so forth.
    let last = angle(end);
    assert!(((last - 340.0) / 360.0).fract().abs() < 1e-9 && last != 340.0, "{last}");
}

#[test]
fn invalid_sequences_are_errors() {
    let skeleton = skeleton();
    let part = SequencePart::whole(busy(&skeleton, 1.0, false, 1.0));
    let one = |part: SequencePart| SequenceBuilder::new().part(part).build(&skeleton).map(drop);
    assert_eq!(SequenceBuilder::new().build(&skeleton).map(drop), Err(SequenceError::Empty));
    let number = Err(SequenceError::Number { clip: 0 });
    assert_eq!(one(SequencePart { speed: 0.0, ..part.clone() }), number);
    assert_eq!(one(SequencePart { speed: f64::NAN, ..part.clone() }), number);
    assert_eq!(one(SequencePart { length: -1.0, ..part.clone() }), number);
    assert_eq!(one(SequencePart { rounds: 0.0, ..part.clone() }), number);
    assert_eq!(
        one(SequencePart { fade: 0.5, ..part.clone() }),
        Err(SequenceError::Fade { clip: 0 }),
        "nothing before it"
    );
    let two = |a: f64, b: f64| {
        let parts = SequenceBuilder::new().part(part.clone()).part(SequencePart { fade: a, ..part.clone() });
        parts.part(SequencePart { fade: b, ..part.clone() }).build(&skeleton).map(drop)
    };
    assert_eq!(two(1.5, 0.0), Err(SequenceError::Fade { clip: 1 }));
    assert_eq!(two(0.5, 1.5), Err(SequenceError::Fade { clip: 2 }));
    assert_eq!(two(0.6, 0.6), Ok(()), "fades may overlap");
    assert_eq!(two(1.0, 1.0), Ok(()));
    let looped = |fade: f64| {
        let part = SequencePart { fade, ..part.clone() };
        SequenceBuilder::new().looped(true).part(part).build(&skeleton).map(|sequence| sequence.time().length)
    };
    assert_eq!(looped(0.25), Ok(0.75));
    assert_eq!(looped(0.75), Err(SequenceError::Fade { clip: 0 }));
    let length = SequenceBuilder::new().part(part).length(Some(0.0)).build(&skeleton).map(drop);
    assert_eq!(length, Err(SequenceError::Length { length: 0.0 }));
}

#[test]
fn any_order_of_frames_gives_the_same_bits_and_steps_hold() {
    let skeleton = skeleton();
    let layer = Layer {
        fades: Fades { start: 0.3, end: 0.2 },
        ..Layer::new(SequencePart::whole(busy(&skeleton, 1.0, true, 4.0)), 0.7)
    };
    let mut sequence = SequenceBuilder::new()
        .looped(true)
        .part(faded(busy(&skeleton, 1.0, true, 1.0), 0.2))
        .part(faded(busy(&skeleton, 2.0, false, -2.0), 0.4))
        .layer(layer)
        .build(&skeleton)
        .expect("a sequence");
    let times: Vec<f64> = (0..200).map(|i| f64::from(i) / 24.0 - 2.0).collect();
    let fresh: Vec<Pose> = times.iter().map(|&time| at(&skeleton, &sequence, time)).collect();
    let (mut pose, mut scratch) = (Pose::new(&skeleton), Pose::new(&skeleton));
    for i in (0..times.len()).map(|i| i * 77 % times.len()).rev() {
        sequence.sample(&skeleton, times[i], &mut scratch, &mut pose);
        assert_eq!(bits(&skeleton, &pose), bits(&skeleton, &fresh[i]));
    }
    let moving: Vec<Pose> = (0..48).map(|frame| at(&skeleton, &sequence, f64::from(frame) / 24.0)).collect();
    sequence.set_step(Some(Step { frames: 2, fps: 24.0 }));
    for frame in 0..48_u32 {
        let held = at(&skeleton, &sequence, f64::from(frame) / 24.0);
        assert_eq!(held, moving[(frame - frame % 2) as usize]);
    }
}

/// A billion repetitions cost no memory.
#[test]
fn a_billion_rounds_cost_nothing() {
    let skeleton = skeleton();
    let clip = busy(&skeleton, 0.5, false, 1.0);
    let part = SequencePart { rounds: 1e9, length: 5e8, ..SequencePart::whole(clip.clone()) };
    let sequence = SequenceBuilder::new().part(part).build(&skeleton).expect("a sequence");
    assert_eq!(at(&skeleton, &sequence, 4e8 + 0.25), of(&skeleton, &clip, 0.25));
}

/// A setup pose that one part moves, or both: in the middle of a fade it is halfway.
#[test]
fn setup_poses_fade_too() {
    let skeleton = skeleton();
    let moved = |turn: f64, x: f64| {
        let clip = ClipBuilder::new(1.0)
            .scalar(id(ARM), Scalar::SetupAngle, curve(vec![Key::new(0.0, turn)]))
            .vector(id(ARM), Vector::SetupOrigin, curve(vec![Key::new(0.0, Vec2::new(x, 4.0))]));
        Arc::new(clip.build(&skeleton).expect("a sound clip"))
    };
    let middle = |from: Arc<Clip>, to: Arc<Clip>| {
        let sequence = SequenceBuilder::new().part(SequencePart::whole(from)).part(faded(to, 0.5));
        let pose = at(&skeleton, &sequence.build(&skeleton).expect("a sequence"), 0.75);
        let setup = pose.setup(&skeleton, id(ARM));
        (setup.angle.degrees(), setup.origin.x, setup.origin.y)
    };
    let is = |found: (f64, f64, f64), expected: (f64, f64, f64)| {
        let off = (found.0 - expected.0).abs().max((found.1 - expected.1).abs());
        assert!(off.max((found.2 - expected.2).abs()) < 1e-9, "{found:?} {expected:?}");
    };
    is(middle(moved(40.0, 0.0), moved(60.0, 8.0)), (50.0, 4.0, 4.0));
    // At rest it has 15 degrees and lies at (10, 20).
    is(middle(moved(45.0, 0.0), still(&skeleton, ARM, 0.0)), (30.0, 5.0, 12.0));
    is(middle(still(&skeleton, ARM, 0.0), moved(45.0, 0.0)), (30.0, 5.0, 12.0));
}

#[test]
fn a_sequence_on_twos_moves_on_ones_where_nothing_is_held() {
    let skeleton = skeleton();
    let line = vec![Key::new(0.0, 0.0).ease(Ease::Linear), Key::new(1.0, 24.0)];
    let clip = ClipBuilder::new(1.0).scalar(id(ARM), Scalar::Rotate, curve(line));
    let clip = Arc::new(clip.build(&skeleton).expect("a sound clip"));
    let mut sequence = SequenceBuilder::new().part(SequencePart::whole(clip)).build(&skeleton).expect("one");
    sequence.set_step(Some(Step { frames: 2, fps: 24.0 }));
    let (mut pose, mut scratch) = (Pose::new(&skeleton), Pose::new(&skeleton));
    let held = at(&skeleton, &sequence, 7.0 / 24.0).bones[ARM].angle.degrees();
    sequence.sample_moving(&skeleton, 7.0 / 24.0, &mut scratch, &mut pose);
    assert!((held - 21.0).abs() < 1e-9 && (pose.bones[ARM].angle.degrees() - 22.0).abs() < 1e-9);
}

/// A layer that is added by a half moves the setup pose by half of its change, on top of what the part does.
#[test]
fn an_added_layer_moves_the_setup_pose_by_its_weight() {
    let skeleton = skeleton();
    let moved = |turn: f64, at: (f64, f64)| {
        let clip = ClipBuilder::new(1.0)
            .scalar(id(ARM), Scalar::SetupAngle, curve(vec![Key::new(0.0, turn)]))
            .vector(id(ARM), Vector::SetupOrigin, curve(vec![Key::new(0.0, Vec2::from(at))]));
        Arc::new(clip.build(&skeleton).expect("a sound clip"))
    };
    for weight in [0.0, 0.25, 0.5, 1.0] {
        // At rest it has 15 degrees and lies at (10, 20).
        let layer = Layer {
            blend: LayerBlend::Add,
            weight: curve(vec![Key::new(0.0, weight)]),
            ..Layer::new(SequencePart::whole(moved(55.0, (18.0, 8.0))), 0.0)
        };
        let sequence =
            SequenceBuilder::new().part(SequencePart::whole(moved(25.0, (11.0, 22.0)))).layer(layer);
        let pose = at(&skeleton, &sequence.build(&skeleton).expect("a sequence"), 0.5);
        let setup = pose.setup(&skeleton, id(ARM));
        assert!((setup.angle.degrees() - (25.0 + 40.0 * weight)).abs() < 1e-9, "{weight}");
        assert!((setup.origin - Vec2::new(11.0 + 8.0 * weight, 22.0 - 12.0 * weight)).hypot() < 1e-9);
    }
}

/// A layer fades in and out by its own durations, each smoothly.
#[test]
fn the_two_fades_of_a_layer_have_their_own_durations() {
    let skeleton = skeleton();
    let part = SequencePart { length: 2.0, rounds: 2.0, ..SequencePart::whole(still(&skeleton, ARM, 30.0)) };
    let layer = Layer { fades: Fades { start: 0.25, end: 1.0 }, ..Layer::new(part, 1.0) };
    let below = SequencePart { length: 4.0, rounds: 4.0, ..SequencePart::whole(still(&skeleton, HAND, 0.0)) };
    let sequence = SequenceBuilder::new().part(below).layer(layer).build(&skeleton).expect("a sequence");
    let mut clips = Vec::new();
    for k in 0..=64 {
        let time = f64::from(k) / 16.0;
        sequence.weighted_clips(time, &mut clips);
        let found = clips.iter().find(|played| played.clip == 1).map_or(0.0, |played| played.weight);
        let share = ((time - 1.0) / 0.25).min((3.0 - time) / 1.0).clamp(0.0, 1.0);
        assert!(
            (found - (3.0 * share * share - 2.0 * share * share * share)).abs() < 1e-12,
            "{time}: {found}"
        );
    }
}

/// Half a repetition is one: its curves are those of the clip from its start.
#[test]
fn a_part_of_a_repetition_repeats_the_clip() {
    let skeleton = skeleton();
    let jump = busy(&skeleton, 1.0, false, 2.0);
    for (rounds, times) in [(1.5, [(0.5, 0.5), (1.25, 0.25)]), (2.5, [(1.75, 0.75), (2.25, 0.25)])] {
        let part = SequencePart { rounds, length: rounds, ..SequencePart::whole(jump.clone()) };
        let sequence = SequenceBuilder::new().part(part).build(&skeleton).expect("a sequence");
        for (time, local) in times {
            let (found, expected) = (at(&skeleton, &sequence, time), of(&skeleton, &jump, local));
            assert!(
                (found.bones[ARM].angle - expected.bones[ARM].angle).degrees().abs() < 1e-9,
                "{rounds} {time}"
            );
        }
    }
}

/// A drawing that is held shows a changed moment after it is over.
#[test]
fn changes_last_as_long_as_the_drawings_that_show_them() {
    let skeleton = skeleton();
    let clip = |degrees: f64| {
        let keys = [(0.0, 0.0), (0.6, 0.0), (1.0, degrees), (1.4, 0.0), (2.0, 0.0)];
        let keys = keys.map(|(time, value)| Key::new(time, value).ease(Ease::Linear));
        let mut clip = ClipBuilder::new(2.0)
            .scalar(id(ARM), Scalar::Rotate, curve(keys.to_vec()))
            .build(&skeleton)
            .expect("a sound clip");
        clip.set_step(Some(Step { frames: 6, fps: 24.0 }));
        Arc::new(clip)
    };
    let [before, after] = [10.0, 50.0].map(|degrees| {
        let part = SequencePart { length: 4.0, rounds: 2.0, ..SequencePart::whole(clip(degrees)) };
        SequenceBuilder::new().part(part).build(&skeleton).expect("a sequence")
    });
    let changed = after.changed_since(&before);
    let mut last = 0.0;
    for k in 0..4000 {
        let time = f64::from(k) / 1000.0;
        let differs = at(&skeleton, &before, time) != at(&skeleton, &after, time);
        let listed = changed.iter().any(|(from, to)| (*from..=*to).contains(&time));
        assert!(listed || !differs, "{time} is not in {changed:?}");
        if differs {
            last = time;
        }
    }
    assert!(last > 3.45, "the drawing of 1.25 s is held beyond the change, which ends at 1.4 s: {last}");
}
