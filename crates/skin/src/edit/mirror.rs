//! Mirroring: copies the weights of one side to the other, with left and right bones exchanged. Vertices are
//! matched by their positions at rest; a vertex without a partner is not changed.

use std::collections::BTreeMap;

use bone_core::{BoneId, Sides};
use kurbo::Point;

use super::rows::{Locks, fits, shared};
use crate::blend::Influence;
use crate::bline::{BLine, Segment};
use crate::error::BindError;
use crate::weights::{BoneWeights, VertexWeights};

/// Which side is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorDirection {
    /// Vertices with x less than the axis take the weights of their partners.
    ToLesser,
    /// Vertices with x greater than the axis do.
    ToGreater,
    /// Both sides exchange their weights.
    Swap,
}

/// The parameters of mirroring.
#[derive(Clone, Copy, Debug)]
pub struct Mirror<'a> {
    /// The x of a vertical axis on the canvas.
    pub axis: f64,
    /// Which side is changed.
    pub direction: MirrorDirection,
    /// Greatest distance of a vertex from the mirrored position of its partner.
    pub tolerance: f64,
    /// The pairs of bones; a bone without a partner stays itself.
    pub sides: &'a Sides,
}

/// A vertex that has no partner on the other side; its weights are not changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unmatched {
    /// Its index, through all outlines.
    pub vertex: usize,
    /// Its position.
    pub at: Point,
    /// The expected position of its partner.
    pub wanted: Point,
}

/// Gives vertices the weights of their partners across the axis, with the bones of the other side, tangents
/// included. A vertex on the axis is its own partner: it follows both sides equally.
///
/// Returns the vertices without a partner that should change.
///
/// # Errors
/// If there is not one entry for each vertex.
pub fn mirror(
    lines: &[BLine],
    weights: &mut [VertexWeights],
    how: &Mirror<'_>,
    locks: &Locks,
) -> Result<Vec<Unmatched>, BindError> {
    fits(lines, weights)?;
    let corners = corners(lines);
    let places = MirrorPlaces::new(&corners, how.tolerance);
    let before = weights.to_vec();
    let mut unmatched = Vec::new();
    for (vertex, (corner, row)) in corners.iter().zip(weights).enumerate() {
        let off = corner.at.x - how.axis;
        let on_axis = off.abs() <= 0.5 * how.tolerance;
        let takes = match how.direction {
            MirrorDirection::ToLesser => off < 0.0,
            MirrorDirection::ToGreater => off > 0.0,
            MirrorDirection::Swap => true,
        };
        if !(takes || on_axis) {
            continue;
        }
        let image = corner.mirrored(how.axis);
        let Some(partner) = places.nearest(&image, &corners) else {
            unmatched.push(Unmatched { vertex, at: corner.at, wanted: image.at });
            continue;
        };
        let model = &before[partner];
        // Mirrored, an outline often has the opposite direction: then the arriving handle becomes the leaving
        // one.
        let crossed = image.crossed(&corners[partner]);
        let (arriving, leaving) = if crossed {
            (&model.tangent_out, &model.tangent_in)
        } else {
            (&model.tangent_in, &model.tangent_out)
        };
        let old = &before[vertex];
        let mean = on_axis && how.direction != MirrorDirection::Swap;
        let taken = |own: Option<&BoneWeights>, other: Option<&BoneWeights>| {
            if own.is_none() && other.is_none() {
                return None;
            }
            let (own, other) = (own.unwrap_or(&old.anchor), other.unwrap_or(&model.anchor));
            let mirrored = sides_swapped(other, how.sides);
            let wanted = if mean { halves(own, &mirrored) } else { mirrored };
            Some(shared(own, &wanted, locks))
        };
        if let Some(anchor) = taken(Some(&old.anchor), Some(&model.anchor)) {
            row.anchor = anchor;
        }
        // A tangent that follows its anchor on the other side does so here, too.
        let follows = |other: &Option<BoneWeights>| other.is_none() && !mean && locks.is_empty();
        let tangent = |own: &Option<BoneWeights>, other: &Option<BoneWeights>| {
            if follows(other) { None } else { taken(own.as_ref(), other.as_ref()) }
        };
        // The ends of an open outline have only one tangent, whatever their partners have.
        if corner.arrives_from != corner.at {
            row.tangent_in = tangent(&old.tangent_in, arriving);
        }
        if corner.leaves_to != corner.at {
            row.tangent_out = tangent(&old.tangent_out, leaving);
        }
    }
    Ok(unmatched)
}

