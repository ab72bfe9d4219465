//! Binding: outlines and weights become columns of points and rows, once, so that a frame is two plain loops.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use bone_core::BoneId;
use kurbo::{PathEl, Point};

use crate::bline::{BLine, Closing, Part, Segment};
use crate::weights::{RowTable, VertexWeights, WeightRow};

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
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Weights {
    /// Nothing follows anything: only free offsets move the path.
    Still,
    /// Everything follows one bone.
    Rigid(BoneId),
    /// One entry a vertex, through all outlines of the path in order.
    Explicit(Vec<VertexWeights>),
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
    /// More points than 32 bits count.
    TooMany,
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::VertexCount { vertices, weights } => {
                write!(f, "the path has {vertices} vertices, but weights for {weights}")
            }
            Self::TooMany => write!(f, "the drawing has more points than can be counted"),
        }
    }
}

impl Error for BindError {}

/// Where the points of one vertex lie in the columns. The first vertex of an outline that returns to itself lies
/// there twice.
#[derive(Clone, Debug, Default)]
struct VertexPlaces {
    anchors: [Option<u32>; 2],
    tangent_in: Option<u32>,
    tangent_out: Option<u32>,
}

/// A bound path: its points, and the path elements that they fill.
#[derive(Clone, Debug)]
pub(crate) struct BoundPath {
    pub(crate) points: Range<usize>,
    /// The path at rest; a frame overwrites its points.
    pub(crate) elements: Vec<PathEl>,
    vertices: Vec<VertexPlaces>,
}

/// Everything that follows bones point by point, ready to be deformed.
///
/// Setup positions are on the canvas. Quadratic segments are held as the cubics that they are.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    pub(crate) paths: Vec<BoundPath>,
    /// Setup positions in the order of the elements.
    pub(crate) points: Vec<Point>,
    /// The row of weights of each point.
    pub(crate) rows: Vec<u32>,
    pub(crate) table: RowTable,
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
    pub fn bind(&mut self, lines: &[BLine], weights: &Weights) -> Result<PathId, BindError> {
        let vertices: usize = lines.iter().map(|line| line.vertices().len()).sum();
        let rows = self.vertex_rows(vertices, weights)?;
        let start = self.points.len();
        let mut packer = Packer { skin: self, elements: Vec::new(), places: Vec::with_capacity(vertices) };
        let mut first = 0;
        for line in lines {
            packer.line(line, &rows[first..first + line.vertices().len()]);
            first += line.vertices().len();
        }
        let (elements, vertices) = (packer.elements, packer.places);
        let points = start..self.points.len();
        if self.points.len() > u32::MAX as usize || self.paths.len() >= u32::MAX as usize {
            return Err(BindError::TooMany);
        }
        self.paths.push(BoundPath { points, elements, vertices });
        Ok(PathId(self.paths.len() as u32 - 1))
    }

    /// Rows of (in, anchor, out) a vertex.
    fn vertex_rows(&mut self, vertices: usize, weights: &Weights) -> Result<Vec<[u32; 3]>, BindError> {
        match weights {
            Weights::Still => Ok(vec![[self.table.add(&[]); 3]; vertices]),
            Weights::Rigid(bone) => {
                let row = self.table.add(WeightRow::one(*bone).influences());
                Ok(vec![[row; 3]; vertices])
            }
            Weights::Explicit(weights) if weights.len() != vertices => {
                Err(BindError::VertexCount { vertices, weights: weights.len() })
            }
            Weights::Explicit(weights) => Ok(weights.iter().map(|w| self.add_rows(w)).collect()),
        }
    }

    fn add_rows(&mut self, weights: &VertexWeights) -> [u32; 3] {
        let anchor = self.table.add(weights.anchor.influences());
        let mut own =
            |row: &Option<WeightRow>| row.as_ref().map_or(anchor, |row| self.table.add(row.influences()));
        let (arrive, leave) = (own(&weights.tangent_in), own(&weights.tangent_out));
        [arrive, anchor, leave]
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

    /// How many influences there are over all points.
    pub fn influence_count(&self) -> usize {
        self.rows.iter().map(|&row| self.table.row(row).len()).sum()
    }

    /// Where the points of a vertex lie in the columns: those that an offset of this part moves.
    pub(crate) fn places(
        &self,
        path: PathId,
        vertex: usize,
        part: Part,
    ) -> impl Iterator<Item = usize> + use<> {
        let places = self.paths[path.index()].vertices.get(vertex).cloned().unwrap_or_default();
        let (anchor, arrive, leave) = match part {
            Part::Anchor => (places.anchors, places.tangent_in, places.tangent_out),
            Part::In => ([None; 2], places.tangent_in, None),
            Part::Out => ([None; 2], None, places.tangent_out),
        };
        anchor.into_iter().chain([arrive, leave]).flatten().map(|place| place as usize)
    }

    /// The point that stands for a part of a vertex, if the vertex has it: a straight side has no handle.
    pub(crate) fn place(&self, path: PathId, vertex: usize, part: Part) -> Option<usize> {
        let places = self.paths[path.index()].vertices.get(vertex)?;
        let place = match part {
            Part::Anchor => places.anchors[0],
            Part::In => places.tangent_in,
            Part::Out => places.tangent_out,
        };
        place.map(|place| place as usize)
    }

    /// Whether a part of a vertex exists.
    pub fn has(&self, path: PathId, vertex: usize, part: Part) -> bool {
        self.place(path, vertex, part).is_some()
    }
}

/// Writes outlines into the columns of a skin.
struct Packer<'a> {
    skin: &'a mut Skin,
    elements: Vec<PathEl>,
    places: Vec<VertexPlaces>,
}

impl Packer<'_> {
    fn point(&mut self, at: Point, row: u32) -> Option<u32> {
        self.skin.points.push(at);
        self.skin.rows.push(row);
        Some(self.skin.points.len() as u32 - 1)
    }

    fn line(&mut self, line: &BLine, rows: &[[u32; 3]]) {
        let base = self.places.len();
        self.places.resize(base + line.vertices().len(), VertexPlaces::default());
        let anchor = line.vertices()[0].anchor;
        self.places[base].anchors[0] = self.point(anchor, rows[0][1]);
        self.elements.push(PathEl::MoveTo(anchor));
        for (kind, from, to) in line.segments() {
            let end = line.vertices()[to].anchor;
            if kind == Segment::Line {
                self.elements.push(PathEl::LineTo(end));
            } else {
                let (out, arrive) = line.cubic_handles(kind, from, to);
                self.places[base + from].tangent_out = self.point(out, rows[from][2]);
                self.places[base + to].tangent_in = self.point(arrive, rows[to][0]);
                self.elements.push(PathEl::CurveTo(out, arrive, end));
            }
            let place = self.point(end, rows[to][1]);
            // The outline that returns meets its first vertex again.
            let again = usize::from(to == 0);
            self.places[base + to].anchors[again] = place;
        }
        if line.closing() != Closing::Open {
            self.elements.push(PathEl::ClosePath);
        }
    }
}
