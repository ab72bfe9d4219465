//! The same clip as a drawing, as animated SVG and as Lottie.

use std::sync::Arc;

use bone_core::Angle;
use bone_drawing::{
    CanvasPose, DrawingBuilder, Frame, Moving, PaintMotion, Posable, PosedArt, Shape, Stroke, TrimmedStroke,
    Visibility,
};
use bone_export::DeliveredFacts;
use bone_export::vector::{
    SampledClip, VectorError, VectorOptions, animated_svg, dot_lottie, html_page, lottie, telegram_sticker,
};
use bone_render::{FrameSize, Viewport};
use kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape as _, Size};

use super::{evaluate_lottie, evaluate_smil};

pub(crate) fn points_of(element: &PathEl) -> Vec<Point> {
    match *element {
        PathEl::MoveTo(p) | PathEl::LineTo(p) => vec![p],
        PathEl::QuadTo(a, p) => vec![a, p],
        PathEl::CurveTo(a, b, p) => vec![a, b, p],
        PathEl::ClosePath => Vec::new(),
    }
}

/// The whole drawing of [`made`] at a scale.
fn scaled(scale: f64) -> VectorOptions {
    let size = FrameSize::from_scale(Size::new(240.0, 200.0), scale).expect("a size");
    VectorOptions::new(Viewport::new(size, Affine::scale(scale)))
}

const FPS: f64 = 24.0;
const COUNT: usize = 36;

/// A limb that bends, a bar that turns and shears, a patch that comes and goes.
fn limb(turn: f64) -> BezPath {
    let bend = Angle::from_degrees(60.0 * Angle::from_degrees(turn).sin_cos().0);
    let joint = Affine::translate((100.0, 100.0));
    let whole = joint * Angle::from_degrees(turn * 0.3).rotation();
    let lower = whole * Affine::translate((60.0, 0.0)) * bend.rotation();
    let mut path = BezPath::new();
    path.move_to(whole * Point::new(0.0, -10.0));
    path.curve_to(
        whole * Point::new(20.0, -12.0),
        whole * Point::new(45.0, -12.0),
        whole * Point::new(60.0, -9.0),
    );
    path.curve_to(
        lower * Point::new(15.0, -9.0),
        lower * Point::new(40.0, -6.0),
        lower * Point::new(55.0, 0.0),
    );
    path.curve_to(
        lower * Point::new(40.0, 6.0),
        lower * Point::new(15.0, 9.0),
        whole * Point::new(60.0, 9.0),
    );
    path.curve_to(
        whole * Point::new(45.0, 12.0),
        whole * Point::new(20.0, 12.0),
        whole * Point::new(0.0, 10.0),
    );
    path.close_path();
    path
}

fn bar(turn: f64) -> Affine {
    let (sin, cos) = Angle::from_degrees(turn).sin_cos();
    Affine::translate((150.0, 60.0))
        * Angle::from_degrees(turn * 2.0).rotation()
        * Affine::new([1.0, 0.1 * sin, 0.4 * sin, 1.0 + 0.3 * cos, 0.0, 0.0])
        * Affine::translate((-150.0, -60.0))
}

fn turn(time: f64) -> f64 {
    360.0 * time * FPS / COUNT as f64
}

struct Made {
    posable: Posable,
    clip: SampledClip,
    bar: bone_drawing::ElementId,
    limb: bone_drawing::ElementId,
}

