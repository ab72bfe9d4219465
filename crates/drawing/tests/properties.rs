//! Properties of any drawing: hits equal ray crossings, addresses lead back to their elements, flat buffers
//! have all curves, and drawings are shared and sent between threads.

use std::collections::BTreeSet;
use std::sync::Arc;

use bone_drawing::{
    CanvasPose, Drawing, DrawingBuilder, FillCall, FlatCommand, FlatFrame, Frame, Group, ImageCall,
    LayerCall, Moving, NodeKind, PaintSink, Posable, PosedArt, Shape, StrokeCall, Visibility,
};
use kurbo::{Affine, BezPath, Point, Rect};
use proptest::prelude::*;

/// A group or a polygon.
#[derive(Clone, Debug)]
enum Part {
    Group(&'static str, Affine, Vec<Part>),
    Polygon(&'static str, Vec<Point>),
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "arm", "", "#1", "a/b", "g#1"])
}

fn part() -> impl Strategy<Value = Part> {
    let point = (0.0..100.0, 0.0..100.0).prop_map(Point::from);
    let polygon =
        (name(), prop::collection::vec(point, 3..7)).prop_map(|(name, all)| Part::Polygon(name, all));
    let affine = prop::array::uniform6(-0.4..0.4_f64)
        .prop_map(|[a, b, c, d, e, f]| Affine::new([1.0 + a, b, c, 1.0 + d, 60.0 * e, 60.0 * f]));
    polygon.prop_recursive(3, 16, 4, move |inner| {
        (name(), affine.clone(), prop::collection::vec(inner, 1..4))
            .prop_map(|(name, transform, inside)| Part::Group(name, transform, inside))
    })
}

fn add(parts: &[Part], builder: &mut DrawingBuilder) {
    for part in parts {
        match part {
            Part::Group(name, transform, inside) => {
                builder.open(name, Group { transform: *transform, ..Group::new() });
                add(inside, builder);
                builder.close();
            }
            Part::Polygon(name, points) => {
                builder.shape(name, Shape::filled(outline(points), [9, 9, 9]));
            }
        }
    }
}

fn outline(points: &[Point]) -> BezPath {
    let mut path = BezPath::new();
    path.move_to(points[0]);
    points[1..].iter().for_each(|p| path.line_to(*p));
    path.close_path();
    path
}

fn build(parts: &[Part]) -> Drawing {
    let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 100.0, 100.0));
    add(parts, &mut builder);
    builder.finish().expect("a drawing")
}

/// All polygons on the canvas, in the order in which they were added.
fn polygons(parts: &[Part], around: Affine, found: &mut Vec<Vec<Point>>) {
    for part in parts {
        match part {
            Part::Group(_, transform, inside) => polygons(inside, around * *transform, found),
            Part::Polygon(_, points) => found.push(points.iter().map(|p| around * *p).collect()),
        }
    }
}

/// How often a polygon turns around a point, by the edges that a ray to the right crosses; none if the point
/// is near an edge.
fn turns(polygon: &[Point], at: Point) -> Option<i32> {
    let mut turns = 0;
    for (a, b) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
        let (way, to) = (*b - *a, at - *a);
        let along = (to.dot(way) / way.hypot2().max(1e-12)).clamp(0.0, 1.0);
        if (to - along * way).hypot() < 1e-3 {
            return None;
        }
        if (a.y <= at.y) != (b.y <= at.y) {
            let x = a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x);
            turns += if x > at.x { if b.y > a.y { 1 } else { -1 } } else { 0 };
        }
    }
    Some(turns)
}

/// Lists every outline that is painted, on the canvas.
#[derive(Default)]
struct Outlines(Vec<BezPath>);

impl PaintSink for Outlines {
    fn fill(&mut self, fill: &FillCall<'_>) {
        self.0.push(fill.transform * fill.outline);
    }

