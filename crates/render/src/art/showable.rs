//! Art that the drawing hides and a rig may show: mouths of which all but one are switched off. It is switched on before usvg
//! sees the text, for usvg keeps nothing that is not drawn, and remembered as hidden at rest.
//! Refuses to switch on anything that was not asked for.

use std::ops::Range;

use roxmltree::{Document, Node, ParsingOptions};

use super::element::{Element, ElementId, ElementState, Hidden};
use super::source::{apply, plain_attribute, qualified_name};
use super::{Art, FindError};

/// What usvg is told about an element that may be shown. It follows whatever else the element says about itself.
const SHOWN: &str = "display:inline !important;visibility:visible !important";

/// The names of art that may be shown although the drawing hides it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Showable {
    /// Elements, each by a name as [`Art::find`] takes it.
    pub elements: Vec<String>,
    /// Groups of which each direct child may be shown.
    pub children_of: Vec<String>,
}

impl Showable {
    /// The elements that are meant and cannot be seen, in document order.
    pub(super) fn unseen(&self, art: &Art) -> Vec<ElementId> {
        let one = |name: &String| match art.candidates(name).as_slice() {
            [one] => Some(*one),
            _ => None,
        };
        let mut meant: Vec<ElementId> = self.elements.iter().filter_map(one).collect();
        for group in self.children_of.iter().filter_map(one) {
            meant.extend(art.children(group));
        }
        meant.retain(|id| match art.element(*id).map(|element| &element.state) {
            Some(ElementState::Drawn) => !art.has_visible(*id),
            Some(ElementState::NotDrawn(reason)) => matches!(reason, Hidden::SwitchedOff | Hidden::Empty),
            Some(ElementState::Cuts) | None => false,
        });
        meant.sort_unstable();
        meant.dedup();
        meant
    }
}

/// The text of a drawing with the elements switched on, and those of them that hide themselves, not only because a
/// group around them is hidden.
pub(super) fn switched_on(keyed: &str, art: &Art, unseen: &[ElementId]) -> (String, Vec<ElementId>) {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let Ok(doc) = Document::parse_with_options(keyed, options) else { return (keyed.to_owned(), Vec::new()) };
    let root = doc.root_element();
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut hidden = Vec::new();
    for id in unseen {
        let Some(element) = art.element(*id) else { continue };
        let Some(node) = root.descendants().find(|node| plain_attribute(*node, "id") == Some(&element.key))
        else {
            continue;
        };
        // What a DOCTYPE entity brings has one text for all its uses.
        let start = node.range().start;
        if start < root.range().start || !keyed[start..].starts_with('<') {
            continue;
        }
        // A group stands for these two, and they themselves are in it.
        let inner = matches!(element.tag.as_str(), "svg" | "switch")
            .then(|| node.first_element_child())
            .flatten()
            .filter(|_| node.tag_name().name() != element.tag);
        let nodes = [Some(node), inner];
        let around = std::iter::successors(element.parent, |at| art.element(*at)?.parent);
        let below_another = around.into_iter().any(|above| unseen.binary_search(&above).is_ok());
        if !below_another || nodes.iter().flatten().any(|node| hides_itself(*node)) {
            hidden.push(*id);
        }
        edits.extend(nodes.into_iter().flatten().map(|node| show(keyed, node)));
    }
    (apply(keyed, edits), hidden)
}

fn show(text: &str, node: Node<'_, '_>) -> (Range<usize>, String) {
    let style = node.attributes().find(|a| a.namespace().is_none() && a.name() == "style");
    match style {
        Some(style) => {
            let end = style.range_value().end;
            (end..end, format!(";{SHOWN}"))
        }
        None => {
            let start = node.range().start;
            let after_name = start + 1 + qualified_name(text, start).len();
            (after_name..after_name, format!(" style=\"{SHOWN}\""))
        }
    }
}

/// Whether an element's own attributes hide it.
fn hides_itself(node: Node<'_, '_>) -> bool {
    let hides = |name: &str, value: &str| match name.trim() {
        "display" => value.trim().starts_with("none"),
        "visibility" => ["hidden", "collapse"].iter().any(|word| value.trim().starts_with(word)),
        _ => false,
    };
    let style = plain_attribute(node, "style").unwrap_or("");
    style.split(';').filter_map(|rule| rule.split_once(':')).any(|(name, value)| hides(name, value))
        || ["display", "visibility"]
            .iter()
            .any(|name| plain_attribute(node, name).is_some_and(|v| hides(name, v)))
}

impl Art {
    /// The elements directly in a group that may be drawn, in document order.
    pub fn children(&self, group: ElementId) -> impl Iterator<Item = ElementId> + '_ {
        self.counted(Some(group), "").iter().copied()
    }

    /// The direct child of a group with this id, else with this label, else with this number (`#2`) or address.
    ///
    /// # Errors
    /// If no child or more than one is called so, or if it is not drawn.
    pub fn find_child(&self, group: ElementId, name: &str) -> Result<ElementId, FindError> {
        let called = |test: &dyn Fn(&Element) -> bool| -> Vec<ElementId> {
            self.children(group).filter(|id| self.element(*id).is_some_and(test)).collect()
        };
        let mut found = called(&|element| element.id.as_deref() == Some(name));
        found.truncate(1);
        if found.is_empty() {
            found = called(&|element| element.label.as_deref() == Some(name));
        }
        if found.is_empty() {
            found.extend(self.numbered(Some(group), name));
        }
        if found.is_empty() {
            found = self.candidates(name);
            found.retain(|id| self.element(*id).is_some_and(|element| element.parent == Some(group)));
        }
        self.only(name, &found)
    }

    /// The elements that the drawing hides and that are part of it all the same, because they may be shown.
    pub fn hidden(&self) -> &[ElementId] {
        &self.hidden
    }

    /// Whether the drawing hides an element that may be shown.
    pub fn is_hidden(&self, id: ElementId) -> bool {
        self.hidden.binary_search(&id).is_ok()
    }

    /// Whether the drawing shows something of a drawn element.
    fn has_visible(&self, id: ElementId) -> bool {
        let Some(top) = self.slot(id) else { return false };
        let normal = self.normal();
        let mut inside = vec![top];
        while let Some(at) = inside.pop() {
            if normal.slots[at].visible {
                return true;
            }
            inside.extend(normal.children(Some(at)));
        }
        false
    }
}
