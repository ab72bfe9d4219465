//! Folds: where bones bend so far that a part of an outline is turned inside out, as at the inner side of an
//! elbow, the posed outline has a loop. The loop is taken out: both arms of the outline end where they cross,
//! and what is between lies at the crossing.
//!
//! The winding of the posed outline at a place is the sum of the signs of the deformation's determinant over the
//! material that comes there. A loop against the winding of the paint adds -1: without it -1 becomes 0, 0
//! becomes 1 and 1 becomes 2, so no paint that is the right way round is lost. A loop with the winding of the
//! paint goes where 2 becomes 1, as where both arms of a bend lie over each other. Other loops stay.

use kurbo::{CubicBez, ParamCurve, ParamCurveArea, ParamCurveDeriv, PathEl, Point, Vec2};

use crate::fold_hide::hide_turned;
use crate::fold_overlap::{ScanCrossing, changed_areas, most_crossings};
use crate::fold_places::tan_half_angle;
use crate::options::{FoldRule, WindingRule};
use crate::posed::PosedDrawing;
use crate::skin::{BoundPath, Skin};

/// Where the outline is compressed to less than this share, a crossing is looked for.
pub(crate) const COMPRESSED: f64 = 0.5;
/// The greatest number of segments of each arm that are looked at.
const REACH: usize = 40;
/// Chords of a segment with which crossings are found.
const CHORDS: usize = 8;
/// Newton steps from the crossing of two chords to that of the curves.
const STEPS: usize = 6;
/// Places of a segment at which its direction is compared with that at rest.
const PROBES: usize = 8;
/// How much longer a loop may be than that of a sharp bend at its distance from the bones.
const LONGER: f64 = 1.25;
/// The share of a loop's area on which paint may be lost without it: by the chords of curves, and with which the
/// loop is back.
const LOST: [f64; 2] = [2e-3, 2e-2];
/// The same for paint that is there only without the loop: what is around a hole has more of it than a fold.
const GAINED: [f64; 2] = [0.02, 0.2];
/// Over this share of half of an outline loops come back.
const NEARLY_HALF: f64 = 0.4;
/// Smaller loops lose nothing that is seen: the side of such a square, in distances at which arms meet.
const SMALL_LOOP: f64 = 10.0;
/// Over this share of the greatest length loops come back.
const FADE: f64 = 0.1;

/// Memory for folds that is kept between frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoldScratch {
    /// Directions at which the outline is compressed, with the share that is left.
    pub(crate) compressed: Vec<(u32, f64)>,
    /// The segments of one subpath.
    segments: Vec<FoldSegment>,
    /// Those of a scan line.
    crossings: Vec<ScanCrossing>,
}

#[derive(Clone, Copy, Debug)]
struct FoldSegment {
    curve: CubicBez,
    low: Point,
    high: Point,
    /// None for a side that only the fill has.
    element: Option<usize>,
    /// The last of its points, in the order of the path.
    point: usize,
}

/// Two arms of a subpath that cross, with a loop between them.
struct Crossing {
    arms: [usize; 2],
    at: [f64; 2],
    /// The signed area of the loop.
    area: f64,
    /// The share of a loop that is taken out by its length within a closed outline.
    shorter: f64,
}

/// A place where an outline is turned inside out.
struct Fold<'a> {
    skin: &'a Skin,
    bound: &'a BoundPath,
    /// The blended matrix of each entry of the weight table.
    blended: &'a [[f64; 6]],
    direction: usize,
    /// The sign of the area of loops against the paint; 0 without paint.
    against: f64,
    /// The sign of the area of loops against the turn of the bones.
    untwisted: f64,
}

impl FoldScratch {
    /// With memory for every frame of a skin.
    pub(crate) fn new(skin: &Skin) -> Self {
        let mut scratch = Self::default();
        scratch.reserve(skin);
        scratch
    }

    pub(crate) fn reserve(&mut self, skin: &Skin) {
        self.compressed.clear();
        self.compressed.reserve(skin.directions.len());
        self.segments.clear();
        let most = skin.paths.iter().map(|path| path.elements.len()).max().unwrap_or(0);
        let most = if skin.directions.is_empty() { 0 } else { most };
        self.segments.reserve(most);
        self.crossings.clear();
        self.crossings.reserve(most_crossings(most));
    }

