//! What may be written at the cursor: fields with an example of their value, words, and names of the rig.

use bone_format::session::Named;
use bone_format::span::SourceId;
use bone_format::text::{Node, NodeKind, Syntax, TextCursor, TextSlot, TextStep, cursor, parse};
use bone_format::{Diagnostics, Expected, Files as _, FormatField, FormatWord, expected};
use serde_json::{Value, json};

use crate::hover::{about_element, about_field};
use crate::names::InRig;

/// Kinds of items, by their numbers in the protocol.
const FIELD: u32 = 5;
const REFERENCE: u32 = 18;
const FILE: u32 = 17;
const WORD: u32 = 20;

/// What may be written at a byte.
pub(crate) fn completion(here: &InRig<'_>, at: usize, snippets: bool) -> Vec<Value> {
    let text = here.lines.text();
    let Some(cursor) = cursor(text, at) else { return Vec::new() };
    let wanted = expected(&cursor);
    let items = Items { here, cursor: &cursor, at, snippets };
    let mut all = fields_and_words(&items, &wanted);
    if !wanted.is_new {
        for of in &wanted.names {
            all.extend(items.names(of));
        }
    }
    all.dedup_by(|a, b| a["label"] == b["label"]);
    all
}

/// What the format itself has for a place; nothing within quotes of RON.
fn fields_and_words(items: &Items<'_>, wanted: &Expected) -> Vec<Value> {
    let cursor = items.cursor;
    let mut all: Vec<Value> = Vec::new();
    if !cursor.quoted || cursor.syntax == Syntax::Json {
        let present = |field: &&FormatField| {
            !cursor.siblings.iter().any(|name| name == field.name && *name != cursor.written)
        };
        all.extend(wanted.fields.iter().filter(present).map(|field| items.field(field)));
        all.extend(wanted.words.iter().map(|word| items.word(word)));
    }
    all
}

struct Items<'a> {
    here: &'a InRig<'a>,
    cursor: &'a TextCursor,
    at: usize,
    snippets: bool,
}

/// The name of a field or an entry.
fn step_name(step: &TextStep) -> Option<&str> {
    match step {
        TextStep::Field(_, name) | TextStep::Entry(name) => Some(name),
        _ => None,
    }
}

