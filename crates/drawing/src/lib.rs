//! A vector drawing as plain data, and what a frame changes about it.
//!
//! A [`Drawing`] has nodes in paint order: groups, shapes and images, with their transforms, paint, opacity,
//! clip paths, masks and filters. It comes from an SVG reader or from a [`DrawingBuilder`]. What its author
//! named are its [`Element`]s, each with an address. A [`Frame`] has the numbers of a moment: transforms,
//! outlines, visibility, order. [`Drawing::paint`] hands both to a [`PaintSink`], back to front.
//!
//! ```
//! use bone_drawing::{DrawingBuilder, FlatFrame, Frame, Moving, Posable, CanvasPose, Shape};
//! use kurbo::{Affine, BezPath, Point, Rect, Shape as _};
//!
//! // A drawing of one square.
//! let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 40.0, 40.0));
//! let square: BezPath = Rect::new(5.0, 5.0, 15.0, 15.0).to_path(0.1);
//! builder.shape("square", Shape::filled(square, [200, 50, 50]));
//! let drawing = builder.finish()?;
//!
//! // What moves, once; then a frame for each moment.
//! let square = drawing.find("square")?;
//! let posable = Posable::new(&drawing, &Moving { rigid: &[square], ..Moving::default() })?;
//! let mut frame = Frame::default();
//! posable.frame(&CanvasPose { rigid: &[Affine::translate((20.0, 0.0))], ..CanvasPose::default() }, &mut frame);
//!
//! // The frame for a canvas in a browser, or for a pointer.
//! let mut flat = FlatFrame::default();
//! posable.drawing().paint(&frame, Affine::IDENTITY, &mut flat);
//! assert_eq!(flat.commands().len(), 1);
//! let hit = posable.drawing().hit_test(&frame, Point::new(30.0, 10.0), 0.0).expect("the square");
//! assert_eq!(hit.element, Some(square));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate has no bones, no files and no pixels. Everything in it is `Send` and `Sync`, and cheap to
//! share by `Arc`.

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

pub use kurbo;

mod bent_paint;
mod bounds;
mod build_posable;
mod builder;
mod color_map;
mod definition;
mod definition_copies;
mod draw_items;
mod drawing;
mod element;
mod elements;
mod error;
mod filter_look;
mod find;
mod flat;
mod frame;
mod gradient_look;
mod hit;
mod ink;
mod ink_outline;
mod ink_rib;
mod joined;
mod keyed_filters;
mod keyed_gradients;
mod layers;
mod leaves;
mod limits;
mod look;
mod mirrored_fill;
mod moving;
mod node;
mod node_id;
mod outline;
mod paint;
mod posable;
mod property;
mod region;
mod repaints;
mod settled;
mod shape_masks;
mod sink;
mod slots;
mod sound;
mod stencil;
mod stencils;
mod tint_slots;
mod tinted;
mod trim;
mod trimmed_stroke;

pub use builder::DrawingBuilder;
pub use color_map::{ColorMap, TintValues};
pub use definition::{ClipId, ClipPath, Filter, FilterId, FilterStep, Mask, MaskId, MaskKind, StepValues};
pub use draw_items::{DrawItem, DrawItemScratch, OrderScope};
pub use drawing::Drawing;
pub use element::{Element, ElementId, ElementKind, ElementState, NotDrawnReason};
pub use elements::Elements;
pub use error::{DrawingError, MoveError};
pub use filter_look::StepAttribute;
pub use find::{FindError, Numbered};
pub use flat::{
    FlatClipOutline, FlatCommand, FlatFrame, FlatLayer, FlatOutline, FlatOutlines, FlatPaint, FlatStroke,
    Verb,
};
pub use frame::{Frame, Visibility};
pub use gradient_look::GradientLook;
pub use hit::Hit;
pub use ink::{InkPlace, InkProfile};
pub use joined::JoinedDrawing;
pub use layers::{LayerItem, LayerLook, LayerNote, LayerStack, PaintedLayer};
pub use leaves::{Leaf, LeafKind};
pub use look::{LOOK_PROPERTIES, LookValues, PaintLook, ShapeLook, StrokeLook, place_in_look};
pub use moving::{
    BentPaint, InkedStroke, KeyedGradient, KeyedStep, MirroredFill, Moving, PosedArt, ShapeMask,
    TrimmedStroke,
};
pub use node::{
    BlendMode, Group, Image, ImageData, ImageFormat, Isolation, Node, NodeKind, Sampling, Shape, Smoothness,
};
pub use node_id::NodeId;
pub use outline::Outline;
pub use paint::{
    Fill, FillRule, Gradient, GradientId, GradientKind, LineCap, LineJoin, Paint, Pattern, PatternId, Spread,
    Stop, Stroke,
};
pub use posable::{CanvasPose, PaintMotion, Posable, Skipped};
pub use property::{ArtProperty, FilterProperty, GradientProperty, InkProperty, StopProperty};
pub use repaints::{PaintPart, Repaints};
pub use sink::{
    Brush, ClipOutline, Content, FillCall, ImageCall, LayerCall, PaintSink, PaintStack, PosedClip, PosedMask,
    StrokeCall,
};
pub use slots::{SlotColumn, Slots};
pub use stencil::Stencil;
pub use trim::Trim;
