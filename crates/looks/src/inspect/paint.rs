//! The paint of shapes, as text.

use std::fmt;

use bone_drawing::{Drawing, GradientKind, Paint};

/// The paint of a fill or a stroke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaintSummary {
    /// One colour: red, green, blue.
    Colour([u8; 3]),
    /// A gradient or a pattern.
    Server {
        /// Its tag: `linearGradient`, `radialGradient` or `pattern`.
        tag: &'static str,
        /// Its id; none if it is a copy that was made for the size of one element.
        id: Option<String>,
    },
}

impl PaintSummary {
    pub(super) fn of(drawing: &Drawing, paint: Paint) -> Self {
        let (tag, id) = match paint {
            Paint::Color(colour) => return Self::Colour(colour),
            Paint::Gradient(id) => match drawing.gradient(id) {
                Some(gradient) => match gradient.kind {
                    GradientKind::Linear { .. } => ("linearGradient", Some(&gradient.id)),
                    GradientKind::Radial { .. } => ("radialGradient", Some(&gradient.id)),
                },
                None => ("linearGradient", None),
            },
            Paint::Pattern(id) => ("pattern", drawing.pattern(id).map(|pattern| &pattern.id)),
        };
        Self::Server { tag, id: id.filter(|id| drawing.has_id(id)).cloned() }
    }
}

impl fmt::Display for PaintSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Colour([red, green, blue]) => write!(f, "#{red:02x}{green:02x}{blue:02x}"),
            Self::Server { tag, id: Some(id) } => write!(f, "{tag} {id}"),
            Self::Server { tag, id: None } => f.write_str(tag),
        }
    }
}
