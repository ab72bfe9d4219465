//! One lattice: uniform cubic B-splines in both axes of a box, continued linearly outside of it.

use bone_archive::{Archive, ArchiveError, Reader, Writer};
use kurbo::{Point, Rect, Vec2};

use crate::sparse::{Factor, Sparse};

/// A grid of cells over a box at rest, whose nodes move what lies on it.
///
/// Nodes are numbered by column and row, from -1 to the number of cells and one more: those at -1 and beyond the
/// last line are a ring outside of the box. What the nodes move a point by is `sum B_i(u) B_j(v) d_ij`, with the
/// point in cells from the corner of the box. As the sum of the splines of an axis is 1, nodes that all move by `d`
/// move everything by `d`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    area: Rect,
    cells: [u32; 2],
    inside: Option<u32>,
}

/// The splines at a place of an axis: the first of four nodes, counted from the ring, and their values and
/// derivatives by cells.
struct AxisPlace {
    first: usize,
    values: [f64; 4],
    slopes: [f64; 4],
}

impl AxisPlace {
    /// Outside of the cells the values continue linearly.
    fn new(place: f64, cells: u32) -> Self {
        let within = place.max(0.0).min(f64::from(cells));
        let cell = (within as u32).min(cells - 1);
        let (t, beyond) = (within - f64::from(cell), place - within);
        let r = 1.0 - t;
        let slopes =
            [-0.5 * r * r, 0.5 * t * (3.0 * t - 4.0), 0.5 * (1.0 + t * (2.0 - 3.0 * t)), 0.5 * t * t];
        let values = [
            r * r * r / 6.0,
            2.0 / 3.0 - t * t * (1.0 - 0.5 * t),
            2.0 / 3.0 - r * r * (1.0 - 0.5 * r),
            t * t * t / 6.0,
        ];
        let values = std::array::from_fn(|k| values[k] + slopes[k] * beyond);
        Self { first: cell as usize, values, slopes }
    }
}

impl Lattice {
    /// The greatest number of cells of an axis.
    pub const MOST_CELLS: u32 = 32;

    /// A lattice over a box. `inside` is the place of the lattice that this one is moved by, in its list.
    /// None if the box has no area, or there are no cells or too many.
    pub fn new(area: Rect, cells: [u32; 2], inside: Option<u32>) -> Option<Self> {
        let has_area = area.is_finite()
            && [area.width(), area.height()].iter().all(|side| side.is_normal() && *side > 0.0);
        let has_cells = cells.iter().all(|count| (1..=Self::MOST_CELLS).contains(count));
        (has_area && has_cells).then_some(Self { area, cells, inside })
    }

    /// The lattice that this one is moved by.
    pub fn inside(&self) -> Option<u32> {
        self.inside
    }

    /// Its box at rest.
    pub fn area(&self) -> Rect {
        self.area
    }

    /// The number of its cells along both axes.
    pub fn cells(&self) -> [u32; 2] {
        self.cells
    }

    /// How many nodes it has, with those of the ring.
    pub fn node_count(&self) -> usize {
        self.columns() * (self.cells[1] as usize + 3)
    }

    fn columns(&self) -> usize {
        self.cells[0] as usize + 3
    }

    /// The place of a node among all of them; none if it has no such node.
    pub fn node(&self, [column, row]: [i32; 2]) -> Option<usize> {
        let along = |at: i32, cells: u32| usize::try_from(at + 1).ok().filter(|at| *at < cells as usize + 3);
        Some(along(row, self.cells[1])? * self.columns() + along(column, self.cells[0])?)
    }

    /// Where each node is at rest, in the order of their places.
    pub fn nodes(&self) -> impl Iterator<Item = ([i32; 2], Point)> {
        let Self { area, cells: [across, down], .. } = *self;
        let step = Vec2::new(area.width() / f64::from(across), area.height() / f64::from(down));
        let place = move |at: [i32; 2]| {
            (at, area.origin() + Vec2::new(step.x * f64::from(at[0]), step.y * f64::from(at[1])))
        };
        let end = |cells: u32| cells as i32 + 1;
        (-1..=end(down)).flat_map(move |row| (-1..=end(across)).map(move |column| place([column, row])))
    }

