//! What other programs write: it is taken in, merged, or in conflict.

use std::path::{Path, PathBuf};

use bone_format::session::{Conflict, DocValue, Reloaded};

use super::Document;
use super::refused::Refused;
use crate::server::files::is_whole;
use crate::server::overtaken::OUTSIDE;
use crate::server::proto::{ConflictNote, ConflictPlace, Reply, Step};
use crate::server::state::shown;

impl Document {
    /// A file that a page names.
    pub(super) fn file_called(&self, name: &str) -> Result<PathBuf, Refused> {
        let known = self.session.files().iter().map(|file| file.path().to_owned());
        let rig = self.session.path();
        known
            .chain(self.conflicts.keys().cloned())
            .find(|path| shown(path, rig) == name)
            .ok_or_else(|| Refused::new(format!("the rig has no file \"{name}\"")))
    }

    /// Takes in what another program wrote. `seen` is what the watcher read; the file is read anew here,
    /// because this thread may have written it since.
    pub(super) fn file_changed(&mut self, path: &Path, seen: Option<&[u8]>) {
        let Some(seen) = seen else { return self.file_gone(path) };
        // What is gone, or is being written at this moment, is reported again.
        let Ok(bytes) = bone_format::Files::read(&bone_format::Disk, path) else { return };
        if bytes != seen && !is_whole(path, &bytes) {
            return;
        }
        let is_back = self.missing.remove(path).is_some();
        if self.take_in(path, &bytes) {
            let title = format!("Changed outside: {}", shown(path, self.session.path()));
            self.changed(OUTSIDE, "disk", title);
        } else if is_back || (!self.hold && self.open.is_none() && self.save_all()) {
            // It is what it was, and what waited for it is in it now.
            self.changed(OUTSIDE, "save", String::new());
        }
    }

    /// Takes in what a file holds; whether that is new.
    pub(super) fn take_in(&mut self, path: &Path, bytes: &[u8]) -> bool {
        if self.loading.begin(Some(path)).is_none() {
            return false;
        }
        let reloaded = self.session.reload(path, bytes);
        self.loading.end();
        let reloaded = match reloaded {
            Ok(Reloaded::Unchanged) | Err(_) => return false,
            Ok(reloaded) => reloaded,
        };
        self.revisions.note(&self.session, OUTSIDE);
        self.note_conflict(path, &reloaded);
        if self.session.unsaved().next().is_none() {
            self.journal.base(&self.session);
        } else if self.session.files().iter().any(|file| file.path() == path) {
            let text = String::from_utf8_lossy(bytes);
            let path = path.to_string_lossy().into_owned();
            self.journal.step(&Step::Outside { path, text: text.into_owned() });
        }
        true
    }

    /// Takes in all texts that other programs changed; whether there were any.
    pub(super) fn take_in_all(&mut self) -> bool {
        let paths: Vec<PathBuf> = self.session.files().iter().map(|file| file.path().to_owned()).collect();
        let mut found = false;
        for path in paths {
            if let Ok(bytes) = bone_format::Files::read(&bone_format::Disk, &path) {
                found |= self.take_in(&path, &bytes);
            }
        }
        found
    }

    /// Takes in what other programs wrote up to now, so that an edit is made on that. What looks half written
    /// is left for later.
    pub(super) fn take_in_whole(&mut self) {
        let known = self.session.files().iter().map(|file| (file.path().to_owned(), file.saved().to_owned()));
        let mut found = Vec::new();
        for (path, saved) in known.collect::<Vec<_>>() {
            let Ok(bytes) = bone_format::Files::read(&bone_format::Disk, &path) else { continue };
            if bytes != saved.as_bytes() && is_whole(&path, &bytes) && self.take_in(&path, &bytes) {
                found.push(shown(&path, self.session.path()));
            }
        }
        if !found.is_empty() {
            self.changed(OUTSIDE, "disk", format!("Changed outside: {}", found.join(", ")));
        }
    }

    /// Reports a conflict to pages.
    pub(super) fn note_conflict(&mut self, path: &Path, reloaded: &Reloaded) {
        let Reloaded::Conflict { message, conflicts } = reloaded else {
            self.conflicts.remove(path);
            return;
        };
        let text = |value: &Option<DocValue>| value.as_ref().map(DocValue::to_string);
        let place = |conflict: &Conflict| ConflictPlace {
            at: conflict.at.to_string(),
            base: text(&conflict.base),
            ours: text(&conflict.ours),
            theirs: text(&conflict.theirs),
        };
        let file = shown(path, self.session.path());
        let why = format!("{file}: {message}");
        let note = ConflictNote { file, why, places: conflicts.iter().map(place).collect() };
        self.send_all(&Reply::Conflict { note: note.clone() });
        self.conflicts.insert(path.to_owned(), note);
    }
}
