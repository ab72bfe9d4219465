//! Art that follows as a whole: no affine map is nearer to the deformation of its points, and with one bone
//! it is that bone's matrix.

use bone_core::{Angle, BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_skin::{
    AffineBinding, BLine, BindOptions, PosedDrawing, Skin, SkinBlend, SkinMatrices, WeightField, Weights,
    deform,
};
use kurbo::{Affine, BezPath, ParamCurve as _, Point};

/// Weights that change along x alone.
struct Ramp(Vec<BoneId>);

impl WeightField for Ramp {
    fn bones(&self) -> &[BoneId] {
        &self.0
    }

    fn weights_at(&self, point: Point, weights: &mut [f64]) {
        let t = (point.x / 100.0).clamp(0.0, 1.0);
        weights.fill(0.0);
        weights[0] = 1.0 - t;
        *weights.last_mut().expect("a bone") += t;
    }
}

fn posed(skin: &Skin, turn: f64) -> (Skeleton, SkinMatrices, PosedDrawing) {
    let bones = [BoneSpec::new("upper", 50.0), BoneSpec::new("fore", 50.0).parent("upper").origin(50.0, 0.0)];
    let arm =
        bones.into_iter().fold(SkeletonBuilder::new(), SkeletonBuilder::bone).build().expect("a skeleton");
    let (mut pose, mut world) = (Pose::new(&arm), WorldPose::new(&arm));
    pose.bones[0].angle = Angle::from_degrees(20.0);
    pose.bones[1].angle = Angle::from_degrees(turn);
    pose.bones[1].scale.y = 1.3;
    world.forward(&arm, &pose).expect("a tree");
    let (mut matrices, mut posed) = (SkinMatrices::new(&arm), PosedDrawing::new(skin));
    matrices.update(&arm, &pose, &world);
    deform(skin, &matrices, None, &mut posed);
    (arm, matrices, posed)
}

fn places() -> Vec<Point> {
    (0..25).map(|k| Point::new(30.0 + 10.0 * f64::from(k % 5), -12.0 + 6.0 * f64::from(k / 5))).collect()
}

#[test]
fn no_affine_map_is_nearer() {
    let skin = Skin::new();
    let (_, matrices, posed) = posed(&skin, 70.0);
    let field = Ramp(vec![BoneId::new(0), BoneId::new(1)]);
    for mode in [SkinBlend::Linear, SkinBlend::AreaPreserving] {
        let found = AffineBinding::new(&places(), &field, mode).affine(&skin, &matrices, &posed);
        let error = |map: Affine| -> f64 {
            let apart = |at: &Point| {
                let mut row = [0.0; 2];
                field.weights_at(*at, &mut row);
                let to = matrices.blended(mode, &[(field.0[0], row[0]), (field.0[1], row[1])], *at);
                (map * *at - to).hypot2()
            };
            places().iter().map(apart).sum()
        };
        let least = error(found);
        assert!(least > 1.0, "this bend is no affine map");
        for k in 0..6 {
            for step in [-1e-3, 1e-3] {
                let mut other = found.as_coeffs();
                other[k] += step;
                assert!(error(Affine::new(other)) > least, "{mode:?}: coefficient {k} by {step}");
            }
        }
    }
}

#[test]
fn under_one_bone_it_is_that_bone_s_matrix() {
    let skin = Skin::new();
    let (arm, matrices, posed) = posed(&skin, 70.0);
    let fore = arm.find("fore").expect("a bone");
    for mode in [SkinBlend::Linear, SkinBlend::AreaPreserving, SkinBlend::RotationCenters] {
        let map = AffineBinding::new(&places(), &Ramp(vec![fore]), mode).affine(&skin, &matrices, &posed);
        assert_eq!(map, matrices.of(fore), "{mode:?}");
    }
}

#[test]
fn at_a_vertex_it_stays_at_the_vertex() {
    let mut skin = Skin::new();
    let field = Ramp(vec![BoneId::new(0), BoneId::new(1)]);
    let lines = BLine::from_path(&BezPath::from_svg("M0 0L60 4L100 0").expect("path data"));
    let path = skin.bind(&lines, &Weights::Field(&field), &BindOptions::default()).expect("bound");
    let (_, matrices, posed) = posed(&skin, 70.0);
    let map = AffineBinding::new(&places(), &field, SkinBlend::Linear)
        .at_vertex(path, 1)
        .affine(&skin, &matrices, &posed);
    let vertex = posed.path(path).expect("a bound path").segments().next().expect("a side").end();
    assert!((map * Point::new(60.0, 4.0) - vertex).hypot() < 1e-9);
}

#[test]
fn art_without_points_or_bones_stays() {
    let skin = Skin::new();
    let (_, matrices, posed) = posed(&skin, 70.0);
    for (places, bones) in [(Vec::new(), vec![BoneId::new(0)]), (places(), Vec::new())] {
        let map =
            AffineBinding::new(&places, &Ramp(bones), SkinBlend::Linear).affine(&skin, &matrices, &posed);
        assert_eq!(map, Affine::IDENTITY);
    }
}
