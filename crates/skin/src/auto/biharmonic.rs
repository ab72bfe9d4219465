//! Bounded biharmonic weights: the smoothest ones within [0, 1] that are 1 on their own bone and 0 on the
//! others. Pieces of the drawing without a bone are not changed.

use std::sync::atomic::{AtomicBool, Ordering};

use super::laplacian::Laplacian;
use super::mesh::Mesh;
use super::seeds::SeedAssignment;
use crate::sparse::{Factor, Sparse, dissect};

/// Iterations after which a descent ends.
const ROUNDS: usize = 200;
/// Rounds without progress after which the exchange of bounds ends.
const PATIENCE: usize = 8;
/// Tolerance for a weight of 0, and for a gradient in units of the energy's diagonal.
const ZERO: f64 = 1e-12;

/// A decrease of the energy that is rounding, and the greatest remaining step with which a descent then ends.
const STALLED: f64 = 1e-11;
const NEAR: f64 = 1e-4;

/// The status of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SolveStatus {
    /// Optimal to rounding.
    Solved,
    /// Within the bounds, but not proven optimal.
    Stopped,
    /// Not solved; the weights are not changed.
    Failed,
}

/// Minimises `1/2 sum W^T K M^-1 K W` with `0 <= W <= 1` (Jacobson et al. 2011, eqs. 3 to 6), one bone at a
/// time.
///
/// `weights` has one row for each vertex and is overwritten where the piece has a bone. `free` marks vertices
/// that no bone holds, none if it is empty. It ends after a bone if `cancel` is set.
pub(crate) fn solve(
    cancel: &AtomicBool,
    (mesh, laplacian): (&Mesh, &Laplacian),
    (seeds, free): (&SeedAssignment, &[bool]),
    bones: usize,
    weights: &mut [f64],
) -> SolveStatus {
    let energy = bilaplacian(laplacian, mesh.edge * mesh.edge);
    let mut handles = handles(mesh, seeds, bones);
    let held = |v: &&u32| !free.get(**v as usize).is_some_and(|free| *free);
    let fewer: Vec<u32> = handles.iter().filter(held).copied().collect();
    // A bone without a handle would have no weight.
    let mut counts = vec![[false; 2]; bones];
    for (list, which) in [(&handles, 0), (&fewer, 1)] {
        for v in list {
            seeds.of(*v as usize).iter().for_each(|bone| counts[*bone as usize][which] = true);
        }
    }
    if counts.iter().all(|[all, some]| all == some) {
        handles = fewer;
    }
    let mut held = vec![false; mesh.points.len()];
    handles.iter().for_each(|&v| held[mesh.pieces[v as usize] as usize] = true);
    let mut kinds: Vec<VertexKind> = mesh
        .pieces
        .iter()
        .map(|&p| if held[p as usize] { VertexKind::Free } else { VertexKind::Absent })
        .collect();
    handles.iter().for_each(|&v| kinds[v as usize] = VertexKind::Handle);
    let order = dissect(&energy, &mesh.points);
    let problem = Problem { energy: &energy, order: &order, kinds: &kinds };
    // Without bounds the factor is the same for all bones: it gives the first guess.
    let Some(unbounded) = Factor::new(&energy, problem.free(|_| true)) else { return SolveStatus::Failed };
    let mut status = SolveStatus::Solved;
    for bone in 0..bones {
        if cancel.load(Ordering::Relaxed) {
            return SolveStatus::Stopped;
        }
        let mut column = vec![0.0; mesh.points.len()];
        for &v in &handles {
            let near = seeds.of(v as usize);
            if near.contains(&(bone as u32)) {
                column[v as usize] = 1.0 / near.len() as f64;
            }
        }
        if column.iter().any(|&w| w > 0.0) && !problem.minimise(&unbounded, &mut column) {
            status = SolveStatus::Stopped;
        }
        for (v, &w) in column.iter().enumerate().filter(|&(v, _)| kinds[v] != VertexKind::Absent) {
            weights[v * bones + bone] = w;
        }
    }
    status
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VertexKind {
    Free,
    Handle,
    /// In a piece without a bone.
    Absent,
}

/// `K M^-1 K`, with masses in units that make it dimensionless.
fn bilaplacian(laplacian: &Laplacian, unit: f64) -> Sparse {
    let k = &laplacian.stiffness;
    let n = k.len();
    let mut q = Sparse { starts: vec![0; n + 1], ..Sparse::default() };
    let mut sums = vec![0.0; n];
    let mut seen = vec![usize::MAX; n];
    let mut columns: Vec<u32> = Vec::new();
    for i in 0..n {
        columns.clear();
        for (j, a) in k.row(i) {
            let a = a * unit / laplacian.masses[j];
            for (l, b) in k.row(j) {
                if seen[l] != i {
                    seen[l] = i;
                    sums[l] = 0.0;
                    columns.push(l as u32);
                }
                sums[l] += a * b;
            }
        }
        columns.sort_unstable();
        q.columns.extend(&columns);
        q.values.extend(columns.iter().map(|&l| sums[l as usize]));
        q.starts[i + 1] = q.columns.len() as u32;
    }
    q
}

/// Vertices with fixed weights: those on bones, and for a bone without any, those nearest to it.
fn handles(mesh: &Mesh, seeds: &SeedAssignment, bones: usize) -> Vec<u32> {
    // The distance up to which each bone has handles.
    let mut reach = vec![f64::INFINITY; bones];
    let here = |v: u32| (seeds.distances[v as usize], seeds.of(v as usize));
    let vertices = 0..mesh.points.len() as u32;
    for (distance, near) in vertices.clone().map(here) {
        near.iter().for_each(|&b| reach[b as usize] = reach[b as usize].min(distance));
    }
    let on = mesh.edge * 1e-3;
    reach.iter_mut().for_each(|r| *r = if *r <= on { on } else { *r + mesh.edge * 0.5 });
    vertices
        .filter(|&v| {
            let (distance, near) = here(v);
            near.iter().any(|&b| distance <= reach[b as usize])
        })
        .collect()
}

/// The active bound of a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActiveBound {
    Neither,
    Lower,
    Upper,
}

