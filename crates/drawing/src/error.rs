//! The reasons why a drawing cannot be made, or an element not be posed.

use std::fmt;

use crate::element::ElementId;
use crate::node_id::NodeId;

/// The reason why a drawing cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DrawingError {
    /// Groups and definitions are nested more than 1,000 deep.
    TooDeep,
    /// It has more than 8,000,000 nodes with its definitions where they are used.
    TooLarge,
}

impl fmt::Display for DrawingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooDeep => "its groups and definitions are nested more than 1,000 deep",
            Self::TooLarge => "it has more than 8,000,000 nodes with its definitions where they are used",
        })
    }
}

impl std::error::Error for DrawingError {}

/// The reason why an element cannot be posed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MoveError {
    /// The element is not drawn in its own place, or the drawing has no such element.
    NotDrawn {
        /// The element.
        element: ElementId,
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// Only paths have an outline to pose.
    NotAPath {
        /// The element.
        element: ElementId,
        /// Its name.
        name: String,
    },
    /// Places of ink increase from 0 to 1, and its reach is not negative.
    UnsoundInk {
        /// The name of its path.
        name: String,
    },
    /// The drawing has no such node.
    NoSuchNode {
        /// The node.
        node: NodeId,
    },
    /// The element is in one of the lists twice.
    Duplicate {
        /// The element.
        element: ElementId,
        /// Its name.
        name: String,
    },
    /// A clip path or mask of another drawing.
    UnknownStencil {
        /// Its element.
        element: ElementId,
    },
    /// The shapes whose gradients bend have more than a million patches.
    TooManyPatches,
    /// Clip paths and masks that move have so many users that their copies would be hundreds of megabytes.
    TooManyCopies,
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDrawn { name, reason, .. } => write!(f, "“{name}” cannot move: {reason}"),
            Self::NotAPath { name, .. } => {
                write!(f, "“{name}” is not a path or a shape, so it has no outline to bend")
            }
            Self::UnsoundInk { name } => {
                write!(f, "the ink of “{name}” has no places, or they or its widths are out of range")
            }
            Self::NoSuchNode { node } => {
                write!(f, "node {} cannot move: the drawing has no such node", node.index())
            }
            Self::UnknownStencil { element } => {
                write!(f, "the drawing has no such clip path or mask of element {}", element.index())
            }
            Self::TooManyPatches => f.write_str("shapes whose gradients bend have too many patches"),
            Self::TooManyCopies => f.write_str(
                "the clip paths and masks that move have too many users; simplify them, or do not move them",
            ),
            Self::Duplicate { name, .. } => write!(f, "“{name}” is bound twice in the same way"),
        }
    }
}

impl std::error::Error for MoveError {}
