//! One Newton step for several ends on a tree of similar links, in time linear in the joints: the recursion
//! of `newton`, from the tips to the root and back, where the costs of all branches add up.
//!
//! With y_i the change of node i's angle on the canvas, the linearisation of end e is `sum y_i q_ie`, q_ie
//! the link of node i on the way to the end, rotated by a quarter turn. The second derivative of `v . p` is
//! diagonal in y: `-sum_e v_e . link_ie`. A step is a saddle point of
//! `1/2 x^T W^-1 x + 1/2 y^T C y + v . (p + J y - t) - 1/2 damping |v - held|^2`: with `damping` the inverse
//! of the penalty it is the Newton step of the augmented Lagrangian (Gill and Robinson 2012).

use kurbo::Vec2;

use super::linkage::{Linkage, Motion, ROOT, quarter};

/// Shares of the curvature to try: less where all of it would give an ascent. Without any, every step is a
/// descent.
const CURVATURES: [f64; 5] = [1.0, 0.7, 0.4, 0.15, 0.0];
/// The recursion has no pivoting: with a pivot smaller than this the step is lost in rounding.
const SMALL_PIVOT: f64 = 1e-3;

/// The data of one node in the recursion.
#[derive(Clone, Copy, Debug, Default)]
struct TreeJoint {
    curvature: f64,
    /// The change so far, or the negative step of a joint that has a given one, and its compliance, 0 for a
    /// given step.
    off: f64,
    compliance: f64,
    /// Cost of everything beyond, in this node's y: `1/2 p y^2 + (a + b . v) y`.
    p: f64,
    a: f64,
    shrink: f64,
    y: f64,
}

/// Memory of the recursion.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    joints: Vec<TreeJoint>,
    /// For node i and end e at `i * ends + e`: the link on the way to the end, rotated by a quarter turn, and
    /// with those beyond it (`b`); zero for ends that the node does not carry.
    links: Vec<Vec2>,
    levers: Vec<Vec2>,
    carries: Vec<bool>,
    /// The equations of the ends.
    system: Vec<f64>,
    right: Vec<f64>,
}

/// What a step is computed for.
pub(super) struct TreeRequest<'a> {
    /// From each tip to its goal.
    pub(super) wanted: &'a [Vec2],
    /// The multipliers of the augmented Lagrangian.
    pub(super) held: &'a [Vec2],
    /// The inverse of its penalty.
    pub(super) damping: f64,
    /// For each joint the step that it has to take, if any.
    pub(super) given: &'a [Option<f64>],
}

impl Tree {
    /// Reserves memory for this many joints and ends.
    pub(super) fn reserve(&mut self, joints: usize, ends: usize) {
        self.joints.reserve(joints);
        self.links.reserve(joints * ends);
        self.levers.reserve(joints * ends);
        self.carries.reserve(joints * ends);
        self.system.reserve(4 * ends * ends);
        self.right.reserve(2 * ends);
    }

    /// Reads which ends each node carries. Once for a linkage.
    pub(super) fn prepare(&mut self, linkage: &Linkage) {
        let (n, m) = (linkage.nodes.len(), linkage.ends.len());
        self.joints.resize(n, TreeJoint::default());
        self.links.clear();
        self.links.resize(n * m, Vec2::ZERO);
        self.levers.resize(n * m, Vec2::ZERO);
        self.carries.clear();
        self.carries.resize(n * m, false);
        self.system.resize(4 * m * m, 0.0);
        self.right.resize(2 * m, 0.0);
        for (e, end) in linkage.ends.iter().enumerate() {
            let mut at = end.node;
            while at != ROOT {
                self.carries[at * m + e] = true;
                at = linkage.nodes[at].parent;
            }
        }
    }

    /// Reads the links at the current place.
    pub(super) fn place(&mut self, linkage: &Linkage) {
        let m = linkage.ends.len();
        for (e, end) in linkage.ends.iter().enumerate() {
            let (mut far, mut at) = (linkage.tips[e], end.node);
            while at != ROOT {
                let near = linkage.origins[at];
                self.links[at * m + e] = quarter(far - near);
                far = near;
                at = linkage.nodes[at].parent;
            }
        }
    }

    /// Computes the step of each joint and the multipliers of the ends. The curvature is that of the given
    /// multipliers, as much of it as gives a descent. Returns its share.
    pub(super) fn step(
        &mut self,
        linkage: &Linkage,
        request: &TreeRequest<'_>,
        multiplier: &mut [Vec2],
        steps: &mut [f64],
    ) -> f64 {
        for share in CURVATURES {
            self.read(linkage, request, multiplier, share);
            let (negative, smallest) = self.back(linkage, request);
            if share > 0.0 && smallest < SMALL_PIVOT {
                continue;
            }
            let against = factorise(&mut self.system, &mut self.right, request.damping);
            if share > 0.0 && against != Some(negative) {
                continue;
            }
            for (e, v) in multiplier.iter_mut().enumerate() {
                *v = Vec2::new(self.right[2 * e], self.right[2 * e + 1]);
            }
            self.forth(linkage, multiplier, steps);
            return share;
        }
        0.0
    }

