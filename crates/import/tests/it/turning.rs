//! A figure that marches and turns about its own axis: its feet point at the viewer again and again, so that foot
//! and toes have any direction in the picture.

use bone_core::{Angle, BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_import::figure::{FigureOptions, build_figure};
use bone_import::fit::{Take, fit};
use bone_import::retarget::{RetargetOptions, RigMap, retarget};
use bone_import::stick_figure::draw_stick_figure;
use bone_import::{PlanarJoint, PlanarMotion};
use kurbo::{BezPath, Point, Shape};

/// Joints, their parents, and how a part turns in the plane of walking.
const JOINTS: [(&str, Option<usize>); 20] = [
    ("Hips", None),
    ("Neck", Some(0)),
    ("Head", Some(1)),
    ("HeadTop", Some(2)),
    ("LeftUpLeg", Some(0)),
    ("LeftLeg", Some(4)),
    ("LeftFoot", Some(5)),
    ("LeftToeBase", Some(6)),
    ("LeftToeTip", Some(7)),
    ("RightUpLeg", Some(0)),
    ("RightLeg", Some(9)),
    ("RightFoot", Some(10)),
    ("RightToeBase", Some(11)),
    ("RightToeTip", Some(12)),
    ("LeftArm", Some(1)),
    ("LeftForeArm", Some(14)),
    ("LeftHand", Some(15)),
    ("RightArm", Some(1)),
    ("RightForeArm", Some(17)),
    ("RightHand", Some(18)),
];

/// The slopes of a foot and its toes below the horizontal, in degrees, in a frame.
fn slopes(frame: usize, side: usize) -> (f64, f64) {
    let phase = 12.0 * frame as f64 + 180.0 * side as f64;
    let lift = Angle::from_degrees(phase).sin_cos().0.max(0.0);
    (25.0 + 40.0 * lift, 5.0 - 30.0 * lift)
}

/// The distance of the roots of arms from the middle.
const ARM: f64 = 19.0;

/// Places in space: to the figure's left, up, and forward.
fn places(frame: usize) -> Vec<[f64; 3]> {
    let mut all = vec![[0.0, 96.0, 0.0], [0.0, 150.0, 0.0], [0.0, 160.0, 0.0], [0.0, 178.0, 0.0]];
    let along = |[x, y, z]: [f64; 3], below: f64, length: f64| {
        let (sin, cos) = Angle::from_degrees(below).sin_cos();
        [x, y - length * sin, z + length * cos]
    };
    for (side, x) in [(0, 10.0), (1, -10.0)] {
        let lift = Angle::from_degrees(12.0 * frame as f64 + 180.0 * side as f64).sin_cos().0.max(0.0);
        let hip = [x, 94.0, 0.0];
        let knee = along(hip, 90.0 - 45.0 * lift, 43.0);
        let ankle = along(knee, 90.0 + 15.0 * lift, 43.0);
        let (foot, toe) = slopes(frame, side);
        let ball = along(ankle, foot, 17.0);
        all.extend([hip, knee, ankle, ball, along(ball, toe, 8.0)]);
    }
    for x in [ARM, -ARM] {
        all.extend([[x, 143.0, 0.0], [x, 116.0, -2.0], [x, 92.0, 4.0]]);
    }
    all
}

/// The figure in the picture: it faces the right of it, turned by `degrees` towards the viewer.
fn turning(frames: usize, degrees: impl Fn(usize) -> f64, deep: bool) -> PlanarMotion {
    let joint =
        |(name, parent): &(&str, Option<usize>)| PlanarJoint { name: (*name).to_owned(), parent: *parent };
    let (mut positions, mut depths) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        let (sin, cos) = Angle::from_degrees(degrees(frame)).sin_cos();
        for [left, up, forward] in places(frame) {
            positions.push(Point::new(forward * cos + left * sin, -up));
            depths.push(forward * sin - left * cos);
        }
    }
    let motion = PlanarMotion::new(JOINTS.iter().map(joint).collect(), 30.0, positions).expect("a figure");
    if deep { motion.with_depths(depths).expect("depths") } else { motion }
}

/// A rig that faces right; `heel` is how far the right foot is drawn from flat while its toes stand.
fn rig(heel: f64) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    builder.push(BoneSpec::new("hip", 20.0).origin(300.0, 300.0).degrees(-90.0));
    builder.push(BoneSpec::new("chest", 60.0).parent("hip").origin(20.0, 0.0));
    builder.push(BoneSpec::new("head", 30.0).parent("chest").origin(60.0, 0.0));
    for (side, heel) in [("l", 0.0), ("r", heel)] {
        let name = |part: &str| format!("{part}_{side}");
        builder.push(BoneSpec::new(name("thigh"), 60.0).parent("hip").degrees(180.0 - heel / 2.0));
        builder.push(BoneSpec::new(name("shin"), 60.0).parent(name("thigh")).origin(60.0, 0.0).degrees(heel));
        let foot = BoneSpec::new(name("foot"), 25.0).parent(name("shin")).origin(60.0, 0.0);
        builder.push(foot.degrees(-65.0 + heel / 2.0));
        let toe = BoneSpec::new(name("toe"), 12.0).parent(name("foot")).origin(25.0, 0.0);
        builder.push(toe.degrees(-20.0 - heel));
    }
    builder.build().expect("a skeleton")
}

