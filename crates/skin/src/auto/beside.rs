//! Weights of pieces that no bone enters. What lies close to a piece with bones moves as the nearest place
//! on its border; what is farther away has weights by distance, since diffusion from bones far away would
//! give it one flat mixture.

use kurbo::{Point, Vec2};

use super::buckets::Buckets;
use super::laplacian::Laplacian;
use super::mesh::Mesh;
use super::outline::EXTENT;
use super::seeds::SeedAssignment;
use super::segment::LineSegment;
use super::weld::bounds;
use crate::sparse::{Factor, dissect};

/// The power of the inverse distance.
const POWER: i32 = 3;
/// A bone with less than this share of the strongest weight has none, as 0.2 beside 0.8: art that no bone
/// enters mostly follows one bone as a whole.
const LEAST: f64 = 0.25;
/// Up to a distance of once the depth of a piece its neighbour moves as its border does, from this many
/// depths on by distance to the bones.
const FAR: f64 = 1.5;
/// The least mean share of the neighbour's weights on the border of a piece that follows it.
const NEAR: f64 = 0.9;
/// A piece that is smaller than this share of the length over which the weights change is rigid.
const RIGID: f64 = 0.5;

/// Overwrites the weights of pieces without a bone.
pub(crate) fn weigh(
    (mesh, laplacian): (&Mesh, &Laplacian),
    seeds: &SeedAssignment,
    bones: &[LineSegment],
    weights: &mut [f64],
) {
    let pieces = Piece::without_bones(mesh, seeds);
    if pieces.is_empty() {
        return;
    }
    by_distance(mesh, seeds, bones, weights);
    let held = HeldBorder::new(mesh, seeds);
    // Vertices inside of pieces that follow another one.
    let mut inner = Vec::new();
    let mut followers = Vec::new();
    for piece in &pieces {
        if let Some(root) = held.nearest_piece(mesh, &piece.rim)
            && held.carry(mesh, (root, &piece.rim), bones.len(), weights)
        {
            inner.extend(piece.vertices.iter().filter(|v| piece.rim.binary_search(v).is_err()));
            followers.push((piece, root));
        }
    }
    spread(mesh, laplacian, inner, bones.len(), weights);
    for (piece, root) in followers {
        if piece.is_small(mesh, root, bones.len(), weights) {
            piece.make_rigid(laplacian, bones.len(), weights);
        }
    }
}

/// Inverse distances to the bones (Shepard 1968), of which small ones fade to 0.
fn by_distance(mesh: &Mesh, seeds: &SeedAssignment, bones: &[LineSegment], weights: &mut [f64]) {
    // On a bone the distance is 0; this keeps the numbers finite.
    let nearest = mesh.edge * 1e-6;
    for (v, row) in weights.chunks_exact_mut(bones.len()).enumerate() {
        if seeds.held[mesh.pieces[v] as usize] {
            continue;
        }
        for (weight, bone) in row.iter_mut().zip(bones) {
            *weight = bone.nearest(mesh.points[v]).1.max(nearest);
        }
        let least = row.iter().copied().fold(f64::INFINITY, f64::min);
        for weight in row.iter_mut() {
            let share = (least / *weight).powi(POWER);
            let s = ((share - LEAST) / (1.0 - LEAST)).max(0.0);
            *weight = s * s * (3.0 - 2.0 * s);
        }
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|weight| *weight /= sum);
    }
}

/// The values at inner vertices that are harmonic, those at all others fixed. Without a solution the values
/// stay.
fn spread(mesh: &Mesh, laplacian: &Laplacian, mut inner: Vec<u32>, bones: usize, weights: &mut [f64]) {
    inner.sort_unstable();
    let stiffness = &laplacian.stiffness;
    let mut order = dissect(stiffness, &mesh.points);
    order.retain(|v| inner.binary_search(v).is_ok());
    let Some(factor) = Factor::new(stiffness, order) else { return };
    let mut right = vec![0.0; mesh.points.len()];
    for bone in 0..bones {
        for &v in &inner {
            let fixed = stiffness.row(v as usize).filter(|(j, _)| inner.binary_search(&(*j as u32)).is_err());
            right[v as usize] = -fixed.map(|(j, a)| a * weights[j * bones + bone]).sum::<f64>();
        }
        factor.solve(&mut right);
        inner.iter().for_each(|&v| weights[v as usize * bones + bone] = right[v as usize]);
    }
}

