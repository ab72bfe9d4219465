//! Several ends on a tree of similar links: the least change by the augmented Lagrangian, with limits as an
//! active set of a projected Newton method (Bertsekas 1982). Each step makes one sum smaller, change plus
//! penalty, so the search cannot stall at a limit or cycle; where the targets are out of reach together the
//! penalty alone decides, and the ends are nearest.

use kurbo::Vec2;

use super::linkage::Linkage;
use super::tree::Tree;

/// The penalty for a miss by the whole reach: at first, and at most.
pub(super) const PENALTY: f64 = 100.0;
/// Scratch memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Many {
    pub(super) tree: Tree,
    /// The multipliers of the sum, and those of the last step.
    pub(super) held: Vec<Vec2>,
    pub(super) multiplier: Vec<Vec2>,
    pub(super) next_multiplier: Vec<Vec2>,
    pub(super) step_multiplier: Vec<Vec2>,
    pub(super) wanted: Vec<Vec2>,
    pub(super) gradient: Vec<f64>,
    pub(super) given: Vec<Option<f64>>,
    pub(super) steps: Vec<f64>,
    pub(super) penalty: f64,
    /// The greatest miss when the multipliers were last renewed.
    pub(super) renewed_at: f64,
    /// Whether the last step was undone: the next one ends at the first limit that it meets.
    pub(super) cautious: bool,
}

impl Many {
    pub(super) fn reserve(&mut self, joints: usize, ends: usize) {
        self.tree.reserve(joints, ends);
        for column in self.columns() {
            column.reserve(ends);
        }
        self.gradient.reserve(joints);
        self.given.reserve(joints);
        self.steps.reserve(joints);
    }

    pub(super) fn columns(&mut self) -> [&mut Vec<Vec2>; 5] {
        let Self { held, multiplier, next_multiplier, step_multiplier, wanted, .. } = self;
        [held, multiplier, next_multiplier, step_multiplier, wanted]
    }

    pub(super) fn begin(&mut self, linkage: &Linkage) {
        let (n, m) = (linkage.nodes.len(), linkage.ends.len());
        self.tree.prepare(linkage);
        for column in self.columns() {
            column.clear();
            column.resize(m, Vec2::ZERO);
        }
        self.gradient.resize(n, 0.0);
        self.given.resize(n, None);
        self.steps.resize(n, 0.0);
    }

    /// Clears multipliers and penalty.
    pub(super) fn restart(&mut self, size: f64) {
        for column in [&mut self.held, &mut self.multiplier] {
            column.fill(Vec2::ZERO);
        }
        self.penalty = PENALTY / (size * size);
        self.renewed_at = f64::INFINITY;
        self.cautious = false;
    }
}
