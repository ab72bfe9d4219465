//! The state of one run, shared by its steps.

use bone_drawing::Drawing;

use super::art_index::ArtIndex;
use super::compute::ComputeOptions;
use super::memory::{CompileMemory, Mention};
use super::path_warp::PlannedWarps;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::doc::RigDoc;
use crate::span::SourceId;

/// How much of a rig was computed anew when it was compiled last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recompiled {
    /// Weights that were found for `Smooth` bindings.
    pub fields: usize,
    /// Paths that were bound.
    pub paths: usize,
    /// Clips whose motion was compiled; springs of other clips are not baked again.
    pub motions: usize,
    /// Clips of which anything was compiled.
    pub clips: usize,
    /// Sequences that were built.
    pub sequences: usize,
}

/// The state of one run, shared by its steps.
pub(super) struct Pass<'a> {
    pub(super) doc: &'a RigDoc,
    pub(super) art: &'a Drawing,
    pub(super) drawing: SourceId,
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) art_index: ArtIndex<'a>,
    pub(super) memory: &'a mut CompileMemory,
    pub(super) how: ComputeOptions<'a>,
    pub(super) is_cancelled: bool,
    pub(super) stamp: Option<u64>,
    pub(super) recompiled: Recompiled,
    /// Whether a part of the rig before was taken as it is.
    pub(super) is_reused: bool,
    /// What was reported in this run.
    pub(super) findings: Vec<Diagnostic>,
    /// What the clip that is compiled needs of the lists that clips and drivers fill.
    pub(super) mentions: Vec<Mention>,
    pub(super) warps: PlannedWarps,
}

impl<'a> Pass<'a> {
    pub(super) fn new(
        (doc, art, drawing): (&'a RigDoc, &'a Drawing, SourceId),
        diagnostics: &'a mut Diagnostics,
        memory: &'a mut CompileMemory,
        (how, stamp): (ComputeOptions<'a>, Option<u64>),
    ) -> Self {
        Self {
            doc,
            art,
            drawing,
            diagnostics,
            art_index: ArtIndex::new(doc, art),
            memory,
            how,
            is_cancelled: false,
            stamp,
            recompiled: Recompiled::default(),
            is_reused: false,
            findings: Vec::new(),
            mentions: Vec::new(),
            warps: PlannedWarps::default(),
        }
    }
}
