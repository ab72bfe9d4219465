//! Input that a program can hand over by mistake: drawings without sense, frames and ids of another drawing,
//! pictures of another size, and any numbers and texts. Each is drawn, left out or an error, and none panics.

#[path = "../../drawing/tests/any_drawing/mod.rs"]
mod any_drawing;
#[path = "../../drawing/tests/any_drawing/nested.rs"]
mod nested;

use std::sync::Arc;

use any_drawing::{Ids, Numbers, build, number, outline, rect, steps};
use bone_drawing::{
    CanvasPose, ColorMap, Drawing, DrawingBuilder, FlatFrame, Frame, Image, ImageData, ImageFormat, Moving,
    NodeId, Posable, Sampling, Visibility,
};
use bone_render::{
    Background, Compress, Encoding, FilePattern, FrameContent, FrameEncoder, FrameName, FrameOptions,
    FrameRate, FrameSink, FrameSize, Memory, Pixmap, Precision, Raster, Renderer, Resources, Showable,
    SvgView, Viewport, as_written, composite_over, data_url, decode_svg, escape_xml, fill_background,
    is_id_taken, read_svg, read_svg_showing, retain_art, svg_text, tint, write_node, write_svg,
    write_svg_view,
};
use kurbo::{Affine, Rect, Size};
use proptest::prelude::*;

fn frame(n: Numbers) -> Frame {
    let visibility = Visibility { visible: true, opacity: n[1], order: n[2] };
    Frame {
        transforms: vec![Affine::new(n); 3],
        outlines: vec![outline(n); 2],
        looks: vec![look(n[0]); 9],
        trims: vec![bone_drawing::Trim::new([n[0], n[1], n[2]])],
        visibilities: vec![visibility; 2],
        tints: vec![ColorMap { multiply: [n[0]; 3], add: [n[1]; 3] }; 2],
        gradient_looks: Vec::new(),
        filter_looks: Vec::new(),
        gradients: vec![Affine::new(n); 2],
        patterns: vec![Affine::new(n)],
        masks: vec![rect(n); 2],
        filters: vec![rect(n); 2],
        steps: vec![Some(rect(n)); 2],
        repaints: None,
    }
}

/// All that can be made of a frame of a drawing.
fn draw(drawing: &Arc<Drawing>, frame: &Frame, renderer: &mut Renderer, n: Numbers) {
    let size = FrameSize::new(9, 5).expect("a size");
    let options = FrameOptions { size, background: Some(Background { rgba: [1, 2, 3, 4] }) };
    let mut pixmap = Pixmap::new(3, 2).expect("memory");
    let _ = renderer.draw(drawing, frame, &options, &mut pixmap);
    let mut pixels = vec![0; 9 * 5 * 4];
    for (transform, cut) in [(Affine::new(n), Some(rect(n))), (Affine::scale(n[0]), None)] {
        let mut view = Viewport::new(size, transform);
        (view.cut, view.dither) = (cut, n[1] > 0.0);
        let _ = renderer.draw_into(drawing, frame, &view, &mut pixels);
        let _ = (view.seen(), SvgView::new(&view, |id| is_id_taken(drawing, id)));
        write_svg_view(drawing, frame, &view, Precision::Exact, &mut String::new());
        drawing.paint(frame, view.transform, &mut FlatFrame::default());
    }
    let view = Viewport::new(size, Affine::IDENTITY);
    assert!(renderer.draw_into(drawing, frame, &view, &mut pixels[1..]).is_err());
    let mut text = String::new();
    for precision in [Precision::Exact, Precision::Digits(0), Precision::Digits(u8::MAX)] {
        text.clear();
        write_svg(drawing, frame, precision, &mut text);
    }
    for node in [0, 1, 5, usize::MAX] {
        write_node(drawing, frame, NodeId::from_index(node), &mut String::new());
    }
    for text in [text, svg_text(drawing)] {
        let _ = (read_svg(&text, &Resources::none()), retain_art(&text, &|ids| ids.len() > 1));
        let _ = Raster::new(Resources::none()).draw(&text, &options, &mut pixmap);
        let _ = Raster::new(Resources::none()).draw_over(&text, &mut pixmap);
    }
}

