//! Sequences as they were written (`shots` in the file): parts and layers, and the piece of a clip that a
//! part plays.

use super::controls::CameraDoc;
use super::keys::{Channel, SHARE_KEYS};
use crate::schema::types::{BONES, CLIP, DURATION, FADE, FADES, FROM_START, REPEAT, SHARE, SPEED, STEP};
use crate::schema::{Change, Field, Title, Type, WordType, entry, record};
use crate::span::{Span, Spanned};
use bone_core::clip::LayerBlend;

entry! {
    /// Clips one after the other, and layers on top.
    pub struct SequenceDoc = "Shot", Title::Named("shot"), "(play: [\"walk\", \"jump\"])";
    fields {
        /// Ends it earlier, or extends the last part.
        opt length: Spanned<f64> = (DURATION, "as long as its parts take", "4") also ["duration"];
        /// Starts again after its end.
        opt looped as "loop": Spanned<bool> = (Type::Bool, "false", "true") also ["looping", "looped"];
        /// Each drawing is held for so many frames of the rig's `fps`.
        opt step: Spanned<f64> = (STEP, "1", "2");
        /// The clips, one after the other.
        req play: Vec<PlayDoc> = (PARTS, "[\"walk\", (clip: \"walk\", repeat: 3)]")
            also ["clips", "parts", "animations"];
        /// Clips on top, the later above the earlier.
        def layers: Vec<LayerDoc> = (LAYERS, "none", "[(clip: \"wave\", start: 1)]");
        /// Where the camera looks, over the time of the shot: what is keyed here replaces what clips key.
        opt camera: CameraDoc = (Type::Record(CameraDoc::TABLE), "that of its clips", "(zoom: [(0, 1), (4, 2.5)])");
    }
}

pub(crate) const PARTS: Type =
    Type::List { of: &Type::Either(&[CLIP, Type::Record(PlayDoc::TABLE)]), each: "this part of the shot" };
const LAYERS: Type =
    Type::List { of: &Type::Either(&[CLIP, Type::Record(LayerDoc::TABLE)]), each: "this layer" };

impl SequenceDoc {
    /// Whether it starts again after its end.
    pub(crate) fn is_looped(&self) -> bool {
        self.looped.is_some_and(|looped| looped.value)
    }
}

record! {
    /// A clip and how it is played.
    pub struct PlayDoc = "Play", Title::This("this part of the shot"), "(clip: \"walk\", repeat: 3)" {
        /// The whole of it.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// The clip; a shot cannot contain a shot.
        req clip: Spanned<String> = (CLIP, "\"walk\"") also ["name", "animation"];
        /// How many times it plays; 2.5 is two and a half times.
        opt repeat: Spanned<f64> = (REPEAT, "1", "2.5") also ["times", "count", "loop"];
        /// Skips the beginning of the clip.
        opt from: Spanned<f64> = (FROM_START, "0", "0.2") also ["offset"];
        /// 2 is twice as fast; below 0 the same stretch is played backwards.
        opt speed: Spanned<f64> = (SPEED, "1", "-0.5");
        /// How long it plays, in place of `repeat`.
        opt length: Spanned<f64> = (DURATION, "to the end of the clip", "2") also ["duration"];
        /// Angles are blended as they are typed in the fade, 350 to 10 degrees backwards through 340; without it
        /// they take the shorter direction, which is chosen in the middle of the fade.
        opt spin: Spanned<bool> = (Type::Bool, "false", "true");
        /// Cross-fade with the part before, so the shot is shorter by as much; not longer than that part or this
        /// one, and the next fade may begin before it ends. The first part may fade only in a shot that loops: it
        /// fades in over the end.
        opt fade: Spanned<Fade> = (FADE, "0: a cut", "0.2") also ["mix", "crossfade"];
        /// Springs begin anew with it, as in another shot of a film; it has no `fade`.
        opt cut: Spanned<bool> = (Type::Bool, "false", "true");
    }
}

/// Seconds in which something comes and goes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fade {
    /// In which it comes.
    pub start: f64,
    /// In which it goes.
    pub end: f64,
}

/// A piece of a clip, and how fast it is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Seconds into the clip.
    pub from: f64,
    /// Seconds of the clip a second, not 0.
    pub speed: f64,
    /// Seconds that it plays.
    pub length: f64,
    /// How often a clip that does not loop is started over.
    pub rounds: f64,
}

impl PlayDoc {
    /// The piece of a clip of so many seconds, that plays until its end unless `length` or `repeat` is given.
    /// None if nothing is left to play.
    pub fn piece(&self, clip: f64) -> Option<Piece> {
        let number = |field: Option<Spanned<f64>>, default: f64| field.map_or(default, |field| field.value);
        let (from, speed) = (number(self.from, 0.0), number(self.speed, 1.0));
        let rounds = number(self.repeat, 1.0);
        let (length, rounds) = match self.length {
            Some(length) => (length.value, 1.0),
            None => ((rounds * clip - from) / speed.abs(), rounds),
        };
        let usable = |n: f64| n.is_finite() && n > 0.0;
        let sound =
            usable(length) && usable(speed.abs()) && usable(rounds) && from.is_finite() && from >= 0.0;
        sound.then_some(Piece { from, speed, length, rounds })
    }

    /// The seconds in which it comes and goes.
    pub fn fades(&self) -> Fade {
        self.fade.map(|fade| fade.value).unwrap_or_default()
    }
}

record! {
    /// A clip on top of a shot.
    pub struct LayerDoc = "Layer", Title::This("this layer"), "(clip: \"wave\", start: 1, bones: [\"arm.L\"])" {}
    seen |doc, span, _complete| doc.play.span = span;
    fields {
        /// What plays.
        flat play: PlayDoc = (("fade", Change::As(LAYER_FADE)), ("cut", Change::Without));
        /// Its start in the shot.
        opt start: Spanned<f64> = (FROM_START, "0", "1") also ["time", "at"];
        /// The bones that it may move, each with its descendants.
        opt bones: Spanned<Vec<Spanned<String>>> = (BONES, "all", "[\"fore.L\"]") also ["mask"];
        /// Its share; the times of the keys count from its start.
        opt weight: Channel<f64> = (Type::Either(&[SHARE, SHARE_KEYS]), "1", "[(0, 0), (0.5, 1)]")
            also ["opacity", "alpha", "mix"];
        /// `Replace`: keyed values replace those below; `Add`: the differences from the setup pose are added
        /// (rotations, translations, stretches) or multiplied (scales).
        opt mode: Spanned<LayerBlend> = (LayerBlend::TYPE, "`Replace`", "Add");
    }
}

const LAYER_FADE: Field = Field {
    name: "fade",
    of: &FADES,
    default: Some("0"),
    example: "(0.25, 0.5)",
    doc: "Fade in and fade out.",
    synonyms: &[],
};

impl LayerDoc {
    /// The piece of a clip that it plays: a looping clip plays to the end of the shot unless `length` or
    /// `repeat` is given.
    pub fn piece(&self, clip: f64, looped: bool, end: f64) -> Option<Piece> {
        let rest = end - self.start();
        if looped && self.play.length.is_none() && self.play.repeat.is_none() && rest > 0.0 {
            let whole = PlayDoc { length: Some(Spanned::new(rest, self.play.span)), ..self.play.clone() };
            return whole.piece(clip);
        }
        self.play.piece(clip)
    }

    /// Seconds of the shot at which it starts.
    pub fn start(&self) -> f64 {
        self.start.map_or(0.0, |start| start.value)
    }
}
