//! Graphs of small captures: compared with brute force where possible, and checked for properties of every
//! walk.

use bone_import::{PlanarJoint, cycle};
use kurbo::BezPath;

use super::*;

/// A walking figure: hips, neck, head and two legs with feet, at 30 frames a second.
fn walker(frames: usize, cycle: f64, stride: f64) -> PlanarMotion {
    use bone_core::Angle;
    let joint = |name: &str, parent: Option<usize>| PlanarJoint { name: name.to_owned(), parent };
    let joints = vec![
        joint("Hips", None),
        joint("Neck", Some(0)),
        joint("Head", Some(1)),
        joint("LeftHip", Some(0)),
        joint("LeftKnee", Some(3)),
        joint("LeftAnkle", Some(4)),
        joint("LeftToe", Some(5)),
        joint("RightHip", Some(0)),
        joint("RightKnee", Some(7)),
        joint("RightAnkle", Some(8)),
        joint("RightToe", Some(9)),
    ];
    let mut positions = Vec::new();
    for frame in 0..frames {
        let turn = 360.0 * frame as f64 / cycle;
        let x = stride * frame as f64 / cycle;
        let (hips, along) =
            (Point::new(100.0 * x, -50.0), |degrees: f64| Angle::from_degrees(degrees).direction());
        let mut frame = vec![hips, hips + along(-90.0) * 30.0, hips + along(-90.0) * 40.0];
        for phase in [0.0, 180.0] {
            let swing = Angle::from_degrees(turn + phase).sin_cos().0;
            let knee = hips + along(90.0 - 25.0 * swing) * 25.0;
            let ankle = knee + along(90.0 + 10.0 - 20.0 * swing) * 23.0;
            frame.extend([hips, knee, ankle, ankle + along(10.0) * 6.0]);
        }
        positions.extend(frame);
    }
    PlanarMotion::new(joints, 30.0, positions).expect("a figure")
}

fn graph(mirrored: bool) -> MotionGraph {
    let captures = [walker(120, 30.0, 0.7), walker(100, 24.0, 0.9)];
    MotionGraph::new(&captures, &GraphOptions { mirrored, ..GraphOptions::default() }).expect("a graph")
}

/// The nodes that can be reached from a node.
fn reachable(graph: &MotionGraph, from: usize) -> Vec<bool> {
    let mut seen = vec![false; graph.nodes.len()];
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(graph.out[node].iter().map(|&edge| graph.edges[edge].to));
        }
    }
    seen
}

#[test]
fn every_node_leads_to_every_other_one() {
    for mirrored in [false, true] {
        let graph = graph(mirrored);
        assert!(graph.nodes.len() > 4);
        assert_eq!(graph.used_captures(), [true, true]);
        for node in 0..graph.nodes.len() {
            assert!(reachable(&graph, node).into_iter().all(|seen| seen));
        }
    }
}

/// The component agrees with the one found by testing reachability for all pairs of nodes.
#[test]
fn the_largest_component_is_kept() {
    let clips: Vec<GraphClip> = [walker(90, 30.0, 0.7), walker(40, 24.0, 0.9)]
        .iter()
        .map(|motion| standard(motion, 30.0).expect("a figure"))
        .map(|motion| GraphClip { poses: PoseTable::of(&motion).expect("poses"), motion })
        .collect();
    let all = MotionGraph::linked(clips, 30.0, 8, 0.05, None);
    let reach: Vec<Vec<bool>> = (0..all.nodes.len()).map(|node| reachable(&all, node)).collect();
    let part = |node: usize| -> Vec<usize> {
        (0..all.nodes.len()).filter(|&other| reach[node][other] && reach[other][node]).collect()
    };
    let length = |nodes: &[usize]| -> usize {
        let inside =
            |edge: &&GraphEdge| nodes.contains(&edge.from) && nodes.contains(&edge.to) && edge.fade.is_none();
        all.edges.iter().filter(inside).map(|edge| edge.travel.len()).sum()
    };
    let parts: Vec<Vec<usize>> = (0..all.nodes.len()).map(part).collect();
    let largest = parts.iter().max_by_key(|part| length(part)).expect("a part");
    let expected: Vec<GraphNode> = largest.iter().map(|&node| all.nodes[node]).collect();
    assert_eq!(all.largest_part().expect("a part").nodes, expected);
}