fn made() -> Made {
    let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 240.0, 200.0));
    let bar_path = Rect::new(130.0, 50.0, 170.0, 70.0).to_path(0.1);
    builder.shape("bar", Shape::filled(bar_path, [200, 50, 50]));
    builder.shape("limb", Shape::filled(limb(0.0), [50, 90, 200]));
    builder.shape("patch", Shape::filled(Rect::new(10.0, 10.0, 30.0, 30.0).to_path(0.1), [0, 150, 0]));
    let drawing = builder.finish().expect("a drawing");
    let find = |name: &str| drawing.find(name).expect("the art");
    let (bar_id, limb_id, patch) = (find("bar"), find("limb"), find("patch"));
    let posed = [PosedArt::Path(limb_id)];
    let moving = Moving { rigid: &[bar_id], posed: &posed, visible: &[patch], ..Moving::default() };
    let posable = Posable::new(&drawing, &moving).expect("it moves");
    let clip = SampledClip::new(
        Arc::clone(posable.drawing()),
        "turn",
        FPS,
        COUNT,
        true,
        |time, frame: &mut Frame| {
            pose(&posable, time, frame);
            Ok::<(), VectorError>(())
        },
    )
    .expect("a clip");
    Made { clip, posable, bar: bar_id, limb: limb_id }
}

fn pose(posable: &Posable, time: f64, frame: &mut Frame) {
    let visibility = Visibility { visible: (0.5..1.0).contains(&time), ..Visibility::SHOWN };
    let pose = CanvasPose {
        rigid: &[bar(turn(time))],
        outlines: &[limb(turn(time))],
        visibilities: &[visibility],
        ..CanvasPose::default()
    };
    posable.frame(&pose, frame);
}

/// The control points of an element on the canvas at a time.
fn truth(made: &Made, element: bone_drawing::ElementId, time: f64) -> Vec<Point> {
    truth_of(&made.posable, element, time)
}

fn truth_of(posable: &Posable, element: bone_drawing::ElementId, time: f64) -> Vec<Point> {
    let drawing = posable.drawing();
    let mut frame = Frame::default();
    pose(posable, time, &mut frame);
    let node = drawing.node_of(element).expect("it is drawn");
    let around =
        drawing.ancestors(node).fold(Affine::IDENTITY, |inside, at| frame.transform(drawing, at) * inside);
    let path = frame.outline(drawing, node).expect("an outline");
    path.elements().iter().flat_map(points_of).map(|p| around * p).collect()
}

/// Frames and the middles between them.
fn halves() -> impl Iterator<Item = f64> {
    (0..2 * COUNT).map(|half| 0.5 * half as f64)
}

#[test]
fn smil_shows_every_point_within_the_tolerance_at_frames_and_between() {
    let made = made();
    for (scale, tolerance) in [(1.0, 0.25), (4.0, 0.25), (1.0, 2.0)] {
        let options = VectorOptions { tolerance, ..scaled(scale) };
        let (text, report) = animated_svg(&made.clip, &options).expect("an SVG");
        let document = roxmltree::Document::parse(&text).expect("XML");
        assert!(report.losses.is_empty() && report.error <= tolerance);
        for (name, element) in [("bar", made.bar), ("limb", made.limb)] {
            let mut worst = 0.0_f64;
            for frame in halves() {
                let found = evaluate_smil::points(&document, name, frame / COUNT as f64);
                let truth = truth(&made, element, frame / FPS);
                assert_eq!(found.len(), truth.len());
                worst =
                    found.iter().zip(&truth).map(|(a, b)| (*a - *b).hypot() * scale).fold(worst, f64::max);
            }
            // Times of keys have five digits.
            assert!(
                worst <= tolerance * 1.04,
                "{name} is {worst} px off at scale {scale}, tolerance {tolerance}"
            );
        }
        for frame in halves() {
            let shown = evaluate_smil::opacity(&document, "patch", frame / COUNT as f64);
            assert_eq!(shown == 1.0, (0.5..1.0).contains(&(frame / FPS)), "at {frame}");
        }
    }
}

