//! `Smooth` bindings: all paths of a piece of art, its clones and texts in one mesh, weights computed once,
//! every outline bound to them.

use std::collections::BTreeSet;

use bone_core::{BoneId, Skeleton};
use drawing::{ElementId, ElementKind, Outline, PosedArt};
use skin::{
    BLine, BoneSegment, CoveredShape, FieldError, FieldNote, FieldOptions, Method, SolvedField, Weights,
    WindingRule, solve_weights,
};

use super::Compiler;
use super::bindings::Bindings;
use super::stencils::ArtOutline;
use crate::diagnostic::{Diagnostic, Place};
use crate::doc::{self, SmoothDoc};
use crate::span::{Span, Spanned};

impl Compiler<'_> {
    /// Binds the paths, clones and texts of the elements that a list names, but for those that have a binding
    /// of their own further in.
    pub(super) fn smooth(
        &mut self,
        smooth: &SmoothDoc,
        named: &[(ElementId, &Spanned<String>)],
        skeleton: Option<&Skeleton>,
        bindings: &mut Bindings,
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
        let Some(field) = self.solved(smooth, &art, skeleton) else { return };
        let options = self.bind_options(&smooth.follow, skeleton);
        for (art, outline) in art.iter().chain(&cuts) {
            match bindings.skin.bind(&BLine::from_path(&outline.path), &Weights::Field(&field), &options) {
                Ok(path) => bindings.pose(path, art.clone(), &smooth.paint_options),
                Err(error) => self.error(smooth.art.span, error.to_string(), ""),
            }
        }
        self.carry(smooth, &elements, (&field, options.blend), bindings);
    }

    /// The weights that are found for these outlines together; none after saying why there are none.
    ///
    /// They come from what is seen. A clip bounds it, and must not join what lies apart.
    pub(super) fn solved(
        &mut self,
        smooth: &SmoothDoc,
        art: &[ArtOutline],
        skeleton: &Skeleton,
    ) -> Option<SolvedField> {
        let bones = self.segments(smooth, skeleton);
        let paths: Vec<ElementId> = art.iter().map(|(art, _)| art.element()).collect();
        let shapes: Vec<CoveredShape<'_>> = art.iter().map(|(_, outline)| shape(outline)).collect();
        let method = match smooth.method.map(|method| method.value).unwrap_or_default() {
            doc::Method::Nearest => Method::Rigid,
            doc::Method::Envelope => Method::Envelope,
            doc::Method::Heat => Method::Heat,
            doc::Method::Biharmonic => Method::Biharmonic,
        };
        match solve_weights(&shapes, &bones, method, FieldOptions::default()) {
            Ok((field, notes)) => {
                notes.iter().for_each(|note| self.field_note(smooth, note, &paths, skeleton));
                Some(field)
            }
            Err(error) => {
                self.field_error(smooth, error, skeleton);
                None
            }
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

fn shape(outline: &Outline) -> CoveredShape<'_> {
    CoveredShape {
        path: &outline.path,
        fill: outline
            .even_odd
            .map(|even_odd| if even_odd { WindingRule::EvenOdd } else { WindingRule::NonZero }),
        stroke_width: outline.stroke_width,
    }
}
