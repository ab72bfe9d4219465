//! Outlines of ink: both sides of a path with the caps and corners between them, as closed figures to be filled by
//! windings. Where sides are split is decided once, at rest, so that outlines have the same points in every frame.

use std::sync::Arc;

use kurbo::{Affine, BezPath, CubicBez, ParamCurve as _, ParamCurveDeriv as _, PathSeg, Point, Vec2};

use crate::drawing::invert;
use crate::ink::{InkProfile, InkWidths};
use crate::ink_rib::{Rib, RibState, Station, arc};
use crate::moving::InkedStroke;
use crate::node::Shape;
use crate::paint::{Fill, FillRule, LineCap, LineJoin, Stroke};
use crate::trim::{PosedPieces, RestSubpath, TrimmedPath, length_between};

/// A path with ink, ready for frames.
#[derive(Clone, Debug)]
pub(crate) struct InkedPath {
    path: TrimmedPath,
    profile: InkProfile,
    at: Vec<f64>,
    /// The reach at each place where nothing is keyed.
    rest: Vec<f64>,
    lines: Vec<InkLine>,
}

/// A subpath.
#[derive(Clone, Debug)]
struct InkLine {
    subpath: usize,
    is_closed: bool,
    spans: Vec<InkSpan>,
}

/// A part of a piece whose sides are a curve each.
#[derive(Clone, Copy, Debug)]
struct InkSpan {
    piece: usize,
    /// The places of the profile that it is between; 0 is before the first one.
    gap: usize,
    ends: [Station; 2],
    /// Whether the radius can change faster than the path goes on: then a disc may end its sides.
    is_steep: bool,
    /// Whether the path has a corner at its end.
    is_corner: bool,
}

/// What its outlines have to fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InkBounds<'a> {
    /// The largest distance of a side from the envelope, in the units of the path.
    pub(crate) tolerance: f64,
    /// Whether bones bend the path.
    pub(crate) bends: bool,
    /// The greatest reach at each place.
    pub(crate) widest: &'a [f64],
}

/// The cosine and the sine of 37.5 degrees: a piece is split for bends by twice as much to both sides.
const BEND: (f64, f64) = (0.793_353_340_291_235_2, 0.608_761_429_008_720_7);

/// How often a part of a piece between two places is halved at most, and at least where discs end sides.
const HALVINGS: u32 = 7;
const STEEP_HALVINGS: u32 = 3;

/// How a side goes on from a point: whether a part of it is an arc.
type SpanCurves = [Option<CubicBez>; 2];

/// Curves around an end or a corner.
const CAP: usize = 6;
const CORNER: usize = 4;

impl InkedPath {
    /// The ink of a path with this outline.
    pub(crate) fn of(ink: &InkedStroke, outline: &BezPath, to_canvas: Affine) -> Self {
        let bends = !ink.pieces.elements().is_empty();
        let rest = match (bends, invert(to_canvas)) {
            (false, _) => outline.clone(),
            (true, Some(to_local)) => to_local * &ink.pieces,
            (true, None) => ink.pieces.clone(),
        };
        let scale = to_canvas.determinant().abs().sqrt();
        let scale = if scale.is_normal() { scale } else { 1.0 };
        let bounds = InkBounds { tolerance: ink.tolerance / scale, bends, widest: &ink.widest };
        Self::new(rest, ink.profile.clone(), &bounds)
    }

    fn new(rest: BezPath, profile: InkProfile, bounds: &InkBounds<'_>) -> Self {
        let path = TrimmedPath::new(rest, false, false);
        let at = profile.places.iter().map(|place| place.at).collect();
        let mut ink = Self { path, at, rest: profile.values(), profile, lines: Vec::new() };
        let lines = ink.path.subpaths.iter().enumerate().filter(|(_, subpath)| subpath.count > 0);
        ink.lines = lines.map(|(at, _)| ink.line(at, bounds)).collect();
        ink
    }

