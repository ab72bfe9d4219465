//! Finds the weights along outlines, and where these are cut.

use bone_core::Skeleton;
use kurbo::{CubicBez, ParamCurve, Point};

use crate::anchor_slopes::set_anchor_slopes;
use crate::blend::Influence;
use crate::bline::{BLine, Segment, VertexPoint};
use crate::centres::CentreCurve;
use crate::joints::{CubicSegment, arc_length, smooth_joints};
use crate::keyed::KeyedBinding;
use crate::options::{BindOptions, Follow, Weights, vertex_count};
use crate::plan::{MOST_OUTLINE, PathPlan, SidePlan, backwards, cubic_sides};
use crate::split::{TrialScratch, WeightedSegment, handle_share, split, split_for_shapes};
use crate::warp::WarpTrials;
use crate::weight_curve::{UNIT, WeightCurve, field_row, round_row};
use crate::weights::{BoneWeights, VertexWeights};

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
}

/// What weights and cuts are found from.
pub(crate) struct Planner<'a> {
    weights: &'a Weights<'a>,
    curves: Option<(&'a Skeleton, f64)>,
    shapes: &'a [Vec<BLine>],
    /// Lattices, where outlines are followed.
    warp: Option<&'a WarpTrials>,
    /// For paths with keyed weights.
    keyed: Option<KeyedBinding>,
    /// Whether weights are rounded: those of fields, which are not typed.
    rounded: bool,
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

/// The extent of a curve's control points.
fn size(curve: &CubicBez) -> f64 {
    let d = (curve.p1 - curve.p0).hypot() + (curve.p2 - curve.p1).hypot() + (curve.p3 - curve.p2).hypot();
    d.max(f64::MIN_POSITIVE)
}
