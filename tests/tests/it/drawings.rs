//! Drawings compared with pictures of them: hit tests match visible pixels, flat buffers paint the same
//! picture, and so does a drawing that is written as SVG and read back.

use bone_drawing::{
    BlendMode, Brush, Drawing, DrawingBuilder, FillCall, FillRule, FlatCommand, FlatFrame, FlatPaint, Frame,
    Gradient, Group, ImageCall, LayerCall, NodeId, PaintSink, Shape, Stroke, StrokeCall,
};
use bone_layer_tests::files::{below, shown};
use bone_layer_tests::picture::difference;
use bone_layer_tests::poses::{poses, read};
use bone_layer_tests::svg_sink::SvgSink;
use bone_render::{FrameOptions, FrameSize, Pixmap, Precision, Renderer, Resources, read_svg, write_svg};
use kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape as _};
use proptest::prelude::*;

/// Paints each node in a colour of its own, without opacity, filters, masks but those of a rig, dashes, corners and smooth
/// edges: a point is on a line if it is no farther from it than half its width.
struct Flattened<'a>(&'a mut SvgSink, &'a Drawing);

fn color(node: NodeId) -> Brush<'static> {
    let [low, high, ..] = (node.index() + 1).to_le_bytes();
    Brush::Color([low, high, 77])
}

impl PaintSink for Flattened<'_> {
    fn fill(&mut self, fill: &FillCall<'_>) {
        self.0.fill(&FillCall { brush: color(fill.node), opacity: 1.0, smooth: false, ..*fill });
    }

    fn stroke(&mut self, stroke: &StrokeCall<'_>) {
        let style = kurbo::Stroke::new(stroke.style.width);
        let (brush, join) = (color(stroke.node), bone_drawing::LineJoin::Round);
        self.0.stroke(&StrokeCall { style, join, brush, opacity: 1.0, smooth: false, ..stroke.clone() });
    }

    fn image(&mut self, image: &ImageCall<'_>) {
        let outline: BezPath = image.image.size.to_rect().to_path(0.1);
        let (node, transform, rule) = (image.node, image.transform, FillRule::NonZero);
        let call = FillCall {
            node,
            outline: &outline,
            rule,
            brush: color(node),
            opacity: 1.0,
            smooth: false,
            transform,
        };
        if image.image.visible {
            self.0.fill(&call);
        }
    }

    fn push_layer(&mut self, layer: &LayerCall<'_>) -> bool {
        let opacity = if layer.opacity > 0.0 { 1.0 } else { 0.0 };
        let mask = layer.mask.filter(|mask| self.1.hiding(mask.id()).is_some());
        let layer = LayerCall { opacity, blend: BlendMode::Normal, mask, filters: &[], ..*layer };
        self.0.push_layer(&layer)
    }

    fn pop_layer(&mut self) {
        self.0.pop_layer();
    }
}

