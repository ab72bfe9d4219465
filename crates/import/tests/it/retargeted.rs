//! Recorded motion on rigs: drawings in other poses, lying figures, limits.

use bone_core::{Angle, BoneSpec, Pose, Side, Skeleton, SkeletonBuilder, WorldPose};
use bone_import::parts::BodyPart;
use bone_import::retarget::{RetargetOptions, RetargetedMotion, RigMap, retarget};
use bone_import::{PlanarJoint, PlanarMotion};
use kurbo::{Point, Vec2};

/// Bones: name, parent, length.
const BONES: [(&str, Option<&str>, f64); 15] = [
    ("hip", None, 20.0),
    ("chest", Some("hip"), 70.0),
    ("neck", Some("chest"), 15.0),
    ("head", Some("neck"), 30.0),
    ("upper_arm_l", Some("chest"), 45.0),
    ("fore_arm_l", Some("upper_arm_l"), 40.0),
    ("hand_l", Some("fore_arm_l"), 15.0),
    ("upper_arm_r", Some("chest"), 45.0),
    ("fore_arm_r", Some("upper_arm_r"), 40.0),
    ("thigh_l", Some("hip"), 60.0),
    ("shin_l", Some("thigh_l"), 55.0),
    ("foot_l", Some("shin_l"), 25.0),
    ("thigh_r", Some("hip"), 60.0),
    ("shin_r", Some("thigh_r"), 55.0),
    ("foot_r", Some("shin_r"), 25.0),
];

/// The figure drawn with these directions on the canvas, in degrees; y points down.
fn drawn(directions: &dyn Fn(&str) -> f64) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    let mut placed: Vec<(&str, Point, f64, f64)> = Vec::new();
    for (name, parent, length) in BONES {
        let angle = directions(name);
        let above = parent.map(|parent| *placed.iter().find(|bone| bone.0 == parent).expect("a parent"));
        let mut spec = BoneSpec::new(name, length);
        let origin = match above {
            None => Point::new(300.0, 300.0),
            // Legs begin where the hips do.
            Some(above) if name.starts_with("thigh") => above.1,
            Some(above) => above.1 + Angle::from_degrees(above.2).direction() * above.3,
        };
        match above {
            None => {
                spec.origin = origin.to_vec2();
                spec.angle = Angle::from_degrees(angle);
            }
            Some(above) => {
                let way = origin - above.1;
                let (sin, cos) = Angle::from_degrees(-above.2).sin_cos();
                spec.parent = Some(above.0.to_owned());
                spec.origin = Vec2::new(way.x * cos - way.y * sin, way.x * sin + way.y * cos);
                spec.angle = Angle::from_degrees(angle - above.2);
            }
        }
        builder.push(spec);
        placed.push((name, origin, angle, length));
    }
    builder.build().expect("a skeleton")
}

fn standing(name: &str) -> f64 {
    match name {
        "hip" | "chest" | "neck" | "head" => -90.0,
        "foot_l" | "foot_r" => 25.0,
        _ => 90.0,
    }
}

fn t_pose(name: &str) -> f64 {
    match name {
        "upper_arm_l" | "fore_arm_l" | "hand_l" => 0.0,
        "upper_arm_r" | "fore_arm_r" => 180.0,
        _ => standing(name),
    }
}

fn a_pose(name: &str) -> f64 {
    match name {
        "upper_arm_l" | "fore_arm_l" | "hand_l" => 50.0,
        "upper_arm_r" | "fore_arm_r" => 130.0,
        "thigh_l" | "shin_l" => 84.0,
        "thigh_r" | "shin_r" => 96.0,
        _ => standing(name),
    }
}

/// One foot is flat, the other leaves the ground.
fn mid_stride(name: &str) -> f64 {
    match name {
        "hip" | "chest" => -82.0,
        "upper_arm_l" => 120.0,
        "fore_arm_l" | "hand_l" => 75.0,
        "upper_arm_r" => 60.0,
        "fore_arm_r" => 20.0,
        "thigh_l" => 62.0,
        "shin_l" => 84.0,
        "thigh_r" => 112.0,
        "shin_r" => 128.0,
        "foot_r" => 66.0,
        _ => standing(name),
    }
}

