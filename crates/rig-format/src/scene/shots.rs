//! The shots of a scene as sequences: a clip for what the scene itself does, and above it the clips of each actor as
//! layers. Actors have no names in common, so that layers of different actors do not meet.

use std::collections::BTreeMap;
use std::sync::Arc;

use bone_core::clip::{LayerBlend, Scalar};

use super::actor::read_value;
use super::*;
use crate::doc::{
    ArtDoc, BoneChannelsDoc, Channel, ClipDoc, Fade, LayerDoc, PlayDoc, RoleDoc, STAGE, SceneShotDoc,
    SequenceDoc, StagedActor, StagedPlay,
};
use crate::session::DocValue;

/// The shot of a scene that plays all of them, unless the scene has one of this name.
pub const FILM: &str = "film";

/// Layers of all shots together; each is looked at for each bone.
const MOST_LAYERS: usize = 4000;

/// Seconds by which a clip ends before the next one of its actor begins, so that no frame has both.
const APART: f64 = 1e-6;

/// A piece of a clip that an actor plays.
#[derive(Clone)]
struct ActorTake {
    play: PlayDoc,
    /// Seconds of the shot.
    start: f64,
    length: f64,
}

/// A shot of the scene: what its own clip and its layers are, and what each actor plays.
struct Shot {
    clip: ClipDoc,
    layers: Vec<LayerDoc>,
    length: f64,
    plays: Vec<Vec<StagedPlay>>,
}

/// Clips of which a part fades while the rest is covered by the next one.
#[derive(Default)]
struct ClipHalves(BTreeMap<String, ClipDoc>);

impl Stage<'_, '_> {
    /// The clips that the scene adds, its shots, and its actors with what they play.
    pub(super) fn shots(
        &mut self,
        parts: &[PlacedActor],
    ) -> (Vec<ClipDoc>, Vec<SequenceDoc>, Vec<StagedActor>) {
        let mut halves = ClipHalves::default();
        let staged = |actor: &Actor<'_>| StagedActor { name: actor.name().to_owned(), plays: Vec::new() };
        let staged: Vec<StagedActor> = self.actors.iter().map(staged).collect();
        let mut shots: Vec<(&SceneShotDoc, Shot)> = Vec::new();
        let scene = self.doc;
        for doc in &scene.shots {
            for role in &doc.actors {
                if scene.actors.iter().all(|actor| actor.name.value != role.name.value) {
                    let message = format!("the scene has no actor \"{}\"", shortened(&role.name.value));
                    let names = scene.actors.iter().map(|actor| actor.name.value.as_str());
                    let error = Diagnostic::error("unknown-actor", message).suggest(&role.name.value, names);
                    self.error(role.name.span, error);
                }
            }
            let built = self.shot(doc, parts, &mut halves);
            shots.extend(built.map(|shot| (doc, shot)));
            if shots.iter().map(|(_, shot)| shot.layers.len()).sum::<usize>() > MOST_LAYERS {
                let message = format!("the shots play more than {MOST_LAYERS} clips");
                let help = "let clips loop in place of playing them again and again, or split the scene";
                self.error(doc.name.span, Diagnostic::error("too-many", message).help(help));
                return (Vec::new(), Vec::new(), staged);
            }
        }
        let mut sequences: Vec<SequenceDoc> = Vec::new();
        if !shots.is_empty()
            && shots.len() == scene.shots.len()
            && shots.iter().all(|(doc, _)| doc.name.value != FILM)
        {
            let (mut play, mut layers, mut start) = (Vec::new(), Vec::new(), 0.0);
            for (at, (_, shot)) in shots.iter().enumerate() {
                let is_last = at + 1 == shots.len();
                let cut = Some(true.into());
                play.push(PlayDoc { cut, ..whole(&shot.clip, shot.length) });
                layers.extend(shot.layers.iter().map(|layer| {
                    let own = layer.start.unwrap_or_default();
                    // It ends with its shot.
                    let rest = shot.length - own.value - if is_last { 0.0 } else { APART };
                    let cut = layer.play.length.map(|length| length.map(|length| length.min(rest)));
                    let play = PlayDoc { length: cut, ..layer.play.clone() };
                    LayerDoc { start: Some(own.map(|own| own + start)), play, ..layer.clone() }
                }));
                start += shot.length;
            }
            let name = Spanned::new(FILM.to_owned(), scene.span);
            sequences.push(SequenceDoc { name, play, layers, ..SequenceDoc::default() });
        }
        let mut clips: Vec<ClipDoc> = halves.0.into_values().collect();
        let mut actors = staged;
        for (doc, shot) in shots {
            for (actor, plays) in actors.iter_mut().zip(shot.plays) {
                actor.plays.extend(plays);
            }
            sequences.push(SequenceDoc {
                name: doc.name.clone(),
                span: doc.span,
                length: Some(shot.length.into()),
                play: vec![whole(&shot.clip, shot.length)],
                layers: shot.layers,
                ..SequenceDoc::default()
            });
            clips.push(shot.clip);
        }
        (clips, sequences, actors)
    }

