//! What is around a drawing in an SVG document that shows a view of it.

use std::fmt::Write as _;

use kurbo::{Affine, Rect};

use crate::number::{Precision, write_matrix, write_number};
use crate::renderer::Viewport;

/// The parts of an SVG document that make it show a view: its root element has the size of the picture, and
/// what is between `open` and `close` has the units of the drawing at scale 1.
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

impl SvgView {
    /// The parts for a view. None if its transform has no inverse: nothing could be seen.
    pub fn new(view: &Viewport) -> Option<Self> {
        let inverse = view.transform.inverse();
        if !(view.transform.is_finite() && inverse.is_finite()) {
            return None;
        }
        let (picture, part) = (view.picture(), view.seen());
        let is_cut = part != picture;
        let [across, b, c, down, ..] = view.transform.as_coeffs();
        let upright = across > 0.0 && down > 0.0 && b == 0.0 && c == 0.0;
        // The part in units of the drawing, if it is upright there.
        let shown = if upright { inverse.transform_rect_bbox(part) } else { part };
        let stretched = upright && (across / down - 1.0).abs() > 1e-6;
        let mut attributes = String::new();
        rectangle_size(picture, &mut attributes);
        let mut open = String::new();
        let mut close = String::new();
        view_box(if is_cut { picture } else { shown }, stretched && !is_cut, &mut attributes);
        let from_pixels = if upright && !is_cut { inverse } else { Affine::IDENTITY };
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
        if is_cut {
            // An element of its own in a document has the edges of a clip path.
            open.push_str("<svg");
            rectangle(part, &mut open);
            view_box(shown, stretched, &mut open);
            open.push_str(">\n");
            close.push_str("</svg>\n");
        }
        if !upright {
            open.push_str("<g transform=\"");
            write_matrix(view.transform, Precision::Exact, &mut open);
            open.push_str("\">\n");
            close.insert_str(0, "</g>\n");
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
