//! Vertex weights over time: the keys of a clip, and their share at a time. Weights are interpolated bone by
//! bone and normalised at every time.

use bone_archive::archive;

use bone_core::BoneId;
use bone_core::clip::Curve;

use super::path::{KeyedPath, Scratch, place};
use super::path_tracks::PathWeightTracks;
use crate::bline::VertexPoint;
use crate::skin::{PathId, Skin};
use crate::weight_curve::tidy;

/// The keyed weights of one clip.
#[derive(Clone, Debug, Default)]
pub struct WeightTracks {
    /// Sorted by path.
    paths: Vec<PathTracks>,
}

impl WeightTracks {
    /// No keys.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether nothing is keyed.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Keys the weights of a path, once for each path.
    ///
    /// Returns whether the path was bound with [`Weights::Keyed`](crate::Weights::Keyed) and these weights:
    /// if not, nothing was added.
    pub fn add(&mut self, skin: &Skin, path: PathId, rows: &PathWeightTracks) -> bool {
        let Ok(at) = skin.keyed.binary_search_by_key(&path, |keyed| keyed.0) else { return false };
        let Err(place) = self.place(at) else { return false };
        let Some(tracks) = PathTracks::new(at, &skin.keyed[at].1, rows) else { return false };
        self.paths.insert(place, tracks);
        true
    }

    /// The index of the tracks of a path, or where to insert them.
    fn place(&self, path: usize) -> Result<usize, usize> {
        self.paths.binary_search_by_key(&path, |tracks| tracks.path)
    }

    /// All of them, at a time.
    pub fn at(&self, at: f64) -> PlayedWeights<'_> {
        PlayedWeights { weights: self, at, weight: 1.0 }
    }
}

/// Keyed weights at a time, with the share that their difference from rest has.
#[derive(Clone, Copy, Debug)]
pub struct PlayedWeights<'w> {
    /// The keyed weights.
    pub weights: &'w WeightTracks,
    /// The time on the axis of the keys.
    pub at: f64,
    /// Their share: 1 for all of it.
    pub weight: f64,
}

impl PlayedWeights<'_> {
    /// Adds to the control weights of a path. Returns whether the path is keyed.
    pub(crate) fn add_to(&self, at: usize, path: &KeyedPath, scratch: &mut Scratch) -> bool {
        let Ok(place) = self.weights.place(at) else { return false };
        self.weights.paths[place].add_to(path, (self.at, self.weight), scratch);
        true
    }
}

/// The keyed weights of a path, by the columns of its bones.
#[derive(Clone, Debug)]
pub(crate) struct PathTracks {
    /// Its index among the paths with keyed weights.
    path: usize,
    tracks: Vec<RowTrack>,
}

#[derive(Clone, Debug)]
struct RowTrack {
    /// The control weights that are keyed: for an anchor also those of tangents that follow it.
    places: Vec<usize>,
    curves: Vec<(usize, Curve<f64>)>,
}

impl PathTracks {
    /// None if the path does not have a vertex or a bone of the weights.
    pub(crate) fn new(at: usize, path: &KeyedPath, rows: &PathWeightTracks) -> Option<Self> {
        let mut tracks = Vec::with_capacity(rows.tracks.len());
        for ((vertex, part), curves) in &rows.tracks {
            let own = path.own_tangents(*vertex)?;
            let mut places = vec![place(*vertex, *part)];
            if *part == VertexPoint::Anchor {
                let follows = |(tangent, own): &(VertexPoint, bool)| {
                    !own && !rows.tracks.contains_key(&(*vertex, *tangent))
                };
                let tangents = [VertexPoint::In, VertexPoint::Out].into_iter().zip(own).filter(follows);
                places.extend(tangents.map(|(tangent, _)| place(*vertex, tangent)));
            }
            let column = |(bone, curve): &(BoneId, Curve<f64>)| Some((path.column(*bone)?, curve.clone()));
            tracks.push(RowTrack { places, curves: curves.iter().map(column).collect::<Option<_>>()? });
        }
        Some(Self { path: at, tracks })
    }

    /// Adds a share of the difference of the weights at a time from those at rest.
    pub(crate) fn add_to(&self, path: &KeyedPath, (at, share): (f64, f64), scratch: &mut Scratch) {
        let Scratch { controls, sums: row, .. } = scratch;
        // Those of another skin name bones and places that this path may not have.
        for track in &self.tracks {
            row.clear();
            row.resize(path.bone_count(), 0.0);
            for (column, curve) in &track.curves {
                row.get_mut(*column).into_iter().for_each(|weight| *weight = curve.at(at));
            }
            tidy(row);
            for place in track.places.iter().copied().filter(|place| *place < path.place_count()) {
                let first = place * row.len();
                let rest = path.rest_row(place);
                for ((control, now), rest) in controls[first..].iter_mut().zip(&*row).zip(rest) {
                    *control += (now - rest) * share;
                }
            }
        }
    }
}

archive!(struct WeightTracks { paths });
archive!(struct PathTracks { path, tracks });
archive!(struct RowTrack { places, curves });

impl WeightTracks {
    /// Whether the skin has all paths, vertices and bones.
    pub fn fit(&self, skin: &Skin) -> bool {
        self.paths.is_sorted_by_key(|tracks| tracks.path)
            && self.paths.iter().all(|tracks| {
                let Some((_, path)) = skin.keyed.get(tracks.path) else { return false };
                tracks.tracks.iter().all(|track| {
                    track.places.iter().all(|place| *place < path.place_count())
                        && track.curves.iter().all(|(column, _)| *column < path.bone_count())
                })
            })
    }
}