fn look(n: f64) -> bone_drawing::ShapeLook {
    let paint = bone_drawing::PaintLook { color: [n, -n, n], opacity: n };
    let lengths = bone_drawing::StrokeLook { width: n, dash_offset: n, dash_scale: n };
    bone_drawing::ShapeLook { lengths, fill: paint, stroke: paint }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawings_without_sense(first in steps(), second in steps(), n in prop::array::uniform6(number())) {
        let mut ids = Ids::default();
        let drawings = [build(&first, &mut ids), build(&second, &mut ids)].map(Arc::new);
        let mut renderer = Renderer::new();
        for frame in [Frame::default(), frame(n)] {
            for drawing in &drawings {
                draw(drawing, &frame, &mut renderer, n);
            }
        }
    }

    #[test]
    fn sizes_and_rates_of_any_numbers(n in prop::array::uniform6(number()), [w, h] in any::<[u32; 2]>()) {
        let sizes = [FrameSize::new(w, h), FrameSize::new(w % 9, h % 9), FrameSize::from_scale(Size::new(n[0], n[1]), n[2])];
        for size in sizes.into_iter().flatten() {
            let _ = (size.fit(Size::new(n[0], n[1])), size.fit(Size::ZERO), size.scale());
        }
        let rate = FrameRate::nearest(n[3]);
        prop_assert!(rate.numerator > 0 && rate.denominator > 0);
        let _ = as_written(n[4]);
        let mut picture = Pixmap::new(3, 2).expect("memory");
        let small = Pixmap::new(1, 1).expect("memory");
        tint(&mut picture, [9; 3], n[0] as f32);
        composite_over(&mut picture, &small, (w, h), n[1] as f32);
        composite_over(&mut picture, &small, (1, 1), n[2] as f32);
        fill_background(&mut picture, Some(Background { rgba: [9; 4] }));
    }

    #[test]
    fn texts_of_any_kind(text in "\\PC{0,40}", bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let size = FrameSize::new(3, 2).expect("a size");
        let options = FrameOptions { size, background: None };
        let mut pixmap = Pixmap::new(1, 1).expect("memory");
        let svg = format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='{text}'><path d='{text}' style='{text}'/></svg>");
        for text in [&text, &svg] {
            let _ = Raster::new(Resources::none()).draw(text, &options, &mut pixmap);
            let _ = (read_svg(text, &Resources::none()), retain_art(text, &|_| false), data_url(text));
            let _ = read_svg_showing(text, &Resources::none(), &Showable::default());
            let _ = Background::parse(text);
            escape_xml(text, &mut String::new());
            for pattern in [FilePattern::parse(text, text), FilePattern::parse(&format!("{text}#"), "")] {
                let _ = pattern.map(|pattern| pattern.path(u64::MAX));
            }
        }
        let _ = decode_svg(bytes);
    }
}

/// An image of terabytes: it is not drawn.
#[test]
fn images_of_any_size() {
    for side in [1e6, 1e9, 1e30, f64::INFINITY, f64::NAN] {
        let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 9.0, 5.0));
        let data = ImageData { format: ImageFormat::Png, bytes: Arc::new(vec![1, 2, 3]) };
        builder.image(
            "a",
            Image { size: Size::new(side, side), sampling: Sampling::Quality, visible: true, data },
        );
        let drawing = Arc::new(builder.finish().expect("a drawing"));
        draw(&drawing, &Frame::default(), &mut Renderer::new(), [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    }
}

#[test]
fn patterns_of_many_digits() {
    for digits in [u16::MAX as usize, 70_000, 1_000_000] {
        let pattern = FilePattern::parse(&format!("a{}.png", "#".repeat(digits)), "png").expect("a run");
        assert!(pattern.path(7).to_string_lossy().ends_with("07.png"));
    }
}

#[test]
fn frames_are_encoded_as_what_they_are() {
    let pixmap = Pixmap::new(1, 1).expect("memory");
    let all = [
        Encoding::Png(Compress::Fast),
        Encoding::Png(Compress::Balanced),
        Encoding::Rgba,
        Encoding::Y4m,
        Encoding::Svg,
    ];
    for encoding in all {
        let mut bytes = vec![9; 3];
        let contents = [FrameContent::Pixels(&pixmap), FrameContent::Svg("")];
        let encoded =
            contents.map(|content| FrameEncoder::new().encode(encoding, content, &mut bytes).is_ok());
        assert_eq!(encoded, [encoding != Encoding::Svg, encoding == Encoding::Svg]);
        let memory = Memory::new(encoding);
        for number in [u64::MAX, u64::MAX, 0] {
            assert!(memory.keep(FrameName { number }, &[]).is_ok());
        }
        assert_eq!(memory.into_frames().len(), 2);
    }
}

/// Drawings that are nested as deep as they may be are drawn and written, with all that moves.
#[test]
fn drawings_that_are_nested_deep() {
    for kind in nested::NESTED {
        let drawing = nested::deepest(kind);
        let all: Vec<NodeId> = (0..drawing.nodes().len()).map(NodeId::from_index).collect();
        let posable = Posable::new(&drawing, &Moving { rigid_nodes: &all, ..Moving::default() });
        let posed = posable.map(|posable| {
            let mut frame = Frame::default();
            posable.frame(&CanvasPose::default(), &mut frame);
            (Arc::clone(posable.drawing()), frame)
        });
        for (drawing, frame) in [Some((drawing, Frame::default())), posed.ok()].into_iter().flatten() {
            draw(&drawing, &frame, &mut Renderer::new(), [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        }
    }
}
