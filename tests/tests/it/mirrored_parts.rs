//! Bones mirror one part of a filled path and not another: both stay painted where they lie over each other.

use std::path::Path;
use std::sync::Arc;

use bone_layer_tests::player::Player;
use kurbo::{Affine, BezPath, Point, Shape};
use rig::FrameState;
use rig_format::InMemory;

/// A limb with a wider place at its joint, in two subpaths that lie over each other.
const LIMB: &str = "M0 -20H200V20H0Z M60 -40H140V40H60Z";
const ARM: &str = "\"a\": (from: (0, 0), to: (100, 0)), \"b\": (parent: \"a\", to: (200, 0))";
const SMOOTH: &str = "Smooth(art: \"limb\", bones: [\"a\", \"b\"])";
/// Pixels for a canvas unit.
const SCALE: f64 = 2.0;

fn load(shapes: &str, bones: &str, skin: &str, keys: &str) -> Player {
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-60 -100 340 200' width='340' height='200'>{shapes}</svg>"
    );
    let rig = format!(
        "Rig(version: 1, drawing: \"it.svg\", fps: 8, bones: {{{bones}}}, skin: [{skin}],\n\
         clips: {{\"flip\": (length: 8, loop: false, bones: {{{keys}}})}})"
    );
    let files = InMemory::new().with("it.svg", svg).with("it.ron", rig);
    Player::load(Path::new("it.ron"), Arc::new(files))
}

fn arm(style: &str, keys: &str) -> Player {
    load(&format!("<path id='limb' {style} d='{LIMB}'/>"), ARM, SMOOTH, keys)
}

/// How black the pixels of a frame are.
fn alpha(player: &Player, frame: u64) -> Vec<u8> {
    let state = &mut FrameState::new(&player.rig);
    let picture = player.draw(player.clip(Some("flip")), frame, SCALE, state);
    picture.data().chunks_exact(4).map(|pixel| 255 - pixel[0]).collect()
}

fn count(alpha: &[u8]) -> usize {
    alpha.iter().filter(|alpha| **alpha > 128).count()
}

/// The canvas place of each pixel's centre.
fn places() -> impl Iterator<Item = Point> {
    let (width, height) = ((340.0 * SCALE) as usize, (200.0 * SCALE) as usize);
    (0..width * height).map(move |at| {
        let (x, y) = ((at % width) as f64 + 0.5, (at / width) as f64 + 0.5);
        Point::new(x / SCALE - 60.0, y / SCALE - 100.0)
    })
}

/// Which pixels the halves of a path cover, one at rest and one that is scaled about the joint.
fn union(path: &str, scale: (f64, f64)) -> Vec<bool> {
    let path = BezPath::from_svg(path).expect("path data");
    let joint = Point::new(100.0, 0.0);
    let scaled = Affine::scale_non_uniform(scale.0, scale.1).then_translate(joint.to_vec2());
    let back = (scaled * Affine::translate(-joint.to_vec2())).inverse();
    let has = |at: Point, lower: bool| (at.x > joint.x) == lower && path.winding(at) != 0;
    places().map(|at| has(at, false) || has(back * at, true)).collect()
}

/// The share of a union that is painted, and what is painted besides, as a share of it.
fn shares(alpha: &[u8], union: &[bool]) -> (f64, f64) {
    let all = union.iter().filter(|is| **is).count() as f64;
    let of = |inside: bool| {
        let both = alpha.iter().zip(union);
        both.filter(|(alpha, is)| **alpha > 128 && **is == inside).count() as f64 / all
    };
    (of(true), of(false))
}

#[test]
fn a_mirrored_half_is_painted_over_the_other() {
    for ((x, y), least) in [((-1.0, 1.0), 0.97), ((-0.6, 1.0), 0.97), ((-1.5, 1.2), 0.97)] {
        let player = arm("", &format!("\"b\": (scale: [(0, (1, 1)), (1, ({x}, {y}))])"));
        let (painted, besides) = shares(&alpha(&player, 8), &union(LIMB, (x, y)));
        assert!(painted >= least && besides < 0.03, "({x}, {y}): {painted:.4}, and {besides:.4} besides");
    }
}
