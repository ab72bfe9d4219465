//! Art that the drawing hides and a rig can show, such as mouths of which all but one are switched off. usvg
//! keeps nothing that is not drawn, so the art is switched on before usvg reads the text, and listed as
//! hidden at rest. Style sheets are applied as usvg applies them, with the same library.

use std::ops::Range;

use bone_drawing::{ElementId, ElementKind, ElementState};
use roxmltree::{Document, Node, NodeId};
use simplecss::{AttributeOperator, PseudoClass, StyleSheet};

use super::source::{HiddenElement, STYLE, SourceElements, plain_attribute, qualified_name};

/// The names of art that may be shown although the drawing hides it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Showable {
    /// Elements, each by a name as [`Drawing::find`](bone_drawing::Drawing::find) takes it.
    pub elements: Vec<String>,
    /// Groups of which each direct child may be shown.
    pub children_of: Vec<String>,
    /// Elements whose outlines are needed although they are never shown, such as lines on hidden layers that
    /// bones follow.
    pub outlines: Vec<String>,
    /// Texts, and the words that each can have besides its own.
    pub texts: Vec<(String, Vec<String>)>,
}

/// The style rules that decide whether elements are visible.
pub(crate) struct Styles<'a> {
    doc: &'a Document<'a>,
    sheet: StyleSheet<'a>,
}

impl<'a> Styles<'a> {
    pub(crate) fn new(doc: &'a Document<'a>) -> Self {
        let mut sheet = StyleSheet::new();
        for style in doc.descendants().filter(|node| node.has_tag_name("style")) {
            let is_css = matches!(style.attribute("type"), None | Some("text/css"));
            let text =
                style.text().filter(|text| is_css && (text.contains("display") || text.contains("visib")));
            text.into_iter().for_each(|text| sheet.parse_more(text));
        }
        // Other rules are not needed.
        sheet.rules.retain(|rule| {
            rule.declarations.iter().any(|style| matches!(style.name, "display" | "visibility"))
        });
        Self { doc, sheet }
    }

    /// The value that an element itself gives to a property: `style` counts more than rules, rules more than
    /// attributes, and the first that is important most of all.
    fn own(&self, node: Node<'_, '_>, name: &str) -> Option<String> {
        let mut value = plain_attribute(node, name).map(|value| (value.to_owned(), false));
        let mut set = |new: &str, important: bool| {
            if !value.as_ref().is_some_and(|(_, important)| *important) {
                value = Some((new.trim().to_owned(), important));
            }
        };
        for rule in self.sheet.rules.iter().filter(|rule| rule.selector.matches(&Xml(node))) {
            for style in rule.declarations.iter().filter(|style| style.name == name) {
                set(style.value, style.important);
            }
        }
        let inline = plain_attribute(node, "style").unwrap_or("");
        for style in simplecss::DeclarationTokenizer::from(inline).filter(|style| style.name == name) {
            set(style.value, style.important);
        }
        value.map(|(value, _)| value)
    }

    /// Whether an element is switched off (`display: none`).
    pub(crate) fn is_switched_off(&self, node: NodeId) -> bool {
        self.doc.get_node(node).is_some_and(|node| self.own(node, "display").as_deref() == Some("none"))
    }

    /// Whether an element hides itself.
    fn hides_itself(&self, node: Node<'_, '_>) -> bool {
        self.own(node, "display").as_deref() == Some("none")
            || matches!(self.own(node, "visibility").as_deref(), Some("hidden" | "collapse"))
    }

    /// Whether anything of an element is visible at rest.
    fn is_seen(&self, node: Node<'_, '_>) -> bool {
        let off = |node: &Node<'_, '_>| self.own(*node, "display").as_deref() == Some("none");
        if node.ancestors().filter(Node::is_element).any(|at| off(&at)) {
            return false;
        }
        let around = node.ancestors().filter(Node::is_element).find_map(|at| self.own(at, "visibility"));
        let visible = |value: &str| !matches!(value, "hidden" | "collapse");
        let mut next = vec![(node, around.as_deref().is_none_or(visible))];
        while let Some((at, seen)) = next.pop() {
            match ElementKind::of(at.tag_name().name()) {
                ElementKind::Group => {
                    for child in at.children().filter(|child| child.is_element() && !off(child)) {
                        let own = self.own(child, "visibility");
                        next.push((child, own.as_deref().map_or(seen, visible)));
                    }
                }
                ElementKind::Other => {}
                _ if seen => return true,
                _ => {}
            }
        }
        false
    }
}

