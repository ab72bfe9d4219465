//! Outlines that bindings reach without drawing them: the paths of clip paths and masks, by name or by what
//! they cut. Weights are computed elsewhere.

use bone_core::BoneId;
use bone_drawing::{ElementId, ElementKind, ElementState, Outline, PosedArt};
use bone_skin::{BLine, WindingRule};

use super::bind::{BindRequest, posed_lines, winding_rule};
use super::pass::Pass;
use super::plan::{Plan, PlannedBinding, Step};
use crate::diagnostic::{Diagnostic, Place};
use crate::doc::{ClipFollow, ExplicitDoc, SmoothDoc};
use crate::span::{Span, Spanned};

/// Something to bind, with its outline at rest.
pub(super) type ArtOutline = (PosedArt, Outline);

impl<'a> Pass<'a> {
    /// Whether an element is in a clip path or a mask that is in use.
    pub(super) fn cuts(&self, element: ElementId) -> bool {
        self.art.element(element).is_some_and(|element| element.state == ElementState::ClipOrMask)
    }

    /// The elements of the paths in a clip path or mask.
    pub(super) fn stencil_paths(&self, element: ElementId) -> Vec<ElementId> {
        let mut paths: Vec<ElementId> =
            self.art.stencils_of(element).iter().map(|stencil| stencil.element).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// What is posed when a path is bound: itself, or each of the places in which a clip path or mask uses
    /// it.
    pub(super) fn posed_art(&self, path: ElementId, lines: Vec<BLine>) -> Vec<(PosedArt, Vec<BLine>)> {
        if !self.cuts(path) {
            return vec![(PosedArt::Path(path), lines)];
        }
        let stencils = self.art.stencils_of(path).into_iter();
        stencils
            .map(|stencil| {
                let lines = posed_lines(&stencil.outline);
                (PosedArt::Stencil(stencil), lines)
            })
            .collect()
    }

    /// The rule by which posed art is filled.
    pub(super) fn fill_of(&self, art: &PosedArt) -> Option<WindingRule> {
        let even_odd = match art {
            PosedArt::Path(element) => self.art.outline(*element)?.even_odd,
            PosedArt::Part(_, node) => self.art.part_outline(*node)?.even_odd,
            PosedArt::Stencil(stencil) => stencil.outline.even_odd,
        };
        even_odd.map(winding_rule)
    }

    /// What a `Smooth` binding bends: the outlines on which its weights are solved, and the clip paths and
    /// masks of what it covers. What another binding names, nearer to it, is left to that.
    pub(super) fn art_to_bind(
        &self,
        smooth: &SmoothDoc,
        elements: &[ElementId],
    ) -> (Vec<ArtOutline>, Vec<ArtOutline>) {
        let ours = |id: ElementId| self.is_nearest(id, elements);
        let posed = |stencil: bone_drawing::Stencil| {
            let outline = stencil.outline.clone();
            (PosedArt::Stencil(stencil), outline)
        };
        let named = elements.iter().filter(|element| self.cuts(**element));
        let named = named.flat_map(|element| self.art.stencils_of(*element));
        let named = named.filter(|stencil| ours(stencil.element)).map(posed).collect();
        let paths = self.outlines_of(elements);
        // Without anything drawn, weights are solved on what cuts.
        if paths.is_empty() {
            return (named, Vec::new());
        }
        let still = smooth.paint_options.clip.is_some_and(|clip| clip.value == ClipFollow::Still);
        let stencils = if still { Vec::new() } else { self.art.stencils(ours) };
        let image = |id: ElementId| self.art.element(id).is_some_and(|e| e.kind == ElementKind::Image);
        // An image that is cut to its own frame takes that along.
        let free = stencils.into_iter().filter(|stencil| !image(stencil.element));
        let free = free.filter(|stencil| !self.is_bound_apart(stencil.element));
        (paths, named.into_iter().chain(free.map(posed)).collect())
    }

    /// The images in masks of what a `Smooth` binding bends. They do not move.
    pub(super) fn images_to_stay(&self, smooth: &SmoothDoc, elements: &[ElementId]) -> Vec<ElementId> {
        let named = elements.iter().filter(|element| self.cuts(**element));
        let mut images: Vec<ElementId> =
            named.flat_map(|element| self.art.mask_images_in(*element)).collect();
        if smooth.paint_options.clip.is_none_or(|clip| clip.value != ClipFollow::Still) {
            images.extend(self.art.mask_images(|id| self.is_nearest(id, elements)));
        }
        images.sort_unstable();
        images.dedup();
        images
    }

    /// Whether an element of a clip path or mask, or what it is in, has a binding of its own.
    fn is_bound_apart(&self, element: ElementId) -> bool {
        let way = std::iter::successors(Some(element), |at| self.art.element(*at)?.parent);
        self.cuts(element) && way.take_while(|at| self.cuts(*at)).any(|at| self.is_named(at))
    }

    /// Binds a clip path or mask, or art in one, to one bone.
    pub(super) fn rigid_stencils(
        &mut self,
        art: &'a Spanned<String>,
        element: ElementId,
        bone: Option<BoneId>,
        plan: &mut Plan<'a>,
    ) {
        let mut stencils = self.art.stencils_of(element);
        if stencils.is_empty() {
            let message = format!("\"{}\" is a clip path or mask without a path", art.value);
            self.error(art.span, message, "bind the art that it clips or masks");
            return;
        }
        stencils.retain(|stencil| self.is_nearest(stencil.element, &[element]));
        self.images_stay((&art.value, art.span), &self.art.mask_images_in(element));
        let Some(bone) = bone else { return };
        let mut paths = Vec::new();
        for stencil in stencils {
            let lines = posed_lines(&stencil.outline);
            let art = PosedArt::Stencil(stencil);
            let request = BindRequest::rigid(lines, Some(bone));
            let request = request.on_lattices(self.warp_of(&art), self.tolerance(&self.doc.follow));
            paths.push((art, plan.requests.path(request)));
        }
        plan.steps.push(Step { paths, origin: PlannedBinding::Rigid { art } });
    }

    /// Warns if the clip path or mask of a path with explicit weights does not move, unless `clip` is given.
    pub(super) fn stays_cut(&mut self, explicit: &ExplicitDoc, path: ElementId) {
        if explicit.paint_options.clip.is_some() {
            return;
        }
        let stencils = self.art.stencils(|owner| owner == path).into_iter().map(|stencil| stencil.element);
        let images = self.art.mask_images(|owner| owner == path);
        let Some(free) = stencils.chain(images).find(|element| !self.is_bound_apart(*element)) else {
            return;
        };
        let art = &explicit.art.value;
        let message = format!("the clip path or mask of art \"{art}\" does not bend with it");
        let warning = Diagnostic::warning("cannot-bend", message);
        let warning = match self.art.element(free).filter(|_| free != path) {
            Some(element) => warning
                .related(Place::new(self.drawing, Span::from_range(&element.source)), "it is here")
                .help(match element.kind {
                    ElementKind::Image => {
                        "convert it to a path in the drawing program, or write clip: Still if it must not move"
                    }
                    _ => "bind it by its name, or write clip: Still if it must not move",
                }),
            None => warning.help("write clip: Still if it must not move"),
        };
        self.report(explicit.art.span, warning);
    }

    /// Warns about images in masks that do not move while the art or the rest of the mask does.
    pub(super) fn images_stay(&mut self, (name, span): (&str, Span), images: &[ElementId]) {
        let Some(image) = images.first().and_then(|image| self.art.element(*image)) else { return };
        let what = match (images, &image.id) {
            ([_], Some(id)) => format!("image \"{id}\""),
            ([_], None) => "an image".to_owned(),
            (many, _) => format!("{} images", many.len()),
        };
        let message = format!("{what} in a mask of \"{name}\" cannot bend, so it does not move");
        let warning = Diagnostic::warning("cannot-bend", message)
            .related(Place::new(self.drawing, Span::from_range(&image.source)), "it is here")
            .help("convert it to a path in the drawing program, or write clip: Still if the whole mask must not move");
        self.report(span, warning);
    }
}
