//! Strokes of a brush on found weights, against the formula of one stroke and what must hold for any.

use std::sync::Arc;

use bone_core::BoneId;
use bone_skin::{BrushEffect, BrushStroke, Method, SolvedField};
use kurbo::Point;

use crate::solving::{at, bones, filled, path, scatter, solve};

const ARM: &str = "M0 0H200V40H0Z";

fn arm(method: Method) -> Arc<SolvedField> {
    let arm = path(ARM);
    let lines = [[0.0, 20.0, 70.0, 20.0], [70.0, 20.0, 140.0, 20.0], [140.0, 20.0, 200.0, 20.0]];
    Arc::new(solve(&[filled(&arm)], &bones(&lines), method).0)
}

fn add(bone: u32, add: f64, width: f64, line: &[(f64, f64)]) -> BrushStroke {
    let line = line.iter().map(|at| Point::from(*at)).collect();
    BrushStroke { effect: BrushEffect::Add(BoneId::new(bone), add), width, line, locked: Vec::new() }
}

fn smooth(amount: f64, width: f64, line: &[(f64, f64)]) -> BrushStroke {
    BrushStroke { effect: BrushEffect::Smooth(amount), ..add(0, 0.0, width, line) }
}

/// The distance of a line of two points, by a fine walk along it.
fn distance(line: [(f64, f64); 2], x: f64, y: f64) -> f64 {
    let walk = (0..=20_000).map(|i| f64::from(i) / 20_000.0);
    let near = walk.map(|t| {
        let (px, py) = (line[0].0 + (line[1].0 - line[0].0) * t, line[0].1 + (line[1].1 - line[0].1) * t);
        Point::new(px, py).distance(Point::new(x, y))
    });
    near.fold(f64::INFINITY, f64::min)
}

#[test]
fn a_stroke_adds_what_its_formula_says_and_nothing_beyond_its_width() {
    let line = [(60.0, 5.0), (120.0, 35.0)];
    for method in [Method::Heat, Method::Rigid, Method::Envelope, Method::InverseDistance(2.0)] {
        let before = arm(method);
        let after = Arc::clone(&before).painted(&[add(2, 0.3, 14.0, &line)]);
        let mut touched = 0;
        for (x, y) in scatter(0.0, 0.0, 200.0, 40.0) {
            let (was, is) = (at(&before, x, y), at(&after, x, y));
            let t = (1.0 - distance(line, x, y) / 14.0).clamp(0.0, 1.0);
            let wanted = (was[2] + 0.3 * t * t * (3.0 - 2.0 * t)).min(1.0);
            assert!((is[2] - wanted).abs() < 1e-5, "{method:?}: {} {wanted} at {x} {y}", is[2]);
            // The others share the rest as they did.
            assert!((is[0] * was[1] - is[1] * was[0]).abs() < 1e-12);
            touched += usize::from(t > 0.0);
        }
        assert!(touched > 50, "{touched}");
    }
}

#[test]
fn less_along_the_same_line_takes_back_what_more_gave() {
    let line = [(60.0, 5.0), (120.0, 35.0)];
    let before = arm(Method::Heat);
    let strokes = [add(2, 0.3, 14.0, &line), add(2, -0.3, 14.0, &line)];
    let after = Arc::clone(&before).painted(&strokes);
    for (x, y) in scatter(0.0, 0.0, 200.0, 40.0) {
        // Where there was room for all of it.
        let was = at(&before, x, y);
        if was[2] < 0.7 {
            let off = was.iter().zip(at(&after, x, y)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 0.01, "{off} at {x} {y}");
        }
    }
}

#[test]
fn locked_bones_keep_their_shares() {
    let before = arm(Method::Heat);
    for effect in [add(2, 0.6, 30.0, &[(70.0, 20.0)]), smooth(1.0, 30.0, &[(70.0, 20.0)])] {
        let stroke = BrushStroke { locked: vec![BoneId::new(0)], ..effect };
        let after = Arc::clone(&before).painted(&[stroke]);
        for (x, y) in scatter(40.0, 0.0, 110.0, 40.0) {
            assert!((at(&before, x, y)[0] - at(&after, x, y)[0]).abs() < 1e-12);
        }
    }
    // The bone itself locked: nothing changes.
    let stroke = BrushStroke { locked: vec![BoneId::new(2)], ..add(2, 0.6, 30.0, &[(70.0, 20.0)]) };
    let after = Arc::clone(&before).painted(&[stroke]);
    for (x, y) in scatter(40.0, 0.0, 110.0, 40.0) {
        assert!(at(&before, x, y).iter().zip(at(&after, x, y)).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}

#[test]
fn smoothing_lowers_the_steepest_change_and_keeps_what_is_even() {
    let before = arm(Method::Rigid);
    let steepest = |field: &SolvedField| {
        let each = (0..400).map(|i| at(field, f64::from(i) * 0.5 + 0.25, 20.0)[1]).collect::<Vec<_>>();
        each.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max)
    };
    assert!((steepest(&before) - 1.0).abs() < 1e-12, "nearest bones change at once");
    let line = [(40.0, 20.0), (170.0, 20.0)];
    let once = Arc::clone(&before).painted(&[smooth(1.0, 30.0, &line)]);
    let twice = Arc::clone(&before).painted(&[smooth(1.0, 30.0, &line), smooth(1.0, 30.0, &line)]);
    let (one, two) = (steepest(&once), steepest(&twice));
    assert!(one < 0.2 && two < one, "{one} {two}");
    // Far from any change the mean is what was there.
    assert_eq!(at(&once, 105.0, 20.0)[1], 1.0);
    // Sixty strokes over each other cost sixty times one.
    let many: Vec<BrushStroke> = (0..60).map(|_| smooth(0.5, 30.0, &line)).collect();
    assert!(steepest(&before.painted(&many)) < two);
}

#[test]
fn strokes_of_any_numbers_leave_shares_between_0_and_1() {
    let before = arm(Method::Heat);
    let wild = [f64::NAN, f64::INFINITY, -1e300, 1e-300, 0.0, -5.0, 1e300, 7.0];
    let mut strokes = vec![add(9, 0.5, 20.0, &[(70.0, 20.0)]), add(1, 0.5, 20.0, &[])];
    for a in wild {
        for width in wild {
            strokes.push(add(1, a, width, &[(a, 20.0), (70.0, 20.0)]));
            strokes.push(add(1, a, width, &[(70.0, 20.0)]));
            strokes.push(smooth(a, width, &[(70.0, 20.0), (71.0, width)]));
        }
    }
    let after = before.painted(&strokes);
    scatter(0.0, 0.0, 200.0, 40.0).for_each(|(x, y)| drop(at(&after, x, y)));
}
