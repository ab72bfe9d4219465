//! The messages of the protocol as types. `PROTOCOL.md` and `page/types.d.ts` have what these lists say of them.

mod op;
mod reply;
mod request;
mod step;
#[cfg(test)]
mod text;
mod value;

pub(crate) use self::op::Op;
pub(crate) use self::reply::{
    ActorFacts, Art, Bone, Clip, ConflictNote, ConflictPlace, Facts, HitArt, HitBone, Lost, MachineFacts,
    MachineKnob, MissingNote, OutfitFacts, OvertakenPlace, ReplacedArt, Reply, RigFile, RuleFacts, Scene,
    ShotPart, StateArrow, StateBox, StateCondition, StatesFacts, Track, TrackKey, WeightBinding, WeightPath,
    WeightStroke, WholeState,
};
pub(crate) use self::request::{Asked, Brush, GrabWish, Moment, PictureWish, PlayWish, Request};
pub(crate) use self::step::{SavedText, Step};
pub(crate) use self::value::ease_json;
