//! Text in plots, overlays and sheets. Letters are drawn as lines, so that they look the same on every
//! machine, need no fonts, and have the measured width.
//!
//! Text in other scripts than Latin is written as SVG text and drawn with the viewer's fonts; its width is an
//! estimate.

mod glyphs;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

use kurbo::{Affine, BezPath, PathEl, Point, Shape as _};

use glyphs::{MARKS, glyphs, marked};

/// Height of capitals as a share of the size, as fonts have it.
const CAPITALS: f64 = 0.72;
/// Units of the glyphs.
const CAPITAL_UNITS: f64 = 14.0;
/// The space on both sides of a letter together, in those units.
const BEARINGS: f64 = 4.0;
/// The stroke width as a share of the size.
const STROKE: f64 = 0.085;
const BOLD_STROKE: f64 = 0.135;
/// The estimated width of a letter of a font, as a share of the size.
const ESTIMATE: f64 = 0.62;

/// Which point of a line of text is at its position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// The start.
    #[default]
    Start,
    /// The middle.
    Middle,
    /// The end.
    End,
}

/// A line of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextLine<'w> {
    pub(crate) text: &'w str,
    /// The font size in pixels.
    pub(crate) size: f64,
    /// On the baseline.
    pub(crate) at: Point,
    pub(crate) anchor: Anchor,
    pub(crate) colour: &'w str,
    pub(crate) bold: bool,
    /// The colour around the letters, which makes them legible on any background.
    pub(crate) halo: Option<&'w str>,
    /// Whether the line runs upwards.
    pub(crate) upwards: bool,
}

impl<'w> TextLine<'w> {
    pub(crate) fn new(text: &'w str, size: f64, at: impl Into<Point>, colour: &'w str) -> Self {
        let (at, anchor) = (at.into(), Anchor::Start);
        Self { text, size, at, anchor, colour, bold: false, halo: None, upwards: false }
    }

    pub(crate) fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(crate) fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(crate) fn halo(self, colour: &'w str) -> Self {
        Self { halo: Some(colour), ..self }
    }

    pub(crate) fn upwards(self) -> Self {
        Self { upwards: true, ..self }
    }

    /// The width along the line.
    pub(crate) fn width(&self) -> f64 {
        let unit = self.size * CAPITALS / CAPITAL_UNITS;
        match drawn(self.text) {
            Some(letters) => letters.iter().map(|letter| letter.advance).sum::<f64>() * unit,
            None => self.text.chars().count() as f64 * self.size * ESTIMATE,
        }
    }

    /// Writes the text into an SVG, and returns the x of its end.
    pub(crate) fn write(&self, svg: &mut String) -> f64 {
        let width = self.width();
        let shift = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * width,
            Anchor::End => -width,
        };
        match drawn(self.text) {
            Some(letters) => self.draw_letters(&letters, shift, svg),
            None => self.svg_text(svg),
        }
        self.at.x + shift + width
    }

    fn draw_letters(&self, letters: &[&Letter], shift: f64, svg: &mut String) {
        let unit = self.size * CAPITALS / CAPITAL_UNITS;
        let turn = if self.upwards { Affine::new([0.0, -1.0, 1.0, 0.0, 0.0, 0.0]) } else { Affine::IDENTITY };
        let place = Affine::translate(self.at.to_vec2())
            * turn
            * Affine::translate((shift, 0.0))
            * Affine::scale(unit);
        let mut data = String::new();
        let mut x = 0.5 * BEARINGS;
        for letter in letters {
            write_path(&letter.lines, place * Affine::translate((x, 0.0)), &mut data);
            x += letter.advance;
        }
        if data.is_empty() {
            return;
        }
        let pen = self.size * if self.bold { BOLD_STROKE } else { STROKE };
        let round = "fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\"";
        if let Some(halo) = self.halo {
            let width = rounded(pen + 3.0);
            let _ = writeln!(
                svg,
                "<path d=\"{data}\" {round} stroke=\"{halo}\" stroke-opacity=\"0.85\" stroke-width=\"{width}\"/>"
            );
        }
        // For screen readers and for searching.
        let (colour, width, text) = (self.colour, rounded(pen), escaped(self.text));
        let _ = writeln!(
            svg,
            "<path d=\"{data}\" {round} stroke=\"{colour}\" stroke-width=\"{width}\"><title>{text}</title></path>"
        );
    }

    fn svg_text(&self, svg: &mut String) {
        let anchor = match self.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = (rounded(self.at.x), rounded(self.at.y));
        let turn = if self.upwards { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
        let weight = if self.bold { " font-weight=\"bold\"" } else { "" };
        let (size, colour, text) = (self.size, self.colour, escaped(self.text));
        let mut one = |paint: &str| {
            let _ = writeln!(
                svg,
                "<text x=\"{x}\" y=\"{y}\"{turn} font-family=\"DejaVu Sans, Verdana, Arial, Helvetica, sans-serif\" \
                 font-size=\"{size}\"{weight} text-anchor=\"{anchor}\" {paint}>{text}</text>"
            );
        };
        if let Some(halo) = self.halo {
            one(&format!(
                "fill=\"{halo}\" stroke=\"{halo}\" stroke-width=\"3\" stroke-linejoin=\"round\" opacity=\"0.85\""
            ));
        }
        one(&format!("fill=\"{colour}\""));
    }
}

