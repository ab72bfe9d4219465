//! Loops at the inner side of elbows are taken out, others are not: judged by a search for crossings among the
//! chords of posed outlines, and by their windings at points of a grid.

use bone_core::{Angle, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_skin::{
    BLine, BindOptions, BoneSegment, CoveredShape, FieldOptions, FoldRule, Follow, Method, PosedDrawing,
    Skin, SkinBlend, SkinMatrices, Weights, WindingRule, deform, solve_weights, take_out_folds,
};
use kurbo::{BezPath, ParamCurve as _, PathEl, Point};

/// A chain of bones along x.
fn chain(count: usize, length: f64) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for i in 0..count {
        let bone = BoneSpec::new(i.to_string(), length);
        builder.push(match i {
            0 => bone,
            _ => bone.parent((i - 1).to_string()).origin(length, 0.0),
        });
    }
    builder.build().expect("a chain")
}

struct Limb {
    skeleton: Skeleton,
    skin: Skin,
    posed: PosedDrawing,
}

impl Limb {
    fn new(svg: &str, skeleton: Skeleton, blend: SkinBlend) -> Self {
        Self::with(svg, skeleton, (blend, Some(WindingRule::NonZero), FoldRule::Clean))
    }

    /// A line has a rectangle around the bones from which its weights are, too.
    fn with(
        svg: &str,
        skeleton: Skeleton,
        (blend, fill, folds): (SkinBlend, Option<WindingRule>, FoldRule),
    ) -> Self {
        let path = BezPath::from_svg(svg).expect("path data");
        let around = BezPath::from_svg("M0 -24H200V24H0Z").expect("path data");
        let shape = |path, fill| CoveredShape { path, fill, stroke_width: 0.0 };
        let shapes = [shape(&path, fill), shape(&around, Some(WindingRule::NonZero))];
        let shapes = &shapes[..1 + usize::from(fill.is_none())];
        let segment = |bone| BoneSegment {
            bone,
            origin: skeleton.setup_origin(bone),
            tip: skeleton.setup_tip(bone),
            region: None,
        };
        let bones: Vec<BoneSegment> = skeleton.bones().map(segment).collect();
        let (field, _) =
            solve_weights(shapes, &bones, Method::Heat, FieldOptions::default()).expect("solvable");
        let mut skin = Skin::new();
        let follow = Follow::Curves { skeleton: &skeleton, tolerance: 0.1 };
        let options = BindOptions { blend, follow, fill, folds, ..BindOptions::default() };
        skin.bind(&BLine::from_path(&path), &Weights::Field(&field), &options).expect("it fits");
        let posed = PosedDrawing::new(&skin);
        Self { skeleton, skin, posed }
    }

    /// Turns every bone but the first by so many degrees.
    fn bend(&mut self, degrees: f64) -> &BezPath {
        let mut pose = Pose::new(&self.skeleton);
        pose.bones.iter_mut().skip(1).for_each(|bone| bone.angle = Angle::from_degrees(degrees));
        let mut world = WorldPose::new(&self.skeleton);
        world.forward(&self.skeleton, &pose).expect("no loop");
        let mut matrices = SkinMatrices::new(&self.skeleton);
        matrices.update(&self.skeleton, &pose, &world);
        deform(&self.skin, &matrices, None, &mut self.posed);
        take_out_folds(&self.skin, &mut self.posed);
        &self.posed.paths()[0]
    }
}

/// How often chords of an outline cross each other.
fn crossings(path: &BezPath) -> usize {
    let mut points: Vec<Point> = Vec::new();
    for side in path.segments() {
        points.extend((0..16).map(|i| side.eval(f64::from(i) / 16.0)));
    }
    points.dedup_by(|a, b| a.distance(*b) < 1e-6);
    let closed = matches!(path.elements().last(), Some(PathEl::ClosePath));
    if closed {
        points.push(points[0]);
    }
    let count = points.len() - 1;
    let side = |a: Point, b: Point, p: Point| (b - a).cross(p - a);
    let mut found = 0;
    for i in 0..count {
        for j in i + 2..count {
            if closed && i == 0 && j == count - 1 {
                continue;
            }
            let [a, b, c, d] = [points[i], points[i + 1], points[j], points[j + 1]];
            let apart = side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0;
            found += usize::from(apart);
        }
    }
    found
}

