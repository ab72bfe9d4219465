//! What a path is before it has columns: outlines, weights and cuts. Columns follow from it, by the same code where a
//! rig is compiled and where a packed one is read.

use bone_archive::{Archive, ArchiveError, Reader, Writer};
use kurbo::{CubicBez, Point};

use crate::blend::{Influence, SkinBlend};
use crate::bline::{BLine, Segment, VertexPoint};
use crate::joints::CubicSegment;
use crate::keyed::KeyedPath;
use crate::options::{FoldRule, WindingRule, vertex_count};
use crate::refit::SAMPLES;
use crate::split::CELLS;
use crate::weight_curve::WeightCurve;

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
    /// About as many bytes as its columns have. What takes time instead counts, too: centres of rotation, and the
    /// chords that are counted for each segment.
    fn size(&self) -> usize {
        /// Steps that take as long as a byte is large.
        const STEPS: f64 = 32.0;
        let deforming =
            self.sides.iter().filter_map(|side| Some((side, side.along.as_ref()?.bones.len() as f64)));
        let most = self.outline.iter().map(|(_, row)| row.len()).max().unwrap_or_default();
        let compared = (self.outline.len() * most) as f64;
        let (mut bytes, mut steps, mut pieces, mut count) = (0.0, 0.0, 0.0, 0.0);
        for (side, bones) in deforming {
            let own = (side.cuts.len() + 1) as f64;
            bytes += own * (2 * SAMPLES.len() + 4) as f64 * (16.0 * bones + 100.0);
            steps += compared * 33.0 * bones * bones;
            pieces += own;
            count += 1.0;
        }
        // A cubic has about the root of its length over eight tolerances.
        let anchors = self.lines.iter().flat_map(|line| line.vertices()).map(|vertex| vertex.anchor);
        let extent = anchors.fold(0.0_f64, |most, at| most.max(at.x.abs()).max(at.y.abs()));
        let chords = self.tolerance.map_or(0.0, |tolerance| (extent / tolerance.max(1e-9 * extent)).sqrt());
        let all = self.sides.len() as f64 + pieces;
        (bytes + (steps + (1.0 + count) * all * chords.max(1.0)) / STEPS) as usize
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

/// The greatest number of points from which centres of rotation are computed.
pub(crate) const MOST_OUTLINE: usize = 400;

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

/// The bits of a vertex: which points it has, and, by point, what says that its weights are those of the anchor before:
/// of the same vertex for handles.
const REPEATS: [u8; 3] = [8, 16, 32];

/// Rows that repeat are bits; cuts on the grid are bytes.
impl Archive for PathPlan {
    fn write(&self, to: &mut Writer) {
        let Self { lines, blend, folds, fill, tolerance, rows, sides, keyed, outline } = self;
        (lines, blend, folds).write(to);
        (fill, tolerance, keyed).write(to);
        outline.write(to);
        let mut before: Option<&[Influence]> = None;
        for row in rows {
            let (mut bits, mut own) = (0, Vec::new());
            for (part, row) in row.iter().enumerate().filter_map(|(part, row)| Some((part, row.as_deref()?)))
            {
                bits |= 1 << part;
                if before == Some(row) {
                    bits |= REPEATS[part];
                } else {
                    own.push(row);
                }
                before = if part == 0 { Some(row) } else { before };
            }
            to.byte(bits);
            own.into_iter().for_each(|row| write_row(row, to));
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
            from.check(bits < 64, "vertex")?;
            let mut row = [None, None, None];
            for part in (0..3).filter(|part| bits >> part & 1 == 1) {
                row[part] = match bits & REPEATS[part] {
                    0 => Some(read_row(from)?),
                    _ if part > 0 => row[0].clone(),
                    _ => rows.last().and_then(|before| before[0].clone()),
                };
                from.grow(row[part].as_ref().map_or(0, |row| 16 * row.len()))?;
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