#[test]
fn captures_without_transitions_are_errors() {
    let message = |captures: &[PlanarMotion]| {
        let options = GraphOptions { mirrored: false, ..GraphOptions::default() };
        MotionGraph::new(captures, &options).map(|_| ()).expect_err("no graph").message
    };
    assert!(message(&[walker(12, 30.0, 0.7)]).contains("no pose of the captures repeats"));
    assert!(message(&[]).contains("no captures"));
    let other =
        PlanarMotion::new(vec![PlanarJoint { name: "a".into(), parent: None }], 30.0, vec![Point::ZERO; 5]);
    assert!(
        message(&[walker(60, 30.0, 0.7), other.expect("a figure")]).contains("capture 2 has other joints")
    );
}

fn path(svg: &str) -> GroundPath {
    GroundPath::new(&BezPath::from_svg(svg).expect("path data"), 0.1).expect("a way")
}

/// Locked feet do not slide, there are no jumps, and the end is reached.
#[test]
fn a_walk_follows_a_path() {
    let graph = graph(true);
    for svg in ["M0 0 H900", "M900 40 L100 0", "M0 0 C 200 -80 400 80 700 0", "M0 0 H500 L100 30"] {
        let path = path(svg);
        let options = FollowOptions::new(100.0);
        let walk = graph.follow(&path, &options).expect(svg);
        assert_eq!(walk, graph.follow(&path, &options).expect(svg), "the same again");
        let motion = graph.motion(&walk, &path, 100.0).expect(svg);
        println!("{svg}: {} frames, {walk:?}", motion.frames());
        assert!(walk.end_error < 0.05, "{svg}: ends {} beside the end", walk.end_error);
        assert!(walk.max_deviation < 0.35, "{svg}: {} beside the way", walk.max_deviation);
        let last = motion.frame(motion.frames() - 1);
        assert!((last[0].x - path.end().x).abs() < 20.0, "{svg}: {}", last[0].x);
        let jump = |frame: usize| {
            let steps = motion.frame(frame).iter().zip(motion.frame(frame - 1)).map(|(a, b)| a.distance(*b));
            steps.fold(0.0, f64::max)
        };
        let jumps = (1..motion.frames()).filter(|&frame| jump(frame) > 14.0).count();
        assert!(jumps < path.runs(), "{svg}: {jumps} jumps");
        // Knees bend to the side to which the feet point.
        for (hip, knee, ankle, toe) in [(3, 4, 5, 6), (7, 8, 9, 10)] {
            for frame in 0..motion.frames() {
                let bend = motion.offset(frame, hip, ankle).cross(motion.offset(frame, hip, knee));
                assert!(bend * motion.offset(frame, ankle, toe).x <= 1e-6, "{svg}: frame {frame}");
            }
        }
        let bones = [("LeftHip", "LeftKnee", 25.0), ("RightKnee", "RightAnkle", 23.0)];
        let tall = height(&walker(120, 30.0, 0.7), &walker(120, 30.0, 0.7).body());
        for (from, to, length) in bones {
            let (from, to) = (motion.find(from).expect("a joint"), motion.find(to).expect("a joint"));
            for frame in 0..motion.frames() {
                let found = motion.offset(frame, from, to).hypot() * tall / 100.0;
                assert!((found - length).abs() < 0.06 * length, "{svg}: {found} for {length}");
            }
        }
    }
}

/// No other short walk is cheaper: all of them are tried.
#[test]
fn no_short_walk_is_cheaper() {
    let captures = [walker(75, 30.0, 0.7)];
    let options = GraphOptions { mirrored: false, threshold: 0.02, ..GraphOptions::default() };
    let graph = MotionGraph::new(&captures, &options).expect("a graph");
    let path = path("M0 0 H150");
    let options = FollowOptions::new(100.0);
    let found = graph.follow(&path, &options).expect("a walk");
    let mut least = f64::INFINITY;
    for node in 0..graph.nodes.len() {
        try_all(&graph, node, 0.0, 0.0, 0, &mut least);
    }
    println!("{found:?} against {least}, {} nodes, {} edges", graph.nodes.len(), graph.edges.len());
    assert!(found.cost <= least + 1e-9, "{} {least}", found.cost);
}