    fn shot(&mut self, doc: &SceneShotDoc, parts: &[PlacedActor], halves: &mut ClipHalves) -> Option<Shot> {
        let roles: Vec<Option<&RoleDoc>> = self
            .actors
            .iter()
            .map(|actor| doc.actors.iter().find(|role| role.name.value == actor.name()))
            .collect();
        let (takes, plays): (Vec<Vec<ActorTake>>, Vec<Vec<StagedPlay>>) =
            roles.iter().enumerate().map(|(at, role)| self.takes(&doc.name.value, (at, *role))).unzip();
        let ends = takes.iter().flatten().map(|take| take.start + take.length);
        let moved = roles.iter().flatten().flat_map(|role| {
            let shift = role.shift.iter().flat_map(|channel| &channel.keys).map(|key| key.time.value);
            shift.chain(role.turn.iter().flat_map(|channel| &channel.keys).map(|key| key.time.value))
        });
        let length = doc.length.map_or_else(|| ends.chain(moved).fold(0.0, f64::max), |length| length.value);
        if !(length > 0.0 && length.is_finite()) {
            let message = format!("shot \"{}\" has no length", shortened(&doc.name.value));
            let help = "add `length` in seconds, or give an actor something to play";
            self.error(doc.name.span, Diagnostic::error("missing-field", message).help(help));
            return None;
        }
        let mut layers = Vec::new();
        for (at, takes) in takes.into_iter().enumerate() {
            self.layers((at, takes), &parts[at], length, halves, &mut layers);
        }
        Some(Shot { clip: self.stage_clip(doc, &roles, length), layers, length, plays })
    }

    /// What the scene itself does in a shot.
    fn stage_clip(&self, doc: &SceneShotDoc, roles: &[Option<&RoleDoc>], length: f64) -> ClipDoc {
        let mut clip = ClipDoc {
            name: doc.name.clone().map(|name| name + STAGE),
            span: doc.span,
            length: Some(Spanned::new(length, doc.name.span)),
            sounds: doc.sounds.clone(),
            camera: doc.camera.clone(),
            ..ClipDoc::default()
        };
        for (actor, role) in self.actors.iter().zip(roles) {
            let Some(role) = role else { continue };
            let name = || Spanned::new(actor.name().to_owned(), role.name.span);
            let mut bone = BoneChannelsDoc::new(name());
            if let Some(shift) = &role.shift {
                bone = bone.with(Vector::Move, shift.clone());
            }
            if let Some(turn) = &role.turn {
                bone = bone.with(Scalar::Rotate, turn.clone());
            }
            if role.shift.is_some() || role.turn.is_some() {
                clip.bones.push(bone);
            }
            if let Some(visible) = role.visible {
                clip.art.push(ArtDoc::new(name()).with(ArtProperty::Visible, Channel::constant(visible)));
            }
        }
        clip
    }

