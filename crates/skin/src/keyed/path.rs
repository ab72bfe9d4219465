//! Paths with keyed weights. Each point and curve sample has weights of its own, which a frame computes from
//! the control weights of its vertices. Segments are cut at binding, so the number of points is the same in
//! every frame.

use bone_archive::archive;
use bone_core::BoneId;
use kurbo::{ParamCurve, ParamCurveDeriv};

use crate::anchor_slopes::{AnchorSide, balance, monotone_slope, straight_through};
use crate::blend::{Influence, SkinBlend};
use crate::bline::{BLine, VertexPoint};
use crate::joints::{CubicSegment, beside};
use crate::table::AddedRows;
use crate::weight_curve::{WeightCurve, tidy};
use crate::weights::{VertexWeights, bones_of};

/// The index of the control weights of a vertex point.
pub(crate) const fn place(vertex: usize, part: VertexPoint) -> usize {
    3 * vertex + part as usize
}

/// A path whose points have weights of their own.
#[derive(Clone, Debug)]
pub(crate) struct KeyedPath {
    /// All bones, sorted: the columns of the control weights.
    bones: Vec<BoneId>,
    /// The control weights at rest, by vertex and point.
    rest: Vec<f64>,
    /// Whether the tangents of a vertex have weights of their own at rest: in, out.
    own: Vec<[bool; 2]>,
    /// By the vertex that they leave; none if their weights never change along them.
    segments: Vec<Option<SegmentControls>>,
    joints: Vec<Joint>,
    anchors: Vec<FollowedAnchor>,
    pub(super) rows: Vec<KeyedRow>,
    pub(super) mode: SkinBlend,
}

/// The control weights of a segment, in its canonical direction.
#[derive(Clone, Debug)]
struct SegmentControls {
    /// The indices of the control weights of anchor, tangents and anchor.
    places: [usize; 4],
    /// The speed of the outline at both ends in the direction of the path: negative if the canonical
    /// direction is opposite.
    speeds: [f64; 2],
    /// The columns of the bones that ever have weight on it.
    columns: Vec<usize>,
}

/// A vertex that is smooth at rest, with the ends of its segments; none for a segment that never deforms.
#[derive(Clone, Copy, Debug)]
struct Joint {
    ends: [Option<SegmentEnd>; 2],
}

#[derive(Clone, Copy, Debug)]
struct SegmentEnd {
    segment: usize,
    /// Of the canonical direction.
    end: usize,
}

/// An anchor whose tangents follow it, between two deforming segments.
#[derive(Clone, Copy, Debug)]
struct FollowedAnchor {
    /// The one before it, itself, and the one behind it.
    vertices: [usize; 3],
    /// Of the segments that arrive and leave.
    lengths: [f64; 2],
    ends: [SegmentEnd; 2],
}

/// An entry of the table whose weights are computed anew, and its gradient.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyedRow {
    pub(super) row: u32,
    pub(super) slope: Option<u32>,
    pub(super) from: WeightSource,
}

archive! {
    /// The origin of weights.
    #[derive(Clone, Copy, Debug)]
    pub(crate) enum WeightSource {
        /// The control weights of a vertex point.
        VertexPoint(usize, VertexPoint) = 0,
        /// A parameter on the segment that leaves a vertex, in its canonical direction.
        CurveSample(usize, f64) = 1,
    }
}

/// Scratch memory of a frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// The control weights of a path, bones in columns.
    pub(crate) controls: Vec<f64>,
    /// Weight gradients at the ends of each segment, two rows for each.
    slopes: Vec<f64>,
    /// A temporary row.
    pub(crate) sums: Vec<f64>,
    pub(super) row: Vec<Influence>,
    pub(super) changes: Vec<Influence>,
}

impl Scratch {
    /// Reserves memory for every frame of these paths.
    pub(crate) fn new<'p>(paths: impl Iterator<Item = &'p KeyedPath> + Clone) -> Self {
        let most = |count: fn(&KeyedPath) -> usize| paths.clone().map(count).max().unwrap_or(0);
        Self {
            controls: Vec::with_capacity(most(|path| path.rest.len())),
            slopes: Vec::with_capacity(most(|path| 2 * path.segments.len() * path.bones.len())),
            sums: Vec::with_capacity(most(|path| path.bones.len())),
            row: Vec::with_capacity(most(|path| path.bones.len())),
            changes: Vec::with_capacity(most(|path| path.bones.len())),
        }
    }
}

