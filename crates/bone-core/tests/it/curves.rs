//! Curves: every ease against an independent computation, speeds against differences of values, and
//! continuity at seams.

use bone_archive::Words;
use bone_core::clip::{
    Curve, CurveError, Ease, EaseShape, EaseSide, Extend, Jumps, Key, PosedValue, Step, ValueBlend,
};
use kurbo::{CubicBez, ParamCurve, ParamCurveDeriv, Vec2};
use proptest::prelude::*;

fn ease() -> impl Strategy<Value = Ease> {
    let share = || 0.0..=1.0_f64;
    let signed = || -1.0..=1.0_f64;
    prop_oneof![
        Just(Ease::Hold),
        Just(Ease::Linear),
        Just(Ease::Smooth),
        (share(), share()).prop_map(|(start, end)| Ease::InOut { start, end }),
        (0.05..0.95_f64, -0.5..1.5_f64, 0.05..0.95_f64, -0.5..1.5_f64)
            .prop_map(|(x1, y1, x2, y2)| Ease::Bezier { x1, y1, x2, y2 }),
        (signed(), signed(), signed()).prop_map(|(tension, continuity, bias)| Ease::Tcb {
            tension,
            continuity,
            bias
        }),
        (-200.0..200.0_f64, -200.0..200.0_f64).prop_map(|(arrive, leave)| Ease::Slope { arrive, leave }),
        (0.0..=0.95_f64).prop_map(|bounce| Ease::Spring { bounce }),
        (0..3_usize, 0..10_usize)
            .prop_map(|(side, shape)| Ease::Penner(EaseSide::WORDS[side].1, EaseShape::WORDS[shape].1)),
    ]
}

/// Keys whose eases are drawn from `ease`.
fn keys(ease: impl Strategy<Value = Ease>, most: usize) -> impl Strategy<Value = Vec<Key<f64>>> {
    prop::collection::vec((0.05..2.0_f64, -100.0..100.0_f64, ease), 2..most).prop_map(|steps| {
        let mut time = -1.0;
        let key = |(step, value, ease)| {
            time += step;
            Key::new(time, value).ease(ease)
        };
        steps.into_iter().map(key).collect()
    })
}

fn curve(keys: &[Key<f64>], extend: Extend) -> Curve<f64> {
    Curve::new(keys.to_vec(), extend).expect("sound keys")
}

