//! Weights keyed by clips, compared with drawings that are bound with the weights of one time, and with the
//! formula: a linear blend by the Bernstein polynomials of the rows, point by point.

use std::path::Path;
use std::sync::Arc;

use bone_format::InMemory;
use bone_layer_tests::player::Player;
use bone_rig::FrameState;
use kurbo::{Affine, BezPath, CubicBez, ParamCurve, ParamCurveNearest, Point};
use proptest::prelude::*;

const ARM: &str = "M 20 40 C 60 30 100 30 140 40 L 140 60 C 100 70 60 70 20 60 Z";
/// The same as cubics, in order.
const SIDES: [[(f64, f64); 4]; 4] = [
    [(20.0, 40.0), (60.0, 30.0), (100.0, 30.0), (140.0, 40.0)],
    [(140.0, 40.0), (140.0, 40.0), (140.0, 60.0), (140.0, 60.0)],
    [(140.0, 60.0), (100.0, 70.0), (60.0, 70.0), (20.0, 60.0)],
    [(20.0, 60.0), (20.0, 60.0), (20.0, 40.0), (20.0, 40.0)],
];
const TOLERANCE: f64 = 0.05;
const BONES: [&str; 3] = ["upper", "fore", "tip"];

/// The weights of the three bones.
type Row = [f64; 3];

fn typed(row: Row) -> String {
    let parts: Vec<String> =
        BONES.iter().zip(row).filter(|(_, w)| *w > 0.0).map(|(bone, w)| format!("\"{bone}\": {w}")).collect();
    format!("{{{}}}", parts.join(", "))
}

fn player(blend: &str, rest: &[(&str, Row)], clip: &str) -> Player {
    drawn(ARM, blend, rest, clip)
}

fn drawn(data: &str, blend: &str, rest: &[(&str, Row)], clip: &str) -> Player {
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 160 120' width='160' height='120'><path id='arm' d='{data}'/></svg>"
    );
    let rows: Vec<String> = rest.iter().map(|(at, row)| format!("\"{at}\": {}", typed(*row))).collect();
    let rig = format!(
        r#"Rig(version: 1, drawing: "arm.svg", blend: {blend}, tolerance: {TOLERANCE},
        bones: {{ "upper": (from: (20, 50), to: (60, 50)), "fore": (parent: "upper", to: (100, 50)), "tip": (parent: "fore", to: (140, 50)) }},
        skin: [Explicit(art: "arm", weights: {{ {} }})],
        clips: {{
            "bend": (length: 1, bones: {{
                "upper": (rotate: [(0, 20)], scale: [(0, (1.1, 0.9))]), "fore": (rotate: [(0, -70)]), "tip": (rotate: [(0, 95)]),
            }}, {clip}),
            "plain": (length: 1, bones: {{ "upper": (rotate: [(0, 10)]), "fore": (rotate: [(0, -40)]) }}),
        }})"#,
        rows.join(", ")
    );
    let files = InMemory::new().with("arm.ron", rig).with("arm.svg", svg);
    Player::load(Path::new("arm.ron"), Arc::new(files))
}

fn posed(player: &Player, clip: &str, time: f64) -> (BezPath, Vec<Affine>) {
    let mut state = FrameState::new(&player.rig);
    player.rig.pose(player.clip(Some(clip)), time, &mut state).expect("no loop");
    let matrix = |name: &&str| state.matrices().of(player.rig.skeleton().find(name).expect("a bone"));
    (state.posed().paths()[0].clone(), BONES.iter().map(matrix).collect())
}

fn off(path: &BezPath, point: Point) -> f64 {
    path.segments().map(|s| s.nearest(point, 1e-9).distance_sq).fold(f64::INFINITY, f64::min).sqrt()
}

/// The largest distance of a point of one outline from the other.
fn apart(a: &BezPath, b: &BezPath) -> f64 {
    let one_way = |a: &BezPath, b: &BezPath| {
        let points = a.segments().flat_map(|s| (0..40).map(move |i| s.eval(f64::from(i) / 40.0)));
        points.map(|p| off(b, p)).fold(0.0, f64::max)
    };
    one_way(a, b).max(one_way(b, a))
}

fn mix(a: Row, b: Row, share: f64) -> Row {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * share)
}

