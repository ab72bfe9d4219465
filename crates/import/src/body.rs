//! Which joints of a recording are which parts of a body: found by name first, then by the tree of joints.

pub(crate) mod animal;
mod shape;

use bone_core::Side;

use crate::parts::{BodyPart, find_parts, stem};
use crate::space::Vec3;

/// The joints of one body. Parts that a recording does not have are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// In the order of [`BodyPart::ALL`].
    starts: Vec<Option<usize>>,
    /// The end joints of head, hands and toes.
    head_top: Option<usize>,
    hand_tips: [Option<usize>; 2],
    toe_tips: [Option<usize>; 2],
    /// Where the back ends: the neck, else the head, else where the arms begin.
    back_top: Option<usize>,
    guessed: Vec<BodyPart>,
}

fn slot(part: BodyPart) -> usize {
    part.index()
}

fn at(side: Side) -> usize {
    usize::from(side == Side::Right)
}

/// The tree of a recording, with the distance of each joint from its parent.
pub(crate) struct JointTree<'a> {
    pub(crate) names: Vec<&'a str>,
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) lengths: Vec<f64>,
    /// The positions of one pose in space; empty if they are not known.
    pub(crate) pose: Vec<Vec3>,
}

impl JointTree<'_> {
    /// The children of a joint.
    pub(crate) fn children(&self, joint: usize) -> impl Iterator<Item = usize> {
        (joint + 1..self.parents.len()).filter(move |&child| self.parents[child] == Some(joint))
    }

    /// The child that is farthest away; `None` if no child is at a distance above 0.
    fn farthest_child(&self, joint: usize) -> Option<usize> {
        let children = self.children(joint);
        children.filter(|&child| self.lengths[child] > 0.0).fold(None, |best, child| match best {
            Some(best) if self.lengths[best] >= self.lengths[child] => Some(best),
            _ => Some(child),
        })
    }

    /// The joints between `above` and `below`, without these two; `None` if `above` is not an ancestor of
    /// `below`.
    fn between(&self, above: usize, below: usize) -> Option<Vec<usize>> {
        let mut way = Vec::new();
        let mut joint = self.parents[below]?;
        while joint != above {
            way.push(joint);
            joint = self.parents[joint]?;
        }
        way.reverse();
        Some(way)
    }

    /// Whether a joint is above another one or equal to it.
    pub(crate) fn is_above(&self, above: usize, below: usize) -> bool {
        above == below || self.between(above, below).is_some()
    }

    /// The lowest joint that is above both joints.
    pub(crate) fn shared(&self, a: usize, b: usize) -> Option<usize> {
        let mut joint = Some(a);
        while let Some(at) = joint {
            if self.is_above(at, b) {
                return Some(at);
            }
            joint = self.parents[at];
        }
        None
    }
}

impl Body {
    /// Finds the parts of a body in a tree of joints: by names, and what these do not tell by the shape of
    /// the tree.
    pub(crate) fn find(tree: &JointTree<'_>) -> Self {
        let mut starts = find_parts(tree.names.iter().copied(), &tree.parents);
        without_strays(tree, &mut starts);
        let guessed = shape::complete(tree, &mut starts);
        let part = |starts: &[Option<usize>], part: BodyPart| starts[slot(part)];
        let both = |starts: &[Option<usize>], of: fn(Side) -> BodyPart| {
            let (left, right) = (part(starts, of(Side::Left))?, part(starts, of(Side::Right))?);
            tree.shared(left, right)
        };
        let chest_top = both(&starts, BodyPart::UpperArm).filter(|&top| tree.parents[top].is_some());
        let top = part(&starts, BodyPart::Neck).or_else(|| part(&starts, BodyPart::Head)).or(chest_top);
        // The hips carry legs and back, whatever joint has their name.
        if let Some(legs) = both(&starts, BodyPart::Thigh) {
            let carries = top.map_or(Some(legs), |top| tree.shared(legs, top));
            let is_near = |hips: usize| {
                let named = !["root", "center", "cog"].contains(&stem(tree.names[hips]).as_str());
                named && carries.is_some_and(|carries| tree.is_above(hips, carries))
            };
            if !part(&starts, BodyPart::Hips).is_some_and(is_near) {
                starts[slot(BodyPart::Hips)] = carries.or(Some(0));
            }
        }
        // A back of many joints bends at one of them: the one nearest to 40 % of its length.
        let hips = starts[slot(BodyPart::Hips)];
        (starts[slot(BodyPart::Spine)], starts[slot(BodyPart::Chest)]) = (None, None);
        if let (Some(hips), Some(top)) = (hips, top)
            && let Some(way) = tree.between(hips, top)
        {
            let whole: f64 = way.iter().map(|&joint| tree.lengths[joint]).sum::<f64>() + tree.lengths[top];
            let mut gone = 0.0;
            let mut best: Option<(f64, usize)> = None;
            for joint in way {
                gone += tree.lengths[joint];
                let off = (gone - 0.4 * whole).abs();
                if gone > 0.15 * whole && gone < 0.8 * whole && best.is_none_or(|(least, _)| off < least) {
                    best = Some((off, joint));
                }
            }
            starts[slot(BodyPart::Chest)] = best.map(|(_, joint)| joint);
        }
        for side in [Side::Left, Side::Right] {
            if starts[slot(BodyPart::Toe(side))].is_none() {
                starts[slot(BodyPart::Toe(side))] =
                    starts[slot(BodyPart::Foot(side))].and_then(|foot| tree.farthest_child(foot));
            }
        }
        let end = |part: BodyPart, starts: &[Option<usize>]| {
            starts[slot(part)].and_then(|joint| tree.farthest_child(joint))
        };
        Self {
            head_top: end(BodyPart::Head, &starts),
            hand_tips: [Side::Left, Side::Right].map(|side| end(BodyPart::Hand(side), &starts)),
            toe_tips: [Side::Left, Side::Right].map(|side| end(BodyPart::Toe(side), &starts)),
            back_top: top,
            guessed,
            starts,
        }
    }

