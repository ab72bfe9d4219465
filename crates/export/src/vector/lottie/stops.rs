//! The stops of gradients, as often as art needs them and as players mix them, and the circles of radial ones.

use bone_drawing::{Gradient, GradientKind, Spread, Stop};
use kurbo::{Point, Rect, Vec2};

use crate::vector::affine::corners;

/// The most copies of the stops of a gradient that repeats.
const MOST_COPIES: i32 = 64;

/// The circle of a radial gradient.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circle {
    pub(super) center: Point,
    pub(super) radius: f64,
    /// From the centre to the focus.
    pub(super) shift: Vec2,
    focus_radius: f64,
}

impl Circle {
    /// That of a gradient that is so many times as long; of a linear one a point.
    pub(super) fn of(kind: GradientKind, times: f64) -> Self {
        match kind {
            GradientKind::Radial { center, radius, focus, focus_radius } => {
                Self { center, radius: radius * times, shift: focus - center, focus_radius }
            }
            GradientKind::Linear { start, .. } => {
                Self { center: start, radius: 0.0, shift: Vec2::ZERO, focus_radius: 0.0 }
            }
        }
    }

    /// Whether its focus is not its centre.
    pub(super) fn is_off(&self) -> bool {
        self.shift.hypot() > 1e-6 * self.radius || self.focus_radius > 0.0
    }
}

/// The box around points, which are lists of numbers.
pub(super) fn reach(points: impl Iterator<Item = Vec<f64>>) -> Rect {
    let mut reach: Option<Rect> = None;
    for numbers in points {
        for p in numbers.chunks(2) {
            let p = Point::new(p[0], p[1]);
            reach = Some(reach.map_or(Rect::from_points(p, p), |all| all.union_pt(p)));
        }
    }
    reach.unwrap_or_default()
}

/// The directions of vectors in degrees, which go on where they have gone round. One without a length has that of the one
/// before.
pub(super) fn turns(vectors: impl Iterator<Item = Vec2>) -> Vec<Vec<f64>> {
    let mut last: Option<f64> = None;
    let degrees = |vector: Vec2| {
        let own = (vector.hypot() > 1e-9).then(|| bone_core::Angle::of(vector).degrees());
        let rounds = own.zip(last).map_or(0.0, |(own, last)| ((last - own) / 360.0).round());
        let degrees = own.map(|own| own + 360.0 * rounds).or(last);
        last = degrees;
        vec![degrees.unwrap_or_default()]
    };
    vectors.map(degrees).collect()
}

/// How far a gradient has to reach, in lengths of it: from, and to.
pub(super) fn extent(gradient: &Gradient, reach: Rect) -> (f64, f64) {
    if gradient.spread == Spread::Pad {
        return (0.0, 1.0);
    }
    let offset = |p: Point| match gradient.kind {
        GradientKind::Linear { start, end } => (p - start).dot(end - start) / (end - start).hypot2(),
        GradientKind::Radial { center, radius, .. } => (p - center).hypot() / radius,
    };
    let offsets = corners(reach).map(offset);
    let low = offsets.iter().copied().fold(0.0, f64::min).max(f64::from(-MOST_COPIES)).floor();
    let high = offsets.iter().copied().fold(1.0, f64::max).min(f64::from(MOST_COPIES)).ceil();
    (if matches!(gradient.kind, GradientKind::Radial { .. }) { 0.0 } else { low }, high)
}

/// The stops of a gradient at each sample from one place to another, in lengths of the gradient: those between them from
/// 0 to 1. All samples have equally many.
pub(super) fn unrolled(
    spread: Spread,
    samples: &[Vec<FlatStop>],
    (low, high): (f64, f64),
) -> Vec<Vec<FlatStop>> {
    if spread == Spread::Pad {
        return samples.to_vec();
    }
    // The colours of the ends reach to the ends.
    let is_apart =
        |stop: Option<&FlatStop>, offset: f64| stop.is_some_and(|(at, _)| (at - offset).abs() > 1e-9);
    let begins = samples.iter().any(|stops| is_apart(stops.first(), 0.0));
    let ends = samples.iter().any(|stops| is_apart(stops.last(), 1.0));
    let whole = |stops: &Vec<FlatStop>| {
        let first = stops.first().filter(|_| begins).map(|(_, color)| (0.0, *color));
        let last = stops.last().filter(|_| ends).map(|(_, color)| (1.0, *color));
        let all: Vec<FlatStop> = first.into_iter().chain(stops.iter().copied()).chain(last).collect();
        let mut out = Vec::new();
        // Between -64 and 64.
        for copy in low as i32..high as i32 {
            let place = |offset: f64| (f64::from(copy) + offset - low) / (high - low);
            if spread == Spread::Reflect && copy % 2 != 0 {
                out.extend(all.iter().rev().map(|(offset, color)| (place(1.0 - offset), *color)));
            } else {
                out.extend(all.iter().map(|(offset, color)| (place(*offset), *color)));
            }
        }
        out
    };
    samples.iter().map(whole).collect()
}

