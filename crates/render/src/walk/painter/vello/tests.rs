//! Outlines against their curves, measured by brute force; hostile drawings against tiny-skia.

use kurbo::{BezPath, ParamCurve, PathEl, Point, Shape as _};
use tiny_skia::{Path, PathBuilder, PathStroker, Pixmap, Stroke, Transform};

use super::lines::{Lines, TOLERANCE};
use super::*;
use crate::{Art, FrameOptions, FrameSize, Given, PainterKind, Resources as Files, Template, Walker};

/// Curves without corners: a blob, a wave, a hairpin, a flat one.
const CURVES: [&str; 5] = [
    "M20 60C20 20 90 10 110 50S90 120 60 110S20 100 20 60Z",
    "M5 90C40 -40 80 200 120 20",
    "M10 20Q110 22 12 30",
    "M10 10C60 10.5 90 11 118 12",
    "M60 12A48 48 0 1 1 59.9 12Z",
];

fn path(data: &str) -> (BezPath, Path) {
    let curve = BezPath::from_svg(data).unwrap();
    let mut builder = PathBuilder::new();
    for element in curve.elements() {
        let f = |p: &Point| (p.x as f32, p.y as f32);
        match element {
            PathEl::MoveTo(p) => builder.move_to(f(p).0, f(p).1),
            PathEl::LineTo(p) => builder.line_to(f(p).0, f(p).1),
            PathEl::QuadTo(a, p) => builder.quad_to(f(a).0, f(a).1, f(p).0, f(p).1),
            PathEl::CurveTo(a, b, p) => builder.cubic_to(f(a).0, f(a).1, f(b).0, f(b).1, f(p).0, f(p).1),
            PathEl::ClosePath => builder.close(),
        }
    }
    (curve, builder.finish().unwrap())
}

/// Points that lie close together on a path.
fn points(path: &BezPath, each: usize) -> Vec<Point> {
    let on = |segment: kurbo::PathSeg| (0..=each).map(move |k| segment.eval(k as f64 / each as f64));
    path.segments().flat_map(on).collect()
}

/// How far a point is from lines between points.
fn distance(p: Point, lines: &[Point]) -> f64 {
    let from = |pair: &[Point]| {
        let (a, along) = (pair[0], pair[1] - pair[0]);
        let t = ((p - a).dot(along) / along.hypot2().max(1e-300)).clamp(0.0, 1.0);
        (p - (a + along * t)).hypot()
    };
    lines.windows(2).map(from).fold(f64::INFINITY, f64::min)
}

#[test]
fn lines_keep_to_their_curves() {
    for data in CURVES {
        let (curve, path) = path(data);
        for scale in [0.7, 4.0, 31.0] {
            let mut lines = Lines::default();
            let ts = Transform::from_row(scale, 0.3, -0.2, scale, 3.0, 1.0);
            let traced = points(lines.trace(&path, ts, (9_000, 9_000)).unwrap(), 4);
            let [a, b, c, d, e, f] = [ts.sx, ts.ky, ts.kx, ts.sy, ts.tx, ts.ty].map(f64::from);
            let truth = points(&(kurbo::Affine::new([a, b, c, d, e, f]) * curve.clone()), 500);
            // Each end of a pair is near the other, so that nothing is left out either.
            let step = (truth.len() / 400).max(1);
            let off = truth.iter().step_by(step).map(|p| distance(*p, &traced)).fold(0.0, f64::max);
            let back = traced.iter().step_by(3).map(|p| distance(*p, &truth)).fold(0.0, f64::max);
            assert!(off < TOLERANCE * 1.05 && back < TOLERANCE * 1.05, "{data} at {scale}: {off}, {back}");
        }
    }
}

#[test]
fn strokes_have_their_width() {
    for data in CURVES {
        let (curve, path) = path(data);
        let middle = points(&curve, 2000);
        for width in [1.0, 7.0] {
            let line = Stroke { width, line_cap: tiny_skia::LineCap::Round, ..Stroke::default() };
            let around = PathStroker::new().stroke(&path, &line, FINER).unwrap();
            let mut lines = Lines::default();
            let lines = lines.trace(&around, Transform::identity(), (200, 200)).unwrap();
            // Within hairpins the inner side runs across; what is on the outside counts.
            let off = points(lines, 2)
                .into_iter()
                .map(|p| distance(p, &middle) - f64::from(width) / 2.0)
                .fold(0.0, f64::max);
            // That of the outline, and that of its lines.
            assert!(off < 2.0 * TOLERANCE, "{data} {width}: {off}");
        }
    }
}

