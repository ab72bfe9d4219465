//! Events of clips: in order, within their clip, with names of their own.

use std::collections::BTreeMap;

use bone_core::in_few_digits_beside;

use super::clips::{Playing, seconds, seconds_beside};
use crate::check::Checker;
use crate::diagnostic::Diagnostic;
use crate::doc::{ClipDoc, EventDoc, SoundDoc};
use crate::span::{Span, Spanned};
use crate::text::shortened;

impl<'a> Checker<'a, '_> {
    pub(super) fn events(&mut self, playing: &Playing<'_>, clip: &ClipDoc) {
        let mut before: Option<&EventDoc> = None;
        // Those at the time of the last event.
        let mut at_once: Vec<&EventDoc> = Vec::new();
        for event in &clip.events.keys {
            let (time, name) = (event.time, &event.name);
            self.within(playing, false, time);
            if name.value.is_empty() {
                let error = Diagnostic::error("empty", "this event has no name");
                self.error(name.span, error.help("write for example (0.5, \"step.L\")"));
            }
            if let Some(last) = before.filter(|last| time.value < last.time.value) {
                let (at, after) = (time.value, last.time.value);
                let message = format!(
                    "events are not in order of time: {} comes after {}",
                    in_few_digits_beside(at, &[after]),
                    in_few_digits_beside(after, &[at])
                );
                let place = self.place(last.time.span);
                let error = Diagnostic::error("key-order", message);
                self.error(time.span, error.related(place, "this event is later"));
            }
            at_once.retain(|other| other.time.value == time.value);
            if let Some(first) = at_once.iter().find(|other| other.name.value == name.value) {
                let place = self.place(first.span);
                let at = seconds(time.value);
                let message = format!("event \"{}\" occurs twice at {at}", shortened(&name.value));
                let error = Diagnostic::error("duplicate", message).related(place, "first here");
                self.error(event.span, error.help("remove one of them"));
            }
            at_once.push(event);
            before = Some(event);
        }
        let (Some(length), Some(first)) = (playing.duration(), clip.events.keys.first()) else { return };
        if !clip.starts_again() || first.time.value != 0.0 {
            return;
        }
        for last in clip.events.keys.iter().filter(|event| event.time.value == length) {
            let place = self.place(first.span);
            let at = seconds_beside(length, &[0.0]);
            let message = format!("in a loop the event at {at}, the end, is at 0, and another one is there");
            let error = Diagnostic::error("duplicate", message).related(place, "the event at 0");
            self.error(last.span, error.help("remove one of them, or write both at 0"));
        }
    }

    pub(super) fn sounds(&mut self, playing: &Playing<'_>, clip: &ClipDoc) {
        for (at, sound) in clip.sounds.iter().enumerate() {
            let name = shortened(&sound.file.value);
            let begins = sound.event().time;
            self.within(playing, false, begins);
            let same =
                |other: &&SoundDoc| other.file.value == sound.file.value && other.begins() == begins.value;
            if let Some(first) = clip.sounds[..at].iter().find(same) {
                let place = self.place(first.span);
                let message = format!("sound \"{name}\" begins twice at {}", seconds(begins.value));
                let error = Diagnostic::error("duplicate", message).related(place, "first here");
                self.error(sound.span, error.help("remove one of them"));
            }
        }
    }

    /// Warns about events that have the name of a clip or shot: players list both as markers.
    pub(super) fn event_names(&mut self) {
        let doc = self.doc;
        if doc.clips.iter().all(|clip| clip.events.keys.is_empty()) {
            return;
        }
        let clips = doc.clips.iter().map(|clip| ("clip", &clip.name));
        let shots = doc.shots.iter().map(|shot| ("shot", &shot.name));
        let names: BTreeMap<&str, (&str, Span)> = clips
            .chain(shots)
            .map(|(what, Spanned { value, span })| (value.as_str(), (what, *span)))
            .collect();
        for event in doc.clips.iter().flat_map(|clip| &clip.events.keys) {
            let Some((what, span)) = names.get(event.name.value.as_str()) else { continue };
            let place = self.place(*span);
            let name = shortened(&event.name.value);
            let message =
                format!("event \"{name}\" has the name of a {what}, and both are markers in Lottie");
            let warning = Diagnostic::warning("duplicate", message).related(place, format!("the {what}"));
            self.error(event.name.span, warning.help("give the event another name"));
        }
    }
}
