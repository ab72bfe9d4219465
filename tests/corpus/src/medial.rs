//! Bone lines for a silhouette: a trunk along its longest way and a limb along each branch, on the medial
//! axis. The ways are those of Sato et al., "TEASAR: tree-structure extraction algorithm for accurate and
//! robust skeletons" (2000): the shortest ones for a cost that is high near the border, to the farthest
//! places in turn.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bone_layer::kurbo::{Point, Vec2};

/// The longest side of the mask in pixels.
pub(crate) const SIDE: usize = 128;
/// Fewer pixels are no silhouette.
const LEAST_PIXELS: usize = 40;
/// A branch is a limb if it is so long, as a share of the trunk.
const LIMB: f64 = 0.25;
/// And so long as a multiple of the half width of what it leaves.
const OUTSIDE: f64 = 1.7;
const MOST_LIMBS: usize = 4;
const MOST_TRUNK_BONES: usize = 5;

/// The pixels of a silhouette.
#[derive(Clone, Debug)]
pub(crate) struct Mask {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) inside: Vec<bool>,
}

/// The joints of a chain of bones, in pixels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BoneChain {
    pub(crate) joints: Vec<Point>,
}

/// The trunk, then the limbs; none for a silhouette of a few pixels.
pub(crate) fn chains(mask: &Mask) -> Vec<BoneChain> {
    let Some(grid) = Grid::of(mask) else { return Vec::new() };
    let Some(middle) = grid.pixels().max_by_key(|at| (grid.depth[*at], Reverse(*at))) else {
        return Vec::new();
    };
    let (far, _) = grid.farthest(&[middle]);
    let trunk = grid.way(&[far], grid.farthest(&[far]).0);
    let trunk = grid.trimmed(trunk);
    let long = length(&grid.points(&trunk));
    let half = trunk.iter().map(|at| grid.half_width(*at)).sum::<f64>() / trunk.len() as f64;
    let bones = (long / (3.0 * half)).round().clamp(2.0, MOST_TRUNK_BONES as f64) as usize;
    let mut found = vec![BoneChain { joints: divided(&grid.points(&trunk), bones) }];
    let mut tree = trunk;
    while found.len() <= MOST_LIMBS {
        let (far, _) = grid.farthest(&tree);
        let way = grid.trimmed(grid.way(&tree, far));
        let points = grid.points(&way);
        let start = way.first().map_or(0.0, |at| grid.half_width(*at));
        if length(&points) < (LIMB * long).max(OUTSIDE * start) {
            break;
        }
        found.push(BoneChain { joints: divided(&points, 2) });
        tree.extend(way);
    }
    found
}

fn length(points: &[Point]) -> f64 {
    points.windows(2).map(|pair| (pair[1] - pair[0]).hypot()).sum()
}

/// The ends of so many parts of equal length.
fn divided(points: &[Point], parts: usize) -> Vec<Point> {
    let whole = length(points);
    let at = |wanted: f64| {
        let mut gone = 0.0;
        for pair in points.windows(2) {
            let step = (pair[1] - pair[0]).hypot();
            if gone + step >= wanted && step > 0.0 {
                return pair[0].lerp(pair[1], ((wanted - gone) / step).clamp(0.0, 1.0));
            }
            gone += step;
        }
        points.last().copied().unwrap_or_default()
    };
    (0..=parts).map(|part| at(whole * part as f64 / parts as f64)).collect()
}

/// The largest connected part of a mask, with a pixel around it.
struct Grid {
    width: usize,
    inside: Vec<bool>,
    /// Distance to the nearest pixel outside, in thirds of a pixel: chamfer distance.
    depth: Vec<u32>,
}

impl Grid {
    fn of(mask: &Mask) -> Option<Self> {
        let (width, height) = (mask.width + 2, mask.height + 2);
        let mut all = vec![false; width * height];
        for y in 0..mask.height {
            for x in 0..mask.width {
                all[(y + 1) * width + x + 1] = mask.inside[y * mask.width + x];
            }
        }
        let mut seen = vec![false; all.len()];
        let mut largest: Vec<usize> = Vec::new();
        for first in 0..all.len() {
            if !all[first] || seen[first] {
                continue;
            }
            let (mut part, mut next) = (vec![first], 0);
            seen[first] = true;
            while next < part.len() {
                let at = part[next];
                next += 1;
                for near in [at - 1, at + 1, at - width, at + width] {
                    if all[near] && !std::mem::replace(&mut seen[near], true) {
                        part.push(near);
                    }
                }
            }
            if part.len() > largest.len() {
                largest = part;
            }
        }
        if largest.len() < LEAST_PIXELS {
            return None;
        }
        let mut inside = vec![false; all.len()];
        for at in largest {
            inside[at] = true;
        }
        let depth = depths(&inside, width);
        Some(Self { width, inside, depth })
    }

