//! The deformation `D`: each set of weights is blended once, each point is transformed by its blend, and each
//! piece of a deforming segment becomes the cubic that follows the deformed outline.

use bone_core::BoneId;
use kurbo::{Affine, Point, Vec2};

use crate::bline::VertexPoint;
use crate::keyed::{PlayedWeights, blend_keyed};
use crate::offset::{FixedOffset, PlayedOffsets};
use crate::refit::{Ends, SAMPLES, refit};
use crate::setup::PlayedSetups;
use crate::skin::{DeformingSegment, Piece};
use crate::warp::{BentRest, PosedWarps};
use crate::{PathId, PosedDrawing, Skin, SkinMatrices};

/// Poses every bound path: `V(t) = VF(t) + D(VS)`. All given offsets are added; `None` is no offset.
///
/// A `posed` drawing of another skin becomes one of this. Bones that `matrices` do not have are at rest; offsets
/// of another skin move the points with the same numbers. Does not allocate once `posed` was used with this skin.
pub fn deform<'o>(
    skin: &Skin,
    matrices: &SkinMatrices,
    offsets: impl IntoIterator<Item = PlayedOffsets<'o>>,
    posed: &mut PosedDrawing,
) {
    let still = (std::iter::empty(), std::iter::empty());
    deform_from(skin, (matrices, None), still, (offsets, std::iter::empty()), posed);
}

/// The same from setup positions and weights of a time: `V(t) = VF(t) + D(t)(L(t)(VS(t)))`, with `L` the lattices. Of
/// several setups the shifts are added; of several weights, their differences from those at rest. Fixed offsets are
/// added to those of the time.
pub fn deform_from<'o>(
    skin: &Skin,
    (matrices, warps): (&SkinMatrices, Option<PosedWarps<'_, '_>>),
    (setups, weights): (
        impl Iterator<Item = PlayedSetups<'o>> + Clone,
        impl Iterator<Item = PlayedWeights<'o>> + Clone,
    ),
    (offsets, fixed): (impl IntoIterator<Item = PlayedOffsets<'o>>, impl IntoIterator<Item = FixedOffset>),
    posed: &mut PosedDrawing,
) {
    if !posed.is_of(skin) {
        posed.renew(skin);
    }
    skin.table.blend_into(matrices.motions(), &mut posed.blended);
    skin.table.gradients_into(matrices.motions(), &mut posed.slopes);
    blend_keyed(skin, matrices.motions(), weights, posed);
    bend_rest(skin, warps, setups.clone(), &mut posed.bent);
    let (points, samples, _) = posed.bent.columns(skin);
    transform(points, &skin.rows, &posed.blended, &mut posed.points);
    transform(samples, &skin.sample_rows, &posed.blended, &mut posed.samples);
    turn_directions(skin, posed);
    for played in setups {
        played.add_to(skin, posed);
    }
    for played in offsets {
        played.add_to(skin, matrices, posed);
    }
    for offset in fixed {
        offset.add_to(skin, matrices, posed);
    }
    fit_pieces(skin, matrices, posed);
    posed.fill_elements(skin);
}

/// Bends the outlines at rest of paths whose lattices move, from the positions that setups give them.
fn bend_rest<'s>(
    skin: &Skin,
    warps: Option<PosedWarps<'_, '_>>,
    setups: impl Iterator<Item = PlayedSetups<'s>>,
    bent: &mut BentRest,
) {
    bent.paths.clear();
    let Some(warps) = warps.filter(|warps| warps.has_paths()) else { return };
    bent.fill(skin, warps.moved());
    if bent.paths.is_empty() {
        return;
    }
    setups.into_iter().for_each(|played| played.shift_rest(skin, bent));
    let BentRest { points, samples, directions, paths } = bent;
    for (_, lattice, [from, to]) in paths {
        let bend = |at: Point, along: Vec2| warps.bend(*lattice, at, along);
        let own = points[from.points..to.points].iter_mut().chain(&mut samples[from.samples..to.samples]);
        own.for_each(|at| *at = bend(*at, Vec2::ZERO).0);
        for node in &mut directions[from.directions..to.directions] {
            (node.at, node.tangent) = bend(node.at, node.tangent);
        }
    }
}

fn transform(points: &[Point], rows: &[u32], blended: &[[f64; 6]], out: &mut Vec<Point>) {
    out.clear();
    out.extend(points.iter().zip(rows).map(|(point, row)| apply(&blended[*row as usize], *point)));
}

#[inline(always)]
pub(crate) fn apply(m: &[f64; 6], p: Point) -> Point {
    Point::new(m[0] * p.x + m[2] * p.y + m[4], m[1] * p.x + m[3] * p.y + m[5])
}

/// `d/dt D(C(t))`: the tangent transformed by the blend, and the derivative of the blend applied to the
/// point.
fn turn_directions(skin: &Skin, posed: &mut PosedDrawing) {
    let PosedDrawing { directions, blended, slopes, folds, bent, .. } = posed;
    directions.clear();
    folds.compressed.clear();
    let (_, _, rest) = bent.columns(skin);
    directions.extend(rest.iter().enumerate().map(|(at, direction)| {
        let [a, b, c, d, ..] = blended[direction.row as usize];
        let v = direction.tangent;
        let carried = Vec2::new(a * v.x + c * v.y, b * v.x + d * v.y);
        match direction.slope {
            Some(slope) => {
                let turned = carried + apply(&slopes[slope as usize], direction.at).to_vec2();
                folds.note(at, carried, turned);
                turned
            }
            None => carried,
        }
    }));
}

