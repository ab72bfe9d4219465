//! Forward kinematics: the cost of a bone, from a character to a hundred thousand bones. Prints only; there
//! is no pass or fail.

use std::hint::black_box;
use std::time::Instant;

use bone_core::{Angle, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};

fn main() {
    divan::main();
    summary();
}

/// A tree with limbs: the parent of each bone is the one before it, that of every seventh is further up.
fn skeleton(count: usize) -> (Skeleton, Pose) {
    let mut builder = SkeletonBuilder::new();
    for i in 0..count {
        let bone = BoneSpec::new(i.to_string(), 10.0).origin(10.0, 0.0).degrees(5.0);
        let parent = if i % 7 == 0 { i / 2 } else { i.saturating_sub(1) };
        builder.push(if i == 0 { bone } else { bone.parent(parent.to_string()) });
    }
    let skeleton = builder.build().expect("a tree");
    let mut pose = Pose::new(&skeleton);
    for (i, bone) in pose.bones.iter_mut().enumerate() {
        bone.angle += Angle::from_degrees((i % 90) as f64 - 45.3);
    }
    (skeleton, pose)
}

#[divan::bench(args = [8, 56, 1_000, 100_000])]
fn forward(bencher: divan::Bencher<'_, '_>, bones: usize) {
    let (skeleton, pose) = skeleton(bones);
    let mut world = WorldPose::new(&skeleton);
    bencher
        .counter(divan::counter::ItemsCount::new(bones))
        .bench_local(|| world.forward(black_box(&skeleton), black_box(&pose)));
}

#[allow(clippy::print_stdout, reason = "a bench prints its figures")]
fn summary() {
    println!("\nforward kinematics, trigonometry of every bone included (best of 30 runs):");
    for count in [8, 56, 1_000, 100_000] {
        let (skeleton, pose) = skeleton(count);
        let mut world = WorldPose::new(&skeleton);
        let rounds = (2_000_000 / count).max(3);
        let best = (0..30)
            .map(|_| {
                let start = Instant::now();
                for _ in 0..rounds {
                    let _ = black_box(world.forward(black_box(&skeleton), black_box(&pose)));
                }
                start.elapsed().as_secs_f64() / rounds as f64
            })
            .fold(f64::INFINITY, f64::min);
        println!("{count:>8} bones: {:6.2} ns a bone", best * 1e9 / count as f64);
    }
}