struct Problem<'a> {
    energy: &'a Sparse,
    order: &'a [u32],
    kinds: &'a [VertexKind],
}

impl Problem<'_> {
    /// Free unknowns that pass a test, in the order of elimination.
    fn free(&self, test: impl Fn(usize) -> bool) -> Vec<u32> {
        let free = |v: &u32| self.kinds[*v as usize] == VertexKind::Free && test(*v as usize);
        self.order.iter().copied().filter(free).collect()
    }

    /// Minimises the energy over the unknowns of the factor, all others fixed.
    fn settle(&self, factor: &Factor, x: &mut [f64]) {
        let unknowns = factor.order();
        let mut right = vec![0.0; x.len()];
        unknowns.iter().for_each(|&v| x[v as usize] = 0.0);
        for &v in unknowns {
            right[v as usize] = -self.slope(v as usize, x);
        }
        factor.solve(&mut right);
        unknowns.iter().for_each(|&v| x[v as usize] = right[v as usize]);
    }

    /// The derivative of the energy by one weight.
    fn slope(&self, v: usize, x: &[f64]) -> f64 {
        self.energy.row(v).map(|(j, a)| a * x[j]).sum()
    }

    /// The largest coefficient in a row: the diagonal.
    fn stiffest(&self, v: usize) -> f64 {
        self.energy.row(v).map(|(_, a)| a).fold(0.0, f64::max)
    }

    /// Whether the minimum was found.
    fn minimise(&self, unbounded: &Factor, x: &mut [f64]) -> bool {
        self.settle(unbounded, x);
        let solved = self.exchange(x) || {
            clamp(x);
            self.descend(x)
        };
        clamp(x);
        solved
    }

    /// Exchanges weights that violate a bound with bounds whose multiplier has the wrong sign, until neither
    /// is left: block principal pivoting (Judice and Pires 1994, "A block principal pivoting algorithm for
    /// large-scale strictly monotone linear complementarity problems"). It is fast, but may cycle, and then
    /// ends.
    fn exchange(&self, x: &mut [f64]) -> bool {
        let mut bounds = vec![ActiveBound::Neither; x.len()];
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        loop {
            let wrong = self.wrong(&bounds, x);
            if wrong.is_empty() {
                return true;
            }
            if wrong.len() < fewest {
                (fewest, patience) = (wrong.len(), PATIENCE);
            } else if patience > 0 {
                patience -= 1;
            } else {
                return false;
            }
            wrong.into_iter().for_each(|(v, bound)| bounds[v] = bound);
            for (x, bound) in x.iter_mut().zip(&bounds) {
                match bound {
                    ActiveBound::Neither => {}
                    ActiveBound::Lower => *x = 0.0,
                    ActiveBound::Upper => *x = 1.0,
                }
            }
            if !self.settle_free(&bounds, x) {
                return false;
            }
        }
    }

    /// A descent within the bounds: Newton steps over the free weights, projected onto the bounds (Bertsekas
    /// 1982, "Projected Newton methods for optimization problems with simple constraints"). Ends at the
    /// minimum, or where the rest is rounding.
    fn descend(&self, x: &mut [f64]) -> bool {
        let mut bounds = vec![ActiveBound::Neither; x.len()];
        for _ in 0..ROUNDS {
            for v in 0..x.len() {
                let slack = ZERO * self.stiffest(v);
                bounds[v] = match x[v] {
                    0.0 if self.slope(v, x) >= -slack => ActiveBound::Lower,
                    1.0 if self.slope(v, x) <= slack => ActiveBound::Upper,
                    _ => ActiveBound::Neither,
                };
            }
            let mut goal = x.to_vec();
            if !self.settle_free(&bounds, &mut goal) {
                return false;
            }
            if self.wrong(&bounds, &goal).is_empty() {
                x.copy_from_slice(&goal);
                return true;
            }
            let towards = |step: f64| -> Vec<f64> {
                x.iter().zip(&goal).map(|(x, g)| (x + (g - x) * step).clamp(0.0, 1.0)).collect()
            };
            let tried = (0..24).map(|k| towards(0.5_f64.powi(k))).map(|y| (self.energy(&y), y));
            let Some((least, best)) = tried.min_by(|a, b| a.0.total_cmp(&b.0)) else { return false };
            let energy = self.energy(x);
            let reach = x.iter().zip(&goal).map(|(x, g)| (g.clamp(0.0, 1.0) - x).abs()).fold(0.0, f64::max);
            if energy - least <= STALLED * energy && reach <= NEAR {
                return true;
            }
            if least >= energy {
                return false;
            }
            x.copy_from_slice(&best);
        }
        false
    }

    fn energy(&self, x: &[f64]) -> f64 {
        (0..x.len()).filter(|&v| x[v] != 0.0).map(|v| x[v] * self.slope(v, x)).sum()
    }

    fn settle_free(&self, bounds: &[ActiveBound], x: &mut [f64]) -> bool {
        let free = self.free(|v| bounds[v] == ActiveBound::Neither);
        let factor = Factor::new(self.energy, free);
        factor.map(|factor| self.settle(&factor, x)).is_some()
    }

    /// The bounds to change, with their new values.
    fn wrong(&self, bounds: &[ActiveBound], x: &[f64]) -> Vec<(usize, ActiveBound)> {
        let free = (0..x.len()).filter(|&v| self.kinds[v] == VertexKind::Free);
        let change = |v: usize| match bounds[v] {
            ActiveBound::Neither if x[v] < -ZERO => Some(ActiveBound::Lower),
            ActiveBound::Neither if x[v] > 1.0 + ZERO => Some(ActiveBound::Upper),
            ActiveBound::Lower if self.slope(v, x) < -ZERO * self.stiffest(v) => Some(ActiveBound::Neither),
            ActiveBound::Upper if self.slope(v, x) > ZERO * self.stiffest(v) => Some(ActiveBound::Neither),
            _ => None,
        };
        free.filter_map(|v| change(v).map(|bound| (v, bound))).collect()
    }
}