impl Items<'_> {
    /// The edit that writes an item in place of the word or the text at the cursor.
    fn edit(&self, new: &str) -> Value {
        let span = self.cursor.span.range();
        // At the start of a word something is written before it.
        let range = if span.start == self.at && !self.cursor.quoted { self.at..self.at } else { span };
        json!({ "range": self.here.lines.range(range), "newText": new })
    }

    /// What editors compare with what is written: it begins with the quote that is.
    fn filter(&self, name: &str) -> String {
        if self.cursor.quoted { format!("\"{name}\"") } else { name.to_owned() }
    }

    fn item(&self, name: &str, kind: u32, new: &str, plain: &str) -> Value {
        let edit = self.edit(if self.snippets { new } else { plain });
        let format = if self.snippets { 2 } else { 1 };
        json!({ "label": name, "kind": kind, "filterText": self.filter(name), "textEdit": edit, "insertTextFormat": format })
    }

    fn field(&self, field: &FormatField) -> Value {
        let example = field.example_in(self.cursor.syntax);
        let name = if self.cursor.syntax == Syntax::Json {
            format!("\"{}\"", field.name)
        } else {
            field.name.to_owned()
        };
        // A name that has its value keeps it.
        let after = self.here.lines.text().get(self.cursor.span.range().end..).unwrap_or_default();
        let has_value = after.trim_start().starts_with(':') && !self.cursor.written.is_empty();
        let (new, plain) = match has_value {
            true => (escaped(&name), name),
            false => {
                (format!("{}: ${{1:{}}}", escaped(&name), escaped(&example)), format!("{name}: {example}"))
            }
        };
        let mut item = self.item(field.name, FIELD, &new, &plain);
        item["detail"] = json!(field.of.replace('`', ""));
        item["documentation"] =
            json!({ "kind": "markdown", "value": about_field(field, self.cursor.syntax) });
        // Those that must be given come first.
        item["sortText"] =
            json!(format!("{}{}", if field.default.is_none() { "0" } else { "1" }, field.name));
        item
    }

    fn word(&self, word: &FormatWord) -> Value {
        let name = word.name;
        let (new, plain) = match (self.cursor.syntax, &word.brackets) {
            (Syntax::Json, Some(brackets)) if brackets.is_empty() && ["true", "false"].contains(&name) => {
                (name.into(), name.into())
            }
            (Syntax::Json, Some(brackets)) if brackets.is_empty() && name == "None" => {
                ("null".into(), "null".into())
            }
            (Syntax::Json, Some(brackets)) if brackets.is_empty() => {
                (format!("\"{name}\""), format!("\"{name}\""))
            }
            (Syntax::Json, _) if self.cursor.slot == TextSlot::Key => {
                (format!("\"{name}\": $1"), format!("\"{name}\": "))
            }
            (Syntax::Json, _) => (format!("{{\"{name}\": $1}}"), format!("{{\"{name}\": }}")),
            (Syntax::Ron, None) => (format!("{name}($1)"), format!("{name}()")),
            (Syntax::Ron, Some(brackets)) => {
                (format!("{name}{}", escaped(brackets)), format!("{name}{brackets}"))
            }
        };
        let mut item = self.item(name, WORD, &new, &plain);
        if !word.help.is_empty() {
            item["documentation"] = json!({ "kind": "markdown", "value": word.help });
        }
        item
    }

    /// The names that there are of a kind.
    fn names(&self, of: &str) -> Vec<Value> {
        if of == "file" {
            return self.files();
        }
        let given =
            |of: Named| self.here.given(of).into_iter().map(|name| (name, of.what().to_owned())).collect();
        let list: Vec<(String, String)> = self.of_actor(of).unwrap_or_else(|| match of {
            "bone" => given(Named::Bone),
            "slider" => given(Named::Slider),
            "warp" => given(Named::Warp),
            "pose" => given(Named::Pose),
            "outfit" => given(Named::Outfit),
            "clip" => given(Named::Clip),
            "shot" => given(Named::Shot),
            "constraint" => given(Named::Constraint),
            "art" => self.art(),
            "gradient" => {
                self.ids(|drawing| drawing.gradients().iter().map(|of| of.id.as_str().to_owned()).collect())
            }
            "filter" => {
                self.ids(|drawing| drawing.filters().iter().map(|of| of.id.as_str().to_owned()).collect())
            }
            "state" => self.keys_around("states"),
            "input" => self.keys_around("inputs"),
            _ => Vec::new(),
        });
        let free = list.into_iter().filter(|(name, _)| {
            self.cursor.slot == TextSlot::Value
                || *name == self.cursor.written
                || !self.cursor.siblings.contains(name)
        });
        free.map(|(name, detail)| self.name(&name, &detail, REFERENCE)).collect()
    }

    /// The names for an actor of a scene: clips, outfits and art of its own rig, bones and art of the others, art of the scene.
    fn of_actor(&self, of: &str) -> Option<Vec<(String, String)>> {
        let mut steps = self.cursor.steps.iter().filter_map(step_name);
        let actor = steps.find(|name| *name == "actors").and(steps.next())?;
        let rig = self.here.views.iter().find_map(|view| view.rig.as_deref())?;
        let skeleton = rig.skeleton();
        let all: Vec<String> = match of {
            "clip" => rig.clips().iter().map(|clip| clip.name().to_owned()).collect(),
            "outfit" => rig.outfits().iter().map(|outfit| outfit.name.to_string()).collect(),
            "bone" => skeleton.bones().map(|bone| skeleton.name(bone).to_owned()).collect(),
            "art" => self.art().into_iter().map(|(name, _)| name).collect(),
            _ => return None,
        };
        let own = |name: &str| name.strip_prefix(actor)?.strip_prefix('/').map(str::to_owned);
        let field = self.cursor.steps.iter().rev().find_map(step_name)?;
        let fits = |name: String| match (of, field) {
            ("art", "behind") => (!name.contains('/') && skeleton.find(&name).is_none()).then_some(name),
            ("bone", _) | ("art", "under") => (name.contains('/') && own(&name).is_none()).then_some(name),
            // Copies for fades have names of several words.
            _ => own(&name)
                .filter(|name| of != "clip" || !name.contains(" under ") && !name.contains(" before ")),
        };
        Some(all.into_iter().filter_map(fits).map(|name| (name, format!("{of} of the scene"))).collect())
    }

    fn name(&self, name: &str, detail: &str, kind: u32) -> Value {
        let quoted = format!("{name:?}");
        let after = self.here.lines.text().get(self.cursor.span.range().end..).unwrap_or_default();
        let colon =
            if self.cursor.slot == TextSlot::Key && !after.trim_start().starts_with(':') { ": " } else { "" };
        let mut item =
            self.item(name, kind, &format!("{}{colon}$0", escaped(&quoted)), &format!("{quoted}{colon}"));
        item["detail"] = json!(detail);
        item
    }

    fn ids(&self, list: impl Fn(&bone_drawing::Drawing) -> Vec<String>) -> Vec<(String, String)> {
        let drawings = self.here.views.iter().filter_map(|view| view.drawing.as_deref());
        let mut ids: Vec<String> = drawings.flat_map(list).filter(|id| !id.is_empty()).collect();
        ids.sort();
        ids.dedup();
        ids.into_iter().map(|id| (id, "of the drawing".to_owned())).collect()
    }

    /// Ids and labels of the drawing.
    fn art(&self) -> Vec<(String, String)> {
        let mut list: Vec<(String, String)> = Vec::new();
        let drawings = self.here.views.iter().filter_map(|view| view.drawing.as_deref());
        for element in drawings.flat_map(|drawing| drawing.elements()) {
            for name in [&element.label, &element.id].into_iter().flatten() {
                if !list.iter().any(|(known, _)| **known == **name) {
                    list.push((name.to_string(), about_element(element)));
                }
            }
        }
        list
    }

    /// The keys of the nearest map with a name around the cursor: states and inputs belong to one machine.
    fn keys_around(&self, map: &str) -> Vec<(String, String)> {
        let parsed = parse(SourceId::default(), self.here.lines.text(), &mut Diagnostics::new());
        let mut inside = parsed.root.as_ref();
        let mut keys = Vec::new();
        for step in self.cursor.steps.iter().map(Some).chain([None]) {
            let Some(node) = inside else { break };
            if let Some(NodeKind::Map(entries)) = member(node, map).map(|found| &found.kind) {
                let key = |key: &Node| match &key.kind {
                    NodeKind::Text(name) => Some((name.clone(), map.trim_end_matches('s').to_owned())),
                    _ => None,
                };
                keys = entries.iter().filter_map(|entry| key(&entry.key)).collect();
            }
            inside = match (step, &node.kind) {
                (Some(TextStep::Field(_, name) | TextStep::Entry(name)), _) => member(node, name),
                (Some(TextStep::Item(at)), NodeKind::List(items)) => items.get(*at),
                _ => None,
            };
        }
        keys
    }

    /// The files of the folder that a path may lead to.
    fn files(&self) -> Vec<Value> {
        let is_drawing = self.cursor.steps.iter().any(|step| match step {
            TextStep::Field(_, name) | TextStep::Entry(name) => name == "drawing",
            _ => false,
        });
        let ends: &[&str] = if is_drawing { &[".svg"] } else { &[".ron", ".json"] };
        let fitting = bone_format::Disk.beside(self.here.path).into_iter();
        let fitting = fitting.filter(|name| ends.iter().any(|end| name.ends_with(end)));
        fitting.map(|name| self.name(&name, "file", FILE)).collect()
    }
}

/// The value of a field or of a key.
fn member<'n>(node: &'n Node, wanted: &str) -> Option<&'n Node> {
    match &node.kind {
        NodeKind::Struct(_, fields) => {
            fields.iter().find(|field| field.name.value == wanted).map(|field| &field.value)
        }
        NodeKind::Map(entries) => {
            let is_it = |key: &Node| matches!(&key.kind, NodeKind::Text(name) if name == wanted);
            entries.iter().find(|entry| is_it(&entry.key)).map(|entry| &entry.value)
        }
        _ => None,
    }
}

/// A text in a snippet, where some characters have a meaning.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '$' | '}' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