/// A figure that walks to the right in the plane, 100 units tall, at 30 frames a second. `lie` turns it as a
/// whole.
fn walker(frames: usize) -> PlanarMotion {
    let names = [
        ("Hips", None),
        ("Spine", Some(0)),
        ("Neck", Some(1)),
        ("Head", Some(2)),
        ("HeadTop", Some(3)),
        ("LeftArm", Some(1)),
        ("LeftForeArm", Some(5)),
        ("LeftHand", Some(6)),
        ("LeftHandTip", Some(7)),
        ("RightArm", Some(1)),
        ("RightForeArm", Some(9)),
        ("RightHand", Some(10)),
        ("LeftUpLeg", Some(0)),
        ("LeftLeg", Some(12)),
        ("LeftFoot", Some(13)),
        ("LeftToeBase", Some(14)),
        ("RightUpLeg", Some(0)),
        ("RightLeg", Some(16)),
        ("RightFoot", Some(17)),
        ("RightToeBase", Some(18)),
    ];
    let joints = names
        .iter()
        .map(|(name, parent)| PlanarJoint { name: (*name).to_owned(), parent: *parent })
        .collect();
    let mut positions = Vec::new();
    for frame in 0..frames {
        positions.extend(pose(frame as f64 / 30.0));
    }
    PlanarMotion::new(joints, 30.0, positions).expect("a figure")
}

fn at(from: Point, degrees: f64, length: f64) -> Point {
    from + Angle::from_degrees(degrees).direction() * length
}

/// A pose of the walk with real steps: each foot stands for six tenths of a second and is carried for four.
fn pose(t: f64) -> Vec<Point> {
    let speed = 60.0;
    let hips = Point::new(speed * t, -50.0 + 0.8 * Angle::from_degrees(720.0 * t).sin_cos().0);
    let mut points = vec![hips];
    let spine = at(hips, -88.0, 15.0);
    let neck = at(spine, -87.0, 20.0);
    let head = at(neck, -85.0, 5.0);
    points.extend([spine, neck, head, at(head, -88.0, 10.0)]);
    for phase in [0.0, 180.0] {
        let swing = Angle::from_degrees(360.0 * t + phase).sin_cos().0;
        let elbow = at(neck, 92.0 + 25.0 * swing, 15.0);
        let hand = at(elbow, 78.0 + 25.0 * swing, 13.0);
        points.extend([neck, elbow, hand]);
        if phase == 0.0 {
            points.push(at(hand, 80.0, 5.0));
        }
    }
    for shift in [0.0, 0.5] {
        let steps = (t + shift).floor();
        let share = (t + shift) - steps;
        // The ankle stands at `x`, then moves to the next step.
        let stand = |number: f64| speed * (number - shift) + 18.0;
        let (x, y) = if share < 0.6 {
            (stand(steps), -4.0)
        } else {
            let u = (share - 0.6) / 0.4;
            let ease = u * u * (3.0 - 2.0 * u);
            (stand(steps) + speed * ease, -4.0 - 28.0 * u * u * (1.0 - u) * (1.0 - u))
        };
        let ankle = Point::new(x, y);
        let way = ankle - hips;
        let (upper, lower) = (24.5, 24.0);
        let far = way.hypot().min(upper + lower - 1e-6);
        let along = (upper * upper - lower * lower + far * far) / (2.0 * far);
        let across = (upper * upper - along * along).max(0.0).sqrt();
        let unit = way * (1.0 / way.hypot());
        let knee = hips + unit * along + Vec2::new(unit.y, -unit.x) * across;
        let ankle = hips + unit * far;
        points.extend([hips, knee, ankle, Point::new(ankle.x + 8.0, ankle.y + 4.0)]);
    }
    points
}

fn put(motion: &PlanarMotion, skeleton: &Skeleton) -> RetargetedMotion {
    let map = RigMap::by_names(skeleton);
    retarget(motion, &motion.body(), skeleton, &map, RetargetOptions::default()).expect("on the rig")
}

/// The directions of the bones on the canvas in a frame.
fn directions(skeleton: &Skeleton, moved: &RetargetedMotion, frame: usize) -> Vec<f64> {
    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    moved.take.pose(skeleton, frame, &mut pose);
    world.forward(skeleton, &pose).expect("placed");
    let direction =
        |(name, ..): (&str, Option<&str>, f64)| world.angle(skeleton.find(name).expect("a bone")).degrees();
    BONES.into_iter().map(direction).collect()
}

