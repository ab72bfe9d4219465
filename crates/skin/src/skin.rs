//! Bound paths in columns, written by binding and read in every frame.

use bone_archive::{Archive, ArchiveError, Kind, Reader, Writer, archive};
use std::ops::Range;
use std::sync::Arc;

use bone_core::BoneId;
use kurbo::{PathEl, Point, Vec2};

use crate::bline::VertexPoint;
use crate::fold_place::FoldPlace;
use crate::keyed::KeyedPath;
use crate::options::{FoldRule, WindingRule};
use crate::refit::SAMPLES;
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

impl Shares {
    /// The same in the columns of a skin in which the path begins at `first`.
    fn from(&self, first: &Places) -> Self {
        let from = |list: &[(u32, f64)], first: usize| {
            list.iter().map(|(place, share)| (place + first as u32, *share)).collect()
        };
        Self {
            points: from(&self.points, first.points),
            samples: from(&self.samples, first.samples),
            directions: from(&self.directions, first.directions),
            nodes: from(&self.nodes, first.directions),
        }
    }
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

/// The usual share of a handle.
const THIRD: f64 = 1.0 / 3.0;

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

    /// What an offset of a vertex point moves; none if the path has no such point.
    pub(crate) fn shares(&self, path: PathId, vertex: usize, part: VertexPoint) -> Option<Shares> {
        let (bound, vertex) = self.vertex(path, vertex)?;
        vertex.parts[part as usize]?;
        Some(vertex.shares[part as usize].from(&bound.first))
    }

    /// Whether a vertex has a point: a straight segment has no handles.
    pub fn has(&self, path: PathId, vertex: usize, part: VertexPoint) -> bool {
        self.vertex(path, vertex).is_some_and(|(_, vertex)| vertex.parts[part as usize].is_some())
    }
}

archive!(struct PathId of Path);
archive!(struct Shares { points, samples, directions, nodes });
archive!(struct BoundVertex { shares, parts });
archive!(struct Places { points, samples, directions });
archive!(struct BoundPath { first, points, elements, vertices, table_rows, folds, fill, apart, turned });
archive!(struct NodeDirection { at, tangent, row, slope });

