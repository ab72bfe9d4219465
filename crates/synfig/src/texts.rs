//! Texts: words in a font of the drawing, around their origin.

use bone_drawing::ArtProperty;
use kurbo::{Affine, Vec2};

use crate::document::SynfigLayer;
use crate::film::{FilmWriter, Frames, hex};
use crate::layers::{LayerContext, MadeLayer, SceneBuilder};
use crate::scene::{ItemContent, ItemMotion, ItemText, SceneItem};
use crate::svg::{escaped, number};

impl SceneBuilder<'_> {
    pub(crate) fn text(&self, layer: &SynfigLayer, context: &LayerContext) -> MadeLayer {
        let param = |name: &str| self.param(layer, &[name], context);
        let words = param("text");
        let (size, origin) = (param("size").pair(), self.param(layer, &["origin", "pos"], context).pair());
        let orient = match param("orient") {
            crate::value::NodeValue::Pair(orient) => orient,
            _ => Vec2::new(0.5, 0.5),
        };
        let text = ItemText {
            lines: words.text().lines().map(str::to_owned).collect(),
            family: param("family").text().to_owned(),
            italic: param("style").whole() > 0,
            weight: self.number_or(layer, "weight", 400.0, context).clamp(1.0, 1000.0) as i64,
            // The em is twice the size.
            size: Vec2::new(2.0 * size.x * self.unit.x, 2.0 * size.y * self.unit.y),
            orient,
            color: self.color(param("color").color()),
        };
        let mut motion = ItemMotion::by(self.point(origin));
        motion.sources.offset =
            self.vector_source(layer, &["origin", "pos"], context, self.point(Vec2::ZERO));
        MadeLayer::Item(ItemContent::Text(text), motion)
    }
}

fn text_of(item: &SceneItem) -> Option<&ItemText> {
    if let ItemContent::Text(text) = &item.content { Some(text) } else { None }
}

impl FilmWriter<'_> {
    /// A text. Its lines are centred as those of Synfig are, by the usual heights of letters.
    pub(crate) fn text(&mut self, frames: &Frames<'_>, name: &str, drawn: Affine) {
        let texts: Vec<&ItemText> = frames.iter().filter_map(|item| text_of(item)).collect();
        let (Some(first), Some(item)) = (texts.first(), frames.first()) else { return };
        if texts.iter().any(|text| (text.size - first.size).hypot() > 1e-6) {
            self.lose(item.place, "the size of its letters, which changes");
        }
        self.svg.open("text");
        self.svg.attribute("id", name);
        let narrow = if first.size.y != 0.0 { first.size.x / first.size.y } else { 1.0 };
        self.svg.transform(drawn * Affine::scale_non_uniform(narrow, 1.0));
        self.svg.attribute("font-family", &first.family);
        self.svg.attribute("font-size", &number(first.size.y.abs()));
        if first.weight != 400 {
            self.svg.attribute("font-weight", &first.weight.to_string());
        }
        if first.italic {
            self.svg.attribute("font-style", "italic");
        }
        let anchor = if first.orient.x < 0.25 {
            "start"
        } else if first.orient.x > 0.75 {
            "end"
        } else {
            "middle"
        };
        self.svg.attribute("text-anchor", anchor);
        self.svg.attribute("fill", &hex(first.color));
        if first.color[3] < 1.0 {
            self.svg.attribute("fill-opacity", &number(first.color[3]));
        }
        self.look(frames, name);
        let em = first.size.y.abs();
        let lines = first.lines.len().max(1) as f64;
        let top = first.lines.first().map_or(0.0, |line| height(line));
        let base = em * top * (1.0 - first.orient.y) - (lines - 1.0) * 0.5 * em;
        self.svg.inside();
        for (at, line) in first.lines.iter().enumerate() {
            let y = base + at as f64 * em;
            self.svg.line(&format!("<tspan x=\"0\" y=\"{}\">{}</tspan>\n", number(y), escaped(line)));
        }
        self.svg.close("text");
        let words: Vec<Option<String>> = texts.iter().map(|text| Some(text.lines.join(" "))).collect();
        if words.iter().any(|other| Some(other) != words.first()) {
            let channel = self.stepped(&words);
            self.art(name, ArtProperty::Text, channel);
        }
    }
}

/// How high a line is above its base, in its em: as high as its highest letter is in usual fonts.
fn height(line: &str) -> f64 {
    let of = |letter: char| match letter {
        'b' | 'd' | 'f' | 'h' | 'k' | 'l' | 'ß' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' | '\\'
        | '!' => 0.76,
        'i' | 'j' | 't' => 0.74,
        ' ' | '.' | ',' | '_' => 0.0,
        '-' | '–' | '—' | '~' | '=' | '+' | ':' | ';' => 0.55,
        letter if letter.is_lowercase() => 0.56,
        _ => 0.73,
    };
    line.chars().map(of).reduce(f64::max).filter(|height| *height > 0.0).unwrap_or(0.7)
}
