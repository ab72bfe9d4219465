//! Changes to a text by byte ranges: everything outside them stays as it is.
//! Finds the style of a file (line ends, indentation) and the places of its comments. Does not decide what is
//! written.

use std::ops::Range;

/// New text for a range of bytes of an old one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes that are replaced.
    pub range: Range<usize>,
    /// What takes their place.
    pub text: String,
}

/// The text after edits that do not overlap; of insertions at one place the first comes first.
pub fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in sorted {
        out.push_str(text.get(at..edit.range.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = edit.range.end.max(at);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// The edits that put the white space of a text where it belongs, and change nothing else: indentation by brackets, one
/// space behind commas and colons, none at the ends of lines. Line breaks stay, and so do values in columns. None if the
/// writing of the text has mistakes.
///
/// ```
/// use bone_format::session::text::{apply, laid_out};
///
/// let text = "Rig(version:1 ,\nbones: {  \"hip\": (), // the root\n},)";
/// let edits = laid_out(text).ok_or("broken")?;
/// assert_eq!(apply(text, &edits), "Rig(version: 1,\n    bones: {\"hip\": (), // the root\n    },)\n");
/// assert_eq!(laid_out("Rig(version: 1"), None);
/// # Ok::<(), &str>(())
/// ```
pub fn laid_out(text: &str) -> Option<Vec<TextEdit>> {
    let style = Style::of(text);
    // One space is a slip, and no step.
    let unit = if style.unit == " " { "    " } else { &style.unit };
    let edits = crate::text::layout(text, style.newline, unit)?;
    Some(edits.into_iter().map(|(range, text)| TextEdit { range, text }).collect())
}

/// How a file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// Its line ends.
    pub newline: &'static str,
    /// One step of indentation.
    pub unit: String,
}

impl Style {
    /// As the first line end and the first indented line have it; four spaces if there is none.
    pub fn of(text: &str) -> Self {
        let first = text.find('\n').unwrap_or_default();
        let newline = if text[..first].ends_with('\r') { "\r\n" } else { "\n" };
        let indents =
            text.lines().map(|line| line.split_at(line.len() - line.trim_start_matches([' ', '\t']).len()));
        let code =
            |rest: &str| !rest.is_empty() && !["//", "/*", "*"].iter().any(|mark| rest.starts_with(mark));
        let unit = indents
            .filter(|(_, rest)| code(rest))
            .map(|(indent, _)| indent)
            .find(|indent| !indent.is_empty());
        let unit = match unit {
            Some(indent) if indent.starts_with('\t') => "\t",
            Some(indent) if indent.len() <= 8 && !indent.contains('\t') => indent,
            _ => "    ",
        };
        Self { newline, unit: unit.to_owned() }
    }

    /// The white space at the start of the line that a byte is in; that of the first line if the text has no such
    /// byte.
    pub fn indent_at(text: &str, at: usize) -> &str {
        let start = text.get(..at).unwrap_or_default().rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[start..].trim_start_matches('\u{feff}');
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }
}

/// Whether only white space is between the start of its line and a byte.
pub(crate) fn begins_line(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..at].trim_start_matches('\u{feff}').trim().is_empty()
}

/// The comments in a range that begins outside of texts and comments, each with its marks, in order. The text
/// was read without mistakes.
pub fn comments(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = range.start;
    while let Some(rest) = text.get(at..range.end).filter(|rest| !rest.is_empty()) {
        let comment = comment_length(rest);
        let length = if comment > 0 {
            found.push(at..at + rest[..comment].trim_end().len());
            comment
        } else if let Some(end) = quoted_end(rest) {
            end
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        at += length;
    }
    found
}

/// The length of a comment, to the end of its line if it is one of `//`; 0 if none begins here.
pub(crate) fn comment_length(rest: &str) -> usize {
    match () {
        () if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        () if rest.starts_with("/*") => block_end(rest),
        () => 0,
    }
}

/// The length of a block comment; blocks may be nested.
fn block_end(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(next) = rest.get(at..).and_then(|rest| rest.find(['/', '*'])) {
        at += next;
        match rest.get(at..at + 2) {
            Some("/*") => (depth, at) = (depth + 1, at + 2),
            Some("*/") => (depth, at) = (depth.saturating_sub(1), at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// The length of a text in quotes, if one begins here: `"…"`, `r"…"` or `r#"…"#`.
pub(crate) fn quoted_end(rest: &str) -> Option<usize> {
    if let Some(inner) = rest.strip_prefix('"') {
        let mut escaped = false;
        let end = inner.char_indices().find(|(_, c)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        return Some(end.map_or(rest.len(), |(at, _)| at + 2));
    }
    let raw = rest.strip_prefix('r')?;
    let marks = raw.len() - raw.trim_start_matches('#').len();
    let inner = raw[marks..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(marks));
    Some(inner.find(&close).map_or(rest.len(), |at| 2 + marks + at + close.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_distinguished_from_strings() {
        let text = "a: \"// no\", // one\r\nb: r#\"/* \"no */\"#, /* two /* in */ it */ c: \"\\\"//\" // é";
        let found: Vec<&str> = comments(text, 0..text.len()).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["// one", "/* two /* in */ it */", "// é"]);
        assert!(comments("/*/", 0..3).len() == 1);
    }

    #[test]
    fn style_of_a_file() {
        let style = |text: &str| Style::of(text);
        assert_eq!(style("Rig(\n  version: 1,\n)"), Style { newline: "\n", unit: "  ".to_owned() });
        assert_eq!(style("Rig(\r\n\tversion: 1,\r\n)"), Style { newline: "\r\n", unit: "\t".to_owned() });
        assert_eq!(style(" // x\nRig()"), Style { newline: "\n", unit: "    ".to_owned() });
        assert_eq!(Style::indent_at("a\n \tb", 4), " \t");
        assert!(begins_line("a\n  b", 4) && !begins_line("a\n c b", 5));
    }

    #[test]
    fn edits_change_only_their_ranges() {
        let edit = |range, text: &str| TextEdit { range, text: text.to_owned() };
        assert_eq!(apply("abcdef", &[edit(4..5, "X"), edit(1..3, ""), edit(6..6, "!")]), "adXf!");
    }
}
