//! Errors of the weights of a path that is bound.

use std::error::Error;
use std::fmt;

/// Weights that do not fit the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindError {
    /// The number of entries is not the number of vertices.
    VertexCount {
        /// Vertices of the path.
        vertices: usize,
        /// Given entries.
        weights: usize,
    },
    /// A field without bones.
    NoBones,
    /// Weights are keyed for a vertex that the path does not have.
    NoVertex {
        /// Its index.
        vertex: usize,
        /// Vertices of the path.
        vertices: usize,
    },
    /// Keyed weights with [`SkinBlend::RotationCenters`](crate::SkinBlend::RotationCenters).
    KeyedCentres,
    /// A tolerance that is not a number above 0.
    Tolerance,
    /// Keyed weights of more vertices and bones than memory allows.
    TooManyKeyed,
    /// More points than an index of 32 bits can address.
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
                write!(f, "weights that change do not go with a blend whose centres are found once")
            }
            Self::Tolerance => write!(f, "the tolerance is not a number above 0"),
            Self::TooManyKeyed => {
                write!(f, "weights that change are kept for each vertex and bone, and here are too many")
            }
            Self::TooMany => write!(f, "the drawing has more points than can be counted"),
        }
    }
}

impl Error for BindError {}