#[test]
fn lottie_shows_every_point_within_the_tolerance_at_frames_and_between() {
    let made = made();
    for (scale, tolerance) in [(1.0, 0.25), (4.0, 0.25), (1.0, 2.0)] {
        let options = VectorOptions { tolerance, ..scaled(scale) };
        let (text, report) = lottie(&made.clip, &options).expect("a Lottie");
        let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert!(report.losses.is_empty() && report.error <= tolerance);
        assert_eq!(document["op"], COUNT);
        for (name, element) in [("bar", made.bar), ("limb", made.limb)] {
            let mut worst = 0.0_f64;
            for frame in halves() {
                let found = evaluate_lottie::points(&document, name, frame);
                // Every control point of the drawing is a vertex or a handle, and the other way round.
                for p in truth(&made, element, frame / FPS) {
                    let p = (p.to_vec2() * scale).to_point();
                    let near = found.iter().map(|q| (*q - p).hypot()).fold(f64::INFINITY, f64::min);
                    worst = worst.max(near);
                }
            }
            assert!(
                worst <= tolerance * 1.01,
                "{name} is {worst} px off at scale {scale}, tolerance {tolerance}"
            );
        }
        let patch =
            document["layers"].as_array().expect("layers").iter().find(|layer| layer["nm"] == "patch");
        let patch = patch.expect("the patch");
        assert_eq!((patch["ip"].as_f64(), patch["op"].as_f64()), (Some(12.0), Some(24.0)));
    }
}

/// Two clips in one file show at each frame what each shows alone.
#[test]
fn clips_follow_each_other_with_markers() {
    let made = made();
    let still = SampledClip::new(
        Arc::clone(made.posable.drawing()),
        "still",
        FPS,
        10,
        false,
        |time, frame: &mut Frame| {
            pose(&made.posable, 0.7 + 0.5 * time, frame);
            Ok::<(), VectorError>(())
        },
    )
    .expect("a clip");
    let options = scaled(1.0);
    let alone = lottie(&still, &options).expect("a Lottie").0;
    let joined = SampledClip::joined("all", vec![made.clip.clone(), still, made.clip]).expect("clips");
    assert_eq!(joined.frame_count(), 2 * COUNT + 10);
    let (text, report) = lottie(&joined, &options).expect("a Lottie");
    assert!(report.error <= options.tolerance && report.losses.is_empty());
    let [document, alone]: [serde_json::Value; 2] =
        [&text, &alone].map(|text| serde_json::from_str(text).expect("JSON"));
    let markers: Vec<(&str, u64, u64)> = document["markers"]
        .as_array()
        .expect("markers")
        .iter()
        .map(|marker| {
            (marker["cm"].as_str().unwrap(), marker["tm"].as_u64().unwrap(), marker["dr"].as_u64().unwrap())
        })
        .collect();
    let count = COUNT as u64;
    assert_eq!(markers, [("turn", 0, count), ("still", count, 10), ("turn", count + 10, count)]);
    for name in ["bar", "limb"] {
        let element = if name == "bar" { made.bar } else { made.limb };
        let compare = |at: f64, time: f64| {
            let found = evaluate_lottie::points(&document, name, at);
            for p in truth_of(&made.posable, element, time) {
                let near = found.iter().map(|q| (*q - p).hypot()).fold(f64::INFINITY, f64::min);
                assert!(near <= 1.01 * options.tolerance, "{name} is {near} px off at {at}");
            }
        };
        halves().for_each(|frame| compare(frame, frame / FPS));
        (0..19).for_each(|half| {
            compare(COUNT as f64 + 0.5 * f64::from(half), 0.7 + 0.25 * f64::from(half) / FPS)
        });
        halves().for_each(|frame| compare(COUNT as f64 + 10.0 + frame, frame / FPS));
    }
    assert_eq!(alone["markers"].as_array().expect("markers").len(), 1);
}

#[test]
fn no_lottie_has_a_skew_and_every_shape_says_its_type_first() {
    let (text, _) = lottie(&made().clip, &scaled(1.0)).expect("a Lottie");
    assert!(!text.contains("\"sk\""));
    for (at, _) in text.match_indices("\"it\":[{") {
        assert!(text[at..].starts_with("\"it\":[{\"ty\""), "{}", &text[at..at + 40]);
    }
    evaluate_lottie::groups_have_whole_transforms(&serde_json::from_str(&text).expect("JSON"));
}

