//! Automatic weights on invalid drawings and bones: a note or an error, never a panic or an endless loop.

use crate::solving::*;
use std::sync::atomic::AtomicBool;

use bone_core::{BoneId, InfluenceRegion};
use bone_skin::{
    BoneSegment, CoveredShape, FieldError, FieldNote, FieldOptions, Method, WindingRule, solve_weights,
    solve_weights_unless,
};
use kurbo::{BezPath, Point};

// ---- regions

#[test]
fn points_outside_all_regions_are_reported() {
    let strip = path("M0 0H200V20H0Z");
    let mut two = bones(&[[0.0, 10.0, 90.0, 10.0], [110.0, 10.0, 120.0, 10.0]]);
    two.iter_mut().for_each(|b| b.region = Some(InfluenceRegion { origin_radius: 15.0, tip_radius: 15.0 }));
    let (field, notes) = solve(&[filled(&strip)], &two, Method::Envelope);
    assert!(matches!(notes[..], [FieldNote::OutsideRegions { shape: 0, at }] if at.x == 200.0), "{notes:?}");
    assert_eq!(at(&field, 200.0, 0.0), [0.0, 1.0]);
    assert_eq!(at(&field, 40.0, 10.0), [1.0, 0.0]);
}

// ---- bad input

#[test]
fn a_cancelled_solve_has_no_weights() {
    let strip = path("M0 0H200V20H0Z");
    let two = bones(&[[0.0, 10.0, 90.0, 10.0], [90.0, 10.0, 190.0, 10.0]]);
    for method in [Method::Heat, Method::Biharmonic] {
        let run = |cancel: bool| {
            let cancel = AtomicBool::new(cancel);
            solve_weights_unless(&cancel, (&[filled(&strip)], &[]), &two, method, FieldOptions::default())
                .err()
        };
        assert_eq!((run(true), run(false)), (Some(FieldError::Cancelled), None));
    }
}

#[test]
fn no_bones_or_no_shapes() {
    let line = path("M0 0L9 9");
    let one = bones(&[[0.0, 0.0, 9.0, 0.0]]);
    let run = |shapes: &[CoveredShape<'_>], bones: &[BoneSegment], method| {
        solve_weights(shapes, bones, method, FieldOptions::default()).map(|(_, notes)| notes)
    };
    for method in METHODS {
        assert_eq!(run(&[filled(&line)], &[], method), Err(FieldError::NoBones));
        assert_eq!(
            run(&[filled(&line)], &[one[0], one[0]], method),
            Err(FieldError::BoneTwice { bone: BoneId::new(0) })
        );
        let nowhere = bones(&[[0.0, f64::NAN, 9.0, 0.0]]);
        assert_eq!(
            run(&[filled(&line)], &nowhere, method),
            Err(FieldError::BoneNotFinite { bone: BoneId::new(0) })
        );
    }
    let (empty, mut broken) = (BezPath::new(), BezPath::new());
    broken.move_to((0.0, 0.0));
    broken.curve_to((f64::NAN, 0.0), (9.0, 9.0), (3.0, 3.0));
    broken.line_to((f64::INFINITY, 0.0));
    for method in MESHED {
        assert_eq!(run(&[], &one, method), Err(FieldError::NoShapes));
        assert_eq!(run(&[filled(&empty)], &one, method), Err(FieldError::NoShapes));
        assert_eq!(run(&[filled(&broken)], &one, method), Err(FieldError::ShapesNotFinite));
        let square = path("M0 0H9V9H0Z");
        let nan_stroke = CoveredShape { stroke_width: f64::NAN, ..filled(&square) };
        let notes = run(&[filled(&empty), filled(&broken), filled(&square), nan_stroke], &one, method)
            .expect("one is fine");
        assert_eq!(
            notes,
            [
                FieldNote::ShapeEmpty { shape: 0 },
                FieldNote::ShapeNotFinite { shape: 1 },
                FieldNote::ShapeNotFinite { shape: 3 }
            ]
        );
    }
    assert_eq!(run(&[], &one, Method::Rigid), Ok(vec![]));
    assert_eq!(run(&[], &one, Method::Envelope), Ok(vec![]));
}