/// An offset with red, green, blue and opacity from 0 to 1.
pub(super) type FlatStop = (f64, [f64; 4]);

/// The stops of a gradient, with colours that are not rounded if there are any.
pub(super) fn flat_stops(gradient: &Gradient, colors: Option<&[[f64; 3]]>) -> Vec<FlatStop> {
    let stop = |(at, stop): (usize, &Stop)| {
        let color = colors.and_then(|colors| colors.get(at)).copied();
        let [red, green, blue] = color.unwrap_or(stop.color.map(f64::from)).map(|level| level / 255.0);
        (stop.offset, [red, green, blue, stop.opacity])
    };
    gradient.stops.iter().enumerate().map(stop).collect()
}

/// Stops at each sample. SVG mixes colours and opacities of two stops apart; some players multiply them first. Where both
/// change, more stops make that the same to a quarter of a level.
pub(super) fn divided(samples: &[Vec<FlatStop>]) -> Vec<Vec<FlatStop>> {
    const MOST: f64 = 16.0;
    let parts = |stops: &Vec<FlatStop>, at: usize| {
        let ((from, a), (to, b)) = (stops[at], stops[at + 1]);
        let change = |at: usize| (b[at] - a[at]).abs();
        // Halfway the products differ by a quarter of the product of both changes, and less with the square of the parts.
        let levels = 0.25 * 255.0 * change(0).max(change(1)).max(change(2)) * change(3);
        if to > from { (4.0 * levels).sqrt().ceil().clamp(1.0, MOST) } else { 1.0 }
    };
    let least = samples.iter().map(Vec::len).min().unwrap_or_default();
    let most: Vec<f64> =
        (1..least).map(|at| samples.iter().map(|stops| parts(stops, at - 1)).fold(1.0, f64::max)).collect();
    let divide = |stops: &Vec<FlatStop>| {
        let mut all = Vec::new();
        for (pair, parts) in stops.windows(2).zip(&most) {
            let ((from, a), (to, b)) = (pair[0], pair[1]);
            // From 1 to 16.
            for part in 0..*parts as u32 {
                let share = f64::from(part) / parts;
                let mix = |a: f64, b: f64| a + share * (b - a);
                all.push((mix(from, to), std::array::from_fn(|at| mix(a[at], b[at]))));
            }
        }
        all.extend(stops.last());
        all
    };
    samples.iter().map(divide).collect()
}

/// The numbers of stops: offset, red, green and blue of each, then offset and opacity of each if any is not opaque. How
/// many stops there are.
pub(super) fn stop_numbers(samples: &[Vec<FlatStop>]) -> (usize, Vec<Vec<f64>>) {
    let has_opacity = samples.iter().flatten().any(|(_, [.., opacity])| *opacity < 1.0);
    let numbers = |stops: &Vec<FlatStop>| {
        let colors = stops.iter().flat_map(|(offset, [red, green, blue, _])| [*offset, *red, *green, *blue]);
        let opacities = stops.iter().filter(|_| has_opacity);
        colors.chain(opacities.flat_map(|(offset, [.., opacity])| [*offset, *opacity])).collect()
    };
    (samples.first().map_or(0, Vec::len), samples.iter().map(numbers).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Halfway between two stops, the mean of products is the product of means to a quarter of a level.
    #[test]
    fn players_that_mix_products_draw_the_same_gradient() {
        let stop = |offset, color, opacity| Stop { offset, color, opacity };
        let stops = [
            stop(0.0, [255, 0, 10], 0.0),
            stop(0.4, [0, 128, 20], 1.0),
            stop(0.4, [0, 128, 20], 0.5),
            stop(0.9, [200, 128, 20], 0.4),
        ];
        let of = |stops: &[Stop]| {
            let flat = |stop: &Stop| {
                let [red, green, blue] = stop.color.map(|level| f64::from(level) / 255.0);
                (stop.offset, [red, green, blue, stop.opacity])
            };
            divided(&[stops.iter().map(flat).collect()]).remove(0)
        };
        let all = of(&stops);
        for pair in all.windows(2).filter(|pair| pair[1].0 > pair[0].0) {
            let [(_, a), (_, b)] = [pair[0], pair[1]];
            for channel in 0..3 {
                let products = 0.5 * (a[channel] * a[3] + b[channel] * b[3]);
                let apart = 0.25 * (a[channel] + b[channel]) * (a[3] + b[3]);
                assert!(255.0 * (products - apart).abs() <= 0.25 + 1e-9, "{pair:?}");
            }
        }
        // Nothing is added where only one of both changes.
        assert_eq!(of(&[stop(0.0, [0; 3], 1.0), stop(1.0, [255; 3], 1.0)]).len(), 2);
        assert_eq!(of(&[stop(0.0, [9; 3], 0.0), stop(1.0, [9; 3], 1.0)]).len(), 2);
        assert!(all.len() < 30, "{}", all.len());
    }
}