/// A radial gradient of an uneven space that goes round in circles on a shape that stays: both coordinates of its
/// space would have fewer keys alone.
#[test]
fn no_group_of_shapes_has_a_split_position() {
    let circle = |time: f64| {
        let (sin, cos) = Angle::from_degrees(2.0 * turn(time)).sin_cos();
        Affine::translate((20.0 * cos, 20.0 * sin))
    };
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='240' height='200'><radialGradient id='g' \
        gradientUnits='userSpaceOnUse' cx='120' cy='200' r='60' gradientTransform='matrix(1 0 0 .5 0 0)'>\
        <stop offset='0' stop-color='#ff0'/><stop offset='1' stop-color='#a00'/></radialGradient>\
        <path id='disc' d='M60 60H180V140H60Z' fill='url(#g)'/></svg>";
    let drawing = bone_render::read_svg(svg, &bone_render::Resources::none()).expect("a drawing").0;
    let disc = drawing.find("disc").expect("the art");
    let posable = Posable::new(&drawing, &Moving { posed: &[PosedArt::Path(disc)], ..Moving::default() });
    let posable = posable.expect("it moves");
    let outlines = [Rect::new(60.0, 60.0, 180.0, 140.0).to_path(0.1)];
    let clip = SampledClip::new(
        Arc::clone(posable.drawing()),
        "shine",
        FPS,
        COUNT,
        true,
        |time, frame: &mut Frame| {
            let paints = [PaintMotion { paint: Some(circle(time)), ..PaintMotion::default() }];
            posable
                .frame(&CanvasPose { outlines: &outlines, paints: &paints, ..CanvasPose::default() }, frame);
            Ok::<(), VectorError>(())
        },
    );
    let (text, _) = lottie(&clip.expect("a clip"), &scaled(1.0)).expect("a Lottie");
    assert!(text.contains("\"gf\"") && text.contains("\"a\":1"), "{text}");
    evaluate_lottie::groups_have_whole_transforms(&serde_json::from_str(&text).expect("JSON"));
}

#[test]
fn a_dot_lottie_is_an_archive_with_a_manifest() {
    let made = made();
    let options = scaled(1.0);
    let (bytes, _) = dot_lottie(&made.clip, &options).expect("an archive");
    assert!(bytes.starts_with(b"PK\x03\x04"));
    let count = bytes.windows(4).filter(|four| *four == b"PK\x01\x02").count();
    assert_eq!(count, 2);
    let again = dot_lottie(&made.clip, &options).expect("an archive").0;
    assert_eq!(bytes, again, "the same bytes each time");
}

/// What a sticker may have is in `tests/judges/deliveries.py`, too, which reads the files of examples.
#[test]
fn a_sticker_has_the_rules_of_telegram_or_says_which_one_is_broken() {
    let made = made();
    let sample = |count: usize, fps: f64| {
        let pose = |time, frame: &mut Frame| {
            pose(&made.posable, time, frame);
            Ok::<(), VectorError>(())
        };
        SampledClip::new(Arc::clone(made.posable.drawing()), "turn", fps, count, true, pose).expect("a clip")
    };
    let view = Viewport::new(FrameSize::new(512, 512).expect("a size"), Affine::scale(2.0));
    let options = VectorOptions::new(view);
    let (bytes, report) = telegram_sticker(&sample(45, 30.0), &options).expect("a sticker");
    assert!(report.losses.is_empty() && bytes.starts_with(&[0x1f, 0x8b]));
    let facts = DeliveredFacts::read(&bytes).expect("a sticker that can be read");
    assert_eq!((facts.width, facts.height, facts.frames, facts.milliseconds), (512, 512, 45, 1500));
    let mut broken = bytes.clone();
    *broken.last_mut().expect("a byte") ^= 1;
    assert_eq!(DeliveredFacts::read(&broken), None, "its length is checked");
    let mut solid = options.clone();
    solid.view.background = Some(bone_render::Background { rgba: [255; 4] });
    for (clip, options, part) in [
        (sample(36, 24.0), &options, "30 or 60 frames a second, not 24: --fps 30"),
        (sample(100, 30.0), &options, "at most 3 s, not 3.33"),
        (sample(30, 30.0), &scaled(1.0), "512x512 pixels, not 240x200: --size 512x512"),
        (sample(30, 30.0), &solid, "the background: it is a solid layer"),
    ] {
        let error = telegram_sticker(&clip, options).expect_err(part).to_string();
        assert!(error.starts_with("this cannot be a Telegram sticker: ") && error.contains(part), "{error}");
    }
}

