//! Constraints against independent formulas: the forward pass from scratch, brute force, fine polylines; and
//! with arbitrary input.

use bone_core::constraint::{
    Aim, AttachmentPoint, Bend, Constraint, ConstraintRule, ConstraintScratch, ConstraintStatus,
    ConstraintTrack, CopyBone, CopySpace, Distance, DistanceMode, Effector, EndAngle, Hold, IgnoredReason,
    Ik, Limit, MeasuredPath, Path, PathTurn, Target, apply,
};
use bone_core::{
    Angle, BoneId, BoneSpec, Inherit, Pose, Rebase, Reparent, Skeleton, SkeletonBuilder, WorldPose,
};
use kurbo::{BezPath, Point, Vec2};
use proptest::prelude::*;

/// A line of bones, each at the tip of the one before it.
fn line(count: usize, inherit: impl Fn(usize) -> Inherit) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for i in 0..count {
        let bone = BoneSpec::new(i.to_string(), 10.0 + i as f64).degrees(20.0).inherit(inherit(i));
        let hung = || bone.clone().parent((i - 1).to_string()).origin(9.0 + i as f64, 0.0);
        builder.push(if i == 0 { bone.clone().origin(30.0, 40.0) } else { hung() });
    }
    builder.build().expect("a line")
}

/// Applies one constraint, and checks that the canvas is what the forward pass makes of the new pose.
fn run(skeleton: &Skeleton, pose: &mut Pose, constraint: Constraint) -> (WorldPose, ConstraintStatus) {
    let mut world = WorldPose::new(skeleton);
    world.forward(skeleton, pose).expect("no loop");
    let mut scratch = ConstraintScratch::new();
    let constraints = [constraint];
    apply(&constraints, &[constraints[0].parameters()], skeleton, pose, &mut world, &mut scratch);
    let mut again = WorldPose::new(skeleton);
    again.forward(skeleton, pose).expect("no loop");
    for (a, b) in world.matrices().iter().zip(again.matrices()) {
        let same =
            a.as_coeffs().iter().zip(b.as_coeffs()).all(|(a, b)| a.to_bits() == b.to_bits() || a == &b);
        assert!(same || !b.is_finite(), "{a:?} is not {b:?}");
    }
    (world, scratch.statuses()[0])
}

fn ik(bone: u32, target: Point, chain: usize) -> Ik {
    Ik::new(Effector::new(BoneId::new(bone), Target::Canvas(target), chain))
}

