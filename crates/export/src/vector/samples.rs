//! A clip as frames at its frame times and halfway between them.

use std::sync::Arc;

use bone_drawing::{
    ColorMap, Drawing, Frame, GradientId, GradientLook, Node, NodeId, NodeKind, Shape, ShapeLook, Trim,
};
use kurbo::{Affine, BezPath};

use super::VectorError;
use crate::ExportEvent;

/// The most numbers that the samples of a clip may have: 512 MB.
const MOST_NUMBERS: usize = 64_000_000;

/// A clip of a drawing, sampled twice a frame.
///
/// The drawing is the one that has slots ([`Posable::drawing`](bone_drawing::Posable::drawing)), to which frames
/// belong.
#[derive(Clone, Debug)]
pub struct SampledClip {
    pub(crate) drawing: Arc<Drawing>,
    pub(crate) name: String,
    pub(crate) fps: f64,
    /// How many frames are shown.
    pub(crate) count: usize,
    pub(crate) looping: bool,
    /// The clips that follow each other in it; one that is not of several is the only one.
    pub(crate) parts: Vec<ClipPart>,
    /// The events of all parts.
    pub(crate) events: Vec<ExportEvent>,
    /// The samples at which a part begins, without the first.
    pub(crate) breaks: Vec<usize>,
    /// At times 0, 1/2, 1, ... in frames. The last one is the end: for a loop the first again.
    pub(crate) frames: Vec<Frame>,
}

/// A clip among several that follow each other.
#[derive(Clone, Debug)]
pub(crate) struct ClipPart {
    pub(crate) name: String,
    /// Its first frame.
    pub(crate) start: usize,
    pub(crate) count: usize,
}

impl SampledClip {
    /// Samples a clip. `pose` fills a frame for a time in seconds. A looping clip of n frames is sampled up
    /// to its end, where it begins again; another one up to its last frame.
    ///
    /// # Errors
    /// If there are no frames, or too many for the memory that is allowed; or the error of `pose`.
    pub fn new<E: From<VectorError>>(
        drawing: Arc<Drawing>,
        name: &str,
        fps: f64,
        count: usize,
        looping: bool,
        mut pose: impl FnMut(f64, &mut Frame) -> Result<(), E>,
    ) -> Result<Self, E> {
        if count == 0 {
            return Err(VectorError::NoFrames.into());
        }
        if !(fps.is_finite() && fps > 0.0) {
            return Err(VectorError::Rate.into());
        }
        let mut frame = Frame::default();
        pose(0.0, &mut frame)?;
        let most = MOST_NUMBERS / (2 * numbers(&frame)).max(1);
        if count > most {
            return Err(VectorError::TooLong { frames: count, most }.into());
        }
        let looping = looping && count > 1;
        let halves = if looping { 2 * count } else { 2 * (count - 1) };
        let mut frames = Vec::with_capacity(halves + 1);
        frames.push(frame);
        for half in 1..=halves {
            let mut frame = Frame::default();
            if looping && half == halves {
                frame.clone_from(&frames[0]);
            } else {
                pose(0.5 * half as f64 / fps, &mut frame)?;
            }
            frames.push(frame);
        }
        let (name, breaks) = (name.to_owned(), Vec::new());
        let parts = vec![ClipPart { name: name.clone(), start: 0, count }];
        let events = Vec::new();
        Ok(Self { drawing, name, fps, count, looping, parts, events, breaks, frames })
    }

    /// The same with events.
    #[must_use]
    pub fn with_events(self, events: Vec<ExportEvent>) -> Self {
        Self { events, ..self }
    }

