//! The rig file: reading, checking and compiling it to a scene that plays.
//!
//! The document ([`doc::RigDoc`]: names, degrees, places in the text) and the runtime ([`Scene`]: ids, columns, inverses) are
//! two shapes of one thing, joined by one step, [`compile`]. The format is described in `FORMAT.md`, and as data for editors by [`format`](format()), and every mistake in a
//! file comes back as a [`Diagnostic`] with its place; all of them at once.
//!
//! # For a tool of your own
//!
//! All that a tool does, from memory: load, pose, drag a joint, read the posed outlines, draw. Files come from a [`Files`],
//! which may be anything; nothing here looks at a clock, and a frame is the same whenever it is asked for.
//!
//! ```
//! use std::sync::Arc;
//! use bone_core::{Angle, pose_from_user, user_from_increment};
//! use kurbo::{Affine, Point};
//! use render::{FrameOptions, FrameSize, Pixmap};
//! use rig::{FrameState, InMemory, inspect::PosedMoment, load, no_fonts};
//!
//! let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path id="flag" fill="#c33" d="M5 5H35V20H5Z"/></svg>"##;
//! let rig = r#"Rig(version: 1, drawing: "flag.svg",
//!     bones: { "pole": (from: (5, 12), to: (20, 12)), "end": (parent: "pole", to: (35, 12)) },
//!     skin: [Smooth(art: "flag", bones: ["pole", "end"])],
//!     clips: { "wave": (length: 2, bones: { "pole": (rotate: [(0, 0), (1, 30), (2, 0)]) }) },
//! )"#;
//! // Once. What is wrong with the rig or its drawing is plain data, with places.
//! let files = Arc::new(InMemory::new().with("flag.ron", rig).with("flag.svg", svg));
//! let scene = load("flag.ron".as_ref(), files, &no_fonts).scene.ok_or("the rig has mistakes")?;
//!
//! // A moment of a clip; one state a thread.
//! let mut state = FrameState::new(&scene);
//! scene.pose(scene.clip("wave"), 0.5, &mut state)?;
//!
//! // The pointer drags the tip of a bone: a turn about its joint, given on the canvas, becomes numbers of the pose.
//! let (skeleton, pointer) = (scene.skeleton(), Point::new(24.0, 34.0));
//! let end = skeleton.find("end").ok_or("no such bone")?;
//! let (joint, tip) = (state.world().origin(end), state.world().tip(skeleton, &state.pose, end));
//! let turn = (Angle::of(pointer - joint) - Angle::of(tip - joint)).rotation();
//! let turn = Affine::translate(joint.to_vec2()) * turn * Affine::translate(-joint.to_vec2());
//! let user = user_from_increment(skeleton, &state.pose, state.world(), end, turn).ok_or("flat")?;
//! let (dragged, _shear) = pose_from_user(skeleton, &state.pose, end, user, &state.pose.bones[end.index()]);
//! state.pose.bones[end.index()] = dragged;
//! scene.place(&mut state)?;
//!
//! // The outlines on the canvas as path data, and the frame in pixels.
//! let outlines: Vec<String> = PosedMoment::new(&scene, &state).paths.iter().map(|p| p.path.to_svg()).collect();
//! let size = FrameSize::new(200, 200)?;
//! let mut pixmap = Pixmap::new(size.width(), size.height()).ok_or("no memory")?;
//! scene.draw(&mut state, &FrameOptions { size, background: None }, &mut pixmap)?;
//! # let tip = state.world().tip(skeleton, &state.pose, end);
//! # assert!(Angle::of(tip - joint).degrees() - Angle::of(pointer - joint).degrees() < 1e-9);
//! # assert!(outlines.len() == 1 && pixmap.data().iter().any(|&byte| byte > 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # On a screen
//!
//! A view has zoom and pan. Pixels go into memory of the caller's; instead of them, any [`PaintSink`](drawing::PaintSink) can have the
//! calls, and [`FlatFrame`](drawing::FlatFrame) is one that fills arrays, for a canvas in a browser. A pointer finds the art under it.
//!
//! ```
//! # use std::sync::Arc;
//! use drawing::{FlatCommand, FlatFrame};
//! use kurbo::{Affine, Point};
//! use render::{FrameSize, Viewport};
//! # use rig::{FrameState, InMemory, load, no_fonts};
//! #
//! # let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path id="flag" fill="#c33" d="M5 5H35V20H5Z"/></svg>"##;
//! # let rig = r#"Rig(version: 1, drawing: "flag.svg", bones: { "pole": (from: (5, 12), to: (35, 12)) },
//! #     skin: [Rigid(art: "flag", bone: "pole")])"#;
//! # let files = Arc::new(InMemory::new().with("flag.ron", rig).with("flag.svg", svg));
//! # let scene = load("flag.ron".as_ref(), files, &no_fonts).scene.ok_or("the rig has mistakes")?;
//! # let mut state = FrameState::new(&scene);
//! # scene.place(&mut state)?;
//!
//! // Three times as large, moved to the left and up.
//! let transform = Affine::translate((-10.0, -5.0)) * Affine::scale(3.0);
//! let view = Viewport::new(FrameSize::new(64, 48)?, transform);
//! let mut pixels = vec![0; 64 * 48 * 4];
//! scene.draw_into(&mut state, &view, &mut pixels)?;
//!
//! // The same as arrays of verbs, coordinates, transforms and paints, with the steps to take.
//! let mut flat = FlatFrame::default();
//! scene.paint(&state, view.transform, &mut flat);
//!
//! // The art at a pixel of the view, or no farther from it than 2 units of the canvas.
//! let to_canvas = (view.transform * scene.art().canvas_to_output()).inverse();
//! let hit = scene.hit_test(&state, to_canvas * Point::new(20.0, 20.0), 2.0);
//! let address = hit.and_then(|hit| hit.element).map(|element| scene.art().address(element));
//! # assert_eq!(address.as_deref(), Some("flag"));
//! # assert_eq!(pixels[(20 * 64 + 20) * 4..][..4], [204, 51, 51, 255]);
//! # assert!(matches!(flat.commands(), [FlatCommand::Fill { .. }]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Mistakes
//!
//! ```
//! use std::sync::Arc;
//! use rig::{InMemory, load, no_fonts};
//!
//! let rig = r#"Rig(version: 1, drawing: "cat.svg", bones: {
//!     "body": (from: (0, 0), to: (30, 0)),
//!     "tail": (parent: "boddy", length: 20),
//! })"#;
//! let loaded = load("cat.ron".as_ref(), Arc::new(InMemory::new().with("cat.ron", rig)), &no_fonts);
//! let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
//! assert_eq!(messages, [
//!     "the drawing \"cat.svg\" cannot be read: there is no such file",
//!     "bone \"tail\" hangs on \"boddy\", and there is no such bone",
//! ]);
//! ```

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod check;
mod compile;
mod curves;
pub mod diagnostic;
pub mod doc;
pub mod edit;
mod files;
mod first;
mod format;
mod include;
pub mod inspect;
mod lettering;
mod load;
mod look;
mod movement;
pub mod onion;
pub mod overlay;
pub mod plot;
mod read;
mod rules;
mod scene;
pub mod shapes;
pub mod sheet;
pub mod span;
mod stage;
pub mod text;
pub mod write;

pub use check::check;
pub use compile::compile;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use doc::RigDoc;
pub use files::{Disk, Files, InMemory, LARGEST_FILE, new_file, replace_file};
pub use first::{
    BoneReport, BoneStyle, Called, First, FirstRig, Updated, first_rig, first_rig_with, update_bones,
};
pub use format::{Field, Table, format};
pub use load::{
    Fonts, LoadStep, Loaded, Watch, load, load_drawing, load_watched, no_fonts, system_fonts, unreadable,
};
pub use movement::SceneClip;
pub use read::{read, read_bytes};
pub use render::fontdb;
pub use rules::SceneConstraint;
pub use scene::{FrameState, Scene, SceneDriver};
pub use stage::{ArtPose, Choice, Stage, Switch};
