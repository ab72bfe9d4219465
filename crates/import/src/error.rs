//! Errors and notes about a recording, as plain data. They do not contain the name of the file.

use std::fmt;
use std::ops::Range;

/// What a reader of recordings returns.
pub(crate) type Result<T> = std::result::Result<T, ImportError>;

/// Returns an error with a message: about a range of the text, or about the whole recording.
macro_rules! fail {
    ($message:literal $(, $value:expr)*) => {
        return Err($crate::ImportError::new(format!($message $(, $value)*)))
    };
    ($span:expr, $message:literal $(, $value:expr)*) => {
        return Err($crate::ImportError::at($span, format!($message $(, $value)*)))
    };
}

/// Returns such an error if a condition holds.
macro_rules! fail_if {
    ($wrong:expr, $($error:tt)+) => {
        if $wrong {
            fail!($($error)+);
        }
    };
}

/// Why a recording cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportError {
    /// What is wrong: one sentence, without a capital at its start and without a full stop.
    pub message: String,
    /// The range of bytes of the text that the error is about; `None` if it is about the whole recording.
    pub span: Option<Range<usize>>,
    /// A short text that is shown at the range; empty if none is needed.
    pub label: String,
    /// How to correct it, if that is known.
    pub help: Option<String>,
}

impl ImportError {
    /// An error about a range of bytes of the text.
    pub fn at(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { message: message.into(), span: Some(span), label: String::new(), help: None }
    }

    /// An error about the whole recording.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), span: None, label: String::new(), help: None }
    }

    /// An error about a word that should be something else. Of a long word only the start is shown.
    pub(crate) fn unexpected(word: &str, span: Range<usize>, wanted: &str) -> Self {
        Self::at(span, format!("\"{}\" where {wanted} should be", start_of(word)))
    }

    /// The same error with a text that is shown at its range.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same error with advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The start of a word, short enough for a message.
pub(crate) fn start_of(word: &str) -> String {
    word.chars().take(40).collect()
}

/// Parses a number whose absolute value is below `limit`; infinities and NaN are never below.
///
/// # Errors
/// If the word is anything else: `what` should be there.
pub(crate) fn number(word: &str, span: &Range<usize>, limit: f64, what: &str) -> Result<f64> {
    let parsed = word.parse::<f64>().ok();
    parsed
        .filter(|value| value.abs() < limit)
        .ok_or_else(|| ImportError::unexpected(word, span.clone(), what))
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ImportError {}
