//! Compiles constraints: bones become ids, paths are measured, the points of holds are computed.
//! Errors in the document alone were reported by `check`.

use std::collections::{BTreeMap, BTreeSet};

use bone_core::constraint::{
    Aim, AttachmentPoint, Constraint, ConstraintRule, ConstraintTrack, CopyBone, Distance, Effector, Hold,
    Ik, Limit, MeasuredPath, Path, Target, attachment_on_canvas,
};
use bone_core::{Angle, BoneId, Pose, Skeleton, WorldPose, clip::Clip};
use kurbo::{BezPath, Point, Vec2};

use super::Modifiers;
use super::pass::Pass;
use crate::curves::{curve, delayed};
use crate::doc::{
    AimDoc, AnyChannel, ClipDoc, ConstraintDoc, ConstraintKind, CopyDoc, DistanceDoc, EndDoc, IkDoc,
    LimitDoc, PathDoc, TargetDoc,
};
use crate::span::Spanned;
use bone_rig::{
    RigConstraint,
    parts::{ConstraintState, ConstraintTracks, Constraints, Lane},
};

impl Pass<'_> {
    /// The constraints.
    pub(super) fn constraints(&mut self, skeleton: Option<&Skeleton>) -> Constraints {
        let mut constraints = Constraints::default();
        for doc in &self.doc.constraints {
            let kind = match &doc.kind {
                // Its art is looked for even where bones are missing.
                ConstraintKind::Path(path) => self.on_path(path, skeleton),
                _ => skeleton.and_then(|skeleton| kind(doc, skeleton)),
            };
            let Some(kind) = kind else {
                if skeleton.is_some() {
                    self.fault(doc.span, "this constraint");
                }
                continue;
            };
            let mix = doc.mix.map_or(1.0, |mix| mix.value);
            let on = doc.on.as_ref().and_then(|on| skeleton?.find(&on.value));
            constraints.constraints.push(Constraint { rule: kind, mix, on });
            constraints.names.push(RigConstraint {
                name: doc.name.as_ref().map(|name| name.value.clone()),
                only_held: only_held(doc),
            });
        }
        constraints
    }

    fn on_path(&mut self, doc: &PathDoc, skeleton: Option<&Skeleton>) -> Option<ConstraintRule> {
        let element = self.find(&doc.art)?;
        let (_, lines) = self.path(&doc.art, element)?;
        let mut outline = BezPath::new();
        lines.iter().take(1).for_each(|line| line.write_to(&mut outline));
        let Some(track) = MeasuredPath::new(&outline) else {
            let message = format!("the path of art \"{}\" has no length", doc.art.value);
            self.error(doc.art.span, message, "");
            return None;
        };
        let skeleton = skeleton?;
        let bones: Option<Vec<BoneId>> = doc.bones.iter().map(|bone| skeleton.find(&bone.value)).collect();
        Some(ConstraintRule::Path(Path {
            bones: bones?,
            path: track,
            position: doc.position.map_or(0.0, |position| position.value),
            spacing: doc.spacing.map(|spacing| spacing.value),
            turn: doc.turn.map(|turn| turn.value).unwrap_or_default(),
        }))
    }

    /// What a clip does with constraints.
    pub(super) fn constraint_tracks(
        &mut self,
        doc: &ClipDoc,
        (clip, sliders): (&Clip, &[Lane]),
        modifiers: Modifiers<'_>,
        skeleton: &Skeleton,
    ) -> ConstraintTracks {
        let mut tracks = ConstraintTracks::default();
        let mut by_name = BTreeMap::new();
        for channels in &doc.constraints {
            by_name.entry(channels.name.value.as_str()).or_insert(channels);
        }
        let named: BTreeSet<&str> =
            modifiers.constraints.names.iter().filter_map(|one| one.name.as_deref()).collect();
        for channels in doc.constraints.iter().filter(|one| !named.contains(one.name.value.as_str())) {
            self.fault(channels.name.span, "what this clip does with a constraint");
        }
        // In the order in which they work: where a point is planted may depend on those before.
        for (which, name) in modifiers.constraints.names.iter().enumerate() {
            let Some(channels) = name.name.as_deref().and_then(|name| by_name.get(name)) else { continue };
            let mut track = ConstraintTrack::default();
            let time = clip.key_loop().map(|_| clip.time());
            for (property, channel) in channels.values.iter() {
                let is_set = match channel {
                    AnyChannel::Number(channel) => {
                        let mut keyed = curve(channel, |value: f64| value);
                        keyed.iter_mut().zip(time).for_each(|(curve, time)| time.fit(curve));
                        let keyed = keyed.and_then(|curve| delayed(curve, &channel.shift, time));
                        keyed.is_some_and(|curve| track.set_number(property, curve))
                    }
                    AnyChannel::Pair(channel) => {
                        track.target = curve(channel, |value: Vec2| value);
                        track.target.iter_mut().zip(time).for_each(|(curve, time)| time.fit(curve));
                        track.target = track.target.and_then(|curve| delayed(curve, &channel.shift, time));
                        track.target.is_some()
                    }
                    AnyChannel::Flag(_)
                    | AnyChannel::Name(_)
                    | AnyChannel::Color(_)
                    | AnyChannel::Shape(_) => false,
                };
                if !is_set {
                    self.fault(channel.span(), "this channel");
                }
            }
            if let Some(keys) = &channels.bend {
                track.bend = keys.keys.iter().map(|(time, side)| (time.value, side.value)).collect();
            }
            for hold in &channels.holds {
                let place = match hold.at {
                    Some(at) => at.value,
                    None => planted(skeleton, (clip, sliders), modifiers, &tracks, which, hold.from.value),
                };
                track.holds.push(Hold {
                    from: hold.from.value,
                    until: hold.until.value,
                    ease: hold.ease.map_or((0.0, 0.0), |ease| ease.value),
                    place,
                    drift: hold.drift.map_or(Vec2::ZERO, |drift| drift.value),
                });
            }
            tracks.0.push((which, track));
        }
        tracks
    }
}

