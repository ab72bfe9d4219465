//! The state of a session between two changes, and the one step that makes it: texts are read, checked and
//! compiled as `load` does it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use drawing::Drawing;
use rig::Rig;

use super::draft::PlacedComment;
use super::rewrite::{comment_before, rewrite};
use super::snapshot::Overlay;
use super::tree::TextTree;
use super::value::DocValue;
use super::{Session, TextEdit, apply, patch};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::doc::RigDoc;
use crate::edit::EditError;
use crate::files::{Files, plain_path};
use crate::json_messages::phrase_for_json;
use crate::load::{LoadStep, Loader, Refused};
use crate::read::{EntryEdit, Undo, replace_entry};
use crate::span::{SourceId, Sources};
use crate::text::Syntax;

/// A file of a session.
#[derive(Clone, Debug)]
pub struct SessionFile {
    path: PathBuf,
    text: Arc<str>,
    /// The text as it is outside, as far as the session knows.
    saved: Arc<str>,
    /// None if the text has mistakes.
    tree: Option<TextTree>,
    /// Its text in the findings.
    pub(super) source: SourceId,
    /// Two texts of one version are the same.
    pub(super) version: u64,
    /// The edits that made it of the text of another version.
    edits: Option<(u64, Arc<[TextEdit]>)>,
}

fn next_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl SessionFile {
    fn new(path: PathBuf, text: &str) -> Self {
        let text: Arc<str> = text.into();
        let tree = TextTree::read(&text);
        Self {
            path,
            saved: Arc::clone(&text),
            text,
            tree,
            source: SourceId::default(),
            version: next_version(),
            edits: None,
        }
    }

    /// Its path, as it was opened or included.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its text as it is stored, as far as the session knows.
    pub fn saved(&self) -> &str {
        &self.saved
    }

    /// Whether there is something to save.
    pub fn is_changed(&self) -> bool {
        self.text != self.saved
    }

    pub(super) fn key(&self) -> PathBuf {
        plain_path(&self.path)
    }

    pub(super) fn value(&self) -> Option<&DocValue> {
        self.tree.as_ref().map(|tree| &tree.value)
    }

    pub(super) fn set_saved(&mut self, text: &str) {
        self.saved = if *self.text == *text { Arc::clone(&self.text) } else { text.into() };
    }

    /// The file with another text.
    pub(super) fn with_text(&self, text: String) -> Self {
        let tree = TextTree::read(&text);
        Self { tree, text: text.into(), version: next_version(), edits: None, ..self.clone() }
    }

    /// The file with a text that it had before, which one edit makes, and the entry that it changes, if it is
    /// within one.
    pub(super) fn returned(&self, edit: TextEdit, version: u64, value: Option<&DocValue>) -> FileEdit {
        let edits = [edit];
        let text = apply(&self.text, &edits);
        let (tree, entry) = match self.tree.as_ref().and_then(|tree| tree.edited(&text, &edits, value)) {
            Some((tree, entry)) => (Some(tree), entry),
            None => (TextTree::read(&text), None),
        };
        FileEdit { file: self.after(&edits, text, tree, version), entry }
    }

    fn after(&self, edits: &[TextEdit], text: String, tree: Option<TextTree>, version: u64) -> Self {
        Self { tree, text: text.into(), version, edits: Some((self.version, edits.into())), ..self.clone() }
    }

    /// The file with a text that means something else; none if it means that already. The text is read back.
    pub(super) fn rewritten(&self, new: &DocValue) -> Result<Option<FileEdit>, EditError> {
        let Some(tree) = &self.tree else { return Err(EditError::Mistakes) };
        if tree.value == *new {
            return Ok(None);
        }
        let edits = rewrite(&self.text, tree, new);
        let text = apply(&self.text, &edits);
        let Some((tree, entry)) = tree.edited(&text, &edits, Some(new)) else { return Err(misread()) };
        Ok(Some(FileEdit { file: self.after(&edits, text, Some(tree), next_version()), entry }))
    }

    /// The same with comments before what is at some positions of the new value. The text is read back.
    pub(super) fn commented(
        &self,
        new: &DocValue,
        lines: &[PlacedComment<'_>],
    ) -> Result<Option<FileEdit>, EditError> {
        let rewritten = self.rewritten(new)?;
        let file = rewritten.as_ref().map_or(self, |edit| &edit.file);
        let places = lines.iter().filter_map(|(place, lines)| Some((file.place(place)?.start, *lines)));
        let edits: Vec<TextEdit> = match file.syntax() {
            Some(Syntax::Ron) => {
                places.filter_map(|(at, lines)| comment_before(&file.text, at, lines)).collect()
            }
            _ => Vec::new(),
        };
        if edits.is_empty() {
            return Ok(rewritten);
        }
        let text = apply(&file.text, &edits);
        let Some((tree, _)) = file.tree.as_ref().and_then(|tree| tree.edited(&text, &edits, Some(new)))
        else {
            return Err(misread());
        };
        Ok(Some(FileEdit { file: file.after(&edits, text, Some(tree), next_version()), entry: None }))
    }

    /// The bytes of what is at some positions of the value, with its name.
    pub(super) fn place(&self, positions: &[usize]) -> Option<Range<usize>> {
        self.tree.as_ref()?.place(&self.text, positions)
    }

    /// The notation; none if the text has mistakes.
    pub fn syntax(&self) -> Option<Syntax> {
        self.tree.as_ref().map(|tree| tree.syntax)
    }
}

/// Why an edit is not made whose text means something else.
fn misread() -> EditError {
    let message = "the edited text would not be read as it was meant, so the edit was not made";
    let help = "words and names of fields are letters, digits and `_`, and brackets are nested 64 deep";
    EditError::Unwritable(Box::new(Diagnostic::error("edit-refused", message).help(help)))
}

/// A file with another text.
#[derive(Debug)]
pub(super) struct FileEdit {
    pub(super) file: SessionFile,
    /// The entry that alone differs from the text before, if it is one.
    pub(super) entry: Option<EntryEdit>,
}

/// A drawing that was read.
#[derive(Debug)]
pub(super) struct ReadDrawing {
    pub(super) art: Arc<Drawing>,
    path: PathBuf,
    showable: render::Showable,
    source: SourceId,
    notes: Diagnostics,
}

/// What was made of the texts.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub(super) sources: Sources,
    pub(super) diagnostics: Diagnostics,
    /// Whether nothing was found when the texts were read.
    is_read_clean: bool,
    /// Stands for the content of the bindings.
    stamp: u64,
    pub(super) drawing: Option<SourceId>,
}

