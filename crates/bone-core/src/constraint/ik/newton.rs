//! One Newton step for one end on one chain, in O(n). The curvature matters: plain least squares converges
//! slowly for a chain that is nearly straight.
//!
//! With y_k the change of bone k's angle on the canvas, the end's linearisation is `sum y_k q_k`, q_k the
//! link rotated by a quarter turn, and the second derivative of `v . p` is diagonal: `-v . link_k`. The
//! change of a joint is `y_k - y_(k-1)`. So the step is a linear-quadratic control problem, solved from tip
//! to base and back (Riccati's recursion). On the way back values are clamped to limits, and the solve is
//! repeated until the active set is constant. Without the curvature it is `W J^T (J W J^T)^-1 (e + J d)`.

use kurbo::Vec2;

use super::linkage::{Linkage, Motion, quarter};
use crate::constraint::range::within;

/// Rounds over the active set; a cycle must end.
const ROUNDS: usize = 10;
/// Damping of the end's two equations, so that they are never singular.
const DAMPING: f64 = 1e-13;
/// Shares of the curvature to try: less where all of it would give an ascent. Without any, every step is a
/// descent.
const CURVATURES: [f64; 4] = [1.0, 0.5, 0.2, 0.0];
/// The recursion has no pivoting: with a pivot smaller than this the step is lost in rounding. A little less
/// of the curvature gives a step as good.
const SMALL_PIVOT: f64 = 1e-3;
const ASIDE: f64 = 0.97;

/// The data of one joint in the recursion.
#[derive(Clone, Copy, Debug, Default)]
struct ChainJoint {
    /// The link beyond the joint, rotated by a quarter turn.
    q: Vec2,
    curvature: f64,
    /// The limits relative to the value.
    least: f64,
    most: f64,
    /// -1 where the step ends at the lower limit, 1 at the upper one, 0 in between.
    side: f64,
    compliance: f64,
    /// The values that a step uses, so that one formula is enough: the change so far, and the compliance
    /// towards 0. For a joint that is to end at a limit these are the distance to the limit and 0.
    off: f64,
    active_compliance: f64,
    /// Cost of everything beyond, in this bone's y: `1/2 p y^2 + (a + b . v) y`, and `1 / (1 +
    /// active_compliance p)`.
    p: f64,
    a: f64,
    b: Vec2,
    shrink: f64,
}

/// The end's linearisation after the backward pass: `B v = -off`, B symmetric.
#[derive(Clone, Copy, Debug)]
struct System {
    off: Vec2,
    xx: f64,
    xy: f64,
    yy: f64,
}

/// Memory of the recursion.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    joints: Vec<ChainJoint>,
}

impl Newton {
    /// Reserves memory for this many joints.
    pub(super) fn reserve(&mut self, joints: usize) {
        self.joints.reserve(joints);
    }

    /// Computes the joint values after a full step towards `goal`, into `next`, and the multiplier of the
    /// end, from that of the last step. True if all of the curvature was used, the multiplier hardly changed,
    /// and so did the active set: then short steps converge quadratically.
    pub(super) fn aim(
        &mut self,
        linkage: &Linkage,
        goal: Vec2,
        v: &mut Vec2,
        size: f64,
        next: &mut [f64],
    ) -> bool {
        let floor = DAMPING * size * size;
        let wanted = goal - linkage.tips[0];
        let last = *v;
        for mut share in CURVATURES {
            self.read(linkage, last * share);
            for _ in 0..ROUNDS {
                let system = System { off: wanted, xx: floor, xy: 0.0, yy: floor };
                let (system, turned, smallest) = self.back(linkage, system);
                if smallest < SMALL_PIVOT {
                    share *= ASIDE;
                    self.read(linkage, last * share);
                    continue;
                }
                let (multiplier, against) = system.solve();
                if turned != against {
                    break;
                }
                *v = multiplier;
                if !self.forth(linkage, multiplier, next) {
                    return share == 1.0 && (multiplier - last).hypot() <= 1e-3 * last.hypot();
                }
            }
        }
        false
    }

    fn read(&mut self, linkage: &Linkage, v: Vec2) {
        self.joints.resize(linkage.nodes.len(), ChainJoint::default());
        let mut far = linkage.tips[0];
        let nodes = linkage.nodes.iter().zip(&linkage.values).zip(&linkage.origins);
        for (joint, ((node, &value), &near)) in self.joints.iter_mut().zip(nodes).rev() {
            let link = far - near;
            far = near;
            joint.q = quarter(link);
            joint.curvature = -v.dot(link);
            joint.compliance = if node.motion == Motion::Still { 0.0 } else { node.compliance };
            (joint.least, joint.most) = (node.least - value, node.most - value);
            // A joint at a limit is likely to stay there.
            let side = if joint.least >= 0.0 {
                -1.0
            } else if joint.most <= 0.0 {
                1.0
            } else {
                0.0
            };
            joint.take(side, value);
        }
    }

