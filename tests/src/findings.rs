//! Expected findings: comments in broken rigs, below the lines that they are about.
//! `tests/bad-rigs/README.md` describes their format.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_format::diagnostic::{Diagnostic, Diagnostics, Place, Severity};
use bone_format::span::{SourceId, Sources};
use bone_format::{Disk, Files, load, no_fonts};

use crate::files::shown;
use crate::renew;

/// One finding, its place in lines and columns from 1; `end` is the column after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The name of the file, if it is not the rig.
    file: Option<String>,
    line: usize,
    column: usize,
    end: usize,
    message: String,
    notes: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq)]
enum Note {
    Help(String),
    Also(Option<String>, usize, usize, String),
}

/// The findings about the text of a rig, without its drawing.
pub fn of_text(bytes: &[u8]) -> Vec<Finding> {
    let mut diagnostics = Diagnostics::new();
    let text = bone_format::text::decode(SourceId::default(), bytes, &mut diagnostics).into_owned();
    let mut sources = Sources::new();
    let id = sources.add("bad.ron", text.clone());
    if let Some(doc) = bone_format::read(id, &text, &mut diagnostics) {
        bone_format::check(&doc, &mut diagnostics);
    }
    diagnostics.iter().map(|diagnostic| finding(diagnostic, &sources)).collect()
}

/// The findings about a rig with these bytes, and all files that it refers to.
///
/// # Panics
/// If there is a rig in spite of errors, or none without one.
pub fn of_whole(path: &Path, bytes: &[u8]) -> Vec<Finding> {
    let files = Replaced { path: path.to_owned(), bytes: bytes.to_owned() };
    let loaded = load(path, Arc::new(files), &no_fonts);
    let sound = loaded.rig.is_some() != loaded.diagnostics.has_errors();
    assert!(sound, "{}: a rig if and only if there is no error", shown(path));
    loaded.diagnostics.iter().map(|diagnostic| finding(diagnostic, &loaded.sources)).collect()
}

/// The disk with one file replaced.
struct Replaced {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Files for Replaced {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        if path == self.path { Ok(self.bytes.clone()) } else { Disk.read(path) }
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        Disk.beside(path)
    }
}

fn finding(diagnostic: &Diagnostic, sources: &Sources) -> Finding {
    let place = diagnostic.place.unwrap_or_else(|| panic!("“{}” has no place", diagnostic.message));
    let start = sources.locate(place.source, place.span.start);
    let end = sources.locate(place.source, place.span.end);
    let end = if end.line == start.line {
        end.column as usize
    } else {
        sources.line(place.source, start.line).chars().count() + 1
    };
    let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
    let mut notes: Vec<Note> = diagnostic.help.iter().cloned().map(Note::Help).collect();
    for (place, why) in &diagnostic.related {
        let at = sources.locate(place.source, place.span.start);
        notes.push(Note::Also(other_file(place, sources), at.line as usize, at.column as usize, why.clone()));
    }
    Finding {
        file: other_file(&place, sources),
        line: start.line as usize,
        column: start.column as usize,
        end: end.max(start.column as usize + 1),
        message: format!("{severity}: {}", without_folder(&diagnostic.message)),
        notes,
    }
}

fn other_file(place: &Place, sources: &Sources) -> Option<String> {
    let name = Path::new(sources.name(place.source)).file_name()?.to_string_lossy().into_owned();
    (place.source != SourceId::default()).then_some(name)
}

/// Messages contain the path of a file, which is different on every machine.
fn without_folder(message: &str) -> String {
    message.replace(&format!("{}/", crate::files::root().display()), "")
}

fn is_expectation(line: &str) -> bool {
    let Some(comment) = line.trim_start().strip_prefix("//") else { return false };
    let comment = comment.trim_start();
    let marked = comment.trim_start_matches('^');
    let is_marked =
        marked.len() < comment.len() && (marked.starts_with(" error: ") || marked.starts_with(" warning: "));
    is_marked || comment.starts_with("help: ") || comment.starts_with("also ")
}

/// The rig with the findings as comments below the lines they are about.
fn annotated(rig: &str, findings: &[Finding]) -> String {
    // Comments move the lines that other comments refer to.
    let height = |finding: &Finding| 1 + finding.notes.len();
    let moved = |line: usize| line + findings.iter().filter(|f| f.line < line).map(height).sum::<usize>();
    let mut out = String::new();
    for (index, line) in rig.split_inclusive('\n').enumerate() {
        out.push_str(line);
        for finding in findings.iter().filter(|finding| finding.line == index + 1) {
            assert!(
                finding.column > 2 && finding.file.is_none(),
                "no room for a comment: use a file `.expect` beside this rig:\n{rig}"
            );
            let indent = line.len() - line.trim_start().len();
            let indent = indent.min(finding.column - 3);
            let gap = finding.column - 3 - indent;
            let marks = "^".repeat(finding.end - finding.column);
            let _ = writeln!(out, "{:indent$}//{:gap$}{marks} {}", "", "", finding.message);
            for note in &finding.notes {
                let words = match note {
                    Note::Help(help) => format!("help: {help}"),
                    Note::Also(None, line, column, why) => format!("also {}:{column}: {why}", moved(*line)),
                    Note::Also(Some(file), line, column, why) => {
                        format!("also {file} {line}:{column}: {why}")
                    }
                };
                let _ = writeln!(out, "{:indent$}//{:gap$}{words}", "", "");
            }
        }
    }
    out
}

/// The findings for a file beside the rig.
fn listed(findings: &[Finding]) -> String {
    let named = |file: &Option<String>| file.as_ref().map(|file| format!("{file} ")).unwrap_or_default();
    let mut out = String::new();
    for finding in findings {
        let Finding { file, line, column, end, message, notes } = finding;
        let _ = writeln!(out, "{}{line}:{column}-{end} {message}", named(file));
        for note in notes {
            let _ = match note {
                Note::Help(help) => writeln!(out, "    help: {help}"),
                Note::Also(file, line, column, why) => {
                    writeln!(out, "    also {}{line}:{column}: {why}", named(file))
                }
            };
        }
    }
    out
}

/// Compares the findings about a broken rig with its comments, or with the file beside it.
///
/// # Errors
/// If they differ: both.
///
/// # Panics
/// If a file cannot be read or written, or the comments themselves change what is found.
pub fn compare(path: &Path, find: impl Fn(&[u8]) -> Vec<Finding>) -> Result<(), String> {
    let bytes = fs::read(path).expect("a broken rig");
    let beside = path.with_extension("expect");
    let (expected, actual, kept_in) = if beside.exists() {
        (fs::read_to_string(&beside).expect("expectations"), listed(&find(&bytes)), beside)
    } else {
        let text = String::from_utf8(bytes).expect("a rig that is no text needs a file `.expect`");
        let rig: String = text.split_inclusive('\n').filter(|line| !is_expectation(line)).collect();
        let found = find(rig.as_bytes());
        let messages = |findings: Vec<Finding>| findings.into_iter().map(|f| f.message).collect::<Vec<_>>();
        if !renew() {
            assert_eq!(messages(find(text.as_bytes())), messages(found.clone()), "{}", shown(path));
        }
        (text, annotated(&rig, &found), path.to_owned())
    };
    if expected == actual {
        return Ok(());
    }
    if renew() {
        fs::write(kept_in, actual).expect("expectations can be written");
        return Ok(());
    }
    Err(format!("{}\n--- expected\n{expected}--- found\n{actual}\n", shown(path)))
}
