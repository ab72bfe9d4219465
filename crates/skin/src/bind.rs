//! Binding: outlines and weights become columns of points and rows, once, so that a frame is a few plain loops.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use bone_core::{BoneId, Skeleton};
use kurbo::{PathEl, Point, Vec2};

use crate::along::WeightField;
use crate::blend::Blend;
use crate::bline::{BLine, Part};
use crate::keyed::KeyedPath;
use crate::keying::check_keyed;
use crate::pack::Packer;
use crate::row_tracks::RowTracks;
use crate::rows::RowTable;
use crate::weights::VertexWeights;

/// A path that follows bones, in the order in which it was bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(u32);

impl PathId {
    /// Its place among the bound paths.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where the weights of a path come from.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Weights<'a> {
    /// Nothing follows anything: only free offsets move the path.
    Still,
    /// Everything follows one bone.
    Rigid(BoneId),
    /// One entry a vertex, through all outlines of the path in order. Along a segment they are blended by the cubic
    /// whose control values are the rows of its anchors and tangents.
    Explicit(&'a [VertexWeights]),
    /// The same with rows that clips key: whatever follows bones gets its weights anew in each frame that plays some, and segments are
    /// cut so that they hold at the keys of all. Not for modes that turn about centres, which are found once.
    Keyed {
        /// One entry a vertex, as at rest.
        rest: &'a [VertexWeights],
        /// What clips key of this path.
        tracks: &'a [RowTracks],
    },
    /// A function of the plane.
    Field(&'a dyn WeightField),
}

/// How a path follows its bones.
#[derive(Clone, Copy, Default)]
pub struct BindOptions<'a> {
    /// How bones that share a point agree.
    pub blend: Blend,
    /// What is deformed.
    pub follow: Follow<'a>,
}

/// What is deformed.
#[derive(Clone, Copy, Default)]
pub enum Follow<'a> {
    /// Anchors and handles, each by itself: cheap, and wrong between them where weights change.
    #[default]
    ControlPoints,
    /// The outline itself, within a tolerance for bends of up to 150 degrees.
    Curves {
        /// Whose joints may bend.
        skeleton: &'a Skeleton,
        /// In canvas units.
        tolerance: f64,
    },
}

/// Weights that do not fit the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindError {
    /// Not one entry a vertex.
    VertexCount {
        /// Vertices of the path.
        vertices: usize,
        /// Entries that were given.
        weights: usize,
    },
    /// A field without bones.
    NoBones,
    /// Rows are keyed for a vertex that there is not.
    NoVertex {
        /// Its number.
        vertex: usize,
        /// Vertices of the path.
        vertices: usize,
    },
    /// Keyed weights with [`Blend::RotationCenters`].
    KeyedCentres,
    /// Keyed weights of more vertices and bones than there is memory for.
    TooManyKeyed,
    /// More points than 32 bits count.
    TooMany,
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::VertexCount { vertices, weights } => {
                write!(f, "the path has {vertices} vertices, but weights for {weights}")
            }
            Self::NoBones => write!(f, "the weights name no bone"),
            Self::NoVertex { vertex, vertices } => {
                write!(f, "there are weights over time for vertex {vertex}, and the path has {vertices}")
            }
            Self::KeyedCentres => {
                write!(f, "weights that change do not go with RotationCenters, whose centres are found once")
            }
            Self::TooManyKeyed => {
                write!(f, "weights that change are kept for each vertex and bone, and here are too many")
            }
            Self::TooMany => write!(f, "the drawing has more points than can be counted"),
        }
    }
}

impl Error for BindError {}

/// What an offset of a part of a vertex moves, and by which share of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares {
    pub(crate) points: Vec<(u32, f64)>,
    pub(crate) samples: Vec<(u32, f64)>,
    pub(crate) directions: Vec<(u32, f64)>,
    /// The places at which directions are taken.
    pub(crate) nodes: Vec<(u32, f64)>,
}

/// A vertex of a bound path.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundVertex {
    /// Indexed by [`Part`].
    pub(crate) shares: [Shares; 3],
    /// The setup position and the row of each part that the vertex has.
    pub(crate) parts: [Option<(Point, u32)>; 3],
}

/// A bound path: its points, and the path elements that they fill.
#[derive(Clone, Debug)]
pub(crate) struct BoundPath {
    pub(crate) points: Range<usize>,
    /// The path at rest; a frame overwrites its points.
    pub(crate) elements: Vec<PathEl>,
    vertices: Vec<BoundVertex>,
}