    /// What an actor plays, one after the other: in pieces, and as it is written.
    fn takes(
        &mut self,
        shot: &str,
        (at, role): (usize, Option<&RoleDoc>),
    ) -> (Vec<ActorTake>, Vec<StagedPlay>) {
        let Actor { doc, cast } = self.actors[at];
        let usual = || {
            let clip = doc.clip.clone()?;
            Some(PlayDoc { span: clip.span, clip, speed: doc.speed, ..PlayDoc::default() })
        };
        let is_written = role.is_some_and(|role| role.play.is_some());
        let (plays, mut start) = match role.and_then(|role| role.play.clone()) {
            Some(plays) => (plays, 0.0),
            None => (usual().into_iter().collect(), doc.start.map_or(0.0, |start| start.value)),
        };
        let mut takes: Vec<ActorTake> = Vec::new();
        let mut staged: Vec<StagedPlay> = Vec::new();
        for (part, play) in plays.into_iter().enumerate() {
            let name = &play.clip.value;
            let Some(clip) = cast.rig.clip(name).filter(|clip| clip.sequence().is_none()) else {
                let message = format!("actor \"{}\" has no clip \"{}\"", doc.name.value, shortened(name));
                let clips = cast.doc.clips.iter().map(|clip| clip.name.value.as_str());
                let error = Diagnostic::error("unknown-clip", message).suggest(name, clips);
                self.error(play.clip.span, error);
                continue;
            };
            let time = clip.time();
            let Some(piece) = play.piece(time.length) else {
                let message = format!("nothing of \"{}\" is left to play", shortened(name));
                self.error(
                    play.span,
                    Diagnostic::error("out-of-range", message).help("check `from`, `speed` and `length`"),
                );
                continue;
            };
            let fade = play.fades().start;
            let last = takes.last().map_or(0.0, |last| last.length);
            if fade > piece.length || !takes.is_empty() && fade > last {
                let message = "this fade is longer than what it fades";
                let span = play.fade.map_or(play.span, |fade| fade.span);
                self.error(
                    span,
                    Diagnostic::error("fade-does-not-fit", message).help("make the fade shorter"),
                );
                continue;
            }
            start -= if takes.is_empty() { 0.0 } else { fade };
            staged.push(StagedPlay {
                shot: shot.to_owned(),
                part: is_written.then_some(part as u32),
                play: play.clone(),
                start,
                length: piece.length,
            });
            // A clip that does not loop is played again as often as is written; the last time may be cut.
            let rounds = if time.looped || piece.rounds <= 1.0 { 1.0 } else { piece.rounds };
            let whole = time.length / piece.speed.abs();
            let count = if rounds > 1.0 { (rounds - 1e-9).ceil().min(MOST_LAYERS as f64 + 1.0) } else { 1.0 };
            let mut left = piece.length;
            for round in 0..count as usize {
                let skipped = if rounds > 1.0 && round > 0 { 0.0 } else { piece.from };
                let own = if rounds > 1.0 { (whole - skipped / piece.speed.abs()).min(left) } else { left };
                if own <= 0.0 {
                    break;
                }
                let fade = play.fade.filter(|_| round == 0);
                let mut play = PlayDoc { length: Some(own.into()), repeat: None, fade, ..play.clone() };
                play.from = Some(skipped.into());
                takes.push(ActorTake { play, start, length: own });
                start += own;
                left -= own;
            }
        }
        (takes, staged)
    }

    /// The layers of what an actor plays.
    fn layers(
        &self,
        (at, mut takes): (usize, Vec<ActorTake>),
        part: &PlacedActor,
        end: f64,
        halves: &mut ClipHalves,
        layers: &mut Vec<LayerDoc>,
    ) {
        takes.retain(|take| take.start < end);
        if let Some(last) = takes.last_mut() {
            // It holds its end, or is repeated.
            last.length = last.length.max(end - last.start);
        }
        let actor = self.actors[at].name();
        for (index, take) in takes.iter().enumerate() {
            let next = takes.get(index + 1);
            let name = take.play.clip.clone().map(|clip| format!("{actor}/{clip}"));
            let fade_in = take.play.fades().start;
            let mut add = |clip: Spanned<String>, fade_out: f64| {
                let fade = (fade_in > 0.0 || fade_out > 0.0).then(|| {
                    let fade = Fade { start: fade_in, end: fade_out };
                    Spanned::new(fade, take.play.fade.map_or(take.play.span, |fade| fade.span))
                });
                let length = if next.is_some() { take.length - APART } else { take.length };
                let play = PlayDoc { clip, length: Some(length.into()), fade, ..take.play.clone() };
                let start = Some(take.start.into());
                let mode = Some(LayerBlend::Replace.into());
                layers.push(LayerDoc { play, start, mode, ..LayerDoc::default() });
            };
            let fade_out = next.map_or(0.0, |next| next.play.fades().start);
            if fade_out == 0.0 {
                add(name, 0.0);
                continue;
            }
            // What the next clip keys, too, stays below it; the rest goes while the next one comes.
            let next = next.map(|next| next.play.clip.value.as_str()).unwrap_or_default();
            for (covered, fade) in [(true, 0.0), (false, fade_out)] {
                if let Some(half) = halves.of((actor, &take.play.clip.value, next), covered, part) {
                    add(Spanned::new(half, name.span), fade);
                }
            }
        }
    }
}

