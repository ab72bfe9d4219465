//! The middle of a limb across a place: where an artist wants a joint.

use bone_core::Angle;
use bone_drawing::{Drawing, Frame};
use kurbo::{BezPath, Line, ParamCurve, Point};

/// The limb is as wide as the shortest of so many chords through the place. The middle of any chord across a straight
/// limb lies in its middle, so they need not be close.
const CHORDS: u32 = 12;

/// The centre between the two outlines of the art at rest across a place, if it is within `reach` of it.
pub fn middle_of_art(art: &Drawing, at: Point, reach: f64) -> Option<Point> {
    if !at.is_finite() || !reach.is_finite() {
        return None;
    }
    let hit = art.hit_test(&Frame::default(), at, 0.0)?;
    let outline = art.to_canvas(hit.node) * &*art.node(hit.node)?.shape()?.outline;
    let diagonal = art.canvas().size().to_vec2().hypot();
    let turns = (0..CHORDS).map(|turn| Angle::from_degrees(180.0 / f64::from(CHORDS) * f64::from(turn)));
    let chords = turns.filter_map(|turn| {
        let way = turn.direction() * diagonal;
        chord(&outline, Line::new(at - way, at + way))
    });
    let shortest = chords.min_by(|a, b| a.length().total_cmp(&b.length()))?;
    let middle = shortest.midpoint();
    ((middle - at).hypot() <= reach).then_some(middle)
}

/// The stretch of a line inside an outline that goes through the line's middle.
fn chord(outline: &BezPath, line: Line) -> Option<Line> {
    let crossings = || outline.segments().flat_map(|segment| segment.intersect_line(line));
    let before = crossings().map(|it| it.line_t).filter(|t| *t < 0.5).fold(f64::NEG_INFINITY, f64::max);
    let after = crossings().map(|it| it.line_t).filter(|t| *t >= 0.5).fold(f64::INFINITY, f64::min);
    (before.is_finite() && after.is_finite()).then(|| Line::new(line.eval(before), line.eval(after)))
}
