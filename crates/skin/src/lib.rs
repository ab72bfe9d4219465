//! Drawings that follow bones: outlines, weights, free offsets and the posed result.
//!
//! All coordinates are on the canvas: setup positions go in, posed outlines come out. No function of a frame
//! allocates.
//!
//! ```
//! use bone_core::{Angle, BoneSpec, Pose, SkeletonBuilder, WorldPose};
//! use kurbo::{BezPath, ParamCurve, Point};
//! use bone_skin::{BLine, BindOptions, BoneWeights, PosedDrawing, Skin, SkinMatrices, VertexPoint, VertexWeights, Weights};
//!
//! let arm = SkeletonBuilder::new()
//!     .bone(BoneSpec::new("upper", 50.0))
//!     .bone(BoneSpec::new("fore", 50.0).parent("upper").origin(50.0, 0.0))
//!     .build()?;
//! let (upper, fore) = (arm.find("upper").expect("added"), arm.find("fore").expect("added"));
//!
//! // A line along both bones; its middle follows half and half.
//! let sleeve = BLine::from_path(&BezPath::from_svg("M0 0L50 0L100 0")?);
//! let rows = [vec![(upper, 1.0)], vec![(upper, 1.0), (fore, 1.0)], vec![(fore, 1.0)]];
//! let weights = rows.into_iter().map(|row| BoneWeights::new(row).map(VertexWeights::new));
//! let weights: Result<Vec<_>, _> = weights.collect();
//! let mut skin = Skin::new();
//! let path = skin.bind(&sleeve, &Weights::Explicit(&weights?), &BindOptions::default())?;
//!
//! // Once a frame: pose, place, deform.
//! let (mut pose, mut world) = (Pose::new(&arm), WorldPose::new(&arm));
//! let (mut matrices, mut posed) = (SkinMatrices::new(&arm), PosedDrawing::new(&skin));
//! pose.bones[fore.index()].angle = Angle::from_degrees(90.0);
//! world.forward(&arm, &pose)?;
//! matrices.update(&arm, &pose, &world);
//! bone_skin::deform(&skin, &matrices, None, &mut posed);
//! let end = posed.path(path).expect("bound").segments().last().expect("two segments").end();
//! assert!(end.distance(Point::new(50.0, 50.0)) < 1e-9);
//!
//! // Dragging the end to a place gives the free offset that brings it there.
//! let offset = skin.offset_to(&matrices, path, 2, VertexPoint::Anchor, Point::new(60.0, 45.0));
//! let expected = kurbo::Vec2::new(10.0, -5.0);
//! assert!(offset.is_some_and(|offset| (offset - expected).hypot() < 1e-9));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// What tests, benches and examples use is checked by a test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod affine_binding;
mod anchor_slopes;
#[cfg(feature = "weights")]
mod auto;
mod bind;
mod blend;
mod bline;
mod centres;
mod deform;
pub mod edit;
mod error;
mod fold;
mod fold_hide;
mod fold_overlap;
mod fold_place;
mod fold_places;
mod fold_scratch;
mod joints;
mod keyed;
mod matrices;
mod mirrored;
mod mirrored_contour;
mod mirrored_cut;
mod nearest_affine;
mod offset;
mod options;
mod pack;
mod paint;
mod patches;
mod plan;
mod planner;
mod posed;
mod puppet;
mod refit;
mod setup;
mod skin;
mod sparse;
mod split;
mod table;
mod trial_motions;
mod warp;
mod weight_curve;
mod weights;

pub use affine_binding::AffineBinding;
#[cfg(feature = "weights")]
pub use auto::{
    BoneSegment, BrushEffect, BrushStroke, ClipRegion, CoveredShape, FieldError, FieldNote, FieldOptions,
    InnerWeights, Method, PuppetMesh, PuppetMeshError, SolvedField, solve_weights, solve_weights_unless,
};
pub use blend::SkinBlend;
pub use bline::{BLine, Closing, Segment, Vertex, VertexPoint};
pub use deform::{deform, deform_from};
pub use error::BindError;
pub use fold::take_out_folds;
pub use keyed::{PathWeightTracks, PlayedWeights, WeightTracks};
pub use matrices::SkinMatrices;
pub use mirrored::MirroredParts;
pub use offset::{FixedOffset, OffsetSpace, Offsets, PlayedOffsets};
pub use options::{BindOptions, FoldRule, Follow, Weights, WindingRule};
pub use paint::PaintFit;
pub use patches::{PaintPatches, PosedPatches};
pub use posed::PosedDrawing;
#[cfg(feature = "weights")]
pub use puppet::PuppetError;
pub use puppet::{PinTurn, Puppet, PuppetPin, PuppetScratch};
pub use setup::{PlayedSetups, Setups};
pub use skin::{PathId, Skin};
pub use warp::{FormAxis, FormGrid, Lattice, PosedWarps, WarpForm, WarpScratch, WarpTrials, Warps};
pub use weight_curve::WeightField;
pub use weights::{BoneWeights, VertexWeights, WeightError};
