//! File names with a number: `walk_####.png` -> `walk_0007.png`. Names that would put every frame into one
//! file are errors.

use std::fmt;
use std::path::PathBuf;

/// A file name with a run of `#` that stands for the frame's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePattern {
    before: String,
    width: usize,
    after: String,
}

/// The reason why a text is not a file pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// It has no `#`.
    NoNumber {
        /// The text.
        text: String,
    },
    /// It has more than one run of `#`.
    TwoNumbers {
        /// The text.
        text: String,
    },
    /// The run of `#` is in the name of a folder.
    NumberInFolder {
        /// The text.
        text: String,
    },
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber { text } => {
                write!(
                    f,
                    "“{text}” has no place for the frame's number; write #### where it belongs, as in “frame_####.png”"
                )
            }
            Self::TwoNumbers { text } => write!(f, "“{text}” has more than one place for the frame's number"),
            Self::NumberInFolder { text } => {
                write!(f, "“{text}” has the frame's number in the name of a folder")
            }
        }
    }
}

impl std::error::Error for PatternError {}

impl FilePattern {
    /// Reads a pattern such as `out/walk_####.png`: the number has as many digits as there are `#`, or more
    /// if it needs them. A text that ends in a slash is a folder, with `frame_####.` and the extension in it.
    ///
    /// # Errors
    /// If there is no `#`, or more than one run of them, or the run is in a folder's name.
    pub fn parse(text: &str, extension: &str) -> Result<Self, PatternError> {
        if text.is_empty() || text.ends_with(['/', std::path::MAIN_SEPARATOR]) {
            if text.contains('#') {
                return Err(PatternError::NumberInFolder { text: text.to_owned() });
            }
            return Ok(Self { before: format!("{text}frame_"), width: 4, after: format!(".{extension}") });
        }
        let (Some(first), Some(last)) = (text.find('#'), text.rfind('#')) else {
            return Err(PatternError::NoNumber { text: text.to_owned() });
        };
        let (run, after) = (&text[first..=last], &text[last + 1..]);
        if after.contains(['/', std::path::MAIN_SEPARATOR]) {
            return Err(PatternError::NumberInFolder { text: text.to_owned() });
        }
        if run.bytes().any(|byte| byte != b'#') {
            return Err(PatternError::TwoNumbers { text: text.to_owned() });
        }
        Ok(Self { before: text[..first].to_owned(), width: run.len(), after: after.to_owned() })
    }

    /// The file of a frame.
    pub fn path(&self, number: u64) -> PathBuf {
        let Self { before, width, after } = self;
        let digits = number.to_string();
        // The width of a format has 16 bits.
        let zeros = "0".repeat(width.saturating_sub(digits.len()));
        PathBuf::from(format!("{before}{zeros}{digits}{after}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_padded_and_may_outgrow_it() {
        let pattern = FilePattern::parse("out/walk_###.png", "png").unwrap();
        assert_eq!(pattern.path(7), PathBuf::from("out/walk_007.png"));
        assert_eq!(pattern.path(12345), PathBuf::from("out/walk_12345.png"));
        assert_eq!(FilePattern::parse("out/", "svg").unwrap().path(0), PathBuf::from("out/frame_0000.svg"));
    }

    #[test]
    fn patterns_that_lose_frames_are_refused() {
        for text in ["walk.png", "a#b#.png", "a_##/b.png", "a##/", "#/#"] {
            assert!(FilePattern::parse(text, "png").is_err(), "{text}");
        }
    }
}