    /// Several clips of one drawing at one rate, one after the other. Where one ends and the next one begins,
    /// nothing moves from one to the other. It does not loop; players loop its parts, by their markers.
    ///
    /// # Errors
    /// If there are no clips, if they have other drawings or rates, or too many frames together.
    pub fn joined(name: &str, clips: Vec<Self>) -> Result<Self, VectorError> {
        let Some(first) = clips.first() else { return Err(VectorError::NoFrames) };
        let (drawing, fps) = (Arc::clone(&first.drawing), first.fps);
        if clips.iter().any(|clip| !Arc::ptr_eq(&clip.drawing, &drawing) || clip.fps != fps) {
            return Err(VectorError::Apart);
        }
        let most = MOST_NUMBERS / (2 * numbers(&first.frames[0])).max(1);
        let frames = clips.iter().map(|clip| clip.count).sum();
        if frames > most {
            return Err(VectorError::TooLong { frames, most });
        }
        let (mut parts, mut breaks, mut samples) = (Vec::new(), Vec::new(), Vec::new());
        let mut events = Vec::new();
        let mut start = 0;
        for clip in clips {
            if start > 0 {
                breaks.push(2 * start);
            }
            breaks.extend(clip.breaks.iter().map(|at| 2 * start + at));
            for part in clip.parts {
                parts.push(ClipPart { start: start + part.start, ..part });
            }
            events.extend(clip.events.into_iter().map(|event| ExportEvent {
                frame: start + event.frame,
                time: start as f64 / fps + event.time,
                ..event
            }));
            samples.extend(clip.frames.into_iter().take(2 * clip.count));
            start += clip.count;
            // Half a frame more of one that keeps its last frame.
            if let Some(last) = samples.last().filter(|_| samples.len() < 2 * start) {
                samples.push(Frame::clone(last));
            }
        }
        let name = name.to_owned();
        Ok(Self { drawing, name, fps, count: start, looping: false, parts, events, breaks, frames: samples })
    }

    /// How many frames the clip shows.
    pub fn frame_count(&self) -> usize {
        self.count
    }

