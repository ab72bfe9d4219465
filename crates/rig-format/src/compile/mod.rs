//! The one step from document to runtime: names become ids, bones are sorted, art is found, weights are
//! packed. What needs the drawing is checked here; what needs the document alone was checked by `check`.

mod affine_parts;
mod art;
mod art_index;
mod assembly;
mod bind;
mod bindings;
mod bones;
mod clips;
mod compute;
mod constraints;
mod controls;
mod events;
mod filters;
mod gradients;
mod inks;
mod keyed_weights;
mod late_drivers;
mod lints;
mod machines;
mod masks;
mod memory;
mod mirrored;
mod outfits;
mod paint_patches;
mod parallel;
mod pass;
mod path_warp;
mod plan;
mod poses;
mod puppets;
mod sequences;
mod shapes;
mod skin;
mod smooth;
mod springs;
mod stencils;
mod warps;
mod weights;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bone_core::clip::Clip;
use bone_core::spring::Springs;
use bone_core::{BoneId, Skeleton};
use bone_drawing::{Drawing, ElementId, PosedArt};

use art::DrawOrderBuilder;
use bindings::Bindings;
use compute::ComputeOptions;
pub use compute::SkinDetail;
use events::RigEvents;
use memory::{Checked, CompileMemory, FieldWords, Findings, KeptSkeleton, KeptSkin, Parts, Words};
use mirrored::MirroredFills;
use pass::Pass;
pub use pass::Recompiled;
pub use smooth::no_weight_message;
pub use weights::{PathWeightSource, PathWeights, weights_of};

use crate::check::{Sound, check_parts};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::doc::{BindingDoc, BoneKind, PaintDoc, RigDoc};
use crate::schema::content::{Content as _, words};
use crate::span::{SourceId, Span, Spanned};
use bone_rig::{
    Rig, RigClip, RigDriver, Slider,
    parts::{Constraints, RigParts},
};

/// Compiles a document and its drawing to a rig. All errors are reported; there is a rig only
/// without errors, those that `check` reported before included.
///
/// `drawing` is the source of the art's text: places in it are pointed at. A program that edits documents
/// keeps a [`Compiler`] instead.
pub fn compile(
    doc: &RigDoc,
    art: impl Into<Arc<Drawing>>,
    drawing: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<Rig> {
    Compiler::new().compile(doc, &art.into(), drawing, diagnostics)
}

/// Compiles one document after the other, and computes only what has changed: bindings by what they depend
/// on, wherever they are in a document, and clips with their secondary motion.
///
/// The rig and what is reported are those of [`compile`], to the bit. Rigs that were compiled before stay as
/// they are, and share with the new one what both have in common.
///
/// ```
/// use std::sync::Arc;
/// use bone_render::{Resources, read_svg};
/// use bone_format::{Compiler, Diagnostics, doc::RigDoc, read, span::SourceId};
///
/// let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path id="flag" d="M5 5H35V20H5Z"/></svg>"#;
/// let drawing = Arc::new(read_svg(svg, &Resources::default())?.0);
/// let text = |angle: u32| format!(r#"Rig(version: 1, drawing: "flag.svg",
///     bones: {{ "pole": (from: (5, 5), to: (35, 5)) }},
///     skin: [Smooth(art: "flag")],
///     clips: {{ "wave": (length: 2, bones: {{ "pole": (rotate: [(0, 0), (1, {angle}), (2, 0)]) }}) }},
/// )"#);
/// let (mut compiler, mut findings) = (Compiler::new(), Diagnostics::new());
/// let doc: RigDoc = read(SourceId::default(), &text(30), &mut findings).expect("a document");
/// assert!(compiler.compile(&doc, &drawing, SourceId::default(), &mut findings).is_some());
/// assert_eq!(compiler.recompiled().paths, 1);
///
/// let doc: RigDoc = read(SourceId::default(), &text(45), &mut findings).expect("a document");
/// assert!(compiler.compile(&doc, &drawing, SourceId::default(), &mut findings).is_some());
/// assert_eq!((compiler.recompiled().paths, compiler.recompiled().clips), (0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Compiler {
    threads: usize,
    detail: SkinDetail,
    cancel: Arc<AtomicBool>,
    is_cancelled: bool,
    /// Documents with one stamp have the same bindings.
    pub(crate) stamp: Option<u64>,
    memory: CompileMemory,
    recompiled: Recompiled,
}

impl Default for Compiler {
    fn default() -> Self {
        Self::new()
    }
}

impl Compiler {
    /// A compiler that uses all cores. It has no memory of a document yet.
    pub fn new() -> Self {
        Self::with_threads(parallel::cores())
    }

