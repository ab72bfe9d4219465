//! Poses of drawings without a rig: the elements that rotate, deform and change visibility, in each frame.

use std::path::Path;

use bone_drawing::{
    CanvasPose, Drawing, ElementId, Frame, Moving, PaintMotion, Posable, PosedArt, ShapeMask, Skipped,
    Visibility,
};
use bone_render::{Resources, read_svg};
use kurbo::{Affine, BezPath, PathEl, Point};

use crate::files::shown;

/// The amount of motion in a frame: no round numbers.
fn amount(frame: usize) -> f64 {
    [0.0, 0.37, -0.61, 0.93, 0.37][frame % 5]
}

/// Rotates, scales and translates a little, without trigonometry.
fn turn(frame: usize, which: usize) -> Affine {
    let t = amount(frame) * if which.is_multiple_of(2) { 1.0 } else { -0.7 };
    let about = Affine::translate((-32.0, -32.0));
    let turned = Affine::new([1.0 - 0.11 * t * t, 0.35 * t, -0.33 * t, 1.0 + 0.07 * t, 0.0, 0.0]);
    Affine::translate((32.0 + 5.3 * t, 32.0 - 3.1 * t)) * turned * about
}

/// A deformation of the canvas that is not affine.
fn bend(p: Point, t: f64) -> Point {
    Point::new(p.x + t * (0.004 * p.y * p.y - 3.0), p.y - t * 0.003 * p.x * p.x + 2.0 * t)
}

fn bent(path: &BezPath, t: f64) -> BezPath {
    let map = |element: PathEl| match element {
        PathEl::MoveTo(p) => PathEl::MoveTo(bend(p, t)),
        PathEl::LineTo(p) => PathEl::LineTo(bend(p, t)),
        PathEl::QuadTo(a, p) => PathEl::QuadTo(bend(a, t), bend(p, t)),
        PathEl::CurveTo(a, b, p) => PathEl::CurveTo(bend(a, t), bend(b, t), bend(p, t)),
        PathEl::ClosePath => PathEl::ClosePath,
    };
    path.iter().map(map).collect()
}

/// The elements of a drawing that move.
#[derive(Debug)]
pub struct DrawingPose {
    /// A name for messages.
    pub name: &'static str,
    /// The elements that rotate.
    pub rigid: Vec<ElementId>,
    /// The deformed outlines.
    pub posed: Vec<PosedArt>,
    outlines: Vec<BezPath>,
    /// The elements with changing visibility.
    pub present: Vec<ElementId>,
    /// What is seen only inside or outside of other elements.
    pub masks: Vec<ShapeMask>,
}

/// The values of a frame of a pose.
#[derive(Debug)]
pub struct PoseFrame {
    /// The maps of the rotated elements.
    pub rigid: Vec<Affine>,
    /// The deformed outlines.
    pub outlines: Vec<BezPath>,
    /// Their paints.
    pub paints: Vec<PaintMotion>,
    /// The visibilities.
    pub visibilities: Vec<Visibility>,
}

impl PoseFrame {
    /// Writes the values into a frame of the drawing.
    pub fn frame(&self, posable: &Posable, frame: &mut Frame) -> Skipped {
        let Self { rigid, outlines, paints, visibilities } = self;
        let pose = CanvasPose { rigid, outlines, paints, visibilities, ..CanvasPose::default() };
        posable.frame(&pose, frame)
    }
}

