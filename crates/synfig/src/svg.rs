//! The text of a drawing, tag by tag.

use kurbo::{Affine, BezPath, PathEl, Point};

/// Tags that are being written.
#[derive(Debug, Default)]
pub(crate) struct Tag {
    text: String,
    depth: usize,
}

impl Tag {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    fn indent(&mut self) {
        self.text.push_str(&"  ".repeat(self.depth.min(20)));
    }

    /// Begins a tag.
    pub(crate) fn open(&mut self, name: &str) {
        self.indent();
        self.text.push('<');
        self.text.push_str(name);
    }

    pub(crate) fn attribute(&mut self, name: &str, value: &str) {
        self.text.push_str(&format!(" {name}=\"{}\"", escaped(value)));
    }

    pub(crate) fn transform(&mut self, map: Affine) {
        self.transform_as("transform", map);
    }

    pub(crate) fn transform_as(&mut self, name: &str, map: Affine) {
        let [a, b, c, d, x, y] = map.as_coeffs();
        let numbers = |all: &[f64]| all.iter().map(|n| fine(*n)).collect::<Vec<_>>().join(" ");
        if [a, b, c, d] == [1.0, 0.0, 0.0, 1.0] {
            if x != 0.0 || y != 0.0 {
                self.attribute(name, &format!("translate({})", numbers(&[x, y])));
            }
        } else {
            self.attribute(name, &format!("matrix({})", numbers(&[a, b, c, d, x, y])));
        }
    }

    /// Ends the opening tag of an element with contents.
    pub(crate) fn inside(&mut self) {
        self.text.push_str(">\n");
        self.depth += 1;
    }

    /// Ends a tag without contents.
    pub(crate) fn end(&mut self) {
        self.text.push_str("/>\n");
    }

    pub(crate) fn close(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.indent();
        self.text.push_str(&format!("</{name}>\n"));
    }

    /// A line as it is.
    pub(crate) fn line(&mut self, line: &str) {
        self.indent();
        self.text.push_str(line);
    }
}

pub(crate) fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Three digits after the point.
pub(crate) fn number(value: f64) -> String {
    short(format!("{value:.3}"))
}

/// Six digits, of what others are multiplied with.
fn fine(value: f64) -> String {
    short(format!("{value:.6}"))
}

fn short(text: String) -> String {
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

pub(crate) fn path(path: &BezPath) -> String {
    let mut text = String::new();
    let mut put = |letter: char, points: &[Point]| {
        text.push(letter);
        let all: Vec<String> =
            points.iter().map(|point| format!("{},{}", number(point.x), number(point.y))).collect();
        text.push_str(&all.join(" "));
    };
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(to) => put('M', &[to]),
            PathEl::LineTo(to) => put('L', &[to]),
            PathEl::QuadTo(a, to) => put('Q', &[a, to]),
            PathEl::CurveTo(a, b, to) => put('C', &[a, b, to]),
            PathEl::ClosePath => put('Z', &[]),
        }
    }
    text
}

/// A name that can be an id, and is no address.
pub(crate) fn slug(name: &str) -> String {
    let letter = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let text: String = name.trim().chars().take(60).map(letter).collect();
    let starts = text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    if starts { text } else { format!("layer_{text}") }
}

/// Whether anything of a path is seen.
pub(crate) fn has_extent(path: &BezPath) -> bool {
    let bounds = path.control_box();
    path.elements().len() > 1 && bounds.is_finite() && bounds.width().max(bounds.height()) > 1e-3
}