#[test]
fn drawings_in_all_poses_move_alike() {
    let motion = walker(90);
    let figures: [&dyn Fn(&str) -> f64; 4] = [&standing, &t_pose, &a_pose, &mid_stride];
    let rigs: Vec<Skeleton> = figures.iter().map(|figure| drawn(figure)).collect();
    let moved: Vec<RetargetedMotion> = rigs.iter().map(|rig| put(&motion, rig)).collect();
    let mut worst = (0.0_f64, String::new());
    for frame in 0..90 {
        let first = directions(&rigs[0], &moved[0], frame);
        for number in 1..4 {
            let other = directions(&rigs[number], &moved[number], frame);
            for ((name, ..), (a, b)) in BONES.iter().zip(first.iter().zip(other)) {
                let off = (a - b) - ((a - b) / 360.0).round() * 360.0;
                if off.abs() > worst.0 {
                    worst = (off.abs(), format!("{name} in drawing {number}, frame {frame}: {a} and {b}"));
                }
            }
        }
    }
    assert!(worst.0 < 2.0, "{worst:?}");
    // And they are those of the recording.
    let body = motion.body();
    for frame in [5, 40, 77] {
        let found = directions(&rigs[3], &moved[3], frame);
        for (name, part) in
            [("upper_arm_l", BodyPart::UpperArm(Side::Left)), ("fore_arm_r", BodyPart::ForeArm(Side::Right))]
        {
            let (from, to) = (body.start(part).expect("a start"), body.end(part).expect("an end"));
            let wanted = Angle::of(motion.offset(frame, from, to)).degrees();
            let at = BONES.iter().position(|bone| bone.0 == name).expect("a bone");
            let off = (found[at] - wanted) - ((found[at] - wanted) / 360.0).round() * 360.0;
            assert!(off.abs() < 1.0, "{name}: {} is not {wanted}", found[at]);
        }
    }
    let named = |number: usize| -> Vec<&str> {
        moved[number].drawn_apart.iter().map(|(part, _)| part.name()).collect()
    };
    assert_eq!(named(0), Vec::<&str>::new());
    assert!(named(1).contains(&"upper_arm_r") && !named(1).contains(&"thigh_l"), "{:?}", named(1));
    assert!(named(3).contains(&"thigh_l") && named(3).contains(&"foot_r"), "{:?}", named(3));
}

/// The walker, turned about the floor: it lies on its back and moves its legs in the air, then rolls up again.
fn lying(frames: usize) -> PlanarMotion {
    let walk = walker(frames);
    let positions = (0..frames)
        .flat_map(|frame| {
            let hips = walk.position(frame, 0);
            let (sin, cos) = Angle::from_degrees(-86.0).sin_cos();
            // The back lies on the floor, which is at y = 0; joints are 6 units above it.
            let turned = |at: &Point| {
                let way = *at - hips;
                Point::new(way.x * cos - way.y * sin, way.x * sin + way.y * cos - 6.0)
            };
            walk.frame(frame).iter().map(turned).collect::<Vec<_>>()
        })
        .collect::<Vec<Point>>();
    let floor = positions.iter().map(|at| at.y).fold(f64::MIN, f64::max);
    let positions = positions.into_iter().map(|at| Point::new(at.x, at.y - floor - 4.0)).collect();
    PlanarMotion::new(walk.joints().to_vec(), 30.0, positions).expect("a figure")
}

/// What is lowest lies on the ground of the rig, neither below it nor above it.
#[test]
fn a_lying_figure_lies_on_the_ground() {
    let motion = lying(60);
    let rig = drawn(&standing);
    let moved = put(&motion, &rig);
    let (mut pose, mut world) = (Pose::new(&rig), WorldPose::new(&rig));
    let ground = rig.setup_tip(rig.find("foot_l").expect("a foot")).y;
    let of_foot = |name: &str| ["Foot", "ToeBase"].iter().any(|end| name.ends_with(end));
    let body: Vec<usize> =
        (0..motion.joints().len()).filter(|&joint| !of_foot(&motion.joints()[joint].name)).collect();
    let body_lows =
        |frame: usize| body.iter().map(|&joint| motion.position(frame, joint).y).fold(f64::MIN, f64::max);
    let lows = |frame: usize| motion.frame(frame).iter().map(|at| at.y).fold(f64::MIN, f64::max);
    let mut floors: Vec<f64> = (0..60).map(lows).collect();
    floors.sort_by(f64::total_cmp);
    let floor = floors[56];
    for frame in 5..55 {
        moved.take.pose(&rig, frame, &mut pose);
        world.forward(&rig, &pose).expect("placed");
        let ends = |bone| {
            let name = rig.name(bone);
            let tip = if name.starts_with("shin") { f64::MIN } else { world.tip(&rig, &pose, bone).y };
            if name.starts_with("foot") { f64::MIN } else { world.origin(bone).y.max(tip) }
        };
        let lowest = rig.bones().map(ends).fold(f64::MIN, f64::max);
        // As high above the ground as the lowest joint of the recording, which moves its arms.
        let low = body_lows(frame).min(floor);
        let off = (ground - lowest - (floor - low) * moved.scale) / moved.height;
        assert!(off.abs() < 0.04, "frame {frame}: {off} of the height above the ground");
    }
}

