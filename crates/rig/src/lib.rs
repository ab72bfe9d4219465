//! A compiled rig: a drawing with its skeletons, skin, constraints and clips, ready to be posed at any time.
//!
//! A [`Rig`] is immutable while it plays and shared by all threads. Everything that changes from frame to
//! frame is in a [`FrameState`], one for each thread. Rigs are compiled from rig files by the crate
//! `rig-format`, or built by a program from [`parts::RigParts`].
//!
//! [`Rig::save`] and [`Rig::load`] pack a rig into bytes and back.
//!
//! [`Rig::pose_with`] poses a moment with [`Overrides`] on top of the clip, and [`Rig::drag`] changes
//! overrides so that a bone, a chain or a vertex follows a pointer.
//!
//! A [`Mixer`] plays any number of clips in a running program: they fade into each other, lie above each
//! other, each at its own speed, and springs move live.
//!
//! States and clips belong to the rig they were made for. [`Rig::pose`] returns
//! [`PoseError::OtherRig`](bone_core::PoseError::OtherRig) for those of another rig; every other function
//! has on its page what it returns. None panics.

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod clip;
mod constraints;
mod drag;
mod draw_order;
mod events;
mod identity;
mod machine;
mod machine_run;
mod mixer;
mod moment;
mod outfit;
mod overrides;
mod pack;
mod paint;
pub mod parts;
mod passed;
mod playback;
mod property;
mod rig;
mod state;
mod turn;
mod voice;
mod worn;

pub use bone_archive::ArchiveError;
pub use clip::RigClip;
pub use constraints::RigConstraint;
pub use drag::{BoneMotion, DragError, Handle};
pub use draw_order::{ArtPose, ArtValue, Choice, DrawOrder, Switch, is_of_tint, is_of_trim};
pub use events::{ClipEvents, EventId, EventPayload, EventValue, RigEvent, RigSound};
pub use machine::{
    BlendPoint, Machine, MachineCondition, MachineInput, MachineInputKind, MachineLayer, MachineState,
    MachineTransition,
};
pub use mixer::Mixer;
pub use moment::KeptMoment;
pub use outfit::{Outfit, OutfitSwap};
pub use overrides::{BoneOverride, ConstraintOverride, OverrideError, OverrideList, Overrides, VertexOffset};
pub use parts::RigDriver;
pub use passed::FrameEvent;
pub use playback::{Cue, LayerOptions, MixerError, MixerEvent, Playback};
pub use property::{Camera, CameraProperty, RowProperty, Slider};
pub use rig::Rig;
pub use state::FrameState;
pub use turn::Turn;
