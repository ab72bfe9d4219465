//! Pins: bones without a length, alone and mixed with bones. Judged by the formula of their field.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use bone_core::Angle;
use bone_format::{InMemory, load, no_fonts, weights_of};
use bone_layer_tests::player::Player;
use bone_rig::FrameState;
use kurbo::{Affine, BezPath, ParamCurve as _, ParamCurveNearest as _, Point, Vec2};

/// A pin: where it is, and how far it is moved, turned in degrees and scaled.
struct Pin {
    at: Point,
    by: Vec2,
    turn: f64,
    scale: f64,
}

impl Pin {
    fn motion(&self) -> Affine {
        let at = self.at.to_vec2();
        Affine::translate(at + self.by)
            * Angle::from_degrees(self.turn).rotation()
            * Affine::scale(self.scale)
            * Affine::translate(-at)
    }
}

/// A rig of 620 by 620 with one path and these pins, posed at the end of its clip.
fn player(path: &str, binding: &str, pins: &[Pin]) -> Player {
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 620 620\"><path id=\"art\" d=\"{path}\"/></svg>"
    );
    let (mut bones, mut keys) = (String::new(), String::new());
    for (i, pin) in pins.iter().enumerate() {
        let Pin { at, by, turn, scale } = pin;
        let _ = write!(bones, "\"pin{i}\": (kind: Point, from: ({}, {})), ", at.x, at.y);
        let _ = write!(
            keys,
            "\"pin{i}\": (move: [(0, (0, 0)), (1, ({}, {}))], rotate: [(0, 0), (1, {turn})], \
             scale: [(0, 1), (1, {scale})]), ",
            by.x, by.y
        );
    }
    let rig = format!(
        "Rig(version: 1, drawing: \"art.svg\", bones: {{ {bones} }}, skin: [Smooth(art: \"art\", {binding})], \
         clips: {{ \"c\": (length: 1, bones: {{ {keys} }}) }})"
    );
    Player::load(Path::new("rig.ron"), Arc::new(InMemory::new().with("rig.ron", rig).with("art.svg", svg)))
}

fn posed(player: &Player) -> BezPath {
    let mut state = FrameState::new(&player.rig);
    player.rig.pose(player.clip(Some("c")), 1.0, &mut state).expect("no loop");
    state.posed().paths()[0].clone()
}

/// Shepard's formula.
fn weights(pins: &[Pin], power: i32, at: Point) -> Vec<f64> {
    if let Some(hit) = pins.iter().position(|pin| pin.at == at) {
        return (0..pins.len()).map(|i| f64::from(u8::from(i == hit))).collect();
    }
    let inverse: Vec<f64> = pins.iter().map(|pin| pin.at.distance(at).powi(-power)).collect();
    let sum: f64 = inverse.iter().sum();
    inverse.iter().map(|value| value / sum).collect()
}

fn moved(pins: &[Pin], power: i32, at: Point) -> Point {
    let all = pins.iter().zip(weights(pins, power, at));
    all.map(|(pin, weight)| (pin.motion() * at).to_vec2() * weight).sum::<Vec2>().to_point()
}

fn distance(path: &BezPath, at: Point) -> f64 {
    path.segments().map(|side| side.nearest(at, 1e-6).distance_sq).fold(f64::INFINITY, f64::min).sqrt()
}

fn pins() -> [Pin; 3] {
    [
        Pin { at: Point::new(150.0, 180.0), by: Vec2::new(40.0, 60.0), turn: 35.0, scale: 0.8 },
        Pin { at: Point::new(460.0, 230.0), by: Vec2::new(-60.0, 30.0), turn: -40.0, scale: 1.2 },
        Pin { at: Point::new(300.0, 480.0), by: Vec2::new(20.0, -70.0), turn: 20.0, scale: 1.0 },
    ]
}

const ART: [&str; 3] = [
    "M80 120C180 40 420 60 540 150C600 240 520 420 420 520C340 600 220 560 160 470C60 380 20 220 80 120Z",
    "M100 100H520V540H100Z",
    "M130 300C240 130 380 160 500 300S330 560 240 470Z",
];

