//! Elements: what the author of a drawing made and named. Rigs bind elements; nodes are what is painted of them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

/// An element of a [`Drawing`](crate::Drawing), numbered in document order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(pub(crate) u32);

impl ElementId {
    /// Its place in [`Drawing::elements`](crate::Drawing::elements).
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
            (Some(name), _) | (None, Some(name)) => name.clone(),
            (None, None) => format!("<{}>", self.tag),
        }
    }

    /// Whether it is drawn in its own place.
    pub fn is_drawn(&self) -> bool {
        self.state == ElementState::Drawn
    }

    /// Whether this is its id or its label.
    pub fn is_called(&self, name: &str) -> bool {
        self.id.as_deref() == Some(name) || self.label.as_deref() == Some(name)
    }
}

/// All elements of a drawing, with what finds them quickly.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elements {
    pub(crate) list: Vec<Element>,
    /// Each `use` with the element that it clones.
    pub(crate) uses: Vec<(ElementId, ElementId)>,
    /// Elements that are not seen at rest and can be shown, in document order.
    pub(crate) hidden: Vec<ElementId>,
    /// The first element of each id.
    by_id: HashMap<String, ElementId>,
    by_label: HashMap<String, Vec<ElementId>>,
    by_key: HashMap<String, ElementId>,
    /// The elements directly in each element; those at the top come first.
    children: Vec<Vec<ElementId>>,
}

impl Elements {
    pub(crate) fn new(
        list: Vec<Element>,
        uses: Vec<(ElementId, ElementId)>,
        hidden: Vec<ElementId>,
    ) -> Self {
        let mut all = Self { uses, hidden, children: vec![Vec::new(); list.len() + 1], ..Self::default() };
        for (element, id) in list.iter().zip((0_u32..).map(ElementId)) {
            if let Some(name) = &element.id {
                all.by_id.entry(name.clone()).or_insert(id);
            }
            if let Some(label) = &element.label {
                all.by_label.entry(label.clone()).or_default().push(id);
            }
            all.by_key.entry(element.key.clone()).or_insert(id);
            let place = element.parent.map_or(0, |parent| parent.index() + 1);
            if let Some(children) = all.children.get_mut(place) {
                children.push(id);
            }
        }
        all.list = list;
        all
    }

    pub(crate) fn with_id(&self, id: &str) -> Option<ElementId> {
        self.by_id.get(id).copied()
    }

    pub(crate) fn with_key(&self, key: &str) -> Option<ElementId> {
        self.by_key.get(key).copied()
    }

    pub(crate) fn with_label(&self, label: &str) -> &[ElementId] {
        self.by_label.get(label).map_or(&[], Vec::as_slice)
    }

    /// The elements directly in an element, or at the top.
    pub(crate) fn children(&self, of: Option<ElementId>) -> &[ElementId] {
        let place = of.map_or(0, |of| of.index() + 1);
        self.children.get(place).map_or(&[], Vec::as_slice)
    }
}