    fn pixels(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.inside.len()).filter(|at| self.inside[*at])
    }

    fn half_width(&self, at: usize) -> f64 {
        f64::from(self.depth[at]) / 3.0
    }

    fn points(&self, pixels: &[usize]) -> Vec<Point> {
        let middle = Vec2::new(0.5, 0.5);
        let of = |at: &usize| Point::new((at % self.width) as f64 - 1.0, (at / self.width) as f64 - 1.0);
        pixels.iter().map(|at| of(at) + middle).collect()
    }

    /// The cost of the way to each pixel, and the pixel before it. Near the border a step costs `near` times
    /// as much as in the middle.
    fn ways(&self, from: &[usize], near: u32) -> Vec<(u32, usize)> {
        let most = self.depth.iter().copied().max().unwrap_or(1);
        let mut reached = vec![(u32::MAX, usize::MAX); self.inside.len()];
        let mut waiting = BinaryHeap::new();
        for at in from {
            reached[*at] = (0, usize::MAX);
            waiting.push(Reverse((0, *at)));
        }
        while let Some(Reverse((cost, at))) = waiting.pop() {
            if cost > reached[at].0 {
                continue;
            }
            let (x, w) = (at, self.width);
            for (to, step) in [
                (x - 1, 3),
                (x + 1, 3),
                (x - w, 3),
                (x + w, 3),
                (x - w - 1, 4),
                (x - w + 1, 4),
                (x + w - 1, 4),
                (x + w + 1, 4),
            ] {
                if !self.inside[to] {
                    continue;
                }
                // From 1 in the middle to `near` at the border, by the square of what is missing.
                let missing = most - self.depth[to].min(most);
                let factor = 16 + 16 * (near - 1) * missing / most * missing / most;
                let next = cost + step * factor;
                if next < reached[to].0 {
                    reached[to] = (next, at);
                    waiting.push(Reverse((next, to)));
                }
            }
        }
        reached
    }

    /// The pixel that is farthest from others within the silhouette, and how far.
    fn farthest(&self, from: &[usize]) -> (usize, u32) {
        let reached = self.ways(from, 1);
        let known = self.pixels().filter(|at| reached[*at].0 < u32::MAX);
        let far = known.max_by_key(|at| (reached[*at].0, Reverse(*at))).unwrap_or(from[0]);
        (far, reached[far].0)
    }

    /// The way in the middle of the silhouette, from the nearest of these pixels.
    fn way(&self, from: &[usize], to: usize) -> Vec<usize> {
        let reached = self.ways(from, 40);
        let (mut way, mut at) = (vec![to], to);
        while let Some((_, before)) = reached.get(at).filter(|(_, before)| *before != usize::MAX) {
            at = *before;
            way.push(at);
        }
        way.reverse();
        way
    }

    /// Without ends that run along the border.
    fn trimmed(&self, mut way: Vec<usize>) -> Vec<usize> {
        let shallow = |at: &usize| self.depth[*at] <= 4;
        while way.len() > 8 && way.last().is_some_and(shallow) {
            way.pop();
        }
        way
    }
}

/// Chamfer distances (Borgefors 1986): 3 to a side, 4 to a corner.
fn depths(inside: &[bool], width: usize) -> Vec<u32> {
    let mut depth: Vec<u32> = inside.iter().map(|inside| if *inside { u32::MAX / 2 } else { 0 }).collect();
    let pixels: Vec<usize> = (0..inside.len()).filter(|at| inside[*at]).collect();
    for at in pixels.iter().copied() {
        let before = [(at - 1, 3), (at - width, 3), (at - width - 1, 4), (at - width + 1, 4)];
        depth[at] = before.iter().map(|(near, step)| depth[*near] + step).fold(depth[at], u32::min);
    }
    for at in pixels.iter().rev().copied() {
        let after = [(at + 1, 3), (at + width, 3), (at + width + 1, 4), (at + width - 1, 4)];
        depth[at] = after.iter().map(|(near, step)| depth[*near] + step).fold(depth[at], u32::min);
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(rows: &[(usize, usize, usize, usize)]) -> Mask {
        let (width, height) = (100, 100);
        let inside = |at: usize| {
            let (x, y) = (at % width, at / width);
            rows.iter().any(|(l, t, r, b)| (*l..*r).contains(&x) && (*t..*b).contains(&y))
        };
        Mask { width, height, inside: (0..width * height).map(inside).collect() }
    }

    #[test]
    fn a_bar_has_one_chain_along_its_middle() {
        let found = chains(&mask(&[(5, 40, 95, 50)]));
        assert_eq!(found.len(), 1, "{found:?}");
        let joints = &found[0].joints;
        assert!((4..=6).contains(&joints.len()), "{joints:?}");
        assert!(joints[1..joints.len() - 1].iter().all(|at| (at.y - 45.0).abs() < 2.0), "{joints:?}");
    }

    #[test]
    fn a_cross_has_four_arms() {
        // A trunk from top to bottom, and an arm to each side.
        let found = chains(&mask(&[(45, 2, 55, 98), (10, 30, 90, 40)]));
        assert_eq!(found.len(), 3, "{found:?}");
        for (x, y) in [(50.0, 98.0), (10.0, 35.0), (90.0, 35.0), (50.0, 2.0)] {
            let mut ends =
                found.iter().flat_map(|chain| [chain.joints[0], chain.joints[chain.joints.len() - 1]]);
            assert!(ends.any(|end| end.distance((x, y).into()) < 6.0), "{found:?}");
        }
    }

    #[test]
    fn a_dot_has_none() {
        assert_eq!(chains(&mask(&[(50, 50, 54, 54)])), []);
    }
}
