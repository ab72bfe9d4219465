//! Shots: clips that exist, pieces of them that can be played, fades that fit, layers that do something.
//! Whether parents would have to be mixed is checked by the compiler, which has the parents at each time.

use std::collections::BTreeMap;

use bone_core::clip::ClipTime;
use bone_core::in_few_digits_beside;

use crate::check::Checker;
use crate::check::clips::{Axis, seconds_beside};
use crate::diagnostic::Diagnostic;
use crate::doc::{ClipDoc, Extend, LayerDoc, PlayDoc, SequenceDoc};
use crate::span::{Span, Spanned};
use crate::text::shortened;

/// Keys of the weight of one layer: between two of them the way of every angle is settled anew.
const MOST_WEIGHT_KEYS: usize = 1000;

/// Seconds that a fade may be too long: lengths are sums.
const SLACK: f64 = 1e-9;

/// What is known of a clip.
#[derive(Clone, Copy)]
struct ClipInfo<'c> {
    clip: &'c ClipDoc,
    /// None if it is unusable, which is reported where it is.
    time: Option<ClipTime>,
}

/// The clips and the shots of a rig by their names.
struct SequenceNames<'c> {
    clips: BTreeMap<&'c str, ClipInfo<'c>>,
    shots: BTreeMap<&'c str, Span>,
}

impl Checker<'_, '_> {
    pub(super) fn sequences(&mut self) {
        let doc = self.doc;
        if doc.shots.is_empty() {
            return;
        }
        let known = |clip| ClipInfo { clip, time: ClipDoc::time(clip) };
        let names = SequenceNames {
            clips: doc.clips.iter().map(|clip| (clip.name.value.as_str(), known(clip))).collect(),
            shots: doc.shots.iter().map(|shot| (shot.name.value.as_str(), shot.name.span)).collect(),
        };
        for shot in &doc.shots {
            if let Some(twin) = names.clips.get(shot.name.value.as_str()) {
                let place = self.place(twin.clip.name.span);
                let message = format!("shot \"{}\" has the name of a clip", shortened(&shot.name.value));
                let diagnostic = Diagnostic::error("duplicate", message).related(place, "the clip");
                self.error(shot.name.span, diagnostic.help("give the shot another name"));
            }
            self.file_name("shot", &shot.name);
            let end = self.sequence(shot, &names);
            for layer in &shot.layers {
                self.layer(layer, &names, end);
            }
            shot.camera.iter().for_each(|camera| self.camera(Axis::Layer, camera));
        }
    }

    /// The parts of a shot. Returns its length if it is known.
    fn sequence(&mut self, shot: &SequenceDoc, names: &SequenceNames<'_>) -> Option<f64> {
        let mut lengths = Vec::with_capacity(shot.play.len());
        for play in &shot.play {
            let known = self.clip_of(play, names);
            self.numbers(play);
            lengths.push(known.and_then(|known| self.piece(play, known, play.piece(known.time?.length))));
        }
        let whole = shot.length.map(|length| length.value);
        let first = shot.play.first()?;
        if let Some(fade) = first.fade.filter(|fade| fade.value.start > 0.0 && !shot.is_looped()) {
            let message = "the first part of a shot that does not loop cannot have `fade`";
            self.error(
                fade.span,
                Diagnostic::error("fade-does-not-fit", message)
                    .help("move `fade` to the second part, or write loop: true"),
            );
            return None;
        }
        for play in &shot.play {
            if let (Some(cut), Some(fade)) =
                (play.cut.filter(|cut| cut.value), play.fade.filter(|fade| fade.value.start > 0.0))
            {
                let message = "a part with `cut` cannot have `fade`";
                let place = self.place(fade.span);
                self.error(
                    cut.span,
                    Diagnostic::error("conflicting-fields", message).related(place, "the fade"),
                );
            }
        }
        let lengths: Vec<f64> = lengths.into_iter().collect::<Option<_>>()?;
        let fades: Vec<f64> = shot.play.iter().map(|play| play.fades().start.max(0.0)).collect();
        let mut fit = true;
        for (i, (play, length)) in shot.play.iter().zip(&lengths).enumerate() {
            // It comes by its own fade and goes by that of the next, which may overlap; in a loop the first
            // follows the last.
            let next = (i + 1) % shot.play.len();
            fit &= if next == i {
                self.fades_fit(play, *length, fades[i], fades[i])
            } else {
                self.fades_fit(play, *length, fades[i], 0.0)
                    && self.fades_fit(play, *length, 0.0, fades[next])
            };
        }
        let end = lengths.iter().sum::<f64>() - fades.iter().sum::<f64>();
        if let Some(fade) = first.fade.filter(|_| fit && fades[0] > end + SLACK) {
            let message = format!(
                "this fade is {} long, and with its fades the loop takes only {}",
                seconds_beside(fades[0], &[end]),
                in_few_digits_beside(end, &[fades[0]])
            );
            let diagnostic = Diagnostic::error("fade-does-not-fit", message);
            self.error(fade.span, diagnostic.help("make the fades shorter, or add repeat: 2 to a part"));
            fit = false;
        }
        fit.then_some(whole.unwrap_or(end)).filter(|end| *end > 0.0)
    }