#[test]
fn shapes_without_area_have_weights() {
    let lines = [[0.0, 0.0, 50.0, 0.0], [50.0, 0.0, 100.0, 0.0]];
    for svg in [
        "M0 0L100 0",
        "M0 0L100 0Z",
        "M0 0L50 0L100 0L0 0Z",
        "M0 0C50 0 70 0 100 0Z",
        "M0 0 0 0 0 0L100 0L0 0",
    ] {
        let line = path(svg);
        for method in MESHED {
            let (field, _) = solve(&[filled(&line)], &bones(&lines), method);
            assert!(at(&field, 3.0, 0.0)[0] > 0.95 && at(&field, 97.0, 0.0)[1] > 0.95, "{svg} {method:?}");
        }
    }
    for svg in ["M5 5", "M5 5Z", "M5 5L5 5", "M5 5Q5 5 5 5Z"] {
        let point = path(svg);
        for method in MESHED {
            let (field, notes) = solve(&[filled(&point)], &bones(&lines), method);
            assert_eq!(notes, [FieldNote::NoArea], "{svg}");
            assert_eq!(at(&field, 5.0, 5.0), [1.0, 0.0]);
            // A dot of a pen has an extent.
            let dot = CoveredShape { path: &point, fill: None, stroke_width: 4.0 };
            let (_, notes) = solve(&[dot], &bones(&lines), method);
            assert!(!notes.contains(&FieldNote::NoArea), "{notes:?}");
        }
    }
}

#[test]
fn bones_on_each_other_share() {
    let strip = path("M0 0H100V20H0Z");
    let lines = [[10.0, 10.0, 50.0, 10.0], [50.0, 10.0, 10.0, 10.0], [50.0, 10.0, 90.0, 10.0]];
    for method in MESHED {
        let (field, notes) = solve(&[filled(&strip)], &bones(&lines), method);
        assert_eq!(notes, [FieldNote::BonesCoincide { first: BoneId::new(0), second: BoneId::new(1) }]);
        for (x, y) in scatter(0.0, 0.0, 100.0, 20.0) {
            let w = at(&field, x, y);
            assert!((w[0] - w[1]).abs() < 1e-12, "{w:?}");
        }
        assert!(at(&field, 20.0, 10.0)[0] > 0.49);
    }
}

#[test]
fn bones_without_length_or_far_away_are_reported() {
    let strip = path("M0 0H100V20H0Z");
    let lines = [[20.0, 10.0, 20.0, 10.0], [80.0, 10.0, 80.0, 10.0], [50.0, 900.0, 50.0, 990.0]];
    for method in MESHED {
        let (field, notes) = solve(&[filled(&strip)], &bones(&lines), method);
        let [a, b, c] = [0, 1, 2].map(BoneId::new);
        assert_eq!(
            notes,
            [
                FieldNote::BoneWithoutLength { bone: a },
                FieldNote::BoneWithoutLength { bone: b },
                FieldNote::BoneWithoutShare { bone: c }
            ]
        );
        assert!(at(&field, 20.0, 10.0)[0] > 0.95 && at(&field, 80.0, 10.0)[1] > 0.95);
    }
}

#[test]
fn a_bone_beside_the_drawing_still_has_influence() {
    let strip = path("M0 0H100V6H0Z");
    for method in MESHED {
        let (field, notes) =
            solve(&[filled(&strip)], &bones(&[[0.0, 3.0, 50.0, 3.0], [50.0, 9.0, 100.0, 9.0]]), method);
        assert_eq!(notes, []);
        assert!(
            at(&field, 10.0, 3.0)[0] > 0.95 && at(&field, 90.0, 3.0)[1] > 0.9,
            "{method:?} {:?}",
            at(&field, 90.0, 3.0)
        );
    }
}

