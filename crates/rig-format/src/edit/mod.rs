//! Editing the weights of a rig: the weights of its bindings as rows that can be changed, and the edits that
//! write them. A rig with mistakes is not edited.
//!
//! ```
//! use std::sync::Arc;
//! use bone_format::edit::{Smooth, WeightEditor, edit_weights};
//! use bone_format::session::Session;
//! use bone_format::{InMemory, no_fonts};
//!
//! let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 20"><path id="eel" d="M0 5H40H80V15H40H0Z"/></svg>"#;
//! let rig = r#"Rig(version: 1, drawing: "eel.svg",
//!     bones: { "head": (from: (0, 10), to: (40, 10)), "tail": (parent: "head", to: (80, 10)) },
//!     skin: [
//!         // It bends in the middle.
//!         Explicit(art: "eel", weights: { 2: {"tail": 1}, 3: {"tail": 1} }, others: {"head": 1}),
//!     ],
//! )"#;
//! let files = Arc::new(InMemory::new().with("eel.ron", rig).with("eel.svg", svg));
//! let mut session = Session::open("eel.ron", files, no_fonts);
//!
//! let mut editor = WeightEditor::new(&session, &[])?;
//! editor.lock("head")?;
//! editor.smooth(Smooth { strength: 0.5, iterations: 1 });
//! let edited = editor.finish()?;
//! assert!(!edited.is_changed(), "what the head holds is locked, and all else is the tail's");
//!
//! let edited = edit_weights(&mut session, &["eel"], |editor| {
//!     editor.smooth(Smooth { strength: 0.5, iterations: 1 });
//!     Ok(())
//! })?;
//! assert!(edited.is_changed());
//! assert_eq!(session.undo_title(), Some("Change weights of \"eel\""));
//! session.undo()?;
//! assert_eq!(session.text(), rig);
//! # Ok::<(), bone_format::edit::EditError>(())
//! ```

mod edits;
mod error;
mod mirror;
mod names;
mod rows;

use bone_core::BoneId;
use bone_rig::Rig;
use bone_skin::BLine;
use bone_skin::edit::{Locks, outline_change, prune, smooth};

pub use bone_skin::edit::{Prune, Smooth};
pub use bone_skin::{BoneWeights, VertexWeights};
pub use error::EditError;
pub use mirror::MirrorFrom;

use crate::compile::{PathWeightSource, PathWeights, weights_of};
use crate::doc::{BindingDoc, RigDoc};
use crate::session::{DocPath, DocValue, Edit, Session};
use crate::span::{SourceId, Span};
use rows::rounded_vertex;

/// Changes weights of the art that is named, or of all art, as one step of a session.
///
/// # Errors
/// If the rig has mistakes, a name leads to no binding with weights, what `change` returns, or as
/// [`Session::apply`].
pub fn edit_weights(
    session: &mut Session,
    arts: &[&str],
    change: impl FnOnce(&mut WeightEditor<'_>) -> Result<(), EditError>,
) -> Result<Edited, EditError> {
    let mut editor = WeightEditor::new(session, arts)?;
    change(&mut editor)?;
    let edited = editor.finish()?;
    let title = match arts {
        [] => "Change weights".to_owned(),
        arts => format!("Change weights of \"{}\"", arts.join("\", \"")),
    };
    session.apply_all(&title, &edited.edits)?;
    Ok(edited)
}

/// The weights of a rig while they are changed.
pub struct WeightEditor<'a> {
    rig: &'a Rig,
    doc: &'a RigDoc,
    drawing: Option<SourceId>,
    bindings: Vec<OpenBinding<'a>>,
    locks: Locks,
    notes: Vec<String>,
}

/// A binding with weights.
struct OpenBinding<'a> {
    doc: &'a BindingDoc,
    /// As its file has it.
    value: DocValue,
    /// Its place among the bindings of the rig.
    index: usize,
    /// Whether it may change; the others serve as models.
    chosen: bool,
    paths: Vec<PathWeights>,
}

/// The change of a rig's weights.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Edited {
    /// What makes it.
    pub edits: Vec<Edit>,
    /// The bindings that change.
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

/// A binding that changes, or becomes several.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EditedBinding {
    /// The art that it names in the old text; of several names, all.
    pub art: Vec<String>,
    /// The file that it is in.
    pub source: SourceId,
    /// Where it stood in the old text of that file.
    pub span: Span,
    /// Its place among the bindings of the new rig; of several, that of the first.
    pub index: usize,
    /// Its paths; each of them has a binding in the new rig.
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
    pub fn new(session: &'a Session, arts: &[&str]) -> Result<Self, EditError> {
        let (Some(rig), Some(doc), true) = (session.rig(), session.doc(), session.is_current()) else {
            return Err(EditError::Mistakes);
        };
        let open = |(index, binding): (usize, &'a BindingDoc)| {
            let paths = weights_of(binding, (doc, rig.art()), rig.skeleton());
            let value = session.get(&DocPath::from(["skin"]).index(index))?;
            Ok(OpenBinding { doc: binding, value, index, chosen: arts.is_empty(), paths })
        };
        let bindings = doc.skin.iter().enumerate();
        let bindings = bindings
            .filter(|(_, binding)| !matches!(binding, BindingDoc::Rigid(_) | BindingDoc::Puppet(_)))
            .map(open);
        let bindings = bindings.collect::<Result<_, EditError>>()?;
        let (drawing, locks, notes) = (session.drawing_source(), Locks::new(), Vec::new());
        let mut editor = Self { rig, doc, drawing, bindings, locks, notes };
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
