//! Writes outlines into the columns of a skin: rigid segments unchanged, deforming ones split into pieces.

use bone_core::Skeleton;
use kurbo::{CubicBez, ParamCurve, PathEl, Point, Vec2};

use crate::anchor_slopes::set_anchor_slopes;
use crate::blend::{Influence, SkinBlend};
use crate::bline::{BLine, Closing, Segment, VertexPoint};
use crate::centres::{CentreCurve, centre};
use crate::joints::{CubicSegment, arc_length, smooth_joints};
use crate::keyed::{KeyedBinding, KeyedPath, WeightSource};
use crate::options::{BindOptions, Follow, Weights};
use crate::refit::SAMPLES;
use crate::skin::{BoundVertex, DeformingSegment, NodeDirection, Piece, Skin};
use crate::split::{CurveSample, TrialScratch, WeightedSegment, handle_share, split, split_for_shapes};
use crate::table::BlendRule;
use crate::warp::WarpTrials;
use crate::weight_curve::{WeightCurve, field_row};
use crate::weights::{BoneWeights, VertexWeights};

pub(crate) struct Packer<'a> {
    skin: &'a mut Skin,
    weights: &'a Weights<'a>,
    blend: SkinBlend,
    curves: Option<(&'a Skeleton, f64)>,
    shapes: &'a [Vec<BLine>],
    /// Lattices, where outlines are followed.
    warp: Option<&'a WarpTrials>,
    elements: Vec<PathEl>,
    vertices: Vec<BoundVertex>,
    /// For paths with keyed weights.
    keyed: Option<KeyedBinding>,
    /// Points of the outlines with their weights, for centres of rotation.
    outline: Vec<(Point, Vec<Influence>)>,
    trials: TrialScratch,
}

/// The length of a piece of an outline that follows vertices, in edges of their mesh: a cubic is exact enough for what
/// these can bend in it.
const PIECE: f64 = 2.0;
/// Greatest number of such pieces of a segment.
const MOST_PIECES: f64 = 256.0;

/// The number of equal pieces of about a length.
fn pieces_of(curve: &CubicBez, length: f64) -> u32 {
    let CubicBez { p0, p1, p2, p3 } = *curve;
    let legs = (p1 - p0).hypot() + (p2 - p1).hypot() + (p3 - p2).hypot();
    (legs / length).ceil().clamp(1.0, MOST_PIECES) as u32
}

impl<'a> Packer<'a> {
    pub(crate) fn new(
        skin: &'a mut Skin,
        weights: &'a Weights<'a>,
        options: &BindOptions<'a>,
        lines: &[BLine],
    ) -> Self {
        let curves = match options.follow {
            Follow::ControlPoints => None,
            Follow::Curves { skeleton, tolerance } => Some((skeleton, tolerance)),
        };
        let mut packer = Self {
            skin,
            weights,
            blend: options.blend,
            curves,
            shapes: options.shapes,
            warp: options.warp.filter(|_| curves.is_some()),
            elements: Vec::new(),
            vertices: Vec::new(),
            keyed: None,
            outline: Vec::new(),
            trials: TrialScratch::default(),
        };
        if let Weights::Keyed { rest, tracks } = *weights {
            let mut base = 0;
            let with_sides = |line| {
                let sides = packer.sides(line, base);
                base += line.vertices().len();
                (line, sides)
            };
            let lines: Vec<(&BLine, Vec<CubicSegment>)> = lines.iter().map(with_sides).collect();
            packer.keyed = Some(KeyedBinding::new((rest, tracks), &lines, curves, options.blend));
        }
        if options.blend.has_centres() {
            packer.outline = packer.weighted_outline(lines);
        }
        packer
    }

    pub(crate) fn finish(self) -> (Vec<PathEl>, Vec<BoundVertex>, Option<KeyedPath>) {
        (self.elements, self.vertices, self.keyed.map(|keyed| keyed.path))
    }

    /// The weights of a vertex point.
    pub(crate) fn weights_of(&self, vertex: usize, part: VertexPoint, at: Point) -> Vec<Influence> {
        match self.weights {
            Weights::Still => Vec::new(),
            Weights::Rigid(bone) => vec![(*bone, 1.0)],
            Weights::Explicit(rows) | Weights::Keyed { rest: rows, .. } => {
                row_of(&rows[vertex], part).influences().to_vec()
            }
            Weights::Field(field) => field_row(*field, at),
        }
    }

    /// Adds the weights of a vertex point to the table, and sets them in the bound vertex.
    fn point_entry(&mut self, vertex: usize, part: VertexPoint, at: Point) -> u32 {
        let influences = self.weights_of(vertex, part, at);
        let centre = if self.blend.has_centres() { centre(&self.outline, &influences) } else { Point::ZERO };
        let rule = BlendRule { mode: self.blend, centre };
        let row = match &mut self.keyed {
            None => self.skin.table.add(&influences, rule),
            Some(keyed) => {
                let row = self.skin.table.add_unshared(&influences, rule);
                keyed.path.add_keyed(row, None, WeightSource::VertexPoint(vertex, part));
                row
            }
        };
        self.vertices[vertex].parts[part as usize] = Some((at, row));
        row
    }

