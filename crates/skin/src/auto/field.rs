//! Solved weights at any point of the plane: inside the mesh linear on its triangles, outside those of its
//! nearest point.

use std::sync::Arc;

use bone_core::BoneId;
use kurbo::Point;

use super::brush::{BrushStroke, Painted, normalise};
use super::buckets::Buckets;
use super::envelope::{Envelope, nearest};
use super::inverse::InverseDistance;
use super::mesh::Mesh;
use super::outline::Frame;
use super::segment::LineSegment;
use super::shape::LIMIT;
use super::weld::bounds;
use crate::weight_curve::WeightField;

/// Weights for every point of the plane.
#[derive(Clone, Debug)]
pub struct SolvedField {
    pub(crate) bones: Vec<BoneId>,
    pub(crate) source: FieldSource,
}

/// The method that gives the weights.
#[derive(Clone, Debug)]
pub(crate) enum FieldSource {
    Nearest(Vec<LineSegment>),
    Envelope(Envelope),
    Inverse(InverseDistance),
    Mesh(Box<MeshWeights>),
    Painted(Arc<SolvedField>, Box<Painted>),
}

/// A mesh with weights at its vertices.
#[derive(Clone, Debug)]
pub(crate) struct MeshWeights {
    frame: Frame,
    points: Vec<Point>,
    triangles: Vec<[u32; 3]>,
    border: Vec<[u32; 2]>,
    /// One row for each vertex.
    weights: Vec<f64>,
    inside: Buckets,
    rim: Buckets,
    /// The vertices themselves are the bones, and each has the weights of one of them; empty if they are not.
    follows: Vec<u32>,
    /// The mean side length of the triangles, on the canvas.
    side: f64,
}

impl MeshWeights {
    /// From rows that are not normalised yet, with solver errors below 0 or above 1.
    pub(crate) fn new(frame: Frame, mesh: Mesh, mut weights: Vec<f64>, bones: usize) -> Self {
        for row in weights.chunks_exact_mut(bones) {
            normalise(row);
        }
        let boxes: Vec<_> = mesh.triangles.iter().map(|&t| bounds(&mesh.corners(t))).collect();
        let edges: Vec<_> = mesh.border.iter().map(|e| bounds(&e.map(|v| mesh.points[v as usize]))).collect();
        let inside = Buckets::new(&boxes, mesh.edge);
        let rim = Buckets::new(&edges, mesh.edge * 2.0);
        let Mesh { points, triangles, border, .. } = mesh;
        let follows = Vec::new();
        let mut solved = Self { frame, points, triangles, border, weights, inside, rim, follows, side: 0.0 };
        solved.side = solved.mean_side();
        solved
    }

    /// The vertices themselves are the bones; what is at one follows that of `follows`.
    pub(crate) fn of_vertices(frame: Frame, mesh: Mesh, follows: Vec<u32>) -> Self {
        Self { follows, ..Self::new(frame, mesh, Vec::new(), 1) }
    }

    /// Up to three vertices and the coefficients with which their weights are interpolated at a point in grid
    /// units.
    fn mix(&self, p: Point) -> [(u32, f64); 3] {
        for i in self.inside.within(p, p) {
            let t = self.triangles[i as usize];
            let [a, b, c] = t.map(|v| self.points[v as usize] - p);
            let (u, v, w) = (b.cross(c), c.cross(a), a.cross(b));
            let sum = u + v + w;
            let slack = -1e-9 * sum;
            if u >= slack && v >= slack && w >= slack {
                return [(t[0], u / sum), (t[1], v / sum), (t[2], w / sum)];
            }
        }
        let edge = |i: u32| {
            let [a, b] = self.border[i as usize].map(|v| self.points[v as usize]);
            LineSegment { origin: a, tip: b }
        };
        let Some(i) = self.rim.nearest(p, |i| edge(i).nearest(p).1) else { return [(0, 1.0); 3] };
        let (line, [a, b]) = (edge(i), self.border[i as usize]);
        let along = line.tip - line.origin;
        let t = ((line.nearest(p).0 - line.origin).dot(along) / along.hypot2()).clamp(0.0, 1.0);
        [(a, 1.0 - t), (b, t), (a, 0.0)]
    }
}

impl WeightField for SolvedField {
    fn bones(&self) -> &[BoneId] {
        &self.bones
    }

