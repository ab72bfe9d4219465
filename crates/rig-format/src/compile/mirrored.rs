//! Fills that are cut into parts, because clips, drivers or constraints can mirror one part of a path and not
//! another.

use std::sync::Arc;

use bone_core::clip::{Clip, Curve, Extend, Scalar, Tracks, Vector};
use bone_core::constraint::ConstraintRule;
use bone_core::{BoneId, Inherit, Skeleton};
use bone_drawing::MirroredFill;
use bone_rig::RigDriver;
use bone_rig::parts::Constraints;
use bone_skin::{MirroredParts, PathId};
use kurbo::Vec2;

use super::bindings::Bindings;

/// At so many times between two keys the sign of a scale is looked at: an ease may go beyond its keys.
const BETWEEN: u32 = 16;

/// The fills that are cut, and their parts.
#[derive(Clone, Debug, Default)]
pub(super) struct MirroredFills {
    pub(super) fills: Vec<MirroredFill>,
    pub(super) parts: Vec<Arc<MirroredParts>>,
}

impl MirroredFills {
    /// Those of all paths of which bones can mirror a part alone.
    pub(super) fn new(
        bindings: &Bindings,
        skeleton: &Skeleton,
        clips: &[&Clip],
        (drivers, constraints): (&[RigDriver], &Constraints),
    ) -> Self {
        let mut found = Self::default();
        let Some(groups) = MirroringBones::new(skeleton, clips, drivers, constraints).groups(skeleton) else {
            return found;
        };
        for (posed, (_, part)) in bindings.skin.from(0).iter().enumerate() {
            // Each is a skin of one path.
            let Some(parts) = part.mirrored_parts(PathId::new(0), &groups) else { continue };
            found.fills.push(MirroredFill { posed, subpaths: parts.subpaths().collect() });
            found.parts.push(Arc::new(parts));
        }
        found
    }
}

/// The bones that can get the other sign in a pose.
struct MirroringBones {
    /// By their scale, which their children inherit.
    scaled: Vec<bool>,
    /// By their stretch, which only their own skin has.
    stretched: Vec<bool>,
    /// Those whose parent is keyed.
    moved: Vec<bool>,
}

impl MirroringBones {
    fn new(skeleton: &Skeleton, clips: &[&Clip], drivers: &[RigDriver], constraints: &Constraints) -> Self {
        let none = vec![false; skeleton.len()];
        let mut found = Self { scaled: none.clone(), stretched: none.clone(), moved: none };
        // The least stretch of each bone: by clips, which set it, and by drivers, which add to it.
        let (mut keyed, mut driven) = (vec![1.0_f64; skeleton.len()], vec![0.0; skeleton.len()]);
        for clip in clips {
            found.add_scales(clip.tracks());
            clip.parents().for_each(|bone| found.moved[bone.index()] = true);
            for (bone, curve) in stretches(clip.tracks()) {
                keyed[bone.index()] = keyed[bone.index()].min(least(curve, |stretch| stretch));
            }
        }
        for tracks in drivers.iter().map(|driver| driver.motion.tracks()) {
            found.add_scales(tracks);
            for (bone, curve) in stretches(tracks) {
                driven[bone.index()] += least(curve, |stretch| stretch - 1.0).min(0.0);
            }
        }
        for (bone, stretched) in found.stretched.iter_mut().enumerate() {
            *stretched = keyed[bone] + driven[bone] < 0.0;
        }
        for rule in constraints.constraints.iter().map(|constraint| &constraint.rule) {
            found.add_constraint(rule);
        }
        found
    }

    fn add_scales(&mut self, tracks: &Tracks) {
        let scales = tracks.vectors().filter(|(_, channel, _)| *channel == Vector::Scale);
        for (bone, _, curve) in scales {
            self.scaled[bone.index()] |= least(curve, |scale| scale.x * scale.y) < 0.0;
        }
        for (bone, channel, curve) in tracks.scalars() {
            let is_scale = matches!(channel, Scalar::ScaleX | Scalar::ScaleY);
            self.scaled[bone.index()] |= is_scale && least(curve, |scale| scale) < 0.0;
        }
    }

    fn add_constraint(&mut self, rule: &ConstraintRule) {
        match rule {
            ConstraintRule::Copy(copy) => {
                // A scale between 0 and 1 is copied as one of at least 1 - factor + offset.
                let falls = |(factor, offset): (f64, Vec2)| {
                    factor < 0.0 || (1.0 - factor + offset.x).min(1.0 - factor + offset.y) < 0.0
                };
                self.scaled[copy.bone.index()] |=
                    copy.scale.is_some_and(|scale| self.scaled[copy.from.index()] || falls(scale));
            }
            ConstraintRule::Limit(limit) => {
                let is_below = |(_, most): (Vec2, Vec2)| most.x < 0.0 || most.y < 0.0;
                self.scaled[limit.bone.index()] |= limit.scale.is_some_and(is_below);
            }
            _ => {}
        }
    }

    /// A number for each bone; bones with one number have the same sign in every pose. None if all have.
    fn groups(&self, skeleton: &Skeleton) -> Option<Vec<u32>> {
        let any = self.scaled.contains(&true);
        if !any && !self.stretched.contains(&true) {
            return None;
        }
        let count = skeleton.len() as u32;
        let mut axes: Vec<u32> = Vec::with_capacity(skeleton.len());
        // Parents come before their children.
        for (own, bone) in (1..).zip(skeleton.bones()) {
            let parent = match skeleton.inherit(bone) {
                Inherit::NoScale | Inherit::TranslationOnly => None,
                _ => skeleton.parent(bone),
            };
            let by_itself = self.scaled[bone.index()] || any && self.moved[bone.index()];
            axes.push(if by_itself { own } else { parent.map_or(0, |parent| axes[parent.index()]) });
        }
        let own = self.stretched.iter().zip(&axes).zip(count + 1..);
        Some(own.map(|((stretched, axes), own)| if *stretched { own } else { *axes }).collect())
    }
}

fn stretches(tracks: &Tracks) -> impl Iterator<Item = (BoneId, &Curve<f64>)> {
    let stretches = tracks.scalars().filter(|(_, channel, _)| *channel == Scalar::Stretch);
    stretches.map(|(bone, _, curve)| (bone, curve))
}

/// The least number that a curve takes, at its keys and between them. Beyond all numbers, if the curve goes on
/// straight outside of its keys.
fn least<T: bone_core::clip::Value>(curve: &Curve<T>, number: impl Fn(T) -> f64) -> f64 {
    let weights = curve.pose_weights();
    let mut times: Vec<f64> = curve.keys().map(|key| key.time).collect();
    times.extend(weights.flat_map(|weight| weight.keys().map(|key| key.time)));
    times.sort_by(f64::total_cmp);
    let extends = std::iter::once(curve.extend()).chain(curve.pose_weights().map(Curve::extend));
    let goes_on = extends.into_iter().any(|extend| matches!(extend, Extend::Linear | Extend::LoopOffset));
    if goes_on && times.len() > 1 {
        return f64::NEG_INFINITY;
    }
    let between = times.windows(2).flat_map(|pair| {
        let step = (pair[1] - pair[0]) / f64::from(BETWEEN);
        (1..BETWEEN).map(move |at| pair[0] + f64::from(at) * step)
    });
    times.iter().copied().chain(between).map(|time| number(curve.at(time))).fold(f64::INFINITY, f64::min)
}
