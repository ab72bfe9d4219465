//! Editing the weights of a rig: the weights of its bindings as rows that can be changed, and the text of the
//! rig with the changes in it, everything else kept to the byte. A rig with mistakes is not edited, and
//! nothing is written to the disk here.
//!
//! ```
//! use std::sync::Arc;
//! use bone_format::edit::{WeightEditor, Smooth};
//! use bone_format::{InMemory, load, no_fonts};
//!
//! let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 20"><path id="eel" d="M0 5H40H80V15H40H0Z"/></svg>"#;
//! let rig = r#"Rig(version: 1, drawing: "eel.svg",
//!     bones: { "head": (from: (0, 10), to: (40, 10)), "tail": (parent: "head", to: (80, 10)) },
//!     skin: [
//!         // It bends in the middle.
//!         Explicit(art: "eel", weights: { 2: {"tail": 1}, 3: {"tail": 1} }, others: {"head": 1}),
//!     ],
//! )"#;
//! let loaded = load("eel.ron".as_ref(), Arc::new(InMemory::new().with("eel.ron", rig).with("eel.svg", svg)), &no_fonts);
//!
//! let mut editor = WeightEditor::new(&loaded, &[])?;
//! editor.lock("head")?;
//! editor.smooth(Smooth { strength: 0.5, iterations: 1 });
//! let edited = editor.finish()?;
//! assert!(!edited.is_changed(), "what the head holds is locked, and all else is the tail's");
//! # Ok::<(), bone_format::edit::EditError>(())
//! ```

mod binding;
mod error;
mod mirror;
mod names;
mod rows;
pub mod text;

use std::ops::Range;

use bone_core::BoneId;
use bone_skin::BLine;
use bone_skin::edit::{Locks, outline_change, prune, smooth};

pub use bone_skin::edit::{Prune, Smooth};
pub use bone_skin::{BoneWeights, VertexWeights};
pub use error::EditError;
pub use mirror::MirrorFrom;

use crate::compile::{PathWeightSource, PathWeights, weights_of};
use crate::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::doc::{BindingDoc, PartDoc, RigDoc};
use crate::load::Loaded;
use crate::read::read_part;
use crate::span::{SourceId, Sources, Span};
use crate::text::{LARGEST_FILE, Node, Syntax, parse};
use crate::{check, read};
use binding::Page;
use bone_rig::Rig;
use rows::rounded_vertex;
use text::{Style, TextEdit, apply};

/// Whether the files of a rig are in the notation that is edited: RON.
///
/// # Errors
/// The finding about the first file that is not.
pub fn writable(doc: &RigDoc, sources: &Sources) -> Result<(), Diagnostic> {
    let mut files = std::iter::once(doc.source).chain(doc.parts.iter().map(|part| part.source));
    let Some(json) = files.find(|source| Syntax::of(sources.text(*source)) == Syntax::Json) else {
        return Ok(());
    };
    let help = "write it as RON: render-frames convert rig.json -o rig.ron";
    let error = Diagnostic::error("edit-refused", "this file is JSON, and only files in RON are edited");
    Err(error.at(Place::new(json, Span::at(0))).help(help))
}

/// The weights of a rig while they are changed.
pub struct WeightEditor<'a> {
    rig: &'a Rig,
    doc: &'a RigDoc,
    sources: &'a Sources,
    /// All files of the rig, one behind the other, as spans count them.
    text: String,
    drawing: Option<SourceId>,
    bindings: Vec<OpenBinding<'a>>,
    locks: Locks,
    notes: Vec<String>,
}

/// A binding with weights.
struct OpenBinding<'a> {
    doc: &'a BindingDoc,
    /// Whether it may change; the others serve as models.
    chosen: bool,
    paths: Vec<PathWeights>,
}

/// A rig with changed weights.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Edited {
    /// The whole text of the rig file.
    pub text: String,
    /// The texts of the included files that changed.
    pub parts: Vec<(SourceId, String)>,
    /// The bindings that changed.
    pub bindings: Vec<EditedBinding>,
    /// What could not be done as it was asked for.
    pub notes: Vec<String>,
}

impl Edited {
    /// Whether there is anything to write.
    pub fn is_changed(&self) -> bool {
        !self.bindings.is_empty()
    }
}

/// A binding that changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EditedBinding {
    /// The art that it names in the old text; of several names, all.
    pub art: Vec<String>,
    /// The file that it is in.
    pub source: SourceId,
    /// Where it stood in the old text of that file.
    pub span: Span,
    /// The new text.
    pub text: String,
    /// Its paths.
    pub paths: Vec<EditedPath>,
}

