//! Fits what moves: the matrix of a group first, then what is inside to where it should be as seen from the group
//! as it was fitted.

use std::rc::Rc;

use bone_drawing::{NodeId, NodeKind};
use kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape as _};

use crate::vector::affine::{AffineFit, AffineTrack, MatrixForm, corners, stretch};
use crate::vector::outline::{self, OutlineFit, OutlineTrack};
use crate::vector::thin::SampledOutlines;
use crate::vector::track::{Fit, KeyTrack};
use crate::vector::{SampledClip, VectorOptions, VectorReport};

/// The space inside of a group, at each sample.
#[derive(Debug)]
pub(super) struct Space {
    /// To pixels of the export, as it should be.
    pub(super) truth: Vec<Affine>,
    /// And as players compute it.
    pub(super) found: Vec<Affine>,
    /// How many fitted matrices are in it.
    pub(super) level: usize,
}

impl Space {
    /// Inside of a group with a transform that does not change.
    pub(super) fn inside(self: &Rc<Self>, transform: Affine) -> Rc<Self> {
        if transform == Affine::IDENTITY {
            return Rc::clone(self);
        }
        let inside = |all: &[Affine]| all.iter().map(|affine| *affine * transform).collect();
        Rc::new(Self { truth: inside(&self.truth), found: inside(&self.found), level: self.level })
    }

    /// Where groups whose matrices cannot be written move: their place in the first frame stays, and what is inside
    /// moves by itself.
    pub(super) fn around_moving(&self, transforms: &[Affine]) -> Rc<Self> {
        Rc::new(Self {
            truth: self.truth.iter().zip(transforms).map(|(all, own)| *all * *own).collect(),
            found: self.found.iter().map(|all| *all * transforms[0]).collect(),
            level: self.level,
        })
    }

    /// Pixels for a unit, at each sample.
    pub(super) fn weights(&self) -> Vec<f64> {
        self.found.iter().map(|affine| stretch(*affine)).collect()
    }
}

/// Finds the curves of what moves.
pub(super) struct SvgSolver<'a> {
    pub(super) clip: &'a SampledClip,
    pub(super) options: &'a VectorOptions,
    pub(super) view: Affine,
    /// For each node how many fitted matrices and outlines are in it, one in the other.
    pub(super) depths: Vec<usize>,
    pub(super) report: VectorReport,
}

impl<'a> SvgSolver<'a> {
    pub(super) fn new(clip: &'a SampledClip, options: &'a VectorOptions) -> Self {
        let drawing = &clip.drawing;
        let slots = drawing.slots();
        let mut depths = vec![0; drawing.nodes().len()];
        // Parents come before what is in them, but those of definitions may not: several passes.
        for _ in 0..2 {
            for at in (0..depths.len()).rev() {
                let node = &drawing.nodes()[at];
                let inside = node.children().iter().map(|child| depths[child.index()]).max().unwrap_or(0);
                let clipped = node.group().is_some_and(|group| group.clip.is_some() || group.mask.is_some());
                depths[at] = inside.max(usize::from(clipped));
            }
            for at in slots.transforms.keys() {
                depths[at.index()] += 1;
            }
            for at in slots.outlines.keys() {
                depths[at.index()] = 1;
            }
        }
        let view = options.view.transform;
        Self { clip, options, view, depths, report: VectorReport::default() }
    }

    /// The space of the drawing itself.
    pub(super) fn root(&self) -> Rc<Space> {
        let all = vec![self.view; self.clip.len()];
        Rc::new(Space { truth: all.clone(), found: all, level: 0 })
    }

    /// A space for definitions, which are seen from those who use them.
    pub(super) fn definition(&self, user: &Space) -> Rc<Space> {
        let scale = user.weights().into_iter().fold(1e-9, f64::max);
        let all = vec![Affine::scale(scale); self.clip.len()];
        Rc::new(Space { truth: all.clone(), found: all, level: 1 })
    }

    pub(super) fn digits(&self, weights: &[f64]) -> u8 {
        self.options.digits(weights.iter().copied().fold(1e-9, f64::max))
    }

    /// The largest error of a matrix or an outline so many levels deep, with so many below it.
    pub(super) fn tolerance(&self, level: usize, below: usize) -> f64 {
        let digits_take = 0.06;
        self.options.tolerance * (1.0 - digits_take) * level as f64 / (level + below) as f64
    }

