//! Bound paths in columns, written by binding and read in every frame.

use bone_archive::{Archive, ArchiveError, Kind, Reader, Writer, archive};
use std::ops::Range;
use std::sync::Arc;

use bone_core::{BoneId, Skeleton};
use kurbo::{PathEl, Point, Vec2};

use crate::bline::VertexPoint;
use crate::fold_place::FoldPlace;
use crate::keyed::KeyedPath;
use crate::options::{FoldRule, WindingRule};
use crate::plan::PathPlan;
use crate::table::WeightTable;

/// A bound path, numbered in the order of binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(u32);

impl PathId {
    /// The id of a path with this index.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// Its index among the bound paths.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its id in a skin with so many paths before those of its own.
    pub(crate) const fn after(self, paths: u32) -> Self {
        Self(self.0 + paths)
    }
}

/// The points that an offset of a vertex point moves, with their shares of it. Those of a bound vertex are
/// numbered from the first of its path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares {
    pub(crate) points: Vec<(u32, f64)>,
    pub(crate) samples: Vec<(u32, f64)>,
    pub(crate) directions: Vec<(u32, f64)>,
    /// The points at which directions are taken.
    pub(crate) nodes: Vec<(u32, f64)>,
}

/// A vertex of a bound path.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundVertex {
    /// Indexed by [`VertexPoint`].
    pub(crate) shares: [Shares; 3],
    /// The setup position of each point that the vertex has, and its entry among the rows of the path.
    pub(crate) parts: [Option<(Point, u32)>; 3],
}

/// The first of a path's entries in each column of a skin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) points: usize,
    pub(crate) samples: usize,
    pub(crate) directions: usize,
}

impl Places {
    /// The same behind other entries.
    pub(crate) const fn after(&self, others: &Self) -> Self {
        Self {
            points: self.points + others.points,
            samples: self.samples + others.samples,
            directions: self.directions + others.directions,
        }
    }
}

/// A bound path: its points, and the path elements for them. Skins that have it in common share what does not
/// depend on the paths before it.
#[derive(Clone, Debug)]
pub(crate) struct BoundPath {
    pub(crate) first: Places,
    pub(crate) points: Range<usize>,
    /// The path at rest; a frame overwrites its points.
    pub(crate) elements: Arc<[PathEl]>,
    pub(crate) vertices: Arc<[BoundVertex]>,
    /// The table entry of each row that its vertices name.
    pub(crate) table_rows: Vec<u32>,
    pub(crate) folds: FoldRule,
    /// The rule of its fill, which closes its outlines.
    pub(crate) fill: Option<WindingRule>,
    /// Places of its outlines that are nearer than this at rest meet in the drawing.
    pub(crate) apart: f64,
    /// Whether the paint beside each subpath has the winding -1, if the picture has subpaths turned so that all of its
    /// paint has one winding; otherwise empty.
    pub(crate) turned: Arc<[bool]>,
    /// What all this follows from.
    pub(crate) plan: Arc<PathPlan>,
}

/// A direction of the deformed outline at a node between pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeDirection {
    pub(crate) at: Point,
    pub(crate) tangent: Vec2,
    pub(crate) row: u32,
    /// A weight gradient, if the weights change.
    pub(crate) slope: Option<u32>,
}

/// A piece of a deforming segment, for which each frame fits a cubic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Index of its first point in the order of the path.
    pub(crate) point: u32,
    /// Index of its first sample.
    pub(crate) sample: u32,
    /// Indices of the directions at both ends, in the segment's canonical direction.
    pub(crate) directions: [u32; 2],
    /// The length of the piece as a share of the segment: derivatives are per segment.
    pub(crate) run: f64,
    pub(crate) shares: [f64; 2],
    /// Whether the canonical direction is opposite to the path.
    pub(crate) reversed: bool,
}

/// A deforming segment and its pieces.
#[derive(Clone, Debug)]
pub(crate) struct DeformingSegment {
    pub(crate) pieces: Range<usize>,
    /// Index of its first point in the order of the path; three more follow for each piece.
    pub(crate) point: usize,
    /// Its bones, in `Skin::segment_bones`.
    pub(crate) bones: Range<usize>,
}

