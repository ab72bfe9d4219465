//! Drivers in a rig: a bent elbow has the typed offsets, the setup pose is the drawing, and drivers do not
//! change the pose that a tool sets.

use std::path::Path;
use std::sync::Arc;

use bone_core::{Angle, BonePose, Pose};
use bone_format::InMemory;
use bone_layer_tests::player::Player;
use bone_rig::{BoneOverride, FrameState, Overrides};
use bone_skin::VertexPoint;
use kurbo::Vec2;

const DRAWING: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 120" width="160" height="120">
  <path id="arm" d="M 30 50 L 80 50 L 130 55 L 130 65 L 80 70 L 30 70 Z"/>
</svg>"#;

/// An arm of two bones; its elbow is vertex 1 on one side and 4 on the other.
fn arm(drivers: &str) -> Player {
    let rig = format!(
        r#"Rig(version: 1, drawing: "arm.svg",
        bones: {{ "upper": (from: (30, 60), to: (80, 60)), "fore": (parent: "upper", to: (130, 60)) }},
        skin: [Explicit(art: "arm", weights: {{
            0: {{"upper": 1}}, 1: {{"upper": 1, "fore": 1}}, 4: {{"upper": 2, "fore": 1}}, 5: {{"upper": 1}},
        }}, others: {{"fore": 1}})],
        drivers: [{drivers}],
        clips: {{ "bend": (length: 1, bones: {{ "fore": (rotate: [(0, 0), (0.5, -45, Linear), (1, -90)]) }}) }})"#
    );
    let files = InMemory::new().with("arm.ron", rig).with("arm.svg", DRAWING);
    Player::load(Path::new("arm.ron"), Arc::new(files))
}

/// How far vertices 1 and 4 of the arm are from where the bones alone put them.
fn corrections(player: &Player, state: &FrameState) -> [Vec2; 2] {
    let path = player.rig.skin().paths().next().expect("the arm");
    [1, 4].map(|vertex| {
        let bones =
            player.rig.skin().deformed(state.matrices(), path, vertex, VertexPoint::Anchor).expect("there");
        let posed = (state.matrices(), state.posed());
        player.rig.skin().posed_part(posed, path, vertex, VertexPoint::Anchor).expect("there") - bones
    })
}

fn near(a: [Vec2; 2], b: [(f64, f64); 2]) {
    assert!(a.iter().zip(b).all(|(a, b)| (*a - Vec2::from(b)).hypot() < 1e-9), "{a:?}, not {b:?}");
}

/// Small enough that no other vertex is nearer.
const CORRECTED: &str = r#"
    (bone: "fore", offsets: {"arm": {1: [(-90, (3, -5), Linear), (0, (0, 0), Linear)], 4: [(-90, (1, 2), Linear), (0, (0, 0))]}}),
"#;

#[test]
fn a_bent_elbow_has_the_typed_offsets() {
    let player = arm(CORRECTED);
    let mut state = FrameState::new(&player.rig);
    let bend = player.clip(Some("bend"));
    let mut at = |time: f64| {
        player.rig.pose(bend, time, &mut state).expect("no loop");
        corrections(&player, &state)
    };
    near(at(1.0), [(3.0, -5.0), (1.0, 2.0)]);
    near(at(0.5), [(1.5, -2.5), (0.5, 1.0)]);
    near(at(0.0), [(0.0, 0.0), (0.0, 0.0)]);
}

#[test]
fn several_drivers_of_one_vertex_add() {
    let more = r#"(bone: "fore", offsets: {"arm": {1: [(-90, (-1, 1)), (0, (0, 0))]}}),"#;
    let player = arm(&format!("{CORRECTED}{more}"));
    let mut state = FrameState::new(&player.rig);
    player.rig.pose(player.clip(Some("bend")), 1.0, &mut state).expect("no loop");
    near(corrections(&player, &state), [(2.0, -4.0), (1.0, 2.0)]);
}

#[test]
fn an_offset_in_the_space_of_a_bone_rotates_with_it() {
    let player = arm(r#"(bone: "fore", offsets: {"arm": {
        1: (bone: "fore", keys: [(-90, (3, -5)), (0, (0, 0))]), 4: (bone: "upper", keys: [(-90, (1, 2)), (0, (0, 0))]),
    }}),"#);
    let mut state = FrameState::new(&player.rig);
    player.rig.pose(player.clip(Some("bend")), 1.0, &mut state).expect("no loop");
    // A quarter turn against the clock takes (x, y) to (y, -x).
    near(corrections(&player, &state), [(-5.0, -3.0), (1.0, 2.0)]);
}

#[test]
fn a_pose_set_by_hand_is_driven_and_not_changed() {
    let player =
        arm(&format!("{CORRECTED}{}", r#"(bone: "fore", bones: {"upper": (rotate: [(-90, 10), (0, 0)])}),"#));
    let skeleton = player.rig.skeleton();
    let [upper, fore] = ["upper", "fore"].map(|name| skeleton.find(name).expect("a bone").index());
    let mut state = FrameState::new(&player.rig);
    let mut overrides = Overrides::new();
    let turn = BonePose { angle: Angle::from_degrees(-90.0), ..BonePose::REST };
    overrides.bones.set(skeleton.find("fore").expect("a bone"), BoneOverride::Add(turn));
    let mut by_hand = Pose::new(skeleton);
    by_hand.bones[fore].angle += Angle::from_degrees(-90.0);
    for _ in 0..3 {
        player.rig.pose_with(None, 0.0, &overrides, &mut state).expect("no loop");
        assert_eq!(*state.pose(), by_hand);
        assert_eq!(state.driven().bones[upper].angle.degrees(), 10.0);
        assert_eq!(state.driven().bones[fore], by_hand.bones[fore]);
        near(corrections(&player, &state), [(3.0, -5.0), (1.0, 2.0)]);
    }
}

#[test]
fn at_rest_nothing_is_driven() {
    let driven = Player::open("tests/rigs/drivers.ron");
    assert_eq!(driven.rig.drivers().len(), 5);
    let mut state = FrameState::new(&driven.rig);
    driven.pose(None, 0, &mut state);
    assert_eq!(state.driven(), state.pose());
    let identity = kurbo::Affine::IDENTITY.as_coeffs();
    for bone in driven.rig.skeleton().bones() {
        let matrix = state.matrices().of(bone).as_coeffs();
        assert!(matrix.iter().zip(identity).all(|(a, b)| (a - b).abs() < 1e-12), "{matrix:?}");
    }
    for (element, path) in driven.rig.posed_elements().iter().zip(state.posed().paths()) {
        let rest = &driven.rig.art().outline(*element).expect("a path").path;
        let at = |path: &kurbo::BezPath| kurbo::Shape::area(path);
        assert!((at(rest) - at(path)).abs() < 1e-9);
    }
}
