//! What can be wrong with the weights of a path that is bound.

use std::error::Error;
use std::fmt;

/// Weights that do not fit the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindError {
    /// Not one entry a vertex.
    VertexCount {
        /// Vertices of the path.
        vertices: usize,
        /// Entries that were given.
        weights: usize,
    },
    /// A field without bones.
    NoBones,
    /// Rows are keyed for a vertex that there is not.
    NoVertex {
        /// Its number.
        vertex: usize,
        /// Vertices of the path.
        vertices: usize,
    },
    /// Keyed weights with [`SkinBlend::RotationCenters`](crate::SkinBlend::RotationCenters).
    KeyedCentres,
    /// Keyed weights of more vertices and bones than there is memory for.
    TooManyKeyed,
    /// More points than 32 bits count.
    TooMany,
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::VertexCount { vertices, weights } => {
                write!(f, "the path has {vertices} vertices, but weights for {weights}")
            }
            Self::NoBones => write!(f, "the weights name no bone"),
            Self::NoVertex { vertex, vertices } => {
                write!(f, "there are weights over time for vertex {vertex}, and the path has {vertices}")
            }
            Self::KeyedCentres => {
                write!(f, "weights that change do not go with RotationCenters, whose centres are found once")
            }
            Self::TooManyKeyed => {
                write!(f, "weights that change are kept for each vertex and bone, and here are too many")
            }
            Self::TooMany => write!(f, "the drawing has more points than can be counted"),
        }
    }
}

impl Error for BindError {}
