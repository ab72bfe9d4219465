//! Setup positions that move: the drawing changes beneath the bones, `VS(t)` in `V = VF + D(VS)`, and what it has become goes
//! through the bones. Weights stay with their vertices, and the split is that of the drawing at rest.

use std::collections::BTreeMap;

use bone_core::clip::Curve;
use kurbo::{Point, Vec2};

use crate::bline::VertexPoint;
use crate::skin::Shares;
use crate::{PathId, PosedDrawing, Skin};

/// The keyed setup positions of one clip.
#[derive(Clone, Debug, Default)]
pub struct Setups {
    tracks: Vec<SetupTrack>,
    /// Where in `tracks` each part of a vertex is.
    places: BTreeMap<(PathId, usize, VertexPoint), usize>,
}

/// Setup positions as they are played: at a time, with a share of their shift from the drawing.
#[derive(Clone, Copy, Debug)]
pub struct PlayedSetups<'s> {
    /// What is played.
    pub setups: &'s Setups,
    /// On the keys' own axis.
    pub at: f64,
    /// Their share: 1 for all of it.
    pub weight: f64,
}

#[derive(Clone, Debug)]
struct SetupTrack {
    /// Places in the skin's columns, with the share of the shift that each takes.
    shares: Shares,
    /// Where it is in the drawing.
    rest: Point,
    /// On the canvas.
    curve: Curve<Vec2>,
    /// The track of its anchor, if that moves and takes this tangent along.
    anchor: Option<usize>,
}

impl Setups {
    /// No setup position is keyed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether nothing is keyed.
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// Leads a part of a vertex along a curve of canvas positions. An anchor takes its tangents along, but for those that
    /// have positions of their own.
    ///
    /// Says whether the path has such a part, which may be keyed once: if not, nothing was added.
    pub fn add(&mut self, skin: &Skin, target: (PathId, usize, VertexPoint), curve: Curve<Vec2>) -> bool {
        let (path, vertex, part) = target;
        let Some(bound) = skin.vertex(path, vertex) else { return false };
        let Some((rest, _)) = bound.parts[part as usize] else { return false };
        if self.places.contains_key(&target) {
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
        let shares = bound.shares[part as usize].clone();
        self.tracks.push(SetupTrack { shares, rest, curve, anchor });
        true
    }

    /// All of them, at a time.
    pub fn at(&self, at: f64) -> PlayedSetups<'_> {
        PlayedSetups { setups: self, at, weight: 1.0 }
    }
}

impl PlayedSetups<'_> {
    /// Moves what is posed as if the drawing had been another one. The deformation is affine for a fixed row, so a shift of the
    /// setup position goes through its linear part; a direction also meets the change of the blend at its place.
    pub(crate) fn add_to(&self, skin: &Skin, posed: &mut PosedDrawing) {
        let tracks = &self.setups.tracks;
        let shift = |track: &SetupTrack| (track.curve.at(self.at) - track.rest.to_vec2()) * self.weight;
        for track in tracks {
            let along = track.anchor.map_or(Vec2::ZERO, |anchor| shift(&tracks[anchor]));
            let by = shift(track) - along;
            if by == Vec2::ZERO {
                continue;
            }
            for &(place, share) in &track.shares.points {
                let row = skin.rows[place as usize];
                posed.points[place as usize] += linear(&posed.blended[row as usize], by * share);
            }
            for &(place, share) in &track.shares.samples {
                let row = skin.sample_rows[place as usize];
                posed.samples[place as usize] += linear(&posed.blended[row as usize], by * share);
            }
            for &(place, share) in &track.shares.directions {
                let row = skin.directions[place as usize].row;
                posed.directions[place as usize] += linear(&posed.blended[row as usize], by * share);
            }
            for &(place, share) in &track.shares.nodes {
                let Some(slope) = skin.directions[place as usize].slope else { continue };
                posed.directions[place as usize] += linear(&posed.slopes[slope as usize], by * share);
            }
        }
    }
}

fn linear(m: &[f64; 6], v: Vec2) -> Vec2 {
    Vec2::new(m[0] * v.x + m[2] * v.y, m[1] * v.x + m[3] * v.y)
}