/// A piece of the drawing that no bone enters.
struct Piece {
    vertices: Vec<u32>,
    /// Those on the border, sorted.
    rim: Vec<u32>,
}

impl Piece {
    fn without_bones(mesh: &Mesh, seeds: &SeedAssignment) -> Vec<Self> {
        let free = |v: &u32| !seeds.held[mesh.pieces[*v as usize] as usize];
        let root = |v: &u32| mesh.pieces[*v as usize];
        let mut vertices: Vec<u32> = (0..mesh.points.len() as u32).filter(free).collect();
        let mut rim: Vec<u32> = mesh.border.iter().flatten().copied().filter(free).collect();
        vertices.sort_by_key(root);
        rim.sort_unstable_by_key(|v| (root(v), *v));
        rim.dedup();
        let pieces = vertices.chunk_by(|a, b| root(a) == root(b));
        // Every piece has a border, so both lists have the same pieces, in the same order.
        let rims = rim.chunk_by(|a, b| root(a) == root(b));
        pieces.zip(rims).map(|(vertices, rim)| Self { vertices: vertices.into(), rim: rim.into() }).collect()
    }

    /// Whether the piece is smaller than half of the length over which the weights change from 0 to 1 in the
    /// piece of this root, within the size of the small one about it.
    fn is_small(&self, mesh: &Mesh, root: u32, bones: usize, weights: &[f64]) -> bool {
        let points: Vec<Point> = self.rim.iter().map(|v| mesh.points[*v as usize]).collect();
        let (low, high) = bounds(&points);
        let size = (high - low).hypot();
        let margin = Vec2::new(size, size);
        let (low, high) = (low - margin, high + margin);
        let is_near = |corners: &[Point; 3]| {
            let (from, to) = bounds(corners);
            from.x <= high.x && to.x >= low.x && from.y <= high.y && to.y >= low.y
        };
        let of_piece = mesh.triangles.iter().filter(|t| mesh.pieces[t[0] as usize] == root);
        let near = of_piece.map(|t| (t, mesh.corners(*t))).filter(|(_, corners)| is_near(corners));
        let steepest = near.fold(0.0_f64, |most, (t, corners)| {
            let slopes = (0..bones).map(|b| slope(corners, t.map(|v| weights[v as usize * bones + b])));
            slopes.fold(most, f64::max)
        });
        size * steepest < RIGID
    }

    /// Gives all vertices the mean row over the area.
    fn make_rigid(&self, laplacian: &Laplacian, bones: usize, weights: &mut [f64]) {
        let mut mean = vec![0.0; bones];
        let mut area = 0.0;
        for &v in &self.vertices {
            let mass = laplacian.masses[v as usize];
            area += mass;
            let row = &weights[v as usize * bones..][..bones];
            mean.iter_mut().zip(row).for_each(|(sum, weight)| *sum += mass * weight);
        }
        mean.iter_mut().for_each(|sum| *sum /= area);
        self.vertices.iter().for_each(|v| weights[*v as usize * bones..][..bones].copy_from_slice(&mean));
    }
}

/// The length of the gradient of a function that is linear on a triangle.
fn slope([a, b, c]: [Point; 3], [u, v, w]: [f64; 3]) -> f64 {
    let (ab, ac) = (b - a, c - a);
    ((ac * (v - u) - ab * (w - u)) / ab.cross(ac)).hypot()
}

/// A place on a border, and how much of its weights a vertex takes.
struct Closest {
    edge: u32,
    /// From 0 to 1 on the edge.
    along: f64,
    share: f64,
}

/// The borders of the pieces with bones, by position.
struct HeldBorder {
    edges: Vec<[u32; 2]>,
    buckets: Buckets,
}

impl HeldBorder {
    fn new(mesh: &Mesh, seeds: &SeedAssignment) -> Self {
        let is_held = |edge: &[u32; 2]| seeds.held[mesh.pieces[edge[0] as usize] as usize];
        let edges: Vec<[u32; 2]> = mesh.border.iter().copied().filter(is_held).collect();
        let boxes: Vec<_> = edges.iter().map(|e| bounds(&e.map(|v| mesh.points[v as usize]))).collect();
        let buckets = Buckets::new(&boxes, mesh.edge * 2.0);
        Self { edges, buckets }
    }

