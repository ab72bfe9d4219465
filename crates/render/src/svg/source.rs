//! The author's XML -> the list of elements, and the same text with an id on every element and with the art
//! switched on that a rig can show. Nothing else in the text is changed.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use bone_drawing::{Element, ElementId, ElementKind, ElementState, Elements, NotDrawnReason};
use roxmltree::{Document, Node, NodeId};

use super::limits::start_tag;
use super::place::{LineIndex, SvgNote};

/// Containers whose content is drawn by what refers to it.
const DEFINITIONS: &str =
    "defs symbol clipPath mask pattern marker linearGradient radialGradient filter cursor";

/// The style that shows an element. It follows all other declarations of the element.
pub(crate) const STYLE: &str = "display:inline !important;visibility:visible !important";

pub(crate) const SVG_NAMESPACE: &str = "http://www.w3.org/2000/svg";

/// The elements of a drawing as its author wrote them.
#[derive(Default)]
pub(crate) struct SourceElements<'a> {
    /// With each `use` and what it clones.
    pub(crate) elements: Elements,
    /// The elements by the ids that usvg will see.
    pub(crate) by_key: HashMap<Arc<str>, ElementId>,
    /// The XML node of each.
    pub(crate) nodes: Vec<NodeId>,
    /// Elements that are hidden and may be shown.
    pub(crate) hidden: Vec<ElementId>,
    /// Where the switched-on art is in the text, and whether it is never visible.
    pub(crate) switched_on: Vec<(Range<usize>, bool)>,
    /// Texts whose words can change, with their own ids, which usvg sees more than once.
    pub(crate) keyed_texts: Vec<(ElementId, Arc<str>)>,
    /// The text with an id on every element.
    pub(crate) keyed: Cow<'a, str>,
    pub(crate) notes: Vec<SvgNote>,
}

/// Words of a text: the key of the group around them, the words, and whether they are hidden at rest.
type TextChild = (Arc<str>, Option<Arc<str>>, bool);

/// Whether this is an SVG element (usvg takes those without a namespace too).
pub(crate) fn is_svg(node: Node<'_, '_>) -> bool {
    node.is_element() && matches!(node.tag_name().namespace(), None | Some(SVG_NAMESPACE))
}

/// The value of an attribute without a namespace.
pub(crate) fn plain_attribute<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attributes()
        .find(|attribute| attribute.namespace().is_none() && attribute.name() == name)
        .map(|a| a.value())
}

/// Bytes of the start tag of an element.
pub(crate) fn tag_range(text: &str, node: Node<'_, '_>) -> Range<usize> {
    let start = node.range().start.min(text.len());
    start..start_tag(text.as_bytes(), start).0
}

