//! From a path to a rig: reads the rig, its drawing and what the drawing links to, and reports the errors
//! in all of them at once.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bone_drawing::Drawing;
use bone_render::{Resources, SvgError, SvgNote, decode_svg, fontdb, read_svg_showing};

use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity};
use crate::doc::RigDoc;
use crate::files::Files;
use crate::json_messages::phrase_for_json;
use crate::span::{SourceId, Sources, Span};
use crate::text::Parsed;
use crate::{Compiler, include, text};
use bone_rig::Rig;

/// The result of loading a rig.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The rig, ready to play, unless there are errors.
    pub rig: Option<Rig>,
    /// What the artist wrote, as far as it was readable.
    pub doc: Option<RigDoc>,
    /// The text of the drawing among the sources, if it was read.
    pub drawing: Option<SourceId>,
    /// Everything that was found, warnings too.
    pub diagnostics: Diagnostics,
    /// The texts that the findings point into.
    pub sources: Sources,
}

/// Radians by which a loop may be corrected where it repeats: what is not seen.
const CLOSED: f64 = 0.02;

impl Loaded {
    /// Simulates the springs of every clip that loops, and warns where they do not end as they begin. It takes
    /// as long as the first frame of each clip; [`load`] does not do it.
    pub fn check_springs(&mut self) {
        let (Some(rig), Some(doc)) = (&self.rig, &self.doc) else { return };
        let clips = doc.clips.iter().map(|clip| &clip.name);
        for name in clips.chain(doc.shots.iter().map(|shot| &shot.name)) {
            let seam = rig.clip(&name.value).and_then(|clip| rig.spring_seam(clip));
            let Some((bone, off)) = seam.filter(|(_, off)| *off > CLOSED) else { continue };
            let message = format!(
                "the spring of bone \"{}\" does not end as it begins where \"{}\" repeats: it is moved by {:.0} degrees so that the loop closes",
                text::shortened(rig.skeleton().name(bone)),
                text::shortened(&name.value),
                bone_core::Angle::from_radians(off).degrees().min(999.0),
            );
            let help = "more `damping` of the spring, 0.1 or above, or another `stiffness`, so that the loop is not a whole number of its oscillations";
            let warning = Diagnostic::warning("loop-jumps", message).help(help);
            self.diagnostics.push(warning.at(doc.place(name.span)));
        }
    }
}

/// Gives the fonts of drawings that have text: looking for them takes long, and most drawings have none.
pub type Fonts<'a> = &'a dyn Fn() -> fontdb::Database;

/// No fonts: text is not drawn, and a warning is reported.
pub fn no_fonts() -> fontdb::Database {
    fontdb::Database::new()
}

/// The fonts that are installed. Text then looks as it does on this machine, and only on this machine.
#[cfg(feature = "system-fonts")]
pub fn system_fonts() -> fontdb::Database {
    let mut fonts = fontdb::Database::new();
    fonts.load_system_fonts();
    fonts
}

/// Reads a rig and everything it refers to.
///
/// ```
/// use std::sync::Arc;
/// use bone_rig::FrameState;
/// use bone_format::{InMemory, load, no_fonts};
///
/// let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path id="flag" d="M5 5H35V20H5Z"/></svg>"#;
/// let text = r#"Rig(version: 1, drawing: "flag.svg",
///     bones: { "pole": (from: (5, 5), to: (35, 5)) },
///     skin: [Rigid(art: "flag", bone: "pole")],
///     clips: { "wave": (length: 2, bones: { "pole": (rotate: [(0, 0), (1, 30), (2, 0)]) }) },
/// )"#;
/// let files = Arc::new(InMemory::new().with("flag.ron", text).with("flag.svg", svg));
///
/// let loaded = load("flag.ron".as_ref(), files, &no_fonts);
/// let rig = loaded.rig.expect("nothing is wrong with it");
/// let mut state = FrameState::new(&rig);
/// rig.pose(rig.clip("wave"), 0.5, &mut state)?;
/// rig.write_svg(&mut state);
/// assert!(state.svg().contains("<path id=\"flag\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(path: &Path, files: Arc<dyn Files>, fonts: Fonts<'_>) -> Loaded {
    load_with(path, files, fonts, Compiler::new(), &mut |_| ())
}

