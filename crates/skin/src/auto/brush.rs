//! Strokes of a brush on found weights: each gives a bone more or less along a line, or evens out what is there.
//! They act on the weights of points, and not on vertices, so that they hold for another drawing, too.

use std::collections::BTreeMap;

use bone_core::{Angle, BoneId};
use kurbo::{Point, Rect, Vec2};

use super::segment::LineSegment;
use super::shape::LIMIT;
use crate::weight_curve::WeightField;

/// What a stroke does to the weights that it meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BrushEffect {
    /// Adds this to the share of a bone; takes away below 0.
    Add(BoneId, f64),
    /// Moves all shares this far, from 0 to 1, towards their mean in the neighbourhood.
    Smooth(f64),
}

/// A stroke of a brush, on the canvas.
#[derive(Clone, Debug, PartialEq)]
pub struct BrushStroke {
    /// What it does.
    pub effect: BrushEffect,
    /// How far it reaches to each side of its line; above 0.
    pub width: f64,
    /// Its corners; one is a dab.
    pub line: Vec<Point>,
    /// Bones whose shares it leaves as they are.
    pub locked: Vec<BoneId>,
}

impl BrushStroke {
    /// The distance of its line.
    fn distance(&self, at: Point) -> f64 {
        let ends = self.line.iter().zip(self.line.iter().skip(1).chain(self.line.last()));
        let lines = ends.map(|(origin, tip)| LineSegment { origin: *origin, tip: *tip });
        lines.map(|line| line.nearest(at).1).fold(f64::INFINITY, f64::min)
    }

    /// How strongly it acts at a point: 1 on its line, 0 from its width on, and smooth in between.
    fn strength(&self, at: Point) -> f64 {
        let t = (1.0 - self.distance(at) / self.width).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }

    /// Which shares of a row it may change.
    fn free(&self, bones: &[BoneId]) -> Vec<bool> {
        bones.iter().map(|bone| !self.locked.contains(bone)).collect()
    }

    /// The box beyond which it does nothing.
    fn reach(&self) -> Option<Rect> {
        let points = self.line.iter().map(|at| Rect::from_center_size(*at, (0.0, 0.0)));
        Some(points.reduce(|a, b| a.union(b))?.inflate(self.width, self.width))
    }
}

/// Strokes on a field.
#[derive(Clone, Debug)]
pub(crate) struct Painted {
    strokes: Vec<(BrushStroke, MeanGrid)>,
    /// The distance over which the narrowest stroke changes little.
    pub(crate) grain: f64,
}

/// A stroke is sampled this finely, as a share of its width.
const GRAIN: f64 = 0.2;

impl Painted {
    /// Strokes act in their order. Those without a line, or with numbers that no drawing has, do nothing.
    pub(crate) fn new(below: &dyn WeightField, strokes: &[BrushStroke]) -> Self {
        let grain = match below.grain() {
            grain if grain > 0.0 => grain,
            _ => f64::INFINITY,
        };
        let mut painted = Self { strokes: Vec::with_capacity(strokes.len()), grain };
        let known = |at: &Point| at.x.abs() <= LIMIT && at.y.abs() <= LIMIT;
        for stroke in strokes {
            let (BrushEffect::Add(_, much) | BrushEffect::Smooth(much)) = stroke.effect;
            let usable = stroke.width > 0.0 && stroke.width <= LIMIT && !much.is_nan();
            if usable && stroke.line.iter().all(known) {
                let means = MeanGrid::new(stroke, (below, &painted));
                painted.grain = painted.grain.min(stroke.width * GRAIN);
                painted.strokes.push((stroke.clone(), means));
            }
        }
        painted
    }

    /// The weights at a point.
    pub(crate) fn weights(&self, below: &dyn WeightField, at: Point, out: &mut [f64]) {
        below.weights_at(at, out);
        let bones = below.bones();
        for (stroke, means) in &self.strokes {
            let strength = stroke.strength(at);
            if strength <= 0.0 {
                continue;
            }
            match stroke.effect {
                BrushEffect::Add(bone, add) => {
                    let place = bones.iter().position(|own| *own == bone);
                    place.into_iter().for_each(|place| give(stroke, (bones, place), add * strength, out));
                }
                BrushEffect::Smooth(amount) => {
                    let share = strength * amount.clamp(0.0, 1.0);
                    means.even_out((stroke, bones), share, at, out);
                }
            }
            normalise(out);
        }
    }
}

/// Clamps a row to [0, 1] and divides it by its sum; a row of zeros becomes equal weights.
pub(super) fn normalise(row: &mut [f64]) {
    row.iter_mut().for_each(|w| *w = if w.is_finite() { w.max(0.0) } else { 0.0 });
    let sum: f64 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|w| *w = (*w / sum).min(1.0));
    } else {
        let equal = 1.0 / row.len() as f64;
        row.fill(equal);
    }
}

