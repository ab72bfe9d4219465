//! Elements: what the author of a drawing made and named. Rigs bind elements; nodes are what is painted for
//! them.

use bone_archive::archive;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// An element of a [`Drawing`](crate::Drawing), numbered in document order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(pub(crate) u32);

impl ElementId {
    /// The element at a place in the list.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Its place in [`Drawing::elements`](crate::Drawing::elements).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

archive! {
    /// What sort of element it is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum ElementKind {
        /// `g`, `a`, `switch` or a nested `svg`.
        Group = 0,
        /// `path` or a basic shape.
        Path = 1,
        /// `image`.
        Image = 2,
        /// `text`.
        Text = 3,
        /// `use`.
        Use = 4,
        /// Anything else: definitions, descriptions, what is not drawn.
        Other = 5,
    }
}

impl ElementKind {
    /// That of an SVG tag.
    pub fn of(tag: &str) -> Self {
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

archive! {
    /// How an element is part of the picture.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum ElementState {
        /// It is drawn in its own place.
        Drawn = 0,
        /// It is, is in, or contains the outline of a clip path or a mask that is in use.
        ClipOrMask = 1,
        /// It is not drawn in its own place.
        NotDrawn(NotDrawnReason) = 2,
    }
}

archive! {
    /// The reason why an element is not drawn in its own place.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum NotDrawnReason {
        /// It is in a definition (`defs`, `symbol`, `clipPath`, ...) and drawn only by what refers to it.
        InDefs = 0,
        /// It or a group around it is switched off (`display: none`).
        SwitchedOff = 1,
        /// It has no size, no outline, no picture or no glyphs.
        Empty = 2,
        /// This kind of element is not drawn.
        Unsupported = 3,
    }
}

impl fmt::Display for NotDrawnReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InDefs => "it is a definition that other elements use",
            Self::SwitchedOff => "it is switched off (display: none)",
            Self::Empty => "it has nothing to draw",
            Self::Unsupported => "this kind of element is not drawn",
        })
    }
}

/// An element of the drawing.
#[derive(Clone, Debug)]
pub struct Element {
    /// The id that its author gave it.
    pub id: Option<Arc<str>>,
    /// Its id in posed drawings. If two elements share an id, the second gets another.
    pub key: Arc<str>,
    /// Its label: `inkscape:label`, `serif:id`, `data-name`, or Illustrator's id with its escapes undone.
    pub label: Option<Arc<str>>,
    /// Of a text in one piece, without the white space around them: its words.
    pub words: Option<Arc<str>>,
    /// Its tag, without a namespace prefix.
    pub tag: Cow<'static, str>,
    /// What sort of element it is.
    pub kind: ElementKind,
    /// The element around it; none directly below the root.
    pub parent: Option<ElementId>,
    /// Bytes of its start tag in the text that was read; empty for what was not read from a text.
    pub source: Range<usize>,
    /// Whether it is drawn.
    pub state: ElementState,
}

impl Element {
    /// The name to show: the label, else the id, else the tag in angle brackets.
    pub fn name(&self) -> String {
        match (&self.label, &self.id) {
            (Some(name), _) | (None, Some(name)) => name.to_string(),
            (None, None) => format!("<{}>", self.tag),
        }
    }

    /// Whether it is drawn in its own place.
    pub fn is_drawn(&self) -> bool {
        self.state == ElementState::Drawn
    }

    /// Whether this is its id or its label.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.id.as_deref() == Some(name) || self.label.as_deref() == Some(name)
    }
}

archive!(struct ElementId of Element);
archive!(struct Element { id, key, label, words, tag, kind, parent, source, state });