    fn line(&self, mesh: &Mesh, edge: u32) -> LineSegment {
        let [origin, tip] = self.edges[edge as usize].map(|v| mesh.points[v as usize]);
        LineSegment { origin, tip }
    }

    /// The root of the piece with bones that is nearest to a border.
    fn nearest_piece(&self, mesh: &Mesh, rim: &[u32]) -> Option<u32> {
        let nearest = |v: &u32| {
            let p = mesh.points[*v as usize];
            let edge = self.buckets.nearest(p, |i| self.line(mesh, i).nearest(p).1)?;
            Some((self.line(mesh, edge).nearest(p).1, mesh.pieces[self.edges[edge as usize][0] as usize]))
        };
        rim.iter().filter_map(nearest).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|it| it.1)
    }

    /// Mixes the weights of the closest place on the border of the piece `root` into each vertex of a rim, by
    /// how near it is. Whether this was done: not where too much of the rim is far, because a piece between two
    /// fields would be torn, as a head above its shoulders.
    fn carry(&self, mesh: &Mesh, (root, rim): (u32, &[u32]), bones: usize, weights: &mut [f64]) -> bool {
        let closest: Option<Vec<Closest>> = rim.iter().map(|v| self.closest(mesh, root, *v)).collect();
        let Some(closest) = closest else { return false };
        let near: f64 = closest.iter().map(|it| it.share).sum();
        if near < NEAR * rim.len() as f64 {
            return false;
        }
        for (v, Closest { edge, along, share }) in rim.iter().zip(closest) {
            let [from, to] = self.edges[edge as usize].map(|v| v as usize * bones);
            for bone in 0..bones {
                let there = weights[from + bone] * (1.0 - along) + weights[to + bone] * along;
                let here = &mut weights[*v as usize * bones + bone];
                *here += share * (there - *here);
            }
        }
        true
    }

    /// The place on the border of the piece `root` that is closest to a vertex.
    fn closest(&self, mesh: &Mesh, root: u32, vertex: u32) -> Option<Closest> {
        let p = mesh.points[vertex as usize];
        let distance = |i: u32| {
            let own = mesh.pieces[self.edges[i as usize][0] as usize] == root;
            if own { self.line(mesh, i).nearest(p).1 } else { f64::INFINITY }
        };
        let edge = self.buckets.nearest(p, distance)?;
        let line = self.line(mesh, edge);
        let (at, distance) = line.nearest(p);
        let along = (at - line.origin).hypot() / line.length();
        Some(Closest { edge, along, share: share(distance, self.depth(mesh, edge, (p, at))) })
    }

    /// The depth of a piece at a place of its border that is the closest one to `p`: half of the way through
    /// it, straight on from `p`.
    fn depth(&self, mesh: &Mesh, edge: u32, (p, at): (Point, Point)) -> f64 {
        let LineSegment { origin, tip } = self.line(mesh, edge);
        let normal = Vec2::new(origin.y - tip.y, tip.x - origin.x);
        let inward = if p == at { normal } else { at - p };
        // Longer than any way through the drawing.
        let way = inward * (4.0 * EXTENT / inward.hypot());
        let through = self.buckets.along(at, at + way).filter(|i| *i != edge).filter_map(|i| {
            let LineSegment { origin, tip } = self.line(mesh, i);
            let side = tip - origin;
            let sides = (way.cross(origin - at) > 0.0) != (way.cross(tip - at) > 0.0);
            // Only where the line leaves the inside, which is to the left of an edge.
            let t = side.cross(origin - at) / side.cross(way);
            (sides && side.cross(way) < 0.0 && t > 0.0).then_some(t)
        });
        0.5 * through.fold(f64::INFINITY, f64::min) * way.hypot()
    }
}

/// How much of its weights a vertex takes from a border at this distance: all up to the depth behind it.
fn share(distance: f64, depth: f64) -> f64 {
    if depth.is_infinite() {
        return 0.0;
    }
    let s = ((FAR - distance / depth.max(f64::MIN_POSITIVE)) / (FAR - 1.0)).clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}
