//! A file as canvases, layers and a table of value nodes. Nodes of one guid or one id are one node.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::value::NodeValue;

/// An index in [`SynfigDocument::nodes`].
pub(crate) type NodeIndex = usize;

/// Where something is in the text of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FilePlace {
    pub(crate) file: usize,
    pub(crate) byte: usize,
}

/// A node that gives a value at each time.
#[derive(Debug)]
pub(crate) struct ValueNode {
    pub(crate) place: FilePlace,
    pub(crate) kind: SourceKind,
}

#[derive(Debug)]
pub(crate) enum SourceKind {
    Constant(NodeValue),
    Animated(Vec<Waypoint>),
    /// Parts of a record, in their order.
    Composite {
        of: String,
        parts: Vec<NodeIndex>,
    },
    List {
        entries: Vec<ListEntry>,
        closed: bool,
    },
    /// A converter: its name, the type that it gives, and its links by name.
    Converter {
        name: String,
        of: String,
        links: BTreeMap<String, NodeIndex>,
    },
    /// An exported node or canvas, before it is found.
    Reference(Reference),
    /// The same, found.
    Same(NodeIndex),
}

/// A name of an export.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// Another file; empty for the own one.
    pub(crate) file: String,
    pub(crate) name: String,
}

/// An entry of a list of points.
#[derive(Debug)]
pub(crate) struct ListEntry {
    pub(crate) node: NodeIndex,
    /// Times at which it comes and goes; it is there if there are none.
    pub(crate) switches: Vec<(f64, bool)>,
}

#[derive(Debug)]
pub(crate) struct Waypoint {
    pub(crate) time: f64,
    pub(crate) node: NodeIndex,
    pub(crate) before: WaypointSide,
    pub(crate) after: WaypointSide,
    /// Tension, continuity, bias.
    pub(crate) tcb: [f64; 3],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WaypointSide {
    #[default]
    Auto,
    Constant,
    Linear,
    Clamped,
    Halt,
}

impl WaypointSide {
    /// A missing word, and those that are not of this list, are TCB curves.
    pub(crate) fn named(word: Option<&str>) -> Self {
        match word {
            Some("constant") => Self::Constant,
            Some("linear") => Self::Linear,
            Some("clamped") => Self::Clamped,
            Some("halt" | "ease") => Self::Halt,
            _ => Self::Auto,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct SynfigCanvas {
    /// From the bottom to the top, as in the file.
    pub(crate) layers: Vec<SynfigLayer>,
}

#[derive(Debug)]
pub(crate) struct SynfigLayer {
    pub(crate) place: FilePlace,
    pub(crate) kind: String,
    pub(crate) version: String,
    pub(crate) name: String,
    pub(crate) params: BTreeMap<String, NodeIndex>,
    /// The parameters that are exported values.
    pub(crate) linked: BTreeSet<String>,
}

/// What a file says of its picture.
#[derive(Clone, Debug)]
pub(crate) struct PageSettings {
    /// Pixels.
    pub(crate) size: (f64, f64),
    /// Left, top, right, bottom, in units.
    pub(crate) view: [f64; 4],
    pub(crate) fps: f64,
    /// Seconds.
    pub(crate) begin: f64,
    pub(crate) end: f64,
    pub(crate) gamma: f64,
    /// Whether the blend method straight is composite, as in the oldest files.
    pub(crate) straight_is_composite: bool,
}

/// Pictures as addresses with all that is in them, or why there is none, by the layers that show them.
pub(crate) type FilmImages = BTreeMap<FilePlace, Result<Rc<str>, String>>;

#[derive(Debug)]
pub(crate) struct SynfigDocument {
    pub(crate) page: PageSettings,
    pub(crate) nodes: Vec<ValueNode>,
    /// The first is that of the file.
    pub(crate) canvases: Vec<SynfigCanvas>,
    /// Their names and texts.
    pub(crate) files: Vec<(String, String)>,
    /// References to what there is not.
    pub(crate) lost: Vec<(FilePlace, String)>,
    pub(crate) images: FilmImages,
}

impl SynfigDocument {
    /// Line and column of a place, from 1 on.
    pub(crate) fn line(&self, place: FilePlace) -> (u32, u32) {
        self.files.get(place.file).map_or((1, 1), |(_, text)| line_of(text, place.byte))
    }

    /// `line 12`, with the file if it is another one.
    pub(crate) fn shown(&self, place: FilePlace) -> String {
        let line = self.line(place).0;
        match self.files.get(place.file) {
            Some((name, _)) if place.file > 0 => format!("line {line} of {name}"),
            _ => format!("line {line}"),
        }
    }

    /// A node behind all references.
    pub(crate) fn found(&self, mut node: NodeIndex) -> NodeIndex {
        // A ring of references ends after as many steps as there are nodes.
        for _ in 0..self.nodes.len() {
            match self.nodes.get(node).map(|node| &node.kind) {
                Some(SourceKind::Same(next)) => node = *next,
                _ => break,
            }
        }
        node
    }

    pub(crate) fn kind(&self, node: NodeIndex) -> Option<&SourceKind> {
        self.nodes.get(self.found(node)).map(|node| &node.kind)
    }
}

/// Line and column of a byte, from 1 on.
pub(crate) fn line_of(text: &str, byte: usize) -> (u32, u32) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.bytes().filter(|byte| *byte == b'\n').count();
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count());
    let count = |n: usize| u32::try_from(n + 1).unwrap_or(u32::MAX);
    (count(line), count(column))
}