#[test]
fn hit_tests_match_visible_pixels() {
    const SCALE: u32 = 2;
    let (mut looked, mut hits, mut wrong) = (0, 0, Vec::new());
    for path in below("tests/svg", "svg") {
        let name = shown(&path);
        // Of a mask the region alone counts for hits; corners and ends of lines count as round; antialiased
        // clip edges mix colours.
        if name.contains("mask") || name.contains("stroke-") || name.contains("character") {
            continue;
        }
        let art = read(&path);
        for pose in poses(&art) {
            let posable = pose.posable(&art);
            let drawing = posable.drawing();
            let mut frame = Frame::default();
            for number in [0, 1, 3] {
                pose.moved(number).frame(&posable, &mut frame);
                let size = FrameSize::from_scale(art.size(), f64::from(SCALE)).expect("a usable size");
                let mut sink = SvgSink::default();
                drawing.paint(&frame, Affine::scale(f64::from(SCALE)), &mut Flattened(&mut sink, drawing));
                let seen = sink.picture(size);
                let back = drawing.canvas_to_output().inverse();
                for y in (3..size.height() - 3).step_by(5) {
                    for x in (3..size.width() - 3).step_by(5) {
                        let pixel = |x, y| seen.pixel(x, y).expect("within");
                        let here = pixel(x, y);
                        // Not near an edge.
                        let alone = (x - 2..=x + 2).all(|x| (y - 2..=y + 2).all(|y| pixel(x, y) == here));
                        if !alone {
                            continue;
                        }
                        let to_output = Affine::scale(1.0 / f64::from(SCALE));
                        let at = to_output * Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
                        let hit = drawing.hit_test(&frame, back * at, 0.0).map(|hit| hit.node);
                        let expected = (here.alpha() > 0).then(|| {
                            let index = usize::from(here.red()) + 256 * usize::from(here.green());
                            NodeId::from_index(index - 1)
                        });
                        if hit != expected {
                            wrong.push(format!(
                                "{name}: {}, frame {number}, at {x} {y}: {hit:?} for {expected:?}",
                                pose.name
                            ));
                        }
                        looked += 1;
                        hits += usize::from(hit.is_some());
                    }
                }
            }
        }
    }
    println!("{looked} points, {hits} hits");
    assert!(wrong.is_empty(), "{} of {looked}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(looked > 1_000_000 && hits > looked / 4, "{hits} hits of {looked} points");
}

/// Paints flat buffers: what a page in a browser does with them.
fn paint(flat: &FlatFrame, sink: &mut SvgSink) {
    for command in flat.commands() {
        let FlatCommand::Fill { node, outline, paint, even_odd, opacity, transform } = command else {
            panic!("fills alone: {command:?}")
        };
        let path = flat.path(outline);
        let gradient;
        let brush = match &flat.paints()[*paint] {
            FlatPaint::Color(color) => Brush::Color(*color),
            FlatPaint::Gradient { kind, stops, spread, transform } => {
                let stop = |(offset, [r, g, b, opacity]): &(f64, [f64; 4])| bone_drawing::Stop {
                    offset: *offset,
                    color: [r, g, b].map(|n| (n * 255.0).round() as u8),
                    opacity: *opacity,
                };
                let (stops, id) = (flat.stops()[stops.clone()].iter().map(stop).collect(), String::new());
                gradient = Gradient { id, kind: *kind, stops, spread: *spread, transform: *transform };
                Brush::Gradient { gradient: &gradient, transform: *transform }
            }
            FlatPaint::Pattern => panic!("no patterns"),
        };
        sink.fill(&FillCall {
            node: *node,
            outline: &path,
            rule: if *even_odd { FillRule::EvenOdd } else { FillRule::NonZero },
            brush,
            opacity: *opacity,
            smooth: true,
            transform: Affine::new(flat.transforms()[*transform]),
        });
    }
}

#[test]
fn flat_buffers_paint_the_same_as_the_drawing() {
    let (mut flat, mut compared) = (FlatFrame::default(), 0);
    for path in below("tests/svg", "svg") {
        let art = read(&path);
        let size = FrameSize::from_scale(art.size(), 2.0).expect("a usable size");
        for pose in poses(&art) {
            let posable = pose.posable(&art);
            let (drawing, mut frame) = (posable.drawing(), Frame::default());
            pose.moved(3).frame(&posable, &mut frame);
            flat.clear();
            drawing.paint(&frame, Affine::scale(2.0), &mut flat);
            let is_fill = |command: &FlatCommand| matches!(command, FlatCommand::Fill { paint, .. } if flat.paints()[*paint] != FlatPaint::Pattern);
            // Flat buffers do not say which edges are hard.
            if !flat.commands().iter().all(is_fill) || shown(&path).contains("crisp") {
                continue;
            }
            let (mut direct, mut rebuilt) = (SvgSink::default(), SvgSink::default());
            drawing.paint(&frame, Affine::scale(2.0), &mut direct);
            paint(&flat, &mut rebuilt);
            let found = difference(&direct.picture(size), &rebuilt.picture(size));
            assert_eq!(found.pixels, 0, "{}: {}: {found:?}", shown(&path), pose.name);
            compared += 1;
        }
    }
    assert!(compared > 150, "{compared} frames");
}

/// A shape by its corners, colour, opacity and the width of its line.
type Spec = (Vec<(f64, f64)>, [u8; 3], f64, Option<f64>, (f64, f64));

fn spec() -> impl Strategy<Value = Spec> {
    let corners = prop::collection::vec((0.0..60.0, 0.0..60.0), 3..7);
    let moved = (-9.0..9.0, 0.5..1.5);
    (corners, any::<[u8; 3]>(), 0.2..1.0, prop::option::of(0.5..6.0), moved)
}

fn build(specs: &[Spec]) -> Drawing {
    let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 60.0, 60.0));
    for (at, (corners, color, opacity, width, (shift, scale))) in specs.iter().enumerate() {
        let transform = Affine::translate((*shift, 1.0)) * Affine::scale(*scale);
        let opacity_of_group = if at % 3 == 0 { *opacity } else { 1.0 };
        builder.open("group", Group { transform, opacity: opacity_of_group, ..Group::new() });
        let mut outline = BezPath::new();
        outline.move_to(corners[0]);
        for pair in corners[1..].windows(2) {
            outline.quad_to(pair[0], pair[1]);
        }
        outline.close_path();
        let shape = Shape::filled(outline, *color);
        let stroke = width.map(|width| Stroke {
            opacity: *opacity,
            dashes: if at % 2 == 0 { vec![5.0, 3.0] } else { Vec::new() },
            dash_offset: 1.0,
            cap: bone_drawing::LineCap::Round,
            join: bone_drawing::LineJoin::Bevel,
            ..Stroke::new([color[2], color[0], color[1]], width)
        });
        builder.shape("shape", Shape { stroke, ..shape });
        builder.close();
    }
    builder.finish().expect("a drawing")
}

