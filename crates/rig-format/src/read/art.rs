//! Channels of art in clips and drivers, and setup positions and weights of its vertices.
//! Whether the art exists is checked in `compile`.

use kurbo::{Point, Vec2};

use super::Reader;
use super::clips::ReadValue;
use super::fields::Fields;
use crate::doc::{ArtDoc, ArtSetupDoc, ArtWeightsDoc, WeightsDoc};
use crate::span::Spanned;
use crate::text::{EntryNode, Node, NodeKind, shortened};

const CHANNELS: [&str; 4] = ["visible", "opacity", "order", "switch"];

impl<'d> Reader<'d> {
    /// The `art` of a clip or a driver.
    pub(super) fn art(&mut self, fields: &mut Fields<'_>) -> Vec<ArtDoc> {
        let Some(node) = fields.take("art") else { return Vec::new() };
        let example = "{\"mouth\": (visible: [(0, true), (1, false)])}";
        let (entries, _) = self.named_entries(node, "`art`", "art", example);
        entries.into_iter().map(|(art, value)| self.art_channels(art, value)).collect()
    }

    fn art_channels(&mut self, art: Spanned<String>, node: &Node) -> ArtDoc {
        let owner = format!("the entry for art \"{}\"", shortened(&art.value));
        let mut doc = ArtDoc { art, ..ArtDoc::default() };
        let Some(mut fields) = self.fields(node, &owner, "(visible: [(0, true), (1, false)])", &CHANNELS)
        else {
            return doc;
        };
        let shown: ReadValue<'d, bool> = |reader, node, what| reader.boolean(node, what);
        let opacity: ReadValue<'d, f64> = |reader, node, what| reader.number(node, what, "0.5");
        let order: ReadValue<'d, f64> = |reader, node, what| reader.number(node, what, "1");
        let child: ReadValue<'d, Option<String>> = |reader, mut node, what| {
            if let NodeKind::Some(inner) = &node.kind {
                node = inner;
            }
            match node.kind {
                NodeKind::None => Some(Spanned::new(None, node.span)),
                _ => reader.text(node, what, "\"open\", or None for no child").map(|name| name.map(Some)),
            }
        };
        doc.visible = self.channel(fields.take("visible"), "`visible`", "(0, true)", shown);
        doc.opacity = self.channel(fields.take("opacity"), "`opacity`", "(0, 0.5)", opacity);
        doc.order = self.channel(fields.take("order"), "`order`", "(0, 1)", order);
        doc.switch = self.channel(fields.take("switch"), "`switch`", "(0, \"open\")", child);
        doc
    }

    /// The `setup` of a clip.
    pub(super) fn setup(&mut self, fields: &mut Fields<'_>) -> Vec<ArtSetupDoc> {
        let Some(node) = fields.take("setup") else { return Vec::new() };
        let example = "{\"cape\": {3: [(0, (10, 20)), (1, (14, 22))]}}";
        let (entries, _) = self.named_entries(node, "`setup`", "art", example);
        entries.into_iter().filter_map(|(art, value)| self.setup_of(art, value)).collect()
    }

    fn setup_of(&mut self, art: Spanned<String>, node: &Node) -> Option<ArtSetupDoc> {
        let entries = self.map(node, "the setup of this art", "{3: [(0, (10, 20)), (1, (14, 22))]}")?;
        let point: ReadValue<'d, Point> =
            |reader, node, what| Some(reader.vector(node, what)?.map(Vec2::to_point));
        let mut vertices = Vec::with_capacity(entries.len());
        for EntryNode { key, value } in entries {
            let vertex = self.address(key);
            let channel = self.channel(Some(value), "this setup position", "(0, (10, 20))", point);
            vertices.extend(vertex.zip(channel));
        }
        let vertices = self.once(vertices, |address| format!("vertex {}", address.show()));
        Some(ArtSetupDoc { art, vertices })
    }

    /// The `weights` of a clip.
    pub(super) fn keyed_weights(&mut self, fields: &mut Fields<'_>) -> Vec<ArtWeightsDoc> {
        let Some(node) = fields.take("weights") else { return Vec::new() };
        let example = "{\"cape\": {3: [(0, {\"chest\": 1}), (1, {\"hip\": 1})]}}";
        let (entries, _) = self.named_entries(node, "`weights`", "art", example);
        entries.into_iter().filter_map(|(art, value)| self.keyed_weights_of(art, value)).collect()
    }

    fn keyed_weights_of(&mut self, art: Spanned<String>, node: &Node) -> Option<ArtWeightsDoc> {
        let example = "{3: [(0, {\"chest\": 1}), (1, {\"hip\": 1})]}";
        let entries = self.map(node, "the weights of this art", example)?;
        let row: ReadValue<'d, WeightsDoc> = |reader, node, what| {
            let weights = reader.weights(node, what)?;
            Some(Spanned::new(weights, node.span))
        };
        let mut vertices = Vec::with_capacity(entries.len());
        for EntryNode { key, value } in entries {
            let vertex = self.address(key);
            let channel = self.channel(Some(value), "this row of weights", "(0, {\"chest\": 1})", row);
            vertices.extend(vertex.zip(channel));
        }
        let vertices = self.once(vertices, |address| format!("vertex {}", address.show()));
        Some(ArtWeightsDoc { art, vertices })
    }
}
