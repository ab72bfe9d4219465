//! Distances of all pairs of poses of a long capture: 10,000 frames of 13 joints.

use bone_import::distance::{PoseTable, each_diagonal};
use bone_import::transitions::transitions;
use divan::{Bencher, black_box};
use kurbo::Point;

fn main() {
    divan::main();
}

/// A motion that returns to similar poses.
fn poses(frames: usize) -> PoseTable {
    let wave = |at: usize, long: usize| ((at % long) as f64 / long as f64 - 0.5).abs();
    PoseTable::from_positions((0..frames).map(|frame| {
        std::array::from_fn(|joint| {
            let along = 0.02 * frame as f64 + 0.1 * wave(frame + 3 * joint, 37);
            (Point::new(along, 0.08 * joint as f64 + 0.05 * wave(frame * joint, 101)), 1.0)
        })
    }))
}

#[divan::bench(sample_count = 5)]
fn all_pairs(bencher: Bencher<'_, '_>) {
    let poses = poses(10_000);
    bencher.bench_local(|| {
        let mut least = f64::INFINITY;
        each_diagonal(&poses, &poses, 10, isize::MIN..isize::MAX, |_, distances| {
            least = distances.iter().copied().fold(least, f64::min);
        });
        black_box(least)
    });
}

/// A motion compared with itself: one side of the square, and the local minima.
#[divan::bench(sample_count = 5)]
fn transitions_of_one(bencher: Bencher<'_, '_>) {
    let poses = poses(10_000);
    bencher.bench_local(|| black_box(transitions(&poses, &poses, 10, 0.05, Some(15)).len()));
}
