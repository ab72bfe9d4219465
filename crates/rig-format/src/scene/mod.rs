//! Scenes: several rigs and a drawing become one rig. Names get the name of their actor before them, drawings become
//! groups of one drawing, shots become sequences in which the clips of the actors are layers; then it is a rig.

mod actor;
mod shots;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_core::clip::Vector;
use bone_core::mirrored_name;
use bone_drawing::{ArtProperty, Drawing, ElementId, FindError, JoinedDrawing};
use bone_rig::Rig;
use kurbo::{Affine, Point, Vec2};

pub use self::shots::FILM;

use self::actor::{ActorPart, ActorPlacement, PlacedActor};
use crate::Compiler;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity};
use crate::doc::{ActorDoc, BindingDoc, BoneDoc, BoneKind, RigDoc, RigidDoc, SceneDoc};
use crate::files::plain_path;
use crate::include::merge;
use crate::load::{Loader, sound_path, unreadable};
use crate::read::scene_of_root;
use crate::span::{SourceId, Span, Spanned};
use crate::text::{Node, shortened};

/// More actors than this are a mistake: each costs as much as its rig.
const MOST_ACTORS: usize = 64;

/// A rig that actors play.
struct Cast {
    path: PathBuf,
    doc: RigDoc,
    art: Arc<Drawing>,
    rig: Rig,
}

/// An actor with its rig.
#[derive(Clone, Copy)]
struct Actor<'a> {
    doc: &'a ActorDoc,
    cast: &'a Cast,
}

impl Actor<'_> {
    fn name(&self) -> &str {
        &self.doc.name.value
    }
}

/// A scene that is put together.
struct Stage<'a, 'd> {
    doc: &'a SceneDoc,
    art: &'a Drawing,
    actors: Vec<Actor<'a>>,
    diagnostics: &'d mut Diagnostics,
}

/// A scene that is a rig now.
pub(crate) struct JoinedScene {
    pub(crate) doc: RigDoc,
    pub(crate) art: Arc<Drawing>,
    /// The text of the drawing on which all stand.
    pub(crate) drawing: SourceId,
    /// None with errors.
    pub(crate) rig: Option<Rig>,
}

impl Loader<'_> {
    /// Reads a scene and puts it together; its drawing is the second source.
    pub(crate) fn scene(&mut self, path: &Path, source: SourceId, root: &Node) -> Option<JoinedScene> {
        let scene = scene_of_root(source, root, self.diagnostics);
        let scene = scene.filter(|_| !self.diagnostics.has_errors())?;
        self.joined_scene(path, &scene)
    }

    fn joined_scene(&mut self, path: &Path, scene: &SceneDoc) -> Option<JoinedScene> {
        let own = RigDoc {
            source: scene.source,
            span: scene.span,
            version: scene.version,
            drawing: scene.drawing.clone(),
            fps: scene.fps,
            ..RigDoc::default()
        };
        if scene.actors.len() > MOST_ACTORS {
            let message =
                format!("a scene has at most {MOST_ACTORS} actors, and this one {}", scene.actors.len());
            let place = scene.actors.get(MOST_ACTORS).map(|actor| actor.name.span).unwrap_or_default();
            let help = "draw those that do not move into the drawing of the scene";
            self.diagnostics.push(Diagnostic::error("too-many", message).at(own.place(place)).help(help));
            return None;
        }
        for sound in scene.shots.iter().flat_map(|shot| &shot.sounds) {
            if let Err(mut found) = sound_path(&*self.files, path, &sound.file.value) {
                found.severity = Severity::Warning;
                self.diagnostics.push(found.at(own.place(sound.file.span)));
            }
        }
        let stage = self.drawing(path, &own);
        let casts = self.casts(path, scene);
        let (art, drawing) = stage?;
        let casts = casts?;
        let actors = scene.actors.iter().filter_map(|doc| {
            let path = plain_path(&path.parent().unwrap_or(Path::new("")).join(&doc.rig.value));
            Some(Actor { doc, cast: casts.iter().find(|cast| plain_path(&cast.path) == path)? })
        });
        let actors: Vec<Actor<'_>> = actors.collect();
        let mut stage = Stage { doc: scene, art: &art, actors, diagnostics: self.diagnostics };
        let joined = stage.joined(path, own);
        if self.diagnostics.has_errors() {
            return None;
        }
        let (doc, art) = joined?;
        let mut findings = Diagnostics::new();
        self.compiler.check(&doc, &mut findings);
        let art = Arc::new(art);
        let rig = self.compiler.compile(&doc, &art, drawing, &mut findings);
        // What the rigs have by themselves was reported with their places.
        let is_of_scene = |place: &Place| place.source == scene.source && !place.span.is_empty();
        for finding in findings.iter() {
            if finding.severity == Severity::Error || finding.place.as_ref().is_some_and(is_of_scene) {
                self.diagnostics.push(finding.clone());
            }
        }
        Some(JoinedScene { doc, art, drawing, rig })
    }

    /// The rigs of the actors, each once.
    fn casts(&mut self, path: &Path, scene: &SceneDoc) -> Option<Vec<Cast>> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut casts: BTreeMap<PathBuf, Option<Cast>> = BTreeMap::new();
        for actor in &scene.actors {
            let place = Place::new(scene.source, actor.rig.span);
            let path = folder.join(&actor.rig.value);
            let key = plain_path(&path);
            if casts.contains_key(&key) {
                continue;
            }
            let checked = self.files.rules().check_named(&*self.files, &folder, &path);
            let cast = match checked {
                Ok(()) => self.cast(&path, place),
                Err(error) => {
                    let found = unreadable(&*self.files, "rig", &path, &error, &["ron", "json"]);
                    self.diagnostics.push(found.in_folder_of(&actor.rig.value).at(place));
                    None
                }
            };
            casts.insert(key, cast);
        }
        casts.into_values().collect()
    }

    fn cast(&mut self, path: &Path, place: Place) -> Option<Cast> {
        let (mut compiler, mut own) = (Compiler::new(), Diagnostics::new());
        let mut loader = Loader {
            files: Arc::clone(&self.files),
            fonts: self.fonts,
            progress: &mut *self.progress,
            sources: &mut *self.sources,
            drawing: None,
            compiler: &mut compiler,
            diagnostics: &mut own,
            is_read_clean: false,
            is_part: true,
            refused: Arc::clone(&self.refused),
        };
        let doc = loader.rig(path);
        let drawn = doc.as_ref().and_then(|doc| loader.drawing(path, doc));
        let drawn = drawn.map(|(art, source)| (Arc::new(art), source));
        let rig = doc
            .as_ref()
            .zip(drawn.as_ref())
            .and_then(|(doc, (art, source))| compiler.compile(doc, art, *source, &mut own));
        for mut finding in own.iter().cloned() {
            // The rig itself could not be read.
            finding.place.get_or_insert(place);
            self.diagnostics.push(finding);
        }
        Some(Cast { path: path.to_owned(), doc: doc?, art: drawn?.0, rig: rig? })
    }
}

