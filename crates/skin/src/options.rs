//! The parameters of binding: the weights, the blend, and what is deformed.

use bone_archive::{archive, words};
use bone_core::{BoneId, Skeleton};

use crate::blend::SkinBlend;
use crate::bline::BLine;
use crate::keyed::PathWeightTracks;
use crate::warp::WarpTrials;
use crate::weight_curve::WeightField;
use crate::weights::VertexWeights;

/// The weights of a path.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Weights<'a> {
    /// No bones: only free offsets move the path.
    Still,
    /// One bone for the whole path.
    Rigid(BoneId),
    /// One entry for each vertex, through all outlines of the path in order. Along a segment they are
    /// interpolated by the cubic whose control values are the weights of its anchors and tangents.
    Explicit(&'a [VertexWeights]),
    /// The same with weights that clips key: each frame that plays keys computes the weights anew, and
    /// segments are cut so that the tolerance holds at all keys. Not for modes with centres of rotation,
    /// which are computed once.
    Keyed {
        /// One entry for each vertex, at rest.
        rest: &'a [VertexWeights],
        /// The keys of clips for this path.
        tracks: &'a [PathWeightTracks],
    },
    /// A function of the plane.
    Field(&'a dyn WeightField),
}

impl Weights<'_> {
    /// Whether there are as many entries as vertices, if each has one, and a field has bones.
    pub(crate) fn fit(&self, lines: &[BLine]) -> bool {
        match self {
            Self::Explicit(rows) | Self::Keyed { rest: rows, .. } => rows.len() == vertex_count(lines),
            Self::Field(field) => !field.bones().is_empty(),
            Self::Still | Self::Rigid(_) => true,
        }
    }
}

/// The vertices of all outlines.
pub(crate) fn vertex_count(lines: &[BLine]) -> usize {
    lines.iter().map(|line| line.vertices().len()).sum()
}

/// How a path follows its bones.
#[derive(Clone, Copy, Default)]
pub struct BindOptions<'a> {
    /// How bones that share a point are blended.
    pub blend: SkinBlend,
    /// What is deformed.
    pub follow: Follow<'a>,
    /// The rule by which the path is filled; none for a line.
    pub fill: Option<WindingRule>,
    /// What happens where it is turned inside out.
    pub folds: FoldRule,
    /// Other shapes that the path takes, of equal structure: it is cut so that the tolerance holds for all of them.
    pub shapes: &'a [Vec<BLine>],
    /// Whether the weights of a field are rounded to 2^-16, so that they are short in packed rigs.
    pub rounded: bool,
    /// The lattices that bend it before the bones, in all their forms: it is cut so that the tolerance holds in each.
    pub warp: Option<&'a WarpTrials>,
}

archive! {
    /// The windings that count as inside, as in SVG.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub enum WindingRule {
        /// Windings other than 0.
        #[default]
        NonZero = 0,
        /// Odd windings.
        EvenOdd = 1,
    }
}

words! {
    /// What happens to a path where the deformation turns it inside out.
    pub enum FoldRule {
        /// The loops of its outlines are taken out.
        #[default]
        Clean = 0,
        /// Nothing.
        Keep = 1,
        /// As `Clean`, and subpaths that are turned inside out as a whole are not drawn.
        Hide = 2,
    }
}

/// What is deformed.
#[derive(Clone, Copy, Default)]
pub enum Follow<'a> {
    /// Anchors and handles, each independently: cheap, and wrong between them where weights change.
    #[default]
    ControlPoints,
    /// The outline itself, within a tolerance for bends of up to 150 degrees.
    Curves {
        /// The skeleton with the joints that may bend.
        skeleton: &'a Skeleton,
        /// In canvas units.
        tolerance: f64,
    },
}