/// Keys stay within the limits of the rig, also between the frames.
#[test]
fn clips_stay_within_limits() {
    let motion = walker(120);
    let mut builder = SkeletonBuilder::new();
    let plain = drawn(&standing);
    for bone in plain.bones() {
        let name = plain.name(bone);
        let mut spec = BoneSpec::new(name, plain.length(bone));
        spec.parent = plain.parent(bone).map(|parent| plain.name(parent).to_owned());
        spec.origin = plain.setup(bone).origin;
        spec.angle = plain.setup(bone).angle;
        let limits = match name {
            "upper_arm_l" | "upper_arm_r" => Some((-12.0, 9.0)),
            "fore_arm_l" => Some((-20.0, -1.0)),
            "shin_l" | "shin_r" => Some((0.0, 35.0)),
            "thigh_r" => Some((-14.0, 11.0)),
            "foot_l" => Some((-4.0, 4.0)),
            _ => None,
        };
        if let Some((least, most)) = limits {
            let limits = Some((Angle::from_degrees(least), Angle::from_degrees(most)));
            spec.joint = bone_core::Joint::Pin { limits };
        }
        builder.push(spec);
    }
    let rig = builder.build().expect("a skeleton");
    let moved = put(&motion, &rig);
    for tolerance in [0.002, 0.01, 0.05] {
        let fitted = bone_import::fit::fit(&rig, &moved.take, tolerance * moved.height).expect("fits");
        let clip = fitted.clip.clip(&rig).expect("a clip");
        let mut pose = Pose::new(&rig);
        for step in 0..4000 {
            clip.sample(&rig, f64::from(step) / 1000.0, &mut pose);
            for bone in rig.bones() {
                let bone_core::Joint::Pin { limits: Some((least, most)) } = rig.joint(bone) else { continue };
                let turn = (pose.bones[bone.index()].angle - rig.setup(bone).angle).degrees();
                let over = (least.degrees() - turn).max(turn - most.degrees());
                assert!(over < 1e-9, "{} is {over} over its limits at {tolerance}", rig.name(bone));
            }
        }
    }
}

/// The figure squats on both feet and gets up again: thighs point forward, shins back. `fold` is how far.
fn squatting(frames: usize, fold: f64) -> PlanarMotion {
    let walk = walker(1);
    let mut positions = Vec::new();
    for frame in 0..frames {
        let bend = fold * Angle::from_degrees(180.0 * frame as f64 / (frames - 1) as f64).sin_cos().0;
        let mut points = walk.frame(0).to_vec();
        let ankle = Point::new(18.0, -4.0);
        let knee = at(ankle, -90.0 + 0.4 * bend, 24.0);
        let hips = at(knee, -90.0 - 0.6 * bend, 24.5);
        let shift = hips - points[0];
        points.iter_mut().take(12).for_each(|point| *point += shift);
        for leg in [12, 16] {
            points[leg..leg + 4].copy_from_slice(&[hips, knee, ankle, ankle + Vec2::new(8.0, 4.0)]);
        }
        positions.extend(points);
    }
    PlanarMotion::new(walk.joints().to_vec(), 30.0, positions).expect("a figure")
}

/// A rig whose thighs turn less far than those of the recording squats less deep: its feet stay on the ground.
#[test]
fn feet_of_thighs_with_limits_stay_on_the_ground() {
    let plain = drawn(&standing);
    let mut builder = SkeletonBuilder::new();
    for bone in plain.bones() {
        let name = plain.name(bone);
        let mut spec = BoneSpec::new(name, plain.length(bone));
        spec.parent = plain.parent(bone).map(|parent| plain.name(parent).to_owned());
        (spec.origin, spec.angle) = (plain.setup(bone).origin, plain.setup(bone).angle);
        let limits = if name.starts_with("thigh") { Some((-60.0, 30.0)) } else { None };
        if let Some((least, most)) = limits {
            let limits = Some((Angle::from_degrees(least), Angle::from_degrees(most)));
            spec.joint = bone_core::Joint::Pin { limits };
        }
        builder.push(spec);
    }
    let rig = builder.build().expect("a skeleton");
    // Thighs turn by six tenths of the fold.
    for (fold, higher) in [(80.0, false), (140.0, true)] {
        let motion = squatting(90, fold);
        let (free, kept) = (put(&motion, &plain), put(&motion, &rig));
        assert!(foot_slide(&plain, &free) <= 1e-3);
        assert!(
            !kept.foot_locks.is_empty() && foot_slide(&rig, &kept) <= 1e-3,
            "{}",
            foot_slide(&rig, &kept)
        );
        assert_eq!(kept.hip_rise > 0.01 * kept.height, higher, "{}", kept.hip_rise);
        let mut pose = Pose::new(&rig);
        for frame in 0..kept.take.frames() {
            kept.take.pose(&rig, frame, &mut pose);
            let thigh = rig.find("thigh_l").expect("a thigh");
            let turn = (pose.bones[thigh.index()].angle - rig.setup(thigh).angle).degrees();
            assert!((-60.0..=30.0).contains(&turn), "{frame}: {turn}");
        }
    }
}

