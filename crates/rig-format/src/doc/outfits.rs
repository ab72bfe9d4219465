//! Outfits as they were written: what a figure wears.

use super::poses::{POSED_ART, PosedArtDoc};
use crate::schema::types::{ART, BONES, CONSTRAINTS, NAME, OF_ART};
use crate::schema::{Title, Type, entry, record};
use crate::span::Spanned;

entry! {
    /// What a figure wears: art that is shown and hidden, and what art is like where nothing is keyed.
    pub struct OutfitDoc = "Outfit", Title::Named("outfit"), "(show: [\"coat\"], hide: [\"shirt\"])";
    fields {
        /// Of the outfits of one group, the one that is worn last counts alone.
        opt group: Spanned<String> = (NAME, "none", "\"clothes\"");
        /// Art that is visible where nothing is keyed. The drawing may hide it.
        def show: Vec<Spanned<String>> = (SHOWN, "none", "[\"cape\"]");
        /// Art that is hidden, whatever clips and drivers do.
        def hide: Vec<Spanned<String>> = (SHOWN, "none", "[\"cape\"]");
        /// Values of art where nothing is keyed, in place of those of the drawing.
        def art: Vec<PosedArtDoc> = (POSED_ART, "as drawn", "{\"cape\": (fill: \"#2a6\")}");
        /// Art that takes the place of other art: the first is hidden, and what clips and drivers do to it is done to the
        /// second. The children of a group that is switched are matched by their names.
        def swap: Vec<(Spanned<String>, Spanned<String>)> = (SWAPS, "none", "{\"palm.L\": \"glove.L\"}");
        /// Constraints that hold only while it is worn, or another outfit that lists them.
        def constraints: Vec<Spanned<String>> = (CONSTRAINTS, "none", "[\"stick\"]");
        /// Springs, by the bones that they name, which move bones only while it is worn, or another outfit that lists
        /// them.
        def springs: Vec<Spanned<String>> = (BONES, "none", "[\"fore.L\"]");
    }
}

const SHOWN: Type = Type::List { of: &ART, each: "a name of art" };
const SWAPS: Type = Type::Map { key: OF_ART, of: &ART, each: "this art" };

impl OutfitDoc {
    /// The art that it names, but that of `art`.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Spanned<String>> {
        let swapped = self.swap.iter().flat_map(|(from, to)| [from, to]);
        self.show.iter().chain(&self.hide).chain(swapped)
    }

    /// The art that it shows.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.show.iter().chain(self.swap.iter().map(|(_, to)| to))
    }
}