    fn line(&self, number: usize, bounds: &InkBounds<'_>) -> InkLine {
        let subpath = &self.path.subpaths[number];
        let is_closed = subpath.is_closed && subpath.length > 0.0;
        let rest = (self.path.rest.elements(), Affine::IDENTITY);
        let mut spans: Vec<InkSpan> = Vec::new();
        for piece in 0..subpath.count {
            let measured = &self.path.pieces[subpath.piece + piece];
            // A piece without a length has no direction.
            if subpath.length > 0.0 && measured.end() <= measured.before {
                continue;
            }
            let cubic = cubic(subpath, rest, piece);
            let whole = if subpath.length > 0.0 { subpath.length } else { 1.0 };
            let (from, to) = (measured.before / whole, measured.end() / whole);
            // Shares of places nearer than this to its ends are those of its ends.
            let near = 1e-9;
            let first = self.at.partition_point(|at| *at <= from + near);
            let inside = self.at[first..].iter().take_while(|at| **at < to - near);
            let mut cuts = vec![0.0];
            cuts.extend(inside.map(|at| measured.parameter(at * whole)));
            cuts.push(1.0);
            for (gap, ends) in cuts.windows(2).enumerate() {
                let station = |at| station(&cubic, at, (measured.before, whole));
                self.split(
                    (piece, first + gap),
                    (ends[0], ends[1]),
                    &cubic,
                    (bounds, is_closed),
                    &station,
                    &mut spans,
                );
            }
            if let Some(last) = spans.last_mut() {
                last.is_corner = true;
            }
        }
        let heading = |span: &InkSpan, end: usize| {
            Rib::new(&cubic(subpath, rest, span.piece), &span.ends[end], [0.0; 3], 0).tangent
        };
        for at in 0..spans.len() {
            let next = if at + 1 < spans.len() { at + 1 } else { 0 };
            let (before, after) = (heading(&spans[at], 1), heading(&spans[next], 0));
            let turns = before.cross(after).abs() > 1e-3 || before.dot(after) < 0.0;
            spans[at].is_corner &= turns && (is_closed || next > 0);
        }
        InkLine { subpath: number, is_closed, spans }
    }

    /// Splits a part of a piece until its sides fit, as it is and bent, with the radii at rest and the greatest ones.
    fn split(
        &self,
        (piece, gap): (usize, usize),
        (from, to): (f64, f64),
        cubic: &CubicBez,
        (bounds, is_closed): (&InkBounds<'_>, bool),
        station: &dyn Fn(f64) -> Station,
        spans: &mut Vec<InkSpan>,
    ) {
        let widths = [&*self.rest, bounds.widest].map(|values| InkWidths {
            at: &self.at,
            values,
            scale: 1.0,
            is_closed,
        });
        let (cosine, sine) = BEND;
        let bent = [*cubic, bend(cubic, (cosine, sine)), bend(cubic, (cosine, -sine))];
        let bent = if bounds.bends { &bent[..] } else { &bent[..1] };
        let mut open = vec![(station(from), station(to), 0)];
        while let Some((first, last, halvings)) = open.pop() {
            let middle = station(0.5 * (first.at + last.at));
            let (mut is_steep, mut fits) = (false, true);
            for (cubic, widths, side) in bent.iter().flat_map(|cubic| {
                widths.iter().flat_map(move |widths| [0, 1].map(|side| (cubic, widths, side)))
            }) {
                let rib = |at: &Station| Rib::new(cubic, at, widths.radius(gap, at.share[0], side), side);
                let [start, half, end] = [&first, &middle, &last].map(rib);
                let all = [&start, &half, &end];
                is_steep |= all.iter().any(|rib| rib.direction.dot(rib.tangent).abs() > 0.5);
                let is_swallowed = |rib: &&Rib| matches!(rib.state, RibState::Grows | RibState::Shrinks);
                fits &= halvings >= STEEP_HALVINGS || !all.iter().any(is_swallowed);
                // A curve that turns farther is not known by its middle.
                fits &= start.tangent.dot(end.tangent) > 0.5 && start.tangent.dot(half.tangent) > 0.5;
                if all.iter().all(|rib| rib.state == RibState::Regular) {
                    let curve = hermite(&start, &end, last.at - first.at);
                    fits &= (curve.eval(0.5) - half.tip).hypot() <= bounds.tolerance;
                    fits &= start.direction.dot(end.direction) > 0.5;
                }
            }
            if !fits && halvings < HALVINGS {
                open.extend([(middle, last, halvings + 1), (first, middle, halvings + 1)]);
                continue;
            }
            let heading = |at: &Station| Rib::new(cubic, at, [0.0; 3], 0).tangent;
            let is_cusp = heading(&first).dot(heading(&last)) < 0.5;
            match spans.last_mut() {
                Some(before) if is_cusp => before.is_corner = true,
                _ => spans.push(InkSpan { piece, gap, ends: [first, last], is_steep, is_corner: false }),
            }
        }
    }

    /// The most elements that an outline may have.
    pub(crate) fn capacity(&self) -> usize {
        let of_span =
            |span: &InkSpan| 2 * (1 + usize::from(span.is_steep) + if span.is_corner { CORNER } else { 0 });
        self.lines.iter().map(|line| 4 + 2 * CAP + line.spans.iter().map(of_span).sum::<usize>()).sum()
    }

    /// The reach at each place where nothing is keyed.
    pub(crate) fn rest(&self) -> &[f64] {
        &self.rest
    }

    /// The ink of a shape, filled with the paint of its stroke.
    pub(crate) fn shape(&self, shape: &Shape) -> Shape {
        let mut outline = BezPath::with_capacity(self.capacity());
        self.write(&self.rest, None, 1.0, &mut outline);
        let fill =
            |stroke: &Stroke| Fill { paint: stroke.paint, opacity: stroke.opacity, rule: FillRule::NonZero };
        Shape {
            outline: Arc::new(outline),
            fill: shape.stroke.as_ref().map(fill),
            stroke: None,
            ..shape.clone()
        }
    }

    /// Appends the outline of the ink of a posed path, or of the one at rest if there is none with its pieces.
    pub(crate) fn write(
        &self,
        values: &[f64],
        posed: Option<(&BezPath, Affine)>,
        scale: f64,
        out: &mut BezPath,
    ) {
        let posed = posed.filter(|(path, _)| path.elements().len() == self.path.rest.elements().len());
        let (path, map) = posed.unwrap_or((&self.path.rest, Affine::IDENTITY));
        for line in &self.lines {
            let widths = InkWidths { at: &self.at, values, scale, is_closed: line.is_closed };
            let subpath = &self.path.subpaths[line.subpath];
            InkPose { ink: self, line, subpath, posed: (path.elements(), map), widths }.write(out);
        }
    }
}

/// A subpath at a moment.
struct InkPose<'a> {
    ink: &'a InkedPath,
    line: &'a InkLine,
    subpath: &'a RestSubpath,
    posed: PosedPieces<'a>,
    widths: InkWidths<'a>,
}

