//! The parts of a fill that bones can mirror apart: at rest they cover what the path covers, each on its own side
//! of the cut, and they have the points of the posed path.

use bone_core::{BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_skin::{
    BLine, BindOptions, Follow, PathId, PosedDrawing, Skin, SkinMatrices, WeightField, Weights, WindingRule,
    deform,
};
use kurbo::{BezPath, PathEl, Point, Shape, Vec2};

/// Bones along x, whose weights change over along curved lines.
struct Curved {
    bones: Vec<BoneId>,
}

impl Curved {
    /// How far the line between a bone and the next one is to the left of a point.
    fn beyond(at: Point, bone: usize) -> f64 {
        at.x + 0.01 * at.y * at.y - 60.0 * (bone as f64 + 1.0)
    }
}

impl WeightField for Curved {
    fn bones(&self) -> &[BoneId] {
        &self.bones
    }

    fn weights_at(&self, at: Point, weights: &mut [f64]) {
        let mut left = 1.0;
        for (bone, weight) in weights.iter_mut().enumerate() {
            let share = (Self::beyond(at, bone) / 24.0 + 0.5).clamp(0.0, 1.0);
            let next = if bone + 1 < self.bones.len() { share * share * (3.0 - 2.0 * share) } else { 0.0 };
            *weight = left * (1.0 - next);
            left *= next;
        }
    }
}

fn chain(count: usize) -> (Skeleton, Vec<BoneId>) {
    let name = |at: usize| format!("bone{at}");
    let mut builder = SkeletonBuilder::new();
    for at in 0..count {
        let bone = BoneSpec::new(name(at), 60.0);
        builder = builder.bone(if at == 0 { bone } else { bone.parent(name(at - 1)).origin(60.0, 0.0) });
    }
    let skeleton = builder.build().expect("a chain");
    let bones = skeleton.bones().collect();
    (skeleton, bones)
}

fn bound(path: &BezPath, skeleton: &Skeleton, bones: &[BoneId]) -> (Skin, PathId) {
    let mut skin = Skin::new();
    let field = Curved { bones: bones.to_vec() };
    let options = BindOptions {
        follow: Follow::Curves { skeleton, tolerance: 0.05 },
        fill: Some(WindingRule::NonZero),
        ..BindOptions::default()
    };
    let lines: Vec<BLine> = BLine::from_path(path).into_iter().map(BLine::closed_by_fill).collect();
    let path = skin.bind(&lines, &Weights::Field(&field), &options).expect("a path");
    (skin, path)
}

/// The path with the sides by which a fill closes it.
fn filled(path: &BezPath) -> BezPath {
    let mut filled = BezPath::new();
    for element in path.elements() {
        if matches!(element, PathEl::MoveTo(_)) && !filled.elements().is_empty() {
            filled.close_path();
        }
        filled.push(*element);
    }
    filled.close_path();
    filled
}

const SHAPES: [&str; 5] = [
    "M0 -20H170V20H0Z",
    "M0 -20C60 -50 120 10 170 -20V20C120 60 60 -10 0 20Z",
    // A hole, prongs to both sides, and an outline that is open.
    "M0 -40H170V40H0Z M20 -10V10H150V-10Z",
    "M0 -60H170V-40H20V-10H170V10H20V30H170V50H0Z",
    "M0 -40H170V0H0M0 5V35H170V5",
];

#[test]
fn at_rest_the_parts_cover_what_the_path_covers() {
    for count in [2, 3] {
        let (skeleton, bones) = chain(count);
        let matrices = SkinMatrices::new(&skeleton);
        for shape in SHAPES {
            let path = BezPath::from_svg(shape).expect("path data");
            let (skin, id) = bound(&path, &skeleton, &bones);
            let path = filled(&path);
            let groups: Vec<u32> = (0..count as u32).collect();
            let parts = skin.mirrored_parts(id, &groups).expect("parts");
            assert!(parts.bones().eq(bones.iter().copied()), "{shape}");
            let mut posed = PosedDrawing::new(&skin);
            deform(&skin, &matrices, None, &mut posed);
            let mut out = BezPath::new();
            assert!(!parts.pose(&matrices, posed.path(id).expect("bound"), &mut out), "nothing is mirrored");
            assert_eq!(out.elements().len(), parts.element_count());
            for at in 0..90 * 70 {
                let at = Point::new(2.0 * f64::from(at % 90) - 4.13, 2.0 * f64::from(at / 90) - 70.17);
                let (whole, cut) = (path.winding(at), out.winding(at));
                assert_eq!(whole.abs(), cut.abs(), "{shape} of {count} at {at:?}");
                // The cut is straight between the outlines.
                let beyond = Curved::beyond(at, 0);
                if whole != 0 && beyond.abs() > 20.0 {
                    assert_eq!(cut == whole, beyond < 0.0, "{shape} of {count} at {at:?}");
                }
            }
        }
    }
}

#[test]
fn parts_that_bones_mirror_are_turned() {
    let (skeleton, bones) = chain(2);
    let path = BezPath::from_svg(SHAPES[0]).expect("path data");
    let (skin, id) = bound(&path, &skeleton, &bones);
    let parts = skin.mirrored_parts(id, &[0, 1]).expect("parts");
    let (mut pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
    let (mut matrices, mut posed) = (SkinMatrices::new(&skeleton), PosedDrawing::new(&skin));
    let mut out = BezPath::with_capacity(parts.element_count());
    for (scales, differ) in [
        ([(1.0, 1.0), (-1.0, 1.0)], true),
        ([(-1.0, 1.0), (1.0, 1.0)], false),
        ([(-1.0, 1.0), (1.0, -1.0)], true),
        ([(1.0, 1.0), (-1.0, -1.0)], false),
        ([(1.0, 1.0), (0.0, 1.0)], false),
    ] {
        for (bone, (x, y)) in bones.iter().zip(scales) {
            pose.bones[bone.index()].scale = Vec2::new(x, y);
        }
        world.forward(&skeleton, &pose).expect("a pose of the skeleton");
        matrices.update(&skeleton, &pose, &world);
        deform(&skin, &matrices, None, &mut posed);
        assert_eq!(parts.pose(&matrices, posed.path(id).expect("bound"), &mut out), differ, "{scales:?}");
        if scales[0] == (1.0, 1.0) && scales[1] == (-1.0, 1.0) {
            // Both halves lie over each other.
            assert_eq!(out.winding(Point::new(30.0, 0.0)).abs(), 2);
            assert_eq!(posed.path(id).expect("bound").winding(Point::new(30.0, 0.0)), 0);
        }
    }
}

/// What is interpolated between frames needs it.
#[test]
fn parts_have_the_same_kinds_of_elements_in_every_frame() {
    let (skeleton, bones) = chain(3);
    let path = BezPath::from_svg(SHAPES[2]).expect("path data");
    let (skin, id) = bound(&path, &skeleton, &bones);
    let parts = skin.mirrored_parts(id, &[0, 1, 2]).expect("parts");
    let (mut pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
    let (mut matrices, mut posed) = (SkinMatrices::new(&skeleton), PosedDrawing::new(&skin));
    let mut kinds = Vec::new();
    for pattern in 0..8 {
        for (at, bone) in bones.iter().enumerate() {
            pose.bones[bone.index()].scale = Vec2::new(if pattern >> at & 1 == 1 { -1.0 } else { 1.0 }, 1.0);
        }
        world.forward(&skeleton, &pose).expect("a pose of the skeleton");
        matrices.update(&skeleton, &pose, &world);
        deform(&skin, &matrices, None, &mut posed);
        let mut out = BezPath::new();
        parts.pose(&matrices, posed.path(id).expect("bound"), &mut out);
        kinds.push(out.elements().iter().map(std::mem::discriminant).collect::<Vec<_>>());
    }
    assert!(kinds.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn what_bones_mirror_together_is_not_cut() {
    let (skeleton, bones) = chain(2);
    let path = BezPath::from_svg(SHAPES[0]).expect("path data");
    let (skin, id) = bound(&path, &skeleton, &bones);
    assert_eq!(skin.mirrored_parts(id, &[3, 3]), None);
    let near = BezPath::from_svg("M0 -20H30V20H0Z").expect("path data");
    let (skin, id) = bound(&near, &skeleton, &bones);
    assert_eq!(skin.mirrored_parts(id, &[0, 1]), None, "one bone moves all of it");
}