const REST: [(&str, Row); 4] =
    [("0", [1.0, 0.0, 0.0]), ("1", [0.0, 0.0, 1.0]), ("2", [0.0, 0.0, 1.0]), ("3", [1.0, 0.0, 0.0])];
const FIRST: Row = [0.0, 0.3, 0.7];
const LAST: Row = [0.5, 0.5, 0.0];
const TANGENT: Row = [0.0, 1.0, 0.0];

/// Vertices 1 and 2 from key to key, evenly; the tangent that arrives at 1 has rows of its own, those of 2
/// follow.
fn keyed() -> String {
    format!("weights: {{ {} }}", keys_of("arm"))
}

fn keys_of(art: &str) -> String {
    let (a, b, c) = (typed(FIRST), typed(LAST), typed(TANGENT));
    format!(
        r#""{art}": {{
            1: [(0, {a}, Linear), (1, {b})],
            2: [(0, {b}, Linear), (1, {a})],
            "1.in": [(0, {c}, Linear), (1, {a})],
        }}"#
    )
}

/// The control rows of the four sides at a time.
fn controls(time: f64) -> [[Row; 4]; 4] {
    let (one, two) = (mix(FIRST, LAST, time), mix(LAST, FIRST, time));
    let (arrives, rest) = (mix(TANGENT, FIRST, time), [1.0, 0.0, 0.0]);
    [[rest, rest, arrives, one], [one, one, two, two], [two, two, rest, rest], [rest; 4]]
}

/// The same weights in the document.
fn typed_at(time: f64) -> Vec<(&'static str, Row)> {
    let [[_, _, arrives, one], [_, _, _, two], ..] = controls(time);
    vec![("0", REST[0].1), ("1", one), ("2", two), ("3", REST[3].1), ("1.in", arrives)]
}

#[test]
fn the_outline_at_any_time_is_that_of_the_weights_at_that_time() {
    for blend in ["Linear", "AreaPreserving"] {
        let keyed = player(blend, &REST, &keyed());
        let mut most = 0.0_f64;
        for step in 0..=16 {
            let time = f64::from(step) / 16.0;
            let (now, _) = posed(&keyed, "bend", time);
            let (typed, _) = posed(&player(blend, &typed_at(time), ""), "bend", 0.0);
            most = most.max(apart(&now, &typed));
        }
        println!("{blend}: {most} at the most");
        assert!(most < 2.0 * TOLERANCE, "{blend}: {most}");
    }
}

#[test]
fn linear_blends_are_the_formula_within_the_tolerance() {
    let keyed = player("Linear", &REST, &keyed());
    let bernstein = |t: f64| {
        let r = 1.0 - t;
        [r * r * r, 3.0 * r * r * t, 3.0 * r * t * t, t * t * t]
    };
    let mut most = [0.0_f64; 2];
    for step in 0..=20 {
        let time = f64::from(step) / 20.0;
        let (path, matrices) = posed(&keyed, "bend", time);
        for (side, rows) in SIDES.iter().zip(controls(time)) {
            // A straight side is drawn evenly.
            let straight = side[0] == side[1];
            let thirds = |share: f64| (Point::from(side[0])).lerp(side[3].into(), share).into();
            let side =
                if straight { [side[0], thirds(1.0 / 3.0), thirds(2.0 / 3.0), side[3]] } else { *side };
            let curve = CubicBez::new(side[0], side[1], side[2], side[3]);
            for i in 0..=64 {
                let t = f64::from(i) / 64.0;
                let b = bernstein(t);
                let weight = |bone: usize| (0..4).map(|k| b[k] * rows[k][bone]).sum::<f64>();
                let moved = |bone: usize| (matrices[bone] * curve.eval(t)).to_vec2() * weight(bone);
                let there = (moved(0) + moved(1) + moved(2)).to_point();
                let at_key = usize::from(step % 20 != 0);
                most[at_key] = most[at_key].max(off(&path, there));
            }
        }
    }
    println!("{} at the keys, {} between", most[0], most[1]);
    assert!(most[0] < TOLERANCE && most[1] < TOLERANCE, "{most:?}");
}

