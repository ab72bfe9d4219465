//! The references of an SVG: how many elements there are once every reference is followed, which references
//! have no target, and which lead back to what they are in. Exponential references are errors before usvg
//! follows them; a reference that closes a loop is taken out of the text. The count is an upper bound.

use std::collections::HashMap;
use std::ops::Range;

use roxmltree::{Document, Node, NodeId};

use super::limits::{MAX_EXPANDED, MAX_NODES};
use super::place::{LineIndex, SvgError, SvgNote};
use super::source::{is_svg, plain_attribute, tag_range};

const XLINK_NAMESPACE: &str = "http://www.w3.org/1999/xlink";

/// What was found out about the references of a drawing.
#[derive(Default)]
pub(crate) struct References {
    /// One for each link without a target, and for each that closes a loop.
    pub(crate) notes: Vec<SvgNote>,
    /// The text without the links that close loops, if there are any. It is as long as the original, and
    /// everything else is where it was.
    pub(crate) without_loops: Option<String>,
    /// At least as many elements as there are once every link is followed.
    pub(crate) drawn: u64,
}

/// Counts what will be drawn, at most `max_depth` deep, and finds links that have no target or close a loop.
pub(crate) fn check(
    doc: &Document<'_>,
    text: &str,
    lines: &LineIndex<'_>,
    max_depth: u32,
) -> Result<References, SvgError> {
    let styles = style_rules(doc);
    let linking: Vec<Node<'_, '_>> =
        doc.descendants().filter(|node| node.is_element() && links(*node).next().is_some()).collect();
    // Each element is then drawn once, and there are no more elements than the limit.
    const { assert!(MAX_NODES as u64 <= MAX_EXPANDED) };
    let all = doc.descendants().filter(Node::is_element).count() as u64;
    if linking.is_empty() && styles.is_empty() {
        return Ok(References { drawn: all, ..References::default() });
    }
    let mut ids: HashMap<&str, Node<'_, '_>> = HashMap::new();
    for node in doc.descendants().filter(Node::is_element) {
        if let Some(id) = plain_attribute(node, "id") {
            ids.entry(id).or_insert(node);
        }
    }
    let (loops, drawn) = count(doc, text, (lines, max_depth), &ids, &styles)?;
    let drawn = drawn.max(all);
    if !loops.is_empty() {
        let note = |closing: &Loop<'_>| {
            let place = doc.get_node(closing.node).map(|node| lines.place(tag_range(text, node)));
            let id = closing.id;
            SvgNote::warning(
                format!("a link to “#{id}” stands inside what “#{id}” draws; it is left out"),
                place,
            )
        };
        let mut notes: Vec<SvgNote> = Vec::new();
        for note in loops.iter().map(note) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        let without_loops = Some(mended(doc, text, &loops, &styles));
        return Ok(References { notes, without_loops, drawn });
    }

    let mut notes = Vec::new();
    for node in linking.into_iter().filter(|node| is_svg(*node)) {
        for id in links(node).filter(|id| !ids.contains_key(id)) {
            notes.push(SvgNote::warning(
                format!("a link to “#{id}” has no target: no element has this id"),
                Some(lines.place(tag_range(text, node))),
            ));
        }
    }
    for rule in styles {
        for id in rule.links.iter().filter(|id| !ids.contains_key(*id)) {
            notes.push(SvgNote::warning(
                format!("the style sheet's link to “#{id}” has no target: no element has this id"),
                Some(lines.place(rule.span.clone())),
            ));
        }
    }
    Ok(References { notes, without_loops: None, drawn })
}

/// A link that closes a loop.
struct Loop<'a> {
    node: NodeId,
    /// What it links to.
    id: &'a str,
}

/// Overwrites the links that close loops: an `href` with spaces, a property with `none`.
fn mended(doc: &Document<'_>, text: &str, loops: &[Loop<'_>], styles: &[StyleRule<'_>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for closing in loops {
        let Some(node) = doc.get_node(closing.node) else { continue };
        let mut found = false;
        for attribute in node.attributes() {
            let has_url = url_links(attribute.value()).any(|id| id == closing.id);
            if attribute.name() == "href" && attribute.value().trim().strip_prefix('#') == Some(closing.id) {
                overwrite(&mut bytes, attribute.range(), "");
            } else if has_url && attribute.name() == "style" {
                let range = attribute.range_value();
                let property = property_with(&text[range.clone()], closing.id);
                // An id that is written with entities is not found in the raw text.
                let property = property.map_or(range.clone(), |p| range.start + p.start..range.start + p.end);
                overwrite(&mut bytes, property, "none");
            } else if has_url {
                overwrite(&mut bytes, attribute.range_value(), "none");
            } else {
                continue;
            }
            found = true;
        }
        for rule in styles.iter().filter(|rule| !found && rule.may_match(node)) {
            if let Some(property) = property_with(&text[rule.span.clone()], closing.id) {
                overwrite(
                    &mut bytes,
                    rule.span.start + property.start..rule.span.start + property.end,
                    "none",
                );
            }
        }
    }
    // Whole characters were overwritten with ASCII.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Where the value of the first property is that links to an id.
