//! Gradients with more levels than a byte has: each pixel's exact colour is rounded up or down by a fixed
//! pattern, so that the mean of neighbours is exact, and no bands are seen.

use tiny_skia::{IntRect, Pixmap, PixmapMut, Rect, SpreadMode, Transform};

use crate::fill::Stop;
use crate::paint::Shader;

/// The pixels of a gradient within a box of the picture.
pub(crate) struct Dithered {
    pub(crate) pixmap: Pixmap,
    /// Where they lie in the picture.
    pub(crate) place: IntRect,
}

/// The gradient of a shape that covers `bounds`, which `ts` maps to the picture's pixels. None: it is no
/// gradient, or nothing of it is in the picture.
pub(crate) fn dithered(
    shader: &Shader<'_>,
    bounds: Rect,
    ts: Transform,
    picture: &PixmapMut<'_>,
) -> Option<Dithered> {
    let (field, stops, spread, transform) = match *shader {
        Shader::Linear { ends, stops, spread, transform } => (Field::linear(ends)?, stops, spread, transform),
        Shader::Radial { numbers, stops, spread, transform } => {
            (Field::radial(numbers), stops, spread, transform)
        }
        Shader::Color(_) | Shader::Tile { .. } => return None,
    };
    let place = place(bounds.transform(ts)?, (picture.width(), picture.height()))?;
    let to_gradient = ts.pre_concat(transform).invert()?;
    let [sx, ky, kx, sy, tx, ty] =
        [to_gradient.sx, to_gradient.ky, to_gradient.kx, to_gradient.sy, to_gradient.tx, to_gradient.ty]
            .map(f64::from);
    let ramp = DitherRamp::new(stops);
    let mut pixmap = Pixmap::new(place.width(), place.height())?;
    let width = place.width() as usize;
    let (pixels, _) = pixmap.data_mut().as_chunks_mut::<4>();
    for (row, y) in pixels.chunks_exact_mut(width).zip(place.top()..) {
        for (pixel, x) in row.iter_mut().zip(place.left()..) {
            let (at_x, at_y) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
            let at = (sx * at_x + kx * at_y + tx, ky * at_x + sy * at_y + ty);
            let Some(t) = field.at(at) else { continue };
            // One threshold for all channels, so that no colour is greater than its alpha.
            let threshold = threshold(x, y);
            *pixel = ramp.color(repeated(t, spread)).map(|n| floor(n * 255.0 + threshold));
        }
    }
    Some(Dithered { pixmap, place })
}