#[test]
fn self_crossing_paths_are_fine() {
    let bones = bones(&[[10.0, 50.0, 50.0, 50.0], [50.0, 50.0, 90.0, 50.0]]);
    let star = path("M50 0 L79 90 L2 35 L98 35 L21 90 Z");
    let eight = path("M0 0L100 100V0L0 100Z");
    for method in MESHED {
        for rule in [WindingRule::NonZero, WindingRule::EvenOdd] {
            for shape in [&star, &eight] {
                for stroke_width in [0.0, 9.0] {
                    let shape = CoveredShape { path: shape, fill: Some(rule), stroke_width };
                    let (field, _) = solve(&[shape], &bones, method);
                    scatter(0.0, 0.0, 100.0, 100.0).for_each(|(x, y)| drop(at(&field, x, y)));
                    assert!(at(&field, 20.0, 45.0)[0] > 0.7 && at(&field, 80.0, 45.0)[1] > 0.7);
                }
            }
        }
    }
}

/// A random number generator without a dependency: the same numbers everywhere.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn a_hundred_thousand_vertices_end_in_time() {
    let mut random = noise(7);
    let (mut rough, mut scribble) = (BezPath::new(), BezPath::new());
    const N: u32 = 100_000;
    for i in 0..N {
        let t = f64::from(i) / f64::from(N) * std::f64::consts::TAU;
        let r = 300.0 + 8.0 * random();
        let p = Point::new(r * libm::cos(t), r * libm::sin(t));
        let q = Point::new(600.0 * random(), 600.0 * random());
        if i == 0 {
            rough.move_to(p);
            scribble.move_to(q);
        } else {
            rough.line_to(p);
            scribble.line_to(q);
        }
    }
    rough.close_path();
    let bones = bones(&[[-200.0, 0.0, 0.0, 0.0], [0.0, 0.0, 200.0, 0.0]]);
    for shape in [&rough, &scribble] {
        for stroke_width in [0.0, 3.0] {
            let start = std::time::Instant::now();
            let (field, notes) =
                solve(&[CoveredShape { stroke_width, ..filled(shape) }], &bones, Method::Heat);
            assert!(matches!(notes[0], FieldNote::Coarse { .. }), "{notes:?}");
            assert!(field.triangles().len() < 20_000);
            assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
        }
    }
}

#[test]
fn drawings_of_noise_neither_panic_nor_hang() {
    let mut random = noise(1);
    for round in 0..60 {
        let scale = [1.0, 100.0, 1e-9, 1e9][round % 4];
        let mut grid = || {
            // Many shapes on a coarse grid: shared vertices, overlaps, lines without area.
            let v = random() * 10.0;
            if round % 3 == 0 { v.floor() * scale } else { v * scale }
        };
        let mut art = BezPath::new();
        for k in 0..3 + round % 20 {
            let mut p = || Point::new(grid(), grid());
            match k % 7 {
                0 => art.move_to(p()),
                1 | 2 => art.line_to(p()),
                3 => art.quad_to(p(), p()),
                6 => art.close_path(),
                _ => art.curve_to(p(), p(), p()),
            }
        }
        let lines: Vec<[f64; 4]> = (0..3).map(|_| [grid(), grid(), grid(), grid()]).collect();
        let fill = [Some(WindingRule::NonZero), Some(WindingRule::EvenOdd), None][round % 3];
        let shape =
            CoveredShape { path: &art, fill, stroke_width: if round % 2 == 0 { 0.0 } else { scale * 0.4 } };
        let options = FieldOptions { triangles: 400, ..FieldOptions::default() };
        for method in MESHED {
            let (field, _) = solve_weights(&[shape], &bones(&lines), method, options).expect("finite");
            for (x, y) in scatter(0.0, 0.0, 10.0 * scale, 10.0 * scale) {
                at(&field, x, y);
            }
        }
    }
}
