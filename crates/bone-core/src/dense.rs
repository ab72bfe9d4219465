//! A small dense symmetric system, as several ends on one tree and the closing of loops need it: Cholesky
//! factorisation in place.

/// Solves `A x = b` for a symmetric positive `A` (row by row), overwriting `A` with its factor and `b` with
/// `x`.
///
/// A pivot that is not above `floor` is replaced by `floor`. So a matrix that is singular in one direction
/// gives a bounded result in the others.
pub(crate) fn solve(a: &mut [f64], b: &mut [f64], floor: f64) {
    let n = b.len();
    for j in 0..n {
        let mut pivot = a[j * n + j];
        for k in 0..j {
            pivot -= a[j * n + k] * a[j * n + k];
        }
        let pivot = if pivot > floor { pivot } else { floor }.sqrt();
        a[j * n + j] = pivot;
        for i in j + 1..n {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = sum / pivot;
        }
    }
    for i in 0..n {
        let mut sum = b[i];
        for k in 0..i {
            sum -= a[i * n + k] * b[k];
        }
        b[i] = sum / a[i * n + i];
    }
    for i in (0..n).rev() {
        let mut sum = b[i];
        for k in i + 1..n {
            sum -= a[k * n + i] * b[k];
        }
        b[i] = sum / a[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_nalgebra(values in prop::collection::vec(-1.0..1.0_f64, 36), right in prop::collection::vec(-5.0..5.0_f64, 6)) {
            let half = DMatrix::from_row_slice(6, 6, &values);
            let full = &half * half.transpose() + DMatrix::identity(6, 6) * 0.1;
            let expected = full.clone().lu().solve(&DVector::from_vec(right.clone())).expect("it is positive");
            let (mut a, mut x) = (full.as_slice().to_vec(), right);
            solve(&mut a, &mut x, 1e-12);
            for i in 0..6 {
                prop_assert!((x[i] - expected[i]).abs() < 1e-9 * (1.0 + expected[i].abs()));
            }
        }
    }
}
