//! Paint of posed paths: a rigid motion posed point by point draws what a rigid binding draws.

use super::*;

/// A turn of about 16 degrees and a shift, without trigonometry.
const TURN: Affine = Affine::new([0.96, 0.28, -0.28, 0.96, 12.0, -6.0]);

const DEFINITIONS: &str = "<defs>\
    <linearGradient id='l' x1='0' x2='1'><stop offset='.2' stop-color='red'/><stop offset='.8' stop-color='blue'/></linearGradient>\
    <linearGradient id='u' gradientUnits='userSpaceOnUse' x1='15' y1='20' x2='50' y2='45' gradientTransform='rotate(10)' spreadMethod='reflect'><stop stop-color='lime'/><stop offset='1' stop-color='purple'/></linearGradient>\
    <radialGradient id='r' cx='.4' cy='.4' r='.6' fx='.3' fy='.3'><stop stop-color='gold'/><stop offset='1' stop-color='navy'/></radialGradient>\
    <pattern id='p' width='9' height='7' patternUnits='userSpaceOnUse' patternTransform='skewX(15)'><rect id='tile' width='5' height='4' fill='url(#l)'/></pattern></defs>";

/// A path posed by a matrix, with what its paint is to do.
fn bent(art: &Drawing, rigid: &[(&str, Affine)], matrix: Affine, look: PaintMotion) -> String {
    let (rigid_ids, matrices): (Vec<ElementId>, Vec<Affine>) =
        rigid.iter().map(|(name, matrix)| (art.find(name).unwrap(), *matrix)).unzip();
    let path = art.find("x").unwrap();
    let posable = posable(art, &rigid_ids, &[path]).unwrap();
    let outline = matrix * art.outline(path).unwrap().path.clone();
    let mut out = String::new();
    let skipped = write(&posable, &matrices, &[outline], &[look], &mut out);
    assert_eq!(skipped, Skipped::default());
    out
}

fn follow(matrix: Affine) -> PaintMotion {
    PaintMotion { paint: Some(matrix), stroke: None }
}

fn drawings() -> Vec<(String, String)> {
    let paints = [
        "fill='url(#l)'",
        "fill='url(#u)'",
        "fill='url(#r)' stroke='black'",
        "fill='url(#p)'",
        "fill='none' stroke='url(#l)' stroke-width='6' stroke-dasharray='9 3'",
        "fill='url(#r)' stroke='url(#u)' stroke-width='4'",
        "fill='url(#u)' stroke='url(#u)' stroke-width='4'",
    ];
    let mut drawings = Vec::new();
    for paint in paints {
        let path = format!("<path id='x' d='M18 20H58L50 55C40 60 30 40 18 50Z' {paint}/>");
        let other = "<rect x='60' y='60' width='15' height='15' fill='url(#u)'/>";
        let nested = format!(
            "<g id='g' transform='translate(4 -3) scale(.9)'><g transform='rotate(7)'>{path}</g></g>"
        );
        for (name, head, body) in [
            ("plain", "width='80' height='80'", path.clone()),
            ("nested", "width='80' height='80'", nested.clone()),
            ("millimetres", "width='30mm' height='20mm' viewBox='-5 -7 100 90'", nested),
        ] {
            drawings.push((
                format!("{name}, {paint}"),
                format!("{HEAD} {head}>{DEFINITIONS}{body}{other}</svg>"),
            ));
        }
    }
    drawings
}

#[test]
fn paint_that_follows_a_rigid_motion_equals_a_rigid_binding() {
    for (name, svg) in drawings() {
        let art = read(&svg);
        let moved = draw(&posed(&art, &[("x", TURN)], &[]));
        let shown = bent(&art, &[], TURN, follow(TURN));
        let (count, largest) = difference(&draw(&shown), &moved);
        // A pattern's tile is drawn for another transform, so its edges differ a little.
        assert!(largest <= 3 || count <= 40, "{name}: {count} pixels differ by up to {largest}\n{shown}");
        let left = difference(&draw(&bent(&art, &[], TURN, PaintMotion::default())), &moved);
        assert!(left.0 > 10 * count + 50, "{name}: {left:?} against {count}");
    }
}

#[test]
fn inside_a_moved_group_paint_is_still_posed_on_the_canvas() {
    let outer = Affine::new([0.8, -0.2, 0.1, 1.3, 5.0, 12.0]);
    // What is read back has no `viewBox`, so its canvas is that of the first only where that has none either.
    for (name, svg) in drawings().into_iter().filter(|(name, _)| name.starts_with("nested")) {
        let art = read(&svg);
        let shown = bent(&art, &[("g", outer)], outer * TURN, follow(outer * TURN));
        // The group carries the outer motion, and the path is turned within it.
        let inner = read(&bent(&art, &[], TURN, follow(TURN)));
        let moved = posed(&inner, &[("g", outer)], &[]);
        let (count, largest) = difference(&draw(&shown), &draw(&moved));
        assert!(largest <= 3 || count <= 40, "{name}: {count} pixels differ by up to {largest}");
    }
}

