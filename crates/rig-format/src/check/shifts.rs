//! Channels that are later, smaller or those of another bone: only where a rig can play them, and with keys in the
//! end.

use std::collections::BTreeSet;

use bone_core::clip::{BoneProperty, Properties, Repeat};

use crate::check::Checker;
use crate::check::clips::Axis;
use crate::diagnostic::Diagnostic;
use crate::doc::{ClipDoc, Shift};
use crate::follow::{FollowError, Followers};
use crate::span::Span;
use crate::text::shortened;

impl<'a> Checker<'a, '_> {
    /// Reports what a channel cannot have. `allows` are the fields that it can have in a clip.
    pub(super) fn shift(&mut self, axis: Axis<'_>, what: &str, shift: &Shift, allows: &[&str]) {
        let spans = [
            ("follow", shift.follow.as_ref().map(|follow| follow.span)),
            ("channel", shift.channel.as_ref().map(|channel| channel.span)),
            ("delay", shift.delay.map(|delay| delay.span)),
            ("amount", shift.amount.map(|amount| amount.span)),
            ("plus", shift.plus.map(|plus| plus.span)),
        ];
        let clip = if let Axis::Clip(playing) = axis { Some(playing.clip) } else { None };
        for (name, span) in spans.into_iter().filter_map(|(name, span)| Some((name, span?))) {
            let help = match clip {
                None => "only channels of clips can have it",
                Some(clip) if name == "delay" && clip.repeat() == Repeat::PingPong => {
                    "a clip that plays back and forth has no later and earlier: move its keys"
                }
                Some(_) if name == "channel" && shift.follow.is_none() => "name its bone: follow: \"tail.1\"",
                Some(_) if allows.contains(&name) => continue,
                Some(_) if allows.contains(&"delay") => "write the values themselves, or only `delay`",
                Some(_) => "write the keys themselves",
            };
            let message = format!("{what} cannot have `{name}`");
            self.error(span, Diagnostic::error("not-possible-here", message).help(help));
        }
    }

    /// Channels of bones that follow each other. Each mistake is reported once, however many follow it.
    pub(super) fn followers(&mut self, clip: &ClipDoc) {
        let mut followers = Followers::new(clip);
        let mut reported: BTreeSet<Span> = BTreeSet::new();
        for (at, bone) in clip.bones.iter().enumerate() {
            for (property, channel) in bone.values.iter() {
                let Some(follow) = &channel.shift().follow else { continue };
                if let Some(own) = channel.own() {
                    let (name, bone) = (property.name(), shortened(&bone.bone.value));
                    let message =
                        format!("`{name}` of \"{bone}\" has keys or eases, and follows another channel");
                    let error = Diagnostic::error("conflicting-fields", message);
                    let place = self.place(follow.span);
                    let error =
                        error.related(place, "it follows this").help("keep its keys, or what it follows");
                    self.error(own, error);
                    continue;
                }
                let Err(error) = followers.source((at, property)) else { continue };
                let (span, diagnostic) = self.not_followed(clip, property, error);
                if reported.insert(span) {
                    self.error(span, diagnostic);
                }
            }
        }
    }

    fn not_followed(
        &self,
        clip: &ClipDoc,
        property: BoneProperty,
        error: FollowError<'_>,
    ) -> (Span, Diagnostic) {
        match error {
            FollowError::NoSuchValue(name) => {
                let message = format!("bones have no channel `{}`", shortened(&name.value));
                let names = BoneProperty::ALL.iter().map(|property| property.name());
                (name.span, Diagnostic::error("unknown-word", message).suggest(&name.value, names))
            }
            FollowError::OtherKind(span, followed) => {
                let (own, other) = (property.name(), followed.name());
                let message = format!("`{own}` cannot follow `{other}`: one is a number, the other a pair");
                let help = "follow a channel of the same kind: `move_x` and `move_y` are numbers";
                (span, Diagnostic::error("not-possible-here", message).help(help))
            }
            FollowError::NotKeyed(name, followed) if self.index(&name.value).is_none() => {
                let message = format!(
                    "this follows `{}` of \"{}\", and there is no such bone",
                    followed.name(),
                    shortened(&name.value)
                );
                let bones = self.doc.bones.iter().map(|bone| bone.name.value.as_str());
                (name.span, Diagnostic::error("unknown-bone", message).suggest(&name.value, bones))
            }
            FollowError::NotKeyed(name, followed) => {
                let message = format!(
                    "this follows `{}` of \"{}\", which clip \"{}\" does not key",
                    followed.name(),
                    shortened(&name.value),
                    shortened(&clip.name.value)
                );
                (name.span, Diagnostic::error("not-keyed", message).help("key it, or follow another channel"))
            }
            FollowError::Cycle(span) => {
                let help = "give one of the channels that follow each other keys of its own";
                (span, Diagnostic::error("cycle", "this channel follows itself").help(help))
            }
        }
    }
}
