//! Slits between different shapes: gaps of next to no width where ink and its colour, or two neighbours, do
//! not quite touch. Weights would jump across them, so they are filled before the interior is meshed. Slits
//! within one shape, as between two legs, stay open.

use kurbo::{Point, Vec2};

use super::buckets::Buckets;
use super::outline::Node;
use super::segment::LineSegment;

/// Border edges, inside to the left, with the shapes that they belong to.
#[derive(Debug, Default)]
pub(crate) struct Border {
    pub(crate) edges: Vec<[Node; 2]>,
    /// Where the shapes of each edge start in `owners`.
    pub(crate) starts: Vec<u32>,
    pub(crate) owners: Vec<u32>,
}

impl Border {
    fn owners(&self, edge: usize) -> &[u32] {
        let end = self.starts.get(edge + 1).map_or(self.owners.len(), |end| *end as usize);
        &self.owners[self.starts[edge] as usize..end]
    }
}

/// Cosine between the normals of two edges up to which they face each other.
const FACING: f64 = -0.5;

/// A place where two shapes are nearer than the weld distance: a point of each border, in grid units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slit {
    pub(crate) from: Point,
    pub(crate) to: Point,
}

/// The slits of a border, and quadrilaterals that fill them.
#[derive(Debug, Default)]
pub(crate) struct Weld {
    pub(crate) slits: Vec<Slit>,
    pub(crate) patches: Vec<[Point; 4]>,
}

/// A border edge in grid units.
struct Edge<'a> {
    line: LineSegment,
    along: Vec2,
    /// Away from the inside.
    outward: Vec2,
    owners: &'a [u32],
}

/// A place on an edge that is near another shape.
#[derive(Clone, Copy)]
struct SeamMatch {
    from: Point,
    to: Point,
    other: u32,
}

impl Weld {
    /// `distance` is the greatest width of a slit, `inset` how far patches reach into both shapes, so that
    /// rounding leaves no slit beside them.
    pub(crate) fn new(border: &Border, distance: f64, inset: f64) -> Self {
        if distance <= 0.0 || border.owners.iter().all(|shape| *shape == border.owners[0]) {
            return Self::default();
        }
        let edge = |(at, ends): (usize, &[Node; 2])| Edge::new(*ends, border.owners(at));
        let edges: Vec<Edge<'_>> = border.edges.iter().enumerate().map(edge).collect();
        let boxes: Vec<_> = edges.iter().map(|edge| bounds(&[edge.line.origin, edge.line.tip])).collect();
        let buckets = Buckets::new(&boxes, distance * 4.0);
        let mut weld = Self::default();
        let mut near = Vec::new();
        for edge in &edges {
            edge.others(&edges, &buckets, distance, &mut near);
            if near.is_empty() {
                continue;
            }
            let count = (edge.length() / distance).ceil().clamp(1.0, 4096.0);
            // The matches at both ends of a patch: along one pair of edges one patch is enough.
            let mut run: Option<(SeamMatch, SeamMatch)> = None;
            for k in 0..=count as u32 {
                let from = edge.line.origin.lerp(edge.line.tip, f64::from(k) / count);
                let found = edge.nearest(from, &edges, &near, distance);
                weld.slits.extend(found.map(|found| Slit { from, to: found.to }));
                run = match (run, found) {
                    (Some((first, last)), Some(found)) if last.other != found.other => {
                        weld.patch(edge, &edges, (first, last), inset);
                        weld.patch(edge, &edges, (last, found), inset);
                        Some((found, found))
                    }
                    (Some((first, _)), Some(found)) => Some((first, found)),
                    (None, Some(found)) => Some((found, found)),
                    (ended, None) => {
                        ended.into_iter().for_each(|run| weld.patch(edge, &edges, run, inset));
                        None
                    }
                };
            }
            run.into_iter().for_each(|run| weld.patch(edge, &edges, run, inset));
        }
        weld
    }

    /// Fills the slit from the first to the last match.
    fn patch(
        &mut self,
        edge: &Edge<'_>,
        edges: &[Edge<'_>],
        (first, last): (SeamMatch, SeamMatch),
        inset: f64,
    ) {
        let inward = |found: SeamMatch| found.to - edges[found.other as usize].outward * inset;
        let over = edge.along * inset;
        let own = edge.outward * inset;
        self.patches.push([first.from - own - over, last.from - own + over, inward(last), inward(first)]);
    }
}

impl<'a> Edge<'a> {
    fn new(ends: [Node; 2], owners: &'a [u32]) -> Self {
        let [origin, tip] = ends.map(|n| Point::new(n[0] as f64, n[1] as f64));
        let along = (tip - origin) / (tip - origin).hypot();
        Self { line: LineSegment { origin, tip }, along, outward: Vec2::new(along.y, -along.x), owners }
    }

    fn length(&self) -> f64 {
        (self.line.tip - self.line.origin).hypot()
    }

    /// The edges of other shapes that face this one within a distance of its box, each once.
    fn others(&self, edges: &[Edge<'_>], buckets: &Buckets, distance: f64, near: &mut Vec<u32>) {
        let (low, high) = bounds(&[self.line.origin, self.line.tip]);
        let margin = Vec2::new(distance, distance);
        let faces = |i: &u32| {
            let other = &edges[*i as usize];
            !other.owners.iter().any(|shape| self.owners.contains(shape))
                && other.outward.dot(self.outward) < FACING
        };
        near.clear();
        near.extend(buckets.within(low - margin, high + margin).filter(faces));
        near.sort_unstable();
        near.dedup();
    }

    /// The nearest point of these edges that lies outwards.
    fn nearest(&self, p: Point, edges: &[Edge<'_>], near: &[u32], distance: f64) -> Option<SeamMatch> {
        let found = near.iter().filter_map(|&i| {
            let other = &edges[i as usize];
            let (to, apart) = other.line.nearest(p);
            // Both are outside of the other.
            let across = (to - p).dot(self.outward) >= 0.0 && (p - to).dot(other.outward) >= 0.0;
            (apart <= distance && across).then_some((apart, SeamMatch { from: p, to, other: i }))
        });
        found.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.other.cmp(&b.1.other))).map(|(_, found)| found)
    }
}

pub(crate) fn bounds(points: &[Point]) -> (Point, Point) {
    points.iter().fold((points[0], points[0]), |(lo, hi), p| {
        (Point::new(lo.x.min(p.x), lo.y.min(p.y)), Point::new(hi.x.max(p.x), hi.y.max(p.y)))
    })
}
