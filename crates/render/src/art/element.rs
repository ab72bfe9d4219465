//! What an SVG's elements are to the rest of the engine: names, kinds, places, and whether they are drawn.
//! Refuses to know how they are drawn.

use std::fmt;
use std::ops::Range;

/// An element of an [`Art`](super::Art), numbered in document order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(pub(crate) u32);

impl ElementId {
    /// Its place in [`Art::elements`](super::Art::elements).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What sort of element it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementKind {
    /// `g`, `a`, `switch` or a nested `svg`.
    Group,
    /// `path` or a basic shape.
    Path,
    /// `image`.
    Image,
    /// `text`.
    Text,
    /// `use`.
    Use,
    /// Anything else: definitions, descriptions, what is not drawn.
    Other,
}

impl ElementKind {
    pub(crate) fn of(tag: &str) -> Self {
        match tag {
            "g" | "a" | "switch" | "svg" => Self::Group,
            "path" | "rect" | "circle" | "ellipse" | "line" | "polyline" | "polygon" => Self::Path,
            "image" => Self::Image,
            "text" => Self::Text,
            "use" => Self::Use,
            _ => Self::Other,
        }
    }
}

/// Whether an element is part of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementState {
    /// It is drawn in its own place.
    Drawn,
    /// It is, stands in or holds the outline of a clip path or a mask that is in use: it bounds what is seen of others.
    Cuts,
    /// It is not drawn in its own place.
    NotDrawn(Hidden),
}

/// Why an element is not drawn in its own place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hidden {
    /// It stands in a definition (`defs`, `symbol`, `clipPath`, ...) and is drawn, if at all, by what refers to it.
    InDefs,
    /// It or a group around it is switched off (`display: none`).
    SwitchedOff,
    /// It has no size, no outline, no picture or no glyphs.
    Empty,
    /// This kind of element is not drawn.
    Unsupported,
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InDefs => "it is a definition that other elements use",
            Self::SwitchedOff => "it is switched off (display: none)",
            Self::Empty => "it has nothing to draw",
            Self::Unsupported => "this kind of element is not drawn",
        })
    }
}

/// What a fill or a stroke is painted with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaintSummary {
    /// One colour: red, green, blue.
    Colour([u8; 3]),
    /// A gradient or a pattern.
    Server {
        /// Its tag: `linearGradient`, `radialGradient` or `pattern`.
        tag: &'static str,
        /// Its id; none if what paints is a copy that was made for the size of one element.
        id: Option<String>,
    },
}

impl PaintSummary {
    pub(crate) fn of(paint: &usvg::Paint) -> Self {
        let server = |tag, id: &str| Self::Server { tag, id: Some(id.to_owned()) };
        match paint {
            usvg::Paint::Color(colour) => Self::Colour([colour.red, colour.green, colour.blue]),
            usvg::Paint::LinearGradient(gradient) => server("linearGradient", gradient.id()),
            usvg::Paint::RadialGradient(gradient) => server("radialGradient", gradient.id()),
            usvg::Paint::Pattern(pattern) => server("pattern", pattern.id()),
        }
    }

    /// Without an id that is not one of the drawing.
    pub(crate) fn with_known(self, is_known: impl Fn(&str) -> bool) -> Self {
        match self {
            Self::Server { tag, id } => Self::Server { tag, id: id.filter(|id| is_known(id)) },
            colour @ Self::Colour(_) => colour,
        }
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

/// An element of the drawing.
#[derive(Clone, Debug)]
pub struct Element {
    /// The id that its author gave it.
    pub id: Option<String>,
    /// The id by which it goes in posed drawings; of two elements with one id, the second gets another.
    pub key: String,
    /// Its label: `inkscape:label`, `serif:id`, `data-name`, or Illustrator's id with its escapes undone.
    pub label: Option<String>,
    /// Its tag, without a namespace prefix.
    pub tag: String,
    /// What sort of element it is.
    pub kind: ElementKind,
    /// The element around it; none directly below the root.
    pub parent: Option<ElementId>,
    /// Bytes of its start tag in the text that was read.
    pub source: Range<usize>,
    /// Whether it is drawn.
    pub state: ElementState,
}

impl Element {
    /// The name to show: the label, else the id, else the tag in angle brackets.
    pub fn name(&self) -> String {
        match (&self.label, &self.id) {
            (Some(name), _) | (None, Some(name)) => name.clone(),
            (None, None) => format!("<{}>", self.tag),
        }
    }

    pub(crate) fn is_drawn(&self) -> bool {
        self.state == ElementState::Drawn
    }

    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.id.as_deref() == Some(name) || self.label.as_deref() == Some(name)
    }
}
