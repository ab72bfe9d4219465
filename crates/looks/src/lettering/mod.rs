//! Words in pictures that people look at: plots, overlays, sheets. They are drawn as lines, so that they look the same on every
//! machine, need no fonts, and are as wide as they were measured.
//!
//! Words with other writing than Latin are left to the fonts of whoever shows the picture, and their width is a guess.

mod glyphs;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

use kurbo::{Affine, BezPath, PathEl, Point, Shape as _};

use glyphs::{GLYPHS, MARKS, marked};

/// Height of capitals as a share of the size, as fonts have it.
const CAPITALS: f64 = 0.72;
/// Units of the glyphs.
const CAPITAL_UNITS: f64 = 14.0;
/// Room on both sides of a letter together, in those units.
const BEARINGS: f64 = 4.0;
/// Width of the pen as a share of the size.
const PEN: f64 = 0.085;
const BOLD_PEN: f64 = 0.135;
/// Width of a letter that fonts draw, as a share of the size.
const GUESS: f64 = 0.62;

/// Which point of the words stands at the place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// Where they begin.
    #[default]
    Start,
    /// Their middle.
    Middle,
    /// Where they end.
    End,
}

/// A line of words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'w> {
    pub(crate) words: &'w str,
    /// As fonts measure it, in pixels.
    pub(crate) size: f64,
    /// On the line that letters stand on.
    pub(crate) at: Point,
    pub(crate) anchor: Anchor,
    pub(crate) colour: &'w str,
    pub(crate) bold: bool,
    /// What is drawn around the letters, so that they are read on anything.
    pub(crate) halo: Option<&'w str>,
    /// Whether the line runs upwards.
    pub(crate) upwards: bool,
}

impl<'w> Words<'w> {
    pub(crate) fn new(words: &'w str, size: f64, at: impl Into<Point>, colour: &'w str) -> Self {
        let (at, anchor) = (at.into(), Anchor::Start);
        Self { words, size, at, anchor, colour, bold: false, halo: None, upwards: false }
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

    /// How much room they take along the line.
    pub(crate) fn width(&self) -> f64 {
        let unit = self.size * CAPITALS / CAPITAL_UNITS;
        match drawn(self.words) {
            Some(letters) => letters.iter().map(|letter| letter.advance).sum::<f64>() * unit,
            None => self.words.chars().count() as f64 * self.size * GUESS,
        }
    }

    /// Writes them into an SVG; says where they end.
    pub(crate) fn write(&self, svg: &mut String) -> f64 {
        let width = self.width();
        let shift = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * width,
            Anchor::End => -width,
        };
        match drawn(self.words) {
            Some(letters) => self.lines(&letters, shift, svg),
            None => self.text(svg),
        }
        self.at.x + shift + width
    }

    fn lines(&self, letters: &[&Letter], shift: f64, svg: &mut String) {
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
        let pen = self.size * if self.bold { BOLD_PEN } else { PEN };
        let round = "fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\"";
        if let Some(halo) = self.halo {
            let width = rounded(pen + 3.0);
            let _ = writeln!(
                svg,
                "<path d=\"{data}\" {round} stroke=\"{halo}\" stroke-opacity=\"0.85\" stroke-width=\"{width}\"/>"
            );
        }
        // What is read aloud and found by searching.
        let (colour, width, words) = (self.colour, rounded(pen), escaped(self.words));
        let _ = writeln!(
            svg,
            "<path d=\"{data}\" {round} stroke=\"{colour}\" stroke-width=\"{width}\"><title>{words}</title></path>"
        );
    }

    fn text(&self, svg: &mut String) {
        let anchor = match self.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = (rounded(self.at.x), rounded(self.at.y));
        let turn = if self.upwards { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
        let weight = if self.bold { " font-weight=\"bold\"" } else { "" };
        let (size, colour, words) = (self.size, self.colour, escaped(self.words));
        let mut one = |paint: &str| {
            let _ = writeln!(
                svg,
                "<text x=\"{x}\" y=\"{y}\"{turn} font-family=\"DejaVu Sans, Verdana, Arial, Helvetica, sans-serif\" \
                 font-size=\"{size}\"{weight} text-anchor=\"{anchor}\" {paint}>{words}</text>"
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

/// A letter as lines, and how far it is to the next one.
#[derive(Debug)]
struct Letter {
    lines: BezPath,
    advance: f64,
}

/// The letters of words; none if fonts must draw them.
fn drawn(words: &str) -> Option<Vec<&'static Letter>> {
    static LETTERS: OnceLock<BTreeMap<char, Letter>> = OnceLock::new();
    let letters = LETTERS.get_or_init(all_letters);
    words.chars().map(|letter| letters.get(&letter)).collect()
}

fn all_letters() -> BTreeMap<char, Letter> {
    let lines = |data: &str| BezPath::from_svg(data).unwrap_or_default();
    let mut letters: BTreeMap<char, Letter> = GLYPHS
        .iter()
        .map(|&(letter, width, data)| (letter, Letter { lines: lines(data), advance: width + BEARINGS }))
        .collect();
    for letter in '\u{c0}'..='\u{ff}' {
        let Some((base, mark)) = marked(letter) else { continue };
        let Some((_, mark)) = MARKS.iter().find(|(name, _)| *name == mark) else { continue };
        let Some(plain) = letters.get(&base) else { continue };
        let (advance, mut all) = (plain.advance, plain.lines.clone());
        if base == 'i' {
            // Its dot makes room.
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

/// A place on the paper: a hundredth of a pixel is enough.
pub(crate) fn rounded(at: f64) -> f64 {
    (at * 100.0).round() / 100.0 + 0.0
}

/// A name as text of an SVG, which may hold what XML may not.
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
    fn everything_on_a_keyboard_has_lines_within_its_width() {
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
    fn words_are_as_wide_as_they_were_measured() {
        let words = Words::new("fore.L 12", 20.0, (100.0, 50.0), "#000");
        let mut svg = String::new();
        let end = words.anchor(Anchor::End).write(&mut svg);
        assert_eq!(end, 100.0);
        let data = svg.split('"').nth(1).expect("path data");
        let seen = BezPath::from_svg(data).expect("a path").bounding_box();
        assert!(seen.x1 < 100.0 && seen.x0 > 100.0 - words.width() && seen.width() > 0.85 * words.width());
        assert!(seen.y1 <= 50.0 && seen.y0 > 50.0 - 20.0);
    }

    #[test]
    fn other_writing_is_left_to_fonts_and_cannot_break_the_svg() {
        let mut svg = String::new();
        Words::new("骨<&\u{1}", 10.0, (0.0, 0.0), "#000").halo("#fff").write(&mut svg);
        assert!(svg.contains("骨&lt;&amp;\u{fffd}") && svg.matches("<text").count() == 2, "{svg}");
    }
}
