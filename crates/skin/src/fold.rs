//! Folds: where bones bend so far that a part of an outline is turned inside out, as at the inner side of an
//! elbow, the posed outline has a loop. The loop is taken out: both arms of the outline end where they cross,
//! and what is between lies at the crossing. An outline that crosses itself because it is curled is left alone.

use kurbo::{CubicBez, ParamCurve, ParamCurveArea, ParamCurveDeriv, PathEl, Point, Vec2};

use crate::options::FoldRule;
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

/// Memory for folds that is kept between frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoldScratch {
    /// Directions at which the outline is compressed, with the share that is left.
    pub(crate) compressed: Vec<(u32, f64)>,
    /// The segments of one subpath.
    segments: Vec<FoldSegment>,
}

#[derive(Clone, Copy, Debug)]
struct FoldSegment {
    curve: CubicBez,
    low: Point,
    high: Point,
    element: usize,
}

/// Two arms of a subpath that cross.
struct Crossing {
    arms: [usize; 2],
    at: [f64; 2],
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
        self.segments.reserve(if skin.directions.is_empty() { 0 } else { most });
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
/// Does not allocate once `posed` was used with this skin.
pub fn take_out_folds(skin: &Skin, posed: &mut PosedDrawing) {
    let mut scratch = std::mem::take(&mut posed.folds);
    let mut rest = scratch.compressed.as_slice();
    while let Some(&(first, _)) = rest.first() {
        // Neighbours on one segment have one fold, about the direction that is compressed most.
        let run = rest.iter().zip(first..).take_while(|((direction, _), next)| direction == next).count();
        let least = rest[..run].iter().min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((direction, _)) = least {
            take_out(skin, *direction, &mut scratch.segments, posed);
        }
        rest = &rest[run..];
    }
    posed.folds = scratch;
}

/// Takes out the loop around a direction, if there is one.
fn take_out(skin: &Skin, direction: u32, segments: &mut Vec<FoldSegment>, posed: &mut PosedDrawing) {
    let Some(turn) = turning(skin, direction, posed) else { return };
    let Some((point, reversed)) = node_of(skin, direction) else { return };
    let number = skin.paths.partition_point(|path| path.points.start <= point).saturating_sub(1);
    let (Some(bound), Some(path)) = (skin.paths.get(number), posed.paths.get_mut(number)) else { return };
    if bound.folds == FoldRule::Keep {
        return;
    }
    let Some((start, closed)) = subpath(bound, point - bound.points.start, path.elements(), segments) else {
        return;
    };
    let turn = if reversed { -turn } else { turn };
    let Some(crossing) = crossing(segments, start, closed, turn) else { return };
    let [(a, t), (b, u)] = [0, 1].map(|arm| (crossing.arms[arm], crossing.at[arm]));
    let elements = path.elements_mut();
    let (before, after) = (segments[a].curve.subsegment(0.0..t), segments[b].curve.subsegment(u..1.0));
    let meet = before.p3;
    let count = segments.len();
    if let PathEl::CurveTo(..) = elements[segments[a].element] {
        elements[segments[a].element] = PathEl::CurveTo(before.p1, before.p2, meet);
    } else if let PathEl::LineTo(_) = elements[segments[a].element] {
        elements[segments[a].element] = PathEl::LineTo(meet);
    }
    let mut at = a;
    loop {
        at += 1;
        if at == count {
            // Around the start of a closed outline.
            at = 0;
            if let Some(begin) = segments[0].element.checked_sub(1) {
                elements[begin] = PathEl::MoveTo(meet);
            }
        }
        if at == b {
            break;
        }
        match &mut elements[segments[at].element] {
            PathEl::CurveTo(p1, p2, p3) => (*p1, *p2, *p3) = (meet, meet, meet),
            PathEl::LineTo(p) => *p = meet,
            _ => {}
        }
    }
    if let PathEl::CurveTo(p1, p2, _) = &mut elements[segments[b].element] {
        (*p1, *p2) = (after.p1, after.p2);
    }
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
/// the point, and whether the subpath is closed.
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
    segments.clear();
    for (element, drawn) in elements.iter().enumerate().take(bound.elements.len()) {
        let curve = match *drawn {
            PathEl::MoveTo(to) => {
                if leaving.is_some() {
                    break;
                }
                segments.clear();
                (start, last) = (to, to);
                if points == point {
                    leaving = Some(0);
                }
                points += 1;
                continue;
            }
            PathEl::LineTo(to) => CubicBez::new(last, last.lerp(to, 1.0 / 3.0), to.lerp(last, 1.0 / 3.0), to),
            PathEl::CurveTo(a, b, to) => CubicBez::new(last, a, b, to),
            PathEl::ClosePath => {
                closed = leaving.is_some();
                if start == last {
                    continue;
                }
                CubicBez::new(last, last.lerp(start, 1.0 / 3.0), start.lerp(last, 1.0 / 3.0), start)
            }
            PathEl::QuadTo(..) => return None,
        };
        points += match drawn {
            PathEl::CurveTo(..) => 3,
            PathEl::ClosePath => 0,
            _ => 1,
        };
        last = curve.p3;
        let all = [curve.p0, curve.p1, curve.p2, curve.p3];
        let (low, high) = all.iter().fold((curve.p0, curve.p0), |(low, high), p| {
            (Point::new(low.x.min(p.x), low.y.min(p.y)), Point::new(high.x.max(p.x), high.y.max(p.y)))
        });
        segments.push(FoldSegment { curve, low, high, element });
        if points == point + 1 && leaving.is_none() {
            leaving = Some(segments.len());
        }
    }
    let leaving = leaving?;
    let count = segments.len();
    if count < 2 || (!closed && (leaving == 0 || leaving >= count)) {
        return None;
    }
    Some((leaving % count, closed))
}

/// The nearest crossing of the arms that begin at the start of a segment, if it closes a loop that is turned
/// inside out: opposite to the turn of the bones.
fn crossing(segments: &[FoldSegment], start: usize, closed: bool, turn: f64) -> Option<Crossing> {
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
            let whole: f64 = segments.iter().map(|segment| polygon(&segment.curve)).sum();
            let is_fold = area * turn < 0.0 && (!closed || 2.0 * length < whole);
            return is_fold.then_some(Crossing { arms: [a, b], at });
        }
    }
    None
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
