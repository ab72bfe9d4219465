//! Linear blend skinning: the cost of an influence, beside a plain loop over points in the same run. Prints
//! only; there is no pass or fail.

use std::hint::black_box;
use std::time::Instant;

use bone_core::{Angle, BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_skin::{
    BLine, BindOptions, BoneWeights, PosedDrawing, Skin, SkinBlend, SkinMatrices, VertexWeights, Weights,
    deform,
};
use kurbo::{Affine, BezPath, Point, Vec2};

const BONES: u32 = 24;

/// A point and its influences, as a plain loop stores them.
type PlainPoint = (Point, Vec<(BoneId, f64)>);

/// Control points, blended linearly.
fn control_points() -> BindOptions<'static> {
    BindOptions { blend: SkinBlend::Linear, ..BindOptions::default() }
}

fn matrices() -> SkinMatrices {
    let mut builder = SkeletonBuilder::new();
    for i in 0..BONES {
        let bone = BoneSpec::new(i.to_string(), 10.0).origin(10.0, 0.0);
        builder.push(if i == 0 { bone } else { bone.parent((i - 1).to_string()) });
    }
    let skeleton: Skeleton = builder.build().expect("a chain");
    let mut pose = Pose::new(&skeleton);
    pose.bones.iter_mut().for_each(|bone| bone.angle = Angle::from_degrees(7.0));
    let mut world = WorldPose::new(&skeleton);
    world.forward(&skeleton, &pose).expect("no loop");
    let mut matrices = SkinMatrices::new(&skeleton);
    matrices.update(&skeleton, &pose, &world);
    matrices
}

/// `paths` paths of 30 cubics. Every point has `influences` bones; a set of weights is shared by `shared`
/// vertices.
fn skin(paths: usize, influences: u32, shared: usize) -> (Skin, Vec<PlainPoint>) {
    let mut skin = Skin::new();
    let mut plain = Vec::new();
    for p in 0..paths {
        let mut path = BezPath::new();
        path.move_to((0.0, p as f64));
        for i in 0..30 {
            let x = f64::from(i) * 8.0;
            path.curve_to((x + 2.0, 5.0), (x + 6.0, -5.0), (x + 8.0, 0.5));
        }
        let lines = BLine::from_path(&path);
        let weights: Vec<VertexWeights> = (0..lines[0].vertices().len())
            .map(|v| {
                let set = (p * 31 + v) / shared;
                let bones = (0..influences).map(|k| {
                    let bone = BoneId::new((set as u32 + k * 5) % BONES);
                    (bone, 1.0 + (set % 97) as f64 + f64::from(k))
                });
                VertexWeights::new(BoneWeights::new(bones).expect("weights"))
            })
            .collect();
        for (v, w) in lines[0].vertices().iter().zip(&weights) {
            for point in [v.tangent_in, v.anchor, v.tangent_out] {
                plain.push((point, w.anchor.influences().to_vec()));
            }
        }
        skin.bind(&lines, &Weights::Explicit(&weights), &control_points()).expect("they fit");
    }
    (skin, plain)
}

fn main() {
    divan::main();
    summary();
}

#[divan::bench(args = [1, 2, 4])]
fn linear(bencher: divan::Bencher<'_, '_>, influences: u32) {
    let (skin, _) = skin(500, influences, 3);
    let matrices = matrices();
    let mut posed = PosedDrawing::new(&skin);
    bencher
        .counter(divan::counter::ItemsCount::new(skin.influence_count()))
        .bench_local(|| deform(black_box(&skin), black_box(&matrices), None, &mut posed));
}

fn best(mut work: impl FnMut()) -> f64 {
    let run = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..40).map(|_| run(&mut work)).fold(f64::INFINITY, f64::min)
}

#[allow(clippy::print_stdout, reason = "a bench prints its figures")]
fn summary() {
    let matrices = matrices();
    println!("\n500 paths of 30 cubics, 24 bones, path elements written (best of 40):");
    println!(
        "{:>10} {:>14} {:>14} {:>16} {:>18}",
        "influences", "points a set", "ns a point", "ns an influence", "plain loop, ns/inf"
    );
    for (influences, shared) in [(1, 3), (2, 1), (2, 3), (4, 1), (4, 3)] {
        let (skin, plain) = skin(500, influences, shared);
        let mut posed = PosedDrawing::new(&skin);
        let ours = best(|| deform(black_box(&skin), black_box(&matrices), None, &mut posed));
        let mut out = vec![Point::ZERO; plain.len()];
        let naive = best(|| {
            for (out, (point, row)) in out.iter_mut().zip(black_box(&plain)) {
                let mut sum = Vec2::ZERO;
                for (bone, weight) in row {
                    let m: Affine = matrices.of(*bone);
                    sum += (m * *point).to_vec2() * *weight;
                }
                *out = sum.to_point();
            }
            black_box(&out);
        });
        let per = |seconds: f64, count: usize| seconds * 1e9 / count as f64;
        println!(
            "{influences:>10} {:>14} {:>14.2} {:>16.2} {:>18.2}",
            shared * 3,
            per(ours, skin.point_count()),
            per(ours, skin.influence_count()),
            per(naive, plain.iter().map(|(_, row)| row.len()).sum()),
        );
    }
}