    /// A compiler that binds on at most so many threads. Their number has no effect on the rig.
    pub fn with_threads(threads: usize) -> Self {
        Self {
            threads,
            detail: SkinDetail::default(),
            cancel: Arc::default(),
            is_cancelled: false,
            stamp: None,
            memory: CompileMemory::default(),
            recompiled: Recompiled::default(),
        }
    }

    /// The same with a token that cancels: soon after it is set, [`compile`](Self::compile) ends without a rig,
    /// also while weights are found. What is remembered stays.
    pub fn cancelled_by(self, cancel: Arc<AtomicBool>) -> Self {
        Self { cancel, ..self }
    }

    /// The same for rigs that are not drawn: less of the skin is computed.
    pub fn with_detail(self, detail: SkinDetail) -> Self {
        Self { detail, ..self }
    }

    /// Whether the last call of [`compile`](Self::compile) was cancelled: what it reported is not all.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    /// What the last call of [`compile`](Self::compile) has computed anew.
    pub fn recompiled(&self) -> Recompiled {
        self.recompiled
    }

    /// Checks a document like [`check`](crate::check()), but for large parts of it in which nothing was found
    /// when the last document was checked.
    pub fn check(&mut self, doc: &RigDoc, diagnostics: &mut Diagnostics) {
        let context =
            words(&(((&doc.bones, &doc.sliders), &doc.constraints), (&doc.poses, (doc.complete, doc.fps))));
        let skin = self.memory.words_of_bindings(doc, self.stamp);
        let clips: Vec<Vec<u64>> = doc.clips.iter().map(words).collect();
        let checked = std::mem::take(&mut self.memory.checked);
        let is_known = checked.context == context;
        let known = Sound {
            skin: is_known && checked.skin.as_ref() == Some(&skin),
            clips: clips.iter().map(|clip| is_known && checked.clips.contains(clip)).collect(),
        };
        let sound = check_parts(doc, diagnostics, &known);
        let clips = clips.into_iter().zip(sound.clips).filter(|(_, sound)| *sound).map(|(clip, _)| clip);
        self.memory.checked = Checked { context, skin: sound.skin.then_some(skin), clips: clips.collect() };
    }

    /// Compiles a document that was [checked](Self::check), and its drawing. All errors are reported;
    /// there is a rig only without errors, those in `diagnostics` included. Documents with errors do not
    /// change what is remembered of those before.
    ///
    /// `drawing` is the source of the art's text: places in it are pointed at.
    pub fn compile(
        &mut self,
        doc: &RigDoc,
        art: &Arc<Drawing>,
        drawing: SourceId,
        diagnostics: &mut Diagnostics,
    ) -> Option<Rig> {
        self.recompiled = Recompiled::default();
        self.is_cancelled = false;
        if self.memory.last.drawing.as_ref().is_none_or(|last| !Arc::ptr_eq(last, art)) {
            self.memory.last = Parts { drawing: Some(Arc::clone(art)), ..Parts::default() };
            self.memory.bounds = None;
        }
        let found = diagnostics.clone();
        if !found.has_errors() {
            let (rig, is_reused) = self.run((doc, art, drawing), diagnostics, true);
            if rig.is_some() || !is_reused || self.is_cancelled {
                return rig;
            }
        }
        // Everything is looked at again, so that all errors are found, with their places in this document.
        *diagnostics = found;
        self.run((doc, art, drawing), diagnostics, false).0
    }

    /// Compiles a document, and tells whether parts of the last one were taken as they are.
    fn run(
        &mut self,
        (doc, art, drawing): (&RigDoc, &Arc<Drawing>, SourceId),
        diagnostics: &mut Diagnostics,
        reuse: bool,
    ) -> (Option<Rig>, bool) {
        let kept = std::mem::take(&mut self.memory.last);
        let none = Parts::default();
        let last = if reuse { &kept } else { &none };
        let how = ComputeOptions { threads: self.threads, cancel: &self.cancel, detail: self.detail };
        let mut pass = Pass::new((doc, art, drawing), diagnostics, &mut self.memory, (how, self.stamp));
        let compiled = pass.rig(last, art);
        let (is_reused, computed) = (pass.is_reused, pass.memory.stores.computed);
        self.is_cancelled = pass.is_cancelled;
        self.recompiled = pass.recompiled;
        (self.recompiled.fields, self.recompiled.paths) = (computed.fields, computed.paths);
        let (rig, parts) = compiled.unzip();
        self.memory.last = parts.unwrap_or(kept);
        (rig, is_reused)
    }
}

