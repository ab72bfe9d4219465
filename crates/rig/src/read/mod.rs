//! Text to document: gives the tree of a rig its meaning and reports whatever has none.
//! It looks at one field after the other; whether they agree with each other is for `check`.

mod art;
mod bones;
mod clips;
mod constraints;
mod fields;
mod shots;
mod skin;
mod springs;
mod values;

use crate::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::doc::RigDoc;
use crate::span::{SourceId, Span, Spanned};
use crate::text::{self, Entry, Kind, Node};

use clips::DRIVER_LIST;
use constraints::CONSTRAINT_LIST;
use fields::Fields;
use shots::SHOT_MAP;
use springs::SPRING_LIST;

/// Reads a rig. The document holds whatever was readable; none if the text holds no rig at all.
/// `source` is the text's place in diagnostics.
pub fn read(source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Option<RigDoc> {
    let parsed = text::parse(source, text, diagnostics);
    let root = parsed.root?;
    let mut doc = Reader { source, diagnostics }.rig(&root)?;
    doc.complete &= parsed.whole;
    Some(doc)
}

/// Reads a rig from the bytes of a file. The text that places refer to is the one from [`text::decode`].
pub fn read_bytes(source: SourceId, bytes: &[u8], diagnostics: &mut Diagnostics) -> Option<RigDoc> {
    let text = text::decode(source, bytes, diagnostics);
    read(source, &text, diagnostics)
}

/// The decoding of one file.
struct Reader<'d> {
    source: SourceId,
    diagnostics: &'d mut Diagnostics,
}

