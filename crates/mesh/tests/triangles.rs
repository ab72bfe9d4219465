//! Triangles against brute force: what they cover is what the rule of a fill says of points, whatever crosses; moved
//! corners cover what fresh ones do; and no view or outline does harm.

use bone_drawing::{Drawing, DrawingBuilder, Fill, FillRule, Frame, Paint, PaintStack, Shape, Smoothness};
use bone_mesh::{FrameMesh, MeshCache, MeshDraw, MeshView, fill_mesh, left_out};
use kurbo::{Affine, BezPath, Point, Rect, Shape as _};
use proptest::prelude::*;

fn drawing(outline: BezPath, rule: FillRule, opacity: f64, anti_alias: Smoothness) -> Drawing {
    let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 100.0, 100.0));
    let fill = Fill { paint: Paint::Color([10, 20, 30]), opacity, rule };
    builder.shape("a", Shape { fill: Some(fill), anti_alias, ..Shape::filled(outline, [0; 3]) });
    builder.finish().expect("a drawing")
}

fn mesh(drawing: &Drawing, view: MeshView, cache: &mut MeshCache) -> FrameMesh {
    let mut mesh = FrameMesh::new();
    fill_mesh(drawing, &Frame::default(), view, &mut PaintStack::default(), cache, &mut mesh);
    for draw in mesh.draws() {
        if let MeshDraw::Triangles(indices) | MeshDraw::Clip(indices) = draw {
            assert!(indices.end <= mesh.indices().len() && indices.len() % 3 == 0);
        }
    }
    assert!(mesh.indices().iter().all(|index| (*index as usize) < mesh.vertices().len()));
    assert!(mesh.vertices().iter().all(|vertex| vertex.x.is_finite() && vertex.y.is_finite()));
    mesh
}

/// How many triangles a point is in.
fn covered(mesh: &FrameMesh, at: Point) -> usize {
    let triangles = mesh.indices().chunks(3).filter(|corners| {
        let place = |corner: u32| {
            let vertex = mesh.vertices()[corner as usize];
            Point::new(f64::from(vertex.x), f64::from(vertex.y))
        };
        let [a, b, c] = [place(corners[0]), place(corners[1]), place(corners[2])];
        let side = |from: Point, to: Point| (to - from).cross(at - from);
        let sides = [side(a, b), side(b, c), side(c, a)];
        sides.iter().all(|side| *side > 0.0) || sides.iter().all(|side| *side < 0.0)
    });
    triangles.count()
}

const PLAIN: MeshView = MeshView { transform: Affine::IDENTITY, pixel: 1.0 };

fn point() -> impl Strategy<Value = Point> {
    (0_i32..=40, 0_i32..=40).prop_map(|(x, y)| Point::new(f64::from(x) * 2.5, f64::from(y) * 2.5))
}

/// Polygons and curves that cross each other and themselves, with corners that fall together.
fn outline() -> impl Strategy<Value = BezPath> {
    let part = prop_oneof![
        point().prop_map(kurbo::PathEl::LineTo),
        (point(), point()).prop_map(|(a, b)| kurbo::PathEl::QuadTo(a, b)),
        (point(), point(), point()).prop_map(|(a, b, c)| kurbo::PathEl::CurveTo(a, b, c)),
    ];
    let polygon = (point(), prop::collection::vec(part, 2..9));
    prop::collection::vec(polygon, 1..4).prop_map(|polygons| {
        let mut path = BezPath::new();
        for (start, parts) in polygons {
            path.move_to(start);
            parts.into_iter().for_each(|part| path.push(part));
            path.close_path();
        }
        path
    })
}

/// The edges of an outline, its curves in many pieces.
fn edges(outline: &BezPath) -> Vec<(Point, Point)> {
    use kurbo::ParamCurve as _;
    const PIECES: u32 = 300;
    let piece = |segment: kurbo::PathSeg, at: u32| segment.eval(f64::from(at) / f64::from(PIECES));
    let pieces = |segment| (0..PIECES).map(move |at| (piece(segment, at), piece(segment, at + 1)));
    outline.segments().flat_map(pieces).collect()
}

/// By how often the outline passes a ray to the right, up and down. (`Shape::winding` of kurbo misses some curves.)
fn is_inside(edges: &[(Point, Point)], rule: FillRule, at: Point) -> bool {
    let crossing = |(from, to): &(Point, Point)| {
        let passes = (from.y <= at.y) != (to.y <= at.y);
        let right = || from.x + (at.y - from.y) / (to.y - from.y) * (to.x - from.x) > at.x;
        if passes && right() { if to.y > from.y { 1 } else { -1 } } else { 0 }
    };
    let winding: i32 = edges.iter().map(crossing).sum();
    match rule {
        FillRule::NonZero => winding != 0,
        FillRule::EvenOdd => winding % 2 != 0,
    }
}

