//! Filters that are applied without resvg: blurs, drop shadows, and the steps that they are combined with. The
//! order and the arithmetic are those of resvg 0.49, so no pixel differs; blurs visit only what is near the
//! ink of a layer, and go along rows in both directions. A filter with another step is left to resvg.

mod apply;
mod chain;
mod colors;
mod morphology;
mod read;
mod regions;
mod transfer;

pub(crate) use apply::{apply, fit_to};
pub(crate) use chain::FilterChain;
pub(crate) use read::read;