const HOSE: &str = "M0 -15H200V15H0Z";
const LIMB: &str = "M-12 0C-12 -16 10 -18 40 -16S80 -20 100 -18S160 -12 190 -14C206 -14 212 -6 212 0S206 14 190 15\
    S130 22 100 17S20 18 10 15C-4 14 -12 8 -12 0Z";
/// With a vertex at the elbow on both sides.
const CUT: &str = "M0 -15H100H200V15H100H0Z";

#[test]
fn a_bent_limb_does_not_cross_itself() {
    for svg in [HOSE, LIMB, CUT] {
        for blend in [SkinBlend::Linear, SkinBlend::AreaPreserving, SkinBlend::RotationCenters] {
            let mut limb = Limb::new(svg, chain(2, 100.0), blend);
            for degrees in [-150.0, -135.0, -110.0, -90.0, -60.0, 45.0, 80.0, 100.0, 120.0, 140.0, 150.0] {
                let found = crossings(limb.bend(degrees));
                assert!(found == 0, "{svg} {blend:?} at {degrees} degrees: {found} crossings");
            }
        }
    }
}

/// Turned by more than a whole turn, a tail crosses itself, and nothing of it is taken out.
#[test]
fn a_curled_tail_keeps_its_outline() {
    let svg = "M0 -8H400V8H0Z";
    let mut tail = Limb::new(svg, chain(10, 40.0), SkinBlend::AreaPreserving);
    let posed = tail.bend(42.0).clone();
    assert!(crossings(&posed) >= 4, "{}", crossings(&posed));
    let mut last = Point::ORIGIN;
    for element in posed.elements() {
        if let PathEl::CurveTo(a, b, p) = element {
            assert!(!(*a == last && *b == last && *p == last), "a piece was taken out at {last:?}");
        }
        last = element.end_point().unwrap_or(last);
    }
}

/// As a limb bends, points of its outline move without jumps, also where loops begin.
#[test]
fn points_of_folds_move_without_jumps() {
    for svg in [HOSE, LIMB, CUT, RETURNS, OPEN] {
        let mut limb = Limb::new(svg, chain(2, 100.0), SkinBlend::AreaPreserving);
        let mut before: Option<Vec<Point>> = None;
        let (mut most, mut at) = (0.0_f64, 0.0);
        for step in 0..1500 {
            let degrees = 0.1 * f64::from(step);
            let points: Vec<Point> =
                limb.bend(degrees).elements().iter().filter_map(PathEl::end_point).collect();
            if let Some(before) = before {
                let moved = points.iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
                if moved > most {
                    (most, at) = (moved, degrees);
                }
            }
            before = Some(points);
        }
        // The end of the limb moves by 0.2 in a step.
        assert!(most < 1.0, "{svg}: {most} at {at} degrees");
    }
}

/// Subpaths as closed polygons.
fn polygons(path: &BezPath) -> Vec<Vec<Point>> {
    let mut all: Vec<Vec<Point>> = Vec::new();
    kurbo::flatten(path.iter(), 0.02, |element| match element {
        PathEl::MoveTo(p) => all.push(vec![p]),
        PathEl::LineTo(p) => all.last_mut().expect("a move first").push(p),
        _ => {}
    });
    all
}

