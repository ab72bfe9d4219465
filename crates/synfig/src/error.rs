//! Why a file is not read.

use std::fmt;

/// A file that cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SynfigError {
    /// The file, as it was named.
    pub file: String,
    /// What is wrong.
    pub message: String,
    /// Line and column, from 1 on, if it is at a place of the text.
    pub place: Option<(u32, u32)>,
    /// What to do.
    pub help: Option<String>,
}

impl SynfigError {
    pub(crate) fn new(file: &str, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), message: message.into(), place: None, help: None }
    }

    pub(crate) fn at(mut self, place: (u32, u32)) -> Self {
        self.place = Some(place);
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for SynfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}

impl std::error::Error for SynfigError {}