#[test]
fn outlines_far_beyond_the_picture_cover_the_same_of_it() {
    for data in [
        "M-900 30L40 -800L5000 900L-30 200Z",
        "M50 50m-1e6 0a1e6 1e6 0 1 0 2e6 0a1e6 1e6 0 1 0 -2e6 0M20 20h60v60z",
        "M-1e9 40L1e9 41L1e9 60L-1e9 59ZM-300 -300C900 20 -900 70 400 400Z",
    ] {
        let (curve, path) = path(data);
        let mut lines = Lines::default();
        let lines = lines.trace(&path, Transform::identity(), (100, 100)).unwrap();
        let bounds = lines.bounding_box();
        assert!(
            bounds.x0 >= -64.0 && bounds.y0 >= -64.0 && bounds.x1 <= 164.0 && bounds.y1 <= 164.0,
            "{bounds:?}"
        );
        let mut inside = 0;
        for k in 0..2_500 {
            let p = Point::new(f64::from(k % 50) * 2.0 + 1.013, f64::from(k / 50) * 2.0 + 0.977);
            assert_eq!(lines.winding(p) != 0, curve.winding(p) != 0, "{data}: {p:?}");
            inside += usize::from(lines.winding(p) != 0);
        }
        assert!(inside > 0, "{data}");
    }
}

fn draw(svg: &str, painter: PainterKind, side: u32) -> (Pixmap, crate::Drawn) {
    let art = Art::read(svg, &Files::none()).unwrap().0;
    let template = Template::new(&art, &[], &[]).unwrap();
    let options = FrameOptions { size: FrameSize::new(side, side).unwrap(), background: None };
    let mut pixmap = Pixmap::new(1, 1).unwrap();
    let drawn = Walker::with(painter).draw(&template, &Given::default(), &options, &mut pixmap).unwrap();
    (pixmap, drawn)
}

fn drawing(body: &str) -> String {
    format!("<svg xmlns='http://www.w3.org/2000/svg' width='80' height='80'>{body}</svg>")
}

/// The mean of how far the levels of both painters are apart.
fn apart(svg: &str, side: u32) -> (f64, crate::Drawn) {
    let (judge, _) = draw(svg, PainterKind::TinySkia, side);
    let (pixmap, drawn) = draw(svg, PainterKind::Vello, side);
    let off = judge.data().iter().zip(pixmap.data()).map(|(a, b)| f64::from(a.abs_diff(*b)));
    (off.sum::<f64>() / judge.data().len() as f64, drawn)
}

#[test]
fn hostile_drawings_come_out_alike() {
    let many: String = (0..10_000)
        .map(|k| format!("<path d='M{} {}l3 1l-2 2z' fill='#{:03x}'/>", k % 80, k / 130, k % 4096))
        .collect();
    let deep = format!("{}<path d='M5 5h60v50z'/>{}", "<g opacity='.99'>".repeat(90), "</g>".repeat(90));
    let bodies = [
        "",
        "<path d='M1 1'/><path d='M1 1z'/><rect width='0' height='9'/><path d='M4 4L4 4' stroke='#000' stroke-width='9' stroke-linecap='round'/>",
        "<path d='M-1e5 10L1e5 12L40 1e5Z' fill='#a00'/><path d='M1e6 1e6L-1e6 3e6L0 0Z'/>",
        "<g transform='scale(1e6)'><path d='M0 0h1v1z'/></g><g transform='scale(1e-30)'><path d='M0 0h1v1z'/></g>",
        "<path d='M0 0L80 80' stroke='#080' stroke-width='1e12'/><path d='M3 3L70 30' stroke='#800' stroke-width='1e-9'/>",
        "<path d='M0 40H80' stroke='#080' stroke-width='9' stroke-dasharray='.001 .001'/>",
        "<pattern id='p' width='70000' height='8' patternUnits='userSpaceOnUse'><rect width='3' height='3'/></pattern><rect width='80' height='80' fill='url(#p)'/>",
        "<linearGradient id='g' x2='0'><stop stop-color='#a00'/><stop offset='1'/></linearGradient><rect width='80' height='80' fill='url(#g)'/>",
        "<radialGradient id='g' r='.3' fx='.9' fr='.3'><stop stop-color='#a00'/><stop offset='1'/></radialGradient><rect width='80' height='80' fill='url(#g)'/>",
        &many,
        &deep,
    ];
    for body in bodies {
        let (off, drawn) = apart(&drawing(body), 80);
        let start: String = body.chars().take(90).collect();
        assert!(!drawn.whole_by_text && off < 5.0, "{start}: {off} {drawn:?}");
        assert_eq!(drawn.helped > 0, body.contains("70000"), "{start}: {drawn:?}");
    }
}

