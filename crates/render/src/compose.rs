//! Pictures made from frames: one composited over another, tinted or faded; a posed drawing without some of
//! its art; a drawing as an image inside another SVG.

use std::fmt::Write as _;

use crate::frame::Background;
use roxmltree::{Document, Node};
use tiny_skia::{Pixmap, PixmapPaint, PremultipliedColorU8, Transform};

/// Gives all pixels a background, or none.
pub fn fill_background(picture: &mut Pixmap, background: Option<Background>) {
    crate::frame::fill(background, &mut picture.as_mut());
}

/// Composites a picture over another one, its upper left corner at a place, with an opacity from 0 to 1.
pub fn composite_over(onto: &mut Pixmap, picture: &Pixmap, (x, y): (u32, u32), opacity: f32) {
    if x >= onto.width() || y >= onto.height() {
        return;
    }
    // No picture is so large that this fails.
    let at = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
    let paint = PixmapPaint { opacity, ..PixmapPaint::default() };
    onto.draw_pixmap(at(x), at(y), picture.as_ref(), &paint, Transform::identity(), None);
}

/// Mixes a colour into all pixels: none of it at 0, nothing else at 1. Alpha is unchanged.
pub fn tint(picture: &mut Pixmap, colour: [u8; 3], share: f32) {
    let share = share.clamp(0.0, 1.0);
    for pixel in picture.pixels_mut() {
        let alpha = pixel.alpha();
        let mixed = |own: u8, colour: u8| {
            let full = f32::from(colour) * f32::from(alpha) / 255.0;
            // The conversion saturates.
            (f32::from(own) * (1.0 - share) + full * share).round() as u8
        };
        let [red, green, blue] =
            [mixed(pixel.red(), colour[0]), mixed(pixel.green(), colour[1]), mixed(pixel.blue(), colour[2])];
        *pixel = PremultipliedColorU8::from_rgba(red, green, blue, alpha).unwrap_or(*pixel);
    }
}

/// A posed drawing with some of its art only. `keep` is called for everything that is drawn, with its id and
/// those of the groups around it, inner ones first. Definitions stay. A text that is not an SVG is returned
/// unchanged.
pub fn retain_art(svg: &str, keep: &dyn Fn(&[&str]) -> bool) -> String {
    let Ok(doc) = Document::parse(svg) else { return svg.to_owned() };
    let mut out = String::with_capacity(svg.len());
    let mut done = 0;
    for node in doc.root_element().descendants().filter(Node::is_element) {
        let leaf = matches!(node.tag_name().name(), "path" | "image" | "text" | "use");
        if !leaf || node.range().start < done {
            continue;
        }
        let defined = node.ancestors().any(|at| {
            matches!(
                at.tag_name().name(),
                "defs" | "clipPath" | "mask" | "pattern" | "marker" | "filter" | "symbol"
            )
        });
        let own = node.ancestors().filter_map(|at| at.attribute("id"));
        let kept = || keep(&marked(node).into_iter().chain(own).collect::<Vec<_>>());
        if !defined && !kept() {
            out.push_str(&svg[done..node.range().start]);
            done = node.range().end;
        }
    }
    out.push_str(&svg[done..]);
    out
}

/// The id of the path to which the markers in a group without an id belong: usvg writes them right after it,
/// or right before it.
fn marked<'a>(node: Node<'a, '_>) -> Option<&'a str> {
    let group = node
        .ancestors()
        .take_while(|at| at.attribute("id").is_none())
        .filter(|at| at.tag_name().name() == "g")
        .last()?;
    let path = |beside: Option<Node<'a, '_>>| {
        beside.filter(|at| at.tag_name().name() == "path").and_then(|at| at.attribute("id"))
    };
    path(group.prev_sibling_element()).or_else(|| path(group.next_sibling_element()))
}

/// An SVG as a data URL, for the `href` of an `image`.
pub fn data_url(svg: &str) -> String {
    let mut out = String::new();
    data_url_of("image/svg+xml", svg.as_bytes(), &mut out);
    out
}

/// Writes a file as a data URL.
pub fn data_url_of(media_type: &str, bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let _ = write!(out, "data:{media_type};base64,");
    out.reserve(bytes.len().div_ceil(3) * 4);
    for bytes in bytes.chunks(3) {
        let whole =
            bytes.iter().fold(0_u32, |whole, byte| whole << 8 | u32::from(*byte)) << (8 * (3 - bytes.len()));
        for digit in 0..4 {
            let place = (whole >> (18 - 6 * digit)) as usize & 63;
            out.push(if digit <= bytes.len() { char::from(DIGITS[place]) } else { '=' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64_is_that_of_the_standard() {
        // RFC 4648, section 10.
        for (text, code) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(data_url(text), format!("data:image/svg+xml;base64,{code}"));
        }
    }

    #[test]
    fn art_that_is_not_kept_is_left_out() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><defs><clipPath id=\"c\"><path d=\"M0 0\"/></clipPath></defs>\
                   <g id=\"a\"><path id=\"b\"/><g id=\"d\"><path/></g></g><path id=\"e\"/></svg>";
        let kept = retain_art(svg, &|ids| ids.contains(&"d") || ids.contains(&"e"));
        assert!(kept.contains("clipPath") && kept.contains("<path d=\"M0 0\"/>"));
        assert!(
            !kept.contains("id=\"b\"")
                && kept.contains("<g id=\"d\"><path/></g>")
                && kept.contains("id=\"e\"")
        );
        let marked = "<svg xmlns=\"http://www.w3.org/2000/svg\"><path id=\"a\"/><g><g><path/></g></g><path id=\"b\"/></svg>";
        assert_eq!(
            retain_art(marked, &|ids| ids.contains(&"a")).matches("<path").count(),
            2,
            "markers go with their path"
        );
        assert_eq!(retain_art("no svg", &|_| false), "no svg");
    }

    #[test]
    fn a_tint_keeps_alpha() {
        let mut picture = Pixmap::new(2, 1).expect("memory");
        picture.pixels_mut()[0] = PremultipliedColorU8::from_rgba(100, 0, 0, 200).expect("a colour");
        tint(&mut picture, [0, 0, 255], 0.5);
        let pixel = picture.pixels()[0];
        assert_eq!((pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()), (50, 0, 100, 200));
        assert_eq!(picture.pixels()[1].alpha(), 0);
    }
}