impl KeyedPath {
    /// A path with its weights at rest, and the bones of all keyed weights. No segment is marked as deforming
    /// yet.
    pub(crate) fn new(rest: &[VertexWeights], more: impl Iterator<Item = BoneId>, mode: SkinBlend) -> Self {
        let bones = Self::bones(rest, more);
        let mut controls = vec![0.0; 3 * rest.len() * bones.len()];
        let rows = rest.iter().flat_map(|v| {
            let tangent = |own: &Option<_>| own.clone().unwrap_or_else(|| v.anchor.clone());
            [v.anchor.clone(), tangent(&v.tangent_in), tangent(&v.tangent_out)]
        });
        for (row, control) in rows.zip(controls.chunks_exact_mut(bones.len().max(1))) {
            for (bone, weight) in row.influences() {
                if let Ok(column) = bones.binary_search(bone) {
                    control[column] = *weight;
                }
            }
        }
        let own = rest.iter().map(|v| [v.tangent_in.is_some(), v.tangent_out.is_some()]).collect();
        let segments = vec![None; rest.len()];
        Self {
            bones,
            rest: controls,
            own,
            segments,
            joints: Vec::new(),
            anchors: Vec::new(),
            rows: Vec::new(),
            mode,
        }
    }

    /// The bones of the weights at rest and of `more`, sorted.
    pub(crate) fn bones(rest: &[VertexWeights], more: impl Iterator<Item = BoneId>) -> Vec<BoneId> {
        let all = rest.iter().flat_map(|v| [Some(&v.anchor), v.tangent_in.as_ref(), v.tangent_out.as_ref()]);
        let mut bones = bones_of(all.flatten());
        bones.extend(more);
        bones.sort_unstable();
        bones.dedup();
        bones
    }

    pub(crate) fn vertex_count(&self) -> usize {
        self.own.len()
    }

    pub(crate) fn bone_count(&self) -> usize {
        self.bones.len()
    }

    /// All bones, in the order of their columns.
    pub(crate) fn all_bones(&self) -> &[BoneId] {
        &self.bones
    }

    /// How the weights are blended.
    pub(crate) fn mode(&self) -> SkinBlend {
        self.mode
    }

    /// The origin of the weights of each entry of the table.
    #[cfg(feature = "weights")]
    pub(crate) fn sources(&self) -> impl Iterator<Item = (u32, WeightSource)> {
        self.rows.iter().map(|row| (row.row, row.from))
    }

    pub(crate) fn column(&self, bone: BoneId) -> Option<usize> {
        self.bones.binary_search(&bone).ok()
    }

    /// Whether the tangents of a vertex have weights of their own: in, out.
    pub(crate) fn own_tangents(&self, vertex: usize) -> Option<[bool; 2]> {
        self.own.get(vertex).copied()
    }

    pub(crate) fn rest_row(&self, place: usize) -> &[f64] {
        &self.rest[place * self.bones.len()..(place + 1) * self.bones.len()]
    }

    /// Adds an entry of the table to this path.
    pub(crate) fn add_keyed(&mut self, row: u32, slope: Option<u32>, from: WeightSource) {
        self.rows.push(KeyedRow { row, slope, from });
    }

    /// The same with its entries in the table to which those of its skin were added.
    pub(crate) fn in_table(&self, added: &AddedRows) -> Self {
        let row = |own: &KeyedRow| KeyedRow {
            row: added.rows[own.row as usize],
            slope: own.slope.map(|slope| slope + added.first_gradient),
            from: own.from,
        };
        Self { rows: self.rows.iter().map(row).collect(), ..self.clone() }
    }

    /// Resets the control weights to those at rest.
    pub(crate) fn reset(&self, scratch: &mut Scratch) {
        scratch.controls.clear();
        scratch.controls.extend_from_slice(&self.rest);
    }