impl CompileMemory {
    /// The words of each binding, those of a stamp once. Words that are as they were share their memory with
    /// those, and are compared at once.
    fn words_of_bindings(&mut self, doc: &RigDoc, stamp: Option<u64>) -> Words {
        if stamp.is_some() && stamp == self.stamp {
            return Arc::clone(&self.words);
        }
        let mut words = Vec::new();
        let all = doc.skin.iter().enumerate().map(|(at, binding)| {
            words.clear();
            binding.write(&mut words);
            match self.words.get(at) {
                Some(known) if **known == *words => Arc::clone(known),
                _ => Arc::from(words.as_slice()),
            }
        });
        let all: Words = all.collect();
        if *all != *self.words {
            self.words = all;
        }
        self.stamp = stamp;
        Arc::clone(&self.words)
    }
}

/// The error about something that cannot be compiled although `check` found no error in it.
fn internal_error(what: &str) -> Diagnostic {
    let help = "this is a fault of the program, not of the rig: please report it with this file";
    Diagnostic::error("internal-error", format!("internal error: {what} cannot be compiled")).help(help)
}

/// What changes the pose after the keys of every clip.
#[derive(Clone, Copy)]
struct Modifiers<'a> {
    springs: &'a Springs,
    drivers: &'a [RigDriver],
    constraints: &'a Constraints,
    sliders: &'a [Slider],
    /// Whether they, and the bones, are those of the rig before.
    are_same: bool,
}

impl<'a> Pass<'a> {
    /// The rig, and its parts for the next document.
    fn rig(&mut self, last: &Parts, drawing: &Arc<Drawing>) -> Option<(Rig, Parts)> {
        let doc = self.doc;
        let skeleton = self.skeleton(last);
        let has_same_bones =
            skeleton.as_ref().zip(last.skeleton.as_ref()).is_some_and(|(own, last)| own.words == last.words);
        let bones = skeleton.as_ref().map(|kept| &*kept.skeleton);
        self.plan_warps();
        let (skin, mut bindings) = self.bindings(last, bones, has_same_bones);
        if self.is_cancelled {
            return None;
        }
        let mut order = DrawOrderBuilder::default();
        let sliders = self.sliders();
        (order.draw_order.sliders, order.draw_order.camera) = (sliders.clone(), self.page());
        self.inks(&mut order);
        order.masks = self.masks();
        let warps = Arc::new(self.warps(bones, &mut bindings));
        let mut drivers = self.drivers(bones, &mut bindings, &mut order);
        let springs = bones.map(|bones| self.springs(bones)).unwrap_or_default();
        let constraints = self.constraints(bones);
        if let Some(bones) = bones {
            self.late_drivers(bones, &constraints, &mut drivers);
        }
        let modifier_words = words(&((&doc.drivers, &doc.sliders), (&doc.constraints, &doc.springs)));
        let modifiers = Modifiers {
            springs: &springs,
            drivers: &drivers,
            constraints: &constraints,
            sliders: &sliders,
            are_same: has_same_bones && modifier_words == last.modifiers,
        };
        let events = RigEvents::new(doc);
        let clips = self.clips((bones, &events), modifiers, &last.clips, (&mut bindings, &mut order));
        let sequences = self.sequences(bones, modifiers, &clips, &last.sequences);
        let (outfits, worn) = self.outfits(bones, &constraints, &mut order);
        let shapes = self.shapes((bones, &mut bindings), &order);
        bones.iter().for_each(|bones| self.painting_bones(bones));
        let mirrored = bones.map(|bones| {
            let clips: Vec<&Clip> = clips.iter().map(|kept| &*kept.motion.motion).collect();
            MirroredFills::new(&bindings, bones, &clips, (&drivers, &constraints))
        });
        let mirrored = mirrored.unwrap_or_default();
        let posable = self.posable(last, &bindings, &order, &mirrored.fills);
        self.lints(skin.as_ref().map(|skin| &skin.bones));
        if skeleton.is_none() || posable.is_none() {
            self.fault(doc.span, "this rig");
        }
        if self.diagnostics.has_errors() {
            return None;
        }
        let (mut posable, skeleton) = (posable?, skeleton?);
        let assembled = std::mem::take(&mut bindings.skin).finish();
        let Ok(assembled) = assembled.map_err(|error| self.error(doc.span, error.to_string(), "")) else {
            return None;
        };
        let has_same_skin =
            skin.as_ref().zip(last.skin.as_ref()).is_some_and(|(own, last)| Arc::ptr_eq(own, last))
                && Arc::ptr_eq(&assembled.skin, &last.assembled.skin);
        if !has_same_skin || posable.paints.len() != bindings.posed.len() {
            posable.paints = bindings.paints(&assembled.skin, &posable.posable, &skeleton.skeleton);
        }
        let points = doc.bones.iter().filter(|bone| bone.kind() == BoneKind::Point);
        let points = points.filter_map(|bone| skeleton.skeleton.find(&bone.name.value)).collect();
        let (rigid, rigid_bones) = bindings.rigid.into_iter().unzip();
        let carried = bindings.carried.into_iter().map(|(owner, _, carried)| (owner, carried)).collect();
        let rig_clips =
            clips.iter().map(|clip| &clip.clip).chain(sequences.iter().map(|sequence| &sequence.clip));
        let rig_clips: Vec<RigClip> = rig_clips.cloned().collect();
        let machines = self.machines(&skeleton.skeleton, &rig_clips);
        let rig = Rig::new(RigParts {
            drawing: Arc::clone(drawing),
            posable: posable.posable.clone(),
            skeleton: (*skeleton.skeleton).clone(),
            points,
            skin: Arc::clone(&assembled.skin),
            puppets: bindings.puppets,
            warps,
            rigid,
            rigid_bones,
            carried,
            posed: bindings.posed.iter().map(PosedArt::element).collect(),
            paints: posable.paints.clone(),
            patches: bindings.patches.into_iter().flatten().collect(),
            mirrored: mirrored.parts,
            draw_order: order.draw_order,
            shapes,
            drivers,
            constraints,
            springs,
            clips: rig_clips,
            machines,
            outfits,
            worn,
            poses: doc.poses.iter().map(|pose| pose.name.value.clone()).collect(),
            events: events.events,
            fps: doc.fps.map_or(RigDoc::FPS, |fps| fps.value),
        });
        if rig.is_none() {
            self.diagnostics.push(internal_error("this rig").at(doc.place(doc.span)));
        }
        let parts = Parts {
            drawing: Some(Arc::clone(drawing)),
            skeleton: Some(skeleton),
            skin,
            assembled,
            posable: Some(posable),
            modifiers: modifier_words,
            clips,
            sequences,
        };
        Some((rig?, parts))
    }

