//! A path along the ground: a drawn path, divided into runs to the right and to the left, with the height of
//! the ground at each x.

use bone_import::ImportError;
use kurbo::{BezPath, PathEl, Point};

/// A path that a figure can follow. It may turn back, but it may not be too steep.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundPath {
    /// Points in order, joined by straight lines.
    points: Vec<Point>,
    /// The indices of the points where runs begin, and that of the last point.
    runs: Vec<usize>,
}

/// The largest slope that can be walked: height over length.
const STEEPEST: f64 = 2.0;
/// The largest number of points.
const MOST_POINTS: usize = 100_000;

impl GroundPath {
    /// A ground path from a drawn path; curves are flattened within `tolerance`.
    ///
    /// # Errors
    /// If it has no length, several parts, or a part that is too steep to walk, or the tolerance is not above 0.
    pub fn new(path: &BezPath, tolerance: f64) -> Result<Self, ImportError> {
        /// More is not flattened: it would be more points than can be counted.
        const FARTHEST: f64 = 1e9;
        let size = path.control_box();
        let far = [size.x0, size.y0, size.x1, size.y1]
            .into_iter()
            .any(|side| side.is_nan() || side.abs() > FARTHEST);
        if !(tolerance > FARTHEST.recip() && tolerance.is_finite()) || far {
            return Err(ImportError::new(
                "the path has a point that is too far away, or the tolerance is not above 0",
            ));
        }
        let mut points: Vec<Point> = Vec::new();
        let mut wrong = None;
        let mut add = |points: &mut Vec<Point>, at: Point| {
            if !at.is_finite() || points.len() >= MOST_POINTS {
                wrong = Some("the path has a point that is not finite, or too many points");
            } else if points.last() != Some(&at) {
                points.push(at);
            }
        };
        let mut parts = 0;
        kurbo::flatten(path, tolerance, |element| match element {
            PathEl::MoveTo(at) => {
                parts += 1;
                add(&mut points, at);
            }
            PathEl::LineTo(at) => add(&mut points, at),
            PathEl::ClosePath => {
                if let Some(&first) = points.first() {
                    add(&mut points, first);
                }
            }
            // Flattened paths have no curves.
            PathEl::QuadTo(..) | PathEl::CurveTo(..) => {}
        });
        if let Some(wrong) = wrong {
            return Err(ImportError::new(wrong));
        }
        if parts > 1 {
            return Err(ImportError::new(
                "the path has several parts: a figure cannot jump from one to the next",
            ));
        }
        if points.len() < 2 {
            return Err(ImportError::new("the path has no length"));
        }
        let mut runs = vec![0];
        let mut direction = 0.0;
        for (at, pair) in points.windows(2).enumerate() {
            let (along, up) = (pair[1].x - pair[0].x, pair[1].y - pair[0].y);
            if up.abs() > STEEPEST * along.abs() {
                let message = format!(
                    "the path is too steep to walk at {:.1}, {:.1}: it rises more than {STEEPEST} times its length",
                    pair[0].x, pair[0].y
                );
                return Err(ImportError::new(message));
            }
            if direction != 0.0 && along.signum() != direction {
                runs.push(at);
            }
            direction = along.signum();
        }
        runs.push(points.len() - 1);
        Ok(Self { points, runs })
    }

    /// The number of runs: one more than the number of turns.
    pub fn runs(&self) -> usize {
        self.runs.len() - 1
    }

    /// The x at which a run begins and ends.
    ///
    /// # Panics
    /// If there is no such run.
    pub fn run(&self, run: usize) -> (f64, f64) {
        (self.points[self.runs[run]].x, self.points[self.runs[run + 1]].x)
    }

    /// The points of a run, in the order of the path.
    ///
    /// # Panics
    /// If there is no such run.
    pub fn points(&self, run: usize) -> &[Point] {
        &self.points[self.runs[run]..=self.runs[run + 1]]
    }

    /// The first point.
    pub fn start(&self) -> Point {
        self.points[0]
    }

    /// The last point.
    pub fn end(&self) -> Point {
        self.points[self.points.len() - 1]
    }

    /// The length along the ground, summed over all runs.
    pub fn length(&self) -> f64 {
        (0..self.runs()).map(|run| self.run(run)).map(|(from, to)| (to - from).abs()).sum()
    }

    /// The height of the ground on a run; beyond its ends it is constant.
    ///
    /// # Panics
    /// If there is no such run.
    pub fn ground(&self, run: usize, x: f64) -> f64 {
        let points = self.points(run);
        let (first, last) = (points[0], points[points.len() - 1]);
        let forward = last.x >= first.x;
        // The first point that is not before x.
        let at = points.partition_point(|point| if forward { point.x < x } else { point.x > x });
        if at == 0 {
            return first.y;
        }
        let Some(after) = points.get(at) else { return last.y };
        let before = points[at - 1];
        before.y + (after.y - before.y) * ((x - before.x) / (after.x - before.x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(svg: &str) -> Result<GroundPath, ImportError> {
        GroundPath::new(&BezPath::from_svg(svg).expect("path data"), 0.01)
    }

    #[test]
    fn a_path_has_runs() {
        let there_and_back = path("M0 10 L10 0 L20 10 L5 5").expect("a way");
        assert_eq!(there_and_back.runs(), 2);
        assert_eq!((there_and_back.run(0), there_and_back.run(1)), ((0.0, 20.0), (20.0, 5.0)));
        assert_eq!(there_and_back.length(), 35.0);
        for (run, x, y) in [
            (0, -3.0, 10.0),
            (0, 5.0, 5.0),
            (0, 10.0, 0.0),
            (0, 25.0, 10.0),
            (1, 12.5, 7.5),
            (1, 0.0, 5.0),
            (1, 30.0, 10.0),
        ] {
            assert_eq!(there_and_back.ground(run, x), y, "{run} {x}");
        }
    }

    #[test]
    fn curves_are_flattened() {
        let hill = path("M0 0 C 10 -5 20 -5 30 0").expect("a way");
        assert_eq!((hill.runs(), hill.start(), hill.end()), (1, Point::ZERO, Point::new(30.0, 0.0)));
        // The middle of the cubic.
        assert!((hill.ground(0, 15.0) + 3.75).abs() < 0.02);
    }

    #[test]
    fn paths_that_cannot_be_walked_are_errors() {
        for (svg, word) in [
            ("M0 0", "no length"),
            ("M0 0 L0 10", "steep"),
            ("M0 0 L5 0 M9 0 L20 0", "several parts"),
            ("", "no length"),
        ] {
            let error = path(svg).expect_err(svg);
            assert!(error.message.contains(word), "{svg}: {error}");
        }
    }
}
