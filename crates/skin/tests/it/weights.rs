//! Automatic weights against closed forms, and against themselves in another order.

use crate::solving::*;
use bone_skin::{
    BoneSegment, CoveredShape, FieldNote, FieldOptions, Method, SolvedField, WindingRule, solve_weights,
};
use kurbo::{BezPath, Shape as _};

// ---- closed forms

/// Two bones that are points in a thin strip: the same equation with d = |x - bone|, here by finite
/// differences.
#[test]
fn heat_between_two_points_agrees_with_a_line() {
    let strip = path("M0 0H200V2H0Z");
    let (a, b) = (20.0, 180.0);
    let (field, _) = solve(&[filled(&strip)], &bones(&[[a, 1.0, a, 1.0], [b, 1.0, b, 1.0]]), Method::Heat);
    const N: usize = 20_001;
    let h = 200.0 / (N - 1) as f64;
    // Thomas' algorithm on (2/h^2 + H) w_i - (w_i-1 + w_i+1)/h^2 = H p.
    let (mut upper, mut right) = (vec![0.0; N], vec![0.0; N]);
    for i in 0..N {
        let x = i as f64 * h;
        let d = (x - a).abs().min((x - b).abs()).max(1e-6);
        let hold = 1.0 / (d * d);
        let p = if (x - b).abs() < (x - a).abs() { 1.0 } else { 0.0 };
        let ends = if i == 0 || i == N - 1 { 1.0 } else { 2.0 };
        let side = 1.0 / (h * h);
        let (before, w) = if i > 0 { (upper[i - 1], right[i - 1]) } else { (0.0, 0.0) };
        let pivot = ends * side + hold * ends / 2.0 + side * before;
        upper[i] = -side / pivot;
        right[i] = (hold * p * ends / 2.0 + side * w) / pivot;
    }
    for i in (0..N - 1).rev() {
        right[i] -= upper[i] * right[i + 1];
    }
    for i in 0..=200 {
        let want = right[i * (N - 1) / 200];
        let got = at(&field, i as f64, 1.0)[1];
        assert!((got - want).abs() < 5e-3, "{i}: {got} instead of {want}");
    }
}

/// On the bones themselves the paper's weights jump within one triangle. Softness spreads the change, in
/// proportion to the depth of the drawing, and leaves what is far from the joint alone.
#[test]
fn softness_rounds_the_joint_on_the_bones() {
    let strip = path("M0 0 H200 V40 H0 Z");
    let bones = bones(&[[0.0, 20.0, 100.0, 20.0], [100.0, 20.0, 200.0, 20.0]]);
    let solved = |softness: f64| {
        let options = FieldOptions { softness, ..FieldOptions::default() };
        solve_weights(&[filled(&strip)], &bones, Method::Heat, options).expect("solvable").0
    };
    let (sharp, soft) = (solved(0.0), solved(FieldOptions::default().softness));
    let second = |field: &SolvedField, x: f64| at(field, x, 20.0)[1];
    assert!(second(&sharp, 108.0) > 0.99 && second(&sharp, 92.0) < 0.01);
    let (before, after) = (second(&soft, 97.0), second(&soft, 103.0));
    assert!(before > 0.2 && after < 0.8 && (before + after - 1.0).abs() < 0.02, "{before} {after}");
    assert!(second(&soft, 140.0) > 0.99);
    // Monotone along the bones.
    let along: Vec<f64> = (0..=100).map(|i| second(&soft, f64::from(i) * 2.0)).collect();
    assert!(along.windows(2).all(|pair| pair[1] >= pair[0] - 1e-3));
}

/// Between two bones across a strip the energy's least is the cubic with level ends; beyond them the bounds
/// hold.
#[test]
fn biharmonic_between_two_bones_is_a_cubic() {
    let strip = path("M0 0H200V10H0Z");
    let (field, notes) = solve(
        &[filled(&strip)],
        &bones(&[[50.0, 0.0, 50.0, 10.0], [150.0, 0.0, 150.0, 10.0]]),
        Method::Biharmonic,
    );
    assert_eq!(notes, []);
    for (i, y) in (0..=100).flat_map(|i| [(i, 1.0), (i, 5.0), (i, 9.5)]) {
        let x = 2.0 * f64::from(i);
        let s = ((x - 50.0) / 100.0).clamp(0.0, 1.0);
        let want = s * s * (3.0 - 2.0 * s);
        let got = at(&field, x, y)[1];
        assert!((got - want).abs() < 5e-3, "{x} {y}: {got} instead of {want}");
    }
}