fn scale() -> impl Strategy<Value = (f64, f64)> {
    let part = || prop_oneof![3 => Just(1.0), 2 => 0.6..1.6_f64, 1 => -1.4..-0.7_f64];
    (part(), part())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn user_transforms_invert_any_frames(
        turns in prop::collection::vec(-50.0..50.0_f64, 6),
        goals in prop::collection::vec(-40.0..40.0_f64, 6),
        scales in prop::collection::vec(scale(), 6),
        stretches in prop::collection::vec(0.7..1.5_f64, 6),
        inherits in prop::collection::vec(0..8_usize, 6),
        handed in any::<bool>(),
    ) {
        let mode = |i: usize| match inherits[i] { 0 => Inherit::NoScale, 1 => Inherit::TranslationOnly, _ => Inherit::All };
        let skeleton = line(6, mode);
        let mut pose = Pose::new(&skeleton);
        for (i, bone) in pose.bones.iter_mut().enumerate() {
            bone.angle += Angle::from_degrees(turns[i]);
            bone.scale = Vec2::new(scales[i].0, scales[i].1);
            bone.stretch = stretches[i];
        }
        if handed {
            let angle = Angle::from_radians(0.5);
            let place = angle.rotation().then_translate(Vec2::new(3.0, -4.0));
            let rebase = Rebase { place, axes: angle.rotation(), turn: angle };
            pose.set_parent(Reparent { bone: BoneId::new(4), parent: Some(BoneId::new(2)), rebase });
        }
        // A target within reach of the four bones: the tip in another pose.
        let tip = BoneId::new(5);
        let mut other = pose.clone();
        for i in [1, 2, 4, 5] {
            other.bones[i].angle += Angle::from_degrees(goals[i]);
        }
        let mut world = WorldPose::new(&skeleton);
        world.forward(&skeleton, &other).expect("no loop");
        let target = world.tip(&skeleton, &other, tip);
        let before = pose.clone();
        let (world, status) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Ik(ik(5, target, 4))));
        let miss = (world.tip(&skeleton, &pose, tip) - target).hypot();
        prop_assert!(pose.bones.iter().all(bone_core::BonePose::is_finite));
        // The status is true; between the two limits either is accepted.
        prop_assert!(if status == ConstraintStatus::Met { miss < 1e-4 } else { miss > 1e-8 }, "{} {:?}", miss, status);
        for (i, (a, b)) in pose.bones.iter().zip(&before.bones).enumerate() {
            prop_assert!(a.origin == b.origin && a.scale == b.scale && a.stretch == b.stretch);
            prop_assert!(i > 0 || a.angle == b.angle);
        }
    }

    #[test]
    fn no_input_makes_a_nan(
        parts in prop::collection::vec(prop_oneof![5 => -100.0..100.0_f64, 1 => Just(0.0), 1 => Just(f64::NAN), 1 => Just(1e300)], 12),
        zero in 0..5_usize,
    ) {
        let skeleton = line(5, |_| Inherit::All);
        let mut pose = Pose::new(&skeleton);
        pose.bones[zero].scale = Vec2::new(0.0, parts[0]);
        pose.bones[zero].angle = Angle::from_degrees(parts[1]);
        let target = Point::new(parts[2], parts[3]);
        let kinds = [
            ConstraintRule::Ik(ik(4, target, 5)),
            ConstraintRule::Ik(Ik { softness: parts[4], stretch: parts[5], compress: parts[6], ..ik(3, target, 2) }),
            ConstraintRule::Aim(Aim { bone: BoneId::new(2), target: Target::Canvas(target), offset: Angle::from_degrees(parts[7]), softness: parts[7].abs() }),
            ConstraintRule::Distance(Distance {
                bone: BoneId::new(1), point: AttachmentPoint::Tip, target: Target::Canvas(target), distance: parts[8], mode: DistanceMode::At,
            }),
        ];
        for kind in kinds {
            let mut now = pose.clone();
            let (_, status) = run(&skeleton, &mut now, Constraint::new(kind));
            let changed = now.bones.iter().zip(&pose.bones).filter(|(a, b)| a != b);
            prop_assert!(changed.clone().all(|(a, b)| a.is_finite() || !b.is_finite()), "{:?}", status);
        }
    }

    #[test]
    fn two_bones_by_brute_force(x in -40.0..40.0_f64, y in -40.0..40.0_f64, left in any::<bool>()) {
        let skeleton = line(2, |_| Inherit::All);
        let mut pose = Pose::new(&skeleton);
        let base = Point::new(30.0, 40.0);
        let target = base + Vec2::new(x, y);
        let bend = if left { Bend::Left } else { Bend::Right };
        let (world, status) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Ik(Ik { bend, ..ik(1, target, 2) })));
        let distance = Vec2::new(x, y).hypot();
        let tip = world.tip(&skeleton, &pose, BoneId::new(1));
        let elbow = world.origin(BoneId::new(1));
        prop_assert_eq!(status == ConstraintStatus::Met, (1.0..=21.0).contains(&distance));
        // No pair of angles on a grid comes nearer.
        let reach = |a: f64, b: f64| base + Angle::from_degrees(a).direction() * 10.0 + Angle::from_degrees(b).direction() * 11.0;
        let miss = (tip - target).hypot();
        for i in 0..90 {
            for k in 0..90 {
                prop_assert!((reach(f64::from(i) * 4.0, f64::from(k) * 4.0) - target).hypot() >= miss - 1e-9);
            }
        }
        let side = Vec2::new(x, y).cross(elbow - base);
        let over = if left { -side } else { side };
        prop_assert!(over >= -1e-9 * distance);
    }

    #[test]
    fn aim_points_and_distance_keeps(x in -90.0..90.0_f64, y in -90.0..90.0_f64, turn in -170.0..170.0_f64, asked in 0.0..80.0_f64) {
        let skeleton = line(3, |_| Inherit::All);
        let target = Point::new(x, y);
        let mut pose = Pose::new(&skeleton);
        pose.bones[0].scale = Vec2::new(-1.2, 0.7);
        pose.bones[1].angle = Angle::from_degrees(turn);
        let bone = BoneId::new(2);
        let aim = Aim { bone, target: Target::Canvas(target), offset: Angle::ZERO, softness: 0.0 };
        let (world, _) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Aim(aim)));
        let (way, along) = (target - world.origin(bone), world.tip(&skeleton, &pose, bone) - world.origin(bone));
        prop_assert!(way.cross(along).abs() < 1e-9 * way.hypot() * along.hypot() && way.dot(along) > 0.0);

        let keep = Distance { bone, point: AttachmentPoint::Tip, target: Target::Canvas(target), distance: asked, mode: DistanceMode::Under };
        let was = (world.tip(&skeleton, &pose, bone) - target).hypot();
        let (world, _) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Distance(keep)));
        let now = (world.tip(&skeleton, &pose, bone) - target).hypot();
        prop_assert!((now - was.min(asked)).abs() < 1e-9 * (1.0 + was));
    }
}

