//! Bones mirror one part of a filled path and not another: both stay painted where they lie over each other.

use std::path::Path;
use std::sync::Arc;

use bone_format::{InMemory, no_fonts};
use bone_render::{Background, FrameOptions, FrameSize, Pixmap};
use bone_rig::{FrameState, Rig};
use kurbo::{Affine, BezPath, Point, Shape};

/// A limb with a wider place at its joint, in two subpaths that lie over each other.
const LIMB: &str = "M0 -20H200V20H0Z M60 -40H140V40H60Z";
const ARM: &str = "\"a\": (from: (0, 0), to: (100, 0)), \"b\": (parent: \"a\", to: (200, 0))";
const SMOOTH: &str = "Smooth(art: \"limb\", bones: [\"a\", \"b\"])";
/// Pixels for a canvas unit.
const SCALE: f64 = 2.0;

fn load(shapes: &str, bones: &str, skin: &str, keys: &str) -> Rig {
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-60 -100 340 200' width='340' height='200'>{shapes}</svg>"
    );
    let rig = format!(
        "Rig(version: 1, drawing: \"it.svg\", fps: 8, bones: {{{bones}}}, skin: [{skin}],\n\
         clips: {{\"flip\": (length: 8, loop: false, bones: {{{keys}}})}})"
    );
    let files = InMemory::new().with("it.svg", svg).with("it.ron", rig);
    let loaded = bone_format::load(Path::new("it.ron"), Arc::new(files), &no_fonts);
    loaded.rig.unwrap_or_else(|| panic!("{bones} {skin} {keys}: {:?}", loaded.diagnostics))
}

