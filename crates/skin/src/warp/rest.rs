//! The outlines at rest of a moment: where lattices and shapes bring them before the bones.

use kurbo::Point;

use crate::skin::{NodeDirection, PathId, Places, Skin};

/// The columns of a skin with what lattices bend; used only while a path is bent.
#[derive(Clone, Debug, Default)]
pub(crate) struct BentRest {
    pub(crate) points: Vec<Point>,
    pub(crate) samples: Vec<Point>,
    pub(crate) directions: Vec<NodeDirection>,
    /// The bent paths in their order, each with its lattice and its entries in the columns.
    pub(crate) paths: Vec<(PathId, u32, [Places; 2])>,
}

impl BentRest {
    /// The columns of a skin with so many paths bent.
    pub(crate) fn fill(&mut self, skin: &Skin, moved: impl Iterator<Item = (PathId, u32)>) {
        self.points.clone_from(&skin.points);
        self.samples.clone_from(&skin.samples);
        self.directions.clone_from(&skin.directions);
        self.paths.reserve(skin.paths.len());
        self.paths.extend(moved.filter_map(|(path, lattice)| {
            let end = skin.paths.get(path.index() + 1).map_or_else(|| skin.ends(), |next| next.first);
            Some((path, lattice, [skin.paths.get(path.index())?.first, end]))
        }));
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
        self.paths.binary_search_by_key(&path, |(path, ..)| *path).is_ok()
    }

    /// Whether a point is of a bent path.
    pub(crate) fn has_point(&self, point: usize) -> bool {
        let next = self.paths.partition_point(|(_, _, [_, end])| end.points <= point);
        self.paths.get(next).is_some_and(|(_, _, [first, _])| first.points <= point)
    }
}
