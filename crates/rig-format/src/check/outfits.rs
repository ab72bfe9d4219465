//! Outfits: what they are worn by exists, and nothing is said twice.

use std::collections::BTreeMap;

use crate::check::Checker;
use crate::check::clips::Axis;
use crate::diagnostic::Diagnostic;
use crate::doc::PosedArtDoc;
use crate::span::{Span, Spanned};
use crate::text::shortened;

/// Outfits of a rig, and of what it wears: each is compared with all others where they are put on.
const MOST_OUTFITS: usize = 1000;

impl Checker<'_, '_> {
    pub(super) fn outfits(&mut self) {
        let doc = self.doc;
        let first = doc.outfits.first().map_or(doc.span, |outfit| outfit.name.span);
        self.at_most(first, doc.outfits.len(), MOST_OUTFITS, "outfits");
        let first = doc.wear.first().map_or(doc.span, |name| name.span);
        self.at_most(first, doc.wear.len(), MOST_OUTFITS, "outfits");
        if doc.outfits.len().max(doc.wear.len()) > MOST_OUTFITS {
            return;
        }
        for outfit in &doc.outfits {
            let name = shortened(&outfit.name.value);
            self.art(Axis::Layer, &PosedArtDoc::channels(&outfit.art));
            let mut known: BTreeMap<&str, (&str, Span)> = BTreeMap::new();
            let lists = [("show", &outfit.show), ("hide", &outfit.hide)];
            let lists = lists.into_iter().flat_map(|(field, list)| list.iter().map(move |art| (field, art)));
            let swaps = outfit.swap.iter().flat_map(|(from, to)| [("swap", from), ("swap", to)]);
            for (field, art) in lists.chain(swaps) {
                let Some((before, place)) = known.insert(&art.value, (field, art.span)) else { continue };
                let art_name = shortened(&art.value);
                let message = match field == before {
                    true => format!("outfit \"{name}\" has \"{art_name}\" twice in `{field}`"),
                    false => format!("outfit \"{name}\" has \"{art_name}\" in `{field}` and in `{before}`"),
                };
                let place = self.place(place);
                let error = Diagnostic::error("duplicate", message).related(place, "first here");
                self.error(art.span, error.help("keep one of them"));
            }
            for constraint in &outfit.constraints {
                if doc.complete && !self.constraints.contains_key(constraint.value.as_str()) {
                    self.no_such_constraint(constraint);
                }
            }
            for bone in &outfit.springs {
                self.worn_spring(&name, bone);
            }
        }
        for name in &doc.wear {
            if doc.complete && !doc.outfits.iter().any(|outfit| outfit.name.value == name.value) {
                let names = || doc.outfits.iter().map(|outfit| outfit.name.value.as_str());
                let message =
                    format!("this wears \"{}\", and there is no such outfit", shortened(&name.value));
                let error = Diagnostic::error("unknown-outfit", message).suggest(&name.value, names());
                self.error(name.span, error);
            }
        }
    }

    fn worn_spring(&mut self, outfit: &str, bone: &Spanned<String>) {
        let doc = self.doc;
        let names = || doc.springs.iter().flat_map(|spring| spring.names()).map(|name| name.value.as_str());
        if doc.complete && !names().any(|name| name == bone.value) {
            let message = format!(
                "outfit \"{outfit}\" names a spring of \"{}\", and there is none",
                shortened(&bone.value)
            );
            let error = Diagnostic::error("unknown-bone", message).suggest(&bone.value, names());
            self.error(bone.span, error);
        }
    }
}