    /// Adds the weights of a curve sample on the segment that leaves a vertex.
    fn sample_entry(&mut self, curve_sample: &CurveSample, vertex: usize, t: f64) -> u32 {
        let Some(keyed) = &mut self.keyed else {
            return self.skin.table.add_sample(curve_sample, self.blend);
        };
        let row = self
            .skin
            .table
            .add_unshared(&curve_sample.row, BlendRule { mode: self.blend, centre: curve_sample.centre });
        keyed.path.add_keyed(row, None, WeightSource::CurveSample(vertex, t));
        row
    }

    /// The same with the weight gradient, if the weights ever change.
    fn direction_entries(&mut self, curve_sample: &CurveSample, vertex: usize, t: f64) -> (u32, Option<u32>) {
        let Some(keyed) = &mut self.keyed else {
            return self.skin.table.add_sample_with_gradient(curve_sample, self.blend);
        };
        let row = self
            .skin
            .table
            .add_unshared(&curve_sample.row, BlendRule { mode: self.blend, centre: curve_sample.centre });
        let slope = Some(self.skin.table.add_gradient(row, curve_sample));
        keyed.path.add_keyed(row, slope, WeightSource::CurveSample(vertex, t));
        (row, slope)
    }

    fn point(&mut self, at: Point, row: u32) -> u32 {
        self.skin.points.push(at);
        self.skin.rows.push(row);
        self.skin.points.len() as u32 - 1
    }