/// Adds to one share; the others that are free share what is left as they did.
fn give(stroke: &BrushStroke, (bones, place): (&[BoneId], usize), add: f64, row: &mut [f64]) {
    let free = stroke.free(bones);
    if !free[place] {
        return;
    }
    let mut others: Vec<&mut f64> = Vec::with_capacity(row.len());
    let mut own = 0.0;
    let mut target = None;
    for (i, share) in row.iter_mut().enumerate() {
        if i == place {
            own = *share;
            target = Some(share);
        } else if free[i] {
            others.push(share);
        }
    }
    let sum: f64 = others.iter().map(|share| **share).sum();
    let after = (own + add).clamp(0.0, own + sum);
    let Some(target) = target.filter(|_| !others.is_empty()) else { return };
    // What one bone has alone goes to all that are free, in equal parts.
    let count = others.len() as f64;
    let part = |share: f64| if sum > 0.0 { share / sum } else { 1.0 / count };
    others.into_iter().for_each(|share| *share = part(*share) * (own + sum - after));
    *target = after;
}

/// The means of weights around the nodes of a grid along a stroke, as they are before it: a stroke over others costs
/// no more than one.
#[derive(Clone, Debug, Default)]
struct MeanGrid {
    step: f64,
    rows: BTreeMap<(i64, i64), Box<[f64]>>,
}

/// The mean is over a disc of this share of the width.
const DISC: f64 = 0.5;
/// The step of the grid as a share of the width, and the greatest number of its nodes.
const STEP: f64 = 0.2;
const NODES: f64 = 20_000.0;

impl MeanGrid {
    fn new(stroke: &BrushStroke, (below, before): (&dyn WeightField, &Painted)) -> Self {
        if !matches!(stroke.effect, BrushEffect::Smooth(_)) {
            return Self::default();
        }
        let Some(reach) = stroke.reach() else { return Self::default() };
        let step = (stroke.width * STEP).max((reach.area() / NODES).sqrt());
        let mut grid = Self { step, rows: BTreeMap::new() };
        let count = below.bones().len();
        let around = |radius: f64, turn: f64| {
            (0..6).map(move |i| Angle::from_degrees((f64::from(i) + turn) * 60.0).direction() * radius)
        };
        let disc: Vec<Vec2> = std::iter::once(Vec2::ZERO)
            .chain(around(0.5 * DISC * stroke.width, 0.0))
            .chain(around(DISC * stroke.width, 0.5))
            .collect();
        let node = |v: f64| (v / step).floor() as i64;
        let mut weights = vec![0.0; count];
        for x in node(reach.x0)..=node(reach.x1) + 1 {
            for y in node(reach.y0)..=node(reach.y1) + 1 {
                let at = Point::new(x as f64 * step, y as f64 * step);
                // The corners of all cells in which the stroke acts.
                if stroke.distance(at) > stroke.width + 2.0 * step {
                    continue;
                }
                let mut mean = vec![0.0; count];
                for way in &disc {
                    before.weights(below, at + *way, &mut weights);
                    mean.iter_mut().zip(&weights).for_each(|(mean, own)| *mean += own / disc.len() as f64);
                }
                grid.rows.insert((x, y), mean.into());
            }
        }
        grid
    }

    /// Moves the shares of free bones by a share towards the mean; their sum stays.
    fn even_out(&self, (stroke, bones): (&BrushStroke, &[BoneId]), share: f64, at: Point, row: &mut [f64]) {
        let (u, v) = (at.x / self.step, at.y / self.step);
        let (x, y) = (u.floor(), v.floor());
        let mut mean = vec![0.0; row.len()];
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let part = |d: i64, f: f64| if d == 1 { f } else { 1.0 - f };
            let Some(corner) = self.rows.get(&(x as i64 + dx, y as i64 + dy)) else { return };
            let weight = part(dx, u - x) * part(dy, v - y);
            mean.iter_mut().zip(corner).for_each(|(mean, own)| *mean += own * weight);
        }
        let free = stroke.free(bones);
        let sum = |of: &[f64]| of.iter().zip(&free).filter(|(_, free)| **free).map(|(w, _)| w).sum::<f64>();
        let (before, around) = (sum(row), sum(&mean));
        if around <= 0.0 {
            return;
        }
        let each = row.iter_mut().zip(&mean).zip(&free).filter(|(_, free)| **free);
        each.for_each(|((own, mean), _)| *own += share * (mean * before / around - *own));
    }
}
