//! Targets out of reach: finds the pose whose ends are nearest, within the limits: in closed form for a free
//! chain, else by the sum of `many` with a penalty so great that the change of the joints is almost nothing
//! beside it.

use kurbo::Vec2;

use std::f64::consts::TAU;

use super::linkage::{Linkage, Motion};
use super::solver::Solver;
use crate::Angle;
use crate::constraint::range::within;

/// Shares of the joints' ranges from which other searches start: of the joints up to a share of the chain,
/// and of those beyond.
const STARTS: [(f64, f64, f64); 13] = [
    (1.0, 0.0, 0.0),
    (1.0, 1.0, 0.0),
    (1.0, 0.5, 0.0),
    (1.0, 0.25, 0.0),
    (1.0, 0.75, 0.0),
    (0.5, 0.0, 1.0),
    (0.5, 1.0, 0.0),
    (0.25, 0.0, 1.0),
    (0.25, 1.0, 0.0),
    (0.75, 0.0, 1.0),
    (0.75, 1.0, 0.0),
    (0.4, 0.2, 0.7),
    (0.6, 0.8, 0.3),
];
/// The number of directions in which the chain is extended as the start of other searches.
const DIRECTIONS: usize = 12;
/// The number of directions of a bone in the grid.
const GRID: usize = 360;
const CELL: f64 = 360.0 / GRID as f64;
/// Another solution counts as nearer from this share of the chain's length on.
const CLEARLY: f64 = 2e-4;
/// A target this share of the length beyond the farthest point in its direction is out of reach. The farthest
/// point is known up to the spacing of the grid.
const BEYOND: f64 = 2e-3;

