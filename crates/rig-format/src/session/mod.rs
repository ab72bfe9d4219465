//! A rig that is being edited: its files, their texts, the document, the drawing, the compiled rig and the
//! findings, kept in step. Edits are typed operations that change the least bytes of a text; what they make is
//! read, checked and compiled before it counts. What an edit does not touch is not computed again. It writes no
//! file unless asked to, has no clock, and leaves no thread behind.
//!
//! ```
//! use std::sync::Arc;
//! use bone_format::session::{DocPath, Edit, Named, Session};
//! use bone_format::{InMemory, no_fonts};
//!
//! let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path id="flag" d="M5 5H35V20H5Z"/></svg>"#;
//! let text = r#"Rig(version: 1, drawing: "flag.svg",
//!     bones: { "pole": (from: (5, 5), to: (35, 5)) }, // It stands.
//!     skin: [Rigid(art: "flag", bone: "pole")],
//!     clips: { "wave": (length: 2, bones: { "pole": (rotate: [(0, 0), (1, 30), (2, 0)]) }) },
//! )"#;
//! let files = Arc::new(InMemory::new().with("flag.ron", text).with("flag.svg", svg));
//! let mut session = Session::open("flag.ron", files, no_fonts);
//!
//! let rotate = DocPath::channel("wave", "pole", "rotate");
//! session.apply(&Edit::key(rotate.clone(), 1.0, 45.000_000_01))?;
//! session.apply(&Edit::Rename { of: Named::Bone, from: "pole".into(), to: "mast".into(), within: None })?;
//! assert_eq!(session.text(), text.replace("(1, 30)", "(1, 45)").replace("pole", "mast"));
//! assert_eq!(session.undo_title(), Some("Rename bone \"pole\" to \"mast\""));
//!
//! // A mistake is refused, and nothing changes.
//! let error = session.apply(&Edit::key(DocPath::channel("wave", "mst", "rotate"), 1.0, 3.0)).unwrap_err();
//! assert!(error.to_string().contains("did you mean \"mast\"?"), "{error}");
//!
//! while session.undo()?.is_some() {}
//! assert_eq!(session.text(), text);
//! # Ok::<(), bone_format::edit::EditError>(())
//! ```

mod draft;
mod edit;
mod history;
mod layout;
mod merge;
pub(crate) mod names;
mod outside;
mod patch;
pub(crate) mod path;
mod placed;
mod rebuild;
mod rewrite;
mod seen;
mod selected;
mod snapshot;
mod state;
pub mod text;
mod tree;
mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bone_render::fontdb;
use bone_rig::Rig;

use crate::Compiler;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::doc::RigDoc;
use crate::edit::EditError;
use crate::files::{Files, plain_path};
use crate::load::{sound_path, unreadable};
use crate::span::{SourceId, Sources};
use crate::write::Digits;
use draft::Draft;
use history::{Group, History, Renamed, Step};
use snapshot::Snapshot;
use state::{FileEdit, State};
use text::TextEdit;

pub use edit::Edit;
pub use merge::{Conflict, ConflictSide};
pub use names::Named;
pub use path::{DocPath, PathStep};
pub use placed::{PlacedName, names_in};
pub use seen::Seen;
pub use selected::{Selected, entry_at};
pub use state::SessionFile;
pub use value::DocValue;

/// Gives the fonts of a drawing with text.
type FontSource = Box<dyn Fn() -> fontdb::Database + Send>;

/// What an edit changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Applied {
    /// The revision of the session after it.
    pub revision: u64,
    /// What a list of steps calls it.
    pub title: String,
    /// The files whose texts changed, and the bytes of their old texts that did.
    pub changes: Vec<(PathBuf, Vec<TextEdit>)>,
}

/// What edits would make.
#[derive(Clone, Debug)]
pub struct TriedRig {
    /// The rig.
    pub rig: Arc<Rig>,
    /// Its document.
    pub doc: Arc<RigDoc>,
    /// The warnings.
    pub diagnostics: Diagnostics,
}

