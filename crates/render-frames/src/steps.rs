//! The steps of a command with their times, printed on standard error with --verbose.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crate::report::print_line;

use bone_format::{Compiler, Files, LoadStep, Loaded, SkinDetail, load_packed, load_with};

/// Prints steps, or nothing.
pub(crate) struct StepLog {
    /// The start of the current step.
    since: Option<Instant>,
}

impl StepLog {
    pub(crate) fn new(verbose: bool) -> Self {
        Self { since: verbose.then(Instant::now) }
    }

    /// Prints a finished step.
    pub(crate) fn finished(&mut self, message: &str) {
        let Some(since) = &mut self.since else { return };
        let took = since.elapsed().as_secs_f64() * 1e3;
        print_line(&format!("{took:8.1} ms  {message}"));
        *since = Instant::now();
    }

    /// Prints a line without a time.
    fn note(&self, message: &str) {
        if self.since.is_some() {
            print_line(&format!("             {message}"));
        }
    }
}

/// The extension of packed rigs.
pub(crate) const PACKED: &str = "bones";

/// Whether a file is a packed rig, by its name.
pub(crate) fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case(PACKED))
}

/// The message about a path where a file should be.
#[cfg(feature = "live")]
pub(crate) fn not_a_file(path: &Path) -> String {
    let shown = path.display();
    if path.is_dir() {
        format!("error: \"{shown}\" is a folder: give the rig in it")
    } else if path.exists() {
        format!("error: \"{shown}\" is not a file")
    } else {
        format!("error: there is no file \"{shown}\"")
    }
}

/// Loads a rig, packed or not, and prints the steps.
pub(crate) fn load(path: &Path, files: Arc<dyn Files>, detail: SkinDetail, steps: &mut StepLog) -> Loaded {
    let mut progress = |step: LoadStep<'_>| match step {
        LoadStep::Read { path, bytes } => steps.finished(&format!("read {} ({bytes} bytes)", path.display())),
        LoadStep::Parsed { what } => steps.finished(&format!("parsed the {what}")),
        LoadStep::Skipped { what } => steps.note(&format!("skipped: {what}")),
        LoadStep::Compiled => steps.finished("compiled the rig"),
        _ => {}
    };
    if is_packed(path) {
        return load_packed(path, &*files, &mut progress);
    }
    load_with(path, files, &crate::fonts::fonts, Compiler::new().with_detail(detail), &mut progress)
}