    /// No parts: the figure is no person.
    pub(crate) fn none() -> Self {
        Self {
            starts: vec![None; BodyPart::ALL.len()],
            head_top: None,
            hand_tips: [None; 2],
            toe_tips: [None; 2],
            back_top: None,
            guessed: Vec::new(),
        }
    }

    /// The parts that were found by the shape of the tree, not by a name.
    pub fn guessed(&self) -> &[BodyPart] {
        &self.guessed
    }

    /// The joint where a part begins.
    pub fn start(&self, part: BodyPart) -> Option<usize> {
        self.starts[slot(part)]
    }

    /// The joints where a part begins on the left and on the right side.
    pub(crate) fn pair(&self, part: fn(Side) -> BodyPart) -> Option<(usize, usize)> {
        self.start(part(Side::Left)).zip(self.start(part(Side::Right)))
    }

    /// The joint where a part ends.
    pub fn end(&self, part: BodyPart) -> Option<usize> {
        match part {
            BodyPart::Hips => self.start(BodyPart::Chest).or(self.back_top),
            BodyPart::Spine => self.start(BodyPart::Chest),
            BodyPart::Chest => self.back_top,
            BodyPart::Neck => self.start(BodyPart::Head),
            BodyPart::Head => self.head_top,
            BodyPart::UpperArm(side) => self.start(BodyPart::ForeArm(side)),
            BodyPart::ForeArm(side) => self.start(BodyPart::Hand(side)),
            BodyPart::Hand(side) => self.hand_tips[at(side)],
            BodyPart::Thigh(side) => self.start(BodyPart::Shin(side)),
            BodyPart::Shin(side) => self.start(BodyPart::Foot(side)),
            BodyPart::Foot(side) => self.start(BodyPart::Toe(side)),
            BodyPart::Toe(side) => self.toe_tips[at(side)],
        }
    }

    /// Sets the joint where a part begins.
    pub fn set(&mut self, part: BodyPart, joint: usize) {
        self.starts[slot(part)] = Some(joint);
        self.guessed.retain(|other| *other != part);
        if part == BodyPart::Neck || (part == BodyPart::Head && self.start(BodyPart::Neck).is_none()) {
            self.back_top = Some(joint);
        }
    }

    /// Whether all its joints are among the first `count`.
    pub(crate) fn is_within(&self, count: usize) -> bool {
        let ends = [self.head_top, self.back_top].into_iter().chain(self.hand_tips).chain(self.toe_tips);
        self.starts.iter().copied().chain(ends).flatten().all(|joint| joint < count)
    }

    /// Whether hips and both legs are known, which retargeting needs.
    pub fn is_whole(&self) -> bool {
        let legs = [Side::Left, Side::Right]
            .into_iter()
            .flat_map(|side| [BodyPart::Thigh(side), BodyPart::Shin(side), BodyPart::Foot(side)]);
        self.start(BodyPart::Hips).is_some() && legs.into_iter().all(|part| self.start(part).is_some())
    }
}

/// Removes limbs that are not chains: a name may belong to a control that is no child of its limb.
fn without_strays(tree: &JointTree<'_>, starts: &mut [Option<usize>]) {
    for side in [Side::Left, Side::Right] {
        for chain in [
            [BodyPart::UpperArm(side), BodyPart::ForeArm(side), BodyPart::Hand(side)],
            [BodyPart::Thigh(side), BodyPart::Shin(side), BodyPart::Foot(side)],
        ] {
            for pair in chain.windows(2) {
                if let (Some(above), Some(below)) = (starts[slot(pair[0])], starts[slot(pair[1])])
                    && !tree.is_above(above, below)
                {
                    starts[slot(pair[1])] = None;
                }
            }
        }
        let (foot, toe) = (starts[slot(BodyPart::Foot(side))], starts[slot(BodyPart::Toe(side))]);
        if let (Some(foot), Some(toe)) = (foot, toe)
            && !tree.is_above(foot, toe)
        {
            starts[slot(BodyPart::Toe(side))] = None;
        }
    }
}
