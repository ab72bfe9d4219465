//! A few frames as text: the bones and the posed points. They are smaller than pictures, and a difference
//! names the bone or the vertex that moved.

use std::fmt::Write as _;

use bone_layer_tests::player::Player;
use bone_layer_tests::snapshot::compare;
use bone_rig::FrameState;
use kurbo::{PathEl, Point};

/// Name, rig, and the moments: clip and frame.
type Snapshot = (&'static str, &'static str, &'static [(Option<&'static str>, u64)]);

const SNAPSHOTS: [Snapshot; 6] = [
    ("walk", "examples/walk/rig.ron", &[(None, 0), (Some("walk"), 5), (Some("idle"), 36)]),
    ("arm", "examples/arm/rig.ron", &[(None, 0), (Some("flex"), 8), (Some("flex"), 20)]),
    ("weights", "tests/rigs/weights.ron", &[(None, 0), (Some("bend"), 24)]),
    ("offsets", "tests/rigs/offsets.ron", &[(Some("gulp"), 0), (Some("gulp"), 12)]),
    (
        "reparent",
        "tests/rigs/reparent.ron",
        &[(None, 0), (Some("drink"), 10), (Some("drink"), 34), (Some("drink"), 48)],
    ),
    ("inherit", "tests/rigs/inherit.ron", &[(None, 0), (Some("turn"), 24)]),
];

#[test]
fn bones_and_posed_points_match_snapshots() {
    let mut wrong = Vec::new();
    for (name, rig, moments) in SNAPSHOTS {
        let player = Player::open(rig);
        let mut state = FrameState::new(&player.rig);
        let mut text = String::new();
        for (clip, frame) in moments {
            player.pose(player.clip(*clip), *frame, &mut state);
            let _ = writeln!(text, "== {} {frame}", clip.unwrap_or("setup pose"));
            write_bones(&player, &state, &mut text);
            write_paths(&player, &state, &mut text);
        }
        wrong.extend(compare(name, &text).err());
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn write_bones(player: &Player, state: &FrameState, text: &mut String) {
    let skeleton = player.rig.skeleton();
    for bone in skeleton.bones() {
        let world = state.world();
        let parent = state.driven().parent(skeleton, bone).map_or("-", |parent| skeleton.name(parent));
        let (origin, tip) = (world.origin(bone), world.tip(skeleton, state.driven(), bone));
        let _ = writeln!(
            text,
            "bone {:12} on {:12} {} -> {} turned {}",
            skeleton.name(bone),
            parent,
            point(origin),
            point(tip),
            number(world.angle(bone).degrees()),
        );
    }
}

fn write_paths(player: &Player, state: &FrameState, text: &mut String) {
    for (element, path) in player.rig.posed_elements().iter().zip(state.posed().paths()) {
        let _ = writeln!(text, "path {}", names(player.rig.art(), *element));
        for element in path.elements() {
            let line = match element {
                PathEl::MoveTo(p) => format!("M {}", point(*p)),
                PathEl::LineTo(p) => format!("L {}", point(*p)),
                PathEl::QuadTo(a, p) => format!("Q {} {}", point(*a), point(*p)),
                PathEl::CurveTo(a, b, p) => format!("C {} {} {}", point(*a), point(*b), point(*p)),
                PathEl::ClosePath => "Z".to_owned(),
            };
            let _ = writeln!(text, "  {line}");
        }
    }
}

/// Six digits after the point: what moves less is no movement. All bits are compared elsewhere.
fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn point(at: Point) -> String {
    format!("({}, {})", number(at.x), number(at.y))
}

/// The names from the root to an element.
fn names(art: &bone_drawing::Drawing, id: bone_drawing::ElementId) -> String {
    let up = std::iter::successors(Some(id), |at| art.element(*at)?.parent);
    let mut names: Vec<String> = up.filter_map(|at| Some(art.element(at)?.name())).collect();
    names.reverse();
    names.join("/")
}
