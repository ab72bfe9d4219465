//! The motion of a path's paint: the affine map nearest to the deformation of its outline, and the scale of a
//! stroke's width. Allocates only when a fit is made.

use bone_archive::archive;
use std::collections::BTreeMap;

#[cfg(feature = "weights")]
use kurbo::ParamCurve as _;
use kurbo::{Affine, CubicBez, PathEl, Point, Vec2};

use crate::joints::arc_length;
use crate::nearest_affine::NearestAffine;
use crate::refit::SAMPLES;
use crate::skin::{BoundPath, Piece};
use crate::{PathId, PosedDrawing, Skin};

/// Points of an outline from which the motion of its paint is computed, the same in every frame.
///
/// Each point is weighted by the length of outline that it represents, so that finely cut joints do not count
/// more.
#[derive(Clone, Debug, Default)]
pub struct PaintFit {
    places: Vec<Place>,
    fit: NearestAffine,
}

/// A point of an outline with its entry of the table.
#[cfg(feature = "weights")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutlinePlace {
    pub(crate) at: Point,
    pub(crate) row: u32,
    /// Whether no line leads to it from the one before.
    pub(crate) is_first: bool,
}

/// A point of an outline.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Index among the points, or the samples.
    at: u32,
    is_sample: bool,
    /// Share of the outline; their sum is 1.
    share: f64,
    /// The coefficient of the point in the least-squares fit.
    coefficient: Vec2,
}

impl PaintFit {
    /// The affine map of the canvas nearest to the deformation of the outline, by least squares. An outline
    /// that lies nearly on a line at rest gets a similarity, a point a translation.
    pub fn affine(&self, posed: &PosedDrawing) -> Affine {
        let position = |place: &Place| {
            let points = if place.is_sample { &posed.samples } else { &posed.points };
            points.get(place.at as usize).copied().unwrap_or_default()
        };
        if self.places.is_empty() {
            return Affine::IDENTITY;
        }
        self.fit.affine(self.places.iter().map(|place| (position(place), place.share, place.coefficient)))
    }

    /// The scale of a uniform stroke's width: the mean of `sqrt |det|` of the bones' blends along the
    /// outline. Bending alone does not change it, as it would change that of the nearest affine map.
    pub fn scale(&self, skin: &Skin, posed: &PosedDrawing) -> f64 {
        let scale = |place: &Place| {
            let rows = if place.is_sample { &skin.sample_rows } else { &skin.rows };
            let blended = rows.get(place.at as usize).and_then(|row| posed.blended.get(*row as usize));
            blended.map_or(1.0, |[a, b, c, d, ..]| (a * d - b * c).abs().sqrt())
        };
        if self.places.is_empty() { 1.0 } else { self.places.iter().map(|p| scale(p) * p.share).sum() }
    }
}

impl Skin {
    /// Prepares the fit for a path's paint, for posed drawings of this skin.
    pub fn paint_fit(&self, path: PathId) -> PaintFit {
        let mut places = self.places(path);
        let at_rest = |place: &Place| match place.is_sample {
            true => self.samples[place.at as usize],
            false => self.points[place.at as usize],
        };
        let total: f64 = places.iter().map(|place| place.share).sum();
        let even = 1.0 / places.len() as f64;
        for place in &mut places {
            place.share = if total > 0.0 && total.is_finite() { place.share / total } else { even };
        }
        let (fit, coefficients) =
            NearestAffine::new(places.iter().map(|place| (at_rest(place), place.share)));
        for (place, coefficient) in places.iter_mut().zip(coefficients) {
            place.coefficient = coefficient;
        }
        PaintFit { places, fit }
    }

    /// Points of a path's outline at rest with their weights.
    #[cfg(feature = "weights")]
    pub(crate) fn outline_rows(&self, path: PathId) -> Vec<(Point, &[crate::blend::Influence])> {
        let place = |place: Place| match (place.is_sample, place.at as usize) {
            (true, at) => (self.samples[at], self.table.row(self.sample_rows[at])),
            (false, at) => (self.points[at], self.table.row(self.rows[at])),
        };
        self.places(path).into_iter().map(place).collect()
    }

