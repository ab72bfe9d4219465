//! Triangles for the interior of the drawing: finer at the outline, with vertices on the bones. Separate
//! pieces of the drawing stay separate, except for links between pieces that touch.

use kurbo::Point;
use spade::{
    AngleLimit, ConstrainedDelaunayTriangulation, HasPosition, Point2, RefinementParameters, Triangulation,
};

use super::buckets::Buckets;
use super::interior::Interior;
use super::outline::{EXTENT, Node};
use super::segment::LineSegment;
use super::weld::bounds;
use crate::sparse::sort_in_rows;

/// Circumradius to shortest edge: about 22 degrees, where refinement still ends (Shewchuk 2002).
const RATIO: f64 = 1.33;
/// Coordinates are shifted by this for the triangulation, away from 0, where its predicates may underflow.
const SHIFT: f64 = 2.0 * EXTENT;
/// Height over length below which a triangle is only the rounding of a straight border.
const FLAT: f64 = 1e-5;
/// Distance at which pieces count as touching, in edge lengths.
const TOUCH: f64 = 0.5;

/// Triangles of the inside, in grid units.
#[derive(Debug, Default)]
pub(crate) struct Mesh {
    pub(crate) points: Vec<Point>,
    /// Oriented as the interior: `cross(b - a, c - a) > 0`.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Edges of one triangle only, inside to the left.
    pub(crate) border: Vec<[u32; 2]>,
    /// Links between vertices of different pieces.
    pub(crate) links: Vec<[u32; 2]>,
    /// The piece of each vertex: connected by triangles or links.
    pub(crate) pieces: Vec<u32>,
    /// The target length of edges.
    pub(crate) edge: f64,
}

#[derive(Clone, Copy, Debug)]
struct Site(Point2<f64>);

impl HasPosition for Site {
    type Scalar = f64;
    fn position(&self) -> Point2<f64> {
        self.0
    }
}

impl From<Point2<f64>> for Site {
    fn from(p: Point2<f64>) -> Self {
        Self(p)
    }
}

type Triangles = ConstrainedDelaunayTriangulation<Site>;

impl Mesh {
    /// A mesh with about this many triangles. `None` if the interior has no area.
    pub(crate) fn new(interior: &Interior, bones: &[LineSegment], triangles: usize) -> Option<Self> {
        if interior.area.is_nan() || interior.area <= 0.0 {
            return None;
        }
        // Equilateral triangles of this edge would fill the area.
        let edge = (interior.area * 4.0 / (3.0_f64.sqrt() * triangles as f64)).sqrt();
        let border = divide(&interior.edges, edge);
        let boxes: Vec<_> = border.iter().map(|&[a, b]| bounds(&[a, b])).collect();
        let near = Near { buckets: Buckets::new(&boxes, edge), border: &border };
        let samples = bone_samples(bones, interior, &near, edge);
        let lattice = lattice(interior, &near, &samples, edge);
        let soup = triangulate(&border, &samples, &lattice, edge, triangles);
        let mut mesh = keep_inside(&soup, interior);
        if mesh.triangles.is_empty() {
            return None;
        }
        mesh.edge = edge;
        mesh.find_border();
        mesh.join();
        Some(mesh)
    }

    /// The corners of a triangle.
    pub(crate) fn corners(&self, t: [u32; 3]) -> [Point; 3] {
        t.map(|v| self.points[v as usize])
    }