impl InkPose<'_> {
    fn write(&self, out: &mut BezPath) {
        let (Some(first), Some(last)) = (self.line.spans.first(), self.line.spans.last()) else { return };
        out.move_to(self.rib(first, 0, 0).tip);
        self.side(0, out);
        if self.line.is_closed {
            out.close_path();
            out.move_to(self.rib(last, 1, 1).tip);
        } else {
            let [left, right] = [0, 1].map(|side| self.rib(last, 1, side));
            push(cap([&left, &right], left.tangent, self.ink.profile.caps[1]), out);
        }
        self.side(1, out);
        if !self.line.is_closed {
            let [left, right] = [0, 1].map(|side| self.rib(first, 0, side));
            push(cap([&right, &left], -left.tangent, self.ink.profile.caps[0]), out);
        }
        out.close_path();
    }

    /// The first side forwards, or the second one backwards.
    fn side(&self, side: usize, out: &mut BezPath) {
        let spans = &self.line.spans;
        let count = spans.len();
        let corner = |at: usize| {
            let next = if at + 1 < count { at + 1 } else { 0 };
            let (before, after) = (self.rib(&spans[at], 1, side), self.rib(&spans[next], 0, side));
            corner(&before, &after, side, &self.ink.profile)
        };
        if side == 0 {
            for (at, span) in spans.iter().enumerate() {
                push(self.curves(span, side).into_iter().flatten(), out);
                if span.is_corner {
                    push(corner(at), out);
                }
            }
            return;
        }
        for (at, span) in spans.iter().enumerate().rev() {
            if span.is_corner {
                push(backwards(corner(at)), out);
            }
            let [first, second] = self.curves(span, side);
            push([second, first].into_iter().flatten().map(reversed), out);
        }
    }

    fn rib(&self, span: &InkSpan, end: usize, side: usize) -> Rib {
        let at = &span.ends[end];
        let radius = self.widths.radius(span.gap, at.share[0], side);
        let mut rib = Rib::new(&cubic(self.subpath, self.posed, span.piece), at, radius, side);
        let is_end = std::ptr::eq(span, self.line.spans.last().unwrap_or(span)) && end == 1;
        let is_start = std::ptr::eq(span, self.line.spans.first().unwrap_or(span)) && end == 0;
        if !self.line.is_closed && (is_end || is_start) && self.ink.profile.caps[end] != LineCap::Round {
            rib.cut(if is_end { rib.tangent } else { -rib.tangent });
        }
        rib
    }

    /// The side of a span.
    fn curves(&self, span: &InkSpan, side: usize) -> SpanCurves {
        use RibState::{Grows, Shrinks};
        let (start, end) = (self.rib(span, 0, side), self.rib(span, 1, side));
        if span.is_steep {
            // The back of the first disc that is not within the next one, or the front of the last.
            if start.state == Grows && !matches!(end.state, Grows | Shrinks) {
                let back = -end.tangent;
                let first = line(start.tip, end.rim(back));
                return [Some(first), Some(arc_to(&end, back, end.direction, end.tip))];
            }
            if end.state == Shrinks && !matches!(start.state, Grows | Shrinks) {
                let front = arc_to(&start, start.direction, start.tangent, start.rim(start.tangent));
                return [Some(front), Some(line(start.rim(start.tangent), end.tip))];
            }
        }
        let curve = hermite(&start, &end, span.ends[1].at - span.ends[0].at);
        [Some(curve), span.is_steep.then(|| line(end.tip, end.tip))]
    }
}