/// Bound paths and their weights, ready to be deformed.
///
/// Setup positions are on the canvas. Quadratic segments are stored as the equal cubics.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    pub(crate) paths: Vec<BoundPath>,
    /// Setup positions in the order of the elements, and the table entry of each. The handles of pieces are
    /// fitted.
    pub(crate) points: Vec<Point>,
    pub(crate) rows: Vec<u32>,
    /// Points of the outline between the ends of pieces.
    pub(crate) samples: Vec<Point>,
    pub(crate) sample_rows: Vec<u32>,
    pub(crate) directions: Vec<NodeDirection>,
    /// One for each direction.
    pub(crate) fold_places: Vec<FoldPlace>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) deforming_segments: Vec<DeformingSegment>,
    pub(crate) segment_bones: Vec<BoneId>,
    pub(crate) table: WeightTable,
    /// The paths whose weights are keyed.
    pub(crate) keyed: Vec<(PathId, KeyedPath)>,
}

impl Skin {
    /// A skin without paths.
    pub fn new() -> Self {
        Self::default()
    }

    /// The end of each column.
    pub(crate) fn ends(&self) -> Places {
        Places { points: self.points.len(), samples: self.samples.len(), directions: self.directions.len() }
    }

    /// The id of the path that is bound next.
    pub(crate) fn next_path(&self) -> PathId {
        PathId(self.paths.len() as u32)
    }

    /// The bound paths.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = PathId> + use<> {
        (0..self.paths.len() as u32).map(PathId)
    }

    /// The number of vertices of a path; 0 if the skin does not have it.
    pub fn vertex_count(&self, path: PathId) -> usize {
        self.paths.get(path.index()).map_or(0, |path| path.vertices.len())
    }

    /// A path whose weights are keyed, and its place among them.
    pub(crate) fn keyed_path(&self, path: PathId) -> Option<(usize, &KeyedPath)> {
        let at = self.keyed.binary_search_by_key(&path, |keyed| keyed.0).ok()?;
        Some((at, &self.keyed[at].1))
    }

    /// The number of points that a frame transforms.
    pub fn point_count(&self) -> usize {
        self.points.len()
    }

    /// The number of pieces that a frame fits.
    pub fn piece_count(&self) -> usize {
        self.pieces.len()
    }

    /// The number of influences over all points of the outlines.
    pub fn influence_count(&self) -> usize {
        self.rows.iter().map(|&row| self.table.row(row).len()).sum()
    }

    /// A bound path and one of its vertices.
    pub(crate) fn vertex(&self, path: PathId, vertex: usize) -> Option<(&BoundPath, &BoundVertex)> {
        let bound = self.paths.get(path.index())?;
        Some((bound, bound.vertices.get(vertex)?))
    }

    /// The setup position and the table entry of a vertex point; none if the path has no such point.
    pub(crate) fn vertex_point(
        &self,
        path: PathId,
        vertex: usize,
        part: VertexPoint,
    ) -> Option<(Point, u32)> {
        let (bound, vertex) = self.vertex(path, vertex)?;
        let (at, row) = vertex.parts[part as usize]?;
        Some((at, bound.table_rows[row as usize]))
    }

    /// What an offset of a vertex point moves, and the first entries of its path; none if the path has no such point.
    pub(crate) fn shares(
        &self,
        (path, vertex, part): (PathId, usize, VertexPoint),
    ) -> Option<(&Places, &Shares)> {
        let (bound, vertex) = self.vertex(path, vertex)?;
        vertex.parts[part as usize].map(|_| (&bound.first, &vertex.shares[part as usize]))
    }

    /// Whether a vertex has a point: a straight segment has no handles.
    pub fn has(&self, path: PathId, vertex: usize, part: VertexPoint) -> bool {
        self.vertex(path, vertex).is_some_and(|(_, vertex)| vertex.parts[part as usize].is_some())
    }
}

archive!(struct PathId of Path);

/// The plans of its paths are packed: all columns follow from them.
impl Skin {
    /// Writes the skin.
    pub fn write(&self, to: &mut Writer) {
        to.number(self.paths.len() as u64);
        self.paths.iter().for_each(|path| PathPlan::write(&path.plan, to));
    }

    /// Reads a skin of the bones of a skeleton. All paths that are read after it are paths of it.
    ///
    /// # Errors
    /// If the bytes are no skin.
    pub fn read(skeleton: &Skeleton, from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let mut skin = Self::new();
        for _ in 0..from.count()? {
            let path = Self::of_plan(Arc::new(PathPlan::read(from)?), Some(skeleton));
            from.check(path.is_finite() && skin.append(&path).is_ok(), "bound path")?;
        }
        from.set_count(Kind::Path, skin.paths.len());
        Ok(skin)
    }

    /// Whether all places are numbers.
    fn is_finite(&self) -> bool {
        let directions = self.directions.iter();
        self.points.iter().chain(&self.samples).all(|at| at.is_finite())
            && directions.clone().all(|direction| direction.at.is_finite() && direction.tangent.is_finite())
    }
}
