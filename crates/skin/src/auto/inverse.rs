//! Inverse distances (Shepard 1968, "A two-dimensional interpolation function for irregularly-spaced data"): a
//! closed formula without a mesh, as point handles have it in "Skinning Cubic Bezier Splines" (Liu et al. 2014).

use kurbo::Point;

use super::segment::LineSegment;

/// The greatest power: with more, each point follows its nearest bone alone.
const MOST: f64 = 64.0;
/// The power in place of one that is not usable.
const USUAL: f64 = 2.0;

/// Bones on the canvas, and the power of their distances.
#[derive(Clone, Debug)]
pub(crate) struct InverseDistance {
    bones: Vec<LineSegment>,
    power: f64,
}

impl InverseDistance {
    pub(crate) fn new(bones: Vec<LineSegment>, power: f64) -> Self {
        let power = if power > 0.0 { power.min(MOST) } else { USUAL };
        Self { bones, power }
    }

    /// `(d / d_i)^power` over their sum, `d` the distance to the nearest bone. Bones at the distance 0 share
    /// the weight.
    pub(crate) fn weights(&self, p: Point, out: &mut [f64]) {
        let mut least = f64::INFINITY;
        for (weight, bone) in out.iter_mut().zip(&self.bones) {
            *weight = bone.nearest(p).1;
            least = least.min(*weight);
        }
        let mut sum = 0.0;
        for weight in out.iter_mut() {
            *weight = if *weight <= least { 1.0 } else { power(least / *weight, self.power) };
            sum += *weight;
        }
        out.iter_mut().for_each(|weight| *weight /= sum);
    }
}

/// A number up to 1 to a power above 0, by squares and square roots alone: the same bits on every machine.
fn power(base: f64, exponent: f64) -> f64 {
    let (mut whole, mut fraction) = (exponent as u32, exponent.fract());
    let (mut result, mut square, mut root) = (1.0, base, base);
    while whole > 0 {
        if whole % 2 == 1 {
            result *= square;
        }
        square *= square;
        whole /= 2;
    }
    while fraction > 0.0 {
        root = root.sqrt();
        fraction *= 2.0;
        if fraction >= 1.0 {
            result *= root;
            fraction -= 1.0;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_libm() {
        for base in [1.0, 0.9, 0.5, 1e-3, 1e-9, 0.0] {
            for exponent in [0.1, 0.5, 1.0, 1.7, 2.0, 2.5, 3.0, 7.3, 64.0] {
                let (found, expected) = (power(base, exponent), libm::pow(base, exponent));
                assert!((found - expected).abs() <= 1e-14 * expected, "{base} {exponent}: {found}");
            }
        }
    }

    #[test]
    fn weights_are_inverse_powers_of_distances() {
        let pin = |x: f64| LineSegment { origin: Point::new(x, 0.0), tip: Point::new(x, 0.0) };
        let bone = LineSegment { origin: Point::new(0.0, 8.0), tip: Point::new(50.0, 8.0) };
        let mut weights = [0.0; 3];
        for power in [1.0, 2.0, 3.5, 60.0] {
            let field = InverseDistance::new(vec![pin(0.0), pin(10.0), bone], power);
            field.weights(Point::new(4.0, 0.0), &mut weights);
            let inverse = [4.0, 6.0, 8.0].map(|d: f64| 1.0 / libm::pow(d, power));
            let sum: f64 = inverse.iter().sum();
            for (weight, inverse) in weights.iter().zip(inverse) {
                assert!((weight - inverse / sum).abs() < 1e-15, "{power}: {weights:?}");
            }
            field.weights(Point::new(10.0, 0.0), &mut weights);
            assert_eq!(weights, [0.0, 1.0, 0.0]);
        }
    }

    #[test]
    fn powers_that_are_no_powers_are_the_usual_one() {
        let pins = [0.0, 10.0].map(|x| LineSegment { origin: Point::new(x, 0.0), tip: Point::new(x, 0.0) });
        let at = |power| {
            let mut weights = [0.0; 2];
            InverseDistance::new(pins.to_vec(), power).weights(Point::new(4.0, 3.0), &mut weights);
            weights
        };
        assert_eq!([f64::NAN, -1.0, 0.0].map(at), [at(2.0); 3]);
        assert_eq!(at(1e300), at(MOST));
    }
}
