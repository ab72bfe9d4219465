//! The name with which an `Explicit` binding refers to exactly one path: of a drawn path, or of one in a clip
//! path or mask. Refuses what would bend otherwise under that name than it did without.

use bone_drawing::{Drawing, ElementId, ElementState, PosedArt, Stencil};

use super::{EditError, OpenBinding, WeightEditor};
use crate::compile::PathWeights;
use crate::diagnostic::{Diagnostic, Place};
use crate::doc::BindingDoc;
use crate::span::Span;

/// Help for a path of a clip path or mask.
const APART: &str =
    "give the art of this binding its own clip path or mask in the drawing, or write clip: Still";

impl WeightEditor<'_> {
    /// The name by which a binding can mean a path: its own, or that of what holds it and no other path.
    pub(super) fn name(&self, open: &OpenBinding<'_>, path: &PathWeights) -> Result<String, EditError> {
        if let BindingDoc::Explicit(explicit) = open.doc {
            return Ok(explicit.art.value.clone());
        }
        let bound = &open.doc.title();
        let (art, element) = (self.rig.art(), path.art.element());
        if let PosedArt::Part(..) = &path.art {
            let name = art.shown_name(element);
            let message = format!(
                "\"{name}\" bends with art \"{bound}\" and has no vertices, so no weights can be written for it"
            );
            return Err(self.unwritable(
                open,
                path,
                message,
                "convert it to a path in the drawing program, or add a binding for it",
            ));
        }
        if let PosedArt::Stencil(stencil) = &path.art {
            self.is_apart(bound, stencil)
                .map_err(|(message, help)| self.unwritable(open, path, message, help))?;
        }
        let leads_here =
            |name: &String| art.find(name).is_ok_and(|found| only_path(art, found) == Some(element));
        let typed = open.doc.names().iter().map(|name| &name.value);
        if let Some(name) = typed.clone().find(|name| leads_here(name)) {
            return Ok(name.clone());
        }
        let binding: Vec<ElementId> = typed.filter_map(|name| art.find(name).ok()).collect();
        let up = std::iter::successors(Some(element), |at| {
            art.element(*at)?.parent.filter(|_| !binding.contains(at))
        });
        let names = up
            .map_while(|at| art.element(at).filter(|_| only_path(art, at) == Some(element)))
            .flat_map(|it| [it.id.clone(), it.label.clone()]);
        // What has a name is called by it, rather than by a number.
        let mut names = names.flatten().map(|name| name.to_string()).chain([art.address(element)]);
        names.find(leads_here).ok_or_else(|| match &path.art {
            PosedArt::Path(_) | PosedArt::Part(..) => {
                let message =
                    format!("a path of art \"{bound}\" has no name of its own, so no weights can be written for it");
                self.unwritable(open, path, message, "give the path an id in the drawing, like id=\"sleeve\"")
            }
            PosedArt::Stencil(_) => {
                let message = format!(
                    "a clip path or mask of art \"{bound}\" has no name of its own, so no weights can be written for it"
                );
                let help = "give the path an id in the drawing, like id=\"sleeve_clip\", or write clip: Still";
                self.unwritable(open, path, message, help)
            }
        })
    }

    /// Whether a path of a clip path or mask cuts what the binding bends, in one place, and nothing else:
    /// typed weights hold wherever it is used. If not, why, and what to do.
    fn is_apart(&self, bound: &str, stencil: &Stencil) -> Result<(), (String, &'static str)> {
        let art = self.rig.art();
        let name = art.shown_name(stencil.element);
        if art.element(stencil.element).is_none_or(|element| element.state != ElementState::ClipOrMask) {
            let message = format!(
                "the clip path or mask of art \"{name}\" has no name, so no weights can be written for it"
            );
            return Err((message, "use a clip path or mask whose path has an id, or write clip: Still"));
        }
        let mut places = art.stencils_of(stencil.element);
        places.retain(|place| place.element == stencil.element);
        match places.as_slice() {
            [one] if one.user_count() == stencil.user_count() => Ok(()),
            [_] => Err((
                format!(
                    "\"{name}\" clips or masks more than art \"{bound}\", so no weights can be written for it"
                ),
                APART,
            )),
            places => Err((
                format!(
                    "\"{name}\" is a clip path or mask in {} places, and weights can be written for only one",
                    places.len()
                ),
                APART,
            )),
        }
    }

    /// Reports art with an image as an error: explicit weights would not move the image.
    pub(super) fn carries_no_image(&self, open: &OpenBinding<'_>) -> Result<(), EditError> {
        let art = self.rig.art();
        let bound: Vec<ElementId> =
            open.doc.names().iter().filter_map(|name| art.find(&name.value).ok()).collect();
        let is_image = |id: ElementId| !art.is_shape(id);
        let mut carried = self.rig.carried_elements().filter(|id| is_image(*id));
        let image = carried.find(|id| bound.iter().any(|bound| art.is_within(*id, *bound)));
        image.map_or(Ok(()), |image| {
            let (name, title) = (art.shown_name(image), open.doc.title());
            let message = format!(
                "\"{name}\" in art \"{title}\" is transformed as a whole, so no weights can be written for it"
            );
            Err(self.refused(open, image, message, "bind it with Rigid to one bone"))
        })
    }

    fn unwritable(
        &self,
        open: &OpenBinding<'_>,
        path: &PathWeights,
        message: String,
        help: &str,
    ) -> EditError {
        self.refused(open, path.art.element(), message, help)
    }

    fn refused(&self, open: &OpenBinding<'_>, element: ElementId, message: String, help: &str) -> EditError {
        let diagnostic =
            Diagnostic::error("edit-refused", message).at(self.doc.place(open.doc.art_span())).help(help);
        let element = self.rig.art().element(element);
        let diagnostic = match element.zip(self.drawing) {
            Some((element, drawing)) => {
                diagnostic.related(Place::new(drawing, Span::from_range(&element.source)), "this is the path")
            }
            None => diagnostic,
        };
        EditError::Unwritable(Box::new(diagnostic))
    }
}

/// The one path that a binding of an element means.
fn only_path(art: &Drawing, id: ElementId) -> Option<ElementId> {
    let mut paths = match art.element(id)?.state {
        ElementState::ClipOrMask => art.stencils_of(id).iter().map(|stencil| stencil.element).collect(),
        _ => art.paths_in(id),
    };
    paths.dedup();
    match paths.as_slice() {
        [path] => Some(*path),
        _ => None,
    }
}
