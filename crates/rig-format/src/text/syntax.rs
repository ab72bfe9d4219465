//! The two notations in which rigs are written.

/// A notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Syntax {
    /// RON, for people.
    #[default]
    Ron,
    /// JSON, for programs.
    Json,
}

impl Syntax {
    /// The notation of a text, by its beginning: JSON begins with `{` and a key in quotes.
    pub fn of(text: &str) -> Self {
        let text = text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
        let inner = text.strip_prefix('{').map(str::trim_start);
        if inner.is_some_and(|inner| inner.starts_with(['"', '}'])) { Self::Json } else { Self::Ron }
    }
}
