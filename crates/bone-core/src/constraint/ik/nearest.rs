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
/// The number of directions in which the chain is extended as the start of other searches, and the number of
/// directions of a bone in the grid.
const DIRECTIONS: usize = 12;
const GRID: usize = 360;
const CELL: f64 = 360.0 / GRID as f64;
/// Another solution counts as nearer from this share of the chain's length on.
const CLEARLY: f64 = 2e-4;

/// Scratch memory to extend a chain.
#[derive(Clone, Debug, Default)]
pub(super) struct Extents {
    /// How far the chain reaches from each joint on, for each direction of its bone's axes.
    beyond: Vec<f64>,
    /// The greatest entries of some neighbours in a row of these.
    widest: Vec<f64>,
    /// The directions of the grid.
    cosines: Vec<Vec2>,
}

impl Extents {
    /// Reserves memory for this many joints.
    pub(super) fn reserve(&mut self, joints: usize) {
        self.beyond.reserve(joints * GRID);
        self.widest.reserve(2 * GRID);
        self.cosines.reserve(GRID);
    }
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
    /// Sets a chain to the pose that reaches farthest in a direction within its limits, up to the spacing of a grid
    /// of directions: Bellman's recursion from the tip to the base, over the angle of each bone's axes. `turn` is
    /// the direction from that to the target.
    fn extend(&mut self, turn: Angle) {
        let linkage = &mut self.linkage;
        let Extents { beyond, widest, cosines } = &mut self.extents;
        let n = linkage.nodes.len();
        let towards = Angle::of(linkage.ends[0].target - linkage.base(0)) + turn;
        beyond.resize(n * GRID, 0.0);
        widest.clear();
        widest.resize(GRID, 0.0);
        if cosines.is_empty() {
            cosines.extend((0..GRID).map(|k| Angle::from_degrees(k as f64 * CELL).direction()));
        }
        // The cells that a joint may turn its bone by, from the axes above it.
        let range = |linkage: &Linkage, i: usize| {
            let node = &linkage.nodes[i];
            let (least, most) = match node.motion {
                Motion::Turn => (node.least.max(-TAU), node.most.min(TAU)),
                Motion::Slide(_) | Motion::Still => (0.0, 0.0),
            };
            let cell =
                |value: f64| ((node.degrees + Angle::from_radians(value).degrees()) / CELL).round() as i64;
            let (first, last) = (cell(least), cell(most));
            (first, last.min(first + GRID as i64 - 1))
        };
        let wrapped = |k: i64| k.rem_euclid(GRID as i64) as usize;
        let mut scale = 1.0;
        for i in 0..n {
            scale *= linkage.nodes[i].scale.x;
            let link = link(linkage, i) * scale;
            let Vec2 { x: cos, y: sin } = (Angle::of(link) - towards).direction();
            let length = link.hypot();
            for (reach, way) in beyond[i * GRID..][..GRID].iter_mut().zip(&*cosines) {
                *reach = length * (way.x * cos - way.y * sin);
            }
        }
        for i in (1..n).rev() {
            let (first, last) = range(linkage, i);
            let count = (last - first + 1) as usize;
            // The greatest of so many neighbours, from those of half as many.
            widest.copy_from_slice(&beyond[i * GRID..][..GRID]);
            let mut size = 1;
            while 2 * size <= count {
                // In place, in order: entries are read before they change, the first ones from a copy.
                widest.extend_from_within(..size);
                for k in 0..GRID {
                    widest[k] = widest[k].max(widest[k + size]);
                }
                widest.truncate(GRID);
                size *= 2;
            }
            let above = &mut beyond[(i - 1) * GRID..][..GRID];
            for (k, reach) in above.iter_mut().enumerate() {
                let from = k as i64 + first;
                *reach += widest[wrapped(from)].max(widest[wrapped(from + (count - size) as i64)]);
            }
        }
        let mut at = 0;
        for i in 0..n {
            let (first, last) = range(linkage, i);
            let row = &beyond[i * GRID..][..GRID];
            let mut best = first;
            for by in first..=last {
                if row[wrapped(at + by)] > row[wrapped(at + best)] {
                    best = by;
                }
            }
            at += best;
            let node = &linkage.nodes[i];
            let value = Angle::from_degrees(best as f64 * CELL - node.degrees).radians();
            linkage.values[i] = within(value, node.least, node.most);
        }
        linkage.place();
    }
}

/// From joint `i` of a chain to the next, or to the end, in the joint's frame.
fn link(linkage: &Linkage, i: usize) -> Vec2 {
    linkage.nodes.get(i + 1).map_or_else(|| linkage.ends[0].local_in(linkage), |next| next.offset)
}
