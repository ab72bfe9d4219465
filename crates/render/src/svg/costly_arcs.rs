//! Arcs of huge radius. They become curves whose number grows with the sixth root of the radius, without a bound:
//! usvg alone would make 10^51 of one arc.

use kurbo::{Point, Vec2};
use roxmltree::Node;
use svgtypes::{Length, PathParser, PathSegment};

use super::source::plain_attribute;

/// Arcs of a smaller radius have at most 32 curves, as many as a path may well have: they do not count.
const USUAL_RADIUS: f64 = 1e8;
/// How far curves may be from the arc: usvg's tolerance.
const TOLERANCE: f64 = 0.1;
/// Factor of the largest unit beside a pixel, an inch, and of a share of a drawing that is itself large.
const UNIT: f64 = 100.0;

/// How many curves the huge arcs of an element become, at most.
pub(crate) fn curves(node: Node<'_, '_>) -> u64 {
    match node.tag_name().name() {
        "path" => plain_attribute(node, "d").map_or(0, path_curves),
        "circle" | "ellipse" | "rect" => {
            let radii = ["r", "rx", "ry"].into_iter().filter_map(|name| plain_attribute(node, name));
            let lengths = radii.filter_map(|text| text.parse::<Length>().ok());
            lengths.map(|length| arc_curves(length.number * UNIT)).max().unwrap_or(0)
        }
        _ => 0,
    }
}

/// Those of a whole ellipse (`kurbo::Arc::append_iter`).
fn arc_curves(radius: f64) -> u64 {
    if radius <= USUAL_RADIUS { 0 } else { sixth_root(1.1163 * radius / TOLERANCE) as u64 }
}

/// By square roots alone, which are the same on every machine: 1/6 is 1/8 + 1/32 + 1/128 and so on.
fn sixth_root(number: f64) -> f64 {
    let mut part = number.sqrt();
    (0..27).fold(1.0, |root, _| {
        part = part.sqrt().sqrt();
        root * part
    })
}

fn path_curves(data: &str) -> u64 {
    if !data.contains(['a', 'A']) {
        return 0;
    }
    let (mut at, mut start, mut sum) = (Point::ZERO, Point::ZERO, 0_u64);
    for segment in PathParser::from(data).map_while(Result::ok) {
        let from = |is_absolute: bool| if is_absolute { Vec2::ZERO } else { at.to_vec2() };
        let to = match segment {
            PathSegment::ClosePath { .. } => start,
            PathSegment::HorizontalLineTo { abs, x } => Point::new(from(abs).x + x, at.y),
            PathSegment::VerticalLineTo { abs, y } => Point::new(at.x, from(abs).y + y),
            PathSegment::MoveTo { abs, x, y }
            | PathSegment::LineTo { abs, x, y }
            | PathSegment::CurveTo { abs, x, y, .. }
            | PathSegment::SmoothCurveTo { abs, x, y, .. }
            | PathSegment::Quadratic { abs, x, y, .. }
            | PathSegment::SmoothQuadratic { abs, x, y }
            | PathSegment::EllipticalArc { abs, x, y, .. } => Point::new(x, y) + from(abs),
        };
        // Without a radius it is a line.
        if let PathSegment::EllipticalArc { rx, ry, .. } = segment
            && let (rx, ry) = (rx.abs(), ry.abs())
            && rx.min(ry) > 1e-5
        {
            // Radii that are too small for their ends are enlarged together.
            let enlarged = (at.distance(to) / (2.0 * rx.min(ry))).max(1.0);
            sum = sum.saturating_add(arc_curves(rx.max(ry) * enlarged));
        }
        if matches!(segment, PathSegment::MoveTo { .. }) {
            start = to;
        }
        at = to;
    }
    sum
}
