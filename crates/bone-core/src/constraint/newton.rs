//! One step for one end on one chain with its curvature: Newton's method in O(n), where plain least squares crawls (a
//! chain nearly straight turns on a sphere as small as its slack).
//!
//! With y_k the change of bone k's angle on the canvas, the end's linearisation is `sum y_k q_k`, q_k the link turned by a
//! quarter, and the second derivative of `v . p` is diagonal: `-v . link_k`. The change of a joint is `y_k - y_(k-1)`.
//! So the step is a linear-quadratic control problem, solved from tip to base and back (Riccati's recursion); limits
//! clamp the way back until nobody changes sides. With the curvature left out it is `W J^T (J W J^T)^-1 (e + J d)`.

use kurbo::Vec2;

use super::least::within;
use super::linkage::{Linkage, Motion, quarter};

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
    /// Cost of what lies beyond, in this bone's y: `1/2 p y^2 + (a + b . v) y`.
    p: f64,
    a: f64,
    b: Vec2,
    /// How the step answers: `y = y0 + y1 v`.
    fixed: f64,
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
    /// last step's.
    pub(super) fn aim(&mut self, linkage: &Linkage, goal: Vec2, v: &mut Vec2, size: f64, next: &mut [f64]) {
        let floor = DAMPING * size * size;
        let wanted = goal - linkage.tips[0];
        let last = *v;
        for share in CURVATURES {
            self.read(linkage, last * share);
            let mut settled = false;
            let mut downhill = true;
            for _ in 0..ROUNDS {
                let turned = self.back(linkage);
                let (multiplier, against) = self.multiplier(linkage, wanted, floor);
                downhill = turned == against;
                if !downhill {
                    break;
                }
                *v = multiplier;
                settled = !self.forth(linkage, multiplier, next);
                if settled {
                    break;
                }
            }
            if downhill && settled {
                return;
            }
        }
    }

    fn read(&mut self, linkage: &Linkage, v: Vec2) {
        let n = linkage.nodes.len();
        let blank = Joint {
            side: Side::Free,
            q: Vec2::ZERO,
            curvature: 0.0,
            p: 0.0,
            a: 0.0,
            b: Vec2::ZERO,
            fixed: 0.0,
        };
        self.joints.resize(n, blank);
        for (i, joint) in self.joints.iter_mut().enumerate() {
            let far = if i + 1 < n { linkage.origins[i + 1] } else { linkage.tips[0] };
            let link = far - linkage.origins[i];
            let (node, value) = (&linkage.nodes[i], linkage.values[i]);
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

    /// From the tip to the base: what each bone's turn costs all beyond it. How many of the pivots are negative.
    fn back(&mut self, linkage: &Linkage) -> usize {
        let mut negative = 0;
        let (mut p, mut a, mut b) = (0.0, 0.0, Vec2::ZERO);
        for (i, joint) in self.joints.iter_mut().enumerate().rev() {
            let (node, value) = (&linkage.nodes[i], linkage.values[i]);
            p += joint.curvature;
            b += joint.q;
            (joint.p, joint.a, joint.b) = (p, a, b);
            if let Motion::Slide(_) = node.motion {
                continue;
            }
            match joint.side {
                Side::Free => {
                    let shrink = 1.0 / (1.0 + node.ease * p);
                    negative += usize::from(shrink < 0.0);
                    p *= shrink;
                    a = a * shrink - p * value;
                    b *= shrink;
                }
                Side::Least | Side::Most => {
                    let by = joint.step_to(node.least, node.most, value);
                    joint.fixed = by;
                    a += p * by;
                }
            }
        }
        negative
    }

    /// The multiplier with which the ends' linearisation is met: two equations, from the way back for v = 0 and for each of
    /// its parts. And how many eigenvalues of the equations are negative: where these are as many as the pivots', the step is a
    /// descent along the level set (the inertia of a saddle point system; Gould 1985).
    fn multiplier(&self, linkage: &Linkage, wanted: Vec2, floor: f64) -> (Vec2, usize) {
        let mut y0 = 0.0;
        let mut y1 = Vec2::ZERO;
        let mut off = wanted;
        let (mut xx, mut xy, mut yy) = (floor, 0.0, floor);
        for (i, joint) in self.joints.iter().enumerate() {
            let (node, value) = (&linkage.nodes[i], linkage.values[i]);
            if let Some(axis) = linkage.axis(i) {
                match joint.side {
                    Side::Free => {
                        off += axis * value;
                        xx += node.ease * axis.x * axis.x;
                        xy += node.ease * axis.x * axis.y;
                        yy += node.ease * axis.y * axis.y;
                    }
                    _ => off -= axis * joint.step_to(node.least, node.most, value),
                }
            } else if joint.side == Side::Free {
                let shrink = 1.0 / (1.0 + node.ease * joint.p);
                y0 = (y0 - value - node.ease * joint.a) * shrink;
                y1 = (y1 - joint.b * node.ease) * shrink;
            } else {
                y0 += joint.fixed;
            }
            off -= joint.q * y0;
            xx -= joint.q.x * y1.x;
            xy -= joint.q.x * y1.y;
            yy -= joint.q.y * y1.y;
        }
        let determinant = xx * yy - xy * xy;
        // The system is `-B v = off`.
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

    /// From the base to the tip: the step, clamped. Whether a joint went to a limit or left one.
    fn forth(&mut self, linkage: &Linkage, v: Vec2, next: &mut [f64]) -> bool {
        let mut changed = false;
        let mut y = 0.0;
        for (i, joint) in self.joints.iter_mut().enumerate() {
            let (node, value) = (&linkage.nodes[i], linkage.values[i]);
            let wish = match node.motion {
                Motion::Still => value,
                Motion::Slide(_) => linkage.axis(i).map_or(value, |axis| -node.ease * axis.dot(v)),
                Motion::Turn => {
                    let h = joint.a + joint.b.dot(v);
                    (y - value - node.ease * h) / (1.0 + node.ease * joint.p) - y + value
                }
            };
            next[i] = within(wish, node.least, node.most);
            if node.motion == Motion::Still {
                next[i] = value;
                continue;
            }
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
                y += next[i] - value;
            }
        }
        changed
    }
}

impl Joint {
    /// How far the value is from the limit that it is at.
    fn step_to(&self, least: f64, most: f64, value: f64) -> f64 {
        if self.side == Side::Most { most - value } else { least - value }
    }
}
