//! The memory in which folds are looked for.

use kurbo::{CubicBez, Point, Vec2};

use crate::fold_overlap::{ScanCrossing, most_crossings};
use crate::skin::Skin;
use crate::split::COMPRESSED;

/// The greatest number of loops of a subpath that are remembered.
pub(crate) const LOOPS: usize = 128;

/// Memory for folds that is kept between frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoldScratch {
    /// Directions at which the outline is compressed, with the share that is left.
    pub(crate) compressed: Vec<(u32, f64)>,
    /// The segments of one subpath.
    pub(crate) segments: Vec<FoldSegment>,
    /// Those of a scan line.
    pub(crate) crossings: Vec<ScanCrossing>,
    /// The loops of that subpath that were found.
    pub(crate) loops: Vec<FoundLoop>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldSegment {
    pub(crate) curve: CubicBez,
    pub(crate) low: Point,
    pub(crate) high: Point,
    /// None for a side that only the fill has.
    pub(crate) element: Option<usize>,
    /// The last of its points, in the order of the path.
    pub(crate) point: usize,
}

/// Two arms of a subpath that cross, with a loop between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub(crate) arms: [usize; 2],
    pub(crate) at: [f64; 2],
    /// The signed area of the loop.
    pub(crate) area: f64,
    /// The share of a loop that is taken out by its length within a closed outline.
    pub(crate) shorter: f64,
}

/// A loop of a subpath, as it was found before a part of it was taken out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundLoop {
    pub(crate) arms: [usize; 2],
    /// The share that is taken out by its shape.
    pub(crate) shape: f64,
    /// Its length at rest.
    pub(crate) length: f64,
    /// The share that is taken out by the paint; none if it is not known yet.
    pub(crate) harmless: Option<f64>,
    /// The share that was taken out.
    pub(crate) done: f64,
}

impl FoldScratch {
    /// With memory for every frame of a skin.
    pub(crate) fn new(skin: &Skin) -> Self {
        let mut scratch = Self::default();
        scratch.reserve(skin);
        scratch
    }

    pub(crate) fn reserve(&mut self, skin: &Skin) {
        self.compressed.clear();
        self.compressed.reserve(skin.directions.len());
        self.segments.clear();
        let most = skin.paths.iter().map(|path| path.elements.len()).max().unwrap_or(0);
        let most = if skin.directions.is_empty() { 0 } else { most };
        self.segments.reserve(most);
        self.crossings.clear();
        self.crossings.reserve(most_crossings(most));
        self.loops.clear();
        self.loops.reserve(if skin.directions.is_empty() { 0 } else { LOOPS });
    }

    /// Notes a direction that the bones alone turn to `carried` and the change of weights to `turned`.
    #[inline]
    pub(crate) fn note(&mut self, direction: usize, carried: Vec2, turned: Vec2) {
        let (left, whole) = (turned.dot(carried), carried.hypot2());
        if left < COMPRESSED * whole {
            self.compressed.push((direction as u32, left / whole));
        }
    }
}