impl DrawingPose {
    /// The drawing with slots for everything that moves.
    ///
    /// # Panics
    /// If an element cannot move.
    pub fn posable(&self, art: &Drawing) -> Posable {
        let (rigid, posed, visible, masks) = (&*self.rigid, &*self.posed, &*self.present, &*self.masks);
        let moving = Moving { rigid, posed, visible, masks, ..Moving::default() };
        Posable::new(art, &moving).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// The values of a frame.
    pub fn moved(&self, frame: usize) -> PoseFrame {
        let t = amount(frame);
        let paint = PaintMotion { paint: Some(turn(frame, 1)), stroke: Some(1.0 + 0.6 * t) };
        PoseFrame {
            rigid: (0..self.rigid.len()).map(|k| turn(frame, k)).collect(),
            outlines: self.outlines.iter().map(|path| bent(path, t)).collect(),
            paints: vec![paint; self.outlines.len()],
            visibilities: (0..self.present.len()).map(|k| visibility(frame, k)).collect(),
        }
    }
}

/// The drawn elements of the first level, or of those below.
fn drawn(art: &Drawing, below: bool) -> Vec<ElementId> {
    let is = |id: &ElementId| art.element(*id).is_some_and(|element| element.parent.is_some() == below);
    art.ids().filter(is).filter(|id| art.node_of(*id).is_some()).collect()
}

/// Elements that are masked by the next one that has an outline, those after them at first.
fn masks(art: &Drawing) -> Vec<ShapeMask> {
    let all = [drawn(art, false), drawn(art, true)].concat();
    let pair = |at: usize| {
        let others = all.iter().cycle().skip(at + 1).take(all.len());
        let by = others.copied().find(|by| !art.is_within(all[at], *by) && art.has_outline(*by))?;
        Some(ShapeMask { art: all[at], by, out: !at.is_multiple_of(2) })
    };
    (0..all.len()).filter_map(pair).take(MOST_MASKS).collect()
}

/// Of some drawings all elements would hide each other.
const MOST_MASKS: usize = 4;

/// All poses of a drawing.
pub fn poses(art: &Drawing) -> Vec<DrawingPose> {
    let (first, deeper) = (drawn(art, false), drawn(art, true));
    let paths: Vec<ElementId> = art.ids().filter(|id| art.outline(*id).is_some()).collect();
    let stencils = art.stencils(|_| true);
    let outlines = paths.iter().filter_map(|id| art.outline(*id)).map(|outline| outline.path);
    let outlines: Vec<BezPath> =
        outlines.chain(stencils.iter().map(|stencil| stencil.outline.path.clone())).collect();
    let posed = paths.iter().copied().map(PosedArt::Path);
    let posed: Vec<PosedArt> = posed.chain(stencils.iter().cloned().map(PosedArt::Stencil)).collect();
    let pose = |name, rigid: &[ElementId], bends: bool, present: &[ElementId]| DrawingPose {
        name,
        rigid: rigid.to_vec(),
        posed: if bends { posed.clone() } else { Vec::new() },
        outlines: if bends { outlines.clone() } else { Vec::new() },
        present: present.to_vec(),
        masks: Vec::new(),
    };
    let last: Vec<ElementId> = first.last().copied().into_iter().collect();
    let lowest: Vec<ElementId> = first.first().copied().into_iter().collect();
    vec![
        pose("rest", &[], false, &[]),
        pose("last turned", &last, false, &[]),
        pose("lowest turned", &lowest, false, &[]),
        pose("all turned", &[first.clone(), deeper.clone()].concat(), false, &[]),
        pose("bent", &[], true, &[]),
        pose("bent and turned", &last, true, &[]),
        pose("come and gone", &last, true, &[first.clone(), deeper.clone()].concat()),
        DrawingPose { masks: masks(art), ..pose("turned and masked", &[first, deeper].concat(), false, &[]) },
        DrawingPose { masks: masks(art), ..pose("bent and masked", &last, true, &[]) },
    ]
}

fn visibility(frame: usize, which: usize) -> Visibility {
    let opacity = [1.0, 0.43, 1.0, 0.0, 0.77][(frame + which) % 5];
    Visibility {
        visible: (frame + 2 * which) % 7 != 3,
        opacity,
        order: [0.0, -1.0, 2.0][(which + frame) % 3],
    }
}

/// Reads a drawing.
///
/// # Panics
/// If it has errors.
pub fn read(path: &Path) -> Drawing {
    let svg = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", shown(path)));
    read_svg(&svg, &Resources::none()).unwrap_or_else(|error| panic!("{}: {error}", shown(path))).0
}
