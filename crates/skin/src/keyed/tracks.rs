//! Vertex weights over time: the keys of a clip, and their share at a time. Weights are interpolated bone by
//! bone and normalised at every time.

use archive::archive;
use std::collections::BTreeMap;

use bone_core::BoneId;
use bone_core::clip::{ClipTime, Curve, CurveError, Extend, Key};

use super::path::{KeyedPath, Scratch, place};
use crate::bline::VertexPoint;
use crate::skin::{PathId, Skin};
use crate::weight_curve::tidy;
use crate::weights::{BoneWeights, bones_of};

/// Curves of vertex weights over time, bone by bone.
type BoneCurves = Vec<(BoneId, Curve<f64>)>;

/// The keyed vertex weights of one path.
#[derive(Clone, Debug, Default)]
pub struct PathWeightTracks {
    tracks: BTreeMap<(usize, VertexPoint), BoneCurves>,
}

impl PathWeightTracks {
    /// No keys.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether nothing is keyed.
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// Keys the weights of a vertex point; a bone that a key does not name has weight 0 there. The tangents
    /// of an anchor follow unless they have weights of their own, at rest or here. `time` is that of the
    /// clip: a curve that fills a loop is continuous at the seam. A second call for the same point replaces
    /// the first.
    ///
    /// # Errors
    /// If the keys are not a valid curve.
    pub fn add(
        &mut self,
        vertex: usize,
        part: VertexPoint,
        keys: &[Key<BoneWeights>],
        extend: Extend,
        time: Option<ClipTime>,
    ) -> Result<(), CurveError> {
        if keys.is_empty() {
            return Err(CurveError::Empty);
        }
        let weight = |row: &BoneWeights, bone: BoneId| {
            row.influences().iter().find(|(other, _)| *other == bone).map_or(0.0, |(_, weight)| *weight)
        };
        let mut curves = Vec::new();
        for bone in bones_of(keys.iter().map(|key| &key.value)) {
            let keys = keys.iter().map(|k| Key { time: k.time, value: weight(&k.value, bone), ease: k.ease });
            let mut curve = Curve::new(keys.collect(), extend)?;
            time.iter().for_each(|time| time.fit(&mut curve));
            curves.push((bone, curve));
        }
        self.tracks.insert((vertex, part), curves);
        Ok(())
    }

    /// The bones of all weights, sorted.
    pub(crate) fn bones(&self) -> impl Iterator<Item = BoneId> {
        self.tracks.values().flatten().map(|(bone, _)| *bone)
    }

    /// The last vertex with keyed weights.
    pub(crate) fn last_vertex(&self) -> Option<usize> {
        self.tracks.last_key_value().map(|((vertex, _), _)| *vertex)
    }

    /// The times of all keys, and two times between neighbours, because different eases can agree halfway.
    /// Sorted.
    pub(crate) fn moments(&self) -> Vec<f64> {
        // All bones of a point have the same key times.
        let curves = self.tracks.values().filter_map(|curves| curves.first());
        let mut keys: Vec<f64> = curves.flat_map(|(_, curve)| curve.keys().map(|key| key.time)).collect();
        keys.sort_by(f64::total_cmp);
        keys.dedup();
        let third = |a: f64, b: f64| a + (b - a) / 3.0;
        let between = |ends: &[f64]| [third(ends[0], ends[1]), third(ends[1], ends[0])];
        let between: Vec<f64> = keys.windows(2).flat_map(between).collect();
        keys.extend(between);
        keys.sort_by(f64::total_cmp);
        keys
    }
}

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
