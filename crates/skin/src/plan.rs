//! What a path is before it has columns: outlines, weights and cuts. Columns follow from it, by the same code where a
//! rig is compiled and where a packed one is read.

use bone_archive::{Archive, ArchiveError, Reader, Writer};
use bone_core::Skeleton;
use kurbo::{CubicBez, ParamCurve, Point};

use crate::anchor_slopes::set_anchor_slopes;
use crate::blend::{Influence, SkinBlend};
use crate::bline::{BLine, Segment, VertexPoint};
use crate::centres::CentreCurve;
use crate::joints::{CubicSegment, arc_length, smooth_joints};
use crate::keyed::{KeyedBinding, KeyedPath};
use crate::options::{BindOptions, FoldRule, Follow, Weights, WindingRule, vertex_count};
use crate::refit::SAMPLES;
use crate::split::{CELLS, TrialScratch, WeightedSegment, handle_share, split, split_for_shapes};
use crate::warp::WarpTrials;
use crate::weight_curve::{UNIT, WeightCurve, field_row, round_row};
use crate::weights::{BoneWeights, VertexWeights};

/// A path as it is bound.
#[derive(Clone, Debug)]
pub(crate) struct PathPlan {
    pub(crate) lines: Vec<BLine>,
    pub(crate) blend: SkinBlend,
    pub(crate) folds: FoldRule,
    /// The rule of its fill; none for a line.
    pub(crate) fill: Option<WindingRule>,
    /// The distance within which outlines are followed, in canvas units; none if control points are.
    pub(crate) tolerance: Option<f64>,
    /// The weights of the points that each vertex has, indexed by [`VertexPoint`].
    pub(crate) rows: Vec<[Option<Vec<Influence>>; 3]>,
    /// The segments, by the vertex that they leave.
    pub(crate) sides: Vec<SidePlan>,
    /// Without entries of a table.
    pub(crate) keyed: Option<KeyedPath>,
    /// Points of the outlines with their weights, from which centres of rotation are computed; none for a mode without.
    pub(crate) outline: Vec<(Point, Vec<Influence>)>,
}

/// What is known of a segment before it has columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct SidePlan {
    /// In the canonical direction; none if the segment is deformed by its control points.
    pub(crate) along: Option<WeightCurve>,
    /// The parameters at which it is cut, ends excluded, in the canonical direction.
    pub(crate) cuts: Vec<f64>,
    /// Whether another shape of the path has a handle at the start and the end of the canonical curve.
    pub(crate) shape_handles: [bool; 2],
}

impl PathPlan {
    /// Finds weights and cuts.
    pub(crate) fn new(lines: &[BLine], weights: &Weights<'_>, options: &BindOptions<'_>) -> Self {
        let planner = Planner::new(lines, weights, options);
        let mut plan = Self {
            lines: lines.to_vec(),
            blend: options.blend,
            folds: options.folds,
            fill: options.fill,
            tolerance: planner.curves.map(|(_, tolerance)| tolerance),
            rows: vec![[None, None, None]; vertex_count(lines)],
            sides: vec![SidePlan::default(); vertex_count(lines)],
            keyed: None,
            outline: if options.blend.has_centres() { planner.outline(lines) } else { Vec::new() },
        };
        let mut sides = Vec::new();
        let mut base = 0;
        for line in lines {
            let own = planner.weighted_sides(line, base);
            for (at, vertex) in line.vertices().iter().enumerate() {
                plan.set_row(&planner, base + at, VertexPoint::Anchor, vertex.anchor);
            }
            for side in own.iter().filter(|side| side.kind != Segment::Line) {
                plan.set_row(&planner, base + side.from, VertexPoint::Out, side.curve.p1);
                plan.set_row(&planner, base + side.to, VertexPoint::In, side.curve.p2);
            }
            for side in own {
                let place = base + side.from;
                let is_held = |start: bool| handle_share(side.shapes.iter(), start) > 0.0;
                plan.sides[place].shape_handles = [true, false].map(is_held);
                plan.sides[place].along = match (&side.along, planner.warp) {
                    (None, Some(_)) => plan.row(place).map(WeightCurve::constant),
                    (along, _) => along.clone(),
                };
                sides.push((place, side));
            }
            base += line.vertices().len();
        }
        let mut trials = TrialScratch::default();
        for (place, side) in &sides {
            let Some(along) = plan.sides[*place].along.clone() else { continue };
            let centres = plan.blend.has_centres().then(|| CentreCurve::new(&along, &plan.outline));
            let segment = WeightedSegment { curve: side.canonical, along, blend: plan.blend, centres };
            plan.sides[*place].cuts = planner.cuts((*place, side), segment, &mut trials);
        }
        plan.keyed = planner.keyed.map(|keyed| keyed.path);
        plan
    }

