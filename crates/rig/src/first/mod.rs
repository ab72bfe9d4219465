//! A drawing -> a first rig: its bones where the drawing has guide lines for them, else one; its art bound to them; a movement to see
//! that it works; and in comments what there is and how to go on. It guesses nothing that the drawing does not say, and hands
//! out only what loads without a mistake or warning about the rig itself.

mod art;
mod bones;
mod words;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kurbo::{Point, Rect};
use render::{Art, ElementId, ElementState};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::doc::{
    ArtDoc, ArtNames, BindingDoc, BoneChannelsDoc, BoneDoc, Channel, ClipDoc, Key, RigDoc, RigidDoc,
    SmoothDoc,
};
use crate::files::Files;
use crate::load::{Fonts, Loaded, load};
use crate::span::{SourceId, Sources, Span, Spanned};
use crate::write::{Comments, Digits, write};
use art::Piece;
use bones::{Found, MOST_BONES, Stretch};

/// A bone passes through art if so much of it lies there.
const THROUGH: f64 = 0.5;
/// A shorter line, as a share of the drawing, is a dot.
const SHORTEST: f64 = 0.001;
/// Coordinates have no more digits after the point than this.
const MOST_PLACES: usize = 12;
/// In place of a canvas that cannot be calculated with.
const PAGE: Rect = Rect::new(0.0, 0.0, 100.0, 100.0);
/// What is farther away has no hundredths any more.
const FARTHEST: f64 = 1e12;
/// Art spans the page if it is so wide.
const SPANNING: f64 = 0.95;
/// More bones than this do not all swing in the first movement.
const SWINGING: usize = 24;
/// A rig in which every binding meets trouble is tried so often, each time with less.
const TRIES: usize = 4;

/// A rig for a drawing that had none.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstRig {
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
pub struct First {
    /// The rig, unless the drawing has to be mended first.
    pub rig: Option<FirstRig>,
    /// What was found about the drawing.
    pub diagnostics: Diagnostics,
    /// The texts that the findings point into.
    pub sources: Sources,
}

/// How files are called in what is written.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// The drawing, as the rig names it: relative to the rig.
    pub drawing: &'a str,
    /// The rig itself, in the comments.
    pub rig: &'a str,
}

/// Writes a first rig for the drawing at a path.
pub fn first_rig(path: &Path, called: Called<'_>, files: &Arc<dyn Files>, fonts: Fonts<'_>) -> First {
    let beside = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let rig = path.with_file_name("\u{0}rig.ron");
    let try_out = |text: &str| {
        let instead = Instead {
            rig: (rig.clone(), text.to_owned()),
            drawing: (rig.with_file_name(&beside), path.to_owned()),
            files: Arc::clone(files),
        };
        load(&rig, Arc::new(instead), fonts)
    };
    let bare = |drawing: &str| RigDoc {
        version: Some(1.into()),
        drawing: Some(drawing.to_owned().into()),
        ..RigDoc::default()
    };
    let bare_here = bare(&beside);
    let plain = |doc: &RigDoc| write(doc, &Comments::new(), Digits::ALL);
    let mut loaded = try_out(&plain(&bare_here));
    let diagnostics = about_the_drawing(&loaded, path);
    let Some(scene) = &loaded.scene else {
        return First { rig: None, diagnostics, sources: loaded.sources };
    };
    // Guide lines are often switched off, and are seen only if a rig may show them.
    let hidden = art::guides(scene.art())
        .filter(|id| scene.art().element(*id).is_some_and(|e| e.state != ElementState::Drawn))
        .and_then(|id| scene.art().element(id)?.id.clone().or(scene.art().element(id)?.label.clone()));
    if let Some(name) = hidden {
        let seen = ClipDoc { art: vec![shown(&name, true)], ..clip("seen") };
        let again = try_out(&plain(&RigDoc { clips: vec![seen], ..bare_here.clone() }));
        if again.scene.is_some() {
            loaded = again;
        }
    }
    let Loaded { scene: Some(scene), sources, drawing, .. } = loaded else {
        return First { rig: None, diagnostics, sources: Sources::new() };
    };
    let svg = drawing.map(|id| sources.text(id)).unwrap_or_default();
    let mut plan = Plan::new(scene.art(), svg, called);
    for _ in 0..TRIES {
        let trouble = plan.troubled(&try_out(&plan.rig(&bare_here).text));
        if trouble.is_empty() {
            break;
        }
        plan.demote(&trouble);
    }
    if has_mistakes(&try_out(&plan.rig(&bare_here).text)) {
        plan.give_up();
    }
    First { rig: Some(plan.rig(&bare(called.drawing))), diagnostics, sources }
}