/// A figure that stands, and then is on one knee: the other foot stands, the shin on the ground points back and
/// away from the viewer, and its foot stands on its toes.
fn kneeling(frames: usize) -> PlanarMotion {
    let walk = walker(1);
    let mut positions = Vec::new();
    for frame in 0..frames {
        let mut points = walk.frame(0).to_vec();
        if frame < 30 {
            positions.extend(points);
            continue;
        }
        let sway = 0.3 * Angle::from_degrees(6.0 * frame as f64).sin_cos().0;
        let hips = Point::new(sway, -27.0);
        let shift = hips - points[0];
        points.iter_mut().take(12).for_each(|point| *point += shift);
        let knee = at(hips, 92.0, 24.5);
        let ankle = at(knee, 215.0, 9.0);
        points[12..16].copy_from_slice(&[hips, knee, ankle, at(ankle, 50.0, 13.0)]);
        let ankle = Point::new(26.0, -4.0);
        points[16..20].copy_from_slice(&[hips, Point::new(24.0, -28.0), ankle, ankle + Vec2::new(8.0, 4.0)]);
        positions.extend(points);
    }
    PlanarMotion::new(walk.joints().to_vec(), 30.0, positions).expect("a figure")
}

/// A foot that turns as far against its shin as feet do stands where it is locked: the shin makes up for it.
#[test]
fn a_foot_at_the_end_of_its_range_stands() {
    let rig = drawn(&standing);
    let moved = put(&kneeling(90), &rig);
    let kneels = moved.foot_locks.iter().any(|lock| lock.side == Side::Left);
    let slide = foot_slide(&rig, &moved);
    assert!(kneels && slide <= 0.003, "{kneels} {slide}");
}

/// A figure that would leave stays between the borders, and its standing feet move with the ground.
#[test]
fn a_figure_is_kept_between_borders() {
    let motion = walker(240);
    let rig = drawn(&standing);
    let map = RigMap::by_names(&rig);
    let options = RetargetOptions { keep_between: Some((100.0, 800.0)), ..RetargetOptions::default() };
    let moved = retarget(&motion, &motion.body(), &rig, &map, options).expect("on the rig");
    let (mut pose, mut world) = (Pose::new(&rig), WorldPose::new(&rig));
    for frame in 0..240 {
        moved.take.pose(&rig, frame, &mut pose);
        world.forward(&rig, &pose).expect("placed");
        for bone in rig.bones() {
            let x = world.tip(&rig, &pose, bone).x;
            assert!((100.0..800.0).contains(&x), "{} is at {x} in frame {frame}", rig.name(bone));
        }
    }
    let late: Vec<f64> = moved
        .foot_locks
        .iter()
        .filter(|lock| lock.from > 5.0 && lock.until < 7.0)
        .map(|lock| lock.drift)
        .collect();
    let speed = 60.0 * moved.scale;
    assert!(!late.is_empty() && late.iter().all(|drift| (drift + speed).abs() < 0.1 * speed), "{late:?}");
}

/// A figure seen from the front with arms that point at the viewer, while their ends tremble a little.
fn pointing(frames: usize) -> PlanarMotion {
    let walk = walker(1);
    let names: Vec<&str> = walk.joints().iter().map(|joint| joint.name.as_str()).collect();
    let mut positions = Vec::new();
    for frame in 0..frames {
        // The arms rise from hanging to pointing at the viewer, and sink again.
        let seen = (Angle::from_degrees(180.0 * frame as f64 / frames as f64).sin_cos().1).abs().max(0.1);
        let tremble = 0.6 * Angle::from_degrees(97.0 * frame as f64).sin_cos().0;
        let mut points = walk.frame(0).to_vec();
        let find = |name: &str| names.iter().position(|other| *other == name).expect("a joint");
        for side in ["Left", "Right"] {
            let shoulder = points[find(&format!("{side}Arm"))];
            let elbow = shoulder + Vec2::new(tremble, 15.0 * seen);
            let hand = elbow + Vec2::new(-tremble, 13.0 * seen);
            points[find(&format!("{side}ForeArm"))] = elbow;
            points[find(&format!("{side}Hand"))] = hand;
            if side == "Left" {
                points[find("LeftHandTip")] = hand + Vec2::new(0.0, 5.0 * seen);
            }
        }
        positions.extend(points);
    }
    PlanarMotion::new(walk.joints().to_vec(), 30.0, positions).expect("a figure")
}