    fn set_row(&mut self, planner: &Planner<'_>, vertex: usize, part: VertexPoint, at: Point) {
        let mut row = planner.weights_of(vertex, part, at);
        if planner.rounded {
            round_row(&mut row, UNIT);
        }
        self.rows[vertex][part as usize] = Some(row);
    }

    /// The weights of an anchor.
    fn row(&self, vertex: usize) -> Option<&[Influence]> {
        self.rows[vertex][VertexPoint::Anchor as usize].as_deref()
    }

    /// About as many bytes as its columns have. Centres take time instead, which counts as much.
    fn size(&self) -> usize {
        let centres = 64 * self.outline.len();
        let side = |side: &SidePlan| {
            let bones = side.along.as_ref().map_or(0, |along| along.bones.len());
            let columns = (side.cuts.len() + 1).saturating_mul((2 * SAMPLES.len() + 4) * (16 * bones + 100));
            columns.saturating_add(centres)
        };
        self.sides.iter().map(side).fold(0, usize::saturating_add)
    }
}

/// The segments of a line as cubics, without weights.
pub(crate) fn cubic_sides(line: &BLine) -> impl Iterator<Item = CubicSegment> {
    line.segments().map(|(kind, from, to)| {
        let curve = line.cubic(kind, from, to);
        let reversed = is_backwards(&curve);
        let canonical = if reversed { backwards(&curve) } else { curve };
        CubicSegment { kind, from, to, curve, canonical, reversed, shapes: Vec::new(), along: None }
    })
}

/// Finds the weights along outlines, and where these are cut.
pub(crate) struct Planner<'a> {
    weights: &'a Weights<'a>,
    curves: Option<(&'a Skeleton, f64)>,
    shapes: &'a [Vec<BLine>],
    /// Lattices, where outlines are followed.
    warp: Option<&'a WarpTrials>,
    /// For paths with keyed weights.
    keyed: Option<KeyedBinding>,
    /// Whether weights are rounded: those of fields, which nobody types.
    rounded: bool,
}

/// The greatest number of points from which centres of rotation are computed.
const MOST_OUTLINE: usize = 400;
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

impl<'a> Planner<'a> {
    pub(crate) fn new(lines: &[BLine], weights: &'a Weights<'a>, options: &BindOptions<'a>) -> Self {
        let curves = match options.follow {
            Follow::ControlPoints => None,
            Follow::Curves { skeleton, tolerance } => Some((skeleton, tolerance)),
        };
        let mut planner = Self {
            weights,
            curves,
            shapes: options.shapes,
            warp: options.warp.filter(|_| curves.is_some()),
            keyed: None,
            rounded: options.rounded && matches!(weights, Weights::Field(_)),
        };
        if let Weights::Keyed { rest, tracks } = *weights {
            let mut base = 0;
            let with_sides = |line| {
                let sides = planner.sides(line, base);
                base += line.vertices().len();
                (line, sides)
            };
            let lines: Vec<(&BLine, Vec<CubicSegment>)> = lines.iter().map(with_sides).collect();
            planner.keyed = Some(KeyedBinding::new((rest, tracks), &lines, curves, options.blend));
        }
        planner
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
        if self.rounded {
            sides.iter_mut().filter_map(|side| side.along.as_mut()).for_each(WeightCurve::round);
        }
        sides
    }

