//! What is wrong with a recording, and where. Plain data: who shows it knows the name of the file.

use std::fmt;
use std::ops::Range;

/// Why a recording cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportError {
    /// What is wrong, in a sentence without a capital and a full stop.
    pub message: String,
    /// The bytes of the text that it is about; none if it is about all of it.
    pub span: Option<Range<usize>>,
    /// What those bytes are, if that needs words.
    pub label: String,
    /// What can be done about it, if that is known.
    pub help: Option<String>,
}

impl ImportError {
    /// An error about a place of the text.
    pub fn at(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { message: message.into(), span: Some(span), label: String::new(), help: None }
    }

    /// An error about the whole recording.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), span: None, label: String::new(), help: None }
    }

    /// The same with words beside the place.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same with advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ImportError {}

/// Something that was decided or mended on the way and that somebody may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportNote(pub String);

impl fmt::Display for ImportNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