#[test]
fn arms_that_point_at_the_viewer_keep_their_turn_and_may_be_short() {
    let motion = pointing(90);
    let rig = drawn(&standing);
    let map = RigMap::by_names(&rig);
    let put = |least: Option<f64>| {
        let options = RetargetOptions { least_stretch: least, ..RetargetOptions::default() };
        retarget(&motion, &motion.body(), &rig, &map, options).expect("on the rig")
    };
    let long = put(None);
    // The end of the arm trembles by 20 degrees and more; the bone does not.
    let turns = |frame: usize| directions(&rig, &long, frame);
    let arm = BONES.iter().position(|bone| bone.0 == "upper_arm_l").expect("an arm");
    for frame in 35..55 {
        let off = turns(frame)[arm] - 90.0;
        let step = turns(frame + 1)[arm] - turns(frame)[arm];
        assert!(off.abs() < 8.0 && step.abs() < 6.0, "frame {frame}: {off} degrees, then {step}");
    }
    let short = put(Some(0.1));
    let (mut pose, mut world) = (Pose::new(&rig), WorldPose::new(&rig));
    let hand = rig.find("hand_l").expect("a hand");
    let shoulder = rig.find("upper_arm_l").expect("an arm");
    let mut reach = |moved: &RetargetedMotion, frame: usize| {
        moved.take.pose(&rig, frame, &mut pose);
        world.forward(&rig, &pose).expect("placed");
        world.origin(hand).distance(world.origin(shoulder))
    };
    assert!(
        reach(&short, 0) > 75.0 && reach(&short, 45) < 25.0,
        "{} {}",
        reach(&short, 0),
        reach(&short, 45)
    );
    assert!(reach(&long, 45) > 75.0);
}

/// A figure seen from the front that lifts its left knee towards the viewer while the knee trembles, and stands
/// on its right leg.
fn lifting(frames: usize) -> PlanarMotion {
    let walk = walker(1);
    let names: Vec<&str> = walk.joints().iter().map(|joint| joint.name.as_str()).collect();
    let find = |name: &str| names.iter().position(|other| *other == name).expect("a joint");
    let mut positions = Vec::new();
    for frame in 0..frames {
        let seen = Angle::from_degrees(180.0 * frame as f64 / frames as f64).sin_cos().1.abs().max(0.1);
        let tremble = 0.6 * Angle::from_degrees(97.0 * frame as f64).sin_cos().0;
        let mut points = walk.frame(0).to_vec();
        let hips = points[find("Hips")];
        for (side, thigh) in [("Left", Vec2::new(tremble, 24.4 * seen)), ("Right", Vec2::new(0.0, 24.4))] {
            let knee = hips + thigh;
            let ankle = knee + Vec2::new(0.0, 23.9);
            points[find(&format!("{side}UpLeg"))] = hips;
            points[find(&format!("{side}Leg"))] = knee;
            points[find(&format!("{side}Foot"))] = ankle;
            points[find(&format!("{side}ToeBase"))] = ankle + Vec2::new(8.0, 4.0);
        }
        positions.extend(points);
    }
    PlanarMotion::new(walk.joints().to_vec(), 30.0, positions).expect("a figure")
}

/// How far feet are from their locked positions during their contacts, in lengths of the leg.
fn foot_slide(skeleton: &Skeleton, moved: &RetargetedMotion) -> f64 {
    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    let mut most = 0.0_f64;
    for lock in &moved.foot_locks {
        let frame = |seconds: f64| (seconds * moved.take.rate).round() as usize;
        for frame in frame(lock.from)..=frame(lock.until) {
            moved.take.pose(skeleton, frame, &mut pose);
            world.forward(skeleton, &pose).expect("placed");
            most = most.max(world.tip(skeleton, &pose, lock.bone).distance(lock.at));
        }
    }
    most / moved.leg_length
}