    fn read(&mut self, linkage: &Linkage, request: &TreeRequest<'_>, multiplier: &[Vec2], share: f64) {
        let m = multiplier.len();
        for (i, (joint, node)) in self.joints.iter_mut().zip(&linkage.nodes).enumerate() {
            let row = i * m;
            let links = &self.links[row..row + m];
            // `quarter` of the link turned back: v . link = quarter(v) . quarter(link).
            let bent: f64 = links.iter().zip(multiplier).map(|(link, v)| quarter(*v).dot(*link)).sum();
            joint.curvature = -share * bent;
            (joint.off, joint.compliance) = match request.given[i] {
                Some(step) => (-step, 0.0),
                None => (linkage.values[i], node.compliance),
            };
            (joint.p, joint.a) = (0.0, 0.0);
        }
        self.levers.copy_from_slice(&self.links);
        self.system.fill(0.0);
        for (e, (wanted, held)) in request.wanted.iter().zip(request.held).enumerate() {
            let right = *held * request.damping - *wanted;
            (self.right[2 * e], self.right[2 * e + 1]) = (right.x, right.y);
            for k in [2 * e, 2 * e + 1] {
                self.system[k * 2 * m + k] = request.damping;
            }
        }
    }

    /// From the tips to the root. Returns the number of negative pivots, and the size of the smallest.
    fn back(&mut self, linkage: &Linkage, request: &TreeRequest<'_>) -> (usize, f64) {
        let m = request.wanted.len();
        let (mut negative, mut smallest) = (0, 1.0_f64);
        for i in (0..self.joints.len()).rev() {
            let node = &linkage.nodes[i];
            let mut joint = self.joints[i];
            joint.p += joint.curvature;
            let (mut shrink, mut fold) = (1.0, (joint.p, joint.a));
            if let Motion::Slide(_) = node.motion {
                let axis = linkage.axis(i).unwrap_or_default();
                self.add(i, m, Some(axis), -joint.off, joint.compliance);
            } else {
                let pivot = 1.0 + joint.compliance * joint.p;
                shrink = 1.0 / pivot;
                negative += usize::from(pivot < 0.0);
                smallest = smallest.min(pivot.abs());
                let by = -shrink * (joint.off + joint.compliance * joint.a);
                self.add(i, m, None, by, shrink * joint.compliance);
                let p = joint.p * shrink;
                fold = (p, joint.a * shrink - p * joint.off);
            }
            joint.shrink = shrink;
            self.joints[i] = joint;
            if node.parent != ROOT {
                let above = &mut self.joints[node.parent];
                above.p += fold.0;
                above.a += fold.1;
                for e in 0..m {
                    if self.carries[i * m + e] {
                        let lever = self.levers[i * m + e] * shrink;
                        self.levers[node.parent * m + e] += lever;
                    }
                }
            }
        }
        (negative, smallest)
    }

    /// The effect of one joint on the ends that it carries: `g_e (by - gain sum_f g_f . v_f)`.
    fn add(&mut self, i: usize, m: usize, axis: Option<Vec2>, by: f64, gain: f64) {
        let rows = 2 * m;
        for e in 0..m {
            if !self.carries[i * m + e] {
                continue;
            }
            let g = axis.unwrap_or(self.levers[i * m + e]);
            self.right[2 * e] += g.x * by;
            self.right[2 * e + 1] += g.y * by;
            if gain == 0.0 {
                continue;
            }
            for f in 0..=e {
                if !self.carries[i * m + f] {
                    continue;
                }
                let h = axis.unwrap_or(self.levers[i * m + f]) * gain;
                let (row, below) = (2 * e * rows + 2 * f, (2 * e + 1) * rows + 2 * f);
                self.system[row] += g.x * h.x;
                self.system[row + 1] += g.x * h.y;
                self.system[below] += g.y * h.x;
                self.system[below + 1] += g.y * h.y;
            }
        }
    }

    /// From the root to the tips: the steps.
    fn forth(&mut self, linkage: &Linkage, multiplier: &[Vec2], steps: &mut [f64]) {
        let m = multiplier.len();
        for (i, step) in steps.iter_mut().enumerate().take(self.joints.len()) {
            let node = &linkage.nodes[i];
            let from = if node.parent == ROOT { 0.0 } else { self.joints[node.parent].y };
            let joint = &mut self.joints[i];
            if let Motion::Slide(_) = node.motion {
                let axis = linkage.axis(i).unwrap_or_default();
                let pulls = self.carries[i * m..][..m].iter().zip(multiplier);
                let force: f64 = pulls.filter(|(carried, _)| **carried).map(|(_, v)| axis.dot(*v)).sum();
                *step = -(joint.off + joint.compliance * force);
                joint.y = from;
            } else {
                let levers = self.levers[i * m..][..m].iter().zip(multiplier);
                let h = joint.a + levers.map(|(b, v)| b.dot(*v)).sum::<f64>();
                joint.y = joint.shrink * (from - (joint.off + joint.compliance * h));
                *step = joint.y - from;
            }
        }
    }
}

/// Solves `A x = b` for a symmetric `A` of which the lower half is given, by its factors L D L^T, in place.
/// Returns how many eigenvalues are negative; none if a pivot is too small to count on.
fn factorise(a: &mut [f64], b: &mut [f64], damping: f64) -> Option<usize> {
    let n = b.len();
    let (mut negative, mut sound) = (0, true);
    for j in 0..n {
        for k in 0..j {
            let factor = a[j * n + k];
            let scaled = factor * a[k * n + k];
            for i in j..n {
                a[i * n + j] -= a[i * n + k] * scaled;
            }
        }
        let pivot = a[j * n + j];
        sound &= pivot.abs() > 0.01 * damping;
        negative += usize::from(pivot < 0.0);
        for i in j + 1..n {
            a[i * n + j] /= pivot;
        }
    }
    for i in 0..n {
        for k in 0..i {
            b[i] -= a[i * n + k] * b[k];
        }
    }
    for i in 0..n {
        b[i] /= a[i * n + i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            b[i] -= a[k * n + i] * b[k];
        }
    }
    sound.then_some(negative)
}
