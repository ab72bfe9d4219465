//! Why a rig cannot be edited as asked.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use crate::diagnostic::{Diagnostic, nearest};
use crate::session::Conflict;

/// Why a rig cannot be edited.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EditError {
    /// The rig or its drawing has mistakes; the diagnostics of [`load`](crate::load()) tell them.
    Mistakes,
    /// What was asked for does not fit the rig.
    Request {
        /// What is wrong with it.
        message: String,
        /// What to ask for instead; may be empty.
        help: String,
    },
    /// What was asked for cannot be written, or the rig would have an error.
    Unwritable(Box<Diagnostic>),
    /// What a step changed was changed since.
    Conflict(Vec<Conflict>),
    /// What it would overwrite was changed since it was seen, in these files.
    Overtaken(Vec<(PathBuf, Conflict)>),
    /// It was cancelled; nothing is changed.
    Cancelled,
}

/// So many names are listed.
const SHOWN: usize = 12;

impl EditError {
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::Request { message: message.into(), help: String::new() }
    }

    pub(crate) fn help(self, words: impl Into<String>) -> Self {
        match self {
            Self::Request { message, .. } => Self::Request { message, help: words.into() },
            other => other,
        }
    }

    /// Names the choice there is.
    pub(crate) fn listing(self, what: &str, names: &[&str]) -> Self {
        let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("\"{name}\"")).collect();
        let more = names.len().saturating_sub(SHOWN);
        match (shown.len(), more) {
            (0, _) => self.help(format!("there are no {what}").replace("are no art", "is no art")),
            (_, 0) => self.help(format!("{what}: {}", shown.join(", "))),
            _ => self.help(format!("{what}: {} and {more} more", shown.join(", "))),
        }
    }

    /// Suggests the name that is nearest, or lists all.
    pub(crate) fn suggesting(self, name: &str, what: &str, names: &[&str]) -> Self {
        match nearest(name, names.iter().copied()) {
            Some(near) => self.help(format!("did you mean \"{near}\"?")),
            None => self.listing(what, names),
        }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mistakes => f.write_str("the rig has errors: correct them before you edit it"),
            Self::Request { message, help } if help.is_empty() => f.write_str(message),
            Self::Request { message, help } => write!(f, "{message}; {help}"),
            Self::Unwritable(diagnostic) => match diagnostic.help.first() {
                Some(help) => write!(f, "{}; {help}", diagnostic.message),
                None => f.write_str(&diagnostic.message),
            },
            Self::Conflict(conflicts) => {
                f.write_str("it was changed since: ")?;
                let shown: Vec<String> = conflicts.iter().take(SHOWN).map(Conflict::to_string).collect();
                f.write_str(&shown.join("; "))
            }
            Self::Overtaken(places) => {
                f.write_str("it was changed since it was seen: ")?;
                let shown: Vec<String> =
                    places.iter().take(SHOWN).map(|(_, place)| place.to_string()).collect();
                f.write_str(&shown.join("; "))
            }
            Self::Cancelled => f.write_str("it was cancelled"),
        }
    }
}

impl Error for EditError {}
