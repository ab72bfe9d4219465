//! Parts of a body by the shape of the tree: two pairs of equal limbs, the legs at the hips and the arms at
//! the chest, and a head between the arms. Used for parts whose names are not known.

use bone_core::Side;

use super::{JointTree, slot};
use crate::parts::BodyPart;
use crate::space::{Vec3, add, cross, direction, dot, sub};

/// Two children of a joint that are alike.
struct LimbPair {
    at: usize,
    limbs: [usize; 2],
    reach: f64,
}

/// Fills in parts that have no joint; returns these parts.
pub(super) fn complete(tree: &JointTree<'_>, starts: &mut [Option<usize>]) -> Vec<BodyPart> {
    let before = starts.to_vec();
    let reach = reaches(tree);
    let lacks = |parts: &[BodyPart]| parts.iter().any(|part| before[slot(*part)].is_none());
    let arm = |side| [BodyPart::UpperArm(side), BodyPart::ForeArm(side), BodyPart::Hand(side)];
    let leg = |side| [BodyPart::Thigh(side), BodyPart::Shin(side), BodyPart::Foot(side)];
    let sides = [Side::Left, Side::Right];
    let no_legs = sides.iter().any(|&side| lacks(&leg(side)));
    let no_arms = sides.iter().any(|&side| lacks(&arm(side)));
    if no_legs || no_arms {
        let (legs, arms) = limb_pairs(tree, &reach);
        let flip = |pair: &LimbPair, known: Option<(usize, usize)>| match known {
            // The side of the known limbs.
            Some((left, right)) => {
                let across = tree.across(left, right);
                across.zip(tree.beside(pair, &reach)).is_some_and(|(across, here)| dot(across, here) < 0.0)
            }
            None => false,
        };
        let known =
            |part: fn(Side) -> BodyPart| before[slot(part(Side::Left))].zip(before[slot(part(Side::Right))]);
        let known_limbs = known(BodyPart::Thigh).or_else(|| known(BodyPart::UpperArm));
        let left_first = match (&legs, &arms) {
            (Some(legs), Some(arms)) if known_limbs.is_none() => tree.left_first(legs, arms, &reach),
            _ => true,
        };
        let mut fill = |pair: &LimbPair, parts: &dyn Fn(Side) -> [BodyPart; 3], like: bool| {
            let turned = match known_limbs {
                Some(_) => flip(pair, known_limbs),
                None => !left_first && like,
            };
            for (at, side) in sides.into_iter().enumerate() {
                let limb = pair.limbs[if turned { 1 - at } else { at }];
                let joints = tree.limb(limb, &reach);
                if lacks(&parts(side)) {
                    for (part, joint) in parts(side).into_iter().zip(joints) {
                        starts[slot(part)] = Some(joint);
                    }
                }
            }
        };
        // Both pairs are turned alike: their first limbs are on one side.
        let same_way = match (&legs, &arms) {
            (Some(legs), Some(arms)) => {
                tree.beside(legs, &reach).zip(tree.beside(arms, &reach)).is_none_or(|(a, b)| dot(a, b) >= 0.0)
            }
            _ => true,
        };
        if let Some(legs) = legs.as_ref().filter(|_| no_legs) {
            fill(legs, &leg, true);
        }
        if let Some(arms) = &arms
            && no_arms
        {
            let mut arms = LimbPair { at: arms.at, limbs: arms.limbs, reach: arms.reach };
            if !same_way && known_limbs.is_none() {
                arms.limbs.swap(0, 1);
            }
            fill(&arms, &arm, true);
        }
    }
    let upper = |side| starts[slot(BodyPart::UpperArm(side))];
    let chest = upper(Side::Left).zip(upper(Side::Right)).and_then(|(left, right)| tree.shared(left, right));
    if let Some(chest) = chest
        && lacks(&[BodyPart::Head])
    {
        let hips = starts[slot(BodyPart::Thigh(Side::Left))];
        head(tree, starts, chest, hips, &reach);
    }
    let is_new =
        |part: &BodyPart| starts[slot(*part)].is_some() && starts[slot(*part)] != before[slot(*part)];
    BodyPart::ALL.into_iter().filter(is_new).collect()
}

