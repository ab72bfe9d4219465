//! The whole of a file: a rig, or a part of one.

use std::borrow::Cow;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::doc::{RigDoc, SceneDoc};
use crate::schema::Type;
use crate::schema::record::{Reader, Record};
use crate::schema::shape::shape;
use crate::span::{SourceId, Spanned};
use crate::text::{self, EntryNode, FieldNode, Node, NodeKind, Parsed, Syntax, shortened};

/// What a file may be.
struct FileKind {
    owner: &'static str,
    name: &'static str,
    example: &'static str,
}

const WHOLE: FileKind = FileKind { owner: "the rig", name: "Rig", example: RigDoc::TABLE.example };
const PART: FileKind = FileKind {
    owner: "this part",
    name: "Part",
    example: "Part(version: 1, clips: {\"wave\": (length: 2)})",
};

const SCENE: FileKind = FileKind { owner: "the scene", name: "Scene", example: SceneDoc::TABLE.example };

/// Fields that only a whole rig has.
const WHOLE_ALONE: [&str; 6] = ["drawing", "fps", "tolerance", "blend", "folds", "wear"];

pub(crate) fn read_whole(source: SourceId, parsed: Parsed, diagnostics: &mut Diagnostics) -> Option<RigDoc> {
    let root = without_schema(root(parsed.root?, parsed.syntax), parsed.syntax);
    let mut doc = Reader { source, base: 0, diagnostics }.rig(&root, &WHOLE)?;
    doc.own_names &= parsed.whole;
    // What is included is not here.
    doc.complete = doc.own_names && doc.include.is_empty();
    Some(doc)
}

/// The root of a scene; none if a text is something else.
pub(crate) fn scene_root(parsed: &Parsed) -> Option<Node> {
    let root = without_schema(root(parsed.root.clone()?, parsed.syntax), parsed.syntax);
    let is_scene = matches!(&root.kind, NodeKind::Struct(Some(name), _) if name.value == SCENE.name);
    is_scene.then_some(root)
}

/// Reads a scene.
pub(crate) fn scene_of_root(
    source: SourceId,
    root: &Node,
    diagnostics: &mut Diagnostics,
) -> Option<SceneDoc> {
    let mut reader = Reader { source, base: 0, diagnostics };
    let mut given = reader.given(root, SCENE.owner.to_owned(), SCENE.example, SceneDoc::TABLE.fields())?;
    let mut doc = SceneDoc { source, ..SceneDoc::default() };
    doc.read_fields(&mut reader, &mut given);
    doc.seen(root.span, given.complete);
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
    let mut root = without_schema(root(parsed.root?, parsed.syntax), parsed.syntax);
    root.shift(base);
    let mut doc = Reader { source, base, diagnostics }.rig(&root, &PART)?;
    doc.own_names &= parsed.whole;
    Some(doc)
}

/// Reads a rig that is no text, in the tree that JSON has.
#[cfg(feature = "serde")]
pub(crate) fn read_node(root_node: Node, diagnostics: &mut Diagnostics) -> Option<RigDoc> {
    read_whole(
        SourceId::default(),
        Parsed { root: Some(root_node), whole: true, syntax: Syntax::Json },
        diagnostics,
    )
}

static RIG: Type = Type::Record(RigDoc::TABLE);
static SCENE_TYPE: Type = Type::Record(SceneDoc::TABLE);

/// An editor's reference to the schema, which is no field.
const SCHEMA: &str = "$schema";

/// The root of a file in the shape of RON. In JSON a rig may be the only value of an object with its name.
pub(crate) fn root(mut root: Node, syntax: Syntax) -> Node {
    if syntax == Syntax::Ron {
        return root;
    }
    let mut name: Option<Box<Spanned<String>>> = None;
    if let NodeKind::Map(entries) = &mut root.kind {
        let text = |key: &Node, wanted: &str| matches!(&key.kind, NodeKind::Text(text) if text == wanted);
        let mut others = entries.iter_mut().filter(|entry| !text(&entry.key, SCHEMA));
        if let (Some(EntryNode { key, value }), None) = (others.next(), others.next())
            && let Some(of) = [WHOLE, PART, SCENE].map(|kind| kind.name).into_iter().find(|of| text(key, of))
            && matches!(value.kind, NodeKind::Map(_))
        {
            name = Some(Box::new(Spanned::new(of.to_owned(), key.span)));
            root.kind = std::mem::replace(&mut value.kind, NodeKind::Broken);
        }
    }
    let is_scene = matches!(&name, Some(name) if name.value == SCENE.name);
    shape(&mut root, if is_scene { &SCENE_TYPE } else { &RIG });
    if let NodeKind::Struct(title, _) = &mut root.kind {
        *title = name;
    }
    root
}

