//! What is kept of the shapes of a drawing: how each is cut into triangles. Kept or not, the triangles are the same.

use bone_drawing::{Drawing, FillRule, Frame, NodeId};
use kurbo::{BezPath, PathEl, Point, Stroke, StrokeOpts, Vec2};

use crate::flatten::{Polygons, bends, pieces, rest_tolerance, same_verbs};
use crate::topology::{PolygonCutter, Topology};

/// Memory of the triangles of one drawing, for any number of frames and players of it.
#[derive(Clone, Debug, Default)]
pub struct MeshCache {
    /// Where shapes rest.
    pub(crate) rests: Vec<Frame>,
    /// By nodes: fills and strokes.
    pub(crate) shapes: Vec<[ShapeCache; 2]>,
    /// By clip paths and the order of their outlines.
    pub(crate) clips: Vec<Vec<ShapeCache>>,
    pub(crate) work: MeshWork,
}

/// Memory for one shape at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeshWork {
    pub(crate) cutting: CutWork,
    pub(crate) placing: PlaceWork,
}

/// Memory for cutting.
#[derive(Clone, Debug, Default)]
pub(crate) struct CutWork {
    polygons: Polygons,
    cutter: PolygonCutter,
}

/// Memory for placing what was cut.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaceWork {
    /// Points in the space of the view.
    pub(crate) placed: Vec<Point>,
    /// Of each point the normals of its edges added up, and how many they are.
    pub(crate) normals: Vec<(Vec2, u32)>,
}

/// How a shape is cut.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShapeCache {
    /// By the frames in which it rests.
    rests: Vec<Option<RestShape>>,
    fresh: Option<FreshShape>,
    stroked: Option<StrokedLine>,
}

/// The outline of a stroke.
#[derive(Clone, Debug)]
struct StrokedLine {
    line: BezPath,
    style: Stroke,
    tolerance: f64,
    outline: BezPath,
}

/// A shape where it rests.
#[derive(Clone, Debug)]
struct RestShape {
    bends: Vec<f64>,
    /// The last one was used last.
    cuts: Vec<RestCut>,
}

/// For a tolerance how many pieces curves have, and the triangles if they can be kept.
#[derive(Clone, Debug)]
struct RestCut {
    tolerance: f64,
    pieces: Vec<u32>,
    topology: Option<Topology>,
    /// Points of the resting shape.
    points: usize,
}

/// A shape that was cut as it was posed.
#[derive(Clone, Debug)]
struct FreshShape {
    outline: BezPath,
    rule: FillRule,
    tolerance: f64,
    points: Vec<Point>,
    topology: Topology,
}

/// A posed outline to be cut.
#[derive(Clone, Copy)]
pub(crate) struct Outline<'a> {
    pub(crate) posed: &'a BezPath,
    /// Where it rests, if its triangles may be those of the rest.
    pub(crate) rests: &'a [Frame],
    pub(crate) drawing: &'a Drawing,
    pub(crate) node: NodeId,
    pub(crate) rule: FillRule,
    /// How far pieces may be from their curve, in its space.
    pub(crate) tolerance: f64,
    /// Twice the area by which a triangle may be turned over.
    pub(crate) turned: f64,
}

/// The length of a dot, in widths of its line.
const DOT: f64 = 1e-3;
/// For how many tolerances a resting shape is kept.
const MOST_CUTS: usize = 4;

impl MeshCache {
    /// Without memory. A shape has the triangles that it has in the first of these frames whose triangles it does not
    /// turn over: the setup pose of a rig and some moments of its clips, with the curves that all its frames have
    /// (`Rig::frame_in_pieces`). What fits none, or has other curves, is cut in each frame.
    pub fn new(rests: Vec<Frame>) -> Self {
        Self { rests, ..Self::default() }
    }
}

impl ShapeCache {
    /// The outline of a stroke, taken out: it is given back with [`keep_stroke`](Self::keep_stroke).
    pub(crate) fn stroke(&mut self, line: &BezPath, style: &Stroke, tolerance: f64) -> BezPath {
        let same = |own: &StrokedLine| {
            own.tolerance.to_bits() == tolerance.to_bits()
                && own.style.width.to_bits() == style.width.to_bits()
                && own.style.dash_offset.to_bits() == style.dash_offset.to_bits()
                && own.style.dash_pattern == style.dash_pattern
                && own.line.elements() == line.elements()
        };
        match &mut self.stroked {
            Some(own) if same(own) => std::mem::take(&mut own.outline),
            _ => {
                let outline = stroked(line, style, tolerance);
                let (line, style) = (line.clone(), style.clone());
                self.stroked = Some(StrokedLine { line, style, tolerance, outline: BezPath::new() });
                outline
            }
        }
    }