    fn weights_at(&self, point: Point, weights: &mut [f64]) {
        Self::weights_at(self, point, weights);
    }

    /// The mean side length of the triangles.
    fn grain(&self) -> f64 {
        match &self.source {
            FieldSource::Mesh(solved) => solved.side,
            FieldSource::Painted(_, painted) => painted.grain,
            _ => 0.0,
        }
    }

    fn is_steep(&self) -> bool {
        match &self.source {
            FieldSource::Inverse(_) => true,
            FieldSource::Painted(below, _) => below.is_steep(),
            _ => false,
        }
    }

    fn is_of_vertices(&self) -> bool {
        matches!(&self.source, FieldSource::Mesh(solved) if !solved.follows.is_empty())
    }
}

impl MeshWeights {
    /// The weights at a point in grid units.
    pub(crate) fn weights_on_grid(&self, point: Point, out: &mut [f64]) {
        out.fill(0.0);
        for (v, part) in self.mix(point) {
            if let Some(followed) = self.follows.get(v as usize) {
                out[*followed as usize] += part;
                continue;
            }
            let row = &self.weights[v as usize * out.len()..][..out.len()];
            out.iter_mut().zip(row).for_each(|(w, r)| *w += part * r);
        }
        normalise(out);
    }

    /// A point of the grid on the canvas.
    pub(crate) fn canvas(&self, point: Point) -> Point {
        self.frame.canvas(point)
    }

    fn mean_side(&self) -> f64 {
        // A few hundred triangles are enough for the mean: quality meshes are even.
        let step = self.triangles.len().div_ceil(256).max(1);
        let (mut sum, mut count) = (0.0, 0.0_f64);
        for triangle in self.triangles.iter().step_by(step) {
            let [a, b, c] = triangle.map(|v| self.frame.canvas(self.points[v as usize]));
            sum += (b - a).hypot() + (c - b).hypot() + (a - c).hypot();
            count += 3.0;
        }
        sum / count.max(1.0)
    }
}

impl SolvedField {
    /// The bones of the weights, in the given order.
    pub fn bones(&self) -> &[BoneId] {
        &self.bones
    }

    /// The same weights below strokes of a brush.
    pub fn painted(self: Arc<Self>, strokes: &[BrushStroke]) -> Self {
        let bones = self.bones.clone();
        let painted = Box::new(Painted::new(self.as_ref(), strokes));
        Self { bones, source: FieldSource::Painted(self, painted) }
    }

    /// The weights at a point of the canvas: each in [0, 1], with the sum 1. Outside the drawing those of its
    /// nearest point; a NaN coordinate counts as 0.
    ///
    /// # Panics
    /// If `out` does not have one entry for each bone.
    pub fn weights_at(&self, point: Point, out: &mut [f64]) {
        assert_eq!(out.len(), self.bones.len(), "one weight a bone");
        let number = |v: f64| if v.is_nan() { 0.0 } else { v.clamp(-LIMIT, LIMIT) };
        let point = Point::new(number(point.x), number(point.y));
        match &self.source {
            FieldSource::Nearest(bones) => nearest(bones.iter().copied(), point, out),
            FieldSource::Envelope(envelope) => envelope.weights(point, out),
            FieldSource::Inverse(inverse) => inverse.weights(point, out),
            FieldSource::Mesh(solved) => solved.weights_on_grid(solved.frame.apply(point), out),
            FieldSource::Painted(below, painted) => painted.weights(below.as_ref(), point, out),
        }
    }

    /// For each vertex of a puppet the one that it follows; empty for other fields.
    pub fn followed(&self) -> &[u32] {
        match &self.source {
            FieldSource::Mesh(solved) => &solved.follows,
            _ => &[],
        }
    }

    /// The triangles on which the weights were solved, on the canvas; none for closed formulas.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [Point; 3]> {
        let mut source = &self.source;
        while let FieldSource::Painted(below, _) = source {
            source = &below.source;
        }
        let solved = match source {
            FieldSource::Mesh(solved) => Some(solved),
            _ => None,
        };
        let triangles = solved.map_or(&[][..], |s| &s.triangles);
        triangles
            .iter()
            .map(move |t| t.map(|v| solved.map_or(Point::ZERO, |s| s.frame.canvas(s.points[v as usize]))))
    }
}
