//! The one step that makes the state of a session of its texts: they are read, checked and compiled as `load`
//! does it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use bone_rig::Rig;

use super::Session;
use super::snapshot::Overlay;
use super::state::{Built, FileEdit, ReadDrawing, SessionFile, State, next_version};
use super::value::DocValue;
use crate::diagnostic::Diagnostics;
use crate::doc::RigDoc;
use crate::edit::EditError;
use crate::files::{Files, plain_path};
use crate::json_messages::phrase_for_json;
use crate::load::{LoadStep, Loader, Refused};
use crate::read::{EntryEdit, Undo, replace_entry, scene_root};
use crate::scene::JoinedScene;
use crate::span::Sources;

impl Session {
    /// Gives files of a state other texts. If it returns an error, nothing changes.
    pub(super) fn rebuild(
        &self,
        state: &mut State,
        edits: Vec<FileEdit>,
        accept: impl FnOnce(&State) -> Result<(), EditError>,
    ) -> Result<(), EditError> {
        let mut edits = edits;
        if let [FileEdit { file, entry }] = edits.as_mut_slice()
            && let Some(entry) = entry.take()
            && let Some((mut new, undo)) = self.with_entry(state, file, entry)?
        {
            return match accept(&new) {
                Ok(()) => {
                    *state = new;
                    Ok(())
                }
                Err(error) => {
                    state.doc = new.doc.take().map(|doc| undone(doc, undo));
                    Err(error)
                }
            };
        }
        let files = edits.into_iter().map(|edit| (edit.file.key(), edit.file)).collect();
        let new = self.build(state, files)?;
        accept(&new)?;
        *state = new;
        Ok(())
    }

    /// The state with another text of one entry in one of its files, and what takes it back in the document,
    /// which is taken out of the old state. None, and nothing changes, if that is not enough to make what
    /// reading all of it again would make.
    fn with_entry(
        &self,
        state: &mut State,
        file: &SessionFile,
        entry: EntryEdit,
    ) -> Result<Option<(State, Undo)>, EditError> {
        let known = state.files.iter().position(|known| known.key() == file.key());
        let (Some(at), true, true, Some(drawing)) =
            (known, state.is_current, state.built.is_read_clean, &state.drawing)
        else {
            return Ok(None);
        };
        self.is_cancelled()?;
        let drawing = Arc::clone(drawing);
        let Some(mut doc) = state.doc.take() else { return Ok(None) };
        let stamp = if entry.section == "skin" { next_version() } else { state.built.stamp };
        let part = doc.parts.iter().find(|part| part.source == file.source);
        let base = part.map_or(0, |part| part.base);
        let Some(undo) = replace_entry(Arc::make_mut(&mut doc), (file.source, base), entry) else {
            state.doc = Some(doc);
            return Ok(None);
        };
        let built = self.compile_entry(&doc, &drawing, stamp);
        let (rig, mut diagnostics) = match built {
            Ok(Some(built)) => built,
            other => {
                state.doc = Some(undone(doc, undo));
                return other.map(|_| None);
            }
        };
        let sources = state.built.sources.with_text(file.source, &file.text);
        phrase_for_json(&mut diagnostics, &sources);
        let mut files = state.files.clone();
        files[at] = file.clone();
        let is_current = rig.is_some();
        let built = Built { sources, diagnostics, is_read_clean: true, stamp, drawing: state.built.drawing };
        let new = State {
            files,
            built: Arc::new(built),
            doc: Some(doc),
            rig: rig.map(Arc::new).or_else(|| state.rig.clone()),
            is_current,
            ..state.clone()
        };
        Ok(Some((new, undo)))
    }

    /// Checks and compiles a document of which one entry changed; none if the drawing has to be read for it
    /// again.
    fn compile_entry(
        &self,
        doc: &RigDoc,
        drawing: &ReadDrawing,
        stamp: u64,
    ) -> Result<Option<(Option<Rig>, Diagnostics)>, EditError> {
        if doc.showable() != drawing.showable {
            return Ok(None);
        }
        let mut diagnostics = Diagnostics::new();
        let mut compiler = self.compiler.lock().unwrap_or_else(PoisonError::into_inner);
        compiler.stamp = Some(stamp);
        compiler.check(doc, &mut diagnostics);
        drawing.notes.iter().for_each(|note| diagnostics.push(note.clone()));
        let rig = compiler.compile(doc, &drawing.art, drawing.source, &mut diagnostics);
        if compiler.is_cancelled() {
            return Err(EditError::Cancelled);
        }
        self.is_cancelled()?;
        Ok(Some((rig, diagnostics)))
    }

