//! Cells of shapes against numbers by hand.

use kurbo::{BezPath, Shape as _};

use super::*;

const PAGE: Rect = Rect::new(0.0, 0.0, 60.0, 80.0);
const DIAGONAL: f64 = 100.0;

fn shape(d: &str, even_odd: Option<bool>, width: f64) -> Shape {
    Shape::new(BezPath::from_svg(d).expect("a path"), even_odd, width)
}

/// The area of its cells, in units of the page.
fn area(shapes: &[Shape]) -> f64 {
    let grid = Grid::around(PAGE, DIAGONAL);
    grid.cells(shapes, 0.0).places().count() as f64 * grid.cell * grid.cell
}

#[test]
fn cells_cover_the_area_of_fills_and_strokes() {
    let near = |area: f64, expected: f64| assert!((area - expected).abs() < 0.03 * expected, "{area}");
    near(area(&[shape("M10 10 h30 v20 h-30 z", Some(false), 0.0)]), 600.0);
    near(area(&[shape("M10 10 h30 v20 h-30", Some(false), 0.0)]), 600.0);
    let circle = kurbo::Circle::new((30.0, 40.0), 15.0).to_path(1e-3);
    near(area(&[Shape::new(circle, Some(true), 0.0)]), 706.86);
    let ring = "M10 10 h30 v30 h-30 z M15 15 h20 v20 h-20 z";
    near(area(&[shape(ring, Some(true), 0.0)]), 500.0);
    near(area(&[shape(ring, Some(false), 0.0)]), 900.0);
    near(area(&[shape("M10 20 h40", None, 4.4)]), 176.0 + 15.21);
    near(area(&[shape("M10 40 h40", None, 30.0)]), 1200.0 + 706.86);
    let twice = [shape(ring, Some(false), 0.0), shape(ring, Some(true), 0.0)];
    near(area(&twice), 900.0);
    // Far beside the page there is nothing.
    let beside = [shape("M-90 300 h30 v20 h-30 z", Some(false), 0.0), twice[1].clone()];
    near(area(&beside), 500.0);
}

#[test]
fn widths_are_those_of_the_picture() {
    let grid = Grid::around(PAGE, DIAGONAL);
    let half_width = |shape: Shape| grid.cells(&[shape], 0.0).half_width() * grid.cell;
    let near = |width: f64, expected: f64| assert!((width - expected).abs() < 0.3, "{width}");
    // Nine tenths of a band are closer to its edge than nine tenths of half of its width.
    near(half_width(shape("M5 5 h50 v10 h-50 z", Some(false), 0.0)), 0.9 * 5.0);
    near(half_width(shape("M5 5 h50", None, 3.0)), 0.9 * 1.5);
    near(half_width(shape("M5 5 h50 v40 h-50 z M7 7 v36 h46 v-36 z", Some(false), 0.0)), 0.9);
}

#[test]
fn a_disc_fits_into_what_is_wide() {
    let grid = Grid::around(PAGE, DIAGONAL);
    let opened =
        |d: &str, radius: f64| grid.cells(&[shape(d, Some(false), 0.0)], 0.0).opened(radius / grid.cell);
    let both = "M5 5 h20 v20 h-20 z M30 5 h2 v50 h-2 z";
    assert!((opened(both, 2.0) - 0.8).abs() < 0.05, "{}", opened(both, 2.0));
    assert!(opened(both, 0.5) > 0.95 && opened(both, 15.0) < 0.01);
}

#[test]
fn distances_are_exact() {
    let grid = Grid::around(PAGE, DIAGONAL);
    let cells = grid.cells(&[shape("M10 10 h9 v5 h-4 z M30 20 l5 9 l-8 2 z", Some(false), 0.0)], 3.0);
    let inked: Vec<usize> = (0..cells.inked.len()).filter(|at| cells.inked[*at]).collect();
    let place = |at: usize| ((at % cells.columns) as f64, (at / cells.columns) as f64);
    for (at, square) in cells.squares(|at| cells.inked[at]).into_iter().enumerate() {
        let apart = |other: &usize| {
            let ((x, y), (other_x, other_y)) = (place(at), place(*other));
            (x - other_x).powi(2) + (y - other_y).powi(2)
        };
        let least = inked.iter().map(apart).fold(f64::INFINITY, f64::min);
        assert!((f64::from(square) - least).abs() < 1e-3, "{square} {least}");
    }
}