    fn fades_fit(&mut self, play: &PlayDoc, length: f64, start: f64, end: f64) -> bool {
        if start + end <= length + SLACK {
            return true;
        }
        let span = play.fade.map_or(play.span, |fade| fade.span);
        let name = shortened(&play.clip.value);
        let numbers = [start, end, length];
        let [start_text, end_text, length_text] = numbers.map(|time| in_few_digits_beside(time, &numbers));
        let plays = seconds_beside(length, &numbers);
        let message = match (start, end) {
            (_, 0.0) => {
                let fade = seconds_beside(start, &numbers);
                format!("this fade is {fade} long, and \"{name}\" plays for only {length_text}")
            }
            (0.0, _) => {
                format!("\"{name}\" plays for {plays}, and the fade to the next part takes {end_text}")
            }
            _ => format!("\"{name}\" plays for {plays}, and its fades take {start_text} and {end_text}"),
        };
        self.error(
            span,
            Diagnostic::error("fade-does-not-fit", message).help("make the fade shorter, or add repeat: 2"),
        );
        false
    }

    /// The clip that a part or a layer plays.
    fn clip_of<'c>(&mut self, play: &PlayDoc, names: &SequenceNames<'c>) -> Option<ClipInfo<'c>> {
        let name = play.clip.value.as_str();
        let known = names.clips.get(name).copied();
        if known.is_some() {
            return known;
        }
        if let Some(shot) = names.shots.get(name) {
            let place = self.place(*shot);
            let message = format!("\"{}\" is a shot, and a shot can play only clips", shortened(name));
            let diagnostic = Diagnostic::error("unknown-clip", message).related(place, "the shot");
            self.error(play.clip.span, diagnostic.help("list the clips of that shot here"));
        } else if self.doc.complete {
            let message = format!("this plays \"{}\", and there is no such clip", shortened(name));
            let mut diagnostic = Diagnostic::error("unknown-clip", message);
            if self.diagnostics.error_count() < crate::Diagnostics::KEPT {
                diagnostic = diagnostic.suggest(name, names.clips.keys().copied());
            }
            if names.clips.is_empty() {
                diagnostic = diagnostic.help("this rig has no clips");
            }
            self.error(play.clip.span, diagnostic);
        }
        None
    }

    /// How long a piece plays is given once.
    fn numbers(&mut self, play: &PlayDoc) {
        let repeat = ("repeat", play.repeat.map(|repeat| repeat.span));
        let length = ("length", play.length.map(|length| length.span));
        let help = "`repeat` is how often it plays, `length` for how many seconds: keep one";
        self.both("this", repeat, length, help);
    }

    /// The seconds that a piece plays; what is left of a clip after `from` may be nothing.
    fn piece(
        &mut self,
        play: &PlayDoc,
        known: ClipInfo<'_>,
        piece: Option<crate::doc::Piece>,
    ) -> Option<f64> {
        let duration = known.time?.length;
        let rounds = play.repeat.map_or(1.0, |repeat| repeat.value);
        if let Some(from) = play.from.filter(|from| play.length.is_none() && from.value >= rounds * duration)
        {
            let message = format!(
                "`from` is at or after the end of \"{}\": it is {}, and the clip plays for {}",
                shortened(&play.clip.value),
                seconds_beside(from.value, &[rounds * duration]),
                seconds_beside(rounds * duration, &[from.value])
            );
            let place = self.place(known.clip.name.span);
            self.error(from.span, Diagnostic::error("key-outside-clip", message).related(place, "the clip"));
        }
        piece.map(|piece| piece.length)
    }

    fn layer(&mut self, layer: &LayerDoc, names: &SequenceNames<'_>, end: Option<f64>) {
        let play = &layer.play;
        let known = self.clip_of(play, names);
        self.numbers(play);
        self.weight(layer);
        if let (Some(start), Some(end)) = (layer.start, end.filter(|end| layer.start() >= *end)) {
            let message = format!(
                "this layer starts at {}, and the shot ends at {}",
                seconds_beside(start.value, &[end]),
                in_few_digits_beside(end, &[start.value])
            );
            self.error(start.span, Diagnostic::warning("no-effect", message));
        }
        self.mask(layer.bones.as_ref());
        let fades = play.fades();
        if fades.start < 0.0 || fades.end < 0.0 {
            return;
        }
        let (Some(known), Some(end)) = (known, end) else { return };
        let piece = known.time.and_then(|time| layer.piece(time.length, time.looped, end));
        if let Some(length) = self.piece(play, known, piece) {
            self.fades_fit(play, length, fades.start, fades.end);
        }
    }

    fn weight(&mut self, layer: &LayerDoc) {
        let Some(weight) = &layer.weight else { return };
        self.channel(Axis::Layer, "`weight`", weight, |weight| weight);
        if let Some(extend) = weight.extend.filter(|extend| extend.value != Extend::Hold) {
            let diagnostic = Diagnostic::error(
                "not-possible-here",
                "`weight` of a layer cannot have `extend`: it holds before and after its keys",
            );
            self.error(extend.span, diagnostic.help("remove `extend`, and write all keys"));
        }
        if weight.keys.len() > MOST_WEIGHT_KEYS {
            let message = format!("`weight` of a layer must have at most {MOST_WEIGHT_KEYS} keys");
            self.error(weight.span, Diagnostic::error("too-many", message));
        }
    }

    /// The bones that a layer may move.
    pub(super) fn mask(&mut self, bones: Option<&Spanned<Vec<Spanned<String>>>>) {
        let Some(bones) = bones else { return };
        if bones.value.is_empty() {
            let diagnostic = Diagnostic::error("empty", "`bones` of this layer is empty");
            return self.error(
                bones.span,
                diagnostic.help("leave `bones` out if the layer applies to all bones of its clip"),
            );
        }
        for bone in &bones.value {
            self.refer(bone, "`bones` of this layer names");
        }
    }
}
