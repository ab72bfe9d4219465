//! Puppets: a bar on three pins keeps its width and area, at any angle, and no triangle turns over.

use bone_core::{Angle, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_skin::{
    BLine, BindOptions, CoveredShape, FoldRule, Follow, PinTurn, PosedDrawing, Puppet, PuppetError,
    PuppetMesh, PuppetMeshError, PuppetPin, PuppetScratch, Skin, SkinMatrices, Weights, WindingRule, deform,
};
use kurbo::{BezPath, ParamCurveNearest, PathEl, PathSeg, Point, Shape, Vec2};

const BAR: &str = "M0 0H200V40H0Z";

struct Bar {
    skeleton: Skeleton,
    puppet: Puppet,
    skin: Skin,
}

fn mesh(places: &[Point], edge: Option<f64>) -> Result<PuppetMesh, PuppetMeshError> {
    let bar = BezPath::from_svg(BAR).expect("a path");
    let shapes = [CoveredShape { path: &bar, fill: Some(WindingRule::NonZero), stroke_width: 0.0 }];
    PuppetMesh::new((&shapes, &[]), &places.iter().map(|at| [*at, *at]).collect::<Vec<_>>(), edge)
}

fn skeleton(places: &[Point]) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for (at, place) in places.iter().enumerate() {
        builder = builder.bone(BoneSpec::new(format!("pin{at}"), 10.0).origin(place.x, place.y));
    }
    builder.build().expect("a skeleton")
}

fn pins(skeleton: &Skeleton, turns: &[PinTurn]) -> Vec<PuppetPin> {
    let pin = |(bone, turn): (_, &PinTurn)| {
        let origin = skeleton.setup_origin(bone);
        PuppetPin { bone, origin, tip: origin, turn: *turn, grip: None }
    };
    skeleton.bones().zip(turns).map(pin).collect()
}

impl Bar {
    fn new(places: &[(f64, f64)], turns: &[PinTurn]) -> Self {
        let places: Vec<Point> = places.iter().map(|at| Point::from(*at)).collect();
        let skeleton = skeleton(&places);
        let mesh = mesh(&places, None).expect("a mesh");
        let first = skeleton.len() as u32;
        let (puppet, field) =
            Puppet::new(mesh, &pins(&skeleton, turns), (&skeleton, first), &|_| 1.0).expect("a puppet");
        let lines = BLine::from_path(&BezPath::from_svg(BAR).expect("a path"));
        let follow = Follow::Curves { skeleton: &skeleton, tolerance: 0.1 };
        let options = BindOptions { follow, folds: FoldRule::Keep, ..BindOptions::default() };
        let skin = Skin::of_path(&lines, &Weights::Field(&field), &options).expect("bound");
        Self { skeleton, puppet, skin }
    }

    /// The matrices with each pin moved and turned.
    fn matrices(&self, moves: &[(Vec2, f64)]) -> SkinMatrices {
        let mut pose = Pose::new(&self.skeleton);
        for (bone, (by, degrees)) in pose.bones.iter_mut().zip(moves) {
            (bone.origin, bone.angle) = (bone.origin + *by, bone.angle + Angle::from_degrees(*degrees));
        }
        let mut world = WorldPose::new(&self.skeleton);
        world.forward(&self.skeleton, &pose).expect("placed");
        let mut matrices = SkinMatrices::new(&self.skeleton);
        matrices.update(&self.skeleton, &pose, &world);
        self.puppet.pose(&mut matrices, &mut PuppetScratch::new(&self.puppet));
        matrices
    }

    fn outline(&self, matrices: &SkinMatrices) -> BezPath {
        let mut posed = PosedDrawing::new(&self.skin);
        deform(&self.skin, matrices, [], &mut posed);
        posed.paths()[0].clone()
    }

    /// The triangles that are turned over.
    fn flipped(&self, matrices: &SkinMatrices) -> usize {
        let at = |v: u32| matrices.as_slice()[self.skeleton.len() + v as usize];
        let triangles = self.puppet.triangles().zip(self.puppet.corners());
        let posed = triangles.map(|(rest, corners)| {
            let [a, b, c] = [0, 1, 2].map(|k| at(corners[k]) * rest[k]);
            (b - a).cross(c - a)
        });
        posed.filter(|area| *area <= 0.0).count()
    }
}