    pub(crate) fn line(&mut self, line: &BLine) {
        let base = self.vertices.len();
        self.vertices.resize_with(base + line.vertices().len(), BoundVertex::default);
        for (i, vertex) in line.vertices().iter().enumerate() {
            self.point_entry(base + i, VertexPoint::Anchor, vertex.anchor);
        }
        let mut sides = self.weighted_sides(line, base);
        if self.warp.is_some() {
            let still = |side: &CubicSegment| {
                WeightCurve::constant(&self.weights_of(base + side.from, VertexPoint::Anchor, side.curve.p0))
            };
            sides
                .iter_mut()
                .filter(|side| side.along.is_none())
                .for_each(|side| side.along = Some(still(side)));
        }
        let start = self.anchor(base);
        self.elements.push(PathEl::MoveTo(self.skin.points[start as usize]));
        for (at, side) in sides.iter().enumerate() {
            match &side.along {
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

    /// The segments of a line with the weights along them, smooth at smooth vertices.
    pub(crate) fn weighted_sides(&self, line: &BLine, base: usize) -> Vec<CubicSegment> {
        let mut sides = self.sides(line, base);
        match &self.keyed {
            None => {
                smooth_joints(line, &mut sides);
                if let Weights::Explicit(rows) = self.weights {
                    set_anchor_slopes(line, &rows[base..base + line.vertices().len()], &mut sides);
                }
            }
            Some(keyed) => sides.iter_mut().for_each(|side| side.along = keyed.along(base + side.from)),
        }
        sides
    }

    fn sides(&self, line: &BLine, base: usize) -> Vec<CubicSegment> {
        let shapes: Vec<Vec<CubicBez>> =
            self.shapes.iter().filter_map(|shape| Some(line_at(shape, base)?.cubics().collect())).collect();
        let side = |(at, (kind, from, to)): (usize, (Segment, usize, usize))| {
            let curve = line.cubic(kind, from, to);
            let reversed = is_backwards(&curve);
            let turned = |curve: &CubicBez| if reversed { backwards(curve) } else { *curve };
            let canonical = turned(&curve);
            let shapes = shapes.iter().filter_map(|shape| shape.get(at)).map(turned).collect();
            let along = self.curves.and_then(|_| self.along(&canonical, reversed, (base + from, base + to)));
            let along = along.filter(|along| !along.is_constant());
            CubicSegment { kind, from, to, curve, canonical, reversed, shapes, along }
        };
        line.segments().enumerate().map(side).collect()
    }

    /// Weights along a segment in its canonical direction, between two vertices of the path.
    fn along(&self, curve: &CubicBez, reversed: bool, (from, to): (usize, usize)) -> Option<WeightCurve> {
        match self.weights {
            // Changes of keyed weights are found for all times at once.
            Weights::Still | Weights::Rigid(_) | Weights::Keyed { .. } => None,
            Weights::Explicit(rows) => {
                let mut rows = [
                    &rows[from].anchor,
                    row_of(&rows[from], VertexPoint::Out),
                    row_of(&rows[to], VertexPoint::In),
                    &rows[to].anchor,
                ];
                if reversed {
                    rows.reverse();
                }
                Some(WeightCurve::from_rows(rows))
            }
            Weights::Field(field) => {
                Some(WeightCurve::from_field(curve, *field, arc_length(curve, 1e-2 * size(curve))))
            }
        }
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
        let Some((skeleton, tolerance)) = self.curves else { return };
        let (from, to) = (base + side.from, base + side.to);
        let between = Between { from, to, straight: side.kind == Segment::Line };
        let reversed = side.reversed;
        let turns = self.blend.has_centres();
        let centres = turns.then(|| CentreCurve::new(along, &self.outline));
        let segment =
            WeightedSegment { curve: side.canonical, along: along.clone(), blend: self.blend, centres };
        let mut nodes = vec![0.0];
        let vertices = match self.weights {
            Weights::Field(field) if field.is_of_vertices() => Some(PIECE * field.grain()),
            _ => None,
        };
        match (&self.keyed, vertices) {
            (None, Some(length)) => {
                let count = pieces_of(&segment.curve, length);
                nodes.extend((1..count).map(|k| f64::from(k) / f64::from(count)));
            }
            (None, None) if side.shapes.is_empty() => {
                nodes.extend(split(&segment, skeleton, tolerance, &mut self.trials));
            }
            (None, None) => {
                let shape = |curve: &CubicBez| WeightedSegment { curve: *curve, ..segment.clone() };
                let all: Vec<WeightedSegment> =
                    std::iter::once(segment.clone()).chain(side.shapes.iter().map(shape)).collect();
                nodes.extend(split_for_shapes(all, skeleton, tolerance, &mut self.trials));
            }
            (Some(keyed), _) => nodes.extend(keyed.cuts(from)),
        }
        if let Some(warp) = self.warp {
            let curves: Vec<CubicBez> =
                std::iter::once(segment.curve).chain(side.shapes.iter().copied()).collect();
            nodes.extend(warp.cuts(&curves, tolerance));
            nodes.sort_by(f64::total_cmp);
            nodes.dedup();
        }
        nodes.push(1.0);
        let directions = self.directions((&segment, &side.shapes), &nodes, reversed, between);
        let first_piece = self.skin.pieces.len();
        for (k, ends) in nodes.windows(2).enumerate() {
            let sample = self.samples(&segment, (ends[0], ends[1]), reversed, between);
            let share = |end: usize, node: f64| {
                let curves = std::iter::once(&segment.curve).chain(&side.shapes);
                if node == 0.0 || node == 1.0 { handle_share(curves, end == 0) } else { 1.0 / 3.0 }
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
        (segment, shapes): (&WeightedSegment, &[CubicBez]),
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
                && handle_share(shapes.iter(), node == 0.0) > 0.0
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

    /// Points along all outlines with their weights, up to a maximum.
    fn weighted_outline(&self, lines: &[BLine]) -> Vec<(Point, Vec<Influence>)> {
        const MOST: usize = 400;
        let mut first = 0;
        let mut all = Vec::new();
        for line in lines {
            for (_, from, to) in line.segments() {
                let (a, b) = (line.vertices()[from].anchor, line.vertices()[to].anchor);
                let curve =
                    CubicBez::new(a, line.vertices()[from].tangent_out, line.vertices()[to].tangent_in, b);
                let along = self.along(&curve, false, (first + from, first + to));
                if let Some(along) = along {
                    // Only points with several bones are compared.
                    let places = (0..64).map(|i| f64::from(i) / 64.0).map(|t| (curve.eval(t), along.at(t).0));
                    all.extend(places.filter(|(_, row)| row.iter().all(|(_, weight)| *weight < 0.999)));
                }
            }
            first += line.vertices().len();
        }
        let step = all.len().div_ceil(MOST).max(1);
        all.into_iter().step_by(step).collect()
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

/// The outline whose first vertex has this number in its path.
fn line_at(lines: &[BLine], first: usize) -> Option<&BLine> {
    let mut next = 0;
    lines.iter().find(|line| {
        next += line.vertices().len();
        next - line.vertices().len() == first
    })
}

fn path_parameter(canonical: f64, reversed: bool) -> f64 {
    if reversed { 1.0 - canonical } else { canonical }
}

fn row_of(weights: &VertexWeights, part: VertexPoint) -> &BoneWeights {
    let own = match part {
        VertexPoint::Anchor => None,
        VertexPoint::In => weights.tangent_in.as_ref(),
        VertexPoint::Out => weights.tangent_out.as_ref(),
    };
    own.unwrap_or(&weights.anchor)
}

/// Segments that two shapes share must be split alike, whatever their directions: the lesser end is the
/// start.
fn is_backwards(curve: &CubicBez) -> bool {
    let key = |a: Point, b: Point| [a.x, a.y, b.x, b.y];
    let (forward, backward) = (key(curve.p0, curve.p1), key(curve.p3, curve.p2));
    let order = forward.iter().zip(&backward).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
    order.is_some_and(std::cmp::Ordering::is_gt)
}

fn backwards(curve: &CubicBez) -> CubicBez {
    CubicBez::new(curve.p3, curve.p2, curve.p1, curve.p0)
}

/// The extent of a curve's control points.
fn size(curve: &CubicBez) -> f64 {
    let d = (curve.p1 - curve.p0).hypot() + (curve.p2 - curve.p1).hypot() + (curve.p3 - curve.p2).hypot();
    d.max(f64::MIN_POSITIVE)
}