    /// The moves of all nodes of those that are given. Nodes in the box that are not given stay; those of the ring
    /// continue the two nodes before them linearly.
    pub fn filled(&self, given: &[([i32; 2], Vec2)]) -> Vec<Vec2> {
        let mut known: Vec<Option<Vec2>> = vec![None; self.node_count()];
        for (at, by) in given {
            self.node(*at).into_iter().for_each(|node| known[node] = Some(*by));
        }
        let [columns, rows] = [self.columns(), self.cells[1] as usize + 3];
        for (node, by) in known.iter_mut().enumerate() {
            let (column, row) = (node % columns, node / columns);
            if (1..columns - 1).contains(&column) && (1..rows - 1).contains(&row) {
                by.get_or_insert(Vec2::ZERO);
            }
        }
        let mut continued = |node: usize, step: isize| {
            let at = |k: isize| known[(node as isize + k * step) as usize].unwrap_or_default();
            let by = at(1) * 2.0 - at(2);
            known[node].get_or_insert(by);
        };
        for row in 1..rows - 1 {
            continued(row * columns, 1);
            continued((row + 1) * columns - 1, -1);
        }
        for column in 0..columns {
            continued(column, columns as isize);
            continued((rows - 1) * columns + column, -(columns as isize));
        }
        known.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// The moves of all nodes nearest to those that are wanted of points, by least squares: each has a place, its move
    /// and its weight. `smoothness` is the weight of second differences between nodes, as a share of all weights: nodes
    /// at the rim have little effect on points, and without it would move far for it.
    pub fn fitted(&self, wanted: &[(Point, Vec2, f64)], smoothness: f64) -> Vec<Vec2> {
        /// Of the greatest entry of the normal equations.
        const REGULARISATION: f64 = 1e-9;
        let count = self.node_count();
        let (mut entries, mut sums, mut most) = (Vec::new(), vec![Vec2::ZERO; count], 0.0_f64);
        for (at, by, weight) in wanted {
            let [x, y] = self.axes(*at);
            let node = |k: usize| (y.first + k / 4) * self.columns() + x.first + k % 4;
            let value = |k: usize| x.values[k % 4] * y.values[k / 4];
            for i in 0..16 {
                sums[node(i)] += *by * (value(i) * *weight);
                let row = (0..16).map(|j| (node(i) as u32, node(j) as u32, value(i) * value(j) * *weight));
                entries.extend(row.inspect(|(_, _, entry)| most = most.max(entry.abs())));
            }
        }
        let stiff = smoothness * wanted.iter().map(|(.., weight)| weight).sum::<f64>();
        let (columns, rows) = (self.columns(), self.cells[1] as usize + 3);
        for node in 0..count {
            let (column, row) = (node % columns, node / columns);
            let inner = [(1, (1..columns - 1).contains(&column)), (columns, (1..rows - 1).contains(&row))];
            for (step, _) in inner.into_iter().filter(|(_, is_inner)| *is_inner) {
                let three = [(node - step, 1.0), (node, -2.0), (node + step, 1.0)];
                for (a, x) in three {
                    entries.extend(three.map(|(b, y)| (a as u32, b as u32, stiff * x * y)));
                }
            }
        }
        let least = REGULARISATION * most.max(f64::MIN_POSITIVE);
        entries.extend((0..count as u32).map(|node| (node, node, least)));
        let factor = Factor::new(&Sparse::new(count, entries), (0..count as u32).collect());
        match factor {
            Some(factor) => factor.solve_with(&mut sums, &mut Vec::with_capacity(count)),
            None => sums.fill(Vec2::ZERO),
        }
        sums
    }

    /// The splines at a point.
    fn axes(&self, at: Point) -> [AxisPlace; 2] {
        let Self { area, cells: [across, down], .. } = *self;
        [
            AxisPlace::new((at.x - area.x0) * (f64::from(across) / area.width()), across),
            AxisPlace::new((at.y - area.y0) * (f64::from(down) / area.height()), down),
        ]
    }

    /// Where a point and a direction there go with these moves of the nodes.
    #[inline]
    pub(crate) fn bend(&self, moves: &[Vec2], at: Point, along: Vec2) -> (Point, Vec2) {
        let (by, [across, down]) = self.shift(moves, at);
        (at + by, along + across * along.x + down * along.y)
    }

    /// The move at a point, and its derivatives along both axes.
    fn shift(&self, moves: &[Vec2], at: Point) -> (Vec2, [Vec2; 2]) {
        let Self { area, cells: [across, down], .. } = *self;
        let per = [f64::from(across) / area.width(), f64::from(down) / area.height()];
        let [x, y] = self.axes(at);
        let (mut by, mut slopes) = (Vec2::ZERO, [Vec2::ZERO; 2]);
        for j in 0..4 {
            let from = (y.first + j) * self.columns() + x.first;
            let Some(row) = moves.get(from..from + 4) else { continue };
            let (mut value, mut slope) = (Vec2::ZERO, Vec2::ZERO);
            for (i, node) in row.iter().enumerate() {
                value += *node * x.values[i];
                slope += *node * x.slopes[i];
            }
            by += value * y.values[j];
            slopes[0] += slope * (y.values[j] * per[0]);
            slopes[1] += value * (y.slopes[j] * per[1]);
        }
        (by, slopes)
    }

    /// The first cell, by column and row, that these moves of its nodes turn inside out at a corner or a half.
    pub fn inside_out(&self, moves: &[Vec2]) -> Option<[u32; 2]> {
        let [across, down] = self.cells;
        let turned = |[column, row]: [u32; 2]| {
            (0..9).any(|k| {
                let share = |cell: u32, part: u32, cells: u32| {
                    (f64::from(cell) + 0.5 * f64::from(part)) / f64::from(cells)
                };
                let x = self.area.x0 + self.area.width() * share(column, k % 3, across);
                let y = self.area.y0 + self.area.height() * share(row, k / 3, down);
                let (_, [right, below]) = self.shift(moves, Point::new(x, y));
                (Vec2::new(1.0, 0.0) + right).cross(Vec2::new(0.0, 1.0) + below) <= 0.0
            })
        };
        (0..down).flat_map(|row| (0..across).map(move |column| [column, row])).find(|cell| turned(*cell))
    }
}

impl Archive for Lattice {
    fn write(&self, to: &mut Writer) {
        let Self { area, cells: [across, down], inside } = self;
        (Point::new(area.x0, area.y0), Point::new(area.x1, area.y1)).write(to);
        (across, down).write(to);
        inside.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (first, last): (Point, Point) = Archive::read(from)?;
        let (across, down) = Archive::read(from)?;
        let inside = Archive::read(from)?;
        let area = Rect { x0: first.x, y0: first.y, x1: last.x, y1: last.y };
        Self::new(area, [across, down], inside).ok_or_else(|| from.invalid("lattice"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice() -> Lattice {
        Lattice::new(Rect::new(10.0, -20.0, 70.0, 20.0), [3, 2], None).expect("it has an area")
    }

    /// The Cox-de Boor recursion on integer knots: the spline that is not 0 between `-2` and `2`.
    fn spline(order: u32, u: f64) -> f64 {
        fn of(order: u32, first: f64, u: f64) -> f64 {
            if order == 0 {
                return f64::from(u8::from((first..first + 1.0).contains(&u)));
            }
            let k = f64::from(order);
            (u - first) / k * of(order - 1, first, u)
                + (first + k + 1.0 - u) / k * of(order - 1, first + 1.0, u)
        }
        of(order, -2.0, u)
    }

    #[test]
    fn values_are_those_of_the_recursion() {
        for k in 0..300 {
            let u = f64::from(k) / 100.0;
            let at = AxisPlace::new(u, 3);
            for node in -1..=4 {
                let own = usize::try_from(node + 1).ok().and_then(|n| n.checked_sub(at.first));
                let own = own.and_then(|n| at.values.get(n)).copied().unwrap_or_default();
                assert!((own - spline(3, u - f64::from(node))).abs() < 1e-14, "{u} {node}");
            }
        }
    }

    #[test]
    fn nodes_in_a_line_move_everything_in_the_plane_by_an_affine_map() {
        let lattice = lattice();
        let map = |p: Point| Vec2::new(0.3 * p.x - 0.2 * p.y + 4.0, 0.1 * p.x + 0.5 * p.y - 7.0);
        // The ring is not given, so it is continued.
        let inner = |at: &[i32; 2]| (0..=3).contains(&at[0]) && (0..=2).contains(&at[1]);
        let given: Vec<_> = lattice.nodes().filter(|(at, _)| inner(at)).map(|(at, p)| (at, map(p))).collect();
        let moves = lattice.filled(&given);
        for (x, y) in [(10.0, -20.0), (33.0, 4.5), (70.0, 20.0), (-400.0, 3.0), (90.0, 500.0)] {
            let (to, along) = lattice.bend(&moves, Point::new(x, y), Vec2::new(2.0, -3.0));
            assert!(
                (to - Point::new(x, y) - map(Point::new(x, y))).hypot() < 1e-9 * (1.0 + x.abs() + y.abs())
            );
            let expected = Vec2::new(2.0, -3.0) + Vec2::new(0.3 * 2.0 + 0.2 * 3.0, 0.1 * 2.0 - 0.5 * 3.0);
            assert!((along - expected).hypot() < 1e-9, "{along:?}");
        }
    }

    #[test]
    fn one_node_moves_its_four_by_four_cells_alone() {
        let lattice = Lattice::new(Rect::new(0.0, 0.0, 8.0, 8.0), [8, 8], None).expect("an area");
        let moves = lattice.filled(&[([3, 4], Vec2::new(1.0, 0.5))]);
        for k in 0..1600 {
            let at = Point::new(f64::from(k % 40) / 5.0, f64::from(k / 40) / 5.0);
            let moved = lattice.bend(&moves, at, Vec2::ZERO).0 != at;
            let near = (at.x - 3.0).abs() < 2.0 && (at.y - 4.0).abs() < 2.0;
            assert_eq!(moved, near, "{at:?}");
        }
    }

    #[test]
    fn second_derivatives_are_continuous_between_cells() {
        let lattice = lattice();
        let given: Vec<_> = lattice
            .nodes()
            .map(|(at, p)| (at, Vec2::new(p.x * p.y * 0.01 - 3.0, f64::from(at[0] * at[0]) - p.y * 0.4)))
            .collect();
        let moves = lattice.filled(&given);
        let slope = |x: f64| lattice.bend(&moves, Point::new(x, 3.0), Vec2::new(1.0, 0.0)).1;
        let h = 1e-4;
        for line in [30.0, 50.0] {
            let second = |x: f64| (slope(x + h) - slope(x - h)) / (2.0 * h);
            assert!((second(line - 2.0 * h) - second(line + 2.0 * h)).hypot() < 1e-3, "{line}");
            // The derivative is that of the place.
            let place = |x: f64| lattice.bend(&moves, Point::new(x, 3.0), Vec2::ZERO).0;
            let numeric = (place(line + h) - place(line - h)) / (2.0 * h);
            assert!((numeric - slope(line)).hypot() < 1e-6);
        }
    }

    #[test]
    fn cells_that_turn_inside_out_are_found() {
        let lattice = lattice();
        assert_eq!(lattice.inside_out(&lattice.filled(&[([1, 1], Vec2::new(4.0, 0.0))])), None);
        // The whole lattice is mirrored: its first cell is the first of all.
        let mirrored: Vec<_> =
            lattice.nodes().map(|(at, p)| (at, Vec2::new(2.0 * (40.0 - p.x), 0.0))).collect();
        assert_eq!(lattice.inside_out(&lattice.filled(&mirrored)), Some([0, 0]));
    }
}
