//! What is kept of the shapes of a drawing: how each is cut into triangles. Kept or not, the triangles are the same.

use bone_drawing::FillRule;
use kurbo::{BezPath, Point, Vec2};

use crate::flatten::{Polygons, bends, pieces, rest_tolerance, same_verbs};
use crate::topology::{Cutter, Topology};

/// Memory of the triangles of one drawing, for any number of frames and players of it.
#[derive(Clone, Debug, Default)]
pub struct MeshCache {
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
    cutter: Cutter,
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
    rest: Option<RestShape>,
    fresh: Option<FreshShape>,
}

/// A shape where it rests.
#[derive(Clone, Debug)]
struct RestShape {
    outline: BezPath,
    rule: FillRule,
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
    pub(crate) rest: Option<&'a BezPath>,
    pub(crate) rule: FillRule,
    /// How far pieces may be from their curve, in its space.
    pub(crate) tolerance: f64,
    /// Twice the area by which a triangle may be turned over.
    pub(crate) turned: f64,
}

/// For how many tolerances a resting shape is kept.
const MOST_CUTS: usize = 4;

impl MeshCache {
    /// Without memory.
    pub fn new() -> Self {
        Self::default()
    }
}

impl ShapeCache {
    /// The points and triangles of an outline; none if it has no inside that can be cut.
    pub(crate) fn cut<'c>(
        &'c mut self,
        outline: Outline<'_>,
        work: &'c mut CutWork,
    ) -> Option<(&'c [Point], &'c Topology)> {
        let CutWork { polygons, cutter } = work;
        let mut kept = None;
        if let Some(rest) = outline.rest.filter(|rest| same_verbs(rest, outline.posed)) {
            let own = |own: &RestShape| own.rule == outline.rule && own.outline.elements() == rest.elements();
            if !self.rest.as_ref().is_some_and(own) {
                let rule = outline.rule;
                self.rest =
                    Some(RestShape { bends: bends(rest), outline: rest.clone(), rule, cuts: Vec::new() });
            }
            kept = self.rest.as_mut().map(|rest| rest.cut(outline, polygons, cutter));
        }
        if let Some(Some(topology)) = kept {
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
    /// The triangles of the rest, with the posed points in `polygons`; none if they do not fit.
    fn cut<'c>(
        &'c mut self,
        outline: Outline<'_>,
        polygons: &mut Polygons,
        cutter: &mut Cutter,
    ) -> Option<&'c Topology> {
        let tolerance = rest_tolerance(&self.bends, outline.posed, outline.tolerance);
        match self.cuts.iter().position(|cut| cut.tolerance.to_bits() == tolerance.to_bits()) {
            Some(at) => self.cuts[at..].rotate_left(1),
            None => {
                let pieces = pieces(&self.bends, tolerance);
                polygons.flatten(&self.outline, &pieces);
                let points = polygons.points.len();
                let topology = cutter.fixed(polygons, self.rule);
                if self.cuts.len() == MOST_CUTS {
                    self.cuts.remove(0);
                }
                self.cuts.push(RestCut { tolerance, pieces, topology, points });
            }
        }
        let cut = self.cuts.last()?;
        let topology = cut.topology.as_ref()?;
        polygons.flatten(outline.posed, &cut.pieces);
        let fits =
            polygons.points.len() == cut.points && !topology.is_turned(&polygons.points, outline.turned);
        fits.then_some(topology)
    }
}
