//! Finding weights and cutting outlines, once for each change of a rig: detailed outlines, thousands of dots,
//! and typed weights. Prints only; there is no pass or fail.
#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::time::Instant;

use bone_core::{BoneId, BoneSpec, Skeleton, SkeletonBuilder};
use bone_skin::{
    BLine, BindOptions, BoneSegment, BoneWeights, CoveredShape, FieldOptions, Follow, Method, Skin,
    SkinBlend, VertexWeights, Weights, WindingRule, solve_weights,
};
use kurbo::{BezPath, Circle, Point, Shape, Vec2};

/// A chain along x from 50.
fn skeleton(bones: u32, length: f64) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for i in 0..bones {
        let bone = BoneSpec::new(i.to_string(), length);
        builder.push(match i {
            0 => bone.origin(50.0, 250.0),
            _ => bone.parent((i - 1).to_string()).origin(length, 0.0),
        });
    }
    builder.build().expect("a chain")
}

/// A body about the chain, and outlines of many vertices on it.
fn detailed(paths: usize, most: usize) -> Vec<BezPath> {
    let wave = |count: usize, x0: f64, x1: f64, y: f64, high: f64| {
        let mut path = BezPath::new();
        let at = |i: usize| {
            let share = i as f64 / count as f64;
            let round = 2.0 * (share - 0.5).abs();
            let (x, side) = (x1 + (x0 - x1) * round, if share < 0.5 { 1.0 } else { -1.0 });
            let bump = ((i * 7919) % 13) as f64 * 0.05;
            Point::new(x, y + side * (high * (1.0 - (2.0 * round - 1.0).powi(4)) + bump))
        };
        path.move_to(at(0));
        for i in 0..count {
            let (a, b) = (at(i), at((i + 1) % count));
            path.curve_to(a.lerp(b, 0.33), a.lerp(b, 0.66), b);
        }
        path.close_path();
        path
    };
    let mut all = vec![wave(most, 30.0, 970.0, 250.0, 60.0)];
    for k in 1..paths {
        let x = 40.0 + 900.0 * k as f64 / paths as f64;
        all.push(wave(most / (2 + k % 40), x, x + 40.0, 215.0 + (k * 37 % 60) as f64, 8.0));
    }
    all
}

fn dots(count: usize) -> Vec<BezPath> {
    let body = BezPath::from_svg("M30 190H970V310H30Z").expect("path data");
    let dot = |k: usize| {
        let at = Point::new(40.0 + (k * 7919 % 9200) as f64 * 0.1, 195.0 + (k * 104_729 % 1100) as f64 * 0.1);
        Circle::new(at, 1.5).to_path(0.1)
    };
    std::iter::once(body).chain((0..count).map(dot)).collect()
}

fn found(title: &str, paths: &[BezPath], skeleton: &Skeleton) {
    let shapes: Vec<CoveredShape<'_>> = paths
        .iter()
        .map(|path| CoveredShape { path, fill: Some(WindingRule::NonZero), stroke_width: 0.0 })
        .collect();
    let segment = |bone: BoneId| BoneSegment {
        bone,
        origin: skeleton.setup_origin(bone),
        tip: skeleton.setup_tip(bone),
        region: None,
    };
    let bones: Vec<BoneSegment> = skeleton.bones().map(segment).collect();
    let start = Instant::now();
    let (field, _) = solve_weights(&shapes, &bones, Method::Heat, FieldOptions::default()).expect("solvable");
    let solved = start.elapsed().as_secs_f64();
    let mut skin = Skin::new();
    let options = BindOptions {
        blend: SkinBlend::AreaPreserving,
        follow: Follow::Curves { skeleton, tolerance: 0.25 },
        ..BindOptions::default()
    };
    for path in paths {
        skin.bind(&BLine::from_path(path), &Weights::Field(&field), &options).expect("it fits");
    }
    let bound = start.elapsed().as_secs_f64() - solved;
    let segments: usize = paths.iter().map(|path| path.segments().count()).sum();
    println!(
        "{title}: {segments} segments, weights {solved:.3} s, bound {bound:.3} s, {} pieces",
        skin.piece_count()
    );
}

fn typed(paths: usize, skeleton: &Skeleton) {
    let start = Instant::now();
    let mut skin = Skin::new();
    let options = BindOptions {
        blend: SkinBlend::AreaPreserving,
        follow: Follow::Curves { skeleton, tolerance: 0.25 },
        ..BindOptions::default()
    };
    let bones = skeleton.len() as u32;
    for k in 0..paths {
        let mut path = BezPath::new();
        let mut weights = Vec::new();
        let at = |i: usize| Point::new(60.0 + 53.0 * i as f64, 250.0 + (k % 41) as f64 - 20.0);
        path.move_to(at(0));
        for i in 0..=17 {
            let place = f64::from(bones - 1) * i as f64 / 17.0;
            let (first, share) = (place.floor() as u32, place.fract());
            let second = (first + 1).min(bones - 1);
            let row =
                BoneWeights::new([(BoneId::new(first), 1.0 - share), (BoneId::new(second), share + 1e-9)]);
            weights.push(VertexWeights::new(row.expect("weights")));
            if i < 17 {
                let (a, b) = (at(i), at(i + 1));
                path.curve_to(a + Vec2::new(17.0, 6.0), b - Vec2::new(17.0, 6.0), b);
            }
        }
        skin.bind(&BLine::from_path(&path), &Weights::Explicit(&weights), &options).expect("they fit");
    }
    println!(
        "{paths} typed paths of 17 cubics: bound {:.3} s, {} pieces",
        start.elapsed().as_secs_f64(),
        skin.piece_count()
    );
}

fn main() {
    found("142 detailed paths, 15 bones", &detailed(142, 2720), &skeleton(15, 60.0));
    found("5,000 dots, 15 bones", &dots(5000), &skeleton(15, 60.0));
    typed(300, &skeleton(15, 60.0));
}