impl<'a> Stage<'a, '_> {
    fn error(&mut self, span: Span, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic.at(Place::new(self.doc.source, span)));
    }

    fn joined(&mut self, path: &Path, own: RigDoc) -> Option<(RigDoc, Drawing)> {
        self.names();
        let placements = self.placements()?;
        let mut parts: Vec<PlacedActor> = Vec::with_capacity(self.actors.len());
        for (at, placement) in placements.iter().enumerate() {
            parts.push(self.part(at, path, *placement)?);
        }
        let below: Vec<_> = (0..self.actors.len()).map(|at| self.below(at)).collect();
        let hidden: Vec<Vec<ElementId>> = (0..self.actors.len())
            .map(|at| {
                let Actor { doc, cast } = self.actors[at];
                doc.hide.iter().filter_map(|name| self.element(&cast.art, name, &name.value)).collect()
            })
            .collect();
        let sorts = |doc: &RigDoc| {
            let keyed = doc.clips.iter().flat_map(|clip| &clip.art);
            let mut all = keyed.chain(doc.drivers.iter().flat_map(|driver| &driver.art));
            all.any(|art| art.values.get(ArtProperty::Order).is_some())
                || doc.posed_art().any(|art| art.values.0.get(ArtProperty::Order).is_some())
        };
        let joined: Vec<JoinedDrawing<'_>> = self
            .actors
            .iter()
            .zip(&parts)
            .zip(placements.iter().zip(below).zip(&hidden))
            .map(|((actor, part), ((placement, below), hidden))| JoinedDrawing {
                name: actor.name(),
                drawing: &actor.cast.art,
                place: Affine::translate(placement.shift) * Affine::scale(placement.scale),
                below,
                labels: &part.labels,
                hidden,
                isolate: sorts(&actor.cast.doc),
            })
            .collect();
        let art = match self.art.joined(&joined) {
            Ok(art) => art,
            Err(error) => {
                let message = format!("the drawings cannot be one: {error}");
                self.error(self.doc.span, Diagnostic::error("too-many", message));
                return None;
            }
        };
        let (clips, shots, actors) = self.shots(&parts);
        let bones = self.actors.iter().zip(&placements).map(|(actor, placement)| BoneDoc {
            name: actor.doc.name.clone(),
            span: actor.doc.span,
            parent: actor.doc.on.clone(),
            kind: Some(BoneKind::Point.into()),
            from: Some(Spanned::new(placement.of(anchor(&actor.cast.art)), actor.doc.name.span)),
            angle: self.upright(actor).map(Into::into),
            ..BoneDoc::default()
        });
        let skin = self.actors.iter().map(|actor| {
            let name = actor.doc.name.clone();
            BindingDoc::Rigid(RigidDoc { art: name.clone().into(), bone: name, ..RigidDoc::default() })
        });
        let wear = self.actors.iter().flat_map(|actor| {
            let worn = actor.doc.wear.as_ref().unwrap_or(&actor.cast.doc.wear);
            // Those of the rig have places in its own text.
            let is_own = actor.doc.wear.is_some();
            worn.iter().map(move |name| {
                let span = if is_own { name.span } else { Span::default() };
                Spanned::new(format!("{}/{}", actor.name(), name.value), span)
            })
        });
        let (bones, skin, wear) = (bones.collect(), skin.collect(), wear.collect());
        let scene = RigDoc { bones, skin, wear, clips, shots, ..own };
        let docs = parts.into_iter().map(|part| part.doc).chain([scene]).collect();
        Some((RigDoc { is_scene: true, actors, ..merge(docs, Vec::new(), true, self.diagnostics) }, art))
    }

    /// Names that would be read as something else.
    fn names(&mut self) {
        for doc in &self.doc.actors {
            let name = &doc.name.value;
            let why = if name.contains(['/', '#']) {
                "has a `/` or a `#`"
            } else if mirrored_name(name).is_some() || mirrored_name(&format!("{name}/x")).is_some() {
                "has a side"
            } else if self.is_in_drawing(name) {
                "is that of art of the scene's drawing"
            } else {
                continue;
            };
            let message = format!("the name of actor \"{}\" {why}", shortened(name));
            let help =
                "a name of letters and digits: it stands before all names of the rig, as in \"hero/hand.L\"";
            self.error(doc.name.span, Diagnostic::error("file-name", message).help(help));
        }
    }

    /// Whether art of the scene's drawing is called as an actor or as what is in one.
    fn is_in_drawing(&self, name: &str) -> bool {
        let mut names = self.art.elements().iter().flat_map(|it| [&it.id, &it.label]).flatten();
        names.any(|own| own.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }

    /// The actor of a name as `hero/hand.R`, and the rest of it.
    fn named<'n>(&mut self, name: &'n Spanned<String>, field: &str) -> Option<(usize, &'n str)> {
        let (actor, rest) = name.value.split_once('/').unwrap_or((&name.value, ""));
        let found = self.actors.iter().position(|it| it.name() == actor);
        if found.is_none() {
            let message =
                format!("`{field}` is \"{}\", and the scene has no such actor", shortened(&name.value));
            let names = self.doc.actors.iter().map(|actor| actor.name.value.as_str());
            let help = "write the actor, a slash, and its bone or art: \"hero/hand.R\"";
            self.error(
                name.span,
                Diagnostic::error("unknown-actor", message).suggest(actor, names).help(help),
            );
        }
        Some((found?, rest))
    }

    /// Where all actors are; those that carry others come first.
    fn placements(&mut self) -> Option<Vec<ActorPlacement>> {
        let mut hosts: Vec<Option<(usize, Point)>> = Vec::with_capacity(self.actors.len());
        for at in 0..self.actors.len() {
            let doc = self.actors[at].doc;
            let Some(on) = &doc.on else {
                hosts.push(None);
                continue;
            };
            let (host, bone) = self.named(on, "on")?;
            let skeleton = self.actors[host].cast.rig.skeleton();
            let Some(found) = skeleton.find(bone) else {
                let message = format!("`on` is \"{}\", and the rig has no such bone", shortened(&on.value));
                let names: Vec<String> = skeleton
                    .bones()
                    .map(|bone| format!("{}/{}", self.actors[host].name(), skeleton.name(bone)))
                    .collect();
                let error = Diagnostic::error("unknown-bone", message);
                self.error(on.span, error.suggest(&on.value, names.iter().map(String::as_str)));
                return None;
            };
            hosts.push(Some((host, (skeleton.setup_world(found) * Point::ORIGIN))));
        }
        let mut placements: Vec<Option<ActorPlacement>> = vec![None; self.actors.len()];
        for start in 0..self.actors.len() {
            // The way to one that is placed, or that nothing carries.
            let mut way = vec![start];
            while let Some((host, _)) =
                hosts[way[way.len() - 1]].filter(|(host, _)| placements[*host].is_none())
            {
                if way.contains(&host) {
                    let on = self.actors[start].doc.on.as_ref().map_or(Span::default(), |on| on.span);
                    let error = Diagnostic::error("cycle", "these actors carry each other");
                    self.error(on, error.help("let one of them stand on the canvas, without `on`"));
                    return None;
                }
                way.push(host);
            }
            for at in way.into_iter().rev() {
                let Actor { doc, cast } = &self.actors[at];
                let anchor = anchor(&cast.art);
                let scale = doc.scale.map_or(1.0, |scale| scale.value);
                let given = doc.at.map(|at| at.value);
                let place = match hosts[at].and_then(|(host, bone)| Some(placements[host]?.of(bone))) {
                    Some(bone) => bone + given.map_or(Vec2::ZERO, Point::to_vec2),
                    None => given.unwrap_or(anchor),
                };
                placements[at] =
                    Some(ActorPlacement { scale, shift: place.to_vec2() - scale * anchor.to_vec2() });
            }
        }
        placements.into_iter().collect()
    }

    /// The angle by which the bone that carries an actor is turned on the canvas, backwards: its own has none.
    fn upright(&self, actor: &Actor<'_>) -> Option<f64> {
        let (host, bone) = actor.doc.on.as_ref()?.value.split_once('/')?;
        let skeleton = self.actors.iter().find(|it| it.name() == host)?.cast.rig.skeleton();
        Some(-skeleton.setup_angle(skeleton.find(bone)?).degrees())
    }

    fn part(&mut self, at: usize, scene: &Path, placement: ActorPlacement) -> Option<PlacedActor> {
        let Actor { doc, cast } = &self.actors[at];
        let folder = Path::new(&doc.rig.value).parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.map_or(String::new(), |folder| format!("{}/", folder.display()));
        let fps = self.doc.fps.map_or(RigDoc::FPS, |fps| fps.value);
        let part = ActorPart {
            name: &doc.name.value,
            doc: &cast.doc,
            art: &cast.art,
            stage: self.art,
            placement,
            fps,
            folder: &folder,
        };
        let mut findings = Diagnostics::new();
        let placed = part.placed(&mut findings);
        if placed.is_none() {
            let first = findings.iter().next().map_or("", |finding| finding.message.as_str());
            let message = format!("actor \"{}\" cannot be placed: {first}", shortened(&doc.name.value));
            let span = doc.scale.map_or(doc.name.span, |scale| scale.span);
            let help = format!("\"{}\" has lengths that are too small or too large here", scene.display());
            self.error(span, Diagnostic::error("out-of-range", message).help(help));
        }
        placed
    }

    /// What an actor lies below.
    fn below(&mut self, at: usize) -> Option<(Option<usize>, ElementId)> {
        let doc = self.actors[at].doc;
        let (of, name, rest) = match (&doc.under, &doc.behind) {
            (Some(under), Some(behind)) => {
                let error = Diagnostic::error(
                    "conflicting-fields",
                    "an actor is below one thing: `under` or `behind`",
                );
                self.error(behind.span, error.related(Place::new(self.doc.source, under.span), "here"));
                return None;
            }
            (Some(under), None) => {
                let (of, rest) = self.named(under, "under")?;
                let carrier = doc.on.as_ref().and_then(|on| on.value.split_once('/'));
                if carrier.is_none_or(|(carrier, _)| carrier != self.actors[of].name()) {
                    let message = "`under` names art of an actor that does not carry this one";
                    let help = "add `on` with a bone of that actor, or write `behind` for art of the scene's drawing";
                    self.error(under.span, Diagnostic::error("not-possible-here", message).help(help));
                    return None;
                }
                (Some(of), under, rest)
            }
            (None, Some(behind)) => (None, behind, behind.value.as_str()),
            (None, None) => return None,
        };
        let art = of.map_or(self.art, |of| &*self.actors[of].cast.art);
        self.element(art, name, rest).map(|element| (of, element))
    }

    /// The element of a drawing; `named` is what is written.
    fn element(&mut self, art: &Drawing, named: &Spanned<String>, name: &str) -> Option<ElementId> {
        match art.find(name) {
            Ok(element) => Some(element),
            Err(error) => {
                let code = match error {
                    FindError::Ambiguous { .. } => "ambiguous-art",
                    FindError::NotDrawn { .. } => "not-drawn",
                    _ => "unknown-art",
                };
                self.error(named.span, Diagnostic::error(code, error.to_string().replace(['“', '”'], "\"")));
                None
            }
        }
    }
}

/// The place of a drawing that is put at `at`: the middle of the lower edge of its canvas.
fn anchor(art: &Drawing) -> Point {
    let canvas = art.canvas();
    Point::new(canvas.center().x, canvas.y1)
}
