//! Targets out of reach: finds the pose whose ends are nearest, within the limits. Coordinate descent: one
//! joint at a time, from tip to base, each at its optimum. The error never grows.

use std::f64::consts::TAU;

use kurbo::Vec2;

use super::linkage::{Linkage, Motion, Node};
use super::solver::Solver;
use crate::Angle;
use crate::constraint::range::within;

/// Sweeps over all joints; a straight line of many joints needs the most.
const SWEEPS: usize = 200;
/// Another solution counts as nearer from this share of the chain's length on.
const CLEARLY: f64 = 1e-3;

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

    /// Moves the ends as near to their targets as coordinate descent can, from the current values. Limits may
    /// stop the descent early; so it also starts from both ends of the joints' ranges, and a result that is
    /// clearly nearer is taken.
    pub(super) fn nearest(&mut self) {
        if !self.linkage.similar {
            return;
        }
        self.sweep();
        let mut miss = self.measure().miss;
        self.best.clone_from(&self.linkage.values);
        let starts: [fn(&Node) -> f64; 2] = [|node| node.least, |node| node.most];
        for start in starts {
            for (value, node) in self.linkage.values.iter_mut().zip(&self.linkage.nodes) {
                let limited = node.least.is_finite() && node.most.is_finite();
                *value = if limited { start(node) } else { within(0.0, node.least, node.most) };
            }
            self.linkage.place();
            self.sweep();
            let now = self.measure().miss;
            if now < miss - CLEARLY * self.size {
                miss = now;
                self.best.clone_from(&self.linkage.values);
            }
        }
        self.linkage.values.clone_from(&self.best);
        self.linkage.place();
    }

    fn sweep(&mut self) {
        for _ in 0..SWEEPS {
            let mut moved = 0.0_f64;
            for i in (0..self.linkage.nodes.len()).rev() {
                moved = moved.max(self.optimise_joint(i).abs());
            }
            self.linkage.place();
            if moved < 1e-9 {
                break;
            }
        }
    }

    /// Sets one joint to its optimum with all others fixed. The ends are updated, joints further out are not.
    fn optimise_joint(&mut self, i: usize) -> f64 {
        let linkage = &mut self.linkage;
        let node = linkage.nodes[i];
        let (mut dot, mut cross, mut count) = (0.0, 0.0, 0.0);
        let axis = linkage.axis(i);
        for e in 0..linkage.ends.len() {
            if !linkage.carries(i, linkage.ends[e].node) {
                continue;
            }
            let (tip, target) = (linkage.tips[e], linkage.ends[e].target);
            match axis {
                None => {
                    let (from, to) = (tip - linkage.origins[i], target - linkage.origins[i]);
                    dot += from.dot(to);
                    cross += from.cross(to);
                }
                Some(axis) => {
                    dot += (target - tip).dot(axis);
                    count += axis.hypot2();
                }
            }
        }
        let value = linkage.values[i];
        let wanted = match node.motion {
            Motion::Still => return 0.0,
            Motion::Slide(_) if count > 0.0 => value + dot / count,
            Motion::Turn if dot != 0.0 || cross != 0.0 => value + Angle::of(Vec2::new(dot, cross)).radians(),
            _ => return 0.0,
        };
        let wanted = match node.motion {
            Motion::Turn => round_the_gap(wanted, node.least, node.most),
            _ => wanted,
        };
        let by = within(wanted, node.least, node.most) - value;
        linkage.values[i] = value + by;
        let angle = Angle::from_radians(by);
        let (sin, cos) = angle.sin_cos();
        for e in 0..linkage.ends.len() {
            if !linkage.carries(i, linkage.ends[e].node) {
                continue;
            }
            let tip = linkage.tips[e];
            linkage.tips[e] = match axis {
                Some(axis) => tip + axis * by,
                None => {
                    let from = tip - linkage.origins[i];
                    linkage.origins[i] + Vec2::new(cos * from.x - sin * from.y, sin * from.x + cos * from.y)
                }
            };
        }
        by
    }
}

/// The equivalent angle (radians), a turn away, if it is nearer to the limits.
fn round_the_gap(wanted: f64, least: f64, most: f64) -> f64 {
    let other = if wanted > most {
        wanted - TAU
    } else if wanted < least {
        wanted + TAU
    } else {
        return wanted;
    };
    let off = |x: f64| (least - x).max(x - most).max(0.0);
    if off(other) < off(wanted) { other } else { wanted }
}

/// From joint `i` of a chain to the next, or to the end, in the joint's frame.
fn link(linkage: &Linkage, i: usize) -> Vec2 {
    linkage.nodes.get(i + 1).map_or_else(|| linkage.ends[0].local_in(linkage), |next| next.offset)
}
