//! Ranges of numbers: what outputs can write, and indices of 32 bits.

use kurbo::{Affine, BezPath, PathEl, Point};

/// No sensible pose has coordinates beyond this. SVG readers and renderers work in single precision, and multiply
/// lengths with each other.
const MAX_NUMBER: f64 = 1e9;
/// No sensible pose enlarges art so many times.
const MAX_SCALE: f64 = 1e5;

/// Whether an output can have a number. NaN cannot be written.
pub(crate) fn in_range(n: f64) -> bool {
    n.abs() <= MAX_NUMBER
}

/// Whether an output can have every coefficient.
pub(crate) fn is_usable(affine: Affine) -> bool {
    affine.as_coeffs().iter().all(|n| in_range(*n))
}

/// Whether art can be moved by a matrix of a pose.
pub(crate) fn is_pose_usable(affine: Affine) -> bool {
    let [a, b, c, d, ..] = affine.as_coeffs();
    is_usable(affine) && [a, b, c, d].iter().all(|n| n.abs() <= MAX_SCALE)
}

/// Whether a path starts with a move, and an output can have every coordinate after `map`.
pub(crate) fn is_path_usable(path: &BezPath, map: Affine) -> bool {
    let fits = |p: &Point| {
        let p = map * *p;
        in_range(p.x) && in_range(p.y)
    };
    let starts = path.elements().first().is_none_or(|first| matches!(first, PathEl::MoveTo(_)));
    starts
        && path.elements().iter().all(|element| match element {
            PathEl::MoveTo(p) | PathEl::LineTo(p) => fits(p),
            PathEl::QuadTo(a, p) => fits(a) && fits(p),
            PathEl::CurveTo(a, b, p) => fits(a) && fits(b) && fits(p),
            PathEl::ClosePath => true,
        })
}

/// A list index as a `u32`. An index that does not fit becomes `u32::MAX`, which no list reaches.
pub(crate) fn index_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
