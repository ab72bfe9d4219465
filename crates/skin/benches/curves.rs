//! Deforming outlines: 500 paths of 30 cubics, 30 % of the segments deforming, 24 bones, in each mode, beside
//! control points alone and a naive loop over them in the same run. Prints only; there is no pass or fail.

use std::hint::black_box;
use std::time::Instant;

use bone_core::{Angle, BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_skin::{
    BLine, BindOptions, BoneWeights, FoldRule, Follow, PosedDrawing, Skin, SkinBlend, SkinMatrices,
    VertexWeights, Weights, WindingRule, deform, take_out_folds,
};
use kurbo::{BezPath, Point, Vec2};

const BONES: u32 = 24;
const PATHS: usize = 500;
const SEGMENTS: usize = 30;

fn skeleton() -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for i in 0..BONES {
        let bone = BoneSpec::new(i.to_string(), 40.0).origin(40.0, 0.0);
        builder.push(if i == 0 { bone } else { bone.parent((i - 1).to_string()) });
    }
    builder.build().expect("a chain")
}

fn matrices(skeleton: &Skeleton) -> SkinMatrices {
    let mut pose = Pose::new(skeleton);
    for (i, bone) in pose.bones.iter_mut().enumerate() {
        bone.angle = Angle::from_degrees(if i % 2 == 0 { 25.0 } else { -18.0 });
    }
    let mut world = WorldPose::new(skeleton);
    world.forward(skeleton, &pose).expect("no loop");
    let mut matrices = SkinMatrices::new(skeleton);
    matrices.update(skeleton, &pose, &world);
    matrices
}

/// A wavy outline of 30 cubics along the bones, and its weights: 9 of 30 segments lead from one bone to the
/// next.
fn path(number: usize) -> (BezPath, Vec<VertexWeights>) {
    let first = number % (BONES as usize - 10);
    let (left, y) = (40.0 * first as f64, (number % 37) as f64 - 18.0);
    let mut path = BezPath::new();
    let mut weights = Vec::new();
    let step = 400.0 / SEGMENTS as f64;
    path.move_to((left, y));
    for i in 0..=SEGMENTS {
        // Every third or fourth segment passes a joint: nine in all.
        let bone = BoneId::new((first + (i * 9) / SEGMENTS) as u32);
        weights.push(VertexWeights::new(BoneWeights::one(bone)));
        if i < SEGMENTS {
            let x = left + i as f64 * step;
            path.curve_to((x + step / 3.0, y + 4.0), (x + 2.0 * step / 3.0, y - 4.0), (x + step, y));
        }
    }
    (path, weights)
}

fn bound(skeleton: &Skeleton, blend: SkinBlend, follow: Follow<'_>) -> Skin {
    let mut skin = Skin::new();
    for number in 0..PATHS {
        let (path, weights) = path(number);
        let options = BindOptions { blend, follow, ..BindOptions::default() };
        skin.bind(&BLine::from_path(&path), &Weights::Explicit(&weights), &options).expect("they fit");
    }
    let _ = skeleton;
    skin
}

fn main() {
    divan::main();
    summary();
}

#[divan::bench]
fn area_preserving(bencher: divan::Bencher<'_, '_>) {
    let skeleton = skeleton();
    let skin =
        bound(&skeleton, SkinBlend::AreaPreserving, Follow::Curves { skeleton: &skeleton, tolerance: 0.25 });
    let matrices = matrices(&skeleton);
    let mut posed = PosedDrawing::new(&skin);
    bencher.bench_local(|| deform(black_box(&skin), black_box(&matrices), None, &mut posed));
}

fn best(mut work: impl FnMut()) -> f64 {
    let run = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..60).map(|_| run(&mut work)).fold(f64::INFINITY, f64::min)
}

/// A limb of 30 cubics about two bones, and its weights.
fn limb() -> (BezPath, Vec<VertexWeights>) {
    let mut path = BezPath::new();
    let mut weights = Vec::new();
    let half = SEGMENTS / 2;
    let at = |i: usize| {
        let (x, y) = if i < half { (i, -20.0) } else { (SEGMENTS - i, 20.0) };
        Point::new(40.0 + 80.0 * x as f64 / half as f64, y)
    };
    path.move_to(at(0));
    for i in 0..=SEGMENTS {
        let share = ((at(i).x - 70.0) / 20.0).clamp(0.0, 1.0);
        let row = [(BoneId::new(0), 1.0 - share), (BoneId::new(1), share)];
        weights.push(VertexWeights::new(BoneWeights::new(row).expect("a sum above 0")));
        if i < SEGMENTS {
            let (from, to) = (at(i), at(i + 1));
            path.curve_to(from.lerp(to, 1.0 / 3.0), from.lerp(to, 2.0 / 3.0), to);
        }
    }
    path.close_path();
    (path, weights)
}