/// A path whose weights changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EditedPath {
    /// Its name in the new text.
    pub art: String,
    /// A row a vertex, as the new text has them.
    pub rows: Vec<VertexWeights>,
    /// How far its outline comes from where it was, in pixels at the drawing's size: the most at bends of 75
    /// and 150 degrees either way of each joint alone.
    pub moved: f64,
    /// The largest error of replacing computed weights by rows, which are less exact. 0 where rows were
    /// written before.
    pub lost: f64,
}

impl std::fmt::Debug for WeightEditor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let arts: Vec<String> = self.bindings.iter().map(|open| open.doc.title()).collect();
        f.debug_struct("WeightEditor")
            .field("bindings", &arts)
            .field("locks", &self.locks)
            .finish_non_exhaustive()
    }
}

impl<'a> WeightEditor<'a> {
    /// Opens the bindings of a rig that bend something, or those of the art that is named.
    ///
    /// # Errors
    /// If the rig has mistakes, or a name leads to no binding with weights.
    pub fn new(loaded: &'a Loaded, arts: &[&str]) -> Result<Self, EditError> {
        let (Some(rig), Some(doc)) = (&loaded.rig, &loaded.doc) else { return Err(EditError::Mistakes) };
        Self::of((rig, doc), &loaded.sources, loaded.drawing, arts)
    }

