//! The middle of a limb across a place: where an artist wants a joint.

use bone_core::Angle;
use bone_drawing::{Drawing, Frame};
use kurbo::{BezPath, Line, ParamCurve, ParamCurveDeriv, Point, Vec2};

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
        let way = turn.direction();
        chord(&outline, Line::new(at - way * diagonal, at + way * diagonal), way)
    });
    let (shortest, _) = chords.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let middle = shortest.midpoint();
    ((middle - at).hypot() <= reach).then_some(middle)
}

/// The stretch of a line inside an outline that goes through the line's middle, and its length divided by how square it
/// is to the outline at both ends: chords across corners are short, but cross no limb.
fn chord(outline: &BezPath, line: Line, way: Vec2) -> Option<(Line, f64)> {
    let mut ends: [Option<(f64, f64)>; 2] = [None, None];
    for segment in outline.segments() {
        for crossing in segment.intersect_line(line) {
            let along = segment.to_cubic().deriv().eval(crossing.segment_t).to_vec2();
            let square = way.cross(along).abs() / along.hypot().max(f64::MIN_POSITIVE);
            let from_middle = crossing.line_t - 0.5;
            let end = &mut ends[usize::from(from_middle >= 0.0)];
            if end.is_none_or(|(nearest, _)| from_middle.abs() < nearest.abs()) {
                *end = Some((from_middle, square));
            }
        }
    }
    let [Some(before), Some(after)] = ends else { return None };
    let chord = Line::new(line.eval(0.5 + before.0), line.eval(0.5 + after.0));
    Some((chord, chord.length() / (before.1 * after.1).max(1e-3)))
}