/// A letter as lines, and its advance.
#[derive(Debug)]
struct Letter {
    lines: BezPath,
    advance: f64,
}

/// The letters of a text; none if a font must draw it.
fn drawn(words: &str) -> Option<Vec<&'static Letter>> {
    static LETTERS: OnceLock<BTreeMap<char, Letter>> = OnceLock::new();
    let letters = LETTERS.get_or_init(all_letters);
    words.chars().map(|letter| letters.get(&letter)).collect()
}

fn all_letters() -> BTreeMap<char, Letter> {
    let lines = |data: &str| BezPath::from_svg(data).unwrap_or_default();
    let mut letters: BTreeMap<char, Letter> = glyphs()
        .map(|(letter, width, data)| (letter, Letter { lines: lines(data), advance: width + BEARINGS }))
        .collect();
    for letter in '\u{c0}'..='\u{ff}' {
        let Some((base, mark)) = marked(letter) else { continue };
        let Some((_, mark)) = MARKS.iter().find(|(name, _)| *name == mark) else { continue };
        let Some(plain) = letters.get(&base) else { continue };
        let (advance, mut all) = (plain.advance, plain.lines.clone());
        if base == 'i' {
            // The mark replaces its dot.
            all = lines("M0 -10V0");
        }
        let middle = 0.5 * (advance - BEARINGS);
        let up = if base.is_uppercase() && all.bounding_box().y1 <= 0.0 && !mark.starts_with("M.4") {
            -3.4
        } else {
            0.0
        };
        all.extend(Affine::translate((middle, up)) * lines(mark));
        letters.insert(letter, Letter { lines: all, advance });
    }
    letters
}

/// Path data to a hundredth of a pixel.
pub(crate) fn write_path(path: &BezPath, map: Affine, out: &mut String) {
    let mut put = |name: char, points: &[Point]| {
        out.push(name);
        for (i, p) in points.iter().enumerate() {
            let p = map * *p;
            let space = if i == 0 { "" } else { " " };
            let _ = write!(out, "{space}{} {}", rounded(p.x), rounded(p.y));
        }
    };
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(p) => put('M', &[p]),
            PathEl::LineTo(p) => put('L', &[p]),
            PathEl::QuadTo(a, p) => put('Q', &[a, p]),
            PathEl::CurveTo(a, b, p) => put('C', &[a, b, p]),
            PathEl::ClosePath => put('Z', &[]),
        }
    }
}

/// A coordinate, rounded to a hundredth of a pixel.
pub(crate) fn rounded(at: f64) -> f64 {
    (at * 100.0).round() / 100.0 + 0.0
}

/// A name as text of an SVG; characters that XML does not allow are replaced.
pub(crate) fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keyboard_characters_are_drawn_within_their_width() {
        for letter in (' '..='~').chain("äöüÄÖÜßéèêëçñåæøáíóúÀ·×°…–—→±".chars())
        {
            let word = letter.to_string();
            let letters = drawn(&word).unwrap_or_else(|| panic!("{letter} is missing"));
            let (lines, width) = (&letters[0].lines, letters[0].advance - BEARINGS);
            if letter != ' ' {
                let seen = lines.bounding_box();
                assert!(seen.x0 >= -2.3 && seen.x1 <= width + 2.3, "{letter}: {seen:?} of {width}");
                assert!(seen.y0 >= -20.0 && seen.y1 <= 4.5, "{letter}: {seen:?}");
            }
        }
        assert!(drawn("骨").is_none());
    }

    #[test]
    fn text_has_its_measured_width() {
        let words = TextLine::new("fore.L 12", 20.0, (100.0, 50.0), "#000");
        let mut svg = String::new();
        let end = words.anchor(Anchor::End).write(&mut svg);
        assert_eq!(end, 100.0);
        let data = svg.split('"').nth(1).expect("path data");
        let seen = BezPath::from_svg(data).expect("a path").bounding_box();
        assert!(seen.x1 < 100.0 && seen.x0 > 100.0 - words.width() && seen.width() > 0.85 * words.width());
        assert!(seen.y1 <= 50.0 && seen.y0 > 50.0 - 20.0);
    }

    #[test]
    fn other_scripts_are_svg_text_and_are_escaped() {
        let mut svg = String::new();
        TextLine::new("骨<&\u{1}", 10.0, (0.0, 0.0), "#000").halo("#fff").write(&mut svg);
        assert!(svg.contains("骨&lt;&amp;\u{fffd}") && svg.matches("<text").count() == 2, "{svg}");
    }
}
