//! Poses of a running program that are blended: which whole turns their angles skip, and when they are
//! chosen.

use bone_core::clip::{PoseBlend, PoseMixer};
use bone_core::{Angle, BoneSpec, Pose, SkeletonBuilder};

/// A wheel that turns three times while nothing else is seen, and then fades out: the pose below it turns
/// with it, and the number never jumps.
#[test]
fn what_is_below_takes_over_the_turns_of_what_has_covered_it() {
    let skeleton = SkeletonBuilder::new().bone(BoneSpec::new("wheel", 10.0)).build().expect("a bone");
    let mut mixer = PoseMixer::new(&skeleton, []);
    mixer.insert(&skeleton, 0);
    let mut blended = |degrees: f64, weight: f64| {
        let (mut pose, mut by) = (Pose::new(&skeleton), Pose::new(&skeleton));
        by.bones[0].angle = Angle::from_degrees(degrees);
        mixer.begin(&skeleton, &mut pose);
        mixer.blend(&skeleton, 0, &mut pose, &mut by, weight, PoseBlend::Whole);
        pose.bones[0].angle.degrees()
    };
    assert_eq!(blended(20.0, 0.5), 10.0);
    assert_eq!(blended(20.0, 1.0), 20.0);
    assert_eq!(blended(1100.0, 1.0), 1100.0);
    // From 1100 the pose at rest is 20 degrees away, at 1080.
    for (weight, expected) in [(0.75, 1095.0), (0.5, 1090.0), (0.25, 1085.0), (0.0, 1080.0), (0.5, 1090.0)] {
        assert!((blended(1100.0, weight) - expected).abs() < 1e-9, "{weight}");
    }
}
