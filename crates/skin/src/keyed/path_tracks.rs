//! Keyed vertex weights of one path, before they are of a skin.

use std::collections::BTreeMap;

use bone_core::BoneId;
use bone_core::clip::{ClipTime, Curve, CurveError, Extend, Key};

use crate::bline::VertexPoint;
use crate::weights::{BoneWeights, bones_of};

/// Curves of vertex weights over time, bone by bone.
pub(super) type BoneCurves = Vec<(BoneId, Curve<f64>)>;

/// The keyed vertex weights of one path.
#[derive(Clone, Debug, Default)]
pub struct PathWeightTracks {
    pub(super) tracks: BTreeMap<(usize, VertexPoint), BoneCurves>,
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
