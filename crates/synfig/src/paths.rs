//! Paths as vertices with tangents, by the addresses of rigs.

use bone_format::doc::{VertexAddress, VertexPart};
use kurbo::{BezPath, PathEl, Point};

/// The points of a path by their addresses. Tangents of straight sides have none.
pub(crate) fn addressed(path: &BezPath) -> Vec<(VertexAddress, Point)> {
    let mut all: Vec<(VertexAddress, Point)> = Vec::new();
    let mut vertex: u32 = 0;
    let mut first = 0;
    let mut start = Point::ZERO;
    let address = |vertex: u32, part: VertexPart| VertexAddress { vertex, part };
    let mut here = Point::ZERO;
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(to) => {
                if !all.is_empty() {
                    vertex += 1;
                }
                (first, start, here) = (vertex, to, to);
                all.push((address(vertex, VertexPart::Anchor), to));
            }
            PathEl::LineTo(to) => {
                vertex += 1;
                all.push((address(vertex, VertexPart::Anchor), to));
                here = to;
            }
            PathEl::QuadTo(control, to) => {
                let (a, b) = (here.lerp(control, 2.0 / 3.0), to.lerp(control, 2.0 / 3.0));
                all.push((address(vertex, VertexPart::Out), a));
                vertex += 1;
                all.push((address(vertex, VertexPart::In), b));
                all.push((address(vertex, VertexPart::Anchor), to));
                here = to;
            }
            PathEl::CurveTo(a, b, to) => {
                all.push((address(vertex, VertexPart::Out), a));
                vertex += 1;
                all.push((address(vertex, VertexPart::In), b));
                all.push((address(vertex, VertexPart::Anchor), to));
                here = to;
            }
            PathEl::ClosePath => {
                // The last point of a closed curve is its first one.
                if vertex > first && here.distance(start) < 1e-9 {
                    all.retain(|(address, _)| address.vertex != vertex || address.part != VertexPart::Anchor);
                    all.iter_mut()
                        .filter(|(address, _)| address.vertex == vertex)
                        .for_each(|(address, _)| address.vertex = first);
                    vertex -= 1;
                }
                here = start;
            }
        }
    }
    all
}

/// What must be equal for points to be keyed.
pub(crate) fn structure(path: &BezPath) -> Vec<u8> {
    let kind = |element: &PathEl| match element {
        PathEl::MoveTo(_) => 0,
        PathEl::LineTo(_) => 1,
        PathEl::QuadTo(..) => 2,
        PathEl::CurveTo(..) => 3,
        PathEl::ClosePath => 4,
    };
    path.elements().iter().map(kind).collect()
}
