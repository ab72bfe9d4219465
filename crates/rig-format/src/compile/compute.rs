//! How much is computed, and on how many threads.

use std::sync::atomic::AtomicBool;

use super::parallel;

/// How much of the skin is computed when a rig is compiled. What is reported about a document is the same but
/// for what is found out about weights and outlines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SkinDetail {
    /// Weights are found and outlines are cut: the rig can be drawn.
    #[default]
    Outlines,
    /// Weights are found, and what is wrong with them is reported. Outlines do not follow them.
    Weights,
    /// Neither: for what needs bones, clips and names alone.
    Bones,
}

/// How weights and outlines are computed.
#[derive(Clone, Copy)]
pub(super) struct ComputeOptions<'a> {
    /// The greatest number of threads.
    pub(super) threads: usize,
    pub(super) cancel: &'a AtomicBool,
    pub(super) detail: SkinDetail,
}

impl ComputeOptions<'_> {
    /// On the thread that calls, to the end.
    pub(super) const ALONE: ComputeOptions<'static> =
        ComputeOptions { threads: 1, cancel: &parallel::NEVER, detail: SkinDetail::Outlines };
}
