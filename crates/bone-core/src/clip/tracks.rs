//! Curves of the values of several bones: over time in a clip, over a value of the pose in a driver.

use bone_archive::archive;
use kurbo::Vec2;

use super::{ClipTime, Curve, Scalar, Vector};
use crate::BoneId;

/// Curves of bone values, at most one for each value. The axis of their keys is time or a driving value.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    pub(super) scalars: Vec<(BoneId, Scalar, Curve<f64>)>,
    pub(super) vectors: Vec<(BoneId, Vector, Curve<Vec2>)>,
}

impl Tracks {
    /// No curves.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keys a value of one component. A second curve for the same value replaces the first.
    pub fn scalar(mut self, bone: BoneId, channel: Scalar, curve: Curve<f64>) -> Self {
        self.scalars.retain(|(b, c, _)| (*b, *c) != (bone, channel));
        self.scalars.push((bone, channel, curve));
        self
    }

    /// Keys a value of two components. A second curve for the same value replaces the first.
    pub fn vector(mut self, bone: BoneId, channel: Vector, curve: Curve<Vec2>) -> Self {
        self.vectors.retain(|(b, c, _)| (*b, *c) != (bone, channel));
        self.vectors.push((bone, channel, curve));
        self
    }

    /// The curve of a value of one component; one that stays at `rest` if it is not keyed.
    pub fn scalar_mut(&mut self, bone: BoneId, channel: Scalar, rest: f64) -> &mut Curve<f64> {
        let at = self.scalars.iter().position(|(b, c, _)| (*b, *c) == (bone, channel));
        let at = at.unwrap_or_else(|| {
            self.scalars.push((bone, channel, Curve::constant(rest)));
            self.scalars.len() - 1
        });
        &mut self.scalars[at].2
    }

    /// The curve of a value of two components; one that stays at `rest` if it is not keyed.
    pub fn vector_mut(&mut self, bone: BoneId, channel: Vector, rest: Vec2) -> &mut Curve<Vec2> {
        let at = self.vectors.iter().position(|(b, c, _)| (*b, *c) == (bone, channel));
        let at = at.unwrap_or_else(|| {
            self.vectors.push((bone, channel, Curve::constant(rest)));
            self.vectors.len() - 1
        });
        &mut self.vectors[at].2
    }

    /// Whether nothing is keyed.
    pub fn is_empty(&self) -> bool {
        self.scalars.is_empty() && self.vectors.is_empty()
    }

    /// The curves of values of one component; in a clip they are sorted by bone.
    pub fn scalars(&self) -> impl ExactSizeIterator<Item = (BoneId, Scalar, &Curve<f64>)> {
        self.scalars.iter().map(|(bone, channel, curve)| (*bone, *channel, curve))
    }

    /// The curves of values of two components; in a clip they are sorted by bone.
    pub fn vectors(&self) -> impl ExactSizeIterator<Item = (BoneId, Vector, &Curve<Vec2>)> {
        self.vectors.iter().map(|(bone, channel, curve)| (*bone, *channel, curve))
    }

    /// The bones with keyed values; a bone occurs once for each value.
    pub(super) fn bones(&self) -> impl Iterator<Item = BoneId> {
        self.scalars.iter().map(|track| track.0).chain(self.vectors.iter().map(|track| track.0))
    }

    /// Sorts the curves into the order in which they are played.
    pub(super) fn sort(&mut self) {
        self.scalars.sort_by_key(|(bone, channel, _)| (*bone, *channel));
        self.vectors.sort_by_key(|(bone, channel, _)| (*bone, *channel));
    }

    /// Lets curves that fill a looping clip exactly loop with continuous speed.
    pub(super) fn fit(&mut self, time: ClipTime) {
        for (_, _, curve) in &mut self.scalars {
            time.fit(curve);
        }
        for (_, _, curve) in &mut self.vectors {
            time.fit(curve);
        }
    }

    /// How many curves move setup poses.
    pub(super) fn setups(&self) -> usize {
        let angles = self.scalars.iter().filter(|(_, channel, _)| channel.is_setup()).count();
        angles + self.vectors.iter().filter(|(_, channel, _)| channel.is_setup()).count()
    }

    /// Whether any curve moves the setup pose.
    pub(super) fn moves_setup(&self) -> bool {
        self.scalars.iter().any(|(_, channel, _)| channel.is_setup())
            || self.vectors.iter().any(|(_, channel, _)| channel.is_setup())
    }
}

archive!(struct Tracks { scalars, vectors });