impl Reader<'_> {
    fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic.at(self.place(span)));
    }

    fn place(&self, span: Span) -> Place {
        Place::new(self.source, span)
    }

    fn rig(&mut self, root: &Node) -> Option<RigDoc> {
        let known = &[
            "version",
            "drawing",
            "fps",
            "tolerance",
            "blend",
            "bones",
            "skin",
            "drivers",
            "constraints",
            "springs",
            "clips",
            "shots",
        ];
        let mut fields = self.fields(root, "the rig", "Rig(version: 1, drawing: \"hero.svg\", …)", known)?;
        if let Kind::Struct(Some(name), _) = &root.kind
            && name.value != "Rig"
        {
            let message = format!("a rig begins with `Rig(`, not with `{}(`", text::shortened(&name.value));
            self.report(name.span, Diagnostic::error(message));
        }
        let mut doc = RigDoc { source: self.source, span: root.span, complete: true, ..RigDoc::default() };
        doc.version = self.version(&mut fields);
        doc.drawing = match self.required(&mut fields, "drawing", "drawing: \"hero.svg\"") {
            Some(node) => self.path(node),
            None => None,
        };
        doc.fps = fields.take("fps").and_then(|node| self.number(node, "`fps`", "24"));
        doc.follow = self.follow(&mut fields);
        if let Some(node) = fields.take("bones") {
            let example = "{\"hip\": (from: (0, 0), to: (0, -40))}";
            let (entries, complete) = self.named_entries(node, "`bones`", "bone", example);
            doc.complete &= complete;
            doc.bones = entries.into_iter().map(|(name, value)| self.bone(name, value)).collect();
        }
        if let Some(node) = fields.take("skin") {
            let example = "[Rigid(art: \"head\", bone: \"chest\")]";
            let items = self.list(node, "`skin`", example);
            doc.skin = items.unwrap_or_default().iter().filter_map(|item| self.binding(item)).collect();
        }
        if let Some(node) = fields.take("drivers") {
            let items = self.list(node, "`drivers`", DRIVER_LIST);
            doc.drivers = items.unwrap_or_default().iter().filter_map(|item| self.driver(item)).collect();
        }
        if let Some(node) = fields.take("constraints") {
            let items = self.list(node, "`constraints`", CONSTRAINT_LIST);
            let errors = self.diagnostics.error_count();
            let constraints = items.unwrap_or_default().iter();
            doc.constraints = constraints.filter_map(|item| self.constraint(item)).collect();
            doc.complete &= errors == self.diagnostics.error_count();
        }
        if let Some(node) = fields.take("springs") {
            let items = self.list(node, "`springs`", SPRING_LIST);
            doc.springs = items.unwrap_or_default().iter().filter_map(|item| self.spring(item)).collect();
        }
        if let Some(node) = fields.take("clips") {
            let example = "{\"wave\": (length: 2)}";
            let (entries, complete) = self.named_entries(node, "`clips`", "clip", example);
            doc.complete &= complete;
            doc.clips = entries.into_iter().map(|(name, value)| self.clip(name, value)).collect();
        }
        if let Some(node) = fields.take("shots") {
            let (entries, complete) = self.named_entries(node, "`shots`", "shot", SHOT_MAP);
            doc.complete &= complete;
            doc.shots = entries.into_iter().map(|(name, value)| self.shot(name, value)).collect();
        }
        doc.complete &= fields.complete;
        Some(doc)
    }

    fn version(&mut self, fields: &mut Fields<'_>) -> Option<Spanned<u32>> {
        let node = self.required(fields, "version", "version: 1")?;
        let version = self.number(node, "`version`", "1")?;
        if version.value != 1.0 {
            let message =
                format!("this rig says version {}, and only version 1 is known here", version.value);
            self.report(version.span, Diagnostic::error(message).help("write version: 1"));
            return None;
        }
        Some(version.map(|_| 1))
    }

    /// The path of the drawing.
    fn path(&mut self, node: &Node) -> Option<Spanned<String>> {
        let path = self.text(node, "`drawing`", "\"hero.svg\"")?;
        if path.value.trim().is_empty() {
            self.report(
                path.span,
                Diagnostic::error("`drawing` names no file").help("write drawing: \"hero.svg\""),
            );
            return None;
        }
        if path.value.contains(char::is_control) {
            // `C:\new\tree.svg` holds a line break and a tab.
            let diagnostic = Diagnostic::error("this path contains a line break, a tab or the like");
            self.report(
                path.span,
                diagnostic.help("`\\n` and `\\t` are special characters: write paths with `/`"),
            );
            return None;
        }
        Some(path)
    }

    /// The entries of a map whose keys are names, each name once; and whether all keys were readable.
    fn named_entries<'t>(
        &mut self,
        node: &'t Node,
        what: &str,
        of: &str,
        example: &str,
    ) -> (Vec<(Spanned<String>, &'t Node)>, bool) {
        let Some(entries) = self.map(node, what, example) else { return (Vec::new(), false) };
        let mut named = Vec::with_capacity(entries.len());
        let mut complete = true;
        for Entry { key, value } in entries {
            match self.key_text(key, of) {
                Some(name) => named.push((name, value)),
                None => complete = false,
            }
        }
        (self.once(named, |name| format!("{of} \"{}\"", text::shortened(name))), complete)
    }

    /// Drops and reports what has a key that came before.
    fn once<K: Ord, V>(
        &mut self,
        entries: Vec<(Spanned<K>, V)>,
        show: impl Fn(&K) -> String,
    ) -> Vec<(Spanned<K>, V)> {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by(|&a, &b| entries.get(a).map(|e| &e.0.value).cmp(&entries.get(b).map(|e| &e.0.value)));
        let mut again = vec![false; entries.len()];
        let mut first: Option<&Spanned<K>> = None;
        for index in order {
            let Some((key, _)) = entries.get(index) else { continue };
            match first {
                Some(before) if before.value == key.value => {
                    if let Some(again) = again.get_mut(index) {
                        *again = true;
                    }
                    let place = self.place(before.span);
                    let diagnostic = Diagnostic::error(format!("{} is there twice", show(&key.value)));
                    self.report(key.span, diagnostic.related(place, "first here"));
                }
                _ => first = Some(key),
            }
        }
        entries.into_iter().zip(again).filter(|(_, again)| !again).map(|(entry, _)| entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{BindingDoc, Ease, Extend, Keep, VertexPart};

    fn whole(text: &str) -> RigDoc {
        let mut diagnostics = Diagnostics::new();
        let doc = read(SourceId::default(), text, &mut diagnostics).unwrap();
        assert!(diagnostics.is_empty() && doc.complete, "{:?}", diagnostics.iter().next());
        doc
    }

    #[test]
    fn the_document_has_what_was_written_in_its_order() {
        let doc = whole(
            r#"(version: 1, drawing: "a.svg", fps: None,
            bones: {"z": (from: (1, 2), length: Some(3)), "a": (parent: "z", to: (4, 5), limits: (-1, 2))},
            skin: [Explicit(art: "cape", weights: {"3.in": {"a": 1}}, others: {"z": .5})],
            clips: {"c": (bones: {"a": (
                rotate: (keys: [(0, 1, Bezier(0, 1, 1, 0))], extend: Loop),
                scale: [(0.5, 2), (1, (1, 3))],
                parent: [(0, Some("z")), (1, None, Local)],
            )}, offsets: {"cape": {0: [(2, (4, 9))]}})})"#,
        );
        assert_eq!(doc.fps, None);
        let names: Vec<&str> = doc.bones.iter().map(|bone| bone.name.value.as_str()).collect();
        assert_eq!(names, ["z", "a"]);
        assert_eq!(doc.bone("z").unwrap().length.unwrap().value, 3.0);
        assert_eq!(doc.bone("a").unwrap().limits.unwrap().value.least, -1.0);
        let BindingDoc::Explicit(binding) = &doc.skin[0] else { panic!() };
        assert_eq!(binding.weights[0].vertex.value.part, VertexPart::In);
        assert_eq!(binding.others.as_ref().unwrap().list[0].1.value, 0.5);
        let channels = &doc.clip("c").unwrap().bones[0];
        let rotate = channels.rotate.as_ref().unwrap();
        assert_eq!(rotate.extend.unwrap().value, Extend::Loop);
        assert!(matches!(rotate.keys[0].ease.unwrap().value, Ease::Bezier { .. }));
        assert_eq!(channels.scale.as_ref().unwrap().keys[0].value.value, kurbo::Vec2::new(2.0, 2.0));
        let parent = channels.parent.as_ref().unwrap();
        assert_eq!(parent.keys[0].parent.value.as_deref(), Some("z"));
        assert_eq!(
            (parent.keys[1].parent.value.as_deref(), parent.keys[1].keep.unwrap().value),
            (None, Keep::Local)
        );
        assert_eq!(doc.clips[0].duration(), Some(2.0));
    }

    #[test]
    fn what_is_readable_is_kept_beside_a_mistake() {
        let mut diagnostics = Diagnostics::new();
        let text = r#"(version: 1, drawing: "a.svg", bones: {"a": (from: [1, 2], length: 3), "b": 7})"#;
        let doc = read(SourceId::default(), text, &mut diagnostics).unwrap();
        crate::check(&doc, &mut diagnostics);
        assert_eq!(diagnostics.error_count(), 2);
        assert!(doc.complete && !doc.bones[0].complete && !doc.bones[1].complete);
        assert_eq!(doc.bones[0].length.unwrap().value, 3.0);
    }
}
