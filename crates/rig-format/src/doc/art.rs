//! The names by which bindings mean art, and what art does besides following bones: whether it is seen, how
//! solid it is, what lies in front, as it was written.

use bone_drawing::ArtProperty;

use super::channels::{AnyChannel, Channels};
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
        /// What of it is keyed.
        flat values: Channels<ArtProperty> = ();
    }
}

impl ArtDoc {
    /// Art that does nothing.
    pub fn new(art: impl Into<Spanned<String>>) -> Self {
        Self { art: art.into(), ..Self::default() }
    }

    /// The same with a further channel.
    #[must_use]
    pub fn with(mut self, property: ArtProperty, channel: impl Into<AnyChannel>) -> Self {
        self.values.set(property, channel);
        self
    }
}
