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

use std::sync::Arc;

use bone_core::spring::Springs;
use drawing::{Drawing, ElementId, PosedArt};

use art::DrawOrderBuilder;
use art_index::ArtIndex;
pub use smooth::no_weight_message;
pub use weights::{PathWeightSource, PathWeights, weights_of};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::doc::RigDoc;
use crate::span::{SourceId, Span};
use rig::{
    Rig, RigDriver,
    parts::{Constraints, RigParts},
};

/// Compiles a document and its drawing to a rig. All errors are reported; there is a rig only
/// without errors, those that `check` reported before included.
///
/// `drawing` is the source of the art's text: places in it are pointed at.
pub fn compile(
    doc: &RigDoc,
    art: impl Into<Arc<Drawing>>,
    drawing: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<Rig> {
    let art = art.into();
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
        skin: Arc::new(bindings.skin),
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
    Diagnostic::error(format!("internal error: {what} cannot be compiled")).help(help)
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
        self.diagnostics.push(diagnostic.at(place));
    }

    /// Reports that something could not be compiled although no error was found before: `check` should have
    /// reported it.
    fn fault(&mut self, span: Span, what: &str) {
        if !self.diagnostics.has_errors() {
            self.report(span, internal_error(what));
        }
    }

    /// An error at a place in the rig.
    fn error(&mut self, span: Span, message: String, help: &str) {
        let error = Diagnostic::error(message);
        self.report(span, if help.is_empty() { error } else { error.help(help) });
    }
}