/// Where the end of a constraint is at a time of the keys of a clip, with all that works before it.
fn planted(
    skeleton: &Skeleton,
    (clip, sliders): (&Clip, &[Lane]),
    modifiers: Modifiers<'_>,
    tracks: &ConstraintTracks,
    which: usize,
    time: f64,
) -> Point {
    let constraints = modifiers.constraints;
    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    let at = clip.key_loop().map_or(time, |length| time.rem_euclid(length));
    clip.sample_keys(skeleton, at, &mut pose);
    for driver in modifiers.drivers.iter().filter(|driver| !driver.after_constraints) {
        match driver.slider {
            Some(slider) => {
                let keyed = sliders.iter().find(|lane| lane.target == slider).map(|lane| lane.curve.at(at));
                driver.motion.apply_at(keyed.unwrap_or_else(|| driver.at_rest(modifiers.sliders)), &mut pose);
            }
            None => _ = driver.motion.apply(skeleton, &mut pose),
        }
    }
    let mut state = ConstraintState::new(skeleton, constraints);
    constraints.own_parameters(&mut state.parameters);
    let length = clip.key_loop();
    for (before, track) in &tracks.0 {
        state.parameters[*before] = track.parameters(&constraints.constraints[*before], time, length);
    }
    let placed = world.forward(skeleton, &pose);
    match (&constraints.constraints[which].rule, placed) {
        (ConstraintRule::Ik(ik), Ok(())) => {
            constraints.apply(which, skeleton, &mut pose, &mut world, &mut state);
            ik.ends
                .first()
                .map_or(Point::ZERO, |end| attachment_on_canvas(skeleton, &pose, &world, end.bone, end.point))
        }
        _ => Point::ZERO,
    }
}

/// Whether a constraint is active only during the `holds` of a clip.
fn only_held(doc: &ConstraintDoc) -> bool {
    match &doc.kind {
        ConstraintKind::Pin(pin) => pin.ends.first().is_some_and(|end| end.target.is_none()),
        _ => false,
    }
}

fn kind(doc: &ConstraintDoc, skeleton: &Skeleton) -> Option<ConstraintRule> {
    Some(match &doc.kind {
        ConstraintKind::Ik(ik) => ConstraintRule::Ik(chains(ik, skeleton, AttachmentPoint::Tip)?),
        ConstraintKind::Pin(pin) => {
            let mut ik = chains(pin, skeleton, AttachmentPoint::Tip)?;
            // A place that a clip gives takes the place of this one.
            for end in ik.ends.iter_mut().filter(|end| end.target == Target::Here) {
                end.target = Target::Canvas(Point::ZERO);
            }
            ConstraintRule::Ik(ik)
        }
        ConstraintKind::Aim(aim) => ConstraintRule::Aim(self::aim(aim, skeleton)?),
        ConstraintKind::Copy(copy) => ConstraintRule::Copy(self::copy(copy, skeleton)?),
        ConstraintKind::Limit(limit) => ConstraintRule::Limit(self::limit(limit, skeleton)?),
        ConstraintKind::Distance(distance) => ConstraintRule::Distance(self::distance(distance, skeleton)?),
        ConstraintKind::Path(_) => return None,
    })
}

