//! Parts of drawings: the SVG of a view, as resvg draws it, beside the pixels of the view.

use kurbo::Rect;

use super::*;
use crate::{Background, Viewport, write_svg_view};

/// A gradient, a stroke, a clip path, and art beyond the page on all sides.
const ART: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='60' height='40' viewBox='-10 0 120 80'>\
    <defs><linearGradient id='g'><stop offset='0' stop-color='#c33'/><stop offset='1' stop-color='#36c'/>\
    </linearGradient><clipPath id='c'><circle cx='40' cy='40' r='30'/></clipPath></defs>\
    <rect x='-40' y='20' width='200' height='30' fill='url(#g)'/>\
    <g clip-path='url(#c)'><rect x='0' y='-20' width='50' height='120' fill='#283' fill-opacity='.6'/></g>\
    <path d='M-30 -20L120 110' stroke='#223' stroke-width='7' fill='none'/></svg>";

/// The largest and the mean distance of channels.
fn distance(one: &Pixmap, other: &Pixmap) -> (u8, f64) {
    assert_eq!((one.width(), one.height()), (other.width(), other.height()));
    let all = one.data().iter().zip(other.data()).map(|(a, b)| a.abs_diff(*b));
    let sum: f64 = all.clone().map(f64::from).sum();
    (all.max().unwrap_or(0), sum / one.data().len() as f64)
}

#[test]
fn the_svg_of_a_view_is_drawn_as_the_view() {
    let art = std::sync::Arc::new(read(ART));
    let size = |width, height| FrameSize::new(width, height).unwrap();
    let moved = |x: f64, y: f64, scale: f64| Affine::scale(scale) * Affine::translate((-x, -y));
    let turned = Affine::new([0.8, 0.6, -0.6, 0.8, 30.0, 5.0]);
    let cases = [
        (size(60, 40), Affine::IDENTITY, None, ""),
        (size(30, 20), moved(5.0, 10.0, 1.0), None, " viewBox=\"5 10 30 20\""),
        (size(120, 120), moved(-20.0, -10.0, 1.5), None, " viewBox=\"-20 -10 80 80\""),
        (
            size(120, 40),
            moved(-30.0, 0.0, 1.0),
            Some(Rect::new(30.0, 0.0, 90.0, 40.0)),
            " viewBox=\"-30 0 120 40\"",
        ),
        (size(90, 80), Affine::scale_non_uniform(1.5, 2.0), None, " preserveAspectRatio=\"none\""),
        (size(70, 50), turned, None, "<g transform"),
        (size(70, 50), turned, Some(Rect::new(10.0, 5.0, 60.0, 45.0)), "<g transform"),
    ];
    for (size, transform, cut, expected) in cases {
        for background in [
            None,
            Some(Background { rgba: [240, 230, 200, 255] }),
            Some(Background { rgba: [0, 90, 0, 128] }),
        ] {
            let mut view = Viewport::new(size, transform);
            (view.cut, view.background) = (cut, background);
            let mut text = String::new();
            write_svg_view(&art, &Frame::default(), &view, Precision::Exact, &mut text);
            assert!(text.contains(expected) && text.matches("<svg").count() == 1, "{text}");
            let [mut drawn, mut found] = [(); 2].map(|()| Pixmap::new(size.width(), size.height()).unwrap());
            Renderer::new().draw_into(&art, &Frame::default(), &view, drawn.data_mut()).unwrap();
            Raster::default().draw(&text, &FrameOptions { size, background: None }, &mut found).unwrap();
            let (worst, mean) = distance(&drawn, &found);
            // resvg draws what is cut in a layer, in which coverage has other sixteenths.
            let most = if cut.is_some() { 17 } else { 2 };
            assert!(worst <= most && mean < 0.1, "{view:?}: {worst} levels, {mean} in the mean\n{text}");
        }
    }
}

#[test]
fn a_view_without_an_inverse_shows_nothing() {
    let art = read(ART);
    for scale in [0.0, f64::NAN, f64::INFINITY] {
        let view = Viewport::new(FrameSize::new(9, 5).unwrap(), Affine::scale(scale));
        let mut text = String::new();
        write_svg_view(&art, &Frame::default(), &view, Precision::Exact, &mut text);
        assert_eq!(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"5\"></svg>");
    }
}