    /// Normalises the control weights and computes the gradients along all segments.
    pub(crate) fn settle(&self, scratch: &mut Scratch) {
        scratch.controls.chunks_exact_mut(self.bones.len().max(1)).for_each(tidy);
        self.fill_slopes(scratch);
        for joint in &self.joints {
            self.smooth(joint, scratch);
        }
        for anchor in &self.anchors {
            self.slope_at(anchor, scratch);
        }
    }

    /// The indices of the four control weights of a segment in its canonical direction.
    fn places(side: &CubicSegment, base: usize) -> [usize; 4] {
        let (from, to) = (base + side.from, base + side.to);
        let mut places = [
            place(from, VertexPoint::Anchor),
            place(from, VertexPoint::Out),
            place(to, VertexPoint::In),
            place(to, VertexPoint::Anchor),
        ];
        if side.reversed {
            places.reverse();
        }
        places
    }

    /// Marks in `columns` which bones have weight on a segment. True if their weights change along it, with
    /// the current control weights.
    pub(crate) fn look(
        &self,
        side: &CubicSegment,
        base: usize,
        scratch: &Scratch,
        columns: &mut [bool],
    ) -> bool {
        /// Weights that change less than this are taken for constant.
        const STILL: f64 = 1e-9;
        let count = self.bones.len();
        let rows =
            Self::places(side, base).map(|place| &scratch.controls[place * count..(place + 1) * count]);
        let mut changes = false;
        for (column, acts) in columns.iter_mut().enumerate() {
            *acts |= rows.iter().any(|row| row[column] > 0.0);
            changes |= rows.iter().any(|row| (row[column] - rows[0][column]).abs() >= STILL);
        }
        changes
    }

    /// Marks a segment as deforming. `columns` gives the bones that have weight on it.
    pub(crate) fn mark_deforming(&mut self, side: &CubicSegment, base: usize, columns: &[bool]) {
        let mut speeds = [0.0, 1.0].map(|end| side.curve.deriv().eval(end).to_vec2().hypot());
        if side.reversed {
            speeds = [-speeds[1], -speeds[0]];
        }
        let columns =
            columns.iter().enumerate().filter(|(_, acts)| **acts).map(|(column, _)| column).collect();
        self.segments[base + side.from] =
            Some(SegmentControls { places: Self::places(side, base), speeds, columns });
    }

    /// Finds the smooth vertices, after the deforming segments are known.
    pub(crate) fn join(&mut self, line: &BLine, sides: &[CubicSegment], base: usize) {
        for (vertex, _) in line.vertices().iter().enumerate().filter(|(_, vertex)| vertex.is_smooth()) {
            let Some([arriving, leaving]) = beside(sides, vertex) else { continue };
            let (arriving, leaving) = (&sides[arriving], &sides[leaving]);
            let (arriving, leaving) = ((arriving, !arriving.reversed), (leaving, leaving.reversed));
            let end = |(side, end): (&CubicSegment, bool)| {
                let segment = base + side.from;
                self.segments[segment].as_ref().map(|_| SegmentEnd { segment, end: usize::from(end) })
            };
            let ends = [arriving, leaving].map(end);
            if ends.iter().any(Option::is_some) {
                self.joints.push(Joint { ends });
            }
        }
    }

    /// Finds the anchors that are no corners and whose tangents have no weights of their own at rest, after
    /// the deforming segments are known.
    pub(crate) fn find_anchors(&mut self, line: &BLine, sides: &[CubicSegment], base: usize) {
        for vertex in (0..line.vertices().len()).filter(|vertex| self.own[base + vertex] == [false; 2]) {
            let Some([arriving, leaving]) = straight_through(sides, vertex) else { continue };
            let (before, after) = (&sides[arriving], &sides[leaving]);
            if [before, after].iter().any(|side| self.segments[base + side.from].is_none()) {
                continue;
            }
            let (a, b) = (AnchorSide::new(before, 1), AnchorSide::new(after, 0));
            self.anchors.push(FollowedAnchor {
                vertices: [before.from, vertex, after.to].map(|vertex| base + vertex),
                lengths: [a.length, b.length],
                ends: [
                    SegmentEnd { segment: base + before.from, end: before.canonical_end(1) },
                    SegmentEnd { segment: base + after.from, end: after.canonical_end(0) },
                ],
            });
        }
    }

