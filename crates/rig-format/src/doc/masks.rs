//! Masks as they were written: art that is seen only inside or outside of other art.

use super::art::ArtNames;
use crate::schema::types::{ART, ARTS};
use crate::schema::{Title, Type, record};
use crate::span::{Span, Spanned};

record! {
    /// Art that is seen only inside, or only outside, of other art.
    pub struct MaskDoc = "Mask", Title::This("this mask"), "(art: \"nose\", by: \"face\")" {
        /// Its brackets.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// What is masked.
        req art: ArtNames = (ARTS, "[\"nose\", \"hair\"]") also ["name", "element"];
        /// Whose fill masks it: a path, or a group with all that is in it.
        req by: Spanned<String> = (ART, "\"face\"") also ["mask", "clip", "inside"];
        /// Whether it is seen outside of that, and not inside.
        opt out: Spanned<bool> = (Type::Bool, "false", "true") also ["outside", "invert", "inverted"];
    }
}