/// The longest way from each joint to a joint below it.
fn reaches(tree: &JointTree<'_>) -> Vec<f64> {
    let mut reach = vec![0.0_f64; tree.parents.len()];
    for joint in (0..tree.parents.len()).rev() {
        if let Some(parent) = tree.parents[joint] {
            reach[parent] = reach[parent].max(reach[joint] + tree.lengths[joint]);
        }
    }
    reach
}

/// The pairs of legs and of arms.
fn limb_pairs(tree: &JointTree<'_>, reach: &[f64]) -> (Option<LimbPair>, Option<LimbPair>) {
    let longest = reach.iter().copied().fold(0.0, f64::max);
    let mut pairs: Vec<LimbPair> = Vec::new();
    for at in 0..tree.parents.len() {
        let children: Vec<usize> = tree.children(at).collect();
        for (number, &a) in children.iter().enumerate() {
            for &b in &children[number + 1..] {
                let far = reach[a] + tree.lengths[a];
                // Pairs shorter than this share of the longest chain of joints are fingers, eyes or wings.
                if far >= 0.2 * longest && tree.alike(a, b, reach) {
                    pairs.push(LimbPair { at, limbs: [a, b], reach: far });
                }
            }
        }
    }
    pairs.sort_by(|a, b| b.reach.total_cmp(&a.reach).then(a.limbs.cmp(&b.limbs)));
    let mut kept: Vec<LimbPair> = Vec::new();
    for pair in pairs {
        let shares = |other: &LimbPair| {
            pair.limbs.iter().any(|limb| {
                other.limbs.iter().any(|there| tree.is_above(*there, *limb) || tree.is_above(*limb, *there))
            })
        };
        if kept.len() < 2 && !kept.iter().any(shares) {
            kept.push(pair);
        }
    }
    let second = kept.pop();
    let Some(first) = kept.pop() else { return (second, None) };
    let Some(second) = second else { return (Some(first), None) };
    // Legs begin at the hips, nearer to the root than the arms; at one joint they are the longer pair.
    let (legs, arms) = if tree.is_above(first.at, second.at) { (first, second) } else { (second, first) };
    (Some(legs), Some(arms))
}

/// Finds neck and head above the chest.
fn head(tree: &JointTree<'_>, starts: &mut [Option<usize>], chest: usize, leg: Option<usize>, reach: &[f64]) {
    let arms = [Side::Left, Side::Right].map(|side| starts[slot(BodyPart::UpperArm(side))]);
    let taken = |child: usize| arms.iter().chain([&leg]).flatten().any(|&limb| tree.is_above(child, limb));
    let from = starts[slot(BodyPart::Neck)].unwrap_or(chest);
    let free = |child: &usize| from != chest || !taken(*child);
    let Some(first) = tree.farthest(tree.children(from).filter(free), reach) else { return };
    let mut chain = tree.chain(first, reach);
    while chain.len() > 1 && chain.last().is_some_and(|&last| tree.lengths[last] <= 0.0) {
        chain.pop();
    }
    // From the head to its top is farther than from one joint of the neck to the next.
    let is_long = |last: usize| {
        let necks = chain[1..chain.len() - 1].iter().map(|&joint| tree.lengths[joint]);
        let mean = necks.sum::<f64>() / (chain.len().max(3) - 2) as f64;
        tree.lengths[last] > 1.3 * mean
    };
    let is_end = |joint: usize| {
        let name = tree.names[joint].to_ascii_lowercase();
        ["end", "top", "nub", "tip"].iter().any(|word| name.ends_with(word))
    };
    let known_neck = starts[slot(BodyPart::Neck)].is_some();
    let (neck, head) = match chain[..] {
        [only] => (None, only),
        [one, last] if is_end(last) => (None, one),
        [one, last] if !known_neck => (Some(one), last),
        [.., head, last] if is_end(last) || is_long(last) => {
            let first = (chain[0] != head).then_some(chain[0]);
            (first, head)
        }
        [first, .., last] => (Some(first), last),
        [] => return,
    };
    if !known_neck {
        starts[slot(BodyPart::Neck)] = neck;
    }
    starts[slot(BodyPart::Head)] = Some(head);
}

