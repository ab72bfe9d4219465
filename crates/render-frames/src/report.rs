//! Prints diagnostics: the line, the place, the message and the help.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal, Write as _, stderr, stdout};
use std::ops::Range;
use std::path::Path;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use bone_format::diagnostic::{Place, Severity, nearest};
use bone_format::span::Sources;
use bone_format::{Diagnostic, Diagnostics};

use crate::exit::Exit;

/// Prints a line on standard error; a closed standard error is ignored. Names can come from untrusted files, so
/// characters that control a terminal are escaped.
pub(crate) fn print_line(line: &str) {
    let _ = writeln!(stderr(), "{}", visible_lines(line));
}

impl Exit {
    /// Prints why the command ends with it.
    pub(crate) fn because(self, message: impl std::fmt::Display) -> Self {
        print_line(&format!("error: {message}"));
        self
    }
}

/// Writes to standard output as the last step of a command, and gives the exit code. A full disk and a reader that
/// closed the pipe are reported.
pub(crate) fn print_result(text: impl AsRef<[u8]>) -> Exit {
    let text = text.as_ref();
    let shown = match std::str::from_utf8(text) {
        Ok(text) if stdout().is_terminal() => Some(visible_lines(text)),
        _ => None,
    };
    print_styled(shown.as_ref().map_or(text, |shown| shown.as_bytes()))
}

/// The same for a text of this program, which may have colours.
pub(crate) fn print_styled(text: &[u8]) -> Exit {
    let mut out = stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Ok(()) => Exit::Fine,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            print_line("standard output: its reader closed it before the end");
            Exit::Closed
        }
        Err(error) => {
            print_line(&format!("standard output: cannot be written: {error}"));
            Exit::Failed
        }
    }
}

/// Whether an output may have colours.
pub(crate) fn has_colours(out: &impl IsTerminal) -> bool {
    is_smart_terminal(out) && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Whether an output is a terminal that follows escape sequences.
pub(crate) fn is_smart_terminal(out: &impl IsTerminal) -> bool {
    out.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Escapes characters that break a line, control a terminal or change the writing direction.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c.is_control() || is_direction(c))
}

/// The same for several lines.
pub(crate) fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| (c.is_control() && !matches!(c, '\n' | '\t')) || is_direction(c))
}

/// Whether a character changes the writing direction of what follows.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(text: &str, steers: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if steers(c) {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Why a file cannot be written into a folder.
pub(crate) fn reason(error: &std::io::Error, folder: &Path) -> String {
    match error.kind() {
        // Folders such as /proc exist, and nothing can be made in them.
        ErrorKind::NotFound if folder.is_dir() => format!("\"{}\" takes no new files", folder.display()),
        ErrorKind::NotFound => format!("there is no folder \"{}\"", folder.display()),
        // One that we made says more.
        ErrorKind::PermissionDenied if error.get_ref().is_none() => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

/// Prints all diagnostics on standard error, or only the errors.
pub(crate) fn show(diagnostics: &Diagnostics, sources: &Sources, warnings: bool) {
    let renderer = if has_colours(&stderr()) { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Unicode);
    let mut out = stderr().lock();
    for diagnostic in diagnostics.iter().filter(|d| warnings || d.severity == Severity::Error) {
        // A closed standard error is ignored.
        let _ = writeln!(out, "{}\n", renderer.render(&[group(diagnostic, sources)]));
    }
}

fn group<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(visible_lines(&diagnostic.message)));
    if let Some(place) = diagnostic.place {
        group = shown(group, place, &diagnostic.label, AnnotationKind::Primary, sources);
    }
    for (place, why) in &diagnostic.related {
        group = shown(group, *place, why, AnnotationKind::Context, sources);
    }
    group.elements(diagnostic.help.iter().map(|help| Level::HELP.message(visible_lines(help))))
}

/// Adds the source lines of one place, and no other lines of the file.
fn shown<'a>(
    group: Group<'a>,
    place: Place,
    label: &'a str,
    kind: AnnotationKind,
    sources: &'a Sources,
) -> Group<'a> {
    let text = sources.text(place.source);
    let span = without_long_lines(text, place.span.range());
    let lines = lines_around(text, &span);
    let path = visible(sources.name(place.source));
    let label = visible_lines(label);
    if lines.len() > MOST_SHOWN {
        // Only the place without source lines, because columns count from the start of a line.
        let at = sources.locate(place.source, place.span.start);
        let origin = Origin::path(path).line(at.line as usize).char_column(at.column as usize);
        let group = group.element(origin);
        return if label.is_empty() { group } else { group.element(Level::NOTE.message(label)) };
    }
    let first_line = sources.locate(place.source, u32::try_from(lines.start).unwrap_or(u32::MAX)).line;
    let within = |at: usize| at.clamp(lines.start, lines.end) - lines.start;
    let annotation = kind.span(within(span.start)..within(span.end));
    let annotation = if label.is_empty() { annotation } else { annotation.label(label) };
    group.element(
        Snippet::source(text.get(lines.clone()).unwrap_or_default())
            .line_start(first_line as usize)
            .path(path)
            .annotation(annotation),
    )
}

/// The largest number of bytes that are shown: a file without line breaks is one long line.
const MOST_SHOWN: usize = 20_000;

/// Of a span over several lines what stands before a long one, like the outline of a path: the element is known by its beginning.
fn without_long_lines(text: &str, span: Range<usize>) -> Range<usize> {
    let Some(shown) = text.get(span.clone()) else { return span };
    let mut end = 0;
    for (at, line) in shown.split('\n').enumerate() {
        if at > 0 && line.len() > LONGEST_LINE {
            return span.start..span.start + end;
        }
        end += line.len() + usize::from(at > 0);
    }
    span
}

/// More of a line is no help within a span over several lines. A span on a single line is cut to the width of the terminal.
const LONGEST_LINE: usize = 200;

/// The complete lines that a span touches.
fn lines_around(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = span.start.min(text.len());
    let end = span.end.clamp(start, text.len());
    let bytes = text.as_bytes();
    let from = bytes[..start].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    let to = bytes[end..].iter().position(|&b| b == b'\n').map_or(text.len(), |at| end + at);
    from..to
}

/// `2 errors and 1 warning`.
pub(crate) fn count(diagnostics: &Diagnostics) -> String {
    let some = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    match (diagnostics.error_count(), diagnostics.warning_count()) {
        (0, 0) => "no mistakes".to_owned(),
        (errors, 0) => some(errors, "error"),
        (0, warnings) => some(warnings, "warning"),
        (errors, warnings) => format!("{} and {}", some(errors, "error"), some(warnings, "warning")),
    }
}

/// The message about a name that nothing in a rig has.
pub(crate) fn not_called<'n>(what: &str, name: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    let missing = format!("the rig has no {what} called \"{name}\"");
    match nearest(name, names.clone()) {
        Some(near) => format!("{missing}; did you mean \"{near}\"?"),
        None => {
            let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
            let has = if names.is_empty() { format!("no {what}s at all") } else { names.join(", ") };
            format!("{missing}; it has {has}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_control_a_terminal_are_escaped() {
        let hostile = "a\u{1b}[31m\u{7}\u{9b}0m\r\u{202e}b\tc\nd";
        assert_eq!(visible_lines(hostile), "a\\u{1b}[31m\\u{7}\\u{9b}0m\\u{d}\\u{202e}b\tc\nd");
        assert!(visible(hostile).ends_with("b\\u{9}c\\u{a}d"));
        assert!(matches!(visible("plain é"), Cow::Borrowed(_)));
    }
}