/// Reads the elements. `shown` lists those that a rig can show although the drawing hides them, once all
/// are known.
pub(crate) fn read<'a>(
    doc: &Document<'_>,
    text: &'a str,
    lines: &LineIndex<'_>,
    wanted: impl FnOnce(&SourceElements<'_>) -> (Vec<HiddenElement>, Vec<KeyedText>),
) -> SourceElements<'a> {
    let root = doc.root_element();
    let mut keys = ElementKeys {
        doc,
        text,
        taken: None,
        next: 0,
        edits: Vec::new(),
        ends: Vec::new(),
        wrappers: BTreeMap::new(),
    };
    let mut source = SourceElements::default();
    let mut elements: Vec<Element> = Vec::new();
    // The element of each node, by the node's number.
    let mut by_node: Vec<Option<ElementId>> = Vec::new();
    let mut links: Vec<(ElementId, &str)> = Vec::new();

    for node in root.descendants().skip(1).filter(|node| is_svg(*node)) {
        let Some(parent_node) = node.parent() else { continue };
        let parent = by_node.get(parent_node.id().get_usize()).copied().flatten();
        if parent.is_none() && parent_node != root {
            continue;
        }
        let tag = node.tag_name().name();
        // The pieces of a text are not elements that can move alone.
        if parent.is_some_and(|parent| elements[parent.index()].kind == ElementKind::Text) {
            continue;
        }
        // What a DOCTYPE entity brings has its text before the root element, once for all its uses.
        let written_here =
            node.range().start >= root.range().start && text[node.range().start..].starts_with('<');
        let span = tag_range(text, node);
        let id = plain_attribute(node, "id").filter(|id| !id.is_empty());
        let own_id: Option<Arc<str>> = id.map(Arc::from);
        let element = ElementId::from_index(elements.len());
        let first = own_id.as_ref().and_then(|own| source.by_key.get(own));
        if let Some((own, first)) = own_id.as_ref().zip(first) {
            source.notes.push(SvgNote {
                other: Some(lines.place(elements[first.index()].source.clone())),
                ..SvgNote::warning(
                    format!(
                        "the id “{own}” is used twice; links and styles for it reach the first element only"
                    ),
                    Some(lines.place(span.clone())),
                )
            });
        }
        let mut key = match own_id.as_ref().filter(|_| first.is_none()) {
            Some(own) => {
                source.by_key.insert(Arc::clone(own), element);
                Arc::clone(own)
            }
            None if written_here => keys.added(node, &span),
            None => continue,
        };
        // usvg does not keep these two, so a group around them stands for them.
        if matches!(tag, "svg" | "switch") && written_here && is_in_plain_groups(node, root) {
            key = keys.wrapped(node, element, &span);
        }

        by_node.resize(node.id().get_usize(), None);
        by_node.push(Some(element));
        source.nodes.push(node.id());
        if own_id.as_ref() != Some(&key) {
            source.by_key.insert(Arc::clone(&key), element);
        }
        if tag == "use" {
            let hrefs = node
                .attributes()
                .filter(|a| a.name() == "href")
                .filter_map(|a| a.value().trim().strip_prefix('#'));
            links.extend(hrefs.map(|target| (element, target)));
        }
        elements.push(Element {
            id: own_id,
            key,
            label: label(node, id).map(Arc::from),
            words: (tag == "text").then(|| own_words(node)).flatten(),
            tag: tag_name(tag),
            kind: ElementKind::of(tag),
            parent,
            source: span,
            // Until usvg has read it.
            state: first_state(tag, parent.map(|parent| &elements[parent.index()].state)),
        });
    }
    let uses: Vec<(ElementId, ElementId)> =
        links.iter().filter_map(|(user, target)| Some((*user, *source.by_key.get(*target)?))).collect();
    source.elements = Elements::new(elements, uses.clone(), Vec::new());
    let (shown, keyed) = wanted(&source);
    for shown in shown {
        if let Some((_, tag)) = keys.wrappers.get_mut(&shown.element) {
            tag.push_str(&format!(" style=\"{STYLE}\""));
        }
        keys.edits.extend(shown.edit);
        source.hidden.extend(shown.hides_itself.then_some(shown.element));
        source.switched_on.push((shown.range, shown.never_seen));
    }
    if !keyed.is_empty() {
        keys.set_texts(&mut source, keyed, uses);
    }
    // Edits at one place keep their order: a group ends before the next one begins, and begins before what is in it.
    let mut opened = std::mem::take(&mut keys.ends);
    opened.extend(keys.wrappers.into_values().map(|(at, tag)| (at..at, format!("{tag}>"))));
    opened.append(&mut keys.edits);
    source.keyed = if opened.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(apply(text, opened)) };
    source
}

/// The state before usvg has read the drawing.
fn first_state(tag: &str, parent: Option<&ElementState>) -> ElementState {
    match parent {
        Some(ElementState::NotDrawn(reason)) => ElementState::NotDrawn(reason.clone()),
        _ if is_definition(tag) => ElementState::NotDrawn(NotDrawnReason::InDefs),
        _ if ElementKind::of(tag) == ElementKind::Other => {
            ElementState::NotDrawn(NotDrawnReason::Unsupported)
        }
        _ => ElementState::Drawn,
    }
}

/// A tag that most drawings use needs no memory.
fn tag_name(tag: &str) -> Cow<'static, str> {
    const KNOWN: &str = "g path rect circle ellipse line polyline polygon use image \
                         text defs clipPath mask linearGradient stop";
    let known = KNOWN.split(' ').find(|known| *known == tag);
    known.map_or_else(|| Cow::Owned(tag.to_owned()), Cow::Borrowed)
}

