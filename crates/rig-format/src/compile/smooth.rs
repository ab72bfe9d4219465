//! `Smooth` bindings: all paths of a piece of art, its clones and texts in one mesh, weights computed once,
//! every outline bound to them.

use std::collections::BTreeSet;
use std::sync::Arc;

use bone_core::{BoneId, Skeleton};
use drawing::{ElementId, ElementKind, PosedArt};
use skin::{BLine, BoneSegment, FieldError, FieldNote, Method, SolvedField};

use super::Pass;
use super::bind::{BindRequest, Field, FieldRequest, Requests};
use super::skin::{Plan, PlannedBinding, Step};
use super::stencils::ArtOutline;
use crate::diagnostic::{Diagnostic, Place};
use crate::doc::{self, SmoothDoc};
use crate::span::{Span, Spanned};

impl<'a> Pass<'a> {
    /// Binds the paths, clones and texts of the elements that a list names, but for those that have a binding
    /// of their own further in.
    pub(super) fn smooth(
        &mut self,
        smooth: &'a SmoothDoc,
        named: &[(ElementId, &Spanned<String>)],
        skeleton: Option<&Skeleton>,
        plan: &mut Plan<'a>,
    ) {
        let elements: Vec<ElementId> = named.iter().map(|(element, _)| *element).collect();
        let (art, cuts) = self.art_to_bind(smooth, &elements);
        let bends: BTreeSet<ElementId> =
            art.iter().chain(&cuts).flat_map(|(art, _)| self.around(art)).collect();
        let idle: Vec<_> = named.iter().filter(|(element, _)| !bends.contains(element)).collect();
        idle.iter().for_each(|(element, name)| self.no_path(name, *element));
        if art.is_empty() || !idle.is_empty() {
            return;
        }
        self.images_stay((&smooth.art.title(), smooth.art.span), &self.images_to_stay(smooth, &elements));
        let Some(skeleton) = skeleton else { return };
        let (request, bones) = self.field(smooth, &art, skeleton);
        let (field, id) = plan.requests.field(request, &mut self.memory.stores);
        let options = self.bind_options(&smooth.follow, skeleton);
        let elements_of_art = art.iter().map(|(art, _)| art.element()).collect();
        let mut paths = Vec::new();
        for (art, outline) in art.into_iter().chain(cuts) {
            let lines = BLine::from_path(&outline.path);
            let request = BindRequest::in_field(lines, (field, id, bones.clone()), &options);
            paths.push((art, plan.requests.path(request)));
        }
        let origin = PlannedBinding::Smooth { smooth, elements, art: elements_of_art, field };
        plan.steps.push(Step { paths, origin });
    }

    /// The weights that are found for these outlines together; none after saying why there are none.
    pub(super) fn solved(
        &mut self,
        smooth: &SmoothDoc,
        art: &[ArtOutline],
        skeleton: &Skeleton,
    ) -> Option<Arc<SolvedField>> {
        let mut requests = Requests::default();
        requests.field(self.field(smooth, art, skeleton).0, &mut self.memory.stores);
        requests.compute(&mut self.memory.stores, Some(skeleton), (1, self.cancel))?;
        let elements: Vec<ElementId> = art.iter().map(|(art, _)| art.element()).collect();
        let found = requests.solved.pop()?;
        self.field_notes(smooth, &elements, found.as_ref(), skeleton).then_some(found?.ok()?.0)
    }

    /// Asks for the weights of these outlines together, of these bones.
    ///
    /// They come from what is seen. A clip bounds it, and must not join what lies apart.
    fn field(
        &mut self,
        smooth: &SmoothDoc,
        art: &[ArtOutline],
        skeleton: &Skeleton,
    ) -> (FieldRequest, Vec<BoneId>) {
        let segments = self.segments(smooth, skeleton);
        let bones = segments.iter().map(|segment| segment.bone).collect();
        let method = match smooth.method.map(|method| method.value).unwrap_or_default() {
            doc::Method::Nearest => Method::Rigid,
            doc::Method::Envelope => Method::Envelope,
            doc::Method::Heat => Method::Heat,
            doc::Method::Biharmonic => Method::Biharmonic,
        };
        (FieldRequest::new(art.iter().map(|(_, outline)| outline), segments, method), bones)
    }

    /// Reports what was found out about the weights of these elements. False if there are none.
    pub(super) fn field_notes(
        &mut self,
        smooth: &SmoothDoc,
        art: &[ElementId],
        found: Option<&Field>,
        skeleton: &Skeleton,
    ) -> bool {
        match found {
            Some(Ok((_, notes))) => {
                notes.iter().for_each(|note| self.field_note(smooth, note, art, skeleton));
                true
            }
            Some(Err(error)) => {
                self.field_error(smooth, *error, skeleton);
                false
            }
            None => false,
        }
    }

    /// What is posed, and everything around it.
    fn around(&self, art: &PosedArt) -> impl Iterator<Item = ElementId> {
        std::iter::successors(Some(art.element()), |at| self.art.element(*at)?.parent)
    }