fn property_with(declarations: &str, id: &str) -> Option<Range<usize>> {
    let mut from = 0;
    while let Some(start) = declarations[from..].find("url(").map(|at| from + at) {
        let end = declarations[start..].find([';', '}']).map_or(declarations.len(), |at| start + at);
        if url_links(&declarations[start..end]).any(|link| link == id) {
            return Some(start..end);
        }
        from = start + 4;
    }
    None
}

/// Puts a word and spaces in the place of a range of a text. Line breaks stay, so that lines keep their
/// numbers.
fn overwrite(text: &mut [u8], range: Range<usize>, word: &str) {
    let Some(place) = text.get_mut(range) else { return };
    let mut word = word.bytes();
    for byte in place.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        *byte = word.next().unwrap_or(b' ');
    }
}

/// An element that another one draws.
#[derive(Clone, Copy)]
struct Edge<'a> {
    target: NodeId,
    /// How many times it is drawn.
    times: u64,
    /// The id in the link, if it is no child.
    link: Option<&'a str>,
}

/// An element whose contents are being counted.
struct OpenElement<'a> {
    node: NodeId,
    edges: Vec<Edge<'a>>,
    next: usize,
    expanded: u64,
    depth: u32,
}

/// The state of the count of an element.
#[derive(Clone, Copy, Default)]
enum Count {
    #[default]
    None,
    /// It is being counted.
    Open,
    /// How many elements it expands to, and how deep.
    Done { expanded: u64, depth: u32 },
}

fn set(counts: &mut Vec<Count>, node: NodeId, count: Count) {
    let at = node.get_usize();
    if counts.len() <= at {
        counts.resize(at + 1, Count::None);
    }
    counts[at] = count;
}

/// Returns the links that close loops, and how many elements there are once all others are followed.
fn count<'a>(
    doc: &'a Document<'_>,
    text: &str,
    (lines, max_depth): (&LineIndex<'_>, u32),
    ids: &HashMap<&'a str, Node<'a, '_>>,
    styles: &[StyleRule<'a>],
) -> Result<(Vec<Loop<'a>>, u64), SvgError> {
    let place = |node: NodeId| doc.get_node(node).map(|node| lines.place(tag_range(text, node)));
    // By the nodes' numbers.
    let mut counts: Vec<Count> = Vec::new();
    let open = |node: Node<'a, '_>| OpenElement {
        node: node.id(),
        edges: edges(node, ids, styles),
        next: 0,
        expanded: 1,
        depth: 0,
    };
    let mut loops = Vec::new();
    // Of the element that was counted last, the root in the end.
    let mut drawn = 0;
    // Definitions first, in their order, as usvg looks for loops in them: so the same link is left out.
    let is_definition =
        |node: &Node<'_, '_>| matches!(node.tag_name().name(), "pattern" | "clipPath" | "mask" | "filter");
    let definitions = doc.descendants().filter(|node| is_svg(*node)).filter(is_definition);
    for start in definitions.chain([doc.root_element()]) {
        if !matches!(counts.get(start.id().get_usize()), None | Some(Count::None)) {
            continue;
        }
        set(&mut counts, start.id(), Count::Open);
        let mut stack = vec![open(start)];
        while let Some(top) = stack.last_mut() {
            if let Some(Edge { target, times, .. }) = top.edges.get(top.next).copied() {
                match counts.get(target.get_usize()).copied().unwrap_or_default() {
                    Count::Done { expanded, depth } => {
                        top.expanded = top.expanded.saturating_add(expanded.saturating_mul(times));
                        top.depth = top.depth.max(depth + 1);
                        top.next += 1;
                        if top.expanded > MAX_EXPANDED {
                            let what = format!("its links multiply it to more than {MAX_EXPANDED} elements");
                            return Err(SvgError::LimitExceeded { what, place: place(top.node) });
                        }
                        if top.depth > max_depth {
                            let what = format!("its groups and links are nested more than {max_depth} deep");
                            return Err(SvgError::LimitExceeded { what, place: place(top.node) });
                        }
                    }
                    Count::Open => {
                        // The last link on the way here: below it are children only.
                        let links = stack.iter().rev().filter_map(|open| {
                            let link = open.edges.get(open.next).and_then(|edge| edge.link);
                            link.map(|id| Loop { node: open.node, id })
                        });
                        loops.extend(links.take(1));
                        if let Some(top) = stack.last_mut() {
                            top.next += 1;
                        }
                    }
                    Count::None => {
                        if let Some(node) = doc.get_node(target) {
                            set(&mut counts, target, Count::Open);
                            stack.push(open(node));
                        }
                    }
                }
            } else {
                drawn = top.expanded;
                set(&mut counts, top.node, Count::Done { expanded: top.expanded, depth: top.depth });
                stack.pop();
            }
        }
    }
    Ok((loops, drawn))
}

/// The nodes that are drawn when this node is drawn.
fn edges<'a>(
    node: Node<'a, '_>,
    ids: &HashMap<&'a str, Node<'a, '_>>,
    styles: &[StyleRule<'a>],
) -> Vec<Edge<'a>> {
    let children = node.children().filter(|child| is_svg(*child));
    let mut edges: Vec<Edge<'_>> =
        children.map(|child| Edge { target: child.id(), times: 1, link: None }).collect();
    let from_styles =
        styles.iter().filter(|rule| rule.may_match(node)).flat_map(|rule| rule.links.iter().copied());
    for id in links(node).chain(from_styles) {
        let Some(target) = ids.get(id) else { continue };
        let times = match target.tag_name().name() {
            "linearGradient" | "radialGradient" | "textPath" => continue,
            // One for every vertex; a vertex takes at least two bytes of the data.
            "marker" => vertices(node),
            // usvg's writer looks into a mask twice, so masks within masks double its time with every level.
            "mask" => 2,
            _ if follows(node, *target) => 1,
            _ => continue,
        };
        edges.push(Edge { target: target.id(), times, link: Some(id) });
    }
    edges
}