fn arc_to(rib: &Rib, from: Vec2, to: Vec2, end: Point) -> CubicBez {
    CubicBez { p3: end, ..arc(rib.center, (from, rib.radius), (to, rib.radius)) }
}

/// A piece as a curve.
fn cubic(subpath: &RestSubpath, posed: PosedPieces<'_>, piece: usize) -> CubicBez {
    match subpath.segment(posed, piece) {
        PathSeg::Line(it) => line(it.p0, it.p1),
        curve => curve.to_cubic(),
    }
}

fn line(from: Point, to: Point) -> CubicBez {
    CubicBez::new(from, from.lerp(to, 1.0 / 3.0), from.lerp(to, 2.0 / 3.0), to)
}

/// The curve between the tips of two ribs, with their velocities.
fn hermite(start: &Rib, end: &Rib, run: f64) -> CubicBez {
    // Where discs turn fast a derivative says nothing of the way to the next tip.
    let most = (end.tip - start.tip).hypot();
    let reach = |velocity: Vec2| {
        let reach = run / 3.0 * velocity;
        if reach.hypot() > most { most / reach.hypot() * reach } else { reach }
    };
    CubicBez::new(start.tip, start.tip + reach(start.velocity), end.tip - reach(end.velocity), end.tip)
}

/// A piece whose tangents at its ends are turned apart, which turns it by twice as much in all.
fn bend(piece: &CubicBez, (cosine, sine): (f64, f64)) -> CubicBez {
    let turned =
        |way: Vec2, sine: f64| Vec2::new(cosine * way.x - sine * way.y, sine * way.x + cosine * way.y);
    let p1 = piece.p0 + turned(piece.p1 - piece.p0, -sine);
    let p2 = p1 + (piece.p2 - piece.p1);
    CubicBez::new(piece.p0, p1, p2, p2 + turned(piece.p3 - piece.p2, sine))
}

/// A point of a piece at rest, with the length before the piece and that of the subpath.
fn station(piece: &CubicBez, at: f64, (before, whole): (f64, f64)) -> Station {
    let first = piece.deriv();
    let polygon =
        (piece.p1 - piece.p0).hypot() + (piece.p2 - piece.p1).hypot() + (piece.p3 - piece.p2).hypot();
    let is_slow = first.eval(at).to_vec2().hypot() <= 1e-6 * polygon;
    let slope_at = if is_slow { at.clamp(1e-3, 1.0 - 1e-3) } else { at };
    let (d1, d2) = (first.eval(slope_at).to_vec2(), first.deriv().eval(slope_at).to_vec2());
    let speed = d1.hypot();
    let change = if speed > 0.0 { d1.dot(d2) / speed } else { 0.0 };
    let share = (before + length_between(piece, 0.0, at)) / whole;
    Station { at, slope_at, share: [share, speed / whole, change / whole] }
}

