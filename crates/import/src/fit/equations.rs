//! Least squares for a curve of cubic pieces: the normal equations of one piece, and of a few knots together.

/// The largest number of free knots that are solved for together.
pub(super) const MOST_FREE: usize = 6;

/// The normal equations of one piece for its four numbers: values and slopes at both ends, the slopes per
/// piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceEquations {
    /// The lower half.
    pub(super) square: [[f64; 4]; 4],
    pub(super) right: [f64; 4],
}

impl PieceEquations {
    /// The equations of a piece from its samples, both ends included.
    pub(super) fn of(samples: &[f64], weights: &[f64]) -> Self {
        let run = (samples.len() - 1) as f64;
        let (weighed, valued) = moments(samples, weights, run);
        // The coefficients of the Hermite polynomials.
        const POWERS: [[f64; 4]; 4] =
            [[1.0, 0.0, -3.0, 2.0], [0.0, 1.0, -2.0, 1.0], [0.0, 0.0, 3.0, -2.0], [0.0, 0.0, -1.0, 1.0]];
        let sum = |factors: &[f64; 4], of: &[f64]| (0..4).map(|k| factors[k] * of[k]).sum::<f64>();
        let (mut square, mut right) = ([[0.0; 4]; 4], [0.0; 4]);
        for i in 0..4 {
            right[i] = sum(&POWERS[i], &valued);
            let row: [f64; 4] = std::array::from_fn(|k| sum(&POWERS[i], &weighed[k..]));
            for j in 0..=i {
                square[i][j] = sum(&POWERS[j], &row);
            }
        }
        // The weight of straightness: it decides what the samples leave undetermined and is too small to be
        // visible.
        let weight = 1e-6 * weighed[0] / samples.len() as f64;
        for factors in [[1.0, 1.0, -1.0, 0.0], [1.0, 0.0, -1.0, 1.0]] {
            for i in 0..4 {
                for j in 0..=i {
                    square[i][j] += factors[i] * factors[j] * weight;
                }
            }
        }
        Self { square, right }
    }
}

/// Sums of weights, and of weighted values, times powers of the parameter, in independent lanes.
fn moments(samples: &[f64], weights: &[f64], run: f64) -> ([f64; 7], [f64; 4]) {
    const LANES: usize = 4;
    let (mut weighed, mut valued) = ([[0.0; LANES]; 7], [[0.0; LANES]; 4]);
    let mut add = |first: usize, values: &[f64; LANES], weights: &[f64; LANES]| {
        for lane in 0..LANES {
            let u = f64::from((first + lane) as u32) / run;
            let mut part = weights[lane];
            for sum in &mut weighed {
                sum[lane] += part;
                part *= u;
            }
            let mut part = weights[lane] * values[lane];
            for sum in &mut valued {
                sum[lane] += part;
                part *= u;
            }
        }
    };
    let ((values, rest), (whole, last)) = (samples.as_chunks(), weights.as_chunks());
    for (at, (values, weights)) in values.iter().zip(whole).enumerate() {
        add(at * LANES, values, weights);
    }
    // Missing entries at the end have the weight 0.
    let filled = |rest: &[f64]| std::array::from_fn(|lane| rest.get(lane).copied().unwrap_or_default());
    add(values.len() * LANES, &filled(rest), &filled(last));
    let all = |lanes: [f64; LANES]| (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    (weighed.map(all), valued.map(all))
}

const SIZE: usize = 2 * MOST_FREE;

/// The normal equations of a few knots, solved by Cholesky factorisation.
pub(super) struct NormalEquations {
    size: usize,
    matrix: [[f64; SIZE]; SIZE],
    right: [f64; SIZE],
}

impl NormalEquations {
    pub(super) fn new(knots: usize) -> Self {
        Self { size: 2 * knots, matrix: [[0.0; SIZE]; SIZE], right: [0.0; SIZE] }
    }

    /// Adds the normal equations of a piece, given by their lower half. Known numbers go to the right-hand
    /// side.
    pub(super) fn add(
        &mut self,
        unknown: &[Option<usize>; 4],
        scales: &[f64; 4],
        known: &[f64; 4],
        square: &[[f64; 4]; 4],
        right: &[f64; 4],
    ) {
        let factor = |i: usize, j: usize| square[i.max(j)][i.min(j)];
        for i in 0..4 {
            let Some(row) = unknown[i] else { continue };
            let taken: f64 = (0..4).filter(|&j| unknown[j].is_none()).map(|j| factor(i, j) * known[j]).sum();
            self.right[row] += (right[i] - taken) * scales[i];
            for j in 0..4 {
                if let Some(column) = unknown[j].filter(|&column| column <= row) {
                    self.matrix[row][column] += factor(i, j) * scales[i] * scales[j];
                }
            }
        }
    }

    pub(super) fn solve(mut self) -> Option<[f64; SIZE]> {
        let n = self.size;
        for i in 0..n {
            for j in 0..=i {
                let mut sum = self.matrix[i][j];
                for k in 0..j {
                    sum -= self.matrix[i][k] * self.matrix[j][k];
                }
                if i == j {
                    if sum.is_nan() || sum <= 0.0 {
                        return None;
                    }
                    self.matrix[i][i] = sum.sqrt();
                } else {
                    self.matrix[i][j] = sum / self.matrix[j][j];
                }
            }
        }
        let mut x = self.right;
        for i in 0..n {
            for k in 0..i {
                x[i] -= self.matrix[i][k] * x[k];
            }
            x[i] /= self.matrix[i][i];
        }
        for i in (0..n).rev() {
            for k in i + 1..n {
                x[i] -= self.matrix[k][i] * x[k];
            }
            x[i] /= self.matrix[i][i];
        }
        x.iter().all(|value| value.is_finite()).then_some(x)
    }
}