    /// The bones, as they are if nothing of them was changed.
    fn skeleton(&mut self, last: &Parts) -> Option<KeptSkeleton> {
        let words = words(&self.doc.bones);
        let kept =
            last.skeleton.as_ref().filter(|kept| kept.words == words && !self.diagnostics.has_errors());
        if let Some(kept) = kept {
            self.is_reused = true;
            return Some(KeptSkeleton { words, skeleton: Arc::clone(&kept.skeleton) });
        }
        let skeleton = Arc::new(self.bones()?);
        Some(KeptSkeleton { words, skeleton })
    }

    /// The bindings, as they are if nothing of them was changed. Without bones none can be compiled, but
    /// their art can be looked for.
    fn bindings(
        &mut self,
        last: &Parts,
        bones: Option<&bone_core::Skeleton>,
        has_same_bones: bool,
    ) -> (Option<Arc<KeptSkin>>, Bindings) {
        let doc = self.doc;
        // What is in another binding is left to that, and keys of weights and shapes decide where paths are cut.
        let names: Vec<_> = doc.skin.iter().map(|binding| binding.names()).collect();
        let mut context = words(&(&doc.follow, names));
        doc.clips.iter().for_each(|clip| clip.weights.write(&mut context));
        doc.shapes().write(&mut context);
        doc.warps.write(&mut context);
        let kept = last.skin.as_ref().filter(|kept| has_same_bones && kept.context == context);
        let each = self.words_of_bindings();
        let each = self.words_with_warps(each);
        let are_same = |kept: &KeptSkin| kept.each.iter().map(|kept| &kept.words).eq(&*each);
        self.memory.stores.begin();
        if let Some(kept) = kept.filter(|kept| are_same(kept) && self.are_found(&kept.findings)) {
            self.is_reused = true;
            kept.findings.list.iter().for_each(|finding| self.push(finding.clone()));
            self.art_index.set_named(&kept.named);
            return (Some(Arc::clone(kept)), kept.bindings.over(last.assembled.clone()));
        }
        self.memory.stores.pass();
        let before = self.findings.len();
        let known = kept.map_or(&[][..], |kept| &kept.each);
        let (bindings, each) = self.skin(bones, Bindings::over_last(last.assembled.clone()), (&each, known));
        if bones.is_none() || self.diagnostics.has_errors() {
            return (None, bindings);
        }
        self.memory.stores.forget();
        let list = self.findings[before..].to_vec();
        let bound = if list.is_empty() { Vec::new() } else { doc.skin.clone() };
        let findings = Findings { list, bindings: bound, sources: self.sources() };
        let bones = each.iter().flat_map(|binding| &binding.bones).cloned().collect();
        let named = self.art_index.named().into();
        let kept = KeptSkin { context, each, bindings: bindings.clone(), bones, named, findings };
        (Some(Arc::new(kept)), bindings)
    }