fn clamp(x: &mut [f64]) {
    x.iter_mut().for_each(|w| *w = w.clamp(0.0, 1.0));
}

#[cfg(test)]
mod tests {
    use kurbo::{BezPath, Point};

    use super::*;
    use crate::auto::interior::Interior;
    use crate::auto::outline::Outlines;
    use crate::auto::segment::LineSegment;
    use crate::{CoveredShape, WindingRule};

    struct Case {
        mesh: Mesh,
        laplacian: Laplacian,
        seeds: SeedAssignment,
        bones: usize,
    }

    fn case(svg: &str, lines: &[[f64; 4]], triangles: usize) -> Case {
        let path = BezPath::from_svg(svg).expect("a path");
        let shape = CoveredShape { path: &path, fill: Some(WindingRule::NonZero), stroke_width: 0.0 };
        let outlines = Outlines::new(&[shape], &[], &mut Vec::new()).expect("an extent");
        let at = |x, y| outlines.frame.apply(Point::new(x, y));
        let bones: Vec<LineSegment> =
            lines.iter().map(|l| LineSegment { origin: at(l[0], l[1]), tip: at(l[2], l[3]) }).collect();
        let interior = Interior::new(&outlines, triangles, 0.0);
        let mesh = Mesh::new(&interior, &bones, triangles).expect("an area");
        let (laplacian, seeds) = (Laplacian::new(&mesh), SeedAssignment::new(&mesh, &interior, &bones));
        Case { mesh, laplacian, seeds, bones: bones.len() }
    }

