//! The posed bones and the visible outlines at a time, on the canvas. Outlines of clones, texts and markers
//! are included.

use std::collections::BTreeMap;

use bone_core::BoneId;
use bone_drawing::{DrawItem, Element, ElementId, Trim};
use kurbo::{Affine, BezPath, PathEl, Point};

use bone_rig::{Camera, FrameState, Rig, Slider};

/// The posed bones and outlines at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedMoment {
    /// The bones, parents first.
    pub bones: Vec<PosedBone>,
    /// The visible outlines in the order in which they are drawn.
    pub paths: Vec<PosedPath>,
    /// The weights of shapes before drivers: art, shape, weight.
    pub shapes: Vec<(String, String, f64)>,
    /// The values of the sliders, in their order.
    pub sliders: Vec<(String, f64)>,
    /// Where the camera looks, if the rig has one that moves.
    pub camera: Option<Camera>,
}

/// A bone in a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct PosedBone {
    /// Its id.
    pub bone: BoneId,
    /// Its name.
    pub name: String,
    /// Its parent at that time.
    pub parent: Option<BoneId>,
    /// Where it starts, on the canvas.
    pub origin: Point,
    /// Where it ends, on the canvas.
    pub tip: Point,
    /// Degrees on the canvas, not wrapped.
    pub angle: f64,
    /// Its length, its own scale included.
    pub length: f64,
    /// From the bone's frame, in which it lies along x, to the canvas.
    pub matrix: Affine,
}

/// An outline in a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct PosedPath {
    /// The element that it belongs to; none for an outline outside all elements.
    pub element: Option<ElementId>,
    /// Whether it is the outline of a path, not of a clone, a text or a marker.
    pub own: bool,
    /// Whether it is deformed by bones or offsets.
    pub bends: bool,
    /// Its curves on the canvas.
    pub path: BezPath,
    /// Whether it has a fill or a stroke; without one it still has markers, or is a path of a text.
    pub painted: bool,
}

impl PosedMoment {
    /// The contents of a state that a rig has posed; empty for a state of another rig.
    pub fn new(rig: &Rig, state: &FrameState) -> Self {
        if !rig.owns_state(state) {
            return Self::default();
        }
        let (draw_order, art) = (rig.draw_order(), state.art());
        let order = rig.draw_order();
        let shapes = order.shapes.iter().zip(state.art().shapes(order));
        let address = |id| rig.art().address(id);
        let shapes = shapes.map(|((art, shape), weight)| (address(*art), address(*shape), *weight));
        let sliders = rig.sliders().iter().enumerate();
        let value = |(at, slider): (usize, &Slider)| Some((slider.name.clone(), art.slider(draw_order, at)?));
        Self {
            bones: bones(rig, state),
            paths: paths(rig, state),
            shapes: shapes.collect(),
            sliders: sliders.filter_map(value).collect(),
            camera: art.camera(draw_order),
        }
    }
}

fn bones(rig: &Rig, state: &FrameState) -> Vec<PosedBone> {
    let (skeleton, world, pose) = (rig.skeleton(), state.world(), state.driven());
    let bone = |bone| PosedBone {
        bone,
        name: skeleton.name(bone).to_owned(),
        parent: pose.parent(skeleton, bone),
        origin: world.origin(bone),
        tip: world.tip(skeleton, pose, bone),
        angle: world.angle(bone).degrees(),
        length: pose.length(skeleton, bone),
        matrix: world.matrix(bone),
    };
    skeleton.bones().map(bone).collect()
}

fn paths(rig: &Rig, state: &FrameState) -> Vec<PosedPath> {
    let (drawing, frame) = (rig.posable().drawing(), state.frame());
    // The canvas is what the camera looks at.
    let from_camera = rig.camera(state).map_or(Affine::IDENTITY, |view| view.inverse());
    // The deformed outlines of clip paths are not drawn.
    let elements = rig.posed_elements().iter().copied();
    let drawn = |id: &ElementId| drawing.element(*id).is_some_and(Element::is_drawn);
    let mut posed: BTreeMap<ElementId, &BezPath> = BTreeMap::new();
    for (id, path) in elements.zip(state.posed().paths()).filter(|(id, _)| drawn(id)) {
        posed.entry(id).or_insert(path);
    }
    let path = |piece: DrawItem| {
        let shape = drawing.node(piece.node)?.shape()?;
        let element = drawing.element_around(piece.node);
        let is_own = |id: ElementId| drawing.is_shape(id) && drawing.node_of(id) == Some(piece.node);
        let own = element.is_some_and(is_own);
        let engine = element.filter(|_| own).and_then(|id| posed.get(&id).copied());
        // What cannot be drawn stays at rest, of a trimmed path a part is drawn, and ink is filled: the frame has all.
        let is_whole = frame.trim(drawing, piece.node).is_none_or(Trim::is_whole);
        let has_ink = rig.posable().inks().iter().any(|ink| Some(ink.path) == element);
        let engine = engine.filter(|path| is_whole && !has_ink && is_drawable(path));
        let path = match engine {
            Some(path) => as_written(path),
            None => from_camera * piece.transform * as_written(frame.outline(drawing, piece.node)?),
        };
        let bends = drawing.slots().outlines.slot(piece.node).is_some();
        Some(PosedPath { element, own, bends, path, painted: shape.is_visible() })
    };
    drawing.painted(frame).into_iter().filter_map(path).collect()
}

/// Whether a drawing can have every coordinate.
fn is_drawable(path: &BezPath) -> bool {
    let fits = |p: &Point| p.x.abs() <= FARTHEST && p.y.abs() <= FARTHEST;
    path.elements().iter().all(|element| match element {
        PathEl::MoveTo(p) | PathEl::LineTo(p) => fits(p),
        PathEl::QuadTo(a, p) => fits(a) && fits(p),
        PathEl::CurveTo(a, b, p) => fits(a) && fits(b) && fits(p),
        PathEl::ClosePath => true,
    })
}

/// The largest coordinate of posed art.
const FARTHEST: f64 = 1e9;

/// An outline with its numbers rounded as in the written SVG.
fn as_written(path: &BezPath) -> BezPath {
    let rounded = |p: Point| Point::new(bone_render::as_written(p.x), bone_render::as_written(p.y));
    let element = |element: &PathEl| match *element {
        PathEl::MoveTo(p) => PathEl::MoveTo(rounded(p)),
        PathEl::LineTo(p) => PathEl::LineTo(rounded(p)),
        PathEl::QuadTo(a, p) => PathEl::QuadTo(rounded(a), rounded(p)),
        PathEl::CurveTo(a, b, p) => PathEl::CurveTo(rounded(a), rounded(b), rounded(p)),
        PathEl::ClosePath => PathEl::ClosePath,
    };
    path.elements().iter().map(element).collect()
}
