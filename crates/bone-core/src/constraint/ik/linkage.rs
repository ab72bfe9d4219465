//! The joints that a solver may rotate or slide, in columns. The linkage places joints and ends for given
//! joint values and computes the derivatives of the ends.
//!
//! A joint's value is its change from the animated pose: radians for a rotation, units of the parent's frame
//! for a slide. All positions are in the frame of the tree's root. That frame never moves, so a scale above
//! the chain has no effect.

use kurbo::Vec2;

use crate::Angle;
use crate::angle::SinCosBlock;

/// No parent: the node is in the frame of the tree.
pub(super) const ROOT: usize = usize::MAX;

/// A 2x2 matrix by columns: `[a b c d]` maps (x, y) to (a x + c y, b x + d y).
pub(super) type Linear = [f64; 4];

pub(super) const IDENTITY: Linear = [1.0, 0.0, 0.0, 1.0];

#[inline(always)]
pub(super) fn map(m: &Linear, v: Vec2) -> Vec2 {
    Vec2::new(m[0] * v.x + m[2] * v.y, m[1] * v.x + m[3] * v.y)
}

#[inline(always)]
pub(super) fn product(m: &Linear, n: &Linear) -> Linear {
    let (x, y) = (map(m, Vec2::new(n[0], n[1])), map(m, Vec2::new(n[2], n[3])));
    [x.x, x.y, y.x, y.y]
}

/// A quarter turn, clockwise on screen: the derivative of a turning vector.
#[inline(always)]
pub(super) fn quarter(v: Vec2) -> Vec2 {
    Vec2::new(-v.y, v.x)
}

/// The effect of a joint's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Motion {
    /// It is added to the angle.
    Turn,
    /// It shifts the origin along this vector of the parent's frame.
    Slide(Vec2),
    /// None: the node only passes on the motion of the nodes above it.
    Still,
}

/// What a node's axes start from; [`crate::Inherit::NoRotation`] is not supported inside a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Axes {
    /// The parent's matrix.
    All,
    /// The sum of the rotations above.
    Turns,
    /// The identity: they keep their directions.
    Own,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Index of a node before this one, or [`ROOT`].
    pub(super) parent: usize,
    pub(super) motion: Motion,
    /// The animated angle, degrees.
    pub(super) degrees: f64,
    /// The joint's position in the parent's frame, stretch and rebase applied.
    pub(super) offset: Vec2,
    pub(super) scale: Vec2,
    pub(super) least: f64,
    pub(super) most: f64,
    /// Compliance: the inverse of the joint's weight in the sum of squares.
    pub(super) compliance: f64,
    pub(super) axes: Axes,
    /// A constant between the parent's axes and this node's (for a bone with a changed parent), and its
    /// rotation. For a root it is the parent frame; the root's offset is its position on the canvas, and a
    /// slide's axis a vector of the canvas.
    pub(super) rebase: Linear,
    pub(super) rebase_turn: Angle,
}

impl Node {
    /// Rotates without limits, at the origin of the tree's frame.
    pub(super) const REST: Self = Self {
        parent: ROOT,
        motion: Motion::Turn,
        degrees: 0.0,
        offset: Vec2::ZERO,
        scale: Vec2::new(1.0, 1.0),
        least: f64::NEG_INFINITY,
        most: f64::INFINITY,
        compliance: 1.0,
        axes: Axes::All,
        rebase: IDENTITY,
        rebase_turn: Angle::ZERO,
    };

    /// The point of an end on this node, scaled, in the parent's frame but for the node's own rotation.
    fn scaled(&self, local: Vec2) -> Vec2 {
        Vec2::new(local.x * self.scale.x, local.y * self.scale.y)
    }

    #[inline(always)]
    fn offset_by(&self, value: f64) -> Vec2 {
        match self.motion {
            Motion::Slide(axis) => self.offset + axis * value,
            Motion::Turn | Motion::Still => self.offset,
        }
    }
}

/// An end effector.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) node: usize,
    /// In the node's frame.
    pub(super) local: Vec2,
    /// In the frame of the tree.
    pub(super) target: Vec2,
}

