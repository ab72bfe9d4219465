//! Keyed weights: `tracks` has vertex weights over time, `keying` binds paths for all their keys, `path` is
//! such a path and computes its weights, `play` blends them in a frame.

mod keying;
mod path;
mod play;
mod tracks;

pub(crate) use keying::{KeyedBinding, check_keyed};
pub(crate) use path::{KeyedPath, Scratch, WeightSource};
pub(crate) use play::blend_keyed;
pub use tracks::{PathWeightTracks, PlayedWeights, WeightTracks};
