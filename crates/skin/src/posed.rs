//! The posed drawing: the current outlines of all bound paths, in memory that is kept between frames.

use std::sync::Arc;

use kurbo::{BezPath, PathEl, Point, Vec2};

use crate::fold_scratch::FoldScratch;
use crate::keyed::Scratch;
use crate::skin::{BoundPath, PathId, Skin};
use crate::warp::BentRest;

/// The outlines at one time, and the scratch memory of the deformation.
#[derive(Clone, Debug, Default)]
pub struct PosedDrawing {
    pub(crate) paths: Vec<BezPath>,
    /// The elements at rest of each path: those of the skin to which the drawing belongs.
    elements: Vec<Arc<[PathEl]>>,
    /// Whether each path has all its points at rest.
    pub(crate) at_rest: Vec<bool>,
    pub(crate) points: Vec<Point>,
    pub(crate) samples: Vec<Point>,
    pub(crate) directions: Vec<Vec2>,
    /// The blended matrix of each entry of the weight table.
    pub(crate) blended: Vec<[f64; 6]>,
    /// The derivative of the blended matrix of each weight gradient.
    pub(crate) slopes: Vec<[f64; 6]>,
    /// The outlines at rest that lattices bend.
    pub(crate) bent: BentRest,
    /// Scratch memory of folds.
    pub(crate) folds: FoldScratch,
    /// Scratch memory of keyed weights.
    pub(crate) scratch: Scratch,
}

impl PosedDrawing {
    /// The drawing at rest, with memory for every frame.
    pub fn new(skin: &Skin) -> Self {
        let (rows, slopes) = skin.table.counts();
        Self {
            paths: skin.paths.iter().map(|path| BezPath::from_vec(path.elements.to_vec())).collect(),
            elements: skin.paths.iter().map(|path| Arc::clone(&path.elements)).collect(),
            at_rest: vec![true; skin.paths.len()],
            points: skin.points.clone(),
            samples: Vec::with_capacity(skin.samples.len()),
            directions: Vec::with_capacity(skin.directions.len()),
            blended: Vec::with_capacity(rows),
            slopes: Vec::with_capacity(slopes),
            bent: BentRest::default(),
            folds: FoldScratch::new(skin),
            scratch: Scratch::new(skin.keyed.iter().map(|(_, path)| path)),
        }
    }

    /// Becomes the drawing of another skin at rest, like a new one, in the memory that it has.
    pub fn renew(&mut self, skin: &Skin) {
        self.paths.resize_with(skin.paths.len(), BezPath::new);
        for (path, bound) in self.paths.iter_mut().zip(&skin.paths) {
            path.truncate(0);
            path.extend(bound.elements.iter().copied());
        }
        self.elements.clear();
        self.elements.extend(skin.paths.iter().map(|path| Arc::clone(&path.elements)));
        self.at_rest.clear();
        self.at_rest.resize(skin.paths.len(), true);
        self.points.clone_from(&skin.points);
        let (rows, slopes) = skin.table.counts();
        self.samples.clear();
        self.samples.reserve(skin.samples.len());
        self.directions.clear();
        self.directions.reserve(skin.directions.len());
        self.blended.clear();
        self.blended.reserve(rows);
        self.slopes.clear();
        self.slopes.reserve(slopes);
        self.folds.reserve(skin);
        self.scratch = Scratch::new(skin.keyed.iter().map(|(_, path)| path));
    }

    /// Whether this is a drawing of a skin, or of one with the same paths.
    pub(crate) fn is_of(&self, skin: &Skin) -> bool {
        let same = |(own, path): (&Arc<[PathEl]>, &BoundPath)| Arc::ptr_eq(own, &path.elements);
        self.elements.len() == skin.paths.len() && self.elements.iter().zip(&skin.paths).all(same)
    }

    /// The outlines on the canvas, one for each bound path.
    pub fn paths(&self) -> &[BezPath] {
        &self.paths
    }

    /// One outline on the canvas; none for a path of another skin, or one that was bound later.
    pub fn path(&self, path: PathId) -> Option<&BezPath> {
        self.paths.get(path.index())
    }

    /// Whether each path is as it is at rest, though perhaps cut into more pieces than in the drawing.
    pub fn at_rest(&self) -> &[bool] {
        &self.at_rest
    }

    /// Copies the posed points into the path elements.
    pub(crate) fn fill_elements(&mut self, skin: &Skin) {
        /// Tolerance for rounding, in canvas units.
        const STILL: f64 = 1e-9;
        let still = |(now, rest): (&Point, &Point)| (*now - *rest).hypot2() <= STILL * STILL;
        for ((path, bound), at_rest) in self.paths.iter_mut().zip(&skin.paths).zip(&mut self.at_rest) {
            let places = bound.points.clone();
            *at_rest = self.points[places.clone()].iter().zip(&skin.points[places]).all(still);
            let mut points = self.points[bound.points.clone()].iter().copied();
            let mut next = || points.next().unwrap_or_default();
            for element in path.elements_mut() {
                *element = match element {
                    PathEl::MoveTo(_) => PathEl::MoveTo(next()),
                    PathEl::LineTo(_) => PathEl::LineTo(next()),
                    PathEl::QuadTo(..) => PathEl::QuadTo(next(), next()),
                    PathEl::CurveTo(..) => PathEl::CurveTo(next(), next(), next()),
                    PathEl::ClosePath => PathEl::ClosePath,
                };
            }
        }
    }
}