    /// Points on a path's outline at rest, in its order and so near to each other that weights are nearly
    /// linear between them, with their entries of the table.
    #[cfg(feature = "weights")]
    pub(crate) fn outline_places(&self, path: PathId) -> Vec<OutlinePlace> {
        let Some(bound) = self.paths.get(path.index()) else { return Vec::new() };
        let pieces = self.pieces_of(bound);
        let at_point = |at: u32, is_first: bool| OutlinePlace {
            at: self.points[at as usize],
            row: self.rows[at as usize],
            is_first,
        };
        let mut places: Vec<OutlinePlace> = Vec::new();
        let (mut start, mut next) = (0, bound.points.start as u32);
        for element in bound.elements.iter() {
            let count = match element {
                PathEl::MoveTo(_) => {
                    start = next;
                    1
                }
                PathEl::LineTo(_) => 1,
                PathEl::QuadTo(..) => 2,
                PathEl::CurveTo(..) => 3,
                PathEl::ClosePath => {
                    places.push(at_point(start, false));
                    continue;
                }
            };
            let end = next + count - 1;
            match pieces.get(&(next.wrapping_sub(1))) {
                Some(piece) if count == 3 => {
                    let count = SAMPLES.len() as u32;
                    places.extend((0..count).map(|k| {
                        let at = piece.sample + if piece.reversed { count - 1 - k } else { k };
                        let (at, row) = (self.samples[at as usize], self.sample_rows[at as usize]);
                        OutlinePlace { at, row, is_first: false }
                    }));
                }
                // Its weights do not change along it.
                None if count == 3 => {
                    let [a, b, c, d] = [next - 1, next, next + 1, end].map(|at| self.points[at as usize]);
                    let curve = CubicBez::new(a, b, c, d);
                    places.extend(SAMPLES.map(|t| {
                        let nearer = if t < 0.5 { next - 1 } else { end };
                        OutlinePlace { at: curve.eval(t), ..at_point(nearer, false) }
                    }));
                }
                _ => {}
            }
            places.push(at_point(end, matches!(element, PathEl::MoveTo(_))));
            next += count;
        }
        places
    }

    /// The pieces of a path, by the point before them.
    fn pieces_of(&self, bound: &BoundPath) -> BTreeMap<u32, &Piece> {
        // The segments of a path are side by side.
        let segments = &self.deforming_segments;
        let first = segments.partition_point(|segment| segment.point < bound.points.start);
        let end = segments.partition_point(|segment| segment.point < bound.points.end);
        let own = segments[first..end].iter().flat_map(|segment| &self.pieces[segment.pieces.clone()]);
        own.map(|piece| (piece.point, piece)).collect()
    }

    /// Anchors and handles of plain segments, samples of deforming ones; the share is a length until it is
    /// normalised. Handles of deforming segments are fitted, so they do not correspond to points at rest.
    fn places(&self, path: PathId) -> Vec<Place> {
        let Some(bound) = self.paths.get(path.index()) else { return Vec::new() };
        let pieces = self.pieces_of(bound);
        let mut places = Vec::new();
        let mut add = |first: u32, count: u32, is_sample: bool, length: f64| {
            let share = length / f64::from(count);
            let all = first..first + count;
            places.extend(all.map(|at| Place { at, is_sample, share, coefficient: Vec2::ZERO }));
        };
        let mut next = bound.points.start as u32;
        let mut from = Point::ZERO;
        for element in bound.elements.iter() {
            match *element {
                PathEl::MoveTo(to) => {
                    add(next, 1, false, 0.0);
                    (from, next) = (to, next + 1);
                }
                PathEl::LineTo(to) => {
                    add(next - 1, 2, false, from.distance(to));
                    (from, next) = (to, next + 1);
                }
                PathEl::CurveTo(a, b, to) => {
                    let length =
                        arc_length(&CubicBez::new(from, a, b, to), 1e-3 * from.distance(to).max(1e-6));
                    match pieces.get(&(next - 1)) {
                        Some(piece) => add(piece.sample, SAMPLES.len() as u32, true, length),
                        None => add(next - 1, 4, false, length),
                    }
                    (from, next) = (to, next + 3);
                }
                // Quadratic segments were bound as cubics.
                PathEl::QuadTo(_, to) => (from, next) = (to, next + 2),
                PathEl::ClosePath => {}
            }
        }
        places
    }
}

// Its places follow from the path: a fit that was read is made again.
archive!(struct PaintFit { ; places = Vec::new(), fit = NearestAffine::default() });

impl PaintFit {
    /// Whether the skin has all points.
    pub fn fits(&self, skin: &Skin) -> bool {
        self.places.iter().all(|place| {
            let count = if place.is_sample { skin.samples.len() } else { skin.points.len() };
            (place.at as usize) < count
        })
    }
}
