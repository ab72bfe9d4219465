//! The colours of weights: from dark for 0 to bright for 1, so that brightness alone distinguishes them.

/// Steps of colour between 0 and 1.
pub(super) const STEPS: usize = 24;

/// Evenly between 0 and 1, as red, green and blue.
const STOPS: [[f64; 3]; 6] = [
    [30.0, 22.0, 70.0],
    [88.0, 30.0, 122.0],
    [176.0, 44.0, 108.0],
    [232.0, 92.0, 62.0],
    [250.0, 170.0, 44.0],
    [255.0, 246.0, 176.0],
];

/// The step of a weight.
pub(super) fn step(weight: f64) -> usize {
    // The conversion saturates.
    ((weight.clamp(0.0, 1.0) * (STEPS - 1) as f64).round() as usize).min(STEPS - 1)
}

/// The colour of a step.
pub(super) fn colour(step: usize) -> String {
    let at = step as f64 / (STEPS - 1) as f64 * (STOPS.len() - 1) as f64;
    let low = (at.floor() as usize).min(STOPS.len() - 2);
    let part = at - low as f64;
    let [red, green, blue] =
        std::array::from_fn(|i| (STOPS[low][i] * (1.0 - part) + STOPS[low + 1][i] * part).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_weight_is_brighter() {
        let light = |step: usize| {
            let text = colour(step);
            let part = |at: usize| u32::from_str_radix(&text[at..at + 2], 16).expect("a colour");
            299 * part(1) + 587 * part(3) + 114 * part(5)
        };
        assert!((1..STEPS).all(|i| light(i) > light(i - 1)));
        assert_eq!((step(-1.0), step(f64::NAN), step(2.0)), (0, 0, STEPS - 1));
    }
}