/// `tests/judges/compare.py` opens pages in a browser.
#[test]
fn a_page_has_the_svg_and_one_script() {
    let made = made();
    let options = scaled(1.0);
    let (svg, _) = animated_svg(&made.clip, &options).expect("an SVG");
    let (page, report) = html_page(&made.clip, &options).expect("a page");
    assert!(page.contains(&svg) && report.losses.is_empty());
    assert!(page.contains("data-seconds=\"1.5\" data-fps=\"24\" data-endless=\"true\""), "{page}");
    assert_eq!(
        (page.matches("<script>").count(), page.matches("http").count()),
        (1, svg.matches("http").count() + 1)
    );
    assert!(page.contains("default-src 'none'; script-src 'sha256-"));
}

#[test]
fn one_frame_has_no_animation_and_no_frames_are_an_error() {
    let made = made();
    let sample = |count: usize, fps: f64| {
        SampledClip::new(
            Arc::clone(made.posable.drawing()),
            "still",
            fps,
            count,
            true,
            |time, frame: &mut Frame| {
                pose(&made.posable, time, frame);
                Ok::<(), VectorError>(())
            },
        )
    };
    let options = scaled(1.0);
    let still = sample(1, FPS).expect("a clip");
    assert!(!animated_svg(&still, &options).expect("an SVG").0.contains("<animate"));
    assert!(!lottie(&still, &options).expect("a Lottie").0.contains("\"a\":1"));
    assert!(matches!(sample(0, FPS), Err(VectorError::NoFrames)));
    assert!(matches!(sample(3, f64::NAN), Err(VectorError::Rate)));
    assert!(matches!(sample(usize::MAX, FPS), Err(VectorError::TooLong { .. })));
    for scale in [0.0, f64::NAN, f64::INFINITY] {
        let view = Viewport::new(options.view.size, Affine::scale(scale));
        assert!(matches!(animated_svg(&still, &VectorOptions::new(view)), Err(VectorError::View)));
    }
    let none = VectorOptions { tolerance: 0.0, ..options };
    assert!(matches!(lottie(&still, &none), Err(VectorError::Tolerance)));
}

/// Dashes that march by one round in a loop do not run back where it begins again.
#[test]
fn dashes_that_go_round_go_on_over_the_seam_of_a_loop() {
    let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 240.0, 200.0));
    let line = BezPath::from_svg("M10 10H230").expect("a path");
    let stroke = Stroke { dashes: vec![12.0, 6.0], ..Stroke::new([0, 0, 0], 4.0) };
    builder.shape("ants", Shape { fill: None, stroke: Some(stroke), ..Shape::filled(line, [0, 0, 0]) });
    let drawing = builder.finish().expect("a drawing");
    let ants = drawing.find("ants").expect("a shape");
    let posable = Posable::new(&drawing, &Moving { looks: &[ants], ..Moving::default() }).expect("art");
    for rounds in [-1.0, 1.0, 2.0] {
        let pose = |time: f64, frame: &mut Frame| {
            // As a clip of a second, which begins again at its end.
            let looks = [[4.0, rounds * 18.0 * time.fract(), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]];
            posable.frame(&CanvasPose { looks: &looks, ..CanvasPose::default() }, frame);
            Ok::<(), VectorError>(())
        };
        let clip =
            SampledClip::new(Arc::clone(posable.drawing()), "march", FPS, 24, true, pose).expect("a clip");
        let (text, report) = animated_svg(&clip, &scaled(1.0)).expect("an SVG");
        let values = format!("values=\"0;{}\"", rounds * 18.0);
        assert!(report.keys == 2 && text.contains(&values), "{values}: {text}");
        let (text, _) = lottie(&clip, &scaled(1.0)).expect("a Lottie");
        assert!(text.contains(&format!("\"s\":[{}]", rounds * 18.0)), "{text}");
    }
}

