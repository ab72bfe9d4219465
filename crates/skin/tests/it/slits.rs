//! Art whose shapes do not quite touch, and art that no bone enters.

use bone_skin::{CoveredShape, FieldNote, FieldOptions, Method, SolvedField, WindingRule, solve_weights};
use kurbo::{BezPath, CubicBez, ParamCurve, Point, Shape, Vec2};

use crate::solving::{MESHED, at, bones, filled, path};

/// The outline of an L-shaped band 36 wide in a box of 280, grown by a distance.
fn band(grown: f64) -> String {
    let (low, arm, inner, high) = (-grown, 36.0 + grown, 244.0 - grown, 280.0 + grown);
    format!("M{low} {low}H{arm}V{inner}H{high}V{high}H{low}Z")
}

fn solved(shapes: &[CoveredShape<'_>], lines: &[[f64; 4]], method: Method) -> (SolvedField, Vec<FieldNote>) {
    solve_weights(shapes, &bones(lines), method, FieldOptions::default()).expect("solvable")
}

fn jump(field: &SolvedField, a: Point, b: Point) -> f64 {
    let (a, b) = (at(field, a.x, a.y), at(field, b.x, b.y));
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Points along a polygon with the direction outwards.
fn border(path: &BezPath) -> Vec<(Point, Vec2)> {
    let sides = path.segments().filter(|side| (side.end() - side.start()).hypot() > 0.0);
    let places = sides.flat_map(|side| {
        let along = (side.end() - side.start()).normalize();
        (0..=40).map(move |i| (side.eval(f64::from(i) / 40.0), Vec2::new(along.y, -along.x)))
    });
    places.collect()
}

const BENT: [[f64; 4]; 2] = [[18.0, 4.0, 18.0, 262.0], [18.0, 262.0, 276.0, 262.0]];

#[test]
fn ink_that_does_not_quite_touch_its_colour_follows_it() {
    let colour = path(&band(0.0));
    assert!(colour.area() > 0.0);
    for gap in [0.0, 0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.5] {
        let ink = path(&format!("{}{}", band(gap + 4.0), band(gap)));
        let ink = CoveredShape { path: &ink, fill: Some(WindingRule::EvenOdd), stroke_width: 0.0 };
        for method in MESHED {
            for shapes in [[filled(&colour), ink], [ink, filled(&colour)]] {
                let (field, notes) = solved(&shapes, &BENT, method);
                assert_eq!(notes, [], "{gap} {method:?}");
                let across = border(&colour).into_iter().map(|(p, out)| jump(&field, p, p + out * gap));
                let worst = across.fold(0.0, f64::max);
                println!("gap {gap}, {method:?}: {worst:.4}");
                assert!(worst <= 0.02, "gap {gap}, {method:?}: weights jump by {worst}");
            }
        }
    }
}

/// Two neighbours have one edge, which each cuts at a place of its own.
#[test]
fn an_edge_that_two_shapes_cut_at_other_places_does_not_part_them() {
    let edge = CubicBez::new((0.0, 60.0), (70.0, 10.0), (130.0, 110.0), (200.0, 60.0));
    let along = |cut: f64| {
        let (a, b) = (edge.subsegment(0.0..cut), edge.subsegment(cut..1.0));
        let mut path = BezPath::new();
        path.move_to(a.p0);
        path.curve_to(a.p1, a.p2, a.p3);
        path.curve_to(b.p1, b.p2, b.p3);
        path
    };
    let (mut above, mut below) = (along(0.37), along(0.5));
    for (path, y) in [(&mut above, 0.0), (&mut below, 120.0)] {
        path.line_to((200.0, y));
        path.line_to((0.0, y));
        path.close_path();
    }
    let lines = [[5.0, 30.0, 100.0, 30.0], [100.0, 30.0, 195.0, 30.0]];
    for method in MESHED {
        let (field, notes) = solved(&[filled(&above), filled(&below)], &lines, method);
        assert_eq!(notes, []);
        for i in 0..=100 {
            let at = edge.eval(f64::from(i) / 100.0);
            let jump = jump(&field, at - Vec2::new(0.0, 0.05), at + Vec2::new(0.0, 0.05));
            assert!(jump <= 0.02, "{method:?} at {at:?}: {jump}");
        }
    }
}

#[test]
fn parts_of_one_shape_stay_apart() {
    // A gap of 0.03 % of the drawing between two legs.
    let legs = path("M0 0H100V200H50.03V40H49.97V200H0Z");
    let lines = [[15.0, 60.0, 15.0, 190.0], [85.0, 60.0, 85.0, 190.0], [50.0, 5.0, 50.0, 30.0]];
    for method in MESHED {
        for shapes in [vec![filled(&legs)], vec![filled(&legs), filled(&legs)]] {
            let (field, _) = solved(&shapes, &lines, method);
            for y in [120.0, 150.0, 190.0] {
                let (left, right) = (at(&field, 45.0, y), at(&field, 55.0, y));
                assert!(left[1] <= 0.04 && right[0] <= 0.04, "{method:?} {y}: {left:?} {right:?}");
            }
        }
    }
}

#[test]
fn a_weld_distance_can_be_given() {
    let (a, b) = (path("M0 0H100V40H0Z"), path("M101 0H200V40H101Z"));
    let lines = [[10.0, 20.0, 60.0, 20.0], [140.0, 20.0, 190.0, 20.0]];
    let jump_at = |weld: Option<f64>| {
        let options = FieldOptions { weld, ..FieldOptions::default() };
        let shapes = [filled(&a), filled(&b)];
        let (field, _) = solve_weights(&shapes, &bones(&lines), Method::Heat, options).expect("solvable");
        jump(&field, Point::new(99.9, 20.0), Point::new(101.1, 20.0))
    };
    let (apart, joined) = (jump_at(Some(0.0)), jump_at(Some(1.5)));
    assert!(joined < 0.05 && apart > 2.0 * joined, "{apart} apart, {joined} joined");
}

/// A bar with a bone beyond each end: its ends follow one bone each.
#[test]
fn bones_beside_the_art_share_it_by_distance() {
    let bar = path("M0 0H20V100H0Z");
    for reach in [5.0, 15.0] {
        let lines = [[10.0, -60.0, 10.0, -reach], [10.0, 100.0 + reach, 10.0, 170.0]];
        for method in MESHED {
            let (field, notes) = solved(&[filled(&bar)], &lines, method);
            assert!(matches!(notes[..], [FieldNote::PieceWithoutBone { pieces: 1, .. }]), "{notes:?}");
            for corner in [(0.0, 0.0), (20.0, 0.0)] {
                assert!(at(&field, corner.0, corner.1)[0] > 0.98, "{method:?} {:?}", at(&field, 0.0, 0.0));
            }
            assert!((at(&field, 10.0, 50.0)[0] - 0.5).abs() < 0.02);
            let along: Vec<f64> = (0..=50).map(|i| at(&field, 7.0, 2.0 * f64::from(i))[1]).collect();
            assert!(along.is_sorted_by(|a, b| *a <= b + 1e-3), "{along:?}");
        }
    }
}

/// A line on its bones: the weights change over a part of the bones' length, so that a bend has a radius.
#[test]
fn a_line_on_its_bones_has_no_kink() {
    let line = path("M0 0H200");
    let lines = [[0.0, 0.0, 100.0, 0.0], [100.0, 0.0, 200.0, 0.0]];
    let shape = CoveredShape { path: &line, fill: None, stroke_width: 2.0 };
    for method in MESHED {
        let (field, notes) = solved(&[shape], &lines, method);
        assert_eq!(notes, [], "{method:?}");
        let second: Vec<f64> = (0..=200).map(|x| at(&field, f64::from(x), 0.0)[1]).collect();
        let steepest = second.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        println!("{method:?}: at most {steepest:.3} a unit");
        assert!(steepest < 0.12, "{method:?}: the weight changes by {steepest} within a unit");
        assert!(second.is_sorted_by(|a, b| *a <= b + 1e-3));
        assert!(second[70] < 0.02 && second[130] > 0.98, "{method:?}");
    }
}

/// Between a bone across one end and one beside the other, the energy's least is the cubic with level ends: the
/// bone beside the bar holds the edge that is nearest to it, and no more.
#[test]
fn a_bone_beside_a_bar_holds_its_edge() {
    let bar = path("M0 0H100V20H0Z");
    let lines = [[1.0, 0.0, 1.0, 20.0], [110.0, 0.0, 110.0, 20.0]];
    let (field, _) = solved(&[filled(&bar)], &lines, Method::Biharmonic);
    let off = |x: f64| {
        let s = (x - 1.0) / 99.0;
        (at(&field, x, 10.0)[1] - s * s * (3.0 - 2.0 * s)).abs()
    };
    let worst = (1..=100).map(|x| off(f64::from(x))).fold(0.0, f64::max);
    println!("off by {worst:.4}");
    assert!(worst < 0.01, "{worst}");
}

/// Where a tip touches a wall there is no slit.
#[test]
fn a_tip_that_touches_a_wall_is_no_slit() {
    let wall = path("M0 0H40V100H0Z");
    let lines = [[20.0, 5.0, 20.0, 95.0], [50.0, 50.0, 78.0, 50.0]];
    for half in [2.0, 5.0, 15.0, 40.0] {
        let hair = path(&format!("M40 50L80 {}V{}Z", 50.0 - half, 50.0 + half));
        for method in MESHED {
            let (_, notes) = solved(&[filled(&wall), filled(&hair)], &lines, method);
            assert_eq!(notes, [], "{half} {method:?}");
        }
    }
}
