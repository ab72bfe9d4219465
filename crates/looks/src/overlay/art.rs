//! The addresses of shapes, written onto them. Where there is no space, a thin line leads to an address that
//! is farther away; where there is none at all, the address is left out.

use std::collections::BTreeMap;

use bone_drawing::{ElementId, ElementKind};
use kurbo::{BezPath, Point, Rect, Shape, Size, Vec2};

use super::labels::around;
use super::writer::{HALO, INK, OverlayStroke, OverlayWriter};
use crate::inspect::PosedMoment;
use crate::lettering::{Anchor, TextLine};
use bone_rig::{FrameState, Rig};

/// Height of addresses, in pixels.
const ADDRESS: f64 = 10.0;
/// A point in a shape is searched on a grid with this many cells in each direction from its middle; with
/// fewer cells if there are many shapes.
const CELLS: i32 = 9;
const FEW_CELLS: i32 = 3;
const MANY: usize = 300;
/// Distances at which labels are tried around a shape, in pixels.
const RINGS: [f64; 8] = [6.0, 11.0, 18.0, 28.0, 42.0, 60.0, 84.0, 115.0];

/// A shape of the picture, in pixels.
struct LabelledShape {
    element: ElementId,
    at: Point,
    bounds: Rect,
}

pub(super) fn write(rig: &Rig, state: &FrameState, out: &mut OverlayWriter<'_>) {
    let mut marks = marks(rig, state, out);
    // Large shapes contain their labels; those of small ones are placed around them.
    marks.sort_by(|a, b| b.bounds.area().total_cmp(&a.bounds.area()).then(a.element.cmp(&b.element)));
    for mark in &marks {
        let address = bone_format::text::shortened(&rig.art().address(mark.element));
        let words = TextLine::new(&address, ADDRESS, mark.at, INK).halo(HALO);
        let size = Size::new(words.width() + 3.0, ADDRESS + 3.0);
        let holds = mark.bounds.width() >= size.width && mark.bounds.height() >= size.height;
        let mut places = if holds { vec![mark.at] } else { Vec::new() };
        places.extend(around(mark.at, Vec2::new(1.0, 0.0), size, &RINGS));
        let Some(place) = out.labels.take(&places, size, false) else { continue };
        let near = Point::new(
            mark.at.x.clamp(place.x - 0.5 * size.width, place.x + 0.5 * size.width),
            mark.at.y.clamp(place.y - 0.5 * size.height, place.y + 0.5 * size.height),
        );
        if (near - mark.at).hypot() > 4.0 {
            let mut line = BezPath::new();
            line.move_to(mark.at);
            line.line_to(near);
            out.path(&line, "fill=\"none\"", OverlayStroke { halo: 0.8, ..OverlayStroke::new(INK, 0.7) });
            out.dot(
                mark.at,
                1.5,
                "fill=\"#fff\"",
                OverlayStroke { halo: 0.6, ..OverlayStroke::new(INK, 0.8) },
            );
        }
        let at = Point::new(place.x, place.y + 0.36 * ADDRESS);
        TextLine { at, ..words }.anchor(Anchor::Middle).write(out.svg);
    }
}

/// Every visible shape, with a point in it.
fn marks(rig: &Rig, state: &FrameState, out: &OverlayWriter<'_>) -> Vec<LabelledShape> {
    let art = rig.art();
    let mut outlines: BTreeMap<ElementId, Vec<BezPath>> = BTreeMap::new();
    for path in PosedMoment::new(rig, state).paths.into_iter().filter(|path| path.painted) {
        if let Some(element) = path.element {
            outlines.entry(element).or_default().push(out.to_pixels * path.path);
        }
    }
    // Images have no posed outlines: their labels are where they are at rest.
    for (id, element) in art.ids().zip(art.elements()) {
        if element.kind == ElementKind::Image && !art.is_hidden(id) {
            let covers = art.image_box(id).map(|covers| out.to_pixels * covers.to_path(0.1));
            covers.into_iter().for_each(|covers| outlines.entry(id).or_default().push(covers));
        }
    }
    let mut found = Vec::new();
    for (element, paths) in outlines {
        let Some(bounds) = paths.iter().map(Shape::bounding_box).reduce(|all, one| all.union(one)) else {
            continue;
        };
        let seen = bounds.intersect(out.frame);
        if !bounds.is_finite() || seen.width() < 0.0 || seen.height() < 0.0 {
            continue;
        }
        found.push((element, paths, seen));
    }
    let cells = if found.len() <= MANY { CELLS } else { FEW_CELLS };
    let mark = |(k, (element, paths, seen)): (usize, &(ElementId, Vec<BezPath>, Rect))| {
        // A point that no later shape covers is better.
        let over = found.get(k + 1..).unwrap_or_default();
        let covered = |at: Point| {
            let covers = |paths: &[BezPath]| paths.iter().any(|path| path.winding(at) != 0);
            over.iter().any(|(_, paths, seen)| seen.contains(at) && covers(paths))
        };
        LabelledShape { element: *element, at: inside(paths, *seen, cells, covered), bounds: *seen }
    };
    found.iter().enumerate().map(mark).collect()
}

/// A point in the shapes, near the middle of their visible part on a coarse grid, and not covered if there is
/// one.
fn inside(paths: &[BezPath], seen: Rect, cells: i32, covered: impl Fn(Point) -> bool) -> Point {
    let middle = seen.center();
    let within = |at: Point| paths.iter().any(|path| path.winding(at) != 0);
    let cell = Vec2::new(seen.width(), seen.height()) / f64::from(2 * cells);
    let steps = || (-cells + 1..cells).map(f64::from);
    let grid = steps().flat_map(|x| steps().map(move |y| middle + Vec2::new(x * cell.x, y * cell.y)));
    let mut grid: Vec<Point> = grid.filter(|at| within(*at)).collect();
    grid.sort_by(|a, b| {
        let far = |at: &Point| (*at - middle).hypot2();
        far(a).total_cmp(&far(b))
    });
    let nearest = grid.iter().find(|at| !covered(**at)).or(grid.first()).copied();
    // Open lines have no inside: the middle of their first segment is taken.
    let on_line = || {
        let mut segments = paths.iter().flat_map(BezPath::segments);
        segments.next().map(|segment| kurbo::ParamCurve::eval(&segment, 0.5))
    };
    nearest.or_else(on_line).unwrap_or(middle)
}