#[test]
fn on_a_bone_its_weight_is_1() {
    let figure = path(FIGURE);
    for method in MESHED {
        let (field, _) = solve(&[filled(&figure)], &figure_bones(), method);
        for (i, bone) in figure_bones().iter().enumerate() {
            let middle = bone.origin.midpoint(bone.tip);
            let w = at(&field, middle.x, middle.y);
            assert!(w[i] > 0.97, "{method:?} bone {i}: {w:?}");
        }
    }
}

/// Bars under a body with two bones, farther away than one and a half times its depth of 20; no bone enters
/// a bar. Each has weights as if it were bound alone, wherever its ends are, although corners of the body are
/// near the lines from it to the bones.
#[test]
fn a_piece_far_from_what_has_bones_has_weights_as_if_it_were_alone() {
    let body = path("M0 0H200V40H0Z");
    let within = bones(&[[0.0, 20.0, 100.0, 20.0], [100.0, 20.0, 200.0, 20.0]]);
    // The second bone leaves the body, and is visible from everywhere: the first is behind the body's border.
    let beyond = bones(&[[0.0, 20.0, 100.0, 20.0], [100.0, 20.0, 260.0, 20.0]]);
    for (bones, bar) in [&within, &beyond].into_iter().flat_map(|bones| {
        ["M0 80H200V100H0Z", "M40 71H160V80H40Z", "M40 72H160V92H40Z"].map(|bar| (bones, path(bar)))
    }) {
        for method in MESHED {
            let (both, notes) = solve(&[filled(&body), filled(&bar)], bones, method);
            // Biharmonic weights have no handle there, and leave such a piece to heat.
            let (alone, _) = solve(&[filled(&bar)], bones, Method::Heat);
            assert!(matches!(notes.as_slice(), [FieldNote::PieceWithoutBone { .. }]), "{notes:?}");
            let bounds = bar.bounding_box();
            for i in 0..=20 {
                let (x, y) = (bounds.x0 + bounds.width() * f64::from(i) / 20.0, bounds.center().y);
                let (a, b) = (at(&both, x, y)[1], at(&alone, x, y)[1]);
                // The meshes differ, because their triangles are distributed over other areas.
                assert!((a - b).abs() < 0.01, "{method:?} {bounds:?} at {x}: {a} beside a body, {b} alone");
            }
            let ends = (at(&both, bounds.x0, bounds.y0)[1], at(&both, bounds.x1, bounds.y0)[1]);
            assert!(ends.0 < 0.5 && ends.1 > 0.5, "{ends:?}");
        }
    }
}

// ---- what must not matter

fn assert_same(a: &SolvedField, b: &SolvedField, swap: &[usize], what: &str) {
    for (x, y) in scatter(60.0, 20.0, 540.0, 640.0) {
        let (v, w) = (at(a, x, y), at(b, x, y));
        for (i, &k) in swap.iter().enumerate() {
            assert!((v[i] - w[k]).abs() <= 1e-12, "{what} at {x} {y}: {v:?} {w:?}");
        }
    }
}

#[test]
fn listing_order_and_direction_do_not_matter() {
    let (figure, hat) = (path(FIGURE), path("M220 60 Q300 -30 380 60 Z"));
    let belt = path("M190 350 C250 380 350 380 410 350");
    let stroke = CoveredShape { path: &belt, fill: None, stroke_width: 14.0 };
    let bones = figure_bones();
    let same: Vec<usize> = (0..bones.len()).collect();
    for method in MESHED {
        let (want, _) = solve(&[filled(&figure), filled(&hat), stroke], &bones, method);
        let (got, _) = solve(&[stroke, filled(&hat), filled(&figure)], &bones, method);
        assert_same(&want, &got, &same, "order of shapes");
        let turned = [&figure, &hat, &belt].map(BezPath::reverse_subpaths);
        let stroke_turned = CoveredShape { path: &turned[2], ..stroke };
        let (got, _) = solve(&[filled(&turned[0]), filled(&turned[1]), stroke_turned], &bones, method);
        assert_same(&want, &got, &same, "direction");
        let backwards: Vec<BoneSegment> = bones.iter().rev().copied().collect();
        let (got, _) = solve(&[filled(&figure), filled(&hat), stroke], &backwards, method);
        assert_same(&want, &got, &same.iter().rev().copied().collect::<Vec<_>>(), "order of bones");
    }
}