/// Like [`load`], with a compiler that has compiled nothing before, and calls `progress` after each step.
pub fn load_with(
    path: &Path,
    files: Arc<dyn Files>,
    fonts: Fonts<'_>,
    mut compiler: Compiler,
    progress: LoadProgress<'_>,
) -> Loaded {
    let mut sources = Sources::new();
    let mut diagnostics = Diagnostics::new();
    let drawing = None;
    // It sees one document alone.
    compiler.stamp = Some(0);
    let mut loader = Loader {
        files,
        fonts,
        progress,
        sources: &mut sources,
        drawing,
        compiler: &mut compiler,
        diagnostics: &mut diagnostics,
        is_read_clean: false,
        is_part: false,
        refused: Refused::default(),
    };
    let (doc, rig) = loader.whole(path);
    let drawing = loader.drawing;
    phrase_for_json(&mut diagnostics, &sources);
    Loaded { rig, doc, drawing, diagnostics, sources }
}

impl From<Rig> for Loaded {
    /// A rig that was compiled before, without findings. There is no document.
    fn from(rig: Rig) -> Self {
        let (diagnostics, sources) = (Diagnostics::new(), Sources::new());
        Self { rig: Some(rig), doc: None, drawing: None, diagnostics, sources }
    }
}

/// Loads a packed rig. There is no document: what the artist wrote is not in it.
pub fn load_packed(path: &Path, files: &dyn Files, progress: LoadProgress<'_>) -> Loaded {
    let (mut sources, mut diagnostics) = (Sources::new(), Diagnostics::new());
    // The name alone, without the bytes, so that the path counts as an input and no output may overwrite it.
    sources.add(path.display().to_string(), "");
    let rig = match files.read(path) {
        Ok(bytes) => {
            progress(LoadStep::Read { path, bytes: bytes.len() });
            let rig = Rig::load(&bytes);
            let refused = |error| {
                let message = format!("the packed rig \"{}\" cannot be used: {error}", path.display());
                Diagnostic::error("unreadable-file", message).help("`render-frames pack rig.ron` packs a rig")
            };
            rig.map_err(|error| diagnostics.push(refused(error))).ok()
        }
        Err(error) => {
            diagnostics.push(unreadable(files, "packed rig", path, &error, &["bones"]));
            None
        }
    };
    progress(LoadStep::Compiled);
    Loaded { rig, doc: None, drawing: None, diagnostics, sources }
}

/// Loads a drawing that has no rig: nothing is bound, and nothing moves.
pub fn load_drawing(path: &Path, files: Arc<dyn Files>, fonts: Fonts<'_>) -> Loaded {
    let mut sources = Sources::new();
    let mut diagnostics = Diagnostics::new();
    // In place of the rig, so that the drawing is the second source as always.
    let source = sources.add(String::new(), "");
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let doc = RigDoc {
        source,
        version: Some(1.into()),
        drawing: Some(name.into()),
        own_names: true,
        complete: true,
        ..RigDoc::default()
    };
    let mut progress = |_: LoadStep<'_>| ();
    let mut loader = Loader {
        files,
        fonts,
        progress: &mut progress,
        sources: &mut sources,
        drawing: None,
        compiler: &mut Compiler::new(),
        diagnostics: &mut diagnostics,
        is_read_clean: true,
        is_part: false,
        refused: Refused::default(),
    };
    let rig = loader.compile(path, &doc);
    let drawing = loader.drawing;
    let mut about_the_drawing = Diagnostics::new();
    for mut diagnostic in diagnostics.iter().cloned() {
        diagnostic.place = diagnostic.place.filter(|place| place.source != source);
        diagnostic.related.retain(|(place, _)| place.source != source);
        about_the_drawing.push(diagnostic);
    }
    Loaded { rig, doc: Some(doc), drawing, diagnostics: about_the_drawing, sources }
}