    /// A star with arms of different widths, a bone in each.
    fn star(triangles: usize) -> Case {
        let svg = "M0 0 C60 10 100 60 110 120 L200 90 L210 120 L110 150 L100 260 L70 260 L80 150 L-60 170 L-60 120 L60 110 Z";
        let lines = [
            [80.0, 130.0, 20.0, 20.0],
            [90.0, 130.0, 200.0, 105.0],
            [85.0, 140.0, 85.0, 250.0],
            [70.0, 130.0, 0.0, 142.0],
            [0.0, 142.0, -50.0, 146.0],
        ];
        case(svg, &lines, triangles)
    }

    /// The same with pins in two of the arms, and one in a corner between them.
    fn star_with_pins(triangles: usize) -> Case {
        let svg = "M0 0 C60 10 100 60 110 120 L200 90 L210 120 L110 150 L100 260 L70 260 L80 150 L-60 170 L-60 120 L60 110 Z";
        let lines = [
            [80.0, 130.0, 20.0, 20.0],
            [180.0, 110.0, 180.0, 110.0],
            [85.0, 240.0, 85.0, 240.0],
            [0.0, 142.0, -50.0, 146.0],
            [95.0, 125.0, 95.0, 125.0],
        ];
        case(svg, &lines, triangles)
    }

    /// The weights of one bone by a dense primal-dual interior-point method (Nocedal and Wright, Numerical
    /// Optimization, 2nd ed., section 16.6), which shares no step with the active sets of [`solve`].
    fn oracle(case: &Case, bone: usize) -> Vec<f64> {
        let energy = bilaplacian(&case.laplacian, case.mesh.edge * case.mesh.edge);
        let handles = handles(&case.mesh, &case.seeds, case.bones);
        let n = case.mesh.points.len();
        let mut x = vec![0.0; n];
        for &v in &handles {
            let near = case.seeds.of(v as usize);
            if near.contains(&(bone as u32)) {
                x[v as usize] = 1.0 / near.len() as f64;
            }
        }
        let free: Vec<usize> = (0..n).filter(|v| handles.binary_search(&(*v as u32)).is_err()).collect();
        let mut places = vec![usize::MAX; n];
        free.iter().enumerate().for_each(|(k, &v)| places[v] = k);
        let m = free.len();
        let mut p = vec![vec![0.0; m]; m];
        for (k, &v) in free.iter().enumerate() {
            energy.row(v).filter(|&(j, _)| places[j] < m).for_each(|(j, a)| p[k][places[j]] = a);
        }
        // In units of the largest coefficient, so that 1 is a fair first multiplier.
        let scale = p.iter().flatten().fold(0.0_f64, |most, a| most.max(a.abs()));
        p.iter_mut().flatten().for_each(|a| *a /= scale);
        let q: Vec<f64> =
            free.iter().map(|&v| energy.row(v).map(|(j, a)| a * x[j]).sum::<f64>() / scale).collect();

        let (mut w, mut low, mut high) = (vec![0.5; m], vec![1.0; m], vec![1.0; m]);
        for _ in 0..200 {
            let gap: f64 =
                (0..m).map(|k| low[k] * w[k] + high[k] * (1.0 - w[k])).sum::<f64>() / (2 * m) as f64;
            if gap < 1e-17 {
                break;
            }
            let mu = 0.1 * gap;
            let mut matrix = p.clone();
            let mut step: Vec<f64> = (0..m)
                .map(|k| {
                    matrix[k][k] += low[k] / w[k] + high[k] / (1.0 - w[k]);
                    let slope: f64 = p[k].iter().zip(&w).map(|(a, w)| a * w).sum();
                    mu / w[k] - mu / (1.0 - w[k]) - slope - q[k]
                })
                .collect();
            solve_dense(&mut matrix, &mut step);
            let to_low: Vec<f64> = (0..m).map(|k| (mu - low[k] * step[k]) / w[k] - low[k]).collect();
            let to_high: Vec<f64> =
                (0..m).map(|k| (mu + high[k] * step[k]) / (1.0 - w[k]) - high[k]).collect();
            // The share of the step that leaves all weights and multipliers inside their bounds.
            let share = |value: f64, step: f64| if step < 0.0 { -0.99 * value / step } else { 1.0 };
            let inside = (0..m).fold(1.0_f64, |t, k| {
                let of_weight = share(w[k], step[k]).min(share(1.0 - w[k], -step[k]));
                t.min(of_weight).min(share(low[k], to_low[k])).min(share(high[k], to_high[k]))
            });
            for k in 0..m {
                w[k] += inside * step[k];
                low[k] += inside * to_low[k];
                high[k] += inside * to_high[k];
            }
        }
        free.iter().zip(&w).for_each(|(&v, &w)| x[v] = w);
        x
    }

