//! The reason why a frame was not encoded.

use std::fmt;

/// Pixels that could not be encoded.
#[derive(Debug)]
pub struct EncodeError {
    reason: String,
}

impl EncodeError {
    pub(crate) fn new(reason: &str) -> Self {
        Self { reason: reason.to_owned() }
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for EncodeError {}