/// The largest rotation of a bone from its setup pose at many moments of the clip that is fitted to a take.
fn most(skeleton: &Skeleton, take: &Take, tolerance: f64, middle: impl Fn(&str) -> Option<f64>) -> f64 {
    let clip = fit(skeleton, take, tolerance).expect("fits").clip.clip(skeleton).expect("a clip");
    let (mut pose, mut most) = (Pose::new(skeleton), 0.0_f64);
    for step in 0..(take.length() * 240.0) as usize {
        clip.sample(skeleton, step as f64 / 240.0, &mut pose);
        for bone in skeleton.bones() {
            let Some(middle) = middle(skeleton.name(bone)) else { continue };
            let turn = (pose.bones[bone.index()].angle - skeleton.setup(bone).angle).degrees() - middle;
            most = most.max(turn.abs());
        }
    }
    most
}

fn toes(name: &str) -> Option<f64> {
    name.starts_with("toe").then_some(0.0)
}

/// Directions of bones on the canvas in a frame of a take, degrees.
fn directions(skeleton: &Skeleton, take: &Take, frame: usize, names: &[&str]) -> Vec<f64> {
    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    take.pose(skeleton, frame, &mut pose);
    world.forward(skeleton, &pose).expect("placed");
    let find = |name: &&str| -> BoneId { skeleton.find(name).expect("a bone") };
    names.iter().map(|name| world.angle(find(name)).degrees()).collect()
}

/// The difference of two directions without whole turns.
fn apart(a: f64, b: f64) -> f64 {
    let off = a - b;
    (off - (off / 360.0).round() * 360.0).abs()
}

const FRAMES: usize = 181;

/// One whole turn in six seconds, by way of the back.
fn whole_turn(frame: usize) -> f64 {
    2.0 * frame as f64
}

/// In the picture toes and foot are apart by any angle.
fn widest(motion: &PlanarMotion) -> f64 {
    let find = |name: &str| motion.find(name).expect("a joint");
    let (ankle, ball, tip) = (find("LeftFoot"), find("LeftToeBase"), find("LeftToeTip"));
    let one = |frame: usize| {
        let foot = Angle::of(motion.offset(frame, ankle, ball)).degrees();
        apart(Angle::of(motion.offset(frame, ball, tip)).degrees(), foot)
    };
    (0..motion.frames()).map(one).fold(0.0, f64::max)
}

#[test]
fn toes_of_a_turning_figure_turn_at_most_sixty_degrees() {
    for deep in [false, true] {
        let motion = turning(FRAMES, whole_turn, deep);
        assert!(widest(&motion) > 150.0, "{}", widest(&motion));
        let figure = build_figure(&motion, &FigureOptions::new(300.0)).expect("a figure");
        let turned = most(&figure.skeleton, &figure.take, 3.0, toes);
        // Toes that are flat on the ground are bent by 30 degrees to one side or the other.
        assert!(turned <= 60.0 + 30.0 + 1e-9, "a new figure: {turned}");
        for heel in [0.0, 40.0] {
            let rig = rig(heel);
            let map = RigMap::by_names(&rig);
            let moved =
                retarget(&motion, &motion.body(), &rig, &map, RetargetOptions::default()).expect("put");
            // The toes of the lifted heel are drawn bent against their foot.
            let flat = |name: &str| toes(name).map(|_| if name == "toe_r" { heel } else { 0.0 });
            let turned = most(&rig, &moved.take, 3.0, flat);
            assert!(turned <= 60.0 + 1e-9, "a rig, {heel}: {turned}");
        }
    }
}

/// The toes of a new figure end where they were recorded: they bend to the left where the foot points to the left,
/// and are short where they point at the viewer.
#[test]
fn toes_of_a_turning_figure_end_where_they_were_recorded() {
    // Facing right for a second at first, so that the feet at rest point to the right.
    let turn = |frame: usize| 2.0 * frame.saturating_sub(150) as f64;
    for deep in [false, true] {
        let motion = turning(331, turn, deep);
        let figure = build_figure(&motion, &FigureOptions::new(300.0)).expect("a figure");
        let (mut pose, mut world) = (Pose::new(&figure.skeleton), WorldPose::new(&figure.skeleton));
        let mut worst = (0.0_f64, 0);
        for frame in 0..331 {
            figure.take.pose(&figure.skeleton, frame, &mut pose);
            world.forward(&figure.skeleton, &pose).expect("placed");
            for bone in figure.bones.iter().filter(|bone| bone.name.starts_with("toe")) {
                let id = figure.skeleton.find(&bone.name).expect("a toe");
                let wanted = figure.recorded(&motion, frame, bone.to);
                let off = world.tip(&figure.skeleton, &pose, id).distance(wanted) / figure.height;
                worst = if off > worst.0 { (off, frame) } else { worst };
            }
        }
        println!("{deep}: {worst:?}");
        assert!(worst.0 < 0.022, "{deep}: {worst:?}");
    }
}

