//! Filled subpaths of which all is turned inside out, as a spot in an elbow.

use kurbo::{CubicBez, ParamCurveArea, PathEl, Point};

use crate::fold_overlap::side;
use crate::posed::PosedDrawing;
use crate::skin::Skin;

/// Draws nothing of the subpaths of a path that are turned inside out as a whole: their points come together.
pub(crate) fn hide_turned(skin: &Skin, number: usize, posed: &mut PosedDrawing) {
    let bound = &skin.paths[number];
    if posed.at_rest[number] {
        return;
    }
    let elements = posed.paths[number].elements_mut();
    let mut point = bound.points.start;
    let mut first = 0;
    while first < elements.len() {
        let count = elements[first + 1..].iter().take_while(|it| !matches!(it, PathEl::MoveTo(_))).count();
        let own = first..first + 1 + count;
        let [a, b, c, d, ..] = posed.blended[skin.rows[point] as usize];
        let turns = (area(&bound.elements[own.clone()]), area(&elements[own.clone()]));
        let is_turned = turns.0 * turns.1 * (a * d - b * c) < 0.0;
        let place = elements[first].end_point().unwrap_or_default();
        for element in &mut elements[own.clone()] {
            let points: &mut [&mut Point] = match element {
                PathEl::MoveTo(p) | PathEl::LineTo(p) => &mut [p],
                PathEl::QuadTo(p, q) => &mut [p, q],
                PathEl::CurveTo(p, q, r) => &mut [p, q, r],
                PathEl::ClosePath => &mut [],
            };
            point += points.len();
            if is_turned && bound.fill.is_some() {
                points.iter_mut().for_each(|point| **point = place);
            }
        }
        first = own.end;
    }
}

/// The signed area of a subpath, closed as a fill closes it.
fn area(elements: &[PathEl]) -> f64 {
    let Some(start) = elements.first().and_then(PathEl::end_point) else { return 0.0 };
    let mut last = start;
    let mut sum = 0.0;
    for element in elements {
        let curve = match *element {
            PathEl::CurveTo(a, b, to) => CubicBez::new(last, a, b, to),
            PathEl::QuadTo(a, to) => kurbo::QuadBez::new(last, a, to).raise(),
            PathEl::MoveTo(to) | PathEl::LineTo(to) => side(last, to),
            PathEl::ClosePath => side(last, start),
        };
        sum += curve.signed_area();
        last = curve.p3;
    }
    sum + side(last, start).signed_area()
}
