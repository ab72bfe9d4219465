//! Outlines over time. A limb that swings is carried by a rigid motion, which is a few numbers, and only its
//! bending is keyed as an outline.

use kurbo::{Affine, BezPath, PathEl, Point, Vec2};

use super::affine::{AffineFit, AffineTrack, MatrixForm};
use super::track::{Fit, KeyTrack};

/// The kind of each element of a path. It is the same at all samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathVerb {
    Move,
    Line,
    Quad,
    Cubic,
    Close,
}

impl PathVerb {
    /// How many numbers the element has.
    pub(crate) fn numbers(self) -> usize {
        match self {
            Self::Close => 0,
            Self::Move | Self::Line => 2,
            Self::Quad => 4,
            Self::Cubic => 6,
        }
    }

    fn of(element: &PathEl) -> Self {
        match element {
            PathEl::MoveTo(_) => Self::Move,
            PathEl::LineTo(_) => Self::Line,
            PathEl::QuadTo(..) => Self::Quad,
            PathEl::CurveTo(..) => Self::Cubic,
            PathEl::ClosePath => Self::Close,
        }
    }
}

/// The kinds of a path's elements.
pub(crate) fn verbs(path: &BezPath) -> Vec<PathVerb> {
    path.elements().iter().map(PathVerb::of).collect()
}

/// The control points of a path, x and y in turn.
pub(crate) fn numbers(path: &BezPath, map: Affine) -> Vec<f64> {
    let mut numbers = Vec::with_capacity(6 * path.elements().len());
    let mut push = |p: Point| {
        let p = map * p;
        numbers.extend([p.x, p.y]);
    };
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(p) | PathEl::LineTo(p) => push(p),
            PathEl::QuadTo(a, p) => [a, p].into_iter().for_each(&mut push),
            PathEl::CurveTo(a, b, p) => [a, b, p].into_iter().for_each(&mut push),
            PathEl::ClosePath => {}
        }
    }
    numbers
}

/// A path with cubic curves in place of quadratic ones, the same outline. It begins with a move, as a path must.
pub(crate) fn with_cubics(path: &BezPath) -> BezPath {
    let mut last = Point::ZERO;
    let mut start = Point::ZERO;
    let element = |element: &PathEl| {
        let element = match *element {
            PathEl::QuadTo(a, p) => {
                PathEl::CurveTo(last + (a - last) * (2.0 / 3.0), p + (a - p) * (2.0 / 3.0), p)
            }
            other => other,
        };
        match element {
            PathEl::MoveTo(p) => (start, last) = (p, p),
            PathEl::ClosePath => last = start,
            _ => last = element.end_point().unwrap_or(last),
        }
        element
    };
    let mut elements: Vec<PathEl> = path.elements().iter().map(element).collect();
    if let Some(first) = elements.first_mut() {
        *first = PathEl::MoveTo(first.end_point().unwrap_or_default());
    }
    BezPath::from_vec(elements)
}

/// An outline over time.
#[derive(Clone, Debug)]
pub(crate) struct OutlineTrack {
    /// The motion that carries it.
    pub(crate) carrier: AffineTrack,
    /// Its control points before that motion.
    pub(crate) points: KeyTrack,
}

/// What is fitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutlineFit<'a> {
    /// The control points at each sample.
    pub(crate) samples: &'a [Vec<f64>],
    /// Pixels for a unit at each sample.
    pub(crate) weights: &'a [f64],
    pub(crate) tolerance: f64,
    pub(crate) form: MatrixForm,
    pub(crate) digits: u8,
    pub(crate) monotone: bool,
    /// Bytes of a point of a key, about.
    pub(crate) point_bytes: usize,
    /// Whether it may be carried.
    pub(crate) carry: bool,
    /// Samples at which another clip begins.
    pub(crate) breaks: &'a [usize],
}