/// A direction of the deformed outline at a node between pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Direction {
    pub(crate) at: Point,
    pub(crate) tangent: Vec2,
    pub(crate) row: u32,
    /// A row of slopes, where the weights change.
    pub(crate) slope: Option<u32>,
}

/// A piece of a soft segment that gets a cubic of its own in every frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Place of its first point in the order of the path.
    pub(crate) point: u32,
    /// Place of its first sample.
    pub(crate) sample: u32,
    /// Places of the directions at both ends, in the segment's canonical direction.
    pub(crate) directions: [u32; 2],
    /// The length of the piece as a share of the segment: derivatives are per segment.
    pub(crate) run: f64,
    pub(crate) shares: [f64; 2],
    /// Whether the canonical direction runs against the path.
    pub(crate) reversed: bool,
}

/// A soft segment: its pieces, and what it is at rest.
#[derive(Clone, Debug)]
pub(crate) struct SoftRun {
    pub(crate) pieces: Range<usize>,
    /// Place of its first point in the order of the path; three more a piece follow.
    pub(crate) point: usize,
    /// Handles and end at rest, in the direction of the path.
    pub(crate) rest: [Point; 3],
    /// Its bones, in `Skin::run_bones`.
    pub(crate) bones: Range<usize>,
}

/// Everything that follows bones point by point, ready to be deformed.
///
/// Setup positions are on the canvas. Quadratic segments are held as the cubics that they are.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    pub(crate) paths: Vec<BoundPath>,
    /// Setup positions in the order of the elements, and the row of each. The handles of pieces are found by the fit.
    pub(crate) points: Vec<Point>,
    pub(crate) rows: Vec<u32>,
    /// Points of the outline between the ends of pieces.
    pub(crate) samples: Vec<Point>,
    pub(crate) sample_rows: Vec<u32>,
    pub(crate) directions: Vec<Direction>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) runs: Vec<SoftRun>,
    pub(crate) run_bones: Vec<BoneId>,
    pub(crate) table: RowTable,
    /// The paths whose weights are keyed.
    pub(crate) keyed: Vec<(PathId, KeyedPath)>,
}

impl Skin {
    /// Nothing bound yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Binds the outlines of a path.
    ///
    /// # Errors
    /// If the weights do not fit the outlines.
    pub fn bind(
        &mut self,
        lines: &[BLine],
        weights: &Weights<'_>,
        options: &BindOptions<'_>,
    ) -> Result<PathId, BindError> {
        let count: usize = lines.iter().map(|line| line.vertices().len()).sum();
        match weights {
            Weights::Explicit(rest) | Weights::Keyed { rest, .. } if rest.len() != count => {
                return Err(BindError::VertexCount { vertices: count, weights: rest.len() });
            }
            Weights::Field(field) if field.bones().is_empty() => return Err(BindError::NoBones),
            Weights::Keyed { rest, tracks } => check_keyed(rest, tracks, options.blend)?,
            _ => {}
        }
        let start = self.points.len();
        let mut packer = Packer::new(self, weights, options, lines);
        for line in lines {
            packer.line(line);
        }
        let (elements, vertices, keyed) = packer.finish();
        let points = start..self.points.len();
        if self.points.len() > u32::MAX as usize || self.samples.len() > u32::MAX as usize {
            return Err(BindError::TooMany);
        }
        self.paths.push(BoundPath { points, elements, vertices });
        let path = PathId(self.paths.len() as u32 - 1);
        self.keyed.extend(keyed.map(|keyed| (path, keyed)));
        Ok(path)
    }

    /// The bound paths.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = PathId> + use<> {
        (0..self.paths.len() as u32).map(PathId)
    }

    /// How many vertices a path has.
    pub fn vertex_count(&self, path: PathId) -> usize {
        self.paths[path.index()].vertices.len()
    }

    /// How many points are posed in a frame.
    pub fn point_count(&self) -> usize {
        self.points.len()
    }

    /// How many pieces of soft segments are fitted in a frame.
    pub fn piece_count(&self) -> usize {
        self.pieces.len()
    }

    /// How many influences there are over all points of the outlines.
    pub fn influence_count(&self) -> usize {
        self.rows.iter().map(|&row| self.table.row(row).len()).sum()
    }

    pub(crate) fn vertex(&self, path: PathId, vertex: usize) -> Option<&BoundVertex> {
        self.paths.get(path.index())?.vertices.get(vertex)
    }

    /// Whether a part of a vertex exists: a straight side has no handle.
    pub fn has(&self, path: PathId, vertex: usize, part: Part) -> bool {
        self.vertex(path, vertex).is_some_and(|vertex| vertex.parts[part as usize].is_some())
    }
}
