//! Scenes as they were written: rigs that are placed on a drawing, and what they do in shots.

use kurbo::{Point, Vec2};

use super::controls::CameraDoc;
use super::events::{SOUNDS, SoundDoc};
use super::keys::{Channel, DEGREES_KEYS, XY_KEYS};
use super::sequences::{PARTS, PlayDoc};
use crate::schema::types::{ART, BONE, CLIP, DURATION, FROM_START, GROWTH, OUTFIT, PATH, RATE, SPEED, XY};
use crate::schema::{Key, Title, Type, entry, record};
use crate::span::{SourceId, Span, Spanned};

/// Behind the name of a shot, that of the clip with what the scene itself does in it.
pub(crate) const STAGE: &str = "/stage";

record! {
    /// A scene: several rigs on one drawing.
    pub struct SceneDoc = "Scene", Title::This("the scene"), "Scene(version: 1, drawing: \"street.svg\", actors: {\"hero\": (rig: \"hero.ron\")})" {
        /// The text it was read from.
        source: SourceId,
        /// The whole of `Scene( … )`.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// The version of this format.
        opt version: Spanned<u32> = (Type::Version, "1");
        /// The SVG file in which all stand, relative to the scene: its canvas is that of the scene.
        opt drawing: Spanned<String> = (PATH, "\"street.svg\"") also ["svg", "stage", "background"];
        /// Frames a second, unless an option gives another rate.
        opt fps: Spanned<f64> = (RATE, "24", "30") also ["framerate", "frame_rate"];
        /// The rigs; those without a place of their own lie above the drawing, the later above the earlier.
        def actors: Vec<ActorDoc> = (
            Type::Map { key: Key::Name { shown: "name", of: "actor" }, of: &Type::Record(ActorDoc::TABLE), each: "this actor" },
            "none", "{\"hero\": (rig: \"hero.ron\", at: (400, 620))}"
        );
        /// What they do. The shot `film` plays one after the other.
        def shots: Vec<SceneShotDoc> = (
            Type::Map { key: Key::Name { shown: "name", of: "shot" }, of: &Type::Record(SceneShotDoc::TABLE), each: "this shot" },
            "none", "{\"s1\": (length: 6, actors: {\"hero\": (play: [\"walk\"])})}"
        );
    }
}

entry! {
    /// A rig in a scene.
    pub struct ActorDoc = "Actor", Title::Named("actor"), "(rig: \"hero.ron\", at: (400, 620), scale: 0.8)";
    fields {
        /// Its file, relative to the scene, in its folder or below.
        req rig: Spanned<String> = (PATH, "\"hero.ron\"") also ["file", "path"];
        /// Where the middle of the lower edge of its canvas is put, in units of the scene's canvas; with `on`, as seen
        /// from where that bone starts.
        opt at: Spanned<Point> = (XY, "where it is on its own canvas; with `on` (0, 0)", "(400, 620)") also ["position", "place"];
        /// How large it is.
        opt scale: Spanned<f64> = (GROWTH, "1", "0.8") also ["size"];
        /// Art of the scene's drawing below which it lies.
        opt behind: Spanned<String> = (ART, "none: above it", "\"lamp\"") also ["below"];
        /// The bone of another actor that carries it.
        opt on: Spanned<String> = (BONE, "none", "\"hero/hand.R\"") also ["parent"];
        /// Art of the actor that carries it, below which it lies.
        opt under: Spanned<String> = (ART, "none", "\"hero/fingers\"");
        /// Its outfits, in place of those that its rig wears.
        opt wear: Vec<Spanned<String>> = (Type::List { of: &OUTFIT, each: "an outfit" }, "as its rig", "[\"winter\"]");
        /// Art of its drawing that is hidden where nothing shows it, such as its background.
        def hide: Vec<Spanned<String>> = (Type::List { of: &ART, each: "a name of art" }, "none", "[\"sky\"]");
        /// What it plays in shots that say nothing else.
        opt clip: Spanned<String> = (CLIP, "none", "\"idle\"") also ["play"];
        /// When that begins.
        opt start: Spanned<f64> = (FROM_START, "0", "0.3");
        /// How fast it is.
        opt speed: Spanned<f64> = (SPEED, "1", "1.5");
    }
}

entry! {
    /// A shot of a scene.
    pub struct SceneShotDoc = "SceneShot", Title::Named("shot"), "(length: 6, actors: {\"hero\": (play: [\"walk\"])})";
    fields {
        /// How long it is.
        opt length: Spanned<f64> = (DURATION, "until the last actor has played all", "6") also ["duration"];
        /// What the actors do.
        def actors: Vec<RoleDoc> = (
            Type::Map { key: Key::Name { shown: "name", of: "actor" }, of: &Type::Record(RoleDoc::TABLE), each: "this actor" },
            "as they are by themselves", "{\"hero\": (play: [\"walk\"])}"
        );
        /// Where the camera looks; those of the rigs are not used.
        opt camera: CameraDoc = (Type::Record(CameraDoc::TABLE), "the whole drawing", "(zoom: [(0, 1), (4, 2.5)])");
        /// Sounds that begin in it.
        def sounds: Vec<SoundDoc> = (SOUNDS, "none", "[(file: \"street.ogg\")]") also ["sound", "audio"];
    }
}

entry! {
    /// What an actor does in a shot.
    pub struct RoleDoc = "Role", Title::EntryFor("actor"), "(play: [\"walk\"], move: [(0, (0, 0)), (3, (260, 0), Linear)])";
    fields {
        /// Its clips, one after the other. The last one holds or repeats to the end of the shot.
        opt play: Vec<PlayDoc> = (PARTS, "its `clip`", "[(clip: \"walk\", repeat: 3), (clip: \"idle\", fade: 0.3)]") also ["clips"];
        /// How far it is from its place, in units of the scene's canvas.
        opt shift as "move": Channel<Vec2> = (XY_KEYS, "(0, 0)", "[(0, (0, 0)), (3, (260, 0), Linear)]");
        /// How far it is turned about its place, clockwise.
        opt turn: Channel<f64> = (DEGREES_KEYS, "0", "[(0, 0), (1, 15)]") also ["rotate"];
        /// Whether it is there.
        opt visible: Spanned<bool> = (Type::Bool, "true", "false") also ["shown"];
    }
}

/// An actor of a scene that is a rig now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StagedActor {
    /// Its name, which its bone and its group of art have.
    pub name: String,
    /// What it plays, shot by shot.
    pub plays: Vec<StagedPlay>,
}

/// A clip that an actor plays in a shot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StagedPlay {
    /// The shot.
    pub shot: String,
    /// Which of the clips that are written for the actor there; none of its `clip`.
    pub part: Option<u32>,
    /// The clip, and how it is played.
    pub play: PlayDoc,
    /// Seconds of the shot at which it begins.
    pub start: f64,
    /// Seconds that it plays; the last one holds or repeats from then on.
    pub length: f64,
}
