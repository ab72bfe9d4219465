//! Shots: their parts and layers.
//! Whether clips exist, and whether fades fit, is for `check`.

use kurbo::Vec2;

use crate::diagnostic::Diagnostic;
use crate::doc::{Fade, LayerDoc, Mode, PlayDoc, SequenceDoc};
use crate::read::Reader;
use crate::read::clips::ReadValue;
use crate::read::fields::Fields;
use crate::span::Spanned;
use crate::text::{Node, NodeKind, shortened};

/// Shots as they are written.
pub(super) const SHOT_MAP: &str = "{\"intro\": (play: [\"walk\", (clip: \"jump\", fade: 0.2)])}";

const PLAY: &str = "(clip: \"walk\", repeat: 3)";
const LAYER: &str = "(clip: \"wave\", start: 1, bones: [\"arm.L\"])";
const MODE: [(&str, Mode); 2] = [("Replace", Mode::Replace), ("Add", Mode::Add)];

impl Reader<'_> {
    /// A shot; an unreadable one keeps its name.
    pub(super) fn shot(&mut self, name: Spanned<String>, node: &Node) -> SequenceDoc {
        let owner = format!("shot \"{}\"", shortened(&name.value));
        let mut shot = SequenceDoc { name, span: node.span, ..SequenceDoc::default() };
        let known = &["play", "layers", "length", "loop", "step"];
        let Some(mut fields) = self.fields(node, &owner, "(play: [\"walk\", \"jump\"])", known) else {
            return shot;
        };
        let errors = self.diagnostics.error_count();
        if let Some(node) = self.required(&mut fields, "play", "play: [\"walk\", \"jump\"]") {
            let items = self.list(node, &format!("`play` of {owner}"), "[\"walk\", \"jump\"]");
            if items.is_some_and(<[_]>::is_empty) {
                let diagnostic = Diagnostic::error(format!("`play` of {owner} is empty"));
                self.report(node.span, diagnostic.help("write at least one clip: play: [\"walk\"]"));
            }
            shot.play = items.unwrap_or_default().iter().filter_map(|item| self.play(item)).collect();
        }
        if let Some(node) = fields.take("layers") {
            let items = self.list(node, &format!("`layers` of {owner}"), &format!("[{LAYER}]"));
            shot.layers = items.unwrap_or_default().iter().filter_map(|item| self.layer(item)).collect();
        }
        let what = |field: &str| format!("`{field}` of {owner}");
        shot.length = fields.take("length").and_then(|node| self.number(node, &what("length"), "4"));
        shot.looped = fields.take("loop").and_then(|node| self.boolean(node, &what("loop")));
        shot.step = fields.take("step").and_then(|node| self.number(node, &what("step"), "2"));
        shot.complete = fields.complete && errors == self.diagnostics.error_count();
        shot
    }

    /// `"walk"` or `(clip: "walk", repeat: 3)`.
    fn play(&mut self, node: &Node) -> Option<PlayDoc> {
        if let Some(play) = self.whole_clip(node) {
            return play;
        }
        let known = &["clip", "repeat", "from", "speed", "length", "fade", "spin"];
        let mut fields = self.fields(node, "this part of the shot", PLAY, known)?;
        let mut play = self.piece(&mut fields, node)?;
        let fade = fields.take("fade").and_then(|node| self.number(node, "`fade`", "0.2"));
        play.fade = fade.map(|fade| fade.map(|seconds| Fade { start: seconds, end: 0.0 }));
        Some(play)
    }

    fn layer(&mut self, node: &Node) -> Option<LayerDoc> {
        if let Some(play) = self.whole_clip(node) {
            return play.map(|play| LayerDoc { play, ..LayerDoc::default() });
        }
        let known = &[
            "clip", "start", "bones", "mode", "weight", "fade", "repeat", "from", "speed", "length", "spin",
        ];
        let mut fields = self.fields(node, "this layer", LAYER, known)?;
        let play = self.piece(&mut fields, node)?;
        let mut layer = LayerDoc { play, ..LayerDoc::default() };
        layer.start = fields.take("start").and_then(|node| self.number(node, "`start`", "1"));
        layer.mode = fields.take("mode").and_then(|node| self.word(node, "`mode`", &MODE));
        layer.bones = fields.take("bones").and_then(|node| {
            let items = self.list(node, "`bones`", "[\"arm.L\"]")?;
            let names = items.iter().filter_map(|item| self.text(item, "a bone of this layer", "\"arm.L\""));
            Some(Spanned::new(names.collect(), node.span))
        });
        layer.play.fade = fields.take("fade").and_then(|node| self.layer_fade(node));
        layer.weight = fields.take("weight").and_then(|node| {
            let read: ReadValue<'_, f64> = |reader, node, what| reader.number(node, what, "0.5");
            match node.kind {
                NodeKind::Number(weight) => {
                    Some(crate::doc::Channel::constant(Spanned::new(weight, node.span)))
                }
                _ => self.channel(Some(node), "`weight`", "(0, 0.5)", read),
            }
        });
        Some(layer)
    }

    /// A clip in quotes is all of it; none if something else is written.
    fn whole_clip(&mut self, node: &Node) -> Option<Option<PlayDoc>> {
        if !matches!(node.kind, NodeKind::Text(_) | NodeKind::Word(_)) {
            return None;
        }
        let clip = self.text(node, "the name of this clip", "\"walk\"");
        Some(clip.map(|clip| PlayDoc { span: node.span, clip, ..PlayDoc::default() }))
    }

    /// Which piece of which clip plays; none without a clip.
    fn piece(&mut self, fields: &mut Fields<'_>, node: &Node) -> Option<PlayDoc> {
        let clip = self.required(fields, "clip", "clip: \"walk\"");
        let clip = clip.and_then(|node| self.text(node, "`clip`", "\"walk\""));
        let mut number = |field: &str, example: &str| {
            fields.take(field).and_then(|node| self.number(node, &format!("`{field}`"), example))
        };
        let (repeat, from) = (number("repeat", "3"), number("from", "0.5"));
        let (speed, length) = (number("speed", "1.5"), number("length", "2"));
        let spin = fields.take("spin").and_then(|node| self.boolean(node, "`spin`"));
        Some(PlayDoc { span: node.span, clip: clip?, repeat, from, speed, length, fade: None, spin })
    }

    /// One number for both ends, or a pair.
    fn layer_fade(&mut self, node: &Node) -> Option<Spanned<Fade>> {
        if let NodeKind::Number(both) = node.kind {
            return Some(Spanned::new(Fade { start: both, end: both }, node.span));
        }
        let pair = self.vector(node, "`fade`")?;
        Some(pair.map(|Vec2 { x: start, y: end }| Fade { start, end }))
    }
}
