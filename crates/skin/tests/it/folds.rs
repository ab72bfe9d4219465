//! Loops at the inner side of elbows are taken out, others are not: judged by a search for crossings among the
//! chords of posed outlines.

use bone_core::{Angle, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use kurbo::{BezPath, ParamCurve as _, PathEl, Point};
use skin::{
    BLine, BindOptions, BoneSegment, CoveredShape, FieldOptions, Follow, Method, PosedDrawing, Skin,
    SkinBlend, SkinMatrices, Weights, WindingRule, deform, solve_weights, take_out_folds,
};

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
        let path = BezPath::from_svg(svg).expect("path data");
        let shape = CoveredShape { path: &path, fill: Some(WindingRule::NonZero), stroke_width: 0.0 };
        let segment = |bone| BoneSegment {
            bone,
            origin: skeleton.setup_origin(bone),
            tip: skeleton.setup_tip(bone),
            region: None,
        };
        let bones: Vec<BoneSegment> = skeleton.bones().map(segment).collect();
        let (field, _) =
            solve_weights(&[shape], &bones, Method::Heat, FieldOptions::default()).expect("solvable");
        let mut skin = Skin::new();
        let options = BindOptions { blend, follow: Follow::Curves { skeleton: &skeleton, tolerance: 0.1 }, ..BindOptions::default() };
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
    for svg in [HOSE, LIMB, CUT] {
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
