//! Compiles masks: art that is seen only inside or outside of the fill of other art.

use std::collections::BTreeMap;

use bone_drawing::{ElementId, ShapeMask};

use super::pass::Pass;
use crate::diagnostic::Diagnostic;
use crate::span::{Span, Spanned};

impl Pass<'_> {
    /// The masks, each of one piece of art.
    pub(super) fn masks(&mut self) -> Vec<ShapeMask> {
        let doc = self.doc;
        let mut masks = Vec::new();
        let mut seen: BTreeMap<(ElementId, ElementId), Span> = BTreeMap::new();
        for mask in &doc.masks {
            let by = self.masking(&mask.by);
            for art in &mask.art.names {
                let (Some(element), Some(by)) = (self.drawn(art), by) else { continue };
                if self.art.is_within(element, by) {
                    let message = match element == by {
                        true => format!("art \"{}\" is masked by itself", art.value),
                        false => {
                            format!("art \"{}\" is in \"{}\", which masks it", art.value, mask.by.value)
                        }
                    };
                    let help = "name other art: a path is always inside of its own fill";
                    self.report(art.span, Diagnostic::error("cycle", message).help(help));
                    continue;
                }
                if let Some(first) = seen.insert((element, by), art.span) {
                    let message = format!("art \"{}\" is masked by \"{}\" twice", art.value, mask.by.value);
                    let place = self.doc.place(first);
                    let error = Diagnostic::error("duplicate", message).related(place, "first here");
                    self.report(art.span, error.help("keep one of them"));
                    continue;
                }
                let out = mask.out.is_some_and(|out| out.value);
                masks.push(ShapeMask { art: element, by, out });
            }
        }
        masks
    }

    /// Art that masks other art.
    fn masking(&mut self, name: &Spanned<String>) -> Option<ElementId> {
        let element = self.drawn(name)?;
        if !self.art.has_outline(element) {
            let message =
                format!("art \"{}\" has no outline with an area that could mask other art", name.value);
            let help =
                "name a path that is no straight line, or a group with such paths; draw one over a picture";
            self.report(name.span, Diagnostic::error("no-paint", message).help(help));
            return None;
        }
        Some(element)
    }

    /// Art that is drawn in its own place.
    fn drawn(&mut self, name: &Spanned<String>) -> Option<ElementId> {
        let element = self.find(name)?;
        if self.cuts(element) {
            let message = format!("art \"{}\" is a clip path or mask of the drawing", name.value);
            let help = "name art that is drawn itself: what a drawing clips needs no mask in the rig";
            self.report(name.span, Diagnostic::error("not-drawn", message).help(help));
            return None;
        }
        Some(element)
    }
}