#[test]
fn a_leg_that_points_at_the_viewer_keeps_its_turn_and_may_be_short() {
    let motion = lifting(90);
    let rig = drawn(&standing);
    let map = RigMap::by_names(&rig);
    let bone = |name: &str| rig.find(name).expect("a bone");
    let thigh = BONES.iter().position(|bone| bone.0 == "thigh_l").expect("a thigh");
    for least in [None, Some(0.1)] {
        let options = RetargetOptions { least_stretch: least, ..RetargetOptions::default() };
        let moved = retarget(&motion, &motion.body(), &rig, &map, options).expect("on the rig");
        let standing = moved.foot_locks.iter().filter(|lock| lock.side == Side::Right).count();
        assert!(standing > 0 && foot_slide(&rig, &moved) <= 0.003, "{least:?}: {}", foot_slide(&rig, &moved));
        for frame in 35..55 {
            let now = directions(&rig, &moved, frame);
            let step = directions(&rig, &moved, frame + 1)[thigh] - now[thigh];
            let off = now[thigh] - 90.0;
            // A thigh of a tenth of its length turns farther for as small a move of its knee.
            let most = if least.is_some() { 12.0 } else { 6.0 };
            assert!(off.abs() < 25.0 && step.abs() < most, "{least:?} {frame}: {off} degrees, then {step}");
        }
        let (mut pose, mut world) = (Pose::new(&rig), WorldPose::new(&rig));
        let mut length = |side: &str, frame: usize| {
            moved.take.pose(&rig, frame, &mut pose);
            world.forward(&rig, &pose).expect("placed");
            let [thigh, shin] = ["thigh", "shin"].map(|part| bone(&format!("{part}_{side}")));
            world.origin(shin).distance(world.origin(thigh)) / 60.0
        };
        let seen = least.unwrap_or(1.0);
        assert!((length("l", 45) - seen).abs() < 0.05, "{least:?}: {}", length("l", 45));
        for frame in [0, 20, 45, 70] {
            assert!(length("r", frame) > 0.9, "{least:?}: the standing leg has {}", length("r", frame));
        }
    }
}

/// Recordings from the front with foreshortened legs: standing feet stand in all of their frames, and no leg
/// changes its length by leaps.
#[test]
fn feet_of_foreshortened_legs_stand() {
    let rig = drawn(&standing);
    let map = RigMap::by_names(&rig);
    for name in ["ad_cmu1_jumping_jacks", "bvhpy_test_freebvh", "ad_fair1_jumping", "pybvh_cmu_12_01_walk"] {
        let recording = bone_import::bvh::read(&motion_text(name)).expect("read");
        let motion = bone_import::project(&recording, bone_import::ViewDirection::FRONT, None)
            .expect("projected")
            .motion;
        let options = RetargetOptions { least_stretch: Some(0.1), ..RetargetOptions::default() };
        let moved = retarget(&motion, &motion.body(), &rig, &map, options).expect("on the rig");
        let slide = foot_slide(&rig, &moved);
        let mut legs = 0;
        let mut step = 0.0_f64;
        for track in &moved.take.tracks {
            let bone_import::fit::ChannelSamples::Stretch(shares) = &track.samples else { continue };
            let is_leg = ["thigh", "shin"].iter().any(|part| rig.name(track.bone).starts_with(part));
            legs += usize::from(is_leg);
            assert!(shares.iter().all(|share| (0.02..=1.0).contains(share)), "{name}");
            let steps = shares.windows(2).map(|pair| (pair[1] - pair[0]).abs() * moved.take.rate);
            step = steps.fold(step, f64::max);
        }
        println!("{name}: slide {slide:.5}, shares change by {step:.1} a second");
        assert!(legs == 4 && slide <= 0.003 && step < 20.0, "{name}: {legs} {slide} {step}");
    }
}

/// The text of a recording.
fn motion_text(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/motion");
    std::fs::read_to_string(folder.join(format!("{name}.bvh"))).expect("a recording")
}

/// How far every toe turns against its foot from a flat one at the most, in degrees, at many moments of a clip. If
/// feet point to both sides, flat toes of one that points to the other side than drawn are bent to the other side.
fn toe_turns(skeleton: &Skeleton, take: &bone_import::fit::Take, height: f64, both_sides: bool) -> f64 {
    let fitted = bone_import::fit::fit(skeleton, take, 0.01 * height).expect("fits");
    let clip = fitted.clip.clip(skeleton).expect("a clip");
    let (mut pose, mut most) = (Pose::new(skeleton), 0.0_f64);
    let toes: Vec<_> = ["toe_l", "toe_r"].into_iter().filter_map(|name| skeleton.find(name)).collect();
    assert_eq!(toes.len(), 2);
    for step in 0..(take.length() * 240.0) as usize {
        clip.sample(skeleton, step as f64 / 240.0, &mut pose);
        for toe in &toes {
            let (turn, drawn) =
                (pose.bones[toe.index()].angle.degrees(), skeleton.setup(*toe).angle.degrees());
            let foot = skeleton.setup_angle(skeleton.parent(*toe).expect("a foot"));
            // A foot that is drawn from the front has toes of 30 degrees where it is seen from its side.
            let bend = if foot.direction().x.abs() < 0.2 { 30.0 } else { drawn.abs() };
            most = most.max(if both_sides { turn.abs() - bend } else { (turn - drawn).abs() });
        }
    }
    most
}

