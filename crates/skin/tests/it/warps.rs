//! Lattices and forms: a turning half ball by its formula, curves against the bent curve itself, lattices in lattices,
//! bones on top, and any lattice.

use bone_core::{Angle, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_skin::{
    BLine, BindOptions, FoldRule, Follow, FormAxis, FormGrid, Lattice, PathId, PosedDrawing, Skin,
    SkinMatrices, WarpForm, WarpScratch, WarpTrials, Warps, Weights, deform_from,
};
use kurbo::{Affine, BezPath, ParamCurve, ParamCurveNearest, PathSeg, Point, Rect, Shape, Vec2};
use proptest::prelude::*;

const BOX: Rect = Rect::new(-1.0, -1.0, 1.0, 1.0);

/// Where a point on the unit half ball goes when it turns about the vertical and then the horizontal axis.
fn turned(at: Point, yaw: f64, pitch: f64) -> Point {
    let z = (1.0 - at.to_vec2().hypot2()).max(0.0).sqrt();
    let [(sin_yaw, cos_yaw), (sin_pitch, cos_pitch)] =
        [yaw, pitch].map(|degrees| Angle::from_degrees(degrees).sin_cos());
    let (x, depth) = (at.x * cos_yaw + z * sin_yaw, z * cos_yaw - at.x * sin_yaw);
    Point::new(x, at.y * cos_pitch + depth * sin_pitch)
}

/// Points of a grid within a radius.
fn dots(radius: f64) -> Vec<Point> {
    let at = |k: i32| f64::from(k) / 30.0 * radius;
    let all = (-30..=30).flat_map(|x| (-30..=30).map(move |y| Point::new(at(x), at(y))));
    all.filter(|at| at.to_vec2().hypot() <= radius).collect()
}

fn fitted(lattice: &Lattice, radius: f64, yaw: f64, pitch: f64) -> Vec<Vec2> {
    let wanted: Vec<_> = dots(radius).into_iter().map(|at| (at, turned(at, yaw, pitch) - at, 1.0)).collect();
    lattice.fitted(&wanted, 0.0)
}

/// Lattices that one form moves, played in full.
fn still(lattices: Vec<Lattice>, moves: Vec<(u32, Vec<Vec2>)>, paths: Vec<(PathId, u32)>) -> Warps {
    let axis = FormAxis { parameter: 0, places: vec![0.0, 1.0] };
    let grid = FormGrid::new(vec![axis], vec![vec![], vec![0]]).expect("a grid");
    let forms = vec![WarpForm { moves, ..WarpForm::default() }];
    Warps::new(lattices, paths, vec![grid], forms).expect("sound")
}

#[test]
fn three_by_three_cells_follow_a_half_ball() {
    let lattice = Lattice::new(BOX, [3, 3], None).expect("an area");
    for (yaw, pitch) in [(30.0, 0.0), (0.0, 30.0), (-30.0, 30.0), (30.0, 30.0)] {
        let moves = fitted(&lattice, 0.93, yaw, pitch);
        let warps = still(vec![lattice], vec![(0, moves)], Vec::new());
        let mut scratch = WarpScratch::default();
        let posed = warps.pose(|_| 1.0, &mut scratch);
        let off = |at: &Point| (posed.bend(0, *at, Vec2::ZERO).0 - turned(*at, yaw, pitch)).hypot();
        let worst = dots(0.93).iter().map(off).fold(0.0, f64::max);
        assert!(worst < 0.016, "{yaw} {pitch}: {worst}");
    }
}

#[test]
fn nine_forms_turn_a_half_ball() {
    let lattice = Lattice::new(BOX, [3, 3], None).expect("an area");
    let turns = [-30.0, 0.0, 30.0];
    let both = turns.into_iter().flat_map(|yaw| turns.map(|pitch| (yaw, pitch)));
    let forms = both.map(|(yaw, pitch)| WarpForm {
        moves: vec![(0, fitted(&lattice, 0.8, yaw, pitch))],
        ..WarpForm::default()
    });
    let axes = [0, 1].map(|parameter| FormAxis { parameter, places: turns.to_vec() });
    let grid = FormGrid::new(axes.into(), (0..9).map(|form| vec![form]).collect()).expect("a grid");
    let warps = Warps::new(vec![lattice], Vec::new(), vec![grid], forms.collect()).expect("sound");
    let mut scratch = WarpScratch::default();
    let (mut along, mut worst) = (0.0_f64, 0.0_f64);
    for place in 0..169 {
        let [yaw, pitch] = [place % 13, place / 13].map(|k| f64::from(5 * k - 30));
        let posed = warps.pose(|parameter| [yaw, pitch][parameter], &mut scratch);
        for at in dots(0.8) {
            let off = posed.bend(0, at, Vec2::ZERO).0 - turned(at, yaw, pitch);
            (along, worst) = (along.max(off.x.abs()).max(off.y.abs()), worst.max(off.hypot()));
        }
    }
    // Three places are a parabola, and sin 17 degrees is 0.9 % off it in each axis.
    assert!(along < 0.0105 && worst < 0.0132, "{along} {worst}");
}

fn arm() -> Skeleton {
    SkeletonBuilder::new().bone(BoneSpec::new("arm", 50.0).origin(10.0, 20.0)).build().expect("a skeleton")
}

fn matrices(skeleton: &Skeleton, degrees: f64) -> SkinMatrices {
    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    pose.bones[0].angle += Angle::from_degrees(degrees);
    world.forward(skeleton, &pose).expect("placed");
    let mut matrices = SkinMatrices::new(skeleton);
    matrices.update(skeleton, &pose, &world);
    matrices
}

const SHAPES: &str = "M20 30C60 -20 140 0 180 60C200 120 90 190 30 150Z M40 60L160 60L150 140L60 130Z";

/// A path on a head's lattice, or on a mouth's in it.
fn nested(by: &[Vec2]) -> (Vec<Lattice>, Vec<(u32, Vec<Vec2>)>) {
    let head = Lattice::new(Rect::new(0.0, -20.0, 220.0, 200.0), [3, 3], None).expect("an area");
    let mouth = Lattice::new(Rect::new(50.0, 40.0, 150.0, 160.0), [2, 2], Some(0)).expect("an area");
    let moves = |lattice: &Lattice| -> Vec<([i32; 2], Vec2)> {
        lattice.nodes().enumerate().map(|(k, (at, _))| (at, by[k % by.len()])).collect()
    };
    let filled = [head, mouth].map(|lattice| lattice.filled(&moves(&lattice)));
    (vec![head, mouth], (0..).zip(filled).collect())
}

struct Bent {
    skeleton: Skeleton,
    skin: Skin,
    warps: Warps,
}

impl Bent {
    fn new(lattice: u32, by: &[Vec2], tolerance: f64) -> Self {
        let (lattices, moves) = nested(by);
        let skeleton = arm();
        let chain: Vec<usize> = if lattice == 1 { vec![1, 0] } else { vec![0] };
        let form = chain.iter().map(|at| moves[*at].1.clone()).collect();
        let trials = WarpTrials::new(chain.iter().map(|at| lattices[*at]).collect(), vec![form]);
        let follow = Follow::Curves { skeleton: &skeleton, tolerance };
        let options =
            BindOptions { follow, folds: FoldRule::Keep, warp: Some(&trials), ..BindOptions::default() };
        let bone = skeleton.find("arm").expect("added");
        let lines = BLine::from_path(&BezPath::from_svg(SHAPES).expect("a path"));
        let skin = Skin::of_path(&lines, &Weights::Rigid(bone), &options).expect("bound");
        let warps = still(lattices, moves, vec![(PathId::new(0), lattice)]);
        Self { skeleton, skin, warps }
    }

    fn outline(&self, share: f64, degrees: f64, posed: &mut PosedDrawing) -> BezPath {
        let mut scratch = WarpScratch::default();
        let warps = self.warps.pose(|_| share, &mut scratch);
        let matrices = matrices(&self.skeleton, degrees);
        let none = (std::iter::empty(), std::iter::empty());
        deform_from(&self.skin, (&matrices, Some(warps)), none, ([], []), posed);
        posed.paths()[0].clone()
    }
}

const MOVES: [Vec2; 5] = [
    Vec2::new(9.0, -6.0),
    Vec2::new(-7.0, 4.0),
    Vec2::new(3.0, 12.0),
    Vec2::new(0.0, 0.0),
    Vec2::new(-4.0, -9.0),
];

/// The greatest distance of places of the bent curve from an outline.
fn distance(outline: &BezPath, exact: impl Fn(Point) -> Point) -> f64 {
    let segments: Vec<PathSeg> = outline.segments().collect();
    let rest = BezPath::from_svg(SHAPES).expect("a path");
    let places = rest.segments().flat_map(|segment| (0..=64).map(move |k| segment.eval(f64::from(k) / 64.0)));
    let off = |place: Point| {
        let all = segments.iter().map(|segment| segment.nearest(exact(place), 1e-6).distance_sq);
        all.fold(f64::INFINITY, f64::min).sqrt()
    };
    places.map(off).fold(0.0, f64::max)
}

#[test]
fn curves_keep_the_tolerance_under_nested_lattices_and_bones() {
    for (tolerance, lattice, degrees) in [(0.25, 0, 0.0), (0.25, 1, 0.0), (0.05, 1, 37.0), (0.01, 0, -90.0)] {
        let bent = Bent::new(lattice, &MOVES, tolerance);
        let outline = bent.outline(1.0, degrees, &mut PosedDrawing::new(&bent.skin));
        let mut scratch = WarpScratch::default();
        let warps = bent.warps.pose(|_| 1.0, &mut scratch);
        let turn = Angle::from_degrees(degrees).rotation();
        let about = Vec2::new(10.0, 20.0);
        let bones = Affine::translate(about) * turn * Affine::translate(-about);
        let worst = distance(&outline, |at| bones * warps.bend(lattice, at, Vec2::ZERO).0);
        assert!(worst <= tolerance, "{tolerance} {lattice} {degrees}: {worst}");
        assert!(worst > 0.0);
    }
}

/// The mouth moves in the head: first by its own nodes, then by those of the head where it then is.
#[test]
fn lattices_nest_from_the_inside_out() {
    let bent = Bent::new(1, &MOVES, 0.25);
    let mut scratch = WarpScratch::default();
    let (lattices, moves) = nested(&MOVES);
    let alone = |lattice: usize, at: Point| {
        let own = Lattice::new(lattices[lattice].area(), lattices[lattice].cells(), None).expect("an area");
        let warps = still(vec![own], vec![(0, moves[lattice].1.clone())], Vec::new());
        warps.pose(|_| 1.0, &mut WarpScratch::default()).bend(0, at, Vec2::ZERO).0
    };
    let warps = bent.warps.pose(|_| 1.0, &mut scratch);
    for at in [Point::new(60.0, 50.0), Point::new(120.0, 100.0), Point::new(190.0, 10.0)] {
        let expected = alone(0, alone(1, at));
        assert!((warps.bend(1, at, Vec2::ZERO).0 - expected).hypot() < 1e-12);
    }
}

#[test]
fn a_lattice_at_rest_changes_nothing_and_frames_are_alone_what_they_are_in_order() {
    let bent = Bent::new(1, &MOVES, 0.1);
    let mut posed = PosedDrawing::new(&bent.skin);
    let rest = posed.paths()[0].clone();
    let still = bent.outline(0.0, 0.0, &mut posed);
    assert!(posed.at_rest()[0]);
    let off = rest.elements().iter().zip(still.elements()).filter(|(a, b)| a != b).count();
    assert_eq!((off, rest.elements().len()), (0, still.elements().len()));
    for (share, degrees) in [(1.0, 20.0), (0.3, -60.0), (0.0, 20.0), (0.7, 0.0), (1.0, 20.0)] {
        let alone = bent.outline(share, degrees, &mut PosedDrawing::new(&bent.skin));
        assert_eq!(bent.outline(share, degrees, &mut posed), alone);
    }
}

proptest! {
    #[test]
    fn any_lattice_gives_numbers(
        moves in prop::collection::vec((-1e4..1e4_f64, -1e4..1e4_f64), 1..9),
        share in -3.0..3.0_f64,
        degrees in -400.0..400.0_f64,
        lattice in 0..2_u32,
    ) {
        let by: Vec<Vec2> = moves.into_iter().map(Vec2::from).collect();
        let bent = Bent::new(lattice, &by, 0.25);
        let outline = bent.outline(share, degrees, &mut PosedDrawing::new(&bent.skin));
        prop_assert!(outline.is_finite() && outline.bounding_box().is_finite());
    }
}
