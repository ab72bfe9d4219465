//! Files that are not where they were. One that has another name in its folder is followed; else pages get a
//! card, and no file is made again unasked: edits go to the journal and stay in memory.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bone_format::session::{DocPath, DocValue, Edit};

use super::Document;
use super::identity::{Identity, identity};
use super::refused::Refused;
use crate::server::journal::{Locked, RigLock};
use crate::server::overtaken::OUTSIDE;
use crate::server::proto::{MissingNote, Op, Reply, Step};
use crate::server::records::Records;
use crate::server::state::shown;

/// A file with the bytes of one that is gone may be that file if it came no longer ago: a program that
/// renames by writing anew and deleting takes a moment, a copy of last week is a copy.
const FRESH: Duration = Duration::from_secs(10);

/// When a file came to its name, as far as the system knows.
#[cfg(unix)]
fn came(about: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = u64::try_from(about.ctime()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

#[cfg(not(unix))]
fn came(about: &Metadata) -> Option<SystemTime> {
    about.created().ok()
}

/// The new name of a file that is not there any more: the only file of its folder and kind that is the same,
/// else the only new one with the same bytes. `taken` have other uses.
fn moved(path: &Path, was: Identity, bytes: Option<&[u8]>, taken: &[PathBuf]) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let others: Vec<(PathBuf, Metadata)> = entries
        .map(|entry| path.with_file_name(entry.file_name()))
        .filter(|other| other != path && other.extension() == path.extension() && !taken.contains(other))
        .filter_map(|other| {
            std::fs::metadata(&other).ok().filter(Metadata::is_file).map(|about| (other, about))
        })
        .collect();
    let only = |fits: &dyn Fn(&Path, &Metadata) -> bool| {
        let mut fitting = others.iter().filter(|(other, about)| fits(other, about));
        fitting.next().filter(|_| fitting.next().is_none()).map(|(other, _)| other.clone())
    };
    let is_fresh = |about: &Metadata| {
        let age = came(about).and_then(|came| SystemTime::now().duration_since(came).ok());
        age.is_none_or(|age| age < FRESH)
    };
    let same_bytes = |other: &Path, about: &Metadata| {
        let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty() && bytes.len() as u64 == about.len()) else {
            return false;
        };
        is_fresh(about)
            && bone_format::Files::read(&bone_format::Disk, other).is_ok_and(|found| found == bytes)
    };
    only(&|_, about| was.is_some() && identity(about) == was).or_else(|| only(&same_bytes))
}

impl Document {
    /// Notes which files are there.
    pub(super) fn identify(&mut self) {
        for path in self.files.paths() {
            if let Ok(about) = std::fs::metadata(&path) {
                self.identities.insert(path, identity(&about));
            }
        }
    }

    /// Another program took a file away: it is followed, or pages get a card.
    pub(super) fn file_gone(&mut self, path: &Path) {
        // Of a file that never was there the findings have a message.
        if !self.identities.contains_key(path) || path.exists() || self.missing.contains_key(path) {
            return;
        }
        if self.follow(path) {
            return self.changed(OUTSIDE, "disk", "Follow a file".to_owned());
        }
        let name = shown(path, self.session.path());
        let is_text = self.session.files().iter().any(|file| file.path() == path);
        let help = if is_text {
            "what you change is kept here and in the journal, and in no file"
        } else {
            "the picture is the last one; posing goes on, binding waits for the file"
        };
        let why = format!("{name} is not there any more");
        let note = MissingNote { file: name, text: is_text, why, help: vec![help.to_owned()] };
        self.send_all(&Reply::Missing { note: note.clone() });
        self.missing.insert(path.to_owned(), note);
        self.sent(OUTSIDE, "disk", "");
    }

