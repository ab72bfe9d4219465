//! Clips and drivers of the document to those that play: channels become curves, offsets find their vertices.

use std::collections::BTreeMap;

use bone_core::clip::{Clip, ClipBuilder, ClipTime, Driver, Keep, ParentKey, Scalar, Tracks, Vector};
use bone_core::{BoneId, ClipError, Skeleton};
use kurbo::Vec2;
use render::ElementId;
use skin::{OffsetSpace, Offsets, Part};

use super::Compiler;
use super::bones::vector;
use super::skin::Bindings;
use crate::curves::{curve, drive};
use crate::diagnostic::{Diagnostic, Place};
use crate::doc::{self, ArtOffsetsDoc, BoneChannelsDoc, ClipDoc, DriverDoc, ParentChannel, VertexPart};
use crate::scene::{Motion, SceneClip, SceneDriver};
use crate::span::{Span, Spanned};

impl Compiler<'_> {
    pub(super) fn clips(
        &mut self,
        skeleton: Option<&Skeleton>,
        on_top: &Motion,
        bindings: &mut Bindings,
    ) -> Vec<SceneClip> {
        let mut clips = Vec::new();
        for clip in &self.doc.clips {
            let motion = skeleton.and_then(|skeleton| self.motion(clip, skeleton));
            let time = motion.as_ref().map(Clip::time);
            let offsets = self.offsets(&clip.offsets, time, skeleton, bindings);
            if let (Some(motion), Some(skeleton)) = (motion, skeleton) {
                let constraints = self.constraint_tracks(clip, &motion, on_top, skeleton);
                clips.push(SceneClip { name: clip.name.value.clone(), motion, offsets, constraints });
            }
        }
        clips
    }

    pub(super) fn drivers(
        &mut self,
        skeleton: Option<&Skeleton>,
        bindings: &mut Bindings,
    ) -> Vec<SceneDriver> {
        let mut drivers = Vec::new();
        for driver in &self.doc.drivers {
            let motion = skeleton.and_then(|skeleton| self.driver(driver, skeleton));
            let offsets = self.offsets(&driver.offsets, None, skeleton, bindings);
            drivers.extend(motion.map(|motion| SceneDriver { motion, offsets }));
        }
        drivers
    }

    /// What a driver does to the bones; none if it is unusable, which the check of the document has reported.
    fn driver(&mut self, driver: &DriverDoc, skeleton: &Skeleton) -> Option<Driver> {
        let bone = skeleton.find(&driver.bone.value)?;
        Driver::new(bone, drive(driver.drive()), tracks(&driver.bones, skeleton)).ok()
    }

    /// The movement of the bones; none if it cannot be played.
    fn motion(&mut self, clip: &ClipDoc, skeleton: &Skeleton) -> Option<Clip> {
        let length = clip.duration()?;
        let looped = clip.is_looped();
        let mut builder = ClipBuilder::new(length).looped(looped).tracks(tracks(&clip.bones, skeleton));
        for channels in &clip.bones {
            if let (Some(bone), Some(parent)) = (skeleton.find(&channels.bone.value), &channels.parent) {
                builder = builder.parent(bone, parents(parent, skeleton));
            }
        }
        match builder.build(skeleton) {
            Ok(clip) => Some(clip),
            // The check of the document has its own words for lengths and for loops of parents.
            Err(_) if self.diagnostics.has_errors() => None,
            Err(error) => {
                let span = parent_key(clip, &error).unwrap_or(clip.name.span);
                self.error(span, format!("clip \"{}\" cannot be played: {error}", clip.name.value), "");
                None
            }
        }
    }

    /// Free offsets. Their art is looked for even if the motion is unusable, so that all mistakes are found. `time` is
    /// that of a clip; none in a driver.
    fn offsets(
        &mut self,
        arts: &[ArtOffsetsDoc],
        time: Option<ClipTime>,
        skeleton: Option<&Skeleton>,
        bindings: &mut Bindings,
    ) -> Offsets {
        let mut offsets = Offsets::new();
        // Where the offsets of each path are.
        let mut seen: BTreeMap<ElementId, &Spanned<String>> = BTreeMap::new();
        for art in arts {
            let Some(element) = self.find(&art.art) else { continue };
            let Some((element, lines)) = self.path(&art.art, element) else { continue };
            if let Some(first) = seen.insert(element, &art.art) {
                // The same name twice was reported when the document was read.
                if first.value != art.art.value {
                    let message =
                        format!("art \"{}\" has offsets already, under another name", art.art.value);
                    let other = Place::new(self.doc.source, first.span);
                    self.report(art.art.span, Diagnostic::error(message).related(other, "first here"));
                }
                continue;
            }
            let Some(path) = self.posed_path(element, &lines, bindings) else { continue };
            for (vertex, offset) in &art.vertices {
                let address = vertex.value;
                let part = part(address.part);
                if !bindings.skin.has(path, address.vertex as usize, part) {
                    let count = bindings.skin.vertex_count(path);
                    self.no_such_vertex(&art.art.value, vertex.span, address, count);
                    continue;
                }
                let Some(mut curve) = curve(&offset.channel, |v: Vec2| v) else { continue };
                if let Some(time) = time {
                    time.fit(&mut curve);
                }
                let target = (path, address.vertex as usize, part);
                let bone = offset.bone.as_ref().and_then(|bone| skeleton?.find(&bone.value));
                let space = bone.map_or(OffsetSpace::Canvas, OffsetSpace::Bone);
                offsets.add(&bindings.skin, target, space, curve);
            }
        }
        offsets
    }
}