    /// The corners of what is in a group, in its inside.
    pub(super) fn corners(&self, node: NodeId) -> [Point; 4] {
        let mut all: Option<Rect> = None;
        // From the inside of the group to that of each leaf, at each sample.
        for leaf in self.clip.leaves(node) {
            let way: Vec<NodeId> = self.clip.drawing.ancestors(leaf).take_while(|at| *at != node).collect();
            let step = if way.iter().any(|at| self.clip.is_moved(*at)) { 1 } else { self.clip.len() };
            let outlines = self.clip.outlines(leaf);
            let bounds: Vec<Rect> = match self.clip.node(leaf).map(|node| &node.kind) {
                Some(NodeKind::Image(image)) => vec![image.size.to_rect()],
                Some(NodeKind::Shape(shape)) => {
                    let grow = shape.stroke.as_ref().map_or(0.0, |stroke| 0.5 * stroke.width);
                    outlines.iter().map(|path| path.bounding_box().inflate(grow, grow)).collect()
                }
                _ => continue,
            };
            let posed = bounds.len() > 1;
            for sample in (0..self.clip.len()).step_by(if posed { 1 } else { step }) {
                let frame = &self.clip.frames[sample];
                let to_group = way
                    .iter()
                    .rev()
                    .fold(Affine::IDENTITY, |all, at| all * frame.transform(&self.clip.drawing, *at));
                let Some(rect) = bounds.get(if posed { sample } else { 0 }) else { continue };
                let rect = to_group.transform_rect_bbox(*rect);
                all = Some(all.map_or(rect, |all| all.union(rect)));
            }
        }
        corners(all.unwrap_or_default())
    }

    /// The matrix of a group over time, and the space inside.
    pub(super) fn group(&mut self, node: NodeId, around: &Rc<Space>) -> (AffineTrack, Rc<Space>) {
        let transforms = self.clip.transforms(node);
        if !self.clip.is_moved(node) {
            return (AffineTrack::Still(transforms[0]), around.inside(transforms[0]));
        }
        let truth: Vec<Affine> = around.truth.iter().zip(&transforms).map(|(a, b)| *a * *b).collect();
        let targets: Vec<Affine> = around
            .found
            .iter()
            .zip(&truth)
            .zip(&transforms)
            .map(
                |((found, truth), own)| {
                    if found.determinant().abs() > 1e-12 { found.inverse() * *truth } else { *own }
                },
            )
            .collect();
        // What the groups around it leave still needs no compensation.
        let moves = transforms.iter().any(|t| *t != transforms[0]);
        let samples: &[Affine] = if moves || around.level > 0 { &targets } else { &transforms };
        let weights = around.weights();
        let level = around.level + 1;
        let below = self.depths[node.index()].saturating_sub(1);
        let points = self.corners(node);
        let track = self.matrix(samples, &points, &weights, self.tolerance(level, below));
        let found: Vec<Affine> = around.found.iter().enumerate().map(|(at, a)| *a * track.at(at)).collect();
        self.report.compare(&found, &truth, &points);
        (track, Rc::new(Space { truth, found, level }))
    }

    /// The outline of a shape over time.
    pub(super) fn outline(
        &mut self,
        node: NodeId,
        around: &Rc<Space>,
        carry: bool,
    ) -> Option<(OutlineTrack, Vec<outline::PathVerb>)> {
        let outlines = match self.dashed(node) {
            Some(whole) => vec![whole],
            None => self.clip.outlines(node),
        };
        let [only] = outlines[..] else { return self.moving_outline(node, around, carry) };
        let points = KeyTrack::still(outline::numbers(only, Affine::IDENTITY));
        let carrier = AffineTrack::Still(Affine::IDENTITY);
        Some((OutlineTrack { carrier, points }, outline::verbs(only)))
    }

