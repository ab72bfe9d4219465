//! The contents of a rig as plain data: the art and the bones that it follows, the bones and the art that
//! follows them, the clips, and the posed bones and outlines at a time. For reports, and for tools with their
//! own renderer.

mod art;
mod bones;
mod paint;
mod posed;

use bone_core::clip::Repeat;
pub use bone_core::{BoneId, Inherit, Joint};
use bone_drawing::Drawing;
use kurbo::{Rect, Size};

use bone_format::doc::{ClipDoc, RigDoc};
use bone_rig::{EventPayload, Rig, RigSound};

pub(crate) use art::bounds;
pub use art::{ArtState, Binding, Follows, InspectedArt};
pub use bones::{InspectedBone, InspectedConstraint};
pub use paint::PaintSummary;
pub use posed::{PosedBone, PosedMoment, PosedPath};

/// The contents of a rig.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The canvas, in the drawing's units.
    pub canvas: Rect,
    /// The drawing's own size in pixels.
    pub size: Size,
    /// Frames a second, unless the caller sets others.
    pub fps: f64,
    /// The elements of the drawing in document order, which is that of painting; those around others first.
    pub art: Vec<InspectedArt>,
    /// The bones, parents first.
    pub bones: Vec<InspectedBone>,
    /// The constraints, in the order in which they are applied.
    pub constraints: Vec<InspectedConstraint>,
    /// The clips, then the sequences.
    pub clips: Vec<InspectedClip>,
    /// The names of the poses.
    pub poses: Vec<String>,
}

/// A clip or sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct InspectedClip {
    /// Its name.
    pub name: String,
    /// Whether it is a sequence: a shot in the rig file.
    pub is_sequence: bool,
    /// Seconds.
    pub length: f64,
    /// Whether it starts again after its end.
    pub looped: bool,
    /// Seconds of its keys, as the rig has them.
    pub keys: f64,
    /// How often its keys are played.
    pub repeat: Repeat,
    /// How many frames of the rig each drawing is held for.
    pub step: u32,
    /// How many frames it has at the rig's rate.
    pub frames: u64,
    /// Time and name of its events, the first 1,000.
    pub events: Vec<(f64, String)>,
    /// When sounds begin, their files, and how they are played; the first 1,000.
    pub sounds: Vec<(f64, String, RigSound)>,
}

impl Inspection {
    /// The contents of a rig that was loaded without errors.
    pub fn new(rig: &Rig, doc: &RigDoc) -> Self {
        let art: &Drawing = rig.art();
        let bindings = art::ArtBindings::new(rig, doc);
        let elements = art::elements(rig, &bindings);
        let clip = |clip: &bone_rig::RigClip| {
            let time = clip.time();
            let frames = clip.frame_count(rig.fps());
            let (found, _) = clip.frame_events(rig.fps(), 0..frames, 1000);
            let (mut events, mut sounds) = (Vec::new(), Vec::new());
            for (time, event) in
                found.iter().filter_map(|at| Some((at.time, rig.events().get(at.event.index())?)))
            {
                let name = event.name.clone();
                match event.payload {
                    EventPayload::Sound(sound) => sounds.push((time, name, sound)),
                    _ => events.push((time, name)),
                }
            }
            InspectedClip {
                name: clip.name().to_owned(),
                is_sequence: clip.sequence().is_some(),
                length: time.length,
                looped: time.looped,
                keys: doc.clip(clip.name()).and_then(ClipDoc::duration).unwrap_or_else(|| time.key_length()),
                repeat: time.repeat(),
                step: time.step.map_or(1, |step| step.frames),
                frames,
                events,
                sounds,
            }
        };
        Self {
            canvas: art.canvas(),
            size: art.size(),
            fps: rig.fps(),
            bones: bones::bones(rig, doc, &elements),
            art: elements,
            constraints: bones::constraints(doc),
            clips: rig.clips().iter().map(clip).collect(),
            poses: rig.poses().to_vec(),
        }
    }
}
