//! Clips: keyed motion of bones. A clip gives a [`Pose`](crate::Pose) at a time. Its effects on the skin (offsets,
//! weights) are in other crates, with the same [`Curve`] and the same [`ClipTime`]. A [`Driver`] has the same
//! curves over a value of the pose instead of time.

mod bones;
mod changes;
mod channel;
mod curve;
mod driver;
mod ease;
mod key;
mod mix;
mod mixer;
mod passings;
mod rebases;
mod reparent;
mod same_time;
mod sequence;
mod slopes;
mod step;
mod time;
mod tracks;
mod value;
mod way;

pub use bone_archive::{Join, Properties, Property, ValueKind};
pub use bones::{Clip, ClipBuilder};
pub use channel::{BoneProperty, Scalar, Vector};
pub use curve::{Curve, CurveError, PosedValue, ValueBlend};
pub use driver::{Drive, Driver, NotRelative};
pub use ease::{Ease, EaseParameter, EaseRow, Extend};
pub use key::Key;
pub use mixer::{Channels, PoseBlend, PoseMixer};
pub use passings::{Passage, PassedStretch, Stretches};
pub use reparent::{KeepTransform, ParentKey};
pub use same_time::{SAME_TIME, same_frame};
pub use sequence::{
    Fades, Layer, LayerBlend, Sequence, SequenceBuilder, SequenceError, SequenceKey, SequencePart,
    WeightedClip, smoothstep,
};
pub use step::Step;
pub use time::{ClipTime, Repeat, Rounds};
pub use tracks::Tracks;
pub use value::Value;
pub use way::{EaseShape, EaseSide, Jumps};
