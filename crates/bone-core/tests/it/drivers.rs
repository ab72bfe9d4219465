//! Drivers against values computed by hand.

use bone_core::clip::{
    ClipBuilder, Curve, Drive, Driver, Ease, Extend, Key, NotRelative, Scalar, Tracks, Vector,
};
use bone_core::{Angle, BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder};
use kurbo::Vec2;

fn skeleton() -> Skeleton {
    SkeletonBuilder::new()
        .bone(BoneSpec::new("a", 10.0).origin(3.0, 4.0).degrees(25.0))
        .bone(BoneSpec::new("b", 10.0).parent("a").origin(10.0, 0.0).degrees(-35.0))
        .bone(BoneSpec::new("c", 10.0).parent("b").origin(10.0, 0.0))
        .build()
        .expect("a chain")
}

fn id(skeleton: &Skeleton, name: &str) -> BoneId {
    skeleton.find(name).expect("a bone")
}

fn line<T: bone_core::clip::Value>(keys: &[(f64, T)], extend: Extend) -> Curve<T> {
    let keys = keys.iter().map(|&(at, value)| Key::new(at, value).ease(Ease::Linear));
    Curve::new(keys.collect(), extend).expect("sound keys")
}

#[test]
fn every_driving_value_is_relative_to_the_current_setup_pose() {
    let skeleton = skeleton();
    let b = id(&skeleton, "b");
    let mut pose = Pose::new(&skeleton);
    let all = [Drive::Rotate, Drive::MoveX, Drive::MoveY, Drive::ScaleX, Drive::ScaleY, Drive::Stretch];
    for drive in all {
        assert_eq!(drive.of(&skeleton, &pose, b), drive.at_rest());
    }
    let bone = &mut pose.bones[b.index()];
    bone.angle += Angle::from_degrees(400.0);
    bone.origin += Vec2::new(2.0, -7.0);
    bone.scale = Vec2::new(3.0, 0.5);
    bone.stretch = 1.25;
    assert_eq!(all.map(|drive| drive.of(&skeleton, &pose, b)), [400.0, 2.0, -7.0, 3.0, 0.5, 1.25]);
    // An animated setup pose moves bone and rest together.
    pose.set_setup(b, Vec2::new(11.0, 1.0), Angle::from_degrees(65.0));
    assert_eq!(all.map(|drive| drive.of(&skeleton, &pose, b)), [300.0, 1.0, -8.0, 3.0, 0.5, 1.25]);
}

#[test]
fn driven_values_are_added_and_drivers_accumulate() {
    let skeleton = skeleton();
    let (a, b) = (id(&skeleton, "a"), id(&skeleton, "b"));
    let tracks = || {
        Tracks::new()
            .scalar(a, Scalar::Rotate, line(&[(-100.0, 20.0), (0.0, 0.0)], Extend::Hold))
            .scalar(a, Scalar::Stretch, line(&[(-100.0, 1.5), (0.0, 1.0)], Extend::Hold))
            .vector(a, Vector::Move, line(&[(-100.0, Vec2::new(8.0, -4.0)), (0.0, Vec2::ZERO)], Extend::Hold))
            .vector(
                a,
                Vector::Scale,
                line(&[(-100.0, Vec2::new(3.0, 0.0)), (0.0, Vec2::new(1.0, 1.0))], Extend::Hold),
            )
    };
    let driver = Driver::new(b, Drive::Rotate, tracks()).expect("it adds");
    // The clip rotates both; the driver reads the animated rotation of b, -50 of its -100: half of
    // everything.
    let clip = ClipBuilder::new(1.0)
        .scalar(b, Scalar::Rotate, line(&[(0.0, -50.0)], Extend::Hold))
        .scalar(a, Scalar::Rotate, line(&[(0.0, 7.0)], Extend::Hold))
        .scalar(a, Scalar::Stretch, line(&[(0.0, 1.125)], Extend::Hold))
        .vector(a, Vector::Scale, line(&[(0.0, Vec2::new(2.0, 4.0))], Extend::Hold))
        .build(&skeleton)
        .expect("a clip");
    let mut pose = Pose::new(&skeleton);
    clip.sample(&skeleton, 0.5, &mut pose);
    let plain = pose.clone();
    assert_eq!(driver.apply(&skeleton, &mut pose), -50.0);
    let once = pose.bones[a.index()];
    assert_eq!(once.angle.degrees(), 25.0 + 7.0 + 10.0);
    assert_eq!(once.stretch, 1.125 + 0.25);
    assert_eq!(once.origin, Vec2::new(3.0 + 4.0, 4.0 - 2.0));
    assert_eq!(once.scale, Vec2::new(2.0 * 2.0, 4.0 * 0.5));
    // Nothing else moves.
    assert_eq!(pose.bones[b.index()], plain.bones[b.index()]);
    driver.apply(&skeleton, &mut pose);
    let twice = pose.bones[a.index()];
    assert_eq!(twice.angle.degrees(), 25.0 + 7.0 + 2.0 * 10.0);
    assert_eq!(twice.stretch, 1.125 + 2.0 * 0.25);
    assert_eq!(twice.scale, Vec2::new(2.0 * 2.0 * 2.0, 4.0 * 0.5 * 0.5));
}