/// Numbers that most pieces have in common are only bits.
impl Archive for Piece {
    fn write(&self, to: &mut Writer) {
        let Self { point, sample, directions, run, shares, reversed } = self;
        (point, sample, directions).write(to);
        let numbers = [(*run, 1.0), (shares[0], THIRD), (shares[1], THIRD)];
        let others = numbers.map(|(number, usual)| number.to_bits() != usual.to_bits());
        to.byte(
            (0..).zip(others).fold(u8::from(*reversed), |bits, (at, it)| bits | u8::from(it) << (at + 1)),
        );
        let others = numbers.iter().zip(others).filter(|(_, is_other)| *is_other);
        others.for_each(|((number, _), _)| number.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (point, sample, directions) = Archive::read(from)?;
        let bits = from.byte()?;
        from.check(bits < 16, "piece")?;
        let mut numbers = [1.0, THIRD, THIRD];
        for (at, number) in numbers.iter_mut().enumerate() {
            if bits >> (at + 1) & 1 == 1 {
                *number = f64::read(from)?;
            }
        }
        let [run, first, last] = numbers;
        Ok(Self { point, sample, directions, run, shares: [first, last], reversed: bits & 1 == 1 })
    }
}
archive!(struct DeformingSegment { pieces, point, bones });

/// All paths that are read after a skin are paths of it.
impl Archive for Skin {
    fn write(&self, to: &mut Writer) {
        let Self { paths, points, rows, samples, sample_rows, directions, fold_places, pieces, .. } = self;
        paths.write(to);
        (points, rows).write(to);
        (samples, sample_rows).write(to);
        (directions, pieces).write(to);
        fold_places.write(to);
        (&self.deforming_segments, &self.segment_bones, &self.table).write(to);
        self.keyed.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let paths: Vec<BoundPath> = from.list()?;
        from.set_count(Kind::Path, paths.len());
        let (points, rows) = Archive::read(from)?;
        let (samples, sample_rows) = Archive::read(from)?;
        let (directions, pieces) = Archive::read(from)?;
        let fold_places = Archive::read(from)?;
        let (deforming_segments, segment_bones, table) = Archive::read(from)?;
        let keyed = Archive::read(from)?;
        let skin = Self {
            paths,
            points,
            rows,
            samples,
            sample_rows,
            directions,
            fold_places,
            pieces,
            deforming_segments,
            segment_bones,
            table,
            keyed,
        };
        from.check(skin.is_sound(), "skin")?;
        Ok(skin)
    }
}

impl Skin {
    /// Whether all indices are in range and all columns agree.
    fn is_sound(&self) -> bool {
        let (rows, slopes) = self.table.counts();
        let row_fits = |row: &u32| (*row as usize) < rows;
        let slope_fits = |slope: &u32| (*slope as usize) < slopes;
        let vertex_fits = |path: &BoundPath, vertex: &BoundVertex| {
            vertex.shares.iter().all(|shares| shares.fit(self, &path.first))
                && vertex.parts.iter().flatten().all(|(_, row)| (*row as usize) < path.table_rows.len())
        };
        let path_fits = |path: &BoundPath| {
            let points = path.elements.iter().map(|element| match element {
                PathEl::MoveTo(_) | PathEl::LineTo(_) => 1,
                PathEl::QuadTo(..) => 2,
                PathEl::CurveTo(..) => 3,
                PathEl::ClosePath => 0,
            });
            // As `kurbo` has it: a path begins with a move.
            matches!(path.elements.first(), None | Some(PathEl::MoveTo(_)))
                && path.points.end <= self.points.len()
                && points.sum::<usize>() == path.points.len()
                && path.table_rows.iter().all(row_fits)
                && path.vertices.iter().all(|vertex| vertex_fits(path, vertex))
        };
        let piece_fits = |piece: &Piece| {
            piece.point as usize + 4 <= self.points.len()
                && piece.sample as usize + SAMPLES.len() <= self.samples.len()
                && piece.directions.iter().all(|at| (*at as usize) < self.directions.len())
        };
        let segment_fits = |segment: &DeformingSegment| {
            let last = segment.pieces.len().checked_mul(3).and_then(|count| segment.point.checked_add(count));
            !segment.pieces.is_empty()
                && segment.pieces.end <= self.pieces.len()
                && last.is_some_and(|last| last < self.points.len())
                && segment.bones.end <= self.segment_bones.len()
        };
        let direction_fits =
            |direction: &NodeDirection| row_fits(&direction.row) && direction.slope.iter().all(slope_fits);
        self.rows.len() == self.points.len()
            && self.fold_places.len() == self.directions.len()
            && self.sample_rows.len() == self.samples.len()
            && self.rows.iter().chain(&self.sample_rows).all(row_fits)
            && self.directions.iter().all(direction_fits)
            && self.paths.iter().all(path_fits)
            && self.pieces.iter().all(piece_fits)
            && self.deforming_segments.iter().all(segment_fits)
            && self.keyed.is_sorted_by_key(|keyed| keyed.0)
            && self.keyed.iter().all(|(_, path)| path.is_sound(rows, slopes))
    }
}

impl Shares {
    /// Whether all indices, numbered from `first`, are in range.
    pub(crate) fn fit(&self, skin: &Skin, first: &Places) -> bool {
        let within = |list: &[(u32, f64)], first: usize, count: usize| {
            let left = count.checked_sub(first);
            left.is_some_and(|left| list.iter().all(|(at, _)| (*at as usize) < left))
        };
        within(&self.points, first.points, skin.points.len())
            && within(&self.samples, first.samples, skin.samples.len())
            && within(&self.directions, first.directions, skin.directions.len())
            && within(&self.nodes, first.directions, skin.directions.len())
    }
}