/// Something that was done while a rig was loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadStep<'a> {
    /// A file was read.
    Read {
        /// Which.
        path: &'a Path,
        /// How large it is.
        bytes: usize,
    },
    /// A text was parsed.
    Parsed {
        /// `rig` or `drawing`.
        what: &'a str,
    },
    /// An element of the drawing has nothing to draw.
    Skipped {
        /// What, and why.
        what: &'a str,
    },
    /// The document was compiled to a rig, or errors were found.
    Compiled,
}

/// Called after each step.
pub type LoadProgress<'a> = &'a mut dyn FnMut(LoadStep<'_>);

/// The steps of loading, and what they share.
pub(crate) struct Loader<'a> {
    pub(crate) files: Arc<dyn Files>,
    pub(crate) fonts: Fonts<'a>,
    pub(crate) progress: LoadProgress<'a>,
    pub(crate) sources: &'a mut Sources,
    pub(crate) drawing: Option<SourceId>,
    pub(crate) compiler: &'a mut Compiler,
    pub(crate) diagnostics: &'a mut Diagnostics,
    /// Whether nothing was found before the document was checked.
    pub(crate) is_read_clean: bool,
    /// Whether this is a rig of a scene.
    pub(crate) is_part: bool,
    /// Links to images that may not be read, and the reasons.
    pub(crate) refused: Refused,
}

/// Filled while a drawing is read.
pub(crate) type Refused = Arc<Mutex<BTreeMap<String, String>>>;