/// Joints in columns, parents first, with their ends and the scratch memory to place them.
#[derive(Clone, Debug, Default)]
pub(super) struct Linkage {
    pub(super) nodes: Vec<Node>,
    pub(super) ends: Vec<End>,
    /// The value of each joint.
    pub(super) values: Vec<f64>,
    pub(super) tips: Vec<Vec2>,
    /// Derivative of end e by joint i at `e * nodes + i`; 0 for joints that are not above the end.
    pub(super) columns: Vec<Vec2>,
    pub(super) origins: Vec<Vec2>,
    sin: Vec<f64>,
    cos: Vec<f64>,
    /// Similar links: the rotation and scale of each frame as a complex number.
    spin: Vec<Vec2>,
    /// Other links: each frame's axes, and the axes before the node's own rotation.
    axes: Vec<Linear>,
    starts: Vec<Linear>,
    turns: Vec<Angle>,
    /// Whether every frame is a rotated and evenly scaled copy of the one above.
    pub(super) similar: bool,
}

/// Sines and cosines are computed for this many joints at a time: chains are short.
const BLOCK: usize = 4;

#[inline(always)]
fn spun(z: Vec2, v: Vec2) -> Vec2 {
    Vec2::new(z.x * v.x - z.y * v.y, z.y * v.x + z.x * v.y)
}

impl End {
    /// The end in its node's frame as if the node were scaled evenly, as similar links need it.
    pub(super) fn local_in(&self, linkage: &Linkage) -> Vec2 {
        let node = &linkage.nodes[self.node];
        node.scaled(self.local) / node.scale.x
    }
}

