//! Prints diagnostics: the line, the place, the message and the help.

use std::io::{ErrorKind, IsTerminal, Write as _, stderr, stdout};
use std::ops::Range;
use std::path::Path;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use rig_format::diagnostic::{Place, Severity};
use rig_format::span::Sources;
use rig_format::{Diagnostic, Diagnostics};

use crate::exit::Exit;

/// Prints a line on standard error; a closed standard error is ignored.
pub(crate) fn print_line(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

/// Writes to standard output. A closed pipe is no error; a full disk is one.
pub(crate) fn write_out(text: impl AsRef<[u8]>) -> Result<(), String> {
    let mut out = stdout().lock();
    match out.write_all(text.as_ref()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("standard output: cannot be written: {error}"))
        }
        _ => Ok(()),
    }
}

/// Writes to standard output as the last step of a command, and gives the exit code.
pub(crate) fn print_result(text: impl AsRef<[u8]>) -> Exit {
    match write_out(text) {
        Ok(()) => Exit::Fine,
        Err(message) => {
            print_line(&message);
            Exit::Failed
        }
    }
}

/// Why a file cannot be written into a folder.
pub(crate) fn reason(error: &std::io::Error, folder: &Path) -> String {
    match error.kind() {
        // Folders such as /proc exist, and nothing can be made in them.
        ErrorKind::NotFound if folder.is_dir() => format!("\"{}\" takes no new files", folder.display()),
        ErrorKind::NotFound => format!("there is no folder \"{}\"", folder.display()),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

/// Prints all diagnostics on standard error, or only the errors.
pub(crate) fn show(diagnostics: &Diagnostics, sources: &Sources, warnings: bool) {
    let colour = stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
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
    let mut group = Group::with_title(level.primary_title(diagnostic.message.as_str()));
    if let Some(place) = diagnostic.place {
        group = shown(group, place, &diagnostic.label, AnnotationKind::Primary, sources);
    }
    for (place, why) in &diagnostic.related {
        group = shown(group, *place, why, AnnotationKind::Context, sources);
    }
    group.elements(diagnostic.help.iter().map(|help| Level::HELP.message(help.as_str())))
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
    let path = sources.name(place.source);
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