impl Loader<'_> {
    /// A rig or a scene, ready to play.
    fn whole(&mut self, path: &Path) -> (Option<RigDoc>, Option<Rig>) {
        let Some((source, parsed)) = self.text(path) else { return (None, None) };
        if let Some(root) = crate::read::scene_root(&parsed) {
            let scene = self.scene(path, source, &root);
            (self.progress)(LoadStep::Compiled);
            return scene.map_or((None, None), |scene| (Some(scene.doc), scene.rig));
        }
        let doc = self.checked(path, source, parsed);
        let rig = doc.as_ref().and_then(|doc| self.compile(path, doc));
        (doc, rig)
    }

    /// Reads and checks a rig and what it includes.
    pub(crate) fn rig(&mut self, path: &Path) -> Option<RigDoc> {
        let (source, parsed) = self.text(path)?;
        self.checked(path, source, parsed)
    }

    /// Reads the text of a rig or a scene.
    pub(crate) fn text(&mut self, path: &Path) -> Option<(SourceId, Parsed)> {
        let bytes = match self.files.read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.diagnostics.push(unreadable(&*self.files, "rig", path, &error, &["ron", "json"]));
                return None;
            }
        };
        (self.progress)(LoadStep::Read { path, bytes: bytes.len() });
        let source = self.sources.upcoming();
        let text = text::decode(source, &bytes, self.diagnostics);
        self.sources.add(path.display().to_string(), text.as_ref());
        if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
            let start = text.find('<').unwrap_or_default();
            let place = Place::new(source, Span::from_range(&(start..start + 1)));
            let help = "run `render-frames init` to write a rig for a drawing";
            let error = Diagnostic::error("wrong-file", "this file is a drawing, and a rig is needed here");
            self.diagnostics.push(error.at(place).help(help));
            return None;
        }
        Some((source, text::parse(source, &text, self.diagnostics)))
    }

    pub(crate) fn checked(&mut self, path: &Path, source: SourceId, parsed: Parsed) -> Option<RigDoc> {
        let doc = crate::read::read_whole(source, parsed, self.diagnostics)?;
        let (files, progress) = (&self.files, &mut self.progress);
        let folder = path.parent().unwrap_or(Path::new(""));
        let rules = files.rules();
        let doc = include::resolve_includes(doc, path, (self.sources, self.diagnostics), &mut |path| {
            let bytes = rules
                .check_named(&**files, folder, path)
                .and_then(|()| files.read(path))
                .map_err(|error| Box::new(unreadable(&**files, "part", path, &error, &["ron", "json"])))?;
            progress(LoadStep::Read { path, bytes: bytes.len() });
            Ok(bytes)
        });
        for sound in doc.clips.iter().flat_map(|clip| &clip.sounds) {
            // Pictures need no sound; a video does, and is not made without it.
            if let Err(mut found) = sound_path(&**files, path, &sound.file.value) {
                found.severity = Severity::Warning;
                self.diagnostics.push(found.at(doc.place(sound.file.span)));
            }
        }
        self.is_read_clean = self.diagnostics.is_empty();
        self.compiler.check(&doc, self.diagnostics);
        (self.progress)(LoadStep::Parsed { what: "rig" });
        Some(doc)
    }

    fn compile(&mut self, path: &Path, doc: &RigDoc) -> Option<Rig> {
        let (art, drawing) = self.drawing(path, doc)?;
        (self.progress)(LoadStep::Parsed { what: "drawing" });
        let rig = self.compiler.compile(doc, &Arc::new(art), drawing, self.diagnostics);
        (self.progress)(LoadStep::Compiled);
        rig
    }

    /// Reads the drawing of a rig.
    pub(crate) fn drawing(&mut self, rig: &Path, doc: &RigDoc) -> Option<(Drawing, SourceId)> {
        let name = doc.drawing.as_ref()?;
        let rules = self.files.rules();
        let folder = rig.parent().unwrap_or(Path::new(""));
        let path = folder.join(&name.value);
        let place = doc.place(name.span);
        // The drawing of an option is that of the rig or the scene that is loaded.
        let given = rules.drawing.clone().filter(|_| !self.is_part);
        let (path, checked) = match given {
            Some(drawing) => (drawing, Ok(())),
            None => {
                let checked = rules.check_named(&*self.files, folder, &path);
                (path, checked)
            }
        };
        let bytes = match checked.and_then(|()| self.files.read(&path)) {
            Ok(bytes) => bytes,
            Err(error) => {
                let diagnostic = unreadable(&*self.files, "drawing", &path, &error, &["svg"]);
                self.diagnostics.push(diagnostic.in_folder_of(&name.value).at(place));
                return None;
            }
        };
        (self.progress)(LoadStep::Read { path: &path, bytes: bytes.len() });
        let decoded = match decode_svg(bytes) {
            Ok(decoded) => decoded,
            Err(error) => {
                let message = format!("the drawing \"{}\" cannot be used: {error}", name.value);
                self.diagnostics.push(Diagnostic::error("unreadable-drawing", message).at(place));
                return None;
            }
        };
        let resources = self.resources(&decoded, &path);
        let source = self.sources.add(path.display().to_string(), decoded);
        self.drawing = Some(source);
        match read_svg_showing(self.sources.text(source), &resources, &doc.showable()) {
            Ok((art, notes)) => {
                notes.iter().for_each(|note| self.note(note, source));
                Some((art, source))
            }
            Err(error) => {
                self.art_error(&error, source, place);
                None
            }
        }
    }

    fn resources(&self, svg: &str, drawing: &Path) -> Resources {
        let fonts = if svg.contains("<text") || svg.contains(":text") { (self.fonts)() } else { no_fonts() };
        let files = Arc::clone(&self.files);
        let (rules, refused) = (files.rules(), Arc::clone(&self.refused));
        let folder = drawing.parent().unwrap_or(Path::new("")).to_owned();
        let images = move |href: &str| {
            let path = folder.join(percent_decoded(href.strip_prefix("file://").unwrap_or(href)));
            let reason = match rules.allow_image(&*files, &folder, &path) {
                Ok(true) => return files.read(&path).ok(),
                Ok(false) => "it is outside of the drawing's folder".to_owned(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
                Err(error) => error.to_string(),
            };
            let mut refused = refused.lock().unwrap_or_else(PoisonError::into_inner);
            refused.insert(href.to_owned(), reason);
            None
        };
        Resources { fonts: Arc::new(fonts), images: Arc::new(images) }
    }

    fn note(&mut self, note: &SvgNote, source: SourceId) {
        let diagnostic = match note.severity {
            bone_render::NoteSeverity::Warning => self.warning(note),
            // What is as its author made it needs no attention.
            bone_render::NoteSeverity::Info => {
                return (self.progress)(LoadStep::Skipped { what: &note.message });
            }
        };
        let place = |p: &bone_render::SvgPlace| Place::new(source, Span::from_range(&p.span));
        let diagnostic = match &note.place {
            Some(at) => diagnostic.at(place(at)),
            None => diagnostic.at(Place::new(source, Span::default())),
        };
        self.diagnostics.push(match &note.other {
            Some(other) => diagnostic.related(place(other), "the other one is here"),
            None => diagnostic,
        });
    }

    /// A warning about the drawing. For an image that may not be read it has the reason.
    fn warning(&self, note: &SvgNote) -> Diagnostic {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let named = |href: &str| {
            let shown: String = href.chars().take(200).collect();
            note.message.contains(&format!("“{shown}”")).then_some(shown)
        };
        let found = refused.iter().find_map(|(href, reason)| Some((named(href)?, reason)));
        let Some((shown, reason)) = found else {
            return Diagnostic::warning("drawing", note.message.clone());
        };
        let warning = Diagnostic::warning("drawing", format!("the image “{shown}” is not read: {reason}"));
        warning.help("copy it beside the drawing, or allow its folder with --allow-images-from")
    }

    fn art_error(&mut self, error: &SvgError, drawing: SourceId, rig: Place) {
        let diagnostic = Diagnostic::error("unreadable-drawing", error.message());
        self.diagnostics.push(match error.place() {
            Some(at) => diagnostic
                .at(Place::new(drawing, Span::from_range(&at.span)))
                .related(rig, "the rig uses this drawing"),
            None => diagnostic.at(rig),
        });
    }
}

