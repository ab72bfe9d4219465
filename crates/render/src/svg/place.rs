//! Places in the SVG text, and the notes and errors that have one. File names are the caller's.

use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

/// A place in the SVG text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SvgPlace {
    /// Byte range in the text that was read.
    pub span: Range<usize>,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
}

impl fmt::Display for SvgPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// The start of each line of a text, so that many places need one pass, and a text without messages none.
pub(crate) struct LineIndex<'a> {
    text: &'a str,
    starts: OnceCell<Vec<usize>>,
}

impl<'a> LineIndex<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, starts: OnceCell::new() }
    }

    fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect()
        })
    }

    /// The place of a byte range; ends are moved into the text and onto character borders.
    pub(crate) fn place(&self, span: Range<usize>) -> SvgPlace {
        let start = floor_border(self.text, span.start);
        let end = floor_border(self.text, span.end).max(start);
        let line = self.starts().partition_point(|at| *at <= start).max(1);
        let line_start = self.starts().get(line - 1).copied().unwrap_or(0);
        let column = self.text.get(line_start..start).map_or(0, |before| before.chars().count());
        SvgPlace { span: start..end, line: to_u32(line), column: to_u32(column + 1) }
    }

    /// The place of a line and column as roxmltree counts them.
    pub(crate) fn at(&self, line: u32, column: u32) -> SvgPlace {
        let start = self.starts().get((line as usize).saturating_sub(1)).copied().unwrap_or(self.text.len());
        let rest = self.text.get(start..).unwrap_or("");
        let offset =
            rest.char_indices().nth((column as usize).saturating_sub(1)).map_or(rest.len(), |(at, _)| at);
        let width = rest.get(offset..).and_then(|tail| tail.chars().next()).map_or(0, char::len_utf8);
        self.place(start + offset..start + offset + width)
    }
}

fn floor_border(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// How much a note matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteSeverity {
    /// Information; the picture is as the author made it.
    Info,
    /// The picture will differ from what the author expects.
    Warning,
}

/// A note for the author of the drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SvgNote {
    /// How much it matters.
    pub severity: NoteSeverity,
    /// The message, in words of artists.
    pub message: String,
    /// Where it is.
    pub place: Option<SvgPlace>,
    /// A second place that belongs to it, such as the first use of a name used twice.
    pub other: Option<SvgPlace>,
}

impl SvgNote {
    pub(crate) fn warning(message: impl Into<String>, place: Option<SvgPlace>) -> Self {
        Self { severity: NoteSeverity::Warning, message: message.into(), place, other: None }
    }

    pub(crate) fn info(message: impl Into<String>, place: Option<SvgPlace>) -> Self {
        Self { severity: NoteSeverity::Info, message: message.into(), place, other: None }
    }
}

impl fmt::Display for SvgNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{} ({place})", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// The reason why a drawing cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum SvgError {
    /// The text is not an SVG that can be read.
    NotSvg {
        /// What is wrong with it.
        reason: String,
        /// Where.
        place: Option<SvgPlace>,
        /// The error of the XML parser.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The bytes are not text, or a kind of text that is not read.
    NotText {
        /// What they are, with advice.
        reason: String,
    },
    /// The drawing would take more time or memory than a drawing may.
    LimitExceeded {
        /// The limit that it exceeds.
        what: String,
        /// Where.
        place: Option<SvgPlace>,
    },
    /// The drawing has no usable size.
    Size {
        /// What is wrong with it.
        reason: String,
        /// Where.
        place: Option<SvgPlace>,
    },
    /// An error of this program or of a library, not of the drawing.
    Internal {
        /// What went wrong.
        reason: String,
    },
}

impl SvgError {
    /// Where in the text the error is, if it has a place.
    pub fn place(&self) -> Option<&SvgPlace> {
        match self {
            Self::NotSvg { place, .. } | Self::LimitExceeded { place, .. } | Self::Size { place, .. } => {
                place.as_ref()
            }
            Self::NotText { .. } | Self::Internal { .. } => None,
        }
    }
}

impl SvgError {
    /// What is wrong, without the place.
    pub fn message(&self) -> String {
        match self {
            Self::NotSvg { reason, .. } | Self::NotText { reason } => format!("this is not an SVG: {reason}"),
            Self::LimitExceeded { what, .. } => format!("this drawing exceeds a limit: {what}"),
            Self::Size { reason, .. } => format!("this drawing has no usable size: {reason}"),
            Self::Internal { reason } => {
                format!("the drawing could not be prepared, which is a fault of this program: {reason}")
            }
        }
    }
}

impl fmt::Display for SvgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        match self.place() {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SvgError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotSvg { source: Some(source), .. } => Some(source.as_ref()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let lines = LineIndex::new("ab\nçd\n");
        let place = lines.place(5..6);
        assert_eq!((place.line, place.column), (2, 2));
        assert_eq!(lines.at(2, 2).span, 5..6);
        assert_eq!(lines.at(99, 1).span, 7..7);
    }

    #[test]
    fn a_place_never_splits_a_character() {
        let lines = LineIndex::new("ç");
        assert_eq!(lines.place(1..9).span, 0..2);
    }
}