fn chains(doc: &IkDoc, skeleton: &Skeleton, by_default: AttachmentPoint) -> Option<Ik> {
    let ends: Option<Vec<Effector>> =
        doc.ends.iter().map(|end| effector(end, skeleton, by_default)).collect();
    let stiffness = doc.stiffness.iter();
    let value = |value: Option<Spanned<f64>>, or: f64| value.map_or(or, |value| value.value);
    Some(Ik {
        ends: ends?,
        bend: doc.bend.map(|bend| bend.value).unwrap_or_default(),
        softness: value(doc.softness, 0.0),
        stretch: value(doc.stretch, 1.0),
        compress: value(doc.compress, 1.0),
        stiffness: stiffness.filter_map(|(bone, v)| Some((skeleton.find(&bone.value)?, v.value))).collect(),
    })
}

fn effector(doc: &EndDoc, skeleton: &Skeleton, by_default: AttachmentPoint) -> Option<Effector> {
    let target = match &doc.target {
        Some(target) => self::target(target, doc.target_point, skeleton)?,
        None => Target::Here,
    };
    let chain = doc.chain.map_or(EndDoc::CHAIN, |chain| chain.value);
    Some(Effector {
        bone: skeleton.find(&doc.tip.value)?,
        point: doc.point.map_or(by_default, |point| point.value),
        target,
        // A float to integer conversion saturates.
        chain: chain as usize,
        angle: doc.angle.map(|angle| angle.value).unwrap_or_default(),
    })
}

fn target(doc: &TargetDoc, point: Option<Spanned<AttachmentPoint>>, skeleton: &Skeleton) -> Option<Target> {
    Some(match doc {
        TargetDoc::Place(place) => Target::Canvas(place.value),
        TargetDoc::Bone(bone) => Target::Bone(
            skeleton.find(&bone.value)?,
            point.map_or(AttachmentPoint::Origin, |point| point.value),
        ),
    })
}

fn aim(doc: &AimDoc, skeleton: &Skeleton) -> Option<Aim> {
    Some(Aim {
        bone: skeleton.find(&doc.bone.value)?,
        target: target(&doc.target, doc.target_point, skeleton)?,
        offset: Angle::from_degrees(doc.offset.map_or(0.0, |offset| offset.value)),
        softness: doc.softness.map_or(0.0, |softness| softness.value),
    })
}

fn copy(doc: &CopyDoc, skeleton: &Skeleton) -> Option<CopyBone> {
    let factor = |factor: Option<Spanned<f64>>| factor.map(|factor| factor.value);
    let offset = |offset: Option<Spanned<Vec2>>| offset.map_or(Vec2::ZERO, |offset| offset.value);
    let degrees = Angle::from_degrees(doc.rotate_offset.map_or(0.0, |offset| offset.value));
    Some(CopyBone {
        bone: skeleton.find(&doc.bone.value)?,
        from: skeleton.find(&doc.from.value)?,
        rotate: factor(doc.rotate).map(|factor| (factor, degrees)),
        shift: factor(doc.shift).map(|factor| (factor, offset(doc.shift_offset))),
        scale: factor(doc.scale).map(|factor| (factor, offset(doc.scale_offset))),
        space: doc.space.map(|space| space.value).unwrap_or_default(),
    })
}

fn limit(doc: &LimitDoc, skeleton: &Skeleton) -> Option<Limit> {
    const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
    let pair = |x: Option<Spanned<(f64, f64)>>, y: Option<Spanned<(f64, f64)>>| {
        let given = x.is_some() || y.is_some();
        let (x, y) = (x.map_or(ANY, |x| x.value), y.map_or(ANY, |y| y.value));
        given.then_some((Vec2::new(x.0, y.0), Vec2::new(x.1, y.1)))
    };
    let angle = Angle::from_degrees;
    Some(Limit {
        bone: skeleton.find(&doc.bone.value)?,
        rotate: doc.rotate.map(|range| (angle(range.value.0), angle(range.value.1))),
        shift: pair(doc.move_x, doc.move_y),
        scale: pair(doc.scale_x, doc.scale_y),
    })
}

fn distance(doc: &DistanceDoc, skeleton: &Skeleton) -> Option<Distance> {
    Some(Distance {
        bone: skeleton.find(&doc.bone.value)?,
        point: doc.point.map_or(AttachmentPoint::Origin, |point| point.value),
        target: target(&doc.target, doc.target_point, skeleton)?,
        distance: doc.distance.value,
        mode: doc.keep.map(|keep| keep.value).unwrap_or_default(),
    })
}
