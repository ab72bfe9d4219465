//! Triangles of polygons, and the edges at their rim.

use bone_drawing::FillRule;
use kurbo::Point;
use lyon_tessellation::geom::{Point as LyonPoint, point};
use lyon_tessellation::path::{ControlPointId, EndpointId, IdEvent, PositionStore};
use lyon_tessellation::{
    FillGeometryBuilder, FillOptions, FillTessellator, FillVertex, GeometryBuilder, GeometryBuilderError,
    TessellationError, VertexId,
};

use crate::flatten::Polygons;

/// Corners as indices of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Topology {
    /// All turn the same way round.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Edges of one triangle alone, in its direction.
    pub(crate) rim: Vec<[u32; 2]>,
}

/// Cuts polygons into triangles, with memory that is kept.
#[derive(Default)]
pub(crate) struct PolygonCutter {
    tessellator: FillTessellator,
    found: CutOutput,
}

/// What was cut last.
#[derive(Default)]
struct CutOutput {
    /// Each vertex with the point of the polygons that it is; none where edges cross.
    vertices: Vec<(LyonPoint<f32>, Option<u32>)>,
    triangles: Vec<[u32; 3]>,
}

impl std::fmt::Debug for PolygonCutter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PolygonCutter")
    }
}

impl Clone for PolygonCutter {
    /// Memory is not shared.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl GeometryBuilder for CutOutput {
    fn add_triangle(&mut self, a: VertexId, b: VertexId, c: VertexId) {
        self.triangles.push([a.0, b.0, c.0]);
    }
}

impl FillGeometryBuilder for CutOutput {
    fn add_fill_vertex(&mut self, vertex: FillVertex<'_>) -> Result<VertexId, GeometryBuilderError> {
        let id = u32::try_from(self.vertices.len()).map_err(|_| GeometryBuilderError::TooManyVertices)?;
        self.vertices.push((vertex.position(), vertex.as_endpoint_id().map(|id| id.0)));
        Ok(VertexId(id))
    }
}

impl CutOutput {
    /// The edges at the rim. Where edges of the polygons cross, triangles may meet along parts of each other's edges: only what
    /// lies on edges of the polygons is the rim then.
    fn rim(&self, polygons: &Polygons) -> Vec<[u32; 2]> {
        /// How far the rim may be from the edges, as a share of the size.
        const NEAR: f32 = 1e-4;
        /// Of outlines with more pairs of edges all are taken.
        const MOST_PAIRS: usize = 1 << 20;
        let mut rim = rim(&self.triangles);
        let crosses = self.vertices.iter().any(|(_, id)| id.is_none());
        if !crosses || rim.len() * polygons.points.len() > MOST_PAIRS {
            return rim;
        }
        let near = polygons.near();
        let size =
            self.vertices.iter().map(|(place, _)| place.x.abs().max(place.y.abs())).fold(0.0, f32::max);
        let allowed = (NEAR * size) * (NEAR * size);
        let mut edges = Vec::with_capacity(polygons.points.len());
        let mut start = 0;
        for end in &polygons.ends {
            let last = near.position(end - 1);
            edges.extend((start..*end).scan(last, |from, at| {
                let to = near.position(at);
                Some((std::mem::replace(from, to), to))
            }));
            start = *end;
        }
        rim.retain(|[a, b]| {
            let middle = self.vertices[*a as usize].0.lerp(self.vertices[*b as usize].0, 0.5);
            edges.iter().any(|(from, to)| {
                let (along, off) = (*to - *from, middle - *from);
                let length = along.square_length();
                let share = if length > 0.0 { (off.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
                (off - along * share).square_length() <= allowed
            })
        });
        rim
    }
}

impl Polygons {
    fn near(&self) -> NearPoints<'_> {
        NearPoints { points: &self.points, origin: self.points.first().copied().unwrap_or_default() }
    }
}

/// Points about an origin near them, where single precision is finest.
struct NearPoints<'a> {
    points: &'a [Point],
    origin: Point,
}

impl NearPoints<'_> {
    fn position(&self, at: usize) -> LyonPoint<f32> {
        let place = self.points[at] - self.origin;
        point(place.x as f32, place.y as f32)
    }
}

impl PositionStore for NearPoints<'_> {
    fn get_endpoint(&self, id: EndpointId) -> LyonPoint<f32> {
        self.position(id.to_usize())
    }

    fn get_control_point(&self, id: ControlPointId) -> LyonPoint<f32> {
        self.position(id.to_usize())
    }
}

/// Twice the area of a triangle, negative if it turns the other way round.
pub(crate) fn doubled_area(points: &[Point], corners: [u32; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| points[corner as usize]);
    (b - a).cross(c - a)
}