/// Fits the handles of every piece, in the segment's canonical direction so that shared edges stay shared.
fn fit_pieces(skin: &Skin, matrices: &SkinMatrices, posed: &mut PosedDrawing) {
    for run in &skin.deforming_segments {
        let is_bent = posed.bent.has_point(run.point);
        if let Some(together) = (!is_bent).then(|| common_matrix(skin, matrices, run, posed)).flatten() {
            move_as_one(run, together, &skin.points, posed);
            continue;
        }
        for piece in &skin.pieces[run.pieces.clone()] {
            fit(piece, posed);
        }
    }
}

fn fit(piece: &Piece, posed: &mut PosedDrawing) {
    let first = piece.point as usize;
    let Some([start, handle_1, handle_2, end]) = posed.points.get_mut(first..first + 4) else { return };
    let sample = piece.sample as usize;
    let Some(samples) = posed.samples.get(sample..).and_then(|from| from.first_chunk()) else { return };
    let [leave, arrive] = piece.directions.map(|d| posed.directions[d as usize] * piece.run);
    let (from, to) = if piece.reversed { (*end, *start) } else { (*start, *end) };
    let (a, b) = refit(&Ends { from, to, leave, arrive, shares: piece.shares }, samples);
    (*handle_1, *handle_2) = if piece.reversed { (b, a) } else { (a, b) };
}

/// The one matrix of all bones of a deforming segment, if they move as one and no offset bends it.
fn common_matrix(
    skin: &Skin,
    matrices: &SkinMatrices,
    run: &DeformingSegment,
    posed: &PosedDrawing,
) -> Option<Affine> {
    /// Tolerance for rounding, in a matrix's axes and in canvas units.
    const SAME: (f64, f64) = (1e-13, 1e-9);
    let (first, others) = skin.segment_bones[run.bones.clone()].split_first()?;
    let matrix = matrices.of_known(*first);
    let m = matrix.as_coeffs();
    let same = |bone: &BoneId| {
        let other = matrices.of_known(*bone).as_coeffs();
        (0..4).all(|i| (m[i] - other[i]).abs() <= SAME.0) && (4..6).all(|i| (m[i] - other[i]).abs() <= SAME.1)
    };
    if !others.iter().all(same) {
        return None;
    }
    // Every offset that affects the segment moves its samples, too.
    let sample = skin.pieces[run.pieces.start].sample as usize;
    let mut samples = skin.samples[sample..sample + SAMPLES.len()].iter().zip(&posed.samples[sample..]);
    let still = |(rest, now): (&Point, &Point)| (matrix * *rest - *now).hypot2() <= SAME.1 * SAME.1;
    samples.all(still).then_some(matrix)
}

/// A segment whose bones move as one keeps its shape, exactly. It is cut at the same places as in all poses,
/// so that its points move continuously.
fn move_as_one(run: &DeformingSegment, matrix: Affine, rest: &[Point], posed: &mut PosedDrawing) {
    let points = run.point + 1..=run.point + 3 * run.pieces.len();
    for (point, rest) in posed.points[points.clone()].iter_mut().zip(&rest[points]) {
        *point = matrix * *rest;
    }
}

impl Skin {
    /// D(VS): the position of a vertex point by the bones alone, with its weights at rest. `None` if the path
    /// has no such point.
    pub fn deformed(
        &self,
        matrices: &SkinMatrices,
        path: PathId,
        vertex: usize,
        part: VertexPoint,
    ) -> Option<Point> {
        let (rest, row) = self.vertex_point(path, vertex, part)?;
        let rule = self.table.rule(row);
        let blended = crate::blend::blend(rule.mode, self.table.row(row), rule.centre, matrices.motions());
        Some(apply(&blended, rest))
    }

    /// The position of a vertex point in a posed drawing, with its free offset. For a tangent of a curve that
    /// is cut into pieces this is the handle of the uncut curve, moved as its anchor is. `None` if the path
    /// has no such point.
    pub fn posed_part(
        &self,
        (matrices, posed): (&SkinMatrices, &PosedDrawing),
        path: PathId,
        vertex: usize,
        part: VertexPoint,
    ) -> Option<Point> {
        let of = |part: VertexPoint| self.point_of(path, vertex, part).and_then(|at| posed.points.get(at));
        if let Some(point) = of(part) {
            return Some(*point);
        }
        let moved = *of(VertexPoint::Anchor)? - self.deformed(matrices, path, vertex, VertexPoint::Anchor)?;
        self.deformed(matrices, path, vertex, part).map(|handle| handle + moved)
    }

    /// The point of the outline that is a vertex point. Tangents of curves that are cut into pieces have
    /// none.
    fn point_of(&self, path: PathId, vertex: usize, part: VertexPoint) -> Option<usize> {
        let (bound, vertex) = self.vertex(path, vertex)?;
        let (rest, _) = vertex.parts[part as usize]?;
        let whole = vertex.shares[part as usize].points.iter().filter(|(_, share)| *share == 1.0);
        let mut places = whole.map(|(place, _)| bound.first.points + *place as usize);
        places.find(|place| self.points[*place] == rest)
    }

    /// `VF = P' - D(VS)`: the free offset, on the canvas, that brings a vertex point to `target` in this
    /// pose, for dragging a point. `None` if the path has no such point.
    pub fn offset_to(
        &self,
        matrices: &SkinMatrices,
        path: PathId,
        vertex: usize,
        part: VertexPoint,
        target: Point,
    ) -> Option<Vec2> {
        self.deformed(matrices, path, vertex, part).map(|deformed| target - deformed)
    }
}
