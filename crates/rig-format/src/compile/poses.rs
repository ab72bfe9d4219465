//! Compiles what clips do with poses: the values become those towards which curves move.

use bone_core::Skeleton;
use bone_core::clip::{BoneProperty, ClipTime, Curve, PosedValue, Tracks, Value, ValueBlend};

use super::art::DrawOrderBuilder;
use super::pass::Pass;
use crate::curves::{curve, delayed};
use crate::diagnostic::Severity;
use crate::doc::{AnyChannel, ClipDoc, PoseDoc, PoseWeightDoc};
use crate::poses::Poses;
use crate::schema::content::{Content as _, words};
use bone_rig::{
    DrawOrder,
    parts::{ArtTracks, Lane},
};

/// The poses towards which a clip moves, from the lowest up: place among all poses, pose, weight.
pub(super) struct PoseLayers<'p>(Vec<(usize, &'p PoseDoc, &'p PoseWeightDoc)>);

impl Pass<'_> {
    /// The art of each pose as lanes with one key. All of it is looked up once, so that mistakes in it are found
    /// once, and in poses that no clip uses.
    pub(super) fn lanes_of_poses(
        &mut self,
        poses: &mut Poses,
        order: &mut DrawOrderBuilder,
    ) -> Vec<ArtTracks> {
        let mut lanes = Vec::new();
        for pose in poses.all_mut() {
            let before = self.findings.len();
            lanes.push(self.art(&pose.art_channels(), None, order));
            let found = self.findings.get(before..).unwrap_or_default();
            // What is wrong with it is not reported again for each clip.
            if found.iter().any(|found| found.severity == Severity::Error) {
                pose.art.clear();
            }
        }
        self.mentions.clear();
        lanes
    }
}

impl<'p> PoseLayers<'p> {
    pub(super) fn new(poses: &'p Poses, clip: &'p ClipDoc) -> Self {
        Self(poses.weighted(clip))
    }

    /// Adds the words of all that moves bones.
    pub(super) fn bone_words(&self, all: &mut Vec<u64>) {
        for (_, pose, weight) in &self.0 {
            all.extend(words(&(&pose.bones, *weight)));
        }
    }

    /// Adds the words of all that changes art.
    pub(super) fn art_words(&self, posed: &[ArtTracks], all: &mut Vec<u64>) {
        for (at, _, weight) in &self.0 {
            weight.write(all);
            for lane in posed.get(*at).into_iter().flat_map(|tracks| &tracks.lanes) {
                lane.property.row().name.write(all);
                let numbers = [lane.target as u64, lane.part as u64, lane.curve.at(0.0).to_bits()];
                all.extend(numbers);
            }
        }
    }

    /// Moves bones. `time` is that of a clip whose keys come round; the curves are fitted to it later.
    pub(super) fn on_bones(&self, time: Option<ClipTime>, skeleton: &Skeleton, tracks: &mut Tracks) {
        for (_, pose, weight) in &self.0 {
            let Some(over_time) = weight_curve(weight, time) else { continue };
            for (bone, property, channel) in pose.bone_values() {
                let Some(bone) = skeleton.find(&bone.value) else { continue };
                let setup = skeleton.setup(bone);
                let rest = property.of(setup, setup);
                match (property, channel) {
                    (BoneProperty::Scalar(which), AnyChannel::Number(channel)) => {
                        let Some(value) = curve(channel, |value: f64| value) else { continue };
                        move_towards(
                            tracks.scalar_mut(bone, which, rest.x),
                            &over_time,
                            weight,
                            (value.at(0.0), rest.x),
                        );
                    }
                    (BoneProperty::Vector(which), AnyChannel::Pair(channel)) => {
                        let Some(value) = curve(channel, |value: kurbo::Vec2| value) else { continue };
                        move_towards(
                            tracks.vector_mut(bone, which, rest),
                            &over_time,
                            weight,
                            (value.at(0.0), rest),
                        );
                    }
                    // A property has one kind of values.
                    _ => {}
                }
            }
        }
    }

    /// Changes art.
    pub(super) fn on_art(
        &self,
        posed: &[ArtTracks],
        time: Option<ClipTime>,
        draw_order: &DrawOrder,
        art: &mut ArtTracks,
    ) {
        for (at, _, weight) in &self.0 {
            let Some(mut over_time) = weight_curve(weight, time) else { continue };
            time.iter().for_each(|time| time.fit(&mut over_time));
            for lane in posed.get(*at).into_iter().flat_map(|tracks| &tracks.lanes) {
                let (rest, value) = (lane.rest(draw_order), lane.curve.at(0.0));
                let is_same = |own: &Lane| {
                    (own.property, own.target, own.part) == (lane.property, lane.target, lane.part)
                };
                let place = art.lanes.iter().position(is_same).unwrap_or_else(|| {
                    art.lanes.push(Lane { curve: Curve::constant(rest), ..*lane });
                    art.lanes.len() - 1
                });
                let Some(own) = art.lanes.get_mut(place) else { continue };
                if lane.property.row().kind.steps() {
                    own.curve.add_pose(PosedValue::new(over_time.clone(), value, ValueBlend::Step));
                } else {
                    move_towards(&mut own.curve, &over_time, weight, (value, rest));
                }
            }
        }
    }
}

fn weight_curve(weight: &PoseWeightDoc, time: Option<ClipTime>) -> Option<Curve<f64>> {
    let channel = &weight.weight.channel;
    delayed(curve(channel, |weight: f64| weight)?, &channel.shift, time)
}

fn move_towards<V: Value>(
    curve: &mut Curve<V>,
    over_time: &Curve<f64>,
    weight: &PoseWeightDoc,
    (value, rest): (V, V),
) {
    let how = if weight.weight.is_added() { ValueBlend::Add(rest) } else { ValueBlend::Replace };
    curve.add_pose(PosedValue::new(over_time.clone(), value, how));
}