/// The winding of closed polygons, by crossings of a ray along x; positive from x to y.
fn winding(polygons: &[Vec<Point>], at: Point) -> i32 {
    let sides = polygons.iter().flat_map(|all| all.iter().zip(all.iter().cycle().skip(1)));
    let crossed = sides.filter(|(a, b)| (a.y <= at.y) != (b.y <= at.y));
    let beyond = crossed.filter(|(a, b)| a.x + (b.x - a.x) * (at.y - a.y) / (b.y - a.y) > at.x);
    beyond.map(|(a, b)| if b.y > a.y { 1 } else { -1 }).sum()
}

/// How many points of a grid are painted, how many of those are wound as at rest without a removal, and how many
/// of these have no paint.
fn painted(svg: &str, kept: &BezPath, clean: &BezPath) -> (usize, usize, usize) {
    let turn = polygons(&BezPath::from_svg(svg).expect("path data"));
    let area: f64 =
        turn.iter().flat_map(|all| all.windows(2)).map(|p| p[0].to_vec2().cross(p[1].to_vec2())).sum();
    let (kept, clean) = (polygons(kept), polygons(clean));
    let (mut all, mut right, mut lost) = (0, 0, 0);
    for row in 0..210 {
        for column in 0..210 {
            let at = Point::new(-201.3 + 2.0 * f64::from(column), -207.7 + 2.0 * f64::from(row));
            let (before, now) = (winding(&kept, at), winding(&clean, at));
            all += usize::from(now != 0);
            if f64::from(before) * area > 0.0 {
                right += 1;
                lost += usize::from(now == 0);
            }
        }
    }
    (all, right, lost)
}

fn pair(svg: &str, fill: Option<WindingRule>) -> [Limb; 2] {
    [FoldRule::Clean, FoldRule::Keep]
        .map(|folds| Limb::with(svg, chain(2, 100.0), (SkinBlend::AreaPreserving, fill, folds)))
}

/// An outline that returns to its start without a close, and one that a fill closes by a side.
const RETURNS: &str = "M0 0C0 -26 22 -30 52 -25S92 -17 100 -19S152 -23 182 -21C206 -19 206 19 182 21S112 13 100 17\
    S62 25 52 25C22 30 0 26 0 0";
const OPEN: &str = "M0 -20C40 -26 80 -16 100 -18S160 -22 200 -16V18C160 22 120 14 100 17S40 26 0 20";
/// Round its joint, with points that cross as it bends.
const STAR: &str = "M100 -58L113 -21L158 -31L127 1L168 58L100 24L32 58L73 1L42 -31L87 -21Z";

#[test]
fn no_paint_that_is_the_right_way_round_is_lost() {
    let other_way = BezPath::from_svg(STAR).expect("path data").reverse_subpaths().to_svg();
    for svg in [RETURNS, OPEN, STAR, &other_way, LIMB, CUT, HOSE] {
        let [mut clean, mut keep] = pair(svg, Some(WindingRule::NonZero));
        for degrees in [-135.0, -90.0, -60.0, -45.0, 45.0, 60.0, 90.0, 135.0] {
            let (kept, clean) = (keep.bend(degrees), clean.bend(degrees));
            let (all, right, lost) = painted(svg, kept, clean);
            assert!(right > 1000 && all * 100 >= right * 99, "{svg} at {degrees}: {all} of {right}");
            assert!(lost * 1000 <= right, "{svg} at {degrees}: {lost} of {right} lost");
        }
    }
}

