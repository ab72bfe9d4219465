//! Targets out of reach: finds the pose whose ends are nearest, within the limits: in closed form for a free
//! chain, else by the sum of `many` with a penalty so great that the change of the joints is almost nothing
//! beside it.

use kurbo::Vec2;

use std::f64::consts::TAU;

use super::linkage::{Linkage, Motion};
use crate::Angle;

/// The number of directions of a bone in the grid.
const GRID: usize = 360;
const CELL: f64 = 360.0 / GRID as f64;
/// How far a chain reaches within its limits: scratch memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Extents {
    /// How far the chain reaches from each joint on in one direction, for each angle of its bone's axes from
    /// that direction.
    pub(super) beyond: Vec<f64>,
    /// From the axes above each joint to its own: the least and the greatest angle, degrees.
    pub(super) ranges: Vec<(f64, f64)>,
    /// A row of `beyond` two times, the greatest entries of some neighbours in it, and those of two times as
    /// many.
    pub(super) doubled: Vec<f64>,
    pub(super) widest: Vec<f64>,
    pub(super) wider: Vec<f64>,
    /// The directions of the grid.
    pub(super) cosines: Vec<Vec2>,
}

impl Extents {
    /// Reserves memory for this many joints.
    pub(super) fn reserve(&mut self, joints: usize) {
        self.beyond.reserve(joints * GRID);
        self.ranges.reserve(joints);
        self.doubled.reserve(2 * GRID);
        self.widest.reserve(2 * GRID);
        self.wider.reserve(2 * GRID);
        self.cosines.reserve(GRID);
    }

    /// Bellman's recursion from the tip to the base, on a grid of the angles of each bone's axes. The ends of
    /// a range lie between angles of the grid.
    pub(super) fn measure(&mut self, linkage: &Linkage) {
        let Self { beyond, ranges, doubled, widest, wider, cosines } = self;
        let n = linkage.nodes.len();
        beyond.resize(n * GRID, 0.0);
        if cosines.is_empty() {
            cosines.extend((0..GRID).map(|k| Angle::from_degrees(k as f64 * CELL).direction()));
        }
        ranges.clear();
        ranges.extend(linkage.nodes.iter().map(|node| {
            let (least, most) = match node.motion {
                Motion::Turn => (node.least.max(-TAU), node.most.min(TAU)),
                Motion::Slide(_) | Motion::Still => (0.0, 0.0),
            };
            let at = |value: f64| node.degrees + Angle::from_radians(value).degrees();
            (at(least), at(most))
        }));
        let mut scale = 1.0;
        for i in 0..n {
            scale *= linkage.nodes[i].scale.x;
            let Vec2 { x, y } = link(linkage, i) * scale;
            for (reach, way) in beyond[i * GRID..][..GRID].iter_mut().zip(&*cosines) {
                *reach = way.x * x - way.y * y;
            }
        }
        for i in (1..n).rev() {
            let (above, row) = beyond[(i - 1) * GRID..][..2 * GRID].split_at_mut(GRID);
            let (least, most) = ranges[i];
            // The angles of the grid between the ends, and the ends as shares of the way to the next one
            // outside.
            let (first, last) = ((least / CELL).ceil(), (most / CELL).floor());
            let (first_share, last_share) = (first - least / CELL, most / CELL - last);
            let count = (last - first + 1.0).clamp(0.0, GRID as f64) as usize;
            doubled.clear();
            doubled.extend_from_slice(row);
            doubled.extend_from_slice(row);
            // The greatest of so many neighbours, from those of half as many.
            widest.clear();
            widest.extend_from_slice(row);
            let mut size = 1;
            while 2 * size <= count {
                widest.extend_from_within(..size);
                let pairs = widest.iter().zip(&widest[size..]);
                wider.clear();
                wider.extend(pairs.map(|(one, other)| greater(*one, *other)));
                std::mem::swap(widest, wider);
                size *= 2;
            }
            widest.extend_from_within(..);
            if count == 0 {
                widest.fill(f64::NEG_INFINITY);
            }
            let at = |k: f64| k.rem_euclid(GRID as f64) as usize;
            let row = |k: f64| &doubled[at(k)..][..GRID];
            let ends = row(first - 1.0).iter().zip(row(first)).zip(row(last).iter().zip(row(last + 1.0)));
            let wide =
                widest[at(first)..][..GRID].iter().zip(&widest[at(last + 1.0 - size as f64)..][..GRID]);
            for (reach, (((before, first), (last, after)), (one, other))) in
                above.iter_mut().zip(ends.zip(wide))
            {
                let least = first + (before - first) * first_share;
                let most = last + (after - last) * last_share;
                *reach += greater(greater(least, most), greater(*one, *other));
            }
        }
    }

    /// The angle of a joint with which the chain reaches farthest: degrees from the axes above it, which are
    /// at `above`. Also how far that is from this joint on.
    pub(super) fn farthest(&self, joint: usize, above: f64) -> (f64, f64) {
        let row = &self.beyond[joint * GRID..][..GRID];
        let at = |cell: f64| row[cell.rem_euclid(GRID as f64) as usize];
        let (least, most) = self.ranges[joint];
        let (from, to) = ((above + least) / CELL, (above + most) / CELL);
        let between = |cell: f64| {
            let share = cell - cell.floor();
            at(cell.floor()) * (1.0 - share) + at(cell.floor() + 1.0) * share
        };
        let mut best = (least, between(from));
        let first = from.ceil();
        let count = (to.floor() - first + 1.0).clamp(0.0, GRID as f64) as usize;
        // All cells from the first one on, round the circle.
        let start = first.rem_euclid(GRID as f64) as usize;
        for (k, reach) in row[start..].iter().chain(&row[..start]).take(count).enumerate() {
            if *reach > best.1 {
                best = ((first + k as f64) * CELL - above, *reach);
            }
        }
        if between(to) > best.1 { (most, between(to)) } else { best }
    }
}

/// The greater one of two numbers, neither of which is NaN.
#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// From joint `i` of a chain to the next, or to the end, in the joint's frame.
pub(super) fn link(linkage: &Linkage, i: usize) -> Vec2 {
    linkage.nodes.get(i + 1).map_or_else(|| linkage.ends[0].local_in(linkage), |next| next.offset)
}
