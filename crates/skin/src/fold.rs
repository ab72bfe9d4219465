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
use crate::fold_overlap::{ScanCrossing, Winding, side, sign};
use crate::fold_places::tan_half_angle;
use crate::fold_scratch::{Crossing, FoldScratch, FoldSegment, FoundLoop, LOOPS};
use crate::options::{FoldRule, WindingRule};
use crate::posed::PosedDrawing;
use crate::skin::{BoundPath, Skin};
use crate::split::COMPRESSED;

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
/// The same share of the paint of the whole path.
const LOST_OF_PAINT: [f64; 2] = [1e-3, 5e-3];
/// The same for paint that is there only without the loop: what is around a hole has more of it than a fold.
const GAINED: [f64; 2] = [0.02, 0.2];
/// Over this share of half of an outline loops come back.
const NEARLY_HALF: f64 = 0.4;
/// Smaller loops lose nothing that is seen: the side of such a square, in distances at which arms meet.
const SMALL_LOOP: f64 = 10.0;
/// Over this share of the greatest length loops come back.
const FADE: f64 = 0.1;
/// Where a direction of a loop is turned back by so much, all of it goes.
const TURNED_BACK: f64 = 0.05;
/// Over this share below [`COMPRESSED`] a fold begins to be taken out.
const ENTRY: f64 = 0.1;
/// Arms touch before they cross, and the loop between them is then not small. From there, where 1 with the cosine of
/// their angle added or taken away gives nothing, loops begin to go: for arms that go in opposite directions, and for
/// those that go in the same one.
const TOUCHING: [f64; 2] = [0.05, 0.05];
/// The greatest number of crossings that are looked at for one fold.
const CROSSINGS: usize = 8;
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
    let compressed = std::mem::take(&mut scratch.compressed);
    let mut rest = compressed.as_slice();
    let mut last = None;
    while let Some(&(first, _)) = rest.first() {
        // Neighbours on one segment have one fold, about the direction that is compressed most.
        let run = rest.iter().zip(first..).take_while(|((direction, _), next)| direction == next).count();
        let least = rest[..run].iter().min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some(direction) = least {
            take_out(skin, *direction, &mut last, &mut scratch, posed);
        }
        rest = &rest[run..];
    }
    scratch.compressed = compressed;
    posed.folds = scratch;
}

/// Takes out the loops around a direction, if there are any. `last` is the subpath before.
fn take_out(
    skin: &Skin,
    (direction, left): (u32, f64),
    last: &mut Option<(usize, usize)>,
    scratch: &mut FoldScratch,
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
    let point = point - bound.points.start;
    let FoldScratch { segments, crossings, loops, .. } = scratch;
    let Some((start, closed)) = subpath(bound, point, path.elements(), segments) else { return };
    let this = segments.first().map(|segment| (number, segment.point));
    if *last != this {
        loops.clear();
        *last = this;
    }
    let entered = above(COMPRESSED - left, [0.0, ENTRY]);
    // Of a loop that holds another one so much more goes than of that.
    let (mut gone, mut next) = (0.0_f64, 0);
    for _ in 0..CROSSINGS {
        let Some((pair, crossing)) = crossing(segments, (start, closed), next) else { return };
        next = pair + 1;
        let Some(path) = posed.paths.get_mut(number) else { return };
        let fold =
            Fold { skin, bound, blended: &posed.blended, direction: direction as usize, against, untwisted };
        let known = loops.iter().position(|found| found.arms == crossing.arms);
        let known = match known {
            Some(known) => known,
            None if loops.len() == LOOPS => return,
            None => {
                loops.push(fold.found(segments, &crossing));
                loops.len() - 1
            }
        };
        let share = fold.share(segments, path.elements(), (&crossing, &mut loops[known]), crossings);
        let (share, done) = (entered * share, loops[known].done);
        let wanted = share - gone;
        if wanted > done {
            cut(path.elements_mut(), segments, &crossing, (wanted - done) / (1.0 - done));
            loops[known].done = wanted;
        }
        gone = gone.max(share).max(done);
        if gone >= 1.0 || subpath(bound, point, path.elements(), segments).is_none() {
            return;
        }
    }
}

