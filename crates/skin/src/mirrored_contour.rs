//! The contours of parts as places and stretches of an outline.

use kurbo::{CubicBez, ParamCurve, PathEl, Point};

/// A place of the posed outline, or a mean of several.
pub(crate) type Place = Vec<OutlinePlace>;

/// A place of an outline, with its share of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OutlinePlace {
    /// The element of the path that arrives there.
    pub(crate) element: u32,
    pub(crate) t: f64,
    pub(crate) share: f64,
}

/// A closed line around a part of a subpath.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Contour {
    /// The bones that move it.
    pub(crate) group: u32,
    pub(crate) subpath: u32,
    /// The place where it begins and ends.
    pub(crate) start: u32,
    pub(crate) edges: Vec<Edge>,
}

/// An edge of a contour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge {
    /// The place where it ends.
    pub(crate) to: u32,
    /// The stretch of the outline that it is, or none for a straight edge.
    pub(crate) curve: Option<Stretch>,
}

/// A stretch of an element of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) element: u32,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// The mean of some places; one alone is itself, to the bit.
pub(crate) fn mean(places: &[OutlinePlace], at: impl Fn(&OutlinePlace) -> Point) -> Point {
    match places {
        [one] => at(one),
        all => all.iter().map(|place| at(place).to_vec2() * place.share).sum::<kurbo::Vec2>().to_point(),
    }
}

/// A place of a path.
pub(crate) fn at(path: &[PathEl], element: u32, t: f64) -> Point {
    if t == 1.0 {
        path.get(element as usize).and_then(PathEl::end_point).unwrap_or_default()
    } else {
        cubic(path, element).eval(t)
    }
}

/// An element of a path that is a cubic.
pub(crate) fn cubic(path: &[PathEl], element: u32) -> CubicBez {
    let from = (element as usize).checked_sub(1).and_then(|before| path.get(before)?.end_point());
    match (from, path.get(element as usize)) {
        (Some(from), Some(PathEl::CurveTo(a, b, to))) => CubicBez::new(from, *a, *b, *to),
        _ => CubicBez::new(Point::ZERO, Point::ZERO, Point::ZERO, Point::ZERO),
    }
}
