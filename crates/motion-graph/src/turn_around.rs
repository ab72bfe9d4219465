//! Turning round: where a walk changes to a mirrored capture, the figure is rotated in space for a few
//! frames, through the front view.

use bone_core::Angle;
use kurbo::Point;

/// The duration of a quarter turn, seconds.
const QUARTER: f64 = 0.2;

/// Rotates a figure in space around the frames where it is mirrored. Half-way it is seen from the front,
/// where a mirrored figure looks the same: there is no jump, and left stays left.
pub(super) fn turn_around(frames: &mut [Vec<Point>], depths: &[f64], at: &[f64], turns: &[usize], rate: f64) {
    let reach = (QUARTER * rate).max(1.0);
    for (number, (positions, &middle)) in frames.iter_mut().zip(at).enumerate() {
        // The middle of a turn lies between two frames.
        let near = turns.iter().map(|turn| (number as f64 + 0.5 - *turn as f64).abs() / reach);
        let share = 1.0 - near.fold(1.0, f64::min);
        if share <= 0.0 {
            continue;
        }
        let degrees = 90.0 * share * share * (3.0 - 2.0 * share);
        let angle = Angle::from_degrees(degrees);
        let (sin, cos) = angle.sin_cos();
        let depths = &depths[number * positions.len()..][..positions.len()];
        let deep = depths.iter().sum::<f64>() / depths.len() as f64;
        for (position, depth) in positions.iter_mut().zip(depths) {
            position.x = middle + (position.x - middle) * cos - (*depth - deep) * sin;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body of a few joints in space that is mirrored in frame 20: no joint moves faster than the ease
    /// allows on its circle.
    #[test]
    fn a_turn_has_no_jump() {
        let body = [(0.0, 0.0), (0.3, 0.1), (-0.2, 0.15), (0.05, -0.25)];
        let frame = |number: usize| {
            let looks = if number < 20 { 1.0 } else { -1.0 };
            body.map(|(x, _)| Point::new(2.0 + looks * x, 0.0)).to_vec()
        };
        let mut frames: Vec<Vec<Point>> = (0..40).map(frame).collect();
        let depths: Vec<f64> = (0..40).flat_map(|_| body.map(|(_, depth)| depth)).collect();
        turn_around(&mut frames, &depths, &[2.0; 40], &[20], 30.0);
        assert_eq!((&frames[5], &frames[35]), (&frame(5), &frame(35)));
        // The ease is at most 1.5 times as fast as a uniform turn.
        let steady = std::f64::consts::FRAC_PI_2 / (QUARTER * 30.0);
        for pair in frames.windows(2) {
            for (a, b) in pair[0].iter().zip(&pair[1]) {
                assert!(a.distance(*b) <= 0.4 * 1.5 * steady, "{a} {b}");
            }
        }
        // Half-way x is given by the depth.
        assert!((frames[20][1].x - (2.0 - 0.1)).abs() < 0.05, "{:?}", frames[20]);
    }
}
