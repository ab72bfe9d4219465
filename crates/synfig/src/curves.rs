//! Waypoints as curves. Tangents are those of Synfig (`valuenode_animatedinterface.cpp`, `Hermite::on_changed`): of a
//! segment, in values for its whole length.

use crate::document::{SourceKind, SynfigDocument, Waypoint, WaypointSide};
use crate::value::NodeValue;

/// A stretch between two waypoints, number by number.
#[derive(Clone, Debug)]
pub(crate) struct CurveSegment {
    pub(crate) from: Vec<f64>,
    pub(crate) to: Vec<f64>,
    pub(crate) leaving: Vec<f64>,
    pub(crate) arriving: Vec<f64>,
    /// Whether it holds the first value.
    pub(crate) held: bool,
}

impl CurveSegment {
    /// The numbers at a share of the time.
    pub(crate) fn at(&self, u: f64) -> Vec<f64> {
        if self.held {
            return self.from.clone();
        }
        let (square, cube) = (u * u, u * u * u);
        let (a, b) = (2.0 * cube - 3.0 * square + 1.0, 3.0 * square - 2.0 * cube);
        let (c, d) = (cube - 2.0 * square + u, cube - square);
        let ends = self.from.iter().zip(&self.to).map(|(from, to)| a * from + b * to);
        let tangents =
            self.leaving.iter().zip(&self.arriving).map(|(leaving, arriving)| c * leaving + d * arriving);
        ends.zip(tangents).map(|(end, tangent)| end + tangent).collect()
    }
}

/// The segments between waypoints with constant numbers; none if their values are not such.
pub(crate) fn segments(document: &SynfigDocument, points: &[Waypoint]) -> Option<Vec<CurveSegment>> {
    let constant = |point: &Waypoint| match document.kind(point.node) {
        Some(SourceKind::Constant(value)) => Some(value.numbers()),
        _ => None,
    };
    let values: Vec<Vec<f64>> = points.iter().map(constant).collect::<Option<_>>()?;
    let count = values.first()?.len();
    if count == 0 || values.iter().any(|value| value.len() != count) {
        return None;
    }
    let mut all: Vec<CurveSegment> = Vec::new();
    for (at, pair) in points.windows(2).enumerate() {
        let numbers = (0..count).map(|n| {
            let number = |of: usize| values.get(of).map(|value| value[n]);
            tangents(points, at, number, all.last().map(|segment| segment.arriving[n]))
        });
        let numbers: Vec<(f64, f64, Option<f64>)> = numbers.collect();
        if let Some(before) = all.last_mut() {
            for (arriving, (_, _, changed)) in before.arriving.iter_mut().zip(&numbers) {
                *arriving = changed.unwrap_or(*arriving);
            }
        }
        all.push(CurveSegment {
            from: values[at].clone(),
            to: values[at + 1].clone(),
            leaving: numbers.iter().map(|(leaving, ..)| *leaving).collect(),
            arriving: numbers.iter().map(|(_, arriving, _)| *arriving).collect(),
            held: pair[0].after == WaypointSide::Constant || pair[1].before == WaypointSide::Constant,
        });
    }
    Some(all)
}

/// Both tangents of the segment from a waypoint to the next, and another one for the end of the segment before, which
/// a TCB side shares.
fn tangents(
    points: &[Waypoint],
    at: usize,
    value: impl Fn(usize) -> Option<f64>,
    arriving_before: Option<f64>,
) -> (f64, f64, Option<f64>) {
    use WaypointSide::{Auto, Clamped, Halt, Linear};
    let (Some(from), Some(to), Some(here), Some(next)) =
        (points.get(at), points.get(at + 1), value(at), value(at + 1))
    else {
        return (0.0, 0.0, None);
    };
    let time = |of: usize| points.get(of).map_or(0.0, |point| point.time);
    let previous = at.checked_sub(1).and_then(&value);
    let beyond = value(at + 2);
    let difference = next - here;
    let leaving = match (from.after, previous) {
        (Auto, Some(_)) if from.before != Auto => arriving_before.unwrap_or(difference),
        (Auto, Some(previous)) => {
            let [t, c, b] = from.tcb;
            0.5 * (1.0 - t) * ((here - previous) * (1.0 + c) * (1.0 + b) + difference * (1.0 - c) * (1.0 - b))
        }
        (Clamped, Some(previous)) => clamped([previous, here, next], [time(at - 1), from.time, to.time]),
        _ => difference,
    };
    let shared = (from.before == Auto && from.after != Auto && previous.is_some()).then_some(leaving);
    let arriving = match (to.before, beyond) {
        (Auto, Some(beyond)) => {
            let [t, c, b] = to.tcb;
            0.5 * (1.0 - t) * (difference * (1.0 - c) * (1.0 + b) + (beyond - next) * (1.0 + c) * (1.0 - b))
        }
        (Clamped, Some(beyond)) => clamped([here, next, beyond], [from.time, to.time, time(at + 2)]),
        _ => difference,
    };
    let span = to.time - from.time;
    let factor = |neighbour: f64| 1.5 * span / (0.5 * span + neighbour).max(1e-9);
    let leaving = match from.after {
        Halt => 0.0,
        Linear => leaving,
        _ if previous.is_some() => leaving * factor(from.time - time(at - 1)),
        _ => leaving,
    };
    let arriving = match to.before {
        Halt => 0.0,
        Linear => arriving,
        _ if beyond.is_some() => arriving * factor(time(at + 2) - to.time),
        _ => arriving,
    };
    (leaving, arriving, shared)
}

/// The tangent at the middle of three values that stays between them (`clamped_tangent`).
fn clamped([before, here, after]: [f64; 3], [t0, t1, t2]: [f64; 3]) -> f64 {
    if (here - before) * (after - here) <= 0.0 {
        return 0.0;
    }
    let middle = before + (after - before) * (t1 - t0) / (t2 - t0);
    let beyond = (here - middle) * (after - before) > 0.0;
    let bias = (middle - here) / if beyond { after - middle } else { middle - before };
    let bias = if bias.is_finite() { bias } else { 0.0 };
    // The sign of the bias is that of Synfig for values that fall, too.
    0.5 * ((here - before) * (1.0 + bias) + (after - here) * (1.0 - bias))
}

/// The value of an animated node whose waypoints are constant.
pub(crate) fn value_at(
    points: &[Waypoint],
    segments: &[CurveSegment],
    like: &NodeValue,
    time: f64,
) -> Option<NodeValue> {
    let next = points.partition_point(|point| point.time <= time);
    let (first, last) = (segments.first()?, segments.last()?);
    let numbers = match next.checked_sub(1) {
        None => first.from.clone(),
        Some(at) => match (segments.get(at), points.get(at), points.get(next)) {
            (Some(segment), Some(from), Some(to)) => {
                segment.at((time - from.time) / (to.time - from.time).max(1e-12))
            }
            _ => last.to.clone(),
        },
    };
    Some(like.with(&mut numbers.into_iter()))
}