/// The least share of the width that is left, and the share of the area.
fn width_and_area(outline: &BezPath) -> (f64, f64) {
    let segments: Vec<PathSeg> = outline.segments().collect();
    // The four sides, found by the corners: of the longest run of segments each.
    let [top, _, bottom, _] = sides(outline);
    let inner = |range: &std::ops::Range<usize>| range.start + range.len() / 20..range.end - range.len() / 20;
    let mut least = f64::INFINITY;
    for segment in &segments[inner(&top)] {
        let at = kurbo::ParamCurve::eval(segment, 0.5);
        let near = segments[bottom.clone()].iter().map(|other| other.nearest(at, 1e-6).distance_sq.sqrt());
        least = least.min(near.fold(f64::INFINITY, f64::min));
    }
    (least / 40.0, outline.area().abs() / 8000.0)
}

/// The segments of the four sides: each is cut into pieces in proportion to its length.
fn sides(outline: &BezPath) -> [std::ops::Range<usize>; 4] {
    let count =
        outline.elements().iter().filter(|e| !matches!(e, PathEl::MoveTo(_) | PathEl::ClosePath)).count();
    let (long, short) = ((count as f64 * 200.0 / 480.0).round() as usize, count);
    let short = (short - 2 * long) / 2;
    [0..long, long..long + short, long + short..2 * long + short, 2 * long + short..count]
}

const THREE: [(f64, f64); 3] = [(10.0, 20.0), (100.0, 20.0), (190.0, 20.0)];

fn on_an_arc(degrees: f64) -> Vec2 {
    let (sin, cos) = Angle::from_degrees(degrees).sin_cos();
    Vec2::new(90.0 * (cos - 1.0), 90.0 * sin)
}

#[test]
fn a_bar_on_three_pins_keeps_its_width_and_area() {
    let bar = Bar::new(&THREE, &[PinTurn::Free; 3]);
    for (degrees, least) in [(30.0, 0.99), (60.0, 0.96), (90.0, 0.92), (120.0, 0.85), (135.0, 0.8)] {
        let still = (Vec2::ZERO, 0.0);
        let matrices = bar.matrices(&[still, still, (on_an_arc(degrees), 0.0)]);
        let (width, area) = width_and_area(&bar.outline(&matrices));
        assert!(width >= least && area >= 0.99, "{degrees}: {width}, {area}");
        assert_eq!(bar.flipped(&matrices), 0, "{degrees}");
    }
}

#[test]
fn a_curl_of_400_degrees_turns_no_triangle_over() {
    let bar = Bar::new(&[THREE[0], THREE[2]], &[PinTurn::Set; 2]);
    // The end of a circle of which the bar is 400 degrees.
    let radius = 180.0 / bone_core::Angle::from_degrees(400.0).radians();
    let (sin, cos) = Angle::from_degrees(400.0).sin_cos();
    let end = Point::new(10.0 + radius * sin, 20.0 + radius * (1.0 - cos));
    let matrices = bar.matrices(&[(Vec2::ZERO, 0.0), (end - Point::new(190.0, 20.0), 400.0)]);
    assert_eq!(bar.flipped(&matrices), 0);
    // Laps lie over each other, so the width is that between places that face each other at rest.
    let across = |bar: &Bar, x: f64| {
        let near = |at: Point| {
            let corners =
                bar.puppet.triangles().zip(bar.puppet.corners()).flat_map(|(t, v)| t.into_iter().zip(*v));
            let nearest = corners.min_by(|(a, _), (b, _)| (*a - at).hypot().total_cmp(&(*b - at).hypot()));
            nearest.map(|(_, v)| matrices.as_slice()[2 + v as usize] * at).expect("vertices")
        };
        (near(Point::new(x, 0.0)) - near(Point::new(x, 40.0))).hypot() / 40.0
    };
    let least = (2..18).map(|k| across(&bar, f64::from(k) * 10.0 + 5.0)).fold(f64::INFINITY, f64::min);
    assert!(least >= 0.78, "{least}");
}

#[test]
fn what_nothing_moves_stays_to_the_bit() {
    let bar = Bar::new(&THREE, &[PinTurn::Free, PinTurn::Set, PinTurn::Free]);
    let matrices = bar.matrices(&[(Vec2::ZERO, 0.0); 3]);
    assert!(matrices.as_slice().iter().all(|matrix| *matrix == kurbo::Affine::IDENTITY));
}

