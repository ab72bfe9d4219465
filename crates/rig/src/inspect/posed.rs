//! A moment: where the bones are, and every outline that is seen, on the canvas.
//! Outlines of clones, texts and markers are among them, whatever carries them.

use std::collections::BTreeMap;

use bone_core::BoneId;
use kurbo::{Affine, BezPath, PathEl, Point};
use render::{Art, ElementId, ElementState, Presence};

use crate::scene::{FrameState, Scene};

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
    /// Its curves on the canvas.
    pub path: BezPath,
    /// Whether it has a fill or a stroke; what has none still holds markers, or shapes text.
    pub painted: bool,
}

impl PosedMoment {
    /// What stands in a state that a scene has posed.
    pub fn new(scene: &Scene, state: &FrameState) -> Self {
        Self { bones: bones(scene, state), paths: paths(scene, state) }
    }
}

fn bones(scene: &Scene, state: &FrameState) -> Vec<PosedBone> {
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

/// Elements up the tree, from one on.
fn up(art: &Art, from: ElementId) -> impl Iterator<Item = ElementId> + '_ {
    std::iter::successors(Some(from), |at| art.element(*at)?.parent)
}

fn paths(scene: &Scene, state: &FrameState) -> Vec<PosedPath> {
    let art = scene.art();
    let drawn = |id: &ElementId| art.element(*id).is_some_and(|e| e.state == ElementState::Drawn);
    // Of a path of a clip path the posed outline is not drawn.
    let elements = scene.posed_elements().iter().copied();
    let posed: BTreeMap<ElementId, &BezPath> =
        elements.zip(state.posed().paths()).filter(|(id, _)| drawn(id)).collect();
    let matrices: BTreeMap<ElementId, Affine> =
        scene.rigid_elements().map(|(id, bone)| (id, state.matrices().of(bone))).collect();
    let present = scene.stage().elements().iter().copied().zip(state.presences().iter().copied());
    let presences: BTreeMap<ElementId, Presence> = present.collect();
    let seen = |id: ElementId| {
        up(art, id)
            .all(|at| presences.get(&at).is_none_or(|p| p.visible && (p.opacity > 0.0 || p.opacity.is_nan())))
    };
    // Where each outline is drawn: order and place of the elements around it, outermost first.
    let mut found: Vec<(Vec<(f64, usize)>, PosedPath)> = Vec::new();
    for outline in art.drawn_outlines() {
        let Some(element) = outline.element else {
            let path = PosedPath { element: None, own: false, path: outline.path, painted: outline.visible };
            found.push((vec![(0.0, 0)], path));
            continue;
        };
        if !seen(element) {
            continue;
        }
        let matrix = || up(art, element).find_map(|at| matrices.get(&at).copied());
        let path = match (posed.get(&element).filter(|_| outline.own), matrix()) {
            (Some(path), _) => settled(path),
            (None, Some(matrix)) if matrix != Affine::IDENTITY => matrix * outline.carried,
            (None, _) => outline.path,
        };
        let mut place: Vec<(f64, usize)> = up(art, element)
            .map(|at| (presences.get(&at).map_or(0.0, |presence| presence.order), at.index()))
            .collect();
        place.reverse();
        let (own, painted) = (outline.own, outline.visible);
        found.push((place, PosedPath { element: Some(element), own, path, painted }));
    }
    let by_place = |a: &[(f64, usize)], b: &[(f64, usize)]| {
        let pairs = a.iter().zip(b).map(|(a, b)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    };
    found.sort_by(|(a, _), (b, _)| by_place(a, b));
    found.into_iter().map(|(_, path)| path).collect()
}

/// A posed outline with the numbers that a reader of the posed drawing gets, where they are those of the drawing itself.
fn settled(path: &BezPath) -> BezPath {
    let settle = |p: Point| Point::new(render::settled(p.x), render::settled(p.y));
    let element = |element: &PathEl| match *element {
        PathEl::MoveTo(p) => PathEl::MoveTo(settle(p)),
        PathEl::LineTo(p) => PathEl::LineTo(settle(p)),
        PathEl::QuadTo(a, p) => PathEl::QuadTo(settle(a), settle(p)),
        PathEl::CurveTo(a, b, p) => PathEl::CurveTo(settle(a), settle(b), settle(p)),
        PathEl::ClosePath => PathEl::ClosePath,
    };
    path.elements().iter().map(element).collect()
}
