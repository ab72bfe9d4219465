//! Tint and shade: what groups make of the colours in them. In straight sRGB, each component apart.

/// What makes a colour of another: each component, from 0 to 255, is multiplied, and then a number is added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColorMap {
    /// The factors of red, green and blue.
    pub multiply: [f64; 3],
    /// What is added to them.
    pub add: [f64; 3],
}

/// A tint and a shade: red, green and blue of each.
pub type TintValues = [f64; 6];

impl ColorMap {
    /// Every colour stays.
    pub const IDENTITY: Self = Self { multiply: [1.0; 3], add: [0.0; 3] };

    /// White becomes the tint, black the shade: c becomes shade + c (tint - shade) / 255.
    pub fn of(values: &TintValues) -> Self {
        let level = |value: f64, rest: f64| if value.is_finite() { value.clamp(0.0, 255.0) } else { rest };
        let [tint, shade] = [(0, 255.0), (3, 0.0)]
            .map(|(first, rest)| std::array::from_fn::<f64, 3, _>(|at| level(values[first + at], rest)));
        Self { multiply: std::array::from_fn(|at| (tint[at] - shade[at]) / 255.0), add: shade }
    }

    /// This map after another one.
    #[must_use]
    pub fn after(&self, inner: &Self) -> Self {
        Self {
            multiply: std::array::from_fn(|at| self.multiply[at] * inner.multiply[at]),
            add: self.apply(inner.add),
        }
    }

    /// The colour that it makes of a colour.
    pub fn apply(&self, color: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|at| self.multiply[at] * color[at] + self.add[at])
    }

    /// Whether every colour stays.
    pub fn is_identity(&self) -> bool {
        *self == Self::IDENTITY
    }
}

impl Default for ColorMap {
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_becomes_the_tint_and_black_the_shade() {
        let map = ColorMap::of(&[255.0, 128.0, 64.0, 0.0, 16.0, 64.0]);
        assert_eq!(map.apply([255.0; 3]), [255.0, 128.0, 64.0]);
        assert_eq!(map.apply([0.0; 3]), [0.0, 16.0, 64.0]);
        assert!(ColorMap::of(&[255.0, 400.0, f64::NAN, -9.0, 0.0, f64::INFINITY]).is_identity());
    }

    /// Two groups in each other are the formula used twice.
    #[test]
    fn an_outer_map_takes_what_the_inner_one_makes() {
        let (inner, outer) = ([200.0, 180.0, 90.0, 20.0, 0.0, 50.0], [250.0, 60.0, 255.0, 0.0, 40.0, 10.0]);
        let by_hand = |values: [f64; 6], color: [f64; 3]| {
            let [r, g, b, x, y, z] = values;
            [x + color[0] * (r - x) / 255.0, y + color[1] * (g - y) / 255.0, z + color[2] * (b - z) / 255.0]
        };
        let together = ColorMap::of(&outer).after(&ColorMap::of(&inner));
        for color in [[0.0, 128.0, 255.0], [12.0, 250.0, 77.0]] {
            let expected = by_hand(outer, by_hand(inner, color));
            for (a, b) in together.apply(color).into_iter().zip(expected) {
                assert!((a - b).abs() < 1e-12, "{a} {b}");
            }
        }
    }
}
