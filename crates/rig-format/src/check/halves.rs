//! Clips that hold half a cycle: what has no other side, and halves that do not meet.

use std::collections::BTreeMap;

use bone_core::clip::Join;
use bone_core::mirrored_name;
use bone_drawing::ArtProperty;
use kurbo::Vec2;

use crate::check::Checker;
use crate::check::clips::{Value, seconds};
use crate::diagnostic::Diagnostic;
use crate::doc::{AnyChannel, Channel, ClipDoc, Half};
use crate::half::{is_upright, mirror, partner};
use crate::span::Span;
use crate::text::shortened;

/// Values for which a clip would need to know where the other side is.
const PLACED: &str = "the other half cannot be made from it: key what is relative to the setup pose";

impl<'a> Checker<'a, '_> {
    pub(super) fn halves(&mut self, clip: &ClipDoc) {
        let Some(half) = clip.half else { return };
        let bones: BTreeMap<&str, _> =
            clip.bones.iter().map(|bone| (bone.bone.value.as_str(), bone)).collect();
        let arts: BTreeMap<&str, _> = clip.art.iter().map(|art| (art.art.value.as_str(), art)).collect();
        let constraints: BTreeMap<&str, _> =
            clip.constraints.iter().map(|one| (one.name.value.as_str(), one)).collect();
        for bone in &clip.bones {
            let name = bone.bone.value.as_str();
            if let Some(parent) = &bone.parent {
                self.not_in_halves(parent.span, "`parent`", "the other half cannot be made from it");
            }
            let other = bones.get(partner(name).as_str());
            let is_root = self.index(name).and_then(|at| self.doc.bones.get(at));
            let is_root = is_root.is_none_or(|bone| {
                let parent = bone.parent.as_ref().and_then(|parent| self.index(&parent.value));
                is_upright(bone, parent.and_then(|at| self.doc.bones.get(at)))
            });
            for (property, channel) in bone.values.iter() {
                let is_placed = property.row().drive == Join::Never;
                if is_placed {
                    self.not_in_halves(channel.span(), &format!("`{}`", property.name()), PLACED);
                } else if channel.shift().follow.is_none() {
                    let other = other.and_then(|other| other.values.get(property));
                    self.two_sided((clip, half.value), (name, property.name()), (channel, other), || {
                        mirror(half.value, property, is_root)
                    });
                }
            }
        }
        for art in &clip.art {
            let name = art.art.value.as_str();
            let other = arts.get(partner(name).as_str());
            for (property, channel) in art.values.iter() {
                // The order of pieces repeats.
                if property == ArtProperty::Order {
                    continue;
                }
                let other = other.and_then(|other| other.values.get(property));
                let of = (name, property.row().name);
                self.two_sided((clip, half.value), of, (channel, other), || Vec2::new(1.0, 1.0));
            }
        }
        for constraint in &clip.constraints {
            let name = constraint.name.value.as_str();
            let other = constraints.get(partner(name).as_str());
            for (property, channel) in constraint.values.iter() {
                let what = property.row().name;
                if half.value == Half::Mirror && matches!(channel, AnyChannel::Pair(_)) {
                    self.not_in_halves(channel.span(), &format!("`{what}`"), PLACED);
                    continue;
                }
                let other = other.and_then(|other| other.values.get(property));
                self.two_sided((clip, half.value), (name, what), (channel, other), || Vec2::new(1.0, 1.0));
            }
            let placed = constraint
                .holds
                .iter()
                .filter_map(|hold| hold.at.map(|at| at.span).or(hold.drift.map(|drift| drift.span)));
            for span in placed.filter(|_| half.value == Half::Mirror) {
                self.not_in_halves(span, "a place on the canvas", PLACED);
            }
        }
        let arts = clip.offsets.iter().map(|art| ("offsets", &art.art));
        let arts = arts.chain(clip.setup.iter().map(|art| ("setup", &art.art)));
        let arts = arts.chain(clip.weights.iter().map(|art| ("weights", &art.art)));
        for (what, art) in arts.filter(|(_, art)| mirrored_name(&art.value).is_some()) {
            let help = "vertices have no partners on the other side: key them in a layer";
            self.not_in_halves(art.span, &format!("`{what}` of \"{}\"", shortened(&art.value)), help);
        }
    }

    fn not_in_halves(&mut self, span: Span, what: &str, help: &str) {
        let message = format!("half a cycle cannot have {what}");
        self.error(span, Diagnostic::error("not-possible-here", message).help(help));
    }

    /// A channel and that of the other side: both are there, and one begins where the other ends.
    pub(super) fn two_sided(
        &mut self,
        (clip, half): (&ClipDoc, Half),
        (name, what): (&str, &str),
        (own, other): (&AnyChannel, Option<&AnyChannel>),
        factor: impl Fn() -> Vec2,
    ) {
        if own.repeats() {
            self.not_in_halves(own.span(), "`extend`", "key both ends of the half");
        }
        let Some(other) = other else {
            let (of, missing) = (shortened(name), partner(name));
            let message =
                format!("half a cycle keys `{what}` of \"{of}\", and not of \"{}\"", shortened(&missing));
            let help = "key both sides: each plays the keys of the other in the second half";
            self.error(own.span(), Diagnostic::error("one-sided", message).help(help));
            return;
        };
        if own.shift() != other.shift() {
            self.not_in_halves(
                own.span(),
                "another shift on each side",
                "give both sides the same `delay`, `amount` and `plus`",
            );
        }
        let Some(length) = clip.duration() else { return };
        let jump = match (own, other) {
            (AnyChannel::Number(own), AnyChannel::Number(other)) => {
                jump(length, own, other, |value| value * factor().x)
            }
            (AnyChannel::Pair(own), AnyChannel::Pair(other)) => {
                jump(length, own, other, |value| Vec2::new(value.x * factor().x, value.y * factor().y))
            }
            _ => None,
        };
        let Some((end, start)) = jump else { return };
        let message = format!(
            "`{what}` of \"{}\" at {} is not what \"{}\" has at 0{}",
            shortened(name),
            seconds(length),
            shortened(&partner(name)),
            if half == Half::Mirror { ", mirrored" } else { "" }
        );
        let place = self.place(start);
        let warning =
            Diagnostic::warning("loop-jumps", message).related(place, "the second half begins with it");
        self.error(end, warning.help("end with that value, or leave the key at the end out"));
    }
}

/// The last key of one side and the first of the other, if both are at the seam and differ.
fn jump<T: Value>(
    length: f64,
    own: &Channel<T>,
    other: &Channel<T>,
    mirrored: impl Fn(T) -> T,
) -> Option<(Span, Span)> {
    let end = own.keys.last().filter(|key| key.time.value.alike(length))?;
    let start = other.keys.first().filter(|key| key.time.value.alike(0.0))?;
    let meet = end.value.value.alike(mirrored(start.value.value));
    (!meet).then_some((end.value.span, start.value.span))
}
