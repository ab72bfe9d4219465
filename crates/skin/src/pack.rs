//! Columns of a path's plan: rigid segments unchanged, deforming ones in pieces.

use kurbo::{ParamCurve, PathEl, Point, Vec2};

use crate::bline::{BLine, Closing, Segment, VertexPoint};
use crate::centres::{CentreCurve, centre};
use crate::joints::CubicSegment;
use crate::keyed::{KeyedPath, WeightSource};
use crate::plan::{PathPlan, backwards, cubic_sides};
use crate::refit::SAMPLES;
use crate::skin::{BoundVertex, DeformingSegment, NodeDirection, Piece, Skin};
use crate::split::{CurveSample, WeightedSegment, handle_share};
use crate::table::BlendRule;
use crate::weight_curve::WeightCurve;

pub(crate) struct Packer<'a> {
    skin: &'a mut Skin,
    plan: &'a PathPlan,
    elements: Vec<PathEl>,
    vertices: Vec<BoundVertex>,
    /// For paths with keyed weights.
    keyed: Option<KeyedPath>,
}

impl<'a> Packer<'a> {
    pub(crate) fn new(skin: &'a mut Skin, plan: &'a PathPlan) -> Self {
        let (elements, vertices) = (Vec::new(), Vec::new());
        Self { skin, plan, elements, vertices, keyed: plan.keyed.clone() }
    }

    pub(crate) fn finish(self) -> (Vec<PathEl>, Vec<BoundVertex>, Option<KeyedPath>) {
        (self.elements, self.vertices, self.keyed)
    }

    /// Adds the weights of a vertex point to the table, and sets them in the bound vertex.
    fn point_entry(&mut self, vertex: usize, part: VertexPoint, at: Point) -> u32 {
        let blend = self.plan.blend;
        let influences = self.plan.rows[vertex][part as usize].as_deref().unwrap_or_default();
        let centre = if blend.has_centres() { centre(&self.plan.outline, influences) } else { Point::ZERO };
        let rule = BlendRule { mode: blend, centre };
        let row = match &mut self.keyed {
            None => self.skin.table.add(influences, rule),
            Some(keyed) => {
                let row = self.skin.table.add_unshared(influences, rule);
                keyed.add_keyed(row, None, WeightSource::VertexPoint(vertex, part));
                row
            }
        };
        self.vertices[vertex].parts[part as usize] = Some((at, row));
        row
    }

    /// Adds the weights of a curve sample on the segment that leaves a vertex.
    fn sample_entry(&mut self, curve_sample: &CurveSample, vertex: usize, t: f64) -> u32 {
        let Some(keyed) = &mut self.keyed else {
            return self.skin.table.add_sample(curve_sample, self.plan.blend);
        };
        let row = self.skin.table.add_unshared(
            &curve_sample.row,
            BlendRule { mode: self.plan.blend, centre: curve_sample.centre },
        );
        keyed.add_keyed(row, None, WeightSource::CurveSample(vertex, t));
        row
    }

    /// The same with the weight gradient, if the weights ever change.
    fn direction_entries(&mut self, curve_sample: &CurveSample, vertex: usize, t: f64) -> (u32, Option<u32>) {
        let Some(keyed) = &mut self.keyed else {
            return self.skin.table.add_sample_with_gradient(curve_sample, self.plan.blend);
        };
        let row = self.skin.table.add_unshared(
            &curve_sample.row,
            BlendRule { mode: self.plan.blend, centre: curve_sample.centre },
        );
        let slope = Some(self.skin.table.add_gradient(row, curve_sample));
        keyed.add_keyed(row, slope, WeightSource::CurveSample(vertex, t));
        (row, slope)
    }

    fn point(&mut self, at: Point, row: u32) -> u32 {
        self.skin.points.push(at);
        self.skin.rows.push(row);
        self.skin.points.len() as u32 - 1
    }

    pub(crate) fn line(&mut self, line: &BLine) {
        let (base, plan) = (self.vertices.len(), self.plan);
        self.vertices.resize_with(base + line.vertices().len(), BoundVertex::default);
        for (i, vertex) in line.vertices().iter().enumerate() {
            self.point_entry(base + i, VertexPoint::Anchor, vertex.anchor);
        }
        let sides: Vec<CubicSegment> = cubic_sides(line).collect();
        let start = self.anchor(base);
        self.elements.push(PathEl::MoveTo(self.skin.points[start as usize]));
        for (at, side) in sides.iter().enumerate() {
            match &plan.sides[base + side.from].along {
                Some(along) => self.deforming_segment(side, along, base),
                // The close draws it.
                None if at == line.spelt_out() => {}
                None => self.plain_segment(side, base),
            }
        }
        if line.closing() != Closing::Open {
            self.elements.push(PathEl::ClosePath);
        }
    }

