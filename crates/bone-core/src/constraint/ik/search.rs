//! The memory of a search, and what its steps share.

use kurbo::Vec2;

use super::linkage::Linkage;
use super::many::Many;
use super::nearest::Extents;
use super::newton::Newton;
use crate::Angle;

/// Ends closer to their targets than this share of the reach have converged.
pub(super) const CLOSE: f64 = 1e-10;

/// Joints that would still move by less than this (radians) have converged.
pub(super) const SETTLED: f64 = 1e-7;

/// The distance of intermediate targets: radians about the base, and shares of the reach in radius.
const STAGE_TURN: f64 = 0.7;

const STAGE_WAY: f64 = 0.25;

/// Perturbation of each joint to the chain's own side before the solve: a chain that is nearly straight has
/// no reliable side.
pub(super) const PERTURBATION: f64 = 0.08;

/// Perturbation of each joint to a side that the bend hint gives.
pub(super) const BEND_HINT: f64 = 0.4;

/// The bend hint: how a chain is perturbed before it is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BendHint {
    /// To the side of the animated pose.
    None,
    /// Angles grow: joints in between go to the left of the line to the tip.
    Positive,
    /// Angles shrink.
    Negative,
    /// To the side with the smaller change.
    Either,
}

/// Scratch memory of a solver, one for each thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Solver {
    pub(super) linkage: Linkage,
    /// The targets of the ends, before those out of reach were moved.
    pub(super) asked: Vec<Vec2>,
    /// The current targets of the ends.
    pub(super) goals: Vec<Vec2>,
    /// The polar path of each end about its base.
    pub(super) paths: Vec<PolarPath>,
    pub(super) centre: Vec<f64>,
    pub(super) next: Vec<f64>,
    pub(super) before: Vec<f64>,
    pub(super) columns_before: Vec<Vec2>,
    pub(super) best: Vec<f64>,
    pub(super) multiplier: Vec<f64>,
    pub(super) residual: Vec<f64>,
    pub(super) bracket: Vec<f64>,
    pub(super) extents: Extents,
    pub(super) newton: Newton,
    pub(super) many: Many,
    /// Whether there is one end on one chain of similar links.
    pub(super) chain: bool,
    /// The unit of distances: the reach.
    pub(super) size: f64,
    /// Number of steps, for benches.
    pub(super) steps: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PolarPath {
    pub(super) base: Vec2,
    pub(super) from: (f64, Angle),
    pub(super) to: (f64, Angle),
}

impl PolarPath {
    pub(super) fn between(base: Vec2, tip: Vec2, target: Vec2) -> Self {
        let (from, to) = (tip - base, target - base);
        let turn = Angle::of(from);
        Self { base, from: (from.hypot(), turn), to: (to.hypot(), Angle::of(to).nearest_to(turn)) }
    }

    /// Goes round the base through a direction, not through the opposite one.
    pub(super) fn turn_through(&mut self, direction: Angle) {
        self.from.1 = self.from.1.nearest_to(direction);
        self.to.1 = self.to.1.nearest_to(direction);
    }

    /// How many intermediate targets the path needs.
    pub(super) fn stages(&self, size: f64) -> usize {
        let turn = (self.to.1 - self.from.1).radians().abs() / STAGE_TURN;
        let way = (self.to.0 - self.from.0).abs() / (STAGE_WAY * size);
        turn.max(way).ceil().clamp(1.0, 64.0) as usize
    }

    pub(super) fn at(&self, share: f64) -> Vec2 {
        let radius = self.from.0 + (self.to.0 - self.from.0) * share;
        let turn = self.from.1 + (self.to.1 - self.from.1) * share;
        self.base + turn.direction() * radius
    }
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// The largest distance of an end from its target, in the units of the targets.
    pub(super) miss: f64,
    pub(super) reached: bool,
}