    /// Solves with a symmetric positive definite matrix in place, by Cholesky's factors.
    fn solve_dense(matrix: &mut [Vec<f64>], x: &mut [f64]) {
        for k in 0..x.len() {
            let (above, below) = matrix.split_at_mut(k);
            let row = &mut below[0];
            for j in 0..k {
                let known: f64 = row[..j].iter().zip(&above[j][..j]).map(|(a, b)| a * b).sum();
                row[j] = (row[j] - known) / above[j][j];
            }
            let known: f64 = row[..k].iter().map(|a| a * a).sum();
            row[k] = (row[k] - known).sqrt();
            let known: f64 = row[..k].iter().zip(&*x).map(|(a, x)| a * x).sum();
            x[k] = (x[k] - known) / row[k];
        }
        for k in (0..x.len()).rev() {
            let known: f64 = (k + 1..x.len()).map(|j| matrix[j][k] * x[j]).sum();
            x[k] = (x[k] - known) / matrix[k][k];
        }
    }

    #[test]
    fn agrees_with_an_interior_point_solver() {
        agrees(&star(700));
    }

    #[test]
    fn pins_agree_with_an_interior_point_solver() {
        agrees(&star_with_pins(500));
    }

    fn agrees(case: &Case) {
        let mut weights = vec![0.0; case.mesh.points.len() * case.bones];
        let status = solve(
            &AtomicBool::new(false),
            (&case.mesh, &case.laplacian),
            (&case.seeds, &[]),
            case.bones,
            &mut weights,
        );
        assert_eq!(status, SolveStatus::Solved);
        for bone in 0..case.bones {
            let want = oracle(case, bone);
            let got = weights.iter().skip(bone).step_by(case.bones);
            let worst = got.zip(&want).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-6, "bone {bone}: {worst}");
        }
    }

    /// Only a weight beyond a bound is held there.
    #[test]
    fn weights_within_their_bounds_stay_free() {
        let energy = Sparse { starts: vec![0, 1, 2, 3], columns: vec![0, 1, 2], values: vec![1.0; 3] };
        let problem = Problem { energy: &energy, order: &[0, 1, 2], kinds: &[VertexKind::Free; 3] };
        let wrong = |x: [f64; 3]| {
            let wrong = problem.wrong(&[ActiveBound::Neither; 3], &x);
            wrong.into_iter().map(|(v, bound)| (v, bound == ActiveBound::Upper)).collect::<Vec<_>>()
        };
        assert_eq!(wrong([0.5, 1e-3, 1.0]), []);
        assert_eq!(wrong([0.5, 1.001, -0.001]), [(1, true), (2, false)]);
    }

    /// The optimality conditions of a convex problem: the gradient is 0 at a free weight, and does not lead
    /// into the bounds at an active one.
    #[test]
    fn the_conditions_of_the_least_hold() {
        let case = star(4500);
        let mut weights = vec![0.0; case.mesh.points.len() * case.bones];
        let status = solve(
            &AtomicBool::new(false),
            (&case.mesh, &case.laplacian),
            (&case.seeds, &[]),
            case.bones,
            &mut weights,
        );
        assert_eq!(status, SolveStatus::Solved);
        let energy = bilaplacian(&case.laplacian, case.mesh.edge * case.mesh.edge);
        let handles = handles(&case.mesh, &case.seeds, case.bones);
        for bone in 0..case.bones {
            let x: Vec<f64> = weights.iter().skip(bone).step_by(case.bones).copied().collect();
            for v in (0..x.len()).filter(|v| handles.binary_search(&(*v as u32)).is_err()) {
                let slope: f64 = energy.row(v).map(|(j, a)| a * x[j]).sum();
                let size = energy.row(v).map(|(j, a)| (a * x[j]).abs()).fold(1.0, f64::max);
                match x[v] {
                    0.0 => assert!(slope > -1e-9 * size, "{bone} {v} {slope}"),
                    1.0 => assert!(slope < 1e-9 * size, "{bone} {v} {slope}"),
                    _ => assert!(slope.abs() < 1e-9 * size, "{bone} {v} {slope}"),
                }
            }
        }
    }
}