    /// Adds the anchor of a vertex as a point of the outline.
    fn anchor(&mut self, vertex: usize) -> u32 {
        let (at, row) = self.vertices[vertex].parts[VertexPoint::Anchor as usize].unwrap_or_default();
        let place = self.point(at, row);
        self.vertices[vertex].shares[VertexPoint::Anchor as usize].points.push((place, 1.0));
        place
    }

    /// Packs a segment with constant weights, or one that is deformed by its control points.
    fn plain_segment(&mut self, side: &CubicSegment, base: usize) {
        let (from, to) = (base + side.from, base + side.to);
        if side.kind == Segment::Line {
            let end = self.anchor(to);
            self.elements.push(PathEl::LineTo(self.skin.points[end as usize]));
            return;
        }
        for (vertex, part, at) in
            [(from, VertexPoint::Out, side.curve.p1), (to, VertexPoint::In, side.curve.p2)]
        {
            let row = self.point_entry(vertex, part, at);
            let place = self.point(at, row);
            let vertex = &mut self.vertices[vertex];
            vertex.shares[VertexPoint::Anchor as usize].points.push((place, 1.0));
            vertex.shares[part as usize].points.push((place, 1.0));
        }
        self.anchor(to);
        self.elements.push(PathEl::CurveTo(side.curve.p1, side.curve.p2, side.curve.p3));
    }

    /// Packs a segment along which the weights change: pieces, in the canonical direction.
    fn deforming_segment(&mut self, side: &CubicSegment, along: &WeightCurve, base: usize) {
        let (plan, blend) = (self.plan, self.plan.blend);
        let (from, to) = (base + side.from, base + side.to);
        let between = Between { from, to, straight: side.kind == Segment::Line };
        let reversed = side.reversed;
        let centres = blend.has_centres().then(|| CentreCurve::new(along, &self.plan.outline));
        let segment = WeightedSegment { curve: side.canonical, along: along.clone(), blend, centres };
        let own = &plan.sides[from];
        let nodes: Vec<f64> =
            std::iter::once(0.0).chain(own.cuts.iter().copied()).chain(std::iter::once(1.0)).collect();
        let directions = self.directions((&segment, own.shape_handles), &nodes, reversed, between);
        let first_piece = self.skin.pieces.len();
        for (k, ends) in nodes.windows(2).enumerate() {
            let sample = self.samples(&segment, (ends[0], ends[1]), reversed, between);
            let share = |end: usize, node: f64| {
                let own_share = handle_share(std::iter::once(&segment.curve), end == 0);
                let is_inner = node != 0.0 && node != 1.0;
                if is_inner || own.shape_handles[end] { 1.0 / 3.0 } else { own_share }
            };
            self.skin.pieces.push(Piece {
                point: 0,
                sample,
                directions: [directions + k as u32, directions + k as u32 + 1],
                run: ends[1] - ends[0],
                shares: [share(0, ends[0]), share(1, ends[1])],
                reversed,
            });
        }
        let pieces = first_piece..self.skin.pieces.len();
        let first_bone = self.skin.segment_bones.len();
        self.skin.segment_bones.extend_from_slice(&along.bones);
        self.skin.deforming_segments.push(DeformingSegment {
            pieces: pieces.clone(),
            point: self.skin.points.len() - 1,
            bones: first_bone..self.skin.segment_bones.len(),
        });
        // The points are in the order of the path.
        let order: Vec<usize> = if reversed { pieces.rev().collect() } else { pieces.collect() };
        for (k, piece) in order.iter().enumerate() {
            self.piece_points(*piece, &segment, &nodes, k + 1 == order.len(), between);
        }
        self.handle_parts(side, (from, to));
    }

    /// Adds the three points of a piece to the path: two handles, which are fitted in each frame, and its
    /// end.
    fn piece_points(
        &mut self,
        piece: usize,
        segment: &WeightedSegment,
        nodes: &[f64],
        last: bool,
        between: Between,
    ) {
        let first = piece - (self.skin.pieces.len() - (nodes.len() - 1));
        let reversed = self.skin.pieces[piece].reversed;
        self.skin.pieces[piece].point = self.skin.points.len() as u32 - 1;
        let rest = segment.curve.subsegment(nodes[first]..nodes[first + 1]);
        let rest = if reversed { backwards(&rest) } else { rest };
        let anchor_row = self.skin.rows[self.skin.points.len() - 1];
        self.point(rest.p1, anchor_row);
        self.point(rest.p2, anchor_row);
        if last {
            self.anchor(between.to);
        } else {
            let node = if reversed { nodes[first] } else { nodes[first + 1] };
            let curve_sample = segment.curve_sample(node);
            let row = self.sample_entry(&curve_sample, between.from, node);
            let place = self.point(curve_sample.point, row);
            self.share_out(place, PackedColumn::Points, path_parameter(node, reversed), between);
        }
        self.elements.push(PathEl::CurveTo(rest.p1, rest.p2, rest.p3));
    }