impl OutlineFit<'_> {
    /// The curves with the fewest bytes.
    pub(crate) fn run(&self) -> OutlineTrack {
        let still = OutlineTrack {
            carrier: AffineTrack::Still(Affine::IDENTITY),
            points: self.fit(self.samples).run(),
        };
        if still.points.is_still() {
            return still;
        }
        if !self.carry {
            return OutlineTrack { points: self.fit(self.samples).run_freely(), ..still };
        }
        let mut best = (self.cost(&still), still);
        for subset in self.subsets() {
            let motions = self.motions(&subset);
            for loose in [0.4, 1.2, 4.0] {
                let carrier = self.carrier(&motions, &subset, loose);
                // The points in it have a key at least.
                if carrier.cost() + self.key_cost() >= best.0 {
                    continue;
                }
                let carried = OutlineTrack { points: self.fit(&self.inside(&carrier)).run(), carrier };
                let cost = self.cost(&carried);
                if cost < best.0 {
                    best = (cost, carried);
                }
            }
        }
        let OutlineTrack { carrier, points } = best.1;
        let inside = self.inside(&carrier);
        let free = self.fit(&inside).run_freely();
        let points = if free.keys.len() < points.keys.len() { free } else { points };
        OutlineTrack { carrier, points }
    }

    /// About how many bytes the curves take.
    pub(crate) fn cost(&self, outline: &OutlineTrack) -> usize {
        outline.carrier.cost() + outline.points.keys.len() * self.key_cost()
    }

    fn key_cost(&self) -> usize {
        let points = self.samples[0].len() / 2;
        let key = if self.form == MatrixForm::Skew { 30 } else { 90 };
        key + points * self.point_bytes
    }

    /// The points that a carrier may follow: all, and those at either end of the longer side, as the upper
    /// and the lower half of a limb.
    fn subsets(&self) -> Vec<Vec<usize>> {
        let points =
            |sample: &[f64]| -> Vec<Point> { sample.chunks(2).map(|p| Point::new(p[0], p[1])).collect() };
        let first = points(&self.samples[0]);
        let all: Vec<usize> = (0..first.len()).collect();
        if first.len() < 8 {
            return vec![all];
        }
        let mean =
            (first.iter().fold(Vec2::ZERO, |sum, p| sum + p.to_vec2()) / first.len() as f64).to_point();
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for p in &first {
            let v = *p - mean;
            xx += v.x * v.x;
            xy += v.x * v.y;
            yy += v.y * v.y;
        }
        // The direction of the longer axis of inertia is half the angle of (xx - yy, 2 xy).
        let axis = bone_core::Angle::from_degrees(
            0.5 * bone_core::Angle::of(Vec2::new(xx - yy, 2.0 * xy)).degrees(),
        )
        .direction();
        let mut sorted = all.clone();
        let along = |at: &usize| (first[*at] - mean).dot(axis);
        sorted.sort_by(|a, b| along(a).total_cmp(&along(b)));
        let half = first.len() / 2;
        vec![all, sorted[..half].to_vec(), sorted[half..].to_vec()]
    }

    /// The rigid motion of all points.
    pub(crate) fn motion(&self) -> Vec<Affine> {
        self.motions(&(0..self.samples[0].len() / 2).collect::<Vec<_>>())
    }

    /// The rigid motion of some points from the first sample to each other one, in the sense of least squares.
    fn motions(&self, subset: &[usize]) -> Vec<Affine> {
        let point = |sample: &[f64], at: usize| Vec2::new(sample[2 * at], sample[2 * at + 1]);
        let mean = |sample: &[f64]| {
            subset.iter().fold(Vec2::ZERO, |sum, at| sum + point(sample, *at)) / subset.len() as f64
        };
        let first = &self.samples[0];
        let from = mean(first);
        let motion = |sample: &Vec<f64>| {
            let to = mean(sample);
            let (mut dot, mut cross) = (0.0, 0.0);
            for at in subset {
                let (a, b) = (point(first, *at) - from, point(sample, *at) - to);
                dot += a.dot(b);
                cross += a.cross(b);
            }
            let length = Vec2::new(dot, cross).hypot();
            let (cos, sin) = if length > 1e-12 { (dot / length, cross / length) } else { (1.0, 0.0) };
            Affine::translate(to) * Affine::new([cos, sin, -sin, cos, 0.0, 0.0]) * Affine::translate(-from)
        };
        self.samples.iter().map(motion).collect()
    }

    /// A motion that carries some points.
    fn carrier(&self, motions: &[Affine], subset: &[usize], loose: f64) -> AffineTrack {
        let points: Vec<Point> = {
            let first = &self.samples[0];
            let bounds = subset.iter().map(|at| Point::new(first[2 * at], first[2 * at + 1]));
            let bounds = bounds.fold(None, |all: Option<kurbo::Rect>, p| {
                Some(all.map_or(kurbo::Rect::from_points(p, p), |all| all.union_pt(p)))
            });
            let rect = bounds.unwrap_or_default();
            vec![
                rect.origin(),
                Point::new(rect.x1, rect.y0),
                Point::new(rect.x1, rect.y1),
                Point::new(rect.x0, rect.y1),
            ]
        };
        AffineFit {
            samples: motions,
            points: &points,
            weights: self.weights,
            tolerance: loose * self.tolerance,
            form: self.form,
            digits: self.digits,
            monotone: self.monotone,
            splits: true,
            breaks: self.breaks,
        }
        .run()
    }

    /// The control points at each sample, before the motion of a carrier.
    fn inside(&self, carrier: &AffineTrack) -> Vec<Vec<f64>> {
        let points = |(at, sample): (usize, &Vec<f64>)| {
            let back = carrier.at(at).inverse();
            let point = |p: &[f64]| {
                let p = back * Point::new(p[0], p[1]);
                [p.x, p.y]
            };
            sample.chunks(2).flat_map(point).collect()
        };
        self.samples.iter().enumerate().map(points).collect()
    }

    fn fit<'f>(&'f self, samples: &'f [Vec<f64>]) -> Fit<'f> {
        let parts = 10.0_f64.powi(i32::from(self.digits));
        let Self { weights, tolerance, monotone, breaks, .. } = *self;
        Fit { samples, group: 2, weights, tolerance, parts, monotone, breaks }
    }
}
