//! Binding of paths with keyed weights: which segments ever deform, by which bones, and where they are cut so
//! that the tolerance holds at every key and at two times between neighbouring keys.

use bone_core::Skeleton;

use kurbo::CubicBez;

use super::path::{KeyedPath, Scratch};
use super::path_tracks::PathWeightTracks;
use super::tracks::PathTracks;
use crate::blend::SkinBlend;
use crate::bline::BLine;
use crate::error::BindError;
use crate::joints::CubicSegment;
use crate::split::{TrialScratch, WeightedSegment, split_for_all};
use crate::weight_curve::WeightCurve;
use crate::weights::VertexWeights;

/// Greatest number of control weights of one path: 64 MB.
const MOST_CONTROLS: usize = 8_000_000;
/// Greatest number of sampled times, and of different weights along one segment: for the rest the cuts of
/// those are used.
const MOST_MOMENTS: usize = 256;
const MOST_WEIGHTS: usize = 32;

/// Checks that keyed weights can be bound.
pub(crate) fn check_keyed(
    rest: &[VertexWeights],
    tracks: &[PathWeightTracks],
    mode: SkinBlend,
) -> Result<(), BindError> {
    if mode.has_centres() {
        return Err(BindError::KeyedCentres);
    }
    if let Some(vertex) =
        tracks.iter().filter_map(PathWeightTracks::last_vertex).max().filter(|v| *v >= rest.len())
    {
        return Err(BindError::NoVertex { vertex, vertices: rest.len() });
    }
    let bones = KeyedPath::bones(rest, tracks.iter().flat_map(PathWeightTracks::bones));
    match 3 * rest.len().saturating_mul(bones.len()) {
        0..=MOST_CONTROLS => Ok(()),
        _ => Err(BindError::TooManyKeyed),
    }
}

/// A path with keyed weights while it is bound.
pub(crate) struct KeyedBinding {
    pub(crate) path: KeyedPath,
    /// Its control weights at rest, with their gradients.
    rest: Scratch,
    /// The cuts of each deforming segment, by the vertex that it leaves.
    cuts: Vec<Vec<f64>>,
}

impl KeyedBinding {
    /// `lines` with their segments, numbered through the path. Without `curves` control points are deformed
    /// independently.
    pub(crate) fn new(
        (rest, tracks): (&[VertexWeights], &[PathWeightTracks]),
        lines: &[(&BLine, Vec<CubicSegment>)],
        curves: Option<(&Skeleton, f64)>,
        mode: SkinBlend,
    ) -> Self {
        let mut path = KeyedPath::new(rest, tracks.iter().flat_map(PathWeightTracks::bones), mode);
        let states = States::new(&path, tracks);
        let mut cuts = vec![Vec::new(); rest.len()];
        if let Some((skeleton, tolerance)) = curves {
            mark_deforming(&mut path, &states, lines);
            let (weights, mut trials) = (states.weights(&path), TrialScratch::default());
            for (side, first) in numbered(lines) {
                let vertex = first + side.from;
                let segment = |curve: &CubicBez, along: &WeightCurve| WeightedSegment {
                    curve: *curve,
                    along: along.clone(),
                    blend: mode,
                    centres: None,
                };
                let curves = std::iter::once(&side.canonical).chain(&side.shapes);
                let segments =
                    curves.flat_map(|curve| weights[vertex].iter().map(move |along| (curve, along)));
                let segments: Vec<WeightedSegment> =
                    segments.map(|(curve, along)| segment(curve, along)).collect();
                cuts[vertex] = split_for_all(&segments, skeleton, tolerance, &mut trials);
            }
        }
        let mut settled = Scratch::default();
        path.reset(&mut settled);
        path.settle(&mut settled);
        Self { path, rest: settled, cuts }
    }

    /// The weights at rest along the segment that leaves a vertex; none if it never deforms.
    pub(crate) fn along(&self, vertex: usize) -> Option<WeightCurve> {
        self.path.along(vertex, &self.rest)
    }

    /// The cuts of that segment.
    pub(crate) fn cuts(&self, vertex: usize) -> &[f64] {
        &self.cuts[vertex]
    }
}

