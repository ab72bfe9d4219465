//! Springs: the fields of one entry. Whether its bones exist and its numbers are in range is for `check`.

use kurbo::Vec2;

use crate::doc::SpringDoc;
use crate::read::Reader;
use crate::span::Spanned;
use crate::text::{Node, NodeKind};

const FIELDS: [&str; 7] = ["chain", "bones", "stiffness", "damping", "mass", "gravity", "mix"];

/// Springs as they are written.
pub(super) const SPRING_LIST: &str = "[(chain: \"hair_1\", stiffness: 2, damping: 0.2)]";

impl Reader<'_> {
    /// An entry of `springs`.
    pub(super) fn spring(&mut self, node: &Node) -> Option<SpringDoc> {
        let example = SPRING_LIST.trim_matches(['[', ']']);
        let mut fields = self.fields(node, "this spring", example, &FIELDS)?;
        let errors = self.diagnostics.error_count();
        let mut spring = SpringDoc { span: node.span, ..SpringDoc::default() };
        spring.chain = fields.take("chain").and_then(|node| self.text(node, "`chain`", "\"hair_1\""));
        if let Some(node) = fields.take("bones") {
            let items = self.list(node, "`bones` of this spring", "[\"hair_1\", \"hair_2\"]");
            let names = items.unwrap_or_default().iter();
            spring.bones = Some(names.filter_map(|item| self.text(item, "a bone", "\"hair_1\"")).collect());
        }
        let mut number = |reader: &mut Self, name: &str, example: &str| {
            fields.take(name).and_then(|node| reader.number(node, &format!("`{name}`"), example))
        };
        spring.stiffness = number(self, "stiffness", "2");
        spring.damping = number(self, "damping", "0.2");
        spring.mass = number(self, "mass", "1");
        spring.mix = number(self, "mix", "1");
        spring.gravity = fields.take("gravity").and_then(|node| match node.kind {
            // Down.
            NodeKind::Number(down) => Some(Spanned::new(Vec2::new(0.0, down), node.span)),
            _ => self.vector(node, "`gravity`"),
        });
        spring.complete = fields.complete && errors == self.diagnostics.error_count();
        Some(spring)
    }
}