/// How far a chain reaches within its limits: scratch memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Extents {
    /// How far the chain reaches from each joint on in one direction, for each angle of its bone's axes from
    /// that direction.
    beyond: Vec<f64>,
    /// From the axes above each joint to its own: the least and the greatest angle, degrees.
    ranges: Vec<(f64, f64)>,
    /// A row of `beyond` two times, the greatest entries of some neighbours in it, and those of two times as
    /// many.
    doubled: Vec<f64>,
    widest: Vec<f64>,
    wider: Vec<f64>,
    /// The directions of the grid.
    cosines: Vec<Vec2>,
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
    fn measure(&mut self, linkage: &Linkage) {
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
    fn farthest(&self, joint: usize, above: f64) -> (f64, f64) {
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

impl Solver {
    /// Straightens one free chain towards a target on the border of its reach, or folds it back. False if it
    /// is not such a chain or limits do not allow it.
    pub(super) fn straighten(&mut self) -> bool {
        let linkage = &mut self.linkage;
        let [end] = linkage.ends[..] else { return false };
        let Some((most, least)) = linkage.reach(0) else { return false };
        if !(linkage.is_chain() && linkage.nodes.iter().all(|node| node.motion == Motion::Turn)) {
            return false;
        }
        let target = end.target - linkage.base(0);
        let outwards = target.hypot() > 0.5 * (most + least);
        // Folded, the longest link points outwards and all others back.
        let mut longest = (0, 0.0);
        let mut scale = 1.0;
        for i in 0..linkage.nodes.len() {
            scale *= linkage.nodes[i].scale.x;
            let length = link(linkage, i).hypot() * scale;
            if length > longest.1 {
                longest = (i, length);
            }
        }
        let mut above = Angle::ZERO;
        for i in 0..linkage.nodes.len() {
            let forward = outwards || i == longest.0;
            let link = link(linkage, i);
            let node = &linkage.nodes[i];
            let direction = Angle::of(if forward { target } else { -target });
            // A link of length 0 has no direction: its joint stays.
            let angle = if link == Vec2::ZERO {
                Angle::from_degrees(node.degrees)
            } else {
                direction - above - Angle::of(link)
            };
            let turn = angle.nearest_to(Angle::from_degrees(node.degrees)).degrees() - node.degrees;
            let turn = Angle::from_degrees(turn).radians();
            if turn < node.least || turn > node.most {
                return false;
            }
            linkage.values[i] = turn;
            above += Angle::from_degrees(node.degrees) + Angle::from_radians(turn);
        }
        true
    }

    /// Whether the target of one chain is beyond its limits, by how far it reaches in the direction of the
    /// target.
    pub(super) fn is_beyond_limits(&mut self) -> bool {
        let joints = &self.linkage.nodes;
        if !(self.chain && joints.iter().all(|node| !matches!(node.motion, Motion::Slide(_)))) {
            return false;
        }
        self.extents.measure(&self.linkage);
        let way = self.linkage.ends[0].target - self.linkage.base(0);
        let (_, farthest) = self.extents.farthest(0, -Angle::of(way).degrees());
        way.hypot() > farthest + BEYOND * self.size
    }

    /// Moves the end of a chain as near to its target as limits allow, from the pose that reaches farthest.
    /// True if no other pose can be clearly nearer: the chain does not reach farther in the direction from
    /// its end to the target.
    pub(super) fn approach_from_farthest(&mut self) -> bool {
        self.begin_tree();
        self.goals[0] = self.linkage.ends[0].target;
        self.extend(Angle::ZERO);
        self.approach();
        let (base, tip) = (self.linkage.base(0), self.linkage.tips[0]);
        let way = self.goals[0] - tip;
        let (_, farthest) = self.extents.farthest(0, -Angle::of(way).degrees());
        farthest - way.dot(tip - base) / way.hypot() <= CLEARLY * self.size
    }

    /// Moves the ends as near to their targets as limits allow, from the current values and from several
    /// shares of the joints' ranges. A result that is clearly nearer is taken, in a fixed order.
    pub(super) fn nearest(&mut self) {
        if !self.linkage.similar {
            return;
        }
        self.begin_tree();
        for (goal, end) in self.goals.iter_mut().zip(&self.linkage.ends) {
            *goal = end.target;
        }
        self.approach();
        let mut miss = self.measure().miss;
        self.best.clone_from(&self.linkage.values);
        let chain = self.linkage.is_chain();
        let directions = if chain { DIRECTIONS } else { 0 };
        if chain {
            self.extents.measure(&self.linkage);
        }
        for start in 0..STARTS.len() + directions {
            if let Some((upto, first, second)) = STARTS.get(start) {
                let upto = upto * self.linkage.nodes.len() as f64;
                self.spread(|joint| if (joint as f64) < upto { *first } else { *second });
            } else {
                let turn = Angle::from_degrees(360.0 * (start - STARTS.len()) as f64 / DIRECTIONS as f64);
                self.extend(turn);
            }
            self.approach();
            let now = self.measure().miss;
            if now < miss - CLEARLY * self.size {
                miss = now;
                self.best.clone_from(&self.linkage.values);
            }
        }
        self.linkage.values.clone_from(&self.best);
        self.linkage.place();
    }
}

impl Solver {
    /// Sets a chain to the pose that reaches farthest in a direction within its limits, up to the spacing of
    /// the grid. `turn` is the direction from that to the target.
    fn extend(&mut self, turn: Angle) {
        let linkage = &mut self.linkage;
        let towards = Angle::of(linkage.ends[0].target - linkage.base(0)) + turn;
        let mut above = -towards.degrees();
        for (i, (value, node)) in linkage.values.iter_mut().zip(&linkage.nodes).enumerate() {
            let (by, _) = self.extents.farthest(i, above);
            above += by;
            *value = within(Angle::from_degrees(by - node.degrees).radians(), node.least, node.most);
        }
        linkage.place();
    }
}

/// From joint `i` of a chain to the next, or to the end, in the joint's frame.
fn link(linkage: &Linkage, i: usize) -> Vec2 {
    linkage.nodes.get(i + 1).map_or_else(|| linkage.ends[0].local_in(linkage), |next| next.offset)
}
