//! Text to document: gives the tree of a rig its meaning and reports whatever has none.
//! It looks at one field after the other; whether they agree with each other is for `check`.

mod art;
mod bones;
mod clips;
mod constraints;
mod fields;
mod sequences;
mod skin;
mod springs;
mod values;

use std::borrow::Cow;

use crate::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::doc::RigDoc;
use crate::span::{SourceId, Span, Spanned};
use crate::text::{self, EntryNode, Node, NodeKind};

use clips::DRIVER_LIST;
use constraints::CONSTRAINT_LIST;
use fields::Fields;
use sequences::SHOT_MAP;
use springs::SPRING_LIST;

/// Reads a rig. The document holds whatever was readable; none if the text holds no rig at all.
/// `source` is the text's place in diagnostics.
pub fn read(source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Option<RigDoc> {
    let parsed = text::parse(source, text, diagnostics);
    let root = parsed.root?;
    let mut doc = Reader { source, base: 0, diagnostics }.rig(&root, &WHOLE)?;
    doc.own_names &= parsed.whole;
    // What is included is not here.
    doc.complete = doc.own_names && doc.include.is_empty();
    Some(doc)
}

/// Reads a part of a rig, whose spans begin at `base`.
pub(crate) fn read_part(
    source: SourceId,
    base: u32,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Option<RigDoc> {
    let parsed = text::parse(source, text, diagnostics);
    let mut root = parsed.root?;
    root.shift(base);
    let mut doc = Reader { source, base, diagnostics }.rig(&root, &PART)?;
    doc.own_names &= parsed.whole;
    Some(doc)
}

/// What a file may be.
struct FileKind {
    owner: &'static str,
    name: &'static str,
    example: &'static str,
}

const WHOLE: FileKind =
    FileKind { owner: "the rig", name: "Rig", example: "Rig(version: 1, drawing: \"hero.svg\", …)" };
const PART: FileKind = FileKind {
    owner: "this part",
    name: "Part",
    example: "Part(version: 1, clips: {\"wave\": (length: 2)})",
};

/// Fields that only a whole rig has.
const WHOLE_ALONE: [&str; 4] = ["drawing", "fps", "tolerance", "blend"];

/// Reads a rig from the bytes of a file. The text that places refer to is the one from [`text::decode`].
pub fn read_bytes(source: SourceId, bytes: &[u8], diagnostics: &mut Diagnostics) -> Option<RigDoc> {
    let text = text::decode(source, bytes, diagnostics);
    read(source, &text, diagnostics)
}

/// The decoding of one file.
struct Reader<'d> {
    source: SourceId,
    /// Where its spans begin: what is included has those behind the rig's.
    base: u32,
    diagnostics: &'d mut Diagnostics,
}

impl Reader<'_> {
    fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic.at(self.place(span)));
    }

    fn place(&self, span: Span) -> Place {
        Place::new(self.source, span.back(self.base))
    }

    fn rig(&mut self, root: &Node, kind: &FileKind) -> Option<RigDoc> {
        let known = &[
            "version",
            "include",
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
        self.is_kind(root, kind);
        let is_part = kind.name == PART.name;
        // Fields that a part cannot have are not suggested for a misspelled field.
        let offered: Vec<&str> =
            known.iter().copied().filter(|field| !is_part || !WHOLE_ALONE.contains(field)).collect();
        let root = if is_part { Cow::Owned(self.belongs_to_the_rig(root)) } else { Cow::Borrowed(root) };
        let mut fields = self.fields(&root, kind.owner, kind.example, &offered)?;
        let mut doc = RigDoc { source: self.source, span: root.span, own_names: true, ..RigDoc::default() };
        doc.version = self.version(&mut fields);
        doc.include = self.includes(&mut fields);
        if !is_part {
            let drawing = match &root.kind {
                // A part has another message than a drawing.
                NodeKind::Struct(Some(name), _) if name.value == PART.name => fields.take("drawing"),
                _ => self.required(&mut fields, "drawing", "drawing: \"hero.svg\""),
            };
            doc.drawing = drawing.and_then(|node| self.path(node, "`drawing`", "hero.svg"));
        }
        doc.fps = fields.take("fps").and_then(|node| self.number(node, "`fps`", "24"));
        doc.follow = self.follow(&mut fields);
        if let Some(node) = fields.take("bones") {
            let example = "{\"hip\": (from: (0, 0), to: (0, -40))}";
            let (entries, complete) = self.named_entries(node, "`bones`", "bone", example);
            doc.own_names &= complete;
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
            doc.own_names &= errors == self.diagnostics.error_count();
        }
        if let Some(node) = fields.take("springs") {
            let items = self.list(node, "`springs`", SPRING_LIST);
            doc.springs = items.unwrap_or_default().iter().filter_map(|item| self.spring(item)).collect();
        }
        if let Some(node) = fields.take("clips") {
            let example = "{\"wave\": (length: 2)}";
            let (entries, complete) = self.named_entries(node, "`clips`", "clip", example);
            doc.own_names &= complete;
            doc.clips = entries.into_iter().map(|(name, value)| self.clip(name, value)).collect();
        }
        if let Some(node) = fields.take("shots") {
            let (entries, complete) = self.named_entries(node, "`shots`", "shot", SHOT_MAP);
            doc.own_names &= complete;
            doc.shots = entries.into_iter().map(|(name, value)| self.shot(name, value)).collect();
        }
        doc.own_names &= fields.complete;
        Some(doc)
    }

    fn version(&mut self, fields: &mut Fields<'_>) -> Option<Spanned<u32>> {
        let node = self.required(fields, "version", "version: 1")?;
        let version = self.number(node, "`version`", "1")?;
        if version.value != 1.0 {
            let message = format!("`version` is {}, and this program reads only version 1", version.value);
            self.report(version.span, Diagnostic::error(message).help("write version: 1"));
            return None;
        }
        Some(version.map(|_| 1))
    }

    /// A whole rig is no part, and a part is no rig.
    fn is_kind(&mut self, root: &Node, kind: &FileKind) {
        let (NodeKind::Struct(Some(name), _) | NodeKind::Tuple(Some(name), _)) = &root.kind else { return };
        let (message, help) = match (name.value.as_str(), kind.name) {
            (written, wanted) if written == wanted => return,
            ("Part", _) => (
                "this file is a part of a rig, and a rig is needed here".to_owned(),
                "use the file that includes it, or begin this one with `Rig(` and add `drawing`",
            ),
            ("Rig", _) => (
                "this file is a whole rig, and only parts can be included".to_owned(),
                "begin it with `Part(`, and keep `drawing`, `fps`, `tolerance` and `blend` in the rig",
            ),
            (other, "Part") => {
                let shown = text::shortened(other);
                (format!("a part begins with `Part(`, not with `{shown}(`"), "")
            }
            (other, _) => {
                let shown = text::shortened(other);
                (format!("a rig begins with `Rig(`, not with `{shown}(`"), "")
            }
        };
        let error = Diagnostic::error(message);
        self.report(name.span, if help.is_empty() { error } else { error.help(help) });
    }

    /// A part without the fields that only a rig has; they are reported.
    fn belongs_to_the_rig(&mut self, root: &Node) -> Node {
        let mut root = root.clone();
        let whole_rig = matches!(&root.kind, NodeKind::Struct(Some(name), _) if name.value == "Rig");
        if let NodeKind::Struct(_, fields) = &mut root.kind {
            fields.retain(|field| {
                let name = field.name.value.as_str();
                let belongs = !WHOLE_ALONE.contains(&name);
                // A whole rig was reported already.
                if !belongs && !whole_rig {
                    let message = format!("a part cannot have `{name}`");
                    let help = format!("move `{name}` to the file that includes this one");
                    self.report(field.name.span, Diagnostic::error(message).help(help));
                }
                belongs
            });
        }
        root
    }

    /// The files that are included.
    fn includes(&mut self, fields: &mut Fields<'_>) -> Vec<Spanned<String>> {
        let example = "[\"skeleton.ron\", \"clips/walk.ron\"]";
        let Some(node) = fields.take("include") else { return Vec::new() };
        let items = match &node.kind {
            // One file needs no list.
            NodeKind::Text(_) => std::slice::from_ref(node),
            _ => self.list(node, "`include`", example).unwrap_or_default(),
        };
        let named = items.iter().filter_map(|item| {
            let path = self.path(item, "a file in `include`", "clips/walk.ron")?;
            Some((path, ()))
        });
        let named: Vec<_> = named.collect();
        let once = self.once(named, |path| format!("\"{}\"", text::shortened(path)));
        once.into_iter().map(|(path, ())| path).collect()
    }

    /// The path of a file.
    fn path(&mut self, node: &Node, what: &str, example: &str) -> Option<Spanned<String>> {
        let path = self.text(node, what, &format!("\"{example}\""))?;
        if path.value.trim().is_empty() {
            let diagnostic = Diagnostic::error(format!("{what} is empty"));
            let help = match what {
                "`drawing`" => format!("write drawing: \"{example}\""),
                _ => format!("write \"{example}\""),
            };
            self.report(path.span, diagnostic.help(help));
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
        for EntryNode { key, value } in entries {
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
                    let diagnostic = Diagnostic::error(format!("{} occurs twice", show(&key.value)));
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
    fn readable_parts_are_kept_after_an_error() {
        let mut diagnostics = Diagnostics::new();
        let text = r#"(version: 1, drawing: "a.svg", bones: {"a": (from: [1, 2], length: 3), "b": 7})"#;
        let doc = read(SourceId::default(), text, &mut diagnostics).unwrap();
        crate::check(&doc, &mut diagnostics);
        assert_eq!(diagnostics.error_count(), 2);
        assert!(doc.complete && !doc.bones[0].complete && !doc.bones[1].complete);
        assert_eq!(doc.bones[0].length.unwrap().value, 3.0);
    }
}
