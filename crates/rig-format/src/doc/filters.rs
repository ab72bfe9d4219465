//! The keyed numbers of filters, as they were written.

use bone_drawing::FilterProperty;

use super::channels::Channels;
use crate::schema::{Title, record};
use crate::span::Spanned;

record! {
    /// What one filter, or a step of it, does in a clip.
    pub struct FilterKeysDoc = "Filter", Title::EntryFor("filter"), "(blur: [(0, 0), (1, 6)])" {
        /// Which filter: its id, or that of art with `.filter`, and a step after a `/`.
        filter: Spanned<String>,
    }
    named filter;
    fields {
        /// Its numbers.
        flat values: Channels<FilterProperty> = ();
    }
}
