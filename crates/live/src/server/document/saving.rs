//! The files of the rig are written: after each step, on request, or under another name.

use std::io;
use std::path::{Path, PathBuf};

use super::Document;
use super::refused::Refused;
use super::replace::is_plain;
use crate::server::overtaken::OUTSIDE;
use crate::server::proto::Reply;
use crate::server::state::shown;

/// How often a file is read and written again that another program writes at the same time.
const TRIES: usize = 5;

impl Document {
    /// Writes what is not saved, on request; with `anew`, a file first that is missing.
    pub(super) fn save(&mut self, client: u64, file: Option<&str>, anew: bool) -> Result<(), Refused> {
        if anew {
            self.write_anew(file.ok_or_else(|| Refused::new("`file` must be a text"))?)?;
            self.sent(client, "save", "Write a file anew");
        }
        if self.save_all() {
            self.sent(client, "save", "Save");
        }
        if let Some(note) = self.missing.values().next().filter(|note| note.text) {
            return Err(Refused::new(note.why.clone()));
        }
        if let Some((file, why)) = self.unsaved.iter().next() {
            let file = shown(file, self.session.path());
            return Err(Refused::new(format!("{file} is not written: {why}")));
        }
        Ok(())
    }

    /// Writes what is not saved; whether anything was written.
    pub(super) fn save_all(&mut self) -> bool {
        let mut written = false;
        for _ in 0..TRIES {
            let waiting = self.session.unsaved().map(|file| file.path().to_owned());
            // What is missing is not made again unasked.
            let waiting: Vec<PathBuf> = waiting.filter(|path| !self.missing.contains_key(path)).collect();
            // A conflict is resolved before its file is written.
            if waiting.is_empty() || waiting.iter().any(|path| self.conflicts.contains_key(path)) {
                break;
            }
            let saved = waiting.iter().try_for_each(|path| {
                self.files.save(&mut self.session, path).map_err(|error| (path.clone(), error))?;
                self.unsaved.remove(path);
                written = true;
                Ok(())
            });
            let Err((path, error)) = saved else { break };
            let is_gone = error.kind() == io::ErrorKind::NotFound;
            if (is_gone && self.follow(&path)) || self.take_in_all() {
                continue;
            }
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            if !is_gone || folder.is_some_and(|folder| !folder.exists()) {
                self.not_saved(path, &error);
            }
            // What is gone may be about to come back: the watcher reports either.
            break;
        }
        if written && self.session.unsaved().next().is_none() {
            self.journal.saved(&self.session);
        }
        written
    }

    /// Writes a file of the rig, as it is now, under a name that is free in its folder.
    pub(super) fn save_copy(&mut self, file: Option<&str>, name: &str) -> Result<(), Refused> {
        let path = match file {
            Some(file) => self.file_called(file)?,
            None => self.session.path().to_owned(),
        };
        let known = self.session.files().iter().find(|known| known.path() == path);
        let text = known.ok_or_else(|| Refused::new("there is no such file"))?.text();
        if !is_plain(name) || Path::new(name).extension() != path.extension() {
            let ending = path.extension().and_then(|end| end.to_str()).unwrap_or("ron");
            return Err(Refused::with_help(
                format!("\"{name}\" is no name for a copy"),
                vec![format!("write a file name that ends with .{ending}, without a folder")],
            ));
        }
        let copy = path.with_file_name(name);
        self.files.write_new(&copy, text.as_bytes()).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Refused::with_help(
                format!("{name} is there already"),
                vec!["choose another name: nothing is overwritten".to_owned()],
            ),
            _ => Refused::new(format!("{name} is not written: {error}")),
        })?;
        // The copy takes the place of a rig that is not there any more.
        if path == self.session.path() && self.missing.contains_key(&path) && self.follow_rig(&path, &copy) {
            self.missing.remove(&path);
            self.session.mark_saved(&copy);
            self.changed(OUTSIDE, "save", String::new());
        }
        Ok(())
    }

    /// Reports that a file could not be written, once for each reason.
    pub(super) fn not_saved(&mut self, path: PathBuf, error: &io::Error) {
        let file = shown(&path, self.session.path());
        let (why, help) = match error.kind() {
            io::ErrorKind::NotFound => (
                "its folder is not there any more".to_owned(),
                "put the folder back, or copy the text from the page".to_owned(),
            ),
            io::ErrorKind::PermissionDenied => (
                "it is read-only".to_owned(),
                "make it writable: it is written within 5 seconds then, or save a copy under another name (Ctrl Shift S)"
                    .to_owned(),
            ),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (
                "the disk is full".to_owned(),
                "free some space: it is written within 5 seconds then; nothing is lost".to_owned(),
            ),
            _ => (error.to_string(), "nothing is lost: it is tried again every 5 seconds".to_owned()),
        };
        if self.unsaved.insert(path, why.clone()).as_ref() != Some(&why) {
            let rev = self.session.revision();
            self.send_all(&Reply::Unsaved { rev, file, why, help: vec![help] });
        }
    }
}
