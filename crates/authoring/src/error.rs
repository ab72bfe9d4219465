//! Why nothing is made of a recording.

use std::fmt;

use bone_format::edit::EditError;
use bone_format::span::Sources;
use bone_format::{Diagnostic, Diagnostics};
use bone_import::ImportError;

/// Why nothing was made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AuthoringError {
    /// Mistakes with their places in a rig or a map.
    Mistakes(Box<(Diagnostics, Sources)>),
    /// The motion is not one that a clip can be made of.
    Recording(ImportError),
    /// What was asked for does not fit the recording or the rig.
    Request(String),
    /// The rig cannot be edited.
    Edit(EditError),
}

impl AuthoringError {
    pub(crate) fn mistake(diagnostic: Diagnostic, sources: Sources) -> Self {
        let mut all = Diagnostics::new();
        all.push(diagnostic);
        Self::Mistakes(Box::new((all, sources)))
    }
}

impl fmt::Display for AuthoringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mistakes(found) => {
                f.write_str(found.0.iter().next().map_or("the rig has mistakes", |first| &first.message))
            }
            Self::Recording(error) => f.write_str(&error.message),
            Self::Request(message) => f.write_str(message),
            Self::Edit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AuthoringError {}

impl From<ImportError> for AuthoringError {
    fn from(error: ImportError) -> Self {
        Self::Recording(error)
    }
}

impl From<EditError> for AuthoringError {
    fn from(error: EditError) -> Self {
        Self::Edit(error)
    }
}