/// The pixels of the picture that a box touches.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "within the picture")]
fn place(covers: Rect, (width, height): (u32, u32)) -> Option<IntRect> {
    let low = |n: f32, most: u32| n.floor().clamp(0.0, most as f32) as i32;
    let high = |n: f32, most: u32| n.ceil().clamp(0.0, most as f32) as i32;
    IntRect::from_ltrb(
        low(covers.left() - 1.0, width),
        low(covers.top() - 1.0, height),
        high(covers.right() + 1.0, width),
        high(covers.bottom() + 1.0, height),
    )
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn floor(n: f64) -> u8 {
    n.clamp(0.0, 255.0) as u8
}

/// Bayer's matrix of 8 x 8 pixels (An optimum method for two-level rendition of continuous-tone pictures,
/// 1973), from 1/128 to 127/128.
fn threshold(x: i32, y: i32) -> f64 {
    let (x, mixed) = (x.cast_unsigned() & 7, (x ^ y).cast_unsigned() & 7);
    // Bits of both in turn, the lowest counts most.
    let spread = |n: u32| (n & 1) << 4 | (n & 2) << 1 | (n & 4) >> 2;
    let rank = spread(mixed) << 1 | spread(x);
    (f64::from(rank) + 0.5) / 64.0
}

/// How far along a gradient a point is.
#[derive(Clone, Copy)]
enum Field {
    /// The start, and the way to the end over the square of its length.
    Linear { start: (f64, f64), along: (f64, f64) },
    /// The focal point and its radius, and from it to the middle and its radius.
    Radial { focus: (f64, f64), radius: f64, way: (f64, f64), growth: f64 },
}

impl Field {
    fn linear(ends: [f32; 4]) -> Option<Self> {
        let [x1, y1, x2, y2] = ends.map(f64::from);
        let (dx, dy) = (x2 - x1, y2 - y1);
        let square = dx * dx + dy * dy;
        (square > 0.0).then_some(Self::Linear { start: (x1, y1), along: (dx / square, dy / square) })
    }

    fn radial(numbers: [f32; 6]) -> Self {
        let [fx, fy, fr, cx, cy, r] = numbers.map(f64::from);
        Self::Radial { focus: (fx, fy), radius: fr, way: (cx - fx, cy - fy), growth: r - fr }
    }

    /// The greatest t whose circle, of a radius of at least 0, goes through the point. SVG 2, section 14.2.3.
    fn at(&self, (x, y): (f64, f64)) -> Option<f64> {
        match *self {
            Self::Linear { start, along } => Some((x - start.0) * along.0 + (y - start.1) * along.1),
            Self::Radial { focus, radius, way, growth } => {
                let (px, py) = (x - focus.0, y - focus.1);
                // a t^2 - 2 b t + c = 0.
                let a = way.0 * way.0 + way.1 * way.1 - growth * growth;
                let b = px * way.0 + py * way.1 + radius * growth;
                let c = px * px + py * py - radius * radius;
                let has_circle = |t: &f64| t.is_finite() && radius + t * growth >= 0.0;
                if a == 0.0 {
                    return Some(c / (2.0 * b)).filter(has_circle);
                }
                let root = (b * b - a * c).max(0.0).sqrt();
                let (one, other) = ((b + root) / a, (b - root) / a);
                let inside = b * b - a * c >= 0.0;
                let (more, less) = (one.max(other), one.min(other));
                Some(more).filter(has_circle).or(Some(less).filter(has_circle)).filter(|_| inside)
            }
        }
    }
}

fn repeated(t: f64, spread: SpreadMode) -> f64 {
    match spread {
        SpreadMode::Pad => t.clamp(0.0, 1.0),
        SpreadMode::Repeat => t - t.floor(),
        SpreadMode::Reflect => {
            let t = t - 2.0 * (t / 2.0).floor();
            if t > 1.0 { 2.0 - t } else { t }
        }
    }
}

/// The stops of a gradient, their offsets in order.
struct DitherRamp(Vec<(f64, [f64; 4])>);

impl DitherRamp {
    fn new(stops: &[Stop]) -> Self {
        let mut before = 0.0;
        Self(
            stops
                .iter()
                .map(|stop| {
                    before = f64::from(stop.at).clamp(before, 1.0);
                    let color = stop.color;
                    (before, [color.red(), color.green(), color.blue(), color.alpha()].map(f64::from))
                })
                .collect(),
        )
    }

    /// The colour at a place, multiplied by its alpha.
    fn color(&self, t: f64) -> [f64; 4] {
        let next = self.0.partition_point(|(at, _)| *at <= t);
        let [red, green, blue, alpha] =
            match (next.checked_sub(1).map(|before| self.0[before]), self.0.get(next)) {
                (Some((from, a)), Some((to, b))) => {
                    let share = (t - from) / (to - from);
                    std::array::from_fn(|at| a[at] + (b[at] - a[at]) * share)
                }
                (Some((_, color)), None) | (None, Some(&(_, color))) => color,
                (None, None) => [0.0; 4],
            };
        [red * alpha, green * alpha, blue * alpha, alpha]
    }
}

#[cfg(test)]
mod tests {
    use tiny_skia::Color;

    use super::*;

    /// Bayer's matrix of twice the size has four copies of it: `4 M`, `4 M + 2` below, `4 M + 3` beside and
    /// `4 M + 1` across.
    fn bayer(x: i32, y: i32, size: i32) -> i32 {
        if size == 1 {
            return 0;
        }
        let half = size / 2;
        let copy = match (x / half, y / half) {
            (0, 0) => 0,
            (0, _) => 2,
            (_, 0) => 3,
            _ => 1,
        };
        4 * bayer(x % half, y % half, half) + copy
    }

    #[test]
    fn thresholds_are_those_of_the_matrix_by_its_recursion() {
        for (x, y) in (0..256).map(|k| (k % 16, k / 16)) {
            let expected = (f64::from(bayer(x % 8, y % 8, 8)) + 0.5) / 64.0;
            assert!((threshold(x, y) - expected).abs() < 1e-12, "{x} {y}");
            assert!((threshold(x - 16, y - 32) - expected).abs() < 1e-12, "{x} {y}");
        }
    }

    /// The greatest t at which a circle between the two goes through a point, by signs on a grid and halving.
    fn by_search([fx, fy, fr, cx, cy, r]: [f64; 6], (x, y): (f64, f64)) -> Option<f64> {
        let off = |t: f64| {
            let (dx, dy) = (x - fx - t * (cx - fx), y - fy - t * (cy - fy));
            (dx * dx + dy * dy).sqrt() - (fr + t * (r - fr))
        };
        let at = |k: i32| f64::from(k) * 0.005;
        let k = (-40_000..40_000).rev().find(|k| (off(at(*k)) <= 0.0) != (off(at(*k + 1)) <= 0.0))?;
        let (mut low, mut high) = (at(k), at(k + 1));
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (off(middle) <= 0.0) == (off(low) <= 0.0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    #[test]
    fn radial_gradients_are_the_greatest_circle_through_a_point() {
        let mut none = 0;
        // Focal points within the circle, beside it, at its border, and circles of one size.
        for numbers in [
            [0.0, 0.0, 0.0, 3.0, 1.0, 5.0],
            [1.0, -2.0, 0.5, 2.0, 1.0, 6.0],
            [0.0, 0.0, 1.0, 6.0, 1.0, 2.0],
            [2.0, 1.0, 2.5, -4.0, 0.0, 0.5],
            [0.0, 0.0, 1.0, 3.0, 0.0, 4.0],
            [0.0, 1.0, 2.0, 5.0, 1.0, 2.0],
        ] {
            let field = Field::radial(numbers.map(|n| n as f32));
            for (k, l) in (0..196).map(|k| (k % 14, k / 14)) {
                let at = (f64::from(k) * 1.37 - 9.1, f64::from(l) * 1.53 - 10.3);
                let (found, expected) = (field.at(at), by_search(numbers, at));
                match (found, expected) {
                    // Beyond what the search sees.
                    (Some(found), _) if found.abs() > 199.0 => {}
                    (Some(found), Some(expected)) => {
                        assert!(
                            (found - expected).abs() < 1e-6 * (1.0 + expected.abs()),
                            "{numbers:?} {at:?}"
                        );
                    }
                    (None, None) => none += 1,
                    _ => panic!("{numbers:?} {at:?}: {found:?} for {expected:?}"),
                }
            }
        }
        assert!(none > 50, "{none}");
    }

    /// SVG 2, section 14.2.4: an offset that is not greater than the one before it is set equal to it.
    #[test]
    fn stops_do_not_go_back() {
        let stop = |at: f32, red: f32| Stop { at, color: Color::from_rgba(red, 0.0, 0.0, 1.0).unwrap() };
        let ramp = DitherRamp::new(&[stop(0.5, 1.0), stop(0.25, 0.0), stop(0.75, 0.5)]);
        for (t, expected) in
            [(0.0, 1.0), (0.3, 1.0), (0.49, 1.0), (0.5, 0.0), (0.625, 0.25), (0.75, 0.5), (1.0, 0.5)]
        {
            assert!((ramp.color(t)[0] - expected).abs() < 1e-9, "{t}: {:?}", ramp.color(t));
        }
    }
}