/// The path of a sound that a rig names: like images, sounds are in the folder of the rig or below.
///
/// # Errors
/// If there is no such file, or the rig may not name it.
pub fn sound_path(files: &dyn Files, rig: &Path, name: &str) -> Result<PathBuf, Box<Diagnostic>> {
    let folder = rig.parent().unwrap_or(Path::new(""));
    let path = folder.join(name);
    match files.rules().allow_image(files, folder, &path) {
        Ok(true) => Ok(path),
        Ok(false) => {
            let message = format!("the sound \"{name}\" is not read: it is outside of the rig's folder");
            let help = "copy it beside the rig, or allow its folder with --allow-images-from";
            Err(Box::new(Diagnostic::error("unreadable-file", message).help(help)))
        }
        Err(error) => {
            let found =
                unreadable(files, "sound", &path, &error, &["wav", "ogg", "mp3", "flac", "m4a", "opus"]);
            Err(Box::new(found.in_folder_of(name)))
        }
    }
}

/// The error about a file that cannot be read. Suggests a file in the same folder with a similar name and one
/// of the extensions.
pub fn unreadable(
    files: &dyn Files,
    what: &str,
    path: &Path,
    error: &io::Error,
    extensions: &[&str],
) -> Diagnostic {
    let shown = path.display();
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "you may not read it".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    };
    let diagnostic =
        Diagnostic::error("unreadable-file", format!("the {what} \"{shown}\" cannot be read: {reason}"));
    if error.kind() != io::ErrorKind::NotFound {
        return diagnostic;
    }
    let beside = files.beside(path);
    let fitting: Vec<&str> = beside
        .iter()
        .map(String::as_str)
        .filter(|name| extensions.iter().any(|end| Path::new(name).extension().is_some_and(|e| e == *end)))
        .collect();
    let wanted = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match (crate::diagnostic::nearest(wanted, fitting.iter().copied()), fitting.as_slice()) {
        (Some(near), _) => diagnostic.replaced(format!("{near:?}")).help(format!("did you mean \"{near}\"?")),
        (None, [one]) => diagnostic.help(format!("the folder has \"{one}\"")),
        (None, _) => diagnostic,
    }
}

/// `a%20b` -> `a b`; what is not an escape stays.
fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match escaped.filter(|_| byte == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                at += 3;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
