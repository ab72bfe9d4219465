//! Writes into rigs what a program finds out for an artist: scaffolds for drawings, clips of recorded motion,
//! transitions between clips. What comes out is a document, or edits of a session with notes about them: nothing is
//! opened, printed or written to the disk here.
//!
//! ```
//! use std::sync::Arc;
//! use bone_authoring::{ClipOptions, Recorded, onto};
//! use bone_format::session::Session;
//! use bone_format::{InMemory, no_fonts};
//! use bone_import::{ViewDirection, bvh, project};
//!
//! // A leg that swings forward.
//! let text = "HIERARCHY\nROOT Hips {\n OFFSET 0 90 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
//!     JOINT LeftUpLeg { OFFSET 10 0 0 CHANNELS 3 Zrotation Xrotation Yrotation\n\
//!     JOINT LeftLeg { OFFSET 0 -40 0 CHANNELS 3 Zrotation Xrotation Yrotation\n\
//!     JOINT LeftFoot { OFFSET 0 -40 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 -8 12 } } } }\n\
//!     JOINT RightUpLeg { OFFSET -10 0 0 CHANNELS 3 Zrotation Xrotation Yrotation\n\
//!     JOINT RightLeg { OFFSET 0 -40 0 CHANNELS 3 Zrotation Xrotation Yrotation\n\
//!     JOINT RightFoot { OFFSET 0 -40 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 -8 12 } } } } }\n\
//!     MOTION Frames: 3 Frame Time: 0.5\n\
//!     0 90 0 0 0 0  0 0 0 0 0 0 0 0 0  0 0 0 0 0 0 0 0 0\n\
//!     0 90 0 0 0 0  0 -15 0 0 0 0 0 0 0  0 0 0 0 0 0 0 0 0\n\
//!     0 90 0 0 0 0  0 -30 0 0 0 0 0 0 0  0 0 0 0 0 0 0 0 0\n";
//! let seen = project(&bvh::read(text)?, ViewDirection::SIDE, None)?;
//!
//! let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 120"><path id="leg" d="M35 10H45V110H35Z"/></svg>"#;
//! let rig = r#"Rig(version: 1, drawing: "hero.svg", bones: {
//!     "hips": (from: (40, 8), to: (40, 10)),
//!     "thigh_l": (parent: "hips", to: (40, 55)), "shin_l": (parent: "thigh_l", to: (40, 100)),
//!     "foot_l": (parent: "shin_l", to: (50, 108)),
//!     "thigh_r": (parent: "hips", from: (40, 10), to: (40, 55)), "shin_r": (parent: "thigh_r", to: (40, 100)),
//!     "foot_r": (parent: "shin_r", to: (50, 108)),
//! }, skin: [Smooth(art: "leg", bones: ["thigh_l", "shin_l"])])"#;
//! let files = Arc::new(InMemory::new().with("hero.ron", rig).with("hero.svg", svg));
//! let mut session = Session::open("hero.ron", files, no_fonts);
//!
//! let recorded = Recorded::new(seen.motion, "Made from kick.bvh.");
//! let kick = onto(&session, recorded, None, &ClipOptions::new("kick"))?;
//! session.apply_all("Import a clip", &kick.edits)?;
//! assert!(session.rig().is_some_and(|rig| rig.clip("kick").is_some()));
//! assert!(session.text().contains("Made from kick.bvh."));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod accuracy;
mod clip_doc;
mod controls;
mod error;
mod figure;
mod ground;
mod intent;
mod lips;
mod map;
mod onto;
mod recorded;
mod replacement;
mod scaffold;
mod speech;
mod transition;

use bone_format::session::{DocPath, DocValue, Edit, Session};

pub use error::AuthoringError;
pub use figure::{NewFigure, new_figure};
pub use intent::{Intent, PoseChange, middle_of_art};
pub use lips::{LipEdits, LipOptions, lip_keys};
pub use map::MapFile;
pub use onto::{ClipEdits, onto};
pub use recorded::{ClipOptions, Recorded, ShortNumber};
pub use replacement::{match_art, set_drawing};
pub use scaffold::{
    BoneReport, BoneStyle, FileNames, Scaffold, ScaffoldResult, UpdatedBones, scaffold, scaffold_with,
    shown_guides, update_bones,
};
pub use speech::{LONGEST_SPEECH, SPEECH_RATE, SpokenPhone, speak};
pub use transition::{TransitionOptions, transition};

/// The edits that put an entry with a comment into a section of a rig, in the place of one of that name.
pub fn entry_edits(
    session: &Session,
    section: &str,
    name: &str,
    value: DocValue,
    comment: &str,
) -> Vec<Edit> {
    let at = DocPath::from([section, name]);
    let put = match session.get(&at) {
        Ok(_) => Edit::set(at.clone(), value),
        Err(_) => Edit::Add { into: DocPath::from([section]), name: name.to_owned(), value },
    };
    vec![put, Edit::AddComment { at, text: comment.to_owned() }]
}