fn push(curves: impl IntoIterator<Item = CubicBez>, out: &mut BezPath) {
    for CubicBez { p1, p2, p3, .. } in curves {
        out.curve_to(p1, p2, p3);
    }
}

/// Curves the other way.
fn backwards<const COUNT: usize>(mut curves: [CubicBez; COUNT]) -> [CubicBez; COUNT] {
    curves.reverse();
    curves.map(reversed)
}

fn reversed(curve: CubicBez) -> CubicBez {
    CubicBez::new(curve.p3, curve.p2, curve.p1, curve.p0)
}

/// The unit direction halfway to another one, which may be opposite, on the side of a normal.
fn halfway(from: Vec2, to: Vec2, normal: Vec2) -> Vec2 {
    let cosine = from.dot(to).clamp(-1.0, 1.0);
    let way = (0.5 * (1.0 + cosine)).sqrt() * to + (0.5 * (1.0 - cosine)).sqrt() * normal;
    way / way.hypot()
}

/// What is around the end of a line, from one side to the other.
fn cap([from, to]: [&Rib; 2], outwards: Vec2, cap: LineCap) -> [CubicBez; CAP] {
    let center = from.center;
    let along = |radius: f64| from.radius + radius * (to.radius - from.radius);
    let points = match cap {
        LineCap::Round => {
            let (first, last) =
                (halfway(from.direction, outwards, from.normal), halfway(to.direction, outwards, to.normal));
            let arc = |a: Vec2, b: Vec2, step: f64| arc(center, (a, along(step)), (b, along(step + 0.25)));
            return [
                line(from.tip, from.rim(from.direction)),
                arc(from.direction, first, 0.0),
                arc(first, outwards, 0.25),
                arc(outwards, last, 0.5),
                arc(last, to.direction, 0.75),
                line(to.rim(to.direction), to.tip),
            ];
        }
        LineCap::Butt | LineCap::Square => {
            let beyond = if cap == LineCap::Square { from.radius.max(to.radius) } else { 0.0 };
            let corner = |rib: &Rib| {
                let reach = (rib.tip - center).dot(rib.normal).max(rib.radius);
                center + reach * rib.normal + beyond * outwards
            };
            [corner(from), corner(to)]
        }
    };
    // The disc of the end is in front of an envelope that opens.
    let front = |rib: &Rib| match rib.direction.dot(outwards) < 0.0 && rib.state != RibState::Folded {
        true => arc(center, (rib.direction, rib.radius), (rib.normal, rib.radius)),
        false => line(rib.tip, rib.tip),
    };
    let (before, after) = (front(from), reversed(front(to)));
    [
        line(from.tip, before.p0),
        before,
        line(before.p3, points[0]),
        line(points[0], points[1]),
        CubicBez { p0: points[1], p1: after.p1, ..after },
        line(after.p3, to.tip),
    ]
}

/// What is around a corner, to one side of it.
fn corner(before: &Rib, after: &Rib, side: usize, profile: &InkProfile) -> [CubicBez; CORNER] {
    let center = before.center;
    let (from, to) = (before.direction, after.direction);
    let sign = if side == 0 { 1.0 } else { -1.0 };
    let (turn, cosine) = (sign * from.cross(to), from.dot(to));
    let is_back = cosine < -1.0 + 1e-9;
    if turn <= 0.0 && !is_back {
        // Through the centre, so that nothing is covered with the other sign.
        let still = line(center, center);
        return [line(before.tip, center), still, still, line(center, after.tip)];
    }
    let middle = if is_back { before.tangent } else { (from + to) / (from + to).hypot() };
    let [first, last] = [before.rim(from), after.rim(to)];
    let half = (0.5 * (1.0 + cosine)).sqrt();
    let radius = 0.5 * (before.radius + after.radius);
    let miter = match profile.join {
        LineJoin::Round => {
            return [
                line(before.tip, first),
                arc(center, (from, before.radius), (middle, radius)),
                arc(center, (middle, radius), (to, after.radius)),
                line(last, after.tip),
            ];
        }
        LineJoin::Miter | LineJoin::MiterClip if half * profile.miter_limit >= 1.0 => {
            center + radius / half * middle
        }
        LineJoin::Miter | LineJoin::MiterClip | LineJoin::Bevel => first.midpoint(last),
    };
    [line(before.tip, first), line(first, miter), line(miter, last), line(last, after.tip)]
}

#[cfg(test)]
mod tests;