#[test]
fn bones_lie_on_the_path_by_arc_length() {
    let path =
        BezPath::from_svg("M 10 10 C 60 -40 120 90 180 20 Q 220 -20 240 60 L 200 120").expect("a path");
    let track = MeasuredPath::new(&path).expect("it has a length");
    // A polyline of many points is an independent measure.
    let mut points = vec![Point::new(10.0, 10.0)];
    for segment in path.segments() {
        use kurbo::ParamCurve;
        points.extend((1..=20_000).map(|k| segment.eval(f64::from(k) / 20_000.0)));
    }
    let lengths: Vec<f64> = points.windows(2).map(|w| (w[1] - w[0]).hypot()).collect();
    let total: f64 = lengths.iter().sum();
    assert!((track.length() - total).abs() < 1e-4 * total);
    for k in 0..=50 {
        let asked = total * f64::from(k) / 50.0;
        let mut walked = 0.0;
        let near = lengths.iter().position(|length| {
            walked += length;
            walked >= asked
        });
        let place = points[near.map_or(points.len() - 1, |i| i + 1)];
        assert!((track.at(asked).0 - place).hypot() < 0.02, "{asked}");
    }
    // Beyond the ends straight, wrapped around where it is closed.
    let (end, direction) = track.at(total + 7.0);
    assert!((end - (Point::new(200.0, 120.0) + direction * 7.0)).hypot() < 1e-3);
    let ring = MeasuredPath::new(&BezPath::from_svg("M 0 0 L 10 0 L 10 10 L 0 10 Z").expect("a path"))
        .expect("a length");
    assert!(ring.is_closed() && (ring.at(-5.0).0 - Point::new(0.0, 5.0)).hypot() < 1e-5);

    let skeleton = line(4, |_| Inherit::All);
    let mut pose = Pose::new(&skeleton);
    let bones: Vec<BoneId> = skeleton.bones().collect();
    let lay = Path {
        bones: bones.clone(),
        path: track.clone(),
        position: 0.1,
        spacing: None,
        turn: PathTurn::Chain,
    };
    let (world, _) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Path(lay)));
    let mut at = 0.1 * track.length();
    for bone in bones {
        assert!((world.origin(bone) - track.at(at).0).hypot() < 1e-6);
        at += skeleton.length(bone);
    }
}

