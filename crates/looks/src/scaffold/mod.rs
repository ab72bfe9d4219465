//! A drawing -> a first rig: its bones where the drawing has guide lines for them, else one; its art bound to them; a movement to see
//! that it works; and in comments what there is and how to go on. It guesses nothing that the drawing does not say, and hands
//! out only what loads without a mistake.

mod art;
mod bind;
mod bones;
mod plan;
mod update;
mod words;

pub use update::{BoneReport, UpdatedBones, update_bones};

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use drawing::{Drawing, ElementId, ElementState};
use kurbo::{Point, Rect};

use bones::{Found, MOST_BONES, Stretch};
use plan::Plan;
use rig_format::Files;
use rig_format::diagnostic::{Diagnostic, Diagnostics};
use rig_format::doc::{ArtDoc, Channel, ClipDoc, RigDoc};
use rig_format::span::{SourceId, Sources};
use rig_format::write::{Comments, Digits, write};
use rig_format::{Fonts, Loaded, load};

/// A shorter line, as a share of the drawing, is a dot.
const SHORTEST: f64 = 0.001;
/// In place of a canvas that cannot be calculated with.
const PAGE: Rect = Rect::new(0.0, 0.0, 100.0, 100.0);
/// What is farther away has no hundredths any more.
const FARTHEST: f64 = 1e12;
/// A rig that has mistakes is tried so often, each time with less.
const TRIES: usize = 6;

/// A rig for a drawing that had none.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaffold {
    /// The text of the rig file.
    pub text: String,
    /// How many bones it has.
    pub bones: usize,
    /// Whether they were drawn: lines in a group called `bones` or `skeleton`.
    pub drawn: bool,
    /// How much of the art is bound.
    pub bound: usize,
    /// How much of it could be bound and is not.
    pub unbound: usize,
}

/// What became of a drawing.
#[derive(Debug)]
pub struct Scaffolded {
    /// The rig, unless the drawing has to be mended first.
    pub rig: Option<Scaffold>,
    /// What was found about the drawing.
    pub diagnostics: Diagnostics,
    /// The texts that the findings point into.
    pub sources: Sources,
}

/// How files are called in what is written.
#[derive(Clone, Copy, Debug)]
pub struct FileNames<'a> {
    /// The drawing, as the rig names it: relative to the rig.
    pub drawing: &'a str,
    /// The rig itself, in the comments.
    pub rig: &'a str,
}

/// How bones that are lines of the drawing are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoneStyle {
    /// By numbers: `from` and `to`.
    #[default]
    Places,
    /// By `line`: they are read from the drawing each time that the rig is loaded.
    Lines,
}

/// Writes a first rig for the drawing at a path, bones by their places.
pub fn scaffold(path: &Path, called: FileNames<'_>, files: &Arc<dyn Files>, fonts: Fonts<'_>) -> Scaffolded {
    scaffold_with(BoneStyle::Places, path, called, files, fonts)
}

/// Writes a first rig for the drawing at a path.
pub fn scaffold_with(
    style: BoneStyle,
    path: &Path,
    called: FileNames<'_>,
    files: &Arc<dyn Files>,
    fonts: Fonts<'_>,
) -> Scaffolded {
    let reading = Reading { path, files, fonts };
    let loaded = reading.tried(&plain(&reading.bare()));
    let diagnostics = about_the_drawing(&loaded, path);
    if loaded.rig.is_none() {
        return Scaffolded { rig: None, diagnostics, sources: loaded.sources };
    }
    let Loaded { rig: Some(scene), sources, drawing, .. } = reading.with_guides(loaded) else {
        return Scaffolded { rig: None, diagnostics, sources: Sources::new() };
    };
    let svg = drawing.map(|id| sources.text(id)).unwrap_or_default();
    let mut plan = Plan::new(scene.art(), svg, called, style);
    let mut plays = false;
    for _ in 0..TRIES {
        let tried = reading.tried(&plan.rig(&reading.bare()).text);
        plays = tried.rig.is_some();
        if !plan.corrected(&tried) {
            break;
        }
        plays = false;
    }
    let tried = (!plays).then(|| reading.tried(&plan.rig(&reading.bare()).text));
    if let Some(tried) = tried.filter(|tried| tried.rig.is_none()) {
        plan.give_up(&tried);
    }
    Scaffolded { rig: Some(plan.rig(&bare(called.drawing))), diagnostics, sources }
}

/// A rig that names a drawing and says no more.
fn bare(drawing: &str) -> RigDoc {
    RigDoc { version: Some(1.into()), drawing: Some(drawing.to_owned().into()), ..RigDoc::default() }
}

fn plain(doc: &RigDoc) -> String {
    write(doc, &Comments::new(), Digits::ALL)
}

/// The drawing at a path with its guide lines, whether it hides them or not.
fn drawing_with_guides(path: &Path, files: &Arc<dyn Files>, fonts: Fonts<'_>) -> Loaded {
    let reading = Reading { path, files, fonts };
    reading.with_guides(reading.tried(&plain(&reading.bare())))
}