    /// The same for a rig that is not in a [`Loaded`].
    pub(crate) fn of(
        (rig, doc): (&'a Rig, &'a RigDoc),
        sources: &'a Sources,
        drawing: Option<SourceId>,
        arts: &[&str],
    ) -> Result<Self, EditError> {
        writable(doc, sources).map_err(|found| EditError::Unwritable(Box::new(found)))?;
        let bindings = doc.skin.iter().filter(|binding| !matches!(binding, BindingDoc::Rigid(_)));
        let open = |doc_binding: &'a BindingDoc| {
            let paths = weights_of(doc_binding, (doc, rig.art()), rig.skeleton());
            OpenBinding { doc: doc_binding, chosen: arts.is_empty(), paths }
        };
        let mut editor = Self {
            rig,
            doc,
            sources,
            text: whole_text(doc, sources),
            drawing,
            bindings: bindings.map(open).collect(),
            locks: Locks::new(),
            notes: Vec::new(),
        };
        arts.iter().try_for_each(|art| editor.choose(art))?;
        Ok(editor)
    }

    /// Lets the binding of this art change.
    fn choose(&mut self, art: &str) -> Result<(), EditError> {
        let found = self.rig.art().find(art);
        let same = |binding: &BindingDoc| {
            let leads = |bound: &str| {
                found.as_ref().is_ok_and(|found| self.rig.art().find(bound).as_ref() == Ok(found))
            };
            binding.names().iter().any(|bound| bound.value == art || leads(&bound.value))
        };
        if let Some(at) = self.bindings.iter().position(|open| same(open.doc)) {
            self.bindings[at].chosen = true;
            return Ok(());
        }
        let names = self.bindings.iter().flat_map(|open| open.doc.names());
        let names: Vec<&str> = names.map(|name| name.value.as_str()).collect();
        if self.doc.skin.iter().any(same) {
            let message = format!("art \"{art}\" is bound with Rigid, so it has no weights to edit");
            return Err(EditError::request(message).listing("art with weights", &names));
        }
        let within = found.ok().and_then(|element| {
            self.bindings.iter().find(|open| open.paths.iter().any(|path| path.art.element() == element))
        });
        if let Some(open) = within {
            let group = open.doc.title();
            let first = open.doc.names().first().map_or("", |name| name.value.as_str());
            let message = format!("art \"{art}\" is bound together with other art, as \"{group}\"");
            return Err(EditError::request(message).help(format!("edit \"{first}\"")));
        }
        Err(EditError::request(format!("no binding names art \"{art}\"")).suggesting(
            art,
            "art with weights",
            &names,
        ))
    }

    /// A bone of the rig.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn bone(&self, name: &str) -> Result<BoneId, EditError> {
        let skeleton = self.rig.skeleton();
        skeleton.find(name).ok_or_else(|| {
            let names: Vec<&str> = skeleton.bones().map(|bone| skeleton.name(bone)).collect();
            EditError::request(format!("there is no bone \"{name}\"")).suggesting(name, "bones", &names)
        })
    }

    /// Keeps the weights of a bone as they are from now on.
    ///
    /// # Errors
    /// If there is no such bone.
    pub fn lock(&mut self, bone: &str) -> Result<(), EditError> {
        self.locks.insert(self.bone(bone)?);
        Ok(())
    }

    /// How many vertices may change.
    pub fn vertex_count(&self) -> usize {
        self.chosen().map(|path| path.rows.len()).sum()
    }

    /// The paths that may change: outlines on the canvas, and a row a vertex. For tools that paint weights.
    pub fn paths_mut(&mut self) -> impl Iterator<Item = (&[BLine], &mut [VertexWeights])> {
        let chosen = self.bindings.iter_mut().filter(|open| open.chosen);
        chosen.flat_map(|open| &mut open.paths).map(|path| (path.lines.as_slice(), path.rows.as_mut_slice()))
    }

    /// Spreads weights along the outlines, over all paths that may change together.
    pub fn smooth(&mut self, how: Smooth) {
        let (lines, mut rows) = concatenated(self.chosen());
        // One row a vertex is what a path has.
        let fitting = smooth(&lines, &mut rows, how, &self.locks);
        debug_assert!(fitting.is_ok(), "one row a vertex");
        let chosen = self.bindings.iter_mut().filter(|open| open.chosen).flat_map(|open| &mut open.paths);
        let mut rows = rows.into_iter();
        chosen.for_each(|path| path.rows.iter_mut().zip(&mut rows).for_each(|(row, new)| *row = new));
    }

    /// Leaves every row its strongest bones.
    pub fn prune(&mut self, how: Prune) {
        let locks = &self.locks;
        let chosen = self.bindings.iter_mut().filter(|open| open.chosen).flat_map(|open| &mut open.paths);
        chosen.for_each(|path| prune(&mut path.rows, how, locks));
    }

    fn chosen(&self) -> impl Iterator<Item = &PathWeights> {
        self.bindings.iter().filter(|open| open.chosen).flat_map(|open| &open.paths)
    }

    /// The text with the weights as they are now. `Smooth` bindings become an `Explicit` a path, with those
    /// of the clip paths and masks that bend with them; of `Explicit` ones only the rows that changed are
    /// written.
    ///
    /// # Errors
    /// If a path has no name by which the rig could mean it alone, or the text would be too large.
    pub fn finish(self) -> Result<Edited, EditError> {
        let roots = self.files().map(|file| self.root(file)).collect::<Option<Vec<_>>>();
        let Some(roots) = roots else { return Err(EditError::Mistakes) };
        let pages: Vec<Page<'_>> = self
            .files()
            .zip(&roots)
            .map(|(file, root)| Page {
                text: &self.text,
                root,
                style: Style::of(self.sources.text(file.source)),
                skeleton: self.rig.skeleton(),
            })
            .collect();
        let mut bindings = Vec::new();
        let mut all = vec![Vec::new(); pages.len()];
        for open in self.bindings.iter().filter(|open| open.chosen) {
            let place = self.doc.place(open.doc.span());
            let number = self.files().position(|file| file.source == place.source).unwrap_or_default();
            let edits = self.edits(open, &pages[number])?;
            if edits.is_empty() {
                continue;
            }
            bindings.push(EditedBinding {
                art: open.doc.names().iter().map(|name| name.value.clone()).collect(),
                source: place.source,
                span: place.span,
                text: part(&self.text, open.doc.span().range(), &edits),
                paths: open.paths.iter().map(|path| self.edited(open, path)).collect::<Result<_, _>>()?,
            });
            all[number].extend(edits);
        }
        let mut texts = Vec::with_capacity(all.len());
        for (file, edits) in self.files().zip(all) {
            let base = file.base as usize;
            let here = |edit: TextEdit| TextEdit {
                range: edit.range.start - base..edit.range.end - base,
                text: edit.text,
            };
            let changed = !edits.is_empty();
            let edits: Vec<TextEdit> = edits.into_iter().map(here).collect();
            let text = apply(self.sources.text(file.source), &edits);
            if changed {
                self.verify(file, &text)?;
            }
            texts.push((file.source, text, changed));
        }
        let mut texts = texts.into_iter();
        let text = texts.next().map_or(String::new(), |(_, text, _)| text);
        let parts =
            texts.filter(|(_, _, changed)| *changed).map(|(source, text, _)| (source, text)).collect();
        Ok(Edited { text, parts, bindings, notes: self.notes })
    }

    /// The rig file, then those that it includes, as spans count them.
    fn files(&self) -> impl Iterator<Item = PartDoc> + '_ {
        let own = PartDoc { base: 0, source: self.doc.source };
        std::iter::once(own).chain(self.doc.parts.iter().copied())
    }

    /// The tree of a file, its spans those of the whole.
    fn root(&self, file: PartDoc) -> Option<Node> {
        let mut unheard = Diagnostics::new();
        let mut root = parse(file.source, self.sources.text(file.source), &mut unheard).root?;
        root.shift(file.base);
        Some(root)
    }

    fn edits(&self, open: &OpenBinding<'_>, page: &Page<'_>) -> Result<Vec<TextEdit>, EditError> {
        match open.doc {
            BindingDoc::Rigid(_) => Ok(Vec::new()),
            BindingDoc::Smooth(smooth) => {
                self.carries_no_image(open)?;
                let named = |path: &'_ PathWeights| Ok((self.name(open, path)?, path.rows.clone()));
                let paths = open.paths.iter().map(named).collect::<Result<Vec<_>, EditError>>()?;
                let paths: Vec<_> =
                    paths.iter().map(|(name, rows)| (name.clone(), rows.as_slice())).collect();
                Ok(vec![page.replaced(smooth, &paths)])
            }
            BindingDoc::Explicit(explicit) => Ok(open.paths.first().map_or(Vec::new(), |path| {
                let PathWeightSource::Typed(before) = &path.before else { return Vec::new() };
                page.changed(explicit, before, &path.rows)
            })),
        }
    }

    fn edited(&self, open: &OpenBinding<'_>, path: &PathWeights) -> Result<EditedPath, EditError> {
        let skeleton = self.rig.skeleton();
        let pixels = self.rig.art().canvas_to_output().determinant().abs().sqrt();
        let change = |rows: &[VertexWeights]| {
            let after = bone_skin::Weights::Explicit(rows);
            pixels * outline_change(&path.lines, &path.before.weights(), &after, path.blend, skeleton)
        };
        let rows: Vec<VertexWeights> = path.rows.iter().map(rounded_vertex).collect();
        let lost = match &path.before {
            PathWeightSource::Typed(_) => 0.0,
            PathWeightSource::Found(field) => {
                let found = bone_skin::edit::vertex_weights_of_field(&path.lines, field.as_ref(), skeleton);
                change(&found.iter().map(rounded_vertex).collect::<Vec<_>>())
            }
        };
        Ok(EditedPath { art: self.name(open, path)?, moved: change(&rows), rows, lost })
    }

    /// A text that would not be read back is not handed out.
    fn verify(&self, file: PartDoc, text: &str) -> Result<(), EditError> {
        if text.len() > LARGEST_FILE {
            let message =
                format!("with these weights the rig would be larger than {} MiB", LARGEST_FILE >> 20);
            return Err(EditError::Unwritable(Box::new(
                Diagnostic::error("edit-refused", message).help("edit less art in one step"),
            )));
        }
        let mut found = Diagnostics::new();
        let doc = match file.base {
            0 => read(file.source, text, &mut found),
            base => read_part(file.source, base, text, &mut found),
        };
        // A file alone does not know the bones of the others.
        if self.doc.parts.is_empty() {
            doc.iter().for_each(|doc| check(doc, &mut found));
        }
        match found.iter().find(|d| d.severity == crate::diagnostic::Severity::Error) {
            None if doc.is_some() => Ok(()),
            found => {
                let words = found.map_or("", |d| d.message.as_str());
                let message =
                    format!("the edited rig could not be read again, so the edit was not made: {words}");
                Err(EditError::Unwritable(Box::new(Diagnostic::error("edit-refused", message))))
            }
        }
    }
}

/// All files of a rig, one behind the other with a byte between them.
fn whole_text(doc: &RigDoc, sources: &Sources) -> String {
    let mut text = sources.text(doc.source).to_owned();
    for part in &doc.parts {
        text.push('\n');
        debug_assert_eq!(text.len(), part.base as usize, "parts follow each other");
        text.push_str(sources.text(part.source));
    }
    text
}

/// Outlines and rows of several paths, one behind the other.
fn concatenated<'p>(paths: impl Iterator<Item = &'p PathWeights>) -> (Vec<BLine>, Vec<VertexWeights>) {
    let (mut lines, mut rows) = (Vec::new(), Vec::new());
    for path in paths {
        lines.extend(path.lines.iter().cloned());
        rows.extend(path.rows.iter().cloned());
    }
    (lines, rows)
}

/// A range of the text after edits within it.
fn part(text: &str, range: Range<usize>, edits: &[TextEdit]) -> String {
    let moved = |edit: &TextEdit| TextEdit {
        range: edit.range.start - range.start..edit.range.end - range.start,
        text: edit.text.clone(),
    };
    apply(&text[range.clone()], &edits.iter().map(moved).collect::<Vec<_>>())
}