fn part(part: VertexPart) -> Part {
    match part {
        VertexPart::Anchor => Part::Anchor,
        VertexPart::In => Part::In,
        VertexPart::Out => Part::Out,
    }
}

/// What keyed bones do, parents left out.
fn tracks(bones: &[BoneChannelsDoc], skeleton: &Skeleton) -> Tracks {
    let known = bones.iter().filter_map(|channels| Some((skeleton.find(&channels.bone.value)?, channels)));
    known.fold(Tracks::new(), |tracks, (bone, channels)| channels_of(tracks, bone, channels))
}

fn channels_of(mut tracks: Tracks, bone: BoneId, channels: &BoneChannelsDoc) -> Tracks {
    let scalars = [
        (Scalar::SetupAngle, &channels.setup_angle),
        (Scalar::Angle, &channels.angle),
        (Scalar::Rotate, &channels.rotate),
        (Scalar::Stretch, &channels.stretch),
    ];
    for (which, channel) in scalars {
        if let Some(curve) = channel.as_ref().and_then(|channel| curve(channel, |v: f64| v)) {
            tracks = tracks.scalar(bone, which, curve);
        }
    }
    let points = [(Vector::SetupOrigin, &channels.setup_origin), (Vector::Origin, &channels.origin)];
    for (which, channel) in points {
        if let Some(curve) = channel.as_ref().and_then(|channel| curve(channel, vector)) {
            tracks = tracks.vector(bone, which, curve);
        }
    }
    for (which, channel) in [(Vector::Move, &channels.shift), (Vector::Scale, &channels.scale)] {
        if let Some(curve) = channel.as_ref().and_then(|channel| curve(channel, |v: Vec2| v)) {
            tracks = tracks.vector(bone, which, curve);
        }
    }
    tracks
}

fn parents(channel: &ParentChannel, skeleton: &Skeleton) -> Vec<ParentKey> {
    let keys = channel.keys.iter().filter_map(|key| {
        let parent = match &key.parent.value {
            Some(name) => Some(skeleton.find(name)?),
            None => None,
        };
        let keep = match key.keep.map(|keep| keep.value).unwrap_or_default() {
            doc::Keep::World => Keep::World,
            doc::Keep::Local => Keep::Local,
        };
        Some(ParentKey { time: key.time.value, parent, keep })
    });
    keys.collect()
}

/// The key at which parents go wrong.
fn parent_key(clip: &ClipDoc, error: &ClipError) -> Option<Span> {
    let (ClipError::ParentLoop { time, .. } | ClipError::FlatParent { time, .. }) = error else {
        return None;
    };
    let keys = clip.bones.iter().flat_map(|bone| bone.parent.iter().flat_map(|parent| &parent.keys));
    keys.filter(|key| key.time.value == *time).map(|key| key.span).next()
}
