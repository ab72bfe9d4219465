//! Building: order, subtrees, every error with its name, and sizes that would overflow a recursion.

use bone_core::{Angle, BoneSpec, Inherit, Pose, SkeletonBuilder, WorldPose};
use proptest::prelude::*;

#[test]
fn every_mistake_at_once_and_by_name() {
    let errors = SkeletonBuilder::new()
        .bone(BoneSpec::new("hip", 10.0))
        .bone(BoneSpec::new("hip", 10.0))
        .bone(BoneSpec::new("flat", 0.0).parent("hip"))
        .bone(BoneSpec::new("long", f64::INFINITY).parent("hip"))
        .bone(BoneSpec::new("back", -3.0).parent("hip"))
        .bone(BoneSpec::new("lost", 10.0).parent("hop"))
        .bone(BoneSpec::new("nan", 10.0).degrees(f64::NAN))
        .bone(BoneSpec::new("a", 1.0).parent("c"))
        .bone(BoneSpec::new("b", 1.0).parent("a"))
        .bone(BoneSpec::new("c", 1.0).parent("b"))
        .bone(BoneSpec::new("self", 1.0).parent("self"))
        .bone(BoneSpec::new("tail", 1.0).parent("c"))
        .build()
        .expect_err("many mistakes");
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "two bones have the name \"hip\"",
            "bone \"flat\" has the length 0; it must be a number above 0",
            "bone \"long\" has the length inf; it must be a number above 0",
            "bone \"back\" has the length -3; it must be a number above 0",
            "bone \"nan\" has an origin or angle that is not finite",
            "bone \"lost\" has the parent \"hop\", which does not exist",
            "the parents of bones form a cycle: \"a\" -> \"c\" -> \"b\" -> \"a\"",
            "the parents of bones form a cycle: \"self\" -> \"self\"",
        ]
    );
}

proptest! {
    #[test]
    fn depth_first_whatever_the_order(parents in prop::collection::vec(prop::option::of(0_usize..1000), 1..60), seed in any::<u64>()) {
        let mut specs: Vec<BoneSpec> = parents
            .iter()
            .enumerate()
            .map(|(i, p)| {
                let mut bone = BoneSpec::new(i.to_string(), 1.0);
                bone.parent = p.filter(|_| i > 0).map(|p| (p % i.max(1)).to_string());
                bone
            })
            .collect();
        // Any order in: a cheap shuffle.
        let count = specs.len();
        for i in 0..count {
            specs.swap(i, (seed as usize).wrapping_mul(i + 1) % count);
        }
        let mut builder = SkeletonBuilder::new();
        for bone in specs {
            builder.push(bone);
        }
        let skeleton = builder.build().expect("a sound forest");
        for bone in skeleton.bones() {
            if let Some(parent) = skeleton.parent(bone) {
                prop_assert!(parent < bone);
            }
            // The subtree by its definition: all bones with `bone` among their ancestors.
            for other in skeleton.bones() {
                let mut at = Some(other);
                while let Some(a) = at.filter(|&a| a != bone) {
                    at = skeleton.parent(a);
                }
                prop_assert_eq!(skeleton.subtree(bone).any(|b| b == other), at.is_some());
            }
        }
    }
}

#[test]
fn a_chain_of_a_hundred_thousand() {
    let count = 100_000;
    let mut builder = SkeletonBuilder::new();
    for i in (0..count).rev() {
        let bone = BoneSpec::new(i.to_string(), 1.0);
        builder.push(if i == 0 { bone } else { bone.parent((i - 1).to_string()).origin(1.0, 0.0) });
    }
    let skeleton = builder.build().expect("a chain");
    let mut pose = Pose::new(&skeleton);
    // A closed polygon: the whole chain rotates once.
    for bone in &mut pose.bones {
        bone.angle = Angle::from_degrees(360.0 / f64::from(count));
    }
    let mut world = WorldPose::new(&skeleton);
    world.forward(&skeleton, &pose).expect("no loop");
    let last = skeleton.bones().next_back().expect("not empty");
    let end = world.tip(&skeleton, &pose, last);
    let start = world.origin(skeleton.bones().next().expect("not empty"));
    assert!((end - start).hypot() < 1e-3, "{start:?} {end:?}");
    assert_eq!(skeleton.subtree(bone_core::BoneId::new(0)).len(), 100_000);
}

proptest! {
    /// Art at rest keeps its numbers, also while other bones move, and again when they are back.
    #[test]
    fn bones_at_rest_move_nothing_to_the_bit(
        bones in prop::collection::vec((0_usize..1000, -300.0..300.0_f64, -300.0..300.0_f64, -400.0..400.0_f64, 0..4_u8), 1..40),
        moved in 0_usize..1000,
        by in -90.0..90.0_f64,
    ) {
        let inherit = [Inherit::All, Inherit::NoScale, Inherit::NoRotation, Inherit::TranslationOnly];
        let mut builder = SkeletonBuilder::new();
        for (i, (parent, x, y, degrees, mode)) in bones.iter().enumerate() {
            let mut bone = BoneSpec::new(i.to_string(), 10.0).origin(*x, *y).degrees(*degrees);
            bone.parent = (i > 0 && parent % 5 > 0).then(|| (parent % i).to_string());
            bone.inherit = inherit[usize::from(*mode)];
            builder.push(bone);
        }
        let skeleton = builder.build().expect("a forest");
        let turned = skeleton.bones().nth(moved % bones.len()).expect("a bone");
        let (mut pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
        let under = |bone| std::iter::successors(Some(bone), |b| skeleton.parent(*b)).any(|b| b == turned);
        for step in 0..3 {
            let setup = Pose::new(&skeleton).bones[turned.index()].angle;
            pose.bones[turned.index()].angle = setup + Angle::from_degrees(if step == 1 { by } else { 0.0 });
            world.forward(&skeleton, &pose).expect("a forest");
            for bone in skeleton.bones().filter(|bone| step != 1 || !under(*bone)) {
                prop_assert_eq!(world.skin_matrix(&skeleton, &pose, bone).as_coeffs(), [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
            }
        }
        // A stretch is no rest, though it leaves the bone's own matrix as it is.
        pose.bones[turned.index()].stretch = 1.5;
        world.forward(&skeleton, &pose).expect("a forest");
        prop_assert!(world.skin_matrix(&skeleton, &pose, turned).determinant() > 1.4);
    }
}