/// What the files have of a stroke of which a part goes round a path in a second, or grows.
fn trimmed(data: &str, dashes: &[f64], trim: impl Fn(f64) -> [f64; 3], bends: bool) -> [String; 2] {
    let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 240.0, 200.0));
    let outline = BezPath::from_svg(data).expect("a path");
    let stroke = Stroke { dashes: dashes.to_vec(), ..Stroke::new([0, 0, 0], 4.0) };
    let shape = Shape { fill: None, stroke: Some(stroke), ..Shape::filled(outline.clone(), [0, 0, 0]) };
    builder.shape("line", shape);
    let drawing = builder.finish().expect("a drawing");
    let path = drawing.find("line").expect("a shape");
    let posed = if bends { vec![PosedArt::Path(path)] } else { Vec::new() };
    let trims = [TrimmedStroke { path, pieces: BezPath::new(), may_wrap: true }];
    let moving = Moving { posed: &posed, trims: &trims, ..Moving::default() };
    let posable = Posable::new(&drawing, &moving).expect("art");
    let pose = |time: f64, frame: &mut Frame| {
        let pose = CanvasPose {
            outlines: std::slice::from_ref(&outline),
            trims: &[trim(time.fract())],
            in_pieces: true,
            ..CanvasPose::default()
        };
        posable.frame(&pose, frame);
        Ok::<(), VectorError>(())
    };
    let clip = SampledClip::new(Arc::clone(posable.drawing()), "go", FPS, 24, true, pose).expect("a clip");
    let files = [animated_svg(&clip, &scaled(1.0)), lottie(&clip, &scaled(1.0))];
    files.map(|file| {
        let (text, report) = file.expect("a file");
        assert!(report.losses.is_empty() && report.error <= 0.1, "{:?} {}", report.losses, report.error);
        text
    })
}

#[test]
fn parts_of_strokes_are_dashes_trims_or_outlines() {
    let round = |time: f64| [0.0, 0.25, time];
    let grows = |time: f64| [0.0, time, 0.0];
    let [svg, json] = trimmed("M10 10H230", &[], round, false);
    assert!(svg.contains("pathLength=\"1\" stroke-dasharray=\".25 .75\" stroke-dashoffset=\"0\""), "{svg}");
    assert!(svg.contains("values=\"0;-1\"") && !svg.contains("attributeName=\"d\""), "{svg}");
    let turn = "\"s\":{\"a\":0,\"k\":0},\"e\":{\"a\":0,\"k\":25},\"o\":{\"a\":1,\"k\":[{\"t\":0,\"s\":[0]";
    assert!(json.contains(turn) && json.contains("\"s\":[360]") && json.contains("\"m\":1"), "{json}");
    let [svg, json] = trimmed("M10 10H230", &[], grows, false);
    assert!(svg.contains("stroke-dasharray=\"0 2\"") && json.contains("\"ty\":\"tm\""), "{svg}\n{json}");
    // A closed path, two subpaths and dashes.
    for (data, dashes) in
        [("M10 10H90V90Z", &[][..]), ("M10 10H90M10 40H90", &[]), ("M10 10H90", &[4.0, 3.0])]
    {
        let [svg, json] = trimmed(data, dashes, round, false);
        assert!(svg.contains("attributeName=\"d\"") && !svg.contains("pathLength"), "{svg}");
        assert!(json.contains("\"ty\":\"tm\""), "{json}");
    }
    // One that bones could bend.
    let [svg, json] = trimmed("M10 10H230", &[], grows, true);
    assert!(svg.contains("attributeName=\"d\"") && !svg.contains("pathLength"), "{svg}");
    assert!(!json.contains("\"ty\":\"tm\""), "{json}");
    let [svg, json] = trimmed("M10 10H230", &[], |_| [0.0, 1.0, 0.0], false);
    assert!(!svg.contains("pathLength") && !json.contains("\"ty\":\"tm\""), "{svg}\n{json}");
}

