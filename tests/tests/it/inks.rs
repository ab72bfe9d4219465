//! Ink in rigs: a plain stroke where it has one width, the union of discs under bending bones, outlines of Inkscape,
//! and mistakes.

use std::path::Path;
use std::sync::Arc;

use bone_format::doc::{Channel, ClipDoc, InkCorner, InkDoc, InkEnd, InkKeysDoc, Key, RigDoc};
use bone_format::write::{Comments, Digits, write};
use bone_format::{InMemory, Loaded, no_fonts};
use bone_layer_tests::files::root;
use bone_render::{FrameOptions, FrameSize, Pixmap};
use bone_rig::{FrameState, Rig};
use kurbo::{BezPath, ParamCurve, ParamCurveArclen, Point, Rect, Shape, Vec2};

const LIMB: &str = "M20 150C60 150 80 150 110 150C140 150 170 150 210 150";
const BONES: &str =
    "\"upper\": (from: (20, 150), to: (115, 150)), \"fore\": (parent: \"upper\", to: (210, 150))";

fn read(svg: &str, rig: &str) -> Loaded {
    read_page(300, svg, rig)
}

fn read_page(page: u32, svg: &str, rig: &str) -> Loaded {
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {page} {page}' width='{page}' height='{page}'>{svg}</svg>"
    );
    let rig = format!("Rig(version: 1, drawing: \"it.svg\", fps: 8, {rig})");
    let files = InMemory::new().with("it.svg", svg).with("it.ron", rig);
    bone_format::load(Path::new("it.ron"), Arc::new(files), &no_fonts)
}

fn load(svg: &str, rig: &str) -> Rig {
    let loaded = read(svg, rig);
    loaded.rig.unwrap_or_else(|| panic!("{svg} {rig}: {:?}", loaded.diagnostics))
}