    /// The whole outline of a shape that is the part of a stroke, if dashes can show the part: each subpath would begin
    /// them anew, and where a closed one begins they have no join.
    pub(super) fn dashed(&self, node: NodeId) -> Option<&'a BezPath> {
        let stroke = self.clip.node(node)?.shape()?.stroke.as_ref()?;
        let whole = self.clip.whole_outline(node).filter(|_| stroke.dashes.is_empty())?;
        let begins = whole.elements().iter().filter(|element| matches!(element, PathEl::MoveTo(_))).count();
        let is_closed = whole.elements().contains(&PathEl::ClosePath);
        (begins == 1 && !is_closed && whole.perimeter(1e-3) > 0.0).then_some(whole)
    }

    /// The digits after the point of an outline.
    pub(super) fn outline_digits(&self, node: NodeId, weights: &[f64]) -> u8 {
        let is_cut = self.dashed(node).is_none() && self.clip.is_cut(node);
        SampledOutlines::precision(is_cut, self.digits(weights), 0.0).0
    }

    /// The outline of a shape over time, also of one that only what is around it moves.
    pub(super) fn moving_outline(
        &mut self,
        node: NodeId,
        around: &Rc<Space>,
        carry: bool,
    ) -> Option<(OutlineTrack, Vec<outline::PathVerb>)> {
        let outlines = self.clip.outlines(node);
        let first = *outlines.first()?;
        let verbs = outline::verbs(first);
        let mut changed = false;
        let samples: Vec<Vec<f64>> = (0..self.clip.len())
            .map(|at| {
                let path = outlines.get(at).copied().unwrap_or(first);
                let same = outline::verbs(path) == verbs;
                changed |= !same;
                let path = if same { path } else { first };
                let (found, truth) = (around.found[at], around.truth[at]);
                let map = if found == truth || found.determinant().abs() < 1e-12 {
                    Affine::IDENTITY
                } else {
                    found.inverse() * truth
                };
                outline::numbers(path, map)
            })
            .collect();
        if changed {
            let name = self.clip.name_of(node);
            self.report
                .lose(name, "its outline has other curves in other frames, where it is as in the first");
        }
        let weights = around.weights();
        let bends = outlines.len() > 1;
        let (digits, tolerance) = SampledOutlines::precision(
            bends && self.clip.is_cut(node),
            self.digits(&weights),
            self.tolerance(around.level + 1, 0),
        );
        let breaks = self.clip.outline_breaks(node);
        let exact = SampledOutlines { verbs, samples, bends, error: 0.0, breaks, digits, tolerance };
        let (SampledOutlines { verbs, samples, error, .. }, track) =
            exact.fewest(&weights, tolerance, |outlines, tolerance| {
                let fit = OutlineFit {
                    samples: &outlines.samples,
                    weights: &weights,
                    tolerance,
                    form: MatrixForm::Skew,
                    digits,
                    monotone: true,
                    point_bytes: 4 + 2 * usize::from(digits),
                    carry,
                    breaks: &outlines.breaks,
                };
                let track = fit.run();
                let cost = fit.cost(&track);
                (track, cost)
            });
        let still = track.points.is_still();
        self.report.outline_keys += if still { 0 } else { track.points.keys.len() };
        self.report.keys += if still { 0 } else { track.points.keys.len() } + track.carrier.keys();
        for (at, sample) in samples.iter().enumerate() {
            let (carrier, points) = (track.carrier.at(at), track.points.at(at));
            for (a, b) in points.chunks(2).zip(sample.chunks(2)) {
                let miss = (carrier * Point::new(a[0], a[1]) - Point::new(b[0], b[1])).hypot() * weights[at];
                self.report.error = self.report.error.max(miss + error);
            }
        }
        Some((track, verbs))
    }

    /// The matrix of a gradient or pattern over time. It is carried by the shape's carrier, and its corners
    /// are those of the shape, in the space of the gradient.
    pub(super) fn paint(
        &mut self,
        transforms: &[Affine],
        carrier: &AffineTrack,
        shape: NodeId,
        around: &Rc<Space>,
    ) -> AffineTrack {
        let moves = transforms.iter().any(|t| *t != transforms[0]) || carrier.keys() > 0;
        if !moves {
            return AffineTrack::Still(carrier.at(0).inverse() * transforms[0]);
        }
        let outlines = self.clip.outlines(shape);
        let samples: Vec<Affine> =
            transforms.iter().enumerate().map(|(at, own)| carrier.at(at).inverse() * *own).collect();
        let mut all: Option<Rect> = None;
        for (at, own) in transforms.iter().enumerate() {
            if own.determinant().abs() < 1e-12 {
                return AffineTrack::Still(samples[0]);
            }
            let Some(path) = outlines.get(at).or(outlines.first()) else { continue };
            let rect = own.inverse().transform_rect_bbox(path.bounding_box());
            all = Some(all.map_or(rect, |all| all.union(rect)));
        }
        // Colours change slowly along a gradient.
        let tolerance = 2.0 * self.options.tolerance;
        self.matrix(&samples, &corners(all.unwrap_or_default()), &around.weights(), tolerance)
    }

    /// Curves for a matrix.
    fn matrix(
        &mut self,
        samples: &[Affine],
        points: &[Point],
        weights: &[f64],
        tolerance: f64,
    ) -> AffineTrack {
        let digits = self.digits(weights);
        let (form, breaks) = (MatrixForm::Skew, &self.clip.breaks[..]);
        let track = AffineFit {
            samples,
            points,
            weights,
            tolerance,
            form,
            digits,
            monotone: true,
            splits: true,
            breaks,
        }
        .run();
        self.report.keys += track.keys();
        track
    }

    /// Some numbers over time, one unit of which is so many pixels.
    pub(super) fn numbers(&mut self, samples: &[Vec<f64>], pixels: f64, digits: u8) -> KeyTrack {
        let weights = vec![pixels; samples.len()];
        let parts = 10.0_f64.powi(i32::from(digits));
        let tolerance = 0.5 * self.options.tolerance;
        let (weights, breaks) = (&weights, &self.clip.breaks);
        let track = Fit { samples, group: 1, weights, tolerance, parts, monotone: true, breaks }.run();
        self.report.keys += if track.is_still() { 0 } else { track.keys.len() };
        track
    }
}