    /// Notes a direction that the bones alone turn to `carried` and the change of weights to `turned`.
    #[inline]
    pub(crate) fn note(&mut self, direction: usize, carried: Vec2, turned: Vec2) {
        let (left, whole) = (turned.dot(carried), carried.hypot2());
        if left < COMPRESSED * whole {
            self.compressed.push((direction as u32, left / whole));
        }
    }
}

/// Takes the loops of folds out of the paths that were posed last. Points that are asked for by their vertex stay
/// where the bones take them.
///
/// Does nothing to a drawing of another skin. Does not allocate once `posed` was used with this one.
pub fn take_out_folds(skin: &Skin, posed: &mut PosedDrawing) {
    if !posed.is_of(skin) {
        return;
    }
    for path in 0..skin.paths.len() {
        if skin.paths[path].folds == FoldRule::Hide {
            hide_turned(skin, path, posed);
        }
    }
    let mut scratch = std::mem::take(&mut posed.folds);
    let mut memory = (scratch.segments, scratch.crossings);
    let mut rest = scratch.compressed.as_slice();
    while let Some(&(first, _)) = rest.first() {
        // Neighbours on one segment have one fold, about the direction that is compressed most.
        let run = rest.iter().zip(first..).take_while(|((direction, _), next)| direction == next).count();
        let least = rest[..run].iter().min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((direction, _)) = least {
            take_out(skin, *direction, &mut memory, posed);
        }
        rest = &rest[run..];
    }
    (scratch.segments, scratch.crossings) = memory;
    posed.folds = scratch;
}

/// Takes out the loop around a direction, if there is one.
fn take_out(
    skin: &Skin,
    direction: u32,
    (segments, crossings): &mut (Vec<FoldSegment>, Vec<ScanCrossing>),
    posed: &mut PosedDrawing,
) {
    let Some((point, reversed)) = node_of(skin, direction) else { return };
    let number = skin.paths.partition_point(|path| path.points.start <= point).saturating_sub(1);
    let (Some(bound), Some(path)) = (skin.paths.get(number), posed.paths.get(number)) else { return };
    if bound.folds == FoldRule::Keep {
        return;
    }
    let Some(turn) = turning(skin, direction, posed) else { return };
    let untwisted = if reversed { turn.signum() } else { -turn.signum() };
    let against = against_paint(skin, direction as usize, posed);
    let Some((start, closed)) = subpath(bound, point - bound.points.start, path.elements(), segments) else {
        return;
    };
    let Some(crossing) = crossing(segments, start, closed) else { return };
    let fold =
        Fold { skin, bound, blended: &posed.blended, direction: direction as usize, against, untwisted };
    let share = fold.share(segments, path.elements(), &crossing, crossings);
    if share > 0.0
        && let Some(path) = posed.paths.get_mut(number)
    {
        cut(path.elements_mut(), segments, &crossing, share);
    }
}

/// Brings both arms to their crossing, and what is between them, by a share of the way.
fn cut(elements: &mut [PathEl], segments: &[FoldSegment], crossing: &Crossing, share: f64) {
    let [(a, t), (b, u)] = [0, 1].map(|arm| (crossing.arms[arm], crossing.at[arm]));
    let (before, after) = (segments[a].curve.subsegment(0.0..t), segments[b].curve.subsegment(u..1.0));
    let meet = before.p3;
    let bring = |from: &mut Point, to: Point| *from = if share < 1.0 { from.lerp(to, share) } else { to };
    let mut bring_all = |element: Option<usize>, [to1, to2, to3]: [Option<Point>; 3]| {
        let Some(element) = element.and_then(|at| elements.get_mut(at)) else { return };
        let (handles, end) = match element {
            PathEl::CurveTo(p1, p2, p3) => ([Some(p1), Some(p2)], p3),
            PathEl::LineTo(p) | PathEl::MoveTo(p) => ([None, None], p),
            _ => return,
        };
        for (handle, to) in handles.into_iter().zip([to1, to2]) {
            handle.zip(to).into_iter().for_each(|(handle, to)| bring(handle, to));
        }
        to3.into_iter().for_each(|to| bring(end, to));
    };
    bring_all(segments[a].element, [Some(before.p1), Some(before.p2), Some(meet)]);
    let mut at = a;
    loop {
        at += 1;
        if at == segments.len() {
            // Around the start of a closed outline.
            at = 0;
            let begin = segments[0].element.and_then(|first| first.checked_sub(1));
            bring_all(begin, [None, None, Some(meet)]);
        }
        if at == b {
            break;
        }
        bring_all(segments[at].element, [Some(meet); 3]);
    }
    bring_all(segments[b].element, [Some(after.p1), Some(after.p2), None]);
}