/// A ring: paint lies outside of its inner outline.
#[test]
fn holes_keep_the_paint_around_them() {
    let ring = "M0 -22H200V22H0ZM10 -12V12H190V-12Z";
    let same_way = "M0 -22H200V22H0ZM10 -12H190V12H10Z";
    for degrees in [-120.0, -60.0, 45.0, 90.0, 135.0] {
        let [mut clean, mut keep] = pair(ring, Some(WindingRule::NonZero));
        let outer = "M0 -22H200V22H0Z";
        let (_, right, lost) = painted(outer, keep.bend(degrees), clean.bend(degrees));
        assert!(lost * 1000 <= right, "at {degrees}: {lost} of {right} lost");
        // The same outlines turned so that only the rule makes the hole are cleaned at the same places.
        let mut even = Limb::with(
            same_way,
            chain(2, 100.0),
            (SkinBlend::AreaPreserving, Some(WindingRule::EvenOdd), FoldRule::Clean),
        );
        let (bent, other) = (clean.bend(degrees).clone(), even.bend(degrees));
        let turned = |path: &BezPath| {
            let all = polygons(path);
            all.into_iter()
                .map(|mut all| {
                    let area: f64 = all.windows(2).map(|p| p[0].to_vec2().cross(p[1].to_vec2())).sum();
                    if area < 0.0 {
                        all.reverse();
                    }
                    all
                })
                .collect::<Vec<_>>()
        };
        let (bent, other) = (turned(&bent), turned(other));
        for row in 0..100 {
            for column in 0..100 {
                let at = Point::new(-201.3 + 4.1 * f64::from(column), -207.7 + 4.1 * f64::from(row));
                for (a, b) in bent.iter().zip(&other) {
                    let same = winding(std::slice::from_ref(a), at) == winding(std::slice::from_ref(b), at);
                    assert!(same, "{degrees}: {at:?}");
                }
            }
        }
    }
}

/// A loop that is drawn stays, of lines as of outlines.
#[test]
fn drawn_loops_stay() {
    let ribbon = "M10 11C60 -13 140 -21 150 -3S120 19 100 19S50 19 50 -3S140 -13 190 11";
    let length = |path: &BezPath| {
        path.segments().map(|side| kurbo::ParamCurveArclen::arclen(&side, 1e-3)).sum::<f64>()
    };
    let [mut clean, mut keep] = pair(ribbon, None);
    for degrees in [45.0, 60.0, 90.0, -60.0, -90.0, -135.0] {
        let (kept, left) = (length(keep.bend(degrees)), length(clean.bend(degrees)));
        assert!(left >= 0.9 * kept, "at {degrees}: {left} of {kept}");
    }
}

/// With the fold as it is, the same limb has at most one part in a hundred more paint.
#[test]
fn a_clean_limb_has_the_area_of_one_with_folds() {
    for svg in [HOSE, LIMB, RETURNS] {
        let [mut clean, mut keep] = pair(svg, Some(WindingRule::NonZero));
        for degrees in [90.0, 120.0, 150.0] {
            let (kept, left) = (keep.bend(degrees), clean.bend(degrees));
            let before = painted(svg, kept, kept).0 as f64;
            let now = painted(svg, kept, left).0 as f64;
            assert!((now - before).abs() <= 0.01 * before, "{svg} at {degrees}: {now} of {before}");
        }
    }
}

/// A spot in the inner side of an elbow is turned inside out as a whole, and one beside it is not.
#[test]
fn parts_in_a_fold_are_hidden_if_asked() {
    let spots = "M0 -24H200V24H0ZM96 -20H104V-16H96ZM40 -20H48V-16H40Z";
    let bent = |folds| {
        let rule = (SkinBlend::AreaPreserving, Some(WindingRule::NonZero), folds);
        let mut limb = Limb::with(spots, chain(2, 100.0), rule);
        polygons(limb.bend(-120.0))
    };
    let area = |all: &[Point]| {
        let sides = all.iter().zip(all.iter().cycle().skip(1));
        sides.map(|(a, b)| 0.5 * a.to_vec2().cross(b.to_vec2())).sum::<f64>()
    };
    let kept: Vec<f64> = bent(FoldRule::Keep).iter().map(|all| area(all)).collect();
    let hidden: Vec<f64> = bent(FoldRule::Hide).iter().map(|all| area(all)).collect();
    assert!(kept[1] < -1.0 && kept[2] > 20.0, "{kept:?}");
    assert!(hidden[1].abs() < 1e-9 && (hidden[2] - kept[2]).abs() < 1e-9, "{hidden:?}");
}
