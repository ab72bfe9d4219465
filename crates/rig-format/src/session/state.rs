//! The state of a session between two changes, and the one step that makes it: texts are read, checked and
//! compiled as `load` does it.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bone_drawing::Drawing;
use bone_rig::Rig;

use super::draft::PlacedComment;
use super::patch::patch;
use super::rewrite::{comment_before, rewrite};
use super::text::{TextEdit, apply};
use super::tree::TextTree;
use super::value::DocValue;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::doc::RigDoc;
use crate::edit::EditError;
use crate::files::plain_path;
use crate::load::{Loader, Refused};
use crate::read::EntryEdit;
use crate::span::{SourceId, Sources};
use crate::text::Syntax;

/// A file of a session.
#[derive(Clone, Debug)]
pub struct SessionFile {
    pub(super) path: PathBuf,
    pub(super) text: Arc<str>,
    /// The text as it is outside, as far as the session knows.
    pub(super) saved: Arc<str>,
    /// None if the text has mistakes.
    pub(super) tree: Option<TextTree>,
    /// Its text in the findings.
    pub(super) source: SourceId,
    /// Two texts of one version are the same.
    pub(super) version: u64,
    /// The edits that made it of the text of another version.
    pub(super) edits: Option<(u64, Arc<[TextEdit]>)>,
}

pub(super) fn next_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl SessionFile {
    pub(super) fn new(path: PathBuf, text: &str) -> Self {
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
        self.edited(rewrite(&self.text, tree, new), new).map(Some)
    }

    /// The file after edits that make this value. The text is read back.
    fn edited(&self, edits: Vec<TextEdit>, new: &DocValue) -> Result<FileEdit, EditError> {
        let text = apply(&self.text, &edits);
        let tree = self.tree.as_ref().and_then(|tree| tree.edited(&text, &edits, Some(new)));
        let Some((tree, entry)) = tree else { return Err(misread()) };
        Ok(FileEdit { file: self.after(&edits, text, Some(tree), next_version()), entry })
    }

    /// The file with comments before what is at some positions of its value; none if they are there.
    pub(super) fn commented(
        &self,
        new: &DocValue,
        lines: &[PlacedComment<'_>],
    ) -> Result<Option<FileEdit>, EditError> {
        let places = lines.iter().filter_map(|(place, lines)| Some((self.place(place)?.start, *lines)));
        let edits: Vec<TextEdit> = match self.syntax() {
            Some(Syntax::Ron) => {
                places.filter_map(|(at, lines)| comment_before(&self.text, at, lines)).collect()
            }
            _ => Vec::new(),
        };
        if edits.is_empty() {
            return Ok(None);
        }
        self.edited(edits, new).map(Some)
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

impl FileEdit {
    /// Puts the next change of a file behind one that was made, if there is one.
    pub(super) fn follow(
        made: &mut Option<Self>,
        file: &SessionFile,
        change: impl FnOnce(&SessionFile) -> Result<Option<Self>, EditError>,
    ) -> Result<(), EditError> {
        let Some(next) = change(made.as_ref().map_or(file, |made| &made.file))? else { return Ok(()) };
        // Of two changes, both may be within entries that differ.
        let entry = next.entry.filter(|_| made.is_none());
        *made = Some(Self { entry, ..next });
        Ok(())
    }
}

/// A drawing that was read.
#[derive(Debug)]
pub(super) struct ReadDrawing {
    pub(super) art: Arc<Drawing>,
    pub(super) path: PathBuf,
    pub(super) showable: bone_render::Showable,
    pub(super) source: SourceId,
    pub(super) notes: Diagnostics,
}

/// What was made of the texts.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub(super) sources: Sources,
    pub(super) diagnostics: Diagnostics,
    /// Whether nothing was found when the texts were read.
    pub(super) is_read_clean: bool,
    /// Stands for the content of the bindings.
    pub(super) stamp: u64,
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

impl Loader<'_> {
    /// The drawing of a rig, read only if it is another one than the one that there is.
    pub(super) fn cached_drawing(
        &mut self,
        rig: &Path,
        doc: &RigDoc,
        old: &State,
    ) -> Option<Arc<ReadDrawing>> {
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
            is_part: false,
            refused: Refused::default(),
        };
        let read = loader.drawing(rig, doc);
        self.drawing = loader.drawing;
        notes.iter().for_each(|note| self.diagnostics.push(note.clone()));
        let (art, source) = read?;
        Some(Arc::new(ReadDrawing { art: Arc::new(art), path, showable, source, notes }))
    }
}