#[test]
fn outlines_as_large_as_numbers_go_are_drawn() {
    // tiny-skia leaves them out.
    let (pixmap, drawn) = draw(
        &drawing("<path d='M-1e30 10L1e30 12L40 1e30Z'/><path d='M1e38 1e38L-1e38 3e38L0 0Z'/>"),
        PainterKind::Vello,
        80,
    );
    let solid = |y: u32| pixmap.pixel(40, y).is_some_and(|pixel| pixel.is_opaque());
    assert!(!drawn.whole_by_text && !solid(5) && solid(60));
}

#[test]
fn lines_of_one_path_may_wind_around_the_picture_often() {
    // More turns than fit a whole number of 16 bits, all of them left of the picture.
    let turns = "M-9 -9V99H-5V-9Z".repeat(40_000);
    let (off, drawn) = apart(&drawing(&format!("<path d='{turns}M9 9h40v40z'/>")), 80);
    assert!(off < 1.0 && !drawn.whole_by_text, "{off}");
}

#[test]
fn the_deepest_groups_fit_the_stack_of_a_thread() {
    let deep = format!("{}<path d='M5 5h60v50z'/>{}", "<g opacity='.99'>".repeat(90), "</g>".repeat(90));
    let walk = move || assert!(!draw(&drawing(&deep), PainterKind::Vello, 80).1.whole_by_text);
    std::thread::Builder::new().stack_size(2 << 20).spawn(walk).unwrap().join().unwrap();
}

/// Instructions differ in how they round; what they are told apart by is the processor. How much that is, is known.
#[test]
fn other_instructions_draw_nearly_the_same() {
    use vello_cpu::peniko::Gradient;
    let picture = |level: vello_cpu::Level| {
        let settings = RenderSettings { level, num_threads: 0 };
        let mut context = RenderContext::new_with(128, 128, settings);
        for (at, data) in CURVES.iter().enumerate() {
            let (_, path) = path(data);
            let mut lines = Lines::default();
            let stops =
                [alpha(tiny_skia::Color::WHITE), alpha(tiny_skia::Color::from_rgba8(200, 30, 90, 120))];
            if at % 2 == 0 {
                context.set_paint(Gradient::new_linear((3.0, 7.0), (110.0, 71.0)).with_stops(stops));
            } else {
                context.set_paint(stops[1]);
            }
            context.push_opacity_layer(0.83);
            context.fill_path(lines.trace(&path, Transform::identity(), (128, 128)).unwrap());
            context.pop_layer();
        }
        context.flush();
        let mut pixmap = vello_cpu::Pixmap::new(128, 128);
        context.render(&mut pixmap, &mut Resources::new());
        pixmap.data_as_u8_slice().to_vec()
    };
    let (least, most) = (picture(vello_cpu::Level::baseline()), picture(vello_cpu::Level::new()));
    let off: Vec<u8> = least.iter().zip(&most).map(|(a, b)| a.abs_diff(*b)).filter(|off| *off > 0).collect();
    println!("{} of {} levels differ, by {:?} at most", off.len(), least.len(), off.iter().max());
    assert!(off.iter().all(|off| *off <= 2) && off.len() * 50 < least.len(), "{} levels", off.len());
}