/// Shortens both arms to their crossing, by a share of the way along them, and brings what is between them there.
fn cut(elements: &mut [PathEl], segments: &[FoldSegment], crossing: &Crossing, share: f64) {
    let [(a, t), (b, u)] = [0, 1].map(|arm| (crossing.arms[arm], crossing.at[arm]));
    let (before, after) = (&segments[a].curve, &segments[b].curve);
    let (end, begin) = (1.0 - share * (1.0 - t), share * u);
    let (meet, ends) = (before.eval(t), [before.eval(end), after.eval(begin)]);
    // What the ends of the arms are beside the places to which their points come, and others are by their places
    // among the points between the arms.
    let shift = [ends[0] - before.p3.lerp(meet, share), ends[1] - after.p0.lerp(meet, share)];
    let brought = |p: Point, place: f64| match share < 1.0 {
        true => p.lerp(meet, share) + shift[0] * (1.0 - place) + shift[1] * place,
        false => meet,
    };
    let mut set = |element: Option<usize>, handles: Option<[Point; 2]>, end: Option<Point>| {
        let Some(element) = element.and_then(|at| elements.get_mut(at)) else { return };
        let (own, last) = match element {
            PathEl::CurveTo(p1, p2, p3) => (Some([p1, p2]), p3),
            PathEl::LineTo(p) | PathEl::MoveTo(p) => (None, p),
            _ => return,
        };
        for (own, to) in own.into_iter().flatten().zip(handles.into_iter().flatten()) {
            *own = to;
        }
        end.into_iter().for_each(|end| *last = end);
    };
    let count = between(segments.len(), crossing.arms).count() as f64;
    let start = if count > 0.0 { 0.0 } else { 0.5 };
    let mut last = brought(before.p3, start);
    let arm = before.subsegment(0.0..end);
    set(segments[a].element, Some([arm.p1, arm.p2]), Some(last));
    let (mut at, mut place) = (a, 0.0);
    loop {
        at += 1;
        if at == segments.len() {
            // Around the start of a closed outline.
            at = 0;
            set(segments[0].element.and_then(|first| first.checked_sub(1)), None, Some(last));
        }
        if at == b {
            break;
        }
        let CubicBez { p1, p2, p3, .. } = segments[at].curve;
        last = brought(p3, (place + 1.0) / count);
        let handles = [(p1, 1.0), (p2, 2.0)].map(|(p, third)| brought(p, (place + third / 3.0) / count));
        set(segments[at].element, Some(handles), Some(last));
        place += 1.0;
    }
    let arm = after.subsegment(begin..1.0);
    set(segments[b].element, Some([arm.p1, arm.p2]), None);
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

/// The nearest crossing of the arms that begin at the start of a segment, from a pair of their segments on, and the
/// number of its pair.
fn crossing(
    segments: &[FoldSegment],
    (start, closed): (usize, bool),
    first: usize,
) -> Option<(usize, Crossing)> {
    let count = segments.len();
    let back = |i: usize| match closed {
        true => Some((start + count - 1 - i) % count),
        false => start.checked_sub(1 + i),
    };
    let ahead = |j: usize| match closed {
        true => Some((start + j) % count),
        false => Some(start + j).filter(|at| *at < count),
    };
    // In squares around the start: both arms have the same number of segments in each.
    let rings = 0..REACH.min(count);
    let pairs =
        rings.flat_map(|ring| (0..=ring).map(move |j| (ring, j)).chain((0..ring).map(move |i| (i, ring))));
    for (pair, (i, j)) in pairs.enumerate().skip(first).filter(|(_, (i, j))| i + j + 2 <= count) {
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
        if shorter == 0.0 {
            continue;
        }
        return Some((pair, Crossing { arms: [a, b], at, area, shorter }));
    }
    None
}

impl Fold<'_> {
    /// A loop with what its shape says.
    fn found(&self, segments: &[FoldSegment], crossing: &Crossing) -> FoundLoop {
        let [a, b] = crossing.arms;
        let rest = [a, b].map(|at| self.rest(segments, at));
        // Drawn loops: the arms meet at rest, too.
        let apart = rest[0].eval(crossing.at[0]).distance(rest[1].eval(crossing.at[1]));
        let shown = (apart / self.bound.apart - 1.0).clamp(0.0, 1.0);
        let mut length = length(&rest[0]) * (1.0 - crossing.at[0]) + length(&rest[1]) * crossing.at[1];
        for at in between(segments.len(), crossing.arms) {
            length += self::length(&self.rest(segments, at));
        }
        let turned_back = above(-self.least_share(segments, crossing), [0.0, TURNED_BACK]);
        let along = [0, 1].map(|arm| {
            let curve = &segments[crossing.arms[arm]].curve;
            curve.deriv().eval(crossing.at[arm]).to_vec2()
        });
        let cosine = along[0].dot(along[1]) / (along[0].hypot() * along[1].hypot());
        let crosses = match cosine.is_finite() {
            true => above(1.0 + cosine, [0.0, TOUCHING[0]]) * above(1.0 - cosine, [0.0, TOUCHING[1]]),
            false => 1.0,
        };
        let shape = shown * crossing.shorter * turned_back * crosses;
        FoundLoop { arms: crossing.arms, shape, length, harmless: None, done: 0.0 }
    }

    /// The share of a loop that is taken out, from 0 for one that is no fold to 1.
    fn share(
        &self,
        segments: &[FoldSegment],
        elements: &[PathEl],
        (crossing, found): (&Crossing, &mut FoundLoop),
        scratch: &mut Vec<ScanCrossing>,
    ) -> f64 {
        let is_against = crossing.area * self.against > 0.0;
        let is_fold = is_against || crossing.area * self.untwisted > 0.0;
        if found.shape == 0.0 || !is_fold {
            return 0.0;
        }
        let most = self.greatest_length(segments, crossing.arms);
        let share = found.shape * faded(found.length, most, FADE);
        if share == 0.0 || self.against == 0.0 {
            return share;
        }
        let harmless = || self.harmless(segments, elements, crossing, scratch);
        share * *found.harmless.get_or_insert_with(harmless)
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
        let first = drawn.next().map_or(0, |first| first - 1);
        let end = drawn.next_back().map_or(first, |last| last + 1);
        let subpath = elements[..first].iter().filter(|element| matches!(element, PathEl::MoveTo(_))).count();
        let turned = &*self.bound.turned;
        // By the even-odd rule the windings of other subpaths mean nothing, unless subpaths can be turned.
        let (own, turned) = match (turned.get(subpath), self.bound.fill) {
            (None, Some(WindingRule::EvenOdd)) => (&elements[first..end], &[][..]),
            _ => (elements, turned),
        };
        let own_sign = sign(turned, subpath);
        let paint = -self.against * f64::from(own_sign);
        let winding = Winding { elements: own, turned, own: own_sign, paint };
        let parts = arms.into_iter().chain(whole);
        let [lost, gained, all] = winding.changed_areas(parts, scratch);
        let all = all.max((SMALL_LOOP * self.bound.apart).powi(2));
        let mut kept = (1.0 - above(lost / all, LOST)) * (1.0 - above(gained / all, GAINED));
        if kept > 0.0 && lost > 0.0 {
            // Only what is wound the right way is divided by.
            kept *= 1.0 - above(lost / winding.right_area(scratch).max(lost), LOST_OF_PAINT);
        }
        kept
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

    /// The least share that is left of a direction in the loop of where the bones alone take it; below 0 it is
    /// turned back.
    fn least_share(&self, segments: &[FoldSegment], crossing: &Crossing) -> f64 {
        let [a, b] = crossing.arms;
        let least = |at: usize, (from, to): (f64, f64)| {
            let [x1, y1, x2, y2, ..] = self.matrix(segments[at].point);
            let (rest, now) = (self.rest(segments, at).deriv(), segments[at].curve.deriv());
            let shares = (0..PROBES).map(|probe| {
                let t = from + (to - from) * (probe as f64 + 0.5) / PROBES as f64;
                let (rest, now) = (rest.eval(t).to_vec2(), now.eval(t).to_vec2());
                let carried = Vec2::new(x1 * rest.x + x2 * rest.y, y1 * rest.x + y2 * rest.y);
                carried.dot(now) / carried.hypot2()
            });
            shares.fold(f64::INFINITY, f64::min)
        };
        let inner = between(segments.len(), crossing.arms).map(|at| least(at, (0.0, 1.0)));
        inner.fold(least(a, (crossing.at[0], 1.0)).min(least(b, (0.0, crossing.at[1]))), f64::min)
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

    /// What is left of a loop that is taken out in part begins and ends on the arms, and the arms stay where they were.
    #[test]
    fn arms_of_a_part_of_a_loop_stay_on_the_outline() {
        let svg = "M0 0C40 0 90 10 100 40C105 70 60 70 60 40C60 10 120 0 160 0";
        let path = kurbo::BezPath::from_svg(svg).expect("path data");
        let curves: Vec<CubicBez> = path.segments().map(|segment| segment.to_cubic()).collect();
        let segment = |(number, curve): (usize, &CubicBez)| FoldSegment {
            curve: *curve,
            low: Point::ZERO,
            high: Point::ZERO,
            element: Some(number + 1),
            point: 3 * (number + 1),
        };
        let segments: Vec<FoldSegment> = curves.iter().enumerate().map(segment).collect();
        let at = meet(&curves[0], &curves[2], false).expect("they cross");
        let crossing = Crossing { arms: [0, 2], at, area: 1.0, shorter: 1.0 };
        for share in [0.2, 0.5, 0.9] {
            let mut posed = path.clone();
            cut(posed.elements_mut(), &segments, &crossing, share);
            let cut: Vec<CubicBez> = posed.segments().map(|segment| segment.to_cubic()).collect();
            let [end, begin] = [1.0 - share * (1.0 - at[0]), share * at[1]];
            for step in 0..=8 {
                let t = f64::from(step) / 8.0;
                let apart = [
                    cut[0].eval(t).distance(curves[0].eval(t * end)),
                    cut[2].eval(t).distance(curves[2].eval(begin + t * (1.0 - begin))),
                ];
                assert!(apart.iter().all(|apart| *apart < 1e-9), "{share} at {t}: {apart:?}");
            }
        }
    }
}