/// The text with its edits made. Edits at one place keep their order.
pub(crate) fn apply(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let extra: usize = edits.iter().map(|(_, new)| new.len()).sum();
    let mut out = String::with_capacity(text.len() + extra);
    let mut at = 0;
    for (range, new) in edits {
        out.push_str(text.get(at..range.start).unwrap_or(""));
        out.push_str(&new);
        at = range.end.max(at);
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

/// The name after a tag's `<`, with its prefix.
pub(crate) fn qualified_name(text: &str, start: usize) -> &str {
    let rest = text.get(start + 1..).unwrap_or("");
    let end = rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>')).unwrap_or(rest.len());
    &rest[..end]
}

/// Whether a group may be put around this node: everything above it is a group.
fn is_in_plain_groups(node: Node<'_, '_>, root: Node<'_, '_>) -> bool {
    node.ancestors()
        .skip(1)
        .take_while(|above| *above != root)
        .all(|above| matches!(above.tag_name().name(), "g" | "svg" | "a"))
}

/// The tag of a group with the prefix of an element.
fn group_tag(text: &str, start: usize) -> String {
    let name = qualified_name(text, start);
    name.rsplit_once(':').map_or_else(|| "g".to_owned(), |(prefix, _)| format!("{prefix}:g"))
}

/// Writes words as the text of an element. XML has no other control characters than white space.
fn push_words(words: &str, out: &mut String) {
    let plain = |c: char| if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') { ' ' } else { c };
    for c in words.chars().map(plain) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
}

/// Makes ids that a document does not have. The ids that usvg generates have another form.
struct ElementKeys<'a> {
    doc: &'a Document<'a>,
    text: &'a str,
    taken: Option<HashSet<&'a str>>,
    next: u32,
    edits: Vec<(Range<usize>, String)>,
    /// The ends of groups around elements.
    ends: Vec<(Range<usize>, String)>,
    /// Groups that stand for elements that usvg does not keep: where each is opened, and its tag.
    wrappers: BTreeMap<ElementId, (usize, String)>,
}

impl ElementKeys<'_> {
    /// A new id for an element, in place of its own or as one more attribute.
    fn added(&mut self, node: Node<'_, '_>, span: &Range<usize>) -> Arc<str> {
        let key = self.fresh();
        let own = node.attributes().find(|a| a.namespace().is_none() && a.name() == "id");
        if let Some(own) = own {
            self.edits.push((own.range_value(), key.to_string()));
        } else if ElementKind::of(node.tag_name().name()) != ElementKind::Other {
            // No other kind of element is drawn, so their ids are not needed in usvg's tree.
            let after_name = span.start + 1 + qualified_name(self.text, span.start).len();
            self.edits.push((after_name..after_name, format!(" id=\"{key}\"")));
        }
        key
    }

    /// The id of a group that is written around an element.
    fn wrapped(&mut self, node: Node<'_, '_>, element: ElementId, span: &Range<usize>) -> Arc<str> {
        let key = self.fresh();
        let group = group_tag(self.text, span.start);
        self.ends.push((node.range().end..node.range().end, format!("</{group}>")));
        self.wrappers.insert(element, (span.start, format!("<{group} id=\"{key}\"")));
        key
    }

    /// Writes each text once for all its words, which become its children: first the drawn ones, which links by its
    /// id reach, then hidden ones.
    fn set_texts(
        &mut self,
        source: &mut SourceElements<'_>,
        keyed: Vec<KeyedText>,
        uses: Vec<(ElementId, ElementId)>,
    ) {
        let list = source.elements.list();
        // The key of the group around each text, and its children.
        let mut texts: BTreeMap<ElementId, (Arc<str>, Vec<TextChild>)> = BTreeMap::new();
        for KeyedText { element, range, tags, words } in keyed {
            let (Some(outer), Some(of)) = (tags.first().cloned(), list.get(element.index())) else {
                continue;
            };
            let text = self.text;
            let within = self.edits.iter().filter(|(at, _)| outer.start <= at.start && at.end <= outer.end);
            let within = within.map(|(at, new)| (at.start - outer.start..at.end - outer.start, new.clone()));
            let first = apply(&text[outer.clone()], within.collect());
            let inner = tags.iter().skip(1).map(|tag| text[tag.clone()].to_owned());
            let starts: String = std::iter::once(first)
                .chain(inner)
                .map(|tag| format!("{}>", tag.trim_end_matches('>').trim_end_matches('/')))
                .collect();
            let ends: String =
                tags.iter().rev().map(|tag| format!("</{}>", qualified_name(text, tag.start))).collect();
            let (group, key) = (group_tag(text, outer.start), self.fresh());
            let own = self.fresh();
            let start = format!("<{group} id=\"{key}\"><{group} id=\"{own}\">");
            self.edits.push((range.start..range.start, start));
            let mut children = vec![(own, of.words.clone(), false)];
            let mut end = format!("</{group}>");
            for words in words {
                let own = self.fresh();
                end.push_str(&format!("<{group} id=\"{own}\">{starts}"));
                push_words(&words, &mut end);
                end.push_str(&format!("{ends}</{group}>"));
                children.push((own, Some(Arc::from(words)), true));
            }
            self.ends.push((range.end..range.end, format!("{end}</{group}>")));
            texts.insert(element, (key, children));
        }
        let counts = texts.iter().map(|(text, (_, children))| (text, children.len()));
        let mut place: Vec<ElementId> =
            list.iter().enumerate().map(|(at, _)| ElementId::from_index(at)).collect();
        for (text, count) in counts {
            place[text.index() + 1..]
                .iter_mut()
                .for_each(|id| *id = ElementId::from_index(id.index() + count));
        }
        let (mut elements, mut nodes, mut by_key, mut hidden) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (at, (element, node)) in list.iter().zip(&source.nodes).enumerate() {
            let parent = element.parent.map(|parent| place[parent.index()]);
            let text = texts.remove(&ElementId::from_index(at));
            let key = text.as_ref().map_or(&element.key, |(key, _)| key).clone();
            elements.push(Element { key, parent, ..element.clone() });
            nodes.push(*node);
            let Some((key, children)) = text else { continue };
            source.by_key.insert(key, ElementId::from_index(at));
            source.keyed_texts.push((place[at], element.key.clone()));
            for (key, words, is_hidden) in children {
                let id = ElementId::from_index(elements.len());
                by_key.push((key.clone(), id));
                hidden.extend(is_hidden.then_some(id));
                let (label, parent) = (None, Some(place[at]));
                elements.push(Element { id: None, key, label, words, parent, ..element.clone() });
                nodes.push(*node);
            }
        }
        let moved = |id: ElementId| place.get(id.index()).copied().unwrap_or(id);
        source.by_key.values_mut().for_each(|id| *id = moved(*id));
        let uses = uses.into_iter().map(|(user, used)| (moved(user), moved(used))).collect();
        source.by_key.extend(by_key);
        source.hidden.iter_mut().for_each(|id| *id = moved(*id));
        source.hidden.append(&mut hidden);
        source.nodes = nodes;
        source.elements = Elements::new(elements, uses, Vec::new());
    }

    fn fresh(&mut self) -> Arc<str> {
        let ids = || self.doc.descendants().filter_map(|node| plain_attribute(node, "id")).collect();
        let taken = self.taken.get_or_insert_with(ids);
        loop {
            self.next += 1;
            let key = format!("art{}", self.next);
            if !taken.contains(key.as_str()) {
                return key.into();
            }
        }
    }
}

