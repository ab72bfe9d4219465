//! A recorded walk along a drawn path: feet do not slide during contacts, through all fades.

use std::path::Path;

use bone_core::Side;
use bone_import::parts::BodyPart;
use bone_import::retarget::find_contacts;
use bone_import::{ViewDirection, bvh, project};
use bone_motion_graph::{FollowOptions, GraphOptions, GroundPath, MotionGraph};
use kurbo::BezPath;

#[test]
fn locked_feet_do_not_slide() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/motion/pybvh_cmu_12_01_walk.bvh");
    let text = std::fs::read_to_string(file).expect("a recording");
    let motion =
        project(&bvh::read(&text).expect("read"), ViewDirection::SIDE, None).expect("a planar motion").motion;
    let graph = MotionGraph::new(&[motion], &GraphOptions::default()).expect("a graph");
    let path = GroundPath::new(&BezPath::from_svg("M0 0 H1500").expect("path data"), 0.1).expect("a path");
    let options = FollowOptions::new(100.0);
    let walk = graph.follow(&path, &options).expect("a walk");
    let motion = graph.motion(&walk, &path, 100.0).expect("a motion");
    let body = motion.body();
    let start = |part| body.start(part).expect("a joint");
    let (mut worst, mut steps) = (0.0_f64, 0);
    for side in [Side::Left, Side::Right] {
        let leg = (0..motion.frames())
            .map(|frame| {
                let bone = |from, to| motion.offset(frame, start(from), start(to)).hypot();
                bone(BodyPart::Thigh(side), BodyPart::Shin(side))
                    + bone(BodyPart::Shin(side), BodyPart::Foot(side))
            })
            .fold(0.0, f64::max);
        let ball = start(BodyPart::Toe(side));
        for contact in
            find_contacts(motion.frames(), motion.rate(), 100.0, |frame| motion.position(frame, ball))
        {
            let x = |frame| motion.position(frame, ball).x;
            let all = || (contact.from..=contact.until).map(x);
            worst = worst.max((all().fold(f64::MIN, f64::max) - all().fold(f64::MAX, f64::min)) / leg);
            steps += 1;
        }
    }
    println!("{steps} steps, {} fades, slip {:.3} % of the leg", walk.fades, 100.0 * worst);
    assert!(steps >= 20 && walk.fades >= 5 && worst <= 0.003, "{steps} {} {worst}", walk.fades);
}
