//! The mesh of a puppet: even triangles over the union of its outlines, with the field that places points of the
//! plane on it.

use bone_core::BoneId;
use kurbo::Point;

use super::field::{FieldSource, MeshWeights, SolvedField};
use super::interior::Interior;
use super::mesh::Mesh;
use super::note::FieldError;
use super::outline::{EXTENT, Frame, Outlines};
use super::segment::LineSegment;
use super::shape::{ClipRegion, CoveredShape};

/// The edge where none is typed, as a share of the shorter side of the box of the outlines.
const EDGE: f64 = 1.0 / 12.0;
/// The number of triangles where no edge is typed: about twice that of vertices.
const USUAL: (f64, f64) = (260.0, 720.0);
/// Different shapes that are nearer than this, as a share of the longer side, are one.
const WELD: f64 = 2e-3;
/// Greatest number of triangles of a typed edge.
const MOST: f64 = 6000.0;

/// Triangles over outlines, on the canvas.
#[derive(Debug)]
pub struct PuppetMesh {
    pub(crate) points: Vec<Point>,
    pub(crate) triangles: Vec<[u32; 3]>,
    frame: Frame,
    interior: Interior,
    mesh: Mesh,
}

/// A mesh that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PuppetMeshError {
    /// The outlines are not usable.
    Field(FieldError),
    /// They cover nothing.
    NoArea,
    /// There would be too many triangles; this edge is possible.
    TooFine {
        /// On the canvas.
        least: f64,
    },
}

impl PuppetMesh {
    /// A mesh with vertices on places (lines, or points twice). `edge` is on the canvas; without one there are
    /// as many triangles as are usual.
    ///
    /// # Errors
    /// If the outlines cover no area, or the edge is too short for it.
    pub fn new(
        (shapes, clips): (&[CoveredShape<'_>], &[ClipRegion<'_>]),
        places: &[[Point; 2]],
        edge: Option<f64>,
    ) -> Result<Self, PuppetMeshError> {
        let mut notes = Vec::new();
        let outlines = Outlines::new(shapes, clips, &mut notes);
        let Some(outlines) = outlines.filter(|_| notes.len() < shapes.len()) else {
            return Err(PuppetMeshError::Field(FieldError::NoShapes));
        };
        let frame = outlines.frame;
        let rough = Interior::new(&outlines, 256, WELD * EXTENT);
        if rough.edges.is_empty() && !outlines.is_uncut() {
            return Self::new((shapes, &[]), places, edge);
        }
        let count = |edge: f64| rough.area * 4.0 / (3.0_f64.sqrt() * edge * edge);
        let triangles = match edge.map(|edge| frame.grid_length(edge)) {
            Some(edge) if count(edge) > MOST => {
                let least = (rough.area * 4.0 / (3.0_f64.sqrt() * MOST)).sqrt();
                return Err(PuppetMeshError::TooFine { least: frame.length(least) });
            }
            Some(edge) => count(edge).max(16.0),
            None => count(EDGE * shorter_side(&rough)).clamp(USUAL.0, USUAL.1),
        };
        let triangles = if triangles.is_finite() { triangles as usize } else { USUAL.0 as usize };
        let place =
            |ends: &[Point; 2]| LineSegment { origin: frame.apply(ends[0]), tip: frame.apply(ends[1]) };
        let places: Vec<LineSegment> = places.iter().map(place).collect();
        let mesh = Mesh::new(&rough, &places, triangles).ok_or(PuppetMeshError::NoArea)?;
        let points = mesh.points.iter().map(|point| frame.canvas(*point)).collect();
        Ok(Self { points, triangles: mesh.triangles.clone(), frame, interior: rough, mesh })
    }

    /// None for a place within the outlines; else the nearest one that is.
    pub(crate) fn nearest_inside(&self, at: Point) -> Option<Point> {
        let place = self.frame.apply(at);
        if self.interior.contains(place) {
            return None;
        }
        let border = self.mesh.border.iter();
        let edges = border.map(|edge| edge.map(|v| self.mesh.points[v as usize]));
        let nearest = edges.map(|[origin, tip]| LineSegment { origin, tip }.nearest(place));
        let (nearest, _) = nearest.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(self.frame.canvas(nearest))
    }

    /// The field of weights whose bones are the vertices, numbered from `first`. What is at a vertex follows
    /// the vertex of `follows` with its number.
    pub(crate) fn field(self, first: u32, follows: Vec<u32>) -> SolvedField {
        let bones = (0..self.points.len() as u32).map(|vertex| BoneId::new(first + vertex)).collect();
        let source = FieldSource::Mesh(Box::new(MeshWeights::of_vertices(self.frame, self.mesh, follows)));
        SolvedField { bones, source }
    }
}

/// Of the box of the interior, in grid units.
fn shorter_side(interior: &Interior) -> f64 {
    let nodes = || interior.edges.iter().flatten();
    let span = |axis: usize| {
        let values = || nodes().map(move |node| node[axis]);
        (values().max().unwrap_or(0) - values().min().unwrap_or(0)) as f64
    };
    span(0).min(span(1)).max(1.0)
}