    /// The weights along the segment that leaves a vertex.
    pub(crate) fn along(&self, vertex: usize, scratch: &Scratch) -> Option<WeightCurve> {
        let soft = self.segments[vertex].as_ref()?;
        let count = self.bones.len();
        let pick = |values: &[f64]| soft.columns.iter().map(|&column| values[column]).collect::<Vec<f64>>();
        let end = |place: usize| pick(&scratch.controls[place * count..]);
        let slope = |end: usize| pick(&scratch.slopes[(2 * vertex + end) * count..]);
        let bones = soft.columns.iter().map(|&column| self.bones[column]).collect();
        Some(WeightCurve::between(bones, [end(soft.places[0]), end(soft.places[3])], [slope(0), slope(1)]))
    }

    /// The gradient of the cubic at both ends of each segment.
    fn fill_slopes(&self, scratch: &mut Scratch) {
        let (Scratch { controls, slopes, .. }, count) = (scratch, self.bones.len());
        slopes.clear();
        slopes.resize(2 * self.segments.len() * count, 0.0);
        for (soft, slopes) in self.segments.iter().zip(slopes.chunks_exact_mut(2 * count.max(1))) {
            let Some(soft) = soft else { continue };
            let [a, b, c, d] = soft.places.map(|place| &controls[place * count..(place + 1) * count]);
            let (first, last) = slopes.split_at_mut(count);
            for (slopes, (from, to), speed) in
                [(first, (a, b), soft.speeds[0]), (last, (c, d), soft.speeds[1])]
            {
                // At a handle of length 0 the gradient is 0.
                if speed == 0.0 {
                    continue;
                }
                for ((slope, from), to) in slopes.iter_mut().zip(from).zip(to) {
                    *slope = 3.0 * (to - from);
                }
            }
        }
    }

    /// The same as `joints::smooth_joints`, but without a jump in time where the weights of one side become
    /// constant or a bone appears: their share fades.
    fn smooth(&self, joint: &Joint, scratch: &mut Scratch) {
        let count = self.bones.len();
        let found =
            joint.ends.map(|end| end.and_then(|end| Some((end, self.segments[end.segment].as_ref()?))));
        let Scratch { controls, slopes, sums: means, .. } = scratch;
        let first = |end: SegmentEnd| (2 * end.segment + end.end) * count;
        let [Some((before, a)), Some((after, b))] = found else {
            // Beside a segment that never deforms the gradient is 0.
            for (end, _) in found.into_iter().flatten() {
                slopes[first(end)..first(end) + count].fill(0.0);
            }
            return;
        };
        let soft = |soft: &SegmentControls| {
            (0..count).fold(0.0_f64, |most, column| most.max(soft.range(controls, count, column)))
        };
        let both_soft = fade(soft(a)) * fade(soft(b));
        means.clear();
        means.extend((0..count).map(|column| {
            let per_length =
                |end: SegmentEnd, soft: &SegmentControls| slopes[first(end) + column] / soft.speeds[end.end];
            let known = fade(a.most(controls, count, column)) * fade(b.most(controls, count, column));
            if both_soft * known == 0.0 {
                return 0.0;
            }
            0.5 * (per_length(before, a) + per_length(after, b)) * both_soft * known
        }));
        // The sum stays 0: the gradient of bones of one side alone is distributed to the others by their
        // weights.
        let off: f64 = means.iter().sum();
        for (end, soft) in [(before, a), (after, b)] {
            let weights = &controls[soft.places[3 * end.end] * count..];
            let slopes = &mut slopes[first(end)..first(end) + count];
            for ((slope, mean), weight) in slopes.iter_mut().zip(&*means).zip(weights) {
                *slope = (mean - off * weight) * soft.speeds[end.end];
            }
        }
    }

