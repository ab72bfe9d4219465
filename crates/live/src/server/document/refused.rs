//! Why a request was not carried out.

use std::path::PathBuf;

use bone_authoring::AuthoringError;
use bone_format::edit::EditError;
use bone_format::session::Conflict;
use serde_json::Value;

use crate::message::Reason;
use crate::server::proto::OvertakenPlace;

/// Why a request was not carried out.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) why: String,
    pub(crate) help: Vec<String>,
    pub(super) overtaken: Option<Box<Overtaken>>,
}

/// What an edit would overwrite that its page did not see.
#[derive(Debug, Default)]
pub(super) struct Overtaken {
    pub(super) conflicts: Vec<(PathBuf, Conflict)>,
    /// The same as messages have it.
    pub(super) places: Vec<OvertakenPlace>,
    /// The message that makes the edit all the same.
    pub(super) again: Value,
}

impl Refused {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self::with_help(why, Vec::new())
    }

    pub(super) fn with_help(why: impl Into<String>, help: Vec<String>) -> Self {
        Self { why: why.into(), help, overtaken: None }
    }
}

impl From<Reason> for Refused {
    fn from(why: Reason) -> Self {
        Self::new(why)
    }
}

impl From<AuthoringError> for Refused {
    fn from(error: AuthoringError) -> Self {
        match error {
            AuthoringError::Edit(error) => error.into(),
            other => Self::new(other.to_string()),
        }
    }
}

impl From<EditError> for Refused {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Request { message, help } => {
                Self::with_help(message, Some(help).filter(|help| !help.is_empty()).into_iter().collect())
            }
            EditError::Unwritable(found) => Self::with_help(found.message, found.help),
            EditError::Mistakes => Self::with_help(
                "the rig has mistakes, so it cannot be edited here",
                vec!["correct them in the text: the list of findings has their places".to_owned()],
            ),
            EditError::Overtaken(conflicts) => {
                let overtaken = Box::new(Overtaken { conflicts, ..Overtaken::default() });
                Self { overtaken: Some(overtaken), ..Self::new("") }
            }
            other => Self::new(other.to_string()),
        }
    }
}