#[test]
fn copies_and_limits() {
    let skeleton = line(4, |_| Inherit::All);
    let (bone, from) = (BoneId::new(3), BoneId::new(1));
    let mut pose = Pose::new(&skeleton);
    pose.bones[1].angle += Angle::from_degrees(30.0);
    let copy = CopyBone {
        bone,
        from,
        rotate: Some((-2.0, Angle::from_degrees(5.0))),
        shift: None,
        scale: None,
        space: CopySpace::Local,
    };
    let mut half = Constraint::new(ConstraintRule::Copy(copy));
    half.mix = 0.5;
    run(&skeleton, &mut pose, half);
    let turn = |pose: &Pose| (pose.bones[3].angle - skeleton.setup(bone).angle).degrees();
    assert!((turn(&pose) + 27.5).abs() < 1e-9);
    let limit =
        Limit { bone, rotate: Some((Angle::from_degrees(-10.0), Angle::ZERO)), shift: None, scale: None };
    run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Limit(limit)));
    assert!((turn(&pose) + 10.0).abs() < 1e-9);
    let copy = CopyBone { rotate: Some((1.0, Angle::ZERO)), space: CopySpace::Canvas, ..copy };
    let (world, _) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Copy(copy)));
    let since = |bone| (world.angle(bone) - skeleton.setup_angle(bone)).degrees();
    assert!((since(bone) - since(from)).abs() < 1e-9);
}

#[test]
fn feet_keep_their_angle_and_pins_hold_while_another_end_pulls() {
    let mut builder = SkeletonBuilder::new();
    builder.push(BoneSpec::new("spine", 50.0).degrees(-90.0));
    for (name, side) in [("left", -60.0), ("right", 60.0)] {
        builder
            .push(BoneSpec::new(format!("{name} arm"), 30.0).parent("spine").origin(50.0, 0.0).degrees(side));
        builder.push(
            BoneSpec::new(format!("{name} hand"), 25.0)
                .parent(format!("{name} arm"))
                .origin(30.0, 0.0)
                .degrees(side / 2.0),
        );
    }
    let skeleton = builder.build().expect("a body");
    let find = |name: &str| skeleton.find(name).expect("a bone");
    let mut pose = Pose::new(&skeleton);
    let mut world = WorldPose::new(&skeleton);
    world.forward(&skeleton, &pose).expect("no loop");
    let (left, right) = (find("left hand"), find("right hand"));
    let (held, goal) =
        (world.tip(&skeleton, &pose, left), world.tip(&skeleton, &pose, right) + Vec2::new(-12.0, 9.0));
    let mut both = Ik::new(Effector::new(right, Target::Canvas(goal), 3));
    both.ends.push(Effector::new(left, Target::Here, 3));
    let (world, status) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Ik(both)));
    assert_eq!(status, ConstraintStatus::Met);
    assert!((world.tip(&skeleton, &pose, left) - held).hypot() < 1e-6);
    assert!((world.tip(&skeleton, &pose, right) - goal).hypot() < 1e-6);

    let flat = world.angle(right);
    let goal = world.tip(&skeleton, &pose, right) + Vec2::new(-5.0, 6.0);
    let end = Effector { angle: EndAngle::Keep, ..Effector::new(right, Target::Canvas(goal), 2) };
    let (world, status) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Ik(Ik::new(end))));
    assert_eq!(status, ConstraintStatus::Met);
    assert!((world.tip(&skeleton, &pose, right) - goal).hypot() < 1e-9);
    assert!((world.angle(right) - flat).degrees().abs() < 1e-9);
}