/// Everything that changes together. A copy shares it.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The rig file, then those that it includes, as they are read.
    pub(super) files: Vec<SessionFile>,
    /// Files that were included and are not any more.
    pub(super) parked: Vec<SessionFile>,
    /// The files in the order in which the document has their contents.
    pub(super) order: Vec<usize>,
    pub(super) built: Arc<Built>,
    /// Shared by no other state, so that an edit changes it in place.
    pub(super) doc: Option<Arc<RigDoc>>,
    pub(super) drawing: Option<Arc<ReadDrawing>>,
    /// The last rig without errors.
    pub(super) rig: Option<Arc<Rig>>,
    /// Whether it is that of the texts.
    pub(super) is_current: bool,
}

impl State {
    /// The same without the document.
    pub(super) fn without_doc(&self) -> Self {
        Self { doc: None, ..self.clone() }
    }

    /// A file by its plain path.
    pub(super) fn file(&self, key: &Path) -> Option<&SessionFile> {
        self.files.iter().chain(&self.parked).find(|file| file.key() == key)
    }

    /// A file is called otherwise.
    pub(super) fn set_path(&mut self, from: &Path, to: &Path) {
        let files = self.files.iter_mut().chain(&mut self.parked);
        files.filter(|file| file.key() == *from).for_each(|file| file.path = to.to_owned());
    }

    /// What changed in the texts.
    pub(super) fn changes_since(&self, before: &Self) -> Vec<(PathBuf, Vec<TextEdit>)> {
        let change = |file: &SessionFile| {
            let old = before.file(&file.key()).filter(|old| old.version != file.version)?;
            Some((file.path.clone(), differences(old, file)))
        };
        self.files.iter().chain(&self.parked).filter_map(change).collect()
    }
}

/// A document with the entry that it had before.
fn undone(mut doc: Arc<RigDoc>, undo: Undo) -> Arc<RigDoc> {
    undo(Arc::make_mut(&mut doc));
    doc
}

/// The edits that make one text of another.
fn differences(old: &SessionFile, new: &SessionFile) -> Vec<TextEdit> {
    if let Some((_, edits)) = new.edits.as_ref().filter(|(version, _)| *version == old.version) {
        return edits.to_vec();
    }
    if let (Some(before), Some(after)) = (&old.tree, new.value()) {
        let edits = rewrite(&old.text, before, after);
        if apply(&old.text, &edits) == *new.text {
            return edits;
        }
    }
    let (at, gone, text) = patch(&old.text, &new.text);
    vec![TextEdit { range: at..at + gone.len(), text: text.to_owned() }]
}

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
            refused: Refused::default(),
        };
        let doc = loader.rig(&self.path);
        let (count, is_read_clean) = (loader.sources.names().len(), loader.is_read_clean);
        self.is_cancelled()?;
        let drawing = doc.as_ref().and_then(|doc| loader.cached_drawing(&self.path, doc, old));
        let drawing_source = loader.drawing;
        read.truncate(count);
        self.is_cancelled()?;
        let rig = doc
            .as_ref()
            .zip(drawing.as_ref())
            .and_then(|(doc, drawing)| compiler.compile(doc, &drawing.art, drawing.source, &mut diagnostics));
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

impl Loader<'_> {
    /// The drawing of a rig, read only if it is another one than the one that there is.
    fn cached_drawing(&mut self, rig: &Path, doc: &RigDoc, old: &State) -> Option<Arc<ReadDrawing>> {
        let named = rig.parent().unwrap_or(Path::new("")).join(&doc.drawing.as_ref()?.value);
        let path = plain_path(&self.files.rules().drawing.unwrap_or(named));
        let (showable, source) = (doc.showable(), self.sources.upcoming());
        let same = |read: &&Arc<ReadDrawing>| {
            read.path == path && read.showable == showable && read.source == source
        };
        if let Some(read) = old.drawing.as_ref().filter(same) {
            self.sources.share(&old.built.sources, source);
            self.drawing = Some(source);
            read.notes.iter().for_each(|note| self.diagnostics.push(note.clone()));
            return Some(Arc::clone(read));
        }
        let mut notes = Diagnostics::new();
        let mut loader = Loader {
            files: Arc::clone(&self.files),
            fonts: self.fonts,
            progress: self.progress,
            sources: self.sources,
            drawing: None,
            compiler: self.compiler,
            diagnostics: &mut notes,
            is_read_clean: true,
            refused: Refused::default(),
        };
        let read = loader.drawing(rig, doc);
        self.drawing = loader.drawing;
        notes.iter().for_each(|note| self.diagnostics.push(note.clone()));
        let (art, source) = read?;
        Some(Arc::new(ReadDrawing { art: Arc::new(art), path, showable, source, notes }))
    }
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