/// What became of a file that changed outside.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reloaded {
    /// It is what the session knows.
    Unchanged,
    /// The session had no changes of its own that were not saved, and has taken it as it is. It may have
    /// mistakes: [`Session::diagnostics`] lists them, and the last good rig stays.
    Taken,
    /// The changes of both are in the session now.
    Merged,
    /// Both changed the same, or the file outside has mistakes, or both together would have. The session has
    /// kept its own text, and the other one until [`Session::resolve`].
    Conflict {
        /// Why.
        message: String,
        /// The places that both changed; none if that is not why.
        conflicts: Vec<Conflict>,
    },
}

/// A rig that is being edited.
pub struct Session {
    path: PathBuf,
    files: Arc<dyn Files>,
    fonts: FontSource,
    cancel: Arc<AtomicBool>,
    digits: Digits,
    /// What is seen by the program that edits.
    seen: Option<Seen>,
    compiler: Mutex<Compiler>,
    /// The bytes of all files that were read, as the session sees them.
    snapshot: Arc<Snapshot>,
    state: State,
    history: History,
    /// Texts from outside that are in conflict.
    outside: BTreeMap<PathBuf, String>,
    /// What was renamed since all texts were saved.
    renamed: Vec<Renamed>,
    revision: u64,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("path", &self.path)
            .field("revision", &self.revision)
            .field("errors", &self.diagnostics().error_count())
            .finish_non_exhaustive()
    }
}

impl Session {
    /// Opens a rig. It may have mistakes, and may even not be there: [`Session::diagnostics`] lists them.
    pub fn open(
        path: impl Into<PathBuf>,
        files: Arc<dyn Files>,
        fonts: impl Fn() -> fontdb::Database + Send + 'static,
    ) -> Self {
        let mut session = Self::empty(path.into(), files, Box::new(fonts), Arc::default());
        // Nothing sets the token meanwhile.
        if let Ok(state) = session.build(&session.state, BTreeMap::new()) {
            session.state = state;
        }
        session
    }

    /// Opens a rig with a token that cancels: while it is set, steps that take long end with
    /// [`EditError::Cancelled`] and change nothing. None if it was set before the rig was open.
    pub fn open_cancellable(
        path: impl Into<PathBuf>,
        files: Arc<dyn Files>,
        fonts: impl Fn() -> fontdb::Database + Send + 'static,
        cancel: Arc<AtomicBool>,
    ) -> Option<Self> {
        let mut session = Self::empty(path.into(), files, Box::new(fonts), cancel);
        session.state = session.build(&session.state, BTreeMap::new()).ok()?;
        Some(session)
    }

    fn empty(path: PathBuf, files: Arc<dyn Files>, fonts: FontSource, cancel: Arc<AtomicBool>) -> Self {
        let snapshot = Arc::new(Snapshot::new(Arc::clone(&files)));
        Self {
            path,
            files,
            fonts,
            compiler: Mutex::new(Compiler::new().cancelled_by(Arc::clone(&cancel))),
            cancel,
            digits: Digits::default(),
            seen: None,
            snapshot,
            state: State::default(),
            history: History::default(),
            outside: BTreeMap::new(),
            renamed: Vec::new(),
            revision: 0,
        }
    }

    /// The rig file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text of the rig file.
    pub fn text(&self) -> &str {
        self.state.files.first().map_or("", |file| file.text())
    }

    /// The rig file, then those that it includes, in the order in which they are read.
    pub fn files(&self) -> &[SessionFile] {
        &self.state.files
    }

    /// The files whose texts are not saved.
    pub fn unsaved(&self) -> impl Iterator<Item = &SessionFile> {
        self.state.files.iter().chain(&self.state.parked).filter(|file| file.is_changed())
    }

    /// What the texts say, as far as they are readable.
    pub fn doc(&self) -> Option<&RigDoc> {
        self.state.doc.as_deref()
    }

    /// The drawing of the rig, as it is at rest.
    pub fn drawing(&self) -> Option<&Arc<bone_drawing::Drawing>> {
        self.state.drawing.as_ref().map(|read| &read.art)
    }

    /// The last rig without errors; [`Session::is_current`] says whether it is that of the texts.
    pub fn rig(&self) -> Option<&Arc<Rig>> {
        self.state.rig.as_ref()
    }