    pub(crate) fn keep_stroke(&mut self, outline: BezPath) {
        if let Some(stroked) = &mut self.stroked {
            stroked.outline = outline;
        }
    }

    /// The points and triangles of an outline; none if it has no inside that can be cut.
    pub(crate) fn cut<'c>(
        &'c mut self,
        outline: Outline<'_>,
        work: &'c mut CutWork,
    ) -> Option<(&'c [Point], &'c Topology)> {
        let CutWork { polygons, cutter } = work;
        let fitting = outline.rests.iter().enumerate().position(|(at, rest)| {
            let rest = rest.outline(outline.drawing, outline.node);
            let rest = rest.filter(|rest| same_verbs(rest, outline.posed));
            rest.is_some_and(|rest| {
                let kept = grown(&mut self.rests, at);
                let kept = kept.get_or_insert_with(|| RestShape { bends: bends(rest), cuts: Vec::new() });
                kept.fits(rest, outline, polygons, cutter)
            })
        });
        if let Some(Some(kept)) = fitting.map(|at| &self.rests[at])
            && let Some(topology) = kept.cuts.last().and_then(|cut| cut.topology.as_ref())
        {
            return Some((&polygons.points, topology));
        }
        let same = |fresh: &FreshShape| {
            fresh.rule == outline.rule
                && fresh.tolerance.to_bits() == outline.tolerance.to_bits()
                && fresh.outline.elements() == outline.posed.elements()
        };
        if !self.fresh.as_ref().is_some_and(same) {
            self.fresh = None;
            let own = pieces(&bends(outline.posed), outline.tolerance);
            polygons.flatten(outline.posed, &own);
            let topology = cutter.fresh(polygons, outline.rule).ok()?;
            self.fresh = Some(FreshShape {
                outline: outline.posed.clone(),
                rule: outline.rule,
                tolerance: outline.tolerance,
                points: polygons.points.clone(),
                topology,
            });
        }
        self.fresh.as_ref().map(|fresh| (fresh.points.as_slice(), &fresh.topology))
    }
}

impl RestShape {
    /// Whether its triangles, which are those of the last cut then, are not turned over; `polygons` has the posed points.
    fn fits(
        &mut self,
        rest: &BezPath,
        outline: Outline<'_>,
        polygons: &mut Polygons,
        cutter: &mut PolygonCutter,
    ) -> bool {
        let tolerance = rest_tolerance(&self.bends, outline.posed, outline.tolerance);
        match self.cuts.iter().position(|cut| cut.tolerance.to_bits() == tolerance.to_bits()) {
            Some(at) => self.cuts[at..].rotate_left(1),
            None => {
                let pieces = pieces(&self.bends, tolerance);
                polygons.flatten(rest, &pieces);
                let points = polygons.points.len();
                let topology = cutter.fixed(polygons, outline.rule);
                if self.cuts.len() == MOST_CUTS {
                    self.cuts.remove(0);
                }
                self.cuts.push(RestCut { tolerance, pieces, topology, points });
            }
        }
        let Some(RestCut { pieces, topology: Some(topology), points, .. }) = self.cuts.last() else {
            return false;
        };
        polygons.flatten(outline.posed, pieces);
        polygons.points.len() == *points && !topology.is_turned(&polygons.points, outline.turned)
    }
}

/// The outline of a stroke. Dashes and lines without length are dots, which kurbo leaves out: they get a little.
fn stroked(line: &BezPath, style: &Stroke, tolerance: f64) -> BezPath {
    let (mut line, mut style, dot) = (line.clone(), style.clone(), DOT * style.width);
    for dash in style.dash_pattern.iter_mut().step_by(2).filter(|dash| **dash <= 0.0) {
        *dash = dot;
    }
    let elements = line.elements_mut();
    for at in 1..elements.len() {
        let ends = !matches!(
            elements.get(at + 1),
            Some(PathEl::LineTo(_) | PathEl::QuadTo(..) | PathEl::CurveTo(..))
        );
        if let (PathEl::MoveTo(from), PathEl::LineTo(to)) = (elements[at - 1], &mut elements[at])
            && ends
            && from == *to
        {
            to.x += dot;
        }
    }
    kurbo::stroke(line, &style, &StrokeOpts::default(), tolerance)
}

/// The element at an index of a list that grows with it.
pub(crate) fn grown<T: Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize_with(index + 1, T::default);
    }
    &mut list[index]
}