fn picture(drawing: &Drawing) -> Pixmap {
    let options = FrameOptions { size: FrameSize::new(90, 90).expect("a size"), background: None };
    let mut pixmap = Pixmap::new(1, 1).expect("memory");
    let drawing = std::sync::Arc::new(drawing.clone());
    Renderer::new().draw(&drawing, &Frame::default(), &options, &mut pixmap).expect("a picture");
    pixmap
}

fn written(drawing: &Drawing, precision: Precision) -> Drawing {
    let mut svg = String::new();
    write_svg(drawing, &Frame::default(), precision, &mut svg);
    read_svg(&svg, &Resources::none()).expect("it was written here").0
}

/// The end points of all outlines, on the canvas.
fn points(drawing: &Drawing) -> Vec<Point> {
    let frame = Frame::default();
    let outline = |piece: &bone_drawing::DrawItem| {
        piece.transform * frame.outline(drawing, piece.node).expect("a shape").clone()
    };
    let all: Vec<BezPath> = drawing.painted(&frame).iter().map(outline).collect();
    all.iter().flat_map(|path| path.elements().iter().filter_map(PathEl::end_point)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn what_is_built_written_and_read_is_the_same_picture(specs in prop::collection::vec(spec(), 1..5)) {
        let drawing = build(&specs);
        let again = written(&drawing, Precision::Exact);
        prop_assert_eq!(difference(&picture(&drawing), &picture(&again)).pixels, 0);
    }

    #[test]
    fn fewer_digits_move_points_by_no_more_than_they_say(specs in prop::collection::vec(spec(), 1..5)) {
        let drawing = build(&specs);
        let exact = points(&drawing);
        for digits in 0..6_u8 {
            let found = points(&written(&drawing, Precision::Digits(digits)));
            prop_assert_eq!(found.len(), exact.len());
            // Half a unit of the last digit in each direction, enlarged by groups, moved by their own
            // rounding; and single precision.
            let step = 0.5 * 10.0_f64.powi(-i32::from(digits));
            let most = std::f64::consts::SQRT_2 * step * (1.5 + 1.0) + 0.1 * step + 4e-5;
            let far = exact.iter().zip(&found).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            prop_assert!(far <= most, "{} digits: {} > {}", digits, far, most);
        }
    }
}