    /// From the tip to the base: the cost of each bone's rotation for everything beyond it, and with it the
    /// effect of `v` on the end. Also the number of negative pivots, and the size of the smallest pivot.
    fn back(&mut self, linkage: &Linkage, mut system: System) -> (System, usize, f64) {
        let (mut negative, mut smallest) = (0, 1.0_f64);
        let (mut p, mut a, mut b) = (0.0, 0.0, Vec2::ZERO);
        for (i, (joint, node)) in self.joints.iter_mut().zip(&linkage.nodes).enumerate().rev() {
            p += joint.curvature;
            b += joint.q;
            (joint.p, joint.a, joint.b) = (p, a, b);
            if let Motion::Slide(_) = node.motion {
                system.add(linkage.axis(i).unwrap_or_default(), -joint.off, joint.active_compliance);
                continue;
            }
            let pivot = 1.0 + joint.active_compliance * p;
            let shrink = 1.0 / pivot;
            joint.shrink = shrink;
            negative += usize::from(pivot < 0.0);
            smallest = smallest.min(pivot.abs());
            system.add(
                b,
                -shrink * (joint.off + joint.active_compliance * a),
                shrink * joint.active_compliance,
            );
            // A division of its own: the next joint depends on p, not on the inverse.
            p /= pivot;
            a = a * shrink - p * joint.off;
            b *= shrink;
        }
        (system, negative, smallest)
    }

    /// From the base to the tip: the step, clamped. True if a joint entered or left the active set.
    fn forth(&mut self, linkage: &Linkage, v: Vec2, next: &mut [f64]) -> bool {
        let mut changed = false;
        let mut y = 0.0;
        let nodes = linkage.nodes.iter().zip(&linkage.values).zip(next).enumerate();
        for (joint, (i, ((node, &value), next))) in self.joints.iter_mut().zip(nodes) {
            let (from, to, wish, force);
            if let Motion::Slide(_) = node.motion {
                force = linkage.axis(i).unwrap_or_default().dot(v);
                (from, wish) = (0.0, -(joint.off + joint.active_compliance * force));
                to = within(wish, joint.least, joint.most);
            } else {
                let h = joint.a + joint.b.dot(v);
                (from, wish) = (y, joint.shrink * (y - (joint.off + joint.active_compliance * h)));
                to = within(wish, from + joint.least, from + joint.most);
                force = joint.p * to + h;
                y = to;
            }
            *next = if joint.side < 0.0 {
                node.least
            } else if joint.side > 0.0 {
                node.most
            } else {
                value + (to - from)
            };
            // The derivative of the cost along a joint at a limit: if the cost falls inwards, the joint
            // leaves the active set.
            let inwards = joint.side * (*next + joint.compliance * force) > 0.0;
            if inwards || wish != to {
                changed = true;
                let side = if inwards { 0.0 } else { (wish - to).signum() };
                joint.take(side, value);
            }
        }
        changed
    }
}

impl ChainJoint {
    /// Puts the joint at one of its limits, or at neither.
    #[inline(always)]
    fn take(&mut self, side: f64, value: f64) {
        self.side = side;
        if side == 0.0 {
            (self.off, self.active_compliance) = (value, self.compliance);
        } else {
            (self.off, self.active_compliance) = (-if side < 0.0 { self.least } else { self.most }, 0.0);
        }
    }
}

impl System {
    /// The effect of one joint on the end: `g (by - gain g . v)`.
    #[inline(always)]
    fn add(&mut self, g: Vec2, by: f64, gain: f64) {
        self.off -= g * by;
        self.xx += gain * g.x * g.x;
        self.xy += gain * g.x * g.y;
        self.yy += gain * g.y * g.y;
    }

    /// The multiplier with which the end's linearisation is met, and how many eigenvalues of the equations
    /// are negative. If these are as many as the negative pivots, the step is a descent along the level set
    /// (the inertia of a saddle point system; Gould 1985).
    fn solve(&self) -> (Vec2, usize) {
        let Self { off, xx, xy, yy } = *self;
        let determinant = xx * yy - xy * xy;
        let v = -Vec2::new(yy * off.x - xy * off.y, xx * off.y - xy * off.x) / determinant;
        let negative = if determinant < 0.0 {
            1
        } else if xx + yy < 0.0 {
            2
        } else {
            0
        };
        (v, negative)
    }
}