/// The sign of the area of loops at a direction that are wound against the paint; 0 without paint.
fn against_paint(skin: &Skin, direction: usize, posed: &PosedDrawing) -> f64 {
    // Bones may mirror the art as a whole.
    let [a, b, c, d, ..] = posed.blended[skin.directions[direction].row as usize];
    -f64::from(skin.fold_places[direction].paint) * (a * d - b * c).signum()
}

/// The sign of the turn of the bones along a segment at a direction: positive from x to y.
fn turning(skin: &Skin, direction: u32, posed: &PosedDrawing) -> Option<f64> {
    let at = direction as usize;
    // Where the bones take a vector that is the same at both places.
    let turned = |at: usize| {
        let [a, b, ..] = *posed.blended.get(skin.directions.get(at)?.row as usize)?;
        Some(Vec2::new(a, b))
    };
    let piece = skin.pieces.partition_point(|piece| piece.directions[0] <= direction).checked_sub(1)?;
    let piece = &skin.pieces[piece];
    let [from, to] = if piece.directions[0] == direction {
        piece.directions.map(|at| at as usize)
    } else {
        [at.checked_sub(1)?, at]
    };
    let turn = turned(from)?.cross(turned(to)?);
    (turn != 0.0).then_some(turn)
}

/// The point of the outline at a direction, and whether its segment is opposite to the path.
fn node_of(skin: &Skin, direction: u32) -> Option<(usize, bool)> {
    let piece = skin.pieces.partition_point(|piece| piece.directions[0] <= direction).checked_sub(1)?;
    let piece = &skin.pieces[piece];
    let is_start = piece.directions[0] == direction;
    if !is_start && piece.directions[1] != direction {
        return None;
    }
    let first = piece.point as usize;
    Some((if is_start == piece.reversed { first + 3 } else { first }, piece.reversed))
}

/// A straight side.
pub(crate) fn side(from: Point, to: Point) -> CubicBez {
    CubicBez::new(from, from.lerp(to, 1.0 / 3.0), to.lerp(from, 1.0 / 3.0), to)
}

/// Lists the segments of the subpath with a point, numbered within its path. Returns the segment that leaves
/// the point, and whether the subpath is closed: as it is drawn, or by its fill.
fn subpath(
    bound: &BoundPath,
    point: usize,
    elements: &[PathEl],
    segments: &mut Vec<FoldSegment>,
) -> Option<(usize, bool)> {
    let mut points = 0;
    let (mut start, mut last) = (Point::ZERO, Point::ZERO);
    let mut leaving = None;
    let mut closed = false;
    let push = |segments: &mut Vec<FoldSegment>, curve: CubicBez, element, point| {
        let all = [curve.p0, curve.p1, curve.p2, curve.p3];
        let (low, high) = all.iter().fold((curve.p0, curve.p0), |(low, high), p| {
            (Point::new(low.x.min(p.x), low.y.min(p.y)), Point::new(high.x.max(p.x), high.y.max(p.y)))
        });
        segments.push(FoldSegment { curve, low, high, element, point });
    };
    segments.clear();
    let mut first = 0;
    for (element, drawn) in elements.iter().enumerate().take(bound.elements.len()) {
        let curve = match *drawn {
            PathEl::MoveTo(to) => {
                if leaving.is_some() {
                    break;
                }
                segments.clear();
                (start, last, first) = (to, to, points);
                if points == point {
                    leaving = Some(0);
                }
                points += 1;
                continue;
            }
            PathEl::LineTo(to) => side(last, to),
            PathEl::CurveTo(a, b, to) => CubicBez::new(last, a, b, to),
            PathEl::ClosePath => {
                closed = leaving.is_some();
                if start == last {
                    continue;
                }
                side(last, start)
            }
            PathEl::QuadTo(..) => return None,
        };
        points += match drawn {
            PathEl::CurveTo(..) => 3,
            PathEl::ClosePath => 0,
            _ => 1,
        };
        last = curve.p3;
        let end = if *drawn == PathEl::ClosePath { first } else { points - 1 };
        push(segments, curve, Some(element), end);
        if points == point + 1 && leaving.is_none() {
            leaving = Some(segments.len());
        }
    }
    let leaving = leaving?;
    if !closed && bound.fill.is_some() {
        closed = true;
        if last != start {
            push(segments, side(last, start), None, first);
        }
    }
    let count = segments.len();
    if count < 2 || (!closed && (leaving == 0 || leaving >= count)) {
        return None;
    }
    Some((leaving % count, closed))
}

