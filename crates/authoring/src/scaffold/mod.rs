//! Writes a scaffold: a rig for a drawing that has none. It has a bone for each guide line of the drawing, or
//! one bone if there are no guide lines; bindings for the art; a short clip; and comments with the art and
//! the next steps. Only a rig that loads without errors is returned.

mod all;
mod art;
mod bind;
mod bones;
mod cells;
mod classes;
mod comments;
mod draft;
mod page;
mod request;
mod turn;
mod update;

pub(crate) use all::bind_all;
pub(crate) use art::given_name_at;
pub use request::{BoneStyle, FileNames, Scaffold};
pub use update::{BoneReport, UpdatedBones, update_bones};

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_drawing::{Drawing, ElementId, ElementState};

use bone_format::diagnostic::{Diagnostic, Diagnostics};
use bone_format::doc::{ClipDoc, RigDoc};
use bone_format::span::{SourceId, Sources};
use bone_format::write::{Comments, Digits, write};
use bone_format::{Files, ReadRules};
use bone_format::{Fonts, Loaded, load};
use draft::ScaffoldDraft;
use page::{clip, shown};
use turn::HeadTurn;

/// How often a rig with errors is simplified and loaded again.
const TRIES: usize = 6;

/// The result of [`scaffold`].
#[derive(Debug)]
pub struct ScaffoldResult {
    /// The rig; none if the drawing has errors.
    pub rig: Option<Scaffold>,
    /// The findings about the drawing.
    pub diagnostics: Diagnostics,
    /// The texts that the findings point into.
    pub sources: Sources,
}

/// Writes a scaffold for the drawing at a path, its bones with coordinates.
pub fn scaffold(
    path: &Path,
    called: FileNames<'_>,
    files: &Arc<dyn Files>,
    fonts: Fonts<'_>,
) -> ScaffoldResult {
    scaffold_with((BoneStyle::Coordinates, None), path, called, files, fonts)
}

/// Writes a scaffold for the drawing at a path. Art with the name `turn` is a head that turns.
pub fn scaffold_with(
    (style, turn): (BoneStyle, Option<&str>),
    path: &Path,
    called: FileNames<'_>,
    files: &Arc<dyn Files>,
    fonts: Fonts<'_>,
) -> ScaffoldResult {
    let reader = DrawingReader { path, files, fonts };
    let loaded = reader.tried(&plain(&reader.bare()));
    let mut diagnostics = about_the_drawing(&loaded, path);
    if loaded.rig.is_none() {
        return ScaffoldResult { rig: None, diagnostics, sources: loaded.sources };
    }
    let Loaded { rig: Some(rig), sources, drawing, .. } = reader.with_guides(loaded) else {
        return ScaffoldResult { rig: None, diagnostics, sources: Sources::new() };
    };
    let svg = drawing.map(|id| sources.text(id)).unwrap_or_default();
    let mut draft = ScaffoldDraft::new(rig.art(), svg, called, style);
    if let Some(name) = turn {
        match HeadTurn::new(rig.art(), name) {
            Ok(turn) => draft.turn = Some(turn),
            Err(error) => {
                let none = || format!("art \"{name}\" has no outline that could turn");
                let message = error.map_or_else(none, |error| error.to_string());
                diagnostics.push(Diagnostic::error("does-not-fit-drawing", message));
                return ScaffoldResult { rig: None, diagnostics, sources };
            }
        }
    }
    let mut plays = false;
    for _ in 0..TRIES {
        let tried = reader.tried(&draft.rig(&reader.bare()).text);
        plays = tried.rig.is_some();
        if !draft.corrected(tried.doc.as_ref(), &tried.diagnostics) {
            break;
        }
        plays = false;
    }
    let tried = (!plays).then(|| reader.tried(&draft.rig(&reader.bare()).text));
    if let Some(tried) = tried.filter(|tried| tried.rig.is_none()) {
        draft.give_up(&tried);
    }
    ScaffoldResult { rig: Some(draft.rig(&bare(called.drawing))), diagnostics, sources }
}