#[test]
fn softness_stretch_and_compression() {
    let skeleton = line(2, |_| Inherit::All);
    let base = Point::new(30.0, 40.0);
    let at = |ik: Ik, target: Point| {
        let mut pose = Pose::new(&skeleton);
        let (world, status) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Ik(Ik { ..ik })));
        let tip = world.tip(&skeleton, &pose, BoneId::new(1));
        ((tip - base).hypot(), (tip - target).hypot(), status)
    };
    let far = base + Vec2::new(0.0, 30.0);
    assert!((at(ik(1, far, 2), far).0 - 21.0).abs() < 1e-9);
    let (_, miss, status) = at(Ik { stretch: 1.5, ..ik(1, far, 2) }, far);
    assert!(miss < 1e-9 && status == ConstraintStatus::Met);
    assert!((at(Ik { stretch: 1.2, ..ik(1, far, 2) }, far).0 - 25.2).abs() < 1e-9);
    let near = base + Vec2::new(0.6, 0.0);
    let (_, miss, _) = at(Ik { compress: 0.5, ..ik(1, near, 2) }, near);
    assert!(miss < 1e-9);
    // Soft: the distance grows with the target's, slower and slower, and never reaches the end.
    let soft: Vec<f64> = (0..200)
        .map(|k| {
            let target = base + Vec2::new(15.0 + f64::from(k) * 0.1, 0.0);
            at(Ik { softness: 0.2, ..ik(1, target, 2) }, target).0
        })
        .collect();
    assert!(soft.windows(2).all(|w| w[1] > w[0] && w[1] - w[0] <= 0.1 + 1e-9) && soft[199] < 21.0);
}

#[test]
fn constraints_that_do_not_apply_leave_the_pose_alone_with_a_reason() {
    let skeleton = line(4, |i| if i == 2 { Inherit::NoRotation } else { Inherit::All });
    let status = |kind: ConstraintRule| {
        let mut pose = Pose::new(&skeleton);
        let (_, status) = run(&skeleton, &mut pose, Constraint::new(kind));
        assert_eq!(pose, Pose::new(&skeleton));
        status
    };
    let nan = Point::new(f64::NAN, 0.0);
    assert_eq!(
        status(ConstraintRule::Ik(ik(1, nan, 2))),
        ConstraintStatus::Ignored(IgnoredReason::NotFinite)
    );
    let own = Effector::new(BoneId::new(1), Target::Bone(BoneId::new(3), AttachmentPoint::Origin), 2);
    assert_eq!(
        status(ConstraintRule::Ik(Ik::new(own))),
        ConstraintStatus::Ignored(IgnoredReason::CarriesTarget)
    );
    assert_eq!(
        status(ConstraintRule::Ik(ik(3, Point::new(1.0, 2.0), 4))),
        ConstraintStatus::Ignored(IgnoredReason::InheritInside)
    );
    let root = Effector {
        point: AttachmentPoint::Origin,
        ..Effector::new(BoneId::new(0), Target::Canvas(Point::ZERO), 2)
    };
    assert_eq!(status(ConstraintRule::Ik(Ik::new(root))), ConstraintStatus::Ignored(IgnoredReason::NoChain));
}

/// A target goes once round a bone: the bone's direction on the canvas is continuous, at any mix, within any
/// limits, with any softness, from any animated angle.
#[test]
fn aim_is_continuous_all_round() {
    let most = 4.0 * 180.0 / 60.0;
    for limits in [None, Some((-40.0, 40.0)), Some((-10.0, 120.0)), Some((-170.0, 175.0)), Some((30.0, 30.0))]
    {
        for (mix, softness, animated) in
            [(1.0, 0.0, 0.0), (0.5, 0.0, 20.0), (0.9, 0.3, 0.0), (0.2, 1.0, -15.0), (1.0, 0.4, 30.0)]
        {
            let mut bone = BoneSpec::new("eye", 10.0);
            let range = limits.map(|(a, b)| (Angle::from_degrees(a), Angle::from_degrees(b)));
            bone.joint = bone_core::Joint::Pin { limits: range };
            let skeleton = SkeletonBuilder::new().bone(bone).build().unwrap();
            let id = BoneId::new(0);
            let look = |k: u32| {
                let mut pose = Pose::new(&skeleton);
                pose.bones[0].angle = Angle::from_degrees(animated);
                let round = Angle::from_degrees(f64::from(k) * 0.1);
                let target = Target::Canvas(Point::ZERO + round.direction() * 100.0);
                let aim = Aim { bone: id, target, offset: Angle::ZERO, softness };
                let mut constraint = Constraint::new(ConstraintRule::Aim(aim));
                constraint.mix = mix;
                run(&skeleton, &mut pose, constraint);
                pose.bones[0].angle.degrees()
            };
            for k in 0..3600 {
                let way = (look(k + 1) - look(k)).rem_euclid(360.0);
                // A rotation by a tenth of a degree, as steep as the way back behind the bone.
                let steep = if limits.is_some_and(|(a, b)| b - a > 300.0) { 40.0 * most } else { most };
                let steep = if mix > 0.8 && mix < 1.0 { 10.0 * steep } else { steep };
                assert!(
                    way.min(360.0 - way) < 0.1 * steep + 1e-9,
                    "{limits:?} mix {mix} softness {softness}: {way} at {k}"
                );
            }
        }
    }
}