impl JointTree<'_> {
    /// The first of these joints with the longest way below it, its own bone included.
    fn farthest(&self, joints: impl Iterator<Item = usize>, reach: &[f64]) -> Option<usize> {
        let whole = |joint: usize| reach[joint] + self.lengths[joint];
        joints.reduce(|best, joint| if whole(best) >= whole(joint) { best } else { joint })
    }

    /// The joints from one on, always to the child with the longest way below it.
    fn chain(&self, first: usize, reach: &[f64]) -> Vec<usize> {
        let mut chain = vec![first];
        let mut joint = first;
        loop {
            let Some(next) = self.farthest(self.children(joint), reach) else { return chain };
            chain.push(next);
            joint = next;
        }
    }

    /// The joints from one on, always to the child with the longest way below it.
    pub(super) fn longest_chain(&self, first: usize) -> Vec<usize> {
        self.chain(first, &reaches(self))
    }

    /// Whether two limbs are mirror images by the lengths of their bones.
    fn alike(&self, a: usize, b: usize, reach: &[f64]) -> bool {
        let (one, other) = (self.chain(a, reach), self.chain(b, reach));
        // The largest difference between the lengths of a limb and its mirror image, as a share.
        let near = |a: f64, b: f64| (a - b).abs() <= 0.15 * a.max(b);
        one.len() == other.len()
            && near(reach[a], reach[b])
            && one.iter().zip(&other).all(|(&a, &b)| near(self.lengths[a], self.lengths[b]))
    }

    /// The three joints of a limb: the ends of its two longest neighbouring bones.
    fn limb(&self, first: usize, reach: &[f64]) -> Vec<usize> {
        let chain = self.chain(first, reach);
        let both = |at: usize| self.lengths[chain[at + 1]] + self.lengths[chain[at + 2]];
        let count = chain.len().saturating_sub(2);
        let best = (0..count).fold(None, |best: Option<usize>, at| match best {
            Some(best) if both(best) >= both(at) => Some(best),
            _ => Some(at),
        });
        best.map_or_else(Vec::new, |at| chain[at..at + 3].to_vec())
    }

    /// The vector from one joint to another in the known pose.
    fn across(&self, to: usize, from: usize) -> Option<Vec3> {
        Some(sub(*self.pose.get(to)?, *self.pose.get(from)?))
    }

    /// The vector from the second limb of a pair to the first one; their first joints often coincide.
    fn beside(&self, pair: &LimbPair, reach: &[f64]) -> Option<Vec3> {
        let [one, other] = pair.limbs.map(|limb| self.limb(limb, reach).get(1).copied());
        self.across(one?, other?)
    }

    /// Whether the first limb of the legs is the left one: left of the direction of the feet.
    fn left_first(&self, legs: &LimbPair, arms: &LimbPair, reach: &[f64]) -> bool {
        if self.pose.is_empty() {
            return true;
        }
        let Some(up) = direction(sub(self.pose[arms.at], self.pose[legs.at])) else { return true };
        let mut forward = [0.0; 3];
        for limb in legs.limbs {
            let chain = self.chain(limb, reach);
            let joints = self.limb(limb, reach);
            if let (Some(&ankle), Some(&tip)) = (joints.last(), chain.last()) {
                forward = add(forward, sub(self.pose[tip], self.pose[ankle]));
            }
        }
        let left = cross(up, forward);
        self.beside(legs, reach).is_none_or(|across| dot(left, across) >= 0.0)
    }
}
