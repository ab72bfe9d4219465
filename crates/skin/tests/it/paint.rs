//! The motion of paint: affine maps are reproduced, thin outlines give a similarity, and bending does not
//! widen a stroke.

use bone_core::{Angle, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_skin::{
    BLine, BindOptions, BoneWeights, Follow, PaintFit, PathId, PosedDrawing, Skin, SkinMatrices,
    VertexWeights, Weights, deform,
};
use kurbo::{Affine, BezPath, Point, Vec2};

fn arm() -> Skeleton {
    let bones = [BoneSpec::new("upper", 50.0), BoneSpec::new("fore", 50.0).parent("upper").origin(50.0, 0.0)];
    bones.into_iter().fold(SkeletonBuilder::new(), SkeletonBuilder::bone).build().expect("a skeleton")
}

/// An outline whose vertices right of the joint follow the forearm, posed.
fn posed(path: &str, turns: [f64; 2], scale: f64) -> (Skin, PaintFit, PosedDrawing, SkinMatrices) {
    let arm = arm();
    let bones = ["upper", "fore"].map(|name| arm.find(name).expect("a bone"));
    let lines = BLine::from_path(&BezPath::from_svg(path).expect("path data"));
    let weights: Vec<VertexWeights> = lines
        .iter()
        .flat_map(|line| line.vertices())
        .map(|vertex| {
            let bone = bones[usize::from(vertex.anchor.x > 50.0)];
            VertexWeights::new(BoneWeights::new(vec![(bone, 1.0)]).expect("a weight"))
        })
        .collect();
    let mut skin = Skin::new();
    let options =
        BindOptions { follow: Follow::Curves { skeleton: &arm, tolerance: 0.25 }, ..BindOptions::default() };
    let path = skin.bind(&lines, &Weights::Explicit(&weights), &options).expect("weights that fit");
    let (mut pose, mut world) = (Pose::new(&arm), WorldPose::new(&arm));
    for (bone, turn) in bones.into_iter().zip(turns) {
        pose.bones[bone.index()].angle = Angle::from_degrees(turn);
    }
    pose.bones[bones[0].index()].scale = Vec2::new(scale, scale);
    world.forward(&arm, &pose).expect("no loop");
    let (mut matrices, mut posed) = (SkinMatrices::new(&arm), PosedDrawing::new(&skin));
    matrices.update(&arm, &pose, &world);
    deform(&skin, &matrices, None, &mut posed);
    let fit = skin.paint_fit(path);
    (skin, fit, posed, matrices)
}

const LIMB: &str = "M0 -10C30 -12 70 -12 100 -10L100 10L0 10Z";

fn near(a: Affine, b: Affine, most: f64) -> bool {
    a.as_coeffs().into_iter().zip(b.as_coeffs()).all(|(a, b)| (a - b).abs() <= most)
}

#[test]
fn a_limb_that_moves_as_one_gives_its_bone_s_matrix() {
    let (skin, fit, now, matrices) = posed(LIMB, [35.0, 0.0], 1.4);
    assert!(near(fit.affine(&now), matrices.as_slice()[0], 1e-10));
    assert!((fit.scale(&skin, &now) - 1.4).abs() < 1e-12);
    let (_, fit, now, _) = posed(LIMB, [0.0, 0.0], 1.0);
    assert!(near(fit.affine(&now), Affine::IDENTITY, 1e-12));
}

#[test]
fn bending_keeps_paint_on_the_shape_and_strokes_as_wide_as_they_are() {
    for bend in [30.0, 60.0, 90.0, 120.0] {
        let (skin, fit, now, matrices) = posed(LIMB, [0.0, bend], 1.0);
        assert!((fit.scale(&skin, &now) - 1.0).abs() < 1e-9, "{bend}: {}", fit.scale(&skin, &now));
        let paint = fit.affine(&now);
        assert!(paint.determinant() > 0.0, "{bend}: {paint:?}");
        // The ends of the paint are near the ends of the limb: much nearer than if it had stayed.
        let end = matrices.as_slice()[1] * Point::new(100.0, 0.0);
        let (with, without) = ((paint * Point::new(100.0, 0.0)).distance(end), 100.0);
        assert!(with < 0.3 * without, "{bend}: {with}");
    }
}

#[test]
fn thin_outlines_turn_and_points_move() {
    for line in ["M0 0L100 0", "M0 0C30 0.1 60 -0.1 100 0"] {
        let (_, fit, now, _) = posed(line, [0.0, 90.0], 1.0);
        let [a, b, c, d, ..] = fit.affine(&now).as_coeffs();
        assert!((a - d).abs() < 1e-12 && (b + c).abs() < 1e-12 && b > 0.1, "{line}: {a} {b} {c} {d}");
    }
    let (_, fit, now, matrices) = posed("M60 0L60 0", [0.0, 90.0], 1.0);
    let there = matrices.as_slice()[1] * Point::new(60.0, 0.0);
    assert!(near(fit.affine(&now), Affine::translate(there - Point::new(60.0, 0.0)), 1e-9));
    let none = Skin::new().paint_fit(PathId::new(0));
    assert_eq!(none.affine(&now), Affine::IDENTITY);
}