    /// Goes on with the file that a file became; false if none is known to be it, or it cannot be used.
    pub(super) fn follow(&mut self, path: &Path) -> bool {
        let Some(was) = self.identities.get(path).copied() else { return false };
        let text = self.session.files().iter().find(|file| file.path() == path);
        let bytes = match text {
            Some(file) => Some(file.saved().as_bytes().to_vec()),
            None => self.session.bytes(path).map(|bytes| bytes.to_vec()),
        };
        let Some(to) = moved(path, was, bytes.as_deref(), &self.files.paths()) else { return false };
        let followed = match self.session.path() == path {
            true => self.follow_rig(path, &to),
            false => self.follow_drawing(path, &to),
        };
        if followed {
            self.identities.remove(path);
            self.missing.remove(path);
            let rig = self.session.path();
            let (file, now) = (shown(path, rig), shown(&to, rig));
            let why = format!("{file} is called {now} now: it is followed");
            self.send_all(&Reply::Followed { file, now, why });
        }
        followed
    }

    pub(super) fn follow_rig(&mut self, from: &Path, to: &Path) -> bool {
        let records = || self.records.as_ref().map(|folder| Records::of(folder, to));
        let (Locked::Mine(lock), records) = (RigLock::take(records()), records()) else { return false };
        lock.announce(&self.address);
        self.locks.push(lock);
        if self.session.set_path(to).is_err() {
            return false;
        }
        self.files.forget(from);
        self.files.note(&self.session);
        self.journal.follow((from, to), records);
        if let Some(conflict) = self.conflicts.remove(from) {
            self.conflicts.insert(to.to_owned(), conflict);
        }
        self.unsaved.remove(from);
        if let Ok(bytes) = bone_format::Files::read(&bone_format::Disk, to) {
            self.take_in(to, &bytes);
        }
        true
    }

    /// The rig names its drawing: it gets the new name, as a step.
    fn follow_drawing(&mut self, from: &Path, to: &Path) -> bool {
        let at = DocPath::from(["drawing"]);
        let (Ok(DocValue::Text(typed)), Some(name)) =
            (self.session.get(&at), to.file_name().and_then(|it| it.to_str()))
        else {
            return false;
        };
        let folder = self.session.path().parent().unwrap_or(Path::new(""));
        if folder.join(&*typed) != from {
            return false;
        }
        let new = match typed.rsplit_once('/') {
            Some((before, _)) => format!("{before}/{name}"),
            None => name.to_owned(),
        };
        let edit = Edit::set(at, DocValue::text(&new));
        let title = format!("Follow {name}");
        self.open_gesture(OUTSIDE, None, &title);
        if self.session.apply_all(&title, std::slice::from_ref(&edit)).is_err() {
            return false;
        }
        self.files.forget(from);
        let ops = vec![Op::Edit(edit)];
        self.journal.step(&Step::Edit { title, ops, gesture: None, digits: vec![4; 3] });
        true
    }

    /// Whether a drawing or an image is not there any more: which.
    pub(super) fn missing_drawing(&self) -> Option<&MissingNote> {
        self.missing.values().find(|note| !note.text)
    }

    /// Writes a file again that was deleted, because a page asks for it.
    pub(super) fn write_anew(&mut self, name: &str) -> Result<(), Refused> {
        let rig = self.session.path().to_owned();
        let missing = self.missing.keys().find(|path| shown(path, &rig) == name).cloned();
        let path = missing.ok_or_else(|| Refused::new(format!("{name} is not missing")))?;
        let file = self.session.files().iter().find(|file| file.path() == path);
        let is_text = file.is_some();
        let bytes = match file {
            Some(file) => Some(file.text().as_bytes().to_vec()),
            None => self.session.bytes(&path).map(|bytes| bytes.to_vec()),
        };
        let bytes = bytes.ok_or_else(|| Refused::new(format!("nothing is known of {name}")))?;
        bone_format::new_file(&path, &bytes, false).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Refused::new(format!("{name} is there again")),
            io::ErrorKind::NotFound => Refused::new(format!("the folder of {name} is not there any more")),
            _ => Refused::new(format!("{name} is not written: {error}")),
        })?;
        self.missing.remove(&path);
        self.unsaved.remove(&path);
        if is_text {
            self.session.mark_saved(&path);
        }
        if self.session.unsaved().next().is_none() {
            self.journal.saved(&self.session);
        }
        Ok(())
    }
}