    fn find_border(&mut self) {
        let mut edges: Vec<([u32; 2], [u32; 2])> = self
            .triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[a, b]| ([a.min(b), a.max(b)], [a, b]))
            .collect();
        sort_in_rows(&mut edges, self.points.len(), |edge| edge.0[0], Ord::cmp);
        self.border = edges.chunk_by(|a, b| a.0 == b.0).filter(|c| c.len() == 1).map(|c| c[0].1).collect();
    }

    /// Finds the pieces, links those that touch, and finds them again with the links.
    fn join(&mut self) {
        let mut sets = Sets::new(self.points.len());
        for t in &self.triangles {
            sets.unite(t[0], t[1]);
            sets.unite(t[0], t[2]);
        }
        self.pieces = sets.roots();
        if self.pieces.iter().any(|&piece| piece != 0) {
            self.links = self.find_links();
            self.links.iter().for_each(|&[u, v]| sets.unite(u, v));
            self.pieces = sets.roots();
        }
    }

    /// Each border vertex with the nearest one of another piece within reach.
    fn find_links(&self) -> Vec<[u32; 2]> {
        let mut rim: Vec<u32> = self.border.iter().flatten().copied().collect();
        rim.sort_unstable();
        rim.dedup();
        let boxes: Vec<_> = rim.iter().map(|&v| (self.points[v as usize], self.points[v as usize])).collect();
        let buckets = Buckets::new(&boxes, self.edge);
        let reach = self.edge * TOUCH;
        let margin = kurbo::Vec2::new(reach, reach);
        let mut links = Vec::new();
        for &v in &rim {
            let p = self.points[v as usize];
            let found = buckets
                .within(p - margin, p + margin)
                .map(|i| rim[i as usize])
                .filter(|&u| self.pieces[u as usize] != self.pieces[v as usize])
                .map(|u| ((self.points[u as usize] - p).hypot(), u))
                .filter(|&(d, _)| d <= reach)
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            links.extend(found.map(|(_, u)| [u.min(v), u.max(v)]));
        }
        links.sort_unstable();
        links.dedup();
        links
    }
}

/// Disjoint sets; the root is the smallest member.
struct Sets(Vec<u32>);

impl Sets {
    fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    fn roots(&mut self) -> Vec<u32> {
        (0..self.0.len() as u32).map(|v| self.root(v)).collect()
    }

    fn root(&mut self, mut v: u32) -> u32 {
        while self.0[v as usize] != v {
            // Path halving.
            self.0[v as usize] = self.0[self.0[v as usize] as usize];
            v = self.0[v as usize];
        }
        v
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Border edges divided so that none is longer than the edge length, from their smaller end.
fn divide(edges: &[[Node; 2]], edge: f64) -> Vec<[Point; 2]> {
    let mut divided = Vec::new();
    for &[a, b] in edges {
        let turned = b < a;
        let (lo, hi) = if turned { (b, a) } else { (a, b) };
        let [lo, hi] = [lo, hi].map(|n| Point::new(n[0] as f64, n[1] as f64));
        let count = ((hi - lo).hypot() / edge).ceil().clamp(1.0, 65_536.0);
        let at = |k: u32| if f64::from(k) >= count { hi } else { lo + (hi - lo) * (f64::from(k) / count) };
        divided.extend((0..count as u32).map(|k| {
            let (p, q) = (at(k), at(k + 1));
            if turned { [q, p] } else { [p, q] }
        }));
    }
    divided
}

struct Near<'a> {
    buckets: Buckets,
    border: &'a [[Point; 2]],
}

impl Near<'_> {
    /// Whether no border is within this distance.
    fn is_free(&self, p: Point, distance: f64) -> bool {
        let margin = kurbo::Vec2::new(distance, distance);
        self.buckets.within(p - margin, p + margin).all(|i| {
            let [a, b] = self.border[i as usize];
            LineSegment { origin: a, tip: b }.nearest(p).1 > distance
        })
    }
}

/// Points on the bones inside the drawing, not too near to its border or to each other; sorted.
fn bone_samples(bones: &[LineSegment], interior: &Interior, near: &Near<'_>, edge: f64) -> Vec<Point> {
    let mut samples: Vec<Point> = Vec::new();
    for bone in bones {
        // Bones far outside the drawing have no vertices.
        let Some((from, to)) = bone.clip(EXTENT) else { continue };
        let length = (to - from).hypot();
        let count = (length / edge).ceil().clamp(1.0, 4096.0);
        samples.extend((0..=count as u32).map(|k| from.lerp(to, f64::from(k) / count)));
    }
    samples.retain(|&p| interior.contains(p) && near.is_free(p, edge * 0.25));
    samples.sort_unstable_by(|a, b| (a.x, a.y).partial_cmp(&(b.x, b.y)).unwrap_or(std::cmp::Ordering::Equal));
    let mut kept: Vec<Point> = Vec::new();
    let apart = edge * 0.35;
    for p in samples {
        if kept.iter().rev().take_while(|k| p.x - k.x < apart).all(|k| (p - *k).hypot() >= apart) {
            kept.push(p);
        }
    }
    kept
}