/// Kochanek and Bartels as in their paper: tangents for even spacing by eq. 8 and 9, then the scaling for
/// uneven spacing, and the Hermite basis in powers. Inner segments only.
fn kochanek_bartels(keys: &[Key<f64>], i: usize, time: f64) -> f64 {
    let tcb = |key: usize| match keys[key].ease {
        Ease::Tcb { tension, continuity, bias } => (tension, continuity, bias),
        _ => unreachable!("all keys are of one kind"),
    };
    let n = |i: usize| keys[i + 1].time - keys[i].time;
    let p = |i: usize| keys[i].value;
    let destination = |i: usize| {
        let (t, c, b) = tcb(i);
        let even = (1.0 - t) * (1.0 + c) * (1.0 + b) / 2.0 * (p(i) - p(i - 1))
            + (1.0 - t) * (1.0 - c) * (1.0 - b) / 2.0 * (p(i + 1) - p(i));
        even * 2.0 * n(i) / (n(i - 1) + n(i))
    };
    let source = |i: usize| {
        let (t, c, b) = tcb(i);
        let even = (1.0 - t) * (1.0 - c) * (1.0 + b) / 2.0 * (p(i) - p(i - 1))
            + (1.0 - t) * (1.0 + c) * (1.0 - b) / 2.0 * (p(i + 1) - p(i));
        even * 2.0 * n(i - 1) / (n(i - 1) + n(i))
    };
    let s = (time - keys[i].time) / n(i);
    let (s2, s3) = (s * s, s * s * s);
    (2.0 * s3 - 3.0 * s2 + 1.0) * p(i)
        + (-2.0 * s3 + 3.0 * s2) * p(i + 1)
        + (s3 - 2.0 * s2 + s) * destination(i)
        + (s3 - s2) * source(i + 1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn smooth_is_monotone_between_its_keys_by_its_derivative(keys in keys(Just(Ease::Smooth), 9), loops: bool) {
        let curve = curve(&keys, if loops { Extend::LoopOffset } else { Extend::Hold });
        for pair in keys.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let way = (to.value - from.value).signum();
            let top = ((to.value - from.value) / (to.time - from.time)).abs();
            for i in 0..32 {
                let time = from.time + (to.time - from.time) * f64::from(i) / 32.0;
                prop_assert!(curve.slope_at(time) * way >= -1e-9 * top, "{} at {time}", curve.slope_at(time));
            }
        }
    }

    #[test]
    fn tcb_is_the_paper_also_on_uneven_spacing(
        keys in keys((-1.0..=1.0_f64, -1.0..=1.0_f64, -1.0..=1.0_f64).prop_map(|(tension, continuity, bias)| Ease::Tcb { tension, continuity, bias }), 9),
        share in 0.0..1.0_f64,
    ) {
        let curve = curve(&keys, Extend::Hold);
        for i in 1..keys.len().saturating_sub(2) {
            let time = keys[i].time + share * (keys[i + 1].time - keys[i].time);
            prop_assert!((curve.at(time) - kochanek_bartels(&keys, i, time)).abs() < 1e-9);
        }
    }

    #[test]
    fn in_out_and_bezier_are_the_cubic_found_by_bisection(
        handles in prop_oneof![
            (0.0..=1.0_f64, 0.0..=1.0_f64).prop_map(|(a, b)| (Ease::InOut { start: a, end: b }, [a, 0.0, 1.0 - b, 1.0])),
            (0.0..=1.0_f64, -1.0..2.0_f64, 0.0..=1.0_f64, -1.0..2.0_f64)
                .prop_map(|(x1, y1, x2, y2)| (Ease::Bezier { x1, y1, x2, y2 }, [x1, y1, x2, y2])),
        ],
        share in 0.0..1.0_f64,
    ) {
        let (ease, [x1, y1, x2, y2]) = handles;
        let curve = curve(&[Key::new(0.0, 0.0).ease(ease), Key::new(1.0, 1.0)], Extend::Hold);
        let css = CubicBez::new((0.0, 0.0), (x1, y1), (x2, y2), (1.0, 1.0));
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if css.eval(middle).x < share { low = middle } else { high = middle }
        }
        let s = 0.5 * (low + high);
        let d = css.deriv().eval(s);
        // Where time nearly stands still both methods have only a few digits.
        prop_assume!(d.x > 1e-3);
        prop_assert!((curve.at(share) - css.eval(s).y).abs() < 1e-9, "{} {}", curve.at(share), css.eval(s).y);
        prop_assert!((curve.slope_at(share) - d.y / d.x).abs() < 1e-6 * (1.0 + (d.y / d.x).abs() / d.x));
        if matches!(ease, Ease::InOut { .. }) {
            prop_assert!(curve.slope_at(share) >= 0.0 && (0.0..=1.0).contains(&curve.at(share)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// The speed is the difference of values, for every ease and every extension beyond both ends.
    #[test]
    fn speed_is_the_derivative(keys in keys(ease(), 7), extend in 0..5_usize, at in -2.0..3.0_f64) {
        let extend = [Extend::Hold, Extend::Linear, Extend::Loop, Extend::LoopOffset, Extend::PingPong][extend];
        let curve = curve(&keys, extend);
        let (first, last) = curve.span();
        let run = last - first;
        let time = first + at * run;
        // Away from keys, where the speed may be different on each side.
        let folded = [time, time + run, time - run, time + 2.0 * run, time - 2.0 * run, 2.0 * last - time, 2.0 * first - time, 2.0 * last - time + run];
        prop_assume!(folded.iter().all(|f| keys.iter().all(|key| (key.time - f).abs() > 1e-3)));
        let h = 1e-6;
        let found = (curve.at(time + h) - curve.at(time - h)) / (2.0 * h);
        let speed = curve.slope_at(time);
        // An ease that is nearly vertical changes its speed within the difference.
        let bend = (curve.slope_at(time + h) - curve.slope_at(time - h)).abs();
        prop_assert!((found - speed).abs() < 1e-3 + 1e-4 * speed.abs() + bend, "{found} {speed}");
    }

    /// Value and speed are continuous where segments of one smooth ease meet, also at the seam of a loop.
    #[test]
    fn smooth_and_tcb_without_continuity_have_no_kink(
        keys in keys(Just(Ease::Linear), 7),
        tcb in prop::option::of((-1.0..=1.0_f64, -1.0..=1.0_f64)),
        wraps in 0..3_usize,
    ) {
        let ease = tcb.map_or(Ease::Smooth, |(tension, bias)| Ease::Tcb { tension, continuity: 0.0, bias });
        let mut keys: Vec<Key<f64>> = keys.into_iter().map(|key| key.ease(ease)).collect();
        let extend = [Extend::Hold, Extend::Loop, Extend::LoopOffset][wraps];
        if extend == Extend::Loop {
            let first = keys[0].value;
            keys.last_mut().expect("keys").value = first;
        }
        let curve = curve(&keys, extend);
        let (first, last) = curve.span();
        let inner = keys[1..keys.len() - 1].iter().map(|key| key.time);
        let seams = [first + 3.0 * (last - first), first - 2.0 * (last - first)];
        let h = 1e-7;
        for time in inner.chain(seams) {
            prop_assert!((curve.at(time - h) - curve.at(time + h)).abs() < 1e-2);
            let (left, right) = (curve.slope_at(time - h), curve.slope_at(time + h));
            prop_assert!((left - right).abs() < 1e-1, "{left} {right} at {time}");
        }
    }
}

/// The published spline: Catmull and Rom's cubic through four evenly spaced values, in its own form.
#[test]
fn tcb_of_zero_is_catmull_rom_on_even_spacing() {
    let values = [3.0, -1.0, 4.0, 1.5, -5.0, 9.0, 2.0];
    let nothing = Ease::Tcb { tension: 0.0, continuity: 0.0, bias: 0.0 };
    let keys: Vec<Key<f64>> =
        values.iter().enumerate().map(|(i, &v)| Key::new(0.25 * i as f64, v).ease(nothing)).collect();
    let curve = curve(&keys, Extend::Hold);
    for i in 1..values.len() - 2 {
        let [a, b, c, d] = [values[i - 1], values[i], values[i + 1], values[i + 2]];
        for step in 0..=20 {
            let s = f64::from(step) / 20.0;
            let catmull_rom = 0.5
                * (2.0 * b
                    + (c - a) * s
                    + (2.0 * a - 5.0 * b + 4.0 * c - d) * s * s
                    + (3.0 * b - a - 3.0 * c + d) * s * s * s);
            assert!((curve.at(0.25 * (i as f64 + s)) - catmull_rom).abs() < 1e-12);
        }
    }
    // The spline overshoots; `Smooth` would not.
    assert!((0..100).any(|i| curve.at(1.25 + 0.0025 * f64::from(i)) > 9.0));
}

/// The effect of the three parameters, as in the paper.
#[test]
fn tension_continuity_and_bias_have_their_effects() {
    let at = |tension, continuity, bias| {
        let ease = Ease::Tcb { tension, continuity, bias };
        let keys = [(0.0, 0.0), (1.0, 10.0), (2.0, 10.0), (3.0, 0.0)];
        curve(&keys.map(|(t, v)| Key::new(t, v).ease(ease)), Extend::Hold)
    };
    let speeds = |curve: &Curve<f64>| (curve.slope_at(1.0 - 1e-12), curve.slope_at(1.0));
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    let (left, right) = speeds(&at(1.0, 0.0, 0.0));
    assert!(near(left, 0.0) && near(right, 0.0), "tight: at rest");
    let (left, right) = speeds(&at(-1.0, 0.0, 0.0));
    assert!(near(left, 10.0) && near(right, 10.0), "loose: twice as fast as 5");
    let (left, right) = speeds(&at(0.0, -1.0, 0.0));
    assert!(near(left, 10.0) && near(right, 0.0), "a corner: straight from key to key");
    let (left, right) = speeds(&at(0.0, 0.0, 1.0));
    assert!(near(left, 10.0) && near(right, 10.0), "as it came");
    let (left, right) = speeds(&at(0.0, 0.0, -1.0));
    assert!(near(left, 0.0) && near(right, 0.0), "as it goes");
}

#[test]
fn in_out_of_zero_is_linear_and_css_names_match() {
    let at = |start, end, share: f64| {
        curve(&[Key::new(0.0, 0.0).ease(Ease::InOut { start, end }), Key::new(1.0, 1.0)], Extend::Hold)
            .at(share)
    };
    for i in 0..=10 {
        let share = f64::from(i) / 10.0;
        assert!((at(0.0, 0.0, share) - share).abs() < 1e-12);
    }
    // `ease-in-out` at a quarter of its time is 0.12916, as browsers print it.
    assert!((at(0.42, 0.42, 0.25) - 0.129_16).abs() < 1e-5);
    assert!(at(0.42, 0.0, 0.5) < 0.5 && at(0.0, 0.42, 0.5) > 0.5);
}

#[test]
fn eases_meet_each_other_without_overshoot_of_smooth() {
    let tcb = Ease::Tcb { tension: -1.0, continuity: 0.0, bias: 1.0 };
    let keys = [Key::new(0.0, 0.0), Key::new(1.0, 1.0).ease(tcb), Key::new(2.0, 30.0), Key::new(3.0, 31.0)];
    let curve = curve(&keys, Extend::Hold);
    for (from, to, low, high) in [(0.0, 1.0, 0.0, 1.0), (2.0, 3.0, 30.0, 31.0)] {
        for i in 0..=100 {
            let value = curve.at(from + (to - from) * f64::from(i) / 100.0);
            assert!(value >= low - 1e-12 && value <= high + 1e-12);
        }
    }
    // The spline arrives with the speed of `Smooth`.
    assert!((curve.slope_at(2.0 - 1e-9) - curve.slope_at(2.0)).abs() < 1e-5);
}

#[test]
fn both_components_of_a_vector_are_interpolated_independently() {
    let ease = Ease::Tcb { tension: 0.3, continuity: -0.2, bias: 0.5 };
    let values = [(0.0, 1.0, 9.0), (0.5, -3.0, 2.0), (1.75, 8.0, 2.5), (2.0, 0.0, 0.0)];
    let both =
        Curve::new(values.map(|(t, x, y)| Key::new(t, Vec2::new(x, y)).ease(ease)).to_vec(), Extend::Loop)
            .expect("sound keys");
    let x = curve(&values.map(|(t, x, _)| Key::new(t, x).ease(ease)), Extend::Loop);
    let y = curve(&values.map(|(t, _, y)| Key::new(t, y).ease(ease)), Extend::Loop);
    for i in 0..60 {
        let time = f64::from(i) * 0.11 - 2.0;
        assert_eq!(both.at(time), Vec2::new(x.at(time), y.at(time)));
        assert_eq!(both.slope_at(time), Vec2::new(x.slope_at(time), y.slope_at(time)));
    }
}

#[test]
fn numbers_out_of_range_are_errors() {
    let curve_with = |ease: Ease| Curve::new(vec![Key::new(0.0, 1.0).ease(ease)], Extend::Hold);
    for wrong in [-0.1, 1.1, f64::NAN] {
        assert_eq!(curve_with(Ease::InOut { start: wrong, end: 0.0 }), Err(CurveError::Number { key: 0 }));
        assert_eq!(curve_with(Ease::InOut { start: 0.0, end: wrong }), Err(CurveError::Number { key: 0 }));
    }
    for wrong in [-1.1, 1.1, f64::INFINITY, f64::NAN] {
        for [tension, continuity, bias] in [[wrong, 0.0, 0.0], [0.0, wrong, 0.0], [0.0, 0.0, wrong]] {
            assert_eq!(
                curve_with(Ease::Tcb { tension, continuity, bias }),
                Err(CurveError::Number { key: 0 })
            );
        }
    }
    // One key has no speed and no extension.
    let still = curve_with(Ease::Tcb { tension: 0.0, continuity: 0.0, bias: 0.0 }).expect("one key");
    assert_eq!((still.at(7.0), still.slope_at(0.0), still.slope_at(f64::NAN)), (1.0, 0.0, 0.0));
}

#[test]
fn a_million_keys_are_quick() {
    let keys: Vec<Key<f64>> = (0..1_000_000).map(|i| Key::new(f64::from(i), f64::from(i % 7))).collect();
    let started = std::time::Instant::now();
    let curve = Curve::new(keys, Extend::Loop).expect("sound keys");
    let sum: f64 = (0..100_000).map(|i| curve.at(f64::from(i) * 97.3)).sum();
    assert!(sum.is_finite() && started.elapsed().as_secs() < 10);
}

#[test]
fn steps_hold_each_drawing_and_are_the_frames_that_they_hold() {
    for fps in [24.0, 25.0, 30_000.0 / 1001.0, 12.5, 60.0] {
        for frames in [2_u32, 3, 4, 7] {
            for frame in 0..5_000_u32 {
                let held = Step { frames, fps }.held(f64::from(frame) / fps);
                assert_eq!(
                    held,
                    f64::from(frame - frame % frames) / fps,
                    "frame {frame} on {frames} at {fps}"
                );
            }
        }
    }
    let step = Step { frames: 1, fps: 24.0 };
    assert_eq!(step.held(0.123), 0.123);
    assert!(Step { frames: 2, fps: 24.0 }.held(f64::NAN).is_nan());
    assert_eq!(Step { frames: 2, fps: 24.0 }.held(-0.01), -2.0 / 24.0);
}

/// At its ends the speed of an ease is the limit of its rise over its run, also where handles lie on their
/// keys.
#[test]
fn handles_on_their_keys_leave_the_direction_to_the_others() {
    let all = [
        [0.0, 0.0, 0.6, 0.3],
        [0.4, 0.7, 1.0, 1.0],
        [0.0, 0.0, 1.0, 1.0],
        [0.0, 0.0, 0.3, 1.4],
        [0.8, -0.4, 1.0, 1.0],
        [0.3, 0.1, 0.5, 0.9],
    ];
    for [x1, y1, x2, y2] in all {
        let ease = Ease::Bezier { x1, y1, x2, y2 };
        let curve = curve(&[Key::new(0.0, 0.0).ease(ease), Key::new(1.0, 1.0)], Extend::Hold);
        let css = CubicBez::new((0.0, 0.0), (x1, y1), (x2, y2), (1.0, 1.0));
        let (start, end) = (css.eval(1e-5), css.eval(1.0 - 1e-5));
        for (time, expected) in [(0.0, start.y / start.x), (1.0, (1.0 - end.y) / (1.0 - end.x))] {
            let found = curve.slope_at(time);
            assert!(
                (found - expected).abs() < 1e-3 * (1.0 + expected.abs()),
                "{ease:?} at {time}: {found} {expected}"
            );
        }
    }
}

/// The way from 0 to 1 in a second.
fn way(ease: Ease, time: f64) -> f64 {
    curve(&[Key::new(0.0, 0.0).ease(ease), Key::new(1.0, 1.0)], Extend::Hold).at(time)
}

/// The formulas as they are published for web pages, one for each easing and side, in radians and powers.
#[test]
fn penner_easings_are_the_published_formulas() {
    use std::f64::consts::PI;
    let pow2 = |x: f64| libm::exp2(x);
    let bounce = |x: f64| match x {
        x if x < 1.0 / 2.75 => 7.5625 * x * x,
        x if x < 2.0 / 2.75 => 7.5625 * (x - 1.5 / 2.75) * (x - 1.5 / 2.75) + 0.75,
        x if x < 2.5 / 2.75 => 7.5625 * (x - 2.25 / 2.75) * (x - 2.25 / 2.75) + 0.9375,
        x => 7.5625 * (x - 2.625 / 2.75) * (x - 2.625 / 2.75) + 0.984_375,
    };
    let (c1, c4, c5) = (1.70158, 2.0 * PI / 3.0, 2.0 * PI / 4.5);
    let (c2, c3) = (c1 * 1.525, c1 + 1.0);
    for step in 0..=400 {
        let x = f64::from(step) / 400.0;
        let back = -2.0 * x + 2.0;
        let power = |n: i32| {
            let both = if x < 0.5 { 2.0_f64.powi(n - 1) * x.powi(n) } else { 1.0 - back.powi(n) / 2.0 };
            [x.powi(n), 1.0 - (1.0 - x).powi(n), both]
        };
        let ends = |of: f64| {
            if x == 0.0 {
                0.0
            } else if x == 1.0 {
                1.0
            } else {
                of
            }
        };
        let formulas: [(EaseShape, [f64; 3]); 10] = [
            (
                EaseShape::Sine,
                [1.0 - libm::cos(x * PI / 2.0), libm::sin(x * PI / 2.0), -(libm::cos(PI * x) - 1.0) / 2.0],
            ),
            (EaseShape::Quad, power(2)),
            (EaseShape::Cubic, power(3)),
            (EaseShape::Quart, power(4)),
            (EaseShape::Quint, power(5)),
            (
                EaseShape::Expo,
                [
                    ends(pow2(10.0 * x - 10.0)),
                    ends(1.0 - pow2(-10.0 * x)),
                    ends(if x < 0.5 {
                        pow2(20.0 * x - 10.0) / 2.0
                    } else {
                        (2.0 - pow2(-20.0 * x + 10.0)) / 2.0
                    }),
                ],
            ),
            (
                EaseShape::Circ,
                [
                    1.0 - (1.0 - x * x).sqrt(),
                    (1.0 - (x - 1.0) * (x - 1.0)).sqrt(),
                    if x < 0.5 {
                        (1.0 - (1.0 - 4.0 * x * x).sqrt()) / 2.0
                    } else {
                        ((1.0 - back * back).sqrt() + 1.0) / 2.0
                    },
                ],
            ),
            (
                EaseShape::Back,
                [
                    c3 * x.powi(3) - c1 * x * x,
                    1.0 + c3 * (x - 1.0).powi(3) + c1 * (x - 1.0).powi(2),
                    if x < 0.5 {
                        (2.0 * x).powi(2) * ((c2 + 1.0) * 2.0 * x - c2) / 2.0
                    } else {
                        ((2.0 * x - 2.0).powi(2) * ((c2 + 1.0) * (x * 2.0 - 2.0) + c2) + 2.0) / 2.0
                    },
                ],
            ),
            (
                EaseShape::Elastic,
                [
                    ends(-pow2(10.0 * x - 10.0) * libm::sin((x * 10.0 - 10.75) * c4)),
                    ends(pow2(-10.0 * x) * libm::sin((x * 10.0 - 0.75) * c4) + 1.0),
                    ends(if x < 0.5 {
                        -(pow2(20.0 * x - 10.0) * libm::sin((20.0 * x - 11.125) * c5)) / 2.0
                    } else {
                        pow2(-20.0 * x + 10.0) * libm::sin((20.0 * x - 11.125) * c5) / 2.0 + 1.0
                    }),
                ],
            ),
            (
                EaseShape::Bounce,
                [
                    1.0 - bounce(1.0 - x),
                    bounce(x),
                    if x < 0.5 {
                        (1.0 - bounce(1.0 - 2.0 * x)) / 2.0
                    } else {
                        (1.0 + bounce(2.0 * x - 1.0)) / 2.0
                    },
                ],
            ),
        ];
        for (shape, ways) in formulas {
            for (side, expected) in [EaseSide::In, EaseSide::Out, EaseSide::InOut].into_iter().zip(ways) {
                let found = way(Ease::Penner(side, shape), x);
                assert!((found - expected).abs() < 1e-9, "{side:?} {shape:?} at {x}: {found}, {expected}");
            }
        }
    }
}

/// The equation of motion of a damped spring, integrated by the method of Runge and Kutta.
#[test]
fn a_spring_is_its_equation_of_motion() {
    let k = libm::log(1000.0);
    for bounce in [0.0, 0.1, 0.5, 0.8, 0.95] {
        let z = 1.0 - bounce;
        let w2 = k * k * (1.0 / (z * z) - 1.0);
        let force = |(y, v): (f64, f64)| (v, (k * k + w2) * (1.0 - y) - 2.0 * k * v);
        let (mut state, mut ways, steps) = ((0.0, 0.0), vec![0.0], 20_000);
        let h = 1.0 / f64::from(steps);
        let along = |(y, v): (f64, f64), (dy, dv): (f64, f64), by: f64| (y + by * dy, v + by * dv);
        for _ in 0..steps {
            let a = force(state);
            let b = force(along(state, a, h / 2.0));
            let c = force(along(state, b, h / 2.0));
            let d = force(along(state, c, h));
            let sum = |a: f64, b: f64, c: f64, d: f64| (a + 2.0 * b + 2.0 * c + d) / 6.0;
            state = along(state, (sum(a.0, b.0, c.0, d.0), sum(a.1, b.1, c.1, d.1)), h);
            ways.push(state.0);
        }
        for at in (0..=20_usize).map(|at| at * 1000) {
            let share = at as f64 * h;
            let expected = ways[at] + (1.0 - ways[ways.len() - 1]) * share;
            let found = way(Ease::Spring { bounce }, share);
            assert!((found - expected).abs() < 1e-6, "{bounce} at {share}: {found}, {expected}");
        }
    }
    let turn =
        curve(&[Key::new(0.0, 0.0).ease(Ease::Spring { bounce: 0.5 }), Key::new(1.0, 60.0)], Extend::Hold);
    let peak = (0..=1000).map(|at| turn.at(f64::from(at) / 1000.0)).fold(0.0, f64::max);
    assert!((peak - 69.8).abs() < 0.1, "{peak}");
    assert_eq!(turn.at(1.0), 60.0);
}

/// CSS Easing Functions Level 1: how many jumps there are up to a time, by counting them.
#[test]
fn steps_are_those_of_css() {
    for (jumps, count, before, all) in [
        (Jumps::End, 4_u32, 0, 4),
        (Jumps::Start, 4, 1, 4),
        (Jumps::None, 4, 0, 3),
        (Jumps::Both, 4, 1, 5),
        (Jumps::End, 1, 0, 1),
        (Jumps::Start, 1, 1, 1),
    ] {
        for frame in 0..100 {
            let time = f64::from(frame) / 100.0;
            let passed = (1..count).filter(|jump| frame * count >= 100 * jump).count() as u32;
            let expected = f64::from(before + passed) / f64::from(all);
            let found = way(Ease::Steps { count, jumps }, time);
            assert!((found - expected).abs() < 1e-12, "{jumps:?} {count} at {time}: {found}, {expected}");
        }
        assert_eq!(way(Ease::Steps { count, jumps }, 1.0), 1.0);
    }
    let none = Key::new(0.0, 0.0).ease(Ease::Steps { count: 1, jumps: Jumps::None });
    assert!(Curve::new(vec![none, Key::new(1.0, 1.0)], Extend::Hold).is_err());
}

proptest! {
    /// A slope is the Bezier curve whose handles are at thirds of the time, on the tangents.
    #[test]
    fn slopes_are_tangents(
        [from, to, leave, arrive] in prop::array::uniform4(-50.0..50.0_f64), run in 0.1..3.0_f64, share in 0.0..1.0_f64,
        loops in any::<bool>(),
    ) {
        let (first, last) = (Ease::Slope { arrive: 7.0, leave }, Ease::Slope { arrive, leave: 9.0 });
        let keys = [Key::new(0.0, from).ease(first), Key::new(run, to).ease(last), Key::new(2.0 * run, from)];
        let found = curve(&keys, if loops { Extend::Loop } else { Extend::Hold });
        let bezier = CubicBez::new(
            (0.0, from), (run / 3.0, from + leave * run / 3.0), (2.0 * run / 3.0, to - arrive * run / 3.0), (run, to),
        );
        prop_assert!((found.at(share * run) - bezier.eval(share).y).abs() < 1e-9);
    }
}

#[test]
fn the_speed_of_a_posed_curve_is_that_of_its_values() {
    let curve = |keys: &[(f64, f64)]| {
        let keys = keys.iter().map(|(time, value)| Key::new(*time, *value)).collect();
        Curve::new(keys, Extend::Loop).expect("a curve")
    };
    let mut posed = curve(&[(0.0, 3.0), (0.4, -20.0), (1.0, 3.0)]).delayed(0.1, Some(1.0));
    posed.add_pose(PosedValue::new(curve(&[(0.0, 0.2), (0.5, 1.4), (1.0, 0.2)]), 50.0, ValueBlend::Replace));
    posed.add_pose(PosedValue::new(
        curve(&[(0.0, -0.5), (0.3, 0.9), (1.0, -0.5)]),
        7.0,
        ValueBlend::Add(2.0),
    ));
    for step in 0..200 {
        // No time of a key.
        let (time, by) = (0.011 + f64::from(step) * 0.01, 1e-6);
        let secant = (posed.at(time + by) - posed.at(time - by)) / (2.0 * by);
        assert!((posed.slope_at(time) - secant).abs() < 1e-3, "{time}: {} {secant}", posed.slope_at(time));
    }
    let mut packed = bone_archive::Writer::new();
    bone_archive::Archive::write(&posed, &mut packed);
    let bytes = packed.finish();
    let read: Curve<f64> =
        bone_archive::Archive::read(&mut bone_archive::Reader::new(&bytes)).expect("the curve");
    assert_eq!(read, posed);
}