#[test]
fn paint_at_rest_keeps_every_pixel() {
    for (name, svg) in drawings() {
        let art = read(&svg);
        for look in [PaintMotion::default(), PaintMotion { paint: Some(Affine::IDENTITY), stroke: Some(1.0) }]
        {
            let shown = bent(&art, &[], Affine::IDENTITY, look);
            assert_eq!(difference(&draw(&shown), &draw(&svg_text(&art))), (0, 0), "{name}");
        }
    }
}

#[test]
fn copies_have_ids_of_their_own_and_leave_the_shared_paint_alone() {
    let svg = drawing(&format!(
        "{DEFINITIONS}<g id='p-of-0'/><rect id='p-of-0-' width='9' height='9'/>\
         <path id='x' d='M18 20H58L50 55Z' fill='url(#p)'/><rect id='y' y='50' width='30' height='30' fill='url(#p)'/>"
    ));
    let art = read(&svg);
    let shown = bent(&art, &[], TURN, follow(TURN));
    let doc = roxmltree::Document::parse(&shown).unwrap();
    let mut ids: Vec<&str> = doc.descendants().filter_map(|node| node.attribute("id")).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
    let fill = |id: &str| doc.descendants().find(|n| n.attribute("id") == Some(id))?.attribute("fill");
    assert_eq!(fill("y"), Some("url(#p)"));
    assert_ne!(fill("x"), Some("url(#p)"));
}

#[test]
fn strokes_get_wider_with_their_dashes_whatever_is_around_them() {
    let path = "<path id='x' d='M10 20H60L30 60' fill='none' stroke='red'";
    for rest in [
        "/>",
        " stroke-width='4'/>",
        " stroke-width='3' stroke-dasharray='7 2' stroke-dashoffset='3' stroke-linecap='round'/>",
    ] {
        let art = read(&drawing(&format!("<g id='g' transform='translate(3 2)'>{path}{rest}</g>")));
        let twice = Affine::translate((-20.0, -15.0)) * Affine::scale(1.5);
        let look = PaintMotion { paint: None, stroke: Some(1.5) };
        let moved = draw(&posed(&art, &[("x", twice)], &[]));
        for rigid in [&[][..], &[("g", Affine::scale(0.5))]] {
            let shown = bent(&art, rigid, twice, look);
            let (count, largest) = difference(&draw(&shown), &moved);
            assert!(largest <= 2, "{rest}: {count} pixels differ by up to {largest}\n{shown}");
        }
        assert!(difference(&draw(&bent(&art, &[], twice, PaintMotion::default())), &moved).0 > 100);
    }
}

#[test]
fn paint_that_no_svg_can_hold_stays_at_rest() {
    let art = read(&drawings()[5].1);
    let still = bent(&art, &[], Affine::IDENTITY, PaintMotion::default());
    for bad in [f64::NAN, f64::INFINITY, 1e300, 0.0] {
        let look = PaintMotion {
            paint: Some(Affine::scale(bad)),
            stroke: Some(if bad == 0.0 { -1.0 } else { bad }),
        };
        assert_eq!(bent(&art, &[], Affine::IDENTITY, look), still, "{bad}");
    }
}

/// The renderer and a reader of the text widen strokes, dashes and their offsets alike.
#[test]
fn strokes_that_are_widened_are_drawn_as_their_text_says() {
    for line in [
        "stroke-width='4' stroke-dasharray='9 5' stroke-dashoffset='6'",
        "stroke-width='3' stroke-dasharray='7 3 2' stroke-dashoffset='-2.5' stroke-linecap='round'",
        "stroke-width='2'",
    ] {
        let art =
            read(&drawing(&format!("<path id='x' d='M10 20H60L30 60' fill='none' stroke='red' {line}/>")));
        let path = art.find("x").unwrap();
        let posable = posable(&art, &[], &[path]).unwrap();
        let outlines = [art.outline(path).unwrap().path.clone()];
        let (mut kept, mut frame) = (Renderer::new(), Frame::default());
        for factor in [1.0, 1.7, 0.6, 1.7] {
            let paints = [PaintMotion { paint: None, stroke: Some(factor) }];
            let pose = CanvasPose { outlines: &outlines, paints: &paints, ..CanvasPose::default() };
            let mut text = String::new();
            write_visible(&posable, &pose, &mut text);
            let expected = draw(&text);
            posable.frame(&pose, &mut frame);
            let size = FrameSize::new(expected.width(), expected.height()).unwrap();
            let mut pixmap = Pixmap::new(1, 1).unwrap();
            let options = FrameOptions { size, background: None };
            let report = kept.draw(posable.drawing(), &frame, &options, &mut pixmap).unwrap();
            assert!(!report.fell_back);
            assert_eq!(difference(&pixmap, &expected), (0, 0), "{line} {factor}");
        }
    }
}
