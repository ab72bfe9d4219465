//! Where segments on lattices are cut, so that one cubic for each piece follows the bent outline in every form. It is
//! computed once, and depends on the segment alone, not on its direction.

use kurbo::{CubicBez, ParamCurve, ParamCurveDeriv, ParamCurveNearest, Point, Vec2};

use super::lattice::Lattice;
use crate::refit::{Ends, SAMPLES, refit};
use crate::split::{direction_at, handle_share};

/// Splits are on a grid of this many cells.
const CELLS: u32 = 64;
/// The share of the tolerance that each form may take: between forms others are added.
const SHARE: f64 = 0.5;
/// Where a piece is compared with the bent outline.
const CHECKED: [f64; 4] = [0.125, 0.375, 0.625, 0.875];

/// The lattices of a path and the forms in which it is bent.
#[derive(Clone, Debug, Default)]
pub struct WarpTrials {
    /// The innermost first.
    lattices: Vec<Lattice>,
    /// The moves of the nodes of each lattice in each form; empty if it stays.
    forms: Vec<Vec<Vec<Vec2>>>,
}

impl WarpTrials {
    /// Lattices, the innermost first, and for each form the moves of all nodes of each of them; empty for those that
    /// stay.
    pub fn new(lattices: Vec<Lattice>, forms: Vec<Vec<Vec<Vec2>>>) -> Self {
        Self { lattices, forms }
    }

    /// The lattices, the innermost first.
    pub fn lattices(&self) -> &[Lattice] {
        &self.lattices
    }

    /// The moves of the nodes of each lattice in each form.
    pub fn forms(&self) -> &[Vec<Vec<Vec2>>] {
        &self.forms
    }

    fn bend(&self, form: &[Vec<Vec2>], at: Point, along: Vec2) -> (Point, Vec2) {
        let moved = self.lattices.iter().zip(form).filter(|(_, moves)| !moves.is_empty());
        moved.fold((at, along), |(at, along), (lattice, moves)| lattice.bend(moves, at, along))
    }

    /// The parameters at which a segment is split, ends excluded. `curves` are its shapes.
    pub(crate) fn cuts(&self, curves: &[CubicBez], tolerance: f64) -> Vec<f64> {
        let mut cuts = Vec::new();
        if !curves.iter().all(CubicBez::is_finite) {
            return cuts;
        }
        let mut waiting = vec![(0, CELLS)];
        while let Some((from, to)) = waiting.pop() {
            if to - from == 1 || self.hold(curves, (from, to), SHARE * tolerance) {
                cuts.extend((to < CELLS).then(|| f64::from(to) / f64::from(CELLS)));
                continue;
            }
            let middle = (from + to) / 2;
            waiting.extend([(middle, to), (from, middle)]);
        }
        cuts
    }

    /// Whether one cubic follows a piece in all forms.
    fn hold(&self, curves: &[CubicBez], (from, to): (u32, u32), tolerance: f64) -> bool {
        let [a, b] = [from, to].map(|cell| f64::from(cell) / f64::from(CELLS));
        let share = |end: u32, start: bool| match end {
            0 | CELLS => handle_share(curves.iter(), start),
            _ => 1.0 / 3.0,
        };
        let shares = [share(from, true), share(to, false)];
        curves.iter().all(|curve| {
            let derivative = curve.deriv();
            self.forms.iter().all(|form| {
                let place = |share: f64| self.bend(form, curve.eval(a + share * (b - a)), Vec2::ZERO).0;
                let end = |t: f64| self.bend(form, curve.eval(t), direction_at(curve, &derivative, t));
                let ((start, leave), (stop, arrive)) = (end(a), end(b));
                let ends =
                    Ends { from: start, to: stop, leave: leave * (b - a), arrive: arrive * (b - a), shares };
                let (first, last) = refit(&ends, &SAMPLES.map(place));
                let fitted = CubicBez::new(start, first, last, stop);
                CHECKED.iter().all(|share| {
                    let wanted = place(*share);
                    (fitted.eval(*share) - wanted).hypot() <= tolerance
                        || fitted.nearest(wanted, 0.1 * tolerance).distance_sq <= tolerance * tolerance
                })
            })
        })
    }
}
