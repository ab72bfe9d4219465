//! Why weights cannot be edited as asked.

use std::error::Error;
use std::fmt;

use crate::diagnostic::{Diagnostic, nearest};

/// Why weights cannot be edited.
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
    /// The weights cannot be written.
    Unwritable(Box<Diagnostic>),
}

/// So many names are listed.
const SHOWN: usize = 12;

impl EditError {
    pub(super) fn request(message: impl Into<String>) -> Self {
        Self::Request { message: message.into(), help: String::new() }
    }

    pub(super) fn help(self, words: impl Into<String>) -> Self {
        match self {
            Self::Request { message, .. } => Self::Request { message, help: words.into() },
            other => other,
        }
    }

    /// Names the choice there is.
    pub(super) fn listing(self, what: &str, names: &[&str]) -> Self {
        let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("\"{name}\"")).collect();
        let more = names.len().saturating_sub(SHOWN);
        match (shown.len(), more) {
            (0, _) => self.help(format!("there are no {what}").replace("are no art", "is no art")),
            (_, 0) => self.help(format!("{what}: {}", shown.join(", "))),
            _ => self.help(format!("{what}: {} and {more} more", shown.join(", "))),
        }
    }

    /// Suggests the name that is nearest, or lists all.
    pub(super) fn suggesting(self, name: &str, what: &str, names: &[&str]) -> Self {
        match nearest(name, names.iter().copied()) {
            Some(near) => self.help(format!("did you mean \"{near}\"?")),
            None => self.listing(what, names),
        }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mistakes => f.write_str("the rig has errors: correct them before you edit its weights"),
            Self::Request { message, help } if help.is_empty() => f.write_str(message),
            Self::Request { message, help } => write!(f, "{message}; {help}"),
            Self::Unwritable(diagnostic) => f.write_str(&diagnostic.message),
        }
    }
}

impl Error for EditError {}