#[test]
fn a_driver_reads_what_those_before_it_did() {
    let skeleton = skeleton();
    let [a, b, c] = ["a", "b", "c"].map(|name| id(&skeleton, name));
    let ramp = |factor: f64| line(&[(0.0, 0.0), (1.0, factor)], Extend::Linear);
    let first = Driver::new(a, Drive::Rotate, Tracks::new().scalar(b, Scalar::Rotate, ramp(2.0)));
    let second = Driver::new(b, Drive::Rotate, Tracks::new().scalar(c, Scalar::Rotate, ramp(-3.0)));
    let mut pose = Pose::new(&skeleton);
    pose.bones[a.index()].angle += Angle::from_degrees(10.0);
    pose.bones[b.index()].angle += Angle::from_degrees(5.0);
    for driver in [first, second] {
        driver.expect("it adds").apply(&skeleton, &mut pose);
    }
    assert_eq!(pose.bones[b.index()].angle.degrees(), -35.0 + 5.0 + 20.0);
    assert_eq!(pose.bones[c.index()].angle.degrees(), -3.0 * 25.0);
}

#[test]
fn outside_its_keys_a_driver_is_extended() {
    let skeleton = skeleton();
    let (a, c) = (id(&skeleton, "a"), id(&skeleton, "c"));
    let driven = |extend: Extend, turn: f64| {
        let keys = line(&[(-90.0, -9.0), (0.0, 0.0), (90.0, 18.0)], extend);
        let driver = Driver::new(a, Drive::Rotate, Tracks::new().scalar(c, Scalar::Rotate, keys));
        let mut pose = Pose::new(&skeleton);
        pose.bones[a.index()].angle += Angle::from_degrees(turn);
        driver.expect("it adds").apply(&skeleton, &mut pose);
        pose.bones[c.index()].angle.degrees()
    };
    assert_eq!((driven(Extend::Hold, -360.0), driven(Extend::Hold, 360.0)), (-9.0, 18.0));
    assert_eq!(driven(Extend::Hold, -45.0), -4.5);
    assert!((driven(Extend::Linear, 180.0) - 36.0).abs() < 1e-12);
    // 225 is 135 after the last key, so 135 after the first one: at 45.
    assert!((driven(Extend::Loop, 225.0) - 9.0).abs() < 1e-12);
}

#[test]
fn absolute_curves_are_errors() {
    let skeleton = skeleton();
    let (a, b) = (id(&skeleton, "a"), id(&skeleton, "b"));
    for channel in [Scalar::Angle, Scalar::SetupAngle] {
        let tracks = Tracks::new().scalar(b, channel, line(&[(0.0, 0.0)], Extend::Hold));
        assert_eq!(Driver::new(a, Drive::Rotate, tracks).unwrap_err(), NotRelative { bone: b });
    }
    for channel in [Vector::Origin, Vector::SetupOrigin] {
        let tracks = Tracks::new().vector(b, channel, line(&[(0.0, Vec2::ZERO)], Extend::Hold));
        assert_eq!(Driver::new(a, Drive::Rotate, tracks).unwrap_err(), NotRelative { bone: b });
    }
}
