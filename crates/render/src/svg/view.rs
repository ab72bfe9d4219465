//! What is around a drawing in an SVG document that shows a view of it.

use std::fmt::Write as _;

use kurbo::{Affine, Rect};

use crate::number::{Precision, write_matrix, write_number};
use crate::viewport::Viewport;

/// The parts of an SVG document that make it show a view: its root element has the size of the picture, and
/// what is between `open` and `close` has the units of the drawing at scale 1. There is one `svg` element alone:
/// browsers do not seek animations in an inner one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SvgView {
    /// Attributes of the root element.
    pub attributes: String,
    /// The background, and the start tags around the drawing.
    pub open: String,
    /// Their end tags.
    pub close: String,
    /// From pixels of the picture to units of the root element.
    pub from_pixels: Affine,
}

/// The id of the clip path of a view of which a part alone is seen, with `_` behind it where it is taken.
const PAGE: &str = "page";

impl SvgView {
    /// The parts for a view. None if its transform has no inverse: nothing could be seen. `is_taken` says which
    /// ids the document has.
    pub fn new(view: &Viewport, is_taken: impl Fn(&str) -> bool) -> Option<Self> {
        let inverse = view.transform.inverse();
        if !(view.transform.is_finite() && inverse.is_finite()) {
            return None;
        }
        let (picture, part) = (view.picture(), view.seen());
        let [across, b, c, down, ..] = view.transform.as_coeffs();
        let upright = across > 0.0 && down > 0.0 && b == 0.0 && c == 0.0;
        // The units of the root element are those of the drawing, if it is upright there.
        let from_pixels = if upright { inverse } else { Affine::IDENTITY };
        let mut attributes = String::new();
        rectangle_size(picture, &mut attributes);
        let stretched = upright && (across / down - 1.0).abs() > 1e-6;
        view_box(from_pixels.transform_rect_bbox(picture), stretched, &mut attributes);
        let mut open = String::new();
        let mut close = String::new();
        if let Some(background) = view.background {
            let [red, green, blue, alpha] = background.rgba;
            open.push_str("<rect");
            rectangle(from_pixels.transform_rect_bbox(picture), &mut open);
            let _ = write!(open, " fill=\"#{red:02x}{green:02x}{blue:02x}\"");
            if alpha < 255 {
                number("fill-opacity", f64::from(alpha) / 255.0, &mut open);
            }
            open.push_str("/>\n");
        }
        if part != picture {
            let mut page = PAGE.to_owned();
            while is_taken(&page) {
                page.push('_');
            }
            let _ = write!(open, "<clipPath id=\"{page}\"><rect");
            rectangle(from_pixels.transform_rect_bbox(part), &mut open);
            let _ = write!(open, "/></clipPath>\n<g clip-path=\"url(#{page})\">\n");
            close.push_str("</g>\n");
        }
        if !upright {
            open.push_str("<g transform=\"");
            write_matrix(view.transform, Precision::Exact, &mut open);
            open.push_str("\">\n");
            close.push_str("</g>\n");
        }
        Some(Self { attributes, open, close, from_pixels })
    }
}

fn number(name: &str, value: f64, out: &mut String) {
    let _ = write!(out, " {name}=\"");
    write_number(value, Precision::Exact, out);
    out.push('"');
}

fn rectangle(rect: Rect, out: &mut String) {
    number("x", rect.x0, out);
    number("y", rect.y0, out);
    rectangle_size(rect, out);
}

fn rectangle_size(rect: Rect, out: &mut String) {
    number("width", rect.width(), out);
    number("height", rect.height(), out);
}

fn view_box(rect: Rect, stretched: bool, out: &mut String) {
    out.push_str(" viewBox=\"");
    for (at, n) in [rect.x0, rect.y0, rect.width(), rect.height()].into_iter().enumerate() {
        out.push_str(if at > 0 { " " } else { "" });
        write_number(n, Precision::Exact, out);
    }
    out.push('"');
    out.push_str(if stretched { " preserveAspectRatio=\"none\"" } else { "" });
}
