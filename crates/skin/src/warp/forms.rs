//! Forms at places of a grid of parameters: how much of each form a moment has.

use bone_archive::{Archive, ArchiveError, Reader, Writer, archive};

/// One axis of a grid: the values of a parameter at which there are forms, rising.
#[derive(Clone, Debug, PartialEq)]
pub struct FormAxis {
    /// The number of the parameter.
    pub parameter: usize,
    /// Two values and more.
    pub places: Vec<f64>,
}

/// Forms on a grid of up to four parameters.
///
/// Along each axis values are interpolated by cubics whose slope at a place is that of the parabola through it and
/// the places on both sides, at the ends through the nearest three: three places are one parabola. The grid is the
/// tensor product. All of this is linear in the forms, so a moment is a weight for each of them.
#[derive(Clone, Debug, PartialEq)]
pub struct FormGrid {
    axes: Vec<FormAxis>,
    /// The forms that are added at each place, the last axis fastest; none where everything is at rest.
    places: Vec<Vec<u32>>,
}

/// The weights of up to four places of an axis, from the first.
type AxisWeights = (usize, [f64; 4]);

/// The slope at a place of the parabola through three, as the weight of each of these; and the first of them.
fn parabola(places: &[f64], at: usize) -> (usize, [f64; 3]) {
    let first = at.saturating_sub(1).min(places.len() - 3);
    let [a, b, c] = [places[first], places[first + 1], places[first + 2]];
    let x = places[at];
    let slope = |x0: f64, x1: f64, x2: f64| ((x - x1) + (x - x2)) / ((x0 - x1) * (x0 - x2));
    (first, [slope(a, b, c), slope(b, a, c), slope(c, a, b)])
}

impl FormAxis {
    /// The weights of places at a value; beyond the ends those of the ends.
    fn weights(&self, value: f64) -> AxisWeights {
        let places = &self.places;
        let last = places.len() - 1;
        let value = value.max(places[0]).min(places[last]);
        let k = places.partition_point(|place| *place <= value).clamp(1, last) - 1;
        let run = places[k + 1] - places[k];
        let s = (value - places[k]) / run;
        let r = 1.0 - s;
        let mut weights = [0.0; 4];
        if last == 1 {
            weights[..2].copy_from_slice(&[r, s]);
            return (0, weights);
        }
        let first = parabola(places, k).0;
        weights[k - first] += r * r * (1.0 + 2.0 * s);
        weights[k + 1 - first] += s * s * (3.0 - 2.0 * s);
        for (end, share) in [(k, run * s * r * r), (k + 1, -run * s * s * r)] {
            let (from, slopes) = parabola(places, end);
            slopes.iter().enumerate().for_each(|(at, slope)| weights[from - first + at] += slope * share);
        }
        (first, weights)
    }
}

impl FormGrid {
    /// The greatest number of axes.
    pub const MOST_AXES: usize = 4;

    /// A grid; none if an axis has fewer than two rising places, there are no axes or too many, or not one list of
    /// forms for each place.
    pub fn new(axes: Vec<FormAxis>, places: Vec<Vec<u32>>) -> Option<Self> {
        let rises = |axis: &FormAxis| {
            axis.places.len() >= 2
                && axis.places.iter().all(|place| place.is_finite())
                && axis.places.is_sorted_by(|a, b| a < b)
        };
        let count = axes.iter().try_fold(1_usize, |count, axis| count.checked_mul(axis.places.len()))?;
        let is_sound =
            (1..=Self::MOST_AXES).contains(&axes.len()) && axes.iter().all(rises) && count == places.len();
        is_sound.then_some(Self { axes, places })
    }

    /// The axes.
    pub fn axes(&self) -> &[FormAxis] {
        &self.axes
    }

    /// Whether all forms and parameters are among so many.
    pub(crate) fn fits(&self, forms: usize, parameters: usize) -> bool {
        self.axes.iter().all(|axis| axis.parameter < parameters)
            && self.places.iter().flatten().all(|form| (*form as usize) < forms)
    }