/// The nearest crossing of the arms that begin at the start of a segment.
fn crossing(segments: &[FoldSegment], start: usize, closed: bool) -> Option<Crossing> {
    let count = segments.len();
    let back = |i: usize| match closed {
        true => Some((start + count - 1 - i) % count),
        false => start.checked_sub(1 + i),
    };
    let ahead = |j: usize| match closed {
        true => Some((start + j) % count),
        false => Some(start + j).filter(|at| *at < count),
    };
    for ring in 0..REACH.min(count) {
        let pairs = (0..=ring).map(|j| (ring, j)).chain((0..ring).map(|i| (i, ring)));
        for (i, j) in pairs.filter(|(i, j)| i + j + 2 <= count) {
            let (Some(a), Some(b)) = (back(i), ahead(j)) else { continue };
            let (first, second) = (&segments[a], &segments[b]);
            if first.high.x < second.low.x
                || second.high.x < first.low.x
                || first.high.y < second.low.y
                || second.high.y < first.low.y
            {
                continue;
            }
            let Some(at) = meet(&first.curve, &second.curve, i + j == 0) else { continue };
            let ends = [first.curve.subsegment(at[0]..1.0), second.curve.subsegment(0.0..at[1])];
            let mut area = ends[0].signed_area() + ends[1].signed_area();
            let mut length = polygon(&ends[0]) + polygon(&ends[1]);
            for between in (0..i).filter_map(back).chain((0..j).filter_map(ahead)) {
                area += segments[between].curve.signed_area();
                length += polygon(&segments[between].curve);
            }
            // The other part of an outline that a loop elsewhere closes is not a loop.
            let half = 0.5 * segments.iter().map(|segment| polygon(&segment.curve)).sum::<f64>();
            let shorter = if closed { faded(length, half, NEARLY_HALF) } else { 1.0 };
            return Some(Crossing { arms: [a, b], at, area, shorter });
        }
    }
    None
}