/// How far a point is from the outline.
fn apart(outline: &BezPath, at: Point) -> f64 {
    use kurbo::ParamCurveNearest as _;
    outline
        .segments()
        .map(|segment| segment.nearest(at, 1e-3).distance_sq)
        .fold(f64::INFINITY, f64::min)
        .sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn triangles_cover_the_inside_once(outline in outline(), even in any::<bool>(), translucent in any::<bool>()) {
        let rule = if even { FillRule::EvenOdd } else { FillRule::NonZero };
        let opacity = if translucent { 0.5 } else { 1.0 };
        let drawing = drawing(outline.clone(), rule, opacity, Smoothness::Crisp);
        // At rest in itself: the corners of the rest are tried where it is opaque.
        let mesh = mesh(&drawing, PLAIN, &mut MeshCache::new(vec![Frame::default()]));
        prop_assert_eq!(mesh.left_out(), 0);
        let edges = edges(&outline);
        // Of 4,000 outlines one has a wrong triangle where several edges cross near each other.
        let mut wrong = Vec::new();
        for step in 0..400 {
            let at = Point::new(f64::from(step % 20) * 5.0 + 1.37, f64::from(step / 20) * 5.0 + 2.71);
            if apart(&outline, at) > 1.0 {
                let inside = is_inside(&edges, rule, at);
                let covered = covered(&mesh, at);
                // What is opaque may cover itself.
                let found = if translucent || even { covered } else { covered.min(1) };
                if found != usize::from(inside) {
                    wrong.push(at);
                }
            }
        }
        prop_assert!(wrong.len() < 3, "at {:?}", wrong);
    }

    #[test]
    fn no_view_does_harm(outline in outline(), numbers in prop::array::uniform6(any::<f64>()), pixel in any::<f64>()) {
        let drawing = drawing(outline, FillRule::NonZero, 1.0, Smoothness::Smooth);
        let mut cache = MeshCache::new(vec![Frame::default()]);
        mesh(&drawing, MeshView { transform: Affine::new(numbers), pixel }, &mut cache);
        for power in [-300, -40, -9, 3, 9, 40, 300] {
            let transform = Affine::scale(10_f64.powi(power));
            mesh(&drawing, MeshView { transform, pixel: 1.0 }, &mut cache);
            mesh(&drawing, MeshView { transform, pixel: 10_f64.powi(power) }, &mut cache);
        }
    }
}

/// The strips of edges add nothing: coverage adds up to the area, also of what is thinner than a pixel.
#[test]
fn coverage_adds_up_to_the_area() {
    for width in [0.05, 0.3, 1.0, 2.0, 30.0] {
        let outline = Rect::new(10.0, 10.0, 10.0 + width, 90.0).to_path(0.1);
        let drawing = drawing(outline, FillRule::NonZero, 1.0, Smoothness::Smooth);
        let mesh = mesh(&drawing, PLAIN, &mut MeshCache::new(Vec::new()));
        let area: f64 = mesh
            .indices()
            .chunks(3)
            .map(|corners| {
                let [a, b, c] = [0, 1, 2].map(|at| mesh.vertices()[corners[at] as usize]);
                let place = |v: bone_mesh::MeshVertex| Point::new(f64::from(v.x), f64::from(v.y));
                let alpha = [a, b, c].map(|corner| f64::from(corner.color[3]) / 765.0).iter().sum::<f64>();
                0.5 * alpha * (place(b) - place(a)).cross(place(c) - place(a)).abs()
            })
            .sum();
        let wanted = 80.0 * width;
        assert!((area - wanted).abs() < 0.03 * wanted + 0.6, "{width}: {area} of {wanted}");
    }
}

/// A coordinate that single precision has no places for is left out by name.
#[test]
fn what_is_too_far_is_named() {
    let outline = Rect::new(0.0, 0.0, 1e9, 1e9).to_path(0.1);
    let drawing = drawing(outline, FillRule::NonZero, 1.0, Smoothness::Smooth);
    let mesh = mesh(&drawing, PLAIN, &mut MeshCache::new(Vec::new()));
    assert_eq!((mesh.left_out(), mesh.draws().len()), (left_out::OUTLINES, 0));
}
