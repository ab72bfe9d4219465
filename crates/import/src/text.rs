//! Parts of a text, and where they are in it.

use std::ops::Range;

/// A word with its place in the text.
pub(crate) type PlacedWord<'t> = (&'t str, Range<usize>);

/// The place of a part that was split off a text.
pub(crate) fn place(text: &str, part: &str) -> Range<usize> {
    // Both borrow the same bytes, so the difference of the pointers is an offset.
    let from = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    from..from + part.len()
}

/// The cells of a line of a text, without quotes and blanks around them.
pub(crate) fn cells<'t>(text: &'t str, line: &'t str, separator: char) -> Vec<PlacedWord<'t>> {
    let words = line.split(separator).map(|cell| cell.trim_matches(|c: char| c == '"' || c.is_whitespace()));
    words.map(|word| (word, place(text, word))).collect()
}