fn without_schema(mut root: Node, syntax: Syntax) -> Node {
    if let (NodeKind::Struct(_, fields), Syntax::Json) = (&mut root.kind, syntax) {
        fields.retain(|field| field.name.value != SCHEMA);
    }
    root
}

impl Reader<'_> {
    fn rig(&mut self, root: &Node, kind: &FileKind) -> Option<RigDoc> {
        self.is_kind(root, kind);
        if matches!(&root.kind, NodeKind::Struct(Some(name), _) if name.value == SCENE.name) {
            return None;
        }
        let is_part = kind.name == PART.name;
        let named_part = matches!(&root.kind, NodeKind::Struct(Some(name), _) if name.value == PART.name);
        let root = if is_part { Cow::Owned(self.belongs_to_the_rig(root)) } else { Cow::Borrowed(root) };
        let mut known = RigDoc::TABLE.fields();
        // A part cannot have some fields; one in place of a rig has another message than that it has no drawing.
        let has_drawing = matches!(&root.kind, NodeKind::Struct(_, fields) if fields.iter().any(|f| f.name.value == "drawing"));
        known.retain(|field| match field {
            "drawing" => !is_part && (!named_part || has_drawing),
            _ => !is_part || !WHOLE_ALONE.contains(&field),
        });
        let mut given = self.given(&root, kind.owner.to_owned(), kind.example, known)?;
        let mut doc = RigDoc { source: self.source, ..RigDoc::default() };
        doc.read_fields(self, &mut given);
        doc.include = self.once(doc.include, |path| path, |path| format!("\"{}\"", shortened(path)));
        doc.seen(root.span, given.complete && names_are_readable(&root, &doc));
        Some(doc)
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
            ("Scene", _) => (
                "this file is a scene, and a rig is needed here".to_owned(),
                "a scene is rendered and exported as a rig is; it is not a part of a rig or of another scene",
            ),
            (other, "Part") => (format!("a part begins with `Part(`, not with `{}(`", shortened(other)), ""),
            (other, _) => (format!("a rig begins with `Rig(`, not with `{}(`", shortened(other)), ""),
        };
        let error = Diagnostic::error("wrong-file", message);
        self.report(name.span, if help.is_empty() { error } else { error.help(help) });
    }

    /// A part without the fields that only a rig has; they are reported.
    fn belongs_to_the_rig(&mut self, root: &Node) -> Node {
        let mut root = root.clone();
        let whole_rig = matches!(&root.kind, NodeKind::Struct(Some(name), _) if name.value == "Rig");
        if let NodeKind::Struct(_, fields) = &mut root.kind {
            fields.retain(|FieldNode { name, .. }| {
                let belongs = !WHOLE_ALONE.contains(&name.value.as_str());
                // A whole rig was reported already.
                if !belongs && !whole_rig {
                    let message = format!("a part cannot have `{}`", name.value);
                    let help = format!("move `{}` to the file that includes this one", name.value);
                    self.report(name.span, Diagnostic::error("not-possible-here", message).help(help));
                }
                belongs
            });
        }
        root
    }
}

/// Whether all names are in the document that others may refer to.
fn names_are_readable(root: &Node, doc: &RigDoc) -> bool {
    let NodeKind::Struct(_, fields) = &root.kind else { return true };
    fields.iter().all(|field| {
        let value = field.value.inner();
        match (field.name.value.as_str(), &value.kind) {
            ("bones" | "sliders" | "warps" | "poses" | "clips" | "shots" | "constraints", NodeKind::None) => true,
            ("bones" | "sliders" | "warps" | "poses" | "clips" | "shots", NodeKind::Map(entries)) => {
                entries.iter().all(|entry| match &entry.key.kind {
                    NodeKind::Text(name) => !name.is_empty(),
                    kind => matches!(kind, NodeKind::Word(_)),
                })
            }
            ("constraints", NodeKind::List(items)) => {
                let named = |item: &&Node| matches!(&item.kind, NodeKind::Struct(_, fields) if fields.iter().any(|f| f.name.value == "name"));
                let names = doc.constraints.iter().filter(|constraint| constraint.name.is_some());
                items.len() == doc.constraints.len() && items.iter().filter(named).count() == names.count()
            }
            ("bones" | "sliders" | "warps" | "poses" | "clips" | "shots" | "constraints", _) => false,
            _ => true,
        }
    })
}