    /// Adds the weights of its forms at values of the parameters.
    pub(crate) fn add_weights(&self, value: impl Fn(usize) -> f64, weights: &mut [f64]) {
        let mut axes = [(0, [1.0, 0.0, 0.0, 0.0]); Self::MOST_AXES];
        let mut strides = [0; Self::MOST_AXES];
        let mut stride = 1;
        for (at, axis) in self.axes.iter().enumerate().rev() {
            (axes[at], strides[at]) = (axis.weights(value(axis.parameter)), stride);
            stride *= axis.places.len();
        }
        // The digits of a number of base 4 are the places of the axes.
        for number in 0..4_usize.pow(self.axes.len() as u32) {
            let (mut share, mut place, mut digits) = (1.0, 0, number);
            for (at, (first, weights)) in axes[..self.axes.len()].iter().enumerate() {
                share *= weights[digits % 4];
                place += strides[at] * (first + digits % 4);
                digits /= 4;
            }
            if share != 0.0 {
                let forms = self.places.get(place).into_iter().flatten();
                forms.for_each(|form| weights[*form as usize] += share);
            }
        }
    }
}

archive!(struct FormAxis { parameter, places });

impl Archive for FormGrid {
    fn write(&self, to: &mut Writer) {
        (&self.axes, &self.places).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (axes, places) = Archive::read(from)?;
        Self::new(axes, places).ok_or_else(|| from.invalid("grid of forms"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn axis(places: &[f64]) -> FormAxis {
        FormAxis { parameter: 0, places: places.to_vec() }
    }

    fn value(axis: &FormAxis, at: f64, of: impl Fn(f64) -> f64) -> f64 {
        let (first, weights) = axis.weights(at);
        let known = axis.places.iter().skip(first).zip(weights);
        known.map(|(place, weight)| of(*place) * weight).sum()
    }

    proptest! {
        #[test]
        fn parabolas_are_exact_and_places_are_met(
            mut places in prop::collection::vec(-50.0..50.0_f64, 3..7),
            (a, b, c) in (-3.0..3.0_f64, -3.0..3.0_f64, -3.0..3.0_f64),
            share in 0.0..1.0_f64,
        ) {
            places.sort_by(f64::total_cmp);
            places.dedup_by(|a, b| (*a - *b).abs() < 0.5);
            prop_assume!(places.len() >= 3);
            let axis = axis(&places);
            let of = |x: f64| a + b * x + c * x * x;
            let at = places[0] + share * (places[places.len() - 1] - places[0]);
            prop_assert!((value(&axis, at, of) - of(at)).abs() < 1e-6, "{at}");
            for place in &places {
                let bump = |x: f64| f64::from(u8::from(x == *place));
                prop_assert!((value(&axis, *place, bump) - 1.0).abs() < 1e-9);
            }
            let (_, weights) = axis.weights(at);
            prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn slopes_are_continuous_and_ends_hold() {
        let axis = axis(&[-30.0, -10.0, 0.0, 5.0, 30.0]);
        let of = |x: f64| (x * 1.7).rem_euclid(11.0);
        for place in [-10.0, 0.0, 5.0] {
            let h = 1e-6;
            let slope = |at: f64| (value(&axis, at + h, of) - value(&axis, at - h, of)) / (2.0 * h);
            assert!((slope(place - 2.0 * h) - slope(place + 2.0 * h)).abs() < 1e-4, "{place}");
        }
        assert_eq!(value(&axis, -90.0, of), of(-30.0));
        assert_eq!(value(&axis, 1e300, of), of(30.0));
        assert!(!value(&axis, f64::NAN, of).is_nan());
    }

    #[test]
    fn a_grid_is_the_product_of_its_axes() {
        let axes = vec![
            FormAxis { parameter: 0, places: vec![-1.0, 0.0, 2.0] },
            FormAxis { parameter: 1, places: vec![0.0, 1.0] },
        ];
        let places: Vec<Vec<u32>> = (0..6).map(|form| vec![form]).collect();
        let grid = FormGrid::new(axes, places).expect("a grid");
        let (x, y) = (0.7, 0.25);
        let mut weights = [0.0; 6];
        grid.add_weights(|parameter| [x, y][parameter], &mut weights);
        // Lagrange's parabola through -1, 0 and 2.
        let along = [x * (x - 2.0) / 3.0, (x + 1.0) * (x - 2.0) / -2.0, (x + 1.0) * x / 6.0];
        for (at, along) in along.into_iter().enumerate() {
            assert!((weights[2 * at] - along * (1.0 - y)).abs() < 1e-12);
            assert!((weights[2 * at + 1] - along * y).abs() < 1e-12);
        }
    }
}
