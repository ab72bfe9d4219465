//! What a program saw of a session, so that an edit that it asks for later overwrites nothing that it did not
//! see.

use std::path::{Path, PathBuf};

use super::merge::{Conflict, ConflictSide, merge, overwritten};
use super::state::State;
use super::value::DocValue;

/// The values of all files at a revision. They are shared with the session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    files: Vec<(PathBuf, DocValue)>,
}

impl Seen {
    /// Those of a state; files with mistakes have none.
    pub(super) fn of(state: &State) -> Self {
        let value = |file: &super::SessionFile| Some((file.path().to_owned(), file.value()?.clone()));
        Self { files: state.files.iter().filter_map(value).collect() }
    }

    fn file(&self, path: &PathBuf) -> Option<&DocValue> {
        self.files.iter().find(|(known, _)| known == path).map(|(_, value)| value)
    }

    /// The file that has an entry of a section: a bone of `bones`, a clip of `clips`.
    pub fn file_of(&self, section: &str, name: &str) -> Option<&Path> {
        let has =
            |value: &DocValue| value.field(section).and_then(|entries| entries.position(name)).is_some();
        self.files.iter().find(|(_, value)| has(value)).map(|(path, _)| path.as_path())
    }

    /// The same, with what its owner changed since, which led from `before` to `after`.
    pub fn with_own(&mut self, before: &Self, after: &Self) {
        for (path, seen) in &mut self.files {
            if let (Some(before), Some(after)) = (before.file(path), after.file(path)) {
                *seen = merge(before, after, seen, ConflictSide::Ours).0;
            }
        }
    }

    /// The places that differ between `now` and `new` and also between this and `now`.
    pub(super) fn overwritten(&self, now: &Self, new: &Self) -> Vec<(PathBuf, Conflict)> {
        let mut found = Vec::new();
        for (path, seen) in &self.files {
            if let (Some(now), Some(new)) = (now.file(path), new.file(path)) {
                found.extend(overwritten(seen, now, new).into_iter().map(|one| (path.clone(), one)));
            }
        }
        found
    }
}