/// Whether a rig has mistakes or warnings of its own, besides those of its drawing.
fn has_mistakes(tried: &Loaded) -> bool {
    let of_the_rig = |d: &Diagnostic| d.place.is_none_or(|place| place.source == SourceId::default());
    tried.scene.is_none() || tried.diagnostics.iter().any(of_the_rig)
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
    if loaded.scene.is_none() && !found.has_errors() {
        found.push(Diagnostic::error(format!("the drawing \"{}\" cannot be used", path.display())));
    }
    found
}

/// How a piece of art is bound.
#[derive(Clone, Debug, PartialEq)]
enum How {
    /// It rides along.
    Rigid(usize),
    /// It bends with these.
    Smooth(Vec<usize>),
    /// Not at all: why.
    Not(&'static str),
}

/// What the rig is going to say.
struct Plan<'a> {
    art: &'a Art,
    svg: &'a str,
    called: Called<'a>,
    guides: Option<ElementId>,
    drawn: bool,
    /// Lines in the group of guides that are no bones.
    passed_over: usize,
    bones: Vec<Found>,
    pieces: Vec<(Piece, How)>,
    /// Pieces beyond those.
    more: usize,
}

impl<'a> Plan<'a> {
    fn new(art: &'a Art, svg: &'a str, called: Called<'a>) -> Self {
        let guides = art::guides(art);
        let canvas = page(art);
        let (lines, passed_over) = guides.map(|group| guide_lines(art, group)).unwrap_or_default();
        let mut bones = bones::hang(&lines, extent(canvas));
        let drawn = !bones.is_empty();
        let (pieces, more) = art::pieces(art, svg, guides);
        if bones.is_empty() {
            let boxes = pieces.iter().filter(|piece| !piece.background).filter_map(|piece| piece.bounds);
            let around = boxes.reduce(|all, one| all.union(one)).filter(is_near).unwrap_or(canvas);
            bones.push(one_bone(around, canvas));
        }
        let how = |piece: &Piece| if drawn { nearest_bones(piece, &bones, canvas) } else { one(piece) };
        let pieces = pieces.into_iter().map(|piece| (piece.clone(), how(&piece))).collect();
        Self { art, svg, called, guides, drawn, passed_over, bones, pieces, more }
    }

    /// The names of art whose bindings a rig had trouble with, or all if it was something else.
    fn troubled(&self, tried: &Loaded) -> BTreeSet<String> {
        let of_the_rig = |d: &&Diagnostic| d.place.is_some_and(|place| place.source == SourceId::default());
        let places: Vec<Span> =
            tried.diagnostics.iter().filter(of_the_rig).filter_map(|d| Some(d.place?.span)).collect();
        let bindings = tried.doc.iter().flat_map(|doc| &doc.skin);
        let within = |binding: &&BindingDoc| {
            let span = binding.span();
            places.iter().any(|place| span.start <= place.start && place.start < span.end)
        };
        let names: BTreeSet<String> =
            bindings.filter(within).flat_map(BindingDoc::names).map(|name| name.value.clone()).collect();
        if names.is_empty() && !places.is_empty() {
            return self.pieces.iter().filter_map(|(piece, _)| piece.name.clone()).collect();
        }
        names
    }

    /// Asks less of art: what bent rides along, what rode along stays.
    fn demote(&mut self, names: &BTreeSet<String>) {
        for (piece, how) in &mut self.pieces {
            if !piece.name.as_ref().is_some_and(|name| names.contains(name)) {
                continue;
            }
            *how = match how {
                How::Smooth(bones) => How::Rigid(bones.first().copied().unwrap_or_default()),
                _ => How::Not("it cannot be bound as it is"),
            };
        }
    }

    /// One bone and nothing that follows it: there is no drawing to which this cannot be done.
    fn give_up(&mut self) {
        self.bones = vec![one_bone(PAGE, PAGE)];
        self.drawn = false;
        self.pieces.iter_mut().for_each(|(_, how)| *how = How::Not("it cannot be bound as it is"));
    }

    fn rig(&self, bare: &RigDoc) -> FirstRig {
        let mut doc = bare.clone();
        doc.bones = self.bones.iter().map(|bone| self.bone(bone)).collect();
        let bound = self.pieces.iter().filter_map(|(piece, how)| self.binding(piece, how));
        doc.skin = bound.collect();
        doc.clips = vec![self.first_movement()];
        let text = write(&doc, &self.comments(), self.digits());
        let bound = doc.skin.len();
        let unbound = self.pieces.len() + self.more - bound;
        FirstRig { text, bones: doc.bones.len(), drawn: self.drawn, bound, unbound }
    }

    /// A ten-thousandth of the drawing is seen by nobody.
    fn digits(&self) -> Digits {
        let mut digits = Digits::default();
        let mut extent = extent(page(self.art));
        while extent < 100.0 && digits.places < MOST_PLACES {
            extent *= 10.0;
            digits.places += 1;
        }
        digits
    }

