//! Shots as text: parts and layers.

use super::tree::{Group, Tree, quoted};
use super::{RigFormatter, names};
use crate::doc::{LayerDoc, Mode, PlayDoc, SequenceDoc};

impl RigFormatter {
    pub(super) fn shot(self, shot: &SequenceDoc) -> Group {
        let mut fields = Group::fields("");
        fields.given("length", shot.length.map(|length| self.time(length.value)));
        fields.given("loop", shot.looped.map(|looped| looped.value.to_string()));
        fields.given("step", shot.step.map(|step| self.share(step.value)));
        let mut play = Group::list();
        for part in &shot.play {
            let mut piece = self.piece(part);
            piece.given("fade", part.fade.map(|fade| self.time(fade.value.start)));
            play.item(short(part, piece));
        }
        fields.field("play", play);
        let mut layers = Group::list();
        shot.layers.iter().for_each(|layer| layers.item(self.layer(layer)));
        if !layers.is_empty() {
            fields.field("layers", layers);
        }
        fields
    }

    fn layer(self, layer: &LayerDoc) -> Tree {
        let mut fields = self.piece(&layer.play);
        fields.given("start", layer.start.map(|start| self.time(start.value)));
        fields.given("bones", layer.bones.as_ref().map(|bones| names(&bones.value)));
        let weight = layer.weight.as_ref();
        fields.given("weight", weight.map(|c| self.channel(Self::time, c, |w| self.share(*w).into())));
        let mode = |mode| match mode {
            Mode::Replace => "Replace",
            Mode::Add => "Add",
        };
        fields.given("mode", layer.mode.map(|word| mode(word.value)));
        let fade = layer.play.fade.map(|fade| fade.value);
        fields.given("fade", fade.map(|f| format!("({}, {})", self.time(f.start), self.time(f.end))));
        fields.into()
    }

    /// What a part and a layer have in common.
    fn piece(self, play: &PlayDoc) -> Group {
        let mut fields = Group::fields("");
        fields.field("clip", quoted(&play.clip.value));
        fields.given("repeat", play.repeat.map(|value| self.share(value.value)));
        fields.given("from", play.from.map(|value| self.time(value.value)));
        fields.given("speed", play.speed.map(|value| self.share(value.value)));
        fields.given("length", play.length.map(|value| self.time(value.value)));
        fields.given("spin", play.spin.map(|spin| spin.value.to_string()));
        fields
    }
}

/// A clip that is played whole is its name.
fn short(play: &PlayDoc, piece: Group) -> Tree {
    let whole = PlayDoc { span: play.span, clip: play.clip.clone(), ..PlayDoc::default() };
    if *play == whole { quoted(&play.clip.value).into() } else { piece.into() }
}