    /// The state with other texts: read, checked and compiled.
    pub(super) fn build(
        &self,
        old: &State,
        changed: BTreeMap<PathBuf, SessionFile>,
    ) -> Result<State, EditError> {
        let mut known: BTreeMap<PathBuf, SessionFile> =
            old.files.iter().chain(&old.parked).map(|file| (file.key(), file.clone())).collect();
        known.extend(changed);
        let texts = known.iter().map(|(path, file)| (path.clone(), Arc::clone(&file.text))).collect();
        let overlay: Arc<dyn Files> = Arc::new(Overlay { texts, snapshot: Arc::clone(&self.snapshot) });
        let (mut sources, mut diagnostics) = (Sources::new(), Diagnostics::new());
        let mut read: Vec<PathBuf> = Vec::new();
        let mut progress = |step: LoadStep<'_>| {
            if let LoadStep::Read { path, .. } = step {
                read.push(path.to_owned());
            }
        };
        self.is_cancelled()?;
        // A compiler that panicked remembers nothing that is wrong: it takes over what it found at its end.
        let mut compiler = self.compiler.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = next_version();
        compiler.stamp = Some(stamp);
        let mut loader = Loader {
            files: overlay,
            fonts: &*self.fonts,
            progress: &mut progress,
            sources: &mut sources,
            drawing: None,
            compiler: &mut compiler,
            diagnostics: &mut diagnostics,
            is_read_clean: false,
            is_part: false,
            refused: Refused::default(),
        };
        let text = loader.text(&self.path);
        let scene = text.as_ref().and_then(|(source, parsed)| Some((*source, scene_root(parsed)?)));
        let (doc, drawing, rig, count, is_read_clean, drawing_source);
        if let Some((source, root)) = scene {
            let scene = loader.scene(&self.path, source, &root);
            // Its rigs are not edited with it.
            (count, is_read_clean, drawing_source) = (1, false, loader.drawing);
            (doc, drawing, rig) =
                scene.map_or((None, None, None), |JoinedScene { doc, art, drawing, rig }| {
                    let path = doc
                        .drawing
                        .as_ref()
                        .map(|name| plain_path(Path::new(&name.value)))
                        .unwrap_or_default();
                    let (showable, notes) = Default::default();
                    let drawing = ReadDrawing { art, path, showable, source: drawing, notes };
                    (Some(doc), Some(Arc::new(drawing)), rig)
                });
        } else {
            doc = text.and_then(|(source, parsed)| loader.checked(&self.path, source, parsed));
            (count, is_read_clean) = (loader.sources.names().len(), loader.is_read_clean);
            self.is_cancelled()?;
            drawing = doc.as_ref().and_then(|doc| loader.cached_drawing(&self.path, doc, old));
            drawing_source = loader.drawing;
            self.is_cancelled()?;
            rig = doc.as_ref().zip(drawing.as_ref()).and_then(|(doc, drawing)| {
                compiler.compile(doc, &drawing.art, drawing.source, &mut diagnostics)
            });
        }
        read.truncate(count);
        if compiler.is_cancelled() {
            return Err(EditError::Cancelled);
        }
        self.is_cancelled()?;
        let mut files = Vec::with_capacity(count);
        for (path, source) in read.into_iter().zip(sources.ids()) {
            let text = sources.text(source);
            let file = known.remove(&plain_path(&path)).filter(|file| &*file.text == text);
            files.push(SessionFile { source, ..file.unwrap_or_else(|| SessionFile::new(path, text)) });
        }
        let parked = known.into_values().collect();
        let is_current = rig.is_some();
        phrase_for_json(&mut diagnostics, &sources);
        Ok(State {
            order: order_of(&files),
            files,
            parked,
            built: Arc::new(Built { sources, diagnostics, is_read_clean, stamp, drawing: drawing_source }),
            doc: doc.map(Arc::new),
            drawing,
            rig: rig.map(Arc::new).or_else(|| old.rig.clone()),
            is_current,
        })
    }
}

/// A document with the entry that it had before.
fn undone(mut doc: Arc<RigDoc>, undo: Undo) -> Arc<RigDoc> {
    undo(Arc::make_mut(&mut doc));
    doc
}

/// The files in the order of the document: what a file includes comes before it.
fn order_of(files: &[SessionFile]) -> Vec<usize> {
    let place = |key: &Path| files.iter().position(|file| file.key() == key);
    let includes = |file: usize| -> Vec<usize> {
        let Some((path, value)) = files.get(file).and_then(|file| Some((&file.path, file.value()?))) else {
            return Vec::new();
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let listed = match value.field("include") {
            Some(DocValue::List(items)) => items.iter().filter_map(DocValue::as_text).collect(),
            Some(one) => one.as_text().into_iter().collect(),
            None => Vec::new(),
        };
        listed.into_iter().filter_map(|name| place(&plain_path(&folder.join(&**name)))).collect()
    };
    let mut order = Vec::with_capacity(files.len());
    let mut known = BTreeSet::from([0]);
    let mut open: Vec<(usize, Vec<usize>)> = vec![(0, includes(0))];
    while let Some((file, waiting)) = open.last_mut() {
        if waiting.is_empty() {
            order.push(*file);
            open.pop();
            continue;
        }
        let next = waiting.remove(0);
        if known.insert(next) {
            open.push((next, includes(next)));
        }
    }
    order
}