    /// Whether the texts have no errors, so that the rig is what they say.
    pub fn is_current(&self) -> bool {
        self.state.is_current
    }

    /// Everything that was found, warnings too.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.state.built.diagnostics
    }

    /// The texts that the findings point into.
    pub fn sources(&self) -> &Sources {
        &self.state.built.sources
    }

    /// The text of the drawing, if it was read.
    pub fn drawing_text(&self) -> Option<&str> {
        self.drawing_source().map(|drawing| self.sources().text(drawing))
    }

    /// The text of the drawing among the sources, if it was read.
    pub(crate) fn drawing_source(&self) -> Option<SourceId> {
        self.state.built.drawing
    }

    /// The bytes of a sound that a clip names.
    ///
    /// # Errors
    /// If no clip names it, or it cannot be read.
    pub fn sound(&self, file: &str) -> Result<Vec<u8>, Box<Diagnostic>> {
        let clips = self.doc().into_iter().flat_map(|doc| &doc.clips);
        if !clips.flat_map(|clip| &clip.sounds).any(|sound| sound.file.value == file) {
            return Err(Box::new(Diagnostic::error(
                "unreadable-file",
                format!("no clip has the sound \"{file}\""),
            )));
        }
        let path = sound_path(&*self.files, &self.path, file)?;
        self.files
            .read(&path)
            .map_err(|error| Box::new(unreadable(&*self.files, "sound", &path, &error, &[])))
    }

    /// Counts the changes: what was made of one revision is valid as long as it stays.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Sets how numbers are rounded.
    pub fn set_digits(&mut self, digits: Digits) {
        self.digits = digits;
    }

    /// What the files say now, for a program that edits later ([`set_seen`](Self::set_seen)).
    pub fn seen(&self) -> Seen {
        Seen::of(&self.state)
    }

    /// Sets what the program saw that makes the next edits: an edit of what was changed since is refused
    /// ([`EditError::Overtaken`]). None: edits are made on what there is.
    pub fn set_seen(&mut self, seen: Option<Seen>) {
        self.seen = seen;
    }

    fn not_overtaken(&self, new: &State) -> Result<(), EditError> {
        let Some(seen) = &self.seen else { return Ok(()) };
        let overwritten = seen.overwritten(&self.seen(), &Seen::of(new));
        match overwritten.is_empty() {
            true => Ok(()),
            false => Err(EditError::Overtaken(overwritten)),
        }
    }

    /// The value of a field, an entry or an item.
    ///
    /// # Errors
    /// If there is nothing at the path, or the rig has mistakes that hide it.
    pub fn get(&self, at: &DocPath) -> Result<DocValue, EditError> {
        self.draft()?.value(at)
    }

    /// The bytes of a field, an entry or an item with its name, as its file has them.
    ///
    /// # Errors
    /// If there is nothing at the path, or the rig has mistakes that hide it.
    pub fn written(&self, at: &DocPath) -> Result<&str, EditError> {
        let (file, place) = self.draft()?.locate(at)?;
        let file = self.state.files.get(file).ok_or(EditError::Mistakes)?;
        file.place(&place).and_then(|range| file.text().get(range)).ok_or(EditError::Mistakes)
    }

    /// What would go with something that is deleted, or be without it.
    ///
    /// # Errors
    /// If the texts have mistakes.
    pub fn dependants(&self, of: Named, name: &str) -> Result<Vec<DocPath>, EditError> {
        Ok(self.draft()?.dependants(of, name, None))
    }

    /// Makes an edit, as a step of its own unless a group is open. Of an edit that changes nothing there is no
    /// step.
    ///
    /// # Errors
    /// If the texts have mistakes already, the edit names something that is not there, or the rig would have
    /// errors after it that it does not have now. Nothing is changed then.
    pub fn apply(&mut self, edit: &Edit) -> Result<Applied, EditError> {
        self.apply_all(&edit.title(), std::slice::from_ref(edit))
    }

    /// Makes several edits as one step, all of them or none. They are compiled once, so in between the rig may
    /// have errors; but places on the canvas need a rig without errors before them.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn apply_all(&mut self, title: &str, edits: &[Edit]) -> Result<Applied, EditError> {
        let several = edits.iter().skip(1).any(Edit::needs_places);
        let state = self.changed(several, |session, state| {
            // Places on the canvas are those after the edits before.
            let mut chunks = edits.chunk_by(|_, next| !next.needs_places());
            chunks.try_for_each(|edits| session.edit(state, edits))
        })?;
        let renamed = edits.iter().filter_map(|edit| match edit {
            Edit::Rename { of, from, to, within: None } => Some((*of, from.clone(), to.clone())),
            _ => None,
        });
        Ok(self.change(title, state, renamed.collect()))
    }

    /// What there would be after several edits. The session stays as it is.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn try_edits(&self, edits: &[Edit]) -> Result<TriedRig, EditError> {
        let mut state = self.state.clone();
        edits.chunk_by(|_, next| !next.needs_places()).try_for_each(|edits| self.edit(&mut state, edits))?;
        let (Some(rig), Some(doc), true) = (state.rig, state.doc, state.is_current) else {
            return Err(EditError::Mistakes);
        };
        Ok(TriedRig { rig, doc, diagnostics: state.built.diagnostics.clone() })
    }

    /// The state after a change, or after `several`; the session's own stays. One change has the document for
    /// itself and is made in place, and takes back what it did if it fails. Of several, the first makes a copy.
    fn changed(
        &mut self,
        several: bool,
        change: impl FnOnce(&Self, &mut State) -> Result<(), EditError>,
    ) -> Result<State, EditError> {
        let doc = self.state.doc.take();
        let first = doc.clone().filter(|_| several);
        let mut state = State { doc, ..self.state.clone() };
        match change(self, &mut state) {
            Ok(()) => Ok(state),
            Err(error) => {
                self.state.doc = first.or(state.doc);
                Err(error)
            }
        }
    }

    /// Makes some edits; all of them or none.
    fn edit(&self, state: &mut State, edits: &[Edit]) -> Result<(), EditError> {
        let mut draft = self.draft_of(state)?;
        let mut changed: Vec<Option<FileEdit>> = state.files.iter().map(|_| None).collect();
        let inserts = |edit: &Edit| matches!(edit, Edit::Insert { .. });
        // Items that are set are written before others are inserted, which would be mistaken for them.
        for edits in edits.chunk_by(|edit, next| inserts(edit) == inserts(next)) {
            edits.iter().try_for_each(|edit| draft.apply(edit))?;
            for ((file, value), changed) in state.files.iter().zip(&draft.files).zip(&mut changed) {
                FileEdit::follow(changed, file, |file| file.rewritten(value))?;
            }
        }
        let comments = draft.placed_comments()?;
        for (((file, value), comments), changed) in
            state.files.iter().zip(&draft.files).zip(&comments).zip(&mut changed)
        {
            FileEdit::follow(changed, file, |file| file.commented(value, comments))?;
        }
        let changed: Vec<FileEdit> = changed.into_iter().flatten().collect();
        match changed.is_empty() {
            true => Ok(()),
            false => self.rebuild(state, changed, |new| {
                self.no_new_errors(new)?;
                self.not_overtaken(new)
            }),
        }
    }

    fn draft(&self) -> Result<Draft<'_>, EditError> {
        self.draft_of(&self.state)
    }

    fn draft_of<'s>(&self, state: &'s State) -> Result<Draft<'s>, EditError> {
        let values = state.files.iter().map(|file| file.value().cloned()).collect::<Option<Vec<_>>>();
        let files = values.filter(|files| !files.is_empty()).ok_or(EditError::Mistakes)?;
        let skeleton = state.rig.as_deref().filter(|_| state.is_current).map(Rig::skeleton);
        Ok(Draft { files, order: &state.order, skeleton, digits: self.digits, comments: Vec::new() })
    }

    /// The state, unless it has errors and no fewer than there are now.
    fn no_new_errors(&self, new: &State) -> Result<(), EditError> {
        let (before, after) = (self.diagnostics().error_count(), new.built.diagnostics.error_count());
        if after == 0 || after < before {
            return Ok(());
        }
        if before > 0 {
            return Err(EditError::Mistakes);
        }
        let first = new.built.diagnostics.iter().find(|found| found.severity == Severity::Error);
        let (message, help) = match first {
            Some(found) => (found.message.clone(), found.help.clone()),
            None => ("it cannot be compiled".to_owned(), Vec::new()),
        };
        let refused = Diagnostic::error("edit-refused", format!("the rig would have an error: {message}"));
        Err(EditError::Unwritable(Box::new(help.into_iter().fold(refused, Diagnostic::help))))
    }

    /// Puts another state in the place of the one that there is, as a step or a part of the open group.
    fn change(&mut self, title: &str, state: State, renamed: Vec<Renamed>) -> Applied {
        let changes = state.changes_since(&self.state);
        if changes.is_empty() {
            self.state.doc = state.doc;
        } else {
            self.renamed.extend(renamed.iter().cloned());
            self.history.record(Step::between(title, &self.state, &state, renamed));
            self.state = state;
            self.revision += 1;
        }
        Applied { revision: self.revision, title: title.to_owned(), changes }
    }

    /// Opens a group: the edits until [`commit`](Self::commit) are one step, as those of a drag are. A group
    /// that is open is committed.
    pub fn begin(&mut self, title: impl Into<String>) {
        self.commit();
        self.history.group = Some(Group {
            title: title.into(),
            parts: Vec::new(),
            start: self.state.without_doc(),
            renamed: Vec::new(),
        });
    }

    /// Closes the group; whether it changed anything.
    pub fn commit(&mut self) -> bool {
        let Some(group) = self.history.group.take() else { return false };
        let step = group.close(&self.state);
        let changed = !step.is_empty();
        if changed {
            self.history.push(step);
        }
        changed
    }

    /// Takes back what the open group changed, without a step, and closes it.
    ///
    /// # Errors
    /// As [`undo`](Self::undo).
    pub fn cancel(&mut self) -> Result<(), EditError> {
        let Some(group) = self.history.group.take() else { return Ok(()) };
        let step = group.close(&self.state);
        match self.reverted(&step) {
            Ok(state) => {
                if !state.changes_since(&self.state).is_empty() {
                    self.renamed.extend(step.renamed_back());
                    self.revision += 1;
                }
                self.state = state;
                Ok(())
            }
            Err(error) => {
                self.history.push(step);
                Err(error)
            }
        }
    }

    /// The steps that can be undone, the last one first.
    pub fn undo_titles(&self) -> impl Iterator<Item = &str> {
        self.history.undo.iter().rev().map(|step| step.title.as_str())
    }

    /// What would be undone.
    pub fn undo_title(&self) -> Option<&str> {
        self.undo_titles().next()
    }

    /// What would be done again.
    pub fn redo_title(&self) -> Option<&str> {
        self.history.redo.last().map(|step| step.title.as_str())
    }

    /// Undoes a step; none if there is none. Where nothing else changed, the texts become what they were, to
    /// the byte. After changes from outside the step is undone by name. An open group is committed first.
    ///
    /// # Errors
    /// If what the step changed was changed since ([`EditError::Conflict`]), or the rig would have errors. The
    /// step stays then.
    pub fn undo(&mut self) -> Result<Option<Applied>, EditError> {
        self.commit();
        let Some(step) = self.history.undo.pop() else { return Ok(None) };
        match self.reverted(&step) {
            Ok(state) => {
                let (applied, inverse) = self.exchange(&step, state);
                self.history.redo.push(inverse);
                Ok(Some(applied))
            }
            Err(error) => {
                self.history.undo.push(step);
                Err(error)
            }
        }
    }

    /// Does a step again that was undone; none if there is none.
    ///
    /// # Errors
    /// As [`undo`](Self::undo).
    pub fn redo(&mut self) -> Result<Option<Applied>, EditError> {
        self.commit();
        self.history.turn_round();
        let done = self.undo();
        self.history.turn_round();
        done
    }

    /// Puts another state in the place of the one that there is; the step that takes it back.
    fn exchange(&mut self, step: &Step, state: State) -> (Applied, Step) {
        let changes = state.changes_since(&self.state);
        let renamed = step.renamed_back();
        self.renamed.extend(renamed.iter().cloned());
        let inverse = Step::between(&step.title, &self.state, &state, renamed);
        self.state = state;
        self.revision += 1;
        (Applied { revision: self.revision, title: step.title.clone(), changes }, inverse)
    }

    /// The state without a step.
    fn reverted(&mut self, step: &Step) -> Result<State, EditError> {
        self.changed(step.parts.len() > 1, |session, state| {
            let mut exact = true;
            step.parts.iter().enumerate().rev().try_for_each(|(left, part)| {
                let renamed: Vec<Renamed> = part.renamed_back().collect();
                let mut changed = Vec::new();
                for change in &part.files {
                    let file = state.file(&change.path).ok_or(EditError::Mistakes)?;
                    let (edit, is_exact) = change.revert(file, &renamed)?;
                    exact &= is_exact;
                    changed.push(edit);
                }
                session.rebuild(state, changed, |new| match exact || left > 0 {
                    true => Ok(()),
                    false => session.no_new_errors(new),
                })
            })
        })
    }

    /// Reads all files again that the session knows, and takes in those that changed.
    ///
    /// # Errors
    /// If it was cancelled.
    pub fn sync(&mut self) -> Result<Vec<(PathBuf, Reloaded)>, EditError> {
        let mut found = Vec::new();
        for path in self.snapshot.paths() {
            // A file that is away for the moment is no change.
            let Ok(bytes) = self.files.read(&path) else { continue };
            match self.reload(&path, &bytes)? {
                Reloaded::Unchanged => {}
                reloaded => found.push((path, reloaded)),
            }
        }
        Ok(found)
    }

    /// Notes that the text of a file was stored as it is.
    pub fn mark_saved(&mut self, path: &Path) {
        let key = plain_path(path);
        if let Some(text) = self.state.file(&key).map(|file| file.text().to_owned()) {
            self.set_saved(&key, &text);
        }
    }

    /// Writes the texts that are not saved, each whole or not at all; the files that it wrote.
    ///
    /// # Errors
    /// If a file was changed by another program ([`sync`](Self::sync) takes that in), or cannot be written.
    /// Those before it are saved.
    #[cfg(feature = "disk")]
    pub fn save(&mut self) -> std::io::Result<Vec<PathBuf>> {
        let waiting: Vec<PathBuf> = self.unsaved().map(|file| file.path().to_owned()).collect();
        for path in &waiting {
            self.save_file(path)?;
        }
        Ok(waiting)
    }

    /// Writes the text of one file, as [`save`](Self::save) does.
    ///
    /// # Errors
    /// As those of [`save`](Self::save).
    #[cfg(feature = "disk")]
    pub fn save_file(&mut self, path: &Path) -> std::io::Result<()> {
        let Some(file) = self.state.file(&plain_path(path)) else { return Ok(()) };
        bone_render::replace_file(file.path(), file.saved().as_bytes(), file.text().as_bytes())?;
        self.mark_saved(path);
        Ok(())
    }

    /// The rig file has another name in its folder: edits, steps and findings go on under that.
    ///
    /// # Errors
    /// If it was cancelled.
    pub fn set_path(&mut self, path: impl Into<PathBuf>) -> Result<(), EditError> {
        let path = path.into();
        let (from, to) = (plain_path(&self.path), plain_path(&path));
        self.state.set_path(&from, &path);
        self.history.set_path(&from, &path);
        self.outside = std::mem::take(&mut self.outside)
            .into_iter()
            .map(|(key, text)| (if key == from { to.clone() } else { key }, text))
            .collect();
        if let Some(bytes) = self.snapshot.bytes(&from) {
            self.snapshot.restore(&to, Some(bytes));
            self.snapshot.restore(&from, None);
        }
        self.path = path;
        self.state = self.build(&self.state, BTreeMap::new())?;
        self.revision += 1;
        Ok(())
    }

    /// The bytes of a drawing or an image, as they were read last.
    pub fn bytes(&self, path: &Path) -> Option<Arc<[u8]>> {
        self.snapshot.bytes(&plain_path(path))
    }

    fn is_cancelled(&self) -> Result<(), EditError> {
        match self.cancel.load(Ordering::Relaxed) {
            true => Err(EditError::Cancelled),
            false => Ok(()),
        }
    }
}
