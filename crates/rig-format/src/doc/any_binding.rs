//! The bindings of a rig, of all kinds.

use super::art;
use super::binding::{ExplicitDoc, RigidDoc, SmoothDoc};
use super::puppet::PuppetDoc;
use crate::schema::variants;
use crate::span::{Span, Spanned};

/// Which bones some art follows.
#[derive(Debug, Clone, PartialEq)]
pub enum BindingDoc {
    /// One bone carries it.
    Rigid(RigidDoc),
    /// Several bones pull at its vertices.
    Explicit(ExplicitDoc),
    /// Weights are found for the art.
    Smooth(SmoothDoc),
    /// Pins hold the art.
    Puppet(PuppetDoc),
}

variants! {
    BindingDoc = "binding", "Rigid(art: \"head\", bone: \"chest\")", None, METHODS;
    Rigid(RigidDoc),
    Smooth(SmoothDoc),
    Explicit(ExplicitDoc),
    Puppet(PuppetDoc),
}

/// Kinds that other tools have: here they are methods of `Smooth`.
const METHODS: &[(&str, &str)] = {
    const SMOOTH: &str = "write Smooth(art: \"arm\", bones: [\"upper\", \"fore\"], method: Heat)";
    &[("Envelope", SMOOTH), ("Heat", SMOOTH), ("Biharmonic", SMOOTH), ("Auto", SMOOTH)]
};

impl BindingDoc {
    /// The names of the art that is bound.
    pub fn names(&self) -> &[Spanned<String>] {
        match self {
            Self::Rigid(rigid) => &rigid.art.names,
            Self::Explicit(explicit) => std::slice::from_ref(&explicit.art),
            Self::Smooth(smooth) => &smooth.art.names,
            Self::Puppet(puppet) => &puppet.art.names,
        }
    }

    /// Whether a name is among those of the art that is bound.
    pub fn is_of(&self, name: &str) -> bool {
        self.names().iter().any(|bound| bound.value == name)
    }

    /// The names as they are between quotes in a message: `a", "b`.
    pub fn title(&self) -> String {
        art::title(self.names())
    }

    /// Where the art is named.
    pub(crate) const fn art_span(&self) -> Span {
        match self {
            Self::Rigid(rigid) => rigid.art.span,
            Self::Explicit(explicit) => explicit.art.span,
            Self::Smooth(smooth) => smooth.art.span,
            Self::Puppet(puppet) => puppet.art.span,
        }
    }

    /// The whole of it.
    pub const fn span(&self) -> Span {
        match self {
            Self::Rigid(rigid) => rigid.span,
            Self::Explicit(explicit) => explicit.span,
            Self::Smooth(smooth) => smooth.span,
            Self::Puppet(puppet) => puppet.span,
        }
    }
}