    fn bone(&self, bone: &Found) -> BoneDoc {
        BoneDoc {
            name: bone.name.clone().into(),
            parent: bone.parent.map(|parent| self.bones[parent].name.clone().into()),
            from: (!bone.at_tip).then_some(bone.from.into()),
            to: Some(bone.to.into()),
            ..BoneDoc::default()
        }
    }

    fn binding(&self, piece: &Piece, how: &How) -> Option<BindingDoc> {
        let art: ArtNames = piece.name.clone()?.into();
        let name = |bone: &usize| self.bones[*bone].name.clone().into();
        match how {
            How::Not(_) => None,
            How::Rigid(bone) => {
                Some(BindingDoc::Rigid(RigidDoc { art, bone: name(bone), ..RigidDoc::default() }))
            }
            How::Smooth(bones) => {
                let bones: Vec<Spanned<String>> = bones.iter().map(name).collect();
                Some(BindingDoc::Smooth(SmoothDoc { art, bones: Some(bones.into()), ..SmoothDoc::default() }))
            }
        }
    }

    /// Bones swing a little to and fro, and guide lines are out of sight.
    fn first_movement(&self) -> ClipDoc {
        let hung = self.bones.iter().filter(|bone| bone.parent.is_some());
        let mut swinging: Vec<&Found> = hung.take(SWINGING).collect();
        if swinging.is_empty() {
            swinging = self.bones.iter().take(SWINGING).collect();
        }
        let degrees = if self.drawn { 5.0 } else { 4.0 };
        let key = |(time, value): (f64, f64)| Key {
            span: Span::default(),
            time: time.into(),
            value: value.into(),
            ease: None,
        };
        let swing = |bone: &Found| BoneChannelsDoc {
            bone: bone.name.clone().into(),
            rotate: Some(Channel {
                keys: [(0.0, -degrees), (1.0, degrees), (2.0, -degrees)].map(key).to_vec(),
                ..Channel::default()
            }),
            ..BoneChannelsDoc::default()
        };
        let guides = self.guides.filter(|id| self.drawn && !self.art.is_hidden(*id));
        let guides = guides.and_then(|id| art::name(self.art, id)).map(|name| shown(&name, false));
        ClipDoc {
            length: Some(2.0.into()),
            looped: Some(true.into()),
            bones: swinging.into_iter().map(swing).collect(),
            art: guides.into_iter().collect(),
            ..clip("first")
        }
    }
}

fn clip(name: &str) -> ClipDoc {
    ClipDoc { name: name.to_owned().into(), length: Some(1.0.into()), ..ClipDoc::default() }
}

fn shown(art: &str, visible: bool) -> ArtDoc {
    let visible = Some(Channel::constant(visible.into()));
    ArtDoc { art: art.to_owned().into(), visible, ..ArtDoc::default() }
}

/// The canvas of a drawing, or a page in its place if it is too large to calculate with.
fn page(art: &Art) -> Rect {
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
fn guide_lines(art: &Art, group: ElementId) -> (Vec<Stretch>, usize) {
    let mut lines: Vec<Stretch> = Vec::new();
    let mut others = 0;
    for (number, path) in art.paths_in(group).into_iter().enumerate() {
        let Some(outline) = art.outline(path) else { continue };
        let name = art::given_name(art, path).unwrap_or_else(|| format!("bone_{}", number + 1));
        let stretches = bones::stretches(&name, &outline.path);
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
    Found { name: "body".to_owned(), parent: None, from, to, at_tip: false }
}

/// With one bone everything rides along.
fn one(piece: &Piece) -> How {
    if piece.background { How::Not("it fills the page") } else { How::Rigid(0) }
}

/// Art follows the bones that pass through it, else the one that is nearest to its middle.
fn nearest_bones(piece: &Piece, bones: &[Found], canvas: Rect) -> How {
    if piece.background {
        return How::Not("it fills the page");
    }
    let Some(bounds) = piece.bounds else {
        return How::Not("where it is cannot be told from its outline");
    };
    let through: Vec<usize> = (0..bones.len())
        .filter(|bone| bones.get(*bone).is_some_and(|b| piece.share_of(b.from, b.to) >= THROUGH))
        .collect();
    match through.as_slice() {
        [one] => How::Rigid(*one),
        // Ground and sky.
        [] if bounds.width() >= SPANNING * canvas.width() => {
            How::Not("it spans the page, and no bone passes through it")
        }
        [] => {
            let distance = |bone: &Found| piece.distance(bone.from, bone.to);
            let near = bones.iter().map(distance).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            near.map_or(How::Not("there is no bone"), |(bone, _)| How::Rigid(bone))
        }
        [first, ..] if !piece.bends => How::Rigid(*first),
        _ => How::Smooth(through),
    }
}