fn sides_swapped(row: &BoneWeights, sides: &Sides) -> Vec<Influence> {
    let mut swapped: BTreeMap<BoneId, f64> = BTreeMap::new();
    for (bone, weight) in row.influences() {
        *swapped.entry(sides.partner(*bone).unwrap_or(*bone)).or_insert(0.0) += weight;
    }
    swapped.into_iter().collect()
}

fn halves(row: &BoneWeights, other: &[Influence]) -> Vec<Influence> {
    let mut sum: BTreeMap<BoneId, f64> = BTreeMap::new();
    for (bone, weight) in row.influences().iter().chain(other) {
        *sum.entry(*bone).or_insert(0.0) += 0.5 * weight;
    }
    sum.into_iter().collect()
}

/// A vertex with the directions in which its outline arrives and leaves.
#[derive(Clone, Copy)]
struct Corner {
    at: Point,
    arrives_from: Point,
    leaves_to: Point,
}

impl Corner {
    fn mirrored(&self, axis: f64) -> Self {
        let across = |p: Point| Point::new(axis + (axis - p.x), p.y);
        let Self { at, arrives_from, leaves_to } = *self;
        Self { at: across(at), arrives_from: across(arrives_from), leaves_to: across(leaves_to) }
    }

    /// How far the neighbours differ from those of another corner, in the same and in the opposite direction.
    fn misfits(&self, other: &Self) -> (f64, f64) {
        let apart = |a: Point, b: Point| (a - b).hypot();
        let same = apart(self.arrives_from, other.arrives_from) + apart(self.leaves_to, other.leaves_to);
        let crossed = apart(self.arrives_from, other.leaves_to) + apart(self.leaves_to, other.arrives_from);
        (same, crossed)
    }

    fn crossed(&self, other: &Self) -> bool {
        let (same, crossed) = self.misfits(other);
        crossed < same
    }
}

/// The vertices of all outlines, each with the control points beside it.
fn corners(lines: &[BLine]) -> Vec<Corner> {
    let mut corners = Vec::new();
    for line in lines {
        let vertices = line.vertices();
        let base = corners.len();
        corners.extend(vertices.iter().map(|v| Corner {
            at: v.anchor,
            arrives_from: v.anchor,
            leaves_to: v.anchor,
        }));
        for (kind, from, to) in line.segments() {
            let (a, b) = (&vertices[from], &vertices[to]);
            let (out, arrive) = match kind {
                Segment::Line => (b.anchor, a.anchor),
                _ => (a.tangent_out, b.tangent_in),
            };
            corners[base + from].leaves_to = if out == a.anchor { b.anchor } else { out };
            corners[base + to].arrives_from = if arrive == b.anchor { a.anchor } else { arrive };
        }
    }
    corners
}

/// Vertices by position, in square cells as large as the tolerance.
struct MirrorPlaces {
    cells: BTreeMap<(i64, i64), Vec<usize>>,
    size: f64,
    tolerance: f64,
}

/// Greatest number of vertices in one cell; more are left out.
const HEAP: usize = 64;

impl MirrorPlaces {
    fn new(corners: &[Corner], tolerance: f64) -> Self {
        let tolerance = if tolerance > 0.0 { tolerance } else { 0.0 };
        let mut places = Self { cells: BTreeMap::new(), size: tolerance.max(f64::MIN_POSITIVE), tolerance };
        for (i, corner) in corners.iter().enumerate() {
            let cell = places.cells.entry(places.cell(corner.at)).or_default();
            if cell.len() < HEAP {
                cell.push(i);
            }
        }
        places
    }

    /// The conversion to an integer saturates.
    fn cell(&self, p: Point) -> (i64, i64) {
        let at = |v: f64| (v / self.size).floor() as i64;
        (at(p.x), at(p.y))
    }

    /// Of the vertices within the tolerance the one with the best matching neighbours, then the nearest, then
    /// the first.
    fn nearest(&self, image: &Corner, corners: &[Corner]) -> Option<usize> {
        let (x, y) = self.cell(image.at);
        let around = [-1, 0, 1].map(|dx| [-1, 0, 1].map(|dy| (x.saturating_add(dx), y.saturating_add(dy))));
        let mut cells: Vec<(i64, i64)> = around.into_iter().flatten().collect();
        cells.dedup();
        let found = cells.iter().filter_map(|cell| self.cells.get(cell)).flatten().copied();
        let near = found.filter(|&i| (corners[i].at - image.at).hypot() <= self.tolerance);
        let fit = |i: usize| {
            let (same, crossed) = image.misfits(&corners[i]);
            (same.min(crossed), (corners[i].at - image.at).hypot())
        };
        near.map(|i| (fit(i), i))
            .min_by(|(a, i), (b, j)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(i.cmp(j)))
            .map(|(_, i)| i)
    }
}
