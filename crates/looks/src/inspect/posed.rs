//! A moment: where the bones are, and every outline that is seen, on the canvas.
//! Outlines of clones, texts and markers are among them, whatever carries them.

use std::collections::BTreeMap;

use bone_core::BoneId;
use drawing::{DrawItem, Element, ElementId};
use kurbo::{Affine, BezPath, PathEl, Point};

use rig::{FrameState, Rig};

/// The posed bones and outlines of a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct PosedMoment {
    /// The bones, parents first.
    pub bones: Vec<PosedBone>,
    /// The outlines in the order in which they are drawn; what is hidden is not among them.
    pub paths: Vec<PosedPath>,
}

/// A bone in a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct PosedBone {
    /// Which.
    pub bone: BoneId,
    /// Its name.
    pub name: String,
    /// The bone that it hangs on at the moment.
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
    /// The element that it belongs to; none for what stands in no element of the drawing.
    pub element: Option<ElementId>,
    /// Whether it is the outline of a path, and not what a clone, a text or a marker became.
    pub own: bool,
    /// Whether bones or offsets move it point by point.
    pub bends: bool,
    /// Its curves on the canvas.
    pub path: BezPath,
    /// Whether it has a fill or a stroke; what has none still holds markers, or shapes text.
    pub painted: bool,
}

impl PosedMoment {
    /// What stands in a state that a scene has posed.
    pub fn new(scene: &Rig, state: &FrameState) -> Self {
        Self { bones: bones(scene, state), paths: paths(scene, state) }
    }
}

fn bones(scene: &Rig, state: &FrameState) -> Vec<PosedBone> {
    let (skeleton, world, pose) = (scene.skeleton(), state.world(), state.driven());
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

fn paths(scene: &Rig, state: &FrameState) -> Vec<PosedPath> {
    let (drawing, frame) = (scene.posable().drawing(), state.frame());
    // Of a path of a clip path the posed outline is not drawn.
    let elements = scene.posed_elements().iter().copied();
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
        let path = match engine {
            Some(path) => settled(path),
            None => piece.transform * settled(frame.outline(drawing, piece.node)?),
        };
        let bends = drawing.slots().outline(piece.node).is_some();
        Some(PosedPath { element, own, bends, path, painted: shape.is_visible() })
    };
    drawing.painted(frame).into_iter().filter_map(path).collect()
}

/// An outline with the numbers that a reader of the posed drawing gets, where they are those of the drawing itself.
fn settled(path: &BezPath) -> BezPath {
    let settle = |p: Point| Point::new(render::as_written(p.x), render::as_written(p.y));
    let element = |element: &PathEl| match *element {
        PathEl::MoveTo(p) => PathEl::MoveTo(settle(p)),
        PathEl::LineTo(p) => PathEl::LineTo(settle(p)),
        PathEl::QuadTo(a, p) => PathEl::QuadTo(settle(a), settle(p)),
        PathEl::CurveTo(a, b, p) => PathEl::CurveTo(settle(a), settle(b), settle(p)),
        PathEl::ClosePath => PathEl::ClosePath,
    };
    path.elements().iter().map(element).collect()
}
