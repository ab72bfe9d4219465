//! What a compiler keeps from one document to the next. A part of a rig is taken as it is if the words of the
//! document that it comes from are the same, and all that it builds on is.

use std::collections::BTreeSet;
use std::sync::Arc;

use bone_core::Skeleton;
use bone_core::clip::Clip;
use bone_drawing::{Drawing, ElementId, FilterId, GradientId, NodeId, Posable, PosedArt};
use bone_rig::RigClip;
use bone_rig::parts::{ConstraintTracks, PaintRule};
use bone_skin::{AffineBinding, PaintPatches, PathId, Skin};
use kurbo::Rect;

use super::assembly::Assembled;
use super::bind::Stores;
use super::bindings::Bindings;
use crate::diagnostic::Diagnostic;
use crate::doc::{BindingDoc, PartDoc, SkinBlend};
use crate::span::SourceId;

/// The words of each binding of a document.
pub(super) type Words = Arc<[Arc<[u64]>]>;

/// Everything that is kept.
#[derive(Debug, Default)]
pub(super) struct CompileMemory {
    /// Weights and paths by what they depend on, also those of documents before the last.
    pub(super) stores: Stores,
    /// The parts of the last rig.
    pub(super) last: Parts,
    /// What was found out about the last document alone.
    pub(super) checked: Checked,
    /// The words of the bindings of the last document.
    pub(super) words: Words,
    /// The stamp of that document.
    pub(super) stamp: Option<u64>,
    /// The words of bindings with the fields that they share.
    pub(super) words_with_fields: Option<FieldWords>,
    /// The box around each element of the drawing, computed at first use.
    pub(super) bounds: Option<Vec<Option<Rect>>>,
}

/// The words of the bindings, and these with the places of the bindings that share a field with each.
#[derive(Debug)]
pub(super) struct FieldWords {
    pub(super) own: Words,
    /// How paths follow where a binding does not say it.
    pub(super) blend: Option<SkinBlend>,
    pub(super) with_fields: Words,
}

/// The large parts of a document in which nothing was found.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// The words of what all parts are compared with.
    pub(super) context: Vec<u64>,
    /// The words of the bindings.
    pub(super) skin: Option<Words>,
    /// The words of clips.
    pub(super) clips: BTreeSet<Vec<u64>>,
}

/// The parts of a rig, with what they were compiled from.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) drawing: Option<Arc<Drawing>>,
    pub(super) skeleton: Option<KeptSkeleton>,
    pub(super) skin: Option<Arc<KeptSkin>>,
    /// The skin of all paths, also those that clips and drivers have added.
    pub(super) assembled: Assembled,
    pub(super) posable: Option<KeptPosable>,
    /// The words of drivers, constraints and springs.
    pub(super) modifiers: Vec<u64>,
    pub(super) clips: Vec<KeptClip>,
    pub(super) sequences: Vec<KeptSequence>,
}

#[derive(Debug)]
pub(super) struct KeptSkeleton {
    pub(super) words: Vec<u64>,
    pub(super) skeleton: Arc<Skeleton>,
}

/// The bindings, before clips and drivers add paths.
#[derive(Debug)]
pub(super) struct KeptSkin {
    /// The words of all that one binding needs besides its own.
    pub(super) context: Vec<u64>,
    pub(super) each: Vec<Arc<KeptBinding>>,
    pub(super) bindings: Bindings,
    /// The bones that they name.
    pub(super) bones: BTreeSet<String>,
    /// The elements that they name, sorted.
    pub(super) named: Arc<[ElementId]>,
    pub(super) findings: Findings,
}

/// One binding.
#[derive(Debug, Default)]
pub(super) struct KeptBinding {
    pub(super) words: Arc<[u64]>,
    /// The bones that it names.
    pub(super) bones: Vec<String>,
    /// None where something was found in it.
    pub(super) bound: Option<KeptPaths>,
}

/// What a binding has bound.
#[derive(Debug, Default)]
pub(super) struct KeptPaths {
    /// The number of paths before its own.
    pub(super) first: usize,
    pub(super) paths: Vec<KeptPath>,
    pub(super) carried: Vec<(ElementId, NodeId, AffineBinding)>,
}

/// A bound path, with the words that stand for it and the patches of its paint.
pub(super) type KeptPath = ((PosedArt, Option<Arc<PaintPatches>>), (u64, Arc<Skin>));

/// What was found in some bindings. It is found again where they are in the same places of the same texts.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) list: Vec<Diagnostic>,
    pub(super) bindings: Vec<BindingDoc>,
    pub(super) sources: (SourceId, SourceId, Vec<PartDoc>),
}

#[derive(Clone, Debug)]
pub(super) struct KeptPosable {
    pub(super) posable: Posable,
    pub(super) paints: Vec<PaintRule>,
}

/// The motion of a clip: what springs are baked for.
#[derive(Clone, Debug)]
pub(super) struct KeptMotion {
    pub(super) words: Vec<u64>,
    pub(super) motion: Arc<Clip>,
    pub(super) sliders: Vec<bone_rig::parts::Lane>,
    pub(super) constraints: ConstraintTracks,
}

#[derive(Debug)]
pub(super) struct KeptClip {
    pub(super) motion: KeptMotion,
    /// The words of everything that it does to art; none where something was found.
    pub(super) art: Option<Vec<u64>>,
    pub(super) mentions: Vec<Mention>,
    pub(super) clip: RigClip,
}

#[derive(Debug)]
pub(super) struct KeptSequence {
    pub(super) words: Vec<u64>,
    /// What building it has cost; none where something was found.
    pub(super) settled: Option<usize>,
    pub(super) clip: RigClip,
}

/// A gradient of the drawing, of all art that it colours, or of the stroke or the fill of one path.
pub(super) type GradientOf = (GradientId, Option<(ElementId, bool)>);

/// A step of a filter of the drawing, of all art that has it, or of one piece.
pub(super) type StepOf = (FilterId, Option<ElementId>, usize);

/// What a clip needs of the lists that clips and drivers fill, in the order in which it was needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mention {
    /// An element whose visibility can change, by its index.
    Actor(ElementId, usize),
    /// A group of which one child is visible, by its index.
    Switch(ElementId, usize),
    /// A path whose stroke changes, by its index.
    Look(ElementId, usize),
    /// A path of which a part is stroked, by its index, and whether the part can lie across its start.
    Trim(ElementId, usize, bool),
    /// A path with other shapes, by the index of the first.
    Shapes(ElementId, usize),
    /// Art that is tinted, by its index.
    Tint(ElementId, usize),
    /// A gradient whose ends and stops change, by its index.
    Gradient(GradientOf, usize),
    /// A step of a filter whose numbers change, by its index.
    FilterStep(StepOf, usize),
    /// A path with ink, by its index.
    Ink(ElementId, usize),
    /// A path that is posed.
    Path(ElementId, PathId),
}
