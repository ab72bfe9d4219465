//! Bones and their motion: skeletons, poses, forward kinematics and clips.
//!
//! The crate has no files and no drawings. Geometry is [`kurbo`]'s, in the drawing's user units with y down;
//! angles are clockwise on screen. Matrices act on column vectors: a bone's world matrix `W_j = W_p C_j` maps
//! the bone's frame, in which it lies along +x from the origin, to the canvas.
//!
//! | word | meaning |
//! |---|---|
//! | [`Skeleton`] | bones at rest, sorted depth first, never changed |
//! | [`Pose`] | one local transform a bone: what an animation sets |
//! | [`WorldPose`] | the pose on the canvas: what skin follows |
//! | [`clip::Clip`] | poses over time |
//! | [`clip::Driver`] | what one bone's value adds to others |
//! | [`constraint::Constraint`] | what a bone must do besides its keys |
//! | [`spring::Springs`] | bones that lag and swing |
//!
//! ```
//! use bone_core::{Angle, BoneSpec, Pose, SkeletonBuilder, WorldPose};
//!
//! // Bones in any order, each in its parent's frame.
//! let skeleton = SkeletonBuilder::new()
//!     .bone(BoneSpec::new("shin", 40.0).parent("thigh").origin(50.0, 0.0))
//!     .bone(BoneSpec::new("thigh", 50.0).origin(100.0, 100.0).degrees(90.0))
//!     .build()?;
//! let shin = skeleton.find("shin").expect("it was added");
//!
//! let mut pose = Pose::new(&skeleton);
//! pose.bones[shin.index()].angle += Angle::from_degrees(90.0);
//! let mut world = WorldPose::new(&skeleton);
//! world.forward(&skeleton, &pose)?;
//!
//! assert_eq!(world.origin(shin), kurbo::Point::new(100.0, 150.0));
//! assert_eq!(world.tip(&skeleton, &pose, shin), kurbo::Point::new(60.0, 150.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// What tests, benches and examples use is checked by a test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

#[cfg(feature = "nalgebra")]
mod algebra;
mod angle;
mod bone_pose;
mod builder;
pub mod clip;
pub mod constraint;
mod dense;
mod digits;
mod error;
mod forward;
mod frame;
mod id;
mod joint;
mod pose;
mod region;
mod rigid;
mod side;
mod skeleton;
pub mod spring;
mod user;

pub use angle::{Angle, exp, ln};
pub use bone_pose::BonePose;
pub use builder::{BoneSpec, BuildError, BuildErrors, SkeletonBuilder};
pub use digits::{in_few_digits, in_few_digits_beside};
pub use error::{ClipError, PoseError};
pub use forward::WorldPose;
pub use frame::{Inherit, Rebase};
pub use id::BoneId;
pub use joint::Joint;
pub use pose::{BonePoses, Pose, Reparent};
pub use region::InfluenceRegion;
pub use rigid::{RigidMotion, rigid_into};
pub use side::{Side, Sides, mirrored_name};
pub use skeleton::Skeleton;
pub use user::{pose_from_user, user_from_increment, user_from_world, user_transform};
