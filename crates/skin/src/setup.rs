//! Keyed setup positions: the drawing changes under the bones, `VS(t)` in `V = VF + D(VS)`, and is deformed
//! from there. Weights stay with their vertices, and segments are split as at rest.

use bone_archive::archive;
use std::collections::BTreeMap;

use bone_core::clip::Curve;
use kurbo::{Point, Vec2};

use crate::bline::{BLine, Segment, VertexPoint};
use crate::warp::BentRest;
use crate::{PathId, PosedDrawing, Skin};

/// The keyed setup positions of one clip.
#[derive(Clone, Debug, Default)]
pub struct Setups {
    tracks: Vec<SetupTrack>,
    /// The index in `tracks` of each vertex point.
    places: BTreeMap<(PathId, usize, VertexPoint), usize>,
}

/// Setup positions at a time, with a share of their shift.
#[derive(Clone, Copy, Debug)]
pub struct PlayedSetups<'s> {
    /// The keyed positions.
    pub setups: &'s Setups,
    /// The time on the axis of the keys.
    pub at: f64,
    /// Their share: 1 for all of it.
    pub weight: f64,
}

#[derive(Clone, Debug)]
struct SetupTrack {
    /// The point that it moves.
    target: (PathId, usize, VertexPoint),
    /// On the canvas.
    curve: Curve<Vec2>,
    /// The track of its anchor, if this tangent moves with it.
    anchor: Option<usize>,
}

impl Setups {
    /// No keys.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether nothing is keyed.
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// Keys the canvas position of a vertex point. The tangents of an anchor move with it, unless they have
    /// positions of their own.
    ///
    /// Returns whether the path has such a point, which may be keyed once: if not, nothing was added.
    pub fn add(&mut self, skin: &Skin, target: (PathId, usize, VertexPoint), curve: Curve<Vec2>) -> bool {
        let (path, vertex, part) = target;
        if !skin.has(path, vertex, part) || self.places.contains_key(&target) {
            return false;
        }
        let place = |part| self.places.get(&(path, vertex, part)).copied();
        let here = self.tracks.len();
        let mut anchor = None;
        if part == VertexPoint::Anchor {
            for tangent in [VertexPoint::In, VertexPoint::Out].into_iter().filter_map(place) {
                self.tracks[tangent].anchor = Some(here);
            }
        } else {
            anchor = place(VertexPoint::Anchor);
        }
        self.places.insert(target, here);
        self.tracks.push(SetupTrack { target, curve, anchor });
        true
    }

    /// The positions of another shape of a path, which has equal structure and is [curved](BLine::curved_like) like it.
    /// Played with a weight, the path is so far on the way to that shape. What only one of both has is left out.
    pub fn of_shape(skin: &Skin, path: PathId, shape: &[BLine]) -> Self {
        let mut setups = Self::new();
        let mut first = 0;
        let mut add = |vertex, part, at: Point| {
            setups.add(skin, (path, vertex, part), Curve::constant(at.to_vec2()));
        };
        for line in shape {
            for (at, vertex) in line.vertices().iter().enumerate() {
                add(first + at, VertexPoint::Anchor, vertex.anchor);
            }
            for ((kind, from, to), cubic) in line.segments().zip(line.cubics()) {
                if kind != Segment::Line {
                    add(first + from, VertexPoint::Out, cubic.p1);
                    add(first + to, VertexPoint::In, cubic.p2);
                }
            }
            first += line.vertices().len();
        }
        setups
    }

    /// All of them, at a time.
    pub fn at(&self, at: f64) -> PlayedSetups<'_> {
        PlayedSetups { setups: self, at, weight: 1.0 }
    }
}

impl<'s> PlayedSetups<'s> {
    /// Moves the posed points as if the drawing had other setup positions. The deformation is affine for
    /// fixed weights, so a shift is transformed by its linear part; for a direction the derivative of the
    /// blend is applied, too.
    ///
    /// Paths that lattices bend have their shifts at rest.
    pub(crate) fn add_to(&self, skin: &Skin, posed: &mut PosedDrawing) {
        for (target, by) in self.shifts(skin) {
            if posed.bent.has(target.0) {
                continue;
            }
            let Some((first, shares)) = skin.shares(target) else { continue };
            for &(place, share) in &shares.points {
                let place = first.points + place as usize;
                let row = skin.rows[place] as usize;
                posed.points[place] += linear(&posed.blended[row], by * share);
            }
            for &(place, share) in &shares.samples {
                let place = first.samples + place as usize;
                let row = skin.sample_rows[place] as usize;
                posed.samples[place] += linear(&posed.blended[row], by * share);
            }
            for &(place, share) in &shares.directions {
                let place = first.directions + place as usize;
                let row = skin.directions[place].row as usize;
                posed.directions[place] += linear(&posed.blended[row], by * share);
            }
            for &(place, share) in &shares.nodes {
                let place = first.directions + place as usize;
                let Some(slope) = skin.directions[place].slope else { continue };
                posed.directions[place] += linear(&posed.slopes[slope as usize], by * share);
            }
        }
    }

    /// The points that move, each with its shift against its anchor. Setups of another skin may name points that this
    /// one does not have.
    fn shifts<'k>(
        &self,
        skin: &'k Skin,
    ) -> impl Iterator<Item = ((PathId, usize, VertexPoint), Vec2)> + use<'s, 'k> {
        let (tracks, at, weight) = (&self.setups.tracks, self.at, self.weight);
        let shift = move |track: &SetupTrack| {
            let (path, vertex, part) = track.target;
            let rest = skin.vertex_point(path, vertex, part);
            rest.map_or(Vec2::ZERO, |(rest, _)| (track.curve.at(at) - rest.to_vec2()) * weight)
        };
        let shifts = tracks.iter().map(move |track| {
            let anchor = track.anchor.map_or(Vec2::ZERO, |anchor| shift(&tracks[anchor]));
            (track.target, shift(track) - anchor)
        });
        shifts.filter(|(_, by)| *by != Vec2::ZERO)
    }

    /// Moves the outlines at rest of paths that lattices bend.
    pub(crate) fn shift_rest(&self, skin: &Skin, bent: &mut BentRest) {
        for (target, by) in self.shifts(skin) {
            let Some((first, shares)) = skin.shares(target).filter(|_| bent.has(target.0)) else { continue };
            for (place, share) in &shares.points {
                bent.points[first.points + *place as usize] += by * *share;
            }
            for (place, share) in &shares.samples {
                bent.samples[first.samples + *place as usize] += by * *share;
            }
            for (place, share) in &shares.directions {
                bent.directions[first.directions + *place as usize].tangent += by * *share;
            }
            for (place, share) in &shares.nodes {
                bent.directions[first.directions + *place as usize].at += by * *share;
            }
        }
    }
}

fn linear(m: &[f64; 6], v: Vec2) -> Vec2 {
    Vec2::new(m[0] * v.x + m[2] * v.y, m[1] * v.x + m[3] * v.y)
}

archive!(struct Setups { tracks; places = BTreeMap::new() });
archive!(struct SetupTrack { target, curve, anchor });

impl Setups {
    /// Whether the skin has all points.
    pub fn fit(&self, skin: &Skin) -> bool {
        let count = self.tracks.len();
        self.tracks.iter().all(|track| {
            let (path, vertex, part) = track.target;
            skin.has(path, vertex, part) && track.anchor.is_none_or(|at| at < count)
        })
    }
}