#[test]
fn the_first_vertex_does_not_matter() {
    let bones = bones(&[[100.0, 100.0, 300.0, 100.0], [300.0, 100.0, 500.0, 160.0]]);
    let a = path("M60 60 L540 50 C560 100 560 150 540 200 L300 130 L60 140 Z");
    let b = path("M540 200 L300 130 L60 140 L60 60 L540 50 C560 100 560 150 540 200 Z");
    for method in MESHED {
        for width in [0.0, 30.0] {
            let shape = |path| CoveredShape { stroke_width: width, ..filled(path) };
            let (a, b) = (solve(&[shape(&a)], &bones, method).0, solve(&[shape(&b)], &bones, method).0);
            assert_same(&a, &b, &[0, 1], "first vertex");
        }
    }
}

#[test]
fn runs_repeat_bit_for_bit() {
    let figure = path(FIGURE);
    let row = || {
        let (field, _) = solve(&[filled(&figure)], &figure_bones(), Method::Biharmonic);
        scatter(60.0, 20.0, 540.0, 640.0)
            .flat_map(|(x, y)| at(&field, x, y))
            .map(f64::to_bits)
            .collect::<Vec<_>>()
    };
    assert_eq!(row(), row());
}

#[test]
fn a_symmetric_drawing_has_symmetric_weights() {
    let shape = path("M-100 0 C-100 -40 -40 -60 0 -60 C40 -60 100 -40 100 0 L80 90 L20 30 L-20 30 L-80 90 Z");
    let bones = bones(&[[-70.0, -10.0, -70.0, 60.0], [0.0, -50.0, 0.0, 10.0], [70.0, -10.0, 70.0, 60.0]]);
    for (method, tolerance) in [(Method::Heat, 0.01), (Method::Biharmonic, 0.03)] {
        let (field, _) = solve(&[filled(&shape)], &bones, method);
        for (x, y) in scatter(-100.0, -60.0, 100.0, 90.0) {
            let (a, b) = (at(&field, x, y), at(&field, -x, y));
            for (i, j) in [(0, 2), (1, 1), (2, 0)] {
                assert!((a[i] - b[j]).abs() < tolerance, "{method:?} {x} {y}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn the_size_and_place_of_the_drawing_do_not_matter() {
    let plain = path("M0 0H200V30H0Z");
    let lines = [[10.0, 15.0, 100.0, 15.0], [100.0, 15.0, 190.0, 15.0]];
    for (scale, shift) in [(1e9, 0.0), (1e-9, 0.0), (1.0, 1e6), (1e-90, 0.0), (1e90, 0.0)] {
        let map = |v: f64| v * scale + shift;
        let moved = kurbo::Affine::new([scale, 0.0, 0.0, scale, shift, shift]) * plain.clone();
        let bones_there = bones(&lines.map(|l| l.map(map)));
        for method in METHODS {
            let (a, _) = solve(&[filled(&plain)], &bones(&lines), method);
            let (b, _) = solve(&[filled(&moved)], &bones_there, method);
            for x in 0..=20 {
                let x = 10.0 * f64::from(x) + 0.1;
                let (v, w) = (at(&a, x, 11.0), at(&b, map(x), map(11.0)));
                assert!((v[0] - w[0]).abs() < 1e-3, "{method:?} {scale} {shift} {x}: {v:?} {w:?}");
            }
        }
    }
}

// ---- the interior

#[test]
fn a_hole_is_outside() {
    // A slot; the right bone is nearer to what lies left of it.
    let lines = [[10.0, 20.0, 10.0, 80.0], [56.0, 20.0, 56.0, 80.0]];
    let slot = path("M0 0H100V100H0Z M48 4H52V96H48Z");
    let whole = path("M0 0H100V100H0Z");
    let even = CoveredShape { fill: Some(WindingRule::EvenOdd), ..filled(&slot) };
    let (around, _) = solve(&[even], &bones(&lines), Method::Heat);
    let (across, _) = solve(&[filled(&whole)], &bones(&lines), Method::Heat);
    assert!(at(&around, 46.0, 50.0)[0] > 0.9, "{:?}", at(&around, 46.0, 50.0));
    assert!(at(&across, 46.0, 50.0)[0] < 0.2, "{:?}", at(&across, 46.0, 50.0));
    // Both contours run the same way: without the even-odd rule there is no hole.
    let (nonzero, _) = solve(&[filled(&slot)], &bones(&lines), Method::Heat);
    assert!(at(&nonzero, 46.0, 50.0)[0] < 0.2);
    // A shape on top closes the hole.
    let patch = path("M40 0H60V100H40Z");
    let (patched, _) = solve(&[even, filled(&patch)], &bones(&lines), Method::Heat);
    assert!(at(&patched, 46.0, 50.0)[0] < 0.2);
}

#[test]
fn legs_that_nearly_touch_stay_separate() {
    let trousers = path("M0 0H100V200H50.5V40H49.5V200H0Z");
    let lines = [[15.0, 60.0, 15.0, 190.0], [60.0, 60.0, 60.0, 190.0], [50.0, 5.0, 50.0, 30.0]];
    for method in MESHED {
        let (field, _) = solve(&[filled(&trousers)], &bones(&lines), method);
        for y in [110.0, 150.0, 190.0] {
            let (left, right) = (at(&field, 48.0, y), at(&field, 52.0, y));
            assert!(left[0] > 0.97 && right[1] > 0.97, "{method:?} {y}: {left:?} {right:?}");
        }
    }
}

#[test]
fn a_thin_neck_connects() {
    let dumbbell = path("M0 0H80V49.9H120V0H200V100H120V50.1H80V100H0Z");
    for method in MESHED {
        let (field, notes) = solve(&[filled(&dumbbell)], &bones(&[[20.0, 50.0, 60.0, 50.0]]), method);
        assert_eq!(notes, [], "{method:?}");
        assert_eq!(at(&field, 190.0, 50.0), [1.0]);
    }
}

#[test]
fn touching_shapes_are_one() {
    // A shared edge, an overlap, and an invisible gap.
    for gap in [0.0, -3.0, 0.3] {
        let (a, b) = (path("M0 0H100V40H0Z"), path(&format!("M{} 0H200V40H{}Z", 100.0 + gap, 100.0 + gap)));
        for method in MESHED {
            let (_, notes) = solve(
                &[filled(&a), filled(&b)],
                &bones(&[[10.0, 20.0, 50.0, 20.0], [50.0, 20.0, 90.0, 20.0]]),
                method,
            );
            assert_eq!(notes, [], "{gap} {method:?}");
        }
    }
}

#[test]
fn an_open_stroke_alone_is_enough() {
    let tail = path("M0 0 C60 -80 120 80 200 0");
    let lines = [[0.0, 0.0, 60.0, -20.0], [60.0, -20.0, 130.0, 20.0], [130.0, 20.0, 200.0, 0.0]];
    for (method, stroke_width) in MESHED.iter().flat_map(|&m| [(m, 6.0), (m, 0.0), (m, 0.01)]) {
        let shape = CoveredShape { path: &tail, fill: None, stroke_width };
        let (field, notes) = solve(&[shape], &bones(&lines), method);
        assert_eq!(notes, [], "{method:?} {stroke_width}");
        assert!(field.triangles().len() > 1000);
        assert!(at(&field, 20.0, -18.0)[0] > 0.8, "{method:?} {stroke_width} {:?}", at(&field, 20.0, -18.0));
        assert!(at(&field, 185.0, 12.0)[2] > 0.8, "{method:?} {stroke_width} {:?}", at(&field, 185.0, 12.0));
    }
}

#[test]
fn islands_follow_their_own_bones_or_the_nearest() {
    let (a, b, c) = (path("M0 0H50V50H0Z"), path("M100 0H150V50H100Z"), path("M300 0H350V50H300Z"));
    let lines = [[10.0, 25.0, 40.0, 25.0], [110.0, 25.0, 140.0, 25.0]];
    for method in MESHED {
        let (field, notes) = solve(&[filled(&a), filled(&b), filled(&c)], &bones(&lines), method);
        assert!(
            matches!(notes[..], [FieldNote::PieceWithoutBone { at, pieces: 1 }] if at.x >= 299.9),
            "{notes:?}"
        );
        assert!(at(&field, 45.0, 10.0)[0] > 0.99);
        assert!(at(&field, 105.0, 10.0)[1] > 0.99);
        assert!(at(&field, 320.0, 10.0)[1] > 0.99);
    }
}

#[test]
fn outside_the_drawing_weights_are_those_of_the_nearest_point() {
    let strip = path("M0 0H200V20H0Z");
    let (field, _) = solve(
        &[filled(&strip)],
        &bones(&[[0.0, 10.0, 100.0, 10.0], [100.0, 10.0, 200.0, 10.0]]),
        Method::Heat,
    );
    for x in [3.0, 88.0, 101.0, 177.0] {
        let (edge, above) = (at(&field, x, 0.0), at(&field, x, -300.0));
        // The border of the mesh is within a grid step of the drawn one.
        assert!((edge[0] - above[0]).abs() < 1e-3, "{x}");
    }
    for (x, y) in
        [(f64::NAN, 0.0), (f64::INFINITY, f64::NEG_INFINITY), (1e300, -1e300), (-0.0, f64::MIN_POSITIVE)]
    {
        for method in METHODS {
            at(&solve(&[filled(&strip)], &bones(&[[0.0, 0.0, 9.0, 0.0]]), method).0, x, y);
        }
    }
}