impl ClipHalves {
    /// The name of what a clip has in common with the one after it, or of the rest; none if that is nothing.
    fn of(
        &mut self,
        (actor, clip, next): (&str, &str, &str),
        covered: bool,
        part: &PlacedActor,
    ) -> Option<String> {
        let name = format!("{actor}/{clip} {} {next}", if covered { "under" } else { "before" });
        if self.0.contains_key(&name) {
            return Some(name);
        }
        let clips = part.value.field("clips")?;
        let entry = |clip: &str| clips.child(clips.position(&format!("{actor}/{clip}"))?);
        let half = half(entry(clip)?, entry(next)?, covered)?;
        let rig = DocValue::fields(
            None,
            [
                ("version", 1.0.into()),
                ("drawing", "-".into()),
                ("clips", DocValue::map([(name.as_str(), half)])),
            ],
        );
        let read = read_value(&rig, &mut Diagnostics::new())?.clips.pop()?;
        self.0.insert(name.clone(), read);
        Some(name)
    }
}

/// The channels of a clip that another one keys, too, or those that it does not.
fn half(clip: &DocValue, next: &DocValue, covered: bool) -> Option<DocValue> {
    let DocValue::Fields(name, fields) = clip else { return None };
    let mut found = false;
    let mut kept: Vec<(Arc<str>, DocValue)> = Vec::new();
    for (section, value) in fields.iter() {
        let other = next.field(section);
        match (&**section, value) {
            (
                "bones" | "art" | "constraints" | "offsets" | "setup" | "weights" | "paints" | "filters"
                | "ink",
                _,
            ) => {
                let value = split(value, other, 1, covered);
                found |= value.len() > 0;
                kept.push((Arc::clone(section), value));
            }
            ("sliders", _) => {
                let value = split(value, other, 0, covered);
                found |= value.len() > 0;
                kept.push((Arc::clone(section), value));
            }
            // Poses are keys of many channels, which stay together; so do events.
            ("pose" | "poses" | "events" | "sounds", _) if covered => {
                found = true;
                kept.push((Arc::clone(section), value.clone()));
            }
            ("pose" | "poses" | "events" | "sounds", _) => {}
            _ => kept.push((Arc::clone(section), value.clone())),
        }
    }
    found.then(|| DocValue::Fields(name.clone(), Arc::new(kept)))
}

/// The entries that are in another map, too, or those that are not; `depth` levels further down.
fn split(map: &DocValue, other: Option<&DocValue>, depth: usize, covered: bool) -> DocValue {
    let keep = |key: &str, value: &DocValue| {
        let other = other.and_then(|other| other.child(other.position(key)?));
        if depth == 0 {
            return (other.is_some() == covered).then(|| value.clone());
        }
        let rest = split(value, other, depth - 1, covered);
        (rest.len() > 0).then_some(rest)
    };
    match map {
        DocValue::Map(entries) => {
            let kept =
                entries.iter().filter_map(|(key, value)| Some((key.clone(), keep(&key.key_name()?, value)?)));
            DocValue::Map(Arc::new(kept.collect()))
        }
        DocValue::Fields(name, fields) => {
            let kept = fields.iter().filter_map(|(key, value)| Some((Arc::clone(key), keep(key, value)?)));
            DocValue::Fields(name.clone(), Arc::new(kept.collect()))
        }
        other => other.clone(),
    }
}

/// A clip that plays once.
fn whole(clip: &ClipDoc, length: f64) -> PlayDoc {
    PlayDoc { clip: clip.name.clone(), length: Some(length.into()), ..PlayDoc::default() }
}