/// The group of the lines that bones are made of, if the drawing shows it, and the name by which rigs call it.
pub fn shown_guides(art: &Drawing) -> Option<(ElementId, String)> {
    let guides = art::guides(art).filter(|id| !art.is_hidden(*id))?;
    Some((guides, art::name(art, guides)))
}

/// A rig with nothing but a drawing.
fn bare(drawing: &str) -> RigDoc {
    RigDoc { version: Some(1.into()), drawing: Some(drawing.to_owned().into()), ..RigDoc::default() }
}

fn plain(doc: &RigDoc) -> String {
    write(doc, &Comments::new(), Digits::ALL)
}

/// The drawing at a path, with its guide lines even if they are hidden.
fn drawing_with_guides(path: &Path, files: &Arc<dyn Files>, fonts: Fonts<'_>) -> Loaded {
    let reader = DrawingReader { path, files, fonts };
    reader.with_guides(reader.tried(&plain(&reader.bare())))
}

/// Loads rigs for a drawing from text that is in no file.
struct DrawingReader<'a> {
    path: &'a Path,
    files: &'a Arc<dyn Files>,
    fonts: Fonts<'a>,
}

impl DrawingReader<'_> {
    fn beside(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn bare(&self) -> RigDoc {
        bare(&self.beside())
    }

    fn tried(&self, text: &str) -> Loaded {
        let rig = self.path.with_file_name("\u{0}rig.ron");
        let instead = FilesWithRig {
            rig: (rig.clone(), text.to_owned()),
            drawing: (rig.with_file_name(self.beside()), self.path.to_owned()),
            files: Arc::clone(self.files),
        };
        load(&rig, Arc::new(instead), self.fonts)
    }

    /// Loads again with hidden guide lines made visible: the outlines of hidden art are read only if a clip
    /// can show it.
    fn with_guides(&self, loaded: Loaded) -> Loaded {
        let Some(rig) = &loaded.rig else { return loaded };
        let is_off = |id: &ElementId| rig.art().element(*id).is_some_and(|e| e.state != ElementState::Drawn);
        let Some(guides) = art::guides(rig.art()).filter(is_off) else { return loaded };
        let hiding = rig.art().up(guides).filter(is_off);
        let shown = hiding.map(|id| self::shown(&rig.art().address(id), true));
        let seen = ClipDoc { art: shown.collect(), ..clip("seen") };
        let again = self.tried(&plain(&RigDoc { clips: vec![seen], ..self.bare() }));
        if again.rig.is_some() { again } else { loaded }
    }
}

/// The files of the caller, with a rig that exists only as text, and the drawing beside it.
struct FilesWithRig {
    rig: (PathBuf, String),
    drawing: (PathBuf, PathBuf),
    files: Arc<dyn Files>,
}

impl Files for FilesWithRig {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match path {
            path if path == self.rig.0 => Ok(self.rig.1.clone().into_bytes()),
            path if path == self.drawing.0 => self.files.read(&self.drawing.1),
            path => self.files.read(path),
        }
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.files.resolve(if path == self.drawing.0 { &self.drawing.1 } else { path })
    }

    fn rules(&self) -> ReadRules {
        self.files.rules()
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        self.files.beside(if path == self.drawing.0 { &self.drawing.1 } else { path })
    }
}

/// The findings about the drawing, without those about the trial rig.
fn about_the_drawing(loaded: &Loaded, path: &Path) -> Diagnostics {
    let rig = SourceId::default();
    let mut found = Diagnostics::new();
    for diagnostic in &loaded.diagnostics {
        let mut kept = diagnostic.clone();
        kept.related.retain(|(place, _)| place.source != rig);
        kept.place = kept.place.filter(|place| place.source != rig);
        found.push(kept);
    }
    if loaded.rig.is_none() && !found.has_errors() {
        found.push(Diagnostic::error(
            "unreadable-drawing",
            format!("the drawing \"{}\" cannot be used", path.display()),
        ));
    }
    found
}