/// Whether a link from this node draws what it leads to.
fn follows(node: Node<'_, '_>, target: Node<'_, '_>) -> bool {
    matches!(node.tag_name().name(), "use" | "feImage" | "pattern" | "filter" | "tref")
        || matches!(target.tag_name().name(), "pattern" | "mask" | "clipPath" | "filter")
}

fn vertices(node: Node<'_, '_>) -> u64 {
    let data =
        node.attributes().filter(|a| matches!(a.name(), "d" | "points")).map(|a| a.value().len()).max();
    // A marker set on a group goes to the paths in it.
    let inside = || {
        let all = node.descendants().flat_map(|node| node.attributes());
        all.filter(|a| matches!(a.name(), "d" | "points"))
            .map(|a| a.value().len())
            .fold(0_usize, usize::saturating_add)
    };
    data.unwrap_or_else(inside) as u64 / 2 + 2
}

/// Elements that draw nothing of what their `href` names: drawing programs note there what a shape was made from, like the path of
/// Inkscape's linked offset, which may be gone.
const NOT_BY_HREF: [&str; 12] =
    ["a", "g", "svg", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan"];

/// The ids that a node's attributes link to.
fn links<'a>(node: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    let tag = node.tag_name().name();
    node.attributes().flat_map(move |attribute| {
        let is_href =
            attribute.name() == "href" && matches!(attribute.namespace(), None | Some(XLINK_NAMESPACE));
        // The longest values, and no links in them.
        let value = if matches!(attribute.name(), "d" | "points") { "" } else { attribute.value() };
        let href = (is_href && !NOT_BY_HREF.contains(&tag)).then(|| value.trim().strip_prefix('#')).flatten();
        href.into_iter().chain(url_links(value))
    })
}

/// The ids in every `url(#id)` of a text.
fn url_links(text: &str) -> impl Iterator<Item = &str> {
    // Most values have no bracket, which is found faster than that they have no `url(`.
    let linking = if text.contains('(') { text } else { "" };
    linking.split("url(").skip(1).filter_map(|after| {
        let inside = after.split(')').next()?.trim().trim_matches(['"', '\'']).trim();
        inside.strip_prefix('#')
    })
}

/// A rule of a style sheet that links to something.
struct StyleRule<'a> {
    /// The style sheet that it is in.
    span: Range<usize>,
    selector: &'a str,
    links: Vec<&'a str>,
}

impl StyleRule<'_> {
    /// Whether the rule may apply: one of the selector's words is this element's tag, id or class. Says yes
    /// when in doubt.
    fn may_match(&self, node: Node<'_, '_>) -> bool {
        if self.selector.contains(['*', '[', ':']) {
            return true;
        }
        let classes = plain_attribute(node, "class").unwrap_or("");
        let words = self
            .selector
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '#' | '>' | '+' | '~'));
        words.filter(|word| !word.is_empty()).any(|word| {
            word == node.tag_name().name()
                || plain_attribute(node, "id") == Some(word)
                || classes.split_whitespace().any(|class| class == word)
        })
    }
}

fn style_rules<'a>(doc: &'a Document<'_>) -> Vec<StyleRule<'a>> {
    let mut rules = Vec::new();
    for style in doc.descendants().filter(|node| node.is_element() && node.tag_name().name() == "style") {
        for rule in style.text().unwrap_or("").split('}') {
            let (selector, declarations) = rule.rsplit_once('{').unwrap_or(("", rule));
            let links: Vec<&str> = url_links(declarations).collect();
            if !links.is_empty() {
                rules.push(StyleRule { span: style.range(), selector, links });
            }
        }
    }
    rules
}
