//! The names by which bindings mean art, and what art does besides following bones: whether it is seen, how
//! solid it is, what lies in front, as it was written.

use super::keys::{BOOL_KEYS, Channel, OPACITY_KEYS, ORDER_KEYS, SWITCH_KEYS};
use crate::schema::{Title, record};
use crate::span::{Span, Spanned};

/// So many names of a list are shown where a message names all of them.
const SHOWN: usize = 3;

/// The art that a binding names: one name, or a list of them. A name is an id, a label or an address.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArtNames {
    /// The name, or the whole list.
    pub span: Span,
    /// Each name.
    pub names: Vec<Spanned<String>>,
}

impl ArtNames {
    /// The names as they are between quotes in a message: `a", "b`.
    pub fn title(&self) -> String {
        title(&self.names)
    }
}

impl From<Spanned<String>> for ArtNames {
    fn from(name: Spanned<String>) -> Self {
        Self { span: name.span, names: vec![name] }
    }
}

impl From<String> for ArtNames {
    /// A name that was not written anywhere yet.
    fn from(name: String) -> Self {
        Spanned::from(name).into()
    }
}

pub(super) fn title(names: &[Spanned<String>]) -> String {
    let mut shown: Vec<&str> = names.iter().take(SHOWN).map(|name| name.value.as_str()).collect();
    if names.len() > SHOWN {
        shown.push("…");
    }
    shown.join("\", \"")
}

record! {
    /// What one piece of art does in a clip or a driver.
    pub struct ArtDoc = "Art", Title::EntryFor("art"), "(visible: [(0, true), (1, false)])" {
        /// Which art.
        art: Spanned<String>,
    }
    named art;
    fields {
        /// Whether it is drawn, with its contents.
        opt visible: Channel<bool> = (BOOL_KEYS, "as drawn", "[(0, false), (0.5, true)]")
            also ["hidden", "visibility", "show", "hide"];
        /// Multiplies its own opacity; of a group or an outlined path as one picture, like `opacity` in SVG.
        opt opacity: Channel<f64> = (OPACITY_KEYS, "as drawn", "[(0.5, 1), (1, 0.2)]")
            also ["alpha", "transparency"];
        /// Its place in the draw order: a higher one is drawn later, in front; equal ones keep the order of the
        /// drawing. Those of the groups around it are added: see [Order](#order).
        opt order: Channel<f64> = (ORDER_KEYS, "0", "[(0, -1), (0.5, 1)]")
            also ["zindex", "z_index", "z-index", "z", "depth", "layer"];
        /// Of a group: only this child is drawn, or none. A child is named by its id, label, number (`"#2"`) or
        /// address; only art directly in the group is a child.
        opt switch: Channel<Option<String>> = (SWITCH_KEYS, "as drawn", "[(0, \"open\"), (0.4, None)]")
            also ["sprite", "frame", "attachment"];
    }
}