impl Fold<'_> {
    /// The share of a loop that is taken out, from 0 for one that is no fold to 1.
    fn share(
        &self,
        segments: &[FoldSegment],
        elements: &[PathEl],
        crossing: &Crossing,
        scratch: &mut Vec<ScanCrossing>,
    ) -> f64 {
        let is_against = crossing.area * self.against > 0.0;
        let is_fold = is_against || crossing.area * self.untwisted > 0.0;
        if crossing.shorter == 0.0 || !is_fold || !self.is_reversed(segments, crossing) {
            return 0.0;
        }
        let [a, b] = crossing.arms;
        let rest = [a, b].map(|at| self.rest(segments, at));
        // Drawn loops: the arms meet at rest, too.
        let apart = rest[0].eval(crossing.at[0]).distance(rest[1].eval(crossing.at[1]));
        let shown = (apart / self.bound.apart - 1.0).clamp(0.0, 1.0);
        let mut length = length(&rest[0]) * (1.0 - crossing.at[0]) + length(&rest[1]) * crossing.at[1];
        for at in between(segments.len(), crossing.arms) {
            length += self::length(&self.rest(segments, at));
        }
        let most = self.greatest_length(segments, crossing.arms);
        let share = shown * crossing.shorter * faded(length, most, FADE);
        if share > 0.0 && self.against != 0.0 {
            share * self.harmless(segments, elements, crossing, scratch)
        } else {
            share
        }
    }

    /// 1 if the paint is the same without a loop, 0 if it is lost on some of its area or comes on much of it.
    fn harmless(
        &self,
        segments: &[FoldSegment],
        elements: &[PathEl],
        crossing: &Crossing,
        scratch: &mut Vec<ScanCrossing>,
    ) -> f64 {
        let [a, b] = crossing.arms;
        let whole = between(segments.len(), [a, b]).map(|at| (segments[at].curve, [0.0, 1.0]));
        let arms = [(segments[a].curve, [crossing.at[0], 1.0]), (segments[b].curve, [0.0, crossing.at[1]])];
        let mut drawn = segments.iter().filter_map(|segment| segment.element);
        // By the even-odd rule the windings of other subpaths mean nothing.
        let own = match (self.bound.fill, drawn.next(), drawn.next_back()) {
            (Some(WindingRule::EvenOdd), Some(first), Some(last)) => &elements[first - 1..=last],
            _ => elements,
        };
        let [lost, gained, all] = changed_areas(own, arms.into_iter().chain(whole), -self.against, scratch);
        let all = all.max((SMALL_LOOP * self.bound.apart).powi(2));
        (1.0 - above(lost / all, LOST)) * (1.0 - above(gained / all, GAINED))
    }

    /// The greatest length at rest of the loop of this fold: that of a sharp bend by the angle between both
    /// arms, and where the weights change. Longer loops belong to other limbs.
    fn greatest_length(&self, segments: &[FoldSegment], [a, b]: [usize; 2]) -> f64 {
        let place = &self.skin.fold_places[self.direction];
        let before = segments[if a == 0 { segments.len() - 1 } else { a - 1 }].point;
        let [from, to] = [before, segments[b].point].map(|point| {
            let [x, y, ..] = self.matrix(point);
            Vec2::new(x, y)
        });
        2.0 * (LONGER * place.depth * tan_half_angle(from, to) + place.spread)
    }

    /// The matrix that moves a point of the path.
    fn matrix(&self, point: usize) -> [f64; 6] {
        let row = self.skin.rows.get(self.bound.points.start + point);
        row.and_then(|row| self.blended.get(*row as usize)).copied().unwrap_or_default()
    }

    /// A segment at rest.
    fn rest(&self, segments: &[FoldSegment], at: usize) -> CubicBez {
        let points = &self.skin.points[self.bound.points.clone()];
        let end = segments[at].point;
        let start = segments[if at == 0 { segments.len() - 1 } else { at - 1 }].point;
        match segments[at].element.map(|element| self.bound.elements[element]) {
            Some(PathEl::CurveTo(a, b, to)) => {
                let from = end.checked_sub(3).map_or(to, |start| points[start]);
                CubicBez::new(from, a, b, to)
            }
            Some(PathEl::LineTo(to)) => side(end.checked_sub(1).map_or(to, |start| points[start]), to),
            _ => side(points[start], points[end]),
        }
    }

    /// Whether a direction in the loop is opposite to where the bones alone take it.
    fn is_reversed(&self, segments: &[FoldSegment], crossing: &Crossing) -> bool {
        let [a, b] = crossing.arms;
        let reversed = |at: usize, (from, to): (f64, f64)| {
            let [x1, y1, x2, y2, ..] = self.matrix(segments[at].point);
            let (rest, now) = (self.rest(segments, at).deriv(), segments[at].curve.deriv());
            (0..PROBES).any(|probe| {
                let t = from + (to - from) * (probe as f64 + 0.5) / PROBES as f64;
                let (rest, now) = (rest.eval(t).to_vec2(), now.eval(t).to_vec2());
                Vec2::new(x1 * rest.x + x2 * rest.y, y1 * rest.x + y2 * rest.y).dot(now) < 0.0
            })
        };
        reversed(a, (crossing.at[0], 1.0))
            || reversed(b, (0.0, crossing.at[1]))
            || between(segments.len(), crossing.arms).any(|at| reversed(at, (0.0, 1.0)))
    }
}