impl PolygonCutter {
    /// Cuts polygons. The triangles have their points as corners, and keep them while these move; `None` if that cannot
    /// be: where edges cross or meet.
    pub(crate) fn fixed(&mut self, polygons: &Polygons, rule: FillRule) -> Option<Topology> {
        self.cut(polygons, rule).ok()?;
        let ids: Option<Vec<u32>> = self.found.vertices.iter().map(|(_, id)| *id).collect();
        let ids = ids?;
        let triangles: Vec<_> =
            self.found.triangles.iter().map(|corners| corners.map(|at| ids[at as usize])).collect();
        let rim = rim(&triangles);
        let topology = Topology { triangles, rim };
        topology.has_rim(polygons).then_some(topology)
    }

    /// Cuts polygons anew: the points are put in place of those given, as where edges cross there are more.
    pub(crate) fn fresh(
        &mut self,
        polygons: &mut Polygons,
        rule: FillRule,
    ) -> Result<Topology, TessellationError> {
        self.cut(polygons, rule)?;
        let rim = self.found.rim(polygons);
        let origin = polygons.points.first().copied().unwrap_or_default();
        polygons.points.clear();
        polygons.points.extend(
            self.found
                .vertices
                .iter()
                .map(|(place, _)| origin + kurbo::Vec2::new(f64::from(place.x), f64::from(place.y))),
        );
        Ok(Topology { triangles: self.found.triangles.clone(), rim })
    }

    fn cut(&mut self, polygons: &Polygons, rule: FillRule) -> Result<(), TessellationError> {
        let Self { tessellator, found } = self;
        found.vertices.clear();
        found.triangles.clear();
        let near = NearPoints {
            points: &polygons.points,
            origin: polygons.points.first().copied().unwrap_or_default(),
        };
        let rule = match rule {
            FillRule::NonZero => lyon_tessellation::FillRule::NonZero,
            FillRule::EvenOdd => lyon_tessellation::FillRule::EvenOdd,
        };
        let mut start = 0;
        let mut events = Vec::with_capacity(polygons.points.len() + polygons.ends.len());
        for end in &polygons.ends {
            let id = |at: usize| EndpointId(at as u32);
            events.push(IdEvent::Begin { at: id(start) });
            events.extend((start + 1..*end).map(|at| IdEvent::Line { from: id(at - 1), to: id(at) }));
            events.push(IdEvent::End { last: id(end - 1), first: id(start), close: true });
            start = *end;
        }
        let options = FillOptions::default().with_fill_rule(rule);
        tessellator.tessellate_with_ids(events, &near, None, &options, found)
    }
}

impl Topology {
    /// Whether the rim is the edges of the polygons, each once.
    fn has_rim(&self, polygons: &Polygons) -> bool {
        let sides = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let mut rim: Vec<_> = self.rim.iter().copied().map(sides).collect();
        let mut edges = Vec::with_capacity(polygons.points.len());
        let mut start = 0;
        for end in &polygons.ends {
            let next = |at: usize| if at + 1 == *end { start } else { at + 1 };
            edges.extend((start..*end).map(|at| sides([at as u32, next(at) as u32])));
            start = *end;
        }
        rim.sort_unstable();
        edges.sort_unstable();
        rim == edges
    }

    /// Twice the area of all triangles.
    pub(crate) fn doubled_area(&self, points: &[Point]) -> f64 {
        self.triangles.iter().map(|corners| doubled_area(points, *corners)).sum()
    }

    /// Whether a triangle is turned over by more than a doubled area.
    pub(crate) fn is_turned(&self, points: &[Point], allowed: f64) -> bool {
        let (mut turned, mut right) = (false, false);
        for corners in &self.triangles {
            let area = doubled_area(points, *corners);
            turned |= area < -allowed;
            right |= area > allowed;
        }
        turned && right
    }
}

/// The edges that have a triangle on one side alone.
fn rim(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    // Both corners, the lower one first, and whether the edge leads from the higher to the lower: in one number, for the
    // sake of speed.
    let key = |[a, b]: [u32; 2]| (u64::from(a.min(b)) << 32) | (u64::from(a.max(b)) << 1) | u64::from(a > b);
    let around = |[a, b, c]: &[u32; 3]| [[*a, *b], [*b, *c], [*c, *a]];
    let mut edges: Vec<u64> = triangles.iter().flat_map(around).map(key).collect();
    edges.sort_unstable();
    let mut rim = Vec::new();
    for same in edges.chunk_by(|a, b| a >> 1 == b >> 1) {
        let back = same.iter().filter(|edge| **edge & 1 == 1).count();
        let forth = same.len() - back;
        let (a, b) = ((same[0] >> 32) as u32, (same[0] as u32) >> 1);
        if forth > back {
            rim.extend(std::iter::repeat_n([a, b], forth - back));
        } else {
            rim.extend(std::iter::repeat_n([b, a], back - forth));
        }
    }
    rim
}
