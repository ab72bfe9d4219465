//! Reads every rig in `tests/bad-rigs` and compares what is reported with the comments in it.
//! `RENEW=1 cargo test -p rig --test bad_rigs` rewrites the expectations; `tests/bad-rigs/README.md` explains them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use rig::diagnostic::{Diagnostic, Diagnostics, Severity};
use rig::span::{SourceId, Sources};

/// One finding, its place in lines and columns from 1; `end` is the column after it.
#[derive(Debug, Clone, PartialEq)]
struct Finding {
    line: usize,
    column: usize,
    end: usize,
    message: String,
    notes: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq)]
enum Note {
    Help(String),
    Also(usize, usize, String),
}

fn findings(bytes: &[u8]) -> Vec<Finding> {
    let mut diagnostics = Diagnostics::new();
    let text = rig::text::decode(SourceId::default(), bytes, &mut diagnostics).into_owned();
    let mut sources = Sources::new();
    let id = sources.add("bad.ron", text.clone());
    if let Some(doc) = rig::read(id, &text, &mut diagnostics) {
        rig::check(&doc, &mut diagnostics);
    }
    diagnostics.iter().map(|diagnostic| finding(diagnostic, &sources)).collect()
}

fn finding(diagnostic: &Diagnostic, sources: &Sources) -> Finding {
    let place = diagnostic.place.expect("everything in a rig has a place");
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
        notes.push(Note::Also(at.line as usize, at.column as usize, why.clone()));
    }
    Finding {
        line: start.line as usize,
        column: start.column as usize,
        end: end.max(start.column as usize + 1),
        message: format!("{severity}: {}", diagnostic.message),
        notes,
    }
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
    // Comments move the lines that other comments speak of.
    let height = |finding: &Finding| 1 + finding.notes.len();
    let moved = |line: usize| line + findings.iter().filter(|f| f.line < line).map(height).sum::<usize>();
    let mut out = String::new();
    for (index, line) in rig.split_inclusive('\n').enumerate() {
        out.push_str(line);
        for finding in findings.iter().filter(|finding| finding.line == index + 1) {
            assert!(
                finding.column > 2,
                "no room for a comment: use a file `.expect` beside this rig:\n{rig}"
            );
            let indent = line.len() - line.trim_start().len();
            let indent = indent.min(finding.column - 3);
            let gap = finding.column - 3 - indent;
            let marks = "^".repeat(finding.end - finding.column);
            writeln!(out, "{:indent$}//{:gap$}{marks} {}", "", "", finding.message).unwrap();
            for note in &finding.notes {
                match note {
                    Note::Help(help) => writeln!(out, "{:indent$}//{:gap$}help: {help}", "", ""),
                    Note::Also(line, column, why) => {
                        writeln!(out, "{:indent$}//{:gap$}also {}:{column}: {why}", "", "", moved(*line))
                    }
                }
                .unwrap();
            }
        }
    }
    out
}

/// The findings for a file beside the rig.
fn listed(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        writeln!(out, "{}:{}-{} {}", finding.line, finding.column, finding.end, finding.message).unwrap();
        for note in &finding.notes {
            match note {
                Note::Help(help) => writeln!(out, "    help: {help}"),
                Note::Also(line, column, why) => writeln!(out, "    also {line}:{column}: {why}"),
            }
            .unwrap();
        }
    }
    out
}

fn rigs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bad-rigs");
    let entries = fs::read_dir(folder).expect("the folder of bad rigs");
    let mut rigs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    rigs.retain(|path| path.extension().is_some_and(|extension| extension == "ron"));
    rigs.sort();
    rigs
}

#[test]
fn every_bad_rig_is_reported_as_its_comments_say() {
    let renew = std::env::var_os("RENEW").is_some();
    let mut wrong = String::new();
    for path in rigs() {
        let bytes = fs::read(&path).unwrap();
        let beside = path.with_extension("expect");
        let (expected, actual, kept_in) = if beside.exists() {
            (fs::read_to_string(&beside).unwrap(), listed(&findings(&bytes)), beside)
        } else {
            let text = String::from_utf8(bytes).expect("a rig that is no text needs a file `.expect`");
            let rig: String = text.split_inclusive('\n').filter(|line| !is_expectation(line)).collect();
            let found = findings(rig.as_bytes());
            // The comments themselves must not change what is found.
            let messages =
                |findings: Vec<Finding>| findings.into_iter().map(|f| f.message).collect::<Vec<_>>();
            if !renew {
                assert_eq!(
                    messages(findings(text.as_bytes())),
                    messages(found.clone()),
                    "{}",
                    path.display()
                );
            }
            (text, annotated(&rig, &found), path.clone())
        };
        if expected == actual {
            continue;
        }
        if renew {
            fs::write(kept_in, actual).unwrap();
        } else {
            write!(wrong, "{}\n--- expected\n{expected}--- found\n{actual}\n", path.display()).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_bad_rig_has_a_mistake() {
    let rigs = rigs();
    assert!(rigs.len() >= 35, "{} rigs", rigs.len());
    for path in rigs {
        assert!(!findings(&fs::read(&path).unwrap()).is_empty(), "{} has no mistake", path.display());
    }
}