/// Calls a function with the control weights at rest and at so many of the times of all keys.
#[cfg(feature = "weights")]
pub(crate) fn each_state(
    path: &KeyedPath,
    tracks: &[PathWeightTracks],
    most: usize,
    show: impl FnMut(&mut Scratch),
) {
    let mut states = States::new(path, tracks);
    let step = states.moments.len().div_ceil(most).max(1);
    // The last key is often the one that differs most.
    states.moments = states.moments.into_iter().rev().step_by(step).collect();
    states.each(path, show);
}

/// The segments of all lines, each with the index of its line's first vertex.
fn numbered<'s>(lines: &'s [(&BLine, Vec<CubicSegment>)]) -> impl Iterator<Item = (&'s CubicSegment, usize)> {
    let first = lines.iter().scan(0, |next, (line, _)| {
        *next += line.vertices().len();
        Some(*next - line.vertices().len())
    });
    lines.iter().zip(first).flat_map(|((_, sides), first)| sides.iter().map(move |side| (side, first)))
}

/// Finds the segments that deform at any sampled time, and the vertices where they meet.
fn mark_deforming(path: &mut KeyedPath, states: &States, lines: &[(&BLine, Vec<CubicSegment>)]) {
    let count = path.bone_count();
    let sides: Vec<(&CubicSegment, usize)> = numbered(lines).collect();
    let (mut bends, mut columns) = (vec![false; sides.len()], vec![false; sides.len() * count]);
    states.each(path, |scratch| {
        let columns = columns.chunks_exact_mut(count.max(1));
        for (((side, first), bends), columns) in sides.iter().zip(&mut bends).zip(columns) {
            *bends |= path.look(side, *first, scratch, columns);
        }
    });
    let columns = columns.chunks_exact(count.max(1));
    for (((side, first), _), columns) in
        sides.iter().zip(&bends).zip(columns).filter(|((_, bends), _)| **bends)
    {
        path.mark_deforming(side, *first, columns);
    }
    let mut first = 0;
    for (line, sides) in lines {
        path.join(line, sides, first);
        path.find_anchors(line, sides, first);
        first += line.vertices().len();
    }
}

/// The sampled times: the path at rest, then the keys of each clip.
struct States {
    tracks: Vec<PathTracks>,
    /// Index of the tracks, and the time.
    moments: Vec<(usize, f64)>,
}

impl States {
    fn new(path: &KeyedPath, tracks: &[PathWeightTracks]) -> Self {
        let tracks: Vec<(PathTracks, Vec<f64>)> = tracks
            .iter()
            .filter_map(|rows| Some((PathTracks::new(0, path, rows)?, rows.moments())))
            .collect();
        let all =
            tracks.iter().enumerate().flat_map(|(k, (_, times))| times.iter().map(move |time| (k, *time)));
        let moments: Vec<(usize, f64)> = all.collect();
        let step = moments.len().div_ceil(MOST_MOMENTS).max(1);
        let moments = moments.into_iter().step_by(step).collect();
        Self { tracks: tracks.into_iter().map(|(tracks, _)| tracks).collect(), moments }
    }

    /// All different weights along each segment, by the vertex that it leaves.
    fn weights(&self, path: &KeyedPath) -> Vec<Vec<WeightCurve>> {
        let mut weights: Vec<Vec<WeightCurve>> = vec![Vec::new(); path.vertex_count()];
        self.each(path, |scratch| {
            for (vertex, found) in
                weights.iter_mut().enumerate().filter(|(_, found)| found.len() < MOST_WEIGHTS)
            {
                found.extend(path.along(vertex, scratch).filter(|along| found.last() != Some(along)));
            }
        });
        weights
    }

    /// Calls a function with the control weights of each sampled time.
    fn each(&self, path: &KeyedPath, mut show: impl FnMut(&mut Scratch)) {
        let mut scratch = Scratch::default();
        for moment in [None].into_iter().chain(self.moments.iter().map(Some)) {
            path.reset(&mut scratch);
            if let Some((tracks, at)) = moment {
                self.tracks[*tracks].add_to(path, (*at, 1.0), &mut scratch);
            }
            path.settle(&mut scratch);
            show(&mut scratch);
        }
    }
}
