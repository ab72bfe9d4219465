//! One step for one end on one chain with its curvature: Newton's method in O(n), where plain least squares crawls (a
//! chain nearly straight turns on a sphere as small as its slack).
//!
//! With y_k the change of bone k's angle on the canvas, the end's linearisation is `sum y_k q_k`, q_k the link turned by a
//! quarter, and the second derivative of `v . p` is diagonal: `-v . link_k`. The change of a joint is `y_k - y_(k-1)`.
//! So the step is a linear-quadratic control problem, solved from tip to base and back (Riccati's recursion); limits
//! clamp the way back until nobody changes sides. With the curvature left out it is `W J^T (J W J^T)^-1 (e + J d)`.

use kurbo::Vec2;

use super::least::within;
use super::linkage::{Linkage, Motion, Node, quarter};

/// Rounds over who is at a limit; a cycle must end.
const ROUNDS: usize = 10;
/// Softens the end's two equations by this share, so that they can always be solved.
const DAMPING: f64 = 1e-13;
/// Shares of the curvature to try: less of it where all of it would lead uphill; without any, every step is downhill.
const CURVATURES: [f64; 4] = [1.0, 0.5, 0.2, 0.0];

/// What a joint does in the step in hand.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Free,
    Least,
    Most,
}

/// One joint's share of the recursion.
#[derive(Clone, Copy, Debug)]
struct Joint {
    side: Side,
    /// The link beyond the joint, turned by a quarter.
    q: Vec2,
    curvature: f64,
    /// Cost of what lies beyond, in this bone's y: `1/2 p y^2 + (a + b . v) y`, and `1 / (1 + ease p)`.
    a: f64,
    b: Vec2,
    shrink: f64,
}

/// The end's linearisation as the way back leaves it: `B v = -off`, B symmetric.
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
    joints: Vec<Joint>,
}

impl Newton {
    /// Memory for so many joints.
    pub(super) fn reserve(&mut self, joints: usize) {
        self.joints.reserve(joints);
    }

    /// The joint values after a full step towards `goal`, into `next`, and the multiplier of the end, which comes in as the
    /// last step's. Whether all of the curvature counted, by much the same multiplier, and nobody changes sides: where such a
    /// step is short, the next one is as short as its square.
    pub(super) fn aim(&mut self, linkage: &Linkage, goal: Vec2, v: &mut Vec2, size: f64, next: &mut [f64]) -> bool {
        let floor = DAMPING * size * size;
        let wanted = goal - linkage.tips[0];
        let last = *v;
        for share in CURVATURES {
            self.read(linkage, last * share);
            for _ in 0..ROUNDS {
                let system = System { off: wanted, xx: floor, xy: 0.0, yy: floor };
                let (system, turned) = self.back(linkage, system);
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
        let blank =
            Joint { side: Side::Free, q: Vec2::ZERO, curvature: 0.0, a: 0.0, b: Vec2::ZERO, shrink: 1.0 };
        self.joints.resize(linkage.nodes.len(), blank);
        let mut far = linkage.tips[0];
        let nodes = linkage.nodes.iter().zip(&linkage.values).zip(&linkage.origins);
        for (joint, ((node, &value), &near)) in self.joints.iter_mut().zip(nodes).rev() {
            let link = far - near;
            far = near;
            joint.q = quarter(link);
            joint.curvature = -v.dot(link);
            // Who was at a limit is likely to stay there.
            joint.side = match node.motion {
                Motion::Still => Side::Least,
                _ if value <= node.least => Side::Least,
                _ if value >= node.most => Side::Most,
                _ => Side::Free,
            };
        }
    }

    /// From the tip to the base: what each bone's turn costs all beyond it, which gathers what `v` does to the end on the
    /// way. And how many of the pivots are negative.
    fn back(&mut self, linkage: &Linkage, mut system: System) -> (System, usize) {
        let mut negative = 0;
        let (mut p, mut a, mut b) = (0.0, 0.0, Vec2::ZERO);
        let nodes = linkage.nodes.iter().zip(&linkage.values).enumerate();
        for (joint, (i, (node, &value))) in self.joints.iter_mut().zip(nodes).rev() {
            p += joint.curvature;
            b += joint.q;
            let shrink = 1.0 / (1.0 + node.ease * p);
            (joint.shrink, joint.a, joint.b) = (shrink, a, b);
            let free = joint.side == Side::Free;
            if let Motion::Slide(_) = node.motion {
                let axis = linkage.axis(i).unwrap_or_default();
                if free {
                    system.add(axis, -value, node.ease);
                } else {
                    system.add(axis, joint.step_to(node, value), 0.0);
                }
            } else if free {
                negative += usize::from(shrink < 0.0);
                system.add(b, -shrink * (value + node.ease * a), shrink * node.ease);
                p *= shrink;
                a = a * shrink - p * value;
                b *= shrink;
            } else {
                let by = joint.step_to(node, value);
                system.add(b, by, 0.0);
                a += p * by;
            }
        }
        (system, negative)
    }

    /// From the base to the tip: the step, clamped. Whether a joint went to a limit or left one.
    fn forth(&mut self, linkage: &Linkage, v: Vec2, next: &mut [f64]) -> bool {
        let mut changed = false;
        let mut y = 0.0;
        let nodes = linkage.nodes.iter().zip(&linkage.values).zip(next).enumerate();
        for (joint, (i, ((node, &value), next))) in self.joints.iter_mut().zip(nodes) {
            let wish = match node.motion {
                Motion::Still => {
                    *next = value;
                    continue;
                }
                Motion::Slide(_) => linkage.axis(i).map_or(value, |axis| -node.ease * axis.dot(v)),
                Motion::Turn => {
                    let h = joint.a + joint.b.dot(v);
                    y * (joint.shrink - 1.0) + (value - joint.shrink * (value + node.ease * h))
                }
            };
            *next = within(wish, node.least, node.most);
            let side = if wish < node.least {
                Side::Least
            } else if wish > node.most {
                Side::Most
            } else {
                Side::Free
            };
            changed |= side != joint.side;
            joint.side = side;
            if node.motion == Motion::Turn {
                y += *next - value;
            }
        }
        changed
    }
}

impl System {
    /// What one joint does to the end: `g (by - gain g . v)`.
    #[inline(always)]
    fn add(&mut self, g: Vec2, by: f64, gain: f64) {
        self.off -= g * by;
        self.xx += gain * g.x * g.x;
        self.xy += gain * g.x * g.y;
        self.yy += gain * g.y * g.y;
    }

    /// The multiplier with which the ends' linearisation is met, and how many eigenvalues of the equations are negative: where
    /// these are as many as the pivots', the step is a descent along the level set (the inertia of a saddle point system;
    /// Gould 1985).
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

impl Joint {
    /// How far the value is from the limit that it is at.
    fn step_to(&self, node: &Node, value: f64) -> f64 {
        if self.side == Side::Most { node.most - value } else { node.least - value }
    }
}
