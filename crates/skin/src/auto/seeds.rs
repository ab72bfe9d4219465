//! Seed assignment: the bones of a vertex before weights are smoothed, which are the nearest visible ones;
//! ties are shared. A bone is visible unless the line to it enters the drawing again, so that bones do not
//! reach across gaps. For a piece without a bone only its own border counts.

use kurbo::Point;

use super::buckets::Buckets;
use super::interior::Interior;
use super::mesh::Mesh;
use super::segment::LineSegment;
use super::weld::bounds;

/// The seed bones of each vertex.
#[derive(Debug, Default)]
pub(crate) struct SeedAssignment {
    /// Distance to the nearest visible bone; infinite without one.
    pub(crate) distances: Vec<f64>,
    /// Whether the piece has a bone, at the index of each piece's root vertex.
    pub(crate) held: Vec<bool>,
    starts: Vec<u32>,
    bones: Vec<u32>,
}

impl SeedAssignment {
    pub(crate) fn new(mesh: &Mesh, interior: &Interior, bones: &[LineSegment]) -> Self {
        let sight = Sight::new(mesh);
        let held = sight.held(interior, bones);
        // Tolerance for ties: bones that meet or coincide.
        let tie = mesh.edge * 1e-6;
        let mut seeds = Self { starts: vec![0], ..Self::default() };
        let mut near: Vec<(f64, u32, Point)> = Vec::new();
        for (&p, &piece) in mesh.points.iter().zip(&mesh.pieces) {
            let alone = (!held[piece as usize]).then_some(piece);
            near.clear();
            near.extend(bones.iter().zip(0..).map(|(b, i)| {
                let (at, distance) = b.nearest(p);
                (distance, i, at)
            }));
            near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let mut nearest = f64::INFINITY;
            for &(distance, bone, at) in &near {
                if distance > nearest + tie {
                    break;
                }
                if distance <= tie || sight.is_clear(p, at, alone) {
                    nearest = nearest.min(distance);
                    seeds.bones.push(bone);
                }
            }
            seeds.distances.push(nearest);
            seeds.starts.push(seeds.bones.len() as u32);
        }
        seeds.reach_blind_pieces(mesh, bones, tie);
        Self { held, ..seeds }
    }

    /// A piece from which no bone is visible takes the nearest ones.
    fn reach_blind_pieces(&mut self, mesh: &Mesh, bones: &[LineSegment], tie: f64) {
        let mut sees = vec![false; mesh.points.len()];
        for (v, &piece) in mesh.pieces.iter().enumerate() {
            sees[piece as usize] |= self.distances[v].is_finite();
        }
        if mesh.pieces.iter().all(|&piece| sees[piece as usize]) {
            return;
        }
        let old = std::mem::take(self);
        self.starts.push(0);
        for (v, &p) in mesh.points.iter().enumerate() {
            if sees[mesh.pieces[v] as usize] {
                self.bones.extend(old.of(v));
                self.distances.push(old.distances[v]);
            } else {
                let all: Vec<f64> = bones.iter().map(|b| b.nearest(p).1).collect();
                let nearest = all.iter().copied().fold(f64::INFINITY, f64::min);
                self.bones.extend((0..).zip(&all).filter(|&(_, &d)| d <= nearest + tie).map(|(i, _)| i));
                self.distances.push(nearest);
            }
            self.starts.push(self.bones.len() as u32);
        }
    }

    /// The nearest bones of a vertex: each has an equal share.
    pub(crate) fn of(&self, vertex: usize) -> &[u32] {
        &self.bones[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}

/// The border of the mesh, by position.
struct Sight<'a> {
    mesh: &'a Mesh,
    buckets: Buckets,
    slack: f64,
}

impl<'a> Sight<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let boxes: Vec<_> = mesh.border.iter().map(|e| bounds(&e.map(|v| mesh.points[v as usize]))).collect();
        Self { mesh, buckets: Buckets::new(&boxes, mesh.edge), slack: mesh.edge * 1e-6 }
    }

    /// The pieces that have a bone.
    fn held(&self, interior: &Interior, bones: &[LineSegment]) -> Vec<bool> {
        let mut held = vec![false; self.mesh.points.len()];
        for (&p, &piece) in self.mesh.points.iter().zip(&self.mesh.pieces) {
            let holds = |bone: &LineSegment| {
                let (at, distance) = bone.nearest(p);
                distance <= self.mesh.edge && interior.contains(at) && self.is_clear(p, at, None)
            };
            held[piece as usize] = held[piece as usize] || bones.iter().any(holds);
        }
        held
    }

    /// Whether the line from `p` to `q` never enters the drawing from outside; with `alone`, only that piece
    /// counts.
    fn is_clear(&self, p: Point, q: Point, alone: Option<u32>) -> bool {
        let way = q - p;
        self.buckets.along(p, q).all(|i| {
            let edge = self.mesh.border[i as usize];
            if alone.is_some_and(|piece| self.mesh.pieces[edge[0] as usize] != piece) {
                return true;
            }
            let [a, b] = edge.map(|v| self.mesh.points[v as usize]);
            let edge = b - a;
            let slack = self.slack * edge.hypot();
            let enters = edge.cross(p - a) < -slack && edge.cross(q - a) > slack;
            !(enters && (way.cross(a - p) > 0.0) != (way.cross(b - p) > 0.0))
        })
    }
}
