//! All lattices of a skin with their forms, and their nodes at a moment.

use bone_archive::{Archive, ArchiveError, Reader, Writer, archive};
use kurbo::{Point, Vec2};

use super::forms::FormGrid;
use super::lattice::Lattice;
use crate::offset::{Offsets, PlayedOffsets};
use crate::{PathId, Skin};

/// What is moved at a place of a grid.
#[derive(Clone, Debug, Default)]
pub struct WarpForm {
    /// Lattices, with the moves of all their nodes.
    pub moves: Vec<(u32, Vec<Vec2>)>,
    /// Vertices, after the bones.
    pub offsets: Offsets,
}

/// Lattices, the paths on them, and the forms that move them.
#[derive(Clone, Debug, Default)]
pub struct Warps {
    lattices: Vec<Lattice>,
    /// The lattice of each path that is on one, by path.
    paths: Vec<(PathId, u32)>,
    grids: Vec<FormGrid>,
    forms: Vec<WarpForm>,
}

/// The nodes at a moment, in memory that is kept between frames.
#[derive(Clone, Debug, Default)]
pub struct WarpScratch {
    weights: Vec<f64>,
    /// The moves of the nodes of all lattices, one lattice behind the other.
    nodes: Vec<Vec2>,
    /// Where those of each lattice begin, and whether one of them moves.
    lattices: Vec<(usize, bool)>,
}

/// Lattices with their nodes at a moment.
#[derive(Clone, Copy, Debug)]
pub struct PosedWarps<'w, 's> {
    warps: &'w Warps,
    scratch: &'s WarpScratch,
}

impl Warps {
    /// None if a lattice, a path or a form is not there, the nodes of a form are not those of its lattice, or lattices
    /// are inside of each other around a circle. `paths` are in the order of their ids.
    pub fn new(
        lattices: Vec<Lattice>,
        paths: Vec<(PathId, u32)>,
        grids: Vec<FormGrid>,
        forms: Vec<WarpForm>,
    ) -> Option<Self> {
        let warps = Self { lattices, paths, grids, forms };
        warps.is_sound().then_some(warps)
    }

    fn is_sound(&self) -> bool {
        let count = self.lattices.len();
        let ends =
            |at: u32| self.chain(at).count() <= count && self.chain(at).all(|at| (at as usize) < count);
        let nodes_fit = |(lattice, nodes): &(u32, Vec<Vec2>)| {
            self.lattices.get(*lattice as usize).is_some_and(|lattice| lattice.node_count() == nodes.len())
        };
        (0..count as u32).chain(self.paths.iter().map(|(_, lattice)| *lattice)).all(ends)
            && self.paths.is_sorted_by(|a, b| a.0 < b.0)
            && self.grids.iter().all(|grid| grid.fits(self.forms.len(), usize::MAX))
            && self.forms.iter().flat_map(|form| &form.moves).all(nodes_fit)
    }

    /// A lattice and those that it is inside of, the innermost first; at most one more than there are.
    fn chain(&self, first: u32) -> impl Iterator<Item = u32> {
        let around = |at: &u32| self.lattices.get(*at as usize)?.inside();
        std::iter::successors(Some(first), around).take(self.lattices.len() + 1)
    }

    /// The lattices.
    pub fn lattices(&self) -> &[Lattice] {
        &self.lattices
    }

    /// Whether there is nothing to pose.
    pub fn is_empty(&self) -> bool {
        self.grids.is_empty()
    }

    /// Whether the skin has all paths and vertices, and there are so many parameters.
    pub fn fit(&self, skin: &Skin, parameters: usize) -> bool {
        self.paths.iter().all(|(path, _)| path.index() < skin.paths.len())
            && self.grids.iter().all(|grid| grid.fits(self.forms.len(), parameters))
            && self.forms.iter().all(|form| form.offsets.fit(skin))
    }

    /// The nodes for values of the parameters. Allocates nothing once `scratch` was used with these.
    pub fn pose<'s>(&self, value: impl Fn(usize) -> f64, scratch: &'s mut WarpScratch) -> PosedWarps<'_, 's> {
        scratch.weights.clear();
        scratch.weights.resize(self.forms.len(), 0.0);
        for grid in &self.grids {
            grid.add_weights(&value, &mut scratch.weights);
        }
        let mut count = 0;
        scratch.lattices.clear();
        scratch.lattices.extend(self.lattices.iter().map(|lattice| {
            count += lattice.node_count();
            (count - lattice.node_count(), false)
        }));
        scratch.nodes.clear();
        scratch.nodes.resize(count, Vec2::ZERO);
        for (form, weight) in self.forms.iter().zip(&scratch.weights).filter(|(_, weight)| **weight != 0.0) {
            for (lattice, moves) in &form.moves {
                let (first, moved) = &mut scratch.lattices[*lattice as usize];
                let nodes = scratch.nodes[*first..].iter_mut();
                nodes.zip(moves).for_each(|(node, by)| *node += *by * *weight);
                *moved |= moves.iter().any(|by| *by != Vec2::ZERO);
            }
        }
        PosedWarps { warps: self, scratch }
    }
}

impl<'w> PosedWarps<'w, '_> {
    /// The vertices that forms move, after the bones.
    pub fn offsets(self) -> impl Iterator<Item = PlayedOffsets<'w>> + Clone {
        let forms = self.warps.forms.iter().zip(&self.scratch.weights);
        let forms = forms.filter(|(form, weight)| **weight != 0.0 && !form.offsets.is_empty());
        forms.map(|(form, weight)| PlayedOffsets { weight: *weight, ..form.offsets.at(0.0) })
    }

    /// Whether there are paths on lattices.
    pub(crate) fn has_paths(self) -> bool {
        !self.warps.paths.is_empty()
    }

    /// The paths that are moved, with the innermost lattice of each.
    pub(crate) fn moved(self) -> impl Iterator<Item = (PathId, u32)> {
        let moves = move |lattice: u32| {
            let mut chain = self.warps.chain(lattice);
            chain.any(|at| self.scratch.lattices.get(at as usize).is_some_and(|(_, moved)| *moved))
        };
        self.warps.paths.iter().copied().filter(move |(_, lattice)| moves(*lattice))
    }

    /// Where a point on a lattice goes, with a direction there.
    pub fn bend(self, lattice: u32, at: Point, along: Vec2) -> (Point, Vec2) {
        self.warps.chain(lattice).fold((at, along), |(at, along), lattice| {
            let known =
                self.warps.lattices.get(lattice as usize).zip(self.scratch.lattices.get(lattice as usize));
            match known {
                Some((lattice, (first, true))) => lattice.bend(&self.scratch.nodes[*first..], at, along),
                _ => (at, along),
            }
        })
    }
}

archive!(struct WarpForm { moves, offsets });

impl Archive for Warps {
    fn write(&self, to: &mut Writer) {
        (&self.lattices, &self.paths).write(to);
        (&self.grids, &self.forms).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (lattices, paths) = Archive::read(from)?;
        let (grids, forms) = Archive::read(from)?;
        Self::new(lattices, paths, grids, forms).ok_or_else(|| from.invalid("lattices"))
    }
}