#[test]
fn a_mix_above_one_is_one_and_what_is_out_of_reach_is_not_met() {
    let skeleton = line(3, |_| Inherit::All);
    let solved = |target: Point, mix: f64| {
        let mut pose = Pose::new(&skeleton);
        let constraint = Constraint { mix, ..Constraint::new(ConstraintRule::Ik(ik(2, target, 3))) };
        let (world, status) = run(&skeleton, &mut pose, constraint);
        (world.matrices().to_vec(), status)
    };
    let near = Point::new(45.0, 55.0);
    assert_eq!(solved(near, 3.0), solved(near, 1.0));
    assert_eq!(solved(near, 1.0).1, ConstraintStatus::Met);
    for far in [Point::new(100.0, 90.0), Point::new(-500.0, 40.0)] {
        assert_eq!(solved(far, 1.0).1, ConstraintStatus::Nearest, "{far:?}");
    }
}

/// A slide and two turns share the way to the target so that the sum of their squares, each with its stiffness
/// and the slide in lengths of its bone, is least.
#[test]
fn a_stiff_slide_leaves_more_to_the_turns() {
    let rail = BoneSpec {
        joint: bone_core::Joint::Slide { axis: Angle::from_degrees(90.0), limits: None },
        ..BoneSpec::new("rail", 30.0)
    };
    let skeleton = SkeletonBuilder::new()
        .bone(rail)
        .bone(BoneSpec::new("upper", 50.0).parent("rail").origin(30.0, 0.0))
        .bone(BoneSpec::new("fore", 40.0).parent("upper").origin(50.0, 0.0).degrees(20.0))
        .build()
        .expect("sound bones");
    let target = Point::new(105.0, 45.0);
    for stiffness in [0.5, 1.0, 6.0] {
        let ik = Ik { stiffness: vec![(BoneId::new(0), stiffness)], ..ik(2, target, 3) };
        let mut pose = Pose::new(&skeleton);
        let (_, status) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Ik(ik)));
        assert_eq!(status, ConstraintStatus::Met);
        // Every angle of the upper bone, and both directions of the other one that end at the target's x.
        let mut best = (f64::INFINITY, 0.0);
        for step in -12_000..12_000 {
            let upper = f64::from(step) * 1e-4;
            let along = (target.x - 30.0 - 50.0 * libm::cos(upper)) / 40.0;
            if along.abs() > 1.0 {
                continue;
            }
            for fore in [libm::acos(along), -libm::acos(along)] {
                let slide = target.y - 50.0 * libm::sin(upper) - 40.0 * libm::sin(fore);
                let turn = fore - upper - Angle::from_degrees(20.0).radians();
                let cost = stiffness * (slide / 30.0) * (slide / 30.0) + upper * upper + turn * turn;
                if cost < best.0 {
                    best = (cost, slide);
                }
            }
        }
        let slide = pose.bones[0].origin.y;
        assert!((slide - best.1).abs() < 0.02, "{slide}, not {} at {stiffness}", best.1);
    }
}

