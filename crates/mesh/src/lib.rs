//! Frames of posed drawings as triangles, for graphics cards.
//!
//! An outline is cut into triangles where it rests; while it moves, its triangles keep their corners, and only a pose
//! that turns one of them over is cut anew. Edges are smooth without multisampling: each has a strip of one pixel along
//! which the coverage falls to 0. What has no triangles is named in [`FrameMesh::left_out`].
//!
//! ```
//! use bone_drawing::{Drawing, PaintStack};
//! use bone_mesh::{FrameMesh, MeshCache, MeshView, fill_mesh};
//!
//! # fn shown(drawing: &Drawing, setup: &bone_drawing::Frame, frame: &bone_drawing::Frame) {
//! let (mut mesh, mut cache, mut stack) = (FrameMesh::new(), MeshCache::new(vec![setup.clone()]), PaintStack::default());
//! // 3 pixels for each unit of the drawing, in a space whose unit is a pixel.
//! let view = MeshView { transform: kurbo::Affine::scale(3.0), pixel: 1.0 };
//! fill_mesh(drawing, frame, view, &mut stack, &mut cache, &mut mesh);
//! for draw in mesh.draws() {
//!     // A call of the graphics card each: mostly one for the whole figure.
//!     println!("{draw:?}");
//! }
//! # }
//! ```

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod cache;
mod flatten;
mod mesh;
mod paint;
mod topology;
mod writer;

pub use cache::MeshCache;
pub use mesh::{FrameMesh, MeshDraw, MeshVertex};
pub use paint::{RAMP_WIDTH, left_out};
pub use writer::{MeshView, fill_mesh};