#[test]
fn eases_apply_to_weight_rows_as_to_numbers() {
    // Two keys and the default ease: 3 s^2 - 2 s^3. `Hold` waits, and what is typed as shares of anything is
    // normalised at its key.
    let row = |time: f64, ease: &str| {
        let keys =
            format!("1: [(0, {{\"fore\": 30, \"tip\": 70}}{ease}), (1, {{\"upper\": 0.1, \"fore\": 0.1}})]");
        let keyed = player("Linear", &REST, &format!("weights: {{ \"arm\": {{ {keys} }} }}"));
        posed(&keyed, "bend", time)
    };
    for (ease, share) in [("", 0.15625), (", Linear", 0.25), (", Hold", 0.0), (", Bezier(0, 0, 1, 1)", 0.25)]
    {
        let (path, matrices) = row(0.25, ease);
        let now = mix(FIRST, LAST, share);
        let corner = Point::new(140.0, 40.0);
        let there = (0..3).map(|bone| (matrices[bone] * corner).to_vec2() * now[bone]).sum::<kurbo::Vec2>();
        assert!(off(&path, there.to_point()) < 1e-9, "{ease}");
    }
}

#[test]
fn vertices_without_keys_keep_their_weights() {
    let keyed = player("AreaPreserving", &REST, &keyed());
    let plain = player("AreaPreserving", &REST, "");
    let (a, b) = (posed(&keyed, "plain", 0.4).0, posed(&plain, "plain", 0.4).0);
    assert!(apart(&a, &b) < 2.0 * TOLERANCE);
    assert!(apart(&posed(&keyed, "bend", 0.0).0, &posed(&plain, "bend", 0.0).0) > 1.0);
    // Keys equal to the typed weights change nothing.
    let same = player("AreaPreserving", &REST, r#"weights: { "arm": { 1: [(0, {"tip": 2})] } }"#);
    let (a, b) = (posed(&same, "bend", 0.5).0, posed(&plain, "bend", 0.5).0);
    assert!(apart(&a, &b) < 1e-9, "{}", apart(&a, &b));
}

/// Smooth at its middle, whose tangents have rows of their own. All bones have weight there, so that none
/// would dip below 0 beside it.
const WAVE: &str = "M 20 50 C 40 30 60 30 80 50 C 100 70 120 70 140 50";

fn wave(last: Row) -> Vec<(&'static str, Row)> {
    vec![
        ("0", [1.0, 0.0, 0.0]),
        ("1", [0.3, 0.4, 0.3]),
        ("1.in", [0.4, 0.5, 0.1]),
        ("1.out", [0.2, 0.4, 0.4]),
        ("2", last),
    ]
}

#[test]
fn smooth_vertices_stay_smooth_as_with_typed_weights() {
    let (first, last) = ([0.0, 0.0, 1.0], [0.2, 0.3, 0.5]);
    let rows = format!("2: [(0, {}, Linear), (1, {})]", typed(first), typed(last));
    let keyed = drawn(WAVE, "AreaPreserving", &wave(first), &format!("weights: {{ \"arm\": {{ {rows} }} }}"));
    for time in [0.0, 0.3, 0.5, 1.0] {
        let (now, _) = posed(&keyed, "bend", time);
        let typed = drawn(WAVE, "AreaPreserving", &wave(mix(first, last, time)), "");
        let apart = apart(&now, &posed(&typed, "bend", 0.0).0);
        assert!(apart < 2.0 * TOLERANCE, "{time}: {apart}");
    }
}

#[test]
fn motion_is_continuous_where_one_side_stops() {
    // At the end the second side follows one bone, and its tangent with it: from there on the vertex is at
    // rest on both sides.
    let mut rest = wave([0.0, 0.0, 1.0]);
    rest.remove(3);
    let settled_row = rest[1].1;
    let rows = format!("2: [(0, {{\"tip\": 1}}, Linear), (1, {})]", typed(settled_row));
    let keyed = drawn(WAVE, "AreaPreserving", &rest, &format!("weights: {{ \"arm\": {{ {rows} }} }}"));
    let steps: Vec<BezPath> = (0..=400).map(|i| posed(&keyed, "bend", f64::from(i) / 400.0).0).collect();
    let most = steps.windows(2).map(|two| apart(&two[0], &two[1])).fold(0.0, f64::max);
    let mut settled = rest.clone();
    settled[3].1 = settled_row;
    let typed = drawn(WAVE, "AreaPreserving", &settled, "");
    let apart = apart(&steps[400], &posed(&typed, "bend", 0.0).0);
    println!("{most} a step, {apart} at the end");
    assert!(most < 0.5 && apart < 2.0 * TOLERANCE, "{most} {apart}");
}

#[test]
fn every_frame_has_the_same_elements() {
    let keyed = player("AreaPreserving", &REST, &keyed());
    let count = posed(&keyed, "plain", 0.0).0.elements().len();
    for step in 0..=10 {
        assert_eq!(posed(&keyed, "bend", f64::from(step) / 10.0).0.elements().len(), count);
    }
}

fn row() -> impl Strategy<Value = Row> {
    prop_oneof![
        Just([1.0, 0.0, 0.0]),
        Just([0.0, 0.0, 1.0]),
        [0.01_f64..1.0, 0.0_f64..1.0, 0.0_f64..1.0],
        [1e-300..1e-290, 0.0..1e300, 0.0..1e-9]
    ]
}

fn keys() -> impl Strategy<Value = String> {
    let ease = prop_oneof![Just(""), Just(", Linear"), Just(", Hold"), Just(", Bezier(0.9, -3, 0.1, 4)")];
    let extend = prop_oneof![Just("Hold"), Just("Loop"), Just("PingPong")];
    let list = proptest::collection::vec((row(), ease), 1..5);
    (list, extend).prop_map(|(list, extend)| {
        let step = 1.0 / list.len() as f64;
        let keys = list
            .iter()
            .enumerate()
            .map(|(i, (row, ease))| format!("({}, {}{ease})", step * i as f64, typed(*row)));
        format!("(keys: [{}], extend: {extend})", keys.collect::<Vec<_>>().join(", "))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_keys_give_an_outline_near_the_bones(
        places in proptest::sample::subsequence(vec!["0", "1", "1.in", "1.out", "2", "2.out"], 1..5),
        all in proptest::collection::vec(keys(), 6),
        time in -1.0_f64..3.0,
    ) {
        let tracks: Vec<String> = places.iter().zip(&all).map(|(at, keys)| format!("\"{at}\": {keys}")).collect();
        let player = player("AreaPreserving", &REST, &format!("weights: {{ \"arm\": {{ {} }} }}", tracks.join(", ")));
        let rest = posed(&player, "plain", 0.0).0;
        let (path, _) = posed(&player, "bend", time);
        prop_assert_eq!(path.elements().len(), rest.elements().len());
        let far = path.segments().map(|s| s.eval(0.5).distance(Point::new(20.0, 50.0))).fold(0.0, f64::max);
        prop_assert!(far < 400.0, "{far}");
    }
}

/// Two paths with the same outline and keys have the same pose: each reads its own entries of the table.
#[test]
fn paths_with_the_same_keys_have_the_same_pose() {
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 160 120'><path id='arm' d='{ARM}'/><path id='twin' d='{ARM}'/></svg>"
    );
    let rows: Vec<String> = REST.iter().map(|(at, row)| format!("\"{at}\": {}", typed(*row))).collect();
    let (rows, of_arm, of_twin) = (rows.join(", "), keys_of("arm"), keys_of("twin"));
    let rig = format!(
        r#"Rig(version: 1, drawing: "arm.svg", tolerance: {TOLERANCE},
        bones: {{ "upper": (from: (20, 50), to: (60, 50)), "fore": (parent: "upper", to: (100, 50)), "tip": (parent: "fore", to: (140, 50)) }},
        skin: [Explicit(art: "arm", weights: {{ {rows} }}), Explicit(art: "twin", weights: {{ {rows} }})],
        clips: {{ "bend": (length: 1, bones: {{ "fore": (rotate: [(0, -70)]), "tip": (rotate: [(0, 95)]) }},
            weights: {{ {of_arm}, {of_twin} }}) }})"#
    );
    let files = InMemory::new().with("arm.ron", rig).with("arm.svg", svg);
    let player = Player::load(Path::new("arm.ron"), Arc::new(files));
    let mut state = FrameState::new(&player.rig);
    for step in 0..=8 {
        player.rig.pose(player.clip(Some("bend")), f64::from(step) / 8.0, &mut state).expect("no loop");
        let [arm, twin] = state.posed().paths() else { panic!("two paths") };
        assert_eq!(arm, twin);
    }
}
