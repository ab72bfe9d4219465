//! Which joints of a recording are which parts of a body: found by name first, then by the tree of joints.

use bone_core::Side;

use crate::parts::{BodyPart, find_parts};

/// The joints of one body. Parts that a recording does not have are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// In the order of [`BodyPart::ALL`].
    starts: Vec<Option<usize>>,
    /// The end joints of head, hands and toes.
    head_top: Option<usize>,
    hand_tips: [Option<usize>; 2],
    toe_tips: [Option<usize>; 2],
}

fn slot(part: BodyPart) -> usize {
    BodyPart::ALL.iter().position(|p| *p == part).unwrap_or_default()
}

const fn at(side: Side) -> usize {
    match side {
        Side::Left => 0,
        Side::Right => 1,
    }
}

/// The tree of a recording, with the distance of each joint from its parent.
pub(crate) struct JointTree<'a> {
    pub(crate) names: Vec<&'a str>,
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) lengths: Vec<f64>,
}

impl JointTree<'_> {
    /// The child that is farthest away; `None` if no child is at a distance above 0.
    fn farthest_child(&self, joint: usize) -> Option<usize> {
        let children = (joint + 1..self.parents.len()).filter(|&child| self.parents[child] == Some(joint));
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
}

impl Body {
    /// Finds the parts of a body in a tree of joints.
    pub(crate) fn find(tree: &JointTree<'_>) -> Self {
        let mut starts = find_parts(tree.names.iter().copied());
        // A recording with legs has its pelvis at the root, whatever the root's name is.
        if starts[slot(BodyPart::Hips)].is_none() && starts[slot(BodyPart::Thigh(Side::Left))].is_some() {
            starts[slot(BodyPart::Hips)] = Some(0);
        }
        // A back of many joints bends at one of them: the one nearest to 40 % of its length.
        let (hips, neck) = (starts[slot(BodyPart::Hips)], starts[slot(BodyPart::Neck)]);
        (starts[slot(BodyPart::Spine)], starts[slot(BodyPart::Chest)]) = (None, None);
        if let (Some(hips), Some(neck)) = (hips, neck)
            && let Some(way) = tree.between(hips, neck)
        {
            let whole: f64 = way.iter().map(|&joint| tree.lengths[joint]).sum::<f64>() + tree.lengths[neck];
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
            starts,
        }
    }

    /// The joint where a part begins.
    pub fn start(&self, part: BodyPart) -> Option<usize> {
        self.starts[slot(part)]
    }

    /// The joint where a part ends.
    pub fn end(&self, part: BodyPart) -> Option<usize> {
        match part {
            BodyPart::Hips => self.start(BodyPart::Chest).or_else(|| self.start(BodyPart::Neck)),
            BodyPart::Spine => self.start(BodyPart::Chest),
            BodyPart::Chest => self.start(BodyPart::Neck),
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
    }

    /// Whether hips and both legs are known, which retargeting needs.
    pub fn is_whole(&self) -> bool {
        let legs = [Side::Left, Side::Right]
            .into_iter()
            .flat_map(|side| [BodyPart::Thigh(side), BodyPart::Shin(side), BodyPart::Foot(side)]);
        self.start(BodyPart::Hips).is_some() && legs.into_iter().all(|part| self.start(part).is_some())
    }
}