    fn sides(&self, line: &BLine, base: usize) -> Vec<CubicSegment> {
        let shapes: Vec<Vec<CubicBez>> =
            self.shapes.iter().filter_map(|shape| Some(line_at(shape, base)?.cubics().collect())).collect();
        let with_weights = |(at, side): (usize, CubicSegment)| {
            let turned = |curve: &CubicBez| if side.reversed { backwards(curve) } else { *curve };
            let shapes = shapes.iter().filter_map(|shape| shape.get(at)).map(turned).collect();
            let between = (base + side.from, base + side.to);
            let along = self.curves.and_then(|_| self.along(&side.canonical, side.reversed, between));
            let along = along.filter(|along| !along.is_constant());
            CubicSegment { shapes, along, ..side }
        };
        cubic_sides(line).enumerate().map(with_weights).collect()
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

    /// Points along all outlines with their weights, up to a maximum.
    fn outline(&self, lines: &[BLine]) -> Vec<(Point, Vec<Influence>)> {
        let (mut first, mut all) = (0, Vec::new());
        for line in lines {
            for (_, from, to) in line.segments() {
                let (a, b) = (line.vertices()[from].anchor, line.vertices()[to].anchor);
                let curve =
                    CubicBez::new(a, line.vertices()[from].tangent_out, line.vertices()[to].tangent_in, b);
                if let Some(along) = self.along(&curve, false, (first + from, first + to)) {
                    // Only points with several bones are compared.
                    let places = (0..64).map(|i| f64::from(i) / 64.0).map(|t| (curve.eval(t), along.at(t).0));
                    all.extend(places.filter(|(_, row)| row.iter().all(|(_, weight)| *weight < 0.999)));
                }
            }
            first += line.vertices().len();
        }
        let step = all.len().div_ceil(MOST_OUTLINE).max(1);
        all.into_iter().step_by(step).collect()
    }

    /// Where a segment along which the weights change is cut, ends excluded.
    fn cuts(
        &self,
        (place, side): (usize, &CubicSegment),
        segment: WeightedSegment,
        trials: &mut TrialScratch,
    ) -> Vec<f64> {
        let Some((skeleton, tolerance)) = self.curves else { return Vec::new() };
        let vertices = match self.weights {
            Weights::Field(field) if field.is_of_vertices() => Some(PIECE * field.grain()),
            _ => None,
        };
        let curve = segment.curve;
        let mut cuts = match (&self.keyed, vertices) {
            (None, Some(length)) => {
                let count = pieces_of(&curve, length);
                (1..count).map(|k| f64::from(k) / f64::from(count)).collect()
            }
            (None, None) if side.shapes.is_empty() => split(&segment, skeleton, tolerance, trials),
            (None, None) => {
                let shape = |curve: &CubicBez| WeightedSegment { curve: *curve, ..segment.clone() };
                let all = std::iter::once(&curve).chain(&side.shapes).map(shape).collect();
                split_for_shapes(all, skeleton, tolerance, trials)
            }
            (Some(keyed), _) => keyed.cuts(place).to_vec(),
        };
        if let Some(warp) = self.warp {
            let curves: Vec<CubicBez> = std::iter::once(curve).chain(side.shapes.iter().copied()).collect();
            cuts.extend(warp.cuts(&curves, tolerance));
            cuts.sort_by(f64::total_cmp);
            cuts.dedup();
        }
        cuts
    }
}

/// The outline whose first vertex has this number in its path.
fn line_at(lines: &[BLine], first: usize) -> Option<&BLine> {
    let mut next = 0;
    lines.iter().find(|line| {
        next += line.vertices().len();
        next - line.vertices().len() == first
    })
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

pub(crate) fn backwards(curve: &CubicBez) -> CubicBez {
    CubicBez::new(curve.p3, curve.p2, curve.p1, curve.p0)
}

/// The extent of a curve's control points.
fn size(curve: &CubicBez) -> f64 {
    let d = (curve.p1 - curve.p0).hypot() + (curve.p2 - curve.p1).hypot() + (curve.p3 - curve.p2).hypot();
    d.max(f64::MIN_POSITIVE)
}

/// What the last weight is if all have exactly the sum 1.
fn rest_of(row: &[Influence]) -> f64 {
    1.0 - row.iter().map(|(_, weight)| weight).sum::<f64>()
}

/// The last weight is written only if it is not the rest of the sum, which the lowest bit of the count says.
fn write_row(row: &[Influence], to: &mut Writer) {
    let Some(((bone, weight), first)) = row.split_last() else { return to.number(0) };
    let is_rest = weight.to_bits() == rest_of(first).to_bits();
    to.number((row.len() as u64) << 1 | u64::from(is_rest));
    first.iter().for_each(|influence| influence.write(to));
    bone.write(to);
    Some(weight).filter(|_| !is_rest).into_iter().for_each(|weight| weight.write(to));
}

fn read_row(from: &mut Reader<'_>) -> Result<Vec<Influence>, ArchiveError> {
    let head = from.number()?;
    let mut row = Vec::new();
    for _ in 1..head >> 1 {
        row.push(Archive::read(from)?);
    }
    if head > 0 {
        let bone = Archive::read(from)?;
        let weight = if head & 1 == 1 { rest_of(&row) } else { f64::read(from)? };
        row.push((bone, weight));
    }
    Ok(row)
}

/// The bits of a vertex: the points that it has, the handles that have the weights of their anchor, and whether the
/// anchor has those of the vertex before.
const SAME: u8 = 8;
const FOLLOWS: u8 = 64;

/// Rows that repeat are bits; cuts on the grid are bytes.
impl Archive for PathPlan {
    fn write(&self, to: &mut Writer) {
        let Self { lines, blend, folds, fill, tolerance, rows, sides, keyed, outline } = self;
        (lines, blend, folds).write(to);
        (fill, tolerance, keyed).write(to);
        outline.write(to);
        let mut before: Option<&[Influence]> = None;
        for row in rows {
            let anchor = row[0].as_deref();
            let mut bits = if anchor == before { FOLLOWS } else { 0 };
            for (part, own) in row.iter().enumerate().filter(|(_, own)| own.is_some()) {
                bits |= 1 << part | if part > 0 && own.as_deref() == anchor { SAME << part >> 1 } else { 0 };
            }
            to.byte(bits);
            for (part, own) in row.iter().enumerate() {
                let is_told = if part == 0 { bits & FOLLOWS > 0 } else { bits & SAME << part >> 1 > 0 };
                own.iter().filter(|_| !is_told).for_each(|own| write_row(own, to));
            }
            before = anchor;
        }
        for SidePlan { along, cuts, shape_handles } in sides {
            let cells: Option<Vec<u8>> = cuts.iter().map(|cut| cell(*cut)).collect();
            let bits = [along.is_some(), cells.is_some(), shape_handles[0], shape_handles[1]];
            to.byte((0..).zip(bits).fold(0, |all, (at, bit)| all | u8::from(bit) << at));
            let Some(along) = along else { continue };
            along.write(to);
            match cells {
                Some(cells) => to.list(&cells),
                None => to.list(cuts),
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (lines, blend, folds): (Vec<BLine>, _, _) = Archive::read(from)?;
        let (fill, tolerance, keyed): (_, Option<f64>, Option<KeyedPath>) = Archive::read(from)?;
        let outline = Archive::read(from)?;
        let count = vertex_count(&lines);
        let mut rows: Vec<[Option<Vec<Influence>>; 3]> = Vec::with_capacity(count.min(from.left()));
        for _ in 0..count {
            let bits = from.byte()?;
            let mut row = [None, None, None];
            for part in (0..3).filter(|part| bits >> part & 1 == 1) {
                row[part] = if part == 0 && bits & FOLLOWS > 0 {
                    rows.last().and_then(|before| before[0].clone())
                } else if part > 0 && bits & SAME << part >> 1 > 0 {
                    row[0].clone()
                } else {
                    Some(read_row(from)?)
                };
            }
            rows.push(row);
        }
        let mut sides = Vec::with_capacity(count.min(from.left()));
        for _ in 0..count {
            let bits = from.byte()?;
            from.check(bits < 16, "segment")?;
            let bit = |at: u8| bits >> at & 1 == 1;
            let mut side = SidePlan { shape_handles: [bit(2), bit(3)], ..SidePlan::default() };
            if bit(0) {
                side.along = Some(WeightCurve::read(from)?);
                side.cuts = match bit(1) {
                    true => {
                        from.list::<u8>()?.into_iter().map(|cell| f64::from(cell) / CELLS as f64).collect()
                    }
                    false => from.list()?,
                };
            }
            sides.push(side);
        }
        let plan = Self { lines, blend, folds, fill, tolerance, rows, sides, keyed, outline };
        from.check(plan.is_sound(), "bound path")?;
        from.grow(plan.size())?;
        Ok(plan)
    }
}

/// The cell of the grid that a cut is on.
fn cell(cut: f64) -> Option<u8> {
    let cell = cut * CELLS as f64;
    (cell.fract() == 0.0).then_some(cell as u8)
}

impl PathPlan {
    /// Whether all points have weights, and cuts rise between the ends.
    fn is_sound(&self) -> bool {
        let has = |vertex: usize, part: VertexPoint| self.rows[vertex][part as usize].is_some();
        let mut base = 0;
        let lines_fit = self.lines.iter().all(|line| {
            let first = base;
            base += line.vertices().len();
            (first..base).all(|vertex| has(vertex, VertexPoint::Anchor))
                && line.segments().filter(|(kind, ..)| *kind != Segment::Line).all(|(_, from, to)| {
                    has(first + from, VertexPoint::Out) && has(first + to, VertexPoint::In)
                })
        });
        let cuts_fit = |side: &SidePlan| {
            side.cuts.iter().all(|cut| (0.0..1.0).contains(cut) && *cut > 0.0)
                && side.cuts.is_sorted_by(|cut, next| cut < next)
                && (side.along.is_none() || self.tolerance.is_some())
        };
        lines_fit
            && self.outline.len() <= MOST_OUTLINE
            && self.tolerance.is_none_or(|tolerance| tolerance > 0.0)
            && self.sides.iter().all(cuts_fit)
            && self.keyed.as_ref().is_none_or(|keyed| keyed.is_sound(0, 0) && keyed.vertex_count() == base)
    }
}
