//! Where a name is given and used: definition, references, highlights, and what can be renamed.

use std::path::{Path, PathBuf};

use bone_drawing::Drawing;
use bone_format::session::text::TextEdit;
use bone_format::session::{Named, PlacedName, names_in};
use bone_format::{expected, text};
use lsp_server::ResponseError;
use serde_json::{Value, json};

use crate::buffer::LineText;
use crate::protocol::RequestFault;
use crate::uri::{plain, uri_of};
use crate::view::RigView;

/// A document among the files of its rig.
pub(crate) struct InRig<'s> {
    pub(crate) path: &'s Path,
    pub(crate) lines: &'s LineText,
    /// The rigs that have it; those that an editor sees first.
    pub(crate) views: Vec<&'s RigView>,
    /// The text of a file as it is now.
    pub(crate) lines_of: &'s dyn Fn(&Path, &str) -> LineText,
}

impl InRig<'_> {
    /// The name at a byte.
    pub(crate) fn name_at(&self, at: usize) -> Option<PlacedName> {
        let names = names_in(self.lines.text());
        names.into_iter().find(|name| name.range.start <= at && at <= name.range.end)
    }

    /// All files of the rig with their texts, this one first.
    pub(crate) fn texts(&self) -> Vec<(PathBuf, LineText)> {
        let mut all = vec![(self.path.to_owned(), self.lines.clone())];
        for (path, text) in self.views.iter().flat_map(|view| view.texts()) {
            if all.iter().all(|(known, _)| known != path) {
                all.push((path.to_owned(), (self.lines_of)(path, text)));
            }
        }
        all
    }

    fn locations(&self, wanted: impl Fn(&PlacedName) -> bool) -> Vec<Value> {
        let mut found = Vec::new();
        for (path, lines) in self.texts() {
            let is_here = |name: &PlacedName| name.scope.is_none() || path == self.path;
            let names = names_in(lines.text()).into_iter().filter(|name| is_here(name) && wanted(name));
            found.extend(names.map(|name| location(&path, &lines, name.range)));
        }
        found
    }

    /// The names that are given of a kind, and those of art.
    pub(crate) fn given(&self, of: Named) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for (_, lines) in self.texts() {
            for name in names_in(lines.text()).into_iter().filter(|name| name.of == of && name.defines) {
                if all.iter().all(|known| **known != *name.name) {
                    all.push(name.name.to_string());
                }
            }
        }
        all
    }

    pub(crate) fn references(&self, at: usize, with_definition: bool) -> Vec<Value> {
        let Some(name) = self.name_at(at) else { return Vec::new() };
        self.locations(|other| other.is_same(&name) && (with_definition || !other.defines))
    }

    pub(crate) fn highlights(&self, at: usize) -> Vec<Value> {
        let Some(name) = self.name_at(at) else { return Vec::new() };
        let same = names_in(self.lines.text()).into_iter().filter(|other| other.is_same(&name));
        same.map(
            |name| json!({ "range": self.lines.range(name.range), "kind": if name.defines { 3 } else { 2 } }),
        )
        .collect()
    }

    /// Where a name is given: in a file of the rig, or in the drawing. Of a path, the file.
    pub(crate) fn definition(&self, at: usize) -> Vec<Value> {
        let Some(name) = self.name_at(at) else { return self.file_at(at).into_iter().collect() };
        if name.of == Named::Art {
            return self
                .views
                .iter()
                .find_map(|view| art_location(view, &name.name, self.lines_of))
                .into_iter()
                .collect();
        }
        self.locations(|other| other.is_same(&name) && other.defines)
    }

    fn file_at(&self, at: usize) -> Option<Value> {
        let cursor = text::cursor(self.lines.text(), at)?;
        let is_path = expected(&cursor).names.contains(&"file") && cursor.quoted;
        let path = plain(&self.path.parent()?.join(cursor.written));
        let start = json!({ "line": 0, "character": 0 });
        is_path.then(|| json!({ "uri": uri_of(&path), "range": { "start": start, "end": start } }))
    }

    /// The edits that rename what one machine alone has.
    pub(crate) fn renamed_in_scope(
        &self,
        name: &PlacedName,
        to: &str,
    ) -> Result<Vec<TextEdit>, ResponseError> {
        if to.is_empty() {
            return Err(RequestFault::RequestFailed.because("a name has letters"));
        }
        let names = names_in(self.lines.text());
        let taken =
            |other: &&PlacedName| other.of == name.of && other.scope == name.scope && *other.name == *to;
        if let Some(taken) = names.iter().find(taken).filter(|_| *name.name != *to) {
            let message = format!("the machine has {} \"{}\" already", name.of.what(), taken.name);
            return Err(RequestFault::RequestFailed.because(message));
        }
        let to = to.replace('\\', "\\\\").replace('"', "\\\"");
        let same = names.into_iter().filter(|other| other.is_same(name));
        Ok(same.map(|other| TextEdit { range: other.range, text: to.clone() }).collect())
    }

    /// The name at a byte, if it can be renamed.
    pub(crate) fn renamed_at(&self, at: usize) -> Result<PlacedName, ResponseError> {
        let refused = |why: &str| Err(RequestFault::RequestFailed.because(why));
        match self.name_at(at) {
            Some(name) if name.of == Named::Art => {
                refused("art has its names in the drawing: rename it there, and the rig follows by its fixes")
            }
            Some(name) => Ok(name),
            None => refused("there is no name here that the rig gives"),
        }
    }
}

fn location(path: &Path, lines: &LineText, range: std::ops::Range<usize>) -> Value {
    json!({ "uri": uri_of(path), "range": lines.range(range) })
}

/// The element of a drawing that art names, as the value of its id or its whole start tag.
fn art_location(view: &RigView, name: &str, lines_of: &dyn Fn(&Path, &str) -> LineText) -> Option<Value> {
    let (path, text) = view.drawing_text()?;
    let drawing: &Drawing = view.drawing.as_ref()?;
    let element = drawing.element(drawing.find(name).ok()?)?;
    let tag = text.get(element.source.clone())?;
    let named = [&element.id, &element.label].into_iter().flatten().find_map(|name| {
        let value =
            [format!("\"{name}\""), format!("'{name}'")].into_iter().find_map(|value| tag.find(&value))?;
        let start = element.source.start + value + 1;
        Some(start..start + name.len())
    });
    Some(location(&path, &lines_of(&path, text), named.unwrap_or(element.source.clone())))
}