    /// The same as `anchor_slopes::set_anchor_slopes`. Where a clip keys tangents by themselves, the slope of
    /// the anchor fades.
    fn slope_at(&self, anchor: &FollowedAnchor, scratch: &mut Scratch) {
        let count = self.bones.len();
        let Scratch { controls, slopes, sums: found, .. } = scratch;
        let row = |vertex: usize, part| &controls[place(vertex, part) * count..][..count];
        let [from, at, to] = anchor.vertices.map(|vertex| row(vertex, VertexPoint::Anchor));
        let apart = [VertexPoint::In, VertexPoint::Out].into_iter().fold(0.0_f64, |most, part| {
            let tangent = row(anchor.vertices[1], part).iter().zip(at);
            tangent.fold(most, |most, (tangent, anchor)| most.max((tangent - anchor).abs()))
        });
        let follows = 1.0 - fade(apart);
        if follows == 0.0 {
            return;
        }
        let speed =
            |end: SegmentEnd| self.segments[end.segment].as_ref().map_or(0.0, |soft| soft.speeds[end.end]);
        let speeds = anchor.ends.map(speed);
        let side = |k: usize| AnchorSide { length: anchor.lengths[k], speed: speeds[k].abs() };
        let sides = [side(0), side(1)];
        found.clear();
        found.extend((0..count).map(|k| monotone_slope([at[k] - from[k], to[k] - at[k]], sides)));
        balance(found);
        for (end, speed) in anchor.ends.into_iter().zip(speeds) {
            let slopes = &mut slopes[(2 * end.segment + end.end) * count..][..count];
            for (slope, found) in slopes.iter_mut().zip(&*found) {
                *slope += found * speed * follows;
            }
        }
    }

    /// Computes weights and their gradient into the scratch; those of a vertex point have no gradient.
    pub(super) fn fill_row(&self, from: WeightSource, scratch: &mut Scratch) {
        let Scratch { controls, slopes, row, changes, .. } = scratch;
        let count = self.bones.len();
        row.clear();
        changes.clear();
        let (vertex, part) = match from {
            WeightSource::VertexPoint(vertex, part) => (vertex, part),
            WeightSource::CurveSample(vertex, _) => (vertex, VertexPoint::Anchor),
        };
        // Along a segment that does not deform weights are those of its anchor.
        let (WeightSource::CurveSample(_, t), Some(soft)) = (from, &self.segments[vertex]) else {
            let control = &controls[place(vertex, part) * count..][..count];
            row.extend(self.bones.iter().copied().zip(control.iter().copied()).filter(|(_, w)| *w > 0.0));
            return;
        };
        let [from, to] = [soft.places[0], soft.places[3]].map(|place| &controls[place * count..][..count]);
        let (leave, arrive) = slopes[2 * vertex * count..][..2 * count].split_at(count);
        let mut total = 0.0;
        for &column in &soft.columns {
            let (value, slope) =
                WeightCurve::hermite((from[column], to[column]), (leave[column], arrive[column]), t);
            let value = value.max(0.0);
            total += value;
            row.push((self.bones[column], value));
            changes.push((self.bones[column], slope));
        }
        row.retain(|(_, weight)| *weight > 0.0);
        row.iter_mut().for_each(|(_, weight)| *weight /= total);
        // A time that was not sampled may leave a segment to bones that are not in its columns.
        if let ([], [first, ..]) = (row.as_slice(), soft.columns.as_slice()) {
            row.push((self.bones[*first], 1.0));
        }
    }
}

impl SegmentControls {
    /// The range of the control values of a bone.
    fn range(&self, controls: &[f64], count: usize, column: usize) -> f64 {
        let values = self.places.map(|place| controls[place * count + column]);
        values.iter().fold(0.0, |most: f64, value| most.max((value - values[0]).abs()))
    }

    /// The greatest control value of a bone.
    fn most(&self, controls: &[f64], count: usize, column: usize) -> f64 {
        self.places.iter().fold(0.0, |most: f64, place| most.max(controls[place * count + column]))
    }
}

/// Smoothstep from 0 to 1 at 0.02: weights between are rare.
fn fade(x: f64) -> f64 {
    let s = (50.0 * x).min(1.0);
    s * s * (3.0 - 2.0 * s)
}