fn label(node: Node<'_, '_>, id: Option<&str>) -> Option<String> {
    let written = node.attributes().find_map(|attribute| {
        let namespace = attribute.namespace().unwrap_or("");
        let is_label = match attribute.name() {
            "label" => namespace.contains("inkscape"),
            "id" => namespace.contains("serif"),
            "data-name" => namespace.is_empty(),
            _ => false,
        };
        (is_label && !attribute.value().is_empty()).then(|| attribute.value().to_owned())
    });
    written.or_else(|| id.and_then(illustrator_name))
}

/// The layer name behind an Illustrator id such as `arm_x5F_left`, or `arm_1_` where another layer is called
/// `arm`, too; none if the id is the name.
fn illustrator_name(id: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = without_number(id);
    let mut found = rest.len() < id.len();
    while let Some(at) = rest.find("_x") {
        let (before, escape) = rest.split_at(at);
        name.push_str(before);
        let hex = escape[2..].split('_').next().unwrap_or("");
        let closed = escape.len() > hex.len() + 2 && (2..=6).contains(&hex.len());
        match u32::from_str_radix(hex, 16).ok().and_then(char::from_u32).filter(|_| closed) {
            Some(c) => {
                name.push(c);
                found = true;
                rest = &escape[hex.len() + 3..];
            }
            None => {
                name.push_str("_x");
                rest = &escape[2..];
            }
        }
    }
    name.push_str(rest);
    found.then_some(name)
}

