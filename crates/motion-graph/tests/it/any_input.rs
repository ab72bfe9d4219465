//! Paths, options and captures of any numbers: each has a defined value or an error, and none panics but for the
//! accessors that docs/security.md lists.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bone_import::{PlanarJoint, PlanarMotion};
use bone_motion_graph::{FollowOptions, GraphOptions, GroundPath, MotionGraph};
use kurbo::{BezPath, Point};
use proptest::prelude::*;

fn number() -> impl Strategy<Value = f64> {
    let ends = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e9, 1e300, f64::MAX, f64::MIN];
    let ends = prop::sample::select([&ends[..], &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]].concat());
    prop_oneof![ends, -300.0..300.0_f64, -2.0..2.0_f64]
}

/// Four frames of a person.
fn motion(positions: &[f64]) -> Option<PlanarMotion> {
    let joints = [
        ("Hips", None),
        ("LeftUpLeg", Some(0)),
        ("LeftLeg", Some(1)),
        ("LeftFoot", Some(2)),
        ("RightUpLeg", Some(0)),
        ("RightLeg", Some(4)),
        ("RightFoot", Some(5)),
        ("Spine", Some(0)),
        ("Head", Some(7)),
    ];
    let joints = joints.map(|(name, parent)| PlanarJoint { name: name.to_owned(), parent });
    let at = |k: usize| Point::new(positions[k % positions.len()], positions[(k * 7 + 3) % positions.len()]);
    PlanarMotion::new(joints.to_vec(), 30.0, (0..4 * joints.len()).map(at).collect()).ok()
}

proptest! {
    #[test]
    fn paths_and_graphs_of_any_numbers(n in prop::collection::vec(number(), 8..9), small in prop::collection::vec(-9.0..9.0_f64, 9..20)) {
        let (mut path, mut level) = (BezPath::new(), BezPath::new());
        path.move_to((n[0], n[1]));
        path.curve_to((n[2], n[3]), (n[4], n[5]), (n[6], n[7]));
        path.close_path();
        level.move_to((0.0, 0.0));
        level.line_to((100.0, 1.0));
        for (path, tolerance) in [(&path, n[0]), (&path, 0.1), (&level, n[1]), (&level, 0.1), (&BezPath::new(), 0.1)] {
            let Ok(path) = GroundPath::new(path, tolerance) else { continue };
            let _ = (path.length(), path.start(), path.end(), path.ground(0, n[2]), path.run(0));
            for rate in [30.0, n[3].abs().min(1e4)] {
                let Some(motion) = motion(&small) else { continue };
                let mut options = GraphOptions { threshold: n[4], ..GraphOptions::default() };
                (options.rate, options.fade) = (rate, n[5]);
                let Ok(graph) = MotionGraph::new(&[motion], &options) else { continue };
                let mut follow = FollowOptions::new(n[6]);
                follow.effort = 100;
                if let Ok(walk) = graph.follow(&path, &follow) {
                    let _ = graph.motion(&walk, &path, n[6]);
                }
            }
        }
    }
}

/// Each function whose documentation has `# Panics`.
#[test]
fn accessors_panic_as_slices_do() {
    let path = GroundPath::new(&BezPath::from_svg("M0 0 H9").expect("path data"), 0.1).expect("a path");
    let calls: [(&str, &dyn Fn()); 3] = [
        ("GroundPath::run", &|| _ = path.run(1)),
        ("GroundPath::points", &|| _ = path.points(1)),
        ("GroundPath::ground", &|| _ = path.ground(1, 0.0)),
    ];
    for (name, call) in calls {
        let panic = catch_unwind(AssertUnwindSafe(call)).expect_err(name);
        let message = panic.downcast_ref::<String>().map_or("", String::as_str);
        assert!(message.contains("out of bounds") || message.contains("out of range"), "{name}: {message}");
    }
}