/// After a whole turn foot and toes are as they were before it.
#[test]
fn toes_keep_no_turn_of_a_figure_that_turned_around() {
    let motion = turning(FRAMES, whole_turn, true);
    let figure = build_figure(&motion, &FigureOptions::new(300.0)).expect("a figure");
    let rig = rig(0.0);
    let moved = retarget(&motion, &motion.body(), &rig, &RigMap::by_names(&rig), RetargetOptions::default());
    let moved = moved.expect("put");
    // Both frames are at the same moment of the step.
    let names = ["foot_l", "toe_l", "foot_r", "toe_r"];
    for (skeleton, take) in [(&figure.skeleton, &figure.take), (&rig, &moved.take)] {
        let (before, after) =
            (directions(skeleton, take, 0, &names), directions(skeleton, take, 180, &names));
        for (name, (before, after)) in names.iter().zip(before.iter().zip(&after)) {
            assert!(apart(*before, *after) < 2.0, "{name}: {before} and {after}");
        }
    }
}

/// Shoes that are drawn from their side keep their slope while the figure turns to the viewer and on to the back.
#[test]
fn shoes_of_a_turning_figure_keep_their_slope() {
    let still = turning(FRAMES, |_| 0.0, true);
    let motion = turning(FRAMES, whole_turn, true);
    let rig = rig(0.0);
    let map = RigMap::by_names(&rig);
    let put = |motion: &PlanarMotion| {
        retarget(motion, &motion.body(), &rig, &map, RetargetOptions::default()).expect("put")
    };
    let (wanted, found) = (put(&still), put(&motion));
    let names = ["foot_l", "foot_r"];
    let mut worst = (0.0_f64, 0);
    for frame in 0..FRAMES {
        let wanted = directions(&rig, &wanted.take, frame, &names);
        let found = directions(&rig, &found.take, frame, &names);
        for (wanted, found) in wanted.iter().zip(&found) {
            if apart(*wanted, *found) > worst.0 {
                worst = (apart(*wanted, *found), frame);
            }
        }
    }
    assert!(worst.0 < 12.0, "{worst:?}");
    // Without depths a shoe may point down, but never back.
    let flat = put(&turning(FRAMES, whole_turn, false));
    let turned = most(&rig, &flat.take, 3.0, |name| name.starts_with("foot").then_some(0.0));
    assert!(turned <= 75.0 + 1e-9, "{turned}");
}

/// A foot that is drawn with its heel lifted has toes that stand: on a flat foot they are level again.
#[test]
fn toes_of_a_lifted_heel_are_level_on_a_flat_foot() {
    let motion = turning(60, |_| 0.0, true);
    let (plain, lifted) = (rig(0.0), rig(40.0));
    for frame in 0..60 {
        let names = ["foot_l", "toe_l", "foot_r", "toe_r"];
        let of = |rig: &Skeleton| {
            let moved =
                retarget(&motion, &motion.body(), rig, &RigMap::by_names(rig), RetargetOptions::default());
            directions(rig, &moved.expect("put").take, frame, &names)
        };
        for (name, (a, b)) in names.iter().zip(of(&plain).iter().zip(of(&lifted))) {
            assert!(apart(*a, b) < 2.0, "{name} in frame {frame}: {a} and {b}");
        }
    }
}

/// The trunk that is shown reaches to both arms in every frame: they neither float beside it nor does it stand out
/// behind them.
#[test]
fn the_trunk_of_a_turning_figure_is_as_wide_as_it_is_seen() {
    let motion = turning(FRAMES, whole_turn, true);
    let figure = build_figure(&motion, &FigureOptions::new(300.0)).expect("a figure");
    let stick = draw_stick_figure(&figure, &motion);
    let (_, keys) = stick.switches.iter().find(|(id, _)| id == "hips_widths").expect("trunks");
    let half = |name: &str| {
        let (_, group) = stick.svg.split_once(&format!("<g id=\"{name}\"")).expect(name);
        let group = group.split("</g>").next().expect(name);
        let paths = group.split(" d=\"").skip(1).map(|data| data.split('"').next().expect(name));
        let wide = |data: &str| BezPath::from_svg(data).expect("a path").bounding_box().width();
        paths.map(wide).fold(0.0, f64::max) / 2.0
    };
    for frame in 0..FRAMES {
        let (_, shown) = keys.iter().rfind(|(from, _)| *from <= frame).expect("a trunk");
        let arms = ARM * figure.scale() * Angle::from_degrees(whole_turn(frame)).sin_cos().0.abs();
        let beside = (half(shown) - arms) / figure.height;
        // An arm is 0.034 of the height wide to either side of its root.
        assert!((-0.024..0.075).contains(&beside), "{shown} in frame {frame}: {beside} of the height");
    }
}