/// A triangular lattice about the drawing's centre, without points near the border or the bones.
fn lattice(interior: &Interior, near: &Near<'_>, samples: &[Point], edge: f64) -> Vec<Point> {
    let rise = edge * 3.0_f64.sqrt() * 0.5;
    let half = EXTENT * 0.5;
    let (columns, rows) = ((half / edge).ceil() as i64 + 1, (half / rise).ceil() as i64);
    let boxes: Vec<_> = samples.iter().map(|&p| (p, p)).collect();
    let taken = Buckets::new(&boxes, edge);
    let apart = edge * 0.6;
    let margin = kurbo::Vec2::new(apart, apart);
    let mut points = Vec::new();
    for row in -rows..=rows {
        let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
        for column in -columns..=columns {
            let p = Point::new((column as f64 + shift) * edge, row as f64 * rise);
            let free = |i: u32| (samples[i as usize] - p).hypot() > apart;
            if interior.contains(p)
                && near.is_free(p, apart)
                && taken.within(p - margin, p + margin).all(free)
            {
                points.push(p);
            }
        }
    }
    points
}

/// All vertices and border edges in one triangulation of their hull, refined within the border.
fn triangulate(
    border: &[[Point; 2]],
    samples: &[Point],
    lattice: &[Point],
    edge: f64,
    triangles: usize,
) -> Triangles {
    let ends = border.iter().flatten();
    let mut sites: Vec<Point> = ends.chain(samples).chain(lattice).copied().collect();
    // Sorted in strips, every other one backwards: each point is near the one before.
    let strip = |p: &Point| ((p.y + EXTENT) / (edge * 4.0)).floor() as i64;
    sites.sort_unstable_by(|a, b| {
        let back = if strip(a) % 2 == 0 { 1.0 } else { -1.0 };
        strip(a).cmp(&strip(b)).then((a.x * back).total_cmp(&(b.x * back))).then(a.y.total_cmp(&b.y))
    });
    sites.dedup();
    let mut soup = Triangles::new();
    let mut handles = Vec::with_capacity(sites.len());
    let mut last = None;
    for p in &sites {
        let site = Site(Point2::new(p.x + SHIFT, p.y + SHIFT));
        let added = match last {
            Some(hint) => soup.insert_with_hint(site, hint),
            None => soup.insert(site),
        };
        if let Ok(handle) = added {
            last = Some(handle);
            handles.push((key(*p), handle));
        }
    }
    handles.sort_unstable_by_key(|h| h.0);
    let find = |p: Point| handles.binary_search_by_key(&key(p), |h| h.0).ok().map(|i| handles[i].1);
    for &[a, b] in border {
        if let (Some(a), Some(b)) = (find(a), find(b))
            && a != b
        {
            // Edges that still cross another on the finest grid are left out.
            soup.try_add_constraint(a, b);
        }
    }
    let limit = RefinementParameters::new()
        .exclude_outer_faces(true)
        .with_angle_limit(AngleLimit::from_radius_to_shortest_edge_ratio(RATIO))
        .with_min_required_area(edge * edge * 0.004)
        .with_max_allowed_area(edge * edge * 0.75)
        .with_max_additional_vertices(triangles / 2);
    soup.refine(limit);
    soup
}

fn key(p: Point) -> (u64, u64) {
    (p.x.to_bits(), p.y.to_bits())
}

/// The triangles whose centroid lies inside, and their vertices.
fn keep_inside(soup: &Triangles, interior: &Interior) -> Mesh {
    let mut mesh = Mesh::default();
    let mut numbers = vec![u32::MAX; soup.num_vertices()];
    for face in soup.inner_faces() {
        let vertices = face.vertices();
        let corners = vertices.map(|v| Point::new(v.position().x - SHIFT, v.position().y - SHIFT));
        let middle = (corners[0].to_vec2() + corners[1].to_vec2() + corners[2].to_vec2()) / 3.0;
        let sides = [0, 1, 2].map(|k| corners[(k + 1) % 3] - corners[k]);
        let longest = sides.iter().map(|s| s.hypot2()).fold(0.0, f64::max);
        if sides[0].cross(sides[1]) <= FLAT * longest || !interior.contains(middle.to_point()) {
            continue;
        }
        let mut triangle = [0; 3];
        for (slot, (vertex, corner)) in triangle.iter_mut().zip(vertices.iter().zip(corners)) {
            let number = &mut numbers[vertex.fix().index()];
            if *number == u32::MAX {
                *number = mesh.points.len() as u32;
                mesh.points.push(corner);
            }
            *slot = *number;
        }
        mesh.triangles.push(triangle);
    }
    mesh
}
