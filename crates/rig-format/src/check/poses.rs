//! Poses: values in range, names that exist, and what clips do with them.

use std::collections::BTreeMap;

use bone_core::clip::{BoneProperty, Join, Properties as _};

use crate::check::Checker;
use crate::check::clips::Axis;
use crate::diagnostic::Diagnostic;
use crate::doc::{AnyChannel, ClipDoc, PoseDoc, ShapeDoc};
use crate::half::{partner, roots};
use crate::poses::{MOST_POSED, PoseClash, named, sided};
use crate::span::{Span, Spanned};
use crate::text::shortened;

impl Checker<'_, '_> {
    pub(super) fn all_poses(&mut self) {
        let (doc, poses) = (self.doc, self.poses);
        for pose in &doc.poses {
            let what = format!("pose \"{}\" has values of bone", shortened(&pose.name.value));
            for bone in pose.bone_channels() {
                let index = self.refer(&bone.bone, &what);
                self.channels(Axis::Layer, &bone);
                if let Some(index) = index {
                    self.limits(index, &bone);
                }
            }
            self.art(Axis::Layer, &pose.art_channels());
        }
        for (made, of) in poses.mirrored() {
            let (name, from) = (shortened(&made.name.value), shortened(&of.name.value));
            let placed = made.bone_values().find(|(_, property, _)| property.row().drive == Join::Never);
            if let Some((bone, property, _)) = placed {
                let message = format!(
                    "pose \"{name}\" is made from \"{from}\", and `{}` of \"{}\" cannot be mirrored",
                    property.name(),
                    shortened(&partner(&bone.value))
                );
                let help = format!("write a pose \"{name}\", or values that are relative to the setup pose");
                self.error(bone.span, Diagnostic::error("not-possible-here", message).help(help));
            }
            let what = format!("pose \"{name}\", which is made from \"{from}\", has values of bone");
            for bone in &made.bones {
                self.refer(&bone.bone, &what);
            }
        }
        if poses.used > MOST_POSED {
            let message = format!("clips have more than {MOST_POSED} values of poses");
            let place = doc.poses.first().map_or(doc.span, |pose| pose.name.span);
            self.error(
                place,
                Diagnostic::error("too-many", message).help("use smaller poses, or fewer keys of them"),
            );
        }
    }

    /// The poses of a clip.
    pub(super) fn posed(&mut self, axis: Axis<'_>, clip: &ClipDoc) {
        for name in named(clip) {
            self.known_pose(clip, name);
        }
        if let Some(pose) = &clip.pose {
            self.times(axis, false, pose.keys.iter().map(|key| key.time));
        }
        for weight in &clip.poses {
            let what = format!("the weight of pose \"{}\"", shortened(&weight.pose.value));
            self.shift(axis, &what, &weight.weight.channel.shift, &["delay"]);
            self.channel(axis, &what, &weight.weight.channel, |weight| weight);
        }
    }

    fn known_pose(&mut self, clip: &ClipDoc, name: &Spanned<String>) {
        let doc = self.doc;
        if !doc.complete || self.poses.find(&name.value).is_some() {
            return;
        }
        let (clip, wanted) = (shortened(&clip.name.value), shortened(&name.value));
        let message = format!("clip \"{clip}\" uses pose \"{wanted}\", and there is no such pose");
        let others: Vec<String> = doc.poses.iter().map(|pose| partner(&pose.name.value)).collect();
        let names = doc.poses.iter().map(|pose| pose.name.value.as_str());
        let names = names.chain(others.iter().map(String::as_str));
        let error = Diagnostic::error("unknown-pose", message).suggest(&name.value, names);
        let error = if doc.poses.is_empty() { error.help("this rig has no poses") } else { error };
        self.error(name.span, error);
    }

    /// Keys that a clip has twice.
    pub(super) fn clash(&mut self, clash: &PoseClash) {
        let message = format!(
            "this pose has `{}` of \"{}\", which the clip keys at the same time",
            clash.value,
            shortened(&clash.of)
        );
        let place = self.place(clash.typed);
        let error = Diagnostic::error("duplicate", message).related(place, "this key is there already");
        self.error(clash.pose, error.help("remove one of them, or move it to another time"));
    }