    fn no_path(&mut self, name: &Spanned<String>, element: ElementId) {
        let art = &name.value;
        let what = match self.art.element(element).map(|e| e.kind) {
            Some(ElementKind::Text) => "is a text without outlines, so it cannot bend",
            Some(ElementKind::Image) => "is an image, and images cannot bend",
            Some(ElementKind::Use) => "is a clone of art without a path, so it cannot bend",
            _ => "has no path in it that this binding could bend",
        };
        let help = match self.cuts(element) {
            true => "bind the art that it clips or masks",
            false => "bind it with Rigid, or convert it to a path in the drawing program",
        };
        self.error(name.span, format!("\"{art}\" {what}"), help);
    }

    /// The bones that the art may follow, at rest.
    fn segments(&mut self, smooth: &SmoothDoc, skeleton: &Skeleton) -> Vec<BoneSegment> {
        let mut bones: Vec<BoneId> = match &smooth.bones {
            Some(named) => named.value.iter().filter_map(|name| self.named_bone(name, skeleton)).collect(),
            None => skeleton.bones().collect(),
        };
        bones.sort_unstable();
        bones.dedup();
        let segment = |bone: BoneId| BoneSegment {
            bone,
            origin: skeleton.setup_origin(bone),
            tip: skeleton.setup_tip(bone),
            region: skeleton.region(bone),
        };
        bones.into_iter().map(segment).collect()
    }

    /// Reports a note of the solver as a warning about the rig.
    fn field_note(&mut self, smooth: &SmoothDoc, note: &FieldNote, paths: &[ElementId], skeleton: &Skeleton) {
        let art = smooth.art.title();
        let path =
            |shape: usize| paths.get(shape).map_or_else(String::new, |path| self.art.shown_name(*path));
        let (message, help, shape) = match note {
            // A bone without a share is no mistake where all bones are asked.
            FieldNote::BoneWithoutShare { .. } if smooth.bones.is_none() => return,
            FieldNote::BoneWithoutShare { bone } => {
                let nothing = no_weight_message(skeleton.name(*bone));
                let message = format!("{nothing} of art \"{art}\": other bones are nearer everywhere");
                (message, "remove it from `bones`, or move it into the art", None)
            }
            FieldNote::BonesCoincide { first, second } => {
                let (first, second) = (skeleton.name(*first), skeleton.name(*second));
                let message = format!(
                    "bones \"{first}\" and \"{second}\" are at the same place: they have equal weights in art \"{art}\""
                );
                (message, "name only one of them in `bones`", None)
            }
            FieldNote::NoArea => {
                let message = format!("art \"{art}\" has no area, so it follows its nearest bone");
                (message, "bind it with Rigid, or check its path in the drawing program", None)
            }
            FieldNote::PieceWithoutBone { at } => {
                let message = format!(
                    "no bone is inside the part of art \"{art}\" at ({:.0}, {:.0}), so this part follows the nearest bones",
                    at.x, at.y
                );
                (message, "move a bone into this part, or bind the part by its own binding", None)
            }
            FieldNote::OutsideRegions { shape, at } => {
                let path = path(*shape);
                let message = format!(
                    "no `region` reaches art \"{path}\" at ({:.0}, {:.0}), so it follows the nearest bone there",
                    at.x, at.y
                );
                (message, "make a `region` larger, or add a bone", Some(*shape))
            }
            FieldNote::ShapeNotFinite { shape } | FieldNote::ShapeEmpty { shape } => {
                let message = format!(
                    "art \"{}\" has no usable outline and was left out when the weights were computed",
                    path(*shape)
                );
                (message, "check it in the drawing program", Some(*shape))
            }
            other => (format!("art \"{art}\": {other}"), "", None),
        };
        let warning = Diagnostic::warning("weights-found", message);
        let warning = if help.is_empty() { warning } else { warning.help(help) };
        let element = shape.and_then(|shape| paths.get(shape)).and_then(|path| self.art.element(*path));
        let warning = match element {
            Some(element) => warning
                .related(Place::new(self.drawing, Span::from_range(&element.source)), "this is the path"),
            None => warning,
        };
        self.report(smooth.art.span, warning);
    }

    fn field_error(&mut self, smooth: &SmoothDoc, error: FieldError, skeleton: &Skeleton) {
        let art = smooth.art.title();
        let (message, help) = match error {
            FieldError::NoBones => {
                (format!("there are no bones for art \"{art}\" to follow"), "add bones to the rig")
            }
            FieldError::BoneNotFinite { bone } => (
                format!("the position of bone \"{}\" is not finite", skeleton.name(bone)),
                "use smaller numbers",
            ),
            other => (format!("art \"{art}\" cannot be bound: {other}"), ""),
        };
        self.error(smooth.art.span, message, help);
    }
}

/// The start of the warning about a bone that has no weight on any vertex.
pub fn no_weight_message(bone: &str) -> String {
    format!("bone \"{bone}\" has no weight on any vertex")
}
