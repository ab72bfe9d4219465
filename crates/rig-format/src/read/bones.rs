//! Bones: the fields of one bone.
//! Whether its parent exists and its fields go together is for `check`.

use crate::doc::{BoneDoc, Inherit, Joint, Limits, Region};
use crate::read::Reader;
use crate::span::Spanned;
use crate::text::{Node, shortened};

const FIELDS: [&str; 11] =
    ["parent", "from", "origin", "to", "length", "angle", "line", "inherit", "joint", "limits", "region"];

const INHERIT: [(&str, Inherit); 4] = [
    ("All", Inherit::All),
    ("NoScale", Inherit::NoScale),
    ("NoRotation", Inherit::NoRotation),
    ("TranslationOnly", Inherit::TranslationOnly),
];

const JOINT: [(&str, Joint); 4] =
    [("Free", Joint::Free), ("Pin", Joint::Pin), ("Slide", Joint::Slide), ("Fixed", Joint::Fixed)];

impl Reader<'_> {
    /// A bone; an unreadable one keeps its name, for others refer to it.
    pub(super) fn bone(&mut self, name: Spanned<String>, node: &Node) -> BoneDoc {
        let owner = format!("bone \"{}\"", shortened(&name.value));
        let mut bone = BoneDoc { name, span: node.span, ..BoneDoc::default() };
        let Some(mut fields) = self.fields(node, &owner, "(parent: \"hip\", length: 60)", &FIELDS) else {
            return bone;
        };
        let mut complete = fields.complete;
        // A field that is given and unreadable makes the bone incomplete.
        macro_rules! field {
            ($name:literal, $read:expr) => {
                fields.take($name).and_then(|node| {
                    let what = format!("`{}` of {owner}", $name);
                    let value = $read(&mut *self, node, what.as_str());
                    complete &= value.is_some();
                    value
                })
            };
        }
        let point = |reader: &mut Self, node: &Node, what: &str| {
            reader.vector(node, what).map(|at| at.map(kurbo::Vec2::to_point))
        };
        bone.parent = field!("parent", |r: &mut Self, node, what| r.text(node, what, "\"hip\""));
        bone.from = field!("from", point);
        bone.origin = field!("origin", point);
        bone.to = field!("to", point);
        bone.length = field!("length", |r: &mut Self, node, what| r.number(node, what, "60"));
        bone.angle = field!("angle", |r: &mut Self, node, what| r.number(node, what, "45"));
        bone.line = field!("line", |r: &mut Self, node, what| r.text(node, what, "\"upper\""));
        bone.inherit = field!("inherit", |r: &mut Self, node, what| r.word(node, what, &INHERIT));
        bone.joint = field!("joint", |r: &mut Self, node, what| r.word(node, what, &JOINT));
        bone.limits = field!("limits", |r: &mut Self, node, what| r.pair(node, what, "(-90, 90)"))
            .map(|pair| pair.map(|(least, most)| Limits { least, most }));
        bone.region = field!("region", |r: &mut Self, node, what| r.pair(node, what, "(18, 12)"))
            .map(|pair| pair.map(|(start, tip)| Region { start, tip }));
        bone.complete = complete;
        bone
    }
}