    /// Poses towards which a clip moves, and which have values that exclude what it keys, or what poses before
    /// have.
    pub(super) fn weighted(&mut self, clip: &ClipDoc) {
        let mut known: BTreeMap<&str, Vec<(BoneProperty, Span)>> = BTreeMap::new();
        for bone in &clip.bones {
            let values = bone.values.iter().map(|(property, channel)| (property, channel.span()));
            known.entry(&bone.bone.value).or_default().extend(values);
        }
        for (_, pose, weight) in self.poses.weighted(clip) {
            for (bone, property, _) in pose.bone_values() {
                let before = known.entry(&bone.value).or_default();
                let other = before.iter().find(|(other, _)| property.excludes(*other)).copied();
                before.push((property, weight.pose.span));
                let Some((other, span)) = other else { continue };
                let message = format!(
                    "pose \"{}\" has `{}` of \"{}\", and this clip has `{}` of it",
                    shortened(&pose.name.value),
                    property.name(),
                    shortened(&bone.value),
                    other.name()
                );
                let error = Diagnostic::error("conflicting-fields", message);
                let error = error.related(self.place(span), format!("`{}` is from here", other.name()));
                let help = format!("use `{}` in both", other.name());
                self.error(weight.pose.span, error.help(help));
            }
        }
    }

    /// Poses of a clip that holds half a cycle: the two sides of one have weights, one without a side is the same
    /// on both.
    pub(super) fn poses_in_halves(&mut self, clip: &ClipDoc) {
        let Some(half) = clip.half else { return };
        let weights: BTreeMap<&str, AnyChannel> = clip
            .poses
            .iter()
            .map(|weight| (weight.pose.value.as_str(), weight.weight.channel.clone().into()))
            .collect();
        let roots = roots(self.doc);
        for (_, pose, weight) in self.poses.weighted(clip) {
            let name = weight.pose.value.as_str();
            let other = partner(name);
            let own: AnyChannel = weight.weight.channel.clone().into();
            self.two_sided((clip, half.value), (name, "poses"), (&own, weights.get(other.as_str())), || {
                kurbo::Vec2::new(1.0, 1.0)
            });
            if other == name && !alike(pose, &sided(pose, half.value, &roots, None)) {
                let message = format!("pose \"{}\" is another one with its sides changed", shortened(name));
                let help = "key it by `pose`, whose second half has its sides changed, or write a pose for each side";
                self.error(weight.pose.span, Diagnostic::error("not-possible-here", message).help(help));
            }
        }
    }
}

/// Whether two poses have the same values, in any order.
fn alike(a: &PoseDoc, b: &PoseDoc) -> bool {
    let all = |pose: &PoseDoc| {
        let bones = pose.bone_values().map(|(bone, of, channel)| (&bone.value, of.name(), shown(channel)));
        let arts = pose.art.iter().flat_map(|art| {
            art.values.0.iter().map(|(of, channel)| (&art.art.value, of.row().name, shown(channel)))
        });
        let mut all: Vec<(String, &str, String)> =
            bones.chain(arts).map(|(name, of, value)| (name.clone(), of, value)).collect();
        all.sort();
        all
    };
    all(a) == all(b)
}

/// The value of a pose as text, to be compared; 0 has no sign.
fn shown(channel: &AnyChannel) -> String {
    match channel {
        AnyChannel::Number(channel) => format!("{:?}", channel.keys.first().map(|key| key.value.value + 0.0)),
        AnyChannel::Pair(channel) => {
            format!("{:?}", channel.keys.first().map(|key| key.value.value + kurbo::Vec2::ZERO))
        }
        AnyChannel::Flag(channel) => format!("{:?}", channel.keys.first().map(|key| key.value.value)),
        AnyChannel::Name(channel) => format!("{:?}", channel.keys.first().map(|key| &key.value.value)),
        AnyChannel::Shape(channel) => match channel.keys.first().map(|key| &key.value.value) {
            Some(ShapeDoc::Mix(weights)) => {
                let mut all: Vec<(&str, String)> = weights
                    .iter()
                    .map(|(name, weight)| (name.value.as_str(), format!("{:?}", weight.value + 0.0)))
                    .collect();
                all.sort_unstable();
                format!("{all:?}")
            }
            other => format!("{other:?}"),
        },
        AnyChannel::Color(channel) => format!("{:?}", channel.keys.first().map(|key| key.value.value.0)),
    }
}
