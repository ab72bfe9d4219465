//! The one step from document to runtime: names become ids, bones are sorted, art is found, weights are
//! packed. What needs the drawing is checked here; what needs the document alone was checked by `check`.

mod affine_parts;
mod art;
mod art_index;
mod bindings;
mod bones;
mod clips;
mod constraints;
mod keyed_weights;
mod late_drivers;
mod lints;
mod sequences;
mod skin;
mod smooth;
mod springs;
mod stencils;
mod weights;

use bone_core::spring::Springs;
use bone_core::{BoneId, Skeleton};
use drawing::{Drawing, ElementId, PosedArt};

use art::DrawOrderBuilder;
use art_index::ArtIndex;
pub use smooth::no_weight_message;
pub use weights::{PathWeightSource, PathWeights, weights_of};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::doc::{BindingDoc, PaintDoc, RigDoc};
use crate::span::{SourceId, Span, Spanned};
use rig::{
    Rig, RigDriver,
    parts::{Constraints, RigParts},
};

/// Compiles a document and its drawing to a rig. All errors are reported; there is a rig only
/// without errors, those that `check` reported before included.
///
/// `drawing` is the source of the art's text: places in it are pointed at.
pub fn compile(doc: &RigDoc, art: Drawing, drawing: SourceId, diagnostics: &mut Diagnostics) -> Option<Rig> {
    let mut compiler = Compiler::new(doc, &art, drawing, diagnostics);
    let skeleton = compiler.bones();
    // Without bones no binding can be compiled, but its art can be looked for.
    let mut bindings = compiler.skin(skeleton.as_ref());
    let mut order = DrawOrderBuilder::default();
    let mut drivers = compiler.drivers(skeleton.as_ref(), &mut bindings, &mut order);
    let springs = skeleton.as_ref().map(|skeleton| compiler.springs(skeleton)).unwrap_or_default();
    let constraints = compiler.constraints(skeleton.as_ref());
    if let Some(skeleton) = &skeleton {
        compiler.late_drivers(skeleton, &constraints, &mut drivers);
    }
    let modifiers = Modifiers { springs: &springs, drivers: &drivers, constraints: &constraints };
    let mut clips = compiler.clips(skeleton.as_ref(), modifiers, &mut bindings, &mut order);
    compiler.sequences(skeleton.as_ref(), &springs, &mut clips);
    skeleton.iter().for_each(|skeleton| compiler.painting_bones(skeleton));
    let posable = compiler.posable(&bindings, &order.draw_order);
    compiler.lints();
    if skeleton.is_none() || posable.is_none() {
        compiler.fault(doc.span, "this rig");
    }
    if diagnostics.has_errors() {
        return None;
    }
    let fps = doc.fps.map_or(RigDoc::FPS, |fps| fps.value);
    let (posable, skeleton) = (posable?, skeleton?);
    let paints = bindings.paints(&posable, &skeleton);
    let (rigid, rigid_bones) = bindings.rigid.into_iter().unzip();
    let carried = bindings.carried.into_iter().map(|(owner, _, carried)| (owner, carried)).collect();
    let rig = Rig::new(RigParts {
        drawing: art,
        posable,
        skeleton,
        skin: bindings.skin,
        rigid,
        rigid_bones,
        carried,
        posed: bindings.posed.iter().map(PosedArt::element).collect(),
        paints,
        draw_order: order.draw_order,
        drivers,
        constraints,
        springs,
        clips,
        fps,
    });
    if rig.is_none() {
        diagnostics.push(internal_error("this rig").at(doc.place(doc.span)));
    }
    rig
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
}

/// The state of one run, shared by its steps.
struct Compiler<'a> {
    doc: &'a RigDoc,
    art: &'a Drawing,
    drawing: SourceId,
    diagnostics: &'a mut Diagnostics,
    art_index: ArtIndex<'a>,
}

impl<'a> Compiler<'a> {
    fn new(doc: &'a RigDoc, art: &'a Drawing, drawing: SourceId, diagnostics: &'a mut Diagnostics) -> Self {
        Self { doc, art, drawing, diagnostics, art_index: ArtIndex::new(doc, art) }
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
        self.diagnostics.push(placed);
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