/// The cost by its definition, on flat ground without turns.
fn try_all(graph: &MotionGraph, node: usize, x: f64, cost: f64, depth: usize, least: &mut f64) {
    if depth > 40 || cost >= *least {
        return;
    }
    for &edge in &graph.out[node] {
        let edge = &graph.edges[edge];
        let fade = edge.fade.map_or(0.0, |distance| (distance / 0.02).powi(2));
        if let Some(at) = edge.travel.iter().position(|travel| x + travel >= 1.5) {
            let beyond = x + edge.travel[at] - 1.5;
            *least = least.min(cost + fade + 0.15 * (at + 1) as f64 / 30.0 + 20.0 * beyond * beyond);
            continue;
        }
        let after = cost + fade + 0.15 * edge.travel.len() as f64 / 30.0;
        try_all(graph, edge.to, x + edge.travel[edge.travel.len() - 1], after, depth + 1, least);
    }
}

/// The same motion under a joint that stays at the origin of the world.
fn under_a_reference(motion: &PlanarMotion) -> PlanarMotion {
    let mut joints = vec![PlanarJoint { name: "Reference".to_owned(), parent: None }];
    joints.extend(motion.joints().iter().map(|joint| PlanarJoint {
        name: joint.name.clone(),
        parent: Some(joint.parent.map_or(0, |parent| parent + 1)),
    }));
    let positions = (0..motion.frames())
        .flat_map(|frame| std::iter::once(Point::ZERO).chain(motion.frame(frame).iter().copied()))
        .collect();
    PlanarMotion::new(joints, motion.rate(), positions).expect("a figure")
}

/// The hips carry the figure along the way, the root stays at the origin: no fade leaps.
#[test]
fn a_figure_under_a_reference_joint_does_not_leap() {
    let captures = [walker(120, 30.0, 0.7), walker(100, 24.0, 0.9)].map(|motion| under_a_reference(&motion));
    let graph = MotionGraph::new(&captures, &GraphOptions::default()).expect("a graph");
    let path = path("M0 0 H1200");
    let walk = graph.follow(&path, &FollowOptions::new(100.0)).expect("a walk");
    let motion = graph.motion(&walk, &path, 100.0).expect("a motion");
    let hips = motion.find("Hips").expect("hips");
    let step = |frame: usize| motion.position(frame, hips).distance(motion.position(frame - 1, hips));
    let most = (1..motion.frames()).map(step).fold(0.0, f64::max);
    // The faster capture advances by 0.9 heights in 24 frames.
    let quality = graph.quality(&motion, 100.0);
    println!("{} fades, steps up to {most}, {quality:?}", walk.fades);
    assert!(walk.fades >= 3 && most < 8.0, "{most}");
    assert!(!quality.leaps() && quality.speed > 0.8, "{quality:?}");

    // A motion that does leap is reported.
    let leap = |(at, place): (usize, &Point)| {
        let later = at >= motion.joints().len() * motion.frames() / 2;
        if later { Point::new(place.x + 200.0, place.y) } else { *place }
    };
    let all: Vec<Point> = (0..motion.frames()).flat_map(|frame| motion.frame(frame)).copied().collect();
    let all = all.iter().enumerate().map(leap).collect();
    let leaping = PlanarMotion::new(motion.joints().to_vec(), motion.rate(), all).expect("a figure");
    assert!(graph.quality(&leaping, 100.0).leaps());
}

/// A loop under a reference joint advances as its hips do.
#[test]
fn a_loop_under_a_reference_joint_advances() {
    let motion = under_a_reference(&walker(120, 30.0, 0.7));
    let found = cycle::find(&motion).expect("a cycle");
    let closed = cycle::closed(&motion, &found).expect("closed");
    let last = closed.frames() - 1;
    for name in ["Hips", "Head", "LeftToe", "RightAnkle"] {
        let joint = closed.find(name).expect("a joint");
        let gained = closed.position(last, joint) - closed.position(0, joint);
        assert!((gained.x - 70.0 * found.period as f64 / 30.0).abs() < 0.5, "{name}: {gained}");
        assert_eq!(gained.y, 0.0);
    }
}
