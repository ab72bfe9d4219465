//! Heat weights: each bone is a heat source for its nearest vertices, and heat diffuses through the drawing.
//! The system is always solvable: a piece without a bone is heated by the nearest ones.

use super::laplacian::Laplacian;
use super::mesh::Mesh;
use super::seeds::SeedAssignment;
use crate::sparse::{Factor, Sparse, dissect};

/// Solves `(K + M c/d^2) W = (M c/d^2) P` (Baran and Popovic 2007, section 4, eq. 2), one row of weights for
/// each vertex. `None` if the matrix cannot be factored.
///
/// If `soft` has a length for each vertex, `d^2 + soft^2` replaces `d^2`: across a limb, from its bone to its
/// border, weights change from one bone to the next within about the same length.
pub(crate) fn solve(
    mesh: &Mesh,
    laplacian: &Laplacian,
    seeds: &SeedAssignment,
    (bones, c, soft): (usize, f64, &[f64]),
) -> Option<Vec<f64>> {
    let n = mesh.points.len();
    // On a bone d is 0 and the vertex has weight 1; this keeps the numbers finite.
    let least = mesh.edge * 1e-6;
    let hold: Vec<f64> = seeds
        .distances
        .iter()
        .zip(&laplacian.masses)
        .enumerate()
        .map(|(v, (&d, &m))| {
            let soft = soft.get(v).copied().filter(|soft| soft.is_finite()).unwrap_or(0.0);
            if d.is_finite() { c * m / (d.max(least) * d.max(least) + soft * soft) } else { 0.0 }
        })
        .collect();
    let matrix = with_diagonal(&laplacian.stiffness, &hold);
    let order = dissect(&matrix, &mesh.points);
    let factor = Factor::new(&matrix, order)?;
    let mut weights = vec![0.0; n * bones];
    let mut column = vec![0.0; n];
    for bone in 0..bones {
        column.fill(0.0);
        for (v, right) in column.iter_mut().enumerate() {
            let nearest = seeds.of(v);
            if nearest.contains(&(bone as u32)) {
                *right = hold[v] / nearest.len() as f64;
            }
        }
        if column.iter().all(|&r| r == 0.0) {
            continue;
        }
        factor.solve(&mut column);
        column.iter().enumerate().for_each(|(v, &w)| weights[v * bones + bone] = w);
    }
    Some(weights)
}

/// The matrix with these values added to its diagonal.
pub(crate) fn with_diagonal(matrix: &Sparse, add: &[f64]) -> Sparse {
    let mut sum = matrix.clone();
    for (row, add) in add.iter().enumerate() {
        let range = sum.starts[row] as usize..sum.starts[row + 1] as usize;
        if let Ok(k) = sum.columns[range.clone()].binary_search(&(row as u32)) {
            sum.values[range.start + k] += add;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use kurbo::{BezPath, Point};

    use super::*;
    use crate::auto::interior::Interior;
    use crate::auto::outline::Outlines;
    use crate::auto::segment::LineSegment;
    use crate::{CoveredShape, WindingRule};

    /// The vertices of a filled shape, on the canvas, with the weights of two bones.
    fn heated(svg: &str, bones: [[(f64, f64); 2]; 2]) -> Vec<(Point, [f64; 2])> {
        let path = BezPath::from_svg(svg).expect("a path");
        let shape = CoveredShape { path: &path, fill: Some(WindingRule::NonZero), stroke_width: 0.0 };
        let outlines = Outlines::new(&[shape], &[], &mut Vec::new()).expect("an extent");
        let at = |(x, y)| outlines.frame.apply(Point::new(x, y));
        let bones = bones.map(|[from, to]| LineSegment { origin: at(from), tip: at(to) });
        let interior = Interior::new(&outlines, 2250, 0.0);
        let mesh = Mesh::new(&interior, &bones, 4500).expect("an area");
        let (laplacian, seeds) = (Laplacian::new(&mesh), SeedAssignment::new(&mesh, &interior, &bones));
        let weights = solve(&mesh, &laplacian, &seeds, (2, 1.0, &[])).expect("solvable");
        let points = mesh.points.iter().map(|point| outlines.frame.canvas(*point));
        points.zip(weights.chunks_exact(2).map(|row| [row[0], row[1]])).collect()
    }

    /// At a constant distance `D` from the bones heat obeys `-w'' + w / D^2 = P / D^2`, whose solution about
    /// the joint is a cosh.
    #[test]
    fn heat_at_a_constant_distance_is_a_cosh() {
        let distance = 42.0;
        let bones =
            [(-200.0, 100.0), (100.0, 400.0)].map(|(from, to)| [from, to].map(|x| (x, 0.5 - distance)));
        for (Point { x, .. }, row) in heated("M0 0H200V1H0Z", bones) {
            let from_end = if x > 100.0 { 200.0 - x } else { x };
            let u = 0.5 - 0.5 * libm::cosh(from_end / distance) / libm::cosh(100.0 / distance);
            let (want, got) = (if x > 100.0 { 0.5 + u } else { 0.5 - u }, row[1] / (row[0] + row[1]));
            assert!((got - want).abs() < 1e-3, "{x}: {got} instead of {want}");
        }
    }

    /// At the outer side of a bent limb the joint is nearest, which is an end of both bones. They share its
    /// heat: as it is 1 everywhere in all, the sum of what comes of it is 1 everywhere.
    #[test]
    fn bones_that_are_equally_near_share_the_heat() {
        let bones = [[(20.0, 180.0), (100.0, 60.0)], [(100.0, 60.0), (180.0, 180.0)]];
        let all = heated("M0 0H200V200H0Z", bones);
        assert!(all.iter().any(|(at, _)| at.y < 20.0 && (at.x - 100.0).abs() < 20.0));
        for (at, [first, second]) in all {
            assert!((first + second - 1.0).abs() < 1e-9, "{at:?}: {first} + {second}");
        }
    }
}
