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
fn darkness(player: &Player, frame: u64) -> Vec<u8> {
    let state = &mut FrameState::new(&player.rig);
    let picture = player.draw(player.clip(Some("flip")), frame, SCALE, state);
    picture.data().chunks_exact(4).map(|pixel| 255 - pixel[0]).collect()
}

fn count(darkness: &[u8]) -> usize {
    darkness.iter().filter(|dark| **dark > 128).count()
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
fn shares(darkness: &[u8], union: &[bool]) -> (f64, f64) {
    let all = union.iter().filter(|is| **is).count() as f64;
    let of = |inside: bool| {
        let both = darkness.iter().zip(union);
        both.filter(|(dark, is)| **dark > 128 && **is == inside).count() as f64 / all
    };
    (of(true), of(false))
}

/// A path and both of its halves, which one field of weights moves: what the limb leaves of the halves under it.
#[test]
fn a_mirrored_half_is_painted_over_the_other() {
    const HALVES: [&str; 2] = ["M0 -20H100V20H0Z M60 -40H100V40H60Z", "M100 -20H200V20H100Z M100 -40H140V40H100Z"];
    const TOGETHER: &str = "Smooth(art: [\"upper\", \"lower\", \"limb\"], bones: [\"a\", \"b\"])";
    let halves: String = ["upper", "lower"]
        .iter()
        .zip(HALVES)
        .map(|(id, path)| format!("<path id='{id}' fill='#f00' d='{path}'/>"))
        .collect();
    let limb = format!("<path id='limb' fill='#00f' d='{LIMB}'/>");
    for [x, y] in [[-1.0, 1.0], [1.0, -1.0], [-0.6, 1.0], [-1.5, 1.2], [-1.0, -1.0]] {
        let keys = format!("\"b\": (rotate: [(0, 0), (2, 30)], scale: [(0, ({x}, {y}))])");
        let [above, below] = [[&halves, &limb], [&limb, &halves]].map(|[below, above]| {
            let player = load(&format!("{below}{above}"), ARM, TOGETHER, &keys);
            [0, 16].map(|frame| {
                let state = &mut FrameState::new(&player.rig);
                let picture = player.draw(player.clip(Some("flip")), frame, SCALE, state);
                let pixels: Vec<[u8; 3]> = picture.data().chunks_exact(4).map(|p| [p[0], p[1], p[2]]).collect();
                let of = |is: fn(&[u8; 3]) -> bool| pixels.iter().filter(|pixel| is(pixel)).count() as f64;
                [of(|[r, _, b]| *r > 200 && *b < 100), of(|[r, _, b]| *r < 100 && *b > 200)]
            })
        });
        for ([left, painted], [union, besides]) in above.into_iter().zip(below) {
            assert!(painted > 1000.0 && left <= 0.01 * union, "({x}, {y}): {left} left of {union}");
            assert!(besides <= 0.01 * union, "({x}, {y}): {besides} besides {union}");
        }
    }
}

/// Where weights change over within a small part of the limb, its halves are nearly rigid.
#[test]
fn both_halves_are_where_their_bones_take_them() {
    let limb = "M0 -20H95V-40H105V-20H200V20H105V40H95V20H0Z";
    let shape = format!("<path id='limb' d='{limb}'/>");
    let rows: Vec<String> = (3..9).map(|vertex| format!("{vertex}: {{\"b\": 1}}")).collect();
    let rows = format!("Explicit(art: \"limb\", weights: {{{}}}, others: {{\"a\": 1}})", rows.join(", "));
    for (x, y) in [(-1.0, 1.0), (-0.6, 1.0), (-1.5, 1.2)] {
        let player = load(&shape, ARM, &rows, &format!("\"b\": (scale: [(0, ({x}, {y}))])"));
        let (painted, besides) = shares(&darkness(&player, 0), &union(limb, (x, y)));
        assert!(painted >= 0.98 && besides < 0.02, "({x}, {y}): {painted:.4}, and {besides:.4} besides");
    }
}

#[test]
fn what_is_not_mirrored_in_part_is_drawn_as_it_is() {
    let mirrored = arm("stroke='#000'", "\"b\": (scale: [(0, (1, 1)), (1, (-1, 1))])");
    let plain = arm("stroke='#000'", "\"b\": (scale: [(0, (1, 1)), (1, (0.5, 1))])");
    assert_eq!(mirrored.rig.posable().mirrored_fills().len(), 1);
    assert!(plain.rig.posable().mirrored_fills().is_empty(), "only rigs that need parts have them");
    assert!(darkness(&mirrored, 0) == darkness(&plain, 0), "the setup pose");
    let [mirrored, plain] = [[1.0, 1.0, -1.0, 1.0], [1.0, 1.0, 0.5, 1.0]].map(|[a, b, c, d]| {
        arm(
            "stroke='#000'",
            &format!("\"b\": (rotate: [(0, 0), (4, 100)], scale: [(0, ({a}, {b})), (4, ({a}, {b})), (8, ({c}, {d}))])"),
        )
    });
    for frame in [8, 16, 32] {
        assert!(darkness(&mirrored, frame) == darkness(&plain, frame), "frame {frame}");
    }
}

#[test]
fn only_paths_that_bones_mirror_in_part_are_cut() {
    const FORK: &str = "\"a\": (from: (0, 0), to: (100, 0)), \"b\": (from: (100, 0), to: (200, 0))";
    const FREE: &str = "\"a\": (from: (0, 0), to: (100, 0)), \"b\": (parent: \"a\", to: (200, 0), inherit: NoScale)";
    let shape = format!("<path id='limb' d='{LIMB}'/>");
    for (bones, keys, is_cut) in [
        (ARM, "\"b\": (scale: [(0, (1, 1)), (1, (-1, 1))])", true),
        (ARM, "\"a\": (scale: [(0, (1, 1)), (1, (-1, 1))])", false),
        (FREE, "\"a\": (scale: [(0, (1, 1)), (1, (-1, 1))])", true),
        (FORK, "\"a\": (scale: [(0, (1, 1)), (1, (-1, 1))])", true),
        (ARM, "\"b\": (scale: [(0, (1, 1)), (1, (-1, -1))])", false),
        // A spring of the curve between two keys.
        (ARM, "\"b\": (scale: [(0, (1, 1), Bezier(0.3, 0, 0.5, 2)), (1, (0.05, 1), Bezier(0.3, 0, 0.5, 2))])", true),
        (ARM, "\"b\": (stretch: [(0, 1), (1, -1)])", true),
    ] {
        let player = load(&shape, bones, SMOOTH, keys);
        assert_eq!(!player.rig.posable().mirrored_fills().is_empty(), is_cut, "{bones}: {keys}");
    }
    let stroked = "<path id='limb' fill='none' stroke='#000' d='M0 -20H200V20H0Z'/>";
    let player = load(stroked, ARM, SMOOTH, "\"b\": (scale: [(0, (-1, 1))])");
    assert!(player.rig.posable().mirrored_fills().is_empty(), "ink has no fill");
}

#[test]
fn a_scale_that_passes_through_zero_does_not_jump() {
    for (from, to) in [("(0.1, 1)", "(-0.1, 1)"), ("(1, 0.1)", "(1, -0.1)")] {
        let keys = format!("\"b\": (rotate: [(0, 50), (8, 50)], scale: [(0, {from}), (8, {to}, Linear)])");
        let player = arm("", &keys);
        let areas: Vec<f64> = (28..=36).map(|frame| count(&darkness(&player, frame)) as f64).collect();
        for pair in areas.windows(2) {
            assert!((pair[1] - pair[0]).abs() < 0.01 * pair[0], "{from}: {areas:?}");
        }
    }
}

/// The cut goes through a hole, two prongs and a part that is drawn in the other direction; three bones of a chain
/// are mirrored against each other.
#[test]
fn no_shape_loses_paint() {
    const CHAIN: &str = "\"a\": (from: (0, 0), to: (70, 0)), \"b\": (parent: \"a\", to: (130, 0)), \"c\": (parent: \"b\", to: (200, 0))";
    const BOUND: &str = "Smooth(art: \"limb\", bones: [\"a\", \"b\", \"c\"])";
    for shape in [
        "fill-rule='evenodd' d='M0 -40H200V40H0Z M20 -10H180V10H20Z'",
        "d='M0 -40H200V40H0Z M20 -10V10H180V-10Z'",
        "d='M0 -40H200V-15H20V15H200V40H0Z'",
        "d='M0 -40H200V-15H0Z M0 40H200V15H0Z'",
        "stroke='#000' stroke-dasharray='9' d='M0 -40H200V-15H0Z M0 40H200V15H0Z'",
    ] {
        let shape = format!("<path id='limb' {shape}/>");
        for keys in [
            "\"b\": (scale: [(0, (1, 1)), (1, (1, -1)), (2, (1, 1))])",
            "\"b\": (scale: [(0, (1, 1)), (1, (1, -1))]), \"c\": (scale: [(0, (1, 1)), (1, (1, -1))])",
            "\"c\": (scale: [(0, (1, 1)), (1, (1, -1))])",
        ] {
            let player = load(&shape, CHAIN, BOUND, keys);
            let [rest, turned] = [0, 8].map(|frame| count(&darkness(&player, frame)) as f64);
            // Mirrored across its own line the limb has the shape that it had, but for where weights change.
            assert!(turned > 0.5 * rest && turned < 1.02 * rest, "{shape} {keys}: {turned} of {rest}");
        }
    }
}