/// The pixels of a frame on white.
fn draw(rig: &Rig, frame: u32) -> Vec<[u8; 3]> {
    let size = FrameSize::from_scale(rig.art().size(), SCALE).expect("a usable scale");
    let options = FrameOptions { size, background: Some(Background { rgba: [255; 4] }) };
    let (mut state, mut pixmap) = (FrameState::new(rig), Pixmap::new(1, 1).expect("memory"));
    rig.pose(rig.clip("flip"), f64::from(frame) / rig.fps(), &mut state).expect("its clip");
    rig.draw(&mut state, &options, &mut pixmap).expect("a picture");
    pixmap.data().chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

fn arm(style: &str, keys: &str) -> Rig {
    load(&format!("<path id='limb' {style} d='{LIMB}'/>"), ARM, SMOOTH, keys)
}

/// How black the pixels of a frame are.
fn darkness(rig: &Rig, frame: u32) -> Vec<u8> {
    draw(rig, frame).iter().map(|pixel| 255 - pixel[0]).collect()
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

/// A path in blue and the parts of it in red, each a path of its own, all moved by one field of weights. Returns
/// the pixels of the parts that the path leaves, those of the path, and those of the path beside the parts.
fn compared(path: &str, parts: &[&str], bones: &[&str], skeleton: &str, keys: &str, frame: u32) -> [f64; 3] {
    let red = (0..).zip(parts).map(|(at, path)| format!("<path id='part{at}' fill='#f00' d='{path}'/>"));
    let (red, blue): (String, _) = (red.collect(), format!("<path id='limb' fill='#00f' {path}/>"));
    let art: Vec<String> = (0..parts.len()).map(|at| format!("\"part{at}\"")).collect();
    let skin = format!("Smooth(art: [{}, \"limb\"], bones: {bones:?})", art.join(", "));
    let [above, below] = [[&red, &blue], [&blue, &red]].map(|[below, above]| {
        let pixels = draw(&load(&format!("{below}{above}"), skeleton, &skin, keys), frame);
        let count = |is: fn(&[u8; 3]) -> bool| pixels.iter().filter(|pixel| is(pixel)).count() as f64;
        [count(|[r, _, b]| *r > 200 && *b < 100), count(|[r, _, b]| *r < 100 && *b > 200)]
    });
    [above[0], above[1], below[1]]
}

#[test]
fn a_mirrored_half_is_painted_over_the_other() {
    const HALVES: [&str; 2] =
        ["M0 -20H100V20H0Z M60 -40H100V40H60Z", "M100 -20H200V20H100Z M100 -40H140V40H100Z"];
    let path = format!("d='{LIMB}'");
    for scale in ["(-1, 1)", "(1, -1)", "(-0.6, 1)", "(-1.5, 1.2)", "(-1, -1)"] {
        let keys = format!("\"b\": (rotate: [(0, 0), (2, 30)], scale: [(0, {scale})])");
        for frame in [0, 16] {
            let [left, painted, beside] = compared(&path, &HALVES, &["a", "b"], ARM, &keys, frame);
            assert!(painted > 1000.0 && left <= 0.01 * painted, "{scale}: {left} left, {painted} painted");
            assert!(beside <= 0.01 * painted, "{scale}: {beside} beside {painted}");
        }
    }
}

/// The cuts go through holes, prongs and parts that are drawn in opposite directions; the bones of a chain are
/// mirrored against each other.
#[test]
fn no_shape_loses_paint() {
    const CHAIN: &str = "\"a\": (from: (0, 0), to: (70, 0)), \"b\": (parent: \"a\", to: (130, 0)), \
                         \"c\": (parent: \"b\", to: (200, 0))";
    let ring = [
        "M0 -40H70V-10H20V10H70V40H0Z",
        "M70 -40H130V-10H70Z M70 40H130V10H70Z",
        "M130 -40H200V40H130V10H180V-10H130Z",
    ];
    let comb = [
        "M0 -40H70V-15H20V15H70V40H0Z",
        "M70 -40H130V-15H70Z M70 40H130V15H70Z",
        "M130 -40H200V-15H130Z M130 40H200V15H130Z",
    ];
    let apart = ["M0 -40H70V-15H0Z M0 40H70V15H0Z", comb[1], comb[2]];
    for (path, parts) in [
        ("fill-rule='evenodd' d='M0 -40H200V40H0Z M20 -10H180V10H20Z'", ring),
        ("d='M0 -40H200V40H0Z M20 -10V10H180V-10Z'", ring),
        ("d='M0 -40H200V-15H20V15H200V40H0Z'", comb),
        ("d='M0 -40H200V-15H0Z M0 40H200V15H0Z'", apart),
        ("stroke='#00f' stroke-width='.1' stroke-dasharray='9' d='M0 -40H200V-15H0Z M0 40H200V15H0Z'", apart),
    ] {
        for keys in [
            "\"b\": (scale: [(0, (-1, 1))])",
            "\"b\": (scale: [(0, (-1, 1))]), \"c\": (scale: [(0, (-1, 1))])",
            "\"c\": (scale: [(0, (-1, 1))])",
            "\"c\": (rotate: [(0, 30)], scale: [(0, (1, -1))])",
        ] {
            let [left, painted, beside] = compared(path, &parts, &["a", "b", "c"], CHAIN, keys, 0);
            assert!(
                painted > 1000.0 && left <= 0.02 * painted,
                "{path} {keys}: {left} left, {painted} painted"
            );
            assert!(beside <= 0.02 * painted, "{path} {keys}: {beside} beside {painted}");
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
        let rig = load(&shape, ARM, &rows, &format!("\"b\": (scale: [(0, ({x}, {y}))])"));
        let (painted, besides) = shares(&darkness(&rig, 0), &union(limb, (x, y)));
        assert!(painted >= 0.98 && besides < 0.02, "({x}, {y}): {painted:.4}, and {besides:.4} besides");
    }
}

#[test]
fn what_is_not_mirrored_in_part_is_drawn_as_it_is() {
    let mirrored = arm("stroke='#000'", "\"b\": (scale: [(0, (1, 1)), (1, (-1, 1))])");
    let plain = arm("stroke='#000'", "\"b\": (scale: [(0, (1, 1)), (1, (0.5, 1))])");
    assert_eq!(mirrored.posable().mirrored_fills().len(), 1);
    assert!(plain.posable().mirrored_fills().is_empty(), "only rigs that need parts have them");
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
    const FREE: &str =
        "\"a\": (from: (0, 0), to: (100, 0)), \"b\": (parent: \"a\", to: (200, 0), inherit: NoScale)";
    let shape = format!("<path id='limb' d='{LIMB}'/>");
    for (bones, keys, is_cut) in [
        (ARM, "\"b\": (scale: [(0, (1, 1)), (1, (-1, 1))])", true),
        (ARM, "\"a\": (scale: [(0, (1, 1)), (1, (-1, 1))])", false),
        (FREE, "\"a\": (scale: [(0, (1, 1)), (1, (-1, 1))])", true),
        (FORK, "\"a\": (scale: [(0, (1, 1)), (1, (-1, 1))])", true),
        (ARM, "\"b\": (scale: [(0, (1, 1)), (1, (-1, -1))])", false),
        // A spring of the curve between two keys.
        (
            ARM,
            "\"b\": (scale: [(0, (1, 1), Bezier(0.3, 0, 0.5, 2)), (1, (0.05, 1), Bezier(0.3, 0, 0.5, 2))])",
            true,
        ),
        (ARM, "\"b\": (stretch: [(0, 1), (1, -1)])", true),
    ] {
        let rig = load(&shape, bones, SMOOTH, keys);
        assert_eq!(!rig.posable().mirrored_fills().is_empty(), is_cut, "{bones}: {keys}");
    }
    let two = format!("{ARM}, \"c\": (from: (0, 50), to: (50, 50))");
    let turned = "\"a\": (rotate: [(0, 0), (1, 90)])";
    let mirrored = "\"c\": (scale: [(0, (1, 1)), (1, (-1, 1))])";
    for (rest, keys, is_cut) in [
        ("drivers: [(bone: \"a\", bones: {\"b\": (scale: [(0, (1, 1)), (90, (-1, 1))])})", turned, true),
        ("drivers: [(bone: \"a\", bones: {\"b\": (scale: [(0, (1, 1)), (90, (0.2, 1))])})", turned, false),
        ("drivers: [(bone: \"a\", bones: {\"b\": (stretch: [(0, 1), (90, -1)])})", turned, true),
        ("constraints: [Copy(bone: \"b\", from: \"c\", scale: 1)", mirrored, true),
        ("constraints: [Copy(bone: \"b\", from: \"c\", rotate: 1)", mirrored, false),
    ] {
        let rig = load(&shape, &two, &format!("{SMOOTH}], {rest}"), keys);
        assert_eq!(!rig.posable().mirrored_fills().is_empty(), is_cut, "{rest}");
    }
    let stroked = "<path id='limb' fill='none' stroke='#000' d='M0 -20H200V20H0Z'/>";
    let rig = load(stroked, ARM, SMOOTH, "\"b\": (scale: [(0, (-1, 1))])");
    assert!(rig.posable().mirrored_fills().is_empty(), "ink has no fill");
}

/// With a bend at the joint a hole of its fold is closed at once; it has the sum of 1 and -1 as windings.
#[test]
fn a_scale_that_passes_through_zero_does_not_jump() {
    for (angle, most) in [(0, 0.005), (50, 0.03)] {
        for (from, to) in [("(0.01, 1)", "(-0.01, 1)"), ("(1, 0.01)", "(1, -0.01)")] {
            let keys = format!("\"b\": (rotate: [(0, {angle})], scale: [(0, {from}), (8, {to}, Linear)])");
            let rig = arm("", &keys);
            let areas: Vec<f64> = (28..=36).map(|frame| count(&darkness(&rig, frame)) as f64).collect();
            for pair in areas.windows(2) {
                assert!((pair[1] - pair[0]).abs() < most * pair[0], "{from} at {angle}: {areas:?}");
            }
        }
    }
}

/// What a clip path or a mask shows is what its shape would cover.
#[test]
fn clip_paths_and_masks_are_mirrored_as_a_fill_is() {
    let limb = |fill: &str| format!("<path id='limb' {fill} d='{LIMB}'/>");
    let all = "<rect x='-60' y='-100' width='340' height='200'/>";
    let white = limb("fill='#fff'");
    let clip = format!("<clipPath id='c'>{white}</clipPath><g clip-path='url(#c)'>{all}</g>");
    let mask = format!(
        "<mask id='c' maskUnits='userSpaceOnUse' x='-60' y='-100' width='340' height='200'>{white}</mask>\
         <g mask='url(#c)'>{all}</g>"
    );
    for scale in ["(-1, 1)", "(-0.7, 1.2)", "(1, 1)"] {
        let keys = format!("\"b\": (rotate: [(0, 20)], scale: [(0, {scale}), (8, (-1, 1))])");
        let area = |shapes: &str| count(&darkness(&load(shapes, ARM, SMOOTH, &keys), 0));
        let drawn = area(&limb(""));
        assert!(drawn > 10_000, "{scale}: {drawn}");
        for cut in [&clip, &mask] {
            let cut = area(cut);
            assert!(drawn.abs_diff(cut) < drawn / 100, "{scale}: {drawn} and {cut}");
        }
    }
}
