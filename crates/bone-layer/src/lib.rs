//! Poses vector drawings with 2D bones.
//!
//! An artist draws an SVG and types a rig: bones, what follows which bone, clips. This crate loads both, plays clips, moves bones
//! by hand and draws frames.
//!
//! ```
//! # #[cfg(all(feature = "format", feature = "raster"))] {
//! use std::sync::Arc;
//! use bone_layer::kurbo::{Affine, Point};
//! use bone_layer::motion::constraint::AttachmentPoint;
//! use bone_layer::{FrameSize, FrameState, Handle, InMemory, Mixer, Overrides, Viewport, load, no_fonts};
//!
//! let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">
//!     <path id="flag" fill="#c33" d="M5 5H35V20H5Z"/></svg>"##;
//! let ron = r#"Rig(version: 1, drawing: "flag.svg",
//!     bones: { "pole": (from: (5, 12), to: (20, 12)), "end": (parent: "pole", to: (35, 12)) },
//!     skin: [Smooth(art: "flag", bones: ["pole", "end"])],
//!     clips: { "wave": (length: 2, bones: { "pole": (rotate: [(0, 0), (1, 30), (2, 0)]) }) },
//! )"#;
//! // Load, once. `Disk` reads files; what is wrong with them is in `diagnostics`, with places.
//! let files = Arc::new(InMemory::new().with("flag.ron", ron).with("flag.svg", svg));
//! let rig = load("flag.ron".as_ref(), files, &no_fonts).rig.ok_or("the rig has mistakes")?;
//!
//! // Play: any moment, in any order. One state a thread.
//! let mut state = FrameState::new(&rig);
//! rig.pose(rig.clip("wave"), 0.5, &mut state)?;
//!
//! // Mix: clips begin, fade and change their speed while the program runs, and springs move live.
//! let (mut mixer, wave) = (Mixer::new(&rig), rig.clip("wave").ok_or("no such clip")?);
//! let playing = mixer.play(&rig, wave, 0.0)?;
//! mixer.set_speed(playing, 2.0)?;
//! mixer.step(&rig, 1.0 / 60.0, &mut state)?;
//!
//! // Drag: two bones bring the tip to the pointer, on top of the clip.
//! let bone = rig.skeleton().find("end").ok_or("no such bone")?;
//! let tip = Handle::Tip { bone, point: AttachmentPoint::Tip, chain: 2 };
//! let mut overrides = Overrides::new();
//! rig.drag(rig.clip("wave"), 0.5, &mut overrides, tip, Point::new(24.0, 34.0), &mut state)?;
//!
//! // Draw: three times as large, into memory of yours. What did not change is not drawn again.
//! let transform = Affine::scale(3.0);
//! let view = Viewport::new(FrameSize::new(120, 120)?, transform);
//! let mut pixels = vec![0; 120 * 120 * 4];
//! rig.draw_into(&mut state, &view, &mut pixels)?;
//!
//! // Ask: the art below the pointer, the outlines on the canvas.
//! let hit = rig.hit_test(&state, Point::new(10.0, 12.0), 0.0);
//! let outline = state.posed().paths()[0].to_svg();
//! # assert!(hit.is_some() && outline.starts_with('M') && pixels.iter().any(|byte| *byte > 0));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Parts
//!
//! | module | what it has |
//! |---|---|
//! | [`rig`] | the compiled rig and its frames |
//! | [`motion`] | skeletons, poses, clips, sequences, constraints, springs |
//! | [`skin`] | outlines bound to bones, weights, deformation |
//! | [`drawing`] | the drawing as data: nodes, frames, sinks of paint, hit tests |
//! | `render` | SVG in and out, pixels, encoders (features `svg`, `raster`) |
//! | `format` | rig files: load, check, compile, edit, write (feature `format`) |
//! | `session` | a rig that is being edited: operations, undo, merging (feature `format`) |
//! | `looks` | overlays, sheets, onion skins, plots (feature `looks`) |
//! | `authoring` | scaffolds, clips of recordings, transitions (feature `authoring`) |
//! | `import` | recorded motion (feature `import`) |
//! | `export` | frames to GIF, APNG, WebP and sprite sheets (feature `export`) |
//!
//! # Threads, and wrong input
//!
//! A [`Rig`] is `Send` and `Sync`: all threads share one. A [`FrameState`], a [`Mixer`] and [`Overrides`] are `Send`
//! and `Sync`, too, but they change: each thread has its own.
//!
//! No function panics for numbers that are not finite, empty lists, or clips, states and ids of another rig, but for
//! accessors by id and index, whose documentation has `# Panics`. `docs/security.md` lists them.
//!
//! Without its default features the crate gives poses, outlines and frames as data, and needs neither files nor fonts nor a clock.

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

#[cfg(feature = "authoring")]
pub use bone_authoring as authoring;
pub use bone_core as motion;
pub use bone_drawing as drawing;
#[cfg(feature = "export")]
pub use bone_export as export;
#[cfg(feature = "format")]
pub use bone_format as format;
#[cfg(feature = "format")]
pub use bone_format::session;
#[cfg(feature = "import")]
pub use bone_import as import;
#[cfg(feature = "looks")]
pub use bone_looks as looks;
#[cfg(any(feature = "raster", feature = "svg"))]
pub use bone_render as render;
pub use bone_rig as rig;
pub use bone_skin as skin;
pub use kurbo;

pub use bone_core::{Angle, BoneId, Pose, Skeleton};
pub use bone_drawing::{Drawing, FlatFrame, Frame, Hit, PaintSink};
#[cfg(all(feature = "format", feature = "disk"))]
pub use bone_format::Disk;
#[cfg(all(feature = "format", feature = "system-fonts"))]
pub use bone_format::system_fonts;
#[cfg(feature = "format")]
pub use bone_format::{Diagnostic, Diagnostics, Files, InMemory, Loaded, load, no_fonts};
#[cfg(feature = "raster")]
pub use bone_render::{FrameOptions, FrameSize, Pixmap, Viewport};
pub use bone_rig::{
    Cue, FrameState, Handle, LayerOptions, Mixer, MixerEvent, Overrides, Playback, Rig, RigClip,
};
