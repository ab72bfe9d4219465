//! The outlines at rest of a moment: where lattices and shapes bring them before the bones.

use std::ops::Range;

use kurbo::{Point, Vec2};

use super::warps::PosedWarps;
use crate::setup::PlayedSetups;
use crate::skin::{NodeDirection, PathId, Places, Skin};

/// The columns of a skin with what lattices bend; used only while a path is bent.
#[derive(Clone, Debug, Default)]
pub(crate) struct BentRest {
    pub(crate) points: Vec<Point>,
    pub(crate) samples: Vec<Point>,
    pub(crate) directions: Vec<NodeDirection>,
    /// The bent paths in their order, with the points of each.
    paths: Vec<(PathId, Range<usize>)>,
}

impl BentRest {
    /// Bends the paths of which a lattice moves, from the positions that setups give them.
    pub(crate) fn fill<'s>(
        &mut self,
        skin: &Skin,
        warps: Option<PosedWarps<'_, '_>>,
        setups: impl Iterator<Item = PlayedSetups<'s>>,
    ) {
        self.paths.clear();
        // Memory for all frames, before a lattice moves.
        if warps.is_some_and(PosedWarps::has_paths) && self.points.len() != skin.points.len() {
            self.paths.reserve(skin.paths.len());
            self.copy(skin);
        }
        let moved = warps.into_iter().flat_map(PosedWarps::moved);
        let known = moved.filter_map(|(path, _)| Some((path, skin.paths.get(path.index())?.points.clone())));
        self.paths.extend(known);
        let Some(warps) = warps.filter(|_| !self.paths.is_empty()) else { return };
        self.copy(skin);
        for played in setups {
            played.shift_rest(self);
        }
        for (path, lattice) in warps.moved() {
            let Some(Places { points, samples, directions }) =
                skin.paths.get(path.index()).map(|own| own.first)
            else {
                continue;
            };
            let end = skin.paths.get(path.index() + 1).map_or_else(|| skin.ends(), |next| next.first);
            let bend = |at: Point, along: Vec2| warps.bend(lattice, at, along);
            self.points[points..end.points].iter_mut().for_each(|at| *at = bend(*at, Vec2::ZERO).0);
            self.samples[samples..end.samples].iter_mut().for_each(|at| *at = bend(*at, Vec2::ZERO).0);
            for node in &mut self.directions[directions..end.directions] {
                (node.at, node.tangent) = bend(node.at, node.tangent);
            }
        }
    }

    /// Points, samples and directions of a moment.
    pub(crate) fn columns<'c>(&'c self, skin: &'c Skin) -> (&'c [Point], &'c [Point], &'c [NodeDirection]) {
        match self.paths.is_empty() {
            true => (&skin.points, &skin.samples, &skin.directions),
            false => (&self.points, &self.samples, &self.directions),
        }
    }

    /// Whether a path is bent.
    pub(crate) fn has(&self, path: PathId) -> bool {
        self.paths.binary_search_by_key(&path, |(path, _)| *path).is_ok()
    }

    /// Whether a point is of a bent path.
    pub(crate) fn has_point(&self, point: usize) -> bool {
        let next = self.paths.partition_point(|(_, points)| points.end <= point);
        self.paths.get(next).is_some_and(|(_, points)| points.contains(&point))
    }

    fn copy(&mut self, skin: &Skin) {
        self.points.clone_from(&skin.points);
        self.samples.clone_from(&skin.samples);
        self.directions.clone_from(&skin.directions);
    }
}