/// How much of a loop is taken out by its length: all, and over the last share of the greatest length less, down to
/// nothing.
fn faded(length: f64, most: f64, over: f64) -> f64 {
    ((most - length) / (over * most)).clamp(0.0, 1.0)
}

/// From 0 at the first value to 1 at the second.
fn above(value: f64, [from, to]: [f64; 2]) -> f64 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

/// The segments from one to another, around a closed outline.
fn between(count: usize, [a, b]: [usize; 2]) -> impl Iterator<Item = usize> + Clone {
    std::iter::successors(Some((a + 1) % count), move |at| Some((at + 1) % count))
        .take_while(move |at| *at != b)
}

/// The length of a curve, nearly.
fn length(curve: &CubicBez) -> f64 {
    0.5 * (polygon(curve) + (curve.p3 - curve.p0).hypot())
}

/// The length of the control polygon.
fn polygon(curve: &CubicBez) -> f64 {
    (curve.p1 - curve.p0).hypot() + (curve.p2 - curve.p1).hypot() + (curve.p3 - curve.p2).hypot()
}

/// The parameters at which two curves cross, nearest to the end of the first. Their common end does not count if
/// the second follows the first.
fn meet(a: &CubicBez, b: &CubicBez, follows: bool) -> Option<[f64; 2]> {
    let points = |curve: &CubicBez| -> [Point; CHORDS + 1] {
        std::array::from_fn(|i| curve.eval(i as f64 / CHORDS as f64))
    };
    let (p, q) = (points(a), points(b));
    for i in (0..CHORDS).rev() {
        for j in 0..CHORDS {
            if follows && i + 1 == CHORDS && j == 0 {
                continue;
            }
            let (along, other, apart) = (p[i + 1] - p[i], q[j + 1] - q[j], q[j] - p[i]);
            let across = along.cross(other);
            let (s, r) = (apart.cross(other) / across, apart.cross(along) / across);
            if !((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&r)) {
                continue;
            }
            let (mut t, mut u) = ((i as f64 + s) / CHORDS as f64, (j as f64 + r) / CHORDS as f64);
            let (by_t, by_u) = (a.deriv(), b.deriv());
            for _ in 0..STEPS {
                let off = b.eval(u) - a.eval(t);
                let (da, db) = (by_t.eval(t).to_vec2(), by_u.eval(u).to_vec2());
                let across = da.cross(db);
                let (next_t, next_u) = (t + off.cross(db) / across, u + off.cross(da) / across);
                if !((0.0..=1.0).contains(&next_t) && (0.0..=1.0).contains(&next_u)) {
                    break;
                }
                (t, u) = (next_t, next_u);
            }
            return Some([t, u]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_meet_at_the_last_crossing_of_the_first() {
        let wave = CubicBez::new((0.0, -5.0), (40.0, 90.0), (60.0, -90.0), (100.0, 8.0));
        let back = CubicBez::new((110.0, 1.0), (70.0, 2.0), (30.0, -3.0), (-10.0, 0.0));
        // The sides of the second curve on which points of the first are, by its point at the same x.
        let above = |t: f64| {
            let p = wave.eval(t);
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if back.eval(middle).x > p.x { low = middle } else { high = middle }
            }
            p.y > back.eval(low).y
        };
        let steps: Vec<bool> = (0..=4000).map(|i| above(f64::from(i) / 4000.0)).collect();
        let changes: Vec<usize> = (0..4000).filter(|i| steps[*i] != steps[i + 1]).collect();
        assert_eq!(changes.len(), 3, "the wave crosses three times");
        let [t, u] = meet(&wave, &back, false).expect("they cross");
        assert!((t * 4000.0 - changes[2] as f64 - 0.5).abs() <= 0.6, "{t} and {changes:?}");
        assert!(wave.eval(t).distance(back.eval(u)) < 1e-9, "{t} {u}");
    }
}
