//! What is in a rig, as plain data: the art with what it follows, the bones with what follows them, the clips, and the posed bones
//! and outlines of a moment. For people who look and for tools that draw by themselves.
//!
//! Refuses to print and to serialise; that is the command line's.

mod art;
mod bones;
mod paint;
mod posed;

pub use bone_core::{BoneId, Inherit, Joint};
use drawing::Drawing;
use kurbo::{Rect, Size};

use rig::Rig;
use rig_format::doc::RigDoc;

pub(crate) use art::bounds;
pub use art::{ArtState, Binding, Follows, InspectedArt};
pub use bones::{InspectedBone, InspectedConstraint};
pub use paint::PaintSummary;
pub use posed::{PosedBone, PosedMoment, PosedPath};

/// Everything that is in a rig.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The canvas, in the drawing's units.
    pub canvas: Rect,
    /// The drawing's own size in pixels.
    pub size: Size,
    /// Frames a second, unless the caller wants others.
    pub fps: f64,
    /// The elements of the drawing in document order, which is that of painting; those around others first.
    pub art: Vec<InspectedArt>,
    /// The bones, parents first.
    pub bones: Vec<InspectedBone>,
    /// What bones must do besides, in the order in which it works.
    pub constraints: Vec<InspectedConstraint>,
    /// The clips, then the shots.
    pub clips: Vec<InspectedClip>,
}

/// A movement.
#[derive(Clone, Debug, PartialEq)]
pub struct InspectedClip {
    /// Its name.
    pub name: String,
    /// Whether it is put together of clips.
    pub shot: bool,
    /// Seconds.
    pub length: f64,
    /// Whether it starts again after its end.
    pub looped: bool,
    /// How many frames of the rig each drawing is held for.
    pub step: u32,
    /// How many frames it has at the rig's rate.
    pub frames: u64,
}

impl Inspection {
    /// Looks at a rig that was loaded without errors.
    pub fn new(scene: &Rig, doc: &RigDoc) -> Self {
        let art: &Drawing = scene.art();
        let bindings = art::Bindings::new(scene, doc);
        let elements = art::elements(scene, &bindings);
        let clip = |clip: &rig::RigClip| {
            let time = clip.time();
            InspectedClip {
                name: clip.name().to_owned(),
                shot: clip.shot().is_some(),
                length: time.length,
                looped: time.looped,
                step: time.step.map_or(1, |step| step.frames),
                frames: clip.frame_count(scene.fps()),
            }
        };
        Self {
            canvas: art.canvas(),
            size: art.size(),
            fps: scene.fps(),
            bones: bones::bones(scene, doc, &elements),
            art: elements,
            constraints: bones::constraints(doc),
            clips: scene.clips().iter().map(clip).collect(),
        }
    }
}
