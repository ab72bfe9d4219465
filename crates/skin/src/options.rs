//! How a path is bound: where its weights come from, how bones share a point, and what is deformed.

use bone_core::{BoneId, Skeleton};

use crate::blend::SkinBlend;
use crate::keyed::PathWeightTracks;
use crate::weight_curve::WeightField;
use crate::weights::VertexWeights;

/// Where the weights of a path come from.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Weights<'a> {
    /// Nothing follows anything: only free offsets move the path.
    Still,
    /// Everything follows one bone.
    Rigid(BoneId),
    /// One entry a vertex, through all outlines of the path in order. WeightCurve a segment they are blended by the cubic
    /// whose control values are the rows of its anchors and tangents.
    Explicit(&'a [VertexWeights]),
    /// The same with rows that clips key: whatever follows bones gets its weights anew in each frame that plays some, and segments are
    /// cut so that they hold at the keys of all. Not for modes that turn about centres, which are found once.
    Keyed {
        /// One entry a vertex, as at rest.
        rest: &'a [VertexWeights],
        /// What clips key of this path.
        tracks: &'a [PathWeightTracks],
    },
    /// A function of the plane.
    Field(&'a dyn WeightField),
}

/// How a path follows its bones.
#[derive(Clone, Copy, Default)]
pub struct BindOptions<'a> {
    /// How bones that share a point agree.
    pub blend: SkinBlend,
    /// What is deformed.
    pub follow: Follow<'a>,
}

/// What is deformed.
#[derive(Clone, Copy, Default)]
pub enum Follow<'a> {
    /// Anchors and handles, each by itself: cheap, and wrong between them where weights change.
    #[default]
    ControlPoints,
    /// The outline itself, within a tolerance for bends of up to 150 degrees.
    Curves {
        /// Whose joints may bend.
        skeleton: &'a Skeleton,
        /// In canvas units.
        tolerance: f64,
    },
}