/// Nicholas, "Soft IK" (2009): the distance follows the target's until the soft zone begins, and from there
/// on it comes nearer to the reach by the same share for each length of the zone.
#[test]
fn a_soft_limb_reaches_as_far_as_the_published_formula() {
    let skeleton = line(2, |_| Inherit::All);
    let (base, reach) = (Point::new(30.0, 40.0), 21.0);
    for softness in [0.1, 0.3, 0.8] {
        let (hard, zone) = (reach * (1.0 - softness), reach * softness);
        for distance in [3.0, 12.0, 15.0, 18.0, 20.5, 21.0, 26.0, 60.0] {
            let target = base + Angle::from_degrees(75.0).direction() * distance;
            let mut pose = Pose::new(&skeleton);
            let soft = Ik { softness, ..ik(1, target, 2) };
            let (world, _) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Ik(soft)));
            let found = (world.tip(&skeleton, &pose, BoneId::new(1)) - base).hypot();
            let left = libm::exp((hard - distance) / zone);
            let want = if distance <= hard { distance } else { reach - zone * left };
            assert!((found - want).abs() < 1e-6, "{softness} {distance}: {found} {want}");
        }
    }
}

/// Links of 10 and 11 reach no nearer than 1, and no nearer than a half if they shrink to one.
#[test]
fn a_limb_shrinks_no_further_than_it_may() {
    let skeleton = line(2, |_| Inherit::All);
    let base = Point::new(30.0, 40.0);
    for (distance, nearest) in [(0.8, 0.8), (0.5, 0.5), (0.1, 0.5)] {
        let target = base + Vec2::new(0.0, distance);
        let mut pose = Pose::new(&skeleton);
        let shrunk = Ik { compress: 0.5, ..ik(1, target, 2) };
        let (world, status) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Ik(shrunk)));
        let found = (world.tip(&skeleton, &pose, BoneId::new(1)) - base).hypot();
        assert!((found - nearest).abs() < 1e-7, "{distance}: {found}");
        assert_eq!(status == ConstraintStatus::Met, nearest == distance, "{distance}");
    }
}

/// At its target a bone has no direction from it: it leaves in its own.
#[test]
fn a_bone_at_its_target_keeps_its_distance_in_its_own_direction() {
    let skeleton = line(3, |_| Inherit::All);
    let bone = BoneId::new(2);
    let at = skeleton.setup_origin(bone);
    let keep = Distance {
        bone,
        point: AttachmentPoint::Origin,
        target: Target::Canvas(at),
        distance: 30.0,
        mode: DistanceMode::Over,
    };
    let mut pose = Pose::new(&skeleton);
    let (world, status) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Distance(keep)));
    // Three bones, each rotated by 20 degrees from the one before.
    let expected = at + Angle::from_degrees(60.0).direction() * 30.0;
    assert!((world.origin(bone) - expected).hypot() < 1e-9 && status == ConstraintStatus::Met);
}

/// Within limits a bone points at its target, however near this is to the direction behind it.
#[test]
fn wide_limits_leave_every_direction_within_them_to_an_aim() {
    let mut bone = BoneSpec::new("eye", 10.0);
    bone.joint =
        bone_core::Joint::Pin { limits: Some((Angle::from_degrees(-170.0), Angle::from_degrees(175.0))) };
    let skeleton = SkeletonBuilder::new().bone(bone).build().expect("a bone");
    for degrees in (-165..=170).step_by(5).map(f64::from) {
        let target = Point::ZERO + Angle::from_degrees(degrees).direction() * 50.0;
        let aim =
            Aim { bone: BoneId::new(0), target: Target::Canvas(target), offset: Angle::ZERO, softness: 0.0 };
        let mut pose = Pose::new(&skeleton);
        let (_, status) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Aim(aim)));
        assert_eq!(status, ConstraintStatus::Met, "{degrees}");
        assert!((pose.bones[0].angle.degrees() - degrees).abs() < 1e-9, "{degrees}");
    }
}