    /// How many samples there are.
    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }

    pub(crate) fn node(&self, id: NodeId) -> Option<&Node> {
        self.drawing.node(id)
    }

    /// How a shape is painted at each sample. Dashes that have gone round in a loop go on over its seam.
    pub(crate) fn looks(&self, node: NodeId, shape: &Shape) -> Vec<ShapeLook> {
        let looks = self.frames.iter().map(|frame| frame.look(&self.drawing, node));
        let mut looks: Vec<ShapeLook> = looks.collect();
        if let (true, Some(stroke), [.., before, last, end]) =
            (self.looping, &shape.stroke, looks.as_mut_slice())
        {
            let (before, last, end) = (before.lengths, last.lengths, &mut end.lengths);
            let period = stroke.dashes.iter().sum::<f64>() * end.dash_scale;
            let on = 2.0 * last.dash_offset - before.dash_offset;
            let rounds = ((on - end.dash_offset) / period).round();
            end.dash_offset += if rounds.is_finite() { rounds * period } else { 0.0 };
        }
        looks
    }

    /// A gradient whose colours can change, at each sample.
    pub(crate) fn gradient_looks(&self, id: GradientId) -> Option<Vec<&GradientLook>> {
        let slot = self.drawing.slots().gradient_looks.slot(id)?;
        let looks: Option<Vec<_>> = self.frames.iter().map(|frame| frame.gradient_looks.get(slot)).collect();
        let count = self.drawing.gradient(id)?.stops.len();
        let fits = |look: &&GradientLook| (look.colors.len(), look.gradient.stops.len()) == (count, count);
        looks.filter(|looks| looks.iter().all(fits))
    }

    /// What is made of the colours of an image at each sample; none if they always are its own.
    pub(crate) fn tints(&self, image: NodeId) -> Option<Vec<ColorMap>> {
        let maps = self.frames.iter().map(|frame| frame.tint(&self.drawing, image));
        let maps: Vec<ColorMap> = maps.collect::<Option<_>>()?;
        Some(maps).filter(|maps| maps.iter().any(|map| !map.is_identity()))
    }

    /// Of a shape that is the part of a stroke: the part at each sample, which may be the whole. What has gone round in
    /// a loop goes on over its seam.
    pub(crate) fn trims(&self, node: NodeId) -> Option<Vec<Trim>> {
        let trims = self.frames.iter().map(|frame| frame.trim(&self.drawing, node));
        let mut trims: Vec<Trim> = trims.collect::<Option<_>>()?;
        if let (true, [.., before, last, end]) = (self.looping, trims.as_mut_slice()) {
            let rounds = (2.0 * last.offset - before.offset - end.offset).round();
            end.offset += if rounds.is_finite() { rounds } else { 0.0 };
        }
        Some(trims)
    }

    /// The whole outline of a shape that is the part of a stroke, if nothing bends it.
    pub(crate) fn whole_outline(&self, node: NodeId) -> Option<&BezPath> {
        let is_still = self.drawing.slots().is_still_trim(node);
        self.node(node).and_then(Node::shape).filter(|_| is_still).map(|shape| &*shape.outline)
    }

    /// Whether a part of a shape's stroke is cut off at any sample.
    pub(crate) fn is_cut(&self, node: NodeId) -> bool {
        let trims = self.frames.iter().filter_map(|frame| frame.trim(&self.drawing, node));
        trims.into_iter().any(|trim| !trim.is_whole())
    }

    /// The samples at which an outline begins anew: another clip, or another piece of a path of which a part is
    /// stroked.
    pub(crate) fn outline_breaks(&self, node: NodeId) -> Vec<usize> {
        let form = |at: usize| self.frames[at].trim(&self.drawing, node).map(|trim| trim.form);
        let jumps = |at: &usize| self.breaks.contains(at) || form(*at) != form(at - 1);
        (1..self.len()).filter(jumps).collect()
    }

    /// The transform of a group at each sample.
    pub(crate) fn transforms(&self, node: NodeId) -> Vec<Affine> {
        self.frames.iter().map(|frame| frame.transform(&self.drawing, node)).collect()
    }

    /// Whether a group has a transform of its own in each frame.
    pub(crate) fn is_moved(&self, node: NodeId) -> bool {
        self.drawing.slots().transforms.slot(node).is_some()
    }

    /// The outline of a shape at each sample; one if it is not posed.
    pub(crate) fn outlines(&self, node: NodeId) -> Vec<&BezPath> {
        let posed = self.drawing.slots().outlines.slot(node).is_some();
        let frames = if posed { &self.frames[..] } else { &self.frames[..1] };
        frames.iter().filter_map(|frame| frame.outline(&self.drawing, node)).collect()
    }

    /// Whether a group is seen at any sample.
    pub(crate) fn is_ever_seen(&self, node: NodeId) -> bool {
        self.frames.iter().any(|frame| frame.visibility(&self.drawing, node).is_seen())
    }

    /// The name of the art that a node belongs to, for messages.
    pub(crate) fn name_of(&self, node: NodeId) -> String {
        let element = self.drawing.element_around(node).and_then(|id| self.drawing.element(id));
        element.map_or_else(|| "the drawing".to_owned(), |element| format!("\"{}\"", element.name()))
    }

    /// All shapes and images in a node, itself among them.
    pub(crate) fn leaves(&self, node: NodeId) -> Vec<NodeId> {
        let (mut next, mut found) = (vec![node], Vec::new());
        while let Some(at) = next.pop() {
            let Some(here) = self.node(at) else { continue };
            match &here.kind {
                NodeKind::Group(group) => next.extend(group.children.iter().rev()),
                NodeKind::Shape(_) | NodeKind::Image(_) => found.push(at),
            }
        }
        found
    }
}

fn numbers(frame: &Frame) -> usize {
    let points: usize = frame.outlines.iter().map(|path| 6 * path.elements().len()).sum();
    let stops: usize = frame.gradient_looks.iter().map(|look| 6 * look.colors.len()).sum();
    let steps: usize =
        frame.filter_looks.iter().flatten().map(|step| if step.is_some() { 9 } else { 0 }).sum();
    points
        + stops
        + steps
        + 6 * (frame.transforms.len() + frame.gradients.len() + frame.patterns.len())
        + 4 * frame.visibilities.len()
}
