//! Editing of weights: properties for any outline and any weights, and results computed by hand.

use std::collections::BTreeMap;

use bone_core::{BoneId, BoneSpec, Sides, Skeleton, SkeletonBuilder};
use bone_skin::edit::{
    Locks, Mirror, MirrorDirection, Prune, Smooth, mirror, outline_change, prune, set_weight, smooth,
    vertex_weights_of_field,
};
use bone_skin::{BLine, BoneWeights, SkinBlend, VertexWeights, WeightField, Weights};
use kurbo::{BezPath, Point};
use proptest::prelude::*;

fn bone(i: u32) -> BoneId {
    BoneId::new(i)
}

fn row(weights: &[(u32, f64)]) -> BoneWeights {
    BoneWeights::new(weights.iter().map(|&(b, w)| (bone(b), w))).expect("weights")
}

fn lines(data: &str) -> Vec<BLine> {
    BLine::from_path(&BezPath::from_svg(data).expect("path data"))
}

fn weight(row: &BoneWeights, bone: BoneId) -> f64 {
    row.influences().iter().find(|(b, _)| *b == bone).map_or(0.0, |(_, w)| *w)
}

fn is_row(row: &BoneWeights) -> bool {
    let all = row.influences();
    (all.iter().map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-12
        && all.iter().all(|(_, w)| *w > 0.0 && *w <= 1.0)
        && (all.len() > 1 || all[0].1 == 1.0)
}

fn rows_of(weights: &[VertexWeights]) -> impl Iterator<Item = &BoneWeights> {
    weights.iter().flat_map(|v| [Some(&v.anchor), v.tangent_in.as_ref(), v.tangent_out.as_ref()]).flatten()
}

fn apart(a: &BoneWeights, b: &BoneWeights) -> f64 {
    (0..8).map(|i| (weight(a, bone(i)) - weight(b, bone(i))).abs()).fold(0.0, f64::max)
}

fn any_row() -> impl Strategy<Value = BoneWeights> {
    prop::collection::btree_map(0..4_u32, 1..5_u8, 1..4)
        .prop_map(|map| row(&map.into_iter().map(|(b, w)| (b, f64::from(w))).collect::<Vec<_>>()))
}

fn any_vertex() -> impl Strategy<Value = VertexWeights> {
    (any_row(), prop::option::of(any_row()), prop::option::of(any_row()))
        .prop_map(|(anchor, tangent_in, tangent_out)| VertexWeights { anchor, tangent_in, tangent_out })
}

/// A closed outline of cubics through points, its weights, and the same with another start.
fn ring(points: &[(f64, f64)]) -> Vec<BLine> {
    let mut path = BezPath::new();
    path.move_to(points[0]);
    for i in 0..points.len() {
        let (a, b) = (Point::from(points[i]), Point::from(points[(i + 1) % points.len()]));
        path.curve_to(a.lerp(b, 0.25), a.lerp(b, 0.75), b);
    }
    path.close_path();
    BLine::from_path(&path)
}

const RING: [(f64, f64); 6] = [(0.0, 0.0), (9.0, 1.0), (15.0, 7.0), (8.0, 13.0), (2.0, 12.0), (-3.0, 5.0)];

proptest! {
    #[test]
    fn smoothing_keeps_valid_weights_and_locks_and_does_not_depend_on_the_start(
        weights in prop::collection::vec(any_vertex(), 6),
        start in 0..6_usize,
        strength in 0.0..1.0_f64,
        iterations in 0..5_usize,
        locked in prop::collection::btree_set(0..4_u32, 0..3),
    ) {
        let locks: Locks = locked.into_iter().map(bone).collect();
        let how = Smooth { strength, iterations };
        let mut smoothed = weights.clone();
        smooth(&ring(&RING), &mut smoothed, how, &locks).expect("one row a vertex");
        for (new, old) in rows_of(&smoothed).zip(rows_of(&weights)) {
            prop_assert!(is_row(new));
            for &lock in &locks {
                prop_assert!((weight(new, lock) - weight(old, lock)).abs() < 1e-12);
            }
        }
        let (mut points, mut turned) = (RING, weights.clone());
        points.rotate_left(start);
        turned.rotate_left(start);
        smooth(&ring(&points), &mut turned, how, &locks).expect("one row a vertex");
        turned.rotate_right(start);
        for (a, b) in rows_of(&turned).zip(rows_of(&smoothed)) {
            prop_assert!(apart(a, b) < 1e-12);
        }
        // The opposite direction: arriving and leaving handles are exchanged.
        let (mut points, mut back) = (RING, weights);
        points.reverse();
        back.reverse();
        back.iter_mut().for_each(|v| std::mem::swap(&mut v.tangent_in, &mut v.tangent_out));
        smooth(&ring(&points), &mut back, how, &locks).expect("one row a vertex");
        back.reverse();
        for (a, b) in back.iter().zip(&smoothed) {
            prop_assert!(apart(&a.anchor, &b.anchor) < 1e-12);
        }
    }

    #[test]
    fn pruning_leaves_the_strongest(row in any_row(), most in 1..4_usize, threshold in 0.0..0.6_f64, locked in 0..6_u32) {
        let locks: Locks = [bone(locked)].into();
        let mut weights = [VertexWeights::new(row.clone())];
        prune(&mut weights, Prune { most: Some(most), threshold }, &locks);
        let kept = &weights[0].anchor;
        prop_assert!(is_row(kept));
        prop_assert!((weight(kept, bone(locked)) - weight(&row, bone(locked))).abs() < 1e-12);
        let free = kept.influences().iter().filter(|(b, _)| !locks.contains(b)).count();
        let held = kept.influences().len() - free;
        prop_assert!(free + held <= most.max(held + 1));
        // No removed weight was greater than a kept one.
        let gone = row.influences().iter().filter(|(b, _)| weight(kept, *b) == 0.0).map(|(_, w)| *w);
        let gone = gone.fold(0.0, f64::max);
        let stayed = kept.influences().iter().filter(|(b, _)| !locks.contains(b)).map(|(b, _)| weight(&row, *b));
        prop_assert!(stayed.fold(1.0, f64::min) >= gone);
        let once = weights.clone();
        prune(&mut weights, Prune { most: Some(most), threshold: 0.0 }, &locks);
        prop_assert_eq!(weights, once);
    }

    #[test]
    fn mirrored_twice_by_swapping_is_as_before(weights in prop::collection::vec(any_vertex(), 8)) {
        let (skeleton, outline) = symmetric();
        let sides = Sides::new(&skeleton);
        let how = Mirror { axis: 50.0, direction: MirrorDirection::Swap, tolerance: 0.1, sides: &sides };
        let mut twice = weights.clone();
        for _ in 0..2 {
            prop_assert!(mirror(&outline, &mut twice, &how, &Locks::new()).expect("rows").is_empty());
        }
        for (a, b) in twice.iter().zip(&weights) {
            prop_assert!(apart(&a.anchor, &b.anchor) < 1e-12);
            prop_assert_eq!(a.tangent_in.is_some(), b.tangent_in.is_some());
        }
        // Mirrored once, both sides are equal; mirrored again, nothing changes.
        let mut once = weights;
        let how = Mirror { direction: MirrorDirection::ToLesser, ..how };
        mirror(&outline, &mut once, &how, &Locks::new()).expect("rows");
        let mut again = once.clone();
        mirror(&outline, &mut again, &how, &Locks::new()).expect("rows");
        for (a, b) in again.iter().zip(&once) {
            prop_assert!(apart(&a.anchor, &b.anchor) < 1e-12);
        }
        let swapped: BTreeMap<u32, u32> = [(0, 0), (1, 2), (2, 1), (3, 3)].into();
        for (vertex, v) in outline[0].vertices().iter().enumerate() {
            let image = Point::new(100.0 - v.anchor.x, v.anchor.y);
            let partner = outline[0].vertices().iter().position(|o| (o.anchor - image).hypot() < 1e-9);
            let partner = partner.expect("a symmetric outline");
            for (&a, &b) in &swapped {
                let (here, there) = (&once[vertex].anchor, &once[partner].anchor);
                prop_assert!((weight(here, bone(a)) - weight(there, bone(b))).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn one_weight_set_is_that_weight(row in any_row(), to in 0.0..1.0_f64, which in 0..5_u32, locked in 0..5_u32) {
        let locks: Locks = [bone(locked)].into();
        let mut set = row.clone();
        set_weight(&mut set, bone(which), to, &locks);
        prop_assert!(is_row(&set));
        let held = weight(&row, bone(locked));
        prop_assert!((weight(&set, bone(locked)) - held).abs() < 1e-12);
        let others = row.influences().iter().any(|(b, _)| *b != bone(which) && !locks.contains(b));
        if which != locked && others {
            prop_assert!((weight(&set, bone(which)) - to.min(1.0 - held)).abs() < 1e-12);
        }
    }
}

/// Two arms beside a hip, and an outline of eight vertices that is its own mirror image about x = 50, two of
/// them on the axis.
fn symmetric() -> (Skeleton, Vec<BLine>) {
    let skeleton = SkeletonBuilder::new()
        .bone(BoneSpec::new("hip", 10.0).origin(50.0, 50.0))
        .bone(BoneSpec::new("arm.L", 10.0).parent("hip").origin(20.0, 0.0))
        .bone(BoneSpec::new("arm.R", 10.0).parent("hip").origin(-20.0, 0.0))
        .bone(BoneSpec::new("head", 10.0).parent("hip").origin(0.0, -30.0))
        .build()
        .expect("bones");
    // Depth first, in the order of the file.
    let names: Vec<&str> = skeleton.bones().map(|b| skeleton.name(b)).collect();
    assert_eq!(names, ["hip", "arm.L", "arm.R", "head"]);
    let outline = [
        (50.0, 0.0),
        (70.0, 10.0),
        (90.0, 30.0),
        (70.0, 60.0),
        (50.0, 70.0),
        (30.0, 60.0),
        (10.0, 30.0),
        (30.0, 10.0),
    ];
    (skeleton, ring(&outline))
}

#[test]
fn a_step_is_smoothed_as_by_hand() {
    // 0 at 0, 10 and 30: the middle is the mean with coefficients 1/10 and 1/20.
    let line = lines("M0 0H10H30");
    let mut weights: Vec<_> = [0, 0, 1].map(|b| VertexWeights::new(BoneWeights::one(bone(b)))).into();
    smooth(&line, &mut weights, Smooth { strength: 0.6, iterations: 1 }, &Locks::new()).expect("rows");
    assert!((weight(&weights[1].anchor, bone(1)) - 0.6 / 3.0).abs() < 1e-12);
    assert_eq!(weights[0].anchor, BoneWeights::one(bone(0)), "its only neighbour is alike");
    assert!((weight(&weights[2].anchor, bone(0)) - 0.6).abs() < 1e-12);
    // Closed, the ends are neighbours, also where the path data leaves the last side out.
    for closed in ["M0 0H10H30Z", "M0 0H10H30H0Z"] {
        let mut weights: Vec<_> = [0, 0, 1].map(|b| VertexWeights::new(BoneWeights::one(bone(b)))).into();
        smooth(&lines(closed), &mut weights, Smooth { strength: 1.0, iterations: 1 }, &Locks::new())
            .expect("rows");
        assert!((weight(&weights[0].anchor, bone(1)) - 0.25).abs() < 1e-12, "{closed}");
    }
}

#[test]
fn shared_edges_stay_together() {
    // Two squares side by side, the second run the other way.
    let line = lines("M0 0H10V10H0Z M20 0H10V10H20Z");
    let on = |x: f64| VertexWeights::new(if x < 15.0 { row(&[(0, 1.0)]) } else { row(&[(1, 1.0)]) });
    let mut weights: Vec<_> = line.iter().flat_map(|l| l.vertices()).map(|v| on(v.anchor.x)).collect();
    smooth(&line, &mut weights, Smooth { strength: 0.5, iterations: 7 }, &Locks::new()).expect("rows");
    assert_eq!(weights[1], weights[5]);
    assert_eq!(weights[2], weights[6]);
    assert!(weight(&weights[1].anchor, bone(1)) > 0.05);
}

#[test]
fn vertices_without_a_partner_are_reported() {
    let (skeleton, _) = symmetric();
    let sides = Sides::new(&skeleton);
    let line = lines("M90 0V10H10V0.03Z M70 80Z");
    let mut weights = vec![VertexWeights::new(row(&[(1, 1.0)])); 5];
    let how = Mirror { axis: 50.0, direction: MirrorDirection::ToLesser, tolerance: 0.1, sides: &sides };
    assert_eq!(mirror(&line, &mut weights, &how, &Locks::new()), Ok(Vec::new()));
    let arms: Vec<u32> = weights.iter().map(|w| w.anchor.influences()[0].0.index() as u32).collect();
    assert_eq!(arms, [1, 1, 2, 2, 1]);
    let how = Mirror { direction: MirrorDirection::ToGreater, ..how };
    let alone = mirror(&line, &mut weights, &how, &Locks::new()).expect("rows");
    assert_eq!(alone.len(), 1);
    assert_eq!((alone[0].vertex, alone[0].wanted), (4, Point::new(30.0, 80.0)));
    assert!(mirror(&line, &mut weights[1..], &how, &Locks::new()).is_err());
    // Many points at one position, coordinates that are not finite, and a tolerance of 0 end, too.
    let heap = lines(&format!("M1e308 0{}", "L-1e308 5".repeat(500)));
    let mut weights = vec![VertexWeights::new(row(&[(1, 1.0)])); 501];
    for tolerance in [0.0, f64::NAN, 1e-320, f64::INFINITY] {
        let how = Mirror { axis: 50.0, direction: MirrorDirection::Swap, tolerance, sides: &sides };
        let _ = mirror(&heap, &mut weights, &how, &Locks::new()).expect("rows");
    }
}

/// Weights that change from the first to the second bone between two points, as a cubic does.
struct Ramp(f64, f64, [BoneId; 2]);

impl WeightField for Ramp {
    fn bones(&self) -> &[BoneId] {
        &self.2
    }

    fn weights_at(&self, point: Point, weights: &mut [f64]) {
        let u = ((point.x - self.0) / (self.1 - self.0)).clamp(0.0, 1.0);
        weights[1] = u * u * (3.0 - 2.0 * u);
        weights[0] = 1.0 - weights[1];
    }
}

#[test]
fn weights_that_represent_a_field_exactly_have_no_error_and_others_are_measured() {
    let skeleton = SkeletonBuilder::new()
        .bone(BoneSpec::new("a", 50.0))
        .bone(BoneSpec::new("b", 50.0).parent("a").origin(50.0, 0.0))
        .build()
        .expect("bones");
    let both = [bone(0), bone(1)];
    let outline = lines("M0 -10H100 M0 10H50H100");
    // A cubic over a whole side is represented exactly by weights at its ends, and over half of it by
    // tangents: de Casteljau.
    let wide = Ramp(0.0, 100.0, both);
    let rows = vertex_weights_of_field(&outline, &wide, &skeleton);
    let half = rows[3].tangent_in.as_ref().expect("it changes fast there");
    assert!((weight(half, bone(1)) - 0.25).abs() < 2e-3, "{half:?}");
    let change = |field: &Ramp, rows: &[VertexWeights], mode| {
        outline_change(&outline, &Weights::Field(field), &Weights::Explicit(rows), mode, &skeleton)
    };
    for mode in [SkinBlend::Linear, SkinBlend::AreaPreserving, SkinBlend::RotationCenters] {
        assert!(change(&wide, &rows, mode) < 0.1, "{mode:?}: {}", change(&wide, &rows, mode));
    }
    assert!(change(&wide, &vec![VertexWeights::new(BoneWeights::one(bone(0))); 5], SkinBlend::Linear) > 50.0);
    // A step in the middle of a side cannot be represented, and the change reports that.
    let steep = Ramp(45.0, 55.0, both);
    let rows = vertex_weights_of_field(&outline, &steep, &skeleton);
    assert!(rows_of(&rows).all(is_row));
    let lost = change(&steep, &rows, SkinBlend::Linear);
    assert!((2.0..30.0).contains(&lost), "{lost}");
}
