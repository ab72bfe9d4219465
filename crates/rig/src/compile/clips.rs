//! Clips of the document to clips that play: channels become curves, offsets find their vertices.

use std::collections::BTreeMap;

use bone_core::clip::{Clip, ClipBuilder, Curve, Ease, Extend, Keep, Key, ParentKey, Scalar, Value, Vector};
use bone_core::{BoneId, ClipError, Skeleton};
use kurbo::{Point, Vec2};
use render::ElementId;
use skin::{OffsetSpace, Offsets, Part};

use super::Compiler;
use super::bones::vector;
use super::skin::Bindings;
use crate::diagnostic::{Diagnostic, Place};
use crate::doc::{self, BoneChannelsDoc, Channel, ClipDoc, VertexPart};
use crate::scene::SceneClip;
use crate::span::{Span, Spanned};

impl Compiler<'_> {
    pub(super) fn clips(&mut self, skeleton: Option<&Skeleton>, bindings: &mut Bindings) -> Vec<SceneClip> {
        let mut clips = Vec::new();
        for clip in &self.doc.clips {
            let motion = skeleton.and_then(|skeleton| self.motion(clip, skeleton));
            let offsets = self.offsets(clip, motion.as_ref(), bindings);
            if let Some(motion) = motion {
                clips.push(SceneClip { name: clip.name.value.clone(), motion, offsets });
            }
        }
        clips
    }

    /// The movement of the bones; none if it cannot be played.
    fn motion(&mut self, clip: &ClipDoc, skeleton: &Skeleton) -> Option<Clip> {
        let length = clip.duration()?;
        let looped = clip.is_looped();
        let mut builder = ClipBuilder::new(length).looped(looped);
        for channels in &clip.bones {
            let Some(bone) = skeleton.find(&channels.bone.value) else { continue };
            builder = channels_of(builder, bone, channels, skeleton);
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

    /// Free offsets. Their art is looked for even if the motion is unusable, so that all mistakes are found.
    fn offsets(&mut self, clip: &ClipDoc, motion: Option<&Clip>, bindings: &mut Bindings) -> Offsets {
        let mut offsets = Offsets::new();
        // Where the offsets of each path are.
        let mut seen: BTreeMap<ElementId, &Spanned<String>> = BTreeMap::new();
        for art in &clip.offsets {
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
            for (vertex, channel) in &art.vertices {
                let address = vertex.value;
                let part = part(address.part);
                if !bindings.skin.has(path, address.vertex as usize, part) {
                    let count = bindings.skin.vertex_count(path);
                    self.no_such_vertex(&art.art.value, vertex.span, address, count);
                    continue;
                }
                let (Some(curve), Some(motion)) = (curve(channel, |v| v), motion) else { continue };
                let target = (path, address.vertex as usize, part);
                offsets.add(&bindings.skin, target, OffsetSpace::Canvas, motion.time(), curve);
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

fn channels_of(
    mut builder: ClipBuilder,
    bone: BoneId,
    channels: &BoneChannelsDoc,
    skeleton: &Skeleton,
) -> ClipBuilder {
    let scalars = [
        (Scalar::SetupAngle, &channels.setup_angle),
        (Scalar::Angle, &channels.angle),
        (Scalar::Rotate, &channels.rotate),
        (Scalar::Stretch, &channels.stretch),
    ];
    for (which, channel) in scalars {
        if let Some(curve) = channel.as_ref().and_then(|channel| curve(channel, |v| v)) {
            builder = builder.scalar(bone, which, curve);
        }
    }
    let points = [(Vector::SetupOrigin, &channels.setup_origin), (Vector::Origin, &channels.origin)];
    for (which, channel) in points {
        if let Some(curve) = channel.as_ref().and_then(|channel| curve(channel, vector)) {
            builder = builder.vector(bone, which, curve);
        }
    }
    for (which, channel) in [(Vector::Move, &channels.shift), (Vector::Scale, &channels.scale)] {
        if let Some(curve) = channel.as_ref().and_then(|channel| curve(channel, |v: Vec2| v)) {
            builder = builder.vector(bone, which, curve);
        }
    }
    if let Some(parent) = &channels.parent {
        let keys = parent.keys.iter().filter_map(|key| {
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
        builder = builder.parent(bone, keys.collect());
    }
    builder
}

/// A channel as a curve; none if its keys are out of order or empty, which the check of the document has reported.
fn curve<T: Copy, V: Value>(channel: &Channel<T>, value: impl Fn(T) -> V) -> Option<Curve<V>> {
    let keys = channel.keys.iter().map(|key| Key {
        time: key.time.value,
        value: value(key.value.value),
        ease: ease(key.ease.map(|ease| ease.value).unwrap_or_default()),
    });
    let extend = match channel.extend.map(|extend| extend.value).unwrap_or_default() {
        doc::Extend::Hold => Extend::Hold,
        doc::Extend::Linear => Extend::Linear,
        doc::Extend::Loop => Extend::Loop,
        doc::Extend::LoopOffset => Extend::LoopOffset,
        doc::Extend::PingPong => Extend::PingPong,
    };
    Curve::new(keys.collect(), extend).ok()
}

fn ease(ease: doc::Ease) -> Ease {
    match ease {
        doc::Ease::Hold => Ease::Hold,
        doc::Ease::Linear => Ease::Linear,
        doc::Ease::Smooth => Ease::Smooth,
        doc::Ease::Bezier { first: Point { x: x1, y: y1 }, second: Point { x: x2, y: y2 } } => {
            Ease::Bezier { x1, y1, x2, y2 }
        }
    }
}

/// The key at which parents go wrong.
fn parent_key(clip: &ClipDoc, error: &ClipError) -> Option<Span> {
    let (ClipError::ParentLoop { time, .. } | ClipError::FlatParent { time, .. }) = error else {
        return None;
    };
    let keys = clip.bones.iter().flat_map(|bone| bone.parent.iter().flat_map(|parent| &parent.keys));
    keys.filter(|key| key.time.value == *time).map(|key| key.span).next()
}
