//! Keyed weights: `tracks` has vertex weights over time, `keying` binds paths for all their keys, `path` is
//! such a path and computes its weights, `play` blends them in a frame, `inner` spreads them to the inside of a
//! shape.

mod inner;
mod keying;
mod path;
mod path_tracks;
mod play;
mod tracks;

#[cfg(feature = "weights")]
pub(crate) use inner::INNER_SHARE;
pub(crate) use inner::{InnerScratch, InnerShares};
#[cfg(feature = "weights")]
pub(crate) use keying::each_state;
pub(crate) use keying::{KeyedBinding, check_keyed};
pub(crate) use path::{KeyedPath, Scratch, WeightSource};
pub use path_tracks::PathWeightTracks;
pub(crate) use play::blend_keyed;
pub use tracks::{PlayedWeights, WeightTracks};