archive!(struct KeyedPath { bones, rest, own, segments, joints, anchors, mode; rows = Vec::new() });
archive!(struct SegmentControls { places, speeds, columns });
archive!(struct Joint { ends });
archive!(struct FollowedAnchor { vertices, lengths, ends });
archive!(struct SegmentEnd { segment, end });

impl KeyedPath {
    /// Whether all indices are in range, with so many rows and slopes in the table.
    pub(crate) fn is_sound(&self, rows: usize, slopes: usize) -> bool {
        let (vertices, bones) = (self.own.len(), self.bones.len());
        let segment_fits = |segment: &SegmentControls| {
            segment.places.iter().all(|place| *place < 3 * vertices)
                && segment.columns.iter().all(|column| *column < bones)
        };
        let row_fits = |row: &KeyedRow| {
            let (WeightSource::VertexPoint(vertex, _) | WeightSource::CurveSample(vertex, _)) = row.from;
            (row.row as usize) < rows
                && row.slope.is_none_or(|at| (at as usize) < slopes)
                && vertex < vertices
        };
        self.rest.len() == 3 * vertices * bones
            && self.segments.len() == vertices
            && self.segments.iter().flatten().all(segment_fits)
            && self
                .joints
                .iter()
                .flat_map(|joint| joint.ends)
                .flatten()
                .chain(self.anchors.iter().flat_map(|anchor| anchor.ends))
                .all(|end| end.segment < vertices && end.end < 2)
            && self.anchors.iter().flat_map(|anchor| anchor.vertices).all(|vertex| vertex < vertices)
            && self.rows.iter().all(row_fits)
    }

    /// The number of control weights.
    pub(crate) fn place_count(&self) -> usize {
        3 * self.own.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two segments through three vertices, and the smooth vertex between them.
    fn through_a_smooth_vertex() -> KeyedPath {
        let segment = |from: usize| SegmentControls {
            places: [
                place(from, VertexPoint::Anchor),
                place(from, VertexPoint::Out),
                place(from + 1, VertexPoint::In),
                place(from + 1, VertexPoint::Anchor),
            ],
            speeds: [1.0; 2],
            columns: vec![0, 1],
        };
        let ends = [SegmentEnd { segment: 0, end: 1 }, SegmentEnd { segment: 1, end: 0 }];
        KeyedPath {
            bones: vec![BoneId::new(0), BoneId::new(1)],
            rest: vec![0.5; 18],
            own: vec![[true; 2]; 3],
            segments: vec![Some(segment(0)), Some(segment(1)), None],
            joints: vec![Joint { ends: ends.map(Some) }],
            anchors: Vec::new(),
            rows: vec![KeyedRow { row: 0, slope: Some(0), from: WeightSource::CurveSample(0, 0.5) }],
            mode: SkinBlend::Linear,
        }
    }

    /// Where the weights of one segment hardly change, the gradient at the vertex fades: to a half at a change of
    /// 0.01.
    #[test]
    fn gradients_fade_with_the_change_of_weights() {
        let path = through_a_smooth_vertex();
        // The second bone at anchor, tangents and anchor of both segments.
        let sides = [[0.5, 0.5, 0.505, 0.51], [0.51, 0.6, 0.8, 0.9]];
        let mut scratch = Scratch::default();
        path.reset(&mut scratch);
        for (segment, controls) in path.segments.iter().flatten().zip(sides) {
            for (place, weight) in segment.places.into_iter().zip(controls) {
                scratch.controls[2 * place..2 * place + 2].copy_from_slice(&[1.0 - weight, weight]);
            }
        }
        path.settle(&mut scratch);
        // The mean of 3 (0.51 - 0.505) and 3 (0.6 - 0.51).
        let faded = 0.5 * 0.1425;
        for (segment, end) in [(0, 1), (1, 0)] {
            let found = &scratch.slopes[(2 * segment + end) * 2..][..2];
            assert!((found[1] - faded).abs() < 1e-12 && (found[0] + faded).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn rows_and_gradients_beyond_the_table_are_refused() {
        let path = through_a_smooth_vertex();
        assert!(path.is_sound(1, 1));
        assert!(!path.is_sound(1, 0) && !path.is_sound(0, 1));
    }
}