/// A part of the drawing, twice as large, of which a part of the picture is seen.
#[test]
fn a_view_is_the_units_of_an_svg_and_the_pixels_of_a_lottie() {
    let made = made();
    let size = FrameSize::new(160, 120).expect("a size");
    let mut view = Viewport::new(size, Affine::scale(2.0) * Affine::translate((-100.0, -45.0)));
    for cut in [None, Some(Rect::new(20.0, 10.0, 150.0, 120.0))] {
        view.cut = cut;
        let options = VectorOptions::new(view);
        let (text, report) = animated_svg(&made.clip, &options).expect("an SVG");
        assert!(report.error <= options.tolerance && report.losses.is_empty());
        let document = roxmltree::Document::parse(&text).expect("XML");
        let root = document.root_element();
        let (width, height) = (root.attribute("width"), root.attribute("height"));
        assert_eq!((width, height), (Some("160"), Some("120")));
        assert_eq!(root.attribute("viewBox"), Some("100 45 80 60"));
        // Browsers do not seek what is in an inner one.
        assert_eq!(document.descendants().filter(|node| node.has_tag_name("svg")).count(), 1);
        let part = document.descendants().find(|node| node.has_tag_name("clipPath"));
        assert_eq!(part.is_some(), cut.is_some());
        if let Some(part) = part {
            let rect = part.first_element_child().expect("a rectangle");
            let sides = ["x", "y", "width", "height"].map(|side| rect.attribute(side).unwrap_or_default());
            assert_eq!(sides, ["110", "50", "65", "55"]);
        }

        let (text, report) = lottie(&made.clip, &options).expect("a Lottie");
        assert!(report.error <= options.tolerance && report.losses.is_empty());
        let lottie: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&lottie["w"], &lottie["h"]), (&160.into(), &120.into()));
        let layers = lottie["layers"].as_array().expect("layers");
        // Where the composition of the layers is.
        let corner = match cut {
            None => Point::ZERO,
            Some(cut) => {
                assert_eq!(layers.len(), 1);
                let asset = lottie["assets"].as_array().expect("assets").last().expect("a composition");
                assert_eq!(layers[0]["refId"], asset["id"]);
                assert_eq!((&layers[0]["w"], &layers[0]["h"]), (&130.into(), &110.into()));
                assert_eq!(layers[0]["ks"]["p"]["k"].as_array().expect("a place")[..2], [20, 10]);
                cut.origin()
            }
        };
        for (name, element) in [("bar", made.bar), ("limb", made.limb)] {
            for frame in halves() {
                let found = evaluate_lottie::points(&lottie, name, frame);
                let svg = evaluate_smil::points(&document, name, frame / COUNT as f64);
                for (p, svg) in truth(&made, element, frame / FPS).into_iter().zip(svg) {
                    let pixel = view.transform * p;
                    let off = (view.transform * svg - pixel).hypot();
                    assert!(off <= 1.04 * options.tolerance, "SVG: {name} is {off} px off at {frame}");
                    let near = |q: &Point| (*q + corner.to_vec2() - pixel).hypot();
                    let off = found.iter().map(near).fold(f64::INFINITY, f64::min);
                    assert!(off <= 1.01 * options.tolerance, "Lottie: {name} is {off} px off at {frame}");
                }
            }
        }
    }
}