#[test]
fn moved_as_a_whole_it_is_rigid() {
    let bar = Bar::new(&THREE, &[PinTurn::Free; 3]);
    let turn = turn_about(0.7, Point::new(50.0, 90.0));
    let moves = THREE.map(|at| (turn * Point::from(at) - Point::from(at), 0.0));
    let matrices = bar.matrices(&moves);
    for (matrix, at) in matrices.as_slice()[3..].iter().zip(bar.puppet.triangles().flatten()) {
        assert!(((*matrix * at) - (turn * at)).hypot() < 1e-9);
    }
}

/// Outlines that are shorter than an edge of the mesh have neighbours whose weights begin at their ends.
#[test]
fn small_curves_move_as_wholes_with_their_handles() {
    let places: Vec<Point> = THREE.iter().map(|at| Point::from(*at)).collect();
    let skeleton = skeleton(&places);
    let mesh = mesh(&places, Some(12.0)).expect("a mesh");
    let (puppet, field) =
        Puppet::new(mesh, &pins(&skeleton, &[PinTurn::Free; 3]), (&skeleton, 3), &|_| 1.0).expect("a puppet");
    let small = kurbo::Circle::new((61.0, 17.0), 7.0).to_path(1e-3);
    let follow = Follow::Curves { skeleton: &skeleton, tolerance: 0.1 };
    let options = BindOptions { follow, folds: FoldRule::Keep, ..BindOptions::default() };
    let skin = Skin::of_path(&BLine::from_path(&small), &Weights::Field(&field), &options).expect("bound");
    let bar = Bar { skeleton, puppet, skin };
    let turn = turn_about(0.7, Point::new(-500.0, 900.0));
    let matrices = bar.matrices(&THREE.map(|at| (turn * Point::from(at) - Point::from(at), 0.0)));
    let posed = bar.outline(&matrices);
    let wanted = turn * small;
    for segment in posed.segments() {
        for k in 0..=8 {
            let at = kurbo::ParamCurve::eval(&segment, f64::from(k) / 8.0);
            let near = wanted.segments().map(|other| other.nearest(at, 1e-9).distance_sq.sqrt());
            let near = near.fold(f64::INFINITY, f64::min);
            assert!(near < 1e-3, "{at:?}: {near}");
        }
    }
}

#[test]
fn hostile_pins_have_a_result_or_an_error() {
    let still = (Vec2::ZERO, 0.0);
    let bar = Bar::new(&THREE, &[PinTurn::Free; 3]);
    for far in [1e9, 1e30, 1e160, 1e300] {
        let matrices = bar.matrices(&[still, (Vec2::new(far, -far), 0.0), still]);
        assert!(matrices.as_slice().iter().all(|matrix| matrix.is_finite()), "{far}");
    }
    // All pins at one place: the bar is somewhere there.
    let together = THREE.map(|at| (Point::new(100.0, 20.0) - Point::from(at), 0.0));
    assert!(bar.matrices(&together).as_slice().iter().all(|matrix| matrix.is_finite()));

    let made = |places: &[(f64, f64)]| {
        let places: Vec<Point> = places.iter().map(|at| Point::from(*at)).collect();
        let skeleton = skeleton(&places);
        let pins = pins(&skeleton, &vec![PinTurn::Free; places.len()]);
        Puppet::new(mesh(&places, None).expect("a mesh"), &pins, (&skeleton, 9), &|_| 1.0)
            .map(|(puppet, _)| puppet)
    };
    assert!(
        matches!(made(&[(100.0, 50.0)]), Err(PuppetError::Outside { pin: 0, nearest }) if (nearest.y - 40.0).abs() < 0.1)
    );
    assert!(matches!(made(&[(50.0, 20.0), (50.0, 20.0)]), Err(PuppetError::Near { pins: [0, 1], .. })));
    assert!(matches!(made(&[]), Err(PuppetError::NoPins)));
    assert!(made(&[(50.0, 20.0)]).is_ok());
    let many: Vec<_> =
        (0..1000).map(|k| (1.0 + f64::from(k % 100) * 1.98, 2.0 + f64::from(k / 100) * 4.0)).collect();
    assert!(matches!(made(&many), Ok(_) | Err(PuppetError::Holds { .. })));
    assert!(matches!(mesh(&[], Some(0.01)), Err(PuppetMeshError::TooFine { least }) if least > 0.5));
}

/// A turn by radians about a point.
fn turn_about(radians: f64, at: Point) -> kurbo::Affine {
    let (there, back) = (kurbo::Affine::translate(at.to_vec2()), kurbo::Affine::translate(-at.to_vec2()));
    there * bone_core::Angle::from_radians(radians).rotation() * back
}
