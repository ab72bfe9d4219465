//! The shapes that a path takes, as they were written.

use super::keys::{Channel, Key};
use crate::span::{Span, Spanned};

/// The shape of a path: that of other art, or a mixture.
#[derive(Debug, Clone, PartialEq)]
pub enum ShapeDoc {
    /// That of this art. The own name of the path is its own shape.
    Of(String),
    /// So much of the way to the shape of each art.
    Mix(Vec<(Spanned<String>, Spanned<f64>)>),
}

impl ShapeDoc {
    /// The names of art, those of a value at this place.
    pub(crate) fn names(&self, place: Span) -> Vec<(&str, Span)> {
        match self {
            Self::Of(name) => vec![(name, place)],
            Self::Mix(weights) => weights.iter().map(|(name, _)| (name.value.as_str(), name.span)).collect(),
        }
    }

    /// The weight of art with one of these names.
    pub(crate) fn weight(&self, is_it: impl Fn(&str) -> bool) -> f64 {
        match self {
            Self::Of(name) => f64::from(u8::from(is_it(name))),
            Self::Mix(weights) => {
                weights.iter().filter(|(name, _)| is_it(&name.value)).map(|(_, weight)| weight.value).sum()
            }
        }
    }

    /// Whether both are the same shape of art with this name.
    pub(crate) fn alike(&self, other: &Self, art: &str) -> bool {
        let weight = |of: &Self, name: &str| of.weight(|own| own == name);
        let names = [self, other].into_iter().flat_map(|of| of.names(Span::default()));
        names
            .into_iter()
            .filter(|(name, _)| *name != art)
            .all(|(name, _)| (weight(self, name) - weight(other, name)).abs() <= 1e-9)
    }

    /// The same with other names.
    pub(crate) fn renamed(&self, name: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Of(own) => Self::Of(name(own)),
            Self::Mix(weights) => {
                let renamed = |(own, weight): &(Spanned<String>, Spanned<f64>)| {
                    (Spanned::new(name(&own.value), own.span), *weight)
                };
                Self::Mix(weights.iter().map(renamed).collect())
            }
        }
    }
}

impl Channel<ShapeDoc> {
    /// The names in its keys, in their order, each with its place.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, Span)> {
        self.keys.iter().flat_map(|key| key.value.value.names(key.value.span))
    }

    /// The weight of art with one of these names, over time.
    pub(crate) fn weights(&self, is_it: impl Fn(&str) -> bool) -> Channel<f64> {
        let key = |key: &Key<ShapeDoc>| Key {
            span: key.span,
            time: key.time,
            value: Spanned::new(key.value.value.weight(&is_it), key.value.span),
            ease: key.ease,
        };
        let keys = self.keys.iter().map(key).collect();
        Channel { span: self.span, keys, ease: self.ease, extend: self.extend, shift: self.shift.clone() }
    }
}