    fn directions(
        &mut self,
        (segment, shape_handles): (&WeightedSegment, [bool; 2]),
        nodes: &[f64],
        reversed: bool,
        between: Between,
    ) -> u32 {
        let start = self.skin.directions.len() as u32;
        for &node in nodes {
            let mut curve_sample = segment.curve_sample(node);
            // Without a handle it is a direction alone, to which no derivative of another shape can be added.
            let is_end = node == 0.0 || node == 1.0;
            if is_end
                && handle_share(std::iter::once(&segment.curve), node == 0.0) == 0.0
                && shape_handles[usize::from(node > 0.0)]
            {
                curve_sample.tangent = Vec2::ZERO;
            }
            let (row, slope) = self.direction_entries(&curve_sample, between.from, node);
            let place = self.skin.directions.len() as u32;
            self.skin.directions.push(NodeDirection {
                at: curve_sample.point,
                tangent: curve_sample.tangent,
                row,
                slope,
            });
            self.share_out(
                place,
                PackedColumn::Directions(reversed),
                path_parameter(node, reversed),
                between,
            );
            if slope.is_some() {
                self.share_out(place, PackedColumn::Nodes, path_parameter(node, reversed), between);
            }
        }
        start
    }

    fn samples(
        &mut self,
        segment: &WeightedSegment,
        (start, end): (f64, f64),
        reversed: bool,
        between: Between,
    ) -> u32 {
        let first = self.skin.samples.len() as u32;
        for share in SAMPLES {
            let t = start + share * (end - start);
            let curve_sample = segment.curve_sample(t);
            let row = self.sample_entry(&curve_sample, between.from, t);
            let place = self.skin.samples.len() as u32;
            self.skin.samples.push(curve_sample.point);
            self.skin.sample_rows.push(row);
            self.share_out(place, PackedColumn::Samples, path_parameter(t, reversed), between);
        }
        first
    }

    /// Distributes the offsets of a segment's ends to a point on it: an offset moves control points, and the
    /// outline follows by the Bernstein polynomials. A straight segment stays straight.
    fn share_out(&mut self, place: u32, column: PackedColumn, t: f64, between: Between) {
        let Between { from, to, straight } = between;
        let r = 1.0 - t;
        let b = match column {
            PackedColumn::Directions(reversed) => {
                let sign = if reversed { -1.0 } else { 1.0 };
                let b = match straight {
                    true => [-1.0, 0.0, 0.0, 1.0],
                    false => [-r * r, r * r - 2.0 * r * t, 2.0 * r * t - t * t, t * t].map(|b| 3.0 * b),
                };
                b.map(|b| b * sign)
            }
            _ if straight => [r, 0.0, 0.0, t],
            _ => [r * r * r, 3.0 * r * r * t, 3.0 * r * t * t, t * t * t],
        };
        let parts = [
            (from, VertexPoint::Anchor, b[0] + b[1]),
            (from, VertexPoint::Out, b[1]),
            (to, VertexPoint::In, b[2]),
            (to, VertexPoint::Anchor, b[2] + b[3]),
        ];
        for (vertex, part, share) in parts {
            if share != 0.0 {
                let shares = &mut self.vertices[vertex].shares[part as usize];
                let list = match column {
                    PackedColumn::Points => &mut shares.points,
                    PackedColumn::Samples => &mut shares.samples,
                    PackedColumn::Directions(_) => &mut shares.directions,
                    PackedColumn::Nodes => &mut shares.nodes,
                };
                list.push((place, share));
            }
        }
    }

    /// The handles of a deforming curve can be dragged, too.
    fn handle_parts(&mut self, side: &CubicSegment, (from, to): (usize, usize)) {
        if side.kind == Segment::Line {
            return;
        }
        for (vertex, part, at) in
            [(from, VertexPoint::Out, side.curve.p1), (to, VertexPoint::In, side.curve.p2)]
        {
            self.point_entry(vertex, part, at);
        }
    }
}

/// The vertices at the ends of a segment.
#[derive(Clone, Copy)]
struct Between {
    from: usize,
    to: usize,
    /// Whether it has no handles of its own.
    straight: bool,
}

/// The column of the skin that an index belongs to. Directions may be opposite to the path.
#[derive(Clone, Copy)]
enum PackedColumn {
    Points,
    Samples,
    Directions(bool),
    /// The points at which directions are taken.
    Nodes,
}

fn path_parameter(canonical: f64, reversed: bool) -> f64 {
    if reversed { 1.0 - canonical } else { canonical }
}