/// A limb of two bones with ink, which bends by so many degrees.
fn limb(ink: &str, degrees: f64) -> Rig {
    load(
        &format!(
            "<path id='a' d='{LIMB}' fill='none' stroke='#123' stroke-width='3' stroke-linecap='round'/>"
        ),
        &format!(
            "tolerance: 0.1, bones: {{{BONES}}}, ink: {{\"a\": (at: [{ink}], cap: Round, join: Round)}},
            skin: [Smooth(art: \"a\", bones: [\"upper\", \"fore\"])],
            clips: {{\"it\": (length: 8, bones: {{\"fore\": (rotate: [(0, 0), (8, {degrees})])}},
                ink: {{\"a\": {{1: [(0, 12), (8, 12)]}}}})}}"
        ),
    )
}

fn pose(rig: &Rig, time: f64, state: &mut FrameState) {
    rig.pose(rig.clip("it"), time, state).expect("its clip");
}

/// The outline of a path as it is painted.
fn outline(rig: &Rig, state: &FrameState, name: &str) -> BezPath {
    let drawing = rig.posable().drawing();
    let node = drawing.shape_node(drawing.find(name).expect("a path")).expect("a shape");
    state.frame().outline(drawing, node).expect("an outline").clone()
}

fn draw(rig: &Rig, state: &mut FrameState, pixels: u32) -> Pixmap {
    let mut pixmap = Pixmap::new(pixels, pixels).expect("memory");
    let size = FrameSize::new(pixels, pixels).expect("a size");
    let options = FrameOptions { size, background: None };
    rig.draw(state, &options, &mut pixmap).expect("a frame");
    pixmap
}

/// How many times as large a picture is drawn for exact coverages: those of a pixel are multiples of 1/16.
const FINE: u32 = 24;

/// The alpha of each pixel of a picture that is drawn so much larger.
fn coverage(fine: &Pixmap) -> Vec<f64> {
    let (fine_width, width) = (fine.width() as usize, (fine.width() / FINE) as usize);
    let mut sums = vec![0.0; width * width];
    for (at, pixel) in fine.pixels().iter().enumerate() {
        let (x, y) = (at % fine_width / FINE as usize, at / fine_width / FINE as usize);
        sums[y * width + x] += f64::from(pixel.alpha()) / f64::from(FINE * FINE);
    }
    sums
}

fn points(path: &BezPath, steps: usize) -> Vec<Point> {
    let points =
        |segment: kurbo::PathSeg| (0..steps).map(move |step| segment.eval(step as f64 / steps as f64));
    // Closed as it is filled.
    path.segments().flat_map(points).chain(path.segments().next().map(|first| first.start())).collect()
}

/// 2,000 discs along a posed path, with a radius that is linear between places of the path at rest.
fn discs(rest: &BezPath, posed: &BezPath, radius: impl Fn(f64) -> f64) -> Vec<(Point, f64)> {
    let whole: f64 = rest.segments().map(|piece| piece.arclen(1e-6)).sum();
    let count = 2000 / rest.segments().count();
    let (mut before, mut discs) = (0.0, Vec::new());
    for (piece, posed) in rest.segments().zip(posed.segments()) {
        for step in 0..=count {
            let at = step as f64 / count as f64;
            let share = (before + piece.subsegment(0.0..at).arclen(1e-6)) / whole;
            discs.push((posed.eval(at), radius(share)));
        }
        before += piece.arclen(1e-6);
    }
    discs
}

fn beyond(discs: &[(Point, f64)], point: Point) -> f64 {
    discs.iter().map(|(center, radius)| (point - *center).hypot() - radius).fold(f64::INFINITY, f64::min)
}

/// The distance of a point from a closed line of points.
fn distance(line: &[Point], p: Point) -> f64 {
    let to = |pair: [Point; 2]| {
        let way = pair[1] - pair[0];
        let at =
            if way.hypot2() > 0.0 { ((p - pair[0]).dot(way) / way.hypot2()).clamp(0.0, 1.0) } else { 0.0 };
        (p - (pair[0] + at * way)).hypot()
    };
    line.windows(2).map(|pair| to([pair[0], pair[1]])).fold(f64::INFINITY, f64::min)
}

#[test]
fn limbs_of_ink_are_unions_of_discs() {
    // A cone from a width at the start through 12 in the middle, where its slope stays: r' is 0.9 in the last.
    for (ink, first) in [("(0, 12), (0.5, 12), (1, 12)", 12.0), ("(0, 4), (0.5, 12), (1, 20)", 4.0)] {
        for degrees in [0.0, 60.0, 110.0, 150.0, -150.0] {
            let rig = limb(ink, degrees);
            let mut state = FrameState::new(&rig);
            pose(&rig, 0.0, &mut state);
            let rest = state.posed().paths()[0].clone();
            pose(&rig, 8.0, &mut state);
            let posed = state.posed().paths()[0].clone();
            let discs = discs(&rest, &posed, |share| 0.5 * (first + 2.0 * (12.0 - first) * share));
            let inked = outline(&rig, &state, "a");
            let line = points(&inked, 16);
            let out = line.iter().map(|p| beyond(&discs, *p)).fold(0.0, f64::max);
            let mut border = 0.0_f64;
            for (center, radius) in discs.iter().step_by(7) {
                for step in 0..60 {
                    let rim =
                        *center + *radius * bone_core::Angle::from_degrees(6.0 * step as f64).direction();
                    if beyond(&discs, rim) > -1e-3 {
                        border = border.max(distance(&line, rim));
                    }
                }
            }
            println!(
                "{ink} by {degrees}: {} elements, out {out:.4}, border {border:.4}",
                inked.elements().len()
            );
            assert!(out <= 0.1 && border <= 0.1, "{ink} by {degrees}: {out} {border} {}", inked.to_svg());
        }
    }
}

#[test]
fn frames_alone_are_those_in_order_and_of_packs() {
    let rig = limb("(0, 2), (0.5, 12), (1, 6)", 150.0);
    let packed = Rig::load(&rig.save()).expect("its own pack");
    assert_eq!(rig.save(), packed.save());
    let mut state = FrameState::new(&rig);
    let mut count = None;
    for time in [0.0, 2.0, 8.0, 5.0, 0.0, 3.0] {
        pose(&rig, time, &mut state);
        let own = outline(&rig, &state, "a");
        let mut alone = FrameState::new(&packed);
        pose(&packed, time, &mut alone);
        assert_eq!(own, outline(&packed, &alone, "a"));
        assert_eq!(*count.get_or_insert(own.elements().len()), own.elements().len());
    }
}

#[test]
fn ink_of_one_width_is_a_plain_stroke() {
    use kurbo::{Cap, Join, StrokeOpts, stroke};
    let (mut exact, mut drawn) = (0.0_f64, 0.0_f64);
    let shapes = [
        "M13 20L87 30",
        "M13 83C30 20 67 20 83 80",
        "M13 20L50 80L87 20",
        "M20 20H80V80H20Z",
        "M50 20C73 20 83 37 83 53S67 83 50 83 20 73 20 50 30 20 50 20Z",
        "M13 50C40 7 60 93 87 50M13 93H27",
        "M50 50L50 50",
        "M20 67C20 27 21 27 21 67",
    ];
    let caps =
        [("round", "Round", Cap::Round), ("butt", "Flat", Cap::Butt), ("square", "Square", Cap::Square)];
    let joins =
        [("round", "Round", Join::Round), ("miter", "Miter", Join::Miter), ("bevel", "Bevel", Join::Bevel)];
    for (cap, written, kurbo_cap) in caps {
        for (join, corner, kurbo_join) in joins {
            for data in shapes {
                let path = format!(
                    "<path id='a' d='{data}' fill='none' stroke='#000' stroke-width='4' stroke-linecap='{cap}' stroke-linejoin='{join}'/>"
                );
                let with = format!("ink: {{\"a\": (at: [(0, 4), (1, 4)], cap: {written}, join: {corner})}}");
                let style =
                    kurbo::Stroke::new(4.0).with_caps(kurbo_cap).with_join(kurbo_join).with_miter_limit(4.0);
                let line = BezPath::from_svg(data).expect("path data");
                let expanded = stroke(line, &style, &StrokeOpts::default(), 1e-4);
                let filled = format!("<path id='a' d='{}'/>", expanded.to_svg());
                let pictures = [(&filled, ""), (&path, ""), (&path, &*with)].map(|(svg, rig)| {
                    let rig = read_page(100, svg, rig).rig.expect("a rig");
                    let mut state = FrameState::new(&rig);
                    rig.pose(None, 0.0, &mut state).expect("at rest");
                    coverage(&draw(&rig, &mut state, 100 * FINE))
                });
                let worst = |other: &[f64]| {
                    let pairs = other.iter().zip(&pictures[2]);
                    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
                };
                // A stroke of no length has no outline there.
                let to_exact = if data.contains("M50 50L50 50") { 0.0 } else { worst(&pictures[0]) };
                let to_drawn = worst(&pictures[1]);
                println!("{data} {cap} {join}: {to_exact:.2} and {to_drawn:.2} levels");
                (exact, drawn) = (exact.max(to_exact), drawn.max(to_drawn));
            }
        }
    }
    // The painter's own strokes are off by more where they bend: 0.01 units are 2.5 levels.
    assert!(exact <= 2.0 && drawn <= 4.0, "{exact} and {drawn} levels");
}

/// The part of the outline of one path that is farthest from that of the other, both ways.
fn apart(one: &[Point], other: &[Point]) -> f64 {
    let way = |from: &[Point], to: &[Point]| from.iter().map(|p| distance(to, *p)).fold(0.0, f64::max);
    way(one, other).max(way(other, one))
}

#[test]
fn power_strokes_are_the_outlines_of_their_files() {
    for name in ["brow", "wave", "ramp"] {
        let svg = std::fs::read_to_string(root().join(format!("tests/inks/{name}.svg"))).expect("a file");
        let start = svg.rfind(" d=\"").expect("an outline") + 4;
        let end = start + svg[start..].find('"').expect("its end");
        let expected = BezPath::from_svg(&svg[start..end]).expect("path data");
        let files =
            InMemory::new().with("it.svg", svg).with("it.ron", "Rig(version: 1, drawing: \"it.svg\")");
        let loaded = bone_format::load(Path::new("it.ron"), Arc::new(files), &no_fonts);
        let rig = loaded.rig.unwrap_or_else(|| panic!("{name}: {:?}", loaded.diagnostics));
        let mut state = FrameState::new(&rig);
        rig.pose(None, 0.0, &mut state).expect("at rest");
        let own = outline(&rig, &state, name);
        let apart = apart(&points(&own, 12), &points(&expected, 1));
        println!("{name}: {apart:.3} px apart, {} elements", own.elements().len());
        assert!(apart < 1.0, "{name}: {apart} {}", own.to_svg());
    }
}

#[test]
fn ink_of_the_rig_wins_and_colours_are_those_of_the_stroke() {
    let path =
        "<path id='a' d='M40 150H260' fill='none' stroke='#c00' stroke-width='1' data-ink='0:40 1:40'/>";
    let height = |rig: &str| {
        let rig = load(path, rig);
        let mut state = FrameState::new(&rig);
        rig.pose(rig.clip("it"), 1.0, &mut state).expect("its clip");
        let pixmap = draw(&rig, &mut state, 300);
        let pixel = pixmap.pixel(150, 150).expect("a pixel").demultiply();
        (outline(&rig, &state, "a").bounding_box(), [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()])
    };
    let box_of = |y0: f64, y1: f64| Rect::new(40.0, y0, 260.0, y1);
    assert_eq!(height(""), (box_of(130.0, 170.0), [204, 0, 0, 255]));
    // Up is to the left of what goes to the right.
    assert_eq!(height("ink: {\"a\": (at: [(0, (2, 6))])}").0, box_of(148.0, 156.0));
    let keyed =
        "clips: {\"it\": (length: 1, ink: {\"a\": {0: [(0, 40), (1, 10)], 1: [(0, 40), (1, (5, 5))]}},
        art: {\"a\": (stroke: [(0, \"#c00\"), (1, \"#00c\")])})}";
    assert_eq!(height(keyed), (box_of(145.0, 155.0), [0, 0, 204, 255]));
}

#[test]
fn a_frame_has_a_filled_path_in_every_format() {
    let rig = limb("(0, 2), (0.5, 12), (1, 6)", 90.0);
    let mut state = FrameState::new(&rig);
    pose(&rig, 8.0, &mut state);
    rig.write_svg(&mut state);
    let text = state.svg();
    assert!(text.contains("fill=\"#112233\"") && !text.contains("stroke=\"#"), "{text}");
}

#[test]
fn mistakes_are_reported_and_nothing_panics() {
    let path = |more: &str| {
        format!("<path id='a' d='M40 60C90 20 200 90 260 60' fill='none' stroke='#000' {more}/>")
    };
    let codes = |svg: &str, rig: &str| -> Vec<String> {
        read(svg, rig).diagnostics.iter().map(|found| found.code.name().to_owned()).collect()
    };
    let found = |svg: &str, rig: &str, code: &str| codes(svg, rig).iter().any(|found| found == code);
    assert_eq!(codes(&path(""), "ink: {\"a\": (at: [(0, 4)])}"), Vec::<String>::new());
    let many: Vec<String> = (0..1000).map(|at| format!("({}, {})", at as f64 / 999.0, at % 7)).collect();
    let many = format!("ink: {{\"a\": (at: [{}])}}", many.join(", "));
    assert_eq!(codes(&path(""), &many), Vec::<String>::new());
    for (rig, code) in [
        ("ink: {\"a\": (at: [(0, 4), (0, 5)])}", "order"),
        ("ink: {\"a\": (at: [(0.5, 4), (0.2, 5)])}", "order"),
        ("ink: {\"a\": (at: [(0, -4), (1, 5)])}", "out-of-range"),
        ("ink: {\"a\": (at: [(0, 4), (1.2, 5)])}", "out-of-range"),
        ("ink: {\"a\": (at: [])}", "empty"),
        ("ink: {\"a\": (at: [(0, 4, Linear)])}", "not-possible-here"),
        ("ink: {\"b\": (at: [(0, 4)])}", "unknown-art"),
        ("clips: {\"it\": (length: 1, ink: {\"a\": {0: [(0, 4)]}})}", "no-paint"),
        (
            "ink: {\"a\": (at: [(0, 4)])}, clips: {\"it\": (length: 1, ink: {\"a\": {1: [(0, 4)]}})}",
            "out-of-range",
        ),
        (
            "ink: {\"a\": (at: [(0, 4)])}, clips: {\"it\": (length: 1, art: {\"a\": (stroke_width: [(0, 4)])})}",
            "not-possible-here",
        ),
        (
            "ink: {\"a\": (at: [(0, 4)])}, clips: {\"it\": (length: 1, art: {\"a\": (trim_end: [(0, 0), (1, 1)])})}",
            "not-possible-here",
        ),
    ] {
        assert!(found(&path(""), rig, code), "{rig}: {:?}", codes(&path(""), rig));
    }
    let ink = "ink: {\"a\": (at: [(0, 4), (1, 8)])}";
    assert!(found(&path("stroke-dasharray='4 2'"), ink, "not-possible-here"));
    assert!(found("<path id='a' d='M40 60H90V90Z' fill='#000'/>", ink, "no-paint"));
    let closed = "<path id='a' d='M40 60H90V90Z' fill='none' stroke='#000'/>";
    assert!(found(closed, ink, "ink-step"));
    // What is wrong in the drawing is a note, and the plain stroke is drawn.
    for ink in ["0:4 0:5", "x", "0:-4", "0:NaN 1:4", "2:4", "", "0:1/2/3"] {
        let svg = path(&format!("data-ink='{ink}'"));
        assert!(found(&svg, "", "drawing"), "{ink}: {:?}", codes(&svg, ""));
    }
    assert!(found(&path("data-ink='0:4' stroke-dasharray='4 2'"), "", "drawing"));
    for data in [
        "M40 40Z",
        "M40 40L40 40",
        "M40 40",
        "M40 40C90 40 90 40 40 40",
        "M40 40L90 40L40 40",
        "M0 0L9 9M40 40H90V90Z",
    ] {
        let svg = format!(
            "<path id='a' d='{data}' fill='none' stroke='#000' stroke-width='2' data-ink='0:0 .5:20 1:0'/>"
        );
        if let Some(rig) = read(&svg, "").rig {
            let mut state = FrameState::new(&rig);
            rig.pose(None, 0.0, &mut state).expect("at rest");
            draw(&rig, &mut state, 300);
        }
    }
}

#[test]
fn a_program_makes_ink_as_a_text_does() {
    let channel = |widths: [f64; 2]| {
        let key = |(at, width): (f64, f64)| Key::new(at, Vec2::new(0.5 * width, 0.5 * width));
        Channel::from_keys([key((0.0, widths[0])), key((1.0, widths[1]))])
    };
    let ink = InkDoc {
        art: "brow".to_owned().into(),
        at: channel([2.0, 6.0]),
        cap: Some(InkEnd::Flat.into()),
        join: Some(InkCorner::Bevel.into()),
    };
    let keys = InkKeysDoc { art: "brow".to_owned().into(), places: vec![(1.into(), channel([6.0, 9.0]))] };
    let clip = ClipDoc { name: "angry".to_owned().into(), ink: vec![keys], ..ClipDoc::default() };
    let doc = RigDoc {
        version: Some(1.into()),
        drawing: Some("face.svg".to_owned().into()),
        ink: vec![ink],
        clips: vec![clip],
        ..RigDoc::default()
    };
    let text = write(&doc, &Comments::default(), Digits::ALL);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["(at: [(0, 2), (1, 6)], cap: Flat, join: Bevel)", "{1: [(0, 6), (1, 9)]}"] {
        assert!(text.contains(part), "{text}");
    }
}