    fn stroke(&mut self, _: &StrokeCall<'_>) {}

    fn image(&mut self, _: &ImageCall<'_>) {}

    fn push_layer(&mut self, _: &LayerCall<'_>) -> bool {
        true
    }

    fn pop_layer(&mut self) {}
}

/// An outline of flat buffers.
fn rebuilt(flat: &FlatFrame, command: &FlatCommand) -> Option<BezPath> {
    let FlatCommand::Fill { outline, transform, .. } = command else { return None };
    Some(Affine::new(flat.transforms()[*transform]) * flat.path(outline))
}

proptest! {
    #[test]
    fn what_is_hit_is_what_a_ray_crosses(
        parts in prop::collection::vec(part(), 1..6),
        points in prop::collection::vec((0.0..100.0, 0.0..100.0), 20),
    ) {
        let drawing = build(&parts);
        let mut all = Vec::new();
        polygons(&parts, Affine::IDENTITY, &mut all);
        let shapes: Vec<_> = drawing.painted(&Frame::default()).iter().map(|piece| piece.node).collect();
        prop_assert_eq!(shapes.len(), all.len());
        for at in points.into_iter().map(Point::from) {
            let around: Option<Vec<i32>> = all.iter().map(|polygon| turns(polygon, at)).collect();
            let Some(around) = around else { continue };
            let expected = around.iter().rposition(|turns| *turns != 0).map(|front| shapes[front]);
            let hit = drawing.hit_test(&Frame::default(), at, 0.0);
            prop_assert_eq!(hit.map(|hit| hit.node), expected);
        }
    }

    #[test]
    fn addresses_lead_back(parts in prop::collection::vec(part(), 1..6)) {
        let drawing = build(&parts);
        let mut taken = BTreeSet::new();
        for id in drawing.ids() {
            let address = drawing.address(id);
            prop_assert_eq!(drawing.find(&address).ok(), Some(id), "{}", address);
            prop_assert!(taken.insert(address));
        }
    }

    #[test]
    fn flat_buffers_hold_all_curves_in_paint_order(
        parts in prop::collection::vec(part(), 1..6),
        scale in 0.2..5.0,
    ) {
        let drawing = build(&parts);
        let (mut flat, mut direct) = (FlatFrame::default(), Outlines::default());
        drawing.paint(&Frame::default(), Affine::scale(scale), &mut flat);
        drawing.paint(&Frame::default(), Affine::scale(scale), &mut direct);
        let paths: Vec<BezPath> = flat.commands().iter().filter_map(|command| rebuilt(&flat, command)).collect();
        prop_assert_eq!(paths.len(), direct.0.len());
        for (path, direct) in paths.iter().zip(&direct.0) {
            prop_assert_eq!(path.elements().len(), direct.elements().len());
            let ends = path.elements().iter().zip(direct.elements()).filter_map(|(a, b)| a.end_point().zip(b.end_point()));
            // Single precision of coordinates up to 100, enlarged.
            prop_assert!(ends.into_iter().all(|(a, b)| a.distance(b) < 1e-4 * scale));
        }
    }

    #[test]
    fn orders_sort_and_keep_what_is_equal(parts in prop::collection::vec(part(), 2..6), orders in prop::collection::vec(-2..3_i8, 6)) {
        let drawing = build(&parts);
        let tops: Vec<_> = drawing.ids().filter(|id| drawing.element(*id).unwrap().parent.is_none()).collect();
        let posable = Posable::new(&drawing, &Moving { visible: &tops, ..Moving::default() }).unwrap();
        let visibilities: Vec<Visibility> =
            orders.iter().take(tops.len()).map(|order| Visibility { order: f64::from(*order), ..Visibility::SHOWN }).collect();
        let mut frame = Frame::default();
        posable.frame(&CanvasPose { visibilities: &visibilities, ..CanvasPose::default() }, &mut frame);
        // By hand: the polygons of each top part, the parts sorted.
        let mut sorted: Vec<usize> = (0..parts.len()).collect();
        sorted.sort_by_key(|at| orders[*at]);
        let mut expected = Vec::new();
        for at in sorted {
            polygons(&parts[at..=at], Affine::IDENTITY, &mut expected);
        }
        let mut painted = Outlines::default();
        posable.drawing().paint(&frame, Affine::IDENTITY, &mut painted);
        prop_assert_eq!(painted.0.len(), expected.len());
        for (path, polygon) in painted.0.iter().zip(expected) {
            let first = path.elements()[0].end_point().unwrap();
            prop_assert!(first.distance(polygon[0]) < 1e-9);
        }
    }
}

#[test]
fn everything_is_sent_and_shared() {
    fn check<T: Send + Sync>() {}
    check::<Drawing>();
    check::<Posable>();
    check::<Frame>();
    check::<FlatFrame>();
    check::<PosedArt>();
    check::<DrawingBuilder>();
}

#[test]
fn copies_share_their_outlines() {
    let square = |x: f64| outline(&[Point::new(x, 0.0), Point::new(x + 5.0, 0.0), Point::new(x, 5.0)]);
    let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 20.0, 20.0));
    let still = builder.shape("still", Shape::filled(square(0.0), [1, 2, 3]));
    builder.shape("bent", Shape::filled(square(9.0), [1, 2, 3]));
    let drawing = builder.finish().expect("a drawing");
    let bent = drawing.find("bent").unwrap();
    let posable =
        Posable::new(&drawing, &Moving { posed: &[PosedArt::Path(bent)], ..Moving::default() }).unwrap();
    let shape = |drawing: &Drawing| match &drawing.node(still).unwrap().kind {
        NodeKind::Shape(shape) => Arc::clone(shape),
        _ => panic!("a shape"),
    };
    assert!(Arc::ptr_eq(&shape(&drawing), &shape(posable.drawing())));
    assert!(Arc::ptr_eq(&shape(&drawing), &shape(&drawing.clone())));
    assert!(Arc::ptr_eq(posable.drawing(), posable.clone().drawing()));
}
