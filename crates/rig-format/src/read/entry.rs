//! One entry of a section read again: a bone, a binding, a clip, where only the text of that changed.

use std::sync::Arc;

use super::shapes::item_slot;
use crate::diagnostic::Diagnostics;
use crate::doc::{BindingDoc, RigDoc};
use crate::schema::Type;
use crate::schema::content::Content as _;
use crate::schema::record::{Item, Key as _, Reader, Slot};
use crate::span::{SourceId, Span};
use crate::text::{Node, NodeKind};

/// An entry of a section with another text.
#[derive(Debug)]
pub(crate) struct EntryEdit {
    /// The field of the rig that it is in.
    pub(crate) section: String,
    /// Its key, if it has one; it is where it was.
    pub(crate) key: Option<Node>,
    /// Where it was.
    pub(crate) old: Span,
    /// Its new value, where it is now.
    pub(crate) new: Arc<Node>,
}

impl EntryEdit {
    /// How much longer the text is.
    pub(crate) fn by(&self) -> i64 {
        i64::from(self.new.span.end) - i64::from(self.old.end)
    }
}

/// Puts the entry back that there was.
pub(crate) type Undo = Box<dyn FnOnce(&mut RigDoc)>;

/// Reads an entry, and puts it in the place of what it was; everything behind it moves. `base` is where the
/// spans of its file begin. None, and nothing changes, if anything is found in it.
pub(crate) fn replace_entry(
    doc: &mut RigDoc,
    (source, base): (SourceId, u32),
    edit: EntryEdit,
) -> Option<Undo> {
    let file = (source, base);
    match edit.section.as_str() {
        "bones" => replace(doc, |doc| &mut doc.bones, |bone| bone.name.span, file, edit),
        "skin" => replace(doc, |doc| &mut doc.skin, BindingDoc::span, file, edit),
        "drivers" => replace(doc, |doc| &mut doc.drivers, |driver| driver.span, file, edit),
        "constraints" => replace(doc, |doc| &mut doc.constraints, |constraint| constraint.span, file, edit),
        "springs" => replace(doc, |doc| &mut doc.springs, |spring| spring.span, file, edit),
        "ink" => replace(doc, |doc| &mut doc.ink, |ink| ink.art.span, file, edit),
        "masks" => replace(doc, |doc| &mut doc.masks, |mask| mask.span, file, edit),
        "sliders" => replace(doc, |doc| &mut doc.sliders, |slider| slider.name.span, file, edit),
        "warps" => replace(doc, |doc| &mut doc.warps, |warp| warp.name.span, file, edit),
        "forms" => replace(doc, |doc| &mut doc.forms, |forms| forms.span, file, edit),
        "poses" => replace(doc, |doc| &mut doc.poses, |pose| pose.name.span, file, edit),
        "clips" => replace(doc, |doc| &mut doc.clips, |clip| clip.name.span, file, edit),
        "machines" => replace(doc, |doc| &mut doc.machines, |machine| machine.name.span, file, edit),
        "outfits" => replace(doc, |doc| &mut doc.outfits, |outfit| outfit.name.span, file, edit),
        "shots" => replace(doc, |doc| &mut doc.shots, |shot| shot.name.span, file, edit),
        _ => None,
    }
}

/// `place` is that of the key, or of an item of a list.
fn replace<T: Item + 'static>(
    doc: &mut RigDoc,
    list: fn(&mut RigDoc) -> &mut Vec<T>,
    place: fn(&T) -> Span,
    (source, base): (SourceId, u32),
    edit: EntryEdit,
) -> Option<Undo> {
    let by = edit.by();
    let EntryEdit { section, key, old, mut new } = edit;
    if base > 0 {
        Arc::make_mut(&mut new).shift(base);
    }
    let old = old.forth(base);
    let wanted = key.as_ref().map_or(old, |key| key.span.forth(base));
    let at = list(doc).iter().position(|entry| place(entry) == wanted)?;
    let field = RigDoc::TABLE.fields().written(&section)?;
    if key.is_some() != matches!(field.of, Type::Map { .. }) {
        return None;
    }
    let (slot, named) = item_slot(&Slot { what: &field.name, of: field.of, example: field.example })?;
    let end = new.span.end;
    // Items of lists have no keys.
    let mut key = key.unwrap_or_else(|| Node::new(NodeKind::None));
    key.shift(base);
    let mut found = Diagnostics::new();
    let mut reader = Reader { source, base, diagnostics: &mut found };
    let key = T::Key::read(&mut reader, &key, named)?;
    let new = T::read_item(&mut reader, key, &new, &slot)?;
    if !found.is_empty() {
        return None;
    }
    let put = move |doc: &mut RigDoc, entry: T, from: u32, by: i64| {
        let before = list(doc).swap_remove(at);
        if by != 0 {
            doc.places(&mut |span| *span = span.after_change(from, by));
        }
        let entries = list(doc);
        entries.push(entry);
        let last = entries.len() - 1;
        entries.swap(at, last);
        before
    };
    let before = put(doc, new, old.end, by);
    Some(Box::new(move |doc| drop(put(doc, before, end, -by))))
}