/// An end takes over the direction of its target's bone, and none of its whole turns.
#[test]
fn an_end_does_not_spin_with_its_target() {
    let skeleton = SkeletonBuilder::new()
        .bone(BoneSpec::new("upper", 20.0))
        .bone(BoneSpec::new("fore", 20.0).parent("upper").origin(20.0, 0.0).degrees(30.0))
        .bone(BoneSpec::new("hand", 5.0).parent("fore").origin(20.0, 0.0).degrees(10.0))
        .bone(BoneSpec::new("cup", 5.0).origin(25.0, 20.0).degrees(-70.0))
        .build()
        .expect("sound bones");
    let find = |name: &str| skeleton.find(name).expect("it was added");
    let (hand, cup) = (find("hand"), find("cup"));
    let end = Effector {
        angle: EndAngle::Target,
        point: AttachmentPoint::Origin,
        ..Effector::new(hand, Target::Bone(cup, AttachmentPoint::Origin), 2)
    };
    for turns in [-2.0, 0.0, 1.0, 3.0] {
        let mut pose = Pose::new(&skeleton);
        pose.bones[cup.index()].angle += Angle::from_degrees(40.0 + 360.0 * turns);
        let (world, status) = run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Ik(Ik::new(end))));
        assert_eq!(status, ConstraintStatus::Met);
        // At rest the hand stands at 40 degrees.
        assert!((world.angle(hand).degrees() - 80.0).abs() < 1e-9, "{turns}: {:?}", world.angle(hand));
    }
}

/// Scale is copied as its difference from 1.
#[test]
fn a_copied_scale_is_one_plus_a_share_of_the_difference() {
    let skeleton = line(3, |_| Inherit::All);
    let copy = CopyBone {
        bone: BoneId::new(2),
        from: BoneId::new(0),
        rotate: None,
        shift: None,
        scale: Some((0.5, Vec2::new(0.25, 0.0))),
        space: CopySpace::Local,
    };
    for (scale, expected) in
        [((1.0, 1.0), (1.25, 1.0)), ((3.0, 0.5), (2.25, 0.75)), ((-1.0, 2.0), (0.25, 1.5))]
    {
        let mut pose = Pose::new(&skeleton);
        pose.bones[0].scale = Vec2::from(scale);
        run(&skeleton, &mut pose, Constraint::new(ConstraintRule::Copy(copy)));
        assert_eq!(pose.bones[2].scale, Vec2::from(expected));
    }
}

/// Where one hold ends as another one begins, the point is where the later one holds it, in whichever order
/// they are listed, also where a loop begins again.
#[test]
fn of_two_holds_that_meet_the_later_one_counts() {
    let hold = |from: f64, until: f64, x: f64| Hold {
        from,
        until,
        ease: (0.0, 0.0),
        place: Point::new(x, 0.0),
        drift: Vec2::new(1.0, 0.0),
    };
    let constraint = Constraint::new(ConstraintRule::Ik(ik(1, Point::ZERO, 2)));
    let (first, second) = (hold(0.0, 1.0, 10.0), hold(1.0, 2.0, 50.0));
    for holds in [vec![first, second], vec![second, first]] {
        let track = ConstraintTrack { holds, ..ConstraintTrack::default() };
        for (time, x) in [(0.5, 10.5), (1.0, 50.0), (1.5, 50.5), (2.0, 10.0)] {
            let found = track.parameters(&constraint, time, Some(2.0));
            assert_eq!((found.place, found.mix), (Some(Point::new(x, 0.0)), 1.0), "{time}");
        }
        // Without a loop the second one goes on to its end, and nothing holds after it.
        assert_eq!(track.parameters(&constraint, 2.0, None).place, Some(Point::new(51.0, 0.0)));
        assert_eq!(track.parameters(&constraint, 2.1, None).mix, 0.0);
    }
}
