//! The document: what the artist wrote, in the order of the file, with the place of everything.
//! Names stay names, angles degrees, times seconds; defaults are not filled in and nothing is looked up.
//!
//! A program can make a document without places. Its values are checked as those of a text are, and findings
//! about it have no place:
//!
//! ```
//! use bone_core::clip::Scalar;
//! use kurbo::Point;
//! use bone_format::doc::{BoneDoc, Channel, ClipDoc, BoneChannelsDoc, Key, RigDoc};
//! use bone_format::{Diagnostics, check};
//!
//! let bone = |name: &str| BoneDoc { name: name.to_owned().into(), ..BoneDoc::default() };
//! let rotate = Channel::from_keys([Key::new(0.0, 0.0), Key::new(1.0, 30.0)]);
//! let mut rig = RigDoc {
//!     version: Some(1.into()),
//!     drawing: Some("cat.svg".to_owned().into()),
//!     bones: vec![
//!         BoneDoc { from: Some(Point::new(9.0, 9.0).into()), length: Some(30.0.into()), ..bone("body") },
//!         BoneDoc { parent: Some("boddy".to_owned().into()), length: Some(0.0.into()), ..bone("tail") },
//!     ],
//!     clips: vec![ClipDoc {
//!         name: "wag".to_owned().into(),
//!         bones: vec![BoneChannelsDoc::new("tail".to_owned()).with(Scalar::Rotate, rotate)],
//!         ..ClipDoc::default()
//!     }],
//!     ..RigDoc::default()
//! };
//! let mut found = Diagnostics::new();
//! check(&rig, &mut found);
//! let messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
//! assert_eq!(messages, [
//!     "`length` of bone \"tail\" must not be 0",
//!     "the parent of bone \"tail\" is \"boddy\", and there is no such bone",
//! ]);
//! assert!(found.iter().all(|finding| finding.place.is_none()));
//!
//! rig.bones[1].parent = Some("body".to_owned().into());
//! rig.bones[1].length = Some(20.0.into());
//! let mut found = Diagnostics::new();
//! check(&rig, &mut found);
//! assert!(found.is_empty());
//! ```

mod any_binding;
mod art;
mod binding;
mod brush;
mod channels;
mod color;
mod constraint;
mod content;
mod controls;
mod events;
mod filters;
mod gradients;
mod ink;
mod keys;
mod machines;
mod masks;
mod motion;
mod outfits;
mod poses;
mod puppet;
mod rig;
mod scene;
mod sequences;
mod shapes;
mod skeleton;
mod springs;
mod vertex;
mod warps;

pub use any_binding::BindingDoc;
pub use art::{ArtDoc, ArtNames};
pub use binding::{
    ClipFollow, ExplicitDoc, FollowDoc, FoundWeights, Method, PaintDoc, PaintOptionsDoc, RigidDoc, SmoothDoc,
    Stroke,
};
pub use bone_core::Inherit;
pub use bone_core::clip::{Drive, Ease, Extend, KeepTransform, LayerBlend};
pub use bone_core::constraint::{Bend, CopySpace, DistanceMode, EndAngle, PathTurn};
pub use bone_skin::{FoldRule, PinTurn, SkinBlend};
pub use brush::StrokeDoc;
pub use channels::{AnyChannel, Channels, SingleValues};
pub use color::Rgb;
pub(crate) use constraint::IK_ENDS;
pub use constraint::{
    AimDoc, BendChannel, ConstraintChannelsDoc, ConstraintDoc, ConstraintKind, CopyDoc, DistanceDoc, EndDoc,
    HoldDoc, IkDoc, LimitDoc, PathDoc, TargetDoc,
};
pub use controls::{CameraDoc, SliderDoc};
pub use events::{EventDoc, EventsDoc, SoundDoc};
pub use filters::FilterKeysDoc;
pub use gradients::GradientKeysDoc;
pub use ink::{InkCorner, InkDoc, InkEnd, InkKeysDoc};
pub(crate) use keys::KEYS;
pub use keys::{Channel, Key, Shift};
pub use machines::{BlendPointDoc, MachineDoc, MachineLayerDoc, StateDoc, StatesDoc, TransitionDoc};
pub use masks::MaskDoc;
pub use motion::{
    ArtOffsetsDoc, ArtSetupDoc, ArtWeightsDoc, BoneChannelsDoc, ClipDoc, DriverDoc, Half, OffsetDoc,
    ParentChannel, ParentKey,
};
pub use outfits::OutfitDoc;
pub use poses::{PoseDoc, PoseWeightDoc, PosedArtDoc, PosedBoneDoc, WeightDoc};
pub use puppet::PuppetDoc;
pub use rig::{PartDoc, RigDoc};
pub(crate) use scene::STAGE;
pub use scene::{ActorDoc, RoleDoc, SceneDoc, SceneShotDoc, StagedActor, StagedPlay};
pub use sequences::{Fade, LayerDoc, Piece, PlayDoc, SequenceDoc};
pub use shapes::ShapeDoc;
pub use skeleton::{BoneDoc, BoneKind, Joint, Limits, Region};
pub use springs::{SpringDoc, StopDoc, WindDoc};
pub use vertex::{VertexAddress, VertexPart, VertexWeightsDoc, WeightsDoc};
pub use warps::{FormDoc, FormsDoc, GridPlace, WarpDoc};

use crate::schema::word_values;

// Words whose meaning is that of the runtime.
word_values! {
    Bend, CopySpace, DistanceMode, Drive, EndAngle, Extend, FoldRule, Inherit, KeepTransform, LayerBlend, PathTurn,
    PinTurn, SkinBlend,
}