#[test]
fn inverse_distances_are_followed_within_the_tolerance() {
    let pins = pins();
    let mut worst = 0.0_f64;
    for path in ART {
        let player = player(path, "method: InverseDistance(2), blend: Linear, tolerance: 0.25", &pins);
        let found = posed(&player);
        let rest = BezPath::from_svg(path).expect("path data");
        for side in rest.segments() {
            for i in 0..=200 {
                let at = moved(&pins, 2, side.eval(f64::from(i) / 200.0));
                worst = worst.max(distance(&found, at));
            }
        }
    }
    assert!(worst <= 0.25, "{worst}");
    println!("at most {worst:.3} from the exact field");
}

/// Points beside a pin go where the pin goes.
#[test]
fn a_pin_moves_turns_and_scales_what_is_at_it() {
    let pins = pins();
    let near = |pin: &Pin| format!("M{} {}h0.01v0.01z", pin.at.x, pin.at.y);
    let path: String = pins.iter().map(near).collect();
    for method in ["InverseDistance(2)", "Biharmonic", "Heat"] {
        let body = format!("M80 80H560V560H80Z{path}");
        let binding = format!("method: {method}, softness: 0");
        let found = posed(&player(&body, &binding, &pins));
        let starts: Vec<Point> = found
            .elements()
            .iter()
            .filter_map(|element| match element {
                kurbo::PathEl::MoveTo(at) => Some(*at),
                _ => None,
            })
            .collect();
        for (pin, start) in pins.iter().zip(&starts[1..]) {
            let apart = start.distance(pin.at + pin.by);
            assert!(apart < 0.05, "{method}: {apart}");
        }
    }
}

/// A pin in a limb with a bone: each has all weight on itself, and between them the weights sum to 1.
#[test]
fn pins_and_bones_mix() {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 200\">\
        <path id=\"art\" d=\"M20 60H380V140H20Z\"/></svg>";
    for method in ["Heat", "Biharmonic", "InverseDistance(2)", "Envelope", "Nearest"] {
        let rig = format!(
            "Rig(version: 1, drawing: \"art.svg\", bones: {{ \"bone\": (from: (40, 100), to: (160, 100)), \
             \"pin\": (kind: Point, parent: \"bone\", from: (320, 100)), \
             \"child\": (kind: Point, parent: \"pin\") }}, \
             skin: [Smooth(art: \"art\", bones: [\"bone\", \"pin\"], method: {method}, softness: 0)])"
        );
        let files = InMemory::new().with("rig.ron", rig).with("art.svg", svg);
        let loaded = load(Path::new("rig.ron"), Arc::new(files), &no_fonts);
        let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(
            messages[0], "bone \"child\" has no effect: no art follows it or its children",
            "{method}"
        );
        // A region in proportion to the bones does not reach the corners.
        assert!(messages.len() == 1 || method == "Envelope", "{method}: {messages:#?}");
        let (rig, doc) = (loaded.rig.expect("a rig"), loaded.doc.expect("a document"));
        let skeleton = rig.skeleton();
        let child = skeleton.find("child").expect("a bone");
        assert_eq!(skeleton.setup_origin(child), Point::new(320.0, 100.0), "a child begins at the pin");
        let paths = weights_of(&doc.skin[0], (&doc, rig.art()), skeleton);
        let bone_format::PathWeightSource::Found(field) = &paths[0].before else { panic!("found weights") };
        let mut row = [0.0; 2];
        for (x, expected) in [(100.0, [1.0, 0.0]), (320.0, [0.0, 1.0])] {
            field.weights_at(Point::new(x, 100.0), &mut row);
            let off = row.iter().zip(expected).map(|(a, b): (&f64, f64)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 0.02, "{method} at {x}: {row:?}");
        }
        let mut before = 1.0;
        for x in (100..=320).step_by(10) {
            field.weights_at(Point::new(f64::from(x), 80.0), &mut row);
            assert!(
                (row[0] + row[1] - 1.0).abs() < 1e-9 && row[0] <= before + 0.02,
                "{method} at {x}: {row:?}"
            );
            before = row[0];
        }
    }
}
