//! What programs share between threads, and send to them: checked by the compiler, so this test cannot fail when it
//! runs.

use bone_core::clip::{Clip, PoseMixer, Sequence};
use bone_core::constraint::{Constraint, ConstraintScratch};
use bone_core::spring::{BakedSprings, SpringState, Springs};
use bone_core::{BoneId, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_drawing::{Drawing, DrawingBuilder, FlatFrame, FlatOutlines, Frame, Posable};
use bone_format::edit::{EditError, WeightEditor};
use bone_format::session::{Edit, Session};
use bone_format::{Compiler, Diagnostic, Diagnostics, Disk, Files, InMemory, Loaded, RigDoc};
use bone_render::{
    DrawReport, FrameEncoder, FrameName, FrameOptions, FrameSink, FrameSize, NumberedFiles, Pixmap,
    PngEncoder, Renderer, SinkError, Viewport, WholeFile,
};
use bone_rig::{
    ArchiveError, DragError, FrameState, Handle, Mixer, MixerError, MixerEvent, OverrideError, Overrides,
    Playback, Rig, RigClip, RigConstraint,
};
use bone_skin::{BLine, BoneWeights, PosedDrawing, Skin, SkinMatrices, VertexWeights};

/// Sent to threads that outlive the caller, and shared between them.
fn shared<T: Send + Sync + 'static>() {}

/// Sent to threads that outlive the caller.
fn sent<T: Send + 'static>() {}

macro_rules! shared {
    ($($type:ty),+ $(,)?) => { $(shared::<$type>();)+ };
}

#[test]
fn what_programs_keep_is_shared_and_sent() {
    shared!(Skeleton, SkeletonBuilder, BoneId, Pose, WorldPose, Clip, Sequence, PoseMixer);
    shared!(Constraint, ConstraintScratch, Springs, SpringState, BakedSprings);
    shared!(Skin, BLine, BoneWeights, VertexWeights, SkinMatrices, PosedDrawing);
    shared!(Drawing, DrawingBuilder, Posable, Frame, FlatFrame, FlatOutlines);
    shared!(Rig, RigClip, RigConstraint, FrameState, Overrides, Handle, Mixer, Playback, MixerEvent);
    shared!(Renderer, Pixmap, FrameSize, Viewport, FrameOptions, DrawReport);
    shared!(Box<dyn FrameSink>, NumberedFiles, WholeFile, FrameEncoder, FrameName, PngEncoder);
    shared!(Loaded, Diagnostic, Diagnostics, RigDoc, Compiler, Disk, InMemory, Box<dyn Files>);
    shared!(Edit, WeightEditor<'static>);
    // A session is of one thread at a time: its fonts may be a function that only one may call.
    sent::<Session>();
    shared!(ArchiveError, DragError, EditError, MixerError, OverrideError, SinkError);
}