impl Showable {
    /// Whether it has no names.
    pub(crate) fn is_empty(&self) -> bool {
        self.elements.is_empty() && self.children_of.is_empty() && self.outlines.is_empty()
    }

    /// The named elements that are not visible at rest, in document order.
    pub(crate) fn unseen(
        &self,
        source: &SourceElements<'_>,
        styles: &Styles<'_>,
        text: &str,
    ) -> Vec<HiddenElement> {
        let elements = &source.elements;
        let one = |name: &String| match elements.candidates(name).as_slice() {
            [one] => Some(*one),
            _ => None,
        };
        let mut meant: Vec<ElementId> = self.elements.iter().filter_map(one).collect();
        for group in self.children_of.iter().filter_map(one) {
            meant.extend(elements.children(group));
        }
        let mut seen = meant.clone();
        seen.sort_unstable();
        for element in self.outlines.iter().filter_map(one) {
            // And the groups that hide it, with all that is in them.
            let up = std::iter::successors(Some(element), |at| elements.element(*at)?.parent);
            let hides = |id: &ElementId| {
                let node = styles.doc.get_node(source.nodes[id.index()]);
                node.is_some_and(|node| styles.hides_itself(node))
            };
            meant.extend(up.filter(|id| *id == element || hides(id)));
        }
        meant.sort_unstable();
        meant.dedup();
        let node = |id: ElementId| styles.doc.get_node(source.nodes[id.index()]);
        meant.retain(|id| {
            let drawn = elements.element(*id).is_some_and(|element| element.state == ElementState::Drawn);
            drawn && node(*id).is_some_and(|node| !styles.is_seen(node))
        });
        let root = styles.doc.root_element();
        let shown = |id: &ElementId| {
            let node = node(*id)?;
            // What a DOCTYPE entity brings has one text for all its uses.
            let start = node.range().start;
            if start < root.range().start || !text[start..].starts_with('<') {
                return None;
            }
            let parent = elements.element(*id)?.parent;
            let mut around = std::iter::successors(parent, |at| elements.element(*at)?.parent);
            let below_another = around.any(|above| meant.binary_search(&above).is_ok());
            let hides_itself = !below_another || styles.hides_itself(node);
            let never_seen = seen.binary_search(id).is_err();
            Some(HiddenElement {
                element: *id,
                hides_itself,
                never_seen,
                range: node.range(),
                edit: Some(edit(text, node)),
            })
        };
        meant.iter().filter_map(shown).collect()
    }
}

fn edit(text: &str, node: Node<'_, '_>) -> (Range<usize>, String) {
    let style = node.attributes().find(|a| a.namespace().is_none() && a.name() == "style");
    match style {
        Some(style) => {
            let end = style.range_value().end;
            (end..end, format!(";{STYLE}"))
        }
        None => {
            let start = node.range().start;
            let after_name = start + 1 + qualified_name(text, start).len();
            (after_name..after_name, format!(" style=\"{STYLE}\""))
        }
    }
}

/// An element for selectors.
pub(crate) struct Xml<'a, 'input>(pub(crate) Node<'a, 'input>);

impl simplecss::Element for Xml<'_, '_> {
    fn parent_element(&self) -> Option<Self> {
        self.0.parent_element().map(Xml)
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.0.prev_sibling_element().map(Xml)
    }

    fn has_local_name(&self, name: &str) -> bool {
        self.0.tag_name().name() == name
    }

    fn attribute_matches(&self, name: &str, operator: AttributeOperator<'_>) -> bool {
        self.0.attribute(name).is_some_and(|value| operator.matches(value))
    }

    fn pseudo_class_matches(&self, class: PseudoClass<'_>) -> bool {
        class == PseudoClass::FirstChild && self.0.prev_sibling_element().is_none()
    }
}
