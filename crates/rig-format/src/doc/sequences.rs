//! Sequences as they were written (`shots` in the file): parts and layers, and the piece of a clip that a
//! part plays.

use super::Channel;
use crate::span::{Span, Spanned};

/// Clips one after the other, and layers on top.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SequenceDoc {
    /// Its name.
    pub name: Spanned<String>,
    /// Its brackets.
    pub span: Span,
    /// What plays, one after the other.
    pub play: Vec<PlayDoc>,
    /// What plays besides, the later on top of the earlier.
    pub layers: Vec<LayerDoc>,
    /// Seconds; none for as long as it plays.
    pub length: Option<Spanned<f64>>,
    /// Whether it starts again after its end.
    pub looped: Option<Spanned<bool>>,
    /// How many frames of the rig each drawing is held for.
    pub step: Option<Spanned<f64>>,
    /// Whether every part was readable.
    pub complete: bool,
}

impl SequenceDoc {
    /// Whether it starts again after its end.
    pub fn is_looped(&self) -> bool {
        self.looped.is_some_and(|looped| looped.value)
    }
}

/// A clip and how it is played.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlayDoc {
    /// The whole of it.
    pub span: Span,
    /// Which clip.
    pub clip: Spanned<String>,
    /// How often.
    pub repeat: Option<Spanned<f64>>,
    /// Seconds into the clip.
    pub from: Option<Spanned<f64>>,
    /// Seconds of the clip a second.
    pub speed: Option<Spanned<f64>>,
    /// Seconds that it plays, in place of `repeat`.
    pub length: Option<Spanned<f64>>,
    /// Seconds in which it comes, and for a layer those in which it goes.
    pub fade: Option<Spanned<Fade>>,
    /// Whether angles do not go the shorter way while it fades.
    pub spin: Option<Spanned<bool>>,
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

/// A clip on top of a shot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerDoc {
    /// What plays.
    pub play: PlayDoc,
    /// Seconds of the shot at which it starts.
    pub start: Option<Spanned<f64>>,
    /// The bones that it may move, with their descendants; all bones if none are named.
    pub bones: Option<Spanned<Vec<Spanned<String>>>>,
    /// Its weight over the seconds since its start.
    pub weight: Option<Channel<f64>>,
    /// How it is combined with the layers below.
    pub mode: Option<Spanned<Mode>>,
}

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

/// How a layer is combined with the layers below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The keyed values of its clip replace the values below.
    #[default]
    Replace,
    /// The differences of its clip from the setup pose are added.
    Add,
}