impl Linkage {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.ends.clear();
    }

    /// Reserves memory for this many joints and ends.
    pub(super) fn reserve(&mut self, joints: usize, ends: usize) {
        let padded = joints.next_multiple_of(BLOCK);
        self.nodes.reserve(joints);
        self.ends.reserve(ends);
        self.values.reserve(joints);
        self.tips.reserve(ends);
        self.columns.reserve(joints * ends);
        self.origins.reserve(joints);
        self.sin.reserve(padded);
        self.cos.reserve(padded);
        self.spin.reserve(joints);
        self.axes.reserve(joints);
        self.starts.reserve(joints);
        self.turns.reserve(joints);
    }

    /// Chooses the frame of the computation. Called once all nodes and ends are added, with targets and roots
    /// on the canvas.
    pub(super) fn prepare(&mut self) {
        let n = self.nodes.len();
        self.similar = true;
        for i in 0..n {
            let node = &self.nodes[i];
            let plain = if node.parent == ROOT {
                inverse(&node.rebase).is_some()
            } else {
                node.axes == Axes::All && node.rebase == IDENTITY
            };
            let even = node.scale.x == node.scale.y && node.scale.x > 0.0;
            let carries = self.nodes[i + 1..].iter().any(|child| child.parent == i);
            self.similar &= plain && (even || (!carries && node.scale.x != 0.0));
        }
        if self.similar {
            self.enter_root_frames();
        }
        self.values.clear();
        self.values.resize(n, 0.0);
    }

    /// Allocates the memory to place and differentiate. The closed form for two bones does not need it.
    pub(super) fn make_room(&mut self) {
        let (n, m) = (self.nodes.len(), self.ends.len());
        self.tips.resize(m, Vec2::ZERO);
        self.columns.clear();
        self.columns.resize(n * m, Vec2::ZERO);
        self.origins.resize(n, Vec2::ZERO);
        let padded = n.next_multiple_of(BLOCK);
        self.sin.resize(padded, 0.0);
        self.cos.resize(padded, 1.0);
        self.spin.resize(n, Vec2::ZERO);
        self.axes.resize(n, IDENTITY);
        self.starts.resize(n, IDENTITY);
        self.turns.resize(n, Angle::ZERO);
    }

    /// Similar links are placed in their root's frame, where they are similar whatever that frame is on the
    /// canvas.
    fn enter_root_frames(&mut self) {
        for end in &mut self.ends {
            let mut at = end.node;
            while self.nodes[at].parent != ROOT {
                at = self.nodes[at].parent;
            }
            let root = &self.nodes[at];
            if let Some(back) = inverse(&root.rebase) {
                end.target = map(&back, end.target - root.offset);
            }
        }
        for node in self.nodes.iter_mut().filter(|node| node.parent == ROOT) {
            if let Motion::Slide(axis) = node.motion
                && let Some(back) = inverse(&node.rebase)
            {
                node.motion = Motion::Slide(map(&back, axis));
            }
            (node.offset, node.rebase) = (Vec2::ZERO, IDENTITY);
        }
    }

    /// The root joint of an end's chain, in the frame of the targets.
    pub(super) fn base(&self, e: usize) -> Vec2 {
        let mut at = self.ends[e].node;
        while self.nodes[at].parent != ROOT {
            at = self.nodes[at].parent;
        }
        self.nodes[at].offset
    }

    /// Places joints and ends for the current values.
    pub(super) fn place(&mut self) {
        self.turn_all();
        if self.similar {
            self.place_similar();
        } else {
            self.place_any();
        }
    }

    fn turn_all(&mut self) {
        let mut trig = SinCosBlock::<BLOCK>::new();
        for (k, block) in self.nodes.chunks(BLOCK).enumerate() {
            let start = k * BLOCK;
            trig.fill(block.iter().zip(&self.values[start..]).map(|(node, &value)| {
                let turned = matches!(node.motion, Motion::Turn);
                let by = if turned { Angle::from_radians(value).degrees() } else { 0.0 };
                Angle::from_degrees(node.degrees + by)
            }));
            self.sin[start..start + BLOCK].copy_from_slice(&trig.sin);
            self.cos[start..start + BLOCK].copy_from_slice(&trig.cos);
        }
    }

    fn place_similar(&mut self) {
        // Most parents are the node just before, whose result is still in registers.
        let mut last = (Vec2::ZERO, Vec2::ZERO);
        let turns = self.sin.iter().zip(&self.cos).zip(&self.values);
        for (i, (node, ((&sin, &cos), &value))) in self.nodes.iter().zip(turns).enumerate() {
            let (above, at) = if node.parent == ROOT {
                (Vec2::new(1.0, 0.0), Vec2::ZERO)
            } else if node.parent + 1 == i {
                last
            } else {
                (self.spin[node.parent], self.origins[node.parent])
            };
            let scale = node.scale.x;
            last =
                (spun(above, Vec2::new(cos * scale, sin * scale)), at + spun(above, node.offset_by(value)));
            (self.spin[i], self.origins[i]) = last;
        }
        for (tip, end) in self.tips.iter_mut().zip(&self.ends) {
            let scale = self.nodes[end.node].scale;
            // The last node may be scaled unevenly: that affects only its own point.
            let local = Vec2::new(
                end.local.x,
                if scale.x == scale.y { end.local.y } else { end.local.y * scale.y / scale.x },
            );
            *tip = self.origins[end.node] + spun(self.spin[end.node], local);
        }
    }

    fn place_any(&mut self) {
        for (i, node) in self.nodes.iter().enumerate() {
            let (above, at, turn) = if node.parent == ROOT {
                (IDENTITY, Vec2::ZERO, Angle::ZERO)
            } else {
                (self.axes[node.parent], self.origins[node.parent], self.turns[node.parent])
            };
            self.origins[i] = at + map(&above, node.offset_by(self.values[i]));
            let turn = if node.axes == Axes::Own { Angle::ZERO } else { turn + node.rebase_turn };
            self.starts[i] = match node.axes {
                Axes::All => product(&above, &node.rebase),
                Axes::Turns => turned(turn.sin_cos()),
                Axes::Own => IDENTITY,
            };
            self.axes[i] = product(&self.starts[i], &self.own(i));
            let by = if node.motion == Motion::Turn { self.values[i] } else { 0.0 };
            self.turns[i] = turn + Angle::from_degrees(node.degrees) + Angle::from_radians(by);
        }
        for (tip, end) in self.tips.iter_mut().zip(&self.ends) {
            *tip = self.origins[end.node] + map(&self.axes[end.node], end.local);
        }
    }

    /// `R(a) S(s)` of a node.
    fn own(&self, i: usize) -> Linear {
        let (sin, cos, scale) = (self.sin[i], self.cos[i], self.nodes[i].scale);
        [cos * scale.x, sin * scale.x, -sin * scale.y, cos * scale.y]
    }

    /// The derivatives of the ends as placed by [`Self::place`].
    pub(super) fn differentiate(&mut self) {
        let n = self.nodes.len();
        for e in 0..self.ends.len() {
            let row = e * n;
            if self.similar {
                let tip = self.tips[e];
                let mut at = self.ends[e].node;
                while at != ROOT {
                    let node = &self.nodes[at];
                    self.columns[row + at] = match node.motion {
                        Motion::Turn => quarter(tip - self.origins[at]),
                        Motion::Slide(axis) if node.parent == ROOT => axis,
                        Motion::Slide(axis) => spun(self.spin[node.parent], axis),
                        Motion::Still => Vec2::ZERO,
                    };
                    at = node.parent;
                }
            } else {
                self.differentiate_any(e, row);
            }
        }
    }

    /// From the end upwards: the end in each frame on the way, and separately the part that follows only the
    /// sum of the rotations.
    fn differentiate_any(&mut self, e: usize, row: usize) {
        let mut at = self.ends[e].node;
        let mut local = self.ends[e].local;
        let mut by_turns = Vec2::ZERO;
        while at != ROOT {
            let node = self.nodes[at];
            let turned = map(&self.own(at), local);
            self.columns[row + at] = match node.motion {
                Motion::Turn => map(&self.starts[at], quarter(turned)) + by_turns,
                Motion::Slide(axis) if node.parent == ROOT => axis,
                Motion::Slide(axis) => map(&self.axes[node.parent], axis),
                Motion::Still => Vec2::ZERO,
            };
            let offset = node.offset_by(self.values[at]);
            local = match node.axes {
                Axes::All => offset + map(&node.rebase, turned),
                Axes::Turns => {
                    by_turns += quarter(map(&self.starts[at], turned));
                    offset
                }
                Axes::Own => {
                    by_turns = Vec2::ZERO;
                    offset
                }
            };
            at = node.parent;
        }
    }

    /// Scales every bone along itself, and the offsets of its children with it.
    pub(super) fn stretch(&mut self, factor: f64) {
        for node in self.nodes.iter_mut().filter(|node| node.parent != ROOT) {
            node.offset.x *= factor;
        }
        for end in &mut self.ends {
            end.local.x *= factor;
        }
    }

    /// The current direction of a node's slide, if it slides.
    pub(super) fn axis(&self, i: usize) -> Option<Vec2> {
        let node = &self.nodes[i];
        match node.motion {
            Motion::Slide(axis) if node.parent == ROOT => Some(axis),
            Motion::Slide(axis) => Some(spun(self.spin[node.parent], axis)),
            Motion::Turn | Motion::Still => None,
        }
    }

    /// Whether this is one end at the end of one chain of similar links.
    pub(super) fn is_chain(&self) -> bool {
        let [end] = self.ends[..] else { return false };
        self.similar
            && end.node + 1 == self.nodes.len()
            && self.nodes.iter().enumerate().all(|(i, node)| node.parent == if i == 0 { ROOT } else { i - 1 })
    }

    /// Whether `above` is `below` or an ancestor of it.
    pub(super) fn carries(&self, above: usize, mut below: usize) -> bool {
        while below != ROOT && below > above {
            below = self.nodes[below].parent;
        }
        below == above
    }

    /// The greatest and the least distance of an end from the root, without limits; `None` where links change
    /// their lengths.
    pub(super) fn reach(&self, e: usize) -> Option<(f64, f64)> {
        if !self.similar {
            return None;
        }
        let end = &self.ends[e];
        let mut at = end.node;
        let scale = self.nodes[at].scale;
        let mut sum = Vec2::new(end.local.x * scale.x, end.local.y * scale.y).hypot();
        let mut longest = sum;
        // Lengths are summed in the frame above the current node, and scaled when the loop leaves it.
        loop {
            let node = &self.nodes[at];
            if matches!(node.motion, Motion::Slide(_)) {
                return None;
            }
            if node.parent == ROOT {
                return Some((sum, (2.0 * longest - sum).max(0.0)));
            }
            let length = node.offset.hypot();
            let above = self.nodes[node.parent].scale.x;
            sum = (sum + length) * above;
            longest = longest.max(length) * above;
            at = node.parent;
        }
    }
}

/// The inverse, if the matrix is not nearly singular.
pub(super) fn inverse(m: &Linear) -> Option<Linear> {
    let determinant = m[0] * m[3] - m[1] * m[2];
    let size = m[0] * m[0] + m[1] * m[1] + m[2] * m[2] + m[3] * m[3];
    (determinant.abs() > 1e-12 * size)
        .then(|| [m[3] / determinant, -m[1] / determinant, -m[2] / determinant, m[0] / determinant])
}

fn turned((sin, cos): (f64, f64)) -> Linear {
    [cos, sin, -sin, cos]
}