/// Feet that point at the viewer have toes of any direction in the plane: neither on a new figure nor on a rig
/// do they turn more than 60 degrees against their foot, whatever the keys are.
#[test]
fn toes_never_turn_past_sixty_degrees() {
    let mut builder = SkeletonBuilder::new();
    let plain = drawn(&standing);
    for bone in plain.bones() {
        let mut spec = BoneSpec::new(plain.name(bone), plain.length(bone));
        spec.parent = plain.parent(bone).map(|parent| plain.name(parent).to_owned());
        (spec.origin, spec.angle) = (plain.setup(bone).origin, plain.setup(bone).angle);
        builder.push(spec);
    }
    for side in ["l", "r"] {
        let toe = BoneSpec::new(format!("toe_{side}"), 8.0).parent(format!("foot_{side}"));
        builder.push(toe.origin(25.0, 0.0).degrees(-25.0));
    }
    let rig = builder.build().expect("a skeleton");
    let mut clamped = 0;
    for name in ["ad_cmu1_jumping_jacks", "bvhpy_test_freebvh", "pybvh_bvh_test1"] {
        let text = motion_text(name);
        for view in [bone_import::ViewDirection::SIDE, bone_import::ViewDirection::FRONT] {
            let recording = bone_import::bvh::read(&text).expect("read");
            let motion = bone_import::project(&recording, view, None).expect("projected").motion;
            let options = bone_import::figure::FigureOptions::new(300.0);
            let figure = bone_import::figure::build_figure(&motion, &options).expect("a figure");
            let moved = put(&motion, &rig);
            for (skeleton, take, height, both) in [
                (&figure.skeleton, &figure.take, figure.height, true),
                (&rig, &moved.take, moved.height, false),
            ] {
                let turned = toe_turns(skeleton, take, height, both);
                assert!(turned <= 60.0 + 1e-9, "{name}: {turned}");
                clamped += usize::from(turned > 50.0);
            }
        }
    }
    assert!(clamped > 2, "toes reach the limit in some of the recordings: {clamped}");
}

/// A figure that dances in place is seen from the front: head and hands stay where the body is. Arms and legs
/// swing towards the viewer and back, so that they are foreshortened again and again.
#[test]
fn a_dance_seen_from_the_front_keeps_head_and_hands_on_the_body() {
    let rig = drawn(&standing);
    for name in ["ad_cmu1_jumping_jacks", "bvhpy_test_freebvh", "ad_fair1_jumping"] {
        let recording = bone_import::bvh::read(&motion_text(name)).expect("read");
        let motion = bone_import::project(&recording, bone_import::ViewDirection::FRONT, None)
            .expect("projected")
            .motion;
        let motion = motion.cut(0, 240).expect("frames");
        let body = motion.body();
        for least in [None, Some(0.1)] {
            let map = RigMap::by_names(&rig);
            let options = RetargetOptions { least_stretch: least, ..RetargetOptions::default() };
            let moved = retarget(&motion, &body, &rig, &map, options).expect("put");
            let (mut pose, mut world) = (Pose::new(&rig), WorldPose::new(&rig));
            let find = |name: &str| rig.find(name).expect("a bone");
            let (chest, head) = (find("chest"), find("head"));
            let arm = 45.0 + 40.0 + 15.0;
            let mut last: Option<Vec<Point>> = None;
            for frame in 0..moved.take.frames() {
                moved.take.pose(&rig, frame, &mut pose);
                world.forward(&rig, &pose).expect("placed");
                let tip = |bone| world.tip(&rig, &pose, bone);
                let neck = tip(chest);
                assert!(tip(head).distance(neck) <= 45.0 + 1e-6, "{name} {frame}: the head");
                // The head is above the hips as in the recording.
                let up = neck.y - tip(head).y;
                assert!(up > 0.0, "{name} {frame}: the head is {up} above the neck");
                let hands = [tip(find("hand_l")), tip(find("fore_arm_r"))];
                assert!(hands.iter().all(|hand| hand.distance(neck) <= arm + 1e-6), "{name} {frame}: a hand");
                let places = vec![tip(head), hands[0], hands[1]];
                if let Some(last) = last.replace(places.clone()) {
                    let step = last.iter().zip(&places).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
                    let seconds = 1.0 / moved.take.rate;
                    // Six heights a second is faster than any hand of these recordings.
                    assert!(step <= 6.0 * moved.height * seconds, "{name} {frame}: {step}");
                }
            }
        }
    }
}
