//! Steps that can be undone: of each file the values before and after, which are undone by name, and the bytes
//! that changed, which are put back as they were where nothing else happened since.

use std::path::{Path, PathBuf};

use super::TextEdit;
use super::merge::{ConflictSide, merge};
use super::names::{Named, rename};
use super::patch::patch;
use super::state::{FileEdit, SessionFile, State};
use super::value::DocValue;
use crate::edit::EditError;
use crate::files::plain_path;

/// More steps are not kept.
const MOST_STEPS: usize = 1000;

/// What was renamed, from and to which name.
pub(super) type Renamed = (Named, String, String);

/// What can be undone and done again.
#[derive(Default)]
pub(super) struct History {
    pub(super) undo: Vec<Step>,
    pub(super) redo: Vec<Step>,
    pub(super) group: Option<Group>,
}

impl History {
    /// Exchanges what can be undone and what can be done again.
    pub(super) fn turn_round(&mut self) {
        std::mem::swap(&mut self.undo, &mut self.redo);
    }

    /// Keeps a step, unless it belongs to an open group.
    pub(super) fn record(&mut self, step: Step) {
        self.redo.clear();
        match &mut self.group {
            Some(group) => group.renamed.extend(step.parts.into_iter().flat_map(|part| part.renamed)),
            None => self.push(step),
        }
    }

    /// A file is called otherwise.
    pub(super) fn set_path(&mut self, from: &Path, to: &Path) {
        let steps = self.undo.iter_mut().chain(&mut self.redo).flat_map(|step| &mut step.parts);
        let open = self.group.as_mut().map(|group| {
            group.start.set_path(from, to);
            &mut group.parts
        });
        let files = steps.chain(open.into_iter().flatten()).flat_map(|part| &mut part.files);
        files.filter(|file| file.path == *from).for_each(|file| file.path = plain_path(to));
    }

    pub(super) fn push(&mut self, step: Step) {
        if self.undo.len() >= MOST_STEPS {
            self.undo.remove(0);
        }
        self.undo.push(step);
    }
}

/// A group that is open.
pub(super) struct Group {
    pub(super) title: String,
    /// What it changed before changes from outside.
    pub(super) parts: Vec<Part>,
    /// The state behind the last of them.
    pub(super) start: State,
    /// What was renamed since.
    pub(super) renamed: Vec<Renamed>,
}

impl Group {
    /// Changes from outside lead from one state to another.
    pub(super) fn pause(&mut self, before: &State, after: &State) {
        let part = Part::between(&self.start, before, std::mem::take(&mut self.renamed));
        self.parts.extend(Some(part).filter(|part| !part.files.is_empty()));
        self.start = after.without_doc();
    }

    /// All that it changed, as one step.
    pub(super) fn close(mut self, state: &State) -> Step {
        self.pause(state, state);
        Step { title: self.title, parts: self.parts }
    }
}

/// A step.
pub(super) struct Step {
    pub(super) title: String,
    /// One after the other; more than one if changes from outside came in between.
    pub(super) parts: Vec<Part>,
}

impl Step {
    pub(super) fn between(title: &str, before: &State, after: &State, renamed: Vec<Renamed>) -> Self {
        let part = Part::between(before, after, renamed);
        let parts = if part.files.is_empty() { Vec::new() } else { vec![part] };
        Self { title: title.to_owned(), parts }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// What is renamed when it is taken back.
    pub(super) fn renamed_back(&self) -> Vec<Renamed> {
        self.parts.iter().rev().flat_map(Part::renamed_back).collect()
    }
}

/// Files that changed together.
pub(super) struct Part {
    pub(super) files: Vec<FileChange>,
    /// What was renamed: a name is no change of what has it.
    renamed: Vec<Renamed>,
}

impl Part {
    pub(super) fn renamed_back(&self) -> impl Iterator<Item = Renamed> + '_ {
        self.renamed.iter().rev().map(|(of, from, to)| (*of, to.clone(), from.clone()))
    }

    fn between(before: &State, after: &State, renamed: Vec<Renamed>) -> Self {
        let change = |file: &SessionFile| {
            let old = before.file(&file.key())?;
            (old.version != file.version).then(|| FileChange::between(old, file))
        };
        Self { files: after.files.iter().chain(&after.parked).filter_map(change).collect(), renamed }
    }
}

/// How a file changed.
pub(super) struct FileChange {
    pub(super) path: PathBuf,
    before: (u64, Option<DocValue>),
    after: (u64, Option<DocValue>),
    at: usize,
    old: String,
    new: String,
}

impl FileChange {
    fn between(before: &SessionFile, after: &SessionFile) -> Self {
        let (at, old, new) = patch(before.text(), after.text());
        Self {
            path: after.key(),
            before: (before.version, before.value().cloned()),
            after: (after.version, after.value().cloned()),
            at,
            old: old.to_owned(),
            new: new.to_owned(),
        }
    }

    /// The file without the change, and whether it is what it was, to the byte. What is renamed back comes
    /// first.
    pub(super) fn revert(
        &self,
        file: &SessionFile,
        renamed: &[Renamed],
    ) -> Result<(FileEdit, bool), EditError> {
        if file.version == self.after.0 {
            let edit = TextEdit { range: self.at..self.at + self.new.len(), text: self.old.clone() };
            return Ok((file.returned(edit, self.before.0, self.before.1.as_ref()), true));
        }
        let (Some(before), Some(after), Some(now)) = (&self.before.1, &self.after.1, file.value()) else {
            return Err(EditError::Mistakes);
        };
        let (after, now) = (with_names(after, renamed), with_names(now, renamed));
        let (merged, conflicts) = merge(&after, before, &now, ConflictSide::Theirs);
        if !conflicts.is_empty() {
            return Err(EditError::Conflict(conflicts));
        }
        let same = || FileEdit { file: file.clone(), entry: None };
        Ok((file.rewritten(&merged)?.unwrap_or_else(same), false))
    }
}

/// A file with other names.
pub(super) fn with_names(root: &DocValue, renamed: &[Renamed]) -> DocValue {
    let mut root = root.clone();
    for (of, from, to) in renamed {
        rename(&mut root, *of, (from, to), None);
    }
    root
}