/// A drawing for which rigs are tried out that are in no file.
struct Reading<'a> {
    path: &'a Path,
    files: &'a Arc<dyn Files>,
    fonts: Fonts<'a>,
}

impl Reading<'_> {
    fn beside(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn bare(&self) -> RigDoc {
        bare(&self.beside())
    }

    fn tried(&self, text: &str) -> Loaded {
        let rig = self.path.with_file_name("\u{0}rig.ron");
        let instead = Instead {
            rig: (rig.clone(), text.to_owned()),
            drawing: (rig.with_file_name(self.beside()), self.path.to_owned()),
            files: Arc::clone(self.files),
        };
        load(&rig, Arc::new(instead), self.fonts)
    }

    /// Guide lines are often switched off, and are seen only if a rig may show them.
    fn with_guides(&self, loaded: Loaded) -> Loaded {
        let Some(scene) = &loaded.rig else { return loaded };
        let is_off =
            |id: &ElementId| scene.art().element(*id).is_some_and(|e| e.state != ElementState::Drawn);
        let Some(guides) = art::guides(scene.art()).filter(is_off) else { return loaded };
        let hiding = scene.art().up(guides).filter(is_off);
        let shown = hiding.map(|id| self::shown(&scene.art().address(id), true));
        let seen = ClipDoc { art: shown.collect(), ..clip("seen") };
        let again = self.tried(&plain(&RigDoc { clips: vec![seen], ..self.bare() }));
        if again.rig.is_some() { again } else { loaded }
    }
}

/// Files of which the rig is one that nobody has written yet, and the drawing is found wherever the rig is going to be.
struct Instead {
    rig: (PathBuf, String),
    drawing: (PathBuf, PathBuf),
    files: Arc<dyn Files>,
}

impl Files for Instead {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match path {
            path if path == self.rig.0 => Ok(self.rig.1.clone().into_bytes()),
            path if path == self.drawing.0 => self.files.read(&self.drawing.1),
            path => self.files.read(path),
        }
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        self.files.beside(if path == self.drawing.0 { &self.drawing.1 } else { path })
    }
}

/// The findings that are not about a rig: there is none yet.
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
        found.push(Diagnostic::error(format!("the drawing \"{}\" cannot be used", path.display())));
    }
    found
}

fn clip(name: &str) -> ClipDoc {
    ClipDoc { name: name.to_owned().into(), length: Some(1.0.into()), ..ClipDoc::default() }
}

fn shown(art: &str, visible: bool) -> ArtDoc {
    let visible = Some(Channel::constant(visible.into()));
    ArtDoc { art: art.to_owned().into(), visible, ..ArtDoc::default() }
}

/// The canvas of a drawing, or a page in its place if it is too large to calculate with.
fn page(art: &Drawing) -> Rect {
    let canvas = art.canvas();
    if is_near(&canvas) { canvas } else { PAGE }
}

fn is_near(bounds: &Rect) -> bool {
    [bounds.x0, bounds.y0, bounds.x1, bounds.y1].iter().all(|n| n.abs() < FARTHEST)
}

/// How large a drawing is.
fn extent(canvas: Rect) -> f64 {
    (canvas.width() + canvas.height()) * 0.7
}

/// The stretches of the lines in a group, and how many shapes in it are no lines.
fn guide_lines(art: &Drawing, group: ElementId) -> (Vec<Stretch>, usize) {
    let mut lines: Vec<Stretch> = Vec::new();
    let mut others = 0;
    for (number, path) in art.paths_in(group).into_iter().enumerate() {
        let Some(outline) = art.outline(path) else { continue };
        let name = art::given_name(art, path).unwrap_or_else(|| format!("bone_{}", number + 1));
        let mut stretches = bones::stretches(&name, &outline.path);
        if let [whole] = stretches.as_mut_slice() {
            whole.line = Some(art::name(art, path));
        }
        others += usize::from(stretches.is_empty());
        let least = SHORTEST * extent(page(art));
        lines.extend(stretches.into_iter().filter(|line| (line.to - line.from).hypot() > least));
    }
    lines.truncate(MOST_BONES);
    (lines, others)
}

/// A bone along the longer side of all art, upwards or to the right.
fn one_bone(around: Rect, canvas: Rect) -> Found {
    let middle = around.center();
    let (from, to) = match around.height() >= around.width() {
        true => (Point::new(middle.x, around.y1), Point::new(middle.x, around.y0)),
        false => (Point::new(around.x0, middle.y), Point::new(around.x1, middle.y)),
    };
    let least = SHORTEST * extent(canvas);
    let to = if (to - from).hypot() > least { to } else { Point::new(from.x + 10.0 * least, from.y) };
    Found { name: "body".to_owned(), parent: None, from, to, at_tip: false, line: None }
}