    /// The words of each binding, with the places of those with which it shares a field.
    fn words_of_bindings(&mut self) -> Words {
        let own = self.memory.words_of_bindings(self.doc, self.stamp);
        let blend = self.doc.follow.blend.map(|blend| blend.value);
        if let Some(known) = &self.memory.words_with_fields
            && Arc::ptr_eq(&known.own, &own)
            && known.blend == blend
        {
            return Arc::clone(&known.with_fields);
        }
        let key = |binding: &BindingDoc| match binding {
            BindingDoc::Smooth(smooth) => self.field_key(smooth),
            _ => None,
        };
        let keys: Vec<_> = self.doc.skin.iter().map(key).collect();
        let mut sharing: BTreeMap<&Vec<u64>, Vec<u64>> = BTreeMap::new();
        for (at, key) in (0..).zip(&keys) {
            key.iter().for_each(|key| sharing.entry(key).or_default().push(at));
        }
        let each = own.iter().zip(&keys).map(|(own, key)| match key {
            Some(key) => {
                let mut words = own.to_vec();
                sharing[key].write(&mut words);
                words.into()
            }
            None => Arc::clone(own),
        });
        let with_fields: Words = each.collect();
        let known = FieldWords { own: Arc::clone(&own), blend, with_fields: Arc::clone(&with_fields) };
        self.memory.words_with_fields = Some(known);
        with_fields
    }

    /// Whether what was found in the bindings of another document with the same words would be found in
    /// these.
    fn are_found(&self, findings: &Findings) -> bool {
        findings.list.is_empty() || (findings.bindings == self.doc.skin && findings.sources == self.sources())
    }

    /// The texts that places refer to.
    fn sources(&self) -> (SourceId, SourceId, Vec<crate::doc::PartDoc>) {
        (self.doc.source, self.drawing, self.doc.parts.clone())
    }

    /// Whether a binding names an element.
    fn is_named(&self, element: ElementId) -> bool {
        self.art_index.named().binary_search(&element).is_ok()
    }

    /// Whether of all that bindings name, the nearest to an element, itself or around it, is one of these,
    /// which are sorted.
    fn is_nearest(&self, id: ElementId, elements: &[ElementId]) -> bool {
        let mut way = std::iter::successors(Some(id), |at| self.art.element(*at)?.parent);
        way.find(|at| self.is_named(*at)).is_some_and(|at| elements.binary_search(&at).is_ok())
    }

    fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        let place = self.doc.place(span);
        let placed = if self.doc.is_written() {
            diagnostic.at(place)
        } else {
            diagnostic.without_places(place.source)
        };
        self.push(placed);
    }

    /// Reports something that has its place.
    fn push(&mut self, diagnostic: Diagnostic) {
        self.findings.push(diagnostic.clone());
        self.diagnostics.push(diagnostic);
    }

    /// Reports that something could not be compiled although no error was found before: `check` should have
    /// reported it.
    fn fault(&mut self, span: Span, what: &str) {
        if !self.diagnostics.has_errors() {
            self.report(span, internal_error(what));
        }
    }

    /// The bone of a name; `check` has reported a name without a bone.
    fn named_bone(&mut self, name: &Spanned<String>, skeleton: &Skeleton) -> Option<BoneId> {
        let bone = skeleton.find(&name.value);
        if bone.is_none() {
            self.fault(name.span, "what names this bone");
        }
        bone
    }

    /// The bones that carry paint exist.
    fn painting_bones(&mut self, skeleton: &Skeleton) {
        for binding in &self.doc.skin {
            let paint = match binding {
                BindingDoc::Rigid(_) => continue,
                BindingDoc::Smooth(smooth) => &smooth.paint_options.paint,
                BindingDoc::Puppet(puppet) => &puppet.paint_options.paint,
                BindingDoc::Explicit(explicit) => &explicit.paint_options.paint,
            };
            if let PaintDoc::Bone(bone) = paint {
                self.named_bone(bone, skeleton);
            }
        }
    }

    /// An error at a place in the rig.
    fn error(&mut self, span: Span, message: String, help: &str) {
        let error = Diagnostic::error("does-not-fit-drawing", message);
        self.report(span, if help.is_empty() { error } else { error.help(help) });
    }
}
