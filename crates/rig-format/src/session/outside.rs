//! What other programs write: taken in, merged with what is not saved, or a conflict.

use std::collections::BTreeMap;
use std::path::Path;

use super::history::{Step, with_names};
use super::merge::{self, Conflict, ConflictSide};
use super::state::{SessionFile, State};
use super::{Reloaded, Session};
use crate::diagnostic::Diagnostics;
use crate::edit::EditError;
use crate::files::plain_path;
use crate::span::SourceId;

impl Session {
    /// Takes in what a file of the rig, its drawing or an image is outside now. What the session changed and
    /// did not save stays: both are merged by name, or it is a conflict.
    ///
    /// # Errors
    /// If it was cancelled.
    pub fn reload(&mut self, path: &Path, bytes: &[u8]) -> Result<Reloaded, EditError> {
        let key = plain_path(path);
        let Some(file) = self.state.file(&key).cloned() else {
            if self.snapshot.bytes(&key).is_some_and(|known| &known[..] == bytes) {
                return Ok(Reloaded::Unchanged);
            }
            let known = self.snapshot.set(&key, bytes);
            let before = State { drawing: None, ..self.state.clone() };
            match self.build(&before, BTreeMap::new()) {
                Ok(state) => self.replace(state),
                Err(error) => {
                    self.snapshot.restore(&key, known);
                    return Err(error);
                }
            }
            return Ok(Reloaded::Taken);
        };
        let mut unheard = Diagnostics::new();
        let theirs = crate::text::decode(SourceId::default(), bytes, &mut unheard).into_owned();
        self.outside.remove(&key);
        if theirs == file.text() || theirs == file.saved() {
            self.set_saved(&key, &theirs);
            return Ok(Reloaded::Unchanged);
        }
        if !file.is_changed() {
            self.take(&key, file.with_text(theirs.clone()), &theirs)?;
            return Ok(Reloaded::Taken);
        }
        self.merge(&key, &file, theirs, None)
    }

    /// Ends a conflict of a file: where both changed the same, one side counts. If they cannot be together at
    /// all, the whole text of that side does. It is a step that can be undone.
    ///
    /// # Errors
    /// If it was cancelled.
    pub fn resolve(&mut self, path: &Path, keep: ConflictSide) -> Result<Reloaded, EditError> {
        let key = plain_path(path);
        let (Some(theirs), Some(file)) = (self.outside.remove(&key), self.state.file(&key).cloned()) else {
            return Ok(Reloaded::Unchanged);
        };
        let start = self.state.without_doc();
        let reloaded = match self.merge(&key, &file, theirs.clone(), Some(keep)) {
            Ok(Reloaded::Conflict { .. }) => {
                self.outside.remove(&key);
                match keep {
                    ConflictSide::Ours => self.set_saved(&key, &theirs),
                    ConflictSide::Theirs => self.take(&key, file.with_text(theirs.clone()), &theirs)?,
                }
                Reloaded::Taken
            }
            other => other?,
        };
        let step = Step::between("Resolve a conflict", &start, &self.state, Vec::new());
        if !step.is_empty() && self.history.group.is_none() {
            self.history.push(step);
        }
        Ok(reloaded)
    }

    /// The text from outside of a file in conflict.
    pub fn outside(&self, path: &Path) -> Option<&str> {
        self.outside.get(&plain_path(path)).map(String::as_str)
    }

    /// Merges changes from outside; `keep` counts where both changed the same.
    fn merge(
        &mut self,
        key: &Path,
        ours: &SessionFile,
        theirs: String,
        keep: Option<ConflictSide>,
    ) -> Result<Reloaded, EditError> {
        let conflict = |session: &mut Self, message: &str, conflicts: Vec<Conflict>| {
            session.outside.insert(key.to_owned(), theirs.clone());
            Ok(Reloaded::Conflict { message: message.to_owned(), conflicts })
        };
        let other = ours.with_text(theirs.clone());
        let base = ours.with_text(ours.saved().to_owned());
        let (Some(base), Some(own), Some(outside)) = (base.value(), ours.value(), other.value()) else {
            return conflict(
                self,
                "the file outside has mistakes, and the session has changes of its own",
                Vec::new(),
            );
        };
        // A name is no change of what has it.
        let (base, outside) = (with_names(base, &self.renamed), with_names(outside, &self.renamed));
        let (merged, conflicts) = merge::merge(&base, own, &outside, keep.unwrap_or(ConflictSide::Ours));
        if keep.is_none() && !conflicts.is_empty() {
            let first = conflicts[0].to_string();
            return conflict(self, &first, conflicts);
        }
        let merged = match other.rewritten(&merged) {
            Ok(Some(merged)) => merged.file,
            Ok(None) => other.clone(),
            Err(_) => return conflict(self, "both changes cannot be written together", Vec::new()),
        };
        let tried = self.build(&self.state, BTreeMap::from([(key.to_owned(), merged)]))?;
        match self.no_new_errors(&tried) {
            Ok(()) => {
                self.replace(tried);
                self.set_saved(key, &theirs);
                Ok(Reloaded::Merged)
            }
            Err(error) => conflict(self, &format!("with both changes, {error}"), Vec::new()),
        }
    }

    /// Takes a text from outside, mistakes and all.
    fn take(&mut self, key: &Path, file: SessionFile, saved: &str) -> Result<(), EditError> {
        let state = self.build(&self.state, BTreeMap::from([(key.to_owned(), file)]))?;
        self.replace(state);
        self.set_saved(key, saved);
        Ok(())
    }

    /// Another state that is not of the session's own making: an open group goes on behind it.
    fn replace(&mut self, state: State) {
        if let Some(group) = &mut self.history.group {
            group.pause(&self.state, &state);
        }
        self.state = state;
        self.revision += 1;
    }

    pub(super) fn set_saved(&mut self, key: &Path, text: &str) {
        let files = self.state.files.iter_mut().chain(&mut self.state.parked);
        files.filter(|file| file.key() == key).for_each(|file| file.set_saved(text));
        if self.unsaved().next().is_none() {
            self.renamed.clear();
        }
    }

    /// Takes in another drawing, as [`reload`](Self::reload) of its file does. The last good rig stays if the
    /// rig does not fit it.
    ///
    /// # Errors
    /// If the rig names no drawing, or it was cancelled.
    pub fn set_drawing(&mut self, svg: &[u8]) -> Result<Reloaded, EditError> {
        let name = self.doc().and_then(|doc| doc.drawing.as_ref()).map(|name| name.value.clone());
        let Some(name) = name else { return Err(EditError::request("the rig names no drawing")) };
        let path = self.path.parent().unwrap_or(Path::new("")).join(name);
        self.reload(&path, svg)
    }
}
