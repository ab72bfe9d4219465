//! The assignment problem: pairs rows with columns so that the sum of costs is least (the Hungarian method
//! with potentials, O(rows^2 x columns)).

/// The column of each row. `cost` has one row after the other and at least as many columns as rows; all costs
/// are finite.
pub(super) fn assign(rows: usize, columns: usize, cost: &[f64]) -> Vec<usize> {
    // Rows and columns count from 1; 0 stands for none. After Kuhn and Munkres, in the form that grows one
    // alternating tree a row.
    let mut row_height = vec![0.0; rows + 1];
    let mut column_height = vec![0.0; columns + 1];
    let mut row_of = vec![0_usize; columns + 1];
    let mut way = vec![0_usize; columns + 1];
    let mut least = vec![0.0; columns + 1];
    let mut used = vec![false; columns + 1];
    for row in 1..=rows {
        row_of[0] = row;
        let mut column = 0;
        least.fill(f64::INFINITY);
        used.fill(false);
        while row_of[column] != 0 {
            used[column] = true;
            let at = row_of[column];
            let (mut delta, mut next) = (f64::INFINITY, 0);
            for other in 1..=columns {
                if used[other] {
                    continue;
                }
                let slack = cost[(at - 1) * columns + other - 1] - row_height[at] - column_height[other];
                if slack < least[other] {
                    least[other] = slack;
                    way[other] = column;
                }
                if least[other] < delta {
                    delta = least[other];
                    next = other;
                }
            }
            for other in 0..=columns {
                if used[other] {
                    row_height[row_of[other]] += delta;
                    column_height[other] -= delta;
                } else {
                    least[other] -= delta;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[way[column]];
            column = way[column];
        }
    }
    let mut found = vec![0; rows];
    for column in 1..=columns {
        if row_of[column] != 0 {
            found[row_of[column] - 1] = column - 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least sum over all assignments, by trying them.
    fn brute(rows: usize, columns: usize, cost: &[f64], taken: &mut Vec<usize>) -> f64 {
        let row = taken.len();
        if row == rows {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for column in 0..columns {
            if !taken.contains(&column) {
                taken.push(column);
                best = best.min(cost[row * columns + column] + brute(rows, columns, cost, taken));
                taken.pop();
            }
        }
        best
    }

    #[test]
    fn no_other_pairing_is_cheaper() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64
        };
        for rows in 0..5 {
            for columns in rows..6 {
                for _ in 0..20 {
                    let cost: Vec<f64> = (0..rows * columns).map(|_| (random() % 30.0).floor()).collect();
                    let found = assign(rows, columns, &cost);
                    let sum: f64 =
                        found.iter().enumerate().map(|(row, &column)| cost[row * columns + column]).sum();
                    let mut twice = found.clone();
                    twice.sort_unstable();
                    twice.dedup();
                    assert_eq!(twice.len(), rows, "each column once");
                    assert_eq!(
                        sum,
                        brute(rows, columns, &cost, &mut Vec::new()),
                        "{rows} {columns} {cost:?}"
                    );
                }
            }
        }
    }
}
