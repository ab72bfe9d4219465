//! Keyed setup positions, compared with drawings whose points were moved by hand and bound in the same way.

use std::path::Path;
use std::sync::Arc;

use bone_format::InMemory;
use bone_layer_tests::player::Player;
use bone_rig::FrameState;
use kurbo::{BezPath, ParamCurve, ParamCurveNearest, Point};

const REST: &str = "M 20 40 C 60 30 100 30 140 40 L 140 60 C 100 70 60 70 20 60 Z";
/// Vertex 1 moved by (6, 12) with its tangent, the tangent that arrives at 3 to (50, 90), vertex 3 to (25,
/// 66) with the other side.
const MOVED: &str = "M 20 40 C 60 30 106 42 146 52 L 140 60 C 100 70 50 90 25 66 Z";

fn player(data: &str, blend: &str, binding: &str, setup: &str) -> Player {
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 160 120' width='160' height='120'><path id='arm' d='{data}'/></svg>"
    );
    let rig = format!(
        r#"Rig(version: 1, drawing: "arm.svg", blend: {blend}, tolerance: 0.05,
        bones: {{ "upper": (from: (20, 50), to: (80, 50)), "fore": (parent: "upper", to: (140, 50)) }},
        skin: [{binding}],
        clips: {{ "bend": (length: 1, bones: {{
            "upper": (rotate: [(0, 0), (1, 20)], scale: [(0, 1), (1, (1.1, 0.9))]), "fore": (rotate: [(0, 0), (1, -80)]),
        }}, {setup}) }})"#
    );
    let files = InMemory::new().with("arm.ron", rig).with("arm.svg", svg);
    Player::load(Path::new("arm.ron"), Arc::new(files))
}

const SETUP: &str = r#"setup: { "arm": {
    "3.in": [(0, (60, 70)), (1, (50, 90))],
    1: [(0, (140, 40)), (1, (146, 52))],
    3: [(0, (20, 60)), (1, (25, 66))],
} }"#;
/// Vertex 3 is a corner at rest, and none where it is moved to: its weights rest in both. Folds are kept: the loop of
/// one comes back by a share, which two outlines within the tolerance may have by more than that.
const SOFT: &str = r#"Explicit(art: "arm", folds: Keep, weights: { 0: {"upper": 1}, 1: {"upper": 1, "fore": 4}, 2: {"fore": 1}, 3: {"upper": 3, "fore": 1}, "3.out": {"upper": 3, "fore": 1} })"#;

fn posed(player: &Player, time: f64) -> BezPath {
    let mut state = FrameState::new(&player.rig);
    player.rig.pose(player.clip(Some("bend")), time, &mut state).expect("no loop");
    state.posed().paths()[0].clone()
}

/// The largest distance of a point of one outline from the other.
fn apart(a: &BezPath, b: &BezPath) -> f64 {
    let one_way = |a: &BezPath, b: &BezPath| {
        let points = a.segments().flat_map(|s| (0..40).map(move |i| s.eval(f64::from(i) / 40.0)));
        let nearest = |p: Point| {
            b.segments().map(|s| s.nearest(p, 1e-9).distance_sq).fold(f64::INFINITY, f64::min).sqrt()
        };
        points.map(nearest).fold(0.0, f64::max)
    };
    one_way(a, b).max(one_way(b, a))
}

#[test]
fn a_rigid_path_equals_the_moved_drawing() {
    let bound = r#"Rigid(art: "arm", bone: "fore")"#;
    let explicit = r#"Explicit(art: "arm", weights: {}, others: {"fore": 1})"#;
    for time in [0.0, 0.5, 1.0] {
        let path = posed(&player(REST, "AreaPreserving", bound, SETUP), time);
        assert_eq!(path, posed(&player(REST, "AreaPreserving", explicit, SETUP), time));
    }
    let moved = posed(&player(MOVED, "AreaPreserving", explicit, ""), 1.0);
    let keyed = posed(&player(REST, "AreaPreserving", bound, SETUP), 1.0);
    assert_eq!(keyed.elements().len(), moved.elements().len());
    assert!(apart(&keyed, &moved) < 1e-9, "{keyed:?}\n{moved:?}");
}

#[test]
fn a_deformed_path_matches_the_moved_drawing() {
    // Each of the two is within the tolerance of the same deformed outline. Centres of rotation depend on the
    // drawing, so that mode is not compared.
    for blend in ["Linear", "AreaPreserving"] {
        let keyed = posed(&player(REST, blend, SOFT, SETUP), 1.0);
        let moved = posed(&player(MOVED, blend, SOFT, ""), 1.0);
        let apart = apart(&keyed, &moved);
        assert!(apart < 0.1, "{blend}: {apart}");
    }
}

#[test]
fn setup_keys_at_rest_change_nothing() {
    let plain = player(REST, "AreaPreserving", SOFT, "");
    let keyed = player(REST, "AreaPreserving", SOFT, SETUP);
    assert_eq!(posed(&plain, 0.0), posed(&keyed, 0.0));
    assert!(apart(&posed(&plain, 0.5), &posed(&keyed, 0.5)) > 1.0);
    let still = r#"setup: { "arm": { 1: [(0, (140, 40))], "1.in": [(0, (100, 30))] } }"#;
    assert_eq!(posed(&plain, 0.5), posed(&player(REST, "AreaPreserving", SOFT, still), 0.5));
}