/// `arm_1_` -> `arm`.
fn without_number(id: &str) -> &str {
    let name = id.strip_suffix('_').and_then(|id| id.rsplit_once('_'));
    let numbered = |(name, number): &(&str, &str)| {
        !name.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    name.filter(numbered).map_or(id, |(name, _)| name)
}

/// A text whose words can change.
pub(crate) struct KeyedText {
    pub(crate) element: ElementId,
    /// Where it is, with all that is in it.
    pub(crate) range: Range<usize>,
    /// The start tags around its first piece, its own first.
    pub(crate) tags: Vec<Range<usize>>,
    /// What else it can be.
    pub(crate) words: Vec<String>,
}

/// The elements around the first piece of a text, its own first, and whether it is the only piece.
pub(crate) fn first_piece<'a, 'i>(text: Node<'a, 'i>) -> (Vec<Node<'a, 'i>>, bool) {
    let (mut around, mut is_one, mut at) = (vec![text], true, text);
    loop {
        let is_blank = |child: &Node<'_, '_>| child.text().is_none_or(|text| text.trim().is_empty());
        let mut pieces =
            at.children().filter(|child| child.is_element() || child.is_text() && !is_blank(child));
        let (first, second) = (pieces.next(), pieces.next());
        is_one &= second.is_none();
        match first.filter(Node::is_element) {
            Some(piece) => at = piece,
            None => return (around, is_one),
        }
        around.push(at);
    }
}

/// The words of a text in one piece.
fn own_words(text: Node<'_, '_>) -> Option<Arc<str>> {
    let (around, is_one) = first_piece(text);
    around.last()?.text().filter(|_| is_one).map(str::trim).filter(|words| !words.is_empty()).map(Arc::from)
}

/// An element that is hidden at rest and can be shown.
pub(crate) struct HiddenElement {
    pub(crate) element: ElementId,
    /// Whether it hides itself, and not only because a group around it is hidden.
    pub(crate) hides_itself: bool,
    /// Whether it is read for its outlines only, and never visible.
    pub(crate) never_seen: bool,
    /// Where it is in the text, with all that is in it.
    pub(crate) range: Range<usize>,
    /// What shows it.
    pub(crate) edit: Option<(Range<usize>, String)>,
}

/// Whether what is in an element with this tag is drawn by what refers to it.
pub(crate) fn is_definition(tag: &str) -> bool {
    DEFINITIONS.split(' ').any(|name| name == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> SourceElements<'_> {
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let doc = Document::parse_with_options(text, options).unwrap();
        read(&doc, text, &LineIndex::new(text), |_| Default::default())
    }

    #[test]
    fn every_element_has_an_id_of_its_own() {
        let source =
            read_text("<svg><g id='art1'><path/></g><rect id=''/><use id='art1'/><svg x='1'/></svg>");
        assert_eq!(
            source.keyed,
            "<svg><g id='art1'><path id=\"art2\"/></g><rect id='art3'/><use id='art4'/><g id=\"art6\"><svg id=\"art5\" x='1'/></g></svg>"
        );
        assert_eq!(source.notes.len(), 1);
        assert!(source.notes[0].other.is_some());
    }

    #[test]
    fn elements_from_entities_keep_their_text() {
        let text = "<!DOCTYPE svg [<!ENTITY two '<g/><path id=\"p\"/>'>]><svg>&two;<rect/></svg>";
        let source = read_text(text);
        let tags: Vec<&str> = source.elements.list().iter().map(|e| e.tag.as_ref()).collect();
        assert_eq!(tags, ["path", "rect"]);
        assert!(source.keyed.ends_with("&two;<rect id=\"art1\"/></svg>"));
    }

    #[test]
    fn labels_come_from_each_program() {
        let source = read_text(
            "<svg xmlns:inkscape='http://www.inkscape.org/namespaces/inkscape' xmlns:serif='http://www.serif.com/'>\
             <g inkscape:label='Arm'/><g serif:id='Leg 1'/><g data-name='Head'/><g id='a_x5F_b'/><g id='max_x'/>\
             <g id='a_x5F_b_2_'/><g id='_1_'/><g id='a_b_'/></svg>",
        );
        let labels: Vec<Option<&str>> = source.elements.list().iter().map(|e| e.label.as_deref()).collect();
        assert_eq!(
            labels,
            [Some("Arm"), Some("Leg 1"), Some("Head"), Some("a_b"), None, Some("a_b"), None, None]
        );
    }
}