/// Elbows of which each has a fold.
#[allow(clippy::print_stdout, reason = "a bench prints its figures")]
fn folds() {
    let skeleton = skeleton();
    let mut pose = Pose::new(&skeleton);
    pose.bones[1].angle = Angle::from_degrees(110.0);
    let mut world = WorldPose::new(&skeleton);
    world.forward(&skeleton, &pose).expect("no loop");
    let mut matrices = SkinMatrices::new(&skeleton);
    matrices.update(&skeleton, &pose, &world);
    let (path, weights) = limb();
    for folds in [FoldRule::Keep, FoldRule::Clean] {
        let mut skin = Skin::new();
        let follow = Follow::Curves { skeleton: &skeleton, tolerance: 0.25 };
        let options =
            BindOptions { follow, fill: Some(WindingRule::NonZero), folds, ..BindOptions::default() };
        for _ in 0..PATHS {
            skin.bind(&BLine::from_path(&path), &Weights::Explicit(&weights), &options).expect("they fit");
        }
        let mut posed = PosedDrawing::new(&skin);
        let ms = 1e3
            * best(|| {
                deform(black_box(&skin), black_box(&matrices), None, &mut posed);
                take_out_folds(&skin, &mut posed);
            });
        println!("{PATHS} elbows of {SEGMENTS} cubics, {folds:?}: {ms:.3} ms a frame");
    }
}

#[allow(clippy::print_stdout, reason = "a bench prints its figures")]
fn summary() {
    let skeleton = skeleton();
    let matrices = matrices(&skeleton);
    println!(
        "\n{PATHS} paths of {SEGMENTS} cubics, 30 % of the segments soft, {BONES} bones, tolerance 0.25 (best of 60):"
    );
    for blend in [SkinBlend::Linear, SkinBlend::AreaPreserving, SkinBlend::RotationCenters] {
        for curves in [false, true] {
            let follow = if curves {
                Follow::Curves { skeleton: &skeleton, tolerance: 0.25 }
            } else {
                Follow::ControlPoints
            };
            let start = Instant::now();
            let skin = bound(&skeleton, blend, follow);
            let binding = start.elapsed().as_secs_f64() * 1e3;
            let mut posed = PosedDrawing::new(&skin);
            let ms = best(|| deform(black_box(&skin), black_box(&matrices), None, &mut posed)) * 1e3;
            let what = if curves { "curves" } else { "control points" };
            println!(
                "{:<16} {what:<15} {ms:7.3} ms a frame, {:>6} points, {:>5} pieces, {:5.2} ns an influence, bound in {binding:.0} ms",
                format!("{blend:?}"),
                skin.point_count(),
                skin.piece_count(),
                ms * 1e6 / skin.influence_count() as f64,
            );
        }
    }
    folds();
    // The naive method: each control point by itself, nothing shared.
    let mut points: Vec<(Point, Vec<(BoneId, f64)>)> = Vec::new();
    for number in 0..PATHS {
        let (path, weights) = path(number);
        for (vertex, w) in BLine::from_path(&path)[0].vertices().iter().zip(&weights) {
            for at in [vertex.tangent_in, vertex.anchor, vertex.tangent_out] {
                points.push((at, w.anchor.influences().to_vec()));
            }
        }
    }
    let mut out = vec![Point::ZERO; points.len()];
    let ms = best(|| {
        for (out, (point, row)) in out.iter_mut().zip(black_box(&points)) {
            let sum = row
                .iter()
                .fold(Vec2::ZERO, |sum, (bone, w)| sum + (matrices.of(*bone) * *point).to_vec2() * *w);
            *out = sum.to_point();
        }
        black_box(&out);
    }) * 1e3;
    println!("{:<16} {:<15} {ms:7.3} ms a frame", "naive", "control points");
}
